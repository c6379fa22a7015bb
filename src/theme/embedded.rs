//! The default theme, compiled in: the files of `themes/default`, listed by `build.rs`.

use super::NamedText;

/// Path below the theme's folder, and bytes.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/default_theme.rs"));

/// Its templates.
pub(super) fn templates() -> Vec<NamedText> {
    FILES
        .iter()
        .filter_map(|(path, bytes)| {
            let name = path.strip_prefix("templates/")?;
            Some((
                name.to_owned(),
                format!("themes/default/{path} (compiled in)"),
                String::from_utf8_lossy(bytes).replace("\r\n", "\n"),
            ))
        })
        .collect()
}

/// Its static files, by their path below `static/`.
pub(super) fn assets() -> Vec<(String, Vec<u8>)> {
    FILES
        .iter()
        .filter_map(|(path, bytes)| {
            let name = path.strip_prefix("static/")?;
            Some((name.to_owned(), bytes.to_vec()))
        })
        .collect()
}
