//! Short and long help: `-h` shows what is needed on the first day, `--help` everything.

use super::flags::Settings;
use clap::{Args, Command};

/// Flags that `-h` shows; all others only `--help` does.
const COMMON: &[&str] = &[
    "bug", "bugs", "run", "failing", "model", "base_url", "max_cost", "max_time", "levels", "strategy", "build",
    "test", "apply", "all", "dry_run", "json", "quiet", "format", "top", "root", "help", "name", "args", "patch",
    "since", "http",
];
/// Commands that take the settings of a run.
const LONG: &[&str] = &["run", "triage", "judge", "doctor", "tool", "mcp"];

/// The command line with its rarer flags left out of `-h`.
pub(super) fn shortened(mut command: Command) -> Command {
    for name in LONG {
        command = command.mut_subcommand(name, rarer_hidden);
    }
    command.mut_subcommand("config", |config| config.mut_subcommand("show", rarer_hidden))
}

fn rarer_hidden(command: Command) -> Command {
    let settings = Settings::augment_args(Command::default());
    command.mut_args(|arg| {
        let common = COMMON.contains(&arg.get_id().as_str());
        // A command's own flags stand behind the settings, under none of their headings.
        let own = !arg.is_positional() && settings.get_arguments().all(|setting| setting.get_id() != arg.get_id());
        let arg = if own { arg.help_heading("This command") } else { arg };
        if common { arg } else { arg.hide_short_help(true) }
    })
}

/// Behind the flags of `run`.
pub(super) const RUN: &str = "\
Examples:
  unidebug run fixtures:roman-numerals                a bug that comes with the program
  unidebug run path/to/project                        repair what fails; your files are not touched
  unidebug run path/to/project --failing ShopTest     only this test class
  unidebug run path/to/project --model gpt-4o-mini --max-cost 0.50
  unidebug run path/to/project --model qwen3 --base-url http://127.0.0.1:8080/v1
  unidebug apply last                                 write the patch into the project

`-h` shows the usual flags, `--help` all of them.";

/// Behind those of `resume`.
pub(super) const RESUME: &str = "\
Examples:
  unidebug resume last --max-time 5m                  go on after the time was up
  unidebug resume last --max-cost 2                   go on after the money was spent
  unidebug resume last --apply                        apply what a finished run found";

/// Behind those of `judge`.
pub(super) const JUDGE: &str = "\
Examples:
  unidebug judge path/to/project --patch fix.diff     whether this patch is plausible
  git diff | unidebug judge path/to/project --patch -
  unidebug judge path/to/project --since HEAD~1       the same of your last commit

`-h` shows the usual flags, `--help` all of them.";

/// Behind those of `triage`.
pub(super) const TRIAGE: &str = "\
Examples:
  unidebug triage path/to/project                     where to look first
  unidebug triage path/to/project --format github     annotations for a build
  unidebug triage 'fixtures:*' --json                 many bugs, for programs

`-h` shows the usual flags, `--help` all of them.";

/// Behind those of `mcp`.
pub(super) const MCP: &str = "\
Examples:
  unidebug mcp --root path/to/projects                a host starts this and speaks on stdin and stdout
  unidebug mcp --root . --max-time 5m                 with `repair`, by the built-in engine
  unidebug mcp --root . --max-time 10m --model gpt-4o-mini --max-cost 0.50
  unidebug mcp --root . --http 8931                   at http://127.0.0.1:8931/mcp

`-h` shows the usual flags, `--help` all of them.";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::Cli;
    use clap::CommandFactory;

    /// Commands, and those below them, by their names.
    fn all(command: &Command, name: &str, found: &mut Vec<(String, Command)>) {
        for below in command.get_subcommands() {
            let name = format!("{name}{}", below.get_name());
            all(below, &format!("{name} "), found);
            found.push((name, below.clone()));
        }
    }

    #[test]
    fn every_flag_of_a_command_that_takes_settings_stands_under_a_heading_and_the_usual_ones_are_short_help() {
        let mut commands = Vec::new();
        all(&shortened(Cli::command()), "", &mut commands);
        let takes_settings = |command: &Command| command.get_arguments().any(|arg| arg.get_id() == "deny");
        let long: Vec<_> = commands.iter().filter(|(_, command)| takes_settings(command)).collect();
        assert!(long.len() > LONG.len(), "{} commands take settings", long.len());
        for (name, command) in &long {
            for arg in command.get_arguments().filter(|arg| !arg.is_positional()) {
                assert!(arg.get_help_heading().is_some(), "{name}: {}", arg.get_id());
            }
            let rare = command.get_arguments().find(|arg| arg.get_id() == "deny").unwrap();
            assert!(rare.is_hide_short_help_set(), "{name} shows everything in its short help");
        }
        let known = |name: &&&str| commands.iter().any(|(_, c)| c.get_arguments().any(|arg| arg.get_id() == **name));
        let unknown: Vec<_> = COMMON.iter().filter(|name| !known(name)).collect();
        assert_eq!(unknown, [&"help"], "clap adds it later");
    }
}
