//! The program `gen`: nothing but the exit code.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    speedbook::cli::run()
}
