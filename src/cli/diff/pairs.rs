//! The runs of two folders, paired by their facts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::cli::Failure;
use crate::config::Ignore;
use crate::run::{Fact, Run};

/// A run of a folder.
pub(super) struct Found {
    /// Its file, below the folder.
    pub(super) file: PathBuf,
    pub(super) run: Run,
}

impl Found {
    /// "Qwen on 4 × H200 (before)": title and slug.
    pub(super) fn name(&self) -> String {
        format!("{} ({})", self.run.title(), self.run.slug)
    }
}

/// Which runs are compared, and which have no partner; places in the two lists.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Pairing {
    pub(super) pairs: Vec<(usize, usize)>,
    pub(super) only_a: Vec<usize>,
    pub(super) only_b: Vec<usize>,
}

/// Files below a folder that may be runs, in order, without what site.toml leaves out and without
/// hidden ones.
pub(super) fn run_files(folder: &Path, ignore: &Ignore) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    let hidden = |entry: &walkdir::DirEntry| {
        entry.depth() > 0 && entry.file_name().to_string_lossy().starts_with('.')
    };
    let walk = walkdir::WalkDir::new(folder)
        .follow_links(true)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| !hidden(entry));
    for entry in walk {
        let entry = entry?;
        let Ok(below) = entry.path().strip_prefix(folder) else {
            continue;
        };
        let name = below.to_string_lossy().replace('\\', "/");
        let lower = name.to_ascii_lowercase();
        let may_be = [".json", ".json.gz", ".txt"]
            .iter()
            .any(|end| lower.ends_with(end));
        if entry.file_type().is_file() && may_be && !ignore.matches(&name) {
            files.push(below.to_owned());
        }
    }
    Ok(files)
}

/// Facts that must be equal: what was measured on what, and how; not which version of the engine
/// and the tool, nor when and by whom.
const EQUAL: &[Fact] = &[
    Fact::ModelName,
    Fact::ModelId,
    Fact::HardwareType,
    Fact::Gpu,
    Fact::GpuCount,
    Fact::VramGbPerGpu,
    Fact::VramGb,
    Fact::Cpu,
    Fact::RamGb,
    Fact::EngineName,
    Fact::Quantization,
    Fact::Backend,
    Fact::DecodeTest,
    Fact::SecondsPerMeasurement,
    Fact::RequestsPerMeasurement,
    Fact::MaxOutputTokens,
    Fact::Temperature,
];

/// The facts that must be equal, as texts.
fn key(run: &Run) -> Vec<Option<String>> {
    let text = |fact: &Fact| {
        let value = run.facts.get(*fact)?.to_string();
        Some(value.trim().to_lowercase())
    };
    EQUAL.iter().map(text).collect()
}

/// Pairs the runs of two folders:
///
/// 1. of runs with equal facts, those whose files have one path in both folders;
/// 2. then, where one run of a set of facts is left on each side, these two;
/// 3. then those whose files have one path and whose facts do not contradict each other (one may
///    tell what the other does not).
///
/// What is left has no partner.
pub(super) fn pair(a: &[Found], b: &[Found]) -> Pairing {
    let keys = |runs: &[Found]| -> Vec<Vec<Option<String>>> {
        runs.iter().map(|found| key(&found.run)).collect()
    };
    let (keys_a, keys_b) = (keys(a), keys(b));
    let by_file: BTreeMap<&PathBuf, usize> =
        b.iter().enumerate().map(|(j, f)| (&f.file, j)).collect();
    let mut partner: Vec<Option<usize>> = vec![None; a.len()];
    let mut taken = vec![false; b.len()];
    let mut join = |partner: &mut Vec<Option<usize>>, i: usize, j: usize| {
        if let (Some(of_a), Some(of_b)) = (partner.get_mut(i), taken.get_mut(j))
            && of_a.is_none()
            && !*of_b
        {
            *of_a = Some(j);
            *of_b = true;
        }
    };
    let same_file = |i: usize| a.get(i).and_then(|f| by_file.get(&f.file)).copied();
    for (i, key) in keys_a.iter().enumerate() {
        if let Some(j) = same_file(i)
            && keys_b.get(j) == Some(key)
        {
            join(&mut partner, i, j);
        }
    }
    let left = |keys: &[Vec<Option<String>>], free: &dyn Fn(usize) -> bool| {
        let mut sets: BTreeMap<Vec<Option<String>>, Vec<usize>> = BTreeMap::new();
        for (i, key) in keys.iter().enumerate().filter(|(i, _)| free(*i)) {
            sets.entry(key.clone()).or_default().push(i);
        }
        sets
    };
    let used: std::collections::BTreeSet<usize> = partner.iter().flatten().copied().collect();
    let left_a = left(&keys_a, &|i| partner.get(i) == Some(&None));
    let left_b = left(&keys_b, &|j| !used.contains(&j));
    for (key, of_a) in &left_a {
        if let ([i], Some([j])) = (of_a.as_slice(), left_b.get(key).map(Vec::as_slice)) {
            join(&mut partner, *i, *j);
        }
    }
    for (i, key) in keys_a.iter().enumerate() {
        let Some(j) = same_file(i) else { continue };
        let agrees = keys_b.get(j).is_some_and(|other| {
            let mut both = key.iter().zip(other);
            both.all(|(a, b)| a.is_none() || b.is_none() || a == b)
        });
        if agrees {
            join(&mut partner, i, j);
        }
    }
    let mut pairing = Pairing::default();
    for (i, of_a) in partner.iter().enumerate() {
        match of_a {
            Some(j) => pairing.pairs.push((i, *j)),
            None => pairing.only_a.push(i),
        }
    }
    pairing.only_b = (0..b.len())
        .filter(|j| taken.get(*j) == Some(&false))
        .collect();
    pairing
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::FactValue;

    fn found(file: &str, gpu: &str, count: Option<u64>) -> Found {
        let mut run = Run::new();
        run.facts.set_text(Fact::Gpu, gpu);
        if let Some(count) = count {
            run.facts.set(Fact::GpuCount, FactValue::Count(count));
        }
        Found {
            file: PathBuf::from(file),
            run,
        }
    }

    #[test]
    fn runs_are_paired_by_their_facts_and_the_rest_is_told() {
        let a = [
            found("x.json", "H100", Some(2)),
            found("y.json", "H200", Some(2)),
            found("z.json", "B200", Some(1)),
            found("one.json", "L40", Some(1)),
            found("two.json", "L40", Some(1)),
        ];
        let b = [
            found("renamed.json", "h200", Some(2)),
            found("x.json", "H100", None),
            found("z.json", "B300", Some(1)),
            found("three.json", "L40", Some(1)),
            found("two.json", "L40", Some(1)),
        ];
        let pairing = pair(&a, &b);
        // x: one path, the count is told by one; y: equal facts; two: one path; then one and three
        // are what is left of their facts. B200 and B300 contradict each other.
        assert_eq!(pairing.pairs, [(0, 1), (1, 0), (3, 3), (4, 4)]);
        assert_eq!((pairing.only_a, pairing.only_b), (vec![2], vec![2]));
    }

    #[test]
    fn where_several_could_be_meant_none_is() {
        let a = [found("a.json", "L40", None), found("b.json", "L40", None)];
        let b = [found("c.json", "L40", None)];
        let pairing = pair(&a, &b);
        assert_eq!(pairing.pairs, []);
        assert_eq!((pairing.only_a, pairing.only_b), (vec![0, 1], vec![0]));
    }
}
