//! Small sites in, runs and problems out. The importer is a fake that reads a list of facts, so
//! that nothing here depends on a format.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

use std::path::Path;

use speedbook::config::{self, Config};
use speedbook::content::{Content, LoadError, Steps, load_with};
use speedbook::diagnostic::{Code, Diagnostic, Place};
use speedbook::import::{Imported, Outcome};
use speedbook::run::{Fact, FactValue, Facts, Run};

/// Lines `path = value` are facts, `hint path = value` hints, `secret = name` a private name,
/// `slug = x` the slug of a published run; `checkpoint` is left alone; `broken` is an error.
fn import(path: &str, bytes: &[u8]) -> Result<Outcome, Vec<Diagnostic>> {
    let mut run = Run::new();
    let (mut hints, mut private_names) = (Facts::default(), Vec::new());
    let text = std::str::from_utf8(bytes).unwrap();
    let place = Place::line(path, 1);
    for line in text.lines() {
        match line.split_once(" = ").unwrap_or((line, "")) {
            ("checkpoint", _) => {
                let warning = Diagnostic::new(Code::LeftAlone, place, "a checkpoint");
                return Ok(Outcome::LeftAlone(warning));
            }
            ("broken", _) => return Err(vec![Diagnostic::new(Code::JsonShape, place, "broken")]),
            ("slug", slug) => run.slug = slug.to_owned(),
            ("secret", name) => private_names.push(name.to_owned()),
            ("seed", _) => {}
            (key, value) => {
                let (facts, key) = match key.strip_prefix("hint ") {
                    Some(key) => (&mut hints, key),
                    None => (&mut run.facts, key),
                };
                let fact = Fact::ALL.iter().find(|fact| fact.path() == key).expect(key);
                match value.parse() {
                    Ok(count) => facts.set(*fact, FactValue::Count(count)),
                    Err(_) => facts.set_text(*fact, value),
                }
            }
        }
    }
    Ok(Outcome::Run(Box::new(Imported {
        run,
        hints,
        private_names,
        warnings: Vec::new(),
    })))
}

/// Hides the private names and everything that begins with `sk-`.
fn redact(run: &mut Run, names: &[String]) {
    for (_, text) in run.facts.texts_mut() {
        for name in names {
            *text = text.replace(name.as_str(), "HIDDEN");
        }
        let words: Vec<&str> = text.split(' ').collect();
        let hidden = words
            .iter()
            .map(|w| if w.starts_with("sk-") { "HIDDEN" } else { w });
        *text = hidden.collect::<Vec<_>>().join(" ");
    }
}

fn launch_hints(command: &str) -> Facts {
    let mut facts = Facts::default();
    if let Some((_, model)) = command.split_once("serve ") {
        facts.set_text(Fact::ModelId, model.split(' ').next().unwrap());
    }
    facts
}

fn site(files: &[(&str, &str)]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    fs_err::create_dir(root.path().join("content")).unwrap();
    for (path, text) in files {
        let path = root.path().join(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    }
    root
}

fn load(root: &Path) -> Result<Content, LoadError> {
    let config = config::load(root).unwrap();
    load_with(root, &config, &steps())
}

fn steps() -> Steps<'static> {
    Steps {
        import: &import,
        redact: &redact,
        launch_hints: &launch_hints,
    }
}

fn content(files: &[(&str, &str)]) -> Content {
    load(site(files).path()).unwrap()
}

fn run(files: &[(&str, &str)]) -> Run {
    let mut content = content(files);
    assert_eq!(content.problems, []);
    assert_eq!(content.runs.len(), 1);
    content.runs.remove(0).run
}

fn said(problems: &[Diagnostic]) -> String {
    let all: Vec<String> = problems.iter().map(ToString::to_string).collect();
    all.join("\n\n")
}

#[test]
fn a_file_alone_is_a_run() {
    let run = run(&[(
        "content/runs/h200/a b.json",
        "model.name = M\nhardware.gpu = H200\nhardware.gpu_count = 2\n",
    )]);
    assert_eq!(run.slug, "h200/a-b");
    assert_eq!(run.title(), "M on 2 × H200");
    assert_eq!(run.source.path, "runs/h200/a b.json");
    assert_eq!(run.source.sha256.len(), 64);
}

#[test]
fn a_sidecar_adds_facts_address_and_notes() {
    let files = [
        ("content/runs/a.txt", "model.name = M\nmethod.tool = x"),
        (
            "content/runs/a.md",
            "+++\r\ntitle = 'T'\r\nmeasured_at = 2026-07-01T12:00:00\r\ntimezone = 'Europe/Berlin'\r\ntags = ['x', 'y', 'x']\r\nslug = 'b/c'\r\naliases = ['/old']\r\ndraft = true\r\nranked = false\r\nsource_url = 'https://a/b'\r\nlaunch_command = '''\r\nx \\\r\ny'''\r\n[hardware]\r\nvram_gb_per_gpu = 141\r\n[engine]\r\nversion = '1'\r\n+++\r\n\r\nNotes\r\nhere.\r\n",
        ),
    ];
    let content = content(&files);
    assert_eq!(said(&content.problems), "");
    let loaded = &content.runs[0];
    assert_eq!(loaded.sidecar.as_deref(), Some("content/runs/a.md"));
    assert_eq!(loaded.notes_line, 20);
    let run = &loaded.run;
    assert_eq!((run.slug.as_str(), run.title()), ("b/c", "T"));
    assert_eq!((run.draft, run.ranked), (true, false));
    assert_eq!(run.tags, ["x", "y"]);
    assert_eq!(run.aliases, ["/old/"]);
    assert_eq!(run.notes_markdown.as_deref(), Some("Notes\nhere."));
    let text = |fact| run.facts.text(fact).unwrap();
    assert_eq!(text(Fact::MeasuredAt), "2026-07-01T12:00:00+02:00");
    assert_eq!(text(Fact::LaunchCommand), "x \\\ny");
    assert_eq!(text(Fact::Tool), "x");
    assert_eq!(text(Fact::SourceUrl), "https://a/b");
    assert_eq!(run.facts.number(Fact::VramGbPerGpu), Some(141.0));
    assert_eq!(run.facts.get(Fact::Timezone), None);
}

#[test]
fn folders_state_facts_for_all_runs_below() {
    let run = run(&[
        (
            "content/_index.md",
            "+++\n[defaults]\nauthor = 'far'\ntags = ['far']\n[defaults.hardware]\ngpu = 'far'\nos = 'far'\n+++\n",
        ),
        (
            "content/runs/_index.md",
            "+++\n[defaults.hardware]\ngpu = 'near'\ncpu = 'near'\n+++\n",
        ),
        (
            "content/runs/x/a.json",
            "hardware.cpu = file\nhint hardware.os = hint\nhint hardware.ram_gb = 64\n",
        ),
        (
            "content/other/_index.md",
            "+++\n[defaults.engine]\nname = 'other'\n+++\n",
        ),
    ]);
    let text = |fact| run.facts.text(fact);
    assert_eq!(text(Fact::Gpu), Some("near"));
    assert_eq!(text(Fact::Cpu), Some("file"));
    assert_eq!(text(Fact::Os), Some("far"));
    assert_eq!(text(Fact::Author), Some("far"));
    assert_eq!(text(Fact::EngineName), None);
    assert_eq!(run.facts.count(Fact::RamGb), Some(64));
    assert_eq!(run.tags, ["far"]);
}

#[test]
fn the_title_is_made_of_what_is_redacted_and_of_the_launch_command() {
    let title = |text: &str| run(&[("content/a.json", text)]).title().to_owned();
    assert_eq!(
        title("model.served_name = qwen\nlaunch_command = serve o/Qwen3 -x"),
        "Qwen3"
    );
    assert_eq!(title("model.name = box7 M\nsecret = box7"), "HIDDEN M");
    assert_eq!(title(""), "a");
}

#[test]
fn a_published_run_keeps_its_slug_and_the_sites_zone_fixes_times() {
    let run = run(&[
        ("site.toml", "timezone = 'Europe/Berlin'"),
        (
            "content/x/run.json",
            "slug = a/b\nmeasured_at = 2026-01-01T00:00:00",
        ),
    ]);
    assert_eq!(run.slug, "a/b");
    assert_eq!(
        run.facts.text(Fact::MeasuredAt),
        Some("2026-01-01T00:00:00+01:00")
    );
}

#[test]
fn every_file_has_its_class() {
    let content = content(&[
        ("site.toml", "ignore = ['*.log', 'runs/old/']"),
        ("content/runs/b.JSON", ""),
        ("content/runs/a.json.gz", "seed = 1"),
        ("content/runs/a.json.resume.json", "checkpoint"),
        ("content/runs/a.md", "notes"),
        ("content/runs/c.log", ""),
        ("content/runs/old/d.json", "broken"),
        ("content/runs/.hidden/d.json", "broken"),
        ("content/.x", ""),
        ("content/index.md", "+++\ntitle = 'Front'\n+++\nHello"),
        ("content/method.md", "# Method"),
        ("content/compare/x.md", "+++\nruns = ['a', 'b']\n+++\n"),
        ("content/img/a.PNG", ""),
        ("content/a.pdf", ""),
        ("static/.well-known/x", ""),
        ("static/CNAME", "a.org"),
    ]);
    assert_eq!(
        said(&content.problems),
        "warning[W0106]: a checkpoint\n --> content/runs/a.json.resume.json:1"
    );
    let runs: Vec<_> = content.runs.iter().map(|r| r.path.as_str()).collect();
    assert_eq!(runs, ["content/runs/a.json.gz", "content/runs/b.JSON"]);
    assert_eq!(content.runs[0].run.notes_markdown.as_deref(), Some("notes"));
    let prose: Vec<_> = content.prose.iter().map(|f| f.shown.as_str()).collect();
    assert_eq!(prose, ["content/index.md", "content/method.md"]);
    assert_eq!(content.prose[0].body, "Hello");
    assert_eq!(content.prose[0].title.as_deref(), Some("Front"));
    assert_eq!(content.comparisons[0].prose.shown, "content/compare/x.md");
    let assets: Vec<_> = content.assets.iter().map(|f| f.path.as_str()).collect();
    assert_eq!(assets, ["a.pdf", "img/a.PNG"]);
    let statics: Vec<_> = content.statics.iter().map(|f| f.shown()).collect();
    assert_eq!(statics, ["static/.well-known/x", "static/CNAME"]);
}

#[test]
fn every_problem_names_its_file_and_says_what_to_do() {
    let run = (
        "content/a.json",
        "hardware.gpu = H200\nlaunch_command = vllm sk-1\n",
    );
    let with = |text: &'static str| vec![run, ("content/a.md", text)];
    let cases: Vec<(Vec<(&str, &str)>, &str)> = vec![
        (
            with("+++\n\nlaunch_comand = 'x'\n+++\n"),
            "error[E0302]: unknown key `launch_comand`\n --> content/a.md:3:1\nhelp: did you mean `launch_command`?",
        ),
        (
            with("+++\ngpu = 'x'\n+++\n"),
            "error[E0302]: unknown key `gpu`\n --> content/a.md:2:1\nhelp: `gpu` belongs below [hardware]",
        ),
        (
            with("+++\n[hardware]\nslug = 'x'\n+++\n"),
            "error[E0302]: unknown key `hardware.slug`\n --> content/a.md:3:1\nhelp: `slug` belongs before the first [table]",
        ),
        (
            with("+++\n[hardware]\ngpu_count = 'two'\n+++\n"),
            "error[E0303]: `hardware.gpu_count` must be a whole number from 0, found a text\n --> content/a.md:3:13",
        ),
        (
            with("+++\nsource_url = 'javascript:x'\n+++\n"),
            "error[E0303]: `source_url` must begin with http:// or https://\n --> content/a.md:2:14",
        ),
        (
            with("+++\naliases = ['/ok', 'old']\n+++\n"),
            "error[E0303]: the alias \"old\" must begin with a slash\n --> content/a.md:2:19\nhelp: write a path of this site, as \"/old/place/\"",
        ),
        (
            with("+++\ntitle = 'x'\n"),
            "error[E0301]: the front matter is not closed\n --> content/a.md:1\nhelp: end it with a line `+++`",
        ),
        (
            with("---\ntitle: x\n---\n"),
            "error[E0301]: front matter between `---` lines is not read\n --> content/a.md:1\nhelp: write it as TOML (`key = \"value\"`) between `+++` lines; a rule across the page can be written `***`",
        ),
        (
            with("+++\ntitle: x\n+++\n"),
            "error[E0301]: is not TOML: key with no value, expected `=`\n --> content/a.md:2:8",
        ),
        (
            with("+++\ntimezone = 'Berlin'\n+++\n"),
            "error[E0310]: there is no time zone \"Berlin\"\n --> content/a.md:2:12\nhelp: use a name of the IANA database, as \"Europe/Berlin\" or \"UTC\"",
        ),
        (
            with("+++\nslug = 'My run'\n+++\n"),
            "error[E0309]: the slug \"My run\" must not have ' ' in it\n --> content/a.md:2:8\nhelp: use \"My-run\"",
        ),
        (
            with("+++\nslug = '../../x'\n+++\n"),
            "error[E0309]: the slug \"../../x\" must not have a dot or a dash at the beginning or the end of a part\n --> content/a.md:2:8\nhelp: use \"x\"",
        ),
        (
            with("+++\n[hardware]\ngpu = 'H100'\n+++\n"),
            "warning[W0306]: `hardware.gpu` is \"H100\" here\n --> content/a.md:3:7\n  | content/a.json: says \"H200\"\nhelp: the sidecar wins; remove the key from it if the file is right",
        ),
        (
            with("+++\nlaunch_command = 'vllm sk-2 -x'\n+++\n"),
            "warning[W0306]: `launch_command` is \"vllm HIDDEN -x\" here\n --> content/a.md:2:18\n  | content/a.json: says \"vllm HIDDEN\"\nhelp: the sidecar wins; remove the key from it if the file is right",
        ),
        (
            vec![run, ("content/_index.md", "+++\nauthor = 'x'\n+++\n")],
            "error[E0302]: unknown key `author`\n --> content/_index.md:2:1\nhelp: `author` belongs below [defaults]",
        ),
        (
            vec![
                run,
                ("content/_index.md", "+++\n[defaults]\nslug = 'x'\n+++\n"),
            ],
            "error[E0302]: unknown key `defaults.slug`\n --> content/_index.md:3:1\nhelp: known here: title, author, measured_at, timezone, launch_command, source_url, tags, model, hardware, engine, method",
        ),
        (
            vec![
                run,
                (
                    "content/_index.md",
                    "+++\n[defaults]\n[defaults.hardware]\ngpus = 'x'\n+++\n\n\nText\n",
                ),
            ],
            "error[E0302]: unknown key `defaults.hardware.gpus`\n --> content/_index.md:4:1\nhelp: did you mean `defaults.hardware.gpu`?\n\nerror[E0317]: text in an _index.md, which has no page\n --> content/_index.md:8\nhelp: move it to a file of its own beside it, as about.md",
        ),
        (
            vec![
                ("content/a.json", ""),
                ("content/a.json.gz", ""),
                ("content/a.txt", ""),
                ("content/a.md", ""),
            ],
            "error[E0304]: 3 files are named \"a\" up to their ending\n --> content/a.json\n  | content/a.json.gz: another one\n  | content/a.txt: another one\nhelp: keep one of them, or rename the others",
        ),
        (
            vec![
                run,
                ("content/A.md", "+++\nauthor = 'x'\nranked = false\n+++\n"),
            ],
            "error[E0305]: `ranked` belongs to a run, but there is no A.json, A.json.gz or A.txt beside this file\n --> content/A.md:3:1\nhelp: did you mean a.md?",
        ),
        (
            vec![
                run,
                ("content/x/other.md", "+++\n[engine]\nname = 'x'\n+++\n"),
            ],
            "error[E0305]: `engine` belongs to a run, but there is no other.json, other.json.gz or other.txt beside this file\n --> content/x/other.md:2:2\nhelp: name the file after its run, or remove `engine`",
        ),
        (
            vec![run, ("content/p.md", "+++\ntitel = 'x'\n+++\n")],
            "error[E0302]: unknown key `titel`\n --> content/p.md:2:1\nhelp: did you mean `title`?",
        ),
        (
            vec![run, ("content/b.json", run.1)],
            "warning[W0314]: the same run is published twice\n --> content/b.json\n  | content/a.json: has the same bytes\nhelp: remove one of them",
        ),
        (
            vec![("content/🚀.json", "")],
            "error[E0309]: the name has no letter and no digit that can stand in an address\n --> content/🚀.json\nhelp: rename the file, or give a `slug` in a sidecar",
        ),
        (
            vec![("content/a.json", "slug = a/../b")],
            "error[E0309]: the slug \"a/../b\" must not have a dot or a dash at the beginning or the end of a part\n --> content/a.json\nhelp: use \"a/b\"",
        ),
        (
            vec![run, ("content/notes.docx", "")],
            "warning[W0313]: is neither a run (.json, .json.gz, .txt) nor text (.md), an image or a PDF; left alone\n --> content/notes.docx\nhelp: remove it, or leave it out with `ignore` in site.toml",
        ),
        (
            vec![("content/a.JSON", "broken")],
            "error[E0104]: broken\n --> content/a.JSON:1",
        ),
    ];
    for (files, expected) in cases {
        assert_eq!(said(&content(&files).problems), expected, "{files:?}");
    }
}

#[test]
fn all_problems_are_told_at_once() {
    let content = content(&[
        ("content/a.json", "broken"),
        ("content/b.json", "broken"),
        ("content/c.json", ""),
        ("content/c.md", "+++\nx = 1\ny = 2\n+++\n"),
    ]);
    assert_eq!(content.problems.len(), 4, "{}", said(&content.problems));
}

#[test]
fn without_content_there_is_advice_and_without_runs_there_is_none() {
    let root = tempfile::tempdir().unwrap();
    let error = load(root.path()).unwrap_err();
    assert!(matches!(error, LoadError::NoContent { .. }));
    assert!(
        error
            .to_string()
            .starts_with("there is no folder content in ")
    );
    assert!(error.help().contains("--root"));
    assert!(content(&[]).runs.is_empty());
}

#[test]
fn the_order_is_that_of_the_paths_with_any_number_of_threads() {
    let names: Vec<String> = (0..40)
        .map(|i| format!("content/r{}/a{i}.json", i % 7))
        .collect();
    let texts: Vec<String> = (0..40).map(|i| format!("seed = {i}")).collect();
    let files: Vec<(&str, &str)> = names
        .iter()
        .zip(&texts)
        .map(|(n, t)| (&**n, &**t))
        .collect();
    let mut backwards = files.clone();
    backwards.reverse();
    let (one, two) = (site(&files), site(&backwards));
    let with = |threads: usize, root: &Path| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let config = Config::default();
        pool.install(|| load_with(root, &config, &steps()).unwrap().runs)
    };
    let runs = with(1, one.path());
    assert_eq!(runs, with(8, two.path()));
    assert!(
        runs.windows(2)
            .all(|w| w[0].run.source.path < w[1].run.source.path)
    );
}

#[cfg(unix)]
mod links {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_inside_are_followed_and_links_outside_are_refused() {
        let other = site(&[("content/secret.json", "")]);
        let root = site(&[
            ("data/b.json", "seed = 1"),
            ("content/runs/a.json", "seed = 2"),
        ]);
        let at = |path: &str| root.path().join("content").join(path);
        symlink("../data", at("linked")).unwrap();
        symlink(other.path().join("content"), at("out")).unwrap();
        symlink(other.path().join("content/secret.json"), at("s.json")).unwrap();
        symlink("nowhere", at("gone.json")).unwrap();
        symlink("..", at("up")).unwrap();
        symlink("../runs", at("runs/loop")).unwrap();
        symlink("nowhere", at(".#lock")).unwrap();
        let content = load(root.path()).unwrap();
        let runs: Vec<_> = content.runs.iter().map(|r| r.path.as_str()).collect();
        assert_eq!(runs, ["content/linked/b.json", "content/runs/a.json"]);
        assert_eq!(
            said(&content.problems),
            "error[E0315]: the link leads nowhere\n --> content/gone.json\nhelp: remove the link, or mend it\n\n\
             error[E0308]: the link leads out of the site's folder\n --> content/out\nhelp: put a copy in its place\n\n\
             error[E0315]: the link leads in a circle\n --> content/runs/loop\nhelp: remove the link, or mend it\n\n\
             error[E0308]: the link leads out of the site's folder\n --> content/s.json\nhelp: put a copy in its place\n\n\
             error[E0315]: the link leads in a circle\n --> content/up\nhelp: remove the link, or mend it"
        );
    }

    #[test]
    fn the_folder_itself_may_not_lead_out() {
        let other = site(&[("content/secret.json", "")]);
        let root = tempfile::tempdir().unwrap();
        symlink(other.path().join("content"), root.path().join("content")).unwrap();
        let content = load(root.path()).unwrap();
        assert!(content.runs.is_empty());
        assert_eq!(
            said(&content.problems),
            "error[E0308]: the link leads out of the site's folder\n --> content\nhelp: put a copy in its place"
        );
    }

    #[test]
    fn a_name_that_is_not_utf_8_is_named_as_far_as_it_can_be() {
        use std::os::unix::ffi::OsStrExt as _;
        let root = site(&[("content/a.json", "")]);
        let name = std::ffi::OsStr::from_bytes(b"b\xff.json");
        fs_err::write(root.path().join("content").join(name), "").unwrap();
        let content = load(root.path()).unwrap();
        assert_eq!(content.runs.len(), 1);
        assert_eq!(
            said(&content.problems),
            "error[E0316]: the name is not UTF-8\n --> content/b\u{fffd}.json\nhelp: rename it"
        );
    }

    #[test]
    fn what_cannot_be_read_is_no_problem_of_the_content() {
        use std::os::unix::fs::PermissionsExt as _;
        let root = site(&[("content/a.json", ""), ("content/x/b.json", "")]);
        let close = |path: &str| {
            let path = root.path().join(path);
            fs_err::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
            path
        };
        let (file, folder) = (close("content/a.json"), close("content/x"));
        if fs_err::read(&file).is_ok() {
            return; // Run by root, whom nothing stops.
        }
        let error = load(root.path()).unwrap_err();
        fs_err::set_permissions(&folder, std::fs::Permissions::from_mode(0o700)).unwrap();
        assert_eq!(
            error.to_string(),
            "content/a.json cannot be read: permission denied\ncontent/x cannot be read: permission denied"
        );
    }

    #[test]
    fn a_pipe_is_left_alone() {
        let root = site(&[("content/a.json", "")]);
        let pipe = root.path().join("content/b.json");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        if !made.is_ok_and(|status| status.success()) {
            return;
        }
        let content = load(root.path()).unwrap();
        assert_eq!(
            said(&content.problems),
            "warning[W0313]: is no regular file; left alone\n --> content/b.json\nhelp: remove it, or leave it out with `ignore` in site.toml"
        );
    }
}
