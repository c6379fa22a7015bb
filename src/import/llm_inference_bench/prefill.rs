//! The `prefill` block: how fast one request's prompt was read, by context.

use crate::diagnostic::{Code, Diagnostic};
use crate::run::{Context, Figure, Measurement, Metric, Status};

use super::cell::{CONTEXTS, hardware, milliseconds, rounded_to};
use super::fields::{ANY_COUNT, Fields, Problems};

/// All points. Figures that cannot be true stay: the audit says so on the page.
pub fn read(root: &Fields, problems: &mut Problems) -> Vec<Measurement> {
    let Some(node) = root.get("prefill") else {
        return Vec::new();
    };
    let block = Fields::empty(node, "prefill");
    let Some(entries) = node.object() else {
        let message = format!("`prefill` is {}, expected an object", node.kind());
        problems.shape(node, message);
        return Vec::new();
    };
    let mut points: Vec<Measurement> = Vec::new();
    // Not the map of the keys: a context that is there twice is a point that is there twice.
    for (key, node) in entries {
        if node.is_null() {
            continue;
        }
        let tokens = key
            .parse::<u64>()
            .ok()
            .filter(|n| CONTEXTS.contains(n) && n.to_string() == key);
        let Some(tokens) = tokens else {
            let message = format!(
                "`prefill` has the key `{key}`, expected the number of context tokens, as \"8192\""
            );
            problems.shape(node, message);
            continue;
        };
        let context = Context::from_tokens(tokens);
        if points.iter().any(|point| point.context == context) {
            let message = format!("the prefill point {} stands twice", context.label);
            let place = problems.place(node);
            let problem = Diagnostic::new(Code::DuplicateCell, place, message);
            problems.errors.push(problem.help("remove one of them"));
        }
        if let Some(fields) = Fields::read(node, block.path(&key), problems) {
            points.push(point(context, &fields, problems));
        }
    }
    points
}

fn point(context: Context, fields: &Fields, problems: &mut Problems) -> Measurement {
    let mut point = Measurement {
        context,
        concurrency: 1,
        method: fields.text("method", problems),
        ..Measurement::default()
    };
    let figures = &mut point.figures;
    // The tool rounds these two in the file.
    if let Some(rate) = fields.measured("tok_per_sec", problems) {
        figures.set(Metric::PrefillTokPerS, rounded_to(rate, 1.0));
    }
    if let Some(seconds) = fields.measured("ttft_seconds", problems) {
        figures.set(Metric::TtftMs, rounded_to(milliseconds(seconds), 1.0));
    }
    for (key, metric) in [
        ("prompt_tokens", Metric::PromptTokens),
        ("samples", Metric::CompletedRequests),
    ] {
        if let Some(count) = fields.count(key, ANY_COUNT, problems).filter(|n| *n > 0) {
            figures.set(metric, Figure::exact(count as f64));
        }
    }
    if let Some(server) = fields.fields("server_validation", problems) {
        let rate = server.measured("tok_per_sec", problems);
        let invalid = server.text("invalid_reason", problems).is_some();
        if let Some(rate) = rate.filter(|_| !invalid) {
            figures.set(Metric::ServerTokPerS, Figure::exact(rate));
        }
        // No cached token is a finding only where the server reported on this request at all.
        let reported = server.count("request_prompt_tokens", ANY_COUNT, problems);
        let cached = server.count("cached_tokens", ANY_COUNT, problems);
        if let Some(cached) = cached.filter(|n| *n > 0 || reported > Some(0)) {
            figures.set(Metric::CachedPromptTokens, Figure::exact(cached as f64));
        }
    }
    hardware(fields, figures, problems);
    if figures.get(Metric::PrefillTokPerS).is_none() && figures.get(Metric::TtftMs).is_none() {
        point.status = Status::NotMeasured;
    }
    point
}
