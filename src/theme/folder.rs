//! The files of a folder of templates or static files.

use std::io;
use std::path::Path;

use walkdir::WalkDir;

use crate::diagnostic::{Code, Diagnostic, Place};

/// A file of such a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FoundFile {
    /// Its path below the folder, with forward slashes.
    pub path: String,
    /// The file as the user knows it: below the site's root.
    pub shown: String,
    /// What stands in it.
    pub bytes: Vec<u8>,
}

/// All files of a folder below the site's root, by their path; none where it is not there. Names
/// that begin with a dot are left out.
///
/// # Errors
/// A disk that says no. Links that leave the site's folder, and names that are not UTF-8, are
/// problems of the user.
pub(super) fn read(
    root: &Path,
    folder: &str,
    problems: &mut Vec<Diagnostic>,
) -> io::Result<Vec<FoundFile>> {
    let top = root.join(folder);
    if !top.is_dir() {
        return Ok(Vec::new());
    }
    let bounds = fs_err::canonicalize(root)?;
    let shown = |path: &Path| {
        let below = path.strip_prefix(root).unwrap_or(path);
        let parts: Vec<_> = below
            .components()
            .map(|part| part.as_os_str().to_string_lossy())
            .collect();
        parts.join("/")
    };
    let mut files = Vec::new();
    let mut entries = WalkDir::new(&top)
        .follow_links(true)
        .sort_by_file_name()
        .into_iter();
    while let Some(entry) = entries.next() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                let path = error.path().map_or_else(|| folder.to_owned(), shown);
                problems.push(
                    Diagnostic::new(
                        Code::BrokenLink,
                        Place::file(path),
                        "the link leads nowhere, or in a circle",
                    )
                    .help("remove the link, or mend it"),
                );
                continue;
            }
        };
        let skip_folder = entry.file_type().is_dir();
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        let leaves = !fs_err::canonicalize(entry.path())?.starts_with(&bounds);
        if leaves && !is_hidden {
            problems.push(
                Diagnostic::new(
                    Code::LinkOutside,
                    Place::file(shown(entry.path())),
                    "the link leads out of the site's folder",
                )
                .help("put a copy in its place"),
            );
        }
        if is_hidden || leaves {
            if skip_folder {
                entries.skip_current_dir();
            }
            continue;
        }
        if skip_folder {
            continue;
        }
        let whole = shown(entry.path());
        let below = entry.path().strip_prefix(&top).ok().and_then(Path::to_str);
        let Some(below) = below else {
            problems.push(
                Diagnostic::new(
                    Code::BadFileName,
                    Place::file(whole),
                    "the file's name is not UTF-8",
                )
                .help("rename it"),
            );
            continue;
        };
        files.push(FoundFile {
            path: below.replace(std::path::MAIN_SEPARATOR, "/"),
            shown: whole,
            bytes: fs_err::read(entry.path())?,
        });
    }
    Ok(files)
}
