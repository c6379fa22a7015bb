//! The benchmark machine's own names: hidden wherever they stand, unless they are words of the pages.

use regex::Regex;

use super::HiddenKind;
use super::hosts::{Hit, NO_HOSTS};

/// Names of machines that are words of our pages, too: hidden only where an address is expected.
const COMMON: &[&str] = &[
    "vllm",
    "sglang",
    "llama",
    "ollama",
    "linux",
    "ubuntu",
    "debian",
    "fedora",
    "arch",
    "server",
    "client",
    "host",
    "node",
    "docker",
    "desktop",
    "laptop",
    "workstation",
    "station",
    "spark",
    "titan",
    "thor",
    "orin",
    "jetson",
    "hopper",
    "blackwell",
    "grace",
    "ampere",
    "volta",
    "turing",
    "pascal",
    "strix",
    "halo",
    "epyc",
    "ryzen",
    "xeon",
    "threadripper",
    "nvidia",
    "intel",
    "apple",
    "macbook",
    "studio",
    "mini",
    "model",
    "models",
    "bench",
    "benchmark",
    "test",
    "testing",
    "prod",
    "main",
    "master",
    "worker",
    "head",
    "home",
    "root",
    "user",
    "local",
    "default",
    "qwen",
    "gemma",
    "mistral",
    "deepseek",
    "kimi",
    "claude",
    "nemotron",
    "cuda",
    "rocm",
    "metal",
    "python",
    "pytorch",
    "torch",
    "triton",
    "flash",
    "turbo",
    "fast",
    "speed",
    "cache",
    "token",
    "tokens",
    "context",
    "request",
    "requests",
    "decode",
    "prefill",
    "valid",
    "failed",
    "total",
    "data",
    "compute",
    "cluster",
    "cloud",
    "runpod",
    "lambda",
    "vast",
    "inference",
    "machine",
    "tower",
    "training",
    "serve",
    "serving",
    "engine",
    "localhost",
    "windows",
    "darwin",
    "macos",
    "alpine",
    "none",
    "null",
    "unknown",
    "container",
    "pod",
    "gateway",
    "proxy",
    "router",
    "radeon",
    "instinct",
    "geforce",
    "quadro",
    "tesla",
    "gpus",
    "cpus",
    "home-server",
    "dgx-spark",
    "mac-studio",
    "mac-mini",
    "gpu-server",
    "llm-server",
    "openai",
    "litellm",
    "rack",
    "batch",
];

/// The pattern, compiled once.
pub(super) struct Machine {
    hardware: Regex,
}

impl Machine {
    pub(super) fn new() -> Result<Self, regex::Error> {
        Ok(Self {
            hardware: Regex::new(
                r"(?i)^(?:rtx|gtx|gb|gh|h|a|b|l|v|t|p|mi|m|k|r|w|rx|arc|tpu|dgx|hgx|epyc|i)-?\d+[a-z]{0,5}$",
            )?,
        })
    }

    /// Places of a machine's own names.
    pub(super) fn names(&self, text: &str, names: &[String], out: &mut Vec<Hit>) {
        if names.is_empty() {
            return;
        }
        let lower = text.to_ascii_lowercase();
        for name in names {
            let full = name.trim().trim_end_matches('.').to_ascii_lowercase();
            let first = full.split('.').next().unwrap_or_default().to_owned();
            let short = Some(first.as_str()).filter(|first| *first != full);
            for (name, whole) in [(Some(full.as_str()), true), (short, false)] {
                let Some(name) = name else { continue };
                if name.len() < 2 || NO_HOSTS.contains(&name) || is_numeric_address(name) {
                    continue;
                }
                let anywhere = self.is_distinct(name) || (whole && name.contains('.'));
                for (at, _) in lower.match_indices(name) {
                    let end = at + name.len();
                    if stands_alone(&lower, at, end)
                        && (anywhere || is_address_like(&lower, at, end))
                    {
                        out.push((HiddenKind::Host, at..end));
                    }
                }
            }
        }
    }

    /// Whether a name is hidden wherever it stands, because it is no word of our pages.
    fn is_distinct(&self, name: &str) -> bool {
        name.len() >= 4 && !COMMON.contains(&name) && !self.hardware.is_match(name)
    }
}

/// Whether a name is not a part of a longer word.
fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    let before = text.get(..start).and_then(|t| t.chars().next_back());
    let after = text.get(end..).and_then(|t| t.chars().next());
    !before.is_some_and(joins) && !after.is_some_and(joins)
}

/// Whether what stands at a place is written as an address: `//name`, `@name`, `name:8000`.
fn is_address_like(text: &str, start: usize, end: usize) -> bool {
    let before = text.get(..start).unwrap_or_default();
    let mut after = text.get(end..).unwrap_or_default().chars();
    let port = after.next() == Some(':') && after.next().is_some_and(|c| c.is_ascii_digit());
    before.ends_with("//") || before.ends_with('@') || (port && !before.ends_with('/'))
}

fn is_numeric_address(name: &str) -> bool {
    name.parse::<std::net::IpAddr>().is_ok()
        || name.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_with_a_common_name_is_hidden_in_addresses_only() {
        let machine = Machine::new().unwrap();
        let found = |text: &str, name: &str| {
            let mut out = Vec::new();
            machine.names(text, &[name.to_owned()], &mut out);
            out.len()
        };
        assert_eq!(found("vm: the vm ran on a vm", "vm"), 0);
        assert_eq!(found("http://vm:8000 and root@vm and vm:22", "vm"), 3);
        assert_eq!(found("H200 SXM on h200", "h200"), 0);
        assert_eq!(
            found("Sparky is fast; sparky's fan; sparkyness", "sparky"),
            2
        );
        assert_eq!(found("on big7.example.org, on big7", "big7.example.org"), 3);
    }
}
