//! The JVM side of the judge: our runner in Java, compiled by the user's own JDK and kept by hash; the compiler; the
//! class path; runs of a suite.

mod classpath;
mod daemon;
mod harness;
mod javac;
mod patience;
mod plan;
mod suite;
mod worker;

pub(super) use classpath::{ClassPath, java_files, test_classes};
pub(super) use daemon::{Answer, Classes, Daemon, DaemonSetup};
pub(super) use harness::{Harness, short_hash};
pub(super) use javac::{Compiled, Javac, Level, parse as diagnostics};
pub(super) use patience::{left_out, lost};
pub(super) use plan::{Deadlines, LEAST, OnCrash, Plan};
pub(super) use suite::{Suite, spelled};
pub(super) use worker::{WorkerSetup, Workers};
