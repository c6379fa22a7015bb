//! Small sites in, pages or problems out, as `gen build` makes them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs
)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

fn run_file(model: &str) -> String {
    format!(
        r#"{{"metadata":{{"version":"0.4.17","engine":"vllm","model":{},"timestamp":"2026-05-15T04:30:32","duration_per_test":30.0,"max_tokens":2048,"max_total_tokens":0,"concurrency_levels":[1],"context_lengths":[8192],"decode_mode":"duration"}},
"prefill":{{}},"results":[{{"concurrency":1,"context_tokens":8192,"aggregate_tps":82.9,"ttft_p50":0.584,"total_tokens":2485,"num_errors":0,"measurement_seconds":30.0}}],"summary_table":{{"8192":{{"1":82.9}}}}}}"#,
        serde_json::to_string(model).unwrap()
    )
}

/// A built site: whether it was built, what was said, and its files.
struct Built {
    code: Option<i32>,
    said: String,
    files: BTreeMap<String, Vec<u8>>,
}

impl Built {
    fn text(&self, path: &str) -> &str {
        assert_eq!(self.code, Some(0), "{}", self.said);
        let bytes = self.files.get(path);
        let bytes = bytes.unwrap_or_else(|| panic!("no {path} in {:?}", self.files.keys()));
        std::str::from_utf8(bytes).unwrap()
    }

    /// The problems as printed, without the closing line.
    fn problems(&self) -> &str {
        assert_eq!(self.code, Some(1), "{}", self.said);
        self.said.split("\n\nnot built").next().unwrap()
    }
}

fn build(files: &[(&str, &str)], args: &[&str]) -> Built {
    let dir = tempfile::tempdir().unwrap();
    fs_err::create_dir(dir.path().join("content")).unwrap();
    for (path, text) in files {
        let path = dir.path().join(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        let text = match text.strip_prefix("run ") {
            Some(model) => run_file(model),
            None => (*text).to_owned(),
        };
        fs_err::write(path, text).unwrap();
    }
    let output = Command::new(env!("CARGO_BIN_EXE_gen"))
        .args(["build", "--quiet"])
        .args(args)
        .current_dir(dir.path())
        .output()
        .unwrap();
    let mut files = BTreeMap::new();
    tree(&dir.path().join("public"), "", &mut files);
    Built {
        code: output.status.code(),
        said: String::from_utf8(output.stderr).unwrap().trim().to_owned(),
        files,
    }
}

fn tree(folder: &Path, above: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    let Ok(entries) = fs_err::read_dir(folder) else {
        return;
    };
    for entry in entries {
        let entry = entry.unwrap();
        let name = format!("{above}{}", entry.file_name().to_str().unwrap());
        if entry.path().is_dir() {
            tree(&entry.path(), &format!("{name}/"), files);
        } else {
            files.insert(name, fs_err::read(entry.path()).unwrap());
        }
    }
}

#[test]
fn outputs_with_one_address_are_told_of() {
    let cases: &[(&[(&str, &str)], &str)] = &[
        (
            &[
                ("content/runs/a.json", "run a"),
                ("content/runs/A.json", "run b"),
                ("content/a.json", "run c"),
            ],
            "error[E0307]: 3 runs have the address /runs/a/\n --> content/a.json\n  | content/runs/A.json: has /runs/A/, the same but for the case\n  | content/runs/a.json: has the same one\nhelp: give one of them another name, or a `slug` in its sidecar",
        ),
        (
            &[
                ("content/runs/a.json", "run a"),
                ("content/runs/a/run.json.txt", "x"),
                ("content/runs/b.json", "run b"),
                ("content/runs/b.md", "+++\nslug = 'a/run.json'\n+++\n"),
                ("site.toml", "ignore = ['*.txt']"),
            ],
            "error[E0307]: 2 runs have the address /runs/a/\n --> content/runs/a.json\n  | content/runs/b.json: has /runs/a/run.json/, which cannot stand beside it\nhelp: give one of them another name, or a `slug` in its sidecar",
        ),
        (
            &[
                ("content/Models.md", "x"),
                ("static/ENGINES/index.html", "x"),
            ],
            "error[E0307]: 2 outputs have the address /Models/\n --> content/Models.md\n  | /models/: a list of runs has /models/, the same but for the case\nhelp: give one of them another name\n\nerror[E0307]: 2 outputs have the address /ENGINES/\n --> static/ENGINES/index.html\n  | /engines/: a list of runs has /engines/, the same but for the case\nhelp: give one of them another name",
        ),
        (
            &[("content/x.png", ""), ("content/x.png.md", "x")],
            "error[E0307]: 2 outputs have the address /x.png\n --> content/x.png\n  | content/x.png.md: a page has /x.png/, which cannot stand beside it\nhelp: give one of them another name",
        ),
        (
            &[("content/x.md", "x"), ("static/x", "")],
            "error[E0307]: 2 outputs have the address /x/\n --> content/x.md\n  | static/x: a static file has /x, which cannot stand beside it\nhelp: give one of them another name",
        ),
    ];
    for (files, said) in cases {
        assert_eq!(build(files, &[]).problems(), *said);
    }
}

#[test]
fn an_alias_never_hides_a_page() {
    let alias = |alias: &'static str| -> [(&str, String); 2] {
        [
            ("content/runs/a.json", "run a".to_owned()),
            (
                "content/method.md",
                format!("+++\naliases = ['/fine/',\n  '{alias}']\n+++\nx"),
            ),
        ]
    };
    let said = |name| {
        let files = alias(name);
        let files: Vec<(&str, &str)> = files.iter().map(|(p, t)| (*p, t.as_str())).collect();
        build(&files, &[]).problems().to_owned()
    };
    assert_eq!(
        said("/runs/A"),
        "error[E0501]: the alias /runs/A/ would hide a run\n --> content/method.md:3:3\n  | content/runs/a.json: has /runs/a/\nhelp: remove the alias, or give it another path"
    );
    assert!(said("/models/index.html").starts_with("error[E0501]: the alias /models/index.html would hide a list of runs\n --> content/method.md:3:3"));
    assert!(said("/FINE").starts_with("error[E0502]: the alias /fine/ stands twice\n --> content/method.md:2:12\n  | content/method.md:3:3: has /FINE/, the same but for the case"));
    assert!(said("fine").starts_with(
        "error[E0303]: the alias \"fine\" must begin with a slash\n --> content/method.md:3:3"
    ));
}

#[test]
fn dead_links_of_prose_and_notes_are_told_with_their_lines() {
    let built = build(
        &[
            ("content/runs/a.json", "run a"),
            (
                "content/runs/a.md",
                "+++\nranked = true\n+++\n\nSee [b](b.json)\nand [x](../method.md#nois) and [own](#c8k-n1).\n",
            ),
            (
                "content/method.md",
                "# Method\n\n## Noise\n\n![p](pic.jpg) [f](metod.md)\n[d](draft.md) [m](/model/)\n[out](../../x) [ok](#noise) [top](method.md#method)\n",
            ),
            ("content/draft.md", "+++\ndraft = true\n+++\nx"),
            ("content/pic.png", ""),
        ],
        &[],
    );
    assert_eq!(
        built.problems(),
        "error[E0503]: the link \"metod.md\" leads nowhere\n --> content/method.md:5\nhelp: did you mean \"method.md\"?\n\n\
         error[E0503]: the link \"pic.jpg\" leads nowhere\n --> content/method.md:5\nhelp: did you mean \"pic.png\"?\n\n\
         error[E0503]: the link \"/model/\" leads nowhere\n --> content/method.md:6\nhelp: did you mean \"/models/\"?\n\n\
         error[E0503]: the link \"draft.md\" leads to a draft\n --> content/method.md:6\nhelp: publish it, remove the link, or build with --drafts\n\n\
         error[E0503]: the link \"../../x\" leads nowhere\n --> content/method.md:7\nhelp: name a file of content/ by the way to it from this file, or a page by its address, as \"/models/\"\n\n\
         error[E0503]: the link \"b.json\" leads nowhere\n --> content/runs/a.md:5\nhelp: did you mean \"a.json\"?\n\n\
         error[E0504]: the link \"../method.md#nois\" leads to a part that the page does not have\n --> content/runs/a.md:6\nhelp: did you mean \"#noise\"?"
    );
}

#[test]
fn an_anchor_that_only_the_finished_page_has_is_checked_there() {
    let with = |anchor: &str| {
        let text = format!("x\n\n[cell](runs/a.json#{anchor})\n");
        build(
            &[("content/runs/a.json", "run a"), ("content/m.md", &text)],
            &[],
        )
    };
    let built = with("c8k-n1");
    assert!(
        built
            .text("m/index.html")
            .contains("href=\"../runs/a/#c8k-n1\"")
    );
    assert!(built.text("m/index.md").contains("(../runs/a/index.md)"));
    let built = with("c8k-n2");
    assert_eq!(
        built.problems(),
        "error[E0504]: the link to \"#c8k-n2\" leads to a part that the page does not have\n --> content/m.md:3\nhelp: see the finished page for the anchors that it has"
    );
    assert!(built.files.is_empty(), "nothing is published");
}

#[test]
fn drafts_are_published_only_when_asked_for() {
    let files = [
        ("content/runs/a.json", "run a"),
        ("content/runs/a.md", "+++\ndraft = true\n+++\n"),
        ("content/p.md", "+++\ndraft = true\n+++\n[run](runs/a.json)"),
    ];
    let built = build(&files, &[]);
    assert!(built.text("index.html").contains("There is no run"));
    assert!(
        !built
            .files
            .keys()
            .any(|path| path.starts_with("runs/") || path.starts_with("p/"))
    );
    let built = build(&files, &["--drafts"]);
    for page in ["runs/a/index.html", "p/index.html"] {
        assert!(
            built
                .text(page)
                .contains("<strong class=\"mark\">Draft</strong>")
        );
    }
}

#[test]
fn prose_becomes_pages_and_their_twins() {
    let built = build(
        &[
            (
                "content/index.md",
                "# Welcome\n\nSee [how](method.md#the-noise).",
            ),
            (
                "content/method.md",
                "# The method\n\n## The noise\n\n![plot](img/a%20b.png) [front](index.md) [list](/models/) ![far](https://x.org/y.png) /home/ada/x\n",
            ),
            (
                "content/docs/Set up.md",
                "[up](../method.md) [json](/runs/a/run.json)",
            ),
            ("content/runs/a.json", "run a"),
            (
                "content/runs/a.md",
                "## Launch\n\n[m](../method.md) [me](#launch)\n",
            ),
            ("content/img/a b.png", "PNG"),
            ("static/CNAME", "a.org"),
            ("static/.well-known/x", "y"),
        ],
        &[],
    );
    let front = built.text("index.html");
    assert!(
        front.contains("<h2 id=\"welcome\">Welcome")
            && front.contains("<h1 dir=\"auto\">Speed tests</h1>")
    );
    assert!(front.contains("<a href=\"method/#the-noise\">how</a>"));
    assert!(
        built
            .text("index.md")
            .contains("[how](method/index.md#the-noise)")
    );
    assert!(built.text("index.md").contains("[a](runs/a/index.md)"));
    let method = built.text("method/index.html");
    assert!(
        method.contains("<title>The method · Speed tests</title>"),
        "{method}"
    );
    assert!(method.contains("<h1 id=\"the-method\" dir=\"auto\">The method</h1>"));
    assert!(method.contains("<h2 id=\"the-noise\">The noise <a class=\"anchor\""));
    assert!(method.contains("<img src=\"../img/a%20b.png\" alt=\"plot\""));
    assert!(method.contains("<a href=\"https://x.org/y.png\">far</a>"));
    assert!(method.contains("<a href=\"../models/\">list</a>"));
    assert!(!method.contains("/home/ada"), "private names are hidden");
    assert!(
        built
            .text("docs/Set-up/index.html")
            .contains("<h1 dir=\"auto\">Set up</h1>")
    );
    let run = built.text("runs/a/index.html");
    assert!(
        run.contains("<h4 id=\"note-launch\">") && run.contains("<a href=\"#note-launch\">me</a>")
    );
    assert!(run.contains("<a href=\"../../method/\">m</a>"));
    assert!(built.text("runs/a/index.md").contains("[me](#launch)"));
    // The navigation has pages that are in no folder.
    assert!(run.contains("<a href=\"../../method/\" dir=\"auto\">The method</a>"));
    assert!(!run.contains("Set up"));
    assert!(method.contains("aria-current=\"page\" dir=\"auto\">The method</a>"));
    assert_eq!(built.text("img/a b.png"), "PNG");
    assert_eq!(built.text("CNAME"), "a.org");
    assert_eq!(built.text(".well-known/x"), "y");
    assert!(
        built
            .text("models/index.html")
            .contains("<h2 id=\"a\" dir=\"auto\">a</h2>")
    );
    assert!(built.text("engines/index.md").contains("## vllm"));
    assert!(built.text("hardware/index.md").contains("## Not given"));
}

#[test]
fn old_addresses_lead_to_the_new_ones() {
    let files = [
        ("content/runs/a.json", "run a"),
        (
            "content/runs/a.md",
            "+++\naliases = ['/old/place', '/p/old.html']\n+++\n",
        ),
        ("site.toml", "base_url = 'https://x.org/sub'"),
    ];
    let built = build(&files, &[]);
    let page = built.text("old/place/index.html");
    assert!(
        page.contains("<link rel=\"canonical\" href=\"https://x.org/sub/runs/a/\">"),
        "{page}"
    );
    assert!(page.contains("content=\"0; url=../../runs/a/\""));
    assert!(page.contains("<a href=\"../../runs/a/\">a</a>") && !page.contains("<script"));
    assert!(
        built
            .text("p/old.html")
            .contains("<a href=\"../runs/a/\">a</a>")
    );
    let built = build(&files[..2], &["--portable"]);
    assert!(
        built
            .text("p/old.html")
            .contains("<a href=\"../runs/a/index.html\">a</a>")
    );
}

#[test]
fn a_dead_link_of_a_template_is_told_once_for_all_pages() {
    let built = build(
        &[
            ("content/runs/a.json", "run a"),
            ("content/runs/b.json", "run b"),
            (
                "templates/run.html",
                "<!DOCTYPE html>\n<title>x</title>\n<a href=\"nowhere/\">x</a>",
            ),
        ],
        &[],
    );
    assert_eq!(built.code, Some(1));
    assert!(
        built.said.starts_with(
            "error[E0505]: the link \"nowhere/\" leads nowhere\n --> runs/a/index.html:3\n"
        ),
        "{}",
        built.said
    );
    assert_eq!(
        built.said.matches("E0505").count(),
        2,
        "a page each, since they lead to other places: {}",
        built.said
    );
}

#[test]
fn the_page_of_missing_addresses_links_from_the_root_of_the_host() {
    let built = build(&[("site.toml", "base_url = 'https://x.org/sub'")], &[]);
    let page = built.text("404.html");
    assert!(
        page.contains("href=\"/sub/style.") && page.contains("href=\"/sub/models/\""),
        "{page}"
    );
    assert!(build(&[], &[]).text("404.html").contains("href=\"/style."));
    let own = build(&[("static/404.html", "own")], &[]);
    assert_eq!(own.text("404.html"), "own");
}

/// Runs with odd names, every status, and texts with markup.
fn odd_site() -> Vec<(String, String)> {
    let names = [
        "Ωμέγα Δοκιμή",
        "سرعة النموذج",
        "🚀 rocket 🚀",
        "<script>alert(1)</script>",
        "a & b \"c\" 'd'",
        "!?.,;:",
        "equal",
        "equal",
        "100 % #1?",
        "[x](javascript:y) | z",
    ];
    let mut files: Vec<(String, String)> = Vec::new();
    for (at, name) in names.iter().enumerate() {
        for copy in 0..5 {
            let stem: String = name
                .chars()
                .map(|c| if "/\\:*?\"<>|".contains(c) { '-' } else { c })
                .collect();
            let model = if copy == 4 {
                "x".repeat(200)
            } else {
                format!("{name} {copy}")
            };
            files.push((
                format!("content/runs/{at}/{stem} v{copy}.json"),
                run_file(&model),
            ));
        }
    }
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/runs");
    for name in [
        "v0.6.2_loop-and-failure-cells.json",
        "v0.4.29plus_matrix_burst_queued_error_over-capacity.json",
        "v0.3.0_matrix_queued.json",
        "v0.4.29plus_prefill-only.json",
        "measured_gemma-3-270m_cpu_contradictory.json",
    ] {
        let text = fs_err::read_to_string(fixtures.join(name)).unwrap();
        files.push((format!("content/runs/fixtures/{name}"), text));
    }
    files.push((
        "content/ü ber/Ωδηγός #1.md".to_owned(),
        "# Οδηγός 🚀\n\n## مقدمة\n\n## مقدمة\n\n[a](#مقدمة-1) [b](<../runs/0/Ωμέγα Δοκιμή v0.json>) [c](../method.md#x--y) x[^1]\n\n[^1]: y\n".to_owned(),
    ));
    files.push((
        "content/method.md".to_owned(),
        "+++\naliases = ['/παλιό/', '/old.html']\n+++\n# M\n\n## x & y\n\n[z](<ü ber/Ωδηγός %231.md>) [t](/ü-ber/ωδηγός--1/#οδηγός-)\n".to_owned(),
    ));
    files
}

/// A crawler of its own: every link of every page, from its file.
fn crawl(built: &Built, base: Option<&str>, portable: bool) -> Vec<String> {
    use scraper::{Html, Selector};
    let all = Selector::parse("[href], [src], [id]").unwrap();
    let mut anchors: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut found: Vec<(&str, String)> = Vec::new();
    for (path, bytes) in &built.files {
        let text = std::str::from_utf8(bytes).unwrap_or_default();
        if path.ends_with(".html") {
            for element in Html::parse_document(text).select(&all) {
                let of = |name| element.value().attr(name).map(str::to_owned);
                anchors.entry(path).or_default().extend(of("id"));
                found.extend(of("href").map(|link| (path.as_str(), link)));
                found.extend(of("src").map(|link| (path.as_str(), link)));
            }
        } else if path.ends_with(".md") {
            use pulldown_cmark::{Event, Options, Parser, Tag};
            let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES;
            for event in Parser::new_ext(text, options) {
                if let Event::Start(Tag::Link { dest_url, .. }) = event {
                    found.push((path, dest_url.to_string()));
                }
            }
        }
    }
    let mut ids: Vec<(&str, &String)> = Vec::new();
    let mut dead = Vec::new();
    for (path, page) in &anchors {
        for id in page {
            if ids.contains(&(path, id)) {
                dead.push(format!("{path}: #{id} twice"));
            }
            ids.push((path, id));
        }
    }
    let base_path = base.map_or("/".to_owned(), |base| {
        let rest = base.splitn(4, '/').nth(3).unwrap_or_default();
        format!("/{rest}")
    });
    for (path, link) in found {
        let whole = base.and_then(|base| link.strip_prefix(base));
        if whole.is_none() && (link.starts_with("http") || link.starts_with("mailto:")) {
            continue;
        }
        let (way, anchor) = link.split_once('#').unwrap_or((&link, ""));
        let mut folder: Vec<String> = path.split('/').map(str::to_owned).collect();
        let mut rest = way;
        if let Some(whole) = whole {
            folder.clear();
            rest = whole.split('#').next().unwrap();
        } else if way.starts_with('/') {
            folder.clear();
            rest = way.strip_prefix(&base_path).unwrap_or("nowhere");
        } else if !way.is_empty() {
            folder.pop();
        }
        for part in rest.split('/') {
            match part {
                "." | "" => {}
                ".." if folder.pop().is_none() => folder.push("outside".to_owned()),
                ".." => {}
                part => folder.push(decoded(part)),
            }
        }
        let mut target = folder.join("/");
        if rest.ends_with('/') || (!way.is_empty() && rest.is_empty()) || rest.ends_with("..") {
            target = format!("{target}/index.html")
                .trim_start_matches('/')
                .to_owned();
            if portable && whole.is_none() {
                dead.push(format!("{path}: {link} names a folder"));
            }
        }
        if !built.files.contains_key(&target) {
            dead.push(format!("{path}: {link} → {target}"));
        } else if target.ends_with(".html") && !anchor.is_empty() {
            let known = anchors.get(target.as_str());
            if !known.is_some_and(|ids| ids.contains(&decoded(anchor))) {
                dead.push(format!("{path}: {link} has no such part"));
            }
        }
    }
    dead
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut parts = text.split('%');
    bytes.extend(parts.next().unwrap().bytes());
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
        bytes.extend(part[2..].bytes());
    }
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_site_of_odd_runs_has_no_dead_link_anywhere() {
    let files = odd_site();
    for base in [
        None,
        Some("https://x.org/"),
        Some("https://x.org/sub/path/"),
    ] {
        for portable in [false, true] {
            let config = base.map_or(String::new(), |base| format!("base_url = '{base}'"));
            let mut files: Vec<(&str, &str)> = files
                .iter()
                .map(|(p, t)| (p.as_str(), t.as_str()))
                .collect();
            files.push(("site.toml", &config));
            let built = build(&files, if portable { &["--portable"] } else { &[] });
            assert_eq!(built.code, Some(0), "{}", built.said);
            let pages = built
                .files
                .keys()
                .filter(|path| path.ends_with("index.html"));
            assert!(pages.count() > 55);
            let dead = crawl(&built, base, portable);
            assert!(dead.is_empty(), "{base:?} {portable}\n{}", dead.join("\n"));
        }
    }
}

#[test]
fn threads_change_nothing() {
    let files = odd_site();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(p, t)| (p.as_str(), t.as_str()))
        .collect();
    let (one, many) = (
        build(&files, &["--jobs", "1"]),
        build(&files, &["--jobs", "8"]),
    );
    assert!(one.files.len() > 200 && one.files == many.files);
}

#[test]
fn a_link_of_a_published_run_that_leads_to_no_page_here_is_dropped_with_a_warning() {
    let first = build(
        &[
            ("content/runs/a.json", "run a"),
            ("content/runs/a.md", "[m](../method.md) [me](a.json)\n"),
            ("content/method.md", "x"),
        ],
        &[],
    );
    let run = first.text("runs/a/run.json").to_owned();
    let built = build(&[("content/b.json", &run)], &[]);
    assert_eq!(
        built.said,
        "warning[W0507]: the notes link to \"../method.md\", which is not on this site\n --> content/b.json\nhelp: the words stay, without the link"
    );
    let page = built.text("runs/a/index.html");
    assert!(
        page.contains("<p>m <a href=\"../../runs/a/\">me</a></p>"),
        "{page}"
    );
    assert_eq!(built.text("runs/a/run.json"), run);
}

#[test]
fn an_unknown_slug_is_told_of_with_the_nearest_one() {
    use speedbook::diagnostic::Place;
    use speedbook::run::Run;
    use speedbook::site::{Site, SiteFacts};
    let run = Run {
        slug: "qwen/h200".to_owned(),
        ..Run::new()
    };
    let site = Site::new(SiteFacts::default(), vec![run]);
    let place = Place::line("content/compare/x.md", 2);
    assert_eq!(site.run_with_slug("qwen/h200", &place), Ok(0));
    let said = |slug| site.run_with_slug(slug, &place).unwrap_err().to_string();
    assert_eq!(
        said("qwen/h20"),
        "error[E0506]: there is no run \"qwen/h20\"\n --> content/compare/x.md:2\nhelp: did you mean \"qwen/h200\"?"
    );
    assert!(said("zzz").ends_with("help: name a run by its address below /runs/"));
}
