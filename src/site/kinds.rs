//! Runs grouped by what they have in common: model, hardware, engine.

use std::collections::BTreeMap;

use crate::markdown::Slugs;
use crate::run::{Fact, Run};

use super::{Address, RunPage};

/// What runs are grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// By model.
    Models,
    /// By GPU, else by what else it ran on.
    Hardware,
    /// By engine.
    Engines,
}

/// Runs of one model, one hardware, one engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The name; `None` for the runs of which it is not known.
    pub name: Option<String>,
    /// The anchor of the group on its page.
    pub anchor: String,
    /// Places in [`super::Site::runs`], in that order.
    pub runs: Vec<usize>,
}

impl Kind {
    /// All kinds, in the order of the navigation.
    pub const ALL: &'static [Kind] = &[Kind::Models, Kind::Hardware, Kind::Engines];

    /// The title of its page.
    pub fn title(self) -> &'static str {
        match self {
            Kind::Models => "Models",
            Kind::Hardware => "Hardware",
            Kind::Engines => "Engines",
        }
    }

    /// One of them, for sentences.
    pub fn one(self) -> &'static str {
        match self {
            Kind::Models => "model",
            Kind::Hardware => "hardware",
            Kind::Engines => "engine",
        }
    }

    /// The page of the list.
    pub fn address(self) -> Address {
        Address::folder(match self {
            Kind::Models => "models",
            Kind::Hardware => "hardware",
            Kind::Engines => "engines",
        })
    }

    /// What a run is grouped by, if that is known; `names` are other spellings with the name that
    /// is meant.
    pub fn name_of(self, run: &Run, names: &BTreeMap<String, String>) -> Option<String> {
        let text = |fact| run.facts.text(fact);
        let last_part = |id: &str| {
            let last = id.rsplit('/').find(|part| !part.is_empty());
            last.map(str::to_owned)
        };
        let name = match self {
            Kind::Models => text(Fact::ModelName)
                .map(str::to_owned)
                .or_else(|| text(Fact::ModelId).and_then(last_part))
                .or_else(|| text(Fact::ServedName).map(str::to_owned)),
            Kind::Hardware => text(Fact::Gpu)
                .or_else(|| text(Fact::Cpu))
                .or_else(|| text(Fact::HardwareType))
                .map(str::to_owned),
            Kind::Engines => text(Fact::EngineName).map(str::to_owned),
        }?;
        Some(names.get(&name).cloned().unwrap_or(name))
    }

    /// The groups of all runs: by name, those without one last.
    pub(super) fn groups(self, runs: &[RunPage], names: &BTreeMap<String, String>) -> Vec<Group> {
        // Spellings that differ by case only are one group, under the first of its runs.
        let mut by_key: BTreeMap<(bool, String), (Option<String>, Vec<usize>)> = BTreeMap::new();
        for (at, page) in runs.iter().enumerate() {
            let name = self.name_of(&page.run, names);
            let key = (
                name.is_none(),
                name.as_deref().unwrap_or_default().to_lowercase(),
            );
            by_key
                .entry(key)
                .or_insert_with(|| (name, Vec::new()))
                .1
                .push(at);
        }
        let mut slugs = Slugs::without(&["main"]);
        by_key
            .into_values()
            .map(|(name, runs)| Group {
                anchor: slugs.next(name.as_deref().unwrap_or("Not given")),
                name,
                runs,
            })
            .collect()
    }
}
