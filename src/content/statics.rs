//! The folder `static/` beside site.toml: files that are copied as they are, also those whose names
//! begin with a dot.

use std::path::Path;

use crate::diagnostic::Diagnostic;

use super::walk::{FoundFile, Unreadable, walk_folder};

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
    if root.join(STATIC_FOLDER).symlink_metadata().is_err() {
        return Statics::default();
    }
    let walked = walk_folder(root, STATIC_FOLDER, |_| false);
    let regular = walked.files.into_iter().filter(|(_, kind)| kind.is_file());
    let mut files: Vec<FoundFile> = regular.map(|(file, _)| file).collect();
    files.sort();
    Statics {
        files,
        problems: walked.problems,
        unreadable: walked.unreadable,
    }
}
