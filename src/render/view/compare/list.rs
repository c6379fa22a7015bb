//! The view of the list of comparisons.

use schemars::JsonSchema;
use serde::Serialize;

use crate::compare::Verdict;
use crate::render::view::table::{Cell, Column, Table};
use crate::render::view::{PageView, counted, page_title};
use crate::site::{ComparisonPage, Links, Page, Site};

/// All comparisons.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ComparisonsView {
    /// What every page has.
    pub page: PageView,
    /// The title.
    pub title: String,
    /// "3 comparisons"
    pub count: String,
    /// Those that someone wrote; nothing where there is none.
    pub written: Option<Table>,
    /// Written comparisons of just two runs, for scripts.
    pub written_pairs: Vec<WrittenPair>,
    /// Each run with its nearest others; nothing where there is none.
    pub nearest: Option<Table>,
    /// How the others were chosen, in a sentence.
    pub nearest_sentence: String,
    /// The link to the list as data; empty for none.
    pub data: String,
}

/// A written comparison of two runs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WrittenPair {
    /// Their slugs with a comma between them.
    pub runs: String,
    /// The page.
    pub page: Cell,
}

/// Makes the view of the list of comparisons.
pub fn comparisons_view(site: &Site) -> ComparisonsView {
    let at = Page::Comparisons;
    let links = site.facts.links_from(&site.address(at));
    let title = page_title(site, at);
    let count = counted(site.comparisons.len(), "comparison", "comparisons");
    let (written, nearest): (Vec<&ComparisonPage>, Vec<&ComparisonPage>) = site
        .comparisons
        .iter()
        .partition(|page| page.written.is_some());
    ComparisonsView {
        page: PageView::new(site, at, &title, format!("Runs side by side: {count}.")),
        written: table(site, &links, &written, "Comparisons with a text."),
        written_pairs: written
            .iter()
            .filter(|page| page.runs.len() == 2)
            .map(|page| {
                let runs = page.runs.iter().filter_map(|at| site.runs.get(*at));
                let slugs: Vec<&str> = runs.map(|page| page.run.slug.as_str()).collect();
                WrittenPair {
                    runs: slugs.join(","),
                    page: Cell::page(&page.title, &links, &page.address),
                }
            })
            .collect(),
        nearest: table(
            site,
            &links,
            &nearest,
            "Each run with the runs most like it.",
        ),
        nearest_sentence: format!(
            "Each run is compared with the {} that differ from it in the fewest things, of those the nearest in time.",
            counted(site.facts.nearest, "other run", "other runs")
        ),
        data: match site.facts.outputs.json {
            true => "index.json".to_owned(),
            false => String::new(),
        },
        title,
        count,
    }
}

fn table(site: &Site, links: &Links, pages: &[&ComparisonPage], caption: &str) -> Option<Table> {
    let row = |page: &&ComparisonPage| {
        let runs = page.runs.iter().filter_map(|at| site.runs.get(*at));
        let names: Vec<&str> = runs.map(|page| page.run.title()).collect();
        vec![
            Cell::page(&page.title, links, &page.address).note(names.join(" · ")),
            Cell::text(verdict(page.verdict)),
        ]
        .into()
    };
    (!pages.is_empty()).then(|| Table {
        caption: caption.to_owned(),
        columns: vec![Column::text("Comparison"), Column::text("Like for like?")],
        rows: pages.iter().map(row).collect(),
        ..Table::default()
    })
}

/// The verdict of a comparison in a list.
fn verdict(key: &str) -> &'static str {
    let known = [
        (Verdict::LikeForLike, "like for like"),
        (Verdict::OneThing, "differs in one thing"),
        (Verdict::FewThings, "differs in a few things"),
        (Verdict::NotControlled, "not a controlled comparison"),
    ];
    let found = known.iter().find(|(verdict, _)| verdict.key() == key);
    found.map_or("", |(_, words)| words)
}
