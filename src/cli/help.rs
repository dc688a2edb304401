//! Short and long help: `-h` shows what is needed on the first day, `--help` everything.

use clap::Command;

/// Flags that `-h` shows; all others only `--help` does.
const COMMON: &[&str] = &[
    "bug", "bugs", "run", "failing", "model", "base_url", "max_cost", "max_time", "levels", "strategy", "build",
    "test", "apply", "all", "dry_run", "json", "quiet", "format", "top", "root", "help", "name", "args",
];
/// Flags of commands themselves.
const OWN: &[&str] = &["dry_run", "show_prompts", "all", "out", "apply", "json", "quiet", "top", "format"];
/// Commands that take the settings of a run.
const LONG: &[&str] = &["run", "triage", "doctor", "tool"];

/// The command line with its rarer flags left out of `-h`.
pub fn shortened(mut command: Command) -> Command {
    for name in LONG {
        command = command.mut_subcommand(name, rarer_hidden);
    }
    command.mut_subcommand("config", |config| config.mut_subcommand("show", rarer_hidden))
}

fn rarer_hidden(command: Command) -> Command {
    command.mut_args(|arg| {
        let common = COMMON.contains(&arg.get_id().as_str());
        // A command's own flags stand behind the settings, under none of their headings.
        let arg = if OWN.contains(&arg.get_id().as_str()) { arg.help_heading("This command") } else { arg };
        if common { arg } else { arg.hide_short_help(true) }
    })
}

/// Behind the flags of `run`.
pub const RUN: &str = "\
Examples:
  unidebug run fixtures:roman-numerals                a bug that comes with the program
  unidebug run path/to/project                        repair what fails; your files are not touched
  unidebug run path/to/project --failing ShopTest     only this test class
  unidebug run path/to/project --model gpt-4o-mini --max-cost 0.50
  unidebug run path/to/project --model qwen3 --base-url http://127.0.0.1:8080/v1
  unidebug apply last                                 write the patch into the project

`-h` shows the usual flags, `--help` all of them.";

/// Behind those of `resume`.
pub const RESUME: &str = "\
Examples:
  unidebug resume last --max-time 5m                  go on after the time was up
  unidebug resume last --max-cost 2                   go on after the money was spent
  unidebug resume last --apply                        apply what a finished run found";

/// Behind those of `triage`.
pub const TRIAGE: &str = "\
Examples:
  unidebug triage path/to/project                     where to look first
  unidebug triage path/to/project --format github     annotations for a build
  unidebug triage 'fixtures:*' --json                 many bugs, for programs

`-h` shows the usual flags, `--help` all of them.";
