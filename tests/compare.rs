//! Two runs compared: the two published reports, and the same changed in ways whose outcome was
//! worked out by hand; pairs of launch commands; what must hold for any two runs.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs
)]

mod support;

use std::path::Path;
use std::time::Instant;

use proptest::prelude::*;
use serde_json::Value;
use speedbook::compare::axes::TOLERANCE;
use speedbook::compare::flags::Commands;
use speedbook::compare::words::{metric_sentence, percent};
use speedbook::compare::{
    Apart, Cell, CellState, Comparison, Delta, DeltaMetric, FlagRow, MetricComparison,
    PhaseComparison, RequestBand, RowState, Side, Subject, Summary, Verdict, document, in_order,
};
use speedbook::config::Config;
use speedbook::content;
use speedbook::run::audit::Noise;
use speedbook::run::{Context, Fact, FactValue, Figure, Measurement, Metric, Phase, Run, Status};

fn load(name: &str) -> Run {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    let keep = |_: &mut Run, _: &[String]| {};
    let (run, problems) = content::load_file(&path, &Config::default(), &keep).unwrap();
    assert_eq!(problems, [], "{name}");
    run.unwrap().run
}

/// 397B on 4 × H200 SXM.
fn report_a() -> Run {
    load("content/runs/qwen3.5-397b-a17b-nvfp4-4x-h200-sxm.txt")
}

/// 122B on 2 × H200 NVL.
fn report_b() -> Run {
    load("content/runs/qwen3.5-122b-a10b-gptq-int4-2x-h200-nvl.txt")
}

const A: &str = "Qwen3.5-397B-A17B-NVFP4-V2 on 4 × H200 SXM";
const B: &str = "Qwen3.5-122B-A10B-GPTQ-Int4 on 2 × H200 NVL";

fn compared(a: &Run, b: &Run) -> Comparison {
    Comparison::of_runs(a, b, &Noise::default())
}

fn decode(comparison: &Comparison, metric: DeltaMetric) -> &MetricComparison {
    comparison.decode.metric(metric).unwrap()
}

/// Geometric mean, smallest and largest ratio to four decimals, and n.
fn means(summary: &Summary) -> (String, String, String, usize) {
    let means = summary.means.unwrap();
    let shown = |x: f64| format!("{x:.4}");
    (
        shown(means.geometric_mean),
        shown(means.min),
        shown(means.max),
        summary.n,
    )
}

fn is(summary: &Summary, mean: &str, min: &str, max: &str, n: usize) {
    let expected = (mean.to_owned(), min.to_owned(), max.to_owned(), n);
    assert_eq!(means(summary), expected);
}

/// In how many cells B is faster, slower, not clearly different.
fn words(summary: &Summary) -> (usize, usize, usize) {
    (summary.faster, summary.slower, summary.unclear)
}

/// Changes a figure of all measured cells of decode.
fn change(run: &mut Run, metric: Metric, new: impl Fn(&Measurement, Figure) -> Option<Figure>) {
    for cell in &mut run.decode {
        if let Some(figure) = cell.get(metric) {
            match new(cell, figure) {
                Some(figure) => cell.figures.set(metric, figure),
                None => cell.figures.remove(metric),
            }
        }
    }
}

fn scaled(run: &Run, metric: Metric, factor: f64) -> Run {
    let mut run = run.clone();
    change(&mut run, metric, |_, f| {
        Some(Figure {
            value: f.value * factor,
            ..f
        })
    });
    run
}

// The two reports.

#[test]
fn the_two_reports() {
    let c = compared(&report_a(), &report_b());
    assert_eq!(
        c.title(),
        format!(
            "{B} has 2.71 times the total tok/s of {A}: geometric mean of 38 valid cells, from 2.39 to 3.08"
        )
    );
    let counts = c.decode.counts;
    assert_eq!(
        (counts.places, counts.compared, counts.compared_valid),
        (48, 42, 38)
    );
    assert_eq!((counts.queued, counts.lost, counts.gained), (4, 6, 0));
    assert_eq!(
        c.counts_sentence(),
        "42 cells compared, 38 valid on both sides and 4 with queued requests; 6 lost: B was over capacity there."
    );
    let total = decode(&c, DeltaMetric::Total);
    is(&total.valid, "2.7139", "2.3853", "3.0789", 38);
    assert_eq!(words(&total.valid), (38, 0, 0));
    is(&total.bands[0].summary, "2.6873", "2.3853", "3.0698", 18);
    is(&total.bands[1].summary, "2.7401", "2.5196", "3.0789", 16);
    is(&total.bands[2].summary, "2.7300", "2.5462", "2.8288", 4);
    // 2,244.4 → 6,342.6, 2,363.0 → 6,004.6, 1,923.1 → 5,413.9, 447.0 → 1,202.3.
    is(&total.queued, "2.7155", "2.5411", "2.8260", 4);
    assert_eq!(total.crossing, None);
    is(
        &decode(&c, DeltaMetric::PerRequest).valid,
        "2.8167",
        "2.4093",
        "3.2890",
        38,
    );
    is(
        &decode(&c, DeltaMetric::Itl).valid,
        "0.3550",
        "0.3042",
        "0.4167",
        38,
    );
    assert_eq!(words(&decode(&c, DeltaMetric::Itl).valid), (38, 0, 0));
    // The TTFTs of the six cold cells of A stand apart: 5,223 → 353 … 38,366 → 976.
    let ttft = decode(&c, DeltaMetric::Ttft);
    is(&ttft.valid, "0.2463", "0.1269", "0.4320", 32);
    is(&ttft.doubted, "0.0415", "0.0238", "0.0676", 6);
    // Per GPU everything is twice that: 2 GPUs against 4.
    is(
        &decode(&c, DeltaMetric::TotalPerGpu).valid,
        "5.4278",
        "4.7706",
        "6.1578",
        38,
    );
    assert_eq!(
        c.per_gpu_sentence().unwrap(),
        "Per GPU (2 GPUs against 4), B has 5.43 times the total tok/s of A, from 4.77 to 6.16."
    );
    // 22.5K ÷ 13.7K … 12.2K ÷ 6,620.
    let prefill = c.prefill.metric(DeltaMetric::Prefill).unwrap();
    is(&prefill.valid, "1.6647", "1.5200", "1.8436", 7);
    is(
        &c.prefill.metric(DeltaMetric::Ttft).unwrap().valid,
        "0.6008",
        "0.5416",
        "0.6608",
        7,
    );
    assert_eq!(c.burst.cells, []);
}

#[test]
fn what_differs_between_the_two_reports() {
    let c = compared(&report_a(), &report_b());
    let counts = c.launch.counts;
    assert_eq!(
        (
            counts.differ(),
            counts.changed,
            counts.only_a,
            counts.only_b
        ),
        (14, 3, 11, 0)
    );
    assert_eq!(
        c.flags_sentence(),
        "14 flags differ: 3 changed, 11 only in A; 8 are the same, 1 is not comparable."
    );
    let named = |state: RowState| -> Vec<&str> {
        let rows = c.launch.rows.iter().filter(|r| r.kind.is_flag());
        rows.filter(|r| r.state == state)
            .map(|r| r.name.as_str())
            .collect()
    };
    assert_eq!(
        named(RowState::Changed),
        [
            "--gpu-memory-utilization",
            "--speculative-config",
            "--tensor-parallel-size"
        ]
    );
    assert_eq!(
        named(RowState::OnlyA),
        [
            "--attention-backend",
            "--attention-config",
            "--dtype",
            "--enable-prefix-caching",
            "--kv-cache-dtype",
            "--linear-backend",
            "--mamba-cache-dtype",
            "--mamba-cache-mode",
            "--mamba-ssm-cache-dtype",
            "--moe-backend",
            "--quantization",
        ]
    );
    assert_eq!(named(RowState::NotComparable), ["--api-key"]);
    assert_eq!(c.verdict, Verdict::NotControlled);
    assert_eq!(c.verdict.words(&c.things), "not a controlled comparison");
    let ids: Vec<String> = c.things.iter().map(|thing| thing.kind.id()).collect();
    // --quantization belongs to the quantization, --tensor-parallel-size to the number of GPUs:
    // of the 14 flags 11 are things of their own or of speculative decoding.
    assert_eq!(
        ids,
        [
            "model",
            "gpu",
            "gpu_count",
            "quantization",
            "engine",
            "speculative_decoding",
            "tool",
            "--attention-backend",
            "--attention-config",
            "--dtype",
            "--enable-prefix-caching",
            "--gpu-memory-utilization",
            "--kv-cache-dtype",
            "--linear-backend",
            "--mamba-cache-dtype",
            "--mamba-cache-mode",
            "--mamba-ssm-cache-dtype",
            "--moe-backend",
        ]
    );
    assert_eq!(
        c.verdict_sentence(),
        "Not a controlled comparison: the runs differ in model, GPU (H200 SXM and H200 NVL), GPU count (4 and 2), quantization (NVFP4+FP8 and INT4), engine (0.28.1rc1.dev562+g9c2d21046 and 0.26.1rc1.dev638+g52be12cfa), benchmark tool (0.6.2 and 0.4.29) and 14 launch flags."
    );
}

#[test]
fn the_sides_exchanged() {
    let c = compared(&report_b(), &report_a());
    assert_eq!(
        c.title(),
        format!(
            "{A} has 0.37 times the total tok/s of {B}: geometric mean of 38 valid cells, from 0.32 to 0.42"
        )
    );
    is(
        &decode(&c, DeltaMetric::Total).valid,
        "0.3685",
        "0.3248",
        "0.4192",
        38,
    );
    assert_eq!(words(&decode(&c, DeltaMetric::Total).valid), (0, 38, 0));
    assert_eq!((c.decode.counts.lost, c.decode.counts.gained), (0, 6));
    assert!(
        c.counts_sentence()
            .ends_with("; 6 gained: A was over capacity there.")
    );
    assert_eq!((c.launch.counts.only_a, c.launch.counts.only_b), (0, 11));
    assert_eq!(
        c.per_gpu_sentence().unwrap(),
        "Per GPU (4 GPUs against 2), B has 0.18 times the total tok/s of A, from 0.16 to 0.21."
    );
    assert!(decode(&c, DeltaMetric::Total).is_worse());
}

#[test]
fn the_run_measured_earlier_is_a() {
    let (a, b) = (report_a(), report_b());
    // The second report has no date.
    assert_eq!(b.facts.get(Fact::MeasuredAt), None);
    for (x, y) in [(&a, &b), (&b, &a)] {
        let (first, second) = in_order(x, y);
        assert_eq!((&first.slug, &second.slug), (&a.slug, &b.slug));
    }
    let mut earlier = b.clone();
    earlier.facts.set_text(Fact::MeasuredAt, "2026-09-12");
    assert_eq!(in_order(&a, &earlier).0.slug, b.slug);
    let mut undated = a.clone();
    undated.facts.remove(Fact::MeasuredAt);
    assert_eq!(
        in_order(&undated, &b).0.slug,
        b.slug,
        "122b comes before 397b"
    );
}

#[test]
fn b_scaled_by_a_half() {
    let b = scaled(&report_b(), Metric::TotalTokPerS, 0.5);
    let c = compared(&report_a(), &b);
    assert_eq!(
        c.title(),
        format!(
            "{B} has 1.36 times the total tok/s of {A}: geometric mean of 38 valid cells, from 1.19 to 1.54"
        )
    );
    is(
        &decode(&c, DeltaMetric::Total).valid,
        "1.3570",
        "1.1927",
        "1.5394",
        38,
    );
    is(
        &decode(&c, DeltaMetric::PerRequest).valid,
        "2.8167",
        "2.4093",
        "3.2890",
        38,
    );
}

#[test]
fn b_scaled_to_where_the_first_run_is_only_partly_slower() {
    let b = scaled(&report_b(), Metric::TotalTokPerS, 0.4);
    let c = compared(&report_a(), &b);
    assert_eq!(
        c.title(),
        format!(
            "{B} is faster than {A} in 19 of 38 valid cells by total tok/s, with no clear difference in the other 19"
        )
    );
    let b = scaled(&report_b(), Metric::TotalTokPerS, 0.36);
    let c = compared(&report_a(), &b);
    let total = decode(&c, DeltaMetric::Total);
    is(&total.valid, "0.9770", "0.8587", "1.1084", 38);
    assert_eq!(words(&total.valid), (5, 10, 23));
    assert_eq!(total.crossing, None, "with 1 request both win somewhere");
    assert_eq!(
        c.title(),
        format!(
            "{B} is faster than {A} in some cells and slower in others by total tok/s: of 38 valid cells, faster in 5, slower in 10, no clear difference in 23"
        )
    );
}

#[test]
fn a_warmed() {
    let mut a = report_a();
    let warm: Vec<(String, Figure)> = a
        .decode
        .iter()
        .filter(|m| m.concurrency == 4)
        .map(|m| (m.context.label.clone(), m.get(Metric::TtftMs).unwrap()))
        .collect();
    change(&mut a, Metric::TtftMs, |cell, figure| {
        let cold = cell.concurrency <= 2 && ["64K", "128K", "251K"].contains(&&*cell.context.label);
        let row = warm.iter().find(|(label, _)| *label == cell.context.label);
        Some(if cold { row.unwrap().1 } else { figure })
    });
    let c = compared(&a, &report_b());
    let ttft = decode(&c, DeltaMetric::Ttft);
    is(&ttft.valid, "0.2326", "0.1269", "0.4320", 38);
    assert_eq!(ttft.doubted.n, 0);
    assert_eq!(c.title(), compared(&report_a(), &report_b()).title());
}

#[test]
fn a_column_dropped() {
    let mut a = report_a();
    change(&mut a, Metric::TotalTokPerS, |_, _| None);
    let c = compared(&a, &report_b());
    assert_eq!(
        c.title(),
        format!(
            "{B} has 2.82 times the per-request tok/s of {A}: geometric mean of 38 valid cells, from 2.41 to 3.29"
        )
    );
    let total = decode(&c, DeltaMetric::Total);
    assert_eq!(
        (total.valid.n, total.valid.means, total.without_ratio),
        (0, None, 42)
    );
    assert_eq!(c.per_gpu_sentence(), None);
    // The cells are measured still.
    assert_eq!(c.decode.counts.compared, 42);
    // A concurrency dropped: its six cells are only in A; five were valid in both, 64K × 8 queued.
    let mut b = report_b();
    b.decode.retain(|m| m.concurrency != 8);
    let c = compared(&report_a(), &b);
    let counts = c.decode.counts;
    assert_eq!(
        (
            counts.only_a,
            counts.compared,
            counts.compared_valid,
            counts.queued
        ),
        (6, 36, 33, 3)
    );
    assert!(
        c.title().contains("geometric mean of 33 valid cells"),
        "{}",
        c.title()
    );
}

#[test]
fn every_figure_equal() {
    let a = report_a();
    let mut b = a.clone();
    b.slug = "again".to_owned();
    let c = compared(&a, &b);
    // 5 of the 48 cells queued on both sides: 128 requests at 8K, 16K, 32K and 251K make 4.
    assert_eq!(
        (c.decode.counts.compared_valid, c.decode.counts.queued),
        (44, 4)
    );
    assert_eq!(
        c.title(),
        "No clear difference in total tok/s between qwen3.5-397b-a17b-nvfp4-4x-h200-sxm and again in all 44 valid cells"
    );
    for metric in &c.decode.metrics {
        let n = metric.valid.n;
        assert_eq!(words(&metric.valid), (0, 0, n));
        is(&metric.valid, "1.0000", "1.0000", "1.0000", n);
    }
    assert_eq!((c.verdict, c.things.len()), (Verdict::LikeForLike, 0));
    assert_eq!(
        c.verdict_sentence(),
        "Like for like: nothing that bears on speed differs, as far as both runs tell."
    );
    assert_eq!(
        c.flags_sentence(),
        "No flag differs; 22 are the same, 1 is not comparable."
    );
    assert_eq!(c.per_gpu_sentence(), None);
}

#[test]
fn figures_within_the_rounding() {
    // Without any noise band only the rounding decides: steps of 0.1 hide a difference of 0.1.
    let noise = Noise {
        tok_per_s: 0.0,
        itl: 0.0,
        ttft: 0.0,
    };
    let a = report_a();
    let mut b = a.clone();
    change(&mut b, Metric::TotalTokPerS, |_, f| {
        Some(Figure::rounded(f.value + 0.1, 0.1))
    });
    let c = Comparison::of_runs(&a, &b, &noise);
    assert_eq!(words(&decode(&c, DeltaMetric::Total).valid), (0, 0, 44));
    assert!(c.title().starts_with("No clear difference in total tok/s"));
    change(&mut b, Metric::TotalTokPerS, |_, f| {
        Some(Figure::rounded(f.value + 0.1, 0.1))
    });
    let c = Comparison::of_runs(&a, &b, &noise);
    assert_eq!(words(&decode(&c, DeltaMetric::Total).valid), (44, 0, 0));
}

#[test]
fn one_thing_and_few_things() {
    let a = report_a();
    let mut b = a.clone();
    b.facts.set_text(Fact::EngineVersion, "0.29.0");
    b.facts.set_text(Fact::Commit, "aaaaaaaaaaaa");
    b.facts.set_text(Fact::Author, "someone else");
    b.facts.set_text(Fact::ServedName, "q");
    let c = compared(&a, &b);
    assert_eq!(c.verdict, Verdict::OneThing);
    assert_eq!(
        c.verdict_sentence(),
        "Differs in one thing: engine (0.28.1rc1.dev562+g9c2d21046 and 0.29.0)."
    );
    b.facts.set_text(Fact::ToolVersion, "v0.7.0");
    b.facts
        .set(Fact::SecondsPerMeasurement, FactValue::Number(60.0));
    let c = compared(&a, &b);
    assert_eq!(c.verdict, Verdict::FewThings);
    assert_eq!(
        c.verdict_sentence(),
        "Differs in 3 things: engine (0.28.1rc1.dev562+g9c2d21046 and 0.29.0), benchmark tool (0.6.2 and v0.7.0) and time per measurement (30 and 60)."
    );
    // A fourth is too many.
    b.facts.set(Fact::Temperature, FactValue::Number(1.0));
    let mut with = a.clone();
    with.facts.set(Fact::Temperature, FactValue::Number(0.0));
    assert_eq!(compared(&with, &b).verdict, Verdict::NotControlled);
    // The model alone is one thing; with anything else it is no controlled comparison.
    let mut b = a.clone();
    b.facts.set_text(Fact::ModelId, "other/model");
    assert_eq!(compared(&a, &b).verdict, Verdict::OneThing);
    b.facts.set_text(Fact::ToolVersion, "0.7.0");
    assert_eq!(compared(&a, &b).verdict, Verdict::NotControlled);
    // What only one tells is no difference, and is said.
    let mut b = a.clone();
    b.facts.remove(Fact::ToolVersion);
    let c = compared(&a, &b);
    assert_eq!(c.verdict, Verdict::LikeForLike);
    assert_eq!(
        c.verdict_sentence(),
        "Like for like: nothing that bears on speed differs, as far as both runs tell. Only one of them tells its tool version."
    );
}

// Small matrices.

fn cell(tokens: u64, n: u64, total: f64) -> Measurement {
    Measurement {
        context: Context::from_tokens(tokens),
        concurrency: n,
        figures: [(Metric::TotalTokPerS, Figure::exact(total))]
            .into_iter()
            .collect(),
        ..Measurement::default()
    }
}

fn of(slug: &str, cells: Vec<Measurement>) -> Run {
    let mut run = Run::new();
    run.slug = slug.to_owned();
    run.decode = cells;
    run
}

fn status(status: Status, mut cell: Measurement) -> Measurement {
    cell.status = status;
    if !matches!(status, Status::Valid | Status::Queued) {
        cell.figures = Default::default();
    }
    cell
}

#[test]
fn zero_is_no_ratio() {
    let a = of("a", vec![cell(8192, 1, 0.0), cell(8192, 2, 100.0)]);
    let b = of("b", vec![cell(8192, 1, 50.0), cell(8192, 2, 0.0)]);
    let c = compared(&a, &b);
    assert_eq!(
        c.title(),
        "Nothing can be compared: a and b have no figure in common"
    );
    let total = decode(&c, DeltaMetric::Total);
    assert_eq!((total.without_ratio, total.valid.n), (2, 0));
    assert!(!total.is_worse());
}

#[test]
fn one_cell_against_a_matrix() {
    let one = of("a", vec![cell(8192, 4, 100.0)]);
    let contexts = [8192, 16_384, 32_768, 65_536, 131_072, 262_144];
    let concurrencies = [1, 2, 4, 8, 16, 32, 64, 128];
    let all = contexts
        .iter()
        .flat_map(|tokens| concurrencies.map(|n| cell(*tokens, n, 150.0)));
    let many = of("b", all.collect());
    let c = compared(&one, &many);
    assert_eq!(
        c.title(),
        "b has 1.50 times the total tok/s of a in the one valid cell that both have, 8K × 4"
    );
    assert_eq!(
        c.counts_sentence(),
        "1 cell compared, valid on both sides; 47 only in B."
    );
    let c = compared(&of("a", vec![cell(8192, 4, 145.0)]), &many);
    assert_eq!(
        c.title(),
        "No clear difference in total tok/s between a and b in the one valid cell that both have, 8K × 4"
    );
}

#[test]
fn disjoint_axes() {
    let a = of("a", vec![cell(8192, 1, 100.0), cell(8192, 2, 100.0)]);
    let b = of("b", vec![cell(16_384, 4, 100.0)]);
    let c = compared(&a, &b);
    assert_eq!(
        c.title(),
        "Nothing can be compared: a and b have no measured cell in common"
    );
    // The union is 2 × 3: two cells of A, one of B, three of neither.
    let counts = c.decode.counts;
    assert_eq!(
        (counts.places, counts.only_a, counts.only_b, counts.neither),
        (6, 2, 1, 3)
    );
    assert_eq!(
        c.counts_sentence(),
        "No cell can be compared; 2 only in A; 1 only in B."
    );
}

#[test]
fn states_and_their_words() {
    let at = |n| cell(8192, n, 100.0);
    let a = of(
        "a",
        vec![
            at(1),
            at(2),
            status(Status::OverCapacity, at(4)),
            status(Status::Failed, at(8)),
            status(Status::Queued, at(16)),
            at(32),
            at(64),
            status(Status::OverCapacity, at(128)),
        ],
    );
    let b = of(
        "b",
        vec![
            status(Status::OverCapacity, at(1)),
            status(Status::Failed, at(2)),
            at(4),
            status(Status::Failed, at(8)),
            at(16),
            status(Status::NotMeasured, at(32)),
            at(64),
            status(Status::Failed, at(128)),
            at(256),
        ],
    );
    let c = compared(&a, &b);
    let states: Vec<(CellState, String)> = c
        .decode
        .cells
        .iter()
        .map(|c| (c.state, c.words()))
        .collect();
    let expected = [
        (CellState::Lost, "B over capacity"),
        (CellState::Lost, "B failed"),
        (CellState::Gained, "A over capacity"),
        (CellState::Neither, "both failed"),
        (CellState::Queued, "requests queued in A"),
        (CellState::NotMeasuredB, "B not measured"),
        (CellState::Valid, ""),
        (CellState::Neither, "A over capacity, B failed"),
        (CellState::OnlyB, "only in B"),
    ];
    assert_eq!(states, expected.map(|(s, w)| (s, w.to_owned())));
    assert_eq!(
        c.counts_sentence(),
        "2 cells compared, 1 valid on both sides and 1 with queued requests; 2 lost: B was over capacity or failed there; 1 gained: A was over capacity there; 1 only in B; 1 not measured in B."
    );
}

#[test]
fn a_status_that_is_not_known_keeps_its_word() {
    let mut odd = cell(8192, 1, 100.0);
    odd.status = Status::Other;
    odd.status_text = Some("Throttled".to_owned());
    let good = of("a", vec![cell(8192, 1, 100.0)]);
    let c = compared(&good, &of("b", vec![odd.clone()]));
    assert_eq!(c.decode.cells[0].state, CellState::OtherStatus);
    assert_eq!(c.decode.cells[0].words(), "B Throttled");
    let total = decode(&c, DeltaMetric::Total);
    assert_eq!((total.valid.n, total.other_status.n), (0, 1));
    assert_eq!(
        c.counts_sentence(),
        "1 cell compared, 0 valid on both sides and 1 of another status."
    );
    odd.figures = Default::default();
    let c = compared(&good, &of("b", vec![odd]));
    assert_eq!(c.decode.cells[0].state, CellState::NotMeasuredB);
    assert_eq!(c.decode.cells[0].words(), "B Throttled");
}

#[test]
fn a_failed_run_and_a_prefill_only_run() {
    let good = of("a", vec![cell(8192, 1, 100.0)]);
    let failed = of("b", vec![status(Status::Failed, cell(8192, 1, 100.0))]);
    let c = compared(&good, &failed);
    assert_eq!((c.decode.counts.lost, c.decode.counts.compared), (1, 0));
    assert_eq!(
        c.title(),
        "Nothing can be compared: a and b have no measured cell in common"
    );
    let c = compared(&of("a", vec![]), &of("b", vec![]));
    assert_eq!(c.counts_sentence(), "No cell can be compared.");
    let prefill = |slug: &str, rate: f64| {
        let mut run = of(slug, vec![]);
        for tokens in [8192, 16_384] {
            let mut point = cell(tokens, 1, 1.0);
            point.figures = [(Metric::PrefillTokPerS, Figure::rounded(rate, 100.0))]
                .into_iter()
                .collect();
            run.prefill.push(point);
        }
        run
    };
    let c = compared(&prefill("a", 10_000.0), &prefill("b", 12_000.0));
    assert_eq!(
        c.title(),
        "b has 1.20 times the prompt tok/s of a: geometric mean of 2 valid prefill points, from 1.20 to 1.20"
    );
    assert_eq!(c.decode.counts.places, 0);
}

#[test]
fn only_queued_cells() {
    let queued = |slug: &str| of(slug, vec![status(Status::Queued, cell(8192, 64, 100.0))]);
    let c = compared(&queued("a"), &queued("b"));
    assert_eq!(
        c.title(),
        "Nothing can be compared: a and b had requests queued in the one cell that both measured"
    );
    let total = decode(&c, DeltaMetric::Total);
    assert_eq!((total.queued.n, total.valid.n), (1, 0));
    assert_eq!(total.deltas[0].apart, Some(Apart::Queued));
}

#[test]
fn the_faster_run_changes_with_the_number_of_requests() {
    let run = |slug: &str, totals: [f64; 4]| {
        let cells = [1, 16, 32, 64].into_iter().zip(totals);
        of(slug, cells.map(|(n, total)| cell(8192, n, total)).collect())
    };
    let a = run("a", [100.0, 100.0, 100.0, 100.0]);
    let b = run("b", [150.0, 120.0, 103.0, 50.0]);
    let c = compared(&a, &b);
    let total = decode(&c, DeltaMetric::Total);
    let crossing = total.crossing.unwrap();
    assert_eq!(
        (crossing.low, crossing.up_to, crossing.from),
        (Side::B, 16, 64)
    );
    assert_eq!(
        c.title(),
        "b is faster than a up to 16 requests and slower from 64 by total tok/s: of 4 valid cells, faster in 2, slower in 1, no clear difference in 1"
    );
    assert_eq!(
        speedbook::compare::words::crossing_sentence(crossing),
        "B is faster up to 16 requests, A from 64."
    );
    // exp((ln 1.5 + ln 1.2 + ln 1.03 + ln 0.5) / 4) = 0.927^¼ = 0.9812.
    is(&total.valid, "0.9812", "0.5000", "1.5000", 4);
    // Worse in the band of many requests alone.
    assert!(total.is_worse());
    let c = compared(&a, &run("b", [150.0, 120.0, 103.0, 99.0]));
    assert!(!decode(&c, DeltaMetric::Total).is_worse());
    assert_eq!(
        metric_sentence(decode(&c, DeltaMetric::Total)),
        "1.16 (from 0.99 to 1.50, n = 4): faster in 2, no clear difference in 2"
    );
}

#[test]
fn per_gpu_needs_both_counts() {
    let mut a = of("a", vec![cell(8192, 1, 100.0)]);
    let b = of("b", vec![cell(8192, 1, 100.0)]);
    a.facts.set(Fact::GpuCount, FactValue::Count(4));
    let c = compared(&a, &b);
    assert_eq!(c.decode.metric(DeltaMetric::TotalPerGpu), None);
    assert_eq!(c.per_gpu_sentence(), None);
}

// Launch commands.

fn flag_line(row: &FlagRow) -> String {
    let value = |v: &Option<String>| v.clone().unwrap_or_else(|| "-".to_owned());
    let mut line = format!("{} {} {}:", row.state.key(), row.kind.key(), row.name);
    let differ = row.keys.iter().filter(|k| k.state != RowState::Same);
    let keys: Vec<String> = differ
        .map(|key| {
            let values = format!("{} -> {}", value(&key.a), value(&key.b));
            match key.path.as_str() {
                "" => format!(" {values}"),
                path => format!(" .{path} {} {values}", key.state.key()),
            }
        })
        .collect();
    line.push_str(&keys.join(";"));
    line
}

/// What differs between two commands, as the fixtures tell it.
fn differences(a: &str, b: &str) -> String {
    let run = |command: &str| {
        let mut run = Run::new();
        run.facts.set_text(Fact::LaunchCommand, command);
        run
    };
    let c = compared(&run(a), &run(b));
    if c.launch.commands != Commands::Both {
        return c.launch.commands.key().to_owned();
    }
    let mut lines = vec![format!("same {}", c.launch.counts.same)];
    let rows = c.launch.rows.iter().filter(|r| r.state != RowState::Same);
    lines.extend(rows.map(flag_line));
    let ids: Vec<String> = c.things.iter().map(|thing| thing.kind.id()).collect();
    lines.push(format!("things {}", ids.join(" ")).trim_end().to_owned());
    lines.join("\n")
}

#[test]
fn pairs_of_launch_commands() {
    let text = fs_err::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/command-pairs.txt"),
    )
    .unwrap();
    let (mut wrong, mut pairs) = (Vec::new(), 0);
    for pair in text.split("\n=== ").skip(1) {
        let (name, rest) = pair.split_once("\nA: ").unwrap();
        let (a, rest) = rest.split_once("\nB: ").unwrap();
        let (b, expected) = rest.split_once('\n').unwrap();
        let expected = expected.trim_end();
        let found = differences(a, b);
        if found != expected {
            wrong.push(format!("{name}\n{found}\nin place of\n{expected}\n"));
        }
        pairs += 1;
    }
    assert!(pairs >= 40);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

// comparison.json.

#[test]
fn the_document_follows_its_schema_and_says_what_the_design_asks() {
    let c = compared(&report_a(), &report_b());
    let text = c.to_json();
    let json: Value = serde_json::from_str(&text).unwrap();
    let validator = jsonschema::validator_for(&document::schema()).unwrap();
    if let Err(error) = validator.validate(&json) {
        panic!("{error} at {}", error.instance_path());
    }
    assert_eq!(json["schema"], "speedbook.comparison/1");
    assert_eq!(json["a"], "qwen3.5-397b-a17b-nvfp4-4x-h200-sxm");
    assert_eq!(json["verdict"], "not_controlled");
    assert_eq!(json["counts"]["compared"], 42);
    assert_eq!(json["counts"]["compared_valid"], 38);
    assert_eq!(json["counts"]["lost"], 6);
    let total = &json["metrics"]["total_tok_per_s"];
    assert_eq!(total["geometric_mean"], 2.71392);
    assert_eq!(
        (&total["n"], &total["bands"]["many"]["n"]),
        (&38.into(), &4.into())
    );
    assert_eq!(total["cells"].as_array().unwrap().len(), 48);
    let first = serde_json::json!({"context_label": "8K", "context_tokens": 8192, "concurrency": 1, "state": "valid", "a": 82.9, "a_step": 0.1, "b": 237.1, "b_step": 0.1, "ratio": 2.86007, "difference": "faster"});
    assert_eq!(total["cells"][0], first);
    assert_eq!(json["prefill"]["metrics"]["tok_per_s"]["n"], 7);
    assert!(json.get("burst").is_none());
    // One cell a line.
    assert!(text.contains("\n    {\"context_label\":\"8K\",\"context_tokens\":8192,\"concurrency\":1,\"state\":\"valid\",\"a\":82.9,"), "{text}");
    for (pointer, value) in [
        ("/schema", serde_json::json!("speedbook.comparison/2")),
        ("/verdict", serde_json::json!("good")),
        (
            "/metrics/total_tok_per_s/cells/0/state",
            serde_json::json!("x"),
        ),
        ("/things/0/items", serde_json::json!({})),
    ] {
        let mut other = json.clone();
        *other.pointer_mut(pointer).unwrap() = value;
        assert!(!validator.is_valid(&other), "{pointer}");
    }
}

#[test]
fn the_documentation_names_all_words_and_rules() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/comparisons.md");
    let text = fs_err::read_to_string(path).unwrap();
    let states = CellState::ALL.iter().map(|state| state.key());
    let verdicts = [
        Verdict::LikeForLike,
        Verdict::OneThing,
        Verdict::FewThings,
        Verdict::NotControlled,
    ];
    for key in states.chain(verdicts.map(Verdict::key)) {
        assert!(text.contains(&format!("`{key}`")), "{key}");
    }
    for band in RequestBand::ALL {
        let row = format!("| {} | {} |", band.key(), band.label());
        assert!(text.contains(&row), "{row}");
    }
    let tolerance = percent(TOLERANCE);
    assert!(
        text.contains(&format!("at most {tolerance} of the larger one")),
        "{tolerance}"
    );
    let noise = Noise::default();
    for band in [noise.tok_per_s, noise.itl, noise.ttft] {
        assert!(text.contains(&band.to_string()), "{band}");
    }
}

// Any two runs.

/// The same comparison with A and B exchanged.
fn assert_mirrored(c: &Comparison, m: &Comparison) {
    assert_eq!((&c.a, &c.b), (&m.b, &m.a));
    assert_eq!(c.verdict, m.verdict);
    let things = |c: &Comparison| -> Vec<(String, usize)> {
        let of = c.things.iter();
        of.map(|t| (t.kind.id(), t.items.len())).collect()
    };
    assert_eq!(things(c), things(m));
    let rows =
        |c: &Comparison| -> Vec<RowState> { c.launch.rows.iter().map(|r| r.state).collect() };
    let mirrored: Vec<RowState> = rows(m).into_iter().map(RowState::mirrored).collect();
    assert_eq!(rows(c), mirrored);
    for phase in Phase::ALL {
        let (x, y) = (c.phase(*phase), m.phase(*phase));
        let contexts: Vec<_> = y.contexts.iter().map(|r| (&r.b, &r.a)).collect();
        let own: Vec<_> = x.contexts.iter().map(|r| (&r.a, &r.b)).collect();
        assert_eq!(own, contexts);
        assert_eq!(x.cells.len(), y.cells.len());
        for (p, q) in x.cells.iter().zip(&y.cells) {
            assert_eq!((p.state, &p.a, &p.b), (q.state.mirrored(), &q.b, &q.a));
        }
        assert_eq!(x.metrics.len(), y.metrics.len());
        for (p, q) in x.metrics.iter().zip(&y.metrics) {
            for (d, e) in p.deltas.iter().zip(&q.deltas) {
                assert_eq!((d.a, d.b, d.apart), (e.b, e.a, e.apart));
                assert_eq!(d.difference, e.difference.map(|d| d.mirrored()));
                assert_eq!(d.ratio.is_some(), e.ratio.is_some());
            }
            let summary = |s: &Summary| (s.n, s.faster, s.slower, s.unclear);
            assert_eq!(
                summary(&p.valid),
                (q.valid.n, q.valid.slower, q.valid.faster, q.valid.unclear)
            );
            if let (Some(of), Some(to)) = (p.valid.means, q.valid.means) {
                let near = |x: f64, y: f64| (x * y - 1.0).abs() < 1e-9;
                assert!(near(of.geometric_mean, to.geometric_mean));
                assert!(near(of.min, to.max) && near(of.max, to.min));
            }
            assert_eq!(
                p.crossing.map(|c| (c.low, c.up_to, c.from)),
                q.crossing.map(|c| (c.low.other(), c.up_to, c.from))
            );
        }
    }
}

fn assert_sound(c: &Comparison) {
    for phase in Phase::ALL {
        let PhaseComparison {
            contexts,
            columns,
            cells,
            counts,
            metrics,
            ..
        } = c.phase(*phase);
        assert_eq!(cells.len(), contexts.len() * columns.len());
        assert_eq!(counts.places, cells.len());
        let parts = counts.compared
            + counts.lost
            + counts.gained
            + counts.only_a
            + counts.only_b
            + counts.not_measured_a
            + counts.not_measured_b
            + counts.neither;
        assert_eq!(parts, counts.places);
        assert_eq!(
            counts.compared_valid + counts.queued + counts.other_status,
            counts.compared
        );
        for metric in metrics {
            assert_eq!(metric.deltas.len(), cells.len());
            let n = metric.valid.n + metric.queued.n + metric.doubted.n + metric.other_status.n;
            assert_eq!(n + metric.without_ratio, counts.compared);
            let bands: usize = metric.bands.iter().map(|b| b.summary.n).sum();
            assert_eq!(bands, metric.valid.n);
            let finite = |delta: &Delta| delta.ratio.is_none_or(|r| r.is_finite() && r > 0.0);
            assert!(metric.deltas.iter().all(finite));
            for summary in [&metric.valid, &metric.queued, &metric.doubted] {
                if let Some(m) = summary.means {
                    assert!(m.min <= m.geometric_mean && m.geometric_mean <= m.max);
                    assert!(m.min > 0.0 && m.max.is_finite());
                }
            }
        }
    }
    for text in [
        c.title(),
        c.verdict_sentence(),
        c.counts_sentence(),
        c.to_json(),
    ] {
        for wrong in ["NaN", "inf,", "∞", "null"] {
            assert!(
                !text.contains(wrong) || c.a.title.contains(wrong) || c.b.title.contains(wrong),
                "{wrong} in {text}"
            );
        }
    }
}

/// Cells whose axes often meet, with figures that are often odd.
fn cells() -> impl Strategy<Value = Vec<Measurement>> {
    let tokens = prop::sample::select(vec![
        0_u64, 8000, 8080, 8192, 16_384, 16_500, 257_024, 262_144,
    ]);
    let n = prop::sample::select(vec![1_u64, 2, 4, 8, 48, 64, 128]);
    let value = prop_oneof![
        Just(0.0),
        Just(1e-300),
        Just(1e300),
        1.0..2.0_f64,
        1.0..1000.0_f64,
    ];
    let step = prop::option::of(prop::sample::select(vec![0.1, 1.0, 100.0]));
    let status = prop::sample::select(Status::ALL.to_vec());
    let figures = (value.clone(), value.clone(), value.clone(), value, step);
    let cell = (tokens, any::<bool>(), n, status, figures).prop_map(
        |(tokens, labelled, concurrency, status, (total, per, ttft, itl, step))| {
            let mut context = Context::from_tokens(tokens);
            if labelled {
                context.tokens = None;
            }
            let figure = |value| Figure { value, step };
            Measurement {
                context,
                concurrency,
                status,
                figures: [
                    (Metric::TotalTokPerS, figure(total)),
                    (Metric::PerRequestTokPerS, figure(per)),
                    (Metric::TtftMs, figure(ttft)),
                    (Metric::ItlMs, figure(itl)),
                    (Metric::PrefillTokPerS, figure(total)),
                ]
                .into_iter()
                .collect(),
                ..Measurement::default()
            }
        },
    );
    prop::collection::vec(cell, 0..20).prop_map(|mut cells: Vec<Measurement>| {
        // One cell at one place.
        let mut seen = std::collections::BTreeSet::new();
        cells.retain(|m| {
            let label = m
                .context
                .tokens
                .map_or(m.context.label.clone(), |n| n.to_string());
            seen.insert((label, m.concurrency, m.context.tokens.is_some()))
        });
        cells
    })
}

fn any_run() -> impl Strategy<Value = Run> {
    let words = |of: &[&str]| {
        let of: Vec<String> = of.iter().map(|s| (*s).to_owned()).collect();
        prop::option::of(prop::sample::select(of))
    };
    let facts = (
        words(&["one", "two"]),
        words(&["H100", "H200"]),
        words(&["0.1", "0.2"]),
        prop::option::of(0_u64..3),
        words(&[
            "vllm serve org/m --dtype half -tp 2",
            "vllm serve org/m -tp 4 --speculative-config '{\"method\":\"mtp\"}'",
            "python3 -m sglang.launch_server --model-path org/m --context-length 100 --tp 2",
            "docker run --gpus all vllm/vllm-openai:v1 --model /m --api-key <redacted>",
            "if true; then vllm; fi",
        ]),
    );
    (facts, cells(), cells(), cells()).prop_map(
        |((model, gpu, version, gpus, command), decode, burst, prefill)| {
            let mut run = Run::new();
            run.slug = "run".to_owned();
            for (fact, value) in [
                (Fact::ModelName, model),
                (Fact::Gpu, gpu),
                (Fact::EngineVersion, version),
                (Fact::LaunchCommand, command),
            ] {
                if let Some(value) = value {
                    run.facts.set_text(fact, value);
                }
            }
            if let Some(gpus) = gpus {
                run.facts.set(Fact::GpuCount, FactValue::Count(gpus));
            }
            run.decode = decode;
            run.burst = burst;
            run.prefill = prefill;
            run.sort();
            run
        },
    )
}

#[test]
fn exchanging_the_sides_mirrors_everything_and_all_adds_up() {
    support::check(1_000, (any_run(), any_run()), |(x, y)| {
        let (c, m) = (compared(&x, &y), compared(&y, &x));
        assert_sound(&c);
        assert_mirrored(&c, &m);
        Ok(())
    });
}

#[test]
fn documents_of_any_two_runs_follow_the_schema() {
    let validator = jsonschema::validator_for(&document::schema()).unwrap();
    support::check(200, (any_run(), any_run()), |(x, y)| {
        let json: Value = serde_json::from_str(&compared(&x, &y).to_json()).unwrap();
        prop_assert!(
            validator.validate(&json).is_ok(),
            "{:?}",
            validator.validate(&json).err()
        );
        Ok(())
    });
}

#[test]
fn a_thousand_pairs_take_no_time() {
    let (a, b) = (report_a(), report_b());
    let start = Instant::now();
    let (a, b) = (Subject::of(&a), Subject::of(&b));
    let mut n = 0;
    for _ in 0..1_000 {
        n += Comparison::of(&a, &b, &Noise::default())
            .decode
            .counts
            .compared;
    }
    assert_eq!(n, 42_000);
    // Far less on an idle machine.
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}

#[test]
fn a_cell_is_found_by_row_and_column() {
    let c = compared(&report_a(), &report_b());
    let cell: &Cell = c.decode.cell(5, 7).unwrap();
    assert_eq!(c.decode.cell_name(cell), "251K × 128");
    assert_eq!(
        (cell.state, cell.words().as_str()),
        (CellState::Lost, "B over capacity")
    );
    assert_eq!(cell.a.as_ref().unwrap().anchor, "c251k-n128");
    assert_eq!(c.decode.cell(0, 8), None);
}
