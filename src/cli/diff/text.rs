//! A report for the terminal: words always, colour where anstream finds a terminal.

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr;

use super::{Report, phase};
use crate::compare::words;
use crate::compare::{
    Apart, Comparison, DeltaMetric, Difference, FlagRow, MetricComparison, PhaseComparison,
    RowState, Side,
};
use crate::diagnostic::printable;
use crate::run::Phase;

/// The report, in lines of at most `width` columns.
pub(super) fn text(report: &Report, width: usize) -> String {
    let mut page = Page {
        out: String::new(),
        width,
    };
    for (at, comparison) in report.comparisons.iter().enumerate() {
        if at > 0 {
            page.out.push('\n');
            page.line(&"=".repeat(width));
            page.out.push('\n');
        }
        page.comparison(comparison, &report.metrics);
    }
    if let Some(unpaired) = &report.unpaired {
        if !report.comparisons.is_empty() {
            page.out.push('\n');
        }
        page.paragraph(&format!(
            "Pairs of runs with equal facts: {}.",
            report.comparisons.len()
        ));
        for (names, side) in [(&unpaired.only_a, Side::A), (&unpaired.only_b, Side::B)] {
            if !names.is_empty() {
                page.paragraph(&format!(
                    "Only in {}, without a partner: {}",
                    side.letter(),
                    names.len()
                ));
                for name in names {
                    page.indented("  ", name);
                }
            }
        }
    }
    page.out
}

struct Page {
    out: String,
    width: usize,
}

impl Page {
    fn line(&mut self, text: &str) {
        self.out.push_str(text.trim_end());
        self.out.push('\n');
    }

    /// Text of content, wrapped at blanks.
    fn paragraph(&mut self, text: &str) {
        self.indented("", text);
    }

    fn indented(&mut self, indent: &str, text: &str) {
        for line in wrap(&printable(text), self.width.saturating_sub(indent.width())) {
            self.line(&format!("{indent}{line}"));
        }
    }

    fn comparison(&mut self, comparison: &Comparison, metrics: &[DeltaMetric]) {
        let bold = Style::new().bold();
        for line in wrap(&printable(&comparison.title()), self.width) {
            self.line(&format!("{bold}{line}{bold:#}"));
        }
        self.out.push('\n');
        for (letter, side) in [("A", &comparison.a), ("B", &comparison.b)] {
            let slug = if side.slug.is_empty() || side.slug == side.title {
                String::new()
            } else {
                format!(" ({})", side.slug)
            };
            self.paragraph(&format!("{letter}: {}{slug}", side.title));
        }
        self.out.push('\n');
        self.paragraph(&comparison.verdict_sentence());
        self.paragraph(&comparison.flags_sentence());
        self.paragraph(&comparison.counts_sentence());
        if let Some(sentence) = comparison.per_gpu_sentence() {
            self.paragraph(&sentence);
        }
        for metric in metrics {
            self.metric(phase(comparison, *metric), *metric);
        }
        self.summaries(comparison);
        self.flags(comparison);
    }

    fn metric(&mut self, phase: &PhaseComparison, metric: DeltaMetric) {
        self.out.push('\n');
        let Some(found) = phase.metric(metric) else {
            self.paragraph(&format!("{}: neither run has it.", metric.label()));
            if metric == DeltaMetric::TotalPerGpu {
                self.paragraph("It needs the number of GPUs of both runs.");
            }
            return;
        };
        self.paragraph(&format!(
            "{}, B ÷ A ({}; no clear difference within {})",
            metric.label(),
            words::better(metric),
            words::percent(found.band)
        ));
        self.matrix(phase, found);
    }

    /// The matrix, as many columns at a time as fit.
    fn matrix(&mut self, phase: &PhaseComparison, metric: &MetricComparison) {
        const LONGEST_LABEL: usize = 16;
        let labels: Vec<String> = phase
            .contexts
            .iter()
            .map(|row| cut(&printable(&row.label()), LONGEST_LABEL))
            .collect();
        let first = labels.iter().map(|l| l.width()).max().unwrap_or(0).max(7);
        let width = CELL + 1;
        let fit = (self.width.saturating_sub(first) / width).max(1);
        let columns: Vec<usize> = (0..phase.columns.len()).collect();
        for (at, columns) in columns.chunks(fit).enumerate() {
            if at > 0 {
                self.out.push('\n');
            }
            let mut head = pad_right("context", first);
            for column in columns {
                let n = phase.columns.get(*column).map_or(0, |c| c.concurrency);
                head.push(' ');
                head.push_str(&pad_left(&n.to_string(), CELL));
            }
            self.line(&head);
            for (row, label) in labels.iter().enumerate() {
                let cells: Vec<(String, String, Style)> = columns
                    .iter()
                    .map(|column| shown(phase, metric, row, *column))
                    .collect();
                for second in [false, true] {
                    let mut line = pad_right(if second { "" } else { label }, first);
                    for (ratio, words, style) in &cells {
                        let text = if second { words } else { ratio };
                        line.push(' ');
                        let padded = pad_left(text, CELL);
                        if text.is_empty() {
                            line.push_str(&padded);
                        } else {
                            line.push_str(&format!("{style}{padded}{style:#}"));
                        }
                    }
                    self.line(&line);
                }
            }
        }
    }

    fn summaries(&mut self, comparison: &Comparison) {
        self.out.push('\n');
        self.paragraph("Geometric means of B ÷ A over the valid cells:");
        let mut rows = Vec::new();
        for phase in [&comparison.decode, &comparison.burst, &comparison.prefill] {
            for metric in &phase.metrics {
                let label = match phase.phase {
                    Phase::Decode => metric.metric.label().to_owned(),
                    Phase::Burst => format!("burst: {}", metric.metric.label()),
                    Phase::Prefill => format!("prefill: {}", metric.metric.label()),
                };
                rows.push((label, phase, metric));
            }
        }
        for (label, phase, metric) in rows {
            self.indented(
                "  ",
                &format!("{label}: {}", words::metric_sentence(metric)),
            );
            if phase.phase != Phase::Prefill && metric.valid.n > 0 {
                let bands: Vec<String> = metric
                    .bands
                    .iter()
                    .filter_map(|band| {
                        let means = band.summary.means?;
                        Some(format!(
                            "{} requests {} (n = {})",
                            band.band.label(),
                            words::ratio(means.geometric_mean),
                            band.summary.n
                        ))
                    })
                    .collect();
                self.indented("    ", &bands.join("; "));
            }
            if let Some(crossing) = metric.crossing {
                self.indented("    ", &words::crossing_sentence(crossing));
            }
            if let Some(apart) = words::apart_sentence(metric) {
                self.indented("    ", &apart);
            }
        }
    }

    fn flags(&mut self, comparison: &Comparison) {
        let differ: Vec<&FlagRow> = comparison
            .launch
            .rows
            .iter()
            .filter(|row| row.kind.is_flag() && row.state != RowState::Same)
            .collect();
        if differ.is_empty() {
            return;
        }
        self.out.push('\n');
        self.paragraph("Launch flags that differ or cannot be compared:");
        let label = |row: &FlagRow| cut(&printable(&row.label()), 40);
        let first = differ.iter().map(|r| label(r).width()).max().unwrap_or(0);
        for row in differ {
            let value = |side| row.value(side).unwrap_or_else(|| "not set".to_owned());
            let text = match row.state {
                RowState::NotComparable => "not comparable".to_owned(),
                state => format!("{}: {} → {}", state.words(), value(Side::A), value(Side::B)),
            };
            let start = format!("  {}  ", pad_right(&label(row), first));
            let room = self.width.saturating_sub(start.width());
            if room >= 20 {
                self.line(&format!("{start}{}", cut(&printable(&text), room)));
            } else {
                self.line(&cut(&format!("  {}", label(row)), self.width));
                self.indented("    ", &text);
            }
        }
    }
}

/// Width of a cell.
const CELL: usize = 8;

/// A cell's two lines and its colour.
fn shown(
    phase: &PhaseComparison,
    metric: &MetricComparison,
    row: usize,
    column: usize,
) -> (String, String, Style) {
    let plain = Style::new();
    let dim = Style::new().dimmed();
    let at = row * phase.columns.len() + column;
    let (Some(cell), Some(delta)) = (phase.cells.get(at), metric.deltas.get(at)) else {
        return (String::new(), String::new(), plain);
    };
    let Some(ratio) = delta.ratio else {
        let words = match cell.state {
            state if state.is_compared() => "no ratio",
            state => short(state),
        };
        return (String::new(), words.to_owned(), dim);
    };
    let ratio = cut(&format!("×{}", words::ratio(ratio)), CELL);
    let words = match (delta.apart, delta.difference) {
        (Some(Apart::Queued), _) => return (ratio, "queued".to_owned(), dim),
        (Some(Apart::Doubted), _) => return (ratio, "doubted".to_owned(), dim),
        (Some(Apart::OtherStatus), _) => return (ratio, "other".to_owned(), dim),
        (None, Some(Difference::Unclear) | None) => return (ratio, "no diff".to_owned(), dim),
        (None, Some(difference)) => difference.words(),
    };
    let colour = match words {
        "faster" => Style::new().fg_color(Some(AnsiColor::Blue.into())),
        "slower" => Style::new().fg_color(Some(AnsiColor::Yellow.into())),
        _ => plain,
    };
    (ratio, words.to_owned(), colour)
}

/// A state in at most eight columns.
fn short(state: crate::compare::CellState) -> &'static str {
    use crate::compare::CellState;
    match state {
        CellState::Valid | CellState::Queued | CellState::OtherStatus => "",
        CellState::Lost => "lost",
        CellState::Gained => "gained",
        CellState::OnlyA => "only A",
        CellState::OnlyB => "only B",
        CellState::NotMeasuredA => "A none",
        CellState::NotMeasuredB => "B none",
        CellState::Neither => "–",
    }
}

fn pad_left(text: &str, width: usize) -> String {
    format!("{}{text}", " ".repeat(width.saturating_sub(text.width())))
}

fn pad_right(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

/// The text, cut with "…" to so many columns.
fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    for c in text.chars() {
        let mut longer = out.clone();
        longer.push(c);
        if longer.width() + 1 > width {
            break;
        }
        out = longer;
    }
    out.push('…');
    out
}

/// Lines of at most so many columns, broken at blanks; longer words are broken anywhere.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(10);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        if !line.is_empty() && line.width() + 1 + word.width() > width {
            lines.push(std::mem::take(&mut line));
        } else if !line.is_empty() {
            line.push(' ');
        }
        if word.width() <= width {
            line.push_str(word);
            continue;
        }
        let mut columns = line.width();
        for c in word.chars() {
            let own = unicode_width::UnicodeWidthChar::width(c).unwrap_or(0);
            if columns + own > width {
                lines.push(std::mem::take(&mut line));
                columns = 0;
            }
            line.push(c);
            columns += own;
        }
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_never_wider_than_asked() {
        for text in [
            "one two three four five six",
            "averyverylongwordthatdoesnotfit anywhere at all",
            "模型模型模型模型模型模型 模型",
            "",
        ] {
            for line in wrap(text, 12) {
                assert!(line.width() <= 12, "{line}");
            }
        }
        assert_eq!(cut("模型模型", 5), "模型…");
        assert_eq!(cut("short", 5), "short");
    }
}
