//! An extension of Maven that this program brings. It leaves out goals that refuse to run, and raises language levels that
//! the compiler no longer knows, to the oldest one that it knows.
//!
//! A plugin that wants a newer Maven, a git repository or the network stops the build before it compiles, though nothing
//! of what it does may be needed. All other goals still run as the project has them: those that generate sources, too.

use super::invoke::Maven;
use crate::benchmark::jars;
use crate::domain::Fingerprint;
use crate::sandbox::Job;
use camino::{Utf8Path, Utf8PathBuf};
use std::{fs, io};

const SOURCE: &str = include_str!("java/Adjust.java");
const CLASS: &str = "unidebug/maven/Adjust.class";
/// Where Maven looks for what an extension brings.
const COMPONENTS: &str = "META-INF/plexus/components.xml";
const COMPONENT: &str = "<component-set><components><component>\
    <role>org.apache.maven.AbstractMavenLifecycleParticipant</role><role-hint>unidebug</role-hint>\
    <implementation>unidebug.maven.Adjust</implementation></component></components></component-set>\n";

/// A project that needs more than these goals left out is compiled by the compiling goals alone.
pub(super) const MOST_GOALS: usize = 8;

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
    fingerprint.add(SOURCE).add(COMPONENT).add(maven.described());
    jars::cache_dir().join("maven-extension").join(fingerprint.name())
}

/// The arguments by which Maven leaves these goals out, and takes no language level for older than `oldest`.
pub(super) fn arguments(goals: &[Goal], oldest: Option<u32>, folder: &Utf8Path) -> Vec<String> {
    let without = (!goals.is_empty()).then(|| format!("-Dunidebug.without={}", listed(goals)));
    let properties: Vec<String> =
        without.into_iter().chain(oldest.map(|level| format!("-Dunidebug.oldest={level}"))).collect();
    let extension = (!properties.is_empty()).then(|| format!("-Dmaven.ext.class.path={folder}"));
    extension.into_iter().chain(properties).collect()
}

impl Maven {
    /// Compiles the extension against this Maven's own library, once.
    ///
    /// # Errors
    /// Maven's library is not where it usually is, or the JDK cannot compile against it.
    pub(super) async fn make_extension(&self) -> io::Result<()> {
        let folder = folder(self);
        if folder.join(CLASS).is_file() {
            return Ok(());
        }
        let all = folder.parent().unwrap_or(&folder);
        fs::create_dir_all(all)?;
        let making = tempfile::tempdir_in(all)?;
        let odd = || io::Error::other("the path of a private folder is no text");
        let making = Utf8Path::from_path(making.path()).ok_or_else(odd)?.canonicalize_utf8()?;
        let source = making.join("Adjust.java");
        fs::write(&source, SOURCE)?;
        let library =
            self.library("maven-core").zip(self.library("maven-model-3").or_else(|| self.library("maven-model-4")));
        let (core, model) = library.ok_or_else(|| io::Error::other("Maven's own library is not beside it"))?;
        let out = making.join("out");
        fs::create_dir_all(out.join("META-INF/plexus"))?;
        let compile = Job::new(self.jdk.join("bin/javac").as_str(), &making)
            .args(["-proc:none", "-cp", &format!("{core}:{model}"), "-d", out.as_str(), source.as_str()])
            .read([self.jdk.clone(), core, model])
            .write(&making);
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

    /// A jar of this Maven's own library, by the beginning of its name.
    pub(super) fn library(&self, name: &str) -> Option<Utf8PathBuf> {
        let home = self.program.canonicalize_utf8().ok()?.parent()?.parent()?.join("lib");
        let mut entries = home.read_dir_utf8().ok()?.flatten();
        let jar = entries.find(|entry| entry.file_name().starts_with(name) && entry.file_name().ends_with(".jar"))?;
        jar.path().canonicalize_utf8().ok()
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
        let words = arguments(&[goal.clone(), goal], None, Utf8Path::new("/x"));
        let twice = "org.apache.rat:apache-rat-plugin:check@rat-check,org.apache.rat:apache-rat-plugin:check@rat-check";
        assert_eq!(words, ["-Dmaven.ext.class.path=/x".to_owned(), format!("-Dunidebug.without={twice}")]);
        assert!(arguments(&[], None, Utf8Path::new("/x")).is_empty());
        assert_eq!(arguments(&[], Some(8), Utf8Path::new("/x"))[1], "-Dunidebug.oldest=8");
    }
}
