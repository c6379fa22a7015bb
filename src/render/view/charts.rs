//! The charts of a run: what is drawn of it, and what is said of that.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::counted;
use crate::chart::bars::{Bar, Bars};
use crate::chart::frontier::frontier;
use crate::chart::marker::Look;
use crate::chart::plot::{Axis, Mark, Plot, Point, PointKind, Series};
use crate::chart::scale::{Scale, is_on_log};
use crate::chart::ticks;
use crate::run::audit::{Finding, Rule};
use crate::run::figure::format_number;
use crate::run::{Context, Measurement, Metric, Phase, Run, Status};

/// A chart.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ChartView {
    /// Its anchor: `chart-total`, `chart-each`, `chart-ttft` or `chart-prefill`.
    pub id: &'static str,
    /// Its heading.
    pub heading: String,
    /// One line below it: what is drawn, and what its marks mean.
    pub sentence: String,
    /// The picture as SVG, escaped; the first where there are several.
    pub svg: String,
    /// The link to the table of its figures.
    pub table_link: &'static str,
    /// The words of that link.
    pub table_text: &'static str,
    /// Pictures of the same by another figure, to switch between, the first being `svg`; empty
    /// where there is only one.
    pub variants: Vec<ChartVariant>,
}

/// One of several pictures of a chart.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ChartVariant {
    /// An id for the switch.
    pub id: &'static str,
    /// The figure that it is drawn by.
    pub label: &'static str,
    /// The picture as SVG, escaped.
    pub svg: String,
}

/// The charts of a run, in the order of the page: those of sustained decode (of the burst matrix
/// where there is no other), then prefill. A chart of fewer than two points is not made.
pub fn charts(run: &Run, findings: &[Finding]) -> Vec<ChartView> {
    let phase = if run.decode.is_empty() {
        Phase::Burst
    } else {
        Phase::Decode
    };
    let grid = Grid::of(run, phase, findings);
    let frame = Frame::over(&[&grid]);
    [
        total(&grid, &frame),
        each(&grid, &frame),
        ttft(&grid, &frame),
        prefill(run, findings),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// One kind of chart of several runs, all on one scale.
#[derive(Clone, Debug, PartialEq)]
pub struct SideBySide {
    /// Its heading.
    pub heading: String,
    /// The pictures.
    pub pictures: Vec<Picture>,
}

/// The chart of one of several runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// The place of the run.
    pub run: usize,
    /// What is drawn, and what its marks mean.
    pub sentence: String,
    /// The picture as SVG, escaped.
    pub svg: String,
}

/// The charts of sustained decode of several runs, each kind on one scale; a kind that fewer than
/// two of them have is not made.
pub fn side_by_side(runs: &[(&Run, &[Finding])]) -> Vec<SideBySide> {
    let grids: Vec<Grid> = runs
        .iter()
        .enumerate()
        .map(|(at, (run, findings))| Grid {
            id: format!("run{}-", at + 1),
            // Each figure has one picture a run: there is nothing to switch between.
            gap: false,
            ..Grid::of(run, Phase::Decode, findings)
        })
        .collect();
    let mut frame = Frame::over(&grids.iter().collect::<Vec<_>>());
    frame.only = Share::of_all(&grids);
    let kinds: [fn(&Grid, &Frame) -> Option<ChartView>; 3] = [total, each, ttft];
    kinds
        .iter()
        .filter_map(|kind| {
            let drawn: Vec<(usize, ChartView)> = grids
                .iter()
                .enumerate()
                .filter_map(|(at, grid)| Some((at, kind(grid, &frame)?)))
                .collect();
            let (_, first) = drawn.first().filter(|_| drawn.len() > 1)?;
            Some(SideBySide {
                heading: first.heading.clone(),
                pictures: drawn
                    .into_iter()
                    .map(|(at, chart)| Picture {
                        run: at,
                        sentence: chart.sentence,
                        svg: chart.svg,
                    })
                    .collect(),
            })
        })
        .collect()
}

/// What the axes of one or several runs have to hold.
struct Frame {
    /// The per-request figure that all have to be drawn by; `None` where each may have its own.
    only: Option<Share>,
    /// The names of contexts, for which there must be room, and the contexts by size, which decide
    /// on looks.
    contexts: Vec<(u64, String)>,
    levels: Vec<u64>,
    totals: Vec<f64>,
    /// TTFTs of decode, and of prefill at the same contexts.
    ttfts: Vec<f64>,
    shares: BTreeMap<Share, Vec<f64>>,
}

impl Frame {
    /// The names of all contexts.
    fn names(&self) -> Vec<String> {
        self.contexts.iter().map(|(_, name)| name.clone()).collect()
    }

    /// The look of a row: that of its context among all contexts.
    fn look(&self, row: &Row) -> Look {
        let (tokens, label) = size(row.context);
        let same = |(other, name): &(u64, String)| {
            *other == tokens && (tokens != u64::MAX || name == label)
        };
        let at = self.contexts.iter().position(same).unwrap_or(0);
        Look::of(at, self.contexts.len())
    }

    fn over(grids: &[&Grid]) -> Self {
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
struct Grid<'a> {
    /// What the ids of its pictures begin with; empty where it is the only one on its page.
    id: String,
    phase: Phase,
    levels: Vec<u64>,
    rows: Vec<Row<'a>>,
    /// Anchors of cells whose prompt cache was not warm.
    cold: BTreeSet<&'a str>,
    gap: bool,
}

struct Row<'a> {
    context: &'a Context,
    name: String,
    /// By concurrency.
    cells: BTreeMap<u64, Cell<'a>>,
    prefill: Option<Cell<'a>>,
}

#[derive(Clone)]
struct Cell<'a> {
    m: &'a Measurement,
    anchor: String,
}

impl Cell<'_> {
    /// The figure where it was measured and a chart can show it.
    fn value(&self, metric: Metric) -> Option<f64> {
        let measured = matches!(
            self.m.status,
            Status::Valid | Status::Queued | Status::Other
        );
        self.m
            .value(metric)
            .filter(|value| measured && is_on_log(*value))
    }

    fn shown(&self, metric: Metric) -> Option<String> {
        self.value(metric)?;
        self.m.get(metric).map(|f| metric.show_with_unit(f))
    }

    fn is_queued(&self) -> bool {
        self.m.status == Status::Queued
    }

    /// ", requests queued": what the cell's status adds to its figures.
    fn status(&self) -> String {
        match self.m.status {
            Status::Valid => String::new(),
            _ => format!(", {}", self.m.status_label().to_lowercase()),
        }
    }
}

impl<'a> Grid<'a> {
    fn of(run: &'a Run, phase: Phase, findings: &'a [Finding]) -> Self {
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

    fn cells(&self) -> impl Iterator<Item = &Cell<'a>> {
        self.rows.iter().flat_map(|row| row.cells.values())
    }

    /// The cells that have this figure.
    fn drawn(&self, metric: Metric) -> Vec<&Cell<'a>> {
        self.cells()
            .filter(|cell| cell.value(metric).is_some())
            .collect()
    }

    /// The phase in a heading; empty for the one that a run is known by.
    fn suffix(&self) -> &'static str {
        match self.phase {
            Phase::Burst => ", burst",
            Phase::Decode | Phase::Prefill => "",
        }
    }

    fn table(&self) -> (&'static str, &'static str) {
        match self.phase {
            Phase::Burst => ("#burst", "The same as a table: burst"),
            Phase::Decode | Phase::Prefill => ("#decode", "The same as a table: sustained decode"),
        }
    }

    /// Whether a line by concurrency would have one point only, and one by context has more.
    fn is_by_context(&self, metric: Metric) -> bool {
        let drawn = self.drawn(metric);
        let levels: BTreeSet<u64> = drawn.iter().map(|cell| cell.m.concurrency).collect();
        levels.len() == 1
    }

    /// The lines of a metric: a line for each context by concurrency; where there is only one
    /// concurrency, one line by context.
    fn lines(&self, metric: Metric, frame: &Frame) -> Lines {
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

    fn kind(&self, cell: &Cell, metric: Metric) -> PointKind {
        if metric == Metric::TtftMs && self.cold.contains(cell.anchor.as_str()) {
            PointKind::Star
        } else if cell.is_queued() {
            PointKind::Hollow
        } else {
            PointKind::Full
        }
    }

    fn name(&self, cell: &Cell) -> String {
        let row = self.rows.iter().find(|row| *row.context == cell.m.context);
        let context = row.map_or("", |row| row.name.as_str());
        format!("{context} × {}", cell.m.concurrency)
    }

    /// "8K × 16: 803.0 tok/s, 4,191 ms TTFT, requests queued".
    fn words(&self, cell: &Cell, metric: Metric) -> String {
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
    fn description(&self, metric: Metric, lines: &Lines, what: &str, unit: &str) -> String {
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
    fn leaders(&self, metric: Metric) -> String {
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

    fn has_queued(&self, metric: Metric) -> bool {
        self.drawn(metric).iter().any(|cell| cell.is_queued())
    }
}

struct Lines {
    /// What the lines go by, in words.
    by: &'static str,
    axis: Axis,
    series: Vec<Series>,
}

/// What tells contexts apart when a prefill point is looked for: tokens, else the label.
fn size(context: &Context) -> (u64, &str) {
    match context.order() {
        (u64::MAX, label) => (u64::MAX, label),
        (tokens, _) => (tokens, ""),
    }
}

fn requests(n: u64) -> String {
    format!("{n} {}", if n == 1 { "request" } else { "requests" })
}

/// The sentence about hollow points, where there are any.
fn queued_words(any: bool) -> &'static str {
    if any { " Hollow: requests queued." } else { "" }
}

/// Total tok/s by simultaneous requests.
fn total(grid: &Grid, frame: &Frame) -> Option<ChartView> {
    let metric = Metric::TotalTokPerS;
    if grid.drawn(metric).len() < 2 {
        return None;
    }
    let lines = grid.lines(metric, frame);
    let guide = ideal(grid, &lines);
    let ticks = ticks::from_zero(frame.totals.iter().copied().fold(0.0, f64::max), false);
    let heading = format!("Total throughput{}", grid.suffix());
    let mut sentence = match lines.by {
        "context" => "Total tok/s by context length.".to_owned(),
        by => format!("Total tok/s by {by}, a line for each context."),
    };
    sentence.push_str(queued_words(grid.has_queued(metric)));
    if let Some((name, _)) = &guide {
        sentence.push_str(&format!(
            " Dotted: {name}, each request as fast as one alone."
        ));
    }
    let top = ticks.last().copied().unwrap_or(1.0);
    let plot = Plot {
        id: format!("{}chart-total", grid.id),
        title: heading.clone(),
        description: grid.description(metric, &lines, "Total tok/s", "tok/s"),
        x: lines.axis,
        y: Axis {
            title: "total tok/s · better ↑".to_owned(),
            scale: Scale::zero_to(top),
            ticks: Axis::named(ticks),
            grid: true,
        },
        series: lines.series,
        guide,
        frontier: Vec::new(),
        names_at_ends: true,
        room: frame.names(),
    };
    Some(view(grid, "chart-total", heading, sentence, plot.svg()))
}

/// What the first line would give if each request ran as fast as one alone does.
fn ideal(grid: &Grid, lines: &Lines) -> Option<(String, Vec<(f64, f64)>)> {
    let first = lines.series.first().filter(|_| lines.by != "context")?;
    let alone = first.points.first()?.as_ref()?;
    let (from, to) = (*grid.levels.first()? as f64, *grid.levels.last()? as f64);
    if from != 1.0 || to <= from {
        return None;
    }
    // A curve on this axis, so drawn by short pieces.
    let pieces = 24;
    let points = (0..=pieces)
        .map(|i| {
            let n = from * (to / from).powf(f64::from(i) / f64::from(pieces));
            (n, alone.y * n)
        })
        .collect();
    Some((
        format!(
            "ideal scaling at {}",
            crate::chart::labels::short(&first.name, 14)
        ),
        points,
    ))
}

/// A per-request figure: charts are made by one of them and name it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Share {
    Own,
    OfActive,
    OfAsked,
}

impl Share {
    /// The figure that all of several runs can be drawn by: the tool's own, else one for all.
    fn of_all(grids: &[Grid]) -> Option<Self> {
        let drawn = |share: Self| grids.iter().all(|grid| share.count(grid) >= 2);
        let whole =
            |grid: &Grid| Self::OfActive.count(grid) == grid.drawn(Metric::TotalTokPerS).len();
        match (drawn(Self::Own), grids.iter().all(whole)) {
            (true, _) => Some(Self::Own),
            (false, true) => Some(Self::OfActive),
            (false, false) => Some(Self::OfAsked),
        }
    }

    fn of(self, cell: &Cell) -> Option<f64> {
        let total = cell.value(Metric::TotalTokPerS)?;
        let share = match self {
            Self::Own => cell.value(Metric::PerRequestTokPerS)?,
            Self::OfActive => total / cell.value(Metric::ActiveRequests)?,
            Self::OfAsked => total / cell.m.concurrency as f64,
        };
        is_on_log(share).then_some(share)
    }

    fn count(self, grid: &Grid) -> usize {
        grid.cells().filter(|cell| self.of(cell).is_some()).count()
    }

    fn shown(self, cell: &Cell) -> Option<String> {
        match self {
            Self::Own => cell.shown(Metric::PerRequestTokPerS),
            _ => Some(format!("{} tok/s", format_number(self.of(cell)?, 1))),
        }
    }

    fn axis(self) -> &'static str {
        match self {
            Self::Own => "per-request tok/s, the tool's own figure · better →",
            Self::OfActive => "total tok/s ÷ active requests · better →",
            Self::OfAsked => "total tok/s ÷ requests asked for · better →",
        }
    }

    /// The figure in a sentence.
    fn words(self) -> &'static str {
        match self {
            Self::Own => "per-request tok/s as the tool gives it",
            Self::OfActive => "total ÷ active requests",
            Self::OfAsked => "total ÷ requests asked for",
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::Own => "Per-request figure of the tool",
            Self::OfActive => "Total ÷ active requests",
            Self::OfAsked => "Total ÷ requests asked for",
        }
    }
}

/// Total tok/s by per-request tok/s.
fn each(grid: &Grid, frame: &Frame) -> Option<ChartView> {
    if grid.is_by_context(Metric::TotalTokPerS) {
        // With one concurrency the two figures are one.
        return None;
    }
    let totals = grid.drawn(Metric::TotalTokPerS).len();
    let divided = if Share::OfActive.count(grid) == totals {
        Share::OfActive
    } else {
        Share::OfAsked
    };
    let first = match frame.only {
        Some(share) => share,
        None if Share::Own.count(grid) >= 2 => Share::Own,
        None => divided,
    };
    if first.count(grid) < 2 {
        return None;
    }
    let heading = format!("Speed for each against speed for all{}", grid.suffix());
    let both = first == Share::Own && grid.gap && divided.count(grid) >= 2;
    let svg = each_plot(grid, frame, first, "chart-each", &heading).svg();
    let by = if both {
        format!("{} or by {}", first.words(), divided.words())
    } else {
        first.words().to_owned()
    };
    let mut sentence = format!(
        "Total tok/s by {by}; numbers are simultaneous requests, where there is room. Broad line: the frontier, beyond which no point was measured."
    );
    sentence.push_str(queued_words(grid.has_queued(Metric::TotalTokPerS)));
    let variants = if both {
        vec![
            ChartVariant {
                id: "chart-each-own",
                label: first.label(),
                svg: svg.clone(),
            },
            ChartVariant {
                id: "chart-each-share",
                label: divided.label(),
                svg: each_plot(grid, frame, divided, "chart-each-2", &heading).svg(),
            },
        ]
    } else {
        Vec::new()
    };
    Some(ChartView {
        variants,
        ..view(grid, "chart-each", heading, sentence, svg)
    })
}

fn each_plot(grid: &Grid, frame: &Frame, share: Share, id: &str, heading: &str) -> Plot {
    let series: Vec<Series> = grid
        .rows
        .iter()
        .map(|row| Series {
            name: row.name.clone(),
            look: frame.look(row),
            points: grid
                .levels
                .iter()
                .map(|level| {
                    let cell = row.cells.get(level)?;
                    Some(Point {
                        x: share.of(cell)?,
                        y: cell.value(Metric::TotalTokPerS)?,
                        cell: cell.anchor.clone(),
                        words: format!(
                            "{}: {}, {} each{}",
                            grid.name(cell),
                            cell.shown(Metric::TotalTokPerS)?,
                            share.shown(cell)?,
                            cell.status()
                        ),
                        kind: grid.kind(cell, Metric::TotalTokPerS),
                        label: level.to_string(),
                    })
                })
                .collect(),
            mark: None,
        })
        .filter(|series| series.points.iter().any(Option::is_some))
        .collect();
    let points: Vec<&Point> = series
        .iter()
        .flat_map(|line| line.points.iter().flatten())
        .collect();
    let places: Vec<(f64, f64)> = points.iter().map(|point| (point.x, point.y)).collect();
    let best = frontier(&places);
    let ends = [best.first(), best.last()].map(|at| {
        at.and_then(|at| points.get(*at))
            .map_or("", |point| point.words.as_str())
    });
    let queued = best
        .iter()
        .filter_map(|at| points.get(*at))
        .filter(|point| point.kind == PointKind::Hollow)
        .count();
    let mut description = format!(
        "Total tok/s by {}, both on log scales: {} in {}. On the frontier are {}, from {} to {}",
        share.words(),
        counted(points.len(), "point", "points"),
        counted(series.len(), "line", "lines"),
        counted(best.len(), "point", "points"),
        ends[0],
        ends[1],
    );
    description.push_str(&match queued {
        0 => ".".to_owned(),
        n => format!("; {n} of them with requests queued."),
    });
    let frontier = best
        .iter()
        .filter_map(|at| places.get(*at).copied())
        .collect();
    let axis = |title: &str, values: &mut dyn Iterator<Item = f64>| {
        let scale = Scale::log_over(values, 0.06).unwrap_or(Scale::Log {
            from: 1.0,
            to: 10.0,
        });
        Axis {
            title: title.to_owned(),
            scale,
            ticks: Axis::named(ticks::on_log(scale)),
            grid: true,
        }
    };
    let shares = frame.shares.get(&share).into_iter().flatten();
    let x = axis(share.axis(), &mut shares.copied());
    let y = axis(
        "total tok/s, log scale · better ↑",
        &mut frame.totals.iter().copied(),
    );
    Plot {
        id: format!("{}{id}", grid.id),
        title: heading.to_owned(),
        description,
        x,
        y,
        series,
        guide: None,
        frontier,
        names_at_ends: false,
        room: Vec::new(),
    }
}

/// TTFT by simultaneous requests.
fn ttft(grid: &Grid, frame: &Frame) -> Option<ChartView> {
    let metric = Metric::TtftMs;
    let drawn = grid.drawn(metric);
    if drawn.len() < 2 {
        return None;
    }
    let lines = grid.lines(metric, frame);
    let marks: Vec<f64> = lines
        .series
        .iter()
        .filter_map(|line| line.mark.as_ref().map(|mark| mark.y))
        .collect();
    let scale = Scale::log_over(frame.ttfts.iter().copied(), 0.04)?;
    let heading = format!("Time to first token{}", grid.suffix());
    let mut sentence = match lines.by {
        "context" => "Median TTFT by context length.".to_owned(),
        by => format!("Median TTFT by {by}, a line for each context."),
    };
    if !marks.is_empty() {
        sentence.push_str(" Triangles at the left: prefill TTFT of that context.");
    }
    let stars = drawn
        .iter()
        .filter(|cell| grid.kind(cell, metric) == PointKind::Star)
        .count();
    if stars > 0 {
        sentence.push_str(" Stars: the prompt cache was not warm, so TTFT includes prefill.");
    }
    let hollow = drawn
        .iter()
        .any(|cell| grid.kind(cell, metric) == PointKind::Hollow);
    sentence.push_str(queued_words(hollow));
    let mut description = grid.description(metric, &lines, "Median TTFT", "ms");
    if stars > 0 {
        description.push_str(&format!(
            " {} a cold prompt cache.",
            counted(stars, "star marks", "stars mark")
        ));
    }
    let plot = Plot {
        id: format!("{}chart-ttft", grid.id),
        title: heading.clone(),
        description,
        x: lines.axis,
        y: Axis {
            title: "median TTFT, ms, log scale · better ↓".to_owned(),
            scale,
            ticks: Axis::named(ticks::on_log(scale)),
            grid: true,
        },
        series: lines.series,
        guide: None,
        frontier: Vec::new(),
        names_at_ends: true,
        room: frame.names(),
    };
    Some(view(grid, "chart-ttft", heading, sentence, plot.svg()))
}

/// Prefill tok/s by context.
fn prefill(run: &Run, findings: &[Finding]) -> Option<ChartView> {
    let metric = Metric::PrefillTokPerS;
    let doubted: BTreeSet<&str> = findings
        .iter()
        .filter(|finding| finding.rule == Rule::ImplausiblePrefill)
        .flat_map(|finding| finding.cells.iter().map(String::as_str))
        .collect();
    let cells: Vec<Cell> = run
        .prefill
        .iter()
        .zip(run.anchors(Phase::Prefill))
        .map(|(m, anchor)| Cell { m, anchor })
        .collect();
    let drawn: Vec<&Cell> = cells
        .iter()
        .filter(|cell| cell.value(metric).is_some())
        .collect();
    if drawn.len() < 2 {
        return None;
    }
    let is_doubted = |cell: &Cell| doubted.contains(cell.anchor.as_str());
    let bars = cells
        .iter()
        .map(|cell| {
            let ttft = cell
                .shown(Metric::TtftMs)
                .map(|shown| format!("{shown} TTFT"));
            let status = match cell.m.status {
                Status::Valid => None,
                _ => Some(crate::chart::labels::short(cell.m.status_label(), 16)),
            };
            let doubt = is_doubted(cell).then(|| "doubted".to_owned());
            let value = cell.value(metric);
            let more: Vec<String> = if value.is_some() {
                [ttft, status, doubt].into_iter().flatten().collect()
            } else {
                Vec::new()
            };
            Bar {
                name: cell.m.context.label.clone(),
                value,
                words: match value.and_then(|_| cell.m.get(metric)) {
                    Some(figure) => metric.show(figure),
                    None => crate::chart::labels::short(
                        match cell.m.status {
                            Status::Valid => Status::NotMeasured.label(),
                            _ => cell.m.status_label(),
                        },
                        24,
                    ),
                },
                more: more.join(", "),
                cell: cell.anchor.clone(),
                doubted: is_doubted(cell),
            }
        })
        .collect();
    let mut sentence =
        "Prompt tok/s by context length, one request at a time, with its TTFT.".to_owned();
    let doubts = drawn.iter().filter(|cell| is_doubted(cell)).count();
    if doubts > 0 {
        sentence.push_str(
            " Doubted: too fast to be true, so drawn as an outline that ends where the others do.",
        );
    }
    let by = |cell: &&&Cell| cell.value(metric).unwrap_or(0.0);
    let end = |cell: Option<&&Cell>| {
        cell.map_or(String::new(), |cell| {
            let shown = cell.shown(metric).unwrap_or_default();
            format!("{shown} at {}", cell.m.context.label)
        })
    };
    let compare = |a: &&&Cell, b: &&&Cell| by(a).total_cmp(&by(b));
    let mut description = format!(
        "Prompt tok/s by context: {}. The slowest is {}, the fastest {}.",
        counted(drawn.len(), "bar", "bars"),
        end(drawn.iter().min_by(compare)),
        end(drawn.iter().rev().max_by(compare)),
    );
    if doubts > 0 {
        description.push_str(&format!(
            " {} too fast to be true.",
            counted(doubts, "bar is", "bars are")
        ));
    }
    let heading = "Prefill".to_owned();
    let svg = Bars {
        id: "chart-prefill".to_owned(),
        title: heading.clone(),
        description,
        axis: "prompt tok/s · better →".to_owned(),
        bars,
    }
    .svg();
    Some(ChartView {
        id: "chart-prefill",
        heading,
        sentence,
        svg,
        table_link: "#prefill",
        table_text: "The same as a table: prefill",
        variants: Vec::new(),
    })
}

fn view(
    grid: &Grid,
    id: &'static str,
    heading: String,
    sentence: String,
    svg: String,
) -> ChartView {
    let (table_link, table_text) = grid.table();
    ChartView {
        id,
        heading,
        sentence,
        svg,
        table_link,
        table_text,
        variants: Vec::new(),
    }
}
