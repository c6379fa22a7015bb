//! The Markdown twin of a run page, read again as a report text, gives the same shown facts and
//! figures.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs
)]

mod support;

use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;
use speedbook::diagnostic::Diagnostic;
use speedbook::import::{Outcome, import};
use speedbook::render::view::facts::show;
use speedbook::render::{Templates, render};
use speedbook::run::figure::parse_figure;
use speedbook::run::{Fact, Facts, Metric, Phase, Run};
use speedbook::site::{Page, Site, SiteFacts};

/// The twin of a run's page.
fn twin(run: &Run, templates: &Templates) -> String {
    let site = Site::new(SiteFacts::default(), vec![run.clone()]);
    let files = render(&site, Page::Run(0), templates).unwrap();
    let file = files
        .into_iter()
        .find(|f| f.path.ends_with("index.md"))
        .unwrap();
    String::from_utf8(file.bytes).unwrap()
}

fn read(text: &str) -> Result<(Run, Vec<Diagnostic>), Vec<Diagnostic>> {
    match import("twin.txt", text.as_bytes())? {
        Outcome::Run(imported) => Ok((imported.run, imported.warnings)),
        Outcome::LeftAlone(why) => Err(vec![why]),
    }
}

/// What the page shows of a measurement: its status, and each figure as it is written.
type Shown = BTreeMap<(Phase, String, u64), (String, BTreeMap<Metric, String>)>;

fn shown(run: &Run) -> Shown {
    let mut cells = Shown::new();
    for phase in Phase::ALL {
        for m in run.phase(*phase) {
            let figures = m
                .figures
                .iter()
                .map(|(metric, figure)| (metric, metric.show(figure)));
            let status = match &m.reason {
                Some(reason) => format!("{}: {reason}", m.status_label()),
                None => m.status_label().to_owned(),
            };
            cells.insert(
                (*phase, m.context.label.clone(), m.concurrency),
                (status, figures.collect()),
            );
        }
    }
    cells
}

/// The facts that a run page shows.
fn shown_facts(facts: &Facts) -> BTreeMap<Fact, String> {
    Fact::ALL
        .iter()
        .filter(|fact| !matches!(fact, Fact::Timezone))
        .filter_map(|fact| Some((*fact, show(facts, *fact)?)))
        .collect()
}

fn same(run: &Run, templates: &Templates) -> Result<(), TestCaseError> {
    let text = twin(run, templates);
    let (again, warnings) = match read(&text) {
        Ok(read) => read,
        Err(problems) => {
            let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
            return Err(TestCaseError::fail(format!(
                "{}\n{text}",
                problems.join("\n")
            )));
        }
    };
    let unexpected: Vec<String> = warnings
        .iter()
        .filter(|w| w.code.id() != "W0207")
        .map(ToString::to_string)
        .collect();
    prop_assert!(unexpected.is_empty(), "{}\n{text}", unexpected.join("\n"));
    let (wanted, found) = (shown(run), shown(&again));
    prop_assert_eq!(&wanted, &found, "{}", text);
    // The steps that were shown are the steps that were read.
    for phase in Phase::ALL {
        for m in again.phase(*phase) {
            for (metric, figure) in m.figures.iter() {
                if !metric.info().count {
                    let shown = parse_figure(&metric.show(figure));
                    prop_assert!(shown.is_ok(), "{metric:?} {figure:?}");
                }
            }
        }
    }
    prop_assert_eq!(
        shown_facts(&run.facts),
        shown_facts(&again.facts),
        "{}",
        text
    );
    prop_assert_eq!(&run.tags, &again.tags, "{}", text);
    prop_assert_eq!(
        (run.complete, run.ranked),
        (again.complete, again.ranked),
        "{}",
        text
    );
    // A note stands there once, as words: what is Markdown in it is not told apart.
    let words = |notes: &[String]| -> Vec<String> {
        let plain = |c: &char| !matches!(c, '*' | '\\') && !c.is_whitespace();
        notes
            .iter()
            .map(|note| note.chars().filter(plain).collect())
            .collect()
    };
    prop_assert_eq!(words(&run.notes), words(&again.notes), "{}", text);
    Ok(())
}

#[test]
fn the_twins_of_the_demo_read_back() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = speedbook::config::load(root).unwrap();
    let content = speedbook::content::load(root, &config, &|_, _| {}).unwrap();
    let templates = Templates::default_theme().unwrap();
    assert!(content.runs.len() >= 6);
    for loaded in &content.runs {
        if let Err(error) = same(&loaded.run, &templates) {
            panic!("{}: {error}", loaded.run.slug);
        }
    }
}

#[test]
fn the_twins_of_run_files_read_back() {
    let templates = Templates::default_theme().unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/runs");
    let mut read_back = 0;
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if let Ok(Outcome::Run(imported)) = import(&name, &fs_err::read(&path).unwrap()) {
            let mut run = imported.run;
            run.slug = "x".to_owned();
            run.facts.set_text(Fact::Title, "A run");
            if let Err(error) = same(&run, &templates) {
                panic!("{name}: {error}");
            }
            read_back += 1;
        }
    }
    assert!(read_back >= 5, "{read_back}");
}

#[test]
fn the_twins_of_random_runs_read_back() {
    let templates = Templates::default_theme().unwrap();
    let marked = (support::plain_run(), any::<bool>(), any::<bool>());
    support::check(10_000, marked, |(mut run, complete, ranked)| {
        (run.complete, run.ranked) = (complete, ranked);
        same(&run, &templates)
    });
}
