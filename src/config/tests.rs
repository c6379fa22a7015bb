use super::*;

fn problems(toml: &str) -> Vec<String> {
    let problems = parse(toml.as_bytes()).expect_err(toml);
    problems
        .iter()
        .map(|p| format!("{} {} {}; {}", p.code.id(), p.place, p.message, p.help))
        .collect()
}

#[test]
fn without_a_file_everything_is_as_by_default() {
    let root = tempfile::tempdir().unwrap();
    let config = load(root.path()).unwrap();
    assert_eq!(config.title, "Speed tests");
    assert_eq!(config.theme, "default");
    assert_eq!(config.compare.nearest, 3);
    let limits: Vec<_> = config
        .budgets
        .iter()
        .map(|b| (b.name.as_str(), b.ttft_ms, b.each_tok_per_s))
        .collect();
    assert_eq!(
        limits,
        [
            ("chat", Some(2000.0), Some(20.0)),
            ("agent", None, Some(50.0)),
            ("batch", None, Some(5.0))
        ]
    );
    assert!(config.output.markdown && !config.output.samples);
}

#[test]
fn a_file_that_cannot_be_read_is_no_missing_one() {
    let root = tempfile::tempdir().unwrap();
    fs_err::create_dir(root.path().join(FILE)).unwrap();
    assert!(matches!(load(root.path()), Err(ConfigError::Unreadable(_))));
}

#[test]
fn every_key_is_read() {
    let toml = r#"
title = "T"
description = "D"
base_url = "https://Example.org/repo"
repository = "https://github.com/a/b"
author = "A"
license = "CC-BY-4.0"
timezone = "Europe/Berlin"
theme = "plain"
ignore = ["*.log", "runs/old/**"]
[output]
markdown = false
json = false
csv = false
charts = false
comparisons = false
samples = true
[redact]
patterns = ["acme-[0-9]+"]
keep = ["sk-example"]
[noise]
tok_per_s = 0.1
itl = 0.2
ttft = 0.3
[[budgets]]
name = "voice"
ttft_ms = 500
each_tok_per_s = 30
[prices]
"H200 SXM" = 3.5
[names]
"NVIDIA H200" = "H200 SXM"
[compare]
nearest = 0
"#;
    for (path, key) in crate::toml_keys::paths(&keys()) {
        assert!(toml.contains(key.name), "the test lacks {path}");
    }
    let config = parse(toml.as_bytes()).unwrap();
    assert_eq!(config.title, "T");
    assert_eq!(config.description.as_deref(), Some("D"));
    assert_eq!(
        config.base_url.unwrap().as_str(),
        "https://example.org/repo/"
    );
    assert_eq!(config.repository.as_deref(), Some("https://github.com/a/b"));
    assert_eq!(config.author.as_deref(), Some("A"));
    assert_eq!(config.license.as_deref(), Some("CC-BY-4.0"));
    assert_eq!(config.timezone.as_deref(), Some("Europe/Berlin"));
    assert_eq!(config.theme, "plain");
    assert!(config.ignore.matches("runs/old/a.json") && config.ignore.matches("x/y.log"));
    let off = Output {
        markdown: false,
        json: false,
        csv: false,
        charts: false,
        comparisons: false,
        samples: true,
    };
    assert_eq!(config.output, off);
    assert!(config.redact.patterns[0].is_match("acme-7"));
    assert_eq!(config.redact.keep, ["sk-example"]);
    assert_eq!(
        (config.noise.tok_per_s, config.noise.itl, config.noise.ttft),
        (0.1, 0.2, 0.3)
    );
    assert_eq!(config.budgets.len(), 1);
    assert_eq!(config.prices["H200 SXM"], 3.5);
    assert_eq!(config.names["NVIDIA H200"], "H200 SXM");
    assert_eq!(config.compare.nearest, 0);
}

#[test]
fn every_problem_has_its_place_and_words() {
    for (toml, said) in [
        (
            "titel = 'x'",
            "E0302 site.toml:1:1 unknown key `titel`; did you mean `title`?",
        ),
        (
            "\u{feff}title = 1",
            "E0303 site.toml:1:9 `title` must be a text of one line, found a number; write it in quotes",
        ),
        (
            "\r\nbase_url = 'https://a/?b'",
            "E0303 site.toml:2:12 `base_url` must not have a query (?) or a fragment (#); ",
        ),
        (
            "base_url = 'a.org'",
            "E0303 site.toml:1:12 `base_url` must begin with http:// or https://; ",
        ),
        (
            "timezone = 'Europe/Berlim'",
            "E0310 site.toml:1:12 there is no time zone \"Europe/Berlim\"; did you mean \"Europe/Berlin\"?",
        ),
        (
            "timezone = 'home'",
            "E0310 site.toml:1:12 there is no time zone \"home\"; use a name of the IANA database, as \"Europe/Berlin\" or \"UTC\"",
        ),
        (
            "theme = '../x'",
            "E0303 site.toml:1:9 `theme` must be the name of a folder; name a folder in themes/, without its path",
        ),
        (
            "ignore = ['a',\n'[b']",
            "E0311 site.toml:2:1 the pattern \"[b\" cannot be read: unclosed character class; missing ']'; ",
        ),
        (
            "[redact]\npatterns = ['(']",
            "E0311 site.toml:2:13 this pattern is no regular expression: unclosed group; ",
        ),
        (
            "[redact]\npatterns = ['x*']",
            "E0311 site.toml:2:13 this pattern matches the empty text; write what must be there, as `[0-9]+` in the place of `[0-9]*`",
        ),
        (
            "noise.itl = 7",
            "E0303 site.toml:1:13 `noise.itl` must be less than 1; it is a share: 0.07 is 7 %",
        ),
        (
            "[[budgets]]\nttft_ms = 1",
            "E0303 site.toml:1:1 a budget lacks its `name`; ",
        ),
        (
            "[[budgets]]\nname = 'a'",
            "E0303 site.toml:2:8 the budget \"a\" has no limit; give `ttft_ms` or `each_tok_per_s`",
        ),
        (
            "budgets = [{name='a',ttft_ms=1},{name='a',ttft_ms=2}]",
            "E0303 site.toml:1:39 there are two budgets \"a\"; give each a name of its own",
        ),
        (
            "title = 'a",
            "E0312 site.toml:1:11 is not TOML: invalid literal string, expected `'`; ",
        ),
    ] {
        assert_eq!(problems(toml), [said], "{toml}");
    }
    assert_eq!(problems("x = 1\ny = 2").len(), 2, "all of them are told");
}
