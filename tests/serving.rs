//! "What can I serve?" of random runs: an answer is a valid cell that keeps its budget, no valid
//! cell of its context with more requests keeps it, and "+" stands where nothing above says no.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

mod support;

use std::collections::BTreeSet;

use proptest::prelude::*;
use speedbook::run::audit::{Noise, Rule, audit};
use speedbook::run::serving::{Answer, Budget, serving};
use speedbook::run::{Context, Figure, Measurement, Metric, Phase, Run, Status};

fn figure() -> impl Strategy<Value = Option<f64>> {
    prop::option::weighted(
        0.9,
        prop_oneof![Just(0.0), (1u32..40).prop_map(|n| f64::from(n) * 5.0)],
    )
}

/// A few contexts with a few levels each; small round figures, so that limits are often met.
fn small_run() -> impl Strategy<Value = Run> {
    let cell = (0u64..3, 0u32..6, 0usize..10, figure(), figure(), figure());
    prop::collection::vec(cell, 0..24).prop_map(|cells| {
        let mut run = Run::new();
        let mut seen = BTreeSet::new();
        for (context, level, status, ttft, each, total) in cells {
            if !seen.insert((context, level)) {
                continue;
            }
            let mut cell = Measurement {
                context: Context::from_tokens(16_384 << context),
                concurrency: 1 << level,
                status: *Status::ALL.get(status).unwrap_or(&Status::Valid),
                ..Measurement::default()
            };
            for (metric, value) in [
                (Metric::TtftMs, ttft),
                (Metric::PerRequestTokPerS, each),
                (Metric::TotalTokPerS, total),
            ] {
                if let Some(value) = value {
                    cell.figures.set(metric, Figure::exact(value));
                }
            }
            run.decode.push(cell);
        }
        for tokens in [16_384, 32_768, 65_536] {
            run.prefill.push(Measurement {
                context: Context::from_tokens(tokens),
                concurrency: 1,
                figures: [(Metric::TtftMs, Figure::exact(150.0))]
                    .into_iter()
                    .collect(),
                ..Measurement::default()
            });
        }
        run.sort();
        run
    })
}

fn limit() -> impl Strategy<Value = Option<f64>> {
    prop::option::of((1u32..40).prop_map(|n| f64::from(n) * 5.0))
}

/// What a cell says to a budget, worked out anew: yes, no, or nothing.
fn says(cell: &Measurement, doubted: bool, budget: &Budget) -> Option<bool> {
    match cell.status {
        Status::Valid => {}
        Status::NotMeasured => return None,
        _ => return Some(false),
    }
    let positive = |metric| cell.value(metric).filter(|v| *v > 0.0);
    let ttft = positive(Metric::TtftMs).filter(|_| !doubted);
    let each = positive(Metric::PerRequestTokPerS);
    let slow = budget.ttft_ms.zip(ttft).is_some_and(|(limit, v)| v > limit);
    let few = budget
        .each_tok_per_s
        .zip(each)
        .is_some_and(|(limit, v)| v < limit);
    if slow || few {
        return Some(false);
    }
    let unknown = (budget.ttft_ms.is_some() && ttft.is_none())
        || (budget.each_tok_per_s.is_some() && each.is_none());
    (!unknown).then_some(true)
}

fn holds(run: &Run, budget: &Budget) -> Result<usize, TestCaseError> {
    let findings = audit(run, &Noise::default());
    let cold: BTreeSet<&String> = findings
        .iter()
        .filter(|f| f.rule == Rule::Cold)
        .flat_map(|f| &f.cells)
        .collect();
    let anchors = run.anchors(Phase::Decode);
    let mut answered = 0;
    let served = serving(run, &findings);
    let contexts: BTreeSet<_> = run.decode.iter().map(|m| m.context.order()).collect();
    prop_assert!(served.contexts.len() >= contexts.len());
    for context in &served.contexts {
        let row: Vec<(&Measurement, Option<bool>)> = run
            .decode
            .iter()
            .zip(&anchors)
            .filter(|(cell, _)| cell.context == *context.context)
            .map(|(cell, anchor)| (cell, says(cell, cold.contains(anchor), budget)))
            .collect();
        let valid = |cell: &Measurement| cell.status == Status::Valid;
        match context.answer(budget) {
            Answer::Level { level, edge } => {
                answered += 1;
                let n = level.cell.concurrency;
                prop_assert!(valid(level.cell));
                let own = row.iter().find(|(cell, _)| std::ptr::eq(*cell, level.cell));
                prop_assert_eq!(own.map(|(_, says)| *says), Some(Some(true)));
                prop_assert_eq!(&level.anchor, &run.anchor(Phase::Decode, level.cell));
                let above = || row.iter().filter(|(cell, _)| cell.concurrency > n);
                prop_assert!(above().all(|(_, says)| *says != Some(true)));
                prop_assert_eq!(edge, above().all(|(_, says)| says.is_none()));
            }
            Answer::Nothing { left_out } => {
                prop_assert!(row.iter().all(|(_, says)| *says != Some(true)));
                let silent = row
                    .iter()
                    .filter(|(cell, says)| valid(cell) && says.is_none());
                prop_assert_eq!(left_out, silent.count());
            }
            Answer::NotMeasured => {
                prop_assert!(
                    row.iter()
                        .all(|(cell, says)| !valid(cell) || says.is_none())
                );
            }
        }
    }
    Ok(answered)
}

#[test]
fn an_answer_keeps_its_budget_and_nothing_above_it_does() {
    let answered = std::cell::Cell::new(0);
    let budget = (limit(), limit());
    support::check(
        4000,
        (small_run(), budget),
        |(run, (ttft_ms, each_tok_per_s))| {
            let budget = Budget {
                name: String::new(),
                ttft_ms,
                each_tok_per_s,
            };
            answered.set(answered.get() + holds(&run, &budget)?);
            Ok(())
        },
    );
    println!("{} answers", answered.get());
    assert!(answered.get() > 1000);
}

#[test]
fn it_holds_for_any_run() {
    support::check(500, (support::run(), limit()), |(run, each)| {
        let budget = Budget {
            name: String::new(),
            ttft_ms: Some(1000.0),
            each_tok_per_s: each,
        };
        holds(&run, &budget).map(|_| ())
    });
}
