//! Private names of machines and people: home directories, hosts, addresses.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;

use aho_corasick::AhoCorasick;
use regex::Regex;

use super::HiddenKind;

/// A place to hide.
pub(super) type Hit = (HiddenKind, Range<usize>);

/// Ends of names of hosts that only exist in a private network.
const PRIVATE_ENDS: &str = r"local|lan|internal|corp|localdomain|intranet|home\.arpa";

/// The same, and the beginnings of private addresses.
const HINTS: &[&str] = &[
    ".local",
    ".lan",
    ".internal",
    ".corp",
    ".intranet",
    ".home.arpa",
    "10.",
    "172.",
    "192.168.",
    "169.254.",
    "100.",
];

/// Names with these ends that are the same everywhere.
const PUBLIC_NAMES: &[&str] = &[
    "host.docker.internal",
    "gateway.docker.internal",
    "kubernetes.docker.internal",
    "host.containers.internal",
    "host.lima.internal",
    "metadata.google.internal",
];

/// Single words that are no private host where a host is expected.
pub(super) const NO_HOSTS: &[&str] = &[
    "localhost",
    "auto",
    "all",
    "any",
    "none",
    "null",
    "host",
    "unix",
    "true",
    "false",
    "default",
    "host-gateway",
    "gateway",
    "local",
    "loopback",
    "ip6-localhost",
    "stdin",
    "stdout",
    "on",
    "off",
    "env",
    "tcp",
    "udp",
    "inproc",
    "ipc",
    "static",
    "c10d",
    "etcd",
    "spawn",
    "fork",
    "bridge",
];

/// The patterns, compiled once.
pub(super) struct Hosts {
    /// What a private name or address cannot be without.
    hints: AhoCorasick,
    private: Regex,
    url: Regex,
    v4: Regex,
    v6: Regex,
    home: Regex,
    windows_home: Regex,
}

impl Hosts {
    pub(super) fn new() -> Result<Self, Box<dyn std::error::Error>> {
        Ok(Self {
            hints: AhoCorasick::builder()
                .ascii_case_insensitive(true)
                .build(HINTS)?,
            private: Regex::new(&format!(
                r"(?i)[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_-]+)*\.(?:{PRIVATE_ENDS})\b"
            ))?,
            url: Regex::new(
                r#"(?i)\b(?:https?|wss?|grpcs?|tcp|udp|rediss?|postgres(?:ql)?|mysql|mariadb|mongodb|amqps?|nats|ssh|rsync|s?ftp|nfs|smb|cifs|ray|socks5h?|rtsp|rpc|kafka|zmq|ldaps?|git)://([^\s/?#"'<>\\]*@)?([a-z0-9_][a-z0-9_-]*)(?:[:/?#\s"'`)\],;}]|$)"#,
            )?,
            v4: Regex::new(r"\d{1,3}(?:\.\d{1,3}){3}")?,
            v6: Regex::new(r"(?i)[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}(?:%[\w.-]+)?")?,
            home: Regex::new(r#"(?i)/(?:home|users)/([^\s/\\"'`<>:;,|&()\[\]{}$*?!#=@%]+)"#)?,
            windows_home: Regex::new(
                r#"(?i)\b[a-z]:(?:\\{1,4}|/)Users(?:\\{1,4}|/)([^\s/\\"'`<>:;,|&()$*?%]+)"#,
            )?,
        })
    }

    /// Everything private in a text that needs no name to be known.
    pub(super) fn find(&self, text: &str, out: &mut Vec<Hit>) {
        self.homes(text, out);
        if text.contains("Users") || text.contains("USERS") || text.contains("users") {
            for found in self.windows_home.find_iter(text) {
                out.push((HiddenKind::Home, found.range()));
            }
        }
        if self.hints.is_match(text) {
            self.private_names(text, out);
            self.private_v4(text, out);
        }
        if text.contains("://") {
            for captures in self.url.captures_iter(text) {
                if let Some(host) = captures
                    .get(2)
                    .filter(|host| is_private_label(host.as_str()))
                {
                    out.push((HiddenKind::Host, host.range()));
                }
            }
        }
        if text.contains("::") || text.matches(':').count() > 6 {
            self.private_v6(text, out);
        }
    }

    fn homes(&self, text: &str, out: &mut Vec<Hit>) {
        for found in self.home.find_iter(text) {
            // What stands before on the same path belongs to it: `/mnt/home/NAME`.
            let before = text.get(..found.start()).unwrap_or_default();
            let path = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/');
            let head: usize = before
                .chars()
                .rev()
                .take(1024)
                .take_while(|c| path(*c))
                .map(char::len_utf8)
                .sum();
            let head = before.get(before.len() - head..).unwrap_or_default();
            let rooted = head.find('/').map_or(0, |at| head.len() - at);
            let in_url = head.starts_with("//") && !before.ends_with("file://");
            if in_url {
                continue;
            }
            let start = if before.ends_with("//") {
                found.start()
            } else {
                found.start() - rooted
            };
            out.push((HiddenKind::Home, start..found.end()));
        }
    }

    fn private_names(&self, text: &str, out: &mut Vec<Hit>) {
        for found in self.private.find_iter(text) {
            let before = text.get(..found.start()).unwrap_or_default();
            let after = text.get(found.end()..).unwrap_or_default();
            let goes_on = after.starts_with(['-', '_'])
                || (after.starts_with('.')
                    && after.chars().nth(1).is_some_and(|c| c.is_alphanumeric()));
            let is_path = before.ends_with(['\\', '.', '~', '-'])
                || (before.ends_with('/') && !before.ends_with("//"))
                || after.starts_with(['(', '=']);
            let public = PUBLIC_NAMES.contains(&found.as_str().to_ascii_lowercase().as_str());
            if !goes_on && !is_path && !public {
                out.push((HiddenKind::Host, found.range()));
            }
        }
    }

    fn private_v4(&self, text: &str, out: &mut Vec<Hit>) {
        for found in self.v4.find_iter(text) {
            let before = text.get(..found.start()).unwrap_or_default();
            let after = text.get(found.end()..).unwrap_or_default();
            let longer = |c: Option<char>, next: Option<char>| match c {
                Some('.') => next.is_some_and(|c| c.is_ascii_digit()),
                c => c.is_some_and(|c| c.is_ascii_digit()),
            };
            let mut back = before.chars().rev();
            let mut ahead = after.chars();
            if longer(back.next(), back.next()) || longer(ahead.next(), ahead.next()) {
                continue;
            }
            let private = found.as_str().parse::<Ipv4Addr>().is_ok_and(is_private_v4);
            if private && !is_version(before) {
                out.push((HiddenKind::Address, found.range()));
            }
        }
    }

    fn private_v6(&self, text: &str, out: &mut Vec<Hit>) {
        for found in self.v6.find_iter(text) {
            let address = found.as_str().split('%').next().unwrap_or_default();
            let private = address.parse::<Ipv6Addr>().is_ok_and(|ip| {
                let first = ip.segments().first().copied().unwrap_or_default();
                first & 0xfe00 == 0xfc00 || first & 0xffc0 == 0xfe80
            });
            if private {
                out.push((HiddenKind::Address, found.range()));
            }
        }
    }
}

/// RFC 1918, link-local, and the shared space of RFC 6598, which private networks (Tailscale) use.
fn is_private_v4(ip: Ipv4Addr) -> bool {
    let [a, b, ..] = ip.octets();
    ip.is_private() || ip.is_link_local() || (a == 100 && (64..128).contains(&b))
}

/// Whether what follows is a version of four numbers: TensorRT 10.3.0.26.
fn is_version(before: &str) -> bool {
    let tail: String = before.chars().rev().take(24).collect();
    let tail: String = tail.chars().rev().collect::<String>().to_ascii_lowercase();
    let tail = tail.trim_end_matches([' ', '-', '_', ':', 'v', '=', '>', '<', '~', '"', '\'']);
    [
        "tensorrt",
        "tensorrt-llm",
        "trt",
        "version",
        "cudnn",
        "nccl",
        "driver",
        "release",
        "cutlass",
    ]
    .iter()
    .any(|word| tail.ends_with(word))
        || before.ends_with("==")
}

/// Whether a word is a host's name without a domain, and not one that every machine has.
pub(super) fn is_private_label(word: &str) -> bool {
    let shape = word
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    shape
        && word.bytes().any(|b| b.is_ascii_alphabetic())
        && !word.starts_with('-')
        && !NO_HOSTS.contains(&word.to_ascii_lowercase().as_str())
}

/// Hosts in the value of an address flag: `sparky`, `node7:5000`, `tcp://a:1,b:2`, `user@sparky`.
pub(super) fn in_address_value(value: &str, out: &mut Vec<Hit>) {
    let mut at = 0;
    for item in value.split([',', ' ']) {
        let start = at;
        at += item.len() + 1;
        let skip = item.find("://").map_or(0, |n| n + 3);
        let rest = item.get(skip..).unwrap_or_default();
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let authority = rest.get(..end).unwrap_or_default();
        let user = authority.rfind('@').map_or(0, |n| n + 1);
        let host = authority.get(user..).unwrap_or_default();
        // More than one colon is an address of version 6, which has its own rule.
        if host.matches(':').count() > 1 && !host.ends_with(":host-gateway") {
            continue;
        }
        let host = host.split(':').next().unwrap_or_default();
        if is_private_label(host) {
            let from = start + skip + user;
            out.push((HiddenKind::Host, from..from + host.len()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(text: &str) -> Vec<String> {
        let mut out = Vec::new();
        Hosts::new().unwrap().find(text, &mut out);
        out.into_iter()
            .map(|(_, range)| text[range].to_owned())
            .collect()
    }

    #[test]
    fn private_names_and_addresses_are_found() {
        for (text, expected) in [
            ("/home/alice/models", "/home/alice"),
            ("linux /users/alice", "/users/alice"),
            ("/Home/alice", "/Home/alice"),
            ("-v/mnt/home/alice:/m", "/mnt/home/alice"),
            ("file:///Users/bob/x", "/Users/bob"),
            (r"C:\Users\carol\models", r"C:\Users\carol"),
            ("on gpu1.lab.internal today", "gpu1.lab.internal"),
            ("http://sparky:8000/v1", "sparky"),
            ("https://sparky", "sparky"),
            ("nas.home.arpa", "nas.home.arpa"),
            ("10.1.2.3:5000", "10.1.2.3"),
            ("172.31.0.1", "172.31.0.1"),
            ("192.168.178.20", "192.168.178.20"),
            ("169.254.1.1", "169.254.1.1"),
            ("[fd12:3456::1]:80", "fd12:3456::1"),
            ("fe80::1%eth0", "fe80::1%eth0"),
        ] {
            assert_eq!(hidden(text), [expected], "{text}");
        }
    }

    #[test]
    fn public_names_and_addresses_stay() {
        for text in [
            "0.0.0.0 127.0.0.1 ::1 :: localhost 8.8.8.8 172.32.0.1 11.0.0.1 2001:db8::1",
            "http://localhost:8000 https://huggingface.co/Qwen/Qwen3 https://ghcr.io/a/b:latest",
            "docker.io/vllm/vllm-openai:latest host.docker.internal",
            "$HOME/models /root/models /home/$USER/x ~/models https://example.org/home/alice/x",
            "TensorRT 10.3.0.26 nvidia-cudnn==10.1.2.3 driver 580.95.05",
            "12:30:45 2026-09-13T02:25:00 aa:bb:cc:dd:ee:ff .env.local vllm.v1.internal_x",
            "1.10.1.2.3 s3://bucket/key hf://org/model unix:///tmp/x.sock",
        ] {
            assert_eq!(hidden(text), Vec::<String>::new(), "{text}");
        }
    }
}
