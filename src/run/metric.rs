//! Everything that can be measured of one cell or prefill point: one table, from which the JSON
//! keys, the CSV columns, the page's columns, the schema and the definitions are made.

use super::figure::{Figure, format_figure};

/// Which way is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// More is better (rates).
    Higher,
    /// Less is better (latencies, queues).
    Lower,
    /// Neither: a circumstance of the measurement.
    Neutral,
}

/// How a figure without a step of its own is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Display {
    /// One decimal.
    Tenths,
    /// No decimals.
    Whole,
    /// No decimals, but one below 10 (short latencies).
    WholeFromTen,
    /// A share from 0 to 1, shown in percent with one decimal.
    Percent,
    /// Two decimals (tokens per step).
    Hundredths,
}

/// What the table says of one metric.
#[derive(Clone, Copy, Debug)]
pub struct MetricInfo {
    /// Key in `run.json` and column in `measurements.csv`; ends in its unit where it has one.
    pub key: &'static str,
    /// Column head on the page, with the statistic where there are several.
    pub label: &'static str,
    /// Unit on the page; empty for counts.
    pub unit: &'static str,
    /// How it is shown when it was not rounded by its source.
    pub display: Display,
    /// Which way is better.
    pub direction: Direction,
    /// A whole number by nature: written to JSON without a fraction.
    pub count: bool,
    /// One sentence for the page's list of definitions.
    pub definition: &'static str,
}

macro_rules! metrics {
    ($($(#[$doc:meta])* $name:ident = $key:literal, $label:literal, $unit:literal, $display:ident, $direction:ident, $count:literal, $definition:literal;)*) => {
        /// One thing that can be measured; the order is that of the page's columns.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Metric { $(#[doc = $definition] $name,)* }

        impl Metric {
            /// All metrics in the order of the page's columns.
            pub const ALL: &'static [Metric] = &[$(Metric::$name,)*];

            /// The row of the table for this metric.
            pub fn info(self) -> &'static MetricInfo {
                match self { $(Metric::$name => {
                    const INFO: MetricInfo = MetricInfo {
                        key: $key, label: $label, unit: $unit, display: Display::$display,
                        direction: Direction::$direction, count: $count, definition: $definition,
                    };
                    &INFO
                })* }
            }
        }
    };
}

metrics! {
    PrefillTokPerS = "tok_per_s", "Prompt tok/s", "tok/s", Whole, Higher, false, "Prompt tokens read per second by a single request: prompt tokens ÷ time to first token.";
    TotalTokPerS = "total_tok_per_s", "Total tok/s", "tok/s", Tenths, Higher, false, "Output tokens per second over all simultaneous requests, in the measured window.";
    TotalTokPerSStdev = "total_tok_per_s_stdev", "Total tok/s, standard deviation", "tok/s", Tenths, Neutral, false, "Standard deviation of total tok/s over the repetitions.";
    PerRequestTokPerS = "per_request_tok_per_s", "Per request tok/s", "tok/s", Tenths, Higher, false, "What one request got, as the tool reports it: the median over requests of 1 ÷ time between tokens. It is not total ÷ requests.";
    TtftMs = "ttft_ms", "TTFT", "ms", WholeFromTen, Lower, false, "Median time to first token.";
    TtftMeanMs = "ttft_mean_ms", "Mean TTFT", "ms", WholeFromTen, Lower, false, "Mean time to first token.";
    TtftP90Ms = "ttft_p90_ms", "p90 TTFT", "ms", WholeFromTen, Lower, false, "90th percentile of the time to first token.";
    TtftP99Ms = "ttft_p99_ms", "p99 TTFT", "ms", WholeFromTen, Lower, false, "99th percentile of the time to first token.";
    ItlMs = "itl_ms", "Time between tokens", "ms", Tenths, Lower, false, "Median inter-token latency (ITL): (last − first token time) ÷ (tokens − 1).";
    ItlMeanMs = "itl_mean_ms", "Mean time between tokens", "ms", Tenths, Lower, false, "Mean inter-token latency.";
    ItlP90Ms = "itl_p90_ms", "p90 time between tokens", "ms", Tenths, Lower, false, "90th percentile of the inter-token latency.";
    ItlP99Ms = "itl_p99_ms", "p99 time between tokens", "ms", Tenths, Lower, false, "99th percentile of the inter-token latency.";
    ChunkItlMs = "chunk_itl_ms", "Time between stream chunks", "ms", Tenths, Lower, false, "Median gap between stream chunks; a chunk holds several tokens with speculative decoding.";
    RequestLatencyMs = "request_latency_ms", "Request latency", "ms", Whole, Lower, false, "Median time of a whole request, over completed requests.";
    RequestLatencyP90Ms = "request_latency_p90_ms", "p90 request latency", "ms", Whole, Lower, false, "90th percentile of the time of a whole request, over completed requests.";
    RequestLatencyP99Ms = "request_latency_p99_ms", "p99 request latency", "ms", Whole, Lower, false, "99th percentile of the time of a whole request, over completed requests.";
    ActiveRequests = "active_requests", "Average active requests", "", Tenths, Neutral, false, "Requests that the server ran at once, averaged over the window.";
    ActiveRequestsMax = "active_requests_max", "Most active requests", "", Whole, Neutral, true, "Most requests that the server was seen to run at once.";
    CompletedRequests = "completed_requests", "Completed requests", "", Whole, Neutral, true, "Requests that finished inside the window. None is normal for long outputs: latencies then come from requests cut at the end of the window.";
    FailedRequests = "failed_requests", "Failed requests", "", Whole, Lower, true, "Requests that ended with an error.";
    RequestsSent = "requests_sent", "Requests sent", "", Whole, Neutral, true, "Requests that the tool was told to send.";
    OutputTokens = "output_tokens", "Output tokens", "", Whole, Neutral, true, "Tokens that the requests produced inside the window.";
    MeasuredSeconds = "measured_seconds", "Measured for", "s", Tenths, Neutral, false, "Length of the window that was used.";
    QueueShare = "queue_share", "Time with a queue", "%", Percent, Lower, false, "Share of the window in which a request waited.";
    QueuedRequests = "queued_requests", "Average waiting requests", "", Tenths, Lower, false, "Requests that waited in the server's queue, averaged over the window.";
    QueuedRequestsMax = "queued_requests_max", "Most waiting requests", "", Whole, Lower, true, "Most requests seen waiting in the server's queue.";
    SpeculativeAcceptLength = "speculative_accept_length", "Accepted tokens per step", "", Hundredths, Higher, false, "Speculative decoding: tokens accepted per step, as the tool counts them.";
    SpeculativeAcceptRate = "speculative_accept_rate", "Accepted drafts", "%", Percent, Higher, false, "Speculative decoding: share of drafted tokens that were accepted.";
    KvCacheShare = "kv_cache_share", "KV cache in use", "%", Percent, Neutral, false, "Share of the server's KV cache in use.";
    PowerWatts = "power_watts", "Power", "W", Whole, Neutral, false, "Average power of all GPUs of the machine that ran the benchmark client.";
    PowerMaxWatts = "power_max_watts", "Peak power", "W", Whole, Neutral, false, "Highest power of all GPUs of the machine that ran the benchmark client.";
    GpuUtilShare = "gpu_util_share", "GPU utilisation", "%", Percent, Neutral, false, "Average utilisation of the GPUs of the machine that ran the benchmark client.";
    InputTokens = "input_tokens", "Mean prompt length", "tokens", Whole, Neutral, false, "Mean length of the prompts that were sent, in tokens.";
    PromptTokens = "prompt_tokens", "Prompt tokens", "", Whole, Neutral, true, "Length of the prompt that was read.";
    CachedPromptTokens = "cached_prompt_tokens", "Cached prompt tokens", "", Whole, Neutral, true, "Prompt tokens that the server had in its cache already.";
    ServerTokPerS = "server_tok_per_s", "Server's own tok/s", "tok/s", Whole, Higher, false, "The rate that the server's own metrics give for the same measurement.";
    Repetitions = "repetitions", "Repetitions", "", Whole, Neutral, true, "Repetitions that the figure is the mean of.";
}

impl Metric {
    /// The metric with this key in `run.json`.
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|m| m.info().key == key)
    }

    /// The figure as the page shows it, without its unit.
    pub fn show(self, figure: Figure) -> String {
        match self.info().display {
            Display::Tenths => format_figure(figure, 1),
            Display::Whole => format_figure(figure, 0),
            Display::Hundredths => format_figure(figure, 2),
            Display::WholeFromTen => format_figure(figure, usize::from(figure.value < 9.95)),
            Display::Percent => format_figure(
                Figure {
                    value: figure.value * 100.0,
                    step: figure.step.map(|s| s * 100.0),
                },
                1,
            ),
        }
    }

    /// The figure as the page shows it, with its unit where it has one.
    pub fn show_with_unit(self, figure: Figure) -> String {
        match self.info().unit {
            "" => self.show(figure),
            unit => format!("{} {unit}", self.show(figure)),
        }
    }
}

/// The figures of one cell, at most one of each metric, in the order of the table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures(Vec<(Metric, Figure)>);

impl Figures {
    /// The figure of this metric, if it was measured.
    pub fn get(&self, metric: Metric) -> Option<Figure> {
        let at = self.0.binary_search_by_key(&metric, |(m, _)| *m).ok()?;
        self.0.get(at).map(|(_, figure)| *figure)
    }

    /// The bare number of this metric, if it was measured.
    pub fn value(&self, metric: Metric) -> Option<f64> {
        self.get(metric).map(|f| f.value)
    }

    /// Sets the figure of a metric, in the place of an earlier one.
    pub fn set(&mut self, metric: Metric, figure: Figure) {
        match self.0.binary_search_by_key(&metric, |(m, _)| *m) {
            Ok(at) => {
                if let Some(entry) = self.0.get_mut(at) {
                    entry.1 = figure;
                }
            }
            Err(at) => self.0.insert(at, (metric, figure)),
        }
    }

    /// Removes the figure of a metric.
    pub fn remove(&mut self, metric: Metric) {
        self.0.retain(|(m, _)| *m != metric);
    }

    /// All figures in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = (Metric, Figure)> + '_ {
        self.0.iter().copied()
    }

    /// Whether nothing was measured.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<(Metric, Figure)> for Figures {
    fn from_iter<I: IntoIterator<Item = (Metric, Figure)>>(iter: I) -> Self {
        let mut figures = Self::default();
        for (metric, figure) in iter {
            figures.set(metric, figure);
        }
        figures
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_labels_are_unique() {
        for (i, a) in Metric::ALL.iter().enumerate() {
            assert_eq!(Metric::from_key(a.info().key), Some(*a));
            for b in &Metric::ALL[i + 1..] {
                assert_ne!(a.info().label, b.info().label);
            }
        }
    }

    #[test]
    fn figures_are_shown_by_their_step_else_by_the_metrics_rule() {
        assert_eq!(Metric::TtftMs.show_with_unit(Figure::exact(4.23)), "4.2 ms");
        assert_eq!(Metric::TtftMs.show(Figure::exact(9.96)), "10");
        assert_eq!(Metric::TtftMs.show(Figure::exact(38_096.4)), "38,096");
        assert_eq!(
            Metric::PrefillTokPerS.show(Figure::rounded(13_700.0, 100.0)),
            "13.7K"
        );
        assert_eq!(
            Metric::PrefillTokPerS.show(Figure::exact(24_123.4)),
            "24,123"
        );
        assert_eq!(
            Metric::QueueShare.show_with_unit(Figure::exact(0.125)),
            "12.5 %"
        );
        assert_eq!(Metric::CompletedRequests.show(Figure::exact(0.0)), "0");
    }
}
