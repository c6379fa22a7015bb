//! What is in the output folder now: which files are gen's, and which dot files are not.

use std::collections::{BTreeSet, HashMap};
use std::io::{self, Read};
use std::path::Path;

use fs_err as fs;

use super::error::{OutputError, Refusal, Why};
use super::mount::is_mount_point;
use super::refuse::Ground;

/// The file by which a folder is known as gen's.
pub const MARKER: &str = ".speedbook";

const FIRST_LINE: &str = "# speedbook output: made by gen, and replaced whole by its next build.";
const SECOND_LINE: &str =
    "# Dot files (and CNAME) that are not in this list are not gen's, and stay:";

/// A marker longer than this is not one of ours.
const MARKER_LIMIT: u64 = 1 << 20;

/// The old site: what it holds that the new one may take over or lets disappear.
#[derive(Debug, Default)]
pub(super) struct OldSite {
    /// Paths of files, and whether they are plain ones (a link is never taken over). Dot files of
    /// others are not among them.
    entries: HashMap<String, bool>,
    /// Files whose names are no text; they cannot be made again.
    unnamed: usize,
    /// Dot files that gen made, and `CNAME` if it did.
    made_dots: BTreeSet<String>,
}

/// Whether a folder's dot files are kept apart: what others put there stays.
pub(super) fn is_dot(path: &str) -> bool {
    path.starts_with('.') || path == "CNAME"
}

/// The marker's bytes for a site with these dot files.
pub(super) fn marker_bytes<'a>(made_dots: impl IntoIterator<Item = &'a str>) -> String {
    let mut text = format!("{FIRST_LINE}\n{SECOND_LINE}\n");
    for path in made_dots {
        text.push_str(path);
        text.push('\n');
    }
    text
}

/// Whether a folder has gen's marker.
pub(super) fn has_marker(folder: &Path) -> io::Result<bool> {
    Ok(read_marker(folder)?.is_some())
}

/// The dot files that gen made there; nothing where there is no marker of ours.
fn read_marker(folder: &Path) -> io::Result<Option<BTreeSet<String>>> {
    let path = folder.join(MARKER);
    match fs::symlink_metadata(&path) {
        Ok(metadata) if metadata.is_file() && metadata.len() <= MARKER_LIMIT => {}
        Ok(_) => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    let bytes = fs::read(&path)?;
    let text = String::from_utf8_lossy(&bytes);
    // A checkout may have changed the line ends: `lines` and `trim` take either.
    let mut lines = text.lines().map(str::trim);
    if lines.next() != Some(FIRST_LINE) {
        return Ok(None);
    }
    Ok(Some(
        lines
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .map(str::to_owned)
            .collect(),
    ))
}

impl OldSite {
    /// Looks through the output folder. Links are not followed, and dot files of others are not
    /// looked into.
    pub fn look(ground: &Ground) -> Result<Self, OutputError> {
        let mut old = Self::default();
        if ground.exists {
            old.made_dots = read_marker(&ground.output)?.unwrap_or_default();
            old.walk(ground, &ground.output, "")?;
        }
        Ok(old)
    }

    fn walk(&mut self, ground: &Ground, folder: &Path, prefix: &str) -> Result<(), OutputError> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            let name = entry.file_name();
            let path = name.to_str().map(|name| format!("{prefix}{name}"));
            if prefix.is_empty() && path.as_deref() == Some(MARKER) {
                continue;
            }
            if !kind.is_dir() {
                match path {
                    Some(path) if is_dot(&path) && !self.made_dots.contains(&path) => {}
                    Some(path) => {
                        self.entries.insert(path, kind.is_file());
                    }
                    // At the top, a dot file whose name is no text: not gen's.
                    None if name.as_encoded_bytes().starts_with(b".") && prefix.is_empty() => {}
                    None => self.unnamed += 1,
                }
                continue;
            }
            let is_foreign_dot = prefix.is_empty()
                && (name.as_encoded_bytes().starts_with(b".") || name == "CNAME")
                && !path.as_deref().is_some_and(|path| self.made_in(path));
            if is_foreign_dot {
                continue;
            }
            let entry_path = entry.path();
            if is_mount_point(&entry_path)? {
                return Err(Refusal {
                    output: ground.given.clone(),
                    why: Why::HoldsMount(entry_path),
                }
                .into());
            }
            let prefix = format!("{prefix}{}/", name.to_string_lossy());
            self.walk(ground, &entry_path, &prefix)?;
        }
        Ok(())
    }

    /// Whether a path of the new site was there before.
    pub fn has(&self, path: &str) -> bool {
        self.entries.contains_key(path)
    }

    /// Whether it was there as a plain file, which may be taken over if its bytes are the same.
    pub fn has_file(&self, path: &str) -> bool {
        self.entries.get(path).copied().unwrap_or(false)
    }

    /// How many files it has.
    pub fn len(&self) -> usize {
        self.entries.len() + self.unnamed
    }

    /// Whether gen made this dot file.
    pub fn made(&self, path: &str) -> bool {
        self.made_dots.contains(path)
    }

    /// Whether gen made this dot file, or any in this folder.
    pub fn made_in(&self, entry: &str) -> bool {
        any_in(&self.made_dots, entry)
    }
}

/// Whether a set of paths has this one, or any below it.
pub(super) fn any_in(paths: &BTreeSet<String>, entry: &str) -> bool {
    let below = format!("{entry}/");
    paths.contains(entry)
        || paths
            .range(below.clone()..)
            .next()
            .is_some_and(|path| path.starts_with(&below))
}

/// Whether a file has just these bytes: its size first, then block by block, so that nothing is
/// read of most files that changed.
pub(super) fn same_bytes(file: &mut fs::File, bytes: &[u8]) -> io::Result<bool> {
    if file.metadata()?.len() != bytes.len() as u64 {
        return Ok(false);
    }
    let mut block = [0; BLOCK];
    let mut rest = bytes;
    while !rest.is_empty() {
        let read = file.read(&mut block)?;
        let (Some(found), Some((expected, after))) =
            (block.get(..read), rest.split_at_checked(read))
        else {
            return Ok(false);
        };
        if read == 0 || found != expected {
            return Ok(false);
        }
        rest = after;
    }
    Ok(true)
}

/// Whether two files have the same bytes.
pub(super) fn same_files(one: &mut fs::File, other: &mut fs::File) -> io::Result<bool> {
    if one.metadata()?.len() != other.metadata()?.len() {
        return Ok(false);
    }
    let mut block = [0; BLOCK];
    let mut expected = [0; BLOCK];
    loop {
        let read = one.read(&mut block)?;
        let (Some(found), Some(expected)) = (block.get(..read), expected.get_mut(..read)) else {
            return Ok(false);
        };
        if read == 0 {
            return Ok(other.read(&mut [0])? == 0);
        }
        match other.read_exact(expected) {
            Ok(()) if found == expected => {}
            Ok(()) => return Ok(false),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            Err(error) => return Err(error),
        }
    }
}

const BLOCK: usize = 16 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_survives_a_checkout_with_other_line_ends() {
        let dir = tempfile::tempdir().unwrap();
        let text = marker_bytes([".nojekyll", "CNAME"]).replace('\n', "\r\n");
        fs::write(dir.path().join(MARKER), text).unwrap();
        let made = read_marker(dir.path()).unwrap().unwrap();
        assert_eq!(made.into_iter().collect::<Vec<_>>(), [".nojekyll", "CNAME"]);
    }

    #[test]
    fn bytes_are_compared_to_the_end() {
        let dir = tempfile::tempdir().unwrap();
        let long = vec![7; 3 * BLOCK + 5];
        let mut other = long.clone();
        *other.last_mut().unwrap() = 8;
        for (name, bytes) in [
            ("a", &long[..]),
            ("b", &other),
            ("c", &long[..9]),
            ("d", &[]),
        ] {
            fs::write(dir.path().join(name), bytes).unwrap();
        }
        let open = |name: &str| fs::File::open(dir.path().join(name)).unwrap();
        assert!(same_bytes(&mut open("a"), &long).unwrap());
        assert!(!same_bytes(&mut open("b"), &long).unwrap());
        assert!(!same_bytes(&mut open("c"), &long).unwrap());
        assert!(same_bytes(&mut open("d"), &[]).unwrap());
        assert!(same_files(&mut open("a"), &mut open("a")).unwrap());
        assert!(!same_files(&mut open("a"), &mut open("b")).unwrap());
        assert!(!same_files(&mut open("a"), &mut open("c")).unwrap());
        assert!(same_files(&mut open("d"), &mut open("d")).unwrap());
    }

    #[test]
    fn a_folder_is_not_taken_for_one_whose_name_starts_alike() {
        let made = BTreeSet::from([".well-known2/a".to_owned(), ".x".to_owned()]);
        assert!(!any_in(&made, ".well-known"));
        assert!(any_in(&made, ".well-known2"));
        assert!(any_in(&made, ".x"));
    }
}
