//! The command line: typed arguments become meaning here and go no further. The only room that prints: data goes to
//! stdout, everything else to stderr.

mod apply;
mod args;
mod bench;
mod bugs;
mod choice;
mod completions;
mod conditions;
mod config;
mod config_init;
mod config_reference;
mod config_show;
mod crash;
mod doctor;
mod dry_run;
mod effect;
mod endpoint;
mod error;
mod event_sinks;
mod external;
mod failpoints;
mod findings;
mod finish;
mod flags;
mod frozen;
mod help;
mod init;
mod inspect;
mod interrupt;
mod issue;
mod judge;
mod log;
mod man;
mod mcp;
mod models;
mod next;
mod open;
mod part;
mod prices;
mod progress;
mod replay;
mod report;
mod requirements;
mod resume;
mod retrieval;
mod run;
mod run_all;
mod run_report;
mod runs;
mod scratch;
mod self_test;
mod session;
mod sources;
mod strategy;
mod tool;
mod triage;
mod width;

use args::{Cli, Command, ConfigCommand, PricesCommand};
use clap::{CommandFactory, FromArgMatches};
use error::Failure;
use std::io::Write;
use std::process::ExitCode;

/// Parses the command line, runs the command, prints its error, and gives its exit code.
pub fn main() -> ExitCode {
    let json = wants_json();
    let parsed = help::shortened(Cli::command()).try_get_matches();
    let cli = match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => return usage(&error, json),
    };
    if let Command::Confine { rules, words } = &cli.command {
        // Before any thread starts: what is laid on binds this thread and what it becomes.
        return crate::sandbox::confine::enter(rules, words).unwrap_or_else(|error| {
            anstream::eprintln!("error: {error}");
            ExitCode::from(error::UNUSABLE)
        });
    }
    crate::sandbox::confine::know();
    crash::prepare();
    let outcome = log::start(cli.log.as_deref()).and_then(|()| {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Failure::io("the runtime cannot be started", &error))?;
        let outcome = runtime.block_on(interrupt::interruptible(dispatch(cli.command)));
        // What still blocks a thread is not waited for: an interruption means now.
        runtime.shutdown_background();
        outcome
    });
    match outcome {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            failure.print(json);
            ExitCode::from(failure.exit)
        }
    }
}

async fn dispatch(command: Command) -> Result<u8, Failure> {
    match command {
        Command::Run(args) => run::run(args).await,
        Command::Judge(args) => judge::judge(args).await,
        Command::Resume(args) => resume::resume(args).await,
        Command::Apply(args) => apply::apply(&args),
        Command::Runs(args) => runs::runs(&args),
        Command::Replay(args) => replay::replay(args).await,
        Command::Triage(args) => triage::triage(args).await,
        Command::Bugs(args) => bugs::list(&args),
        Command::Tool(args) => tool::tool(args).await,
        Command::Report(args) => report::report(args).await,
        Command::Inspect(args) => inspect::inspect(&args).await,
        Command::Bench(command) => bench::bench(command).await,
        Command::Mcp(args) => mcp::mcp(*args).await,
        Command::Doctor(args) => doctor::doctor(args).await,
        // Handled before anything was started.
        Command::Confine { .. } => Ok(0),
        Command::SelfTest(args) => self_test::self_test(&args).await,
        Command::Completions(args) => Ok(completions::completions(&args)),
        Command::Man(args) => man::man(&args),
        Command::Init => init::init().await,
        Command::Prices(PricesCommand::Update { list }) => prices::update(&list),
        Command::Config(ConfigCommand::Show(args)) => config_show::show(&args),
        Command::Config(ConfigCommand::Init) => config_init::init(),
        Command::Config(ConfigCommand::Reference) => Ok(config_reference::reference()),
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

/// Whether stdout is to end with one object, also where the command line could not be read.
fn wants_json() -> bool {
    std::env::args_os().any(|arg| arg == "--json")
}

/// Tells people something, on stderr. Whoever closed it does not want to know.
fn tell(line: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{line}");
}

/// Prints data to stdout. A closed pipe ends the output quietly.
fn print(text: &str) {
    let mut out = anstream::stdout().lock();
    let _ = out.write_all(text.as_bytes());
    let _ = out.flush();
}

/// Prints an object for programs, and the text for people beside it; the text alone where nobody wants the object.
fn print_either(object: Option<serde_json::Value>, text: &str) {
    match object {
        Some(object) => {
            tell(text.trim_end());
            print(&format!("{object}\n"));
        }
        None => print(text),
    }
}
