//! Pages of prose: Markdown files that belong to no run.

use crate::diagnostic::{Diagnostic, Place};
use crate::toml_keys::{Key, Shape};
use crate::toml_table::{self, Table};

use super::front_matter::MarkdownFile;
use super::sidecar;

/// A page of prose as its file has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProseFile {
    /// Its path below `content/`.
    pub path: String,
    /// The file as the user knows it.
    pub shown: String,
    /// Its title, where one is given.
    pub title: Option<String>,
    /// One sentence about it, for search engines and link previews.
    pub description: Option<String>,
    /// Other addresses that lead to it, from slash to slash (or to a file's name).
    pub aliases: Vec<(String, Place)>,
    /// Whether it is published with `--drafts` only.
    pub draft: bool,
    /// The Markdown.
    pub body: String,
    /// The line of the file in which the Markdown begins.
    pub body_line: usize,
}

/// The keys of a page of prose.
pub fn prose_keys() -> Vec<Key> {
    vec![
        Key::new(
            "title",
            Shape::Text,
            "The page's title; its first heading where it is not given, else the file's name.",
        ),
        Key::new(
            "description",
            Shape::Text,
            "One sentence about the page, for search engines and link previews.",
        ),
        Key::new(
            "aliases",
            Shape::Texts,
            "Other addresses that lead to the page, as [\"/old/place/\"].",
        ),
        Key::new(
            "draft",
            Shape::Switch,
            "Whether the page is published with `--drafts` only (default: false).",
        ),
    ]
}

impl ProseFile {
    /// Reads a page of prose: what is right in it, and all problems.
    pub fn read(path: &str, file: &MarkdownFile) -> (Self, Vec<Diagnostic>) {
        let (table, mut problems) = match file.front_matter() {
            Some(text) => toml_table::read(&text, &prose_keys()),
            None => Default::default(),
        };
        let prose = Self::of_table(path, file, &table, &mut problems);
        (prose, problems)
    }

    /// Takes the keys of [`prose_keys`] from a file's front matter.
    pub(super) fn of_table(
        path: &str,
        file: &MarkdownFile,
        table: &Table,
        problems: &mut Vec<Diagnostic>,
    ) -> Self {
        let text = |name| table.text(name).map(|(text, _)| text.to_owned());
        Self {
            path: path.to_owned(),
            shown: file.path.clone(),
            title: text("title"),
            description: text("description"),
            aliases: sidecar::aliases(table, problems).unwrap_or_default(),
            draft: table.switch("draft").unwrap_or_default(),
            body: file.body().to_owned(),
            body_line: file.body_line(),
        }
    }
}
