//! `measurements.csv`: every measurement of a run, unrounded, a column for each metric that the
//! run has, named as in `run.json`.

use crate::run::{Metric, Phase, Run};

/// The table, with a head line; numbers as in `run.json`, absent ones empty.
pub fn measurements(run: &Run) -> Vec<u8> {
    let mut columns: Vec<(Metric, bool)> = Vec::new();
    for metric in Metric::ALL {
        let figures = || {
            Phase::ALL
                .iter()
                .flat_map(|p| run.phase(*p))
                .filter_map(|m| m.get(*metric))
        };
        if figures().next().is_some() {
            columns.push((*metric, figures().any(|f| f.step.is_some())));
        }
    }
    let mut head: Vec<String> = [
        "phase",
        "context_label",
        "context_tokens",
        "concurrency",
        "status",
        "status_text",
        "reason",
    ]
    .map(str::to_owned)
    .to_vec();
    for (metric, stepped) in &columns {
        head.push(metric.info().key.to_owned());
        if *stepped {
            head.push(format!("{}_step", metric.info().key));
        }
    }
    let mut rows = vec![head];
    for phase in Phase::ALL {
        for m in run.phase(*phase) {
            let mut row = vec![
                phase.key().to_owned(),
                cell(&m.context.label),
                m.context.tokens.map(|t| t.to_string()).unwrap_or_default(),
                m.concurrency.to_string(),
                m.status.key().to_owned(),
                cell(m.status_text.as_deref().unwrap_or_default()),
                cell(m.reason.as_deref().unwrap_or_default()),
            ];
            for (metric, stepped) in &columns {
                let figure = m.get(*metric);
                row.push(figure.map(|f| f.value.to_string()).unwrap_or_default());
                if *stepped {
                    row.push(
                        figure
                            .and_then(|f| f.step)
                            .map(|s| s.to_string())
                            .unwrap_or_default(),
                    );
                }
            }
            rows.push(row);
        }
    }
    write(&rows)
}

fn write(rows: &[Vec<String>]) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        // Writing to a vector cannot fail, and all rows have the length of the head.
        let _infallible = writer.write_record(row);
    }
    writer.into_inner().unwrap_or_default()
}

/// Text that a spreadsheet must not take for a formula gets an apostrophe in front
/// (OWASP, "CSV Injection").
fn cell(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}
