//! lil-bench's plan: what was to be measured, and what was left out for which reason.

use std::collections::BTreeMap;

use crate::import::llm_inference_bench::fields::{ANY_COUNT, Fields, Problems};
use crate::import::llm_inference_bench::{Cell, Plan, Skip};
use crate::run::{Context, Measurement, Status};

/// The plan of the decode matrix, and the prefill points that were left out.
pub fn read(root: &Fields, problems: &mut Problems) -> (Plan, Vec<Measurement>) {
    let steps: Vec<Step> = root
        .objects("plan", problems)
        .iter()
        .filter_map(|fields| Step::read(fields, problems))
        .collect();
    let rows: BTreeMap<(u64, bool), u64> = steps
        .iter()
        .filter_map(|step| Some((step.row()?, step.sent?)))
        .collect();
    let mut plan = Plan::default();
    let mut prefill = Vec::new();
    for step in &steps {
        let Some(context) = step.context(&rows) else {
            continue;
        };
        match (step.concurrency, step.skipped) {
            (Some(concurrency), false) => {
                plan.asked.insert((context, concurrency));
            }
            (Some(concurrency), true) => {
                let cell: Cell = (context, concurrency);
                plan.skipped.insert(
                    cell,
                    Skip {
                        over_capacity: step.for_kv_cache(),
                        reason: step.reason.clone(),
                    },
                );
            }
            (None, true) => prefill.push(Measurement {
                context: Context::from_tokens(context),
                concurrency: 1,
                status: if step.for_kv_cache() {
                    Status::OverCapacity
                } else {
                    Status::NotMeasured
                },
                reason: step.reason.clone(),
                ..Measurement::default()
            }),
            (None, false) => {}
        }
    }
    (plan, prefill)
}

/// One entry of the plan.
struct Step {
    /// Simultaneous requests; `None` for prefill.
    concurrency: Option<u64>,
    /// The standard's context.
    requested: Option<u64>,
    /// What was sent in its place: shorter where the model would not take it all.
    sent: Option<u64>,
    skipped: bool,
    reason: Option<String>,
}

impl Step {
    /// An entry of a kind that is known; others are left out.
    fn read(fields: &Fields, problems: &mut Problems) -> Option<Self> {
        let kind = fields.text("kind", problems)?;
        let status = fields.text("status", problems).unwrap_or_default();
        let concurrency = fields.count("concurrency", 1..=1_000_000, problems);
        let step = Self {
            concurrency: concurrency.filter(|_| kind == "decode"),
            requested: fields.count("requested_context", ANY_COUNT, problems),
            sent: fields.count("context", ANY_COUNT, problems),
            skipped: status == "skipped",
            reason: fields.text("reason", problems),
        };
        match kind.as_str() {
            "prefill" => Some(step),
            "decode" if step.concurrency.is_some() => Some(step),
            "decode" => {
                if fields.get("concurrency").is_none() {
                    fields.lacks("concurrency", problems);
                }
                None
            }
            _ => None,
        }
    }

    /// The row that it belongs to: the standard's context, of the decode matrix or of prefill.
    fn row(&self) -> Option<(u64, bool)> {
        Some((self.requested?, self.concurrency.is_some()))
    }

    /// The context that was, or would have been, sent: its own, else that of the other cells of its
    /// row, else the standard's.
    fn context(&self, rows: &BTreeMap<(u64, bool), u64>) -> Option<u64> {
        let of_row = || rows.get(&self.row()?).copied();
        self.sent.or_else(of_row).or(self.requested)
    }

    /// "needs 1,047,552 KV tokens, the server has 500,000"
    fn for_kv_cache(&self) -> bool {
        let reason = self.reason.as_deref().unwrap_or_default();
        reason
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| word.eq_ignore_ascii_case("kv"))
    }
}
