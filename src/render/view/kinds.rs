//! The view of a list of kinds: all runs in groups, by model, hardware or engine.

use schemars::JsonSchema;
use serde::Serialize;

use super::index::{ThumbnailLegend, legend, runs_table};
use super::table::Table;
use super::thumbnail::site_scale;
use super::{PageView, counted};
use crate::site::{Group, Kind, Page, Site};

/// A list of kinds.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct KindsView {
    /// What every page has.
    pub page: PageView,
    /// The title: "Models".
    pub title: &'static str,
    /// "3 models, 6 runs"; empty where there is no run.
    pub count: String,
    /// The groups.
    pub groups: Vec<GroupView>,
    /// How the pictures of the matrices are read; nothing where there is none.
    pub legend: Option<ThumbnailLegend>,
}

/// Runs of one kind.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GroupView {
    /// Its name.
    pub name: String,
    /// Its anchor.
    pub anchor: String,
    /// "2 runs".
    pub count: String,
    /// Its runs.
    pub runs: Table,
}

/// Makes the view of a list of kinds.
pub fn kinds_view(site: &Site, kind: Kind) -> KindsView {
    let groups = site.kinds.get(&kind).map_or(&[][..], Vec::as_slice);
    let named = groups.iter().filter(|group| group.name.is_some()).count();
    let (one, many) = match kind {
        Kind::Models => ("model", "models"),
        Kind::Hardware => ("kind of hardware", "kinds of hardware"),
        Kind::Engines => ("engine", "engines"),
    };
    let count = match site.runs.len() {
        0 => String::new(),
        n => format!(
            "{}, {}",
            counted(named, one, many),
            counted(n, "run", "runs")
        ),
    };
    let description = match count.as_str() {
        "" => String::new(),
        count => format!("{}: {count}.", kind.title()),
    };
    KindsView {
        page: PageView::new(site, Page::Kinds(kind), kind.title(), description),
        title: kind.title(),
        legend: legend(site.runs.iter(), site_scale(site).as_ref()),
        groups: groups
            .iter()
            .map(|group| group_view(site, kind, group))
            .collect(),
        count,
    }
}

fn group_view(site: &Site, kind: Kind, group: &Group) -> GroupView {
    let links = site.facts.links_from(&kind.address());
    let name = match &group.name {
        Some(name) => name.clone(),
        None => "Not given".to_owned(),
    };
    let runs = group.runs.iter().filter_map(|at| site.runs.get(*at));
    let caption = match &group.name {
        Some(name) => format!("Runs of {name}, newest first."),
        None => format!("Runs of which the {} is not known.", kind.one()),
    };
    let (table, _) = runs_table(site, caption, runs, &links);
    GroupView {
        anchor: group.anchor.clone(),
        count: counted(group.runs.len(), "run", "runs"),
        runs: table.unwrap_or_default(),
        name,
    }
}
