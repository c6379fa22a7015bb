//! The demo's own content: what is written by hand there fits its files.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

use std::path::Path;

use speedbook::config;
use speedbook::content::load;
use speedbook::run::Fact;

#[test]
fn what_is_written_by_hand_fits_the_files() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = config::load(root).unwrap();
    let content = load(root, &config, &|_, _| {}).unwrap();
    assert_eq!(content.problems, []);
    let runs: Vec<(&str, Option<&str>)> = content
        .runs
        .iter()
        .map(|r| (r.run.slug.as_str(), r.run.facts.text(Fact::MeasuredAt)))
        .collect();
    assert_eq!(
        runs,
        [
            ("gemma-3-270m/cpu-1-thread-r1", Some("2026-11-30T15:50:29Z")),
            (
                "gemma-3-270m/cpu-2-threads-r1",
                Some("2026-11-30T15:40:08Z")
            ),
            (
                "gemma-3-270m/cpu-2-threads-r2",
                Some("2026-11-30T15:45:03Z")
            ),
            (
                "gemma-3-270m/cpu-contradictory",
                Some("2026-11-30T15:01:21Z")
            ),
            ("qwen3.5-122b-a10b-gptq-int4-2x-h200-nvl", None),
            (
                "qwen3.5-397b-a17b-nvfp4-4x-h200-sxm",
                Some("2026-09-13T02:25:00Z")
            ),
        ]
    );
}
