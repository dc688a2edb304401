//! What the files of a patch newly ask of the world around them: the time, chance, threads, files, the process they run in,
//! the names of what they are handed.
//!
//! What the tests of a changed module speak of is left alone.

use crate::patch::suspicious::Place;
use crate::validate::ambient::Counts;
use std::collections::BTreeSet;

/// Something that code may ask.
struct Ambient {
    /// What it does who asks.
    what: &'static str,
    /// When it counts.
    counts: Counts,
    /// Imported names that ask, and those that every module has, with what is below them; attributes of anything, and
    /// texts by which they are found, behind the letters of [`super::newly`].
    names: &'static [&'static str],
    /// Words of tests that speak of it.
    spoken: &'static [&'static str],
}

const AMBIENT: &[Ambient] = &[
    Ambient {
        what: "decides by the time",
        counts: Counts::WhereItWeighs,
        names: &[
            "time.time",
            "time.time_ns",
            "time.monotonic",
            "time.monotonic_ns",
            "time.perf_counter",
            "time.perf_counter_ns",
            "time.process_time",
            "time.thread_time",
            "datetime.datetime.now",
            "datetime.datetime.utcnow",
            "datetime.datetime.today",
            "datetime.date.today",
            "os.times",
        ],
        spoken: &["time", "clock", "date", "today", "freez", "wait", "expire", "cache"],
    },
    Ambient {
        what: "decides by the name of what its caller hands to it",
        counts: Counts::WhereItDecides,
        names: &[
            "a:__name__",
            "a:__qualname__",
            "a:__module__",
            "a:__code__",
            "t:__name__",
            "t:__qualname__",
            "t:__module__",
            "t:__code__",
        ],
        spoken: &["__name__", "__qualname__", "__module__", "__code__"],
    },
    Ambient {
        what: "decides by where an error comes from",
        counts: Counts::WhereItDecides,
        names: &["a:__traceback__", "t:__traceback__", "sys.exc_info"],
        spoken: &["__traceback__", "traceback", "exc_info"],
    },
    Ambient {
        what: "decides by chance",
        counts: Counts::WhereItDecides,
        names: &["random", "secrets", "uuid.uuid1", "uuid.uuid4", "os.urandom", "ssl.RAND_bytes", "crypt.mksalt"],
        spoken: &["random", "seed", "uuid", "secret"],
    },
    Ambient {
        what: "starts a thread or a timer",
        counts: Counts::Always,
        names: &[
            "threading.Thread",
            "threading.Timer",
            "_thread.start_new_thread",
            "concurrent.futures.ThreadPoolExecutor",
        ],
        spoken: &["thread", "concurren"],
    },
    Ambient {
        what: "decides by the thread it runs in",
        counts: Counts::WhereItDecides,
        names: &[
            "threading.current_thread",
            "threading.main_thread",
            "threading.get_ident",
            "asyncio._get_running_loop",
        ],
        spoken: &["thread", "concurren", "async"],
    },
    Ambient {
        what: "decides by the process it runs in",
        counts: Counts::WhereItDecides,
        names: &[
            "os.getppid",
            "os.getpid",
            "os.getlogin",
            "os.ttyname",
            "resource",
            "socket.gethostname",
            "socket.getfqdn",
            "platform.node",
            "sys.stdin",
            "sys.flags",
            "sys.path",
            "sys.warnoptions",
            "warnings.filters",
            "importlib.metadata.distributions",
            "importlib.metadata.packages_distributions",
            "os.isatty",
            "os.getuid",
            "os.geteuid",
            "os.getgid",
            "os.cpu_count",
            "os.getloadavg",
            "getpass.getuser",
            "shutil.disk_usage",
            "signal.getsignal",
            "sys.gettrace",
            "sys.getprofile",
            "sys.getrecursionlimit",
            "sys.getswitchinterval",
            "warnings.catch_warnings",
            "warnings.warn",
            "__debug__",
            "socket.getdefaulttimeout",
            "sys.stdout.encoding",
            "sys.stderr.encoding",
            "sys.getfilesystemencoding",
            "decimal.getcontext",
        ],
        spoken: &[
            "subprocess",
            "stdin",
            "stdout",
            "hostname",
            "platform",
            "getpid",
            "sys.path",
            "recursion",
            "uid",
            "warn",
            "timeout",
            "encod",
            "decimal",
        ],
    },
    Ambient {
        what: "decides by the settings of the machine it runs on",
        counts: Counts::WhereItDecides,
        names: &[
            "locale.getlocale",
            "locale.getpreferredencoding",
            "time.tzname",
            "time.timezone",
            "time.localtime",
            "datetime.datetime.fromtimestamp",
            "shutil.which",
        ],
        spoken: &["locale", "encoding", "zone", "tz", "time", "date", "which", "PATH"],
    },
    Ambient {
        what: "decides by where it was loaded from",
        counts: Counts::WhereItDecides,
        names: &[
            "__file__",
            "__loader__",
            "__spec__",
            "__path__",
            "__cached__",
            "sys.prefix",
            "sys.base_prefix",
            "site",
        ],
        spoken: &["__file__", "__path__", "__spec__", "prefix"],
    },
    Ambient {
        what: "decides by files around it",
        counts: Counts::WhereItDecides,
        names: &[
            "os.path.exists",
            "os.path.isfile",
            "os.path.isdir",
            "os.path.getsize",
            "os.path.getmtime",
            "os.listdir",
            "os.scandir",
            "os.walk",
            "os.stat",
            "os.access",
            "glob",
            "pathlib",
            "linecache",
            "configparser",
            "pkgutil",
            "importlib.resources",
            "importlib.metadata",
            "importlib.util.find_spec",
        ],
        spoken: &["path", "file", "dir", "open(", "importlib"],
    },
    Ambient {
        what: "decides by when memory is freed",
        counts: Counts::WhereItDecides,
        names: &["weakref", "gc", "sys.getrefcount"],
        spoken: &["weakref", "gc.", "refcount"],
    },
    Ambient {
        what: "decides by what was called before",
        counts: Counts::WhereItDecides,
        names: &["a:cache_info", "t:cache_info"],
        spoken: &["cache"],
    },
    Ambient {
        what: "leaves files behind",
        counts: Counts::Always,
        names: &["pathlib.Path.home", "os.path.expanduser", "tempfile", "shelve", "dbm", "sqlite3"],
        spoken: &["tmp_path", "tmpdir", "tempfile", "home", "open("],
    },
];

/// Why a person should look at a patch that newly refers to these imported names; `is_spoken` tells whether tests hold one
/// of some words, `decides` whether a condition of the patch depends on one of some names.
pub(super) fn reasons<'n>(
    names: impl Iterator<Item = &'n str> + Clone,
    is_spoken: impl Fn(&[&str]) -> bool,
    decides: impl Fn(&BTreeSet<String>, Place) -> bool,
) -> Vec<String> {
    let below = |name: &str, known: &&str| {
        name.strip_prefix(*known).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let warning = AMBIENT.iter().filter_map(|ambient| {
        let asking = names.clone().filter(|name| ambient.names.iter().any(|known| below(name, known)));
        let first = asking.clone().next()?;
        let bare = |name: &'n str| name.strip_prefix("a:").or_else(|| name.strip_prefix("t:")).unwrap_or(name);
        let spelled = asking.filter_map(|name| bare(name).rsplit('.').next().map(str::to_owned)).collect();
        let warning = ambient.counts.warning(bare(first), ambient.what, &spelled, &decides)?;
        (!is_spoken(ambient.spoken)).then_some(warning)
    });
    warning.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warnings(names: &[&str], test: &str) -> Vec<String> {
        reasons(names.iter().copied(), |words| words.iter().any(|word| test.contains(word)), |_, _| true)
    }

    #[test]
    fn what_is_new_about_the_world_around_is_told_unless_tests_speak_of_it() {
        for (name, test) in [
            ("random.Random", "with a seed"),
            ("threading.Thread", "two threads"),
            ("sys.stdin.isatty", "reads stdin"),
            ("tempfile.mkstemp", "in tmp_path"),
            ("__file__", "beside __file__"),
            ("os.path.exists", "with a file"),
            ("weakref.ref", "import weakref"),
            ("time.perf_counter", "for some time"),
            ("a:__qualname__", "f.__qualname__"),
            ("locale.getlocale", "import locale"),
            ("os.cpu_count", "platform"),
            ("a:cache_info", "f.cache_clear()"),
        ] {
            assert_eq!(warnings(&[name], "assert total() == 3").len(), 1, "{name}");
            assert!(warnings(&[name], test).is_empty(), "{name}");
        }
    }

    #[test]
    fn what_repairs_need_is_not_told() {
        for name in [
            "time.strftime",
            "datetime.datetime",
            "randomize",
            "sys.maxsize",
            "platform.system",
            "os.path.join",
            "__name__",
        ] {
            assert!(warnings(&[name], "").is_empty(), "{name}");
        }
    }
}
