//! The matrices of any number of runs on one pair of axes.

use std::collections::{BTreeMap, BTreeSet};

use super::axes::TOLERANCE;
use crate::run::{Context, Measurement};

/// The axes of several lists of measurements as one, and what each list has at each place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Union {
    /// The contexts, in order; each as the first of the lists that has it names it.
    pub contexts: Vec<Context>,
    /// The numbers of simultaneous requests, in order.
    pub concurrencies: Vec<u64>,
    /// Every place that a list has, by row and concurrency: for each list the index of its
    /// measurement.
    pub places: BTreeMap<(usize, u64), Vec<Option<usize>>>,
}

/// Contexts that are one.
struct Row<'a> {
    context: &'a Context,
    /// By list: the tokens and the label that it has for it.
    of_list: BTreeMap<usize, (Option<u64>, String)>,
}

impl Union {
    /// Joins lists: contexts whose exact tokens differ by at most [`TOLERANCE`] of the larger one
    /// are one row, beginning with the smallest; those of which the tokens are not known join the
    /// only row with their label, or those of their label. Two contexts of one list are never one
    /// row. Of two measurements of a list in one place the first counts.
    ///
    /// For two lists this is the union of a comparison, unless three contexts within 2 % of each
    /// other meet.
    pub fn of(lists: &[&[Measurement]]) -> Self {
        let mut known: BTreeSet<(u64, usize)> = BTreeSet::new();
        let mut first: BTreeMap<(Option<u64>, String, usize), &Context> = BTreeMap::new();
        for (list, measurements) in lists.iter().enumerate() {
            for m in *measurements {
                let label = match m.context.tokens {
                    Some(tokens) => {
                        known.insert((tokens, list));
                        String::new()
                    }
                    None => folded(&m.context.label),
                };
                first
                    .entry((m.context.tokens, label, list))
                    .or_insert(&m.context);
            }
        }
        let mut rows: Vec<Row> = Vec::new();
        // Rows before this one are too small for what is still to come.
        let mut open = 0;
        let mut starts: Vec<u64> = Vec::new();
        for (tokens, list) in known {
            let near = |start: u64| (tokens - start) as f64 <= TOLERANCE * tokens as f64;
            while starts.get(open).is_some_and(|start| !near(*start)) {
                open += 1;
            }
            let Some(context) = first.get(&(Some(tokens), String::new(), list)) else {
                continue;
            };
            let entry = (Some(tokens), folded(&context.label));
            let mut fitting = rows.iter_mut().skip(open);
            match fitting.find(|row| !row.of_list.contains_key(&list)) {
                Some(row) => {
                    row.of_list.insert(list, entry);
                }
                None => {
                    starts.push(tokens);
                    rows.push(Row {
                        context,
                        of_list: BTreeMap::from([(list, entry)]),
                    });
                }
            }
        }
        for ((tokens, label, list), context) in &first {
            if tokens.is_some() {
                continue;
            }
            let mut fitting = rows.iter_mut().filter(|row| {
                !row.of_list.contains_key(list)
                    && row.of_list.values().any(|(_, other)| other == label)
            });
            let one = fitting.next();
            match one.filter(|_| fitting.next().is_none()) {
                Some(row) => {
                    row.of_list.insert(*list, (None, label.clone()));
                }
                None => rows.push(Row {
                    context,
                    of_list: BTreeMap::from([(*list, (None, label.clone()))]),
                }),
            }
        }
        rows.sort_by(|x, y| x.context.order().cmp(&y.context.order()));
        for row in &mut rows {
            // The name that the first list has for it.
            let of_first = row.of_list.first_key_value();
            if let Some((list, (tokens, label))) = of_first {
                let label = if tokens.is_some() { "" } else { label };
                let key = (*tokens, label.to_owned(), *list);
                if let Some(context) = first.get(&key) {
                    row.context = context;
                }
            }
        }
        let mut row_of: BTreeMap<(usize, Option<u64>, String), usize> = BTreeMap::new();
        for (at, row) in rows.iter().enumerate() {
            for (list, (tokens, label)) in &row.of_list {
                let label = match tokens {
                    Some(_) => String::new(),
                    None => label.clone(),
                };
                row_of.insert((*list, *tokens, label), at);
            }
        }
        let mut out = Self {
            contexts: rows.iter().map(|row| row.context.clone()).collect(),
            ..Self::default()
        };
        let mut concurrencies = BTreeSet::new();
        for (list, measurements) in lists.iter().enumerate() {
            for (at, m) in measurements.iter().enumerate() {
                let label = match m.context.tokens {
                    Some(_) => String::new(),
                    None => folded(&m.context.label),
                };
                let Some(row) = row_of.get(&(list, m.context.tokens, label)) else {
                    continue;
                };
                concurrencies.insert(m.concurrency);
                let place = out
                    .places
                    .entry((*row, m.concurrency))
                    .or_insert_with(|| vec![None; lists.len()]);
                if let Some(place) = place.get_mut(list) {
                    place.get_or_insert(at);
                }
            }
        }
        out.concurrencies = concurrencies.into_iter().collect();
        out
    }

    /// "8K × 16"; for prefill use the label of the context alone.
    pub fn cell_name(&self, row: usize, concurrency: u64) -> String {
        let label = self.contexts.get(row).map_or("", |c| c.label.as_str());
        format!("{label} × {concurrency}")
    }
}

fn folded(label: &str) -> String {
    label.trim().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(contexts: &[Context]) -> Vec<Measurement> {
        let of = |context: &Context| Measurement {
            context: context.clone(),
            concurrency: 1,
            ..Measurement::default()
        };
        contexts.iter().map(of).collect()
    }

    fn rows(lists: &[Vec<Measurement>]) -> Vec<(String, Vec<Option<usize>>)> {
        let lists: Vec<&[Measurement]> = lists.iter().map(Vec::as_slice).collect();
        let union = Union::of(&lists);
        let label = |row: usize| union.contexts[row].label.clone();
        let places = union.places.iter();
        places
            .map(|((row, _), at)| (label(*row), at.clone()))
            .collect()
    }

    #[test]
    fn contexts_of_many_runs_are_matched_by_tokens_then_by_label() {
        let exact = Context::from_tokens;
        let lists = [
            list(&[exact(8192), exact(16_384)]),
            list(&[Context::from_label("8k", false), exact(16_400)]),
            list(&[exact(8200), exact(16_000)]),
        ];
        // 16,000 is 2.3 % from 16,384.
        assert_eq!(
            rows(&lists),
            [
                ("8K".to_owned(), vec![Some(0), Some(0), Some(0)]),
                ("16000".to_owned(), vec![None, None, Some(1)]),
                ("16K".to_owned(), vec![Some(1), Some(1), None]),
            ]
        );
    }

    #[test]
    fn two_contexts_of_one_run_are_never_one() {
        let exact = Context::from_tokens;
        let lists = [
            list(&[exact(10_000), exact(10_050)]),
            list(&[exact(10_000)]),
        ];
        let expected = [
            ("10000".to_owned(), vec![Some(0), Some(0)]),
            ("10050".to_owned(), vec![Some(1), None]),
        ];
        assert_eq!(rows(&lists), expected);
        assert_eq!(rows(&[]), []);
    }
}
