//! The matrix of a phase: rows are contexts, columns are simultaneous requests.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::counted;
use super::table::{ABSENT, Cell, Column, Table};
use crate::run::figure::format_number;
use crate::run::{Measurement, Metric, Phase, Run, Status};

/// A matrix with its legend and notes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Matrix {
    /// For anchors: `decode`, `burst`.
    pub id: &'static str,
    /// The section's heading.
    pub heading: &'static str,
    /// One line below it: what the cells show.
    pub caption: String,
    /// Heads of the columns: simultaneous requests.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Row>,
    /// The marks and statuses that are there, each with its meaning.
    pub legend: Vec<LegendItem>,
    /// The matrix as a table of plain text, each cell on one line.
    pub plain: Table,
}

/// A row of a matrix: one context.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Row {
    /// The label.
    pub context: String,
    /// The exact number of tokens in words, where the label does not say it.
    pub tokens: String,
    /// The cells, one for each column.
    pub cells: Vec<MatrixCell>,
}

/// A cell of a matrix.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct MatrixCell {
    /// Its anchor; empty where nothing was asked for.
    pub anchor: String,
    /// Total tok/s; empty where there is none.
    pub value: String,
    /// TTFT with its unit; empty where there is none.
    pub ttft: String,
    /// The status in words; empty for valid cells.
    pub status: String,
    /// The status as a word for style sheets.
    pub class: &'static str,
    /// Why, where the source tells it.
    pub reason: String,
}

/// A line of the legend.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LegendItem {
    /// The status in words.
    pub label: String,
    /// The status as a word for style sheets.
    pub class: &'static str,
    /// What it means.
    pub sentence: String,
    /// "6 cells".
    pub count: String,
}

/// The matrix of a phase; `None` where there is not a cell.
pub fn matrix_view(run: &Run, phase: Phase) -> Option<Matrix> {
    let cells = run.phase(phase);
    if cells.is_empty() {
        return None;
    }
    let mut columns: Vec<u64> = cells.iter().map(|m| m.concurrency).collect();
    columns.sort_unstable();
    columns.dedup();
    // Cells are sorted by context; a row begins where the context changes.
    let mut rows: Vec<(&Measurement, BTreeMap<u64, MatrixCell>)> = Vec::new();
    for (cell, anchor) in cells.iter().zip(run.anchors(phase)) {
        let view = cell_view(cell, anchor);
        match rows.last_mut() {
            Some((first, row)) if first.context == cell.context => {
                row.insert(cell.concurrency, view);
            }
            _ => rows.push((cell, BTreeMap::from([(cell.concurrency, view)]))),
        }
    }
    let with_ttft = cells.iter().any(|m| m.get(Metric::TtftMs).is_some());
    let with_value = cells.iter().any(|m| m.get(Metric::TotalTokPerS).is_some());
    let columns_shown: Vec<String> = columns.iter().map(u64::to_string).collect();
    let rows: Vec<Row> = rows
        .iter()
        .map(|(first, row)| Row {
            context: first.context.label.clone(),
            tokens: first
                .context
                .tokens
                .map(|t| format!("{} tokens", format_number(t as f64, 0)))
                .unwrap_or_default(),
            cells: columns
                .iter()
                .map(|c| row.get(c).cloned().unwrap_or_default())
                .collect(),
        })
        .collect();
    let caption = caption(with_value, with_ttft);
    Some(Matrix {
        id: phase.key(),
        heading: phase.label(),
        plain: plain(&caption, &columns_shown, &rows),
        caption,
        columns: columns_shown,
        rows,
        legend: legend(cells),
    })
}

fn plain(caption: &str, columns: &[String], rows: &[Row]) -> Table {
    let context = std::iter::once(Column::text("Context"));
    Table {
        caption: caption.to_owned(),
        columns: context.chain(columns.iter().map(Column::number)).collect(),
        rows: rows
            .iter()
            .map(|row| {
                let context = std::iter::once(Cell::text(&row.context));
                let cells = row.cells.iter().map(|c| Cell::text(cell_text(c)));
                context.chain(cells).collect::<Vec<_>>().into()
            })
            .collect(),
        ..Table::default()
    }
}

fn caption(with_value: bool, with_ttft: bool) -> String {
    let shown = match (with_value, with_ttft) {
        (true, true) => "Total tok/s, with the median time to first token (TTFT) below. ",
        (true, false) => "Total tok/s. ",
        (false, true) => "Median time to first token (TTFT). ",
        (false, false) => "",
    };
    format!("{shown}Rows are context length, columns are simultaneous requests.")
}

fn cell_view(m: &Measurement, anchor: String) -> MatrixCell {
    let value = m
        .get(Metric::TotalTokPerS)
        .map(|f| Metric::TotalTokPerS.show(f));
    let status = match m.status {
        Status::Valid if value.is_some() => "",
        _ => m.status_label(),
    };
    MatrixCell {
        anchor,
        value: value.unwrap_or_default(),
        ttft: m
            .get(Metric::TtftMs)
            .map(|f| Metric::TtftMs.show_with_unit(f))
            .unwrap_or_default(),
        status: status.to_owned(),
        class: m.status.key(),
        reason: m.reason.clone().unwrap_or_default(),
    }
}

/// The statuses that are there, but valid, with how many cells each concerns.
fn legend(cells: &[Measurement]) -> Vec<LegendItem> {
    let mut found: BTreeMap<(Status, &str), usize> = BTreeMap::new();
    for cell in cells.iter().filter(|m| m.status != Status::Valid) {
        *found.entry((cell.status, cell.status_label())).or_insert(0) += 1;
    }
    found
        .into_iter()
        .map(|((status, label), count)| LegendItem {
            label: label.to_owned(),
            class: status.key(),
            sentence: match status {
                Status::Other => "as the source words it.".to_owned(),
                _ => status.sentence().to_owned(),
            },
            count: counted(count, "cell", "cells"),
        })
        .collect()
}

/// What a matrix cell says in one line of text: `82.9 · 584 ms TTFT`, `Over capacity`.
fn cell_text(cell: &MatrixCell) -> String {
    let ttft = if cell.ttft.is_empty() {
        String::new()
    } else {
        format!("{} TTFT", cell.ttft)
    };
    let parts: Vec<&str> = [cell.value.as_str(), &cell.status, &ttft]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect();
    if parts.is_empty() {
        ABSENT.to_owned()
    } else {
        parts.join(" · ")
    }
}
