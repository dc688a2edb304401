//! What Gradle says when it fails, read for what to try next.

use crate::sandbox::Exit;

/// How many lines of a complaint are shown.
const SHOWN_LINES: usize = 3;

/// Why a call failed, as far as it decides what is tried next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Complaint {
    /// Something is not in the cache.
    Missing(String),
    /// The project's code.
    Compile(String),
    /// This Gradle and this JDK, or this Gradle and this build, do not go together.
    Version(String),
    /// Anything else.
    Other(String),
}

impl Complaint {
    /// Gradle's output.
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Missing(text) | Self::Compile(text) | Self::Version(text) | Self::Other(text) => text,
        }
    }
}

/// Signs that the network has what is missing.
const MISSING: &[&str] = &[
    "No cached version",
    "available for offline mode",
    "Could not resolve",
    "Could not GET",
    "Could not HEAD",
    "Could not download",
    "UnknownHostException",
    "Unknown host",
    "was not found in any of the following sources",
    "Could not find any version",
    "Connection refused",
    "Network is unreachable",
];

/// Signs that another Gradle or JDK is wanted.
const VERSION: &[&str] = &[
    "Unsupported class file major version",
    "Could not determine java version",
    "requires at least Gradle",
    "requires Gradle",
    "Minimum supported Gradle version",
    "This version of Gradle",
    "Gradle requires JVM",
    "Could not find method ",
    "Could not get unknown property",
    "Could not set unknown property",
    "unable to resolve class",
    "invalid source release",
    "is no longer supported. Use",
    "Cannot find a Java installation",
    "No matching toolchains found",
];

/// Reads what Gradle printed.
pub(super) fn complaint(output: &str, exit: Exit) -> Complaint {
    // What the compiler says of itself, not of a file, says more than that it failed.
    let compiler = output.lines().find(|line| line.starts_with("error: ")).map(str::to_owned);
    let shown = compiler.or_else(|| reasons(output)).unwrap_or_else(|| format!("it ended by {exit} without a reason"));
    let has = |signs: &[&str]| signs.iter().any(|sign| output.contains(sign));
    if let Some(error) = output.lines().find(|line| line.contains(".java:") && line.contains(": error: ")) {
        return Complaint::Compile(error.trim().to_owned());
    }
    if has(VERSION) {
        return Complaint::Version(shown);
    }
    if has(MISSING) {
        return Complaint::Missing(shown);
    }
    Complaint::Other(shown)
}

/// The first lines below `What went wrong`.
fn reasons(output: &str) -> Option<String> {
    let (_, after) = output.split_once("* What went wrong:")?;
    let lines = after.lines().map(str::trim).skip_while(|line| line.is_empty());
    // Who wants what cannot be had is no reason.
    let is_reason = |line: &&str| *line != "Required by:" && !line.starts_with("project :");
    let lines = lines.take_while(|line| !line.is_empty() && !line.starts_with("* "));
    let mut lines: Vec<&str> = lines.filter(is_reason).collect();
    if lines.len() > SHOWN_LINES {
        // The last one is the cause of those above it.
        lines.drain(SHOWN_LINES - 1..lines.len() - 1);
    }
    let shown = lines.iter().map(|line| line.trim_start_matches("> ").trim_end_matches('.'));
    Some(shown.collect::<Vec<_>>().join("; ")).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradles_complaints_decide_what_is_tried_next() {
        let read = |text: &str| complaint(text, Exit::Code(1));
        let offline = "FAILURE: Build failed with an exception.\n\n* What went wrong:\nCould not resolve all files for \
                       configuration ':compileClasspath'.\n> Could not resolve junit:junit:4.13.2.\n   > No cached \
                       version of junit:junit:4.13.2 available for offline mode.\n\n* Try:\n";
        assert!(matches!(read(offline), Complaint::Missing(what) if what.contains("junit:junit:4.13.2; No cached")));
        let required = "* What went wrong:\nA problem occurred configuring root project 'x'.\n> Could not resolve all \
                        files for configuration ':classpath'.\n   > Could not resolve a:b:1.\n     Required by:\n         \
                        project :\n      > No cached version of a:b:1 available for offline mode.\n   > Could not \
                        resolve c:d:2.\n     Required by:\n         project :\n";
        assert!(
            matches!(read(required), Complaint::Missing(what) if what.ends_with("':classpath'; Could not resolve c:d:2"))
        );
        let broken = "/p/src/main/java/A.java:3: error: ';' expected\n* What went wrong:\nExecution failed for task \
                      ':compileJava'.\n> Compilation failed; see the compiler error output for details.\n";
        assert_eq!(read(broken), Complaint::Compile("/p/src/main/java/A.java:3: error: ';' expected".into()));
        let old = "* What went wrong:\nA problem occurred evaluating root project 'x'.\n> Could not find method \
                   java() for arguments [build_1] on root project 'x'.\n";
        assert!(matches!(read(old), Complaint::Version(_)));
        let level =
            "error: Source option 6 is no longer supported. Use 7 or later.\n* What went wrong:\nExecution failed";
        assert!(matches!(read(level), Complaint::Version(what) if what.starts_with("error: Source option 6")));
        assert_eq!(read(""), Complaint::Other("it ended by exit code 1 without a reason".into()));
    }

    proptest::proptest! {
        #[test]
        fn any_output_is_survived(output in "(\\* What went wrong:|> |\\* Try|error: |[ :a-z]|\\n|é){0,40}") {
            let _ = complaint(&output, Exit::TimedOut);
        }
    }
}
