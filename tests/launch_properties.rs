//! Launch commands and redaction on random texts. The seed is printed; `SPEEDBOOK_SEED=N` repeats
//! a run.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs
)]

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use speedbook::launch::lexer::PartKind;
use speedbook::launch::{LaunchCommand, Simple, highlight_bash};
use speedbook::redact::Redactor;

const CASES: u32 = 10_000;

fn check<S: Strategy>(
    name: &str,
    cases: u32,
    strategy: S,
    test: impl Fn(S::Value) -> Result<(), TestCaseError>,
) {
    let seed: u64 = std::env::var("SPEEDBOOK_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok())
        .unwrap_or(20_260_913);
    println!("{name}: {cases} cases, SPEEDBOOK_SEED={seed}");
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let mut runner =
        TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    if let Err(error) = runner.run(&strategy, test) {
        panic!("{name}, SPEEDBOOK_SEED={seed}: {error}");
    }
}

/// Pieces that mean something to a shell, to an engine or to the redactor.
const PIECES: &[&str] = &[
    " ",
    " ",
    " ",
    "  ",
    "\n",
    "\r\n",
    "\\\n",
    "\\",
    "'",
    "'",
    "\"",
    "\"",
    "$'",
    "`",
    "$",
    "$(",
    "${",
    "}",
    ")",
    "(",
    "{",
    "<",
    ">",
    ">>",
    "2>&1",
    "<<EOF\n",
    "\nEOF\n",
    "<<<",
    "&",
    "&&",
    "||",
    "|",
    ";",
    "#",
    "# ",
    "=",
    ":",
    "@",
    "/",
    "//",
    "-",
    "--",
    ",",
    ".",
    "%",
    "!",
    "*",
    "~",
    "é",
    "模型",
    "\u{a0}",
    "\u{0}",
    "\t",
    "vllm serve ",
    "llama-server ",
    "python -m sglang.launch_server ",
    "docker run ",
    "--rm ",
    "-it ",
    "bash -c ",
    "sudo ",
    "env ",
    "export ",
    "ssh ",
    "curl -u ",
    "--api-key ",
    "--api-key=",
    "--host ",
    "HF_TOKEN=",
    "-e ",
    "--tp 2 ",
    "-tp=4 ",
    "--model ",
    "org/name ",
    "<redacted>",
    "<host>",
    "<address>",
    "<your-token>",
    "hf_abcdefghijklmnopqrstuvwx",
    "hunter2",
    "http://sparky:8000 ",
    "10.0.0.7",
    "/home/alice",
    "sk-abcdefghijklmnop",
    "Bearer tok12345",
    "user:pa55@",
    "token",
    "password: ",
    "{\"api_key\": \"x1y2z3\"}",
    "gpu1.lan",
    "fd00::1",
    "if ",
    "for x in ",
    "done",
    "EOF",
    "0.863147",
    "123e4567-e89b-12d3-a456-426614174000",
];

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        12 => prop::sample::select(PIECES).prop_map(str::to_owned),
        1 => "[a-zA-Z0-9]{1,6}",
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn words(command: &LaunchCommand) -> Vec<String> {
    let of = |simple: &Simple| -> Vec<String> {
        let all = simple.assignments.iter().chain(&simple.words);
        let mut out: Vec<String> = all
            .map(|word| {
                let changes =
                    |kind: PartKind| matches!(kind, PartKind::Expansion | PartKind::Placeholder);
                let hidden =
                    word.parts.iter().any(|part| changes(part.kind)) || word.value.contains('<');
                if hidden {
                    "(changes)".to_owned()
                } else {
                    word.value.clone()
                }
            })
            .collect();
        out.push(format!(
            "{} {} {}",
            simple.opens, simple.closes, simple.joint
        ));
        out
    };
    command.commands().iter().flat_map(of).collect()
}

#[test]
fn reading_never_panics_and_what_is_copied_has_the_same_words() {
    check("parse", CASES, text(), |text| {
        let command = LaunchCommand::parse(&text);
        let line = command.one_line();
        prop_assert!(!line.contains('\n'), "{line:?}");
        let _ = (
            command.flags(),
            command.settings(),
            command.model(),
            command.served_name(),
        );
        let copy = LaunchCommand::parse(&line);
        prop_assert!(copy.is_understood(), "{text:?} became {line:?}");
        if command.is_understood() && !line.starts_with("bash -c $'") {
            let same = words(&command)
                .iter()
                .zip(words(&copy))
                .all(|(a, b)| a == "(changes)" || *a == b);
            prop_assert!(
                same && words(&command).len() == words(&copy).len(),
                "{:?} became {:?}: {line:?}",
                words(&command),
                words(&copy)
            );
        }
        Ok(())
    });
}

#[test]
fn what_is_shown_reads_as_the_same_command() {
    check("lines", CASES, text(), |text| {
        let command = LaunchCommand::parse(&text);
        let shown = command.lines().join("\n");
        let again = LaunchCommand::parse(&shown);
        if command.is_understood() {
            let all = |command: &LaunchCommand| -> Vec<String> {
                let words = command
                    .commands()
                    .iter()
                    .flat_map(|s| s.assignments.iter().chain(&s.words));
                words.map(|word| word.value.clone()).collect()
            };
            prop_assert_eq!(all(&command), all(&again), "{:?} became {:?}", text, shown);
        }
        Ok(())
    });
}

#[test]
fn redacting_twice_changes_nothing() {
    let redactor = Redactor::new(&["hun[a-z]+".to_owned()], &["sparkling".to_owned()]).unwrap();
    let names = ["sparky".to_owned(), "vm".to_owned()];
    check("redact", CASES, text(), |text| {
        let once = redactor.command(&text, &names).text;
        let twice = redactor.command(&once, &names);
        prop_assert_eq!(&twice.text, &once, "{:?}", text);
        let once = redactor.text(&text, &names).text;
        let twice = redactor.text(&once, &names);
        prop_assert_eq!(&twice.text, &once, "{:?}", text);
        Ok(())
    });
}

#[test]
fn what_is_found_lies_in_the_text_in_order() {
    let redactor = Redactor::new(&[], &[]).unwrap();
    check("found", CASES, text(), |text| {
        let redacted = redactor.command(&text, &[]);
        let mut at = 0;
        for found in &redacted.found {
            prop_assert!(found.range.start >= at && text.get(found.range.clone()).is_some());
            at = found.range.end;
        }
        prop_assert_eq!(redacted.found.is_empty(), redacted.text == text);
        Ok(())
    });
}

/// A way to write a secret into a command.
const PLACES: &[&str] = &[
    "vllm serve m --api-key @",
    "vllm serve m --api-key=@",
    "vllm serve m --api_key '@'",
    "vllm serve m --api-key=\"@\"",
    "HF_TOKEN=@ vllm serve m",
    "export MY_SECRET='@'; vllm serve m",
    "docker run -e HF_TOKEN=@ img",
    "docker run --env=DB_PASSWORD=@ img",
    "docker run -eAPI_KEY=@ img",
    "curl -H 'Authorization: Bearer @' http://x.org",
    "curl -H \"X-Api-Key: @\" http://x.org",
    "curl -u bob:@ http://x.org",
    "git clone https://bob:@@x.org/r",
    "vllm serve m --api-key \\\n  @ --tp 2",
    "vllm serve m --x '{\"api_key\": \"@\"}'",
    "vllm serve m --x '{\"a\":{\"client_secret\":\"@\"}}'",
    "bash -c 'vllm serve m --api-key @'",
    "bash -c \"vllm serve m --api-key '@'\"",
    "cat <<EOF > x.json\n{\"password\": \"@\"}\nEOF\nvllm serve m",
    "cat <<'EOF'\nHF_TOKEN=@\nEOF",
    "vllm serve m # HF_TOKEN=@",
    "vllm serve m # was: --api-key @",
    "a && b --token @ || c",
    "(vllm serve m --token @ &)",
    "vllm serve m --api-key $(echo x --token @)",
    "vllm serve m --token \"$(curl -H 'Authorization: Token @')\"",
    "ssh sparky 'vllm serve m --token @'",
    "echo @ | cat; vllm serve m --api-key @",
    "hf auth login --token @",
    "wandb login @",
    "vllm serve m --api-key ${API_KEY:-@}",
    "PASSWORD=@\nvllm serve m",
    "sshpass -p @ ssh x",
    "for i in 1; do vllm serve m --api-key @; done",
    "vllm serve m --api-key '@",
    "llama-server -hft @ -m x",
    "set HF_TOKEN=@",
    "x --header=Authorization:@",
    "kubectl create secret generic hf --from-literal=token=@",
    "$env:HF_TOKEN = \"@\"; llama-server -m x",
    "vllm serve m --api-key `echo @`",
    "x --auth '@'",
    "helm install x --set a.b=1,apiKey=@",
    "x --opt password=@,y=2",
    "HF_TOKEN: @",
    "token:@",
];

#[test]
fn a_secret_does_not_survive_wherever_it_stands() {
    let redactor = Redactor::new(&[], &[]).unwrap();
    let secret = "[A-Za-z0-9]{4}[0-9][A-Za-z0-9_.+-]{3,20}[A-Za-z0-9]";
    let strategy = (prop::sample::select(PLACES), secret);
    check("secrets", CASES, strategy, |(place, secret)| {
        let text = place
            .replace("@@", &format!("{secret}\u{1}"))
            .replace('@', &secret)
            .replace('\u{1}', "@");
        let redacted = redactor.command(&text, &[]).text;
        let command = LaunchCommand::parse(&redacted);
        for output in [
            redacted.clone(),
            command.lines().join("\n"),
            command.one_line(),
        ] {
            prop_assert!(
                !output.contains(&secret),
                "{secret} of {text:?} in {output:?}"
            );
        }
        Ok(())
    });
}

#[test]
fn markup_is_balanced_and_escaped() {
    check("highlight", 300, text(), |text| {
        let html = highlight_bash(&text);
        let mut depth = 0_i32;
        let mut rest = html.as_str();
        let mut shown = String::new();
        while let Some(at) = rest.find('<') {
            shown.push_str(&rest[..at]);
            let end = at + rest[at..].find('>').unwrap() + 1;
            match &rest[at..end] {
                "</span>" => depth -= 1,
                tag => {
                    prop_assert!(
                        tag.starts_with("<span class=\"") && !tag.contains('\n'),
                        "{tag}"
                    );
                    depth += 1;
                }
            }
            prop_assert!(depth >= 0, "{html}");
            rest = &rest[end..];
        }
        shown.push_str(rest);
        prop_assert_eq!(depth, 0, "{}", html);
        let shown = shown
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&quot;", "\"");
        let shown = shown
            .replace("&#39;", "'")
            .replace("&#x27;", "'")
            .replace("&amp;", "&");
        prop_assert_eq!(shown.trim_end(), text.trim_end());
        Ok(())
    });
}

#[test]
fn hostile_texts_take_no_long_time() {
    let redactor = Redactor::new(&[], &[]).unwrap();
    for (what, piece, size) in [
        ("quotes", "'", 10 << 20),
        ("double quotes", "\"", 10 << 20),
        ("substitutions", "$(", 10 << 20),
        ("quotes below the limit", "'", 900 << 10),
        ("substitutions below the limit", "$(", 900 << 10),
        ("closed substitutions", "$(x)", 900 << 10),
        ("braces", "${a:-", 900 << 10),
        ("subshells", "( ", 400 << 10),
        ("flags", "--api-key x ", 400 << 10),
        ("pairs", "a_token=", 900 << 10),
        ("homes", "/home/a", 900 << 10),
        ("addresses", "10.0.0.1.", 900 << 10),
        ("colons", ":", 900 << 10),
        ("keys", "-----BEGIN PRIVATE KEY-----", 900 << 10),
        ("urls", "http://a@", 900 << 10),
        ("here-documents", "<<a ", 400 << 10),
        ("placeholders", "<redacted>", 900 << 10),
        ("hex", "0123456789abcdef", 900 << 10),
        ("backticks", "`", 900 << 10),
    ] {
        let text = piece.repeat(size / piece.len());
        let start = std::time::Instant::now();
        let redacted = redactor.command(&text, &["sparky".to_owned()]);
        let command = LaunchCommand::parse(&redacted.text);
        let _ = (
            command.lines().len(),
            command.one_line().len(),
            command.settings().len(),
        );
        let took = start.elapsed();
        println!("{what}: {took:?}");
        assert!(took.as_secs() < 30, "{what} took {took:?}");
    }
}

#[test]
fn bash_accepts_whatever_is_copied() {
    use std::io::Write as _;
    use std::process::{Command, Stdio};
    // Understood commands only: for the others the text is one quoted word.
    check("bash -n", 400, text(), |text| {
        let command = LaunchCommand::parse(&text);
        let line = command.one_line();
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
        prop_assert!(
            child.wait().unwrap().success(),
            "bash refuses {line:?} of {text:?}"
        );
        Ok(())
    });
}
