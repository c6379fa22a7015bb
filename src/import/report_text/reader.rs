//! The walk over the lines: which section a line belongs to, and what it says there. Nothing is
//! dropped in silence: what belongs to nothing known is told with its line.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::{self, Key};
use super::grammar::{self, Notation, StatusSeen};
use super::header;
use super::lines::{Heading, Line, excerpt, lines, opener, squash};
use super::seen::{Grid, Problems, Report, Seen};
use super::tables::{self, Column, Head, Row};
use crate::diagnostic::Code;
use crate::run::{Fact, FactValue, Figures, Metric, Phase, Status};

/// The line by which our own Markdown pages are known.
pub(super) const MARKER: &str = "<!-- speedbook.run/1 -->";

/// Reads all that the text says.
pub(super) fn read<'a>(path: &'a str, text: &str, own: bool) -> (Report, Problems<'a>) {
    let notation = if own {
        Notation::Own
    } else {
        Notation::Foreign
    };
    let lines = lines(text, !own);
    let mut reader = Reader {
        notation,
        lines: &lines,
        problems: Problems::new(path),
        report: Report::default(),
        section: None,
        seen: BTreeMap::new(),
        strays: Vec::new(),
        skipping: false,
        unknown: Vec::new(),
        last_known: 0,
        command: Vec::new(),
    };
    reader.run();
    (reader.report, reader.problems)
}

struct Reader<'a, 'l> {
    notation: Notation,
    lines: &'l [Line],
    problems: Problems<'a>,
    report: Report,
    section: Option<Heading>,
    /// The headings so far, with their lines.
    seen: BTreeMap<Heading, usize>,
    /// In a section of our own page that is not read back.
    skipping: bool,
    /// Lines that belong to nothing: number and text.
    unknown: Vec<(usize, &'l str)>,
    /// Number of the last line that belongs to something.
    last_known: usize,
    /// The launch command's lines.
    command: Vec<(usize, &'l str)>,
    /// Rows outside of tables: the first line of each block, its beginning, and how many lines.
    strays: Vec<(usize, String, usize)>,
}

impl<'l> Reader<'_, 'l> {
    fn own(&self) -> bool {
        self.notation == Notation::Own
    }

    fn run(&mut self) {
        let located = header::locate(self.lines, self.notation);
        let left_out: Vec<usize> = self
            .lines
            .iter()
            .enumerate()
            .take(located.start)
            .filter(|(at, line)| {
                Some(*at) != located.title && line.heading() != Some(Heading::Page)
            })
            .map(|(_, line)| line.number)
            .collect();
        if let (Some(first), false) = (left_out.first(), self.own()) {
            let message = format!("left out {} before the title", count_lines(left_out.len()));
            let problem = self.problems.at(Code::UnknownLine, *first, message);
            self.problems.add(problem);
        }
        if located.title.is_none() {
            self.problems.missing(
                "there is no title of the form MODEL on GPU 141GB ×4",
                "name model and hardware in the sidecar",
            );
        }
        if located.subtitle.is_none() && !self.own() {
            self.problems.missing(
                "there is no line that counts contexts and concurrency levels, so a missing row may not be noticed",
                "copy the line below the title, too",
            );
        }
        let mut at = located.start;
        while let Some(line) = self.lines.get(at).filter(|_| !self.problems.full()) {
            let used = if Some(at) == located.subtitle {
                self.subtitle(line);
                Some(1)
            } else {
                self.step(at, line)
            };
            match used {
                Some(used) => {
                    let used = used.max(1);
                    self.last_known = self
                        .lines
                        .get(at + used - 1)
                        .map_or(self.last_known, |l| l.number);
                    at += used;
                }
                None => {
                    self.unknown.push((line.number, &line.text));
                    at += 1;
                }
            }
        }
        self.tell_strays();
        self.finish_command();
        if let Some(line) = located.title.and_then(|at| self.lines.get(at)) {
            if self.own() {
                let title = FactValue::Text(tables::plain(&line.text));
                self.report
                    .facts
                    .set_if_absent(Fact::Title, title, line.number);
            } else {
                header::apply_title(&mut self.report, &mut self.problems, line);
            }
        }
        header::apply_subtitle(&mut self.report, &mut self.problems);
        if !self.own() {
            header::settle_vram(&mut self.report);
        }
        self.report.headings = std::mem::take(&mut self.seen);
        self.report.own = self.own();
        self.finish_unknown();
    }

    /// Reads what begins at a line: how many lines that took, or `None` for a line that belongs to
    /// nothing.
    fn step(&mut self, at: usize, line: &'l Line) -> Option<usize> {
        if line.fenced {
            if self.section == Some(Heading::Launch) {
                self.command.push((line.number, &line.raw));
                return Some(1);
            }
            return self.own().then_some(1);
        }
        if self.own() && line.level > 0 {
            let heading = line.heading().filter(|heading| *heading != Heading::Page);
            self.skipping = heading.is_none();
            self.section = heading.or(self.section);
            return Some(1);
        }
        if self.skipping {
            return Some(1);
        }
        if let Some((head, used)) = tables::head_at(self.lines, at, self.notation) {
            return Some(self.table(at, head, used));
        }
        if self.is_heading(line) {
            let heading = line.heading()?;
            self.seen.insert(heading, line.number);
            self.section = Some(heading);
            return Some(1);
        }
        if let Some(heading) = opener(&line.text) {
            self.section = Some(heading);
            return Some(1);
        }
        if self.own() {
            self.own_line(at, line)
        } else {
            self.foreign_line(at, line)
        }
    }

    /// Whether a line of a foreign page is a heading there: each stands once, and a label in a list
    /// ("- Engine") is none.
    fn is_heading(&self, line: &Line) -> bool {
        !self.own()
            && line.heading().is_some_and(|heading| {
                !self.seen.contains_key(&heading) && heading != Heading::Page
            })
    }

    fn own_line(&mut self, at: usize, line: &'l Line) -> Option<usize> {
        let (item, bulleted) = line.item();
        match self.section {
            None => {
                header::byline(
                    &mut self.report,
                    &mut self.problems,
                    &tables::plain(item),
                    line.number,
                    self.notation,
                );
                Some(1)
            }
            Some(Heading::Launch) => Some(1),
            Some(Heading::Notes) => {
                self.report.notes.push(tables::plain(item));
                Some(1)
            }
            Some(section) if section.of_facts() => {
                if item.starts_with("Not given") || tables::is_rule(item) {
                    return Some(1);
                }
                let parts = tables::cells(item);
                let pair = match (line.tabular(), parts.as_slice()) {
                    (true, [label, value]) => Some((*label, *value)),
                    _ => item.split_once(':'),
                };
                let (label, value) = pair?;
                let value = tables::plain(value);
                if label.is_empty() || tables::is_empty(&value) {
                    return Some(1);
                }
                let Some(key) = Key::read(&tables::plain(label)) else {
                    // Prose, or the head of the table of facts.
                    return (!bulleted && !line.tabular()
                        || ["fact", "value"].contains(&squash(&value).as_str()))
                    .then_some(1);
                };
                self.fact(key, &value, line.number);
                Some(1)
            }
            Some(_) => {
                if tables::is_stray_row(line) {
                    self.stray_row(at, line);
                } else if item.starts_with("TTFT is ") {
                    self.report.notes.push(tables::plain(item));
                }
                Some(1)
            }
        }
    }

    fn foreign_line(&mut self, at: usize, line: &'l Line) -> Option<usize> {
        let in_command = self.section == Some(Heading::Launch);
        let (item, bulleted) = line.item();
        if let Some(used) = self.prefill_points(at, line) {
            self.section = Some(Heading::Prefill);
            return Some(used);
        }
        if let Some((key, value)) = facts::labelled(item) {
            let known = matches!(key, Key::Fact(fact) if self.report.facts.has(fact));
            if !(in_command && known) {
                self.fact(key, value, line.number);
                return Some(1);
            }
        }
        if in_command {
            if matches!(
                line.text.as_str(),
                "Copy" | "Copied" | "Copied!" | "Copy command"
            ) {
                return None;
            }
            self.command.push((line.number, &line.raw));
            return Some(1);
        }
        if (self.section.is_some_and(Heading::of_facts) || bulleted)
            && let Some(key) = Key::read(item)
        {
            return self.pair(at, key, item, line);
        }
        if self.section.is_none()
            && header::byline(
                &mut self.report,
                &mut self.problems,
                &line.text,
                line.number,
                self.notation,
            )
        {
            return Some(1);
        }
        if tables::is_legend(line) || tables::is_rule(&line.text) {
            return Some(1);
        }
        if item.starts_with("TTFT is ") {
            self.report.notes.push(item.to_owned());
            return Some(1);
        }
        if tables::is_stray_row(line) {
            self.stray_row(at, line);
            return Some(1);
        }
        if self.section == Some(Heading::Prefill)
            && item.contains("TTFT")
            && item.chars().any(|c| c.is_ascii_digit())
        {
            let message = format!("“{}” cannot be read as a prefill point", excerpt(item));
            let problem = self
                .problems
                .at(Code::ReportSyntax, line.number, message)
                .help("write it as in 8K context13.7K599 ms TTFT");
            self.problems.add(problem);
            return Some(1);
        }
        None
    }

    /// A label whose value stands in the next line.
    fn pair(&mut self, at: usize, key: Key, label: &str, line: &Line) -> Option<usize> {
        let value = self.lines.get(at + 1).filter(|next| {
            let (item, bulleted) = next.item();
            next.level == 0
                && !next.fenced
                && !next.tabular()
                && !(bulleted && Key::read(item).is_some())
                && facts::labelled(item).is_none()
                && !(!bulleted && self.is_heading(next))
                && opener(&next.text).is_none()
        });
        let Some(value) = value else {
            let message = format!("“{}” has no value", excerpt(label));
            let problem = self.problems.at(Code::UnknownLine, line.number, message);
            self.problems.add(problem);
            return Some(1);
        };
        let (text, _) = value.item();
        let number = value.number;
        let text = text.to_owned();
        self.fact(key, &text, number);
        Some(2)
    }

    fn fact(&mut self, key: Key, value: &str, line: usize) {
        facts::read(
            &mut self.report.facts,
            &mut self.report.tags,
            &mut self.problems,
            key,
            value,
            line,
            self.notation,
        );
    }

    fn subtitle(&mut self, line: &Line) {
        let Some(subtitle) = header::parse_subtitle(&line.text, line.number) else {
            return;
        };
        if !subtitle.rest.is_empty()
            && !header::byline(
                &mut self.report,
                &mut self.problems,
                &subtitle.rest,
                line.number,
                self.notation,
            )
        {
            let message = format!(
                "“{}” belongs to nothing known and is left out",
                excerpt(&subtitle.rest)
            );
            let problem = self.problems.at(Code::UnknownLine, line.number, message);
            self.problems.add(problem);
        }
        self.report.subtitle = Some(subtitle);
    }

    /// Prefill points in a line, also one broken over two.
    fn prefill_points(&mut self, at: usize, line: &Line) -> Option<usize> {
        if line.tabular() || line.text.len() > 10_000 {
            return None;
        }
        let section = self.section == Some(Heading::Prefill);
        let mut used = 1;
        let mut found = read_points(&line.text, section);
        if found.is_none()
            && section
            && line.text.chars().any(|c| c.is_ascii_digit())
            && let Some(next) = self.lines.get(at + 1)
            && !next.tabular()
            && next.heading().is_none()
            && next.text.len() < 200
        {
            found = read_points(&format!("{}{}", line.text, next.text), section);
            used = 2;
        }
        // Broken before the last word: all that is needed stands in the first line.
        if section && used == 1 && self.lines.get(at + 1).is_some_and(|l| l.text == "TTFT") {
            used = 2;
        }
        let (before, points) = found?;
        if !before.is_empty() {
            let message = format!(
                "“{}” belongs to nothing known and is left out",
                excerpt(&before)
            );
            let problem = self.problems.at(Code::UnknownLine, line.number, message);
            self.problems.add(problem);
        }
        for (label, text) in points {
            if let Some(seen) = self.cell(Phase::Prefill, label, 1, line.number, &text) {
                self.report.points.push(seen);
            }
        }
        Some(used)
    }

    /// Reads a cell of a matrix or a prefill point; problems are told.
    fn cell(
        &mut self,
        phase: Phase,
        label: String,
        concurrency: u64,
        line: usize,
        text: &str,
    ) -> Option<Seen> {
        let text = match self.notation {
            Notation::Own => tables::plain(text),
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

    fn cell_error(&mut self, code: Code, line: usize, message: String) {
        let help = match code {
            Code::BadNumber => "write numbers as in 1,078.8",
            _ => "write the cell as the page shows it",
        };
        let problem = self.problems.at(code, line, message).help(help);
        self.problems.add(problem);
    }

    /// Remembers a row outside of any table, so that a block of them is told once.
    fn stray_row(&mut self, at: usize, line: &Line) {
        let above = at
            .checked_sub(1)
            .and_then(|at| self.lines.get(at))
            .is_some_and(tables::is_stray_row);
        match self.strays.last_mut().filter(|_| above) {
            Some((_, _, rows)) => *rows += 1,
            None => self.strays.push((line.number, excerpt(&line.text), 1)),
        }
    }

    fn tell_strays(&mut self) {
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

    fn table(&mut self, at: usize, head: Head, used: usize) -> usize {
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
            match tables::row_at(self.lines, next, width, &last_fits) {
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
        let (rows, used) = self.rows(at, used, levels.len() + 1, |last| {
            grammar::is_complete(last, phase, notation)
        });
        let mut grid = Grid {
            phase,
            line: head,
            contexts: Vec::new(),
            levels,
            cells: Vec::new(),
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
                }
            }
            grid.contexts.push(label);
        }
        self.report.grids.push(grid);
        used
    }

    fn label(&mut self, text: &str, line: usize) -> Option<String> {
        let text = match self.notation {
            Notation::Own => tables::plain(text),
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
        let (rows, used) = self.rows(at, used, columns.len(), |text| match &last {
            Some(Column::Metric(metric, unit)) => {
                grammar::table_figure(text, *metric, *unit, notation).is_ok()
            }
            _ => true,
        });
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
        let mut figures: Vec<(Metric, crate::run::Figure)> = Vec::new();
        let mut failed = false;
        for (column, cell) in columns.iter().zip(cells) {
            let text = match self.notation {
                Notation::Own => tables::plain(cell),
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
                    concurrency = grammar::whole(&text);
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
                    grammar::table_figure(&text, *metric, *unit, self.notation)
                        .map(|figure| figures.extend(figure.map(|figure| (*metric, figure))))
                        .map_err(|error| (error.code, error.message))
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
        })
    }

    /// Puts the launch command together. Continuations of our own pages are joined, since there
    /// each flag has its line; other commands stay as they were typed.
    fn finish_command(&mut self) {
        let Some((line, _)) = self.command.first() else {
            return;
        };
        let line = *line;
        let lines: Vec<&str> = self.command.iter().map(|(_, text)| *text).collect();
        let command = if self.own() {
            let mut out = String::new();
            let mut open = false;
            for text in lines {
                if !out.is_empty() {
                    out.push(if open { ' ' } else { '\n' });
                }
                let text = if open { text.trim_start() } else { text };
                open = text.ends_with('\\') && !text.ends_with("\\\\");
                out.push_str(if open {
                    text.strip_suffix('\\').unwrap_or(text).trim_end()
                } else {
                    text
                });
            }
            out
        } else {
            lines.join("\n").trim().to_owned()
        };
        self.report
            .facts
            .set_if_absent(Fact::LaunchCommand, FactValue::Text(command), line);
    }

    /// Tells of the lines that belong to nothing; those behind all others are a footer.
    fn finish_unknown(&mut self) {
        let words: BTreeSet<String> = self
            .report
            .grids
            .iter()
            .flat_map(|grid| &grid.cells)
            .chain(&self.report.rows)
            .filter_map(|seen| seen.status.text.as_deref())
            .map(squash)
            .collect();
        let mut footer = Vec::new();
        for (number, text) in std::mem::take(&mut self.unknown) {
            let legend = text
                .split_once(':')
                .filter(|(word, _)| word.len() < 200 && words.contains(&squash(word)));
            if legend.is_some() {
                // The meaning of a status that is not known here.
                self.report.notes.push(text.to_owned());
            } else if number > self.last_known {
                footer.push(number);
            } else {
                let message = format!(
                    "the line “{}” belongs to nothing known and is left out",
                    excerpt(text)
                );
                let problem = self.problems.at(Code::UnknownLine, number, message);
                self.problems.add(problem);
            }
        }
        if let Some(first) = footer.first() {
            let message = format!(
                "left out {} after the last section",
                count_lines(footer.len())
            );
            let problem = self.problems.at(Code::UnknownLine, *first, message);
            self.problems.add(problem);
        }
    }
}

/// Prefill points in a text: what stands before the first, and label and cell of each.
fn read_points(text: &str, section: bool) -> Option<(String, Vec<(String, String)>)> {
    let mut starts = Vec::new();
    for (at, word) in text.match_indices("context") {
        let before = text.get(..at)?.trim_end();
        let bare = before.strip_suffix(['K', 'k', 'M']).unwrap_or(before);
        let digits = bare.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        if digits.len() == bare.len() || digits.ends_with(',') {
            continue;
        }
        let label = grammar::label(before.get(digits.len()..)?, Notation::Foreign);
        if let Some(label) = label {
            starts.push((digits.len(), at + word.len(), label));
        }
    }
    let first = starts.first()?.0;
    let mut points = Vec::new();
    for (at, (_, from, label)) in starts.iter().enumerate() {
        let end = starts.get(at + 1).map_or(text.len(), |next| next.0);
        let cell = text
            .get(*from..end)?
            .trim()
            .trim_start_matches([':', '·', '|'])
            .trim();
        let known_status = matches!(
            grammar::status(cell, Notation::Foreign),
            Ok(StatusSeen { status, .. }) if status != Status::Other
        );
        let figures = cell.starts_with(|c: char| c.is_ascii_digit())
            && (cell.ends_with("TTFT") || cell.ends_with("ms"));
        let words = section && cell.starts_with(char::is_alphabetic) && cell.len() < 40;
        if !(known_status || figures || words) {
            return None;
        }
        points.push((label.clone(), cell.to_owned()));
    }
    let before = text.get(..first)?.trim();
    let (before, _) = strip_bullet(before);
    Some((before.to_owned(), points))
}

fn strip_bullet(text: &str) -> (&str, bool) {
    let bare = text.trim_matches(|c: char| {
        super::lines::is_dash(c) || matches!(c, '*' | '•') || c.is_whitespace()
    });
    (bare, bare.len() != text.len())
}

pub(super) fn count(n: usize, what: &str) -> String {
    if n == 1 {
        format!("1 {what}")
    } else {
        format!("{n} {what}s")
    }
}

fn count_lines(n: usize) -> String {
    count(n, "line")
}
