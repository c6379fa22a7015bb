//! The format lil-bench.

use super::{Format, Input, Outcome};
use crate::diagnostic::Diagnostic;

/// The format.
pub struct LilBench;

impl Format for LilBench {
    fn name(&self) -> &'static str {
        "lil-bench"
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
