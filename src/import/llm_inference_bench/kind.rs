//! Which document of the tool's family a file is. Decided by the keys that are there, never by the
//! version: the oldest files have none, and one version names several sets of fields.

use super::fields::Fields;
use crate::import::json::JsonNode;

/// The documents that the tool, its add-ons and the people around it write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `OUTPUT.json.resume.json`: what the tool keeps of an unfinished run.
    Checkpoint,
    /// Completion lengths and accuracy of answers; no speed matrix.
    CompletionStats,
    /// Two accuracy reports side by side.
    PairedComparison,
    /// A test of the links between GPUs.
    Diagnostics,
    /// A matrix of speeds, also one that a person made as the mean of several.
    Matrix,
    /// The file of the coding-peak add-on, where it stands alone.
    CodingPeak,
    /// Somebody's comparison of two runs.
    Comparison,
}

impl Kind {
    /// The kind of a document; `None` where it is of another family.
    pub fn of(root: &Fields) -> Option<Self> {
        if root.has("signature") && root.has("prefill_results") {
            return Some(Self::Checkpoint);
        }
        let metadata = root.get("metadata").and_then(Fields::peek);
        let mode = metadata
            .as_ref()
            .and_then(|m| m.get("mode")?.text())
            .unwrap_or_default();
        match mode.as_str() {
            "completion_stats" => return Some(Self::CompletionStats),
            "paired_comparison" => return Some(Self::PairedComparison),
            _ if mode.strip_suffix("_only").is_some_and(|test| {
                FABRIC.iter().any(|key| test.contains(key) || root.has(key))
            }) =>
            {
                return Some(Self::Diagnostics);
            }
            _ => {}
        }
        if is_matrix(root, metadata.as_ref()) {
            return Some(Self::Matrix);
        }
        if !root.has("results")
            && root
                .get("coding_peak")
                .is_some_and(|n| n.object().is_some())
        {
            return Some(Self::CodingPeak);
        }
        let baseline = root.get("inputs").and_then(|n| n.get("baseline"));
        if root.has("cells") && root.has("summary") && baseline.is_some() {
            return Some(Self::Comparison);
        }
        None
    }

    /// What a document is that is no run, and why it is left alone; `None` for a run.
    pub fn left_alone(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Matrix => None,
            Self::Checkpoint => Some((
                "is a checkpoint of an unfinished run",
                "publish the file that the tool wrote at the end, without `.resume.json`",
            )),
            Self::CompletionStats => Some((
                "is a completion and accuracy report, with no matrix of speeds in it",
                "publish the file of a speed test",
            )),
            Self::PairedComparison => Some((
                "is a comparison of two accuracy reports, not a run",
                "publish the files of the two speed tests; they are compared here",
            )),
            Self::Diagnostics => Some((
                "is a test of the links between GPUs, with no speed of a model in it",
                "publish the file of a speed test",
            )),
            Self::CodingPeak => Some((
                "holds nothing but the peak of a coding task, no matrix of speeds",
                "publish the file of the speed test that it belongs to",
            )),
            Self::Comparison => Some((
                "is a comparison of two runs, not a run",
                "publish the files of the two runs; they are compared here",
            )),
        }
    }
}

/// Blocks that a test of the links between GPUs writes.
const FABRIC: &[&str] = &["p2pmark", "amd_fabric", "nvidia_p2p_override"];

/// A list of results of which a cell has the tool's rate; or, where there is no such cell, the
/// tool's own description of what was asked for. Other tools write `metadata` and `results` too.
fn is_matrix(root: &Fields, metadata: Option<&Fields>) -> bool {
    let asked = metadata.is_some_and(|m| m.has("concurrency_levels") && m.has("context_lengths"));
    if asked && root.has("results") {
        return true;
    }
    let Some(cells) = root.get("results").and_then(|n| n.array()) else {
        return false;
    };
    let has_rate = |cell: &JsonNode| {
        Fields::peek(*cell).is_some_and(|cell| {
            (cell.has("aggregate_tps") || cell.has("aggregate_tps_mean"))
                && (cell.has("concurrency") || cell.has("context_tokens"))
        })
    };
    cells.iter().any(has_rate)
}
