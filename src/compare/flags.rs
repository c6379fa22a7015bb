//! Launch commands flag by flag, whatever their order or spelling.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::RowState;
use crate::launch::flags::{Origin, is_hidden};
use crate::launch::settings::{SettingKind, whole_number};
use crate::launch::{Flag, LaunchCommand};

/// What a row of the list of flags is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FlagKind {
    /// The program that starts the server: `vllm serve`.
    Program,
    /// The container's image.
    Image,
    /// The model that is named in the command.
    Model,
    /// A flag of the server.
    Flag,
    /// A variable that the server is started with.
    Environment,
    /// An option of the container.
    Container,
}

impl FlagKind {
    /// Word of `comparison.json`.
    pub fn key(self) -> &'static str {
        match self {
            FlagKind::Program => "program",
            FlagKind::Image => "image",
            FlagKind::Model => "model",
            FlagKind::Flag => "flag",
            FlagKind::Environment => "environment",
            FlagKind::Container => "container",
        }
    }

    /// Whether it is one of the flags that are counted: program, image and model are facts.
    pub fn is_flag(self) -> bool {
        matches!(
            self,
            FlagKind::Flag | FlagKind::Environment | FlagKind::Container
        )
    }
}

/// A key of a JSON value, or the whole value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlagKey {
    /// Dotted path below the flag; empty for a value that is no JSON object.
    pub path: String,
    /// A's value; `true` and `false` for switches.
    pub a: Option<String>,
    /// B's value.
    pub b: Option<String>,
    /// What they are to each other.
    pub state: RowState,
}

/// A flag of both commands; at least one of them has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlagRow {
    /// What it is.
    pub kind: FlagKind,
    /// Its canonical name: `--tensor-parallel-size`, `HF_HOME`, `image`.
    pub name: String,
    /// Its name in B, where two engines have different names for one setting.
    pub name_b: Option<String>,
    /// What the two values are to each other.
    pub state: RowState,
    /// The value, or the keys of a JSON value, in order.
    pub keys: Vec<FlagKey>,
    /// The setting that it is.
    pub setting: Option<SettingKind>,
}

impl FlagRow {
    /// "--a", or "--a / --b" where the engines name it differently.
    pub fn label(&self) -> String {
        match &self.name_b {
            Some(b) => format!("{} / {b}", self.name),
            None => self.name.clone(),
        }
    }

    /// The value of a side in one line: the value itself, or "method mtp, num_speculative_tokens
    /// 3" for the keys of JSON; `None` where the side does not have it.
    pub fn value(&self, side: super::Side) -> Option<String> {
        let of = |key: &FlagKey| {
            let value = match side {
                super::Side::A => key.a.clone(),
                super::Side::B => key.b.clone(),
            }?;
            Some(match key.path.as_str() {
                "" => value,
                path => format!("{path} {value}"),
            })
        };
        let parts: Vec<String> = self.keys.iter().filter_map(of).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// How many flags, variables and container options are in which state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlagCounts {
    /// The same in both.
    pub same: usize,
    /// In both, set differently.
    pub changed: usize,
    /// Only in A.
    pub only_a: usize,
    /// Only in B.
    pub only_b: usize,
    /// Hidden, or not told, on a side.
    pub not_comparable: usize,
}

impl FlagCounts {
    /// How many differ.
    pub fn differ(self) -> usize {
        self.changed + self.only_a + self.only_b
    }

    /// "14 flags differ: 3 changed, 11 only in A; 8 are the same, 1 is not comparable".
    pub fn sentence(self) -> String {
        let mut parts = Vec::new();
        for (n, words) in [
            (self.changed, "changed"),
            (self.only_a, "only in A"),
            (self.only_b, "only in B"),
        ] {
            if n > 0 {
                parts.push(format!("{n} {words}"));
            }
        }
        let mut text = match self.differ() {
            0 => "No flag differs".to_owned(),
            1 => format!("1 flag differs: {}", parts.join(", ")),
            n => format!("{n} flags differ: {}", parts.join(", ")),
        };
        let be = |n: usize| if n == 1 { "is" } else { "are" };
        let mut rest = Vec::new();
        if self.same > 0 {
            rest.push(format!("{} {} the same", self.same, be(self.same)));
        }
        if self.not_comparable > 0 {
            let n = self.not_comparable;
            rest.push(format!("{n} {} not comparable", be(n)));
        }
        if !rest.is_empty() {
            text.push_str("; ");
            text.push_str(&rest.join(", "));
        }
        text
    }
}

/// Which launch commands could be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commands {
    /// Both.
    Both,
    /// Neither run tells its launch command.
    Neither,
    /// Only A tells it.
    OnlyA,
    /// Only B tells it.
    OnlyB,
    /// Both tell it, and no server was found in at least one.
    NotUnderstood,
}

impl Commands {
    /// Word of `comparison.json`.
    pub fn key(self) -> &'static str {
        match self {
            Commands::Both => "both",
            Commands::Neither => "neither",
            Commands::OnlyA => "only_a",
            Commands::OnlyB => "only_b",
            Commands::NotUnderstood => "not_understood",
        }
    }

    /// Why there is no list of flags; empty for [`Commands::Both`].
    pub fn sentence(self) -> &'static str {
        match self {
            Commands::Both => "",
            Commands::Neither => "Neither run tells its launch command.",
            Commands::OnlyA => "Only A tells its launch command.",
            Commands::OnlyB => "Only B tells its launch command.",
            Commands::NotUnderstood => {
                "The launch commands were not compared: in one of them no server was found."
            }
        }
    }
}

/// Two launch commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchComparison {
    /// Whether they could be compared.
    pub commands: Commands,
    /// Whether they start two engines.
    pub engines_differ: bool,
    /// Program, image, model, flags, variables and container options, by kind and name; empty
    /// where the commands could not be compared.
    pub rows: Vec<FlagRow>,
    /// How many flags, variables and container options are in which state.
    pub counts: FlagCounts,
}

/// What is read out of one launch command.
pub(super) struct Launch {
    /// Whether a server was found.
    pub(super) found: bool,
    /// Its engine; empty where it is not known.
    pub(super) engine: String,
    /// By kind and name of the whole flag: its keys.
    flags: BTreeMap<(FlagKind, String), Entry>,
}

#[derive(Clone, Default)]
struct Entry {
    setting: Option<SettingKind>,
    /// By path below the flag: value, and whether a part of it is hidden.
    keys: BTreeMap<String, (String, bool)>,
}

/// Flags of vLLM that are keys of a JSON flag.
const KEYS_OF_JSON: &[(&str, &str)] = &[
    ("--spec-method", "--speculative-config.method"),
    (
        "--spec-tokens",
        "--speculative-config.num_speculative_tokens",
    ),
    ("--spec-model", "--speculative-config.model"),
];

impl Launch {
    pub(super) fn of(text: &str) -> Self {
        let command = LaunchCommand::parse(text);
        let Some(server) = command.server() else {
            return Self {
                found: false,
                engine: String::new(),
                flags: BTreeMap::new(),
            };
        };
        let mut flags: BTreeMap<(FlagKind, String), Entry> = BTreeMap::new();
        if !server.program.is_empty() {
            let entry = flags
                .entry((FlagKind::Program, "program".to_owned()))
                .or_default();
            entry.keys.insert(String::new(), (server.program, false));
        }
        for flag in command.flags() {
            let (kind, name, path) = place(server.engine, &flag);
            let entry = flags.entry((kind, name)).or_default();
            if path.is_empty() {
                entry.setting = flag.setting;
            }
            entry.keys.insert(path, (flag.value, flag.hidden));
        }
        Self {
            found: true,
            engine: server.engine.to_owned(),
            flags,
        }
    }
}

/// One value of a launch command.
pub(super) struct FlagValue<'a> {
    pub(super) kind: FlagKind,
    /// Canonical name of the whole flag.
    pub(super) name: &'a str,
    pub(super) setting: Option<SettingKind>,
    /// Dotted path below the flag; empty for a value that is no JSON object.
    pub(super) path: &'a str,
    /// As it is shown.
    pub(super) value: &'a str,
    /// What equal values have in common.
    pub(super) canonical: String,
    /// Whether a part of it is hidden.
    pub(super) hidden: bool,
    /// Whether it is that of a variable or the outcome of a command.
    pub(super) depends: bool,
}

impl Launch {
    /// All values of all flags, in order.
    pub(super) fn values(&self) -> impl Iterator<Item = FlagValue<'_>> {
        self.flags.iter().flat_map(|(name, entry)| {
            entry.keys.iter().map(|(path, (value, hidden))| FlagValue {
                kind: name.0,
                name: &name.1,
                setting: entry.setting,
                path,
                value,
                canonical: canonical(name, entry.setting, value),
                hidden: *hidden || is_hidden(value),
                depends: depends_on_more(value),
            })
        })
    }

    /// Kind, name, setting and all values of each flag, in order.
    pub(super) fn entries(
        &self,
    ) -> impl Iterator<Item = (FlagKind, &str, Option<SettingKind>, String)> {
        self.flags.iter().map(|((kind, name), entry)| {
            let values: Vec<String> = entry
                .keys
                .iter()
                .map(|(path, (value, _))| match path.as_str() {
                    "" => value.clone(),
                    path => format!("{path} {value}"),
                })
                .collect();
            (*kind, name.as_str(), entry.setting, values.join(" "))
        })
    }
}

/// Kind, name of the whole flag, and path below it.
fn place(engine: &str, flag: &Flag) -> (FlagKind, String, String) {
    let none = String::new;
    match flag.origin {
        Origin::Environment => (FlagKind::Environment, flag.name.clone(), none()),
        Origin::Container if flag.name == "image" => (FlagKind::Image, flag.name.clone(), none()),
        Origin::Container => (FlagKind::Container, flag.name.clone(), none()),
        Origin::Server => {
            let model = matches!(flag.name.as_str(), "model" | "--model" | "--model-path");
            if model {
                return (FlagKind::Model, "model".to_owned(), none());
            }
            let name = KEYS_OF_JSON
                .iter()
                .find(|(name, _)| engine == "vllm" && *name == flag.name)
                .map_or(flag.name.as_str(), |(_, key)| key);
            let (name, path) = name.split_once('.').unwrap_or((name, ""));
            (FlagKind::Flag, name.to_owned(), path.to_owned())
        }
    }
}

/// Compares two commands.
pub(super) fn compare(a: Option<&Launch>, b: Option<&Launch>) -> LaunchComparison {
    let commands = match (a, b) {
        (None, None) => Commands::Neither,
        (Some(_), None) => Commands::OnlyA,
        (None, Some(_)) => Commands::OnlyB,
        (Some(a), Some(b)) if a.found && b.found => Commands::Both,
        (Some(_), Some(_)) => Commands::NotUnderstood,
    };
    let (Some(a), Some(b), Commands::Both) = (a, b, commands) else {
        return LaunchComparison {
            commands,
            engines_differ: false,
            rows: Vec::new(),
            counts: FlagCounts::default(),
        };
    };
    let renamed = if a.engine == b.engine {
        Vec::new()
    } else {
        same_settings(a, b)
    };
    let mut rows = Vec::new();
    let names: BTreeSet<&(FlagKind, String)> = a.flags.keys().chain(b.flags.keys()).collect();
    for name in names {
        if renamed.iter().any(|(_, of_b)| of_b == name) {
            continue;
        }
        let other = renamed.iter().find(|(of_a, _)| of_a == name);
        let of_b = other.map_or(name, |(_, of_b)| of_b);
        let (entry_a, entry_b) = (a.flags.get(name), b.flags.get(of_b));
        let setting = entry_a.or(entry_b).and_then(|entry| entry.setting);
        let keys = keys(name, setting, entry_a, entry_b);
        rows.push(FlagRow {
            kind: name.0,
            name: name.1.clone(),
            name_b: other.map(|(_, of_b)| of_b.1.clone()),
            state: together(&keys, entry_a.is_some(), entry_b.is_some()),
            keys,
            setting,
        });
    }
    // By the smaller of two names, so that the order does not depend on the sides.
    let order = |row: &FlagRow| {
        let b = row.name_b.as_ref().unwrap_or(&row.name);
        (row.kind, row.name.clone().min(b.clone()))
    };
    rows.sort_by_cached_key(order);
    let mut counts = FlagCounts::default();
    for row in rows.iter().filter(|row| row.kind.is_flag()) {
        *match row.state {
            RowState::Same => &mut counts.same,
            RowState::Changed => &mut counts.changed,
            RowState::OnlyA => &mut counts.only_a,
            RowState::OnlyB => &mut counts.only_b,
            RowState::NotComparable => &mut counts.not_comparable,
        } += 1;
    }
    LaunchComparison {
        commands,
        engines_differ: a.engine != b.engine,
        rows,
        counts,
    }
}

type Name = (FlagKind, String);

/// Pairs of names that two engines have for one setting, where each command sets it once.
fn same_settings(a: &Launch, b: &Launch) -> Vec<(Name, Name)> {
    let only = |of: &Launch, kind: SettingKind| {
        let mut with = of.flags.iter().filter(|(_, e)| e.setting == Some(kind));
        let first = with.next().map(|(name, _)| name.clone());
        first.filter(|_| with.next().is_none())
    };
    SettingKind::ALL
        .iter()
        .filter_map(|kind| Some((only(a, *kind)?, only(b, *kind)?)))
        .filter(|(of_a, of_b)| of_a != of_b)
        .collect()
}

fn keys(
    name: &Name,
    setting: Option<SettingKind>,
    a: Option<&Entry>,
    b: Option<&Entry>,
) -> Vec<FlagKey> {
    let paths: BTreeSet<&String> = [a, b]
        .into_iter()
        .flatten()
        .flat_map(|entry| entry.keys.keys())
        .collect();
    paths
        .into_iter()
        .map(|path| {
            let of = |entry: Option<&Entry>| entry.and_then(|e| e.keys.get(path)).cloned();
            let (of_a, of_b) = (of(a), of(b));
            let state = match (&of_a, &of_b) {
                (Some(a), Some(b)) => pair(name, setting, a, b),
                (Some(_), None) => RowState::OnlyA,
                _ => RowState::OnlyB,
            };
            FlagKey {
                path: path.clone(),
                a: of_a.map(|(value, _)| value),
                b: of_b.map(|(value, _)| value),
                state,
            }
        })
        .collect()
}

/// The state of a whole flag: one that both have and that differs in a key is changed.
fn together(keys: &[FlagKey], in_a: bool, in_b: bool) -> RowState {
    match (in_a, in_b) {
        (true, false) => RowState::OnlyA,
        (false, true) => RowState::OnlyB,
        _ if keys.iter().any(|key| key.state.differs()) => RowState::Changed,
        _ if keys.iter().any(|k| k.state == RowState::NotComparable) => RowState::NotComparable,
        _ => RowState::Same,
    }
}

fn pair(
    name: &Name,
    setting: Option<SettingKind>,
    a: &(String, bool),
    b: &(String, bool),
) -> RowState {
    let unknown = |(value, hidden): &(String, bool)| *hidden || depends_on_more(value);
    if unknown(a) || unknown(b) {
        RowState::NotComparable
    } else if same_value(name, setting, &a.0, &b.0) {
        RowState::Same
    } else {
        RowState::Changed
    }
}

/// Whether a value is that of a variable or the outcome of a command. The home folder is no more
/// than a place.
fn depends_on_more(value: &str) -> bool {
    let rest = value.replace("${HOME}", "").replace("$HOME", "");
    is_hidden(value) || rest.contains(['$', '`'])
}

/// Flags that may be given more than once and whose order says nothing.
const UNORDERED: &[&str] = &[
    "--lora",
    "--lora-modules",
    "--control-vector",
    "--override-kv",
    "--disable-access-log-for-endpoints",
];

fn same_value(name: &Name, setting: Option<SettingKind>, a: &str, b: &str) -> bool {
    a == b || canonical(name, setting, a) == canonical(name, setting, b)
}

/// What all spellings of one value have in common: the order of words where it says nothing, 256K
/// and 262144 for lengths, `True` and `true`, 0.90 and 0.9.
fn canonical(name: &Name, setting: Option<SettingKind>, value: &str) -> String {
    let mut value = value.to_owned();
    if name.0 == FlagKind::Container || UNORDERED.contains(&name.1.as_str()) {
        let mut words: Vec<&str> = value.split_whitespace().collect();
        words.sort_unstable();
        value = words.join(" ");
    }
    if matches!(
        setting,
        Some(SettingKind::MaxModelLen | SettingKind::MaxSequences)
    ) {
        value = whole_number(&value).unwrap_or(value);
    }
    let lower = value.to_ascii_lowercase();
    if matches!(lower.as_str(), "true" | "false") {
        return lower;
    }
    plain_number(&value).unwrap_or(value)
}

/// `0.9` for `0.90`; `None` for what is no number, or one that a double may not tell from others.
fn plain_number(text: &str) -> Option<String> {
    let plain = text.len() <= 15
        && text.bytes().any(|c| c.is_ascii_digit())
        && text
            .bytes()
            .all(|c| c.is_ascii_digit() || matches!(c, b'.' | b'-' | b'e' | b'E' | b'+'));
    let number = text.parse::<f64>().ok().filter(|_| plain)?;
    // Negative zero is zero.
    Some((number + 0.0).to_string())
}
