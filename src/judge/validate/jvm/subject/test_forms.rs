//! Tests in another form, compiled beside a patch.

use super::Jvm;
use super::compile::{complaints, copy_folder, is_java};
use crate::domain::{Diagnostic, Patch, RepoPath};
use crate::validate::jvm::class_file::facts;
use crate::validate::jvm::{Answer, Classes};
use crate::validate::subject::{Build, Copy};
use crate::validate::{ValidateError, io_error};
use camino::Utf8Path;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Jvm {
    /// A copy with a patch and other tests, whose classes lie in front of all.
    pub(super) async fn compiled_with_tests(
        &self,
        patch: &Patch,
        build: &Build,
        files: &[(RepoPath, Vec<u8>)],
    ) -> Result<Result<Copy, Vec<Diagnostic>>, ValidateError> {
        let mut own = Build::new(&self.options.work_dir)?;
        copy_folder(&build.overlay, &own.overlay)?;
        own.removed = build.removed.clone();
        own.news = build.news.clone();
        let copy = Copy::with(&self.checkout, &self.options.work_dir, patch, Arc::new(own))?;
        let mut sources = Vec::new();
        for (file, bytes) in files {
            sources.push(copy.write_file(file, bytes)?);
        }
        match self.tests_compiled_warm(patch, files).await {
            Ok(Some(Ok(classes))) => {
                write_classes(&classes, &copy.build.overlay)?;
                return Ok(Ok(copy));
            }
            Ok(Some(Err(complaints))) => return Ok(Err(complaints)),
            Ok(None) => {}
            Err(error) => tracing::warn!("tests are compiled in a cold process: {error}"),
        }
        let class_path = self.class_path_with(std::slice::from_ref(&build.overlay));
        let done = self.javac().compile(&sources, &class_path, &copy.build.overlay, &copy.tree).await?;
        Ok(if done.ok { Ok(copy) } else { Err(complaints(done)) })
    }

    /// The classes of these tests, compiled beside what the patch changes by the compiler that stays; `None` where a fresh
    /// one must do it.
    async fn tests_compiled_warm(
        &self,
        patch: &Patch,
        files: &[(RepoPath, Vec<u8>)],
    ) -> Result<Option<Answer>, ValidateError> {
        if self.class_path.has_processors {
            return Ok(None);
        }
        let changed = patch.files.iter().filter(|file| is_java(&file.path) && !file.deletes());
        let mut sources: Vec<(RepoPath, &[u8])> = changed.map(|file| (file.path.clone(), &*file.after)).collect();
        sources.extend(files.iter().map(|(path, bytes)| (path.clone(), &**bytes)));
        let mut classes = match self.compiler.compile(self, &sources).await? {
            Ok(classes) => classes,
            Err(complaints) => return Ok(Some(Err(complaints))),
        };
        let mut found = BTreeSet::new();
        classes.retain(|_, bytes| {
            let Some(source) = facts(bytes).and_then(|facts| facts.source_path()) else { return false };
            let file = files.iter().position(|(path, _)| Utf8Path::new(path.as_str()).ends_with(&source));
            found.extend(file);
            file.is_some()
        });
        // A file whose classes are not known by its place.
        Ok((found.len() == files.len()).then_some(Ok(classes)))
    }
}

/// Writes classes, named with points, into a folder.
fn write_classes(classes: &Classes, folder: &Utf8Path) -> Result<(), ValidateError> {
    for (name, bytes) in classes {
        let path = folder.join(format!("{}.class", name.replace('.', "/")));
        let above = path.parent().unwrap_or(folder);
        std::fs::create_dir_all(above).map_err(io_error("writing a class", above))?;
        std::fs::write(&path, bytes).map_err(io_error("writing a class", &path))?;
    }
    Ok(())
}
