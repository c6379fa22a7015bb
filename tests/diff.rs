//! `gen diff` as a user runs it: formats, exit codes, folders, sizes, secrets.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs
)]

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};

use pulldown_cmark::{Event, Options, Parser, Tag};
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

fn generate(args: &[&str], root: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gen"))
        .args(args)
        .current_dir(root)
        .env_remove("RUST_BACKTRACE")
        .output()
        .unwrap()
}

fn folder(files: &[(&str, String)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = dir.path().join(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    }
    dir
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

const A: &str = "content/runs/qwen3.5-397b-a17b-nvfp4-4x-h200-sxm.txt";
const B: &str = "content/runs/qwen3.5-122b-a10b-gptq-int4-2x-h200-nvl.txt";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A run: its title, facts beside the model, and cells of one context as (requests, total, status).
fn run(title: &str, extra: Value, cells: &[(u64, f64, &str)]) -> String {
    let decode: Vec<Value> = cells
        .iter()
        .map(|(n, total, status)| {
            let mut cell = json!({"context_label": "8K", "context_tokens": 8192, "concurrency": n, "status": status});
            if matches!(*status, "valid" | "queued") {
                cell["total_tok_per_s"] = json!(total);
            }
            cell
        })
        .collect();
    let slug: String = title
        .chars()
        .filter(|c| c.is_ascii_alphanumeric())
        .take(20)
        .collect();
    let mut document = json!({"schema": "speedbook.run/1", "slug": slug.to_lowercase(), "title": title, "prefill": [], "decode": decode});
    for (key, value) in extra.as_object().unwrap() {
        document[key] = value.clone();
    }
    document.to_string()
}

fn valid(totals: &[f64]) -> Vec<(u64, f64, &'static str)> {
    let requests = [1, 2, 4, 8, 16, 32, 64, 128];
    requests
        .into_iter()
        .zip(totals)
        .map(|(n, total)| (n, *total, "valid"))
        .collect()
}

#[test]
fn the_two_reports_in_the_terminal() {
    let output = generate(&["diff", A, B], root());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(!text.contains('\u{1b}'), "no colour in a pipe");
    for line in text.lines() {
        assert!(line.width() <= 80, "{line}");
    }
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "has 2.71 times the total tok/s of",
        "geometric mean of 38 valid cells, from 2.39 to 3.08",
        "Not a controlled comparison: the runs differ in model,",
        "14 flags differ: 3 changed, 11 only in A; 8 are the same, 1 is not comparable.",
        "42 cells compared, 38 valid on both sides and 4 with queued requests; 6 lost: B was over capacity there. 7 prefill points compared, valid on both sides.",
        "context 1 2 4 8 16 32 64 128",
        "8K ×2.86 ×2.63 ×2.39 ×2.60 ×2.52 ×3.08 ×2.81 ×2.83 faster faster faster faster faster faster faster queued",
        "251K ×3.07 ×2.93 ×3.05 ×3.01 ×2.78 faster faster faster faster faster lost lost lost",
        "--tensor-parallel-size changed: 4 → 2",
        "--speculative-config changed: attention_backend only in A: TRITON_ATTN kv_cache_dtype only in A: bfloat16 moe_backend only in A: triton num_speculative_tokens changed: 3 → 2",
        "--dtype only in A: bfloat16 --enable-prefix-caching",
    ] {
        assert!(flat.contains(part), "{part}\nis not in\n{text}");
    }
}

#[test]
fn colour_is_never_the_only_carrier() {
    let output = Command::new(env!("CARGO_BIN_EXE_gen"))
        .args(["diff", A, B])
        .current_dir(root())
        .env("CLICOLOR_FORCE", "1")
        .env_remove("NO_COLOR")
        .output()
        .unwrap();
    let coloured = stdout(&output);
    assert!(coloured.contains('\u{1b}'));
    let plain = stdout(&generate(&["diff", A, B], root()));
    assert_eq!(anstream::adapter::strip_str(&coloured).to_string(), plain);
}

#[test]
fn the_two_reports_as_markdown_and_json() {
    let args = [
        "diff",
        A,
        B,
        "--format",
        "markdown",
        "--metric",
        "total,ttft",
    ];
    let output = generate(&args, root());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(
        text.starts_with("### Qwen3.5-122B-A10B-GPTQ-Int4 on 2 × H200 NVL has 2.71 times"),
        "{text}"
    );
    for part in [
        "| Total tok/s (above 1 is faster) | **2.71** | 2.39 | 3.08 | 38 | faster in all |",
        "| TTFT (below 1 is faster) | **0.25** | 0.13 | 0.43 | 32 | faster in all |",
        "<details><summary>Total tok/s, cell by cell</summary>",
        "<details><summary>TTFT, cell by cell</summary>",
        "×2.86 faster<br>82.9 → 237.1",
        "B over capacity",
        "TTFT includes prefill",
    ] {
        assert!(text.contains(part), "{part}\nis not in\n{text}");
    }
    assert_eq!(
        text.matches("<details>").count(),
        text.matches("</details>").count()
    );
    let output = generate(&["diff", A, B, "--format", "json"], root());
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["schema"], "speedbook.comparison/1");
    assert_eq!(json["counts"]["compared"], 42);
    let schema = generate(&["schema", "comparison"], root());
    let schema: Value = serde_json::from_slice(&schema.stdout).unwrap();
    assert!(jsonschema::validator_for(&schema).unwrap().is_valid(&json));
}

#[test]
fn exit_codes() {
    let same = [100.0, 190.0, 350.0, 600.0];
    let dir = folder(&[
        ("a.json", run("A", json!({}), &valid(&same))),
        (
            "worse.json",
            run("B", json!({}), &valid(&[90.0, 171.0, 315.0, 540.0])),
        ),
        // One cell is slower by a fifth; the mean is 0.96 of all, 0.95 of the three with few.
        (
            "one.json",
            run("B", json!({}), &valid(&[80.0, 195.0, 360.0, 610.0])),
        ),
        (
            "noise.json",
            run("B", json!({}), &valid(&[95.0, 181.0, 333.0, 571.0])),
        ),
        (
            "lost.json",
            run(
                "B",
                json!({}),
                &[
                    (1, 100.0, "valid"),
                    (2, 190.0, "valid"),
                    (4, 350.0, "valid"),
                    (8, 0.0, "over_capacity"),
                ],
            ),
        ),
        ("none.json", run("B", json!({}), &[])),
        ("wrong.json", "{\"schema\": \"speedbook.run/1\"".to_owned()),
        ("other.json", "{}".to_owned()),
    ]);
    let code = |args: &[&str]| {
        let mut all = vec!["diff"];
        all.extend(args);
        generate(&all, dir.path()).status.code().unwrap()
    };
    for (args, expected) in [
        (&["a.json", "worse.json"][..], 0),
        (&["a.json", "worse.json", "--fail-on", "worse"], 1),
        (&["worse.json", "a.json", "--fail-on", "worse"], 0),
        (
            &[
                "a.json",
                "worse.json",
                "--fail-on",
                "worse",
                "--threshold",
                "15%",
            ],
            0,
        ),
        (
            &[
                "a.json",
                "worse.json",
                "--fail-on",
                "worse",
                "--metric",
                "ttft",
            ],
            0,
        ),
        (
            &[
                "a.json",
                "worse.json",
                "--fail-on",
                "worse",
                "--metric",
                "ttft",
                "--metric",
                "total",
            ],
            1,
        ),
        (&["a.json", "worse.json", "--fail-on", "lost"], 0),
        (&["a.json", "noise.json", "--fail-on", "worse"], 0),
        (
            &[
                "a.json",
                "noise.json",
                "--fail-on",
                "worse",
                "--threshold",
                "2%",
            ],
            1,
        ),
        (&["a.json", "one.json", "--fail-on", "worse"], 0),
        (&["a.json", "lost.json", "--fail-on", "worse"], 0),
        (&["a.json", "lost.json", "--fail-on", "lost"], 1),
        (
            &[
                "a.json",
                "lost.json",
                "--fail-on",
                "worse",
                "--fail-on",
                "lost",
            ],
            1,
        ),
        (&["a.json", "lost.json", "--fail-on", "worse,lost"], 1),
        (&["a.json", "none.json", "--fail-on", "worse"], 0),
        (&["a.json", "wrong.json"], 2),
        (&["a.json", "other.json"], 2),
        (&["a.json", "absent.json"], 2),
        (&["a.json", "."], 2),
        (&["a.json"], 2),
        (&["a.json", "worse.json", "--threshold", "120%"], 2),
        (&["a.json", "worse.json", "--metric", "speed"], 2),
        (&["a.json", "worse.json", "--format", "html"], 2),
    ] {
        assert_eq!(code(args), expected, "{args:?}");
    }
    let output = generate(
        &["diff", "a.json", "none.json", "--fail-on", "worse"],
        dir.path(),
    );
    assert!(
        stderr(&output).contains("no valid cell in common"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn folders_are_paired_by_their_facts() {
    let facts = |gpu: &str, version: &str| json!({"hardware": {"gpu": gpu, "gpu_count": 2}, "model": {"name": "M"}, "engine": {"name": "vllm", "version": version}});
    let before = [100.0, 190.0];
    let dir = folder(&[
        (
            "before/one.json",
            run("One", facts("H100", "1"), &valid(&before)),
        ),
        (
            "before/two.json",
            run("Two", facts("H200", "1"), &valid(&before)),
        ),
        (
            "before/gone.json",
            run("Gone", facts("L40", "1"), &valid(&before)),
        ),
        ("before/.hidden.json", "{".to_owned()),
        ("before/notes.md", "no run".to_owned()),
        (
            "after/deep/renamed.json",
            run("One", facts("h100", "2"), &valid(&[50.0, 95.0])),
        ),
        (
            "after/two.json",
            run("Two", facts("H200", "2"), &valid(&before)),
        ),
        (
            "after/new.json",
            run("New", facts("B200", "2"), &valid(&before)),
        ),
        ("empty/x.md", String::new()),
    ]);
    let output = generate(&["diff", "before", "after"], dir.path());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    for part in [
        "0.50 times the total tok/s",
        "No clear difference in total tok/s",
        "Pairs of runs with equal facts: 2.",
        "Only in A, without a partner: 1\n  Gone (gone)",
        "Only in B, without a partner: 1\n  New (new)",
    ] {
        assert!(text.contains(part), "{part}\nis not in\n{text}");
    }
    let code = |args: &[&str]| generate(args, dir.path()).status.code();
    assert_eq!(
        code(&["diff", "before", "after", "--fail-on", "worse"]),
        Some(1)
    );
    assert_eq!(
        code(&["diff", "before", "after", "--fail-on", "lost"]),
        Some(1),
        "a run is gone"
    );
    assert_eq!(code(&["diff", "before", "empty"]), Some(2));
    let output = generate(&["diff", "before", "after", "--format", "json"], dir.path());
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let pairs: Vec<(&str, &str)> = json
        .as_array()
        .unwrap()
        .iter()
        .map(|c| (c["a"].as_str().unwrap(), c["verdict"].as_str().unwrap()))
        .collect();
    assert_eq!(pairs, [("one", "one_thing"), ("two", "one_thing")]);
    let told = stderr(&output);
    assert!(
        told.contains("warning: Gone (gone) is only in A, without a partner"),
        "{told}"
    );
    let output = generate(
        &["diff", "before", "after", "--format", "markdown"],
        dir.path(),
    );
    let text = stdout(&output);
    assert!(
        text.contains("- Gone (gone)\n") && text.contains("- New (new)\n"),
        "{text}"
    );
}

/// 200 contexts × 200 concurrencies with long and hostile labels.
fn hostile(title: &str, factor: f64) -> String {
    let mut decode = Vec::new();
    for row in 0..200_u64 {
        for n in 1..=200_u64 {
            decode.push(json!({
                "context_label": format!("| <script>`@someone ![x](y) {row} {}", "…long".repeat(20)),
                "context_tokens": 1000 + row * 1000,
                "concurrency": n,
                "status": "valid",
                "total_tok_per_s": 1234.5 * factor,
                "per_request_tok_per_s": 1234.5 * factor,
                "ttft_ms": 1234.5,
                "itl_ms": 12.5,
            }));
        }
    }
    let mut command = "vllm serve m".to_owned();
    for n in 0..3000 {
        write!(command, " --flag-{n} value-{factor}-{n}").unwrap();
    }
    json!({"schema": "speedbook.run/1", "slug": title, "title": format!("{title} <b>|`@all` # {}", "x".repeat(3000)), "launch_command": command, "prefill": [], "decode": decode, "engine": {"version": format!("{factor}</summary></details> # head")}}).to_string()
}

#[test]
fn markdown_fits_a_comment_whatever_the_runs_hold() {
    let dir = folder(&[("a.json", hostile("a", 1.0)), ("b.json", hostile("b", 2.0))]);
    let args = [
        "diff",
        "a.json",
        "b.json",
        "--format",
        "markdown",
        "--metric",
        "total,per-request,ttft,itl,per-gpu",
    ];
    let output = generate(&args, dir.path());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.chars().count() < 60_000, "{}", text.chars().count());
    assert!(text.contains("more contexts are left out."));
    assert!(text.contains("168 more concurrencies are left out."));
    assert!(text.contains("more flags are left out."));
    // One is in a value, inside a code span.
    let closed = text.lines().filter(|line| *line == "</details>").count();
    assert_eq!(text.matches("<details>").count(), closed);
    // The only HTML is our own.
    for event in Parser::new_ext(&text, Options::ENABLE_TABLES) {
        match event {
            Event::Html(html) | Event::InlineHtml(html) => {
                let html = html.trim();
                let own = html == "<br>"
                    || html == "</details>"
                    || html.starts_with("<details><summary>");
                assert!(own, "{html}");
            }
            Event::Start(Tag::Image { .. } | Tag::Link { .. }) => panic!("a link of content"),
            _ => {}
        }
    }
    assert!(
        !text.contains(" @all") && !text.contains("@someone"),
        "nobody is called"
    );
    // The terminal's lines stay in their columns.
    let output = generate(&["diff", "a.json", "b.json"], dir.path());
    for line in stdout(&output).lines() {
        assert!(line.width() <= 80, "{line}");
    }
}

#[test]
fn many_pairs_fit_a_comment_too() {
    let mut files = Vec::new();
    for n in 0..300 {
        let facts = json!({"hardware": {"gpu": format!("GPU {n}")}});
        let title = format!("Run {n} {}", "long".repeat(30));
        files.push((
            format!("a/{n}.json"),
            run(&title, facts.clone(), &valid(&[100.0; 8])),
        ));
        files.push((
            format!("b/{n}.json"),
            run(&title, facts, &valid(&[120.0; 8])),
        ));
    }
    let files: Vec<(&str, String)> = files.iter().map(|(p, t)| (p.as_str(), t.clone())).collect();
    let dir = folder(&files);
    let output = generate(&["diff", "a", "b", "--format", "markdown"], dir.path());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.chars().count() < 60_000, "{}", text.chars().count());
    assert!(
        text.contains("more pairs are left out.")
            && text.contains("Pairs of runs with equal facts: 300.")
    );
    assert_eq!(
        text.matches("<details>").count(),
        text.matches("</details>").count()
    );
}

#[test]
fn secrets_and_controls_never_reach_the_output() {
    let secret = "vllm serve m --api-key sk-proj-Ab3dEf6hIj9kLmN2 --port 1";
    let other = "HF_TOKEN=hf_QwErTyUiOpAsDfGhJkLzXcVbNmQw vllm serve m --password hunter2x --port 2 --x /home/alice/y";
    let of = |title: &str, command: &str| {
        run(
            title,
            json!({"launch_command": command, "author": "\u{1b}[31mred\u{202e}", "notes": ["token=hunter2x"]}),
            &valid(&[1.0]),
        )
    };
    let dir = folder(&[
        ("a.json", of("A", secret)),
        ("b.json", of("B \u{1b}]0;x\u{7}", other)),
    ]);
    for format in ["text", "markdown", "json"] {
        let output = generate(
            &["diff", "a.json", "b.json", "--format", format],
            dir.path(),
        );
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let text = format!("{}{}", stdout(&output), stderr(&output));
        for hidden in ["sk-proj", "hf_Qw", "hunter2x", "alice", "\u{1b}", "\u{7}"] {
            assert!(!text.contains(hidden), "{hidden:?} in {format}:\n{text}");
        }
        assert!(text.contains("--port"), "{text}");
    }
}

#[test]
fn the_help_has_examples_and_exit_codes() {
    let output = generate(&["diff", "--help"], root());
    let text = stdout(&output);
    for part in [
        "Examples:",
        "gen diff before.json after.json",
        "Exit codes: 0 fine, 1",
        "--fail-on",
        "--threshold",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn among_many_pairs_the_one_that_is_worse_comes_first_and_is_named() {
    let mut files = Vec::new();
    for at in 0..300 {
        let model = json!({"model": {"name": format!("m{at}")}});
        let cells = valid(&[100.0, 190.0, 350.0]);
        let half: Vec<_> = cells.iter().map(|(n, t, s)| (*n, t / 2.0, *s)).collect();
        let title = format!("run {at}");
        files.push((format!("a/r{at}.json"), run(&title, model.clone(), &cells)));
        let b = if at == 290 { &half } else { &cells };
        files.push((format!("b/r{at}.json"), run(&title, model, b)));
    }
    let files: Vec<(&str, String)> = files.iter().map(|(p, t)| (p.as_str(), t.clone())).collect();
    let dir = folder(&files);
    let output = generate(
        &[
            "diff",
            "a",
            "b",
            "--format",
            "markdown",
            "--fail-on",
            "worse",
        ],
        dir.path(),
    );
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let comment = stdout(&output);
    assert!(comment.chars().count() < 60_000);
    let first = comment
        .lines()
        .find(|line| line.starts_with("| run"))
        .unwrap();
    assert!(
        first.contains("run 290") && first.contains("0.50"),
        "{first}"
    );
    let heading = comment
        .lines()
        .find(|line| line.starts_with("### "))
        .unwrap();
    assert!(heading.starts_with("### run 290: "), "{heading}");
    assert!(
        stderr(&output).contains("run 290 (run290): worse"),
        "{}",
        stderr(&output)
    );
}
