//! Bytes of the user's own files → text.

use crate::diagnostic::{Code, Diagnostic, Place};

/// The text of a file that was written by hand: UTF-8, without a byte order mark, lines ended by
/// `\n` alone, so that a checkout with other line ends builds the same site. Lines and columns
/// stay where they were.
///
/// # Errors
/// The first line that is not UTF-8.
pub fn decode(path: &str, bytes: &[u8]) -> Result<String, Diagnostic> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let line = valid.iter().filter(|b| **b == b'\n').count() + 1;
        Diagnostic::new(
            Code::Unreadable,
            Place::line(path, line),
            "is not UTF-8 text",
        )
        .help("save the file as UTF-8")
    })?;
    Ok(text
        .strip_prefix('\u{feff}')
        .unwrap_or(text)
        .replace("\r\n", "\n"))
}
