//! Escalation: FixAgent's Algorithm 1. Start reading at [`escalator`], whose loop fits one screen.
//!
//! As a library: put a bug on the bench with [`prepare::open`], build an escalator, repair.
//!
//! ```
//! use unidebug::benchmark::{Settings, find, parse_bug};
//! use unidebug::escalate::{Escalator, Verdict, prepare};
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
//! if let Verdict::Plausible(repair) = escalator.repair(&bench).await? {
//!     println!("{}", patch::render(&repair.attempt.patch));
//! #   return Ok(());
//! }
//! # Err("not repaired".into())
//! # }
//! ```

mod builder;
pub(crate) mod caps;
mod choose;
pub(crate) mod escalator;
mod filing;
pub mod level;
mod needless;
mod outcome;
pub mod prepare;
pub mod preview;
mod reproduce;
mod smaller;
pub mod strategy;
mod view;
mod work;

pub use builder::{BuildError, Builder};
pub use caps::{PartCap, PartCaps};
pub use choose::compared;
pub use escalator::{Decider, Escalator, RepairError};
pub use outcome::{Repair, Verdict};
pub use reproduce::{REPRODUCER, Shown};
pub use strategy::{Plan, Strategy, StrategyError, Temperatures};
