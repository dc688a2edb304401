//! Annotations as GitHub's runners read them from stdout.

use super::Triaged;
use std::fmt::Write;

/// One annotation a line; the most suspicious line of a bug is a warning, the others are notices.
pub(crate) fn github(all: &[Triaged]) -> String {
    let mut text = String::new();
    for bug in all {
        if let Some(error) = &bug.error {
            let _ = writeln!(text, "::error title={}::{}", property(&bug.bug.to_string()), data(error));
        }
        for (nth, line) in bug.lines.iter().enumerate() {
            let kind = if nth == 0 { "warning" } else { "notice" };
            let title = property(&format!("suspicious line {} of {}", nth + 1, bug.bug));
            let file = property(line.file.as_str());
            let why = data(&format!("suspiciousness {:.3}: {}", line.score, line.reasons.join("; ")));
            let _ = writeln!(text, "::{kind} file={file},line={},title={title}::{why}", line.line);
        }
        if let Some(fix) = &bug.fix {
            let title = property(&format!("plausible patch for {}", bug.bug));
            let _ = writeln!(text, "::notice title={title}::{}", data(&fix.diff));
        }
    }
    text
}

/// A message: only what would end the line is escaped.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A value of a property: what separates properties is escaped too.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::BugId;

    #[test]
    fn what_would_break_an_annotation_is_escaped() {
        let bug = BugId { benchmark: "local".into(), name: "/a,b:c".into() };
        let text = github(&[Triaged::failed(bug, "50% of\nit: broken".into())]);
        assert_eq!(text, "::error title=local%3A/a%2Cb%3Ac::50%25 of%0Ait: broken\n");
    }
}
