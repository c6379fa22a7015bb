//! What is compared cell by cell.

use crate::run::audit::Noise;
use crate::run::{Figure, Measurement, Metric, Phase};

/// A figure of a cell that two runs are compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeltaMetric {
    /// Output tokens per second over all requests.
    Total,
    /// What one request got.
    PerRequest,
    /// Median time to first token.
    Ttft,
    /// Median time between tokens.
    Itl,
    /// Total ÷ number of GPUs; only where the number is known of both runs.
    TotalPerGpu,
    /// Prompt tokens per second.
    Prefill,
}

impl DeltaMetric {
    /// All of them, in the order of the page.
    pub const ALL: &'static [DeltaMetric] = &[
        DeltaMetric::Total,
        DeltaMetric::PerRequest,
        DeltaMetric::Ttft,
        DeltaMetric::Itl,
        DeltaMetric::TotalPerGpu,
        DeltaMetric::Prefill,
    ];

    /// Those that a phase is compared by, in the order of the page.
    pub fn of_phase(phase: Phase) -> &'static [DeltaMetric] {
        match phase {
            Phase::Prefill => &[DeltaMetric::Prefill, DeltaMetric::Ttft],
            Phase::Decode | Phase::Burst => &[
                DeltaMetric::Total,
                DeltaMetric::PerRequest,
                DeltaMetric::Ttft,
                DeltaMetric::Itl,
                DeltaMetric::TotalPerGpu,
            ],
        }
    }

    /// The figure of a run that it is, or is made from.
    pub fn metric(self) -> Metric {
        match self {
            DeltaMetric::Total | DeltaMetric::TotalPerGpu => Metric::TotalTokPerS,
            DeltaMetric::PerRequest => Metric::PerRequestTokPerS,
            DeltaMetric::Ttft => Metric::TtftMs,
            DeltaMetric::Itl => Metric::ItlMs,
            DeltaMetric::Prefill => Metric::PrefillTokPerS,
        }
    }

    /// Key of `comparison.json`: that of `run.json`.
    pub fn key(self) -> &'static str {
        match self {
            DeltaMetric::TotalPerGpu => "total_tok_per_s_per_gpu",
            other => other.metric().info().key,
        }
    }

    /// Name on the page.
    pub fn label(self) -> &'static str {
        match self {
            DeltaMetric::TotalPerGpu => "Total tok/s per GPU",
            other => other.metric().info().label,
        }
    }

    /// Name inside a sentence.
    pub fn noun(self) -> &'static str {
        match self {
            DeltaMetric::Total => "total tok/s",
            DeltaMetric::PerRequest => "per-request tok/s",
            DeltaMetric::Ttft => "TTFT",
            DeltaMetric::Itl => "time between tokens",
            DeltaMetric::TotalPerGpu => "total tok/s per GPU",
            DeltaMetric::Prefill => "prompt tok/s",
        }
    }

    /// The noise band, as a share of 1.
    pub fn band(self, noise: &Noise) -> f64 {
        match self {
            DeltaMetric::Ttft => noise.ttft,
            DeltaMetric::Itl => noise.itl,
            DeltaMetric::Total
            | DeltaMetric::PerRequest
            | DeltaMetric::TotalPerGpu
            | DeltaMetric::Prefill => noise.tok_per_s,
        }
    }

    /// The figure of a measurement; per GPU it and its step are divided by the number of GPUs.
    pub fn figure(self, cell: &Measurement, gpus: Option<u64>) -> Option<Figure> {
        let figure = cell.get(self.metric()).filter(|f| f.value.is_finite())?;
        if self != DeltaMetric::TotalPerGpu {
            return Some(figure);
        }
        let gpus = gpus.filter(|n| *n > 0)? as f64;
        Some(Figure {
            value: figure.value / gpus,
            step: figure.step.map(|step| step / gpus),
        })
    }

    /// The figure as the page shows it, without its unit.
    pub fn show(self, figure: Figure) -> String {
        self.metric().show(figure)
    }
}
