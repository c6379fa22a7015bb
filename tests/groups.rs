//! Many runs: setups, pools, controlled pairs, series and the best run per cell, on a site whose
//! outcome was worked out by hand; what must hold for any set of runs.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs
)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use proptest::prelude::*;
use speedbook::compare::best::differing;
use speedbook::compare::controlled::{ALL_PAIRS_OF, PAGES_A_RUN, Place};
use speedbook::compare::flags::Commands;
use speedbook::compare::pool::measured_band;
use speedbook::compare::{
    Best, Comparison, ControlledPairs, DeltaMetric, RowState, Series, Setups, Subject, Winner,
};
use speedbook::run::audit::Noise;
use speedbook::run::{Context, Fact, FactValue, Figure, Measurement, Metric, Phase, Run, Status};

/// A cell; no figure where it was over capacity.
fn cell(tokens: u64, concurrency: u64, total: Option<f64>) -> Measurement {
    let mut cell = Measurement {
        context: Context::from_tokens(tokens),
        concurrency,
        ..Measurement::default()
    };
    cell.status = Status::OverCapacity;
    if let Some(total) = total {
        cell.status = Status::Valid;
        cell.figures.set(Metric::TotalTokPerS, Figure::exact(total));
        cell.figures.set(Metric::TtftMs, Figure::exact(500.0));
    }
    cell
}

/// A run of the site: version, GPUs, speculative tokens, and by how much it is off what its setup
/// would give.
///
/// total tok/s = cell × version × GPUs × tokens: cells 100 (8K × 1), 1,000 (8K × 16), 80 (64K × 1),
/// 400 (64K × 16, over capacity on 2 GPUs); versions 1, 1.02, 1.2; GPUs 1, 1.5; tokens 1, 1.1.
fn run(version: &str, gpus: u64, tokens: u64, date: &str, off: f64) -> Run {
    let mut run = Run::new();
    run.slug = format!("{version}-{gpus}-{tokens}-{date}");
    let of_version = match version {
        "0.26" => 1.0,
        "0.27" => 1.02,
        _ => 1.2,
    };
    let of_gpus = if gpus == 2 { 1.0 } else { 1.5 };
    let of_tokens = if tokens == 2 { 1.0 } else { 1.1 };
    let factor = of_version * of_gpus * of_tokens * off;
    run.decode = vec![
        cell(8192, 1, Some(100.0 * factor)),
        cell(8192, 16, Some(1000.0 * factor)),
        cell(65_536, 1, Some(80.0 * factor)),
        cell(65_536, 16, (gpus > 2).then_some(400.0 * factor)),
    ];
    let spelled = date.ends_with('2');
    let facts = &mut run.facts;
    facts.set_text(Fact::MeasuredAt, date);
    facts.set_text(Fact::Author, date);
    facts.set_text(Fact::ModelId, "Qwen/Qwen3.5-122B");
    facts.set_text(
        Fact::Gpu,
        if spelled {
            "NVIDIA H200 NVL"
        } else {
            "H200 NVL"
        },
    );
    facts.set(Fact::GpuCount, FactValue::Count(gpus));
    facts.set_text(Fact::EngineName, if spelled { "vLLM" } else { "vllm" });
    let v = if spelled { "v" } else { "" };
    facts.set_text(Fact::EngineVersion, format!("{v}{version}"));
    let command = match spelled {
        true => format!(
            "vllm serve Qwen/Qwen3.5-122B -tp {gpus} --port 9000 --api-key abc \
             --speculative-config.method mtp --speculative-config.num_speculative_tokens {tokens} \
             --gpu-memory-utilization 0.90"
        ),
        false => format!(
            "vllm serve /models/Qwen3.5-122B --gpu-memory-utilization=0.9 \
             --tensor-parallel-size={gpus} --served-model-name x \
             --speculative-config '{{\"method\":\"mtp\",\"num_speculative_tokens\":{tokens}}}'"
        ),
    };
    facts.set_text(Fact::LaunchCommand, command);
    run
}

/// 14 runs in 12 setups; 0.26 on 2 GPUs with 2 tokens and 0.28 on 4 with 3 were measured twice.
fn site() -> Vec<Run> {
    let mut runs = Vec::new();
    for (version, date) in [
        ("0.26", "2026-01-01"),
        ("0.27", "2026-02-01"),
        ("0.28", "2026-03-01"),
    ] {
        for gpus in [2, 4] {
            for tokens in [2, 3] {
                runs.push(run(version, gpus, tokens, date, 1.0));
            }
        }
    }
    runs.push(run("0.26", 2, 2, "2026-01-02", 1.04));
    runs.push(run("0.28", 4, 3, "2026-03-02", 0.98));
    runs
}

fn subjects(runs: &[Run]) -> Vec<Subject<'_>> {
    runs.iter().map(Subject::of).collect()
}

/// "0.26-2-2": what a setup is called here.
fn name(setups: &Setups, setup: usize) -> String {
    let first = setups.all()[setup].runs[0];
    setups.subjects()[first].run().slug[..8].to_owned()
}

fn short(x: f64) -> String {
    format!("{x:.4}")
}

#[test]
fn the_setups_and_the_pools() {
    let runs = site();
    let subjects = subjects(&runs);
    let setups = Setups::of(&subjects, &Noise::default());
    let sizes: Vec<(String, usize)> = setups
        .all()
        .iter()
        .enumerate()
        .map(|(at, setup)| (name(&setups, at), setup.runs.len()))
        .collect();
    let expected = [
        ("0.26-2-2", 2),
        ("0.26-2-3", 1),
        ("0.26-4-2", 1),
        ("0.26-4-3", 1),
        ("0.27-2-2", 1),
        ("0.27-2-3", 1),
        ("0.27-4-2", 1),
        ("0.27-4-3", 1),
        ("0.28-2-2", 1),
        ("0.28-2-3", 1),
        ("0.28-4-2", 1),
        ("0.28-4-3", 2),
    ];
    assert_eq!(sizes, expected.map(|(name, n)| (name.to_owned(), n)));
    assert_eq!(setups.pools().keys().copied().collect::<Vec<_>>(), [0, 11]);
    // 100 and 104 tok/s at 8K × 1; over capacity at 64K × 16 in both.
    let pool = setups.pool(0).unwrap();
    let total = |at: usize| pool.decode.cells[at].figure(DeltaMetric::Total);
    let first = total(0).unwrap();
    assert_eq!(
        (
            first.n,
            first.lowest.value,
            first.median.value,
            first.highest.value
        ),
        (2, 100.0, 102.0, 104.0)
    );
    assert_eq!(short(first.spread), "0.0392");
    assert_eq!(total(3), None);
    assert_eq!(
        pool.decode.cells[3].statuses,
        [Some(Status::OverCapacity); 2]
    );
    // s₀ = ln 1.07 ÷ (1.96 √2) = 0.02441; s = ln 1.04 ÷ √2 = 0.02773;
    // √((4 s₀² + s²) ÷ 5) = 0.02511; exp(2.571 · √2 · 0.02511) − 1.
    assert_eq!(short(pool.noise.tok_per_s), "0.0956");
    assert_eq!(short(setups.pool(11).unwrap().noise.tok_per_s), "0.0862");
    // All TTFTs are 500 ms: still no narrower than the assumed 0.25.
    assert_eq!(short(pool.noise.ttft), "0.2993");
    // Nothing was said of the time between tokens.
    assert_eq!(pool.noise.itl, 0.07);
    assert_eq!(setups.noise(1).tok_per_s, 0.07);
    assert_eq!(short(setups.noise_between(1, 11).tok_per_s), "0.0862");
}

#[test]
fn the_band_narrows_only_with_enough_runs_that_agree() {
    let of = |deviation, runs| short(measured_band(0.07, deviation, runs));
    for (runs, expected) in [(2, "0.0826"), (3, "0.0714"), (4, "0.0637")] {
        assert_eq!(of(0.0, runs), expected);
    }
    // Six runs whose logarithms have a standard deviation of 0.027.
    assert_eq!(of(0.027, 6), "0.0863");
    assert!(measured_band(0.07, 0.001, 100) < 0.02);
    assert!(measured_band(0.07, 0.1, 2) > 0.15);
}

#[test]
fn the_controlled_pairs() {
    let runs = site();
    let subjects = subjects(&runs);
    let setups = Setups::of(&subjects, &Noise::default());
    let found = ControlledPairs::of(&setups);
    let groups: Vec<(String, Vec<String>)> = found
        .groups
        .iter()
        .map(|group| {
            let pairs = group.pairs.iter();
            let pairs = pairs.map(|p| format!("{} {}", name(&setups, p.from), name(&setups, p.to)));
            (group.change.words(), pairs.collect())
        })
        .collect();
    let expected: [(&str, &[&str]); 5] = [
        (
            "2 → 4 GPUs",
            &[
                "0.26-2-2 0.26-4-2",
                "0.26-2-3 0.26-4-3",
                "0.27-2-2 0.27-4-2",
                "0.27-2-3 0.27-4-3",
                "0.28-2-2 0.28-4-2",
                "0.28-2-3 0.28-4-3",
            ],
        ),
        (
            "vllm 0.26 → 0.27",
            &[
                "0.26-2-2 0.27-2-2",
                "0.26-2-3 0.27-2-3",
                "0.26-4-2 0.27-4-2",
                "0.26-4-3 0.27-4-3",
            ],
        ),
        (
            "vllm 0.26 → 0.28",
            &[
                "0.26-2-2 0.28-2-2",
                "0.26-2-3 0.28-2-3",
                "0.26-4-2 0.28-4-2",
                "0.26-4-3 0.28-4-3",
            ],
        ),
        (
            "vllm 0.27 → 0.28",
            &[
                "0.27-2-2 0.28-2-2",
                "0.27-2-3 0.28-2-3",
                "0.27-4-2 0.28-4-2",
                "0.27-4-3 0.28-4-3",
            ],
        ),
        (
            "speculative tokens 2 → 3",
            &[
                "0.26-2-2 0.26-2-3",
                "0.26-4-2 0.26-4-3",
                "0.27-2-2 0.27-2-3",
                "0.27-4-2 0.27-4-3",
                "0.28-2-2 0.28-2-3",
                "0.28-4-2 0.28-4-3",
            ],
        ),
    ];
    let expected: Vec<(String, Vec<String>)> = expected
        .iter()
        .map(|(change, pairs)| {
            let pairs = pairs.iter().map(|pair| (*pair).to_owned());
            ((*change).to_owned(), pairs.collect())
        })
        .collect();
    assert_eq!(groups, expected);
    assert_eq!(found.not_listed, 0);
    // Every setup is in 4 pairs, so all have a page.
    assert!(found.pairs().all(|pair| pair.page.is_some()));
    for pair in found.pairs() {
        let version = |setup| name(&setups, setup)[..4].to_owned();
        let ends = version(pair.from) == "0.26" && version(pair.to) == "0.28";
        let place = if ends { Place::Ends } else { Place::Neighbours };
        assert_eq!(pair.place, place);
        // The newest run of each setup, the earlier one first.
        let (a, b) = pair.page.unwrap();
        let date = |run: usize| runs[run].facts.text(Fact::MeasuredAt).unwrap();
        assert!(date(a) <= date(b));
    }
    // What a page says of two single runs is what the list says.
    for pair in found.pairs() {
        let (a, b) = (&setups.all()[pair.from], &setups.all()[pair.to]);
        if let ([a], [b]) = (a.runs.as_slice(), b.runs.as_slice()) {
            let page = Comparison::of(&subjects[*a], &subjects[*b], &Noise::default());
            let total = page.decode.metric(DeltaMetric::Total).unwrap();
            assert_eq!((total.valid, total.band), (pair.effect, pair.band));
        }
    }
    // Pairs, cells, mean, smallest, largest, clear. The median of 0.26-2-2 is 1.02 times, that of
    // 0.28-4-3 0.99 times what a single run gives.
    let effects: Vec<_> = found
        .groups
        .iter()
        .map(|group| {
            let e = group.effect.unwrap();
            let means = [e.mean, e.smallest, e.largest].map(short).join(" ");
            (e.pairs, e.cells, means, e.clear)
        })
        .collect();
    let of = |pairs, cells, means: &str, clear| (pairs, cells, means.to_owned(), clear);
    assert_eq!(
        effects,
        [
            // 1.5 but for 1.5 ÷ 1.02 and 1.5 · 0.99; 3 cells each.
            of(6, 18, "1.4926 1.4706 1.5000", 6),
            // 1.02 but for 1.02 ÷ 1.02; 3, 3, 4, 4 cells.
            of(4, 14, "1.0150 1.0000 1.0200", 0),
            // 1.2 but for 1.2 ÷ 1.02 and 1.2 · 0.99.
            of(4, 14, "1.1911 1.1765 1.2000", 4),
            // 1.2 ÷ 1.02 but for this · 0.99.
            of(4, 14, "1.1735 1.1647 1.1765", 4),
            // 1.1 but for 1.1 ÷ 1.02, which is inside 0.0956, and 1.1 · 0.99.
            of(6, 21, "1.0945 1.0784 1.1000", 5),
        ]
    );
}

#[test]
fn a_setup_that_differs_in_two_things_adds_no_pair() {
    let mut runs = site();
    let before = {
        let subjects = subjects(&runs);
        let setups = Setups::of(&subjects, &Noise::default());
        ControlledPairs::of(&setups).pairs().count()
    };
    // From 0.28-4-3 it differs in GPUs and engine.
    runs.push(run("0.29", 8, 3, "2026-04-01", 1.0));
    let subjects = subjects(&runs);
    let setups = Setups::of(&subjects, &Noise::default());
    assert_eq!((before, setups.all().len()), (24, 13));
    assert_eq!(ControlledPairs::of(&setups).pairs().count(), 24);
}

#[test]
fn the_series() {
    let runs = site();
    let subjects = subjects(&runs);
    let setups = Setups::of(&subjects, &Noise::default());
    let mut found: Vec<(String, Vec<String>)> = Series::all(&setups)
        .iter()
        .map(|series| {
            let slug = |at: usize| runs[series.points[at].run].slug.clone();
            let points = (0..series.points.len()).map(slug).collect::<Vec<_>>();
            let steps = series.steps.iter().map(|step| {
                let mean = short(step.effect.means.unwrap().geometric_mean);
                let cells = format!("{} of {}", step.agreeing, step.effect.n);
                let sure = if step.confirmed { "confirmed" } else { "last" };
                format!("{} {mean} {cells} {sure}", slug(step.at))
            });
            (points.join(" "), steps.collect())
        })
        .collect();
    found.sort();
    let expected = [
        (
            "0.26-2-2-2026-01-01 0.26-2-2-2026-01-02 0.27-2-2-2026-02-01 0.28-2-2-2026-03-01",
            // 1.2 ÷ 1.02; against the second run 1.2 ÷ 1.04 = 1.154, beyond 0.0956.
            "0.28-2-2-2026-03-01 1.1765 3 of 3 last",
        ),
        (
            "0.26-2-3-2026-01-01 0.27-2-3-2026-02-01 0.28-2-3-2026-03-01",
            "0.28-2-3-2026-03-01 1.1765 3 of 3 last",
        ),
        (
            "0.26-4-2-2026-01-01 0.27-4-2-2026-02-01 0.28-4-2-2026-03-01",
            "0.28-4-2-2026-03-01 1.1765 4 of 4 last",
        ),
        (
            "0.26-4-3-2026-01-01 0.27-4-3-2026-02-01 0.28-4-3-2026-03-01 0.28-4-3-2026-03-02",
            // And the second run of 0.28 shows it: 1.2 · 0.98 ÷ 1.02 = 1.153, beyond 0.0862.
            "0.28-4-3-2026-03-01 1.1765 4 of 4 confirmed",
        ),
    ];
    let expected = expected.map(|(points, step)| (points.to_owned(), vec![step.to_owned()]));
    assert_eq!(found, expected);
    let all = Series::all(&setups);
    let lines: Vec<String> = all[0]
        .lines
        .iter()
        .map(|line| {
            let values = line
                .values
                .iter()
                .map(|v| v.map_or(0.0, |f| f.value).round());
            let values: Vec<String> = values.map(|v| v.to_string()).collect();
            let (metric, label) = (line.metric.key(), &line.context.label);
            format!(
                "{metric} {label} × {}: {}",
                line.concurrency,
                values.join(" ")
            )
        })
        .collect();
    assert_eq!(
        lines,
        [
            "total_tok_per_s 8K × 1: 100 104 102 120",
            "total_tok_per_s 8K × 16: 1000 1040 1020 1200",
            "ttft_ms 64K × 1: 500 500 500 500",
        ]
    );
}

/// Runs over time with these factors; a version each.
fn steps_of(factors: &[f64]) -> Vec<(usize, bool)> {
    let runs: Vec<Run> = factors
        .iter()
        .enumerate()
        .map(|(at, factor)| {
            let mut run = run("0.26", 4, 2, &format!("2026-05-{:02}", at + 10), *factor);
            run.facts.set_text(Fact::EngineVersion, format!("0.{at}"));
            run
        })
        .collect();
    let subjects = subjects(&runs);
    let setups = Setups::of(&subjects, &Noise::default());
    let series = Series::all(&setups);
    assert_eq!(series.len(), 1);
    let steps = series[0].steps.iter();
    steps.map(|step| (step.at, step.confirmed)).collect()
}

#[test]
fn one_disturbed_run_is_no_step() {
    assert_eq!(steps_of(&[1.0, 1.0, 0.8, 1.0, 1.0]), []);
    assert_eq!(steps_of(&[1.0, 1.0, 0.8, 0.8, 0.8]), [(2, true)]);
    assert_eq!(steps_of(&[1.0, 1.0, 1.0, 0.8]), [(3, false)]);
    // Inside the band of 7 %.
    assert_eq!(steps_of(&[1.0, 1.05, 1.0, 1.07]), []);
    // Two steps upwards, and a slow drift.
    assert_eq!(steps_of(&[1.0, 1.1, 1.1, 1.3, 1.3]), [(1, true), (3, true)]);
    assert_eq!(steps_of(&[1.0, 1.03, 1.06, 1.09, 1.12]), []);
}

#[test]
fn a_step_needs_most_cells() {
    let mut runs = vec![
        run("0.26", 4, 2, "2026-05-10", 1.0),
        run("0.27", 4, 2, "2026-05-11", 1.0 / 1.02),
    ];
    // One cell of four is twice as fast: a mean of 1.19.
    let twice = Figure::exact(2000.0 * 1.5);
    runs[1].decode[1].figures.set(Metric::TotalTokPerS, twice);
    for cell in [0, 2, 3] {
        let was = runs[1].decode[cell].value(Metric::TotalTokPerS).unwrap();
        let figure = Figure::exact(was * 0.999);
        runs[1].decode[cell]
            .figures
            .set(Metric::TotalTokPerS, figure);
    }
    let subjects = subjects(&runs);
    let setups = Setups::of(&subjects, &Noise::default());
    let series = Series::all(&setups);
    let point = &series[0].points[1];
    assert_eq!(
        short(point.against_first.means.unwrap().geometric_mean),
        "1.1883"
    );
    assert_eq!(series[0].steps, []);
}

fn best(runs: &[Run], of: &[usize]) -> Vec<String> {
    let subjects = subjects(runs);
    let setups = Setups::of(&subjects, &Noise::default());
    let best = Best::of(&setups, of, Phase::Decode, DeltaMetric::Total);
    let letter = |entry: &usize| best.entries[*entry].letter.clone();
    best.cells
        .iter()
        .map(|cell| {
            let place = format!("{} × {}", best.contexts[cell.row].label, cell.concurrency);
            let winner = match &cell.winner {
                Winner::None => "none".to_owned(),
                Winner::Only(entry) => format!("only {}", letter(entry)),
                Winner::One { entry, lead } => format!("{} ×{}", letter(entry), short(*lead)),
                Winner::Tie(all) => {
                    format!(
                        "tie {}",
                        all.iter().map(letter).collect::<Vec<_>>().join(" ")
                    )
                }
            };
            let over: Vec<String> = cell.over_capacity().map(|entry| letter(&entry)).collect();
            format!("{place}: {winner}; over capacity {}", over.join(" "))
        })
        .collect()
}

#[test]
fn the_best_run_per_cell() {
    let mut runs = site();
    let all: Vec<usize> = (0..14).collect();
    // Letters in the order of the runs; the second runs stand under those of their setups. L is
    // 0.28-4-3: 1.2 · 1.5 · 1.1 · 0.99 = 1.9602; K without the third token 1.8. The lead of 1.089
    // is beyond the 0.0862 of L's own runs.
    assert_eq!(
        best(&runs, &all),
        [
            "8K × 1: L ×1.0890; over capacity ",
            "8K × 16: L ×1.0890; over capacity ",
            "64K × 1: L ×1.0890; over capacity ",
            "64K × 16: L ×1.0890; over capacity A B E F I J",
        ]
    );
    // 0.26-4-3, 0.27-4-3 (2 % apart, so a tie) and 0.26-2-3.
    assert_eq!(
        best(&runs, &[3, 7, 1]),
        [
            "8K × 1: tie B A; over capacity ",
            "8K × 16: tie B A; over capacity ",
            "64K × 1: tie B A; over capacity ",
            "64K × 16: tie B A; over capacity C",
        ]
    );
    // On 2 GPUs nobody has 64K × 16.
    assert_eq!(best(&runs, &[0, 12])[3], "64K × 16: none; over capacity A");
    // Both runs of L must not be ranked: K is best, before G (1.2 ÷ 1.02 · …), H (1.683).
    runs[11].ranked = false;
    runs[13].ranked = false;
    assert_eq!(
        best(&runs, &all)[0],
        "8K × 1: tie K H; over capacity ",
        "1.8 ÷ 1.683 = 1.0695 is inside 0.07"
    );
    assert_eq!(
        best(&runs, &[11, 13, 3])[0],
        "8K × 1: only C; over capacity "
    );
}

#[test]
fn columns_are_what_differs() {
    let runs = site();
    let subjects = subjects(&runs);
    let setups = Setups::of(&subjects, &Noise::default());
    let columns = |of: &[usize]| -> Vec<String> {
        differing(&setups, of)
            .iter()
            .map(|column| {
                let value = |v: &Option<String>| v.clone().unwrap_or("-".to_owned());
                let values: Vec<String> = column.values.iter().map(value).collect();
                format!("{}: {}", column.name, values.join(" "))
            })
            .collect()
    };
    // The same setup in two spellings.
    assert_eq!(columns(&[0, 12]), [""; 0]);
    assert_eq!(
        columns(&[0, 12, 11]),
        [
            "GPU count: 2 2 4",
            "Version: 0.26 v0.26 0.28",
            "--tensor-parallel-size: 2 2 4",
            "--speculative-config.num_speculative_tokens: 2 2 3",
        ]
    );
}

/// The words of the controlled pairs of runs that differ in their commands, and the number of
/// setups.
fn of_commands(commands: &[&str]) -> (usize, Vec<String>) {
    let runs: Vec<Run> = commands
        .iter()
        .enumerate()
        .map(|(at, command)| {
            let mut run = run("0.26", 2, 2, "2026-01-01", 1.0);
            run.slug = format!("setup-{at:02}");
            run.facts.set_text(Fact::LaunchCommand, *command);
            run
        })
        .collect();
    let subjects = subjects(&runs);
    let setups = Setups::of(&subjects, &Noise::default());
    let pairs = ControlledPairs::of(&setups);
    let words = pairs.groups.iter().map(|group| group.change.words());
    (setups.all().len(), words.collect())
}

#[test]
fn what_is_hidden_or_not_known_makes_no_pair() {
    let none: [&str; 0] = [];
    let of = |commands: &[&str]| of_commands(commands);
    let words = |n: usize, list: &[&str]| (n, list.iter().map(|w| (*w).to_owned()).collect());
    // Secrets, names, places and ports are left out.
    let same = [
        "vllm serve m --port 1 --api-key <redacted> --download-dir /a",
        "X_TOKEN=<redacted> vllm serve m --served-model-name x",
        "nohup vllm serve m &",
    ];
    assert_eq!(of(&same), words(1, &none));
    // A hidden value may be any.
    let hidden = [
        "vllm serve m --dtype <redacted>",
        "vllm serve m --dtype half",
    ];
    assert_eq!(of(&hidden), words(2, &none));
    // So may that of a variable.
    let variable = ["vllm serve m --dtype $TYPE", "vllm serve m --dtype half"];
    assert_eq!(of(&variable), words(2, &none));
    // Without a flag the default holds.
    let set = [
        "vllm serve m",
        "vllm serve m --max-num-seqs 8",
        "vllm serve m --max-num-seqs 64",
    ];
    let expected = [
        "--max-num-seqs not set → 8",
        "--max-num-seqs not set → 64",
        "--max-num-seqs 8 → 64",
    ];
    assert_eq!(of(&set), words(3, &expected));
    // Values are in the order of numbers.
    let many = [
        "vllm serve m --max-num-seqs 128",
        "vllm serve m --max-num-seqs 16",
    ];
    assert_eq!(of(&many), words(2, &["--max-num-seqs 16 → 128"]));
    let shares = [
        "vllm serve m --gpu-memory-utilization 0.9",
        "vllm serve m --gpu-memory-utilization 0.85",
    ];
    let expected = ["--gpu-memory-utilization 0.85 → 0.9"];
    assert_eq!(of(&shares), words(2, &expected));
    // A command that is not understood says nothing.
    assert_eq!(of(&["./start.sh", "vllm serve m"]), words(2, &none));
    let container = [
        "vllm serve m",
        "docker run --shm-size 1g vllm/vllm-openai:v1 --model m",
        "docker run --shm-size 2g vllm/vllm-openai:v1 --model m",
    ];
    let expected = [
        "vllm image not set → vllm/vllm-openai:v1",
        "--shm-size 1g → 2g",
    ];
    assert_eq!(of(&container), words(3, &expected));
}

#[test]
fn of_many_values_only_neighbours_and_ends_are_listed() {
    let runs: Vec<Run> = (0..20)
        .map(|at| {
            let mut run = run("0.26", 2, 2, "2026-01-01", 1.0);
            run.slug = format!("setup-{at:02}");
            run.facts.set_text(Fact::EngineVersion, format!("0.{at}"));
            run
        })
        .collect();
    let subjects = subjects(&runs);
    let setups = Setups::of(&subjects, &Noise::default());
    let pairs = ControlledPairs::of(&setups);
    let of = |place| pairs.pairs().filter(|pair| pair.place == place).count();
    let places = [Place::Neighbours, Place::Ends, Place::Others].map(of);
    // 20 · 19 ÷ 2 = 190.
    assert_eq!((places, pairs.not_listed), ([19, 1, 0], 170));
}

// What must hold for any set of runs.

/// Facts that random runs have, each with the thing that it is a part of.
const FACTS: &[(Fact, &str, &[&str])] = &[
    (Fact::EngineVersion, "engine", &["", "0.9", "v0.9", "0.10"]),
    (
        Fact::Commit,
        "engine",
        &["", "aaaaaaa", "aaaaaaaa1", "bbbbbbbb"],
    ),
    (Fact::Gpu, "gpu", &["H200 NVL", "NVIDIA H200 NVL", "H100"]),
    (Fact::Driver, "hardware.driver", &["", "580", "570"]),
    (Fact::Quantization, "quantization", &["FP8", "fp8", "FP4"]),
    (Fact::ModelId, "model", &["a/m", "A/M", "a/m-large"]),
];

const FLAGS: &[&[&str]] = &[
    &["", "--tensor-parallel-size 2", "-tp 4"],
    &[
        "",
        "--speculative-config '{\"method\":\"mtp\",\"num_speculative_tokens\":2}'",
        "--speculative-config.method mtp --speculative-config.num_speculative_tokens 3",
    ],
    &["", "--dtype bfloat16", "--dtype float16"],
    &["", "--max-model-len 256K", "--max-model-len 262144"],
    &["", "--port 1", "--api-key x"],
];

const STARTS: &[&str] = &[
    "vllm serve m",
    "docker run --shm-size 1g vllm/vllm-openai:v1 --model m",
    "docker run --shm-size 2g vllm/vllm-openai:v1 --model m",
    "docker run --shm-size 1g vllm/vllm-openai:v2 --model m",
    "",
];

fn small_run() -> impl Strategy<Value = Run> {
    let facts: Vec<_> = FACTS.iter().map(|(_, _, v)| 0..v.len()).collect();
    let flags: Vec<_> = FLAGS.iter().map(|v| 0..v.len()).collect();
    // Most are equal, so that some differ in one thing.
    let sparse = |of: Vec<std::ops::Range<usize>>| {
        of.into_iter()
            .map(|range| prop_oneof![4 => Just(range.end - 1), 1 => range])
            .collect::<Vec<_>>()
    };
    let start = prop_oneof![3 => Just(0), 2 => 0..STARTS.len()];
    (sparse(facts), sparse(flags), start, 1..4_u32).prop_map(|(facts, flags, start, day)| {
        let mut run = Run::new();
        for ((fact, _, values), at) in FACTS.iter().zip(facts) {
            run.facts.set_text(*fact, values[at]);
        }
        if !STARTS[start].is_empty() {
            let flags = FLAGS.iter().zip(flags).map(|(values, at)| values[at]);
            let command = format!("{} {}", STARTS[start], flags.collect::<Vec<_>>().join(" "));
            run.facts.set_text(Fact::LaunchCommand, command);
        }
        run.facts
            .set_text(Fact::MeasuredAt, format!("2026-01-{day:02}"));
        run
    })
}

/// Whether two runs are known to differ in nothing, or in which one thing; `None` where they differ
/// in more or it is not known.
fn by_brute_force(a: &Subject, b: &Subject) -> Option<Option<String>> {
    let comparison = Comparison::of(a, b, &Noise::default());
    let commands = comparison.launch.commands;
    if matches!(commands, Commands::OnlyA | Commands::OnlyB) {
        return None;
    }
    let thing = match comparison.things.as_slice() {
        [] => None,
        [thing] => Some(thing.kind.id()),
        _ => return None,
    };
    let told_by_one = comparison
        .facts
        .iter()
        .filter(|row| matches!(row.state, RowState::OnlyA | RowState::OnlyB));
    for row in told_by_one {
        let of = FACTS.iter().find(|(fact, ..)| *fact == row.fact).unwrap().1;
        if thing.as_deref() != Some(of) {
            return None;
        }
    }
    Some(thing)
}

#[test]
fn every_controlled_pair_is_found_and_no_other() {
    let found_any = std::cell::Cell::new(0);
    support::check(
        300,
        prop::collection::vec(small_run(), 0..12),
        |mut runs| {
            for (at, run) in runs.iter_mut().enumerate() {
                run.slug = format!("r{at:02}");
            }
            let subjects = subjects(&runs);
            // A commit that abbreviates two others cannot be in this set, so equal is transitive.
            let setups = Setups::of(&subjects, &Noise::default());
            for a in 0..runs.len() {
                for b in 0..runs.len() {
                    let same = by_brute_force(&subjects[a], &subjects[b]) == Some(None);
                    prop_assert_eq!(
                        setups.setup_of(a) == setups.setup_of(b),
                        same,
                        "setups of {} {}",
                        a,
                        b
                    );
                }
            }
            let mut expected = BTreeSet::new();
            for (a, x) in setups.all().iter().enumerate() {
                for (b, y) in setups.all().iter().enumerate().skip(a + 1) {
                    let (x, y) = (x.runs[0], y.runs[0]);
                    if let Some(Some(thing)) = by_brute_force(&subjects[x], &subjects[y]) {
                        expected.insert((a, b, thing));
                    }
                }
            }
            let pairs = ControlledPairs::of(&setups);
            let found: Vec<(usize, usize, String)> = pairs
                .groups
                .iter()
                .flat_map(|group| {
                    let thing = group.change.thing.id();
                    let of = move |p: &speedbook::compare::Pair| {
                        (p.from.min(p.to), p.from.max(p.to), thing.clone())
                    };
                    group.pairs.iter().map(of)
                })
                .collect();
            let distinct: BTreeSet<_> = found.iter().cloned().collect();
            prop_assert_eq!(distinct.len(), found.len(), "each pair once");
            prop_assert_eq!(distinct, expected);
            found_any.set(found_any.get() + found.len());
            Ok(())
        },
    );
    assert!(found_any.get() > 100, "{}", found_any.get());
}

#[test]
fn what_is_found_does_not_depend_on_the_order_of_the_runs() {
    let words = |runs: &[Run]| {
        let subjects = subjects(runs);
        let setups = Setups::of(&subjects, &Noise::default());
        let mut out: Vec<String> = Vec::new();
        for group in ControlledPairs::of(&setups).groups {
            for pair in group.pairs {
                let page = pair
                    .page
                    .map(|(a, b)| format!("{} {}", runs[a].slug, runs[b].slug));
                let (from, to) = (name(&setups, pair.from), name(&setups, pair.to));
                let mean = pair.effect.means.map(|m| m.geometric_mean);
                out.push(format!(
                    "{} {from} {to} {page:?} {mean:?}",
                    group.change.words()
                ));
            }
        }
        out
    };
    let mut runs = site();
    let before = words(&runs);
    runs.reverse();
    runs.swap(3, 9);
    assert_eq!(words(&runs), before);
}

#[test]
fn ten_thousand_runs_have_few_pages() {
    let mut runs = Vec::new();
    for i in 0..10_000_u64 {
        let mut run = Run::new();
        run.slug = format!("r{i}");
        let facts = &mut run.facts;
        facts.set_text(Fact::ModelId, format!("org/model-{}", i % 20));
        facts.set_text(Fact::Gpu, format!("gpu {}", i / 20 % 5));
        facts.set_text(Fact::EngineName, "vllm");
        facts.set_text(Fact::EngineVersion, format!("0.{}", i / 100 % 25));
        facts.set(Fact::GpuCount, FactValue::Count(i / 2500 + 1));
        facts.set_text(
            Fact::MeasuredAt,
            format!("2026-{:02}-{:02}", i % 12 + 1, i % 28 + 1),
        );
        run.decode = vec![cell(8192, 1, Some(100.0)), cell(8192, 16, Some(900.0))];
        runs.push(run);
    }
    let subjects = subjects(&runs);
    let start = Instant::now();
    let setups = Setups::of(&subjects, &Noise::default());
    let of_setups = start.elapsed();
    let pairs = ControlledPairs::of(&setups);
    let of_pairs = start.elapsed();
    let series = Series::all(&setups);
    println!("{of_setups:?} {of_pairs:?} {:?}", start.elapsed());
    assert_eq!((setups.all().len(), series.len()), (10_000, 400));
    let mut pages: BTreeMap<usize, usize> = BTreeMap::new();
    let mut of_setup: BTreeMap<usize, usize> = BTreeMap::new();
    for pair in pairs.pairs() {
        for run in pair.page.into_iter().flat_map(|(a, b)| [a, b]) {
            *pages.entry(run).or_default() += 1;
        }
        for setup in [pair.from, pair.to] {
            *of_setup.entry(setup).or_default() += 1;
        }
    }
    assert!(pages.values().all(|n| *n <= PAGES_A_RUN));
    // 4 things, each with at most as many partners as all pairs are listed of, on both sides.
    let listed = pairs.pairs().count();
    assert!(listed <= 10_000 * 4 * ALL_PAIRS_OF / 2, "{listed}");
    assert!(pages.len() == 10_000 && of_setup.len() == 10_000);
    // Each with each would be 50,000,000; the limit is wide for slow machines.
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}
