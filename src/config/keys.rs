//! The keys of site.toml.

use crate::toml_keys::{Key, Shape};

/// All keys of site.toml, in the order of the documentation.
pub fn keys() -> Vec<Key> {
    vec![
        Key::new(
            "title",
            Shape::Text,
            "The site's title; \"Speed tests\" where it is not given.",
        ),
        Key::new(
            "description",
            Shape::Text,
            "What the site is about, in a sentence, for the front page, the feed and search engines.",
        ),
        Key::new(
            "base_url",
            Shape::Url,
            "Where the site will be, as \"https://user.github.io/repo/\". Only canonical links, the feed and the sitemap need it; without it they are left out.",
        ),
        Key::new("repository", Shape::Url, "Where the site's own source is."),
        Key::new("author", Shape::Text, "Who publishes the site."),
        Key::new(
            "license",
            Shape::Text,
            "Under what the content may be used, as \"CC-BY-4.0\".",
        ),
        Key::new(
            "timezone",
            Shape::Text,
            "IANA name of the time zone (\"Europe/Berlin\") of times without offset, where neither the run nor its folder says another.",
        ),
        Key::new(
            "theme",
            Shape::Text,
            "Name of a folder in `themes/`; \"default\" where it is not given.",
        ),
        Key::new(
            "ignore",
            Shape::Texts,
            "Files and folders below `content/` to leave out. A pattern without `/` names files and folders anywhere (`*.log`), one with `/` is a path from `content/` (`runs/old/**`). `*` is any part of a name, `**` any folders, `?` one character, `[ab]` one of them, `{a,b}` either.",
        ),
        Key::new(
            "output",
            Shape::Table(output()),
            "What is written for each run.",
        ),
        Key::new(
            "redact",
            Shape::Table(redact()),
            "What is hidden, beside what always is.",
        ),
        Key::new(
            "noise",
            Shape::Table(noise()),
            "How far two measurements of one setup differ, as a share: 0.07 is 7 %.",
        ),
        Key::new(
            "budgets",
            Shape::Tables(budgets()),
            "Limits that a reader may need to be kept: a column each in \"What can I serve?\". Any given ones take the place of the three that are built in: chat (`ttft_ms = 2000`, `each_tok_per_s = 20`), agent (`each_tok_per_s = 50`) and batch (`each_tok_per_s = 5`); `budgets = []` leaves the table out.",
        ),
        Key::new(
            "prices",
            Shape::NumberByName,
            "US dollars for one GPU for one hour, by the GPU's name: `\"H200 SXM\" = 3.5`. Where GPU and count of a run are known, its page tells the price of a million output tokens.",
        ),
        Key::new(
            "names",
            Shape::TextByName,
            "Other spellings of models and GPUs, each with the name that is meant: `\"NVIDIA H200\" = \"H200 SXM\"`.",
        ),
        Key::new(
            "compare",
            Shape::Table(compare()),
            "Comparisons that are made without being asked for.",
        ),
    ]
}

fn output() -> Vec<Key> {
    vec![
        Key::new(
            "markdown",
            Shape::Switch,
            "A Markdown twin of every page (default: true).",
        ),
        Key::new(
            "json",
            Shape::Switch,
            "`run.json`, `comparison.json` and `index.json` (default: true).",
        ),
        Key::new("csv", Shape::Switch, "`measurements.csv` (default: true)."),
        Key::new(
            "charts",
            Shape::Switch,
            "Charts on the pages (default: true).",
        ),
        Key::new(
            "comparisons",
            Shape::Switch,
            "Pages that compare two runs (default: true).",
        ),
        Key::new(
            "samples",
            Shape::Switch,
            "The single requests of a run, where its file has them (default: false).",
        ),
    ]
}

fn redact() -> Vec<Key> {
    vec![
        Key::new(
            "patterns",
            Shape::Texts,
            "Regular expressions; what they match is hidden wherever it stands.",
        ),
        Key::new(
            "keep",
            Shape::Texts,
            "Texts that are not hidden although they look like a secret or a private name.",
        ),
    ]
}

fn noise() -> Vec<Key> {
    vec![
        Key::new(
            "tok_per_s",
            Shape::Number,
            "For tokens per second (default: 0.07).",
        ),
        Key::new(
            "itl",
            Shape::Number,
            "For the time between tokens (default: 0.07).",
        ),
        Key::new(
            "ttft",
            Shape::Number,
            "For the time to first token (default: 0.25).",
        ),
    ]
}

fn budgets() -> Vec<Key> {
    vec![
        Key::new("name", Shape::Text, "What the limits are for, as \"chat\"."),
        Key::new(
            "ttft_ms",
            Shape::Number,
            "Longest median time to first token, in milliseconds. Cells whose TTFT the audit doubts are left out then.",
        ),
        Key::new(
            "each_tok_per_s",
            Shape::Number,
            "Fewest tokens per second for each request, as the tool's own per-request figure. Cells without it are left out then.",
        ),
    ]
}

fn compare() -> Vec<Key> {
    vec![Key::new(
        "nearest",
        Shape::Count,
        "To how many of the runs most like it each run is compared (default: 3).",
    )]
}
