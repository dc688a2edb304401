//! A test that is added to a project: a new file, or a member of a test file that is there. What stands there stays.

use super::original::refused;
use super::{Edits, MethodEdit, Originals, PatchError, Policy, apply, content, methods};
use crate::domain::{FileChange, RepoPath};
use crate::language::Language;

/// The file with the test: `code` is the whole file, or, where the file is there, a member of it with its imports.
///
/// # Errors
/// `Unappliable` when the code is no member; `Refused` when it would change or drop a line that is there.
pub fn with_test(
    path: &RepoPath,
    code: &str,
    originals: &dyn Originals,
    language: &'static dyn Language,
) -> Result<FileChange, PatchError> {
    let Some(before) = originals.read(path) else {
        let after = format!("{}\n", methods::unfenced(code).trim_end());
        let change = FileChange { path: path.clone(), before: None, after: after.as_bytes().into() };
        content::check(std::slice::from_ref(&change), &open(path, language))?;
        return Ok(change);
    };
    if std::str::from_utf8(&before).is_err() {
        return Err(refused(format!("{path} is not in UTF-8; write the test into a new file beside it")));
    }
    let text = String::from_utf8_lossy(&before).into_owned();
    let whole = format!("{}\n", methods::unfenced(code).trim_end());
    if keeps(&text, &whole) {
        let change = FileChange { path: path.clone(), before: Some(before), after: whole.as_bytes().into() };
        content::check(std::slice::from_ref(&change), &open(path, language))?;
        return Ok(change);
    }
    let edit = MethodEdit { file_path: path.to_string(), method: None, code: code.to_owned() };
    let patch = apply(&Edits::Methods(vec![edit]), originals, &open(path, language))?;
    let change = patch.files.into_iter().find(|change| change.path == *path);
    let change = change.ok_or_else(|| refused(format!("{path} has this test already")))?;
    match keeps(&text, &String::from_utf8_lossy(&change.after)) {
        true => Ok(change),
        false => Err(refused(format!("{path} would lose lines; add a test and leave the others as they are"))),
    }
}

/// A policy under which this one folder is open.
fn open(path: &RepoPath, language: &'static dyn Language) -> Policy {
    let folder = path.as_str().rsplit_once('/').map_or("", |(folder, _)| folder);
    Policy::new(RepoPath::new(folder).into_iter().collect(), Vec::new(), language)
}

/// Whether every line of a text, but empty ones, stands in another one too, in the same order.
fn keeps(text: &str, other: &str) -> bool {
    let lines = |text: &'_ str| -> Vec<String> {
        text.lines().map(|line| line.trim_end().to_owned()).filter(|line| !line.is_empty()).collect()
    };
    let other = lines(other);
    let mut rest = other.iter();
    lines(text).iter().all(|line| rest.any(|known| known == line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{Java, Python};
    use std::sync::Arc;

    struct Files(&'static str);
    impl Originals for Files {
        fn read(&self, path: &RepoPath) -> Option<Arc<[u8]>> {
            path.as_str().starts_with("tests/old").then(|| self.0.as_bytes().into())
        }
    }

    fn added(path: &str, code: &str, known: &'static str, language: &'static dyn Language) -> Result<String, String> {
        let path = RepoPath::new(path).unwrap();
        let change = with_test(&path, code, &Files(known), language).map_err(|error| error.to_string())?;
        Ok(String::from_utf8(change.after.to_vec()).unwrap())
    }

    #[test]
    fn a_test_is_added_and_nothing_is_changed() {
        let known = "import cart\n\n\ndef test_a():\n    assert cart.a() == 1\n";
        let member = "def test_b():\n    assert cart.b() == 2";
        let text = added("tests/old_test.py", member, known, &Python).unwrap();
        assert!(text.starts_with(known) && text.contains("def test_b"), "{text}");
        let whole = format!("{known}\n\n{member}\n");
        assert_eq!(added("tests/old_test.py", &whole, known, &Python).unwrap(), whole);
        let changed = whole.replace("a() == 1", "a() == 2");
        assert!(added("tests/old_test.py", &changed, known, &Python).is_err(), "a test that is there would change");
        assert_eq!(added("tests/test_new.py", member, known, &Python).unwrap(), format!("{member}\n"));
    }

    #[test]
    fn a_method_in_java_comes_with_its_imports() {
        let known = "package a;\n\nimport org.junit.Test;\n\npublic class OldTest {\n    @Test\n    public void x() {\n    }\n}\n";
        let code = "import java.util.List;\n\n@Test\npublic void y() {\n    List.of(1);\n}";
        let text = added("tests/old/OldTest.java", code, known, &Java).unwrap();
        assert!(text.contains("import java.util.List;") && text.contains("public void y()"), "{text}");
        assert!(keeps(known, &text));
        let foreign = "package org.junit;\npublic class NewTest { }";
        assert!(added("tests/NewTest.java", foreign, known, &Java).unwrap_err().contains("not the project's"));
    }
}
