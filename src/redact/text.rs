//! Secrets in prose: `HF_TOKEN=…`, `api_key: …`, `--api-key …`, headers, user info in addresses.

use aho_corasick::AhoCorasick;
use regex::Regex;

use super::HiddenKind;
use super::hosts::{Hit, in_address_value};
use super::names::{Meaning, is_plain, looks_secret, meaning};
use super::pairs::value_end;

/// Parts of names of credentials; without one of them the rules by name need not run.
const HINTS: &[&str] = &[
    "key",
    "token",
    "secret",
    "pass",
    "pwd",
    "pw",
    "auth",
    "pat",
    "cookie",
    "cred",
    "bearer",
    "dsn",
    "basic",
    "sig",
    "session",
    "connection",
    "string",
    "conn",
];

/// Parts of names of addresses.
const ADDRESS_HINTS: &[&str] = &[
    "host", "addr", "ip", "server", "peer", "rpc", "node", "endpoint", "url", "uri", "bind",
    "listen",
];

/// The patterns, compiled once.
pub(super) struct Prose {
    hints: AhoCorasick,
    assignment: Regex,
    flag: Regex,
    quoted: Regex,
    header: Regex,
    scheme: Regex,
    user_info: Regex,
    aws: Regex,
    address_flag: Regex,
    address_hints: AhoCorasick,
}

impl Prose {
    pub(super) fn new() -> Result<Self, Box<dyn std::error::Error>> {
        Ok(Self {
            hints: AhoCorasick::builder()
                .ascii_case_insensitive(true)
                .build(HINTS)?,
            assignment: Regex::new(
                r#"([A-Za-z_][A-Za-z0-9_.-]*)[\\]*["'`]?[ \t]*(=|:)[ \t]*[\\]*(["'`]?)([^\s"'`,;&<>\\=:][^\s"'`,;&<>\\=:]*)"#,
            )?,
            flag: Regex::new(
                r#"(?:^|[\s"'`(\[,])(--?[A-Za-z][\w.-]*)(?:[ \t]+|[ \t]*\\\r?\n[ \t]*)["'`]?([^\s"'`<>\\-][^\s"'`<>]*)"#,
            )?,
            quoted: Regex::new(
                r#"(?:(--?[A-Za-z][\w.-]*)[ \t]+|([A-Za-z_][\w.-]*)[\\]*["'`]?[ \t]*[=:][ \t]*)[\\]*(?:"([^"\\\n]+)[\\]*"|'([^'\\\n]+)[\\]*')"#,
            )?,
            header: Regex::new(
                r#"(?i)\b(?:proxy-)?authorization["'`]?[ \t]*[:=][ \t]*["'`]?(?:(?:bearer|basic|token|digest|apikey)[ \t]+)?([^\s"'`,;<>$]+)"#,
            )?,
            scheme: Regex::new(r"(?i)\b(?:bearer|basic)[ \t]+([A-Za-z0-9._~+/=-]{6,})")?,
            user_info: Regex::new(r#"\b[A-Za-z][A-Za-z0-9+.-]{0,20}://([^\s/?#"'`<>]+)@"#)?,
            aws: Regex::new(r"[A-Za-z0-9/+]{40,}")?,
            address_flag: Regex::new(
                r#"(?:^|[\s"'`(\[,])(--[A-Za-z][\w.-]*)(?:=|[ \t]+)["'`]?([^\s"'`<>\\-][^\s"'`<>]*)"#,
            )?,
            address_hints: AhoCorasick::builder()
                .ascii_case_insensitive(true)
                .build(ADDRESS_HINTS)?,
        })
    }

    /// What is told by the text right at it: schemes, user info, the partner of an AWS key.
    pub(super) fn shapes(&self, text: &str, out: &mut Vec<Hit>) {
        if text.contains("://") && text.contains('@') {
            for captures in self.user_info.captures_iter(text) {
                let Some(user) = captures.get(1) else {
                    continue;
                };
                if user.as_str() != "git" && !user.as_str().starts_with('$') {
                    out.push((HiddenKind::Secret, user.range()));
                }
            }
        }
        if ["AKIA", "ASIA", "aws_", "AWS_"]
            .iter()
            .any(|id| text.contains(id))
        {
            for found in self.aws.find_iter(text) {
                let word = found.as_str();
                let mixed = word.bytes().any(|b| b.is_ascii_lowercase())
                    && word.bytes().any(|b| b.is_ascii_uppercase())
                    && word.bytes().any(|b| b.is_ascii_digit());
                if mixed && word.len() == 40 {
                    out.push((HiddenKind::Secret, found.range()));
                }
            }
        }
    }

    /// What a name says of its value; quick for the many that say nothing.
    pub(super) fn meaning(&self, name: &str) -> Option<Meaning> {
        if self.may_name(name) {
            meaning(name)
        } else {
            None
        }
    }

    /// Whether a text may hold a name that says something of its value.
    pub(super) fn may_name(&self, text: &str) -> bool {
        self.hints.is_match(text) || self.address_hints.is_match(text)
    }

    /// What is told by names.
    pub(super) fn find(&self, text: &str, out: &mut Vec<Hit>) {
        if text.contains("--") && self.address_hints.is_match(text) {
            self.addresses(text, out);
        }
        if !self.hints.is_match(text) {
            return;
        }
        self.assignments(text, out);
        self.in_quotes(text, out);
        for captures in self.flag.captures_iter(text) {
            let (Some(name), Some(value)) = (captures.get(1), captures.get(2)) else {
                continue;
            };
            let secret = self.meaning(name.as_str()) == Some(Meaning::Secret);
            if !secret || is_plain(value.as_str()) {
                continue;
            }
            let bare = without_closing(value.as_str());
            if is_code(text, name.start()) || looks_secret(bare) {
                out.push((
                    HiddenKind::Secret,
                    value.start()..value.start() + bare.len(),
                ));
            }
        }
        for captures in self.header.captures_iter(text) {
            if let Some(value) = captures.get(1).filter(|v| !is_plain(v.as_str())) {
                out.push((HiddenKind::Secret, value.range()));
            }
        }
        for captures in self.scheme.captures_iter(text) {
            if let Some(value) = captures.get(1).filter(|v| looks_secret(v.as_str())) {
                out.push((HiddenKind::Secret, value.range()));
            }
        }
    }

    /// `NAME=value`, `name: value`, in quotes or not.
    fn assignments(&self, text: &str, out: &mut Vec<Hit>) {
        let mut at = 0;
        while let Some(captures) = self.assignment.captures_at(text, at) {
            let (Some(name), Some(sign), Some(quote), Some(value)) = (
                captures.get(1),
                captures.get(2),
                captures.get(3),
                captures.get(4),
            ) else {
                break;
            };
            // What is no secret may begin with a name of its own: `$env:TOKEN=…`.
            at = value.start();
            let end = value_end(text, value.end());
            let mut start = value.start();
            let mut secret = without_closing(text.get(start..end).unwrap_or_default());
            // `${NAME:-default}`: the default.
            let before = text.get(..name.start()).unwrap_or_default();
            if before.ends_with("${") {
                let rest = secret.trim_start_matches(['-', '=', '+', '?']);
                start += secret.len() - rest.len();
                secret = rest.split('}').next().unwrap_or_default();
            }
            let structure = quote.is_empty() && secret.starts_with(['{', '[']);
            if self.meaning(name.as_str()) != Some(Meaning::Secret) || is_plain(secret) || structure
            {
                continue;
            }
            if sign.as_str() == "=" || !quote.is_empty() || looks_secret(secret) {
                out.push((HiddenKind::Secret, start..start + secret.len()));
                at = end;
            }
        }
    }

    /// `--name 'some words'`, `NAME="some words"`: all that is quoted.
    fn in_quotes(&self, text: &str, out: &mut Vec<Hit>) {
        let mut at = 0;
        while let Some(captures) = self.quoted.captures_at(text, at) {
            let name = captures.get(1).or_else(|| captures.get(2));
            let value = captures.get(3).or_else(|| captures.get(4));
            let (Some(name), Some(value)) = (name, value) else {
                break;
            };
            // What is no secret may hold names of its own.
            at = value.start();
            let words = value.as_str().trim().contains([' ', '\t']);
            if words
                && !is_plain(value.as_str())
                && self.meaning(name.as_str()) == Some(Meaning::Secret)
            {
                out.push((HiddenKind::Secret, value.range()));
                at = value.end();
            }
        }
    }

    /// Hosts in the values of address flags.
    fn addresses(&self, text: &str, out: &mut Vec<Hit>) {
        for captures in self.address_flag.captures_iter(text) {
            let (Some(name), Some(value)) = (captures.get(1), captures.get(2)) else {
                continue;
            };
            if self.meaning(name.as_str()) != Some(Meaning::Address) {
                continue;
            }
            // In prose, "the --host flag": only what is written as an address or code.
            let sure = value.as_str().contains(':')
                || is_code(text, name.start())
                || text
                    .get(name.end()..)
                    .is_some_and(|rest| rest.starts_with('='));
            if sure {
                let mut inside = Vec::new();
                in_address_value(value.as_str(), &mut inside);
                let place = |(kind, range): Hit| {
                    (kind, range.start + value.start()..range.end + value.start())
                };
                out.extend(inside.into_iter().map(place));
            }
        }
    }
}

/// Whether a place is in code: after a backtick on its line, indented by four, or in a fence.
fn is_code(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.contains('`') || line.starts_with("    ") || line.starts_with('\t') || {
        // A fence that is open: an odd number of them before.
        let near = before.len().saturating_sub(4096);
        let near = (near..=before.len())
            .find(|n| before.is_char_boundary(*n))
            .unwrap_or(0);
        before
            .get(near..)
            .unwrap_or_default()
            .matches("\n```")
            .count()
            % 2
            == 1
            || (near == 0 && before.starts_with("```"))
    }
}

/// A value without the marks that close what stands around it.
fn without_closing(value: &str) -> &str {
    let mut value = value.trim_end_matches([';', '&', '|', ',']);
    for (open, close) in [('(', ')'), ('[', ']'), ('{', '}')] {
        while value.ends_with(close) && !value.contains(open) && value.len() > 1 {
            value = value.strip_suffix(close).unwrap_or_default();
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_with_a_meaning_is_passed_over_for_want_of_a_hint() {
        let prose = Prose::new().unwrap();
        for name in super::super::names::all_words() {
            for name in [
                name.to_owned(),
                format!("x_{name}"),
                format!("{name}-token"),
            ] {
                assert_eq!(prose.meaning(&name), meaning(&name), "{name}");
            }
        }
    }
}
