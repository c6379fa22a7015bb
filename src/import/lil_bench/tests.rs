//! What a lil-bench document adds to the inner one, on small documents.

use serde_json::{Value, json};

use crate::diagnostic::Code;
use crate::import::{Imported, Outcome, import};
use crate::run::{Fact, Run, Status};

/// A document around one measured cell, with these keys changed.
fn document(changes: Value) -> Value {
    let mut document = json!({"schema": "lil-bench-result/1", "status": "complete",
        "finished": "2026-09-27T10:20:00.5+02:00", "profile": "standard", "standard": "standard/1",
        "client": {"lil_bench": "1.4"}, "results": {"bench": {
            "metadata": {"version": "0.7.3", "engine": "vllm", "model": "inner",
                "timestamp": "2026-09-27T08:00:00", "max_tokens": 10, "max_total_tokens": 40_000,
                "concurrency_levels": [1, 4], "context_lengths": [0, 16384]},
            "event_log": ["x"],
            "results": [{"concurrency": 1, "context_tokens": 0, "aggregate_tps": 50.0}]}}});
    for (key, value) in changes.as_object().unwrap() {
        document[key] = value.clone();
    }
    document
}

fn imported(document: &Value) -> Imported {
    match import("a.json", document.to_string().as_bytes()) {
        Ok(Outcome::Run(imported)) => *imported,
        other => panic!("{other:?}"),
    }
}

fn run(changes: Value) -> Run {
    imported(&document(changes)).run
}

fn cells(run: &Run) -> Vec<(u64, u64, Status, Option<&str>)> {
    run.decode
        .iter()
        .map(|c| {
            let tokens = c.context.tokens.unwrap();
            (tokens, c.concurrency, c.status, c.reason.as_deref())
        })
        .collect()
}

#[test]
fn the_plan_goes_before_the_tools_rule() {
    let kv = "needs 1,047,552 KV tokens, the server has 500,000";
    let limit = "concurrency 4 exceeds max_num_seqs 2";
    let run = run(json!({"plan": [
        {"kind": "decode", "concurrency": 1, "requested_context": 0, "context": 0, "status": "planned"},
        {"kind": "decode", "concurrency": 4, "requested_context": 0, "context": 0,
            "status": "skipped", "reason": kv},
        {"kind": "decode", "concurrency": 4, "requested_context": 16384, "context": 16384,
            "status": "skipped", "reason": limit},
        {"kind": "decode", "concurrency": 1, "requested_context": 65536, "context": 63424,
            "status": "planned"},
        {"kind": "decode", "concurrency": 16, "requested_context": 65536, "context": null,
            "status": "skipped", "reason": kv},
        {"kind": "warmup", "status": "planned"}]}));
    assert_eq!(run.source.format, "lil-bench");
    assert_eq!(
        cells(&run),
        [
            (0, 1, Status::Valid, None),
            (0, 4, Status::OverCapacity, Some(kv)),
            (16_384, 1, Status::NotMeasured, None),
            // 4 × (16384 + 10) > 40000, but the plan knows better.
            (16_384, 4, Status::NotMeasured, Some(limit)),
            // 63434 > 40000
            (63_424, 1, Status::OverCapacity, None),
            (63_424, 16, Status::OverCapacity, Some(kv)),
        ]
    );
}

#[test]
fn prefill_points_that_were_left_out_stand_beside_those_that_were_measured() {
    let skipped = json!([{"kind": "prefill", "requested_context": 131_072, "context": null,
        "status": "skipped", "reason": "too long"}]);
    let mut with = document(json!({"plan": skipped}));
    with["results"]["bench"]["prefill"] = json!({"8192": {"tok_per_sec": 500.0}});
    let prefill = imported(&with).run.prefill;
    assert_eq!(prefill.len(), 2);
    assert_eq!(prefill[1].status, Status::NotMeasured);
    assert_eq!(prefill[1].reason.as_deref(), Some("too long"));
    assert_eq!(run(json!({"plan": skipped})).prefill, []);
}

#[test]
fn what_the_document_states_goes_before_the_inner_one() {
    let run = run(json!({
        "server": {"argv": ["/opt/vllm", "serve", "org/m", "--served-model-name", "a b", "--n", 2],
            "environment": {"Z": "x y", "A": "1", "not a name": "z"}, "model": "org/m",
            "limits": {"tensor_parallel_size": 1},
            "api": {"model_id": "outer", "version": "0.30", "root": "/models/m", "kv_tokens": 7}},
        "hardware": {"gpus": [{"name": "H200", "memory_total_mib": 143_771},
                {"name": "H200", "memory_total_mib": 143_771}],
            "system": {"driver_version": "615.71"}, "cpu": {"lscpu": {"Model name": "EPYC"}},
            "memory": {"mem_total_mib": 1_031_000}, "host": {"kernel": "6.18"}},
        "image": {"alias": "karmic", "assembly_sha256": "ab"},
        "integrity": {"status": "modified"},
        "phases": [{"name": "decode C1", "analysis": {"verdict": "thermal"}},
            {"name": "decode C4", "analysis": {"verdict": "ok"}}]}));
    for (fact, value) in [
        (Fact::MeasuredAt, "2026-09-27T10:20:00+02:00"),
        (
            Fact::LaunchCommand,
            "A=1 Z='x y' /opt/vllm serve org/m --served-model-name 'a b' --n 2",
        ),
        (Fact::ModelId, "org/m"),
        (Fact::ServedName, "outer"),
        (Fact::EngineName, "vllm"),
        (Fact::EngineVersion, "0.30"),
        (Fact::KvCacheTokens, "7"),
        (Fact::Gpu, "H200"),
        (Fact::GpuCount, "2"),
        (Fact::VramGbPerGpu, "141"),
        (Fact::Driver, "615.71"),
        (Fact::Cpu, "EPYC"),
        (Fact::RamGb, "1007"),
        (Fact::Os, "linux"),
        (Fact::Image, "karmic"),
        (Fact::ToolVersion, "0.7.3"),
    ] {
        let found = run.facts.get(fact).map(ToString::to_string);
        assert_eq!(found.as_deref(), Some(value), "{fact:?}");
    }
    assert_eq!(
        run.notes,
        [
            "The machine has 2 GPUs; the server's tensor-parallel size is 1.",
            "Run by lil-bench 1.4, standard/1, profile standard.",
            "lil-bench found the server's image changed (integrity: modified).",
            "The GPUs were held back in: decode C1 (thermal).",
        ]
    );
    assert!(run.complete && run.ranked);
}

#[test]
fn quick_profiles_are_not_ranked_and_unfinished_ones_not_complete() {
    assert!(!run(json!({"profile": "quick"})).ranked);
    for status in ["failed", "interrupted"] {
        assert!(!run(json!({"status": status})).complete);
    }
}

#[test]
fn a_failed_bench_is_a_run_only_where_the_plan_tells_something() {
    let none = document(json!({"status": "failed", "results": {"bench": {}}}));
    match import("a.json", none.to_string().as_bytes()) {
        Ok(Outcome::LeftAlone(warning)) => assert_eq!(
            warning.to_string(),
            "warning[W0106]: is a lil-bench document (failed) that holds no measurement; left alone\n --> a.json\nhelp: run the benchmark again, or remove the file"
        ),
        other => panic!("{other:?}"),
    }
    let run = run(
        json!({"status": "failed", "results": {"bench": {}}, "plan": [
        {"kind": "decode", "concurrency": 4, "requested_context": 0, "context": 0,
            "status": "skipped", "reason": "needs 5 KV tokens"}]}),
    );
    assert_eq!(run.decode[0].status, Status::OverCapacity);
    assert!(!run.complete);
}

#[test]
fn a_newer_schema_is_read_with_a_warning() {
    let imported = imported(&document(json!({"schema": "lil-bench-result/2"})));
    assert_eq!(imported.warnings[0].code, Code::NewerVersion);
    assert_eq!(
        imported.warnings[0].message,
        "is of the schema lil-bench-result/2; lil-bench-result/1 is known here"
    );
}

#[test]
fn wrong_types_around_the_inner_document_are_reported() {
    let wrong = document(
        json!({"server": {"argv": ["vllm", null, {}], "url": 5}, "plan": [
        {"kind": "decode", "status": "planned"}]}),
    );
    let problems = import("a.json", wrong.to_string().as_bytes()).unwrap_err();
    let mut messages: Vec<&str> = problems.iter().map(|p| p.message.as_str()).collect();
    messages.sort_unstable();
    assert_eq!(
        messages,
        [
            "`plan[0]` lacks `concurrency`",
            "`server.argv[1]` is null, expected a text",
            "`server.argv[2]` is an object, expected a text",
            "`server.url` is a number, expected a text",
        ]
    );
}
