//! Reading unified diffs as models write them: counts wrong or missing, headers missing, prose around.

mod line;

use super::original::unappliable;
use super::{PatchError, Policy};
use crate::domain::RepoPath;
use line::{bare, file_name, hunk_header, is_open_end, looks_like_file, marked, refuse_special, unquoted};

/// What a line of a hunk does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Context,
    Delete,
    Insert,
}

/// A line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DiffLine {
    pub role: Role,
    pub text: String,
    /// Marked with `\ No newline at end of file`.
    pub open_end: bool,
    /// It had no mark in its first column: context if anything.
    doubtful: bool,
}

/// A contiguous change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Hunk {
    /// Line of the original given in the header, counted from 1: only a hint.
    pub hint: Option<usize>,
    /// What stands behind the second `@@`: the line of the enclosing declaration.
    pub heading: String,
    pub lines: Vec<DiffLine>,
}

impl Hunk {
    pub(super) fn changes(&self) -> bool {
        self.lines.iter().any(|line| line.role != Role::Context)
    }
}

/// All hunks for one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FileDiff {
    /// Names from the headers, the new one first; without headers there are none.
    pub names: Vec<String>,
    /// Whether the header says that the file is new.
    pub creates: bool,
    /// Whether the header says that the file goes away.
    pub deletes: bool,
    /// The name that the file gets, where it gets another.
    pub moves_to: Option<String>,
    pub hunks: Vec<Hunk>,
}

impl FileDiff {
    /// Whether it changes nothing but what a policy leaves out.
    pub(super) fn is_left_out(&self, policy: &Policy) -> bool {
        let mut paths = self.paths().peekable();
        paths.peek().is_some() && paths.all(|path| policy.leaves_out(&path))
    }

    /// The paths that its names mean, without the prefixes of a diff.
    pub(super) fn paths(&self) -> impl Iterator<Item = RepoPath> {
        let named = self.names.iter().chain(&self.moves_to).filter(|name| *name != "/dev/null");
        let bare = named.map(|name| name.strip_prefix("a/").or_else(|| name.strip_prefix("b/")).unwrap_or(name));
        bare.filter_map(|name| RepoPath::new(name).ok())
    }
}

/// Reads a diff.
///
/// # Errors
/// Binary patches, links and submodules are refused; a text without any changed line is unappliable.
pub(super) fn parse(text: &str) -> Result<Vec<FileDiff>, PatchError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines: Vec<&str> = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    let mut reader = Reader { lines, at: 0, files: Vec::new() };
    reader.read()?;
    let mut files = reader.files;
    for file in &mut files {
        file.hunks.retain(Hunk::changes);
    }
    files.retain(|file| !file.hunks.is_empty() || file.deletes || file.moves_to.is_some());
    if files.is_empty() {
        return Err(unappliable("the diff holds no line that starts with `+` or `-`"));
    }
    Ok(files)
}

/// What stands in front of the signature of a mail, behind the last hunk.
const SIGNATURE: &str = "-- ";

struct Reader<'a> {
    lines: Vec<&'a str>,
    at: usize,
    files: Vec<FileDiff>,
}

impl<'a> Reader<'a> {
    fn line(&self, at: usize) -> Option<&'a str> {
        self.lines.get(at).copied()
    }

    fn read(&mut self) -> Result<(), PatchError> {
        let mut floor = 0;
        while let Some(line) = self.line(self.at) {
            refuse_special(line)?;
            if self.moved() {
                self.at += 1;
            } else if self.header_at(self.at) {
                self.file_header()?;
            } else if let Some(header) = line.strip_prefix("@@") {
                self.at += 1;
                self.hunk(header);
            } else if line == SIGNATURE {
                self.at += 1;
                continue;
            } else if line.starts_with(['+', '-']) {
                self.at = self.start_of_bare_hunk(floor);
                self.hunk("");
            } else {
                self.at += 1;
                continue;
            }
            floor = self.at;
        }
        Ok(())
    }

    /// Whether the line says that a file gets another name, which is noted.
    fn moved(&mut self) -> bool {
        let line = self.line(self.at).unwrap_or("");
        if let Some(from) = line.strip_prefix("rename from ") {
            let to = self.line(self.at + 1).and_then(|next| next.strip_prefix("rename to "));
            let Some(to) = to.map(|to| unquoted(to.trim())) else { return false };
            let names = vec![unquoted(from.trim())];
            self.files.push(FileDiff { names, moves_to: Some(to), ..FileDiff::default() });
            return true;
        }
        let to = line.strip_prefix("*** Move to:").map(|to| to.trim().to_owned());
        match (to, self.files.last_mut()) {
            (Some(to), Some(file)) => {
                file.moves_to = Some(to);
                true
            }
            _ => false,
        }
    }

    /// Without an `@@` line a hunk begins with the lines of context right above its first change.
    fn start_of_bare_hunk(&self, floor: usize) -> usize {
        let is_context = |at: &usize| self.lines[*at].is_empty() || self.lines[*at].starts_with([' ', '\t']);
        let context = (floor..self.at).rev().take_while(is_context);
        context.filter(|at| !self.lines[*at].is_empty()).last().unwrap_or(self.at)
    }

    fn header_at(&self, at: usize) -> bool {
        let Some(line) = self.line(at) else { return false };
        if ["*** Update File:", "*** Add File:", "*** Delete File:"].iter().any(|start| line.starts_with(start)) {
            return true;
        }
        if line.starts_with("+++ ") && at > 0 && !self.line(at - 1).is_some_and(|above| above.starts_with("--- ")) {
            return looks_like_file(&line[4..]);
        }
        line.starts_with("--- ") && self.line(at + 1).is_some_and(|next| next.starts_with("+++ "))
    }

    fn file_header(&mut self) -> Result<(), PatchError> {
        let line = self.line(self.at).unwrap_or("");
        self.at += 1;
        let mut file = FileDiff::default();
        if let Some((kind, name)) = line.strip_prefix("*** ").and_then(|rest| rest.split_once(" File:")) {
            file.names.push(name.trim().to_owned());
            (file.creates, file.deletes) = (kind == "Add", kind == "Delete");
        } else {
            let (old, new) = match line.strip_prefix("--- ") {
                Some(old) => {
                    let new = self.line(self.at).and_then(|line| line.strip_prefix("+++ ")).unwrap_or(old);
                    self.at += 1;
                    (old, new)
                }
                None => (&line[4..], &line[4..]),
            };
            let (old, new) = (file_name(old), file_name(new));
            // The header of a file whose new name was just read.
            let is_of_moved = |file: &FileDiff| file.hunks.is_empty() && file.moves_to.as_ref() == Some(&bare(&new));
            if self.files.last().is_some_and(is_of_moved) {
                return Ok(());
            }
            file.creates = old == "/dev/null";
            file.deletes = new == "/dev/null";
            if file.deletes {
                file.names.push(old);
                self.files.push(file);
                return Ok(());
            }
            file.names.push(new);
            if !file.creates && !file.names.contains(&old) {
                file.names.push(old);
            }
        }
        self.files.push(file);
        Ok(())
    }

    fn hunk(&mut self, header: &str) {
        let (hint, counts, heading) = hunk_header(header);
        let lines = counts.and_then(|counts| self.counted(counts)).unwrap_or_else(|| self.uncounted());
        if self.files.is_empty() {
            self.files.push(FileDiff::default());
        }
        if let Some(file) = self.files.last_mut() {
            file.hunks.push(Hunk { hint, heading, lines });
        }
    }

    /// Reads as many lines as the header says, when that gives a whole hunk.
    fn counted(&mut self, (old, new): (usize, usize)) -> Option<Vec<DiffLine>> {
        let (mut old_left, mut new_left) = (old, new);
        let mut found: Vec<DiffLine> = Vec::new();
        let mut at = self.at;
        while old_left > 0 || new_left > 0 {
            let read = marked(self.line(at)?)?;
            at += 1;
            match read.role {
                Role::Context => (old_left, new_left) = (old_left.checked_sub(1)?, new_left.checked_sub(1)?),
                Role::Delete => old_left = old_left.checked_sub(1)?,
                Role::Insert => new_left = new_left.checked_sub(1)?,
            }
            found.push(read);
            if self.line(at).is_some_and(is_open_end) {
                found.last_mut()?.open_end = true;
                at += 1;
            }
        }
        let next = self.line(at).unwrap_or("");
        let whole = next.is_empty() || next == SIGNATURE || self.header_at(at) || !next.starts_with([' ', '+', '-']);
        if !whole || found.is_empty() {
            return None;
        }
        self.at = at;
        Some(found)
    }

    /// Reads to the next header; lines without a mark are context if they are anything.
    fn uncounted(&mut self) -> Vec<DiffLine> {
        let mut found: Vec<DiffLine> = Vec::new();
        while let Some(line) = self.line(self.at) {
            let heads = ["@@", "diff --git ", "index ", "```", "*** "];
            if heads.iter().any(|head| line.starts_with(head)) || self.header_at(self.at) {
                break;
            }
            self.at += 1;
            // What was left out, also when said in a comment: what follows has a place of its own.
            if matches!(line.trim().trim_start_matches('/').trim(), "..." | "…") {
                break;
            }
            if is_open_end(line) {
                if let Some(last) = found.last_mut() {
                    last.open_end = true;
                }
                continue;
            }
            found.push(marked(line).unwrap_or_else(|| DiffLine {
                role: Role::Context,
                text: line.to_owned(),
                open_end: false,
                doubtful: true,
            }));
        }
        // What follows the last marked line may be prose, or the end of the text.
        while found.last().is_some_and(|line| line.doubtful || (line.role == Role::Context && line.text.is_empty())) {
            found.pop();
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roles(hunk: &Hunk) -> String {
        hunk.lines
            .iter()
            .map(|line| match line.role {
                Role::Context => ' ',
                Role::Delete => '-',
                Role::Insert => '+',
            })
            .collect()
    }

    #[test]
    fn headers_and_counts_may_be_wrong_or_missing() {
        for text in [
            "--- a/A.java\n+++ b/A.java\n@@ -3,2 +3,2 @@\n a\n-b\n+c\n",
            "--- a/A.java\n+++ b/A.java\n@@ -3,9 +3,7 @@ int f() {\n a\n-b\n+c\n",
            "--- a/A.java\n+++ b/A.java\n@@ ... @@\n a\n-b\n+c\n\nThis fixes it.",
            "--- a/A.java\n+++ b/A.java\n@@\n a\n-b\n+c\n```\nprose",
            "--- a/A.java\n+++ b/A.java\n a\n-b\n+c",
            "*** Begin Patch\n*** Update File: A.java\n@@ class A\n a\n-b\n+c\n*** End Patch",
        ] {
            let files = parse(text).unwrap();
            assert_eq!(files.len(), 1, "{text}");
            assert_eq!(files[0].hunks.len(), 1, "{text}");
            assert_eq!(roles(&files[0].hunks[0]), " -+", "{text}");
            assert!(files[0].names.iter().any(|name| name.ends_with("A.java")));
        }
        let bare = parse("-b\n+c").unwrap();
        assert!(bare[0].names.is_empty());
    }

    #[test]
    fn what_is_left_out_parts_a_hunk() {
        for gap in ["...", " ...", "     // ...", " // …"] {
            let files = parse(&format!("--- a/A.java\n+++ b/A.java\n@@ @@\n a\n-b\n+c\n{gap}\n d\n-e\n")).unwrap();
            let hunks: Vec<_> = files[0].hunks.iter().map(roles).collect();
            assert_eq!(hunks, [" -+", " -"], "{gap}");
        }
    }

    #[test]
    fn content_that_looks_like_a_header_is_content_when_the_counts_say_so() {
        let files = parse("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- old\n+++ new\n@@ -9 +9 @@\n-a\n+b\n").unwrap();
        assert_eq!(files[0].names[0], "new", "a header followed by a hunk, and the counts do not fit");
        let files = parse("--- a/x\n+++ b/x\n@@ -1 +1 @@\n--- old\n+++ new\n").unwrap();
        assert_eq!((files.len(), files[0].hunks[0].lines[0].text.as_str()), (1, "-- old"));
    }

    #[test]
    fn files_go_away_and_get_other_names_in_every_spelling() {
        for text in [
            "diff --git a/A.java b/A.java\ndeleted file mode 100644\n--- a/A.java\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
            "*** Delete File: A.java\n",
        ] {
            let files = parse(text).unwrap();
            assert!(files.len() == 1 && files[0].deletes && files[0].names[0].ends_with("A.java"), "{files:?}");
        }
        for text in [
            "diff --git a/A.java b/B.java\nrename from A.java\nrename to B.java\n--- a/A.java\n+++ b/B.java\n@@ -1 +1 @@\n-a\n+b\n",
            "*** Update File: A.java\n*** Move to: B.java\n@@\n-a\n+b\n",
        ] {
            let files = parse(text).unwrap();
            assert!(files.len() == 1 && files[0].hunks.len() == 1, "{files:?}");
            assert_eq!(files[0].moves_to.as_deref(), Some("B.java"));
        }
        assert_eq!(parse("rename from A.java\nrename to B.java\n").unwrap()[0].names, ["A.java"]);
    }

    #[test]
    fn texts_are_left_out_where_asked_and_what_becomes_one_or_was_one_is_not() {
        let policy = Policy::new(vec![RepoPath::default()], Vec::new(), &crate::language::Java);
        let policy = Policy { leaves_texts_out: true, ..policy };
        let edit = |from: &str, to: &str| format!("--- a/{from}\n+++ b/{to}\n@@ -1 +1 @@\n-a\n+b\n");
        let moved = |from: &str, to: &str| format!("rename from {from}\nrename to {to}\n{}", edit(from, to));
        let is_left_out = |text: String| parse(&text).unwrap()[0].is_left_out(&policy);
        assert!(is_left_out(edit("CHANGES.md", "CHANGES.md")));
        assert!(is_left_out(moved("NEWS.md", "CHANGES.md")));
        assert!(!is_left_out(edit("requirements.txt", "requirements.txt")));
        assert!(!is_left_out(moved("A.java", "A.md")) && !is_left_out(moved("A.md", "A.java")));
        assert!(!is_left_out("@@ -1 +1 @@\n-a\n+b\n".into()), "it names no file");
        let policy = Policy { leaves_texts_out: false, ..policy.clone() };
        assert!(!parse(&edit("CHANGES.md", "CHANGES.md")).unwrap()[0].is_left_out(&policy));
    }

    #[test]
    fn what_is_no_edit_of_text_is_refused() {
        for text in [
            "diff --git a/x b/x\nGIT binary patch\nliteral 3\n",
            "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc\n",
        ] {
            assert!(matches!(parse(text), Err(PatchError::Refused { .. })), "{text}");
        }
        assert!(matches!(parse("no diff at all"), Err(PatchError::Unappliable { .. })));
    }
}
