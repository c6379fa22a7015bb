//! Flags by their canonical names, so that two commands can be compared whatever their spelling.

use serde_json::Value;

use super::server::{Layout, container_takes_value, layout_of};
use super::settings::SettingKind;
use super::table::{CONTAINER_SHORT, REPEATABLE, is_switch, row};
use super::{LaunchCommand, Simple};

/// Whose flag it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// The server's.
    Server,
    /// A variable that it is started with.
    Environment,
    /// The container's.
    Container,
}

/// One flag of a launch command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    /// Canonical name: `--tensor-parallel-size`, `--speculative-config.method`, `HF_HOME`,
    /// `--publish`; `model` for the positional model, `image` for the container's image.
    pub name: String,
    /// Its value; `true` and `false` for switches. Several values are joined by blanks.
    pub value: String,
    /// Whether a part of the value is hidden: then it is never "the same" as another.
    pub hidden: bool,
    /// Whose it is.
    pub origin: Origin,
    /// The setting that it is.
    pub setting: Option<SettingKind>,
}

impl Flag {
    /// The flag that it belongs to: keys of one JSON value are one flag of the command.
    pub fn whole(&self) -> &str {
        match self.origin {
            Origin::Server => self.name.split('.').next().unwrap_or(&self.name),
            _ => &self.name,
        }
    }
}

/// What a word is, for display.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Begins a line of its own.
    Start,
    /// A flag: begins a line.
    Flag,
    /// Stays on the line.
    Same,
}

/// What the words of a command are.
pub(super) fn roles(simple: &Simple) -> Vec<Role> {
    let layout = layout_of(simple).unwrap_or_default();
    let mut last: Option<&str> = None;
    let mut out = Vec::with_capacity(simple.words.len());
    for (at, word) in simple.words.iter().enumerate() {
        let in_program = at > layout.program && at < layout.args;
        let starts = at > 0 && (at == layout.program || Some(at) == layout.image);
        if starts && layout.args > 0 {
            last = None;
            out.push(Role::Start);
        } else if in_program {
            last = None;
            out.push(Role::Same);
        } else if is_flag(&word.value) {
            last = Some(&word.value);
            out.push(Role::Flag);
        } else if last.is_some_and(|flag| !takes_value(&layout, at, flag)) {
            last = None;
            out.push(Role::Start);
        } else {
            out.push(Role::Same);
        }
    }
    out
}

/// Whether a flag may have the word at `at` as its value.
fn takes_value(layout: &Layout, at: usize, flag: &str) -> bool {
    if layout.image.is_some_and(|image| at <= image) {
        return container_takes_value(flag);
    }
    !flag.contains('=') && !is_switch(layout.engine, &spelled(flag))
}

/// Whether a word is a flag: a dash and something that is no number.
pub fn is_flag(value: &str) -> bool {
    let Some(rest) = value.strip_prefix('-') else {
        return false;
    };
    let number = rest.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    // A value behind `=` may have blanks in it.
    let name = rest.split('=').next().unwrap_or(rest);
    !name.is_empty() && rest != "-" && !number && !name.contains([' ', '\n'])
}

/// A flag's name with dashes for underscores (which vLLM takes for the same) and without value.
fn spelled(flag: &str) -> String {
    let name = flag.split('=').next().unwrap_or(flag);
    let (base, rest) = name
        .split_at_checked(name.find('.').unwrap_or(name.len()))
        .unwrap_or((name, ""));
    format!("{}{rest}", base.replace('_', "-"))
}

/// An argument of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Argument {
    /// A flag as it is written, with its values.
    Flag(String, Vec<String>),
    /// Any other word.
    Positional(String),
}

/// The arguments of a server: which words are values is told by `=`, by the table, and by whether
/// the next word is a flag.
pub(super) fn arguments(engine: &str, words: &[String]) -> Vec<Argument> {
    let mut out: Vec<Argument> = Vec::new();
    let mut open = false;
    for word in words {
        if is_flag(word) {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (spelled(name), Some(value.to_owned())),
                None => (spelled(word), None),
            };
            open = value.is_none();
            out.push(Argument::Flag(name, value.into_iter().collect()));
            continue;
        }
        match out.last_mut() {
            Some(Argument::Flag(name, values)) if open => {
                let switch = is_switch(engine, name);
                let answer = matches!(
                    word.to_ascii_lowercase().as_str(),
                    "true" | "false" | "on" | "off" | "auto"
                );
                if !switch || (answer && values.is_empty()) {
                    values.push(word.clone());
                    open = !switch;
                    continue;
                }
                out.push(Argument::Positional(word.clone()));
                open = false;
            }
            _ => out.push(Argument::Positional(word.clone())),
        }
    }
    out
}

/// All flags of the command that starts the server, each name once.
pub(super) fn flags(command: &LaunchCommand) -> Vec<Flag> {
    let Some(server) = command.server() else {
        return Vec::new();
    };
    let mut out = Flags::default();
    let mut positional = 0;
    for argument in arguments(server.engine, &server.args) {
        match argument {
            Argument::Positional(word) => {
                positional += 1;
                let name = match positional {
                    1 if server.engine != "llama.cpp" => "model".to_owned(),
                    n => format!("argument {n}"),
                };
                out.add(name, word, Origin::Server, None);
            }
            Argument::Flag(name, values) => out.server(server.engine, &name, &values),
        }
    }
    for (name, value) in &server.environment {
        out.add(name.clone(), value.clone(), Origin::Environment, None);
    }
    if let Some(image) = server.image {
        out.add("image".to_owned(), image, Origin::Container, None);
    }
    out.container(&server.container);
    out.0
}

#[derive(Default)]
struct Flags(Vec<Flag>);

impl Flags {
    /// A later value takes the place of an earlier one, except where all count.
    fn add(&mut self, name: String, value: String, origin: Origin, setting: Option<SettingKind>) {
        let hidden = is_hidden(&value);
        let repeats = origin == Origin::Container || REPEATABLE.contains(&name.as_str());
        if let Some(old) = self
            .0
            .iter_mut()
            .find(|f| f.name == name && f.origin == origin)
        {
            if repeats && old.value != value {
                old.value = format!("{} {value}", old.value);
                old.hidden |= hidden;
            } else {
                old.value = value;
                old.hidden = hidden;
            }
            return;
        }
        self.0.push(Flag {
            name,
            value,
            hidden,
            origin,
            setting,
        });
    }

    fn server(&mut self, engine: &str, name: &str, values: &[String]) {
        let (base, path) = match name.split_once('.') {
            Some((base, path)) => (base, Some(path)),
            None => (name, None),
        };
        // `-O3`: a short flag with its value glued on.
        let glued = base
            .strip_prefix("-O")
            .filter(|rest| engine == "vllm" && !rest.is_empty());
        if let Some(level) = glued {
            self.add(
                "--optimization-level".to_owned(),
                level.to_owned(),
                Origin::Server,
                None,
            );
            return;
        }
        let known = row(engine, base);
        let opposite = base
            .strip_prefix("--no-")
            .map(|rest| format!("--{rest}"))
            .filter(|_| known.is_none_or(|row| row.name().starts_with("--no-")));
        let opposite = opposite.or_else(|| {
            known
                .and_then(|row| row.name().strip_prefix("--no-"))
                .map(|rest| format!("--{rest}"))
        });
        let canonical = opposite
            .clone()
            .or_else(|| known.map(|row| row.name().to_owned()))
            .unwrap_or_else(|| base.to_owned());
        let setting = row(engine, &canonical).and_then(|row| row.setting);
        let value = match values {
            [] if opposite.is_some() => "false".to_owned(),
            // A value is missing.
            [] if setting.is_some() && !is_switch(engine, &canonical) => String::new(),
            [] => "true".to_owned(),
            values => values.join(" "),
        };
        if let Some(path) = path {
            let path = path.trim_end_matches('+');
            self.add(format!("{canonical}.{path}"), value, Origin::Server, None);
            return;
        }
        match serde_json::from_str::<Value>(&value) {
            Ok(Value::Object(map)) if !map.is_empty() => {
                self.json(&canonical, &Value::Object(map));
            }
            _ => self.add(canonical, value, Origin::Server, setting),
        }
    }

    /// The keys of a JSON value, each as a flag of its own. `serde_json` limits the depth.
    fn json(&mut self, name: &str, value: &Value) {
        match value {
            Value::Object(map) if !map.is_empty() => {
                for (key, value) in map {
                    self.json(&format!("{name}.{key}"), value);
                }
            }
            Value::String(text) => self.add(name.to_owned(), text.clone(), Origin::Server, None),
            other => self.add(name.to_owned(), other.to_string(), Origin::Server, None),
        }
    }

    fn container(&mut self, words: &[String]) {
        let mut words = words.iter().map(String::as_str).peekable();
        while let Some(word) = words.next() {
            let long = |short: &str| {
                CONTAINER_SHORT
                    .iter()
                    .find(|(s, _)| *s == short)
                    .map_or(short.to_owned(), |(_, long)| (*long).to_owned())
            };
            let (name, value) = if let Some((name, value)) =
                word.split_once('=').filter(|_| word.starts_with("--"))
            {
                (long(name), value.to_owned())
            } else if container_takes_value(word) {
                (long(word), words.next().unwrap_or_default().to_owned())
            } else if word.starts_with("--") {
                (word.to_owned(), "true".to_owned())
            } else if let Some((short, value)) = word
                .split_at_checked(2)
                .filter(|(short, value)| !value.is_empty() && !"-d-i-t-P-q".contains(short))
            {
                (long(short), value.to_owned())
            } else {
                for c in word.trim_start_matches('-').chars() {
                    self.add(
                        long(&format!("-{c}")),
                        "true".to_owned(),
                        Origin::Container,
                        None,
                    );
                }
                continue;
            };
            // Variables are in the environment already.
            if name != "--env" {
                self.add(name, value, Origin::Container, None);
            }
        }
    }
}

/// Whether a value has a hidden part, or is one that the author left out (`<your-token>`).
pub(crate) fn is_hidden(value: &str) -> bool {
    crate::redact::PLACEHOLDERS
        .iter()
        .any(|p| value.contains(p))
        || super::lexer::placeholder(value.as_bytes(), 0) == Some(value.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_may_have_a_value_with_blanks_behind_its_equals_sign() {
        for flag in [
            "--hf-overrides={\"a\": 1}",
            "--chat-template=a b",
            "-x",
            "--a",
        ] {
            assert!(is_flag(flag), "{flag}");
        }
        for word in ["--", "-", "-1", "-.5", "--a b", "a=b", "-=x"] {
            assert!(!is_flag(word), "{word}");
        }
    }
}
