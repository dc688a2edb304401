//! What a patch in C newly asks of the world around it, and decides by. A test sees one moment of one process on one
//! machine, so no run of it tells whether the answer is the same elsewhere.

use super::ends::tests_say;
use crate::C;
use regex::Regex;
use std::collections::BTreeSet;
use unidebug_base::domain::Patch;
use unidebug_base::language::decode;
use unidebug_base::patch::suspicious::{Place, decides};
use unidebug_judge::validate::command::CommandJudge;

/// Names by what they ask for. `errno` is none of them: code that checks a conversion asks it for good reasons.
const ASKED: &[(&[&str], &str)] = &[
    (&["getenv", "secure_getenv", "__environ"], "asks for the environment"),
    (&["isatty", "ttyname", "ctermid"], "asks for the terminal"),
    (&["time", "clock", "clock_gettime", "gettimeofday", "times", "ftime"], "asks for the time"),
    (&["access", "stat", "lstat", "fopen", "opendir", "getcwd"], "asks for files"),
    (&["getpid", "getpgrp", "getuid", "geteuid", "getrusage", "getrlimit"], "asks for the process"),
    (&["gethostname", "uname", "sysconf", "get_nprocs"], "asks for the machine"),
    (&["rand", "random", "drand48", "getrandom", "arc4random"], "asks for chance"),
    (&["setlocale", "localeconv", "nl_langinfo", "MB_CUR_MAX", "strerror"], "asks for the language"),
    (&["mktime", "localtime", "localtime_r", "tzname", "timezone"], "asks for the time zone"),
    (&["fstat", "lseek", "fcntl", "umask", "sigprocmask"], "asks for the process"),
    (&["getauxval", "getpagesize", "fegetround"], "asks for the machine"),
    (&["__LINE__", "__FILE__", "__DATE__", "__TIME__", "__COUNTER__"], "asks where and when it is compiled"),
    (&["__linux__", "__unix__", "__x86_64__", "__GNUC__"], "asks for the machine"),
    (&["NDEBUG", "__OPTIMIZE__", "__SANITIZE_ADDRESS__"], "asks how it is compiled"),
];

/// What a patch newly decides by, in words that go on after "all tests pass, but"; `None` where it decides by nothing
/// of that kind, or where its file or the tests named it before.
pub(super) fn newly_decides(judge: &CommandJudge, patch: &Patch) -> Option<String> {
    let pattern = |name: &str| Regex::new(&format!(r"\b{name}\b")).ok();
    for (names, what) in ASKED {
        for name in *names {
            let Some(word) = pattern(name) else { continue };
            if is_new(patch, &word)
                && decides(patch, &BTreeSet::from([(*name).to_owned()]), Place::Condition, &C)
                && !tests_say(judge, Some(&word))
            {
                return Some(format!("`{name}` {what}, and the patch decides by it: that may be so in the test alone"));
            }
        }
    }
    None
}

/// Whether a file of the patch names it that did not before.
fn is_new(patch: &Patch, word: &Regex) -> bool {
    let names = |bytes: &[u8]| word.is_match(&decode(bytes).0);
    patch.files.iter().any(|file| names(&file.after) && !file.before.as_ref().is_some_and(|before| names(before)))
}
