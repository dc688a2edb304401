//! Where Gradle finds what a build depends on.

use crate::benchmark::copy::io_error;
use crate::benchmark::local::maven;
use crate::benchmark::local::store::Store;
use crate::benchmark::mirror::Mirror;
use crate::benchmark::{BenchmarkError, jars};
use crate::sandbox::Sandbox;
use camino::{Utf8Path, Utf8PathBuf};
use std::fs;

/// A mirror of the user's repositories, and of public ones that the build names; the user's own files need none.
///
/// # Errors
/// It cannot be opened.
pub(super) async fn mirror(store: Store, sandbox: &Sandbox, jdk: &Utf8Path) -> Result<Option<Mirror>, BenchmarkError> {
    let cache = jars::cache_dir();
    let (own, named) = (cache.join("m2"), cache.join("repositories"));
    let made = fs::create_dir_all(&own).and_then(|()| fs::create_dir_all(&named));
    made.map_err(|source| io_error("cannot make the cache", &cache, source))?;
    let opened = match store {
        Store::Users => return Ok(None),
        Store::Own => Mirror::open_kept(&own, &named).await,
        Store::Filled => {
            let upstreams = maven::users_repositories(sandbox, jdk).await;
            Mirror::open_to_named(&own, upstreams, &named).await
        }
    };
    opened.map(Some).map_err(|source| io_error("cannot open a mirror of repositories", &cache, source))
}

/// The user's home of Gradle.
pub(super) fn users_home() -> Option<Utf8PathBuf> {
    let chosen = std::env::var("GRADLE_USER_HOME").ok().map(Utf8PathBuf::from);
    let usual = || std::env::var("HOME").ok().map(|home| Utf8PathBuf::from(home).join(".gradle"));
    chosen.or_else(usual)?.canonicalize_utf8().ok()
}

/// What the user's own builds fetched.
pub(super) fn users_files() -> Option<Utf8PathBuf> {
    users_home().map(|home| home.join("caches")).filter(|caches| caches.join("modules-2").is_dir())
}
