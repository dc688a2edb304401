//! Headers that the compiler finds by itself.

use camino::{Utf8Path, Utf8PathBuf};
use std::sync::LazyLock;

/// Where gcc and clang look for headers that are not the project's; compilers keep their own below folders of versions.
static FOLDERS: LazyLock<Vec<Utf8PathBuf>> = LazyLock::new(|| {
    let fixed = ["/usr/include", "/usr/local/include"].map(Utf8PathBuf::from);
    let multiarch = below("/usr/include".into()).into_iter().filter(|folder| folder.as_str().contains("-linux-"));
    let compilers =
        below("/usr/lib/gcc".into()).into_iter().flat_map(|target| below(&target)).map(|gcc| gcc.join("include"));
    fixed.into_iter().chain(multiarch).chain(compilers).collect()
});

fn below(folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    let entries = folder.read_dir_utf8().into_iter().flatten().flatten();
    entries.map(|entry| entry.path().to_owned()).filter(|path| path.is_dir()).collect()
}

/// Whether a file with the end of that path would be found instead of a header of the platform: any folder of a project
/// may be one in which the compiler looks first.
pub(super) fn holds(path: &Utf8Path) -> bool {
    let ends = std::iter::successors(Some(path), |path| {
        let (_, rest) = path.as_str().split_once('/')?;
        Some(Utf8Path::new(rest))
    });
    path.extension() == Some("h") && ends.into_iter().any(|end| FOLDERS.iter().any(|folder| folder.join(end).is_file()))
}
