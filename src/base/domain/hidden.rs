//! Files that no model may see: those that usually hold secrets, and those that were named.

use super::RepoPath;
pub use globset::Error as BadGlob;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// Names of files that hold keys and passwords, whatever folder they lie in and however they are capitalised.
const SECRET: &[&str] = &[
    "{,**/}.env",
    "{,**/}.env.*",
    "{,**/}*.{pem,key,p12,pfx,jks,keystore,kdbx,tfstate}",
    "{,**/}id_{rsa,dsa,ecdsa,ed25519}{,.*}",
    "{,**/}.{netrc,npmrc,pypirc,pgpass,git-credentials,htpasswd}",
    "{,**/}credentials{,.json,.yml,.yaml,.toml,.ini,.properties}",
    "{,**/}.{ssh,aws,gnupg,kube,docker}/**",
];

/// Which files are hidden. They are still compiled and tested: only models, and tools on their behalf, do not see them.
#[derive(Debug, Clone)]
pub struct Hidden {
    globs: GlobSet,
}

impl Default for Hidden {
    fn default() -> Self {
        Self::new(&[]).unwrap_or(Self { globs: GlobSet::empty() })
    }
}

impl Hidden {
    /// The files that usually hold secrets and those that match one of the globs.
    ///
    /// # Errors
    /// A glob is none; the error names it.
    pub fn new(globs: &[String]) -> Result<Self, BadGlob> {
        let mut set = GlobSetBuilder::new();
        for glob in SECRET.iter().copied().chain(globs.iter().map(String::as_str)) {
            let built = GlobBuilder::new(glob).case_insensitive(true).empty_alternates(true).build();
            set.add(built?);
        }
        Ok(Self { globs: set.build()? })
    }

    /// Whether the file is hidden.
    pub(crate) fn hides(&self, path: &RepoPath) -> bool {
        self.globs.is_match(path.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hides(hidden: &Hidden, path: &str) -> bool {
        hidden.hides(&RepoPath::new(path).unwrap())
    }

    #[test]
    fn secrets_are_hidden_without_being_named_and_code_is_not() {
        let hidden = Hidden::default();
        for path in [".env", "app/.env.local", "keys/server.pem", "id_rsa", "a/ID_ED25519.pub", ".netrc", ".ssh/config"]
        {
            assert!(hides(&hidden, path), "{path}");
        }
        for path in ["conf/credentials.json", "main.tfstate", ".aws/credentials", "a/.npmrc", "x/release.keystore"] {
            assert!(hides(&hidden, path), "{path}");
        }
        for path in ["src/Credentials.java", "src/Key.java", "src/env/Env.java", "pom.xml", "src/pem/Reader.java"] {
            assert!(!hides(&hidden, path), "{path}");
        }
    }

    #[test]
    fn more_can_be_named() {
        let hidden = Hidden::new(&["src/secret/**".to_owned()]).unwrap();
        assert!(hides(&hidden, "src/secret/deep/A.java") && !hides(&hidden, "src/A.java") && hides(&hidden, ".env"));
        assert!(Hidden::new(&["[".to_owned()]).is_err());
    }
}
