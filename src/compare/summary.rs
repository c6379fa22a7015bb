//! One metric over all cells: ratios, their means, and where the sign changes.

use super::axes::Column;
use super::cells::{Cell, CellState};
use super::metrics::DeltaMetric;
use super::ratio::{Difference, Side, ratio};
use crate::run::Figure;
use crate::run::audit::Noise;
use crate::run::metric::Direction;

/// Why a ratio stands apart from the means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Apart {
    /// Requests queued on a side.
    Queued,
    /// A side has a status that is not known here.
    OtherStatus,
    /// A TTFT that includes prefill on a side (rule `cold` of the audit).
    Doubted,
}

impl Apart {
    /// Word of `comparison.json`.
    pub fn key(self) -> &'static str {
        match self {
            Apart::Queued => "queued",
            Apart::OtherStatus => "other_status",
            Apart::Doubted => "doubted",
        }
    }

    /// Words of the page.
    pub fn words(self) -> &'static str {
        match self {
            Apart::Queued => "requests queued",
            Apart::OtherStatus => "another status",
            Apart::Doubted => "TTFT includes prefill",
        }
    }
}

/// The figures of one metric at one place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Delta {
    /// A's figure.
    pub a: Option<Figure>,
    /// B's figure.
    pub b: Option<Figure>,
    /// B ÷ A; only where both were measured and are positive.
    pub ratio: Option<f64>,
    /// What may be said of it.
    pub difference: Option<Difference>,
    /// Why it stands apart from the means; `None` for a valid cell.
    pub apart: Option<Apart>,
}

/// Means of ratios.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Means {
    /// exp of the mean of ln ratio.
    pub geometric_mean: f64,
    /// The smallest ratio.
    pub min: f64,
    /// The largest ratio.
    pub max: f64,
}

/// What the ratios of a set of cells say together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Summary {
    /// How many ratios there are.
    pub n: usize,
    /// Their means; `None` where there is no ratio.
    pub means: Option<Means>,
    /// In how many B is clearly faster.
    pub faster: usize,
    /// In how many B is clearly slower.
    pub slower: usize,
    /// In how many there is no clear difference.
    pub unclear: usize,
}

impl Summary {
    pub(super) fn of<'a>(deltas: impl IntoIterator<Item = &'a (f64, f64, Difference)>) -> Self {
        let mut summary = Self::default();
        let (mut sum, mut min, mut max) = (0.0, f64::INFINITY, 0.0_f64);
        for (value, ln, difference) in deltas {
            summary.n += 1;
            sum += ln;
            min = min.min(*value);
            max = max.max(*value);
            match difference.faster() {
                Some(Side::B) => summary.faster += 1,
                Some(Side::A) => summary.slower += 1,
                None if *difference == Difference::Unclear => summary.unclear += 1,
                None => {}
            }
        }
        if summary.n > 0 {
            let geometric_mean = (sum / summary.n as f64).exp();
            summary.means = Some(Means {
                // Rounding must not put the mean beyond its own ends.
                geometric_mean: geometric_mean.clamp(min, max),
                min,
                max,
            });
        }
        summary
    }
}

/// A range of simultaneous requests that has a mean of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RequestBand {
    /// Up to 4.
    Few,
    /// 5 to 63; published matrices have 8, 16 and 32.
    Some,
    /// 64 and more.
    Many,
}

impl RequestBand {
    /// All bands, in order.
    pub const ALL: [RequestBand; 3] = [RequestBand::Few, RequestBand::Some, RequestBand::Many];

    /// The band of a concurrency.
    pub fn of(concurrency: u64) -> Self {
        match concurrency {
            0..=4 => RequestBand::Few,
            5..=63 => RequestBand::Some,
            _ => RequestBand::Many,
        }
    }

    /// Word of `comparison.json`.
    pub fn key(self) -> &'static str {
        match self {
            RequestBand::Few => "few",
            RequestBand::Some => "some",
            RequestBand::Many => "many",
        }
    }

    /// "1–4", "5–63", "64+".
    pub fn label(self) -> &'static str {
        match self {
            RequestBand::Few => "1–4",
            RequestBand::Some => "5–63",
            RequestBand::Many => "64+",
        }
    }
}

/// The valid cells of one band.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BandSummary {
    /// Which band.
    pub band: RequestBand,
    /// What the ratios of its valid cells say.
    pub summary: Summary,
}

/// Where the faster run changes with the number of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crossing {
    /// The run that is faster with fewer requests.
    pub low: Side,
    /// The last concurrency at which it is.
    pub up_to: u64,
    /// The first concurrency at which the other one is.
    pub from: u64,
}

/// One metric of two runs.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricComparison {
    /// Which metric.
    pub metric: DeltaMetric,
    /// The noise band that was applied, as a share of 1.
    pub band: f64,
    /// One for each place, in the order of the cells.
    pub deltas: Vec<Delta>,
    /// The valid cells.
    pub valid: Summary,
    /// The valid cells by the number of requests, bands without a ratio among them.
    pub bands: [BandSummary; 3],
    /// Cells with queued requests.
    pub queued: Summary,
    /// Valid cells with a doubted TTFT.
    pub doubted: Summary,
    /// Cells with a status that is not known here.
    pub other_status: Summary,
    /// Cells that were measured on both sides and have no ratio: a figure is absent or zero.
    pub without_ratio: usize,
    /// Where the faster run changes, if it does once and cleanly.
    pub crossing: Option<Crossing>,
}

impl MetricComparison {
    /// `cells` and `figures` are parallel, `columns` those of the cells.
    pub(super) fn of(
        metric: DeltaMetric,
        noise: &Noise,
        columns: &[Column],
        cells: &[Cell],
        figures: &[(Option<Figure>, Option<Figure>)],
    ) -> Self {
        let band = metric.band(noise);
        let direction = metric.metric().info().direction;
        let mut deltas = Vec::with_capacity(cells.len());
        let mut without_ratio = 0;
        // Value, logarithm and words of each ratio, with the concurrency.
        let mut valid: Vec<(u64, (f64, f64, Difference))> = Vec::new();
        let mut apart: Vec<(Apart, (f64, f64, Difference))> = Vec::new();
        for (cell, (a, b)) in cells.iter().zip(figures) {
            let mut delta = Delta {
                a: *a,
                b: *b,
                ratio: None,
                difference: None,
                apart: why_apart(metric, cell),
            };
            if cell.state.is_compared() {
                let found = a.zip(*b).and_then(|(a, b)| ratio(a, b, band, direction));
                match found {
                    Some(found) => {
                        delta.ratio = Some(found.value);
                        delta.difference = Some(found.difference);
                        let entry = (found.value, found.ln, found.difference);
                        match delta.apart {
                            Some(why) => apart.push((why, entry)),
                            None => {
                                let column = columns.get(cell.column);
                                valid.push((column.map_or(0, |c| c.concurrency), entry));
                            }
                        }
                    }
                    None => without_ratio += 1,
                }
            }
            deltas.push(delta);
        }
        let of = |why: Apart| {
            let entries = apart.iter().filter(|(w, _)| *w == why);
            Summary::of(entries.map(|(_, entry)| entry))
        };
        Self {
            metric,
            band,
            deltas,
            valid: Summary::of(valid.iter().map(|(_, entry)| entry)),
            bands: RequestBand::ALL.map(|band| {
                let here = valid.iter().filter(|(n, _)| RequestBand::of(*n) == band);
                BandSummary {
                    band,
                    summary: Summary::of(here.map(|(_, entry)| entry)),
                }
            }),
            queued: of(Apart::Queued),
            doubted: of(Apart::Doubted),
            other_status: of(Apart::OtherStatus),
            without_ratio,
            crossing: crossing(&valid),
        }
    }
}

impl MetricComparison {
    /// Whether B is worse by this metric: the geometric mean of its valid cells, of all of them or
    /// of one band of requests, is slower than the noise band allows, and at least one cell there
    /// is clearly slower. One slow cell alone is not enough where the rest makes up for it.
    pub fn is_worse(&self) -> bool {
        let lower_is_better = self.metric.metric().info().direction == Direction::Lower;
        let worse = |summary: &Summary| {
            summary.means.is_some_and(|means| {
                let slower = match lower_is_better {
                    true => means.geometric_mean,
                    false => 1.0 / means.geometric_mean,
                };
                summary.slower > 0 && slower > (1.0 + self.band) * (1.0 + 1e-12)
            })
        };
        worse(&self.valid) || self.bands.iter().any(|band| worse(&band.summary))
    }
}

fn why_apart(metric: DeltaMetric, cell: &Cell) -> Option<Apart> {
    let cold = [&cell.a, &cell.b].into_iter().flatten().any(|s| s.cold);
    match cell.state {
        CellState::Queued => Some(Apart::Queued),
        CellState::OtherStatus => Some(Apart::OtherStatus),
        CellState::Valid if cold && metric == DeltaMetric::Ttft => Some(Apart::Doubted),
        _ => None,
    }
}

/// The place where the faster run changes: at each concurrency all clear differences must agree,
/// and along the concurrencies the faster run must change exactly once. Concurrencies without a
/// clear difference say nothing.
fn crossing(valid: &[(u64, (f64, f64, Difference))]) -> Option<Crossing> {
    let mut clear: Vec<(u64, Side)> = valid
        .iter()
        .filter_map(|(n, (.., difference))| Some((*n, difference.faster()?)))
        .collect();
    clear.sort_unstable();
    clear.dedup();
    let mut found: Option<Crossing> = None;
    for pair in clear.windows(2) {
        let [(before, low), (after, high)] = pair else {
            continue;
        };
        if before == after {
            return None;
        }
        if low != high {
            if found.is_some() {
                return None;
            }
            found = Some(Crossing {
                low: *low,
                up_to: *before,
                from: *after,
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(n: u64, faster: Option<Side>) -> (u64, (f64, f64, Difference)) {
        let difference = match faster {
            Some(Side::A) => Difference::Slower,
            Some(Side::B) => Difference::Faster,
            None => Difference::Unclear,
        };
        (n, (1.0, 0.0, difference))
    }

    #[test]
    fn the_faster_run_changes_once_or_not_at_all() {
        let (a, b) = (Some(Side::A), Some(Side::B));
        let of = |list: &[(u64, Option<Side>)]| {
            let valid: Vec<_> = list.iter().map(|(n, side)| at(*n, *side)).collect();
            crossing(&valid).map(|c| (c.low, c.up_to, c.from))
        };
        assert_eq!(of(&[(1, b), (8, b), (16, a)]), Some((Side::B, 8, 16)));
        assert_eq!(of(&[(1, b), (8, None), (16, a)]), Some((Side::B, 1, 16)));
        assert_eq!(of(&[(16, a), (1, b), (1, None)]), Some((Side::B, 1, 16)));
        assert_eq!(of(&[(1, b), (8, b)]), None);
        assert_eq!(of(&[(1, b), (8, a), (16, b)]), None);
        assert_eq!(of(&[(1, b), (1, a), (16, a)]), None);
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn every_concurrency_is_in_one_band() {
        let bands: Vec<_> = [1, 4, 5, 8, 32, 48, 63, 64, 128, u64::MAX]
            .map(|n| RequestBand::of(n).label())
            .to_vec();
        assert_eq!(
            bands,
            [
                "1–4", "1–4", "5–63", "5–63", "5–63", "5–63", "5–63", "64+", "64+", "64+"
            ]
        );
    }

    #[test]
    fn a_geometric_mean_is_that_of_the_logarithms() {
        let entry = |x: f64| (x, x.ln(), Difference::Faster);
        let summary = Summary::of(&[entry(2.0), entry(8.0)]);
        let means = summary.means.unwrap();
        assert!((means.geometric_mean - 4.0).abs() < 1e-12);
        assert_eq!((means.min, means.max, summary.n), (2.0, 8.0, 2));
        assert_eq!(Summary::of(&[]).means, None);
    }
}
