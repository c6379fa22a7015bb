//! A launch command for copying: one line that a shell takes safely.

use std::fmt::Write as _;

use super::lexer::{Part, PartKind, Quote, Word, placeholder};
use super::{LaunchCommand, Redirection, Simple, is_name};

/// The command on one line. Comments are left out, here-documents become here-strings, hidden
/// values become quoted variables. A text that was not understood is handed to `bash -c` as one
/// quoted word, so that pasting it runs what the text says and nothing else.
pub(super) fn one_line(command: &LaunchCommand) -> String {
    if !command.is_understood() {
        return script(command.text());
    }
    let mut out = String::new();
    for simple in command.commands() {
        if !out.is_empty() {
            out.push(' ');
        }
        if !push(&mut out, simple) {
            return script(command.text());
        }
    }
    out
}

fn script(text: &str) -> String {
    let text = text.trim_end();
    if text.trim().is_empty() {
        return String::new();
    }
    let mut shown = String::new();
    let mut at = 0;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        match placeholder(text.as_bytes(), at) {
            Some(length) => {
                let name = text.get(at..at + length).unwrap_or_default();
                shown.push('$');
                shown.push_str(&default_variable(name));
                at += length;
            }
            None => {
                shown.push(c);
                at += c.len_utf8();
            }
        }
    }
    format!("bash -c {}", quoted(&shown))
}

/// Appends one command; false where it cannot stand on one line.
fn push(out: &mut String, simple: &Simple) -> bool {
    let mut words: Vec<String> = Vec::new();
    let mut before: Option<&Word> = None;
    for word in simple.assignments.iter().chain(&simple.words) {
        match copied(word, before) {
            Some(text) => words.push(text),
            None => return false,
        }
        before = Some(word);
    }
    for redirection in &simple.redirections {
        match redirected(redirection) {
            Some(text) => words.push(text),
            None => return false,
        }
    }
    out.push_str(&"( ".repeat(simple.opens));
    out.push_str(&words.join(" "));
    out.push_str(&" )".repeat(simple.closes));
    for redirection in &simple.outer {
        match redirected(redirection) {
            Some(text) => {
                let _ = write!(out, " {text}");
            }
            None => return false,
        }
    }
    match simple.joint {
        "" => {}
        ";" => out.push(';'),
        joint => {
            let _ = write!(out, " {joint}");
        }
    }
    true
}

fn redirected(redirection: &Redirection) -> Option<String> {
    match redirection {
        Redirection::File { operator, target } => {
            let gap = if operator.ends_with('&') { "" } else { " " };
            Some(format!("{operator}{gap}{}", copied(target, None)?))
        }
        Redirection::Document { document, body } => {
            let descriptor = document.operator.trim_end_matches(['<', '-']);
            let tabs = document.operator.ends_with('-');
            let lines: Vec<&str> = body
                .lines()
                .map(|line| {
                    if tabs {
                        line.trim_start_matches('\t')
                    } else {
                        line
                    }
                })
                .collect();
            let quoted_delimiter = document.delimiter.raw != document.delimiter.value;
            let text = if quoted_delimiter {
                hidden_in_quotes(&lines.join("\n"))
            } else {
                expanded(&lines)?
            };
            Some(format!("{descriptor}<<< {text}"))
        }
    }
}

/// The lines of a here-document in which the shell expands variables, as one word.
fn expanded(lines: &[&str]) -> Option<String> {
    let mut out = String::new();
    for (index, line) in lines.iter().enumerate() {
        if index > 0 {
            out.push_str("$'\\n'");
        }
        // Substitutions may hold quotes of their own.
        if line.contains("$(") || line.contains('`') || line.contains("${") || line.ends_with('\\')
        {
            return None;
        }
        out.push('"');
        let mut at = 0;
        while let Some(c) = line.get(at..).and_then(|rest| rest.chars().next()) {
            let next = line
                .get(at + c.len_utf8()..)
                .and_then(|rest| rest.chars().next());
            match (c, next) {
                ('<', _) if placeholder(line.as_bytes(), at).is_some() => {
                    let length = placeholder(line.as_bytes(), at)?;
                    let name = line.get(at..at + length)?;
                    let before = line.get(..at)?;
                    let _ = write!(out, "${{{}}}", variable(before, None, name));
                    at += length;
                    continue;
                }
                ('"', _) => out.push_str("\\\""),
                ('\\', Some('$' | '\\' | '`')) => {
                    out.push('\\');
                    out.extend(next);
                    at += 2;
                    continue;
                }
                ('\\', _) => out.push_str("\\\\"),
                _ => out.push(c),
            }
            at += c.len_utf8();
        }
        out.push('"');
    }
    if out.is_empty() {
        out.push_str("''");
    }
    Some(out)
}

/// A text in single quotes (line ends as `$'\n'`), with hidden values as variables.
fn hidden_in_quotes(text: &str) -> String {
    let mut out = String::new();
    let (mut from, mut at) = (0, 0);
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        if let Some(length) = placeholder(text.as_bytes(), at) {
            if from < at {
                out.push_str(&quoted(text.get(from..at).unwrap_or_default()));
            }
            let name = text.get(at..at + length).unwrap_or_default();
            let line = text.get(..at).unwrap_or_default();
            let line = line.rsplit('\n').next().unwrap_or_default();
            let _ = write!(out, "\"${{{}}}\"", variable(line, None, name));
            at += length;
            from = at;
        } else {
            at += c.len_utf8();
        }
    }
    if from < text.len() || out.is_empty() {
        out.push_str(&quoted(text.get(from..).unwrap_or_default()));
    }
    out
}

/// A word as it was written, without the continuations in it.
pub(super) fn written(word: &Word) -> String {
    let mut out = String::with_capacity(word.raw.len());
    let mut from = 0;
    for part in word.parts.iter().filter(|p| p.is_continuation()) {
        let start = part.raw.start.saturating_sub(word.span.start);
        out.push_str(word.raw.get(from..start).unwrap_or_default());
        from = part.raw.end.saturating_sub(word.span.start);
    }
    out.push_str(word.raw.get(from..).unwrap_or_default());
    if out.is_empty() {
        out.push_str("''");
    }
    out
}

/// A word for one line: continuations left out, line ends in quotes as `$'\n'`, hidden values as
/// quoted variables. `None` where that is not possible.
fn copied(word: &Word, before: Option<&Word>) -> Option<String> {
    let mut out = String::with_capacity(word.raw.len() + 8);
    let mut at = word.span.start;
    for part in &word.parts {
        // The quotes between the parts.
        out.push_str(raw(word, at, part.raw.start));
        at = part.raw.end;
        let text = raw(word, part.raw.start, part.raw.end);
        match part.kind {
            PartKind::Escape if part.is_continuation() => {}
            // A backslash before the end of a line in `$'…'` is a backslash.
            PartKind::Escape if text.ends_with('\n') => out.push_str("\\\\\\n"),
            PartKind::Escape => out.push_str(text),
            PartKind::Placeholder => {
                let so_far = word.value.get(..part.value.start).unwrap_or_default();
                let _ = write!(out, "\"${}\"", variable(so_far, before, text));
            }
            PartKind::Expansion => out.push_str(&substituted(text)?),
            PartKind::Literal => literal(&mut out, word, part, before),
        }
    }
    out.push_str(raw(word, at, word.span.end));
    if out.is_empty() {
        out.push_str("''");
    }
    Some(out)
}

fn raw(word: &Word, from: usize, to: usize) -> &str {
    let start = from.saturating_sub(word.span.start);
    let end = to.saturating_sub(word.span.start);
    word.raw.get(start..end).unwrap_or_default()
}

/// An expansion on one line.
fn substituted(text: &str) -> Option<String> {
    if !text.starts_with("$((")
        && let Some(inside) = super::substitution(text)
    {
        let open = text.get(..2)?;
        // A `(` right after the opening would read as arithmetic.
        return Some(format!(
            "{open} {} )",
            LaunchCommand::parse(inside).one_line()
        ));
    }
    // `${NAME:-<redacted>}`: the variable without its hidden default.
    if let Some(inside) = text
        .strip_prefix("${")
        .filter(|inside| inside.contains('<'))
    {
        let end = inside.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
        return Some(format!("${{{}}}", inside.get(..end)?));
    }
    (!text.contains('\n')).then(|| text.to_owned())
}

/// Literal text with its line ends and hidden values made safe for its quotes.
fn literal(out: &mut String, word: &Word, part: &Part, before: Option<&Word>) {
    let text = raw(word, part.raw.start, part.raw.end);
    if part.quote == Quote::None {
        out.push_str(text);
        return;
    }
    let mut at = 0;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let hidden = placeholder(text.as_bytes(), at)
            .and_then(|length| text.get(at..at + length))
            .filter(|name| is_ours(name));
        if let Some(name) = hidden {
            let so_far = word.value.get(..part.value.start + at).unwrap_or_default();
            let variable = variable(so_far, before, name);
            let _ = match part.quote {
                Quote::Single => write!(out, "'\"${{{variable}}}\"'"),
                Quote::Ansi => write!(out, "'\"${{{variable}}}\"$'"),
                _ => write!(out, "${{{variable}}}"),
            };
            at += name.len();
            continue;
        }
        match (c, part.quote) {
            ('\n', Quote::Single) => out.push_str("'$'\\n''"),
            ('\n', Quote::Double) => out.push_str("\"$'\\n'\""),
            ('\n', Quote::Ansi) => out.push_str("\\n"),
            _ => out.push(c),
        }
        at += c.len_utf8();
    }
}

/// Whether a placeholder is one that [`crate::redact`] writes. Only these are hidden values inside
/// quotes, where any other `<word>` may be text.
pub(super) fn is_ours(placeholder: &str) -> bool {
    crate::redact::PLACEHOLDERS.contains(&placeholder)
}

/// The variable that takes the place of a hidden value: named for the variable or JSON key before
/// it in the word, else for the flag before the word, else for what was hidden.
fn variable(so_far: &str, before: Option<&Word>, placeholder: &str) -> String {
    let trimmed = so_far.trim_end_matches(['"', '\'', ' ', ':', '\\']);
    let named = match so_far.strip_suffix('=') {
        Some(rest) => Some(last_name(rest)),
        None if trimmed.len() < so_far.len() => Some(last_name(trimmed)),
        None => None,
    };
    let flag = before
        .map(|word| word.value.as_str())
        .filter(|_| so_far.is_empty())
        .and_then(|value| match value {
            "-hft" => Some("HF_TOKEN".to_owned()),
            long => long.starts_with("--").then(|| last_name(long)),
        });
    named
        .or(flag)
        .filter(|name| name.len() > 1 && is_name(name))
        .map(|name| match name.as_str() {
            "AUTHORIZATION" | "BEARER" | "BASIC" => "AUTH_TOKEN".to_owned(),
            // Variables that the shell or the system gives a meaning to.
            "PATH" | "HOME" | "PWD" | "UID" | "USER" | "SHELL" | "IFS" | "HOSTNAME" => {
                format!("MY_{name}")
            }
            _ => name,
        })
        .unwrap_or_else(|| default_variable(placeholder))
}

/// The letters, digits and joints at the end of a text, as the name of a variable.
fn last_name(text: &str) -> String {
    let joint = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let start = text
        .char_indices()
        .rev()
        .take_while(|(_, c)| joint(*c))
        .last()
        .map_or(text.len(), |(at, _)| at);
    let name = text.get(start..).unwrap_or_default();
    name.trim_start_matches('-')
        .replace('-', "_")
        .to_ascii_uppercase()
}

/// The variable for what was hidden, or for what an author left out: `<your-token>`, `$YOUR_TOKEN`.
fn default_variable(placeholder: &str) -> String {
    match placeholder {
        "<host>" => "SERVER_HOST".to_owned(),
        "<address>" => "SERVER_ADDRESS".to_owned(),
        "<redacted>" => "SECRET".to_owned(),
        other => {
            let name = other.trim_matches(['<', '>']).replace('-', "_");
            format!("YOUR_{}", name.to_ascii_uppercase()).replacen("YOUR_YOUR_", "YOUR_", 1)
        }
    }
}

/// A text as one word of one line, whatever it holds.
pub fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:,=+@%^".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    if !text.contains(|c: char| c.is_control() || c == '\'') {
        return format!("'{text}'");
    }
    let mut out = String::from("$'");
    for c in text.chars() {
        match c {
            '\'' => out.push_str("\\'"),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            // No shell word can hold it.
            '\0' => {}
            c if c.is_ascii_control() => {
                let _ = write!(out, "\\x{:02x}", u32::from(c));
            }
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('\'');
    out
}
