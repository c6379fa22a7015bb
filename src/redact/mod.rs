//! Secrets and private names: found and hidden before anything is shown.
//!
//! A text goes in, the same text comes out with placeholders; nothing here knows files or pages.
//! Three kinds of rules find what to hide: names of flags and variables ([`names`]), shapes
//! ([`shapes`]), and the user's own patterns. [`command`] knows words and quotes, so that a secret
//! is found however it is quoted and what comes out is still a command.

mod command;
mod controls;
mod hosts;
mod machine;
mod names;
mod pairs;
mod run;
mod shapes;
mod text;

use std::collections::BTreeMap;
use std::ops::Range;

use regex::Regex;

use crate::run::Run;
use hosts::{Hit, Hosts};
use machine::Machine;
use shapes::Shapes;
use text::Prose;

/// What stands in the place of secrets, hosts and addresses: one word each for
/// [`crate::launch::lexer`].
pub const PLACEHOLDERS: &[&str] = &["<redacted>", "<host>", "<address>"];

/// What was hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HiddenKind {
    /// A password, a key, a token.
    Secret,
    /// A person's home directory.
    Home,
    /// A private host name.
    Host,
    /// A private address.
    Address,
}

impl HiddenKind {
    /// What stands in its place.
    pub fn placeholder(self) -> &'static str {
        match self {
            HiddenKind::Secret => "<redacted>",
            HiddenKind::Home => "~",
            HiddenKind::Host => "<host>",
            HiddenKind::Address => "<address>",
        }
    }

    /// Its name in reports, for one and for many.
    pub fn label(self, count: usize) -> &'static str {
        match (self, count) {
            (HiddenKind::Secret, 1) => "secret",
            (HiddenKind::Secret, _) => "secrets",
            (HiddenKind::Home, 1) => "home directory",
            (HiddenKind::Home, _) => "home directories",
            (HiddenKind::Host, 1) => "host name",
            (HiddenKind::Host, _) => "host names",
            (HiddenKind::Address, 1) => "address",
            (HiddenKind::Address, _) => "addresses",
        }
    }
}

/// Something that was hidden.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// What it is.
    pub kind: HiddenKind,
    /// Where it stands in the original, in bytes.
    pub range: Range<usize>,
}

/// A text from which everything private is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redacted {
    /// The text with placeholders.
    pub text: String,
    /// What was hidden, in the order of the original, without overlaps.
    pub found: Vec<Found>,
}

/// How much was hidden, by kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hidden(pub BTreeMap<HiddenKind, usize>);

impl Hidden {
    /// How much of one kind.
    pub fn count(&self, kind: HiddenKind) -> usize {
        self.0.get(&kind).copied().unwrap_or(0)
    }

    /// How much in all.
    pub fn total(&self) -> usize {
        self.0.values().sum()
    }

    /// Adds what was found in a text.
    pub fn add(&mut self, found: &[Found]) {
        for one in found {
            *self.0.entry(one.kind).or_insert(0) += 1;
        }
    }

    /// Adds other counts.
    pub fn merge(&mut self, other: &Hidden) {
        for (kind, count) in &other.0 {
            *self.0.entry(*kind).or_insert(0) += count;
        }
    }
}

/// Why a redactor cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RedactError {
    /// A pattern of `[redact]` that is no regular expression.
    #[error("the pattern {pattern:?} in [redact] {list} cannot be read: {why}")]
    Pattern {
        /// `patterns` or `keep`.
        list: &'static str,
        /// The pattern.
        pattern: String,
        /// What is wrong with it, in one line.
        why: String,
    },
    /// A pattern that matches the empty text.
    #[error("the pattern {pattern:?} in [redact] {list} matches everywhere")]
    Empty {
        /// `patterns` or `keep`.
        list: &'static str,
        /// The pattern.
        pattern: String,
    },
    /// A rule that is built in cannot be read.
    #[error("a built-in rule cannot be read: {0}")]
    Builtin(String),
}

/// Finds and hides what must not be shown. Made once a build; used from many threads.
pub struct Redactor {
    shapes: Shapes,
    hosts: Hosts,
    machine: Machine,
    prose: Prose,
    patterns: Vec<Regex>,
    keep: Vec<Regex>,
}

/// Rounds after which nothing new is found: a placeholder may make a pattern match that did not.
const ROUNDS: usize = 6;

impl Redactor {
    /// `patterns` are further regular expressions (their first group, else all of the match, is
    /// hidden as a secret); what a text or regular expression of `keep` matches stays.
    ///
    /// # Errors
    /// The pattern that is no regular expression or matches the empty text, and why.
    pub fn new(patterns: &[String], keep: &[String]) -> Result<Self, RedactError> {
        let builtin = |error: &dyn std::fmt::Display| RedactError::Builtin(error.to_string());
        Ok(Self {
            shapes: Shapes::new().map_err(|error| builtin(&error))?,
            hosts: Hosts::new().map_err(|error| builtin(&error))?,
            machine: Machine::new().map_err(|error| builtin(&error))?,
            prose: Prose::new().map_err(|error| builtin(&error))?,
            patterns: compile("patterns", patterns)?,
            keep: compile("keep", keep)?,
        })
    }

    /// Hides secrets, home directories, private hosts and addresses, and `names` (the machine's
    /// own) in a text of prose or facts.
    pub fn text(&self, text: &str, names: &[String]) -> Redacted {
        self.rounds(text, |text| self.in_text(text, names))
    }

    /// The same for a launch command, where flags, variables and quotes are known.
    pub fn command(&self, command: &str, names: &[String]) -> Redacted {
        self.rounds(command, |text| command::find(self, text, names))
    }

    /// The same for every text of a run.
    pub fn run(&self, run: &mut Run, names: &[String]) -> Hidden {
        run::redact(self, run, names)
    }

    /// For messages: excerpts of files may hold commands.
    pub fn message(&self, text: &str) -> String {
        self.command(text, &[]).text
    }

    /// What must be hidden in a text, in order, without overlaps.
    fn in_text(&self, text: &str, names: &[String]) -> Vec<Hit> {
        let mut hits = self.plain_hits(text, names);
        self.prose.find(text, &mut hits);
        self.settle(text, hits)
    }

    /// Shapes, hosts, names, patterns.
    fn plain_hits(&self, text: &str, names: &[String]) -> Vec<Hit> {
        let mut hits: Vec<Hit> = Vec::new();
        hits.extend(
            self.shapes
                .find(text)
                .into_iter()
                .map(|range| (HiddenKind::Secret, range)),
        );
        self.prose.shapes(text, &mut hits);
        self.hosts.find(text, &mut hits);
        self.machine.names(text, names, &mut hits);
        for pattern in &self.patterns {
            for captures in pattern.captures_iter(text) {
                if let Some(found) = captures.get(1).or_else(|| captures.get(0)) {
                    hits.push((HiddenKind::Secret, found.range()));
                }
            }
        }
        hits
    }

    /// Leaves out what is kept or hidden already, joins what overlaps, sorts.
    fn settle(&self, text: &str, hits: Vec<Hit>) -> Vec<Hit> {
        let kept = self.kept(text);
        let hits = hits
            .into_iter()
            .filter(|(_, hit)| {
                !kept
                    .iter()
                    .any(|k| k.start <= hit.start && hit.end <= k.end)
            })
            .collect();
        join(text, hits)
    }

    fn kept(&self, text: &str) -> Vec<Range<usize>> {
        self.keep
            .iter()
            .flat_map(|pattern| pattern.find_iter(text).map(|found| found.range()))
            .collect()
    }

    /// Hides until nothing more is found.
    fn rounds(&self, text: &str, find: impl Fn(&str) -> Vec<Hit>) -> Redacted {
        let first = find(text);
        let mut out = Redacted {
            text: replace(text, &first),
            found: first
                .into_iter()
                .map(|(kind, range)| Found { kind, range })
                .collect(),
        };
        if out.found.is_empty() {
            return out;
        }
        for _ in 1..ROUNDS {
            let more = find(&out.text);
            if more.is_empty() {
                break;
            }
            out.text = replace(&out.text, &more);
        }
        out
    }
}

/// Joins hits that overlap, drops those that hide a placeholder again, sorts. Where two kinds
/// overlap, the graver one wins.
fn join(text: &str, mut hits: Vec<Hit>) -> Vec<Hit> {
    hits.retain(|(_, range)| !range.is_empty() && text.get(range.clone()).is_some());
    hits.sort_by_key(|(kind, range)| (range.start, std::cmp::Reverse(range.end), *kind));
    let mut out: Vec<Hit> = Vec::with_capacity(hits.len());
    for (kind, range) in hits {
        match out.last_mut() {
            Some((last_kind, last)) if range.start < last.end => {
                last.end = last.end.max(range.end);
                *last_kind = (*last_kind).min(kind);
            }
            _ => out.push((kind, range)),
        }
    }
    out.retain(|(_, range)| {
        let text = text.get(range.clone()).unwrap_or_default();
        // Only placeholders and the marks between them: it is hidden already.
        let mut rest = text.to_owned();
        if !text.contains('<') {
            return true;
        }
        for placeholder in PLACEHOLDERS {
            rest = rest.replace(placeholder, "");
        }
        rest.len() == text.len() || rest.chars().any(char::is_alphanumeric)
    });
    out
}

/// The text with its hits replaced; they are in order and do not overlap.
fn replace(text: &str, hits: &[Hit]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (kind, range) in hits {
        out.push_str(text.get(at..range.start).unwrap_or_default());
        // `<secret` must not become the beginning of a here-document.
        if out.ends_with('<') {
            out.push(' ');
        }
        out.push_str(kind.placeholder());
        at = range.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

fn compile(list: &'static str, patterns: &[String]) -> Result<Vec<Regex>, RedactError> {
    let mut out = Vec::with_capacity(patterns.len());
    for pattern in patterns {
        let regex = Regex::new(pattern).map_err(|error| RedactError::Pattern {
            list,
            pattern: pattern.clone(),
            why: why(&error),
        })?;
        if regex.is_match("") {
            return Err(RedactError::Empty {
                list,
                pattern: pattern.clone(),
            });
        }
        out.push(regex);
    }
    Ok(out)
}

/// The last line of an error of `regex`, which says what is wrong.
fn why(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    last.trim().trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests;
