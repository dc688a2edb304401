//! Cleaned failures: what an agent or a person needs of a stack trace, and nothing of the test framework.

use super::failing;
use crate::domain::{Failure, Frame};

/// Packages whose frames never tell where a bug is.
const FRAMEWORK: &[&str] = &[
    "java.",
    "javax.",
    "jdk.",
    "sun.",
    "com.sun.",
    "junit.",
    "org.junit.",
    "org.hamcrest.",
    "org.opentest4j.",
    "org.apache.maven.surefire.",
    "org.gradle.",
    "unidebug.runner.",
    "org.mockito.",
    "org.easymock.",
    "org.powermock.",
    "org.jmock.",
    "net.bytebuddy.",
    "net.sf.cglib.",
    "org.assertj.",
    "kotlin.",
];

const MESSAGE_CHARS: usize = 600;
const FRAMES: usize = 12;

/// Whether a frame belongs to the subject rather than to a library or framework.
pub(crate) fn is_project_frame(frame: &Frame) -> bool {
    !is_framework(&frame.class)
}

/// Whether a class is one of Java itself, of a test framework or of a library that tests mock with.
pub(crate) fn is_framework(class: &str) -> bool {
    FRAMEWORK.iter().any(|prefix| class.starts_with(prefix))
}

/// The failure with project frames only (at most 12, repeats of a recursion once), the message without colours and
/// control characters, at most 600 characters of it, half from the end: expected and actual values stand there.
pub fn clean(failure: &Failure) -> Failure {
    let mut frames: Vec<Frame> = Vec::new();
    for frame in failure.frames.iter().filter(|frame| is_project_frame(frame)) {
        if frames.len() < FRAMES && !frames.contains(frame) {
            frames.push(frame.clone());
        }
    }
    Failure { kind: failure.kind.clone(), message: clip(&plain(&failure.message)), frames }
}

/// The failure as a few lines of text, as agents see it.
pub fn text(failure: &Failure) -> String {
    let mut text = failure.kind.clone();
    if !failure.message.is_empty() {
        text.push_str(": ");
        text.push_str(&failure.message);
    }
    for frame in &failure.frames {
        let place = match (&frame.file, frame.line) {
            (Some(file), Some(line)) => format!("{file}:{line}"),
            (Some(file), None) => file.clone(),
            _ => "unknown source".into(),
        };
        text.push_str(&format!("\n  at {}.{} ({place})", frame.class, frame.method));
    }
    text
}

/// Without ANSI escapes and control characters; line breaks and tabs stay.
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            if chars.next_if_eq(&'[').is_some() {
                // A control sequence ends with a byte from `@` to `~`.
                for c in chars.by_ref() {
                    if ('@'..='~').contains(&c) {
                        break;
                    }
                }
            }
        } else if !c.is_control() || c == '\n' || c == '\t' {
            out.push(c);
        }
    }
    out
}

fn clip(text: &str) -> String {
    let count = text.chars().count();
    if count <= MESSAGE_CHARS {
        return text.trim_end().to_owned();
    }
    let half = MESSAGE_CHARS / 2;
    let head: String = text.chars().take(half).collect();
    let tail: String = text.chars().skip(count - half).collect();
    format!("{head} […{} characters left out…] {}", count - 2 * half, tail.trim_end())
}

/// Whether the test's own framework ended it for taking too long: JUnit 4 and 5, and the
/// timeout plugin of pytest, report that as an exception.
pub fn gave_up(failure: &Failure) -> bool {
    failure.kind.ends_with("TestTimedOutException")
        || failure.kind.ends_with("TimeoutException")
        || failure.message.starts_with("Timeout >")
        || failure.message.starts_with("Timeout (>")
        || failure.message.starts_with("test timed out after")
        || failure.message.starts_with("execution timed out after")
}

/// Whether a test fails in the same way at the same place. Which test is the first to need a class that cannot be
/// initialized, and has the reason, is chance.
pub(super) fn fail_alike(before: &Failure, now: &Failure) -> bool {
    signature(before) == signature(now) || failing::is_of_class(before) && failing::is_of_class(now)
}

/// Where and how a test fails: the exception and the innermost frame of the project.
fn signature(failure: &Failure) -> (String, Option<(String, Option<u32>)>) {
    let frame = failure.frames.iter().find(|frame| is_project_frame(frame));
    (failure.kind.clone(), frame.map(|frame| (frame.class.clone(), frame.line)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn frame(class: &str, line: u32) -> Frame {
        Frame { class: class.into(), method: "m".into(), file: Some("F.java".into()), line: Some(line) }
    }

    #[test]
    fn only_the_project_is_left_of_a_trace() {
        let failure = Failure {
            kind: "java.lang.AssertionError".into(),
            message: "\u{1b}[31mexpected:<1> but was:<2>\u{1b}[0m".into(),
            frames: vec![frame("org.junit.Assert", 1), frame("a.B", 2), frame("a.B", 2), frame("java.util.List", 3)],
        };
        let cleaned = clean(&failure);
        assert_eq!(cleaned.message, "expected:<1> but was:<2>");
        assert_eq!(cleaned.frames, vec![frame("a.B", 2)]);
        assert_eq!(text(&cleaned), "java.lang.AssertionError: expected:<1> but was:<2>\n  at a.B.m (F.java:2)");
    }

    #[test]
    fn a_long_message_keeps_both_ends() {
        let message = format!("expected {} but was Ä", "x".repeat(5000));
        let cleaned = clean(&Failure { message, ..Failure::default() }).message;
        assert!(cleaned.starts_with("expected x") && cleaned.ends_with("but was Ä") && cleaned.len() < 800);
    }

    proptest! {
        #[test]
        fn no_message_is_too_strange(message in any::<String>()) {
            let cleaned = clean(&Failure { message, ..Failure::default() });
            prop_assert!(cleaned.message.chars().all(|c| !c.is_control() || c == '\n' || c == '\t'));
        }
    }
}
