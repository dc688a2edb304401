//! The last change of a project's product, by its history: what is not committed yet, else the last commit that touched a
//! source. What fails without it too failed before.

use super::{Checkout, History, product_resources};
use crate::domain::{FileChange, Patch, RepoPath};
use crate::language;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Files of a change that is taken back; a larger one says little of one bug.
const MOST: usize = 12;
/// Commits among which the last change is looked for.
const COMMITS: usize = 20;

/// A change of the product, and what takes it back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProductChange {
    /// For people: `commit 1a2b3c4`.
    pub name: String,
    /// Whether it is a commit; else it is what differs from the last one.
    pub is_committed: bool,
    /// The product as it was before, over the product of now.
    pub revert: Patch,
    /// What was changed at the same time and stays as it is: tests, settings, files of the build.
    pub others: BTreeSet<RepoPath>,
    /// The same of texts for people, which run where they are tests.
    pub texts: BTreeSet<RepoPath>,
}

/// The last change of a checkout's product; nothing where the history does not tell, or the change is large. `uncommitted`
/// are the files that differ from the last commit.
pub(super) async fn of(checkout: &Checkout, history: &History, uncommitted: &[RepoPath]) -> Option<ProductChange> {
    let is_product = |path: &RepoPath| is_product(checkout, path);
    let is_committed = !uncommitted.iter().any(is_product);
    let (name, revision, files) = if is_committed {
        let commits = history.newest(COMMITS).await.ok()?;
        let (commit, _) = commits.into_iter().find(|(_, files)| files.iter().any(is_product))?;
        let before = format!("{commit}^");
        let files = history.differing(&before).await.ok()?;
        (format!("commit {}", commit.get(..7)?), before, files)
    } else {
        ("what is not committed yet".to_owned(), "HEAD".to_owned(), uncommitted.to_vec())
    };
    let (product, others): (Vec<RepoPath>, Vec<_>) = files.into_iter().partition(is_product);
    if product.is_empty() || product.len() > MOST {
        return None;
    }
    let mut revert = Patch::default();
    for path in product {
        let now = std::fs::read(path.under(&checkout.root)).ok();
        let then = history.at(&revision, &path).await;
        // A file without a byte would be one that is taken away.
        if now.is_none() && then.is_none() || then.as_ref().is_some_and(Vec::is_empty) {
            return None;
        }
        revert.files.push(FileChange {
            path,
            before: now.map(Arc::from),
            after: then.map_or_else(|| Arc::from([]), Arc::from),
        });
    }
    revert.files.sort_by(|a, b| a.path.cmp(&b.path));
    let (texts, others) = others.into_iter().partition(RepoPath::is_for_people);
    Some(ProductChange { name, is_committed, revert, others, texts })
}

/// Whether a file is a source or a resource of the product.
fn is_product(checkout: &Checkout, path: &RepoPath) -> bool {
    let project = &checkout.project;
    let Some(language) = language::by_name(&checkout.language) else { return false };
    if !language.is_source(path.as_str().into()) {
        return product_resources(checkout).iter().any(|root| path.is_within(root));
    }
    let is_inside = project.source_roots.iter().any(|root| path.is_within(root));
    let decides = matches!(path.file_name(), "setup.py" | "conftest.py");
    is_inside && !decides && !language::is_test(path, &project.source_roots, &project.test_roots, language)
}
