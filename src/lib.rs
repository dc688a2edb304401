//! unidebug: from a bug id to a validated patch.
//!
//! It unifies two published systems: FixAgent's agents on levels decide *who thinks*, RepairAgent's tools, state machine
//! and middleware decide *how each of them works*. Both work with a language model, a recording, or the built-in engine.
//!
//! # The pipeline
//!
//! ```text
//! bug id → benchmark → Checkout → validate (baseline) → localize → escalate → agent (cycle: query → middleware → tool)
//!        → patch → validate (candidate, confirmation) → report
//! ```
//!
//! What is learnt goes one way, into the case file ([`domain::CaseFile`]); agents never talk to each other.
//!
//! # The rooms
//!
//! Imports point down only: seven crates that Cargo keeps apart (`src/base`, `src/sandbox`, `src/judge`, `src/model`,
//! `src/repair`, `src/language/c` and this one on top), and rooms inside them; `tests/architecture.rs` holds the table.
//!
//! | room | holds |
//! |---|---|
//! | [`cli`] | the command line: typed arguments become meaning and go no further; the only room that prints |
//! | [`batch`] | many runs: a frozen plan, units that are run directories, workers, clusters |
//! | [`report`] | readers of a run's events: terminal, JSON, tables and pages over many runs, walks and their exports |
//! | [`escalate`] | levels, their agents, stop at the first plausible patch |
//! | [`agent`] | profile, state machine, cycle, middleware, memory, evidence, policy, contracts |
//! | [`tools`] | what agents may do, one file a tool |
//! | [`retrieve`] | Helper's search in a corpus of repairs |
//! | [`templates`] | the built-in engine: fix templates and their search order |
//! | [`localize`] | failing tests, bug-located file, ranking of suspicious lines |
//! | [`validate`] | the judge: baseline, candidates, confirmation; `jvm/` and `python/` what differs by language |
//! | [`benchmark`] | where bugs come from: fixtures, QuixBugs, a folder of the user's |
//! | [`patch`] | formats in, context matching, apply, render, policy, comparison |
//! | [`twin`] | the same program under other names, in other words and another order |
//! | [`code`] | the code index of a checkout: outline, calls, keyword search |
//! | [`journal`] | the durable log of a run |
//! | [`llm`] | models behind one trait: endpoint, recording, prices, budgets; the only room that knows a vendor |
//! | [`prompt`] | loads and renders `prompts/`, strictly |
//! | [`language`] | what differs by programming language; the crate of C stands above the rooms whose tables it adds to |
//! | [`sandbox`] | the only room that starts processes |
//! | [`domain`] | plain data that everybody speaks |
//!
//! # As a library
//!
//! Put a bug on the bench with [`escalate::prepare::open`], build an escalator, repair.
//!
//! ```
//! use unidebug::benchmark::{Settings, find, parse_bug};
//! use unidebug::escalate::{Escalator, RunVerdict, prepare};
//! use unidebug::{domain::Level, patch, sandbox::{Choice, Sandbox}, validate::Options};
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let scratch = tempfile::tempdir()?;
//! # let folder = camino::Utf8Path::from_path(scratch.path()).ok_or("no UTF-8")?;
//! # std::fs::create_dir_all(folder.join("bug"))?;
//! # std::fs::create_dir_all(folder.join("work"))?;
//! let bug = parse_bug("fixtures:ring-buffer")?;
//! let checkout = find(&bug.benchmark, &Settings::default())?.checkout(&bug, &folder.join("bug")).await?;
//! let sandbox = Sandbox::detect(Choice::Auto).await?;
//! let bench = prepare::open(checkout, &sandbox, Options::new(folder.join("work")), Default::default(), None).await?;
//! let escalator = Escalator::builder().levels([Level::L1]).build()?;
//! if let RunVerdict::Plausible(repair) = escalator.repair(&bench).await? {
//!     println!("{}", patch::render(&repair.attempt.patch));
//! #   return Ok(());
//! }
//! # Err("not repaired".into())
//! # }
//! ```
//!
//! # Invariants
//!
//! * *Plausible* is said by [`validate`] alone, after a confirmation in a cold, fresh process with the full suite.
//! * A patch applies whole or not at all, and touches product sources only.
//! * A tool outside the current state is refused: the state machine is enforced, not advised.
//! * Agents see what a developer with the failing checkout would see, and nothing of the repair.
//! * Text of repositories, tests and models is data: it reaches no shell, and no path leaves the checkout.
//! * An unknown price is unknown, never zero; a cap is reserved before the call.
//! * The user's tree is written only with `--apply`.

mod batch;
pub mod cli;
mod report;

// A language adds its rows to the tables of the crates by being linked.
use unidebug_c as _;

pub use unidebug_base::{code, domain, language, patch, twin};
pub use unidebug_judge::{benchmark, validate};
pub use unidebug_model::{journal, llm, prompt};
pub use unidebug_repair::{agent, escalate, localize, retrieve, templates, tools};
pub use unidebug_sandbox as sandbox;
