//! The cells of two matrices on the union of their axes: what became of each.

use std::collections::BTreeSet;

use super::axes::{self, Axis, Column, ContextRow};
use super::metrics::DeltaMetric;
use super::ratio::Side;
use super::subject::Subject;
use super::summary::MetricComparison;
use crate::run::audit::Noise;
use crate::run::{Figure, Measurement, Phase, Status};

/// What two runs have at one place of the union of their axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CellState {
    /// Valid on both sides.
    Valid,
    /// Measured on both sides; requests queued on at least one of them.
    Queued,
    /// Measured on both sides; one has a status that is not known here.
    OtherStatus,
    /// Measured in A; over capacity or failed in B.
    Lost,
    /// Over capacity or failed in A; measured in B.
    Gained,
    /// Measured in A; B has no such context or no such concurrency.
    OnlyA,
    /// Measured in B; A has no such context or no such concurrency.
    OnlyB,
    /// Measured in B; A has the context and the concurrency, and no figure there.
    NotMeasuredA,
    /// Measured in A; B has the context and the concurrency, and no figure there.
    NotMeasuredB,
    /// Measured on neither side.
    Neither,
}

impl CellState {
    /// All states, in the order of legends.
    pub const ALL: &'static [CellState] = &[
        CellState::Valid,
        CellState::Queued,
        CellState::OtherStatus,
        CellState::Lost,
        CellState::Gained,
        CellState::OnlyA,
        CellState::OnlyB,
        CellState::NotMeasuredA,
        CellState::NotMeasuredB,
        CellState::Neither,
    ];

    /// Word of `comparison.json`.
    pub fn key(self) -> &'static str {
        match self {
            CellState::Valid => "valid",
            CellState::Queued => "queued",
            CellState::OtherStatus => "other_status",
            CellState::Lost => "lost",
            CellState::Gained => "gained",
            CellState::OnlyA => "only_a",
            CellState::OnlyB => "only_b",
            CellState::NotMeasuredA => "not_measured_a",
            CellState::NotMeasuredB => "not_measured_b",
            CellState::Neither => "neither",
        }
    }

    /// Whether both sides were measured, so that their figures stand side by side.
    pub fn is_compared(self) -> bool {
        matches!(
            self,
            CellState::Valid | CellState::Queued | CellState::OtherStatus
        )
    }

    /// The same with A and B exchanged.
    #[must_use]
    pub fn mirrored(self) -> Self {
        match self {
            CellState::Lost => CellState::Gained,
            CellState::Gained => CellState::Lost,
            CellState::OnlyA => CellState::OnlyB,
            CellState::OnlyB => CellState::OnlyA,
            CellState::NotMeasuredA => CellState::NotMeasuredB,
            CellState::NotMeasuredB => CellState::NotMeasuredA,
            same => same,
        }
    }
}

/// What one run has at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellSide {
    /// What became of the cell.
    pub status: Status,
    /// The same in words: the source's own where the status is not one of ours.
    pub status_label: String,
    /// Why, where the source tells it.
    pub reason: Option<String>,
    /// Its anchor on the page of its run.
    pub anchor: String,
    /// Whether it was measured: a status with figures, and figures.
    pub measured: bool,
    /// Whether its TTFT includes prefill (rule `cold` of the audit).
    pub cold: bool,
}

/// A place of the union.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Index of its context in [`PhaseComparison::contexts`].
    pub row: usize,
    /// Index of its concurrency in [`PhaseComparison::columns`].
    pub column: usize,
    /// What both runs have there.
    pub state: CellState,
    /// What A has there.
    pub a: Option<CellSide>,
    /// What B has there.
    pub b: Option<CellSide>,
}

impl Cell {
    /// The sides with requests that queued: "A", "B", "A and B"; empty where there is none.
    fn queued_on(&self) -> String {
        let queued = |side: &Option<CellSide>| {
            side.as_ref()
                .is_some_and(|s| s.measured && s.status == Status::Queued)
        };
        match (queued(&self.a), queued(&self.b)) {
            (true, true) => "A and B".to_owned(),
            (true, false) => "A".to_owned(),
            (false, true) => "B".to_owned(),
            (false, false) => String::new(),
        }
    }

    /// The state in words, naming the side and its status: "B over capacity", "only in A",
    /// "requests queued in B"; empty for [`CellState::Valid`].
    pub fn words(&self) -> String {
        let status = |side: Side| {
            let cell = match side {
                Side::A => &self.a,
                Side::B => &self.b,
            };
            let words = cell.as_ref().map_or_else(
                || Status::NotMeasured.label().to_lowercase(),
                |cell| match cell.status {
                    Status::Other => cell.status_label.clone(),
                    // A status without a figure.
                    Status::Valid | Status::Queued => Status::NotMeasured.label().to_lowercase(),
                    status => status.label().to_lowercase(),
                },
            );
            (side, words)
        };
        let said = |(side, words): (Side, String)| format!("{} {words}", side.letter());
        match self.state {
            CellState::Valid => String::new(),
            CellState::Queued => format!("requests queued in {}", self.queued_on()),
            CellState::OtherStatus => {
                let other = |cell: &Option<CellSide>| {
                    cell.as_ref().is_some_and(|c| c.status == Status::Other)
                };
                let sides = [(Side::A, other(&self.a)), (Side::B, other(&self.b))];
                let words: Vec<String> = sides
                    .into_iter()
                    .filter(|(_, other)| *other)
                    .map(|(side, _)| said(status(side)))
                    .collect();
                words.join(", ")
            }
            CellState::Lost => said(status(Side::B)),
            CellState::Gained => said(status(Side::A)),
            CellState::OnlyA => "only in A".to_owned(),
            CellState::OnlyB => "only in B".to_owned(),
            CellState::NotMeasuredA => "A not measured".to_owned(),
            CellState::NotMeasuredB => "B not measured".to_owned(),
            CellState::Neither => match (&self.a, &self.b) {
                (None, None) => Status::NotMeasured.label().to_lowercase(),
                (Some(_), None) => said(status(Side::A)),
                (None, Some(_)) => said(status(Side::B)),
                (Some(_), Some(_)) => {
                    let (a, b) = (status(Side::A), status(Side::B));
                    if a.1 == b.1 {
                        format!("both {}", a.1)
                    } else {
                        format!("{}, {}", said(a), said(b))
                    }
                }
            },
        }
    }
}

/// How many places of the union are in which state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Places of the union of both axes.
    pub places: usize,
    /// Measured on both sides: valid, queued, and of other status.
    pub compared: usize,
    /// Valid on both sides.
    pub compared_valid: usize,
    /// Measured on both sides, with requests that queued on at least one.
    pub queued: usize,
    /// Measured on both sides, with a status that is not known here.
    pub other_status: usize,
    /// Measured in A; over capacity or failed in B.
    pub lost: usize,
    /// Over capacity or failed in A; measured in B.
    pub gained: usize,
    /// Measured in A, beyond the axes of B.
    pub only_a: usize,
    /// Measured in B, beyond the axes of A.
    pub only_b: usize,
    /// Measured in B, without a figure in A.
    pub not_measured_a: usize,
    /// Measured in A, without a figure in B.
    pub not_measured_b: usize,
    /// Measured on neither side.
    pub neither: usize,
}

impl Counts {
    fn of(cells: &[Cell]) -> Self {
        let mut counts = Self {
            places: cells.len(),
            ..Self::default()
        };
        for cell in cells {
            counts.compared += usize::from(cell.state.is_compared());
            *match cell.state {
                CellState::Valid => &mut counts.compared_valid,
                CellState::Queued => &mut counts.queued,
                CellState::OtherStatus => &mut counts.other_status,
                CellState::Lost => &mut counts.lost,
                CellState::Gained => &mut counts.gained,
                CellState::OnlyA => &mut counts.only_a,
                CellState::OnlyB => &mut counts.only_b,
                CellState::NotMeasuredA => &mut counts.not_measured_a,
                CellState::NotMeasuredB => &mut counts.not_measured_b,
                CellState::Neither => &mut counts.neither,
            } += 1;
        }
        counts
    }
}

/// One phase of two runs, on the union of their axes.
#[derive(Clone, Debug, PartialEq)]
pub struct PhaseComparison {
    /// Which phase.
    pub phase: Phase,
    /// Rows, by context.
    pub contexts: Vec<ContextRow>,
    /// Columns, by concurrency.
    pub columns: Vec<Column>,
    /// Every place, row by row: as many as rows × columns.
    pub cells: Vec<Cell>,
    /// How many places are in which state.
    pub counts: Counts,
    /// What the figures say, for each metric that at least one side has; in the order of the page.
    pub metrics: Vec<MetricComparison>,
}

impl PhaseComparison {
    /// What the figures of one metric say; `None` where neither run has any.
    pub fn metric(&self, metric: DeltaMetric) -> Option<&MetricComparison> {
        self.metrics.iter().find(|m| m.metric == metric)
    }

    /// The cell at a row and a column.
    pub fn cell(&self, row: usize, column: usize) -> Option<&Cell> {
        if column >= self.columns.len() {
            return None;
        }
        self.cells.get(row * self.columns.len() + column)
    }

    /// "8K × 16"; for prefill "8K".
    pub fn cell_name(&self, cell: &Cell) -> String {
        let label = self.contexts.get(cell.row).map(ContextRow::label);
        let label = label.unwrap_or_default();
        match self.columns.get(cell.column) {
            Some(column) if self.phase != Phase::Prefill => {
                format!("{label} × {}", column.concurrency)
            }
            _ => label,
        }
    }

    /// Compares one phase.
    pub(super) fn of(phase: Phase, a: &Subject, b: &Subject, noise: &Noise) -> Self {
        let (of_a, of_b) = (PhaseOfRun::new(phase, a), PhaseOfRun::new(phase, b));
        let columns = axes::columns(&of_a.axis, &of_b.axis);
        let rows = axes::rows(&of_a.axis.contexts, &of_b.axis.contexts);
        let mut cells = Vec::with_capacity(rows.len() * columns.len());
        let mut pairs = Vec::with_capacity(rows.len() * columns.len());
        for (at_row, row) in rows.iter().enumerate() {
            for (at_column, column) in columns.iter().enumerate() {
                let of_a_here = of_a.at(row.a, column.concurrency);
                let of_b_here = of_b.at(row.b, column.concurrency);
                let side_a = of_a_here.map(|i| of_a.side(i));
                let side_b = of_b_here.map(|i| of_b.side(i));
                let on_axes = |row: Option<usize>, column: bool| row.is_some() && column;
                let state = state(
                    side_a.as_ref(),
                    side_b.as_ref(),
                    on_axes(row.a, column.in_a),
                    on_axes(row.b, column.in_b),
                );
                cells.push(Cell {
                    row: at_row,
                    column: at_column,
                    state,
                    a: side_a,
                    b: side_b,
                });
                pairs.push((
                    of_a_here.and_then(|i| of_a.measurements.get(i)),
                    of_b_here.and_then(|i| of_b.measurements.get(i)),
                ));
            }
        }
        let metrics = DeltaMetric::of_phase(phase)
            .iter()
            .filter_map(|metric| {
                let figures: Vec<(Option<Figure>, Option<Figure>)> = cells
                    .iter()
                    .zip(&pairs)
                    .map(|(cell, (m_a, m_b))| {
                        let figure = |m: &Option<&Measurement>, side: &Option<CellSide>, gpus| {
                            let m = (*m).filter(|_| side.as_ref().is_some_and(|s| s.measured))?;
                            metric.figure(m, gpus)
                        };
                        (
                            figure(m_a, &cell.a, a.gpu_count()),
                            figure(m_b, &cell.b, b.gpu_count()),
                        )
                    })
                    .collect();
                let known = *metric != DeltaMetric::TotalPerGpu
                    || (a.gpu_count().is_some() && b.gpu_count().is_some());
                let any = figures.iter().any(|(a, b)| a.is_some() || b.is_some());
                (known && any)
                    .then(|| MetricComparison::of(*metric, noise, &columns, &cells, &figures))
            })
            .collect();
        Self {
            phase,
            contexts: rows.into_iter().map(|row| row.context).collect(),
            counts: Counts::of(&cells),
            columns,
            cells,
            metrics,
        }
    }
}

/// A phase of one run, to look cells up in.
struct PhaseOfRun<'a> {
    measurements: &'a [Measurement],
    anchors: Vec<String>,
    axis: Axis<'a>,
    cold: Option<&'a BTreeSet<String>>,
}

impl<'a> PhaseOfRun<'a> {
    fn new(phase: Phase, subject: &'a Subject) -> Self {
        let measurements = subject.run().phase(phase);
        Self {
            measurements,
            anchors: subject.run().anchors(phase),
            axis: Axis::of(measurements),
            cold: (phase == Phase::Decode).then(|| subject.cold()),
        }
    }

    fn at(&self, row: Option<usize>, concurrency: u64) -> Option<usize> {
        self.axis.cells.get(&(row?, concurrency)).copied()
    }

    fn side(&self, at: usize) -> CellSide {
        let Some(m) = self.measurements.get(at) else {
            // The index came from this very list.
            return CellSide {
                status: Status::NotMeasured,
                status_label: Status::NotMeasured.label().to_owned(),
                reason: None,
                anchor: String::new(),
                measured: false,
                cold: false,
            };
        };
        let anchor = self.anchors.get(at).cloned().unwrap_or_default();
        CellSide {
            status: m.status,
            status_label: m.status_label().to_owned(),
            reason: m.reason.clone(),
            measured: crate::run::audit::is_measured(m),
            cold: self.cold.is_some_and(|cold| cold.contains(&anchor)),
            anchor,
        }
    }
}

/// `on_a`, `on_b`: whether the place is on the axes of the run.
fn state(a: Option<&CellSide>, b: Option<&CellSide>, on_a: bool, on_b: bool) -> CellState {
    let measured = |side: Option<&CellSide>| side.is_some_and(|s| s.measured);
    let refused = |side: Option<&CellSide>| {
        side.is_some_and(|s| matches!(s.status, Status::OverCapacity | Status::Failed))
    };
    let is = |status: Status| {
        let on = |side: Option<&CellSide>| side.is_some_and(|s| s.status == status);
        on(a) || on(b)
    };
    match (measured(a), measured(b)) {
        (true, true) if is(Status::Other) => CellState::OtherStatus,
        (true, true) if is(Status::Queued) => CellState::Queued,
        (true, true) => CellState::Valid,
        (true, false) if refused(b) => CellState::Lost,
        (false, true) if refused(a) => CellState::Gained,
        (true, false) if on_b => CellState::NotMeasuredB,
        (false, true) if on_a => CellState::NotMeasuredA,
        (true, false) => CellState::OnlyA,
        (false, true) => CellState::OnlyB,
        (false, false) => CellState::Neither,
    }
}
