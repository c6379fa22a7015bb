//! Bash with highlighting, as HTML with classes and no colours.

use std::sync::LazyLock;

use syntect::html::{ClassStyle, ClassedHTMLGenerator};
use syntect::parsing::{SyntaxReference, SyntaxSet};
use syntect::util::LinesWithEndings;

/// The classes begin with this.
pub const PREFIX: &str = "sy-";

/// The class of a hidden part.
pub const HIDDEN: &str = "hidden-part";

/// Longer texts are escaped only: nobody reads them, and they would take long.
const LONGEST: usize = 64 << 10;

static SYNTAXES: LazyLock<SyntaxSet> = LazyLock::new(SyntaxSet::load_defaults_newlines);

/// A text as HTML: all of it escaped, bash marked by spans with classes, hidden parts in spans of
/// the class [`HIDDEN`]. Every span is closed on the same level that it was opened on.
pub fn highlight_bash(text: &str) -> String {
    let body = if text.len() <= LONGEST {
        marked(text)
    } else {
        None
    };
    let mut html = body.unwrap_or_else(|| escaped(text));
    for placeholder in crate::redact::PLACEHOLDERS {
        let name = escaped(placeholder);
        if html.contains(&name) {
            html = html.replace(&name, &format!("<span class=\"{HIDDEN}\">{name}</span>"));
        }
    }
    html
}

fn marked(text: &str) -> Option<String> {
    let syntax: &SyntaxReference = SYNTAXES.find_syntax_by_token("bash")?;
    // A shell would take the placeholder for redirections; as a letter from the private area it is
    // part of the word that it stands in.
    let mut stood_in = text.to_owned();
    for (placeholder, letter) in crate::redact::PLACEHOLDERS.iter().zip(STAND_INS) {
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
    for (placeholder, letter) in crate::redact::PLACEHOLDERS.iter().zip(STAND_INS) {
        html = html.replace(letter, &escaped(placeholder));
    }
    Some(html)
}

const STAND_INS: [char; 4] = ['\u{e000}', '\u{e001}', '\u{e002}', '\u{e003}'];

fn escaped(text: &str) -> String {
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
