//! What Maven made of a project, kept for the next run of exactly the same files.
//!
//! The output folders of all modules are kept, with what Maven wrote about them. Paths in it that lie in the copy are
//! written for the copy of the next run, also where the build wrote them into resources.

use super::invoke::Maven;
use super::memory::{Invocation, how_of, words_of};
use super::request::{CLASS_PATH, Request};
use crate::benchmark::copy::copy_files;
use crate::benchmark::local::store::Store;
use crate::benchmark::{age, is_output, jars};
use crate::domain::Fingerprint;
use camino::{Utf8Path, Utf8PathBuf};
use std::time::SystemTime;
use std::{fs, io};

/// Larger output is not kept.
const MOST_BYTES: u64 = 512 << 20;
/// Stands for the folder of the copy in what Maven wrote.
const COPY: &str = "@copy-of-unidebug@";
/// Changes when what is kept has another form.
const FORMAT: u32 = 4;
/// Larger files hold no path of the copy, nor do those with these ends.
const MOST_OF_TEXT: u64 = 1 << 20;
const NO_TEXT: [&str; 2] = ["class", "jar"];
/// What plug-ins write beside the poms, from nothing else than those, whenever they run.
const MADE_OF_POMS: &str = ".flattened-pom.xml";
/// How Maven was called, beside the outputs.
const HOW: &str = "how";

/// A build that may be kept.
pub(super) struct CachedBuild {
    folder: Utf8PathBuf,
    /// The copy it was or will be made in.
    root: Utf8PathBuf,
    key: String,
}

impl CachedBuild {
    /// The place for what this request makes; `None` when the copy cannot be read.
    pub(super) fn of(request: &Request, maven: &Maven) -> Option<Self> {
        let key = key(request, maven).ok()?;
        let all = jars::cache_dir().join("maven-builds");
        let folder = all.join(&key);
        age::forget_old(&all);
        Some(Self { folder, root: request.root.clone(), key })
    }

    /// Puts what was kept into the copy; tells how Maven made it.
    pub(super) fn restore(&self) -> Option<(Store, Invocation)> {
        let file = self.folder.join(HOW);
        let how = fs::read_to_string(&file).ok()?;
        if !has_its_libraries(&self.folder, file.metadata().ok()?.modified().ok()?) {
            return None;
        }
        let how = how_of(&how)?;
        copy_outputs(&self.folder.join("outputs"), &self.root, COPY, self.root.as_str()).ok()?;
        age::used(&self.folder);
        Some(how)
    }

    /// Keeps what Maven made. A build that changed more than its outputs is not kept; nor does it matter when the disk is
    /// full, for it costs time only.
    pub(super) fn save(&self, request: &Request, maven: &Maven, store: Store, invocation: &Invocation) {
        if key(request, maven).ok().as_ref() != Some(&self.key) {
            return;
        }
        if let Err(error) = self.try_save(store, invocation) {
            tracing::info!("what Maven made is not kept: {error}");
        }
    }

    fn try_save(&self, store: Store, invocation: &Invocation) -> io::Result<()> {
        let all = self.folder.parent().unwrap_or(&self.folder);
        fs::create_dir_all(all)?;
        let new = tempfile::Builder::new().prefix("new-").tempdir_in(all)?;
        let folder = Utf8Path::from_path(new.path()).ok_or_else(|| io::Error::other("a path that is no text"))?;
        for output in outputs(&self.root) {
            let inside = output.strip_prefix(&self.root).unwrap_or(&output);
            copy_outputs(&output, &folder.join("outputs").join(inside), self.root.as_str(), COPY)?;
        }
        fs::write(folder.join(HOW), words_of(store, invocation))?;
        let _ = fs::remove_dir_all(&self.folder);
        fs::rename(folder, &self.folder)
    }
}

/// Copies a folder of outputs; in its texts one text is replaced by another.
fn copy_outputs(from: &Utf8Path, into: &Utf8Path, old: &str, new: &str) -> io::Result<()> {
    let mut bytes = 0;
    copy_files(from, into, |file, target| {
        bytes += file.metadata()?.len();
        if bytes > MOST_BYTES {
            return Err(io::Error::other("it is too large"));
        }
        match rewritten(file, old, new)? {
            Some(text) => fs::write(target, text),
            None => fs::copy(file, target).map(drop),
        }
    })
}

/// The text of a file in which one text is replaced by another; `None` where it does not hold it.
fn rewritten(file: &Utf8Path, old: &str, new: &str) -> io::Result<Option<String>> {
    if file.extension().is_some_and(|end| NO_TEXT.contains(&end)) || file.metadata()?.len() > MOST_OF_TEXT {
        return Ok(None);
    }
    let text = String::from_utf8(fs::read(file)?).ok();
    Ok(text.filter(|text| text.contains(old)).map(|text| text.replace(old, new)))
}

/// Whether the libraries of kept class paths are there, and none of them is newer than what was made with it.
fn has_its_libraries(folder: &Utf8Path, made: SystemTime) -> bool {
    let walk = ignore::WalkBuilder::new(folder).standard_filters(false).build();
    let files = walk.flatten().filter(|entry| entry.path().ends_with(CLASS_PATH));
    let texts: Vec<String> = files.filter_map(|entry| fs::read_to_string(entry.path()).ok()).collect();
    let mut entries = texts.iter().flat_map(|text| text.trim().split(':')).filter(|entry| !entry.is_empty());
    entries.all(|entry| {
        let written = fs::metadata(entry).and_then(|meta| meta.modified());
        entry.starts_with(COPY) || written.is_ok_and(|written| written <= made)
    })
}

/// Folders of build output in a copy, the outermost.
fn outputs(root: &Utf8Path) -> Vec<Utf8PathBuf> {
    let mut found: Vec<Utf8PathBuf> = Vec::new();
    for entry in ignore::WalkBuilder::new(root).standard_filters(false).build().flatten() {
        let Some(path) = Utf8Path::from_path(entry.path()).filter(|path| path.is_dir()) else { continue };
        if is_build_output(path) && !found.iter().any(|output| path.starts_with(output)) {
            found.push(path.to_owned());
        }
    }
    found
}

fn is_build_output(path: &Utf8Path) -> bool {
    path.file_name().is_some_and(|name| is_output(name, |file| path.with_file_name(file).is_file()))
}

/// A name for all files of the copy but build output, and for what is asked of which Maven and JDK.
fn key(request: &Request, maven: &Maven) -> io::Result<String> {
    let mut fingerprint = Fingerprint::default();
    let Request { root, only, tests } = request;
    fingerprint.add(format!("{FORMAT} {only:?} {tests:?} {}", maven.described()));
    let mut walk = ignore::WalkBuilder::new(root);
    walk.standard_filters(false).sort_by_file_path(std::cmp::Ord::cmp);
    walk.filter_entry(|entry| {
        !Utf8Path::from_path(entry.path()).is_some_and(|path| path.is_dir() && is_build_output(path))
    });
    for entry in walk.build().flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file())) {
        let Some(path) = Utf8Path::from_path(entry.path()) else { continue };
        if path.file_name() == Some(MADE_OF_POMS) {
            continue;
        }
        fingerprint.add(path.strip_prefix(root).unwrap_or(path).as_str()).add(fs::read(path)?);
    }
    Ok(fingerprint.name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::testing::write;

    #[test]
    fn outputs_come_back_with_the_paths_of_the_new_copy() {
        let temp = tempfile::tempdir().unwrap();
        let base = Utf8Path::from_path(temp.path()).unwrap();
        let (one, two) = (base.join("one"), base.join("two"));
        let jar = base.join("junit.jar");
        write(&jar, "");
        for root in [&one, &two] {
            write(&root.join("a/pom.xml"), "<project/>");
        }
        write(&one.join("a/target/classes/A.class"), "made");
        write(&one.join("a").join(CLASS_PATH), &format!("{one}/b/target/classes:{jar}"));
        let resource = "a/target/test-classes/places.properties";
        write(&one.join(resource), &format!("classes={one}/a/target/classes"));
        let cached =
            |root: &Utf8Path| CachedBuild { folder: base.join("kept"), root: root.to_owned(), key: "k".into() };
        cached(&one).try_save(Store::Own, &Invocation::Direct).unwrap();
        assert_eq!(cached(&two).restore(), Some((Store::Own, Invocation::Direct)));
        assert_eq!(fs::read_to_string(two.join("a/target/classes/A.class")).unwrap(), "made");
        assert_eq!(fs::read_to_string(two.join(resource)).unwrap(), format!("classes={two}/a/target/classes"));
        let class_path = fs::read_to_string(two.join("a").join(CLASS_PATH)).unwrap();
        assert_eq!(class_path, format!("{two}/b/target/classes:{jar}"));
        let secret = base.join("secret");
        write(&secret, "outside");
        let planted = one.join("a").join(CLASS_PATH).with_file_name("planted");
        std::os::unix::fs::symlink(&secret, &planted).unwrap();
        cached(&one).try_save(Store::Own, &Invocation::Direct).unwrap();
        let kept_link = base.join("kept/outputs/a").join(CLASS_PATH).with_file_name("planted");
        assert!(kept_link.symlink_metadata().is_err(), "no link is followed");
        fs::remove_file(&jar).unwrap();
        assert_eq!(cached(&two).restore(), None, "a library is gone");
    }
}
