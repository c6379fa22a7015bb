//! `feed.xml`: the newest runs as an Atom feed (RFC 4287).

use super::OutputFile;
use super::links::absolute;
use super::view::run::summary;
use super::xml::{Xml, one_line};
use crate::config::BaseUrl;
use crate::run::Fact;
use crate::site::{Address, RunPage, Site, measured};

/// Name of the file.
pub const FILE: &str = "feed.xml";

/// How many runs stand in it.
const NEWEST: usize = 100;

/// Whether there is a feed: not without a dated run, and not without the site's address, since an
/// entry needs both.
pub fn has_feed(site: &Site) -> bool {
    site.facts.base_url.is_some() && is_dated(site)
}

/// Whether there is a run that a feed could have.
pub fn is_dated(site: &Site) -> bool {
    site.runs.iter().any(|page| updated(page).is_some())
}

/// When a run was measured, as RFC 3339 in UTC; `None` for drafts, which are nobody's news.
fn updated(page: &RunPage) -> Option<String> {
    measured(&page.run)
        .filter(|_| !page.run.draft)
        .and_then(|at| at.to_utc())
}

/// Writes it, where there is one.
pub fn feed(site: &Site) -> Option<OutputFile> {
    let base = site.facts.base_url.as_ref()?;
    // Runs are in order of their time, newest first.
    let entries: Vec<(&RunPage, String)> = site
        .runs
        .iter()
        .filter_map(|page| Some((page, updated(page)?)))
        .take(NEWEST)
        .collect();
    let (_, newest) = entries.first()?;
    let facts = &site.facts;
    let front = Address::front();
    let home = absolute(base, &front, "");
    let mut xml = Xml::new(
        "feed",
        &[("xmlns", "http://www.w3.org/2005/Atom"), ("xml:lang", "en")],
    );
    xml.leaf("id", &[], &home);
    xml.leaf("title", &[], &one_line(&facts.title));
    for (name, text) in [("subtitle", &facts.description), ("rights", &facts.license)] {
        let text = one_line(text);
        if !text.is_empty() {
            xml.leaf(name, &[], &text);
        }
    }
    xml.leaf("updated", &[], newest);
    let author = [&facts.author, &facts.title].map(|name| one_line(name));
    let author = author.iter().find(|name| !name.is_empty());
    person(&mut xml, author.map_or(home.as_str(), String::as_str));
    let of_feed = absolute(base, &front, FILE);
    link(&mut xml, "self", "application/atom+xml", &of_feed);
    link(&mut xml, "alternate", "text/html", &home);
    xml.leaf(
        "icon",
        &[],
        &absolute(base, &front, super::site_files::FAVICON),
    );
    xml.leaf("generator", &[], env!("CARGO_PKG_NAME"));
    for (page, updated) in &entries {
        entry(&mut xml, site, base, page, updated);
    }
    Some(OutputFile::new(FILE.to_owned(), xml.finish()))
}

fn entry(xml: &mut Xml, site: &Site, base: &BaseUrl, page: &RunPage, updated: &str) {
    let run = &page.run;
    let address = absolute(base, &page.address, "");
    xml.begin("entry", &[]);
    xml.leaf("id", &[], &address);
    xml.leaf("title", &[], &one_line(run.title()));
    xml.leaf("updated", &[], updated);
    xml.leaf("published", &[], updated);
    let author = one_line(run.facts.text(Fact::Author).unwrap_or_default());
    if !author.is_empty() {
        person(xml, &author);
    }
    link(xml, "alternate", "text/html", &address);
    let outputs = site.facts.outputs;
    for (on, kind, file) in [
        (outputs.markdown, "text/markdown", "index.md"),
        (outputs.json, "application/json", "run.json"),
        (outputs.csv, "text/csv", "measurements.csv"),
    ] {
        if on {
            link(xml, "alternate", kind, &absolute(base, &page.address, file));
        }
    }
    let mut tags: Vec<String> = Vec::new();
    for tag in run.tags.iter().map(|tag| one_line(tag)) {
        if !tag.is_empty() && !tags.contains(&tag) {
            xml.empty("category", &[("term", &tag)]);
            tags.push(tag);
        }
    }
    xml.leaf("summary", &[], &one_line(&in_words(page)));
    xml.end();
}

/// What was measured and the key figures, for readers that show no more than this.
fn in_words(page: &RunPage) -> String {
    let mut parts = vec![summary(&page.run).join(" · ")];
    for figure in &page.derived.key_figures {
        parts.push(format!(
            "{}: {} ({})",
            figure.label, figure.value, figure.words
        ));
    }
    parts.retain(|part| !part.is_empty());
    if parts.is_empty() {
        return page.run.title().to_owned();
    }
    parts.join(". ") + "."
}

fn person(xml: &mut Xml, name: &str) {
    xml.begin("author", &[]);
    xml.leaf("name", &[], name);
    xml.end();
}

fn link(xml: &mut Xml, rel: &str, kind: &str, href: &str) {
    xml.empty("link", &[("rel", rel), ("type", kind), ("href", href)]);
}
