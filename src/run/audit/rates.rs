//! Rules about total and per-request tok/s: `per_request_gap`, `contradiction`, `arithmetic`,
//! `noise`.

use crate::run::figure::format_number;
use crate::run::{Figure, Metric};

use super::matrix::{Cell, Matrix};
use super::words::{count, finding, join, largest, name, shown, with_requests};
use super::{Finding, Rule};

/// From this ratio on the two per-request speeds are called different.
const GAP: f64 = 1.3;

/// What one request can give in total beyond its own speed: median against mean.
const ONE_REQUEST: f64 = 1.1;

/// How far tokens ÷ seconds may lie from the total.
const ARITHMETIC: f64 = 0.01;

/// The largest changes that a sentence names one by one.
const MOST_CHANGES: usize = 3;

/// Total ÷ (active requests, else concurrency) ÷ per-request ≥ 1.3, of the figures as given.
pub fn per_request_gap(decode: &Matrix) -> Option<Finding> {
    let found: Vec<(Cell, f64)> = decode
        .cells()
        .iter()
        .filter_map(|cell| {
            let per_request = cell.positive(Metric::PerRequestTokPerS)?.value;
            let ratio = share(*cell)? / per_request;
            at_least(ratio, GAP).then_some((*cell, ratio))
        })
        .collect();
    let (cell, ratio) = largest(&found)?;
    let divisor = match cell.positive(Metric::ActiveRequests) {
        Some(_) => "active requests",
        None => "requests asked for",
    };
    let sentence = format!(
        "In {}, total ÷ {divisor} is at least {GAP} times the per-request tok/s that the tool gives; the most at {}, {} times ({} against {}).",
        count(found.len(), "cell"),
        name(*cell),
        format_number(*ratio, 2),
        format_number(share(*cell)?, 1),
        shown(*cell, Metric::PerRequestTokPerS),
    );
    Some(finding(Rule::PerRequestGap, &bare(&found), sentence))
}

/// What one request gets of the total.
fn share(cell: Cell) -> Option<f64> {
    let total = cell.positive(Metric::TotalTokPerS)?.value;
    let requests = cell
        .positive(Metric::ActiveRequests)
        .map_or(cell.concurrency() as f64, |active| active.value);
    (requests > 0.0).then(|| total / requests)
}

/// Concurrency 1 and total > 1.1 × per-request, beyond the rounding of both.
pub fn contradiction(decode: &Matrix) -> Option<Finding> {
    let found: Vec<(Cell, f64)> = decode
        .cells()
        .iter()
        .filter(|cell| cell.concurrency() == 1)
        .filter_map(|cell| {
            let total = cell.positive(Metric::TotalTokPerS)?;
            let per_request = cell.positive(Metric::PerRequestTokPerS)?;
            more_than(least(total), ONE_REQUEST * most(per_request))
                .then_some((*cell, total.value / per_request.value))
        })
        .collect();
    let (cell, _) = largest(&found)?;
    let (total, own) = (
        shown(*cell, Metric::TotalTokPerS),
        shown(*cell, Metric::PerRequestTokPerS),
    );
    let sentence = match found.len() {
        1 => format!(
            "One request cannot give more than its own speed: at {} the total is {total}, the request's own speed {own}.",
            name(*cell),
        ),
        n => format!(
            "One request cannot give more than its own speed: in {n} cells the total is more than {ONE_REQUEST} times that speed; the most at {} ({total} against {own}).",
            name(*cell),
        ),
    };
    Some(finding(Rule::Contradiction, &bare(&found), sentence))
}

/// Output tokens ÷ measured seconds is off the total by more than 1 % beyond the rounding of all
/// three figures.
pub fn arithmetic(decode: &Matrix) -> Option<Finding> {
    let found: Vec<(Cell, f64)> = decode
        .cells()
        .iter()
        .filter_map(|cell| {
            let total = cell.positive(Metric::TotalTokPerS)?;
            let tokens = cell.positive(Metric::OutputTokens)?;
            let seconds = cell.positive(Metric::MeasuredSeconds)?;
            let lowest = least(tokens) / most(seconds);
            let highest = most(tokens) / least(seconds);
            let off = more_than(lowest, (1.0 + ARITHMETIC) * most(total))
                // Seconds that may be rounded down to none set no upper bound.
                || (least(seconds) > 0.0
                    && more_than((1.0 - ARITHMETIC) * least(total), highest));
            let ratio = tokens.value / seconds.value / total.value;
            off.then_some((*cell, ratio.ln().abs()))
        })
        .collect();
    let (cell, _) = largest(&found)?;
    let tokens = cell.get(Metric::OutputTokens)?.value;
    let seconds = cell.get(Metric::MeasuredSeconds)?.value;
    let sentence = format!(
        "In {}, output tokens ÷ measured time is off total tok/s by more than 1 %; the most at {}: {} tokens in {} are {} tok/s, the total says {}.",
        count(found.len(), "cell"),
        name(*cell),
        shown(*cell, Metric::OutputTokens),
        shown(*cell, Metric::MeasuredSeconds),
        format_number(tokens / seconds, 1),
        shown(*cell, Metric::TotalTokPerS),
    );
    Some(finding(Rule::Arithmetic, &bare(&found), sentence))
}

/// The total rises by more than the noise band from one measured context to the next at the same
/// concurrency, beyond the rounding of both. The cell with more context is the one named.
pub fn noise(decode: &Matrix, band: f64) -> Option<Finding> {
    let mut found: Vec<((Cell, Cell), f64)> = Vec::new();
    for column in decode.columns() {
        let totals: Vec<(Cell, Figure)> = column
            .iter()
            .filter(|cell| cell.tokens().is_some())
            .filter_map(|cell| Some((*cell, cell.positive(Metric::TotalTokPerS)?)))
            .collect();
        for pair in totals.windows(2) {
            if let [(short, before), (long, after)] = pair
                && more_than(least(*after), (1.0 + band) * most(*before))
            {
                found.push(((*short, *long), after.value / before.value));
            }
        }
    }
    found.sort_by_key(|((_, long), _)| (long.row(), long.concurrency()));
    let cells: Vec<Cell> = found.iter().map(|((_, long), _)| *long).collect();
    let most_of_all = largest(&found)?;
    let changes = if found.len() <= MOST_CHANGES {
        join(&found.iter().map(change).collect::<Vec<_>>())
    } else {
        format!("{} times, the most {}", found.len(), change(most_of_all))
    };
    let sentence = format!(
        "Total tok/s rises with context by more than the {} % by which two single measurements differ anyway: {changes}.",
        format_number(band * 100.0, 0),
    );
    Some(finding(Rule::Noise, &cells, sentence))
}

/// "by 7.5 % from 32K to 64K with 1 request (81.2 tok/s, 87.3 tok/s)".
fn change(((short, long), ratio): &((Cell, Cell), f64)) -> String {
    format!(
        "by {} % from {} to {} {} ({}, then {})",
        format_number((ratio - 1.0) * 100.0, 1),
        short.context(),
        long.context(),
        with_requests(&[long.concurrency()]),
        shown(*short, Metric::TotalTokPerS),
        shown(*long, Metric::TotalTokPerS),
    )
}

/// Half a step below the figure: the least that it may stand for.
fn least(figure: Figure) -> f64 {
    figure.value - figure.half_step()
}

/// Half a step above the figure: the most that it may stand for.
fn most(figure: Figure) -> f64 {
    figure.value + figure.half_step()
}

/// `a > b`, where a difference in the last bits is none.
fn more_than(a: f64, b: f64) -> bool {
    a > b * (1.0 + 1e-9)
}

/// `a ≥ b`, where a difference in the last bits is none.
fn at_least(a: f64, b: f64) -> bool {
    a >= b * (1.0 - 1e-9)
}

fn bare<'a>(found: &[(Cell<'a>, f64)]) -> Vec<Cell<'a>> {
    found.iter().map(|(cell, _)| *cell).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Noise, audit};
    use super::*;
    use crate::run::{Context, Measurement, Run, Status};

    fn cell(label: &str, concurrency: u64, figures: &[(Metric, Figure)]) -> Measurement {
        Measurement {
            context: Context::from_label(label, true),
            concurrency,
            figures: figures.iter().copied().collect(),
            ..Measurement::default()
        }
    }

    fn found(rule: Rule, cells: Vec<Measurement>) -> Option<Finding> {
        let mut run = Run::new();
        run.decode = cells;
        audit(&run, &Noise::default())
            .into_iter()
            .find(|f| f.rule == rule)
    }

    fn rates(concurrency: u64, total: Figure, per_request: Figure) -> Vec<Measurement> {
        let figures = [
            (Metric::TotalTokPerS, total),
            (Metric::PerRequestTokPerS, per_request),
        ];
        vec![cell("8K", concurrency, &figures)]
    }

    #[test]
    fn a_gap_begins_at_1_3() {
        let gap = |total: f64, active: Option<f64>| {
            let mut cells = rates(10, Figure::exact(total), Figure::exact(10.0));
            if let Some(active) = active {
                cells[0]
                    .figures
                    .set(Metric::ActiveRequests, Figure::exact(active));
            }
            found(Rule::PerRequestGap, cells).map(|f| f.sentence)
        };
        assert_eq!(gap(129.9, None), None);
        assert_eq!(
            gap(130.0, None).unwrap(),
            "In 1 cell, total ÷ requests asked for is at least 1.3 times the per-request tok/s that the tool gives; the most at 8K × 10, 1.30 times (13.0 against 10.0 tok/s)."
        );
        // Active requests are what counts where they are known; none active is not known.
        assert_eq!(gap(103.9, Some(8.0)), None);
        assert!(gap(104.0, Some(8.0)).unwrap().contains("active requests"));
        assert!(gap(130.0, Some(0.0)).is_some());
    }

    #[test]
    fn one_request_cannot_give_more_than_its_own_speed() {
        let found = |concurrency, total, own| {
            found(Rule::Contradiction, rates(concurrency, total, own)).map(|f| f.sentence)
        };
        let exact = Figure::exact;
        assert_eq!(found(1, exact(110.0), exact(100.0)), None);
        assert_eq!(
            found(1, exact(110.2), exact(100.0)).unwrap(),
            "One request cannot give more than its own speed: at 8K × 1 the total is 110.2 tok/s, the request's own speed 100.0 tok/s."
        );
        assert_eq!(found(2, exact(300.0), exact(100.0)), None);
        // 111 may be 110.5, and 100 may be 100.5, × 1.1 = 110.55.
        let rounded = |value| Figure::rounded(value, 1.0);
        assert_eq!(found(1, rounded(111.0), rounded(100.0)), None);
        assert!(found(1, rounded(112.0), rounded(100.0)).is_some());
    }

    #[test]
    fn tokens_and_seconds_must_give_the_total() {
        let found = |total, tokens, seconds| {
            let figures = [
                (Metric::TotalTokPerS, total),
                (Metric::OutputTokens, tokens),
                (Metric::MeasuredSeconds, seconds),
            ];
            found(Rule::Arithmetic, vec![cell("8K", 4, &figures)]).map(|f| f.sentence)
        };
        let exact = Figure::exact;
        for (tokens, off) in [(2969.0, true), (2970.0, false), (3030.0, false)] {
            assert_eq!(
                found(exact(100.0), exact(tokens), exact(30.0)).is_some(),
                off,
                "{tokens}"
            );
        }
        assert_eq!(
            found(exact(100.0), exact(3031.0), exact(30.0)).unwrap(),
            "In 1 cell, output tokens ÷ measured time is off total tok/s by more than 1 %; the most at 8K × 4: 3,031 tokens in 30.0 s are 101.0 tok/s, the total says 100.0 tok/s."
        );
        // 30.0 s may be 30.05 s and 100.0 may be 100.05: 1.01 × 100.05 × 30.05 = 3,036.6 tokens.
        let tenths = |value| Figure::rounded(value, 0.1);
        assert_eq!(found(tenths(100.0), exact(3036.0), tenths(30.0)), None);
        assert!(found(tenths(100.0), exact(3037.0), tenths(30.0)).is_some());
        // 0 s rounded to whole seconds may be any time up to half a second.
        let whole = |value| Figure::rounded(value, 1.0);
        assert_eq!(found(exact(100.0), exact(30.0), whole(0.0)), None);
    }

    #[test]
    fn a_rise_beyond_the_band_is_noise() {
        let row = |totals: &[(&str, Figure)]| {
            let cells = totals
                .iter()
                .map(|(label, total)| cell(label, 4, &[(Metric::TotalTokPerS, *total)]))
                .collect();
            found(Rule::Noise, cells)
        };
        let exact = Figure::exact;
        assert_eq!(row(&[("8K", exact(100.0)), ("16K", exact(107.0))]), None);
        let finding = row(&[("8K", exact(100.0)), ("16K", exact(107.1))]).unwrap();
        assert_eq!(finding.cells, ["c16k-n4"]);
        assert_eq!(
            finding.sentence,
            "Total tok/s rises with context by more than the 7 % by which two single measurements differ anyway: by 7.1 % from 8K to 16K with 4 requests (100.0 tok/s, then 107.1 tok/s)."
        );
        // 108 may be 107.5 and 100 may be 100.5, × 1.07 = 107.535.
        let whole = |value| Figure::rounded(value, 1.0);
        assert_eq!(row(&[("8K", whole(100.0)), ("16K", whole(108.0))]), None);
        assert!(row(&[("8K", whole(100.0)), ("16K", whole(109.0))]).is_some());
        // Only from one measured context to the next: not over two steps, and not for contexts
        // whose sizes are not known.
        assert_eq!(
            row(&[
                ("8K", exact(100.0)),
                ("16K", exact(105.0)),
                ("32K", exact(110.0))
            ]),
            None
        );
        assert_eq!(
            row(&[("long", exact(100.0)), ("longer", exact(200.0))]),
            None
        );
    }

    #[test]
    fn a_context_without_a_figure_is_stepped_over() {
        let total = |value| [(Metric::TotalTokPerS, Figure::exact(value))];
        let mut failed = cell("16K", 4, &total(90.0));
        failed.status = Status::Failed;
        let cells = vec![
            cell("8K", 4, &total(100.0)),
            failed,
            cell("32K", 4, &total(120.0)),
            cell("64K", 8, &total(500.0)),
        ];
        let finding = found(Rule::Noise, cells).unwrap();
        assert_eq!(finding.cells, ["c32k-n4"]);
        assert!(finding.sentence.contains("by 20.0 % from 8K to 32K"));
    }

    #[test]
    fn many_rises_are_counted() {
        let cells = (0..5)
            .map(|i| {
                let total = Figure::exact(100.0 * 2_f64.powi(i));
                cell(&format!("{}K", 8 << i), 1, &[(Metric::TotalTokPerS, total)])
            })
            .collect();
        let finding = found(Rule::Noise, cells).unwrap();
        assert_eq!(finding.cells.len(), 4);
        assert!(finding.sentence.contains(": 4 times, the most by 100.0 %"));
    }
}
