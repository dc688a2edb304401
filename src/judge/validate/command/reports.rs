//! Files of JUnit XML that a test command left.

use crate::benchmark::junit_xml;
use crate::domain::{TestReport, TestStatus};
use camino::{Utf8Path, Utf8PathBuf};

/// Removes what holds results, before a run makes new ones.
pub(super) fn forget(folder: &Utf8Path) {
    for file in xml_files(folder) {
        let holds_results = std::fs::read(&file).is_ok_and(|bytes| !junit_xml::parse(&bytes).is_empty());
        if holds_results {
            // It is a copy; a file that cannot be removed will be overwritten or found wrong by the comparison.
            let _ = std::fs::remove_file(file);
        }
    }
}

/// Adds the results in a folder.
pub(super) fn collect(folder: &Utf8Path, report: &mut TestReport) {
    for file in xml_files(folder) {
        for result in junit_xml::parse(&std::fs::read(&file).unwrap_or_default()) {
            // The same id twice: it passed only if it passed both times.
            match report.results.get(&result.id) {
                Some(old) if old.status == TestStatus::Failed => {}
                _ => {
                    report.results.insert(result.id.clone(), result);
                }
            }
        }
    }
}

fn xml_files(folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    let walk =
        ignore::WalkBuilder::new(folder).standard_filters(false).max_depth(Some(4)).sort_by_file_path(Ord::cmp).build();
    let paths = walk.flatten().filter_map(|entry| Utf8PathBuf::from_path_buf(entry.into_path()).ok());
    paths.filter(|path| path.extension() == Some("xml") && path.is_file()).collect()
}
