//! What Helper searches: all sources together, behind the leak guard, with a memory of what was given out.

use super::{Guard, RetrieveError, Solution, Source};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// Results beyond the wanted ones that a source is asked for, in place of those that are dropped.
const SPARE: usize = 4;

/// Sources of solutions for one bug.
#[derive(Default)]
pub struct Finder {
    sources: Vec<Arc<dyn Source>>,
    guard: Option<Guard>,
    tally: Mutex<Tally>,
}

#[derive(Default)]
struct Tally {
    given: BTreeSet<String>,
    dropped: BTreeSet<String>,
}

impl Finder {
    /// A finder without any source; with a guard where the bug's own repair must not be found.
    pub fn new(guard: Option<Guard>) -> Self {
        Self { guard, ..Self::default() }
    }

    /// Adds a source; those that were added first come first among equals.
    pub fn add(&mut self, source: Arc<dyn Source>) {
        self.sources.push(source);
    }

    /// At most `most` solutions, taken in turn from the sources, the nearest first.
    ///
    /// # Errors
    /// Every source failed; with the error of the first.
    pub async fn search(&self, query: &str, most: usize) -> Result<Vec<Solution>, RetrieveError> {
        let mut lists = Vec::new();
        let mut failed = None;
        for source in &self.sources {
            match source.search(query, most + SPARE).await {
                Ok(found) => lists.push(self.guarded(found).into_iter()),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        if let (true, Some(error)) = (lists.is_empty(), failed) {
            return Err(error);
        }
        let mut chosen: Vec<Solution> = Vec::new();
        while chosen.len() < most {
            let round: Vec<Solution> = lists.iter_mut().filter_map(Iterator::next).collect();
            if round.is_empty() {
                break;
            }
            for solution in round {
                if chosen.len() < most && !chosen.iter().any(|known| known.id == solution.id) {
                    chosen.push(solution);
                }
            }
        }
        self.tally().given.extend(chosen.iter().map(|solution| solution.id.clone()));
        Ok(chosen)
    }

    fn guarded(&self, mut found: Vec<Solution>) -> Vec<Solution> {
        let Some(guard) = &self.guard else { return found };
        found.retain(|solution| {
            let leak = guard.gives_away(solution);
            if leak {
                self.tally().dropped.insert(solution.id.clone());
            }
            !leak
        });
        found
    }

    /// Ids that were given out, which may be cited.
    pub fn given(&self) -> Vec<String> {
        self.tally().given.iter().cloned().collect()
    }

    /// How many different results were dropped because they give the bug's own repair away.
    pub fn dropped(&self) -> usize {
        self.tally().dropped.len()
    }

    fn tally(&self) -> std::sync::MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::retrieve::{LocalIndex, pairs};

    struct Broken;

    #[async_trait::async_trait]
    impl Source for Broken {
        async fn search(&self, _: &str, _: usize) -> Result<Vec<Solution>, RetrieveError> {
            Err(RetrieveError::Unreachable { what: "no host".into() })
        }
    }

    fn planted(after: &str) -> Arc<dyn Source> {
        let (id, symptom) = ("planted".to_owned(), "ring buffer full too early".to_owned());
        Arc::new(LocalIndex::of(vec![Solution { id, symptom, after: after.to_owned(), ..Solution::default() }]))
    }

    #[tokio::test]
    async fn the_bugs_own_repair_is_dropped_and_counted_once() {
        let fix = "return size >= slots.length;";
        let mut finder = Finder::new(Some(Guard::of([("", fix)], None)));
        finder.add(planted(fix));
        finder.add(Arc::new(LocalIndex::of(pairs::shipped().unwrap())));
        for _ in 0..2 {
            let found = finder.search("ring buffer is full too early", 2).await.unwrap();
            assert!(!found.is_empty() && found.iter().all(|solution| solution.id != "planted"));
        }
        assert_eq!(finder.dropped(), 1);
        assert!(!finder.given().contains(&"planted".to_owned()));
    }

    #[tokio::test]
    async fn sources_take_turns_and_one_that_fails_costs_nothing() {
        let mut finder = Finder::new(None);
        finder.add(Arc::new(Broken));
        assert!(finder.search("ring buffer", 2).await.is_err());
        finder.add(Arc::new(LocalIndex::of(pairs::shipped().unwrap())));
        finder.add(planted("z"));
        let found = finder.search("ring buffer is full too early", 2).await.unwrap();
        assert_eq!(found[1].id, "planted");
        assert_eq!(finder.given().len(), 2);
    }
}
