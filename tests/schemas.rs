//! The JSON Schemas that `gen schema` prints: documents follow them, others do not.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs
)]

use std::path::Path;
use std::process::Command;

use jsonschema::Validator;
use serde_json::{Value, json};

fn generate(args: &[&str], root: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_gen"))
        .args(args)
        .current_dir(root)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn schema(of: &str) -> Value {
    let schema = serde_json::from_str(&generate(&["schema", of], root())).unwrap();
    assert!(jsonschema::draft202012::meta::is_valid(&schema), "{of}");
    schema
}

/// The schema with every key refused that it does not name.
fn closed(schema: &Value) -> Value {
    match schema {
        Value::Object(keys) => {
            let mut out: serde_json::Map<_, _> =
                keys.iter().map(|(k, v)| (k.clone(), closed(v))).collect();
            if keys.get("properties").is_some_and(Value::is_object) && keys.contains_key("type") {
                out.insert("additionalProperties".to_owned(), json!(false));
            }
            Value::Object(out)
        }
        Value::Array(items) => items.iter().map(closed).collect(),
        other => other.clone(),
    }
}

/// TOML as JSON; times as texts.
fn from_toml(text: &str) -> Value {
    fn value(toml: toml::Value) -> Value {
        match toml {
            toml::Value::Datetime(time) => json!(time.to_string()),
            toml::Value::Array(items) => items.into_iter().map(value).collect(),
            toml::Value::Table(table) => table.into_iter().map(|(k, v)| (k, value(v))).collect(),
            toml::Value::String(text) => json!(text),
            toml::Value::Integer(n) => json!(n),
            toml::Value::Float(x) => json!(x),
            toml::Value::Boolean(on) => json!(on),
        }
    }
    value(toml::Value::Table(text.parse().unwrap()))
}

fn assert_valid(validator: &Validator, document: &Value, name: &str) {
    if let Err(error) = validator.validate(document) {
        panic!("{name}: {} at {}", error, error.instance_path());
    }
}

#[test]
fn the_index_of_the_demo_follows_its_schema_and_has_no_key_beyond_it() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("public");
    generate(
        &["build", "--quiet", "--output", out.to_str().unwrap()],
        root(),
    );
    let index: Value =
        serde_json::from_slice(&fs_err::read(out.join("index.json")).unwrap()).unwrap();
    let schema = schema("index");
    assert!(
        !schema.to_string().contains("null"),
        "absent keys are absent"
    );
    let validator = jsonschema::validator_for(&schema).unwrap();
    let strict = jsonschema::validator_for(&closed(&schema)).unwrap();
    assert_valid(&validator, &index, "index.json");
    assert_valid(&strict, &index, "index.json");
    assert!(index["runs"].as_array().unwrap().len() >= 6);
    let changed = |pointer: &str, value: Value| {
        let mut other = index.clone();
        *other.pointer_mut(pointer).expect(pointer) = value;
        other
    };
    for (pointer, value) in [
        ("/schema", json!("speedbook.index/2")),
        ("/runs", json!({})),
        ("/runs/0/slug", json!(1)),
        ("/runs/0/tags", json!("a")),
        ("/runs/0/engine/name", json!(1)),
        ("/runs/0/cells/decode", json!({"valid": "many"})),
        ("/runs/0/key_figures/one_request", json!({})),
        ("/runs/0", json!({})),
    ] {
        assert!(!validator.is_valid(&changed(pointer, value)), "{pointer}");
    }
    let mut later = index.clone();
    later["runs"][0]["later"] = json!(1);
    assert!(validator.is_valid(&later), "keys may be added");
    assert!(!strict.is_valid(&later));
}

#[test]
fn what_users_write_follows_its_schema() {
    let site = jsonschema::validator_for(&schema("site")).unwrap();
    let text = fs_err::read_to_string(root().join("site.toml")).unwrap();
    assert_valid(&site, &from_toml(&text), "site.toml");
    assert_valid(&site, &json!({}), "nothing");
    let sidecar = jsonschema::validator_for(&schema("sidecar")).unwrap();
    let mut checked = 0;
    for entry in walkdir::WalkDir::new(root().join("content")) {
        let path = entry.unwrap().into_path();
        let is_sidecar =
            path.with_extension("json").exists() || path.with_extension("txt").exists();
        if path.extension().is_some_and(|end| end == "md") && is_sidecar {
            let text = fs_err::read_to_string(&path).unwrap();
            let toml = text
                .strip_prefix("+++\n")
                .unwrap()
                .split("\n+++")
                .next()
                .unwrap();
            assert_valid(&sidecar, &from_toml(toml), &path.display().to_string());
            checked += 1;
        }
    }
    assert!(checked >= 4);
    for toml in [
        "measured_at = 2026-09-13T02:25:00Z\n[hardware]\ngpu_count = 4\nvram_gb_per_gpu = 141.5",
        "slug = 'a'\naliases = ['/b/']\ndraft = true\nranked = false\ntags = []",
    ] {
        assert_valid(&sidecar, &from_toml(toml), toml);
    }
}

#[test]
fn what_the_program_refuses_its_schemas_refuse() {
    for (of, wrong) in [
        (
            "site",
            &[
                "titel = 'x'",
                "title = 1",
                "title = ''",
                "base_url = 'a.org'",
                "ignore = 'a'",
                "[output]\nmarkdown = 'yes'",
                "[output]\npdf = true",
                "[noise]\nitl = -1",
                "[compare]\nnearest = 1.5",
                "[budgets]\nname = 'a'",
                "[prices]\nH200 = '3.5'",
            ][..],
        ),
        (
            "sidecar",
            &[
                "gpu = 'H200'",
                "measured_at = 'yesterday'",
                "tags = 'a'",
                "draft = 1",
                "[hardware]\ngpu_count = -1",
                "[hardware]\nname = 'x'",
                "source_url = 'javascript:alert(1)'",
            ][..],
        ),
    ] {
        let validator = jsonschema::validator_for(&schema(of)).unwrap();
        for toml in wrong {
            assert!(!validator.is_valid(&from_toml(toml)), "{toml}");
        }
    }
}

#[test]
fn comparisons_and_their_list_follow_their_schemas() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("public");
    generate(
        &["build", "--quiet", "--output", out.to_str().unwrap()],
        root(),
    );
    let read = |path: &str| -> Value {
        serde_json::from_slice(&fs_err::read(out.join("compare").join(path)).unwrap()).unwrap()
    };
    let list = read("index.json");
    let of_list = schema("comparisons");
    let strict = jsonschema::validator_for(&closed(&of_list)).unwrap();
    assert_valid(&strict, &list, "compare/index.json");
    for (pointer, value) in [
        ("/schema", json!("speedbook.comparisons/2")),
        ("/comparisons", json!({})),
        ("/comparisons/0/runs", json!("a")),
        ("/comparisons/0/written", json!(1)),
    ] {
        let mut other = list.clone();
        *other.pointer_mut(pointer).expect(pointer) = value;
        assert!(!strict.is_valid(&other), "{pointer}");
    }
    let strict = jsonschema::validator_for(&closed(&schema("comparison"))).unwrap();
    let comparisons = list["comparisons"].as_array().unwrap();
    assert!(comparisons.len() >= 6);
    for comparison in comparisons {
        let file = comparison["comparison_json"].as_str().unwrap();
        assert_valid(&strict, &read(file), file);
    }
}
