//! `unidebug completions SHELL`: what a shell needs to complete commands and flags.

use super::args::{Cli, CompletionsArgs};
use clap::CommandFactory;

/// Prints the script.
pub(super) fn completions(args: &CompletionsArgs) -> u8 {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "unidebug", &mut script);
    super::print(&String::from_utf8_lossy(&script));
    0
}
