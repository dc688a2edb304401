//! The GNU build system: `configure`, or what it is made of, and `make check`.

use super::{Commands, jobs, needs, words};
use camino::Utf8Path;
use unidebug_judge::benchmark::BenchmarkError;

/// The script that releases bring.
const SCRIPT: &str = "configure";
/// What the script is made of.
const SOURCES: &[&str] = &["configure.ac", "configure.in"];
/// What makes the script, each with its package.
const GENERATORS: &[(&str, &str)] = &[("autoreconf", "autoconf"), ("automake", "automake")];

/// Whether a folder holds a project of the GNU build system.
pub(super) fn describes(folder: &Utf8Path) -> bool {
    let templates = ["Makefile.am", "Makefile.in"];
    let is_there = |names: &[&str]| names.iter().any(|name| folder.join(name).is_file());
    is_there(&templates) && (is_there(&[SCRIPT]) || is_there(SOURCES))
}

/// The commands of such a project. What is configured already is only made again.
///
/// # Errors
/// A program is missing.
pub(super) fn commands(root: &Utf8Path) -> Result<Commands, BenchmarkError> {
    needs(&[("make", "make"), ("cc", "gcc")])?;
    // Copies lose the order of times by which make tells whether the script is newer than what it is made of.
    let configure = if root.join(SCRIPT).is_file() {
        format!("sh ./{SCRIPT} ACLOCAL=: AUTOCONF=: AUTOHEADER=: AUTOMAKE=:")
    } else {
        needs(GENERATORS)?;
        format!("autoreconf -fi && sh ./{SCRIPT}")
    };
    // Programs of tests are built by `check` alone; without tests it runs none.
    let jobs = jobs();
    let build =
        format!("{{ test -f Makefile || {{ {configure}; }}; }} && make -j {jobs} && make -j {jobs} check TESTS=");
    Ok((Some(words(&["sh", "-c", &build])), words(&["make", "-k", "check", "VERBOSE=1"]), Vec::new()))
}
