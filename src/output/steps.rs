//! The steps of a build in order, named, so that a test can stop it at each of them.

use std::fmt;
use std::io;

/// A step that has just been done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// The folder was found fit, and no other build is at work on it.
    Locked,
    /// What dead builds left is gone.
    Cleared,
    /// The new site's folder is there, empty.
    Staged,
    /// All files of the new site and the marker are there.
    FilesWritten,
    /// Dot files of others are in the new site too.
    DotFilesCarried,
    /// The old site is aside and the new one not yet in its place; only where names cannot be
    /// exchanged.
    MovedAside,
    /// The new site is in its place.
    Exchanged,
    /// The originals of the dot files are in the new site.
    DotFilesReturned,
    /// The old site is gone.
    OldRemoved,
}

impl Step {
    /// Every step, in order.
    pub const ALL: &'static [Step] = &[
        Step::Locked,
        Step::Cleared,
        Step::Staged,
        Step::FilesWritten,
        Step::DotFilesCarried,
        Step::MovedAside,
        Step::Exchanged,
        Step::DotFilesReturned,
        Step::OldRemoved,
    ];

    /// `files-written`: for the names of tests and their child processes.
    pub fn name(self) -> &'static str {
        match self {
            Step::Locked => "locked",
            Step::Cleared => "cleared",
            Step::Staged => "staged",
            Step::FilesWritten => "files-written",
            Step::DotFilesCarried => "dot-files-carried",
            Step::MovedAside => "moved-aside",
            Step::Exchanged => "exchanged",
            Step::DotFilesReturned => "dot-files-returned",
            Step::OldRemoved => "old-removed",
        }
    }
}

/// What is told of every step; an error stops the build there.
pub type Observer = Box<dyn Fn(Step) -> io::Result<()> + Send + Sync>;

/// How a build is to go: as the system allows ([`Rehearsal::none`]), or watched, or as on a system
/// that can do less. For tests.
pub struct Rehearsal {
    /// Told of each step.
    pub observe: Observer,
    /// False: names are not exchanged, the two renames of other systems are used.
    pub exchange: bool,
    /// False: unchanged files are copied, as where there are no hard links.
    pub hard_links: bool,
}

impl Rehearsal {
    /// Nobody watches, and the system may do all that it can.
    pub fn none() -> Self {
        Self::watched(|_| Ok(()))
    }

    /// Tells each step; an error stops the build there.
    pub fn watched(observe: impl Fn(Step) -> io::Result<()> + Send + Sync + 'static) -> Self {
        Self {
            observe: Box::new(observe),
            exchange: true,
            hard_links: true,
        }
    }

    /// Says that a step is done.
    pub(super) fn done(&self, step: Step) -> io::Result<()> {
        (self.observe)(step)
    }
}

impl fmt::Debug for Rehearsal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rehearsal")
            .field("exchange", &self.exchange)
            .field("hard_links", &self.hard_links)
            .finish_non_exhaustive()
    }
}
