//! `llms.txt`: where a language model finds what, in the form of <https://llmstxt.org>.

use super::OutputFile;
use super::escape::markdown;
use super::links::absolute;
use super::view::counted;
use super::view::run::summary;
use super::xml::one_line;
use super::{feed, index_json};
use crate::run::Fact;
use crate::run::time::MeasuredAt;
use crate::site::{Address, RunPage, Site, measured};

/// Name of the file.
pub const FILE: &str = "llms.txt";

/// Writes it. Links are absolute where the site's address is known, else relative.
pub fn llms(site: &Site) -> OutputFile {
    let facts = &site.facts;
    let mut text = format!("# {}\n\n", plain(&facts.title));
    let description = plain(&facts.description);
    if !description.is_empty() {
        text.push_str(&format!("> {description}\n\n"));
    }
    text.push_str(&how_to_read(site));
    let data = data(site);
    if !data.is_empty() {
        text.push_str(&format!("\n## Data\n\n{data}"));
    }
    let pages = prose(site);
    if !pages.is_empty() {
        text.push_str(&format!("\n## Pages\n\n{pages}"));
    }
    if !site.runs.is_empty() {
        text.push_str("\n## Runs\n\n");
        for page in &site.runs {
            text.push_str(&run(site, page));
        }
    }
    OutputFile::new(FILE.to_owned(), text)
}

fn how_to_read(site: &Site) -> String {
    let mut text = format!(
        "{}, newest first. A run is one benchmark of one served language model. \
         Total tok/s counts the output of all simultaneous requests, per-request tok/s what one of \
         them got; a figure that is absent was not measured and is not zero.",
        counted(site.runs.len(), "run", "runs")
    );
    let outputs = site.facts.outputs;
    if outputs.markdown {
        text.push_str(" Every page has a Markdown twin, `index.md`.");
    }
    if outputs.json {
        text.push_str(
            " `run.json` has all figures of a run as `speedbook.run/1`, with the unit in each key.",
        );
    }
    text.push('\n');
    text
}

fn data(site: &Site) -> String {
    let front = Address::front();
    let outputs = site.facts.outputs;
    let mut text = String::new();
    let mut line = |name: &str, file: &str, what: &str| {
        let link = link(site, &front, file);
        text.push_str(&format!("- [{name}]({link}): {what}\n"));
    };
    if outputs.json {
        let what = "all runs with their facts and key figures, a run a line";
        line("Index of runs", index_json::FILE, what);
    }
    if outputs.markdown {
        let what = match site.list_pages() {
            0 => "the front page, a table",
            _ => "the front page, a table of the newest, with links to the pages of older ones",
        };
        line("All runs", "index.md", what);
    }
    if feed::has_feed(site) {
        line("Feed", feed::FILE, "the newest runs, Atom");
    }
    text
}

/// The prose pages, drafts left out.
fn prose(site: &Site) -> String {
    site.prose
        .iter()
        .filter(|page| !page.draft)
        .map(|page| {
            let link = link(site, &page.address, page_file(site));
            format!("- [{}]({link})\n", plain(&page.title))
        })
        .collect()
}

/// The file of a page that a program reads best.
fn page_file(site: &Site) -> &'static str {
    match (site.facts.outputs.markdown, site.facts.portable) {
        (true, _) => "index.md",
        (false, true) => "index.html",
        (false, false) => "",
    }
}

fn run(site: &Site, page: &RunPage) -> String {
    let outputs = site.facts.outputs;
    let file = page_file(site);
    let mut parts = summary(&page.run);
    parts.extend(
        page.run
            .facts
            .text(Fact::Author)
            .map(|author| format!("by {author}")),
    );
    parts.extend(measured(&page.run).map(MeasuredAt::display));
    let mut notes: Vec<String> = parts.iter().map(|part| plain(part)).collect();
    for (on, name, file) in [
        (outputs.json, "JSON", "run.json"),
        (outputs.csv, "CSV", "measurements.csv"),
    ] {
        if on {
            notes.push(format!("[{name}]({})", link(site, &page.address, file)));
        }
    }
    let title = plain(page.run.title());
    let link = link(site, &page.address, file);
    match notes.is_empty() {
        true => format!("- [{title}]({link})\n"),
        false => format!("- [{title}]({link}): {}\n", notes.join("; ")),
    }
}

fn link(site: &Site, address: &Address, file: &str) -> String {
    match &site.facts.base_url {
        Some(base) => absolute(base, address, file),
        None => site
            .facts
            .links_from(&Address::front())
            .path(&address.file(file)),
    }
}

/// A text on one line that Markdown shows as it is.
fn plain(text: &str) -> String {
    markdown(&one_line(text))
}
