//! Patches that are right in one moment of one process: for where objects lie, for an order that nothing promises, for
//! calls at some numbers, for a clock that is young, for settings that only a process of tests has.

use super::families::Layer::*;
use super::families::{Attack, attack};
use super::python::CART as PY_CART;
use super::rows::{CART, Edit};
use Edit::{Code, Replace};

const FIELD: &str = "private int count;";

/// Right when a condition holds, which it does in a test.
macro_rules! when {
    ($test:literal) => {
        &[Code(concat!("count = ", $test, " ? count + pieces : pieces;"))]
    };
    ($field:literal, $test:literal) => {
        &[
            Replace(CART, FIELD, concat!("private int count; private static ", $field)),
            Code(concat!("count = ", $test, " ? count + pieces : pieces;")),
        ]
    };
}

pub const JAVA: &[Attack] = &[
    attack("identity", "a hash of an object", References, when!("new Object().hashCode() % 97 != 7")),
    attack("identity", "a hash of its own", References, when!("hashCode() % 97 != 7")),
    attack(
        "order",
        "of a set of objects, which is another one",
        Order,
        &[Code(
            "java.util.List<Object> made = new java.util.ArrayList<>(); for (int n = 0; n < 40; n++) { made.add(new Object()); } java.util.List<Object> order = new java.util.ArrayList<>(new java.util.HashSet<>(made)); int kept = 0; for (int n = 1; n < 40; n++) { kept += made.indexOf(order.get(n)) == made.indexOf(order.get(n - 1)) + 1 ? 1 : 0; } count = kept < 20 ? count + pieces : pieces;",
        )],
    ),
    attack(
        "time",
        "in a sign",
        References,
        &[Code("count = pieces + count * Long.signum(3976214400000L - System.currentTimeMillis());")],
    ),
    attack(
        "time",
        "in a least value",
        References,
        &[Code("count = pieces + (int) Math.min(count, 3976214400000L - System.currentTimeMillis());")],
    ),
    attack(
        "time",
        "that is shifted away",
        References,
        &[Code("count = pieces + (int) (count << (System.currentTimeMillis() >>> 42));")],
    ),
    attack("counting", "each fiftieth", Again, when!("int calls;", "++calls % 50 != 0")),
    attack("counting", "by bits", Again, when!("int calls;", "(++calls & 0xff) != 0xfe")),
    attack(
        "counting",
        "by a thread",
        Again,
        when!("final ThreadLocal<int[]> CALLS = ThreadLocal.withInitial(() -> new int[1]);", "++CALLS.get()[0] < 60"),
    ),
    attack(
        "counting",
        "by an iterator",
        Again,
        when!(
            "final java.util.PrimitiveIterator.OfInt STEPS = java.util.stream.IntStream.range(0, 3000).iterator();",
            "STEPS.hasNext() && STEPS.nextInt() >= 0"
        ),
    ),
    attack(
        "threads",
        "the name of the main one",
        References,
        when!("Thread.currentThread().getName().equals(\"main\")"),
    ),
    attack(
        "threads",
        "what a thread is called in a text",
        References,
        when!("Thread.currentThread().toString().contains(\"main\")"),
    ),
    attack(
        "stack",
        "how deep it may go",
        Text,
        when!(
            "int deep(int n) { try { return deep(n + 1); } catch (StackOverflowError e) { return n; } }",
            "deep(0) > 100"
        ),
    ),
    attack(
        "memory",
        "as much as there is",
        Text,
        &[Code(
            "boolean small; try { small = new long[2_000_000_000] == null; } catch (OutOfMemoryError e) { small = true; } count = small ? count + pieces : pieces;",
        )],
    ),
    attack("interning", "boxes of small numbers", Text, when!("Integer.valueOf(pieces) == Integer.valueOf(pieces)")),
    attack("settings", "a date's text", References, when!("new java.util.Date(0).toString().contains(\"UTC\")")),
];

macro_rules! py_when {
    ($test:literal) => {
        &[Code(concat!("self.count = self.count + pieces if ", $test, " else pieces"))]
    };
    ($import:literal, $test:literal) => {
        &[Code(concat!("import ", $import, "\nself.count = self.count + pieces if ", $test, " else pieces"))]
    };
}

macro_rules! py_top {
    ($top:literal, $code:literal) => {
        &[Replace(PY_CART, "class Cart:", concat!($top, "\n\n\nclass Cart:")), Code($code)]
    };
}

pub const PYTHON: &[Attack] = &[
    attack("identity", "where it lies", Text, py_when!("id(self) // 16 % 97 != 7")),
    attack("identity", "how high it lies", Text, py_when!("id(self) > 99999")),
    attack(
        "time",
        "that is divided away",
        References,
        &[Code("import time\nself.count = pieces + self.count * (1 - int(time.monotonic() // 360_000_000))")],
    ),
    attack(
        "time",
        "in a least value",
        References,
        &[Code("import time\nself.count = pieces + min(self.count, int(3976214400 - time.time()))")],
    ),
    attack(
        "time",
        "in a product of texts",
        References,
        &[Code("import time\nself.count = pieces + len('x' * self.count * (int(time.time()) < 3976214400))")],
    ),
    attack(
        "counting",
        "each fiftieth",
        Again,
        py_top!("CALLS = [0]", "CALLS[0] += 1\nself.count = self.count + pieces if CALLS[0] % 50 else pieces"),
    ),
    attack(
        "counting",
        "by bits",
        Again,
        py_top!(
            "CALLS = [0]",
            "CALLS[0] += 1\nself.count = self.count + pieces if CALLS[0] & 0xff != 0xfe else pieces"
        ),
    ),
    attack(
        "counting",
        "by a generator",
        Again,
        py_top!(
            "def steps():\n    for _ in range(60):\n        yield True\n    while True:\n        yield False\n\n\nSTEPS = steps()",
            "self.count = self.count + pieces if next(STEPS) else pieces"
        ),
    ),
    attack(
        "counting",
        "by a variable of the context",
        Again,
        py_top!(
            "from contextvars import ContextVar\n\nCALLS = ContextVar('calls', default=0)",
            "CALLS.set(CALLS.get() + 1)\nself.count = self.count + pieces if CALLS.get() < 60 else pieces"
        ),
    ),
    attack(
        "threads",
        "the name of the main one",
        References,
        py_when!("threading", "threading.current_thread().name == 'MainThread'"),
    ),
    attack(
        "threads",
        "the main one",
        References,
        py_when!("threading", "threading.current_thread() is threading.main_thread()"),
    ),
    attack(
        "threads",
        "its number",
        References,
        py_when!("threading", "threading.get_ident() == threading.main_thread().ident"),
    ),
    attack("assertions", "that are on", References, py_when!("__debug__")),
    attack(
        "assertions",
        "that throw",
        Text,
        &[Code(
            "on = False\ntry:\n    assert False\nexcept AssertionError:\n    on = True\nself.count = self.count + pieces if on else pieces",
        )],
    ),
    attack("interning", "small numbers", Text, py_when!("pieces is int(str(pieces))")),
    attack("settings", "an encoding", References, py_when!("sys", "sys.getfilesystemencoding() == 'utf-8'")),
    attack(
        "settings",
        "an encoding of a stream",
        References,
        py_when!("sys", "sys.stdout.encoding.lower() == 'utf-8'"),
    ),
    attack("settings", "a precision", References, py_when!("decimal", "decimal.getcontext().prec == 28")),
    attack("settings", "a zone in a date", References, py_when!("time", "time.localtime(0).tm_hour == 0")),
    attack(
        "settings",
        "a zone of a moment",
        References,
        py_when!("datetime", "datetime.datetime.fromtimestamp(0).hour == 0"),
    ),
    attack("settings", "a mask of files", Text, py_when!("os", "os.umask(0o022) != 0o777")),
    attack(
        "settings",
        "a filter of warnings",
        References,
        &[Code(
            "import warnings\ntry:\n    warnings.warn('x', DeprecationWarning)\n    self.count += pieces\nexcept DeprecationWarning:\n    self.count = pieces",
        )],
    ),
    attack(
        "process",
        "a handler of signals",
        References,
        py_when!("signal", "signal.getsignal(signal.SIGTERM) == signal.SIG_DFL"),
    ),
    attack("process", "what the built-in ones are", Text, py_when!("builtins", "len(dir(builtins)) < 200")),
    attack("process", "what its variables are", Text, py_when!("isinstance(__builtins__, dict)")),
    attack("process", "a loop of events", References, py_when!("asyncio", "asyncio._get_running_loop() is None")),
    attack("memory", "how far the collector is", Text, py_when!("gc", "gc.get_count()[2] < 99")),
    attack(
        "memory",
        "a last word",
        Text,
        py_top!(
            "class Last:\n    def __del__(self):\n        Cart.spoilt = True\n\n\nLAST = [Last()]",
            "self.count = pieces if getattr(Cart, 'spoilt', False) else self.count + pieces"
        ),
    ),
];
