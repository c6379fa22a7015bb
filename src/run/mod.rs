//! What a run is: one benchmark of one served model, the same for every input format.
//!
//! No input, no output: this module knows neither files nor pages.

pub mod audit;
pub mod cell_figure;
pub mod document;
pub mod fact;
pub mod figure;
pub mod key_figures;
pub mod metric;
pub mod names;
pub mod serving;
pub mod time;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

pub use fact::{Fact, FactValue, Facts, Section};
pub use figure::Figure;
pub use metric::{Figures, Metric};

/// One benchmark of one served model: facts, prefill points, matrices. No grid is assumed full and
/// no fact is assumed known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// Its address below `/runs/`.
    pub slug: String,
    /// What is known of model, hardware, engine and method. After import has resolved it,
    /// [`Fact::Title`] is always there.
    pub facts: Facts,
    /// Words to find it by, in the order given.
    pub tags: Vec<String>,
    /// False where the run was interrupted.
    pub complete: bool,
    /// False where it must not be ranked among others (profiling, quick profiles, by request).
    pub ranked: bool,
    /// Whether it is published with `--drafts` only.
    pub draft: bool,
    /// Other addresses that lead to it, as site paths ("/old/place/").
    pub aliases: Vec<String>,
    /// What the source says of its method, a sentence each.
    pub notes: Vec<String>,
    /// The author's notes: Markdown of the sidecar's body.
    pub notes_markdown: Option<String>,
    /// Prompt reading by one request, by context.
    pub prefill: Vec<Measurement>,
    /// The sustained decode matrix, sorted by context, then concurrency.
    pub decode: Vec<Measurement>,
    /// The burst matrix: requests sent at once and drained. Never merged with `decode`.
    pub burst: Vec<Measurement>,
    /// Where it was read from.
    pub source: Source,
    /// Keys of `run.json` that this version does not know, kept as they were: at the top level and
    /// below the name of their section.
    pub unknown: Map<String, Value>,
}

/// Which matrix or list a measurement belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// Reading the prompt.
    Prefill,
    /// Requests kept running for the whole window.
    Decode,
    /// Requests sent at once and drained.
    Burst,
}

impl Phase {
    /// All phases in the order of the document.
    pub const ALL: &'static [Phase] = &[Phase::Prefill, Phase::Decode, Phase::Burst];

    /// Key of `run.json`.
    pub fn key(self) -> &'static str {
        match self {
            Phase::Prefill => "prefill",
            Phase::Decode => "decode",
            Phase::Burst => "burst",
        }
    }

    /// Name on the page and in the table of all measurements.
    pub fn label(self) -> &'static str {
        match self {
            Phase::Prefill => "Prefill",
            Phase::Decode => "Sustained decode",
            Phase::Burst => "Burst",
        }
    }
}

/// Tokens already in the prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// As the source names it ("8K"), or made by [`Context::from_tokens`].
    pub label: String,
    /// The exact number, where it is known.
    pub tokens: Option<u64>,
    /// Whether `tokens` was worked out from the label.
    pub derived: bool,
}

impl Context {
    /// A context of which the exact number is known: "1M", "8K", "512", "0".
    pub fn from_tokens(tokens: u64) -> Self {
        let label = match tokens {
            0 => "0".to_owned(),
            n if n.is_multiple_of(1 << 20) => format!("{}M", n >> 20),
            n if n.is_multiple_of(1 << 10) => format!("{}K", n >> 10),
            n => n.to_string(),
        };
        Self {
            label,
            tokens: Some(tokens),
            derived: false,
        }
    }

    /// A context of which only the label is known. With `binary_k`, the tokens are worked out from
    /// it, K being 1024 (the rule of llm-inference-bench, `parse_token_value`).
    pub fn from_label(label: &str, binary_k: bool) -> Self {
        let label = label.trim();
        let tokens = Self::label_tokens(label, 1 << 10, 1 << 20).filter(|_| binary_k);
        Self {
            label: label.to_owned(),
            tokens,
            derived: tokens.is_some(),
        }
    }

    /// Tokens of a label ("8K", "1M", "512") for a given size of K and M; `None` where the label is
    /// no such number, or not a whole number of tokens.
    pub fn label_tokens(label: &str, k: u64, m: u64) -> Option<u64> {
        let (digits, unit) = match label.as_bytes().last()? {
            b'K' | b'k' => (label.strip_suffix(['K', 'k'])?, k),
            b'M' | b'm' => (label.strip_suffix(['M', 'm'])?, m),
            _ => (label, 1),
        };
        if !digits.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
            return None;
        }
        let value = digits.parse::<f64>().ok()? * unit as f64;
        (value.fract() == 0.0 && value < 9e15).then_some(value as u64)
    }

    /// What contexts are sorted by: the exact number, else what the label says with K = 1024;
    /// unreadable labels last.
    pub fn order(&self) -> (u64, &str) {
        let tokens = self
            .tokens
            .or_else(|| Self::label_tokens(&self.label, 1 << 10, 1 << 20))
            .unwrap_or(u64::MAX);
        (tokens, &self.label)
    }
}

/// What became of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// Measured.
    #[default]
    Valid,
    /// Measured, but not all requests ran at once.
    Queued,
    /// Not run: it would not have fitted the KV cache.
    OverCapacity,
    /// Run, without a usable result.
    Failed,
    /// Not run, or run without a figure.
    NotMeasured,
    /// A word that is not known here, kept in [`Measurement::status_text`].
    Other,
}

impl Status {
    /// All statuses, in the order of legends.
    pub const ALL: &'static [Status] = &[
        Status::Valid,
        Status::Queued,
        Status::OverCapacity,
        Status::Failed,
        Status::NotMeasured,
        Status::Other,
    ];

    /// Word of `run.json`.
    pub fn key(self) -> &'static str {
        match self {
            Status::Valid => "valid",
            Status::Queued => "queued",
            Status::OverCapacity => "over_capacity",
            Status::Failed => "failed",
            Status::NotMeasured => "not_measured",
            Status::Other => "other",
        }
    }

    /// Words of the page.
    pub fn label(self) -> &'static str {
        match self {
            Status::Valid => "Valid",
            Status::Queued => "Requests queued",
            Status::OverCapacity => "Over capacity",
            Status::Failed => "Failed",
            Status::NotMeasured => "Not measured",
            Status::Other => "Other",
        }
    }

    /// The legend's sentence; empty for [`Status::Valid`] and [`Status::Other`].
    pub fn sentence(self) -> &'static str {
        match self {
            Status::Valid | Status::Other => "",
            Status::Queued => {
                "the server could not run all requests at once, so some waited in a queue."
            }
            Status::OverCapacity => {
                "not run because this many requests at this context would exceed the server's KV cache."
            }
            Status::Failed => "run without a usable result.",
            Status::NotMeasured => "there is no figure for this cell.",
        }
    }

    /// The status with this key.
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|s| s.key() == key)
    }

    /// The status with these words, whatever their case.
    pub fn from_label(label: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .filter(|s| *s != Status::Other)
            .find(|s| s.label().eq_ignore_ascii_case(label.trim()))
    }
}

/// One measurement: a prefill point, or a cell of a matrix.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measurement {
    /// Tokens already in the prompt (for prefill: tokens of the prompt).
    pub context: Context,
    /// Simultaneous requests asked for; 1 for prefill.
    pub concurrency: u64,
    /// What became of it.
    pub status: Status,
    /// The source's word, where `status` is [`Status::Other`].
    pub status_text: Option<String>,
    /// Why, where the source tells it.
    pub reason: Option<String>,
    /// How it was measured, where that differs from point to point (prefill: `integrated_scout`).
    pub method: Option<String>,
    /// How tokens were counted (`openai_continuous_usage`, `openai_stream_chunks_fallback`).
    pub token_source: Option<String>,
    /// What was measured.
    pub figures: Figures,
    /// Keys of `run.json` that this version does not know, kept as they were.
    pub unknown: Map<String, Value>,
}

impl Measurement {
    /// The figure of a metric.
    pub fn get(&self, metric: Metric) -> Option<Figure> {
        self.figures.get(metric)
    }

    /// The bare number of a metric.
    pub fn value(&self, metric: Metric) -> Option<f64> {
        self.figures.value(metric)
    }

    /// Total tok/s of a cell that counts: valid or queued, with a figure above zero.
    pub fn counted_total(&self) -> Option<f64> {
        let counts = matches!(self.status, Status::Valid | Status::Queued);
        let total = self.value(Metric::TotalTokPerS)?;
        (counts && total.is_finite() && total > 0.0).then_some(total)
    }

    /// The status in words: the source's own where it is not one of ours.
    pub fn status_label(&self) -> &str {
        match (&self.status, &self.status_text) {
            (Status::Other, Some(text)) => text,
            (status, _) => status.label(),
        }
    }
}

/// Where a run was read from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// Path below `content/`, with forward slashes.
    pub path: String,
    /// Name of the format ([`crate::import`]).
    pub format: String,
    /// SHA-256 of the file's bytes, in hexadecimal.
    pub sha256: String,
}

impl Run {
    /// A complete, ranked, empty run.
    pub fn new() -> Self {
        Self {
            complete: true,
            ranked: true,
            ..Self::default()
        }
    }

    /// The page's title.
    pub fn title(&self) -> &str {
        self.facts.text(Fact::Title).unwrap_or(&self.slug)
    }

    /// The measurements of one phase.
    pub fn phase(&self, phase: Phase) -> &[Measurement] {
        match phase {
            Phase::Prefill => &self.prefill,
            Phase::Decode => &self.decode,
            Phase::Burst => &self.burst,
        }
    }

    /// The measurements of one phase, to change them.
    pub fn phase_mut(&mut self, phase: Phase) -> &mut Vec<Measurement> {
        match phase {
            Phase::Prefill => &mut self.prefill,
            Phase::Decode => &mut self.decode,
            Phase::Burst => &mut self.burst,
        }
    }

    /// Puts the measurements in the order of the document: by context, then concurrency.
    pub fn sort(&mut self) {
        for phase in Phase::ALL {
            self.phase_mut(*phase).sort_by(|a, b| {
                (a.context.order(), a.concurrency).cmp(&(b.context.order(), b.concurrency))
            });
        }
    }

    /// The anchor of one of the run's measurements on the page and in findings ([`Run::anchors`]).
    pub fn anchor(&self, phase: Phase, measurement: &Measurement) -> String {
        let mut cells = self.phase(phase).iter();
        let at = cells.position(|cell| std::ptr::eq(cell, measurement));
        let anchor = at.and_then(|at| self.anchors(phase).into_iter().nth(at));
        anchor.unwrap_or_else(|| anchor_of(phase, measurement, false))
    }

    /// The anchors of all measurements of a phase, in their order: `c64k-n16`, prefill `p64k`, burst
    /// `c64k-n16-burst`; with the exact tokens where two contexts of the phase share a label, as it
    /// stands in anchors. No two are the same: what is left is numbered.
    pub fn anchors(&self, phase: Phase) -> Vec<String> {
        let mut contexts: BTreeMap<String, BTreeSet<(Option<u64>, &str)>> = BTreeMap::new();
        let words: Vec<String> = self
            .phase(phase)
            .iter()
            .map(|m| anchor_word(&m.context.label))
            .collect();
        for (m, word) in self.phase(phase).iter().zip(&words) {
            let of_word = contexts.entry(word.clone()).or_default();
            of_word.insert((m.context.tokens, &m.context.label));
        }
        let mut seen: BTreeSet<String> = BTreeSet::new();
        let anchors = self.phase(phase).iter().zip(&words).map(|(m, word)| {
            let shared = contexts
                .get(word)
                .is_some_and(|contexts| contexts.len() > 1);
            let anchor = anchor_of(phase, m, shared);
            let unique = std::iter::once(anchor.clone())
                .chain((2_u64..).map(|n| format!("{anchor}-{n}")))
                .find(|anchor| !seen.contains(anchor))
                .unwrap_or(anchor);
            seen.insert(unique.clone());
            unique
        });
        anchors.collect()
    }

    /// What findings and links call the measurements, by their anchors: "64K × 16", "64K prefill".
    pub fn cell_names(&self) -> BTreeMap<String, String> {
        let mut names = BTreeMap::new();
        for phase in Phase::ALL {
            for (anchor, m) in self.anchors(*phase).into_iter().zip(self.phase(*phase)) {
                let label = &m.context.label;
                let name = match phase {
                    Phase::Prefill => format!("{label} prefill"),
                    Phase::Decode => format!("{label} × {}", m.concurrency),
                    Phase::Burst => format!("{label} × {} (burst)", m.concurrency),
                };
                names.insert(anchor, name);
            }
        }
        names
    }
}

fn anchor_of(phase: Phase, measurement: &Measurement, shared_label: bool) -> String {
    let context = &measurement.context;
    let name = match context.tokens.filter(|_| shared_label) {
        Some(tokens) => tokens.to_string(),
        None => anchor_word(&context.label),
    };
    let n = measurement.concurrency;
    match phase {
        Phase::Prefill => format!("p{name}"),
        Phase::Decode => format!("c{name}-n{n}"),
        Phase::Burst => format!("c{name}-n{n}-burst"),
    }
}

/// A label as part of an anchor: lower case, everything but letters and digits as `-`.
fn anchor_word(label: &str) -> String {
    label
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { '-' })
        .flat_map(char::to_lowercase)
        .collect()
}

/// Name of the schema of `run.json`.
pub const RUN_SCHEMA: &str = "speedbook.run/1";
