//! The figures that a matrix can show, one at a time: those of the file, and those that are worked
//! out of cells of the same context.

use std::collections::BTreeMap;

use super::figure::format_number;
use super::metric::Direction;
use super::{Figure, Measurement, Metric, Status};

/// A figure of a cell that gets a matrix of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CellFigure {
    /// Total tok/s.
    Total,
    /// Per-request tok/s, the tool's own.
    PerRequest,
    /// Median time to first token.
    Ttft,
    /// Time between tokens.
    Itl,
    /// Total ÷ (requests × total of one request at this context).
    Scaling,
    /// 99th percentile of the time to first token.
    TtftP99,
    /// Share of the window in which a request waited.
    QueueShare,
    /// Accepted tokens per step of speculative decoding.
    AcceptLength,
    /// Power.
    Watts,
    /// Total tok/s ÷ power.
    TokPerWatt,
}

impl CellFigure {
    /// All of them, in the order of the page.
    pub const ALL: &'static [CellFigure] = &[
        CellFigure::Total,
        CellFigure::PerRequest,
        CellFigure::Ttft,
        CellFigure::Itl,
        CellFigure::Scaling,
        CellFigure::TtftP99,
        CellFigure::QueueShare,
        CellFigure::AcceptLength,
        CellFigure::Watts,
        CellFigure::TokPerWatt,
    ];

    /// Its name in anchors (`c64k-n16-ttft`) and style sheets.
    pub fn id(self) -> &'static str {
        match self {
            CellFigure::Total => "total",
            CellFigure::PerRequest => "each",
            CellFigure::Ttft => "ttft",
            CellFigure::Itl => "itl",
            CellFigure::Scaling => "scaling",
            CellFigure::TtftP99 => "ttft-p99",
            CellFigure::QueueShare => "queue",
            CellFigure::AcceptLength => "accept",
            CellFigure::Watts => "watts",
            CellFigure::TokPerWatt => "tok-per-watt",
        }
    }

    /// The metric that it is, unless it is worked out.
    pub fn metric(self) -> Option<Metric> {
        match self {
            CellFigure::Total => Some(Metric::TotalTokPerS),
            CellFigure::PerRequest => Some(Metric::PerRequestTokPerS),
            CellFigure::Ttft => Some(Metric::TtftMs),
            CellFigure::Itl => Some(Metric::ItlMs),
            CellFigure::TtftP99 => Some(Metric::TtftP99Ms),
            CellFigure::QueueShare => Some(Metric::QueueShare),
            CellFigure::AcceptLength => Some(Metric::SpeculativeAcceptLength),
            CellFigure::Watts => Some(Metric::PowerWatts),
            CellFigure::Scaling | CellFigure::TokPerWatt => None,
        }
    }

    /// Its name on the page, without the unit.
    pub fn label(self) -> &'static str {
        match (self, self.metric()) {
            (CellFigure::Scaling, _) => "Scaling",
            (CellFigure::TokPerWatt, _) => "Tok/s per watt",
            (_, Some(metric)) => metric.info().label,
            (_, None) => "",
        }
    }

    /// What it is, with the statistic and the unit, as the caption of its matrix begins.
    pub fn title(self) -> &'static str {
        match self {
            CellFigure::Total => "Total tok/s",
            CellFigure::PerRequest => "Per-request tok/s, as the tool reports it",
            CellFigure::Ttft => "Median time to first token (TTFT) in ms",
            CellFigure::Itl => "Median time between tokens in ms",
            CellFigure::Scaling => {
                "Scaling in percent: total tok/s ÷ (requests × total tok/s of one request)"
            }
            CellFigure::TtftP99 => "99th percentile of the time to first token (p99 TTFT) in ms",
            CellFigure::QueueShare => "Share of the window with a queue, in percent",
            CellFigure::AcceptLength => "Accepted tokens per step of speculative decoding",
            CellFigure::Watts => {
                "Power in watts, of all GPUs of the machine that ran the benchmark client"
            }
            CellFigure::TokPerWatt => {
                "Total tok/s ÷ watts of all GPUs of the machine that ran the benchmark client"
            }
        }
    }

    /// Its unit behind a number; empty for none.
    pub fn unit(self) -> &'static str {
        match (self, self.metric()) {
            (CellFigure::Scaling, _) => "%",
            (CellFigure::TokPerWatt, _) => "tok/s per W",
            (_, Some(metric)) => metric.info().unit,
            (_, None) => "",
        }
    }

    /// Which way is better.
    pub fn direction(self) -> Direction {
        match self.metric() {
            Some(metric) => metric.info().direction,
            None => Direction::Higher,
        }
    }

    /// What the value is multiplied by for the page: 100 for shares that are shown in percent.
    pub fn factor(self) -> f64 {
        match self {
            CellFigure::Scaling | CellFigure::QueueShare => 100.0,
            _ => 1.0,
        }
    }

    /// Whether it is a time to first token, which the audit may doubt.
    pub fn is_ttft(self) -> bool {
        matches!(self, CellFigure::Ttft | CellFigure::TtftP99)
    }

    /// The figure that stands below it in its matrix, in smaller type.
    pub fn counterpart(self) -> CellFigure {
        match self {
            CellFigure::Total => CellFigure::Ttft,
            CellFigure::PerRequest
            | CellFigure::Ttft
            | CellFigure::Scaling
            | CellFigure::QueueShare
            | CellFigure::Watts => CellFigure::Total,
            CellFigure::Itl | CellFigure::AcceptLength => CellFigure::PerRequest,
            CellFigure::TtftP99 => CellFigure::Ttft,
            CellFigure::TokPerWatt => CellFigure::Watts,
        }
    }

    /// The figure of each of these cells, in their order. A figure that is worked out has no more
    /// digits than the page shows; nothing is worked out of a zero.
    pub fn of(self, cells: &[Measurement]) -> Vec<Option<Figure>> {
        if let Some(metric) = self.metric() {
            return cells.iter().map(|cell| cell.get(metric)).collect();
        }
        let positive = |cell: &Measurement, metric| cell.value(metric).filter(|v| *v > 0.0);
        let total = |cell| positive(cell, Metric::TotalTokPerS);
        if self == CellFigure::TokPerWatt {
            return cells
                .iter()
                .map(|cell| {
                    let watts = positive(cell, Metric::PowerWatts)?;
                    Some(Figure::exact(total(cell)? / watts))
                })
                .collect();
        }
        let ones: BTreeMap<(u64, &str), f64> = cells
            .iter()
            .filter(|cell| cell.concurrency == 1 && cell.status == Status::Valid)
            .filter_map(|cell| Some((cell.context.order(), total(cell)?)))
            .collect();
        // One request alone has nothing to scale.
        if cells.iter().all(|cell| cell.concurrency <= 1) {
            return vec![None; cells.len()];
        }
        cells
            .iter()
            .map(|cell| {
                let one = ones.get(&cell.context.order())?;
                let requests = cell.concurrency as f64;
                Some(Figure::exact(total(cell)? / (requests * one)))
            })
            .collect()
    }

    /// The figure as its matrix shows it, without its unit.
    pub fn show(self, figure: Figure) -> String {
        match (self, self.metric()) {
            (CellFigure::Scaling, _) => format_number(figure.value * 100.0, 0),
            (CellFigure::TokPerWatt, _) => {
                format_number(figure.value, if figure.value < 9.95 { 2 } else { 1 })
            }
            (_, Some(metric)) => metric.show(figure),
            (_, None) => String::new(),
        }
    }

    /// The figure with its unit.
    pub fn show_with_unit(self, figure: Figure) -> String {
        match self.unit() {
            "" => self.show(figure),
            unit => format!("{} {unit}", self.show(figure)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Context;
    use super::super::audit::report::report_a;
    use super::*;

    #[test]
    fn scaling_is_against_one_request_at_the_same_context() {
        let run = report_a().run();
        let shown: Vec<String> = CellFigure::Scaling
            .of(&run.decode)
            .into_iter()
            .take(9)
            .map(|figure| CellFigure::Scaling.show_with_unit(figure.unwrap()))
            .collect();
        // 8K: 82.9, 164.0, 310.7 … 2,244.4 of 128 × 82.9; 16K: 84.5.
        assert_eq!(
            shown,
            [
                "100 %", "99 %", "94 %", "76 %", "61 %", "41 %", "31 %", "21 %", "100 %"
            ]
        );
    }

    #[test]
    fn without_one_valid_request_there_is_no_scaling() {
        let cell = |concurrency, total: f64, status| Measurement {
            context: Context::from_label("8K", true),
            concurrency,
            status,
            figures: [(Metric::TotalTokPerS, Figure::exact(total))]
                .into_iter()
                .collect(),
            ..Measurement::default()
        };
        let of = |cells: &[Measurement]| CellFigure::Scaling.of(cells);
        let four = cell(4, 100.0, Status::Valid);
        assert_eq!(of(std::slice::from_ref(&four)), [None]);
        assert_eq!(
            of(&[cell(1, 30.0, Status::Queued), four.clone()]),
            [None, None]
        );
        assert_eq!(of(&[cell(1, 0.0, Status::Valid), four]), [None, None]);
        assert_eq!(of(&[cell(1, 30.0, Status::Valid)]), [None]);
    }

    #[test]
    fn ids_and_labels_are_unique_and_every_counterpart_is_another_figure() {
        for (at, figure) in CellFigure::ALL.iter().enumerate() {
            assert_ne!(figure.counterpart(), *figure);
            assert!(!figure.label().is_empty() && !figure.title().is_empty());
            for other in &CellFigure::ALL[at + 1..] {
                assert_ne!(figure.id(), other.id());
                assert_ne!(figure.label(), other.label());
            }
        }
    }
}
