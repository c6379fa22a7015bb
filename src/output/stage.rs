//! A site being written beside the output folder, to take its place at the end.

use std::collections::{BTreeSet, HashSet};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError, RwLock};

use fs_err as fs;

use super::dot_files;
use super::error::OutputError;
use super::exchange;
use super::lock::Lock;
use super::old_site::{self, MARKER, OldSite};
use super::paths;
use super::refuse::{self, Ground};
use super::remains;
use super::steps::{Rehearsal, Step};
use super::{OutputPlace, Written};

/// A new site, while it is being written. Dropped without [`Stage::commit`], it is gone and the old
/// one is as it was.
#[derive(Debug)]
pub struct Stage {
    ground: Ground,
    /// Where the new site is written.
    folder: PathBuf,
    old: OldSite,
    /// Folders of the new site that are there.
    folders: RwLock<HashSet<String>>,
    /// Dot files of the new site, for the marker.
    made_dots: Mutex<BTreeSet<String>>,
    written: AtomicUsize,
    unchanged: AtomicUsize,
    /// Files of the new site that the old one had too.
    kept: AtomicUsize,
    /// The first file that could not be written.
    failed: OnceLock<String>,
    remains: Vec<String>,
    rehearsal: Rehearsal,
    lock: Lock,
}

/// What a file is made from.
enum Source<'a> {
    Bytes(&'a [u8]),
    File(&'a Path),
}

/// What became of a file.
#[derive(PartialEq, Eq)]
enum Outcome {
    Unchanged,
    Written,
}

impl Stage {
    /// Begins a new site for this output folder: judges the folder, locks out other builds, cleans
    /// up after dead ones.
    ///
    /// # Errors
    /// A folder that must not be replaced or that another build is writing to, or a disk that says
    /// no. The output folder is then as it was.
    pub fn begin(place: &OutputPlace) -> Result<Self, OutputError> {
        Self::begin_with(place, Rehearsal::none())
    }

    /// As [`Stage::begin`], watched, or as on a lesser system: for tests.
    ///
    /// # Errors
    /// As [`Stage::begin`], and those of the observer.
    pub fn begin_with(place: &OutputPlace, rehearsal: Rehearsal) -> Result<Self, OutputError> {
        let home = std::env::home_dir();
        let ground = refuse::judge(place, home.as_deref())?;
        let lock = Lock::take(&ground)?;
        rehearsal.done(Step::Locked)?;

        // Until here another build may have been at work: look again.
        let ground = refuse::judge(place, home.as_deref())?;
        remains::put_back(&lock, &ground)?;
        let ground = refuse::judge(place, home.as_deref())?;
        let remains = remains::clear(&lock)?;
        rehearsal.done(Step::Cleared)?;

        let old = OldSite::look(&ground)?;
        let stage = Self {
            folder: remains::make_stage(&lock)?,
            ground,
            old,
            folders: RwLock::default(),
            made_dots: Mutex::default(),
            written: AtomicUsize::new(0),
            unchanged: AtomicUsize::new(0),
            kept: AtomicUsize::new(0),
            failed: OnceLock::new(),
            remains,
            rehearsal,
            lock,
        };
        stage.rehearsal.done(Step::Staged)?;
        Ok(stage)
    }

    /// Writes one file of the site; `path` is relative, its segments separated by `/`. A file that
    /// has the same bytes in the old site keeps its modification time. May be called from many
    /// threads.
    ///
    /// # Errors
    /// A path that leads elsewhere or was written before, or a disk that says no. The site can then
    /// not be committed any more.
    pub fn write(&self, path: &str, bytes: &[u8]) -> Result<(), OutputError> {
        self.add(path, &Source::Bytes(bytes))
    }

    /// Copies one file into the site, by the same rules as [`Stage::write`]. Its time and its
    /// permissions are not taken along. A link is followed.
    ///
    /// # Errors
    /// As [`Stage::write`], and a file that cannot be read.
    pub fn copy(&self, path: &str, from: &Path) -> Result<(), OutputError> {
        self.add(path, &Source::File(from))
    }

    /// Puts the new site in the place of the old one.
    ///
    /// # Errors
    /// A disk that says no, or a file that could not be written before; the old site is then as it
    /// was.
    pub fn commit(mut self) -> Result<Written, OutputError> {
        if let Some(path) = self.failed.get() {
            return Err(OutputError::Incomplete(path.clone()));
        }
        let made_dots = std::mem::take(
            self.made_dots
                .get_mut()
                .unwrap_or_else(PoisonError::into_inner),
        );
        let marker = old_site::marker_bytes(made_dots.iter().map(String::as_str));
        self.put(
            MARKER,
            &Source::Bytes(marker.as_bytes()),
            self.ground.exists,
        )?;
        self.rehearsal.done(Step::FilesWritten)?;

        let whole = dot_files::carry(&self.ground, &self.folder, &self.old, &made_dots)?;
        if self.ground.exists {
            let permissions = fs::metadata(&self.ground.output)?.permissions();
            fs::set_permissions(&self.folder, dot_files::open_to_owner(permissions))?;
        }
        self.rehearsal.done(Step::DotFilesCarried)?;

        let old_folder =
            exchange::put_in_place(&self.ground, &self.lock, &self.folder, &self.rehearsal)?;
        self.rehearsal.done(Step::Exchanged)?;

        if let Some(old_folder) = &old_folder {
            if self.rehearsal.exchange {
                dot_files::put_back_originals(&whole, &self.ground.output, old_folder);
            }
            self.rehearsal.done(Step::DotFilesReturned)?;
            let removed = remains::remove_old(&self.lock, old_folder);
            self.remains.extend(removed.err().map(|e| e.to_string()));
            self.rehearsal.done(Step::OldRemoved)?;
        }
        Ok(Written {
            written: self.written.load(Ordering::Relaxed),
            unchanged: self.unchanged.load(Ordering::Relaxed),
            removed: self
                .old
                .len()
                .saturating_sub(self.kept.load(Ordering::Relaxed)),
            remains: std::mem::take(&mut self.remains),
        })
    }

    fn add(&self, path: &str, source: &Source<'_>) -> Result<(), OutputError> {
        let outcome = paths::check(path).and_then(|()| {
            self.make_folders(path)?;
            self.put(path, source, self.old.has_file(path))
        });
        match outcome {
            Ok(Outcome::Unchanged) => self.unchanged.fetch_add(1, Ordering::Relaxed),
            Ok(Outcome::Written) => self.written.fetch_add(1, Ordering::Relaxed),
            Err(error) => {
                let _ = self.failed.set(path.to_owned());
                return Err(error);
            }
        };
        if self.old.has(path) {
            self.kept.fetch_add(1, Ordering::Relaxed);
        }
        if old_site::is_dot(path) {
            self.made_dots
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(path.to_owned());
        }
        Ok(())
    }

    /// Makes one file: a hard link to the old site's where that has the same bytes, else a new
    /// file. Nothing is ever opened for writing that was there before, so no link is written
    /// through.
    fn put(
        &self,
        path: &str,
        source: &Source<'_>,
        may_be_same: bool,
    ) -> Result<Outcome, OutputError> {
        let place = self.folder.join(path);
        let twice = |error: io::Error| match error.kind() {
            io::ErrorKind::AlreadyExists => OutputError::Twice(path.to_owned()),
            _ => error.into(),
        };
        let mut old_time = None;
        if may_be_same {
            let old_path = self.ground.output.join(path);
            // An old file that cannot be read is one that must be written anew.
            if let Ok(mut old_file) = open_plain(&old_path)
                && source.is_in(&mut old_file).unwrap_or(false)
            {
                if self.rehearsal.hard_links {
                    match fs::hard_link(&old_path, &place) {
                        Ok(()) => return Ok(Outcome::Unchanged),
                        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                            return Err(twice(error));
                        }
                        // No links on this file system, or no more to this file: a copy will do.
                        Err(_) => {}
                    }
                }
                old_time = Some(old_file.metadata()?.modified()?);
            }
        }
        let mut file = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&place)
            .map_err(twice)?;
        source.pour_into(&mut file)?;
        match old_time {
            Some(time) => {
                file.file().set_modified(time)?;
                Ok(Outcome::Unchanged)
            }
            None => Ok(Outcome::Written),
        }
    }

    /// Makes the folders above a file, each once.
    fn make_folders(&self, path: &str) -> io::Result<()> {
        let Some((folder, _)) = path.rsplit_once('/') else {
            return Ok(());
        };
        let is_there = |folder: &str| {
            self.folders
                .read()
                .unwrap_or_else(PoisonError::into_inner)
                .contains(folder)
        };
        if is_there(folder) {
            return Ok(());
        }
        let ends = folder.match_indices('/').map(|(at, _)| at);
        for folder in ends.chain([folder.len()]).filter_map(|at| folder.get(..at)) {
            if is_there(folder) {
                continue;
            }
            match fs::create_dir(self.folder.join(folder)) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
            self.folders
                .write()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(folder.to_owned());
        }
        Ok(())
    }
}

impl Drop for Stage {
    /// Removes what was staged; after an exchange the name stands for the old site, or for nothing.
    fn drop(&mut self) {
        let _ = remains::remove(&self.folder);
    }
}

impl Source<'_> {
    /// Whether a file of the old site has these bytes.
    fn is_in(&self, old: &mut fs::File) -> io::Result<bool> {
        match self {
            Source::Bytes(bytes) => old_site::same_bytes(old, bytes),
            Source::File(from) => old_site::same_files(&mut fs::File::open(*from)?, old),
        }
    }

    fn pour_into(&self, file: &mut fs::File) -> io::Result<()> {
        match self {
            Source::Bytes(bytes) => file.write_all(bytes),
            Source::File(from) => {
                // Between plain files the kernel copies, or shares the blocks.
                let source = fs::File::open(*from)?;
                io::copy(&mut source.file(), &mut file.file())
                    .map(drop)
                    .map_err(|error| {
                        let what = format!(
                            "failed to copy `{}` to `{}`: {error}",
                            from.display(),
                            file.path().display()
                        );
                        io::Error::new(error.kind(), what)
                    })
            }
        }
    }
}

/// Opens a file for reading, unless its name has become a link.
fn open_plain(path: &Path) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use fs::os::unix::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
    }
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_may_be_shared_between_threads() {
        fn check<T: Send + Sync>() {}
        check::<Stage>();
    }
}
