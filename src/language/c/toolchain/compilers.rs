//! Compilers in front of PATH, by which a project in C is built once more with something added: what it links also gets an
//! object of ours.

use camino::{Utf8Path, Utf8PathBuf};
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;
use unidebug_judge::validate::command::{CommandJudge, on_users_path};
use unidebug_judge::validate::{ValidateError, io_error};
use unidebug_sandbox::Job;

/// Names under which a build may call gcc, or whichever compiler there is.
const NAMES: &[&str] = &["cc", "c99", "gcc", CLANG];
/// Names under which it links parts in C with parts in C++.
const NAMES_OF_CPP: &[&str] = &["c++", "g++"];
/// The name under which it calls clang.
const CLANG: &str = "clang";
/// A compiler with words of ours: `ALWAYS` in every call, `LINKED` where it makes a program.
const COMPILER: &str = r#"#!/bin/sh
here=${0%/*}
links=
for word in "$@"; do
    case "$word" in
        -c | -S | -E | -M | -MM | -shared | -fsyntax-only | -r) exec REAL "$@" ALWAYS ;;
        *.c | *.o | *.a | *.cpp | *.cc | *.cxx) links="LINKED" ;;
    esac
done
exec REAL "$@" ALWAYS $links
"#;
/// What one run of all tests may take: this many times what it took before.
const LONGER: f64 = 5.0;
/// The least of that.
pub(super) const LEAST: Duration = Duration::from_secs(60);

/// A folder with the compilers, which no test may write. It is removed with this value.
pub(super) struct Compilers {
    _keep: tempfile::TempDir,
    pub(super) folder: Utf8PathBuf,
}

/// What the compilers add.
pub(super) struct Added<'t> {
    /// The source of the object.
    pub(super) source: &'t str,
    /// Words of every call.
    pub(super) always: &'t str,
    /// Words of a call that makes a program; `$here/added.o` is the object.
    pub(super) linked: &'t str,
    /// Whether only gcc makes what is asked for: it stands in for clang then.
    pub(super) only_gcc: bool,
}

impl Compilers {
    /// Makes the folder and compiles the object; `None` where there is no compiler that can. `{here}` in the source becomes the
    /// folder's own name, which nobody can guess.
    pub(super) async fn of(judge: &CommandJudge, added: &Added<'_>) -> Result<Option<Self>, ValidateError> {
        let [gcc, clang] = ["gcc", CLANG].map(|name| on_users_path(name, &judge.checkout.root));
        let clang = clang.filter(|_| !added.only_gcc);
        let Some(first) = gcc.as_ref().or(clang.as_ref()) else { return Ok(None) };
        let work = &judge.options.work_dir;
        let failed = || io_error("writing compilers", work);
        let keep = tempfile::Builder::new().prefix("compilers-").tempdir_in(work).map_err(failed())?;
        let folder = Utf8Path::from_path(keep.path()).unwrap_or(work).canonicalize_utf8().map_err(failed())?;
        let name = folder.file_name().unwrap_or_default();
        std::fs::write(folder.join("added.c"), added.source.replace("{here}", name)).map_err(failed())?;
        let script = COMPILER.replace("ALWAYS", added.always).replace("LINKED", added.linked);
        let cpp = on_users_path("g++", &judge.checkout.root);
        for name in NAMES.iter().chain(NAMES_OF_CPP) {
            let file = folder.join(name);
            let real = match *name {
                CLANG => clang.as_ref().or(Some(first)),
                name if NAMES_OF_CPP.contains(&name) => cpp.as_ref(),
                _ => Some(first),
            };
            let Some(real) = real else { continue };
            std::fs::write(&file, script.replace("REAL", real.as_str())).map_err(failed())?;
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).map_err(failed())?;
        }
        let object = Job::new(first.as_str(), &folder).args(["-c", "added.c", "-o", "added.o"]).write(&folder);
        let is_compiled = judge.sandbox.run(object.wall(LEAST)).await?.exit.success();
        Ok(is_compiled.then_some(Self { _keep: keep, folder }))
    }

    /// A command of the project in a copy, with these compilers.
    pub(super) fn job(&self, judge: &CommandJudge, command: &[String], tree: &Utf8Path) -> Result<Job, ValidateError> {
        let wall = LEAST.max(Duration::from_secs_f64(judge.baseline.seconds * LONGER));
        let mut job = judge.job(command, tree, wall.min(judge.options.max_time))?;
        if let Some(name) = command.first().filter(|name| NAMES.contains(&name.as_str())) {
            job.program = self.folder.join(name).into_string();
        }
        for (name, value) in &mut job.env {
            if name == "PATH" {
                *value = format!("{}:{value}", self.folder);
            }
        }
        Ok(job.read([self.folder.clone()]))
    }
}
