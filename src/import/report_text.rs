//! The format report-text.

use super::{Format, Input, Outcome};
use crate::diagnostic::Diagnostic;

/// The format.
pub struct ReportText;

impl Format for ReportText {
    fn name(&self) -> &'static str {
        "report-text"
    }

    fn looks_for(&self) -> &'static str {
        ""
    }

    fn recognises(&self, _input: &Input) -> bool {
        false
    }

    fn import(&self, _input: &Input) -> Result<Outcome, Vec<Diagnostic>> {
        Err(Vec::new())
    }
}
