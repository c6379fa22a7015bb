//! Setups: runs of equal facts and flags are measurements of one of them.

use std::collections::BTreeMap;

use super::fingerprint::Fingerprints;
use super::pool::Pool;
use super::subject::{Subject, age};
use crate::run::audit::Noise;

/// Runs whose facts and flags are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Places in the list of runs, at least one, the first measured first ([`super::in_order`]).
    pub runs: Vec<usize>,
}

impl Setup {
    /// The run that stands for it where only one can: the newest.
    pub fn newest(&self) -> usize {
        self.runs.last().copied().unwrap_or(0)
    }
}

/// The setups of a set of runs.
pub struct Setups<'a> {
    subjects: &'a [Subject<'a>],
    setups: Vec<Setup>,
    of_run: Vec<Option<usize>>,
    /// What each setup was measured on stands at its first run.
    pub(super) fingerprints: Fingerprints,
    /// Pools of the setups that have several runs.
    pools: BTreeMap<usize, Pool>,
    noise: Noise,
}

impl<'a> Setups<'a> {
    /// Finds the setups, the one measured first first, and pools those that have several runs.
    ///
    /// Equal are runs whose things ([`super::ThingKind`]) are equal in every fact and flag, in any
    /// spelling that a comparison takes for the same. What says nothing about speed is left out:
    /// date, author, tags, host, port, paths, secrets, names served. A fact that only one of two
    /// runs tells keeps them apart, since the other may differ in it. Runs that must not be ranked
    /// are of no setup.
    pub fn of(subjects: &'a [Subject<'a>], noise: &Noise) -> Self {
        let mut fingerprints = Fingerprints::of(subjects);
        let mut by_age: Vec<usize> = (0..subjects.len()).collect();
        by_age.retain(|i| subjects.get(*i).is_some_and(|s| s.run().ranked));
        by_age.sort_by_key(|i| subjects.get(*i).map(|s| age(s.run())));
        let mut setups: Vec<Setup> = Vec::new();
        let mut of_run = vec![None; subjects.len()];
        let mut by_print: BTreeMap<Vec<(usize, usize)>, usize> = BTreeMap::new();
        for run in by_age {
            let Some(print) = fingerprints.prints.get(run) else {
                continue;
            };
            let parts = print.parts.iter().map(|p| (p.key, p.text)).collect();
            let setup = *by_print.entry(parts).or_insert_with(|| {
                setups.push(Setup { runs: Vec::new() });
                setups.len() - 1
            });
            if let (Some(of_run), Some(setup_here)) = (of_run.get_mut(run), setups.get_mut(setup)) {
                *of_run = Some(setup);
                setup_here.runs.push(run);
            }
        }
        for setup in setups.iter().filter(|setup| setup.runs.len() > 1) {
            let hidden: Vec<_> = setup
                .runs
                .iter()
                .filter_map(|run| fingerprints.of_run.get(*run))
                .flat_map(|fingerprint| fingerprint.hidden.iter().cloned())
                .collect();
            let first = setup.runs.first();
            if let Some(first) = first.and_then(|run| fingerprints.of_run.get_mut(*run)) {
                first.hidden.extend(hidden);
            }
        }
        let pools = setups.iter().enumerate().filter_map(|(at, setup)| {
            let runs: Vec<&Subject> = setup.runs.iter().filter_map(|i| subjects.get(*i)).collect();
            (runs.len() > 1).then(|| (at, Pool::of(&runs, noise)))
        });
        Self {
            pools: pools.collect(),
            subjects,
            setups,
            of_run,
            fingerprints,
            noise: *noise,
        }
    }

    /// All setups.
    pub fn all(&self) -> &[Setup] {
        &self.setups
    }

    /// The runs that setups are made of.
    pub fn subjects(&self) -> &'a [Subject<'a>] {
        self.subjects
    }

    /// The setup that a run is a measurement of; `None` for a run that must not be ranked.
    pub fn setup_of(&self, run: usize) -> Option<usize> {
        self.of_run.get(run).copied().flatten()
    }

    /// What the runs of a setup say together; `None` for a setup of one run.
    pub fn pool(&self, setup: usize) -> Option<&Pool> {
        self.pools.get(&setup)
    }

    /// All pools, by setup.
    pub fn pools(&self) -> &BTreeMap<usize, Pool> {
        &self.pools
    }

    /// The noise bands of a setup: measured where it has several runs, else assumed.
    pub fn noise(&self, setup: usize) -> &Noise {
        self.pool(setup).map_or(&self.noise, |pool| &pool.noise)
    }

    /// The noise bands by which two setups are compared: of each, the wider one.
    pub fn noise_between(&self, a: usize, b: usize) -> Noise {
        let (a, b) = (self.noise(a), self.noise(b));
        Noise {
            tok_per_s: a.tok_per_s.max(b.tok_per_s),
            itl: a.itl.max(b.itl),
            ttft: a.ttft.max(b.ttft),
        }
    }

    /// The runs of a setup.
    pub(super) fn subjects_of(&self, setup: usize) -> Vec<&'a Subject<'a>> {
        let setup = self.setups.get(setup);
        let runs = setup.map_or(&[][..], |setup| setup.runs.as_slice());
        runs.iter().filter_map(|i| self.subjects.get(*i)).collect()
    }
}
