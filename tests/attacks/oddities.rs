//! Right patches in ways that people write them: other structure, other files, other parts of the language and its
//! library. None plays the judge, and none may be refused.

use super::python::{CART as PY_CART, PIECES as PY_PIECES};
use super::rows::{CART, Edit, PIECES};
use Edit::{Code, New, Repaired, Replace};

const FIELD: &str = "private int count;";
const CLASS: &str = "public class Cart {";

/// The right line, with a field beside the count.
macro_rules! with_field {
    ($field:literal, $code:literal) => {
        &[Replace(CART, FIELD, concat!("private int count;\n    ", $field)), Code($code)]
    };
}

pub const JAVA: &[&[Edit]] = &[
    // A loop instead of a sum, and a stream instead of a loop.
    &[Code("for (int n = 0; n < pieces; n++) { count++; }")],
    &[Code("count = java.util.stream.IntStream.of(count, pieces).sum();")],
    &[Code("java.util.function.IntBinaryOperator sum = (a, b) -> a + b; count = sum.applyAsInt(count, pieces);")],
    &[Code("count = Math.addExact(count, pieces);")],
    // Caught, logged and thrown on.
    &[Code(
        "try { count = Math.addExact(count, pieces); } catch (ArithmeticException e) { System.getLogger(\"shop\").log(System.Logger.Level.WARNING, \"too many\", e); throw e; }",
    )],
    // A field that keeps what was computed.
    with_field!(
        "private Integer kept;",
        "if (kept == null || kept != count) { kept = count; } count = kept + pieces; kept = null;"
    ),
    with_field!(
        "private final java.util.Map<Integer, Integer> sums = new java.util.HashMap<>();",
        "int from = count; count = sums.computeIfAbsent(pieces, key -> 0) + from + pieces;"
    ),
    with_field!(
        "private final java.util.List<Integer> added = new java.util.ArrayList<>();",
        "added.add(pieces); count = added.stream().mapToInt(Integer::intValue).sum();"
    ),
    with_field!(
        "private final java.util.concurrent.atomic.AtomicInteger sum = new java.util.concurrent.atomic.AtomicInteger();",
        "count = sum.addAndGet(pieces);"
    ),
    with_field!("private final Object lock = new Object();", "synchronized (lock) { count += pieces; }"),
    // A language that is named, a message, an end of a line.
    &[Repaired(
        "if (String.format(java.util.Locale.ROOT, \"%d\", count).isEmpty()) { throw new IllegalStateException(); }",
    )],
    &[Repaired(
        "String note = \"holds \" + count + System.lineSeparator(); if (note.length() < count) { count += 0; }",
    )],
    &[Repaired("assert count - pieces >= 0 || pieces < 0 : String.format(\"%d pieces\", count);")],
    // Text that stands over lines, a record, sealed types.
    &[
        Replace(
            CART,
            FIELD,
            "private static final String HELP = \"\"\"\n        A cart.\n        It counts.\n        \"\"\";\n    private int count;",
        ),
        Repaired("if (HELP.isBlank()) { count = 0; }"),
    ],
    &[
        Replace(
            CART,
            CLASS,
            "public class Cart {\n    private record Sum(int a, int b) {\n        int value() {\n            return a + b;\n        }\n    }\n",
        ),
        Code("count = new Sum(count, pieces).value();"),
    ],
    &[
        New(
            "src/shop/Change.java",
            "package shop;\n\nsealed interface Change permits Change.Add, Change.None {\n    record Add(int pieces) implements Change {\n    }\n\n    record None() implements Change {\n    }\n\n    static Change of(int pieces) {\n        return pieces == 0 ? new None() : new Add(pieces);\n    }\n}\n",
        ),
        Code("Change change = Change.of(pieces); if (change instanceof Change.Add add) { count += add.pieces(); }"),
    ],
    &[
        New(
            "src/shop/Kind.java",
            "package shop;\n\nenum Kind {\n    ADD {\n        @Override\n        int apply(int a, int b) {\n            return a + b;\n        }\n    },\n    KEEP {\n        @Override\n        int apply(int a, int b) {\n            return a;\n        }\n    };\n\n    abstract int apply(int a, int b);\n}\n",
        ),
        Code("count = (pieces == 0 ? Kind.KEEP : Kind.ADD).apply(count, pieces);"),
    ],
    // A comparison written in another way.
    &[
        Repaired(""),
        Replace(
            PIECES,
            "return other instanceof Pieces && count == ((Pieces) other).count;",
            "if (this == other) {\n            return true;\n        }\n        if (other == null || getClass() != other.getClass()) {\n            return false;\n        }\n        return Integer.compare(count, ((Pieces) other).count) == 0;",
        ),
    ],
    // Another kind of machine, beside which nothing changes.
    &[Repaired(
        "String name = \"cart/\" + count; if (java.io.File.separatorChar == '\\\\') { name = name.replace('/', '\\\\'); } if (name.isEmpty()) { count = 0; }",
    )],
    // An interrupted thread, a limit of the language.
    &[Repaired(
        "if (count > Integer.MAX_VALUE / 2 && Thread.currentThread().isInterrupted()) { throw new IllegalStateException(\"interrupted\"); }",
    )],
    &[Code("switch (Integer.signum(pieces)) { case 1: case -1: count += pieces; break; default: break; }")],
    // A zone that is named.
    with_field!(
        "private java.time.ZonedDateTime changed = java.time.Instant.EPOCH.atZone(java.time.ZoneOffset.UTC);",
        "count += pieces; changed = changed.plusSeconds(count);"
    ),
];

const PY_HEAD: &str = "class Cart:";

macro_rules! py_top {
    ($top:literal, $code:literal) => {
        &[Replace(PY_CART, PY_HEAD, concat!($top, "\n\n\nclass Cart:")), Code($code)]
    };
}

pub const PYTHON: &[&[Edit]] = &[
    &[Code("for _ in range(pieces):\n    self.count += 1")],
    &[Code("self.count = sum((self.count, pieces))")],
    &[Code("total = lambda a, b: a + b\nself.count = total(self.count, pieces)")],
    py_top!("import operator\nfrom functools import reduce", "self.count = reduce(operator.add, [self.count, pieces])"),
    py_top!(
        "from functools import lru_cache\n\n\n@lru_cache(maxsize=None)\ndef total(a, b):\n    return a + b",
        "self.count = total(self.count, pieces)"
    ),
    py_top!(
        "import logging\n\nlogger = logging.getLogger(__name__)",
        "try:\n    self.count += pieces\nexcept TypeError:\n    logger.exception('no number: %r', pieces)\n    raise"
    ),
    py_top!(
        "import logging\n\nlogger = logging.getLogger(__name__)",
        "self.count += pieces\nif logger.isEnabledFor(logging.DEBUG):\n    logger.debug('holds %d', self.count)"
    ),
    // A release of the language, a part that may be missing.
    py_top!(
        "import sys\n\nif sys.version_info >= (3, 8):\n    from typing import Final\nelse:\n    Final = None",
        "self.count += pieces"
    ),
    py_top!(
        "try:\n    import numpy\nexcept ImportError:\n    numpy = None",
        "self.count = int(numpy.add(self.count, pieces)) if numpy is not None else self.count + pieces"
    ),
    py_top!(
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from typing import Any",
        "self.count += pieces"
    ),
    // Another kind of machine, beside which nothing changes.
    py_top!(
        "import os\n\nIS_WINDOWS = os.name == 'nt'",
        "self.count += pieces\nif IS_WINDOWS:\n    self.note = 'CRLF'"
    ),
    &[
        Replace(PY_CART, "    def __init__(self):", "    __slots__ = ('count',)\n\n    def __init__(self):"),
        Code("self.count += pieces"),
    ],
    py_top!(
        "import dataclasses\n\n\n@dataclasses.dataclass(frozen=True)\nclass Sum:\n    a: int\n    b: int\n\n    @property\n    def value(self):\n        return self.a + self.b",
        "self.count = Sum(self.count, pieces).value"
    ),
    py_top!(
        "from collections import namedtuple\n\nSum = namedtuple('Sum', 'a b')",
        "made = Sum(self.count, pieces)\nself.count = made.a + made.b"
    ),
    py_top!(
        "import enum\n\n\nclass Kind(enum.Enum):\n    ADD = 1\n    KEEP = 2",
        "kind = Kind.ADD if pieces else Kind.KEEP\nif kind is Kind.ADD:\n    self.count += pieces"
    ),
    py_top!(
        "import contextlib",
        "with contextlib.suppress(AttributeError):\n    self.kept = None\nself.count += pieces"
    ),
    py_top!("import threading\n\nLOCK = threading.Lock()", "with LOCK:\n    self.count += pieces"),
    py_top!(
        "import datetime\n\nBEGAN = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)",
        "self.count += pieces\nself.changed = BEGAN + datetime.timedelta(seconds=self.count)"
    ),
    py_top!("import os", "self.count += pieces\nif 'SHOP_TRACE' in os.environ:\n    print(self.count, end=os.linesep)"),
    py_top!(
        "def added(add):\n    def inner(self, pieces):\n        add(self, pieces)\n        return self\n\n    inner.__module__ = add.__module__\n    return inner",
        "self.count += pieces"
    ),
    &[Code(
        "match pieces:\n    case int() | float():\n        self.count += pieces\n    case _:\n        raise TypeError(pieces)",
    )],
    &[
        Replace(
            PY_CART,
            "from shop.pieces import Pieces",
            "from shop.pieces import Pieces\nfrom shop.sums import total",
        ),
        New(
            "shop/sums.py",
            "\"\"\"Sums.\"\"\"\n\n__all__ = ['total']\n\n\ndef total(*numbers):\n    \"\"\"All of them together.\"\"\"\n    return sum(numbers)\n",
        ),
        Code("self.count = total(self.count, pieces)"),
    ],
    &[
        Replace(
            PY_PIECES,
            "    def __eq__",
            "    def __repr__(self):\n        return f'{type(self).__name__}({self.count!r})'\n\n    def __hash__(self):\n        return hash((type(self), self.count))\n\n    def __eq__",
        ),
        Code("self.count += pieces"),
    ],
];
