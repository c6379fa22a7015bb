//! The view of a page of prose, and the author's texts on all pages.

use schemars::JsonSchema;
use serde::Serialize;

use super::PageView;
use crate::render::markdown::{self, Destination, Prose, Setting};
use crate::site::{Goal, NOTES_PREFIX, Page, ProsePage, Site, Text};

/// A page of prose.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProseView {
    /// What every page has.
    pub page: PageView,
    /// The title.
    pub title: String,
    /// The anchor of the title; empty for none.
    pub title_id: String,
    /// Marks that the reader must not miss: draft.
    pub marks: Vec<&'static str>,
    /// The text as HTML, escaped.
    pub html: String,
    /// The text as Markdown, without raw HTML.
    pub markdown: String,
}

/// Makes the view of a page of prose.
pub fn prose_view(site: &Site, at: Page, prose: &ProsePage) -> ProseView {
    let text = prose_text(site, at, prose);
    ProseView {
        page: PageView::new(site, at, &prose.title, prose.description.clone()),
        title: prose.title.clone(),
        title_id: prose.title_id.clone(),
        marks: marks(prose),
        html: text.html,
        markdown: text.markdown,
    }
}

/// Marks of a page of prose.
pub(super) fn marks(prose: &ProsePage) -> Vec<&'static str> {
    prose.draft.then_some("Draft").into_iter().collect()
}

/// A page of prose in both forms.
pub(super) fn prose_text(site: &Site, at: Page, prose: &ProsePage) -> Prose {
    let setting = Setting {
        outline: &prose.text.outline,
        lower: prose.lower,
        without_title: prose.title_in_text,
        prefix: prose.prefix,
    };
    shown(site, at, &prose.text, &prose.markdown, &setting)
}

/// The author's notes on a run in both forms.
pub(super) fn notes(site: &Site, at: Page, text: &Text, markdown: &str) -> Prose {
    let setting = Setting {
        outline: &text.outline,
        lower: 2,
        without_title: false,
        prefix: NOTES_PREFIX,
    };
    shown(site, at, text, markdown, &setting)
}

fn shown(site: &Site, at: Page, text: &Text, markdown: &str, setting: &Setting) -> Prose {
    markdown::prose(markdown, setting, &|target| {
        destination(site, at, text, target)
    })
}

fn destination(site: &Site, at: Page, text: &Text, target: &str) -> Destination {
    let links = site.facts.links_from(&site.address(at));
    match site.goal(at, text, target) {
        Goal::Elsewhere => Destination::AsWritten,
        Goal::Dead(_) => Destination::Nowhere,
        Goal::File(path) => {
            let link = links.path(&path);
            Destination::Site {
                html: link.clone(),
                markdown: Some(link),
                picture: is_picture(&path),
            }
        }
        Goal::Page {
            page,
            query,
            id,
            slug,
        } => {
            let address = site.address(page);
            let own = page == at && query.is_empty();
            let with = |link: String, anchor: Option<&String>| match anchor {
                Some(anchor) if own => format!("#{}", anchored(anchor)),
                Some(anchor) => format!("{link}#{}", anchored(anchor)),
                None => link,
            };
            let html = with(format!("{}{query}", links.page(&address)), id.as_ref());
            // A twin has the headings of the text, but not the other anchors of the page.
            let markdown = match (id, slug) {
                (Some(_), None) if page == at => None,
                (_, slug) => Some(with(links.twin(&address), slug.as_ref())),
            };
            Destination::Site {
                html,
                markdown: markdown.filter(|_| site.facts.outputs.markdown),
                picture: false,
            }
        }
    }
}

/// An anchor as it stands in a link.
fn anchored(anchor: &str) -> String {
    crate::site::address::percent_encode(anchor)
}

/// Whether browsers show a file as a picture.
fn is_picture(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    [".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".svg"]
        .iter()
        .any(|ending| lower.ends_with(ending))
}
