//! The `metadata` block and its neighbours: what the file states about the run as a whole, and what
//! was asked for.

use crate::diagnostic::Code;
use crate::run::time::MeasuredAt;
use crate::run::{Fact, FactValue, Facts};

use super::cell::{CONTEXTS, LEVELS};
use super::fields::{ANY_COUNT, Fields, MOST, Problems};

/// What the file states about the run as a whole.
#[derive(Debug, Default)]
pub struct Metadata {
    /// Facts that it states.
    pub facts: Facts,
    /// Sentences for the page.
    pub notes: Vec<String>,
    /// False for profiling and diagnostics.
    pub ranked: bool,
    /// The concurrency levels asked for.
    pub levels: Vec<u64>,
    /// The context lengths asked for, in tokens.
    pub contexts: Vec<u64>,
    /// Most tokens that a request may produce; 0 where that is not known.
    pub max_tokens: u64,
    /// Tokens that the server's KV cache holds; 0 where that is not known.
    pub kv_tokens: u64,
    /// Whether no decode was asked for.
    pub prefill_only: bool,
    /// Whether the server offered metrics, so that a 0 of them is a figure.
    pub metrics_available: bool,
}

/// The page's words for how prefill was measured.
const PREFILL_MODES: &[(&str, &str)] = &[
    ("integrated_decode_scout", "Measured during decode warm-up"),
    ("standalone_cold", "Measured on its own, prompt cache cold"),
    ("skipped", "Skipped"),
];

/// Reads everything that is said once per file.
pub fn read(root: &Fields, problems: &mut Problems) -> Metadata {
    let fields = root.fields_or_empty("metadata", problems);
    let mut metadata = Metadata {
        ranked: true,
        levels: fields.counts("concurrency_levels", &LEVELS, problems),
        contexts: fields.counts("context_lengths", &CONTEXTS, problems),
        max_tokens: fields
            .count("max_tokens", ANY_COUNT, problems)
            .unwrap_or_default(),
        kv_tokens: fields
            .count("max_total_tokens", ANY_COUNT, problems)
            .unwrap_or_default(),
        prefill_only: fields.boolean("prefill_only", problems) == Some(true),
        metrics_available: fields.boolean("metrics_available", problems) != Some(false),
        ..Metadata::default()
    };
    tool(&fields, &mut metadata, problems);
    method(&fields, &mut metadata, problems);
    diagnostic(&fields, &mut metadata, problems);
    let facts = &mut metadata.facts;
    for (key, fact) in [("model", Fact::ServedName), ("engine", Fact::EngineName)] {
        if let Some(text) = fields.text(key, problems) {
            // A proxy is what the tool calls any server that it does not know.
            if text.trim() != "openai_proxy" {
                facts.set_text(fact, text);
            }
        }
    }
    if let Some(version) = engine_version(root, problems) {
        facts.set_text(Fact::EngineVersion, version);
    }
    wrapper(root, &mut metadata);
    metadata
}

/// The tool, its version, and when it wrote the file.
fn tool(fields: &Fields, metadata: &mut Metadata, problems: &mut Problems) {
    let facts = &mut metadata.facts;
    facts.set_text(Fact::Tool, "llm-inference-bench");
    if let Some(version) = fields.text("version", problems) {
        if is_newer(&version)
            && let Some(node) = fields.get("version")
        {
            let message = format!(
                "was written by llm-inference-bench {version}; versions up to 0.7 are known here"
            );
            let help = "compare the page with the tool's own output before publishing it";
            problems.warn(Code::NewerVersion, node, message, help);
        }
        facts.set_text(Fact::ToolVersion, version);
    }
    measured_at(fields, "timestamp", facts, problems);
}

/// When it was measured; a text that is no time is left out with a warning.
pub(crate) fn measured_at(fields: &Fields, key: &str, facts: &mut Facts, problems: &mut Problems) {
    let (Some(text), Some(node)) = (fields.text(key, problems), fields.get(key)) else {
        return;
    };
    match MeasuredAt::parse(&text) {
        Ok(time) => facts.set_text(Fact::MeasuredAt, time.to_rfc3339()),
        Err(error) => {
            let message = format!("`{}` {error}", fields.path(key));
            let help = "the run goes without this date; give `measured_at` in its sidecar";
            problems.warn(Code::ValueLeftOut, node, message, help);
        }
    }
}

/// How it was measured.
fn method(fields: &Fields, metadata: &mut Metadata, problems: &mut Problems) {
    let mode = fields.text("decode_mode", problems);
    let seconds = fields.measured("duration_per_test", problems);
    let requests = fields.count("request_count", ANY_COUNT, problems);
    let temperature = fields.number("temperature", 0.0..=MOST, problems);
    let prefill_mode = fields.text("prefill_mode", problems);
    let repetitions = fields.count("iterations", ANY_COUNT, problems);
    let facts = &mut metadata.facts;
    let duration = match mode.as_deref() {
        Some(mode) => mode == "duration",
        None => seconds.is_some(),
    };
    if duration {
        facts.set_text(Fact::DecodeTest, "Fixed duration");
        if let Some(seconds) = seconds {
            facts.set(Fact::SecondsPerMeasurement, FactValue::Number(seconds));
        }
    } else if mode.as_deref() == Some("request-count") {
        facts.set_text(Fact::DecodeTest, "Fixed number of requests");
        set_count(facts, Fact::RequestsPerMeasurement, requests);
    } else if let Some(mode) = mode {
        facts.set_text(Fact::DecodeTest, mode);
    }
    set_count(facts, Fact::MaxOutputTokens, Some(metadata.max_tokens));
    if let Some(temperature) = temperature {
        facts.set(Fact::Temperature, FactValue::Number(temperature));
    }
    set_count(facts, Fact::KvCacheTokens, Some(metadata.kv_tokens));
    set_count(facts, Fact::Repetitions, repetitions);
    if let Some(mode) = prefill_mode {
        let words = PREFILL_MODES.iter().find(|(key, _)| *key == mode);
        facts.set_text(Fact::PrefillMode, words.map_or(mode.as_str(), |(_, w)| w));
        if mode == "integrated_decode_scout" {
            metadata.notes.push(
                "TTFT is measured after the benchmark warms the server's prompt cache, so it mostly excludes prefill."
                    .to_owned(),
            );
        }
    }
    if !metadata.metrics_available {
        metadata.notes.push(
            "The server offered no metrics to the benchmark, so active and waiting requests were not measured."
                .to_owned(),
        );
    }
}

/// Output forced to one token measures the engine, but no use of it.
fn diagnostic(fields: &Fields, metadata: &mut Metadata, problems: &mut Problems) {
    let route = fields.text("decode_route", problems);
    if fields.get("forced_token_id").is_some() || route.as_deref() == Some("fixed_token_diagnostic")
    {
        metadata.ranked = false;
        metadata.notes.push(
            "Every output token was forced to the same one: a diagnostic, not a natural measurement."
                .to_owned(),
        );
    }
}

/// 0 means "not known" or "not given" wherever the tool writes these.
fn set_count(facts: &mut Facts, fact: Fact, count: Option<u64>) {
    if let Some(count) = count.filter(|n| *n > 0) {
        facts.set(fact, FactValue::Count(count));
    }
}

/// `startup engine vLLM 0.28.1rc1.dev562+g9c2d21046 models=['qwen']` in the log, while it lasts: the
/// tool keeps the last 80 lines.
fn engine_version(root: &Fields, problems: &mut Problems) -> Option<String> {
    let log = root.list("event_log", problems);
    let line = log
        .iter()
        .filter_map(|line| line.text())
        .find(|line| line.contains("startup engine "))?;
    let (_, engine) = line.split_once("startup engine ")?;
    let name = engine.split(" models=").next()?;
    let (_, version) = name.trim().rsplit_once(' ')?;
    version
        .starts_with(|c: char| c.is_ascii_digit() || c == 'v')
        .then(|| version.to_owned())
}

/// `run_metadata`: what a wrapper script knows of its own runs. All its values are texts; what is
/// none is not for us.
fn wrapper(root: &Fields, metadata: &mut Metadata) {
    let Some(fields) = root.get("run_metadata").and_then(Fields::peek) else {
        return;
    };
    let text = |key: &str| fields.get(key).and_then(|n| n.text()).unwrap_or_default();
    let facts = &mut metadata.facts;
    facts.set_text(Fact::ModelRevision, text("checkpoint_revision"));
    facts.set_text(Fact::Image, text("image_id"));
    let known: Vec<String> = [
        ("variant_id", "variant"),
        ("campaign_id", "campaign"),
        ("workload", "workload"),
        ("repetition", "repetition"),
        ("speculative_tokens", "speculative tokens"),
        ("performance_verdict", "performance verdict"),
    ]
    .iter()
    .map(|(key, name)| (name, text(key)))
    .filter(|(_, value)| !value.trim().is_empty())
    .map(|(name, value)| format!("{name} {}", value.trim()))
    .collect();
    if !known.is_empty() {
        let known = known.join(", ");
        metadata
            .notes
            .push(format!("Recorded with the run: {known}."));
    }
    let instrumented = fields.get("instrumented").is_some_and(|n| {
        n.boolean() == Some(true) || n.text().is_some_and(|t| t.eq_ignore_ascii_case("true"))
    });
    if instrumented || text("workload") == "profiling" {
        metadata.ranked = false;
        metadata.notes.push(
            "The server was instrumented for profiling, which costs speed: not ranked among other runs."
                .to_owned(),
        );
    }
}

/// Newer than 0.7.x, as far as the version can be read.
fn is_newer(version: &str) -> bool {
    let mut parts = version
        .trim()
        .trim_start_matches('v')
        .split(|c: char| !c.is_ascii_digit())
        .map(|part| part.parse::<u64>().ok());
    let major = parts.next().flatten();
    let minor = parts.next().flatten();
    match major {
        Some(0) => minor > Some(7),
        Some(_) => true,
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_up_to_0_7_are_known() {
        for known in [
            "0.2.0",
            "0.4.3-effective-concurrency",
            "0.7.99",
            "v0.6",
            "main",
            "",
        ] {
            assert!(!is_newer(known), "{known}");
        }
        for newer in ["0.8.0", "0.10", "1.0", "v2"] {
            assert!(is_newer(newer), "{newer}");
        }
    }
}
