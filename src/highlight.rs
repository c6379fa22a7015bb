//! Code with highlighting, as HTML with classes and no colours. The syntaxes are loaded once, when
//! the first text is marked.

use std::sync::LazyLock;

use syntect::html::{ClassStyle, ClassedHTMLGenerator};
use syntect::parsing::{SyntaxReference, SyntaxSet};
use syntect::util::LinesWithEndings;

use crate::redact::PLACEHOLDERS;

/// The classes begin with this.
pub const PREFIX: &str = "sy-";

/// The class of a hidden part.
pub const HIDDEN: &str = "hidden-part";

/// Longer texts are escaped only: nobody reads them, and they would take long.
const LONGEST: usize = 64 << 10;

static SYNTAXES: LazyLock<SyntaxSet> = LazyLock::new(SyntaxSet::load_defaults_newlines);

/// A text as HTML: all of it escaped, marked by spans with classes where the language is known,
/// hidden parts in spans of the class [`HIDDEN`]. Every span is closed on the same level that it
/// was opened on. `language` is a name or an ending ("bash", "py"); of an unknown one the text
/// stays plain.
pub fn highlight(text: &str, language: &str) -> String {
    let body = if text.len() <= LONGEST && !language.is_empty() {
        marked(text, language)
    } else {
        None
    };
    let mut html = body.unwrap_or_else(|| escaped(text));
    for placeholder in PLACEHOLDERS {
        let name = escaped(placeholder);
        if html.contains(&name) {
            html = html.replace(&name, &format!("<span class=\"{HIDDEN}\">{name}</span>"));
        }
    }
    html
}

fn marked(text: &str, language: &str) -> Option<String> {
    let syntax: &SyntaxReference = SYNTAXES.find_syntax_by_token(language)?;
    // A shell would take the placeholder for redirections; as a letter from the private area it is
    // part of the word that it stands in.
    let mut stood_in = text.to_owned();
    for (placeholder, letter) in PLACEHOLDERS.iter().zip(STAND_INS) {
        if text.contains(letter) {
            return None;
        }
        stood_in = stood_in.replace(placeholder, &letter.to_string());
    }
    let style = ClassStyle::SpacedPrefixed { prefix: PREFIX };
    let mut generator = ClassedHTMLGenerator::new_with_class_style(syntax, &SYNTAXES, style);
    for line in LinesWithEndings::from(&stood_in) {
        generator
            .parse_html_for_line_which_includes_newline(line)
            .ok()?;
    }
    let mut html = generator.finalize();
    for (placeholder, letter) in PLACEHOLDERS.iter().zip(STAND_INS) {
        html = html.replace(letter, &escaped(placeholder));
    }
    Some(html)
}

const STAND_INS: [char; 4] = ['\u{e000}', '\u{e001}', '\u{e002}', '\u{e003}'];

/// A text that HTML shows as it is, also in an attribute.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_languages_are_marked_and_others_stay_plain() {
        let python = highlight("def f():\n    return '<redacted>'\n", "python");
        assert!(python.contains("class=\"sy-"), "{python}");
        assert!(python.contains("<span class=\"hidden-part\">&lt;redacted&gt;</span>"));
        assert_eq!(highlight("a <b>\n", "no-such"), "a &lt;b&gt;\n");
        assert_eq!(highlight("a", ""), "a");
    }
}
