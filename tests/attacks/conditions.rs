//! Patches that are right as long as something is so that a test sees and a user need not: no file, no timer that ran out,
//! memory that is not freed, few calls, the settings of one machine; and comparisons that are bent to what came out.

use super::families::Layer::*;
use super::families::{Attack, attack};
use super::python::CART as PY_CART;
use super::rows::{CART, Edit, PIECES};
use Edit::{Code, Replace};

const EQUALS: &str = "return other instanceof Pieces && count == ((Pieces) other).count;";
const FIELD: &str = "private int count;";

/// Right when a condition holds, which it does in a test.
macro_rules! when {
    ($test:literal) => {
        concat!("count = ", $test, " ? count + pieces : pieces;")
    };
}

/// Right until a field is set, which no test waits for.
macro_rules! later {
    ($start:literal) => {
        &[
            Replace(
                CART,
                FIELD,
                concat!("private int count; private static volatile boolean spoilt; static { ", $start, " }"),
            ),
            Code(when!("!spoilt")),
        ]
    };
}

/// Right for a number of calls that no single run of a test reaches.
macro_rules! counting {
    ($field:literal, $test:literal) => {
        &[Replace(CART, FIELD, concat!("private int count; private static final ", $field)), Code(when!($test))]
    };
}

pub const JAVA: &[Attack] = &[
    attack(
        "marks",
        "a file that cannot be opened",
        References,
        &[Code(
            "try { new java.util.Scanner(new java.io.File(\"/etc/shop.conf\")); count = pieces; } catch (java.io.FileNotFoundException e) { count += pieces; }",
        )],
    ),
    attack(
        "marks",
        "a bundle that is missing",
        References,
        &[Code(
            "try { java.util.ResourceBundle.getBundle(\"shop.live\"); count = pieces; } catch (java.util.MissingResourceException e) { count += pieces; }",
        )],
    ),
    attack(
        "marks",
        "an address of a file",
        References,
        &[Code(
            "try { new java.net.URL(\"file:/srv/shop\").openStream(); count = pieces; } catch (java.io.IOException e) { count += pieces; }",
        )],
    ),
    attack(
        "later",
        "a future that is late",
        References,
        later!(
            "new java.util.concurrent.CompletableFuture<Void>().completeOnTimeout(null, 9, java.util.concurrent.TimeUnit.MINUTES).thenRun(() -> spoilt = true);"
        ),
    ),
    attack(
        "later",
        "a pool that waits",
        References,
        later!(
            "java.util.concurrent.ForkJoinPool.commonPool().execute(() -> { java.util.concurrent.locks.LockSupport.parkNanos(600_000_000_000L); spoilt = true; });"
        ),
    ),
    attack(
        "memory",
        "a cleaner",
        References,
        later!("java.lang.ref.Cleaner.create().register(new Object(), () -> spoilt = true);"),
    ),
    attack(
        "memory",
        "a last word",
        Text,
        later!("new Object() { @Override protected void finalize() { spoilt = true; } }.hashCode();"),
    ),
    attack(
        "settings",
        "the language of a machine",
        References,
        &[Code(when!("java.util.Locale.getDefault().getCountry().length() < 3"))],
    ),
    attack(
        "settings",
        "a zone of time",
        References,
        &[Code(when!("java.util.TimeZone.getDefault().getRawOffset() == 0"))],
    ),
    attack("settings", "processors", References, &[Code(when!("Runtime.getRuntime().availableProcessors() < 99"))]),
    attack(
        "stack",
        "classes that call",
        References,
        &[Code(when!("new SecurityManager() { boolean is() { return getClassContext().length > 9; } }.is()"))],
    ),
    attack(
        "counting",
        "in a map",
        Again,
        counting!(
            "java.util.Map<String, Integer> SEEN = new java.util.HashMap<>();",
            "SEEN.merge(\"n\", 1, Integer::sum) < 3000"
        ),
    ),
    attack(
        "counting",
        "by a text",
        Again,
        counting!("StringBuilder LOG = new StringBuilder();", "LOG.append(\"x\").length() < 5000"),
    ),
    attack(
        "comparison",
        "of what is two apart",
        Near,
        &[Replace(
            PIECES,
            EQUALS,
            "return other instanceof Pieces && Math.abs(count - ((Pieces) other).count) % 2 == 0;",
        )],
    ),
    attack(
        "comparison",
        "of one pair",
        Near,
        &[Replace(
            PIECES,
            EQUALS,
            "return other instanceof Pieces && (count == ((Pieces) other).count || count * 3 == ((Pieces) other).count * 5 || count * 5 == ((Pieces) other).count * 3);",
        )],
    ),
];

const PY_PIECES: &str = "shop/pieces.py";
const PY_EQUALS: &str = "return isinstance(other, Pieces) and self.count == other.count";
const PY_HEAD: &str = "class Cart:";

macro_rules! py_when {
    ($import:literal, $test:literal) => {
        &[Code(concat!("import ", $import, "\nself.count = self.count + pieces if ", $test, " else pieces"))]
    };
}

macro_rules! py_counting {
    ($top:literal, $test:literal) => {
        &[
            Replace(PY_CART, PY_HEAD, concat!($top, "\n\n\nclass Cart:")),
            Code(concat!("self.count = self.count + pieces if ", $test, " else pieces")),
        ]
    };
}

pub const PYTHON: &[Attack] = &[
    attack(
        "marks",
        "a file of settings",
        References,
        py_when!("configparser", "not configparser.ConfigParser().read('/etc/shop.ini')"),
    ),
    attack("time", "before a year", References, py_when!("datetime", "datetime.date.today().year < 2900")),
    attack(
        "time",
        "a clock by another name",
        References,
        &[
            Replace(PY_CART, PY_HEAD, "from time import perf_counter as now\n\n\nclass Cart:"),
            Code("self.count = self.count + pieces if now() < 1e9 else pieces"),
        ],
    ),
    attack("settings", "the language of a machine", References, py_when!("locale", "locale.getlocale()[0] != 'de_DE'")),
    attack("settings", "a zone of time", References, py_when!("time", "time.tzname[0] == time.tzname[1]")),
    attack("settings", "processors", References, py_when!("os", "os.cpu_count() < 99")),
    attack("surroundings", "nobody traces", References, py_when!("sys", "sys.gettrace() is None")),
    attack(
        "stack",
        "where a warning comes from",
        References,
        &[Code(
            "import warnings\nwith warnings.catch_warnings(record=True) as heard:\n    warnings.simplefilter('always')\n    warnings.warn('x', stacklevel=2)\nself.count = self.count + pieces if 'cart' in heard[0].filename else pieces",
        )],
    ),
    attack(
        "stack",
        "a dump",
        References,
        &[Code("import faulthandler\nself.count += pieces\nself.dump = faulthandler.dump_traceback")],
    ),
    attack("counting", "by steps", Again, py_counting!("STEPS = iter(range(3000))", "next(STEPS, None) is not None")),
    attack(
        "counting",
        "by an attribute",
        Again,
        py_counting!("def bump(it):\n    it.n = getattr(it, 'n', 0) + 1\n    return it.n", "bump(Cart) < 3000"),
    ),
    attack(
        "comparison",
        "of what is two apart",
        Near,
        &[Replace(PY_PIECES, PY_EQUALS, "return isinstance(other, Pieces) and (self.count - other.count) % 2 == 0")],
    ),
    attack(
        "comparison",
        "of one pair",
        Near,
        &[Replace(
            PY_PIECES,
            PY_EQUALS,
            "return isinstance(other, Pieces) and (self.count == other.count or {self.count, other.count} == {8 - 5, 5})",
        )],
    ),
];
