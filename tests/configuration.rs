//! docs/configuration.md names every key that there is, and no other.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

use std::fmt::Write as _;

use speedbook::content::sidecar;
use speedbook::toml_keys::{Key, paths};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/configuration.md");

/// The table of a list of keys as it must stand in the document.
fn table(keys: &[Key]) -> String {
    let mut out = String::from("| Key | Value | |\n|---|---|---|\n");
    for (path, key) in paths(keys) {
        let (value, text) = (key.shape.words(), key.description);
        assert!(text.ends_with('.') && !text.contains(['|', '\n']), "{path}");
        writeln!(out, "| `{path}` | {value} | {text} |").unwrap();
    }
    out
}

/// With `UPDATE_DOCS=1` in the environment the document is written anew.
#[test]
fn the_document_names_every_key() {
    let document = fs_err::read_to_string(FILE).unwrap().replace("\r\n", "\n");
    let mut expected = document.clone();
    for (name, keys) in [
        ("site", speedbook::config::keys()),
        ("sidecar", sidecar::sidecar_keys()),
        ("prose", speedbook::content::prose::prose_keys()),
        (
            "comparison",
            speedbook::content::comparison::comparison_keys(),
        ),
    ] {
        let begin = format!("<!-- keys: {name} -->\n");
        let from = expected.find(&begin).expect("the marks are there") + begin.len();
        let rest = expected.get(from..).unwrap();
        let to = from + rest.find("<!-- end -->").unwrap();
        expected.replace_range(from..to, &format!("\n{}\n", table(&keys)));
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs_err::write(FILE, &expected).unwrap();
        return;
    }
    assert!(
        document == expected,
        "docs/configuration.md is not current; run UPDATE_DOCS=1 cargo test --test configuration"
    );
}

/// The document names the keys of `_index.md` by what a sidecar has more.
#[test]
fn folder_defaults_lack_just_the_keys_that_the_document_names() {
    let defaults = sidecar::defaults_keys();
    let below = paths(defaults[0].shape.keys());
    let missing: Vec<String> = paths(&sidecar::sidecar_keys())
        .into_iter()
        .map(|(path, _)| path)
        .filter(|path| !below.iter().any(|(other, _)| other == path))
        .collect();
    assert_eq!(missing, ["slug", "aliases", "draft", "ranked"]);
    assert_eq!(
        below.len() + missing.len(),
        paths(&sidecar::sidecar_keys()).len()
    );
}
