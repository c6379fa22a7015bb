//! What killed builds left in the work folder: the old site is put back where it is missing, the
//! rest is removed.
//!
//! | name | what it is |
//! |---|---|
//! | `new`, `new-2`… | a site that was being written, or after the exchange the old one |
//! | `old` | the old site while neither is in place (only where names cannot be exchanged) |
//! | `gone`, `gone-2`… | an old site that is being removed |
//!
//! Other names are not ours and stay.

use std::io;
use std::path::{Path, PathBuf};

use fs_err as fs;
use rayon::prelude::*;

use super::error::OutputError;
use super::lock::Lock;
use super::refuse::Ground;

const NEW: &str = "new";
const OLD: &str = "old";
const GONE: &str = "gone";

/// Where the old site waits between two renames.
pub(super) fn waiting_place(lock: &Lock) -> PathBuf {
    lock.folder.join(OLD)
}

/// Makes an empty folder for the new site. Its name is another one where a dead build's could not
/// be removed.
pub(super) fn make_stage(lock: &Lock) -> io::Result<PathBuf> {
    for name in names(NEW) {
        let folder = lock.folder.join(name);
        match fs::create_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|()| folder),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Puts the old site back if a build was killed between its two renames.
pub(super) fn put_back(lock: &Lock, ground: &Ground) -> Result<(), OutputError> {
    let old = waiting_place(lock);
    if !is_there(&old)? {
        return Ok(());
    }
    let is_empty = ground.exists && fs::read_dir(&ground.output)?.next().is_none();
    if is_empty {
        fs::remove_dir(&ground.output)?;
    }
    if is_empty || !ground.exists {
        fs::rename(&old, &ground.output)?;
    } else {
        give_up(lock, &old)?;
    }
    Ok(())
}

/// Marks an old site as one that is being removed, so that a half removed one is never put back.
/// Tells its new name.
fn give_up(lock: &Lock, old: &Path) -> io::Result<PathBuf> {
    for name in names(GONE) {
        let gone = lock.folder.join(name);
        if !is_there(&gone)? {
            fs::rename(old, &gone)?;
            return Ok(gone);
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Removes what dead builds left; tells what could not be removed, a sentence each.
pub(super) fn clear(lock: &Lock) -> io::Result<Vec<String>> {
    let mut failed = Vec::new();
    for path in lock.remains()? {
        let is_ours = path
            .file_name()
            .and_then(|n| n.to_str())
            .is_some_and(|name| {
                let stem = name.split('-').next();
                stem == Some(NEW) || stem == Some(GONE)
            });
        if is_ours {
            failed.extend(remove(&path).err().map(|e| e.to_string()));
        }
    }
    Ok(failed)
}

/// Removes the old site, once the new one is in its place.
pub(super) fn remove_old(lock: &Lock, old: &Path) -> io::Result<()> {
    if old == waiting_place(lock) {
        remove(&give_up(lock, old)?)
    } else {
        remove(old)
    }
}

/// Removes a folder and all in it. Links are removed, not followed.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    if !fs::symlink_metadata(path)?.is_dir() {
        return fs::remove_file(path);
    }
    // Most of a site lies two folders deep (`runs/SLUG/`); removing takes as long as writing, so
    // these go at the same time. What fails here fails below again, and is told there.
    let pages: Vec<PathBuf> = folders_in(path)
        .iter()
        .flat_map(|folder| folders_in(folder))
        .collect();
    pages.par_iter().for_each(|folder| {
        let _ = fs::remove_dir_all(folder);
    });
    fs::remove_dir_all(path)
}

/// The folders in a folder, links left out; none where it cannot be read.
fn folders_in(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .collect()
}

fn is_there(path: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// `new`, `new-2`, `new-3`…: more than anyone leaves behind.
fn names(stem: &str) -> impl Iterator<Item = String> {
    (1..1000).map(move |n| {
        if n == 1 {
            stem.to_owned()
        } else {
            format!("{stem}-{n}")
        }
    })
}
