//! Holds the places of a report that say the same thing against each other (matrix, prefill list,
//! table of all measurements), decides between readings, and makes the run.

use std::collections::BTreeMap;

use super::counts::counted;
use super::grammar::{fits_label, rate};
use super::lines::{Heading, squash};
use super::seen::{CellKey, Grid, Problems, Report, Seen};
use crate::diagnostic::{Code, Diagnostic};
use crate::run::{Context, Fact, Figure, Figures, Measurement, Metric, Phase, Run, Status};

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
            tell_zeros(&report, &cells, &mut problems);
            one_label_a_context(&report, &cells, &mut problems);
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
        no_blanks(grid, report, problems);
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

/// An empty cell of a foreign page needs a row of the table of all measurements that explains it.
fn no_blanks(grid: &Grid, report: &Report, problems: &mut Problems) {
    for (label, level, line) in grid.blanks.iter().filter(|_| !report.own) {
        let key = (grid.phase, squash(label), *level);
        if !report.rows.iter().any(|row| row.key() == key) {
            let message = format!(
                "{label} × {level}: the cell is empty (expected a rate and its TTFT, or a status)"
            );
            let problem = problems
                .at(Code::ReportSyntax, *line, message)
                .also(problems.place(grid.line), "the head of the matrix")
                .help("copy the whole table, or write what became of the cell");
            problems.add(problem);
        }
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
    let message = if seen.phase == Phase::Prefill && fitting.is_empty() {
        format!(
            "{} may be {}, but tok/s × TTFT does not come to {}",
            seen.name(),
            all_in_words(&seen.readings),
            seen.label
        )
    } else if seen.readings.len() == 1 {
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

/// Warns of measured cells with a rate or a TTFT of zero: they may be rounded, but hardly are.
fn tell_zeros(report: &Report, cells: &BTreeMap<CellKey, Seen>, problems: &mut Problems) {
    let zeros: Vec<&Seen> = cells
        .values()
        .filter(|seen| !report.own && matches!(seen.status.status, Status::Valid | Status::Queued))
        .filter(|seen| {
            [rate(seen.phase), Metric::TtftMs].iter().any(|metric| {
                seen.readings
                    .iter()
                    .any(|reading| reading.value(*metric) == Some(0.0))
            })
        })
        .collect();
    if let Some(first) = zeros.first() {
        let message = format!(
            "{} has a rate or a TTFT of zero{}",
            first.name(),
            and_more(zeros.len())
        );
        let problem = problems
            .at(Code::UnknownLine, first.line, message)
            .help("compare the cell with the page; a cell that failed should say so");
        problems.add(problem);
    }
}

/// Makes the run.
/// Whether the exact tokens of a label are known: the tool's K is 1024, of others it is not known.
fn is_binary(tool: Option<&str>) -> bool {
    tool == Some("llm-inference-bench")
}

/// Two labels of one number of tokens ("1024" and "1K") would be one cell twice.
fn one_label_a_context(report: &Report, cells: &BTreeMap<CellKey, Seen>, problems: &mut Problems) {
    if !is_binary(report.facts.text(Fact::Tool).map(|(tool, _)| tool)) {
        return;
    }
    let mut first: BTreeMap<(Phase, u64, u64), &Seen> = BTreeMap::new();
    for seen in cells.values() {
        let Some(tokens) = Context::from_label(&seen.label, true).tokens else {
            continue;
        };
        let key = (seen.phase, tokens, seen.concurrency);
        if let Some(other) = first.get(&key) {
            let message = format!("{} and {} are one cell", other.name(), seen.name());
            let problem = problems
                .at(Code::DuplicateCell, seen.line, message)
                .also(problems.place(other.line), "the other one")
                .help(format!(
                    "both contexts are {tokens} tokens; remove one of them"
                ));
            problems.add(problem);
        } else {
            first.insert(key, seen);
        }
    }
}

fn run(report: Report, cells: BTreeMap<CellKey, Seen>) -> Run {
    let mut run = Run::new();
    run.facts = report.facts.into_facts();
    run.tags = report.tags;
    run.complete = !report.interrupted;
    run.ranked = !report.not_ranked;
    run.draft = report.draft;
    for note in report.notes {
        if !run.notes.contains(&note) {
            run.notes.push(note);
        }
    }
    let binary_k = is_binary(run.facts.text(Fact::Tool));
    for seen in cells.into_values() {
        let measurement = Measurement {
            context: Context::from_label(&seen.label, binary_k),
            concurrency: seen.concurrency,
            status: seen.status.status,
            status_text: seen.status.text,
            reason: seen.status.reason,
            method: seen.method,
            token_source: seen.token_source,
            figures: seen.readings.into_iter().next().unwrap_or_default(),
            ..Measurement::default()
        };
        run.phase_mut(seen.phase).push(measurement);
    }
    run.sort();
    run
}
