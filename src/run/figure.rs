//! A figure: a number together with the precision that it was given in, read from and written to
//! the one notation that pages use (English: `1,078.8`, `13.7K`).
//!
//! Knows nothing of metrics or units.

use std::fmt;

/// A number and, where it was rounded by whoever gave it, the step that it was rounded to:
/// "13.7K" is 13,700 in steps of 100. No step means "as measured".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// The number, in the unit of its metric.
    pub value: f64,
    /// The distance between two neighbouring numbers of the notation that it was given in.
    pub step: Option<f64>,
}

impl Figure {
    /// A figure as measured, with no rounding that we know of.
    pub fn exact(value: f64) -> Self {
        Self { value, step: None }
    }

    /// A figure that was rounded to a multiple of `step`.
    pub fn rounded(value: f64, step: f64) -> Self {
        Self {
            value,
            step: Some(step),
        }
    }

    /// Half a step: how far the true number may lie from `value`. 0 for a figure as measured.
    pub fn half_step(self) -> f64 {
        self.step.unwrap_or(0.0) / 2.0
    }

    /// Whether both can be roundings of one number.
    pub fn agrees_with(self, other: Self) -> bool {
        let slack = (self.half_step() + other.half_step()) * (1.0 + 1e-9)
            + 1e-9 * self.value.abs().max(other.value.abs());
        (self.value - other.value).abs() <= slack
    }

    /// Of two figures of one number, the one given more precisely; `self` on a tie.
    pub fn more_precise(self, other: Self) -> Self {
        match (self.step, other.step) {
            (Some(_), None) => other,
            (Some(a), Some(b)) if b < a => other,
            _ => self,
        }
    }
}

/// Why a text is no number in the notation of the reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NumberError {
    /// Nothing that looks like a number.
    #[error("is not a number")]
    NotANumber,
    /// `1.078,8`, `1 078.8`, `1'078.8`: digits grouped or pointed in another way.
    #[error("is a number in another notation (expected 1,078.8)")]
    OtherNotation,
}

/// Reads `1,078.8`, `803`, `13.7K`, `1M`; the step is that of the last digit given.
///
/// Groups of three behind commas must be whole; a number without commas may be of any length.
///
/// # Errors
/// [`NumberError::OtherNotation`] where digits are separated in a way that English does not
/// (`1.078,8`, `1 078.8`), [`NumberError::NotANumber`] for everything else.
pub fn parse_figure(text: &str) -> Result<Figure, NumberError> {
    let text = text.trim();
    // The decimal text with its scale as an exponent is rounded once, so 13.7K is exactly 13700.
    let (digits, exponent) = match (text.strip_suffix(['K', 'k']), text.strip_suffix('M')) {
        (Some(digits), _) => (digits, 3),
        (_, Some(digits)) => (digits, 6),
        _ => (text, 0),
    };
    let (whole, fraction) = match digits.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (digits, None),
    };
    let all_digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let well_grouped = |s: &str| {
        let mut groups = s.split(',');
        let first = groups.next().unwrap_or_default();
        let mut grouped = false;
        for group in groups {
            grouped = true;
            if group.len() != 3 || !all_digits(group) {
                return false;
            }
        }
        all_digits(first) && (!grouped || first.len() <= 3)
    };
    if !well_grouped(whole) || fraction.is_some_and(|f| !all_digits(f)) {
        return Err(if looks_numeric(digits) {
            NumberError::OtherNotation
        } else {
            NumberError::NotANumber
        });
    }
    let decimals = fraction.map_or(0, str::len);
    let plain: String = digits.chars().filter(|c| *c != ',').collect();
    let value: f64 = format!("{plain}e{exponent}")
        .parse()
        .map_err(|_| NumberError::NotANumber)?;
    Ok(Figure::rounded(
        value,
        power_of_ten(exponent - decimals as i32),
    ))
}

/// Digits and the separators of any notation, nothing else, and at least one digit.
fn looks_numeric(text: &str) -> bool {
    text.chars().any(|c| c.is_ascii_digit())
        && text.chars().all(|c| {
            c.is_ascii_digit()
                || matches!(c, '.' | ',' | '\'' | '\u{2019}' | '\u{66c}' | '\u{66b}')
                || c.is_whitespace()
        })
}

/// 10 to the power of `exponent`, as the nearest double (0.1 is exactly the literal `0.1`).
pub fn power_of_ten(exponent: i32) -> f64 {
    // The text of a power of ten always parses.
    format!("1e{exponent}").parse().unwrap_or(1.0)
}

/// Writes a figure by its step: decimals down to the step, "K" where the step is larger than one.
/// A step that is no power of ten is shown at the next finer one. Without a step,
/// `default_decimals` are shown.
///
/// The result is read back by [`parse_figure`] as the same value and step (to the shown step).
pub fn format_figure(figure: Figure, default_decimals: usize) -> String {
    let Some(step) = figure.step.filter(|s| s.is_finite() && *s > 0.0) else {
        return format_number(figure.value, default_decimals);
    };
    // The small slack makes log10(0.001) = -2.9999999999999996 a whole number again.
    let exponent = (step.log10() + 1e-9).floor() as i32;
    if exponent <= 0 {
        format_number(figure.value, (-exponent).min(15) as usize)
    } else if exponent < 6 {
        format!(
            "{}K",
            format_number(figure.value / 1e3, (3 - exponent).max(0) as usize)
        )
    } else {
        format!("{}M", format_number(figure.value / 1e6, 0))
    }
}

/// Writes a number with thousands commas and a fixed number of decimals.
pub fn format_number(value: f64, decimals: usize) -> String {
    let plain = format!("{value:.decimals$}");
    let (sign, digits) = match plain.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", plain.as_str()),
    };
    let (whole, fraction) = match digits.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (digits, None),
    };
    let mut out = String::with_capacity(plain.len() + plain.len() / 3);
    let zero = !digits.bytes().any(|b| matches!(b, b'1'..=b'9'));
    if !zero {
        out.push_str(sign);
    }
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if let Some(fraction) = fraction {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

impl fmt::Display for Figure {
    /// As given; a figure without a step in the shortest form that reads back as the same number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.step {
            Some(_) => f.write_str(&format_figure(*self, 0)),
            None => write!(f, "{}", self.value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_step_is_that_of_the_last_digit() {
        assert_eq!(parse_figure("13.7K"), Ok(Figure::rounded(13_700.0, 100.0)));
        assert_eq!(parse_figure("15K"), Ok(Figure::rounded(15_000.0, 1000.0)));
        assert_eq!(parse_figure("1,078.8"), Ok(Figure::rounded(1078.8, 0.1)));
        assert_eq!(parse_figure("9,769"), Ok(Figure::rounded(9769.0, 1.0)));
        assert_eq!(parse_figure("1M"), Ok(Figure::rounded(1e6, 1e6)));
    }

    #[test]
    fn other_notations_are_named_and_never_read() {
        for text in [
            "1.078,8",
            "1 078.8",
            "1'078.8",
            "1,07.8",
            "12,34",
            "1,0788",
            "1\u{202f}078",
        ] {
            assert_eq!(
                parse_figure(text),
                Err(NumberError::OtherNotation),
                "{text}"
            );
        }
        for text in ["", "K", "fast", "-3", "1e5", "NaN", "1,078.8 ms", "12KK"] {
            assert_eq!(parse_figure(text), Err(NumberError::NotANumber), "{text}");
        }
    }

    #[test]
    fn steps_below_and_above_one_are_shown() {
        assert_eq!(format_figure(Figure::rounded(82.9, 0.1), 0), "82.9");
        assert_eq!(format_figure(Figure::rounded(9769.0, 0.1), 0), "9,769.0");
        assert_eq!(format_figure(Figure::rounded(13_700.0, 100.0), 0), "13.7K");
        assert_eq!(format_figure(Figure::rounded(13_750.0, 10.0), 0), "13.75K");
        assert_eq!(format_figure(Figure::rounded(0.004, 0.001), 0), "0.004");
        assert_eq!(format_figure(Figure::exact(1234.56), 1), "1,234.6");
        assert_eq!(format_number(-0.01, 1), "0.0");
        assert_eq!(format_number(-1234.5, 1), "-1,234.5");
    }
}
