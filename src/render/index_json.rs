//! `index.json`: all runs with what readers filter and sort by, as `speedbook.index/1`.
//!
//! One run a line. Keys are those of `run.json` wherever it has them; facts, figures and statuses
//! come from their tables, here and in the schema.

use rayon::prelude::*;
use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::OutputFile;
use crate::json_schema::without_null;
use crate::launch::LaunchCommand;
use crate::launch::settings::SettingKind;
use crate::run::document::{STEP, fact_schema, fact_value, metric_schema, put_figure, step_schema};
use crate::run::key_figures::KeyFigure;
use crate::run::{Fact, Metric, Phase, Run, Section, Status};
use crate::site::{Address, RunPage, Site};

/// Name of the file.
pub const FILE: &str = "index.json";

/// Name of its schema.
pub const INDEX_SCHEMA: &str = "speedbook.index/1";

/// The facts that readers filter by.
const FACTS: &[Fact] = &[
    Fact::ModelName,
    Fact::ModelId,
    Fact::HardwareType,
    Fact::Gpu,
    Fact::GpuCount,
    Fact::VramGbPerGpu,
    Fact::Cpu,
    Fact::EngineName,
    Fact::EngineVersion,
    Fact::Quantization,
];

/// The ids of key figures, each with the figure that it is.
const KEY_FIGURES: &[(&str, Metric, &str)] = &[
    (
        "one_request",
        Metric::TotalTokPerS,
        "One request alone, in the shortest context that has it.",
    ),
    (
        "highest_total",
        Metric::TotalTokPerS,
        "The highest total, of valid and queued cells.",
    ),
    (
        "most_at_20",
        Metric::PerRequestTokPerS,
        "The valid cell with the most requests (`concurrency`) of which each gets 20 tok/s or more.",
    ),
    (
        "fastest_prefill",
        Metric::PrefillTokPerS,
        "The fastest reading of a prompt.",
    ),
];

/// All runs of a site. What is absent is not known. Further keys may be added within this version.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "speedbook.index/1")]
struct Index<'a> {
    /// Name and version of this schema.
    #[schemars(schema_with = "schema_name")]
    schema: &'a str,
    /// The site's title.
    title: &'a str,
    /// What the site is about.
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    /// Where the site is published.
    #[serde(skip_serializing_if = "Option::is_none")]
    base_url: Option<&'a str>,
    /// The runs, newest first; those without a date last.
    runs: Vec<IndexRun<'a>>,
}

/// One run.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "run")]
struct IndexRun<'a> {
    /// Its address below /runs/.
    slug: &'a str,
    /// The page's title.
    title: &'a str,
    /// The page, as a link relative to this document.
    address: String,
    /// The run with all its measurements (`speedbook.run/1`), as a link relative to this document.
    run_json: String,
    /// Who measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<&'a str>,
    /// When it was measured: a date, or a date and time, with an offset where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    measured_at: Option<&'a str>,
    /// Words to find it by.
    tags: &'a [String],
    /// False where the run was interrupted.
    complete: bool,
    /// False where it must not be ranked among others.
    ranked: bool,
    /// True where it is published as a draft only.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    draft: bool,
    /// The model that was served.
    #[schemars(schema_with = "model_schema")]
    model: Map<String, Value>,
    /// The machine that served it.
    #[schemars(schema_with = "hardware_schema")]
    hardware: Map<String, Value>,
    /// The program that served it.
    #[schemars(schema_with = "engine_schema")]
    engine: Map<String, Value>,
    /// Tokens guessed ahead, as the launch command asks for; absent where it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    speculative: Option<Speculative>,
    /// The figures at the head of the page, by their ids.
    #[schemars(schema_with = "key_figures_schema")]
    key_figures: Map<String, Value>,
    /// How many measurements there are, by phase and status.
    #[schemars(schema_with = "cells_schema")]
    cells: Map<String, Value>,
    /// What the run's own figures say against it: the ids of the rules, each once.
    audit: Vec<&'static str>,
}

/// Speculative decoding.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "speculative")]
struct Speculative {
    /// How tokens are guessed.
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<String>,
    /// How many are guessed ahead.
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<u64>,
}

/// Writes it. The same site gives the same bytes.
pub fn index_json(site: &Site) -> OutputFile {
    let index = Index {
        schema: INDEX_SCHEMA,
        title: &site.facts.title,
        description: &site.facts.description,
        base_url: site.facts.base_url.as_ref().map(|base| base.as_str()),
        // In parallel, since each launch command is parsed.
        runs: site.runs.par_iter().map(|page| row(site, page)).collect(),
    };
    OutputFile::new(FILE.to_owned(), lines(&json!(index)))
}

/// A line for each key, and for each run.
fn lines(index: &Value) -> String {
    let mut keys = Vec::new();
    for (key, value) in index.as_object().into_iter().flatten() {
        let value = match value {
            Value::Array(runs) if !runs.is_empty() => {
                let runs: Vec<String> = runs.iter().map(|run| format!("  {run}")).collect();
                format!("[\n{}\n ]", runs.join(",\n"))
            }
            value => value.to_string(),
        };
        keys.push(format!(" {}: {value}", json!(key)));
    }
    let text = format!("{{\n{}\n}}\n", keys.join(",\n"));
    super::escape::json_controls(&text)
}

fn row<'a>(site: &Site, page: &'a RunPage) -> IndexRun<'a> {
    let run = &page.run;
    let links = site.facts.links_from(&Address::front());
    let mut audit: Vec<&'static str> = Vec::new();
    for finding in &page.derived.audit {
        if !audit.contains(&finding.rule.id()) {
            audit.push(finding.rule.id());
        }
    }
    IndexRun {
        slug: &run.slug,
        title: run.title(),
        address: links.page(&page.address),
        run_json: links.path(&page.address.file("run.json")),
        author: run.facts.text(Fact::Author),
        measured_at: run.facts.text(Fact::MeasuredAt),
        tags: &run.tags,
        complete: run.complete,
        ranked: run.ranked,
        draft: run.draft,
        model: facts(run, Section::Model),
        hardware: facts(run, Section::Hardware),
        engine: facts(run, Section::Engine),
        speculative: run.facts.text(Fact::LaunchCommand).and_then(speculative),
        key_figures: page
            .derived
            .key_figures
            .iter()
            .map(|figure| (figure.id.to_owned(), key_figure(run, figure)))
            .collect(),
        cells: cells(run),
        audit,
    }
}

fn facts(run: &Run, section: Section) -> Map<String, Value> {
    in_section(section)
        .filter_map(|fact| Some((fact.info().key.to_owned(), fact_value(&run.facts, fact)?)))
        .collect()
}

fn in_section(section: Section) -> impl Iterator<Item = Fact> {
    let facts = FACTS.iter().copied();
    facts.filter(move |fact| fact.info().section == section)
}

fn speculative(command: &str) -> Option<Speculative> {
    let (method, tokens) = speculation(&LaunchCommand::parse(command));
    let tokens = tokens.and_then(|n| n.parse().ok());
    (method.is_some() || tokens.is_some()).then_some(Speculative { method, tokens })
}

/// How tokens are guessed ahead and how many, as a launch command asks for it.
pub(super) fn speculation(command: &LaunchCommand) -> (Option<String>, Option<String>) {
    let settings = command.settings();
    let value = |kind| {
        let setting = settings.iter().find(|setting| setting.kind == kind);
        setting.map(|setting| setting.value.clone())
    };
    (
        value(SettingKind::SpeculativeMethod),
        value(SettingKind::SpeculativeTokens),
    )
}

fn key_figure(run: &Run, figure: &KeyFigure) -> Value {
    let mut table = Map::new();
    put_figure(&mut table, figure.metric, figure.figure);
    table.insert("cell".to_owned(), json!(figure.cell));
    for phase in [Phase::Prefill, Phase::Decode] {
        let anchors = run.anchors(phase);
        let mut cells = anchors.iter().zip(run.phase(phase));
        if let Some((_, cell)) = cells.find(|(anchor, _)| **anchor == figure.cell) {
            table.insert("context_label".to_owned(), json!(cell.context.label));
            table.insert("concurrency".to_owned(), json!(cell.concurrency));
            table.insert("status".to_owned(), json!(cell.status.key()));
        }
    }
    table.insert("words".to_owned(), json!(figure.words));
    Value::Object(table)
}

fn cells(run: &Run) -> Map<String, Value> {
    let mut phases = Map::new();
    for phase in Phase::ALL {
        let mut counts = Map::new();
        for status in Status::ALL {
            let cells = run.phase(*phase).iter();
            let n = cells.filter(|cell| cell.status == *status).count();
            if n > 0 {
                counts.insert(status.key().to_owned(), json!(n));
            }
        }
        if !counts.is_empty() {
            phases.insert(phase.key().to_owned(), Value::Object(counts));
        }
    }
    phases
}

/// The JSON Schema (draft 2020-12) of `speedbook.index/1`.
pub fn schema() -> Value {
    let generator = SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator();
    let mut schema = generator.into_root_schema_for::<Index>().to_value();
    without_null(&mut schema);
    schema
}

fn made(value: Value) -> Schema {
    Schema::try_from(value).unwrap_or_default()
}

fn schema_name(_: &mut SchemaGenerator) -> Schema {
    made(json!({"const": INDEX_SCHEMA}))
}

fn model_schema(_: &mut SchemaGenerator) -> Schema {
    section_schema(Section::Model)
}

fn hardware_schema(_: &mut SchemaGenerator) -> Schema {
    section_schema(Section::Hardware)
}

fn engine_schema(_: &mut SchemaGenerator) -> Schema {
    section_schema(Section::Engine)
}

fn section_schema(section: Section) -> Schema {
    let keys: Map<String, Value> = in_section(section)
        .map(|fact| (fact.info().key.to_owned(), fact_schema(fact.info())))
        .collect();
    made(json!({"type": "object", "properties": keys}))
}

fn key_figures_schema(_: &mut SchemaGenerator) -> Schema {
    let mut ids = Map::new();
    for (id, metric, description) in KEY_FIGURES {
        let info = metric.info();
        let schema = json!({
            "type": "object",
            "description": description,
            "required": [info.key, "cell", "words"],
            "properties": {
                info.key: metric_schema(info),
                format!("{}{STEP}", info.key): step_schema(info),
                "cell": {"type": "string", "description": "Anchor of its cell on the page: c64k-n16; prefill p64k."},
                "context_label": {"type": "string", "description": "The cell's context: \"8K\"."},
                "concurrency": {"type": "integer", "minimum": 1, "description": "The cell's simultaneous requests."},
                "status": status_schema(),
                "words": {"type": "string", "description": "The cell in words, with what must be known of it."},
            },
        });
        ids.insert((*id).to_owned(), schema);
    }
    made(json!({"type": "object", "properties": ids}))
}

fn status_schema() -> Value {
    let statuses: Vec<&str> = Status::ALL.iter().map(|status| status.key()).collect();
    json!({"enum": statuses, "description": "What became of the cell."})
}

fn cells_schema(_: &mut SchemaGenerator) -> Schema {
    let count = json!({"type": "integer", "minimum": 1});
    let statuses: Map<String, Value> = Status::ALL
        .iter()
        .map(|status| (status.key().to_owned(), count.clone()))
        .collect();
    let phases: Map<String, Value> = Phase::ALL
        .iter()
        .map(|phase| {
            let counts = json!({"type": "object", "properties": statuses});
            (phase.key().to_owned(), counts)
        })
        .collect();
    made(json!({"type": "object", "properties": phases}))
}
