//! The view of the front page: all runs.

use schemars::JsonSchema;
use serde::Serialize;

use super::facts::show;
use super::table::{ABSENT, Cell, Column, Table};
use super::{PageView, counted, front_page};
use crate::run::Fact;
use crate::site::{Address, RunPage, Site};

/// The front page.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct IndexView {
    /// What every page has.
    pub page: PageView,
    /// The site's name.
    pub title: String,
    /// What it is about.
    pub description: String,
    /// "6 runs"; empty where there is none.
    pub count: String,
    /// The runs, newest first; nothing where there is none.
    pub runs: Option<Table>,
}

/// Makes the view of the front page.
pub fn index_view(site: &Site) -> IndexView {
    IndexView {
        page: front_page(site),
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
    let mut table = Table {
        caption: "All runs, newest first.".to_owned(),
        columns: vec![
            Column::text("Run"),
            Column::text("Engine"),
            Column::text("Quantization"),
            Column::number("One request alone"),
            Column::number("Highest total"),
            Column::number("Most at 20 tok/s each"),
            Column::number("Fastest prefill"),
            Column::text("Measured"),
        ],
        rows: site.runs.iter().map(row).collect(),
    };
    table.drop_empty_columns(1);
    Some(table)
}

fn row(page: &RunPage) -> Vec<Cell> {
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
        Cell::link(run.title(), Address::front().link_to(&page.address, "")),
        Cell::text(engine(page)),
        fact(Fact::Quantization),
        key("one_request"),
        key("highest_total"),
        key("most_at_20"),
        key("fastest_prefill"),
        fact(Fact::MeasuredAt),
    ]
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
