//! `compare/index.json`: all comparisons with their results, as `speedbook.comparisons/1`.

use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde::Serialize;
use serde_json::{Value, json};

use super::OutputFile;
use crate::compare::document::FILE as DOCUMENT;
use crate::json_schema::without_null;
use crate::site::{ComparisonPage, Page, Site};

/// Name of its schema.
pub const COMPARISONS_SCHEMA: &str = "speedbook.comparisons/1";

/// All comparisons of a site. Further keys may be added within this version.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "speedbook.comparisons/1")]
struct Document<'a> {
    /// Name and version of this schema.
    schema: &'static str,
    /// The comparisons: those that someone wrote by title, then the others, newest runs first.
    comparisons: Vec<Entry<'a>>,
}

/// One comparison.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "comparison")]
struct Entry<'a> {
    /// The page's title: the author's, or the result in a sentence.
    title: &'a str,
    /// The page, as a link relative to this document.
    address: String,
    /// The comparison as data, as a link relative to this document: `speedbook.comparison/1`, a list
    /// of them where more than two runs are compared.
    comparison_json: String,
    /// The slugs of the runs; each of the others is measured by the first.
    runs: Vec<&'a str>,
    /// How far the first two are like for like: `like_for_like`, `one_thing`, `few_things` or
    /// `not_controlled`.
    verdict: &'static str,
    /// True where someone asked for it in `content/compare/`.
    written: bool,
}

/// Writes it, a comparison a line. The same site gives the same bytes.
pub fn comparisons_json(site: &Site) -> OutputFile {
    let folder = site.address(Page::Comparisons);
    let links = site.facts.links_from(&folder);
    let entries = site
        .comparisons
        .iter()
        .map(|page| entry(site, page, &links));
    let lines: Vec<String> = entries.map(|entry| format!("  {}", json!(entry))).collect();
    let text = format!(
        "{{\n \"schema\": {},\n \"comparisons\": [\n{}\n ]\n}}\n",
        json!(COMPARISONS_SCHEMA),
        lines.join(",\n")
    );
    OutputFile::new(
        folder.file("index.json"),
        super::escape::json_controls(&text),
    )
}

fn entry<'a>(site: &'a Site, page: &'a ComparisonPage, links: &crate::site::Links) -> Entry<'a> {
    let runs = page.runs.iter().filter_map(|at| site.runs.get(*at));
    Entry {
        title: &page.title,
        address: links.page(&page.address),
        comparison_json: links.path(&page.address.file(DOCUMENT)),
        runs: runs.map(|page| page.run.slug.as_str()).collect(),
        verdict: page.verdict,
        written: page.written.is_some(),
    }
}

/// The JSON schema (2020-12) of the document.
pub fn schema() -> Value {
    let mut generator: SchemaGenerator = SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator();
    let mut schema = generator.root_schema_for::<Document>().to_value();
    without_null(&mut schema);
    if let Some(name) = schema.pointer_mut("/properties/schema") {
        *name =
            json!({"const": COMPARISONS_SCHEMA, "description": "Name and version of this schema."});
    }
    schema
}
