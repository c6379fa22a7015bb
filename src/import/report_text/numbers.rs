//! Numbers in the notation of the pages, with their units; other notations are refused, never
//! guessed.

use super::lines::{excerpt, is_absent};
use crate::diagnostic::Code;
use crate::run::figure::{NumberError, parse_figure, power_of_ten};
use crate::run::{Figure, Metric};

/// Longest text that is looked at as one number or one cell.
pub(super) const LONGEST: usize = 200;

/// What is wrong with a cell.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CellError {
    /// Which kind of problem.
    pub code: Code,
    /// What is wrong, as a sentence without a full stop.
    pub message: String,
}

impl CellError {
    /// A problem of a cell.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    /// A text that is no number of the notation.
    pub fn number(text: &str, error: NumberError) -> Self {
        Self::new(Code::BadNumber, format!("“{}” {error}", excerpt(text)))
    }
}

/// Whose notation a number is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notation {
    /// A page of another site: three decimals may be a group of thousands ("1.429" for 1,429).
    Foreign,
    /// A page of our own, in which a point is always a decimal point.
    Own,
}

/// Reads a number; in foreign pages one with exactly three decimals is refused, because it may be a
/// whole number with its thousands pointed, and so is one with a zero in front.
pub(super) fn number(text: &str, notation: Notation) -> Result<Figure, CellError> {
    if text.len() > LONGEST {
        return Err(CellError::number(text, NumberError::NotANumber));
    }
    let text = text.trim();
    let figure = parse_figure(text).map_err(|error| CellError::number(text, error))?;
    let decimals = decimals(text);
    let padded = text.len() > 1
        && text.starts_with('0')
        && text
            .chars()
            .nth(1)
            .is_some_and(|c| c.is_ascii_digit() || c == ',');
    if padded || (notation == Notation::Foreign && decimals == 3) {
        return Err(CellError::number(text, NumberError::OtherNotation));
    }
    Ok(figure)
}

/// Digits behind the point.
pub(super) fn decimals(text: &str) -> usize {
    text.split_once('.').map_or(0, |(_, rest)| {
        rest.bytes().take_while(u8::is_ascii_digit).count()
    })
}

/// A whole number from 0, as in the head of a matrix.
pub(super) fn whole(text: &str) -> Option<u64> {
    let text = text.trim();
    let figure = number(text, Notation::Foreign).ok()?;
    (decimals(text) == 0 && !text.ends_with(['K', 'k', 'M']) && figure.value < 9e15)
        .then_some(figure.value as u64)
}

/// Reads a figure of the table of all measurements. `None` where there is a dash.
pub(super) fn table_figure(
    text: &str,
    metric: Metric,
    unit_in_head: bool,
    notation: Notation,
) -> Result<Option<Figure>, CellError> {
    let text = text.trim();
    if is_absent(text) || (text.is_empty() && notation == Notation::Own) {
        return Ok(None);
    }
    let info = metric.info();
    if text.is_empty() {
        return Err(CellError::new(
            Code::ReportSyntax,
            format!(
                "the cell of “{}” is empty (expected a figure or —)",
                info.label
            ),
        ));
    }
    let bare = match text.strip_suffix(info.unit) {
        Some(bare) if !info.unit.is_empty() => bare.trim_end(),
        _ => text,
    };
    let unit_needed = matches!(info.unit, "ms" | "s" | "%" | "W");
    if unit_needed && bare.len() == text.len() && !unit_in_head {
        return Err(CellError::new(
            Code::BadNumber,
            format!(
                "“{}” is not a figure of “{}” in {}",
                excerpt(text),
                info.label,
                info.unit
            ),
        ));
    }
    let figure = number(bare, notation)?;
    if info.unit == "%" {
        return percent(bare).map(Some);
    }
    if info.count {
        if decimals(bare) > 0 && !bare.ends_with(['K', 'M']) {
            return Err(CellError::number(text, NumberError::OtherNotation));
        }
        if figure.step.is_some_and(|step| step <= 1.0) {
            return Ok(Some(Figure::exact(figure.value)));
        }
    }
    Ok(Some(figure))
}

/// A percentage as a share, rounded once.
fn percent(text: &str) -> Result<Figure, CellError> {
    let plain: String = text.chars().filter(|c| *c != ',').collect();
    let value: f64 = format!("{plain}e-2")
        .parse()
        .map_err(|_| CellError::number(text, NumberError::NotANumber))?;
    Ok(Figure::rounded(
        value,
        power_of_ten(-2 - decimals(text) as i32),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_cells_need_their_unit_and_counts_are_exact() {
        let figure = |text, metric| table_figure(text, metric, false, Notation::Foreign);
        assert_eq!(
            figure("11.9 ms", Metric::ItlMs),
            Ok(Some(Figure::rounded(11.9, 0.1)))
        );
        assert_eq!(figure("—", Metric::ItlMs), Ok(None));
        assert_eq!(
            figure("2,485", Metric::OutputTokens),
            Ok(Some(Figure::exact(2485.0)))
        );
        assert_eq!(
            figure("12.5 %", Metric::QueueShare),
            Ok(Some(Figure::rounded(0.125, 0.001)))
        );
        for (text, metric) in [
            ("11.9 s", Metric::ItlMs),
            ("11.9", Metric::ItlMs),
            ("1.429 ms", Metric::TtftMs),
            ("2.485", Metric::OutputTokens),
            ("02,485", Metric::OutputTokens),
            ("30.0 ms", Metric::MeasuredSeconds),
            ("1 078.8", Metric::TotalTokPerS),
        ] {
            assert_eq!(
                figure(text, metric).unwrap_err().code,
                Code::BadNumber,
                "{text}"
            );
        }
        assert!(figure("", Metric::ItlMs).is_err());
    }
}
