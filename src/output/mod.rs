//! Bytes → the output folder, whole or not at all. Knows neither runs nor pages: a path and its
//! bytes go in, and after [`Stage::commit`] the folder holds just these, or, if anything went
//! wrong before, just what it held.
//!
//! ```text
//! refuse ─▶ lock ─▶ remains ─▶ stage: write, copy ─▶ dot_files ─▶ exchange ─▶ remains
//! whose is   one     what dead    beside the output,    what is      both names   the old
//! it?        build   builds left  old files linked      not ours     at once      site goes
//! ```
//!
//! `docs/output.md` tells what is guaranteed, and what a killed build leaves.

mod dot_files;
mod error;
mod exchange;
mod lock;
mod mount;
mod old_site;
mod paths;
mod refuse;
mod remains;
mod stage;
mod steps;

use std::path::PathBuf;

pub use error::{OutputError, Refusal, Why};
pub use lock::work_folder;
pub use old_site::MARKER;
pub use stage::Stage;
pub use steps::{Observer, Rehearsal, Step};

/// Where a site goes, and where it comes from: what must not be replaced is judged from both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputPlace {
    /// The folder to fill. Need not exist, nor the folders above it.
    pub output: PathBuf,
    /// The folder of `site.toml`.
    pub root: PathBuf,
    /// The folder that runs and prose are read from.
    pub content: PathBuf,
}

/// What a finished build did to the folder. The marker and dot files that stay are not counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Files that are new or have other bytes than before.
    pub written: usize,
    /// Files with the same bytes as before; they kept their modification time.
    pub unchanged: usize,
    /// Files of the old site that the new one does not have.
    pub removed: usize,
    /// What could not be removed of the old site or of dead builds, a sentence each. The new site
    /// is in place all the same; the next build tries again.
    pub remains: Vec<String>,
}
