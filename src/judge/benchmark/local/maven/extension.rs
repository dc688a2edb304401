//! An extension of Maven that this program brings. It writes what Maven knows of a project, leaves out goals that refuse to
//! run, and raises language levels that the compiler no longer knows, to the oldest one that it knows.
//!
//! A plugin that wants a newer Maven, a git repository or the network stops the build before it compiles, though nothing
//! of what it does may be needed. All other goals still run as the project has them: those that generate sources, too.

use super::invoke::Maven;
use crate::benchmark::{BenchmarkError, jars};
use crate::domain::Fingerprint;
use crate::sandbox::Job;
use camino::{Utf8Path, Utf8PathBuf};
use std::{fs, io};

const SOURCES: [(&str, &str); 3] = [
    ("Extension.java", include_str!("java/Extension.java")),
    ("Adjust.java", include_str!("java/Adjust.java")),
    ("Describe.java", include_str!("java/Describe.java")),
];
const CLASS: &str = "unidebug/maven/Extension.class";
/// Where Maven looks for what an extension brings.
const COMPONENTS: &str = "META-INF/plexus/components.xml";
const COMPONENT: &str = "<component-set><components><component>\
    <role>org.apache.maven.AbstractMavenLifecycleParticipant</role><role-hint>unidebug</role-hint>\
    <implementation>unidebug.maven.Extension</implementation></component></components></component-set>\n";

/// A project that needs more than these goals left out is compiled by the compiling goals alone.
pub(super) const MOST_GOALS: usize = 8;

/// Plugins that run programs, of the project as well.
const RUNNERS: [&str; 3] = ["exec-maven-plugin", "maven-antrun-plugin", "gmavenplus-plugin"];

/// A goal as the project runs it: `group:artifact:goal@execution`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Goal(String);

impl Goal {
    /// Reads a goal as [`Goal::as_str`] has it. What a list of them could not hold is none.
    pub(super) fn new(text: &str) -> Option<Self> {
        let is_whole = text.split(':').count() == 3 && text.contains('@');
        (is_whole && !text.contains([',', ' ', '\t'])).then(|| Self(text.to_owned()))
    }

    /// The goal that failed, by Maven's own words: `Failed to execute goal group:artifact:version:goal (execution) on …`.
    pub(super) fn failed(output: &str) -> Option<Self> {
        let (_, after) = output.split_once("Failed to execute goal ")?;
        let (goal, after) = after.split_once(" (")?;
        let (execution, _) = after.split_once(')')?;
        let [group, artifact, _version, name] = goal.split(':').collect::<Vec<_>>().try_into().ok()?;
        Self::new(&format!("{group}:{artifact}:{name}@{execution}"))
    }

    /// Whether it may run what the project makes, which a bug can keep from working: without the bug it does not refuse.
    pub(super) fn may_run_the_product(&self) -> bool {
        self.0.split(':').nth(1).is_some_and(|plugin| RUNNERS.contains(&plugin))
    }

    /// As the extension takes it.
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Goals as one word.
pub(super) fn listed(goals: &[Goal]) -> String {
    goals.iter().map(Goal::as_str).collect::<Vec<_>>().join(",")
}

/// Where the extension's classes lie for this Maven and JDK.
pub(super) fn folder(maven: &Maven) -> Utf8PathBuf {
    let mut fingerprint = Fingerprint::default();
    for (name, source) in SOURCES {
        fingerprint.add(name).add(source);
    }
    fingerprint.add(COMPONENT).add(maven.described());
    jars::cache_dir().join("maven-extension").join(fingerprint.name())
}

/// The arguments by which Maven loads the extension.
pub(super) fn loaded(folder: &Utf8Path) -> String {
    format!("-Dmaven.ext.class.path={folder}")
}

/// The arguments by which the extension writes all effective poms into a file, and the test class path of each module into
/// one in its folder.
pub(super) fn describing(poms: &Utf8Path, class_path: &str) -> [String; 2] {
    [format!("-Dunidebug.poms={poms}"), format!("-Dunidebug.class-path={class_path}")]
}

/// The arguments by which the extension leaves these goals out, and takes no language level for older than `oldest`.
pub(super) fn adjusting(goals: &[Goal], oldest: Option<u32>) -> Vec<String> {
    let without = (!goals.is_empty()).then(|| format!("-Dunidebug.without={}", listed(goals)));
    without.into_iter().chain(oldest.map(|level| format!("-Dunidebug.oldest={level}"))).collect()
}

impl Maven {
    /// Compiles the extension against this Maven's own library, once.
    ///
    /// # Errors
    /// The JDK cannot compile against Maven's library.
    pub(super) async fn make_extension(&self) -> Result<(), BenchmarkError> {
        self.try_make_extension().await.map_err(|error| BenchmarkError::Setup {
            what: format!("Maven cannot be asked what it knows of the project: {error}"),
            hint: "see what `mvn -v` says, or use `--build` and `--test`".into(),
        })
    }

    async fn try_make_extension(&self) -> io::Result<()> {
        let folder = folder(self);
        if folder.join(CLASS).is_file() {
            return Ok(());
        }
        let all = folder.parent().unwrap_or(&folder);
        fs::create_dir_all(all)?;
        let making = tempfile::tempdir_in(all)?;
        let odd = || io::Error::other("the path of a private folder is no text");
        let making = Utf8Path::from_path(making.path()).ok_or_else(odd)?.canonicalize_utf8()?;
        let libraries = self.installed.libraries("maven-");
        let out = making.join("out");
        fs::create_dir_all(out.join("META-INF/plexus"))?;
        let path = libraries.iter().map(|jar| jar.as_str()).collect::<Vec<_>>().join(":");
        let mut compile = Job::new(self.jdk.join("bin/javac").as_str(), &making)
            .args(["-proc:none", "-cp", &path, "-d", out.as_str()])
            .read([self.jdk.clone()])
            .read(libraries)
            .write(&making);
        for (name, source) in SOURCES {
            fs::write(making.join(name), source)?;
            compile = compile.args([making.join(name).as_str()]);
        }
        let done = self.sandbox.run(compile).await.map_err(|error| io::Error::other(error.to_string()))?;
        if !out.join(CLASS).is_file() {
            let errors = String::from_utf8_lossy(&done.stderr);
            return Err(io::Error::other(errors.lines().next().unwrap_or("javac made no class").to_owned()));
        }
        fs::write(out.join(COMPONENTS), COMPONENT)?;
        match fs::rename(&out, &folder) {
            // Another run was first.
            Err(_) if folder.join(CLASS).is_file() => Ok(()),
            renamed => renamed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_goal_that_failed_is_read_from_mavens_words() {
        let output = "[ERROR] Failed to execute goal org.apache.rat:apache-rat-plugin:0.18:check (rat-check) on project x: \
                    The plugin requires Maven version 3.9 -> [Help 1]";
        let goal = Goal::failed(output).unwrap();
        assert_eq!(goal.as_str(), "org.apache.rat:apache-rat-plugin:check@rat-check");
        assert_eq!(Goal::new(goal.as_str()), Some(goal.clone()));
        assert_eq!(Goal::failed("[ERROR] Failed to execute goal on project x: no dependencies"), None);
        assert_eq!(Goal::new("a:b:c@d,e"), None, "a list of goals could not hold it");
        let words = adjusting(&[goal.clone(), goal], None);
        let twice = "org.apache.rat:apache-rat-plugin:check@rat-check,org.apache.rat:apache-rat-plugin:check@rat-check";
        assert_eq!(words, [format!("-Dunidebug.without={twice}")]);
        assert!(adjusting(&[], None).is_empty());
        assert_eq!(adjusting(&[], Some(8)), ["-Dunidebug.oldest=8"]);
    }
}
