//! Names with values in one word, and where a part of a word's value stands in the text.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::launch::lexer::{Part, PartKind, Word};

/// Name and value in a word: `"name": "value"`, `name=value`, `name: value`.
pub(super) static PAIR: LazyLock<Option<Regex>> = LazyLock::new(|| {
    // The pattern is a constant and tested: it compiles.
    Regex::new(
        r#"([A-Za-z_][A-Za-z0-9_.-]*)[\\]*["']?\s*(?:[:=]\s*[\\]+["']([^"'\\]*)|[:=]\s*"((?:[^"\\]|\\.)*)|[:=]\s*'([^'\\]*)|=\s*([^\s"'&,;\\<>{}=:]+)|:\s*([^\s"'&,;\\<>{}\[\]/=:]+))"#,
    )
    .ok()
});

/// Name and start of the value, where a word is `NAME=value`, with or without `-e` or `--env=`.
pub(super) fn whole_assignment(value: &str) -> Option<(&str, usize)> {
    let skip = ["--env=", "--build-arg=", "-e", "-E", "-D"]
        .iter()
        .find(|start| value.starts_with(**start))
        .map_or(0, |start| start.len());
    let rest = value.get(skip..)?;
    let at = rest.find('=')?;
    let name = rest.get(..at)?;
    let name = name.strip_suffix('+').unwrap_or(name);
    crate::launch::is_name(name).then_some((name, skip + at + 1))
}

/// The end of a value without quotes: a value may hold the signs that part names and values.
pub(super) fn value_end(text: &str, end: usize) -> usize {
    let rest = text.get(end..).unwrap_or_default();
    if !rest.starts_with(['=', ':']) {
        return end;
    }
    let stop = |c: char| c.is_whitespace() || "\"'`&,;<>\\{}".contains(c);
    end + rest.find(stop).unwrap_or(rest.len())
}

/// Length of `Bearer ` and its kin at the beginning of a header's value.
pub(super) fn scheme_length(value: &str) -> usize {
    for scheme in ["bearer", "basic", "token", "digest", "apikey", "key"] {
        let (head, rest) = value.split_at_checked(scheme.len()).unwrap_or(("", value));
        if head.eq_ignore_ascii_case(scheme) && rest.starts_with([' ', '\t']) {
            return value.len() - rest.trim_start().len();
        }
    }
    0
}

pub(super) fn base_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// The place in the text of a part of a word's value.
pub(super) fn place(word: &Word, base: usize, range: &Range<usize>) -> Range<usize> {
    let shifted = |part: &Part, at: usize| match part.kind {
        PartKind::Escape => None,
        _ => Some(part.raw.start + at.saturating_sub(part.value.start)),
    };
    // Parts are in the order of their values: the first and the last that the range touches.
    let first = word.parts.partition_point(|p| p.value.end <= range.start);
    let last = word.parts.partition_point(|p| p.value.start < range.end);
    let start = word.parts.get(first).map_or(word.span.start, |p| {
        shifted(p, range.start).unwrap_or(p.raw.start)
    });
    let end = last
        .checked_sub(1)
        .and_then(|at| word.parts.get(at))
        .map_or(word.span.end, |p| {
            shifted(p, range.end).unwrap_or(p.raw.end)
        });
    start + base..end.max(start) + base
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_found_in_all_notations() {
        let pair = PAIR.as_ref().unwrap();
        for (text, value) in [
            ("{\"api_key\": \"a b\"}", "a b"),
            ("{\\\"api_key\\\": \\\"x\\\"}", "x"),
            ("api_key='x y'", "x y"),
            ("?api_key=x&b=1", "x"),
            ("api_key: x,", "x"),
        ] {
            let captures = pair.captures(text).unwrap();
            let found = (2..=6).find_map(|group| captures.get(group)).unwrap();
            assert_eq!(found.as_str(), value, "{text}");
        }
    }
}
