//! Pages of unusual runs: nothing empty, nothing invented, nothing unescaped.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use scraper::{ElementRef, Html, Selector};
use speedbook::content::load;
use speedbook::render::{Templates, render};
use speedbook::site::{Page, Site, SiteFacts};

fn select<'a>(html: &'a Html, selector: &str) -> Vec<ElementRef<'a>> {
    html.select(&Selector::parse(selector).unwrap()).collect()
}

/// A page with what every page must have: one h1, no empty table, no heading without content,
/// unique ids, links within the page that lead somewhere.
fn check(name: &str, text: &str) {
    let html = Html::parse_document(text);
    assert_eq!(select(&html, "h1").len(), 1, "{name}");
    for table in select(&html, "table") {
        let rows = Selector::parse("tbody tr").unwrap();
        assert!(
            table.select(&rows).next().is_some(),
            "{name}: a table without rows"
        );
        let heads = Selector::parse("thead th").unwrap();
        let cells = Selector::parse("td, th").unwrap();
        let width = table.select(&heads).count();
        for row in table.select(&rows) {
            assert_eq!(row.select(&cells).count(), width, "{name}: a ragged row");
        }
    }
    for section in select(&html, "section") {
        let text: String = section.text().collect();
        let heading: String = section
            .select(&Selector::parse("h2").unwrap())
            .flat_map(|h| h.text())
            .collect();
        assert!(
            text.trim().len() > heading.trim().len(),
            "{name}: nothing below {heading:?}"
        );
    }
    let mut ids = BTreeSet::new();
    for element in select(&html, "[id]") {
        let id = element.attr("id").unwrap();
        assert!(ids.insert(id), "{name}: id {id} twice");
    }
    for link in select(&html, "a[href^='#']") {
        let target = link.attr("href").unwrap().trim_start_matches('#');
        assert!(ids.contains(target), "{name}: #{target} leads nowhere");
    }
    for script in select(&html, "script") {
        let data = script.attr("type") == Some("application/ld+json");
        let deferred = script.attr("src").is_some() && script.attr("defer").is_some();
        assert!(
            data || deferred && script.inner_html().is_empty(),
            "{name}: a script"
        );
    }
    for element in select(&html, "*") {
        for (attribute, _) in element.value().attrs() {
            let inline = attribute == "style" || attribute.starts_with("on");
            assert!(!inline, "{name}: {attribute} on {}", element.value().name());
        }
    }
}

fn pages(content: &Path) -> Vec<(String, String)> {
    let config = speedbook::config::load(content).unwrap();
    let loaded = load(content, &config, &|_, _| {}).unwrap();
    let runs = loaded.runs.into_iter().map(|r| r.run).collect();
    let site = Site::new(SiteFacts::default(), runs);
    let templates = Templates::default_theme().unwrap();
    (0..site.runs.len())
        .flat_map(|at| render(&site, Page::Run(at), &templates).unwrap())
        .filter(|file| file.path.ends_with(".html"))
        .map(|file| (file.path, String::from_utf8(file.bytes).unwrap()))
        .collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

#[test]
fn the_demos_pages_are_whole() {
    let pages = pages(&root());
    assert!(pages.len() >= 6);
    for (name, text) in pages {
        check(&name, &text);
    }
}

#[test]
fn pages_of_all_kinds_of_run_files_are_whole() {
    let dir = tempfile::tempdir().unwrap();
    let runs = dir.path().join("content/runs");
    fs_err::create_dir_all(&runs).unwrap();
    for entry in fs_err::read_dir(root().join("tests/fixtures/runs")).unwrap() {
        let entry = entry.unwrap();
        fs_err::copy(entry.path(), runs.join(entry.file_name())).unwrap();
    }
    // Every cell failed; one cell; only prefill; nothing but one status.
    let cell = |c: u32, tps: f64, errors: u32| {
        format!(
            "{{\"concurrency\":{c},\"context_tokens\":0,\"aggregate_tps\":{tps},\"ttft_p50\":0.0,\"total_tokens\":0,\"num_errors\":{errors}}}"
        )
    };
    let file = |levels: &str, cells: &str, prefill: &str| {
        format!(
            "{{\"metadata\":{{\"model\":\"m\",\"timestamp\":\"2026-01-01T00:00:00\",\"duration_per_test\":30.0,\"max_tokens\":16,\"max_total_tokens\":0,\"concurrency_levels\":[{levels}],\"context_lengths\":[0]}},\"prefill\":{{{prefill}}},\"results\":[{cells}],\"summary_table\":{{}}}}"
        )
    };
    let failed = [cell(1, 0.0, 1), cell(4, 0.0, 4)].join(",");
    for (name, text) in [
        ("all-failed", file("1,4", &failed, "")),
        ("one-cell", file("1", &cell(1, 55.5, 0), "")),
        (
            "prefill",
            file(
                "1",
                &cell(1, 5.0, 0),
                "\"8192\":{\"ttft_seconds\":0.5,\"tok_per_sec\":16384.0}",
            ),
        ),
    ] {
        fs_err::write(runs.join(format!("{name}.json")), text).unwrap();
    }
    let pages = pages(dir.path());
    assert!(pages.len() >= 8, "{}", pages.len());
    for (name, text) in &pages {
        check(name, text);
    }
    let all_failed = &pages
        .iter()
        .find(|(name, _)| name.contains("all-failed"))
        .unwrap()
        .1;
    assert!(
        all_failed.contains("Failed") && !all_failed.contains("class=\"key\""),
        "no key figure of failed cells"
    );
    assert!(!all_failed.contains("<b>0"), "a failed cell is not a zero");
}

#[test]
fn the_head_of_a_run_tells_previews_and_search_engines_what_it_is() {
    use data_encoding::BASE64;
    use sha2::{Digest, Sha256};
    let config = speedbook::config::load(&root()).unwrap();
    let loaded = load(&root(), &config, &|_, _| {}).unwrap();
    let runs = loaded.runs.into_iter().map(|r| r.run).collect();
    let facts = SiteFacts {
        base_url: Some(speedbook::config::BaseUrl::parse("https://example.org/t/").unwrap()),
        ..SiteFacts::default()
    };
    let site = Site::new(facts, runs);
    let templates = Templates::default_theme().unwrap();
    for at in 0..site.runs.len() {
        let run = &site.runs[at];
        let files = render(&site, Page::Run(at), &templates).unwrap();
        let page = files.iter().find(|f| f.path.ends_with(".html")).unwrap();
        let html = Html::parse_document(std::str::from_utf8(&page.bytes).unwrap());
        let of = |selector: &str, name: &str| {
            let found = select(&html, selector);
            assert_eq!(found.len(), 1, "{}: {selector}", page.path);
            found[0].attr(name).unwrap().to_owned()
        };
        let address = format!("https://example.org/t/runs/{}/", run.run.slug);
        assert_eq!(of("meta[property='og:title']", "content"), run.run.title());
        assert_eq!(of("meta[property='og:url']", "content"), address);
        assert_eq!(of("meta[name='twitter:card']", "content"), "summary");
        assert_eq!(of("link[rel=canonical]", "href"), address);
        for (kind, file) in [
            ("text/markdown", "index.md"),
            ("application/json", "run.json"),
        ] {
            assert_eq!(
                of(&format!("link[rel=alternate][type='{kind}']"), "href"),
                file
            );
        }
        let script = select(&html, "script[type='application/ld+json']");
        let text = script[0].inner_html();
        let data: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(data["@type"], "Dataset");
        assert_eq!(data["name"], run.run.title());
        assert_eq!(data["url"], address);
        let policy = of("meta[http-equiv='Content-Security-Policy']", "content");
        let hash = BASE64.encode(&Sha256::digest(text.as_bytes()));
        assert!(
            policy.contains(&format!("script-src 'self' 'sha256-{hash}';")),
            "{policy}"
        );
        assert!(!policy.contains("unsafe"), "{policy}");
    }
}
