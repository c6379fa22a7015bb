//! Every text of a run.

use serde_json::{Map, Value};

use super::controls;
use super::hosts::{Hit, in_address_value};
use super::names::{Meaning, is_plain, meaning};
use super::{Found, Hidden, HiddenKind, PLACEHOLDERS, Redacted, Redactor, replace};
use crate::run::{Fact, FactValue, Measurement, Phase, Run};

/// Hides in every text of a run; counts what was hidden.
pub(super) fn redact(redactor: &Redactor, run: &mut Run, names: &[String]) -> Hidden {
    let mut work = Work {
        redactor,
        names: names.to_vec(),
        secrets: Vec::new(),
        hidden: Hidden::default(),
    };
    controls::drop_from(run);
    work.avoid_facts(run);
    // The command first: its secrets are looked for everywhere else.
    let command = run.facts.text(Fact::LaunchCommand).map(str::to_owned);
    if let Some(command) = command {
        let redacted = redactor.command(&command, &work.names);
        work.learn(&command, &redacted);
        work.hidden.add(&redacted.found);
        run.facts
            .set(Fact::LaunchCommand, FactValue::Text(redacted.text));
    }
    for fact in Fact::ALL
        .iter()
        .filter(|fact| **fact != Fact::LaunchCommand)
    {
        if let Some(FactValue::Text(text)) = run.facts.get(*fact).cloned() {
            let mut text = text;
            if work.text(&mut text) {
                run.facts.set(*fact, FactValue::Text(text));
            }
        }
    }
    work.address_path(&mut run.slug);
    for alias in &mut run.aliases {
        work.address_path(alias);
    }
    for text in run.tags.iter_mut().chain(&mut run.notes) {
        work.text(text);
    }
    if let Some(text) = &mut run.notes_markdown {
        work.text(text);
    }
    work.path(&mut run.source.path);
    work.text(&mut run.source.format);
    work.text(&mut run.source.sha256);
    for phase in Phase::ALL {
        for measurement in run.phase_mut(*phase) {
            work.measurement(measurement);
        }
    }
    work.map(&mut run.unknown);
    work.hidden
}

struct Work<'a> {
    redactor: &'a Redactor,
    names: Vec<String>,
    /// Secrets of the launch command, which may stand elsewhere.
    secrets: Vec<String>,
    hidden: Hidden,
}

impl Work<'_> {
    /// A machine that is named like the model or the GPU would take their names from the page.
    fn avoid_facts(&mut self, run: &Run) {
        let facts = [
            Fact::ModelName,
            Fact::ModelId,
            Fact::ServedName,
            Fact::Gpu,
            Fact::Cpu,
            Fact::EngineName,
            Fact::Quantization,
            Fact::Tool,
            Fact::Os,
        ];
        let mut words: Vec<String> = Vec::new();
        for text in facts.into_iter().filter_map(|fact| run.facts.text(fact)) {
            let parts = text.split(|c: char| !c.is_alphanumeric());
            words.extend(parts.map(str::to_ascii_lowercase));
        }
        self.names
            .retain(|name| !words.contains(&name.to_ascii_lowercase()));
    }

    /// Remembers the secrets of the command.
    fn learn(&mut self, original: &str, redacted: &Redacted) {
        let secrets = redacted
            .found
            .iter()
            .filter(|f| f.kind == HiddenKind::Secret);
        let texts = secrets.filter_map(|f| original.get(f.range.clone()));
        let texts = texts.map(|text| text.trim_matches(['"', '\'']).to_owned());
        self.secrets
            .extend(texts.filter(|t| t.len() >= 8 && !is_plain(t)));
    }

    /// Hides in a text; true where something was.
    fn text(&mut self, text: &mut String) -> bool {
        let mut changed = false;
        for secret in &self.secrets {
            if text.contains(secret.as_str()) {
                *text = text.replace(secret.as_str(), HiddenKind::Secret.placeholder());
                *self.hidden.0.entry(HiddenKind::Secret).or_insert(0) += 1;
                changed = true;
            }
        }
        let redacted = self.redactor.text(text, &self.names);
        if redacted.found.is_empty() {
            return changed;
        }
        self.hidden.add(&redacted.found);
        *text = redacted.text;
        true
    }

    /// Hides in a text that is a part of an address, where `<` must not stand.
    fn address_path(&mut self, text: &mut String) {
        if self.path(text) {
            *text = text.replace(['<', '>', '~'], "");
        }
    }

    /// Hides in the parts of a path, where `_` parts words, too, and a known ending belongs to
    /// none. Folders that are named like home directories are so named on purpose, unless the path
    /// begins at the root of a disk.
    fn path(&mut self, path: &mut String) -> bool {
        // What is no plain path below content/ may hold paths and addresses of its own.
        let mut changed = (path.starts_with('/') || path.contains([' ', ':'])) && self.text(path);
        let mut out: Vec<String> = Vec::new();
        for part in path.split('/') {
            let stem = without_ending(part);
            let ending = part.get(stem.len()..).unwrap_or_default();
            let mut text = stem.to_owned();
            changed |= self.text(&mut text);
            let spaced = text.replace('_', " ");
            let hits = self.redactor.in_text(&spaced, &self.names);
            if !hits.is_empty() {
                self.count(&hits);
                text = replace(&text, &hits);
                changed = true;
            }
            out.push(text + ending);
        }
        *path = out.join("/");
        changed
    }

    fn count(&mut self, hits: &[Hit]) {
        for (kind, _) in hits {
            *self.hidden.0.entry(*kind).or_insert(0) += 1;
        }
    }

    /// Status and reason are one sentence that was cut at its colon: `password: hunter2`.
    fn sentence(&mut self, status: &mut String, reason: &mut String) {
        for between in [": ", ":"] {
            let whole = format!("{status}{between}{reason}");
            let from = status.len() + between.len();
            let hits = self.redactor.in_text(&whole, &self.names);
            let (mut in_status, mut in_reason) = (Vec::new(), Vec::new());
            for (kind, range) in hits {
                let head = range.start..range.end.min(status.len());
                let tail = range.start.max(from)..range.end;
                if head.start < head.end {
                    in_status.push((kind, head));
                }
                if tail.start < tail.end {
                    in_reason.push((kind, tail.start - from..tail.end - from));
                }
            }
            self.count(&in_status);
            self.count(&in_reason);
            *status = replace(status, &in_status);
            *reason = replace(reason, &in_reason);
        }
    }

    fn measurement(&mut self, measurement: &mut Measurement) {
        if let (Some(status), Some(reason)) =
            (&mut measurement.status_text, &mut measurement.reason)
        {
            self.sentence(status, reason);
        }
        let texts = [
            &mut measurement.status_text,
            &mut measurement.reason,
            &mut measurement.method,
            &mut measurement.token_source,
        ];
        for text in texts.into_iter().flatten() {
            self.text(text);
        }
        self.text(&mut measurement.context.label);
        self.map(&mut measurement.unknown);
    }

    fn map(&mut self, map: &mut Map<String, Value>) {
        for (mut key, mut value) in std::mem::take(map) {
            // A placeholder in a key names nothing.
            let is_hidden = PLACEHOLDERS.iter().any(|p| key.contains(p));
            let meaning = meaning(&key).filter(|_| !is_hidden);
            match (meaning, &mut value) {
                (Some(Meaning::Secret), Value::String(text)) => self.secret(text),
                (Some(Meaning::Secret), Value::Array(items)) => {
                    for item in items {
                        match item {
                            Value::String(text) => self.secret(text),
                            other => self.value(other),
                        }
                    }
                }
                (Some(Meaning::Address), Value::String(text)) => {
                    self.address(text);
                    self.text(text);
                }
                (_, other) => self.value(other),
            }
            self.text(&mut key);
            map.insert(key, value);
        }
    }

    fn secret(&mut self, text: &mut String) {
        let hidden = HiddenKind::Secret.placeholder();
        if !is_plain(text) && text != hidden {
            *text = hidden.to_owned();
            *self.hidden.0.entry(HiddenKind::Secret).or_insert(0) += 1;
        }
    }

    fn address(&mut self, text: &mut String) {
        let mut hits = Vec::new();
        in_address_value(text, &mut hits);
        let hits = self.redactor.settle(text, hits);
        let found: Vec<Found> = hits
            .iter()
            .map(|(kind, range)| Found {
                kind: *kind,
                range: range.clone(),
            })
            .collect();
        self.hidden.add(&found);
        *text = replace(text, &hits);
    }

    /// `serde_json` limits how deep a value can be.
    fn value(&mut self, value: &mut Value) {
        match value {
            Value::String(text) => {
                self.text(text);
            }
            Value::Array(items) => self.array(items),
            Value::Object(map) => self.map(map),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// The words of a command as an array: a value stands after its flag.
    fn array(&mut self, items: &mut [Value]) {
        let mut flag: Option<Meaning> = None;
        for item in items {
            let Value::String(text) = item else {
                flag = None;
                self.value(item);
                continue;
            };
            let is_flag = crate::launch::flags::is_flag(text);
            match flag.take().filter(|_| !is_flag) {
                Some(Meaning::Secret) => self.secret(text),
                Some(Meaning::Address) => self.address(text),
                None => {
                    flag = meaning(text).filter(|_| is_flag && !text.contains('='));
                    if is_flag || text.contains('=') {
                        let quoted = crate::launch::copy::quoted(text);
                        let redacted = self.redactor.command(&quoted, &self.names);
                        if !redacted.found.is_empty() {
                            self.hidden.add(&redacted.found);
                            *text = unquoted(&redacted.text);
                        }
                    }
                }
            }
            self.text(text);
        }
    }
}

/// A file's name without `.json`, `.txt`, `.gz`.
fn without_ending(name: &str) -> &str {
    let mut name = name;
    while let Some((stem, ending)) = name.rsplit_once('.') {
        let known = ["json", "txt", "gz", "md", "html"];
        if !known.iter().any(|known| ending.eq_ignore_ascii_case(known)) {
            break;
        }
        name = stem;
    }
    name
}

/// The value of a single word.
fn unquoted(text: &str) -> String {
    let tokens = crate::launch::lexer::lex(text).tokens;
    tokens
        .into_iter()
        .find_map(|token| match token {
            crate::launch::lexer::Token::Word(word) => Some(word.value),
            _ => None,
        })
        .unwrap_or_default()
}
