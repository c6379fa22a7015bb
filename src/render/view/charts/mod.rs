//! The charts of a run: what is drawn of it, and what is said of that.

mod each;
mod grid;
mod prefill;
mod total;
mod ttft;

use schemars::JsonSchema;
use serde::Serialize;

use self::each::{Share, each};
use self::grid::{Frame, Grid};
use self::prefill::prefill;
use self::total::total;
use self::ttft::ttft;
use crate::run::audit::Finding;
use crate::run::{Phase, Run};

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
