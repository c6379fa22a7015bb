//! `run.json`: what is written is read back, and what is wrong is named with its place.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs
)]

mod support;

use proptest::prelude::*;
use serde_json::{Value, json};
use speedbook::diagnostic::{Code, Diagnostic};
use speedbook::import::{self, Imported, Outcome};
use speedbook::run::audit::Noise;
use speedbook::run::document::{schema, to_json};
use speedbook::run::key_figures::Derived;
use speedbook::run::{Fact, Metric, Run, Status};

fn write(run: &Run) -> String {
    to_json(run, &Derived::of(run, &Noise::default()))
}

fn import(text: &str) -> Result<Imported, Vec<Diagnostic>> {
    match import::import("content/a.json", text.as_bytes())? {
        Outcome::Run(imported) => Ok(*imported),
        Outcome::LeftAlone(left) => panic!("left alone: {left}"),
    }
}

fn problems(text: &str) -> Vec<String> {
    import(text)
        .unwrap_err()
        .iter()
        .map(Diagnostic::to_string)
        .collect()
}

/// A document with these lines instead of the lists of measurements.
fn document(lists: &str) -> String {
    format!("{{\"schema\":\"speedbook.run/1\",\"slug\":\"a\",\"title\":\"A\",\n{lists}}}")
}

fn minimal() -> Value {
    json!({"schema": "speedbook.run/1", "slug": "a/b", "title": "A", "prefill": [], "decode": []})
}

#[test]
fn any_run_is_read_back_and_written_as_the_same_bytes() {
    support::check(10_000, support::run(), |run| {
        let text = write(&run);
        let imported = match import(&text) {
            Ok(imported) => imported,
            Err(problems) => {
                return Err(TestCaseError::fail(format!("{}\n{text}", problems[0])));
            }
        };
        prop_assert_eq!(&imported.run, &run);
        prop_assert_eq!(write(&imported.run), text);
        for warning in &imported.warnings {
            prop_assert_eq!(warning.code, Code::UnknownRunKey);
        }
        Ok(())
    });
}

#[test]
fn what_is_written_follows_the_schema() {
    let validator = jsonschema::draft202012::new(&schema()).unwrap();
    support::check(1000, support::run(), |run| {
        let value: Value = serde_json::from_str(&write(&run)).unwrap();
        let error = validator.validate(&value).err().map(|e| e.to_string());
        prop_assert_eq!(error, None);
        Ok(())
    });
}

#[test]
fn any_damage_is_an_error_or_a_run_but_never_a_panic() {
    let damaged = (support::run(), any::<prop::sample::Index>(), "[ -~]{0,3}");
    support::check(10_000, damaged, |(run, at, put)| {
        let text = write(&run);
        let mut at = at.index(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let end = at + text[at..].chars().next().map_or(0, char::len_utf8);
        let text = format!("{}{put}{}", &text[..at], &text[end..]);
        if let Err(problems) = import(&text) {
            prop_assert!(!problems.is_empty());
        }
        Ok(())
    });
}

#[test]
fn the_least_document_is_a_run() {
    let imported = import(&minimal().to_string()).unwrap();
    assert_eq!(imported.run.slug, "a/b");
    assert!(imported.run.complete && imported.run.ranked && !imported.run.draft);
    assert_eq!(imported.run.source.format, "speedbook.run/1");
    assert_eq!(imported.warnings, []);
}

#[test]
fn a_null_is_no_value() {
    let text = document(
        "\"author\":null,\"prefill\":[],\"decode\":[{\"context_tokens\":8192,\"concurrency\":2,\"status\":\"valid\",\"ttft_ms\":null}]",
    );
    let run = import(&text).unwrap().run;
    assert_eq!(run.facts.get(Fact::Author), None);
    assert_eq!(run.decode[0].get(Metric::TtftMs), None);
    assert_eq!(run.decode[0].context.label, "8K");
}

#[test]
fn another_major_version_is_named() {
    assert_eq!(
        problems(&minimal().to_string().replace("run/1", "run/2")),
        [
            "error[E0104]: the file is speedbook.run/2, and this version reads speedbook.run/1 only\n --> content/a.json:1:11\nhelp: update gen, or write the run as speedbook.run/1"
        ]
    );
    for version in ["run/10", "run/", "run/one"] {
        assert_eq!(
            problems(&minimal().to_string().replace("run/1", version)).len(),
            1
        );
    }
}

#[test]
fn a_newer_minor_version_is_read_with_a_warning() {
    let text = minimal().to_string().replace("run/1", "run/1.2");
    let warnings = import(&text).unwrap().warnings;
    assert_eq!(
        warnings[0].to_string(),
        "warning[W0107]: the file is speedbook.run/1.2, newer than speedbook.run/1\n --> content/a.json:1:11\nhelp: it is read as far as it is known; update gen to read all of it"
    );
}

#[test]
fn missing_keys_are_named_all_at_once() {
    assert_eq!(
        problems("{\"schema\":\"speedbook.run/1\",\n\"decode\":[\n {\"reason\":\"x\"}]}"),
        [
            "error[E0104]: the key `slug` is missing; it must be a text\n --> content/a.json:1:1",
            "error[E0104]: the key `title` is missing; it must be a text\n --> content/a.json:1:1",
            "error[E0104]: the key `prefill` is missing; it must be a list, empty where nothing was measured\n --> content/a.json:1:1",
            "error[E0104]: the key `context_label` is missing; it must be a text like \"8K\"\n --> content/a.json:3:2",
            "error[E0104]: the key `concurrency` is missing; it must be a whole number from 1\n --> content/a.json:3:2",
            "error[E0104]: the key `status` is missing; it must be a word like \"valid\"\n --> content/a.json:3:2",
        ]
    );
}

#[test]
fn wrong_types_and_ranges_say_what_was_expected() {
    let text = document(
        "\"measured_at\":\"yesterday\",\n\"source_url\":\"ftp://x\",\n\"model\":[],\n\"hardware\":{\"gpu_count\":1.5,\"vram_gb\":-1},\n\"complete\":1,\n\"tags\":[\"a\",2],\n\"author\":\" \",\n\"prefill\":{},\n\"decode\":[7,{\"context_label\":\"8K\",\"concurrency\":0,\"status\":\"valid\",\"ttft_ms\":\"5\",\"ttft_ms_step\":0,\n\"completed_requests\":1.5,\"itl_ms\":-2e1,\"output_tokens\":1e999}]",
    );
    insta::assert_snapshot!(problems(&text).join("\n"), @r"
    error[E0104]: `measured_at` must be a date or time (2026-09-13, 2026-09-13T02:25:00 or 2026-09-13T02:25:00+02:00), found a text
     --> content/a.json:2:15
    error[E0104]: `source_url` must be an http or https address, found a text
     --> content/a.json:3:14
    error[E0104]: `model` must be an object, found a list
     --> content/a.json:4:9
    error[E0104]: `hardware.gpu_count` must be a whole number from 0, found 1.5
     --> content/a.json:5:25
    error[E0104]: `hardware.vram_gb` must be a number from 0, found -1
     --> content/a.json:5:39
    error[E0104]: `complete` must be true or false, found 1
     --> content/a.json:6:12
    error[E0104]: `tags[]` must be a text, found 2
     --> content/a.json:7:13
    error[E0104]: `author` must be a text that is not empty, found an empty text
     --> content/a.json:8:10
    error[E0104]: `prefill` must be a list, found an object
     --> content/a.json:9:11
    error[E0104]: `decode[]` must be an object, found 7
     --> content/a.json:10:11
    error[E0104]: `concurrency` must be a whole number from 1, found 0
     --> content/a.json:10:49
    error[E0104]: `ttft_ms` must be a number from 0, found a text
     --> content/a.json:10:78
    error[E0104]: `ttft_ms_step` must be a number above 0, found 0
     --> content/a.json:10:97
    error[E0104]: `completed_requests` must be a whole number from 0, found 1.5
     --> content/a.json:11:22
    error[E0104]: `itl_ms` must be a number from 0, found -2e1
     --> content/a.json:11:35
    error[E0104]: `output_tokens` must be a whole number from 0, found 1e999
     --> content/a.json:11:56
    ");
}

#[test]
fn a_step_needs_its_figure() {
    let text = document(
        "\"prefill\":[{\"context_label\":\"8K\",\"status\":\"valid\",\"tok_per_s_step\":100}],\"decode\":[]",
    );
    assert_eq!(
        problems(&text),
        [
            "error[E0104]: `tok_per_s_step` must be absent where there is no `tok_per_s`, found 100\n --> content/a.json:2:68"
        ]
    );
}

#[test]
fn a_slug_must_stay_below_its_folder() {
    for slug in [
        "", " ", "/a", "a//b", "a/", "../a", "a/../b", "a/.", "a\\b", "a\nb",
    ] {
        let mut document = minimal();
        document["slug"] = json!(slug);
        let problems = problems(&document.to_string());
        assert!(
            problems[0].contains("`slug` must be"),
            "{slug}: {problems:?}"
        );
    }
    for slug in ["a", "a..b/c.d", "東京/h200"] {
        let mut document = minimal();
        document["slug"] = json!(slug);
        assert_eq!(import(&document.to_string()).unwrap().run.slug, slug);
    }
}

#[test]
fn a_cell_that_stands_twice_is_named_with_both_places() {
    let cell =
        "{\"context_label\":\"8K\",\"context_tokens\":8192,\"concurrency\":4,\"status\":\"valid\"}";
    let other_name = cell.replace("8K", "8192");
    let point = "{\"context_label\":\"8K\",\"status\":\"valid\"}";
    let text = document(&format!(
        "\"prefill\":[\n{point},\n{point}],\n\"decode\":[\n{cell},\n{other_name}],\"burst\":[{cell}]"
    ));
    assert_eq!(
        problems(&text),
        [
            "error[E0105]: the prefill point 8K stands twice\n --> content/a.json:4:1\n  | content/a.json:3:1: the first one\nhelp: remove one of them",
            "error[E0105]: the cell 8192 × 4 stands twice in `decode`\n --> content/a.json:7:1\n  | content/a.json:6:1: the first one\nhelp: remove one of them",
        ]
    );
}

#[test]
fn a_key_that_stands_twice_is_refused() {
    let text = document("\"slug\":\"b\",\"prefill\":[],\"decode\":[]");
    assert_eq!(
        problems(&text),
        [
            "error[E0104]: the key `slug` stands twice in one object\n --> content/a.json:2:8\nhelp: remove one of them"
        ]
    );
}

#[test]
fn unknown_keys_are_kept_where_they_stood_with_one_warning_each() {
    let cell = "{\"context_label\":\"8K\",\"concurrency\":4,\"status\":\"valid\",\"ttft_sm\":1}";
    let text = document(&format!(
        "\"model\":{{\n\"size\":[1]}},\n\"prefill\":[],\"decode\":[\n{cell},\n{}],\n\"launch_comand\":\"x\",\n\"derived\":{{\"audit\":0,\"later\":1}}",
        cell.replace(":4", ":8")
    ));
    let imported = import(&text).unwrap();
    let warnings: Vec<String> = imported
        .warnings
        .iter()
        .map(Diagnostic::to_string)
        .collect();
    assert_eq!(
        warnings,
        [
            "warning[W0108]: the key `size` of `model` is not known\n --> content/a.json:3\nhelp: it is kept as it is; a newer version of gen may know it",
            "warning[W0108]: the key `ttft_sm` of `decode` is not known (2 times, first here)\n --> content/a.json:5\nhelp: did you mean `ttft_ms`? It is kept as it is",
            "warning[W0108]: the key `launch_comand` is not known\n --> content/a.json:7\nhelp: did you mean `launch_command`? It is kept as it is",
        ]
    );
    let again = write(&imported.run);
    for kept in [
        " \"model\": {\"size\":[1]},\n",
        "\"status\":\"valid\",\"ttft_sm\":1}",
        " \"launch_comand\": \"x\",\n",
    ] {
        assert!(again.contains(kept), "{again}");
    }
    assert!(!again.contains("later"));
}

#[test]
fn an_unknown_status_is_kept_as_the_sources_word() {
    let text = document(
        "\"prefill\":[],\"decode\":[{\"context_label\":\"8K\",\"concurrency\":1,\"status\":\"throttled\"}]",
    );
    let imported = import(&text).unwrap();
    let cell = &imported.run.decode[0];
    assert_eq!(
        (cell.status, cell.status_label()),
        (Status::Other, "throttled")
    );
    assert_eq!(
        imported.warnings[0].to_string(),
        "warning[W0207]: the status \"throttled\" is not known\n --> content/a.json:2:71\nhelp: known are valid, queued, over_capacity, failed, not_measured, other"
    );
}
