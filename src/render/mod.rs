//! A page → bytes. A page becomes one typed view, made once; the writers (HTML, Markdown) only
//! format it. JSON and CSV are written from the run itself, the files beside the pages (index, feed,
//! sitemap…) from the whole site.

pub mod csv;
pub mod escape;
pub mod feed;
pub mod index_json;
pub mod links;
pub mod llms;
pub mod markdown;
pub mod robots;
pub mod site_files;
pub mod sitemap;
pub mod template_error;
pub mod templates;
pub mod view;
pub mod xml;

use crate::run::document;
use crate::site::{Page, RunPage, Site};

pub use site_files::{left_out, site_files};
pub use template_error::TemplateError;
pub use templates::Templates;

/// A file of the site: its path below the output folder, and its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputFile {
    /// Path with forward slashes.
    pub path: String,
    /// What stands in it.
    pub bytes: Vec<u8>,
}

impl OutputFile {
    fn new(path: String, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            path,
            bytes: bytes.into(),
        }
    }
}

/// All files of one page. Needs nothing but the frozen site, so pages render in any order and in
/// parallel.
///
/// # Errors
/// A template that cannot be rendered.
pub fn render(
    site: &Site,
    page: Page,
    templates: &Templates,
) -> Result<Vec<OutputFile>, TemplateError> {
    match page {
        Page::Front => front(site, templates),
        Page::Run(at) => match site.runs.get(at) {
            Some(run) => run_page(site, run, templates),
            None => Ok(Vec::new()),
        },
    }
}

fn front(site: &Site, templates: &Templates) -> Result<Vec<OutputFile>, TemplateError> {
    let view = view::index::index_view(site);
    let mut files = vec![OutputFile::new(
        "index.html".to_owned(),
        templates.html("index.html", &view)?,
    )];
    if site.facts.outputs.markdown {
        files.push(OutputFile::new(
            "index.md".to_owned(),
            templates.markdown("index.md", &view)?,
        ));
    }
    Ok(files)
}

fn run_page(
    site: &Site,
    page: &RunPage,
    templates: &Templates,
) -> Result<Vec<OutputFile>, TemplateError> {
    let view = view::run::run_view(site, page);
    let address = &page.address;
    let outputs = site.facts.outputs;
    let mut files = vec![OutputFile::new(
        address.file("index.html"),
        templates.html("run.html", &view)?,
    )];
    if outputs.markdown {
        files.push(OutputFile::new(
            address.file("index.md"),
            templates.markdown("run.md", &view)?,
        ));
    }
    if outputs.json {
        files.push(OutputFile::new(
            address.file("run.json"),
            document::to_json(&page.run, &page.derived),
        ));
    }
    if outputs.csv {
        files.push(OutputFile::new(
            address.file("measurements.csv"),
            csv::measurements(&page.run),
        ));
    }
    Ok(files)
}
