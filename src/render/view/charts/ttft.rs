//! TTFT by simultaneous requests.

use super::super::counted;
use super::grid::{Frame, Grid, queued_words};
use super::{ChartView, view};
use crate::chart::plot::{Axis, Plot, PointKind};
use crate::chart::scale::Scale;
use crate::chart::ticks;
use crate::run::Metric;

/// TTFT by simultaneous requests.
pub(super) fn ttft(grid: &Grid, frame: &Frame) -> Option<ChartView> {
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
