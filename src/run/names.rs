//! Names of models, GPUs and engines: which spellings are one name. The one place for it; `[names]`
//! of site.toml adds to it.
//!
//! Nothing is guessed: "H200" is not "H200 SXM" and a quantized variant is not its base model,
//! unless `[names]` says so.

use std::collections::BTreeMap;

/// What a name is the name of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NameKind {
    /// A model.
    Model,
    /// A GPU, else what else a model ran on.
    Hardware,
    /// An engine.
    Engine,
}

impl NameKind {
    /// All kinds.
    pub const ALL: [NameKind; 3] = [NameKind::Model, NameKind::Hardware, NameKind::Engine];

    /// What all spellings of one name have in common, without `[names]`.
    ///
    /// * Model: the last part of a path, letters, digits and points in lower case
    ///   (`Qwen/Qwen3.5-122B` and `qwen3.5 122b`).
    /// * Hardware: words in lower case without vendors and product lines
    ///   (`NVIDIA GeForce RTX 5090` and `RTX 5090`).
    /// * Engine: letters and digits in lower case (`vLLM`, `llama.cpp` and `llama_cpp`).
    ///
    /// A name of which nothing remains is its own key in lower case.
    pub fn key(self, name: &str) -> String {
        let lower = name.trim().to_lowercase();
        let key: String = match self {
            NameKind::Model => last_part(&lower)
                .chars()
                .filter(|c| c.is_alphanumeric() || *c == '.')
                .collect(),
            NameKind::Hardware => {
                let lower = lower.replace("(r)", " ").replace("(tm)", " ");
                let words = lower.split(|c: char| c.is_whitespace() || matches!(c, '-' | '_'));
                let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
                let kept: Vec<&str> = words
                    .iter()
                    .copied()
                    .filter(|word| !NOT_PART_OF_GPUS.contains(word))
                    .collect();
                if kept.is_empty() { words } else { kept }.join(" ")
            }
            NameKind::Engine => lower.chars().filter(|c| c.is_alphanumeric()).collect(),
        };
        if key.is_empty() { lower } else { key }
    }
}

/// Words of a GPU's name that say who sells it.
const NOT_PART_OF_GPUS: &[&str] = &[
    "nvidia", "amd", "intel", "apple", "geforce", "radeon", "instinct",
];

fn last_part(text: &str) -> &str {
    let text = text.trim_end_matches(['/', '\\']);
    text.rsplit(['/', '\\']).next().unwrap_or(text)
}

/// A name as it is used.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    /// What all its spellings have in common.
    pub key: String,
    /// As it is shown: as it was spelled, or as `[names]` has it.
    pub shown: String,
}

/// `[names]` of site.toml: other spellings with the name that is meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// By kind and key of the other spelling.
    meant: BTreeMap<(NameKind, String), String>,
    /// How a name is spelled, by its key.
    shown: BTreeMap<(NameKind, String), String>,
}

impl Names {
    /// Reads `[names]`. An entry counts for every spelling that is one name with its key: with
    /// `"NVIDIA H200" = "H200 SXM"`, also for "H200".
    pub fn of(names: &BTreeMap<String, String>) -> Self {
        let mut out = Self::default();
        for (other, meant) in names {
            for kind in NameKind::ALL {
                out.meant.insert((kind, kind.key(other)), meant.clone());
                out.shown.insert((kind, kind.key(meant)), meant.clone());
            }
        }
        out
    }

    /// The name that a spelling is of.
    pub fn name(&self, kind: NameKind, spelled: &str) -> Name {
        let key = kind.key(spelled);
        let meant = self.meant.get(&(kind, key.clone()));
        let key = meant.map_or(key, |meant| kind.key(meant));
        let shown = meant.or_else(|| self.shown.get(&(kind, key.clone())));
        Name {
            shown: shown.map_or_else(|| spelled.trim().to_owned(), Clone::clone),
            key,
        }
    }
}

/// The spelling under which a name is shown: the one used most, of these the one with the most
/// capital letters, then the shortest, then the first. It does not depend on the order.
pub fn preferred<'a>(spellings: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for spelling in spellings {
        *count.entry(spelling).or_default() += 1;
    }
    let capitals = |text: &str| text.chars().filter(|c| c.is_uppercase()).count();
    let order = |(text, n): &(&'a str, usize)| {
        let last = std::cmp::Reverse((text.chars().count(), *text));
        (*n, capitals(text), last)
    };
    count.into_iter().max_by_key(order).map(|(text, _)| text)
}

/// The model that a model is a variant of with another number format: its name without the words
/// of the format, and these words. `None` where the name has no such word.
///
/// "Qwen3.5-397B-A17B-NVFP4-V2" is the variant "NVFP4-V2" of "Qwen3.5-397B-A17B".
pub fn base_model(name: &str) -> Option<(String, String)> {
    let name = last_part(name.trim());
    let (mut base, mut variant) = (String::new(), String::new());
    let mut word = String::new();
    let mut before = String::new();
    // A word is what stands between dashes, blanks and colons; it keeps what stands before it.
    let mut add = |before: &str, word: &str| {
        let lower = word.to_lowercase();
        let of_variant = is_format(&lower)
            || (!variant.is_empty()
                && (is_version(&lower) || BESIDE_FORMATS.contains(&lower.as_str())));
        let to = if of_variant && !base.is_empty() {
            &mut variant
        } else {
            &mut base
        };
        if !to.is_empty() {
            to.push_str(before);
        }
        to.push_str(word);
    };
    for c in name.chars() {
        if matches!(c, '-' | ' ' | ':') {
            add(&before, &word);
            before = c.to_string();
            word.clear();
        } else {
            word.push(c);
        }
    }
    add(&before, &word);
    (!variant.is_empty()).then_some((base, variant))
}

/// "v2" behind a format counts to it.
fn is_version(word: &str) -> bool {
    let digits = word.strip_prefix('v').unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit())
}

/// Words that belong to a number format where they follow one.
const BESIDE_FORMATS: &[&str] = &["dynamic", "block", "static", "mix", "mixed", "g128", "g32"];

/// Whether a word names a number format of weights.
fn is_format(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "awq",
        "gptq",
        "gguf",
        "mlx",
        "bnb",
        "exl2",
        "exl3",
        "autoround",
        "ud",
        "4bit",
        "8bit",
        "6bit",
        "3bit",
        "5bit",
        "hqq",
        "aqlm",
        "nf4",
        "quantized",
        "w4a16",
        "w8a8",
        "w8a16",
        "w4a4",
        "w4a8",
    ];
    let numbered = |start: &str| {
        word.strip_prefix(start)
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    WORDS.contains(&word)
        || ["fp", "nvfp", "mxfp", "int", "bf", "iq"]
            .into_iter()
            .any(numbered)
        || (numbered("q") && (word.contains('_') || word.len() == 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_name() {
        for (kind, a, b) in [
            (NameKind::Model, "Qwen/Qwen3.5-122B", "qwen3.5-122b"),
            (NameKind::Model, "Qwen3.5 122B", "qwen3.5_122b"),
            (NameKind::Hardware, "H200 NVL", "NVIDIA H200 NVL"),
            (NameKind::Hardware, "NVIDIA GeForce RTX 5090", "rtx 5090"),
            (NameKind::Engine, "vLLM", "vllm"),
            (NameKind::Engine, "llama.cpp", "llama_cpp"),
        ] {
            assert_eq!(kind.key(a), kind.key(b), "{a} {b}");
        }
        for (kind, a, b) in [
            (NameKind::Model, "Qwen3.5-122B", "Qwen3.5-122B-FP8"),
            (NameKind::Model, "Qwen3.5-122B", "Qwen35-122B"),
            (NameKind::Hardware, "H200 SXM", "H200 NVL"),
            (NameKind::Hardware, "H200", "H200 SXM"),
            (NameKind::Hardware, "A100 40GB", "A100 80GB"),
        ] {
            assert_ne!(kind.key(a), kind.key(b), "{a} {b}");
        }
        assert_eq!(NameKind::Hardware.key("NVIDIA"), "nvidia");
        assert_eq!(NameKind::Engine.key("東"), "東");
        assert_eq!(NameKind::Engine.key("++"), "++");
    }

    #[test]
    fn the_table_of_the_site_counts_for_all_spellings() {
        let table = BTreeMap::from([
            ("NVIDIA H200".to_owned(), "H200 SXM".to_owned()),
            ("big-one".to_owned(), "Qwen3.5-122B".to_owned()),
        ]);
        let names = Names::of(&table);
        let hardware = |text| names.name(NameKind::Hardware, text);
        assert_eq!(hardware("h200").shown, "H200 SXM");
        assert_eq!(hardware("h200"), hardware("NVIDIA H200 SXM"));
        assert_eq!(hardware(" H100 ").shown, "H100");
        let model = |text| names.name(NameKind::Model, text);
        assert_eq!(model("org/Big-One"), model("qwen3.5-122b"));
    }

    #[test]
    fn variants_know_their_base() {
        let of = |name| base_model(name).map(|(a, b)| format!("{a} | {b}"));
        for (name, expected) in [
            ("Qwen3.5-397B-A17B-NVFP4-V2", "Qwen3.5-397B-A17B | NVFP4-V2"),
            (
                "org/Qwen3.5-122B-A10B-GPTQ-Int4",
                "Qwen3.5-122B-A10B | GPTQ-Int4",
            ),
            ("Qwen3-8B-FP8-dynamic", "Qwen3-8B | FP8-dynamic"),
            ("qwen3:8b-q4_K_M", "qwen3:8b | q4_K_M"),
            ("Qwen3-8B-UD-Q4_K_XL-GGUF", "Qwen3-8B | UD-Q4_K_XL-GGUF"),
            ("Kimi-K2-W4A16-Instruct", "Kimi-K2-Instruct | W4A16"),
        ] {
            assert_eq!(of(name).as_deref(), Some(expected));
        }
        for name in [
            "Qwen3.5-122B-A10B",
            "DeepSeek-V3",
            "FP8",
            "",
            "Q-Star",
            "internlm-7b",
        ] {
            assert_eq!(of(name), None, "{name}");
        }
    }

    #[test]
    fn the_spelling_shown_does_not_depend_on_the_order() {
        assert_eq!(preferred(["a", "B", "a"]), Some("a"));
        assert_eq!(preferred(["qwen", "Qwen"]), Some("Qwen"));
        assert_eq!(preferred(["H200 NVL", "h200 nvl"]), Some("H200 NVL"));
        assert_eq!(preferred([]), None);
    }
}
