//! Requirements in natural language that the user gives: one text, or a folder with a text for each bug.

use super::error::Failure;
use crate::benchmark::LOCAL;
use crate::domain::BugId;
use camino::{Utf8Component, Utf8Path};
use std::fs;

/// How a text in a folder ends; the first one that is there counts.
const ENDINGS: [&str; 2] = ["md", "txt"];

/// Reads what `--requirements` names for a bug: the file, or in a folder `NAME.md` or `NAME.txt`, where the bug is
/// `benchmark:NAME` or a project's folder `NAME`. `None` where the folder holds none.
///
/// # Errors
/// The path or the text cannot be read.
pub(super) fn read(path: &Utf8Path, bug: &BugId) -> Result<Option<String>, Failure> {
    if !path.is_dir() {
        return text(path).map(Some);
    }
    let found = ENDINGS.iter().map(|ending| path.join(format!("{}.{ending}", name(bug)))).find(|file| file.is_file());
    found.map(|file| text(&file)).transpose()
}

/// Says that a folder holds no text for a bug.
pub(super) fn none_in(folder: &Utf8Path, bug: &BugId) -> String {
    let name = name(bug);
    let files = ENDINGS.map(|ending| format!("`{name}.{ending}`")).join(" or ");
    format!("{folder} holds no requirements of {bug}: they would stand in {files}")
}

/// A bug's name as a path below a folder; a project lies where it likes, so its last folder is its name.
fn name(bug: &BugId) -> String {
    let path = Utf8Path::new(&bug.name);
    if bug.benchmark == LOCAL {
        return path.file_name().unwrap_or_default().to_owned();
    }
    let inside = path.components().filter(|part| matches!(part, Utf8Component::Normal(_)));
    inside.map(|part| part.as_str()).collect::<Vec<_>>().join("/")
}

fn text(path: &Utf8Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|e| {
        Failure::unusable(
            format!("--requirements: {e} ({path})"),
            "give a readable text file in UTF-8, or a folder with `NAME.md` for each bug",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_holds_a_text_for_each_bug() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(dir.path()).unwrap();
        fs::write(folder.join("Lang-1.txt"), "Long hexadecimal numbers are read.").unwrap();
        fs::write(folder.join("shop.md"), "Orders from 100 on are free.").unwrap();
        fs::create_dir(folder.join("abc123_a")).unwrap();
        fs::write(folder.join("abc123_a/7.md"), "Print the sum.").unwrap();
        let of = |bug: &str| read(folder, &bug.parse().unwrap()).unwrap();
        assert_eq!(of("defects4j:Lang-1").as_deref(), Some("Long hexadecimal numbers are read."));
        assert_eq!(of("local:/home/ada/shop").as_deref(), Some("Orders from 100 on are free."));
        assert_eq!(of("condefects:abc123_a/7").as_deref(), Some("Print the sum."));
        assert_eq!(of("defects4j:Lang-2"), None);
        let lacks = none_in(folder, &"defects4j:Lang-2".parse().unwrap());
        assert!(lacks.contains("no requirements of defects4j:Lang-2") && lacks.contains("`Lang-2.md`"), "{lacks}");
    }

    #[test]
    fn no_name_of_a_bug_leads_out_of_the_folder() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(dir.path()).unwrap();
        fs::write(folder.join("secret.txt"), "s").unwrap();
        fs::create_dir(folder.join("in")).unwrap();
        let bug = BugId { benchmark: "defects4j".into(), name: "../secret".into() };
        assert_eq!(read(&folder.join("in"), &bug).unwrap(), None);
    }
}
