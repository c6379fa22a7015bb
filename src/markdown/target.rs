//! Where a link leads, taken apart.

/// The parts of the target of a link to the same site, percent-decoded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// Before `?` and `#`; empty for a part of the same page.
    pub path: String,
    /// From `?` on, as written; empty without one.
    pub query: String,
    /// After `#`; `None` without one, or with nothing behind it.
    pub fragment: Option<String>,
}

impl Target {
    /// Takes a target without a scheme apart.
    pub fn parse(target: &str) -> Self {
        let (rest, fragment) = target.split_once('#').unwrap_or((target, ""));
        let (path, query) = rest.split_at(rest.find('?').unwrap_or(rest.len()));
        Self {
            path: percent_decode(path),
            query: query.to_owned(),
            fragment: Some(percent_decode(fragment)).filter(|f| !f.is_empty()),
        }
    }

    /// The path from the root of the site when it stands in a file of `folder` (no slash at either
    /// end); `None` where it leads out of the root. Begins and ends as a path of files does:
    /// without a slash, unless it names a folder.
    pub fn from(&self, folder: &str) -> Option<String> {
        let (folder, path) = match self.path.strip_prefix('/') {
            Some(path) => ("", path),
            None => (folder, self.path.as_str()),
        };
        let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
        for part in path.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop()?;
                }
                part => parts.push(part),
            }
        }
        let mut joined = parts.join("/");
        let last = path.rsplit('/').next().unwrap_or(path);
        if matches!(last, "" | "." | "..") && !joined.is_empty() {
            joined.push('/');
        }
        Some(joined)
    }
}

/// Text with `%E2` and the like as the characters that are meant; as it was where these are none.
fn percent_decode(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let hex = |byte: Option<&u8>| char::from(*byte?).to_digit(16);
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match (byte, hex(bytes.get(at + 1)), hex(bytes.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                at += 3;
            }
            _ => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

/// Browsers drop white space and control characters before they look at the scheme.
fn scheme(target: &str) -> Option<String> {
    let target: String = target
        .chars()
        .filter(|c| !c.is_whitespace() && !c.is_control())
        .collect();
    let (scheme, _) = target.split_once(':')?;
    (!scheme.contains(['/', '?', '#'])).then(|| scheme.to_ascii_lowercase())
}

/// Whether a link leads to another host, or into another program: it has a scheme, or names a host.
pub fn has_scheme(target: &str) -> bool {
    let host = target.trim_start().replace('\\', "/");
    host.starts_with("//") || scheme(target).is_some()
}

/// Whether a link may stand on a page: relative, or http, https, mailto.
pub fn safe_link(target: &str) -> bool {
    scheme(target).is_none_or(|scheme| ["http", "https", "mailto"].contains(&scheme.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_has_parts() {
        let target = Target::parse("../a%20b.md?x=1#%C3%A4");
        assert_eq!(
            (target.path.as_str(), target.query.as_str()),
            ("../a b.md", "?x=1")
        );
        assert_eq!(target.fragment.as_deref(), Some("ä"));
        assert_eq!(Target::parse("a#").fragment, None);
        assert_eq!(Target::parse("100%.md%zz").path, "100%.md%zz");
    }

    #[test]
    fn paths_are_joined_inside_of_the_root() {
        for (folder, path, joined) in [
            ("a/b", "c.md", Some("a/b/c.md")),
            ("a/b", "../c.md", Some("a/c.md")),
            ("a", "../../c.md", None),
            ("a", "/c/", Some("c/")),
            ("a", "..", Some("")),
            ("a/b", "..", Some("a/")),
            ("a", "./x//y", Some("a/x/y")),
            ("", "/", Some("")),
        ] {
            assert_eq!(
                Target::parse(path).from(folder).as_deref(),
                joined,
                "{path}"
            );
        }
    }

    #[test]
    fn only_web_and_mail_may_stand_on_a_page() {
        for target in [
            "javascript:alert(1)",
            "JaVaScRiPt:x",
            "data:text/html,x",
            "vbscript:x",
            "java\tscript:x",
            " javascript:x",
            "file:///etc/passwd",
        ] {
            assert!(!safe_link(target) && has_scheme(target), "{target}");
        }
        for target in ["https://a.b/c:d", "mailto:a@b.c", "//host/x"] {
            assert!(safe_link(target) && has_scheme(target), "{target}");
        }
        for target in ["other.md", "../x?y=a:b", "#frag", ""] {
            assert!(safe_link(target) && !has_scheme(target), "{target}");
        }
    }
}
