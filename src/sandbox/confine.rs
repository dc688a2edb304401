//! What the program does to itself before it becomes a job where bubblewrap cannot be had: landlock for files, seccomp
//! for system calls, no capability, and a supervisor that ends what the job leaves behind.
//!
//! Both rule sets bind the calling process for ever, so they are laid on in a process of their own: this program,
//! started again with a hidden command.

use super::filter::{self, Around};
use super::relay::{self, Door};
use super::tree;
use landlock::{
    ABI, Access, AccessFs, AccessNet, NetPort, Ruleset, RulesetAttr, RulesetCreatedAttr, Scope, path_beneath_rules,
};
use nix::sys::signal::Signal;
use serde::{Deserialize, Serialize};
use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitCode, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Name of the hidden command.
pub const COMMAND: &str = "confine";
/// The newest rules this program knows; the kernel takes what it knows of them.
const NEWEST: ABI = ABI::V9;
/// How long what a job left behind is chased.
const CHASE: Duration = Duration::from_secs(10);
/// Devices without state that every program expects.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// Whether the running program knows the hidden command.
static KNOWN: AtomicBool = AtomicBool::new(false);

/// Says that the running program knows the hidden command, whatever its file is called.
pub fn know() {
    KNOWN.store(true, Ordering::Relaxed);
}

pub(super) fn is_known_here() -> bool {
    KNOWN.load(Ordering::Relaxed)
}

/// What a confined program may use.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Rules {
    /// Files and folders it may read and execute.
    pub(super) read: Vec<String>,
    /// Files and folders it may write.
    pub(super) write: Vec<String>,
    /// Whether it may open sockets.
    pub(super) network: bool,
    /// Port of the one server that it may reach without network.
    pub(super) door: Option<u16>,
    /// Descriptor of a pipe whose other end lives as long as the program that asked; only for the supervisor.
    pub(super) lifeline: Option<i32>,
}

/// What the hidden command is asked to do.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum HelperTask {
    /// To confine a program.
    Confine(Rules),
    /// To let a program in a network space of its own reach one server.
    Relay(Door),
}

impl HelperTask {
    /// The command line that does it to `words`.
    pub(super) fn line(&self, program: &str, words: impl IntoIterator<Item = String>) -> Vec<String> {
        let task = serde_json::to_string(self).unwrap_or_default();
        let line = [program.to_owned(), COMMAND.to_owned(), task, "--".to_owned()];
        line.into_iter().chain(words).collect()
    }
}

/// Runs the hidden command: what is asked as JSON, then a program with its arguments. Supervises when the rules name a
/// lifeline, else lays the rules on itself and becomes the program.
///
/// # Errors
/// The rules cannot be read or laid on, or the program cannot be started.
pub fn enter(rules: &str, words: &[String]) -> io::Result<ExitCode> {
    let done = match serde_json::from_str(rules)? {
        HelperTask::Relay(door) => relay::run(&door, words),
        HelperTask::Confine(rules) => match rules.lifeline {
            Some(descriptor) => supervise(rules, descriptor, words),
            None => become_program(&rules, words),
        },
    };
    let program = words.first().map_or("nothing", String::as_str);
    done.map_err(|error| io::Error::new(error.kind(), format!("{program} cannot be confined: {error}")))
}

/// Starts the program confined, waits for its end or for that of whoever asked, and kills all that is left.
fn supervise(mut rules: Rules, lifeline: i32, words: &[String]) -> io::Result<ExitCode> {
    nix::sys::prctl::set_child_subreaper(true)?;
    let mut asker = std::fs::File::open(format!("/proc/self/fd/{lifeline}"))?;
    std::thread::spawn(move || {
        // Nobody writes: the read ends when the other side is gone.
        let _ = asker.read(&mut [0]);
        end_descendants();
        std::process::exit(137);
    });
    rules.lifeline = None;
    let program = std::env::current_exe()?;
    let line = HelperTask::Confine(rules).line(&program.to_string_lossy(), words.iter().cloned());
    let status = Command::new(&line[0]).args(&line[1..]).spawn()?.wait()?;
    end_descendants();
    ended_as(status)
}

/// Ends this process as another ended.
pub(super) fn ended_as(status: ExitStatus) -> io::Result<ExitCode> {
    if let Some(signal) = status.signal().and_then(|number| Signal::try_from(number).ok()) {
        // Ends as the program did; a signal that can be survived leaves the code below.
        nix::sys::signal::raise(signal)?;
    }
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(137)))
}

/// Kills everything below this process. Orphans come back to it, so nothing can leave the tree.
fn end_descendants() {
    let own = std::process::id().cast_signed();
    let begin = Instant::now();
    while begin.elapsed() < CHASE {
        let below: Vec<i32> = tree::members(own).into_iter().filter(|&pid| pid != own).collect();
        if below.is_empty() {
            return;
        }
        for pid in below {
            // One that is gone already is what is wanted.
            let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), Signal::SIGKILL);
        }
        let flags = Some(nix::sys::wait::WaitPidFlag::WNOHANG);
        while nix::sys::wait::waitpid(None, flags).is_ok_and(|status| status.pid().is_some()) {}
    }
}

fn become_program(rules: &Rules, words: &[String]) -> io::Result<ExitCode> {
    nix::sys::prctl::set_pdeathsig(Signal::SIGKILL)?;
    // Without the session of whoever started this program there is no terminal to type into. A leader of a group has
    // none of its own; only the probe at the start can be one, and it types nothing.
    let _ = nix::unistd::setsid();
    restrict_files(rules).map_err(io::Error::other)?;
    for program in filter::programs(Around { is_alone: false, network: rules.network, door: rules.door.is_some() })? {
        seccompiler::apply_filter(&program).map_err(io::Error::other)?;
    }
    let Some((program, args)) = words.split_first() else { return Err(io::ErrorKind::InvalidInput.into()) };
    Err(Command::new(program).args(args).exec())
}

fn restrict_files(rules: &Rules) -> Result<(), landlock::RulesetError> {
    let mut ruleset = Ruleset::default().handle_access(AccessFs::from_all(NEWEST))?.scope(Scope::from_all(NEWEST))?;
    if !rules.network {
        ruleset = ruleset.handle_access(AccessNet::from_all(NEWEST))?;
    }
    let devices = AccessFs::from_file(NEWEST) & !AccessFs::Execute;
    let everything = AccessFs::from_all(NEWEST) & !(AccessFs::MakeBlock | AccessFs::MakeChar);
    let mut created = ruleset.create()?;
    if let Some(port) = rules.door {
        created = created.add_rule(NetPort::new(port, AccessNet::ConnectTcp))?;
    }
    created
        .add_rules(path_beneath_rules(&rules.read, AccessFs::from_read(NEWEST)))?
        .add_rules(path_beneath_rules(DEVICES, devices))?
        .add_rules(path_beneath_rules(&rules.write, everything))?
        .restrict_self()?;
    Ok(())
}

/// The version of landlock that this kernel offers, by laying an empty rule set on a thread that ends at once.
pub(super) fn kernel_version() -> u32 {
    let probe = || -> Option<u32> {
        let made = Ruleset::default().handle_access(AccessFs::Execute).ok()?.create().ok()?;
        match made.restrict_self().ok()?.landlock {
            landlock::LandlockStatus::Available { effective_abi, .. } => Some(effective_abi as u32),
            _ => None,
        }
    };
    std::thread::spawn(probe).join().ok().flatten().unwrap_or(0)
}
