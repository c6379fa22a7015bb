//! `gen diff`: compares two runs, or two folders of runs, in the terminal or for a pull request.

mod markdown;
mod pairs;
mod text;

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::{Failure, build, report};
use crate::compare::{Comparison, DeltaMetric, PhaseComparison, Subject, document};
use crate::config::Config;
use crate::content::{self, LoadedRun};
use crate::diagnostic::{Severity, sorted};
use crate::run::audit::Noise;
use crate::run::{Phase, Run};

use pairs::{Found, Pairing};

/// Compares two runs, or two folders of runs: what differs, and which is faster.
///
/// A is what B is measured by: every ratio is B ÷ A. Both are run files of any format that `gen`
/// reads, with their sidecars, or both are folders; the runs of two folders are paired by their
/// facts. Secrets are hidden as in a build.
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// A run file, or a folder of run files.
    a: PathBuf,
    /// Another one, to be compared with it.
    b: PathBuf,
    /// Which figures to show cell by cell, and which `--fail-on worse` looks at; may be repeated
    #[arg(
        long,
        value_enum,
        value_name = "METRIC",
        value_delimiter = ',',
        default_value = "total"
    )]
    metric: Vec<MetricName>,
    /// Smaller differences are none: "7%" or "0.07", in the place of the noise bands of site.toml
    #[arg(long, value_parser = share, value_name = "SHARE")]
    threshold: Option<f64>,
    /// How to print it
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// When to end with exit code 1; may be repeated
    #[arg(long, value_enum, value_name = "WHEN", value_delimiter = ',')]
    fail_on: Vec<FailOn>,
}

const HELP: &str = "\
Examples:
  gen diff before.json after.json
  gen diff before.json after.json --metric total,ttft --threshold 5%
  gen diff main/ branch/ --format markdown --fail-on worse --fail-on lost > comment.md
  gen diff before.json after.json --format json | jq .verdict

Exit codes: 0 fine, 1 what --fail-on names was found, 2 a file cannot be read, or wrong use.
A run is worse where the geometric mean of a metric over its valid cells, over all of them or those
with few, some or many requests, is slower than the threshold allows and at least one of them is
clearly slower. A cell is lost that A has and B does not, being over capacity or failed; so is a run
of folder A without a partner in folder B.";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum MetricName {
    /// Total tok/s over all requests
    #[value(alias = "total_tok_per_s")]
    Total,
    /// tok/s of one request
    #[value(alias = "per_request", alias = "per_request_tok_per_s")]
    PerRequest,
    /// Median time to first token
    #[value(alias = "ttft_ms")]
    Ttft,
    /// Median time between tokens
    #[value(alias = "itl_ms")]
    Itl,
    /// Total tok/s ÷ number of GPUs
    #[value(alias = "per_gpu", alias = "total_tok_per_s_per_gpu")]
    PerGpu,
    /// Prompt tokens per second
    #[value(alias = "tok_per_s")]
    Prefill,
}

impl MetricName {
    fn metric(self) -> DeltaMetric {
        match self {
            MetricName::Total => DeltaMetric::Total,
            MetricName::PerRequest => DeltaMetric::PerRequest,
            MetricName::Ttft => DeltaMetric::Ttft,
            MetricName::Itl => DeltaMetric::Itl,
            MetricName::PerGpu => DeltaMetric::TotalPerGpu,
            MetricName::Prefill => DeltaMetric::Prefill,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a terminal
    Text,
    /// For a comment of a pull request: under 60,000 characters
    Markdown,
    /// `speedbook.comparison/1`; a list of them for folders
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// B is slower
    Worse,
    /// B lacks cells or runs that A has
    Lost,
}

/// "7%", "7 %" or "0.07".
fn share(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let value = match text.strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().map(|p| p / 100.0),
        None => text.parse::<f64>(),
    };
    match value {
        Ok(share) if (0.0..1.0).contains(&share) => Ok(share),
        Ok(share) if share.is_finite() && share >= 1.0 => {
            Err("must be less than 100 %: write 7% or 0.07".to_owned())
        }
        _ => Err("must be a share as 7% or 0.07".to_owned()),
    }
}

/// What is printed.
struct Report {
    comparisons: Vec<Comparison>,
    /// Which metrics are shown cell by cell.
    metrics: Vec<DeltaMetric>,
    /// Of two folders: what has no partner.
    unpaired: Option<Unpaired>,
}

/// Runs of two folders without a partner, as they are called.
struct Unpaired {
    only_a: Vec<String>,
    only_b: Vec<String>,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let mut config = build::load_config(Path::new("."))?;
        if let Some(share) = self.threshold {
            config.noise = Noise {
                tok_per_s: share,
                itl: share,
                ttft: share,
            };
        }
        let mut metrics = Vec::new();
        for name in &self.metric {
            if !metrics.contains(&name.metric()) {
                metrics.push(name.metric());
            }
        }
        let report = match (self.a.is_dir(), self.b.is_dir()) {
            (false, false) => self.files(&config, metrics)?,
            (true, true) => self.folders(&config, metrics)?,
            _ => {
                return Err(Failure::Usage(
                    "A and B must both be run files, or both folders".to_owned(),
                ));
            }
        };
        let mut out = anstream::stdout();
        let written = match self.format {
            Format::Text => out.write_all(text::text(&report, width()).as_bytes()),
            Format::Markdown => out.write_all(markdown::markdown(&report).as_bytes()),
            Format::Json => out.write_all(json(&report).as_bytes()),
        };
        match written {
            // Whoever reads no further has seen enough.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
            other => other?,
        }
        // The list of documents has no place for them.
        if let (Format::Json, Some(unpaired)) = (self.format, &report.unpaired) {
            for (names, side) in [(&unpaired.only_a, "A"), (&unpaired.only_b, "B")] {
                for name in names {
                    report::warning(&format!("{name} is only in {side}, without a partner"));
                }
            }
        }
        for comparison in &report.comparisons {
            if self.fail_on.contains(&FailOn::Worse) && !can_be_judged(comparison, &report.metrics)
            {
                report::warning(&format!(
                    "{} and {} have no valid cell in common by which one could be worse",
                    comparison.a.title, comparison.b.title
                ));
            }
        }
        if self.fail_on.iter().any(|when| met(*when, &report)) {
            // In a folder of many, which ones.
            for pair in report
                .comparisons
                .iter()
                .filter(|_| report.unpaired.is_some())
            {
                for when in &self.fail_on {
                    if meets(*when, pair, &report.metrics) {
                        let what = match when {
                            FailOn::Worse => "worse",
                            FailOn::Lost => "cells lost",
                        };
                        report::warning(&format!("{} ({}): {what}", pair.b.title, pair.b.slug));
                    }
                }
            }
            return Err(Failure::Content);
        }
        Ok(())
    }

    fn files(&self, config: &Config, metrics: Vec<DeltaMetric>) -> Result<Report, Failure> {
        let runs = load(&[self.a.clone(), self.b.clone()], config)?;
        let [a, b] = runs.as_slice() else {
            return Err(Failure::Usage("there must be two runs".to_owned()));
        };
        let (Some(a), Some(b)) = (a, b) else {
            return Err(Failure::Usage(
                "one of the files holds no run that can be compared".to_owned(),
            ));
        };
        Ok(Report {
            comparisons: vec![Comparison::of_runs(&a.run, &b.run, &config.noise)],
            metrics,
            unpaired: None,
        })
    }

    fn folders(&self, config: &Config, metrics: Vec<DeltaMetric>) -> Result<Report, Failure> {
        let mut sides = Vec::new();
        for folder in [&self.a, &self.b] {
            let files = pairs::run_files(folder, &config.ignore)?;
            let paths: Vec<PathBuf> = files.iter().map(|f| folder.join(f)).collect();
            let loaded = load(&paths, config)?;
            let found: Vec<Found> = files
                .into_iter()
                .zip(loaded)
                .filter_map(|(file, run)| {
                    Some(Found {
                        file,
                        run: run?.run,
                    })
                })
                .collect();
            if found.is_empty() {
                return Err(Failure::Usage(format!(
                    "there is no run in {}",
                    folder.display()
                )));
            }
            sides.push(found);
        }
        let [a, b] = sides.as_slice() else {
            return Err(Failure::Usage("there must be two folders".to_owned()));
        };
        let Pairing {
            pairs,
            only_a,
            only_b,
        } = pairs::pair(a, b);
        let mut comparisons: Vec<Comparison> = pairs
            .iter()
            .filter_map(|(i, j)| {
                let (a, b) = (a.get(*i)?, b.get(*j)?);
                let (a, b) = (Subject::of(&a.run), Subject::of(&b.run));
                Some(Comparison::of(&a, &b, &config.noise))
            })
            .collect();
        // What a reader must not miss comes first: worse, then lost, then what differs the most.
        comparisons.sort_by(|x, y| {
            let key = |comparison: &Comparison| {
                (
                    !is_worse(comparison, &metrics),
                    !has_lost(comparison),
                    -farthest(comparison, &metrics),
                )
            };
            let ((worse, lost, far), (worse_y, lost_y, far_y)) = (key(x), key(y));
            (worse, lost)
                .cmp(&(worse_y, lost_y))
                .then(far.total_cmp(&far_y))
        });
        let names = |of: &[Found], which: &[usize]| -> Vec<String> {
            which
                .iter()
                .filter_map(|i| Some(of.get(*i)?.name()))
                .collect()
        };
        Ok(Report {
            comparisons,
            metrics,
            unpaired: Some(Unpaired {
                only_a: names(a, &only_a),
                only_b: names(b, &only_b),
            }),
        })
    }
}

/// Reads run files; `None` for those that are known to be no run, which a warning names.
fn load(files: &[PathBuf], config: &Config) -> Result<Vec<Option<LoadedRun>>, Failure> {
    let redactor = build::redactor(config)?;
    let redact = |run: &mut Run, names: &[String]| {
        redactor.run(run, names);
    };
    let mut runs = Vec::new();
    let mut problems = Vec::new();
    for file in files {
        let (run, found) = content::load_file(file, config, &redact)?;
        runs.push(run);
        problems.extend(found);
    }
    let problems = sorted(problems);
    report::problems(&problems, &redactor);
    if problems.iter().any(|p| p.severity() == Severity::Error) {
        return Err(Failure::Printed);
    }
    Ok(runs)
}

/// The width to print for: that of the terminal; 80 columns into a file or a pipe.
fn width() -> usize {
    const WITHOUT_TERMINAL: usize = 80;
    if !std::io::stdout().is_terminal() {
        return WITHOUT_TERMINAL;
    }
    let found = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    found.filter(|w| *w >= 40).unwrap_or(WITHOUT_TERMINAL)
}

fn json(report: &Report) -> String {
    match (&report.unpaired, report.comparisons.as_slice()) {
        (None, [only]) => only.to_json(),
        (_, many) => document::list_to_json(many),
    }
}

/// The phase that a metric of the command line is looked for in.
fn phase(comparison: &Comparison, metric: DeltaMetric) -> &PhaseComparison {
    match metric {
        DeltaMetric::Prefill => &comparison.prefill,
        _ => &comparison.decode,
    }
}

fn can_be_judged(comparison: &Comparison, metrics: &[DeltaMetric]) -> bool {
    metrics.iter().any(|metric| {
        let found = phase(comparison, *metric).metric(*metric);
        found.is_some_and(|found| found.valid.n > 0)
    })
}

/// Whether B is worse by one of these metrics.
fn is_worse(comparison: &Comparison, metrics: &[DeltaMetric]) -> bool {
    let worse = |metric: &DeltaMetric| {
        let found = phase(comparison, *metric).metric(*metric);
        found.is_some_and(crate::compare::MetricComparison::is_worse)
    };
    metrics.iter().any(worse)
}

/// Whether B lost a cell, in any phase.
fn has_lost(comparison: &Comparison) -> bool {
    let lost = |phase: &Phase| comparison.phase(*phase).counts.lost > 0;
    Phase::ALL.iter().any(lost)
}

/// How far the geometric means of these metrics are from 1 at most, as |ln|.
fn farthest(comparison: &Comparison, metrics: &[DeltaMetric]) -> f64 {
    let far = |metric: &DeltaMetric| {
        let found = phase(comparison, *metric).metric(*metric)?;
        Some(found.valid.means?.geometric_mean.ln().abs())
    };
    metrics.iter().filter_map(far).fold(0.0, f64::max)
}

/// Whether a condition of `--fail-on` is met by a pair.
fn meets(when: FailOn, comparison: &Comparison, metrics: &[DeltaMetric]) -> bool {
    match when {
        FailOn::Worse => is_worse(comparison, metrics),
        FailOn::Lost => has_lost(comparison),
    }
}

/// Whether a condition of `--fail-on` is met.
fn met(when: FailOn, report: &Report) -> bool {
    let unpaired = report.unpaired.as_ref();
    let lost_runs = unpaired.is_some_and(|unpaired| !unpaired.only_a.is_empty());
    let mut pairs = report.comparisons.iter();
    (when == FailOn::Lost && lost_runs) || pairs.any(|pair| meets(when, pair, &report.metrics))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_is_a_share_or_in_percent() {
        assert_eq!(share("7%"), Ok(0.07));
        assert_eq!(share(" 2.5 %"), Ok(0.025));
        assert_eq!(share("0.07"), Ok(0.07));
        assert_eq!(share("0"), Ok(0.0));
        for wrong in ["7", "100%", "-1%", "x", "", "NaN", "inf"] {
            assert!(share(wrong).is_err(), "{wrong}");
        }
    }
}
