//! `gen schema`: prints the JSON Schema of a published document.

use std::io::Write;

use clap::ValueEnum;

use super::Failure;
use crate::run::document;

/// Prints the JSON Schema of a document that the site publishes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Which document.
    document: Document,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Document {
    /// `run.json`
    Run,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let schema = match self.document {
            Document::Run => document::schema(),
        };
        let text = serde_json::to_string_pretty(&schema)?;
        writeln!(anstream::stdout(), "{text}")?;
        Ok(())
    }
}
