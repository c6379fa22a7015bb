//! The headings of a text.

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::{Slugs, options};

/// A heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6.
    pub level: usize,
    /// Its words, without markup.
    pub text: String,
    /// Its anchor in Markdown, as GitHub makes it.
    pub slug: String,
    /// Its anchor on the page, where other things have anchors, too.
    pub id: String,
}

/// All headings of a text, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// The headings.
    pub headings: Vec<Heading>,
    /// Whether the text begins with the first of them.
    pub begins: bool,
}

impl Outline {
    /// Reads the headings. Their anchors on the page begin with `prefix` and are none of
    /// `reserved`.
    pub fn of(text: &str, prefix: &str, reserved: &[&str]) -> Self {
        let mut outline = Self::default();
        let (mut slugs, mut ids) = (Slugs::default(), Slugs::without(reserved));
        let mut open: Option<(usize, String)> = None;
        for (at, event) in Parser::new_ext(text, options()).enumerate() {
            match event {
                Event::Start(Tag::Heading { level, .. }) => {
                    outline.begins |= at == 0;
                    open = Some((level as usize, String::new()));
                }
                Event::End(TagEnd::Heading(_)) => {
                    let Some((level, text)) = open.take() else {
                        continue;
                    };
                    let slug = slugs.next(&text);
                    outline.headings.push(Heading {
                        level,
                        id: ids.unique(format!("{prefix}{slug}")),
                        text: text.split_whitespace().collect::<Vec<_>>().join(" "),
                        slug,
                    });
                }
                Event::Text(part)
                | Event::Code(part)
                | Event::Html(part)
                | Event::InlineHtml(part) => {
                    if let Some((_, text)) = &mut open {
                        text.push_str(&part);
                    }
                }
                Event::SoftBreak | Event::HardBreak => {
                    if let Some((_, text)) = &mut open {
                        text.push(' ');
                    }
                }
                _ => {}
            }
        }
        outline
    }

    /// The heading with this anchor in Markdown.
    pub fn find(&self, slug: &str) -> Option<&Heading> {
        self.headings.iter().find(|heading| heading.slug == slug)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_have_two_anchors() {
        let outline = Outline::of("# Main `x` <b>\n\nSub *y*\n---\n", "note-", &["note-sub-y"]);
        let all: Vec<(usize, &str, &str, &str)> = outline
            .headings
            .iter()
            .map(|h| (h.level, h.text.as_str(), h.slug.as_str(), h.id.as_str()))
            .collect();
        assert_eq!(
            all,
            [
                (1, "Main x <b>", "main-x-b", "note-main-x-b"),
                (2, "Sub y", "sub-y", "note-sub-y-1"),
            ]
        );
        assert!(outline.begins);
        assert!(!Outline::of("a\n\n# B", "", &[]).begins);
    }
}
