//! What the Markdown templates need beyond plain text: aligned tables, code.

use tera::{Kwargs, State, Tera, Value};
use unicode_width::UnicodeWidthStr;

use crate::render::escape::{markdown, markdown_code, markdown_fence};

/// Registers what Markdown templates need: `table`, `code`, `fence`.
pub fn register_filters(engine: &mut Tera) {
    engine.register_filter("table", |table: &Value, _: Kwargs, _: &State| {
        Value::safe_string(&aligned_table(table))
    });
    engine.register_filter("code", |text: &str, _: Kwargs, _: &State| {
        Value::safe_string(&markdown_code(text, false))
    });
    engine.register_filter("fence", |text: &str, kwargs: Kwargs, _: &State| {
        let language = kwargs
            .get::<String>("language")
            .ok()
            .flatten()
            .unwrap_or_default();
        Value::safe_string(&markdown_fence(text, &language))
    });
}

/// A [`crate::render::view::table::Table`] as a pipe table whose columns line up in a plain-text view.
fn aligned_table(table: &Value) -> String {
    let list = |value: Option<&Value>| value.and_then(Value::as_array).unwrap_or_default().to_vec();
    let field = |value: &Value, key: &str| value.get_from_path(key).cloned();
    let text = |value: &Value, key: &str| {
        field(value, key)
            .and_then(|v| v.as_str().map(str::to_owned))
            .unwrap_or_default()
    };
    let columns = list(field(table, "columns").as_ref());
    let numbers: Vec<bool> = columns
        .iter()
        .map(|c| {
            field(c, "number")
                .and_then(|v| v.as_bool())
                .unwrap_or_default()
        })
        .collect();
    let mut rows: Vec<Vec<String>> = vec![
        columns
            .iter()
            .map(|c| markdown(&text(c, "label")))
            .collect(),
    ];
    for row in list(field(table, "rows").as_ref()) {
        rows.push(
            list(field(&row, "cells").as_ref())
                .iter()
                .map(|cell| {
                    let shown = markdown(&text(cell, "text"));
                    let link = match text(cell, "twin") {
                        twin if twin.is_empty() => text(cell, "link"),
                        twin => twin,
                    };
                    let shown = match link.as_str() {
                        "" => shown,
                        link => format!("[{shown}]({link})"),
                    };
                    let mut shown = match text(cell, "note").as_str() {
                        "" => shown,
                        note => format!("{shown} ({})", markdown(note)),
                    };
                    for mark in list(field(cell, "marks").as_ref()) {
                        let mark = markdown(mark.as_str().unwrap_or_default());
                        shown.push_str(&format!(" **{mark}**"));
                    }
                    shown
                })
                .collect(),
        );
    }
    pipe_table(&rows, &numbers)
}

/// Rows of escaped cells, the first being the heads, as a pipe table whose columns line up; columns
/// of numbers are set to the right.
pub fn pipe_table(rows: &[Vec<String>], numbers: &[bool]) -> String {
    let widths: Vec<usize> = (0..numbers.len())
        .map(|at| {
            let cells = rows.iter().filter_map(|row| row.get(at));
            cells.map(|cell| cell.width()).max().unwrap_or(0).max(3)
        })
        .collect();
    let mut out = String::new();
    for (at, row) in rows.iter().enumerate() {
        for ((cell, width), number) in row.iter().zip(&widths).zip(numbers) {
            let pad = " ".repeat(width.saturating_sub(cell.width()));
            if *number {
                out.push_str(&format!("| {pad}{cell} "));
            } else {
                out.push_str(&format!("| {cell}{pad} "));
            }
        }
        out.push_str("|\n");
        if at == 0 {
            for (width, number) in widths.iter().zip(numbers) {
                let dashes = "-".repeat(width - 1);
                out.push_str(&if *number {
                    format!("| {dashes}: ")
                } else {
                    format!("| :{dashes} ")
                });
            }
            out.push_str("|\n");
        }
    }
    out.truncate(out.trim_end().len());
    out
}
