//! The grammar of cells: numbers, statuses, and figures that were glued together. Everything here
//! works on one cell; what other cells say is not known here, so a text that can be read in two
//! ways gives two readings.

use super::lines::{excerpt, is_absent, is_dash, same_words, squash};
use super::numbers::{CellError, LONGEST, Notation, decimals, number};
use crate::diagnostic::Code;
use crate::run::figure::NumberError;
use crate::run::{Context, Figure, Figures, Metric, Phase, Status};

/// A context's label: "8K", "512", "0", "1M". White space inside it is dropped.
pub(super) fn label(text: &str, notation: Notation) -> Option<String> {
    let text = text.trim();
    let tight: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let readable =
        text.len() <= LONGEST && Context::label_tokens(&tight, 1 << 10, 1 << 20).is_some();
    match notation {
        _ if readable => Some(tight),
        Notation::Own if !text.is_empty() && !is_absent(text) => Some(text.to_owned()),
        _ => None,
    }
}

/// A status with what the source says of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct StatusSeen {
    /// What it means here.
    pub status: Status,
    /// The word, where it is not known here.
    pub text: Option<String>,
    /// Why, where the source tells it.
    pub reason: Option<String>,
}

/// Reads status words, with a reason behind a colon where there is one.
pub(super) fn status(text: &str, notation: Notation) -> Result<StatusSeen, CellError> {
    let text = text.trim();
    let (word, reason) = match text.split_once(':') {
        Some((word, reason)) => (word.trim(), Some(reason.trim().to_owned())),
        None => (text, None),
    };
    let known = Status::ALL
        .iter()
        .filter(|s| **s != Status::Other)
        .find(|s| word.len() < 40 && same_words(s.label(), word));
    let wordlike = word.chars().any(char::is_alphabetic)
        && word.len() <= LONGEST
        && (notation == Notation::Own || !word.chars().any(|c| c.is_ascii_digit()));
    match known {
        Some(status) => Ok(StatusSeen {
            status: *status,
            text: None,
            reason: reason.filter(|r| !r.is_empty()),
        }),
        None if wordlike => Ok(StatusSeen {
            status: Status::Other,
            text: Some(word.to_owned()),
            reason: reason.filter(|r| !r.is_empty()),
        }),
        None => Err(CellError::new(
            Code::ReportSyntax,
            format!("“{}” is not a status", excerpt(text)),
        )),
    }
}

/// The metric that the rate of a matrix or a list is.
pub(super) fn rate(phase: Phase) -> Metric {
    match phase {
        Phase::Prefill => Metric::PrefillTokPerS,
        Phase::Decode | Phase::Burst => Metric::TotalTokPerS,
    }
}

/// What a cell of a matrix or of the prefill list says.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cell {
    /// What became of it.
    pub status: StatusSeen,
    /// What can be read in it: one reading, unless figures were glued.
    pub readings: Vec<Figures>,
    /// Whether the only reading may be believed without another place that confirms it.
    pub sure: bool,
}

/// Reads a cell: a rate, then a status if it is not valid, then the TTFT, glued or apart; or a
/// status alone. `None` for an empty cell or a dash.
pub(super) fn cell(
    text: &str,
    phase: Phase,
    notation: Notation,
) -> Result<Option<Cell>, CellError> {
    let text = text.trim();
    if text.is_empty() || is_absent(text) {
        return Ok(None);
    }
    if text.len() > LONGEST {
        return Err(CellError::new(
            Code::ReportSyntax,
            format!("“{}” is too long for a cell", excerpt(text)),
        ));
    }
    if let Some(cell) = own_cell(text, phase).filter(|_| notation == Notation::Own) {
        return Ok(Some(cell));
    }
    let body = strip_word(text, "TTFT");
    let with_ms = body.strip_suffix("ms").map(str::trim_end);
    let body = with_ms.unwrap_or(body);
    if !body.starts_with(|c: char| c.is_ascii_digit()) {
        let status = status(body, notation)?;
        if with_ms.is_some() || body.len() != text.len() {
            return Err(CellError::new(
                Code::BadNumber,
                format!("“{}” has no rate before its TTFT", excerpt(text)),
            ));
        }
        return Ok(Some(Cell {
            status,
            readings: vec![Figures::default()],
            sure: true,
        }));
    }
    let (first, middle, last) = parts(body)?;
    let words = middle_words(middle);
    let starts_wordy = words.is_empty() || words.starts_with(char::is_alphabetic);
    let digits_outside = words.is_empty() && middle.chars().any(|c| c.is_ascii_digit());
    if !starts_wordy || digits_outside {
        return Err(CellError::number(body, NumberError::OtherNotation));
    }
    let status = if words.is_empty() {
        StatusSeen::default()
    } else {
        status(&words, notation)?
    };
    if with_ms.is_none() && !last.is_empty() {
        return Err(CellError::new(
            Code::BadNumber,
            format!("“{}” lacks the unit of its TTFT (ms)", excerpt(text)),
        ));
    }
    let pair = |left: &str, right: &str| -> Result<Figures, CellError> {
        let mut figures = Figures::default();
        figures.set(rate(phase), rate_number(left, notation)?);
        if !right.is_empty() {
            figures.set(Metric::TtftMs, rate_number(right, notation)?);
        }
        Ok(figures)
    };
    if with_ms.is_some() && last.is_empty() {
        let (readings, sure) = glued(first, phase)?;
        return Ok(Some(Cell {
            status,
            readings,
            sure,
        }));
    }
    let blank_only = middle.chars().all(char::is_whitespace) && !middle.is_empty();
    // A glued prefill point must fit its label.
    let glued_point = phase == Phase::Prefill && middle.is_empty() && !last.is_empty();
    let sure = notation == Notation::Own
        || !glued_point && (!blank_only || decimals(first) == 1 || first.ends_with(['K', 'M']));
    Ok(Some(Cell {
        status,
        readings: vec![pair(first, last)?],
        sure,
    }))
}

/// A cell as our own pages write it: rate, status and TTFT, each where there is one, with ` · `
/// between them.
fn own_cell(text: &str, phase: Phase) -> Option<Cell> {
    let mut figures = Figures::default();
    let (text, ttft) = match text.strip_suffix(" ms TTFT") {
        Some(rest) => rest.rsplit_once(" · ").unwrap_or(("", rest)),
        None => (text, ""),
    };
    if !ttft.is_empty() {
        figures.set(Metric::TtftMs, number(ttft, Notation::Own).ok()?);
    }
    let (value, words) = text.split_once(" · ").unwrap_or((text, ""));
    let words = match number(value, Notation::Own) {
        Ok(value) => {
            figures.set(rate(phase), value);
            words
        }
        Err(_) => text,
    };
    // Figures that are glued, or written in another way, are for the common grammar.
    if words.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let status = match words {
        "" => StatusSeen::default(),
        words => status(words, Notation::Own).ok()?,
    };
    Some(Cell {
        status,
        readings: vec![figures],
        sure: true,
    })
}

/// Whether a cell has all that a cell of a matrix has: a known status, and a TTFT beside the rate.
pub(super) fn is_complete(text: &str, phase: Phase, notation: Notation) -> bool {
    match cell(text, phase, notation) {
        Ok(Some(cell)) => {
            cell.status.status != Status::Other
                && cell
                    .readings
                    .iter()
                    .all(|reading| reading.is_empty() || reading.get(Metric::TtftMs).is_some())
        }
        Ok(None) => true,
        Err(_) => false,
    }
}

/// A rate or TTFT of a cell: in foreign pages with one decimal at most, so that no glued figure passes for one.
fn rate_number(text: &str, notation: Notation) -> Result<Figure, CellError> {
    if notation == Notation::Foreign && decimals(text) > 1 {
        return Err(CellError::number(text, NumberError::OtherNotation));
    }
    number(text, notation)
}

fn strip_word<'a>(text: &'a str, word: &str) -> &'a str {
    text.strip_suffix(word).map_or(text, str::trim_end)
}

/// The words between the two figures, without what only separates.
fn middle_words(middle: &str) -> String {
    let without = middle.replace("<br>", " ").replace("<br/>", " ");
    let words = without.trim_matches(|c: char| {
        c.is_whitespace() || matches!(c, '·' | '•' | '/' | ',' | ';' | '(') || is_dash(c)
    });
    strip_word(words, "TTFT")
        .trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '·' | '•' | '/'))
        .to_owned()
}

/// The number that a cell begins with, what stands between, and the number that it ends with.
fn parts(body: &str) -> Result<(&str, &str, &str), CellError> {
    let numeric = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '\'' | '\u{2019}');
    let rest = body.trim_start_matches(numeric);
    let mut first_end = body.len() - rest.len();
    if rest.starts_with(['K', 'M']) {
        let behind = rest.get(1..).unwrap_or_default();
        let starts_word = |text: &str| {
            let text = squash(text);
            Status::ALL
                .iter()
                .any(|s| text.starts_with(&squash(s.label())))
        };
        if !behind.starts_with(char::is_alphabetic) || starts_word(behind) {
            first_end += 1;
        } else if !starts_word(rest) {
            return Err(CellError::new(
                Code::Ambiguous,
                format!(
                    "“{}” can be read in two ways: its first letter as part of the number, or of the status",
                    excerpt(body)
                ),
            ));
        }
    }
    let (first, rest) = body.split_at_checked(first_end).unwrap_or((body, ""));
    let middle_len = rest.trim_end_matches(numeric).len();
    let (middle, last) = rest.split_at_checked(middle_len).unwrap_or((rest, ""));
    Ok((first, middle, last))
}

/// All ways to read a rate and a TTFT that were glued together.
fn glued(text: &str, phase: Phase) -> Result<(Vec<Figures>, bool), CellError> {
    let splits: Vec<usize> = match text.find('.') {
        // One decimal, then the TTFT.
        Some(point) if phase != Phase::Prefill => vec![point + 2],
        _ => (1..text.len().min(40)).collect(),
    };
    let mut strict = Vec::new();
    let mut lax = Vec::new();
    for at in splits {
        let Some((left, right)) = text.split_at_checked(at) else {
            continue;
        };
        let (Ok(a), Ok(b)) = (
            rate_number(left, Notation::Foreign),
            rate_number(right, Notation::Foreign),
        ) else {
            continue;
        };
        if right.ends_with(['K', 'M']) || left.ends_with('.') {
            continue;
        }
        let mut figures = Figures::default();
        figures.set(rate(phase), a);
        figures.set(Metric::TtftMs, b);
        if grouped(left) && grouped(right) {
            strict.push(figures);
        } else if phase != Phase::Prefill || !text.contains('.') {
            lax.push(figures);
        }
    }
    let pointed = phase != Phase::Prefill && text.contains('.');
    let (readings, sure) = match (strict.len(), lax.len()) {
        (0, 0) => {
            return Err(CellError::new(
                Code::BadNumber,
                format!(
                    "“{}” is in another notation, or cannot be taken apart into a rate and a TTFT (expected as in 1,078.87,837)",
                    excerpt(text)
                ),
            ));
        }
        // A prefill point must also fit its label.
        (1, _) => (strict, pointed),
        (0, 1) => (lax, pointed),
        (0, _) => (lax, false),
        _ => (strict, false),
    };
    Ok((readings, sure))
}

/// Whether thousands are grouped as the pages do: commas from 1,000 on.
fn grouped(text: &str) -> bool {
    let whole = text.split('.').next().unwrap_or_default();
    let whole = whole.trim_end_matches(['K', 'M']);
    whole.contains(',') || whole.len() <= 3
}

/// Whether the prefill rate and TTFT fit the length that the label names: within 5 % of label × 1000
/// to label × 1024.
pub(super) fn fits_label(figures: &Figures, label: &str) -> bool {
    let (Some(rate), Some(ttft), Some(low), Some(high)) = (
        figures.get(Metric::PrefillTokPerS),
        figures.get(Metric::TtftMs),
        Context::label_tokens(label, 1000, 1_000_000),
        Context::label_tokens(label, 1 << 10, 1 << 20),
    ) else {
        return false;
    };
    // Both figures are rounded.
    let least = (rate.value - rate.half_step()) * (ttft.value - ttft.half_step()).max(0.0) / 1000.0;
    let most = (rate.value + rate.half_step()) * (ttft.value + ttft.half_step()) / 1000.0;
    // A prompt of no length fits no rate.
    low > 0 && most >= low as f64 * 0.95 && least <= high as f64 * 1.05
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, phase: Phase) -> Cell {
        cell(text, phase, Notation::Foreign).unwrap().unwrap()
    }

    fn figures(phase: Phase, value: f64, step: f64, ttft: f64) -> Figures {
        let mut figures = Figures::default();
        figures.set(rate(phase), Figure::rounded(value, step));
        figures.set(Metric::TtftMs, Figure::rounded(ttft, 1.0));
        figures
    }

    #[test]
    fn glued_decode_cells_are_one_decimal_then_the_ttft() {
        for (text, total, ttft) in [
            ("82.9584 ms TTFT", 82.9, 584.0),
            ("1,078.87,837 ms TTFT", 1078.8, 7837.0),
            ("1,000.0100,000 ms TTFT", 1000.0, 100_000.0),
            ("0.05 ms TTFT", 0.0, 5.0),
            ("82.9 584 ms", 82.9, 584.0),
            ("82.9 · 584 ms", 82.9, 584.0),
            ("82.9<br>TTFT 584 ms", 82.9, 584.0),
            ("82.9584msTTFT", 82.9, 584.0),
        ] {
            let got = read(text, Phase::Decode);
            assert_eq!(
                got.readings,
                [figures(Phase::Decode, total, 0.1, ttft)],
                "{text}"
            );
            assert!(got.sure, "{text}");
            assert_eq!(got.status.status, Status::Valid, "{text}");
        }
    }

    #[test]
    fn a_status_stands_between_the_figures_or_alone() {
        for text in [
            "2,244.4Requests queued30,178 ms TTFT",
            "2,244.4 Requests queued 30,178 ms TTFT",
            "2,244.4 Requests queued · 30,178 ms",
            "2,244.4Requestsqueued30,178 ms TTFT",
        ] {
            let got = read(text, Phase::Decode);
            assert_eq!(got.status.status, Status::Queued, "{text}");
            assert_eq!(
                got.readings,
                [figures(Phase::Decode, 2244.4, 0.1, 30_178.0)],
                "{text}"
            );
        }
        let over = read("Over capacity", Phase::Decode);
        assert_eq!(over.status.status, Status::OverCapacity);
        assert!(over.readings.iter().all(Figures::is_empty));
        let other = read("82.9Throttled584 ms TTFT", Phase::Decode);
        assert_eq!(other.status.text.as_deref(), Some("Throttled"));
        let failed = read("Failed: repetition loop", Phase::Decode);
        assert_eq!(failed.status.reason.as_deref(), Some("repetition loop"));
    }

    #[test]
    fn prefill_points_split_where_both_sides_are_grouped_numbers() {
        for (text, rate, step, ttft) in [
            ("9,76913,174 ms TTFT", 9769.0, 1.0, 13_174.0),
            ("99,76913,174 ms TTFT", 99_769.0, 1.0, 13_174.0),
            ("13.7K599 ms TTFT", 13_700.0, 100.0, 599.0),
            ("12K21,515 ms TTFT", 12_000.0, 1000.0, 21_515.0),
            ("9,769.013,174 ms TTFT", 9769.0, 0.1, 13_174.0),
            ("15K 1,079 ms", 15_000.0, 1000.0, 1079.0),
        ] {
            let got = read(text, Phase::Prefill);
            assert_eq!(
                got.readings,
                [figures(Phase::Prefill, rate, step, ttft)],
                "{text}"
            );
            // Glued ones are believed only where they fit their label.
            assert_eq!(
                got.sure,
                text.contains(' ') && !text.ends_with("TTFT"),
                "{text}"
            );
        }
        let two = read("12313,174 ms TTFT", Phase::Prefill);
        assert_eq!(two.readings.len(), 2, "{two:?}");
        assert!(!two.sure);
    }

    #[test]
    fn other_notations_are_refused() {
        for (text, phase) in [
            ("1.078,87.837 ms TTFT", Phase::Decode),
            ("1 078.8584 ms TTFT", Phase::Decode),
            ("1 178.8584 ms TTFT", Phase::Decode),
            ("1 078.8 584 ms TTFT", Phase::Decode),
            ("1'078.8584 ms TTFT", Phase::Decode),
            ("2 244.4Requests queued30 178 ms TTFT", Phase::Decode),
            ("2,244.4Requests queued30.178 ms TTFT", Phase::Decode),
            ("82.9 · 1.429 ms", Phase::Decode),
            ("82.9584", Phase::Decode),
            ("9.76913.174 ms TTFT", Phase::Prefill),
            ("22,5K363 ms TTFT", Phase::Prefill),
        ] {
            let got = cell(text, phase, Notation::Foreign).unwrap_err();
            assert_eq!(got.code, Code::BadNumber, "{text}: {got:?}");
        }
        // Readable by chance: believed only where another place says the same.
        for text in ["82,958196 ms TTFT", "82,9196 ms TTFT"] {
            if let Ok(Some(got)) = cell(text, Phase::Decode, Notation::Foreign) {
                assert!(!got.sure, "{text}");
            }
        }
    }

    #[test]
    fn a_letter_that_may_belong_to_number_or_status_is_ambiguous() {
        let known = read("12KRequests queued599 ms TTFT", Phase::Prefill);
        assert_eq!(known.status.status, Status::Queued);
        let got = cell("12KThrottled599 ms TTFT", Phase::Prefill, Notation::Foreign);
        assert_eq!(got.unwrap_err().code, Code::Ambiguous);
    }
}
