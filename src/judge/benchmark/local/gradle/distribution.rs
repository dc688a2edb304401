//! The Gradle that a project's wrapper names: found where it was fetched before, or fetched.
//!
//! The wrapper itself is a program of the project, so it is not run.

use crate::benchmark::error::Unusable;
use crate::benchmark::{age, jars, mirror};
use crate::domain::Fingerprint;
use crate::sandbox::{Job, Sandbox};
use camino::{Utf8Path, Utf8PathBuf};
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use std::fs;
use std::time::Duration;

const WRAPPER_PROPERTIES: &str = "gradle/wrapper/gradle-wrapper.properties";
/// Unpacking takes seconds.
const UNPACK: Duration = Duration::from_secs(300);

/// A distribution of Gradle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Distribution {
    /// `gradle-8.5-bin`.
    name: String,
    address: String,
    /// What the project says of the file, in hexadecimal.
    sha256: Option<String>,
}

impl Distribution {
    /// What the wrapper of the project in `root` names.
    pub(super) fn wanted(root: &Utf8Path) -> Option<Self> {
        let text = fs::read_to_string(root.join(WRAPPER_PROPERTIES)).ok()?;
        let property = |name: &str| {
            let value = text.lines().find_map(|line| line.trim().strip_prefix(name))?;
            // A colon ends a name in such a file, and stands behind a backslash where it does not.
            Some(value.trim_start_matches([' ', '=', ':']).trim().replace("\\:", ":"))
        };
        let address = property("distributionUrl")?;
        let name = address.rsplit('/').next()?.strip_suffix(".zip")?.to_owned();
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | '+');
        let is_gradle = name.starts_with("gradle-") && name.chars().all(is_name);
        let sha256 = property("distributionSha256Sum").map(|sum| sum.to_lowercase());
        is_gradle.then_some(Self { name, address, sha256 })
    }

    pub(super) fn version(&self) -> &str {
        let tail = self.name.trim_start_matches("gradle-");
        tail.trim_end_matches("-bin").trim_end_matches("-all")
    }

    /// Its folder, where the user's own wrapper or this program fetched it.
    pub(super) fn found(&self, users: Option<&Utf8Path>) -> Option<Utf8PathBuf> {
        let places = users.map(|home| below(&home.join("wrapper/dists").join(&self.name))).unwrap_or_default();
        let found = places.iter().find_map(|place| complete(place)).or_else(|| complete(&self.folder()));
        found.inspect(|folder| folder.parent().into_iter().for_each(age::used))
    }

    /// Fetches it, if its address is a public one, and tells its folder.
    ///
    /// # Errors
    /// Why it could not be fetched, for people.
    pub(super) async fn fetch(&self, sandbox: &Sandbox, jdk: &Utf8Path) -> Result<Utf8PathBuf, Unusable> {
        let bytes = self.download().await?;
        self.unpack(&bytes, sandbox, jdk).await
    }

    async fn download(&self) -> Result<Vec<u8>, Unusable> {
        let (base, file) = self.address.rsplit_once('/').ok_or("it has no address")?;
        let upstream = mirror::public(base).ok_or_else(|| format!("{base} is no public address"))?;
        let server = upstream.connected().map_err(|error| error.to_string())?;
        let bytes = server.get(file).await?.ok_or_else(|| format!("{base} does not have {file}"))?;
        let published = match &self.sha256 {
            Some(_) => None,
            None => server.get(&format!("{file}.sha256")).await?,
        };
        let published = published.map(|text| String::from_utf8_lossy(&text).trim().to_lowercase());
        match self.sha256.as_ref().or(published.as_ref()) {
            Some(sum) if *sum != HEXLOWER.encode(&Sha256::digest(&bytes)) => {
                Err(format!("the sum of {file} is wrong").into())
            }
            _ => Ok(bytes),
        }
    }

    /// Unpacks an archive in the sandbox, for its names are a stranger's.
    async fn unpack(&self, archive: &[u8], sandbox: &Sandbox, jdk: &Utf8Path) -> Result<Utf8PathBuf, Unusable> {
        let failed = |error: std::io::Error| format!("it cannot be kept: {error}");
        let folder = self.folder();
        let all = folder.parent().ok_or("there is no cache")?.to_owned();
        fs::create_dir_all(&all).map_err(failed)?;
        age::forget_old(&all);
        let new = tempfile::tempdir_in(&all).map_err(failed)?;
        let place = Utf8Path::from_path(new.path()).ok_or("the cache's path is no text")?;
        let place = place.canonicalize_utf8().map_err(failed)?;
        let file = place.join("archive.zip");
        fs::write(&file, archive).map_err(failed)?;
        let job = Job::new(jdk.join("bin/jar").as_str(), &place).args(["xf", file.as_str()]);
        let done = sandbox.run(job.read([jdk.to_owned()]).write(&place).wall(UNPACK)).await;
        let done = done.map_err(|error| format!("it cannot be unpacked: {error}"))?;
        fs::remove_file(&file).map_err(failed)?;
        if complete(&place).is_none() {
            let errors = String::from_utf8_lossy(&done.stderr);
            return Err(
                format!("it cannot be unpacked: {}", errors.lines().next().unwrap_or("no Gradle is in it")).into()
            );
        }
        // Another process may have been faster; its copy is as good.
        let _ = fs::rename(&place, &folder);
        complete(&folder).ok_or_else(|| "it cannot be kept".into())
    }

    /// Where this program keeps it: by its address, so that a project decides only for those that name the same one.
    fn folder(&self) -> Utf8PathBuf {
        let cache = jars::cache_dir();
        let name = Fingerprint::default().add(&self.address).add(self.sha256.as_deref().unwrap_or_default()).name();
        cache.join("gradle-distributions").join(name)
    }
}

/// The folder of a Gradle right below another one.
fn complete(place: &Utf8Path) -> Option<Utf8PathBuf> {
    below(place).into_iter().find(|folder| folder.join("bin/gradle").is_file())
}

fn below(folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    let entries = folder.read_dir_utf8().into_iter().flatten().flatten();
    entries.map(|entry| entry.into_path()).filter(|path| path.is_dir()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::jdk;
    use crate::benchmark::testing::write;
    use crate::sandbox::Choice;

    fn project(properties: &str) -> (tempfile::TempDir, Utf8PathBuf) {
        let temp = tempfile::tempdir().unwrap();
        let base = Utf8Path::from_path(temp.path()).unwrap().canonicalize_utf8().unwrap();
        write(&base.join("p").join(WRAPPER_PROPERTIES), properties);
        (temp, base)
    }

    #[test]
    fn the_wrapper_names_a_distribution_that_the_user_may_have() {
        let (_keep, base) = project("distributionUrl=https\\://example.org/distributions/gradle-8.5-bin.zip\n");
        let wanted = Distribution::wanted(&base.join("p")).unwrap();
        assert_eq!(wanted.address, "https://example.org/distributions/gradle-8.5-bin.zip");
        assert_eq!((wanted.version(), wanted.found(Some(&base))), ("8.5", None));
        let folder = base.join("wrapper/dists/gradle-8.5-bin/abc/gradle-8.5");
        write(&folder.join("bin/gradle"), "");
        assert_eq!(wanted.found(Some(&base)), Some(folder));
    }

    #[tokio::test]
    async fn an_odd_address_names_nothing_and_a_private_one_is_not_asked() {
        let (_keep, base) = project("distributionUrl=https\\://host/a/gradle-..%2F..-bin.zip\n");
        assert_eq!(Distribution::wanted(&base.join("p")), None);
        for private in ["http\\://example.org", "https\\://127.0.0.1:8443", "https\\://intranet", "file\\:///etc"] {
            let (_keep, base) = project(&format!("distributionUrl={private}/gradle-8.5-bin.zip\n"));
            let refused = Distribution::wanted(&base.join("p")).unwrap().download().await.unwrap_err();
            assert!(refused.ends_with("is no public address"), "{refused}");
        }
    }

    #[tokio::test]
    async fn an_archive_is_unpacked_and_one_without_a_gradle_is_refused() {
        let (_keep, base) = project("distributionUrl=https\\://example.org/gradle-0.1-unpacked-bin.zip\n");
        let wanted = Distribution::wanted(&base.join("p")).unwrap();
        let (jdk, sandbox) = (jdk::find(None).unwrap().home, Sandbox::detect(Choice::Auto).await.unwrap());
        let pack = |name: &str| {
            write(&base.join("in").join(name), "echo hello");
            let done = std::process::Command::new(jdk.join("bin/jar"))
                .args(["cfM", base.join("a.zip").as_str(), "-C", base.join("in").as_str(), "."])
                .status();
            assert!(done.unwrap().success());
            fs::read(base.join("a.zip")).unwrap()
        };
        let refused = wanted.unpack(&pack("readme"), &sandbox, &jdk).await.unwrap_err();
        assert_eq!(&*refused, "it cannot be unpacked: no Gradle is in it");
        let folder = wanted.unpack(&pack("gradle-0.1/bin/gradle"), &sandbox, &jdk).await.unwrap();
        assert_eq!(wanted.found(None), Some(folder.clone()));
        assert_eq!(fs::read_to_string(folder.join("bin/gradle")).unwrap(), "echo hello");
        fs::remove_dir_all(wanted.folder()).unwrap();
    }
}
