//! A test in a changed form beside the test itself, under another name.

use super::change::Change;
use super::trial::TestCode;
use crate::domain::TestId;
use crate::language::text_of;

/// A change written as a copy of the test, right behind it; `None` where the change is not in the test's own method, or
/// nothing can stand behind that.
pub(super) fn copy(test: &TestCode<'_>, change: Change, mark: &str) -> Option<Change> {
    let method = test.method?;
    let name = method.child_by_field_name("name")?;
    let whole = method.parent().filter(|up| up.kind() == "decorated_definition").unwrap_or(method);
    let margin = test.text.get(..whole.start_byte())?.rsplit('\n').next()?;
    let is_inside = |start: usize, end: usize| whole.start_byte() <= start && end <= whole.end_byte();
    if !margin.trim().is_empty() || !change.edits.iter().all(|(range, _)| is_inside(range.start, range.end)) {
        return None;
    }
    let mut edits = change.edits;
    edits.push((name.byte_range(), marked(text_of(name, test.text), mark)));
    // From the end, so that earlier places stay where they are.
    edits.sort_by_key(|(range, _)| std::cmp::Reverse((range.start, range.end)));
    let mut text = text_of(whole, test.text).to_owned();
    for (range, new) in edits {
        text.replace_range(range.start - whole.start_byte()..range.end - whole.start_byte(), &new);
    }
    let end = whole.end_byte();
    Some(Change { edits: vec![(end..end, format!("\n\n{margin}{text}\n"))], ..change })
}

/// What the copy of a test is called; an invocation of a method stays the same invocation.
pub(super) fn name_of_copy(test: &TestId, mark: &str) -> TestId {
    let bare = test.bare_method();
    let invocation = test.method.get(bare.len()..).unwrap_or_default();
    TestId::new(&test.class, format!("{}{invocation}", marked(bare, mark)))
}

fn marked(method: &str, mark: &str) -> String {
    format!("{method}_control{mark}")
}
