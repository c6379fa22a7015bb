//! A report as Markdown for a comment of a pull request: under 60,000 characters whatever the
//! runs hold, all text of content escaped, details folded.

use super::{Report, phase};
use crate::compare::words;
use crate::compare::{
    Comparison, DeltaMetric, FlagRow, MetricComparison, PhaseComparison, RowState, Side, Thing,
};
use crate::render::escape::{markdown as escaped, markdown_code};
use crate::run::Phase;

/// Fewer characters than GitHub takes for a comment (65,536), with room for what is put around it.
const LONGEST: usize = 59_000;

/// The longest text of content that is quoted.
const LONGEST_TEXT: usize = 200;

/// The most columns of a table.
const MOST_COLUMNS: usize = 32;

/// What the closing lines of a table and of the report may need.
const RESERVE: usize = 1_500;

/// The report.
pub(super) fn markdown(report: &Report) -> String {
    let mut page = Page {
        out: String::new(),
        left: LONGEST,
    };
    if let Some(unpaired) = &report.unpaired {
        page.push(&format!(
            "Pairs of runs with equal facts: {}.\n\n",
            report.comparisons.len()
        ));
        for (names, side) in [(&unpaired.only_a, Side::A), (&unpaired.only_b, Side::B)] {
            if !names.is_empty() {
                page.push(&format!(
                    "Only in {}, without a partner: {}\n\n",
                    side.letter(),
                    names.len()
                ));
                let items: Vec<String> = names.iter().map(|n| format!("- {}\n", text(n))).collect();
                page.rows(&items, "runs", LONGEST / 8);
                page.push("\n");
            }
        }
    }
    // What matters of every pair first, so that no pair is left out for another one's cells.
    let heads: Vec<String> = report.comparisons.iter().map(head).collect();
    let mut shown = report.comparisons.len();
    if let [only] = heads.as_slice() {
        page.push(only);
    } else {
        page.push("| | geometric mean of B ÷ A, n | |\n|---|--:|---|\n");
        let lines: Vec<String> = report
            .comparisons
            .iter()
            .map(|comparison| overview(comparison, &report.metrics))
            .collect();
        page.rows(&lines, "pairs", LONGEST / 3);
        page.push("\n");
        shown = page.rows(&heads, "pairs", LONGEST / 3);
    }
    let mut left_out = 0;
    // Details only of pairs that have a summary.
    for comparison in report.comparisons.iter().take(shown) {
        if page.left < 3 * RESERVE {
            left_out += 1;
            continue;
        }
        page.details(comparison, &report.metrics, report.comparisons.len() > 1);
    }
    if left_out > 0 {
        page.finish(&format!("\nDetails of {left_out} pairs are left out.\n"));
    }
    page.out
}

/// Text of content, cut and escaped.
fn text(content: &str) -> String {
    escaped(&cut(content)).replace('@', "@\u{200b}")
}

fn code(content: &str) -> String {
    match markdown_code(&cut(content), true) {
        empty if empty.is_empty() => "(empty)".to_owned(),
        code => code,
    }
}

fn cut(content: &str) -> String {
    let content = crate::diagnostic::printable(content);
    if content.chars().count() <= LONGEST_TEXT {
        return content;
    }
    let mut out: String = content.chars().take(LONGEST_TEXT).collect();
    out.push('…');
    out
}

/// A pair in one row: what is called, the mean of its first metric that has one, what that says.
fn overview(comparison: &Comparison, metrics: &[DeltaMetric]) -> String {
    let found = metrics
        .iter()
        .filter_map(|metric| phase(comparison, *metric).metric(*metric))
        .find_map(|metric| Some((metric, metric.valid.means?)));
    let (mean, said) = match found {
        Some((metric, means)) => {
            let sentence = words::metric_sentence(metric);
            let said = sentence.split_once("): ").map_or("", |(_, words)| words);
            (
                format!("{}, {}", words::ratio(means.geometric_mean), metric.valid.n),
                format!("{}: {said}", metric.metric.label()),
            )
        }
        None => (String::new(), "no valid cell to compare".to_owned()),
    };
    let lost: usize = Phase::ALL
        .iter()
        .map(|phase| comparison.phase(*phase).counts.lost)
        .sum();
    let lost = match lost {
        0 => String::new(),
        n => format!("; {n} lost"),
    };
    let name = match comparison.b.slug.is_empty() {
        true => text(&comparison.b.title),
        false => format!(
            "{} ({})",
            text(&comparison.b.title),
            code(&comparison.b.slug)
        ),
    };
    format!("| {name} | {mean} | {said}{lost} |\n")
}

/// Title, verdict, counts and means of a comparison.
fn head(comparison: &Comparison) -> String {
    let (a, b) = (&comparison.a, &comparison.b);
    // Of two runs of one name the title says A and B only.
    let name = match a.title == b.title && a.slug == b.slug {
        true => format!("{}: ", text(&b.title)),
        false => String::new(),
    };
    let mut out = format!("### {name}{}\n\n", sentence(&comparison.title()));
    for (letter, side) in [("A", &comparison.a), ("B", &comparison.b)] {
        out.push_str(&format!(
            "- **{letter}**: {}{}\n",
            text(&side.title),
            match side.slug.is_empty() {
                true => String::new(),
                false => format!(" ({})", code(&side.slug)),
            }
        ));
    }
    out.push_str(&format!(
        "\n{}\n\n",
        sentence(&comparison.verdict_sentence())
    ));
    out.push_str(&format!(
        "{} {}",
        sentence(&comparison.counts_sentences().join(" ")),
        sentence(&comparison.flags_sentence())
    ));
    if let Some(per_gpu) = comparison.per_gpu_sentence() {
        out.push_str(&format!(" {}", sentence(&per_gpu)));
    }
    out.push_str("\n\n| B ÷ A | geometric mean | from | to | n | |\n|---|--:|--:|--:|--:|---|\n");
    for (phase, metric) in all_metrics(comparison) {
        let name = match phase.phase {
            Phase::Decode => metric.metric.label().to_owned(),
            Phase::Burst => format!("Burst: {}", metric.metric.label()),
            Phase::Prefill => format!("Prefill: {}", metric.metric.label()),
        };
        let Some(means) = metric.valid.means else {
            out.push_str(&format!(
                "| {name} | | | | 0 | no valid cell to compare |\n"
            ));
            continue;
        };
        let sentence = words::metric_sentence(metric);
        let said = sentence.split_once("): ").map_or("", |(_, words)| words);
        let crossing = metric
            .crossing
            .map(|c| format!(". {}", words::crossing_sentence(c)));
        out.push_str(&format!(
            "| {name} ({}) | **{}** | {} | {} | {} | {said}{} |\n",
            words::better(metric.metric),
            words::ratio(means.geometric_mean),
            words::ratio(means.min),
            words::ratio(means.max),
            metric.valid.n,
            crossing.unwrap_or_default()
        ));
    }
    out.push_str(&format!(
        "\nNo clear difference: within {} for rates, {} for the time between tokens, {} for TTFT, or within the rounding.\n\n",
        words::percent(comparison.noise.tok_per_s),
        words::percent(comparison.noise.itl),
        words::percent(comparison.noise.ttft)
    ));
    out
}

/// A sentence of ours with texts of content in it.
fn sentence(content: &str) -> String {
    const LONGEST: usize = 1_200;
    let content = crate::diagnostic::printable(content);
    let cut: String = content.chars().take(LONGEST).collect();
    let more = if cut.len() < content.len() { "…" } else { "" };
    format!("{}{more}", escaped(&cut).replace('@', "@\u{200b}"))
}

fn all_metrics(
    comparison: &Comparison,
) -> impl Iterator<Item = (&PhaseComparison, &MetricComparison)> {
    [&comparison.decode, &comparison.burst, &comparison.prefill]
        .into_iter()
        .flat_map(|phase| phase.metrics.iter().map(move |metric| (phase, metric)))
}

struct Page {
    out: String,
    /// How many characters may still be written.
    left: usize,
}

impl Page {
    fn push(&mut self, text: &str) {
        let n = text.chars().count();
        // What is pushed whole is bounded, and room is kept for it.
        if n <= self.left {
            self.out.push_str(text);
            self.left -= n;
        }
    }

    /// A line for which room was kept.
    fn finish(&mut self, text: &str) {
        self.push(text);
    }

    /// As many rows as fit into `share` characters and leave the reserve, and a line that says how
    /// many do not. Returns how many do.
    fn rows(&mut self, rows: &[String], what: &str, share: usize) -> usize {
        let mut room = share.min(self.left.saturating_sub(RESERVE));
        for (at, row) in rows.iter().enumerate() {
            let n = row.chars().count();
            if n > room {
                let more = rows.len() - at;
                self.push(&format!("\n{more} more {what} are left out.\n"));
                return at;
            }
            room -= n;
            self.push(row);
        }
        rows.len()
    }

    fn details(&mut self, comparison: &Comparison, metrics: &[DeltaMetric], named: bool) {
        // Half of what is left for the cells, so that facts and flags have room.
        let of = match named {
            true => format!(" of {}", tag_text(&comparison.b.title)),
            false => String::new(),
        };
        let share = self.left / 2 / metrics.len().max(1);
        for metric in metrics {
            let phase = phase(comparison, *metric);
            let Some(found) = phase.metric(*metric) else {
                self.push(&format!("{}: neither run has it.\n\n", metric.label()));
                continue;
            };
            self.push(&format!(
                "<details><summary>{}, cell by cell{of}</summary>\n\n",
                metric.label()
            ));
            self.matrix(phase, found, share);
            self.push("\n</details>\n\n");
        }
        let things: Vec<String> = comparison.things.iter().flat_map(thing_rows).collect();
        if !things.is_empty() {
            self.push(&format!(
                "<details><summary>What differs{of}</summary>\n\n| thing | | A | B |\n|---|---|---|---|\n"
            ));
            self.rows(&things, "rows", self.left / 2);
            self.push("\n</details>\n\n");
        }
        let flags: Vec<String> = comparison
            .launch
            .rows
            .iter()
            .filter(|row| row.kind.is_flag() && row.state != RowState::Same)
            .map(flag_row)
            .collect();
        if !flags.is_empty() {
            self.push(&format!(
                "<details><summary>Launch flags{of}</summary>\n\n| flag | | A | B |\n|---|---|---|---|\n"
            ));
            self.rows(&flags, "flags", self.left / 2);
            self.push("\n</details>\n\n");
        }
    }

    fn matrix(&mut self, phase: &PhaseComparison, metric: &MetricComparison, share: usize) {
        let columns = phase.columns.len().min(MOST_COLUMNS);
        let mut head = "| Context |".to_owned();
        let mut rule = "|---|".to_owned();
        for column in phase.columns.iter().take(columns) {
            head.push_str(&format!(" {} |", column.concurrency));
            rule.push_str("--:|");
        }
        self.push(&format!("{head}\n{rule}\n"));
        let rows: Vec<String> = phase
            .contexts
            .iter()
            .enumerate()
            .map(|(row, context)| {
                let mut line = format!("| {} |", text(&context.label()));
                for column in 0..columns {
                    line.push_str(&format!(" {} |", cell(phase, metric, row, column)));
                }
                line.push('\n');
                line
            })
            .collect();
        self.rows(
            &rows,
            "contexts",
            share.saturating_sub(head.len() + rule.len()),
        );
        let more = phase.columns.len() - columns;
        if more > 0 {
            self.push(&format!("\n{more} more concurrencies are left out.\n"));
        }
    }
}

fn cell(phase: &PhaseComparison, metric: &MetricComparison, row: usize, column: usize) -> String {
    let at = row * phase.columns.len() + column;
    let (Some(cell), Some(delta)) = (phase.cells.get(at), metric.deltas.get(at)) else {
        return String::new();
    };
    let figure =
        |f: Option<crate::run::Figure>| f.map_or_else(|| "—".to_owned(), |f| metric.metric.show(f));
    let both = format!("{} → {}", figure(delta.a), figure(delta.b));
    let Some(ratio) = delta.ratio else {
        return match cell.state.is_compared() {
            true => format!("no ratio<br>{both}"),
            false => text(&cell.words()),
        };
    };
    let words = match (delta.apart, delta.difference) {
        (Some(crate::compare::Apart::Doubted), _) => "TTFT includes prefill".to_owned(),
        (Some(_), _) => text(&cell.words()),
        (None, difference) => difference.map_or("", |d| d.words()).to_owned(),
    };
    format!("×{} {words}<br>{both}", words::ratio(ratio))
}

fn thing_rows(thing: &Thing) -> Vec<String> {
    let value = |value: &Option<String>| value.as_ref().map_or("not set".to_owned(), |v| code(v));
    thing
        .items
        .iter()
        .map(|item| {
            format!(
                "| {} | {} | {} | {} |\n",
                text(&thing.kind.label()),
                text(&item.name),
                value(&item.a),
                value(&item.b)
            )
        })
        .collect()
}

fn flag_row(row: &FlagRow) -> String {
    let value = |side| row.value(side).map_or("not set".to_owned(), |v| code(&v));
    format!(
        "| {} | {} | {} | {} |\n",
        code(&row.label()),
        row.state.words(),
        value(Side::A),
        value(Side::B)
    )
}

/// Text of content inside an HTML tag's text, where Markdown is not read.
fn tag_text(content: &str) -> String {
    cut(content)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('@', "@\u{200b}")
}
