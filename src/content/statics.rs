//! The folder `static/` beside site.toml: files that are copied as they are, also those whose names
//! begin with a dot.

use std::path::Path;

use walkdir::WalkDir;

use crate::diagnostic::Diagnostic;

use super::walk::{Bounds, FoundFile, Unreadable, bad_name, below, report_entry};

/// Name of the folder.
pub const STATIC_FOLDER: &str = "static";

/// What is in the folder.
#[derive(Debug, Default)]
pub struct Statics {
    /// Its files, in the order of their paths, which are below it.
    pub files: Vec<FoundFile>,
    /// What is wrong with names and links.
    pub problems: Vec<Diagnostic>,
    /// What could not be looked at.
    pub unreadable: Vec<Unreadable>,
}

/// Looks through `static/` below `root`; nothing is there where there is no such folder.
pub fn walk(root: &Path) -> Statics {
    let folder = root.join(STATIC_FOLDER);
    let mut found = Statics::default();
    if folder.symlink_metadata().is_err() {
        return found;
    }
    let bounds = match Bounds::new(root, &folder) {
        Ok(bounds) => bounds,
        Err(reason) => {
            let path = STATIC_FOLDER.to_owned();
            found.unreadable.push(Unreadable { path, reason });
            return found;
        }
    };
    if let Err(problem) = bounds.check(&folder, STATIC_FOLDER) {
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
        let Some(name) = below(&folder, &path) else {
            found.problems.push(bad_name(STATIC_FOLDER, &folder, &path));
            if is_folder {
                entries.skip_current_dir();
            }
            continue;
        };
        let file = FoundFile::in_folder(STATIC_FOLDER, name, path);
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
                } else if entry.file_type().is_file() {
                    found.files.push(file);
                }
            }
        }
    }
    found.files.sort();
    found
}
