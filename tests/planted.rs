//! Markup, schemes, formulas, terminal escapes and forbidden characters planted in every text field
//! of a run and of a site reach no output as what they are. Structs are written out in full here,
//! and facts and metrics come from their tables, so that no new field is forgotten.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

use pulldown_cmark::{Event, Options, Parser, Tag};
use scraper::{Html, Selector};
use serde_json::{Map, json};
use speedbook::render::{Templates, render, site_files};
use speedbook::run::fact::Kind;
use speedbook::run::{
    Context, Fact, FactValue, Facts, Figure, Figures, Measurement, Metric, Phase, Run, Source,
    Status,
};
use speedbook::site::{Site, SiteFacts};

/// What is planted; each begins in a way that some output could take for its own.
const PLANTED: &[&str] = &[
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "]]></title><!-- --><svg/onload=alert(1)>",
    "[x](javascript:alert(1)) ![y](https://elsewhere.example/x.png)",
    "=HYPERLINK(\"https://elsewhere.example\")",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "{{ 7 * 7 }}{% include 'x' %}",
    "`code` | cell | **bold** <b>",
    "\u{fffe}\u{0}\u{b}\u{ffff}",
];

fn words(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn facts(text: &str) -> Facts {
    let mut facts = Facts::default();
    for fact in Fact::ALL {
        let value = match fact.info().kind {
            Kind::Text | Kind::Lines => FactValue::Text(text.to_owned()),
            Kind::Count => FactValue::Count(2),
            Kind::Number => FactValue::Number(2.5),
            Kind::Time => FactValue::Text("2026-01-01T00:00:00Z".to_owned()),
            Kind::Url => FactValue::Text("https://a.example/?\"><script>".to_owned()),
        };
        facts.set(*fact, value);
    }
    facts
}

fn measurement(text: &str, concurrency: u64, status: Status) -> Measurement {
    Measurement {
        context: Context {
            label: text.to_owned(),
            tokens: Some(8192),
            derived: false,
        },
        concurrency,
        status,
        status_text: words(text),
        reason: words(text),
        method: words(text),
        token_source: words(text),
        figures: Metric::ALL
            .iter()
            .map(|metric| (*metric, Figure::exact(1.0)))
            .collect::<Figures>(),
        unknown: Map::from_iter([(text.to_owned(), json!(text))]),
    }
}

fn run(text: &str) -> Run {
    let cells = || {
        let statuses = Status::ALL.iter().enumerate();
        statuses
            .map(|(at, status)| measurement(text, at as u64 + 1, *status))
            .collect()
    };
    Run {
        slug: "planted".to_owned(),
        facts: facts(text),
        tags: vec![text.to_owned()],
        complete: false,
        ranked: false,
        draft: true,
        aliases: Vec::new(),
        notes: vec![text.to_owned()],
        notes_markdown: words(text),
        prefill: vec![measurement(text, 1, Status::Other)],
        decode: cells(),
        burst: cells(),
        source: Source {
            path: text.to_owned(),
            format: text.to_owned(),
            sha256: text.to_owned(),
        },
        unknown: Map::from_iter([(text.to_owned(), json!({ text: text }))]),
    }
}

fn check_html(path: &str, text: &str) {
    let html = Html::parse_document(text);
    let all = Selector::parse("*").unwrap();
    for element in html.select(&all) {
        let name = element.value().name();
        // The theme's own scripts, and pictures of matrices.
        let own = match name {
            "script" => {
                let data = element.attr("type") == Some("application/ld+json");
                data || element.attr("src").is_some() && element.text().next().is_none()
            }
            "svg" => matches!(element.attr("class"), Some("thumb" | "plot")),
            _ => false,
        };
        assert!(
            own || !["script", "img", "svg", "iframe", "object", "base"].contains(&name),
            "{path}: <{name}>"
        );
        for (attribute, value) in element.value().attrs() {
            assert!(!attribute.starts_with("on"), "{path}: {attribute}");
            if ["href", "src", "action"].contains(&attribute) {
                let scheme = value
                    .split_once(':')
                    .map_or("", |(scheme, _)| scheme)
                    .trim()
                    .to_lowercase();
                assert!(
                    !["javascript", "data", "vbscript"].contains(&scheme.as_str()),
                    "{path}: {value}"
                );
            }
            assert!(
                attribute != "src" || !value.starts_with("http"),
                "{path}: asks another host: {value}"
            );
        }
    }
    assert!(
        !text.contains(" 49") && !text.contains(">49"),
        "{path}: a template in a text was run"
    );
}

fn check_markdown(path: &str, text: &str) {
    // The two comments by which a page of our own is known again.
    let text: String = text
        .lines()
        .filter(|line| {
            ![
                "<!-- speedbook.run/1 -->",
                "<!-- begin notes -->",
                "<!-- end notes -->",
            ]
            .contains(line)
        })
        .map(|line| format!("{line}\n"))
        .collect();
    let github = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_GFM;
    for event in Parser::new_ext(&text, github) {
        match event {
            Event::Html(html) | Event::InlineHtml(html) => panic!("{path}: {html}"),
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                assert!(
                    !dest_url.to_lowercase().contains("javascript:"),
                    "{path}: {dest_url}"
                );
            }
            _ => {}
        }
    }
}

#[test]
fn what_is_planted_in_any_field_stays_text_in_every_output() {
    let templates = Templates::default_theme().unwrap();
    for text in PLANTED {
        let facts = SiteFacts {
            title: (*text).to_owned(),
            description: (*text).to_owned(),
            author: (*text).to_owned(),
            license: (*text).to_owned(),
            repository: (*text).to_owned(),
            base_url: speedbook::config::BaseUrl::parse("https://a.example/").ok(),
            ..SiteFacts::default()
        };
        let other = Run {
            slug: "planted-2".to_owned(),
            ..run(text)
        };
        let site = Site::new(facts, vec![run(text), other]);
        let mut files = site_files(&site);
        for page in site.pages() {
            files.extend(render(&site, page, &templates).unwrap());
        }
        assert!(files.len() > 12);
        for file in &files {
            let content = String::from_utf8(file.bytes.clone()).unwrap();
            let name = format!("{} with {text:?}", file.path);
            match file.path.rsplit('.').next().unwrap() {
                "html" => check_html(&name, &content),
                "md" => check_markdown(&name, &content),
                "js" => {
                    let json = content.strip_prefix("speedbook.runs(").unwrap();
                    let json = json.strip_suffix(");\n").unwrap();
                    serde_json::from_str::<serde_json::Value>(json)
                        .unwrap_or_else(|e| panic!("{name}: {e}"));
                    assert!(!content.contains('<'), "{name}: markup in a script");
                }
                "json" => {
                    serde_json::from_str::<serde_json::Value>(&content)
                        .unwrap_or_else(|e| panic!("{name}: {e}"));
                }
                "xml" => {
                    roxmltree::Document::parse(&content).unwrap_or_else(|e| panic!("{name}: {e}"));
                }
                "csv" => {
                    let mut reader = csv::ReaderBuilder::new()
                        .flexible(false)
                        .from_reader(content.as_bytes());
                    for record in reader.records() {
                        for cell in &record.unwrap() {
                            let risky = cell.starts_with(['=', '+', '@', '-', '\t', '\r']);
                            assert!(!risky || cell.parse::<f64>().is_ok(), "{name}: {cell}");
                        }
                    }
                }
                _ => {}
            }
        }
        // Nothing was dropped to get there: the text is on the page.
        let page = files
            .iter()
            .find(|f| f.path == "runs/planted/index.html")
            .unwrap();
        let html = Html::parse_document(std::str::from_utf8(&page.bytes).unwrap());
        let shown: String = html.root_element().text().collect();
        if text.is_ascii() {
            assert!(shown.contains(text), "{text}");
        }
        assert_eq!(
            site.runs[0].run.phase(Phase::Decode).len(),
            Status::ALL.len()
        );
    }
}

#[test]
fn a_secret_in_any_field_reaches_no_output() {
    let templates = Templates::default_theme().unwrap();
    let redactor = speedbook::redact::Redactor::new(&[], &[]).unwrap();
    for (text, secret) in [
        (
            "token ghp_1a2B3c4D5e6F7g8H9i0JkLmNoPqRsTuVwXyZ",
            "ghp_1a2B3c4D5e6F7g8H9i0JkLmNoPqRsTuVwXyZ",
        ),
        ("see https://bob:hunter13xyz@host.example/x", "hunter13xyz"),
        ("run on http://sparky.local:8000/v1", "sparky"),
        ("from 192.168.17.23", "192.168.17.23"),
        ("in /home/bobby/models", "bobby"),
        ("--api-key 'correct horse battery'", "horse"),
    ] {
        let mut run = run(text);
        if text.contains("/home/") {
            // Folders of content/ are named by their author.
            run.source.path = "a.json".to_owned();
        }
        let hidden = redactor.run(&mut run, &[]);
        assert!(hidden.total() > 20, "{text}: {hidden:?}");
        let mut once_more = run.clone();
        assert_eq!(redactor.run(&mut once_more, &[]).total(), 0, "{text}");
        assert_eq!(once_more, run, "{text}");
        let other = Run {
            slug: "planted-2".to_owned(),
            ..run.clone()
        };
        let site = Site::new(SiteFacts::default(), vec![run, other]);
        let mut files = site_files(&site);
        for page in site.pages() {
            files.extend(render(&site, page, &templates).unwrap());
        }
        for file in files {
            let content = String::from_utf8(file.bytes).unwrap();
            assert!(!content.contains(secret), "{} shows {secret}", file.path);
        }
    }
}
