//! Facts: what was measured, on what, by whom. One table, from which the JSON keys, the sidecar
//! keys, the page's blocks, the schema and the documentation are made.

use std::collections::BTreeMap;
use std::fmt;

/// The table of `run.json` and of a sidecar that a fact stands in, and its block on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// Top level of the document.
    Top,
    /// `model`
    Model,
    /// `hardware`
    Hardware,
    /// `engine`
    Engine,
    /// `method`
    Method,
}

impl Section {
    /// The sections in the order of the document.
    pub const ALL: &'static [Section] = &[
        Section::Top,
        Section::Model,
        Section::Hardware,
        Section::Engine,
        Section::Method,
    ];

    /// Name of the table; empty for the top level.
    pub fn key(self) -> &'static str {
        match self {
            Section::Top => "",
            Section::Model => "model",
            Section::Hardware => "hardware",
            Section::Engine => "engine",
            Section::Method => "method",
        }
    }
}

/// What a fact's value may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Any text of one line.
    Text,
    /// Text that may have several lines.
    Lines,
    /// A whole number from 0.
    Count,
    /// Any number from 0.
    Number,
    /// A date, or a date with a time, with or without an offset (RFC 3339, offset optional).
    Time,
    /// An http or https address.
    Url,
}

/// What the table says of one fact.
#[derive(Clone, Copy, Debug)]
pub struct FactInfo {
    /// The table it stands in.
    pub section: Section,
    /// Its key there.
    pub key: &'static str,
    /// Its name on the page.
    pub label: &'static str,
    /// What its value may be.
    pub kind: Kind,
    /// Whether a reader who wants to repeat the run misses it ("not given").
    pub expected: bool,
    /// What it is, for the documentation and the schema.
    pub description: &'static str,
}

macro_rules! facts {
    ($($name:ident = $section:ident, $key:literal, $label:literal, $kind:ident, $expected:literal, $description:literal;)*) => {
        /// One fact; the order is that of the document and of the page.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Fact { $(#[doc = $description] $name,)* }

        impl Fact {
            /// All facts in the order of the document.
            pub const ALL: &'static [Fact] = &[$(Fact::$name,)*];

            /// The row of the table for this fact.
            pub fn info(self) -> &'static FactInfo {
                match self { $(Fact::$name => {
                    const INFO: FactInfo = FactInfo {
                        section: Section::$section, key: $key, label: $label,
                        kind: Kind::$kind, expected: $expected, description: $description,
                    };
                    &INFO
                })* }
            }
        }
    };
}

facts! {
    Title = Top, "title", "Title", Text, false, "The page's title; made from model and hardware where it is not given.";
    Author = Top, "author", "Author", Text, true, "Who measured.";
    MeasuredAt = Top, "measured_at", "Measured", Time, true, "When it was measured: a date, or a date and time, with an offset where it is known.";
    Timezone = Top, "timezone", "Time zone", Text, false, "IANA name of the time zone (\"Europe/Berlin\") of a time without offset.";
    LaunchCommand = Top, "launch_command", "Launch command", Lines, true, "The command that started the server, as it was typed.";
    SourceUrl = Top, "source_url", "Original", Url, false, "Where the report was published first.";
    ModelName = Model, "name", "Model", Text, true, "The model's name as people say it.";
    ModelId = Model, "id", "Model id", Text, false, "Its repository name, \"org/name\".";
    ModelRevision = Model, "revision", "Revision", Text, true, "Branch, tag or commit of the model's repository.";
    ServedName = Model, "served_name", "Served model", Text, false, "The name under which the server offers it.";
    HardwareType = Hardware, "type", "Type", Text, false, "\"Discrete GPU\", \"Unified memory\" or \"CPU only\".";
    Gpu = Hardware, "gpu", "GPU", Text, true, "Name of the GPU.";
    GpuCount = Hardware, "gpu_count", "GPU count", Count, true, "How many GPUs served the model.";
    VramGbPerGpu = Hardware, "vram_gb_per_gpu", "VRAM per GPU", Number, true, "Memory of one GPU, in GB.";
    VramGb = Hardware, "vram_gb", "VRAM", Number, false, "Memory of all GPUs together, in GB, where that of one is not known.";
    Cpu = Hardware, "cpu", "CPU", Text, false, "The processor.";
    RamGb = Hardware, "ram_gb", "RAM", Number, false, "Main memory, in GB.";
    Driver = Hardware, "driver", "GPU driver", Text, false, "Version of the GPU driver.";
    Os = Hardware, "os", "OS", Text, true, "Operating system.";
    EngineName = Engine, "name", "Engine", Text, true, "The server program.";
    EngineVersion = Engine, "version", "Version", Text, true, "Its version.";
    Quantization = Engine, "quantization", "Quantization", Text, true, "Number format of the weights.";
    Backend = Engine, "backend", "Backend", Text, false, "Compute backend, as \"cuda\".";
    Repository = Engine, "repository", "Repository", Text, false, "The engine's source repository.";
    Build = Engine, "build", "Build", Text, false, "Which build of it.";
    Commit = Engine, "commit", "Commit", Text, false, "Commit that it was built from.";
    Image = Engine, "image", "Image", Text, false, "Container image.";
    Tool = Method, "tool", "Benchmark tool", Text, true, "The program that measured.";
    ToolVersion = Method, "tool_version", "Tool version", Text, false, "Its version.";
    DecodeTest = Method, "decode_test", "Decode test", Text, true, "\"Fixed duration\" or \"Fixed number of requests\".";
    PrefillMode = Method, "prefill_mode", "Prefill mode", Text, false, "How prefill was measured.";
    SecondsPerMeasurement = Method, "seconds_per_measurement", "Time per measurement", Number, true, "Seconds asked for per cell.";
    RequestsPerMeasurement = Method, "requests_per_measurement", "Requests per measurement", Count, false, "Requests asked for per cell.";
    MaxOutputTokens = Method, "max_output_tokens", "Max output", Count, true, "Most tokens that one request may produce.";
    Temperature = Method, "temperature", "Temperature", Number, false, "Sampling temperature.";
    KvCacheTokens = Method, "kv_cache_tokens", "KV cache", Count, false, "Tokens that the server's KV cache holds, as the tool found it.";
    Repetitions = Method, "repetitions", "Repetitions", Count, false, "How often each cell was measured.";
}

impl Fact {
    /// The fact with this key in this section.
    pub fn from_key(section: Section, key: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|f| f.info().section == section && f.info().key == key)
    }

    /// "hardware.gpu_count", "title": how messages name it.
    pub fn path(self) -> String {
        let info = self.info();
        match info.section {
            Section::Top => info.key.to_owned(),
            section => format!("{}.{}", section.key(), info.key),
        }
    }
}

/// The value of a fact.
#[derive(Clone, Debug, PartialEq)]
pub enum FactValue {
    /// For [`Kind::Text`], [`Kind::Lines`], [`Kind::Time`] and [`Kind::Url`].
    Text(String),
    /// For [`Kind::Count`].
    Count(u64),
    /// For [`Kind::Number`].
    Number(f64),
}

impl fmt::Display for FactValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FactValue::Text(text) => f.write_str(text),
            FactValue::Count(n) => write!(f, "{n}"),
            FactValue::Number(x) => write!(f, "{x}"),
        }
    }
}

/// Facts that are known, at most one value each. An absent fact is "not given", never a default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts(BTreeMap<Fact, FactValue>);

impl Facts {
    /// The value of a fact.
    pub fn get(&self, fact: Fact) -> Option<&FactValue> {
        self.0.get(&fact)
    }

    /// The value of a textual fact.
    pub fn text(&self, fact: Fact) -> Option<&str> {
        match self.0.get(&fact) {
            Some(FactValue::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The value of a whole-number fact.
    pub fn count(&self, fact: Fact) -> Option<u64> {
        match self.0.get(&fact) {
            Some(FactValue::Count(n)) => Some(*n),
            _ => None,
        }
    }

    /// The value of a numeric fact (a whole number counts).
    pub fn number(&self, fact: Fact) -> Option<f64> {
        match self.0.get(&fact) {
            Some(FactValue::Number(x)) => Some(*x),
            Some(FactValue::Count(n)) => Some(*n as f64),
            _ => None,
        }
    }

    /// Sets a fact, in the place of an earlier value.
    pub fn set(&mut self, fact: Fact, value: FactValue) {
        self.0.insert(fact, value);
    }

    /// Sets a textual fact; white space around it is dropped and an empty text is no fact.
    pub fn set_text(&mut self, fact: Fact, text: impl AsRef<str>) {
        let text = text.as_ref().trim();
        if !text.is_empty() {
            self.0.insert(fact, FactValue::Text(text.to_owned()));
        }
    }

    /// Removes a fact and returns its value.
    pub fn remove(&mut self, fact: Fact) -> Option<FactValue> {
        self.0.remove(&fact)
    }

    /// Takes from `weaker` what is not known here.
    pub fn fill_from(&mut self, weaker: &Facts) {
        for (fact, value) in &weaker.0 {
            self.0.entry(*fact).or_insert_with(|| value.clone());
        }
    }

    /// All known facts in the order of the document.
    pub fn iter(&self) -> impl Iterator<Item = (Fact, &FactValue)> {
        self.0.iter().map(|(fact, value)| (*fact, value))
    }

    /// All textual values, for a pass that replaces parts of them.
    pub fn texts_mut(&mut self) -> impl Iterator<Item = (Fact, &mut String)> {
        self.0.iter_mut().filter_map(|(fact, value)| match value {
            FactValue::Text(text) => Some((*fact, text)),
            _ => None,
        })
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_names_one_fact() {
        for fact in Fact::ALL {
            let info = fact.info();
            assert_eq!(Fact::from_key(info.section, info.key), Some(*fact));
        }
    }

    #[test]
    fn stronger_facts_stay() {
        let mut strong = Facts::default();
        strong.set_text(Fact::Gpu, "H200 SXM");
        let mut weak = Facts::default();
        weak.set_text(Fact::Gpu, "H200 NVL");
        weak.set(Fact::GpuCount, FactValue::Count(2));
        strong.fill_from(&weak);
        assert_eq!(strong.text(Fact::Gpu), Some("H200 SXM"));
        assert_eq!(strong.count(Fact::GpuCount), Some(2));
    }
}
