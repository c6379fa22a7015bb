//! What a run's own figures say against it.

use super::Run;

/// Noise bands: two single measurements of one setup differ by about this much (as a share of 1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// For rates.
    pub tok_per_s: f64,
    /// For the time between tokens.
    pub itl: f64,
    /// For the time to first token.
    pub ttft: f64,
}

impl Default for Noise {
    fn default() -> Self {
        Self {
            tok_per_s: 0.07,
            itl: 0.07,
            ttft: 0.25,
        }
    }
}

/// Something that a run's own figures say against it.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Which rule found it.
    pub rule: Rule,
    /// The measurements that it concerns, by their anchors ([`Run::anchor`]).
    pub cells: Vec<String>,
    /// What was found, with numbers, for the page.
    pub sentence: String,
}

/// The rules of the audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// The prompt cache was not warm.
    Cold,
}

/// All findings about a run, in the order of the rules.
pub fn audit(_run: &Run, _noise: &Noise) -> Vec<Finding> {
    Vec::new()
}
