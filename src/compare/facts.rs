//! Facts side by side.

use crate::launch::flags::is_hidden;
use crate::run::names::NameKind;
use crate::run::{Fact, FactValue, Facts};

/// What two values of one thing are to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RowState {
    /// Both have it, and it is the same.
    Same,
    /// Both have it, and it differs.
    Changed,
    /// Only A has it.
    OnlyA,
    /// Only B has it.
    OnlyB,
    /// A part of it is hidden, or depends on what is not told: never "the same".
    NotComparable,
}

impl RowState {
    /// All states, in the order of lists.
    pub const ALL: &'static [RowState] = &[
        RowState::Changed,
        RowState::OnlyA,
        RowState::OnlyB,
        RowState::NotComparable,
        RowState::Same,
    ];

    /// Word of `comparison.json`.
    pub fn key(self) -> &'static str {
        match self {
            RowState::Same => "same",
            RowState::Changed => "changed",
            RowState::OnlyA => "only_a",
            RowState::OnlyB => "only_b",
            RowState::NotComparable => "not_comparable",
        }
    }

    /// Words of the page.
    pub fn words(self) -> &'static str {
        match self {
            RowState::Same => "same",
            RowState::Changed => "changed",
            RowState::OnlyA => "only in A",
            RowState::OnlyB => "only in B",
            RowState::NotComparable => "not comparable",
        }
    }

    /// Whether it is a difference.
    pub fn differs(self) -> bool {
        matches!(self, RowState::Changed | RowState::OnlyA | RowState::OnlyB)
    }

    /// The same with A and B exchanged.
    #[must_use]
    pub fn mirrored(self) -> Self {
        match self {
            RowState::OnlyA => RowState::OnlyB,
            RowState::OnlyB => RowState::OnlyA,
            same => same,
        }
    }
}

/// A fact of both runs; at least one of them has it.
#[derive(Clone, Debug, PartialEq)]
pub struct FactRow {
    /// Which fact.
    pub fact: Fact,
    /// A's value.
    pub a: Option<FactValue>,
    /// B's value.
    pub b: Option<FactValue>,
    /// What they are to each other. A fact that only one run tells of is no difference: the other
    /// run may be the same in it.
    pub state: RowState,
}

/// Facts that are not listed side by side: the title is the run's name, the launch command is
/// compared flag by flag, the rest says how it was published.
const NOT_LISTED: &[Fact] = &[
    Fact::Title,
    Fact::LaunchCommand,
    Fact::SourceUrl,
    Fact::Timezone,
];

/// All facts that at least one of the runs has, in the order of the document.
pub(super) fn rows(a: &Facts, b: &Facts) -> Vec<FactRow> {
    Fact::ALL
        .iter()
        .filter(|fact| !NOT_LISTED.contains(fact))
        .filter_map(|fact| {
            let (of_a, of_b) = (a.get(*fact), b.get(*fact));
            let state = match (of_a, of_b) {
                (None, None) => return None,
                (Some(_), None) => RowState::OnlyA,
                (None, Some(_)) => RowState::OnlyB,
                (Some(a), Some(b)) => pair(*fact, a, b),
            };
            Some(FactRow {
                fact: *fact,
                a: of_a.cloned(),
                b: of_b.cloned(),
                state,
            })
        })
        .collect()
}

fn pair(fact: Fact, a: &FactValue, b: &FactValue) -> RowState {
    let hidden = |value: &FactValue| matches!(value, FactValue::Text(text) if is_hidden(text));
    if hidden(a) || hidden(b) {
        return RowState::NotComparable;
    }
    let same = match (a, b) {
        (FactValue::Text(a), FactValue::Text(b)) => same_text(fact, a, b),
        _ => number(a) == number(b) && number(a).is_some(),
    };
    if same {
        RowState::Same
    } else {
        RowState::Changed
    }
}

pub(super) fn number(value: &FactValue) -> Option<f64> {
    match value {
        FactValue::Text(_) => None,
        FactValue::Count(n) => Some(*n as f64),
        FactValue::Number(x) => Some(*x),
    }
}

/// Texts are the same whatever their case and the blanks around them; versions also with a `v`,
/// commits also abbreviated, addresses also without their scheme, GPUs also without their vendor.
fn same_text(fact: Fact, a: &str, b: &str) -> bool {
    let (a, b) = (canonical_text(fact, a), canonical_text(fact, b));
    a == b || (fact == Fact::Commit && same_commit(&a, &b))
}

/// What all spellings of one value have in common; abbreviated commits stay as they are.
pub(super) fn canonical_text(fact: Fact, text: &str) -> String {
    let text = text.trim().to_lowercase();
    match fact {
        Fact::EngineVersion | Fact::ToolVersion => version(&text).to_owned(),
        Fact::Repository => address(&text).to_owned(),
        Fact::Gpu => NameKind::Hardware.key(&text),
        _ => text,
    }
}

/// Whether a text is a commit that may be an abbreviation of a longer one.
pub(super) fn is_hash(text: &str) -> bool {
    text.len() >= 7 && text.bytes().all(|c| c.is_ascii_hexdigit())
}

fn version(text: &str) -> &str {
    match text.strip_prefix('v') {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => rest,
        _ => text,
    }
}

fn same_commit(a: &str, b: &str) -> bool {
    a == b || (is_hash(a) && is_hash(b) && (a.starts_with(b) || b.starts_with(a)))
}

fn address(text: &str) -> &str {
    let text = text.strip_prefix("https://").unwrap_or(text);
    let text = text.strip_prefix("http://").unwrap_or(text);
    let text = text.trim_end_matches('/');
    text.strip_suffix(".git").unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(fact: Fact, a: &str, b: &str) -> RowState {
        pair(
            fact,
            &FactValue::Text(a.to_owned()),
            &FactValue::Text(b.to_owned()),
        )
    }

    #[test]
    fn spellings_of_one_value_are_the_same() {
        for (fact, a, b) in [
            (Fact::Gpu, "H200 SXM", "h200 sxm"),
            (Fact::EngineVersion, "v0.11.0", "0.11.0"),
            (Fact::Commit, "9c2d21046bb3", "9c2d21046"),
            (
                Fact::Repository,
                "https://github.com/vllm-project/vllm.git",
                "github.com/vllm-project/vllm/",
            ),
        ] {
            assert_eq!(state(fact, a, b), RowState::Same, "{a} {b}");
        }
        assert_eq!(
            state(Fact::EngineVersion, "vnext", "next"),
            RowState::Changed
        );
        assert_eq!(state(Fact::Commit, "9c2d21", "9c2d"), RowState::Changed);
        assert_eq!(state(Fact::Os, "<host>", "<host>"), RowState::NotComparable);
    }
}
