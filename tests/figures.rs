//! Every figure of both published reports, read back from every form of their pages: HTML,
//! Markdown, JSON and CSV. What must be there is read from the reports by a reader of its own,
//! which shares no code with the product.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use scraper::{Html, Selector};

/// Column of the report → column of our table.
const COLUMNS: &[(&str, &str, &str)] = &[
    // report, page, run.json and CSV
    ("Total tok/s", "Total tok/s", "total_tok_per_s"),
    (
        "Per request tok/s",
        "Per request tok/s",
        "per_request_tok_per_s",
    ),
    ("TTFT", "TTFT (ms)", "ttft_ms"),
    ("Time between tokens", "Time between tokens (ms)", "itl_ms"),
    (
        "Average active requests",
        "Average active requests",
        "active_requests",
    ),
    (
        "Completed requests",
        "Completed requests",
        "completed_requests",
    ),
    ("Output tokens", "Output tokens", "output_tokens"),
    ("Measured for", "Measured for (s)", "measured_seconds"),
];

const STATUS: &[(&str, &str)] = &[
    ("Valid", "valid"),
    ("Requests queued", "queued"),
    ("Over capacity", "over_capacity"),
];

type Row = BTreeMap<String, String>;
type Key = (String, String, String);

struct Report {
    rows: BTreeMap<Key, Row>,
    slug: String,
}

/// The rows of a table given as lines of cells.
fn table(lines: &[Vec<String>]) -> BTreeMap<Key, Row> {
    let head = &lines[0];
    lines[1..]
        .iter()
        .map(|cells| {
            assert_eq!(cells.len(), head.len());
            let row: Row = head.iter().cloned().zip(cells.iter().cloned()).collect();
            (
                (
                    row["Phase"].clone(),
                    row["Context"].clone(),
                    row["Requests at once"].clone(),
                ),
                row,
            )
        })
        .collect()
}

fn pipe_cells(line: &str) -> Vec<String> {
    line.trim()
        .trim_matches('|')
        .split('|')
        .map(|c| c.trim().to_owned())
        .collect()
}

fn reports() -> Vec<Report> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut reports = Vec::new();
    for entry in fs_err::read_dir(root.join("content/runs")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "txt") {
            continue;
        }
        let text = fs_err::read_to_string(&path).unwrap();
        let lines: Vec<Vec<String>> = text
            .lines()
            .filter_map(|line| {
                let line = &line[line.find("| Phase |").unwrap_or(0)..];
                if line.starts_with('|') && !line.starts_with("|--") {
                    Some(pipe_cells(line))
                } else if line.contains('\t') {
                    Some(line.split('\t').map(str::to_owned).collect())
                } else {
                    None
                }
            })
            .skip_while(|cells| cells[0] != "Phase")
            .collect();
        reports.push(Report {
            rows: table(&lines),
            slug: path.file_stem().unwrap().to_str().unwrap().to_owned(),
        });
    }
    assert_eq!(reports.len(), 2);
    for report in &reports {
        assert_eq!(report.rows.len(), 55, "{}", report.slug);
    }
    reports
}

/// The themes that this repository has.
const THEMES: &[&str] = &["default", "plain"];

fn build(theme: &str) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let output = dir.path().join("public");
    let status = Command::new(env!("CARGO_BIN_EXE_gen"))
        .args([
            "build",
            "--quiet",
            "--strict",
            "--theme",
            theme,
            "--root",
            env!("CARGO_MANIFEST_DIR"),
            "--output",
        ])
        .arg(&output)
        .status()
        .unwrap();
    assert!(status.success());
    (dir, output)
}

/// "584 ms" → 584, "13.7K" → 13700; `None` for "—".
fn number(text: &str) -> Option<f64> {
    let text = text
        .trim_end_matches(" ms")
        .trim_end_matches(" s")
        .replace(',', "");
    if text == "—" || text.is_empty() {
        return None;
    }
    Some(match text.strip_suffix('K') {
        Some(k) => (k.parse::<f64>().unwrap() * 1e3).round(),
        None => text.parse().unwrap_or_else(|_| panic!("{text}")),
    })
}

/// What the report says in a column, without its unit, as the page must show it.
fn wanted(row: &Row, column: &str) -> String {
    row[column]
        .trim_end_matches(" ms")
        .trim_end_matches(" s")
        .to_owned()
}

fn check_table(report: &Report, page: &BTreeMap<Key, Row>, form: &str) {
    assert_eq!(report.rows.len(), page.len(), "{form}");
    let mut figures = 0;
    for (key, row) in &report.rows {
        let shown = page
            .get(key)
            .unwrap_or_else(|| panic!("{form}: no row {key:?}"));
        assert_eq!(shown["Status"], row["Status"], "{form} {key:?}");
        for (theirs, ours, _) in COLUMNS {
            let ours = if key.0 == "Prefill" && *theirs == "Total tok/s" {
                "Prompt tok/s"
            } else {
                ours
            };
            assert_eq!(shown[ours], wanted(row, theirs), "{form} {key:?} {theirs}");
            figures += usize::from(number(&row[*theirs]).is_some());
        }
    }
    println!(
        "{form} of {}: {} rows, {figures} figures",
        report.slug,
        report.rows.len()
    );
}

#[test]
fn html_shows_every_figure_of_the_reports() {
    for theme in THEMES {
        html_shows_every_figure(theme);
    }
}

fn html_shows_every_figure(theme: &str) {
    let (_dir, output) = build(theme);
    for report in reports() {
        let text =
            fs_err::read_to_string(output.join("runs").join(&report.slug).join("index.html"))
                .unwrap();
        let html = Html::parse_document(&text);
        let rows = Selector::parse("section[aria-labelledby=measurements] tr").unwrap();
        let cells = Selector::parse("th, td").unwrap();
        let lines: Vec<Vec<String>> = html
            .select(&rows)
            .map(|row| {
                row.select(&cells)
                    .map(|c| c.text().collect::<String>())
                    .collect()
            })
            .collect();
        check_table(&report, &table(&lines), &format!("HTML ({theme})"));
        // The matrix and the prefill list say the same as the table.
        for (key, row) in &report.rows {
            let (context, requests) = (key.1.to_lowercase(), &key.2);
            if key.0 == "Prefill" {
                continue;
            }
            let cell = Selector::parse(&format!("#c{context}-n{requests}")).unwrap();
            let cell = html
                .select(&cell)
                .next()
                .unwrap_or_else(|| panic!("no cell {key:?}"));
            let cell: String = cell.text().collect();
            for part in [wanted(row, "Total tok/s"), row["TTFT"].clone()] {
                if part != "—" {
                    assert!(cell.contains(&part), "{key:?}: {cell}");
                }
            }
            if row["Status"] != "Valid" {
                assert!(cell.contains(&row["Status"]), "{key:?}: {cell}");
            }
        }
        let rows = Selector::parse("section[aria-labelledby=prefill] tbody tr").unwrap();
        let prefill: Vec<Vec<String>> = html
            .select(&rows)
            .map(|row| {
                row.select(&cells)
                    .map(|c| c.text().collect::<String>())
                    .collect()
            })
            .collect();
        assert_eq!(prefill.len(), 7);
        for row in prefill {
            let theirs = &report.rows[&("Prefill".to_owned(), row[0].clone(), "1".to_owned())];
            assert_eq!(
                (row[1].clone(), row[2].clone()),
                (theirs["Total tok/s"].clone(), wanted(theirs, "TTFT"))
            );
        }
    }
}

#[test]
fn markdown_shows_every_figure_of_the_reports() {
    for theme in THEMES {
        markdown_shows_every_figure(theme);
    }
}

fn markdown_shows_every_figure(theme: &str) {
    let (_dir, output) = build(theme);
    for report in reports() {
        let text = fs_err::read_to_string(output.join("runs").join(&report.slug).join("index.md"))
            .unwrap();
        let lines: Vec<Vec<String>> = text
            .lines()
            .skip_while(|line| *line != "## All measurements")
            .skip_while(|line| !line.starts_with('|'))
            .take_while(|line| line.starts_with('|'))
            .filter(|line| !line.starts_with("| :"))
            .map(pipe_cells)
            .collect();
        check_table(&report, &table(&lines), &format!("Markdown ({theme})"));
    }
}

#[test]
fn json_carries_every_figure_of_the_reports() {
    let (_dir, output) = build("default");
    for report in reports() {
        let text = fs_err::read_to_string(output.join("runs").join(&report.slug).join("run.json"))
            .unwrap();
        let run: serde_json::Value = serde_json::from_str(&text).unwrap();
        let mut seen = 0;
        for (phase, label) in [("prefill", "Prefill"), ("decode", "Sustained decode")] {
            for cell in run[phase].as_array().unwrap() {
                let requests = cell["concurrency"].as_u64().unwrap_or(1).to_string();
                let key = (
                    label.to_owned(),
                    cell["context_label"].as_str().unwrap().to_owned(),
                    requests,
                );
                let row = &report.rows[&key];
                seen += 1;
                let status = STATUS
                    .iter()
                    .find(|(words, _)| *words == row["Status"])
                    .unwrap()
                    .1;
                assert_eq!(cell["status"], status);
                for (theirs, _, ours) in COLUMNS {
                    let ours = if phase == "prefill" && *theirs == "Total tok/s" {
                        "tok_per_s"
                    } else {
                        ours
                    };
                    assert_eq!(
                        cell[ours].as_f64(),
                        number(&row[*theirs]),
                        "{key:?} {theirs}"
                    );
                }
            }
        }
        assert_eq!(seen, report.rows.len());
    }
}

#[test]
fn csv_carries_every_figure_of_the_reports() {
    let (_dir, output) = build("default");
    for report in reports() {
        let path = output
            .join("runs")
            .join(&report.slug)
            .join("measurements.csv");
        let mut reader = csv::Reader::from_path(path).unwrap();
        let head = reader.headers().unwrap().clone();
        let mut seen = 0;
        for record in reader.records() {
            let record = record.unwrap();
            let row: BTreeMap<&str, &str> = head.iter().zip(record.iter()).collect();
            let label = if row["phase"] == "prefill" {
                "Prefill"
            } else {
                "Sustained decode"
            };
            let key = (
                label.to_owned(),
                row["context_label"].to_owned(),
                row["concurrency"].to_owned(),
            );
            let theirs = &report.rows[&key];
            seen += 1;
            for (column, _, ours) in COLUMNS {
                let ours = if row["phase"] == "prefill" && *column == "Total tok/s" {
                    "tok_per_s"
                } else {
                    ours
                };
                let shown = row[ours];
                let shown = (!shown.is_empty()).then(|| shown.parse::<f64>().unwrap());
                assert_eq!(shown, number(&theirs[*column]), "{key:?} {column}");
            }
        }
        assert_eq!(seen, report.rows.len());
    }
}
