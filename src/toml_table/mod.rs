//! TOML → typed values with their places, by a table of known keys. The one way in which site.toml
//! and front matter are read: a key that is not known and a value of the wrong kind are found here.

mod table;

use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::diagnostic::{Code, Diagnostic, Place, nearest};
use crate::run::time::MeasuredAt;
use crate::toml_keys::{Key, Shape};
use crate::web_address::WebAddress;

pub use table::{Entry, Table, Value};

/// A TOML text that is a file or a part of one.
#[derive(Clone, Debug)]
pub struct TomlText<'a> {
    /// The file as the user knows it.
    pub path: &'a str,
    /// The whole text of the file.
    pub file: &'a str,
    /// Which bytes of it are TOML.
    pub range: Range<usize>,
    /// The kind of problem that a fault of its syntax is.
    pub syntax: Code,
}

/// Reads a text by a table of keys: what is right in it, and all problems. A text with a fault of
/// syntax gives an empty table, since what stands behind a fault cannot be relied on.
pub fn read(text: &TomlText, keys: &[Key]) -> (Table, Vec<Diagnostic>) {
    let mut reader = Reader {
        text,
        root: keys,
        problems: Vec::new(),
    };
    let place = reader.place(0);
    let table = match parse(text) {
        Ok(table) => reader.table(&table, place, keys, ""),
        Err(problem) => {
            reader.problems.push(problem);
            Table::default()
        }
    };
    (table, reader.problems)
}

/// The names of the keys at the top of a text, each with its place.
///
/// # Errors
/// A fault of syntax.
pub fn top_keys(text: &TomlText) -> Result<Vec<(String, Place)>, Diagnostic> {
    Ok(parse(text)?
        .iter()
        .map(|(key, _)| {
            let place = Place::offset(text.path, text.file, text.range.start + key.span().start);
            (key.get_ref().to_string(), place)
        })
        .collect())
}

fn parse<'a>(text: &TomlText<'a>) -> Result<DeTable<'a>, Diagnostic> {
    let toml = text.file.get(text.range.clone()).unwrap_or_default();
    DeTable::parse(toml)
        .map(Spanned::into_inner)
        .map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let place = Place::offset(text.path, text.file, text.range.start + at);
            let message = format!("is not TOML: {}", error.message().replace('\n', ", "));
            Diagnostic::new(text.syntax, place, message)
        })
}

struct Reader<'a> {
    text: &'a TomlText<'a>,
    /// The keys of the whole text, to tell where a misplaced one belongs.
    root: &'a [Key],
    problems: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn place(&self, offset: usize) -> Place {
        Place::offset(
            self.text.path,
            self.text.file,
            self.text.range.start + offset,
        )
    }

    fn table(&mut self, toml: &DeTable, place: Place, keys: &[Key], above: &str) -> Table {
        let mut entries = BTreeMap::new();
        for (name, value) in toml {
            let (at, name) = (name.span().start, name.get_ref().as_ref());
            let path = join(above, name);
            let Some(key) = keys.iter().find(|key| key.name == name) else {
                let place = self.place(at);
                let help = self.advice(name, keys, above);
                self.problems.push(
                    Diagnostic::new(Code::UnknownKey, place, format!("unknown key `{path}`"))
                        .help(help),
                );
                continue;
            };
            if let Some(entry) = self.entry(value, &key.shape, &path) {
                entries.insert(name.to_owned(), entry);
            }
        }
        Table { place, entries }
    }

    /// What to do about a key that is not known: the table that it belongs to, the nearest known
    /// one, else all of them.
    fn advice(&self, name: &str, keys: &[Key], above: &str) -> String {
        let mut homes: Vec<String> = Vec::new();
        if !above.is_empty() && self.root.iter().any(|key| key.name == name) {
            homes.push("before the first [table]".to_owned());
        }
        // Tables below this one, and beside it.
        let around = keys.iter().map(|key| (key, above)).chain(
            self.root
                .iter()
                .filter(|_| !above.is_empty())
                .map(|key| (key, "")),
        );
        for (key, above) in around {
            if matches!(key.shape, Shape::Table(_))
                && key.shape.keys().iter().any(|inner| inner.name == name)
            {
                homes.push(format!("below [{}]", join(above, key.name)));
            }
        }
        homes.dedup();
        if !homes.is_empty() {
            return format!("`{name}` belongs {}", homes.join(" or "));
        }
        let names = || keys.iter().map(|key| key.name);
        match nearest(name, names()) {
            Some(near) => format!("did you mean `{}`?", join(above, near)),
            None => format!("known here: {}", names().collect::<Vec<_>>().join(", ")),
        }
    }

    fn entry(&mut self, value: &Spanned<DeValue>, shape: &Shape, path: &str) -> Option<Entry> {
        let place = self.place(value.span().start);
        let read = match (shape, value.get_ref()) {
            (Shape::Table(keys), DeValue::Table(table)) => {
                Ok(Value::Table(self.table(table, place.clone(), keys, path)))
            }
            (Shape::Tables(keys), DeValue::Array(items)) => {
                let mut tables = Vec::new();
                for item in items.iter() {
                    let place = self.place(item.span().start);
                    if let DeValue::Table(table) = item.get_ref() {
                        tables.push(self.table(table, place, keys, path));
                    } else {
                        let wrong = Wrong::kind(shape, item.get_ref());
                        self.problems.push(wrong.at(place, path));
                    }
                }
                Ok(Value::Tables(tables))
            }
            (Shape::Texts, DeValue::Array(items)) => {
                let mut texts = Vec::new();
                for item in items.iter() {
                    let place = self.place(item.span().start);
                    match scalar(&Shape::Text, item.get_ref()) {
                        Ok(Value::Text(text)) => texts.push((text, place)),
                        Ok(_) => {}
                        Err(Wrong::Kind { found, .. }) => {
                            let wrong = Wrong::Kind {
                                wanted: shape.words(),
                                found: format!("{found} in the list"),
                                help: "",
                            };
                            self.problems.push(wrong.at(place, path));
                        }
                        Err(wrong) => self.problems.push(wrong.at(place, path)),
                    }
                }
                Ok(Value::Texts(texts))
            }
            (Shape::NumberByName, DeValue::Table(table)) => Ok(Value::Table(self.free(
                table,
                place.clone(),
                &Shape::Number,
                path,
            ))),
            (Shape::TextByName, DeValue::Table(table)) => Ok(Value::Table(self.free(
                table,
                place.clone(),
                &Shape::Text,
                path,
            ))),
            (shape, value) => scalar(shape, value),
        };
        match read {
            Ok(value) => Some(Entry { value, place }),
            Err(wrong) => {
                self.problems.push(wrong.at(place, path));
                None
            }
        }
    }

    /// A table whose names are free.
    fn free(&mut self, toml: &DeTable, place: Place, shape: &Shape, above: &str) -> Table {
        let mut entries = BTreeMap::new();
        for (name, value) in toml {
            let name = name.get_ref().as_ref();
            let path = format!("{above}.\"{name}\"");
            if let Some(entry) = self.entry(value, shape, &path) {
                entries.insert(name.to_owned(), entry);
            }
        }
        Table { place, entries }
    }
}

fn join(above: &str, name: &str) -> String {
    if above.is_empty() {
        name.to_owned()
    } else {
        format!("{above}.{name}")
    }
}

/// What is wrong with a value.
enum Wrong {
    /// Another kind of value, or one out of range.
    Kind {
        wanted: &'static str,
        found: String,
        help: &'static str,
    },
    /// The right kind, with a fault that the words name.
    Fault(&'static str, &'static str),
}

impl Wrong {
    fn kind(shape: &Shape, value: &DeValue) -> Self {
        let help = match (shape, value) {
            (Shape::Count | Shape::Number, DeValue::String(text))
                if text.trim().parse::<f64>().is_ok() =>
            {
                "write the number without quotes"
            }
            (Shape::Switch, DeValue::String(text)) if text == "true" || text == "false" => {
                "write it without quotes"
            }
            (Shape::Text | Shape::Lines, DeValue::Integer(_) | DeValue::Float(_)) => {
                "write it in quotes"
            }
            (Shape::Texts, DeValue::String(_)) => "write it in square brackets",
            (Shape::Tables(_), DeValue::Table(_)) => "write its name in two pairs of brackets",
            _ => "",
        };
        Self::Kind {
            wanted: shape.words(),
            found: found(value).to_owned(),
            help,
        }
    }

    fn at(self, place: Place, path: &str) -> Diagnostic {
        match self {
            Wrong::Kind {
                wanted,
                found,
                help,
            } => {
                let message = format!("`{path}` must be {wanted}, found {found}");
                Diagnostic::new(Code::BadValue, place, message).help(help)
            }
            Wrong::Fault(what, help) => {
                Diagnostic::new(Code::BadValue, place, format!("`{path}` {what}")).help(help)
            }
        }
    }
}

/// "a text", "a list": what stands there, for messages.
fn found(value: &DeValue) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(n) if n.as_str().starts_with('-') => "a negative number",
        DeValue::Float(x) if x.as_str().contains("inf") || x.as_str().contains("nan") => {
            "no finite number"
        }
        DeValue::Float(x) if x.as_str().starts_with('-') => "a negative number",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date or a time",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// A value that has no parts.
fn scalar(shape: &Shape, value: &DeValue) -> Result<Value, Wrong> {
    let wrong = || Wrong::kind(shape, value);
    match (shape, value) {
        (Shape::Text | Shape::Lines | Shape::Url | Shape::Time, DeValue::String(text)) => {
            let text = text.trim();
            if text.is_empty() {
                return Err(Wrong::Fault(
                    "is empty",
                    "leave the key out, or give it a value",
                ));
            }
            match shape {
                Shape::Text if text.contains(['\n', '\r']) => {
                    Err(Wrong::Fault("must be a text of one line", ""))
                }
                Shape::Time => MeasuredAt::parse(text).map(Value::Time).map_err(|_| {
                    Wrong::Fault(
                        "is not a date or a time",
                        "write it as 2026-09-13, 2026-09-13T02:25:00 or 2026-09-13T02:25:00+02:00",
                    )
                }),
                Shape::Url => match WebAddress::parse(text) {
                    Ok(_) => Ok(Value::Text(text.to_owned())),
                    Err(what) => Err(Wrong::Fault(what, "")),
                },
                _ => Ok(Value::Text(text.to_owned())),
            }
        }
        (Shape::Time, DeValue::Datetime(time)) => {
            let time = time.to_string();
            MeasuredAt::parse(&time).map(Value::Time).map_err(|_| {
                Wrong::Fault(
                    "lacks the day",
                    "write it as 2026-09-13 or 2026-09-13T02:25:00",
                )
            })
        }
        (Shape::Switch, DeValue::Boolean(on)) => Ok(Value::Switch(*on)),
        (Shape::Count, DeValue::Integer(n)) => u64::from_str_radix(n.as_str(), n.radix())
            .map(Value::Count)
            .map_err(|_| wrong()),
        (Shape::Number, DeValue::Integer(n)) => u64::from_str_radix(n.as_str(), n.radix())
            .map(|n| Value::Number(n as f64))
            .map_err(|_| wrong()),
        (Shape::Number, DeValue::Float(x)) => match x.as_str().parse::<f64>() {
            Ok(x) if x.is_finite() && x >= 0.0 => Ok(Value::Number(x)),
            _ => Err(wrong()),
        },
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests;
