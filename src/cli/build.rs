//! `gen build`: content → site → bytes → output folder.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use rayon::prelude::*;

use super::progress::Progress;
use super::{Failure, report};
use crate::config::{self, Config, ConfigError};
use crate::content::{self, Content};
use crate::diagnostic::{Diagnostic, Severity, counts, sorted};
use crate::output::{OutputError, OutputPlace, Stage, Written};
use crate::redact::{Hidden, Redactor};
use crate::render::{TemplateError, Templates, left_out, render, site_files};
use crate::run::Run;
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
        let (content, hidden) = load_content(&self.root, &config, &redactor, &progress)?;
        problems.extend(content.problems);
        let counts = counts(&problems);
        let count = |severity| counts.get(&severity).copied().unwrap_or_default();
        let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
        let failed = errors > 0 || (self.strict && warnings > 0);
        let Some(templates) = templates.filter(|_| !failed) else {
            drop(progress);
            report::problems(&sorted(problems), &redactor);
            report::failed(errors, warnings, self.strict);
            return Err(Failure::Content);
        };
        let runs: Vec<Run> = content.runs.into_iter().map(|loaded| loaded.run).collect();
        let site = Site::new(site_facts(&config), runs);
        let place = OutputPlace {
            output: self
                .output
                .clone()
                .unwrap_or_else(|| self.root.join("public")),
            root: self.root.clone(),
            content: self.root.join("content"),
        };
        let written = write_site(&site, &templates, &place, &progress);
        drop(progress);
        let written = match written {
            Ok(written) => {
                report::problems(&sorted(problems), &redactor);
                written
            }
            Err(NotWritten::Templates(error)) => {
                let errors = error.0.len();
                problems.extend(error.0);
                report::problems(&sorted(problems), &redactor);
                report::failed(errors, warnings, self.strict);
                return Err(Failure::Content);
            }
            Err(NotWritten::Output(error)) => {
                report::problems(&sorted(problems), &redactor);
                return Err(error.into());
            }
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
    let content = content::load(root, config, &redact).map_err(|error| {
        progress.clear();
        report::error(&error.to_string());
        report::line(&format!("help: {}", error.help()));
        Failure::Printed
    })?;
    Ok((
        content,
        hidden.into_inner().unwrap_or_else(PoisonError::into_inner),
    ))
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
        },
    }
}

/// Why there is no new site.
enum NotWritten {
    /// What is wrong with the templates.
    Templates(TemplateError),
    /// The output folder.
    Output(OutputError),
}

impl From<OutputError> for NotWritten {
    fn from(error: OutputError) -> Self {
        NotWritten::Output(error)
    }
}

/// Renders all pages into a stage and exchanges it with the output folder.
fn write_site(
    site: &Site,
    templates: &Templates,
    place: &OutputPlace,
    progress: &Progress,
) -> Result<Written, NotWritten> {
    let stage = Stage::begin(place)?;
    let pages = site.pages();
    progress.pages(pages.len());
    // A page that cannot be made stops no other, so that all problems are told at once.
    let wrong: Vec<TemplateError> = pages
        .par_iter()
        .map(|page| -> Result<Option<TemplateError>, OutputError> {
            let files = match render(site, *page, templates) {
                Ok(files) => files,
                Err(error) => return Ok(Some(error)),
            };
            for file in files {
                stage.write(&file.path, &file.bytes)?;
            }
            progress.page();
            Ok(None)
        })
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .flatten()
        .collect();
    if !wrong.is_empty() {
        return Err(NotWritten::Templates(TemplateError::once_each(wrong)));
    }
    let assets = &templates.theme().assets;
    for asset in assets.values() {
        stage.write(&asset.path, &asset.bytes)?;
    }
    // A theme may bring an icon of its own.
    let is_asset = |path: &str| assets.values().any(|asset| asset.path == path);
    for file in site_files(site) {
        if !is_asset(&file.path) {
            stage.write(&file.path, &file.bytes)?;
        }
    }
    Ok(stage.commit()?)
}
