//! Typed reading of JSON objects: `null` is absent, whole numbers may be written `8.0`, and every
//! value of another type or out of range becomes a problem with its place. Reading goes on after a
//! problem, so that all of a file's problems are reported together.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use crate::diagnostic::{Code, Diagnostic, Place};
use crate::import::Input;
use crate::import::json::{JsonNode, SHAPE_HELP};

/// More than this no rate, time or share can be.
pub const MOST: f64 = 1e12;

/// Whole numbers of which no limit is known.
pub const ANY_COUNT: RangeInclusive<u64> = 0..=1_000_000_000_000;

/// The problems of one file, as they are found.
pub struct Problems<'a> {
    path: &'a str,
    text: &'a str,
    /// What forbids publishing the file.
    pub errors: Vec<Diagnostic>,
    /// What is odd about it.
    pub warnings: Vec<Diagnostic>,
}

impl<'a> Problems<'a> {
    /// None yet.
    pub fn new(input: &Input<'a>) -> Self {
        Self {
            path: input.path,
            text: input.text,
            errors: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Where a value stands.
    pub fn place(&self, node: JsonNode) -> Place {
        Place::offset(self.path, self.text, node.offset())
    }

    /// A value that is missing, or has the wrong type or range.
    pub fn shape(&mut self, node: JsonNode, message: impl Into<String>) {
        let place = self.place(node);
        self.errors
            .push(Diagnostic::new(Code::JsonShape, place, message).help(SHAPE_HELP));
    }

    /// Something odd.
    pub fn warn(&mut self, code: Code, node: JsonNode, message: String, help: &str) {
        let place = self.place(node);
        self.warnings
            .push(Diagnostic::new(code, place, message).help(help));
    }
}

/// An object, read once.
pub struct Fields<'a> {
    /// How messages name it: `metadata`, `results[3]`; empty for the whole document.
    pub name: String,
    /// Where it stands.
    pub node: JsonNode<'a>,
    entries: BTreeMap<String, JsonNode<'a>>,
    /// A key that stands there more than once, and its later value.
    repeated: Option<(String, JsonNode<'a>)>,
}

impl<'a> Fields<'a> {
    /// Reads an object; anything else is a problem.
    pub fn read(
        node: JsonNode<'a>,
        name: impl Into<String>,
        problems: &mut Problems,
    ) -> Option<Self> {
        let name = name.into();
        match Self::peek(node) {
            Some(fields) => {
                if let Some((key, node)) = &fields.repeated {
                    let message = format!("the key `{key}` stands twice in one object");
                    problems.shape(*node, message);
                }
                Some(Self { name, ..fields })
            }
            None => {
                let what = if name.is_empty() {
                    "the document"
                } else {
                    &name
                };
                let kind = node.kind();
                problems.shape(node, format!("`{what}` is {kind}, expected an object"));
                None
            }
        }
    }

    /// Reads an object for a look at it; `None` where the value is none.
    pub fn peek(node: JsonNode<'a>) -> Option<Self> {
        let mut entries = BTreeMap::new();
        let mut repeated = None;
        for (key, node) in node.object()? {
            if entries.insert(key.clone(), node).is_some() {
                repeated = repeated.or(Some((key, node)));
            }
        }
        Some(Self {
            name: String::new(),
            node,
            entries,
            repeated,
        })
    }

    /// An object without entries, in the place of one that is not there.
    pub fn empty(node: JsonNode<'a>, name: &str) -> Self {
        Self {
            name: name.to_owned(),
            node,
            entries: BTreeMap::new(),
            repeated: None,
        }
    }

    /// Whether nothing stands in it.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether the key is there, also as `null`.
    pub fn has(&self, key: &str) -> bool {
        self.entries.contains_key(key)
    }

    /// The value of a key, unless it is `null`.
    pub fn get(&self, key: &str) -> Option<JsonNode<'a>> {
        self.entries.get(key).copied().filter(|n| !n.is_null())
    }

    /// All entries but those that are `null`, sorted by key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, JsonNode<'a>)> {
        self.entries
            .iter()
            .filter(|(_, node)| !node.is_null())
            .map(|(key, node)| (key.as_str(), *node))
    }

    /// How messages name a key of it.
    pub fn path(&self, key: &str) -> String {
        if self.name.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.name)
        }
    }

    /// A key that must be there is not.
    pub fn lacks(&self, key: &str, problems: &mut Problems) {
        let what = if self.name.is_empty() {
            "the document"
        } else {
            &self.name
        };
        problems.shape(self.node, format!("`{what}` lacks `{key}`"));
    }

    /// A number in a range.
    pub fn number(
        &self,
        key: &str,
        range: RangeInclusive<f64>,
        problems: &mut Problems,
    ) -> Option<f64> {
        let node = self.get(key)?;
        let number = node.number();
        if let Some(number) = number.filter(|n| range.contains(n)) {
            return Some(number);
        }
        let expected = format!(
            "expected a number from {} to {}",
            in_words(*range.start()),
            in_words(*range.end())
        );
        self.mismatch(key, node, number, &expected, problems);
        None
    }

    /// A number of which 0 and `null` mean that it was not measured.
    pub fn measured(&self, key: &str, problems: &mut Problems) -> Option<f64> {
        self.number(key, 0.0..=MOST, problems).filter(|n| *n > 0.0)
    }

    /// A whole number in a range.
    pub fn count(
        &self,
        key: &str,
        range: RangeInclusive<u64>,
        problems: &mut Problems,
    ) -> Option<u64> {
        let node = self.get(key)?;
        let count = count(node, &range, &self.path(key), problems)?;
        Some(count)
    }

    /// A text; an empty one is absent.
    pub fn text(&self, key: &str, problems: &mut Problems) -> Option<String> {
        let node = self.get(key)?;
        match node.text() {
            Some(text) => Some(text).filter(|t| !t.trim().is_empty()),
            None => {
                self.mismatch(key, node, None, "expected a text", problems);
                None
            }
        }
    }

    /// `true` or `false`.
    pub fn boolean(&self, key: &str, problems: &mut Problems) -> Option<bool> {
        let node = self.get(key)?;
        if node.boolean().is_none() {
            self.mismatch(key, node, None, "expected true or false", problems);
        }
        node.boolean()
    }

    /// An object.
    pub fn fields(&self, key: &str, problems: &mut Problems) -> Option<Fields<'a>> {
        Fields::read(self.get(key)?, self.path(key), problems)
    }

    /// An object; an empty one where it is not there.
    pub fn fields_or_empty(&self, key: &str, problems: &mut Problems) -> Fields<'a> {
        self.fields(key, problems)
            .unwrap_or_else(|| Fields::empty(self.node, &self.path(key)))
    }

    /// A list; empty where it is not there.
    pub fn list(&self, key: &str, problems: &mut Problems) -> Vec<JsonNode<'a>> {
        let Some(node) = self.get(key) else {
            return Vec::new();
        };
        node.array().unwrap_or_else(|| {
            self.mismatch(key, node, None, "expected a list", problems);
            Vec::new()
        })
    }

    /// A list of objects.
    pub fn objects(&self, key: &str, problems: &mut Problems) -> Vec<Fields<'a>> {
        let path = self.path(key);
        self.list(key, problems)
            .into_iter()
            .enumerate()
            .filter_map(|(at, node)| Fields::read(node, format!("{path}[{at}]"), problems))
            .collect()
    }

    /// A list of whole numbers.
    pub fn counts(
        &self,
        key: &str,
        range: &RangeInclusive<u64>,
        problems: &mut Problems,
    ) -> Vec<u64> {
        let path = self.path(key);
        self.list(key, problems)
            .into_iter()
            .enumerate()
            .filter_map(|(at, node)| count(node, range, &format!("{path}[{at}]"), problems))
            .collect()
    }

    fn mismatch(
        &self,
        key: &str,
        node: JsonNode,
        number: Option<f64>,
        expected: &str,
        problems: &mut Problems,
    ) {
        mismatch(node, number, &self.path(key), expected, problems);
    }
}

fn count(
    node: JsonNode,
    range: &RangeInclusive<u64>,
    path: &str,
    problems: &mut Problems,
) -> Option<u64> {
    let count = node.count().filter(|n| range.contains(n));
    if count.is_none() {
        let (least, most) = (*range.start(), *range.end());
        let expected = format!("expected a whole number from {least} to {most}");
        mismatch(node, node.number(), path, &expected, problems);
    }
    count
}

fn mismatch(
    node: JsonNode,
    number: Option<f64>,
    path: &str,
    expected: &str,
    problems: &mut Problems,
) {
    let found = match number {
        Some(number) => in_words(number),
        None if node.kind() == "a number" && node.number().is_none() => {
            "too large a number".to_owned()
        }
        None => node.kind().to_owned(),
    };
    problems.shape(node, format!("`{path}` is {found}, {expected}"));
}

/// A number for a message: plain, or with an exponent where that is shorter to read.
fn in_words(number: f64) -> String {
    if number.abs() >= 1e15 {
        format!("{number:e}")
    } else {
        number.to_string()
    }
}
