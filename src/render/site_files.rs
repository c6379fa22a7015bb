//! The files beside the pages: what machines look for at fixed addresses.

use super::{OutputFile, feed, index_json, llms, robots, sitemap};
use crate::site::Site;

/// Name of the icon.
pub const FAVICON: &str = "favicon.svg";

/// A matrix of cells, for light and dark.
const FAVICON_SVG: &[u8] = include_bytes!("favicon.svg");

/// GitHub Pages leaves a folder with this file as it is.
const NO_JEKYLL: &str = ".nojekyll";

/// All of them, in no particular order.
pub fn site_files(site: &Site) -> Vec<OutputFile> {
    let mut files = vec![
        llms::llms(site),
        robots::robots(site),
        OutputFile::new(FAVICON.to_owned(), FAVICON_SVG),
        OutputFile::new(NO_JEKYLL.to_owned(), Vec::new()),
    ];
    if site.facts.outputs.json {
        files.push(index_json::index_json(site));
    }
    files.extend(feed::feed(site));
    files.extend(sitemap::sitemap(site));
    files
}

/// What the site lacks for want of something that its owner can give, in a line for the build's
/// report.
pub fn left_out(site: &Site) -> Option<String> {
    let dated = feed::is_dated(site);
    match (&site.facts.base_url, dated) {
        (None, true) => Some(
            "no feed, sitemap and canonical links: they need `base_url` in site.toml".to_owned(),
        ),
        (None, false) => {
            Some("no sitemap and canonical links: they need `base_url` in site.toml".to_owned())
        }
        (Some(_), false) if !site.runs.is_empty() => {
            Some("no feed: it needs a run with a date (`measured_at`)".to_owned())
        }
        _ => None,
    }
}
