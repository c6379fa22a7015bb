//! Launch commands, from the text to what is shown and copied: 60 of them in
//! `tests/fixtures/commands`, each with what must come out.
//!
//! `SPEEDBOOK_BLESS=1` writes the sections `lines`, `copied`, `settings` and `facts` anew.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs
)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use speedbook::launch::lexer::{PartKind, Word};
use speedbook::launch::{LaunchCommand, Redirection, highlight_bash};
use speedbook::redact::Redactor;

struct Fixture {
    path: PathBuf,
    about: String,
    sections: BTreeMap<String, String>,
}

impl Fixture {
    fn read(path: &Path) -> Self {
        let text = fs_err::read_to_string(path).unwrap();
        let mut about = String::new();
        let mut sections: BTreeMap<String, String> = BTreeMap::new();
        let mut current: Option<String> = None;
        for line in text.lines() {
            if let Some(name) = line.strip_prefix("=== ") {
                current = Some(name.to_owned());
                sections.insert(name.to_owned(), String::new());
            } else if let Some(name) = &current {
                let section = sections.get_mut(name).unwrap();
                section.push_str(line);
                section.push('\n');
            } else {
                about.push_str(line);
                about.push('\n');
            }
        }
        Self {
            path: path.to_owned(),
            about,
            sections,
        }
    }

    fn list(&self, name: &str) -> Vec<String> {
        let text = self.sections.get(name).map_or("", String::as_str);
        let lines = text.lines().filter(|line| !line.is_empty());
        lines.map(str::to_owned).collect()
    }

    fn command(&self) -> String {
        let mut text = self.sections["command"].trim_end_matches('\n').to_owned();
        for option in self.list("options") {
            match option.as_str() {
                "crlf" => text = text.replace('\n', "\r\n"),
                "long" => {
                    for n in 0..600 {
                        write!(text, " --flag-{n} value-{n}").unwrap();
                    }
                }
                other => panic!("unknown option {other}"),
            }
        }
        text
    }

    fn write(&self) {
        let mut text = self.about.clone();
        for name in [
            "options", "command", "secrets", "stays", "lines", "copied", "settings", "facts",
        ] {
            if let Some(section) = self.sections.get(name) {
                write!(text, "=== {name}\n{section}").unwrap();
            }
        }
        fs_err::write(&self.path, text).unwrap();
    }
}

fn fixtures() -> Vec<Fixture> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/commands");
    let mut paths: Vec<PathBuf> = fs_err::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths.iter().map(|path| Fixture::read(path)).collect()
}

fn names() -> Vec<String> {
    vec!["sparky".to_owned()]
}

fn joined(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn facts(command: &LaunchCommand) -> String {
    let mut out = String::new();
    for (name, value) in [
        ("engine", command.engine().map(str::to_owned)),
        ("model", command.model()),
        ("served name", command.served_name()),
        ("image", command.server().and_then(|server| server.image)),
    ] {
        if let Some(value) = value {
            writeln!(out, "{name} = {value}").unwrap();
        }
    }
    out
}

#[test]
fn sixty_commands_are_read_shown_and_copied() {
    let redactor = Redactor::new(&[], &[]).unwrap();
    let bless = std::env::var_os("SPEEDBOOK_BLESS").is_some();
    let mut fixtures = fixtures();
    assert!(fixtures.len() >= 60, "only {} commands", fixtures.len());
    let mut wrong = Vec::new();
    for fixture in &mut fixtures {
        let redacted = redactor.command(&fixture.command(), &names());
        let command = LaunchCommand::parse(&redacted.text);
        let settings: Vec<String> = command
            .settings()
            .iter()
            .map(|s| format!("{} = {}", s.kind.id(), s.value))
            .collect();
        let long = fixture.list("options").contains(&"long".to_owned());
        let shown = if long { Vec::new() } else { command.lines() };
        let copied = if long {
            String::new()
        } else {
            format!("{}\n", command.one_line())
        };
        for (name, actual) in [
            ("lines", joined(&shown)),
            ("copied", copied),
            ("settings", joined(&settings)),
            ("facts", facts(&command)),
        ] {
            if fixture.sections.get(name) != Some(&actual) {
                wrong.push(format!("{}: {name}:\n{actual}", fixture.path.display()));
                fixture.sections.insert(name.to_owned(), actual);
            }
        }
        if bless {
            fixture.write();
        }
    }
    assert!(bless || wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_planted_secret_comes_out_anywhere() {
    let redactor = Redactor::new(&[], &[]).unwrap();
    let mut planted = 0;
    for fixture in fixtures() {
        let text = fixture.command();
        let redacted = redactor.command(&text, &names());
        let command = LaunchCommand::parse(&redacted.text);
        let lines = command.lines().join("\n");
        let outputs = [
            ("command", redacted.text.clone()),
            ("lines", lines.clone()),
            ("one_line", command.one_line()),
            ("highlighted lines", highlight_bash(&lines)),
            ("highlighted line", highlight_bash(&command.one_line())),
            ("message", redactor.message(&text)),
            (
                "flags",
                format!("{:?} {:?}", command.flags(), command.server()),
            ),
        ];
        for secret in fixture.list("secrets") {
            planted += 1;
            for (name, output) in &outputs {
                assert!(
                    !output.contains(&secret),
                    "{}: {secret} in {name}:\n{output}",
                    fixture.path.display()
                );
            }
        }
        for text in fixture.list("stays") {
            assert!(
                redacted.text.contains(&text),
                "{}: {text} is gone from\n{}",
                fixture.path.display(),
                redacted.text
            );
        }
        let again = redactor.command(&redacted.text, &names());
        assert_eq!(again.text, redacted.text, "{}", fixture.path.display());
        assert!(again.found.is_empty(), "{}", fixture.path.display());
    }
    assert!(planted >= 60, "only {planted} secrets");
}

#[test]
fn what_is_shown_is_the_same_command() {
    let redactor = Redactor::new(&[], &[]).unwrap();
    for fixture in fixtures() {
        let redacted = redactor.command(&fixture.command(), &names()).text;
        let command = LaunchCommand::parse(&redacted);
        let shown = LaunchCommand::parse(&command.lines().join("\n"));
        assert_eq!(
            values(&command),
            values(&shown),
            "{}",
            fixture.path.display()
        );
    }
}

#[test]
fn what_is_copied_is_one_line_that_bash_takes_and_the_same_words() {
    let redactor = Redactor::new(&[], &[]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut evaluated = 0;
    for fixture in fixtures() {
        let path = fixture.path.display();
        let redacted = redactor.command(&fixture.command(), &names()).text;
        let command = LaunchCommand::parse(&redacted);
        let line = command.one_line();
        assert!(!line.contains(['\n', '\r']), "{path}: {line}");
        assert!(bash_accepts(&line), "{path}: bash -n refuses {line}");
        let copy = LaunchCommand::parse(&line);
        assert!(copy.is_understood(), "{path}: {line}");
        if !command.is_understood() {
            assert!(line.starts_with("bash -c "), "{path}: {line}");
            continue;
        }
        assert_eq!(
            copy.commands().len(),
            command.commands().len(),
            "{path}: {line}"
        );
        for (from, to) in command.commands().iter().zip(copy.commands()) {
            let all = |simple: &speedbook::launch::Simple| -> Vec<Word> {
                simple
                    .assignments
                    .iter()
                    .chain(&simple.words)
                    .cloned()
                    .collect()
            };
            let (from_words, to_words) = (all(from), all(to));
            if from_words.iter().any(runs_something) {
                assert_eq!(from_words.len(), to_words.len(), "{path}: {line}");
                continue;
            }
            // One command alone: bash cuts the whole line. Else the words as they were copied.
            let alone = command.commands().len() == 1
                && from.redirections.is_empty()
                && from.opens == 0
                && from.joint.is_empty();
            let copied: Vec<String> = to_words.iter().map(|w| w.raw.clone()).collect();
            let args = if alone {
                line.clone()
            } else {
                copied.join(" ")
            };
            let expected: Vec<String> = from_words.iter().map(expected_value).collect();
            let variables = variables(&from_words, &to_words);
            assert_eq!(
                evaluate(&args, &variables, folder.path()),
                expected,
                "{path}: {args}"
            );
            evaluated += 1;
        }
        for (from, to) in command.commands().iter().zip(copy.commands()) {
            for (document, string) in from.redirections.iter().zip(&to.redirections) {
                if let (Redirection::Document { body, .. }, Redirection::File { target, .. }) =
                    (document, string)
                {
                    let hidden = hidden_in(body);
                    let mut hidden = hidden.iter();
                    let variables = expansions(target).into_iter().map(|text| {
                        let plain = body.contains(text.as_str());
                        let value = if plain {
                            text.clone()
                        } else {
                            hidden.next().unwrap().clone()
                        };
                        (text, value)
                    });
                    let value = evaluate(&target.raw, &variables.collect(), folder.path());
                    let mut tabs = body.replace("\n\t", "\n");
                    let open = matches!(document, Redirection::Document { document, .. } if document.delimiter.raw == document.delimiter.value);
                    if open {
                        tabs = tabs.replace("\\$", "$").replace("\\\\", "\\");
                    }
                    assert_eq!(
                        value.join(" "),
                        tabs.trim_start_matches('\t').trim_end_matches('\n'),
                        "{path}"
                    );
                }
            }
        }
    }
    assert!(evaluated >= 50, "only {evaluated} commands were evaluated");
    assert_eq!(
        fs_err::read_dir(folder.path()).unwrap().count(),
        0,
        "nothing may run"
    );
}

/// Values of all words, and targets of redirections.
fn values(command: &LaunchCommand) -> Vec<String> {
    let mut out = Vec::new();
    for simple in command.commands() {
        out.extend(
            simple
                .assignments
                .iter()
                .chain(&simple.words)
                .map(|w| w.value.clone()),
        );
        for redirection in simple.redirections.iter().chain(&simple.outer) {
            out.push(match redirection {
                Redirection::File { operator, target } => format!("{operator} {}", target.value),
                Redirection::Document { body, .. } => body.clone(),
            });
        }
        out.push(format!(
            "{} {} {}",
            simple.opens, simple.closes, simple.joint
        ));
    }
    if !command.is_understood() {
        out.extend(
            command
                .text()
                .trim_end()
                .lines()
                .map(|line| line.trim_end().to_owned()),
        );
    }
    out
}

fn runs_something(word: &Word) -> bool {
    word.parts.iter().any(|part| {
        let text = &word.raw[part.raw.start - word.span.start..part.raw.end - word.span.start];
        part.kind == PartKind::Expansion
            && (text.contains(['(', '`'])
                || !text[1..]
                    .trim_matches(['{', '}'])
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b == b'_'))
    })
}

/// The value, with the one expansion that the shell makes of a tilde.
fn expected_value(word: &Word) -> String {
    match word.value.strip_prefix('~') {
        Some(rest) if word.raw.starts_with('~') => format!("$HOME{rest}"),
        _ => word.value.clone(),
    }
}

fn bash_accepts(line: &str) -> bool {
    let mut child = Command::new("bash")
        .arg("-n")
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(line.as_bytes())
        .unwrap();
    child.wait().unwrap().success()
}

/// What bash makes of words. Nothing is run: `printf` is built in, the words hold no command
/// substitutions and no redirections, and every variable stands for what it is written as or what
/// was hidden.
fn evaluate(words: &str, variables: &BTreeMap<String, String>, folder: &Path) -> Vec<String> {
    let mut command = Command::new("bash");
    command
        .args(["--norc", "--noprofile", "-f", "+B", "-c"])
        .arg(format!("printf '%s\\0' {words}"))
        .current_dir(folder)
        .env_clear()
        .env("HOME", "$HOME")
        .env("LC_ALL", "C.UTF-8");
    for (text, value) in variables {
        command.env(text.trim_start_matches('$').trim_matches(['{', '}']), value);
    }
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{words}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).unwrap();
    text.split_terminator('\0').map(str::to_owned).collect()
}

/// What each variable of the copied words stands for: itself where the original has it, too, else
/// what was hidden there.
fn variables(from: &[Word], to: &[Word]) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    for (from, to) in from.iter().zip(to) {
        let own = expansions(from);
        let hidden = hidden_in(&from.value);
        let mut hidden = hidden.iter();
        for text in expansions(to) {
            let value = if own.contains(&text) {
                text.clone()
            } else {
                hidden.next().unwrap().clone()
            };
            let old = out.insert(text.clone(), value.clone());
            assert!(
                old.is_none_or(|old| old == value),
                "{text} stands for two things"
            );
        }
    }
    out
}

fn expansions(word: &Word) -> Vec<String> {
    let parts = word
        .parts
        .iter()
        .filter(|part| part.kind == PartKind::Expansion);
    let texts =
        parts.map(|p| &word.raw[p.raw.start - word.span.start..p.raw.end - word.span.start]);
    texts.map(str::to_owned).collect()
}

/// Placeholders in a text, in order.
fn hidden_in(text: &str) -> Vec<String> {
    let pattern = regex::Regex::new("<[A-Za-z][A-Za-z0-9_-]*>").unwrap();
    pattern
        .find_iter(text)
        .map(|found| found.as_str().to_owned())
        .collect()
}

fn flags(text: &str) -> Vec<(String, String)> {
    let mut flags: Vec<_> = LaunchCommand::parse(text)
        .flags()
        .into_iter()
        .map(|flag| (flag.name, flag.value))
        .collect();
    flags.sort();
    flags
}

#[test]
fn flags_are_the_same_however_they_are_written() {
    for (a, b) in [
        (
            "vllm serve m -tp 2 --port=1",
            "vllm serve m --port 1 --tensor_parallel_size=2",
        ),
        (
            "vllm serve m --no-enable-prefix-caching",
            "vllm serve m --enable-prefix-caching false",
        ),
        (
            "vllm serve m -sc '{\"method\":\"mtp\",\"num_speculative_tokens\":3}'",
            "vllm serve m --speculative-config.num_speculative_tokens 3 --speculative-config.method=mtp",
        ),
        ("vllm serve m -tp 1 -tp 4", "vllm serve m -tp 4"),
        ("vllm serve m -O3", "vllm serve m --optimization-level 3"),
        (
            "sglang serve --model-path m --tp 8 --dp-size 2",
            "sglang serve --dp 2 --model m --tensor-parallel-size 8",
        ),
        (
            "llama-server -m x -c 1 -np 2 -ngl 9 -fa on",
            "llama-server -fa on --n-gpu-layers 9 --parallel 2 --ctx-size 1 --model x",
        ),
        (
            "llama-server -m x -nkvo",
            "llama-server -m x --no-kv-offload",
        ),
        ("A=1 B=2 vllm serve m", "export B=2\nenv A=1 vllm serve m"),
        (
            "docker run -it -p 1:2 -e A=1 vllm/vllm-openai --model m",
            "docker run --publish=1:2 --env A=1 -t -i vllm/vllm-openai --model=m",
        ),
    ] {
        assert_eq!(flags(a), flags(b), "{a} and {b}");
        assert!(!flags(a).is_empty(), "{a}");
    }
}

#[test]
fn the_published_reports_differ_in_fourteen_flags() {
    let whole = |name: &str| -> BTreeMap<String, String> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/fixtures/commands")
            .join(name);
        let command = LaunchCommand::parse(&Fixture::read(&path).command());
        let mut out: BTreeMap<String, String> = BTreeMap::new();
        for flag in command
            .flags()
            .iter()
            .filter(|flag| !flag.hidden && flag.name != "model")
        {
            let value = out.entry(flag.whole().to_owned()).or_default();
            write!(value, "{}={};", flag.name, flag.value).unwrap();
        }
        out
    };
    let (a, b) = (whole("vllm-report.txt"), whole("vllm-report-glued.txt"));
    let only_a = a.keys().filter(|name| !b.contains_key(*name)).count();
    let only_b = b.keys().filter(|name| !a.contains_key(*name)).count();
    let changed = a
        .iter()
        .filter(|(name, value)| b.get(*name).is_some_and(|other| other != *value))
        .count();
    assert_eq!((only_a, only_b, changed), (11, 0, 3));
}

#[test]
fn hidden_parts_are_marked_and_everything_is_escaped() {
    let html = highlight_bash("vllm serve m --api-key <redacted> --x '<b>&\"<host>' # <script>");
    assert!(
        html.contains("<span class=\"hidden-part\">&lt;redacted&gt;</span>"),
        "{html}"
    );
    assert!(
        html.contains("<span class=\"hidden-part\">&lt;host&gt;</span>"),
        "{html}"
    );
    assert!(
        html.contains("class=\"sy-") && !html.contains("<b>") && !html.contains("<script"),
        "{html}"
    );
    assert!(!html.contains("style="), "{html}");
}

#[test]
fn prompts_thin_blanks_and_loose_ends_are_no_words() {
    for text in [
        "$ vllm serve org/m -tp 2",
        "vllm serve org/m -tp 2 \\",
        "vllm serve org/m \\\n  -tp 2 \\\n",
        "vllm\u{2009}serve\u{202f}org/m\u{2007}-tp\u{a0}2",
    ] {
        let command = LaunchCommand::parse(text);
        assert_eq!(command.one_line(), "vllm serve org/m -tp 2", "{text}");
        assert_eq!(command.model().as_deref(), Some("org/m"), "{text}");
        assert_eq!(command.settings()[0].value, "2", "{text}");
    }
    for text in ["vllm serve org/m -tp", "vllm serve org/m -tp --port 1"] {
        let command = LaunchCommand::parse(text);
        assert!(command.settings().is_empty(), "{:?}", command.settings());
        assert!(command.flags().iter().all(|flag| flag.value != "true"));
    }
}
