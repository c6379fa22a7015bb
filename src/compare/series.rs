//! Series: one setup over time, from one engine version or commit to the next, and the steps in it
//! that are larger than the noise.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::fingerprint::{Fingerprint, Part, date};
use super::metrics::DeltaMetric;
use super::pool::{Matrix, PooledFigure};
use super::setups::Setups;
use super::subject::age;
use super::summary::Summary;
use super::things::ThingKind;
use super::union::Union;
use crate::run::audit::is_measured;
use crate::run::{Context, Fact, Figure, Measurement, Phase, Status};

/// How many runs before a step, and how many from it on, must agree.
pub const WINDOW: usize = 2;

/// The share of the shared valid cells that must have changed in the same direction as their mean.
pub const AGREEING: f64 = 0.75;

/// A run of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Its place in the list of runs.
    pub run: usize,
    /// When it was measured: seconds since 1970.
    pub date: i64,
    /// Its engine's version, as its run tells it.
    pub version: Option<String>,
    /// Its engine's commit.
    pub commit: Option<String>,
    /// Total tok/s over all shared valid cells against the first run of the series.
    pub against_first: Summary,
}

/// A metric in one cell, over all runs of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesLine {
    /// The phase of the cell.
    pub phase: Phase,
    /// The metric.
    pub metric: DeltaMetric,
    /// The context.
    pub context: Context,
    /// Simultaneous requests asked for.
    pub concurrency: u64,
    /// Its figure in each run; `None` where the cell is not valid, or its TTFT includes prefill.
    pub values: Vec<Option<Figure>>,
}

/// A step that is larger than the noise.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The first run after it, by its place in [`Series::points`].
    pub at: usize,
    /// The ratios of total tok/s of this run to the one before it.
    pub effect: Summary,
    /// How many of the cells changed in the direction of the mean.
    pub agreeing: usize,
    /// The widest noise band that was applied, as a share of 1.
    pub band: f64,
    /// Whether the next run shows it too; false for the last run of a series.
    pub confirmed: bool,
}

/// Runs that are equal but for date, engine version or commit.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The runs by date.
    pub points: Vec<Point>,
    /// Their setups, the one measured first first.
    pub setups: Vec<usize>,
    /// Key metrics in the cells that most of the runs have.
    pub lines: Vec<SeriesLine>,
    /// Steps in total tok/s that are larger than the noise.
    pub steps: Vec<Step>,
}

impl Series {
    /// Finds the series of a set of runs: those with at least two dates, the one that begins first
    /// first. Version, commit, and the tag and digest of the image may differ; runs without a date
    /// are left out.
    ///
    /// The work grows with the number of runs: each is compared with the first of its series and
    /// with the next [`WINDOW`].
    pub fn all(setups: &Setups) -> Vec<Series> {
        let subjects = setups.subjects();
        let mut keys: BTreeMap<Vec<String>, Vec<(i64, usize)>> = BTreeMap::new();
        let mut numbers: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for (at, setup) in setups.all().iter().enumerate() {
            let fingerprint = setup
                .runs
                .first()
                .and_then(|run| setups.fingerprints.of_run.get(*run));
            if let Some(fingerprint) = fingerprint {
                numbers.insert(at, but_for_version(fingerprint));
            }
            for run in &setup.runs {
                let when = subjects.get(*run).and_then(date);
                if let (Some(when), Some(key)) = (when, numbers.get(&at)) {
                    keys.entry(key.clone()).or_default().push((when, *run));
                }
            }
        }
        let mut all: Vec<Series> = keys
            .into_values()
            .filter_map(|mut runs| {
                runs.sort_by_key(|(when, run)| (*when, subjects.get(*run).map(|s| age(s.run()))));
                let dates = (runs.first()?.0, runs.last()?.0);
                (dates.0 != dates.1).then(|| Series::of(setups, &runs))
            })
            .collect();
        all.sort_by_key(|series| series.points.first().map(|p| (p.date, p.run)));
        all
    }

    fn of(setups: &Setups, runs: &[(i64, usize)]) -> Self {
        let subjects = setups.subjects();
        let matrices: Vec<Matrix> = runs
            .iter()
            .map(|(_, run)| {
                let subject: Vec<_> = subjects.get(*run).into_iter().collect();
                Matrix::of(&subject)
            })
            .collect();
        let mut of_setups: Vec<usize> = Vec::new();
        let bands: Vec<f64> = runs
            .iter()
            .map(|(_, run)| {
                let setup = setups.setup_of(*run);
                of_setups.extend(setup);
                setup.map_or(0.0, |setup| setups.noise(setup).tok_per_s)
            })
            .collect();
        of_setups.sort_unstable();
        of_setups.dedup();
        let points = runs.iter().zip(&matrices).zip(&bands);
        let points = points.map(|(((date, run), matrix), band)| {
            let facts = subjects.get(*run).map(|s| &s.run().facts);
            let text = |fact| facts.and_then(|f| f.text(fact)).map(str::to_owned);
            let band = bands.first().copied().unwrap_or(0.0).max(*band);
            Point {
                run: *run,
                date: *date,
                version: text(Fact::EngineVersion),
                commit: text(Fact::Commit),
                against_first: matrices
                    .first()
                    .map_or_else(Summary::default, |first| first.against(matrix, band)),
            }
        });
        Self {
            points: points.collect(),
            setups: of_setups,
            lines: lines(setups, runs),
            steps: steps(&matrices, &bands),
        }
    }
}

/// What must be equal in the runs of a series: all things, the engine without version and commit.
fn but_for_version(fingerprint: &Fingerprint) -> Vec<String> {
    let mut out = Vec::new();
    for (id, part) in &fingerprint.parts {
        let Part { kind, items } = part;
        for (key, item) in items {
            let value = match (kind, key.as_str()) {
                (Some(ThingKind::Engine), "engine.version" | "engine.commit") => continue,
                (Some(ThingKind::Engine), "image" | "engine.image") => without_tag(&item.value),
                _ => &item.value,
            };
            out.push(id.clone());
            out.push(key.clone());
            out.push(value.to_owned());
        }
    }
    out
}

/// The name of an image without tag and digest.
fn without_tag(image: &str) -> &str {
    let image = image.split_once('@').map_or(image, |(name, _)| name);
    match image.rsplit_once(':') {
        Some((name, tag)) if !tag.contains('/') => name,
        _ => image,
    }
}

/// Steps that are larger than the noise.
///
/// There is one between two runs where each of the two runs before it (one, at the beginning) and
/// each of the two from it on (one, at the end) differ in the same direction: the geometric mean
/// of the ratios of total tok/s over all shared valid cells is beyond the wider band of the two
/// setups, and at least three quarters of the cells changed in this direction. So one run that was
/// disturbed makes no step, unless it is the last one, which is said ([`Step::confirmed`]).
fn steps(matrices: &[Matrix], bands: &[f64]) -> Vec<Step> {
    let direction = |x: usize, y: usize| -> Option<(bool, usize, Summary, f64)> {
        let (a, b) = (matrices.get(x)?, matrices.get(y)?);
        let band = bands.get(x)?.max(*bands.get(y)?);
        let ratios = a.ratios(b, band);
        let effect = Summary::of(&ratios);
        let mean = effect.means?.geometric_mean;
        let up = mean > 1.0;
        if mean.max(1.0 / mean) <= (1.0 + band) * (1.0 + 1e-12) {
            return None;
        }
        let same = ratios
            .iter()
            .filter(|(_, ln, _)| (*ln > 0.0) == up && *ln != 0.0);
        let agreeing = same.count();
        (agreeing as f64 >= AGREEING * effect.n as f64).then_some((up, agreeing, effect, band))
    };
    let n = matrices.len();
    let mut out = Vec::new();
    for at in 1..n {
        let Some((up, agreeing, effect, band)) = direction(at - 1, at) else {
            continue;
        };
        let before = at.saturating_sub(WINDOW)..at;
        let after = at..(at + WINDOW).min(n);
        let confirmed = after.len() == WINDOW;
        let mut widest = band;
        let agree = before.clone().all(|x| {
            after.clone().all(|y| match direction(x, y) {
                Some((same, _, _, band)) => {
                    widest = widest.max(band);
                    same == up
                }
                None => false,
            })
        });
        if agree {
            out.push(Step {
                at,
                effect,
                agreeing,
                band: widest,
                confirmed,
            });
        }
    }
    out
}

/// The figures of all runs in one cell.
#[derive(Clone)]
struct InCell {
    row: usize,
    concurrency: u64,
    figures: Vec<Option<Figure>>,
}

/// Key metrics, each in one of the cells that most of the runs have valid: total tok/s with the
/// fewest requests at the shortest context; total tok/s in the cell with the highest median; TTFT
/// with the fewest requests at the longest context; prompt tok/s at the longest context.
fn lines(setups: &Setups, runs: &[(i64, usize)]) -> Vec<SeriesLine> {
    let subjects: Vec<_> = runs
        .iter()
        .filter_map(|(_, run)| setups.subjects().get(*run))
        .collect();
    let mut out = Vec::new();
    for phase in [Phase::Decode, Phase::Prefill] {
        let lists: Vec<&[Measurement]> = subjects.iter().map(|s| s.run().phase(phase)).collect();
        let anchors: Vec<Vec<String>> = subjects.iter().map(|s| s.run().anchors(phase)).collect();
        let union = Union::of(&lists);
        let values = |metric: DeltaMetric| -> Vec<InCell> {
            let places = union.places.iter().map(|((row, concurrency), at)| {
                let figures = at.iter().enumerate().map(|(list, at)| {
                    let m = lists.get(list)?.get((*at)?)?;
                    let anchor = anchors.get(list)?.get((*at)?)?;
                    let cold = phase == Phase::Decode
                        && metric == DeltaMetric::Ttft
                        && subjects.get(list)?.cold().contains(anchor);
                    let valid = m.status == Status::Valid && is_measured(m) && !cold;
                    metric.figure(m, None).filter(|_| valid)
                });
                InCell {
                    row: *row,
                    concurrency: *concurrency,
                    figures: figures.collect(),
                }
            });
            let places: Vec<InCell> = places.collect();
            let n = |cell: &InCell| cell.figures.iter().flatten().count();
            let most = places.iter().map(n).max().filter(|most| *most > 0);
            let kept = places.into_iter().filter(|cell| Some(n(cell)) == most);
            kept.collect()
        };
        let median = |cell: &InCell| {
            let pooled = PooledFigure::of(cell.figures.iter().flatten().copied());
            pooled.map_or(0.0, |pooled| pooled.median.value)
        };
        let longest = |cells: Vec<InCell>| {
            let order = |cell: &InCell| (Reverse(cell.row), cell.concurrency);
            cells.into_iter().min_by_key(order)
        };
        let chosen = if phase == Phase::Decode {
            let total = values(DeltaMetric::Total);
            let first = total.first().cloned();
            let fastest = total.into_iter().rev();
            let fastest = fastest.max_by(|x, y| median(x).total_cmp(&median(y)));
            let place = |cell: &InCell| (cell.row, cell.concurrency);
            let fastest = fastest.filter(|cell| first.as_ref().map(place) != Some(place(cell)));
            vec![
                (DeltaMetric::Total, first),
                (DeltaMetric::Total, fastest),
                (DeltaMetric::Ttft, longest(values(DeltaMetric::Ttft))),
            ]
        } else {
            vec![(DeltaMetric::Prefill, longest(values(DeltaMetric::Prefill)))]
        };
        for (metric, cell) in chosen {
            let Some(cell) = cell else { continue };
            if let Some(context) = union.contexts.get(cell.row) {
                out.push(SeriesLine {
                    phase,
                    metric,
                    context: context.clone(),
                    concurrency: cell.concurrency,
                    values: cell.figures,
                });
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_the_same_whatever_their_tag() {
        for image in ["vllm/vllm-openai:v0.26", "vllm/vllm-openai@sha256:abc"] {
            assert_eq!(without_tag(image), "vllm/vllm-openai");
        }
        assert_eq!(without_tag("localhost:5000/a"), "localhost:5000/a");
    }
}
