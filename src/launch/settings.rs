//! Facts that readers filter by, read out of a launch command.

use std::sync::LazyLock;

use regex::Regex;

use super::LaunchCommand;
use super::flags::{Argument, Flag, Origin, arguments, is_hidden};
use super::table::row;

/// A fact that is read out of a launch command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SettingKind {
    /// GPUs that share each layer.
    TensorParallel,
    /// Stages that the layers are spread over.
    PipelineParallel,
    /// Copies of the model.
    DataParallel,
    /// Whether, or over how many GPUs, experts are spread.
    ExpertParallel,
    /// Most tokens of one request; for llama.cpp the size of the context for all slots together.
    MaxModelLen,
    /// Most requests at once.
    MaxSequences,
    /// Number format of the KV cache.
    KvCacheType,
    /// Whether equal beginnings of prompts are kept.
    PrefixCaching,
    /// How tokens are guessed ahead.
    SpeculativeMethod,
    /// How many tokens are guessed ahead.
    SpeculativeTokens,
    /// The model that guesses.
    DraftModel,
    /// Number format of the weights.
    Quantization,
}

impl SettingKind {
    /// All kinds in the order of the page.
    pub const ALL: &'static [SettingKind] = &[
        Self::TensorParallel,
        Self::PipelineParallel,
        Self::DataParallel,
        Self::ExpertParallel,
        Self::MaxModelLen,
        Self::MaxSequences,
        Self::KvCacheType,
        Self::PrefixCaching,
        Self::SpeculativeMethod,
        Self::SpeculativeTokens,
        Self::DraftModel,
        Self::Quantization,
    ];

    /// Stable name, for data and addresses.
    pub fn id(self) -> &'static str {
        match self {
            Self::TensorParallel => "tensor_parallel",
            Self::PipelineParallel => "pipeline_parallel",
            Self::DataParallel => "data_parallel",
            Self::ExpertParallel => "expert_parallel",
            Self::MaxModelLen => "max_model_len",
            Self::MaxSequences => "max_sequences",
            Self::KvCacheType => "kv_cache_type",
            Self::PrefixCaching => "prefix_caching",
            Self::SpeculativeMethod => "speculative_method",
            Self::SpeculativeTokens => "speculative_tokens",
            Self::DraftModel => "draft_model",
            Self::Quantization => "quantization",
        }
    }

    /// Name on the page.
    pub fn label(self) -> &'static str {
        match self {
            Self::TensorParallel => "Tensor parallel",
            Self::PipelineParallel => "Pipeline parallel",
            Self::DataParallel => "Data parallel",
            Self::ExpertParallel => "Expert parallel",
            Self::MaxModelLen => "Max model length",
            Self::MaxSequences => "Max sequences",
            Self::KvCacheType => "KV cache type",
            Self::PrefixCaching => "Prefix caching",
            Self::SpeculativeMethod => "Speculative method",
            Self::SpeculativeTokens => "Speculative tokens",
            Self::DraftModel => "Draft model",
            Self::Quantization => "Quantization",
        }
    }
}

/// One fact of a launch command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Which.
    pub kind: SettingKind,
    /// Its value: a number without separators, `on` or `off`, else as it is written.
    pub value: String,
}

/// The settings of a command, in the order of [`SettingKind::ALL`], each at most once. A hidden
/// value is no setting.
pub(super) fn settings(command: &LaunchCommand) -> Vec<Setting> {
    let flags = command.flags();
    let engine = command.engine().unwrap_or_default();
    SettingKind::ALL
        .iter()
        .filter_map(|kind| {
            let value = setting(*kind, engine, &flags)?;
            let value = value.trim();
            is_known(value).then(|| Setting {
                kind: *kind,
                value: value.to_owned(),
            })
        })
        .collect()
}

/// Whether a value is told by the command itself: neither hidden nor the outcome of another one.
fn is_known(value: &str) -> bool {
    let home = value.starts_with("$HOME/") || value.starts_with("${HOME}/");
    let expanded =
        value.contains(['`']) || value.contains("$(") || (value.starts_with('$') && !home);
    !value.is_empty() && !is_hidden(value) && !expanded
}

fn setting(kind: SettingKind, engine: &str, flags: &[Flag]) -> Option<String> {
    let named = |name: &str| {
        let mut own = flags.iter().filter(|f| f.origin == Origin::Server);
        own.find(|f| f.name == name).map(|f| f.value.clone())
    };
    let tabled = || {
        let mut own = flags.iter().filter(|f| f.origin == Origin::Server);
        own.find(|f| f.setting == Some(kind))
    };
    match kind {
        SettingKind::ExpertParallel | SettingKind::PrefixCaching => {
            let flag = tabled()?;
            let on = match flag.value.to_ascii_lowercase().as_str() {
                "true" | "on" => true,
                "false" | "off" => false,
                _ => return Some(flag.value.clone()),
            };
            let on = on != flag.name.starts_with("--disable-");
            Some(if on { "on" } else { "off" }.to_owned())
        }
        SettingKind::KvCacheType if engine == "llama.cpp" => {
            match (named("--cache-type-k"), named("--cache-type-v")) {
                (Some(k), Some(v)) if k == v => Some(k),
                (Some(k), Some(v)) => Some(format!("K {k}, V {v}")),
                (Some(k), None) => Some(format!("K {k}")),
                (None, Some(v)) => Some(format!("V {v}")),
                (None, None) => None,
            }
        }
        SettingKind::SpeculativeMethod => tabled()
            .map(|f| f.value.clone())
            .or_else(|| named("--speculative-config.method"))
            .or_else(|| {
                let draft = setting(SettingKind::DraftModel, engine, flags);
                let ngram = named("--spec-model").filter(|m| m == "[ngram]");
                ngram
                    .map(|_| "ngram".to_owned())
                    .or(draft.map(|_| "draft_model".to_owned()))
            }),
        SettingKind::SpeculativeTokens => tabled()
            .map(|f| f.value.clone())
            .or_else(|| named("--speculative-config.num_speculative_tokens"))
            .or_else(|| named("--speculative-num-steps")),
        SettingKind::DraftModel => tabled()
            .map(|f| f.value.clone())
            .or_else(|| named("--speculative-config.model"))
            .filter(|model| model != "[ngram]"),
        SettingKind::Quantization => tabled()
            .map(|f| f.value.clone())
            .or_else(|| (engine == "llama.cpp").then(|| gguf_quantization(flags))?),
        SettingKind::MaxModelLen | SettingKind::MaxSequences => {
            let value = tabled()?.value.clone();
            // For llama.cpp these mean "what the model says" and "as many as seem good".
            let own = engine == "llama.cpp" && matches!(value.as_str(), "0" | "-1");
            (!own).then(|| whole_number(&value).unwrap_or(value))
        }
        _ => tabled().map(|f| f.value.clone()),
    }
}

/// The number format in the name of a GGUF file or repository: `…-Q4_K_M.gguf`, `…:Q4_K_M`.
fn gguf_quantization(flags: &[Flag]) -> Option<String> {
    // The pattern is a constant and tested: it compiles.
    static NAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"(?i)[-._:/]((?:UD-)?(?:I?Q\d\w*|TQ\d\w*|BF16|F16|F32|MXFP4\w*|NVFP4\w*))(?:-\d{5}-of-\d{5})?(?:\.gguf)?$",
        )
        .ok()
    });
    let models = ["--model", "--hf-repo", "--hf-file"];
    let mut names = flags.iter().filter(|f| models.contains(&f.name.as_str()));
    names.find_map(|f| {
        let found = NAME.as_ref()?.captures(&f.value)?.get(1)?;
        Some(found.as_str().to_owned())
    })
}

/// A whole number as vLLM reads it: `256k` is 256,000, `256K` is 262,144.
pub(crate) fn whole_number(text: &str) -> Option<String> {
    let unit: u64 = match text.chars().last()? {
        'k' => 1000,
        'm' => 1_000_000,
        'g' => 1_000_000_000,
        'K' => 1 << 10,
        'M' => 1 << 20,
        'G' => 1 << 30,
        _ => return None,
    };
    let digits = text.get(..text.len() - 1)?;
    if !digits.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        return None;
    }
    let value = digits.parse::<f64>().ok()? * unit as f64;
    (value.is_finite() && value < 1e15).then(|| format!("{}", value as u64))
}

/// The model that is served: what follows `serve`, else what a flag names.
pub(super) fn model(command: &LaunchCommand) -> Option<String> {
    let server = command.server()?;
    let arguments = arguments(server.engine, &server.args);
    let positional = arguments.iter().find_map(|argument| match argument {
        Argument::Positional(word) if server.engine != "llama.cpp" => Some(word.clone()),
        _ => None,
    });
    let flag = |wanted: &[&str]| {
        arguments.iter().rev().find_map(|argument| match argument {
            Argument::Flag(name, values) => {
                let canonical = row(server.engine, name).map_or(name.as_str(), |row| row.name());
                values
                    .first()
                    .filter(|_| wanted.contains(&canonical))
                    .cloned()
            }
            Argument::Positional(_) => None,
        })
    };
    positional
        .or_else(|| flag(&["--model", "--model-path", "--model-id"]))
        .or_else(|| flag(&["--hf-repo", "--docker-repo", "--model-url"]))
        .filter(|model| is_known(model))
}

/// The first name under which the model is served.
pub(super) fn served_name(command: &LaunchCommand) -> Option<String> {
    let server = command.server()?;
    arguments(server.engine, &server.args)
        .iter()
        .rev()
        .find_map(|argument| match argument {
            Argument::Flag(name, values) => {
                let canonical = row(server.engine, name).map_or(name.as_str(), |row| row.name());
                let wanted = matches!(canonical, "--served-model-name" | "--alias");
                values.first().filter(|_| wanted).cloned()
            }
            Argument::Positional(_) => None,
        })
        .map(|name| name.split(',').next().unwrap_or_default().trim().to_owned())
        .filter(|name| is_known(name))
}
