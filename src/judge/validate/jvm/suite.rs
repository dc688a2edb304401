//! Cold JVMs: how a process of the runner is started.

use super::harness::Harness;
use super::plain::Plain;
use crate::benchmark::jdk::Jdk;
use crate::benchmark::{Checkout, Project};
use crate::sandbox::{Finished, Job, Sandbox, always_readable};
use crate::validate::ValidateError;
use crate::validate::plan::{PLAIN_VARIABLES, Plan};
use crate::validate::suite::{Process, RunRequest, START};
use camino::{Utf8Path, Utf8PathBuf};
use std::time::Duration;

/// Nobody attaches to a test JVM, itself least of all: its memory and its classes are its runner's as well.
pub(super) const NO_ATTACHING: &str = "-XX:+DisableAttachMechanism";

/// The agent that mocking libraries (Mockito 5, MockK) would attach to their own process. Given at the start, it is there
/// without attaching: Byte Buddy asks it first.
pub(super) fn mocking_agent(class_path: &[Utf8PathBuf]) -> Option<usize> {
    let is_agent = |name: &str| name.starts_with("byte-buddy-agent") && name.ends_with(".jar");
    class_path.iter().position(|path| path.file_name().is_some_and(is_agent))
}

/// The seed for a runner of randomized tests, whose names hold the seed of their run: with one for all runs each test has one
/// name. What the project itself asks for counts.
pub(super) fn seed(class_path: &[Utf8PathBuf], args: &[String]) -> Option<String> {
    const SEED: &str = "-Dtests.seed=";
    let is_runner =
        |path: &Utf8PathBuf| path.file_name().is_some_and(|name| name.starts_with("randomizedtesting-runner"));
    let is_given = args.iter().any(|arg| arg.starts_with(SEED));
    (class_path.iter().any(is_runner) && !is_given).then(|| format!("{SEED}1"))
}

/// An agent as the JVM takes it.
pub(super) fn agent(jar: &Utf8Path) -> String {
    format!("-javaagent:{jar}")
}

/// The class path of the tests as a system property, where the build tool has one for it.
pub(super) fn told_class_path<'a>(
    project: &Project,
    class_path: impl Iterator<Item = &'a Utf8PathBuf>,
) -> Option<String> {
    let name = project.class_path_property?;
    Some(format!("-D{name}={}", class_path.map(|path| path.as_str()).collect::<Vec<_>>().join(":")))
}

/// Memory in MiB that a test JVM may hold: twice its heap, which the project's own arguments may set.
pub(in crate::validate) fn memory(heap_mib: u64, args: &[String]) -> u64 {
    let own = args.iter().rev().find_map(|arg| mebibytes(arg.strip_prefix("-Xmx")?));
    own.unwrap_or(heap_mib).max(heap_mib) * 2 + 512
}

/// A size as the JVM takes it: `512m`, `2G`, or bytes.
fn mebibytes(text: &str) -> Option<u64> {
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let number: u64 = number.parse().ok()?;
    match unit {
        "" => Some(number >> 20),
        "k" | "K" => Some(number >> 10),
        "m" | "M" => Some(number),
        "g" | "G" => Some(number << 10),
        "t" | "T" => Some(number << 20),
        _ => None,
    }
}

/// Where and with what tests run.
pub(in crate::validate) struct Suite<'a> {
    pub(in crate::validate) sandbox: &'a Sandbox,
    pub(in crate::validate) jdk: &'a Jdk,
    pub(in crate::validate) harness: &'a Harness,
    /// Everything behind our runner, in order.
    pub(in crate::validate) class_path: Vec<Utf8PathBuf>,
    /// The untouched project.
    pub(in crate::validate) checkout: &'a Checkout,
    /// Working directory of the tests.
    pub(in crate::validate) cwd: Utf8PathBuf,
    /// The only folder tests may write: the copy the working directory lies in.
    pub(in crate::validate) writable: Utf8PathBuf,
    /// Classes of the patch, each with the place of the class that the build made in its stead.
    pub(in crate::validate) covers: Vec<(Utf8PathBuf, Utf8PathBuf)>,
    /// Heap of the test JVM in MiB.
    pub(in crate::validate) heap_mib: u64,
}

/// Identity hashes count from one, where a virtual machine can do that; else they are arbitrary numbers.
const IN_SEQUENCE: [&str; 3] =
    ["-XX:+IgnoreUnrecognizedVMOptions", "-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=3"];

/// A language that writes numbers and dates in another way, a zone some hours and a half away, a charset of one byte a
/// letter, and lines with another end. What the project itself asks for comes after them, and counts.
const OTHER_SETTINGS: [&str; 5] = [
    "-Duser.language=de",
    "-Duser.country=DE",
    "-Duser.timezone=Pacific/Marquesas",
    "-Dfile.encoding=ISO-8859-1",
    "-Dline.separator=\r\n",
];

impl Suite<'_> {
    fn job(&self, plan: &Plan, request: RunRequest, left: Duration) -> Result<Job, ValidateError> {
        let mut class_path = vec![self.harness.classes.clone()];
        class_path.extend(self.class_path.iter().cloned());
        let mut main = "unidebug.runner.Cold".to_owned();
        let mut given = class_path.clone();
        let is_plain = plan.look.is_plain();
        if is_plain {
            let top = self.writable.parent().unwrap_or(&self.writable);
            let plain = Plain::new(self.harness, &self.class_path, top)?;
            (main, given) = (plain.main, plain.class_path);
            class_path.push(top.join("lib"));
        }
        let joined = given.iter().map(|path| path.as_str()).collect::<Vec<_>>().join(":");
        // Some tests want to see an OutOfMemoryError, so it does not end the process.
        let mut args: Vec<String> = ["-XX:+UseSerialGC", NO_ATTACHING].map(String::from).to_vec();
        if !plan.long {
            args.push("-XX:TieredStopAtLevel=1".into());
        }
        args.extend([format!("-Xmx{}m", self.heap_mib), "-Djava.awt.headless=true".into()]);
        if !is_plain {
            args.push("-ea".into());
        }
        if plan.look.reorders() {
            args.extend(IN_SEQUENCE.map(String::from));
        }
        if plan.look.has_other_settings() {
            args.extend(OTHER_SETTINGS.map(String::from));
        }
        // The place in one list is the place in the other, behind our runner.
        args.extend(mocking_agent(&self.class_path).map(|at| agent(&given[at + 1])));
        args.extend(told_class_path(&self.checkout.project, given.iter().skip(1)));
        args.extend(plan.args.iter().cloned());
        args.extend(["-cp".into(), joined, main]);
        let mut job = Job::new(self.jdk.java(), &self.cwd)
            .args(args)
            .read(class_path)
            .read([self.jdk.home.clone()])
            .read(self.checkout.named_in(&plan.args))
            .read(self.checkout.named_in_environment())
            .write(&self.writable)
            .wall(left + START);
        job.covers.clone_from(&self.covers);
        if !is_plain {
            job.links = self.links(&job);
        }
        job.env.extend(self.checkout.project.environment.iter().cloned());
        job.env.push(("JAVA_HOME".into(), self.jdk.home.to_string()));
        job.dialogue = Some(request.dialogue());
        job.limits.memory_mib = memory(self.heap_mib, &plan.args);
        if is_plain {
            job.env.extend(PLAIN_VARIABLES.map(|(name, value)| (name.to_owned(), value.to_owned())));
        }
        Ok(job)
    }

    /// Links from the folder that was built to the copy, but for what the job reads there: the build writes paths in it into
    /// resources of tests.
    fn links(&self, job: &Job) -> Vec<(Utf8PathBuf, Utf8PathBuf)> {
        let root = &self.checkout.root;
        if always_readable(root) || self.writable.starts_with(root) {
            return Vec::new();
        }
        let seen = || job.readable.iter().chain(job.covers.iter().map(|(_, place)| place));
        let is_seen = |place: &Utf8Path| seen().any(|path| path.starts_with(place) || place.starts_with(path));
        let entries = root.read_dir_utf8().into_iter().flatten().flatten();
        let links = entries.map(|entry| (root.join(entry.file_name()), self.writable.join(entry.file_name())));
        let mut links: Vec<_> = links.filter(|(place, _)| !is_seen(place)).collect();
        links.sort();
        links
    }
}

#[async_trait::async_trait]
impl Process for Suite<'_> {
    async fn start(&self, plan: &Plan, request: RunRequest, left: Duration) -> Result<Finished, ValidateError> {
        Ok(self.sandbox.run(self.job(plan, request, left)?).await?)
    }

    fn copy(&self) -> &Utf8Path {
        &self.writable
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn randomized_tests_have_one_seed_unless_the_project_names_another() {
        let path = |name: &str| vec![Utf8PathBuf::from(format!("/m2/{name}"))];
        let runner = path("randomizedtesting-runner-2.8.1.jar");
        assert_eq!(seed(&runner, &["-ea".into()]), Some("-Dtests.seed=1".into()));
        assert_eq!(seed(&runner, &["-Dtests.seed=2A".into()]), None);
        assert_eq!(seed(&path("junit-4.13.2.jar"), &[]), None);
    }

    #[test]
    fn the_agent_of_mocks_is_found_by_its_name() {
        let path = |names: &[&str]| names.iter().map(|&name| name.into()).collect::<Vec<Utf8PathBuf>>();
        let with = path(&["/m2/byte-buddy-1.15.11.jar", "/m2/byte-buddy-agent-1.15.11.jar", "/m2/mockito-core-5.jar"]);
        assert_eq!(
            mocking_agent(&with).map(|at| agent(&with[at])),
            Some("-javaagent:/m2/byte-buddy-agent-1.15.11.jar".into())
        );
        assert_eq!(mocking_agent(&path(&["/m2/byte-buddy-1.15.11.jar", "/x/byte-buddy-agent/classes"])), None);
    }
}
