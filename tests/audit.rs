//! The audit on real files, through the real importers. What must be found was worked out by hand
//! from the figures.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

use std::path::{Path, PathBuf};

use speedbook::import::{Outcome, import};
use speedbook::run::Run;
use speedbook::run::audit::{Finding, Noise, Rule, audit};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn read(path: &Path) -> Run {
    let name = path.file_name().unwrap().to_str().unwrap();
    match import(name, &fs_err::read(path).unwrap()) {
        Ok(Outcome::Run(imported)) => imported.run,
        other => panic!("{name}: {other:?}"),
    }
}

fn text(run: &str) -> Run {
    match import("report.txt", run.as_bytes()) {
        Ok(Outcome::Run(imported)) => imported.run,
        other => panic!("{other:?}"),
    }
}

fn report(name: &str) -> String {
    fs_err::read_to_string(root().join("content/runs").join(name)).unwrap()
}

const A: &str = "qwen3.5-397b-a17b-nvfp4-4x-h200-sxm.txt";
const B: &str = "qwen3.5-122b-a10b-gptq-int4-2x-h200-nvl.txt";

fn findings(run: &Run) -> Vec<Finding> {
    audit(run, &Noise::default())
}

fn of(found: &[Finding], rule: Rule) -> Option<&Finding> {
    found.iter().find(|f| f.rule == rule)
}

#[test]
fn the_first_report_has_a_cold_block_a_gap_and_noise() {
    let found = findings(&text(&report(A)));
    let rules: Vec<Rule> = found.iter().map(|f| f.rule).collect();
    assert_eq!(rules, [Rule::Cold, Rule::PerRequestGap, Rule::Noise]);
    assert_eq!(
        of(&found, Rule::Cold).unwrap().cells,
        [
            "c64k-n1", "c64k-n2", "c128k-n1", "c128k-n2", "c251k-n1", "c251k-n2"
        ]
    );
    let gap = of(&found, Rule::PerRequestGap).unwrap();
    assert_eq!(gap.cells.len(), 9);
    assert!(
        gap.sentence.contains("251K × 128") && gap.sentence.contains("2.34"),
        "{}",
        gap.sentence
    );
    let noise = of(&found, Rule::Noise).unwrap();
    assert_eq!(noise.cells, ["c64k-n1", "c64k-n128"]);
    assert!(
        noise.sentence.contains("from 32K to 64K"),
        "{}",
        noise.sentence
    );
}

#[test]
fn the_second_report_has_none_of_these() {
    assert_eq!(findings(&text(&report(B))), []);
}

/// Replaces in the matrix and in the table of all measurements alike.
fn change(text: &str, changes: &[(&str, &str)]) -> String {
    let mut out = text.to_owned();
    for (from, to) in changes {
        assert!(out.contains(from), "{from}");
        out = out.replace(from, to);
    }
    out
}

#[test]
fn a_warmed_block_is_not_cold() {
    // 64K with 1 and 2 requests get the TTFT that 4 requests have.
    let warm = change(
        &report(A),
        &[
            ("87.35,223 ms", "87.32,304 ms"),
            ("\t5,223 ms", "\t2,304 ms"),
            ("159.75,588 ms", "159.72,304 ms"),
            ("\t5,588 ms", "\t2,304 ms"),
        ],
    );
    let found = findings(&text(&warm));
    assert_eq!(
        of(&found, Rule::Cold).unwrap().cells,
        ["c128k-n1", "c128k-n2", "c251k-n1", "c251k-n2"]
    );
}

#[test]
fn a_cell_may_sink_below_the_gap() {
    // 8K × 128: 2,244.4 ÷ 124.7 ÷ 13.4 = 1.343; with 14.0 each it is 1.286.
    let changed = change(&report(A), &[("2,244.4\t13.4\t", "2,244.4\t14.0\t")]);
    let found = findings(&text(&changed));
    let gap = of(&found, Rule::PerRequestGap).unwrap();
    assert_eq!(gap.cells.len(), 8);
    assert!(!gap.cells.contains(&"c8k-n128".to_owned()));
}

#[test]
fn one_request_cannot_give_more_than_its_speed() {
    let run = read(&root().join("content/runs/gemma-3-270m/cpu-contradictory.json"));
    let found = findings(&run);
    let contradiction = of(&found, Rule::Contradiction).unwrap();
    assert!(contradiction.cells.contains(&"c0-n1".to_owned()));
    assert!(
        contradiction.sentence.contains("69.8 tok/s") && contradiction.sentence.contains("23.8"),
        "{}",
        contradiction.sentence
    );
    assert!(
        of(&found, Rule::ShortWindow)
            .unwrap()
            .sentence
            .contains("3.7 s")
    );
}

#[test]
fn implausible_prefill_rates_of_other_peoples_files_are_found() {
    let folder = std::env::var_os("SPEEDBOOK_SHARED_RUNS")
        .map_or_else(|| root().join("../shared/runs"), PathBuf::from);
    let path = folder.join("unversioned_llama-cpp_prefill-2121273.json");
    if !path.exists() {
        println!("not run: no {}", path.display());
        return;
    }
    let found = findings(&read(&path));
    let finding = of(&found, Rule::ImplausiblePrefill).unwrap();
    for rate in ["244,624", "2,121,273"] {
        assert!(finding.sentence.contains(rate), "{}", finding.sentence);
    }
}
