//! The figures at the head of a run's page, each naming its cell; and what is worked out of a run
//! altogether.

use std::collections::BTreeSet;

use super::audit::{Finding, Noise, Rule, audit};
use super::{Figure, Measurement, Metric, Phase, Run, Status};

/// What each of many requests must get to count for "most requests": a comfortable reading speed.
const EACH: f64 = 20.0;

/// What is worked out of a run: `derived` of `run.json`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Derived {
    /// What the run's own figures say against it.
    pub audit: Vec<Finding>,
    /// The figures at the head of the page.
    pub key_figures: Vec<KeyFigure>,
}

impl Derived {
    /// Works it out.
    pub fn of(run: &Run, noise: &Noise) -> Self {
        let audit = audit(run, noise);
        let key_figures = key_figures(run, &audit);
        Self { audit, key_figures }
    }
}

/// A figure at the head of a run's page.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyFigure {
    /// `one_request`, `highest_total`, `most_at_20` or `fastest_prefill`: stable, for `run.json`.
    pub id: &'static str,
    /// Its name on the page.
    pub label: &'static str,
    /// The figure with its unit, as the page shows it: "82.9 tok/s", "64 requests".
    pub value: String,
    /// The cell it stands in, by its anchor ([`Run::anchor`]).
    pub cell: String,
    /// The cell in words, with what must be known of it: "128 requests at 16K, queued".
    pub words: String,
    /// Which figure of that cell it is.
    pub metric: Metric,
    /// That figure.
    pub figure: Figure,
}

/// The key figures of a run, in the order of the page; those that its figures do not give are left
/// out.
///
/// - `one_request`: total tok/s at concurrency 1 in the shortest context that has it;
/// - `highest_total`: the highest total tok/s, of valid and queued cells;
/// - `most_at_20`: the most requests of a valid cell whose per-request tok/s is at least 20, ties
///   by the higher total. Other per-request speeds (total ÷ requests) are other figures and do not
///   stand in for it;
/// - `fastest_prefill`: the highest prefill rate of a valid point that the audit does not doubt.
///
/// Further ties go to a valid cell, then fewer requests, then the shorter context.
pub fn key_figures(run: &Run, findings: &[Finding]) -> Vec<KeyFigure> {
    [
        one_request(run, findings),
        highest_total(run, findings),
        most_at_20(run, findings),
        fastest_prefill(run, findings),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A cell with the figure that is asked for.
type Candidate<'a> = (&'a Measurement, Figure);

/// The cells of a phase with this figure, the better ones first where the figure is equal.
fn candidates(run: &Run, phase: Phase, metric: Metric) -> Vec<Candidate<'_>> {
    let mut candidates: Vec<Candidate> = run
        .phase(phase)
        .iter()
        .filter(|cell| matches!(cell.status, Status::Valid | Status::Queued))
        .filter_map(|cell| Some((cell, cell.get(metric).filter(|f| f.value > 0.0)?)))
        .collect();
    candidates.sort_by_key(|(cell, _)| (cell.status, cell.concurrency, cell.context.order()));
    candidates
}

/// The candidate with the largest of these numbers; the first of equal ones.
fn best<'a, K: PartialOrd>(
    candidates: impl IntoIterator<Item = Candidate<'a>>,
    key: impl Fn(&Candidate<'a>) -> K,
) -> Option<Candidate<'a>> {
    candidates
        .into_iter()
        .fold(None, |best, candidate| match best {
            Some(best) if key(&candidate) > key(&best) => Some(candidate),
            None => Some(candidate),
            best => best,
        })
}

fn one_request(run: &Run, findings: &[Finding]) -> Option<KeyFigure> {
    let metric = Metric::TotalTokPerS;
    let (cell, figure) = candidates(run, Phase::Decode, metric)
        .into_iter()
        .filter(|(cell, _)| cell.concurrency == 1)
        .min_by_key(|(cell, _)| cell.context.order())?;
    let cell_anchor = run.anchor(Phase::Decode, cell);
    Some(KeyFigure {
        id: "one_request",
        label: "One request alone",
        value: metric.show_with_unit(figure),
        words: format!(
            "context {}{}{}",
            cell.context.label,
            queued(cell),
            doubted(findings, &cell_anchor)
        ),
        cell: cell_anchor,
        metric,
        figure,
    })
}

fn highest_total(run: &Run, findings: &[Finding]) -> Option<KeyFigure> {
    let metric = Metric::TotalTokPerS;
    let all = candidates(run, Phase::Decode, metric);
    let (cell, figure) = best(all, |(_, figure)| figure.value)?;
    let cell_anchor = run.anchor(Phase::Decode, cell);
    Some(KeyFigure {
        id: "highest_total",
        label: "Highest total",
        value: metric.show_with_unit(figure),
        words: format!(
            "{} at {}{}{}",
            requests(cell.concurrency),
            cell.context.label,
            queued(cell),
            doubted(findings, &cell_anchor)
        ),
        cell: cell_anchor,
        metric,
        figure,
    })
}

fn most_at_20(run: &Run, findings: &[Finding]) -> Option<KeyFigure> {
    let metric = Metric::PerRequestTokPerS;
    let total = Metric::TotalTokPerS;
    let fast_enough = candidates(run, Phase::Decode, metric)
        .into_iter()
        .filter(|(cell, each)| cell.status == Status::Valid && each.value >= EACH);
    let (cell, each) = best(fast_enough, |(cell, _)| {
        (cell.concurrency, cell.value(total).unwrap_or(0.0))
    })?;
    let in_total = cell.get(total).map_or_else(String::new, |figure| {
        format!(", {} in total", total.show_with_unit(figure))
    });
    let cell_anchor = run.anchor(Phase::Decode, cell);
    Some(KeyFigure {
        id: "most_at_20",
        label: "Most at ≥ 20 tok/s each",
        value: requests(cell.concurrency),
        words: format!(
            "context {}, {} each{in_total}{}",
            cell.context.label,
            metric.show_with_unit(each),
            doubted(findings, &cell_anchor)
        ),
        cell: cell_anchor,
        metric,
        figure: each,
    })
}

fn fastest_prefill(run: &Run, findings: &[Finding]) -> Option<KeyFigure> {
    let metric = Metric::PrefillTokPerS;
    let implausible: BTreeSet<&String> = findings
        .iter()
        .filter(|finding| finding.rule == Rule::ImplausiblePrefill)
        .flat_map(|finding| &finding.cells)
        .collect();
    let mut points = candidates(run, Phase::Prefill, metric);
    points.retain(|(cell, _)| cell.status == Status::Valid);
    points.sort_by(|(_, a), (_, b)| b.value.total_cmp(&a.value));
    let anchors = run.anchors(Phase::Prefill);
    let doubted: Vec<&Measurement> = run
        .prefill
        .iter()
        .zip(&anchors)
        .filter(|(_, anchor)| implausible.contains(anchor))
        .map(|(cell, _)| cell)
        .collect();
    let (cell, figure) = points
        .into_iter()
        .find(|(cell, _)| !doubted.iter().any(|doubted| std::ptr::eq(*doubted, *cell)))?;
    Some(KeyFigure {
        id: "fastest_prefill",
        label: "Fastest prefill",
        value: metric.show_with_unit(figure),
        cell: run.anchor(Phase::Prefill, cell),
        words: format!("context {}", cell.context.label),
        metric,
        figure,
    })
}

fn requests(n: u64) -> String {
    match n {
        1 => "1 request".to_owned(),
        n => format!("{n} requests"),
    }
}

fn queued(cell: &Measurement) -> &'static str {
    match cell.status {
        Status::Queued => ", queued",
        _ => "",
    }
}

/// What the words of a figure end with where the audit doubts its cell.
pub const DOUBTED: &str = ", contradicted by the cell's other figures";

/// Says so where the audit finds that the cell's own figures contradict each other.
fn doubted(findings: &[Finding], anchor: &str) -> &'static str {
    let against = |finding: &&Finding| {
        matches!(finding.rule, Rule::Contradiction | Rule::Arithmetic)
            && finding.cells.iter().any(|cell| cell == anchor)
    };
    match findings.iter().find(against) {
        Some(_) => DOUBTED,
        None => "",
    }
}

#[cfg(test)]
mod tests {
    use super::super::Context;
    use super::super::audit::report::{Table, report_a, report_b};
    use super::*;

    fn shown(run: &Run) -> Vec<String> {
        Derived::of(run, &Noise::default())
            .key_figures
            .iter()
            .map(|k| format!("{} = {}: {} ({})", k.id, k.value, k.words, k.cell))
            .collect()
    }

    fn cell(label: &str, concurrency: u64, figures: &[(Metric, f64)]) -> Measurement {
        Measurement {
            context: Context::from_label(label, true),
            concurrency,
            figures: figures
                .iter()
                .map(|(metric, value)| (*metric, Figure::exact(*value)))
                .collect(),
            ..Measurement::default()
        }
    }

    #[test]
    fn the_key_figures_of_the_reports() {
        assert_eq!(
            shown(&report_a().run()),
            [
                "one_request = 82.9 tok/s: context 8K (c8k-n1)",
                "highest_total = 2,363.0 tok/s: 128 requests at 16K, queued (c16k-n128)",
                "most_at_20 = 64 requests: context 8K, 21.2 tok/s each, 1,646.0 tok/s in total (c8k-n64)",
                "fastest_prefill = 15K tok/s: context 16K (p16k)",
            ]
        );
        assert_eq!(
            shown(&report_b().run()),
            [
                "one_request = 237.1 tok/s: context 8K (c8k-n1)",
                "highest_total = 6,342.6 tok/s: 128 requests at 8K (c8k-n128)",
                "most_at_20 = 128 requests: context 8K, 40.2 tok/s each, 6,342.6 tok/s in total (c8k-n128)",
                "fastest_prefill = 22.8K tok/s: context 16K (p16k)",
            ]
        );
    }

    #[test]
    fn what_the_figures_do_not_give_is_left_out() {
        let mut table = report_a();
        table.drop_column(Table::PER_REQUEST);
        table.drop_concurrency(1);
        let ids: Vec<&str> = Derived::of(&table.run(), &Noise::default())
            .key_figures
            .iter()
            .map(|k| k.id)
            .collect();
        assert_eq!(ids, ["highest_total", "fastest_prefill"]);
        assert_eq!(Derived::of(&Run::new(), &Noise::default()).key_figures, []);
    }

    #[test]
    fn cells_without_a_valid_figure_do_not_count() {
        let mut table = report_a();
        table.set("8K", 1, Table::STATUS, "Failed");
        table.set("16K", 128, Table::STATUS, "Over capacity");
        table.set("8K", 64, Table::STATUS, "Requests queued");
        assert_eq!(
            shown(&table.run()),
            [
                "one_request = 84.5 tok/s: context 16K (c16k-n1)",
                "highest_total = 2,244.4 tok/s: 128 requests at 8K, queued (c8k-n128)",
                "most_at_20 = 32 requests: context 8K, 30.1 tok/s each, 1,078.8 tok/s in total (c8k-n32)",
                "fastest_prefill = 15K tok/s: context 16K (p16k)",
            ]
        );
    }

    #[test]
    fn twenty_each_is_enough_and_ties_go_to_the_higher_total() {
        let rates = |total, each| {
            [
                (Metric::TotalTokPerS, total),
                (Metric::PerRequestTokPerS, each),
            ]
        };
        let mut run = Run::new();
        run.decode = vec![
            cell("8K", 4, &rates(80.0, 20.0)),
            cell("16K", 4, &rates(81.0, 20.5)),
            cell("16K", 8, &rates(159.0, 19.9)),
        ];
        let found = shown(&run);
        assert_eq!(
            found[1],
            "most_at_20 = 4 requests: context 16K, 20.5 tok/s each, 81.0 tok/s in total (c16k-n4)"
        );
        run.decode[1]
            .figures
            .set(Metric::PerRequestTokPerS, Figure::exact(19.99));
        assert!(shown(&run)[1].contains("context 8K, 20.0 tok/s each"));
    }

    #[test]
    fn equal_totals_prefer_valid_cells_then_fewer_requests() {
        let total = [(Metric::TotalTokPerS, 100.0)];
        let mut run = Run::new();
        run.decode = vec![
            cell("8K", 2, &total),
            cell("8K", 4, &total),
            cell("16K", 4, &total),
        ];
        run.decode[0].status = Status::Queued;
        assert_eq!(
            shown(&run),
            ["highest_total = 100.0 tok/s: 4 requests at 8K (c8k-n4)"]
        );
    }

    #[test]
    fn a_rate_that_the_audit_doubts_is_not_the_fastest() {
        let mut run = Run::new();
        run.prefill = [("32K", 2569.0), ("64K", 244_624.0), ("128K", 2_121_273.0)]
            .map(|(label, rate)| cell(label, 1, &[(Metric::PrefillTokPerS, rate)]))
            .to_vec();
        assert_eq!(
            shown(&run),
            ["fastest_prefill = 2,569 tok/s: context 32K (p32k)"]
        );
    }

    #[test]
    fn a_contradicted_cell_says_so() {
        let mut run = Run::new();
        run.decode = vec![cell(
            "8K",
            1,
            &[
                (Metric::TotalTokPerS, 69.8),
                (Metric::PerRequestTokPerS, 23.8),
            ],
        )];
        assert_eq!(
            shown(&run)[0],
            "one_request = 69.8 tok/s: context 8K, contradicted by the cell's other figures (c8k-n1)"
        );
    }
}
