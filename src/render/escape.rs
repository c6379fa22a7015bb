//! Escaping of text for Markdown. (HTML is escaped by the template engine.)

use std::io::{self, Write};

/// Writes a text so that GitHub-flavoured Markdown shows it as it is, on one line, anywhere in a
/// paragraph, a list item or a table cell. Escapes only what could be taken for markup, so that
/// ordinary text stays readable as a file.
///
/// # Errors
/// Those of the writer.
pub fn markdown_text(text: &str, out: &mut dyn Write) -> io::Result<()> {
    let chars: Vec<char> = text.chars().collect();
    let at = |i: usize| chars.get(i).copied();
    for (i, &c) in chars.iter().enumerate() {
        let before = i.checked_sub(1).and_then(at);
        let after = at(i + 1);
        let needed = match c {
            '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '|' | '~' | '$' => true,
            // Inside a word an underscore is no emphasis.
            '_' => {
                !(before.is_some_and(char::is_alphanumeric)
                    && after.is_some_and(char::is_alphanumeric))
            }
            '&' => after.is_some_and(|c| c.is_alphanumeric() || c == '#'),
            '!' => after == Some('['),
            // What would begin a heading, a list or a rule.
            '#' | '+' | '=' => i == 0,
            '-' => i == 0,
            '.' | ')' => {
                i > 0
                    && chars
                        .get(..i)
                        .is_some_and(|head| head.iter().all(char::is_ascii_digit))
                    && after.is_none_or(|c| c == ' ')
            }
            _ => false,
        };
        if needed {
            out.write_all(b"\\")?;
        }
        let c = if c.is_control() { ' ' } else { c };
        let mut buffer = [0; 4];
        out.write_all(c.encode_utf8(&mut buffer).as_bytes())?;
    }
    Ok(())
}

/// [`markdown_text`] as a string.
pub fn markdown(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len() + 8);
    // Writing to a vector cannot fail, and what is written is UTF-8.
    let _infallible = markdown_text(text, &mut out);
    String::from_utf8(out).unwrap_or_default()
}

/// JSON text with escapes for the control characters that a terminal obeys and JSON does not ask
/// to escape.
pub fn json_controls(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{7F}'..='\u{9F}' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

/// A code span that holds the text whatever backticks are in it; in a table, `|` is escaped too.
pub fn markdown_code(text: &str, in_table: bool) -> String {
    let text: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let fence = "`".repeat(longest_run(&text, '`') + 1);
    let text = if in_table {
        text.replace('|', "\\|")
    } else {
        text
    };
    if text.is_empty() {
        String::new()
    } else if text.starts_with('`') || text.ends_with('`') || text.trim() != text {
        format!("{fence} {text} {fence}")
    } else {
        format!("{fence}{text}{fence}")
    }
}

/// A fenced code block that holds the text whatever backticks are in it.
pub fn markdown_fence(text: &str, language: &str) -> String {
    let fence = "`".repeat(longest_run(text, '`').max(2) + 1);
    format!(
        "{fence}{language}\n{}\n{fence}",
        text.trim_end_matches('\n')
    )
}

fn longest_run(text: &str, of: char) -> usize {
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == of { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_text_is_left_readable() {
        assert_eq!(
            markdown("qwen3_coder on 4 × H200, 0.28.1rc1+g9c2 - fast"),
            "qwen3_coder on 4 × H200, 0.28.1rc1+g9c2 - fast"
        );
    }

    #[test]
    fn code_holds_any_text() {
        assert_eq!(markdown_code("a`b", false), "``a`b``");
        assert_eq!(markdown_code("a|b", true), "`a\\|b`");
        assert_eq!(markdown_fence("a\n```\nb", "sh"), "````sh\na\n```\nb\n````");
    }
}
