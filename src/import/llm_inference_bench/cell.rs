//! One cell of `results` or `burst_results`: figures, and what became of it.
//!
//! The tool's times are seconds; a time, length or rate of 0.0 means that it was not measured. The
//! rules of the status are those of the data dictionary, in its order.

use crate::run::{Context, Figure, Figures, Measurement, Metric, Status};

use super::fields::{ANY_COUNT, Fields, MOST, Problems};

/// Most context tokens of a cell.
pub const CONTEXTS: std::ops::RangeInclusive<u64> = 0..=1_000_000_000;

/// Most simultaneous requests of a cell.
pub const LEVELS: std::ops::RangeInclusive<u64> = 1..=1_000_000;

/// What a list of cells is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// `results`
    Decode,
    /// `burst_results`: fewer requests run than were sent once the queue drains, so that only the
    /// tool's own word tells whether requests had to wait.
    Burst,
}

/// Reads a cell; `None` where its place in the matrix cannot be told.
pub fn read(
    fields: &Fields,
    phase: Phase,
    metrics_available: bool,
    problems: &mut Problems,
) -> Option<Measurement> {
    for key in ["concurrency", "context_tokens"] {
        if fields.get(key).is_none() {
            fields.lacks(key, problems);
        }
    }
    let concurrency = fields.count("concurrency", LEVELS, problems);
    let tokens = fields.count("context_tokens", CONTEXTS, problems);
    let total = total(fields, problems);
    let mut figures = measured(fields, metrics_available, problems);
    let errors = fields.count("num_errors", ANY_COUNT, problems).unwrap_or(0);
    if errors > 0 {
        figures.set(Metric::FailedRequests, Figure::exact(errors as f64));
    }
    let (status, reason) = status(fields, phase, total, concurrency, errors, problems);
    let concurrency = concurrency?;
    let mut cell = Measurement {
        context: Context::from_tokens(tokens?),
        concurrency,
        status,
        reason,
        ..Measurement::default()
    };
    match status {
        // Figures of requests that failed say nothing of speed.
        Status::Failed => {
            if let Some(errors) = figures.get(Metric::FailedRequests) {
                cell.figures.set(Metric::FailedRequests, errors);
            }
            return Some(cell);
        }
        Status::NotMeasured => {}
        _ => {
            if let Some(total) = total {
                figures.set(Metric::TotalTokPerS, Figure::exact(total));
            }
        }
    }
    cell.figures = figures;
    cell.token_source = fields
        .text("aggregate_source", problems)
        .filter(|source| source != "none");
    Some(cell)
}

/// The rate with the tool's marks in it: 0 and negative values are no speeds.
fn total(fields: &Fields, problems: &mut Problems) -> Option<f64> {
    let key = match fields.has("aggregate_tps") {
        true => "aggregate_tps",
        false => "aggregate_tps_mean",
    };
    if !fields.has(key) {
        fields.lacks("aggregate_tps", problems);
    }
    fields.number(key, -MOST..=MOST, problems)
}

/// Rules 1 to 4 of the data dictionary, with the reason where the file tells one.
fn status(
    fields: &Fields,
    phase: Phase,
    total: Option<f64>,
    concurrency: Option<u64>,
    errors: u64,
    problems: &mut Problems,
) -> (Status, Option<String>) {
    let failure = fields.text("failure_reason", problems);
    let looped = fields.boolean("loop_detected", problems) == Some(true);
    let tokens = fields
        .count("total_tokens", ANY_COUNT, problems)
        .unwrap_or(0);
    let limited = fields.boolean("capacity_limited", problems);
    let queue = fields
        .number("queue_fraction", 0.0..=1.000_001, problems)
        .unwrap_or(0.0);
    let running = fields.count("max_running_reqs", ANY_COUNT, problems);
    let timeout = fields.text("timeout_reason", problems);
    let repetitions = fields.count("iterations_run", ANY_COUNT, problems);

    if failure.is_some() || looped || total.is_some_and(|t| t < 0.0) {
        let reason = failure.or_else(|| looped.then(|| loop_reason(fields, problems)));
        return (Status::Failed, reason);
    }
    match total {
        Some(total) if total > 0.0 => {}
        _ if repetitions == Some(0) => {
            let reason = "no repetition of this cell was run";
            return (Status::NotMeasured, Some(reason.to_owned()));
        }
        Some(_) if errors > 0 || tokens == 0 => {
            let reason = match errors {
                0 => "no tokens arrived".to_owned(),
                1 => "1 request failed".to_owned(),
                n => format!("{n} requests failed"),
            };
            return (Status::Failed, Some(reason));
        }
        Some(_) => {
            let reason = "tokens arrived, but the tool found no rate";
            return (Status::NotMeasured, Some(reason.to_owned()));
        }
        None => return (Status::NotMeasured, None),
    }
    let waited = limited.unwrap_or_else(|| {
        let too_few = running.is_some_and(|n| n > 0 && Some(n) < concurrency);
        phase == Phase::Decode && (queue > 0.0 || too_few)
    });
    if waited {
        let reason = timeout.map(|reason| format!("the warm-up timed out with {reason}"));
        return (Status::Queued, reason);
    }
    (Status::Valid, None)
}

/// What the tool saw of a repetition loop.
fn loop_reason(fields: &Fields, problems: &mut Problems) -> String {
    let mut reason = "the output fell into a repetition loop".to_owned();
    let evidence = fields.objects("loop_diagnostics", problems);
    if let Some(first) = evidence.first() {
        let period = first.count("period_chars", ANY_COUNT, problems);
        let cycles = first.count("complete_cycles", ANY_COUNT, problems);
        if let (Some(period), Some(cycles)) = (period, cycles) {
            reason.push_str(&format!(
                ": {period} characters repeated {cycles} times in one request"
            ));
        }
    }
    reason
}

/// Everything measured but the rate over all requests.
fn measured(fields: &Fields, metrics_available: bool, problems: &mut Problems) -> Figures {
    let mut figures = Figures::default();
    for (key, metric) in [
        ("ttft_p50", Metric::TtftMs),
        ("ttft_avg", Metric::TtftMeanMs),
        ("ttft_avg_mean", Metric::TtftMeanMs),
        ("ttft_p90", Metric::TtftP90Ms),
        ("ttft_p99", Metric::TtftP99Ms),
        ("inter_token_latency_p50", Metric::ItlMs),
        ("inter_token_latency_avg", Metric::ItlMeanMs),
        ("inter_token_latency_p90", Metric::ItlP90Ms),
        ("inter_token_latency_p99", Metric::ItlP99Ms),
        ("chunk_inter_token_latency_p50", Metric::ChunkItlMs),
        ("request_latency_p50", Metric::RequestLatencyMs),
        ("request_latency_p90", Metric::RequestLatencyP90Ms),
        ("request_latency_p99", Metric::RequestLatencyP99Ms),
    ] {
        if let Some(seconds) = fields.measured(key, problems) {
            figures.set(metric, Figure::exact(milliseconds(seconds)));
        }
    }
    for (key, metric) in [
        // The average over requests is total ÷ concurrency, which is another figure.
        ("output_tps_per_user_p50", Metric::PerRequestTokPerS),
        ("measurement_seconds", Metric::MeasuredSeconds),
        ("input_seq_len_avg", Metric::InputTokens),
    ] {
        if let Some(value) = fields.measured(key, problems) {
            figures.set(metric, Figure::exact(value));
        }
    }
    if let Some(count) = fields.count("completed_request_count", ANY_COUNT, problems) {
        figures.set(Metric::CompletedRequests, Figure::exact(count as f64));
    }
    let sent = fields.count("request_count_target", ANY_COUNT, problems);
    if let Some(count) = sent.filter(|n| *n > 0) {
        figures.set(Metric::RequestsSent, Figure::exact(count as f64));
    }
    // Before the window had a length of its own, the count of tokens included the warm-up.
    if figures.get(Metric::MeasuredSeconds).is_some()
        && let Some(count) = fields.count("total_tokens", ANY_COUNT, problems)
    {
        figures.set(Metric::OutputTokens, Figure::exact(count as f64));
    }
    server(fields, metrics_available, &mut figures, problems);
    repetitions(fields, &mut figures, problems);
    hardware(fields, &mut figures, problems);
    figures
}

/// What the server's own metrics told. Without them the tool writes zeros, which are no figures.
fn server(
    fields: &Fields,
    metrics_available: bool,
    figures: &mut Figures,
    problems: &mut Problems,
) {
    let effective = fields.measured("effective_concurrency", problems);
    let average = fields.measured("avg_running_reqs", problems);
    let most = fields.count("max_running_reqs", ANY_COUNT, problems);
    let queued = fields.number("avg_queue_reqs", 0.0..=MOST, problems);
    let queued_most = fields.count("max_queue_reqs", ANY_COUNT, problems);
    let share = fields.number("queue_fraction", 0.0..=1.000_001, problems);
    let kv_cache = fields.measured("server_utilization", problems);
    let rate = fields.measured("server_gen_throughput", problems);
    // Old versions have a raw counter in the place of a share.
    let accepted = fields
        .measured("server_spec_accept_rate", problems)
        .or_else(|| fields.measured("spec_accept_rate_mean", problems));
    let length = fields.measured("server_spec_accept_length", problems);
    let mut set = |metric, value: Option<f64>| {
        if let Some(value) = value {
            figures.set(metric, Figure::exact(value));
        }
    };
    set(
        Metric::SpeculativeAcceptRate,
        accepted.filter(|a| *a <= 1.0),
    );
    set(Metric::SpeculativeAcceptLength, length);
    if !metrics_available {
        return;
    }
    set(Metric::KvCacheShare, kv_cache.filter(|s| *s <= 1.0));
    if effective.or(average).is_some() || most > Some(0) {
        set(
            Metric::ActiveRequestsMax,
            most.filter(|n| *n > 0).map(|n| n as f64),
        );
        set(Metric::QueuedRequests, queued);
        set(Metric::QueuedRequestsMax, queued_most.map(|n| n as f64));
        set(Metric::QueueShare, share.map(|s| s.min(1.0)));
    }
    if let Some(active) = effective.or(average) {
        figures.set(Metric::ActiveRequests, rounded_to(active, 0.1));
    }
    // In old versions this is the very figure that the total was made from.
    if let Some(rate) = rate.filter(|_| figures.get(Metric::MeasuredSeconds).is_some()) {
        figures.set(Metric::ServerTokPerS, Figure::exact(rate));
    }
}

/// What hand-made means of several runs add.
fn repetitions(fields: &Fields, figures: &mut Figures, problems: &mut Problems) {
    let run = fields.count("iterations_run", ANY_COUNT, problems);
    if let Some(count) = run.filter(|n| *n > 0) {
        figures.set(Metric::Repetitions, Figure::exact(count as f64));
    }
    let deviation = fields.number("aggregate_tps_stdev", 0.0..=MOST, problems);
    // One repetition does not deviate.
    if let Some(deviation) = deviation.filter(|_| run.is_none_or(|n| n > 1)) {
        figures.set(Metric::TotalTokPerSStdev, Figure::exact(deviation));
    }
}

/// Power and load of the GPUs of the machine that ran the benchmark client.
pub fn hardware(fields: &Fields, figures: &mut Figures, problems: &mut Problems) {
    let Some(summary) = fields.fields("hardware_summary", problems) else {
        return;
    };
    for (key, metric, scale) in [
        ("power_total_avg_w", Metric::PowerWatts, 1.0),
        ("power_total_max_w", Metric::PowerMaxWatts, 1.0),
        ("gpu_util_avg_pct", Metric::GpuUtilShare, 100.0),
    ] {
        if let Some(value) = summary.measured(key, problems) {
            figures.set(metric, Figure::exact(value / scale));
        }
    }
}

/// Seconds as milliseconds, the decimal point moved without a second rounding.
pub fn milliseconds(seconds: f64) -> f64 {
    format!("{seconds}e3").parse().unwrap_or(seconds * 1000.0)
}

/// A figure that the tool rounds to `step`; "as measured" where a patched tool did not.
pub fn rounded_to(value: f64, step: f64) -> Figure {
    let steps = value / step;
    if (steps - steps.round()).abs() < 1e-6 {
        Figure::rounded(value, step)
    } else {
        Figure::exact(value)
    }
}
