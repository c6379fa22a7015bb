//! Facts that are written by hand: the sidecar of a run, and `_index.md`, which holds what all runs
//! below its folder share.

use std::collections::BTreeMap;

use crate::config::unknown_timezone;
use crate::diagnostic::{Code, Diagnostic, Place};
use crate::redact::Redactor;
use crate::run::fact::Kind;
use crate::run::{Fact, FactValue, Facts, Section};
use crate::toml_keys::{Key, Shape};
use crate::toml_table::{self, Entry, Table, Value};

use super::front_matter::MarkdownFile;
use super::slug;

/// Facts and where each was stated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stated {
    /// What is stated.
    pub facts: Facts,
    /// Where.
    pub places: BTreeMap<Fact, Place>,
    /// Words to find the run by.
    pub tags: Option<Vec<String>>,
}

/// What the sidecar of a run says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sidecar {
    /// The file.
    pub path: String,
    /// Facts and tags.
    pub stated: Stated,
    /// The run's address, checked.
    pub slug: Option<(String, Place)>,
    /// Other addresses that lead to it, from slash to slash (or to a file's name).
    pub aliases: Option<Vec<(String, Place)>>,
    /// Whether it is published with `--drafts` only.
    pub draft: Option<bool>,
    /// Whether it is ranked among others.
    pub ranked: Option<bool>,
    /// The author's notes, Markdown.
    pub notes: Option<String>,
    /// The line in which the notes begin.
    pub notes_line: usize,
}

/// What a `_index.md` says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Defaults {
    /// The file.
    pub path: String,
    /// Facts and tags for every run below its folder.
    pub stated: Stated,
}

const TAGS: Key = Key::new(
    "tags",
    Shape::Texts,
    "Words to find the run by, as [\"nightly\", \"fp8\"].",
);

/// The keys of a sidecar, in the order of the document.
pub fn sidecar_keys() -> Vec<Key> {
    let mut keys = fact_keys(Section::Top);
    keys.push(TAGS);
    keys.push(Key::new(
        "slug",
        Shape::Text,
        "The run's address below `/runs/`, in the place of the one made from the file's path.",
    ));
    keys.push(Key::new(
        "aliases",
        Shape::Texts,
        "Other addresses that lead to the run's page, as [\"/old/place/\"].",
    ));
    keys.push(Key::new(
        "draft",
        Shape::Switch,
        "Whether the run is published with `--drafts` only (default: false).",
    ));
    keys.push(Key::new(
        "ranked",
        Shape::Switch,
        "Whether the run is ranked among others (default: true).",
    ));
    keys.extend(section_keys());
    keys
}

/// The keys of a `_index.md`.
pub fn defaults_keys() -> Vec<Key> {
    let mut keys = fact_keys(Section::Top);
    keys.push(TAGS);
    keys.extend(section_keys());
    vec![Key::new(
        "defaults",
        Shape::Table(keys),
        "Facts for every run in this folder and in the folders below it.",
    )]
}

fn section_keys() -> impl Iterator<Item = Key> {
    let sections = Section::ALL.iter().copied();
    sections.filter(|s| *s != Section::Top).map(|section| {
        let description = match section {
            Section::Top => "",
            Section::Model => "What was measured.",
            Section::Hardware => "On what it was measured.",
            Section::Engine => "What served it.",
            Section::Method => "How it was measured.",
        };
        Key::new(section.key(), Shape::Table(fact_keys(section)), description)
    })
}

fn fact_keys(section: Section) -> Vec<Key> {
    let infos = Fact::ALL.iter().map(|fact| fact.info());
    infos
        .filter(|info| info.section == section)
        .map(|info| {
            let shape = match info.kind {
                Kind::Text => Shape::Text,
                Kind::Lines => Shape::Lines,
                Kind::Count => Shape::Count,
                Kind::Number => Shape::Number,
                Kind::Time => Shape::Time,
                Kind::Url => Shape::Url,
            };
            Key::new(info.key, shape, info.description)
        })
        .collect()
}

/// The first key at the top of a file's front matter that only a run has.
///
/// # Errors
/// A fault of syntax.
pub fn run_key(file: &MarkdownFile) -> Result<Option<(String, Place)>, Diagnostic> {
    // Pages have these as well.
    const SHARED: &[&str] = &["title", "author", "aliases", "draft"];
    let Some(text) = file.front_matter() else {
        return Ok(None);
    };
    let keys = sidecar_keys();
    let of_a_run = |name: &str| keys.iter().any(|key| key.name == name) && !SHARED.contains(&name);
    Ok(toml_table::top_keys(&text)?
        .into_iter()
        .filter(|(name, _)| of_a_run(name))
        .min_by(|(_, a), (_, b)| a.cmp(b)))
}

impl Sidecar {
    /// Reads a sidecar: what is right in it, and all problems.
    pub fn read(file: &MarkdownFile) -> (Self, Vec<Diagnostic>) {
        let (table, mut problems) = match file.front_matter() {
            Some(text) => toml_table::read(&text, &sidecar_keys()),
            None => Default::default(),
        };
        let body = file.body();
        let sidecar = Self {
            path: file.path.clone(),
            stated: Stated::read(&table, &mut problems),
            slug: given_slug(&table, &mut problems),
            aliases: aliases(&table, &mut problems),
            draft: table.switch("draft"),
            ranked: table.switch("ranked"),
            notes: (!body.is_empty()).then(|| body.to_owned()),
            notes_line: file.body_line(),
        };
        (sidecar, problems)
    }
}

impl Defaults {
    /// Reads a `_index.md`: what is right in it, and all problems.
    pub fn read(file: &MarkdownFile) -> (Self, Vec<Diagnostic>) {
        let (table, mut problems) = match file.front_matter() {
            Some(text) => toml_table::read(&text, &defaults_keys()),
            None => Default::default(),
        };
        if !file.body().is_empty() {
            let place = Place::line(&file.path, file.body_line());
            problems.push(
                Diagnostic::new(
                    Code::DefaultsBody,
                    place,
                    "text in an _index.md, which has no page",
                )
                .help("move it to a file of its own beside it, as about.md"),
            );
        }
        let stated = table
            .table("defaults")
            .map(|table| Stated::read(table, &mut problems))
            .unwrap_or_default();
        let path = file.path.clone();
        (Self { path, stated }, problems)
    }
}

impl Stated {
    fn read(table: &Table, problems: &mut Vec<Diagnostic>) -> Self {
        let mut stated = Self::default();
        for fact in Fact::ALL.iter().copied() {
            let info = fact.info();
            let home = match info.section {
                Section::Top => Some(table),
                section => table.table(section.key()),
            };
            let Some(Entry { value, place }) = home.and_then(|t| t.get(info.key)) else {
                continue;
            };
            let value = match value {
                Value::Text(text) => FactValue::Text(text.clone()),
                Value::Time(time) => FactValue::Text(time.to_rfc3339()),
                Value::Count(n) => FactValue::Count(*n),
                Value::Number(x) => FactValue::Number(*x),
                // No fact has such a kind.
                Value::Texts(_) | Value::Switch(_) | Value::Table(_) | Value::Tables(_) => continue,
            };
            if let (Fact::Timezone, FactValue::Text(zone)) = (fact, &value)
                && let Some(problem) = unknown_timezone(zone, place)
            {
                problems.push(problem);
                continue;
            }
            stated.facts.set(fact, value);
            stated.places.insert(fact, place.clone());
        }
        stated.tags = table.texts("tags").map(|tags| {
            let mut seen: Vec<String> = Vec::new();
            for (tag, _) in tags {
                if !seen.contains(tag) {
                    seen.push(tag.clone());
                }
            }
            seen
        });
        stated
    }
}

fn given_slug(table: &Table, problems: &mut Vec<Diagnostic>) -> Option<(String, Place)> {
    let (text, place) = table.text("slug")?;
    match slug::check(text) {
        Ok(()) => Some((text.to_owned(), place.clone())),
        Err(error) => {
            problems.push(bad_slug(text, &error, place));
            None
        }
    }
}

/// The problem with a slug that someone gave.
pub fn bad_slug(text: &str, error: &slug::SlugError, place: &Place) -> Diagnostic {
    let message = format!("the slug \"{text}\" {error}");
    let help = match slug::from_path(&format!("runs/{text}")) {
        // A suggestion made from a secret would not be known for one any more.
        Ok(slug) if holds_no_secret(text) => format!("use \"{slug}\""),
        _ => "use letters, digits, `.`, `_`, `-` and `/`".to_owned(),
    };
    Diagnostic::new(Code::BadSlug, place.clone(), message).help(help)
}

fn holds_no_secret(text: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || " ._-/".contains(c);
    text.chars().all(word)
        && Redactor::new(&[], &[]).is_ok_and(|redactor| redactor.message(text) == text)
}

pub(super) fn aliases(
    table: &Table,
    problems: &mut Vec<Diagnostic>,
) -> Option<Vec<(String, Place)>> {
    let mut aliases = Vec::new();
    for (text, place) in table.texts("aliases")? {
        match alias(text) {
            Ok(alias) => aliases.push((alias, place.clone())),
            Err(problem) => problems.push(bad_alias(text, &problem, place)),
        }
    }
    Some(aliases)
}

/// The problem with an alias that is no path of the site.
pub fn bad_alias(text: &str, what: &str, place: &Place) -> Diagnostic {
    let message = format!("the alias \"{text}\" {what}");
    Diagnostic::new(Code::BadValue, place.clone(), message)
        .help("write a path of this site, as \"/old/place/\"")
}

/// A site path from slash to slash; the name of an HTML file stays one.
///
/// # Errors
/// What is wrong with it, as the end of a sentence.
pub fn alias(text: &str) -> Result<String, String> {
    let path = text
        .strip_prefix('/')
        .ok_or_else(|| "must begin with a slash".to_owned())?;
    let path = path.strip_suffix('/').unwrap_or(path);
    for part in path.split('/') {
        slug::check_segment(part).map_err(|error| error.to_string())?;
    }
    let file = !text.ends_with('/') && path.to_ascii_lowercase().ends_with(".html");
    Ok(format!("/{path}{}", if file { "" } else { "/" }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fact_is_a_key_of_a_sidecar() {
        let paths: Vec<String> = crate::toml_keys::paths(&sidecar_keys())
            .into_iter()
            .map(|(path, _)| path)
            .collect();
        for fact in Fact::ALL {
            assert!(paths.contains(&fact.path()), "{}", fact.path());
        }
        // Besides: tags, slug, aliases, draft, ranked, and the four tables.
        assert_eq!(paths.len(), Fact::ALL.len() + 5 + 4);
    }

    #[test]
    fn the_advice_for_a_slug_holds_no_secret() {
        let advice = |text: &str| {
            let problem = bad_slug(text, &slug::SlugError::Empty, &Place::file("a.md"));
            problem.help
        };
        assert_eq!(advice("My run"), "use \"My-run\"");
        for text in [
            "https://bob:hunter13xyz@example.com/x",
            "a --api-key hunter13xyz",
            "HF_TOKEN=hunter13xyz",
        ] {
            assert!(!advice(text).contains("hunter"), "{}", advice(text));
        }
    }

    #[test]
    fn aliases_are_site_paths() {
        assert_eq!(alias("/old/place"), Ok("/old/place/".to_owned()));
        assert_eq!(alias("/old/place/"), Ok("/old/place/".to_owned()));
        assert_eq!(alias("/old.html"), Ok("/old.html".to_owned()));
        for text in ["old", "/", "//x", "/a/../b", "https://a/", "/a?b"] {
            assert!(alias(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_page_has_no_run_key() {
        let key = |text: &str| {
            let file = MarkdownFile::parse("a.md", text.as_bytes()).unwrap();
            run_key(&file)
                .unwrap()
                .map(|(name, place)| (name, place.line))
        };
        assert_eq!(key("+++\ntitle = 'x'\nauthor = 'y'\n+++\n"), None);
        assert_eq!(key("text"), None);
        assert_eq!(
            key("+++\ntitle = 'x'\n[model]\nname = 'y'\n+++\n"),
            Some(("model".to_owned(), Some(3)))
        );
    }
}
