//! `sitemap.xml`: all pages with the time of their newest run (sitemaps.org, protocol 0.9).

use super::OutputFile;
use super::links::absolute;
use super::xml::Xml;
use crate::run::time::MeasuredAt;
use crate::site::{Address, Page, RunPage, Site, measured};

/// Name of the file.
pub const FILE: &str = "sitemap.xml";

/// Most pages that one file may name.
const LIMIT: usize = 50_000;

const NAMESPACE: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";

/// A page of the sitemap.
struct Entry {
    address: String,
    changed: Option<MeasuredAt>,
}

/// Writes it: nothing without the site's address, one file, or several with an index.
pub fn sitemap(site: &Site) -> Vec<OutputFile> {
    split(site, LIMIT)
}

fn split(site: &Site, limit: usize) -> Vec<OutputFile> {
    let Some(base) = &site.facts.base_url else {
        return Vec::new();
    };
    let entries: Vec<Entry> = site
        .pages()
        .into_iter()
        .filter_map(|page| {
            let (address, changed) = place(site, page)?;
            Some(Entry {
                address: absolute(base, &address, ""),
                changed,
            })
        })
        .collect();
    if entries.len() <= limit {
        return vec![OutputFile::new(
            FILE.to_owned(),
            list("urlset", "url", &entries),
        )];
    }
    let mut files = Vec::new();
    let mut parts = Vec::new();
    for (at, part) in entries.chunks(limit).enumerate() {
        let name = format!("sitemap-{}.xml", at + 1);
        parts.push(Entry {
            address: absolute(base, &Address::front(), &name),
            changed: newest(part.iter().filter_map(|entry| entry.changed)),
        });
        files.push(OutputFile::new(name, list("urlset", "url", part)));
    }
    files.push(OutputFile::new(
        FILE.to_owned(),
        list("sitemapindex", "sitemap", &parts),
    ));
    files
}

/// Where a page is, and when the newest run on it was measured; `None` for what search engines
/// should not know.
fn place(site: &Site, page: Page) -> Option<(Address, Option<MeasuredAt>)> {
    let public = |page: &&RunPage| !page.run.draft;
    match page {
        Page::Front => {
            let times = site
                .runs
                .iter()
                .filter(public)
                .filter_map(|page| measured(&page.run));
            Some((Address::front(), newest(times)))
        }
        Page::List(page) => {
            let runs = site.runs.get(site.listed(page)).unwrap_or_default();
            let times = runs.iter().filter(public);
            let newest = newest(times.filter_map(|page| measured(&page.run)));
            Some((site.address(Page::List(page)), newest))
        }
        Page::Run(at) => {
            let page = site.runs.get(at).filter(public)?;
            Some((page.address.clone(), measured(&page.run)))
        }
        Page::Prose(at) => {
            let page = site.prose.get(at).filter(|page| !page.draft)?;
            Some((page.address.clone(), None))
        }
        Page::Kinds(kind) => {
            let times = site.runs.iter().filter(public);
            let newest = newest(times.filter_map(|page| measured(&page.run)));
            Some((kind.address(), newest))
        }
        Page::Comparisons => {
            let times = site.runs.iter().filter(public);
            let newest = newest(times.filter_map(|page| measured(&page.run)));
            Some((site.address(page), newest))
        }
        Page::Comparison(at) => {
            let comparison = site.comparisons.get(at)?;
            let runs = || comparison.runs.iter().filter_map(|at| site.runs.get(*at));
            let draft = comparison.written.as_ref().is_some_and(|page| page.draft);
            if draft || runs().any(|page| page.run.draft) {
                return None;
            }
            let newest = newest(runs().filter_map(|page| measured(&page.run)));
            Some((comparison.address.clone(), newest))
        }
        Page::Redirect(_) | Page::NotFound => None,
    }
}

fn newest(times: impl Iterator<Item = MeasuredAt>) -> Option<MeasuredAt> {
    times.max_by_key(|time| time.sort_key())
}

fn list(root: &'static str, item: &'static str, entries: &[Entry]) -> String {
    let mut xml = Xml::new(root, &[("xmlns", NAMESPACE)]);
    for entry in entries {
        xml.begin(item, &[]);
        xml.leaf("loc", &[], &entry.address);
        if let Some(time) = entry.changed.and_then(lastmod) {
            xml.leaf("lastmod", &[], &time);
        }
        xml.end();
    }
    xml.finish()
}

/// A time as the protocol wants it (W3C Datetime): the day alone where the hour or the zone is not
/// known.
fn lastmod(time: MeasuredAt) -> Option<String> {
    let utc = time.to_utc()?;
    let only_day = time.lacks_zone() || time.to_rfc3339() == time.date();
    Some(if only_day { time.date() } else { utc })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::BaseUrl;
    use crate::run::Run;
    use crate::site::SiteFacts;

    fn site(times: &[&str]) -> Site {
        let facts = SiteFacts {
            base_url: BaseUrl::parse("https://a.org/b").ok(),
            ..SiteFacts::default()
        };
        let runs = times.iter().enumerate().map(|(n, time)| {
            let mut run = Run::new();
            run.slug = format!("r{n}");
            run.facts.set_text(crate::run::Fact::MeasuredAt, time);
            run
        });
        Site::new(facts, runs.collect())
    }

    /// Addresses with their times.
    type Seen = Vec<(String, Option<String>)>;

    fn seen(files: &[OutputFile]) -> Vec<(String, Seen)> {
        let read = |file: &OutputFile| {
            let text = std::str::from_utf8(&file.bytes).unwrap();
            let document = roxmltree::Document::parse(text).unwrap();
            let child = |node: roxmltree::Node, name| {
                let found = node.children().find(|n| n.has_tag_name((NAMESPACE, name)));
                found.map(|n| n.text().unwrap_or_default().to_owned())
            };
            let items = document
                .root_element()
                .children()
                .filter(|n| n.is_element());
            items
                .map(|node| (child(node, "loc").unwrap(), child(node, "lastmod")))
                .collect()
        };
        files
            .iter()
            .map(|file| (file.path.clone(), read(file)))
            .collect()
    }

    #[test]
    fn a_time_is_as_precise_as_it_was_given() {
        let some = |address: &str, time: Option<&str>| {
            (
                format!("https://a.org/b/{address}"),
                time.map(str::to_owned),
            )
        };
        let site = site(&[
            "2026-09-13T02:25:00+02:00",
            "2026-09-12T02:25:00",
            "2026-09-11",
            "",
        ]);
        assert_eq!(
            seen(&sitemap(&site)),
            [(
                "sitemap.xml".to_owned(),
                vec![
                    some("", Some("2026-09-13T00:25:00Z")),
                    some("runs/r0/", Some("2026-09-13T00:25:00Z")),
                    some("runs/r1/", Some("2026-09-12")),
                    some("runs/r2/", Some("2026-09-11")),
                    some("runs/r3/", None),
                    some("models/", Some("2026-09-13T00:25:00Z")),
                    some("hardware/", Some("2026-09-13T00:25:00Z")),
                    some("engines/", Some("2026-09-13T00:25:00Z")),
                ]
            )]
        );
    }

    #[test]
    fn what_is_too_much_for_one_file_stands_in_several() {
        let files = seen(&split(&site(&["2026-09-13", "2026-09-12", "", ""]), 2));
        let names: Vec<(&str, usize)> = files.iter().map(|(n, l)| (n.as_str(), l.len())).collect();
        assert_eq!(
            names,
            [
                ("sitemap-1.xml", 2),
                ("sitemap-2.xml", 2),
                ("sitemap-3.xml", 2),
                ("sitemap-4.xml", 2),
                ("sitemap.xml", 4)
            ]
        );
        let index: Vec<(&str, Option<&str>)> = files[4]
            .1
            .iter()
            .map(|(a, t)| (a.as_str(), t.as_deref()))
            .collect();
        assert_eq!(
            index,
            [
                ("https://a.org/b/sitemap-1.xml", Some("2026-09-13")),
                ("https://a.org/b/sitemap-2.xml", Some("2026-09-12")),
                ("https://a.org/b/sitemap-3.xml", Some("2026-09-13")),
                ("https://a.org/b/sitemap-4.xml", Some("2026-09-13")),
            ]
        );
    }

    #[test]
    fn drafts_and_sites_without_an_address_have_none() {
        let mut draft = site(&["2026-09-13"]);
        draft.runs[0].run.draft = true;
        let lists = ["", "models/", "hardware/", "engines/"];
        assert_eq!(
            seen(&sitemap(&draft))[0].1,
            lists.map(|path| (format!("https://a.org/b/{path}"), None))
        );
        draft.facts.base_url = None;
        assert_eq!(sitemap(&draft), []);
    }
}
