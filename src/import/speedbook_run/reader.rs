//! Typed access to the values of a document: what has the wrong type or range becomes a problem
//! with its place, what is not known is kept and said once for each kind of object.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::diagnostic::{Code, Diagnostic, Place, nearest};
use crate::import::json::JsonNode;
use crate::run::document;

/// The longest number that a message repeats.
const LONGEST_SHOWN: usize = 24;

/// The known entries of an object, and the unknown ones as they were.
pub struct Fields<'a> {
    /// In the order of the file, each key once, without those that are null.
    pub known: Vec<(String, JsonNode<'a>)>,
    pub unknown: Map<String, Value>,
}

/// Reads values and gathers what is wrong with them.
pub struct Reader<'a> {
    places: Places<'a>,
    pub problems: Vec<Diagnostic>,
    pub warnings: Vec<Diagnostic>,
    unknown: BTreeMap<(String, String), Unknown>,
}

/// An unknown key of one kind of object: the first that was met, and how many there are.
struct Unknown {
    first: Place,
    count: usize,
    help: String,
}

impl<'a> Reader<'a> {
    pub fn new(path: &'a str, text: &'a str) -> Self {
        Self {
            places: Places {
                path,
                text,
                last: (0, 1, 1),
            },
            problems: Vec::new(),
            warnings: Vec::new(),
            unknown: BTreeMap::new(),
        }
    }

    /// The place of a value.
    pub fn place(&mut self, node: &JsonNode) -> Place {
        self.places.at(node.offset())
    }

    /// "`ttft_ms` must be a number from 0, found a text".
    pub fn refuse(&mut self, node: &JsonNode, name: &str, expected: &str) {
        let found = match node.kind() {
            kind @ ("a number" | "true or false") => {
                let rest = self.places.text.get(node.offset()..).unwrap_or_default();
                let end = rest.find([',', '}', ']', ' ', '\r', '\n', '\t']);
                let literal = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
                if literal.len() <= LONGEST_SHOWN {
                    literal.to_owned()
                } else {
                    kind.to_owned()
                }
            }
            "a text" => match node.text().as_deref() {
                Some(text) if text.trim().is_empty() => "an empty text".to_owned(),
                Some(_) => "a text".to_owned(),
                None => "a text that is not Unicode".to_owned(),
            },
            kind => kind.to_owned(),
        };
        let place = self.place(node);
        let message = format!("`{name}` must be {expected}, found {found}");
        let problem = Diagnostic::new(Code::JsonShape, place, message);
        self.problems.push(problem);
    }

    /// A key that must be there is not.
    pub fn missing(&mut self, object: &JsonNode, key: &str, expected: &str) {
        let place = self.place(object);
        let message = format!("the key `{key}` is missing; it must be {expected}");
        let problem = Diagnostic::new(Code::JsonShape, place, message);
        self.problems.push(problem);
    }

    fn expect<T>(
        &mut self,
        node: &JsonNode,
        name: &str,
        expected: &str,
        value: Option<T>,
    ) -> Option<T> {
        if value.is_none() {
            self.refuse(node, name, expected);
        }
        value
    }

    pub fn text(&mut self, node: &JsonNode, name: &str) -> Option<String> {
        self.expect(node, name, "a text", node.text())
    }

    /// A text with something else than white space in it.
    pub fn words(&mut self, node: &JsonNode, name: &str) -> Option<String> {
        let value = node.text().filter(|text| !text.trim().is_empty());
        self.expect(node, name, "a text that is not empty", value)
    }

    pub fn boolean(&mut self, node: &JsonNode, name: &str) -> Option<bool> {
        self.expect(node, name, "true or false", node.boolean())
    }

    pub fn count(&mut self, node: &JsonNode, name: &str, least: u64) -> Option<u64> {
        let value = node.count().filter(|n| *n >= least);
        let expected = format!("a whole number from {least}");
        self.expect(node, name, &expected, value)
    }

    pub fn number(&mut self, node: &JsonNode, name: &str) -> Option<f64> {
        let value = node.number().filter(|x| *x >= 0.0);
        self.expect(node, name, "a number from 0", value)
    }

    /// A number without a fraction, of any size.
    pub fn whole_number(&mut self, node: &JsonNode, name: &str) -> Option<f64> {
        let value = node.number().filter(|x| *x >= 0.0 && x.fract() == 0.0);
        self.expect(node, name, "a whole number from 0", value)
    }

    /// The step that a figure was rounded to.
    pub fn step(&mut self, node: &JsonNode, name: &str) -> Option<f64> {
        let value = node.number().filter(|x| *x > 0.0);
        self.expect(node, name, "a number above 0", value)
    }

    pub fn list(&mut self, node: &JsonNode<'a>, name: &str) -> Vec<JsonNode<'a>> {
        self.expect(node, name, "a list", node.array())
            .unwrap_or_default()
    }

    /// A list of texts.
    pub fn texts(&mut self, node: &JsonNode<'a>, name: &str) -> Vec<String> {
        let items = self.list(node, name);
        items
            .iter()
            .filter_map(|item| self.text(item, &format!("{name}[]")))
            .collect()
    }

    /// The entries of an object, a list's items being named `list[]`. A repeated key is a problem: nothing tells which value is meant.
    pub fn fields(
        &mut self,
        node: &JsonNode<'a>,
        name: &str,
        place: document::Place,
    ) -> Option<Fields<'a>> {
        let entries = self.expect(node, name, "an object", node.object())?;
        let mut seen = BTreeSet::new();
        let mut fields = Fields {
            known: Vec::with_capacity(entries.len()),
            unknown: Map::new(),
        };
        for (key, value) in entries {
            if !seen.insert(key.clone()) {
                let at = self.place(&value);
                let message = format!("the key `{key}` stands twice in one object");
                self.problems
                    .push(Diagnostic::new(Code::JsonShape, at, message).help("remove one of them"));
            } else if !place.knows(&key) {
                self.note_unknown(&value, name, &key, place);
                let kept = value.value();
                if kept.is_null() && !value.is_null() {
                    self.refuse(&value, &key, "a value within the limits of JSON readers");
                }
                fields.unknown.insert(key, kept);
            } else if !value.is_null() {
                fields.known.push((key, value));
            }
        }
        Some(fields)
    }

    fn note_unknown(&mut self, value: &JsonNode, name: &str, key: &str, place: document::Place) {
        let name = match place {
            document::Place::Top => String::new(),
            _ => format!(" of `{}`", name.trim_end_matches("[]")),
        };
        let met = (name, key.to_owned());
        if let Some(unknown) = self.unknown.get_mut(&met) {
            unknown.count += 1;
            return;
        }
        let at = self.place(value);
        let help = match nearest(key, place.keys()) {
            Some(known) => format!("did you mean `{known}`? It is kept as it is"),
            None => "it is kept as it is; a newer version of gen may know it".to_owned(),
        };
        let unknown = Unknown {
            first: Place { column: None, ..at },
            count: 1,
            help,
        };
        self.unknown.insert(met, unknown);
    }

    /// All warnings, with those about unknown keys.
    pub fn into_warnings(self) -> Vec<Diagnostic> {
        let unknown = self.unknown.into_iter().map(|((name, key), unknown)| {
            let times = match unknown.count {
                1 => String::new(),
                n => format!(" ({n} times, first here)"),
            };
            let message = format!("the key `{key}`{name} is not known{times}");
            Diagnostic::new(Code::UnknownRunKey, unknown.first, message).help(unknown.help)
        });
        let mut warnings = self.warnings;
        warnings.extend(unknown);
        warnings.sort();
        warnings
    }
}

/// Places of a text, cheap when one that is asked for is near the one before.
struct Places<'a> {
    path: &'a str,
    text: &'a str,
    /// The last offset asked for, and its line and column.
    last: (usize, usize, usize),
}

impl Places<'_> {
    fn at(&mut self, offset: usize) -> Place {
        let (last, mut line, mut column) = self.last;
        let back = self.text.get(offset..last).unwrap_or_default();
        let lines_back = back.bytes().filter(|b| *b == b'\n').count();
        if lines_back > 0 {
            let before = self.text.get(..offset).unwrap_or_default();
            line -= lines_back;
            column = before.rsplit('\n').next().map_or(0, chars) + 1;
        } else {
            column -= chars(back);
        }
        for c in self.text.get(last..offset).unwrap_or_default().chars() {
            if c == '\n' {
                line += 1;
                column = 1;
            } else {
                column += 1;
            }
        }
        self.last = (offset, line, column);
        Place::column(self.path, line, column)
    }
}

fn chars(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_right_in_any_order() {
        let text = "ab\ncä×d\n\nx";
        let mut places = Places {
            path: "a",
            text,
            last: (0, 1, 1),
        };
        for offset in [0, 8, 3, 6, 4, 11, 11, 10, 1, 2] {
            assert_eq!(places.at(offset), Place::offset("a", text, offset));
        }
    }
}
