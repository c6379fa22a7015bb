//! Repetitions: the runs of one setup as one, and the noise that they show.

use std::f64::consts::SQRT_2;

use super::axes;
use super::metrics::DeltaMetric;
use super::ratio::Difference;
use super::ratio::ratio;
use super::subject::Subject;
use super::summary::Summary;
use super::union::Union;
use crate::run::audit::{Noise, is_measured};
use crate::run::{Context, Figure, Measurement, Phase, Status};

/// A figure of several runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PooledFigure {
    /// How many runs it is of.
    pub n: usize,
    /// The middle one; of an even number the mean of the two in the middle.
    pub median: Figure,
    /// The lowest one.
    pub lowest: Figure,
    /// The highest one.
    pub highest: Figure,
    /// (highest − lowest) ÷ median, as a share of 1; 0 where the median is 0.
    pub spread: f64,
}

impl PooledFigure {
    /// Pools figures; `None` where there is none that is a number.
    pub fn of(figures: impl IntoIterator<Item = Figure>) -> Option<Self> {
        let mut all: Vec<Figure> = figures
            .into_iter()
            .filter(|figure| figure.value.is_finite())
            .collect();
        all.sort_by(|x, y| x.value.total_cmp(&y.value));
        let (lowest, highest) = (*all.first()?, *all.last()?);
        let upper = *all.get(all.len() / 2)?;
        let median = match all.len().is_multiple_of(2) {
            false => upper,
            true => {
                let lower = *all.get(all.len() / 2 - 1)?;
                let step = match (lower.step, upper.step) {
                    (Some(a), Some(b)) => Some(a.max(b)),
                    (one, other) => one.or(other),
                };
                Figure {
                    value: lower.value + (upper.value - lower.value) / 2.0,
                    step,
                }
            }
        };
        let spread = (highest.value - lowest.value) / median.value;
        Some(Self {
            n: all.len(),
            median,
            lowest,
            highest,
            spread: if spread.is_finite() { spread } else { 0.0 },
        })
    }
}

/// A place of the matrix of a pool.
#[derive(Clone, Debug, PartialEq)]
pub struct PoolCell {
    /// Index of its context in [`PoolPhase::contexts`].
    pub row: usize,
    /// Simultaneous requests asked for.
    pub concurrency: u64,
    /// What became of it in each run, in the order of the runs; `None` where a run does not have
    /// the place.
    pub statuses: Vec<Option<Status>>,
    /// The figures over the runs in which the cell is valid, in the order of the page. TTFTs that
    /// include prefill (rule `cold` of the audit) are left out.
    pub figures: Vec<(DeltaMetric, PooledFigure)>,
}

impl PoolCell {
    /// In how many runs it is valid.
    pub fn valid(&self) -> usize {
        let valid = |status: &&Option<Status>| **status == Some(Status::Valid);
        self.statuses.iter().filter(valid).count()
    }

    /// Whether it is valid in every run that has the place: only then does it count as valid.
    pub fn is_valid(&self) -> bool {
        let mut there = self.statuses.iter().flatten().peekable();
        there.peek().is_some() && there.all(|status| *status == Status::Valid)
    }

    /// The pooled figure of a metric.
    pub fn figure(&self, metric: DeltaMetric) -> Option<PooledFigure> {
        let found = self.figures.iter().find(|(m, _)| *m == metric);
        found.map(|(_, figure)| *figure)
    }
}

/// One phase of a pool, on the union of the axes of its runs.
#[derive(Clone, Debug, PartialEq)]
pub struct PoolPhase {
    /// Which phase.
    pub phase: Phase,
    /// The contexts, in order.
    pub contexts: Vec<Context>,
    /// The numbers of simultaneous requests, in order.
    pub concurrencies: Vec<u64>,
    /// The places that at least one run has, by context, then by number of requests.
    pub cells: Vec<PoolCell>,
    /// How far the runs differ, for each metric that at least two runs have in one valid cell.
    pub deviations: Vec<Deviation>,
}

impl PoolPhase {
    /// Pools one phase.
    fn of(phase: Phase, subjects: &[&Subject], noise: &Noise) -> Self {
        let lists: Vec<&[Measurement]> = subjects.iter().map(|s| s.run().phase(phase)).collect();
        let anchors: Vec<Vec<String>> = subjects.iter().map(|s| s.run().anchors(phase)).collect();
        let union = Union::of(&lists);
        let metrics = DeltaMetric::of_phase(phase);
        let cells: Vec<PoolCell> = union
            .places
            .iter()
            .map(|((row, concurrency), at)| {
                let here: Vec<Option<&Measurement>> = at
                    .iter()
                    .zip(&lists)
                    .map(|(at, list)| at.and_then(|at| list.get(at)))
                    .collect();
                let cold: Vec<bool> = at
                    .iter()
                    .zip(subjects.iter().zip(&anchors))
                    .map(|(at, (subject, anchors))| {
                        let anchor = at.and_then(|at| anchors.get(at));
                        phase == Phase::Decode && anchor.is_some_and(|a| subject.cold().contains(a))
                    })
                    .collect();
                let pooled = |metric: &DeltaMetric| {
                    let figures = here.iter().zip(&cold).zip(subjects);
                    let figures = figures.filter_map(|((m, cold), subject)| {
                        let m = m.filter(|m| is_valid(m))?;
                        let doubted = *cold && *metric == DeltaMetric::Ttft;
                        metric.figure(m, subject.gpu_count()).filter(|_| !doubted)
                    });
                    Some((*metric, PooledFigure::of(figures)?))
                };
                PoolCell {
                    row: *row,
                    concurrency: *concurrency,
                    statuses: here.iter().map(|m| m.map(status)).collect(),
                    figures: metrics.iter().filter_map(pooled).collect(),
                }
            })
            .collect();
        let deviations = metrics
            .iter()
            .filter(|metric| **metric != DeltaMetric::TotalPerGpu)
            .filter_map(|metric| {
                let mut logarithms = Vec::new();
                for at in union.places.values() {
                    let cell = at.iter().zip(&lists).zip(subjects.iter().zip(&anchors));
                    let cell = cell.filter_map(|((at, list), (subject, anchors))| {
                        let m = list.get((*at)?).filter(|m| is_valid(m))?;
                        let anchor = at.and_then(|at| anchors.get(at))?;
                        let doubted = phase == Phase::Decode
                            && *metric == DeltaMetric::Ttft
                            && subject.cold().contains(anchor);
                        let value = metric.figure(m, None)?.value;
                        (value.is_normal() && value > 0.0 && !doubted).then(|| value.ln())
                    });
                    logarithms.push(cell.collect::<Vec<f64>>());
                }
                Deviation::of(*metric, metric.band(noise), &logarithms)
            })
            .collect();
        Self {
            phase,
            contexts: union.contexts,
            concurrencies: union.concurrencies,
            cells,
            deviations,
        }
    }
}

/// A status in the light of whether there is any figure.
fn status(m: &Measurement) -> Status {
    match m.status {
        Status::Valid | Status::Queued | Status::Other if !is_measured(m) => Status::NotMeasured,
        status => status,
    }
}

fn is_valid(m: &Measurement) -> bool {
    m.status == Status::Valid && is_measured(m)
}

/// How far the runs of one setup differ in one metric, and the noise band that follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deviation {
    /// Which metric.
    pub metric: DeltaMetric,
    /// Runs that it rests on: the most that one cell has.
    pub runs: usize,
    /// Cells that at least two runs have.
    pub cells: usize,
    /// Standard deviation of ln figure within cells, pooled over the cells.
    pub deviation: f64,
    /// The noise band ([`measured_band`]), as a share of 1.
    pub band: f64,
}

impl Deviation {
    /// `cells`: the logarithms of the figures of each cell. `None` where no cell has two.
    fn of(metric: DeltaMetric, assumed: f64, cells: &[Vec<f64>]) -> Option<Self> {
        let (mut squares, mut freedom, mut runs, mut used) = (0.0, 0, 0, 0);
        for cell in cells.iter().filter(|cell| cell.len() > 1) {
            let mean = cell.iter().sum::<f64>() / cell.len() as f64;
            squares += cell.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
            freedom += cell.len() - 1;
            runs = runs.max(cell.len());
            used += 1;
        }
        if freedom == 0 {
            return None;
        }
        let deviation = (squares / freedom as f64).sqrt();
        Some(Self {
            metric,
            runs,
            cells: used,
            deviation,
            band: measured_band(assumed, deviation, runs),
        })
    }
}

/// How many degrees of freedom the assumed band counts for.
pub const ASSUMED_FREEDOM: usize = 4;

/// The noise band that runs of one setup show, as a share of 1.
///
/// `assumed` is the band without repetitions, `deviation` the standard deviation of ln figure
/// between `runs` runs. The band holds 95 % of the differences between two single runs:
///
/// s₀ = ln(1 + assumed) ÷ (1.96 √2), s² = (4 s₀² + (n − 1) s²ₘ) ÷ (4 + n − 1),
/// band = exp(t · √2 · s) − 1, with the 97.5 % quantile t of Student's distribution for 4 + n − 1
/// degrees of freedom.
///
/// The variance measured is moderated by the assumed one as in Smyth, "Linear models and empirical
/// Bayes methods" (2004), doi 10.2202/1544-6115.1027: two or three runs that happen to agree never
/// make the band narrower than the assumed one. Cells of one run are slow or fast together, so
/// runs count and not cells.
pub fn measured_band(assumed: f64, deviation: f64, runs: usize) -> f64 {
    let measured = runs.saturating_sub(1);
    let of_assumed = assumed.max(0.0).ln_1p() / (NORMAL_975 * SQRT_2);
    let freedom = ASSUMED_FREEDOM + measured;
    let squares = ASSUMED_FREEDOM as f64 * of_assumed.powi(2) + measured as f64 * deviation.powi(2);
    let moderated = (squares / freedom as f64).sqrt();
    (student_975(freedom) * SQRT_2 * moderated).exp_m1()
}

/// The 97.5 % quantile of the normal distribution.
const NORMAL_975: f64 = 1.959_964;

/// The 97.5 % quantile of Student's distribution, for at least 5 degrees of freedom; that of 30
/// stays for more, which is a little too wide.
fn student_975(freedom: usize) -> f64 {
    const FROM_5: [f64; 26] = [
        2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110,
        2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
    ];
    let at = freedom.saturating_sub(5).min(FROM_5.len() - 1);
    FROM_5.get(at).copied().unwrap_or(2.571)
}

/// The runs of one setup as one.
#[derive(Clone, Debug, PartialEq)]
pub struct Pool {
    /// How many runs there are.
    pub runs: usize,
    /// Sustained decode.
    pub decode: PoolPhase,
    /// Bursts.
    pub burst: PoolPhase,
    /// Prefill, by context.
    pub prefill: PoolPhase,
    /// The bands that replace the assumed ones: for rates the widest of those measured for total
    /// tok/s, tok/s per request and prompt tok/s, for TTFT the wider one of decode and prefill. A
    /// band of which nothing was measured twice stays as assumed.
    pub noise: Noise,
}

impl Pool {
    /// Pools runs. Bursts follow other laws and say nothing about the bands, unless there is
    /// nothing else.
    pub fn of(subjects: &[&Subject], noise: &Noise) -> Self {
        let phase = |phase| PoolPhase::of(phase, subjects, noise);
        let (decode, burst, prefill) = (
            phase(Phase::Decode),
            phase(Phase::Burst),
            phase(Phase::Prefill),
        );
        let told = [&decode, &prefill];
        let phases: &[&PoolPhase] = match told.iter().all(|phase| phase.deviations.is_empty()) {
            true => &[&burst],
            false => &told,
        };
        let widest = |metrics: &[DeltaMetric], assumed: f64| {
            let deviations = phases.iter().flat_map(|phase| &phase.deviations);
            let of_these = deviations.filter(|d| metrics.contains(&d.metric));
            of_these.map(|d| d.band).reduce(f64::max).unwrap_or(assumed)
        };
        let noise = Noise {
            tok_per_s: widest(
                &[
                    DeltaMetric::Total,
                    DeltaMetric::PerRequest,
                    DeltaMetric::Prefill,
                ],
                noise.tok_per_s,
            ),
            itl: widest(&[DeltaMetric::Itl], noise.itl),
            ttft: widest(&[DeltaMetric::Ttft], noise.ttft),
        };
        Self {
            runs: subjects.len(),
            decode,
            burst,
            prefill,
            noise,
        }
    }

    /// One phase.
    pub fn phase(&self, phase: Phase) -> &PoolPhase {
        match phase {
            Phase::Decode => &self.decode,
            Phase::Burst => &self.burst,
            Phase::Prefill => &self.prefill,
        }
    }
}

/// Total tok/s of the valid cells of one or several runs of a setup: the medians of the cells that
/// are valid in every run that has them.
pub(super) struct Matrix {
    contexts: Vec<Context>,
    /// By row and concurrency.
    cells: std::collections::BTreeMap<(usize, u64), Figure>,
}

impl Matrix {
    pub(super) fn of(subjects: &[&Subject]) -> Self {
        let lists: Vec<&[Measurement]> =
            subjects.iter().map(|s| s.run().decode.as_slice()).collect();
        let union = Union::of(&lists);
        let cells = union.places.iter().filter_map(|(place, at)| {
            let here = at.iter().zip(&lists);
            let here: Vec<&Measurement> = here.filter_map(|(at, list)| list.get((*at)?)).collect();
            let figures = here
                .iter()
                .filter_map(|m| DeltaMetric::Total.figure(m, None));
            let all = here.iter().all(|m| is_valid(m));
            let pooled = PooledFigure::of(figures).filter(|_| all)?;
            Some((*place, pooled.median))
        });
        Self {
            cells: cells.collect(),
            contexts: union.contexts,
        }
    }

    /// What the ratios B ÷ A of total tok/s over all shared valid cells say together.
    pub(super) fn against(&self, b: &Matrix, band: f64) -> Summary {
        Summary::of(&self.ratios(b, band))
    }

    /// The ratios B ÷ A of total tok/s over all shared valid cells, with their logarithms.
    pub(super) fn ratios(&self, b: &Matrix, band: f64) -> Vec<(f64, f64, Difference)> {
        let direction = DeltaMetric::Total.metric().info().direction;
        let rows: Vec<Option<usize>> = if self.contexts == b.contexts {
            (0..self.contexts.len()).map(Some).collect()
        } else {
            let of = |m: &Matrix| m.contexts.clone();
            let (of_a, of_b) = (of(self), of(b));
            let (of_a, of_b): (Vec<&Context>, Vec<&Context>) =
                (of_a.iter().collect(), of_b.iter().collect());
            let mut partner = vec![None; self.contexts.len()];
            for row in axes::rows(&of_a, &of_b) {
                if let Some(entry) = row.a.and_then(|a| partner.get_mut(a)) {
                    *entry = row.b;
                }
            }
            partner
        };
        self.cells
            .iter()
            .filter_map(|((row, concurrency), figure)| {
                let other = rows.get(*row).copied().flatten()?;
                let other = b.cells.get(&(other, *concurrency))?;
                let found = ratio(*figure, *other, band, direction)?;
                Some((found.value, found.ln, found.difference))
            })
            .collect()
    }
}
