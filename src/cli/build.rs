//! `gen build`: content → site → bytes → output folder.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use rayon::prelude::*;

use super::{Failure, report};
use crate::config::{self, Config, ConfigError};
use crate::content::{self, Content};
use crate::diagnostic::{Severity, counts, sorted};
use crate::output::{OutputPlace, Stage, Written};
use crate::redact::{Hidden, Redactor};
use crate::render::{Templates, left_out, render, site_files, templates::DEFAULT_STATIC};
use crate::run::Run;
use crate::site::{Outputs, Site, SiteFacts};

/// Builds the site.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The site's folder: content/, and site.toml if there is one.
    #[arg(long, default_value = ".", value_name = "FOLDER")]
    root: PathBuf,
    /// Where the site goes [default: public in the site's folder].
    #[arg(long, value_name = "FOLDER")]
    output: Option<PathBuf>,
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
        let (content, hidden) = load_content(&self.root, &config, &redactor)?;
        let problems = sorted(content.problems);
        report::problems(&problems, &redactor);
        let counts = counts(&problems);
        let count = |severity| counts.get(&severity).copied().unwrap_or_default();
        let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
        if errors > 0 || (self.strict && warnings > 0) {
            report::failed(errors, warnings, self.strict);
            return Err(Failure::Content);
        }
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
        let written = write_site(&site, &place)?;
        for what in &written.remains {
            report::warning(what);
        }
        if !self.quiet {
            if let Some(note) = left_out(&site) {
                report::line(&note);
            }
            report::line(&format!(
                "{} in {}: {} written, {} unchanged, {} removed, {}{}, {:.2} s",
                report::counted(site.runs.len(), "run"),
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

/// Renders all pages into a stage and exchanges it with the output folder.
fn write_site(site: &Site, place: &OutputPlace) -> Result<Written, Failure> {
    let templates = Templates::default_theme()?;
    let stage = Stage::begin(place)?;
    site.pages()
        .par_iter()
        .try_for_each(|page| -> Result<(), Failure> {
            for file in render(site, *page, &templates)? {
                stage.write(&file.path, &file.bytes)?;
            }
            Ok(())
        })?;
    for file in site_files(site) {
        stage.write(&file.path, &file.bytes)?;
    }
    for (name, bytes) in DEFAULT_STATIC {
        stage.write(name, bytes)?;
    }
    Ok(stage.commit()?)
}
