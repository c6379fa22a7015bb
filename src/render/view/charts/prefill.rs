//! Prefill tok/s by context.

use std::collections::BTreeSet;

use super::super::counted;
use super::ChartView;
use super::grid::Cell;
use crate::chart::bars::{Bar, Bars};
use crate::run::audit::{Finding, Rule};
use crate::run::{Metric, Phase, Run, Status};

/// Prefill tok/s by context.
pub(super) fn prefill(run: &Run, findings: &[Finding]) -> Option<ChartView> {
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
