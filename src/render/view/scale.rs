//! Seven colour classes over a range of figures, equally wide on a log scale, with bounds that are
//! round numbers. The number stands in the cell; the colour only groups.

use schemars::JsonSchema;
use serde::Serialize;

use crate::run::figure::format_number;

/// How many classes there are: `q1` to `q7` of the style sheet.
pub const CLASSES: usize = 7;

/// The least ratio of the largest to the smallest figure that the classes are spread over, so that
/// two neighbouring classes are at least 10 % apart and noise gets no colour of its own.
const LEAST_RANGE: f64 = 2.0;

/// Round numbers between 1 and 10, about equally far apart on a log scale.
const ROUND: [f64; 10] = [1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0];

/// Seven classes with six bounds between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClassScale {
    bounds: [f64; CLASSES - 1],
}

/// A class in the legend.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ScaleClass {
    /// Its name in the style sheet: `q1` to `q7`.
    pub class: String,
    /// Its bounds in numbers: "< 100", "100–200", "≥ 1,500".
    pub label: String,
}

impl ClassScale {
    /// The classes for these figures, in any order; `None` where fewer than two different figures
    /// are above zero, since there is nothing to tell apart.
    pub fn over(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
        for value in values.into_iter().filter(|v| v.is_finite() && *v > 0.0) {
            least = least.min(value);
            most = most.max(value);
        }
        if least >= most {
            return None;
        }
        // Ranges that are too narrow are widened to both sides alike.
        let widen = (LEAST_RANGE / (most / least)).max(1.0).sqrt();
        let (least, most) = (least / widen, most * widen);
        // Rounded as coarsely as the six stay apart and inside the range.
        [round_to_steps, to_two_digits, to_three_digits]
            .into_iter()
            .map(|round| bounds(least, most, round))
            .find(|bounds| {
                let inside = bounds.iter().all(|b| least < *b && *b < most);
                let apart = bounds.iter().zip(bounds.iter().skip(1)).all(|(a, b)| a < b);
                inside && apart
            })
            .map(|bounds| Self { bounds })
    }

    /// The class of a figure, from 1 to [`CLASSES`]; a figure on a bound is in the class above it.
    pub fn class(&self, value: f64) -> usize {
        1 + self.bounds.iter().filter(|bound| value >= **bound).count()
    }

    /// The bounds between the classes, from the lowest up.
    pub fn bounds(&self) -> &[f64; CLASSES - 1] {
        &self.bounds
    }

    /// The classes with their bounds in numbers, multiplied by `factor` (100 for shares that are
    /// shown in percent).
    pub fn legend(&self, factor: f64) -> Vec<ScaleClass> {
        let shown: Vec<String> = self.bounds.iter().map(|b| number(b * factor)).collect();
        let labels = (0..CLASSES).map(|at| {
            let below = at.checked_sub(1).and_then(|below| shown.get(below));
            match (below, shown.get(at)) {
                (None, Some(to)) => format!("< {to}"),
                (Some(from), Some(to)) => format!("{from}–{to}"),
                (Some(from), None) => format!("≥ {from}"),
                (None, None) => String::new(),
            }
        });
        labels
            .zip(1..)
            .map(|(label, class)| ScaleClass {
                class: format!("q{class}"),
                label,
            })
            .collect()
    }
}

/// The bounds that cut a range into classes that are equally wide on a log scale, each rounded.
fn bounds(least: f64, most: f64, round: fn(f64) -> f64) -> [f64; CLASSES - 1] {
    let step = (most / least).ln() / CLASSES as f64;
    let mut bounds = [0.0; CLASSES - 1];
    for (bound, nth) in bounds.iter_mut().zip(1..) {
        *bound = round(least * (step * f64::from(nth)).exp());
    }
    bounds
}

/// The power of ten at or below a number.
fn decade(value: f64) -> i32 {
    value.log10().floor() as i32
}

/// A mantissa times a power of ten, as the double that the written number is.
fn written(mantissa: f64, decade: i32) -> f64 {
    // The text of a number always parses.
    format!("{mantissa}e{decade}").parse().unwrap_or(mantissa)
}

fn round_to_steps(value: f64) -> f64 {
    let decade = decade(value);
    let mantissa = value / written(1.0, decade);
    let steps = ROUND.iter().copied().chain([10.0]);
    let nearest = steps.min_by(|a, b| {
        let far = |step: &f64| (mantissa / step).ln().abs();
        far(a).total_cmp(&far(b))
    });
    written(nearest.unwrap_or(1.0), decade)
}

fn to_two_digits(value: f64) -> f64 {
    let decade = decade(value) - 1;
    written((value / written(1.0, decade)).round(), decade)
}

fn to_three_digits(value: f64) -> f64 {
    let decade = decade(value) - 2;
    written((value / written(1.0, decade)).round(), decade)
}

/// A bound with the digits that it has.
fn number(value: f64) -> String {
    // Three digits are all that a bound has; what multiplying left behind them is dropped.
    let decimals = (2 - decade(value)).max(0) as usize;
    let shown = format_number(value, decimals);
    match shown.contains('.') {
        true => shown.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => shown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(values: &[f64]) -> Vec<String> {
        let scale = ClassScale::over(values.iter().copied()).unwrap();
        let classes = scale.legend(1.0);
        classes.into_iter().map(|class| class.label).collect()
    }

    #[test]
    fn the_totals_of_a_report_get_round_bounds() {
        assert_eq!(
            labels(&[64.5, 2363.0]),
            [
                "< 100",
                "100–200",
                "200–300",
                "300–500",
                "500–800",
                "800–1,500",
                "≥ 1,500"
            ]
        );
    }

    #[test]
    fn four_decades_and_a_narrow_range_have_seven_classes_too() {
        assert_eq!(
            labels(&[3.0, 50_000.0]),
            [
                "< 12",
                "12–50",
                "50–200",
                "200–800",
                "800–3,000",
                "3,000–12,000",
                "≥ 12,000"
            ]
        );
        // 7 % apart is noise: the classes spread over a range of two.
        let narrow = ClassScale::over([100.0, 107.0]).unwrap();
        assert!(narrow.class(107.0) - narrow.class(100.0) <= 1);
        assert_eq!(
            labels(&[100.0, 107.0]),
            [
                "< 81",
                "81–89",
                "89–98",
                "98–110",
                "110–120",
                "120–130",
                "≥ 130"
            ]
        );
    }

    #[test]
    fn a_figure_on_a_bound_is_in_the_class_above() {
        let scale = ClassScale::over([64.5, 2363.0]).unwrap();
        assert_eq!(scale.bounds(), &[100.0, 200.0, 300.0, 500.0, 800.0, 1500.0]);
        let classes = [0.0, 99.9, 100.0, 499.9, 1500.0, 1e9].map(|v| scale.class(v));
        assert_eq!(classes, [1, 1, 2, 4, 7, 7]);
    }

    #[test]
    fn nothing_to_tell_apart_has_no_classes() {
        assert_eq!(ClassScale::over([]), None);
        assert_eq!(ClassScale::over([5.0, 5.0, 0.0, f64::NAN]), None);
        assert_eq!(ClassScale::over([0.0, -1.0]), None);
    }

    #[test]
    fn shares_are_shown_in_percent() {
        let scale = ClassScale::over([0.01, 1.0]).unwrap();
        let first = scale.legend(100.0).into_iter().next().unwrap();
        assert_eq!(first.label, "< 2");
    }

    #[test]
    fn every_range_has_classes_that_grow() {
        for exponent in -12..12 {
            for ratio in [1.000_001, 1.01, 1.5, 2.0, 3.0, 7.0, 40.0, 1e4, 1e9] {
                for mantissa in [1.0, 1.37, 4.99, 9.999] {
                    let least = mantissa * 10_f64.powi(exponent);
                    let scale = ClassScale::over([least, least * ratio]);
                    let bounds = *scale.expect("two figures apart").bounds();
                    assert!(bounds.is_sorted_by(|a, b| a < b), "{least} {ratio}");
                }
            }
        }
    }
}
