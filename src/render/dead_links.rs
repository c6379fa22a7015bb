//! Links of finished pages, in HTML and in Markdown: each page reports its links and its anchors
//! when it is rendered, and at the end those are found that lead to nothing.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts, states,
};

use crate::diagnostic::{Code, Diagnostic, Place};
use crate::markdown::{Outline, Target, has_scheme, links};
use crate::site::{Site, SiteFacts};

/// The links and anchors of one finished page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageLinks {
    /// The page's file below the output folder.
    path: String,
    anchors: HashSet<String>,
    links: Vec<PageLink>,
}

/// A link of a finished page.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct PageLink {
    /// As it stands there.
    written: String,
    line: usize,
    /// The file that it leads to; `None` where it leads out of the site.
    file: Option<String>,
    anchor: Option<String>,
}

/// Reads a finished page; `None` for files that are neither HTML nor Markdown.
pub fn read(facts: &SiteFacts, path: &str, bytes: &[u8]) -> Option<PageLinks> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut page = PageLinks {
        path: path.to_owned(),
        ..PageLinks::default()
    };
    let found = if path.ends_with(".html") {
        html(text, &mut page.anchors)
    } else if path.ends_with(".md") {
        page.anchors = markdown_anchors(text);
        let links = links(text).into_iter();
        links.map(|link| (link.target, link.line)).collect()
    } else {
        return None;
    };
    let mut seen = HashSet::new();
    for (written, line) in found {
        if seen.contains(&written) {
            continue;
        }
        if let Some(link) = internal(facts, path, &written, line) {
            let own = link.file.as_deref() == Some(path);
            // Most links lead to a part of the same page: they are settled here.
            let settled = own
                && link
                    .anchor
                    .as_ref()
                    .is_none_or(|anchor| page.anchors.contains(anchor));
            if !settled {
                page.links.push(link);
            }
        }
        seen.insert(written);
    }
    Some(page)
}

/// A link of a page to its own site; `None` for others.
fn internal(facts: &SiteFacts, path: &str, written: &str, line: usize) -> Option<PageLink> {
    let base = facts.base_url.as_ref().map(|base| base.as_str());
    let (target, folder) = match base.and_then(|base| written.strip_prefix(base)) {
        Some(rest) => (Target::parse(rest), ""),
        None if has_scheme(written) => return None,
        None => {
            let mut target = Target::parse(written);
            if target.path.starts_with('/') {
                // Another site of the same host is not known here.
                let below = target.path.strip_prefix(facts.base_path())?;
                target.path = format!("/{below}");
            }
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            (target, folder)
        }
    };
    let own = target.path.is_empty() && base.is_none_or(|base| !written.starts_with(base));
    let file = if own {
        Some(path.to_owned())
    } else {
        target.from(folder).map(|file| {
            if file.is_empty() || file.ends_with('/') {
                file + "index.html"
            } else {
                file
            }
        })
    };
    Some(PageLink {
        written: written.to_owned(),
        line,
        file,
        anchor: target.fragment,
    })
}

/// The anchors of the headings of a Markdown page.
fn markdown_anchors(text: &str) -> HashSet<String> {
    let headings = Outline::of(text, "", &[]).headings.into_iter();
    headings.map(|heading| heading.slug).collect()
}

/// The links of an HTML page, each with its line; its anchors are added.
fn html(text: &str, anchors: &mut HashSet<String>) -> Vec<(String, usize)> {
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(text));
    let tokenizer = Tokenizer::new(Sink::default(), TokenizerOpts::default());
    // Nothing ever stops a script here.
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    anchors.extend(tokenizer.sink.anchors.take());
    tokenizer.sink.links.take()
}

#[derive(Default)]
struct Sink {
    anchors: RefCell<Vec<String>>,
    links: RefCell<Vec<(String, usize)>>,
}

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<()> {
        let Token::TagToken(tag) = token else {
            return TokenSinkResult::Continue;
        };
        if tag.kind != TagKind::StartTag {
            return TokenSinkResult::Continue;
        }
        for attribute in &tag.attrs {
            match &*attribute.name.local {
                "id" => self.anchors.borrow_mut().push(attribute.value.to_string()),
                "href" | "src" => {
                    let link = attribute.value.to_string();
                    let line = usize::try_from(line).unwrap_or(usize::MAX);
                    self.links.borrow_mut().push((link, line));
                }
                _ => {}
            }
        }
        // What stands in these is no markup.
        match &*tag.name {
            "script" => TokenSinkResult::RawData(states::RawKind::ScriptData),
            "style" => TokenSinkResult::RawData(states::RawKind::Rawtext),
            "title" | "textarea" => TokenSinkResult::RawData(states::RawKind::Rcdata),
            _ => TokenSinkResult::Continue,
        }
    }
}

/// All links of finished pages that lead to nothing, given all files of the site. A link that the
/// author wrote is told of where it was written.
pub fn dead_links(site: &Site, pages: &[PageLinks], files: &BTreeSet<String>) -> Vec<Diagnostic> {
    let by_path: HashMap<&str, &PageLinks> = pages
        .iter()
        .map(|page| (page.path.as_str(), page))
        .collect();
    // A link of a template is dead on every page: it is told of once.
    let mut dead: BTreeMap<(String, String), (Place, usize)> = BTreeMap::new();
    let mut problems = Vec::new();
    for page in pages {
        for link in &page.links {
            let Some(what) = fault(link, &by_path, files) else {
                continue;
            };
            if let Some(place) = written_place(site, page, link) {
                problems.push(
                    Diagnostic::new(
                        Code::DeadAnchor,
                        place.clone(),
                        format!(
                            "the link to \"#{}\" leads to a part that the page does not have",
                            link.anchor.as_deref().unwrap_or_default()
                        ),
                    )
                    .help("see the finished page for the anchors that it has"),
                );
                continue;
            }
            let form = page.path.rsplit('.').next().unwrap_or_default().to_owned();
            let goal = link.file.clone().unwrap_or_else(|| link.written.clone());
            let own = link.file.as_deref() == Some(page.path.as_str());
            let goal = if own { String::new() } else { goal };
            let anchor = link.anchor.as_deref().unwrap_or_default();
            let place = Place::line(&page.path, link.line);
            let message = format!("the link \"{}\" {what}", link.written);
            dead.entry((form, format!("{goal}#{anchor}")))
                .and_modify(|(_, count)| *count += 1)
                .or_insert_with(|| {
                    problems.push(Diagnostic::new(Code::DeadPageLink, place.clone(), message));
                    (place, 1)
                });
        }
    }
    for problem in &mut problems {
        let count = dead
            .values()
            .find(|(place, _)| *place == problem.place)
            .map_or(1, |(_, count)| *count);
        if problem.code == Code::DeadPageLink {
            problem.help = match count {
                1 => "the finished page has it; see the template that it was made with".to_owned(),
                n => {
                    format!("{n} finished pages have it; see the template that they were made with")
                }
            };
        }
    }
    problems
}

fn fault(
    link: &PageLink,
    pages: &HashMap<&str, &PageLinks>,
    files: &BTreeSet<String>,
) -> Option<&'static str> {
    let Some(file) = &link.file else {
        return Some("leads out of the site");
    };
    if !files.contains(file) {
        let page = format!("{file}/index.html");
        return Some(if files.contains(&page) {
            "lacks the slash at its end"
        } else {
            "leads nowhere"
        });
    }
    let anchor = link.anchor.as_ref()?;
    // Of files that were copied the anchors are not known.
    let page = pages.get(file.as_str())?;
    (!page.anchors.contains(anchor) && anchor != "top")
        .then_some("leads to a part that the page does not have")
}

/// Where the author wrote a link to an anchor of a finished page.
fn written_place<'a>(site: &'a Site, page: &PageLinks, link: &PageLink) -> Option<&'a Place> {
    let key = (page.path.clone(), link.file.clone()?, link.anchor.clone()?);
    site.awaited.get(&key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::BaseUrl;

    fn said(facts: SiteFacts, pages: &[(&str, &str)], others: &[&str]) -> Vec<String> {
        let read: Vec<PageLinks> = pages
            .iter()
            .filter_map(|(path, text)| read(&facts, path, text.as_bytes()))
            .collect();
        let files = pages
            .iter()
            .map(|(path, _)| *path)
            .chain(others.iter().copied());
        let files = files.map(str::to_owned).collect();
        dead_links(&Site::new(facts, Vec::new()), &read, &files)
            .iter()
            .map(|problem| format!("{}: {}", problem.place, problem.message))
            .collect()
    }

    #[test]
    fn links_that_lead_to_something_are_fine() {
        let facts = SiteFacts {
            base_url: BaseUrl::parse("https://a.org/sub/").ok(),
            ..SiteFacts::default()
        };
        let pages = [
            (
                "a/index.html",
                "<p id=x><a href='#x'><a href='#'><a href='../'><a href='../a/?q=1#x'><a href='https://b/'><img src='../p%20q.png'><script>'<a href=no>'</script><a href='/other/'><a href='mailto:a@b'><!-- <a href=no> --><title><a href=no></title>",
            ),
            (
                "index.html",
                "<link href='https://a.org/sub/a/'><a href='./'><a href='a/#x'><a href='/sub/a/'><a href='s.html#y'>",
            ),
            (
                "a/index.md",
                "# The x\n\n[a](#the-x) [b](../p%20q.png) [c](https://b)",
            ),
        ];
        assert_eq!(
            said(facts, &pages, &["p q.png", "s.html"]),
            Vec::<String>::new()
        );
    }

    #[test]
    fn links_that_lead_nowhere_are_told_with_page_and_line() {
        let pages = [
            (
                "a/index.html",
                "\n<a href='#y'>\n<a href='../b'>\n<a href='../../x'><a href=/c/>",
            ),
            ("b/index.html", "<a href='../a/index.html#z'><a href='/c/'>"),
            ("b/index.md", "\n[x](#b) [y](../a/index.md)"),
        ];
        assert_eq!(
            said(SiteFacts::default(), &pages, &[]),
            [
                "a/index.html:2: the link \"#y\" leads to a part that the page does not have",
                "a/index.html:3: the link \"../b\" lacks the slash at its end",
                "a/index.html:4: the link \"../../x\" leads out of the site",
                "a/index.html:4: the link \"/c/\" leads nowhere",
                "b/index.html:1: the link \"../a/index.html#z\" leads to a part that the page does not have",
                "b/index.md:2: the link \"#b\" leads to a part that the page does not have",
                "b/index.md:2: the link \"../a/index.md\" leads nowhere",
            ]
        );
    }
}
