//! The axes of two matrices as one: which contexts are the same.

use std::collections::{BTreeMap, BTreeSet};

use crate::run::{Context, Measurement};

/// Two contexts are one where their exact numbers of tokens differ by at most this share of the
/// larger one.
pub const TOLERANCE: f64 = 0.01;

/// How the two contexts of a row were found to be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchedBy {
    /// By their exact numbers of tokens.
    Tokens,
    /// By their labels: the exact number of one of them is not known.
    Label,
}

/// A row of the union: a context of A, of B, or of both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextRow {
    /// The context in A.
    pub a: Option<Context>,
    /// The context in B.
    pub b: Option<Context>,
    /// How the two were matched, where both are there.
    pub matched_by: Option<MatchedBy>,
}

impl ContextRow {
    /// "8K"; where the two labels differ, both: "251K / 256K".
    pub fn label(&self) -> String {
        match (&self.a, &self.b) {
            (Some(a), Some(b)) if a.label != b.label => format!("{} / {}", a.label, b.label),
            (Some(context), _) | (None, Some(context)) => context.label.clone(),
            (None, None) => String::new(),
        }
    }

    /// What rows are sorted by: the smaller of the two contexts.
    fn order(&self) -> (u64, &str) {
        let orders = [&self.a, &self.b].into_iter().flatten().map(Context::order);
        orders.min().unwrap_or((u64::MAX, ""))
    }
}

/// A column of the union.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Simultaneous requests asked for.
    pub concurrency: u64,
    /// Whether A has it.
    pub in_a: bool,
    /// Whether B has it.
    pub in_b: bool,
}

/// The distinct contexts of a list of measurements, and the measurements by context and
/// concurrency; of two in one place the first counts.
pub(super) struct Axis<'a> {
    pub(super) contexts: Vec<&'a Context>,
    pub(super) cells: BTreeMap<(usize, u64), usize>,
    concurrencies: BTreeSet<u64>,
}

impl<'a> Axis<'a> {
    pub(super) fn of(measurements: &'a [Measurement]) -> Self {
        let mut contexts = Vec::new();
        let mut known: BTreeMap<(Option<u64>, String), usize> = BTreeMap::new();
        let mut cells = BTreeMap::new();
        let mut concurrencies = BTreeSet::new();
        for (at, m) in measurements.iter().enumerate() {
            let name = match m.context.tokens {
                Some(_) => String::new(),
                None => folded(&m.context.label),
            };
            let row = *known.entry((m.context.tokens, name)).or_insert_with(|| {
                contexts.push(&m.context);
                contexts.len() - 1
            });
            cells.entry((row, m.concurrency)).or_insert(at);
            concurrencies.insert(m.concurrency);
        }
        Self {
            contexts,
            cells,
            concurrencies,
        }
    }
}

fn folded(label: &str) -> String {
    label.trim().to_lowercase()
}

/// The columns of the union, in order.
pub(super) fn columns(a: &Axis, b: &Axis) -> Vec<Column> {
    let all: BTreeSet<u64> = a.concurrencies.union(&b.concurrencies).copied().collect();
    all.into_iter()
        .map(|concurrency| Column {
            concurrency,
            in_a: a.concurrencies.contains(&concurrency),
            in_b: b.concurrencies.contains(&concurrency),
        })
        .collect()
}

/// A row, with the places of its contexts in the two lists.
pub(super) struct Row {
    pub(super) a: Option<usize>,
    pub(super) b: Option<usize>,
    pub(super) context: ContextRow,
}

/// The rows of the union, in order: contexts within [`TOLERANCE`] in tokens are matched one to
/// one, the nearest first; then, where the tokens of one of them are not known, equal labels.
pub(super) fn rows(a: &[&Context], b: &[&Context]) -> Vec<Row> {
    let mut partner_of_a: Vec<Option<(usize, MatchedBy)>> = vec![None; a.len()];
    let mut taken = vec![false; b.len()];
    let mut join = |i: usize, j: usize, by: MatchedBy| {
        if let (Some(partner), Some(taken)) = (partner_of_a.get_mut(i), taken.get_mut(j))
            && partner.is_none()
            && !*taken
        {
            *partner = Some((j, by));
            *taken = true;
        }
    };
    for (i, j) in near_in_tokens(a, b) {
        join(i, j, MatchedBy::Tokens);
    }
    for (i, j) in same_labels(a, b) {
        join(i, j, MatchedBy::Label);
    }
    let mut rows: Vec<Row> = Vec::with_capacity(a.len() + b.len());
    for (i, partner) in partner_of_a.iter().enumerate() {
        let of_b = partner.and_then(|(j, _)| b.get(j));
        rows.push(Row {
            a: Some(i),
            b: partner.map(|(j, _)| j),
            context: ContextRow {
                a: a.get(i).map(|c| (*c).clone()),
                b: of_b.map(|c| (*c).clone()),
                matched_by: partner.map(|(_, by)| by),
            },
        });
    }
    for (j, context) in b.iter().enumerate() {
        if taken.get(j) == Some(&false) {
            rows.push(Row {
                a: None,
                b: Some(j),
                context: ContextRow {
                    a: None,
                    b: Some((*context).clone()),
                    matched_by: None,
                },
            });
        }
    }
    // Of rows of one order those that are matched come first, then those with exact tokens: what
    // comes first must not depend on the sides.
    let known = |row: &Row| {
        let contexts = [&row.context.a, &row.context.b].into_iter().flatten();
        contexts.filter(|c| c.tokens.is_some()).count()
    };
    let matched = |row: &Row| row.context.matched_by.is_some();
    rows.sort_by(|x, y| {
        let key = |row: &Row| (!matched(row), std::cmp::Reverse(known(row)));
        (x.context.order(), key(x)).cmp(&(y.context.order(), key(y)))
    });
    rows
}

/// Pairs within the tolerance, the nearest first; equally near ones by their tokens.
fn near_in_tokens(a: &[&Context], b: &[&Context]) -> Vec<(usize, usize)> {
    let sorted = |contexts: &[&Context]| {
        let known = contexts.iter().enumerate();
        let mut known: Vec<(u64, usize)> =
            known.filter_map(|(i, c)| Some((c.tokens?, i))).collect();
        known.sort_unstable();
        known
    };
    let (a, b) = (sorted(a), sorted(b));
    let mut pairs: Vec<(f64, u64, u64, usize, usize)> = Vec::new();
    let mut first = 0;
    for (x, i) in &a {
        let lowest = *x as f64 * (1.0 - TOLERANCE) - 1.0;
        while b.get(first).is_some_and(|(y, _)| (*y as f64) < lowest) {
            first += 1;
        }
        for (y, j) in b.iter().skip(first) {
            if *y as f64 > *x as f64 * (1.0 + 2.0 * TOLERANCE) + 1.0 {
                break;
            }
            let distance = x.abs_diff(*y) as f64 / ((*x).max(*y) as f64).max(1.0);
            if distance <= TOLERANCE {
                pairs.push((distance, (*x).min(*y), (*x).max(*y), *i, *j));
            }
        }
    }
    pairs.sort_by(|x, y| {
        x.0.total_cmp(&y.0)
            .then_with(|| (x.1, x.2).cmp(&(y.1, y.2)))
    });
    pairs.into_iter().map(|(.., i, j)| (i, j)).collect()
}

/// Pairs of equal labels of which one has no exact number of tokens, in the order of the contexts.
fn same_labels(a: &[&Context], b: &[&Context]) -> Vec<(usize, usize)> {
    let by_label = |contexts: &[&Context]| {
        let mut lists: BTreeMap<String, Vec<(Option<u64>, usize)>> = BTreeMap::new();
        for (i, context) in contexts.iter().enumerate() {
            let list = lists.entry(folded(&context.label)).or_default();
            list.push((context.tokens, i));
        }
        for list in lists.values_mut() {
            list.sort_unstable();
        }
        lists
    };
    let (a, b) = (by_label(a), by_label(b));
    let mut pairs = Vec::new();
    for (label, of_a) in &a {
        for (x, i) in of_a {
            for (y, j) in b.get(label).into_iter().flatten() {
                if x.is_none() || y.is_none() {
                    pairs.push((*i, *j));
                }
            }
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(tokens: u64) -> Context {
        Context::from_tokens(tokens)
    }

    fn label(text: &str) -> Context {
        Context::from_label(text, false)
    }

    /// The rows as "A|B" of labels.
    fn matched(a: &[Context], b: &[Context]) -> Vec<String> {
        let (a, b): (Vec<&Context>, Vec<&Context>) = (a.iter().collect(), b.iter().collect());
        let shown = |c: &Option<Context>| match c {
            Some(context) => context
                .tokens
                .map_or_else(|| context.label.clone(), |n| n.to_string()),
            None => "-".to_owned(),
        };
        rows(&a, &b)
            .iter()
            .map(|row| format!("{}|{}", shown(&row.context.a), shown(&row.context.b)))
            .collect()
    }

    #[test]
    fn contexts_within_one_percent_are_one() {
        assert_eq!(matched(&[exact(10_000)], &[exact(9_900)]), ["10000|9900"]);
        assert_eq!(
            matched(&[exact(10_000)], &[exact(9_899)]),
            ["-|9899", "10000|-"]
        );
        assert_eq!(matched(&[exact(9_900)], &[exact(10_000)]), ["9900|10000"]);
        // 251K and 256K are 2 % apart.
        assert_eq!(
            matched(&[exact(257_024)], &[exact(262_144)]),
            ["257024|-", "-|262144"]
        );
        assert_eq!(
            matched(&[exact(0), exact(100)], &[exact(0), exact(5)]),
            ["0|0", "-|5", "100|-"]
        );
    }

    #[test]
    fn they_are_matched_one_to_one_and_the_nearest_first() {
        assert_eq!(
            matched(&[exact(10_000), exact(10_050)], &[exact(10_040)]),
            ["10000|-", "10050|10040"]
        );
        assert_eq!(
            matched(&[exact(10_040)], &[exact(10_000), exact(10_050)]),
            ["-|10000", "10040|10050"]
        );
    }

    #[test]
    fn labels_count_where_tokens_are_not_known() {
        assert_eq!(matched(&[label("8K")], &[exact(8192)]), ["8K|8192"]);
        assert_eq!(matched(&[label("8k")], &[label(" 8K")]), ["8k|8K"]);
        assert_eq!(matched(&[label("long")], &[label("short")]).len(), 2);
        // Both are called 8K, and are known to differ by 2.3 %.
        let thousand = Context {
            label: "8K".to_owned(),
            ..exact(8000)
        };
        assert_eq!(matched(&[thousand], &[exact(8192)]), ["8000|-", "-|8192"]);
    }
}
