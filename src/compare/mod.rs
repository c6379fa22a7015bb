//! Two runs → what differs, what can be compared, and what the figures say ([`Comparison`]).
//!
//! Pure: runs in, comparison out. Everything is computed so that exchanging the sides mirrors it
//! exactly. Sources of the rules stand in `docs/comparisons.md`.

pub mod axes;
pub mod best;
pub mod cells;
pub mod controlled;
pub mod document;
pub mod facts;
mod fingerprint;
pub mod flags;
pub mod metrics;
pub mod natural;
pub mod nearest;
pub mod pool;
pub mod ratio;
pub mod series;
pub mod setups;
mod subject;
pub mod summary;
pub mod things;
pub mod union;
pub mod words;

pub use axes::{Column, ContextRow, MatchedBy};
pub use best::{Best, BestCell, Winner};
pub use cells::{Cell, CellSide, CellState, Counts, PhaseComparison};
pub use controlled::{Change, ChangeGroup, ControlledPairs, Pair};
pub use facts::{FactRow, RowState};
pub use flags::{FlagCounts, FlagKey, FlagKind, FlagRow, LaunchComparison};
pub use metrics::DeltaMetric;
pub use nearest::nearest;
pub use pool::{Pool, PoolCell, PooledFigure};
pub use ratio::{Difference, Side};
pub use series::{Series, Step};
pub use setups::{Setup, Setups};
pub use subject::{Subject, in_order};
pub use summary::{
    Apart, BandSummary, Crossing, Delta, Means, MetricComparison, RequestBand, Summary,
};
pub use things::{Item, Thing, ThingKind, Verdict};

use crate::run::audit::Noise;
use crate::run::{Phase, Run};

/// What a comparison needs of each of its runs to name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSide {
    /// Its address below `/runs/`.
    pub slug: String,
    /// Its title.
    pub title: String,
    /// How many GPUs served the model, where that is known.
    pub gpu_count: Option<u64>,
}

impl RunSide {
    fn of(subject: &Subject) -> Self {
        Self {
            slug: subject.run().slug.clone(),
            title: subject.run().title().to_owned(),
            gpu_count: subject.gpu_count(),
        }
    }
}

/// Two runs, compared. A ratio is always B ÷ A.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The run that the other one is measured by.
    pub a: RunSide,
    /// The other one.
    pub b: RunSide,
    /// The noise bands that were applied.
    pub noise: Noise,
    /// Facts side by side, in the order of the document.
    pub facts: Vec<FactRow>,
    /// Launch commands flag by flag.
    pub launch: LaunchComparison,
    /// What differs, in things.
    pub things: Vec<Thing>,
    /// Facts that only one of the runs tells of, by their names.
    pub told_by_one: Vec<String>,
    /// How far the comparison is like for like.
    pub verdict: Verdict,
    /// Sustained decode.
    pub decode: PhaseComparison,
    /// Bursts.
    pub burst: PhaseComparison,
    /// Prefill, by context.
    pub prefill: PhaseComparison,
}

impl Comparison {
    /// Compares two runs as A and B, in this order ([`in_order`] is the order of pages).
    pub fn of(a: &Subject, b: &Subject, noise: &Noise) -> Self {
        let (facts_a, facts_b) = (&a.run().facts, &b.run().facts);
        let facts = facts::rows(facts_a, facts_b);
        let launch = flags::compare(a.launch(), b.launch());
        let things = things::things(facts_a, facts_b, &facts, &launch);
        Self {
            a: RunSide::of(a),
            b: RunSide::of(b),
            noise: *noise,
            told_by_one: things::told_by_one(&facts, &launch),
            verdict: Verdict::on(&things),
            decode: PhaseComparison::of(Phase::Decode, a, b, noise),
            burst: PhaseComparison::of(Phase::Burst, a, b, noise),
            prefill: PhaseComparison::of(Phase::Prefill, a, b, noise),
            facts,
            launch,
            things,
        }
    }

    /// [`Comparison::of`] for two runs that are compared once.
    pub fn of_runs(a: &Run, b: &Run, noise: &Noise) -> Self {
        Self::of(&Subject::of(a), &Subject::of(b), noise)
    }

    /// One phase.
    pub fn phase(&self, phase: Phase) -> &PhaseComparison {
        match phase {
            Phase::Decode => &self.decode,
            Phase::Burst => &self.burst,
            Phase::Prefill => &self.prefill,
        }
    }

    /// The title: a sentence without a full stop that says the result and how many cells it rests
    /// on. It speaks of the first metric that has a valid cell: total tok/s wherever it can.
    pub fn title(&self) -> String {
        words::title(self)
    }

    /// What total tok/s per GPU says; `None` where both runs have as many GPUs, or the number of
    /// one is not known.
    pub fn per_gpu_sentence(&self) -> Option<String> {
        words::per_gpu(self)
    }

    /// The verdict, with what differs.
    pub fn verdict_sentence(&self) -> String {
        words::verdict(self)
    }

    /// How many launch flags differ, or why they were not compared.
    pub fn flags_sentence(&self) -> String {
        match self.launch.commands {
            flags::Commands::Both => format!("{}.", self.launch.counts.sentence()),
            other => other.sentence().to_owned(),
        }
    }

    /// [`Comparison::counts_sentence`], then the same of the burst and of prefill where a run has
    /// them.
    pub fn counts_sentences(&self) -> Vec<String> {
        let others = [&self.burst, &self.prefill].into_iter();
        let others = others.filter(|phase| !phase.cells.is_empty());
        let mut sentences = vec![self.counts_sentence()];
        sentences.extend(others.map(words::counts));
        sentences
    }

    /// How many cells can be compared, and what became of the others.
    pub fn counts_sentence(&self) -> String {
        words::counts(&self.decode)
    }
}
