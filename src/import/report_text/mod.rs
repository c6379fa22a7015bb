//! Report texts: text copies of published "Speed test matrix" pages, as a browser copies them
//! (tabs, `Label: value`) or as an extractor turns them into Markdown (pipes, label and value in
//! two lines), in any mixture; and the Markdown pages that this program makes.
//!
//! [`lines`] and [`glue`] make lines of the text. [`reader`] walks over them and collects what they
//! say ([`seen`]): [`header`] and [`facts`] read what was measured, [`points`] and [`measurements`]
//! the figures, with [`tables`] and [`rows`] for what stands in which cell, [`grammar`] and
//! [`numbers`] for what it means, and [`markdown`] for pages of our own. [`agree`] and [`counts`]
//! hold the places that say the same thing against each other; then the run is made.

mod agree;
mod counts;
mod facts;
mod glue;
mod grammar;
mod header;
mod lines;
mod markdown;
mod measurements;
mod numbers;
mod points;
mod reader;
mod rows;
mod seen;
mod tables;

use super::{Format, Imported, Input, Outcome};
use crate::diagnostic::Diagnostic;
use crate::run::Facts;
use lines::{Heading, OPENERS};

/// The format.
pub struct ReportText;

impl Format for ReportText {
    fn name(&self) -> &'static str {
        "report-text"
    }

    fn looks_for(&self) -> &'static str {
        "a .txt with a line \"Speed test matrix\", \"Sustained decode\" or \"All measurements\""
    }

    fn recognises(&self, input: &Input) -> bool {
        let name = input.path.strip_suffix(".gz").unwrap_or(input.path);
        let is_text = name
            .rsplit_once('.')
            .is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("txt"));
        is_text && input.json.is_none() && (is_own(input.text) || is_report(input.text))
    }

    fn import(&self, input: &Input) -> Result<Outcome, Vec<Diagnostic>> {
        let (report, problems) = reader::read(input.path, input.text, is_own(input.text));
        let (run, warnings) = agree::settle(report, problems)?;
        Ok(Outcome::Run(Box::new(Imported {
            run,
            hints: Facts::default(),
            private_names: Vec::new(),
            warnings,
        })))
    }
}

/// Whether the text is a Markdown page of our own: its marker stands near the top.
fn is_own(text: &str) -> bool {
    text.lines()
        .take(20)
        .any(|line| line.trim() == reader::MARKER)
}

/// Whether a line of the text is one of the headings or sentences by which reports are known.
fn is_report(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line
            .trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '#' | '*' | '\u{feff}'));
        if line.starts_with("Speed test matrix") || OPENERS.iter().any(|(_, s)| line.starts_with(s))
        {
            return true;
        }
        let words =
            line.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '#' | '*' | ':'));
        matches!(
            Heading::read(words),
            Some(Heading::Page | Heading::Decode | Heading::All)
        )
    })
}
