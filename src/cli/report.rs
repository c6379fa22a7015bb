//! Printing: problems and closing lines on standard error, in colour on a terminal only.

use std::io::Write;

use anstyle::{AnsiColor, Style};

use crate::diagnostic::{Diagnostic, Severity, printable};
use crate::redact::{Hidden, Redactor};

fn style(severity: Severity) -> Style {
    let colour = match severity {
        Severity::Error => AnsiColor::Red,
        Severity::Warning => AnsiColor::Yellow,
    };
    Style::new().bold().fg_color(Some(colour.into()))
}

/// A line that cannot be written (a closed pipe) is nobody's loss.
fn write(text: &str) {
    let _closed = anstream::stderr().write_all(text.as_bytes());
}

/// Prints problems, each followed by a blank line. Messages quote files, so secrets in them are
/// hidden as on pages.
pub(crate) fn problems(problems: &[Diagnostic], redactor: &Redactor) {
    for problem in problems {
        let style = style(problem.severity());
        let text = redactor.message(&problem.to_string());
        let (head, rest) = text.split_once(": ").unwrap_or((&text, ""));
        write(&format!("{style}{head}{style:#}: {rest}\n\n"));
    }
}

/// ", hidden: 2 secrets, 1 host name"; empty where nothing was.
pub(crate) fn hidden(hidden: &Hidden) -> String {
    let parts: Vec<String> = hidden
        .0
        .iter()
        .map(|(kind, count)| format!("{count} {}", kind.label(*count)))
        .collect();
    match parts.is_empty() {
        true => String::new(),
        false => format!(", hidden: {}", parts.join(", ")),
    }
}

/// Prints one error that has no place in a file.
pub(crate) fn error(message: &str) {
    let style = style(Severity::Error);
    let lines: Vec<String> = message.lines().map(printable).collect();
    write(&format!("{style}error{style:#}: {}\n", lines.join("\n")));
}

/// Prints a warning that has no place in a file.
pub(crate) fn warning(message: &str) {
    let style = style(Severity::Warning);
    write(&format!(
        "{style}warning{style:#}: {}\n",
        printable(message)
    ));
}

/// Prints a plain line.
pub(crate) fn line(message: &str) {
    write(&format!("{}\n", printable(message)));
}

/// "1 run", "3 runs".
pub(crate) fn counted(n: usize, one: &str) -> String {
    format!("{n} {one}{}", if n == 1 { "" } else { "s" })
}

/// The closing line of a build that failed.
pub(crate) fn failed(errors: usize, warnings: usize, strict: bool) {
    let why = if errors == 0 && strict {
        " (--strict)"
    } else {
        ""
    };
    line(&format!(
        "not built: {}, {}{why}; the site is as it was before",
        counted(errors, "error"),
        counted(warnings, "warning")
    ));
}
