//! Tables: cells behind tabs or between pipes, heads, and rows, also such as were broken over
//! several lines. Says what stands in which cell; what it means is for [`super::grammar`].

use std::sync::LazyLock;

use super::lines::{Line, is_absent, is_dash, same_words, squash};
use super::numbers::{Notation, whole};
use super::rows::{is_boundary, joins, row_start};
use crate::run::{Metric, Phase};

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
    /// How it was measured.
    Method,
    /// How its tokens were counted.
    TokenSource,
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
            "method" => return Column::Method,
            "tokenscountedby" => return Column::TokenSource,
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

/// The phase with these words.
pub(super) fn phase(text: &str) -> Option<Phase> {
    Phase::ALL
        .iter()
        .copied()
        .find(|phase| same_words(phase.label(), text))
}

/// Whether a cell has nothing in it.
pub(super) fn is_empty(cell: &str) -> bool {
    cell.is_empty() || is_absent(cell)
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
