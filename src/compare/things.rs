//! What differs, counted in things: facts and flags that belong together are one thing. And what
//! follows from it: whether the comparison is like for like.

use std::collections::BTreeMap;

use super::facts::{FactRow, RowState};
use super::flags::{Commands, FlagKey, FlagKind, FlagRow, Launch, LaunchComparison};
use super::ratio::Side;
use crate::launch::flags::is_hidden;
use crate::launch::settings::SettingKind;
use crate::run::{Fact, FactValue, Facts};

/// What belongs together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ThingKind {
    /// Model, revision, parsers.
    Model,
    /// Kind of GPU and its memory.
    Gpu,
    /// Number of GPUs, all VRAM, tensor, pipeline and data parallel size.
    GpuCount,
    /// Number format of the weights.
    Quantization,
    /// Engine, version, commit, build, image.
    Engine,
    /// Speculative decoding: method, tokens, draft model.
    Speculative,
    /// Benchmark tool and its version.
    Tool,
    /// Processor and main memory.
    Machine,
    /// Options of the container, but for its image.
    Container,
    /// A fact that is a thing of its own.
    Fact(Fact),
    /// A flag or a variable that is a thing of its own, by its name.
    Flag(String),
}

impl ThingKind {
    /// Word of `comparison.json`: `gpu_count`, `engine`, `method.temperature`, `--dtype`.
    pub fn id(&self) -> String {
        match self {
            ThingKind::Model => "model".to_owned(),
            ThingKind::Gpu => "gpu".to_owned(),
            ThingKind::GpuCount => "gpu_count".to_owned(),
            ThingKind::Quantization => "quantization".to_owned(),
            ThingKind::Engine => "engine".to_owned(),
            ThingKind::Speculative => "speculative_decoding".to_owned(),
            ThingKind::Tool => "tool".to_owned(),
            ThingKind::Machine => "machine".to_owned(),
            ThingKind::Container => "container".to_owned(),
            ThingKind::Fact(fact) => fact.path(),
            ThingKind::Flag(name) => name.clone(),
        }
    }

    /// Name in a sentence.
    pub fn label(&self) -> String {
        match self {
            ThingKind::Model => "model".to_owned(),
            ThingKind::Gpu => "GPU".to_owned(),
            ThingKind::GpuCount => "GPU count".to_owned(),
            ThingKind::Quantization => "quantization".to_owned(),
            ThingKind::Engine => "engine".to_owned(),
            ThingKind::Speculative => "speculative decoding".to_owned(),
            ThingKind::Tool => "benchmark tool".to_owned(),
            ThingKind::Machine => "machine".to_owned(),
            ThingKind::Container => "container options".to_owned(),
            ThingKind::Fact(fact) => lower_first(fact.info().label),
            ThingKind::Flag(name) => name.clone(),
        }
    }
}

/// "Time per measurement" inside a sentence; "GPU driver" and "OS" stay.
pub(super) fn lower_first(label: &str) -> String {
    let mut chars = label.chars();
    match (chars.next(), chars.next()) {
        (Some(first), Some(second)) if !second.is_uppercase() => {
            let rest: String = label.chars().skip(1).collect();
            format!("{}{rest}", first.to_lowercase())
        }
        _ => label.to_owned(),
    }
}

/// A part of a thing that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Name of the fact or flag: "Version", `--tensor-parallel-size`,
    /// `--speculative-config.method`.
    pub name: String,
    /// A's value; `None` where A does not have it.
    pub a: Option<String>,
    /// B's value.
    pub b: Option<String>,
}

/// A thing that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thing {
    /// Which.
    pub kind: ThingKind,
    /// The facts and flags in which it differs, facts first.
    pub items: Vec<Item>,
    /// Whether with anything else differing nothing can be told: another model, GPU or
    /// quantization.
    pub heavy: bool,
    /// Whether only flags of the launch command tell of it.
    pub only_flags: bool,
}

impl Thing {
    /// "GPU count (4 and 2)": its name, with the values where they are short.
    pub fn words(&self) -> String {
        let label = self.kind.label();
        let Some(item) = self.items.first() else {
            return label;
        };
        let short = |value: &Option<String>| {
            value.as_ref().map_or(Some("not set".to_owned()), |v| {
                (v.chars().count() <= 30 && !v.is_empty()).then(|| v.clone())
            })
        };
        match (short(&item.a), short(&item.b)) {
            (Some(a), Some(b)) => format!("{label} ({a} and {b})"),
            _ => label,
        }
    }
}

/// How far the comparison is like for like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing that both runs tell of differs.
    LikeForLike,
    /// One thing differs.
    OneThing,
    /// Two or three things differ.
    FewThings,
    /// Model, GPU or quantization differs together with something else, or more than three
    /// things differ.
    NotControlled,
}

impl Verdict {
    /// Word of `comparison.json`.
    pub fn key(self) -> &'static str {
        match self {
            Verdict::LikeForLike => "like_for_like",
            Verdict::OneThing => "one_thing",
            Verdict::FewThings => "few_things",
            Verdict::NotControlled => "not_controlled",
        }
    }

    /// The verdict on these things.
    pub fn on(things: &[Thing]) -> Self {
        match things {
            [] => Verdict::LikeForLike,
            [_] => Verdict::OneThing,
            more if more.len() > 3 || more.iter().any(|t| t.heavy) => Verdict::NotControlled,
            _ => Verdict::FewThings,
        }
    }

    /// "like for like", "differs in one thing", "differs in 3 things", "not a controlled
    /// comparison".
    pub fn words(self, things: &[Thing]) -> String {
        match self {
            Verdict::LikeForLike => "like for like".to_owned(),
            Verdict::OneThing => "differs in one thing".to_owned(),
            Verdict::FewThings => format!("differs in {} things", things.len()),
            Verdict::NotControlled => "not a controlled comparison".to_owned(),
        }
    }
}

/// The thing that a fact is a part of; `None` for facts that say nothing about speed: who
/// measured, when, under which name the model is served; and for the size of the KV cache, which
/// follows from the rest. The model is looked at apart ([`model`]).
pub(super) fn thing_of(fact: Fact) -> Option<ThingKind> {
    Some(match fact {
        Fact::Title
        | Fact::Author
        | Fact::MeasuredAt
        | Fact::Timezone
        | Fact::LaunchCommand
        | Fact::SourceUrl
        | Fact::ServedName
        | Fact::ModelName
        | Fact::ModelId
        | Fact::KvCacheTokens => return None,
        Fact::ModelRevision => ThingKind::Model,
        Fact::HardwareType | Fact::Gpu | Fact::VramGbPerGpu => ThingKind::Gpu,
        Fact::GpuCount | Fact::VramGb => ThingKind::GpuCount,
        Fact::Cpu | Fact::RamGb => ThingKind::Machine,
        Fact::EngineName
        | Fact::EngineVersion
        | Fact::Backend
        | Fact::Repository
        | Fact::Build
        | Fact::Commit
        | Fact::Image => ThingKind::Engine,
        Fact::Quantization => ThingKind::Quantization,
        Fact::Tool | Fact::ToolVersion => ThingKind::Tool,
        Fact::Driver
        | Fact::Os
        | Fact::DecodeTest
        | Fact::PrefillMode
        | Fact::SecondsPerMeasurement
        | Fact::RequestsPerMeasurement
        | Fact::MaxOutputTokens
        | Fact::Temperature
        | Fact::Repetitions => ThingKind::Fact(fact),
    })
}

/// Everything that differs, in the order of [`ThingKind`].
pub(super) fn things(
    a: &Facts,
    b: &Facts,
    facts: &[FactRow],
    launch: &LaunchComparison,
) -> Vec<Thing> {
    let mut out = Things::default();
    let models = model(a, b);
    if let Models::Differ(item) = &models {
        out.fact(ThingKind::Model, item.clone(), true);
    }
    for row in facts.iter().filter(|row| row.state == RowState::Changed) {
        let Some(kind) = thing_of(row.fact) else {
            continue;
        };
        let heavy = matches!(
            row.fact,
            Fact::Gpu
                | Fact::HardwareType
                | Fact::VramGbPerGpu
                | Fact::Quantization
                | Fact::ModelRevision
        );
        let text = |value: &Option<FactValue>| value.as_ref().map(ToString::to_string);
        let item = Item {
            name: row.fact.info().label.to_owned(),
            a: text(&row.a),
            b: text(&row.b),
        };
        out.fact(kind, item, heavy);
    }
    // Where one server runs in a container and the other does not, the container's options follow
    // from that; the image tells it.
    let one_contained = launch.rows.iter().any(|row| {
        row.kind == FlagKind::Image && matches!(row.state, RowState::OnlyA | RowState::OnlyB)
    });
    for row in launch.rows.iter().filter(|row| row.state.differs()) {
        if one_contained && row.kind == FlagKind::Container {
            continue;
        }
        let Some((kind, heavy)) = thing_of_flag(row, &models, launch.engines_differ) else {
            continue;
        };
        for key in row.keys.iter().filter(|key| key.state.differs()) {
            out.flag(kind.clone(), item_of(row, key), heavy);
        }
    }
    out.0.sort_by(|x, y| x.kind.cmp(&y.kind));
    out.0
}

#[derive(Default)]
struct Things(Vec<Thing>);

impl Things {
    fn get(&mut self, kind: ThingKind) -> Option<&mut Thing> {
        if !self.0.iter().any(|thing| thing.kind == kind) {
            self.0.push(Thing {
                kind: kind.clone(),
                items: Vec::new(),
                heavy: false,
                only_flags: true,
            });
        }
        self.0.iter_mut().find(|thing| thing.kind == kind)
    }

    fn fact(&mut self, kind: ThingKind, item: Item, heavy: bool) {
        if let Some(thing) = self.get(kind) {
            thing.items.push(item);
            thing.heavy |= heavy;
            thing.only_flags = false;
        }
    }

    fn flag(&mut self, kind: ThingKind, item: Item, heavy: bool) {
        if let Some(thing) = self.get(kind) {
            thing.items.push(item);
            thing.heavy |= heavy;
        }
    }
}

fn item_of(row: &FlagRow, key: &FlagKey) -> Item {
    let name = match key.path.as_str() {
        "" => row.label(),
        path => format!("{}.{path}", row.label()),
    };
    Item {
        name,
        a: key.a.clone(),
        b: key.b.clone(),
    }
}

/// What the facts say of the two models.
enum Models {
    Same,
    Differ(Item),
    Unknown,
}

/// Two models are the same where their ids are; where one has no id, where the last parts of the
/// id and the name are, whatever the case and whatever stands between the words.
fn model(a: &Facts, b: &Facts) -> Models {
    let ids = (a.text(Fact::ModelId), b.text(Fact::ModelId));
    let named = |facts: &Facts| {
        let id = facts.text(Fact::ModelId);
        let last = id.map(|id| last_part(id).to_owned());
        last.or_else(|| facts.text(Fact::ModelName).map(str::to_owned))
    };
    let (shown_a, shown_b, same) = match ids {
        (Some(a), Some(b)) => (a.to_owned(), b.to_owned(), a.eq_ignore_ascii_case(b)),
        _ => {
            let (Some(of_a), Some(of_b)) = (named(a), named(b)) else {
                return Models::Unknown;
            };
            // A name that people gave may be shorter than the id's last part.
            let by_name = match (a.text(Fact::ModelName), b.text(Fact::ModelName)) {
                (Some(a), Some(b)) => plain(a) == plain(b),
                _ => false,
            };
            let same = by_name || plain(&of_a) == plain(&of_b);
            (of_a, of_b, same)
        }
    };
    if is_hidden(&shown_a) || is_hidden(&shown_b) {
        return Models::Unknown;
    }
    if same {
        return Models::Same;
    }
    Models::Differ(Item {
        name: "Model".to_owned(),
        a: Some(shown_a),
        b: Some(shown_b),
    })
}

pub(super) fn last_part(text: &str) -> &str {
    let text = text.trim_end_matches(['/', '\\']);
    text.rsplit(['/', '\\']).next().unwrap_or(text)
}

pub(super) fn plain(text: &str) -> String {
    let letters = text.chars().filter(|c| c.is_alphanumeric() || *c == '.');
    letters.flat_map(char::to_lowercase).collect()
}

/// Flags and variables that say nothing about speed: addresses, names, secrets, places.
const LEFT_OUT: &[&str] = &[
    "--host",
    "--port",
    "--api-key",
    "--api-key-file",
    "--root-path",
    "--uds",
    "--path",
    "--served-model-name",
    "--alias",
    "--download-dir",
    "--hf-token",
    "--data-parallel-address",
    "--data-parallel-rpc-port",
    "--dist-init-addr",
    "--master-addr",
    "--master-port",
    "--node-rank",
    "--nccl-port",
    "--nccl-init-addr",
    "--log-file",
    // Variables.
    "PATH",
    "HOME",
    "USER",
    "HF_HOME",
    "HF_HUB_CACHE",
    "HF_TOKEN",
    "HUGGING_FACE_HUB_TOKEN",
    "TRANSFORMERS_CACHE",
    "VLLM_API_KEY",
    "VLLM_HOST_IP",
    "MASTER_ADDR",
    "MASTER_PORT",
    // Options of containers.
    "--name",
    "--hostname",
    "--publish",
    "--publish-all",
    "--expose",
    "--network",
    "--add-host",
    "--volume",
    "--mount",
    "--bind",
    "--env-file",
    "--workdir",
    "--user",
    "--label",
    "--rm",
    "--restart",
    "--detach",
    "--interactive",
    "--tty",
    "--init",
    "--pull",
    "--entrypoint",
];

/// Flags by which the answers of one model are read, and its parts.
const OF_THE_MODEL: &[&str] = &[
    "--reasoning-parser",
    "--tool-call-parser",
    "--tool-parser-plugin",
    "--enable-auto-tool-choice",
    "--enable-reasoning",
    "--chat-template",
    "--jinja",
    "--tokenizer",
    "--tokenizer-mode",
    "--tokenizer-path",
    "--trust-remote-code",
    "--revision",
    "--tokenizer-revision",
    "--code-revision",
    "--hf-repo",
    "--hf-file",
    "--model-url",
    "--docker-repo",
    "--mmproj",
];

/// Flags that say on how many GPUs the model runs.
const OF_THE_GPUS: &[&str] = &["--gpus", "--nnodes", "--data-parallel-size-local"];

/// Variables that list GPUs: only how many they list counts.
pub(super) const LISTS_OF_GPUS: &[&str] = &[
    "CUDA_VISIBLE_DEVICES",
    "HIP_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
    "NVIDIA_VISIBLE_DEVICES",
];

/// The thing that a flag is a part of, and whether it is heavy; `None` where the flag says nothing
/// about speed.
fn thing_of_flag(row: &FlagRow, models: &Models, engines: bool) -> Option<(ThingKind, bool)> {
    let name = row.name.as_str();
    match row.kind {
        // One engine is started in many ways.
        FlagKind::Program => return engines.then_some((ThingKind::Engine, false)),
        FlagKind::Image => return Some((ThingKind::Engine, false)),
        FlagKind::Model => {
            // What the facts say of the model counts more than where it lies.
            let told = !matches!(models, Models::Unknown);
            return (!told && !same_last_part(row)).then_some((ThingKind::Model, true));
        }
        FlagKind::Flag | FlagKind::Environment | FlagKind::Container => {}
    }
    let thing = thing_of_name(row.kind, name, row.setting)?;
    if has_hidden(row) {
        return None;
    }
    if LISTS_OF_GPUS.contains(&name) {
        let count = |side| row.value(side).map(|list| list.split(',').count());
        let (a, b) = (count(Side::A), count(Side::B));
        return (a.is_some() && b.is_some() && a != b).then_some(thing);
    }
    let places = match thing.0 {
        ThingKind::Container | ThingKind::Flag(_) => only_places(row),
        _ => same_last_part(row),
    };
    (!places).then_some(thing)
}

/// The thing that a flag, a variable or a container's option is a part of by its name, and whether
/// it is heavy.
pub(super) fn thing_of_name(
    kind: FlagKind,
    name: &str,
    setting: Option<SettingKind>,
) -> Option<(ThingKind, bool)> {
    if LEFT_OUT.contains(&name) || name.starts_with("--ssl-") {
        return None;
    }
    if LISTS_OF_GPUS.contains(&name) {
        return Some((ThingKind::GpuCount, false));
    }
    let own = match kind {
        FlagKind::Environment => return Some((ThingKind::Flag(name.to_owned()), false)),
        FlagKind::Container => ThingKind::Container,
        _ => ThingKind::Flag(name.to_owned()),
    };
    Some(match setting {
        Some(
            SettingKind::TensorParallel | SettingKind::PipelineParallel | SettingKind::DataParallel,
        ) => (ThingKind::GpuCount, false),
        Some(SettingKind::Quantization) => (ThingKind::Quantization, true),
        _ if OF_THE_GPUS.contains(&name) => (ThingKind::GpuCount, false),
        _ if OF_THE_MODEL.contains(&name) => (ThingKind::Model, false),
        _ if name.starts_with("--spec") => (ThingKind::Speculative, false),
        _ => (own, false),
    })
}

/// What one run says of each thing, as text: to find runs that differ in few things without
/// comparing each with each.
pub(super) fn parts(facts: &Facts, launch: Option<&Launch>) -> BTreeMap<ThingKind, String> {
    let mut parts: BTreeMap<ThingKind, String> = BTreeMap::new();
    let mut add = |kind: ThingKind, name: &str, value: &str| {
        let text = parts.entry(kind).or_default();
        text.push_str(&format!("{name}={value};"));
    };
    let id = facts.text(Fact::ModelId);
    if let Some(model) = id.map(last_part).or(facts.text(Fact::ModelName)) {
        add(ThingKind::Model, "model", &plain(model));
    }
    for (fact, value) in facts.iter() {
        if let Some(kind) = thing_of(fact) {
            add(kind, fact.info().key, &value.to_string().to_lowercase());
        }
    }
    for (kind, name, setting, values) in launch.into_iter().flat_map(Launch::entries) {
        if matches!(kind, FlagKind::Program | FlagKind::Model) {
            continue;
        }
        if kind == FlagKind::Image {
            add(ThingKind::Engine, name, &values);
        } else if let Some((thing, _)) = thing_of_name(kind, name, setting)
            && !is_hidden(&values)
            && !is_place(&values)
        {
            add(thing, name, &values);
        }
    }
    parts
}

fn has_hidden(row: &FlagRow) -> bool {
    let values = row.keys.iter().flat_map(|key| [&key.a, &key.b]);
    row.keys.iter().all(|key| key.path.is_empty()) && values.flatten().any(|value| is_hidden(value))
}

pub(super) fn is_place(value: &str) -> bool {
    ["/", "~", "./", "../", "$HOME", "${HOME}"]
        .iter()
        .any(|start| value.starts_with(start))
        || value.get(1..3) == Some(":\\")
}

/// Whether every value that differs is a path, with one last part on both sides.
fn same_last_part(row: &FlagRow) -> bool {
    let mut keys = row.keys.iter().filter(|key| key.state.differs());
    keys.all(|key| match (&key.a, &key.b) {
        (Some(a), Some(b)) => (is_place(a) || is_place(b)) && last_part(a) == last_part(b),
        _ => false,
    })
}

/// Whether every value that differs is a path.
fn only_places(row: &FlagRow) -> bool {
    let keys = row.keys.iter().filter(|key| key.state.differs());
    let mut values = keys.flat_map(|key| [&key.a, &key.b]).flatten();
    values.all(|value| is_place(value))
}

/// What one run tells of and the other does not, among the facts that are part of a thing: it may
/// be the same. Names as on the page.
pub(super) fn told_by_one(facts: &[FactRow], launch: &LaunchComparison) -> Vec<String> {
    let mut out: Vec<String> = facts
        .iter()
        .filter(|row| matches!(row.state, RowState::OnlyA | RowState::OnlyB))
        .filter(|row| thing_of(row.fact).is_some())
        .map(|row| named(row.fact))
        .collect();
    if matches!(launch.commands, Commands::OnlyA | Commands::OnlyB) {
        out.push(lower_first(Fact::LaunchCommand.info().label));
    }
    out
}

/// "engine version" in the place of "version".
fn named(fact: Fact) -> String {
    match fact {
        Fact::EngineVersion => "engine version".to_owned(),
        Fact::Build | Fact::Commit | Fact::Image | Fact::Repository | Fact::Backend => {
            format!("{} of the engine", lower_first(fact.info().label))
        }
        Fact::ModelRevision => "revision of the model".to_owned(),
        fact => lower_first(fact.info().label),
    }
}
