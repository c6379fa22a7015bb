//! Addresses of pages and files of the site, and the relative links between them.

use std::fmt;

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

    /// The folder at this path: no slash at either end.
    pub fn folder(path: &str) -> Self {
        Self(path.to_owned())
    }

    /// The path of the folder, without a slash at either end; empty for the front page.
    pub fn path(&self) -> &str {
        &self.0
    }

    /// The relative way from this page to the root of the site: empty, or ending in a slash.
    pub fn to_root(&self) -> String {
        let depth = self.0.split('/').filter(|s| !s.is_empty()).count();
        "../".repeat(depth)
    }
}

impl fmt::Display for Address {
    /// The path of the page on the site, from slash to slash.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_str() {
            "" => f.write_str("/"),
            path => write!(f, "/{path}/"),
        }
    }
}

/// How one page names others: the way to the root of the site, and whether a page is named by its
/// folder or by `index.html` in it. Made by [`super::SiteFacts`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Links {
    root: String,
    portable: bool,
}

impl Links {
    /// Links that begin with `root`: empty, or ending in a slash.
    pub(super) fn new(root: String, portable: bool) -> Self {
        Self { root, portable }
    }

    /// The way to the root of the site: empty, or ending in a slash.
    pub fn root(&self) -> &str {
        &self.root
    }

    /// To a page.
    pub fn page(&self, to: &Address) -> String {
        if self.portable {
            return self.path(&to.file("index.html"));
        }
        let link = match to.path() {
            "" => self.root.clone(),
            path => format!("{}{}/", self.root, percent_encode(path)),
        };
        if link.is_empty() {
            "./".to_owned()
        } else {
            link
        }
    }

    /// To the Markdown twin of a page.
    pub fn twin(&self, to: &Address) -> String {
        self.path(&to.file("index.md"))
    }

    /// To a file, by its path below the output folder.
    pub fn path(&self, path: &str) -> String {
        format!("{}{}", self.root, percent_encode(path))
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
        let (front, run) = (Address::front(), Address::run("qwen/große"));
        let from = |address: &Address, portable| Links::new(address.to_root(), portable);
        assert_eq!(run.to_root(), "../../../");
        assert_eq!(from(&run, false).page(&front), "../../../");
        assert_eq!(from(&front, false).page(&run), "runs/qwen/gro%C3%9Fe/");
        assert_eq!(from(&front, false).page(&front), "./");
        assert_eq!(from(&front, true).page(&front), "index.html");
        assert_eq!(
            from(&run, true).page(&run),
            "../../../runs/qwen/gro%C3%9Fe/index.html"
        );
        assert_eq!(
            from(&run, false).path(&run.file("run.json")),
            "../../../runs/qwen/gro%C3%9Fe/run.json"
        );
        assert_eq!(from(&front, true).twin(&front), "index.md");
        assert_eq!(Links::new("/sub/".to_owned(), false).page(&front), "/sub/");
        assert_eq!(run.file("index.html"), "runs/qwen/große/index.html");
        assert_eq!(
            (run.to_string(), front.to_string()),
            ("/runs/qwen/große/".to_owned(), "/".to_owned())
        );
    }
}
