//! The view of a run's page: everything on it, in its order.

use schemars::JsonSchema;
use serde::Serialize;

use super::charts::{ChartView, charts};
use super::facts::{FactBlock, fact_blocks, missing, show};
use super::matrix::{Matrix, matrix_view};
use super::prose;
use super::table::{ABSENT, Cell, Column, Table};
use super::{PageView, counted};
use crate::launch::LaunchCommand;
use crate::launch::highlight::highlight_bash;
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
    /// The line below it: engine, version, quantization, size of the matrix.
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
    /// Whether something was hidden in it.
    pub hidden: bool,
    /// What readers filter by.
    pub settings: Vec<Setting>,
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
    RunView {
        page: PageView {
            json: site.facts.outputs.json.then(|| "run.json".to_owned()),
            ..PageView::new(site, at, run.title(), description(run, &summary))
        },
        schema: RUN_SCHEMA,
        title: run.title().to_owned(),
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
        matrices: [Phase::Decode, Phase::Burst]
            .iter()
            .filter_map(|phase| matrix_view(run, *phase))
            .collect(),
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
        definitions: definitions(run),
        downloads: downloads(site),
        summary,
    }
}

/// What was measured, in a few parts: engine, version, quantization, size of the matrix.
pub(crate) fn summary(run: &Run) -> Vec<String> {
    let mut parts: Vec<String> = [Fact::EngineName, Fact::EngineVersion, Fact::Quantization]
        .iter()
        .filter_map(|fact| show(&run.facts, *fact))
        .collect();
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
        table.rows.push(row);
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

/// The head of a metric's column: its label, with the unit in brackets where the label has none.
fn head(metric: Metric) -> String {
    let info = metric.info();
    let mut words = info.label.split([' ', ',']);
    if info.unit.is_empty() || words.any(|word| word == info.unit) {
        info.label.to_owned()
    } else {
        format!("{} ({})", info.label, info.unit)
    }
}

fn figure(m: &Measurement, metric: Metric) -> Cell {
    Cell::text(
        m.get(metric)
            .map_or_else(|| ABSENT.to_owned(), |f| metric.show(f)),
    )
}

fn status_with_reason(m: &Measurement) -> String {
    match &m.reason {
        Some(reason) => format!("{}: {reason}", m.status_label()),
        None => m.status_label().to_owned(),
    }
}

fn measurements_table(run: &Run) -> Option<Table> {
    let mut table = Table {
        caption: "Latencies are medians where no other statistic is named. Total tok/s is output across all simultaneous requests.".to_owned(),
        columns: vec![
            Column::text("Phase"),
            Column::text("Context"),
            Column::number("Requests at once"),
            Column::text("Status"),
        ],
        rows: Vec::new(),
    };
    let fixed = table.columns.len();
    table
        .columns
        .extend(Metric::ALL.iter().map(|m| Column::number(head(*m))));
    table.columns.push(Column::text("Tokens counted by"));
    table.columns.push(Column::text("Method"));
    for phase in Phase::ALL {
        for m in run.phase(*phase) {
            let mut row = vec![
                Cell::text(phase.label()),
                Cell::text(&m.context.label),
                Cell::link(m.concurrency.to_string(), ""),
                Cell::text(status_with_reason(m)),
            ];
            row.extend(Metric::ALL.iter().map(|metric| figure(m, *metric)));
            for text in [&m.token_source, &m.method] {
                row.push(Cell::text(text.as_deref().unwrap_or(ABSENT)));
            }
            table.rows.push(row);
        }
    }
    table.drop_empty_columns(fixed);
    (!table.rows.is_empty()).then_some(table)
}

fn definitions(run: &Run) -> Vec<Definition> {
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
