//! How people and models name a source file: by path, by a part of it, by class.

use super::Language;
use crate::domain::{RepoPath, outer_class};

/// How many candidates or neighbours an error names.
const SHOWN: usize = 8;

/// Why a text names no file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unresolved {
    /// Several files fit equally well.
    #[error("`{text}` fits several files: {}; give more of the path", listed(candidates))]
    Ambiguous {
        /// What was given.
        text: String,
        /// The files that fit, at most eight.
        candidates: Vec<RepoPath>,
    },
    /// No file fits.
    #[error("no file `{text}`{}", if nearest.is_empty() { String::new() } else { format!("; the nearest: {}", listed(nearest)) })]
    Unknown {
        /// What was given.
        text: String,
        /// Files with the most similar names, the nearest first.
        nearest: Vec<RepoPath>,
    },
}

fn listed(paths: &[RepoPath]) -> String {
    paths.iter().map(RepoPath::as_str).collect::<Vec<_>>().join(", ")
}

/// The file that a text names among `paths`: the exact path, else the one file that shares the longest suffix of whole
/// components, else a class name with dots (`a.b.C`, `a.b.C$Inner`).
///
/// # Errors
/// Says which files fit when several do, or which have similar names when none does.
pub fn resolve<'p>(
    text: &str,
    paths: impl Iterator<Item = &'p RepoPath> + Clone,
    language: &dyn Language,
) -> Result<&'p RepoPath, Unresolved> {
    let wanted = text.trim().trim_matches(['`', '"', '\'']).replace('\\', "/");
    let wanted = wanted.trim_start_matches("./").trim_matches('/');
    if let Some(found) = paths.clone().find(|path| path.as_str() == wanted) {
        return Ok(found);
    }
    let mut spelled = vec![wanted.to_owned()];
    spelled.extend(as_class(wanted, language));
    for spelling in &spelled {
        match by_suffix(spelling, paths.clone()).as_slice() {
            [] => {}
            [only] => return Ok(only),
            several => {
                let candidates = several.iter().take(SHOWN).map(|&path| path.clone()).collect();
                return Err(Unresolved::Ambiguous { text: text.to_owned(), candidates });
            }
        }
    }
    Err(Unresolved::Unknown { text: text.to_owned(), nearest: nearest(wanted, paths) })
}

/// Files ending in the longest suffix of the wanted components that any file ends in.
fn by_suffix<'p>(wanted: &str, paths: impl Iterator<Item = &'p RepoPath> + Clone) -> Vec<&'p RepoPath> {
    let mut rest = Some(wanted).filter(|w| !w.is_empty());
    while let Some(suffix) = rest {
        let fits = |path: &&RepoPath| {
            path.as_str().strip_suffix(suffix).is_some_and(|head| head.is_empty() || head.ends_with('/'))
        };
        let found: Vec<_> = paths.clone().filter(fits).collect();
        if !found.is_empty() {
            return found;
        }
        rest = suffix.split_once('/').map(|(_, shorter)| shorter);
    }
    Vec::new()
}

/// Paths that the class of that name would have: `a.b.C` is `a/b/C.java`, `a.b.C.Inner` lies in it too.
fn as_class(text: &str, language: &dyn Language) -> Vec<String> {
    let name = text.strip_suffix(&format!(".{}", language.extension())).unwrap_or(text);
    let name = outer_class(name).replace('.', "/");
    let mut spelled = vec![format!("{name}.{}", language.extension())];
    if let Some((outer, _)) = name.rsplit_once('/')
        && outer.rsplit('/').next().is_some_and(|last| last.starts_with(char::is_uppercase))
    {
        spelled.push(format!("{outer}.{}", language.extension()));
    }
    spelled
}

fn nearest<'p>(wanted: &str, paths: impl Iterator<Item = &'p RepoPath>) -> Vec<RepoPath> {
    // Extensions are all alike and would make strangers look like relatives.
    let stem = |name: &str| name.split('.').next().unwrap_or(name).to_lowercase();
    let name = stem(wanted.rsplit('/').next().unwrap_or(wanted));
    let likeness = |path: &RepoPath| strsim::normalized_damerau_levenshtein(&name, &stem(path.file_name()));
    let mut scored: Vec<_> = paths.map(|path| (likeness(path), path)).filter(|(score, _)| *score > 0.4).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored.into_iter().take(5).map(|(_, path)| path.clone()).collect()
}

/// Whether a file counts as test code: the deepest root it lies in decides; where one folder holds both, its name does.
pub fn is_test(path: &RepoPath, source_roots: &[RepoPath], test_roots: &[RepoPath], language: &dyn Language) -> bool {
    let depth = |roots: &[RepoPath]| {
        roots.iter().filter(|root| path.is_within(root)).map(|root| root.as_str().len() + 1).max().unwrap_or(0)
    };
    match depth(test_roots).cmp(&depth(source_roots)) {
        std::cmp::Ordering::Less => false,
        std::cmp::Ordering::Greater => true,
        std::cmp::Ordering::Equal => {
            let stem = path.stem();
            depth(test_roots) > 0 && language.is_test_name(stem)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Java;
    use super::*;

    fn paths(texts: &[&str]) -> Vec<RepoPath> {
        texts.iter().map(|text| RepoPath::new(text).unwrap()).collect()
    }

    #[test]
    fn a_file_is_found_by_what_people_write() {
        let all =
            paths(&["src/main/java/a/b/Stack.java", "src/main/java/a/c/Queue.java", "src/test/java/a/c/Queue.java"]);
        for text in [
            "src/main/java/a/b/Stack.java",
            "./src/main/java/a/b/Stack.java",
            "/home/me/project/a/b/Stack.java",
            "b\\Stack.java",
            "Stack.java",
            "a.b.Stack",
            "a.b.Stack$Node",
            "a.b.Stack.Node",
            "a.b.Stack.java",
            "Stack",
            "`Stack.java`",
        ] {
            assert_eq!(resolve(text, all.iter(), &Java).unwrap().as_str(), "src/main/java/a/b/Stack.java", "{text}");
        }
        assert_eq!(resolve("main/java/a/c/Queue.java", all.iter(), &Java).unwrap(), &all[1]);
    }

    #[test]
    fn doubt_names_the_candidates_and_nonsense_the_nearest() {
        let all = paths(&["x/Queue.java", "y/Queue.java", "y/Stack.java"]);
        let Err(Unresolved::Ambiguous { candidates, .. }) = resolve("Queue.java", all.iter(), &Java) else {
            panic!("two files fit");
        };
        assert_eq!(candidates.len(), 2);
        let error = resolve("Stak.java", all.iter(), &Java).unwrap_err();
        assert_eq!(error.to_string(), "no file `Stak.java`; the nearest: y/Stack.java");
        assert!(resolve("", all.iter(), &Java).is_err());
    }

    #[test]
    fn the_deepest_root_says_what_is_a_test() {
        let (sources, tests) = (paths(&["src"]), paths(&["src/test"]));
        assert!(is_test(&RepoPath::new("src/test/A.java").unwrap(), &sources, &tests, &Java));
        assert!(!is_test(&RepoPath::new("src/main/ATest.java").unwrap(), &sources, &tests, &Java));
        assert!(is_test(&RepoPath::new("p/ATest.java").unwrap(), &paths(&["p"]), &paths(&["p"]), &Java));
        assert!(!is_test(&RepoPath::new("p/A.java").unwrap(), &paths(&["p"]), &paths(&["p"]), &Java));
    }
}
