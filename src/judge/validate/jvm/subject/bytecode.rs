//! Whether two patches compile to the same classes.

use super::Jvm;
use super::compile::made_in;
use crate::domain::{Patch, RepoPath};
use crate::validate::jvm::{Classes, Javac, Level};
use crate::validate::subject::Copy;
use crate::validate::{ValidateError, io_error};
use std::collections::BTreeSet;

impl Jvm {
    /// Whether both patches make the same classes of the files that either touches, byte for byte, lines and names of
    /// local variables aside. Then everything else is the same too, since it sees of these files only their classes.
    /// `None` when one of them does not compile.
    pub(super) async fn same_bytecode(&self, a: &Patch, b: &Patch) -> Result<Option<bool>, ValidateError> {
        let touched: BTreeSet<&RepoPath> = a.paths().chain(b.paths()).collect();
        let (one, other) = (self.bare_classes(a, &touched).await?, self.bare_classes(b, &touched).await?);
        Ok(one.zip(other).map(|(one, other)| !one.is_empty() && one == other))
    }

    /// The classes of some files with a patch in them, without what is only for debuggers.
    async fn bare_classes(
        &self,
        patch: &Patch,
        touched: &BTreeSet<&RepoPath>,
    ) -> Result<Option<Classes>, ValidateError> {
        let copy = Copy::of(&self.checkout, &self.options.work_dir)?;
        copy.write(patch)?;
        let files: Vec<_> = touched.iter().map(|path| path.under(&copy.tree)).filter(|path| path.is_file()).collect();
        let javac = Javac { level: Level { bare: true, ..self.level() }, ..self.javac() };
        let done = javac.compile(&files, &self.class_path_with(&[]), &copy.build.overlay, &copy.tree).await?;
        if !done.ok {
            return Ok(None);
        }
        let mut classes = Classes::new();
        for name in made_in(&copy.build.overlay) {
            let file = copy.build.overlay.join(format!("{name}.class"));
            let bytes = std::fs::read(&file).map_err(io_error("reading a class", &file))?;
            classes.insert(name, bytes);
        }
        Ok(Some(classes))
    }
}
