//! What stands in a Markdown text: its headings with their anchors, its links with their lines.
//! Knows no site and makes no page.

mod outline;
mod slug;
mod target;

use pulldown_cmark::{Event, Options, Parser, Tag};

pub use outline::{Heading, Outline};
pub use slug::Slugs;
pub use target::{Target, has_scheme, safe_link};

/// What is read beyond CommonMark: tables, footnotes, strikethrough, task lists, and alerts as
/// GitHub has them.
pub fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_GFM
}

/// A link or an image of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Where it leads, as written.
    pub target: String,
    /// The line of the text in which it begins, from 1.
    pub line: usize,
}

/// All links and images of a text, in order.
pub fn links(text: &str) -> Vec<Link> {
    let mut links = Vec::new();
    let (mut line, mut counted) = (1, 0);
    for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
        let (Event::Start(Tag::Link { dest_url, .. }) | Event::Start(Tag::Image { dest_url, .. })) =
            event
        else {
            continue;
        };
        // Links of one text come in order, but those in footnotes and cells are not promised to.
        if range.start < counted {
            (line, counted) = (1, 0);
        }
        let between = text.get(counted..range.start).unwrap_or_default();
        line += between.bytes().filter(|b| *b == b'\n').count();
        counted = range.start;
        links.push(Link {
            target: dest_url.to_string(),
            line,
        });
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_have_lines() {
        let text = "[a](x.md)\n\n| t |\n|---|\n| ![b](y.png) |\n\n[c]\n\n[^1] text\n\n[^1]: [d](z)\n\n[c]: https://c\n";
        let found: Vec<(String, usize)> = links(text)
            .into_iter()
            .map(|l| (l.target, l.line))
            .collect();
        let expected = [("x.md", 1), ("y.png", 5), ("https://c", 7), ("z", 11)];
        assert_eq!(found, expected.map(|(t, l)| (t.to_owned(), l)));
    }
}
