//! One test a rule of the data dictionary, on documents that are as small as the rule allows.

use serde_json::{Value, json};

use crate::diagnostic::{Code, Diagnostic};
use crate::import::{Imported, Outcome, import};
use crate::run::{Fact, Figure, Measurement, Metric, Run, Status};

fn imported(document: &Value) -> Imported {
    match import("a.json", document.to_string().as_bytes()) {
        Ok(Outcome::Run(imported)) => *imported,
        other => panic!("{other:?}"),
    }
}

fn run(document: &Value) -> Run {
    imported(document).run
}

fn errors(text: &str) -> Vec<Diagnostic> {
    import("a.json", text.as_bytes()).expect_err("must be refused")
}

/// A document with these cells, and metadata that asks for nothing more.
fn with_cells(cells: Value) -> Value {
    json!({"metadata": {"model": "m"}, "results": cells})
}

/// A cell of 4 requests at 8K with these fields changed.
fn cell(fields: Value) -> Measurement {
    let mut cell = json!({"concurrency": 4, "context_tokens": 8192, "aggregate_tps": 100.5,
        "total_tokens": 3000, "num_errors": 0});
    for (key, value) in fields.as_object().unwrap() {
        cell[key] = value.clone();
    }
    run(&with_cells(json!([cell]))).decode.remove(0)
}

fn status(fields: Value) -> (Status, Option<String>) {
    let cell = cell(fields);
    (cell.status, cell.reason)
}

fn left_alone(document: Value) -> String {
    match import("a.json", document.to_string().as_bytes()) {
        Ok(Outcome::LeftAlone(warning)) => {
            assert_eq!(warning.code, Code::LeftAlone);
            warning.message
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn documents_of_the_family_that_are_no_runs_are_left_alone() {
    let cell = json!({"concurrency": 1, "context_tokens": 0, "aggregate_tps": -1});
    for (document, words) in [
        (
            json!({"signature": {}, "prefill_results": {}, "results": [cell]}),
            "is a checkpoint of an unfinished run; left alone",
        ),
        (
            json!({"metadata": {"mode": "completion_stats"}, "accuracy": null}),
            "is a completion and accuracy report, with no matrix of speeds in it; left alone",
        ),
        (
            json!({"metadata": {"mode": "paired_comparison"}}),
            "is a comparison of two accuracy reports, not a run; left alone",
        ),
        (
            json!({"metadata": {"mode": "p2pmark_amd_fabric_only"}}),
            "is a test of the links between GPUs, with no speed of a model in it; left alone",
        ),
        (
            json!({"coding_peak": {"summary": {}}, "methodology": {}}),
            "holds nothing but the peak of a coding task, no matrix of speeds; left alone",
        ),
        (
            json!({"cells": [], "inputs": {"baseline": {}, "candidate": {}}, "summary": {}}),
            "is a comparison of two runs, not a run; left alone",
        ),
        (
            json!({"metadata": {"concurrency_levels": [1], "context_lengths": [0]}, "results": []}),
            "holds no measurement, neither a cell nor a prefill point; left alone",
        ),
    ] {
        assert_eq!(left_alone(document), words);
    }
}

#[test]
fn results_of_other_tools_are_not_claimed() {
    for document in [
        json!({"metadata": {"model": "m"}, "results": [{"throughput": 5, "concurrency": 1}]}),
        json!({"metadata": {"mode": "read_only"}, "results": []}),
        json!({"metadata": {}, "benchmarks": []}),
        json!({"results": {"aggregate_tps": 1}}),
        json!([{"aggregate_tps": 1, "concurrency": 1}]),
        json!({"coding_peak": 5}),
        json!({"cells": [], "inputs": {}, "summary": {}}),
    ] {
        let problems = errors(&document.to_string());
        assert_eq!(problems[0].code, Code::UnknownFormat, "{document}");
        assert!(problems[0].message.contains("`aggregate_tps`"));
    }
}

#[test]
fn a_wrapper_in_the_place_of_metadata_is_enough() {
    let run = run(
        &json!({"run_metadata": {"checkpoint_revision": "abc", "image_id": "img",
            "variant_id": "v1", "repetition": "2", "correctness_receipt": "/home/someone"},
        "results": [{"concurrency": 1, "context_tokens": 0, "aggregate_tps": 5.0}]}),
    );
    assert_eq!(run.facts.text(Fact::ModelRevision), Some("abc"));
    assert_eq!(run.facts.text(Fact::Image), Some("img"));
    assert_eq!(
        run.notes,
        ["Recorded with the run: variant v1, repetition 2."]
    );
    assert!(run.ranked);
}

#[test]
fn a_profiling_run_and_a_fixed_token_are_not_ranked() {
    let cells = json!([{"concurrency": 1, "context_tokens": 0, "aggregate_tps": 5.0}]);
    for document in [
        json!({"run_metadata": {"instrumented": "true"}, "results": cells}),
        json!({"run_metadata": {"workload": "profiling"}, "results": cells}),
        json!({"metadata": {"forced_token_id": 0}, "results": cells}),
        json!({"metadata": {"decode_route": "fixed_token_diagnostic"}, "results": cells}),
    ] {
        let run = run(&document);
        assert!(!run.ranked, "{document}");
        assert!(!run.notes.is_empty());
    }
    assert!(run(&json!({"run_metadata": {"instrumented": "false"}, "results": cells})).ranked);
}

#[test]
fn a_failed_cell_has_its_reason_and_no_speed() {
    for (fields, reason) in [
        (
            json!({"failure_reason": "ProtocolError: gone", "ttft_p50": 0.2}),
            Some("ProtocolError: gone"),
        ),
        (
            json!({"aggregate_tps": -3.0, "loop_detected": true, "num_errors": 2, "loop_diagnostics":
                [{"status": "confirmed", "period_chars": 4, "complete_cycles": 1024}]}),
            Some(
                "the output fell into a repetition loop: 4 characters repeated 1024 times in one request",
            ),
        ),
        (json!({"aggregate_tps": -4.0}), None),
        (json!({"aggregate_tps": -1}), None),
        (
            json!({"aggregate_tps": 0.0, "num_errors": 4}),
            Some("4 requests failed"),
        ),
        (
            json!({"aggregate_tps": 0, "num_errors": 1, "total_tokens": 7}),
            Some("1 request failed"),
        ),
        (
            json!({"aggregate_tps": 0.0, "total_tokens": 0}),
            Some("no tokens arrived"),
        ),
    ] {
        let cell = cell(fields.clone());
        assert_eq!(cell.status, Status::Failed, "{fields}");
        assert_eq!(cell.reason.as_deref(), reason);
        let kept: Vec<Metric> = cell.figures.iter().map(|(metric, _)| metric).collect();
        assert!(
            kept.is_empty() || kept == [Metric::FailedRequests],
            "{kept:?}"
        );
    }
}

#[test]
fn tokens_without_a_rate_are_not_measured_and_no_zero() {
    let cell = cell(json!({"aggregate_tps": 0.0, "ttft_p50": 0.25}));
    assert_eq!(cell.status, Status::NotMeasured);
    assert_eq!(cell.get(Metric::TotalTokPerS), None);
    assert_eq!(cell.get(Metric::TtftMs), Some(Figure::exact(250.0)));
    assert_eq!(
        status(json!({"aggregate_tps": null})),
        (Status::NotMeasured, None)
    );
}

#[test]
fn the_tools_own_word_decides_whether_requests_queued() {
    let reason = "the warm-up timed out with running_reqs=2/4".to_owned();
    assert_eq!(
        status(json!({"capacity_limited": true, "timeout_reason": "running_reqs=2/4"})),
        (Status::Queued, Some(reason))
    );
    assert_eq!(
        status(json!({"capacity_limited": false, "queue_fraction": 0.5, "max_running_reqs": 2})),
        (Status::Valid, None)
    );
    assert_eq!(status(json!({"queue_fraction": 0.1})).0, Status::Queued);
    assert_eq!(status(json!({"max_running_reqs": 3})).0, Status::Queued);
    for running in [0, 4, 5] {
        assert_eq!(
            status(json!({"max_running_reqs": running})).0,
            Status::Valid
        );
    }
    assert_eq!(
        cell(json!({"capacity_limited": true})).value(Metric::TotalTokPerS),
        Some(100.5),
        "the cell was measured"
    );
}

#[test]
fn seconds_become_milliseconds_and_zeros_are_absent() {
    let cell = cell(
        json!({"ttft_p50": 0.584, "ttft_avg": 0.6, "ttft_p90": 0.7, "ttft_p99": 0.0,
        "inter_token_latency_p50": 0.0119, "chunk_inter_token_latency_p50": 0.03,
        "request_latency_p50": 0.0, "request_latency_p99": 2, "input_seq_len_avg": 77.0,
        "output_tps_per_user_p50": 84.2, "per_request_avg_tps": 25.125,
        "measurement_seconds": 29.97, "completed_request_count": 0}),
    );
    for (metric, value) in [
        (Metric::TtftMs, Some(584.0)),
        (Metric::TtftMeanMs, Some(600.0)),
        (Metric::TtftP90Ms, Some(700.0)),
        (Metric::TtftP99Ms, None),
        (Metric::ItlMs, Some(11.9)),
        (Metric::ChunkItlMs, Some(30.0)),
        (Metric::RequestLatencyMs, None),
        (Metric::RequestLatencyP99Ms, Some(2000.0)),
        (Metric::InputTokens, Some(77.0)),
        (Metric::PerRequestTokPerS, Some(84.2)),
        (Metric::MeasuredSeconds, Some(29.97)),
        (Metric::CompletedRequests, Some(0.0)),
        (Metric::OutputTokens, Some(3000.0)),
        (Metric::FailedRequests, None),
    ] {
        assert_eq!(cell.get(metric), value.map(Figure::exact), "{metric:?}");
    }
}

#[test]
fn old_files_have_no_per_request_speed_and_no_tokens_of_the_window() {
    let cell = cell(json!({"per_request_avg_tps": 25.125, "num_errors": 1}));
    assert_eq!(cell.get(Metric::PerRequestTokPerS), None);
    assert_eq!(cell.get(Metric::OutputTokens), None);
    assert_eq!(cell.status, Status::Valid);
    assert_eq!(cell.value(Metric::FailedRequests), Some(1.0));
}

#[test]
fn active_requests_are_given_in_tenths() {
    let given = |fields| cell(fields).get(Metric::ActiveRequests);
    assert_eq!(
        given(json!({"effective_concurrency": 3.9, "avg_running_reqs": 1})),
        Some(Figure::rounded(3.9, 0.1))
    );
    assert_eq!(
        given(json!({"avg_running_reqs": 4})),
        Some(Figure::rounded(4.0, 0.1))
    );
    assert_eq!(
        given(json!({"avg_running_reqs": 3.95})),
        Some(Figure::exact(3.95))
    );
    assert_eq!(given(json!({"avg_running_reqs": 0})), None);
}

#[test]
fn without_server_metrics_their_zeros_are_no_figures() {
    let zeros = json!({"concurrency": 4, "context_tokens": 0, "aggregate_tps": 9.0,
        "effective_concurrency": 0.0, "max_running_reqs": 0, "queue_fraction": 0.0,
        "avg_queue_reqs": 0.0, "max_queue_reqs": 0, "server_utilization": 0.0});
    let unmeasured = [
        Metric::ActiveRequests,
        Metric::ActiveRequestsMax,
        Metric::QueueShare,
        Metric::QueuedRequests,
        Metric::QueuedRequestsMax,
        Metric::KvCacheShare,
    ];
    let without = run(&json!({"metadata": {"metrics_available": false}, "results": [zeros]}));
    let old = run(&with_cells(json!([zeros])));
    for metric in unmeasured {
        assert_eq!(without.decode[0].get(metric), None);
        assert_eq!(old.decode[0].get(metric), None);
    }
    assert_eq!(
        without.notes,
        [
            "The server offered no metrics to the benchmark, so active and waiting requests were not measured."
        ]
    );
    assert!(old.notes.is_empty());
    let mut seen = zeros;
    seen["max_running_reqs"] = json!(4);
    let seen = run(&with_cells(json!([seen])));
    assert_eq!(seen.decode[0].value(Metric::QueueShare), Some(0.0));
    assert_eq!(seen.decode[0].value(Metric::ActiveRequestsMax), Some(4.0));
}

#[test]
fn shares_keep_what_can_be_one() {
    let counter = cell(json!({"server_spec_accept_rate": 548_811.0, "server_utilization": 35.0}));
    assert_eq!(counter.get(Metric::SpeculativeAcceptRate), None);
    assert_eq!(counter.get(Metric::KvCacheShare), None);
    let share = cell(
        json!({"server_spec_accept_rate": 0.44, "server_spec_accept_length": 2.3,
            "server_spec_drafts": 10, "server_utilization": 0.5,
            "hardware_summary": {"power_total_avg_w": 168.0, "power_total_max_w": 170.4,
            "gpu_util_avg_pct": 11.0}}),
    );
    for (metric, value) in [
        (Metric::SpeculativeAcceptRate, 0.44),
        (Metric::SpeculativeAcceptLength, 2.3),
        (Metric::KvCacheShare, 0.5),
        (Metric::PowerWatts, 168.0),
        (Metric::PowerMaxWatts, 170.4),
        (Metric::GpuUtilShare, 0.11),
    ] {
        assert_eq!(share.value(metric), Some(value));
    }
    let document = with_cells(
        json!([{"concurrency": 1, "context_tokens": 0, "aggregate_tps": 9.0,
        "server_spec_accept_length": 1.7}]),
    );
    assert!(run(&document).notes[0].contains("counts only accepted draft tokens"));
}

#[test]
fn tokens_are_counted_by_what_the_tool_says() {
    let source = |fields| cell(fields).token_source;
    let fallback = "openai_stream_chunks_fallback";
    assert_eq!(
        source(json!({"aggregate_source": fallback})).as_deref(),
        Some(fallback)
    );
    assert_eq!(source(json!({"aggregate_source": "none"})), None);
    assert_eq!(source(json!({"aggregate_source": ""})), None);
}

/// Status of each cell of a 2 × 2 matrix by place, one cell of which is there.
fn grid(metadata: Value, results: Value) -> Vec<(u64, u64, Status)> {
    let mut metadata = metadata;
    metadata["concurrency_levels"] = json!([1, 4]);
    metadata["context_lengths"] = json!([0, 8192]);
    let document = json!({"metadata": metadata, "results": results,
        "prefill": {"8192": {"tok_per_sec": 5.0}}});
    run(&document)
        .decode
        .iter()
        .map(|c| (c.context.tokens.unwrap(), c.concurrency, c.status))
        .collect()
}

#[test]
fn a_missing_cell_is_over_capacity_by_the_tools_rule_else_not_measured() {
    let one = json!([{"concurrency": 1, "context_tokens": 0, "aggregate_tps": 9.0}]);
    // 4 × (8192 + 100) = 33168
    let budget = |tokens: u64| json!({"max_tokens": 100, "max_total_tokens": tokens});
    let (valid, over, not) = (Status::Valid, Status::OverCapacity, Status::NotMeasured);
    for (budget, last) in [
        (budget(33_167), over),
        (budget(33_168), not),
        (budget(0), not),
        (json!({}), not),
    ] {
        assert_eq!(
            grid(budget, one.clone()),
            [(0, 1, valid), (0, 4, not), (8192, 1, not), (8192, 4, last)]
        );
    }
}

#[test]
fn without_any_result_only_the_rule_makes_cells() {
    let (over, not) = (Status::OverCapacity, Status::NotMeasured);
    assert_eq!(
        grid(
            json!({"max_tokens": 100, "max_total_tokens": 33_167}),
            json!([])
        ),
        [(0, 1, not), (0, 4, not), (8192, 1, not), (8192, 4, over)]
    );
    assert_eq!(grid(json!({}), json!([])), []);
    assert_eq!(
        grid(
            json!({"prefill_only": true, "max_tokens": 100, "max_total_tokens": 10}),
            json!([])
        ),
        []
    );
}

#[test]
fn means_get_only_the_cells_that_the_rule_explains() {
    let metadata = json!({"concurrency_levels": [1, 4], "context_lengths": [0, 8192],
        "max_tokens": 100, "max_total_tokens": 33_167, "iterations": 3});
    let means = json!([{"concurrency": 1, "context_tokens": 0, "aggregate_tps_mean": 9.5,
            "aggregate_tps_stdev": 0.0, "ttft_avg_mean": 0.05, "iterations_run": 3,
            "iterations_skipped": 0, "spec_accept_rate_mean": 0.8},
        {"concurrency": 4, "context_tokens": 0, "aggregate_tps_mean": 20.5,
            "aggregate_tps_stdev": 0.0, "iterations_run": 1}]);
    let run = run(&json!({"metadata": metadata, "results": means}));
    let statuses: Vec<Status> = run.decode.iter().map(|c| c.status).collect();
    assert_eq!(
        statuses,
        [Status::Valid, Status::Valid, Status::OverCapacity]
    );
    let (three, once) = (&run.decode[0], &run.decode[1]);
    for (metric, value) in [
        (Metric::TotalTokPerS, 9.5),
        (Metric::TotalTokPerSStdev, 0.0),
        (Metric::TtftMeanMs, 50.0),
        (Metric::Repetitions, 3.0),
        (Metric::SpeculativeAcceptRate, 0.8),
    ] {
        assert_eq!(three.value(metric), Some(value));
    }
    assert_eq!(three.get(Metric::TtftMs), None);
    assert_eq!(once.get(Metric::TotalTokPerSStdev), None);
    assert_eq!(run.facts.count(Fact::Repetitions), Some(3));
    assert!(run.notes[0].starts_with("The figures are means"));
}

#[test]
fn cells_outside_the_matrix_that_was_asked_for_are_cells() {
    let cells = grid(
        json!({}),
        json!([{"concurrency": 3, "context_tokens": 77, "aggregate_tps": 9.0}]),
    );
    assert_eq!(cells.len(), 5);
    assert!(cells.contains(&(77, 3, Status::Valid)));
}

#[test]
fn burst_cells_stand_apart() {
    let burst = json!({"concurrency": 4, "context_tokens": 0, "aggregate_tps": 9.0,
        "request_count_target": 20, "max_running_reqs": 3, "queue_fraction": 0.5});
    let sustained = json!({"concurrency": 4, "context_tokens": 0, "aggregate_tps": 8.0});
    let run = run(&json!({"results": [sustained], "burst_results": [burst]}));
    assert_eq!((run.decode.len(), run.burst.len()), (1, 1));
    assert_eq!(run.burst[0].status, Status::Valid, "a drain is no queue");
    assert_eq!(run.burst[0].value(Metric::RequestsSent), Some(20.0));
}

#[test]
fn prefill_is_read_in_the_order_of_numbers_and_in_its_steps() {
    let run = run(
        &json!({"metadata": {"prefill_mode": "integrated_decode_scout"},
        "results": [{"concurrency": 1, "context_tokens": 0, "aggregate_tps": 9.0}],
        "prefill": {"131072": {"tok_per_sec": 2121273.0, "ttft_seconds": 0.062},
            "8192": {"tok_per_sec": 13700.0, "ttft_seconds": 0.599, "prompt_tokens": 8150,
                "samples": 1, "method": "integrated_scout",
                "server_validation": {"tok_per_sec": 13800.5, "request_prompt_tokens": 8150,
                    "cached_tokens": 0, "invalid_reason": ""}},
            "16384": {"tok_per_sec": 13700.25, "ttft_seconds": 0.0,
                "server_validation": {"tok_per_sec": 20.0, "cached_tokens": 64,
                    "invalid_reason": "cached"}},
            "32768": {"tok_per_sec": 0.0, "ttft_seconds": 0.0,
                "server_validation": {"tok_per_sec": 0.0, "cached_tokens": 0}}}}),
    );
    let labels: Vec<&str> = run
        .prefill
        .iter()
        .map(|p| p.context.label.as_str())
        .collect();
    assert_eq!(labels, ["8K", "16K", "32K", "128K"]);
    let [first, second, third, last] = &run.prefill[..] else {
        panic!()
    };
    for (metric, figure) in [
        (Metric::PrefillTokPerS, Figure::rounded(13_700.0, 1.0)),
        (Metric::TtftMs, Figure::rounded(599.0, 1.0)),
        (Metric::PromptTokens, Figure::exact(8150.0)),
        (Metric::CompletedRequests, Figure::exact(1.0)),
        (Metric::ServerTokPerS, Figure::exact(13_800.5)),
        (Metric::CachedPromptTokens, Figure::exact(0.0)),
    ] {
        assert_eq!(first.get(metric), Some(figure), "{metric:?}");
    }
    assert_eq!(first.method.as_deref(), Some("integrated_scout"));
    assert_eq!(
        second.get(Metric::PrefillTokPerS),
        Some(Figure::exact(13_700.25)),
        "a patched tool did not round"
    );
    assert_eq!(second.get(Metric::TtftMs), None);
    assert_eq!(second.get(Metric::ServerTokPerS), None, "invalid");
    assert_eq!(second.value(Metric::CachedPromptTokens), Some(64.0));
    assert_eq!(third.status, Status::NotMeasured);
    assert!(third.figures.is_empty());
    assert_eq!(last.value(Metric::PrefillTokPerS), Some(2_121_273.0));
    assert_eq!(
        run.notes,
        [
            "TTFT is measured after the benchmark warms the server's prompt cache, so it mostly excludes prefill."
        ]
    );
}

#[test]
fn facts_are_those_that_the_file_states() {
    let run = run(&json!({
        "metadata": {"version": "0.6.2", "engine": "vllm", "model": "qwen", "server": "localhost:1",
            "timestamp": "2026-09-13T02:25:00.123456", "decode_mode": "duration",
            "duration_per_test": 30.0, "request_count": 0, "max_tokens": 4096, "temperature": 0.0,
            "max_total_tokens": 0, "prefill_mode": "skipped"},
        "event_log": ["10:00:00 benchmark start engine=vllm",
            "10:00:01 startup engine vLLM 0.28.1rc1.dev562+g9c2d21046 models=['qwen']"],
        "results": [{"concurrency": 1, "context_tokens": 0, "aggregate_tps": 9.0}]}));
    let facts: Vec<String> = run
        .facts
        .iter()
        .map(|(fact, value)| format!("{} = {value}", fact.path()))
        .collect();
    assert_eq!(
        facts,
        [
            "measured_at = 2026-09-13T02:25:00",
            "model.served_name = qwen",
            "engine.name = vllm",
            "engine.version = 0.28.1rc1.dev562+g9c2d21046",
            "method.tool = llm-inference-bench",
            "method.tool_version = 0.6.2",
            "method.decode_test = Fixed duration",
            "method.prefill_mode = Skipped",
            "method.seconds_per_measurement = 30",
            "method.max_output_tokens = 4096",
            "method.temperature = 0",
        ]
    );
}

#[test]
fn a_proxy_is_no_engine_and_a_default_no_decode_test() {
    let facts = run(&json!({
        "metadata": {"engine": "openai_proxy", "decode_mode": "duration", "duration_per_test": 30.0,
            "max_tokens": 8192, "concurrency_levels": [1], "context_lengths": [0],
            "prefill_only": true, "prefill_mode": "standalone_cold", "max_total_tokens": 500},
        "event_log": ["10:00:01 startup engine OpenAI-compatible proxy models=['qwen']"],
        "results": [], "prefill": {"8192": {"tok_per_sec": 100.0}}}))
    .facts;
    for fact in [
        Fact::EngineName,
        Fact::EngineVersion,
        Fact::DecodeTest,
        Fact::SecondsPerMeasurement,
        Fact::MaxOutputTokens,
    ] {
        assert_eq!(facts.get(fact), None);
    }
    assert_eq!(facts.count(Fact::KvCacheTokens), Some(500));
    assert_eq!(
        facts.text(Fact::PrefillMode),
        Some("Measured on its own, prompt cache cold")
    );
}

#[test]
fn a_fixed_number_of_requests_is_a_decode_test_too() {
    let facts = run(&json!({
        "metadata": {"decode_mode": "request-count", "request_count": 8, "duration_per_test": 30.0},
        "results": [{"concurrency": 1, "context_tokens": 0, "aggregate_tps": 9.0}]}))
    .facts;
    assert_eq!(
        facts.text(Fact::DecodeTest),
        Some("Fixed number of requests")
    );
    assert_eq!(facts.count(Fact::RequestsPerMeasurement), Some(8));
    assert_eq!(facts.get(Fact::SecondsPerMeasurement), None);
}

#[test]
fn an_empty_log_beside_results_is_an_interrupted_run() {
    let cells = json!([{"concurrency": 1, "context_tokens": 0, "aggregate_tps": 9.0}]);
    let prefill = json!({"8192": {"tok_per_sec": 100.0}});
    for (document, complete) in [
        (json!({"results": cells, "event_log": []}), false),
        (json!({"results": cells, "event_log": ["x"]}), true),
        (json!({"results": cells}), true),
        (
            json!({"metadata": {"concurrency_levels": [1], "context_lengths": [0]},
                "results": [], "event_log": [], "prefill": prefill}),
            true,
        ),
    ] {
        assert_eq!(run(&document).complete, complete, "{document}");
    }
}

#[test]
fn the_clients_machine_only_hints() {
    let imported = imported(&json!({
        "metadata": {"server": "http://labnode:8000"},
        "startup_diagnostics": {"hostname": "bigbox", "uname": "Linux bigbox 7.2 x86_64",
            "server_url": "http://192.168.0.7:8000", "nvidia_smi_query": {"stdout":
            "0, NVIDIA H200, 615.71, 00:01, 5, 16, 700.0\n1, NVIDIA H200, 615.71, 00:02, 5, 16, 700.0"}},
        "hardware_run_summary": {"gpu_count": 2, "vram_total_mb": 287_542.0},
        "results": [{"concurrency": 1, "context_tokens": 0, "aggregate_tps": 9.0}]}));
    assert_eq!(imported.run.facts.get(Fact::Gpu), None);
    assert_eq!(imported.hints.text(Fact::Gpu), Some("NVIDIA H200"));
    assert_eq!(imported.hints.count(Fact::GpuCount), Some(2));
    assert_eq!(imported.hints.number(Fact::VramGbPerGpu), Some(141.0));
    assert_eq!(imported.hints.text(Fact::Os), Some("linux"));
    assert_eq!(imported.private_names, ["192.168.0.7", "bigbox", "labnode"]);
}

#[test]
fn a_newer_version_and_an_unreadable_time_are_warnings() {
    let text = "{\"metadata\": {\n  \"version\": \"0.8.1\",\n  \"timestamp\": \"yesterday\"},\n \"results\": [{\"concurrency\": 1, \"context_tokens\": 0, \"aggregate_tps\": 9.0, \"new_field\": {}}]}";
    let Ok(Outcome::Run(imported)) = import("a.json", text.as_bytes()) else {
        panic!()
    };
    let warnings: Vec<String> = imported.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "warning[W0107]: was written by llm-inference-bench 0.8.1; versions up to 0.7 are known here\n --> a.json:2:14\nhelp: compare the page with the tool's own output before publishing it",
            "warning[W0109]: `metadata.timestamp` is not a date or time (expected 2026-09-13, 2026-09-13T02:25:00 or 2026-09-13T02:25:00+02:00)\n --> a.json:3:16\nhelp: the run goes without this date; give `measured_at` in its sidecar",
        ]
    );
    assert_eq!(imported.run.facts.get(Fact::MeasuredAt), None);
}

#[test]
fn a_second_cell_for_one_place_is_an_error_that_names_both_lines() {
    let text = "{\"results\": [\n{\"concurrency\": 4, \"context_tokens\": 8192, \"aggregate_tps\": 9.0},\n{\"concurrency\": 1, \"context_tokens\": 8192, \"aggregate_tps\": 9.0},\n {\"concurrency\": 4.0, \"context_tokens\": 8192, \"aggregate_tps\": 8.0}]}";
    let problems = errors(text);
    assert_eq!(problems.len(), 1);
    assert_eq!(
        problems[0].to_string(),
        "error[E0105]: the cell 8K × 4 stands twice: `results[0]` and `results[2]`\n --> a.json:4:2\n  | a.json:2:1: the first one\nhelp: remove one of them"
    );
    let prefill = "{\"results\": [], \"metadata\": {\"concurrency_levels\": [], \"context_lengths\": []},\n \"prefill\": {\"512\": {}, \"512\": {}}}";
    assert_eq!(
        errors(prefill)[0].to_string(),
        "error[E0105]: the prefill point 512 stands twice\n --> a.json:2:32\nhelp: remove one of them"
    );
}

#[test]
fn all_values_of_a_wrong_type_or_range_are_reported_with_their_places() {
    let text = r#"{"metadata": {"max_tokens": "many", "context_lengths": [0, -8192], "version": 4},
"prefill": {"8k": {}, "16384": 5, "32768": {"tok_per_sec": "fast"}},
"results": [
 {"context_tokens": 0, "aggregate_tps": 9.0},
 {"concurrency": 0, "context_tokens": 0, "aggregate_tps": 9.0},
 {"concurrency": 1, "context_tokens": -1, "aggregate_tps": 1e300},
 {"concurrency": "8", "context_tokens": 0.5, "aggregate_tps": 1e999},
 {"concurrency": 2, "context_tokens": 0},
 {"concurrency": 3, "context_tokens": 0, "aggregate_tps": 9.0, "ttft_p50": "1.0",
  "ttft_p90": -0.5, "capacity_limited": "no", "hardware_summary": [], "aggregate_source": 3},
 7]}"#;
    let problems: Vec<String> = errors(text)
        .iter()
        .map(|p| {
            assert_eq!(p.code, Code::JsonShape);
            format!("{} {}", p.place, p.message)
        })
        .collect();
    assert_eq!(
        problems,
        [
            "a.json:1:29 `metadata.max_tokens` is a text, expected a whole number from 0 to 1000000000000",
            "a.json:1:60 `metadata.context_lengths[1]` is -8192, expected a whole number from 0 to 1000000000",
            "a.json:1:79 `metadata.version` is a number, expected a text",
            "a.json:2:19 `prefill` has the key `8k`, expected the number of context tokens, as \"8192\"",
            "a.json:2:32 `prefill.16384` is a number, expected an object",
            "a.json:2:60 `prefill.32768.tok_per_sec` is a text, expected a number from 0 to 1000000000000",
            "a.json:4:2 `results[0]` lacks `concurrency`",
            "a.json:5:18 `results[1].concurrency` is 0, expected a whole number from 1 to 1000000",
            "a.json:6:39 `results[2].context_tokens` is -1, expected a whole number from 0 to 1000000000",
            "a.json:6:60 `results[2].aggregate_tps` is 1e300, expected a number from -1000000000000 to 1000000000000",
            "a.json:7:18 `results[3].concurrency` is a text, expected a whole number from 1 to 1000000",
            "a.json:7:41 `results[3].context_tokens` is 0.5, expected a whole number from 0 to 1000000000",
            "a.json:7:63 `results[3].aggregate_tps` is too large a number, expected a number from -1000000000000 to 1000000000000",
            "a.json:8:2 `results[4]` lacks `aggregate_tps`",
            "a.json:9:76 `results[5].ttft_p50` is a text, expected a number from 0 to 1000000000000",
            "a.json:10:15 `results[5].ttft_p90` is -0.5, expected a number from 0 to 1000000000000",
            "a.json:10:41 `results[5].capacity_limited` is a text, expected true or false",
            "a.json:10:67 `results[5].hardware_summary` is a list, expected an object",
            "a.json:10:91 `results[5].aggregate_source` is a number, expected a text",
            "a.json:11:2 `results[6]` is a number, expected an object",
        ]
    );
}

#[test]
fn a_matrix_of_absurd_size_is_refused() {
    let many: Vec<u64> = (1..=1000).collect();
    let document = json!({"metadata": {"concurrency_levels": many, "context_lengths": many},
        "results": []});
    let problems = errors(&document.to_string());
    assert_eq!(
        problems[0].message,
        "`metadata` asks for 1000000 cells, expected at most 100000"
    );
}
