//! Tables of the keys that a TOML file of this program may have: their names, what their values may
//! be, and what they mean. Reading ([`crate::toml_table`]), the documentation and the schemas are
//! made from them.

/// One key of a TOML table.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// Its name in its table.
    pub name: &'static str,
    /// What its value may be.
    pub shape: Shape,
    /// What it is for, one sentence, for the documentation and the schema.
    pub description: &'static str,
}

impl Key {
    /// A key.
    pub const fn new(name: &'static str, shape: Shape, description: &'static str) -> Self {
        Self {
            name,
            shape,
            description,
        }
    }
}

/// What the value of a key may be.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A text of one line.
    Text,
    /// A text that may have several lines.
    Lines,
    /// A list of texts of one line.
    Texts,
    /// `true` or `false`.
    Switch,
    /// A whole number from 0.
    Count,
    /// A number from 0.
    Number,
    /// A date, or a date with a time, as TOML's own or as a text.
    Time,
    /// An http or https address.
    Url,
    /// A table with these keys.
    Table(Vec<Key>),
    /// A list of tables with these keys each.
    Tables(Vec<Key>),
    /// A table with free names, each with a number from 0.
    NumberByName,
    /// A table with free names, each with a text of one line.
    TextByName,
}

impl Shape {
    /// What must stand there, for messages and for the documentation.
    pub fn words(&self) -> &'static str {
        match self {
            Shape::Text => "a text of one line",
            Shape::Lines => "a text",
            Shape::Texts => "a list of texts",
            Shape::Switch => "true or false",
            Shape::Count => "a whole number from 0",
            Shape::Number => "a number from 0",
            Shape::Time => "a date or a time",
            Shape::Url => "an http or https address",
            Shape::Table(_) => "a table",
            Shape::Tables(_) => "a list of tables",
            Shape::NumberByName => "a table of numbers",
            Shape::TextByName => "a table of texts",
        }
    }

    /// The keys of the tables that stand there.
    pub fn keys(&self) -> &[Key] {
        match self {
            Shape::Table(keys) | Shape::Tables(keys) => keys,
            _ => &[],
        }
    }
}

/// All keys with their paths (`title`, `hardware`, `hardware.gpu`), in the order of the tables.
pub fn paths(keys: &[Key]) -> Vec<(String, &Key)> {
    let mut out = Vec::new();
    for key in keys {
        out.push((key.name.to_owned(), key));
        for (path, inner) in paths(key.shape.keys()) {
            out.push((format!("{}.{path}", key.name), inner));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_tables_are_named_by_their_path() {
        let keys = [
            Key::new("title", Shape::Text, "A."),
            Key::new(
                "model",
                Shape::Table(vec![Key::new("name", Shape::Text, "B.")]),
                "C.",
            ),
            Key::new("prices", Shape::NumberByName, "D."),
        ];
        let paths: Vec<String> = paths(&keys).into_iter().map(|(path, _)| path).collect();
        assert_eq!(paths, ["title", "model", "model.name", "prices"]);
    }
}
