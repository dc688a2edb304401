//! The JVM side of the judge: our runner in Java, compiled by the user's own JDK and kept by hash; the compiler; the
//! class path; runs of a suite.

mod classpath;
mod harness;
mod javac;
mod suite;

pub(super) use classpath::{ClassPath, java_files, test_classes};
pub(super) use harness::{Harness, short_hash};
pub(super) use javac::{Compiled, Javac, Level, parse as diagnostics};
pub(super) use suite::{Deadlines, OnCrash, Plan, Suite};
