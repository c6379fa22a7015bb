//! The table of all measurements: a row for each, a column for each figure that any of them has.

use super::run::{head, status_with_reason};
use super::table::{ABSENT, Cell, Column, Row, Table};
use crate::run::metric::Display;
use crate::run::{Context, Measurement, Metric, Phase, Run};

/// Every measurement of a run; `None` where there is none.
pub(super) fn measurements_table(run: &Run) -> Option<Table> {
    let mut table = Table {
        caption: caption(run),
        columns: vec![
            Column::text("Phase"),
            Column::text("Context"),
            Column::number("Requests at once"),
            Column::text("Status"),
        ],
        rows: Vec::new(),
        sortable: true,
    };
    let fixed = table.columns.len();
    table
        .columns
        .extend(Metric::ALL.iter().map(|m| Column::number(head(*m))));
    table.columns.push(Column::text("Tokens counted by"));
    table.columns.push(Column::text("Method"));
    for phase in Phase::ALL {
        for (m, anchor) in run.phase(*phase).iter().zip(run.anchors(*phase)) {
            let mut cells = vec![
                Cell::text(phase.label()),
                context(&m.context),
                Cell::text(m.concurrency.to_string()),
                Cell::text(status_with_reason(m)),
            ];
            cells.extend(Metric::ALL.iter().map(|metric| figure(m, *metric)));
            for text in [&m.token_source, &m.method] {
                cells.push(Cell::text(text.as_deref().unwrap_or(ABSENT)));
            }
            table.rows.push(Row::from(cells).anchor(anchor));
        }
    }
    table.drop_empty_columns(fixed);
    (!table.rows.is_empty()).then_some(table)
}

/// "16K" comes after "8K".
fn context(context: &Context) -> Cell {
    match context.order() {
        (u64::MAX, _) => Cell::text(&context.label),
        (tokens, _) => Cell::figure(&context.label, tokens as f64),
    }
}

/// A figure of a measurement.
pub(super) fn figure(m: &Measurement, metric: Metric) -> Cell {
    let Some(figure) = m.get(metric) else {
        return Cell::text(ABSENT);
    };
    let in_shown_unit = match metric.info().display {
        Display::Percent => figure.value * 100.0,
        _ => figure.value,
    };
    Cell::figure(metric.show(figure), in_shown_unit)
}

/// Latencies whose heads name no statistic, with their names in a sentence.
const MEDIANS: &[(Metric, &str)] = &[
    (Metric::TtftMs, "TTFT"),
    (Metric::ItlMs, "time between tokens"),
    (Metric::ChunkItlMs, "time between stream chunks"),
    (Metric::RequestLatencyMs, "request latency"),
];

/// Latencies whose heads name their statistic, by that name.
const NAMED: &[(&str, &[Metric])] = &[
    ("mean", &[Metric::TtftMeanMs, Metric::ItlMeanMs]),
    (
        "p90",
        &[
            Metric::TtftP90Ms,
            Metric::ItlP90Ms,
            Metric::RequestLatencyP90Ms,
        ],
    ),
    (
        "p99",
        &[
            Metric::TtftP99Ms,
            Metric::ItlP99Ms,
            Metric::RequestLatencyP99Ms,
        ],
    ),
];

/// Which statistic each latency column is, of the columns that are there.
fn caption(run: &Run) -> String {
    let shown = |metric: &Metric| {
        let mut phases = Phase::ALL.iter();
        phases.any(|phase| run.phase(*phase).iter().any(|m| m.get(*metric).is_some()))
    };
    let medians: Vec<&str> = MEDIANS
        .iter()
        .filter(|(metric, _)| shown(metric))
        .map(|(_, name)| *name)
        .collect();
    let named: Vec<&str> = NAMED
        .iter()
        .filter(|(_, metrics)| metrics.iter().any(shown))
        .map(|(name, _)| *name)
        .collect();
    let mut parts = Vec::new();
    match medians.as_slice() {
        [] => {}
        [one] => parts.push(format!("{one} is the median")),
        many => parts.push(format!("{} are medians", listed(many))),
    }
    match named.as_slice() {
        [] => {}
        [one] => parts.push(format!("{one} is named in the head")),
        many => parts.push(format!("{} are named in the head", listed(many))),
    }
    let mut sentences = Vec::new();
    // The importer of report texts would take a sentence that begins with "TTFT is" for a note.
    if !parts.is_empty() {
        sentences.push(format!("Latencies: {}.", parts.join("; ")));
    }
    if shown(&Metric::TotalTokPerS) {
        sentences.push("Total tok/s is output across all simultaneous requests.".to_owned());
    }
    sentences.join(" ")
}

/// "a", "a and b", "a, b and c".
fn listed(words: &[&str]) -> String {
    match words {
        [start @ .., last] if !start.is_empty() => format!("{} and {last}", start.join(", ")),
        all => all.join(""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::audit::report::{Table as Report, report_a};
    use crate::run::{Figure, Status};

    fn with(metrics: &[Metric]) -> Run {
        let mut run = Run::new();
        run.decode.push(Measurement {
            context: Context::from_label("8K", true),
            concurrency: 1,
            figures: metrics
                .iter()
                .map(|m| (*m, Figure::exact(1234.5)))
                .collect(),
            ..Measurement::default()
        });
        run
    }

    #[test]
    fn the_caption_names_the_statistic_of_each_latency() {
        let caption = |metrics: &[Metric]| measurements_table(&with(metrics)).unwrap().caption;
        use Metric::*;
        assert_eq!(caption(&[TtftMs]), "Latencies: TTFT is the median.");
        assert_eq!(
            caption(&[TotalTokPerS, TtftMs, ItlMs, RequestLatencyMs]),
            "Latencies: TTFT, time between tokens and request latency are medians. Total tok/s is output across all simultaneous requests."
        );
        assert_eq!(
            caption(&[ItlMs, TtftMeanMs, ItlP99Ms]),
            "Latencies: time between tokens is the median; mean and p99 are named in the head."
        );
        assert_eq!(
            caption(&[TtftP99Ms]),
            "Latencies: p99 is named in the head."
        );
        assert_eq!(caption(&[OutputTokens]), "");
    }

    #[test]
    fn every_latency_has_a_statistic() {
        let all: Vec<Metric> = NAMED.iter().flat_map(|(_, m)| m.iter().copied()).collect();
        for metric in Metric::ALL.iter().filter(|m| m.info().unit == "ms") {
            let median = MEDIANS.iter().any(|(m, _)| m == metric);
            assert!(median != all.contains(metric), "{metric:?}");
        }
    }

    #[test]
    fn rows_lead_to_their_measurements_and_sort_by_number() {
        let table = measurements_table(&report_a().run()).unwrap();
        let anchors: Vec<&str> = table.rows.iter().map(|r| r.anchor.as_str()).collect();
        assert_eq!(anchors.len(), 55);
        assert_eq!(anchors[0], "p8k");
        assert_eq!(anchors[7], "c8k-n1");
        let first = &table.rows[0].cells;
        let at = |label: &str| table.columns.iter().position(|c| c.label == label).unwrap();
        assert_eq!(first[at("Context")].value, "8192");
        assert_eq!(first[at("Prompt tok/s")].text, "13.7K");
        assert_eq!(first[at("Prompt tok/s")].value, "13700");
        assert_eq!(first[at("Total tok/s")].text, ABSENT);
        assert_eq!(first[at("Total tok/s")].value, "");
        assert_eq!(
            table.rows[7].cells[at("Total tok/s")].value,
            "",
            "82.9 is a number"
        );
        assert_eq!(table.rows[9].cells[at("TTFT (ms)")].value, "1429");
    }

    #[test]
    fn only_columns_that_are_empty_in_every_row_are_hidden() {
        let labels = |run: &Run| -> Vec<String> {
            let table = measurements_table(run).unwrap();
            table.columns.into_iter().map(|c| c.label).collect()
        };
        let mut report = report_a();
        let full = labels(&report.run());
        report.drop_column(Report::PER_REQUEST);
        let without = labels(&report.run());
        assert_eq!(full.len(), without.len() + 1);
        assert!(!without.contains(&"Per request tok/s".to_owned()));
        // One figure in any row brings its column back; the status stands although it has none.
        let mut run = report.run();
        run.decode[47]
            .figures
            .set(Metric::PerRequestTokPerS, Figure::exact(1.0));
        assert_eq!(labels(&run), full);
        run.decode[0].status = Status::Failed;
        assert_eq!(labels(&run), full);
    }
}
