//! The commits that changed the suspicious lines last, each as the part of its diff about them: what worked before.

use super::Workbench;
use crate::benchmark::LastChange;
use crate::domain::words::{clipped, on_one_line};
use crate::domain::{LineSpan, RepoPath};
use crate::llm::Redactor;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Most suspicious methods that are asked about.
const METHODS: usize = 2;
/// Commits that are shown.
const COMMITS: usize = 2;
/// Lines of a diff that are shown.
const DIFF: usize = 14;
/// Characters of a subject and of a line.
const SUBJECT: usize = 100;
const LINE: usize = 140;

/// The newest changes; nothing without a history, or where nothing was changed since the code was written.
pub(super) async fn of(bench: &Workbench) -> Option<String> {
    let history = bench.history.as_ref()?;
    let mut found: Vec<(RepoPath, LastChange)> = Vec::new();
    for (file, lines) in suspicious(bench) {
        match history.last_changes(&file, lines, COMMITS).await {
            Ok(changes) => found.extend(changes.into_iter().map(|change| (file.clone(), change))),
            Err(why) => tracing::info!("no last changes of {file}: {why}"),
        }
    }
    found.sort_by(|(_, a), (_, b)| b.date.cmp(&a.date).then_with(|| a.hash.cmp(&b.hash)));
    let mut known = BTreeSet::new();
    found.retain(|(file, change)| known.insert((file.clone(), change.hash.clone())));
    found.truncate(COMMITS);
    let text: String = found.iter().map(|(file, change)| shown(file, change)).collect();
    (!text.is_empty()).then(|| Redactor::of_environment([]).text(&text).into_owned())
}

/// The methods of the most suspicious lines.
fn suspicious(bench: &Workbench) -> Vec<(RepoPath, LineSpan)> {
    let mut places: Vec<(RepoPath, LineSpan)> = Vec::new();
    for suspect in &bench.ranking.lines {
        let place = &suspect.location;
        let method = bench.index.method_at(&place.file, place.line).map(|method| (place.file.clone(), method.span));
        places.extend(method.filter(|method| !places.contains(method)));
        if places.len() == METHODS {
            break;
        }
    }
    places
}

fn shown(file: &RepoPath, change: &LastChange) -> String {
    let LastChange { hash, date, subject, diff } = change;
    let mut text = format!("{hash} {date}: {} ({file})\n```diff\n", clipped(&on_one_line(subject), SUBJECT));
    let left = diff.len().saturating_sub(DIFF);
    for line in diff.iter().take(DIFF) {
        let _ = writeln!(text, "{}", clipped(line, LINE));
    }
    text.push_str("```\n");
    if left > 0 {
        let _ = writeln!(text, "({left} more lines)");
    }
    text
}
