//! Tables: cells behind tabs or between pipes, heads, and rows, also such as were broken over
//! several lines. Says what stands in which cell; what it means is for [`super::grammar`].

use std::sync::LazyLock;

use super::grammar::{Notation, label, whole};
use super::lines::{Line, is_absent, is_dash, opener, same_words, squash};
use crate::run::{Metric, Phase, Status};

/// Most lines that one row may be broken over.
const MOST_BROKEN: usize = 4;

/// Most columns that a table may have.
const MOST_COLUMNS: usize = 4096;

/// The cells of a line. Lines with a pipe that is not escaped are taken at pipes, others at tabs.
pub(super) fn cells(text: &str) -> Vec<&str> {
    let text = text.trim_matches(' ');
    if !text.contains('|') || (text.contains('\t') && !text.starts_with('|')) {
        return text.split('\t').map(str::trim).collect();
    }
    let mut out = Vec::new();
    let mut start = 0;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if c == '|' && !escaped {
            out.push(text.get(start..at).unwrap_or_default().trim());
            start = at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    let last = text.get(start..).unwrap_or_default().trim();
    // What stands outside of the outer pipes is no cell.
    if !last.is_empty() || !text.ends_with('|') {
        out.push(last);
    }
    if text.starts_with('|') && !out.is_empty() {
        out.remove(0);
    }
    out
}

/// Whether this is the line below a head: dashes, colons and pipes only.
pub(super) fn is_rule(text: &str) -> bool {
    text.contains('|')
        && text.chars().any(is_dash)
        && text
            .chars()
            .all(|c| is_dash(c) || matches!(c, '|' | ':' | ' '))
}

/// Metrics by their heads without case and white space.
static METRICS: LazyLock<Vec<(Metric, String)>> = LazyLock::new(|| {
    Metric::ALL
        .iter()
        .map(|metric| (*metric, squash(metric.info().label)))
        .collect()
});

/// A column of a table with one measurement a row.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Column {
    /// Which part.
    Phase,
    /// The context.
    Context,
    /// Requests at once.
    Requests,
    /// What became of it.
    Status,
    /// A figure, and whether the head has its unit.
    Metric(Metric, bool),
    /// A head that is not known here.
    Unknown(String),
}

impl Column {
    /// The column with this head.
    fn read(text: &str) -> Self {
        if text.len() > 100 {
            return Column::Unknown(text.to_owned());
        }
        let head = squash(text);
        match head.as_str() {
            "phase" => return Column::Phase,
            "context" => return Column::Context,
            "requestsatonce" => return Column::Requests,
            "status" => return Column::Status,
            _ => {}
        }
        for (metric, label) in METRICS.iter() {
            let info = metric.info();
            let Some(rest) = head.strip_prefix(label) else {
                continue;
            };
            let unit = squash(info.unit);
            if rest.is_empty() {
                return Column::Metric(*metric, false);
            }
            if !unit.is_empty()
                && [
                    format!("({unit})"),
                    format!(",{unit}"),
                    format!("[{unit}]"),
                    format!(",in{unit}"),
                ]
                .iter()
                .any(|with| with == rest)
            {
                return Column::Metric(*metric, true);
            }
        }
        Column::Unknown(text.to_owned())
    }

    /// The known head that a head not known here may be a mistyped copy of.
    pub fn near(text: &str) -> Option<&'static str> {
        let text = squash(&text.chars().take(60).collect::<String>());
        ["Phase", "Context", "Requests at once", "Status"]
            .into_iter()
            .chain(Metric::ALL.iter().map(|m| m.info().label))
            .find(|label| {
                let label = squash(label);
                strsim::damerau_levenshtein(&label, &text) <= (label.len() / 3).max(1)
                    || (text.starts_with(&label) && label.len() >= 4)
            })
    }
}

/// The head of a table that is known here.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Head {
    /// Contexts by requests at once.
    Matrix(Vec<u64>),
    /// One measurement a row.
    Long(Vec<Column>),
}

/// Reads the cells of a head.
pub(super) fn head(cells: &[&str], notation: Notation) -> Option<Head> {
    let (first, rest) = cells.split_first()?;
    if rest.is_empty() || cells.len() > MOST_COLUMNS {
        return None;
    }
    let corner = squash(first);
    let is_corner = corner == "context"
        || (notation == Notation::Own && corner.starts_with("context") && corner.len() < 60);
    if is_corner && let Some(levels) = rest.iter().map(|c| whole(c)).collect::<Option<Vec<u64>>>() {
        return Some(Head::Matrix(levels));
    }
    let wordy = |cell: &&str| cell.starts_with(char::is_alphabetic);
    if !wordy(first) || cells.len() < 3 {
        return None;
    }
    let columns: Vec<Column> = cells.iter().map(|cell| Column::read(cell)).collect();
    let known = columns
        .iter()
        .filter(|column| !matches!(column, Column::Unknown(_)))
        .count();
    (known >= 2).then_some(Head::Long(columns))
}

/// A head at this line, also one broken over two, and how many lines it takes.
pub(super) fn head_at(lines: &[Line], at: usize, notation: Notation) -> Option<(Head, usize)> {
    let line = lines.get(at)?;
    if !line.tabular() || row_start(&line.text).is_some() {
        return None;
    }
    let whole_head = head(&cells(&line.text), notation);
    let starts = whole_head.is_some() || {
        let first = cells(&line.text).first().map(|cell| squash(cell));
        matches!(first.as_deref(), Some("context" | "phase"))
    };
    if !starts {
        return None;
    }
    // The row below tells how many cells there must be.
    let next = lines.get(at + 1);
    let below = lines
        .iter()
        .skip(at + 2)
        .find(|line| !is_rule(&line.text))
        .map_or(0, |line| cells(&line.text).len());
    let fits = whole_head.is_some() && cells(&line.text).len() == below;
    if let Some(next) = next.filter(|next| !is_boundary(next) && !fits)
        && !is_rule(&next.text)
        && row_start(&next.text).is_none()
    {
        for joined in joins(&line.text, &next.text) {
            let parts = cells(&joined);
            if let Some(found) = head(&parts, notation)
                && parts.len() == below
                && unknown(&found) <= whole_head.as_ref().map_or(0, unknown)
            {
                return Some((found, 2));
            }
        }
    }
    whole_head.map(|head| (head, 1))
}

/// How many of its columns are not known.
fn unknown(head: &Head) -> usize {
    match head {
        Head::Matrix(_) => 0,
        Head::Long(columns) => columns
            .iter()
            .filter(|column| matches!(column, Column::Unknown(_)))
            .count(),
    }
}

/// The two ways to put the parts of a broken row together: broken within a cell, or between two.
fn joins(first: &str, second: &str) -> [String; 2] {
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

/// The phase with these words.
pub(super) fn phase(text: &str) -> Option<Phase> {
    Phase::ALL
        .iter()
        .copied()
        .find(|phase| same_words(phase.label(), text))
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
fn is_boundary(line: &Line) -> bool {
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
/// complete.
pub(super) fn row_at(
    lines: &[Line],
    at: usize,
    width: usize,
    last_fits: impl Fn(&str) -> bool,
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
            if parts.len() == width && row_start(&joined).is_some() {
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
        if let Some(next) = next.filter(|next| !next.tabular() && next.text.len() < 100) {
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
        if let Some(joined) = ways.iter().find(|text| cells(text).len() == width) {
            return Row::Whole(owned(&cells(joined)), used);
        }
    }
    Row::Ragged(parts.len())
}

fn owned(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|cell| (*cell).to_owned()).collect()
}

/// A cell of our own Markdown as plain text: tags, links, code spans, escapes and entities undone.
pub(super) fn plain(text: &str) -> String {
    // Marks are looked for ahead, which must not cost much in a hostile text.
    if text.len() > 20_000 {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let tail = rest.get(c.len_utf8()..).unwrap_or_default();
        let (keep, after) = match c {
            '\\' => match tail.chars().next() {
                Some(next) if next.is_ascii_punctuation() => {
                    (next.to_string(), tail.get(1..).unwrap_or_default())
                }
                _ => ("\\".to_owned(), tail),
            },
            '<' => match tail.split_once('>') {
                Some((tag, after)) if tag.len() < 200 && is_tag(tag) => {
                    let line_break = tag.starts_with("br");
                    (if line_break { "·" } else { "" }.to_owned(), after)
                }
                _ => ("<".to_owned(), tail),
            },
            '&' => entity(tail).map_or_else(
                || ("&".to_owned(), tail),
                |(c, after)| (c.to_string(), after),
            ),
            '`' => code_span(rest).unwrap_or_else(|| ("`".to_owned(), tail)),
            '[' => match link(tail) {
                Some((words, after)) => (words.to_owned(), after),
                None => ("[".to_owned(), tail),
            },
            c => (c.to_string(), tail),
        };
        out.push_str(&keep);
        rest = after;
    }
    out.trim().to_owned()
}

fn is_tag(inner: &str) -> bool {
    inner.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/') && !inner.contains("://")
}

/// `[words](address)`: the words, and what follows.
fn link(tail: &str) -> Option<(&str, &str)> {
    let near: &str = tail.get(..tail.len().min(4000)).unwrap_or(tail);
    let close = near.find("](")?;
    let words = tail.get(..close)?;
    if words.contains('[') {
        return None;
    }
    let (_, after) = tail.get(close + 2..)?.split_once(')')?;
    Some((words, after))
}

fn code_span(text: &str) -> Option<(String, &str)> {
    let ticks = text.bytes().take_while(|b| *b == b'`').count();
    if ticks > 8 {
        return None;
    }
    let (fence, rest) = text.split_at_checked(ticks)?;
    let near = rest.get(..rest.len().min(4000)).unwrap_or(rest);
    let at = near.find(fence)?;
    let code = rest.get(..at)?;
    let code = match code.strip_prefix(' ').and_then(|c| c.strip_suffix(' ')) {
        Some(inner) if !inner.trim().is_empty() => inner,
        _ => code,
    };
    // A pipe is escaped also within a code span of a table.
    Some((code.replace("\\|", "|"), rest.get(at + ticks..)?))
}

fn entity(tail: &str) -> Option<(char, &str)> {
    const ENTITIES: &[(&str, char)] = &[
        ("amp;", '&'),
        ("lt;", '<'),
        ("gt;", '>'),
        ("quot;", '"'),
        ("#39;", '\''),
        ("#124;", '|'),
        ("nbsp;", ' '),
    ];
    ENTITIES
        .iter()
        .find_map(|(name, c)| Some((*c, tail.strip_prefix(name)?)))
}

/// Whether a cell has nothing in it.
pub(super) fn is_empty(cell: &str) -> bool {
    cell.is_empty() || is_absent(cell)
}

#[cfg(test)]
mod tests {
    use super::super::lines::lines;
    use super::*;

    fn row(text: &str, width: usize) -> Option<(Vec<String>, usize)> {
        match row_at(&lines(text, true), 0, width, |last| !last.ends_with('m')) {
            Row::Whole(cells, used) => Some((cells, used)),
            _ => None,
        }
    }

    #[test]
    fn cells_stand_between_pipes_or_tabs() {
        assert_eq!(cells("| a | b\\|c |  |"), ["a", "b\\|c", ""]);
        assert_eq!(cells("a | b"), ["a", "b"]);
        assert_eq!(cells("a\tb | c"), ["a", "b | c"]);
        assert_eq!(cells("| a | b"), ["a", "b"]);
    }

    #[test]
    fn heads_are_known_by_their_words() {
        assert_eq!(
            head(&["Context", "1", "1,024"], Notation::Foreign),
            Some(Head::Matrix(vec![1, 1024]))
        );
        assert_eq!(
            head(
                &["Context", "TTFT (ms)", "p99 TTFT, ms", "Energy"],
                Notation::Foreign
            ),
            Some(Head::Long(vec![
                Column::Context,
                Column::Metric(Metric::TtftMs, true),
                Column::Metric(Metric::TtftP99Ms, true),
                Column::Unknown("Energy".to_owned()),
            ]))
        );
        assert_eq!(
            head(&["8K", "82.9584 ms TTFT", "1"], Notation::Foreign),
            None
        );
        assert_eq!(Column::near("TFT"), Some("TTFT"));
        assert_eq!(Column::near("TTFT (s)"), Some("TTFT"));
        assert_eq!(Column::near("Energy"), None);
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
        assert!(row("8K\t82.9\nHardware\n1\t2", 4).is_none());
    }

    #[test]
    fn markdown_is_undone() {
        assert_eq!(
            plain("a\\|b `x\\|y` [w](u) 82.9<br>5 &lt;z> <a id=\"q\"></a>\\_\\*"),
            "a|b x|y w 82.9·5 <z> _*"
        );
    }
}
