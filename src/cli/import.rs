//! `gen import`: prints what was understood of run files.

use std::io::Write;
use std::path::PathBuf;

use super::{Failure, build, report};
use crate::content::{self, LoadedRun};
use crate::diagnostic::{Severity, sorted};
use crate::run::Run;
use crate::run::document;
use crate::run::key_figures::Derived;

/// Prints what is understood of run files, as `speedbook.run/1`.
///
/// A sidecar beside a file and the settings of site.toml in the current folder count; folder
/// defaults do not.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Run files: .json, .json.gz or .txt.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let config = build::load_config(std::path::Path::new("."))?;
        let redactor = build::redactor(&config)?;
        let redact = |run: &mut Run, names: &[String]| {
            redactor.run(run, names);
        };
        let mut runs: Vec<LoadedRun> = Vec::new();
        let mut problems = Vec::new();
        for file in &self.files {
            let (run, found) = content::load_file(file, &config, &redact)?;
            runs.extend(run);
            problems.extend(found);
        }
        let mut out = anstream::stdout();
        for loaded in &runs {
            let derived = Derived::of(&loaded.run, &config.noise);
            out.write_all(document::to_json(&loaded.run, &derived).as_bytes())?;
        }
        let problems = sorted(problems);
        report::problems(&problems, &redactor);
        if problems.iter().any(|p| p.severity() == Severity::Error) {
            return Err(Failure::Content);
        }
        Ok(())
    }
}
