//! The matrices of a phase: rows are contexts, columns are simultaneous requests, and each figure
//! that the cells have is a panel of its own on the same axes.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::counted;
use super::grid::{Grid, GridCell};
use super::scale::{ClassScale, ScaleClass};
use crate::highlight::escaped;
use crate::run::audit::{Finding, Rule};
use crate::run::cell_figure::CellFigure;
use crate::run::figure::format_number;
use crate::run::metric::Direction;
use crate::run::{Figure, Measurement, Phase, Run, Status};

/// The matrices of one phase with their common legend.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Matrix {
    /// For anchors: `decode`, `burst`.
    pub id: &'static str,
    /// The section's heading.
    pub heading: &'static str,
    /// One panel for each figure that the cells have; at least one.
    pub panels: Vec<Panel>,
    /// The marks and statuses that are there, each with its meaning.
    pub legend: Vec<LegendItem>,
}

/// A matrix of one figure.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Panel {
    /// The figure's name in anchors: `total`, `each`, `ttft`, `itl`, `scaling`…
    pub id: &'static str,
    /// The figure's name on the page.
    pub label: &'static str,
    /// What the cells show.
    pub caption: String,
    /// The table as HTML, escaped. Cells have their colour class (`q1` to `q7`), the word of their
    /// status, their anchor as `id`, and the anchor of the measurement as `data-cell`.
    pub html: String,
    /// The table as Markdown, escaped.
    pub markdown: String,
    /// The colour classes with their bounds; empty where there is nothing to tell apart.
    pub scale: Vec<ScaleClass>,
    /// What the classes are of: "ms, log scale. Less is better."
    pub scale_words: String,
}

/// A line of the legend.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LegendItem {
    /// The status or mark in words.
    pub label: String,
    /// The status or mark as a word for style sheets.
    pub class: &'static str,
    /// What it means.
    pub sentence: String,
    /// "6 cells".
    pub count: String,
}

/// The matrices of sustained decode and of bursts, those that there are. The same figure has the
/// same colours in all of them.
pub fn matrices(run: &Run, findings: &[Finding]) -> Vec<Matrix> {
    let phases = [Phase::Decode, Phase::Burst];
    let scales: BTreeMap<CellFigure, ClassScale> = CellFigure::ALL
        .iter()
        .filter_map(|figure| {
            let all = phases.iter().flat_map(|phase| figure.of(run.phase(*phase)));
            Some((
                *figure,
                ClassScale::over(all.flatten().map(|figure| figure.value))?,
            ))
        })
        .collect();
    let doubted: BTreeSet<&str> = findings
        .iter()
        .filter(|finding| finding.rule == Rule::Cold)
        .flat_map(|finding| finding.cells.iter().map(String::as_str))
        .collect();
    phases
        .iter()
        .filter_map(|phase| matrix(run, *phase, &scales, &doubted))
        .collect()
}

fn matrix(
    run: &Run,
    phase: Phase,
    scales: &BTreeMap<CellFigure, ClassScale>,
    doubted: &BTreeSet<&str>,
) -> Option<Matrix> {
    let cells = run.phase(phase);
    if cells.is_empty() {
        return None;
    }
    let axes = Axes::of(cells, run.anchors(phase), doubted);
    let figures: BTreeMap<CellFigure, Vec<Option<Figure>>> = CellFigure::ALL
        .iter()
        .map(|figure| (*figure, figure.of(cells)))
        .filter(|(_, figures)| figures.iter().any(Option::is_some))
        .collect();
    // Statuses are shown also where nothing has a figure.
    let shown: Vec<CellFigure> = match figures.is_empty() {
        true => vec![CellFigure::Total],
        false => figures.keys().copied().collect(),
    };
    Some(Matrix {
        id: phase.key(),
        heading: phase.label(),
        panels: shown
            .into_iter()
            .map(|figure| panel(&axes, figure, &figures, scales.get(&figure)))
            .collect(),
        legend: legend(&axes),
    })
}

/// Cells by rows and columns.
struct Axes<'a> {
    cells: &'a [Measurement],
    anchors: Vec<String>,
    /// Whether the audit doubts the TTFT.
    doubted: Vec<bool>,
    levels: Vec<u64>,
    /// For each row the places of its cells by level.
    rows: Vec<BTreeMap<u64, usize>>,
}

impl<'a> Axes<'a> {
    fn of(cells: &'a [Measurement], anchors: Vec<String>, doubted: &BTreeSet<&str>) -> Self {
        let levels: BTreeSet<u64> = cells.iter().map(|cell| cell.concurrency).collect();
        // Cells are sorted by context; a row begins where the context changes.
        let mut rows: Vec<BTreeMap<u64, usize>> = Vec::new();
        let mut last = None;
        for (at, cell) in cells.iter().enumerate() {
            match rows.last_mut() {
                Some(row) if last == Some(&cell.context) => {
                    row.insert(cell.concurrency, at);
                }
                _ => rows.push(BTreeMap::from([(cell.concurrency, at)])),
            }
            last = Some(&cell.context);
        }
        Self {
            doubted: anchors
                .iter()
                .map(|anchor| doubted.contains(anchor.as_str()))
                .collect(),
            cells,
            anchors,
            levels: levels.into_iter().collect(),
            rows,
        }
    }

    /// A cell with its anchor and whether its TTFT is doubted.
    fn cell(&self, at: usize) -> Option<(&Measurement, &str, bool)> {
        let (cell, anchor) = (self.cells.get(at)?, self.anchors.get(at)?);
        Some((cell, anchor, self.doubted.get(at).copied()?))
    }
}

/// What a cell shows, before it is written as HTML or Markdown.
struct Shown<'a> {
    value: Option<String>,
    doubted: bool,
    status: &'a str,
    below: Option<Below>,
}

/// The smaller figure below.
struct Below {
    figure: String,
    /// The word behind it, and whether the caption says it well enough.
    word: &'static str,
    word_in_caption: bool,
    doubted: bool,
}

fn panel(
    axes: &Axes,
    figure: CellFigure,
    figures: &BTreeMap<CellFigure, Vec<Option<Figure>>>,
    scale: Option<&ClassScale>,
) -> Panel {
    let values = figures.get(&figure);
    let counterpart = figure.counterpart();
    let below = figures.get(&counterpart);
    let caption = caption(figure, values.is_some(), below.map(|_| counterpart));
    let of = |figures: Option<&Vec<Option<Figure>>>, at: usize| {
        figures.and_then(|figures| figures.get(at).copied().flatten())
    };
    let mut table = Grid::new(&caption, axes.levels.iter().copied());
    for row in &axes.rows {
        let first = row.values().next().and_then(|at| axes.cell(*at));
        let Some((first, ..)) = first else { continue };
        let cells = axes.levels.iter().map(|level| {
            let at = *row.get(level)?;
            let (cell, anchor, doubted) = axes.cell(at)?;
            let value = of(values, at);
            let shown = Shown {
                value: value.map(|value| figure.show(value)),
                doubted: doubted && figure.is_ttft(),
                status: match cell.status {
                    Status::Valid => "",
                    _ => cell.status_label(),
                },
                below: of(below, at).map(|value| Below {
                    doubted: doubted && counterpart.is_ttft(),
                    ..small_line(counterpart, value)
                }),
            };
            let class = value
                .zip(scale)
                .map(|(value, scale)| scale.class(value.value));
            Some(grid_cell(figure, cell, anchor, class, &shown))
        });
        let context = &first.context;
        let shared = axes.rows.iter().filter(|row| {
            let other = row.values().next().and_then(|at| axes.cell(*at));
            other.is_some_and(|(other, ..)| other.context.label == context.label)
        });
        // Contexts that share a label are told apart by their tokens.
        let more = match (shared.count(), context.tokens) {
            (2.., Some(tokens)) => {
                format!(" <small>{} tokens</small>", format_number(tokens as f64, 0))
            }
            _ => String::new(),
        };
        table.row(&context.label, context.tokens, cells, &more);
    }
    let (html, markdown) = table.finish();
    Panel {
        id: figure.id(),
        label: figure.label(),
        caption,
        html,
        markdown,
        scale: scale
            .map(|scale| scale.legend(figure.factor()))
            .unwrap_or_default(),
        scale_words: scale_words(figure),
    }
}

fn caption(figure: CellFigure, with_value: bool, below: Option<CellFigure>) -> String {
    let mut shown = match with_value {
        true => figure.title().to_owned(),
        false => String::new(),
    };
    let below = below.map(|figure| match figure {
        CellFigure::Ttft => "the median time to first token (TTFT)",
        CellFigure::Total => "total tok/s",
        CellFigure::PerRequest => "per-request tok/s",
        _ => "watts",
    });
    if let Some(below) = below {
        shown.push_str(&format!(", with {below} below"));
    }
    if !shown.is_empty() {
        shown.push_str(". ");
    }
    format!("{shown}Rows are context length, columns are simultaneous requests.")
}

fn small_line(figure: CellFigure, value: Figure) -> Below {
    let (word, word_in_caption) = match figure {
        CellFigure::Ttft => ("TTFT", true),
        CellFigure::Total => ("in total", false),
        CellFigure::PerRequest => ("each", false),
        _ => ("", false),
    };
    Below {
        figure: match figure {
            CellFigure::Total | CellFigure::PerRequest => figure.show(value),
            _ => figure.show_with_unit(value),
        },
        word,
        word_in_caption,
        doubted: false,
    }
}

fn grid_cell(
    figure: CellFigure,
    cell: &Measurement,
    anchor: &str,
    class: Option<usize>,
    shown: &Shown,
) -> GridCell {
    let mut classes: Vec<String> = class.map(|class| format!("q{class}")).into_iter().collect();
    if cell.status != Status::Valid {
        classes.push(cell.status.key().to_owned());
    }
    GridCell {
        id: match figure {
            CellFigure::Total => anchor.to_owned(),
            figure => format!("{anchor}-{}", figure.id()),
        },
        measurement: anchor.to_owned(),
        class: classes.join(" "),
        title: cell.reason.clone().unwrap_or_default(),
        html: cell_html(cell, shown),
        text: cell_text(shown),
    }
}

/// What stands in a cell, as HTML.
fn cell_html(cell: &Measurement, shown: &Shown) -> String {
    let cold = |doubted| if doubted { " class=\"cold\"" } else { "" };
    let mut parts = Vec::new();
    if let Some(value) = &shown.value {
        parts.push(format!("<b{}>{}</b>", cold(shown.doubted), escaped(value)));
    }
    if !shown.status.is_empty() {
        // The first word of "Requests queued" is left to the legend, where it does not fit.
        let status = match shown.status.strip_prefix("Requests ") {
            Some(word) if cell.status == Status::Queued => format!("<i>Requests</i> {word}"),
            _ => escaped(shown.status),
        };
        parts.push(format!("<em dir=\"auto\">{status}</em>"));
    }
    if let Some(below) = &shown.below {
        let word = match (below.word, below.word_in_caption) {
            ("", _) => String::new(),
            (word, true) => format!(" <i>{word}</i>"),
            (word, false) => format!(" {word}"),
        };
        parts.push(format!(
            "<small{}>{}{word}</small>",
            cold(below.doubted),
            escaped(&below.figure)
        ));
    }
    parts.join(" ")
}

/// What a cell says in one line of text: `82.9 · 584 ms TTFT`, `Over capacity`; empty for nothing.
fn cell_text(shown: &Shown) -> String {
    let below = shown.below.as_ref().map(|below| match below.word {
        "" => below.figure.clone(),
        word => format!("{} {word}", below.figure),
    });
    let parts: Vec<&str> = [
        shown.value.as_deref().unwrap_or_default(),
        shown.status,
        below.as_deref().unwrap_or_default(),
    ]
    .into_iter()
    .filter(|part| !part.is_empty())
    .collect();
    parts.join(" · ")
}

fn scale_words(figure: CellFigure) -> String {
    let unit = match figure.unit() {
        "" => String::new(),
        unit => format!("{unit}, "),
    };
    let better = match figure.direction() {
        Direction::Higher => " More is better.",
        Direction::Lower => " Less is better.",
        Direction::Neutral => "",
    };
    format!("{unit}log scale.{better}")
}

/// The statuses that are there, but valid, and the marks, with how many cells each concerns.
fn legend(axes: &Axes) -> Vec<LegendItem> {
    let mut found: BTreeMap<(Status, &str), usize> = BTreeMap::new();
    for cell in axes.cells.iter().filter(|m| m.status != Status::Valid) {
        *found.entry((cell.status, cell.status_label())).or_insert(0) += 1;
    }
    let statuses = found
        .into_iter()
        .map(|((status, label), count)| LegendItem {
            label: label.to_owned(),
            class: status.key(),
            sentence: match status {
                Status::Other => "as the source words it.".to_owned(),
                _ => status.sentence().to_owned(),
            },
            count: counted(count, "cell", "cells"),
        });
    let doubted = axes.doubted.iter().filter(|doubted| **doubted).count();
    let doubted = (doubted > 0).then(|| LegendItem {
        label: "Doubted TTFT".to_owned(),
        class: "cold",
        sentence: "the prompt cache was not warm, so this time to first token includes prefill."
            .to_owned(),
        count: counted(doubted, "cell", "cells"),
    });
    statuses.chain(doubted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::audit::report::{report_a, report_b};
    use crate::run::key_figures::Derived;

    fn of(run: &Run) -> Vec<Matrix> {
        let derived = Derived::of(run, &crate::run::audit::Noise::default());
        matrices(run, &derived.audit)
    }

    #[test]
    fn each_figure_that_the_cells_have_is_a_panel() {
        let matrices = of(&report_a().run());
        let panels: Vec<&str> = matrices[0].panels.iter().map(|panel| panel.id).collect();
        assert_eq!(panels, ["total", "each", "ttft", "itl", "scaling"]);
    }

    #[test]
    fn a_cell_has_its_colour_its_anchor_and_its_counterpart() {
        let matrices = of(&report_a().run());
        let html = |at: usize| &matrices[0].panels[at].html;
        for (panel, cell) in [
            (
                0,
                "<td id=\"c8k-n1\" data-cell=\"c8k-n1\" class=\"q1\"><b>82.9</b> <small>584 ms <i>TTFT</i></small></td>",
            ),
            (
                0,
                "<td id=\"c8k-n128\" data-cell=\"c8k-n128\" class=\"q7 queued\"><b>2,244.4</b> <em dir=\"auto\"><i>Requests</i> queued</em> <small>30,178 ms <i>TTFT</i></small></td>",
            ),
            (0, "<small class=\"cold\">38,366 ms <i>TTFT</i></small>"),
            (
                1,
                "<td id=\"c8k-n1-each\" data-cell=\"c8k-n1\" class=\"q7\"><b>84.2</b> <small>82.9 in total</small></td>",
            ),
            (
                2,
                "<b class=\"cold\">38,366</b> <small>64.5 in total</small>",
            ),
            (4, "<b>100</b> <small>82.9 in total</small>"),
        ] {
            assert!(html(panel).contains(cell), "{cell}\n{}", html(panel));
        }
    }

    #[test]
    fn cells_without_a_figure_say_why_in_words_and_have_no_colour() {
        let matrices = of(&report_b().run());
        for panel in &matrices[0].panels {
            assert_eq!(panel.html.matches("Over capacity").count(), 6);
            assert!(!panel.html.contains(" over_capacity\""), "{}", panel.html);
            assert!(panel.html.contains("class=\"over_capacity\"><em"));
        }
        let legend: Vec<(&str, &str)> = matrices[0]
            .legend
            .iter()
            .map(|item| (item.label.as_str(), item.count.as_str()))
            .collect();
        assert_eq!(
            legend,
            [("Requests queued", "1 cell"), ("Over capacity", "6 cells")]
        );
    }

    #[test]
    fn the_same_figure_has_the_same_colour_in_both_phases() {
        let mut run = report_a().run();
        run.burst = run.decode.clone();
        for cell in &mut run.burst {
            cell.figures.remove(crate::run::Metric::PerRequestTokPerS);
        }
        run.burst.truncate(4);
        let matrices = of(&run);
        assert_eq!(matrices.len(), 2);
        let classes = |matrix: &Matrix| {
            let scale = matrix.panels[0].scale.iter();
            scale.map(|class| class.label.clone()).collect::<Vec<_>>()
        };
        assert_eq!(classes(&matrices[0]), classes(&matrices[1]));
        assert!(matrices[1].panels[0].html.contains("id=\"c8k-n1-burst\""));
    }
}
