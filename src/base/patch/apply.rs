//! From edits to a patch: which files, how each changes, and whether it may.

use super::diff::{self, FileDiff, Role};
use super::original::{Original, Splice, refused, unappliable, written_lines};
use super::{Edits, LineEdits, MethodEdit, Originals, PatchError, Policy, content, hunks, lines, members, methods};
use crate::domain::{FileChange, LineSpan, Patch, RepoPath};
use crate::language;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Makes a patch of edits: all of them or none. Files that would not change are left out, so that a patch without
/// files is one that does nothing.
///
/// # Errors
/// `Unappliable` when an edit does not fit the code: which one, and the nearest lines. `Refused` when it touches what
/// the policy does not let it touch.
pub fn apply(edits: &Edits, originals: &dyn Originals, policy: &Policy) -> Result<Patch, PatchError> {
    let size = size_of(edits);
    if size > content::MAX_BYTES {
        let most = content::MAX_BYTES;
        return Err(refused(format!("the proposal has {size} bytes; at most {most} are accepted")));
    }
    let at = Checkout { originals, policy };
    let mut files = match edits {
        Edits::Diff(text) => at.diff(text)?,
        Edits::Methods(edits) => at.methods(edits)?,
        Edits::Lines(edits) => at.lines(edits)?,
    };
    files.retain(|file| file.before.as_deref() != Some(&*file.after));
    content::check(&files, policy)?;
    Ok(Patch { files })
}

/// The methods that edits would replace as a whole, each by file and lines of the original: what a proposer should have
/// seen before. Edits that would not apply are left out.
pub fn replaced_methods(edits: &[MethodEdit], originals: &dyn Originals, policy: &Policy) -> Vec<(RepoPath, LineSpan)> {
    let at = Checkout { originals, policy };
    let mut found = Vec::new();
    for edit in edits {
        let Ok(Named::Old(path)) = at.named(&edit.file_path, false) else { continue };
        let Ok(file) = at.original(&path) else { continue };
        found.extend(methods::replaced(&file, &[edit], policy.language).into_iter().map(|span| (path.clone(), span)));
    }
    found
}

/// Files that a diff names, each by the name that it has then: those that a policy leaves out, and the others; none where the
/// diff cannot be read.
pub fn files_of(diff: &str, policy: &Policy) -> (Vec<RepoPath>, Vec<RepoPath>) {
    let parts = diff::parse(diff).unwrap_or_default();
    let (left_out, others): (Vec<_>, Vec<_>) = parts.into_iter().partition(|part| part.is_left_out(policy));
    let named = |parts: Vec<FileDiff>| parts.iter().filter_map(|part| part.paths().next()).collect();
    (named(left_out), named(others))
}

fn size_of(edits: &Edits) -> usize {
    match edits {
        Edits::Diff(text) => text.len(),
        Edits::Methods(edits) => edits.iter().map(|edit| edit.code.len()).sum(),
        Edits::Lines(edits) => edits
            .iter()
            .map(|edit| {
                let inserted = edit.insertions.iter().flat_map(|i| &i.new_lines).map(String::len).sum::<usize>();
                inserted + edit.modifications.iter().map(|m| m.modified_line.len()).sum::<usize>()
            })
            .sum(),
    }
}

/// How a proposal names a file.
enum Named {
    /// A file that is there.
    Old(RepoPath),
    /// A path where none is.
    New(RepoPath),
}

struct Checkout<'a> {
    originals: &'a dyn Originals,
    policy: &'a Policy,
}

impl Checkout<'_> {
    fn diff(&self, text: &str) -> Result<Vec<FileChange>, PatchError> {
        let mut old: BTreeMap<RepoPath, FileDiff> = BTreeMap::new();
        let mut changes: BTreeMap<RepoPath, FileChange> = BTreeMap::new();
        let mut parts = diff::parse(text)?;
        parts.retain(|part| !part.is_left_out(self.policy));
        if parts.is_empty() {
            return Err(refused("the diff changes texts for people alone".to_owned()));
        }
        for part in parts {
            match self.target(&part)? {
                Named::Old(path) => {
                    let all = old.entry(path).or_default();
                    all.deletes |= part.deletes;
                    all.moves_to = part.moves_to.or(all.moves_to.take());
                    all.hunks.extend(part.hunks);
                }
                Named::New(path) if part.deletes => return Err(missing(&path)),
                Named::New(path) => {
                    let change = self.created_by_diff(&path, &part)?;
                    if changes.insert(path.clone(), change).is_some() {
                        return Err(unappliable(format!("the diff creates {path} twice")));
                    }
                }
            }
        }
        for (path, part) in old {
            let file = self.original(&path)?;
            let splices = hunks::edits(&file, &part.hunks, self.policy.language)?;
            let mut change = self.change(&file, splices)?;
            if let Some(name) = &part.moves_to {
                let to = self.moved(name, &change)?;
                if changes.insert(to.path.clone(), to).is_some() {
                    return Err(unappliable(format!("the diff creates {name} twice")));
                }
            }
            if part.deletes || part.moves_to.is_some() {
                change.after = [].into();
            }
            changes.insert(path, change);
        }
        Ok(changes.into_values().collect())
    }

    /// The file of a new name, with what the one of the old name holds.
    fn moved(&self, name: &str, change: &FileChange) -> Result<FileChange, PatchError> {
        match self.named(name, true)? {
            Named::New(path) => {
                self.check_free(&path)?;
                Ok(FileChange { path, before: None, after: change.after.clone() })
            }
            Named::Old(path) => Err(refused(format!("{path} is there; a file cannot take its name"))),
        }
    }

    /// Whether a file can be made.
    fn check_free(&self, path: &RepoPath) -> Result<(), PatchError> {
        if !self.policy.accept_new_files {
            return Err(refused(format!("{path} would be a new file; new files are not accepted here")));
        }
        if !self.originals.is_free(path) {
            return Err(refused(format!("{path} cannot be made: something is there, or a symbolic link leads to it")));
        }
        Ok(())
    }

    fn methods(&self, edits: &[MethodEdit]) -> Result<Vec<FileChange>, PatchError> {
        let mut by_file: BTreeMap<RepoPath, Vec<&MethodEdit>> = BTreeMap::new();
        let mut changes = Vec::new();
        for edit in edits {
            let creating = edit.method.is_none() && self.is_whole_file(&edit.file_path, &edit.code);
            match self.named(&edit.file_path, creating)? {
                Named::Old(path) => by_file.entry(path).or_default().push(edit),
                Named::New(path) if creating => {
                    let lines = written_lines(&methods::unfenced(&edit.code));
                    changes.push(self.created(&path, &lines, false)?);
                }
                Named::New(path) => return Err(missing(&path)),
            }
        }
        for (path, edits) in by_file {
            let file = self.original(&path)?;
            let splices = methods::edits(&file, &edits, self.policy.language)?;
            changes.push(self.change(&file, splices)?);
        }
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        match changes.windows(2).find(|pair| pair[0].path == pair[1].path) {
            Some(pair) => Err(unappliable(format!("{} is created twice", pair[0].path))),
            None => Ok(changes),
        }
    }

    fn lines(&self, edits: &[LineEdits]) -> Result<Vec<FileChange>, PatchError> {
        let mut by_file: BTreeMap<RepoPath, LineEdits> = BTreeMap::new();
        let mut changes = Vec::new();
        for edit in edits {
            let creating = edit.deletions.is_empty() && edit.modifications.is_empty();
            let path = match self.named(&edit.file_path, creating)? {
                Named::Old(path) => path,
                Named::New(path) if creating => {
                    let new: Vec<_> = edit.insertions.iter().flat_map(|i| &i.new_lines).collect();
                    let new: Vec<_> = new.into_iter().flat_map(|text| written_lines(text)).collect();
                    changes.push(self.created(&path, &new, false)?);
                    continue;
                }
                Named::New(path) => return Err(missing(&path)),
            };
            let all = by_file.entry(path).or_insert_with(|| LineEdits {
                file_path: edit.file_path.clone(),
                insertions: Vec::new(),
                deletions: Vec::new(),
                modifications: Vec::new(),
            });
            all.insertions.extend(edit.insertions.iter().cloned());
            all.deletions.extend(&edit.deletions);
            all.modifications.extend(edit.modifications.iter().cloned());
        }
        for (path, edit) in by_file {
            let file = self.original(&path)?;
            let splices = lines::edits(&file, &edit)?;
            changes.push(self.change(&file, splices)?);
        }
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        match changes.windows(2).find(|pair| pair[0].path == pair[1].path) {
            Some(pair) => Err(unappliable(format!("{} is created twice", pair[0].path))),
            None => Ok(changes),
        }
    }

    /// The file a part of a diff is for.
    fn target(&self, part: &FileDiff) -> Result<Named, PatchError> {
        let only_inserts = part.hunks.iter().flat_map(|hunk| &hunk.lines).all(|line| line.role == Role::Insert);
        let creating = part.creates || only_inserts;
        let mut failure = None;
        for name in &part.names {
            match self.named(name, creating) {
                Ok(Named::New(path)) if !creating => failure = failure.or(Some(missing(&path))),
                Ok(found) => return Ok(found),
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        // `--- original` and `+++ modified` name no file: as if they were missing.
        let names_file = |name: &String| name.contains(['/', '.']);
        match (&self.policy.default_file, failure) {
            (Some(file), _) if !part.names.iter().any(names_file) => Ok(Named::Old(file.clone())),
            (_, Some(failure)) => Err(failure),
            _ => Err(unappliable(
                "the diff does not say which file it is for; start it with the lines `--- a/path` and `+++ b/path`",
            )),
        }
    }

    /// The file that a name means: as it stands, without the prefixes of a diff, else by its longest unique suffix;
    /// where the edit can make a file, a path inside a source folder where nothing is.
    fn named(&self, name: &str, creating: bool) -> Result<Named, PatchError> {
        let leaves =
            |part: &str| part == ".." || part.eq_ignore_ascii_case(".git") || part.eq_ignore_ascii_case("git~1");
        if name.contains('\0') || name.split(['/', '\\']).any(leaves) {
            let name = name.escape_debug();
            return Err(refused(format!("`{name}` leaves the checkout or enters its `.git` folder")));
        }
        let stripped = name.strip_prefix("a/").or_else(|| name.strip_prefix("b/"));
        let spellings: Vec<RepoPath> =
            [Some(name), stripped].into_iter().flatten().filter_map(|name| RepoPath::new(name).ok()).collect();
        if let Some(path) = spellings.iter().find(|path| self.originals.read(path).is_some()) {
            return self.allowed(path.clone()).map(Named::Old);
        }
        let new = spellings.iter().rev().find(|path| self.policy.check_path(path).is_ok());
        if let Some(new) = new.filter(|_| creating) {
            return Ok(Named::New(new.clone()));
        }
        let all = self.originals.paths();
        let sources = all.iter().filter(|path| self.policy.check_path(path).is_ok());
        let text = stripped.unwrap_or(name);
        let found = language::resolve(text, sources, self.policy.language)
            .or_else(|error| language::resolve(text, all.iter(), self.policy.language).map_err(|_| error));
        match (found, spellings.last()) {
            // Who makes a file names a folder: one of the same last name elsewhere is not meant.
            (Ok(found), _) if !creating || shares_folder(found, text) => self.allowed(found.clone()).map(Named::Old),
            (Ok(_), Some(path)) => self.allowed(path.clone()).map(Named::New),
            (Ok(found), None) => Err(unappliable(format!("`{name}` is no path; did you mean {found}?"))),
            // Not there, and nothing that might be made there: the policy says it best.
            (Err(_), Some(path)) if creating || !self.policy.language.is_source(path.as_str().into()) => {
                self.allowed(path.clone()).map(Named::New)
            }
            (Err(error), _) => Err(unappliable(error.to_string())),
        }
    }

    fn allowed(&self, path: RepoPath) -> Result<RepoPath, PatchError> {
        self.policy.check_path(&path).map(|()| path)
    }

    fn original(&self, path: &RepoPath) -> Result<Original, PatchError> {
        let bytes = self.originals.read(path).ok_or_else(|| unappliable(format!("{path} cannot be read")))?;
        if bytes.contains(&0) {
            return Err(refused(format!("{path} is binary")));
        }
        Ok(Original::new(path.clone(), &bytes))
    }

    fn change(&self, file: &Original, splices: Vec<Splice>) -> Result<FileChange, PatchError> {
        let after: Arc<[u8]> = file.splice(splices)?.into();
        Ok(FileChange { path: file.path.clone(), before: self.originals.read(&file.path), after })
    }

    /// Whether code is a file of its own: a type of the file's name at the top level.
    fn is_whole_file(&self, path: &str, code: &str) -> bool {
        let stem = path.rsplit('/').next().and_then(|name| name.split('.').next()).unwrap_or("");
        let code = methods::unfenced(code);
        let Some(tree) = language::parse(&code, self.policy.language) else { return false };
        members::types(tree.root_node(), &code, self.policy.language.syntax()).iter().any(|kind| kind.path == stem)
    }

    fn created_by_diff(&self, path: &RepoPath, part: &FileDiff) -> Result<FileChange, PatchError> {
        let lines: Vec<_> = part.hunks.iter().flat_map(|hunk| &hunk.lines).collect();
        if lines.iter().any(|line| line.role != Role::Insert && !line.text.is_empty()) {
            return Err(unappliable(format!("{path} does not exist, and the diff shows lines of it")));
        }
        let new: Vec<String> = lines.iter().map(|line| line.text.clone()).collect();
        self.created(path, &new, lines.last().is_some_and(|line| line.open_end))
    }

    fn created(&self, path: &RepoPath, lines: &[String], open_end: bool) -> Result<FileChange, PatchError> {
        self.check_free(path)?;
        let mut text: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
        if open_end {
            text.pop();
        }
        Ok(FileChange { path: path.clone(), before: None, after: text.into_bytes().into() })
    }
}

/// Whether a path has the last name of another, and, where that names a folder, the folder's, too.
fn shares_folder(path: &RepoPath, text: &str) -> bool {
    let text = text.replace('\\', "/");
    let mut wanted = text.trim_matches('/').rsplitn(3, '/');
    let (file, folder) = (wanted.next(), wanted.next());
    let mut found = path.as_str().rsplit('/');
    folder.is_none() || (found.next() == file && found.next() == folder)
}

fn missing(path: &RepoPath) -> PatchError {
    unappliable(format!("no file `{path}`"))
}
