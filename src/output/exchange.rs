//! The moment in which the new site takes the place of the old one.
//!
//! Where the system can exchange two names (Linux, macOS), there is no moment without a site.
//! Elsewhere the old site is moved aside and the new one into its place: a build that is killed
//! just between them leaves no site there, and the next one puts the old site back first
//! ([`remains::put_back`]).

use std::io;
use std::path::{Path, PathBuf};

use fs_err as fs;

use super::error::OutputError;
use super::lock::Lock;
use super::refuse::Ground;
use super::remains;
use super::steps::{Rehearsal, Step};

/// Puts the new site into place. Tells where the old one is now, if there was one.
pub(super) fn put_in_place(
    ground: &Ground,
    lock: &Lock,
    stage: &Path,
    rehearsal: &Rehearsal,
) -> Result<Option<PathBuf>, OutputError> {
    let refused = |source| OutputError::Exchange {
        output: ground.given.clone(),
        source,
    };
    if !ground.exists {
        fs::rename(stage, &ground.output).map_err(refused)?;
        return Ok(None);
    }
    if rehearsal.exchange && exchange_names(stage, &ground.output).map_err(refused)? {
        return Ok(Some(stage.to_owned()));
    }

    let old = remains::waiting_place(lock);
    fs::rename(&ground.output, &old).map_err(refused)?;
    let moved = rehearsal
        .done(Step::MovedAside)
        .and_then(|()| fs::rename(stage, &ground.output));
    if let Err(source) = moved {
        return Err(match fs::rename(&old, &ground.output) {
            Ok(()) => refused(source),
            Err(_) => OutputError::Stranded {
                output: ground.given.clone(),
                old,
                source,
            },
        });
    }
    Ok(Some(old))
}

/// Exchanges the names of two files or folders; false where the system cannot.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
pub(super) fn exchange_names(one: &Path, other: &Path) -> io::Result<bool> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;
    match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => Ok(false),
        Err(errno) => Err(errno.into()),
    }
}

/// Exchanges the names of two files or folders; false where the system cannot.
#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
pub(super) fn exchange_names(_: &Path, _: &Path) -> io::Result<bool> {
    Ok(false)
}
