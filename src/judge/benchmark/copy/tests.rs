use super::*;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

fn folder(files: &[&str]) -> (tempfile::TempDir, Utf8PathBuf) {
    let temp = tempfile::tempdir().unwrap();
    let root = Utf8PathBuf::from_path_buf(temp.path().canonicalize().unwrap()).unwrap();
    for file in files {
        fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
        fs::write(root.join(file), file).unwrap();
    }
    (temp, root)
}

fn found(root: &Utf8Path) -> Vec<String> {
    let mut all: Vec<_> = ignore::WalkBuilder::new(root)
        .standard_filters(false)
        .build()
        .map(|entry| entry.unwrap().path().strip_prefix(root).unwrap().to_str().unwrap().to_owned())
        .filter(|path| !root.join(path).is_dir() || root.join(path).is_symlink())
        .collect();
    all.sort();
    all
}

#[test]
fn history_and_old_output_stay_behind() {
    let (_keep, from) = folder(&[
        ".git/config",
        "pom.xml",
        "target/classes/A.class",
        "src/A.java",
        "src/A.class",
        "src/A$1.class",
        "test/data/Only.class",
        "test/resources/Old.java",
        "test/resources/Old.class",
        "docs/target/page.md",
    ]);
    let (_also, into) = folder(&[]);
    let copied = private_copy(&from, &into).unwrap();
    let data = ["test/data/Only.class", "test/resources/Old.class", "test/resources/Old.java"];
    assert_eq!(found(&into), [&["docs/target/page.md", "pom.xml", "src/A.java"], &data[..]].concat());
    assert_eq!(copied.files, 6);
}

#[test]
fn links_that_leave_and_special_files_stay_behind_and_are_named() {
    let (_keep, from) = folder(&["src/A.java"]);
    symlink("/etc/passwd", from.join("absolute")).unwrap();
    symlink("../../../../etc", from.join("src/up")).unwrap();
    symlink("A.java", from.join("src/B.java")).unwrap();
    symlink("gone", from.join("dangling")).unwrap();
    nix::unistd::mkfifo(from.join("pipe").as_std_path(), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let (_also, into) = folder(&[]);
    let copied = private_copy(&from, &into).unwrap();
    assert_eq!(found(&into), ["src/A.java", "src/B.java"]);
    assert_eq!(copied.left_out.len(), 4, "{:?}", copied.left_out);
    assert!(copied.left_out.iter().any(|line| line == "left out pipe: it is no plain file"));
}

#[test]
fn a_copy_into_the_project_does_not_copy_itself() {
    let (_keep, from) = folder(&["src/A.java", "copy/old.txt"]);
    let copied = private_copy(&from, &from.join("copy")).unwrap();
    assert_eq!(copied.files, 1);
}

/// What lies in a folder: each file with its content, rights and time, each link with where it leads.
fn all_of(root: &Utf8Path) -> Vec<(String, String)> {
    let shown = |path: String| {
        let full = root.join(&path);
        let meta = fs::symlink_metadata(&full).unwrap();
        let what = match meta.is_symlink() {
            true => full.read_link_utf8().unwrap().to_string(),
            false => format!("{:?} {:o} {:?}", fs::read(&full), meta.mode(), meta.modified().unwrap()),
        };
        (path, what)
    };
    found(root).into_iter().map(shown).collect()
}

#[test]
fn a_used_copy_becomes_what_a_fresh_one_is() {
    let (_keep, from) = folder(&["src/A.java", "src/B.java", "src/C.java", "data/D.txt", "data/E.txt", "pom.xml"]);
    symlink("A.java", from.join("src/Link.java")).unwrap();
    let (_also, into) = folder(&[]);
    let mut stamps = Stamps::default();
    private_copy_again(&from, &into, &mut stamps).unwrap();
    let fresh = all_of(&into);
    let inode = |path: &str| fs::metadata(into.join(path)).unwrap().ino();
    let untouched = inode("src/C.java");
    for round in 0..3 {
        // The same size and the old time: nothing but what the kernel keeps tells of the change.
        let time = fs::metadata(into.join("src/A.java")).unwrap().modified().unwrap();
        fs::write(into.join("src/A.java"), "src/X.java").unwrap();
        fs::File::open(into.join("src/A.java")).unwrap().set_modified(time).unwrap();
        fs::remove_file(into.join("src/B.java")).unwrap();
        fs::create_dir_all(into.join("src/B.java/deep")).unwrap();
        fs::remove_file(into.join("src/Link.java")).unwrap();
        fs::hard_link(into.join("pom.xml"), into.join("src/Link.java")).unwrap();
        fs::remove_dir_all(into.join("data")).unwrap();
        symlink("src", into.join("data")).unwrap();
        fs::create_dir_all(into.join("target/classes")).unwrap();
        fs::write(into.join("target/classes/A.class"), "left").unwrap();
        let copied = private_copy_again(&from, &into, &mut stamps).unwrap();
        assert_eq!(all_of(&into), fresh, "round {round}");
        assert_eq!((copied.files, inode("src/C.java")), (6, untouched));
    }
    fs::set_permissions(into.join("data"), fs::Permissions::from_mode(0o500)).unwrap();
    private_copy_again(&from, &into, &mut stamps).unwrap();
    assert_ne!(fs::metadata(into.join("data")).unwrap().mode() & 0o777, 0o500);
    // What the copy is made from may change, too.
    fs::write(from.join("pom.xml"), "other").unwrap();
    private_copy_again(&from, &into, &mut stamps).unwrap();
    assert_eq!(fs::read(into.join("pom.xml")).unwrap(), b"other");
}

#[test]
fn a_missing_folder_is_named() {
    let (_keep, into) = folder(&[]);
    let error = private_copy(Utf8Path::new("/no/such/folder"), &into).unwrap_err();
    assert!(error.to_string().contains("/no/such/folder"), "{error}");
}
