//! Where the finished site will be.

use crate::web_address::WebAddress;

/// An http or https address that ends with `/`, without query and fragment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl {
    url: String,
    path_at: usize,
}

impl BaseUrl {
    /// Checks and normalises an address: lower-case scheme and host, one slash at the end.
    ///
    /// # Errors
    /// What is wrong with it, as the end of a sentence.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let WebAddress { scheme, host, rest } = WebAddress::parse(text)?;
        if rest.contains(['?', '#']) {
            return Err("must not have a query (?) or a fragment (#)");
        }
        if rest.split('/').any(|segment| matches!(segment, "." | "..")) {
            return Err("must not have . or .. as a part of its path");
        }
        let origin = format!("{scheme}://{host}").to_ascii_lowercase();
        Ok(Self {
            path_at: origin.len(),
            url: format!("{origin}{}/", rest.trim_end_matches('/')),
        })
    }

    /// The whole address.
    pub fn as_str(&self) -> &str {
        &self.url
    }

    /// Its path, from `/` to `/`.
    pub fn path(&self) -> &str {
        self.url.get(self.path_at..).unwrap_or("/")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_ends_with_one_slash() {
        for (given, url, path) in [
            ("https://Example.org", "https://example.org/", "/"),
            ("https://example.org//", "https://example.org/", "/"),
            ("HTTP://a:80/Repo", "http://a:80/Repo/", "/Repo/"),
            ("https://a/b/c/", "https://a/b/c/", "/b/c/"),
        ] {
            let base = BaseUrl::parse(given).unwrap();
            assert_eq!((base.as_str(), base.path()), (url, path));
        }
    }

    #[test]
    fn an_address_that_pages_cannot_be_below_is_refused() {
        for text in ["https://a/?x", "https://a/#x", "https://a/../b", "a.org"] {
            assert!(BaseUrl::parse(text).is_err(), "{text}");
        }
    }
}
