//! Which pages exist, and where: the frozen value from which everything is rendered. Knows runs,
//! nothing of templates or bytes.

pub mod address;
mod claims;
pub mod comparisons;
pub mod facts;
pub mod kinds;
pub mod lists;
mod plan;
pub mod prose;
pub mod targets;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::content::LoadedRun;
use crate::diagnostic::{Code, Diagnostic, Place, nearest};
use crate::markdown::Outline;
use crate::run::key_figures::Derived;
use crate::run::time::MeasuredAt;
use crate::run::{Fact, Measurement, Run};

pub use address::{Address, Links};
pub use comparisons::{ComparisonPage, ControlledChange, ControlledPair};
pub use facts::{Outputs, SiteFacts};
pub use kinds::{Group, Kind};
pub use lists::PER_PAGE;
pub use prose::ProsePage;
pub use targets::{Dead, Goal, Text};

/// The file of the page for addresses that do not exist.
pub const NOT_FOUND: &str = "404.html";

/// Files of every site that are no pages of it. One in `static/` takes the place of the one that
/// would be made.
pub const GENERATED: &[&str] = &[
    NOT_FOUND,
    ".nojekyll",
    "favicon.svg",
    "feed.xml",
    "index.json",
    "llms.txt",
    "robots.txt",
    "runs.js",
    "sitemap.xml",
];

/// What the anchors of the author's notes begin with, so that they are none of the page's own.
pub const NOTES_PREFIX: &str = "note-";

/// A run with what was worked out from it, and where its page is.
#[derive(Clone, Debug)]
pub struct RunPage {
    /// The run, redacted and resolved.
    pub run: Run,
    /// What its figures say.
    pub derived: Derived,
    /// Its page.
    pub address: Address,
    /// The author's notes, where there are any.
    pub notes: Option<Text>,
    /// Its file as the user knows it.
    path: String,
    /// Its file and its sidecar, below `content/`.
    sources: Vec<String>,
    alias_places: Vec<Place>,
    notes_path: Option<String>,
    notes_line: usize,
}

/// A file that is copied as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// Its path below the output folder.
    pub path: String,
    /// Where to read it.
    pub disk: PathBuf,
    /// The file as the user knows it.
    pub shown: String,
}

/// A page that leads from an old address to the new one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// The folder that it is in.
    pub folder: Address,
    /// Its file in that folder.
    pub file: String,
    /// Where it leads.
    pub target: Page,
}

impl Redirect {
    /// From an alias: from slash to slash, or to the name of a file.
    fn new(alias: &str, target: Page) -> Self {
        let path = alias.trim_start_matches('/');
        let (folder, file) = match path.strip_suffix('/') {
            Some(folder) => (folder, "index.html"),
            None => path.rsplit_once('/').unwrap_or(("", path)),
        };
        Self {
            folder: Address::folder(folder),
            file: file.to_owned(),
            target,
        }
    }

    /// Its path below the output folder.
    pub fn path(&self) -> String {
        self.folder.file(&self.file)
    }
}

/// One page to render.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Page {
    /// `/`: all runs.
    Front,
    /// `/page/N/`: the page of this number with older runs, where there are too many for one.
    List(usize),
    /// `/runs/SLUG/`: the run at this place of [`Site::runs`].
    Run(usize),
    /// The page of prose at this place of [`Site::prose`].
    Prose(usize),
    /// `/models/`, `/hardware/`, `/engines/`: all runs, grouped.
    Kinds(Kind),
    /// `/compare/`: all comparisons.
    Comparisons,
    /// `/compare/A-vs-B/`, `/compare/NAME/`: the comparison at this place of
    /// [`Site::comparisons`].
    Comparison(usize),
    /// The redirect page at this place of [`Site::redirects`].
    Redirect(usize),
    /// `/404.html`.
    NotFound,
}

/// Links to anchors that only finished pages have: file of the page, file of the page linked to,
/// anchor → where the link is written.
pub type Awaited = BTreeMap<(String, String, String), Place>;

/// All pages and what they are made from.
#[derive(Clone, Debug)]
pub struct Site {
    /// What all pages share.
    pub facts: SiteFacts,
    /// All runs: newest first, undated last, then by title and slug.
    pub runs: Vec<RunPage>,
    /// The prose of the front page.
    pub front: Option<ProsePage>,
    /// Pages of prose, by title.
    pub prose: Vec<ProsePage>,
    /// All runs in the groups of each kind.
    pub kinds: BTreeMap<Kind, Vec<Group>>,
    /// The lowest and the highest total tok/s of all valid and queued cells of sustained decode.
    pub totals: Option<(f64, f64)>,
    /// Pages that compare runs: written ones by title, then the others, newest runs first.
    pub comparisons: Vec<ComparisonPage>,
    /// What changes of one thing do, over all pairs of setups that differ in nothing else.
    pub changes: Vec<ControlledChange>,
    /// At most how many such pairs are not among them, since too many setups differ in one thing.
    pub changes_not_listed: usize,
    /// Pages at old addresses.
    pub redirects: Vec<Redirect>,
    /// Images and PDFs of `content/`.
    pub assets: Vec<Copied>,
    /// What is in `static/`.
    pub statics: Vec<Copied>,
    /// What the user should know, though the site can be built.
    pub warnings: Vec<Diagnostic>,
    /// Anchors that prose and notes link to and that only finished pages have.
    pub awaited: Awaited,
    /// For each run the comparisons that it is part of.
    compared: Vec<Vec<usize>>,
    targets: targets::Targets,
    static_paths: BTreeSet<String>,
}

impl Site {
    /// Freezes a site of runs alone. Nothing is checked.
    pub fn new(facts: SiteFacts, runs: Vec<Run>) -> Self {
        let loaded = runs.into_iter().map(|run| LoadedRun {
            path: format!("content/{}", run.source.path),
            alias_places: vec![Place::default(); run.aliases.len()],
            run,
            private_names: Vec::new(),
            sidecar: None,
            notes_line: 0,
        });
        Self::of_runs(facts, loaded.collect())
    }

    /// The runs in order, with what is worked out from them.
    fn of_runs(facts: SiteFacts, runs: Vec<LoadedRun>) -> Self {
        use rayon::prelude::*;
        let noise = facts.noise;
        let mut runs: Vec<RunPage> = runs
            .into_par_iter()
            .map(|loaded| {
                let sources = plan::sources_of(&loaded);
                let run = loaded.run;
                RunPage {
                    derived: Derived::of(&run, &noise),
                    address: Address::run(&run.slug),
                    notes: run.notes_markdown.as_deref().map(|notes| Text {
                        outline: Outline::of(notes, NOTES_PREFIX, &[]),
                        // Links in a sidecar are seen from it, others from where the run was first.
                        source: match sources.last() {
                            Some(sidecar) if loaded.notes_line > 0 => sidecar.clone(),
                            _ => run.source.path.clone(),
                        },
                    }),
                    path: loaded.path,
                    sources,
                    alias_places: loaded.alias_places,
                    notes_path: loaded.sidecar,
                    notes_line: loaded.notes_line,
                    run,
                }
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
        let kinds = Kind::ALL
            .iter()
            .map(|kind| (*kind, kind.groups(&runs, &facts.names)))
            .collect();
        Self {
            facts,
            totals: totals(&runs),
            runs,
            kinds,
            front: None,
            prose: Vec::new(),
            comparisons: Vec::new(),
            changes: Vec::new(),
            changes_not_listed: 0,
            compared: Vec::new(),
            redirects: Vec::new(),
            assets: Vec::new(),
            statics: Vec::new(),
            warnings: Vec::new(),
            awaited: Awaited::new(),
            targets: targets::Targets::default(),
            static_paths: BTreeSet::new(),
        }
    }

    /// The pages to render, in the order of the site.
    pub fn pages(&self) -> Vec<Page> {
        let not_found = (!self.has_static(NOT_FOUND)).then_some(Page::NotFound);
        std::iter::once(Page::Front)
            .chain((1..=self.list_pages()).map(Page::List))
            .chain((0..self.runs.len()).map(Page::Run))
            .chain((0..self.prose.len()).map(Page::Prose))
            .chain(Kind::ALL.iter().copied().map(Page::Kinds))
            .chain((!self.comparisons.is_empty()).then_some(Page::Comparisons))
            .chain((0..self.comparisons.len()).map(Page::Comparison))
            .chain((0..self.redirects.len()).map(Page::Redirect))
            .chain(not_found)
            .collect()
    }

    /// Where a page is; the front page for what does not exist.
    pub fn address(&self, page: Page) -> Address {
        let address = match page {
            Page::Front | Page::NotFound => None,
            Page::List(page) => Some(lists::address(page)),
            Page::Run(at) => self.runs.get(at).map(|run| run.address.clone()),
            Page::Prose(at) => self.prose.get(at).map(|prose| prose.address.clone()),
            Page::Kinds(kind) => Some(kind.address()),
            Page::Comparisons => Some(Address::folder(comparisons::FOLDER)),
            Page::Comparison(at) => self.comparisons.get(at).map(|page| page.address.clone()),
            Page::Redirect(at) => self.redirects.get(at).map(|r| r.folder.clone()),
        };
        address.unwrap_or_default()
    }

    /// The author's text on a page, where there is one.
    pub fn text(&self, page: Page) -> Option<&Text> {
        match page {
            Page::Front => self.front.as_ref().map(|page| &page.text),
            Page::Run(at) => self.runs.get(at)?.notes.as_ref(),
            Page::Prose(at) => self.prose.get(at).map(|page| &page.text),
            Page::Comparison(at) => {
                let written = self.comparisons.get(at)?.written.as_ref();
                written.map(|page| &page.text)
            }
            Page::List(_)
            | Page::Kinds(_)
            | Page::Comparisons
            | Page::Redirect(_)
            | Page::NotFound => None,
        }
    }

    /// Whether `static/` has a file at this path below the output folder; it goes before one that
    /// would be made.
    pub fn has_static(&self, path: &str) -> bool {
        self.static_paths.contains(path)
    }

    /// The run with this slug.
    ///
    /// # Errors
    /// There is none; told of at the place where the slug is written.
    pub fn run_with_slug(&self, slug: &str, place: &Place) -> Result<usize, Diagnostic> {
        let slugs = || self.runs.iter().map(|page| page.run.slug.as_str());
        slugs().position(|known| known == slug).ok_or_else(|| {
            let problem = Diagnostic::new(
                Code::UnknownSlug,
                place.clone(),
                format!("there is no run \"{slug}\""),
            );
            match nearest(slug, slugs()) {
                Some(near) => problem.help(format!("did you mean \"{near}\"?")),
                None => problem.help("name a run by its address below /runs/"),
            }
        })
    }
}

/// The lowest and the highest total tok/s of the cells that have one and count.
fn totals(runs: &[RunPage]) -> Option<(f64, f64)> {
    let cells = runs.iter().flat_map(|page| &page.run.decode);
    let counted = cells.filter_map(Measurement::counted_total);
    counted.fold(None, |range, value| match range {
        Some((least, most)) => Some((value.min(least), value.max(most))),
        None => Some((value, value)),
    })
}

/// When a run was measured, if that is known.
pub fn measured(run: &Run) -> Option<MeasuredAt> {
    MeasuredAt::parse(run.facts.text(Fact::MeasuredAt)?).ok()
}
