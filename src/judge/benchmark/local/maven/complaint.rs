//! What Maven says when it fails, read for what to try next.

use super::extension::Goal;
use crate::benchmark::jdk;
use crate::sandbox::Exit;
use std::collections::BTreeSet;

/// Plugins that compile and test; any other that fails can be stepped around.
const CORE: &[&str] = &[
    "maven-resources-plugin",
    "maven-compiler-plugin",
    "maven-surefire-plugin",
    "maven-help-plugin",
    "maven-dependency-plugin",
];

/// How many of Maven's complaints a message shows.
const SHOWN_LINES: usize = 3;

/// Why a call failed, as far as it decides what is tried next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Complaint {
    /// Something is not in the repository.
    Missing(String),
    /// A plugin that neither compiles nor tests: its goal, where Maven names it, and its message.
    Plugin(Option<Goal>, String),
    /// The project's code.
    Compile(String),
    /// Anything else.
    Other(String),
}

impl Complaint {
    /// Maven's output.
    pub(super) fn into_text(self) -> String {
        match self {
            Self::Missing(text) | Self::Plugin(_, text) | Self::Compile(text) | Self::Other(text) => text,
        }
    }
}

/// Reads what Maven printed.
pub(super) fn complaint(output: &str, exit: Exit) -> Complaint {
    let mut told = BTreeSet::new();
    let errors: Vec<&str> = output
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("[ERROR]").map(str::trim))
        .filter(|line| !line.is_empty() && !line.starts_with("To see the full") && !line.starts_with("Re-run Maven"))
        .filter(|line| !line.starts_with("[Help") && !line.starts_with("For more information"))
        .filter(|line| !only_announces(line))
        .map(without_marks)
        .filter(|line| told.insert(*line))
        .collect();
    let shown = match errors.is_empty() {
        true => format!("it ended by {exit} without a reason"),
        false => errors.iter().take(SHOWN_LINES).copied().collect::<Vec<_>>().join("; "),
    };
    if output.contains("COMPILATION ERROR") {
        let first = errors.iter().find(|line| line.contains(".java:[")).copied().unwrap_or(&shown);
        // The compiler names the symbol it does not find on a line of its own.
        let about = output.lines().map(|line| line.trim_start_matches("[ERROR]").trim());
        let symbol = about.skip_while(|line| *line != first).nth(1).filter(|line| line.starts_with("symbol:"));
        return Complaint::Compile(symbol.map_or_else(|| first.to_owned(), |symbol| format!("{first}; {symbol}")));
    }
    if jdk::refused_level(&shown).is_some() {
        return Complaint::Compile(shown);
    }
    let missing = [
        "in offline mode",
        "has not been downloaded from it before",
        "could not be resolved",
        "Could not resolve dependencies",
        "Non-resolvable",
        "No plugin found for prefix",
        "Plugin not found in any plugin repository",
        "Could not transfer",
        "Unknown host",
        // Old plugins that look for a part of their own.
        "ArtifactNotFoundException",
        "ArtifactsNotFoundException",
        "ArtifactResolutionException",
    ];
    if missing.iter().any(|sign| output.contains(sign)) {
        return Complaint::Missing(shown);
    }
    match failed_plugin(output) {
        Some(plugin) if !CORE.contains(&plugin) => Complaint::Plugin(Goal::failed(output), shown),
        _ => Complaint::Other(shown),
    }
}

/// A complaint without what Maven writes behind it: where to read more, and that it is of the file above.
fn without_marks(line: &str) -> &str {
    line.split(" -> [Help").next().unwrap_or(line).trim_end_matches([' ', '@'])
}

/// Lines of Maven's that say no more than that the reason follows, or has been told.
fn only_announces(line: &str) -> bool {
    let line = line.strip_prefix("[ERROR]").map_or(line, str::trim);
    let counts = line.starts_with("The project ") && line.contains(") has ") && line.contains(" error");
    counts || ["Some problems were encountered", "The build could not read"].iter().any(|start| line.starts_with(start))
}

/// The oldest language level that the compiler knows, where it says so of an older one.
pub(super) fn oldest_level(what: &str) -> Option<u32> {
    let (_, level) = what.split_once("is no longer supported. Use ")?;
    level.split_once(" or later")?.0.trim_start_matches("1.").parse().ok()
}

/// The artifact id in `Failed to execute goal group:artifact:version:goal`.
fn failed_plugin(output: &str) -> Option<&str> {
    let (_, after) = output.split_once("Failed to execute goal ")?;
    after.split(':').nth(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mavens_complaints_decide_what_is_tried_next() {
        let read = |text: &str| complaint(text, Exit::Code(1));
        let rat = "[ERROR] Failed to execute goal org.apache.rat:apache-rat-plugin:0.18:check (rat-check) on project x: \
                   The plugin requires Maven version 3.9 -> [Help 1]\n[ERROR] \n[ERROR] To see the full stack trace";
        assert!(matches!(read(rat), Complaint::Plugin(Some(_), what) if what.contains("requires Maven version 3.9")));
        let offline = "[ERROR] Plugin a:b:1 or one of its dependencies could not be resolved: Cannot access central in \
                       offline mode";
        assert!(matches!(read(offline), Complaint::Missing(_)));
        let provider = "[ERROR] Failed to execute goal a:maven-surefire-plugin:2.12.4:test (default-test) on project x: \
                        Unable to generate classpath: a.resolver.MultipleArtifactsNotFoundException: Missing:";
        assert!(matches!(read(provider), Complaint::Missing(_)));
        let broken = "[ERROR] COMPILATION ERROR : \n[INFO] ----\n[ERROR] /p/A.java:[3,5] ';' expected\n[ERROR] Failed to \
                      execute goal org.apache.maven.plugins:maven-compiler-plugin:3.1:compile";
        assert_eq!(read(broken), Complaint::Compile("/p/A.java:[3,5] ';' expected".into()));
        let symbol =
            "[ERROR] COMPILATION ERROR : \n[ERROR] /p/A.java:[3,5] cannot find symbol\n  symbol:   class Basket\n";
        let wanted = Complaint::Compile("/p/A.java:[3,5] cannot find symbol; symbol:   class Basket".into());
        assert_eq!(read(symbol), wanted);
        let release = "[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.1:compile \
                       (default-compile) on project x: Fatal error compiling: error: release version 99 not supported";
        assert!(matches!(read(release), Complaint::Compile(what) if what.contains("release version 99")));
        let poms = "[ERROR] [ERROR] Some problems were encountered while processing the POMs:\n[FATAL] Non-resolvable \
                    parent POM for a:b:1-SNAPSHOT\n[ERROR] The build could not read 1 project -> [Help 1]\n[ERROR]   \n\
                    [ERROR]   The project a:b:1-SNAPSHOT (/p/pom.xml) has 1 error\n[ERROR]     Non-resolvable parent POM \
                    for a:b:1-SNAPSHOT: Could not find artifact a:base:pom:1-SNAPSHOT -> [Help 2]";
        let wanted = "Non-resolvable parent POM for a:b:1-SNAPSHOT: Could not find artifact a:base:pom:1-SNAPSHOT";
        assert_eq!(read(poms), Complaint::Missing(wanted.into()));
        let extension = "[ERROR] Unresolveable build extension: Error resolving version for plugin 'a:b': Plugin not found \
                         in any plugin repository";
        let twice = format!("{extension} @\n{extension} -> [Help 2]\n");
        let wanted = extension.trim_start_matches("[ERROR] ");
        assert_eq!(read(&twice), Complaint::Missing(wanted.into()));
        assert_eq!(read(""), Complaint::Other("it ended by exit code 1 without a reason".into()));
    }

    proptest::proptest! {
        #[test]
        fn any_output_is_survived(output in "(\\[ERROR\\]|Failed to execute goal |[ :a-z]|\\n|é){0,40}") {
            let _ = complaint(&output, Exit::TimedOut);
        }
    }
}
