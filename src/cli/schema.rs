//! `gen schema`: prints the JSON Schema of a published document, or of a file that the user writes.

use std::io::Write;

use clap::ValueEnum;

use super::Failure;
use crate::compare;
use crate::render::{comparisons_json, index_json};
use crate::run::document;
use crate::toml_schema;

/// Prints the JSON Schema of a document that the site publishes or is made from.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Which document.
    document: Document,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Document {
    /// `run.json`
    Run,
    /// `index.json`
    Index,
    /// `comparison.json`
    Comparison,
    /// `compare/index.json`
    Comparisons,
    /// `site.toml`, as an editor sees it
    Site,
    /// The front matter of a run's sidecar
    Sidecar,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let schema = match self.document {
            Document::Run => document::schema(),
            Document::Index => index_json::schema(),
            Document::Comparison => compare::document::schema(),
            Document::Comparisons => comparisons_json::schema(),
            Document::Site => toml_schema::site(),
            Document::Sidecar => toml_schema::sidecar(),
        };
        let text = serde_json::to_string_pretty(&schema)?;
        writeln!(anstream::stdout(), "{text}")?;
        Ok(())
    }
}
