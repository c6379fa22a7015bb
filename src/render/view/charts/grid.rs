//! A matrix as its charts need it: rows of cells at the levels that were asked for, and what the axes
//! of one or several runs have to hold.

use std::collections::{BTreeMap, BTreeSet};

use super::super::counted;
use super::each::Share;
use crate::chart::marker::Look;
use crate::chart::plot::{Axis, Mark, Point, PointKind, Series};
use crate::chart::scale::{Scale, is_on_log};
use crate::run::audit::{Finding, Rule};
use crate::run::figure::format_number;
use crate::run::{Context, Measurement, Metric, Phase, Run, Status};

/// What the axes of one or several runs have to hold.
pub(super) struct Frame {
    /// The per-request figure that all have to be drawn by; `None` where each may have its own.
    pub(super) only: Option<Share>,
    /// The names of contexts, for which there must be room, and the contexts by size, which decide
    /// on looks.
    pub(super) contexts: Vec<(u64, String)>,
    pub(super) levels: Vec<u64>,
    pub(super) totals: Vec<f64>,
    /// TTFTs of decode, and of prefill at the same contexts.
    pub(super) ttfts: Vec<f64>,
    pub(super) shares: BTreeMap<Share, Vec<f64>>,
}

impl Frame {
    /// The names of all contexts.
    pub(super) fn names(&self) -> Vec<String> {
        self.contexts.iter().map(|(_, name)| name.clone()).collect()
    }

    /// The look of a row: that of its context among all contexts.
    pub(super) fn look(&self, row: &Row) -> Look {
        let (tokens, label) = size(row.context);
        let same = |(other, name): &(u64, String)| {
            *other == tokens && (tokens != u64::MAX || name == label)
        };
        let at = self.contexts.iter().position(same).unwrap_or(0);
        Look::of(at, self.contexts.len())
    }

    pub(super) fn over(grids: &[&Grid]) -> Self {
        let levels: BTreeSet<u64> = grids
            .iter()
            .flat_map(|g| g.levels.iter().copied())
            .collect();
        let values = |metric: Metric| {
            let cells = grids.iter().flat_map(|grid| grid.cells());
            cells.filter_map(move |cell| cell.value(metric))
        };
        let marks = grids.iter().flat_map(|grid| &grid.rows).filter_map(|row| {
            let shown = row
                .cells
                .values()
                .any(|c| c.value(Metric::TtftMs).is_some());
            row.prefill
                .as_ref()
                .filter(|_| shown)?
                .value(Metric::TtftMs)
        });
        let share = |share: Share| {
            let cells = grids.iter().flat_map(|grid| grid.cells());
            cells.filter_map(|cell| share.of(cell)).collect()
        };
        let mut contexts: Vec<(u64, String)> = grids
            .iter()
            .flat_map(|grid| &grid.rows)
            .map(|row| {
                let (tokens, label) = size(row.context);
                (
                    tokens,
                    if label.is_empty() {
                        row.name.clone()
                    } else {
                        label.to_owned()
                    },
                )
            })
            .collect();
        contexts.sort();
        contexts.dedup_by(|a, b| a.0 == b.0 && (a.0 != u64::MAX || a.1 == b.1));
        Self {
            only: None,
            contexts,
            levels: levels.into_iter().collect(),
            totals: values(Metric::TotalTokPerS).collect(),
            ttfts: values(Metric::TtftMs).chain(marks).collect(),
            shares: [Share::Own, Share::OfActive, Share::OfAsked]
                .map(|of| (of, share(of)))
                .into(),
        }
    }
}

/// A matrix as rows of cells at the same levels of concurrency.
pub(super) struct Grid<'a> {
    /// What the ids of its pictures begin with; empty where it is the only one on its page.
    pub(super) id: String,
    pub(super) phase: Phase,
    pub(super) levels: Vec<u64>,
    pub(super) rows: Vec<Row<'a>>,
    /// Anchors of cells whose prompt cache was not warm.
    pub(super) cold: BTreeSet<&'a str>,
    pub(super) gap: bool,
}

pub(super) struct Row<'a> {
    pub(super) context: &'a Context,
    pub(super) name: String,
    /// By concurrency.
    pub(super) cells: BTreeMap<u64, Cell<'a>>,
    pub(super) prefill: Option<Cell<'a>>,
}

#[derive(Clone)]
pub(super) struct Cell<'a> {
    pub(super) m: &'a Measurement,
    pub(super) anchor: String,
}

impl Cell<'_> {
    /// The figure where it was measured and a chart can show it.
    pub(super) fn value(&self, metric: Metric) -> Option<f64> {
        let measured = matches!(
            self.m.status,
            Status::Valid | Status::Queued | Status::Other
        );
        self.m
            .value(metric)
            .filter(|value| measured && is_on_log(*value))
    }

    pub(super) fn shown(&self, metric: Metric) -> Option<String> {
        self.value(metric)?;
        self.m.get(metric).map(|f| metric.show_with_unit(f))
    }

    pub(super) fn is_queued(&self) -> bool {
        self.m.status == Status::Queued
    }

    /// ", requests queued": what the cell's status adds to its figures.
    pub(super) fn status(&self) -> String {
        match self.m.status {
            Status::Valid => String::new(),
            _ => format!(", {}", self.m.status_label().to_lowercase()),
        }
    }
}

impl<'a> Grid<'a> {
    pub(super) fn of(run: &'a Run, phase: Phase, findings: &'a [Finding]) -> Self {
        let mut levels: Vec<u64> = run.phase(phase).iter().map(|m| m.concurrency).collect();
        levels.sort_unstable();
        levels.dedup();
        let mut prefill: BTreeMap<(u64, &str), Cell> = BTreeMap::new();
        for (m, anchor) in run.prefill.iter().zip(run.anchors(Phase::Prefill)) {
            prefill
                .entry(size(&m.context))
                .or_insert(Cell { m, anchor });
        }
        let mut rows: Vec<Row> = Vec::new();
        for (m, anchor) in run.phase(phase).iter().zip(run.anchors(phase)) {
            let cell = Cell { m, anchor };
            match rows.last_mut() {
                Some(row) if *row.context == m.context => {
                    row.cells.insert(m.concurrency, cell);
                }
                _ => rows.push(Row {
                    context: &m.context,
                    name: m.context.label.clone(),
                    cells: BTreeMap::from([(m.concurrency, cell)]),
                    prefill: prefill.get(&size(&m.context)).cloned(),
                }),
            }
        }
        // Contexts that share a label are told apart by their tokens, as in anchors.
        let mut labels: BTreeMap<&str, usize> = BTreeMap::new();
        for row in &rows {
            *labels.entry(&row.context.label).or_insert(0) += 1;
        }
        for row in &mut rows {
            let shared = labels.get(row.context.label.as_str()) > Some(&1);
            if let Some(tokens) = row.context.tokens.filter(|_| shared) {
                row.name = format_number(tokens as f64, 0);
            }
        }
        let of = |rule: Rule| {
            findings
                .iter()
                .filter(move |finding| finding.rule == rule)
                .flat_map(|finding| finding.cells.iter().map(String::as_str))
        };
        Self {
            id: String::new(),
            phase,
            levels,
            rows,
            cold: of(Rule::Cold).collect(),
            gap: phase == Phase::Decode && of(Rule::PerRequestGap).next().is_some(),
        }
    }

    pub(super) fn cells(&self) -> impl Iterator<Item = &Cell<'a>> {
        self.rows.iter().flat_map(|row| row.cells.values())
    }

    /// The cells that have this figure.
    pub(super) fn drawn(&self, metric: Metric) -> Vec<&Cell<'a>> {
        self.cells()
            .filter(|cell| cell.value(metric).is_some())
            .collect()
    }

    /// The phase in a heading; empty for the one that a run is known by.
    pub(super) fn suffix(&self) -> &'static str {
        match self.phase {
            Phase::Burst => ", burst",
            Phase::Decode | Phase::Prefill => "",
        }
    }

    pub(super) fn table(&self) -> (&'static str, &'static str) {
        match self.phase {
            Phase::Burst => ("#burst", "The same as a table: burst"),
            Phase::Decode | Phase::Prefill => ("#decode", "The same as a table: sustained decode"),
        }
    }

    /// Whether a line by concurrency would have one point only, and one by context has more.
    pub(super) fn is_by_context(&self, metric: Metric) -> bool {
        let drawn = self.drawn(metric);
        let levels: BTreeSet<u64> = drawn.iter().map(|cell| cell.m.concurrency).collect();
        levels.len() == 1
    }

    /// The lines of a metric: a line for each context by concurrency; where there is only one
    /// concurrency, one line by context.
    pub(super) fn lines(&self, metric: Metric, frame: &Frame) -> Lines {
        let drawn: BTreeSet<u64> = self
            .drawn(metric)
            .iter()
            .map(|cell| cell.m.concurrency)
            .collect();
        let point = |cell: &Cell, x: f64| {
            Some(Point {
                x,
                y: cell.value(metric)?,
                cell: cell.anchor.clone(),
                words: self.words(cell, metric),
                kind: self.kind(cell, metric),
                label: String::new(),
            })
        };
        let mark = |row: &Row| {
            let cell = row.prefill.as_ref().filter(|_| metric == Metric::TtftMs)?;
            Some(Mark {
                y: cell.value(metric)?,
                cell: cell.anchor.clone(),
                words: format!("{} prefill: {} TTFT", row.name, cell.shown(metric)?),
            })
        };
        if self.is_by_context(metric) {
            let level = drawn.first().copied().unwrap_or(1);
            let sizes: Vec<Option<f64>> = self
                .rows
                .iter()
                .map(|row| {
                    let (tokens, _) = row.context.order();
                    Some(tokens as f64).filter(|_| tokens > 0 && tokens < u64::MAX)
                })
                .collect();
            let known = sizes.iter().all(Option::is_some) && self.rows.len() > 1;
            let at = |i: usize| match sizes.get(i) {
                Some(Some(size)) if known => *size,
                _ => i as f64,
            };
            let first = at(0);
            let last = at(self.rows.len().saturating_sub(1));
            let points = self
                .rows
                .iter()
                .enumerate()
                .map(|(i, row)| point(row.cells.get(&level)?, at(i)))
                .collect();
            let names = self.rows.iter().map(|row| row.name.clone()).enumerate();
            return Lines {
                by: "context",
                axis: Axis {
                    title: "context, tokens in the prompt".to_owned(),
                    scale: if known {
                        Scale::Log {
                            from: first,
                            to: last,
                        }
                    } else {
                        Scale::Linear {
                            from: first,
                            to: last,
                        }
                    },
                    ticks: names
                        .map(|(i, name)| (at(i), crate::chart::labels::short(&name, 10)))
                        .collect(),
                    grid: false,
                },
                series: vec![Series {
                    name: format!("× {level}"),
                    look: Look::of(0, 1),
                    points,
                    mark: None,
                }],
            };
        }
        let series = self.rows.iter().map(|row| Series {
            name: row.name.clone(),
            look: frame.look(row),
            points: self
                .levels
                .iter()
                .map(|level| point(row.cells.get(level)?, *level as f64))
                .collect(),
            mark: mark(row),
        });
        Lines {
            by: "simultaneous requests",
            axis: Axis {
                title: "simultaneous requests".to_owned(),
                scale: Scale::Log {
                    from: frame.levels.first().copied().unwrap_or(1).max(1) as f64,
                    to: frame.levels.last().copied().unwrap_or(1).max(1) as f64,
                },
                ticks: frame
                    .levels
                    .iter()
                    .filter(|level| **level > 0)
                    .map(|level| (*level as f64, format_number(*level as f64, 0)))
                    .collect(),
                grid: false,
            },
            series: series
                .filter(|s| s.points.iter().any(Option::is_some))
                .collect(),
        }
    }

    pub(super) fn kind(&self, cell: &Cell, metric: Metric) -> PointKind {
        if metric == Metric::TtftMs && self.cold.contains(cell.anchor.as_str()) {
            PointKind::Star
        } else if cell.is_queued() {
            PointKind::Hollow
        } else {
            PointKind::Full
        }
    }

    pub(super) fn name(&self, cell: &Cell) -> String {
        let row = self.rows.iter().find(|row| *row.context == cell.m.context);
        let context = row.map_or("", |row| row.name.as_str());
        format!("{context} × {}", cell.m.concurrency)
    }

    /// "8K × 16: 803.0 tok/s, 4,191 ms TTFT, requests queued".
    pub(super) fn words(&self, cell: &Cell, metric: Metric) -> String {
        let total = cell.shown(Metric::TotalTokPerS);
        let ttft = cell
            .shown(Metric::TtftMs)
            .map(|shown| format!("{shown} TTFT"));
        let cold = match self.kind(cell, metric) {
            PointKind::Star => ", cache not warm",
            PointKind::Full | PointKind::Hollow => "",
        };
        let shown: Vec<String> = [total, ttft].into_iter().flatten().collect();
        format!(
            "{}: {}{}{cold}",
            self.name(cell),
            shown.join(", "),
            cell.status()
        )
    }

    /// What the picture shows, for readers who do not see it: how much, from where to where, and
    /// what its marks are.
    pub(super) fn description(
        &self,
        metric: Metric,
        lines: &Lines,
        what: &str,
        unit: &str,
    ) -> String {
        let drawn = self.drawn(metric);
        let by = |cell: &&&Cell| cell.value(metric).unwrap_or(0.0);
        let compare = |a: &&&Cell, b: &&&Cell| by(a).total_cmp(&by(b));
        let (Some(least), Some(most)) = (
            drawn.iter().min_by(compare),
            drawn.iter().rev().max_by(compare),
        ) else {
            return String::new();
        };
        let end = |cell: &Cell| {
            format!(
                "{} {unit} ({})",
                cell.m.get(metric).map_or(String::new(), |f| metric.show(f)),
                self.name(cell)
            )
        };
        let mut out = format!(
            "{what} by {}: {} in {}. The lowest is {}, the highest {}.",
            lines.by,
            counted(drawn.len(), "point", "points"),
            counted(lines.series.len(), "line", "lines"),
            end(least),
            end(most)
        );
        if lines.by != "context" && lines.series.len() > 1 {
            out.push_str(&self.leaders(metric));
        }
        let queued = drawn.iter().filter(|cell| cell.is_queued()).count();
        if queued > 0 {
            let points = match queued {
                1 => "1 hollow point was".to_owned(),
                n => format!("{n} hollow points were"),
            };
            out.push_str(&format!(" {points} measured with requests queued."));
        }
        let without = self.rows.len() * self.levels.len() - drawn.len();
        if without > 0 {
            out.push_str(&format!(
                " {} without a figure: the line stops there.",
                counted(without, "cell is", "cells are")
            ));
        }
        out
    }

    /// Which context leads with most and with fewest requests.
    pub(super) fn leaders(&self, metric: Metric) -> String {
        let best = |level: &u64| {
            self.rows
                .iter()
                .filter_map(|row| Some((row, row.cells.get(level)?.value(metric)?)))
                .max_by(|(_, a), (_, b)| a.total_cmp(b))
                .map(|(row, _)| row.name.as_str())
        };
        let (Some(first), Some(last)) = (self.levels.first(), self.levels.last()) else {
            return String::new();
        };
        match (best(first), best(last)) {
            (Some(few), Some(many)) => format!(
                " The highest line is that of {few} at {}, of {many} at {}.",
                requests(*first),
                requests(*last)
            ),
            _ => String::new(),
        }
    }

    pub(super) fn has_queued(&self, metric: Metric) -> bool {
        self.drawn(metric).iter().any(|cell| cell.is_queued())
    }
}

pub(super) struct Lines {
    /// What the lines go by, in words.
    pub(super) by: &'static str,
    pub(super) axis: Axis,
    pub(super) series: Vec<Series>,
}

/// What tells contexts apart when a prefill point is looked for: tokens, else the label.
pub(super) fn size(context: &Context) -> (u64, &str) {
    match context.order() {
        (u64::MAX, label) => (u64::MAX, label),
        (tokens, _) => (tokens, ""),
    }
}

pub(super) fn requests(n: u64) -> String {
    format!("{n} {}", if n == 1 { "request" } else { "requests" })
}

/// The sentence about hollow points, where there are any.
pub(super) fn queued_words(any: bool) -> &'static str {
    if any { " Hollow: requests queued." } else { "" }
}
