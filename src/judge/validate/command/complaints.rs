//! Why a build failed, by what its command printed.

use super::toolchain;
use crate::domain::Diagnostic;
use crate::sandbox::Finished;
use crate::validate::clean;
use crate::validate::jvm::diagnostics;
use camino::Utf8Path;

/// What a build complained of, by the compiler that it ran; one reason without a place where none is known.
pub(super) fn read(done: &Finished, tree: &Utf8Path) -> Vec<Diagnostic> {
    let output = format!("{}\n{}", String::from_utf8_lossy(&done.stderr), String::from_utf8_lossy(&done.stdout));
    // Ant and Maven put a word in brackets before the compiler's messages.
    let plain: String =
        clean::plain(&output).lines().map(|line| format!("{}\n", line.trim_start_matches("    [javac] "))).collect();
    let found = diagnostics(&plain, tree);
    if !found.is_empty() {
        return found;
    }
    let found = toolchain::complaints(&plain, tree);
    if !found.is_empty() {
        return found;
    }
    vec![Diagnostic { file: None, line: 0, message: reason(&plain).trim().to_owned() }]
}

/// The line of a build's output that says best why it failed.
fn reason(output: &str) -> &str {
    // What a JDK says of itself is no reason, whatever words are in it.
    let banner = ["openjdk version", "java version", "OpenJDK ", "Java(TM)", "Picked up "];
    let lines =
        || output.lines().filter(|line| !line.trim().is_empty() && !banner.iter().any(|word| line.starts_with(word)));
    let gradles = lines().skip_while(|line| !line.starts_with("* What went wrong")).nth(1);
    let error = || lines().find(|line| line.to_ascii_lowercase().contains("error"));
    gradles.or_else(error).or_else(|| lines().next()).unwrap_or("the build gave no reason")
}

#[cfg(test)]
mod tests {
    use super::reason;

    #[test]
    fn a_jdk_that_names_itself_is_no_reason() {
        let banner = "openjdk version \"17.0.15\" 2025-04-15\nOpenJDK Runtime Environment (error-prone build)\n";
        assert_eq!(reason(&format!("{banner}error: no such task")), "error: no such task");
        let gradle = "* What went wrong:\nCould not create the Gradle user home\n* Try:\n> error";
        assert_eq!(reason(&format!("{banner}{gradle}")), "Could not create the Gradle user home");
        assert_eq!(reason(banner), "the build gave no reason");
    }
}
