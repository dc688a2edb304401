//! What a repair takes, read off the developers' patch: for lists and tables, never for agents.

/// What a repair takes, by the developers' patch, which leads from the repaired version to the buggy one: a word of
/// [`Summary::kind`](crate::benchmark::Summary::kind).
pub fn kind_of(patch: &[u8]) -> Option<&'static str> {
    kind(patch, ['-', '+'])
}

/// The same of a patch that leads from the buggy version to the repaired one.
pub(crate) fn kind_of_repair(patch: &[u8]) -> Option<&'static str> {
    kind(patch, ['+', '-'])
}

/// What a repair takes; `marks` begin lines of the repaired version alone, and of the buggy one alone.
fn kind(patch: &[u8], marks: [char; 2]) -> Option<&'static str> {
    let text = String::from_utf8_lossy(patch);
    let (mut files, mut lost, mut put, mut runs, mut in_run, mut in_hunk) = (0, 0, 0, 0, false, false);
    for line in text.lines() {
        let mut changes = false;
        if line.starts_with("diff ") || line.starts_with("Index: ") {
            in_hunk = false;
        } else if line.starts_with("@@") {
            in_hunk = true;
        } else if !in_hunk {
            files += usize::from(line.starts_with("--- "));
        } else {
            lost += usize::from(line.starts_with(marks[0]));
            put += usize::from(line.starts_with(marks[1]));
            changes = line.starts_with(['-', '+']);
        }
        runs += usize::from(changes && !in_run);
        in_run = changes;
    }
    Some(match (files, runs, lost, put) {
        (_, 0, ..) => return None,
        (2.., ..) => "multi-file",
        (_, 1, 0..=1, 0..=1) if put == 1 => "single-line",
        (_, 1, _, 0) => "missing-code",
        _ => "multi-line",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_repair_takes_is_read_off_the_developers_patch() {
        let head = "diff --git a/A.java b/A.java\n--- a/A.java\n+++ b/A.java\n@@ -1,3 +1,3 @@\n";
        let kind = |rest: &str| kind_of(format!("{head}{rest}").as_bytes());
        assert_eq!(kind(" a\n-b\n+c\n d\n"), Some("single-line"));
        assert_eq!(kind(" a\n+c\n d\n"), Some("single-line"));
        assert_eq!(kind(" a\n-b\n--- c\n d\n"), Some("missing-code"));
        assert_eq!(kind("-a\n+b\n c\n-d\n+e\n"), Some("multi-line"));
        assert_eq!(kind(&format!("-a\n+b\n{}-a\n+b\n", head.replace('A', "B"))), Some("multi-file"));
        assert_eq!(kind_of(b"no patch"), None);
        let forward = format!("{head} a\n+b\n d\n");
        assert_eq!(kind_of_repair(forward.as_bytes()), Some("missing-code"));
        assert_eq!(kind_of(forward.as_bytes()), Some("single-line"));
    }
}
