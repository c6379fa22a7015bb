//! A table of contexts by simultaneous requests, written as HTML and as Markdown at once: these are
//! the largest parts of a page, and a template has no say in them.

use super::table::ABSENT;
use crate::highlight::escaped;
use crate::render::escape::markdown;
use crate::render::markdown::pipe_table;
use crate::run::figure::format_number;

/// The table while it grows, row by row.
pub(super) struct Grid {
    html: String,
    plain: Vec<Vec<String>>,
}

/// A cell of the table.
#[derive(Debug, Default)]
pub(super) struct GridCell {
    /// Its anchor; empty for none.
    pub id: String,
    /// The anchor of the measurement that it shows; empty for none.
    pub measurement: String,
    /// Its classes for style sheets, with blanks between them.
    pub class: String,
    /// A word that shows when it is pointed at; empty for none.
    pub title: String,
    /// What stands in it, as HTML, escaped.
    pub html: String,
    /// What stands in it in one line of text.
    pub text: String,
}

impl Grid {
    /// A table with these columns and no rows.
    pub fn new(caption: &str, levels: impl Iterator<Item = u64>) -> Self {
        let mut html = format!(
            "<table class=\"matrix\">\n<caption><span>{}</span></caption>\n<thead><tr><th scope=\"col\">Context</th>",
            escaped(caption)
        );
        let mut heads = vec!["Context".to_owned()];
        for level in levels {
            html.push_str(&format!("<th scope=\"col\">{level}</th>"));
            heads.push(level.to_string());
        }
        html.push_str("</tr></thead>\n<tbody>\n");
        Self {
            html,
            plain: vec![heads],
        }
    }

    /// Adds a row: the context with its exact tokens where they are known, and its cells, nothing
    /// where nothing was asked for. `more` is HTML behind the context in its head.
    pub fn row(
        &mut self,
        context: &str,
        tokens: Option<u64>,
        cells: impl Iterator<Item = Option<GridCell>>,
        more: &str,
    ) {
        let title = tokens.map_or_else(String::new, |tokens| {
            let tokens = format_number(tokens as f64, 0);
            format!(" title=\"{tokens} tokens\"")
        });
        self.html.push_str(&format!(
            "<tr><th scope=\"row\" dir=\"auto\"{title}>{}{more}</th>",
            escaped(context)
        ));
        let mut line = vec![markdown(context)];
        for cell in cells {
            match cell {
                Some(cell) => {
                    self.cell(&cell);
                    line.push(match cell.text.is_empty() {
                        true => ABSENT.to_owned(),
                        false => markdown(&cell.text),
                    });
                }
                None => {
                    self.html
                        .push_str(&format!("<td class=\"none\">{ABSENT}</td>"));
                    line.push(ABSENT.to_owned());
                }
            }
        }
        self.html.push_str("</tr>\n");
        self.plain.push(line);
    }

    fn cell(&mut self, cell: &GridCell) {
        self.html.push_str("<td");
        for (name, value) in [
            ("id", &cell.id),
            ("data-cell", &cell.measurement),
            ("class", &cell.class),
            ("title", &cell.title),
        ] {
            if !value.is_empty() {
                self.html
                    .push_str(&format!(" {name}=\"{}\"", escaped(value)));
            }
        }
        self.html.push('>');
        self.html.push_str(match cell.html.as_str() {
            "" => ABSENT,
            html => html,
        });
        self.html.push_str("</td>");
    }

    /// The table as HTML and as Markdown.
    pub fn finish(mut self) -> (String, String) {
        self.html.push_str("</tbody>\n</table>");
        let width = self.plain.first().map_or(0, Vec::len);
        let numbers: Vec<bool> = (0..width).map(|at| at > 0).collect();
        let markdown = pipe_table(&self.plain, &numbers);
        (self.html, markdown)
    }
}
