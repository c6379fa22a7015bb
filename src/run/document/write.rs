//! A run → the text of `run.json`.
//!
//! The layout is made for differences line by line: each top-level key begins a line, each
//! measurement, finding and key figure stands on one of its own.

use serde_json::{Map, Value, json};

use super::{Place, STEP};
use crate::run::fact::{Fact, FactValue, Facts, Section};
use crate::run::figure::Figure;
use crate::run::key_figures::{Derived, KeyFigure};
use crate::run::metric::Metric;
use crate::run::{Measurement, Phase, RUN_SCHEMA, Run};

/// Writes a run as `speedbook.run/1`, with what was worked out of it in `derived`.
///
/// The same run gives the same bytes. Numbers stand in the shortest form that reads back as the
/// same number; a whole one has a fraction only where its step is below one (`30.0` in steps of
/// 0.1). A figure that JSON cannot hold (not finite) is left out.
pub fn to_json(run: &Run, derived: &Derived) -> String {
    let mut page = Page::default();
    page.entry("schema", &json!(RUN_SCHEMA));
    page.entry("slug", &json!(run.slug));
    for (fact, value) in top_facts(run) {
        page.entry(fact.info().key, &value);
    }
    page.entry("tags", &json!(run.tags));
    page.entry("complete", &json!(run.complete));
    if !run.ranked {
        page.entry("ranked", &json!(false));
    }
    if run.draft {
        page.entry("draft", &json!(true));
    }
    if !run.aliases.is_empty() {
        page.entry("aliases", &json!(run.aliases));
    }
    for section in Section::ALL.iter().filter(|s| **s != Section::Top) {
        page.entry(section.key(), &facts_value(run, *section));
    }
    if let Some(command) = fact_value(&run.facts, Fact::LaunchCommand) {
        page.entry(Fact::LaunchCommand.info().key, &command);
    }
    page.entry("notes", &json!(run.notes));
    if let Some(markdown) = &run.notes_markdown {
        page.entry("notes_markdown", &json!(markdown));
    }
    for phase in Phase::ALL {
        let cells: Vec<Value> = run
            .phase(*phase)
            .iter()
            .map(|m| cell_value(*phase, m))
            .collect();
        page.list(phase.key(), &cells);
    }
    for (key, value) in run.unknown.iter().filter(|(key, _)| !Place::Top.knows(key)) {
        page.entry(key, value);
    }
    page.entry("source", &source_value(run));
    page.derived(derived);
    page.finish()
}

/// The text while it grows.
#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    /// Begins a line of its own for a top-level key.
    fn key(&mut self, key: &str) {
        self.text
            .push_str(if self.text.is_empty() { "{\n" } else { ",\n" });
        self.text.push_str(&format!(" {}: ", json!(key)));
    }

    fn entry(&mut self, key: &str, value: &Value) {
        self.key(key);
        self.text.push_str(&value.to_string());
    }

    fn list(&mut self, key: &str, items: &[Value]) {
        self.key(key);
        self.text.push_str(&lines(items, "  ", " "));
    }

    fn derived(&mut self, derived: &Derived) {
        let audit: Vec<Value> = derived
            .audit
            .iter()
            .map(|f| json!({"id": f.rule.id(), "cells": f.cells, "sentence": f.sentence}))
            .collect();
        let key_figures: Vec<Value> = derived.key_figures.iter().map(key_figure_value).collect();
        self.key("derived");
        self.text.push_str(&format!(
            "{{\n  \"audit\": {},\n  \"key_figures\": {}\n }}",
            lines(&audit, "   ", "  "),
            lines(&key_figures, "   ", "  ")
        ));
    }

    fn finish(mut self) -> String {
        self.text.push_str("\n}\n");
        self.text
    }
}

/// A list with each item on its own line.
fn lines(items: &[Value], indent: &str, close: &str) -> String {
    if items.is_empty() {
        return "[]".to_owned();
    }
    let items: Vec<String> = items.iter().map(|item| format!("{indent}{item}")).collect();
    format!("[\n{}\n{close}]", items.join(",\n"))
}

/// The top-level facts that stand before the sections: all but the launch command. The title is
/// always among them.
fn top_facts(run: &Run) -> impl Iterator<Item = (Fact, Value)> {
    Fact::ALL
        .iter()
        .copied()
        .filter(|fact| fact.info().section == Section::Top && *fact != Fact::LaunchCommand)
        .filter_map(|fact| {
            let value = fact_value(&run.facts, fact);
            let value = value.or_else(|| (fact == Fact::Title).then(|| json!(run.title())));
            Some((fact, value?))
        })
}

/// A table of facts, with the unknown keys that stood in it.
fn facts_value(run: &Run, section: Section) -> Value {
    let mut table = Map::new();
    for fact in Fact::ALL.iter().filter(|f| f.info().section == section) {
        if let Some(value) = fact_value(&run.facts, *fact) {
            table.insert(fact.info().key.to_owned(), value);
        }
    }
    append_unknown(
        &mut table,
        run.unknown.get(section.key()),
        Place::Facts(section),
    );
    Value::Object(table)
}

fn source_value(run: &Run) -> Value {
    let mut table = Map::new();
    table.insert("path".to_owned(), json!(run.source.path));
    table.insert("format".to_owned(), json!(run.source.format));
    table.insert("sha256".to_owned(), json!(run.source.sha256));
    append_unknown(&mut table, run.unknown.get("source"), Place::Source);
    Value::Object(table)
}

fn append_unknown(table: &mut Map<String, Value>, unknown: Option<&Value>, place: Place) {
    if let Some(Value::Object(unknown)) = unknown {
        for (key, value) in unknown.iter().filter(|(key, _)| !place.knows(key)) {
            table.insert(key.clone(), value.clone());
        }
    }
}

/// A fact as JSON; a blank text is no fact.
pub(crate) fn fact_value(facts: &Facts, fact: Fact) -> Option<Value> {
    match facts.get(fact)? {
        FactValue::Text(text) => (!text.trim().is_empty()).then(|| json!(text)),
        FactValue::Count(n) => Some(json!(n)),
        FactValue::Number(x) => number(*x, None),
    }
}

fn cell_value(phase: Phase, cell: &Measurement) -> Value {
    let mut table = Map::new();
    let mut put = |key: &str, value: Value| {
        table.insert(key.to_owned(), value);
    };
    put("context_label", json!(cell.context.label));
    if let Some(tokens) = cell.context.tokens {
        put("context_tokens", json!(tokens));
    }
    if cell.context.derived {
        put("context_tokens_derived", json!(true));
    }
    if phase != Phase::Prefill || cell.concurrency != 1 {
        put("concurrency", json!(cell.concurrency));
    }
    put("status", json!(cell.status.key()));
    for (key, text) in [
        ("status_text", &cell.status_text),
        ("reason", &cell.reason),
        ("method", &cell.method),
        ("token_source", &cell.token_source),
    ] {
        if let Some(text) = text {
            put(key, json!(text));
        }
    }
    for (metric, figure) in cell.figures.iter() {
        put_figure(&mut table, metric, figure);
    }
    for (key, value) in cell.unknown.iter().filter(|(k, _)| !Place::Cell.knows(k)) {
        table.insert(key.clone(), value.clone());
    }
    Value::Object(table)
}

/// A figure, and its step right behind it.
pub(crate) fn put_figure(table: &mut Map<String, Value>, metric: Metric, figure: Figure) {
    let info = metric.info();
    let value = if info.count {
        number(figure.value.round(), None)
    } else {
        number(figure.value, figure.step)
    };
    let Some(value) = value else { return };
    table.insert(info.key.to_owned(), value);
    let step = figure.step.filter(|step| *step > 0.0);
    if let Some(step) = step.and_then(|step| number(step, None)) {
        table.insert(format!("{}{STEP}", info.key), step);
    }
}

fn key_figure_value(key_figure: &KeyFigure) -> Value {
    let mut table = Map::new();
    table.insert("id".to_owned(), json!(key_figure.id));
    table.insert("label".to_owned(), json!(key_figure.label));
    table.insert("value".to_owned(), json!(key_figure.value));
    table.insert("words".to_owned(), json!(key_figure.words));
    table.insert("cell".to_owned(), json!(key_figure.cell));
    put_figure(&mut table, key_figure.metric, key_figure.figure);
    Value::Object(table)
}

/// A number in its shortest form; `None` where JSON has none for it.
fn number(value: f64, step: Option<f64>) -> Option<Value> {
    // Below 2^53 every whole double is exact.
    let whole = value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0;
    if whole && !step.is_some_and(|step| step < 1.0) {
        return Some(json!(value as i64));
    }
    // Adding zero makes a negative zero a plain one.
    serde_json::Number::from_f64(value + 0.0).map(Value::Number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Context, Status};

    fn cell(label: &str, concurrency: u64) -> Measurement {
        Measurement {
            context: Context::from_label(label, true),
            concurrency,
            ..Measurement::default()
        }
    }

    fn example() -> Run {
        let mut run = Run::new();
        run.slug = "a/b".to_owned();
        run.facts.set_text(Fact::Title, "Qwen on 4 × H200");
        run.facts.set_text(Fact::LaunchCommand, "vllm serve \"q\"");
        run.facts.set(Fact::GpuCount, FactValue::Count(4));
        run.facts.set(Fact::VramGbPerGpu, FactValue::Number(141.0));
        let mut prefill = cell("8K", 1);
        prefill
            .figures
            .set(Metric::PrefillTokPerS, Figure::rounded(13_700.0, 100.0));
        run.prefill.push(prefill);
        let mut decode = cell("8K", 1);
        for (metric, figure) in [
            (Metric::TotalTokPerS, Figure::rounded(82.9, 0.1)),
            (Metric::TtftMs, Figure::rounded(584.0, 1.0)),
            (Metric::ActiveRequests, Figure::rounded(1.0, 0.1)),
            (Metric::CompletedRequests, Figure::exact(0.0)),
            (Metric::ItlMs, Figure::exact(f64::NAN)),
        ] {
            decode.figures.set(metric, figure);
        }
        decode.unknown.insert("future".to_owned(), json!([1]));
        run.decode.push(decode);
        let mut over = cell("8K", 2);
        over.status = Status::OverCapacity;
        over.reason = Some("KV cache".to_owned());
        run.decode.push(over);
        run.unknown.insert("later".to_owned(), json!({"a": 1}));
        run.unknown.insert("model".to_owned(), json!({"size": 3}));
        run
    }

    #[test]
    fn a_run_is_written_a_cell_a_line() {
        insta::assert_snapshot!(to_json(&example(), &Derived::default()), @r#"
        {
         "schema": "speedbook.run/1",
         "slug": "a/b",
         "title": "Qwen on 4 × H200",
         "tags": [],
         "complete": true,
         "model": {"size":3},
         "hardware": {"gpu_count":4,"vram_gb_per_gpu":141},
         "engine": {},
         "method": {},
         "launch_command": "vllm serve \"q\"",
         "notes": [],
         "prefill": [
          {"context_label":"8K","context_tokens":8192,"context_tokens_derived":true,"status":"valid","tok_per_s":13700,"tok_per_s_step":100}
         ],
         "decode": [
          {"context_label":"8K","context_tokens":8192,"context_tokens_derived":true,"concurrency":1,"status":"valid","total_tok_per_s":82.9,"total_tok_per_s_step":0.1,"ttft_ms":584,"ttft_ms_step":1,"active_requests":1.0,"active_requests_step":0.1,"completed_requests":0,"future":[1]},
          {"context_label":"8K","context_tokens":8192,"context_tokens_derived":true,"concurrency":2,"status":"over_capacity","reason":"KV cache"}
         ],
         "burst": [],
         "later": {"a":1},
         "source": {"path":"","format":"","sha256":""},
         "derived": {
          "audit": [],
          "key_figures": []
         }
        }
        "#);
    }

    #[test]
    fn what_differs_from_the_default_is_said() {
        let mut run = example();
        run.ranked = false;
        run.draft = true;
        run.complete = false;
        run.aliases = vec!["/old/".to_owned()];
        let text = to_json(&run, &Derived::default());
        let lines = " \"complete\": false,\n \"ranked\": false,\n \"draft\": true,\n \"aliases\": [\"/old/\"],\n";
        assert!(text.contains(lines), "{text}");
    }

    #[test]
    fn numbers_are_as_short_as_they_can_be() {
        for (value, step, text) in [
            (30.0, Some(0.1), "30.0"),
            (30.0, None, "30"),
            (1646.0, Some(1.0), "1646"),
            (0.1 + 0.2, None, "0.30000000000000004"),
            (1e300, None, "1e+300"),
            (-0.0, None, "0"),
            (-0.0, Some(0.1), "0.0"),
        ] {
            assert_eq!(number(value, step).unwrap().to_string(), text);
        }
        assert_eq!(number(f64::INFINITY, None), None);
    }
}
