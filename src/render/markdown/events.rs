//! The events of a text that may stand on a page, with links that lead to where they shall.

use pulldown_cmark::{CowStr, Event, HeadingLevel, LinkType, Parser, Tag, TagEnd};

use super::{Destination, Setting};
use crate::markdown::{has_scheme, options, safe_link};

/// For which form of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Html,
    Markdown,
}

/// What a link or an image has become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Link,
    Picture,
    Words,
}

/// The events without raw HTML and without dangerous links.
pub(super) fn safe<'a>(
    text: &'a str,
    setting: &Setting,
    lead: &dyn Fn(&str) -> Destination,
    form: Form,
) -> Vec<Event<'a>> {
    let mut open: Vec<Open> = Vec::new();
    let mut safe = Vec::new();
    // Inside of the heading that is left out.
    let mut title = setting.without_title;
    let ids = setting.outline.headings.iter().map(|h| h.id.clone());
    let mut ids = ids.skip(usize::from(setting.without_title));
    for event in Parser::new_ext(text, options()) {
        if title {
            title = !matches!(event, Event::End(TagEnd::Heading(_)));
            continue;
        }
        match event {
            Event::Html(text) | Event::InlineHtml(text) => safe.push(Event::Text(text)),
            // The block around raw HTML is a paragraph once its content is text.
            Event::Start(Tag::HtmlBlock) => safe.push(Event::Start(Tag::Paragraph)),
            Event::End(TagEnd::HtmlBlock) => safe.push(Event::End(TagEnd::Paragraph)),
            Event::Start(Tag::Heading { level, .. }) => {
                safe.push(Event::Start(Tag::Heading {
                    level: lowered(level, setting.lower),
                    // In Markdown the anchor follows from the words.
                    id: ids.next().filter(|_| form == Form::Html).map(CowStr::from),
                    classes: Vec::new(),
                    attrs: Vec::new(),
                }));
            }
            Event::End(TagEnd::Heading(level)) => {
                safe.push(Event::End(TagEnd::Heading(lowered(level, setting.lower))));
            }
            Event::Start(Tag::Link {
                link_type,
                dest_url,
                title,
                id,
            }) => {
                let in_link = open.contains(&Open::Link);
                match destination(&dest_url, lead, form).filter(|_| !in_link) {
                    Some((url, _)) => {
                        open.push(Open::Link);
                        // A link by reference or in pointed brackets says its own target.
                        let link_type = match link_type {
                            LinkType::Email => LinkType::Email,
                            LinkType::Autolink if url.is_none() => LinkType::Autolink,
                            _ => LinkType::Inline,
                        };
                        safe.push(Event::Start(Tag::Link {
                            link_type,
                            dest_url: url.map_or(dest_url, CowStr::from),
                            title,
                            id,
                        }));
                    }
                    None => open.push(Open::Words),
                }
            }
            Event::Start(Tag::Image {
                dest_url, title, ..
            }) => {
                let in_link = open.contains(&Open::Link);
                // The words for a picture are text alone.
                let in_picture = open.contains(&Open::Picture);
                let found = destination(&dest_url, lead, form).filter(|_| !in_picture);
                let id = CowStr::Borrowed("");
                match found {
                    Some((Some(url), true)) => {
                        open.push(Open::Picture);
                        safe.push(Event::Start(Tag::Image {
                            link_type: LinkType::Inline,
                            dest_url: url.into(),
                            title,
                            id,
                        }));
                    }
                    Some((url, _)) if !in_link => {
                        open.push(Open::Link);
                        safe.push(Event::Start(Tag::Link {
                            link_type: LinkType::Inline,
                            dest_url: url.map_or(dest_url, CowStr::from),
                            title,
                            id,
                        }));
                    }
                    _ => open.push(Open::Words),
                }
            }
            Event::End(TagEnd::Link | TagEnd::Image) => match open.pop() {
                Some(Open::Link) => safe.push(Event::End(TagEnd::Link)),
                Some(Open::Picture) => safe.push(Event::End(TagEnd::Image)),
                _ => {}
            },
            other => safe.push(other),
        }
    }
    safe
}

/// The link that stands there, `None` as it is written, and whether it is a picture; nothing for a
/// link that may not stand on a page.
fn destination(
    target: &str,
    lead: &dyn Fn(&str) -> Destination,
    form: Form,
) -> Option<(Option<String>, bool)> {
    if !safe_link(target) {
        return None;
    }
    if has_scheme(target) {
        return Some((None, false));
    }
    match lead(target) {
        Destination::AsWritten => Some((None, false)),
        Destination::Nowhere => None,
        Destination::Site {
            html,
            markdown,
            picture,
        } => match form {
            Form::Html => Some((Some(html), picture)),
            Form::Markdown => markdown.map(|url| (Some(url), picture)),
        },
    }
}

fn lowered(level: HeadingLevel, by: usize) -> HeadingLevel {
    HeadingLevel::try_from(level as usize + by).unwrap_or(HeadingLevel::H6)
}
