//! Which runs are compared without being asked for: each with its nearest others.
//!
//! Not each with each: runs are put into buckets by what they say of most things, so that the work
//! grows with the number of runs.

use std::collections::{BTreeMap, BTreeSet};

use super::subject::{Subject, age};
use super::things::{ThingKind, parts};
use crate::run::Fact;
use crate::run::time::MeasuredAt;

/// The things that buckets are made of; everything else is one more.
const OWN: [ThingKind; 7] = [
    ThingKind::Model,
    ThingKind::Gpu,
    ThingKind::GpuCount,
    ThingKind::Quantization,
    ThingKind::Engine,
    ThingKind::Speculative,
    ThingKind::Tool,
];

/// How many places [`OWN`] and the rest are.
const PLACES: usize = OWN.len() + 1;

/// Which places the runs of a bucket have in common, as bits: all; all but one; then model and
/// GPU, model and engine, model, GPU and engine, GPU, nothing.
fn masks() -> Vec<u16> {
    let all = (1_u16 << PLACES) - 1;
    let mut masks = vec![all];
    masks.extend((0..PLACES).map(|place| all & !(1 << place)));
    let (model, gpu, engine) = (1, 1 << 1, 1 << 4);
    masks.extend([model | gpu, model | engine, model, gpu | engine, gpu, 0]);
    masks
}

/// What is compared of a run.
struct Print {
    /// Numbers that stand for the texts of the things, by thing; equal numbers, equal texts.
    things: Vec<(usize, usize)>,
    /// The same by place of [`OWN`], the rest last.
    places: [usize; PLACES],
    /// Seconds since 1970, where it has a date.
    date: Option<i64>,
}

/// Pairs of runs to compare, as places in `subjects`, each pair once and in the order A, B of
/// [`super::in_order`]: for each run the `count` others that differ from it in the fewest things,
/// of equally near ones those measured nearest in time, then by slug. What one run does not tell
/// counts as a difference here.
///
/// There are at most `count` pairs a run. Runs are looked for among those that share a bucket, a
/// fixed number of them for each run, so the time is that of sorting.
pub fn nearest(subjects: &[Subject], count: usize) -> Vec<(usize, usize)> {
    let count = count.min(subjects.len());
    if count == 0 {
        return Vec::new();
    }
    let prints = prints(subjects);
    // Places in the order of age: neighbours in a bucket are neighbours in time.
    let mut by_age: Vec<usize> = (0..subjects.len()).collect();
    by_age.sort_by_key(|i| subjects.get(*i).map(|s| age(s.run())));
    let mut rank = vec![0; subjects.len()];
    for (at, i) in by_age.iter().enumerate() {
        if let Some(rank) = rank.get_mut(*i) {
            *rank = at;
        }
    }
    let mut candidates: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); subjects.len()];
    for mask in masks() {
        let mut buckets: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
        for i in &by_age {
            let Some(print) = prints.get(*i) else {
                continue;
            };
            let key = print.places.iter().enumerate();
            let key = key.filter(|(at, _)| mask & (1 << at) != 0);
            let key = key.map(|(_, number)| *number).collect();
            buckets.entry(key).or_default().push(*i);
        }
        for bucket in buckets.values() {
            for (at, i) in bucket.iter().enumerate() {
                let near = bucket
                    .iter()
                    .skip(at.saturating_sub(count))
                    .take(2 * count + 1);
                if let Some(candidates) = candidates.get_mut(*i) {
                    candidates.extend(near.copied().filter(|j| j != i));
                }
            }
        }
    }
    let mut pairs = BTreeSet::new();
    for (i, candidates) in candidates.iter().enumerate() {
        let Some(own) = prints.get(i) else { continue };
        let mut near: Vec<(usize, u64, usize, usize)> = candidates
            .iter()
            .filter_map(|j| {
                let other = prints.get(*j)?;
                let apart = match (own.date, other.date) {
                    (Some(a), Some(b)) => a.abs_diff(b),
                    _ => u64::MAX,
                };
                let rank = rank.get(*j).copied()?;
                Some((differ(&own.things, &other.things), apart, rank, *j))
            })
            .collect();
        near.sort_unstable();
        let own_rank = rank.get(i).copied().unwrap_or(0);
        for (.., of_j, j) in near.into_iter().take(count) {
            pairs.insert(if own_rank < of_j { (i, j) } else { (j, i) });
        }
    }
    pairs.into_iter().collect()
}

fn prints(subjects: &[Subject]) -> Vec<Print> {
    let mut kinds: BTreeMap<ThingKind, usize> = BTreeMap::new();
    let mut texts: BTreeMap<String, usize> = BTreeMap::new();
    let mut number = |text: String| {
        let next = texts.len() + 1;
        *texts.entry(text).or_insert(next)
    };
    subjects
        .iter()
        .map(|subject| {
            let facts = &subject.run().facts;
            let mut rest = String::new();
            let mut places = [0; PLACES];
            let mut things = Vec::new();
            for (kind, text) in parts(facts, subject.launch()) {
                let place = OWN.iter().position(|own| *own == kind);
                let next = kinds.len();
                let of_kind = *kinds.entry(kind).or_insert(next);
                if place.is_none() {
                    rest.push_str(&format!("{of_kind}:{text}"));
                }
                let text = number(text);
                if let Some(place) = place.and_then(|place| places.get_mut(place)) {
                    *place = text;
                }
                things.push((of_kind, text));
            }
            if let Some(last) = places.last_mut() {
                *last = number(rest);
            }
            things.sort_unstable();
            let measured = facts.text(Fact::MeasuredAt);
            Print {
                things,
                places,
                date: measured
                    .and_then(|text| MeasuredAt::parse(text).ok())
                    .map(MeasuredAt::sort_key),
            }
        })
        .collect()
}

/// In how many things two sorted lists differ.
fn differ(a: &[(usize, usize)], b: &[(usize, usize)]) -> usize {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    let mut n = 0;
    loop {
        match (a.peek(), b.peek()) {
            (Some((x, of_a)), Some((y, of_b))) => {
                n += usize::from(x != y || of_a != of_b);
                if x <= y {
                    a.next();
                }
                if y <= x {
                    b.next();
                }
            }
            (Some(_), None) => {
                n += 1;
                a.next();
            }
            (None, Some(_)) => {
                n += 1;
                b.next();
            }
            (None, None) => return n,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{FactValue, Run};

    fn run(slug: &str, date: &str, facts: &[(Fact, &str)]) -> Run {
        let mut run = Run::new();
        run.slug = slug.to_owned();
        run.facts.set_text(Fact::MeasuredAt, date);
        for (fact, value) in facts {
            run.facts.set_text(*fact, value);
        }
        run
    }

    fn pairs(runs: &[Run], count: usize) -> Vec<String> {
        let subjects: Vec<Subject> = runs.iter().map(Subject::of).collect();
        let slug = |i: usize| runs[i].slug.as_str();
        nearest(&subjects, count)
            .into_iter()
            .map(|(i, j)| format!("{} {}", slug(i), slug(j)))
            .collect()
    }

    #[test]
    fn the_fewest_things_come_first_then_the_date() {
        let engine = |version| (Fact::EngineVersion, version);
        let runs = [
            run("a", "2026-01-01", &[engine("1"), (Fact::Gpu, "H100")]),
            run("b", "2026-01-09", &[engine("1"), (Fact::Gpu, "H100")]),
            run("c", "2026-01-02", &[engine("2"), (Fact::Gpu, "H100")]),
            run("d", "2026-01-03", &[engine("1"), (Fact::Gpu, "H100")]),
            run("e", "2026-01-02", &[engine("3"), (Fact::Gpu, "H200")]),
        ];
        // a and b differ in nothing from d, which is nearer to both in time; c differs in one
        // thing from all of them, and a is its nearest in time; e differs in two from all, and c
        // is measured on the same day.
        assert_eq!(pairs(&runs, 1), ["a c", "a d", "c e", "d b"]);
        assert_eq!(pairs(&runs, 0), [""; 0]);
        assert_eq!(pairs(&runs[..1], 3), [""; 0]);
    }

    #[test]
    fn a_run_without_a_date_comes_after_those_with_one() {
        let runs = [run("a", "", &[]), run("b", "2026-01-01", &[])];
        assert_eq!(pairs(&runs, 3), ["b a"]);
    }

    #[test]
    fn ten_thousand_runs_take_no_time() {
        let mut runs = Vec::new();
        for i in 0..10_000_u64 {
            let mut run = Run::new();
            run.slug = format!("r{i}");
            run.facts
                .set_text(Fact::ModelName, format!("model {}", i % 50));
            run.facts.set_text(Fact::Gpu, format!("gpu {}", i % 7));
            run.facts
                .set_text(Fact::EngineVersion, format!("{}", i % 11));
            run.facts.set(Fact::GpuCount, FactValue::Count(i % 3 + 1));
            let date = format!("2026-{:02}-{:02}", i % 12 + 1, i % 28 + 1);
            run.facts.set_text(Fact::MeasuredAt, date);
            runs.push(run);
        }
        let subjects: Vec<Subject> = runs.iter().map(Subject::of).collect();
        let start = std::time::Instant::now();
        let pairs = nearest(&subjects, 3);
        assert!(pairs.len() <= 30_000 && pairs.len() >= 15_000);
        // Each with each would be 50,000,000 comparisons; the limit is wide for slow machines.
        assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
        let mut sides: Vec<usize> = pairs.iter().flat_map(|(i, j)| [*i, *j]).collect();
        sides.sort_unstable();
        sides.dedup();
        assert_eq!(sides.len(), 10_000, "every run has a neighbour");
    }
}
