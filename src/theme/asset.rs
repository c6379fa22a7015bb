//! An asset: a file of a theme under a name that changes with its content, so that a server may
//! let browsers keep it for good.

use sha2::{Digest, Sha256};

/// A file that pages ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asset {
    /// Its path below the output folder: `style.3f2a91c04d.css`.
    pub path: String,
    /// What stands in it.
    pub bytes: Vec<u8>,
}

/// Names that browsers ask for by themselves stay as they are.
const FIXED: &[&str] = &["favicon.svg", "favicon.ico", "apple-touch-icon.png"];

/// How many hexadecimal digits of the SHA-256 stand in a name.
const DIGITS: usize = 10;

impl Asset {
    /// The asset of a path below `static/`.
    pub fn new(path: &str, bytes: Vec<u8>) -> Self {
        let path = if FIXED.contains(&path) {
            path.to_owned()
        } else {
            with_hash(path, &bytes)
        };
        Self { path, bytes }
    }
}

/// The first digits of the SHA-256 of a content: another content has others.
pub(crate) fn digits(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .filter_map(|digit| char::from_digit(digit.into(), 16))
        .take(DIGITS)
        .collect()
}

fn with_hash(path: &str, bytes: &[u8]) -> String {
    let hash = digits(bytes);
    let (folder, name) = match path.rsplit_once('/') {
        Some((folder, name)) => (format!("{folder}/"), name),
        None => (String::new(), path),
    };
    match name.rsplit_once('.') {
        Some((stem, ending)) => format!("{folder}{stem}.{hash}.{ending}"),
        None => format!("{folder}{name}.{hash}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_follows_the_content() {
        let path = |path: &str, bytes: &[u8]| Asset::new(path, bytes.to_vec()).path;
        // The first digits of the SHA-256 of "abc".
        assert_eq!(path("style.css", b"abc"), "style.ba7816bf8f.css");
        assert_eq!(path("js/app.min.js", b"abc"), "js/app.min.ba7816bf8f.js");
        assert_eq!(path("v1.2/LICENSE", b"abc"), "v1.2/LICENSE.ba7816bf8f");
        assert_ne!(path("style.css", b"abd"), path("style.css", b"abc"));
        assert_eq!(path("favicon.svg", b"abc"), "favicon.svg");
    }
}
