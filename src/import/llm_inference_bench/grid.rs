//! Which cells of a matrix there is no result for, and why.
//!
//! The tool writes no list of what it skipped, but its rule is known: it leaves out a cell whose
//! requests would need more tokens than the server's KV cache holds. A caller that knows better
//! (lil-bench writes its plan) hands in what it knows.

use std::collections::{BTreeMap, BTreeSet};

use crate::run::{Context, Measurement, Status};

use super::metadata::Metadata;

/// A place in the matrix: context tokens and simultaneous requests.
pub type Cell = (u64, u64);

/// What is known of a plan apart from the tool's own file.
#[derive(Debug, Default)]
pub struct Plan {
    /// The cells that were to be measured.
    pub asked: BTreeSet<Cell>,
    /// The cells that were left out on purpose.
    pub skipped: BTreeMap<Cell, Skip>,
}

/// A cell that was left out on purpose.
#[derive(Clone, Debug)]
pub struct Skip {
    /// Whether the KV cache was too small for it.
    pub over_capacity: bool,
    /// The plan's own words.
    pub reason: Option<String>,
}

/// The cells that were asked for and are not in `present`.
pub fn missing(
    metadata: &Metadata,
    plan: &Plan,
    means: bool,
    present: &BTreeSet<Cell>,
) -> Vec<Measurement> {
    let contexts: BTreeSet<u64> = metadata.contexts.iter().copied().collect();
    let levels: BTreeSet<u64> = metadata.levels.iter().copied().collect();
    let mut asked: BTreeSet<Cell> = plan.asked.clone();
    asked.extend(plan.skipped.keys().copied());
    if !metadata.prefill_only {
        for context in contexts {
            asked.extend(levels.iter().map(|level| (context, *level)));
        }
    }
    let cells: Vec<Measurement> = asked
        .difference(present)
        .map(|cell| {
            let skip = plan.skipped.get(cell);
            let over_capacity = skip.map_or_else(
                || exceeds_kv_cache(metadata, *cell),
                |skip| skip.over_capacity,
            );
            Measurement {
                context: Context::from_tokens(cell.0),
                concurrency: cell.1,
                status: if over_capacity {
                    Status::OverCapacity
                } else {
                    Status::NotMeasured
                },
                reason: skip.and_then(|skip| skip.reason.clone()),
                ..Measurement::default()
            }
        })
        .collect();
    let explained = |m: &Measurement| m.status == Status::OverCapacity;
    if means {
        // Whoever made means chose the cells; only a skip that the rule explains was the tool's.
        return cells.into_iter().filter(explained).collect();
    }
    if present.is_empty() && !cells.iter().any(explained) {
        // The matrix in the metadata is a default, nothing says that it was asked for.
        return Vec::new();
    }
    cells
}

/// The tool's own rule: `concurrency × (context + max_tokens) > max_total_tokens`.
fn exceeds_kv_cache(metadata: &Metadata, (context, concurrency): Cell) -> bool {
    let needed = u128::from(concurrency) * (u128::from(context) + u128::from(metadata.max_tokens));
    metadata.kv_tokens > 0 && needed > u128::from(metadata.kv_tokens)
}
