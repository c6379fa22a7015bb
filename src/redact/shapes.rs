//! Secrets that are known by their shape: a table for what is met around LLM servers, and the rule
//! set of gitleaks for the rest. See `docs/redaction.md` for how it was chosen.
//!
//! One pass over the text finds the keywords of all rules; only rules whose keyword is there run,
//! and are compiled then for the first time.

use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::AhoCorasick;
use regex::Regex;
use serde::Deserialize;

/// The rules of gitleaks, unchanged, so that the file can be replaced by a newer one.
const GITLEAKS: &str = include_str!("gitleaks.toml");

/// What gitleaks wants after a token. Left out here: in a command a token may be followed by
/// anything, and hiding too much does less harm than hiding too little.
const TERMINATOR: &str = r#"(?:[\x60'"\s;]|\\[nr]|$)"#;

/// Rules of gitleaks that go by what stands around the value. Names of flags and variables are
/// known better here ([`super::names`]), and these rules take commit hashes for keys.
const CONTEXT: &[&str] = &[
    "generic-api-key",
    "curl-auth-header",
    "curl-auth-user",
    "kubernetes-secret-yaml",
    "hashicorp-tf-password",
    "nuget-config-password",
    "private-key",
    "sourcegraph-access-token",
    "facebook-access-token",
    "vault-service-token",
    "pkcs12-file",
];

/// Shapes with their keywords. The secret is the first group, else all of the match. Looser than
/// gitleaks' where the beginning is unmistakable: tokens change their length over the years.
const OWN: &[(&[&str], &str)] = &[
    // OpenAI, Anthropic, OpenRouter, DeepSeek, LiteLLM, Langfuse and whoever copies them.
    (&["sk-"], r"\bsk-[A-Za-z0-9_-]{12,}"),
    (&["hf_", "api_org_"], r"\b(?:hf|api_org)_[A-Za-z0-9]{16,}"),
    (
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        r"\bgh[pousr]_[A-Za-z0-9]{16,}",
    ),
    (&["github_pat_"], r"\bgithub_pat_\w{16,}"),
    (
        &["gl"],
        r"\bgl(?:pat|dt|rt|cbt|ptt|ft|imt|soat|agent|oas|ffct)-[\w-]{16,}(?:\.[\w-]+)*",
    ),
    (
        &["akia", "asia", "abia", "acca"],
        r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b",
    ),
    (&["xox", "xapp-"], r"\b(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,}"),
    (
        &["hooks.slack.com"],
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([\w/+-]{20,})",
    ),
    (
        &["/api/webhooks/"],
        r"discord(?:app)?\.com/api/webhooks/(\d+/[\w-]{20,})",
    ),
    (&["aiza"], r"\bAIza[\w-]{30,}"),
    (&["ya29."], r"\bya29\.[\w.-]{20,}"),
    (&["gocspx-"], r"\bGOCSPX-[\w-]{20,}"),
    // JSON Web Tokens.
    (&["eyj"], r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]*)*"),
    (
        &["private key"],
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\z)",
    ),
    (
        &["accountkey=", "sharedaccesskey="],
        r"(?i)\b(?:Account|SharedAccess)Key=([A-Za-z0-9+/=]{20,})",
    ),
    (&["sig="], r"[?&]sig=([A-Za-z0-9%+/=_-]{16,})"),
    (
        &["x-amz-signature=", "x-amz-credential="],
        r"(?i)X-Amz-(?:Signature|Credential|Security-Token)=([^&\s'<>]+)",
    ),
    (&["npm_"], r"\bnpm_[A-Za-z0-9]{30,}"),
    (&["pypi-age"], r"\bpypi-AgE[\w-]{16,}"),
    (
        &["sk_", "rk_", "whsec_"],
        r"\b(?:[sr]k_(?:live|test|prod)|whsec)_[A-Za-z0-9]{10,}",
    ),
    // NVIDIA, Weights & Biases, Groq, xAI, Replicate, Perplexity, Fireworks, Together, RunPod,
    // Tailscale, Docker, Vault, DigitalOcean, ModelScope, Databricks, Cerebras, Telegram.
    (&["nvapi-"], r"\bnvapi-[\w-]{20,}"),
    (&["wandb_v"], r"\bwandb_v\d_\w{20,}"),
    (&["gsk_"], r"\bgsk_[A-Za-z0-9]{20,}"),
    (&["xai-"], r"\bxai-[A-Za-z0-9]{20,}"),
    (&["r8_"], r"\br8_[A-Za-z0-9]{20,}"),
    (&["pplx-"], r"\bpplx-[A-Za-z0-9]{20,}"),
    (&["fw_"], r"\bfw_[A-Za-z0-9]{20,}"),
    (&["tgp_v"], r"\btgp_v\d_[\w-]{20,}"),
    (&["rpa_"], r"\brpa_[A-Za-z0-9]{20,}"),
    (&["tskey-"], r"\btskey-[\w-]{10,}"),
    (&["dckr_"], r"\bdckr_[a-z]{3}_[\w-]{16,}"),
    (&["hvs.", "hvb."], r"\bhv[sb]\.[\w-]{20,}"),
    (&["_v1_"], r"\bdo[opr]_v1_[a-f0-9]{32,}"),
    (
        &["ms-"],
        r"\bms-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b",
    ),
    (&["dapi"], r"\bdapi[a-f0-9]{32}(?:-\d)?\b"),
    (&["csk-"], r"\bcsk-[a-z0-9]{20,}"),
    (&[":aa"], r"\b\d{8,10}:AA[\w-]{30,}"),
    (&["secret_"], r"\bsecret_[A-Za-z0-9_]{6,}\.[A-Za-z0-9]{16,}"),
];

#[derive(Deserialize)]
struct RuleSet {
    rules: Vec<RuleText>,
}

#[derive(Deserialize)]
struct RuleText {
    id: String,
    #[serde(default)]
    regex: String,
    #[serde(default)]
    keywords: Vec<String>,
    entropy: Option<f64>,
}

struct Rule {
    pattern: String,
    entropy: f64,
    compiled: OnceLock<Option<Regex>>,
}

/// All shapes.
pub(super) struct Shapes {
    keywords: AhoCorasick,
    /// For each keyword the rules that it belongs to.
    belongs: Vec<Vec<usize>>,
    rules: Vec<Rule>,
}

impl Shapes {
    /// The table and the rule set; patterns are compiled when they are needed.
    pub(super) fn new() -> Result<Self, String> {
        let mut rules: Vec<Rule> = Vec::new();
        let mut words: Vec<(String, usize)> = Vec::new();
        for (keywords, pattern) in OWN {
            words.extend(
                keywords
                    .iter()
                    .map(|word| ((*word).to_owned(), rules.len())),
            );
            // In names of files a token may stand after `_`, which is a letter to `\b`.
            let pattern = match pattern.strip_prefix(r"\b") {
                Some(rest) => format!(r"(?:\b|_)({rest})"),
                None => (*pattern).to_owned(),
            };
            rules.push(Rule::new(pattern, 0.0));
        }
        let set: RuleSet = toml::from_str(GITLEAKS).map_err(|error| error.to_string())?;
        for rule in set.rules.into_iter().filter(RuleText::has_shape) {
            words.extend(rule.keywords.iter().map(|word| (word.clone(), rules.len())));
            let pattern = rule.regex.strip_suffix(TERMINATOR).unwrap_or(&rule.regex);
            rules.push(Rule::new(ascii(pattern), rule.entropy.unwrap_or(0.0)));
        }
        words.sort();
        let mut belongs: Vec<Vec<usize>> = Vec::new();
        let mut patterns: Vec<String> = Vec::new();
        for (word, rule) in words {
            if patterns.last() != Some(&word) {
                patterns.push(word);
                belongs.push(Vec::new());
            }
            if let Some(last) = belongs.last_mut() {
                last.push(rule);
            }
        }
        let keywords = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .build(&patterns)
            .map_err(|error| error.to_string())?;
        Ok(Self {
            keywords,
            belongs,
            rules,
        })
    }

    /// Places of secrets in a text.
    pub(super) fn find(&self, text: &str) -> Vec<Range<usize>> {
        let mut wanted = vec![false; self.rules.len()];
        for found in self.keywords.find_overlapping_iter(text) {
            let rules = self.belongs.get(found.pattern().as_usize());
            for rule in rules.into_iter().flatten() {
                if let Some(flag) = wanted.get_mut(*rule) {
                    *flag = true;
                }
            }
        }
        let mut out = Vec::new();
        let chosen = self.rules.iter().zip(wanted).filter(|(_, wanted)| *wanted);
        for (rule, _) in chosen {
            let Some(regex) = rule.regex() else { continue };
            for captures in regex.captures_iter(text) {
                let Some(found) = captures.get(1).or_else(|| captures.get(0)) else {
                    continue;
                };
                let secret = found.as_str();
                if is_digest(secret) || entropy(secret) < rule.entropy {
                    continue;
                }
                out.push(found.start()..end_of_token(text, found.end()));
            }
        }
        out
    }
}

impl RuleText {
    /// Whether the rule goes by the shape of the secret itself.
    fn has_shape(&self) -> bool {
        !self.regex.is_empty()
            && !self.keywords.is_empty()
            && !self.regex.contains(r"[\w.-]{0,50}?")
            && !CONTEXT.contains(&self.id.as_str())
    }
}

impl Rule {
    fn new(pattern: String, entropy: f64) -> Self {
        Self {
            pattern,
            entropy,
            compiled: OnceLock::new(),
        }
    }

    fn regex(&self) -> Option<&Regex> {
        self.compiled
            .get_or_init(|| Regex::new(&self.pattern).ok())
            .as_ref()
    }
}

/// A pattern with ASCII's letters and digits for `\w` and `\d`, which is what they mean to
/// gitleaks; Unicode's would make some patterns too large.
fn ascii(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() + 16);
    let mut in_class = false;
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match (c, in_class) {
            ('\\', _) => match (chars.next(), in_class) {
                (Some('w'), true) => out.push_str("0-9A-Za-z_"),
                (Some('w'), false) => out.push_str("[0-9A-Za-z_]"),
                (Some('d'), true) => out.push_str("0-9"),
                (Some('d'), false) => out.push_str("[0-9]"),
                (next, _) => {
                    out.push('\\');
                    out.extend(next);
                }
            },
            ('[', false) => {
                in_class = true;
                out.push(c);
            }
            (']', true) => {
                in_class = false;
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

/// The end of a run of letters, digits, `_` and `-` that goes on at `end`.
fn end_of_token(text: &str, end: usize) -> usize {
    let run = text.as_bytes().get(end..).unwrap_or_default();
    let joins = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    end + run.iter().take_while(joins).count()
}

/// Whether a text is what hashes and UUIDs look like: commits, image digests, run ids.
fn is_digest(text: &str) -> bool {
    let hex = text
        .bytes()
        .filter(|b| *b != b'-')
        .all(|b| b.is_ascii_hexdigit());
    hex && matches!(text.len(), 32 | 36 | 40 | 64)
}

/// Shannon entropy in bits a character.
fn entropy(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in text.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let length = text.len().max(1) as f64;
    let share = |count: &u32| f64::from(*count) / length;
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| -share(count) * share(count).log2())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        let shapes = Shapes::new().unwrap();
        for rule in &shapes.rules {
            assert!(Regex::new(&rule.pattern).is_ok(), "{}", rule.pattern);
        }
        assert!(
            shapes.rules.len() > OWN.len() + 80,
            "{}",
            shapes.rules.len()
        );
    }

    #[test]
    fn what_hashes_look_like_is_no_secret() {
        let shapes = Shapes::new().unwrap();
        for text in [
            "9c2d21046bb3f0a1d9c4e8b7a6f5d4c3b2a19087",
            "sha256:4b1d5e0f2a3c4b5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5",
            "0.863147 262144 123e4567-e89b-12d3-a456-426614174000",
            "SK-hynix task-force disk-cache-directory hf_transfer hf_overrides",
            "Qwen/Qwen3.5-397B-A17B-NVFP4-V2 nvidia/Llama-3_3-Nemotron-Super-49B-v1_5",
        ] {
            assert!(shapes.find(text).is_empty(), "{text}");
        }
    }
}
