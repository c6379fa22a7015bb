//! Addresses of the web as they stand in configuration and facts: checked, never fetched.

/// The parts of an http or https address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WebAddress<'a> {
    /// `http` or `https`, as written.
    pub scheme: &'a str,
    /// Host and port.
    pub host: &'a str,
    /// Path, query and fragment; empty, or beginning with one of `/?#`.
    pub rest: &'a str,
}

impl<'a> WebAddress<'a> {
    /// Takes an address apart.
    ///
    /// # Errors
    /// What is wrong with it, as the end of a sentence; the address itself is not quoted, since it
    /// may hold a password.
    pub fn parse(text: &'a str) -> Result<Self, &'static str> {
        let (scheme, after) = text
            .split_once("://")
            .filter(|(scheme, _)| {
                scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
            })
            .ok_or("must begin with http:// or https://")?;
        let forbidden = |c: char| {
            c.is_whitespace()
                || c.is_control()
                || matches!(c, '<' | '>' | '"' | '`' | '{' | '}' | '|' | '\\' | '^')
        };
        if text.contains(forbidden) {
            return Err("must not have blanks or any of <>\"`{}|\\^ in it");
        }
        let (host, rest) = after.split_at(after.find(['/', '?', '#']).unwrap_or(after.len()));
        if host.contains('@') {
            return Err("must not have a user name or a password in it");
        }
        if host.split(':').next().unwrap_or_default().is_empty() {
            return Err("lacks the name of a host");
        }
        Ok(Self { scheme, host, rest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_parts() {
        let address = WebAddress::parse("HTTPS://example.org:8443/a?b#c").unwrap();
        assert_eq!(
            (address.scheme, address.host, address.rest),
            ("HTTPS", "example.org:8443", "/a?b#c")
        );
        assert_eq!(WebAddress::parse("http://[::1]/").unwrap().host, "[::1]");
        assert_eq!(WebAddress::parse("http://a").unwrap().rest, "");
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for text in [
            "",
            "example.org",
            "javascript://a",
            "ftp://a/",
            "https://",
            "https:///a",
            "https://:80/",
            "https://me:secret@a/",
            "https://a/b c",
            "https://a/\"",
        ] {
            assert!(WebAddress::parse(text).is_err(), "{text}");
        }
    }
}
