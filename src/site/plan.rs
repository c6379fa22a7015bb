//! Content → the frozen site, or everything that is wrong with its addresses and links.

use std::collections::BTreeSet;

use crate::content::sidecar::{alias, bad_alias};
use crate::content::walk::FoundFile;
use crate::content::{Content, LoadedRun, ProseFile};
use crate::diagnostic::{Code, Diagnostic, Place, sorted};
use crate::markdown::links;

use super::claims::{Claim, Claims};
use super::prose::{self, ProsePage};
use super::targets::{self, Dead, Goal, Targets};
use super::{
    Address, Awaited, Copied, GENERATED, Kind, Page, Redirect, RunPage, Site, SiteFacts, Text,
};

/// A text whose links are to be checked: where it stands, and where it was written.
struct Written<'a> {
    page: Page,
    text: &'a Text,
    markdown: &'a str,
    path: &'a str,
    /// The line of the file in which it begins; 0 where it stands in a file that nobody wrote.
    line: usize,
}

impl Site {
    /// Freezes the site: all pages, their addresses, sources and links. Drafts are part of it only
    /// if they are asked for.
    ///
    /// # Errors
    /// Outputs that want one address, aliases that are wrong, links in prose and notes that lead
    /// nowhere: all of them.
    pub fn plan(facts: SiteFacts, content: Content, drafts: bool) -> Result<Self, Vec<Diagnostic>> {
        let Content {
            runs,
            prose,
            comparisons,
            assets,
            statics,
            ..
        } = content;
        let (runs, draft_runs): (Vec<LoadedRun>, Vec<LoadedRun>) =
            runs.into_iter().partition(|run| drafts || !run.run.draft);
        let (prose, draft_prose): (Vec<ProseFile>, Vec<ProseFile>) =
            prose.into_iter().partition(|file| drafts || !file.draft);
        let (comparisons, draft_comparisons): (Vec<_>, Vec<_>) = comparisons
            .into_iter()
            .partition(|file| drafts || !file.prose.draft);

        let mut problems = Vec::new();
        let mut site = Self::of_runs(facts, runs);
        let mut files: Vec<(ProseFile, ProsePage)> = Vec::new();
        for file in prose {
            if let Some(address) = prose::planned_address(&file, &mut problems) {
                let page = ProsePage::of(&file, address, &site.facts.title, "");
                files.push((file, page));
            }
        }
        files.sort_by_cached_key(|(file, page)| (page.title.to_lowercase(), file.path.clone()));
        let mut prose_files = Vec::new();
        for (file, page) in files {
            if page.address == Address::front() {
                site.front = Some(page);
                prose_files.insert(0, (Page::Front, file));
            } else {
                prose_files.push((Page::Prose(site.prose.len()), file));
                site.prose.push(page);
            }
        }
        let slugs = draft_runs.iter().map(|run| run.run.slug.clone()).collect();
        prose_files.extend(site.plan_comparisons(comparisons, &slugs, &mut problems));
        site.assets = copied(assets);
        site.statics = copied(statics);
        site.static_paths = site.statics.iter().map(|file| file.path.clone()).collect();

        let mut redirects = Vec::new();
        problems.extend(site.claims(&prose_files, &mut redirects).clashes());
        for redirect in redirects {
            match redirect {
                Ok(redirect) => site.redirects.push(redirect),
                Err(problem) => problems.push(problem),
            }
        }
        site.targets = site.all_targets(&prose_files);
        let drafts = draft_runs.iter().flat_map(sources_of);
        site.targets.drafts = drafts
            .chain(draft_prose.iter().map(|file| file.path.clone()))
            .chain(draft_comparisons.iter().map(|file| file.prose.path.clone()))
            .collect();
        let (dead, awaited) = site.check_links(&prose_files);
        problems.extend(dead);
        site.awaited = awaited;

        let (errors, warnings) = sorted(problems)
            .into_iter()
            .partition::<Vec<_>, _>(|p| p.severity() == crate::diagnostic::Severity::Error);
        if errors.is_empty() {
            site.warnings = warnings;
            Ok(site)
        } else {
            Err(errors.into_iter().chain(warnings).collect())
        }
    }

    /// Everything that wants a path, and the redirect pages of all aliases.
    fn claims(
        &self,
        prose: &[(Page, ProseFile)],
        redirects: &mut Vec<Result<Redirect, Diagnostic>>,
    ) -> Claims {
        let mut claims = Claims::default();
        let page = |claims: &mut Claims, what, place, address: &Address, files: &[&str]| {
            claims.add(Claim {
                place,
                what,
                address: address.to_string(),
                files: files.iter().map(|file| address.file(file)).collect(),
            });
        };
        const HTML: &[&str] = &["index.html", "index.md"];
        const LIST: &[&str] = &["index.html", "index.md", "index.json"];
        const COMPARISON: &[&str] = &["index.html", "index.md", "comparison.json"];
        const RUN: &[&str] = &["index.html", "index.md", "run.json", "measurements.csv"];
        let front = prose.iter().find(|(page, _)| *page == Page::Front);
        let front_place = front.map_or_else(|| Place::file("/"), |(_, f)| Place::file(&f.shown));
        page(
            &mut claims,
            "the front page",
            front_place,
            &Address::front(),
            HTML,
        );
        for kind in Kind::ALL {
            let address = kind.address();
            let place = Place::file(address.to_string());
            page(&mut claims, "a list of runs", place, &address, HTML);
        }
        for number in 1..=self.list_pages() {
            let address = self.address(Page::List(number));
            let place = Place::file(address.to_string());
            page(&mut claims, "a list of runs", place, &address, HTML);
        }
        if !self.comparisons.is_empty() {
            let address = self.address(Page::Comparisons);
            let place = Place::file(address.to_string());
            page(
                &mut claims,
                "the list of comparisons",
                place,
                &address,
                LIST,
            );
        }
        // Where two runs have one address, so have their comparisons; that is told once.
        let slugs: BTreeSet<String> = self
            .runs
            .iter()
            .map(|r| r.run.slug.to_lowercase())
            .collect();
        let made = self.comparisons.iter().filter(|c| c.written.is_none());
        for comparison in made.filter(|_| slugs.len() == self.runs.len()) {
            let address = &comparison.address;
            let runs = comparison.runs.iter().filter_map(|at| self.runs.get(*at));
            // Two of one address have a run with `/` or `--` in its slug on one side.
            let odd = |run: &&RunPage| run.run.slug.contains('/') || run.run.slug.contains("--");
            let run = runs.clone().find(odd).or_else(|| runs.clone().next());
            let place = Place::file(run.map_or("", |run| &run.path));
            page(
                &mut claims,
                "a run's comparison",
                place,
                address,
                COMPARISON,
            );
        }
        let mut aliases: Vec<(&str, Place, Page)> = Vec::new();
        for (at, run) in self.runs.iter().enumerate() {
            // Without a slug there is another problem already.
            if run.run.slug.is_empty() {
                continue;
            }
            let place = Place::file(&run.path);
            page(&mut claims, "a run", place, &run.address, RUN);
            let places = run.alias_places.iter().cloned();
            let names = run.run.aliases.iter().map(String::as_str);
            aliases.extend(
                names
                    .zip(places)
                    .map(|(a, place)| (a, place, Page::Run(at))),
            );
        }
        for (at, file) in prose {
            let (what, files) = match at {
                Page::Prose(_) => ("a page", HTML),
                Page::Comparison(_) => ("a comparison", COMPARISON),
                _ => ("", &[][..]),
            };
            if !files.is_empty() {
                let (place, address) = (Place::file(&file.shown), self.address(*at));
                page(&mut claims, what, place, &address, files);
            }
            let names = file.aliases.iter();
            aliases.extend(names.map(|(alias, place)| (alias.as_str(), place.clone(), *at)));
        }
        for (what, files) in [
            ("an image or a PDF", &self.assets),
            ("a static file", &self.statics),
        ] {
            for file in files {
                claims.add(Claim {
                    place: Place::file(&file.shown),
                    what,
                    address: match file.path.strip_suffix("index.html") {
                        Some(folder) if folder.is_empty() || folder.ends_with('/') => {
                            format!("/{folder}")
                        }
                        _ => format!("/{}", file.path),
                    },
                    files: vec![file.path.clone()],
                });
            }
        }
        for name in GENERATED.iter().filter(|name| !self.has_static(name)) {
            claims.add(Claim {
                place: Place::file(format!("/{name}")),
                what: "a file of every site",
                address: format!("/{name}"),
                files: vec![(*name).to_owned()],
            });
        }
        for (text, place, target) in aliases {
            // Those of sidecars are checked; those of run.json are not.
            match alias(text) {
                Ok(alias) => {
                    let redirect = Redirect::new(&alias, target);
                    claims.alias(&alias, place, redirect.path());
                    redirects.push(Ok(redirect));
                }
                Err(what) => redirects.push(Err(bad_alias(text, &what, &place))),
            }
        }
        claims
    }

    fn all_targets(&self, prose: &[(Page, ProseFile)]) -> Targets {
        use targets::Place as At;
        let mut targets = Targets::default();
        let folder = |address: &Address| match address.path() {
            "" => String::new(),
            path => format!("{path}/"),
        };
        for (at, file) in prose {
            targets.sources.insert(file.path.clone(), At::Page(*at));
        }
        for page in self.pages() {
            if !matches!(page, Page::Redirect(_) | Page::NotFound) {
                targets
                    .paths
                    .insert(folder(&self.address(page)), At::Page(page));
            }
        }
        let outputs = self.facts.outputs;
        for (at, run) in self.runs.iter().enumerate() {
            for (on, name) in [
                (outputs.json, "run.json"),
                (outputs.csv, "measurements.csv"),
            ] {
                if on {
                    let path = run.address.file(name);
                    targets.paths.insert(path.clone(), At::File(path));
                }
            }
            for source in &run.sources {
                targets
                    .sources
                    .insert(source.clone(), At::Page(Page::Run(at)));
            }
        }
        // Where a published run came from, unless a file is there.
        for (at, run) in self.runs.iter().enumerate() {
            let source = run.run.source.path.clone();
            if !source.is_empty() {
                let page = At::Page(Page::Run(at));
                targets.sources.entry(source).or_insert(page);
            }
        }
        for file in &self.assets {
            let at = At::File(file.path.clone());
            targets.sources.insert(file.path.clone(), at);
        }
        let copied = self.assets.iter().chain(&self.statics);
        let copied = copied.map(|file| file.path.as_str());
        for path in copied.chain(GENERATED.iter().copied()) {
            targets
                .paths
                .insert(path.to_owned(), At::File(path.to_owned()));
        }
        targets
    }

    /// Links of prose and notes that lead nowhere, and the anchors that pages must turn out to
    /// have.
    fn check_links(&self, prose: &[(Page, ProseFile)]) -> (Vec<Diagnostic>, Awaited) {
        let (mut problems, mut awaited) = (Vec::new(), Awaited::new());
        let of_prose = prose.iter().filter_map(|(page, file)| {
            Some(Written {
                page: *page,
                text: self.text(*page)?,
                markdown: &file.body,
                path: &file.shown,
                line: file.body_line,
            })
        });
        let of_runs = self.runs.iter().enumerate().filter_map(|(at, run)| {
            Some(Written {
                page: Page::Run(at),
                text: run.notes.as_ref()?,
                markdown: run.run.notes_markdown.as_deref()?,
                path: run.notes_path.as_deref().unwrap_or(&run.path),
                line: run.notes_line,
            })
        });
        for written in of_prose.chain(of_runs) {
            for link in links(written.markdown) {
                let place = match written.line {
                    0 => Place::file(written.path),
                    line => Place::line(written.path, line + link.line - 1),
                };
                match self.goal(written.page, written.text, &link.target) {
                    Goal::Dead(dead) => {
                        problems.push(dead_link(&link.target, dead, place, written.line > 0));
                    }
                    Goal::Page {
                        page,
                        id: Some(id),
                        slug: None,
                        ..
                    } => {
                        let html = |page| self.address(page).file("index.html");
                        awaited.insert((html(written.page), html(page), id), place);
                    }
                    _ => {}
                }
            }
        }
        (problems, awaited)
    }
}

fn dead_link(target: &str, dead: Dead, place: Place, by_hand: bool) -> Diagnostic {
    if !by_hand {
        let message = format!("the notes link to \"{target}\", which is not on this site");
        return Diagnostic::new(Code::LostLink, place, message)
            .help("the words stay, without the link");
    }
    match dead {
        Dead::Nothing(near) => {
            let message = format!("the link \"{target}\" leads nowhere");
            let help = match near {
                Some(near) => format!("did you mean \"{near}\"?"),
                None => "name a file of content/ by the way to it from this file, or a page by its address, as \"/models/\"".to_owned(),
            };
            Diagnostic::new(Code::DeadLink, place, message).help(help)
        }
        Dead::Draft => {
            let message = format!("the link \"{target}\" leads to a draft");
            Diagnostic::new(Code::DeadLink, place, message)
                .help("publish it, remove the link, or build with --drafts")
        }
        Dead::Anchor(near) => {
            let message =
                format!("the link \"{target}\" leads to a part that the page does not have");
            let help = match near {
                Some(near) => format!("did you mean \"#{near}\"?"),
                None => {
                    "the anchor of a heading is its words in lower case with dashes between them"
                        .to_owned()
                }
            };
            Diagnostic::new(Code::DeadAnchor, place, message).help(help)
        }
    }
}

fn copied(files: Vec<FoundFile>) -> Vec<Copied> {
    let files = files.into_iter().map(|file| Copied {
        shown: file.shown(),
        path: file.path,
        disk: file.disk,
    });
    files.collect()
}

/// The content files that are a run: its file and its sidecar, below `content/`.
pub(super) fn sources_of(run: &LoadedRun) -> Vec<String> {
    let shown = std::iter::once(&run.path).chain(&run.sidecar);
    let below = |path: &String| {
        path.strip_prefix("content/")
            .unwrap_or(path.as_str())
            .to_owned()
    };
    shown.map(below).collect()
}
