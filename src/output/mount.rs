//! Is a folder a mount point? Its name cannot be exchanged, and removing what is in it would
//! empty another disk.

use std::io;
use std::path::Path;

use fs_err as fs;

/// Whether something is mounted at this folder, where the system tells. Does not follow a link.
pub(super) fn is_mount_point(folder: &Path) -> io::Result<bool> {
    if let Some(told) = told_by_the_system(folder) {
        return Ok(told);
    }
    let Some(parent) = folder.parent().filter(|p| !p.as_os_str().is_empty()) else {
        return Ok(false);
    };
    Ok(device(&fs::symlink_metadata(folder)?) != device(&fs::symlink_metadata(parent)?))
}

/// Linux says it, even where a folder is mounted on another one of the same disk.
#[cfg(target_os = "linux")]
fn told_by_the_system(folder: &Path) -> Option<bool> {
    use rustix::fs::{AtFlags, CWD, StatxAttributes, StatxFlags, statx};
    let told = statx(
        CWD,
        folder,
        AtFlags::SYMLINK_NOFOLLOW,
        StatxFlags::BASIC_STATS,
    )
    .ok()?;
    told.stx_attributes_mask
        .contains(StatxAttributes::MOUNT_ROOT)
        .then(|| told.stx_attributes.contains(StatxAttributes::MOUNT_ROOT))
}

#[cfg(not(target_os = "linux"))]
fn told_by_the_system(_: &Path) -> Option<bool> {
    None
}

#[cfg(unix)]
fn device(metadata: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::dev(metadata)
}

#[cfg(not(unix))]
fn device(_: &std::fs::Metadata) -> u64 {
    0
}
