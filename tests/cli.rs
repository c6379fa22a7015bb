//! The commands as a user runs them: what they print, what they write, how they end.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs
)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

fn generate(args: &[&str], root: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gen"))
        .args(args)
        .current_dir(root)
        .env_remove("RUST_BACKTRACE")
        .output()
        .unwrap()
}

fn site(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = dir.path().join(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    }
    dir
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// All files below a folder, by their path.
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

const ONE_CELL: &str = r#"{"metadata":{"version":"0.4.17","engine":"vllm","model":"qwen","timestamp":"2026-05-15T04:30:32","duration_per_test":30.0,"max_tokens":2048,"max_total_tokens":0,"concurrency_levels":[1],"context_lengths":[8192],"decode_mode":"duration"},
"prefill":{},"results":[{"concurrency":1,"context_tokens":8192,"aggregate_tps":82.9,"ttft_p50":0.584,"total_tokens":2485,"num_errors":0,"measurement_seconds":30.0}],"summary_table":{"8192":{"1":82.9}}}"#;

#[test]
fn a_folder_without_content_is_wrong_use() {
    let dir = site(&[]);
    let output = generate(&["build"], dir.path());
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("content"), "{}", stderr(&output));
    assert!(!dir.path().join("public").exists());
}

#[test]
fn a_site_without_runs_says_so() {
    let dir = site(&[("content/.keep", "")]);
    let output = generate(&["build"], dir.path());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let index = fs_err::read_to_string(dir.path().join("public/index.html")).unwrap();
    assert!(index.contains("There is no run on this site yet"));
}

#[test]
fn one_json_file_alone_gives_a_good_page() {
    let dir = site(&[("content/runs/one.json", ONE_CELL)]);
    let output = generate(&["build"], dir.path());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let page = fs_err::read_to_string(dir.path().join("public/runs/one/index.html")).unwrap();
    assert!(page.contains("<h1 dir=\"auto\">qwen</h1>"), "{page}");
    assert!(page.contains("82.9") && page.contains("584 ms"));
    // Nothing is on the page that the file does not have.
    for absent in [
        "id=\"prefill\"",
        "id=\"launch\"",
        "id=\"burst\"",
        "id=\"author-notes\"",
    ] {
        assert!(!page.contains(absent), "{absent}");
    }
    assert!(page.contains("Not given: "));
}

#[test]
fn all_problems_are_reported_and_the_old_site_stays() {
    let dir = site(&[("content/runs/one.json", ONE_CELL)]);
    assert!(generate(&["build"], dir.path()).status.success());
    let before = tree(&dir.path().join("public"));
    fs_err::write(dir.path().join("content/runs/two.json"), "{\"a\": 1}").unwrap();
    fs_err::write(dir.path().join("content/runs/three.json"), "{\n\"a\": ").unwrap();
    let output = generate(&["build"], dir.path());
    assert_eq!(output.status.code(), Some(1));
    let text = stderr(&output);
    assert!(
        text.contains("content/runs/three.json:2") && text.contains("content/runs/two.json"),
        "{text}"
    );
    assert!(!text.contains('\u{1b}'), "no colour in a pipe");
    assert!(tree(&dir.path().join("public")) == before);
}

#[test]
fn the_same_content_gives_the_same_bytes_with_any_number_of_jobs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let dir = tempfile::tempdir().unwrap();
    let mut trees = Vec::new();
    for (name, jobs) in [("one", "1"), ("eight", "8")] {
        let output = dir.path().join(name);
        let result = Command::new(env!("CARGO_BIN_EXE_gen"))
            .args(["build", "--quiet", "--jobs", jobs, "--output"])
            .arg(&output)
            .current_dir(root)
            .env("TZ", if jobs == "1" { "UTC" } else { "Asia/Kolkata" })
            .env("LC_ALL", if jobs == "1" { "C" } else { "de_DE.UTF-8" })
            .output()
            .unwrap();
        assert!(result.status.success(), "{}", stderr(&result));
        trees.push(tree(&output));
    }
    assert!(trees[0] == trees[1]);
}

/// Copies a folder, its files in this order or the other.
fn copy(from: &Path, to: &Path, backwards: bool) {
    let mut entries: Vec<_> = fs_err::read_dir(from)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    entries.sort();
    if backwards {
        entries.reverse();
    }
    fs_err::create_dir_all(to).unwrap();
    for path in entries {
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target, backwards);
        } else {
            fs_err::copy(&path, &target).unwrap();
        }
    }
}

#[test]
fn the_same_content_gives_the_same_bytes_in_any_folder_and_in_any_order_of_its_files() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let dir = tempfile::tempdir().unwrap();
    let mut trees = Vec::new();
    for (name, backwards) in [("one", false), ("another/deeper one", true)] {
        let site = dir.path().join(name);
        copy(&root.join("content"), &site.join("content"), backwards);
        fs_err::copy(root.join("site.toml"), site.join("site.toml")).unwrap();
        let output = generate(&["build", "--strict", "--quiet"], &site);
        assert!(output.status.success(), "{}", stderr(&output));
        trees.push(tree(&site.join("public")));
    }
    assert!(trees[0] == trees[1]);
}

#[test]
fn every_run_json_builds_again_into_the_same_bytes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let dir = tempfile::tempdir().unwrap();
    let first = dir.path().join("first");
    let result = Command::new(env!("CARGO_BIN_EXE_gen"))
        .args(["build", "--quiet", "--output"])
        .arg(&first)
        .current_dir(root)
        .output()
        .unwrap();
    assert!(result.status.success(), "{}", stderr(&result));
    let again = dir.path().join("again");
    let mut runs = 0;
    for (path, bytes) in tree(&first) {
        if let Some(slug) = path
            .strip_prefix("runs/")
            .and_then(|p| p.strip_suffix("/run.json"))
        {
            let target = again
                .join("content/in")
                .join(format!("{}.json", slug.replace('/', "--")));
            fs_err::create_dir_all(target.parent().unwrap()).unwrap();
            fs_err::write(target, bytes).unwrap();
            runs += 1;
        }
    }
    assert!(runs >= 6);
    // The navigation of all pages has the prose.
    // Written comparisons are linked from the pages of their runs.
    let compare = fs_err::read_dir(root.join("content/compare")).unwrap();
    let compare = compare.map(|file| file.unwrap().file_name().into_string().unwrap());
    let compare: Vec<String> = compare
        .map(|name| format!("content/compare/{name}"))
        .collect();
    fs_err::create_dir_all(again.join("content/compare")).unwrap();
    let extra = ["site.toml", "content/index.md", "content/method.md"];
    for extra in extra.into_iter().chain(compare.iter().map(String::as_str)) {
        if root.join(extra).exists() {
            fs_err::copy(root.join(extra), again.join(extra)).unwrap();
        }
    }
    let result = generate(&["build", "--strict"], &again);
    assert!(result.status.success(), "{}", stderr(&result));
    let (first, second) = (tree(&first), tree(&again.join("public")));
    for (path, bytes) in &first {
        if path.starts_with("runs/") {
            let other = second
                .get(path)
                .unwrap_or_else(|| panic!("{path} is missing"));
            assert!(bytes == other, "{path} differs");
        }
    }
}

#[test]
fn what_an_address_is_needed_for_is_left_out_and_told_once() {
    let dir = site(&[("content/runs/one.json", ONE_CELL)]);
    let note = "no feed, sitemap and canonical links: they need `base_url` in site.toml\n";
    let output = generate(&["build"], dir.path());
    assert_eq!(stderr(&output).matches(note).count(), 1);
    assert!(stderr(&output).starts_with(note), "a plain line");
    let output = generate(&["build", "--quiet"], dir.path());
    assert!(output.status.success());
    assert!(!stderr(&output).contains("base_url"), "{}", stderr(&output));
    let all = |root: &Path| tree(&root.join("public"));
    let without = all(dir.path());
    assert!(without.contains_key(".nojekyll") && !without.contains_key("sitemap.xml"));
    let config = "base_url = \"https://example.org\"";
    fs_err::write(dir.path().join("site.toml"), config).unwrap();
    let output = generate(&["build"], dir.path());
    assert!(!stderr(&output).contains("base_url"), "{}", stderr(&output));
    let with = all(dir.path());
    assert!(with.contains_key("feed.xml") && with.contains_key("sitemap.xml"));
}

#[test]
fn import_prints_the_run_as_json() {
    let dir = site(&[("one.json", ONE_CELL), ("bad.json", "{}")]);
    let output = generate(&["import", "one.json"], dir.path());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let run: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(run["schema"], "speedbook.run/1");
    assert_eq!(run["decode"][0]["total_tok_per_s"], 82.9);
    let output = generate(&["import", "bad.json"], dir.path());
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("no format recognises this file"),
        "{}",
        stderr(&output)
    );
    let output = generate(&["import", "absent.json"], dir.path());
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn published_documents_follow_their_schema() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let schema = generate(&["schema", "run"], root);
    assert!(schema.status.success());
    let schema: serde_json::Value = serde_json::from_slice(&schema.stdout).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("public");
    assert!(
        generate(
            &["build", "--quiet", "--output", out.to_str().unwrap()],
            root
        )
        .status
        .success()
    );
    let mut checked = 0;
    for (path, bytes) in tree(&out) {
        if path.ends_with("/run.json") {
            let document = serde_json::from_slice(&bytes).unwrap();
            if let Err(error) = validator.validate(&document) {
                panic!("{path}: {error}");
            }
            checked += 1;
        }
    }
    assert!(checked >= 6);
    let broken = serde_json::json!({"schema": "speedbook.run/1", "slug": 3});
    assert!(
        validator.validate(&broken).is_err(),
        "the schema refuses something"
    );
}

#[test]
fn nothing_secret_of_site_toml_or_a_file_name_is_published() {
    let settings = "title = 'Lab http://bob:hunter13@sparky:8000'\n\
        description = 'HF_TOKEN=hf_QwErTyUiOpAsDfGhJkLzXcVbNmQw'\nauthor = 'PASSWORD=hunter2'\n";
    let dir = site(&[
        ("site.toml", settings),
        ("content/runs/tok_sk-proj-Ab3dEf6hIj9kLmN2.json", ONE_CELL),
        ("content/runs/bench-big7.local.json", ONE_CELL),
        ("content/runs/PASSWORD=hunter5.json", ONE_CELL),
    ]);
    let output = generate(&["build"], dir.path());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let public = dir.path().join("public");
    assert!(public.join("runs/PASSWORD-redacted/index.html").exists());
    for (path, bytes) in tree(&public) {
        let text = format!("{path} {}", String::from_utf8_lossy(&bytes));
        for secret in ["hunter", "hf_Qw", "sk-proj", "big7", "sparky"] {
            assert!(!text.contains(secret), "{secret} in {path}");
        }
    }
}
