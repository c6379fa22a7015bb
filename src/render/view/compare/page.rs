//! The view of a page that compares runs: the author's text, where there is one, then each run
//! against the first.

use schemars::JsonSchema;
use serde::Serialize;

use super::delta::DeltaScale;
use super::{PairView, SideView, pair_view};
use crate::compare::Comparison;
use crate::render::view::facts::show;
use crate::render::view::prose::{self, prose_text};
use crate::render::view::run::setup;
use crate::render::view::serving::serving_view;
use crate::render::view::table::{Cell, Table};
use crate::render::view::{PageView, charts, counted};
use crate::run::Fact;
use crate::site::{ComparisonPage, Links, Page, RunPage, Site};

/// A page that compares runs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ComparisonView {
    /// What every page has.
    pub page: PageView,
    /// The title: the author's, or the result in a sentence.
    pub title: String,
    /// The anchor of the title; empty for none.
    pub title_id: String,
    /// Whether the title is the result of the only pair, so that it need not be said again.
    pub title_is_result: bool,
    /// Marks that the reader must not miss: draft.
    pub marks: Vec<&'static str>,
    /// The author's text as HTML, escaped; empty for none.
    pub prose_html: String,
    /// The author's text as Markdown, without raw HTML; empty for none.
    pub prose_markdown: String,
    /// Each of the other runs against the first.
    pub pairs: Vec<PairView>,
    /// The charts of the runs on one scale, a row for each kind of chart.
    pub charts: Vec<ChartRow>,
    /// What each run can serve.
    pub servings: Vec<RunServing>,
    /// The other forms of the page.
    pub downloads: Vec<Cell>,
}

/// One kind of chart of all runs of the page, on one scale.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ChartRow {
    /// Its heading.
    pub heading: String,
    /// A picture for each run.
    pub pictures: Vec<RunPicture>,
}

/// A chart of one run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RunPicture {
    /// The letter and the title of the run.
    pub name: String,
    /// What is drawn, and what its marks mean.
    pub sentence: String,
    /// The picture as SVG, escaped.
    pub svg: String,
}

/// What one run can serve.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RunServing {
    /// The letter and the title of the run.
    pub name: String,
    /// The answers as text.
    pub table: Table,
    /// What the "+" behind an answer means; empty where there is none.
    pub edge: &'static str,
    /// What was left out, in a sentence; empty where nothing was.
    pub left_out: String,
}

/// The comparisons of a page: each of its other runs against the first.
pub fn compared(site: &Site, page: &ComparisonPage) -> Vec<Comparison> {
    let runs = runs(site, page);
    let Some((first, others)) = runs.split_first() else {
        return Vec::new();
    };
    others
        .iter()
        .map(|other| Comparison::of_runs(&first.run, &other.run, &site.facts.noise))
        .collect()
}

fn runs<'a>(site: &'a Site, page: &ComparisonPage) -> Vec<&'a RunPage> {
    let runs = page.runs.iter().filter_map(|at| site.runs.get(*at));
    runs.collect()
}

/// Makes the view of a page that compares runs, from its comparisons.
pub fn comparison_view(
    site: &Site,
    at: Page,
    page: &ComparisonPage,
    compared: &[Comparison],
) -> ComparisonView {
    let links = site.facts.links_from(&page.address);
    let runs = runs(site, page);
    let letters = letters(runs.len());
    let written = page.written.as_ref();
    let prose = written.map(|prose| prose_text(site, at, prose));
    let prose = prose.unwrap_or_default();
    let description = match (written, compared.first()) {
        (Some(prose), _) if !prose.description.is_empty() => prose.description.clone(),
        (_, Some(first)) => format!("{}. {}", first.title(), first.verdict_sentence()),
        (_, None) => String::new(),
    };
    let scale = DeltaScale::of(compared);
    let pairs: Vec<PairView> = compared
        .iter()
        .enumerate()
        .zip(runs.iter().skip(1))
        .filter_map(|((nth, comparison), other)| {
            let first = runs.first()?;
            let prefix = match nth {
                0 => String::new(),
                nth => format!("pair{}-", nth + 1),
            };
            let suffix = match compared.len() {
                1 => String::new(),
                _ => format!(" (pair {})", nth + 1),
            };
            let sides = [("A", *first), ("B", *other)];
            let alike = first.run.title() == other.run.title();
            let sides = sides.map(|(letter, run)| side(letter, run, alike, &links));
            let facts = [&first.run.facts, &other.run.facts];
            Some(pair_view(comparison, facts, sides, scale, prefix, suffix))
        })
        .collect();
    let named = || letters.iter().zip(&runs);
    ComparisonView {
        page: PageView {
            json: site
                .facts
                .outputs
                .json
                .then(|| crate::compare::document::FILE.to_owned()),
            kind: "article",
            ..PageView::new(site, at, &page.title, description)
        },
        title: page.title.clone(),
        title_id: written
            .map(|prose| prose.title_id.clone())
            .unwrap_or_default(),
        title_is_result: pairs.len() == 1
            && pairs.first().is_some_and(|pair| pair.title == page.title),
        marks: written.map(prose::marks).unwrap_or_default(),
        prose_html: prose.html,
        prose_markdown: prose.markdown,
        charts: match site.facts.outputs.charts {
            true => chart_rows(&named().map(|(l, r)| (l.as_str(), *r)).collect::<Vec<_>>()),
            false => Vec::new(),
        },
        servings: named()
            .filter_map(|(letter, run)| {
                let serving = serving_view(run, &site.facts)?;
                Some(RunServing {
                    name: name(letter, run),
                    table: serving.plain,
                    edge: match serving.edge {
                        true => serving.edge_sentence,
                        false => "",
                    },
                    left_out: serving.left_out,
                })
            })
            .collect(),
        downloads: downloads(site),
        pairs,
    }
}

/// What the runs of a page are called beside their titles: A and B; nothing where there are more,
/// since each of the others is B in its own pair.
fn letters(count: usize) -> Vec<String> {
    match count {
        2 => vec!["A".to_owned(), "B".to_owned()],
        _ => vec![String::new(); count],
    }
}

fn name(letter: &str, page: &RunPage) -> String {
    match letter {
        "" => page.run.title().to_owned(),
        letter => format!("{letter}: {}", page.run.title()),
    }
}

/// `alike` where the other side has the same title.
fn side(letter: &'static str, page: &RunPage, alike: bool, links: &Links) -> SideView {
    let mut summary = setup(&page.run);
    if alike {
        summary.insert(0, page.run.slug.clone());
    }
    summary.extend(show(&page.run.facts, Fact::MeasuredAt));
    let findings = page.derived.audit.len();
    SideView {
        findings: (findings > 0).then(|| {
            let count = counted(findings, "finding", "findings");
            let cell = Cell::page(
                format!("{count} against its own figures"),
                links,
                &page.address,
            );
            Cell {
                link: format!("{}#audit", cell.link),
                ..cell
            }
        }),
        letter,
        run: Cell::page(page.run.title(), links, &page.address),
        summary,
    }
}

/// The charts that at least two of the runs have, each kind on one scale.
fn chart_rows(runs: &[(&str, &RunPage)]) -> Vec<ChartRow> {
    let pages: Vec<_> = runs
        .iter()
        .map(|(_, page)| (&page.run, page.derived.audit.as_slice()))
        .collect();
    let drawn = charts::side_by_side(&pages);
    drawn
        .into_iter()
        .map(|row| ChartRow {
            heading: row.heading,
            pictures: row
                .pictures
                .into_iter()
                .filter_map(|picture| {
                    let (letter, page) = runs.get(picture.run)?;
                    Some(RunPicture {
                        name: name(letter, page),
                        sentence: picture.sentence,
                        svg: picture.svg,
                    })
                })
                .collect(),
        })
        .collect()
}

fn downloads(site: &Site) -> Vec<Cell> {
    let outputs = site.facts.outputs;
    [
        (outputs.json, "JSON", crate::compare::document::FILE),
        (outputs.markdown, "Markdown", "index.md"),
    ]
    .iter()
    .filter(|(on, _, _)| *on)
    .map(|(_, label, file)| Cell::link(*label, *file))
    .collect()
}
