//! Typed views: what a template gets, with every figure already formatted. Templates do no
//! arithmetic and no look-ups; whatever they need is a field here.

pub mod charts;
pub mod compare;
pub mod dataset;
pub mod facts;
pub mod fields;
mod grid;
pub mod index;
pub mod kinds;
pub mod list;
pub mod matrix;
mod measurements;
pub mod not_found;
pub mod prose;
pub mod redirect;
pub mod run;
pub mod scale;
pub mod serving;
pub mod table;
pub mod thumbnail;

use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::markdown::{has_scheme, safe_link};
use crate::render::feed::{self, has_feed};
use crate::render::links::absolute;
use crate::render::site_files::FAVICON;

use crate::site::{Address, Kind, Page, Site};

/// What every page has.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PageView {
    /// The site's name.
    pub site_title: String,
    /// The page's title, without the site's name.
    pub title: String,
    /// One sentence for search engines and link previews.
    pub description: String,
    /// Way to the root of the site; empty, or ending in a slash.
    pub root: String,
    /// Link to the front page.
    pub home: String,
    /// Link to the Markdown twin, if there is one.
    pub markdown: Option<String>,
    /// Relative link to the page as data, if there is one.
    pub json: Option<String>,
    /// The page's absolute address, where the site's is known.
    pub canonical: Option<String>,
    /// What it is for link previews: `article` for a run, else `website`.
    pub kind: &'static str,
    /// What it is for search engines.
    pub json_ld: Option<JsonLd>,
    /// Where the site's sources are; empty where that is not said.
    pub repository: String,
    /// Relative link to the feed, if there is one.
    pub feed: Option<String>,
    /// Relative link to the site's icon.
    pub icon: String,
    /// The parts of the site.
    pub nav: Vec<NavLink>,
}

/// A document of schema.org.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct JsonLd {
    /// The document, safe within a script element.
    pub text: String,
    /// Its hash, by which the page's policy knows it: `sha256-…`.
    pub hash: String,
}

impl JsonLd {
    /// A document: no `<` may stand in the text.
    fn new(text: String) -> Self {
        let digest = Sha256::digest(text.as_bytes());
        Self {
            hash: format!("sha256-{}", data_encoding::BASE64.encode(&digest)),
            text,
        }
    }
}

/// A link of the navigation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NavLink {
    /// The title of the page.
    pub label: String,
    /// The link to it.
    pub link: String,
    /// The link to its Markdown twin.
    pub twin: String,
    /// Whether it is this page.
    pub current: bool,
}

impl PageView {
    fn new(site: &Site, at: Page, title: &str, description: String) -> Self {
        let facts = &site.facts;
        let links = match at {
            Page::NotFound => facts.links_from_anywhere(),
            _ => facts.links_from(&site.address(at)),
        };
        let address = site.address(at);
        let nav = navigation(site).into_iter().map(|page| NavLink {
            label: match page {
                Page::Front => "Runs".to_owned(),
                page => page_title(site, page),
            },
            link: links.page(&site.address(page)),
            twin: links.twin(&site.address(page)),
            current: page == at,
        });
        Self {
            site_title: facts.title.clone(),
            title: title.to_owned(),
            description,
            root: links.root().to_owned(),
            home: links.page(&Address::front()),
            markdown: facts.outputs.markdown.then(|| "index.md".to_owned()),
            nav: nav.collect(),
            json: None,
            kind: "website",
            json_ld: None,
            repository: match safe_link(&facts.repository) && has_scheme(&facts.repository) {
                true => facts.repository.clone(),
                false => String::new(),
            },
            canonical: match at {
                Page::NotFound => None,
                _ => facts
                    .base_url
                    .as_ref()
                    .map(|base| absolute(base, &address, "")),
            },
            feed: has_feed(site).then(|| links.path(feed::FILE)),
            icon: links.path(FAVICON),
        }
    }
}

/// The pages of the navigation: runs, lists, and prose that is in no folder.
fn navigation(site: &Site) -> Vec<Page> {
    let in_no_folder = |at: &usize| {
        let prose = site.prose.get(*at);
        prose.is_some_and(|prose| !prose.address.path().contains('/'))
    };
    std::iter::once(Page::Front)
        .chain(Kind::ALL.iter().copied().map(Page::Kinds))
        .chain((!site.comparisons.is_empty()).then_some(Page::Comparisons))
        .chain((0..site.prose.len()).filter(in_no_folder).map(Page::Prose))
        .collect()
}

/// The title of a page, without the site's name.
pub(crate) fn page_title(site: &Site, page: Page) -> String {
    let title = match page {
        Page::Front | Page::Redirect(_) | Page::NotFound => None,
        Page::Run(at) => site.runs.get(at).map(|page| page.run.title()),
        Page::Prose(at) => site.prose.get(at).map(|page| page.title.as_str()),
        Page::Kinds(kind) => Some(kind.title()),
        Page::Comparisons => Some("Compare"),
        Page::Comparison(at) => site.comparisons.get(at).map(|page| page.title.as_str()),
        Page::List(page) => return format!("Older runs, page {page}"),
    };
    title.unwrap_or(&site.facts.title).to_owned()
}

/// "1 run", "3 runs".
pub(crate) fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
