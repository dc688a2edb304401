//! Which Maven a user has: the one that the project's wrapper fetched, else the first on the user's own path.

use crate::sandbox::users_programs;
use camino::{Utf8Path, Utf8PathBuf};

/// What the wrapper is told, in a project.
const WRAPPER: &str = ".mvn/wrapper/maven-wrapper.properties";
/// Folders between that of all versions and the one of a version.
const DEEPEST: usize = 3;

/// A Maven that lies on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Installed {
    pub(super) program: Utf8PathBuf,
    /// Its folder, without symbolic links: what a call must be able to read.
    pub(super) home: Utf8PathBuf,
}

impl Installed {
    /// The Maven of a project.
    pub(super) fn of(project: Option<&Utf8Path>) -> Option<Self> {
        project
            .and_then(Self::of_wrapper)
            .or_else(|| users_programs("mvn").iter().find_map(|program| Self::at(program)))
    }

    /// The version that the project's wrapper names, if it was fetched.
    fn of_wrapper(project: &Utf8Path) -> Option<Self> {
        let told = std::fs::read(project.join(WRAPPER)).ok()?;
        let name = version_folder(&String::from_utf8_lossy(&told))?;
        let set = std::env::var("MAVEN_USER_HOME").map(Utf8PathBuf::from);
        let own = set.or_else(|_| std::env::var("HOME").map(|home| Utf8Path::new(&home).join(".m2"))).ok()?;
        let all = own.join("wrapper/dists");
        [name.clone(), format!("{name}-bin")].iter().find_map(|folder| {
            let walk =
                ignore::WalkBuilder::new(all.join(folder)).standard_filters(false).max_depth(Some(DEEPEST)).build();
            let folders = walk.flatten().filter_map(|entry| Utf8PathBuf::from_path_buf(entry.into_path()).ok());
            folders.filter_map(|folder| Self::at(&folder.join("bin/mvn"))).next()
        })
    }

    /// The Maven that a program belongs to; `None` for one that only calls another, as version managers put it on the path.
    fn at(program: &Utf8Path) -> Option<Self> {
        let program = program.canonicalize_utf8().ok()?;
        let above = program.parent()?.parent()?;
        let homes = [above.to_owned(), above.join("libexec")];
        let home = homes.into_iter().find(|home| home.join("boot").is_dir() && home.join("lib").is_dir())?;
        Some(Self { program, home })
    }

    /// The jars of its own library whose names begin so.
    pub(super) fn libraries(&self, name: &str) -> Vec<Utf8PathBuf> {
        let entries = self.home.join("lib").read_dir_utf8().into_iter().flatten().flatten();
        let jars = entries.filter(|entry| entry.file_name().starts_with(name) && entry.file_name().ends_with(".jar"));
        let mut jars: Vec<_> = jars.filter_map(|jar| jar.path().canonicalize_utf8().ok()).collect();
        jars.sort();
        jars
    }
}

/// The folder in which the wrapper keeps the version that a project names: `apache-maven-3.9.9`.
fn version_folder(properties: &str) -> Option<String> {
    let url = properties.lines().find_map(|line| line.trim().strip_prefix("distributionUrl"))?;
    let file = url.trim_start_matches([' ', '\t', '=', ':']).rsplit('/').next()?.trim();
    let name = file.strip_suffix("-bin.zip").or_else(|| file.strip_suffix("-bin.tar.gz"))?;
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'));
    (is_name && name.starts_with(|c: char| c.is_ascii_alphabetic())).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_wrapper_names_the_folder_of_its_version() {
        let url = "https\\://repo.example.org/maven2/org/apache/maven/apache-maven/3.9.9/apache-maven-3.9.9-bin.zip";
        let of = |text: &str| version_folder(text);
        assert_eq!(
            of(&format!("wrapperVersion=3.3.2\ndistributionUrl={url}\n")).as_deref(),
            Some("apache-maven-3.9.9")
        );
        assert_eq!(of(&format!("distributionUrl = {url}")).as_deref(), Some("apache-maven-3.9.9"));
        assert_eq!(of("distributionUrl=https://x/..-bin.zip"), None, "no way up");
        assert_eq!(of("distributionUrl=https://x/maven-mvnd-1.0.2-linux-amd64.zip"), None);
    }

    #[test]
    fn a_program_belongs_to_the_maven_that_it_links_to() {
        let folder = tempfile::tempdir().unwrap();
        let base = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
        let home = base.join("candidates/maven/3.9.9");
        for each in ["bin", "boot", "lib"] {
            fs::create_dir_all(home.join(each)).unwrap();
        }
        fs::create_dir_all(base.join("bin")).unwrap();
        fs::write(home.join("bin/mvn"), "").unwrap();
        fs::write(base.join("shim"), "").unwrap();
        std::os::unix::fs::symlink(home.join("bin/mvn"), base.join("bin/mvn")).unwrap();
        let found = Installed::at(&base.join("bin/mvn")).unwrap();
        assert_eq!(found, Installed { program: home.join("bin/mvn"), home });
        assert_eq!(Installed::at(&base.join("shim")), None);
    }
}
