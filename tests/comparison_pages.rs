//! Pages that compare runs: which there are, what stands on them, and what is wrong with written
//! ones.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use scraper::{Html, Selector};

const HERE: &str = env!("CARGO_MANIFEST_DIR");

const A: &str = "qwen3.5-397b-a17b-nvfp4-4x-h200-sxm";
const B: &str = "qwen3.5-122b-a10b-gptq-int4-2x-h200-nvl";

fn put(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
    fs_err::write(path, text).unwrap();
}

/// A site of the two published reports.
fn reports() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for name in [A, B] {
        for ending in ["txt", "md"] {
            let file = format!("content/runs/{name}.{ending}");
            if let Ok(text) = fs_err::read_to_string(Path::new(HERE).join(&file)) {
                put(dir.path(), &file, &text);
            }
        }
    }
    dir
}

fn generate(root: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gen"))
        .args(["build", "--quiet", "--root"])
        .arg(root)
        .output()
        .unwrap()
}

fn built(root: &Path) -> PathBuf {
    let output = generate(root);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    root.join("public")
}

fn refused(root: &Path) -> String {
    let output = generate(root);
    assert_eq!(output.status.code(), Some(1));
    String::from_utf8(output.stderr).unwrap()
}

fn read(site: &Path, path: &str) -> String {
    fs_err::read_to_string(site.join(path)).unwrap()
}

/// The texts of what a selector finds, with single blanks.
fn texts(html: &str, selector: &str) -> Vec<String> {
    let selector = Selector::parse(selector).unwrap();
    let words = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    Html::parse_document(html)
        .select(&selector)
        .map(|found| words(found.text().collect()))
        .collect()
}

/// The names of the folders in `compare/`.
fn pages(site: &Path) -> Vec<String> {
    let Ok(entries) = fs_err::read_dir(site.join("compare")) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn the_page_of_the_two_reports_says_what_differs_first_and_then_the_figures() {
    let dir = reports();
    let site = built(dir.path());
    assert_eq!(pages(&site), [format!("{A}-vs-{B}")]);
    let page = read(&site, &format!("compare/{A}-vs-{B}/index.html"));
    assert_eq!(
        texts(&page, "h1"),
        [
            "Qwen3.5-122B-A10B-GPTQ-Int4 on 2 × H200 NVL has 2.71 times the total tok/s of Qwen3.5-397B-A17B-NVFP4-V2 on 4 × H200 SXM: geometric mean of 38 valid cells, from 2.39 to 3.08"
        ]
    );
    let heads = texts(&page, "h2");
    assert_eq!(
        heads,
        [
            "What differs",
            "Launch flags",
            "Sustained decode, B against A",
            "Prefill, B against A",
            "Charts on one scale",
            "What can each of them serve?"
        ]
    );
    let verdict = texts(&page, ".verdict.not_controlled").remove(0);
    assert!(
        verdict.starts_with("Not a controlled comparison: the runs differ in ")
            && verdict.contains("14 launch flags"),
        "{verdict}"
    );
    let sub = texts(&page, ".sub");
    assert!(
        sub[0].starts_with("14 flags differ: 3 changed, 11 only in A"),
        "{}",
        sub[0]
    );
    assert!(
        sub[1].starts_with("42 cells compared, 38 valid on both sides and 4 with queued requests; 6 lost: B was over capacity there"),
        "{}",
        sub[1]
    );
    let per_gpu = texts(&page, "section p")
        .into_iter()
        .find(|p| p.starts_with("Per GPU"));
    assert_eq!(
        per_gpu.unwrap(),
        "Per GPU (2 GPUs against 4), B has 5.43 times the total tok/s of A, from 4.77 to 6.16."
    );
    let first = "section.matrices .panel:nth-of-type(1)";
    let cells = texts(&page, &format!("{first} .matrix td"));
    assert_eq!(cells.len(), 48);
    assert_eq!(cells[0], "×2.86 faster 82.9 → 237.1");
    assert_eq!(
        cells[7],
        "×2.83 faster requests queued in A 2,244.4 → 6,342.6"
    );
    let lost: Vec<&String> = cells
        .iter()
        .filter(|c| c.starts_with("B over capacity"))
        .collect();
    assert_eq!(lost.len(), 6);
    assert_eq!(lost[0], "B over capacity 2,076.9 → —");
    let means = texts(&page, &format!("{first} table:not(.matrix) tbody tr"));
    assert_eq!(means.last().unwrap(), "all×2.71×2.39×3.08383800");
    assert_eq!(texts(&page, ".tabs label").len(), 5);
    let twin = read(&site, &format!("compare/{A}-vs-{B}/index.md"));
    for part in [
        "## What differs",
        "×2.86 faster · 82.9 → 237.1",
        "B over capacity · 2,076.9 → —",
        "#### Total tok/s per GPU",
        "## What can each of them serve?",
    ] {
        assert!(twin.contains(part), "{part}\n{twin}");
    }
    let json = read(&site, &format!("compare/{A}-vs-{B}/comparison.json"));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["counts"]["compared"], 42);
    assert_eq!(json["a"], A);
}

#[test]
fn the_list_and_the_runs_lead_to_each_comparison() {
    let dir = reports();
    let site = built(dir.path());
    let link = format!("{A}-vs-{B}/");
    assert!(read(&site, "compare/index.html").contains(&link));
    assert!(read(&site, "compare/index.md").contains(&format!("compare/{A}-vs-{B}/index.md)")));
    let list: serde_json::Value = serde_json::from_str(&read(&site, "compare/index.json")).unwrap();
    assert_eq!(list["schema"], "speedbook.comparisons/1");
    assert_eq!(list["comparisons"][0]["runs"], serde_json::json!([A, B]));
    let address = list["comparisons"][0]["address"].as_str().unwrap();
    assert!(address.ends_with(&format!("compare/{link}")), "{address}");
    for run in [A, B] {
        let page = read(&site, &format!("runs/{run}/index.html"));
        assert!(page.contains(&format!("../../compare/{link}")));
    }
    assert!(read(&site, "index.html").contains("href=\"compare/\""));
}

#[test]
fn switches_say_which_comparisons_there_are() {
    let dir = reports();
    for (toml, wanted) in [
        ("[output]\ncomparisons = false\n", 0),
        ("[compare]\nnearest = 0\n", 0),
        ("[compare]\nnearest = 1\n", 1),
    ] {
        put(dir.path(), "site.toml", toml);
        let site = built(dir.path());
        assert_eq!(pages(&site).len(), wanted, "{toml}");
        assert_eq!(
            site.join("compare/index.html").exists(),
            wanted > 0,
            "{toml}"
        );
        let front = read(&site, "index.html");
        assert_eq!(front.contains("href=\"compare/\""), wanted > 0, "{toml}");
    }
}

#[test]
fn a_written_comparison_has_its_text_first_and_its_baseline_as_a() {
    let dir = reports();
    put(dir.path(), "site.toml", "[compare]\nnearest = 0\n");
    put(
        dir.path(),
        "content/compare/two-machines.md",
        &format!(
            "+++\nruns = [\"{A}\", \"{B}\"]\nbaseline = \"{B}\"\ntitle = \"Two machines\"\n+++\nWhy **these** two.\n"
        ),
    );
    let site = built(dir.path());
    assert_eq!(pages(&site), ["two-machines"]);
    let page = read(&site, "compare/two-machines/index.html");
    assert_eq!(texts(&page, "h1"), ["Two machines"]);
    let (prose, differs) = (
        page.find("<strong>these</strong>"),
        page.find("class=\"sides\""),
    );
    assert!(prose.unwrap() < differs.unwrap());
    let sides = texts(&page, ".side a");
    assert!(sides[0].starts_with("Qwen3.5-122B"), "{sides:?}");
    // The result is its own heading where the title is the author's.
    let result = &texts(&page, "h2")[0];
    assert!(
        result.contains("has 0.37 times the total tok/s of Qwen3.5-122B"),
        "{result}"
    );
    let json: serde_json::Value =
        serde_json::from_str(&read(&site, "compare/two-machines/comparison.json")).unwrap();
    assert_eq!((&json["a"], &json["b"]), (&B.into(), &A.into()));
}

#[test]
fn a_written_comparison_without_a_title_is_named_by_its_result() {
    let dir = reports();
    put(
        dir.path(),
        "content/compare/x.md",
        &format!("+++\nruns = [\"{A}\", \"{B}\"]\n+++\nSome words.\n"),
    );
    let site = built(dir.path());
    let page = read(&site, "compare/x/index.html");
    assert!(texts(&page, "h1")[0].contains("has 2.71 times the total tok/s"));
    assert_eq!(texts(&page, "h2")[0], "What differs");
}

#[test]
fn several_runs_are_each_compared_with_the_first() {
    let dir = reports();
    let third = "content/runs/third.txt";
    let text = read(dir.path(), &format!("content/runs/{B}.txt"));
    put(dir.path(), third, &text.replace("INT4", "INT8"));
    put(
        dir.path(),
        "content/compare/x.md",
        &format!("+++\nruns = [\"{A}\", \"{B}\", \"third\"]\n+++\n"),
    );
    let site = built(dir.path());
    let page = read(&site, "compare/x/index.html");
    assert_eq!(texts(&page, ".verdict").len(), 2);
    assert_eq!(texts(&page, "section.matrices > h2").len(), 2);
    let json: serde_json::Value =
        serde_json::from_str(&read(&site, "compare/x/comparison.json")).unwrap();
    assert_eq!(json.as_array().unwrap().len(), 2);
}

#[test]
fn what_is_wrong_with_a_written_comparison_is_told_with_its_line() {
    let dir = reports();
    for (front_matter, wanted) in [
        (
            format!("runs = [\n  \"{A}\",\n  \"qwen3.5-122b-a10b-gptq-int4-2x-h200-nv\",\n]"),
            format!("error[E0506]: there is no run \"qwen3.5-122b-a10b-gptq-int4-2x-h200-nv\"\n --> content/compare/x.md:4:3\nhelp: did you mean \"{B}\"?"),
        ),
        (
            format!("runs = [\"{A}\", \"{A}\"]"),
            format!("error[E0303]: the run \"{A}\" is named twice\n --> content/compare/x.md:2:"),
        ),
        (
            format!("runs = [\"{A}\"]"),
            "error[E0303]: a comparison of one run\n --> content/compare/x.md:2:".to_owned(),
        ),
        (
            "title = \"x\"".to_owned(),
            "error[E0303]: a file in content/compare/ without `runs`\n --> content/compare/x.md:1\nhelp: name two runs or more".to_owned(),
        ),
        (
            format!("runs = [\"{A}\", \"{B}\"]\nbasline = \"{A}\""),
            "error[E0302]: unknown key `basline`".to_owned(),
        ),
    ] {
        put(dir.path(), "content/compare/x.md", &format!("+++\n{front_matter}\n+++\n"));
        let said = refused(dir.path());
        assert!(said.contains(&wanted), "{wanted}\n\n{said}");
    }
}

#[test]
fn a_comparison_of_a_draft_says_so() {
    let dir = reports();
    put(
        dir.path(),
        &format!("content/runs/{B}.md"),
        "+++\ndraft = true\n+++\n",
    );
    put(
        dir.path(),
        "content/compare/x.md",
        &format!("+++\nruns = [\"{A}\", \"{B}\"]\n+++\n"),
    );
    let said = refused(dir.path());
    assert!(
        said.contains(&format!("the run \"{B}\" is a draft")),
        "{said}"
    );
    put(
        dir.path(),
        "content/compare/x.md",
        &format!("+++\nruns = [\"{A}\", \"{B}\"]\ndraft = true\n+++\n"),
    );
    assert_eq!(pages(&built(dir.path())), Vec::<String>::new());
}

#[test]
fn pages_of_pairs_grow_with_the_runs_and_not_with_their_square() {
    let dir = tempfile::tempdir().unwrap();
    put(
        dir.path(),
        "site.toml",
        "[output]\nmarkdown = false\ncsv = false\ncharts = false\n",
    );
    for run in 0..60 {
        let cells: Vec<String> = [1, 8]
            .iter()
            .map(|n| {
                let total = 30 * n + run;
                format!("{{\"concurrency\":{n},\"context_tokens\":0,\"aggregate_tps\":{total}.0,\"ttft_p50\":0.2,\"total_tokens\":900,\"num_errors\":0}}")
            })
            .collect();
        let day = run % 28 + 1;
        let file = format!(
            "{{\"metadata\":{{\"model\":\"m{}\",\"timestamp\":\"2026-05-{day:02}T10:00:00\",\"duration_per_test\":30,\"max_tokens\":64,\"max_total_tokens\":100000,\"concurrency_levels\":[1,8],\"context_lengths\":[0]}},\"prefill\":{{}},\"results\":[{}],\"summary_table\":{{}}}}",
            run % 7,
            cells.join(",")
        );
        put(dir.path(), &format!("content/runs/r{run}.json"), &file);
    }
    let site = built(dir.path());
    let count = pages(&site).len();
    assert!((60..=180).contains(&count), "{count} pages of 60 runs");
}

#[test]
fn names_facts_and_flags_are_text_on_every_form_of_the_page() {
    let dir = reports();
    let evil = "<script>alert(1)</script><img src=x onerror=alert(1)>";
    for (name, more) in [(A, "a"), (B, "b")] {
        put(
            dir.path(),
            &format!("content/runs/{name}.md"),
            &format!(
                "+++\ntitle = '{evil} {more}'\ntags = ['{evil}']\nlaunch_command = 'vllm serve m{more} --x \"{evil}{more}\" --api-key sk-proj-{}'\n[engine]\nname = '{evil}{more}'\n+++\n",
                "abcdefghij0123456789".repeat(2)
            ),
        );
    }
    let site = built(dir.path());
    let folder = format!("compare/{A}-vs-{B}");
    for file in [
        "index.html",
        "index.md",
        "comparison.json",
        "../index.html",
        "../index.md",
    ] {
        let text = read(&site, &format!("{folder}/{file}"));
        assert!(!text.contains("abcdefghij0123456789"), "{file}: a key");
        if file.ends_with(".html") {
            let page = Html::parse_document(&text);
            let odd = Selector::parse("img, [onerror], script:not([src])").unwrap();
            assert_eq!(page.select(&odd).count(), 0, "{file}");
            assert!(
                page.root_element()
                    .text()
                    .any(|t| t.contains("<script>alert(1)"))
            );
        }
        if file.ends_with(".md") {
            assert!(
                !text.contains("<script>") && !text.contains(" <img"),
                "{file}"
            );
        }
    }
}

#[test]
fn the_text_of_a_written_comparison_is_redacted_and_its_anchors_are_its_own() {
    let dir = reports();
    let key = format!("sk-proj-{}", "abcdefghij0123456789".repeat(2));
    put(
        dir.path(),
        "content/compare/w.md",
        &format!(
            "+++\nruns = [\"{A}\", \"{B}\"]\ntitle = \"At {key}\"\ndescription = \"{key}\"\n+++\n## Charts\n\n## c8k-n1\n\nWith {key} in /home/zaphodname/x.\n"
        ),
    );
    let site = built(dir.path());
    let all = walkdir::WalkDir::new(&site).into_iter().map(Result::unwrap);
    for file in all.filter(|file| file.file_type().is_file()) {
        let bytes = fs_err::read(file.path()).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        for secret in ["abcdefghij0123456789", "zaphodname"] {
            assert!(
                !text.contains(secret),
                "{}: {secret}",
                file.path().display()
            );
        }
    }
    let page = Html::parse_document(&read(&site, "compare/w/index.html"));
    let mut ids = std::collections::BTreeSet::new();
    for element in page.select(&Selector::parse("[id]").unwrap()) {
        let id = element.attr("id").unwrap().to_owned();
        assert!(ids.insert(id.clone()), "{id} twice");
    }
}

#[test]
fn facts_are_shown_as_they_are_compared() {
    let dir = reports();
    let site = built(dir.path());
    let page = read(&site, &format!("compare/{A}-vs-{B}/index.html"));
    let rows = texts(&page, "details tr");
    assert!(
        rows.iter()
            .any(|row| row == "Benchmark toolllm-inference-benchllm-inference-benchsame"),
        "{rows:?}"
    );
    assert!(
        rows.iter().any(|row| row.ends_with("141 GB141 GBsame")),
        "{rows:?}"
    );
}

#[test]
fn a_doubted_ttft_is_no_result() {
    let dir = reports();
    let site = built(dir.path());
    let twin = read(&site, &format!("compare/{A}-vs-{B}/index.md"));
    assert!(
        twin.contains("×0.068 TTFT includes prefill · 5,223 → 353"),
        "{twin}"
    );
    let page = read(&site, &format!("compare/{A}-vs-{B}/index.html"));
    let cell = Selector::parse("#c64k-n1-ttft").unwrap();
    let page = Html::parse_document(&page);
    let cell = page.select(&cell).next().unwrap();
    assert_eq!(cell.attr("class"), None, "no colour");
}

#[test]
fn two_comparisons_of_one_address_name_the_files_of_their_runs() {
    let dir = tempfile::tempdir().unwrap();
    let text =
        fs_err::read_to_string(Path::new(HERE).join(format!("content/runs/{B}.txt"))).unwrap();
    for (file, change) in [("a/b", "INT4"), ("a--b", "INT5"), ("c", "INT6")] {
        put(
            dir.path(),
            &format!("content/runs/{file}.txt"),
            &text.replace("INT4", change),
        );
    }
    let said = refused(dir.path());
    assert!(
        said.contains("content/runs/a/b.txt") && said.contains("content/runs/a--b.txt"),
        "{said}"
    );
}

#[test]
fn equal_titles_are_told_apart_by_slugs_and_several_runs_have_no_single_result() {
    let dir = reports();
    let text = read(dir.path(), &format!("content/runs/{B}.txt"));
    put(
        dir.path(),
        "content/runs/again.txt",
        &text.replace("INT4", "INT8"),
    );
    put(
        dir.path(),
        "content/compare/x.md",
        &format!("+++\nruns = [\"{B}\", \"again\", \"{A}\"]\n+++\n"),
    );
    let site = built(dir.path());
    let page = read(&site, "compare/x/index.html");
    assert_eq!(
        texts(&page, "h1"),
        ["2 runs against Qwen3.5-122B-A10B-GPTQ-Int4 on 2 × H200 NVL"]
    );
    let sides = texts(&page, ".side");
    assert!(
        sides[0].contains(B) && sides[1].contains("again"),
        "{sides:?}"
    );
    let scales = texts(&page, ".scale ul");
    assert!(
        scales.windows(2).all(|pair| pair[0] == pair[1]),
        "one scale"
    );
}

#[test]
fn a_change_of_one_thing_is_listed_with_its_effect_and_has_a_page() {
    let dir = reports();
    let file = dir.path().join(format!("content/runs/{B}.txt"));
    let output = Command::new(env!("CARGO_BIN_EXE_gen"))
        .arg("import")
        .arg(&file)
        .output()
        .unwrap();
    let mut run: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let command = run["launch_command"].as_str().unwrap();
    let changed = command.replace(
        "\"num_speculative_tokens\":2",
        "\"num_speculative_tokens\":3",
    );
    assert_ne!(command, changed);
    run["launch_command"] = changed.into();
    run["slug"] = "three".into();
    for cell in run["decode"].as_array_mut().unwrap() {
        if let Some(total) = cell["total_tok_per_s"].as_f64() {
            cell["total_tok_per_s"] = (total * 1.2).into();
        }
    }
    put(dir.path(), "content/runs/three.json", &run.to_string());
    let site = built(dir.path());
    let page = read(&site, "compare/index.html");
    let rows = texts(&page, "section[aria-labelledby=changes] tbody tr");
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert!(
        rows[0].starts_with("speculative tokens 2 → 3×1.20 1 pair×1.20 "),
        "{rows:?}"
    );
    let selector = Selector::parse("section[aria-labelledby=changes] td a").unwrap();
    let html = Html::parse_document(&page);
    let link = html.select(&selector).next().unwrap().attr("href").unwrap();
    let address = link.trim_start_matches("../").trim_end_matches('/');
    let pair = read(&site, &format!("{address}/index.html"));
    assert!(
        texts(&pair, ".verdict.one_thing")[0].starts_with("Differs in one thing"),
        "{link}"
    );
    assert!(read(&site, "compare/index.md").contains("speculative tokens 2 → 3"));
}
