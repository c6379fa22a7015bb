//! Typed views: what a template gets, with every figure already formatted. Templates do no
//! arithmetic and no look-ups; whatever they need is a field here.

pub mod facts;
pub mod fields;
pub mod index;
pub mod matrix;
pub mod run;
pub mod table;

use schemars::JsonSchema;
use serde::Serialize;

use crate::render::feed::{self, has_feed};
use crate::render::links::absolute;
use crate::render::site_files::FAVICON;
use crate::site::{Address, Site};

/// What every page has.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PageView {
    /// The site's name.
    pub site_title: String,
    /// The page's title, without the site's name.
    pub title: String,
    /// One sentence for search engines and link previews.
    pub description: String,
    /// Relative way to the root of the site; empty, or ending in a slash.
    pub root: String,
    /// Relative link to the front page.
    pub home: String,
    /// Relative link to the Markdown twin, if there is one.
    pub markdown: Option<String>,
    /// Relative link to the page as data, if there is one.
    pub json: Option<String>,
    /// The page's absolute address, where the site's is known.
    pub canonical: Option<String>,
    /// Relative link to the feed, if there is one.
    pub feed: Option<String>,
    /// Relative link to the site's icon.
    pub icon: String,
}

impl PageView {
    fn new(site: &Site, address: &Address, title: &str, description: String) -> Self {
        let facts = &site.facts;
        let front = Address::front();
        Self {
            site_title: facts.title.clone(),
            title: title.to_owned(),
            description,
            root: address.to_root(),
            home: address.link_to(&front, ""),
            markdown: facts.outputs.markdown.then(|| "index.md".to_owned()),
            json: None,
            canonical: facts
                .base_url
                .as_ref()
                .map(|base| absolute(base, address, "")),
            feed: has_feed(site).then(|| address.link_to(&front, feed::FILE)),
            icon: address.link_to(&front, FAVICON),
        }
    }
}

/// "1 run", "3 runs".
pub(crate) fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// The page's frame for the front page.
fn front_page(site: &Site) -> PageView {
    let facts = &site.facts;
    PageView::new(
        site,
        &Address::front(),
        &facts.title,
        facts.description.clone(),
    )
}
