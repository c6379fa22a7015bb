//! The files beside the pages: what they say, that they follow their standards, and that nothing
//! from content breaks out of a text.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use pulldown_cmark::{Event, Options, Parser, Tag};
use roxmltree::{Document, Node};
use serde_json::{Value, json};
use speedbook::config::{self, BaseUrl};
use speedbook::render::{Templates, left_out, render, site_files};
use speedbook::run::{Fact, FactValue, Run};
use speedbook::site::{Outputs, Site, SiteFacts};
use speedbook::{content, redact::Redactor};

const ATOM: &str = "http://www.w3.org/2005/Atom";
const BASE: &str = "https://example.org/sub/path/";

/// Markup of every kind, terminal escapes, and characters that XML forbids.
const HOSTILE: &str = "a]]><script>alert(1)</script>\"'&amp;&#1;<![CDATA[x\u{0}\u{1}\u{b}\u{1b}[31m\u{7f}\u{9b}31m\u{fffe}\u{ffff}\r\n# h\n[x](javascript:alert(1))\n- <img src=x>\n\n> q `c` z";

fn facts(base: Option<&str>) -> SiteFacts {
    SiteFacts {
        title: "Speed tests".to_owned(),
        base_url: base.map(|base| BaseUrl::parse(base).unwrap()),
        ..SiteFacts::default()
    }
}

fn demo(base: Option<&str>) -> Site {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = config::load(root).unwrap();
    let redactor = Redactor::new(&[], &[]).unwrap();
    let redact = |run: &mut Run, names: &[String]| {
        redactor.run(run, names);
    };
    let content = content::load(root, &config, &redact).unwrap();
    let facts = SiteFacts {
        title: config.title,
        description: config.description.unwrap_or_default(),
        author: config.author.unwrap_or_default(),
        ..facts(base)
    };
    Site::new(
        facts,
        content.runs.into_iter().map(|loaded| loaded.run).collect(),
    )
}

fn run(slug: &str, measured_at: &str) -> Run {
    let mut run = Run::new();
    run.slug = slug.to_owned();
    run.facts.set_text(Fact::Title, slug);
    run.facts.set_text(Fact::MeasuredAt, measured_at);
    run
}

/// A site with planted texts wherever one of these files has a text.
fn hostile(base: Option<&str>) -> Site {
    let mut runs = Vec::new();
    for n in 0..2 {
        let mut run = run(&format!("x/{n}"), "2026-09-13T02:25:00Z");
        run.tags = vec![HOSTILE.to_owned(), HOSTILE.to_owned(), "\u{0}".to_owned()];
        for fact in Fact::ALL {
            if !matches!(fact, Fact::MeasuredAt | Fact::GpuCount | Fact::SourceUrl) {
                run.facts.set(*fact, FactValue::Text(HOSTILE.to_owned()));
            }
        }
        runs.push(run);
    }
    let text = HOSTILE.to_owned();
    let facts = SiteFacts {
        title: text.clone(),
        description: text.clone(),
        author: text.clone(),
        license: text,
        ..facts(base)
    };
    Site::new(facts, runs)
}

fn files(site: &Site) -> BTreeMap<String, String> {
    let files = site_files(site);
    let count = files.len();
    let files: BTreeMap<String, String> = files
        .into_iter()
        .map(|file| (file.path, String::from_utf8(file.bytes).unwrap()))
        .collect();
    assert_eq!(files.len(), count, "two files of one name");
    files
}

/// Every file of the site, by its path.
fn whole(site: &Site) -> BTreeMap<String, String> {
    let templates = Templates::default_theme().unwrap();
    let mut all = files(site);
    for page in site.pages() {
        for file in render(site, page, &templates).unwrap() {
            all.insert(file.path, String::from_utf8(file.bytes).unwrap());
        }
    }
    all
}

fn children<'a>(node: Node<'a, 'a>, name: &'static str) -> Vec<Node<'a, 'a>> {
    let named = move |n: &Node| n.has_tag_name((ATOM, name));
    node.children().filter(named).collect()
}

/// The text of the one child that must be there.
fn one<'a>(node: Node<'a, 'a>, name: &'static str) -> &'a str {
    let found = children(node, name);
    assert_eq!(found.len(), 1, "{name}");
    found[0].text().unwrap_or_default()
}

fn assert_absolute(address: &str) {
    assert!(address.starts_with(BASE), "{address}");
    let legal = |c: char| c.is_ascii_alphanumeric() || "-._~:/?#[]@!$&'()*+,;=%".contains(c);
    assert!(address.chars().all(legal), "{address}");
}

/// RFC 3339: `2026-09-13T02:25:00Z`.
fn assert_time(text: &str) {
    assert_eq!(
        text.parse::<jiff::Timestamp>().expect(text).to_string(),
        text
    );
}

/// The rules of RFC 4287 (4.1) for an element with metadata; its id and time.
fn check_common<'a>(node: Node<'a, 'a>) -> (&'a str, &'a str) {
    let (id, updated) = (one(node, "id"), one(node, "updated"));
    assert_absolute(id);
    assert_time(updated);
    one(node, "title");
    for name in ["author", "contributor"] {
        for person in children(node, name) {
            assert!(!one(person, "name").trim().is_empty());
        }
    }
    let mut alternates = BTreeSet::new();
    for link in children(node, "link") {
        assert_absolute(link.attribute("href").unwrap());
        let kind = link.attribute("type").unwrap();
        if link.attribute("rel") == Some("alternate") {
            assert!(alternates.insert(kind), "two alternates of one type");
        }
    }
    assert!(alternates.contains("text/html"));
    for category in children(node, "category") {
        assert!(!category.attribute("term").unwrap().is_empty());
    }
    for name in [
        "icon",
        "logo",
        "generator",
        "rights",
        "subtitle",
        "published",
        "summary",
    ] {
        assert!(children(node, name).len() <= 1, "{name}");
    }
    (id, updated)
}

/// The rules of RFC 4287, and ours; the titles of the entries.
fn check_feed(text: &str) -> Vec<String> {
    let document = Document::parse(text).unwrap();
    let feed = document.root_element();
    assert!(feed.has_tag_name((ATOM, "feed")));
    let (_, updated) = check_common(feed);
    let known = [
        "feed",
        "id",
        "title",
        "subtitle",
        "rights",
        "updated",
        "author",
        "link",
        "icon",
        "generator",
        "entry",
        "published",
        "summary",
        "category",
        "name",
    ];
    for node in document
        .root_element()
        .descendants()
        .filter(Node::is_element)
    {
        let name = node.tag_name();
        assert_eq!(name.namespace(), Some(ATOM));
        assert!(known.contains(&name.name()), "{}", name.name());
    }
    let of_feed = children(feed, "link");
    let itself = of_feed
        .iter()
        .find(|link| link.attribute("rel") == Some("self"));
    assert_eq!(
        itself.unwrap().attribute("href"),
        Some(&*format!("{BASE}feed.xml"))
    );
    assert_eq!(
        children(feed, "author").len(),
        1,
        "for the entries without one"
    );
    let entries = children(feed, "entry");
    assert!((1..=100).contains(&entries.len()));
    let mut ids = BTreeSet::new();
    let mut times = Vec::new();
    let titles = entries
        .iter()
        .map(|entry| {
            let (id, time) = check_common(*entry);
            assert!(ids.insert(id.to_owned()), "two entries with the id {id}");
            assert_time(one(*entry, "published"));
            assert!(!one(*entry, "summary").is_empty());
            times.push(time.to_owned());
            one(*entry, "title").to_owned()
        })
        .collect();
    assert_eq!(times[0], updated);
    assert!(times.is_sorted_by(|a, b| a >= b), "newest first");
    titles
}

#[test]
fn the_demo_has_a_valid_feed_of_its_dated_runs() {
    let site = demo(Some(BASE));
    let titles = check_feed(&files(&site)["feed.xml"]);
    let dated = site
        .runs
        .iter()
        .filter(|page| page.run.facts.text(Fact::MeasuredAt).is_some());
    let expected: Vec<&str> = dated.map(|page| page.run.title()).collect();
    assert_eq!(titles, expected);
    assert!(!titles.is_empty() && titles.len() < site.runs.len());
}

#[test]
fn a_feed_holds_the_newest_hundred() {
    let mut runs: Vec<Run> = (0..120)
        .map(|n| {
            run(
                &format!("r{n:03}"),
                &format!("2026-09-13T{:02}:{:02}:00", n / 60, n % 60),
            )
        })
        .collect();
    let mut draft = run("draft", "2026-10-01");
    draft.draft = true;
    runs.extend([
        draft,
        run("undated", ""),
        run("before-christ", "-000005-01-01"),
    ]);
    let titles = check_feed(&files(&Site::new(facts(Some(BASE)), runs))["feed.xml"]);
    let expected: Vec<String> = (20..120).rev().map(|n| format!("r{n:03}")).collect();
    assert_eq!(titles, expected);
}

#[test]
fn without_an_address_or_a_date_there_is_no_feed_and_no_link_to_it() {
    let undated = || vec![run("a", "")];
    for (site, feed, sitemap, note) in [
        (
            demo(None),
            false,
            false,
            Some("no feed, sitemap and canonical links: they need `base_url` in site.toml"),
        ),
        (
            Site::new(facts(None), undated()),
            false,
            false,
            Some("no sitemap and canonical links: they need `base_url` in site.toml"),
        ),
        (
            Site::new(facts(Some(BASE)), undated()),
            false,
            true,
            Some("no feed: it needs a run with a date (`measured_at`)"),
        ),
        (Site::new(facts(Some(BASE)), vec![]), false, true, None),
        (demo(Some(BASE)), true, true, None),
    ] {
        let all = whole(&site);
        assert_eq!(all.contains_key("feed.xml"), feed);
        assert_eq!(all.contains_key("sitemap.xml"), sitemap);
        assert_eq!(left_out(&site).as_deref(), note);
        for (path, text) in &all {
            let named = text.contains("feed.xml");
            let head = path.ends_with(".html") || path == "llms.txt";
            assert_eq!(named, feed && (head || path == "feed.xml"), "{path}");
            assert!(
                site.facts.base_url.is_some() || !text.contains("canonical"),
                "{path}"
            );
        }
        assert_eq!(
            all["robots.txt"].contains("Sitemap: https://example.org/sub/path/sitemap.xml\n"),
            sitemap
        );
        assert_eq!(all[".nojekyll"], "");
    }
}

/// The links of a page's head: relation and type, with the address.
fn head_links(html: &str) -> Vec<(String, String)> {
    let html = scraper::Html::parse_document(html);
    let select = scraper::Selector::parse("head link").unwrap();
    html.select(&select)
        .map(|link| {
            let value = |name| link.value().attr(name).unwrap_or_default();
            (
                format!("{} {}", value("rel"), value("type")),
                value("href").to_owned(),
            )
        })
        .collect()
}

#[test]
fn a_page_names_its_address_and_its_other_forms() {
    let site = Site::new(facts(Some(BASE)), vec![run("x/große", "2026-09-13")]);
    let all = whole(&site);
    let links = |page: &str| -> Vec<String> {
        let links = head_links(&all[page]);
        links
            .into_iter()
            .filter(|(kind, _)| kind != "stylesheet ")
            .map(|(kind, to)| format!("{kind}: {to}"))
            .collect()
    };
    assert_eq!(
        links("runs/x/große/index.html"),
        [
            "icon image/svg+xml: ../../../favicon.svg",
            "canonical : https://example.org/sub/path/runs/x/gro%C3%9Fe/",
            "alternate text/markdown: index.md",
            "alternate application/json: run.json",
            "alternate application/atom+xml: ../../../feed.xml",
        ]
    );
    assert_eq!(
        links("index.html"),
        [
            "icon image/svg+xml: favicon.svg",
            "canonical : https://example.org/sub/path/",
            "alternate text/markdown: index.md",
            "alternate application/atom+xml: feed.xml",
        ]
    );
}

/// The links of a Markdown text, with their words.
fn markdown_links(text: &str) -> Vec<String> {
    Parser::new_ext(text, Options::all())
        .filter_map(|event| match event {
            Event::Start(Tag::Link { dest_url, .. }) => Some(dest_url.to_string()),
            _ => None,
        })
        .collect()
}

#[test]
fn the_links_of_llms_txt_lead_to_files() {
    for base in [None, Some(BASE)] {
        for (markdown, json, csv) in [
            (true, true, true),
            (false, false, false),
            (true, false, true),
        ] {
            let mut site = demo(base);
            site.facts.outputs = Outputs {
                markdown,
                json,
                csv,
                ..Outputs::default()
            };
            let all = whole(&site);
            assert_eq!(all.contains_key("index.json"), json);
            let links = markdown_links(&all["llms.txt"]);
            assert!(links.len() >= site.runs.len());
            for link in links {
                let path = link.strip_prefix(base.unwrap_or_default()).expect(&link);
                let file = if path.ends_with('/') {
                    format!("{path}index.html")
                } else {
                    path.to_owned()
                };
                assert!(all.contains_key(&file), "{link}");
            }
        }
    }
}

#[test]
fn llms_txt_has_the_form_of_its_standard() {
    let text = &files(&demo(None))["llms.txt"];
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "# speedbook demo");
    assert!(lines[2].starts_with("> Speed tests of large language models"));
    let headings: Vec<&&str> = lines.iter().filter(|line| line.starts_with('#')).collect();
    assert_eq!(headings, [&"# speedbook demo", &"## Data", &"## Runs"]);
    let runs = lines.iter().skip_while(|line| **line != "## Runs").skip(2);
    for line in runs {
        assert!(line.starts_with("- ["), "{line}");
    }
}

#[test]
fn planted_texts_stay_texts() {
    for base in [None, Some(BASE)] {
        let site = hostile(base);
        for (path, text) in files(&site) {
            let controls: Vec<char> = text
                .chars()
                .filter(|c| c.is_control() && *c != '\n')
                .collect();
            assert_eq!(controls, [], "{path}");
            match path.rsplit_once('.').unwrap().1 {
                "xml" => {
                    let document = Document::parse(&text).expect(&path);
                    for node in document.descendants().filter(Node::is_element) {
                        let namespace = node.tag_name().namespace().unwrap();
                        assert!(
                            namespace == ATOM || namespace.contains("sitemaps.org"),
                            "{path}"
                        );
                    }
                    if path == "feed.xml" {
                        let titles = check_feed(&text);
                        assert!(titles[0].starts_with("a]]><script>alert(1)</script>\"'&amp;&#1;<![CDATA[x[31m31m # h [x](javascript:alert(1)) - <img"), "{titles:?}");
                    }
                }
                "json" => {
                    let value: Value = serde_json::from_str(&text).unwrap();
                    assert_eq!(value["runs"][0]["title"], HOSTILE);
                    assert_eq!(value["runs"][1]["tags"][0], HOSTILE);
                    assert_eq!(
                        text.lines().count(),
                        4 + value.as_object().unwrap().len() + 2 - 1
                    );
                }
                "txt" if path == "llms.txt" => {
                    for event in Parser::new_ext(&text, Options::all()) {
                        let markup = match &event {
                            Event::Html(_)
                            | Event::InlineHtml(_)
                            | Event::Start(Tag::Image { .. }) => true,
                            Event::Start(Tag::Link { dest_url, .. }) => {
                                !dest_url.starts_with(base.unwrap_or(""))
                                    || dest_url.contains("javascript")
                            }
                            Event::Code(code) => {
                                !["index.md", "run.json", "speedbook.run/1"].contains(&&**code)
                            }
                            _ => false,
                        };
                        assert!(!markup, "{event:?}");
                    }
                    let headings = text.lines().filter(|line| line.starts_with('#')).count();
                    assert_eq!(headings, 3);
                }
                "txt" => assert_eq!(text.lines().count(), if base.is_some() { 4 } else { 2 }),
                _ => assert!(!text.contains("alert")),
            }
        }
    }
}

#[test]
fn the_index_has_what_readers_filter_by() {
    let site = demo(None);
    let text = &files(&site)["index.json"];
    let index: Value = serde_json::from_str(text).unwrap();
    assert_eq!(index["schema"], "speedbook.index/1");
    let runs = index["runs"].as_array().unwrap();
    assert_eq!(runs.len(), site.runs.len());
    let report = runs
        .iter()
        .find(|run| run["slug"] == "qwen3.5-397b-a17b-nvfp4-4x-h200-sxm")
        .unwrap();
    let line = text
        .lines()
        .find(|line| line.contains("\"slug\":\"qwen3.5-397b"))
        .unwrap();
    assert_eq!(
        line.trim().trim_end_matches(','),
        report.to_string(),
        "a run a line"
    );
    insta::assert_snapshot!(serde_json::to_string_pretty(report).unwrap());
}

#[test]
fn drafts_and_runs_that_are_not_ranked_say_so_in_the_index() {
    let mut draft = run("a", "");
    draft.draft = true;
    draft.ranked = false;
    draft.complete = false;
    let site = Site::new(facts(None), vec![draft, run("b", "")]);
    let index: Value = serde_json::from_str(&files(&site)["index.json"]).unwrap();
    let said = |n: usize| {
        let run = &index["runs"][n];
        (
            run["draft"].clone(),
            run["ranked"].clone(),
            run["complete"].clone(),
        )
    };
    assert_eq!(said(0), (json!(true), json!(false), json!(false)));
    assert_eq!(said(1), (Value::Null, json!(true), json!(true)));
}
