//! The JSON Schema of `run.json`, made from the tables of facts and metrics.

use serde_json::{Map, Value, json};

use super::{REQUIRED_KEYS, STEP};
use crate::run::audit::Rule;
use crate::run::fact::{Fact, FactInfo, Kind, Section};
use crate::run::metric::{Metric, MetricInfo};
use crate::run::{Phase, RUN_SCHEMA, Status};

/// The JSON Schema (draft 2020-12) of `speedbook.run/1`. Further keys are allowed everywhere: they
/// may be added within this version.
pub fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": RUN_SCHEMA,
        "description": "One benchmark of one served language model. Units stand in the keys; KEY_step is the step that KEY was rounded to, and a figure without one is as measured. What is absent is not known.",
        "type": "object",
        "required": REQUIRED_KEYS,
        "properties": top(),
        "$defs": {"measurement": measurement()},
    })
}

fn top() -> Value {
    let mut keys = Map::new();
    let mut put = |key: &str, value: Value| {
        keys.insert(key.to_owned(), value);
    };
    put(
        "schema",
        json!({"const": RUN_SCHEMA, "description": "Name and version of this schema."}),
    );
    put(
        "slug",
        json!({"type": "string", "minLength": 1, "description": "The run's address below /runs/."}),
    );
    for fact in facts(Section::Top).filter(|info| info.key != Fact::LaunchCommand.info().key) {
        put(fact.key, fact_schema(fact));
    }
    put("tags", texts("Words to find the run by."));
    put(
        "complete",
        flag(true, "False where the run was interrupted."),
    );
    put(
        "ranked",
        flag(true, "False where it must not be ranked among others."),
    );
    put(
        "draft",
        flag(false, "Whether it is published only when drafts are."),
    );
    put(
        "aliases",
        texts("Other addresses that lead to the run's page."),
    );
    for section in Section::ALL.iter().filter(|s| **s != Section::Top) {
        let table: Map<String, Value> = facts(*section)
            .map(|info| (info.key.to_owned(), fact_schema(info)))
            .collect();
        put(
            section.key(),
            json!({"type": "object", "description": section_description(*section), "properties": table}),
        );
    }
    put(
        Fact::LaunchCommand.info().key,
        fact_schema(Fact::LaunchCommand.info()),
    );
    put(
        "notes",
        texts("What the source says of its method, a sentence each."),
    );
    put("notes_markdown", text("The author's notes, in Markdown."));
    for phase in Phase::ALL {
        put(phase.key(), phase_schema(*phase));
    }
    put(
        "source",
        json!({"type": "object", "description": "The file that the run was read from.", "properties": {
            "path": text("Path below the site's content folder."),
            "format": text("Name of its format."),
            "sha256": text("SHA-256 of its bytes, in hexadecimal."),
        }}),
    );
    put("derived", derived());
    Value::Object(keys)
}

fn facts(section: Section) -> impl Iterator<Item = &'static FactInfo> {
    Fact::ALL
        .iter()
        .map(|fact| fact.info())
        .filter(move |info| info.section == section)
}

fn section_description(section: Section) -> &'static str {
    match section {
        Section::Top => "",
        Section::Model => "The model that was served.",
        Section::Hardware => "The machine that served it.",
        Section::Engine => "The program that served it.",
        Section::Method => "How it was measured.",
    }
}

/// The schema of a fact.
pub(crate) fn fact_schema(info: &FactInfo) -> Value {
    let mut schema = match info.kind {
        Kind::Text | Kind::Lines | Kind::Time => json!({"type": "string", "minLength": 1}),
        Kind::Url => json!({"type": "string", "pattern": "^https?://"}),
        Kind::Count => json!({"type": "integer", "minimum": 0}),
        Kind::Number => json!({"type": "number", "minimum": 0}),
    };
    if let Value::Object(schema) = &mut schema {
        schema.insert("description".to_owned(), json!(info.description));
    }
    schema
}

fn phase_schema(phase: Phase) -> Value {
    let description = match phase {
        Phase::Prefill => "Prompt reading by one request, by context.",
        Phase::Decode => {
            "The sustained decode matrix: requests kept running for the whole window, by context and concurrency."
        }
        Phase::Burst => {
            "The burst matrix: requests sent at once and drained. Not comparable with decode."
        }
    };
    let reference = json!({"$ref": "#/$defs/measurement"});
    let items = match phase {
        Phase::Prefill => reference,
        Phase::Decode | Phase::Burst => {
            json!({"allOf": [reference], "required": ["concurrency"]})
        }
    };
    json!({"type": "array", "description": description, "items": items})
}

fn measurement() -> Value {
    let statuses: Vec<&str> = Status::ALL.iter().map(|s| s.key()).collect();
    let mut keys = Map::new();
    let mut put = |key: &str, value: Value| {
        keys.insert(key.to_owned(), value);
    };
    put(
        "context_label",
        json!({"type": "string", "minLength": 1, "description": "Tokens already in the prompt (prefill: tokens of the prompt), as the source names them: \"8K\"."}),
    );
    put(
        "context_tokens",
        json!({"type": "integer", "minimum": 0, "description": "The exact number, where it is known."}),
    );
    put(
        "context_tokens_derived",
        flag(
            false,
            "Whether context_tokens was worked out from the label.",
        ),
    );
    put(
        "concurrency",
        json!({"type": "integer", "minimum": 1, "description": "Simultaneous requests asked for; 1 where it is absent (prefill)."}),
    );
    put(
        "status",
        json!({"enum": statuses, "description": "What became of the measurement."}),
    );
    put(
        "status_text",
        text("The source's own word, where status is \"other\"."),
    );
    put("reason", text("Why, where the source tells it."));
    put("method", text("How this point was measured."));
    put("token_source", text("How tokens were counted."));
    let mut steps = Map::new();
    for metric in Metric::ALL {
        let info = metric.info();
        let step = format!("{}{STEP}", info.key);
        put(info.key, metric_schema(info));
        put(&step, step_schema(info));
        steps.insert(step, json!([info.key]));
    }
    json!({
        "type": "object",
        "required": ["context_label", "status"],
        "properties": keys,
        "dependentRequired": steps,
    })
}

/// The schema of a figure.
pub(crate) fn metric_schema(info: &MetricInfo) -> Value {
    let kind = if info.count { "integer" } else { "number" };
    let unit = match (info.display, info.unit) {
        (crate::run::metric::Display::Percent, _) => " A share from 0 to 1.".to_owned(),
        (_, "") => String::new(),
        (_, unit) => format!(" In {unit}."),
    };
    json!({
        "type": kind,
        "minimum": 0,
        "title": info.label,
        "description": format!("{}{unit}", info.definition),
    })
}

/// The schema of the step that a figure was rounded to.
pub(crate) fn step_schema(info: &MetricInfo) -> Value {
    json!({"type": "number", "exclusiveMinimum": 0, "description": format!("The step that {} was rounded to.", info.key)})
}

fn derived() -> Value {
    let rules: Vec<&str> = Rule::ALL.iter().map(|rule| rule.id()).collect();
    let cell = "Anchor of a measurement: c64k-n16; prefill p64k.";
    json!({
        "type": "object",
        "description": "What was worked out of the figures above. Reading a document ignores it.",
        "properties": {
            "audit": {
                "type": "array",
                "description": "What the run's own figures say against it.",
                "items": {"type": "object", "required": ["id", "cells", "sentence"], "properties": {
                    "id": {"type": "string", "description": "The rule.", "examples": rules},
                    "cells": texts(cell),
                    "sentence": text("What was found, with numbers."),
                }},
            },
            "key_figures": {
                "type": "array",
                "description": "The figures at the head of the page, each also under its metric's key.",
                "items": {"type": "object", "required": ["id", "label", "value", "words", "cell"], "properties": {
                    "id": text("one_request, highest_total, most_at_20 or fastest_prefill."),
                    "label": text("Its name on the page."),
                    "value": text("The figure with its unit."),
                    "words": text("Where it was measured, in words."),
                    "cell": text(cell),
                }},
            },
        },
    })
}

fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

fn texts(description: &str) -> Value {
    json!({"type": "array", "items": {"type": "string"}, "description": description})
}

fn flag(default: bool, description: &str) -> Value {
    json!({"type": "boolean", "default": default, "description": description})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_schema_and_knows_every_fact_and_metric() {
        let schema = schema();
        assert!(jsonschema::draft202012::meta::is_valid(&schema));
        for fact in Fact::ALL {
            let info = fact.info();
            let table = match info.section {
                Section::Top => &schema["properties"],
                section => &schema["properties"][section.key()]["properties"],
            };
            assert!(table[info.key]["description"].is_string(), "{fact:?}");
        }
        for metric in Metric::ALL {
            let cell = &schema["$defs"]["measurement"]["properties"];
            assert!(cell[metric.info().key]["description"].is_string());
        }
    }
}
