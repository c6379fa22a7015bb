//! Holds the places of a report that say the same thing against each other (matrix, prefill list,
//! table of all measurements, the line of counts), decides between readings, and makes the run.

use std::collections::BTreeMap;

use super::grammar::{fits_label, rate};
use super::lines::{Heading, squash};
use super::reader::count as count_of;
use super::seen::{CellKey, Grid, Problems, Report, Seen, Subtitle};
use crate::diagnostic::{Code, Diagnostic};
use crate::run::{
    Context, Fact, FactValue, Figure, Figures, Measurement, Metric, Phase, Run, Status,
};

/// Makes the run, with the warnings.
///
/// # Errors
/// Everything found wrong, also while reading.
pub(super) fn settle(
    mut report: Report,
    mut problems: Problems,
) -> Result<(Run, Vec<Diagnostic>), Vec<Diagnostic>> {
    // What was not read would only be missed again.
    if problems.errors.is_empty() {
        counted(&mut report, &mut problems);
        let cells = cells(&report, &mut problems);
        if problems.errors.is_empty() {
            if cells.is_empty() {
                let problem = problems
                    .at(
                        Code::ReportSyntax,
                        1,
                        "there is no measurement in this text",
                    )
                    .help("copy the page's tables, too");
                problems.add(problem);
            }
            tell_unknown_statuses(&cells, &mut problems);
            if problems.errors.is_empty() {
                return Ok((run(report, cells), problems.warnings));
            }
        }
    }
    Err(problems.errors)
}

/// Whether two figures can be one number: the finer one rounds to the coarser one, and equally fine
/// ones are equal.
fn agree(a: Figure, b: Figure) -> bool {
    let (fine, coarse) = (
        a.half_step().min(b.half_step()),
        a.half_step().max(b.half_step()),
    );
    let slack = if coarse - fine <= coarse * 1e-6 {
        0.0
    } else {
        coarse * (1.0 + 1e-9)
    };
    (a.value - b.value).abs() <= slack + 1e-9 * a.value.abs().max(b.value.abs())
}

/// All cells, each once, in the order of their keys.
fn cells(report: &Report, problems: &mut Problems) -> BTreeMap<CellKey, Seen> {
    let mut places: BTreeMap<CellKey, Seen> = BTreeMap::new();
    let elsewhere = report.points.iter();
    for seen in elsewhere.chain(report.grids.iter().flat_map(|grid| &grid.cells)) {
        insert_once(&mut places, seen, problems);
    }
    for grid in &report.grids {
        whole_grid(grid, problems);
    }
    if report.table.is_none() {
        if let Some(line) = report.headings.get(&Heading::All) {
            let problem = problems
                .at(
                    Code::CutOff,
                    *line,
                    "there is a heading “All measurements”, but no table below it",
                )
                .help("copy the whole table, with its head");
            problems.add(problem);
        }
        for seen in places.values_mut() {
            decide_alone(seen, problems);
        }
        return places;
    }
    let mut rows: BTreeMap<CellKey, Seen> = BTreeMap::new();
    for row in &report.rows {
        insert_once(&mut rows, row, problems);
        no_figures_where_not_run(row, report.own, problems);
    }
    let head = report.table.unwrap_or(1);
    // Both ways: what stands in one place must stand in the other.
    for phase in Phase::ALL {
        let missing: Vec<&Seen> = places
            .values()
            .filter(|seen| seen.phase == *phase && !rows.contains_key(&seen.key()))
            .collect();
        if let Some(first) = missing.first() {
            let message = format!(
                "the table of all measurements has no row for {}{}",
                first.name(),
                and_more(missing.len())
            );
            let problem = problems
                .at(Code::CutOff, head, message)
                .also(problems.place(first.line), "this cell")
                .help("copy the whole table");
            problems.add(problem);
        }
        let Some(place) = places.values().find(|seen| seen.phase == *phase) else {
            continue;
        };
        let where_line = report
            .grids
            .iter()
            .find(|grid| grid.phase == *phase)
            .map_or(place.line, |grid| grid.line);
        let extra: Vec<&Seen> = rows
            .values()
            .filter(|row| row.phase == *phase && !places.contains_key(&row.key()))
            .filter(|row| row.status.status != Status::NotMeasured)
            .collect();
        if let Some(first) = extra.first() {
            let list = match phase {
                Phase::Prefill => "list of prefill points",
                Phase::Decode | Phase::Burst => "matrix",
            };
            let message = format!(
                "the {list} has nothing for {}{}",
                first.name(),
                and_more(extra.len())
            );
            let problem = problems
                .at(Code::CutOff, where_line, message)
                .also(
                    problems.place(first.line),
                    "its row in the table of all measurements",
                )
                .help("copy the whole page");
            problems.add(problem);
        }
    }
    for (key, row) in &mut rows {
        if let Some(place) = places.get(key) {
            merge(row, place, report.own, problems);
        }
    }
    rows
}

fn and_more(n: usize) -> String {
    match n.saturating_sub(1) {
        0 => String::new(),
        more => format!(" and {more} more"),
    }
}

fn insert_once(cells: &mut BTreeMap<CellKey, Seen>, seen: &Seen, problems: &mut Problems) {
    if let Some(first) = cells.get(&seen.key()) {
        let problem = problems
            .at(
                Code::DuplicateCell,
                seen.line,
                format!("{} is there twice", seen.name()),
            )
            .also(problems.place(first.line), "the first one")
            .help("remove one of them");
        problems.add(problem);
    } else {
        cells.insert(seen.key(), seen.clone());
    }
}

/// A matrix has every context and every column once.
fn whole_grid(grid: &Grid, problems: &mut Problems) {
    let mut twice: Option<String> = None;
    let mut contexts: Vec<String> = grid.contexts.iter().map(|label| squash(label)).collect();
    contexts.sort();
    let mut levels = grid.levels.clone();
    levels.sort_unstable();
    for (a, b) in contexts.iter().zip(contexts.iter().skip(1)) {
        if a == b {
            twice.get_or_insert(format!("the row {a}"));
        }
    }
    for (a, b) in levels.iter().zip(levels.iter().skip(1)) {
        if a == b {
            twice.get_or_insert(format!("the column {a}"));
        }
    }
    if let Some(what) = twice {
        let problem = problems
            .at(
                Code::DuplicateCell,
                grid.line,
                format!("this matrix has {what} twice"),
            )
            .help("remove one of them");
        problems.add(problem);
    }
}

/// A cell that was not run can have no figures.
fn no_figures_where_not_run(seen: &Seen, own: bool, problems: &mut Problems) {
    let figures = seen.readings.iter().any(|reading| !reading.is_empty());
    if !own && figures && seen.status.status == Status::OverCapacity {
        let problem = problems
            .at(
                Code::ReportSyntax,
                seen.line,
                format!("{} is over capacity, but has figures", seen.name()),
            )
            .help("correct the status, or write — for the figures");
        problems.add(problem);
    }
}

/// A reading in words: `9,769 tok/s and 13,174 ms`.
fn in_words(reading: &Figures) -> String {
    let parts: Vec<String> = reading
        .iter()
        .map(|(metric, figure)| metric.show_with_unit(figure))
        .collect();
    parts.join(" and ")
}

fn all_in_words(readings: &[Figures]) -> String {
    let parts: Vec<String> = readings.iter().take(4).map(in_words).collect();
    parts.join(", or ")
}

/// Decides between readings where no table does: for prefill by the length that the label names.
fn decide_alone(seen: &mut Seen, problems: &mut Problems) {
    no_figures_where_not_run(seen, false, problems);
    if seen.readings.len() == 1 && seen.sure {
        return;
    }
    let fitting: Vec<Figures> = seen
        .readings
        .iter()
        .filter(|reading| seen.phase == Phase::Prefill && fits_label(reading, &seen.label))
        .cloned()
        .collect();
    if fitting.len() == 1 {
        seen.readings = fitting;
        return;
    }
    let message = if seen.readings.len() == 1 {
        format!(
            "{} may be {}, but nothing confirms it",
            seen.name(),
            all_in_words(&seen.readings)
        )
    } else {
        format!(
            "{} can be read in several ways: {}",
            seen.name(),
            all_in_words(&seen.readings)
        )
    };
    let problem = problems
        .at(Code::Ambiguous, seen.line, message)
        .help("put blanks between the figures, with one decimal in tok/s, or copy the table of all measurements, too");
    problems.add(problem);
}

/// Whether a reading says the same as a row of the table.
fn same_figures(reading: &Figures, row: &Figures, phase: Phase, own: bool) -> bool {
    let as_in_row = reading
        .iter()
        .all(|(metric, figure)| row.get(metric).is_some_and(|other| agree(figure, other)));
    let none_left_out = own
        || [rate(phase), Metric::TtftMs]
            .iter()
            .all(|metric| row.get(*metric).is_none() || reading.get(*metric).is_some());
    as_in_row && none_left_out
}

/// Holds a cell of the matrix or list against its row, and takes the more precise figures.
fn merge(row: &mut Seen, place: &Seen, own: bool, problems: &mut Problems) {
    let word = |seen: &Seen| match &seen.status.text {
        Some(text) => text.clone(),
        None => seen.status.status.label().to_owned(),
    };
    if squash(&word(row)) != squash(&word(place)) {
        let message = format!(
            "{} is “{}” here, and “{}” in the table of all measurements",
            place.name(),
            word(place),
            word(row)
        );
        problems.disagree(place.line, message, row.line, "its row there");
        return;
    }
    if row.status.reason.is_none() {
        row.status.reason.clone_from(&place.status.reason);
    }
    let Some(figures) = row.readings.first_mut() else {
        return;
    };
    let fitting: Vec<&Figures> = place
        .readings
        .iter()
        .filter(|reading| same_figures(reading, figures, place.phase, own))
        .collect();
    match fitting.as_slice() {
        [reading] => {
            for (metric, figure) in reading.iter() {
                if let Some(known) = figures.get(metric) {
                    figures.set(metric, known.more_precise(figure));
                }
            }
        }
        [] => {
            let of_row: Figures = figures
                .iter()
                .filter(|(metric, _)| [rate(place.phase), Metric::TtftMs].contains(metric))
                .collect();
            let or_nothing = |text: String| {
                if text.is_empty() {
                    "nothing".to_owned()
                } else {
                    text
                }
            };
            let message = format!(
                "{} is {} here, and {} in the table of all measurements",
                place.name(),
                or_nothing(all_in_words(&place.readings)),
                or_nothing(in_words(&of_row))
            );
            problems.disagree(place.line, message, row.line, "its row there");
        }
        _ => {
            let message = format!(
                "{} can be read in several ways: {}",
                place.name(),
                all_in_words(&place.readings)
            );
            let problem = problems
                .at(Code::Ambiguous, place.line, message)
                .also(problems.place(row.line), "fits both")
                .help("put blanks between the figures");
            problems.add(problem);
        }
    }
}

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
fn counted(report: &mut Report, problems: &mut Problems) {
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
        let value = FactValue::Text(quantization);
        let facts = &mut report.facts;
        if fact.is_none() {
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
    if let Some((quantization, line)) = fact {
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

/// Warns of every status that is not known, once.
fn tell_unknown_statuses(cells: &BTreeMap<CellKey, Seen>, problems: &mut Problems) {
    let mut words: BTreeMap<String, (&str, usize)> = BTreeMap::new();
    for seen in cells.values() {
        if let Some(text) = &seen.status.text {
            let entry = words.entry(squash(text)).or_insert((text, seen.line));
            entry.1 = entry.1.min(seen.line);
        }
    }
    for (text, line) in words.into_values() {
        let problem = problems
            .at(
                Code::UnknownStatus,
                line,
                format!("the status “{text}” is not known and is shown as it is"),
            )
            .help("such cells are left out of bests and comparisons of valid cells");
        problems.add(problem);
    }
}

/// Makes the run.
fn run(report: Report, cells: BTreeMap<CellKey, Seen>) -> Run {
    let mut run = Run::new();
    run.facts = report.facts.into_facts();
    run.tags = report.tags;
    for note in report.notes {
        if !run.notes.contains(&note) {
            run.notes.push(note);
        }
    }
    // The tool's K is 1024; of other tools it is not known.
    let binary_k = run.facts.text(Fact::Tool) == Some("llm-inference-bench");
    for seen in cells.into_values() {
        let measurement = Measurement {
            context: Context::from_label(&seen.label, binary_k),
            concurrency: seen.concurrency,
            status: seen.status.status,
            status_text: seen.status.text,
            reason: seen.status.reason,
            figures: seen.readings.into_iter().next().unwrap_or_default(),
            ..Measurement::default()
        };
        run.phase_mut(seen.phase).push(measurement);
    }
    run.sort();
    run
}
