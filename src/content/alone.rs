//! One run file outside of any site, as `gen import` is given it.

use std::collections::BTreeMap;
use std::path::Path;

use crate::config::Config;
use crate::diagnostic::Diagnostic;

use super::front_matter::MarkdownFile;
use super::load::{LoadedRun, Redact, Steps};
use super::one_run::{self, Hand};
use super::sidecar::Sidecar;
use super::walk::{FoundFile, Unreadable};

/// Reads a run file, with its sidecar if one stands beside it; folder defaults do not count.
///
/// # Errors
/// A file that cannot be read. What is wrong *in* the file is in the list of problems.
pub fn load_file(
    file: &Path,
    config: &Config,
    redact: Redact,
) -> Result<(Option<LoadedRun>, Vec<Diagnostic>), Unreadable> {
    let run = FoundFile::alone(file);
    let mut problems = Vec::new();
    let mut sidecars = BTreeMap::new();
    let beside = FoundFile::alone(&file.with_file_name(format!("{}.md", run.stem())));
    if beside.disk.is_file() {
        match MarkdownFile::parse(&beside.shown(), &one_run::bytes(&beside)?) {
            Ok(markdown) => {
                let (sidecar, found) = Sidecar::read(&markdown);
                problems.extend(found);
                sidecars.insert(run.stem().to_owned(), sidecar);
            }
            Err(problem) => problems.push(problem),
        }
    }
    let hand = Hand {
        sidecars,
        defaults: BTreeMap::new(),
        timezone: config.timezone.as_deref(),
    };
    let (loaded, found) = one_run::read(&run, &hand, &Steps::with(redact))?;
    problems.extend(found);
    Ok((loaded.map(|(run, _)| run), problems))
}
