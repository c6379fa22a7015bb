//! Characters that steer a terminal or the direction of the text around them.

use serde_json::{Map, Value};

use crate::run::{Measurement, Phase, Run};

/// Drops them from every text of a run. Before anything is looked for: they could part a secret.
pub(super) fn drop_from(run: &mut Run) {
    for (_, text) in run.facts.texts_mut() {
        clean(text);
    }
    let lists = [&mut run.aliases, &mut run.tags, &mut run.notes];
    for text in lists.into_iter().flatten() {
        clean(text);
    }
    for text in run.notes_markdown.iter_mut() {
        clean(text);
    }
    clean(&mut run.slug);
    clean(&mut run.source.path);
    clean(&mut run.source.format);
    clean(&mut run.source.sha256);
    for phase in Phase::ALL {
        for measurement in run.phase_mut(*phase) {
            in_measurement(measurement);
        }
    }
    in_map(&mut run.unknown);
}

fn in_measurement(measurement: &mut Measurement) {
    let texts = [
        &mut measurement.status_text,
        &mut measurement.reason,
        &mut measurement.method,
        &mut measurement.token_source,
    ];
    for text in texts.into_iter().flatten() {
        clean(text);
    }
    clean(&mut measurement.context.label);
    in_map(&mut measurement.unknown);
}

fn in_map(map: &mut Map<String, Value>) {
    if map.keys().any(|key| key.contains(is_dropped)) {
        let old = std::mem::take(map);
        for (mut key, value) in old {
            clean(&mut key);
            map.insert(key, value);
        }
    }
    for (_, value) in map.iter_mut() {
        in_value(value);
    }
}

/// `serde_json` limits how deep a value can be.
fn in_value(value: &mut Value) {
    match value {
        Value::String(text) => clean(text),
        Value::Array(items) => items.iter_mut().for_each(in_value),
        Value::Object(map) => in_map(map),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn clean(text: &mut String) {
    if !text.contains(is_dropped) {
        return;
    }
    // A carriage return alone parts words in a shell.
    *text = text.replace("\r\n", "\n").replace('\r', " ");
    text.retain(|c| !is_dropped(c));
}

fn is_dropped(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
