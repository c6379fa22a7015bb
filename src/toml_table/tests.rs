use super::*;

fn keys() -> Vec<Key> {
    let key = |name, shape| Key::new(name, shape, "");
    vec![
        key("title", Shape::Text),
        key("command", Shape::Lines),
        key("draft", Shape::Switch),
        key("tags", Shape::Texts),
        key("when", Shape::Time),
        key("link", Shape::Url),
        key(
            "hardware",
            Shape::Table(vec![
                key("gpu", Shape::Text),
                key("gpu_count", Shape::Count),
                key("vram", Shape::Number),
            ]),
        ),
        key("budgets", Shape::Tables(vec![key("name", Shape::Text)])),
        key("prices", Shape::NumberByName),
    ]
}

fn read_all(toml: &str) -> (Table, Vec<String>) {
    let text = TomlText {
        path: "a.toml",
        file: toml,
        range: 0..toml.len(),
        syntax: Code::FrontMatterSyntax,
    };
    let (table, problems) = read(&text, &keys());
    let problems = crate::diagnostic::sorted(problems);
    let said = problems
        .iter()
        .map(|p| format!("{} {}; {}", p.place, p.message, p.help))
        .collect();
    (table, said)
}

#[test]
fn values_have_their_types() {
    let (table, problems) = read_all(
        "title = ' A '\ncommand = \"\"\"\na\nb\"\"\"\ndraft = true\ntags = ['x', 'y']\nwhen = 2026-09-13T02:25:00Z\nprices = { \"H200 SXM\" = 3.5, B = 2 }\n[hardware]\ngpu_count = 1_0\nvram = 141\n[[budgets]]\nname = 'chat'\n",
    );
    assert_eq!(problems, [""; 0]);
    assert_eq!(table.text("title").unwrap().0, "A");
    assert_eq!(table.text("command").unwrap().0, "a\nb");
    assert_eq!(table.switch("draft"), Some(true));
    assert_eq!(table.texts("tags").unwrap()[1].0, "y");
    let hardware = table.table("hardware").unwrap();
    assert_eq!(hardware.count("gpu_count"), Some(10));
    assert_eq!(hardware.number("vram"), Some(141.0));
    assert_eq!(
        hardware.get("vram").unwrap().place,
        Place::column("a.toml", 11, 8)
    );
    assert_eq!(table.tables("budgets").unwrap().len(), 1);
    assert_eq!(table.table("prices").unwrap().number("H200 SXM"), Some(3.5));
}

#[test]
fn times_are_read_in_both_notations() {
    for toml in [
        "when = 2026-09-13",
        "when = 2026-09-13 02:25:00",
        "when = '2026-09-13 02:25'",
        "when = 2026-09-13T02:25:00.5-04:00",
    ] {
        assert_eq!(read_all(toml).1, [""; 0], "{toml}");
    }
}

#[test]
fn every_fault_has_its_place_and_words() {
    for (toml, said) in [
        (
            "titel = 'A'",
            "a.toml:1:1 unknown key `titel`; did you mean `title`?",
        ),
        (
            "x = 1",
            "a.toml:1:1 unknown key `x`; known here: title, command, draft, tags, when, link, hardware, budgets, prices",
        ),
        (
            "\ngpu = 'A'",
            "a.toml:2:1 unknown key `gpu`; `gpu` belongs below [hardware]",
        ),
        (
            "[hardware]\ntitle = 'A'",
            "a.toml:2:1 unknown key `hardware.title`; `title` belongs before the first [table]",
        ),
        (
            "[hardware]\ngpus = 'A'",
            "a.toml:2:1 unknown key `hardware.gpus`; did you mean `hardware.gpu`?",
        ),
        (
            "[[budgets]]\nnam = 'A'",
            "a.toml:2:1 unknown key `budgets.nam`; did you mean `budgets.name`?",
        ),
        (
            "title = 4",
            "a.toml:1:9 `title` must be a text of one line, found a number; write it in quotes",
        ),
        (
            "title = ''",
            "a.toml:1:9 `title` is empty; leave the key out, or give it a value",
        ),
        (
            "title = \"a\\nb\"",
            "a.toml:1:9 `title` must be a text of one line; ",
        ),
        (
            "draft = 'true'",
            "a.toml:1:9 `draft` must be true or false, found a text; write it without quotes",
        ),
        (
            "tags = 'a'",
            "a.toml:1:8 `tags` must be a list of texts, found a text; write it in square brackets",
        ),
        (
            "tags = ['a', 4]",
            "a.toml:1:14 `tags` must be a list of texts, found a number in the list; ",
        ),
        (
            "tags = ['a', ' ']",
            "a.toml:1:14 `tags` is empty; leave the key out, or give it a value",
        ),
        (
            "when = 'soon'",
            "a.toml:1:8 `when` is not a date or a time; write it as 2026-09-13, 2026-09-13T02:25:00 or 2026-09-13T02:25:00+02:00",
        ),
        (
            "when = 02:25:00",
            "a.toml:1:8 `when` lacks the day; write it as 2026-09-13 or 2026-09-13T02:25:00",
        ),
        (
            "when = 4",
            "a.toml:1:8 `when` must be a date or a time, found a number; ",
        ),
        (
            "link = 'ftp://me:secret@host/'",
            "a.toml:1:8 `link` must begin with http:// or https://; ",
        ),
        (
            "hardware = 'x'",
            "a.toml:1:12 `hardware` must be a table, found a text; ",
        ),
        (
            "hardware.gpu_count = '4'",
            "a.toml:1:22 `hardware.gpu_count` must be a whole number from 0, found a text; write the number without quotes",
        ),
        (
            "hardware.gpu_count = -4",
            "a.toml:1:22 `hardware.gpu_count` must be a whole number from 0, found a negative number; ",
        ),
        (
            "hardware.gpu_count = 4.5",
            "a.toml:1:22 `hardware.gpu_count` must be a whole number from 0, found a number; ",
        ),
        (
            "hardware.vram = nan",
            "a.toml:1:17 `hardware.vram` must be a number from 0, found no finite number; ",
        ),
        (
            "hardware.vram = -0.5",
            "a.toml:1:17 `hardware.vram` must be a number from 0, found a negative number; ",
        ),
        (
            "[budgets]\nname = 'a'",
            "a.toml:1:1 `budgets` must be a list of tables, found a table; write its name in two pairs of brackets",
        ),
        (
            "budgets = [1]",
            "a.toml:1:12 `budgets` must be a list of tables, found a number; ",
        ),
        (
            "prices = { B = 'x' }",
            "a.toml:1:16 `prices.\"B\"` must be a number from 0, found a text; ",
        ),
    ] {
        assert_eq!(read_all(toml).1, [said], "{toml}");
    }
}

#[test]
fn all_problems_are_told_and_the_rest_is_read() {
    let (table, problems) = read_all("titel = 'A'\ndraft = 1\nwhen = 2026-09-13");
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(table.get("when").is_some());
}

#[test]
fn a_fault_of_syntax_has_its_place() {
    for (toml, place) in [
        ("title = 'A\n", "a.toml:1:"),
        ("title = 'A'\ntitle = 'B'\n", "a.toml:2:1 "),
        ("title = 'A'\n[hardware\n", "a.toml:2:"),
    ] {
        let (_, problems) = read_all(toml);
        assert_eq!(problems.len(), 1);
        assert!(problems[0].starts_with(place), "{problems:?}");
        assert!(problems[0].contains("is not TOML: "), "{problems:?}");
    }
}
