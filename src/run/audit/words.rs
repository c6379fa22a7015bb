//! How findings name cells and counts.

use crate::run::{Metric, Phase};

use super::matrix::Cell;
use super::{Finding, Rule};

/// The most groups of cells that a sentence names one by one.
const MOST_GROUPS: usize = 3;

/// The most items of one kind (contexts, concurrencies) that a sentence names one by one.
const MOST_ITEMS: usize = 8;

/// A finding about these cells.
pub fn finding(rule: Rule, cells: &[Cell], sentence: String) -> Finding {
    Finding {
        rule,
        cells: cells.iter().map(|cell| cell.anchor()).collect(),
        sentence,
    }
}

/// "a", "a and b", "a, b and c".
pub fn join(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// "1 cell", "9 cells".
pub fn count(n: usize, noun: &str) -> String {
    match n {
        1 => format!("1 {noun}"),
        n => format!("{n} {noun}s"),
    }
}

/// "251K × 128": the context and the requests at once.
pub fn name(cell: Cell) -> String {
    format!("{} × {}", cell.context(), cell.concurrency())
}

/// The same, saying so where the cell is one of the burst matrix.
pub fn name_in_phase(cell: Cell) -> String {
    match cell.phase() {
        Phase::Burst => format!("{} (burst)", name(cell)),
        Phase::Prefill | Phase::Decode => name(cell),
    }
}

/// "with 1 request", "with 1 and 2 requests".
pub fn with_requests(concurrencies: &[u64]) -> String {
    let noun = match concurrencies {
        [1] => "request",
        _ => "requests",
    };
    let numbers: Vec<String> = concurrencies.iter().map(u64::to_string).collect();
    format!("with {} {noun}", join(&numbers))
}

/// "at 64K, 128K and 251K with 1 and 2 requests, and at 8K with 4 requests"; where that would be
/// long, "in 37 cells". The cells stand by context.
pub fn places(cells: &[Cell]) -> String {
    let mut groups: Vec<(Vec<String>, Vec<u64>)> = Vec::new();
    for row in cells.chunk_by(|a, b| a.row() == b.row()) {
        let requests: Vec<u64> = row.iter().map(|cell| cell.concurrency()).collect();
        let label = row.first().map_or("", |cell| cell.context()).to_owned();
        match groups.iter_mut().find(|(_, r)| *r == requests) {
            Some((labels, _)) => labels.push(label),
            None => groups.push((vec![label], requests)),
        }
        if groups.len() > MOST_GROUPS {
            break;
        }
    }
    let long = |(labels, requests): &(Vec<String>, Vec<u64>)| {
        labels.len() > MOST_ITEMS || requests.len() > MOST_ITEMS
    };
    if groups.len() > MOST_GROUPS || groups.iter().any(long) {
        return format!("in {}", count(cells.len(), "cell"));
    }
    let groups: Vec<String> = groups
        .iter()
        .map(|(labels, requests)| format!("at {} {}", join(labels), with_requests(requests)))
        .collect();
    match groups.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{}, and {last}", first.join(", ")),
        groups => groups.concat(),
    }
}

/// The figure of the cell with its unit, as the page shows it; a dash where there is none.
pub fn shown(cell: Cell, metric: Metric) -> String {
    cell.get(metric)
        .map_or_else(|| "—".to_owned(), |figure| metric.show_with_unit(figure))
}

/// The entry with the largest number; the first of equal ones.
pub fn largest<T>(entries: &[(T, f64)]) -> Option<&(T, f64)> {
    entries.iter().rev().max_by(|(_, a), (_, b)| a.total_cmp(b))
}
