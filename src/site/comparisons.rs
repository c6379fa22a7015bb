//! Which runs are compared on a page of their own: those that someone asked for in
//! `content/compare/`, and each run with its nearest others.

use std::collections::BTreeSet;

use rayon::prelude::*;

use crate::compare::nearest::nearest;
use crate::compare::{Comparison, Subject};
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
        let mut pairs = nearest(&subjects, self.facts.nearest);
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
        drop(subjects);
        for (page, file) in written {
            prose_files.push((Page::Comparison(self.comparisons.len()), file));
            self.comparisons.push(page);
        }
        self.comparisons.extend(asked);
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
