//! What a report text says, each thing with its line, before its places are held against each
//! other; and the list of problems found on the way.

use std::collections::BTreeMap;

use super::grammar::StatusSeen;
use super::lines::{Heading, squash};
use crate::diagnostic::{Code, Diagnostic, Place};
use crate::run::{Fact, FactValue, Facts, Figures, Phase};

/// One measurement as one place of the text gives it.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    /// Which part it belongs to.
    pub phase: Phase,
    /// The context as it is written.
    pub label: String,
    /// Requests at once; 1 for prefill.
    pub concurrency: u64,
    /// Its line.
    pub line: usize,
    /// What became of it.
    pub status: StatusSeen,
    /// What can be read there; one reading where nothing is glued.
    pub readings: Vec<Figures>,
    /// Whether a single reading may be believed by itself.
    pub sure: bool,
    /// How it was measured, where that is told.
    pub method: Option<String>,
    /// How its tokens were counted, where that is told.
    pub token_source: Option<String>,
}

/// What two places are compared by: phase, context without case, requests at once.
pub(super) type CellKey = (Phase, String, u64);

impl Seen {
    /// The cell that it is about.
    pub fn key(&self) -> CellKey {
        (self.phase, squash(&self.label), self.concurrency)
    }

    /// The cell in words: `8K × 4`, `prefill 8K`.
    pub fn name(&self) -> String {
        match self.phase {
            Phase::Prefill => format!("prefill {}", self.label),
            Phase::Decode => format!("{} × {}", self.label, self.concurrency),
            Phase::Burst => format!("burst {} × {}", self.label, self.concurrency),
        }
    }
}

/// A matrix.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    /// Decode or burst.
    pub phase: Phase,
    /// The line of its head.
    pub line: usize,
    /// The contexts of its rows.
    pub contexts: Vec<String>,
    /// The requests at once of its columns.
    pub levels: Vec<u64>,
    /// The cells that are not empty.
    pub cells: Vec<Seen>,
    /// The cells that are empty: context, requests at once, line.
    pub blanks: Vec<(String, u64, usize)>,
}

/// What the line below the title says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Subtitle {
    /// Its line.
    pub line: usize,
    /// The engine.
    pub engine: Option<String>,
    /// The engine's version.
    pub version: Option<String>,
    /// All ways to take quantization and number of contexts apart.
    pub readings: Vec<(String, u64)>,
    /// First and last context.
    pub contexts: Option<(String, String)>,
    /// How many columns the matrix has.
    pub levels: Option<u64>,
    /// First and last column.
    pub level_range: Option<(u64, u64)>,
    /// Contexts of the prefill points.
    pub prefill: Option<Vec<String>>,
    /// What is left of the line behind the list of contexts: an author that was glued to it.
    pub rest: String,
}

/// All that the text says.
#[derive(Debug, Default)]
pub(super) struct Report {
    /// Facts with their lines.
    pub facts: Given,
    /// Words beside the author.
    pub tags: Vec<String>,
    /// Sentences about the method.
    pub notes: Vec<String>,
    /// The line below the title.
    pub subtitle: Option<Subtitle>,
    /// Lists of one phase: the prefill points, and phase tables.
    pub points: Vec<Seen>,
    /// Matrices.
    pub grids: Vec<Grid>,
    /// The table of all measurements.
    pub rows: Vec<Seen>,
    /// The line of that table's head.
    pub table: Option<usize>,
    /// The headings of a foreign page, with their lines.
    pub headings: BTreeMap<Heading, usize>,
    /// Whether it is a page of our own.
    pub own: bool,
    /// Whether it is marked as interrupted (own pages).
    pub interrupted: bool,
    /// Whether it is marked as not ranked (own pages).
    pub not_ranked: bool,
    /// Whether it is marked as a draft (own pages).
    pub draft: bool,
}

/// Problems of one file, collected.
#[derive(Debug)]
pub(super) struct Problems<'a> {
    path: &'a str,
    /// What forbids publishing it.
    pub errors: Vec<Diagnostic>,
    /// What is odd.
    pub warnings: Vec<Diagnostic>,
}

/// Most problems of one file that are listed.
const MOST: usize = 50;

impl<'a> Problems<'a> {
    /// None yet.
    pub fn new(path: &'a str) -> Self {
        Self {
            path,
            errors: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// A line of this file.
    pub fn place(&self, line: usize) -> Place {
        Place::line(self.path, line)
    }

    /// A problem of a line, to be completed and then added.
    pub fn at(&self, code: Code, line: usize, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, self.place(line), message)
    }

    /// Whether there are so many errors that reading on would tell nothing more.
    pub fn full(&self) -> bool {
        self.errors.len() >= MOST
    }

    /// Adds a problem to the list that its code belongs to.
    pub fn add(&mut self, problem: Diagnostic) {
        let list = match problem.severity() {
            crate::diagnostic::Severity::Error => &mut self.errors,
            crate::diagnostic::Severity::Warning => &mut self.warnings,
        };
        if list.len() < MOST {
            list.push(problem);
        }
    }

    /// Warns of a part of the text that is not there.
    pub fn missing(&mut self, message: &str, help: &str) {
        let place = Place::file(self.path);
        self.add(Diagnostic::new(Code::MissingPart, place, message).help(help));
    }

    /// Two lines that contradict each other.
    pub fn disagree(&mut self, line: usize, message: impl Into<String>, also: usize, what: &str) {
        let problem = self
            .at(Code::Disagreement, line, message)
            .also(self.place(also), what)
            .help("correct the line that is wrong");
        self.add(problem);
    }
}

/// Facts with the line that gave each.
#[derive(Debug, Default)]
pub(super) struct Given(BTreeMap<Fact, (FactValue, usize)>);

impl Given {
    /// A textual fact.
    pub fn text(&self, fact: Fact) -> Option<(&str, usize)> {
        match self.0.get(&fact) {
            Some((FactValue::Text(text), line)) => Some((text, *line)),
            _ => None,
        }
    }

    /// A fact.
    pub fn get(&self, fact: Fact) -> Option<&(FactValue, usize)> {
        self.0.get(&fact)
    }

    /// Whether it is known.
    pub fn has(&self, fact: Fact) -> bool {
        self.0.contains_key(&fact)
    }

    /// Sets a fact. A second place must say the same (of texts, one may be a part of the other);
    /// the first place's words stay.
    pub fn set(&mut self, problems: &mut Problems, fact: Fact, value: FactValue, line: usize) {
        if matches!(&value, FactValue::Text(text) if text.trim().is_empty()) {
            return;
        }
        let Some((known, at)) = self.0.get(&fact) else {
            self.0.insert(fact, (value, line));
            return;
        };
        let same = match (known, &value) {
            (FactValue::Text(a), FactValue::Text(b)) => {
                let (a, b) = (squash(a), squash(b));
                a.contains(&b) || b.contains(&a)
            }
            (a, b) => number(a) == number(b),
        };
        if !same {
            let label = fact.info().label;
            let message = format!("{label} is {value} here, and {known} in another line");
            let what = format!("{label}: {known}");
            problems.disagree(line, message, *at, &what);
        }
    }

    /// Sets a fact unless it is known.
    pub fn set_if_absent(&mut self, fact: Fact, value: FactValue, line: usize) {
        self.0.entry(fact).or_insert((value, line));
    }

    /// Without the lines.
    pub fn into_facts(self) -> Facts {
        let mut facts = Facts::default();
        for (fact, (value, _)) in self.0 {
            match value {
                FactValue::Text(text) => facts.set_text(fact, text),
                value => facts.set(fact, value),
            }
        }
        facts
    }
}

fn number(value: &FactValue) -> Option<f64> {
    match value {
        FactValue::Count(n) => Some(*n as f64),
        FactValue::Number(x) => Some(*x),
        FactValue::Text(_) => None,
    }
}
