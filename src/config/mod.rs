//! site.toml: what the site's owner decided, with everything that they did not decide filled in.

mod base_url;
mod ignore;
mod keys;

use std::collections::BTreeMap;
use std::path::Path;

use regex::Regex;

use crate::diagnostic::{Code, Diagnostic, Place};
use crate::run::audit::Noise;
use crate::run::serving::Budgets;
use crate::run::time::MeasuredAt;
use crate::toml_table::{self, Table, TomlText, Value};

pub use crate::run::serving::Budget;
pub use base_url::BaseUrl;
pub use ignore::Ignore;
pub use keys::keys;

/// Name of the file in the site's root.
pub const FILE: &str = "site.toml";

/// site.toml as resolved.
#[derive(Clone, Debug)]
pub struct Config {
    /// The site's title.
    pub title: String,
    /// What the site is about.
    pub description: Option<String>,
    /// Where the site will be.
    pub base_url: Option<BaseUrl>,
    /// Address of the site's own source.
    pub repository: Option<String>,
    /// Who publishes the site.
    pub author: Option<String>,
    /// Under what the content may be used.
    pub license: Option<String>,
    /// IANA name of the zone of times that say none.
    pub timezone: Option<String>,
    /// Name of the theme.
    pub theme: String,
    /// What is left out of `content/`.
    pub ignore: Ignore,
    /// What is written.
    pub output: Output,
    /// What is hidden beside what always is.
    pub redact: Redact,
    /// Noise bands.
    pub noise: Noise,
    /// Limits that a reader may need to be kept, in order.
    pub budgets: Vec<Budget>,
    /// US dollars a GPU hour, by the GPU's name.
    pub prices: BTreeMap<String, f64>,
    /// Other spelling → name.
    pub names: BTreeMap<String, String>,
    /// Comparisons made without being asked for.
    pub compare: Compare,
}

/// `[output]`: which files are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Output {
    /// Markdown twins.
    pub markdown: bool,
    /// JSON documents.
    pub json: bool,
    /// CSV files.
    pub csv: bool,
    /// Charts.
    pub charts: bool,
    /// Pages that compare two runs.
    pub comparisons: bool,
    /// Single requests.
    pub samples: bool,
}

/// `[redact]`.
#[derive(Clone, Debug, Default)]
pub struct Redact {
    /// What they match is hidden.
    pub patterns: Vec<Regex>,
    /// Texts that are not hidden.
    pub keep: Vec<String>,
}

/// `[compare]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compare {
    /// To how many of the runs most like it each run is compared.
    pub nearest: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            title: "Speed tests".to_owned(),
            description: None,
            base_url: None,
            repository: None,
            author: None,
            license: None,
            timezone: None,
            theme: "default".to_owned(),
            ignore: Ignore::default(),
            output: Output {
                markdown: true,
                json: true,
                csv: true,
                charts: true,
                comparisons: true,
                samples: false,
            },
            redact: Redact::default(),
            noise: Noise::default(),
            budgets: Budgets::default().0,
            prices: BTreeMap::new(),
            names: BTreeMap::new(),
            compare: Compare { nearest: 3 },
        }
    }
}

/// Why there is no configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file is there and cannot be read.
    #[error("site.toml cannot be read: {0}")]
    Unreadable(#[source] std::io::Error),
    /// The file is wrong.
    #[error("site.toml has {} problems", .0.len())]
    Wrong(Vec<Diagnostic>),
}

/// Reads site.toml in the site's root; without the file, everything is as by default.
///
/// # Errors
/// A file that cannot be read, or everything that is wrong in it.
pub fn load(root: &Path) -> Result<Config, ConfigError> {
    match fs_err::read(root.join(FILE)) {
        Ok(bytes) => parse(&bytes).map_err(ConfigError::Wrong),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Config::default()),
        Err(error) => Err(ConfigError::Unreadable(error)),
    }
}

/// Reads the bytes of a site.toml.
///
/// # Errors
/// Everything that is wrong in it.
pub fn parse(bytes: &[u8]) -> Result<Config, Vec<Diagnostic>> {
    let text = crate::content::text::decode(FILE, bytes).map_err(|problem| vec![problem])?;
    let toml = TomlText {
        path: FILE,
        file: &text,
        range: 0..text.len(),
        syntax: Code::ConfigSyntax,
    };
    let (table, mut problems) = toml_table::read(&toml, &keys());
    let config = resolve(&table, &mut problems);
    if problems.is_empty() {
        Ok(config)
    } else {
        Err(crate::diagnostic::sorted(problems))
    }
}

fn resolve(table: &Table, problems: &mut Vec<Diagnostic>) -> Config {
    let text = |name: &str| table.text(name).map(|(text, _)| text.to_owned());
    let default = Config::default();
    Config {
        title: text("title").unwrap_or(default.title),
        description: text("description"),
        base_url: table
            .text("base_url")
            .and_then(|(url, place)| match BaseUrl::parse(url) {
                Ok(base) => Some(base),
                Err(what) => {
                    problems.push(bad_value(place, format!("`base_url` {what}")));
                    None
                }
            }),
        repository: text("repository"),
        author: text("author"),
        license: text("license"),
        timezone: table.text("timezone").map(|(zone, place)| {
            problems.extend(unknown_timezone(zone, place));
            zone.to_owned()
        }),
        theme: theme(table, problems).unwrap_or(default.theme),
        ignore: ignored(table, problems),
        output: output(table, default.output),
        redact: redact(table, problems),
        noise: noise(table, default.noise, problems),
        budgets: budgets(table, problems).unwrap_or(default.budgets),
        prices: by_name(table, "prices", |value| match value {
            Value::Number(price) => Some(*price),
            _ => None,
        }),
        names: by_name(table, "names", |value| match value {
            Value::Text(name) => Some(name.clone()),
            _ => None,
        }),
        compare: Compare {
            nearest: table
                .table("compare")
                .and_then(|t| t.count("nearest"))
                .map_or(default.compare.nearest, |n| {
                    usize::try_from(n).unwrap_or(usize::MAX)
                }),
        },
    }
}

fn bad_value(place: &Place, message: String) -> Diagnostic {
    Diagnostic::new(Code::BadValue, place.clone(), message)
}

/// The problem with a time zone that is not in the IANA database.
pub(crate) fn unknown_timezone(zone: &str, place: &Place) -> Option<Diagnostic> {
    // Any day will do: the zone is looked up before it is applied.
    let known = MeasuredAt::parse("2026-01-01T12:00:00").is_ok_and(|t| t.in_zone(zone).is_ok());
    if known {
        return None;
    }
    let all: Vec<String> = jiff::tz::db()
        .available()
        .map(|name| name.to_string())
        .collect();
    let help = match crate::diagnostic::nearest(zone, all.iter().map(String::as_str)) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None => "use a name of the IANA database, as \"Europe/Berlin\" or \"UTC\"".to_owned(),
    };
    let message = format!("there is no time zone \"{zone}\"");
    Some(Diagnostic::new(Code::UnknownTimezone, place.clone(), message).help(help))
}

fn theme(table: &Table, problems: &mut Vec<Diagnostic>) -> Option<String> {
    let (name, place) = table.text("theme")?;
    if name.starts_with('.') || name.contains(['/', '\\', ':']) {
        let problem = bad_value(place, "`theme` must be the name of a folder".to_owned())
            .help("name a folder in themes/, without its path");
        problems.push(problem);
        return None;
    }
    Some(name.to_owned())
}

fn ignored(table: &Table, problems: &mut Vec<Diagnostic>) -> Ignore {
    let patterns = table.texts("ignore").unwrap_or_default();
    Ignore::compile(patterns.iter().map(|(pattern, _)| pattern.as_str())).unwrap_or_else(|wrong| {
        for (index, what) in wrong {
            if let Some((pattern, place)) = patterns.get(index) {
                let message = format!("the pattern \"{pattern}\" cannot be read: {what}");
                problems.push(Diagnostic::new(Code::BadPattern, place.clone(), message));
            }
        }
        Ignore::default()
    })
}

fn output(table: &Table, default: Output) -> Output {
    let on = |name: &str, default| {
        table
            .table("output")
            .and_then(|t| t.switch(name))
            .unwrap_or(default)
    };
    Output {
        markdown: on("markdown", default.markdown),
        json: on("json", default.json),
        csv: on("csv", default.csv),
        charts: on("charts", default.charts),
        comparisons: on("comparisons", default.comparisons),
        samples: on("samples", default.samples),
    }
}

fn redact(table: &Table, problems: &mut Vec<Diagnostic>) -> Redact {
    let texts = |name| {
        table
            .table("redact")
            .and_then(|t| t.texts(name))
            .unwrap_or_default()
    };
    let mut patterns = Vec::new();
    for (pattern, place) in texts("patterns") {
        // The pattern is not quoted: who hides a word may have written it there.
        let problem = |what: String| {
            Diagnostic::new(
                Code::BadPattern,
                place.clone(),
                format!("this pattern {what}"),
            )
        };
        match Regex::new(pattern) {
            Ok(regex) if regex.is_match("") => problems.push(
                problem("matches the empty text".to_owned())
                    .help("write what must be there, as `[0-9]+` in the place of `[0-9]*`"),
            ),
            Ok(regex) => patterns.push(regex),
            Err(error) => {
                // The last line says what is wrong; those before it quote the pattern.
                let what = error.to_string();
                let what = what.lines().last().unwrap_or_default();
                let what = what.trim_start_matches("error: ");
                problems.push(problem(format!("is no regular expression: {what}")));
            }
        }
    }
    Redact {
        patterns,
        keep: texts("keep").iter().map(|(t, _)| t.clone()).collect(),
    }
}

fn noise(table: &Table, default: Noise, problems: &mut Vec<Diagnostic>) -> Noise {
    let mut band = |name: &str, default: f64| {
        let Some(entry) = table.table("noise").and_then(|t| t.get(name)) else {
            return default;
        };
        match entry.value {
            Value::Number(x) if x < 1.0 => x,
            _ => {
                let message = format!("`noise.{name}` must be less than 1");
                problems.push(bad_value(&entry.place, message).help("it is a share: 0.07 is 7 %"));
                default
            }
        }
    };
    Noise {
        tok_per_s: band("tok_per_s", default.tok_per_s),
        itl: band("itl", default.itl),
        ttft: band("ttft", default.ttft),
    }
}

fn budgets(table: &Table, problems: &mut Vec<Diagnostic>) -> Option<Vec<Budget>> {
    let mut budgets: Vec<Budget> = Vec::new();
    for table in table.tables("budgets")? {
        let Some((name, place)) = table.text("name") else {
            // A name of the wrong kind was told of already.
            problems.push(bad_value(&table.place, "a budget lacks its `name`".into()));
            continue;
        };
        let budget = Budget {
            name: name.to_owned(),
            ttft_ms: table.number("ttft_ms"),
            each_tok_per_s: table.number("each_tok_per_s"),
        };
        if budget.ttft_ms.is_none() && budget.each_tok_per_s.is_none() {
            let message = format!("the budget \"{name}\" has no limit");
            problems.push(bad_value(place, message).help("give `ttft_ms` or `each_tok_per_s`"));
        }
        if budgets.iter().any(|other| other.name == name) {
            let message = format!("there are two budgets \"{name}\"");
            problems.push(bad_value(place, message).help("give each a name of its own"));
        }
        budgets.push(budget);
    }
    Some(budgets)
}

fn by_name<T>(
    table: &Table,
    key: &str,
    value: impl Fn(&Value) -> Option<T>,
) -> BTreeMap<String, T> {
    let entries = table.table(key).into_iter().flat_map(Table::iter);
    entries
        .filter_map(|(name, entry)| Some((name.to_owned(), value(&entry.value)?)))
        .collect()
}

#[cfg(test)]
mod tests;
