//! The command line: one file a command. Parses, calls the steps in order, prints, and turns what
//! happened into an exit code. The only place that prints.

mod build;
mod diff;
mod import;
mod progress;
mod publish;
mod report;
mod schema;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Publishes LLM speed tests: run files in, a static website out.
#[derive(Debug, Parser)]
#[command(name = "gen", version, about, propagate_version = true, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str =
    "Exit codes: 0 fine, 1 something in the content is wrong, 2 wrong use, configuration or I/O.";

#[derive(Debug, Subcommand)]
enum Command {
    Build(build::Args),
    Diff(diff::Args),
    Import(import::Args),
    Schema(schema::Args),
}

/// Why a command ended without success.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Something in the content is wrong; it has been printed.
    Content,
    /// Wrong use, configuration or I/O: what to tell the user.
    Usage(String),
    /// As [`Failure::Usage`], already printed.
    Printed,
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure::Usage(error.to_string())
    }
}

/// Runs the program with the arguments of the process.
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    let result = match cli.command {
        Command::Build(args) => args.run(),
        Command::Diff(args) => args.run(),
        Command::Import(args) => args.run(),
        Command::Schema(args) => args.run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Content) => ExitCode::from(1),
        Err(Failure::Printed) => ExitCode::from(2),
        Err(Failure::Usage(message)) => {
            report::error(&message);
            ExitCode::from(2)
        }
    }
}
