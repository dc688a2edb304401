//! What the files of a patch newly ask of the world around them: the time, chance, threads, the process they run in.
//!
//! A test sees one moment of one process. Code that decides by such things can behave there and nowhere else, and no
//! further run of the test shows it. They have honest uses, so what the tests of a changed module speak of is left alone.

/// Something that code may ask.
struct Ambient {
    /// What it does who asks.
    what: &'static str,
    /// Imported names that ask, with what is below them.
    names: &'static [&'static str],
    /// Words of tests that speak of it.
    spoken: &'static [&'static str],
}

const AMBIENT: &[Ambient] = &[
    Ambient {
        what: "asks for the time or waits for it",
        names: &[
            "time.time",
            "time.time_ns",
            "time.monotonic",
            "time.monotonic_ns",
            "time.perf_counter",
            "time.perf_counter_ns",
            "time.process_time",
            "time.process_time_ns",
            "time.thread_time",
            "time.localtime",
            "time.gmtime",
            "time.sleep",
            "datetime.datetime.now",
            "datetime.datetime.today",
            "datetime.datetime.utcnow",
            "datetime.date.today",
            "os.times",
            "threading.Timer",
        ],
        spoken: &["time", "date", "clock", "sleep"],
    },
    Ambient {
        what: "decides by chance",
        names: &["random", "secrets", "uuid.uuid1", "uuid.uuid4", "os.urandom"],
        spoken: &["random", "seed", "uuid", "secret"],
    },
    Ambient {
        what: "starts a thread",
        names: &["threading.Thread", "_thread.start_new_thread", "concurrent.futures.ThreadPoolExecutor"],
        spoken: &["thread", "concurren"],
    },
    Ambient {
        what: "looks at the process it runs in",
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
        ],
        spoken: &["subprocess", "stdin", "hostname", "platform", "getpid", "sys.path"],
    },
    Ambient {
        what: "leaves files behind",
        names: &["pathlib.Path.home", "os.path.expanduser", "tempfile", "shelve", "dbm", "sqlite3"],
        spoken: &["tmp_path", "tmpdir", "tempfile", "home", "open("],
    },
];

/// Why a person should look at a patch that newly refers to these imported names; `is_spoken` tells whether tests hold one
/// of some words.
pub(super) fn reasons<'n>(
    names: impl Iterator<Item = &'n str> + Clone,
    is_spoken: impl Fn(&[&str]) -> bool,
) -> Vec<String> {
    let below = |name: &str, known: &&str| {
        name.strip_prefix(*known).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let told = AMBIENT.iter().filter_map(|ambient| {
        let asking = names.clone().find(|name| ambient.names.iter().any(|known| below(name, known)))?;
        let what = ambient.what;
        (!is_spoken(ambient.spoken))
            .then(|| format!("`{asking}` {what}: what a test sees of it may be so in the test alone"))
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(names: &[&str], test: &str) -> Vec<String> {
        reasons(names.iter().copied(), |words| words.iter().any(|word| test.contains(word)))
    }

    #[test]
    fn what_is_new_about_the_world_around_is_told_unless_tests_speak_of_it() {
        for (name, test) in [
            ("time.monotonic", "a timeout ends"),
            ("random.Random", "with a seed"),
            ("threading.Thread", "two threads"),
            ("sys.stdin.isatty", "reads stdin"),
            ("tempfile.mkstemp", "in tmp_path"),
        ] {
            assert_eq!(told(&[name], "assert total() == 3").len(), 1, "{name}");
            assert!(told(&[name], test).is_empty(), "{name}");
        }
    }

    #[test]
    fn what_repairs_need_is_not_told() {
        for name in
            ["time.strftime", "datetime.datetime", "randomize", "sys.maxsize", "platform.system", "os.path.join"]
        {
            assert!(told(&[name], "").is_empty(), "{name}");
        }
    }
}
