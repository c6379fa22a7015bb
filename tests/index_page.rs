//! The front page, the pages of older runs and the data that a script searches.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs
)]

use std::collections::BTreeMap;
use std::process::Command;

use scraper::{Html, Selector};
use serde_json::Value;
use speedbook::render::view::scale::ClassScale;
use speedbook::render::view::thumbnail::{site_scale, thumbnail};
use speedbook::render::{Templates, render};
use speedbook::run::{Context, Fact, FactValue, Figure, Measurement, Metric, Run, Status};
use speedbook::site::{Page, Site, SiteFacts};

fn cell(context: u64, concurrency: u64, status: Status, total: f64) -> Measurement {
    let mut cell = Measurement {
        context: Context::from_tokens(context),
        concurrency,
        status,
        ..Measurement::default()
    };
    if matches!(status, Status::Valid | Status::Queued) {
        cell.figures.set(Metric::TotalTokPerS, Figure::exact(total));
    }
    cell
}

/// The run of this number: a day later than the one before, all of one range of figures.
fn run(n: usize) -> Run {
    let mut run = Run::new();
    run.slug = format!("r{n}");
    let facts = &mut run.facts;
    facts.set_text(Fact::Title, format!("Run {n}"));
    facts.set_text(Fact::ModelName, format!("Model {}", n % 3));
    facts.set_text(Fact::Gpu, ["H200 SXM", "B200"][n % 2]);
    facts.set(Fact::GpuCount, FactValue::Count(4));
    facts.set_text(
        Fact::MeasuredAt,
        format!(
            "20{:02}-{:02}-{:02}",
            10 + n / 336,
            1 + n / 28 % 12,
            1 + n % 28
        ),
    );
    run.decode = vec![
        cell(8192, 1, Status::Valid, 10.0),
        cell(8192, 8, Status::Queued, 1_000.0),
        cell(16384, 1, Status::Valid, 9.5),
        cell(16384, 8, Status::OverCapacity, 0.0),
    ];
    run
}

fn site(runs: Vec<Run>) -> Site {
    Site::new(SiteFacts::default(), runs)
}

fn files(site: &Site, page: Page) -> BTreeMap<String, String> {
    let templates = Templates::default_theme().unwrap();
    let files = render(site, page, &templates).unwrap();
    files
        .into_iter()
        .map(|file| (file.path, String::from_utf8(file.bytes).unwrap()))
        .collect()
}

/// The data as a program reads it that knows no JavaScript.
fn data(site: &Site) -> (String, Value) {
    let script = files(site, Page::Front)["runs.js"].clone();
    let json = script
        .strip_prefix("speedbook.runs(")
        .and_then(|rest| rest.strip_suffix(");\n"))
        .unwrap();
    let data = serde_json::from_str(json).unwrap();
    (script, data)
}

fn texts(html: &str, selector: &str) -> Vec<String> {
    let html = Html::parse_document(html);
    html.select(&Selector::parse(selector).unwrap())
        .map(|element| {
            let words = element.text().flat_map(str::split_whitespace);
            words.collect::<Vec<_>>().join(" ")
        })
        .collect()
}

#[test]
fn a_page_of_older_runs_stays_the_same_when_runs_are_added() {
    let of = |n: usize| site((0..n).map(run).collect());
    let (before, after) = (of(310), of(450));
    assert_eq!((before.list_pages(), after.list_pages()), (3, 4));
    for page in 1..=2 {
        assert_eq!(
            files(&before, Page::List(page)),
            files(&after, Page::List(page)),
            "page {page}"
        );
    }
    // The newest of them leads to the front page until there is one between.
    let newest = |site: &Site| files(site, Page::List(3))["page/3/index.html"].clone();
    assert!(newest(&before).contains("rel=\"prev\" href=\"../../\""));
    assert!(newest(&after).contains("rel=\"prev\" href=\"../../page/4/\""));
    assert_eq!(
        newest(&before).replace("href=\"../../\">←", ""),
        newest(&after).replace("href=\"../../page/4/\">←", "")
    );
    let first = &files(&before, Page::List(1))["page/1/index.html"];
    let names = texts(first, "tbody th a");
    assert_eq!(
        (names.len(), &*names[0], &*names[99]),
        (100, "Run 99", "Run 0")
    );
    assert!(first.contains("rel=\"prev\" href=\"../../page/2/\""));
    assert!(!first.contains("rel=\"next\""), "there is none older");
}

#[test]
fn the_front_page_has_the_newest_and_leads_to_the_older() {
    let site = site((0..310).map(run).collect());
    let front = files(&site, Page::Front);
    let html = &front["index.html"];
    let names = texts(html, "tbody th a");
    assert_eq!(
        (names.len(), &*names[0], &*names[99]),
        (100, "Run 309", "Run 210")
    );
    // The newest that is not here is Run 209, on the third page, with a few of these.
    assert!(html.contains("rel=\"next\" href=\"page/3/\""));
    let third = &files(&site, Page::List(3))["page/3/index.html"];
    let names = texts(third, "tbody th a");
    assert_eq!((&*names[0], &*names[99]), ("Run 299", "Run 200"));
    assert_eq!(texts(html, ".pages a"), ["3", "2", "1"]);
    assert_eq!(
        texts(html, ".summary"),
        ["310 runs of 3 models on 2 kinds of GPU."]
    );
    assert!(front["index.md"].contains("[2](page/2/index.md)"));
    let all: Vec<String> = site
        .pages()
        .into_iter()
        .filter(|page| matches!(page, Page::List(_)))
        .map(|page| site.address(page).to_string())
        .collect();
    assert_eq!(all, ["/page/1/", "/page/2/", "/page/3/"]);
    assert!(files(&site, Page::List(4))["page/4/index.html"].contains("page 4"));
}

#[test]
fn few_runs_need_no_page_and_one_no_search() {
    let html =
        |n: usize| files(&site((0..n).map(run).collect()), Page::Front)["index.html"].clone();
    assert!(!html(100).contains("class=\"pager\""));
    assert!(html(101).contains("class=\"pager\""));
    assert!(!html(1).contains("<form"));
    assert_eq!(html(1).matches("<script").count(), 1, "that of the scheme");
    let two = html(2);
    assert!(two.contains("<form class=\"filters\" role=\"search\" autocomplete=\"off\" hidden"));
    let options = texts(&two, "select[name=gpu] option");
    assert_eq!(options, ["GPU", "B200 (1)", "H200 SXM (1)"]);
    // What all runs share divides nothing.
    assert_eq!(texts(&two, "select[name=gpus]"), [""; 0]);
    assert!(!two.contains("data-compare"));
}

#[test]
fn a_page_that_takes_the_place_of_a_list_is_told_of() {
    let dir = tempfile::tempdir().unwrap();
    let put = |path: String, text: &str| {
        let path = dir.path().join(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    };
    put("content/page/1.md".to_owned(), "# One\n");
    let run = |n: usize| {
        format!(
            r#"{{"schema":"speedbook.run/1","slug":"r{n}","title":"R","prefill":[],"burst":[],"decode":[{{"context_label":"8K","concurrency":1,"status":"valid","total_tok_per_s":82.9}}]}}"#
        )
    };
    let build = || {
        let output = Command::new(env!("CARGO_BIN_EXE_gen"))
            .args(["build", "--quiet"])
            .current_dir(dir.path())
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), said)
    };
    for n in 0..100 {
        put(format!("content/runs/{n}.json"), &run(n));
    }
    assert_eq!(build(), (Some(0), String::new()));
    put("content/runs/100.json".to_owned(), &run(100));
    let (code, said) = build();
    assert_eq!(code, Some(1));
    assert!(
        said.starts_with("error[E0307]: 2 outputs have the address /page/1/\n --> content/page/1.md\n  | /page/1/: a list of runs has the same one"),
        "{said}"
    );
    fs_err::remove_dir_all(dir.path().join("content/page")).unwrap();
    put(
        "content/method.md".to_owned(),
        "[old](/page/1/) [none](/page/2/)\n",
    );
    let (code, said) = build();
    assert_eq!(code, Some(1));
    assert!(
        said.contains("the link \"/page/2/\" leads nowhere"),
        "{said}"
    );
    assert!(!said.contains("\"/page/1/\" leads"), "{said}");
}

#[test]
fn figures_of_a_row() {
    let mut one = run(1);
    let mut two = run(2);
    two.facts.remove(Fact::GpuCount);
    one.decode[1].status = Status::Valid;
    one.decode[1]
        .figures
        .set(Metric::TotalTokPerS, Figure::rounded(2363.0, 0.1));
    let site = site(vec![one, two]);
    let front = files(&site, Page::Front);
    let rows = texts(&front["index.html"], "tbody tr");
    assert_eq!(
        rows,
        [
            "Run 2 H200 SXM 10.0 context 8K 1,000.0 8 requests at 8K, queued — Jan 3, 2010",
            "Run 1 4 × B200 10.0 context 8K 2,363.0 8 requests at 8K 590.8 Jan 2, 2010",
        ]
    );
    let heads = texts(&front["index.html"], "thead th");
    assert_eq!(
        heads,
        [
            "Run",
            "Hardware",
            "Matrix",
            "One request tok/s",
            "Highest total tok/s",
            "…per GPU tok/s",
            "Measured"
        ]
    );
    assert!(front["index.md"].contains(
        "9.5 to 2,363.0 tok/s over 2 contexts × 2 levels of requests, 1 cell without a figure"
    ));
}

#[test]
fn a_thumbnail_has_the_classes_of_the_scale() {
    let totals = [3.0, 10.0, 33.0, 101.0, 333.0, 999.0, 5_000.0, 12.0];
    let mut run = run(1);
    run.decode = (1..)
        .zip(totals)
        .map(|(n, total)| cell(8192, n, Status::Valid, total))
        .collect();
    let site = site(vec![run]);
    let scale = ClassScale::over(totals).unwrap();
    assert_eq!(site_scale(&site), Some(scale));
    let picture = thumbnail(&site.runs[0].run, Some(&scale)).unwrap();
    let mut classes = vec![String::new(); totals.len()];
    let svg = Html::parse_fragment(&picture.svg);
    for path in svg.select(&Selector::parse("path").unwrap()) {
        for start in path.attr("d").unwrap().split('M').skip(1) {
            let x: usize = start.split(' ').next().unwrap().parse().unwrap();
            classes[x / 9] = path.attr("class").unwrap().to_owned();
        }
    }
    let expected: Vec<String> = totals
        .iter()
        .map(|total| format!("q{}", scale.class(*total)))
        .collect();
    assert_eq!(classes, expected);
    let (_, data) = data(&site);
    let digits: String = expected.iter().map(|class| &class[1..]).collect();
    assert_eq!(data["matrix"][0], digits);
    assert_eq!(data["words"][0], picture.label);
    let front = &files(&site, Page::Front)["index.html"];
    let legend: Vec<String> = scale.legend(1.0).into_iter().map(|c| c.label).collect();
    assert_eq!(texts(front, ".scale li"), legend);
}

#[test]
fn the_data_says_what_the_page_says() {
    let mut runs: Vec<Run> = (0..7).map(run).collect();
    runs[2].facts.remove(Fact::MeasuredAt);
    runs[3]
        .facts
        .set_text(Fact::MeasuredAt, "2010-01-04T23:30:00-05:00");
    runs[4].complete = false;
    runs[4].tags = vec!["mtp".to_owned(), "night".to_owned()];
    runs[5].decode[1]
        .figures
        .set(Metric::TotalTokPerS, Figure::rounded(2_400.0, 100.0));
    runs[6].decode[1]
        .figures
        .set(Metric::TotalTokPerS, Figure::exact(1_000.25));
    runs[6].facts.set_text(
        Fact::LaunchCommand,
        "vllm serve a/b --kv-cache-dtype fp8 --speculative-config '{\"method\":\"mtp\",\"num_speculative_tokens\":3}'",
    );
    let site = site(runs);
    let (script, data) = data(&site);
    assert_eq!(data["n"], 7);
    let of = |key: &str, at: usize| {
        let place = data[key]["i"][at].as_u64();
        place.map(|place| data[key]["d"][place as usize].as_str().unwrap().to_owned())
    };
    for (at, page) in site.runs.iter().enumerate() {
        assert_eq!(data["slug"][at], page.run.slug);
        assert_eq!(of("title", at).as_deref(), Some(page.run.title()));
        assert_eq!(of("gpu", at).as_deref(), page.run.facts.text(Fact::Gpu));
    }
    // Newest first: r6, r5, r3 (a day later in its zone than in UTC), r4, r1, r0, r2 without a date.
    let order: Vec<&str> = data["slug"]
        .as_array()
        .unwrap()
        .iter()
        .map(|slug| slug.as_str().unwrap())
        .collect();
    assert_eq!(order, ["r6", "r5", "r3", "r4", "r1", "r0", "r2"]);
    let mut time = 0;
    let times: Vec<Option<i64>> = data["measured"]
        .as_array()
        .unwrap()
        .iter()
        .map(|less| {
            less.as_i64().map(|less| {
                time += less;
                time
            })
        })
        .collect();
    assert_eq!(times[0], Some(1_262_822_400), "2010-01-07");
    assert_eq!(times[6], None);
    assert_eq!(
        data["shown"]["measured"],
        serde_json::json!({"2": "Jan 4, 2010"})
    );
    assert_eq!(data["marks"], serde_json::json!([0, 0, 0, 2, 0, 0, 0]));
    assert_eq!(data["tag"]["i"][3], serde_json::json!([0, 1]));
    assert_eq!(of("speculation", 0).as_deref(), Some("mtp, 3 tokens"));
    let flags = &data["flags"];
    let set = &flags["sets"][flags["i"][0].as_u64().unwrap() as usize];
    let names: Vec<&Value> = set
        .as_array()
        .unwrap()
        .iter()
        .map(|at| &flags["d"][at.as_u64().unwrap() as usize])
        .collect();
    assert_eq!(names, ["--kv-cache-dtype", "--speculative-config", "model"]);
    // Another notation, and a number between two neighbours, are written out.
    assert_eq!(
        data["shown"]["total"],
        serde_json::json!({"0": "1,000.2", "1": "2.4K"})
    );
    let front = &files(&site, Page::Front)["index.html"];
    let link = Html::parse_document(front);
    let form = link
        .select(&Selector::parse("form").unwrap())
        .next()
        .unwrap();
    let asked = form.attr("data-runs").unwrap();
    assert!(
        asked.starts_with("runs.js?v=") && asked.len() == 20,
        "{asked}"
    );
    assert_eq!(
        script,
        files(&site, Page::Front)["runs.js"],
        "the same site, the same bytes"
    );
}

#[test]
fn no_text_leaves_its_place_in_the_data() {
    for text in [
        "</script><script>alert(1)</script>",
        "\"); alert(1); (\"",
        "\u{2028}\u{2029}\u{7f}\u{9b}31m\u{0}\u{1b}[31m",
        "<!-- x",
        "\\u003c \\",
    ] {
        let mut run = run(1);
        run.slug = "a".to_owned();
        run.tags = vec![text.to_owned()];
        for fact in [
            Fact::Title,
            Fact::ModelName,
            Fact::Gpu,
            Fact::EngineName,
            Fact::EngineVersion,
            Fact::Quantization,
            Fact::Author,
            Fact::LaunchCommand,
        ] {
            run.facts.set(fact, FactValue::Text(text.to_owned()));
        }
        for cell in &mut run.decode {
            cell.context.label = text.to_owned();
        }
        let (script, data) = data(&site(vec![run]));
        assert!(!script.contains('<'), "{text:?}");
        let harmful = |c: char| c != '\n' && (c.is_control() || "\u{2028}\u{2029}".contains(c));
        assert!(!script.contains(harmful), "{text:?}");
        assert_eq!(script.matches('\n').count(), 1, "one line");
        assert_eq!(data["author"]["d"][0], text);
        assert_eq!(data["tag"]["d"][0], text);
    }
}
