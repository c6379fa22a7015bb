//! Runs grouped by what they have in common: model, hardware, engine.

use std::collections::BTreeMap;

use crate::markdown::Slugs;
use crate::run::names::{Name, NameKind, Names, preferred};
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

    /// Whose names it groups by.
    pub fn names(self) -> NameKind {
        match self {
            Kind::Models => NameKind::Model,
            Kind::Hardware => NameKind::Hardware,
            Kind::Engines => NameKind::Engine,
        }
    }

    /// What a run is grouped by, if that is known.
    pub fn name(self, run: &Run, names: &Names) -> Option<Name> {
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
        Some(names.name(self.names(), &name))
    }

    /// [`Kind::name`] as it is shown.
    pub fn name_of(self, run: &Run, names: &Names) -> Option<String> {
        self.name(run, names).map(|name| name.shown)
    }

    /// The groups of all runs: by name, those without one last. Spellings of one name are one
    /// group, under the spelling used most ([`preferred`]).
    pub(super) fn groups(self, runs: &[RunPage], names: &Names) -> Vec<Group> {
        let mut by_key: BTreeMap<(bool, String), (Vec<String>, Vec<usize>)> = BTreeMap::new();
        for (at, page) in runs.iter().enumerate() {
            let name = self.name(&page.run, names);
            let key = match &name {
                Some(name) => (false, name.key.clone()),
                None => (true, String::new()),
            };
            let entry = by_key.entry(key).or_default();
            entry.0.extend(name.map(|name| name.shown));
            entry.1.push(at);
        }
        let mut slugs = Slugs::without(&["main"]);
        by_key
            .into_values()
            .map(|(spellings, runs)| {
                let name = preferred(spellings.iter().map(String::as_str)).map(str::to_owned);
                Group {
                    anchor: slugs.next(name.as_deref().unwrap_or("Not given")),
                    name,
                    runs,
                }
            })
            .collect()
    }
}
