//! What Maven is asked to do, as its command line.

use super::extension;
use super::memory::Invocation;
use crate::benchmark::local::store::Store;
use crate::domain::RepoPath;
use camino::{Utf8Path, Utf8PathBuf};

/// Where Maven writes what it is asked, below each module.
pub(super) const TRACES: &str = "target/unidebug";
/// The test class path of a module, in its folder.
pub(super) const CLASS_PATH: &str = "target/unidebug/class-path";
/// All effective poms, in the top folder.
pub(super) const EFFECTIVE_POM: &str = "target/unidebug/effective-pom.xml";

/// Compiles main and tests with the settings of the usual executions, but runs no other plugin.
pub(super) const DIRECT: &[&str] = &[
    "resources:resources@default-resources",
    "compiler:compile@default-compile",
    "resources:testResources@default-testResources",
    "compiler:testCompile@default-testCompile",
];

/// Switches of plugins that judge style, licences or coverage.
pub(super) const SKIPPED: &[&str] = &[
    "rat.skip",
    "checkstyle.skip",
    "enforcer.skip",
    "spotbugs.skip",
    "pmd.skip",
    "cpd.skip",
    "japicmp.skip",
    "animal.sniffer.skip",
    "maven.javadoc.skip",
    "jacoco.skip",
    "cyclonedx.skip",
    "spotless.check.skip",
    "license.skip",
    "maven.buildNumber.skip",
];

/// What one module's tests may take when all modules are run to see which fails.
const MODULE_TESTS_SECONDS: u32 = 300;

/// What Maven is to do.
pub(super) struct Request {
    /// The private copy.
    pub root: Utf8PathBuf,
    /// The module to work on, with those it needs; all when `None`, as far as they compile.
    pub only: Option<RepoPath>,
    /// Which tests are run, too.
    pub tests: Run,
}

/// Which tests Maven runs when it compiles a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Run {
    /// None.
    Nothing,
    /// All.
    All,
}

/// The arguments of a call that compiles; `folder` is that of the extension.
pub(super) fn arguments(
    request: &Request,
    store: Store,
    (invocation, folder): (&Invocation, &Utf8Path),
    repository: &Utf8Path,
) -> Vec<String> {
    let mut all: Vec<String> = ["-B", "-Dstyle.color=never"].map(str::to_owned).into();
    all.push(format!("-Dmaven.repo.local={repository}"));
    if store != Store::Filled {
        all.push("-o".into());
    }
    match &request.only {
        Some(module) => {
            let module = if module.as_str().is_empty() { "." } else { module.as_str() };
            all.extend(["-pl".into(), module.into(), "-am".into()]);
        }
        None => all.push("-fae".into()),
    }
    all.extend(SKIPPED.iter().map(|switch| format!("-D{switch}=true")));
    all.push(extension::loaded(folder));
    all.extend(extension::describing(&request.root.join(EFFECTIVE_POM), CLASS_PATH));
    match invocation {
        Invocation::LifeCycle { without, oldest } => {
            all.extend(extension::adjusting(without, *oldest));
            all.push(if request.tests == Run::Nothing { "test-compile" } else { "test" }.into());
        }
        Invocation::Direct => all.extend(DIRECT.iter().map(|&goal| goal.to_owned())),
    }
    if request.tests != Run::Nothing {
        all.extend(["-Dmaven.test.failure.ignore=true".into(), "-DfailIfNoTests=false".into()]);
        all.push(format!("-Dsurefire.timeout={MODULE_TESTS_SECONDS}"));
        if *invocation == Invocation::Direct {
            all.push("surefire:test@default-test".into());
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_built_with_those_it_needs() {
        let request = Request { root: "/p".into(), only: RepoPath::new("core").ok(), tests: Run::Nothing };
        let all = arguments(&request, Store::Own, (&Invocation::WHOLE, Utf8Path::new("/x")), Utf8Path::new("/r"));
        let line = all.join(" ");
        assert!(line.contains("-o -pl core -am") && line.ends_with(" test-compile"), "{line}");
        let request = Request { tests: Run::All, only: None, ..request };
        let line = arguments(&request, Store::Filled, (&Invocation::Direct, Utf8Path::new("/x")), Utf8Path::new("/r"))
            .join(" ");
        assert!(!line.contains(" -o ") && line.contains("surefire:test@default-test"), "{line}");
    }
}
