//! What prose has in HTML beyond its own markup: anchors at headings, colours in code, heads of
//! alerts, frames of wide tables, footnotes at the end.

use pulldown_cmark::{BlockQuoteKind, CodeBlockKind, CowStr, Event, Tag, TagEnd};

use super::Setting;
use crate::highlight::{escaped, highlight};

/// The events with everything that HTML has more.
pub(super) fn decorated<'a>(events: Vec<Event<'a>>, setting: &Setting) -> Vec<Event<'a>> {
    let (body, notes) = footnotes(events);
    let names: Vec<&CowStr> = notes.iter().map(|(name, _)| name).collect();
    let mut html = Html {
        prefix: setting.prefix,
        names,
        references: Vec::new(),
        out: Vec::new(),
    };
    html.events(body);
    if !notes.is_empty() {
        html.raw("<div class=\"footnotes\" role=\"doc-endnotes\">\n<ol>\n");
        for (at, (_, events)) in notes.iter().enumerate() {
            let number = at + 1;
            html.raw(&format!("<li id=\"{}fn:{number}\">\n", setting.prefix));
            html.events(events.clone());
            let used = html.references.iter().filter(|n| **n == number).count();
            for nth in 1..=used {
                let id = html.reference(number, nth);
                html.raw(&format!(
                    " <a class=\"back\" href=\"#{id}\" aria-label=\"Back to the text\">↩</a>"
                ));
            }
            html.raw("\n</li>\n");
        }
        html.raw("</ol>\n</div>\n");
    }
    html.out
}

/// A footnote: its name, and what it says.
type Footnote<'a> = (CowStr<'a>, Vec<Event<'a>>);

/// The text without its footnotes, and those that it refers to, in the order in which it does.
fn footnotes(events: Vec<Event>) -> (Vec<Event>, Vec<Footnote>) {
    let mut body = Vec::with_capacity(events.len());
    let mut notes: Vec<Footnote> = Vec::new();
    let mut open: Vec<Footnote> = Vec::new();
    let mut order: Vec<String> = Vec::new();
    for event in events {
        match event {
            Event::Start(Tag::FootnoteDefinition(name)) => open.push((name, Vec::new())),
            Event::End(TagEnd::FootnoteDefinition) => notes.extend(open.pop()),
            event => {
                if let Event::FootnoteReference(name) = &event
                    && !order.iter().any(|known| **known == **name)
                {
                    order.push(name.to_string());
                }
                match open.last_mut() {
                    Some((_, inner)) => inner.push(event),
                    None => body.push(event),
                }
            }
        }
    }
    let mut sorted = Vec::with_capacity(notes.len());
    for name in order {
        if let Some(at) = notes.iter().position(|(known, _)| **known == *name) {
            sorted.push(notes.remove(at));
        }
    }
    (body, sorted)
}

struct Html<'a, 'b> {
    prefix: &'b str,
    /// The names of the footnotes in their order.
    names: Vec<&'b CowStr<'a>>,
    /// The numbers of the footnotes that were referred to so far.
    references: Vec<usize>,
    out: Vec<Event<'a>>,
}

impl<'a> Html<'a, '_> {
    fn raw(&mut self, html: &str) {
        self.out.push(Event::Html(html.to_owned().into()));
    }

    fn inline(&mut self, html: String) {
        self.out.push(Event::InlineHtml(html.into()));
    }

    /// The anchor of the nth reference to a footnote.
    fn reference(&self, number: usize, nth: usize) -> String {
        match nth {
            1 => format!("{}fnref:{number}", self.prefix),
            _ => format!("{}fnref:{number}-{nth}", self.prefix),
        }
    }

    fn events(&mut self, events: Vec<Event<'a>>) {
        let mut code: Option<(String, String)> = None;
        let mut heading = String::new();
        for event in events {
            match event {
                Event::Start(Tag::CodeBlock(kind)) => {
                    let language = match &kind {
                        CodeBlockKind::Fenced(info) => {
                            info.split([' ', ',', '{']).next().unwrap_or_default()
                        }
                        CodeBlockKind::Indented => "",
                    };
                    code = Some((language.to_owned(), String::new()));
                }
                Event::End(TagEnd::CodeBlock) => {
                    let (language, text) = code.take().unwrap_or_default();
                    let marked = highlight(&text, &language);
                    self.raw(&format!(
                        "<pre tabindex=\"0\"><code>{marked}</code></pre>\n"
                    ));
                }
                Event::Text(text) if code.is_some() => {
                    if let Some((_, code)) = &mut code {
                        code.push_str(&text);
                    }
                }
                Event::Start(Tag::Heading {
                    level,
                    id,
                    classes,
                    attrs,
                }) => {
                    heading = id.as_ref().map(CowStr::to_string).unwrap_or_default();
                    self.out.push(Event::Start(Tag::Heading {
                        level,
                        id,
                        classes,
                        attrs,
                    }));
                }
                Event::End(TagEnd::Heading(level)) => {
                    let id = escaped(&heading);
                    self.inline(format!(
                        " <a class=\"anchor\" href=\"#{id}\" aria-label=\"Link to this part\">#</a>"
                    ));
                    self.out.push(Event::End(TagEnd::Heading(level)));
                }
                Event::Start(Tag::BlockQuote(Some(kind))) => {
                    let (class, word) = alert(kind);
                    self.raw(&format!(
                        "<div class=\"alert {class}\">\n<p class=\"alert-head\">{word}</p>\n"
                    ));
                }
                Event::End(TagEnd::BlockQuote(Some(_))) => self.raw("</div>\n"),
                Event::Start(Tag::Table(columns)) => {
                    self.raw("<div class=\"scroll\" role=\"region\" aria-label=\"Table\" tabindex=\"0\">");
                    self.out.push(Event::Start(Tag::Table(columns)));
                }
                Event::End(TagEnd::Table) => {
                    self.out.push(Event::End(TagEnd::Table));
                    self.raw("</div>\n");
                }
                Event::TaskListMarker(done) => {
                    let (mark, word) = if done {
                        ("☑", "done")
                    } else {
                        ("☐", "open")
                    };
                    self.inline(format!(
                        "<span class=\"task\" role=\"img\" aria-label=\"{word}\">{mark}</span> "
                    ));
                }
                Event::FootnoteReference(name) => {
                    match self.names.iter().position(|known| **known == name) {
                        Some(at) => {
                            let number = at + 1;
                            self.references.push(number);
                            let nth = self.references.iter().filter(|n| **n == number).count();
                            let id = self.reference(number, nth);
                            let prefix = self.prefix;
                            self.inline(format!(
                                "<sup id=\"{id}\"><a href=\"#{prefix}fn:{number}\">{number}</a></sup>"
                            ));
                        }
                        None => self.out.push(Event::Text(format!("[^{name}]").into())),
                    }
                }
                other => self.out.push(other),
            }
        }
    }
}

fn alert(kind: BlockQuoteKind) -> (&'static str, &'static str) {
    match kind {
        BlockQuoteKind::Note => ("note", "Note"),
        BlockQuoteKind::Tip => ("tip", "Tip"),
        BlockQuoteKind::Important => ("important", "Important"),
        BlockQuoteKind::Warning => ("warning", "Warning"),
        BlockQuoteKind::Caution => ("caution", "Caution"),
    }
}
