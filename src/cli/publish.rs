//! Rendering all pages into the output folder: the steps from the frozen site to the disk.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::progress::Progress;
use crate::diagnostic::{Diagnostic, Severity};
use crate::output::{OutputError, OutputPlace, Stage, Written};
use crate::render::dead_links::{self, PageLinks, dead_links};
use crate::render::{TemplateError, Templates, render, site_files};
use crate::site::{Page, Site};

/// Why there is no new site.
pub(super) enum NotWritten {
    /// What is wrong with the templates, or the links that lead nowhere.
    Problems(Vec<Diagnostic>),
    /// The output folder.
    Output(OutputError),
}

impl From<OutputError> for NotWritten {
    fn from(error: OutputError) -> Self {
        NotWritten::Output(error)
    }
}

/// What is kept of a page when it is written.
#[derive(Default)]
struct RenderedPage {
    links: Vec<PageLinks>,
    files: Vec<String>,
}

/// Renders all pages into a stage and exchanges it with the output folder, unless a template is
/// wrong or a link of a finished page leads nowhere.
pub(super) fn publish(
    site: &Site,
    templates: &Templates,
    place: &OutputPlace,
    progress: &Progress,
) -> Result<Written, NotWritten> {
    let stage = Stage::begin(place)?;
    let pages = site.pages();
    progress.pages(pages.len());
    // A page that cannot be made stops no other, so that all problems are told at once.
    let rendered: Vec<Result<RenderedPage, TemplateError>> = pages
        .par_iter()
        .map(|page| one_page(site, *page, templates, &stage, progress))
        .collect::<Result<_, _>>()?;
    let (mut links, mut files, mut wrong) = (Vec::new(), BTreeSet::new(), Vec::new());
    for page in rendered {
        match page {
            Ok(page) => {
                links.extend(page.links);
                files.extend(page.files);
            }
            Err(error) => wrong.push(error),
        }
    }
    if !wrong.is_empty() {
        return Err(NotWritten::Problems(TemplateError::once_each(wrong).0));
    }
    files.extend(beside_pages(site, templates, &stage)?);
    let dead = dead_links(site, &links, &files);
    if dead.iter().any(|p| p.severity() == Severity::Error) {
        return Err(NotWritten::Problems(dead));
    }
    Ok(stage.commit()?)
}

fn one_page(
    site: &Site,
    page: Page,
    templates: &Templates,
    stage: &Stage,
    progress: &Progress,
) -> Result<Result<RenderedPage, TemplateError>, OutputError> {
    let files = match render(site, page, templates) {
        Ok(files) => files,
        Err(error) => return Ok(Err(error)),
    };
    let mut rendered = RenderedPage::default();
    for file in files {
        stage.write(&file.path, &file.bytes)?;
        let links = dead_links::read(&site.facts, &file.path, &file.bytes);
        rendered.links.extend(links);
        rendered.files.push(file.path);
    }
    progress.page();
    Ok(Ok(rendered))
}

/// Copies what is copied, and writes the assets of the theme and the files for machines; returns
/// their paths. What the site brings itself, and what its theme brings, takes the place of ours.
fn beside_pages(
    site: &Site,
    templates: &Templates,
    stage: &Stage,
) -> Result<Vec<String>, OutputError> {
    let copied = || site.assets.iter().chain(&site.statics);
    site.assets
        .par_iter()
        .chain(&site.statics)
        .try_for_each(|file| stage.copy(&file.path, &file.disk))?;
    let mut files: Vec<String> = copied().map(|file| file.path.clone()).collect();
    let assets = &templates.theme().assets;
    for asset in assets.values().filter(|a| !site.has_static(&a.path)) {
        stage.write(&asset.path, &asset.bytes)?;
        files.push(asset.path.clone());
    }
    let is_asset = |path: &str| assets.values().any(|asset| asset.path == path);
    for file in site_files(site) {
        if !is_asset(&file.path) && !site.has_static(&file.path) {
            stage.write(&file.path, &file.bytes)?;
            files.push(file.path);
        }
    }
    Ok(files)
}
