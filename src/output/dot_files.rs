//! Dot files at the top of the output folder, and `CNAME`, that gen did not make: `.git`, the
//! configuration of a host. They stay.
//!
//! They must be in the folder whenever a build is killed, so they cannot be moved before the
//! exchange (the old site would lack them) nor after it (the new one would). So before it, they
//! are built a second time in the new site out of hard links: no bytes are copied, and 10,000
//! objects take a tenth of a second. After the exchange, the original takes the place of its twin,
//! again by an exchange: it is the very same folder as before, with all that others wrote to it
//! meanwhile. Where names cannot be exchanged the twin stays.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use fs_err as fs;

use super::error::{OutputError, Refusal, Why};
use super::exchange::exchange_names;
use super::mount::is_mount_point;
use super::old_site::{MARKER, OldSite, any_in, is_dot};
use super::refuse::Ground;

/// Builds a twin of each dot file of others in the new site. What the new site itself has under
/// the name wins. Tells which entries are theirs as a whole.
pub(super) fn carry(
    ground: &Ground,
    stage: &Path,
    old: &OldSite,
    made: &BTreeSet<String>,
) -> Result<Vec<OsString>, OutputError> {
    let mut whole = Vec::new();
    if !ground.exists {
        return Ok(whole);
    }
    let carrier = Carrier { ground, old, made };
    for entry in fs::read_dir(&ground.output)? {
        let entry = entry?;
        let name = entry.file_name();
        if name == MARKER || !is_dot(&name.to_string_lossy()) {
            continue;
        }
        let is_shared = name
            .to_str()
            .is_some_and(|path| old.made_in(path) || any_in(made, path));
        if !is_shared {
            carrier.twin(&entry.path(), &stage.join(&name))?;
            whole.push(name);
        } else if let Some(path) = name.to_str() {
            carrier.merge(&entry.path(), stage, path)?;
        }
    }
    Ok(whole)
}

/// Puts the originals into the place of their twins. One that cannot be exchanged leaves its twin,
/// which is as good.
pub(super) fn put_back_originals(whole: &[OsString], new_site: &Path, old_site: &Path) {
    for name in whole {
        let _ = exchange_names(&old_site.join(name), &new_site.join(name));
    }
}

struct Carrier<'a> {
    ground: &'a Ground,
    old: &'a OldSite,
    made: &'a BTreeSet<String>,
}

impl Carrier<'_> {
    /// Takes over, from a folder that gen also writes to (`.well-known`), the files of others.
    fn merge(&self, from: &Path, stage: &Path, path: &str) -> Result<(), OutputError> {
        if fs::symlink_metadata(from)?.is_dir() {
            for entry in fs::read_dir(from)? {
                let entry = entry?;
                if let Some(name) = entry.file_name().to_str() {
                    self.merge(&entry.path(), stage, &format!("{path}/{name}"))?;
                }
            }
            return Ok(());
        }
        let is_gens = self.old.made(path) || any_in(self.made, path);
        let below_a_file = path
            .match_indices('/')
            .filter_map(|(at, _)| path.get(..at))
            .any(|above| self.made.contains(above));
        if is_gens || below_a_file {
            return Ok(());
        }
        let to = stage.join(path);
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder)?;
        }
        self.twin(from, &to)
    }

    /// Makes the same thing again out of hard links. What vanishes meanwhile is left out: it is
    /// somebody else's to remove.
    fn twin(&self, from: &Path, to: &Path) -> Result<(), OutputError> {
        let metadata = match fs::symlink_metadata(from) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            metadata => metadata?,
        };
        if metadata.is_symlink() {
            return Ok(link_again(&fs::read_link(from)?, from, to)?);
        }
        if !metadata.is_dir() {
            return Ok(twin_file(from, to, &metadata)?);
        }
        if is_mount_point(from)? {
            return Err(Refusal {
                output: self.ground.given.clone(),
                why: Why::HoldsMount(from.to_owned()),
            }
            .into());
        }
        fs::create_dir(to)?;
        let (mut from, mut to) = (from.to_owned(), to.to_owned());
        for entry in fs::read_dir(&from)? {
            let entry = entry?;
            let name = entry.file_name();
            push(&mut from, &mut to, &name);
            if entry.file_type()?.is_file() {
                // The common case, without a look at the file first.
                match fs::hard_link(&from, &to) {
                    Ok(()) => {}
                    Err(_) => self.twin(&from, &to)?,
                }
            } else {
                self.twin(&from, &to)?;
            }
            from.pop();
            to.pop();
        }
        fs::set_permissions(&to, open_to_owner(metadata.permissions()))?;
        Ok(())
    }
}

fn push(from: &mut PathBuf, to: &mut PathBuf, name: &OsStr) {
    from.push(name);
    to.push(name);
}

/// A hard link, or where there can be none a copy: of a file that cannot be made again, so that one
/// is on the disk before the original goes. Sockets and pipes are left out then.
fn twin_file(from: &Path, to: &Path, metadata: &std::fs::Metadata) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(_) if metadata.is_file() => {}
        Err(_) | Ok(()) => return Ok(()),
    }
    fs::copy(from, to)?;
    let copy = fs::OpenOptions::new().read(true).open(to)?;
    // Some systems want a file opened for writing; the time is a courtesy, the bytes are not.
    let _ = metadata
        .modified()
        .and_then(|t| copy.file().set_modified(t));
    copy.sync_all()
}

/// Permissions as they were, except that the owner can remove what is inside again.
pub(super) fn open_to_owner(permissions: std::fs::Permissions) -> std::fs::Permissions {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::Permissions::from_mode(permissions.mode() | 0o700)
    }
    #[cfg(not(unix))]
    permissions
}

#[cfg(unix)]
fn link_again(target: &Path, _: &Path, to: &Path) -> io::Result<()> {
    fs::os::unix::fs::symlink(target, to)
}

#[cfg(windows)]
fn link_again(target: &Path, from: &Path, to: &Path) -> io::Result<()> {
    if fs::metadata(from).is_ok_and(|m| m.is_dir()) {
        fs::os::windows::fs::symlink_dir(target, to)
    } else {
        fs::os::windows::fs::symlink_file(target, to)
    }
}
