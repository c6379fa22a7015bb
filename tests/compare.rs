//! Two runs compared: the two published reports, and the same changed in ways whose outcome was
//! worked out by hand.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs
)]

use std::path::Path;

use speedbook::compare::Comparison;
use speedbook::config::Config;
use speedbook::content;
use speedbook::run::Run;
use speedbook::run::audit::Noise;

fn load(name: &str) -> Run {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    let keep = |_: &mut Run, _: &[String]| {};
    let (run, problems) = content::load_file(&path, &Config::default(), &keep).unwrap();
    assert_eq!(problems, [], "{name}");
    run.unwrap().run
}

fn a() -> Run {
    load("content/runs/qwen3.5-397b-a17b-nvfp4-4x-h200-sxm.txt")
}

fn b() -> Run {
    load("content/runs/qwen3.5-122b-a10b-gptq-int4-2x-h200-nvl.txt")
}

fn compared(a: &Run, b: &Run) -> Comparison {
    Comparison::of_runs(a, b, &Noise::default())
}

#[test]
fn try_it() {
    let c = compared(&a(), &b());
    println!("{}\n{:?}\n{}\n{}\n{}", c.title(), c.per_gpu_sentence(), c.verdict_sentence(), c.flags_sentence(), c.counts_sentence());
    for m in c.decode.metrics.iter().chain(&c.prefill.metrics) {
        println!("{} {} | {:?} {:?} | queued {:?} doubted {:?} wr {}", m.metric.key(), speedbook::compare::words::metric_sentence(m), m.crossing, m.bands.map(|b| b.summary.means.map(|m| (b.summary.n, m.geometric_mean))), m.queued, m.doubted, m.without_ratio);
    }
    for t in &c.things { println!("{} {:?} {}", t.kind.id(), t.items, t.heavy); }
    for r in &c.launch.rows { println!("{:?} {} {:?} {:?} {:?}", r.kind, r.label(), r.state, r.value(speedbook::compare::Side::A), r.value(speedbook::compare::Side::B)); }
    for r in &c.facts { println!("{:?}", r); }
    panic!();
}
