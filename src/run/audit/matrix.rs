//! The measurements of one phase, in the order of the document and by row and column, so that each
//! rule passes over them once.

use std::collections::{BTreeMap, BTreeSet};

use crate::run::{Context, Figure, Measurement, Metric, Phase, Run, Status, anchor_of};

/// Whether the cell was run and its figures stand for something.
pub(crate) fn is_measured(cell: &Measurement) -> bool {
    matches!(cell.status, Status::Valid | Status::Queued | Status::Other)
        && !cell.figures.is_empty()
}

/// A measured cell, and what finding it again takes.
#[derive(Clone, Copy)]
pub struct Cell<'a> {
    pub measurement: &'a Measurement,
    phase: Phase,
    /// Whether another context of the phase has the same label.
    shares_label: bool,
}

impl<'a> Cell<'a> {
    pub fn anchor(self) -> String {
        anchor_of(self.phase, self.measurement, self.shares_label)
    }

    /// Tokens of the context: exact, else what the label says with K = 1024.
    pub fn tokens(self) -> Option<u64> {
        let context = &self.measurement.context;
        let label = || Context::label_tokens(&context.label, 1 << 10, 1 << 20);
        context.tokens.or_else(label)
    }

    /// What tells contexts apart and sorts them: tokens; where not even the label tells them, the
    /// label.
    pub fn row(self) -> (u64, &'a str) {
        match self.tokens() {
            Some(tokens) => (tokens, ""),
            None => (u64::MAX, &self.measurement.context.label),
        }
    }

    pub fn concurrency(self) -> u64 {
        self.measurement.concurrency
    }

    pub fn get(self, metric: Metric) -> Option<Figure> {
        self.measurement.get(metric)
    }

    /// The figure where it is above zero: a zero rate, latency or number of active requests was
    /// not measured.
    pub fn positive(self, metric: Metric) -> Option<Figure> {
        self.get(metric).filter(|figure| figure.value > 0.0)
    }

    pub fn phase(self) -> Phase {
        self.phase
    }

    /// The label of the context.
    pub fn context(self) -> &'a str {
        &self.measurement.context.label
    }
}

/// The measured cells of one phase.
pub struct Matrix<'a> {
    by_row: Vec<Cell<'a>>,
    by_column: Vec<Cell<'a>>,
}

impl<'a> Matrix<'a> {
    pub fn of(run: &'a Run, phase: Phase) -> Self {
        let mut first: BTreeMap<&str, Option<u64>> = BTreeMap::new();
        let mut shared: BTreeSet<&str> = BTreeSet::new();
        for m in run.phase(phase) {
            let tokens = m.context.tokens;
            if *first.entry(&m.context.label).or_insert(tokens) != tokens {
                shared.insert(&m.context.label);
            }
        }
        let mut by_row: Vec<Cell<'a>> = run
            .phase(phase)
            .iter()
            .filter(|measurement| is_measured(measurement))
            .map(|measurement| Cell {
                measurement,
                phase,
                shares_label: shared.contains(measurement.context.label.as_str()),
            })
            .collect();
        by_row.sort_by_key(|cell| (cell.row(), cell.concurrency()));
        let mut by_column = by_row.clone();
        by_column.sort_by_key(|cell| cell.concurrency());
        Self { by_row, by_column }
    }

    /// All measured cells, by context, then concurrency.
    pub fn cells(&self) -> &[Cell<'a>] {
        &self.by_row
    }

    /// The cells of one context after the other, by concurrency.
    pub fn rows(&self) -> impl Iterator<Item = &[Cell<'a>]> {
        self.by_row.chunk_by(|a, b| a.row() == b.row())
    }

    /// The cells of one concurrency after the other, by context.
    pub fn columns(&self) -> impl Iterator<Item = &[Cell<'a>]> {
        self.by_column
            .chunk_by(|a, b| a.concurrency() == b.concurrency())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_those_of_the_run() {
        let mut run = Run::new();
        for (label, tokens) in [("8K", 8192), ("8K", 8000), ("16K", 16_384)] {
            run.decode.push(Measurement {
                context: Context {
                    label: label.to_owned(),
                    tokens: Some(tokens),
                    derived: false,
                },
                concurrency: 2,
                figures: [(Metric::TtftMs, Figure::exact(1.0))].into_iter().collect(),
                ..Measurement::default()
            });
        }
        for cell in Matrix::of(&run, Phase::Decode).cells() {
            assert_eq!(cell.anchor(), run.anchor(Phase::Decode, cell.measurement));
        }
    }
}
