//! The format speedbook.run/1.

use super::{Format, Input, Outcome};
use crate::diagnostic::Diagnostic;

/// The format.
pub struct SpeedbookRun;

impl Format for SpeedbookRun {
    fn name(&self) -> &'static str {
        "speedbook.run/1"
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
