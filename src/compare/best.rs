//! Any number of runs side by side: the best one in each cell, and the facts in which they differ.

use std::collections::BTreeMap;

use super::metrics::DeltaMetric;
use super::pool::PooledFigure;
use super::ratio::{Side, ratio};
use super::setups::Setups;
use super::subject::Subject;
use super::union::Union;
use crate::run::audit::is_measured;
use crate::run::metric::Direction;
use crate::run::{Context, Fact, Figure, Measurement, Phase, Status};

/// What stands under one letter: a run, or all runs of one setup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// "A", "B" … "Z", "AA".
    pub letter: String,
    /// Its runs, by their places.
    pub runs: Vec<usize>,
    /// False where its runs must not be ranked: it is shown as "not ranked", and is never best.
    pub ranked: bool,
}

/// The letters of the first entry, the second, …: "A" … "Z", "AA", "AB" ….
pub fn letter(at: usize) -> String {
    let mut out = Vec::new();
    let mut rest = at + 1;
    while rest > 0 {
        rest -= 1;
        out.push(char::from(b'A' + u8::try_from(rest % 26).unwrap_or(0)));
        rest /= 26;
    }
    out.iter().rev().collect()
}

/// What an entry has in a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// The entry, by its place in [`Best::entries`].
    pub entry: usize,
    /// What became of the cell: that of all its runs, where they agree; else valid is the last
    /// thing that it is, so that a cell counts only where every run has it valid.
    pub status: Status,
    /// Its figure, the median over its runs; only of a valid or queued cell.
    pub figure: Option<Figure>,
}

/// Who is best in a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Winner {
    /// No ranked entry has a valid figure.
    None,
    /// Only one ranked entry has a valid figure.
    Only(usize),
    /// One is clearly better than the second.
    One {
        /// The entry.
        entry: usize,
        /// How much better than the second, as a factor of at least 1.
        lead: f64,
    },
    /// These are best, with no clear difference between the first and each of the others: inside
    /// the noise band, or their roundings may hide one number. In the order of their figures.
    Tie(Vec<usize>),
}

/// A cell of the matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct BestCell {
    /// Index of its context in [`Best::contexts`].
    pub row: usize,
    /// Simultaneous requests asked for.
    pub concurrency: u64,
    /// Who is best.
    pub winner: Winner,
    /// What each entry has that has the place, in the order of the entries.
    pub standings: Vec<Standing>,
}

impl BestCell {
    /// The entries that were over capacity there.
    pub fn over_capacity(&self) -> impl Iterator<Item = usize> {
        self.of_status(Status::OverCapacity)
    }

    /// The entries with this status there.
    pub fn of_status(&self, status: Status) -> impl Iterator<Item = usize> {
        let of = self.standings.iter().filter(move |s| s.status == status);
        of.map(|standing| standing.entry)
    }

    /// Whether an entry is best there, alone or in a tie.
    pub fn is_best(&self, entry: usize) -> bool {
        match &self.winner {
            Winner::None => false,
            Winner::Only(best) | Winner::One { entry: best, .. } => *best == entry,
            Winner::Tie(best) => best.contains(&entry),
        }
    }
}

/// The best entry in each cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// The metric.
    pub metric: DeltaMetric,
    /// The entries, in the order of the runs given.
    pub entries: Vec<Entry>,
    /// The contexts, in order.
    pub contexts: Vec<Context>,
    /// The numbers of simultaneous requests, in order.
    pub concurrencies: Vec<u64>,
    /// The places that at least one entry has, by context, then by number of requests.
    pub cells: Vec<BestCell>,
}

impl Best {
    /// The best of these runs in each cell. Runs of one setup are one entry, with the medians of
    /// their figures; only valid cells are ranked.
    ///
    /// The best is first by its figure. It has a lead where it is clearly better than the second:
    /// beyond the wider noise band of their two setups and their roundings, as in a comparison.
    pub fn of(setups: &Setups, runs: &[usize], phase: Phase, metric: DeltaMetric) -> Self {
        let subjects = setups.subjects();
        let mut entries: Vec<Entry> = Vec::new();
        let mut of_setup: BTreeMap<usize, usize> = BTreeMap::new();
        for run in runs {
            let setup = setups.setup_of(*run);
            let known = setup.and_then(|setup| of_setup.get(&setup).copied());
            match known.and_then(|at| entries.get_mut(at)) {
                Some(entry) if !entry.runs.contains(run) => entry.runs.push(*run),
                Some(_) => {}
                None => {
                    if let Some(setup) = setup {
                        of_setup.insert(setup, entries.len());
                    }
                    entries.push(Entry {
                        letter: letter(entries.len()),
                        runs: vec![*run],
                        ranked: setup.is_some(),
                    });
                }
            }
        }
        let all: Vec<(usize, &Subject)> = entries
            .iter()
            .enumerate()
            .flat_map(|(at, entry)| entry.runs.iter().map(move |run| (at, *run)))
            .filter_map(|(at, run)| Some((at, subjects.get(run)?)))
            .collect();
        let lists: Vec<&[Measurement]> = all.iter().map(|(_, s)| s.run().phase(phase)).collect();
        let anchors: Vec<Vec<String>> = all.iter().map(|(_, s)| s.run().anchors(phase)).collect();
        let union = Union::of(&lists);
        let bands: Vec<f64> = entries
            .iter()
            .map(|entry| {
                let setup = entry.runs.first().and_then(|run| setups.setup_of(*run));
                setup.map_or(0.0, |setup| metric.band(setups.noise(setup)))
            })
            .collect();
        let cells = union.places.iter().map(|((row, concurrency), at)| {
            let mut by_entry: BTreeMap<usize, Vec<(Status, Option<Figure>)>> = BTreeMap::new();
            let here = at.iter().zip(&all).zip(lists.iter().zip(&anchors));
            for ((at, (entry, subject)), (list, anchors)) in here {
                let Some(m) = at.and_then(|at| list.get(at)) else {
                    continue;
                };
                let cold = phase == Phase::Decode
                    && metric == DeltaMetric::Ttft
                    && at
                        .and_then(|at| anchors.get(at))
                        .is_some_and(|anchor| subject.cold().contains(anchor));
                let figure = metric.figure(m, subject.gpu_count());
                let found = (status(m), figure.filter(|_| is_measured(m) && !cold));
                by_entry.entry(*entry).or_default().push(found);
            }
            let standings: Vec<Standing> = by_entry
                .into_iter()
                .map(|(entry, here)| standing(entry, &here))
                .collect();
            BestCell {
                row: *row,
                concurrency: *concurrency,
                winner: winner(metric, &entries, &bands, &standings),
                standings,
            }
        });
        Self {
            metric,
            cells: cells.collect(),
            contexts: union.contexts,
            concurrencies: union.concurrencies,
            entries,
        }
    }

    /// In how many cells an entry is best alone, and in how many it shares the first place.
    pub fn wins(&self, entry: usize) -> (usize, usize) {
        let best = || self.cells.iter().filter(|cell| cell.is_best(entry));
        let tied = best().filter(|cell| matches!(cell.winner, Winner::Tie(_)));
        let tied = tied.count();
        (best().count() - tied, tied)
    }
}

fn status(m: &Measurement) -> Status {
    match m.status {
        Status::Valid | Status::Queued | Status::Other if !is_measured(m) => Status::NotMeasured,
        status => status,
    }
}

/// Of several runs of a setup the worst status counts.
fn standing(entry: usize, here: &[(Status, Option<Figure>)]) -> Standing {
    let order = |status: Status| match status {
        Status::Valid => 0,
        Status::NotMeasured => 1,
        Status::Other => 2,
        Status::Queued => 3,
        Status::Failed => 4,
        Status::OverCapacity => 5,
    };
    let worst = here.iter().map(|(status, _)| *status);
    let status = worst.max_by_key(|s| order(*s)).unwrap_or_default();
    let shown = matches!(status, Status::Valid | Status::Queued);
    let figures = here.iter().filter_map(|(_, figure)| *figure);
    Standing {
        entry,
        status,
        figure: PooledFigure::of(figures)
            .filter(|_| shown)
            .map(|pooled| pooled.median),
    }
}

fn winner(metric: DeltaMetric, entries: &[Entry], bands: &[f64], standings: &[Standing]) -> Winner {
    let direction = metric.metric().info().direction;
    let mut ranked: Vec<(usize, Figure)> = standings
        .iter()
        .filter(|s| s.status == Status::Valid)
        .filter(|s| entries.get(s.entry).is_some_and(|entry| entry.ranked))
        .filter_map(|s| Some((s.entry, s.figure?)))
        .filter(|(_, figure)| figure.value.is_finite() && figure.value > 0.0)
        .collect();
    ranked.sort_by(|(i, x), (j, y)| {
        let order = match direction {
            Direction::Lower => x.value.total_cmp(&y.value),
            Direction::Higher | Direction::Neutral => y.value.total_cmp(&x.value),
        };
        order.then(i.cmp(j))
    });
    let Some(((best, first), others)) = ranked.split_first() else {
        return Winner::None;
    };
    let band = |entry: usize| bands.get(entry).copied().unwrap_or(0.0);
    let compared = |(entry, figure): &(usize, Figure)| {
        let found = ratio(*figure, *first, band(*best).max(band(*entry)), direction);
        (*entry, found)
    };
    let Some(second) = others.first() else {
        return Winner::Only(*best);
    };
    // Beside the first stands whoever it is not clearly better than, wherever a wider band is.
    let tied: Vec<usize> = others
        .iter()
        .map(compared)
        .filter(|(_, found)| found.is_some_and(|r| r.difference.faster() != Some(Side::B)))
        .map(|(entry, _)| entry)
        .collect();
    if tied.is_empty() {
        let lead = match direction {
            Direction::Lower => second.1.value / first.value,
            Direction::Higher | Direction::Neutral => first.value / second.1.value,
        };
        return Winner::One { entry: *best, lead };
    }
    Winner::Tie(std::iter::once(*best).chain(tied).collect())
}

/// A fact or flag in which runs differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactColumn {
    /// Which fact; `None` for a flag.
    pub fact: Option<Fact>,
    /// Its name: "Version", `--max-num-seqs`.
    pub name: String,
    /// The value of each run, in the order given; `None` where a run does not tell it.
    pub values: Vec<Option<String>>,
}

/// What columns are sorted by: whether it is a flag, which fact, keys of part and item.
type Key<'a> = (bool, Option<Fact>, &'a str, &'a str);

/// The facts, then the flags, in which runs differ, in any spelling that is not taken for the
/// same; what only some of them tell is among them. Facts are in the order of the document, flags
/// by name.
pub fn differing(setups: &Setups, runs: &[usize]) -> Vec<FactColumn> {
    let all: Vec<_> = runs
        .iter()
        .map(|run| setups.fingerprints.of_run.get(*run))
        .collect();
    let mut columns: BTreeMap<Key, Vec<Option<(&str, &str)>>> = BTreeMap::new();
    let mut names: BTreeMap<(&str, &str), &str> = BTreeMap::new();
    for (at, fingerprint) in all.iter().enumerate() {
        let parts = fingerprint.iter().flat_map(|f| &f.parts);
        for (id, part) in parts.filter(|(_, part)| part.kind.is_some()) {
            for (key, item) in &part.items {
                names.entry((id, key)).or_insert(&item.name);
                let column = columns
                    .entry((item.fact.is_none(), item.fact, id, key))
                    .or_insert_with(|| vec![None; runs.len()]);
                if let Some(value) = column.get_mut(at) {
                    *value = Some((&item.value, &item.shown));
                }
            }
        }
    }
    columns
        .into_iter()
        .filter(|(_, values)| {
            let mut values = values.iter().map(|value| value.map(|(value, _)| value));
            let first = values.next();
            values.any(|value| Some(value) != first)
        })
        .map(|((_, fact, id, key), values)| FactColumn {
            fact,
            name: names.get(&(id, key)).map_or(key, |name| name).to_owned(),
            values: values
                .into_iter()
                .map(|value| value.map(|(_, shown)| shown.to_owned()))
                .collect(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_go_on_after_z() {
        let letters: Vec<String> = [0, 1, 25, 26, 27, 51, 52, 701, 702].map(letter).to_vec();
        assert_eq!(
            letters,
            ["A", "B", "Z", "AA", "AB", "AZ", "BA", "ZZ", "AAA"]
        );
    }
}
