//! The `unidebug` program: parse, run, exit code. Everything else is the library's.

use std::process::ExitCode;

fn main() -> ExitCode {
    unidebug::cli::main()
}
