//! The format `speedbook.run/1`: what [`crate::run::document`] writes, read back.
//!
//! Keys come from the same tables as there. Everything wrong is reported, each with its place; keys
//! that this version does not know are kept with a warning; `derived` is left unread. A null is the
//! same as no key.

mod reader;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde_json::Value;

use super::json::JsonNode;
use super::{Format, Imported, Input, Outcome};
use crate::diagnostic::{Code, Diagnostic};
use crate::run::document::{self, Place, REQUIRED_KEYS, STEP};
use crate::run::fact::Kind;
use crate::run::time::MeasuredAt;
use crate::run::{
    Context, Fact, FactValue, Facts, Figure, Measurement, Metric, Phase, RUN_SCHEMA, Run, Section,
    Source, Status,
};

use reader::{Fields, Reader};

/// The format.
pub struct SpeedbookRun;

impl Format for SpeedbookRun {
    fn name(&self) -> &'static str {
        RUN_SCHEMA
    }

    fn looks_for(&self) -> &'static str {
        "JSON with \"schema\": \"speedbook.run/1\""
    }

    fn recognises(&self, input: &Input) -> bool {
        schema_of(input).is_some_and(|(_, name)| name.starts_with(document::family()))
    }

    fn import(&self, input: &Input) -> Result<Outcome, Vec<Diagnostic>> {
        let mut reader = Reader::new(input.path, input.text);
        let mut run = Run::new();
        if let (Some(root), true) = (&input.json, check_version(&mut reader, input)) {
            read_run(&mut reader, root, &mut run);
        }
        if !reader.problems.is_empty() {
            return Err(reader.problems);
        }
        run.sort();
        Ok(Outcome::Run(Box::new(Imported {
            run,
            hints: Facts::default(),
            private_names: Vec::new(),
            warnings: reader.into_warnings(),
        })))
    }
}

/// The schema that a document names.
fn schema_of<'a>(input: &Input<'a>) -> Option<(JsonNode<'a>, String)> {
    let node = input.json.as_ref()?.get("schema")?;
    Some((node, node.text()?))
}

/// Whether the document's version is one that can be read: ours, or a later one of the same major
/// number, to which keys were only added.
fn check_version(reader: &mut Reader, input: &Input) -> bool {
    let Some((node, name)) = schema_of(input) else {
        return false;
    };
    let ours = name.strip_prefix(RUN_SCHEMA).unwrap_or("?");
    let place = reader.place(&node);
    if ours.starts_with('.') {
        let message = format!("the file is {name}, newer than {RUN_SCHEMA}");
        let warning = Diagnostic::new(Code::NewerVersion, place, message)
            .help("it is read as far as it is known; update gen to read all of it");
        reader.warnings.push(warning);
        return true;
    }
    if !ours.is_empty() {
        let message = format!("the file is {name}, and this version reads {RUN_SCHEMA} only");
        let problem = Diagnostic::new(Code::JsonShape, place, message)
            .help(format!("update gen, or write the run as {RUN_SCHEMA}"));
        reader.problems.push(problem);
    }
    ours.is_empty()
}

fn read_run<'a>(reader: &mut Reader<'a>, root: &JsonNode<'a>, run: &mut Run) {
    let Some(fields) = reader.fields(root, "the document", Place::Top) else {
        return;
    };
    for key in REQUIRED_KEYS {
        if !fields.known.iter().any(|(known, _)| known == key) {
            let expected = match document::phase(key) {
                Some(_) => "a list, empty where nothing was measured",
                None => "a text",
            };
            reader.missing(root, key, expected);
        }
    }
    run.unknown = fields.unknown;
    for (key, node) in &fields.known {
        match key.as_str() {
            "slug" => run.slug = read_slug(reader, node).unwrap_or_default(),
            "tags" => run.tags = reader.texts(node, key),
            "complete" => run.complete = reader.boolean(node, key).unwrap_or_default(),
            "ranked" => run.ranked = reader.boolean(node, key).unwrap_or_default(),
            "draft" => run.draft = reader.boolean(node, key).unwrap_or_default(),
            "aliases" => run.aliases = reader.texts(node, key),
            "notes" => run.notes = reader.texts(node, key),
            "notes_markdown" => run.notes_markdown = reader.text(node, key),
            "source" => read_source(reader, node, run),
            key => {
                if let Some(fact) = Fact::from_key(Section::Top, key) {
                    read_fact(reader, node, fact, &mut run.facts);
                } else if let Some(section) = document::section(key) {
                    read_section(reader, node, section, run);
                } else if let Some(phase) = document::phase(key) {
                    *run.phase_mut(phase) = read_phase(reader, node, phase);
                }
                // Left are `schema`, which was checked before, and `derived`.
            }
        }
    }
}

/// A path without parts that lead elsewhere.
fn read_slug(reader: &mut Reader, node: &JsonNode) -> Option<String> {
    let slug = reader.words(node, "slug")?;
    let leads_elsewhere = slug
        .split('/')
        .any(|part| part.trim().is_empty() || part == "." || part == "..");
    if leads_elsewhere || slug.contains(|c: char| c == '\\' || c.is_control()) {
        reader.refuse(
            node,
            "slug",
            "a path like `qwen/h200`, without empty parts, `..`, backslashes and control characters",
        );
        return None;
    }
    Some(slug)
}

fn read_source<'a>(reader: &mut Reader<'a>, node: &JsonNode<'a>, run: &mut Run) {
    let Some(fields) = reader.fields(node, "source", Place::Source) else {
        return;
    };
    let mut source = Source::default();
    for (key, node) in &fields.known {
        let text = reader.text(node, &format!("source.{key}"));
        match key.as_str() {
            "path" => source.path = text.unwrap_or_default(),
            "format" => source.format = text.unwrap_or_default(),
            _ => source.sha256 = text.unwrap_or_default(),
        }
    }
    run.source = source;
    keep_unknown(run, "source", fields);
}

fn read_section<'a>(reader: &mut Reader<'a>, node: &JsonNode<'a>, section: Section, run: &mut Run) {
    let Some(fields) = reader.fields(node, section.key(), Place::Facts(section)) else {
        return;
    };
    for (key, node) in &fields.known {
        if let Some(fact) = Fact::from_key(section, key) {
            read_fact(reader, node, fact, &mut run.facts);
        }
    }
    keep_unknown(run, section.key(), fields);
}

/// Keeps what was unknown in an object of the document below the object's name.
fn keep_unknown(run: &mut Run, name: &str, fields: Fields) {
    if !fields.unknown.is_empty() {
        run.unknown
            .insert(name.to_owned(), Value::Object(fields.unknown));
    }
}

fn read_fact(reader: &mut Reader, node: &JsonNode, fact: Fact, facts: &mut Facts) {
    let name = fact.path();
    let value = match fact.info().kind {
        Kind::Count => reader.count(node, &name, 0).map(FactValue::Count),
        Kind::Number => reader.number(node, &name).map(FactValue::Number),
        Kind::Text | Kind::Lines => reader.words(node, &name).map(FactValue::Text),
        Kind::Time => {
            let text = reader.words(node, &name);
            let good = |text: &String| MeasuredAt::parse(text).is_ok();
            checked(
                reader,
                node,
                &name,
                text,
                good,
                "a date or time (2026-09-13, 2026-09-13T02:25:00 or 2026-09-13T02:25:00+02:00)",
            )
        }
        Kind::Url => {
            let text = reader.words(node, &name);
            let good = |text: &String| text.starts_with("http://") || text.starts_with("https://");
            checked(reader, node, &name, text, good, "an http or https address")
        }
    };
    if let Some(value) = value {
        facts.set(fact, value);
    }
}

/// A text that follows a notation.
fn checked(
    reader: &mut Reader,
    node: &JsonNode,
    name: &str,
    text: Option<String>,
    good: impl Fn(&String) -> bool,
    expected: &str,
) -> Option<FactValue> {
    let text = text?;
    if good(&text) {
        return Some(FactValue::Text(text));
    }
    reader.refuse(node, name, expected);
    None
}

fn read_phase<'a>(reader: &mut Reader<'a>, node: &JsonNode<'a>, phase: Phase) -> Vec<Measurement> {
    let mut cells = Vec::new();
    let mut first: BTreeMap<(Option<u64>, String, u64), crate::diagnostic::Place> = BTreeMap::new();
    for node in reader.list(node, phase.key()) {
        let Some(cell) = read_cell(reader, &node, phase) else {
            continue;
        };
        let context = &cell.context;
        // Two names of one number of tokens are one context.
        let label = match context.tokens {
            Some(_) => String::new(),
            None => context.label.clone(),
        };
        let place = reader.place(&node);
        match first.entry((context.tokens, label, cell.concurrency)) {
            Entry::Vacant(entry) => {
                entry.insert(place);
            }
            Entry::Occupied(entry) => {
                let message = match phase {
                    Phase::Prefill => format!("the prefill point {} stands twice", context.label),
                    _ => format!(
                        "the cell {} × {} stands twice in `{}`",
                        context.label,
                        cell.concurrency,
                        phase.key()
                    ),
                };
                reader.problems.push(
                    Diagnostic::new(Code::DuplicateCell, place, message)
                        .also(entry.get().clone(), "the first one")
                        .help("remove one of them"),
                );
            }
        }
        cells.push(cell);
    }
    cells
}

fn read_cell<'a>(
    reader: &mut Reader<'a>,
    object: &JsonNode<'a>,
    phase: Phase,
) -> Option<Measurement> {
    let before = reader.problems.len();
    let name = format!("{}[]", phase.key());
    let fields = reader.fields(object, &name, Place::Cell)?;
    let mut cell = Measurement {
        unknown: fields.unknown,
        ..Measurement::default()
    };
    let (mut label, mut concurrency, mut status) = (None, None, None);
    let mut steps = Vec::new();
    for (key, node) in &fields.known {
        match key.as_str() {
            "context_label" => label = reader.words(node, key),
            "context_tokens" => cell.context.tokens = reader.count(node, key, 0),
            "context_tokens_derived" => {
                cell.context.derived = reader.boolean(node, key).unwrap_or_default();
            }
            "concurrency" => concurrency = reader.count(node, key, 1),
            "status" => status = reader.words(node, key).map(|word| (word, *node)),
            "status_text" => cell.status_text = reader.text(node, key),
            "reason" => cell.reason = reader.text(node, key),
            "method" => cell.method = reader.text(node, key),
            "token_source" => cell.token_source = reader.text(node, key),
            key => match key.strip_suffix(STEP) {
                Some(figure) => {
                    let step = reader.step(node, key);
                    steps.push((Metric::from_key(figure)?, step, *node));
                }
                None => read_figure(reader, node, Metric::from_key(key)?, &mut cell),
            },
        }
    }
    for (metric, step, node) in steps {
        match cell.get(metric) {
            Some(figure) => cell.figures.set(metric, Figure { step, ..figure }),
            None if reader.problems.len() == before => {
                let key = metric.info().key;
                let expected = format!("absent where there is no `{key}`");
                reader.refuse(&node, &format!("{key}{STEP}"), &expected);
            }
            // The figure itself was refused.
            None => {}
        }
    }
    let has = |key: &str| fields.known.iter().any(|(known, _)| known == key);
    match (label, cell.context.tokens) {
        (Some(label), _) => cell.context.label = label,
        (None, Some(tokens)) => cell.context.label = Context::from_tokens(tokens).label,
        (None, None) if has("context_label") || has("context_tokens") => {}
        (None, None) => reader.missing(object, "context_label", "a text like \"8K\""),
    }
    if concurrency.is_none() && !has("concurrency") && phase != Phase::Prefill {
        reader.missing(object, "concurrency", "a whole number from 1");
    }
    cell.concurrency = concurrency.unwrap_or(1);
    match status {
        Some((word, node)) => read_status(reader, &word, &node, &mut cell),
        None if has("status") => {}
        None => reader.missing(object, "status", "a word like \"valid\""),
    }
    (reader.problems.len() == before).then_some(cell)
}

fn read_figure(reader: &mut Reader, node: &JsonNode, metric: Metric, cell: &mut Measurement) {
    let key = metric.info().key;
    let value = if metric.info().count {
        reader.whole_number(node, key)
    } else {
        reader.number(node, key)
    };
    if let Some(value) = value {
        cell.figures.set(metric, Figure::exact(value));
    }
}

/// A status word; one that is not known is kept as the source's own.
fn read_status(reader: &mut Reader, word: &str, node: &JsonNode, cell: &mut Measurement) {
    if let Some(status) = Status::from_key(word) {
        cell.status = status;
        return;
    }
    cell.status = Status::Other;
    cell.status_text.get_or_insert_with(|| word.to_owned());
    let place = reader.place(node);
    let known: Vec<&str> = Status::ALL.iter().map(|status| status.key()).collect();
    let message = format!("the status \"{word}\" is not known");
    let warning = Diagnostic::new(Code::UnknownStatus, place, message)
        .help(format!("known are {}", known.join(", ")));
    reader.warnings.push(warning);
}
