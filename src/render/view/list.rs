//! The view of a page of older runs.

use schemars::JsonSchema;
use serde::Serialize;

use super::index::{PageLink, Pager, ThumbnailLegend, runs_table};
use super::table::Table;
use super::{PageView, page_title};
use crate::site::{PER_PAGE, Page, Site};

/// A page of older runs. Nothing on it says how many runs there are in all, so that it stays the
/// same when runs are added.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ListView {
    /// What every page has.
    pub page: PageView,
    /// The title.
    pub title: String,
    /// Which runs these are.
    pub summary: String,
    /// The runs, newest first.
    pub runs: Option<Table>,
    /// How the pictures of the matrices are read; nothing where there is none.
    pub legend: Option<ThumbnailLegend>,
    /// The pages beside it.
    pub pager: Pager,
}

/// Makes the view of a page of older runs.
pub fn list_view(site: &Site, number: usize) -> ListView {
    let at = Page::List(number);
    let links = site.facts.links_from(&site.address(at));
    let title = page_title(site, at);
    let runs = site.runs.get(site.listed(number)).unwrap_or_default();
    let end = number * PER_PAGE;
    let summary = format!(
        "Runs {} to {end}, counted from the oldest.",
        (end + 1).saturating_sub(PER_PAGE)
    );
    let caption = "Older runs, newest first.".to_owned();
    let (table, legend) = runs_table(site, caption, runs.iter(), &links);
    let newer = PageLink::new(site, &links, site.newer(number), "Newer runs");
    let older = number.checked_sub(1).filter(|older| *older > 0);
    ListView {
        page: PageView::new(site, at, &title, summary.clone()),
        title,
        summary,
        runs: table,
        legend,
        pager: Pager {
            newer: Some(newer),
            older: older.map(|n| PageLink::new(site, &links, Page::List(n), "Older runs")),
            pages: Vec::new(),
        },
    }
}
