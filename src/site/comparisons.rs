//! Which runs are compared on a page of their own: those that someone asked for in
//! `content/compare/`, and each run with its nearest others.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::compare::controlled::{ControlledPairs, Effect};
use crate::compare::nearest::nearest;
use crate::compare::setups::{Setup, Setups};
use crate::compare::{Comparison, Subject, Summary};
use crate::content::ComparisonFile;
use crate::diagnostic::{Code, Diagnostic};

use super::{Address, NOTES_PREFIX, Page, ProsePage, RunPage, Site, prose};

/// The folder of all comparisons.
pub const FOLDER: &str = "compare";

/// A page that compares runs.
#[derive(Clone, Debug)]
pub struct ComparisonPage {
    /// Its page.
    pub address: Address,
    /// Places in [`Site::runs`], at least two; each of the others is measured by the first.
    pub runs: Vec<usize>,
    /// Its title: the author's, or the result in a sentence.
    pub title: String,
    /// How far its first two runs are like for like, as a key of
    /// [`Verdict`](crate::compare::Verdict).
    pub verdict: &'static str,
    /// The author's text; nothing where nobody asked for the page.
    pub written: Option<ProsePage>,
}

/// What a change of one thing does, over all pairs of setups that differ in nothing else.
#[derive(Clone, Debug, PartialEq)]
pub struct ControlledChange {
    /// The change: "speculative tokens 2 → 3".
    pub words: String,
    /// Its effect on total tok/s; `None` where no pair shares a valid cell.
    pub effect: Option<Effect>,
    /// Its pairs.
    pub pairs: Vec<ControlledPair>,
}

/// Two setups that differ in one thing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ControlledPair {
    /// The newest run of the setup with the value before, as a place in [`Site::runs`].
    pub from: usize,
    /// The same of the setup with the value after.
    pub to: usize,
    /// The page that compares them, as a place in [`Site::comparisons`].
    pub page: Option<usize>,
    /// The ratios of total tok/s over their shared valid cells.
    pub effect: Summary,
}

/// The address of the comparison of two runs: `/` in their slugs is written `--`.
fn address(a: &RunPage, b: &RunPage) -> Address {
    let part = |page: &RunPage| page.run.slug.replace('/', "--");
    Address::folder(&format!("{FOLDER}/{}-vs-{}", part(a), part(b)))
}

impl Site {
    /// Plans all comparisons: written ones by title, then the others, newest runs first. Returns the
    /// files of the written ones with their pages.
    pub(super) fn plan_comparisons(
        &mut self,
        files: Vec<ComparisonFile>,
        drafts: &BTreeSet<String>,
        problems: &mut Vec<Diagnostic>,
    ) -> Vec<(Page, crate::content::ProseFile)> {
        let mut prose_files = Vec::new();
        if !self.facts.outputs.comparisons {
            return prose_files;
        }
        let subjects: Vec<Subject> = self.runs.par_iter().map(|p| Subject::of(&p.run)).collect();
        let noise = self.facts.noise;
        // The title and the verdict of a comparison; everything else is worked out for its page.
        let result = |a: usize, b: usize| {
            let (a, b) = (subjects.get(a)?, subjects.get(b)?);
            let comparison = Comparison::of(a, b, &noise);
            Some((comparison.title(), comparison.verdict.key()))
        };
        let mut written = Vec::new();
        for file in files {
            let page = self.written(&file, drafts, problems);
            if let Some((address, runs)) = page
                && let [a, b, ..] = runs.as_slice()
                && let Some((title, verdict)) = result(*a, *b)
            {
                let mut prose = ProsePage::of(&file.prose, address.clone(), "", NOTES_PREFIX);
                // A text without a title of its own has the result for its title, where there is
                // one result.
                if file.prose.title.is_none() && !prose.title_in_text {
                    prose.title = match runs.len() {
                        2 => title,
                        n => format!("{} runs against {}", n - 1, self.title_of(*a)),
                    };
                }
                let page = ComparisonPage {
                    address,
                    title: prose.title.clone(),
                    verdict,
                    runs,
                    written: Some(prose),
                };
                written.push((page, file.prose));
            }
        }
        written.sort_by_cached_key(|(page, file)| (page.title.to_lowercase(), file.path.clone()));
        let setups = Setups::of(&subjects, &noise);
        let controlled = ControlledPairs::of(&setups);
        let mut pairs: BTreeSet<(usize, usize)> =
            nearest(&subjects, self.facts.nearest).into_iter().collect();
        pairs.extend(controlled.pairs().filter_map(|pair| pair.page));
        let mut pairs: Vec<(usize, usize)> = pairs.into_iter().collect();
        pairs.sort_unstable_by_key(|(a, b)| (*a.min(b), *a.max(b)));
        let asked: Vec<ComparisonPage> = pairs
            .into_par_iter()
            .filter_map(|(a, b)| {
                let (title, verdict) = result(a, b)?;
                Some(ComparisonPage {
                    address: address(self.runs.get(a)?, self.runs.get(b)?),
                    runs: vec![a, b],
                    title,
                    verdict,
                    written: None,
                })
            })
            .collect();
        let newest = |setup: usize| setups.all().get(setup).map(Setup::newest);
        let changes: Vec<ControlledChange> = controlled
            .groups
            .iter()
            .map(|group| ControlledChange {
                words: group.change.words(),
                effect: group.effect,
                pairs: group
                    .pairs
                    .iter()
                    .filter_map(|pair| {
                        Some(ControlledPair {
                            from: newest(pair.from)?,
                            to: newest(pair.to)?,
                            page: None,
                            effect: pair.effect,
                        })
                    })
                    .collect(),
            })
            .collect();
        let not_listed = controlled.not_listed;
        drop(setups);
        drop(subjects);
        for (page, file) in written {
            prose_files.push((Page::Comparison(self.comparisons.len()), file));
            self.comparisons.push(page);
        }
        self.comparisons.extend(asked);
        let made: BTreeMap<(usize, usize), usize> = self
            .comparisons
            .iter()
            .enumerate()
            .filter(|(_, page)| page.written.is_none())
            .filter_map(|(at, page)| match page.runs.as_slice() {
                [a, b] => Some(((*a.min(b), *a.max(b)), at)),
                _ => None,
            })
            .collect();
        self.changes = changes;
        self.changes_not_listed = not_listed;
        for pair in self.changes.iter_mut().flat_map(|c| &mut c.pairs) {
            let ends = (pair.from.min(pair.to), pair.from.max(pair.to));
            pair.page = made.get(&ends).copied();
        }
        self.compared = vec![Vec::new(); self.runs.len()];
        for (at, page) in self.comparisons.iter().enumerate() {
            for run in &page.runs {
                if let Some(list) = self.compared.get_mut(*run) {
                    list.push(at);
                }
            }
        }
        prose_files
    }

    /// Where a written comparison is, and its runs.
    fn written(
        &self,
        file: &ComparisonFile,
        drafts: &BTreeSet<String>,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<(Address, Vec<usize>)> {
        let address = prose::planned_address(&file.prose, problems);
        let mut runs = Vec::new();
        for (slug, place) in &file.runs {
            match self.run_with_slug(slug, place) {
                Ok(run) => runs.push(run),
                Err(_) if drafts.contains(slug) => {
                    let message = format!("the run \"{slug}\" is a draft");
                    let problem = Diagnostic::new(Code::UnknownSlug, place.clone(), message);
                    problems
                        .push(problem.help(
                            "publish it, make this page a draft too, or build with --drafts",
                        ));
                }
                Err(problem) => problems.push(problem),
            }
        }
        (runs.len() == file.runs.len())
            .then_some(address?)
            .map(|address| (address, runs))
    }

    fn title_of(&self, run: usize) -> &str {
        self.runs.get(run).map_or("", |page| page.run.title())
    }

    /// The comparisons that a run is part of, as places in [`Site::comparisons`].
    pub fn comparisons_of(&self, run: usize) -> &[usize] {
        self.compared.get(run).map_or(&[], Vec::as_slice)
    }
}
