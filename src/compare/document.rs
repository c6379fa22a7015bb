//! `comparison.json`: a comparison as `speedbook.comparison/1`, and the schema of that document.
//!
//! One thing, fact, flag and cell a line. Means and ratios are rounded to six significant digits,
//! so that the last bits of a logarithm, which machines may disagree in, are not published.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::flags::FlagKind;
use super::summary::{Apart, MetricComparison, Summary};
use super::things::Verdict;
use super::{CellState, Comparison, DeltaMetric, Difference, PhaseComparison, RowState, Side};
use crate::json_schema::without_null;
use crate::run::{FactValue, Figure};

/// Name of the file.
pub const FILE: &str = "comparison.json";

/// Name of its schema.
pub const COMPARISON_SCHEMA: &str = "speedbook.comparison/1";

/// Two runs, compared. A ratio is always B ÷ A. What is absent is not known, or does not apply.
/// Further keys may be added within this version.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "speedbook.comparison/1")]
struct Document {
    /// Name and version of this schema.
    #[schemars(schema_with = "schema_name")]
    schema: &'static str,
    /// Slug of the run that the other one is measured by.
    a: String,
    /// Slug of the other run.
    b: String,
    /// Title of A.
    a_title: String,
    /// Title of B.
    b_title: String,
    /// The result in a sentence, with the number of cells that it rests on.
    title: String,
    /// How far the comparison is like for like.
    #[schemars(schema_with = "verdict_schema")]
    verdict: &'static str,
    /// The verdict in words, with what differs.
    verdict_sentence: String,
    /// What differs: facts and flags that belong together are one thing.
    things: Vec<ThingDocument>,
    /// Facts that only one of the runs tells of, by their names: they may be the same.
    told_by_one: Vec<String>,
    /// Facts side by side.
    facts: Vec<FactDocument>,
    /// Launch commands flag by flag.
    flags: FlagsDocument,
    /// The noise bands that were applied, as shares of 1.
    noise: NoiseDocument,
    /// How many places of the union of both decode matrices are in which state.
    counts: CountsDocument,
    /// Sustained decode, by metric.
    #[schemars(schema_with = "metrics_schema")]
    metrics: Map<String, Value>,
    /// Prefill, by context; absent where neither run has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    prefill: Option<PhaseDocument>,
    /// The burst matrices; absent where neither run has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    burst: Option<PhaseDocument>,
}

/// A thing that differs.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "thing")]
struct ThingDocument {
    /// Which: `engine`, `gpu_count`, `method.temperature`, `--dtype`.
    id: String,
    /// Its name in words.
    label: String,
    /// The facts and flags in which it differs.
    items: Vec<ItemDocument>,
}

/// A fact or flag that differs.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "item")]
struct ItemDocument {
    /// Its name.
    name: String,
    /// A's value.
    #[serde(skip_serializing_if = "Option::is_none")]
    a: Option<String>,
    /// B's value.
    #[serde(skip_serializing_if = "Option::is_none")]
    b: Option<String>,
}

/// A fact of both runs.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "fact")]
struct FactDocument {
    /// Its key in `run.json`, with its table: `hardware.gpu`.
    key: String,
    /// What the values are to each other.
    #[schemars(schema_with = "row_state_schema")]
    state: &'static str,
    /// A's value.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "fact_value_schema")]
    a: Option<Value>,
    /// B's value.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "fact_value_schema")]
    b: Option<Value>,
}

/// Launch commands flag by flag.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "flags")]
struct FlagsDocument {
    /// Whether they could be compared: `both`, or which run tells its command.
    commands: &'static str,
    /// Flags, variables and container options that are the same.
    same: usize,
    /// Those that both have, set differently.
    changed: usize,
    /// Those that only A has.
    only_a: usize,
    /// Those that only B has.
    only_b: usize,
    /// Those that are hidden, or not told, on a side.
    not_comparable: usize,
    /// All of them, with program, image and model.
    rows: Vec<FlagDocument>,
}

/// A flag of both commands.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "flag")]
struct FlagDocument {
    /// What it is.
    #[schemars(schema_with = "flag_kind_schema")]
    kind: &'static str,
    /// Its canonical name.
    name: String,
    /// Its name in B, where two engines have different names for one setting.
    #[serde(skip_serializing_if = "Option::is_none")]
    name_b: Option<String>,
    /// What the values are to each other.
    #[schemars(schema_with = "row_state_schema")]
    state: &'static str,
    /// The value, or the keys of a JSON value.
    keys: Vec<KeyDocument>,
}

/// A value, or a key of a JSON value.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "flag_key")]
struct KeyDocument {
    /// Dotted path below the flag; absent for a value that is no JSON object.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// What the values are to each other.
    #[schemars(schema_with = "row_state_schema")]
    state: &'static str,
    /// A's value.
    #[serde(skip_serializing_if = "Option::is_none")]
    a: Option<String>,
    /// B's value.
    #[serde(skip_serializing_if = "Option::is_none")]
    b: Option<String>,
}

/// Noise bands as shares of 1.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "noise")]
struct NoiseDocument {
    /// For rates.
    tok_per_s: f64,
    /// For the time between tokens.
    itl: f64,
    /// For the time to first token.
    ttft: f64,
}

/// How many places of the union of both axes are in which state.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "counts")]
struct CountsDocument {
    /// All places of the union.
    places: usize,
    /// Measured on both sides.
    compared: usize,
    /// Valid on both sides.
    compared_valid: usize,
    /// Measured on both sides, with queued requests on at least one.
    queued: usize,
    /// Measured on both sides, with a status that is not known here.
    other_status: usize,
    /// Measured in A; over capacity or failed in B.
    lost: usize,
    /// Over capacity or failed in A; measured in B.
    gained: usize,
    /// Measured in A, beyond the axes of B.
    only_a: usize,
    /// Measured in B, beyond the axes of A.
    only_b: usize,
    /// Measured in B, without a figure in A.
    not_measured_a: usize,
    /// Measured in A, without a figure in B.
    not_measured_b: usize,
    /// Measured on neither side.
    neither: usize,
}

/// One phase.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "phase")]
struct PhaseDocument {
    /// How many places are in which state.
    counts: CountsDocument,
    /// By metric.
    #[schemars(schema_with = "metrics_schema")]
    metrics: Map<String, Value>,
}

/// What the figures of one metric say.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "metric")]
struct MetricDocument {
    /// The noise band that was applied, as a share of 1.
    noise: f64,
    /// Of the valid cells.
    #[serde(flatten)]
    valid: SummaryDocument,
    /// Of the valid cells by simultaneous requests: `few` (1–4), `some` (5–63), `many` (64+).
    bands: BTreeMap<&'static str, SummaryDocument>,
    /// Of the cells with queued requests; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    queued: Option<SummaryDocument>,
    /// Of the valid cells with a TTFT that includes prefill; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    doubted: Option<SummaryDocument>,
    /// Of the cells with a status that is not known here; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    other_status: Option<SummaryDocument>,
    /// Cells measured on both sides that have no ratio: a figure is absent or zero.
    without_ratio: usize,
    /// Where the faster run changes with the number of requests, if it does once and cleanly.
    #[serde(skip_serializing_if = "Option::is_none")]
    crossing: Option<CrossingDocument>,
    /// Every place that at least one run has.
    cells: Vec<CellDocument>,
}

/// What a set of ratios says together.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "summary")]
struct SummaryDocument {
    /// Geometric mean of the ratios; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    geometric_mean: Option<f64>,
    /// The smallest ratio.
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<f64>,
    /// The largest ratio.
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<f64>,
    /// How many ratios there are.
    n: usize,
    /// In how many B is clearly faster.
    faster: usize,
    /// In how many B is clearly slower.
    slower: usize,
    /// In how many there is no clear difference.
    no_clear_difference: usize,
}

/// Where the faster run changes.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "crossing")]
struct CrossingDocument {
    /// The run that is faster with fewer requests: `a` or `b`.
    #[schemars(schema_with = "side_schema")]
    faster: &'static str,
    /// The last concurrency at which it is.
    up_to: u64,
    /// The first concurrency at which the other one is.
    from: u64,
}

/// A place of the union.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "cell")]
struct CellDocument {
    /// The context: "8K".
    context_label: String,
    /// The context in B, where it has another label.
    #[serde(skip_serializing_if = "Option::is_none")]
    context_label_b: Option<String>,
    /// The context's exact tokens: A's, else B's.
    #[serde(skip_serializing_if = "Option::is_none")]
    context_tokens: Option<u64>,
    /// Simultaneous requests.
    concurrency: u64,
    /// What both runs have there.
    #[schemars(schema_with = "state_schema")]
    state: &'static str,
    /// The state in words, with the status of a side; absent for valid cells.
    #[serde(skip_serializing_if = "String::is_empty")]
    words: String,
    /// A's figure.
    #[serde(skip_serializing_if = "Option::is_none")]
    a: Option<f64>,
    /// The step that A's figure was rounded to; without one it is as measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    a_step: Option<f64>,
    /// B's figure.
    #[serde(skip_serializing_if = "Option::is_none")]
    b: Option<f64>,
    /// The step that B's figure was rounded to; without one it is as measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    b_step: Option<f64>,
    /// B ÷ A; only where both are measured and positive.
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio: Option<f64>,
    /// What may be said of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "difference_schema")]
    difference: Option<&'static str>,
    /// Why it stands apart from the means; absent for a valid cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "apart_schema")]
    apart: Option<&'static str>,
}

impl Comparison {
    /// The comparison as `speedbook.comparison/1`: the same comparison gives the same bytes.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        write(&self.to_value(), 0, &mut out);
        out.push('\n');
        out
    }

    /// The same as a value.
    pub fn to_value(&self) -> Value {
        serde_json::to_value(self.document()).unwrap_or_default()
    }

    fn document(&self) -> Document {
        let phase = |phase: &PhaseComparison| {
            (!phase.cells.is_empty()).then(|| PhaseDocument {
                counts: counts(phase),
                metrics: metrics(phase),
            })
        };
        Document {
            schema: COMPARISON_SCHEMA,
            a: self.a.slug.clone(),
            b: self.b.slug.clone(),
            a_title: self.a.title.clone(),
            b_title: self.b.title.clone(),
            title: self.title(),
            verdict: self.verdict.key(),
            verdict_sentence: self.verdict_sentence(),
            things: self.things.iter().map(thing).collect(),
            told_by_one: self.told_by_one.clone(),
            facts: self.facts.iter().map(fact).collect(),
            flags: flags(self),
            noise: NoiseDocument {
                tok_per_s: self.noise.tok_per_s,
                itl: self.noise.itl,
                ttft: self.noise.ttft,
            },
            counts: counts(&self.decode),
            metrics: metrics(&self.decode),
            prefill: phase(&self.prefill),
            burst: phase(&self.burst),
        }
    }
}

/// Several comparisons as one list, in the layout of [`Comparison::to_json`].
pub fn list_to_json(comparisons: &[Comparison]) -> String {
    let documents: Vec<String> = comparisons
        .iter()
        .map(|comparison| comparison.to_json().trim_end().to_owned())
        .collect();
    match documents.is_empty() {
        true => "[]\n".to_owned(),
        false => format!("[\n{}\n]\n", documents.join(",\n")),
    }
}

fn thing(thing: &super::Thing) -> ThingDocument {
    ThingDocument {
        id: thing.kind.id(),
        label: thing.kind.label(),
        items: thing
            .items
            .iter()
            .map(|item| ItemDocument {
                name: item.name.clone(),
                a: item.a.clone(),
                b: item.b.clone(),
            })
            .collect(),
    }
}

fn fact(row: &super::FactRow) -> FactDocument {
    let value = |value: &FactValue| match value {
        FactValue::Text(text) => json!(text),
        FactValue::Count(n) => json!(n),
        FactValue::Number(x) => number(*x),
    };
    FactDocument {
        key: row.fact.path(),
        state: row.state.key(),
        a: row.a.as_ref().map(value),
        b: row.b.as_ref().map(value),
    }
}

/// A whole number without a fraction.
fn number(x: f64) -> Value {
    if x.fract() == 0.0 && x.abs() < 9e15 {
        json!(x as i64)
    } else {
        json!(x)
    }
}

fn flags(comparison: &Comparison) -> FlagsDocument {
    let launch = &comparison.launch;
    let key = |key: &super::FlagKey| KeyDocument {
        path: (!key.path.is_empty()).then(|| key.path.clone()),
        state: key.state.key(),
        a: key.a.clone(),
        b: key.b.clone(),
    };
    FlagsDocument {
        commands: launch.commands.key(),
        same: launch.counts.same,
        changed: launch.counts.changed,
        only_a: launch.counts.only_a,
        only_b: launch.counts.only_b,
        not_comparable: launch.counts.not_comparable,
        rows: launch
            .rows
            .iter()
            .map(|row| FlagDocument {
                kind: row.kind.key(),
                name: row.name.clone(),
                name_b: row.name_b.clone(),
                state: row.state.key(),
                keys: row.keys.iter().map(key).collect(),
            })
            .collect(),
    }
}

fn counts(phase: &PhaseComparison) -> CountsDocument {
    let counts = phase.counts;
    CountsDocument {
        places: counts.places,
        compared: counts.compared,
        compared_valid: counts.compared_valid,
        queued: counts.queued,
        other_status: counts.other_status,
        lost: counts.lost,
        gained: counts.gained,
        only_a: counts.only_a,
        only_b: counts.only_b,
        not_measured_a: counts.not_measured_a,
        not_measured_b: counts.not_measured_b,
        neither: counts.neither,
    }
}

fn metrics(phase: &PhaseComparison) -> Map<String, Value> {
    let value = |metric: &MetricComparison| {
        serde_json::to_value(metric_document(phase, metric)).unwrap_or_default()
    };
    phase
        .metrics
        .iter()
        .map(|metric| (metric.metric.key().to_owned(), value(metric)))
        .collect()
}

fn metric_document(phase: &PhaseComparison, metric: &MetricComparison) -> MetricDocument {
    let some = |s: &Summary| (s.n > 0).then(|| summary(s));
    MetricDocument {
        noise: metric.band,
        valid: summary(&metric.valid),
        bands: metric
            .bands
            .iter()
            .map(|band| (band.band.key(), summary(&band.summary)))
            .collect(),
        queued: some(&metric.queued),
        doubted: some(&metric.doubted),
        other_status: some(&metric.other_status),
        without_ratio: metric.without_ratio,
        crossing: metric.crossing.map(|crossing| CrossingDocument {
            faster: side(crossing.low),
            up_to: crossing.up_to,
            from: crossing.from,
        }),
        cells: cells(phase, metric),
    }
}

fn cells(phase: &PhaseComparison, metric: &MetricComparison) -> Vec<CellDocument> {
    let all = phase.cells.iter().zip(&metric.deltas);
    let there = all.filter(|(cell, _)| cell.a.is_some() || cell.b.is_some());
    there
        .filter_map(|(cell, delta)| {
            let row = phase.contexts.get(cell.row)?;
            let column = phase.columns.get(cell.column)?;
            let context = row.a.as_ref().or(row.b.as_ref())?;
            let other = row.b.as_ref().map(|b| &b.label);
            let tokens = |c: &Option<crate::run::Context>| c.as_ref().and_then(|c| c.tokens);
            let value = |f: Option<Figure>| f.map(|f| precise(f.value));
            let step = |f: Option<Figure>| f.and_then(|f| f.step).filter(|s| *s > 0.0).map(precise);
            Some(CellDocument {
                context_label: context.label.clone(),
                context_label_b: other.filter(|b| **b != context.label).cloned(),
                context_tokens: tokens(&row.a).or(tokens(&row.b)),
                concurrency: column.concurrency,
                state: cell.state.key(),
                words: cell.words(),
                a: value(delta.a),
                a_step: step(delta.a),
                b: value(delta.b),
                b_step: step(delta.b),
                ratio: delta.ratio.map(rounded),
                difference: delta.difference.map(Difference::key),
                apart: delta.apart.map(Apart::key),
            })
        })
        .collect()
}

fn summary(summary: &Summary) -> SummaryDocument {
    SummaryDocument {
        geometric_mean: summary.means.map(|m| rounded(m.geometric_mean)),
        min: summary.means.map(|m| rounded(m.min)),
        max: summary.means.map(|m| rounded(m.max)),
        n: summary.n,
        faster: summary.faster,
        slower: summary.slower,
        no_clear_difference: summary.unclear,
    }
}

fn side(side: Side) -> &'static str {
    match side {
        Side::A => "a",
        Side::B => "b",
    }
}

/// Six significant digits.
fn rounded(x: f64) -> f64 {
    format!("{x:.5e}").parse().unwrap_or(x)
}

/// Fifteen significant digits: what dividing by the number of GPUs may leave behind is cut.
fn precise(x: f64) -> f64 {
    format!("{x:.14e}").parse().unwrap_or(x)
}

/// Objects that hold lists of objects get a line for each key, and such lists one for each item;
/// everything else stands on one line.
fn write(value: &Value, depth: usize, out: &mut String) {
    let indent = " ".repeat(depth);
    match value {
        Value::Object(keys) if keys.values().any(has_lists) => {
            out.push_str("{\n");
            for (at, (key, value)) in keys.iter().enumerate() {
                let comma = if at == 0 { "" } else { ",\n" };
                out.push_str(&format!("{comma}{indent} {}: ", json!(key)));
                write(value, depth + 1, out);
            }
            out.push_str(&format!("\n{indent}}}"));
        }
        Value::Array(items) if has_lists(value) => {
            let lines: Vec<String> = items.iter().map(|i| format!("{indent} {i}")).collect();
            out.push_str(&format!("[\n{}\n{indent}]", lines.join(",\n")));
        }
        other => out.push_str(&other.to_string()),
    }
}

fn has_lists(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(Value::is_object),
        Value::Object(keys) => keys.values().any(has_lists),
        _ => false,
    }
}

/// The JSON Schema (draft 2020-12) of `speedbook.comparison/1`.
pub fn schema() -> Value {
    let generator = SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator();
    let mut schema = generator.into_root_schema_for::<Document>().to_value();
    without_null(&mut schema);
    schema
}

fn made(value: Value) -> Schema {
    Schema::try_from(value).unwrap_or_default()
}

fn one_of(words: impl IntoIterator<Item = &'static str>) -> Schema {
    let words: Vec<&str> = words.into_iter().collect();
    made(json!({"enum": words}))
}

fn schema_name(_: &mut SchemaGenerator) -> Schema {
    made(json!({"const": COMPARISON_SCHEMA}))
}

fn verdict_schema(_: &mut SchemaGenerator) -> Schema {
    one_of(
        [
            Verdict::LikeForLike,
            Verdict::OneThing,
            Verdict::FewThings,
            Verdict::NotControlled,
        ]
        .map(Verdict::key),
    )
}

fn row_state_schema(_: &mut SchemaGenerator) -> Schema {
    one_of(RowState::ALL.iter().map(|state| state.key()))
}

fn flag_kind_schema(_: &mut SchemaGenerator) -> Schema {
    one_of(
        [
            FlagKind::Program,
            FlagKind::Image,
            FlagKind::Model,
            FlagKind::Flag,
            FlagKind::Environment,
            FlagKind::Container,
        ]
        .map(FlagKind::key),
    )
}

fn fact_value_schema(_: &mut SchemaGenerator) -> Schema {
    made(json!({"type": ["string", "number"]}))
}

fn state_schema(_: &mut SchemaGenerator) -> Schema {
    one_of(CellState::ALL.iter().map(|state| state.key()))
}

fn difference_schema(_: &mut SchemaGenerator) -> Schema {
    one_of(
        [
            Difference::Faster,
            Difference::Slower,
            Difference::Higher,
            Difference::Lower,
            Difference::Unclear,
        ]
        .map(Difference::key),
    )
}

fn apart_schema(_: &mut SchemaGenerator) -> Schema {
    one_of([Apart::Queued, Apart::OtherStatus, Apart::Doubted].map(Apart::key))
}

fn side_schema(_: &mut SchemaGenerator) -> Schema {
    one_of([Side::A, Side::B].map(side))
}

fn metrics_schema(generator: &mut SchemaGenerator) -> Schema {
    let metric = generator.subschema_for::<MetricDocument>().to_value();
    let keys: Map<String, Value> = DeltaMetric::ALL
        .iter()
        .map(|m| (m.key().to_owned(), metric.clone()))
        .collect();
    made(json!({"type": "object", "properties": keys}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_schema_without_null() {
        let schema = schema();
        assert!(jsonschema::draft202012::meta::is_valid(&schema));
        assert!(!schema.to_string().contains("null"));
    }
}
