//! The view of a comparison: what differs first, then the figures.

mod delta;
pub mod list;
mod page;

use schemars::JsonSchema;
use serde::Serialize;

pub use self::page::{ComparisonView, compared, comparison_view};

use self::delta::{DeltaMatrix, DeltaScale, delta_matrix, point_status};
use super::facts::show;
use super::table::{ABSENT, Cell, Column, Table};
use crate::compare::words::{percent, ratio};
use crate::compare::{Comparison, DeltaMetric, FactRow, FlagRow, PhaseComparison, RowState, Side};
use crate::run::audit::Noise;
use crate::run::{Fact, Facts};

/// Two runs, compared.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PairView {
    /// What the anchors of its sections begin with; empty for the first comparison of a page.
    pub prefix: String,
    /// What its headings end with, where the page has several; else empty.
    pub suffix: String,
    /// The result in a sentence, with the number of cells that it rests on.
    pub title: String,
    /// The run that the other one is measured by.
    pub a: SideView,
    /// The other one.
    pub b: SideView,
    /// How far it is like for like, as a word for style sheets: `like_for_like`, `one_thing`,
    /// `few_things`, `not_controlled`.
    pub verdict: &'static str,
    /// The same in a sentence, with what differs.
    pub verdict_sentence: String,
    /// Further sentences of the result: per GPU.
    pub more: Vec<String>,
    /// Facts that differ, or that one of the runs does not tell; nothing where there is none.
    pub facts: Option<Table>,
    /// Facts that are the same.
    pub facts_same: Option<Table>,
    /// How many launch flags differ, or why they were not compared.
    pub flags_sentence: String,
    /// Launch flags that differ or cannot be compared.
    pub flags: Option<Table>,
    /// Launch flags that are the same.
    pub flags_same: Option<Table>,
    /// Sustained decode and bursts, those that there are.
    pub matrices: Vec<DeltaMatrix>,
    /// Prefill by context.
    pub prefill: Option<Table>,
    /// Which noise bands were applied.
    pub noise: String,
}

/// One of the two runs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SideView {
    /// `A` or `B`.
    pub letter: &'static str,
    /// The run's title, with the link to its page.
    pub run: Cell,
    /// Engine, version, quantization, date.
    pub summary: Vec<String>,
    /// How much the audit of the run says against its figures, with a link to it; nothing where it
    /// says nothing.
    pub findings: Option<Cell>,
}

/// Makes the view of a comparison. `prefix` keeps the anchors of several on one page apart.
fn pair_view(
    comparison: &Comparison,
    facts: [&Facts; 2],
    [a, b]: [SideView; 2],
    scale: DeltaScale,
    prefix: String,
    suffix: String,
) -> PairView {
    let (same, differ): (Vec<&FactRow>, Vec<&FactRow>) = comparison
        .facts
        .iter()
        .partition(|row| row.state == RowState::Same);
    let (flags_same, flags): (Vec<&FlagRow>, Vec<&FlagRow>) = comparison
        .launch
        .rows
        .iter()
        .partition(|row| row.state == RowState::Same);
    PairView {
        title: comparison.title(),
        a,
        b,
        verdict: comparison.verdict.key(),
        verdict_sentence: comparison.verdict_sentence(),
        more: comparison.per_gpu_sentence().into_iter().collect(),
        facts: facts_table(
            &differ,
            facts,
            "Facts that differ, or that one of the runs does not tell.",
        ),
        facts_same: facts_table(&same, facts, "Facts that are the same in both runs."),
        flags_sentence: comparison.flags_sentence(),
        flags: flags_table(&flags, "Launch flags that differ or cannot be compared."),
        flags_same: flags_table(&flags_same, "Launch flags that are the same in both runs."),
        matrices: [&comparison.decode, &comparison.burst]
            .into_iter()
            .filter_map(|phase| delta_matrix(phase, scale, &prefix, &suffix))
            .collect(),
        prefill: prefill_table(&comparison.prefill),
        noise: noise_sentence(&comparison.noise),
        prefix,
        suffix,
    }
}

/// The noise bands in a sentence.
fn noise_sentence(noise: &Noise) -> String {
    format!(
        "Differences of up to {} in tok/s, {} in the time between tokens and {} in TTFT, or within the rounding of the figures, are taken as noise and called no clear differences. Two measurements of one setup may differ by more.",
        percent(noise.tok_per_s),
        percent(noise.itl),
        percent(noise.ttft)
    )
}

fn sides(first: &str) -> Vec<Column> {
    vec![
        Column::text(first),
        Column::text("A"),
        Column::text("B"),
        Column::text("Difference"),
    ]
}

fn facts_table(rows: &[&FactRow], of: [&Facts; 2], caption: &str) -> Option<Table> {
    let [a, b] = of;
    let rows: Vec<_> = rows
        .iter()
        .map(|row| {
            // Tool and memory alone: version and number of GPUs have rows of their own.
            let words = |facts: &Facts| match row.fact {
                Fact::Tool => None,
                Fact::VramGbPerGpu => facts.get(row.fact).map(|each| format!("{each} GB")),
                fact => show(facts, fact),
            };
            let shown = |facts: &Facts| match (words(facts), facts.get(row.fact)) {
                (Some(words), _) => words,
                (None, Some(value)) => value.to_string(),
                (None, None) => "not given".to_owned(),
            };
            vec![
                Cell::text(row.fact.info().label),
                Cell::text(shown(a)),
                Cell::text(shown(b)),
                Cell::text(row.state.words()),
            ]
            .into()
        })
        .collect();
    table(sides("Fact"), rows, caption)
}

fn flags_table(rows: &[&FlagRow], caption: &str) -> Option<Table> {
    let rows: Vec<_> = rows
        .iter()
        .map(|row| {
            let show = |side| {
                let absent = || match row.state {
                    RowState::OnlyA | RowState::OnlyB => "not set".to_owned(),
                    _ => "set".to_owned(),
                };
                let value = row.value(side).filter(|value| !value.is_empty());
                let there = match side {
                    Side::A => row.state != RowState::OnlyB,
                    Side::B => row.state != RowState::OnlyA,
                };
                Cell::text(match (value, there) {
                    (Some(value), _) => value,
                    (None, true) => "set".to_owned(),
                    (None, false) => absent(),
                })
            };
            vec![
                Cell::text(row.label()),
                show(Side::A),
                show(Side::B),
                Cell::text(row.state.words()),
            ]
            .into()
        })
        .collect();
    table(sides("Flag"), rows, caption)
}

fn table(columns: Vec<Column>, rows: Vec<super::table::Row>, caption: &str) -> Option<Table> {
    (!rows.is_empty()).then(|| Table {
        caption: caption.to_owned(),
        columns,
        rows,
        ..Table::default()
    })
}

fn prefill_table(phase: &PhaseComparison) -> Option<Table> {
    let metrics: Vec<_> = [DeltaMetric::Prefill, DeltaMetric::Ttft]
        .iter()
        .filter_map(|metric| phase.metric(*metric))
        .collect();
    if metrics.is_empty() {
        return None;
    }
    let mut columns = vec![Column::text("Context")];
    for metric in &metrics {
        let unit = match metric.metric {
            DeltaMetric::Ttft => "TTFT (ms)",
            other => other.label(),
        };
        columns.push(Column::number(format!("{unit}, A")));
        columns.push(Column::number(format!("{unit}, B")));
        columns.push(Column::number(format!("{unit}, B ÷ A")));
    }
    let rows = phase.contexts.iter().enumerate().map(|(at, context)| {
        let status = phase.cells.get(at).map(point_status).unwrap_or_default();
        let mut row = vec![Cell::text(context.label()).note(status)];
        for metric in &metrics {
            let delta = metric.deltas.get(at);
            let show = |figure: Option<_>| match figure {
                Some(figure) => Cell::text(metric.metric.show(figure)),
                None => Cell::text(ABSENT),
            };
            row.push(show(delta.and_then(|d| d.a)));
            row.push(show(delta.and_then(|d| d.b)));
            row.push(match delta.and_then(|d| d.ratio.zip(d.difference)) {
                Some((value, difference)) => {
                    Cell::text(format!("×{}", ratio(value))).note(difference.words())
                }
                None => Cell::text(ABSENT),
            });
        }
        row.into()
    });
    table(
        columns,
        rows.collect(),
        "Prompt tok/s and TTFT by context length, one request at a time.",
    )
}
