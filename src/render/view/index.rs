//! The view of the front page: the newest runs, what all runs are searched and filtered by, and the
//! way to the older ones. Its table of runs is that of the other lists, too.

use schemars::JsonSchema;
use serde::Serialize;

use super::facts::show;
use super::prose::{marks as prose_marks, prose_text};
use super::scale::{ClassScale, ScaleClass};
use super::table::{ABSENT, Cell, Column, Table};
use super::thumbnail::{Grid, site_scale, thumbnail};
use super::{PageView, counted};
use crate::render::search_data::SearchData;
use crate::run::figure::format_number;
use crate::run::key_figures::{DOUBTED, KeyFigure};
use crate::run::{Fact, Figure, Phase, Run};
use crate::site::{Address, Kind, Links, Page, RunPage, Site, measured};

/// The front page.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct IndexView {
    /// What every page has.
    pub page: PageView,
    /// The site's name.
    pub title: String,
    /// What it is about.
    pub description: String,
    /// "6 runs of 3 models on 2 kinds of GPU."; empty where there is no run.
    pub summary: String,
    /// Marks that the reader must not miss: draft.
    pub marks: Vec<&'static str>,
    /// The prose of the page as HTML, escaped; empty for none.
    pub prose_html: String,
    /// The prose of the page as Markdown, without raw HTML; empty for none.
    pub prose_markdown: String,
    /// "6 runs"; empty where there is none.
    pub count: String,
    /// The newest runs; nothing where there is none.
    pub runs: Option<Table>,
    /// How the pictures of the matrices are read; nothing where there is none.
    pub legend: Option<ThumbnailLegend>,
    /// What all runs are filtered by; empty where nothing can be chosen.
    pub filters: Vec<FilterView>,
    /// Link to the data that a script searches; empty where there is nothing to search.
    pub data: String,
    /// Link to the page that compares picked runs, if there is one.
    pub compare: Option<String>,
    /// The pages of older runs; nothing where all runs stand here.
    pub pager: Option<Pager>,
}

/// A choice among runs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FilterView {
    /// Its name in addresses.
    pub key: &'static str,
    /// Its name: "Model".
    pub label: &'static str,
    /// What can be chosen.
    pub options: Vec<OptionView>,
}

/// Something that can be chosen.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OptionView {
    /// Its name.
    pub value: String,
    /// How many runs have it.
    pub count: String,
}

/// How the pictures of matrices are read.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ThumbnailLegend {
    /// What they show.
    pub sentence: String,
    /// The classes with their bounds; empty where all figures are the same.
    pub classes: Vec<ScaleClass>,
    /// The marks that are there beside colours, a sentence each.
    pub marks: Vec<&'static str>,
}

/// Links between pages of runs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Pager {
    /// The page with newer runs.
    pub newer: Option<PageLink>,
    /// The page with older runs.
    pub older: Option<PageLink>,
    /// All pages of older runs, the newest first; only on the front page.
    pub pages: Vec<PageLink>,
}

/// A link to a page of runs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PageLink {
    /// Its words.
    pub label: String,
    /// Where it leads.
    pub link: String,
    /// Where it leads in the Markdown twin.
    pub twin: String,
}

impl PageLink {
    pub(super) fn new(site: &Site, links: &Links, to: Page, label: impl Into<String>) -> Self {
        let to = site.address(to);
        Self {
            label: label.into(),
            link: links.page(&to),
            twin: links.twin(&to),
        }
    }
}

/// Makes the view of the front page.
pub fn index_view(site: &Site, data: &SearchData) -> IndexView {
    let front = site.front.as_ref();
    let prose = front.map(|front| prose_text(site, Page::Front, front));
    let prose = prose.unwrap_or_default();
    let description = match front.map(|front| front.description.as_str()) {
        None | Some("") => site.facts.description.clone(),
        Some(description) => description.to_owned(),
    };
    let links = site.facts.links_from(&Address::front());
    let newest = site.runs.get(site.newest()).unwrap_or_default();
    let caption = match site.list_pages() {
        0 => "All runs, newest first.".to_owned(),
        _ => format!(
            "The newest {} of {} runs.",
            newest.len(),
            format_number(site.runs.len() as f64, 0)
        ),
    };
    let searched = site.runs.len() > 1;
    let (runs, legend) = runs_table(site, caption, newest.iter(), &links);
    IndexView {
        page: PageView::new(site, Page::Front, &site.facts.title, description),
        marks: front.map(prose_marks).unwrap_or_default(),
        prose_html: prose.html,
        prose_markdown: prose.markdown,
        title: site.facts.title.clone(),
        description: site.facts.description.clone(),
        summary: summary(site),
        count: match site.runs.len() {
            0 => String::new(),
            n => counted(n, "run", "runs"),
        },
        runs,
        legend,
        filters: if searched { filters(data) } else { Vec::new() },
        data: if searched {
            format!("{}{}", links.root(), data.link)
        } else {
            String::new()
        },
        compare: (!site.comparisons.is_empty())
            .then(|| links.page(&site.address(Page::Comparisons))),
        pager: pager(site, &links),
    }
}

/// "6 runs of 3 models on 2 kinds of GPU."
fn summary(site: &Site) -> String {
    let kinds = |kind| {
        let groups = site.kinds.get(&kind).map_or(&[][..], Vec::as_slice);
        groups.iter().filter(|group| group.name.is_some()).count()
    };
    let gpus = {
        let names = site.runs.iter().filter(|page| {
            let facts = &page.run.facts;
            facts.text(Fact::Gpu).is_some()
        });
        let names = names.filter_map(|page| Kind::Hardware.name(&page.run, &site.facts.names));
        let names: std::collections::BTreeSet<String> = names.map(|name| name.key).collect();
        names.len()
    };
    let count = |n: usize, one: &str, many: &str| {
        let words = if n == 1 { one } else { many };
        format!("{} {words}", format_number(n as f64, 0))
    };
    if site.runs.is_empty() {
        return String::new();
    }
    let mut words = count(site.runs.len(), "run", "runs");
    match kinds(Kind::Models) {
        0 => {}
        n => words.push_str(&format!(" of {}", count(n, "model", "models"))),
    }
    match gpus {
        0 => {}
        n => words.push_str(&format!(" on {}", count(n, "kind of GPU", "kinds of GPU"))),
    }
    words + "."
}

/// Facets of which a value can be chosen.
fn filters(data: &SearchData) -> Vec<FilterView> {
    let facets = data.facets.iter().filter(|facet| facet.divides());
    facets
        .map(|facet| FilterView {
            key: facet.key,
            label: facet.label,
            options: facet
                .values
                .iter()
                .map(|(value, runs)| OptionView {
                    value: value.clone(),
                    count: format_number(*runs as f64, 0),
                })
                .collect(),
        })
        .collect()
}

fn pager(site: &Site, links: &Links) -> Option<Pager> {
    let last = site.list_pages();
    (last > 0).then(|| Pager {
        newer: None,
        older: Some(PageLink::new(site, links, Page::List(last), "Older runs")),
        pages: (1..=last)
            .rev()
            .map(|n| PageLink::new(site, links, Page::List(n), n.to_string()))
            .collect(),
    })
}

/// A table of runs, with the legend of its pictures; nothing where there is no run.
pub(super) fn runs_table<'a>(
    site: &Site,
    caption: String,
    runs: impl Iterator<Item = &'a RunPage> + Clone,
    links: &Links,
) -> (Option<Table>, Option<ThumbnailLegend>) {
    let scale = site_scale(site);
    let mut table = Table {
        caption,
        columns: columns(),
        rows: runs
            .clone()
            .map(|run| row(site, run, links, scale.as_ref()).into())
            .collect(),
        ..Table::default()
    };
    if table.rows.is_empty() {
        return (None, None);
    }
    table.drop_empty_columns(1);
    if table.columns.iter().any(|column| column.key == "measured") {
        for cell in table.rows.iter_mut().filter_map(|row| row.cells.last_mut()) {
            if cell.text == ABSENT {
                "not given".clone_into(&mut cell.text);
            }
        }
    }
    (Some(table), legend(runs, scale.as_ref()))
}

/// The columns of a list of runs.
fn columns() -> Vec<Column> {
    vec![
        Column::text("Run").key("run"),
        Column::text("Hardware").key("hardware"),
        Column::text("Matrix").key("matrix"),
        Column::number("One request tok/s").key("one"),
        Column::number("Highest total tok/s").key("total"),
        Column::number("…per GPU tok/s").key("per_gpu"),
        Column::number("Requests at 20 tok/s each").key("most"),
        Column::number("Prefill tok/s").key("prefill"),
        Column::number("Measured").key("measured"),
    ]
}

/// A figure of a row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shown {
    /// The number, by which it is sorted.
    pub raw: f64,
    /// As the page shows it, without a unit.
    pub text: String,
    /// Its cell, with what must be known of it: "128 requests at 16K, queued".
    pub note: String,
}

/// What stands in a list for [`DOUBTED`].
const CONTRADICTED: &str = ", contradicted";

/// The figures of a row.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RowFigures {
    /// One request alone, total tok/s.
    pub one: Option<Shown>,
    /// The highest total tok/s.
    pub total: Option<Shown>,
    /// The highest total ÷ number of GPUs, where that is known.
    pub per_gpu: Option<Shown>,
    /// The most requests that get 20 tok/s each.
    pub most: Option<Shown>,
    /// The fastest prefill, tok/s.
    pub prefill: Option<Shown>,
}

impl RowFigures {
    /// The figures of a run.
    pub(crate) fn of(page: &RunPage) -> Self {
        let figure = |id: &str| page.derived.key_figures.iter().find(|k| k.id == id);
        let shown = |id: &str| {
            figure(id).map(|k| Shown {
                raw: k.figure.value,
                text: k.metric.show(k.figure),
                note: k.words.replace(DOUBTED, CONTRADICTED),
            })
        };
        let per_gpu = figure("highest_total").zip(gpu_count(&page.run));
        Self {
            one: shown("one_request"),
            total: shown("highest_total"),
            per_gpu: per_gpu.map(|(total, count)| per_gpu_of(total, count)),
            most: figure("most_at_20").and_then(|k| most(&page.run, k)),
            prefill: shown("fastest_prefill"),
        }
    }
}

fn per_gpu_of(total: &KeyFigure, count: u64) -> Shown {
    let figure = Figure {
        value: total.figure.value / count as f64,
        // One decimal at most, and no more than the total was given with.
        step: total.figure.step.filter(|step| *step >= 1.0),
    };
    Shown {
        raw: figure.value,
        text: total.metric.show(figure),
        note: String::new(),
    }
}

/// The number of requests is that of the cell; what each of them got is said on the run's page.
fn most(run: &Run, figure: &KeyFigure) -> Option<Shown> {
    let anchors = run.anchors(Phase::Decode);
    let mut cells = anchors.iter().zip(&run.decode);
    let (_, cell) = cells.find(|(anchor, _)| **anchor == figure.cell)?;
    let doubted = if figure.words.ends_with(DOUBTED) {
        CONTRADICTED
    } else {
        ""
    };
    Some(Shown {
        raw: cell.concurrency as f64,
        text: format_number(cell.concurrency as f64, 0),
        note: format!("context {}{doubted}", cell.context.label),
    })
}

/// How many GPUs served, where that is known.
pub(crate) fn gpu_count(run: &Run) -> Option<u64> {
    let has_gpu = run.facts.get(Fact::Gpu).is_some() || run.facts.get(Fact::Cpu).is_none();
    let count = run.facts.count(Fact::GpuCount)?;
    (has_gpu && count > 0).then_some(count)
}

/// The day when a run was measured, as the page shows it; as it was given, where it is no time.
pub(crate) fn day(run: &Run) -> Option<String> {
    match measured(run) {
        Some(time) => Some(time.day()),
        None => show(&run.facts, Fact::MeasuredAt),
    }
}

/// A row of a list of runs.
fn row(site: &Site, page: &RunPage, links: &Links, scale: Option<&ClassScale>) -> Vec<Cell> {
    let run = &page.run;
    let figures = RowFigures::of(page);
    let figure = |shown: Option<Shown>| {
        shown.map_or_else(
            || Cell::text(ABSENT),
            |shown| Cell::text(shown.text).note(shown.note),
        )
    };
    let picture = thumbnail(run, scale).map(|picture| Cell {
        svg: picture.svg,
        ..Cell::text(picture.label)
    });
    let title = Cell::page(title(run), links, &page.address).note(engine(site, run));
    vec![
        Cell {
            marks: marks(run),
            ..title
        },
        Cell::text(hardware(site, run)),
        picture.unwrap_or_else(|| Cell::text(ABSENT)),
        figure(figures.one),
        figure(figures.total),
        figure(figures.per_gpu),
        figure(figures.most),
        figure(figures.prefill),
        Cell::text(day(run).unwrap_or_else(|| ABSENT.to_owned())),
    ]
}

/// "vllm 0.28.1rc1.dev562 · NVFP4+FP8"; empty where nothing is known.
fn engine(site: &Site, run: &Run) -> String {
    let name = Kind::Engines.name_of(run, &site.facts.names);
    let version = run.facts.text(Fact::EngineVersion);
    let name: Vec<&str> = name.as_deref().into_iter().chain(version).collect();
    let name = Some(name.join(" ")).filter(|name| !name.is_empty());
    let quantization = run.facts.text(Fact::Quantization).map(str::to_owned);
    let parts: Vec<String> = name.into_iter().chain(quantization).collect();
    parts.join(" · ")
}

/// "4 × H200 SXM".
fn hardware(site: &Site, run: &Run) -> String {
    let name = Kind::Hardware.name_of(run, &site.facts.names);
    match (gpu_count(run), name) {
        (Some(count), Some(name)) => format!("{count} × {name}"),
        (Some(count), None) => format!("{count} × GPU"),
        (None, Some(name)) => name,
        (None, None) => ABSENT.to_owned(),
    }
}

/// The title of a run in a list, in which the hardware has a column of its own: without "on N × GPU"
/// where it ends so.
pub(crate) fn title(run: &Run) -> &str {
    let title = run.title();
    let Some(gpu) = run.facts.text(Fact::Gpu) else {
        return title;
    };
    let counted = gpu_count(run).map(|count| format!(" on {count} × {gpu}"));
    let short = counted
        .and_then(|end| title.strip_suffix(end.as_str()))
        .or_else(|| title.strip_suffix(gpu)?.strip_suffix(" on "));
    short.filter(|short| !short.is_empty()).unwrap_or(title)
}

/// The marks of a run in a list.
fn marks(run: &Run) -> Vec<&'static str> {
    let all = [
        (run.draft, "Draft"),
        (!run.complete, "Incomplete"),
        (!run.ranked, "Not ranked"),
    ];
    let all = all.iter().filter(|(on, _)| *on);
    all.map(|(_, mark)| *mark).collect()
}

/// The legend of the pictures of these runs; nothing where none has one.
pub(super) fn legend<'a>(
    runs: impl Iterator<Item = &'a RunPage>,
    scale: Option<&ClassScale>,
) -> Option<ThumbnailLegend> {
    let (mut any, mut queued, mut without) = (false, false, false);
    for grid in runs.filter_map(|page| Grid::of(&page.run, None)) {
        let marks = grid.marks();
        any = true;
        queued |= marks.0;
        without |= marks.1;
    }
    let classes = scale.map(|scale| scale.legend(1.0)).unwrap_or_default();
    let marks = [
        (queued, "A cut corner: requests queued."),
        (without, "An outline: no figure."),
    ];
    any.then(|| ThumbnailLegend {
        sentence: "Matrices show total tok/s, all on one scale: rows are contexts, the shortest on top, columns are simultaneous requests.".to_owned(),
        classes,
        marks: marks.iter().filter(|(on, _)| *on).map(|(_, mark)| *mark).collect(),
    })
}
