//! Addresses of pages and files of the site, and the relative links between them.

/// The folder of a page below the site's root: `runs/SLUG`, empty for the front page. Always with
/// forward slashes, without one at either end, not percent-encoded.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(String);

impl Address {
    /// The front page.
    pub fn front() -> Self {
        Self::default()
    }

    /// The page of a run.
    pub fn run(slug: &str) -> Self {
        Self(format!("runs/{slug}"))
    }

    /// The path of a file of this page below the output folder.
    pub fn file(&self, name: &str) -> String {
        if self.0.is_empty() {
            name.to_owned()
        } else {
            format!("{}/{name}", self.0)
        }
    }

    /// The relative way from this page to the root of the site: empty, or ending in a slash.
    pub fn to_root(&self) -> String {
        let depth = self.0.split('/').filter(|s| !s.is_empty()).count();
        "../".repeat(depth)
    }

    /// The relative link from this page to a file of another page, percent-encoded; `""` as the
    /// file names the page itself.
    pub fn link_to(&self, other: &Address, file: &str) -> String {
        let target = if other.0.is_empty() {
            file.to_owned()
        } else {
            format!("{}/{file}", other.0)
        };
        let link = format!("{}{}", self.to_root(), percent_encode(&target));
        if link.is_empty() {
            "./".to_owned()
        } else {
            link
        }
    }
}

/// Percent-encodes everything but unreserved characters and `/` (RFC 3986, 2.3).
pub fn percent_encode(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_relative_and_encoded() {
        let run = Address::run("qwen/große");
        assert_eq!(run.to_root(), "../../../");
        assert_eq!(run.link_to(&Address::front(), ""), "../../../");
        assert_eq!(Address::front().link_to(&run, ""), "runs/qwen/gro%C3%9Fe/");
        assert_eq!(Address::front().link_to(&Address::front(), ""), "./");
        assert_eq!(
            run.link_to(&run, "run.json"),
            "../../../runs/qwen/gro%C3%9Fe/run.json"
        );
        assert_eq!(run.file("index.html"), "runs/qwen/große/index.html");
    }
}
