//! Report texts come in whole: both published reports to the last figure, what copying does to
//! them, and every error and warning with its line and words.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test may fail"
)]

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use speedbook::diagnostic::{Diagnostic, Severity};
use speedbook::import::{Imported, Outcome, import};
use speedbook::run::{Context, Fact, Figure, Measurement, Metric, Phase, Run, Status};

const FIRST: &str = include_str!("fixtures/reports/000_0c695113e7a3cf0b.txt");
const SECOND: &str = include_str!("fixtures/reports/001_9ca01d13c50de007.txt");

fn read(text: &str) -> Result<Imported, Vec<Diagnostic>> {
    match import("content/runs/a.txt", text.as_bytes()) {
        Ok(Outcome::Run(imported)) => {
            assert!(
                imported
                    .warnings
                    .iter()
                    .all(|p| p.severity() == Severity::Warning)
            );
            Ok(*imported)
        }
        Ok(other) => panic!("{other:?}"),
        Err(problems) => {
            assert!(!problems.is_empty());
            assert!(problems.iter().all(|p| p.severity() == Severity::Error));
            Err(problems)
        }
    }
}

/// The problems of a text in words, whether it was read or not.
fn told(text: &str) -> String {
    let problems = match read(text) {
        Ok(imported) => imported.warnings,
        Err(problems) => problems,
    };
    let words: Vec<String> = problems.iter().map(ToString::to_string).collect();
    words.join("\n")
}

/// The run of a text that must have no problem.
fn clean(text: &str) -> Run {
    match read(text) {
        Ok(imported) if imported.warnings.is_empty() => imported.run,
        _ => panic!("{}\n{text}", told(text)),
    }
}

fn cell<'a>(run: &'a Run, phase: Phase, label: &str, concurrency: u64) -> &'a Measurement {
    run.phase(phase)
        .iter()
        .find(|m| m.context.label == label && m.concurrency == concurrency)
        .unwrap_or_else(|| panic!("no {label} × {concurrency}"))
}

/// The text with one place changed; the place must be there once.
fn with(text: &str, old: &str, new: &str) -> String {
    assert_eq!(text.matches(old).count(), 1, "{old:?} is not there once");
    text.replace(old, new)
}

/// The text without the line that begins so.
fn without(text: &str, start: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let kept: Vec<&str> = lines
        .iter()
        .copied()
        .filter(|l| !l.starts_with(start))
        .collect();
    assert_eq!(kept.len() + 1, lines.len(), "{start:?} is not there once");
    kept.join("\n")
}

/// The table of all measurements, cell by cell, taken from the text by means of its own.
fn table(text: &str) -> Vec<Vec<String>> {
    text.lines()
        .filter_map(|line| {
            let cells: Vec<String> = match line.strip_prefix("| ") {
                Some(line) => line
                    .trim_end_matches(" |")
                    .split(" | ")
                    .map(str::to_owned)
                    .collect(),
                None => line.split('\t').map(str::to_owned).collect(),
            };
            let row = matches!(
                cells.first().map(String::as_str),
                Some("Prefill" | "Sustained decode")
            );
            (row && cells.len() == 12).then_some(cells)
        })
        .collect()
}

const COLUMNS: [Metric; 8] = [
    Metric::TotalTokPerS,
    Metric::PerRequestTokPerS,
    Metric::TtftMs,
    Metric::ItlMs,
    Metric::ActiveRequests,
    Metric::CompletedRequests,
    Metric::OutputTokens,
    Metric::MeasuredSeconds,
];

#[test]
fn every_figure_of_both_reports_is_read() {
    for (text, valid, queued, over) in [(FIRST, 44 + 7, 4, 0), (SECOND, 41 + 7, 1, 6)] {
        let run = clean(text);
        let rows = table(text);
        assert_eq!(rows.len(), 55);
        assert_eq!((run.prefill.len(), run.decode.len()), (7, 48));
        assert!(run.burst.is_empty());
        for row in &rows {
            let phase = if row[0] == "Prefill" {
                Phase::Prefill
            } else {
                Phase::Decode
            };
            let m = cell(&run, phase, &row[1], row[2].parse().unwrap());
            assert_eq!(m.status.label(), row[3]);
            let k: u64 = row[1].trim_end_matches('K').parse().unwrap();
            assert_eq!(
                m.context,
                Context {
                    label: row[1].clone(),
                    tokens: Some(k * 1024),
                    derived: true
                }
            );
            let mut shown = 0;
            for (metric, text) in COLUMNS.iter().zip(&row[4..]) {
                let metric = match (phase, metric) {
                    (Phase::Prefill, Metric::TotalTokPerS) => Metric::PrefillTokPerS,
                    (_, metric) => *metric,
                };
                let got = m.get(metric).map(|figure| metric.show_with_unit(figure));
                let got = got.as_deref().map(|t| t.trim_end_matches(" tok/s"));
                assert_eq!(got.unwrap_or("—"), text, "{row:?} {metric:?}");
                shown += usize::from(got.is_some());
            }
            assert_eq!(m.figures.iter().count(), shown, "{row:?}");
        }
        let count = |status| {
            run.prefill
                .iter()
                .chain(&run.decode)
                .filter(|m| m.status == status)
                .count()
        };
        assert_eq!(count(Status::Valid), valid);
        assert_eq!(count(Status::Queued), queued);
        assert_eq!(count(Status::OverCapacity), over);
    }
}

#[test]
fn figures_keep_the_step_that_they_were_given_in() {
    let run = clean(FIRST);
    let prefill = |label| cell(&run, Phase::Prefill, label, 1).get(Metric::PrefillTokPerS);
    assert_eq!(prefill("8K"), Some(Figure::rounded(13_700.0, 100.0)));
    assert_eq!(prefill("16K"), Some(Figure::rounded(15_000.0, 1000.0)));
    // 9,769 in the list, 9,769.0 in the table.
    assert_eq!(prefill("128K"), Some(Figure::rounded(9769.0, 0.1)));
    let m = cell(&run, Phase::Decode, "8K", 32);
    assert_eq!(
        m.get(Metric::TotalTokPerS),
        Some(Figure::rounded(1078.8, 0.1))
    );
    assert_eq!(m.get(Metric::TtftMs), Some(Figure::rounded(7837.0, 1.0)));
    assert_eq!(m.get(Metric::OutputTokens), Some(Figure::exact(32_320.0)));
    assert_eq!(m.get(Metric::CompletedRequests), Some(Figure::exact(0.0)));
}

#[test]
fn every_fact_of_both_reports_is_read() {
    let facts = |text| -> Vec<String> {
        let run = clean(text);
        run.facts
            .iter()
            .filter(|(fact, _)| *fact != Fact::LaunchCommand)
            .map(|(fact, value)| format!("{}={value}", fact.path()))
            .collect()
    };
    assert_eq!(
        facts(FIRST),
        [
            "author=@keennaylmx",
            "measured_at=2026-09-13T02:25:00Z",
            "model.name=Qwen3.5-397B-A17B-NVFP4-V2",
            "model.revision=main",
            "model.served_name=qwen",
            "hardware.type=Discrete GPU",
            "hardware.gpu=H200 SXM",
            "hardware.gpu_count=4",
            "hardware.vram_gb_per_gpu=141",
            "hardware.os=linux",
            "engine.name=vllm",
            "engine.version=0.28.1rc1.dev562+g9c2d21046",
            "engine.quantization=NVFP4+FP8",
            "engine.backend=cuda",
            "engine.repository=github.com/vllm-project/vllm",
            "engine.build=cuda-13.2",
            "engine.commit=9c2d21046bb3",
            "method.tool=llm-inference-bench",
            "method.tool_version=0.6.2",
            "method.decode_test=Fixed duration",
            "method.prefill_mode=Measured during decode warm-up",
            "method.seconds_per_measurement=30",
            "method.max_output_tokens=4096",
        ]
    );
    assert_eq!(
        facts(SECOND),
        [
            "model.name=Qwen3.5-122B-A10B-GPTQ-Int4",
            "model.revision=main",
            "model.served_name=qwen",
            "hardware.type=Discrete GPU",
            "hardware.gpu=H200 NVL",
            "hardware.gpu_count=2",
            "hardware.vram_gb_per_gpu=141",
            "hardware.os=linux",
            "engine.name=vllm",
            "engine.version=0.26.1rc1.dev638+g52be12cfa",
            "engine.quantization=INT4",
            "engine.backend=cuda",
            "engine.repository=github.com/vllm-project/vllm",
            "engine.build=cuda-13.2",
            "engine.commit=52be12cfac0c",
            "method.tool=llm-inference-bench",
            "method.tool_version=0.4.29",
            "method.decode_test=Fixed duration",
            "method.prefill_mode=Measured during decode warm-up",
            "method.seconds_per_measurement=30",
            "method.max_output_tokens=4096",
        ]
    );
    let (first, second) = (clean(FIRST), clean(SECOND));
    assert_eq!(first.tags, ["dev import"]);
    assert!(second.tags.is_empty());
    for run in [&first, &second] {
        assert_eq!(
            run.notes,
            [
                "TTFT is measured after the benchmark warms the server's prompt cache, so it mostly excludes prefill."
            ]
        );
        assert!(run.complete && run.ranked);
        assert_eq!(run.source.format, "report-text");
    }
    let command = |run: &Run| run.facts.text(Fact::LaunchCommand).unwrap().to_owned();
    for (run, text) in [(&first, FIRST), (&second, SECOND)] {
        let line = text.lines().find(|l| l.contains(" serve ")).unwrap();
        assert_eq!(command(run), line.trim_end_matches("Prefill"));
    }
}

/// Both reports, changed by a function, say what they said.
fn survives(what: &str, change: impl Fn(&str) -> String) {
    for text in [FIRST, SECOND] {
        let changed = change(text);
        let (expected, got) = (clean(text), clean(&changed));
        assert_eq!(expected, got, "{what}");
    }
}

#[test]
fn what_copying_does_changes_nothing() {
    survives("CRLF", |t| t.replace('\n', "\r\n"));
    survives("BOM", |t| format!("\u{feff}{t}"));
    survives("no-break blanks", |t| {
        t.lines()
            .map(|l| {
                if l.contains(" serve ") {
                    l.to_owned()
                } else {
                    l.replace(' ', "\u{a0}")
                }
            })
            .collect::<Vec<_>>()
            .join("\n")
    });
    survives("thin blanks", |t| {
        t.replace(" ms", "\u{2009}ms")
            .replace(" s\n", "\u{202f}s\n")
    });
    survives("x", |t| t.replace('×', "x"));
    survives("hyphens", |t| t.replace(['—', '–'], "-"));
    survives("other dashes", |t| {
        t.replace("—", "–").replace("\n- ", "\n– ")
    });
    survives("trailing blanks", |t| {
        t.replace('\n', "  \t\n").replace("|  \t\n", "|  \n")
    });
    survives("no blank lines", |t| {
        let lines: Vec<&str> = t.lines().filter(|l| !l.is_empty()).collect();
        lines.join("\n")
    });
    survives("more blank lines", |t| t.replace('\n', "\n\n \n"));
    for mark in ["## ", "# ", "### "] {
        survives("headings", |t| {
            let mut out = String::new();
            for line in t.lines() {
                let heading = ["Hardware", "Engine", "Run", "Launch command", "Prefill"]
                    .contains(&line)
                    || ["Sustained decode", "All measurements", "Speed test matrix"]
                        .contains(&line)
                    || line.contains(" on H200 ");
                writeln!(out, "{}{line}", if heading { mark } else { "" }).unwrap();
            }
            out
        });
    }
    survives("bold", |t| {
        let mut out = String::new();
        for line in t.lines() {
            if let Some((label, value)) = line.split_once(": ").filter(|(l, _)| l.len() < 25) {
                writeln!(out, "**{label}:** {value}").unwrap();
            } else if !line.is_empty() && line.len() < 25 && !line.starts_with("- ") {
                writeln!(out, "**{line}**").unwrap();
            } else {
                writeln!(out, "{line}").unwrap();
            }
        }
        out
    });
    survives("no dashes in lists", |t| t.replace("\n- ", "\n"));
    survives("stars in lists", |t| t.replace("\n- ", "\n* "));
}

#[test]
fn a_row_may_be_broken_in_any_place() {
    for (text, row) in [
        (FIRST, "8K\t82.9584"),
        (FIRST, "Sustained decode\t251K\t128"),
        (SECOND, "| 64K | 225.8353"),
        (SECOND, "| Sustained decode | 251K | 128 |"),
        (SECOND, "| Sustained decode | 128K | 2 |"),
        (SECOND, "251K context"),
    ] {
        let expected = clean(text);
        let start = text.find(row).unwrap();
        let length = text[start..].find('\n').unwrap();
        for at in 1..length {
            if !text.is_char_boundary(start + at) {
                continue;
            }
            let (front, back) = text.split_at(start + at);
            let got = clean(&format!("{front}\n{back}"));
            assert_eq!(got, expected, "{row} broken at {at}");
        }
    }
}

/// A small report whose parts can be left out.
const SMALL: &str = "Speed test matrix
org/Tiny on RTX 4090 24GB ×1
vllm · 1.2 · FP8 · 2 contexts (0–8K) × 2 concurrency levels (1–2) · prefill at 8K, 128K
by @someone
Measured Sep 13, 2026
Hardware
Type: Discrete GPU
GPU: RTX 4090
GPU count: 1
VRAM: 24 GB
Run
Benchmark tool: other-bench v2
Launch command
vllm serve org/Tiny
Prefill
8K context9,769839 ms TTFT
128K context12313,174 ms TTFT
Sustained decode
Context\t1\t2
0\t82.9584 ms TTFT\t164.0Requests queued878 ms TTFT
8K\t81.5596 ms TTFT\tOver capacity
All measurements
Phase\tContext\tRequests at once\tStatus\tTotal tok/s\tTTFT
Prefill\t8K\t1\tValid\t9,769.0\t839 ms
Prefill\t128K\t1\tValid\t123.0\t13,174 ms
Sustained decode\t0\t1\tValid\t82.9\t584 ms
Sustained decode\t0\t2\tRequests queued\t164.0\t878 ms
Sustained decode\t8K\t1\tValid\t81.5\t596 ms
Sustained decode\t8K\t2\tOver capacity\t—\t—
";

/// The text without the lines from one that begins so up to, not including, another.
fn cut(text: &str, from: &str, to: &str) -> String {
    let (mut inside, mut done) = (false, false);
    let mut out = String::new();
    for line in text.lines() {
        inside |= line.starts_with(from) && !done;
        done |= inside;
        inside &= to.is_empty() || !line.starts_with(to);
        if !inside {
            writeln!(out, "{line}").unwrap();
        }
    }
    out
}

#[test]
fn any_section_may_be_missing() {
    let whole = clean(SMALL);
    assert_eq!(whole.facts.text(Fact::ModelId), Some("org/Tiny"));
    assert_eq!(whole.facts.text(Fact::ModelName), Some("Tiny"));
    assert_eq!(whole.facts.number(Fact::VramGbPerGpu), Some(24.0));
    assert_eq!(whole.facts.text(Fact::Quantization), Some("FP8"));
    // Only llm-inference-bench is known to count K as 1024.
    assert_eq!(whole.decode[0].context, Context::from_label("0", false));
    for (from, to) in [
        ("by ", "Measured"),
        ("Measured", "Hardware"),
        ("Hardware", "Run"),
        ("Run", "Launch"),
        ("Launch", "Prefill"),
        ("Prefill", "Sustained"),
        ("Sustained", "All"),
    ] {
        let got = clean(&cut(SMALL, from, to));
        assert_eq!(got.decode, whole.decode, "{from}");
        assert_eq!(got.prefill, whole.prefill, "{from}");
    }
    // Without the table the matrix alone makes the measurements, with what it has.
    let text = with(&cut(SMALL, "All", ""), "12313,174", "9,76913,174");
    let got = clean(&text);
    assert_eq!(got.decode, whole.decode);
    assert_eq!(
        got.prefill[0].get(Metric::PrefillTokPerS),
        Some(Figure::rounded(9769.0, 1.0))
    );
}

#[test]
fn sections_come_in_any_order_and_other_sizes() {
    let prefill = "Prefill\n8K context9,769839 ms TTFT\n128K context12313,174 ms TTFT\n";
    let moved = format!("{}{prefill}", with(SMALL, prefill, ""));
    assert_eq!(clean(&moved), clean(SMALL));

    let one = "Speed test matrix\nm on CPU\nllama.cpp · b1 · Q4_K_M1 context (1M) × 1 concurrency level (4)\nSustained decode\n| Context | 4 |\n|---|---|\n| 1M | 3.2Failed: out of time12 ms TTFT |\n";
    let run = clean(one);
    assert_eq!(run.decode.len(), 1);
    assert_eq!(run.decode[0].status, Status::Failed);
    assert_eq!(run.decode[0].reason.as_deref(), Some("out of time"));
    assert_eq!(run.facts.text(Fact::Quantization), Some("Q4_K_M"));
    assert_eq!(run.facts.text(Fact::Gpu), None);

    let row = "Speed test matrix\nm on L4 24GB\nvllm · 1 · FP8 · 1 context (512) × 3 concurrency levels (1–1,024)\nSustained decode\nContext\t1\t16\t1,024\n512\t3.212 ms TTFT\t4.013 ms TTFT\t5.014 ms TTFT\n";
    assert_eq!(clean(row).decode[2].concurrency, 1024);
}

#[test]
fn a_second_matrix_of_bursts_is_kept_apart() {
    let burst = "Burst\nContext\t1\t2\n8K\t70.1600 ms TTFT\t90.1700 ms TTFT\n";
    let text = with(
        SMALL,
        "All measurements\n",
        &format!("{burst}All measurements\n"),
    ) + "Burst\t8K\t1\tValid\t70.1\t600 ms\nBurst\t8K\t2\tValid\t90.1\t700 ms\n";
    let run = clean(&text);
    assert_eq!(run.decode, clean(SMALL).decode);
    assert_eq!(
        run.burst[1].get(Metric::TotalTokPerS),
        Some(Figure::rounded(90.1, 0.1))
    );
}

#[test]
fn a_hostile_text_does_not_hang() {
    let long = 10 << 20;
    let head = &SECOND[..SECOND.find("All measurements").unwrap()];
    let many = |part: &str| {
        let size = if part.ends_with('\n') { long / 8 } else { long };
        part.repeat(size / part.len())
    };
    for text in [
        format!("Speed test matrix\n{}", many("9")),
        format!(
            "Speed test matrix\n{}",
            many("prompt tok/s by context length")
        ),
        format!("Speed test matrix\n{}", many("8K context")),
        format!(
            "Speed test matrix\n{}",
            many("8K context1,0001,000 ms TTFT")
        ),
        format!("Speed test matrix\n{}", many("6 contexts (")),
        format!("Speed test matrix\n{}", many("|")),
        format!("Speed test matrix\nContext\t{}", many("1\t")),
        format!("{head}{}", many("|---")),
        format!("{head}| 8K | {}", many("9")),
        format!("{head}{}", many("| Context | 1 |\n")),
        format!("{head}{}", many("8K\t\n")),
        format!("{head}{}", many("|")),
        format!("{head}{}", many("```\n")),
        format!("{head}{}", many("a\n")),
        format!(
            "Speed test matrix\nContext\t1\n{}",
            many("8K\t1.01 ms TTFT\n")
        ),
        format!("Speed test matrix\nContext\t1\t2\n{}", many("8K\n")),
        format!(
            "<!-- speedbook.run/1 -->\n# a\n## Hardware\n- GPU: {}",
            many("<a`[](&")
        ),
    ] {
        let start = Instant::now();
        let _ = read(&text);
        let name: String = text.chars().rev().take(40).collect();
        assert!(
            start.elapsed() < Duration::from_secs(10),
            "{:?} for {name:?}",
            start.elapsed()
        );
    }
}

#[test]
fn other_texts_are_not_recognised() {
    for (path, text) in [
        ("a.txt", "A speed test.\nThe matrix has you.\n"),
        (
            "a.txt",
            "Sustained decode is fast, all measurements are fine\n",
        ),
        ("a.txt", ""),
        ("a.md", "# Sustained decode\n"),
        ("a.csv", FIRST),
    ] {
        let problems = import(path, text.as_bytes()).unwrap_err();
        assert!(
            problems[0].to_string().starts_with("error[E0101]"),
            "{path} {text}"
        );
    }
    for text in [
        "## Sustained decode\n",
        "**All measurements**\n",
        "Speed test matrixm on L4\n",
    ] {
        let problems = import("a.txt", text.as_bytes()).unwrap_err();
        assert!(
            !problems[0].to_string().starts_with("error[E0101]"),
            "{text}"
        );
    }
}

/// A page of our own, as far as this importer must know it.
const OWN: &str = "# Tiny on 2 × RTX 4090

<!-- speedbook.run/1 -->

by Jane \\*J\\* Doe · Measured Sep 13, 2026, 02:25 (time zone not given) · vllm 1.2

## Key figures

| Figure | Value | Cell |
|:--|--:|:--|
| one request alone | 82.93 | 8K × 1 |

## Sustained decode

Total tok/s with TTFT; rows are contexts.

| Context |                     1 |                                              2 |
|:--------|----------------------:|-----------------------------------------------:|
| 8K      | **82.93** · 4.2 ms    | 2,244.4 Requests queued · 30,178 ms TTFT       |
| 131,072 | 12.5K<br>1.429 ms     | Failed: loop                                   |
| 1M      | 0.5                   | —                                              |

- **Requests queued:** the server could not run all requests at once, so some waited in a queue.
- TTFT is measured after the warm-up.

### TTFT

| Context | 1 | 2 |
|---|---|---|
| 8K | 4.2 | 30,178 |

## Prefill

| Context | Prompt tok/s | TTFT (ms) |
|:--|--:|--:|
| 8K | 13.7K | 599 |

## Launch command

```sh
vllm serve org/Tiny \\
  --port 8000 \\
  --api-key \"$API_KEY\"
# a comment
```

## Settings read from the launch command

- **Port:** `8000`

## Hardware

- **GPU:** RTX 4090
- **GPU count:** 2
- **VRAM per GPU:** 24 GB

Not given: OS, CPU

## Engine

| Fact | Value |
|:--|:--|
| Engine | vllm |
| Version | `1.2|a` |
| Quantization | Q4\\_K\\_M &amp; FP8 |

## Model

- **Model:** Tiny
- **Model id:** org/Tiny
- **Original:** <https://example.org/a_b>

## Method

- **Benchmark tool:** other-bench
- **Tool version:** 2
- **Time per measurement:** 30 s

## All measurements

| Phase | Context | Requests at once | Status | Total tok/s | Prompt tok/s | TTFT | p99 TTFT | Time with a queue | Completed requests | Accepted tokens per step |
|:--|--:|--:|:--|--:|--:|--:|--:|--:|--:|--:|
| Prefill | 8K | 1 | Valid | — | 13.7K | 599 ms | — | — | 1 | — |
| Sustained decode | 8K | 1 | Valid | 82.93 | — | 4.2 ms | 1.234 ms | 0.0 % | 12 | 2.31 |
| Sustained decode | 8K | 2 | Requests queued | 2,244.4 | — | 30,178 ms | 31,000 ms | 12.5 % | 3 | — |
| Sustained decode | 131,072 | 1 | Valid | 12.5K | — | 1.429 ms | — | — | — | — |
| Sustained decode | 131,072 | 2 | Failed: loop | — | — | — | — | — | — | — |
| Sustained decode | 1M | 1 | Valid | 0.5 | — | — | — | — | — | — |

## Definitions

- **TTFT:** Median time to first token.

## Downloads

[run.json](run.json) | [CSV](measurements.csv)
";

#[test]
fn our_own_pages_are_read_back() {
    let text = OWN.replace("`1.2|a`", "`1.2\\|a`");
    let run = clean(&text);
    let facts: Vec<String> = run
        .facts
        .iter()
        .map(|(fact, value)| format!("{}={value}", fact.path()))
        .collect();
    assert_eq!(
        facts,
        [
            "title=Tiny on 2 × RTX 4090",
            "author=Jane *J* Doe",
            "measured_at=2026-09-13T02:25:00",
            "launch_command=vllm serve org/Tiny --port 8000 --api-key \"$API_KEY\"\n# a comment",
            "source_url=https://example.org/a_b",
            "model.name=Tiny",
            "model.id=org/Tiny",
            "hardware.gpu=RTX 4090",
            "hardware.gpu_count=2",
            "hardware.vram_gb_per_gpu=24",
            "engine.name=vllm",
            "engine.version=1.2|a",
            "engine.quantization=Q4_K_M & FP8",
            "method.tool=other-bench",
            "method.tool_version=2",
            "method.seconds_per_measurement=30",
        ]
    );
    assert_eq!(run.notes, ["TTFT is measured after the warm-up."]);
    assert_eq!(run.decode.len(), 5);
    let m = cell(&run, Phase::Decode, "8K", 1);
    assert_eq!(
        m.get(Metric::TotalTokPerS),
        Some(Figure::rounded(82.93, 0.01))
    );
    assert_eq!(
        m.get(Metric::TtftP99Ms),
        Some(Figure::rounded(1.234, 0.001))
    );
    assert_eq!(
        m.get(Metric::SpeculativeAcceptLength),
        Some(Figure::rounded(2.31, 0.01))
    );
    let queued = cell(&run, Phase::Decode, "8K", 2);
    assert_eq!(queued.status, Status::Queued);
    assert_eq!(
        queued.get(Metric::QueueShare),
        Some(Figure::rounded(0.125, 0.001))
    );
    let failed = cell(&run, Phase::Decode, "131,072", 2);
    assert_eq!(failed.reason.as_deref(), Some("loop"));
    assert_eq!(
        cell(&run, Phase::Prefill, "8K", 1).get(Metric::PrefillTokPerS),
        Some(Figure::rounded(13_700.0, 100.0))
    );
}

/// The text without its table of all measurements.
fn untabled(text: &str) -> &str {
    text.split("All measurements").next().unwrap()
}

/// The line with these words, from 1.
fn line_of(text: &str, words: &str) -> usize {
    text.lines().position(|l| l.starts_with(words)).unwrap() + 1
}

#[test]
fn a_short_row_of_a_matrix_takes_nothing_from_the_next_line() {
    let stray = [
        "Copied!",
        "12.3100 ms TTFT",
        "| Share |",
        "Version: 1",
        "Over capacity",
        "",
    ];
    for (text, rows, lost) in [
        (
            FIRST,
            ["8K\t82.9", "251K\t64.5"],
            ["\t164.0878 ms TTFT", "\t121.339,471 ms TTFT"],
        ),
        (
            SECOND,
            ["| 8K | 237", "| 251K | 198"],
            [" | 431.6279 ms TTFT", " | 355.4941 ms TTFT"],
        ),
    ] {
        for (row, lost) in rows.iter().zip(lost) {
            for stray in stray {
                let short = with(untabled(text), lost, "");
                let at = line_of(&short, row);
                let mut lines: Vec<&str> = short.lines().collect();
                lines.insert(at, stray);
                let told = told(&lines.join("\n"));
                let head = line_of(
                    &short,
                    if text == FIRST {
                        "Context\t1"
                    } else {
                        "total tok/s"
                    },
                );
                let wanted = format!(
                    "error[E0203]: this row has 8 cells where the head of its table has 9\n --> content/runs/a.txt:{at}\n  | content/runs/a.txt:{head}: the head of the table"
                );
                assert!(told.contains(&wanted), "{stray:?}\n{told}");
            }
        }
    }
}

#[test]
fn an_empty_cell_of_a_matrix_is_an_error_unless_its_row_explains_it() {
    for (text, cell) in [(FIRST, "164.0878 ms TTFT"), (SECOND, "431.6279 ms TTFT")] {
        for blank in ["", "—", "-"] {
            let text = with(untabled(text), cell, blank);
            let told = told(&text);
            assert!(
                told.contains("error[E0205]: 8K × 2: the cell is empty (expected a rate and its TTFT, or a status)"),
                "{told}"
            );
        }
    }
}

#[test]
fn a_glued_prefill_point_never_breaks_the_rule_of_its_label() {
    for (old, new, wanted) in [
        (
            "128K context9,76913,174 ms TTFT",
            "128K context976913,174 ms TTFT",
            "prefill 128K may be 976 tok/s and 913,174 ms, but tok/s × TTFT does not come to 128K",
        ),
        (
            "8K context13.7K599 ms TTFT",
            "8K context64064 ms TTFT",
            "but tok/s × TTFT does not come to 8K",
        ),
    ] {
        let told = told(&with(
            untabled(FIRST),
            &format!("\n{old}"),
            &format!("\n{new}"),
        ));
        assert!(
            told.contains("error[E0201]") && told.contains(wanted),
            "{told}"
        );
    }
}

#[test]
fn facts_in_one_line_are_taken_apart_or_refused() {
    let joined = with(FIRST, "cuda-13.2\nCommit: ", "cuda-13.2 Commit: ");
    let joined = with(&joined, "H200 SXM\nGPU count: ", "H200 SXM GPU count: ");
    assert_eq!(clean(&joined).facts, clean(FIRST).facts);
    let glued = with(FIRST, "qwen\nRevision: ", "qwenRevision: ");
    let told = told(&glued);
    assert!(
        told.contains("error[E0201]: the value “qwenRevision: main” has another label in it, “Revision”\n --> content/runs/a.txt:"),
        "{told}"
    );
}

#[test]
fn two_lines_that_may_be_the_value_of_one_label_are_an_error() {
    let text = with(SECOND, "- Type\n", "- Type\nCopied to clipboard!\n");
    let at = line_of(&text, "Copied");
    let told_of = told(&text);
    let wanted = format!(
        "error[E0201]: the value of “Type” may be “Copied to clipboard!”, or “Discrete GPU”\n --> content/runs/a.txt:{at}\n  | content/runs/a.txt:{}: the other line",
        at + 1
    );
    assert!(told_of.contains(&wanted), "{told_of}");
    let text = with(SECOND, "- github.com/vllm-project/vllm\n", "");
    let text = with(
        &text,
        "- Commit\n",
        "- Commit\n- github.com/vllm-project/vllm\n",
    );
    let told_of = told(&text);
    let wanted = "error[E0201]: the value of “Commit” may be “github.com/vllm-project/vllm”, or “52be12cfac0c”";
    assert!(told_of.contains(wanted), "{told_of}");
}

#[test]
fn a_rate_of_zero_is_a_warning_because_small_figures_are_rounded() {
    let text = with(untabled(FIRST), "164.0878 ms TTFT", "0.00 ms TTFT");
    let told = told(&text);
    let at = line_of(&text, "8K\t82.9");
    let wanted = format!(
        "warning[W0206]: 8K × 2 has a rate or a TTFT of zero\n --> content/runs/a.txt:{at}"
    );
    assert!(told.contains(&wanted), "{told}");
}

#[test]
fn every_problem_is_told_with_its_line_and_words() {
    let line = |old: &str, new: &str| with(SMALL, old, new);
    let no_table = cut(SMALL, "All", "");
    let no_prefill_list = with(SMALL, " · prefill at 8K, 128K", "");
    let foreign_own = OWN.replace("<!-- speedbook.run/1 -->", "");
    let cases: Vec<(&str, String)> = vec![
        (
            "two readings of a prefill point",
            with(&no_table, "128K context12313,174", "128K context12313,174"),
        ),
        (
            "two readings, decided by the length",
            with(&no_table, "12313,174", "9,76913,174"),
        ),
        (
            "one reading that nothing confirms",
            with(&no_table, "82.9584", "829 584").replace("12313,174", "9,76913,174"),
        ),
        (
            "a letter of number or status",
            line("9,769839", "12KThrottled839"),
        ),
        (
            "glued counts that fit nothing",
            line("FP8 · 2 contexts", "FP84 contexts"),
        ),
        (
            "glued counts without anything to count",
            cut(
                &line(
                    "FP8 · 2 contexts (0–8K) × 2 concurrency levels (1–2) · prefill at 8K, 128K",
                    "FP84 contexts (0–8K)",
                ),
                "Sustained",
                "",
            ),
        ),
        ("matrix against table", line("82.9584", "82.8584")),
        ("list against table", line("9,769839", "9,768839")),
        (
            "status against status",
            line("164.0Requests queued878", "164.0878"),
        ),
        ("title against fact", line("24GB ×1", "24GB ×2")),
        ("memory", line("VRAM: 24 GB", "VRAM: 48 GB (2 × 24 GB)")),
        ("GPU name", line("GPU: RTX 4090", "GPU: RTX 3090")),
        (
            "quantization",
            line("GPU: RTX 4090", "GPU: RTX 4090\nQuantization: FP4"),
        ),
        ("range of contexts", line("(0–8K)", "(0–16K)")),
        ("range of levels", line("(1–2)", "(1–4)")),
        (
            "prefill that is not listed",
            line("prefill at 8K, 128K", "prefill at 8K"),
        ),
        (
            "prefill that is missing",
            line("prefill at 8K, 128K", "prefill at 8K, 64K, 128K"),
        ),
        (
            "second table",
            format!(
                "{SMALL}Phase\tContext\tRequests at once\tStatus\tTotal tok/s\tTTFT\nPrefill\t9K\t1\tValid\t1\t1 ms\n"
            ),
        ),
        (
            "cut off in a row",
            SMALL[..SMALL.find("596 ms\nSustained").unwrap()].to_owned(),
        ),
        (
            "cut off after a row",
            SMALL[..SMALL.find("Sustained decode\t8K\t2").unwrap()].to_owned(),
        ),
        ("a row of the matrix less", without(SMALL, "8K\t81.5")),
        (
            "a row of the table less",
            without(SMALL, "Sustained decode\t0\t2"),
        ),
        (
            "a row of both less",
            without(
                &without(&without(SMALL, "8K\t81.5"), "Sustained decode\t8K\t1"),
                "Sustained decode\t8K\t2",
            ),
        ),
        (
            "a row more than counted",
            line(
                "× 2 concurrency levels (1–2)",
                "× 1 concurrency level (1–2)",
            ),
        ),
        (
            "a table without matrix, less a row",
            without(
                &cut(SMALL, "Sustained decode", "All"),
                "Sustained decode\t0\t2",
            ),
        ),
        (
            "no matrix",
            with(&cut(&no_table, "Sustained", ""), "12313,174", "9,76913,174"),
        ),
        ("heading without table", cut(SMALL, "Phase", "")),
        ("table without rows", cut(SMALL, "Prefill\t8K", "")),
        ("table without head", without(SMALL, "Phase\t")),
        ("matrix without head", without(SMALL, "Context\t")),
        (
            "listed prefill that is not there",
            with(
                &cut(&no_table, "8K context", "Sustained"),
                "Prefill\n",
                "Prefill\n",
            ),
        ),
        (
            "prefill section left out",
            cut(&no_table, "Prefill", "Sustained"),
        ),
        (
            "two columns with one number",
            line("Context\t1\t2", "Context\t1\t1"),
        ),
        (
            "two rows with one context",
            line(
                "8K\t81.5596 ms TTFT\tOver capacity",
                "0\t81.5596 ms TTFT\tOver capacity",
            ),
        ),
        (
            "a cell twice",
            format!("{SMALL}Sustained decode\t8K\t2\tOver capacity\t—\t—\n"),
        ),
        (
            "another notation in the matrix",
            line("164.0Requests queued878", "1.164,0Requests queued878"),
        ),
        (
            "blanks in numbers",
            line("164.0Requests queued878", "1 164.0Requests queued878"),
        ),
        ("another notation in the list", line("9,769839", "9.769839")),
        (
            "pointed thousands in the table",
            line("13,174 ms\nSus", "13.174 ms\nSus"),
        ),
        ("another unit", line("13,174 ms\nSus", "13,174 s\nSus")),
        ("no unit", line("82.9584 ms", "82.9584")),
        (
            "a TTFT alone",
            line("164.0Requests queued878", "Requests queued878"),
        ),
        (
            "figures that cannot be taken apart",
            line("9,769839", "9769,839,1"),
        ),
        (
            "a fact that is no number",
            line("GPU count: 1", "GPU count: one"),
        ),
        ("VRAM that is no number", line("VRAM: 24 GB", "VRAM: much")),
        (
            "VRAM that does not add up",
            line("VRAM: 24 GB", "VRAM: 99 GB (1 × 24 GB)"),
        ),
        (
            "VRAM that is no product",
            line("VRAM: 24 GB", "VRAM: 24 GB (shared)"),
        ),
        (
            "requests that are no number",
            line("Sustained decode\t0\t1\t", "Sustained decode\t0\tone\t"),
        ),
        ("phase", line("Sustained decode\t0\t1\t", "Decode\t0\t1\t")),
        (
            "context",
            line("Sustained decode\t0\t1\t", "Sustained decode\tshort\t1\t"),
        ),
        (
            "status that is none",
            line("\tRequests queued\t164.0", "\t12\t164.0"),
        ),
        ("empty last cell", line("\t—\t—", "\t—\t")),
        ("empty cell", line("\t—\t—", "\t\t—")),
        (
            "over capacity with figures",
            line("\tOver capacity\t—\t—", "\tOver capacity\t12.0\t3 ms"),
        ),
        ("column that is nearly known", line("\tTTFT\n", "\tTFT\n")),
        (
            "column that is not known",
            line("\tTTFT\n", "\tTTFT\tEnergy\n")
                .replace(" ms\n", " ms\t—\n")
                .replace("—\t—\n", "—\t—\t—\n"),
        ),
        ("column twice", line("Total tok/s\tTTFT\n", "TTFT\tTTFT\n")),
        ("column missing", line("\tStatus\t", "\tEnergy\t")),
        (
            "ragged row",
            line("Over capacity\nAll", "Over capacity\t\t3\nAll"),
        ),
        (
            "stray row",
            line("Run\n", "Run\n9K\t81.5596 ms TTFT\tOver capacity\n"),
        ),
        (
            "prefill point that cannot be read",
            line("9,769839 ms TTFT", "9,769839 mTTFT"),
        ),
        (
            "no measurement",
            "Speed test matrix\nm on L4 24GB\n".to_owned(),
        ),
        ("navigation", format!("Home\nRuns\n\n{SMALL}")),
        ("footer", format!("{SMALL}\nPrivacy\nTerms | Contact\n")),
        ("unknown line between", line("Run\n", "Share this\nRun\n")),
        ("copy button", line("vllm serve", "Copy\nvllm serve")),
        ("unknown fact", line("Type: ", "Colour: green\nType: ")),
        ("label without value", line("Type: Discrete GPU", "- Type")),
        ("time zone", line("Sep 13, 2026", "Sep 13, 2026, 02:25 PDT")),
        ("date", line("Sep 13, 2026", "last week")),
        (
            "glued to the list of contexts",
            line("at 8K, 128K", "at 8K, 128K and more"),
        ),
        (
            "glued to a prefill point",
            line("8K context9", "tokens 8K context9"),
        ),
        (
            "unknown status",
            SMALL.replace("Requests queued", "Throttled"),
        ),
        ("no title", without(SMALL, "org/Tiny")),
        ("no line of counts", without(SMALL, "vllm ·")),
        (
            "own page without marker",
            foreign_own
                .replace("131,072", "128K")
                .replace("1.429", "1.4")
                .replace("1.234", "1.2")
                .replace("82.93", "82.9")
                .replace("`1.2|a`", "1.2"),
        ),
        (
            "two prefill lists",
            format!("{no_prefill_list}8K context9,769839 ms TTFT\n"),
        ),
    ];
    let mut out = String::new();
    for (name, text) in cases {
        let outcome = if read(&text).is_ok() {
            "read"
        } else {
            "refused"
        };
        writeln!(out, "## {name} ({outcome})\n{}\n", told(&text)).unwrap();
    }
    insta::assert_snapshot!("report_text_problems", out);
}

#[test]
fn unknown_statuses_keep_their_words_and_their_meaning() {
    let text = SMALL.replace("Requests queued", "Throttled").replace(
        "All measurements\n",
        "Throttled: the GPU was hot.\nAll measurements\n",
    );
    let run = read(&text).unwrap().run;
    let m = cell(&run, Phase::Decode, "0", 2);
    assert_eq!(m.status, Status::Other);
    assert_eq!(m.status_text.as_deref(), Some("Throttled"));
    assert_eq!(
        m.get(Metric::TotalTokPerS),
        Some(Figure::rounded(164.0, 0.1))
    );
    assert_eq!(run.notes, ["Throttled: the GPU was hot."]);
}

#[test]
fn two_labels_of_one_number_of_tokens_are_one_cell_twice() {
    let page = |tool: &str| {
        format!(
            "Speed test matrix\nModelX on RTX 4090 24GB ×1\nvllm · 1.0 · FP8 · 2 contexts (1024–1K) × 1 concurrency level (1)\nRun\nBenchmark tool: {tool}\nSustained decode\nContext\t1\n1024\t57.0101 ms TTFT\n1K\t55.0101 ms TTFT\n"
        )
    };
    let problems = read(&page("llm-inference-bench v0.6.2")).unwrap_err();
    assert_eq!(
        problems.iter().map(ToString::to_string).collect::<Vec<_>>(),
        [
            "error[E0105]: 1024 × 1 and 1K × 1 are one cell\n --> content/runs/a.txt:9\n  | content/runs/a.txt:8: the other one\nhelp: both contexts are 1024 tokens; remove one of them"
        ]
    );
    // What another tool means by K is not known.
    assert_eq!(read(&page("other-bench v1")).unwrap().run.decode.len(), 2);
}
