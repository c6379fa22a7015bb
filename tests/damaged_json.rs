//! Random damage to run files: whatever a file holds, reading it gives a run whose figures are
//! numbers, or a problem with a place; never a panic.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

use std::collections::BTreeSet;

use serde_json::{Value, json};
use speedbook::import::{Outcome, import};
use speedbook::run::{Phase, Status};

const CASES: u64 = 12_000;

/// SplitMix64: small, and the same everywhere for one seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

fn odd_value(random: &mut Random) -> Value {
    let values = [
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(-3.0),
        json!(8.0),
        json!(0.5),
        json!(1e300),
        json!(-1e300),
        json!(5e-324),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(9_007_199_254_740_993_u64),
        json!(""),
        json!("8"),
        json!("\u{1b}[31m\u{202e}ü"),
        json!("http://[::1"),
        json!([]),
        json!([[], {}, null, 1e300]),
        json!({}),
        json!({"8192": {}, "": null}),
    ];
    values[random.below(values.len())].clone()
}

/// Changes one value somewhere below `value`.
fn damage(value: &mut Value, random: &mut Random, depth: usize) {
    match value {
        Value::Object(map) if !map.is_empty() && (depth == 0 || random.below(8) > 0) => {
            let keys: Vec<String> = map.keys().cloned().collect();
            let key = &keys[random.below(keys.len())];
            match random.below(12) {
                0 => {
                    map.shift_remove(key);
                }
                1 => {
                    let other = keys[random.below(keys.len())].clone();
                    let copy = map[key].clone();
                    map.insert(other, copy);
                }
                _ => damage(map.get_mut(key).unwrap(), random, depth + 1),
            }
        }
        Value::Array(list) if !list.is_empty() && random.below(8) > 0 => {
            let at = random.below(list.len());
            match random.below(8) {
                0 => {
                    list.remove(at);
                }
                1 => {
                    let copy = list[at].clone();
                    list.push(copy);
                }
                _ => damage(&mut list[at], random, depth + 1),
            }
        }
        value => *value = odd_value(random),
    }
}

/// A file without the bulk of its samples, so that damage meets what is read.
fn document(file: &str) -> Value {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/runs");
    let text = fs_err::read_to_string(format!("{folder}/{file}")).unwrap();
    let mut document: Value = serde_json::from_str(&text).unwrap();
    fn strip(value: &mut Value) {
        match value {
            Value::Object(map) => {
                map.shift_remove("request_samples");
                map.values_mut().for_each(strip);
            }
            Value::Array(list) => {
                list.truncate(6);
                list.iter_mut().for_each(strip);
            }
            _ => {}
        }
    }
    strip(&mut document);
    document
}

fn check(text: &str) -> &'static str {
    match import("a.json", text.as_bytes()) {
        Ok(Outcome::LeftAlone(_)) => "left alone",
        Err(problems) => {
            assert!(!problems.is_empty(), "refused without a word");
            for problem in &problems {
                assert!(!problem.message.is_empty() && problem.place.path == "a.json");
            }
            "refused"
        }
        Ok(Outcome::Run(imported)) => {
            for phase in Phase::ALL {
                let mut seen = BTreeSet::new();
                for m in imported.run.phase(*phase) {
                    assert!(seen.insert((m.context.tokens, m.concurrency)));
                    assert!(m.concurrency > 0);
                    for (metric, figure) in m.figures.iter() {
                        let value = figure.value;
                        assert!(value.is_finite() && value >= 0.0, "{metric:?} {value}");
                    }
                    let total = m.value(speedbook::run::Metric::TotalTokPerS);
                    let counts = matches!(m.status, Status::Valid | Status::Queued);
                    assert!(total.is_none() || counts, "{m:?}");
                }
            }
            "a run"
        }
    }
}

#[test]
fn no_damage_makes_the_import_panic() {
    let seed = std::env::var("SPEEDBOOK_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok())
        .unwrap_or_else(|| {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            now.unwrap().as_nanos() as u64
        });
    println!("seed {seed} (repeat with SPEEDBOOK_SEED={seed})");
    let files = [
        "v0.6.2_loop-and-failure-cells.json",
        "v0.4.29plus_matrix_burst_queued_error_over-capacity.json",
        "v0.3.0_matrix_queued.json",
        "v0.4.29plus_prefill-only.json",
        "lil-bench-result-1_skeleton.json",
    ]
    .map(document);
    let mut random = Random(seed);
    let mut outcomes = std::collections::BTreeMap::new();
    for case in 0..CASES {
        let mut document = files[random.below(files.len())].clone();
        for _ in 0..=random.below(4) {
            damage(&mut document, &mut random, 0);
        }
        let mut text = document.to_string();
        if random.below(10) == 0 {
            let mut cut = random.below(text.len());
            while !text.is_char_boundary(cut) {
                cut -= 1;
            }
            text.truncate(cut);
        }
        let outcome = std::panic::catch_unwind(|| check(&text))
            .unwrap_or_else(|_| panic!("seed {seed}, case {case}: {text}"));
        *outcomes.entry(outcome).or_insert(0) += 1;
    }
    println!("{outcomes:?}");
    assert_eq!(
        outcomes.len(),
        3,
        "the damage is of all kinds: {outcomes:?}"
    );
}
