//! Which files that are no source belong to the product.

use super::{Checkout, Runner};
use crate::domain::RepoPath;

/// Folders of resources that the product has: those of its own on the class path, or its packages of Python.
pub fn product_resources(checkout: &Checkout) -> Vec<RepoPath> {
    let project = &checkout.project;
    let of_tests = |path: &RepoPath| {
        let named = path.as_str().split('/').any(|part| part.starts_with("test") || part.ends_with("test"));
        named || project.test_roots.iter().any(|root| !root.as_str().is_empty() && path.is_within(root))
    };
    if project.runner != Runner::Pytest {
        return project.resources.iter().filter(|path| !of_tests(path)).cloned().collect();
    }
    let mut packages = Vec::new();
    for root in &project.source_roots {
        let folders = root.under(&checkout.root).read_dir_utf8().into_iter().flatten().flatten();
        let named = folders.filter(|entry| entry.path().join("__init__.py").is_file());
        packages.extend(named.filter_map(|entry| root.join(entry.file_name()).ok()));
    }
    packages.retain(|path| !of_tests(path));
    packages.sort();
    packages
}
