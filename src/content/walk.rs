//! Which files there are in `content/`, and what each is for. Only names are looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::FileType;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::config::Ignore;
use crate::diagnostic::{Code, Diagnostic, Place};

/// Name of the folder.
pub const FOLDER: &str = "content";

/// A file of `content/`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FoundFile {
    /// Its path below `content/`, with forward slashes.
    pub path: String,
    /// Where to read it.
    pub disk: PathBuf,
    /// The file as the user knows it.
    shown: String,
}

impl FoundFile {
    /// A file below `content/`.
    pub fn in_content(path: impl Into<String>, disk: impl Into<PathBuf>) -> Self {
        Self::in_folder(FOLDER, path, disk)
    }

    /// A file below another folder of the site.
    pub fn in_folder(folder: &str, path: impl Into<String>, disk: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Self {
            shown: format!("{folder}/{path}"),
            path,
            disk: disk.into(),
        }
    }

    /// A file outside of any site, as named on the command line.
    pub fn alone(disk: &Path) -> Self {
        let name = disk.file_name().unwrap_or_default();
        Self {
            path: name.to_string_lossy().into_owned(),
            disk: disk.to_owned(),
            shown: disk.display().to_string(),
        }
    }

    /// The file as the user knows it: below the site's root, or as named on the command line.
    pub fn shown(&self) -> String {
        self.shown.clone()
    }

    /// The folder that it is in, below `content/`; empty for `content/` itself.
    pub fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// The path without its ending (that of a run file or `.md`).
    pub fn stem(&self) -> &str {
        let lower = self.path.to_ascii_lowercase();
        let ending = RUN_ENDINGS
            .iter()
            .chain(&[".md"])
            .find(|ending| lower.ends_with(**ending))
            .map_or(0, |ending| ending.len());
        self.path
            .get(..self.path.len() - ending)
            .unwrap_or(&self.path)
    }
}

/// A file or folder that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[error("{path} cannot be read: {reason}")]
pub struct Unreadable {
    /// The file as the user knows it.
    pub path: String,
    /// Why, in words that are the same on every machine.
    pub reason: String,
}

/// Everything in `content/` by what it is for, each list in the order of the paths.
#[derive(Debug, Default)]
pub struct Found {
    /// Files that may be runs. Of files with one stem none is here.
    pub runs: Vec<FoundFile>,
    /// Sidecars, by the stem that they share with a run file.
    pub sidecars: BTreeMap<String, FoundFile>,
    /// `_index.md` files.
    pub defaults: Vec<FoundFile>,
    /// Files in `compare/`.
    pub comparisons: Vec<FoundFile>,
    /// All other Markdown files.
    pub prose: Vec<FoundFile>,
    /// Images and PDFs.
    pub assets: Vec<FoundFile>,
    /// What is wrong with names and links.
    pub problems: Vec<Diagnostic>,
    /// What could not be looked at.
    pub unreadable: Vec<Unreadable>,
}

/// The longest first, since `.json.gz` has two parts.
const RUN_ENDINGS: &[&str] = &[".json.gz", ".json", ".txt"];

const ASSET_ENDINGS: &[&str] = &[
    ".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".svg", ".pdf",
];

/// Looks through `content/` below `root`, which must be there.
pub fn walk(root: &Path, ignore: &Ignore) -> Found {
    let is_left_out = |name: &str| {
        let last = name.rsplit('/').next().unwrap_or(name);
        last.starts_with('.') || ignore.matches(name)
    };
    let walked = walk_folder(root, FOLDER, is_left_out);
    let mut found = Found {
        problems: walked.problems,
        unreadable: walked.unreadable,
        ..Found::default()
    };
    let mut markdown = Vec::new();
    for (file, kind) in walked.files {
        classify(&mut found, &mut markdown, file, kind);
    }
    sort_markdown(&mut found, markdown);
    refuse_shared_stems(&mut found);
    found
}

/// What is in a folder of the site.
#[derive(Debug, Default)]
pub(super) struct Walked {
    /// Everything but folders, in the order of the names.
    pub files: Vec<(FoundFile, FileType)>,
    /// What is wrong with names and links.
    pub problems: Vec<Diagnostic>,
    /// What could not be looked at.
    pub unreadable: Vec<Unreadable>,
}

/// Looks through a folder below `root`, which must be there. Links are followed so that their
/// targets are seen; those that lead out of the site are problems.
pub(super) fn walk_folder(root: &Path, name: &str, is_left_out: impl Fn(&str) -> bool) -> Walked {
    let folder = root.join(name);
    let mut found = Walked::default();
    let bounds = match Bounds::new(root, &folder) {
        Ok(bounds) => bounds,
        Err(reason) => {
            let path = name.to_owned();
            found.unreadable.push(Unreadable { path, reason });
            return found;
        }
    };
    if let Err(problem) = bounds.check(&folder, name) {
        found.problems.push(problem);
        return found;
    }
    let mut entries = WalkDir::new(&folder)
        .min_depth(1)
        .follow_links(true)
        .sort_by_file_name()
        .into_iter();
    while let Some(entry) = entries.next() {
        let path = match &entry {
            Ok(entry) => entry.path().to_owned(),
            Err(error) => error.path().unwrap_or(&folder).to_owned(),
        };
        let is_folder = entry.as_ref().is_ok_and(|e| e.file_type().is_dir());
        let Some(below) = below(&folder, &path) else {
            found.problems.push(bad_name(name, &folder, &path));
            if is_folder {
                entries.skip_current_dir();
            }
            continue;
        };
        if is_left_out(&below) {
            if is_folder {
                entries.skip_current_dir();
            }
            continue;
        }
        let file = FoundFile::in_folder(name, below, path);
        match entry {
            Err(error) => match report_entry(&file, &error) {
                Ok(problem) => found.problems.push(problem),
                Err(unreadable) => found.unreadable.push(unreadable),
            },
            Ok(entry) => {
                if entry.path_is_symlink()
                    && let Err(problem) = bounds.check(entry.path(), &file.shown())
                {
                    found.problems.push(problem);
                    if is_folder {
                        entries.skip_current_dir();
                    }
                } else if !is_folder {
                    found.files.push((file, entry.file_type()));
                }
            }
        }
    }
    found
}

/// The folders that links must stay in.
struct Bounds {
    root: PathBuf,
    folder: PathBuf,
}

impl Bounds {
    fn new(root: &Path, folder: &Path) -> Result<Self, String> {
        let real = |path: &Path| path.canonicalize().map_err(|e| e.kind().to_string());
        Ok(Self {
            root: real(root)?,
            folder: real(folder)?,
        })
    }

    /// Whether a path, with all links followed, is in the site's folder and not around the folder
    /// that is looked through.
    fn check(&self, path: &Path, shown: &str) -> Result<(), Diagnostic> {
        let broken = |what: String| {
            Diagnostic::new(Code::BrokenLink, Place::file(shown), what)
                .help("remove the link, or mend it")
        };
        let target = path
            .canonicalize()
            .map_err(|error| broken(format!("the link cannot be followed: {}", error.kind())))?;
        if !target.starts_with(&self.root) {
            return Err(Diagnostic::new(
                Code::LinkOutside,
                Place::file(shown),
                "the link leads out of the site's folder",
            )
            .help("put a copy in its place"));
        }
        if shown.contains('/') && self.folder.starts_with(&target) {
            return Err(broken("the link leads in a circle".to_owned()));
        }
        Ok(())
    }
}

/// A path below the folder with forward slashes; `None` where it is not UTF-8.
fn below(folder: &Path, path: &Path) -> Option<String> {
    let mut out = String::new();
    for part in path.strip_prefix(folder).ok()?.components() {
        if !out.is_empty() {
            out.push('/');
        }
        out.push_str(part.as_os_str().to_str()?);
    }
    Some(out)
}

fn bad_name(shown: &str, folder: &Path, path: &Path) -> Diagnostic {
    let name = path.strip_prefix(folder).unwrap_or(path).to_string_lossy();
    let place = Place::file(format!("{shown}/{}", name.replace('\\', "/")));
    Diagnostic::new(Code::BadFileName, place, "the name is not UTF-8").help("rename it")
}

/// An error of walking: a link that leads nowhere or in a circle is the user's, the rest the
/// machine's.
fn report_entry(file: &FoundFile, error: &walkdir::Error) -> Result<Diagnostic, Unreadable> {
    let is_link = file
        .disk
        .symlink_metadata()
        .is_ok_and(|data| data.file_type().is_symlink());
    let missing = error
        .io_error()
        .is_some_and(|e| e.kind() == std::io::ErrorKind::NotFound);
    let what = if error.loop_ancestor().is_some() {
        "the link leads in a circle"
    } else if is_link && missing {
        "the link leads nowhere"
    } else {
        let reason = match error.io_error() {
            Some(error) => error.kind().to_string(),
            None => error.to_string(),
        };
        let path = file.shown();
        return Err(Unreadable { path, reason });
    };
    Ok(
        Diagnostic::new(Code::BrokenLink, Place::file(file.shown()), what)
            .help("remove the link, or mend it"),
    )
}

fn classify(found: &mut Found, markdown: &mut Vec<FoundFile>, file: FoundFile, kind: FileType) {
    let lower = file.path.to_ascii_lowercase();
    let ends = |endings: &[&str]| endings.iter().any(|ending| lower.ends_with(ending));
    let other = |what| {
        Diagnostic::new(Code::OtherFile, Place::file(file.shown()), what)
            .help("remove it, or leave it out with `ignore` in site.toml")
    };
    if !kind.is_file() {
        found.problems.push(other("is no regular file; left alone"));
    } else if ends(RUN_ENDINGS) {
        found.runs.push(file);
    } else if ends(&[".md"]) {
        markdown.push(file);
    } else if ends(ASSET_ENDINGS) {
        found.assets.push(file);
    } else {
        let problem = other(
            "is neither a run (.json, .json.gz, .txt) nor text (.md), an image or a PDF; left alone",
        );
        found.problems.push(problem);
    }
}

/// Tells sidecars, folder defaults, written comparisons and prose apart.
fn sort_markdown(found: &mut Found, markdown: Vec<FoundFile>) {
    let stems: BTreeSet<String> = found.runs.iter().map(|r| r.stem().to_owned()).collect();
    for file in markdown {
        let stem = file.stem().to_owned();
        if file.path.rsplit('/').next() == Some("_index.md") {
            found.defaults.push(file);
        } else if stems.contains(&stem) {
            if let Some(other) = found.sidecars.get(&stem) {
                // Only endings that differ by case can come here.
                found.problems.push(same_stem(&stem, &[other, &file]));
            } else {
                found.sidecars.insert(stem, file);
            }
        } else if file.folder() == "compare" {
            found.comparisons.push(file);
        } else {
            found.prose.push(file);
        }
    }
    for files in [
        &mut found.defaults,
        &mut found.comparisons,
        &mut found.prose,
        &mut found.assets,
    ] {
        files.sort();
    }
}

/// Takes files that share a stem out of the runs: which of them is meant cannot be known.
fn refuse_shared_stems(found: &mut Found) {
    let mut by_stem: BTreeMap<String, Vec<FoundFile>> = BTreeMap::new();
    for file in found.runs.drain(..) {
        by_stem
            .entry(file.stem().to_owned())
            .or_default()
            .push(file);
    }
    for (stem, mut files) in by_stem {
        if files.len() > 1 {
            let files: Vec<&FoundFile> = files.iter().collect();
            found.problems.push(same_stem(&stem, &files));
        } else {
            found.runs.append(&mut files);
        }
    }
    found.runs.sort();
}

fn same_stem(stem: &str, files: &[&FoundFile]) -> Diagnostic {
    let name = stem.rsplit('/').next().unwrap_or(stem);
    let (first, rest) = match files {
        [first, rest @ ..] => (first.shown(), rest),
        [] => (stem.to_owned(), files),
    };
    let message = format!(
        "{} files are named \"{name}\" up to their ending",
        files.len()
    );
    let mut problem = Diagnostic::new(Code::SameStem, Place::file(first), message)
        .help("keep one of them, or rename the others");
    for file in rest {
        problem = problem.also(Place::file(file.shown()), "another one");
    }
    problem
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_is_no_part_of_the_stem() {
        let stem = |path: &str| {
            let file = FoundFile::in_content(path, PathBuf::new());
            (file.folder().to_owned(), file.stem().to_owned())
        };
        assert_eq!(stem("a/b.json.gz"), ("a".into(), "a/b".into()));
        assert_eq!(stem("b.JSON"), ("".into(), "b".into()));
        assert_eq!(
            stem("b.json.resume.json"),
            ("".into(), "b.json.resume".into())
        );
        assert_eq!(stem("b.md"), ("".into(), "b".into()));
    }
}
