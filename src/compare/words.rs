//! What a comparison says in sentences. None says more than the figures do: each names how many
//! cells it rests on.

use super::cells::{CellState, PhaseComparison};
use super::metrics::DeltaMetric;
use super::ratio::{Difference, Side};
use super::summary::{Crossing, MetricComparison, Summary};
use super::things::{Thing, Verdict};
use super::{Comparison, RunSide};
use crate::run::figure::format_number;
use crate::run::metric::Direction;
use crate::run::{Phase, Status};

/// A ratio with three significant digits, never fewer than the decimals of "0.01": "2.71",
/// "12.3", "0.054"; beyond what a reader can tell apart only a bound: "<0.0001".
pub fn ratio(value: f64) -> String {
    if value < 0.0001 {
        return "<0.0001".to_owned();
    }
    if value > 1e6 {
        return ">1,000,000".to_owned();
    }
    let decimals = match value {
        v if v >= 100.0 => 0,
        v if v >= 10.0 => 1,
        v if v >= 0.1 => 2,
        v if v >= 0.01 => 3,
        _ => 4,
    };
    format_number(value, decimals)
}

/// A share in percent, with the digits that it has: "7 %", "2.5 %", "0.04 %".
pub fn percent(share: f64) -> String {
    // What multiplying by 100 leaves behind the last digit is dropped.
    format!("{} %", (share * 1e10).round() / 1e8)
}

/// "1 cell", "9 cells".
fn counted(n: usize, noun: &str) -> String {
    match n {
        1 => format!("1 {noun}"),
        n => format!("{} {noun}s", format_number(n as f64, 0)),
    }
}

fn join(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// What the two runs are called: their titles; where these are the same, their slugs; else A and B.
fn names(a: &RunSide, b: &RunSide) -> (String, String) {
    if a.title != b.title {
        (a.title.clone(), b.title.clone())
    } else if a.slug != b.slug && !a.slug.is_empty() && !b.slug.is_empty() {
        (a.slug.clone(), b.slug.clone())
    } else {
        ("A".to_owned(), "B".to_owned())
    }
}

/// The metric that the title speaks of: the first with a valid cell, in decode, else in prefill,
/// else in the burst.
pub(super) fn headline(comparison: &Comparison) -> Option<(&PhaseComparison, &MetricComparison)> {
    let order = [
        (&comparison.decode, DeltaMetric::Total),
        (&comparison.decode, DeltaMetric::PerRequest),
        (&comparison.decode, DeltaMetric::Itl),
        (&comparison.decode, DeltaMetric::Ttft),
        (&comparison.prefill, DeltaMetric::Prefill),
        (&comparison.prefill, DeltaMetric::Ttft),
        (&comparison.burst, DeltaMetric::Total),
        (&comparison.burst, DeltaMetric::PerRequest),
        (&comparison.burst, DeltaMetric::Itl),
        (&comparison.burst, DeltaMetric::Ttft),
    ];
    order.into_iter().find_map(|(phase, metric)| {
        let found = phase.metric(metric)?;
        (found.valid.n > 0).then_some((phase, found))
    })
}

/// The title: the result in a sentence without a full stop, with the number of cells.
pub(super) fn title(comparison: &Comparison) -> String {
    let (a, b) = names(&comparison.a, &comparison.b);
    match headline(comparison) {
        Some((phase, metric)) => result(&a, &b, phase, metric),
        None => nothing(&a, &b, comparison),
    }
}

/// Why nothing can be compared.
fn nothing(a: &str, b: &str, comparison: &Comparison) -> String {
    let counts = &comparison.decode.counts;
    let why = match (counts.compared, counts.compared_valid) {
        (0, _) => "have no measured cell in common".to_owned(),
        (n, 0) if counts.queued == n => {
            let cells = match n {
                1 => "the one cell that both measured".to_owned(),
                n => format!("all {n} cells that both measured"),
            };
            format!("had requests queued in {cells}")
        }
        (_, 0) => "have no valid cell in common".to_owned(),
        _ => "have no figure in common".to_owned(),
    };
    format!("Nothing can be compared: {a} and {b} {why}")
}

fn noun(phase: &PhaseComparison, metric: DeltaMetric) -> String {
    match phase.phase {
        Phase::Decode => metric.noun().to_owned(),
        Phase::Prefill if metric == DeltaMetric::Ttft => "prefill TTFT".to_owned(),
        Phase::Prefill => metric.noun().to_owned(),
        Phase::Burst => format!("{} of the burst", metric.noun()),
    }
}

/// What a valid place is called: a cell of a matrix, a point of prefill.
fn places(phase: &PhaseComparison) -> (&'static str, &'static str) {
    match phase.phase {
        Phase::Prefill => ("valid prefill point", "valid prefill points"),
        Phase::Decode | Phase::Burst => ("valid cell", "valid cells"),
    }
}

fn result(a: &str, b: &str, phase: &PhaseComparison, metric: &MetricComparison) -> String {
    let Summary {
        n,
        faster,
        slower,
        unclear,
        ..
    } = metric.valid;
    let noun = noun(phase, metric.metric);
    let (one, many) = places(phase);
    let only = || {
        format!(
            "in the one {one} that both have, {}",
            only_cell(phase, metric)
        )
    };
    let mean = metric
        .valid
        .means
        .map(|m| (ratio(m.geometric_mean), ratio(m.min), ratio(m.max)));
    let Some((mean, min, max)) = mean else {
        return format!("Nothing can be compared: {a} and {b} have no {one} in common");
    };
    if n == 1 {
        return if unclear == 1 {
            format!(
                "No clear difference in {noun} between {a} and {b} {}",
                only()
            )
        } else {
            format!("{b} has {mean} times the {noun} of {a} {}", only())
        };
    }
    if faster == n || slower == n {
        return format!(
            "{b} has {mean} times the {noun} of {a}: geometric mean of {n} {many}, from {min} to {max}"
        );
    }
    if unclear == n {
        return format!("No clear difference in {noun} between {a} and {b} in all {n} {many}");
    }
    if slower == 0 || faster == 0 {
        let (clear, first, second) = match slower {
            0 => (faster, b, a),
            _ => (slower, a, b),
        };
        return format!(
            "{first} is faster than {second} in {clear} of {n} {many} by {noun}, with no clear difference in {}",
            rest(unclear)
        );
    }
    let shares = match unclear {
        0 => format!("faster in {faster}, slower in {slower}"),
        _ => format!("faster in {faster}, slower in {slower}, no clear difference in {unclear}"),
    };
    match metric.crossing {
        Some(crossing) => format!(
            "{b} is {} by {noun}: of {n} {many}, {shares}",
            turning(a, crossing)
        ),
        None => format!(
            "{b} is faster than {a} in some cells and slower in others by {noun}: of {n} {many}, {shares}"
        ),
    }
}

fn rest(unclear: usize) -> String {
    match unclear {
        1 => "the other one".to_owned(),
        n => format!("the other {n}"),
    }
}

/// "faster than A up to 16 requests and slower from 32".
fn turning(a: &str, crossing: Crossing) -> String {
    let (first, then) = match crossing.low {
        Side::B => ("faster", "slower"),
        Side::A => ("slower", "faster"),
    };
    let up_to = match crossing.up_to {
        1 => "with 1 request".to_owned(),
        n => format!("up to {n} requests"),
    };
    format!("{first} than {a} {up_to} and {then} from {}", crossing.from)
}

/// The place of the only ratio.
fn only_cell(phase: &PhaseComparison, metric: &MetricComparison) -> String {
    let mut cells = phase.cells.iter().zip(&metric.deltas);
    let cell = cells.find(|(_, d)| d.ratio.is_some() && d.apart.is_none());
    cell.map(|(cell, _)| phase.cell_name(cell))
        .unwrap_or_default()
}

/// Where the faster run changes: "B is faster up to 16 requests, A from 32."
pub fn crossing_sentence(crossing: Crossing) -> String {
    let up_to = match crossing.up_to {
        1 => "with 1 request".to_owned(),
        n => format!("up to {n} requests"),
    };
    format!(
        "{} is faster {up_to}, {} from {}.",
        crossing.low.letter(),
        crossing.low.other().letter(),
        crossing.from
    )
}

/// "Per GPU, B has 5.42 times the total tok/s of A (2 GPUs against 4): …"; `None` where the
/// numbers of GPUs are not known, or are the same.
pub(super) fn per_gpu(comparison: &Comparison) -> Option<String> {
    let (of_a, of_b) = (comparison.a.gpu_count?, comparison.b.gpu_count?);
    let metric = comparison.decode.metric(DeltaMetric::TotalPerGpu)?;
    let means = metric.valid.means?;
    if of_a == of_b {
        return None;
    }
    let gpus = |n: u64| {
        if n == 1 {
            "1 GPU".to_owned()
        } else {
            format!("{n} GPUs")
        }
    };
    let n = metric.valid.n;
    let against = format!("{} against {of_a}", gpus(of_b));
    if metric.valid.unclear == n {
        return Some(format!(
            "Per GPU ({against}) there is no clear difference in total tok/s in {}.",
            counted(n, "valid cell")
        ));
    }
    if metric.valid.faster > 0 && metric.valid.slower > 0 {
        return Some(format!(
            "Per GPU ({against}), B is faster in {} and slower in {} of {}.",
            metric.valid.faster,
            metric.valid.slower,
            counted(n, "valid cell")
        ));
    }
    let range = match n {
        1 => String::new(),
        _ => format!(", from {} to {}", ratio(means.min), ratio(means.max)),
    };
    Some(format!(
        "Per GPU ({against}), B has {} times the total tok/s of A{range}.",
        ratio(means.geometric_mean)
    ))
}

/// The verdict with what it rests on, as sentences.
pub(super) fn verdict(comparison: &Comparison) -> String {
    let things = &comparison.things;
    let mut text = match comparison.verdict {
        Verdict::LikeForLike => {
            "Like for like: nothing that bears on speed differs, as far as both runs tell."
                .to_owned()
        }
        Verdict::OneThing | Verdict::FewThings => {
            let words: Vec<String> = things.iter().map(Thing::words).collect();
            format!(
                "{}: {}.",
                capital(&comparison.verdict.words(things)),
                join(&words)
            )
        }
        Verdict::NotControlled => {
            let mut words: Vec<String> = things
                .iter()
                .filter(|thing| !thing.only_flags)
                .map(Thing::words)
                .collect();
            let flags = comparison.launch.counts.differ();
            if flags > 0 {
                words.push(counted(flags, "launch flag"));
            } else {
                words.extend(things.iter().filter(|t| t.only_flags).map(Thing::words));
            }
            format!(
                "Not a controlled comparison: the runs differ in {}.",
                join(&words)
            )
        }
    };
    let one = &comparison.told_by_one;
    if !one.is_empty() {
        const MOST: usize = 4;
        let mut names: Vec<String> = one.iter().take(MOST).cloned().collect();
        if one.len() > MOST {
            names.push(format!("{} more", one.len() - MOST));
        }
        text.push_str(&format!(" Only one of them tells its {}.", join(&names)));
    }
    text
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// What can be compared, in numbers: "42 cells compared, 38 of them valid on both sides and 4 with
/// queued requests; 6 lost: B was over capacity there."
pub fn counts(phase: &PhaseComparison) -> String {
    let counts = &phase.counts;
    let noun = match phase.phase {
        Phase::Prefill => "prefill point",
        Phase::Decode => "cell",
        Phase::Burst => "burst cell",
    };
    let mut text = match counts.compared {
        0 => format!("No {noun} can be compared"),
        n if n == counts.compared_valid => {
            format!("{} compared, valid on both sides", counted(n, noun))
        }
        n => {
            let mut parts = vec![format!("{} valid on both sides", counts.compared_valid)];
            if counts.queued > 0 {
                parts.push(format!("{} with queued requests", counts.queued));
            }
            if counts.other_status > 0 {
                parts.push(format!("{} of another status", counts.other_status));
            }
            format!("{} compared, {}", counted(n, noun), join(&parts))
        }
    };
    let refused = |state: CellState, side: Side| {
        let (mut over, mut failed) = (false, false);
        for cell in phase.cells.iter().filter(|cell| cell.state == state) {
            let of = match side {
                Side::A => &cell.a,
                Side::B => &cell.b,
            };
            match of.as_ref().map(|s| s.status) {
                Some(Status::OverCapacity) => over = true,
                _ => failed = true,
            }
        }
        let words = match (over, failed) {
            (true, true) => "was over capacity or failed",
            (true, false) => "was over capacity",
            _ => "failed",
        };
        format!("{} {words} there", side.letter())
    };
    if counts.lost > 0 {
        let why = refused(CellState::Lost, Side::B);
        text.push_str(&format!("; {} lost: {why}", counts.lost));
    }
    if counts.gained > 0 {
        let why = refused(CellState::Gained, Side::A);
        text.push_str(&format!("; {} gained: {why}", counts.gained));
    }
    for (n, words) in [
        (counts.only_a, "only in A"),
        (counts.only_b, "only in B"),
        (counts.not_measured_a, "not measured in A"),
        (counts.not_measured_b, "not measured in B"),
    ] {
        if n > 0 {
            text.push_str(&format!("; {n} {words}"));
        }
    }
    text.push('.');
    text
}

/// What one metric says, in a sentence with its n: for lists, Markdown and the terminal.
pub fn metric_sentence(metric: &MetricComparison) -> String {
    let summary = &metric.valid;
    let Some(means) = summary.means else {
        return "no valid cell to compare".to_owned();
    };
    let mean = format!(
        "{} (from {} to {}, n = {})",
        ratio(means.geometric_mean),
        ratio(means.min),
        ratio(means.max),
        summary.n
    );
    let words = match (summary.faster, summary.slower, summary.unclear) {
        (0, 0, _) => Difference::Unclear.words().to_owned(),
        (n, 0, 0) if n == summary.n => "faster in all".to_owned(),
        (0, n, 0) if n == summary.n => "slower in all".to_owned(),
        (faster, slower, unclear) => {
            let mut parts = Vec::new();
            for (n, words) in [
                (faster, "faster"),
                (slower, "slower"),
                (unclear, "no clear difference"),
            ] {
                if n > 0 {
                    parts.push(format!("{words} in {n}"));
                }
            }
            parts.join(", ")
        }
    };
    format!("{mean}: {words}")
}

/// What stands apart from the means: "3 cells with queued requests (×2.79), 6 with a doubted TTFT
/// (×0.03)."; `None` where nothing does.
pub fn apart_sentence(metric: &MetricComparison) -> Option<String> {
    let mut parts = Vec::new();
    for (summary, words) in [
        (&metric.queued, "with queued requests"),
        (&metric.doubted, "with a TTFT that includes prefill"),
        (&metric.other_status, "of another status"),
    ] {
        if let Some(means) = summary.means {
            parts.push(format!(
                "{} {words} ({})",
                counted(summary.n, "cell"),
                ratio(means.geometric_mean)
            ));
        }
    }
    if metric.without_ratio > 0 {
        let n = metric.without_ratio;
        parts.push(format!("{} without a ratio", counted(n, "cell")));
    }
    (!parts.is_empty()).then(|| format!("Apart: {}.", parts.join(", ")))
}

/// How the ratios of a metric are to be read: "above 1 is faster".
pub fn better(metric: DeltaMetric) -> &'static str {
    match metric.metric().info().direction {
        Direction::Higher => "above 1 is faster",
        Direction::Lower => "below 1 is faster",
        Direction::Neutral => "neither way is better",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_have_the_digits_that_they_have_and_ratios_have_bounds() {
        let shares = [
            (0.07, "7 %"),
            (0.025, "2.5 %"),
            (0.0004, "0.04 %"),
            (0.0725, "7.25 %"),
        ];
        for (share, words) in shares {
            assert_eq!(percent(share), words);
        }
        assert_eq!(ratio(1e-9), "<0.0001");
        assert_eq!(ratio(1e12), ">1,000,000");
    }
}
