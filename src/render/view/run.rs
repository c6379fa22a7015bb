//! The view of a run's page: everything on it, in its order.

use schemars::JsonSchema;
use serde::Serialize;

use super::charts::{ChartView, charts};
use super::dataset::dataset;
use super::facts::{FactBlock, fact_blocks, missing, show};
use super::matrix::{Matrix, matrices};
use super::measurements::{figure, measurements_table};
use super::prose;
use super::serving::{ServingView, USD_DEFINITION, serving_view};
use super::table::{Cell, Column, Table};
use super::{PageView, counted};
use crate::launch::highlight::highlight_bash;
use crate::launch::{JsonEntry, JsonValue, LaunchCommand};
use crate::redact::PLACEHOLDERS;
use crate::run::audit::completed_note;
use crate::run::{Fact, Measurement, Metric, Phase, RUN_SCHEMA, Run};
use crate::site::{Page, RunPage, Site};

/// A run's page.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RunView {
    /// What every page has.
    pub page: PageView,
    /// The schema that the Markdown twin names, so that it is known again when it is read.
    pub schema: &'static str,
    /// The title.
    pub title: String,
    /// The title up to where it names the hardware; all of it where it does not.
    pub title_head: String,
    /// The rest of the title: "on 4 × H200 SXM"; empty where it does not name the hardware.
    pub title_tail: String,
    /// Engine, version, quantization.
    pub setup: Vec<String>,
    /// The same with the size of the matrix and the contexts of prefill.
    pub summary: Vec<String>,
    /// Author and date, in words.
    pub byline: Vec<String>,
    /// Where it was published first; empty where nowhere else.
    pub source_url: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Marks that the reader must not miss: draft, interrupted, not ranked.
    pub marks: Vec<&'static str>,
    /// The few figures that it is known by.
    pub key_figures: Vec<KeyFigureView>,
    /// What its figures say against it.
    pub findings: Vec<FindingView>,
    /// The decode matrix, then others.
    pub matrices: Vec<Matrix>,
    /// What a reader can serve.
    pub serving: Option<ServingView>,
    /// The charts; none where they are not wanted or there is too little to draw.
    pub charts: Vec<ChartView>,
    /// Sentences about the method, shown below the first matrix, or below prefill without one.
    pub notes: Vec<String>,
    /// Prefill by context.
    pub prefill: Option<Table>,
    /// How the server was started.
    pub launch: Option<LaunchView>,
    /// The facts.
    pub facts: Vec<FactBlock>,
    /// The names of missing facts in one line; empty where none is missing.
    pub not_given: String,
    /// The author's notes as HTML, escaped.
    pub notes_html: String,
    /// The author's notes as Markdown, without raw HTML.
    pub notes_markdown: String,
    /// Every measurement.
    pub measurements: Option<Table>,
    /// What the columns mean.
    pub definitions: Vec<Definition>,
    /// The pages that compare it with other runs: their titles with links.
    pub comparisons: Vec<Cell>,
    /// The other forms of the page.
    pub downloads: Vec<Cell>,
}

/// A key figure.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct KeyFigureView {
    /// What it is.
    pub label: String,
    /// The number with its unit.
    pub value: String,
    /// Its cell in words.
    pub cell: String,
    /// The anchor of its cell.
    pub anchor: String,
}

/// A finding of the audit.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FindingView {
    /// The rule's id.
    pub id: &'static str,
    /// The rule in a few words.
    pub heading: &'static str,
    /// What was found.
    pub sentence: String,
    /// The measurements that it concerns.
    pub cells: Vec<Cell>,
}

/// The launch command.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LaunchView {
    /// One flag a line, highlighted, as HTML.
    pub html: String,
    /// One flag a line.
    pub text: String,
    /// One line that a shell takes.
    pub copy: String,
    /// Whether something in it is hidden, or was left out by its author: then it is a variable in
    /// the line for copying.
    pub hidden: bool,
    /// Whether something was hidden here: a secret or a private name.
    pub redacted: bool,
    /// Its long JSON values, key by key.
    pub json: Vec<LaunchJson>,
    /// What readers filter by.
    pub settings: Vec<Setting>,
}

/// A long JSON value of the launch command.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LaunchJson {
    /// What it is the value of; empty where it stands alone.
    pub flag: String,
    /// Its keys, those of objects in it joined by dots.
    pub entries: Vec<LaunchJsonEntry>,
}

/// A key of a JSON value.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LaunchJsonEntry {
    /// The key.
    pub key: String,
    /// Its value.
    pub value: String,
    /// Whether a part of the value is hidden.
    pub hidden: bool,
}

/// A setting read from the launch command.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Setting {
    /// Its name.
    pub label: String,
    /// Its value.
    pub value: String,
}

/// What a column means.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Definition {
    /// The column's head.
    pub term: String,
    /// What it means.
    pub text: &'static str,
}

/// Makes the view of a run's page.
pub fn run_view(site: &Site, at: Page, page: &RunPage) -> RunView {
    let run = &page.run;
    let notes_of = page.notes.as_ref().zip(run.notes_markdown.as_deref());
    let prose = notes_of
        .map(|(text, markdown)| prose::notes(site, at, text, markdown))
        .unwrap_or_default();
    let mut notes = run.notes.clone();
    notes.extend(completed_note(run));
    let summary = summary(run);
    let not_given = missing(&run.facts);
    let description = description(run, &summary);
    let (title_head, title_tail) = title_parts(run);
    let serving = serving_view(page, &site.facts);
    RunView {
        page: PageView {
            json: site.facts.outputs.json.then(|| "run.json".to_owned()),
            kind: "article",
            json_ld: Some(dataset(site, page, &description)),
            ..PageView::new(site, at, run.title(), description)
        },
        schema: RUN_SCHEMA,
        title: run.title().to_owned(),
        title_head,
        title_tail,
        setup: setup(run),
        byline: byline(run),
        source_url: run
            .facts
            .text(Fact::SourceUrl)
            .unwrap_or_default()
            .to_owned(),
        tags: run.tags.clone(),
        marks: marks(run),
        key_figures: page
            .derived
            .key_figures
            .iter()
            .map(key_figure_view)
            .collect(),
        findings: findings(page),
        matrices: matrices(run, &page.derived.audit),
        charts: if site.facts.outputs.charts {
            charts(run, &page.derived.audit)
        } else {
            Vec::new()
        },
        notes,
        prefill: prefill_table(run),
        launch: run.facts.text(Fact::LaunchCommand).map(launch_view),
        facts: fact_blocks(&run.facts, &run.tags),
        not_given: not_given.join(", "),
        notes_html: prose.html,
        notes_markdown: prose.markdown,
        measurements: measurements_table(run),
        definitions: definitions(run, serving.as_ref()),
        serving,
        comparisons: comparisons(site, at, page),
        downloads: downloads(site),
        summary,
    }
}

/// The title in two parts, the second being the hardware: "Qwen3.5" and "on 4 × H200 SXM".
fn title_parts(run: &Run) -> (String, String) {
    let title = run.title();
    let gpu = run.facts.text(Fact::Gpu).unwrap_or_default();
    match title
        .rfind(" on ")
        .and_then(|at| title.split_at_checked(at))
    {
        Some((head, tail)) if !gpu.is_empty() && tail.contains(gpu) => {
            (head.to_owned(), tail.trim_start().to_owned())
        }
        _ => (title.to_owned(), String::new()),
    }
}

/// Engine, version and quantization, those that are known.
pub(super) fn setup(run: &Run) -> Vec<String> {
    [Fact::EngineName, Fact::EngineVersion, Fact::Quantization]
        .iter()
        .filter_map(|fact| show(&run.facts, *fact))
        .collect()
}

/// What was measured, in a few parts: engine, version, quantization, size of the matrix.
pub(crate) fn summary(run: &Run) -> Vec<String> {
    let mut parts = setup(run);
    if let (Some(first), Some(last)) = (run.decode.first(), run.decode.last()) {
        let mut contexts: Vec<&str> = run
            .decode
            .iter()
            .map(|m| m.context.label.as_str())
            .collect();
        contexts.dedup();
        let mut levels: Vec<u64> = run.decode.iter().map(|m| m.concurrency).collect();
        levels.sort_unstable();
        levels.dedup();
        let range = |from: String, to: String| {
            if from == to {
                format!("({from})")
            } else {
                format!("({from}–{to})")
            }
        };
        let level = |at: Option<&u64>| at.map(u64::to_string).unwrap_or_default();
        parts.push(format!(
            "{} {} × {} {}",
            counted(contexts.len(), "context", "contexts"),
            range(first.context.label.clone(), last.context.label.clone()),
            counted(levels.len(), "concurrency level", "concurrency levels"),
            range(level(levels.first()), level(levels.last())),
        ));
    }
    if !run.prefill.is_empty() {
        let labels: Vec<&str> = run
            .prefill
            .iter()
            .map(|m| m.context.label.as_str())
            .collect();
        parts.push(format!("prefill at {}", labels.join(", ")));
    }
    parts
}

fn byline(run: &Run) -> Vec<String> {
    let author = run
        .facts
        .text(Fact::Author)
        .map(|author| format!("by {author}"));
    let measured = show(&run.facts, Fact::MeasuredAt).map(|at| format!("Measured {at}"));
    author.into_iter().chain(measured).collect()
}

fn marks(run: &Run) -> Vec<&'static str> {
    let all = [
        (run.draft, "Draft"),
        (!run.complete, "Incomplete: the run was interrupted"),
        (!run.ranked, "Not ranked"),
    ];
    all.iter()
        .filter(|(on, _)| *on)
        .map(|(_, mark)| *mark)
        .collect()
}

fn description(run: &Run, summary: &[String]) -> String {
    format!("LLM speed test: {}. {}", run.title(), summary.join(" · "))
}

fn key_figure_view(figure: &crate::run::key_figures::KeyFigure) -> KeyFigureView {
    KeyFigureView {
        label: figure.label.to_owned(),
        value: figure.value.clone(),
        cell: figure.words.clone(),
        anchor: figure.cell.clone(),
    }
}

fn findings(page: &RunPage) -> Vec<FindingView> {
    let names = page.run.cell_names();
    page.derived
        .audit
        .iter()
        .map(|finding| FindingView {
            id: finding.rule.id(),
            heading: finding.rule.heading(),
            sentence: finding.sentence.clone(),
            cells: finding
                .cells
                .iter()
                .map(|anchor| {
                    let name = names
                        .get(anchor.as_str())
                        .map_or(anchor.as_str(), String::as_str);
                    Cell::link(name, format!("#{anchor}"))
                })
                .collect(),
        })
        .collect()
}

fn prefill_table(run: &Run) -> Option<Table> {
    if run.prefill.is_empty() {
        return None;
    }
    let mut table = Table {
        caption: "Prompt tok/s by context length, one request at a time.".to_owned(),
        columns: vec![
            Column::text("Context"),
            Column::number(head(Metric::PrefillTokPerS)),
            Column::number(head(Metric::TtftMs)),
        ],
        rows: Vec::new(),
        ..Table::default()
    };
    let with_status = run
        .prefill
        .iter()
        .any(|m| m.status != crate::run::Status::Valid);
    if with_status {
        table.columns.push(Column::text("Status"));
    }
    for (m, anchor) in run.prefill.iter().zip(run.anchors(Phase::Prefill)) {
        let mut row = vec![
            Cell::text(&m.context.label).anchor(anchor),
            figure(m, Metric::PrefillTokPerS),
            figure(m, Metric::TtftMs),
        ];
        if with_status {
            row.push(Cell::text(status_with_reason(m)));
        }
        table.rows.push(row.into());
    }
    Some(table)
}

fn launch_view(command: &str) -> LaunchView {
    let parsed = LaunchCommand::parse(command);
    let text = parsed.lines().join("\n");
    LaunchView {
        html: highlight_bash(&text),
        copy: parsed.one_line(),
        hidden: parsed.has_hidden(),
        redacted: PLACEHOLDERS.iter().any(|hidden| text.contains(hidden)),
        json: parsed.json_values().into_iter().map(launch_json).collect(),
        settings: parsed
            .settings()
            .into_iter()
            .map(|setting| Setting {
                label: setting.kind.label().to_owned(),
                value: setting.value,
            })
            .collect(),
        text,
    }
}

fn launch_json(value: JsonValue) -> LaunchJson {
    let entry = |entry: JsonEntry| LaunchJsonEntry {
        key: entry.key,
        value: entry.value,
        hidden: entry.hidden,
    };
    LaunchJson {
        flag: value.flag,
        entries: value.entries.into_iter().map(entry).collect(),
    }
}

/// The head of a metric's column: its label, with the unit in brackets where the label has none.
pub(super) fn head(metric: Metric) -> String {
    let info = metric.info();
    let mut words = info.label.split([' ', ',']);
    if info.unit.is_empty() || words.any(|word| word == info.unit) {
        info.label.to_owned()
    } else {
        format!("{} ({})", info.label, info.unit)
    }
}

pub(super) fn status_with_reason(m: &Measurement) -> String {
    match &m.reason {
        Some(reason) => format!("{}: {reason}", m.status_label()),
        None => m.status_label().to_owned(),
    }
}

fn definitions(run: &Run, serving: Option<&ServingView>) -> Vec<Definition> {
    let (usd, formula) = USD_DEFINITION;
    let price = serving.filter(|serving| !serving.price.is_empty());
    let price = price.map(|_| Definition {
        term: usd.to_owned(),
        text: formula,
    });
    Metric::ALL
        .iter()
        .filter(|metric| {
            Phase::ALL
                .iter()
                .any(|phase| run.phase(*phase).iter().any(|m| m.get(**metric).is_some()))
        })
        .map(|metric| Definition {
            term: head(*metric),
            text: metric.info().definition,
        })
        .chain(price)
        .collect()
}

fn comparisons(site: &Site, at: Page, page: &RunPage) -> Vec<Cell> {
    let Page::Run(run) = at else {
        return Vec::new();
    };
    let links = site.facts.links_from(&page.address);
    site.comparisons_of(run)
        .iter()
        .filter_map(|at| site.comparisons.get(*at))
        .map(|comparison| Cell::page(&comparison.title, &links, &comparison.address))
        .collect()
}

fn downloads(site: &Site) -> Vec<Cell> {
    let outputs = site.facts.outputs;
    [
        (outputs.json, "JSON", "run.json"),
        (outputs.csv, "CSV", "measurements.csv"),
        (outputs.markdown, "Markdown", "index.md"),
    ]
    .iter()
    .filter(|(on, _, _)| *on)
    .map(|(_, label, file)| Cell::link(*label, *file))
    .collect()
}
