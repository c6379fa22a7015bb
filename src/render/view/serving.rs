//! The view of "What can I serve?": a row for each context, a column for each budget.

use schemars::JsonSchema;
use serde::Serialize;

use super::counted;
use super::table::{Cell, Column, Row, Table};
use crate::run::figure::format_number;
use crate::run::serving::{Answer, Budget, Level, Price, ServedContext, Serving, serving};
use crate::run::{Context, Metric};
use crate::site::{RunPage, SiteFacts};

/// What a reader can serve, by context and budget.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ServingView {
    /// The rule, in a sentence or two.
    pub caption: String,
    /// The budgets.
    pub columns: Vec<ServingColumn>,
    /// The contexts.
    pub rows: Vec<ServingRow>,
    /// Whether an answer stands at the edge of what was measured.
    pub edge: bool,
    /// What the "+" behind such an answer means.
    pub edge_sentence: &'static str,
    /// What was left out, in a sentence; empty where nothing was.
    pub left_out: String,
    /// The price that was used, in a sentence; empty where none is known.
    pub price: String,
    /// The same as a table of plain text, each cell on one line.
    pub plain: Table,
}

/// A budget.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ServingColumn {
    /// Its name.
    pub name: String,
    /// Its limits in words.
    pub limits: String,
}

/// A context.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ServingRow {
    /// The label.
    pub context: String,
    /// The exact number of tokens in words, where it is known.
    pub tokens: String,
    /// The answers, one for each budget.
    pub cells: Vec<ServingCell>,
    /// The valid cells for scripts, from few requests to many, with `;` between them. Each is
    /// requests, TTFT in ms, tok/s each, total and price as shown, with blanks between them and
    /// `-` for what is not known or doubted.
    pub levels: String,
    /// For scripts: what the anchors of these cells have before the number of requests.
    pub prefix: String,
    /// For scripts: the highest number of requests that was tried and did not run as asked; empty
    /// where there is none.
    pub refused: String,
}

/// An answer.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct ServingCell {
    /// The anchor of the cell that keeps the budget; empty where none does.
    pub anchor: String,
    /// How many requests, with "+" at the edge of what was measured; else "none" or
    /// "not measured".
    pub value: String,
    /// "request" or "requests"; empty where there is no number.
    pub unit: &'static str,
    /// Total tok/s there, in words; empty where there is none.
    pub total: String,
    /// Price there, in words; empty where there is none.
    pub price: String,
    /// Why there is no number; empty where there is one.
    pub reason: String,
}

const EDGE: &str = "At the edge of what was measured: more requests may keep the budget too.";

/// The view for a run; `None` without a valid decode cell or without a budget.
pub(super) fn serving_view(page: &RunPage, site: &SiteFacts) -> Option<ServingView> {
    let served = serving(&page.run, &page.derived.audit);
    let budgets = &site.budgets.0;
    if served.contexts.is_empty() || budgets.is_empty() {
        return None;
    }
    let price = Price::of(&page.run, &site.prices, &site.names);
    let row = |context: &ServedContext| ServingRow {
        context: context.context.label.clone(),
        tokens: tokens(context.context),
        cells: budgets
            .iter()
            .map(|budget| cell(&context.answer(budget), price.as_ref()))
            .collect(),
        levels: levels(context, price.as_ref()),
        prefix: prefix(context),
        refused: context.refused.map(|n| n.to_string()).unwrap_or_default(),
    };
    let rows: Vec<ServingRow> = served.contexts.iter().map(row).collect();
    // Without a valid cell there is nothing to answer with.
    if rows.iter().all(|row| row.levels.is_empty()) {
        return None;
    }
    let columns: Vec<ServingColumn> = budgets
        .iter()
        .map(|budget| ServingColumn {
            name: budget.name.clone(),
            limits: limits(budget),
        })
        .collect();
    let mut cells = rows.iter().flat_map(|row| &row.cells);
    let caption = "The most simultaneous requests at which a measured, valid cell keeps the budget, with total tok/s there. Nothing is interpolated. TTFT is the median; tok/s each is the tool's own per-request figure.";
    Some(ServingView {
        caption: caption.to_owned(),
        edge: cells.any(|cell| cell.value.ends_with('+')),
        edge_sentence: EDGE,
        left_out: left_out(&served),
        price: price.as_ref().map(price_sentence).unwrap_or_default(),
        plain: plain(caption, &columns, &rows),
        columns,
        rows,
    })
}

fn tokens(context: &Context) -> String {
    context
        .tokens
        .map(|n| format!("{} tokens", format_number(n as f64, 0)))
        .unwrap_or_default()
}

/// The limits of a budget in words: "TTFT ≤ 2 s, ≥ 20 tok/s each".
pub(super) fn limits(budget: &Budget) -> String {
    let ttft = budget.ttft_ms.map(|ms| match ms < 1000.0 {
        true => format!("TTFT ≤ {} ms", number(ms)),
        false => format!("TTFT ≤ {} s", number(ms / 1000.0)),
    });
    let each = budget
        .each_tok_per_s
        .map(|each| format!("≥ {} tok/s each", number(each)));
    let parts: Vec<String> = ttft.into_iter().chain(each).collect();
    parts.join(", ")
}

/// A limit as its owner wrote it, with commas where it is whole.
fn number(value: f64) -> String {
    match value.fract() == 0.0 {
        true => format_number(value, 0),
        false => value.to_string(),
    }
}

/// US dollars: cents, and more decimals below ten cents.
fn dollars(usd: f64) -> String {
    let decimals = match usd {
        usd if usd >= 0.0995 || usd == 0.0 => 2,
        usd if usd >= 0.00995 => 3,
        _ => 4,
    };
    format!("${}", format_number(usd, decimals))
}

fn total(level: &Level) -> Option<String> {
    let metric = Metric::TotalTokPerS;
    level.cell.get(metric).map(|figure| metric.show(figure))
}

fn usd(level: &Level, price: Option<&Price>) -> Option<String> {
    let total = level.cell.get(Metric::TotalTokPerS)?;
    price?.usd_per_million(total).map(dollars)
}

fn cell(answer: &Answer, price: Option<&Price>) -> ServingCell {
    match answer {
        Answer::Level { level, edge } => {
            let n = level.cell.concurrency;
            ServingCell {
                anchor: level.anchor.clone(),
                value: format!("{n}{}", if *edge { "+" } else { "" }),
                unit: if n == 1 && !edge {
                    "request"
                } else {
                    "requests"
                },
                total: total(level)
                    .map(|total| format!("{total} tok/s in total"))
                    .unwrap_or_default(),
                price: usd(level, price)
                    .map(|usd| format!("{usd} per M"))
                    .unwrap_or_default(),
                reason: String::new(),
            }
        }
        Answer::Nothing { left_out } => ServingCell {
            value: "none".to_owned(),
            reason: match left_out {
                0 => "no measured cell keeps it".to_owned(),
                n => format!("no measured cell keeps it; {n} left out"),
            },
            ..ServingCell::default()
        },
        Answer::NotMeasured => ServingCell {
            value: "not measured".to_owned(),
            reason: "no valid cell with these figures".to_owned(),
            ..ServingCell::default()
        },
    }
}

fn levels(context: &ServedContext, price: Option<&Price>) -> String {
    let known = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let level = |level: &Level| {
        [
            level.cell.concurrency.to_string(),
            known(level.ttft_ms.map(|n| n.to_string())),
            known(level.each_tok_per_s.map(|n| n.to_string())),
            known(total(level)),
            known(usd(level, price)),
        ]
        .join(" ")
    };
    let levels: Vec<String> = context.levels.iter().map(level).collect();
    levels.join(";")
}

fn prefix(context: &ServedContext) -> String {
    let first = context.levels.first();
    first
        .and_then(|level| {
            let n = level.cell.concurrency.to_string();
            level.anchor.strip_suffix(&n).map(str::to_owned)
        })
        .unwrap_or_default()
}

fn left_out(served: &Serving) -> String {
    let mut sentences = Vec::new();
    let queued = counted(served.queued, "queued cell", "queued cells");
    let doubted = counted(served.doubted, "doubted TTFT", "doubted TTFTs");
    let is = |n| if n == 1 { "is" } else { "are" };
    match (served.queued, served.doubted) {
        (0, 0) => {}
        (n, 0) => sentences.push(format!("{queued} {} left out.", is(n))),
        (0, n) => sentences.push(format!("{doubted} {} left out.", is(n))),
        _ => sentences.push(format!("{queued} and {doubted} are left out.")),
    }
    if served.doubted > 0 {
        sentences.push(
            "Where a budget names no TTFT, cells with a doubted one count: their other figures are sound.".to_owned(),
        );
    }
    if served.without_each > 0 {
        let cells = counted(served.without_each, "valid cell", "valid cells");
        let answer = if served.without_each == 1 {
            "answers"
        } else {
            "answer"
        };
        sentences.push(format!(
            "{cells} without a per-request figure {answer} no budget on tok/s each."
        ));
    }
    sentences.join(" ")
}

fn price_sentence(price: &Price) -> String {
    format!(
        "Dollars are USD per million output tokens at that cell: {} × {} at {} USD a GPU hour, from site.toml.",
        price.count,
        price.gpu,
        dollars(price.usd_per_gpu_hour).trim_start_matches('$'),
    )
}

fn plain(caption: &str, columns: &[ServingColumn], rows: &[ServingRow]) -> Table {
    let heads = columns.iter().map(|column| {
        let words = [column.name.as_str(), &column.limits];
        Column::text(words.join(": "))
    });
    let text = |cell: &ServingCell| {
        let first = [cell.value.as_str(), cell.unit].join(" ");
        let all = [first.trim_end(), &cell.total, &cell.price, &cell.reason];
        let parts: Vec<&str> = all.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join(" · ")
    };
    Table {
        caption: caption.to_owned(),
        columns: std::iter::once(Column::text("Context"))
            .chain(heads)
            .collect(),
        rows: rows
            .iter()
            .map(|row| {
                let context = std::iter::once(Cell::text(&row.context));
                let cells = row.cells.iter().map(|cell| Cell::text(text(cell)));
                Row::from(context.chain(cells).collect::<Vec<_>>())
            })
            .collect(),
        ..Table::default()
    }
}

/// What the page says of the price's formula.
pub(super) const USD_DEFINITION: (&str, &str) = (
    "USD per million output tokens",
    "Price of a GPU hour × GPUs ÷ (total tok/s × 3,600) × 1,000,000.",
);

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::run::audit::report::{report_a, report_b};
    use crate::run::serving::Budgets;
    use crate::run::{Fact, FactValue, Run};
    use crate::site::Site;

    fn view(run: Run, facts: SiteFacts) -> Option<ServingView> {
        let site = Site::new(facts, vec![run]);
        serving_view(&site.runs[0], &site.facts)
    }

    #[test]
    fn report_a_in_words() {
        let view = view(report_a().run(), SiteFacts::default()).unwrap();
        let heads: Vec<&str> = view.columns.iter().map(|c| c.limits.as_str()).collect();
        assert_eq!(
            heads,
            [
                "TTFT ≤ 2 s, ≥ 20 tok/s each",
                "≥ 50 tok/s each",
                "≥ 5 tok/s each"
            ]
        );
        let texts = |row: usize| -> Vec<String> {
            let cells = view.plain.rows[row].cells.iter();
            cells.map(|c| c.text.clone()).collect()
        };
        assert_eq!(
            texts(0),
            [
                "8K",
                "4 requests · 310.7 tok/s in total",
                "8 requests · 502.3 tok/s in total",
                "64 requests · 1,646.0 tok/s in total"
            ]
        );
        assert_eq!(
            texts(3)[1..],
            [
                "none · no measured cell keeps it; 2 left out",
                "8 requests · 447.0 tok/s in total",
                "128+ requests · 2,076.9 tok/s in total"
            ]
        );
        assert_eq!(view.rows[0].cells[2].anchor, "c8k-n64");
        assert_eq!(view.rows[0].refused, "128");
        assert_eq!(view.rows[0].prefix, "c8k-n");
        assert!(
            view.rows[0]
                .levels
                .starts_with("1 584 84.2 82.9 -;2 878 82.5 164.0 -;")
        );
        assert!(
            view.rows[3]
                .levels
                .starts_with("1 - 88.4 87.3 -;2 - 81.2 159.7 -;4 2304 ")
        );
        assert!(view.edge);
        assert!(
            view.left_out
                .starts_with("4 queued cells and 6 doubted TTFTs are left out. ")
        );
        assert_eq!(view.price, "");
    }

    #[test]
    fn report_b_leaves_one_queued_cell_out() {
        let view = view(report_b().run(), SiteFacts::default()).unwrap();
        assert_eq!(view.left_out, "1 queued cell is left out.");
    }

    #[test]
    fn a_price_is_shown_with_what_it_was_made_of() {
        let mut run = report_a().run();
        run.facts.set_text(Fact::Gpu, "H200 SXM");
        run.facts.set(Fact::GpuCount, FactValue::Count(4));
        let facts = SiteFacts {
            prices: BTreeMap::from([("H200 SXM".to_owned(), 3.5)]),
            ..SiteFacts::default()
        };
        let view = view(run, facts).unwrap();
        assert_eq!(
            view.price,
            "Dollars are USD per million output tokens at that cell: 4 × H200 SXM at 3.50 USD a GPU hour, from site.toml."
        );
        // 14 ÷ (1,646 × 3,600) × 1,000,000 = 2.3626.
        assert_eq!(view.rows[0].cells[2].price, "$2.36 per M");
        assert!(view.rows[0].levels.contains(";64 15236 21.2 1,646.0 $2.36"));
    }

    #[test]
    fn small_prices_keep_three_digits() {
        for (usd, shown) in [
            (0.0, "$0.00"),
            (0.5949, "$0.59"),
            (0.0996, "$0.10"),
            (0.0456, "$0.046"),
            (0.00456, "$0.0046"),
            (1234.5, "$1,234.50"),
        ] {
            assert_eq!(dollars(usd), shown);
        }
    }

    #[test]
    fn limits_are_shown_as_they_were_written() {
        let budget = |ttft_ms, each_tok_per_s| Budget {
            name: String::new(),
            ttft_ms,
            each_tok_per_s,
        };
        assert_eq!(limits(&budget(Some(250.0), None)), "TTFT ≤ 250 ms");
        assert_eq!(limits(&budget(Some(1500.0), None)), "TTFT ≤ 1.5 s");
        assert_eq!(limits(&budget(None, Some(2.5))), "≥ 2.5 tok/s each");
    }

    #[test]
    fn nothing_to_say_is_no_section() {
        assert!(view(Run::new(), SiteFacts::default()).is_none());
        let facts = SiteFacts {
            budgets: Budgets(Vec::new()),
            ..SiteFacts::default()
        };
        assert!(view(report_b().run(), facts).is_none());
    }
}
