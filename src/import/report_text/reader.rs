//! The walk over the lines: which section a line belongs to, and what it says there. Nothing is
//! dropped in silence: what belongs to nothing known is told with its line.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::{self, Key};
use super::header;
use super::lines::{Heading, Line, excerpt, lines, opener, squash};
use super::markdown::plain;
use super::numbers::Notation;
use super::rows;
use super::seen::{Problems, Report};
use super::tables;
use crate::diagnostic::Code;
use crate::run::{Fact, FactValue};

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
        orphan: false,
        first_matrix: None,
        unknown: Vec::new(),
        last_known: 0,
        command: Vec::new(),
    };
    reader.run();
    (reader.report, reader.problems)
}

/// The walk, with what it has found.
pub(super) struct Reader<'a, 'l> {
    /// Whose page it is.
    pub notation: Notation,
    /// All lines.
    pub lines: &'l [Line],
    /// What is wrong.
    pub problems: Problems<'a>,
    /// What the text says.
    pub report: Report,
    /// The heading above.
    pub section: Option<Heading>,
    /// The headings so far, with their lines.
    seen: BTreeMap<Heading, usize>,
    /// In a section of our own page that is not read back.
    skipping: bool,
    /// Whether a label had no value.
    orphan: bool,
    /// The section of the first matrix.
    pub first_matrix: Option<Heading>,
    /// Lines that belong to nothing: number and text.
    unknown: Vec<(usize, &'l str)>,
    /// Number of the last line that belongs to something.
    last_known: usize,
    /// The launch command's lines.
    command: Vec<(usize, &'l str)>,
    /// Rows outside of tables: the first line of each block, its beginning, and how many lines.
    pub strays: Vec<(usize, String, usize)>,
}

impl<'l> Reader<'_, 'l> {
    /// Whether it is a page of our own.
    pub fn own(&self) -> bool {
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
                let title = FactValue::Text(plain(&line.text));
                self.report
                    .facts
                    .set_if_absent(Fact::Title, title, line.number);
            } else {
                header::apply_title(&mut self.report, &mut self.problems, line);
            }
        }
        header::apply_subtitle(&mut self.report, &mut self.problems, self.notation);
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
                if self.marks(&line.text) {
                    return Some(1);
                }
                header::byline(
                    &mut self.report,
                    &mut self.problems,
                    &plain(item),
                    line.number,
                    self.notation,
                );
                Some(1)
            }
            Some(Heading::Launch) => Some(1),
            Some(Heading::Notes) => {
                self.report.notes.push(plain(item));
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
                let value = plain(value);
                if label.is_empty() || tables::is_empty(&value) {
                    return Some(1);
                }
                let Some(key) = Key::read(&plain(label)) else {
                    // Prose, or the head of the table of facts.
                    return (!bulleted && !line.tabular()
                        || ["fact", "value"].contains(&squash(&value).as_str()))
                    .then_some(1);
                };
                self.fact(key, &value, line.number);
                Some(1)
            }
            Some(_) => {
                if rows::is_stray_row(line) {
                    self.stray_row(at, line);
                } else if item.starts_with("TTFT is ")
                    || !bulleted && self.below_first_table() && !is_generated(item)
                {
                    // The source's sentences stand below the first matrix, or list, and its legend.
                    self.report.notes.push(plain(item));
                }
                Some(1)
            }
        }
    }

    /// The marks of our own page below its byline.
    fn marks(&mut self, text: &str) -> bool {
        let marks: Vec<&str> = text.split(" · ").collect();
        let known = [DRAFT, INTERRUPTED, NOT_RANKED];
        if !marks.iter().all(|mark| known.contains(mark)) {
            return false;
        }
        self.report.draft |= marks.contains(&DRAFT);
        self.report.interrupted |= marks.contains(&INTERRUPTED);
        self.report.not_ranked |= marks.contains(&NOT_RANKED);
        true
    }

    /// Whether the last table of our own page is its first matrix, or the list of prefill points
    /// where there is no matrix.
    fn below_first_table(&self) -> bool {
        match self.section {
            Some(Heading::Decode | Heading::Burst) => {
                self.report.grids.len() == 1 && self.section == self.first_matrix
            }
            Some(Heading::Prefill) => {
                self.report.grids.is_empty() && !self.report.points.is_empty()
            }
            _ => false,
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
        if rows::is_legend(line) || tables::is_rule(&line.text) {
            return Some(1);
        }
        if item.starts_with("TTFT is ") {
            self.report.notes.push(item.to_owned());
            return Some(1);
        }
        if rows::is_stray_row(line) {
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
            let is_next_label = bulleted && Key::read(item).is_some();
            let is_next_section = next.level > 0 || (!bulleted && self.is_heading(next));
            let is_other = next.fenced || next.tabular() || opener(&next.text).is_some();
            !(is_next_label || is_next_section || is_other) && facts::labelled(item).is_none()
        });
        let Some(value) = value else {
            let message = format!("“{}” has no value", excerpt(label));
            let problem = self.problems.at(Code::UnknownLine, line.number, message);
            self.problems.add(problem);
            self.orphan = true;
            return Some(1);
        };
        let (text, value_bulleted) = value.item();
        let number = value.number;
        let text = text.to_owned();
        // A second line that may be the value: only one of the two has the dash that values have
        // here, so which one belongs to the label is not known. Behind a value with its dash a line
        // is only a stray one, unless another label is left without a value.
        let other = self.lines.get(at + 2).filter(|next| {
            let (item, other_bulleted) = next.item();
            let suspicious = match (value_bulleted, other_bulleted) {
                (false, true) => line.item().1,
                (true, false) => self.orphan,
                _ => false,
            };
            suspicious
                && !next.fenced
                && !next.tabular()
                && next.level == 0
                && opener(&next.text).is_none()
                && Key::read(item).is_none()
                && facts::labelled(item).is_none()
                && (other_bulleted || next.heading().is_none())
        });
        if let Some(other) = other {
            let message = format!(
                "the value of “{}” may be “{}”, or “{}”",
                excerpt(label),
                excerpt(&text),
                excerpt(other.item().0)
            );
            let problem = self
                .problems
                .at(Code::Ambiguous, number, message)
                .also(self.problems.place(other.number), "the other line")
                .help("remove the line that does not belong there");
            self.problems.add(problem);
            return Some(3);
        }
        self.fact(key, &text, number);
        Some(2)
    }

    fn fact(&mut self, key: Key, value: &str, line: usize) {
        let split = match key {
            Key::Fact(Fact::LaunchCommand) => None,
            _ if self.own() => None,
            _ => facts::second_label(value),
        };
        if let Some((front, label, rest)) = split {
            let apart = front.ends_with(char::is_whitespace) && !front.trim().is_empty();
            if let Some((second, other)) = facts::labelled(rest).filter(|_| apart) {
                self.fact(key, front.trim_end(), line);
                self.fact(second, other, line);
                return;
            }
            let message = format!(
                "the value “{}” has another label in it, “{label}”",
                excerpt(value)
            );
            let problem = self
                .problems
                .at(Code::Ambiguous, line, message)
                .help("put each label on a line of its own");
            self.problems.add(problem);
            return;
        }
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

/// Marks of our own pages.
const DRAFT: &str = "Draft";
const INTERRUPTED: &str = "Incomplete: the run was interrupted";
const NOT_RANKED: &str = "Not ranked";

/// Whether a sentence below a matrix of our own page is made by this program, and so no note of the
/// source.
fn is_generated(text: &str) -> bool {
    text.starts_with("Not given: ")
        || text.starts_with("In ") && text.contains(" no request was completed inside the window.")
}

/// A number of things in words: `1 line`, `2 lines`.
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
