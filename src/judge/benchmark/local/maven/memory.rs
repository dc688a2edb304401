//! What worked the last time for a project with the same poms, so that a second run is quick and needs no network.

use super::extension::{Goal, MOST_GOALS, listed};
use crate::benchmark::jars;
use crate::benchmark::local::store::Store;
use crate::domain::Fingerprint;
use camino::{Utf8Path, Utf8PathBuf};
use std::fs;

/// How Maven is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Invocation {
    /// The usual life cycle.
    LifeCycle {
        /// Without the goals that refuse to run.
        without: Vec<Goal>,
        /// With language levels older than this one raised to it.
        oldest: Option<u32>,
    },
    /// The compiling goals alone.
    Direct,
}

impl Invocation {
    /// The usual life cycle as the project has it.
    pub(super) const WHOLE: Self = Self::LifeCycle { without: Vec::new(), oldest: None };

    /// How to call Maven next, after a goal refused to run; `None` when nothing is left to try.
    pub(super) fn after(&self, refused: Option<Goal>) -> Option<Self> {
        let Self::LifeCycle { without, oldest } = self else { return None };
        match refused {
            Some(goal) if without.len() < MOST_GOALS && !without.contains(&goal) => {
                let without = without.iter().cloned().chain([goal]).collect();
                Some(Self::LifeCycle { without, oldest: *oldest })
            }
            _ => Some(Self::Direct),
        }
    }

    /// The same with the goals that may refuse for a bug alone: the next tree may be without it.
    fn to_remember(&self) -> Self {
        let mut invocation = self.clone();
        if let Self::LifeCycle { without, .. } = &mut invocation {
            without.retain(|goal| !goal.may_run_the_product());
        }
        invocation
    }

    /// How to call Maven next, after the compiler knew no level older than this one; `None` where that is not new.
    pub(super) fn raised(&self, level: u32) -> Option<Self> {
        match self {
            Self::LifeCycle { without, oldest } if oldest.is_none_or(|oldest| oldest < level) => {
                Some(Self::LifeCycle { without: without.clone(), oldest: Some(level) })
            }
            _ => None,
        }
    }
}

/// What worked the last time for a project with the same poms.
pub(super) struct Memory {
    file: Option<Utf8PathBuf>,
    store: Option<Store>,
    /// How to call Maven first.
    pub invocation: Invocation,
    /// Whether some modules want what no repository has.
    is_short: bool,
}

impl Memory {
    /// What is remembered of a project.
    pub(super) fn of(root: &Utf8Path) -> Self {
        let file = fingerprint(root).map(|name| jars::cache_dir().join("maven").join(name));
        let text = file.as_ref().and_then(|file| fs::read_to_string(file).ok()).unwrap_or_default();
        let how = how_of(&text);
        let is_short = text.split_whitespace().nth(2) == Some("short");
        Self {
            file,
            store: how.as_ref().map(|(store, _)| *store),
            invocation: how.map_or(Invocation::WHOLE, |(_, invocation)| invocation),
            is_short,
        }
    }

    /// Whether nothing more is to be had than what this repository has.
    pub(super) fn is_last(&self, store: Store) -> bool {
        store == Store::Filled || self.is_short && self.store == Some(store)
    }

    /// In which order to try.
    pub(super) fn stores(&self) -> Vec<Store> {
        let mut all = vec![Store::Users, Store::Own, Store::Filled];
        all.sort_by_key(|store| Some(*store) != self.store);
        all
    }

    /// Remembers how Maven was called. Forgetting costs seconds only, so a failure is no error.
    pub(super) fn remember(&self, store: Store, invocation: &Invocation, is_short: bool) {
        let Some(file) = &self.file else { return };
        let _ = file.parent().map(fs::create_dir_all);
        let short = if is_short { " short" } else { "" };
        let _ = fs::write(file, format!("{}{short}\n", words_of(store, &invocation.to_remember())));
    }
}

/// Stands before the oldest language level. No goal has it in its name.
const LEVEL: &str = "/";

/// How Maven was called, as it is written down. What the network filled is there the next time.
pub(super) fn words_of(store: Store, invocation: &Invocation) -> String {
    let store = if store == Store::Users { "users" } else { "own" };
    let Invocation::LifeCycle { without, oldest } = invocation else { return format!("{store} goals") };
    let goals = if without.is_empty() { "cycle".to_owned() } else { format!("without={}", listed(without)) };
    let level = oldest.map_or_else(String::new, |level| format!("{LEVEL}{level}"));
    format!("{store} {goals}{level}")
}

/// How Maven was called, by what [`words_of`] wrote.
pub(super) fn how_of(text: &str) -> Option<(Store, Invocation)> {
    let mut words = text.split_whitespace();
    let store = match words.next()? {
        "users" => Store::Users,
        "own" => Store::Own,
        _ => return None,
    };
    let word = words.next()?;
    if word == "goals" {
        return Some((store, Invocation::Direct));
    }
    let (goals, oldest) = match word.split_once(LEVEL) {
        Some((goals, level)) => (goals, Some(level.parse().ok()?)),
        None => (word, None),
    };
    let without = match goals {
        "cycle" => Vec::new(),
        goals => goals.strip_prefix("without=")?.split(',').map(Goal::new).collect::<Option<_>>()?,
    };
    Some((store, Invocation::LifeCycle { without, oldest }))
}

/// The content of all poms and of `.mvn`, as one name.
fn fingerprint(root: &Utf8Path) -> Option<String> {
    let mut files: Vec<_> = ignore::WalkBuilder::new(root)
        .standard_filters(false)
        .build()
        .flatten()
        .filter_map(|entry| Utf8PathBuf::from_path_buf(entry.into_path()).ok())
        .filter(|path| path.is_file())
        .filter(|path| path.file_name() == Some("pom.xml") || path.parent().is_some_and(|p| p.ends_with(".mvn")))
        .collect();
    files.sort();
    let mut fingerprint = Fingerprint::default();
    for file in files {
        fingerprint.add(file.strip_prefix(root).ok()?.as_str()).add(fs::read(&file).ok()?);
    }
    Some(fingerprint.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_project_depends_on_its_poms_alone() {
        let temp = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(temp.path()).unwrap();
        fs::create_dir(root.join(".mvn")).unwrap();
        fs::write(root.join("pom.xml"), "<project/>").unwrap();
        let first = fingerprint(root).unwrap();
        fs::write(root.join("A.java"), "class A {}").unwrap();
        assert_eq!(fingerprint(root).unwrap(), first);
        fs::write(root.join(".mvn/maven.config"), "-T1").unwrap();
        assert_ne!(fingerprint(root).unwrap(), first);
    }

    #[test]
    fn goals_that_refuse_are_left_out_one_by_one_and_remembered() {
        let goal = |name: &str| Goal::new(&format!("g:a:{name}@default"));
        let one = Invocation::WHOLE.after(goal("check")).unwrap();
        let two = one.after(goal("install")).unwrap();
        assert_eq!(words_of(Store::Own, &two), "own without=g:a:check@default,g:a:install@default");
        let raised = [two.raised(8), Invocation::WHOLE.raised(7)].map(Option::unwrap);
        for invocation in raised.into_iter().chain([Invocation::WHOLE, Invocation::Direct, two.clone()]) {
            assert_eq!(how_of(&words_of(Store::Users, &invocation)), Some((Store::Users, invocation)));
        }
        assert_eq!(two.after(goal("check")), Some(Invocation::Direct), "it refuses though it was left out");
        assert_eq!(one.after(None), Some(Invocation::Direct));
        assert_eq!(Invocation::Direct.after(goal("check")), None);
        assert_eq!(two.raised(8).unwrap().raised(8), None, "it was raised and does not help");
        let runs = two.after(Goal::new("org.codehaus.mojo:exec-maven-plugin:java@tables")).unwrap();
        assert_eq!(runs.to_remember(), two, "what it runs may be the product, with its bug");
    }

    #[test]
    fn what_worked_is_tried_first() {
        let memory = Memory { file: None, store: Some(Store::Own), invocation: Invocation::Direct, is_short: false };
        assert_eq!(memory.stores(), [Store::Own, Store::Users, Store::Filled]);
        let none = Memory { file: None, store: None, invocation: Invocation::WHOLE, is_short: false };
        assert_eq!(none.stores(), [Store::Users, Store::Own, Store::Filled]);
    }
}
