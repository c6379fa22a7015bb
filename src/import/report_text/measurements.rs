//! Matrices and tables as the walk meets them: their rows become measurements with their lines.

use super::grammar::{self, StatusSeen};
use super::lines::{Heading, Line, excerpt, squash};
use super::markdown::plain;
use super::numbers::{self, Notation};
use super::reader::{Reader, count};
use super::rows::{self, Row};
use super::seen::{Grid, Seen};
use super::tables::{self, Column, Head};
use crate::diagnostic::Code;
use crate::run::{Figure, Figures, Metric, Phase, Status};

impl Reader<'_, '_> {
    /// Reads a cell of a matrix or a prefill point; problems are told.
    pub(super) fn cell(
        &mut self,
        phase: Phase,
        label: String,
        concurrency: u64,
        line: usize,
        text: &str,
    ) -> Option<Seen> {
        let text = match self.notation {
            Notation::Own => plain(text),
            Notation::Foreign => text.to_owned(),
        };
        match grammar::cell(&text, phase, self.notation) {
            Ok(Some(cell)) => Some(Seen {
                phase,
                label,
                concurrency,
                line,
                status: cell.status,
                readings: cell.readings,
                sure: cell.sure,
                method: None,
                token_source: None,
            }),
            Ok(None) => None,
            Err(error) => {
                let message = match phase {
                    Phase::Prefill => format!("prefill {label}: {}", error.message),
                    _ => format!("{label} × {concurrency}: {}", error.message),
                };
                self.cell_error(error.code, line, message);
                None
            }
        }
    }

    pub(super) fn cell_error(&mut self, code: Code, line: usize, message: String) {
        let help = match code {
            Code::BadNumber => "write numbers as in 1,078.8",
            _ => "write the cell as the page shows it",
        };
        let problem = self.problems.at(code, line, message).help(help);
        self.problems.add(problem);
    }

    /// Remembers a row outside of any table, so that a block of them is told once.
    pub(super) fn stray_row(&mut self, at: usize, line: &Line) {
        let above = at
            .checked_sub(1)
            .and_then(|at| self.lines.get(at))
            .is_some_and(rows::is_stray_row);
        match self.strays.last_mut().filter(|_| above) {
            Some((_, _, rows)) => *rows += 1,
            None => self.strays.push((line.number, excerpt(&line.text), 1)),
        }
    }

    pub(super) fn tell_strays(&mut self) {
        for (line, text, rows) in std::mem::take(&mut self.strays) {
            let more = match rows - 1 {
                0 => String::new(),
                more => format!(" (and {more} more below it)"),
            };
            let message = format!("the row “{text}”{more} stands outside of its table");
            let problem = self
                .problems
                .at(Code::ReportSyntax, line, message)
                .help("put the head of the table above its rows, and nothing between them");
            self.problems.add(problem);
        }
    }

    pub(super) fn table(&mut self, at: usize, head: Head, used: usize) -> usize {
        let line = self.lines.get(at).map_or(0, |line| line.number);
        match head {
            Head::Matrix(levels) => self.matrix(at, used, line, levels),
            Head::Long(columns) => self.long(at, used, line, &columns),
        }
    }

    /// Rows below a head, each with its line; how many lines head and rows take.
    fn rows(
        &mut self,
        at: usize,
        used: usize,
        width: usize,
        last_fits: impl Fn(&str) -> bool,
        is_whole: impl Fn(&[&str], &Line) -> bool,
    ) -> (Vec<(usize, Vec<String>)>, usize) {
        let head = self.lines.get(at).map_or(0, |line| line.number);
        let mut next = at + used;
        let mut rows = Vec::new();
        while let Some(line) = self.lines.get(next).filter(|_| !self.problems.full()) {
            if tables::is_rule(&line.text) {
                next += 1;
                continue;
            }
            if tables::head_at(self.lines, next, self.notation).is_some() {
                break;
            }
            match rows::row_at(self.lines, next, width, &last_fits, &is_whole) {
                Row::Whole(cells, used) => {
                    rows.push((line.number, cells));
                    next += used;
                }
                Row::Ragged(cells) => {
                    let message = format!(
                        "this row has {} where the head of its table has {width}",
                        count(cells, "cell")
                    );
                    let problem = self
                        .problems
                        .at(Code::CutOff, line.number, message)
                        .also(self.problems.place(head), "the head of the table")
                        .help("copy the whole table");
                    self.problems.add(problem);
                    next += 1;
                }
                Row::End => break,
            }
        }
        if rows.is_empty() {
            let problem = self
                .problems
                .at(Code::CutOff, head, "the table has no rows")
                .help("copy the whole table");
            self.problems.add(problem);
        }
        (rows, next - at)
    }

    fn matrix(&mut self, at: usize, used: usize, head: usize, levels: Vec<u64>) -> usize {
        let phase = match self.section {
            Some(Heading::Burst) => Phase::Burst,
            _ => Phase::Decode,
        };
        let notation = self.notation;
        // A single cell in the next line may be anything, unless a table confirms what it says.
        let confirmed = self.lines.iter().any(|line| {
            let cells = tables::cells(&line.text);
            line.tabular() && cells.first().is_some_and(|first| squash(first) == "phase")
        });
        let (rows, used) = self.rows(
            at,
            used,
            levels.len() + 1,
            |last| grammar::is_complete(last, phase, notation),
            |parts, last| {
                let Some((first, rest)) = parts.split_first() else {
                    return false;
                };
                (confirmed || last.tabular())
                    && grammar::label(first, notation).is_some()
                    && rest.iter().all(|cell| {
                        grammar::is_complete(cell, phase, notation)
                            && (notation == Notation::Own || confirmed || !tables::is_empty(cell))
                    })
            },
        );
        let mut grid = Grid {
            phase,
            line: head,
            contexts: Vec::new(),
            levels,
            cells: Vec::new(),
            blanks: Vec::new(),
        };
        for (line, cells) in rows {
            let Some((first, rest)) = cells.split_first() else {
                continue;
            };
            let Some(label) = self.label(first, line) else {
                continue;
            };
            for (level, text) in grid.levels.iter().zip(rest) {
                if let Some(seen) = self.cell(phase, label.clone(), *level, line, text) {
                    grid.cells.push(seen);
                } else if tables::is_empty(text) {
                    grid.blanks.push((label.clone(), *level, line));
                }
            }
            grid.contexts.push(label);
        }
        if self.report.grids.is_empty() {
            self.first_matrix = self.section;
        }
        self.report.grids.push(grid);
        used
    }

    fn label(&mut self, text: &str, line: usize) -> Option<String> {
        let text = match self.notation {
            Notation::Own => plain(text),
            Notation::Foreign => text.to_owned(),
        };
        let label = grammar::label(&text, self.notation);
        if label.is_none() {
            let message = format!("“{}” is not a context (expected as in 8K)", excerpt(&text));
            self.cell_error(Code::ReportSyntax, line, message);
        }
        label
    }

    fn long(&mut self, at: usize, used: usize, head: usize, columns: &[Column]) -> usize {
        let all = self.section == Some(Heading::All) || columns.contains(&Column::Phase);
        self.check_columns(head, columns, all);
        let last = columns.last().cloned();
        let notation = self.notation;
        let (rows, used) = self.rows(
            at,
            used,
            columns.len(),
            |text| match &last {
                Some(Column::Metric(metric, unit)) => {
                    numbers::table_figure(text, *metric, *unit, notation).is_ok()
                }
                _ => true,
            },
            |_, _| true,
        );
        let mut seen = Vec::with_capacity(rows.len());
        for (line, cells) in rows {
            if let Some(one) = self.long_row(line, columns, &cells) {
                seen.push(one);
            }
        }
        if all {
            if let Some(first) = self.report.table {
                self.problems.disagree(
                    head,
                    "this is a second table of all measurements",
                    first,
                    "the first one",
                );
            }
            self.report.table = Some(head);
            self.report.rows.extend(seen);
        } else {
            self.report.points.extend(seen);
        }
        used
    }

    /// Tells of columns that are missing, twice there, or not known.
    fn check_columns(&mut self, line: usize, columns: &[Column], all: bool) {
        let mut needed = vec![(Column::Context, "Context")];
        if all && !self.own() {
            needed.push((Column::Phase, "Phase"));
            needed.push((Column::Requests, "Requests at once"));
            needed.push((Column::Status, "Status"));
        }
        for (column, name) in needed {
            if !columns.contains(&column) {
                let message = format!("the table has no column “{name}”");
                self.cell_error(Code::ReportSyntax, line, message);
            }
        }
        for (at, column) in columns.iter().enumerate() {
            if columns.iter().take(at).any(|other| other == column) {
                let message = format!("the table has the column {} twice", at + 1);
                self.cell_error(Code::ReportSyntax, line, message);
            }
            let Column::Unknown(text) = column else {
                continue;
            };
            if let Some(near) = Column::near(text) {
                let message = format!(
                    "the column “{}” is not known; is it “{near}”?",
                    excerpt(text)
                );
                self.cell_error(Code::ReportSyntax, line, message);
            } else {
                let message = format!(
                    "the column “{}” is not known and is left out",
                    excerpt(text)
                );
                let problem = self.problems.at(Code::UnknownLine, line, message);
                self.problems.add(problem);
            }
        }
    }

    /// A row of a table with one measurement a row.
    fn long_row(&mut self, line: usize, columns: &[Column], cells: &[String]) -> Option<Seen> {
        let mut phase = match self.section {
            Some(Heading::Prefill) => Some(Phase::Prefill),
            Some(Heading::Burst) => Some(Phase::Burst),
            Some(Heading::Decode) => Some(Phase::Decode),
            _ => None,
        };
        let mut label = None;
        let mut concurrency = None;
        let mut status = None;
        let mut figures: Vec<(Metric, Figure)> = Vec::new();
        let (mut method, mut token_source) = (None, None);
        let mut failed = false;
        for (column, cell) in columns.iter().zip(cells) {
            let text = match self.notation {
                Notation::Own => plain(cell),
                Notation::Foreign => cell.clone(),
            };
            let result = match column {
                Column::Phase => {
                    phase = tables::phase(&text);
                    if phase.is_none() {
                        Err((
                            Code::ReportSyntax,
                            format!("“{}” is not a phase", excerpt(&text)),
                        ))
                    } else {
                        Ok(())
                    }
                }
                Column::Context => {
                    label = self.label(&text, line);
                    failed |= label.is_none();
                    Ok(())
                }
                Column::Requests if tables::is_empty(&text) => Ok(()),
                Column::Requests => {
                    concurrency = numbers::whole(&text);
                    if concurrency.is_none() {
                        Err((
                            Code::BadNumber,
                            format!("“{}” is not a number of requests", excerpt(&text)),
                        ))
                    } else {
                        Ok(())
                    }
                }
                Column::Status => grammar::status(&text, self.notation)
                    .map(|seen| status = Some(seen))
                    .map_err(|error| (error.code, error.message)),
                Column::Metric(metric, unit) => {
                    numbers::table_figure(&text, *metric, *unit, self.notation)
                        .map(|figure| figures.extend(figure.map(|figure| (*metric, figure))))
                        .map_err(|error| (error.code, error.message))
                }
                Column::Method | Column::TokenSource => {
                    let words = (!tables::is_empty(&text)).then(|| text.clone());
                    match column {
                        Column::Method => method = words,
                        _ => token_source = words,
                    }
                    Ok(())
                }
                Column::Unknown(_) => Ok(()),
            };
            if let Err((code, message)) = result {
                self.cell_error(code, line, message);
                failed = true;
            }
        }
        let phase = phase.filter(|_| !failed)?;
        let figures: Figures = figures
            .into_iter()
            .map(|(metric, figure)| match (phase, metric) {
                (Phase::Prefill, Metric::TotalTokPerS) => (Metric::PrefillTokPerS, figure),
                _ => (metric, figure),
            })
            .collect();
        let concurrency = match (concurrency, phase) {
            (Some(concurrency), _) => concurrency,
            (None, Phase::Prefill) => 1,
            (None, _) => {
                let message = "the row does not say how many requests there were at once";
                self.cell_error(Code::ReportSyntax, line, message.to_owned());
                return None;
            }
        };
        let empty = if figures.is_empty() {
            Status::NotMeasured
        } else {
            Status::Valid
        };
        Some(Seen {
            phase,
            label: label?,
            concurrency,
            line,
            status: status.unwrap_or(StatusSeen {
                status: empty,
                ..StatusSeen::default()
            }),
            readings: vec![figures],
            sure: true,
            method,
            token_source,
        })
    }
}
