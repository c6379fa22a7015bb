//! Markdown: the author's prose made safe for both forms of a page, and what the Markdown
//! templates need beyond plain text (aligned tables, code).

use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};
use tera::{Kwargs, State, Tera, Value};
use unicode_width::UnicodeWidthStr;

use super::escape::{markdown, markdown_code, markdown_fence};

/// The author's prose in both forms of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prose {
    /// HTML without anything that the Markdown did not say: raw HTML shows as text.
    pub html: String,
    /// Markdown without raw HTML.
    pub markdown: String,
}

/// Makes prose safe: raw HTML becomes text, links with schemes other than http, https and mailto
/// lose their target, images become links (a page asks no other host for anything), and headings
/// go two levels down, below those of the page.
pub fn prose(text: &str) -> Prose {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH;
    let events = safe_events(Parser::new_ext(text, options));
    let mut as_html = String::new();
    html::push_html(&mut as_html, events.iter().cloned());
    let mut as_markdown = String::new();
    // Formatting into a string fails only on events out of balance, which the parser never makes.
    if pulldown_cmark_to_cmark::cmark(events.iter(), &mut as_markdown, options).is_err() {
        as_markdown = markdown(text);
    }
    Prose {
        html: as_html,
        markdown: as_markdown,
    }
}

fn safe_events<'a>(events: impl Iterator<Item = Event<'a>>) -> Vec<Event<'a>> {
    // For each open link or image: whether its end is written.
    let mut open: Vec<bool> = Vec::new();
    let mut safe = Vec::new();
    for event in events {
        match event {
            Event::Html(text) | Event::InlineHtml(text) => safe.push(Event::Text(text)),
            // The block around raw HTML is a paragraph once its content is text.
            Event::Start(Tag::HtmlBlock) => safe.push(Event::Start(Tag::Paragraph)),
            Event::End(TagEnd::HtmlBlock) => safe.push(Event::End(TagEnd::Paragraph)),
            Event::Start(Tag::Heading {
                level,
                id,
                classes,
                attrs,
            }) => {
                safe.push(Event::Start(Tag::Heading {
                    level: lower(level),
                    id,
                    classes,
                    attrs,
                }));
            }
            Event::End(TagEnd::Heading(level)) => {
                safe.push(Event::End(TagEnd::Heading(lower(level))))
            }
            Event::Start(Tag::Link {
                link_type,
                dest_url,
                title,
                id,
            }) => {
                let keep = safe_link(&dest_url) && !open.contains(&true);
                open.push(keep);
                if keep {
                    safe.push(Event::Start(Tag::Link {
                        link_type,
                        dest_url,
                        title,
                        id,
                    }));
                }
            }
            Event::Start(Tag::Image {
                dest_url, title, ..
            }) => {
                let keep = safe_link(&dest_url) && !open.contains(&true);
                open.push(keep);
                if keep {
                    safe.push(Event::Start(Tag::Link {
                        link_type: pulldown_cmark::LinkType::Inline,
                        dest_url,
                        title,
                        id: CowStr::Borrowed(""),
                    }));
                }
            }
            Event::End(TagEnd::Link | TagEnd::Image) => {
                if open.pop() == Some(true) {
                    safe.push(Event::End(TagEnd::Link));
                }
            }
            other => safe.push(other),
        }
    }
    safe
}

fn lower(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 => HeadingLevel::H3,
        HeadingLevel::H2 => HeadingLevel::H4,
        HeadingLevel::H3 => HeadingLevel::H5,
        _ => HeadingLevel::H6,
    }
}

/// Whether a link may stand on a page: relative, or http, https, mailto. Browsers drop white space
/// and control characters before they look at the scheme, so they are dropped here too.
pub fn safe_link(target: &str) -> bool {
    let target: String = target
        .chars()
        .filter(|c| !c.is_whitespace() && !c.is_control())
        .collect();
    match target.split_once(':') {
        Some((scheme, _)) if !scheme.contains(['/', '?', '#']) => {
            ["http", "https", "mailto"].contains(&scheme.to_ascii_lowercase().as_str())
        }
        _ => true,
    }
}

/// Registers what Markdown templates need: `table`, `code`, `fence`.
pub fn register_filters(engine: &mut Tera) {
    engine.register_filter("table", |table: &Value, _: Kwargs, _: &State| {
        Value::safe_string(&aligned_table(table))
    });
    engine.register_filter("code", |text: &str, _: Kwargs, _: &State| {
        Value::safe_string(&markdown_code(text, false))
    });
    engine.register_filter("fence", |text: &str, kwargs: Kwargs, _: &State| {
        let language = kwargs
            .get::<String>("language")
            .ok()
            .flatten()
            .unwrap_or_default();
        Value::safe_string(&markdown_fence(text, &language))
    });
}

/// A [`super::view::table::Table`] as a pipe table whose columns line up in a plain-text view.
fn aligned_table(table: &Value) -> String {
    let list = |value: Option<&Value>| value.and_then(Value::as_array).unwrap_or_default().to_vec();
    let field = |value: &Value, key: &str| value.get_from_path(key).cloned();
    let text = |value: &Value, key: &str| {
        field(value, key)
            .and_then(|v| v.as_str().map(str::to_owned))
            .unwrap_or_default()
    };
    let columns = list(field(table, "columns").as_ref());
    let numbers: Vec<bool> = columns
        .iter()
        .map(|c| {
            field(c, "number")
                .and_then(|v| v.as_bool())
                .unwrap_or_default()
        })
        .collect();
    let mut rows: Vec<Vec<String>> = vec![
        columns
            .iter()
            .map(|c| markdown(&text(c, "label")))
            .collect(),
    ];
    for row in list(field(table, "rows").as_ref()) {
        rows.push(
            list(Some(&row))
                .iter()
                .map(|cell| {
                    let shown = markdown(&text(cell, "text"));
                    let shown = match text(cell, "link").as_str() {
                        "" => shown,
                        link => format!("[{shown}]({link})"),
                    };
                    match text(cell, "note").as_str() {
                        "" => shown,
                        note => format!("{shown} ({})", markdown(note)),
                    }
                })
                .collect(),
        );
    }
    let widths: Vec<usize> = (0..columns.len())
        .map(|at| {
            let cells = rows.iter().filter_map(|row| row.get(at));
            cells.map(|cell| cell.width()).max().unwrap_or(0).max(3)
        })
        .collect();
    let mut out = String::new();
    for (at, row) in rows.iter().enumerate() {
        for ((cell, width), number) in row.iter().zip(&widths).zip(&numbers) {
            let pad = " ".repeat(width.saturating_sub(cell.width()));
            if *number {
                out.push_str(&format!("| {pad}{cell} "));
            } else {
                out.push_str(&format!("| {cell}{pad} "));
            }
        }
        out.push_str("|\n");
        if at == 0 {
            for (width, number) in widths.iter().zip(&numbers) {
                let dashes = "-".repeat(width - 1);
                out.push_str(&if *number {
                    format!("| {dashes}: ")
                } else {
                    format!("| :{dashes} ")
                });
            }
            out.push_str("|\n");
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// At most one blank line in a row outside of fences, no blanks at line ends, one final newline.
pub fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut fence: Option<&str> = None;
    let mut blank = true;
    for line in text.lines() {
        let ticks = line.len() - line.trim_start_matches('`').len();
        match fence {
            None if ticks >= 3 => fence = line.get(..ticks),
            Some(open) if line == open => fence = None,
            _ => {}
        }
        let line = if fence.is_some() {
            line
        } else {
            line.trim_end()
        };
        if line.is_empty() && blank && fence.is_none() {
            continue;
        }
        blank = line.is_empty();
        out.push_str(line);
        out.push('\n');
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_html_becomes_text_in_both_forms() {
        let prose = prose(
            "# Big\n\n<script>alert(1)</script>\n\na <b onclick=x>bold</b> `<i>`\n\n<!-- x -->\n",
        );
        assert!(
            !prose.html.contains("<script") && !prose.html.contains("<b "),
            "{}",
            prose.html
        );
        assert!(prose.html.contains("<h3>Big</h3>"), "{}", prose.html);
        let again = super::prose(&prose.markdown);
        assert!(
            !again.html.contains("<script") && !again.html.contains("<b "),
            "{}",
            again.html
        );
        let events = Parser::new_ext(&prose.markdown, Options::all());
        for event in events {
            assert!(
                !matches!(event, Event::Html(_) | Event::InlineHtml(_)),
                "{}",
                prose.markdown
            );
        }
    }

    #[test]
    fn dangerous_links_lose_their_target() {
        for target in [
            "javascript:alert(1)",
            "JaVaScRiPt:x",
            "data:text/html,x",
            "vbscript:x",
            "java\tscript:x",
            " javascript:x",
            "file:///etc/passwd",
        ] {
            assert!(!safe_link(target), "{target}");
        }
        for target in [
            "https://a.b/c:d",
            "mailto:a@b.c",
            "other.md",
            "../x?y=a:b",
            "#frag",
            "//host/x",
            "",
        ] {
            assert!(safe_link(target), "{target}");
        }
        let prose = prose(
            "[a](javascript:alert(1)) ![b](https://elsewhere/x.png) [c](https://ok)\n\n[d]: data:x\n[d]",
        );
        assert!(
            !prose.html.contains("javascript") && !prose.html.contains("<img"),
            "{}",
            prose.html
        );
        assert!(prose.html.contains("href=\"https://ok\""), "{}", prose.html);
        assert!(
            !prose.markdown.contains("javascript:") && !prose.markdown.contains("!["),
            "{}",
            prose.markdown
        );
    }

    #[test]
    fn blank_lines_fold_outside_of_fences() {
        assert_eq!(
            tidy("\n\na  \n\n\n\nb\n```\nx  \n\n\ny\n```\n\n\n"),
            "a\n\nb\n```\nx  \n\n\ny\n```\n"
        );
    }
}
