//! Total tok/s by simultaneous requests.

use super::grid::{Frame, Grid, Lines, queued_words};
use super::{ChartView, view};
use crate::chart::plot::{Axis, Plot};
use crate::chart::scale::Scale;
use crate::chart::ticks;
use crate::run::Metric;

/// Total tok/s by simultaneous requests.
pub(super) fn total(grid: &Grid, frame: &Frame) -> Option<ChartView> {
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
pub(super) fn ideal(grid: &Grid, lines: &Lines) -> Option<(String, Vec<(f64, f64)>)> {
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
