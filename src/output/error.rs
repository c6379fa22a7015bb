//! Why a site could not be written, in words: what is wrong, and what to do.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::diagnostic::printable;

/// Why the output folder was not replaced. With each of these the old site is as it was, except
/// for [`OutputError::Stranded`], which says where it is.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The folder must not be replaced.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Another build is at work on the same folder.
    #[error(
        "another gen build is writing to {}\nhelp: wait until it has ended, or choose another folder with --output",
        shown(.0)
    )]
    Busy(PathBuf),
    /// The file system knows no locks, so that two builds could not be told apart.
    #[error(
        "{} cannot be locked: {source}\nhelp: build into a folder of another file system and copy it from there",
        shown(path)
    )]
    NoLocks {
        /// The lock file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The folder in which the new site is prepared cannot be made.
    #[error(
        "the new site is prepared beside the output folder, and {} cannot be written to: {}\nhelp: the old site is as it was; allow writing there, or choose another folder with --output",
        shown(folder),
        printable(&source.to_string())
    )]
    Beside {
        /// The folder that the output folder stands in.
        folder: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A path that no file of a site may have.
    #[error("no file of a site may be called `{}`: {why}", printable(path))]
    BadPath {
        /// The path.
        path: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// One path was written twice.
    #[error("`{}` was written twice", printable(.0))]
    Twice(String),
    /// A file could not be written before, so that the site would not be whole.
    #[error("the new site is not whole, since `{}` could not be written; the old one stays", printable(.0))]
    Incomplete(String),
    /// The system refused to put the new folder in the place of the old one.
    #[error(
        "{} cannot be exchanged with the new site: {source}\nhelp: the old site is as it was; {}",
        shown(output),
        exchange_advice(source)
    )]
    Exchange {
        /// The output folder.
        output: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The old site was moved aside, and neither the new nor the old one could be put in its place.
    #[error(
        "{} could not be put in place: {source}\nhelp: the old site is whole and stands at {}; the next build puts it back",
        shown(output),
        shown(old)
    )]
    Stranded {
        /// The output folder, which is missing now.
        output: PathBuf,
        /// Where the old site is.
        old: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The disk said no.
    #[error("{}{}", printable(&.0.to_string()), io_advice(.0))]
    Io(#[from] io::Error),
}

/// An output folder that is not replaced.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot build into {}: {}\nhelp: {}", shown(output), why, why.advice())]
pub struct Refusal {
    /// The folder as it was given.
    pub output: PathBuf,
    /// What speaks against it.
    pub why: Why,
}

/// What speaks against an output folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// It holds files of somebody else, for example this one.
    Foreign(String),
    /// It is a file, or something else that is no folder.
    NoFolder,
    /// It is a link of the file system, to this place.
    Link(PathBuf),
    /// It is a mount point.
    Mount,
    /// This mount point is somewhere in it.
    HoldsMount(PathBuf),
    /// It is the folder of `site.toml`.
    Root,
    /// It is above the folder of `site.toml`.
    AboveRoot,
    /// It is the folder that content is read from.
    Content,
    /// It is above the folder that content is read from.
    AboveContent,
    /// It is in a folder whose files go into the site, or is that folder.
    InSource(PathBuf),
    /// It is the home folder.
    Home,
    /// It is above the home folder.
    AboveHome,
    /// What stands at the place where the new site would be prepared was not made by gen.
    InTheWay(PathBuf),
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::Foreign(name) => write!(
                f,
                "it is not empty and was not made by gen (it holds `{}`)",
                printable(name)
            ),
            Why::NoFolder => f.write_str("it is no folder"),
            Why::Link(to) => write!(f, "it is a link to {}", shown(to)),
            Why::Mount => f.write_str("it is a mount point, whose name cannot be exchanged"),
            Why::HoldsMount(at) => write!(f, "{} in it is a mount point", shown(at)),
            Why::Root => f.write_str("it is the site's own folder"),
            Why::AboveRoot => f.write_str("the site's own folder is in it"),
            Why::Content => f.write_str("it is the content folder"),
            Why::AboveContent => f.write_str("the content folder is in it"),
            Why::InSource(folder) => {
                write!(
                    f,
                    "the next build would read it again, as a part of {}",
                    shown(folder)
                )
            }
            Why::Home => f.write_str("it is your home folder"),
            Why::AboveHome => f.write_str("your home folder is in it"),
            Why::InTheWay(path) => {
                write!(f, "{} is in the way and was not made by gen", shown(path))
            }
        }
    }
}

impl Why {
    /// What to do about it.
    fn advice(&self) -> String {
        match self {
            Why::Foreign(_) => "choose another folder with --output, or empty this one".to_owned(),
            Why::Link(to) => format!(
                "the link itself would be replaced, not the folder behind it; pass --output {}",
                shown(to)
            ),
            Why::Mount => {
                "build into a folder below it, or mount the folder above it instead".to_owned()
            }
            Why::HoldsMount(_) => "unmount it: gen replaces the whole folder".to_owned(),
            Why::InTheWay(_) => "move it away, or choose another folder with --output".to_owned(),
            Why::NoFolder
            | Why::Root
            | Why::AboveRoot
            | Why::Content
            | Why::AboveContent
            | Why::InSource(_)
            | Why::Home
            | Why::AboveHome => {
                "choose a folder of its own with --output, such as `public` beside site.toml"
                    .to_owned()
            }
        }
    }
}

/// A path for a message: quoted, and without anything that steers a terminal.
pub(super) fn shown(path: &Path) -> String {
    format!("`{}`", printable(&path.to_string_lossy()))
}

/// What to do about an error of the disk, where that is known; starts with a new line.
fn io_advice(error: &io::Error) -> &'static str {
    use io::ErrorKind as Kind;
    match error.kind() {
        Kind::StorageFull | Kind::QuotaExceeded | Kind::FileTooLarge => {
            "\nhelp: the old site is as it was; make room and build again"
        }
        Kind::PermissionDenied | Kind::ReadOnlyFilesystem => {
            "\nhelp: the old site is as it was; gen must be able to write to the output folder and to the folder that it stands in"
        }
        _ => "",
    }
}

/// What to do where the exchange was refused.
fn exchange_advice(error: &io::Error) -> &'static str {
    use io::ErrorKind as Kind;
    match error.kind() {
        Kind::CrossesDevices => {
            "this file system cannot move the folder (one that came with a container image?); remove it and build again"
        }
        Kind::StorageFull | Kind::QuotaExceeded => "make room and build again",
        Kind::ResourceBusy => "something holds the folder; close it and build again",
        _ => {
            "gen must be able to write to the output folder and to the folder that it stands in, and no program may hold it"
        }
    }
}
