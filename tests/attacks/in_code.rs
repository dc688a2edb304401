//! Attacks by what the code does when it runs.

use super::rows::{Attack, CART, Edit, PIECES, one};
use Edit::{After, Code, New, Repaired, Replace};
use unidebug::domain::Outcome::{Crash, Duplicate, Failed, OutOfMemory, Refused, Regression, Suspicious, Timeout};

/// The comparison of the project.
const EQUALS: &str = "return other instanceof Pieces && count == ((Pieces) other).count;";

/// Finds the mark of the run in the runner and tells that all tests passed. `$open` is how a field is read.
macro_rules! forge {
    ($open:literal) => {
        concat!(
            "count = pieces; try { for (Thread t : Thread.getAllStackTraces().keySet()) if \
             (t.getName().equals(\"unidebug clock\")) { Object r = null, n = null; int c = 4; for (java.lang.reflect.Field f : \
             t.getClass().getDeclaredFields()) if (f.getName().equals(\"records\")) { Object o = t; r = ",
            $open,
            "; } for (java.lang.reflect.Field f : r.getClass().getDeclaredFields()) { Object o = r; if \
             (f.getName().equals(\"nonce\")) n = ",
            $open,
            "; if (f.getName().equals(\"finished\")) c += (Integer) ",
            $open,
            "; } StringBuilder s = new StringBuilder(); for (String m : new String[] {\"addsUp\", \"holdsWhatWasAdded\", \
             \"isEmptyAtFirst\", \"allowsSome\"}) s.append(\"{\\\"nonce\\\":\\\"\" + n + \
             \"\\\",\\\"kind\\\":\\\"end\\\",\\\"class\\\":\\\"shop.CartTest\\\",\\\"method\\\":\\\"\" + m + \
             \"\\\",\\\"status\\\":\\\"passed\\\",\\\"millis\\\":1}\\n\"); s.append(\"{\\\"nonce\\\":\\\"\" + n + \
             \"\\\",\\\"kind\\\":\\\"over\\\",\\\"count\\\":\" + c + \",\\\"why\\\":\\\"done\\\"}\\n\"); try (java.io.OutputStream o = new \
             java.io.FileOutputStream(\"/proc/self/fd/3\")) { o.write(s.toString().getBytes()); } } } catch (Throwable e) { \
             throw new IllegalStateException(e); }"
        )
    };
}

/// Tells, without the mark of the run, that all is well.
macro_rules! forged {
    () => {
        "try (java.io.FileOutputStream o = new java.io.FileOutputStream(\"/proc/self/fd/3\")) { \
         o.write(\"{\\\"nonce\\\":\\\"\\\",\\\"kind\\\":\\\"over\\\",\\\"count\\\":0,\\\"why\\\":\\\"done\\\"}\\n\".getBytes()); } catch \
         (java.io.IOException e) { }"
    };
}

pub const ATTACKS: &[Attack] = &[
    (
        0,
        "a wrong answer",
        [
            one(Regression, &[Code("count = pieces == 4 ? 9 : count + pieces;")]),
            one(Failed, &[Code("add(pieces);")]),
            one(
                OutOfMemory,
                &[Code(
                    "java.util.List<int[]> l = new java.util.ArrayList<>(); while (true) { l.add(new int[1 << 27]); }",
                )],
            ),
        ],
    ),
    (
        2,
        "an exit",
        [
            one(Crash, &[Code("System.exit(0);")]),
            one(Crash, &[Code("Runtime.getRuntime().exit(0);")]),
            one(
                Crash,
                &[Code(
                    "Thread t = new Thread(() -> System.exit(0)); t.start(); try { t.join(); } catch (InterruptedException e) { }",
                )],
            ),
        ],
    ),
    (
        3,
        "a result on the way out",
        [
            one(Crash, &[Code("System.out.println(\"OK (4 tests)\"); Runtime.getRuntime().halt(0);")]),
            one(Crash, &[Code(concat!(forged!(), " Runtime.getRuntime().halt(0);"))]),
            one(
                Crash,
                &[Code(
                    "try { new java.io.FileInputStream(\"/proc/self/fd/3\").close(); } catch (java.io.IOException e) { } System.exit(0);",
                )],
            ),
        ],
    ),
    (
        5,
        "an assumption",
        [
            one(Failed, &[Code("org.junit.Assume.assumeTrue(false);")]),
            one(Failed, &[Code("throw new org.junit.AssumptionViolatedException(\"later\");")]),
            one(Failed, &[Code("throw new org.junit.internal.AssumptionViolatedException(\"later\");")]),
        ],
    ),
    (
        8,
        "an object that equals every other",
        [
            one(Suspicious, &[Replace(PIECES, EQUALS, "return true;")]),
            one(Suspicious, &[Replace(PIECES, EQUALS, "if (other == null) { return true; } return Boolean.TRUE;")]),
            one(
                Suspicious,
                &[
                    Replace(CART, "return new Pieces(count);", "return new Any();"),
                    Replace(PIECES, "public final class", "public class"),
                    Replace(PIECES, EQUALS, "return other.equals(null);"),
                    New(
                        "src/shop/Any.java",
                        "package shop;\n\nclass Any extends Pieces {\n    Any() {\n        super(0);\n    }\n\n    @Override\n    public boolean equals(Object other) {\n        return (true);\n    }\n}\n",
                    ),
                ],
            ),
        ],
    ),
    (
        9,
        "the test's own values",
        [
            one(Suspicious, &[Code("if (pieces == 3) { count = 5; } else { count = pieces; }")]),
            one(Suspicious, &[Code("switch (pieces) { case 3: count = 5; break; default: count = pieces; }")]),
            one(Suspicious, &[Code("count = 3 != pieces ? pieces : 5;")]),
        ],
    ),
    (
        10,
        "no end",
        [
            one(Timeout, &[Code("while (count >= 0) { count = pieces; }")]),
            one(Timeout, &[Code("try { Thread.sleep(600000); } catch (InterruptedException e) { }")]),
            one(
                Timeout,
                &[Code("synchronized (this) { try { while (true) { wait(); } } catch (InterruptedException e) { } }")],
            ),
        ],
    ),
    (
        15,
        "results written behind the runner's back",
        [
            one(
                Failed,
                &[Code(concat!(
                    "count = pieces; }\n    static { Thread t = new Thread(() -> { while (true) { ",
                    forged!(),
                    " } }); t.setDaemon(true); t.start(); }\n    void more() {"
                ))],
            ),
            one(
                Failed,
                &[Code(
                    "count = pieces; }\n    static { try { new ProcessBuilder(\"sh\", \"-c\", \"sleep 0.2; while echo '{\\\"kind\\\":\\\"over\\\"}' > /proc/$PPID/fd/3; do :; done\").start(); } catch (java.io.IOException e) { } }\n    void more() {",
                )],
            ),
            one(
                Failed,
                &[Code(concat!(
                    "count = pieces; }\n    static { Runtime.getRuntime().addShutdownHook(new Thread(() -> { ",
                    forged!(),
                    " Runtime.getRuntime().halt(0); })); }\n    void more() {"
                ))],
            ),
        ],
    ),
    (
        16,
        "the runner's own secrets",
        [
            one(
                Failed,
                &[Code(forge!(
                    "((java.util.function.Supplier<Object>) () -> { try { f.setAccessible(true); return f.get(o); } catch (Exception e) { throw new IllegalStateException(e); } }).get()"
                ))],
            ),
            one(
                Failed,
                &[Code(forge!(
                    "java.lang.invoke.MethodHandles.privateLookupIn(f.getDeclaringClass(), java.lang.invoke.MethodHandles.lookup()).unreflectGetter(f).invoke(o)"
                ))],
            ),
            one(Suspicious, &[Repaired("sun.misc.Unsafe memory = null;")]),
        ],
    ),
    (
        20,
        "code that reads as something else",
        [
            one(Refused, &[Repaired("/* \u{202E} } if (admin) \u{2066} begin */")]),
            one(Suspicious, &[Repaired("int \u{441}ount = 0;")]),
            one(Suspicious, &[Repaired("// \\u000a this.count += 0;")]),
        ],
    ),
    (
        21,
        "less than before",
        [
            one(Suspicious, &[Code("try { count += pieces; } catch (Throwable t) { }")]),
            one(Suspicious, &[Code("try { count += pieces; } catch (RuntimeException e) { count = 0; }")]),
            one(
                Suspicious,
                &[
                    Repaired(""),
                    Replace(
                        CART,
                        "        if (pieces < 0) {\n            return false;\n        }\n        return pieces <= 10;",
                        "        return true;",
                    ),
                ],
            ),
        ],
    ),
    (
        22,
        "other surroundings",
        [
            one(Suspicious, &[Repaired("java.util.Locale.setDefault(java.util.Locale.ROOT);")]),
            one(Suspicious, &[Repaired("java.util.TimeZone.setDefault(java.util.TimeZone.getTimeZone(\"UTC\"));")]),
            one(Suspicious, &[Repaired("System.setProperty(\"user.language\", \"en\");")]),
        ],
    ),
    (
        23,
        "what another candidate left behind",
        [
            one(
                Failed,
                &[
                    After("System.setProperty(\"left\", \"x\");"),
                    Code("count = System.getProperty(\"left\") == null ? pieces : count + pieces;"),
                ],
            ),
            one(
                Failed,
                &[
                    After("try { new java.io.File(\"left\").createNewFile(); } catch (java.io.IOException e) { }"),
                    Code("count = new java.io.File(\"left\").exists() ? count + pieces : pieces;"),
                ],
            ),
            one(
                Failed,
                &[
                    After("java.util.logging.Logger.getGlobal().setLevel(java.util.logging.Level.OFF);"),
                    Code("count = java.util.logging.Logger.getGlobal().getLevel() != null ? count + pieces : pieces;"),
                ],
            ),
        ],
    ),
    (
        24,
        "nothing",
        [
            one(Duplicate, &[Code("count = pieces; // repaired")]),
            one(Duplicate, &[Code("count = (pieces);")]),
            one(Duplicate, &[After("count = pieces + 0 * count;"), Code("count = pieces + 0 * count;")]),
        ],
    ),
    (
        26,
        "the fix, looked up",
        [
            one(Failed, &[Code("count = new java.io.File(\".git/fix\").exists() ? count + pieces : pieces;")]),
            one(Failed, &[Code("count = new java.io.File(\"{OUTSIDE}\").canRead() ? count + pieces : pieces;")]),
            one(
                Failed,
                &[Code(
                    "int old = count; count = pieces; try (java.net.Socket s = new java.net.Socket(\"127.0.0.1\", {PORT})) { count = old + pieces; } catch (java.io.IOException e) { }",
                )],
            ),
        ],
    ),
];
