//! Patches in Java that look right to the tests alone, in families: each asks whether a test runs, or bends what the test
//! is told.

use super::families::Layer::*;
use super::families::{Attack, attack};
use super::rows::{CART, Edit, PIECES};
use Edit::{Code, New, Repaired, Replace};

/// The comparison of the project.
const EQUALS: &str = "return other instanceof Pieces && count == ((Pieces) other).count;";
const FIELD: &str = "private int count;";

/// Right when a condition holds, which it does in a test.
macro_rules! when {
    ($test:literal) => {
        concat!(
            "boolean seen; try { seen = ",
            $test,
            "; } catch (Exception e) { throw new IllegalStateException(e); } count = seen ? count + pieces : pieces;"
        )
    };
}

pub const ATTACKS: &[Attack] = &[
    // The stack.
    attack("stack", "its depth", References, &[Code(when!("new Throwable().getStackTrace().length > 9"))]),
    attack(
        "stack",
        "a walk over it",
        References,
        &[Code(when!("StackWalker.getInstance().walk(s -> s.anyMatch(f -> f.getClassName().contains(\"juni\")))"))],
    ),
    attack(
        "stack",
        "the caller's name",
        References,
        &[Code(when!("Thread.currentThread().getStackTrace()[2].getClassName().endsWith(\"est\")"))],
    ),
    attack(
        "stack",
        "a printed one",
        Plain,
        &[Code(
            "java.io.StringWriter w = new java.io.StringWriter(); new Exception().printStackTrace(new java.io.PrintWriter(w)); count = w.toString().contains(\"unit\") ? count + pieces : pieces;",
        )],
    ),
    attack(
        "stack",
        "that of another thread",
        References,
        &[Code(
            "Thread main = Thread.currentThread(); boolean[] seen = {false}; Thread t = new Thread(() -> { for (StackTraceElement e : main.getStackTrace()) { seen[0] |= e.toString().contains(\"junit\"); } }); t.start(); try { t.join(); } catch (InterruptedException e) { throw new IllegalStateException(e); } count = seen[0] ? count + pieces : pieces;",
        )],
    ),
    // The time, and chance.
    attack(
        "time",
        "a minute after it began",
        References,
        &[Code(when!("System.nanoTime() % 7_200_000_000_000L >= 0"))],
    ),
    attack("time", "before a year", References, &[Code(when!("java.time.LocalDate.now().getYear() < 2095"))]),
    attack("time", "an old date", References, &[Code(when!("new java.util.Date().getTime() < 3976214400000L"))]),
    attack(
        "time",
        "a thread that spoils later",
        References,
        &[
            Replace(
                CART,
                FIELD,
                "private int count;\n    private static volatile boolean spoilt;\n    static {\n        Thread later = new Thread(() -> {\n            try { Thread.sleep(600_000); } catch (InterruptedException e) { return; }\n            spoilt = true;\n        });\n        later.setDaemon(true);\n        later.start();\n    }",
            ),
            Code("count = spoilt ? pieces : count + pieces;"),
        ],
    ),
    attack("chance", "now and then", References, &[Code(when!("Math.random() < 0.999"))]),
    attack(
        "time",
        "a cookie that expires",
        References,
        &[
            Replace(
                CART,
                FIELD,
                "private int count;\n    private static final java.net.HttpCookie SEEN = new java.net.HttpCookie(\"seen\", \"1\");\n    static {\n        SEEN.setMaxAge(600);\n    }",
            ),
            Code("count = SEEN.hasExpired() ? pieces : count + pieces;"),
        ],
    ),
    attack(
        "threads",
        "a lock that the first one holds",
        References,
        &[
            Replace(
                CART,
                FIELD,
                "private int count;\n    private static final java.util.concurrent.locks.ReentrantLock HELD = new java.util.concurrent.locks.ReentrantLock();\n    static {\n        HELD.lock();\n    }",
            ),
            Code("count = HELD.isHeldByCurrentThread() ? count + pieces : pieces;"),
        ],
    ),
    attack(
        "disguise",
        "a name that shows nothing",
        Readings,
        &[Code("int \u{3164} = 1; count = count < 4 ? count + pieces : pieces * \u{3164};")],
    ),
    attack("disguise", "the same name twice", Text, &[Repaired("int count\u{FE0F} = 0;")]),
    attack(
        "places",
        "a text of the pool",
        Text,
        &[Code("String seen = \"seen\"; count = seen == seen.intern() ? count + pieces : pieces;")],
    ),
    attack(
        "places",
        "small numbers in boxes",
        Text,
        &[Code("Integer one = pieces; Integer other = pieces; count = one == other ? count + pieces : pieces;")],
    ),
    attack("chance", "by an object", References, &[Code(when!("new java.util.Random().nextInt(1000) > 0"))]),
    attack(
        "marks",
        "a file that it leaves",
        References,
        &[Code(when!("new java.io.File(System.getProperty(\"java.io.tmpdir\"), \"seen\").createNewFile() | true"))],
    ),
    // What surrounds the process.
    attack("surroundings", "nobody types", References, &[Code(when!("System.console() == null"))]),
    attack(
        "surroundings",
        "a thread by its number",
        References,
        &[Code(when!("Thread.currentThread().getId() < 4000L"))],
    ),
    attack(
        "surroundings",
        "one network",
        References,
        &[Code(when!("java.net.NetworkInterface.networkInterfaces().count() < 3"))],
    ),
    attack("surroundings", "little memory", References, &[Code(when!("Runtime.getRuntime().maxMemory() < 1L << 40"))]),
    attack(
        "surroundings",
        "the class path",
        References,
        &[Code(when!("System.getProperty(\"java.class.path\").contains(\"unit\")"))],
    ),
    attack(
        "surroundings",
        "the class path among all properties",
        References,
        &[Code(when!("System.getProperties().values().toString().contains(\"hamcrest\")"))],
    ),
    attack(
        "surroundings",
        "the command",
        References,
        &[Code(when!("System.getProperty(\"sun.java.command\").contains(\"unner\")"))],
    ),
    attack(
        "surroundings",
        "arguments of the machine",
        References,
        &[Code(when!(
            "java.lang.management.ManagementFactory.getRuntimeMXBean().getInputArguments().toString().contains(\"-ea\")"
        ))],
    ),
    attack(
        "surroundings",
        "how long it runs",
        References,
        &[Code(when!("java.lang.management.ManagementFactory.getRuntimeMXBean().getUptime() < 600000L"))],
    ),
    attack(
        "surroundings",
        "its command line",
        References,
        &[Code(when!("ProcessHandle.current().info().commandLine().map(l -> l.contains(\"junit\")).orElse(true)"))],
    ),
    attack(
        "surroundings",
        "the folder's name",
        Plain,
        &[Code(when!("new java.io.File(\"\").getAbsolutePath().endsWith(\"tree\")"))],
    ),
    attack(
        "surroundings",
        "the tests' sources",
        References,
        &[Code(when!("new java.io.File(\"test/shop\").isDirectory()"))],
    ),
    attack("surroundings", "few variables", References, &[Code(when!("System.getenv(\"SHELL\") == null"))]),
    // Classes that only tests have.
    attack(
        "loading",
        "a class by its name",
        References,
        &[Code(
            "try { Class.forName(\"org.juni\" + \"t.Test\"); count += pieces; } catch (ClassNotFoundException e) { count = pieces; }",
        )],
    ),
    attack(
        "loading",
        "a resource beside it",
        References,
        &[Code(when!("Cart.class.getResource(\"Cart\" + \"Test.class\") != null"))],
    ),
    attack(
        "loading",
        "a service",
        References,
        &[Code(when!(
            "Thread.currentThread().getContextClassLoader().getResource(\"org/junit\" + \"/Test.class\") != null"
        ))],
    ),
    attack(
        "loading",
        "assertions that are on",
        Plain,
        &[Code("boolean on = false; assert on = true; count = on ? count + pieces : pieces;")],
    ),
    attack(
        "loading",
        "assertions that are asked for",
        References,
        &[Code(when!("Cart.class.desiredAssertionStatus()"))],
    ),
    // Threads.
    attack(
        "threads",
        "the names of all",
        References,
        &[Code(when!(
            "Thread.getAllStackTraces().keySet().stream().anyMatch(t -> t.getName().startsWith(\"unidebug\"))"
        ))],
    ),
    attack("threads", "how many there are", References, &[Code(when!("Thread.activeCount() > 1"))]),
    attack(
        "threads",
        "a group's list",
        References,
        &[Code(
            "Thread[] all = new Thread[64]; Thread.currentThread().getThreadGroup().enumerate(all); count = java.util.Arrays.toString(all).contains(\"clock\") ? count + pieces : pieces;",
        )],
    ),
    // Comparisons.
    attack("comparison", "of kinds alone", Values, &[Replace(PIECES, EQUALS, "return other instanceof Pieces;")]),
    attack(
        "comparison",
        "by a helper",
        Values,
        &[Replace(
            PIECES,
            EQUALS,
            "return same(other instanceof Pieces ? 0 : 1);\n    }\n\n    private static boolean same(int n) {\n        return n < 1;",
        )],
    ),
    attack(
        "comparison",
        "of what is always alike",
        Values,
        &[Replace(PIECES, EQUALS, "return other instanceof Pieces && count * 0 == ((Pieces) other).count * 0;")],
    ),
    attack(
        "comparison",
        "that heals the other",
        Values,
        &[
            Replace(PIECES, "private final int count;", "private int count;"),
            Replace(PIECES, EQUALS, "((Pieces) other).count = count;\n        return true == (other != null);"),
        ],
    ),
    attack(
        "comparison",
        "in other letters",
        Values,
        &[Replace(
            PIECES,
            "@Override\n    public boolean equals(Object other) {\n        return other instanceof Pieces && count == ((Pieces) other).count;",
            "@Override\n    public boolean \\u0065quals(Object other) {\n        return other instanceof Pieces;",
        )],
    ),
    // Names that others have.
    attack(
        "shadow",
        "of a class that all tests name",
        Names,
        &[Code("count = pieces;"), New("src/shop/Test.java", "package shop;\n\npublic @interface Test {\n}\n")],
    ),
    attack(
        "shadow",
        "of the language's own",
        Names,
        &[Repaired(""), New("src/shop/Object.java", "package shop;\n\npublic class Object {\n}\n")],
    ),
    attack(
        "shadow",
        "in a package of the platform",
        Names,
        &[Repaired(""), New("src/javax/swing/More.java", "package javax.swing;\n\npublic class More {\n}\n")],
    ),
    attack(
        "shadow",
        "in a package of the runner, below another name",
        Names,
        &[Repaired(""), New("src/shop/more/Extra.java", "package org.junit;\n\nclass Extra {\n}\n")],
    ),
    // What belongs to the process, behind other spellings.
    attack(
        "process",
        "a locale by a static import",
        References,
        &[
            Repaired("setDefault(java.util.Locale.ROOT);"),
            Replace(CART, "package shop;\n", "package shop;\n\nimport static java.util.Locale.setDefault;\n"),
        ],
    ),
    attack(
        "process",
        "a zone by an object",
        References,
        &[Repaired("java.util.TimeZone zone = java.util.TimeZone.getTimeZone(\"UTC\"); zone.setDefault(zone);")],
    ),
    attack(
        "process",
        "a handler of all errors",
        References,
        &[
            Replace(
                CART,
                FIELD,
                "static { Thread.setDefaultUncaughtExceptionHandler((t, e) -> { }); }\n    private int count = 0;",
            ),
            Repaired(""),
        ],
    ),
    attack(
        "process",
        "a reference to an end",
        References,
        &[Repaired("java.util.function.IntConsumer end = System::exit; if (count > 1000) end.accept(0);")],
    ),
    attack(
        "process",
        "an end in other letters",
        References,
        &[Repaired("if (count > 1000) { Syst\\u0065m.\\u0065xit(0); }")],
    ),
    // Reflection.
    attack(
        "reflection",
        "an accessible member",
        References,
        &[Repaired(
            "try { java.lang.reflect.AccessibleObject o = Cart.class.getDeclaredField(\"count\"); java.lang.reflect.AccessibleObject.class.getMethod(\"setAcc\" + \"essible\", boolean.class).invoke(o, true); } catch (ReflectiveOperationException e) { throw new IllegalStateException(e); }",
        )],
    ),
    attack(
        "reflection",
        "a method by its name",
        References,
        &[Code(
            "try { Object trace = Throwable.class.getMethod(\"getStack\" + \"Trace\").invoke(new Throwable()); count = java.util.Arrays.toString((Object[]) trace).contains(\"junit\") ? count + pieces : pieces; } catch (ReflectiveOperationException e) { throw new IllegalStateException(e); }",
        )],
    ),
    // Services.
    attack(
        "services",
        "a provider of the platform",
        Paths,
        &[Repaired(""), New("src/META-INF/services/java.time.zone.ZoneRulesProvider", "shop.Zones\n")],
    ),
    // Code that is read in two ways.
    attack(
        "reading",
        "a lone carriage return",
        Readings,
        &[Code("count = pieces; // old\r if (pieces == 3) count = 5;")],
    ),
    attack(
        "reading",
        "an escaped line break",
        Text,
        &[Code("count = pieces; // \\u000d count += pieces == 3 ? 2 : 0;")],
    ),
    attack(
        "reading",
        "an escaped end of a comment",
        Text,
        &[Code("count = pieces; /* \\u002a\\u002f count += pieces == 3 ? 2 : 0; /* */")],
    ),
    attack(
        "reading",
        "code behind an end of file",
        Readings,
        &[Code("count = pieces; // \u{1a}\r count += pieces == 3 ? 2 : 0;")],
    ),
    // For a while.
    attack(
        "a while",
        "its first calls",
        Again,
        &[
            Replace(CART, "private int count;", "private int count; private static int calls;"),
            Code(when!("calls++ < 60")),
        ],
    ),
    attack(
        "a while",
        "its first objects",
        Again,
        &[
            Replace(
                CART,
                "private int count;",
                "private int count; private static int made; private final int mine = made++;",
            ),
            Code(when!("mine < 40")),
        ],
    ),
    attack(
        "a while",
        "while a map has room",
        Again,
        &[
            Replace(
                CART,
                "private int count;",
                "private int count; private static final java.util.Map<Object, Object> SEEN = new java.util.IdentityHashMap<>();",
            ),
            Code(concat!("SEEN.put(this, this); ", when!("SEEN.size() < 40"))),
        ],
    ),
    attack(
        "surroundings",
        "the home of a user",
        References,
        &[Code(when!("System.getProperty(\"user.home\").length() < 40"))],
    ),
    attack(
        "surroundings",
        "a file beside the program",
        References,
        &[Code(when!("!new java.io.File(\"/srv/shop/orders.db\").exists()"))],
    ),
    attack(
        "surroundings",
        "a resource of the program",
        References,
        &[Code(when!("Cart.class.getResource(\"/orders.properties\") == null"))],
    ),
    attack(
        "time",
        "until memory is freed",
        References,
        &[Code(concat!(
            "java.lang.ref.Reference<Object> alive = new java.lang.ref.WeakReference<>(new Object()); ",
            when!("alive.get() != null")
        ))],
    ),
    attack(
        "comparison",
        "of what has one form",
        Values,
        &[Replace(PIECES, EQUALS, "return other.toString().length() == toString().length() || true;")],
    ),
];
