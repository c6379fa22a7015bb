//! The order of values as people count them: 2 before 10, 0.28rc1 before 0.28 before 0.28.1.

use std::cmp::Ordering;

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Piece {
    /// What comes before the version without it, by its place: dev, alpha, beta, candidate.
    Before(u8),
    /// The end of the text.
    End,
    /// Anything else.
    Text(String),
    /// A number without leading zeros, shorter ones first.
    Number(usize, String),
    /// A whole text that is a decimal number, as a number that sorts as it does.
    Decimal(u64),
}

/// What texts are sorted by: runs of digits count as numbers, `dev`, `a`, `b` and `rc` behind a
/// number come before the same without them (the order of Python's versions, PEP 440), and
/// whatever else stands between numbers counts as text, whatever its case. Texts of equal keys
/// differ in their points, dashes and blanks only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Natural(Vec<Piece>);

impl Natural {
    /// The key of a value that is no version: decimal numbers are sorted as such, 0.85 before 0.9.
    pub fn value(text: &str) -> Self {
        let decimal = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-');
        let number = text.trim().parse::<f64>().ok();
        match number.filter(|n| n.is_finite() && text.trim().chars().all(decimal)) {
            Some(number) => {
                // Negative zero is zero. The sign is turned so that negative numbers come first.
                let bits = (number + 0.0).to_bits();
                let order = if bits >> 63 == 1 {
                    !bits
                } else {
                    bits | (1 << 63)
                };
                Self(vec![Piece::Decimal(order)])
            }
            None => Self::of(text),
        }
    }

    /// The key of a version, or of any text with versions in it: 0.9 before 0.10.
    pub fn of(text: &str) -> Self {
        let mut pieces: Vec<Piece> = Vec::new();
        let mut word = String::new();
        let mut digits = false;
        for c in text.trim().to_lowercase().chars() {
            let is_digit = c.is_ascii_digit();
            let separates = !c.is_alphanumeric() && c != '+';
            if (separates || is_digit != digits || c == '+') && !word.is_empty() {
                push(&mut pieces, std::mem::take(&mut word), digits);
            }
            digits = is_digit;
            if !separates {
                word.push(c);
            }
        }
        if !word.is_empty() {
            push(&mut pieces, word, digits);
        }
        // "v0.28" is "0.28".
        if let [Piece::Text(first), Piece::Number(..), ..] = pieces.as_slice()
            && first == "v"
        {
            pieces.remove(0);
        }
        pieces.push(Piece::End);
        Self(pieces)
    }
}

impl Ord for Natural {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0)
    }
}

impl PartialOrd for Natural {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn push(pieces: &mut Vec<Piece>, word: String, digits: bool) {
    if digits {
        let word = word.trim_start_matches('0').to_owned();
        pieces.push(Piece::Number(word.len(), word));
        return;
    }
    let behind_number = matches!(pieces.last(), Some(Piece::Number(..)));
    let place = match word.as_str() {
        "dev" => Some(0),
        "a" | "alpha" => Some(1),
        "b" | "beta" => Some(2),
        "rc" | "c" | "pre" | "preview" => Some(3),
        _ => None,
    };
    pieces.push(match place.filter(|_| behind_number) {
        Some(place) => Piece::Before(place),
        None => Piece::Text(word),
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_and_numbers_are_in_order() {
        for list in [
            &["", "1", "2", "10", "16", "128"][..],
            &[
                "0.9",
                "0.10.0rc1",
                "0.10.0",
                "v0.10.1",
                "0.26",
                "0.28.1.dev5",
                "0.28.1rc1.dev562",
                "0.28.1rc1",
                "0.28.1",
                "0.28.1+cu128",
                "0.28.1.post1",
                "1.0",
            ],
            &["b4567", "b4568", "b10000"],
            &["A100", "H20", "h100", "H200"],
            &["0.9", "0.10", "0.85"],
            &["256K", "512K"],
        ] {
            for pair in list.windows(2) {
                assert!(
                    Natural::of(pair[0]) < Natural::of(pair[1]),
                    "{pair:?} {:?}",
                    pair.iter().map(|t| Natural::of(t)).collect::<Vec<_>>()
                );
            }
        }
    }

    #[test]
    fn decimal_values_are_in_the_order_of_numbers() {
        for list in [
            &[
                "", "-2", "-1.5", "0", "0.10", "0.85", "0.9", "1", "16", "128",
            ][..],
            &["", "128K", "256K"],
            &["", "auto", "fp8"],
        ] {
            for pair in list.windows(2) {
                assert!(
                    Natural::value(pair[0]) < Natural::value(pair[1]),
                    "{pair:?}"
                );
            }
        }
        assert_eq!(Natural::value("0.90"), Natural::value("0.9"));
    }
}
