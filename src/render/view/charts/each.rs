//! Total tok/s by per-request tok/s, with the frontier.

use super::super::counted;
use super::grid::{Cell, Frame, Grid, queued_words};
use super::{ChartVariant, ChartView, view};
use crate::chart::frontier::frontier;
use crate::chart::plot::{Axis, Plot, Point, PointKind, Series};
use crate::chart::scale::{Scale, is_on_log};
use crate::chart::ticks;
use crate::run::Metric;
use crate::run::figure::format_number;

/// A per-request figure: charts are made by one of them and name it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Share {
    Own,
    OfActive,
    OfAsked,
}

impl Share {
    /// The figure that all of several runs can be drawn by: the tool's own, else one for all.
    pub(super) fn of_all(grids: &[Grid]) -> Option<Self> {
        let drawn = |share: Self| grids.iter().all(|grid| share.count(grid) >= 2);
        let whole =
            |grid: &Grid| Self::OfActive.count(grid) == grid.drawn(Metric::TotalTokPerS).len();
        match (drawn(Self::Own), grids.iter().all(whole)) {
            (true, _) => Some(Self::Own),
            (false, true) => Some(Self::OfActive),
            (false, false) => Some(Self::OfAsked),
        }
    }

    pub(super) fn of(self, cell: &Cell) -> Option<f64> {
        let total = cell.value(Metric::TotalTokPerS)?;
        let share = match self {
            Self::Own => cell.value(Metric::PerRequestTokPerS)?,
            Self::OfActive => total / cell.value(Metric::ActiveRequests)?,
            Self::OfAsked => total / cell.m.concurrency as f64,
        };
        is_on_log(share).then_some(share)
    }

    pub(super) fn count(self, grid: &Grid) -> usize {
        grid.cells().filter(|cell| self.of(cell).is_some()).count()
    }

    pub(super) fn shown(self, cell: &Cell) -> Option<String> {
        match self {
            Self::Own => cell.shown(Metric::PerRequestTokPerS),
            _ => Some(format!("{} tok/s", format_number(self.of(cell)?, 1))),
        }
    }

    pub(super) fn axis(self) -> &'static str {
        match self {
            Self::Own => "per-request tok/s, the tool's own figure · better →",
            Self::OfActive => "total tok/s ÷ active requests · better →",
            Self::OfAsked => "total tok/s ÷ requests asked for · better →",
        }
    }

    /// The figure in a sentence.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Own => "per-request tok/s as the tool gives it",
            Self::OfActive => "total ÷ active requests",
            Self::OfAsked => "total ÷ requests asked for",
        }
    }

    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Own => "Per-request figure of the tool",
            Self::OfActive => "Total ÷ active requests",
            Self::OfAsked => "Total ÷ requests asked for",
        }
    }
}

/// Total tok/s by per-request tok/s.
pub(super) fn each(grid: &Grid, frame: &Frame) -> Option<ChartView> {
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

pub(super) fn each_plot(grid: &Grid, frame: &Frame, share: Share, id: &str, heading: &str) -> Plot {
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
