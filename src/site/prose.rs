//! Pages of prose: their titles, their addresses, and how deep their headings are.

use crate::content::ProseFile;
use crate::content::slug::{self, SlugError};
use crate::diagnostic::{Code, Diagnostic, Place};
use crate::markdown::Outline;

use super::{Address, Text};

/// A page of prose, or the prose of the front page.
#[derive(Clone, Debug)]
pub struct ProsePage {
    /// Its page.
    pub address: Address,
    /// Its title.
    pub title: String,
    /// The anchor of the title where it was the text's first heading; else empty.
    pub title_id: String,
    /// Whether the text's first heading is the title, and so left out of the text.
    pub title_in_text: bool,
    /// What the anchors of the text begin with, so that they are none of the page's own.
    pub prefix: &'static str,
    /// How many levels down the headings go, so that they are below the title.
    pub lower: usize,
    /// One sentence about it; empty where none is given.
    pub description: String,
    /// Whether it is published with `--drafts` only.
    pub draft: bool,
    /// The Markdown.
    pub markdown: String,
    /// Its headings, and where it was written.
    pub text: Text,
}

/// Anchors that pages have beside those of their text.
const RESERVED: &[&str] = &["main", "runs"];

impl ProsePage {
    /// Makes a page of a file. `site_title` is the title of the front page; `prefix` is what the
    /// anchors of the text begin with.
    pub(super) fn of(
        file: &ProseFile,
        address: Address,
        site_title: &str,
        prefix: &'static str,
    ) -> Self {
        let front = address == Address::front();
        let outline = Outline::of(&file.body, prefix, RESERVED);
        let first = outline.headings.first();
        let title = if front {
            site_title.to_owned()
        } else {
            file.title
                .clone()
                .or_else(|| first.map(|h| h.text.clone()).filter(|t| !t.is_empty()))
                .unwrap_or_else(|| name(&file.path).to_owned())
        };
        let heads = first.filter(|h| outline.begins && h.level == 1 && h.text == title);
        let rest = outline.headings.get(usize::from(heads.is_some())..);
        let highest = rest.unwrap_or_default().iter().map(|h| h.level).min();
        Self {
            title_id: heads.map(|h| h.id.clone()).unwrap_or_default(),
            prefix,
            title_in_text: heads.is_some(),
            lower: usize::from(highest == Some(1)),
            description: file.description.clone().unwrap_or_default(),
            draft: file.draft,
            markdown: file.body.clone(),
            text: Text {
                source: file.path.clone(),
                outline,
            },
            address,
            title,
        }
    }
}

/// The address of a page of prose, from its path below `content/`: `index.md` is the page of its
/// folder.
pub(super) fn address(path: &str) -> Result<Address, SlugError> {
    let stem = stem(path);
    if stem == "index" {
        return Ok(Address::front());
    }
    let stem = stem.strip_suffix("/index").unwrap_or(stem);
    // A leading `runs/` is dropped from the addresses of runs only.
    let slug = slug::from_path(&format!("runs/{stem}"))?;
    Ok(Address::folder(&slug))
}

/// The address of a page of prose, or why it has none among the problems.
pub(super) fn planned_address(file: &ProseFile, problems: &mut Vec<Diagnostic>) -> Option<Address> {
    match address(&file.path) {
        Ok(address) => Some(address),
        Err(error) => {
            let place = Place::file(&file.shown);
            let problem = Diagnostic::new(Code::BadSlug, place, format!("the name {error}"));
            problems.push(problem.help("rename the file"));
            None
        }
    }
}

fn stem(path: &str) -> &str {
    let end = path.len().saturating_sub(".md".len());
    path.get(..end).unwrap_or(path)
}

fn name(path: &str) -> &str {
    let stem = stem(path);
    stem.rsplit('/').next().unwrap_or(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_where_its_file_is() {
        for (path, shown) in [
            ("index.md", "/"),
            ("method.md", "/method/"),
            ("docs/Set up.MD", "/docs/Set-up/"),
            ("docs/index.md", "/docs/"),
            ("runs/about.md", "/runs/about/"),
        ] {
            assert_eq!(address(path).unwrap().to_string(), shown);
        }
        assert!(address("🚀.md").is_err());
    }

    #[test]
    fn a_title_is_found() {
        let title = |title: Option<&str>, body: &str| {
            let file = ProseFile {
                path: "x/a-b.md".to_owned(),
                title: title.map(str::to_owned),
                body: body.to_owned(),
                ..ProseFile::default()
            };
            let page = ProsePage::of(&file, Address::folder("x/a-b"), "Site", "");
            (page.title, page.title_in_text, page.lower)
        };
        assert_eq!(title(Some("T"), "# H"), ("T".to_owned(), false, 1));
        assert_eq!(title(None, "# H\n\n## I"), ("H".to_owned(), true, 0));
        assert_eq!(title(None, "x\n\n## I"), ("I".to_owned(), false, 0));
        assert_eq!(title(None, "x"), ("a-b".to_owned(), false, 0));
    }
}
