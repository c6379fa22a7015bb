//! A run made ready for comparisons: what takes time is done once, however many runs it is
//! compared with.

use std::collections::BTreeSet;

use super::flags::Launch;
use crate::run::time::MeasuredAt;
use crate::run::{Fact, Run, audit};

/// A run made ready for comparisons.
pub struct Subject<'a> {
    run: &'a Run,
    cold: BTreeSet<String>,
    launch: Option<Launch>,
}

impl<'a> Subject<'a> {
    /// Looks at a run.
    pub fn of(run: &'a Run) -> Self {
        Self {
            run,
            cold: audit::cold_cells(run),
            launch: run.facts.text(Fact::LaunchCommand).map(Launch::of),
        }
    }

    /// The run.
    pub fn run(&self) -> &'a Run {
        self.run
    }

    /// The decode cells, by their anchors, whose TTFT includes prefill.
    pub(super) fn cold(&self) -> &BTreeSet<String> {
        &self.cold
    }

    /// The launch command; `None` where the run has none.
    pub(super) fn launch(&self) -> Option<&Launch> {
        self.launch.as_ref()
    }

    /// How many GPUs served the model, where that is known.
    pub(super) fn gpu_count(&self) -> Option<u64> {
        self.run.facts.count(Fact::GpuCount).filter(|n| *n > 0)
    }
}

/// What runs are sorted by: those without a date last, then by date, then by slug.
pub(super) fn age(run: &Run) -> (bool, i64, &str) {
    let measured = run.facts.text(Fact::MeasuredAt);
    let key = measured
        .and_then(|text| MeasuredAt::parse(text).ok())
        .map(MeasuredAt::sort_key);
    (key.is_none(), key.unwrap_or(0), &run.slug)
}

/// Two runs as A and B: A is the one measured earlier, one with a date before one without, else
/// the one whose slug comes first.
pub fn in_order<'a>(x: &'a Run, y: &'a Run) -> (&'a Run, &'a Run) {
    if age(x) <= age(y) { (x, y) } else { (y, x) }
}
