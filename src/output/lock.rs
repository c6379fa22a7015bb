//! The work folder beside the output, and the lock in it: one build at a time.
//!
//! ```text
//! site/public/              the output
//! site/.public.speedbook/   the work folder
//!     .gitignore            so that it shows up in no repository
//!     lock                  locked while a build is at work
//!     new/                  the next site, while it is being written
//! ```
//!
//! The lock is the operating system's, held through an open file, so a build that is killed drops
//! it. The file itself stays: were it removed at the end, a build that had already opened it
//! would lock a file that is no longer there, beside a third one that locks the new file.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use fs_err as fs;

use super::error::{OutputError, Refusal, Why};
use super::refuse::Ground;

const LOCK: &str = "lock";
const GITIGNORE: &str = ".gitignore";
const GITIGNORE_BYTES: &str = "# Made by gen: its lock, and the next site while it is being written.\n# May be removed whenever no build is at work.\n*\n";

/// How often the lock is asked for again before another build is said to be at work. A program that
/// runs `gen` from several threads may hold a dead build's lock for the moment in which it starts a
/// process, which inherits open files.
const TRIES: u32 = 10;
const PAUSE: std::time::Duration = std::time::Duration::from_millis(20);

/// The work folder of this build, locked until this is dropped.
#[derive(Debug)]
pub(super) struct Lock {
    /// The work folder.
    pub folder: PathBuf,
    _held: fs::File,
}

/// The work folder of an output folder: `.NAME.speedbook` beside it.
pub fn work_folder(output: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(output.file_name().unwrap_or_default());
    name.push(".speedbook");
    output.with_file_name(name)
}

impl Lock {
    /// Makes the work folder, and the folders above the output, and locks it.
    pub fn take(ground: &Ground) -> Result<Self, OutputError> {
        let beside = |source| OutputError::Beside {
            folder: ground.parent.clone(),
            source,
        };
        let folder = work_folder(&ground.output);
        fs::create_dir_all(&ground.parent).map_err(beside)?;
        match fs::create_dir(&folder) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                check_ours(&folder, ground)?;
            }
            Err(error) => return Err(beside(error)),
        }

        let path = folder.join(LOCK);
        let held = fs::OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(beside)?;
        let mut tries = 0;
        loop {
            match held.file().try_lock() {
                Ok(()) => break,
                Err(std::fs::TryLockError::WouldBlock) if tries < TRIES => {
                    tries += 1;
                    std::thread::sleep(PAUSE);
                }
                Err(std::fs::TryLockError::WouldBlock) => {
                    return Err(OutputError::Busy(ground.given.clone()));
                }
                Err(std::fs::TryLockError::Error(source)) => {
                    return Err(OutputError::NoLocks { path, source });
                }
            }
        }

        hide(&folder).map_err(beside)?;
        Ok(Self {
            folder,
            _held: held,
        })
    }

    /// What dead builds left in the work folder: all but what always stays, sorted.
    pub fn remains(&self) -> io::Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            if entry.file_name() != LOCK && entry.file_name() != GITIGNORE {
                found.push(entry.path());
            }
        }
        found.sort();
        Ok(found)
    }
}

/// Keeps the work folder out of repositories. A link under the name is replaced, not written
/// through.
fn hide(folder: &Path) -> io::Result<()> {
    let path = folder.join(GITIGNORE);
    match fs::symlink_metadata(&path) {
        Ok(found) if found.is_file() && found.len() == GITIGNORE_BYTES.len() as u64 => {
            return Ok(());
        }
        Ok(_) => fs::remove_file(&path)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let mut file = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)?;
    file.write_all(GITIGNORE_BYTES.as_bytes())
}

/// A folder of the work folder's name is ours if it is empty (a build was killed before it made
/// the lock) or holds the lock. Only then may anything in it be removed.
fn check_ours(folder: &Path, ground: &Ground) -> Result<(), OutputError> {
    let is_ours = fs::symlink_metadata(folder)?.is_dir()
        && match fs::symlink_metadata(folder.join(LOCK)) {
            Ok(lock) => lock.is_file(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::read_dir(folder)?.next().is_none()
            }
            Err(error) => return Err(error.into()),
        };
    if is_ours {
        Ok(())
    } else {
        Err(Refusal {
            output: ground.given.clone(),
            why: Why::InTheWay(folder.to_owned()),
        }
        .into())
    }
}
