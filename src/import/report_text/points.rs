//! Prefill points: lines of the form "8K context13.7K599 ms TTFT".

use super::grammar::{self, StatusSeen};
use super::lines::{Heading, Line, excerpt, is_dash};
use super::numbers::Notation;
use super::reader::Reader;
use crate::diagnostic::Code;
use crate::run::{Phase, Status};

impl Reader<'_, '_> {
    /// Prefill points in a line, also one broken over two.
    pub(super) fn prefill_points(&mut self, at: usize, line: &Line) -> Option<usize> {
        if line.tabular() || line.text.len() > 10_000 {
            return None;
        }
        let section = self.section == Some(Heading::Prefill);
        let mut used = 1;
        let mut found = read_points(&line.text, section);
        if found.is_none()
            && section
            && line.text.chars().any(|c| c.is_ascii_digit())
            && let Some(next) = self.lines.get(at + 1)
            && !next.tabular()
            && next.heading().is_none()
            && next.text.len() < 200
        {
            found = read_points(&format!("{}{}", line.text, next.text), section);
            used = 2;
        }
        // Broken before the last word: all that is needed stands in the first line.
        if section && used == 1 && self.lines.get(at + 1).is_some_and(|l| l.text == "TTFT") {
            used = 2;
        }
        let (before, points) = found?;
        if !before.is_empty() {
            let message = format!(
                "“{}” belongs to nothing known and is left out",
                excerpt(&before)
            );
            let problem = self.problems.at(Code::UnknownLine, line.number, message);
            self.problems.add(problem);
        }
        for (label, text) in points {
            if let Some(seen) = self.cell(Phase::Prefill, label, 1, line.number, &text) {
                self.report.points.push(seen);
            }
        }
        Some(used)
    }
}

/// Prefill points in a text: what stands before the first, and label and cell of each.
fn read_points(text: &str, section: bool) -> Option<(String, Vec<(String, String)>)> {
    let mut starts = Vec::new();
    for (at, word) in text.match_indices("context") {
        let before = text.get(..at)?.trim_end();
        let bare = before.strip_suffix(['K', 'k', 'M']).unwrap_or(before);
        let digits = bare.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        if digits.len() == bare.len() || digits.ends_with(',') {
            continue;
        }
        let label = grammar::label(before.get(digits.len()..)?, Notation::Foreign);
        if let Some(label) = label {
            starts.push((digits.len(), at + word.len(), label));
        }
    }
    let first = starts.first()?.0;
    let mut points = Vec::new();
    for (at, (_, from, label)) in starts.iter().enumerate() {
        let end = starts.get(at + 1).map_or(text.len(), |next| next.0);
        let cell = text
            .get(*from..end)?
            .trim()
            .trim_start_matches([':', '·', '|'])
            .trim();
        let known_status = matches!(
            grammar::status(cell, Notation::Foreign),
            Ok(StatusSeen { status, .. }) if status != Status::Other
        );
        let figures = cell.starts_with(|c: char| c.is_ascii_digit())
            && (cell.ends_with("TTFT") || cell.ends_with("ms"));
        let words = section && cell.starts_with(char::is_alphabetic) && cell.len() < 40;
        if !(known_status || figures || words) {
            return None;
        }
        points.push((label.clone(), cell.to_owned()));
    }
    let before = text.get(..first)?.trim();
    let (before, _) = strip_bullet(before);
    Some((before.to_owned(), points))
}

fn strip_bullet(text: &str) -> (&str, bool) {
    let bare =
        text.trim_matches(|c: char| is_dash(c) || matches!(c, '*' | '•') || c.is_whitespace());
    (bare, bare.len() != text.len())
}
