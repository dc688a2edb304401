//! Which folders a request may name: those that whoever started the server granted, narrowed by those of the client.

use crate::benchmark::{self, LOCAL};
use crate::cli::error::Failure;
use crate::domain::BugId;
use camino::{Utf8Path, Utf8PathBuf};
use percent_encoding::percent_decode_str;

/// Folders with their real paths.
#[derive(Debug, Clone, Default)]
pub(super) struct Granted {
    flags: Vec<Utf8PathBuf>,
    client: Option<Vec<Utf8PathBuf>>,
}

impl Granted {
    /// What `--root` names.
    ///
    /// # Errors
    /// One of them is no folder.
    pub(super) fn of(flags: &[Utf8PathBuf]) -> Result<Self, Failure> {
        let real = |root: &Utf8PathBuf| {
            let real = root.canonicalize_utf8().ok().filter(|root| root.is_dir());
            real.ok_or_else(|| Failure::usage(format!("--root: no such folder ({root})"), "name a folder"))
        };
        Ok(Self { flags: flags.iter().map(real).collect::<Result<_, _>>()?, client: None })
    }

    /// The same with the roots that the client lists, as `file:` addresses. What cannot be read grants nothing.
    pub(super) fn and_client(&self, addresses: &[String]) -> Self {
        let roots = addresses.iter().filter_map(|address| path_of(address)?.canonicalize_utf8().ok()).collect();
        Self { flags: self.flags.clone(), client: Some(roots) }
    }

    /// Whether a folder lies in what is granted, by its real path: a link that leads out of a root is outside.
    fn holds(&self, folder: &Utf8Path) -> bool {
        let within = |roots: &[Utf8PathBuf]| roots.iter().any(|root| folder.starts_with(root));
        match (&self.flags[..], &self.client) {
            ([], None) => false,
            ([], Some(client)) => within(client),
            (flags, None) => within(flags),
            (flags, Some(client)) => within(flags) && within(client),
        }
    }

    /// Whether a request may see this bug: those of benchmarks are as the user set them up.
    pub(super) fn shows(&self, bug: &BugId) -> bool {
        bug.benchmark != LOCAL || self.holds(Utf8Path::new(&bug.name))
    }

    /// The bug that a request names.
    ///
    /// # Errors
    /// It is none, or a folder outside. Of a path outside nothing is told, not even whether it exists.
    pub(super) fn bug(&self, text: &str) -> Result<BugId, Failure> {
        let path = Utf8Path::new(text);
        let is_path = text.contains('/') || path.exists();
        let inside = !is_path || path.canonicalize_utf8().is_ok_and(|real| self.holds(&real));
        let bug = if inside { Some(benchmark::parse_bug(text)?) } else { None };
        bug.filter(|bug| self.shows(bug)).ok_or_else(|| self.refusal(text))
    }

    fn refusal(&self, text: &str) -> Failure {
        let what = format!("`{text}` lies in no folder that was granted");
        let hint = match (&self.flags[..], &self.client) {
            ([], None) => "start the server with `--root DIR`, or let the client list its roots".to_owned(),
            _ => "name the folder of a project inside a granted root, by its full path".to_owned(),
        };
        Failure { code: "outside_roots", ..Failure::usage(what, hint) }
    }
}

/// Whether a request names a folder, so that the client's roots matter.
pub(super) fn names_a_folder(text: &str) -> bool {
    text.contains('/') || Utf8Path::new(text).exists()
}

/// The path of a `file:` address of this machine.
fn path_of(address: &str) -> Option<Utf8PathBuf> {
    let rest = address.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let path = percent_decode_str(path).decode_utf8().ok()?;
    path.starts_with('/').then(|| Utf8PathBuf::from(path.into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_path_of_this_machine() {
        let path = |address| path_of(address).map(Utf8PathBuf::into_string);
        assert_eq!(path("file:///home/me/a%20b"), Some("/home/me/a b".to_owned()));
        assert_eq!(path("file://localhost/x"), Some("/x".to_owned()));
        for foreign in ["http://h/x", "file://host/x", "file:relative", "/x"] {
            assert_eq!(path(foreign), None, "{foreign}");
        }
    }

    #[test]
    fn a_folder_must_lie_in_the_roots_of_both_sides() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(temporary.path()).unwrap().canonicalize_utf8().unwrap();
        for name in ["a/one", "a/two", "ab", "secret"] {
            std::fs::create_dir_all(folder.join(name)).unwrap();
        }
        std::os::unix::fs::symlink(folder.join("secret"), folder.join("a/link")).unwrap();
        let allowed = |granted: &Granted, name: &str| granted.bug(folder.join(name).as_str()).is_ok();
        let flags = Granted::of(&[folder.join("a")]).unwrap();
        let all = ["a", "a/one", "a/two", "a/link", "ab", "secret", "a/../secret", "absent"];
        assert_eq!(all.map(|name| allowed(&flags, name)), [true, true, true, false, false, false, false, false]);
        let narrowed = flags.and_client(&[format!("file://{folder}/a/one"), format!("file://{folder}/secret")]);
        assert_eq!(all.map(|name| allowed(&narrowed, name)), [false, true, false, false, false, false, false, false]);
        let nothing = Granted::default();
        assert_eq!(all.map(|name| allowed(&nothing, name)), [false; 8]);
        assert!(nothing.bug("fixtures:roman-numerals").is_ok(), "a bug of a benchmark names no folder");
        assert_eq!(nothing.bug(folder.join("absent").as_str()).unwrap_err().code, "outside_roots");
    }
}
