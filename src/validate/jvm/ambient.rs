//! What the classes of a patch newly ask of the world around them: the time, chance, threads, the process they run in.
//!
//! A test sees one moment of one process. Code that decides by such things can behave there and nowhere else, and no
//! further run of the test shows it. They have honest uses, so what the package or its tests speak of already is left
//! alone.

use super::class_file::Names;

/// Something that code may ask.
struct Ambient {
    /// What it does who asks.
    what: &'static str,
    /// Members that ask: class, or the begin of it where it ends with a slash; name (empty: any); begin of the descriptor.
    members: &'static [(&'static str, &'static str, &'static str)],
    /// Begins of other classes by which one speaks of it.
    spoken: &'static [&'static str],
}

const AMBIENT: &[Ambient] = &[
    Ambient {
        what: "asks for the time or waits for it",
        members: &[
            ("java/lang/System", "nanoTime", ""),
            ("java/lang/System", "currentTimeMillis", ""),
            ("java/time/", "now", ""),
            ("java/time/Clock", "", ""),
            ("java/util/Date", "<init>", "()V"),
            ("java/util/Calendar", "getInstance", ""),
            ("java/util/GregorianCalendar", "<init>", "()V"),
            ("java/util/Timer", "<init>", ""),
            ("java/lang/Thread", "sleep", ""),
            ("java/util/concurrent/CompletableFuture", "delayedExecutor", ""),
            ("java/util/concurrent/ScheduledExecutorService", "", ""),
            ("java/util/concurrent/ScheduledThreadPoolExecutor", "", ""),
        ],
        spoken: &["java/time/", "java/util/Date", "java/util/Calendar", "java/util/concurrent/TimeUnit"],
    },
    Ambient {
        what: "decides by chance",
        members: &[
            ("java/lang/Math", "random", "()D"),
            ("java/lang/StrictMath", "random", "()D"),
            ("java/util/Random", "<init>", "()V"),
            ("java/util/SplittableRandom", "<init>", "()V"),
            ("java/util/concurrent/ThreadLocalRandom", "current", ""),
            ("java/security/SecureRandom", "", ""),
            ("java/util/UUID", "randomUUID", ""),
        ],
        spoken: &["java/util/Random", "java/util/UUID", "java/util/random/"],
    },
    Ambient {
        what: "starts a thread",
        members: &[
            ("java/lang/Thread", "<init>", ""),
            ("java/lang/Thread", "ofVirtual", ""),
            ("java/lang/Thread", "startVirtualThread", ""),
        ],
        spoken: &["java/util/concurrent/"],
    },
    Ambient {
        what: "looks at the process it runs in",
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
        spoken: &["java/lang/Process", "java/net/"],
    },
    Ambient {
        what: "leaves files behind",
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
        spoken: &["java/io/File", "java/nio/file/"],
    },
];

impl Ambient {
    fn asks(&self, (class, name, descriptor): &(String, String, String)) -> bool {
        self.members.iter().any(|(owner, known, start)| {
            let is_owner = if owner.ends_with('/') { class.starts_with(owner) } else { class == owner };
            is_owner && (known.is_empty() || known == name) && descriptor.starts_with(start)
        })
    }

    fn is_spoken_of(&self, names: &Names) -> bool {
        let is_named = |class: &String| self.spoken.iter().any(|start| class.starts_with(start));
        names.classes.iter().any(is_named) || names.members.iter().any(|member| self.asks(member))
    }
}

/// Why a person should look at classes with these names; `known` are those of what stood in their package before, and of
/// its tests.
pub(super) fn reasons(known: &Names, new: &Names) -> Vec<String> {
    let unknown = AMBIENT.iter().filter(|ambient| !ambient.is_spoken_of(known));
    let told = unknown.filter_map(|ambient| {
        let (class, name, _) = new.members.iter().find(|member| ambient.asks(member))?;
        let simple = class.rsplit(['/', '$']).next().unwrap_or(class);
        let shown = if name == "<init>" { format!("new {simple}") } else { format!("{simple}.{name}") };
        Some(format!("`{shown}` {}: what a test sees of it may be so in the test alone", ambient.what))
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
            (("java/lang/System", "nanoTime", "()J"), "`System.nanoTime` asks for the time"),
            (("java/time/LocalDate", "now", "()Ljava/time/LocalDate;"), "`LocalDate.now` asks for the time"),
            (("java/util/Random", "<init>", "()V"), "`new Random` decides by chance"),
            (("java/lang/Thread", "<init>", "(Ljava/lang/Runnable;)V"), "`new Thread` starts a thread"),
            (("java/lang/System", "console", "()Ljava/io/Console;"), "looks at the process"),
            (("java/io/File", "createNewFile", "()Z"), "leaves files behind"),
        ] {
            let new = names(&[], &[member]);
            let told = reasons(&Names::default(), &new);
            assert!(told.len() == 1 && told[0].contains(word), "{member:?}: {told:?}");
            assert!(reasons(&new, &new).is_empty(), "its package asks already: {member:?}");
        }
    }

    #[test]
    fn what_tests_or_the_package_speak_of_is_left_alone() {
        let clock = names(&[], &[("java/lang/System", "nanoTime", "()J")]);
        assert!(reasons(&names(&["java/time/Duration"], &[]), &clock).is_empty());
        for member in [
            ("java/util/Random", "<init>", "(J)V"),
            ("java/util/Date", "<init>", "(J)V"),
            ("java/lang/System", "getenv", "(Ljava/lang/String;)Ljava/lang/String;"),
            ("java/lang/Runtime", "availableProcessors", "()I"),
            ("shop/Clock", "now", "()J"),
        ] {
            assert!(reasons(&Names::default(), &names(&[], &[member])).is_empty(), "{member:?}");
        }
    }
}
