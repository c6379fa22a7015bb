//! Typed values of a TOML table.

use std::collections::BTreeMap;

use crate::diagnostic::Place;
use crate::run::time::MeasuredAt;
#[cfg(doc)]
use crate::toml_keys::Shape;

/// The value of a key.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// For [`Shape::Text`], [`Shape::Lines`] and [`Shape::Url`]; not empty, without white space
    /// around it.
    Text(String),
    /// For [`Shape::Texts`], each with its place.
    Texts(Vec<(String, Place)>),
    /// For [`Shape::Switch`].
    Switch(bool),
    /// For [`Shape::Count`].
    Count(u64),
    /// For [`Shape::Number`].
    Number(f64),
    /// For [`Shape::Time`].
    Time(MeasuredAt),
    /// For [`Shape::Table`] and the shapes with free names.
    Table(Table),
    /// For [`Shape::Tables`].
    Tables(Vec<Table>),
}

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The value.
    pub value: Value,
    /// Its place in the file.
    pub place: Place,
}

/// The known keys of a table that have a value of the right kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Where the table stands.
    pub place: Place,
    pub(super) entries: BTreeMap<String, Entry>,
}

impl Table {
    /// The value of a key, with its place.
    pub fn get(&self, name: &str) -> Option<&Entry> {
        self.entries.get(name)
    }

    /// All entries, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.entries.iter().map(|(name, e)| (name.as_str(), e))
    }

    /// A text, with its place.
    pub fn text(&self, name: &str) -> Option<(&str, &Place)> {
        match self.entries.get(name) {
            Some(Entry {
                value: Value::Text(text),
                place,
            }) => Some((text, place)),
            _ => None,
        }
    }

    /// A list of texts, each with its place.
    pub fn texts(&self, name: &str) -> Option<&[(String, Place)]> {
        match self.get(name)?.value {
            Value::Texts(ref texts) => Some(texts),
            _ => None,
        }
    }

    /// A switch.
    pub fn switch(&self, name: &str) -> Option<bool> {
        match self.get(name)?.value {
            Value::Switch(on) => Some(on),
            _ => None,
        }
    }

    /// A number, whole or not.
    pub fn number(&self, name: &str) -> Option<f64> {
        match self.get(name)?.value {
            Value::Number(x) => Some(x),
            Value::Count(n) => Some(n as f64),
            _ => None,
        }
    }

    /// A whole number.
    pub fn count(&self, name: &str) -> Option<u64> {
        match self.get(name)?.value {
            Value::Count(n) => Some(n),
            _ => None,
        }
    }

    /// A table below this one.
    pub fn table(&self, name: &str) -> Option<&Table> {
        match self.get(name)?.value {
            Value::Table(ref table) => Some(table),
            _ => None,
        }
    }

    /// A list of tables below this one.
    pub fn tables(&self, name: &str) -> Option<&[Table]> {
        match self.get(name)?.value {
            Value::Tables(ref tables) => Some(tables),
            _ => None,
        }
    }
}
