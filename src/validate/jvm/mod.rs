//! The JVM side of the judge: our runner in Java, compiled by the user's own JDK and kept by hash; the compiler; the
//! class path; runs of a suite.

mod classpath;
mod coverage;
mod daemon;
mod harness;
mod javac;
mod subject;
mod suite;
mod worker;

pub(super) use classpath::{ClassPath, java_files, test_classes};
pub(super) use coverage::{Grain, SourceFolders, measured};
pub(super) use daemon::{Answer, Classes, Daemon, DaemonSetup};
pub(super) use harness::Harness;
pub(super) use javac::{Compiled, Javac, Level, parse as diagnostics};
pub(super) use subject::{Jvm, SAME_CODE, is_local};
pub(super) use suite::Suite;
pub(super) use worker::{WorkerSetup, Workers};
