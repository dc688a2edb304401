//! An account that many processes draw on: the caps of a batch, whose bugs are processes of their own, on one machine or
//! on several that see the same folder.
//!
//! A file under a lock keeps what each run has spent and what it holds back. The most that a request can take is held
//! back before it is sent, so that no number of runs at once spends more than was allowed. What a killed run held back
//! stays held until it goes on and tells from its journal what it has spent.

use super::budget::{Amount, dollars, pico};
use super::{ModelError, WorstCase};
use crate::domain::{Reached, Usage};
use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

/// Schema of the file.
const SCHEMA: u32 = 1;
const FILE: &str = "account.json";
const LOCK: &str = "account.lock";

/// The file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Book {
    schema: u32,
    tokens: Option<u64>,
    usd: Option<f64>,
    runs: BTreeMap<String, Line>,
}

/// One run in it.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Line {
    spent: Amount,
    held: Amount,
}

/// How an account stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// Most tokens.
    pub tokens: Option<u64>,
    /// Most US dollars.
    pub usd: Option<f64>,
    /// Tokens that are spent or held back.
    pub used_tokens: u64,
    /// The same in US dollars.
    pub used_usd: f64,
}

/// One run's access to the account of a batch.
#[derive(Debug)]
pub struct Account {
    folder: Utf8PathBuf,
    run: String,
    allow_unpriced: bool,
    refused: AtomicBool,
}

impl Account {
    /// Opens the account of a folder, or changes its caps; a cap that is not given stays as it was.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn limit(folder: &Utf8Path, tokens: Option<u64>, usd: Option<f64>) -> io::Result<()> {
        change(folder, |book| {
            book.tokens = tokens.or(book.tokens);
            book.usd = usd.or(book.usd);
        })
    }

    /// How the account of a folder stands; `None` when the folder has none.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn standing(folder: &Utf8Path) -> io::Result<Option<Standing>> {
        if !folder.join(FILE).exists() {
            return Ok(None);
        }
        let book = read(folder)?;
        let used = book.used();
        #[allow(clippy::cast_precision_loss)]
        let used_usd = used.pico as f64 / 1e12;
        Ok(Some(Standing { tokens: book.tokens, usd: book.usd, used_tokens: used.tokens, used_usd }))
    }

    /// The access of a run, which is known by a name of its own.
    pub fn of(folder: &Utf8Path, run: &str, allow_unpriced: bool) -> Self {
        let (folder, run) = (folder.to_owned(), run.to_owned());
        Self { folder, run, allow_unpriced, refused: AtomicBool::new(false) }
    }

    /// Whether the account has a cap in dollars, which can be kept only where prices are known.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn is_in_dollars(&self) -> io::Result<bool> {
        Ok(read(&self.folder)?.usd.is_some())
    }

    /// Whether a request of this run was refused because the account is used up.
    pub fn has_refused(&self) -> bool {
        self.refused.load(Ordering::Relaxed)
    }

    /// Says what the run has spent so far, in place of what was known of it.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub(super) fn begin(&self, spent: Amount) -> io::Result<()> {
        self.line(|line| *line = Line { spent, held: Amount::default() })
    }

    /// Holds back the most that a request can take.
    ///
    /// # Errors
    /// A cap could be exceeded, or it cannot be known whether: nothing may be sent then.
    pub(super) fn reserve(&self, worst: &WorstCase) -> Result<(), ModelError> {
        let held = Amount::of_worst(worst);
        let result = change(&self.folder, |book| {
            if let Some(why) = book.refusal(worst, held, self.allow_unpriced) {
                return Err(why);
            }
            book.runs.entry(self.run.clone()).or_default().held.add(held);
            Ok(())
        });
        let why = match result {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(why)) => why,
            Err(error) => Reached::other(
                format!("the account of this batch cannot be kept: {error}"),
                format!("check {}, then run the same command again", self.folder.join(FILE)),
            ),
        };
        self.refused.store(true, Ordering::Relaxed);
        Err(ModelError::OverBudget(why))
    }

    /// Replaces what was held back by what it came to. Where that cannot be written it stays held, which is never less.
    pub(super) fn settle(&self, worst: &WorstCase, usage: &Usage) {
        let held = Amount::of_worst(worst);
        let _ = self.line(|line| {
            line.held.take(held);
            line.spent.add(Amount::of_usage(usage, held));
        });
    }

    /// Gives back what was held: nothing was billed.
    pub(super) fn release(&self, worst: &WorstCase) {
        let _ = self.line(|line| line.held.take(Amount::of_worst(worst)));
    }

    fn line(&self, edit: impl FnOnce(&mut Line)) -> io::Result<()> {
        change(&self.folder, |book| edit(book.runs.entry(self.run.clone()).or_default()))
    }
}

impl Book {
    fn used(&self) -> Amount {
        let mut used = Amount::default();
        for line in self.runs.values() {
            used.add(line.spent);
            used.add(line.held);
        }
        used
    }

    /// Why a request does not fit.
    fn refusal(&self, worst: &WorstCase, amount: Amount, allow_unpriced: bool) -> Option<Reached> {
        let used = self.used();
        if let Some(cap) = self.tokens
            && used.tokens.saturating_add(amount.tokens) > cap
        {
            let left = cap.saturating_sub(used.tokens);
            let what = format!(
                "the cap of {cap} tokens of this batch is reached: the next request can take {} and {left} are left",
                amount.tokens
            );
            return Some(Reached::other(what, "run the same command again with a higher --total-tokens"));
        }
        let usd = self.usd?;
        if worst.cost.0.is_none() && !allow_unpriced {
            return Some(Reached::other(
                "a cap of the batch in dollars is set and the model's price is not known",
                "give its price with --prices FILE, cap with --total-tokens instead, or allow it with --allow-unpriced",
            ));
        }
        let left = pico(usd).saturating_sub(used.pico);
        (amount.pico > left).then(|| {
            let what = format!(
                "the cap of ${usd} of this batch is reached: the next request can cost {} and {} are left",
                dollars(amount.pico),
                dollars(left)
            );
            Reached::other(what, "run the same command again with a higher --total-cost")
        })
    }
}

fn read(folder: &Utf8Path) -> io::Result<Book> {
    match std::fs::read(folder.join(FILE)) {
        Ok(bytes) => {
            let book: Book = serde_json::from_slice(&bytes)?;
            let newer = format!("it has schema {}, which is newer", book.schema);
            if book.schema > SCHEMA { Err(io::Error::other(newer)) } else { Ok(book) }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Ok(Book { schema: SCHEMA, tokens: None, usd: None, runs: BTreeMap::new() })
        }
        Err(error) => Err(error),
    }
}

/// Changes the file while nobody else does; it is there whole or as it was, even after a loss of power. Takes a few
/// milliseconds at most: beside a request to a model that is nothing.
fn change<T>(folder: &Utf8Path, edit: impl FnOnce(&mut Book) -> T) -> io::Result<T> {
    let lock = File::options().create(true).truncate(false).write(true).open(folder.join(LOCK))?;
    lock.lock()?;
    let mut book = read(folder)?;
    let result = edit(&mut book);
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    serde_json::to_writer(&mut file, &book)?;
    file.as_file().sync_all()?;
    file.persist(folder.join(FILE)).map_err(|error| error.error)?;
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Cost;

    fn worst(tokens: u64) -> WorstCase {
        WorstCase { tokens, cost: Cost(Some(0.0)) }
    }

    fn usage(tokens: u64) -> Usage {
        Usage { requests: 1, prompt_tokens: tokens, ..Usage::default() }
    }

    fn folder(keep: &tempfile::TempDir) -> &Utf8Path {
        Utf8Path::from_path(keep.path()).unwrap()
    }

    #[test]
    fn no_number_of_runs_at_once_draws_more_than_there_is() {
        const CAP: u64 = 10_000;
        let keep = tempfile::tempdir().unwrap();
        let folder = folder(&keep);
        Account::limit(folder, Some(CAP), None).unwrap();
        let billed: u64 = std::thread::scope(|scope| {
            let runs = (0..8u64).map(|run| {
                scope.spawn(move || {
                    let account = Account::of(folder, &run.to_string(), false);
                    let mut random = fastrand::Rng::with_seed(run);
                    let mut billed = 0;
                    for _ in 0..12 {
                        let most = random.u64(100..900);
                        if account.reserve(&worst(most)).is_ok() {
                            let used = random.u64(0..=most);
                            match random.u8(0..4) {
                                // Killed on the way: billed, and nobody says so.
                                0 => {}
                                1 => {
                                    account.release(&worst(most));
                                    continue;
                                }
                                _ => account.settle(&worst(most), &usage(used)),
                            }
                            billed += used;
                        }
                    }
                    billed
                })
            });
            runs.collect::<Vec<_>>().into_iter().map(|run| run.join().unwrap()).sum()
        });
        let standing = Account::standing(folder).unwrap().unwrap();
        assert!(billed <= standing.used_tokens && standing.used_tokens <= CAP, "{billed} billed, {standing:?}");
        assert!(standing.used_tokens > CAP / 2, "{standing:?}");
    }

    #[test]
    fn a_run_that_goes_on_says_what_it_spent_and_a_raised_cap_holds_at_once() {
        let keep = tempfile::tempdir().unwrap();
        let folder = folder(&keep);
        assert_eq!(Account::standing(folder).unwrap(), None);
        Account::limit(folder, Some(100), Some(1.0)).unwrap();
        let account = Account::of(folder, "a", false);
        account.reserve(&worst(90)).unwrap();
        let refused = account.reserve(&worst(20)).unwrap_err().to_string();
        assert!(refused.contains("can take 20 and 10 are left") && refused.contains("--total-tokens"), "{refused}");
        assert!(account.has_refused());
        let again = Account::of(folder, "a", false);
        again.begin(Amount { tokens: 30, pico: pico(0.4) }).unwrap();
        again.reserve(&worst(70)).unwrap();
        Account::limit(folder, Some(200), None).unwrap();
        let costly = WorstCase { tokens: 1, cost: Cost(Some(0.7)) };
        let refused = again.reserve(&costly).unwrap_err().to_string();
        assert!(refused.contains("$0.7000 and $0.6000 are left"), "{refused}");
        let unpriced = WorstCase { tokens: 1, cost: Cost::UNKNOWN };
        assert!(again.reserve(&unpriced).unwrap_err().to_string().contains("--allow-unpriced"));
        Account::of(folder, "b", true).reserve(&unpriced).unwrap();
    }
}
