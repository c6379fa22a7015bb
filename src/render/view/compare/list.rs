//! The view of the list of comparisons.

use schemars::JsonSchema;
use serde::Serialize;

use crate::compare::Verdict;
use crate::compare::words::ratio;
use crate::render::view::table::{ABSENT, Cell, Column, Table};
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
    /// What changes of one thing do; nothing where no two setups differ in one thing only.
    pub changes: Option<Table>,
    /// What the table of changes shows, in a sentence or two.
    pub changes_sentence: String,
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
        changes: changes(site, &links),
        changes_sentence: changes_sentence(site),
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

fn changes_sentence(site: &Site) -> String {
    let mut text = "Setups that differ in one thing only, by what changes: the geometric mean of total tok/s after ÷ before, each pair of setups counting once. Setups measured several times count with their medians.".to_owned();
    if site.changes_not_listed > 0 {
        text.push_str(&format!(
            " Up to {} further pairs are not listed.",
            site.changes_not_listed
        ));
    }
    text
}

/// What each change does, with links to the pages of its pairs; each row is a pair.
fn changes(site: &Site, links: &Links) -> Option<Table> {
    let times = |value: f64| format!("×{}", ratio(value));
    let mut rows = Vec::new();
    for change in &site.changes {
        let all = change.effect.map_or_else(
            || Cell::text(ABSENT),
            |effect| {
                let range = match effect.pairs {
                    1 => String::new(),
                    _ => format!(", {} to {}", times(effect.smallest), times(effect.largest)),
                };
                let pairs = counted(effect.pairs, "pair", "pairs");
                Cell::text(times(effect.mean)).note(format!("{pairs}{range}"))
            },
        );
        for pair in &change.pairs {
            let title = |run: usize| site.runs.get(run).map_or("", |page| page.run.title());
            let words = format!("{} → {}", title(pair.from), title(pair.to));
            let page = pair.page.and_then(|at| site.comparisons.get(at));
            let this = pair.effect.means.map_or_else(
                || Cell::text(ABSENT),
                |means| {
                    let cells = counted(pair.effect.n, "cell", "cells");
                    Cell::text(times(means.geometric_mean)).note(cells)
                },
            );
            let row = vec![
                Cell::text(&change.words),
                all.clone(),
                this,
                page.map_or_else(
                    || Cell::text(&words),
                    |page| Cell::page(&words, links, &page.address),
                ),
            ];
            rows.push(row.into());
        }
    }
    (!rows.is_empty()).then(|| Table {
        caption: "What changes of one thing do to total tok/s.".to_owned(),
        columns: vec![
            Column::text("Change"),
            Column::number("All pairs"),
            Column::number("This pair"),
            Column::text("Setups, before → after"),
        ],
        rows,
        ..Table::default()
    })
}

fn table(site: &Site, links: &Links, pages: &[&ComparisonPage], caption: &str) -> Option<Table> {
    let row = |page: &&ComparisonPage| {
        let runs = page.runs.iter().filter_map(|at| site.runs.get(*at));
        let names: Vec<&str> = runs.map(|page| page.run.title()).collect();
        vec![
            Cell::page(&page.title, links, &page.address).note(names.join(" · ")),
            Cell::text(match page.runs.len() {
                2 => verdict(page.verdict),
                // Each pair has a verdict of its own, on the page.
                _ => "several runs",
            }),
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
