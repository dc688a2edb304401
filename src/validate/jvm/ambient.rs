//! What the classes of a patch newly ask of the world around them: the time, chance, threads, the process they run in.
//!
//! What the package or its tests speak of already is left alone.

use super::class_file::Names;
use crate::validate::ambient::Counts;
use std::collections::BTreeSet;

/// Something that code may ask.
struct Ambient {
    /// What it does who asks.
    what: &'static str,
    /// When it counts.
    counts: Counts,
    /// Members that ask: class, or the begin of it where it ends with a slash; name (empty: any); begin of the descriptor.
    members: &'static [(&'static str, &'static str, &'static str)],
    /// Texts of which it needs one, where it may ask for other things as well (none: it always counts).
    texts: &'static [&'static str],
    /// Begins of other classes by which one speaks of it.
    spoken: &'static [&'static str],
}

const AMBIENT: &[Ambient] = &[
    Ambient {
        what: "decides by the time",
        counts: Counts::WhereItDecides,
        members: &[
            ("java/lang/System", "nanoTime", ""),
            ("java/lang/System", "currentTimeMillis", ""),
            ("java/time/", "now", ""),
            ("java/time/Clock", "", ""),
            ("java/util/Date", "<init>", "()V"),
            ("java/util/Calendar", "getInstance", ""),
            ("java/util/GregorianCalendar", "<init>", "()V"),
        ],
        texts: &[],
        spoken: &["java/time/", "java/util/Date", "java/util/Calendar", "java/util/concurrent/TimeUnit"],
    },
    Ambient {
        what: "decides by chance",
        counts: Counts::WhereItDecides,
        members: &[
            ("java/lang/Math", "random", "()D"),
            ("java/lang/StrictMath", "random", "()D"),
            ("java/util/Random", "<init>", "()V"),
            ("java/util/SplittableRandom", "<init>", "()V"),
            ("java/util/concurrent/ThreadLocalRandom", "current", ""),
            ("java/security/SecureRandom", "", ""),
            ("java/util/UUID", "randomUUID", ""),
        ],
        texts: &[],
        spoken: &["java/util/Random", "java/util/UUID", "java/util/random/"],
    },
    Ambient {
        what: "starts a thread or a timer",
        counts: Counts::Always,
        members: &[
            ("java/lang/Thread", "<init>", ""),
            ("java/lang/Thread", "ofVirtual", ""),
            ("java/lang/Thread", "startVirtualThread", ""),
            ("java/util/Timer", "<init>", ""),
            ("java/util/concurrent/CompletableFuture", "delayedExecutor", ""),
            ("java/util/concurrent/ScheduledExecutorService", "", ""),
            ("java/util/concurrent/ScheduledThreadPoolExecutor", "", ""),
        ],
        texts: &[],
        spoken: &["java/util/concurrent/", "java/lang/Runnable"],
    },
    Ambient {
        what: "decides by the process it runs in",
        counts: Counts::WhereItDecides,
        members: &[
            ("java/lang/System", "console", ""),
            ("java/lang/System", "in", ""),
            ("java/lang/System", "getProperties", ""),
            ("java/lang/System", "getenv", "()Ljava/util/Map;"),
            ("java/lang/Runtime", "maxMemory", ""),
            ("java/lang/Runtime", "totalMemory", ""),
            ("java/lang/Runtime", "freeMemory", ""),
            ("java/lang/Thread", "getId", ""),
            ("java/lang/Thread", "threadId", ""),
            ("java/lang/Class", "getProtectionDomain", ""),
            ("java/lang/Package", "getPackages", ""),
            ("java/lang/ClassLoader", "getDefinedPackages", ""),
            ("java/lang/ModuleLayer", "", ""),
            ("java/net/NetworkInterface", "", ""),
            ("java/net/InetAddress", "", ""),
            ("java/util/prefs/", "", ""),
        ],
        texts: &[],
        spoken: &["java/lang/Process", "java/net/"],
    },
    Ambient {
        what: "decides by whose machine it runs on",
        counts: Counts::WhereItDecides,
        members: &[
            ("java/lang/System", "getProperty", ""),
            ("java/lang/System", "getenv", "(Ljava/lang/String;)"),
            ("java/lang/Boolean", "getBoolean", ""),
            ("java/lang/Integer", "getInteger", ""),
            ("java/lang/Long", "getLong", ""),
        ],
        texts: &[
            "user.home",
            "user.name",
            "user.dir",
            "java.class.path",
            "java.io.tmpdir",
            "java.home",
            "java.security.manager",
            "jdk.module.path",
            "jdk.module.main",
            "sun.java.command",
            "HOME",
            "USER",
            "LOGNAME",
            "PATH",
            "PWD",
            "SHELL",
            "HOSTNAME",
            "CI",
        ],
        spoken: &["java/lang/Process"],
    },
    Ambient {
        what: "decides by when memory is freed",
        counts: Counts::WhereItDecides,
        members: &[
            ("java/lang/ref/", "", ""),
            ("java/util/WeakHashMap", "", ""),
            ("java/lang/System", "identityHashCode", ""),
        ],
        texts: &[],
        spoken: &["java/lang/ref/", "java/util/WeakHashMap", "java/util/IdentityHashMap"],
    },
    Ambient {
        what: "decides by files around it",
        counts: Counts::WhereItDecides,
        members: &[
            ("java/io/File", "exists", ""),
            ("java/io/File", "isFile", ""),
            ("java/io/File", "isDirectory", ""),
            ("java/io/File", "list", ""),
            ("java/io/File", "listFiles", ""),
            ("java/io/File", "length", ""),
            ("java/io/File", "lastModified", ""),
            ("java/io/File", "canRead", ""),
            ("java/io/File", "canWrite", ""),
            ("java/io/FileInputStream", "<init>", ""),
            ("java/io/FileReader", "<init>", ""),
            ("java/nio/file/Files", "", ""),
            ("java/lang/Class", "getResource", ""),
            ("java/lang/Class", "getResourceAsStream", ""),
            ("java/lang/ClassLoader", "getResource", ""),
            ("java/lang/ClassLoader", "getResources", ""),
            ("java/lang/ClassLoader", "getResourceAsStream", ""),
            ("java/lang/ClassLoader", "getSystemResource", ""),
            ("java/lang/ClassLoader", "getSystemResourceAsStream", ""),
        ],
        texts: &[],
        spoken: &["java/io/File", "java/nio/file/", "java/io/InputStream", "java/net/URL", "java/lang/ClassLoader"],
    },
    Ambient {
        what: "leaves files behind",
        counts: Counts::Always,
        members: &[
            ("java/io/File", "createNewFile", ""),
            ("java/io/File", "createTempFile", ""),
            ("java/io/File", "setLastModified", ""),
            ("java/io/File", "mkdir", ""),
            ("java/io/File", "mkdirs", ""),
            ("java/io/FileOutputStream", "<init>", ""),
            ("java/io/FileWriter", "<init>", ""),
            ("java/io/RandomAccessFile", "<init>", ""),
            ("java/nio/file/Files", "write", ""),
            ("java/nio/file/Files", "newOutputStream", ""),
            ("java/nio/file/Files", "newBufferedWriter", ""),
            ("java/nio/file/Files", "createFile", ""),
            ("java/nio/file/Files", "createDirectory", ""),
            ("java/nio/file/Files", "createDirectories", ""),
            ("java/nio/file/Files", "createTempFile", ""),
            ("java/nio/file/Files", "createTempDirectory", ""),
            ("java/nio/file/Files", "writeString", ""),
        ],
        texts: &[],
        spoken: &["java/io/File", "java/nio/file/"],
    },
];

impl Ambient {
    /// Whether the texts of a class allow that it asks.
    fn is_possible(&self, names: &Names) -> bool {
        self.texts.is_empty() || self.texts.iter().any(|text| names.texts.contains(*text))
    }

    fn asks(&self, (class, name, descriptor): &(String, String, String)) -> bool {
        self.members.iter().any(|(owner, known, start)| {
            let is_owner = if owner.ends_with('/') { class.starts_with(owner) } else { class == owner };
            is_owner && (known.is_empty() || known == name) && descriptor.starts_with(start)
        })
    }

    fn is_spoken_of(&self, names: &Names) -> bool {
        let is_named = |class: &String| self.spoken.iter().any(|start| class.starts_with(start));
        let asks = self.is_possible(names) && names.members.iter().any(|member| self.asks(member));
        asks || names.classes.iter().any(is_named)
    }
}

/// Why a person should look at classes with these names; `known` are those of what stood in their package before, and of
/// its tests; `decides` tells whether a condition of the patch depends on one of some calls or types.
pub(super) fn reasons(known: &Names, new: &Names, decides: impl Fn(&BTreeSet<String>) -> bool) -> Vec<String> {
    let simple = |class: &str| class.rsplit(['/', '$']).next().unwrap_or(class).to_owned();
    let unknown = AMBIENT.iter().filter(|ambient| ambient.is_possible(new) && !ambient.is_spoken_of(known));
    let told = unknown.filter_map(|ambient| {
        let asking: Vec<_> = new.members.iter().filter(|member| ambient.asks(member)).collect();
        let spell = |class: &str, name: &str| if name == "<init>" { simple(class) } else { name.to_owned() };
        let spelled = asking.iter().map(|(class, name, _)| spell(class, name)).collect();
        let (class, name, _) = asking.first()?;
        let shown =
            if name == "<init>" { format!("new {}", simple(class)) } else { format!("{}.{name}", simple(class)) };
        ambient.counts.told(&shown, ambient.what, &spelled, &decides)
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(classes: &[&str], members: &[(&str, &str, &str)]) -> Names {
        let own = |text: &&str| (*text).to_owned();
        Names {
            classes: classes.iter().map(own).collect(),
            members: members.iter().map(|(a, b, c)| (own(a), own(b), own(c))).collect(),
            ..Names::default()
        }
    }

    #[test]
    fn what_is_new_about_the_world_around_is_told() {
        for (member, word) in [
            (("java/lang/System", "nanoTime", "()J"), "`System.nanoTime` decides by the time"),
            (("java/time/LocalDate", "now", "()Ljava/time/LocalDate;"), "`LocalDate.now` decides by the time"),
            (("java/util/Random", "<init>", "()V"), "`new Random` decides by chance"),
            (("java/lang/Thread", "<init>", "(Ljava/lang/Runnable;)V"), "`new Thread` starts a thread"),
            (("java/lang/System", "console", "()Ljava/io/Console;"), "decides by the process"),
            (("java/io/File", "createNewFile", "()Z"), "leaves files behind"),
            (("java/io/File", "exists", "()Z"), "decides by files around it"),
            (("java/lang/ref/WeakReference", "get", "()Ljava/lang/Object;"), "decides by when memory is freed"),
        ] {
            let new = names(&[], &[member]);
            let told = reasons(&Names::default(), &new, |_| true);
            assert!(told.len() == 1 && told[0].contains(word), "{member:?}: {told:?}");
            assert!(reasons(&new, &new, |_| true).is_empty(), "its package asks already: {member:?}");
        }
    }

    #[test]
    fn a_property_is_told_where_it_is_one_of_the_machine() {
        let asked = |text: &str| {
            let property = ("java/lang/System", "getProperty", "(Ljava/lang/String;)Ljava/lang/String;");
            let mut names = names(&[], &[property]);
            names.texts.insert(text.to_owned());
            names
        };
        let told = |known: &str, new: &str| reasons(&asked(known), &asked(new), |_| true);
        assert!(told("os.name", "user.home")[0].contains("`System.getProperty` decides by whose machine"));
        assert!(told("user.home", "user.home").is_empty(), "its package asks already");
        assert!(told("os.name", "line.separator").is_empty());
    }

    #[test]
    fn what_tests_or_the_package_speak_of_is_left_alone() {
        let clock = names(&[], &[("java/lang/System", "nanoTime", "()J")]);
        assert!(reasons(&names(&["java/time/Duration"], &[]), &clock, |_| true).is_empty());
        assert!(reasons(&Names::default(), &clock, |_| false).is_empty(), "it decides nothing");
        for member in [
            ("java/util/Random", "<init>", "(J)V"),
            ("java/util/Date", "<init>", "(J)V"),
            ("java/lang/System", "getenv", "(Ljava/lang/String;)Ljava/lang/String;"),
            ("java/lang/Runtime", "availableProcessors", "()I"),
            ("shop/Clock", "now", "()J"),
        ] {
            assert!(reasons(&Names::default(), &names(&[], &[member]), |_| true).is_empty(), "{member:?}");
        }
    }
}
