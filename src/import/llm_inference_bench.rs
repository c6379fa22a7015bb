//! The format llm-inference-bench.

use super::{Format, Input, Outcome};
use crate::diagnostic::Diagnostic;

/// The format.
pub struct LlmInferenceBench;

impl Format for LlmInferenceBench {
    fn name(&self) -> &'static str {
        "llm-inference-bench"
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
