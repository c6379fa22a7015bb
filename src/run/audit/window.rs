//! Rules about the measured window: `short_window`, `not_filled`.

use crate::run::figure::format_number;
use crate::run::{Fact, Facts, Metric, Status};

use super::matrix::{Cell, Matrix};
use super::words::{count, finding, largest, name, shown};
use super::{Finding, Rule};

/// The share of the seconds asked for that must be measured.
const LEAST_TIME: f64 = 0.9;

/// The share of the requests asked for that must be active.
const LEAST_ACTIVE: f64 = 0.95;

/// The decode test in which a time was asked for.
const FIXED_DURATION: &str = "Fixed duration";

/// Measured seconds < 0.9 × asked, beyond the rounding, in a test of fixed duration. A file that
/// states seconds but no kind of test is taken for one, unless it states a number of requests.
pub fn short_window(decode: &Matrix, facts: &Facts) -> Option<Finding> {
    let fixed_duration = match facts.text(Fact::DecodeTest) {
        Some(test) => test.trim().eq_ignore_ascii_case(FIXED_DURATION),
        None => facts.count(Fact::RequestsPerMeasurement).is_none(),
    };
    let asked = facts
        .number(Fact::SecondsPerMeasurement)
        .filter(|asked| fixed_duration && *asked > 0.0)?;
    let found: Vec<(Cell, f64)> = decode
        .cells()
        .iter()
        .filter_map(|cell| {
            let measured = cell.positive(Metric::MeasuredSeconds)?;
            let most = measured.value + measured.half_step();
            (most < LEAST_TIME * asked * (1.0 - 1e-9)).then_some((*cell, asked - measured.value))
        })
        .collect();
    let (cell, _) = largest(&found)?;
    let asked = format_number(asked, usize::from(asked.fract() != 0.0));
    let sentence = match found.len() {
        1 => format!(
            "The cell {} was measured for {} instead of {asked} s.",
            name(*cell),
            shown(*cell, Metric::MeasuredSeconds),
        ),
        n => format!(
            "{n} cells were measured for less than 90 % of the {asked} s asked for; the shortest is {} with {}.",
            name(*cell),
            shown(*cell, Metric::MeasuredSeconds),
        ),
    };
    let cells: Vec<Cell> = found.iter().map(|(cell, _)| *cell).collect();
    Some(finding(Rule::ShortWindow, &cells, sentence))
}

/// A valid cell with fewer than 0.95 × concurrency active requests, beyond the rounding. Queued
/// cells say already that not all requests ran.
pub fn not_filled(decode: &Matrix) -> Option<Finding> {
    let found: Vec<(Cell, f64)> = decode
        .cells()
        .iter()
        .filter(|cell| cell.measurement.status == Status::Valid)
        .filter_map(|cell| {
            let active = cell.positive(Metric::ActiveRequests)?;
            let asked = cell.concurrency() as f64;
            let most = active.value + active.half_step();
            (most < LEAST_ACTIVE * asked * (1.0 - 1e-9))
                .then_some((*cell, 1.0 - active.value / asked))
        })
        .collect();
    let (cell, _) = largest(&found)?;
    let sentence = format!(
        "In {}, fewer requests were active than asked for; the fewest at {}: {} of {} on average.",
        count(found.len(), "valid cell"),
        name(*cell),
        shown(*cell, Metric::ActiveRequests),
        cell.concurrency(),
    );
    let cells: Vec<Cell> = found.iter().map(|(cell, _)| *cell).collect();
    Some(finding(Rule::NotFilled, &cells, sentence))
}

#[cfg(test)]
mod tests {
    use super::super::{Noise, audit};
    use super::*;
    use crate::run::{Context, FactValue, Figure, Measurement, Run};

    fn run(metric: Metric, figure: Figure, concurrency: u64) -> Run {
        let mut run = Run::new();
        run.facts
            .set(Fact::SecondsPerMeasurement, FactValue::Number(30.0));
        run.decode.push(Measurement {
            context: Context::from_tokens(8192),
            concurrency,
            figures: [(metric, figure)].into_iter().collect(),
            ..Measurement::default()
        });
        run
    }

    fn found(rule: Rule, run: &Run) -> Option<String> {
        let mut findings = audit(run, &Noise::default()).into_iter();
        findings.find(|f| f.rule == rule).map(|f| f.sentence)
    }

    #[test]
    fn a_window_is_short_below_nine_tenths() {
        let found = |figure| found(Rule::ShortWindow, &run(Metric::MeasuredSeconds, figure, 1));
        assert_eq!(found(Figure::exact(27.0)), None);
        assert_eq!(
            found(Figure::exact(26.9)).unwrap(),
            "The cell 8K × 1 was measured for 26.9 s instead of 30 s."
        );
        // 26.9 in steps of 0.5 may be 27.15.
        assert_eq!(found(Figure::rounded(26.9, 0.5)), None);
    }

    #[test]
    fn a_window_is_short_only_where_a_time_was_asked_for() {
        let mut short = run(Metric::MeasuredSeconds, Figure::exact(12.0), 1);
        short
            .facts
            .set(Fact::RequestsPerMeasurement, FactValue::Count(64));
        assert_eq!(found(Rule::ShortWindow, &short), None);
        short.facts.set_text(Fact::DecodeTest, "Fixed duration");
        assert!(found(Rule::ShortWindow, &short).is_some());
        short
            .facts
            .set_text(Fact::DecodeTest, "Fixed number of requests");
        assert_eq!(found(Rule::ShortWindow, &short), None);
        short.facts.remove(Fact::DecodeTest);
        short.facts.remove(Fact::RequestsPerMeasurement);
        assert!(found(Rule::ShortWindow, &short).is_some());
        let mut burst = short.clone();
        burst.burst = std::mem::take(&mut burst.decode);
        assert_eq!(found(Rule::ShortWindow, &burst), None);
        short.decode[0].status = Status::Failed;
        assert_eq!(found(Rule::ShortWindow, &short), None);
        short.decode[0].status = Status::Valid;
        short.facts.remove(Fact::SecondsPerMeasurement);
        assert_eq!(found(Rule::ShortWindow, &short), None);
    }

    #[test]
    fn short_windows_are_counted_and_the_shortest_named() {
        let mut run = run(Metric::MeasuredSeconds, Figure::exact(12.0), 1);
        let mut shorter = run.decode[0].clone();
        shorter.concurrency = 2;
        shorter
            .figures
            .set(Metric::MeasuredSeconds, Figure::exact(2.5));
        run.decode.push(shorter);
        assert_eq!(
            found(Rule::ShortWindow, &run).unwrap(),
            "2 cells were measured for less than 90 % of the 30 s asked for; the shortest is 8K × 2 with 2.5 s."
        );
    }

    #[test]
    fn a_cell_is_filled_from_95_percent_on() {
        let of_20 = |figure| found(Rule::NotFilled, &run(Metric::ActiveRequests, figure, 20));
        assert_eq!(of_20(Figure::exact(19.0)), None);
        assert_eq!(
            of_20(Figure::exact(18.9)).unwrap(),
            "In 1 valid cell, fewer requests were active than asked for; the fewest at 8K × 20: 18.9 of 20 on average."
        );
        assert_eq!(of_20(Figure::rounded(18.9, 0.5)), None);
        assert_eq!(of_20(Figure::exact(0.0)), None, "none active is not known");
        let mut queued = run(Metric::ActiveRequests, Figure::exact(10.0), 20);
        queued.decode[0].status = Status::Queued;
        assert_eq!(found(Rule::NotFilled, &queued), None);
    }
}
