//! One file → one run with everything that is known of it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use crate::diagnostic::{Code, Diagnostic, Place};
use crate::import::{Imported, Outcome};
use crate::run::{Fact, FactValue, Run};

use super::facts::{self, Contradiction, Statements};
use super::load::{LoadedRun, Steps};
use super::sidecar::{Defaults, Sidecar, bad_slug};
use super::slug;
use super::title::title;
use super::walk::{FoundFile, Unreadable};

/// What was written by hand about all runs.
pub struct Hand<'a> {
    /// By the stem that a run file has as well.
    pub sidecars: BTreeMap<String, Sidecar>,
    /// By the folder below `content/`.
    pub defaults: BTreeMap<String, Defaults>,
    /// The site's time zone.
    pub timezone: Option<&'a str>,
}

impl Hand<'_> {
    /// The defaults for files of a folder, the nearest first.
    fn defaults(&self, folder: &str) -> Vec<&Defaults> {
        let mut found = Vec::new();
        let mut folder = folder;
        loop {
            found.extend(self.defaults.get(folder));
            match folder.rsplit_once('/') {
                Some((above, _)) => folder = above,
                None if folder.is_empty() => return found,
                None => folder = "",
            }
        }
    }
}

/// A run with the SHA-256 of its file, if the file is one; and its problems.
pub type OneRun = (Option<(LoadedRun, String)>, Vec<Diagnostic>);

/// Reads one file and resolves what is known of it.
///
/// # Errors
/// A file that the operating system does not let us read.
pub fn read(file: &FoundFile, hand: &Hand, steps: &Steps) -> Result<OneRun, Unreadable> {
    let bytes = bytes(file)?;
    let shown = file.shown();
    let imported = match import(&shown, &bytes, steps) {
        Ok(Outcome::Run(imported)) => *imported,
        Ok(Outcome::LeftAlone(warning)) => return Ok((None, vec![warning])),
        Err(problems) => return Ok((None, problems)),
    };
    let sha256: String = Sha256::digest(&bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let (run, problems) = resolve(imported, file, &sha256, hand, steps);
    Ok((Some((run, sha256)), problems))
}

/// The bytes of a file.
///
/// # Errors
/// A file that the operating system does not let us read.
pub fn bytes(file: &FoundFile) -> Result<Vec<u8>, Unreadable> {
    fs_err::read(&file.disk).map_err(|error| Unreadable {
        path: file.shown(),
        // The whole error names the path on the disk; this is the same on every machine.
        reason: error.kind().to_string(),
    })
}

/// Importers tell formats apart by endings in lower case; messages name the file as it is.
fn import(shown: &str, bytes: &[u8], steps: &Steps) -> Result<Outcome, Vec<Diagnostic>> {
    let name = with_lower_ending(shown);
    let rename = |mut problem: Diagnostic| {
        let also = problem.also.iter_mut().map(|(place, _)| place);
        for place in also.chain([&mut problem.place]) {
            if place.path == name {
                shown.clone_into(&mut place.path);
            }
        }
        problem
    };
    match (steps.import)(&name, bytes) {
        Ok(Outcome::Run(mut imported)) => {
            imported.warnings = imported.warnings.into_iter().map(rename).collect();
            Ok(Outcome::Run(imported))
        }
        Ok(Outcome::LeftAlone(warning)) => Ok(Outcome::LeftAlone(rename(warning))),
        Err(problems) => Err(problems.into_iter().map(rename).collect()),
    }
}

fn with_lower_ending(path: &str) -> Cow<'_, str> {
    let mut lower = path.to_owned();
    for ending in [".gz", ".json", ".txt"] {
        let at = lower.to_ascii_lowercase().rfind(ending);
        if let Some(tail) = at.and_then(|at| lower.get_mut(at..)) {
            tail.make_ascii_lowercase();
        }
    }
    if lower == path {
        Cow::Borrowed(path)
    } else {
        Cow::Owned(lower)
    }
}

fn resolve(
    imported: Imported,
    file: &FoundFile,
    sha256: &str,
    hand: &Hand,
    steps: &Steps,
) -> (LoadedRun, Vec<Diagnostic>) {
    let Imported {
        mut run,
        hints,
        private_names,
        warnings: mut problems,
    } = imported;
    let shown = file.shown();
    let sidecar = hand.sidecars.get(file.stem());
    let defaults = hand.defaults(file.folder());
    let statements = Statements {
        sidecar,
        defaults: &defaults,
    };
    let (merged, contradictions) = facts::merge(&run.facts, hints, statements);
    run.facts = merged;
    if let Err(zone) = facts::fix_time(&mut run.facts, hand.timezone) {
        // Zones that were written by hand have been checked where they stand.
        problems.extend(crate::config::unknown_timezone(&zone, &Place::file(&shown)));
    }

    if run.source.path.is_empty() {
        file.path.clone_into(&mut run.source.path);
    }
    if run.source.sha256.is_empty() {
        sha256.clone_into(&mut run.source.sha256);
    }
    let tags = sidecar.and_then(|s| s.stated.tags.clone());
    let default_tags = || defaults.iter().find_map(|d| d.stated.tags.clone());
    match tags {
        Some(tags) => run.tags = tags,
        None if run.tags.is_empty() => run.tags = default_tags().unwrap_or_default(),
        None => {}
    }
    let mut notes_line = 0;
    let mut alias_places = vec![Place::file(&shown); run.aliases.len()];
    if let Some(sidecar) = sidecar {
        run.draft = sidecar.draft.unwrap_or(run.draft);
        run.ranked = sidecar.ranked.unwrap_or(run.ranked);
        if let Some(aliases) = &sidecar.aliases {
            run.aliases = aliases.iter().map(|(alias, _)| alias.clone()).collect();
            alias_places = aliases.iter().map(|(_, place)| place.clone()).collect();
        }
        if sidecar.notes.is_some() {
            run.notes_markdown.clone_from(&sidecar.notes);
            notes_line = sidecar.notes_line;
        }
    }
    let (from_path, problem) = set_slug(&mut run, file, sidecar);
    problems.extend(problem);

    (steps.redact)(&mut run, &private_names);
    if from_path {
        problems.extend(slug_from_path(&mut run, file));
    }
    if let Some(command) = run.facts.text(Fact::LaunchCommand) {
        let mut hints = (steps.launch_hints)(command);
        if run.facts.get(Fact::ModelId).is_some() {
            // A stated id names the model better than a path in the command.
            hints.remove(Fact::ModelName);
        }
        run.facts.fill_from(&hints);
    }
    if run.facts.text(Fact::Title).is_none() {
        let stem = file.stem();
        let name = stem.rsplit('/').next().unwrap_or(stem);
        let title = title(&run.facts, &hidden_name(name, &private_names, steps));
        run.facts.set_text(Fact::Title, title);
    }
    problems.extend(
        contradictions
            .into_iter()
            .map(|c| contradiction(c, &shown, &private_names, steps)),
    );
    let loaded = LoadedRun {
        run,
        private_names,
        path: shown,
        sidecar: sidecar.map(|s| s.path.clone()),
        notes_line,
        alias_places,
    };
    (loaded, problems)
}

/// The slug: the sidecar's, else that of the file's own text, else the path, from which a slug is
/// made when nothing private is in it any more: then true.
fn set_slug(
    run: &mut Run,
    file: &FoundFile,
    sidecar: Option<&Sidecar>,
) -> (bool, Option<Diagnostic>) {
    if let Some((slug, _)) = sidecar.and_then(|s| s.slug.as_ref()) {
        slug.clone_into(&mut run.slug);
        return (false, None);
    }
    if !run.slug.is_empty() {
        let problem = slug::check(&run.slug).err().map(|error| {
            let problem = bad_slug(&run.slug, &error, &Place::file(file.shown()));
            run.slug.clear();
            problem
        });
        return (false, problem);
    }
    file.stem().clone_into(&mut run.slug);
    (true, None)
}

/// A file's name without what is private in it.
fn hidden_name(name: &str, private_names: &[String], steps: &Steps) -> String {
    let mut run = Run::new();
    name.clone_into(&mut run.slug);
    (steps.redact)(&mut run, private_names);
    run.slug
}

/// Makes a slug of the redacted path.
fn slug_from_path(run: &mut Run, file: &FoundFile) -> Option<Diagnostic> {
    match slug::from_path(&run.slug) {
        Ok(slug) => {
            run.slug = slug;
            None
        }
        Err(error) => {
            run.slug.clear();
            let place = Place::file(file.shown());
            let problem = Diagnostic::new(Code::BadSlug, place, format!("the name {error}"))
                .help("rename the file, or give a `slug` in a sidecar");
            Some(problem)
        }
    }
}

/// The warning about a sidecar that says something else than its file, without anything secret.
fn contradiction(
    contradiction: Contradiction,
    file: &str,
    private_names: &[String],
    steps: &Steps,
) -> Diagnostic {
    let fact = contradiction.fact;
    let quote = |value: FactValue| {
        let mut run = Run::new();
        run.facts.set(fact, value);
        (steps.redact)(&mut run, private_names);
        let text = run.facts.get(fact).map(FactValue::to_string);
        quoted(&text.unwrap_or_default())
    };
    let message = format!("`{}` is {} here", fact.path(), quote(contradiction.stated));
    let in_file = format!("says {}", quote(contradiction.in_file));
    Diagnostic::new(Code::SidecarContradicts, contradiction.place, message)
        .also(Place::file(file), in_file)
        .help("the sidecar wins; remove the key from it if the file is right")
}

/// One line in quotes, of a length that a terminal can show.
fn quoted(text: &str) -> String {
    const MOST: usize = 100;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut short: String = line.chars().take(MOST).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    format!("\"{short}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_ending_becomes_lower_case() {
        for (path, name) in [
            ("A/B.JSON.GZ", "A/B.json.gz"),
            ("A/B.Json", "A/B.json"),
            ("A.TXT", "A.txt"),
            ("A.json.resume.JSON", "A.json.resume.json"),
            ("A.txt", "A.txt"),
        ] {
            assert_eq!(with_lower_ending(path), name);
        }
    }

    #[test]
    fn long_values_are_cut() {
        assert_eq!(quoted("a\n  b"), "\"a b\"");
        assert_eq!(quoted(&"é".repeat(101)).chars().count(), 103);
    }
}
