//! `gen build` killed at random moments over a site of 200 runs: what is in the output folder is the
//! old site or the new one, file by file, and the next build works.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const RUNS: usize = 200;
const KILLS: u64 = 24;

fn write_site(root: &Path, tok_per_s: f64) {
    let runs = root.join("content/runs");
    fs_err::create_dir_all(&runs).unwrap();
    for at in 0..RUNS {
        let rate = tok_per_s + at as f64;
        let text = format!(
            "{{\"metadata\":{{\"model\":\"m{at}\",\"timestamp\":\"2026-05-15T04:30:32\",\"duration_per_test\":30.0,\"max_tokens\":64,\"max_total_tokens\":0,\"concurrency_levels\":[1],\"context_lengths\":[8192]}},\"prefill\":{{}},\"results\":[{{\"concurrency\":1,\"context_tokens\":8192,\"aggregate_tps\":{rate},\"ttft_p50\":0.5,\"total_tokens\":2485,\"num_errors\":0}}],\"summary_table\":{{}}}}"
        );
        fs_err::write(runs.join(format!("r{at}.json")), text).unwrap();
    }
}

fn build(root: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gen"));
    command
        .args(["build", "--quiet"])
        .current_dir(root)
        .stderr(Stdio::null());
    command
}

fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(folder: &Path, root: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs_err::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, root, files);
            } else {
                let name = path
                    .strip_prefix(root)
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned();
                files.insert(name, fs_err::read(&path).unwrap());
            }
        }
    }
    let mut files = BTreeMap::new();
    walk(folder, folder, &mut files);
    files
}

#[test]
fn a_killed_build_leaves_the_old_site_or_the_new_one() {
    let seed: u64 = match std::env::var("SPEEDBOOK_SEED") {
        Ok(seed) => seed.parse().unwrap(),
        Err(_) => RandomState::new().build_hasher().finish(),
    };
    println!("{KILLS} kills, SPEEDBOOK_SEED={seed}");
    let dir = tempfile::tempdir().unwrap();
    let output = dir.path().join("public");
    write_site(dir.path(), 1000.0);
    assert!(build(dir.path()).status().unwrap().success());
    let mut old = tree(&output);
    let mut random = seed | 1;
    let mut killed = 0;
    for round in 0..KILLS {
        write_site(dir.path(), 2000.0 + round as f64 * 300.0);
        let began = Instant::now();
        let mut child = build(dir.path()).spawn().unwrap();
        // A step of xorshift; the longest wait is longer than a whole build mostly takes.
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let wait = Duration::from_millis(random % 1500);
        while began.elapsed() < wait && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        killed += u64::from(!child.wait().unwrap().success());
        let now = tree(&output);
        assert!(
            build(dir.path()).status().unwrap().success(),
            "the next build works"
        );
        let new = tree(&output);
        assert!(
            now == old || now == new,
            "round {round}: a site that is neither the old one nor the new one"
        );
        old = new;
        let left: Vec<String> = fs_err::read_dir(dir.path().join(".public.speedbook"))
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != "lock" && name != ".gitignore")
            .collect();
        assert_eq!(left, [] as [&str; 0], "nothing is left behind");
    }
    println!("{killed} of {KILLS} builds were killed before they ended");
    assert!(killed > 0);
}
