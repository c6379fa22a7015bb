//! `robots.txt`: everything may be read, and where the sitemap is.

use super::OutputFile;
use super::links::absolute;
use super::sitemap;
use crate::site::{Address, Site};

/// Name of the file.
pub const FILE: &str = "robots.txt";

/// Writes it.
pub fn robots(site: &Site) -> OutputFile {
    let mut text = "User-agent: *\nAllow: /\n".to_owned();
    if let Some(base) = &site.facts.base_url {
        let sitemap = absolute(base, &Address::front(), sitemap::FILE);
        text.push_str(&format!("\nSitemap: {sitemap}\n"));
    }
    OutputFile::new(FILE.to_owned(), text)
}
