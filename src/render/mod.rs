//! A page → bytes. A page becomes one typed view, made once; the writers (HTML, Markdown) only
//! format it. JSON and CSV are written from the run itself, the files beside the pages (index, feed,
//! sitemap…) from the whole site.

pub mod comparisons_json;
pub mod csv;
pub mod dead_links;
pub mod escape;
pub mod feed;
pub mod index_json;
pub mod links;
pub mod llms;
pub mod markdown;
pub mod robots;
pub mod search_data;
pub mod site_files;
pub mod sitemap;
pub mod template_error;
pub mod templates;
pub mod view;
pub mod xml;

use serde::Serialize;

use crate::run::document;
use crate::site::{Address, ComparisonPage, NOT_FOUND, Page, RunPage, Site};

pub use site_files::{left_out, site_files};
pub use template_error::TemplateError;
pub use templates::{Ready, Templates};

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
    let address = site.address(page);
    match page {
        Page::Front => {
            let data = search_data::SearchData::of(site);
            let view = view::index::index_view(site, &data);
            let mut files = two_forms(site, &address, "index", &templates.ready(&view))?;
            if !site.runs.is_empty() && !site.has_static(search_data::FILE) {
                files.push(OutputFile::new(search_data::FILE.to_owned(), data.script));
            }
            Ok(files)
        }
        Page::List(number) => {
            let view = view::list::list_view(site, number);
            two_forms(site, &address, "list", &templates.ready(&view))
        }
        Page::Run(at) => match site.runs.get(at) {
            Some(run) => run_page(site, page, run, templates),
            None => Ok(Vec::new()),
        },
        Page::Prose(at) => match site.prose.get(at) {
            Some(prose) => {
                let view = view::prose::prose_view(site, page, prose);
                two_forms(site, &address, "prose", &templates.ready(&view))
            }
            None => Ok(Vec::new()),
        },
        Page::Kinds(kind) => {
            let view = view::kinds::kinds_view(site, kind);
            two_forms(site, &address, "kinds", &templates.ready(&view))
        }
        Page::Comparisons => {
            let view = view::compare::list::comparisons_view(site);
            let mut files = two_forms(site, &address, "comparisons", &templates.ready(&view))?;
            if site.facts.outputs.json {
                files.push(comparisons_json::comparisons_json(site));
            }
            Ok(files)
        }
        Page::Comparison(at) => match site.comparisons.get(at) {
            Some(comparison) => comparison_page(site, page, comparison, templates),
            None => Ok(Vec::new()),
        },
        Page::Redirect(at) => match site.redirects.get(at) {
            Some(redirect) => {
                let view = view::redirect::redirect_view(site, redirect);
                let html = templates.ready(&view).render("redirect.html")?;
                Ok(vec![OutputFile::new(redirect.path(), html)])
            }
            None => Ok(Vec::new()),
        },
        Page::NotFound => {
            let view = view::not_found::not_found_view(site);
            let html = templates.ready(&view).render("404.html")?;
            Ok(vec![OutputFile::new(NOT_FOUND.to_owned(), html)])
        }
    }
}

fn comparison_page(
    site: &Site,
    page: Page,
    comparison: &ComparisonPage,
    templates: &Templates,
) -> Result<Vec<OutputFile>, TemplateError> {
    let compared = view::compare::compared(site, comparison);
    let view = view::compare::comparison_view(site, page, comparison, &compared);
    let address = &comparison.address;
    let mut files = two_forms(site, address, "compare", &templates.ready(&view))?;
    if site.facts.outputs.json {
        let document = match compared.as_slice() {
            [only] => only.to_json(),
            several => crate::compare::document::list_to_json(several),
        };
        let file = address.file(crate::compare::document::FILE);
        files.push(OutputFile::new(file, document));
    }
    Ok(files)
}

/// A page in HTML and, where it is wanted, its Markdown twin.
fn two_forms(
    site: &Site,
    address: &Address,
    name: &str,
    view: &Ready<impl Serialize>,
) -> Result<Vec<OutputFile>, TemplateError> {
    let mut files = vec![OutputFile::new(
        address.file("index.html"),
        view.render(&format!("{name}.html"))?,
    )];
    if site.facts.outputs.markdown {
        files.push(OutputFile::new(
            address.file("index.md"),
            view.render(&format!("{name}.md"))?,
        ));
    }
    Ok(files)
}

fn run_page(
    site: &Site,
    page: Page,
    run: &RunPage,
    templates: &Templates,
) -> Result<Vec<OutputFile>, TemplateError> {
    let view = view::run::run_view(site, page, run);
    let address = &run.address;
    let outputs = site.facts.outputs;
    let mut files = two_forms(site, address, "run", &templates.ready(&view))?;
    if outputs.json {
        files.push(OutputFile::new(
            address.file("run.json"),
            document::to_json(&run.run, &run.derived),
        ));
    }
    if outputs.csv {
        files.push(OutputFile::new(
            address.file("measurements.csv"),
            csv::measurements(&run.run),
        ));
    }
    Ok(files)
}
