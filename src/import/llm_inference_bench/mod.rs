//! Result files of llm-inference-bench (`llm_decode_bench.py`), every generation, by the fields that
//! are there and never by the version; and the files around it that are no runs.
//!
//! Knows the JSON of the tool and the run model, nothing of sidecars, folders or pages.

mod cell;
pub(crate) mod client;
pub(crate) mod fields;
mod grid;
mod kind;
pub(crate) mod metadata;
mod prefill;

use std::collections::{BTreeMap, BTreeSet};

use super::{Format, Imported, Input, Outcome};
use crate::diagnostic::{Code, Diagnostic, Place, sorted};
use crate::run::{Fact, Facts, Measurement, Metric, Run};

use cell::Phase;
use fields::{Fields, Problems};
pub(crate) use grid::{Cell, Plan, Skip};
use kind::Kind;

/// The format.
pub struct LlmInferenceBench;

impl Format for LlmInferenceBench {
    fn name(&self) -> &'static str {
        "llm-inference-bench"
    }

    fn looks_for(&self) -> &'static str {
        "JSON with `results` whose cells have `concurrency` and `aggregate_tps`"
    }

    fn recognises(&self, input: &Input) -> bool {
        let root = input.json.and_then(Fields::peek);
        root.is_some_and(|root| Kind::of(&root).is_some())
    }

    fn import(&self, input: &Input) -> Result<Outcome, Vec<Diagnostic>> {
        let Some(root) = input.json.and_then(Fields::peek) else {
            return Err(Vec::new());
        };
        if let Some((what, help)) = Kind::of(&root).and_then(Kind::left_alone) {
            return Ok(left_alone(input, what, help));
        }
        let mut problems = Problems::new(input);
        let draft = read_matrix(&root, &Plan::default(), &mut problems);
        finish(draft, input, problems)
    }
}

/// A run that is being put together.
pub(crate) struct Draft {
    /// What is known so far.
    pub run: Run,
    /// What the file only hints at.
    pub hints: Facts,
    /// Names that must not be published.
    pub private_names: BTreeSet<String>,
}

impl Draft {
    /// Whether there is nothing to put on a page.
    pub fn is_empty(&self) -> bool {
        self.run.prefill.is_empty() && self.run.decode.is_empty() && self.run.burst.is_empty()
    }
}

/// A known file that is no run.
pub(crate) fn left_alone(input: &Input, what: &str, help: &str) -> Outcome {
    let place = Place::file(input.path);
    let message = format!("{what}; left alone");
    Outcome::LeftAlone(Diagnostic::new(Code::LeftAlone, place, message).help(help))
}

/// The run, or everything that forbids publishing it.
pub(crate) fn finish(
    draft: Draft,
    input: &Input,
    problems: Problems,
) -> Result<Outcome, Vec<Diagnostic>> {
    if !problems.errors.is_empty() {
        return Err(sorted(problems.errors));
    }
    if draft.is_empty() {
        return Ok(left_alone(
            input,
            "holds no measurement, neither a cell nor a prefill point",
            "run the benchmark again, or remove the file",
        ));
    }
    let mut run = draft.run;
    run.sort();
    Ok(Outcome::Run(Box::new(Imported {
        run,
        hints: draft.hints,
        private_names: draft.private_names.into_iter().collect(),
        warnings: sorted(problems.warnings),
    })))
}

/// Reads a matrix document: facts, prefill, both matrices, and the cells that are missing.
pub(crate) fn read_matrix(root: &Fields, plan: &Plan, problems: &mut Problems) -> Draft {
    let metadata = metadata::read(root, problems);
    let mut run = Run::new();
    run.prefill = prefill::read(root, problems);
    let results = root.objects("results", problems);
    let means = results.iter().any(|c| c.has("aggregate_tps_mean"))
        && !results.iter().any(|c| c.has("aggregate_tps"));
    let mut counts_accepted = false;
    for cell in &results {
        counts_accepted |= cell.has("server_spec_accept_length") && !cell.has("server_spec_drafts");
    }
    let available = metadata.metrics_available;
    run.decode = cells(&results, Phase::Decode, available, problems);
    let burst = root.objects("burst_results", problems);
    run.burst = cells(&burst, Phase::Burst, available, problems);

    // A finished run has a log; a run that was cut short wrote its cells and an empty log.
    let log_is_empty = root
        .get("event_log")
        .and_then(|log| log.array())
        .is_some_and(|log| log.is_empty());
    run.complete = results.is_empty() || !log_is_empty;
    run.ranked = metadata.ranked;

    let asked = metadata
        .levels
        .len()
        .saturating_mul(metadata.contexts.len());
    if asked > MOST_CELLS {
        let message = format!("`metadata` asks for {asked} cells, expected at most {MOST_CELLS}");
        problems.shape(root.node, message);
    } else {
        let present = run.decode.iter().filter_map(place).collect();
        let missing = grid::missing(&metadata, plan, means, &present);
        run.decode.extend(missing);
    }

    run.facts = metadata.facts;
    if run.decode.is_empty() && run.burst.is_empty() {
        // The tool writes the defaults of its decode test also where there was none.
        for fact in [
            Fact::DecodeTest,
            Fact::SecondsPerMeasurement,
            Fact::RequestsPerMeasurement,
            Fact::MaxOutputTokens,
            Fact::Temperature,
        ] {
            run.facts.remove(fact);
        }
    }
    run.notes = metadata.notes;
    if means {
        run.notes
            .push("The figures are means of several repetitions, put together by hand.".to_owned());
    }
    let has_length = |m: &Measurement| m.get(Metric::SpeculativeAcceptLength).is_some();
    if counts_accepted && run.decode.iter().any(has_length) {
        run.notes.push(
            "This version of the tool counts only accepted draft tokens per step, later ones also the token that every step yields."
                .to_owned(),
        );
    }
    Draft {
        run,
        hints: client::hints(root),
        private_names: client::private_names(root).into_iter().collect(),
    }
}

/// Most cells of a matrix; real ones have some dozens.
const MOST_CELLS: usize = 100_000;

/// Reads a list of cells; a second one for a place in the matrix is an error.
fn cells(
    list: &[Fields],
    phase: Phase,
    metrics_available: bool,
    problems: &mut Problems,
) -> Vec<Measurement> {
    let mut seen: BTreeMap<Cell, &Fields> = BTreeMap::new();
    let mut cells = Vec::new();
    for fields in list {
        let Some(cell) = cell::read(fields, phase, metrics_available, problems) else {
            continue;
        };
        let Some(at) = place(&cell) else {
            continue;
        };
        if let Some(first) = seen.insert(at, fields) {
            let message = format!(
                "the cell {} × {} stands twice: `{}` and `{}`",
                cell.context.label, cell.concurrency, first.name, fields.name
            );
            let first = problems.place(first.node);
            let problem =
                Diagnostic::new(Code::DuplicateCell, problems.place(fields.node), message)
                    .also(first, "the first one")
                    .help("remove one of them");
            problems.errors.push(problem);
        }
        cells.push(cell);
    }
    cells
}

fn place(cell: &Measurement) -> Option<Cell> {
    Some((cell.context.tokens?, cell.concurrency))
}

#[cfg(test)]
mod tests;
