//! A call of Maven that may fetch what is missing.

use super::invoke::{Maven, no_settings};
use super::user;
use crate::benchmark::mirror::{self, Mirror};
use crate::benchmark::{BenchmarkError, age, jars};
use crate::sandbox::{Job, Sandbox};
use camino::Utf8Path;
use std::{fs, io};

/// Where Maven's library holds the pom that all others inherit from.
const SUPER_POM: &str = "org/apache/maven/model/pom-4.0.0.xml";

/// What must live as long as a call that fetches.
pub(super) struct Fetching {
    pub(super) mirror: Mirror,
    _repository: tempfile::TempDir,
}

impl Maven {
    /// A call on a project that fetches through a mirror, into a repository of its own, which `arguments` names. The mirror
    /// keeps what it fetched in `store`.
    pub(super) async fn fetching_job(
        &self,
        root: &Utf8Path,
        store: &Utf8Path,
        arguments: impl FnOnce(&Utf8Path) -> Vec<String>,
    ) -> Result<(Job, Fetching), BenchmarkError> {
        let settings = user::settings();
        let mut upstreams = self.users_repositories().await;
        for upstream in poms(root).flat_map(|pom| mirror::of_project(&pom)) {
            if !upstreams.contains(&upstream) {
                upstreams.push(upstream);
            }
        }
        let opened = async {
            let odd = || io::Error::other("the path of a private folder is no text");
            let mirror = Mirror::open(store, jars::local_repository(), upstreams).await?;
            let private = Utf8Path::from_path(mirror.folder.path()).ok_or_else(odd)?;
            let settings = user::file_in(private, &user::copy(settings.as_deref(), Some(&mirror.url)))?;
            let all = jars::cache_dir().join("fetching");
            fs::create_dir_all(&all)?;
            // What a program left that was killed.
            age::forget_old(&all);
            let own = tempfile::tempdir_in(&all)?;
            let repository = Utf8Path::from_path(own.path()).ok_or_else(odd)?.canonicalize_utf8()?;
            let mut job = self.bare_job(root, &settings, arguments(&repository)).write(repository);
            job.door = Some(mirror.door.clone());
            Ok((job, Fetching { mirror, _repository: own }))
        };
        opened.await.map_err(no_settings)
    }

    /// The repositories that the user and this Maven know.
    async fn users_repositories(&self) -> Vec<mirror::Upstream> {
        let super_pom = self.super_pom().await;
        mirror::of_user(user::settings().as_deref(), super_pom.as_deref())
    }

    /// The pom that all others inherit from, out of this Maven's own library: it names the repository every Maven knows.
    async fn super_pom(&self) -> Option<String> {
        let library = self.installed.libraries("maven-model-builder").into_iter().next()?;
        let folder = tempfile::tempdir().ok()?;
        let place = Utf8Path::from_path(folder.path())?.canonicalize_utf8().ok()?;
        let unpack = Job::new(self.jdk.join("bin/jar").as_str(), &place)
            .args(["xf", library.as_str(), SUPER_POM])
            .read([self.jdk.clone(), library.clone()])
            .write(&place);
        let done = self.sandbox.run(unpack).await;
        if let Err(error) = done {
            tracing::warn!("Maven's own pom cannot be read: {error}");
        }
        fs::read_to_string(place.join(SUPER_POM)).ok()
    }
}

/// The repositories that the user's settings and, where one is installed, Maven know.
pub(in crate::benchmark::local) async fn users_repositories(
    sandbox: &Sandbox,
    jdk: &Utf8Path,
) -> Vec<mirror::Upstream> {
    match Maven::find(sandbox.clone(), Some(jdk), None) {
        Ok(maven) => maven.users_repositories().await,
        Err(_) => mirror::of_user(user::settings().as_deref(), None),
    }
}

/// The texts of all poms.
fn poms(root: &Utf8Path) -> impl Iterator<Item = String> {
    let walk = ignore::WalkBuilder::new(root).standard_filters(false).max_depth(Some(8)).build();
    let poms = walk.flatten().filter(|entry| entry.file_name() == "pom.xml" && entry.path().is_file());
    poms.filter_map(|entry| fs::read(entry.path()).ok()).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}
