//! The program `gen`: nothing but the exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    speedbook::cli::run()
}
