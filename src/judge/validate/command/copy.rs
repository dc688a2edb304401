//! Throw-away copies of a project, and its commands at work in them.

use super::CommandJudge;
use crate::benchmark::jars;
use crate::domain::Patch;
use crate::sandbox::{Job, PROGRAM_PATH};
use crate::validate::work_dir::TreeCopy;
use crate::validate::{ValidateError, subject};
use camino::{Utf8Path, Utf8PathBuf};
use std::time::Duration;

const MEMORY_MIB: u64 = 4096;

impl CommandJudge {
    /// A copy of the untouched project, which is in use until the first value is dropped.
    pub fn copy(&self) -> Result<(TreeCopy, Utf8PathBuf), ValidateError> {
        let copy = self.options.work_dir.copy_of(&self.checkout.root, ["copy-", "tree"])?;
        let tree = copy.tree().to_owned();
        Ok((copy, tree))
    }

    /// A throw-away copy with a patch.
    pub fn patched_copy(&self, patch: &Patch) -> Result<(TreeCopy, Utf8PathBuf), ValidateError> {
        let (keep, tree) = self.copy()?;
        subject::write_all(patch, &tree)?;
        if let Some(toolchain) = &self.toolchain {
            toolchain.forget_outputs(patch, &tree);
        }
        Ok((keep, tree))
    }

    /// A command of the project at work in a copy.
    pub fn job(&self, words: &[String], tree: &Utf8Path, wall: Duration) -> Result<Job, ValidateError> {
        let Some((program, args)) = words.split_first() else {
            return Err(ValidateError::Tool { what: "an empty command".into(), hint: "give --test a command".into() });
        };
        let found = on_users_path(program, tree);
        let mut job = Job::new(found.as_deref().map_or(program.as_str(), Utf8Path::as_str), self.module(tree))
            .args(args.iter().cloned())
            .write(tree)
            .wall(wall);
        if let Some(home) = found.as_deref().and_then(|path| path.parent()?.parent()) {
            job = job.read([home]);
        }
        if let Some(repository) = jars::local_repository() {
            job.env.push(("MAVEN_OPTS".into(), format!("-Dmaven.repo.local={repository}")));
            job = job.read([repository]);
        }
        job = job.read(self.checkout.project.class_path.iter().cloned());
        let path = std::env::var("PATH").unwrap_or_default();
        job.env.push(("PATH".into(), format!("{path}:{PROGRAM_PATH}")));
        job.env.push(("PYTHONDONTWRITEBYTECODE".into(), "1".into()));
        let environment = self.toolchain.as_ref().map_or(&[][..], |toolchain| toolchain.environment());
        job.env.extend(environment.iter().map(|(name, value)| ((*name).into(), (*value).into())));
        job.limits.memory_mib = MEMORY_MIB;
        Ok(job)
    }

    fn module(&self, tree: &Utf8Path) -> Utf8PathBuf {
        self.checkout.project.module.under(tree)
    }
}

/// A program of the project itself (`./gradlew`), or of the user's PATH, as an absolute path.
pub fn on_users_path(program: &str, tree: &Utf8Path) -> Option<Utf8PathBuf> {
    if program.contains('/') {
        return Some(tree.join(program));
    }
    let path = std::env::var("PATH").unwrap_or_default();
    let mut folders = path.split(':').chain(PROGRAM_PATH.split(':')).filter(|folder| !folder.is_empty());
    folders.find_map(|folder| Some(Utf8Path::new(folder).join(program)).filter(|path| path.is_file()))
}
