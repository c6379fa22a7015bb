//! All of `content/` at once: every run with its facts, its address and its title, and every
//! problem.

use std::collections::BTreeMap;
use std::path::Path;

use rayon::prelude::*;

use crate::config::Config;
use crate::diagnostic::{Code, Diagnostic, Place, nearest, sorted};
use crate::import::{self, Outcome};
use crate::launch::LaunchCommand;
use crate::run::{Fact, Facts, Run};

use super::comparison::ComparisonFile;
use super::front_matter::MarkdownFile;
use super::one_run::{self, Hand};
use super::prose::ProseFile;
use super::sidecar::{self, Defaults, Sidecar};
use super::statics;
use super::walk::{self, FOLDER, FoundFile, Unreadable};

/// What is in `content/`, each list in the order of the paths.
#[derive(Debug, Default)]
pub struct Content {
    /// All runs, drafts among them.
    pub runs: Vec<LoadedRun>,
    /// Pages of prose.
    pub prose: Vec<ProseFile>,
    /// Written comparisons: the files in `content/compare/`.
    pub comparisons: Vec<ComparisonFile>,
    /// Images and PDFs, to be copied.
    pub assets: Vec<FoundFile>,
    /// What is in `static/` beside site.toml, to be copied.
    pub statics: Vec<FoundFile>,
    /// What is wrong. With an error among them, the rest is not fit to be published.
    pub problems: Vec<Diagnostic>,
}

/// A run of `content/`.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedRun {
    /// The run, with facts, slug, title, source and notes.
    pub run: Run,
    /// Names that must not be published, from its file.
    pub private_names: Vec<String>,
    /// Its file as the user knows it: `content/runs/a.json`.
    pub path: String,
    /// Its sidecar as the user knows it.
    pub sidecar: Option<String>,
    /// The line of the sidecar in which the author's notes begin; 0 where they come from elsewhere.
    pub notes_line: usize,
    /// Where each of the run's aliases is written.
    pub alias_places: Vec<Place>,
}

/// Why `content/` cannot be read at all.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// There is no such folder.
    #[error("there is no folder {FOLDER} in {root}")]
    NoContent {
        /// The site's root, as given.
        root: String,
    },
    /// The operating system does not let us read something.
    #[error("{}", unreadable_text(.0))]
    Unreadable(Vec<Unreadable>),
}

impl LoadError {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            LoadError::NoContent { .. } => {
                "make the folder and put run files in it, or name the site's folder with --root"
            }
            LoadError::Unreadable(_) => {
                "make it readable, or leave it out with `ignore` in site.toml"
            }
        }
    }
}

fn unreadable_text(files: &[Unreadable]) -> String {
    let lines = files.iter().map(ToString::to_string);
    lines.collect::<Vec<_>>().join("\n")
}

/// Reads a file: its path as the user knows it, and its bytes.
pub type Import<'a> = &'a (dyn Fn(&str, &[u8]) -> Result<Outcome, Vec<Diagnostic>> + Sync);
/// Hides what must not be published, given the private names of the run's file.
pub type Redact<'a> = &'a (dyn Fn(&mut Run, &[String]) + Sync);
/// What a launch command hints at.
pub type LaunchHints<'a> = &'a (dyn Fn(&str) -> Facts + Sync);

/// The steps of loading that other modules do.
#[derive(Clone, Copy)]
pub struct Steps<'a> {
    /// A file → a run.
    pub import: Import<'a>,
    /// Called for each run when its facts are merged, before its title is made. Also called for
    /// runs of one fact and without a source, where a message is to quote that fact.
    pub redact: Redact<'a>,
    /// Called with the launch command of a run, after `redact`.
    pub launch_hints: LaunchHints<'a>,
}

impl<'a> Steps<'a> {
    /// The steps of the product, with this redaction.
    pub fn with(redact: Redact<'a>) -> Self {
        Self {
            import: &import::import,
            redact,
            launch_hints: &hints_from_launch_command,
        }
    }
}

/// What the launch command says of model and engine, as the weakest of all hints.
pub fn hints_from_launch_command(command: &str) -> Facts {
    let command = LaunchCommand::parse(command);
    let mut facts = Facts::default();
    if let Some(model) = command.model() {
        let mut parts = model.split('/');
        let is_id = model.split('/').count() == 2
            && parts.all(|p| !p.is_empty() && !p.starts_with(['.', '~', '$']));
        if is_id {
            facts.set_text(Fact::ModelId, &model);
        } else if let Some(name) = model.trim_end_matches('/').rsplit(['/', '\\']).next() {
            facts.set_text(Fact::ModelName, name);
        }
    }
    if let Some(name) = command.served_name() {
        facts.set_text(Fact::ServedName, name);
    }
    if let Some(engine) = command.engine() {
        facts.set_text(Fact::EngineName, engine);
    }
    facts
}

/// Reads `content/` in the site's root.
///
/// # Errors
/// No such folder, or something in it that cannot be read. What is wrong *in* the files is in
/// [`Content::problems`].
pub fn load(root: &Path, config: &Config, redact: Redact) -> Result<Content, LoadError> {
    load_with(root, config, &Steps::with(redact))
}

/// [`load`] with other steps.
///
/// # Errors
/// Those of [`load`].
pub fn load_with(root: &Path, config: &Config, steps: &Steps) -> Result<Content, LoadError> {
    if !root.join(FOLDER).is_dir() {
        return Err(LoadError::NoContent {
            root: root.display().to_string(),
        });
    }
    let found = walk::walk(root, &config.ignore);
    let mut faults = Faults {
        problems: found.problems,
        unreadable: found.unreadable,
    };

    let mut defaults = BTreeMap::new();
    for (at, file) in faults.markdown(&found.defaults) {
        let (read, problems) = Defaults::read(&file);
        faults.problems.extend(problems);
        defaults.insert(at.folder().to_owned(), read);
    }
    let mut sidecars = BTreeMap::new();
    let files: Vec<FoundFile> = found.sidecars.into_values().collect();
    for (at, file) in faults.markdown(&files) {
        let (read, problems) = Sidecar::read(&file);
        faults.problems.extend(problems);
        sidecars.insert(at.stem().to_owned(), read);
    }
    let hand = Hand {
        sidecars,
        defaults,
        timezone: config.timezone.as_deref(),
    };

    let mut runs = Vec::new();
    let read: Vec<_> = found
        .runs
        .par_iter()
        .map(|file| one_run::read(file, &hand, steps))
        .collect();
    for result in read {
        match result {
            Ok((run, problems)) => {
                runs.extend(run);
                faults.problems.extend(problems);
            }
            Err(file) => faults.unreadable.push(file),
        }
    }
    faults.problems.extend(published_twice(&runs));
    let runs: Vec<LoadedRun> = runs.into_iter().map(|(run, _)| run).collect();

    let mut prose = Vec::new();
    for (at, file) in faults.markdown(&found.prose) {
        match sidecar::run_key(&file) {
            Ok(None) => {
                let (read, problems) = ProseFile::read(&at.path, &file);
                faults.problems.extend(problems);
                prose.push(read);
            }
            Ok(Some((key, place))) => {
                let problem = without_run(at, &key, place, &found.runs);
                faults.problems.push(problem);
            }
            Err(problem) => faults.problems.push(problem),
        }
    }
    let mut comparisons = Vec::new();
    for (at, file) in faults.markdown(&found.comparisons) {
        let (read, problems) = ComparisonFile::read(&at.path, &file);
        faults.problems.extend(problems);
        comparisons.push(read);
    }
    let statics = statics::walk(root);
    faults.problems.extend(statics.problems);
    faults.unreadable.extend(statics.unreadable);

    if !faults.unreadable.is_empty() {
        faults.unreadable.sort();
        return Err(LoadError::Unreadable(faults.unreadable));
    }
    Ok(Content {
        runs,
        prose,
        comparisons,
        assets: found.assets,
        statics: statics.files,
        problems: sorted(faults.problems),
    })
}

/// What went wrong so far.
struct Faults {
    problems: Vec<Diagnostic>,
    unreadable: Vec<Unreadable>,
}

impl Faults {
    /// Reads Markdown files; those with a fault are left out.
    fn markdown<'a>(&mut self, files: &'a [FoundFile]) -> Vec<(&'a FoundFile, MarkdownFile)> {
        let mut read = Vec::new();
        for file in files {
            match one_run::bytes(file) {
                Ok(bytes) => match MarkdownFile::parse(&file.shown(), &bytes) {
                    Ok(markdown) => read.push((file, markdown)),
                    Err(problem) => self.problems.push(problem),
                },
                Err(unreadable) => self.unreadable.push(unreadable),
            }
        }
        read
    }
}

/// Files with the same bytes, published under two addresses.
fn published_twice(runs: &[(LoadedRun, String)]) -> Vec<Diagnostic> {
    let mut first: BTreeMap<&str, &LoadedRun> = BTreeMap::new();
    let mut problems = Vec::new();
    for (run, sha256) in runs {
        if let Some(other) = first.get(sha256.as_str()) {
            problems.push(
                Diagnostic::new(
                    Code::PublishedTwice,
                    Place::file(&run.path),
                    "the same run is published twice",
                )
                .also(Place::file(&other.path), "has the same bytes")
                .help("remove one of them"),
            );
        } else {
            first.insert(sha256, run);
        }
    }
    problems
}

/// Keys of a run in a file that is the sidecar of none.
fn without_run(file: &FoundFile, key: &str, place: Place, runs: &[FoundFile]) -> Diagnostic {
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let stem = name(file.stem());
    let beside: Vec<String> = runs
        .iter()
        .filter(|run| run.folder() == file.folder())
        .map(|run| name(run.stem()))
        .collect();
    let near = beside
        .iter()
        .find(|other| other.to_lowercase() == stem.to_lowercase())
        .map(String::as_str)
        .or_else(|| nearest(&stem, beside.iter().map(String::as_str)));
    let help = match near {
        Some(near) => format!("did you mean {near}.md?"),
        None => format!("name the file after its run, or remove `{key}`"),
    };
    let message = format!(
        "`{key}` belongs to a run, but there is no {stem}.json, {stem}.json.gz or {stem}.txt beside this file"
    );
    Diagnostic::new(Code::SidecarWithoutRun, place, message).help(help)
}
