//! "What can I serve?": for each context the most simultaneous requests that keep a budget, from
//! cells that were measured and are valid, with nothing interpolated.

use std::collections::{BTreeMap, BTreeSet};

use super::audit::{Finding, Rule};
use super::names::{Name, NameKind, Names};
use super::{Context, Fact, Figure, Measurement, Metric, Phase, Run, Status};

/// Limits that a reader may need to be kept; at least one of them is there.
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    /// What the limits are for.
    pub name: String,
    /// Longest time to first token, in ms.
    pub ttft_ms: Option<f64>,
    /// Fewest tokens per second for each request.
    pub each_tok_per_s: Option<f64>,
}

/// The budgets of a site, in the order of its pages.
#[derive(Clone, Debug, PartialEq)]
pub struct Budgets(pub Vec<Budget>);

impl Default for Budgets {
    /// chat: the first token within 2 s and 20 tok/s for each; agent: 50 tok/s for each; batch:
    /// 5 tok/s for each.
    fn default() -> Self {
        let budget = |name: &str, ttft_ms, each| Budget {
            name: name.to_owned(),
            ttft_ms,
            each_tok_per_s: Some(each),
        };
        Self(vec![
            budget("chat", Some(2000.0), 20.0),
            budget("agent", None, 50.0),
            budget("batch", None, 5.0),
        ])
    }
}

/// What one context says to one budget.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer<'a> {
    /// This level keeps it, and no valid cell of the context with more requests does.
    Level {
        /// The cell of that level.
        level: &'a Level<'a>,
        /// Whether it stands at the edge of what was measured, so that more may keep it too.
        edge: bool,
    },
    /// No level keeps it.
    Nothing {
        /// Valid cells that do not tell whether they keep it.
        left_out: usize,
    },
    /// Not one valid cell has the figures that the budget asks for.
    NotMeasured,
}

/// A valid cell, with what a budget asks of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Level<'a> {
    /// The cell.
    pub cell: &'a Measurement,
    /// Its anchor ([`Run::anchor`]).
    pub anchor: String,
    /// Median time to first token in ms; `None` where there is none, or the audit doubts it.
    pub ttft_ms: Option<f64>,
    /// Per-request tok/s as the tool gives it.
    pub each_tok_per_s: Option<f64>,
}

impl Level<'_> {
    /// Whether it keeps the budget: TTFT at most, tok/s for each at least the limit, both as the
    /// figures were given (20.0 in steps of 0.1 keeps "at least 20"). `None` where a figure that
    /// the budget names is not there and no other one breaks it.
    pub fn keeps(&self, budget: &Budget) -> Option<bool> {
        let ttft = budget
            .ttft_ms
            .map(|limit| self.ttft_ms.map(|ttft| ttft <= limit));
        let each = budget
            .each_tok_per_s
            .map(|limit| self.each_tok_per_s.map(|each| each >= limit));
        let mut told = [ttft, each].into_iter().flatten();
        match (
            told.clone().any(|k| k == Some(false)),
            told.all(|k| k.is_some()),
        ) {
            (true, _) => Some(false),
            (false, true) => Some(true),
            (false, false) => None,
        }
    }
}

/// One context of the decode matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct ServedContext<'a> {
    /// The context.
    pub context: &'a Context,
    /// Its valid cells, by simultaneous requests.
    pub levels: Vec<Level<'a>>,
    /// The highest level that was tried and did not run as it was asked to: queued, over capacity,
    /// failed, or with a status that is not known here.
    pub refused: Option<u64>,
}

impl ServedContext<'_> {
    /// What this context says to a budget.
    ///
    /// A level counts by itself: the answer is the highest one that keeps the budget, also where a
    /// lower one does not (a cold prompt cache delays the first requests only).
    ///
    /// It stands at the edge of what was measured unless some higher level at this context says
    /// no: by a figure that breaks the budget, or because it was tried and did not run as asked
    /// (queued, over capacity, failed). A higher level that was not measured, or that lacks the
    /// figure in question, says nothing.
    pub fn answer(&self, budget: &Budget) -> Answer<'_> {
        let told: Vec<Option<bool>> = self.levels.iter().map(|l| l.keeps(budget)).collect();
        let best = told.iter().rposition(|keeps| *keeps == Some(true));
        let Some((at, level)) = best.and_then(|at| Some((at, self.levels.get(at)?))) else {
            let left_out = told.iter().filter(|keeps| keeps.is_none()).count();
            return if left_out == told.len() {
                Answer::NotMeasured
            } else {
                Answer::Nothing { left_out }
            };
        };
        let refused = self.refused.is_some_and(|n| n > level.cell.concurrency);
        let broken = told.iter().skip(at + 1).any(|keeps| *keeps == Some(false));
        Answer::Level {
            level,
            edge: !refused && !broken,
        }
    }
}

/// What a run says to any budget.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Serving<'a> {
    /// The contexts of the decode matrix, in its order.
    pub contexts: Vec<ServedContext<'a>>,
    /// Cells left out because requests queued.
    pub queued: usize,
    /// Valid cells whose TTFT the audit doubts (rule `cold`: it includes prefill). They are left
    /// out of budgets that name a TTFT, and count in others: their other figures are sound.
    pub doubted: usize,
    /// Valid cells without a per-request figure. They are left out of budgets that name one; total
    /// ÷ requests is another figure, and does not stand in for it.
    pub without_each: usize,
}

/// Works out what a run says to any budget, from its decode matrix and the findings about it.
pub fn serving<'a>(run: &'a Run, findings: &[Finding]) -> Serving<'a> {
    let cold: BTreeSet<&str> = findings
        .iter()
        .filter(|finding| finding.rule == Rule::Cold)
        .flat_map(|finding| finding.cells.iter().map(String::as_str))
        .collect();
    let mut out = Serving::default();
    for (cell, anchor) in run.decode.iter().zip(run.anchors(Phase::Decode)) {
        // Cells are sorted by context.
        if out.contexts.last().map(|c| c.context) != Some(&cell.context) {
            out.contexts.push(ServedContext {
                context: &cell.context,
                levels: Vec::new(),
                refused: None,
            });
        }
        let Some(context) = out.contexts.last_mut() else {
            continue;
        };
        match cell.status {
            Status::Valid => {
                // A zero latency or rate was not measured.
                let figure = |metric| cell.value(metric).filter(|value| *value > 0.0);
                let doubted = cold.contains(anchor.as_str());
                let level = Level {
                    cell,
                    ttft_ms: figure(Metric::TtftMs).filter(|_| !doubted),
                    each_tok_per_s: figure(Metric::PerRequestTokPerS),
                    anchor,
                };
                out.doubted += usize::from(doubted);
                out.without_each += usize::from(level.each_tok_per_s.is_none());
                context.levels.push(level);
            }
            Status::NotMeasured => {}
            Status::Queued | Status::OverCapacity | Status::Failed | Status::Other => {
                out.queued += usize::from(cell.status == Status::Queued);
                context.refused = context.refused.max(Some(cell.concurrency));
            }
        }
    }
    out
}

/// What an hour of the GPUs of a run costs.
#[derive(Clone, Debug, PartialEq)]
pub struct Price {
    /// The GPU, by the name that is meant.
    pub gpu: String,
    /// How many of them served the model.
    pub count: u64,
    /// US dollars for one of them for one hour.
    pub usd_per_gpu_hour: f64,
}

impl Price {
    /// The price of a run's GPUs, by the site's prices and its other spellings of GPUs; `None`
    /// where GPU, count or price is not known. Names count the same whatever their case.
    pub fn of(run: &Run, prices: &BTreeMap<String, f64>, names: &Names) -> Option<Self> {
        let name = |name: &str| names.name(NameKind::Hardware, name);
        let Name { key, shown: gpu } = name(run.facts.text(Fact::Gpu)?);
        let count = run.facts.count(Fact::GpuCount).filter(|n| *n > 0)?;
        let usd_per_gpu_hour = prices.get(&gpu).or_else(|| {
            let mut others = prices.iter().filter(|(other, _)| name(other).key == key);
            others.next().map(|(_, price)| price)
        })?;
        Some(Self {
            usd_per_gpu_hour: *usd_per_gpu_hour,
            gpu,
            count,
        })
    }

    /// US dollars per million output tokens at this total rate: price of a GPU hour × GPUs ÷
    /// (total tok/s × 3,600) × 1,000,000. `None` for a rate of nothing.
    pub fn usd_per_million(&self, total_tok_per_s: Figure) -> Option<f64> {
        let rate = total_tok_per_s.value;
        let hour = self.usd_per_gpu_hour * self.count as f64;
        (rate > 0.0).then(|| hour / (rate * 3600.0) * 1e6)
    }
}

#[cfg(test)]
mod tests {
    use super::super::FactValue;
    use super::super::audit::report::{Table, report_a, report_b};
    use super::super::audit::{Noise, audit};
    use super::*;

    fn budget(ttft_ms: Option<f64>, each_tok_per_s: Option<f64>) -> Budget {
        Budget {
            name: "b".to_owned(),
            ttft_ms,
            each_tok_per_s,
        }
    }

    fn words(answer: &Answer) -> String {
        match answer {
            Answer::Level { level, edge } => {
                format!("{}{}", level.cell.concurrency, if *edge { "+" } else { "" })
            }
            Answer::Nothing { left_out: 0 } => "none".to_owned(),
            Answer::Nothing { left_out } => format!("none ({left_out})"),
            Answer::NotMeasured => "-".to_owned(),
        }
    }

    /// "8K 4 16 64", a line a context.
    fn answers(run: &Run, budgets: &[Budget]) -> Vec<String> {
        let findings = audit(run, &Noise::default());
        let line = |context: &ServedContext| {
            let answers = budgets.iter().map(|b| words(&context.answer(b)));
            let label = std::iter::once(context.context.label.clone());
            label.chain(answers).collect::<Vec<_>>().join(" ")
        };
        serving(run, &findings).contexts.iter().map(line).collect()
    }

    /// A context of cells: requests, TTFT, tok/s each, status.
    fn run(cells: &[(u64, f64, f64, Status)]) -> Run {
        let mut run = Run::new();
        for (concurrency, ttft, each, status) in cells {
            let mut cell = Measurement {
                context: Context::from_label("8K", true),
                concurrency: *concurrency,
                status: *status,
                ..Measurement::default()
            };
            for (metric, value) in [(Metric::TtftMs, *ttft), (Metric::PerRequestTokPerS, *each)] {
                if !value.is_nan() {
                    cell.figures.set(metric, Figure::rounded(value, 0.1));
                }
            }
            run.decode.push(cell);
        }
        run
    }

    fn one(cells: &[(u64, f64, f64, Status)], budget: Budget) -> String {
        let all = answers(&run(cells), &[budget]);
        all.first().unwrap().trim_start_matches("8K ").to_owned()
    }

    const NONE: f64 = f64::NAN;
    use Status::{Failed, NotMeasured, Other, OverCapacity, Queued, Valid};

    #[test]
    fn the_answers_of_the_reports() {
        let budgets = Budgets::default().0;
        assert_eq!(answers(&report_a().run(), &budgets), EXPECTED_A);
        assert_eq!(answers(&report_b().run(), &budgets), EXPECTED_B);
    }

    // By chat, agent, batch. In A, 128 requests queued at 8K, 16K, 32K and 251K; in B, they were over
    // capacity from 64K on.
    const EXPECTED_A: [&str; 6] = [
        "8K 4 8 64",
        "16K 4 8 64",
        "32K 4 8 64",
        "64K none (2) 8 128+",
        "128K none (2) 4 128+",
        "251K none (2) 2 64",
    ];
    const EXPECTED_B: [&str; 6] = [
        "8K 16 64 128+",
        "16K 16 64 128+",
        "32K 16 64 128+",
        "64K 16 32 64",
        "128K 8 32 32",
        "251K 4 16 16",
    ];

    #[test]
    fn limits_are_inclusive_and_figures_count_as_given() {
        for (ttft, found) in [(1999.9, "1+"), (2000.0, "1+"), (2000.1, "none")] {
            assert_eq!(
                one(&[(1, ttft, 1.0, Valid)], budget(Some(2000.0), None)),
                found
            );
        }
        for (each, found) in [(19.9, "none"), (20.0, "1+"), (20.1, "1+")] {
            assert_eq!(
                one(&[(1, 1.0, each, Valid)], budget(None, Some(20.0))),
                found
            );
        }
        // Both limits must be kept by one cell.
        let cells = [(1, 500.0, 10.0, Valid), (2, 5000.0, 40.0, Valid)];
        assert_eq!(one(&cells, budget(Some(2000.0), Some(20.0))), "none");
    }

    #[test]
    fn a_level_counts_by_itself() {
        let cells = [
            (1, 3000.0, 50.0, Valid),
            (2, 900.0, 40.0, Valid),
            (4, 3000.0, 30.0, Valid),
        ];
        assert_eq!(one(&cells, budget(Some(2000.0), None)), "2");
    }

    #[test]
    fn only_a_level_that_says_no_ends_what_was_measured() {
        let each = budget(None, Some(20.0));
        for (above, found) in [
            (Queued, "1"),
            (OverCapacity, "1"),
            (Failed, "1"),
            (Other, "1"),
            (NotMeasured, "1+"),
        ] {
            let cells = [(1, 1.0, 30.0, Valid), (2, 1.0, 30.0, above)];
            assert_eq!(one(&cells, each.clone()), found, "{above:?}");
        }
        // Below the answer they say nothing.
        let cells = [(1, 1.0, 30.0, Failed), (2, 1.0, 30.0, Valid)];
        assert_eq!(one(&cells, each.clone()), "2+");
        for (above, found) in [(19.9, "1"), (NONE, "1+"), (0.0, "1+")] {
            let cells = [(1, 1.0, 30.0, Valid), (2, 1.0, above, Valid)];
            assert_eq!(one(&cells, each.clone()), found, "{above}");
        }
    }

    #[test]
    fn cells_without_the_figure_do_not_answer() {
        let each = budget(None, Some(20.0));
        assert_eq!(one(&[(1, 1.0, NONE, Valid)], each.clone()), "-");
        assert_eq!(one(&[(1, 1.0, 90.0, Queued)], each.clone()), "-");
        assert_eq!(
            one(&[(1, 1.0, NONE, Valid), (2, 1.0, 5.0, Valid)], each),
            "none (1)"
        );
        // The TTFT breaks the budget whatever the other figure may be.
        let both = budget(Some(2000.0), Some(20.0));
        assert_eq!(one(&[(1, 2500.0, NONE, Valid)], both), "none");
        let mut table = report_a();
        table.drop_column(Table::PER_REQUEST);
        let run = table.run();
        let found = answers(&run, &[budget(None, Some(5.0))]);
        assert_eq!(
            found,
            ["8K -", "16K -", "32K -", "64K -", "128K -", "251K -"]
        );
        assert_eq!(serving(&run, &[]).without_each, 44);
    }

    #[test]
    fn doubted_ttfts_are_left_out_of_budgets_that_name_one() {
        let run = report_a().run();
        let findings = audit(&run, &Noise::default());
        let found = serving(&run, &findings);
        assert_eq!((found.queued, found.doubted, found.without_each), (4, 6, 0));
        // 64K × 1 takes 5,223 ms, which is doubted; × 4 takes 2,304 ms and × 8 3,037 ms.
        let row = found.contexts.iter().find(|c| c.context.label == "64K");
        let row = row.unwrap();
        assert_eq!(words(&row.answer(&budget(Some(2303.0), None))), "none (2)");
        assert_eq!(words(&row.answer(&budget(Some(2304.0), None))), "4");
        // 64K × 1 gives its request 88.4 tok/s: sound, whatever its TTFT.
        let each = row.levels.first().and_then(|l| l.each_tok_per_s).unwrap();
        assert_eq!(words(&row.answer(&budget(None, Some(each)))), "1");
    }

    #[test]
    fn a_run_without_decode_cells_says_nothing() {
        assert_eq!(serving(&Run::new(), &[]), Serving::default());
    }

    #[test]
    fn prices_are_found_by_any_spelling() {
        let mut run = Run::new();
        let prices = BTreeMap::from([("H200 SXM".to_owned(), 3.5), ("l4".to_owned(), 0.8)]);
        let table = BTreeMap::from([("NVIDIA H200".to_owned(), "H200 SXM".to_owned())]);
        let names = Names::of(&table);
        assert_eq!(Price::of(&run, &prices, &names), None);
        run.facts.set_text(Fact::Gpu, "NVIDIA H200");
        assert_eq!(Price::of(&run, &prices, &names), None, "no count");
        run.facts.set(Fact::GpuCount, FactValue::Count(4));
        let price = Price::of(&run, &prices, &names).unwrap();
        assert_eq!((price.gpu.as_str(), price.count), ("H200 SXM", 4));
        // 4 × 3.5 = 14 USD an hour; 1,646 × 3,600 = 5,925,600 tokens an hour; 14 ÷ 5.9256.
        let usd = price.usd_per_million(Figure::exact(1646.0)).unwrap();
        assert!((usd - 2.362_630_6).abs() < 1e-6, "{usd}");
        assert_eq!(price.usd_per_million(Figure::exact(0.0)), None);
        run.facts.set_text(Fact::Gpu, "L4");
        let price = Price::of(&run, &prices, &names).unwrap();
        assert_eq!(price.usd_per_gpu_hour, 0.8);
        let other = BTreeMap::from([("NVIDIA H200".to_owned(), 2.0)]);
        run.facts.set_text(Fact::Gpu, "H200 SXM");
        assert_eq!(
            Price::of(&run, &other, &names).unwrap().usd_per_gpu_hour,
            2.0
        );
        run.facts.set_text(Fact::Gpu, "B200");
        assert_eq!(Price::of(&run, &prices, &names), None);
    }
}
