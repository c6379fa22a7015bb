//! Every run file that is shared among the developers comes out as its index expects.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;
use speedbook::import::{Outcome, import};
use speedbook::run::{Fact, Metric, Run};

/// `SPEEDBOOK_SHARED_RUNS`, else `../shared/runs` beside the repository.
fn folder() -> Option<PathBuf> {
    let folder = match std::env::var_os("SPEEDBOOK_SHARED_RUNS") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/runs"),
    };
    folder.join("index.json").is_file().then_some(folder)
}

fn outcome(folder: &std::path::Path, file: &str) -> Result<Outcome, String> {
    let bytes = fs_err::read(folder.join(file)).map_err(|e| e.to_string())?;
    import(file, &bytes).map_err(|problems| {
        let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
        lines.join("\n")
    })
}

fn counts(run: &Run) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for cell in &run.decode {
        *counts.entry(cell.status.key().to_owned()).or_insert(0) += 1;
    }
    counts
}

/// What is wrong with the outcome of one file; `None` where it is as expected.
fn disagreement(expected: &Value, outcome: &Result<Outcome, String>) -> Option<String> {
    match (expected, outcome) {
        (Value::Object(expected), Ok(Outcome::Run(imported))) => {
            let expected: BTreeMap<String, u64> = expected
                .iter()
                .map(|(status, n)| (status.clone(), n.as_u64().unwrap()))
                .collect();
            let counts = counts(&imported.run);
            (counts != expected).then(|| format!("{counts:?} in place of {expected:?}"))
        }
        (Value::String(words), Ok(Outcome::LeftAlone(_))) if words.starts_with("left alone") => {
            None
        }
        (Value::String(words), Ok(Outcome::Run(_))) if words.starts_with("builds") => None,
        (expected, Ok(Outcome::Run(_))) => Some(format!("a run in place of {expected}")),
        (expected, Ok(Outcome::LeftAlone(why))) => Some(format!("{why} in place of {expected}")),
        (expected, Err(problems)) => Some(format!("{problems}\nin place of {expected}")),
    }
}

#[test]
fn all_come_out_as_their_index_expects() {
    let Some(folder) = folder() else {
        println!("not run: no ../shared/runs");
        return;
    };
    let index = fs_err::read_to_string(folder.join("index.json")).unwrap();
    let index: Value = serde_json::from_str(&index).unwrap();
    let files = index["files"].as_array().unwrap();
    let mut wrong = Vec::new();
    for entry in files {
        let file = entry["file"].as_str().unwrap();
        if let Some(what) = disagreement(&entry["expect"], &outcome(&folder, file)) {
            wrong.push(format!("{file}: {what}"));
        }
    }
    let (all, good) = (files.len(), files.len() - wrong.len());
    println!("{good} of {all} files in ../shared/runs came out as its index expects");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn run(file: &str) -> Option<Run> {
    match outcome(&folder()?, file).unwrap() {
        Outcome::Run(imported) => Some(imported.run),
        Outcome::LeftAlone(why) => panic!("{why}"),
    }
}

#[test]
fn prefill_rates_that_cannot_be_true_are_kept_for_the_audit() {
    let Some(run) = run("unversioned_llama-cpp_prefill-2121273.json") else {
        return;
    };
    let rates: Vec<f64> = run
        .prefill
        .iter()
        .filter_map(|p| p.value(Metric::PrefillTokPerS))
        .collect();
    assert!(
        rates.contains(&244_624.0) && rates.contains(&2_121_273.0),
        "{rates:?}"
    );
}

#[test]
fn zeros_of_a_server_without_metrics_are_no_figures() {
    let Some(run) = run("measured_gemma-3-270m_cpu_contradictory.json") else {
        return;
    };
    assert_eq!(run.facts.text(Fact::EngineName), None);
    for cell in &run.decode {
        assert_eq!(cell.get(Metric::ActiveRequests), None);
        assert_eq!(cell.get(Metric::QueueShare), None);
        assert!(cell.get(Metric::PerRequestTokPerS).is_some());
    }
    let alone = run
        .decode
        .iter()
        .filter(|c| c.concurrency == 1)
        .filter_map(|c| {
            Some((
                c.value(Metric::TotalTokPerS)?,
                c.value(Metric::PerRequestTokPerS)?,
            ))
        });
    assert!(
        alone
            .into_iter()
            .any(|(total, each)| (total * 10.0).round() == 698.0 && (each * 10.0).round() == 238.0),
        "the contradiction of 69.8 and 23.8 tok/s"
    );
}
