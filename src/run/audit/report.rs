//! For tests: the tables of all measurements of the two published reports, to change and to make
//! runs of. It reads just enough of a row; the importer of report texts is another matter.

use crate::run::figure::parse_figure;
use crate::run::{Context, Fact, FactValue, Measurement, Metric, Run, Status};

/// 397B on 4 × H200 SXM, tab-separated.
pub(crate) fn report_a() -> Table {
    Table::read(include_str!(
        "../../../tests/fixtures/reports/000_0c695113e7a3cf0b.txt"
    ))
}

/// 122B on 2 × H200 NVL, with pipes.
pub(crate) fn report_b() -> Table {
    Table::read(include_str!(
        "../../../tests/fixtures/reports/001_9ca01d13c50de007.txt"
    ))
}

/// The rows of "All measurements", cell by cell.
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    const CONTEXT: usize = 1;
    const CONCURRENCY: usize = 2;
    pub(crate) const STATUS: usize = 3;
    pub(crate) const TOTAL: usize = 4;
    pub(crate) const PER_REQUEST: usize = 5;
    pub(crate) const TTFT: usize = 6;

    const METRICS: [Metric; 8] = [
        Metric::TotalTokPerS,
        Metric::PerRequestTokPerS,
        Metric::TtftMs,
        Metric::ItlMs,
        Metric::ActiveRequests,
        Metric::CompletedRequests,
        Metric::OutputTokens,
        Metric::MeasuredSeconds,
    ];

    fn read(text: &str) -> Self {
        let rows: Vec<Vec<String>> = text
            .lines()
            .map(|line| line.trim_start_matches("| ").trim_end_matches(" |"))
            .filter(|line| {
                line.starts_with("Prefill\t")
                    || line.starts_with("Sustained decode\t")
                    || line.starts_with("Prefill |")
                    || line.starts_with("Sustained decode |")
            })
            .map(|line| {
                let separator = if line.contains('\t') { "\t" } else { " | " };
                line.split(separator).map(str::to_owned).collect()
            })
            .collect();
        assert_eq!(rows.len(), 55, "7 prefill points and 6 × 8 cells");
        Self { rows }
    }

    fn decode_row(&mut self, context: &str, concurrency: u64) -> &mut Vec<String> {
        self.rows
            .iter_mut()
            .find(|row| {
                row[0] != "Prefill"
                    && row[Self::CONTEXT] == context
                    && row[Self::CONCURRENCY] == concurrency.to_string()
            })
            .unwrap()
    }

    pub(crate) fn set(&mut self, context: &str, concurrency: u64, column: usize, text: &str) {
        self.decode_row(context, concurrency)[column] = text.to_owned();
    }

    /// Multiplies a figure of all cells of one concurrency.
    pub(crate) fn scale(&mut self, concurrency: u64, column: usize, factor: f64) {
        for row in &mut self.rows {
            if row[0] != "Prefill"
                && row[Self::CONCURRENCY] == concurrency.to_string()
                && let Ok(figure) = parse_figure(&row[column])
            {
                row[column] = format!("{:.1}", figure.value * factor);
            }
        }
    }

    /// Takes a figure from all cells of decode.
    pub(crate) fn drop_column(&mut self, column: usize) {
        for row in &mut self.rows {
            if row[0] != "Prefill" {
                row[column] = "—".to_owned();
            }
        }
    }

    pub(crate) fn drop_concurrency(&mut self, concurrency: u64) {
        self.rows
            .retain(|row| row[0] == "Prefill" || row[Self::CONCURRENCY] != concurrency.to_string());
    }

    /// Exchanges the figures of two cells.
    pub(crate) fn exchange(&mut self, a: (&str, u64), b: (&str, u64)) {
        let first = self.decode_row(a.0, a.1)[Self::STATUS..].to_vec();
        let second = self.decode_row(b.0, b.1)[Self::STATUS..].to_vec();
        self.decode_row(a.0, a.1).truncate(Self::STATUS);
        self.decode_row(a.0, a.1).extend(second);
        self.decode_row(b.0, b.1).truncate(Self::STATUS);
        self.decode_row(b.0, b.1).extend(first);
    }

    pub(crate) fn run(&self) -> Run {
        let mut run = Run::new();
        run.facts.set_text(Fact::DecodeTest, "Fixed duration");
        run.facts
            .set(Fact::SecondsPerMeasurement, FactValue::Number(30.0));
        for row in &self.rows {
            let prefill = row[0] == "Prefill";
            let mut cell = Measurement {
                context: Context::from_label(&row[Self::CONTEXT], true),
                concurrency: row[Self::CONCURRENCY].parse().unwrap(),
                status: Status::from_label(&row[Self::STATUS]).unwrap(),
                ..Measurement::default()
            };
            for (metric, text) in Self::METRICS.iter().zip(&row[Self::TOTAL..]) {
                let text = text.trim_end_matches(" ms").trim_end_matches(" s");
                let metric = match metric {
                    Metric::TotalTokPerS if prefill => Metric::PrefillTokPerS,
                    metric => *metric,
                };
                if text != "—" {
                    cell.figures.set(metric, parse_figure(text).unwrap());
                }
            }
            let phase = if prefill {
                &mut run.prefill
            } else {
                &mut run.decode
            };
            phase.push(cell);
        }
        run.sort();
        run
    }
}
