//! `implausible_prefill`: a rate that no server reads at; part of the prompt was in a cache, or a
//! baseline was subtracted that was as long as the measurement.

use crate::run::{Figure, Metric};

use super::matrix::{Cell, Matrix};
use super::words::{finding, join, shown};
use super::{Finding, Rule};

/// More than this is not believed, whatever stands beside it.
const MOST: f64 = 1_000_000.0;

/// From this multiple of the rate of the next shorter context on, a rate is not believed.
const JUMP: f64 = 4.0;

/// The most points that the sentence names one by one.
const MOST_NAMED: usize = 4;

/// A prefill point with a rate.
#[derive(Clone, Copy)]
struct Point<'a> {
    cell: Cell<'a>,
    rate: Figure,
}

impl Point<'_> {
    fn jumps_from(self, shorter: Self) -> bool {
        self.rate.value >= JUMP * shorter.rate.value * (1.0 - 1e-9)
    }
}

/// A rate > 1,000,000 tok/s, or ≥ 4 × that of the next shorter context.
pub fn implausible(prefill: &Matrix) -> Option<Finding> {
    let mut doubted: Vec<Cell> = Vec::new();
    let mut before: Option<Point> = None;
    // What the first doubted rate stands out from.
    let mut example: Option<Point> = None;
    let points = prefill.cells().iter().filter_map(|cell| {
        let rate = cell.positive(Metric::PrefillTokPerS)?;
        Some(Point { cell: *cell, rate })
    });
    for point in points {
        let sized = point.cell.tokens().is_some();
        let jumps = sized && before.is_some_and(|shorter| point.jumps_from(shorter));
        if point.rate.value > MOST || jumps {
            if doubted.is_empty() {
                example = before;
            }
            doubted.push(point.cell);
        }
        if sized {
            before = Some(point);
        }
    }
    if doubted.is_empty() {
        return None;
    }
    let rates: Vec<String> = doubted
        .iter()
        .map(|cell| {
            format!(
                "{} at {}",
                shown(*cell, Metric::PrefillTokPerS),
                cell.context()
            )
        })
        .collect();
    let rates = if rates.len() <= MOST_NAMED {
        join(&rates)
    } else {
        format!("{} points, the first {}", rates.len(), rates.first()?)
    };
    let against = example.map_or_else(String::new, |point| {
        format!(
            " (against {} at {})",
            shown(point.cell, Metric::PrefillTokPerS),
            point.cell.context()
        )
    });
    let sentence = format!(
        "Prefill is too fast to be true: {rates}{against}. Perhaps the server had part of the prompt in its cache."
    );
    Some(finding(Rule::ImplausiblePrefill, &doubted, sentence))
}

#[cfg(test)]
mod tests {
    use super::super::{Noise, audit};
    use super::*;
    use crate::run::{Context, Measurement, Run};

    fn found(points: &[(u64, f64)]) -> Option<Finding> {
        let mut run = Run::new();
        for (tokens, rate) in points {
            run.prefill.push(Measurement {
                context: Context::from_tokens(*tokens),
                concurrency: 1,
                figures: [(Metric::PrefillTokPerS, Figure::exact(*rate))]
                    .into_iter()
                    .collect(),
                ..Measurement::default()
            });
        }
        let mut findings = audit(&run, &Noise::default()).into_iter();
        findings.find(|f| f.rule == Rule::ImplausiblePrefill)
    }

    fn cells(points: &[(u64, f64)]) -> Vec<String> {
        found(points).map(|f| f.cells).unwrap_or_default()
    }

    const K: u64 = 1024;

    #[test]
    fn more_than_a_million_is_not_believed() {
        assert_eq!(cells(&[(8 * K, 1_000_000.0)]), [""; 0]);
        assert_eq!(cells(&[(8 * K, 1_000_001.0)]), ["p8k"]);
    }

    #[test]
    fn a_jump_to_four_times_the_rate_is_not_believed() {
        assert_eq!(cells(&[(8 * K, 1000.0), (16 * K, 3999.0)]), [""; 0]);
        assert_eq!(cells(&[(16 * K, 4000.0), (8 * K, 1000.0)]), ["p16k"]);
    }

    #[test]
    fn both_rules_find_a_cached_prefix() {
        let points = [
            (8 * K, 2444.0),
            (16 * K, 2549.0),
            (32 * K, 2569.0),
            (64 * K, 244_624.0),
            (128 * K, 2_121_273.0),
        ];
        let finding = found(&points).unwrap();
        assert_eq!(finding.cells, ["p64k", "p128k"]);
        assert_eq!(
            finding.sentence,
            "Prefill is too fast to be true: 244,624 tok/s at 64K and 2,121,273 tok/s at 128K (against 2,569 tok/s at 32K). Perhaps the server had part of the prompt in its cache."
        );
    }

    #[test]
    fn one_slow_point_throws_doubt_on_its_neighbour_only() {
        assert_eq!(
            cells(&[
                (8 * K, 9000.0),
                (32 * K, 10.0),
                (64 * K, 9000.0),
                (128 * K, 9000.0)
            ]),
            ["p64k"]
        );
    }
}
