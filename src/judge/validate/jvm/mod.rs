//! The JVM side of the judge: our runner in Java, compiled by the user's own JDK and kept by hash; the compiler; the
//! class path; runs of a suite.

mod ambient;
mod ambient_calls;
mod class_file;
mod classpath;
mod compiler;
mod coverage;
mod daemon;
mod drawn;
mod harness;
mod javac;
mod newly;
mod observe;
mod plain;
mod references;
mod subject;
mod suite;
mod worker;

pub(super) use classpath::{ClassPath, java_files, runs_tests_of, test_classes};
pub(super) use compiler::WarmCompiler;
pub(super) use coverage::SourceFolders;
pub(super) use daemon::{Answer, Classes};
pub(super) use harness::Harness;
pub(super) use javac::{Compiled, Javac, Level, parse as diagnostics};
pub(super) use subject::{Jvm, Made, SAME_CODE};
pub(super) use suite::Suite;
pub(super) use worker::{WorkerSetup, Workers};
