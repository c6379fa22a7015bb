//! Rows of tables, also such as were broken over several lines or cut off.

use super::grammar::label;
use super::lines::{Line, opener, same_words};
use super::numbers::Notation;
use super::tables::{cells, is_rule, phase};
use crate::run::Status;

/// Most lines that one row may be broken over.
const MOST_BROKEN: usize = 4;

/// The two ways to put the parts of a broken row together: broken within a cell, or between two.
pub(super) fn joins(first: &str, second: &str) -> [String; 2] {
    let between = if first.contains('|') { "|" } else { "\t" };
    [
        format!("{first}{second}"),
        format!("{first}{between}{second}"),
    ]
}

/// The phase or context that a row begins with, where it begins like one.
pub(super) fn row_start(text: &str) -> Option<&str> {
    let inner = text.trim_start_matches([' ', '|']);
    let first = inner.split(['\t', '|']).next()?.trim();
    let is_phase = first.len() < 40 && phase(first).is_some();
    (is_phase || label(first, Notation::Foreign).is_some()).then_some(first)
}

/// Whether a line outside of any table looks like a row of one.
pub(super) fn is_stray_row(line: &Line) -> bool {
    if !line.tabular() || is_rule(&line.text) {
        return false;
    }
    let cells = cells(&line.text);
    let with_digits = cells
        .iter()
        .filter(|cell| cell.chars().any(|c| c.is_ascii_digit()))
        .count();
    cells.len() >= 3 && (with_digits >= 3 || row_start(&line.text).is_some())
}

/// Whether a line can be no part of a broken row.
pub(super) fn is_boundary(line: &Line) -> bool {
    line.level > 0 || line.heading().is_some() || opener(&line.text).is_some() || is_legend(line)
}

/// Whether this is a legend: a status in words, a colon, and what it means.
pub(super) fn is_legend(line: &Line) -> bool {
    let (text, _) = line.item();
    let Some((word, _)) = text.split_once(':') else {
        return false;
    };
    word.len() < 60
        && !line.tabular()
        && Status::ALL
            .iter()
            .any(|status| *status != Status::Other && same_words(status.label(), word))
}

/// What stands at a line below a head.
#[derive(Debug)]
pub(super) enum Row {
    /// A row, and how many lines it takes.
    Whole(Vec<String>, usize),
    /// A row with another number of cells than the head; the line is passed over.
    Ragged(usize),
    /// No row: the table is over.
    End,
}

/// Reads the row at a line, for a head of `width` cells. `last_fits` tells whether the last cell is
/// complete; `is_whole` whether a row that was put together is certainly one, given its cells and
/// the last of its lines.
pub(super) fn row_at(
    lines: &[Line],
    at: usize,
    width: usize,
    last_fits: impl Fn(&str) -> bool,
    is_whole: impl Fn(&[&str], &Line) -> bool,
) -> Row {
    let Some(line) = lines.get(at) else {
        return Row::End;
    };
    let next = lines.get(at + 1).filter(|next| !is_boundary(next));
    if line.fenced {
        return Row::End;
    }
    if is_boundary(line) {
        // "Sustained decode" is a heading, and the beginning of a row that was broken behind it.
        return match next.map(|next| joins(&line.text, &next.text)) {
            Some([_, joined]) if line.level == 0 => match cells(&joined).as_slice() {
                [first, second, rest @ ..]
                    if rest.len() + 2 == width
                        && phase(first).is_some()
                        && label(second, Notation::Foreign).is_some() =>
                {
                    Row::Whole(owned(&cells(&joined)), 2)
                }
                _ => Row::End,
            },
            _ => Row::End,
        };
    }
    if !line.tabular() {
        // The beginning of a broken row, if only both together are one.
        let Some(next) = next.filter(|next| next.tabular() && line.text.len() < 200) else {
            return Row::End;
        };
        let alone = cells(&next.text);
        if alone.len() == width
            && row_start(&next.text).is_some()
            && row_start(&line.text).is_none()
        {
            return Row::End;
        }
        for joined in joins(&line.text, &next.text) {
            let parts = cells(&joined);
            if parts.len() == width && row_start(&joined).is_some() && is_whole(&parts, next) {
                return Row::Whole(owned(&parts), 2);
            }
        }
        return Row::End;
    }
    let parts = cells(&line.text);
    if parts.len() == width {
        // A row between pipes ends with one; what is missing of it stands in the next line.
        if line.text.starts_with('|')
            && !line.text.ends_with('|')
            && let Some(next) = next.filter(|next| !next.text.starts_with("| "))
        {
            let joined = format!("{}{}", line.text, next.text);
            if cells(&joined).len() == width && joined.ends_with('|') {
                return Row::Whole(owned(&cells(&joined)), 2);
            }
        }
        let last = parts.last().copied().unwrap_or_default();
        // Nothing belongs to a row behind its last pipe.
        let closed = line.text.starts_with('|') && line.text.ends_with('|');
        if let Some(next) = next.filter(|next| !closed && !next.tabular() && next.text.len() < 100)
        {
            let rest = next.text.as_str();
            let number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
            // What makes a longer cell of the last one belongs to it; but a bare number after a
            // whole cell may be anything, so it is kept apart and the cell will not be read.
            let completes = last_fits(&format!("{last}{rest}"));
            let unclear = rest.chars().all(number)
                && !line.text.ends_with('|')
                && (!completes || (last_fits(last) && !rest.starts_with([',', '.'])));
            if completes || unclear {
                let between = if unclear { " " } else { "" };
                let joined = format!("{}{between}{rest}", line.text);
                return Row::Whole(owned(&cells(&joined)), 2);
            }
        }
        return Row::Whole(owned(&parts), 1);
    }
    if parts.len() > width {
        return Row::Ragged(parts.len());
    }
    let mut ways = vec![line.text.clone()];
    for used in 2..=MOST_BROKEN {
        let Some(next) = lines.get(at + used - 1).filter(|next| !is_boundary(next)) else {
            break;
        };
        // The next row begins here, so this one is cut off.
        if next.text.len() > 100_000
            || (row_start(&next.text).is_some()
                && cells(&next.text).len() == width
                && next.text.starts_with('|') == line.text.starts_with('|'))
        {
            break;
        }
        ways = ways
            .iter()
            .flat_map(|text| joins(text, &next.text))
            .filter(|text| cells(text).len() <= width)
            .collect();
        // A row between pipes ends with one.
        let closed = |text: &str| !text.starts_with('|') || text.ends_with('|');
        let mut whole = ways.iter().filter(|text| {
            let parts = cells(text);
            parts.len() == width && closed(text) && is_whole(&parts, next)
        });
        match (whole.next(), whole.next()) {
            (Some(joined), None) => return Row::Whole(owned(&cells(joined)), used),
            (Some(_), Some(_)) => break,
            (None, _) => {}
        }
    }
    Row::Ragged(parts.len())
}

fn owned(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|cell| (*cell).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::lines::lines;
    use super::*;

    fn row(text: &str, width: usize) -> Option<(Vec<String>, usize)> {
        match row_at(
            &lines(text, true),
            0,
            width,
            |last| !last.ends_with('m'),
            |parts, _| {
                parts
                    .iter()
                    .all(|part| !part.is_empty() && !part.ends_with('!'))
            },
        ) {
            Row::Whole(cells, used) => Some((cells, used)),
            _ => None,
        }
    }

    #[test]
    fn a_row_may_be_broken_anywhere() {
        for text in ["8K\t82.9\tValid\t3", "| 8K | 82.9 | Valid | 3 |"] {
            for at in 1..text.len() {
                let broken = format!("{}\n{}", &text[..at], &text[at..]);
                let got = row(&broken, 4);
                let expected = ["8K", "82.9", "Valid", "3"];
                let (cells, _) = got.unwrap_or_else(|| panic!("{broken:?}"));
                assert_eq!(cells, expected, "{broken:?}");
            }
        }
    }

    #[test]
    fn a_row_that_is_cut_off_takes_nothing_from_the_next() {
        assert!(row("8K\t82.9\n16K\t1\tValid\t3", 4).is_none());
        assert!(row("8K\t82.9\tValid\nCopied!", 4).is_none());
        assert!(row("| 8K | 82.9 | Valid |\n3", 4).is_none());
        assert!(row("8K\t82.9\nHardware\n1\t2", 4).is_none());
    }
}
