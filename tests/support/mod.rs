//! What several integration tests share: random runs, and checks of many random cases.

// Each test file uses its own part of this module.
#![allow(dead_code)]

use std::fmt::Debug;
use std::hash::{BuildHasher, Hasher, RandomState};

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseResult, TestError, TestRng, TestRunner};
use serde_json::{Map, Value, json};
use speedbook::run::document::Place;
use speedbook::run::fact::Kind;
use speedbook::run::{
    Context, Fact, FactValue, Facts, Figure, Figures, Measurement, Metric, Run, Section, Source,
    Status,
};

/// Checks so many random cases, and prints the seed; `SPEEDBOOK_SEED=N` repeats a series.
pub fn check<S: Strategy>(cases: u32, strategy: S, test: impl Fn(S::Value) -> TestCaseResult)
where
    S::Value: Debug,
{
    let seed: u64 = match std::env::var("SPEEDBOOK_SEED") {
        Ok(seed) => seed.parse().expect("SPEEDBOOK_SEED must be a number"),
        Err(_) => RandomState::new().build_hasher().finish(),
    };
    println!("{cases} cases, SPEEDBOOK_SEED={seed}");
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    match TestRunner::new_with_rng(config, rng).run(&strategy, test) {
        Ok(()) => {}
        Err(TestError::Fail(reason, value)) => {
            panic!("SPEEDBOOK_SEED={seed}: {reason}\nfor {value:#?}")
        }
        Err(error) => panic!("SPEEDBOOK_SEED={seed}: {error}"),
    }
}

/// Any run that the model allows, sorted, with each cell once.
pub fn run() -> impl Strategy<Value = Run> {
    let head = (
        slug(),
        facts(),
        prop::collection::vec(any_text(), 0..3),
        any::<(bool, bool, bool)>(),
        prop::collection::vec(any_text(), 0..2),
        prop::collection::vec(any_text(), 0..3),
        prop::option::of(any_text()),
    );
    let cells = (
        prop::collection::vec(measurement(), 0..3),
        prop::collection::vec(measurement(), 0..6),
        prop::collection::vec(measurement(), 0..3),
    );
    (head, cells, source(), unknown_of_run()).prop_map(|(head, cells, source, unknown)| {
        let (slug, facts, tags, (complete, ranked, draft), aliases, notes, notes_markdown) = head;
        let (prefill, decode, burst) = cells;
        let mut run = Run {
            slug,
            facts,
            tags,
            complete,
            ranked,
            draft,
            aliases,
            notes,
            notes_markdown,
            prefill: each_once(prefill),
            decode: each_once(decode),
            burst: each_once(burst),
            source,
            unknown,
        };
        run.sort();
        run
    })
}

fn each_once(cells: Vec<Measurement>) -> Vec<Measurement> {
    let mut seen = std::collections::BTreeSet::new();
    let key = |m: &Measurement| {
        let label = m.context.tokens.is_none().then(|| m.context.label.clone());
        (m.context.tokens, label, m.concurrency)
    };
    cells.into_iter().filter(|m| seen.insert(key(m))).collect()
}

/// Text of any script, with quotes, controls, markup and line breaks.
pub fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~]{0,20}",
        any::<String>(),
        prop::collection::vec(
            prop_oneof![
                Just('"'),
                Just('\\'),
                Just('\n'),
                Just('\u{2028}'),
                Just('\u{7f}'),
                Just('<'),
                any::<char>()
            ],
            0..8
        )
        .prop_map(|chars| chars.into_iter().collect::<String>()),
    ]
}

/// Text with something else than white space in it.
pub fn words() -> impl Strategy<Value = String> {
    (any_text(), "[a-zäß東 ]{0,4}[a-z0-9×]").prop_map(|(any, tail)| any + &tail)
}

fn slug() -> impl Strategy<Value = String> {
    "[a-z0-9äß東][a-z0-9._-]{0,8}[a-z0-9](/[a-z0-9][a-z0-9.]{0,5}[a-z0-9]){0,2}"
}

/// Numbers from 0: small ones, ones of few decimals, and any others.
pub fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        (0u32..100_000).prop_map(f64::from),
        (0u32..1_000_000).prop_map(|n| f64::from(n) / 10.0),
        (any::<u64>()).prop_map(|bits| f64::from_bits(bits).abs()),
        Just(f64::MIN_POSITIVE),
        Just(-0.0),
        Just(9_007_199_254_740_992.0),
    ]
    .prop_filter("JSON has finite numbers only", |x| x.is_finite())
}

fn count() -> impl Strategy<Value = u64> {
    prop_oneof![0u64..10_000, any::<u64>()]
}

fn figure(metric: Metric) -> impl Strategy<Value = Figure> {
    let step = prop_oneof![
        Just(None),
        Just(Some(0.1)),
        Just(Some(1.0)),
        Just(Some(100.0)),
        number().prop_map(|x| Some(x).filter(|x| *x > 0.0)),
    ];
    (number(), step).prop_map(move |(value, step)| {
        let value = if metric.info().count {
            value.round()
        } else {
            value
        };
        Figure { value, step }
    })
}

fn figures() -> impl Strategy<Value = Figures> {
    let one = prop::sample::select(Metric::ALL)
        .prop_flat_map(|metric| figure(metric).prop_map(move |figure| (metric, figure)));
    prop::collection::vec(one, 0..8).prop_map(|figures| figures.into_iter().collect())
}

fn context() -> impl Strategy<Value = Context> {
    prop_oneof![
        (0u64..64).prop_map(|k| Context::from_tokens(k * 1024)),
        count().prop_map(Context::from_tokens),
        ("[1-9][0-9]{0,2}K", any::<bool>()).prop_map(|(label, k)| Context::from_label(&label, k)),
        (words(), prop::option::of(count()), any::<bool>()).prop_map(|(label, tokens, derived)| {
            Context {
                label,
                tokens,
                derived,
            }
        }),
    ]
}

fn measurement() -> impl Strategy<Value = Measurement> {
    let texts = (
        prop::option::weighted(0.2, any_text()),
        prop::option::weighted(0.2, any_text()),
        prop::option::weighted(0.2, any_text()),
        prop::option::weighted(0.2, any_text()),
    );
    let concurrency = prop_oneof![Just(1u64), 1u64..200, 1u64..];
    let status = prop::sample::select(Status::ALL);
    let unknown = unknown(Place::Cell);
    (context(), concurrency, status, texts, figures(), unknown).prop_map(
        |(context, concurrency, status, texts, figures, unknown)| Measurement {
            context,
            concurrency,
            status,
            status_text: texts.0,
            reason: texts.1,
            method: texts.2,
            token_source: texts.3,
            figures,
            unknown,
        },
    )
}

fn fact_value(fact: Fact) -> BoxedStrategy<FactValue> {
    match fact.info().kind {
        Kind::Text | Kind::Lines => words().prop_map(FactValue::Text).boxed(),
        Kind::Count => count().prop_map(FactValue::Count).boxed(),
        Kind::Number => number().prop_map(FactValue::Number).boxed(),
        Kind::Time => "20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])((T| )([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?(Z|[+-]0[0-9]:[0-5][0-9])?)?"
            .prop_map(FactValue::Text)
            .boxed(),
        Kind::Url => "https?://[a-z]{1,8}\\.org/[a-z?=&]{0,8}"
            .prop_map(FactValue::Text)
            .boxed(),
    }
}

/// Some facts, the title among them.
pub fn facts() -> impl Strategy<Value = Facts> {
    // One strategy a fact, made once: making one costs more than asking it.
    let each: Vec<BoxedStrategy<Option<FactValue>>> = Fact::ALL
        .iter()
        .map(|fact| match fact {
            Fact::Title => fact_value(*fact).prop_map(Some).boxed(),
            _ => prop::option::weighted(0.3, fact_value(*fact)).boxed(),
        })
        .collect();
    each.prop_map(|values| {
        let mut facts = Facts::default();
        for (fact, value) in Fact::ALL.iter().zip(values) {
            if let Some(value) = value {
                facts.set(*fact, value);
            }
        }
        facts
    })
}

fn source() -> impl Strategy<Value = Source> {
    (any_text(), words(), "[0-9a-f]{64}").prop_map(|(path, format, sha256)| Source {
        path,
        format,
        sha256,
    })
}

/// Any JSON value.
pub fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        number().prop_map(|x| json!(x)),
        any_text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((any_text(), inner), 0..3)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

/// Keys that this version does not know there.
fn unknown(place: Place) -> impl Strategy<Value = Map<String, Value>> {
    let key = prop_oneof![
        "[a-z_]{0,8}",
        any_text(),
        Just("ttft_p95_ms".to_owned()),
        Just("later_step".to_owned())
    ];
    let key = key.prop_filter("unknown", move |key| !place.knows(key));
    let entries = prop_oneof![
        3 => Just(Vec::new()),
        1 => prop::collection::vec((key, json_value()), 1..3),
    ];
    entries.prop_map(|entries: Vec<_>| entries.into_iter().collect())
}

/// Unknown keys of the document, and below the names of its objects those of these.
fn unknown_of_run() -> impl Strategy<Value = Map<String, Value>> {
    let below = (
        unknown(Place::Facts(Section::Model)),
        unknown(Place::Facts(Section::Hardware)),
        unknown(Place::Facts(Section::Engine)),
        unknown(Place::Facts(Section::Method)),
        unknown(Place::Source),
    );
    (unknown(Place::Top), below).prop_map(|(mut all, below)| {
        let names = ["model", "hardware", "engine", "method", "source"];
        let below = [below.0, below.1, below.2, below.3, below.4];
        for (name, keys) in names.into_iter().zip(below) {
            if !keys.is_empty() {
                all.insert(name.to_owned(), Value::Object(keys));
            }
        }
        all
    })
}

/// One line of ordinary words, as names and versions are.
pub fn plain_words() -> impl Strategy<Value = String> {
    "[A-Za-z0-9äß東][A-Za-z0-9 ,.:;+*_|<>\\[\\]()&#@!?'/=~$^`\"%–×äß-]{0,16}[A-Za-z0-9)]"
        .prop_map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// A run as an importer could have made it: labels, words and numbers of ordinary shape.
pub fn plain_run() -> impl Strategy<Value = Run> {
    let cells = |most| prop::collection::vec(plain_measurement(), 0..most);
    let notes = prop::collection::vec("[A-Z][a-z ,<_*]{3,30}[a-z]\\.", 0..2);
    let tags = prop::collection::vec("[a-z][a-z0-9 -]{0,8}[a-z]", 0..3);
    (plain_facts(), tags, notes, cells(4), cells(12), cells(4))
        .prop_map(|(facts, tags, notes, prefill, decode, burst)| {
            let mut run = Run {
                slug: "a".to_owned(),
                facts,
                tags,
                notes,
                prefill: each_once(prefill).into_iter().map(as_prefill).collect(),
                decode: each_once(decode).into_iter().map(as_decode).collect(),
                burst: each_once(burst).into_iter().map(as_decode).collect(),
                ..Run::new()
            };
            run.prefill.dedup_by_key(|m| m.context.label.clone());
            let mut seen = std::collections::BTreeSet::new();
            run.prefill.retain(|m| seen.insert(m.context.label.clone()));
            run.sort();
            run
        })
        .prop_filter("a run has a measurement", |run| {
            !(run.prefill.is_empty() && run.decode.is_empty())
        })
}

fn as_prefill(mut m: Measurement) -> Measurement {
    m.concurrency = 1;
    m.figures.remove(Metric::TotalTokPerS);
    m
}

fn as_decode(mut m: Measurement) -> Measurement {
    m.figures.remove(Metric::PrefillTokPerS);
    m
}

fn plain_figure(metric: Metric) -> impl Strategy<Value = (Metric, Figure)> {
    let step = prop_oneof![
        2 => Just(None),
        2 => Just(Some(0.1)),
        1 => Just(Some(1.0)),
        1 => Just(Some(100.0)),
    ];
    (1u32..2_000_000, step).prop_map(move |(n, step)| {
        let info = metric.info();
        let value = match info.display {
            speedbook::run::metric::Display::Percent => f64::from(n % 1000) / 1000.0,
            _ => f64::from(n) / 10.0,
        };
        let figure = if info.count {
            Figure::exact(value.round())
        } else {
            match step.filter(|_| info.unit == "tok/s" || info.unit == "ms") {
                // A figure with a step is a multiple of it.
                Some(step) => Figure::rounded((value / step).round() * step, step),
                None => Figure::exact(value),
            }
        };
        let rounded = figure.step.map_or(figure.value, |s| {
            format!("{:.1}", (figure.value / s).round() * s)
                .parse()
                .unwrap()
        });
        (
            metric,
            Figure {
                value: rounded,
                ..figure
            },
        )
    })
}

fn plain_measurement() -> impl Strategy<Value = Measurement> {
    let one = prop::sample::select(Metric::ALL).prop_flat_map(plain_figure);
    let figures = prop::collection::vec(one, 0..8);
    let total = (
        plain_figure(Metric::TotalTokPerS),
        plain_figure(Metric::PrefillTokPerS),
        plain_figure(Metric::TtftMs),
    );
    let label = prop::sample::select(&["0", "512", "8K", "16K", "64K", "251K", "1M", "1.5K"][..]);
    let concurrency = prop::sample::select(&[1u64, 2, 4, 8, 64, 128][..]);
    let status = prop::sample::select(Status::ALL);
    let words = (
        prop::option::weighted(0.2, "[a-z]{2,8}( [a-z_<|]{2,8}){0,3}"),
        "[A-Z][a-z]{3,8} [a-z]{3,8}",
        prop::option::weighted(0.2, "[a-z_]{3,12}"),
    );
    (label, concurrency, status, words, total, figures).prop_map(
        |(label, concurrency, status, words, total, figures)| {
            let (reason, other, source) = words;
            let measured = matches!(status, Status::Valid | Status::Queued | Status::Other);
            let figures: Figures = if measured {
                figures
                    .into_iter()
                    .chain([total.0, total.1, total.2])
                    .collect()
            } else {
                Figures::default()
            };
            Measurement {
                context: Context::from_label(label, false),
                concurrency,
                status,
                status_text: (status == Status::Other).then_some(other),
                reason,
                token_source: source,
                figures,
                ..Measurement::default()
            }
        },
    )
}

fn plain_facts() -> impl Strategy<Value = Facts> {
    let each: Vec<BoxedStrategy<Option<FactValue>>> = Fact::ALL
        .iter()
        .map(|fact| {
            let text = |regex: &str| {
                proptest::string::string_regex(regex).unwrap().prop_map(FactValue::Text).boxed()
            };
            let value = match fact {
                Fact::Timezone => return Just(None).boxed(),
                Fact::Title => return plain_words().prop_map(|t| Some(FactValue::Text(t))).boxed(),
                Fact::Author => text("@?[a-z][a-z0-9_-]{1,12}"),
                Fact::Tool => text("[a-z][a-z-]{2,12}[a-z]"),
                Fact::ToolVersion => text("[0-9]\\.[0-9]{1,2}\\.[0-9]"),
                Fact::MeasuredAt => text("20[0-9]{2}-0[1-9]-1[0-9](T1[0-9]:[0-5][0-9]:00(Z|[+-]0[1-9]:[03]0)?)?"),
                Fact::LaunchCommand => prop::sample::select(
                    &[
                        "vllm serve org/model --tensor-parallel-size 2 --api-key <redacted>",
                        "\"$HOME/bin/vllm\" serve a --speculative-config '{\"method\":\"mtp\",\"num_speculative_tokens\":3}'",
                        "HF_TOKEN=<redacted> python -m sglang.launch_server --model-path x/y --tp 4",
                        "llama-server -m a.gguf -c 8192",
                    ][..],
                )
                .prop_map(|t| FactValue::Text(t.to_owned()))
                .boxed(),
                _ => match fact.info().kind {
                    Kind::Text | Kind::Lines => plain_words().prop_map(FactValue::Text).boxed(),
                    Kind::Count => (1u64..1_000_000).prop_map(FactValue::Count).boxed(),
                    Kind::Number => (1u32..4_000).prop_map(|n| FactValue::Number(f64::from(n) / 2.0)).boxed(),
                    Kind::Time => unreachable!("MeasuredAt is the only time"),
                    Kind::Url => text("https://[a-z]{3,8}\\.org/[a-z]{0,8}"),
                },
            };
            prop::option::weighted(0.4, value).boxed()
        })
        .collect();
    each.prop_map(|values| {
        let mut facts = Facts::default();
        for (fact, value) in Fact::ALL.iter().zip(values) {
            if let Some(value) = value {
                facts.set(*fact, value);
            }
        }
        if facts.get(Fact::Tool).is_none() {
            facts.remove(Fact::ToolVersion);
        }
        if facts.get(Fact::VramGbPerGpu).is_some() {
            facts.remove(Fact::VramGb);
        }
        facts
    })
}
