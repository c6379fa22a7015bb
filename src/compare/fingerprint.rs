//! What a run was measured on, in a form that is equal where a comparison finds nothing that
//! differs: things, each with the facts and flags that belong to it, as canonical values.
//!
//! Equal is stricter here than in a comparison of two: what only one of two runs tells keeps them
//! apart, since it may differ, and equality of many runs must not depend on which two are looked
//! at.

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest, Sha256};

use super::facts::{canonical_text, is_hash, number};
use super::flags::{FlagKind, FlagValue, Launch};
use super::subject::{Subject, age};
use super::things::{
    LISTS_OF_GPUS, ThingKind, is_place, last_part, plain, thing_of, thing_of_name,
};
use crate::launch::flags::is_hidden;
use crate::launch::settings::SettingKind;
use crate::run::time::MeasuredAt;
use crate::run::{Fact, FactValue, Facts};

/// A fact, or a value of a flag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    /// Equal for all spellings of one value.
    pub(super) value: String,
    /// As it is shown.
    pub(super) shown: String,
    /// Its name as it is shown: "Version", `--dtype`, `--speculative-config.method`.
    pub(super) name: String,
    /// Which fact it is; `None` for a flag. Without a flag an engine's default holds, so that its
    /// absence is a difference; the absence of a fact says nothing.
    pub(super) fact: Option<Fact>,
    /// Whether absence says nothing.
    pub(super) optional: bool,
    /// Whether it is the value of a variable, and so never a known difference.
    pub(super) depends: bool,
}

/// What belongs together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// Which thing; `None` for what keeps runs apart and is no thing: how much the launch command
    /// tells.
    pub(super) kind: Option<ThingKind>,
    /// By their keys.
    pub(super) items: BTreeMap<String, Item>,
}

/// What one run was measured on.
#[derive(Clone, Debug, Default)]
pub(super) struct Fingerprint {
    /// By their keys.
    pub(super) parts: BTreeMap<String, Part>,
    /// Keys of the parts and items whose values are hidden: left out, and never known to differ.
    pub(super) hidden: BTreeSet<(String, String)>,
    /// Whether the server runs in a container.
    pub(super) contained: bool,
}

/// Key of the part that says how much the launch command tells.
const LAUNCH: &str = "launch command";

/// Settles over a set of runs what spellings depend on the others: abbreviated commits, and models
/// of which only the name is known.
struct Spellings {
    /// Commits, by their abbreviations.
    commits: BTreeMap<String, String>,
    /// Ids of models in lower case, by their names; `None` where several models have the name.
    models: BTreeMap<String, Option<String>>,
}

impl Spellings {
    fn of(subjects: &[Subject]) -> Self {
        let facts = || subjects.iter().map(|subject| &subject.run().facts);
        let hashes: BTreeSet<String> = facts()
            .filter_map(|facts| facts.text(Fact::Commit))
            .map(|text| canonical_text(Fact::Commit, text))
            .filter(|text| is_hash(text))
            .collect();
        let mut models: BTreeMap<String, Option<String>> = BTreeMap::new();
        for facts in facts() {
            let Some(id) = facts.text(Fact::ModelId).filter(|id| !is_hidden(id)) else {
                continue;
            };
            let key = id.to_ascii_lowercase();
            let names = [Some(last_part(id)), facts.text(Fact::ModelName)];
            for name in names.into_iter().flatten().map(plain) {
                let known = models.entry(name).or_insert_with(|| Some(key.clone()));
                if known.as_ref() != Some(&key) {
                    *known = None;
                }
            }
        }
        Self {
            commits: unabbreviated(&hashes.into_iter().collect::<Vec<_>>()),
            models,
        }
    }

    fn model(&self, facts: &Facts) -> Option<(String, String)> {
        let (id, name) = (facts.text(Fact::ModelId), facts.text(Fact::ModelName));
        let shown = id.or(name).filter(|text| !is_hidden(text))?;
        let value = match id {
            Some(id) => id.to_ascii_lowercase(),
            None => {
                let name = plain(shown);
                let known = self.models.get(&name).cloned().flatten();
                known.unwrap_or_else(|| format!("name:{name}"))
            }
        };
        Some((value, shown.to_owned()))
    }
}

/// The longest commit of which each is an abbreviation, for sorted distinct commits; an
/// abbreviation of several that contradict each other stays as it is.
fn unabbreviated(sorted: &[String]) -> BTreeMap<String, String> {
    let mut out: BTreeMap<String, String> = BTreeMap::new();
    for (at, hash) in sorted.iter().enumerate().rev() {
        let longer = |other: &&String| other.starts_with(hash.as_str());
        let rest = sorted.get(at + 1..).unwrap_or_default();
        let many = rest.partition_point(|other| other.starts_with(hash.as_str()));
        let next = rest.first().filter(longer).and_then(|next| out.get(next));
        let last = many.checked_sub(1).and_then(|last| rest.get(last));
        let full = match (next, last) {
            (Some(next), Some(last)) if next == last => last,
            _ => hash,
        };
        out.insert(hash.clone(), full.clone());
    }
    out
}

impl Fingerprint {
    fn of(subject: &Subject, spellings: &Spellings) -> Self {
        let mut out = Self::default();
        let facts = &subject.run().facts;
        for (fact, value) in facts.iter() {
            out.fact(fact, value, spellings);
        }
        let model = spellings.model(facts);
        if let Some((value, shown)) = &model {
            let item = Item {
                value: value.clone(),
                shown: shown.clone(),
                name: Fact::ModelName.info().label.to_owned(),
                fact: Some(Fact::ModelName),
                optional: true,
                depends: false,
            };
            out.add(ThingKind::Model, None, "model", item);
        }
        let state = match subject.launch() {
            None => None,
            Some(launch) if launch.found => Some("told".to_owned()),
            Some(_) => facts.text(Fact::LaunchCommand).map(|text| {
                let words: Vec<&str> = text.split_whitespace().collect();
                format!("not understood: {}", words.join(" "))
            }),
        };
        if let Some(value) = state {
            let item = Item {
                shown: String::new(),
                value,
                name: String::new(),
                fact: None,
                optional: true,
                depends: true,
            };
            let items = BTreeMap::from([(String::new(), item)]);
            out.parts
                .insert(LAUNCH.to_owned(), Part { kind: None, items });
        }
        if let Some(launch) = subject.launch().filter(|launch| launch.found) {
            out.launch(launch, facts, model.is_some());
        }
        out
    }

    fn add(&mut self, kind: ThingKind, part: Option<String>, key: &str, item: Item) {
        let id = part.unwrap_or_else(|| kind.id());
        let part = self.parts.entry(id).or_insert_with(|| Part {
            kind: Some(kind),
            items: BTreeMap::new(),
        });
        part.items.insert(key.to_owned(), item);
    }

    fn fact(&mut self, fact: Fact, value: &FactValue, spellings: &Spellings) {
        let Some(kind) = thing_of(fact) else { return };
        let key = fact.path();
        let canonical = match value {
            FactValue::Text(text) if is_hidden(text) => {
                self.hidden.insert((kind.id(), key));
                return;
            }
            FactValue::Text(text) => {
                let text = canonical_text(fact, text);
                let full = spellings
                    .commits
                    .get(&text)
                    .filter(|_| fact == Fact::Commit);
                full.cloned().unwrap_or(text)
            }
            // Negative zero is zero.
            value => number(value).map_or_else(String::new, |x| (x + 0.0).to_string()),
        };
        let item = Item {
            value: canonical,
            shown: value.to_string(),
            name: fact.info().label.to_owned(),
            fact: Some(fact),
            optional: true,
            depends: false,
        };
        self.add(kind, None, &key, item);
    }

    fn launch(&mut self, launch: &Launch, facts: &Facts, model_known: bool) {
        // Engines are different programs; how one engine's program is called says nothing.
        let program = Item {
            value: launch.engine.clone(),
            shown: launch.engine.clone(),
            name: "program".to_owned(),
            fact: None,
            optional: false,
            depends: false,
        };
        self.add(ThingKind::Engine, None, "program", program);
        let mut settings: BTreeMap<SettingKind, BTreeSet<(FlagKind, &str)>> = BTreeMap::new();
        for flag in launch.values() {
            if let Some(setting) = flag.setting {
                let names = settings.entry(setting).or_default();
                names.insert((flag.kind, flag.name));
            }
        }
        let once = |setting: SettingKind| settings.get(&setting).is_some_and(|n| n.len() == 1);
        for flag in launch.values() {
            self.contained |= flag.kind == FlagKind::Image;
            // Two engines have two names for one setting.
            let setting = flag.setting.filter(|setting| once(*setting));
            let key = match setting {
                Some(setting) => format!("setting {}", setting.id()),
                None => flag.name.to_owned(),
            };
            self.flag(&flag, key, facts, model_known);
        }
    }

    fn flag(&mut self, flag: &FlagValue, key: String, facts: &Facts, model_known: bool) {
        let kind = match flag.kind {
            FlagKind::Program => return,
            FlagKind::Model if model_known => return,
            FlagKind::Model => ThingKind::Model,
            FlagKind::Image => ThingKind::Engine,
            FlagKind::Flag | FlagKind::Environment | FlagKind::Container => {
                match thing_of_name(flag.kind, flag.name, flag.setting) {
                    Some((kind, _)) => kind,
                    None => return,
                }
            }
        };
        let own = matches!(kind, ThingKind::Flag(_)).then(|| key.clone());
        let part = own.clone().unwrap_or_else(|| kind.id());
        let (key, name) = match flag.path {
            "" => (key, flag.name.to_owned()),
            path => (format!("{key}.{path}"), format!("{}.{path}", flag.name)),
        };
        if flag.hidden {
            self.hidden.insert((part, key));
            return;
        }
        let mut value = flag.canonical.clone();
        let mut optional = false;
        if LISTS_OF_GPUS.contains(&flag.name) {
            let listed = flag.value.split(',').count();
            // What the number of GPUs says already.
            if facts.count(Fact::GpuCount) == u64::try_from(listed).ok() {
                return;
            }
            value = listed.to_string();
            optional = true;
        } else if is_place(flag.value) {
            match kind {
                ThingKind::Container | ThingKind::Flag(_) => return,
                _ => value = last_part(flag.value).to_owned(),
            }
        }
        let item = Item {
            value,
            shown: flag.value.to_owned(),
            name,
            fact: None,
            optional,
            depends: flag.depends,
        };
        self.add(kind, own, &key, item);
    }
}

/// What a part says of a run, as a number: equal numbers, equal texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PartNumber {
    /// Number of its key in [`Fingerprints::keys`].
    pub(super) key: usize,
    /// Number of its text; over all parts.
    pub(super) text: usize,
}

/// One run or setup in numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Print {
    /// By key of the part.
    pub(super) parts: Vec<PartNumber>,
}

/// The fingerprints of a set of runs.
pub(super) struct Fingerprints {
    /// By place of the run.
    pub(super) of_run: Vec<Fingerprint>,
    /// The same in numbers.
    pub(super) prints: Vec<Print>,
    /// Keys of parts, by number.
    pub(super) keys: Vec<String>,
    /// What buckets are made of, by number of the text.
    pub(super) marks: Vec<u128>,
    /// When the first run was measured that has this text, by number of the text: seconds since
    /// 1970.
    pub(super) first: Vec<Option<i64>>,
}

impl Fingerprints {
    pub(super) fn of(subjects: &[Subject]) -> Self {
        let spellings = Spellings::of(subjects);
        let of_run: Vec<Fingerprint> = subjects
            .iter()
            .map(|subject| Fingerprint::of(subject, &spellings))
            .collect();
        let mut keys: BTreeMap<String, usize> = BTreeMap::new();
        let mut texts: BTreeMap<String, usize> = BTreeMap::new();
        let (mut marks, mut first) = (Vec::new(), Vec::new());
        let mut prints = Vec::with_capacity(of_run.len());
        for (fingerprint, subject) in of_run.iter().zip(subjects) {
            let date = Some(age(subject.run()))
                .filter(|age| !age.0)
                .map(|age| age.1);
            let mut print = Print::default();
            for (id, part) in &fingerprint.parts {
                let next = keys.len();
                let key = *keys.entry(id.clone()).or_insert(next);
                let text = text_of(id, part);
                let next = marks.len();
                let number = *texts.entry(text).or_insert_with_key(|text| {
                    marks.push(mark(text));
                    first.push(None);
                    next
                });
                if let (Some(first), Some(date)) = (first.get_mut(number), date) {
                    *first = Some(first.map_or(date, |known: i64| known.min(date)));
                }
                print.parts.push(PartNumber { key, text: number });
            }
            print.parts.sort_unstable();
            prints.push(print);
        }
        let mut by_number: Vec<(usize, String)> = keys.into_iter().map(|(k, n)| (n, k)).collect();
        by_number.sort_unstable();
        Self {
            of_run,
            prints,
            keys: by_number.into_iter().map(|(_, key)| key).collect(),
            marks,
            first,
        }
    }

    /// The number of a part's key.
    pub(super) fn key(&self, id: &str) -> Option<usize> {
        self.keys.iter().position(|key| key == id)
    }

    /// What a text adds to the sum of its bucket.
    pub(super) fn mark(&self, text: usize) -> u128 {
        self.marks.get(text).copied().unwrap_or(0)
    }
}

/// A part as text: its items with their lengths, so that no value can look like another item.
fn text_of(id: &str, part: &Part) -> String {
    let mut text = id.to_owned();
    for (key, item) in &part.items {
        text.push_str(&format!(
            "\n{}:{key}={}:{}",
            key.len(),
            item.value.len(),
            item.value
        ));
    }
    text
}

/// 128 bits that stand for a text in sums.
fn mark(text: &str) -> u128 {
    let hash = Sha256::digest(text.as_bytes());
    hash.iter()
        .take(16)
        .fold(0, |sum, byte| (sum << 8) | u128::from(*byte))
}

/// Seconds since 1970 of a run, where it has a date.
pub(super) fn date(subject: &Subject) -> Option<i64> {
    let measured = subject.run().facts.text(Fact::MeasuredAt)?;
    MeasuredAt::parse(measured).ok().map(MeasuredAt::sort_key)
}

/// The items of one part in which two runs are known to differ, and whether they are known to
/// differ at all: (key, A's, B's), in the order of the keys.
pub(super) fn clear_differences<'a>(
    part: &str,
    a: &'a Fingerprint,
    b: &'a Fingerprint,
) -> Vec<(&'a str, Option<&'a Item>, Option<&'a Item>)> {
    let items = |of: &'a Fingerprint| of.parts.get(part).map(|part| &part.items);
    let (of_a, of_b) = (items(a), items(b));
    let keys: BTreeSet<&String> = [of_a, of_b]
        .into_iter()
        .flatten()
        .flat_map(BTreeMap::keys)
        .collect();
    let hidden = |of: &Fingerprint, key: &str| {
        !of.hidden.is_empty() && of.hidden.contains(&(part.to_owned(), key.to_owned()))
    };
    keys.into_iter()
        .filter_map(|key| {
            let x = of_a.and_then(|items| items.get(key));
            let y = of_b.and_then(|items| items.get(key));
            let clear = match (x, y) {
                (Some(x), Some(y)) => x.value != y.value && !x.depends && !y.depends,
                (Some(x), None) => !x.optional && !hidden(b, key),
                (None, Some(y)) => !y.optional && !hidden(a, key),
                (None, None) => false,
            };
            clear.then_some((key.as_str(), x, y))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abbreviated_commits_are_those_that_they_begin() {
        let of = |list: &[&str]| {
            let sorted: BTreeSet<String> = list.iter().map(|s| (*s).to_owned()).collect();
            unabbreviated(&sorted.into_iter().collect::<Vec<_>>())
        };
        let known = of(&["1234567", "12345678", "123456789", "abcdef0"]);
        assert_eq!(known["1234567"], "123456789");
        assert_eq!(known["12345678"], "123456789");
        assert_eq!(known["abcdef0"], "abcdef0");
        // Two commits begin so: it may be either.
        let known = of(&["1234567", "12345678", "12345679a", "12345679"]);
        assert_eq!(known["1234567"], "1234567");
        assert_eq!(known["12345679"], "12345679a");
    }
}
