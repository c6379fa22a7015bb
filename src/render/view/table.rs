//! A plain table: heads and cells of text, for HTML and Markdown alike.

use schemars::JsonSchema;
use serde::Serialize;

use crate::site::{Address, Links};

/// A table of text.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Table {
    /// What it shows, for people who do not see it.
    pub caption: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows.
    pub rows: Vec<Row>,
    /// Whether readers may want its rows in another order.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sortable: bool,
}

/// A row.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Row {
    /// Its cells, as many as the table has columns.
    pub cells: Vec<Cell>,
    /// The anchor of the measurement that the whole row shows; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub anchor: String,
}

impl Row {
    /// The same row, as the one that shows this measurement.
    #[must_use]
    pub fn anchor(mut self, anchor: impl Into<String>) -> Self {
        self.anchor = anchor.into();
        self
    }
}

impl From<Vec<Cell>> for Row {
    fn from(cells: Vec<Cell>) -> Self {
        Self {
            cells,
            ..Self::default()
        }
    }
}

/// The head of a column.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Column {
    /// The words in the head.
    pub label: String,
    /// Whether the cells are numbers, set to the right.
    pub number: bool,
    /// Its name for scripts; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub key: String,
}

impl Column {
    /// A column of text.
    pub fn text(label: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            ..Self::default()
        }
    }

    /// A column of numbers.
    pub fn number(label: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            number: true,
            ..Self::default()
        }
    }

    /// The same column with a name for scripts.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = key.into();
        self
    }
}

/// A cell.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Cell {
    /// What stands in it.
    pub text: String,
    /// Where it leads, relative to the page; empty for no link.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub link: String,
    /// Where it leads in the Markdown twin, where that is another place; else empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub twin: String,
    /// A smaller line below it; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// A picture that HTML shows instead of the text, which says what is on it: a whole `svg`
    /// element; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub svg: String,
    /// Marks that the reader must not miss, behind the smaller line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<&'static str>,
    /// The anchor of the measurement that it stands for; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub anchor: String,
    /// The number that it is sorted by, where its text is not that number ("13.7K", "1,646.0");
    /// else empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub value: String,
}

impl Cell {
    /// A cell that leads nowhere.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// A cell that is a link.
    pub fn link(text: impl Into<String>, link: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            link: link.into(),
            ..Self::default()
        }
    }

    /// A cell that leads to a page of the site.
    pub fn page(text: impl Into<String>, links: &Links, page: &Address) -> Self {
        Self {
            text: text.into(),
            link: links.page(page),
            twin: links.twin(page),
            ..Self::default()
        }
    }

    /// A cell that shows this number in some notation.
    pub fn figure(text: impl Into<String>, value: f64) -> Self {
        let text = text.into();
        let plain = text.parse::<f64>().is_ok();
        Self {
            value: if plain {
                String::new()
            } else {
                value.to_string()
            },
            ..Self::text(text)
        }
    }

    /// The same cell as the place that links to this anchor lead to.
    #[must_use]
    pub fn anchor(mut self, anchor: impl Into<String>) -> Self {
        self.anchor = anchor.into();
        self
    }

    /// The same cell with a smaller line below.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }
}

/// What stands where there is nothing: "—".
pub const ABSENT: &str = "—";

impl Table {
    /// Drops the columns, from the given one on, in which every cell is absent.
    pub fn drop_empty_columns(&mut self, from: usize) {
        let keep: Vec<bool> = (0..self.columns.len())
            .map(|at| {
                at < from
                    || self
                        .rows
                        .iter()
                        .any(|row| row.cells.get(at).is_some_and(|cell| cell.text != ABSENT))
            })
            .collect();
        retain(&mut self.columns, &keep);
        for row in &mut self.rows {
            retain(&mut row.cells, &keep);
        }
    }
}

fn retain<T>(items: &mut Vec<T>, keep: &[bool]) {
    let mut flags = keep.iter();
    items.retain(|_| *flags.next().unwrap_or(&true));
}
