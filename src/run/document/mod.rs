//! `run.json`: writing a run as `speedbook.run/1`, the schema of that document, and the keys that
//! writer, reader ([`crate::import::speedbook_run`]) and schema share.
//!
//! Facts, sections and metrics come from their own tables; only what is no fact and no figure is
//! named here.

mod schema;
mod write;

pub use schema::schema;
pub(crate) use schema::{fact_schema, metric_schema, step_schema};
pub use write::to_json;
pub(crate) use write::{fact_value, put_figure};

use super::fact::{Fact, Section};
use super::metric::Metric;
use super::{Phase, RUN_SCHEMA};

/// What is added to a figure's key for the step that it was rounded to.
pub const STEP: &str = "_step";

/// Top-level keys that are no facts, sections or lists of measurements.
const TOP_KEYS: &[&str] = &[
    "schema",
    "slug",
    "tags",
    "complete",
    "ranked",
    "draft",
    "aliases",
    "notes",
    "notes_markdown",
    "source",
    "derived",
];

/// Top-level keys without which a document is none.
pub const REQUIRED_KEYS: &[&str] = &["schema", "slug", "title", "prefill", "decode"];

/// Keys of a measurement that are no figures.
const CELL_KEYS: &[&str] = &[
    "context_label",
    "context_tokens",
    "context_tokens_derived",
    "concurrency",
    "status",
    "status_text",
    "reason",
    "method",
    "token_source",
];

/// Keys of `source`.
pub const SOURCE_KEYS: &[&str] = &["path", "format", "sha256"];

/// The keys that an object of the document may have in this version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The document itself.
    Top,
    /// A table of facts.
    Facts(Section),
    /// A measurement.
    Cell,
    /// `source`.
    Source,
}

impl Place {
    /// Whether this version knows the key there.
    pub fn knows(self, key: &str) -> bool {
        match self {
            Place::Top => {
                TOP_KEYS.contains(&key)
                    || Fact::from_key(Section::Top, key).is_some()
                    || section(key).is_some()
                    || phase(key).is_some()
            }
            Place::Facts(section) => Fact::from_key(section, key).is_some(),
            Place::Cell => {
                CELL_KEYS.contains(&key)
                    || Metric::from_key(key.strip_suffix(STEP).unwrap_or(key)).is_some()
            }
            Place::Source => SOURCE_KEYS.contains(&key),
        }
    }

    /// All keys that this version knows there, for suggestions.
    pub fn keys(self) -> Vec<&'static str> {
        let facts = |section: Section| {
            Fact::ALL
                .iter()
                .map(|fact| fact.info())
                .filter(move |info| info.section == section)
                .map(|info| info.key)
        };
        match self {
            Place::Top => TOP_KEYS
                .iter()
                .copied()
                .chain(facts(Section::Top))
                .chain(Section::ALL.iter().map(|s| s.key()))
                .chain(Phase::ALL.iter().map(|p| p.key()))
                .filter(|key| !key.is_empty())
                .collect(),
            Place::Facts(section) => facts(section).collect(),
            Place::Cell => CELL_KEYS
                .iter()
                .copied()
                .chain(Metric::ALL.iter().map(|m| m.info().key))
                .collect(),
            Place::Source => SOURCE_KEYS.to_vec(),
        }
    }
}

/// The table of facts with this key.
pub fn section(key: &str) -> Option<Section> {
    Section::ALL
        .iter()
        .copied()
        .find(|s| *s != Section::Top && s.key() == key)
}

/// The list of measurements with this key.
pub fn phase(key: &str) -> Option<Phase> {
    Phase::ALL.iter().copied().find(|p| p.key() == key)
}

/// The name of the schema without its version: `speedbook.run/`.
pub fn family() -> &'static str {
    RUN_SCHEMA.trim_end_matches(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_means_two_things() {
        for place in [
            Place::Top,
            Place::Facts(Section::Method),
            Place::Cell,
            Place::Source,
        ] {
            let mut keys = place.keys();
            assert!(keys.iter().all(|key| place.knows(key)));
            keys.sort_unstable();
            let count = keys.len();
            keys.dedup();
            assert_eq!(keys.len(), count, "{place:?}");
        }
        assert!(
            Metric::ALL.iter().all(|m| !m.info().key.ends_with(STEP)),
            "a metric's key would read as another's step"
        );
        assert_eq!(family(), "speedbook.run/");
    }
}
