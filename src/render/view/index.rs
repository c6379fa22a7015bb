//! The view of the front page: all runs.

use schemars::JsonSchema;
use serde::Serialize;

use super::facts::show;
use super::prose::{marks, prose_text};
use super::table::{ABSENT, Cell, Column, Row, Table};
use super::{PageView, counted};
use crate::run::Fact;
use crate::site::{Address, Links, Page, RunPage, Site};

/// The front page.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct IndexView {
    /// What every page has.
    pub page: PageView,
    /// The site's name.
    pub title: String,
    /// What it is about.
    pub description: String,
    /// Marks that the reader must not miss: draft.
    pub marks: Vec<&'static str>,
    /// The prose of the page as HTML, escaped; empty for none.
    pub prose_html: String,
    /// The prose of the page as Markdown, without raw HTML; empty for none.
    pub prose_markdown: String,
    /// "6 runs"; empty where there is none.
    pub count: String,
    /// The runs, newest first; nothing where there is none.
    pub runs: Option<Table>,
}

/// Makes the view of the front page.
pub fn index_view(site: &Site) -> IndexView {
    let front = site.front.as_ref();
    let prose = front.map(|front| prose_text(site, Page::Front, front));
    let prose = prose.unwrap_or_default();
    let description = match front.map(|front| front.description.as_str()) {
        None | Some("") => site.facts.description.clone(),
        Some(description) => description.to_owned(),
    };
    IndexView {
        page: PageView::new(site, Page::Front, &site.facts.title, description),
        marks: front.map(marks).unwrap_or_default(),
        prose_html: prose.html,
        prose_markdown: prose.markdown,
        title: site.facts.title.clone(),
        description: site.facts.description.clone(),
        count: match site.runs.len() {
            0 => String::new(),
            n => counted(n, "run", "runs"),
        },
        runs: runs_table(site),
    }
}

fn runs_table(site: &Site) -> Option<Table> {
    if site.runs.is_empty() {
        return None;
    }
    let links = site.facts.links_from(&Address::front());
    let mut table = Table {
        caption: "All runs, newest first.".to_owned(),
        columns: columns(),
        rows: site.runs.iter().map(|run| row(run, &links)).collect(),
        ..Table::default()
    };
    table.drop_empty_columns(1);
    Some(table)
}

/// The columns of a list of runs.
pub(super) fn columns() -> Vec<Column> {
    vec![
        Column::text("Run"),
        Column::text("Engine"),
        Column::text("Quantization"),
        Column::number("One request alone"),
        Column::number("Highest total"),
        Column::number("Most at 20 tok/s each"),
        Column::number("Fastest prefill"),
        Column::text("Measured"),
    ]
}

/// A row of a list of runs.
pub(super) fn row(page: &RunPage, links: &Links) -> Row {
    let run = &page.run;
    let fact = |fact| Cell::text(show(&run.facts, fact).unwrap_or_else(|| ABSENT.to_owned()));
    let key = |id: &str| {
        let figure = page.derived.key_figures.iter().find(|k| k.id == id);
        figure.map_or_else(
            || Cell::text(ABSENT),
            |k| Cell::text(&k.value).note(&k.words),
        )
    };
    vec![
        Cell::page(run.title(), links, &page.address),
        Cell::text(engine(page)),
        fact(Fact::Quantization),
        key("one_request"),
        key("highest_total"),
        key("most_at_20"),
        key("fastest_prefill"),
        fact(Fact::MeasuredAt),
    ]
    .into()
}

fn engine(page: &RunPage) -> String {
    let words: Vec<&str> = [Fact::EngineName, Fact::EngineVersion]
        .iter()
        .filter_map(|fact| page.run.facts.text(*fact))
        .collect();
    if words.is_empty() {
        ABSENT.to_owned()
    } else {
        words.join(" ")
    }
}
