//! What a run's own figures say against it.
//!
//! Each rule is a plain function from the run to one finding that groups all its cells. The rules
//! for sustained decode look at the decode matrix only: burst cells begin with empty prompts in the
//! queue and end with a draining tail, so their latencies, windows and rates follow other laws.
//! Burst cells are asked only whether tokens were counted by chunks (`chunk_count`) and whether
//! requests failed (`errors`).

mod circumstances;
mod cold;
mod matrix;
mod prefill;
mod rates;
#[cfg(test)]
pub(crate) mod report;
mod window;
mod words;

use std::collections::BTreeSet;

use super::{Metric, Phase, Run};

pub(crate) use matrix::is_measured;

/// Noise bands: two single measurements of one setup differ by about this much (as a share of 1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// For rates.
    pub tok_per_s: f64,
    /// For the time between tokens.
    pub itl: f64,
    /// For the time to first token.
    pub ttft: f64,
}

impl Default for Noise {
    fn default() -> Self {
        Self {
            tok_per_s: 0.07,
            itl: 0.07,
            ttft: 0.25,
        }
    }
}

/// Something that a run's own figures say against it.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Which rule found it.
    pub rule: Rule,
    /// The measurements that it concerns, by their anchors ([`Run::anchor`]), in the order of the
    /// document; empty where it concerns the whole run.
    pub cells: Vec<String>,
    /// What was found, with numbers, for the page: plain text of one or two sentences.
    pub sentence: String,
}

macro_rules! rules {
    ($($name:ident = $id:literal, $heading:literal, $doc:literal;)*) => {
        /// The rules of the audit, in the order of the page.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule { $(#[doc = $doc] $name,)* }

        impl Rule {
            /// All rules in the order of the page.
            pub const ALL: &'static [Rule] = &[$(Rule::$name,)*];

            /// Its name in `run.json`.
            pub fn id(self) -> &'static str {
                match self { $(Rule::$name => $id,)* }
            }

            /// The heading of its findings on the page.
            pub fn heading(self) -> &'static str {
                match self { $(Rule::$name => $heading,)* }
            }

            /// What it looks for, with its threshold, for the documentation.
            pub fn description(self) -> &'static str {
                match self { $(Rule::$name => $doc,)* }
            }
        }
    };
}

rules! {
    Cold = "cold", "Prompt cache not warm",
        "At 32K of context or more, the decode TTFT is 0.9 to 1.15 times the prefill TTFT of the same context, and some higher concurrency there has less than half of it.";
    PerRequestGap = "per_request_gap", "Two per-request speeds differ",
        "Total tok/s ÷ (active requests, else concurrency) is at least 1.3 times the per-request tok/s.";
    Contradiction = "contradiction", "More than one request can give",
        "With one request, total tok/s is more than 1.1 times the per-request tok/s, beyond the rounding.";
    ShortWindow = "short_window", "Measured for less than asked",
        "In a test of fixed duration, a cell was measured for less than 0.9 times the seconds asked for, beyond the rounding.";
    Arithmetic = "arithmetic", "Tokens ÷ seconds is not the total",
        "Output tokens ÷ measured seconds is off total tok/s by more than 1 %, beyond the rounding of all three.";
    Noise = "noise", "Faster with more context",
        "Total tok/s rises by more than the noise band from one context to the next at the same concurrency, beyond the rounding.";
    NotFilled = "not_filled", "Fewer requests than asked",
        "In a valid cell, fewer than 0.95 times the requests asked for were active, beyond the rounding.";
    ImplausiblePrefill = "implausible_prefill", "Prefill too fast to be true",
        "A prefill rate is more than 1,000,000 tok/s or at least 4 times that of the next shorter context; where that one is doubted itself, also one at least 4 times that of the last one that is not, in less time.";
    ChunkCount = "chunk_count", "Tokens counted by chunks",
        "The tool fell back to counting the chunks of the stream.";
    Errors = "errors", "Failed requests",
        "Some requests failed in a cell that counts (valid or queued).";
    Incomplete = "incomplete", "Interrupted",
        "The run was interrupted.";
}

/// All findings about a run, in the order of the rules, at most one a rule.
///
/// The time is that of sorting the cells.
pub fn audit(run: &Run, noise: &Noise) -> Vec<Finding> {
    let decode = matrix::Matrix::of(run, Phase::Decode);
    let burst = matrix::Matrix::of(run, Phase::Burst);
    let prefill = matrix::Matrix::of(run, Phase::Prefill);
    [
        cold::cold(&decode, &prefill),
        rates::per_request_gap(&decode),
        rates::contradiction(&decode),
        window::short_window(&decode, &run.facts),
        rates::arithmetic(&decode),
        rates::noise(&decode, noise.tok_per_s),
        window::not_filled(&decode),
        prefill::implausible(&prefill),
        circumstances::chunk_count(&decode, &burst),
        circumstances::errors(&decode, &burst),
        circumstances::incomplete(run),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The decode cells, by their anchors, whose TTFT includes prefill: rule [`Rule::Cold`] alone.
pub fn cold_cells(run: &Run) -> BTreeSet<String> {
    let decode = matrix::Matrix::of(run, Phase::Decode);
    let prefill = matrix::Matrix::of(run, Phase::Prefill);
    cold::cold(&decode, &prefill)
        .map(|finding| finding.cells.into_iter().collect())
        .unwrap_or_default()
}

/// The note that no completed request is no fault, naming how many decode cells it concerns; `None`
/// where there is no such cell.
pub fn completed_note(run: &Run) -> Option<String> {
    let counted: Vec<f64> = run
        .decode
        .iter()
        .filter(|cell| matrix::is_measured(cell))
        .filter_map(|cell| cell.value(Metric::CompletedRequests))
        .collect();
    let none = counted.iter().filter(|n| **n == 0.0).count();
    let cells = match (none, counted.len()) {
        (0, _) => return None,
        (1, 1) => "the only cell".to_owned(),
        (n, all) if n == all => format!("all {all} cells"),
        (n, all) => format!("{n} of {all} cells"),
    };
    Some(format!(
        "In {cells} no request was completed inside the window. That is no fault: latencies come from requests that were cut at its end."
    ))
}

#[cfg(test)]
mod tests {
    use super::report::{Table, report_a, report_b};
    use super::*;

    fn findings(run: &Run) -> Vec<(Rule, Vec<String>)> {
        audit(run, &Noise::default())
            .into_iter()
            .map(|f| (f.rule, f.cells))
            .collect()
    }

    fn cells(run: &Run, rule: Rule) -> Vec<String> {
        let found = findings(run).into_iter().find(|(r, _)| *r == rule);
        found.map(|(_, cells)| cells).unwrap_or_default()
    }

    #[test]
    fn report_a_has_a_cold_block_gaps_and_noise_and_nothing_else() {
        let sentences: Vec<String> = audit(&report_a().run(), &Noise::default())
            .into_iter()
            .map(|f| format!("{}: {} ({})", f.rule.id(), f.sentence, f.cells.join(" ")))
            .collect();
        insta::assert_snapshot!(sentences.join("\n"), @r"
        cold: TTFT at 64K, 128K and 251K with 1 and 2 requests includes prefill: the prompt cache was not warm (5,223 ms against a prefill of 5,078 ms at 64K; 2,304 ms with 4 requests). (c64k-n1 c64k-n2 c128k-n1 c128k-n2 c251k-n1 c251k-n2)
        per_request_gap: In 9 cells, total ÷ active requests is at least 1.3 times the per-request tok/s that the tool gives; the most at 251K × 128, 2.34 times (9.4 against 4.0 tok/s). (c8k-n128 c16k-n128 c32k-n128 c64k-n128 c128k-n64 c128k-n128 c251k-n32 c251k-n64 c251k-n128)
        noise: Total tok/s rises with context by more than the 7 % by which two single measurements differ anyway: by 7.5 % from 32K to 64K with 1 request (81.2 tok/s, then 87.3 tok/s) and by 8.0 % from 32K to 64K with 128 requests (1,923.1 tok/s, then 2,076.9 tok/s). (c64k-n1 c64k-n128)
        ");
    }

    #[test]
    fn report_b_has_nothing_against_it() {
        assert_eq!(audit(&report_b().run(), &Noise::default()), []);
    }

    #[test]
    fn the_note_counts_cells_without_a_completed_request() {
        assert_eq!(
            completed_note(&report_a().run()).unwrap(),
            "In all 48 cells no request was completed inside the window. That is no fault: latencies come from requests that were cut at its end."
        );
        let note = completed_note(&report_b().run()).unwrap();
        assert!(note.starts_with("In 14 of 42 cells "), "{note}");
        assert_eq!(completed_note(&Run::new()), None);
    }

    #[test]
    fn a_warmed_block_is_not_cold() {
        let mut table = report_a();
        // 64K × 1 answers as fast as 64K × 4: no longer prefill. 64K × 2 stays cold.
        table.set("64K", 1, Table::TTFT, "2,304 ms");
        assert_eq!(
            cells(&table.run(), Rule::Cold),
            ["c64k-n2", "c128k-n1", "c128k-n2", "c251k-n1", "c251k-n2"]
        );
        // Without a warm cell at a higher concurrency nothing says that this one was cold.
        for n in [4, 8] {
            table.set("64K", n, Table::TTFT, "2,800 ms");
        }
        assert_eq!(
            cells(&table.run(), Rule::Cold),
            ["c128k-n1", "c128k-n2", "c251k-n1", "c251k-n2"]
        );
    }

    #[test]
    fn a_cold_block_is_found_in_a_warm_report() {
        let mut table = report_b();
        // Prefill at 128K takes 7,752 ms; × 0.9 = 6,976.8; the half of 7,000 is above 599 ms.
        table.set("128K", 1, Table::TTFT, "7,000 ms");
        table.set("128K", 2, Table::TTFT, "6,976 ms");
        assert_eq!(cells(&table.run(), Rule::Cold), ["c128k-n1"]);
        assert_eq!(findings(&table.run()).len(), 1);
    }

    #[test]
    fn a_scaled_column_opens_gaps_and_breaks_the_arithmetic() {
        let mut table = report_b();
        // Totals of 64 requests × 1.2: 64K gives 3592.5 / 64 / 48.8 = 1.15 → 1.38; 32K 1.098 →
        // 1.317; 16K 1.108 → 1.33; 8K 1.118 → 1.342. All four no longer fit tokens ÷ seconds.
        table.scale(64, Table::TOTAL, 1.2);
        let run = table.run();
        let column = ["c8k-n64", "c16k-n64", "c32k-n64", "c64k-n64"];
        assert_eq!(
            findings(&run),
            [
                (Rule::PerRequestGap, column.map(str::to_owned).to_vec()),
                (Rule::Arithmetic, column.map(str::to_owned).to_vec())
            ]
        );
    }

    #[test]
    fn a_dropped_column_takes_its_findings_along() {
        let mut table = report_a();
        table.drop_column(Table::PER_REQUEST);
        let run = table.run();
        assert_eq!(
            findings(&run).iter().map(|(r, _)| *r).collect::<Vec<_>>(),
            [Rule::Cold, Rule::Noise]
        );
        table.drop_column(Table::TTFT);
        assert_eq!(cells(&table.run(), Rule::Cold), [""; 0]);
        table.drop_concurrency(1);
        assert_eq!(cells(&table.run(), Rule::Noise), ["c64k-n128"]);
        table.drop_column(Table::TOTAL);
        assert_eq!(findings(&table.run()), []);
    }

    #[test]
    fn rows_that_change_places_are_other_findings() {
        let mut table = report_b();
        // 251K × 4 (596.0) and 128K × 4 (647.1) change contexts: from 128K to 251K the total now
        // rises by 8.6 %. The latencies stay far from prefill's.
        table.exchange(("128K", 4), ("251K", 4));
        assert_eq!(
            findings(&table.run()),
            [(Rule::Noise, vec!["c251k-n4".to_owned()])]
        );
    }

    #[test]
    fn findings_do_not_depend_on_the_order_of_the_rows() {
        let run = report_a().run();
        let mut reversed = run.clone();
        reversed.decode.reverse();
        reversed.prefill.reverse();
        assert_eq!(findings(&reversed), findings(&run));
    }
}
