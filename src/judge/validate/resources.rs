//! Resources that a build tool put beside the classes.

use super::{ValidateError, io_error};
use camino::{Utf8Path, Utf8PathBuf};

/// Copies below `scratch` of what lies in these folders and is no class, one folder for each that has any. Tests ask
/// the system class loader for resources, and in a warm process it must not see untouched classes.
pub(super) fn copied(classes: &[Utf8PathBuf], scratch: &Utf8Path) -> Result<Vec<Utf8PathBuf>, ValidateError> {
    let mut folders = Vec::new();
    for (nth, from) in classes.iter().enumerate() {
        let into = scratch.join(format!("resources-{nth}"));
        let walk = ignore::WalkBuilder::new(from).standard_filters(false).build();
        for entry in walk.flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file())) {
            let Some(path) = Utf8Path::from_path(entry.path()).filter(|path| path.extension() != Some("class")) else {
                continue;
            };
            let target = into.join(path.strip_prefix(from).unwrap_or(path));
            let folder = target.parent().unwrap_or(&into);
            std::fs::create_dir_all(folder).map_err(io_error("making a folder for resources", folder))?;
            std::fs::copy(path, &target).map_err(io_error("copying a resource", path))?;
        }
        if into.is_dir() {
            folders.push(into);
        }
    }
    Ok(folders)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_come_along_and_classes_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let base = Utf8Path::from_path(folder.path()).unwrap();
        let (tests, product, scratch) = (base.join("tests"), base.join("product"), base.join("scratch"));
        for (file, text) in [("tests/data/in.csv", "a,b"), ("tests/data/A.class", "x"), ("product/B.class", "y")] {
            std::fs::create_dir_all(base.join(file).parent().unwrap()).unwrap();
            std::fs::write(base.join(file), text).unwrap();
        }
        let found = copied(&[tests, product], &scratch).unwrap();
        assert_eq!(found, [scratch.join("resources-0")]);
        assert_eq!(std::fs::read_to_string(found[0].join("data/in.csv")).unwrap(), "a,b");
        assert!(!found[0].join("data/A.class").exists());
    }
}
