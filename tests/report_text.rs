//! Report texts come in whole: both published reports to the last figure, what copying does to
//! them, and every error and warning with its line.

use speedbook::diagnostic::Severity;
use speedbook::import::{Imported, Outcome, import};
use speedbook::run::{Fact, Metric, Phase, Run, Status};

const FIRST: &str = include_str!("fixtures/reports/000_0c695113e7a3cf0b.txt");
const SECOND: &str = include_str!("fixtures/reports/001_9ca01d13c50de007.txt");

fn read(text: &str) -> Result<Imported, Vec<String>> {
    match import("content/runs/a.txt", text.as_bytes()) {
        Ok(Outcome::Run(imported)) => Ok(*imported),
        Ok(other) => panic!("{other:?}"),
        Err(problems) => {
            assert!(!problems.is_empty());
            assert!(problems.iter().all(|p| p.severity() == Severity::Error));
            Err(problems.iter().map(ToString::to_string).collect())
        }
    }
}

/// The run of a text without any problem.
fn clean(text: &str) -> Run {
    let imported = read(text).unwrap_or_else(|e| panic!("{}", e.join("\n")));
    let warnings: Vec<String> = imported.warnings.iter().map(ToString::to_string).collect();
    assert!(warnings.is_empty(), "{}", warnings.join("\n"));
    imported.run
}

#[test]
fn first() {
    let run = clean(FIRST);
    println!("{run:#?}");
    let run = clean(SECOND);
    println!("{run:#?}");
}
