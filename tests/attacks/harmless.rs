//! Repairs that look odd to one of the judge's layers and are right all the same.

use super::python::CART as PY_CART;
use super::rows::{CART, Edit, PIECES};
use Edit::{Code, New, Repaired, Replace};

const FIELD: &str = "private int count;";

pub const JAVA: &[&[Edit]] = &[
    // It asks for the time, and decides nothing by it.
    &[
        Replace(CART, FIELD, "private int count;\n    private long changed;"),
        Repaired("changed = System.nanoTime() / 1_000_000L;"),
    ],
    // It counts its calls, and goes on as before.
    &[
        Replace(CART, FIELD, "private int count;\n    private static int calls;"),
        Repaired("if (++calls % 1000 == 0) { System.getLogger(\"shop\"); }"),
    ],
    // A table that holds what was computed, by objects.
    &[
        Replace(
            CART,
            FIELD,
            "private int count;\n    private final java.util.Set<Object> seen = new java.util.HashSet<>();",
        ),
        Repaired("seen.add(new Object()); if (seen.size() > 3) { seen.clear(); }"),
    ],
    // A text of an object, in a condition.
    &[Code("String sum = String.valueOf(count + pieces); count = sum.isEmpty() ? pieces : Integer.parseInt(sum);")],
    // A thread's name in a message.
    &[Repaired("if (count < 0) { throw new IllegalStateException(Thread.currentThread() + \": \" + count); }")],
    // An error that is caught because it is expected.
    &[Code(
        "try { count = Math.addExact(count, pieces); } catch (ArithmeticException e) { count = Integer.MAX_VALUE; }",
    )],
    // Bits, shifts and a remainder.
    &[Code("count = (count & 0xffff) + (pieces & 0xffff) + ((count >> 16) + (pieces >> 16) << 16);")],
    // A cache by value, and a boxed number.
    &[Code("Integer sum = Integer.valueOf(count + pieces); if (!sum.equals(count)) { count = sum; }")],
    // A guard against a call from inside.
    &[
        Replace(
            CART,
            FIELD,
            "private int count;\n    private static final ThreadLocal<Boolean> INSIDE = ThreadLocal.withInitial(() -> false);",
        ),
        Repaired("if (!INSIDE.get()) { INSIDE.set(true); try { count += 0; } finally { INSIDE.set(false); } }"),
    ],
    // An assertion of the language.
    &[Repaired("assert count >= pieces || pieces < 0 : count;")],
    // Letters in the language of the machine.
    &[Code("count += \"ADD\".toLowerCase().equals(\"sub\") ? -pieces : pieces;")],
    // A hash of its own.
    &[Repaired(""), Replace(PIECES, "return count;\n", "return 31 * Integer.hashCode(count) + 7;\n")],
    // A helper in a file of its own.
    &[
        Code("count = Sums.of(count, pieces);"),
        New(
            "src/shop/Sums.java",
            "package shop;\n\nfinal class Sums {\n    private Sums() {\n    }\n\n    static int of(int... all) {\n        return java.util.Arrays.stream(all).sum();\n    }\n}\n",
        ),
    ],
];

const PY_HEAD: &str = "class Cart:";

pub const PYTHON: &[&[Edit]] = &[
    // It asks for the time, and decides nothing by it.
    &[Replace(PY_CART, PY_HEAD, "import time\n\n\nclass Cart:"), Repaired("self.changed = int(time.time() * 1000)")],
    // It counts its calls, and goes on as before.
    &[
        Replace(PY_CART, PY_HEAD, "import itertools\nimport logging\n\nCALLS = itertools.count()\n\n\nclass Cart:"),
        Repaired("if next(CALLS) % 1000 == 999:\n    logging.getLogger(__name__).debug('many calls')"),
    ],
    // What was seen, by where it lies.
    &[
        Replace(PY_CART, PY_HEAD, "SEEN = set()\n\n\nclass Cart:"),
        Repaired("if id(self) not in SEEN:\n    SEEN.add(id(self))"),
    ],
    // A text of a number, in a condition.
    &[Code("text = str(self.count + pieces)\nself.count = -int(text[1:]) if text.startswith('-') else int(text)")],
    // A set of texts whose order matters to nobody.
    &[Code("self.count += pieces if 'add' in {'add', 'sub', 'mul'} else 0")],
    // A thread's name in a message.
    &[
        Replace(PY_CART, PY_HEAD, "import threading\n\n\nclass Cart:"),
        Repaired("self.by = threading.current_thread().name"),
    ],
    // An error that is caught because it is expected.
    &[Code("try:\n    self.count += pieces\nexcept TypeError:\n    self.count += int(pieces)")],
    // Which of several errors was caught.
    &[Code(
        "import socket\ntry:\n    self.count += pieces\nexcept Exception as error:\n    if isinstance(error, socket.timeout):\n        self.count = 0\n    raise",
    )],
    // What is packed, where that is shorter.
    &[Repaired("import gzip\ntext = str(self.count).encode()\nself.kept = min(text, gzip.compress(text), key=len)")],
    // A guard against a call from inside.
    &[
        Replace(PY_CART, PY_HEAD, "import threading\n\nINSIDE = threading.local()\n\n\nclass Cart:"),
        Repaired("if not getattr(INSIDE, 'is_adding', False):\n    INSIDE.is_adding = False"),
    ],
    // Bits, shifts and a remainder.
    &[Code("self.count = (self.count ^ pieces) + ((self.count & pieces) << 1)")],
    // An assertion of the language.
    &[Repaired("assert self.count >= pieces or pieces < 0, self.count")],
    // Where values are compared by where they lie, because there is one of them.
    &[Code("self.count = pieces if self.count is None else self.count + pieces")],
    // How an object is shown, for a person.
    &[Repaired("self.note = f'{self.count} in {self!r}'[:200]")],
];
