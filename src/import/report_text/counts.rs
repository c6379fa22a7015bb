//! The line of counts ("6 contexts (8K–251K) × 8 concurrency levels (1–128) · prefill at 8K") held
//! against what is there.

use std::collections::BTreeMap;

use super::lines::{Heading, squash};
use super::reader::count as count_of;
use super::seen::{Grid, Problems, Report, Seen, Subtitle};
use crate::diagnostic::Code;
use crate::run::{Context, Fact, FactValue, Phase};

/// Contexts and levels of the decode measurements, and the line where they are counted.
struct Shape {
    contexts: Vec<String>,
    levels: Vec<u64>,
    line: usize,
    /// "matrix" or "table of all measurements".
    name: &'static str,
    /// Cells, where there is no matrix that shows which are left out.
    cells: Option<usize>,
}

fn shape(report: &Report) -> Option<Shape> {
    let decode = |grid: &&Grid| grid.phase == Phase::Decode;
    if let Some(grid) = report.grids.iter().find(decode) {
        return Some(Shape {
            contexts: grid.contexts.clone(),
            levels: grid.levels.clone(),
            line: grid.line,
            name: "matrix",
            cells: None,
        });
    }
    let mut contexts: BTreeMap<String, String> = BTreeMap::new();
    let mut levels: Vec<u64> = Vec::new();
    let rows = report.rows.iter().chain(&report.points);
    let mut cells = 0;
    for row in rows.filter(|row| row.phase == Phase::Decode) {
        contexts.insert(squash(&row.label), row.label.clone());
        levels.push(row.concurrency);
        cells += 1;
    }
    levels.sort_unstable();
    levels.dedup();
    (cells > 0).then(|| Shape {
        contexts: contexts.into_values().collect(),
        levels,
        line: report.table.unwrap_or(1),
        name: "table of all measurements",
        cells: Some(cells),
    })
}

/// Holds the line of counts against what is there, and takes the quantization from it.
pub(super) fn counted(report: &mut Report, problems: &mut Problems) {
    let Some(subtitle) = report.subtitle.take() else {
        return;
    };
    let shape = shape(report);
    let found = shape.as_ref().map(|shape| shape.contexts.len() as u64);
    let fact = report
        .facts
        .text(Fact::Quantization)
        .map(|(text, line)| (text.to_owned(), line));
    let chosen = context_count(&subtitle, fact.as_ref(), found, problems);
    if let Some((quantization, count)) = chosen {
        let facts = &mut report.facts;
        if fact.is_none() && !quantization.is_empty() {
            let value = FactValue::Text(quantization);
            facts.set(problems, Fact::Quantization, value, subtitle.line);
        }
        match &shape {
            Some(shape) => shape_as_counted(&subtitle, count, shape, problems),
            None if count > 0 && subtitle.levels != Some(0) => {
                let message = format!(
                    "the line of counts says {}, but there is no matrix",
                    count_of(count as usize, "context")
                );
                let problem = problems
                    .at(Code::CutOff, subtitle.line, message)
                    .help("copy the whole page");
                problems.add(problem);
            }
            None => {}
        }
    }
    if let Some(listed) = &subtitle.prefill {
        prefill_as_listed(report, &subtitle, listed, problems);
    }
}

/// Takes quantization and number of contexts apart: the Quantization fact decides, then the rows
/// that are there.
fn context_count(
    subtitle: &Subtitle,
    fact: Option<&(String, usize)>,
    found: Option<u64>,
    problems: &mut Problems,
) -> Option<(String, u64)> {
    let readings = &subtitle.readings;
    let in_words = || {
        let ways: Vec<String> = readings
            .iter()
            .map(|(q, n)| format!("“{q}” and {}", count_of(*n as usize, "context")))
            .collect();
        ways.join(", or ")
    };
    if let Some((quantization, _)) = fact
        && let Some(reading) = readings
            .iter()
            .find(|(q, _)| q.is_empty() || squash(q) == squash(quantization))
    {
        return Some(reading.clone());
    }
    let by_rows = readings.iter().find(|(_, n)| Some(*n) == found);
    let chosen = match (readings.as_slice(), by_rows) {
        ([only], _) => only,
        (_, Some(reading)) => reading,
        (_, None) => {
            let (code, what) = match found {
                Some(n) => (
                    Code::CutOff,
                    format!(
                        "the line of counts says {}, but there is {}",
                        in_words(),
                        count_of(n as usize, "context")
                    ),
                ),
                None => (
                    Code::Ambiguous,
                    format!("this can be read in several ways: {}", in_words()),
                ),
            };
            let problem = problems
                .at(code, subtitle.line, what)
                .help("put a blank before the number of contexts, and copy the whole page");
            problems.add(problem);
            return None;
        }
    };
    if let Some((quantization, line)) = fact.filter(|_| !chosen.0.is_empty()) {
        let message = format!(
            "the quantization is “{}” here, and “{quantization}” among the facts",
            chosen.0
        );
        problems.disagree(subtitle.line, message, *line, "the fact");
        return None;
    }
    Some(chosen.clone())
}

fn shape_as_counted(subtitle: &Subtitle, count: u64, shape: &Shape, problems: &mut Problems) {
    let columns = shape.levels.len() as u64;
    let mut counted = |found: u64, counted: u64, what: &str| {
        if found == counted {
            return;
        }
        let code = if found < counted {
            Code::CutOff
        } else {
            Code::Disagreement
        };
        let message = format!(
            "the {} has {}, but the line of counts says {counted}",
            shape.name,
            count_of(found as usize, what)
        );
        let problem = problems
            .at(code, shape.line, message)
            .also(problems.place(subtitle.line), "counted here")
            .help("copy the whole page");
        problems.add(problem);
    };
    counted(shape.contexts.len() as u64, count, "context");
    if let Some(levels) = subtitle.levels {
        counted(columns, levels, "concurrency level");
        if let Some(cells) = shape.cells {
            counted(cells as u64, count.saturating_mul(levels), "cell");
        }
    }
    let order = |label: &String| {
        let context = Context::from_label(label, false);
        let (tokens, _) = context.order();
        tokens
    };
    if let Some((first, last)) = &subtitle.contexts {
        let ends = (
            shape.contexts.iter().min_by_key(|label| order(label)),
            shape.contexts.iter().max_by_key(|label| order(label)),
        );
        if let (Some(low), Some(high)) = ends
            && (squash(low) != squash(first) || squash(high) != squash(last))
        {
            let message = format!(
                "the {} reaches from {low} to {high}, where {first} to {last} is named",
                shape.name
            );
            problems.disagree(shape.line, message, subtitle.line, "named here");
        }
    }
    if let Some((first, last)) = subtitle.level_range
        && let (Some(low), Some(high)) = (shape.levels.iter().min(), shape.levels.iter().max())
        && (*low, *high) != (first, last)
    {
        let message = format!(
            "the {} reaches from {low} to {high} requests at once, where {first} to {last} is named",
            shape.name
        );
        problems.disagree(shape.line, message, subtitle.line, "named here");
    }
}

/// The prefill contexts that the line of counts lists are those that are there.
fn prefill_as_listed(
    report: &Report,
    subtitle: &Subtitle,
    listed: &[String],
    problems: &mut Problems,
) {
    let of = |seen: &[Seen]| -> Vec<(String, String, usize)> {
        seen.iter()
            .filter(|seen| seen.phase == Phase::Prefill)
            .map(|seen| (squash(&seen.label), seen.label.clone(), seen.line))
            .collect()
    };
    let mut any = false;
    for (name, there) in [
        ("list of prefill points", of(&report.points)),
        ("table of all measurements", of(&report.rows)),
    ] {
        let Some((_, _, first)) = there.first() else {
            continue;
        };
        any = true;
        for label in listed {
            if !there.iter().any(|(key, _, _)| *key == squash(label)) {
                let message = format!("the {name} has no prefill point for {label}");
                let problem = problems
                    .at(Code::CutOff, *first, message)
                    .also(problems.place(subtitle.line), "listed here")
                    .help("copy the whole page");
                problems.add(problem);
            }
        }
        for (key, label, line) in &there {
            if !listed.iter().any(|listed| squash(listed) == *key) {
                let message = format!("prefill {label} is not among the contexts listed");
                problems.disagree(*line, message, subtitle.line, "the list");
            }
        }
    }
    if any || listed.is_empty() {
        return;
    }
    if report.headings.contains_key(&Heading::Prefill) {
        let problem = problems
            .at(
                Code::CutOff,
                subtitle.line,
                "prefill points are listed, but none is there",
            )
            .help("copy the whole page");
        problems.add(problem);
    } else {
        problems.missing(
            "the prefill points that the line of counts lists are not in this text",
            "copy the section “Prefill”, too",
        );
    }
}
