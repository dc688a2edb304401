//! How long what is kept between runs stays: until nobody opened it for a month.

use camino::Utf8Path;
use std::fs::{self, File};
use std::time::{Duration, SystemTime};

/// What nobody opened for so long is made again when it is needed.
const KEPT_FOR: Duration = Duration::from_secs(30 * 24 * 3600);

/// Says that a kept folder was opened now.
pub(crate) fn used(folder: &Utf8Path) {
    if let Ok(folder) = File::open(folder) {
        // Only the age of what nobody opens decides; a time that cannot be set makes it older, no more.
        let _ = folder.set_modified(SystemTime::now());
    }
}

/// Removes what lies in a folder and was not made or opened for a month, so that the cache does not grow for ever.
pub(crate) fn forget_old(folder: &Utf8Path) {
    for entry in folder.read_dir_utf8().into_iter().flatten().flatten() {
        let age = entry.metadata().and_then(|meta| meta.modified()).ok().and_then(|time| time.elapsed().ok());
        if age.is_some_and(|age| age > KEPT_FOR) {
            // Another process may be faster; then there is nothing left to do.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_nobody_opened_for_a_month_goes() {
        let temp = tempfile::tempdir().unwrap();
        let cache = Utf8Path::from_path(temp.path()).unwrap();
        for name in ["old", "opened", "new"] {
            fs::create_dir(cache.join(name)).unwrap();
        }
        for name in ["old", "opened"] {
            let long_ago = SystemTime::now() - 2 * KEPT_FOR;
            File::open(cache.join(name)).unwrap().set_modified(long_ago).unwrap();
        }
        used(&cache.join("opened"));
        forget_old(cache);
        assert!(!cache.join("old").exists() && cache.join("opened").exists() && cache.join("new").exists());
    }
}
