//! No kind of problem goes untested: each code is named by a test that provokes it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

use std::path::Path;

use speedbook::diagnostic::Code;

/// The text of all tests: the files in `tests/`, snapshots included, and what stands behind
/// `#[cfg(test)]` in `src/`.
fn collect(folder: &Path, only_tests: bool, out: &mut String) {
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            let is_tests = path.file_name().is_some_and(|n| n == "tests");
            collect(&path, only_tests && !is_tests, out);
        } else if path.extension().is_some_and(|e| e == "rs" || e == "snap")
            && !path.ends_with("codes.rs")
        {
            let text = fs_err::read_to_string(&path).unwrap();
            let is_tests = path.file_stem().is_some_and(|n| n == "tests");
            match text.split_once("#[cfg(test)]") {
                _ if !only_tests || is_tests => out.push_str(&text),
                Some((_, tests)) => out.push_str(tests),
                None => {}
            }
        }
    }
}

#[test]
fn every_kind_of_problem_is_provoked_by_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut tests = String::new();
    collect(&root.join("tests"), false, &mut tests);
    collect(&root.join("src"), true, &mut tests);
    let untested: Vec<&str> = Code::ALL
        .iter()
        .filter(|code| {
            let by_name = format!("Code::{code:?}");
            !tests.contains(code.id()) && !tests.contains(&by_name)
        })
        .map(|code| code.id())
        .collect();
    assert_eq!(untested, [] as [&str; 0]);
}
