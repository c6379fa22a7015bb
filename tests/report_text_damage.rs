//! Properties of the report texts: what is printed is read back, and whatever happens to a text on
//! its way gives an error or the same figures, never other ones, and never a panic.
//!
//! The seed is printed; `SPEEDBOOK_SEED=N` repeats a run.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test may fail"
)]

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use speedbook::import::{Outcome, import};
use speedbook::run::figure::{format_number, parse_figure};
use speedbook::run::{Metric, Phase, Run};

const REPORTS: [&str; 2] = [
    include_str!("fixtures/reports/000_0c695113e7a3cf0b.txt"),
    include_str!("fixtures/reports/001_9ca01d13c50de007.txt"),
];

/// How many cases each property is tried with; `SPEEDBOOK_CASES` asks for more.
static CASES: LazyLock<u32> = LazyLock::new(|| {
    let asked = std::env::var("SPEEDBOOK_CASES").ok();
    asked.map_or(10_000, |n| n.parse().expect("SPEEDBOOK_CASES is a number"))
});

/// Prints a line, also of a test that succeeds: the harness captures only what the macros print.
fn say(line: &str) {
    let line = format!("{line}\n");
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}

/// A runner whose seed is known to whoever reads the output.
fn runner(test: &str) -> TestRunner {
    let seed: u64 = match std::env::var("SPEEDBOOK_SEED") {
        Ok(seed) => seed.parse().expect("SPEEDBOOK_SEED is a number"),
        Err(_) => std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap()
            .as_nanos() as u64,
    };
    say(&format!("{test}: {} cases, SPEEDBOOK_SEED={seed}", *CASES));
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let config = Config {
        cases: *CASES,
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
}

fn read(text: &str) -> Option<(Run, usize)> {
    match import("a.txt", text.as_bytes()) {
        Ok(Outcome::Run(imported)) => Some((imported.run, imported.warnings.len())),
        Ok(other) => panic!("{other:?}"),
        Err(problems) => {
            assert!(!problems.is_empty());
            None
        }
    }
}

type Cells = BTreeMap<(Phase, String, u64), (String, Vec<(Metric, f64)>)>;

/// Every cell with its status in words and its figures.
fn cells(run: &Run) -> Cells {
    let mut cells = Cells::new();
    for phase in Phase::ALL {
        for m in run.phase(*phase) {
            let key = (*phase, m.context.label.to_lowercase(), m.concurrency);
            let figures = m.figures.iter().map(|(k, f)| (k, f.value)).collect();
            cells.insert(key, (m.status_label().to_owned(), figures));
        }
    }
    cells
}

/// Nothing but an error, or the same figures; another status only with a warning.
fn same_or_error(damaged: &str, original: &Cells) -> Result<bool, TestCaseError> {
    let Some((run, warnings)) = read(damaged) else {
        return Ok(false);
    };
    let got = cells(&run);
    prop_assert_eq!(
        got.keys().collect::<Vec<_>>(),
        original.keys().collect::<Vec<_>>()
    );
    for (key, (status, figures)) in original {
        let (got_status, got_figures) = &got[key];
        prop_assert_eq!(got_figures, figures, "{:?}", key);
        prop_assert!(got_status == status || warnings > 0, "{:?}", key);
    }
    Ok(true)
}

/// Whether the character is part of a number: its digits, what separates them, and its K or M.
fn in_number(chars: &[char], at: usize) -> bool {
    let digit = |at: Option<usize>| {
        at.and_then(|at| chars.get(at))
            .is_some_and(|c| c.is_ascii_digit())
    };
    match chars[at] {
        c if c.is_ascii_digit() => true,
        '.' | ',' => digit(at.checked_sub(1)) && digit(Some(at + 1)),
        'K' | 'M' => digit(at.checked_sub(1)),
        _ => false,
    }
}

/// Positions of a text's characters that satisfy a condition; one of them, chosen by `pick`.
fn position(chars: &[char], pick: u32, wanted: impl Fn(usize) -> bool) -> Option<usize> {
    let all: Vec<usize> = (0..chars.len()).filter(|at| wanted(*at)).collect();
    (!all.is_empty()).then(|| all[pick as usize % all.len()])
}

fn damage(text: &str, kind: u8, a: u32, b: u32) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let mut lines: Vec<&str> = text.split('\n').collect();
    let outside = |at: usize| chars[at] != '\n' && !in_number(&chars, at);
    match kind {
        0 => {
            if let Some(at) = position(&chars, a, outside) {
                chars.remove(at);
            }
        }
        1 => {
            if let Some(at) = position(&chars, a, outside) {
                chars.insert(at, chars[at]);
            }
        }
        2 => chars.insert(a as usize % (chars.len() + 1), '\n'),
        3 => {
            if let Some(at) = position(&chars, a, |at| chars[at] == '\n') {
                chars.remove(at);
            }
        }
        4..=6 => {
            let line = lines.remove(a as usize % lines.len());
            match kind {
                4 => lines.insert(b as usize % (lines.len() + 1), line),
                5 => {}
                _ => {
                    let at = b as usize % (lines.len() + 1);
                    lines.insert(at, line);
                    lines.insert(at, line);
                }
            }
            return lines.join("\n");
        }
        7 => {
            let space = position(&chars, a, |at| matches!(chars[at], ' ' | '\t'));
            if let Some(at) = space {
                let with = ["\u{a0}", "\u{2009}", "  ", "\t", " ", "\u{202f}", " \t", ""];
                let with: Vec<char> = with[b as usize % with.len()].chars().collect();
                chars.splice(at..=at, with);
            }
        }
        8 => {
            let dashes = ['-', '–', '—', '−', '‐'];
            if let Some(at) = position(&chars, a, |at| dashes.contains(&chars[at])) {
                chars[at] = dashes[b as usize % dashes.len()];
            }
        }
        9 => {
            lines.insert(a as usize % (lines.len() + 1), "  ");
            return lines.join("\n");
        }
        10 => return text.replace('\n', "\r\n"),
        11 => return text.replace('×', "x"),
        _ => {
            let at = a as usize % lines.len();
            let other = b as usize % lines.len();
            lines.swap(at, other);
            return lines.join("\n");
        }
    }
    chars.into_iter().collect()
}

#[test]
fn damage_to_the_structure_gives_an_error_or_the_same_figures() {
    let originals = REPORTS.map(|text| cells(&read(text).unwrap().0));
    let one = (0u8..13, any::<u32>(), any::<u32>());
    let strategy = (0usize..2, prop::collection::vec(one, 1..6));
    let mut runner = runner("structure");
    let survived = std::cell::Cell::new(0u32);
    runner
        .run(&strategy, |(which, damages)| {
            let mut text = REPORTS[which].to_owned();
            for (kind, a, b) in damages {
                text = damage(&text, kind, a, b);
            }
            if same_or_error(&text, &originals[which])? {
                survived.set(survived.get() + 1);
            }
            Ok(())
        })
        .unwrap();
    say(&format!("structure: {} texts were read", survived.get()));
    assert!(survived.get() > *CASES / 10, "hardly anything is survived");
}

/// The text with another digit in the place of one.
fn other_digit(text: &str, at: usize, add: u32) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let digit = u32::from(bytes[at] - b'0');
    bytes[at] = b'0' + u8::try_from((digit + 1 + add % 9) % 10).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// Where the digits are that stand in two places: matrix, prefill list and the columns of tok/s and
/// TTFT, but for digits that are finer than the other place's.
fn doubled_digits(text: &str) -> Vec<usize> {
    let mut out = Vec::new();
    let mut offset = 0;
    for line in text.split('\n') {
        let measured = line.contains("ms TTFT");
        let separator = if line.contains('|') { '|' } else { '\t' };
        let row = line.contains("Prefill") || line.contains("Sustained decode");
        let mut cell_at = offset;
        for (column, cell) in line.split(separator).enumerate() {
            let column = column - usize::from(line.starts_with('|') && column > 0);
            let wanted = measured && !line.contains("prompt tok/s")
                || row && line.matches(separator).count() > 8 && (column == 4 || column == 6);
            // "9,769.0" of the table against "9,769" of the list.
            let coarse = line.contains("Prefill") && column == 4;
            let end = match cell.find('.').filter(|_| coarse && !cell.contains('K')) {
                Some(point) => point,
                None => cell.len(),
            };
            for (at, byte) in cell.bytes().enumerate().take(end) {
                if wanted && byte.is_ascii_digit() {
                    out.push(cell_at + at);
                }
            }
            cell_at += cell.len() + 1;
        }
        offset += line.len() + 1;
    }
    out
}

#[test]
fn damage_to_a_figure_that_stands_in_two_places_is_noticed() {
    let originals = REPORTS.map(|text| cells(&read(text).unwrap().0));
    let places = REPORTS.map(doubled_digits);
    assert!(places.iter().all(|p| p.len() > 500));
    let strategy = (0usize..2, any::<prop::sample::Index>(), any::<u32>());
    runner("figures")
        .run(&strategy, |(which, place, add)| {
            let at = *place.get(&places[which]);
            let text = other_digit(REPORTS[which], at, add);
            same_or_error(&text, &originals[which]).map(|_| ())
        })
        .unwrap();
}

/// A figure as a page prints it.
#[derive(Clone, Debug)]
struct Printed {
    total: String,
    ttft: String,
    status: &'static str,
}

fn printed_cell() -> impl Strategy<Value = Printed> {
    let status = prop_oneof![
        6 => Just(""),
        2 => Just("Requests queued"),
        1 => Just("Over capacity"),
        1 => Just("Failed"),
        1 => Just("Throttled by heat"),
    ];
    (0u32..100_000_000, 0u32..2_000_000, 0u32..4, status).prop_map(
        |(total, ttft, scale, status)| {
            let total = total / 10u32.pow(scale * 2);
            Printed {
                total: format_number(f64::from(total) / 10.0, 1),
                ttft: format_number(f64::from(ttft / 10u32.pow(scale)), 0),
                status,
            }
        },
    )
}

impl Printed {
    fn measured(&self) -> bool {
        !matches!(self.status, "Over capacity" | "Failed")
    }

    fn glued(&self, between: &str) -> String {
        if self.measured() {
            format!(
                "{}{between}{}{between}{} ms TTFT",
                self.total, self.status, self.ttft
            )
        } else {
            self.status.to_owned()
        }
    }
}

/// The prefill rate as the list prints it.
fn prefill_rate(tok_per_s: f64) -> String {
    if tok_per_s >= 10_000.0 {
        let text = format_number(tok_per_s / 1000.0, 1);
        format!("{}K", text.strip_suffix(".0").unwrap_or(&text))
    } else {
        format_number(tok_per_s, 0)
    }
}

/// Rows, columns, cells, prefill rates (number and scale), how it is printed, quantization.
type Page = (
    usize,
    usize,
    Vec<Printed>,
    Vec<(u32, usize)>,
    [bool; 4],
    &'static str,
);

#[test]
fn glued_cells_are_read_as_they_were_printed() {
    let contexts = ["0", "512", "8K", "16K", "128K", "1M"];
    let strategy = (
        1usize..=4,
        1usize..=6,
        prop::collection::vec(printed_cell(), 24),
        prop::collection::vec((1u32..3_000_000, 1usize..6), 6),
        any::<[bool; 4]>(),
        prop::sample::select(vec!["FP8", "INT4", "NVFP4+FP8", "BF16", "Q4_K_M"]),
    );
    let check =
        |(rows, columns, cells, prefill, [tabs, table, named, apart], quantization): Page| {
            let levels: Vec<u64> = (0..columns as u32).map(|n| 2u64.pow(n)).collect();
            let row = |cells: &[String]| {
                if tabs {
                    format!("{}\n", cells.join("\t"))
                } else {
                    format!("| {} |\n", cells.join(" | "))
                }
            };
            let rule = |width: usize| match tabs {
                true => String::new(),
                false => format!("|{}\n", "---|".repeat(width)),
            };
            let between = if apart { " " } else { "" };
            let mut text = format!(
                "Speed test matrix\nm on H200 141GB ×2\nvllm · 1.2 · {quantization}{rows} context{} ({}–{}) × {columns} concurrency level{} (1–{})\n",
                if rows == 1 { "" } else { "s" },
                contexts[0],
                contexts[rows - 1],
                if columns == 1 { "" } else { "s" },
                levels[columns - 1]
            );
            if named {
                text += &format!("Engine\nQuantization: {quantization}\n");
            }
            let mut expected = BTreeMap::new();
            let mut all = String::new();
            text += "Prefill\nprompt tok/s by context length";
            for (label, (rate, scale)) in contexts.iter().take(rows).zip(&prefill) {
                let rate = prefill_rate(f64::from(rate / 10u32.pow(*scale as u32 - 1) + 1));
                // A TTFT that fits the label.
                let tokens = match *label {
                    "0" => 70.0,
                    "512" => 512.0,
                    "1M" => 1_048_576.0,
                    label => label.trim_end_matches('K').parse::<f64>().unwrap() * 1024.0,
                };
                let ttft = (tokens / parse_figure(&rate).unwrap().value * 1000.0).round();
                let ttft = format_number(ttft, 0);
                text += &format!("{label} context{rate}{between}{ttft} ms TTFT\n");
                all += &row(&[
                    "Prefill".into(),
                    (*label).into(),
                    "1".into(),
                    "Valid".into(),
                    rate.clone(),
                    format!("{ttft} ms"),
                ]);
                expected.insert((Phase::Prefill, (*label).to_owned(), 1), (rate, ttft));
            }
            text += "Sustained decode\n";
            let mut head = vec!["Context".to_owned()];
            head.extend(levels.iter().map(u64::to_string));
            text += &row(&head);
            text += &rule(columns + 1);
            for (r, label) in contexts.iter().take(rows).enumerate() {
                let mut line = vec![(*label).to_owned()];
                for (c, level) in levels.iter().enumerate() {
                    let cell = &cells[r * 6 + c];
                    line.push(cell.glued(between));
                    let figures = if cell.measured() {
                        (cell.total.clone(), cell.ttft.clone())
                    } else {
                        ("—".to_owned(), "—".to_owned())
                    };
                    all += &row(&[
                        "Sustained decode".into(),
                        (*label).into(),
                        level.to_string(),
                        if cell.status.is_empty() {
                            "Valid"
                        } else {
                            cell.status
                        }
                        .into(),
                        figures.0.clone(),
                        if cell.measured() {
                            format!("{} ms", figures.1)
                        } else {
                            figures.1.clone()
                        },
                    ]);
                    expected.insert((Phase::Decode, (*label).to_owned(), *level), figures);
                }
                text += &row(&line);
            }
            if table {
                text += "All measurements\n";
                let head = [
                    "Phase",
                    "Context",
                    "Requests at once",
                    "Status",
                    "Total tok/s",
                    "TTFT",
                ];
                text += &row(&head.map(str::to_owned));
                text += &rule(6);
                text += &all;
            }
            let problems = match import("a.txt", text.as_bytes()) {
                Ok(Outcome::Run(imported)) => {
                    let mut got = BTreeMap::new();
                    for phase in [Phase::Prefill, Phase::Decode] {
                        let rate = match phase {
                            Phase::Prefill => Metric::PrefillTokPerS,
                            _ => Metric::TotalTokPerS,
                        };
                        for m in imported.run.phase(phase) {
                            let show = |metric| {
                                m.get(metric).map_or("—".into(), |f| {
                                    let text = f.to_string();
                                    assert_eq!(parse_figure(&text), Ok(f));
                                    text
                                })
                            };
                            let key = (phase, m.context.label.clone(), m.concurrency);
                            got.insert(key, (show(rate), show(Metric::TtftMs)));
                        }
                    }
                    prop_assert_eq!(got, expected, "\n{}", text);
                    prop_assert_eq!(
                        imported.run.facts.text(speedbook::run::Fact::Quantization),
                        Some(quantization)
                    );
                    return Ok(());
                }
                Ok(other) => panic!("{other:?}"),
                Err(problems) => problems,
            };
            // Without the table some prefill points fit their label in more than one way, and that of a
            // prompt of no length fits in none.
            for problem in problems {
                let told = problem.to_string();
                prop_assert!(
                    !table && told.starts_with("error[E0201]") && told.contains("prefill"),
                    "{}\n{}",
                    told,
                    text
                );
            }
            Ok(())
        };
    runner("glued cells").run(&strategy, check).unwrap();
}
