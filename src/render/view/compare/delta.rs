//! The delta matrices of a phase: ratios B ÷ A cell by cell, a panel for each metric.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::compare::words::{
    apart_sentence, better, crossing_sentence, metric_sentence, percent, ratio,
};
use crate::compare::{
    Apart, Cell, CellState, Comparison, Delta, DeltaMetric, Difference, MetricComparison,
    PhaseComparison, Summary,
};
use crate::highlight::escaped;
use crate::render::view::counted;
use crate::render::view::grid::{Grid, GridCell};
use crate::render::view::matrix::LegendItem;
use crate::render::view::scale::ScaleClass;
use crate::render::view::table::{ABSENT, Cell as TableCell, Column, Table};
use crate::run::cell_figure::CellFigure;
use crate::run::figure::format_number;
use crate::run::{Phase, Status};

/// The delta matrices of one phase with their common legend.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DeltaMatrix {
    /// For anchors: `decode`, `burst`.
    pub id: String,
    /// The section's heading.
    pub heading: String,
    /// How many cells can be compared, and what became of the others.
    pub counts: String,
    /// One panel for each metric that both runs have somewhere; at least one.
    pub panels: Vec<DeltaPanel>,
    /// The states that are there, each with its meaning.
    pub legend: Vec<LegendItem>,
    /// The colour classes with their bounds, from slower to faster.
    pub scale: Vec<ScaleClass>,
    /// What the classes are of.
    pub scale_words: String,
}

/// A delta matrix of one metric.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DeltaPanel {
    /// The metric's name in anchors: `total`, `each`, `ttft`, `itl`, `per-gpu`.
    pub id: &'static str,
    /// The metric's name on the page.
    pub label: &'static str,
    /// What the cells show, and the noise band.
    pub caption: String,
    /// The table as HTML, escaped.
    pub html: String,
    /// The table as Markdown, escaped.
    pub markdown: String,
    /// What the cells say together: "2.71 (from 2.39 to 3.08, n = 38): faster in all".
    pub sentence: String,
    /// Further sentences: where the faster run changes, what stands apart.
    pub more: Vec<String>,
    /// Geometric means by the number of requests.
    pub means: Option<Table>,
}

/// Bounds of the classes on both sides of 1, as ratios: one scale for all matrices of a page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DeltaScale([f64; 3]);

/// Round bounds, from fine to coarse.
const BOUNDS: &[[f64; 3]] = &[
    [1.15, 1.3, 1.5],
    [1.25, 1.6, 2.0],
    [1.5, 2.0, 3.0],
    [2.0, 3.0, 5.0],
    [2.0, 5.0, 10.0],
    [3.0, 10.0, 30.0],
    [10.0, 100.0, 1000.0],
];

impl DeltaScale {
    /// The finest scale on which the largest ratio of valid cells of all comparisons of a page, to
    /// either side, is at most half as far again above the last bound.
    pub fn of(comparisons: &[Comparison]) -> Self {
        let phases = comparisons.iter().flat_map(|c| [&c.decode, &c.burst]);
        let ratios = phases
            .flat_map(|phase| &phase.metrics)
            .flat_map(|metric| &metric.deltas)
            .filter(|delta| delta.apart.is_none())
            .filter_map(|delta| delta.ratio);
        let most = ratios.map(|r| r.max(1.0 / r)).fold(1.0, f64::max);
        let fits = BOUNDS.iter().find(|[_, _, last]| most <= last * 1.5);
        Self(*fits.or(BOUNDS.last()).unwrap_or(&[2.0, 5.0, 10.0]))
    }

    /// `faster1` to `faster4`, `slower1` to `slower4`, `even` inside the noise band.
    fn class(self, ratio: f64, difference: Difference) -> String {
        let far = ratio.max(1.0 / ratio);
        let step = 1 + self.0.iter().filter(|bound| far >= **bound).count();
        match difference {
            Difference::Faster | Difference::Higher => format!("faster{step}"),
            Difference::Slower | Difference::Lower => format!("slower{step}"),
            Difference::Unclear => "even".to_owned(),
        }
    }

    fn legend(self) -> Vec<ScaleClass> {
        let [first, second, third] = self.0.map(|bound| format!("{bound}"));
        let steps = [
            format!("< ×{first}"),
            format!("×{first}–{second}"),
            format!("×{second}–{third}"),
            format!("≥ ×{third}"),
        ];
        let side = |side: &str| {
            let classes = steps.iter().zip(1..).map(|(label, step)| ScaleClass {
                class: format!("{side}{step}"),
                label: label.clone(),
            });
            classes.collect::<Vec<_>>()
        };
        let even = ScaleClass {
            class: "even".to_owned(),
            label: "no clear difference".to_owned(),
        };
        let slower = side("slower").into_iter().rev();
        slower
            .chain(std::iter::once(even))
            .chain(side("faster"))
            .collect()
    }
}

fn id(metric: DeltaMetric) -> &'static str {
    match metric {
        DeltaMetric::Total => CellFigure::Total.id(),
        DeltaMetric::PerRequest => CellFigure::PerRequest.id(),
        DeltaMetric::Ttft => CellFigure::Ttft.id(),
        DeltaMetric::Itl => CellFigure::Itl.id(),
        DeltaMetric::TotalPerGpu => "per-gpu",
        DeltaMetric::Prefill => "prefill",
    }
}

/// The delta matrices of a phase; `None` where neither run has a cell. `prefix` keeps the anchors
/// of several comparisons on one page apart.
pub(super) fn delta_matrix(
    phase: &PhaseComparison,
    scale: DeltaScale,
    prefix: &str,
    suffix: &str,
) -> Option<DeltaMatrix> {
    if phase.cells.is_empty() {
        return None;
    }
    let with_ratio = |metric: &&MetricComparison| metric.deltas.iter().any(|d| d.ratio.is_some());
    let metrics: Vec<&MetricComparison> = phase.metrics.iter().filter(with_ratio).collect();
    let panels = match metrics.is_empty() {
        true => vec![panel(phase, None, scale, prefix)],
        false => metrics
            .iter()
            .map(|metric| panel(phase, Some(metric), scale, prefix))
            .collect(),
    };
    Some(DeltaMatrix {
        id: format!("{prefix}{}", phase.phase.key()),
        heading: format!("{}, B against A{suffix}", phase.phase.label()),
        counts: crate::compare::words::counts(phase),
        scale: match metrics.is_empty() {
            true => Vec::new(),
            false => scale.legend(),
        },
        scale_words: "From slower (orange) to faster (blue), on a log scale about 1.".to_owned(),
        panels,
        legend: legend(phase),
    })
}

fn panel(
    phase: &PhaseComparison,
    metric: Option<&MetricComparison>,
    scale: DeltaScale,
    prefix: &str,
) -> DeltaPanel {
    let kind = metric.map_or(DeltaMetric::Total, |metric| metric.metric);
    let caption = caption(kind, metric);
    let mut table = Grid::new(&caption, phase.columns.iter().map(|c| c.concurrency));
    // Rows that are not the same context may have one label.
    let mut labels: BTreeMap<String, usize> = BTreeMap::new();
    for context in &phase.contexts {
        *labels.entry(context.label()).or_insert(0) += 1;
    }
    let mut seen = BTreeSet::new();
    for (row, context) in phase.contexts.iter().enumerate() {
        let tokens = context.a.as_ref().or(context.b.as_ref());
        let cells = (0..phase.columns.len()).map(|column| {
            let cell = phase.cell(row, column)?;
            let at = row * phase.columns.len() + column;
            let delta = metric.and_then(|metric| metric.deltas.get(at));
            // Where neither run asked for anything there is nothing to say.
            if cell.a.is_none() && cell.b.is_none() {
                return None;
            }
            let mut cell = delta_cell(kind, cell, delta, scale, prefix);
            if !seen.insert(cell.id.clone()) {
                cell.id = format!("{}-row{}", cell.id, row + 1);
            }
            Some(cell)
        });
        let cells: Vec<Option<GridCell>> = cells.collect();
        let tokens = tokens.and_then(|c| c.tokens);
        let label = context.label();
        let label = match (labels.get(&label), tokens) {
            (Some(2..), Some(tokens)) => {
                format!("{label} ({} tokens)", format_number(tokens as f64, 0))
            }
            _ => label,
        };
        table.row(&label, tokens, cells.into_iter(), "");
    }
    let (html, markdown) = table.finish();
    DeltaPanel {
        id: id(kind),
        label: kind.label(),
        caption,
        html,
        markdown,
        sentence: metric.map(sentence).unwrap_or_default(),
        more: metric.map(more).unwrap_or_default(),
        means: metric.and_then(means),
    }
}

fn caption(kind: DeltaMetric, metric: Option<&MetricComparison>) -> String {
    let axes = "Rows are context length, columns are simultaneous requests.";
    let Some(metric) = metric else {
        return axes.to_owned();
    };
    let unit = match kind.metric().info().unit {
        "ms" => " in ms",
        _ => "",
    };
    format!(
        "{}{unit}, B ÷ A: {}, with both figures below. Within {} it is no clear difference. {axes}",
        kind.label(),
        better(kind),
        percent(metric.band)
    )
}

fn delta_cell(
    kind: DeltaMetric,
    cell: &Cell,
    delta: Option<&Delta>,
    scale: DeltaScale,
    prefix: &str,
) -> GridCell {
    let side = cell.a.as_ref().or(cell.b.as_ref());
    let anchor = side.map(|side| side.anchor.as_str()).unwrap_or_default();
    let (a, b) = (delta.and_then(|d| d.a), delta.and_then(|d| d.b));
    let show = |figure| match figure {
        Some(figure) => kind.show(figure),
        None => ABSENT.to_owned(),
    };
    let pair = (a.is_some() || b.is_some()).then(|| format!("{} → {}", show(a), show(b)));
    let found = delta.and_then(|d| d.ratio.zip(d.difference));
    let state = cell.words();
    let mut class = Vec::new();
    let (mut html, mut text) = (Vec::new(), Vec::new());
    // A doubted TTFT is no result: its ratio has neither a colour nor "faster".
    let doubted = delta.is_some_and(|delta| delta.apart == Some(Apart::Doubted));
    if let Some((value, difference)) = found {
        let words = match doubted {
            true => "TTFT includes prefill",
            false => difference.words(),
        };
        if !doubted {
            class.push(scale.class(value, difference));
        }
        let shown = format!("×{}", ratio(value));
        html.push(format!("<b>{shown}</b>"));
        html.push(format!("<span>{words}</span>"));
        text.push(format!("{shown} {words}"));
    }
    if cell.state != CellState::Valid {
        class.push(cell.state.key().to_owned());
        html.push(format!("<em dir=\"auto\">{}</em>", escaped(&state)));
        text.push(state);
    }
    if let Some(pair) = pair {
        let cold = match doubted {
            true => " class=\"cold\"",
            false => "",
        };
        html.push(format!("<small{cold}>{}</small>", escaped(&pair)));
        text.push(pair);
    }
    let reasons = [&cell.a, &cell.b].into_iter().flatten();
    GridCell {
        id: match kind {
            DeltaMetric::Total => format!("{prefix}{anchor}"),
            kind => format!("{prefix}{anchor}-{}", id(kind)),
        },
        measurement: String::new(),
        class: class.join(" "),
        title: reasons
            .filter_map(|side| side.reason.clone())
            .next()
            .unwrap_or_default(),
        html: html.join(" "),
        text: text.join(" · "),
    }
}

fn sentence(metric: &MetricComparison) -> String {
    format!(
        "{}, geometric mean of the valid cells: {}.",
        metric.metric.label(),
        metric_sentence(metric)
    )
}

fn more(metric: &MetricComparison) -> Vec<String> {
    let crossing = metric.crossing.map(crossing_sentence);
    crossing.into_iter().chain(apart_sentence(metric)).collect()
}

/// Geometric means by the number of requests; `None` where there is no ratio of a valid cell.
fn means(metric: &MetricComparison) -> Option<Table> {
    metric.valid.means?;
    let row = |label: String, summary: &Summary| {
        let means = summary.means?;
        let count = |n: usize| TableCell::text(n.to_string());
        Some(
            vec![
                TableCell::text(label),
                TableCell::text(format!("×{}", ratio(means.geometric_mean))),
                TableCell::text(format!("×{}", ratio(means.min))),
                TableCell::text(format!("×{}", ratio(means.max))),
                count(summary.n),
                count(summary.faster),
                count(summary.slower),
                count(summary.unclear),
            ]
            .into(),
        )
    };
    let bands = metric.bands.iter().filter_map(|band| {
        let label = format!("{} ({} requests)", band.band.key(), band.band.label());
        row(label, &band.summary)
    });
    Some(Table {
        caption: format!(
            "Ratios of {} by the number of simultaneous requests, valid cells only.",
            metric.metric.noun()
        ),
        columns: vec![
            Column::text("Requests"),
            Column::number("Geometric mean"),
            Column::number("Smallest"),
            Column::number("Largest"),
            Column::number("Cells"),
            Column::number("B faster"),
            Column::number("B slower"),
            Column::number("No clear difference"),
        ],
        rows: bands.chain(row("all".to_owned(), &metric.valid)).collect(),
        ..Table::default()
    })
}

fn legend(phase: &PhaseComparison) -> Vec<LegendItem> {
    let items = CellState::ALL.iter().filter_map(|state| {
        let count = phase.cells.iter().filter(|c| c.state == *state).count();
        let asked = |c: &&Cell| c.a.is_some() || c.b.is_some();
        let (label, sentence) = match state {
            CellState::Valid => return None,
            CellState::Queued => ("Queued", "measured on both sides, with requests that waited on at least one; apart from the means."),
            CellState::OtherStatus => ("Another status", "measured on both sides, with a status that is not known here; apart from the means."),
            CellState::Lost => ("Lost", "measured in A; over capacity or failed in B."),
            CellState::Gained => ("Gained", "over capacity or failed in A; measured in B."),
            CellState::OnlyA => ("Only in A", "B has no such context or number of requests."),
            CellState::OnlyB => ("Only in B", "A has no such context or number of requests."),
            CellState::NotMeasuredA => ("Not measured in A", "A has no figure there."),
            CellState::NotMeasuredB => ("Not measured in B", "B has no figure there."),
            CellState::Neither => ("On neither side", "asked for, and measured in neither run."),
        };
        let count = match state {
            CellState::Neither => {
                let neither = phase.cells.iter().filter(|c| c.state == *state);
                neither.filter(asked).count()
            }
            _ => count,
        };
        (count > 0).then(|| LegendItem {
            label: label.to_owned(),
            class: state.key(),
            sentence: sentence.to_owned(),
            count: counted(count, "cell", "cells"),
        })
    });
    let cold = |c: &&Cell| [&c.a, &c.b].into_iter().flatten().any(|s| s.cold);
    let doubted = match phase.phase {
        Phase::Decode => phase.cells.iter().filter(cold).count(),
        Phase::Burst | Phase::Prefill => 0,
    };
    let doubted = (doubted > 0).then(|| LegendItem {
        label: "Doubted TTFT".to_owned(),
        class: "cold",
        sentence: "the prompt cache of a side was not warm, so its time to first token includes prefill; apart from the means."
            .to_owned(),
        count: counted(doubted, "cell", "cells"),
    });
    items.chain(doubted).collect()
}

/// The status of a prefill point in words, where it is not valid.
pub(super) fn point_status(cell: &Cell) -> String {
    let odd = |side: &crate::compare::CellSide| side.status != Status::Valid;
    match [&cell.a, &cell.b].into_iter().flatten().any(odd) {
        true => cell.words(),
        false => String::new(),
    }
}
