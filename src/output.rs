//! Bytes → the output folder: written beside it and exchanged with it at the end, so that a build
//! that fails leaves the old site as it was.

use std::io;
use std::path::{Component, Path, PathBuf};

use fs_err as fs;

/// The file by which an output folder is known to be ours.
pub const MARKER: &str = ".speedbook";

/// Why the output folder cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The folder holds files of somebody else.
    #[error("{} is not empty and was not made by gen; choose another folder with --output, or empty it", .0.display())]
    Foreign(PathBuf),
    /// A path that would leave the folder.
    #[error("the path {0:?} would leave the output folder")]
    Escapes(String),
    /// The disk said no.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A site being written beside the output folder.
#[derive(Debug)]
pub struct Stage {
    output: PathBuf,
    stage: PathBuf,
}

impl Stage {
    /// Begins a new site for this output folder.
    ///
    /// # Errors
    /// A folder that is not ours, or that cannot be written.
    pub fn begin(output: &Path) -> Result<Self, OutputError> {
        let is_foreign = output.is_dir()
            && !output.join(MARKER).exists()
            && fs::read_dir(output)?.next().is_some();
        if is_foreign || output.is_file() {
            return Err(OutputError::Foreign(output.to_owned()));
        }
        let stage = beside(output, "new");
        if stage.exists() {
            fs::remove_dir_all(&stage)?;
        }
        fs::create_dir_all(&stage)?;
        fs::write(
            stage.join(MARKER),
            "This folder was made by gen; it is replaced at the next build.\n",
        )?;
        Ok(Self {
            output: output.to_owned(),
            stage,
        })
    }

    /// Writes one file of the site. May be called from many threads.
    ///
    /// # Errors
    /// A path that would leave the folder, or a disk that says no.
    pub fn write(&self, path: &str, bytes: &[u8]) -> Result<(), OutputError> {
        let relative = Path::new(path);
        if !relative
            .components()
            .all(|c| matches!(c, Component::Normal(_)))
        {
            return Err(OutputError::Escapes(path.to_owned()));
        }
        let target = self.stage.join(relative);
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(target, bytes)?;
        Ok(())
    }

    /// Puts the new site in the place of the old one.
    ///
    /// # Errors
    /// A disk that says no; the old site is then still there.
    pub fn commit(self) -> Result<(), OutputError> {
        let old = beside(&self.output, "old");
        if old.exists() {
            fs::remove_dir_all(&old)?;
        }
        if self.output.exists() {
            fs::rename(&self.output, &old)?;
        }
        if let Err(error) = fs::rename(&self.stage, &self.output) {
            if old.exists() {
                fs::rename(&old, &self.output)?;
            }
            return Err(error.into());
        }
        if old.exists() {
            fs::remove_dir_all(&old)?;
        }
        Ok(())
    }
}

fn beside(output: &Path, what: &str) -> PathBuf {
    let name = output
        .file_name()
        .map_or_else(|| "public".to_owned(), |n| n.to_string_lossy().into_owned());
    output.with_file_name(format!(".{name}.{what}"))
}
