//! The compiler: its arguments, and its complaints as data.

use crate::benchmark::jdk::Jdk;
use crate::domain::{Diagnostic, RepoPath};
use crate::sandbox::{Exit, Job, Sandbox};
use crate::validate::{ValidateError, io_error};
use camino::{Utf8Path, Utf8PathBuf};
use std::time::Duration;

const MAX_DIAGNOSTICS: usize = 20;
/// Nothing but errors.
const QUIET: &[&str] = &["-nowarn", "-Xlint:none"];
/// Every warning of this file's code; what only concerns the build says nothing about a bug.
const LINT: &[&str] = &["-Xlint:all,-options,-path,-serial,-processing,-classfile"];

/// How sources are to be read.
#[derive(Debug, Clone, Default)]
pub(in crate::validate) struct Level {
    /// Source level, when the build names one.
    pub(in crate::validate) release: Option<String>,
    /// Charset; empty means UTF-8.
    pub(in crate::validate) encoding: String,
    /// Further arguments of the build.
    pub(in crate::validate) args: Vec<String>,
    /// Whether the compiler warns of all it knows.
    pub(in crate::validate) lint: bool,
    /// Whether annotation processors of the class path run.
    pub(in crate::validate) processors: bool,
    /// Whether classes are made without lines and names for debuggers.
    pub(in crate::validate) bare: bool,
}

impl Level {
    /// The arguments of `javac` that stand for it.
    pub(in crate::validate) fn arguments(&self, jdk: &Jdk) -> Vec<String> {
        let encoding = if self.encoding.is_empty() { "UTF-8" } else { &self.encoding };
        let debug = if self.bare { "-g:none" } else { "-g" };
        let mut args: Vec<String> = [debug, "-encoding", encoding].map(String::from).to_vec();
        args.extend(if self.lint { LINT } else { QUIET }.iter().map(|arg| (*arg).to_owned()));
        if !self.processors {
            args.push("-proc:none".into());
        } else if jdk.major >= 21 {
            args.push("-proc:full".into());
        }
        if let Some(wanted) = self.release.as_deref().and_then(|text| text.trim_start_matches("1.").parse::<u32>().ok())
        {
            // A level the JDK no longer knows compiles at the oldest it does know.
            let level = wanted.clamp(jdk.oldest_release(), jdk.major);
            if jdk.major >= 9 && !self.args.iter().any(|arg| arg == "--add-exports" || arg == "-source") {
                args.extend(["--release".into(), level.to_string()]);
            } else {
                args.extend(["-source".into(), level.to_string(), "-target".into(), level.to_string()]);
            }
        }
        args.extend(self.args.iter().cloned());
        args
    }
}

/// What became of a compilation.
#[derive(Debug)]
pub(in crate::validate) struct Compiled {
    /// Whether classes were made of everything.
    pub(in crate::validate) ok: bool,
    /// Errors, in order, at most 20.
    pub(in crate::validate) diagnostics: Vec<Diagnostic>,
    /// Warnings, in order, at most 20.
    pub(in crate::validate) warnings: Vec<Diagnostic>,
    /// Its output, for complaints without a place.
    pub(in crate::validate) output: String,
}

/// A cold compiler.
pub(in crate::validate) struct Javac<'a> {
    pub(in crate::validate) sandbox: &'a Sandbox,
    pub(in crate::validate) jdk: &'a Jdk,
    pub(in crate::validate) level: Level,
    pub(in crate::validate) wall: Duration,
}

impl Javac<'_> {
    /// Compiles files into `out`; `root` is the folder the files lie in, and paths in complaints are relative to it.
    pub(in crate::validate) async fn compile(
        &self,
        files: &[Utf8PathBuf],
        class_path: &[Utf8PathBuf],
        out: &Utf8Path,
        root: &Utf8Path,
    ) -> Result<Compiled, ValidateError> {
        if files.is_empty() {
            return Ok(Compiled { ok: true, diagnostics: Vec::new(), warnings: Vec::new(), output: String::new() });
        }
        let joined = class_path.iter().map(|path| path.as_str()).collect::<Vec<_>>().join(":");
        let mut args = self.level.arguments(self.jdk);
        args.extend(["-implicit:none".into(), "-d".into(), out.to_string()]);
        args.extend(["-classpath".into(), joined, "-sourcepath".into(), String::new()]);
        args.extend(files.iter().map(ToString::to_string));
        // Beside the classes, because a long list does not fit on a command line.
        let list = out.with_extension("javac-arguments");
        let text: String = args.iter().map(|arg| format!("\"{}\"\n", escape(arg))).collect();
        std::fs::write(&list, text).map_err(io_error("writing the compiler's arguments", &list))?;
        // JVM options may not stand in the file.
        let job = Job::new(self.jdk.javac(), root)
            .args(["-J-XX:+UseSerialGC", "-J-XX:TieredStopAtLevel=1", "-J-Xmx2g", "-J-Xss16m", &format!("@{list}")])
            .read(class_path.iter().cloned())
            .read([self.jdk.home.clone(), list.clone()])
            .write(out)
            .wall(self.wall);
        let done = self.sandbox.run(job).await?;
        let output = String::from_utf8_lossy(&done.stderr).into_owned();
        if done.exit == Exit::TimedOut {
            return Err(ValidateError::Tool {
                what: format!("the compiler was cut after {} s", self.wall.as_secs()),
                hint: "raise --max-time, or name compiled classes".into(),
            });
        }
        let (diagnostics, warnings) = (parse(&output, root), complaints(&output, "warning", root));
        Ok(Compiled { ok: done.exit.success(), diagnostics, warnings, output: output.chars().take(2000).collect() })
    }
}

fn escape(arg: &str) -> String {
    arg.replace('\\', "\\\\").replace('"', "\\\"")
}

/// Reads `path:line: error: message`, with the lines that name a symbol and its place.
pub(in crate::validate) fn parse(output: &str, root: &Utf8Path) -> Vec<Diagnostic> {
    complaints(output, "error", root)
}

/// Complaints of one kind, `error` or `warning`.
fn complaints(output: &str, kind: &str, root: &Utf8Path) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    for line in output.lines() {
        if let Some(diagnostic) = head(line, kind, root) {
            if found.len() == MAX_DIAGNOSTICS {
                break;
            }
            found.push(diagnostic);
        } else if let Some(last) = found.last_mut() {
            let text = line.trim();
            if ["symbol:", "location:", "required:", "found:", "reason:"].iter().any(|word| text.starts_with(word)) {
                last.message.push_str("; ");
                last.message.push_str(&text.split_whitespace().collect::<Vec<_>>().join(" "));
            }
        }
    }
    found
}

fn head(line: &str, kind: &str, root: &Utf8Path) -> Option<Diagnostic> {
    if let Some(message) = line.strip_prefix(kind).and_then(|rest| rest.strip_prefix(": ")) {
        return Some(Diagnostic { file: None, line: 0, message: message.to_owned() });
    }
    let word = format!(": {kind}: ");
    let at = line.find(&word)?;
    let (place, message) = (&line[..at], &line[at + word.len()..]);
    let (path, number) = place.rsplit_once(':')?;
    let number = number.parse().ok()?;
    let inside = Utf8Path::new(path).strip_prefix(root).ok()?;
    Some(Diagnostic { file: RepoPath::new(inside.as_str()).ok(), line: number, message: message.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn complaints_have_a_place_and_a_symbol() {
        let output = "/w/src/a/B.java:3: error: cannot find symbol\n    int x = y;\n            ^\n  symbol:   variable y\n  \
                    location: class B\n1 error\n";
        let found = parse(output, Utf8Path::new("/w"));
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].file.as_ref().unwrap().as_str(), found[0].line), ("src/a/B.java", 3));
        assert_eq!(found[0].message, "cannot find symbol; symbol: variable y; location: class B");
    }

    #[test]
    fn warnings_are_no_errors() {
        let output = "/w/B.java:3: warning: [cast] redundant cast to int\n1 warning\n";
        assert!(parse(output, Utf8Path::new("/w")).is_empty());
        let found = complaints(output, "warning", Utf8Path::new("/w"));
        assert_eq!((found[0].line, found[0].message.as_str()), (3, "[cast] redundant cast to int"));
    }

    #[test]
    fn an_old_source_level_is_lifted_to_what_the_jdk_knows() {
        let jdk = Jdk { home: "/j".into(), major: 25, version: "25".into() };
        let level = Level { release: Some("1.5".into()), ..Level::default() };
        let args = level.arguments(&jdk);
        assert!(args.windows(2).any(|pair| pair == ["--release", "8"]), "{args:?}");
    }

    proptest! {
        #[test]
        fn no_output_makes_it_panic(output in any::<String>()) {
            parse(&output, Utf8Path::new("/w"));
        }
    }
}
