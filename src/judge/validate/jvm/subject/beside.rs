//! What lies beside the sources of a candidate.

use super::Jvm;
use super::compile::is_java;
use crate::benchmark::product_resources;
use crate::domain::{Patch, RepoPath};
use crate::validate::{ValidateError, io_error};
use camino::{Utf8DirEntry, Utf8Path};

impl Jvm {
    /// Copies what stands in the folders above a source for annotation processors: Lombok looks for `lombok.config` there.
    pub(super) fn add_settings(&self, source: &RepoPath, tree: &Utf8Path) -> Result<(), ValidateError> {
        for folder in Utf8Path::new(source.as_str()).ancestors().skip(1) {
            let from = self.checkout.root.join(folder);
            let entries = from.read_dir_utf8().into_iter().flatten().flatten();
            let is_settings = |entry: &Utf8DirEntry| {
                entry.path().extension() == Some("config") && entry.file_type().is_ok_and(|kind| kind.is_file())
            };
            for entry in entries.filter(is_settings) {
                let target = tree.join(folder).join(entry.file_name());
                std::fs::copy(entry.path(), &target).map_err(io_error("writing a candidate", &target))?;
            }
        }
        Ok(())
    }

    /// Puts changed resources in front of those that a build copied beside the classes.
    pub(super) fn write_resources(&self, patch: &Patch, overlay: &Utf8Path) -> Result<(), ValidateError> {
        let roots = product_resources(&self.checkout);
        for file in patch.files.iter().filter(|file| !is_java(&file.path) && !file.deletes()) {
            let inside = roots.iter().filter_map(|root| file.path.below(root)).min_by_key(|inside| inside.len());
            let Some(target) = inside.map(|inside| overlay.join(inside)) else { continue };
            let folder = target.parent().unwrap_or(overlay);
            std::fs::create_dir_all(folder).map_err(io_error("writing a candidate", folder))?;
            std::fs::write(&target, &file.after).map_err(io_error("writing a candidate", &target))?;
        }
        Ok(())
    }
}
