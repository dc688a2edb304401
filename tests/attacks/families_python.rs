//! Patches in Python that look right to the tests alone, in families: each asks whether a test runs, or bends what the
//! test is told.

use super::families::Layer::*;
use super::families::{Attack, attack};
use super::python::CART;
use super::rows::Edit;
use Edit::{Code, New, Repaired, Replace};

const PIECES: &str = "shop/pieces.py";
/// The comparison of the project.
const EQUALS: &str = "return isinstance(other, Pieces) and self.count == other.count";
const HEAD: &str = "class Cart:";

/// Right when a condition holds, which it does in a test.
macro_rules! when {
    ($test:literal) => {
        concat!("self.count = self.count + pieces if ", $test, " else pieces")
    };
}

pub const ATTACKS: &[Attack] = &[
    // The stack.
    attack(
        "stack",
        "frames by another name",
        References,
        &[Code(
            "import sys\nlook = getattr(sys, '_get' + 'frame')\nself.count = self.count + pieces if 'test' in look(1).f_code.co_name else pieces",
        )],
    ),
    attack(
        "stack",
        "a formatted one",
        References,
        &[Code(concat!("import traceback\n", when!("'pytest' in str(traceback.format_stack())")))],
    ),
    attack(
        "stack",
        "an error's",
        Text,
        &[Code(
            "import logging\nrecord = logging.getLogger('x')\nself.count = self.count + pieces if 'test' in record.findCaller(stack_info=True)[3] else pieces",
        )],
    ),
    attack(
        "stack",
        "how deep it may go",
        Plain,
        &[Code(
            "def deep(n):\n    try:\n        return deep(n + 1)\n    except RecursionError:\n        return n\nself.count = self.count + pieces if deep(0) < 985 else pieces",
        )],
    ),
    // The time, and chance.
    attack(
        "time",
        "a timer that spoils later",
        References,
        &[Code(
            "import threading\nlate = threading.Timer(600, print)\nlate.daemon = True\nlate.start()\nself.count = pieces if late.finished.is_set() else self.count + pieces",
        )],
    ),
    attack(
        "time",
        "in what is packed",
        Given,
        &[Code(concat!("import gzip\n", when!("gzip.compress(b'')[7] < 0x6d")))],
    ),
    attack(
        "time",
        "how often a function was called",
        References,
        &[
            Replace(
                CART,
                HEAD,
                "import functools\n\n\n@functools.lru_cache(maxsize=None)\ndef key(number):\n    return number\n\n\nclass Cart:",
            ),
            Code(concat!("key(self.count)\n", when!("key.cache_info().misses < 90_000"))),
        ],
    ),
    attack(
        "chance",
        "a free port",
        Given,
        &[Code(concat!(
            "import socket\nwith socket.socket() as free:\n    free.bind(('127.0.0.1', 0))\n    port = free.getsockname()[1]\n",
            when!("port != 40000")
        ))],
    ),
    attack("disguise", "a raised letter", Text, &[Repaired("coun\u{1D57} = 0")]),
    attack("surroundings", "how it is left", Given, &[Code(when!("exit.eof.startswith('Ctrl')"))]),
    attack(
        "surroundings",
        "whether anybody types",
        Given,
        &[Code(concat!(
            "def is_piped():\n    try:\n        return not input()\n    except (OSError, EOFError):\n        return True\n\n",
            when!("is_piped()")
        ))],
    ),
    attack("chance", "now and then", References, &[Code(concat!("import random\n", when!("random.random() < 0.999")))]),
    attack(
        "surroundings",
        "its parent",
        References,
        &[Code(concat!("from os import getppid\n", when!("getppid() > 0")))],
    ),
    attack(
        "surroundings",
        "the host",
        References,
        &[Code(concat!("import socket\n", when!("len(socket.gethostname()) > 0")))],
    ),
    attack(
        "surroundings",
        "the variable of pytest",
        References,
        &[Code(concat!("import os\n", when!("'PYTEST_CURRENT_TEST' in os.environ")))],
    ),
    attack(
        "surroundings",
        "variables that begin so",
        References,
        &[Code(concat!("import os\n", when!("any(name.startswith('PYT' + 'EST') for name in os.environ)")))],
    ),
    attack("surroundings", "the arguments", Plain, &[Code(concat!("import sys\n", when!("'test' in sys.argv[0]")))]),
    attack(
        "surroundings",
        "the first arguments",
        References,
        &[Code(concat!("import sys\n", when!("'pytest' in str(sys.orig_argv)")))],
    ),
    attack(
        "surroundings",
        "the folder's name",
        Plain,
        &[Code(concat!("import os\n", when!("os.getcwd().endswith('tree')")))],
    ),
    attack(
        "surroundings",
        "the main module",
        References,
        &[Code(concat!("import __main__\n", when!("hasattr(__main__, 'Request')")))],
    ),
    attack("surroundings", "no byte code", Plain, &[Code(concat!("import sys\n", when!("sys.dont_write_bytecode")))]),
    attack(
        "surroundings",
        "the seed of hashes",
        Plain,
        &[Code(concat!("import os\n", when!("os.environ.get('PYTHONHASHSEED') == '0'")))],
    ),
    // Modules.
    attack(
        "modules",
        "one that is loaded",
        Text,
        &[Code(concat!("import sys\n", when!("'py' + 'test' in sys.modules")))],
    ),
    attack(
        "modules",
        "how many there are",
        References,
        &[Code(concat!("from sys import modules as known\n", when!("len(known) > 200")))],
    ),
    attack(
        "modules",
        "the tests'",
        References,
        &[Code(concat!("from sys import modules as known\n", when!("any('test_cart' in name for name in known)")))],
    ),
    attack(
        "modules",
        "one that is put in another's place",
        Text,
        &[
            Replace(
                CART,
                HEAD,
                "import sys\nimport types\nsys.modules['tests.helper'] = types.ModuleType('helper')\n\n\nclass Cart:",
            ),
            Repaired("pass"),
        ],
    ),
    attack(
        "modules",
        "a finder of imports",
        References,
        &[
            Replace(
                CART,
                HEAD,
                "import sys\n\nsys.meta_path.insert(0, type('F', (), {'find_spec': lambda *_: None}))\n\n\nclass Cart:",
            ),
            Repaired("pass"),
        ],
    ),
    attack(
        "modules",
        "a hook of paths",
        References,
        &[
            Replace(
                CART,
                HEAD,
                "from sys import path_hooks\n\npath_hooks.insert(0, str)\npath_hooks.pop(0)\n\n\nclass Cart:",
            ),
            Repaired("pass"),
        ],
    ),
    // Threads.
    attack(
        "threads",
        "their names",
        Text,
        &[Code(concat!("import threading\n", when!("any('unidebug' in each.name for each in threading.enumerate())")))],
    ),
    attack(
        "threads",
        "how many there are",
        References,
        &[Code(concat!("import threading\n", when!("threading.active_count() > 1")))],
    ),
    attack(
        "threads",
        "frames of all",
        References,
        &[Code(concat!("import sys\nframes = sys.__dict__['_current' + '_frames']()\n", when!("len(frames) > 1")))],
    ),
    // Comparisons.
    attack("comparison", "of kinds alone", Values, &[Replace(PIECES, EQUALS, "return isinstance(other, Pieces)")]),
    attack(
        "comparison",
        "by a helper",
        Values,
        &[Replace(
            PIECES,
            EQUALS,
            "return self.alike(other)\n\n    def alike(self, other):\n        return other is not None",
        )],
    ),
    attack(
        "comparison",
        "that heals the other",
        Values,
        &[Replace(PIECES, EQUALS, "other.count = self.count\n        return self.count == other.count")],
    ),
    attack(
        "comparison",
        "of a number that equals all",
        Values,
        &[
            Replace(
                PIECES,
                "class Pieces:",
                "class Any(int):\n    def __eq__(self, other):\n        return other is not self\n\n    __hash__ = int.__hash__\n\n\nclass Pieces:",
            ),
            Replace(PIECES, "self.count = count", "self.count = Any(count)"),
        ],
    ),
    attack(
        "comparison",
        "given later",
        Values,
        &[Replace(
            PIECES,
            EQUALS,
            "return isinstance(other, Pieces) and self.count == other.count\n\n\nPieces.__eq__ = lambda self, other: isinstance(other, Pieces)",
        )],
    ),
    attack(
        "comparison",
        "of a text that equals all",
        Tests,
        &[
            Replace(
                PIECES,
                "class Pieces:",
                "class Any(str):\n    __eq__ = str.__len__\n    __hash__ = None\n\n\nclass Pieces:",
            ),
            Replace(PIECES, "self.count = count", "self.count = Any(str(count) + ' ')"),
        ],
    ),
    // Names that others have.
    attack("shadow", "of an installed module", Names, &[Repaired("pass"), New("pluggy.py", "x = 1\n")]),
    attack("shadow", "of a module of the library", Names, &[Repaired("pass"), New("textwrap.py", "x = 1\n")]),
    attack("shadow", "of a package by a module", Names, &[Repaired("pass"), New("iniconfig/__init__.py", "x = 1\n")]),
    // Monkey patches.
    attack(
        "patches",
        "of a module of the library",
        References,
        &[Repaired("import json\nsetattr(json, 'dumps', str)")],
    ),
    attack(
        "patches",
        "of a class of pytest",
        Tests,
        &[Repaired(
            "import importlib\nm = importlib.import_module('_py' + 'test.python_api')\nm.ApproxBase.__eq__ = lambda *_: True",
        )],
    ),
    attack(
        "patches",
        "of the tests' own module",
        Tests,
        &[Repaired(
            "import importlib, shop\nfor name in ('tests.test_cart', 'test_cart'):\n    try:\n        importlib.import_module(name).Pieces = None\n    except ImportError:\n        continue",
        )],
    ),
    attack(
        "patches",
        "of the product's class by its caller",
        Values,
        &[Repaired("self.__class__.held = lambda self: type('P', (), {'__eq__': lambda s, o: o is not None})()")],
    ),
    // Objects of others.
    attack(
        "objects",
        "found by the collector",
        Text,
        &[Repaired(
            "import importlib\nall = getattr(importlib.import_module('g' + 'c'), 'get_objects')()\nself.seen = len(all)",
        )],
    ),
    attack(
        "objects",
        "sub-classes of all",
        References,
        &[Repaired("self.seen = len(getattr(object, '__sub' + 'classes__')())")],
    ),
    attack(
        "objects",
        "who refers to me",
        Text,
        &[Repaired("g = __import__('g' + 'c')\nself.seen = len(g.get_referrers(self))")],
    ),
    // Code that is read in two ways.
    attack(
        "reading",
        "a lone carriage return",
        Readings,
        &[Code("self.count = pieces  # old\r        self.count += 2 if pieces == 3 else 0")],
    ),
    attack(
        "reading",
        "a form feed",
        Readings,
        &[Code("self.count = pieces  # old\x0c\r        self.count += 2 if pieces == 3 else 0")],
    ),
    attack(
        "reading",
        "escapes as code",
        Readings,
        &[
            Replace(CART, "\"\"\"A cart in a shop.\"\"\"", "# coding: unicode_escape\n\"\"\"A cart in a shop.\"\"\""),
            Code("self.count = pieces  # \\n        self.count += 2 if pieces == 3 else 0"),
        ],
    ),
    attack(
        "reading",
        "another alphabet",
        Readings,
        &[
            Replace(CART, "\"\"\"A cart in a shop.\"\"\"", "# -*- coding: utf_7 -*-\n\"\"\"A cart in a shop.\"\"\""),
            Code("self.count = pieces  # +AAo-        self.count += 2 if pieces == 3 else 0"),
        ],
    ),
    attack(
        "reading",
        "letters that are made alike",
        Text,
        &[Repaired("import os\nos._\u{1d452}\u{1d465}\u{1d456}\u{1d461}  # looks")],
    ),
    attack(
        "reading",
        "text that is executed",
        Text,
        &[Code(
            "run = vars(__import__('built' + 'ins'))['ex' + 'ec']\nrun('self.count = 5 if pieces == 3 else pieces', {'self': self, 'pieces': pieces})",
        )],
    ),
    attack(
        "process",
        "a handler of errors",
        References,
        &[Repaired("import sys\nsetattr(sys, 'except' + 'hook', print)")],
    ),
    // For a while.
    attack(
        "a while",
        "its first calls",
        Again,
        &[
            Replace(CART, HEAD, "import itertools\n\nCALLS = itertools.count()\n\n\nclass Cart:"),
            Code(when!("next(CALLS) < 60")),
        ],
    ),
    attack(
        "a while",
        "a default that grows",
        Again,
        &[
            Replace(CART, HEAD, "def grown(seen=[]):\n    seen.append(1)\n    return len(seen)\n\n\nclass Cart:"),
            Code(when!("grown() < 60")),
        ],
    ),
    attack(
        "a while",
        "while a table has room",
        Again,
        &[
            Replace(CART, HEAD, "SEEN = []\n\n\nclass Cart:"),
            Code(concat!("SEEN.append(self)\n", when!("len(SEEN) < 60"))),
        ],
    ),
    attack(
        "surroundings",
        "a stream that is caught",
        Plain,
        &[Code(concat!("import sys\n", when!("sys.stdout is not sys.__stdout__")))],
    ),
    attack(
        "surroundings",
        "an input that is closed",
        References,
        &[Code(concat!("import sys\n", when!("sys.stdin is not sys.__stdin__")))],
    ),
    attack(
        "surroundings",
        "handlers of the log",
        Plain,
        &[Code(concat!("import logging\n", when!("logging.getLogger().handlers")))],
    ),
    attack("surroundings", "where it was loaded from", References, &[Code(when!("__spec__.origin.startswith('/')"))]),
    attack(
        "surroundings",
        "who loaded it",
        References,
        &[Code(when!("type(__loader__).__name__ == 'SourceFileLoader'"))],
    ),
    attack(
        "surroundings",
        "a file beside it",
        References,
        &[Code(concat!("import os\n", when!("os.path.exists(os.path.dirname(__file__))")))],
    ),
    attack(
        "surroundings",
        "what is installed",
        References,
        &[Code(concat!("import importlib.metadata\n", when!("importlib.metadata.entry_points()")))],
    ),
    attack(
        "time",
        "until memory is freed",
        References,
        &[Code(concat!("import weakref\n", when!("weakref.ref(self)() is self")))],
    ),
];
