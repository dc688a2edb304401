//! The place where the user has the project. Packages that are installed as links to it (`pip install -e`) are loaded from
//! there by every program that a test starts, whatever paths it is given. In the sandbox that place leads to the copy under
//! test.

use crate::benchmark::Checkout;
use crate::sandbox::always_readable;
use camino::{Utf8Path, Utf8PathBuf};

/// A link to the working directory of the tests; a process that runs tests in many copies turns it to each of them.
const CURRENT: &str = "/run/project";

/// The links that a job needs whose tests run in `cwd`, beside folders that it reads as they are: an environment may lie in
/// the project.
pub(super) fn links(checkout: &Checkout, cwd: &Utf8Path, readable: &[Utf8PathBuf]) -> Vec<(Utf8PathBuf, Utf8PathBuf)> {
    let Some(original) = checkout.original.as_ref().filter(|original| !always_readable(original)) else {
        return Vec::new();
    };
    let up =
        Utf8PathBuf::from("../".repeat(checkout.project.module.as_str().split('/').filter(|p| !p.is_empty()).count()));
    let root = Utf8Path::new(CURRENT).join(up);
    let entries = checkout.root.read_dir_utf8().into_iter().flatten().flatten();
    let links = entries.map(|entry| (original.join(entry.file_name()), root.join(entry.file_name())));
    let mut links: Vec<_> =
        links.filter(|(place, _)| !readable.iter().any(|folder| folder.starts_with(place))).collect();
    links.sort();
    links.push((CURRENT.into(), cwd.to_owned()));
    links
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::Project;
    use crate::domain::{BugId, RepoPath};

    #[test]
    fn the_users_folder_leads_to_the_copy_but_for_what_is_read_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        for name in ["env", "src", "sub"] {
            std::fs::create_dir(root.join(name)).unwrap();
        }
        let project = Project { module: RepoPath::new("sub").unwrap(), ..Project::default() };
        let bug: BugId = "local:/home/ann/own".parse().unwrap();
        let mut checkout = Checkout::new(bug, root.to_owned(), "python", project);
        let readable = [Utf8PathBuf::from("/home/ann/own/env/py")];
        let shown = |checkout: &Checkout| {
            let links = links(checkout, Utf8Path::new("/copies/1/sub"), &readable);
            links.into_iter().map(|(place, target)| format!("{place} -> {target}")).collect::<Vec<_>>()
        };
        assert!(shown(&checkout).is_empty());
        checkout.original = Some("/home/ann/own".into());
        let expected = [
            "/home/ann/own/src -> /run/project/../src",
            "/home/ann/own/sub -> /run/project/../sub",
            "/run/project -> /copies/1/sub",
        ];
        assert_eq!(shown(&checkout), expected);
        checkout.original = Some("/opt/own".into());
        assert!(shown(&checkout).is_empty(), "what is the system's is there as it is");
    }

    #[test]
    fn a_process_that_serves_many_copies_turns_the_same_link() {
        assert!(include_str!("runner/serve.py").contains(&format!("link=\"{CURRENT}\"")));
    }
}
