//! `gen build`: content → site → bytes → output folder.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::progress::Progress;
use super::publish::{NotWritten, publish};
use super::{Failure, report};
use crate::config::{self, Config, ConfigError};
use crate::content::{self, Content};
use crate::diagnostic::{Diagnostic, Severity, counts, sorted};
use crate::output::OutputPlace;
use crate::redact::{Hidden, Redactor};
use crate::render::{Templates, left_out};
use crate::run::Run;
use crate::run::serving::Budgets;
use crate::site::{Outputs, Site, SiteFacts};
use crate::theme::{Theme, ThemeError};

/// Builds the site.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The site's folder: content/, and site.toml if there is one.
    #[arg(long, default_value = ".", value_name = "FOLDER")]
    root: PathBuf,
    /// Where the site goes [default: public in the site's folder].
    #[arg(long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// How pages look: "default", or a folder in themes/ [default: the theme of site.toml].
    #[arg(long, value_name = "NAME")]
    theme: Option<String>,
    /// Publish drafts, too, each with a mark on its page.
    #[arg(long)]
    drafts: bool,
    /// Name index.html in links, so that the site opens from a disk, an archive or a mail.
    #[arg(long)]
    portable: bool,
    /// Warnings fail the build, too.
    #[arg(long)]
    strict: bool,
    /// How many threads work at once [default: one for each core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Print problems only.
    #[arg(long, short)]
    quiet: bool,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let started = Instant::now();
        let mut pool = rayon::ThreadPoolBuilder::new();
        if let Some(jobs) = self.jobs {
            pool = pool.num_threads(jobs.into());
        }
        pool.build()?.install(|| self.build(started))
    }

    fn build(&self, started: Instant) -> Result<(), Failure> {
        let config = load_config(&self.root)?;
        let redactor = redactor(&config)?;
        let progress = Progress::begin(self.quiet);
        let (templates, mut problems) = self.templates(&config)?;
        let (mut content, mut hidden) = load_content(&self.root, &config, &redactor, &progress)?;
        problems.append(&mut content.problems);
        let mut facts = SiteFacts {
            portable: self.portable,
            ..site_facts(&config)
        };
        redact_site(&mut facts, &content, &redactor, &mut hidden);
        let site = match Site::plan(facts, content, self.drafts) {
            Ok(site) => {
                problems.extend(site.warnings.iter().cloned());
                Some(site)
            }
            Err(wrong) => {
                problems.extend(wrong);
                None
            }
        };
        let problems = sorted(problems);
        let counts = counts(&problems);
        let count = |severity| counts.get(&severity).copied().unwrap_or_default();
        let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
        let failed = errors > 0 || (self.strict && warnings > 0);
        let (Some(site), Some(templates)) = (site, templates.filter(|_| !failed)) else {
            drop(progress);
            report::problems(&problems, &redactor);
            report::failed(errors, warnings, self.strict);
            return Err(Failure::Content);
        };
        let place = OutputPlace {
            output: self
                .output
                .clone()
                .unwrap_or_else(|| self.root.join("public")),
            root: self.root.clone(),
            content: self.root.join("content"),
        };
        let published = publish(&site, &templates, &place, &progress);
        drop(progress);
        report::problems(&problems, &redactor);
        let written = match published {
            Ok(written) => written,
            Err(NotWritten::Problems(found)) => {
                let found = sorted(found);
                report::problems(&found, &redactor);
                report::failed(found.len(), warnings, self.strict);
                return Err(Failure::Content);
            }
            Err(NotWritten::Output(error)) => return Err(error.into()),
        };
        for what in &written.remains {
            report::warning(what);
        }
        if !self.quiet {
            if let Some(note) = left_out(&site) {
                report::line(&note);
            }
            report::line(&format!(
                "{}, {} in {}: {} written, {} unchanged, {} removed, {}{}, {:.2} s",
                report::counted(site.runs.len(), "run"),
                report::counted(site.pages().len(), "page"),
                place.output.display(),
                report::counted(written.written, "file"),
                written.unchanged,
                written.removed,
                report::counted(warnings, "warning"),
                report::hidden(&hidden),
                started.elapsed().as_secs_f64()
            ));
        }
        Ok(())
    }

    /// The templates of the theme that is asked for, with what is wrong in them. Without an error
    /// among the problems, there are templates.
    fn templates(&self, config: &Config) -> Result<(Option<Templates>, Vec<Diagnostic>), Failure> {
        let name = self.theme.as_deref().unwrap_or(&config.theme);
        let theme = match Theme::load(&self.root, name) {
            Ok(theme) => theme,
            Err(ThemeError::Wrong(problems)) => return Ok((None, problems)),
            Err(error) => return Err(error.into()),
        };
        let mut problems = theme.warnings.clone();
        let templates = match Templates::new(theme) {
            Ok(templates) => Some(templates),
            Err(error) => {
                problems.extend(error.0);
                None
            }
        };
        Ok((templates, problems))
    }
}

/// Reads site.toml and prints what is wrong in it.
pub(super) fn load_config(root: &std::path::Path) -> Result<Config, Failure> {
    match config::load(root) {
        Ok(config) => Ok(config),
        Err(ConfigError::Wrong(problems)) => {
            report::problems(&sorted(problems), &Redactor::new(&[], &[])?);
            Err(Failure::Printed)
        }
        Err(unreadable) => Err(unreadable.into()),
    }
}

/// The redactor that site.toml asks for.
pub(super) fn redactor(config: &Config) -> Result<Redactor, Failure> {
    let patterns: Vec<String> = config
        .redact
        .patterns
        .iter()
        .map(ToString::to_string)
        .collect();
    Ok(Redactor::new(&patterns, &config.redact.keep)?)
}

fn load_content(
    root: &std::path::Path,
    config: &Config,
    redactor: &Redactor,
    progress: &Progress,
) -> Result<(Content, Hidden), Failure> {
    let hidden = Mutex::new(Hidden::default());
    let redact = |run: &mut Run, names: &[String]| {
        let found = redactor.run(run, names);
        // Values that a message quotes are redacted as runs of their own, without a source.
        if !run.source.path.is_empty() {
            let mut hidden = hidden.lock().unwrap_or_else(PoisonError::into_inner);
            hidden.merge(&found);
        }
    };
    let mut content = content::load(root, config, &redact).map_err(|error| {
        progress.clear();
        report::error(&error.to_string());
        report::line(&format!("help: {}", error.help()));
        Failure::Printed
    })?;
    let mut hidden = hidden.into_inner().unwrap_or_else(PoisonError::into_inner);
    redact_prose(&mut content, redactor, &mut hidden);
    Ok((content, hidden))
}

/// Hides in prose what is hidden in runs, the names of all their machines among it.
fn redact_prose(content: &mut Content, redactor: &Redactor, hidden: &mut Hidden) {
    let names = private_names(content);
    let written = content.comparisons.iter_mut().map(|file| &mut file.prose);
    for file in content.prose.iter_mut().chain(written) {
        let texts = [&mut file.title, &mut file.description];
        for text in texts.into_iter().flatten().chain([&mut file.body]) {
            let redacted = redactor.text(text, &names);
            hidden.add(&redacted.found);
            *text = redacted.text;
        }
    }
}

/// Hides in what site.toml says what is hidden in runs.
fn redact_site(facts: &mut SiteFacts, content: &Content, redactor: &Redactor, hidden: &mut Hidden) {
    let names = private_names(content);
    let texts = [
        &mut facts.title,
        &mut facts.description,
        &mut facts.author,
        &mut facts.license,
        &mut facts.repository,
    ];
    let budgets = facts.budgets.0.iter_mut().map(|budget| &mut budget.name);
    for text in texts.into_iter().chain(budgets) {
        let redacted = redactor.text(text, &names);
        hidden.add(&redacted.found);
        *text = redacted.text;
    }
}

/// The names of the machines of all runs.
fn private_names(content: &Content) -> Vec<String> {
    let names: BTreeSet<&String> = content
        .runs
        .iter()
        .flat_map(|run| &run.private_names)
        .collect();
    names.into_iter().cloned().collect()
}

fn site_facts(config: &Config) -> SiteFacts {
    SiteFacts {
        title: config.title.clone(),
        description: config.description.clone().unwrap_or_default(),
        base_url: config.base_url.clone(),
        author: config.author.clone().unwrap_or_default(),
        license: config.license.clone().unwrap_or_default(),
        repository: config.repository.clone().unwrap_or_default(),
        portable: false,
        noise: config.noise,
        outputs: Outputs {
            markdown: config.output.markdown,
            json: config.output.json,
            csv: config.output.csv,
            comparisons: config.output.comparisons,
            charts: config.output.charts,
        },
        budgets: Budgets(config.budgets.clone()),
        prices: config.prices.clone(),
        nearest: config.compare.nearest,
        names: crate::run::names::Names::of(&config.names),
    }
}
