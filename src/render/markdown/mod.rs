//! Markdown: the author's prose made safe for both forms of a page, and what the Markdown
//! templates need beyond plain text (aligned tables, code).

mod events;
mod filters;
mod html;
mod tidy;

use pulldown_cmark::html::push_html;

use crate::markdown::{Outline, options};
use crate::render::escape::markdown;

pub use crate::markdown::safe_link;
pub use filters::{pipe_table, register_filters};
pub use tidy::tidy;

/// The author's prose in both forms of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prose {
    /// HTML without anything that the Markdown did not say: raw HTML shows as text.
    pub html: String,
    /// Markdown without raw HTML.
    pub markdown: String,
}

/// How a text stands on its page.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// The headings of the text, with the anchors that they get.
    pub outline: &'a Outline,
    /// How many levels down the headings go, below those of the page.
    pub lower: usize,
    /// Whether the first heading is left out, since the page has it as its title.
    pub without_title: bool,
    /// What the anchors of footnotes begin with.
    pub prefix: &'a str,
}

/// Where a link of a text leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// Where it says.
    AsWritten,
    /// Nowhere: the words stay.
    Nowhere,
    /// To another page or file of the site.
    Site {
        /// The link in HTML.
        html: String,
        /// The link in Markdown; `None` where the twin has nothing to link to.
        markdown: Option<String>,
        /// Whether it is a picture that a page can show.
        picture: bool,
    },
}

/// Makes prose safe: raw HTML becomes text, links with schemes other than http, https and mailto
/// lose their target, images of other hosts become links (a page asks no other host for anything).
/// `lead` is asked where each link leads that names no other host.
pub fn prose(text: &str, setting: &Setting, lead: &dyn Fn(&str) -> Destination) -> Prose {
    let events = events::safe(text, setting, &|target| lead(target), events::Form::Html);
    let mut as_html = String::new();
    push_html(&mut as_html, html::decorated(events, setting).into_iter());
    let as_html = framed_tables(&as_html);
    let events = events::safe(
        text,
        setting,
        &|target| lead(target),
        events::Form::Markdown,
    );
    let mut as_markdown = String::new();
    // Formatting into a string fails only on events out of balance, which the parser never makes.
    if pulldown_cmark_to_cmark::cmark(events.iter(), &mut as_markdown, options()).is_err() {
        as_markdown = markdown(text);
    }
    Prose {
        html: as_html,
        markdown: as_markdown,
    }
}

/// Tables as the pages have them: columns aligned by classes, since the pages' policy forbids styles
/// in elements, and each in a frame of its own that scrolls. Text has no `<` in it that is not
/// escaped, so only the writer's own elements are found.
fn framed_tables(html: &str) -> String {
    let mut html = html.to_owned();
    for cell in ["td", "th"] {
        for side in ["left", "center", "right"] {
            html = html.replace(
                &format!("<{cell} style=\"text-align: {side}\">"),
                &format!("<{cell} class=\"{side}\">"),
            );
        }
    }
    let mut parts = html.split("<table>");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for (part, number) in parts.zip(1..) {
        out.push_str(&format!(
            "<div class=\"scroll\" role=\"region\" aria-label=\"Table {number}\" tabindex=\"0\"><table>"
        ));
        out.push_str(part);
    }
    out.replace("</table>", "</table></div>")
}

#[cfg(test)]
mod tests;
