//! What a text that is no known name may have meant.

use super::BenchmarkError;
use crate::domain::BugId;

/// How many names a message proposes.
const PROPOSED: usize = 4;

/// The candidates that look most like what was typed, nearest first, whatever the case.
pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>, most: usize) -> Vec<String> {
    let typed = typed.to_lowercase();
    let mut scored: Vec<(f64, &str)> =
        known.into_iter().map(|name| (strsim::jaro_winkler(&typed, &name.to_lowercase()), name)).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().take(most).map(|(_, name)| name.to_owned()).collect()
}

/// The nearest of listed ids, in full.
pub(super) fn nearest_ids(typed: &str, listed: &[BugId]) -> Vec<String> {
    let name = |id: &BugId| id.name.clone();
    let names: Vec<String> = listed.iter().map(name).collect();
    let near = nearest(typed, names.iter().map(String::as_str), PROPOSED);
    near.iter().filter_map(|near| listed.iter().find(|id| id.name == *near)).map(BugId::to_string).collect()
}

/// The error for an id that a benchmark does not have.
pub(super) fn unknown_bug(id: &BugId, listed: &[BugId]) -> BenchmarkError {
    BenchmarkError::UnknownBug { id: id.clone(), nearest: nearest_ids(&id.name, listed) }
}
