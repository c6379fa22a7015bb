//! Which pages exist, and where: the frozen value from which everything is rendered. Knows runs,
//! nothing of templates or bytes.

pub mod address;

use std::cmp::Reverse;

use crate::config::BaseUrl;
use crate::run::audit::Noise;
use crate::run::key_figures::Derived;
use crate::run::time::MeasuredAt;
use crate::run::{Fact, Run};

pub use address::Address;

/// What the pages need to know of the whole site.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SiteFacts {
    /// Its name.
    pub title: String,
    /// A sentence or two about it, for the front page.
    pub description: String,
    /// Where it will be published, for the places where a standard asks for absolute addresses.
    pub base_url: Option<BaseUrl>,
    /// Who publishes it.
    pub author: String,
    /// Under which license.
    pub license: String,
    /// Where its sources are.
    pub repository: String,
    /// Whether links name `index.html`, so that the site opens from a disk.
    pub portable: bool,
    /// Noise bands of its comparisons and audits.
    pub noise: Noise,
    /// Which outputs are wanted.
    pub outputs: Outputs,
}

/// Which outputs a run page has beside its HTML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outputs {
    /// `index.md`
    pub markdown: bool,
    /// `run.json`
    pub json: bool,
    /// `measurements.csv`
    pub csv: bool,
}

impl Default for Outputs {
    fn default() -> Self {
        Self {
            markdown: true,
            json: true,
            csv: true,
        }
    }
}

/// A run with what was worked out from it, and where its page is.
#[derive(Clone, Debug)]
pub struct RunPage {
    /// The run, redacted and resolved.
    pub run: Run,
    /// What its figures say.
    pub derived: Derived,
    /// Its page.
    pub address: Address,
}

/// One page to render.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// `/`: all runs.
    Front,
    /// `/runs/SLUG/`: the run at this place of [`Site::runs`].
    Run(usize),
}

/// All pages and what they are made from.
#[derive(Clone, Debug)]
pub struct Site {
    /// What all pages share.
    pub facts: SiteFacts,
    /// All runs: newest first, undated last, then by title and slug.
    pub runs: Vec<RunPage>,
}

impl Site {
    /// Freezes the site. Slugs are expected to be checked ([`crate::content`]).
    pub fn new(facts: SiteFacts, runs: Vec<Run>) -> Self {
        use rayon::prelude::*;
        let noise = facts.noise;
        let mut runs: Vec<RunPage> = runs
            .into_par_iter()
            .map(|run| RunPage {
                derived: Derived::of(&run, &noise),
                address: Address::run(&run.slug),
                run,
            })
            .collect();
        runs.sort_by_cached_key(|page| {
            let run = &page.run;
            (
                Reverse(measured(run).map(MeasuredAt::sort_key)),
                run.title().to_lowercase(),
                run.slug.clone(),
            )
        });
        Self { facts, runs }
    }

    /// The pages to render, in the order of the site.
    pub fn pages(&self) -> Vec<Page> {
        std::iter::once(Page::Front)
            .chain((0..self.runs.len()).map(Page::Run))
            .collect()
    }
}

/// When a run was measured, if that is known.
pub fn measured(run: &Run) -> Option<MeasuredAt> {
    MeasuredAt::parse(run.facts.text(Fact::MeasuredAt)?).ok()
}
