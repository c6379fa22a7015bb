//! JSON Schemas of the TOML that users write, made from the tables of its keys: for editors, which
//! complete and check by them, and for programs that write such files.
//!
//! They say what the tables say; `gen` checks more (time zones, patterns, addresses).

use serde_json::{Map, Value, json};

use crate::config;
use crate::content::sidecar;
use crate::toml_keys::{Key, Shape};

/// The schema of site.toml.
pub fn site() -> Value {
    schema(
        config::FILE,
        "What the owner of a speedbook site decides. Every key may be absent.",
        &config::keys(),
    )
}

/// The schema of the front matter of a run's sidecar.
pub fn sidecar() -> Value {
    schema(
        "Front matter of a run's sidecar",
        "What NAME.md states of the run in NAME.json or NAME.txt, between its +++ lines. Every key may be absent.",
        &sidecar::sidecar_keys(),
    )
}

/// The schema of a text with these keys; others are refused, as when it is read.
pub fn schema(title: &str, description: &str, keys: &[Key]) -> Value {
    let mut schema = Map::new();
    let draft = "https://json-schema.org/draft/2020-12/schema";
    schema.insert("$schema".to_owned(), json!(draft));
    schema.insert("title".to_owned(), json!(title));
    schema.insert("description".to_owned(), json!(description));
    schema.extend(table(keys));
    Value::Object(schema)
}

fn table(keys: &[Key]) -> Map<String, Value> {
    let properties: Map<String, Value> = keys
        .iter()
        .map(|key| {
            let mut schema = shape(&key.shape);
            schema.insert("description".to_owned(), json!(key.description));
            (key.name.to_owned(), Value::Object(schema))
        })
        .collect();
    object(json!({
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    }))
}

fn shape(shape: &Shape) -> Map<String, Value> {
    // Something that is no white space, on one line: a text loses the white space at its ends.
    let text = json!({"type": "string", "pattern": r"^\s*\S[^\n\r]*\s*$"});
    let number = json!({"type": "number", "minimum": 0});
    object(match shape {
        Shape::Text => text,
        Shape::Lines => json!({"type": "string", "pattern": r"\S"}),
        Shape::Texts => json!({"type": "array", "items": text}),
        Shape::Switch => json!({"type": "boolean"}),
        Shape::Count => json!({"type": "integer", "minimum": 0}),
        Shape::Number => number,
        Shape::Time => json!({"type": "string", "pattern": r"^\s*\d{4}-\d{2}-\d{2}"}),
        Shape::Url => json!({"type": "string", "pattern": r"^\s*[Hh][Tt][Tt][Pp][Ss]?://[^/]"}),
        Shape::Table(keys) => return table(keys),
        Shape::Tables(keys) => json!({"type": "array", "items": table(keys)}),
        Shape::NumberByName => json!({"type": "object", "additionalProperties": number}),
        Shape::TextByName => json!({"type": "object", "additionalProperties": text}),
    })
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toml_keys::paths;

    #[test]
    fn every_key_has_its_schema() {
        for (schema, keys) in [
            (site(), config::keys()),
            (sidecar(), sidecar::sidecar_keys()),
        ] {
            assert!(jsonschema::draft202012::meta::is_valid(&schema));
            for (path, key) in paths(&keys) {
                let at = path.split('.').fold(&schema, |at, name| {
                    let at = at.get("items").unwrap_or(at);
                    &at["properties"][name]
                });
                assert_eq!(at["description"], key.description, "{path}");
            }
        }
    }

    #[test]
    fn a_value_of_each_shape_is_taken_and_others_are_not() {
        let inner = vec![Key::new("a", Shape::Switch, "A.")];
        for (shape, right, wrong) in [
            (
                Shape::Text,
                json!([" a b ", "a\n"]),
                json!(["", "  ", "a\nb", 1]),
            ),
            (Shape::Lines, json!(["a\nb"]), json!(["", "\n", 1])),
            (Shape::Texts, json!([[], ["a"]]), json!(["a", [1]])),
            (Shape::Switch, json!([true]), json!(["true"])),
            (Shape::Count, json!([0, 3]), json!([-1, 1.5, "1"])),
            (Shape::Number, json!([0, 1.5]), json!([-0.5, "1"])),
            (
                Shape::Time,
                json!(["2026-09-13"]),
                json!(["yesterday", 2026]),
            ),
            (
                Shape::Url,
                json!(["HTTP://a"]),
                json!(["ftp://a", "https:///a"]),
            ),
            (
                Shape::Table(inner.clone()),
                json!([{}, {"a": true}]),
                json!([[], {"b": 1}]),
            ),
            (
                Shape::Tables(inner),
                json!([[{"a": true}]]),
                json!([{"a": true}]),
            ),
            (Shape::NumberByName, json!([{"x": 1}]), json!([{"x": "1"}])),
            (Shape::TextByName, json!([{"x": "y"}]), json!([{"x": 1}])),
        ] {
            let schema = schema("t", "d", &[Key::new("k", shape.clone(), "K.")]);
            let validator = jsonschema::validator_for(&schema).unwrap();
            for value in right.as_array().unwrap() {
                assert!(
                    validator.is_valid(&json!({"k": value})),
                    "{shape:?} {value}"
                );
            }
            for value in wrong.as_array().unwrap() {
                assert!(
                    !validator.is_valid(&json!({"k": value})),
                    "{shape:?} {value}"
                );
            }
        }
    }
}
