//! The command line: typed arguments become meaning here and go no further. The only room that prints: data goes to
//! stdout, everything else to stderr.

mod args;
mod bench;
mod bugs;
mod config;
mod endpoint;
mod error;
mod failpoints;
mod finish;
mod flags;
mod frozen;
mod models;
mod open;
mod progress;
mod replay;
mod report;
mod resume;
mod run;
mod session;
mod telling;
mod tool;
mod way;

use args::{Cli, Command, ConfigCommand};
use clap::Parser;
use error::Failure;
use std::io::Write;
use std::process::ExitCode;

/// Parses the command line, runs the command, prints its error, and gives its exit code.
pub fn main() -> ExitCode {
    let json = std::env::args().any(|arg| arg == "--json");
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error, json),
    };
    let filter = tracing_subscriber::EnvFilter::new(cli.log.as_deref().unwrap_or("off"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    let outcome = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime.block_on(interruptible(cli.command)),
        Err(error) => Err(Failure::io("the runtime cannot be started", &error)),
    };
    match outcome {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            failure.print(json);
            ExitCode::from(failure.exit)
        }
    }
}

/// Ctrl-C ends the run; the sandbox's processes end with it, and the journal keeps what was written.
async fn interruptible(command: Command) -> Result<u8, Failure> {
    tokio::select! {
        outcome = dispatch(command) => outcome,
        _ = tokio::signal::ctrl_c() => Err(Failure::interrupted()),
    }
}

async fn dispatch(command: Command) -> Result<u8, Failure> {
    match command {
        Command::Run(args) => run::run(args).await,
        Command::Resume(args) => resume::resume(args).await,
        Command::Replay(args) => replay::replay(args).await,
        Command::Bugs(args) => bugs::list(&args),
        Command::Tool(args) => tool::tool(args).await,
        Command::Report(args) => report::report(&args),
        Command::Bench(command) => bench::bench(command).await,
        Command::Config(ConfigCommand::Show(args)) => config::show(&args),
    }
}

/// What clap says about a command line it cannot read; help and version are no errors.
fn usage(error: &clap::Error, json: bool) -> ExitCode {
    let wrong = error.use_stderr();
    if wrong && json {
        let text = error.to_string();
        // The first paragraph is the complaint; what follows is clap's own advice.
        let complaint: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
        let complaint = complaint.join(" ").trim_start_matches("error: ").to_owned();
        Failure::usage(complaint, "see `unidebug --help`").print(true);
    } else {
        // A closed pipe is the reader's choice.
        let _ = error.print();
    }
    ExitCode::from(if wrong { error::USAGE } else { 0 })
}

/// Prints data to stdout. A closed pipe ends the output quietly.
fn print(text: &str) {
    let mut out = anstream::stdout().lock();
    let _ = out.write_all(text.as_bytes());
    let _ = out.flush();
}
