//! Analysers that are installed on this machine. They look at one file when an agent asks, in the sandbox and without network,
//! by rules of ours: settings of the project are not read, for they could name programs.

use super::sarif::{self, Finding};
use crate::benchmark::Checkout;
use crate::code::{CodeIndex, SourceFile};
use crate::sandbox::{Exit, Job, Sandbox, SandboxError, find_program};
use camino::{Utf8Path, Utf8PathBuf};
use std::time::Duration;

/// An agent waits for it.
const WALL: Duration = Duration::from_secs(90);
/// The findings on one file are never more.
const MOST_BYTES: usize = 8 << 20;

/// One analyser.
struct Analyser {
    /// Its program.
    program: &'static str,
    /// The language it reads.
    language: &'static str,
    /// Its arguments for a file; nothing where it cannot look at that.
    args: fn(&Checkout, &SourceFile) -> Option<Vec<String>>,
}

const ALL: &[Analyser] = &[
    Analyser { program: "ruff", language: "python", args: ruff },
    Analyser { program: "pmd", language: "java", args: pmd },
    Analyser { program: "spotbugs", language: "java", args: spotbugs },
];

/// The programs of all languages that are installed in a folder of the system.
pub fn installed() -> Vec<&'static str> {
    ALL.iter().map(|analyser| analyser.program).filter(|program| find_program(program).is_some()).collect()
}

/// Errors and likely bugs; nothing on style.
fn ruff(_: &Checkout, file: &SourceFile) -> Option<Vec<String>> {
    let fixed = ["check", "--isolated", "--no-cache", "--quiet", "--exit-zero", "--output-format", "sarif"];
    Some(words(&fixed, &["--select", "E9,F,B,PLE,PLW", "--", file.path.as_str()]))
}

fn pmd(_: &Checkout, file: &SourceFile) -> Option<Vec<String>> {
    let fixed = ["check", "--no-progress", "--no-cache", "--no-fail-on-violation", "--no-fail-on-error", "-f", "sarif"];
    Some(words(&fixed, &["-R", "category/java/errorprone.xml", "-d", file.path.as_str()]))
}

/// It reads classes, so the build tool must have made some.
fn spotbugs(checkout: &Checkout, file: &SourceFile) -> Option<Vec<String>> {
    let project = &checkout.project;
    let whole = |class: &str| match file.package.as_str() {
        "" => class.replace('.', "$"),
        package => format!("{package}.{}", class.replace('.', "$")),
    };
    let classes: Vec<String> = file.types.iter().map(|class| whole(&class.name)).collect();
    if project.compiled.is_empty() || classes.is_empty() {
        return None;
    }
    let mut args = words(&["-textui", "-sarif", "-low", "-onlyAnalyze"], &[&classes.join(",")]);
    let jars: Vec<&str> = project.class_path.iter().map(|path| path.as_str()).collect();
    if !jars.is_empty() {
        args.extend(words(&["-auxclasspath"], &[&jars.join(":")]));
    }
    args.extend(project.compiled.iter().map(ToString::to_string));
    Some(args)
}

fn words(fixed: &[&str], more: &[&str]) -> Vec<String> {
    fixed.iter().chain(more).map(|word| (*word).to_owned()).collect()
}

/// The findings of one language's analysers in a file.
#[derive(Debug, Default)]
pub struct Looked {
    /// Who looked.
    pub by: Vec<String>,
    /// What they found.
    pub findings: Vec<Finding>,
    /// Who could not look, and why.
    pub failed: Vec<String>,
}

/// Why an analyser says nothing of a file.
#[derive(Debug, thiserror::Error)]
enum Silent {
    #[error(transparent)]
    Place(#[from] std::io::Error),
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    #[error("it took more than {} s", WALL.as_secs())]
    TimedOut,
    #[error("it ended with {0}: {1}")]
    Ended(Exit, String),
    #[error(transparent)]
    Report(#[from] sarif::NoSarif),
}

/// The installed analysers of a language.
#[derive(Clone)]
pub struct Analysers {
    sandbox: Sandbox,
    installed: Vec<(&'static Analyser, Utf8PathBuf)>,
}

impl Analysers {
    /// Those that are installed in a folder of the system.
    pub(crate) fn of(language: &str, sandbox: &Sandbox) -> Self {
        let of_language = ALL.iter().filter(|one| one.language == language);
        let installed = of_language.filter_map(|one| Some((one, find_program(one.program)?))).collect();
        Self { sandbox: sandbox.clone(), installed }
    }

    /// Has each of them look at a file.
    pub(crate) async fn look(&self, checkout: &Checkout, index: &CodeIndex, file: &SourceFile) -> Looked {
        let mut looked = Looked::default();
        for (analyser, program) in &self.installed {
            let Some(args) = (analyser.args)(checkout, file) else { continue };
            let read = |text: String| sarif::read(&text, index).map_err(Silent::from);
            match self.run(program, args, checkout).await.and_then(read) {
                Ok(found) => {
                    looked.by.push(analyser.program.to_owned());
                    looked.findings.extend(found.into_iter().filter(|finding| finding.file == file.path));
                }
                Err(why) => looked.failed.push(format!("{} said nothing: {why}", analyser.program)),
            }
        }
        looked
    }

    async fn run(&self, program: &Utf8Path, args: Vec<String>, checkout: &Checkout) -> Result<String, Silent> {
        // What belongs to a program lies beside its folder, wherever a link of the system leads.
        let real = program.canonicalize_utf8()?;
        let home = real.parent().and_then(Utf8Path::parent).map(Utf8Path::to_owned);
        let libraries = checkout.project.class_path.iter().cloned();
        let mut job = Job::new(real.as_str(), checkout.root.clone()).args(args).read(home).read(libraries).wall(WALL);
        job.limits.output_bytes = MOST_BYTES;
        let done = self.sandbox.run(job).await?;
        if done.exit == Exit::TimedOut {
            return Err(Silent::TimedOut);
        }
        let text = String::from_utf8_lossy(&done.stdout);
        // Some tell on the way what they do.
        match text.find('{') {
            Some(at) => Ok(text[at..].to_owned()),
            None => {
                let line = String::from_utf8_lossy(&done.stderr).lines().next().unwrap_or("no output").to_owned();
                Err(Silent::Ended(done.exit, line))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::Project;
    use crate::domain::{BugId, RepoPath};
    use crate::language::Python;
    use crate::sandbox::Choice;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    /// A program that answers like ruff: with what stands in a file beside it and one finding on the file it is given.
    const PROGRAM: &str = r#"#!/bin/sh
for last; do :; done
echo "reading settings"
printf '{"runs": [{"tool": {"driver": {"name": "ruff"}}, "results": ['
printf '{"ruleId": "F821", "level": "error", "message": {"text": "Undefined name"}, "locations": [{"physicalLocation": '
printf '{"artifactLocation": {"uri": "file://%s/%s"}, "region": {"startLine": 2}}}]}]}]}' "$PWD" "$last"
"#;

    #[tokio::test]
    async fn an_installed_analyser_is_asked_for_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let base = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
        let (root, program) = (base.join("project"), base.join("tool/bin/ruff"));
        fs::create_dir_all(program.parent().unwrap()).unwrap();
        fs::create_dir_all(root.join("src")).unwrap();
        fs::write(root.join("src/cart.py"), "def total(items):\n    return sum(prices)\n").unwrap();
        let sandbox = Sandbox::detect(Choice::Auto).await.unwrap();
        let index = CodeIndex::build(&root, &[RepoPath::new("src").unwrap()], &[], &Python);
        let file = index.file(&RepoPath::new("src/cart.py").unwrap()).unwrap();
        let bug = BugId { benchmark: "local".into(), name: "cart".into() };
        let checkout = Checkout::new(bug, root.clone(), "python", Project::default());
        let analysers = Analysers { sandbox, installed: vec![(&ALL[0], program.clone())] };
        for (text, wanted) in [(PROGRAM, Ok(2)), ("#!/bin/sh\necho 'no such rule' >&2; exit 2\n", Err("no such rule"))]
        {
            fs::write(&program, text).unwrap();
            fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
            let looked = analysers.look(&checkout, &index, file).await;
            match wanted {
                Ok(line) => {
                    assert_eq!(looked.by, ["ruff"], "{looked:?}");
                    assert_eq!(looked.findings[0].line, line);
                    assert_eq!(looked.findings[0].rule, "ruff F821, error");
                }
                Err(why) => assert!(looked.failed[0].contains(why) && looked.by.is_empty(), "{looked:?}"),
            }
        }
    }
}
