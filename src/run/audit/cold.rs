//! `cold`: the prompt cache was not warm.

use std::collections::BTreeMap;

use crate::run::Metric;

use super::matrix::{Cell, Matrix};
use super::words::{finding, places, shown, with_requests};
use super::{Finding, Rule};

/// Below this many tokens of context, a short prefill and the first step of decoding cannot be told
/// apart (readers.md: 8K and 16K with 1 and 2 requests).
const SHORTEST: u64 = 32 * 1024;

/// How near the decode TTFT must come to the prefill TTFT of the same context.
const NEAR_PREFILL: std::ops::RangeInclusive<f64> = 0.9..=1.15;

/// The decode TTFT is that of prefill, and some higher concurrency at the same context has less
/// than half of it, which only a warm cache allows.
pub fn cold(decode: &Matrix, prefill: &Matrix) -> Option<Finding> {
    let prefill: BTreeMap<(u64, &str), Cell> = prefill
        .cells()
        .iter()
        .map(|cell| (cell.row(), *cell))
        .collect();
    let mut cold = Vec::new();
    let mut example = None;
    for row in decode.rows() {
        let Some(prefill) = row.first().and_then(|cell| prefill.get(&cell.row())) else {
            continue;
        };
        let Some(read) = prefill.positive(Metric::TtftMs) else {
            continue;
        };
        if prefill.tokens().is_none_or(|tokens| tokens < SHORTEST) {
            continue;
        }
        // From the highest concurrency down: the fastest first token among the higher ones.
        let mut fastest: Option<(Cell, f64)> = None;
        let mut found = Vec::new();
        for cell in row.iter().rev() {
            let Some(ttft) = cell.positive(Metric::TtftMs).map(|f| f.value) else {
                continue;
            };
            if let Some((warm, warm_ttft)) = fastest
                && NEAR_PREFILL.contains(&(ttft / read.value))
                && warm_ttft < ttft / 2.0
            {
                found.push((*cell, warm));
            }
            if fastest.is_none_or(|(_, best)| ttft < best) {
                fastest = Some((*cell, ttft));
            }
        }
        found.reverse();
        example = example.or(found.first().map(|(cell, warm)| (*cell, *warm, *prefill)));
        cold.extend(found.into_iter().map(|(cell, _)| cell));
    }
    let (cell, warm, prefill) = example?;
    let sentence = format!(
        "TTFT {} includes prefill: the prompt cache was not warm ({} against a prefill of {} at {}; {} {}).",
        places(&cold),
        shown(cell, Metric::TtftMs),
        shown(prefill, Metric::TtftMs),
        cell.context(),
        shown(warm, Metric::TtftMs),
        with_requests(&[warm.concurrency()]),
    );
    Some(finding(Rule::Cold, &cold, sentence))
}

#[cfg(test)]
mod tests {
    use super::super::{Noise, audit};
    use super::*;
    use crate::run::{Context, Figure, Measurement, Run, Status};

    fn ttft(label: &str, concurrency: u64, ms: f64) -> Measurement {
        Measurement {
            context: Context::from_label(label, false),
            concurrency,
            figures: [(Metric::TtftMs, Figure::exact(ms))].into_iter().collect(),
            ..Measurement::default()
        }
    }

    fn cells(label: &str, read: f64, row: &[f64]) -> Vec<String> {
        let mut run = Run::new();
        run.prefill.push(ttft(label, 1, read));
        for (i, ms) in row.iter().enumerate() {
            run.decode.push(ttft(label, 1 << i, *ms));
        }
        audited(&run)
    }

    fn audited(run: &Run) -> Vec<String> {
        audit(run, &Noise::default())
            .into_iter()
            .filter(|f| f.rule == Rule::Cold)
            .flat_map(|f| f.cells)
            .collect()
    }

    #[test]
    fn it_needs_a_ttft_near_prefill() {
        for (ms, found) in [
            (899.0, false),
            (900.0, true),
            (1150.0, true),
            (1151.0, false),
        ] {
            assert_eq!(
                !cells("64K", 1000.0, &[ms, 100.0]).is_empty(),
                found,
                "{ms}"
            );
        }
    }

    #[test]
    fn it_needs_a_warm_cell_at_a_higher_concurrency() {
        assert_eq!(cells("64K", 1000.0, &[1000.0, 499.0]), ["c64k-n1"]);
        assert_eq!(cells("64K", 1000.0, &[1000.0, 500.0]), [""; 0]);
        assert_eq!(cells("64K", 1000.0, &[100.0, 1000.0]), [""; 0]);
        assert_eq!(cells("64K", 1000.0, &[1000.0]), [""; 0]);
    }

    #[test]
    fn it_needs_32k_of_context() {
        assert_eq!(cells("32K", 1000.0, &[1000.0, 400.0]), ["c32k-n1"]);
        assert_eq!(cells("31K", 1000.0, &[1000.0, 400.0]), [""; 0]);
        assert_eq!(cells("32767", 1000.0, &[1000.0, 400.0]), [""; 0]);
        assert_eq!(cells("long", 1000.0, &[1000.0, 400.0]), [""; 0]);
    }

    #[test]
    fn it_needs_prefill_of_the_same_context_and_cells_that_were_measured() {
        let mut run = Run::new();
        run.prefill.push(ttft("64K", 1, 1000.0));
        run.decode.push(ttft("128K", 1, 1000.0));
        run.decode.push(ttft("128K", 2, 100.0));
        assert_eq!(audited(&run), [""; 0]);
        run.prefill.push(ttft("128K", 1, 1000.0));
        assert_eq!(audited(&run), ["c128k-n1"]);
        run.decode[1].status = Status::Failed;
        assert_eq!(audited(&run), [""; 0]);
    }
}
