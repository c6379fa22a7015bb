//! Long JSON values of a launch command, key by key.

use serde_json::Value;

use super::copy::written;
use super::flags::{is_flag, is_hidden};
use super::{LaunchCommand, is_assignment};

/// A JSON value of at least this many characters, as it is written, is told key by key: on a line
/// of the page it would end beyond the frame.
const LONG: usize = 60;

/// A JSON object in a launch command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonValue {
    /// What it is the value of, as it is written: `--speculative-config`; empty where it stands
    /// alone.
    pub flag: String,
    /// Its keys in the order that they are written in; keys of objects in it are joined by dots.
    pub entries: Vec<JsonEntry>,
}

/// A key of a JSON object, with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonEntry {
    /// The key.
    pub key: String,
    /// The value; a text without its quotes, lists as JSON.
    pub value: String,
    /// Whether a part of the value is hidden.
    pub hidden: bool,
}

/// The long JSON objects among the words of a command, in their order.
pub(super) fn json_values(command: &LaunchCommand) -> Vec<JsonValue> {
    let mut out = Vec::new();
    for simple in command.commands() {
        let mut before = "";
        for word in simple.assignments.iter().chain(&simple.words) {
            let value = word.value.as_str();
            let glued = value
                .split_once('=')
                .filter(|(name, _)| is_flag(name) || (is_assignment(word) && !name.contains('{')));
            let (flag, text) = glued.unwrap_or((before, value));
            if written(word).chars().count() >= LONG
                && let Ok(Value::Object(map)) = serde_json::from_str::<Value>(text)
                && !map.is_empty()
            {
                let mut entries = Vec::new();
                push(&mut entries, "", Value::Object(map));
                out.push(JsonValue {
                    flag: flag.to_owned(),
                    entries,
                });
            }
            before = if is_flag(value) && glued.is_none() {
                value
            } else {
                ""
            };
        }
    }
    out
}

/// Adds the keys of a value. `serde_json` limits the depth.
fn push(out: &mut Vec<JsonEntry>, key: &str, value: Value) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (name, value) in map {
                let key = match key {
                    "" => name,
                    key => format!("{key}.{name}"),
                };
                push(out, &key, value);
            }
        }
        value => {
            let value = match value {
                Value::String(text) if !text.is_empty() => text,
                other => other.to_string(),
            };
            out.push(JsonEntry {
                key: key.to_owned(),
                hidden: is_hidden(&value),
                value,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Key, value, and whether it is hidden.
    type Entry = (String, String, bool);

    fn entries(command: &str) -> Vec<(String, Vec<Entry>)> {
        LaunchCommand::parse(command)
            .json_values()
            .into_iter()
            .map(|v| {
                let entries = v.entries.into_iter().map(|e| (e.key, e.value, e.hidden));
                (v.flag, entries.collect())
            })
            .collect()
    }

    fn shown(command: &str) -> Vec<String> {
        entries(command)
            .into_iter()
            .flat_map(|(flag, entries)| {
                let line = move |(key, value, hidden): (String, String, bool)| {
                    format!(
                        "{flag} {key}={value}{}",
                        if hidden { " (hidden)" } else { "" }
                    )
                };
                entries.into_iter().map(line).collect::<Vec<_>>()
            })
            .collect()
    }

    #[test]
    fn long_values_are_told_key_by_key() {
        let command = r#"vllm serve m --speculative-config '{"method":"mtp","nested":{"a":1,"b":{"c":true}},"list":[1,{"d":2}],"none":null,"empty":{},"text":""}' --port 8000"#;
        assert_eq!(
            shown(command),
            [
                "--speculative-config method=mtp",
                "--speculative-config nested.a=1",
                "--speculative-config nested.b.c=true",
                "--speculative-config list=[1,{\"d\":2}]",
                "--speculative-config none=null",
                "--speculative-config empty={}",
                "--speculative-config text=\"\"",
            ]
        );
    }

    #[test]
    fn sixty_characters_are_long() {
        // `'{"k":"…"}'` has 10 characters beside the value.
        for (length, found) in [(49, 0), (50, 1)] {
            let command = format!("vllm serve m --x '{{\"k\":\"{}\"}}'", "v".repeat(length));
            assert_eq!(entries(&command).len(), found, "{length}");
        }
    }

    #[test]
    fn values_stand_behind_an_equals_sign_too() {
        let json = format!("{{\"a\":\"{}\"}}", "v".repeat(60));
        for (command, flag) in [
            (format!("vllm serve m --config='{json}'"), "--config"),
            (format!("CONFIG='{json}' vllm serve m"), "CONFIG"),
            (format!("vllm serve '{json}'"), ""),
            (format!("vllm serve m --x=1 '{json}'"), ""),
        ] {
            assert_eq!(entries(&command)[0].0, flag, "{command}");
        }
        // No JSON, no object, nothing in it.
        for text in ["{not json}", "[1,2,3]", "{}"] {
            let command = format!("vllm serve m --x '{}{text}'", " ".repeat(60));
            assert_eq!(entries(&command), [], "{command}");
        }
    }

    #[test]
    fn hidden_values_are_marked() {
        let command = format!(
            "vllm serve m --x '{{\"api_key\":\"<redacted>\",\"a\":\"{}\"}}'",
            "v".repeat(40)
        );
        assert_eq!(shown(&command)[0], "--x api_key=<redacted> (hidden)");
        assert!(!entries(&command)[0].1[1].2);
    }
}
