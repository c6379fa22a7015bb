//! Ticks: the round values that an axis names.

use super::scale::Scale;
use crate::run::figure::format_number;

/// The most ticks that an axis names.
pub const MOST: usize = 7;

/// The least, where the axis has a length.
pub const LEAST: usize = 3;

/// Round values from 0 up to the first that is not below `most`: steps of 1, 2 or 5 times a power
/// of ten, of whole numbers where `whole`. At most [`MOST`]; 0 and 1 where `most` is not above 0.
pub fn from_zero(most: f64, whole: bool) -> Vec<f64> {
    if !(most.is_finite() && most > 0.0) {
        return vec![0.0, 1.0];
    }
    let mut step = round_step(most / (MOST - 1) as f64);
    if whole {
        step = step.max(1.0);
    }
    let count = ((most / step) * (1.0 - 1e-12))
        .ceil()
        .clamp(1.0, MOST as f64) as usize;
    (0..=count)
        .map(|i| round_to(i as f64 * step, step))
        // The last may be beyond the largest double.
        .filter(|tick| tick.is_finite())
        .collect()
}

/// Round values on a logarithmic axis: 1, 2 and 5 times powers of ten; where these are more than
/// [`MOST`], powers of ten, or every second, third… of them; where they are fewer than [`LEAST`],
/// the multiples of a round step. From the scale's beginning to its end.
pub fn on_log(scale: Scale) -> Vec<f64> {
    let Scale::Log { from, to } = scale else {
        return Vec::new();
    };
    if !(from > 0.0 && to > from && to.is_finite()) {
        return Vec::new();
    }
    let inside = |tick: &f64| *tick >= from * (1.0 - 1e-9) && *tick <= to * (1.0 + 1e-9);
    let (low, high) = (from.log10().floor() as i32, to.log10().ceil() as i32);
    let decades = |multiples: &[u8], every: i32| -> Vec<f64> {
        (low..=high)
            .filter(|exponent| exponent.rem_euclid(every) == 0)
            .flat_map(|exponent| multiples.iter().map(move |m| (*m, exponent)))
            .map(|(multiple, exponent)| decimal(multiple, exponent))
            .filter(|tick| inside(tick))
            .collect()
    };
    let mut ticks = decades(&[1, 2, 5], 1);
    let mut every = 1;
    while ticks.len() > MOST {
        ticks = decades(&[1], every);
        every += 1;
    }
    if ticks.len() >= LEAST {
        return ticks;
    }
    // Three, since of a span cut by a step four times, three multiples at least are inside.
    let mut step = round_step((to - from) / 4.0);
    loop {
        let first = (from / step).ceil();
        let multiples: Vec<f64> = (0..=2 * MOST)
            .map(|i| round_to((first + i as f64) * step, step))
            .filter(inside)
            .collect();
        if multiples.len() <= MOST {
            return if multiples.len() > ticks.len() {
                multiples
            } else {
                ticks
            };
        }
        step = round_step(step * 1.5);
    }
}

/// The number with its thousands apart, without needless decimals: "2,500", "0.5", "20M", "1e21".
pub fn name(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        "0".to_owned()
    } else if !(1e-4..1e15).contains(&size) {
        format!("{value:e}")
    } else if size >= 1e6 {
        format!("{}M", trimmed(value / 1e6))
    } else {
        trimmed(value)
    }
}

fn trimmed(value: f64) -> String {
    let text = format_number(value, 6);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// 1, 2 or 5 times a power of ten: the first that is not below `least`.
fn round_step(least: f64) -> f64 {
    let exponent = least.log10().floor() as i32;
    [
        (1, exponent),
        (2, exponent),
        (5, exponent),
        (1, exponent + 1),
        (2, exponent + 1),
    ]
    .into_iter()
    .map(|(multiple, exponent)| decimal(multiple, exponent))
    .find(|step| *step >= least * (1.0 - 1e-9))
    .unwrap_or(least)
}

/// The double nearest to the decimal number, so that it is the same on every machine.
fn decimal(multiple: u8, exponent: i32) -> f64 {
    format!("{multiple}e{exponent}").parse().unwrap_or(0.0)
}

/// The double nearest to the multiple of a round step: 0.3, not 0.30000000000000004.
fn round_to(value: f64, step: f64) -> f64 {
    let decimals = (-step.log10().floor()).clamp(0.0, 300.0) as usize;
    if decimals == 0 {
        value
    } else {
        format!("{value:.decimals$}").parse().unwrap_or(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn from_zero_by_round_steps() {
        let names =
            |most, whole| -> Vec<String> { from_zero(most, whole).into_iter().map(name).collect() };
        assert_eq!(
            names(2363.0, false),
            ["0", "500", "1,000", "1,500", "2,000", "2,500"]
        );
        assert_eq!(names(0.9, false), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        assert_eq!(names(3.0, true), ["0", "1", "2", "3"]);
        assert_eq!(names(0.4, true), ["0", "1"]);
        assert_eq!(names(0.0, false), ["0", "1"]);
        assert_eq!(names(f64::NAN, false), ["0", "1"]);
        assert_eq!(names(6000.0, false).last().unwrap(), "6,000");
    }

    #[test]
    fn logarithmic_ticks_are_1_2_5_or_powers_of_ten() {
        let names = |from, to| -> Vec<String> {
            on_log(Scale::Log { from, to })
                .into_iter()
                .map(name)
                .collect()
        };
        assert_eq!(names(3.5, 110.0), ["5", "10", "20", "50", "100"]);
        assert_eq!(names(60.0, 2500.0), ["100", "200", "500", "1,000", "2,000"]);
        assert_eq!(names(150.0, 100_000.0), ["1,000", "10,000", "100,000"]);
        assert_eq!(names(62.0, 90.0), ["70", "80", "90"]);
        assert_eq!(names(1.0, 1e15).len(), 6);
        assert_eq!(names(1.0, 1.0), [] as [&str; 0]);
    }

    #[test]
    fn names_are_short() {
        assert_eq!(name(20_000_000.0), "20M");
        assert_eq!(name(0.05), "0.05");
        assert_eq!(name(1e21), "1e21");
        assert_eq!(name(-2500.0), "-2,500");
        assert_eq!(name(2e-7), "2e-7");
    }

    proptest! {
        #[test]
        fn three_to_seven_on_any_log_axis(exponent in -300.0..300.0f64, span in 0.01..400.0f64) {
            let to = 10_f64.powf((exponent + span).min(307.0));
            let from = 10_f64.powf(exponent);
            prop_assume!(to > from * 1.02);
            let ticks = on_log(Scale::Log { from, to });
            prop_assert!((LEAST..=MOST).contains(&ticks.len()), "{from} {to}: {ticks:?}");
            prop_assert!(ticks.windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert!(ticks.iter().all(|t| *t >= from * 0.999_999 && *t <= to * 1.000_001));
        }

        #[test]
        fn the_last_tick_is_not_below_any_value(most in 1e-300..1e300f64, whole: bool) {
            let ticks = from_zero(most, whole);
            prop_assert!((2..=MOST + 1).contains(&ticks.len()), "{ticks:?}");
            prop_assert!(ticks[ticks.len() - 1] >= most * (1.0 - 1e-9));
            prop_assert!(ticks.windows(2).all(|pair| pair[0] < pair[1]));
            if whole {
                prop_assert!(ticks.iter().all(|t| t.fract() == 0.0));
            }
        }
    }
}
