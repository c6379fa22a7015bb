//! Rules about how the run went: `chunk_count`, `errors`, `incomplete`.

use crate::run::figure::format_number;
use crate::run::{Metric, Run, Status};

use super::matrix::{Cell, Matrix, is_measured};
use super::words::{count, finding, join, name_in_phase, places};
use super::{Finding, Rule};

/// What the tool's name for its way of counting tokens holds where it counted chunks
/// (`openai_stream_chunks_fallback`, and `…(k/n_chunks_fallback)`).
const FALLBACK: &str = "chunks_fallback";

/// The most cells that a sentence names one by one.
const MOST_NAMED: usize = 4;

/// The tool counted the chunks of the stream instead of tokens.
pub fn chunk_count(decode: &Matrix, burst: &Matrix) -> Option<Finding> {
    let sustained = counted_by_chunks(decode);
    let at_once = counted_by_chunks(burst);
    let place = match (sustained.as_slice(), at_once.len()) {
        ([], 0) => return None,
        ([], n) => format!("in {}", count(n, "burst cell")),
        (cells, 0) => places(cells),
        (cells, n) => format!("{}, and in {}", places(cells), count(n, "burst cell")),
    };
    let cells = [sustained, at_once].concat();
    let sentence = format!(
        "The tool counted the chunks of the stream instead of tokens {place}. With speculative decoding a chunk holds several tokens, and these tok/s are too low."
    );
    Some(finding(Rule::ChunkCount, &cells, sentence))
}

fn counted_by_chunks<'a>(matrix: &Matrix<'a>) -> Vec<Cell<'a>> {
    let by_chunks = |cell: &&Cell| {
        let source = cell.measurement.token_source.as_deref();
        source.is_some_and(|source| source.contains(FALLBACK))
    };
    matrix.cells().iter().filter(by_chunks).copied().collect()
}

/// Some requests failed in a cell that counts.
pub fn errors(decode: &Matrix, burst: &Matrix) -> Option<Finding> {
    let found: Vec<(Cell, f64)> = decode
        .cells()
        .iter()
        .chain(burst.cells())
        .filter(|cell| matches!(cell.measurement.status, Status::Valid | Status::Queued))
        .filter_map(|cell| {
            let failed = cell.positive(Metric::FailedRequests)?.value;
            Some((*cell, failed))
        })
        .collect();
    let cells: Vec<Cell> = found.iter().map(|(cell, _)| *cell).collect();
    let sentence = if found.is_empty() {
        return None;
    } else if found.len() <= MOST_NAMED {
        let named: Vec<String> = found
            .iter()
            .map(|(cell, failed)| {
                format!("{} at {}", format_number(*failed, 0), name_in_phase(*cell))
            })
            .collect();
        format!(
            "Some requests failed in {}: {}.",
            match found.len() {
                1 => "a cell that counts".to_owned(),
                n => format!("{n} cells that count"),
            },
            join(&named)
        )
    } else {
        let failed: f64 = found.iter().map(|(_, failed)| failed).sum();
        format!(
            "Some requests failed in {} cells that count, {} in all.",
            found.len(),
            format_number(failed, 0)
        )
    };
    Some(finding(Rule::Errors, &cells, sentence))
}

/// The run was interrupted.
pub fn incomplete(run: &Run) -> Option<Finding> {
    if run.complete {
        return None;
    }
    let measured = run.decode.iter().filter(|cell| is_measured(cell)).count();
    let sentence = if run.decode.is_empty() {
        "The run was interrupted.".to_owned()
    } else {
        format!(
            "The run was interrupted: {} of {} measured.",
            measured,
            match run.decode.len() {
                1 => "1 cell was".to_owned(),
                n => format!("{} were", count(n, "cell")),
            }
        )
    };
    Some(finding(Rule::Incomplete, &[], sentence))
}

#[cfg(test)]
mod tests {
    use super::super::{Noise, audit};
    use super::*;
    use crate::run::{Context, Figure, Measurement};

    fn cell(concurrency: u64) -> Measurement {
        Measurement {
            context: Context::from_tokens(8192),
            concurrency,
            figures: [(Metric::TotalTokPerS, Figure::exact(10.0))]
                .into_iter()
                .collect(),
            ..Measurement::default()
        }
    }

    fn by(source: &str, concurrency: u64) -> Measurement {
        Measurement {
            token_source: Some(source.to_owned()),
            ..cell(concurrency)
        }
    }

    fn failed(n: f64, status: Status, concurrency: u64) -> Measurement {
        let mut cell = cell(concurrency);
        cell.status = status;
        cell.figures.set(Metric::FailedRequests, Figure::exact(n));
        cell
    }

    fn found(rule: Rule, run: &Run) -> Option<Finding> {
        let mut findings = audit(run, &Noise::default()).into_iter();
        findings.find(|f| f.rule == rule)
    }

    #[test]
    fn counting_chunks_is_said_for_both_matrices() {
        let mut run = Run::new();
        run.decode = vec![by("openai_continuous_usage", 1)];
        assert_eq!(found(Rule::ChunkCount, &run), None);
        run.decode.push(by("openai_stream_chunks_fallback", 2));
        assert_eq!(
            found(Rule::ChunkCount, &run).unwrap().sentence,
            "The tool counted the chunks of the stream instead of tokens at 8K with 2 requests. With speculative decoding a chunk holds several tokens, and these tok/s are too low."
        );
        run.burst = vec![by("openai_stream_chunks_fallback", 4)];
        let finding = found(Rule::ChunkCount, &run).unwrap();
        assert_eq!(finding.cells, ["c8k-n2", "c8k-n4-burst"]);
        assert!(
            finding
                .sentence
                .contains("with 2 requests, and in 1 burst cell."),
            "{finding:?}"
        );
    }

    #[test]
    fn errors_count_in_cells_that_count() {
        let mut run = Run::new();
        run.decode = vec![
            failed(0.0, Status::Valid, 1),
            failed(4.0, Status::Failed, 4),
            cell(2),
        ];
        assert_eq!(found(Rule::Errors, &run), None);
        run.decode.push(failed(1.0, Status::Queued, 8));
        assert_eq!(
            found(Rule::Errors, &run).unwrap().sentence,
            "Some requests failed in a cell that counts: 1 at 8K × 8."
        );
        run.burst.push(failed(3.0, Status::Valid, 8));
        let finding = found(Rule::Errors, &run).unwrap();
        assert_eq!(finding.cells, ["c8k-n8", "c8k-n8-burst"]);
        assert_eq!(
            finding.sentence,
            "Some requests failed in 2 cells that count: 1 at 8K × 8 and 3 at 8K × 8 (burst)."
        );
        run.decode
            .extend((16..20).map(|n| failed(2.0, Status::Valid, n)));
        assert_eq!(
            found(Rule::Errors, &run).unwrap().sentence,
            "Some requests failed in 6 cells that count, 12 in all."
        );
    }

    #[test]
    fn an_interrupted_run_says_how_far_it_came() {
        let mut run = Run::new();
        run.decode = vec![cell(1), failed(1.0, Status::NotMeasured, 2)];
        assert_eq!(found(Rule::Incomplete, &run), None);
        run.complete = false;
        let finding = found(Rule::Incomplete, &run).unwrap();
        assert_eq!(
            (finding.sentence.as_str(), finding.cells.len()),
            ("The run was interrupted: 1 of 2 cells were measured.", 0)
        );
        run.decode.clear();
        assert_eq!(
            found(Rule::Incomplete, &run).unwrap().sentence,
            "The run was interrupted."
        );
    }
}
