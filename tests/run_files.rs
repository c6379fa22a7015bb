//! Whole files of the tools: statuses by cell, and figures to the last digit.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

use speedbook::diagnostic::Code;
use speedbook::import::{Imported, Outcome, import};
use speedbook::run::{Fact, Figure, Measurement, Metric, Status};

fn outcome(file: &str) -> Outcome {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/runs");
    let bytes = fs_err::read(format!("{folder}/{file}")).unwrap();
    import(file, &bytes).unwrap_or_else(|problems| panic!("{file}: {problems:#?}"))
}

fn imported(file: &str) -> Imported {
    match outcome(file) {
        Outcome::Run(imported) => *imported,
        Outcome::LeftAlone(why) => panic!("{why}"),
    }
}

/// How many cells have each status: valid, queued, over capacity, failed, not measured.
fn statuses(cells: &[Measurement]) -> [usize; 5] {
    [
        Status::Valid,
        Status::Queued,
        Status::OverCapacity,
        Status::Failed,
        Status::NotMeasured,
    ]
    .map(|status| cells.iter().filter(|cell| cell.status == status).count())
}

fn at(cells: &[Measurement], tokens: u64, concurrency: u64) -> &Measurement {
    cells
        .iter()
        .find(|c| c.context.tokens == Some(tokens) && c.concurrency == concurrency)
        .unwrap()
}

#[test]
fn every_generation_has_its_statuses() {
    for (file, expected) in [
        (
            "unversioned_2026-03-13_engine-vllm_14fields_zero-cells.json",
            [2, 0, 0, 0, 4],
        ),
        ("v0.3.0_matrix_queued.json", [4, 2, 0, 0, 0]),
        (
            "v0.4.29plus_matrix_burst_queued_error_over-capacity.json",
            [9, 2, 4, 1, 0],
        ),
        ("v0.4.29plus_request-count-mode.json", [4, 0, 0, 0, 0]),
        ("v0.4.29plus_prefill-only.json", [0; 5]),
        ("v0.6.2_loop-and-failure-cells.json", [1, 0, 0, 2, 1]),
        ("lil-bench-result-1_skeleton.json", [1, 0, 1, 0, 0]),
        ("lil-bench-result-1_skeleton.json.gz", [1, 0, 1, 0, 0]),
        (
            "measured_gemma-3-270m_cpu_contradictory.json",
            [9, 0, 0, 0, 0],
        ),
    ] {
        let imported = imported(file);
        assert_eq!(statuses(&imported.run.decode), expected, "{file}");
        assert_eq!(imported.warnings, [], "{file}");
    }
}

#[test]
fn files_that_are_no_runs_are_left_alone() {
    for (file, words) in [
        ("p2pmark_only.json", "is a test of the links between GPUs"),
        (
            "v0.4.29plus_completion-stats_hotel-lights.json",
            "is a completion and accuracy report",
        ),
    ] {
        match outcome(file) {
            Outcome::LeftAlone(warning) => {
                assert_eq!(warning.code, Code::LeftAlone);
                assert!(warning.message.starts_with(words), "{warning}");
            }
            Outcome::Run(run) => panic!("{run:?}"),
        }
    }
}

#[test]
fn a_cell_holds_what_the_file_holds() {
    let run = imported("v0.4.29plus_matrix_burst_queued_error_over-capacity.json").run;
    let queued = at(&run.decode, 8192, 8);
    assert_eq!(queued.status, Status::Queued);
    assert_eq!(
        queued.reason.as_deref(),
        Some("the warm-up timed out with running_reqs=4/8")
    );
    for (metric, value) in [
        (Metric::TotalTokPerS, 320.9153538590467),
        (Metric::PerRequestTokPerS, 79.69571457187828),
        (Metric::TtftMs, 3274.4292040000573),
        (Metric::ItlMs, 12.547749754901583),
        (Metric::CompletedRequests, 16.0),
        (Metric::OutputTokens, 1602.0),
        (Metric::MeasuredSeconds, 4.991971),
        (Metric::QueueShare, 1.0),
        (Metric::QueuedRequestsMax, 4.0),
        (Metric::SpeculativeAcceptLength, 2.0201765447667084),
    ] {
        assert_eq!(queued.value(metric), Some(value), "{metric:?}");
    }
    assert_eq!(
        queued.get(Metric::ActiveRequests),
        Some(Figure::rounded(4.0, 0.1))
    );
    let failed = at(&run.decode, 65_536, 1);
    assert_eq!(failed.reason.as_deref(), Some("1 request failed"));
    assert_eq!(failed.get(Metric::TotalTokPerS), None);
    assert_eq!(at(&run.decode, 65_536, 8).status, Status::OverCapacity);
    assert_eq!(at(&run.burst, 0, 2).value(Metric::RequestsSent), Some(2.0));
    assert_eq!(at(&run.burst, 65_536, 1).status, Status::Failed);
    let prefill = &run.prefill[0];
    assert_eq!(
        prefill.get(Metric::PrefillTokPerS),
        Some(Figure::rounded(18_769.0, 1.0))
    );
    assert_eq!(prefill.value(Metric::ServerTokPerS), Some(20_000.0));
}

#[test]
fn loops_and_failures_tell_their_reasons() {
    let run = imported("v0.6.2_loop-and-failure-cells.json").run;
    assert_eq!(
        at(&run.decode, 16_384, 8).reason.as_deref(),
        Some(
            "the output fell into a repetition loop: 4 characters repeated 1024 times in one request"
        )
    );
    assert_eq!(
        at(&run.decode, 16_384, 16).reason.as_deref(),
        Some("ProtocolError: engine disconnected")
    );
}

#[test]
fn a_packed_file_is_the_file() {
    let plain = imported("lil-bench-result-1_skeleton.json");
    let packed = imported("lil-bench-result-1_skeleton.json.gz");
    assert_eq!(plain.run, packed.run);
    assert_eq!(plain.private_names, ["192.168.0.42", "rackbox"]);
    assert_eq!(
        plain.run.facts.text(Fact::LaunchCommand),
        Some(
            "NCCL_P2P_LEVEL=SYS /opt/venv/bin/python /opt/venv/bin/vllm serve Qwen/Qwen3.8-Flash-Next --served-model-name Qwen3.8-Flash-Next --tensor-parallel-size 2 --max-num-seqs 16 --port 5071 --enable-prefix-caching"
        )
    );
    let skipped = at(&plain.run.decode, 63_424, 16);
    assert_eq!(
        skipped.reason.as_deref(),
        Some("needs 1,047,552 KV tokens, the server has 500,000")
    );
}
