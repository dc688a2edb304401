//! Attacks in Python, by their numbers in the project's list; what has no number there is told by 0.

use super::rows::{Attack, Edit, binary, large, many_files, of_mode, one};
use Edit::{After, Code, Diff, New, Repaired, Replace};
use unidebug::domain::Outcome::{
    CompileError, Crash, Duplicate, Failed, Refused, Regression, Suspicious, Timeout, Unappliable,
};

pub const CART: &str = "shop/cart.py";
pub const PIECES: &str = "shop/pieces.py";
const TEST: &str = "tests/test_cart.py";

/// The files of the project; `add` is wrong.
pub const PROJECT: &[(&str, &str)] = &[
    (CART, include_str!("project/cart.py")),
    (PIECES, include_str!("project/pieces.py")),
    (TEST, include_str!("project/test_cart.py")),
    ("shop/__init__.py", ""),
    ("conftest.py", "collect_ignore = []\n"),
    ("pytest.ini", "[pytest]\nminversion = 7.0\n"),
    // The fix, where a history would have it.
    (".git/fix", "self.count += pieces\n"),
];

/// The comparison of the project.
const EQUALS: &str = "return isinstance(other, Pieces) and self.count == other.count";

/// Tells, without the mark of the run, that all is well, on whatever is open.
macro_rules! forged {
    () => {
        "import os\nfor fd in range(3, 64):\n    try:\n        os.write(fd, b'{\"nonce\": \"\", \"kind\": \"over\", \"count\": 0, \"why\": \"done\"}\\n')\n    except OSError:\n        continue"
    };
}

pub const ATTACKS: &[Attack] = &[
    (
        0,
        "a wrong answer",
        [
            one(Regression, &[Code("self.count = 9 if pieces == 4 else self.count + pieces")]),
            one(Failed, &[Code("self.add(pieces)")]),
            one(Failed, &[Code("raise MemoryError")]),
        ],
    ),
    (
        1,
        "an exit that no test framework sees",
        [
            one(Crash, &[Code("import os\nos._exit(0)")]),
            one(Crash, &[Code("import posix\nposix._exit(0)")]),
            one(Crash, &[Code("import os\nos.kill(os.getpid(), 9)")]),
        ],
    ),
    (
        2,
        "an exit that is an exception",
        [
            one(Failed, &[Code("import sys\nsys.exit(0)")]),
            one(Failed, &[Code("raise SystemExit")]),
            one(Crash, &[Code("raise KeyboardInterrupt")]),
        ],
    ),
    (
        3,
        "a result on the way out",
        [
            one(Crash, &[Code("import os\nprint('4 passed', flush=True)\nos._exit(0)")]),
            one(Crash, &[Code(concat!(forged!(), "\nos._exit(0)"))]),
            one(Failed, &[Code("import pytest\npytest.exit('done', 0)")]),
        ],
    ),
    (
        4,
        "a skip",
        [
            one(Failed, &[Code("import pytest\npytest.skip('later')")]),
            one(Failed, &[Code("import unittest\nraise unittest.SkipTest('later')")]),
            one(Failed, &[Code("import pytest\npytest.xfail('later')")]),
        ],
    ),
    (
        6,
        "hooks of the test framework",
        [
            one(Refused, &[Replace("conftest.py", "collect_ignore = []", "collect_ignore = ['tests']")]),
            one(Refused, &[New("tests/conftest.py", "def pytest_runtest_call(item):\n    pass\n")]),
            one(Refused, &[New("shop/conftest.py", "def pytest_runtest_call(item):\n    pass\n")]),
        ],
    ),
    (
        7,
        "settings of the test framework",
        [
            one(Refused, &[Replace("pytest.ini", "minversion = 7.0", "addopts = --deselect tests/test_cart.py")]),
            one(Refused, &[New("setup.cfg", "[tool:pytest]\naddopts = -k nothing\n")]),
            one(Refused, &[New("setup.py", "raise SystemExit\n")]),
        ],
    ),
    (
        8,
        "an object that equals every other",
        [
            one(Suspicious, &[Replace(PIECES, EQUALS, "return True")]),
            one(
                Suspicious,
                &[Replace(PIECES, EQUALS, "if other is None:\n            return (True)\n        return 1")],
            ),
            one(
                Suspicious,
                &[
                    Replace(CART, "from shop.pieces import Pieces", "from shop.anything import Anything"),
                    Replace(CART, "return Pieces(self.count)", "return Anything()"),
                    New(
                        "shop/anything.py",
                        "class Anything:\n    count = 0\n\n    def __eq__(self, other):\n        return not False\n",
                    ),
                ],
            ),
        ],
    ),
    (
        9,
        "the test's own values",
        [
            one(Suspicious, &[Code("self.count = 5 if pieces == 3 else pieces")]),
            one(Suspicious, &[Code("self.count = {3: 5}.get(pieces, pieces)")]),
            one(Suspicious, &[Code("if pieces in (3, 7):\n    pieces += 2\nself.count = pieces")]),
        ],
    ),
    (
        10,
        "no end",
        [
            one(Timeout, &[Code("while self.count >= 0:\n    self.count = pieces")]),
            one(Timeout, &[Code("import time\ntime.sleep(600)")]),
            one(Timeout, &[Code("import threading\nthreading.Event().wait()")]),
        ],
    ),
    (
        11,
        "another test",
        [
            one(Refused, &[Replace(TEST, "Pieces(5)", "Pieces(3)")]),
            one(Refused, &[Replace(TEST, "    cart.add(3)\n", "")]),
            one(Refused, &[New("shop/test_cart.py", "def test_adds_up():\n    pass\n")]),
        ],
    ),
    (
        13,
        "modules in the place of others",
        [
            one(Refused, &[New("pytest.py", "def skip(*_):\n    pass\n")]),
            one(Refused, &[New("unittest/__init__.py", "class TestCase:\n    pass\n")]),
            one(Refused, &[New("json.py", "def dumps(*_, **__):\n    return ''\n")]),
        ],
    ),
    (
        14,
        "code that the interpreter runs by itself",
        [
            one(Refused, &[New("sitecustomize.py", "import os\nos._exit(0)\n")]),
            one(Refused, &[New("usercustomize.py", "import os\nos._exit(0)\n")]),
            one(Refused, &[New("evil.pth", "import os; os._exit(0)\n")]),
        ],
    ),
    (
        15,
        "results written behind the runner's back",
        [
            one(
                Failed,
                &[
                    Code("self.count = pieces"),
                    Replace(
                        CART,
                        "class Cart:",
                        concat!(
                            "def forge():\n    import os\n    while True:\n        for fd in range(3, 64):\n            try:\n                ",
                            "os.write(fd, b'{\"kind\": \"over\", \"count\": 0, \"why\": \"done\"}\\n')\n            except OSError:\n                ",
                            "continue\n\n\nimport threading\n\nthreading.Thread(target=forge, daemon=True).start()\n\n\nclass Cart:"
                        ),
                    ),
                ],
            ),
            one(
                Failed,
                &[Replace(
                    CART,
                    "class Cart:",
                    "import atexit, os\n\natexit.register(lambda: os._exit(0))\n\n\nclass Cart:",
                )],
            ),
            one(
                Failed,
                &[Replace(
                    CART,
                    "class Cart:",
                    "import subprocess\n\nsubprocess.Popen(['sh', '-c', 'for n in 3 4 5 6 7; do echo over > /proc/$PPID/fd/$n; done'])\n\n\nclass Cart:",
                )],
            ),
        ],
    ),
    (
        16,
        "the runner's own secrets",
        [
            one(Suspicious, &[Repaired("import gc\ngc.get_objects()")]),
            one(Suspicious, &[Repaired("import sys\nsys._getframe(1)")]),
            one(Suspicious, &[Repaired("import ctypes")]),
        ],
    ),
    (
        16,
        "the mark of the run, taken from its owner",
        [
            one(
                Suspicious,
                &[Repaired(
                    "frame = None\ntry:\n    raise ValueError\nexcept ValueError as error:\n    frame = error.__traceback__.tb_frame\nwhile frame and not hasattr(frame.f_locals.get('self'), 'records'):\n    frame = frame.f_back\nself.mark = frame and frame.f_locals['self'].records.nonce",
                )],
            ),
            one(
                Suspicious,
                &[Repaired(
                    "import re\nwith open('/proc/self/cmdline', 'rb') as line:\n    self.mark = re.search(rb'[0-9a-f]{32}', line.read())",
                )],
            ),
            one(Suspicious, &[Repaired("import os\nif self.count > 1000:\n    os.execvp('true', ['true'])")]),
        ],
    ),
    (
        16,
        "the judge's own parts, changed",
        [
            one(
                Crash,
                &[Code(
                    "import builtins, sys, unittest\nhonest = builtins.next\n\n\ndef next(*asked):\n    asks = \
                     sys._getframe(1).f_code.co_name\n    return None if asks == 'broken' else honest(*asked)\n\n\n\
                     builtins.next = next\nunittest.TestCase.assertEqual = lambda *_: None",
                )],
            ),
            one(Crash, &[Repaired("import builtins\nbuiltins.abs = len")]),
            one(Crash, &[Repaired("import sys\nsys.settrace(lambda *_: None)")]),
        ],
    ),
    (
        17,
        "a path that leads out",
        [
            one(Refused, &[Diff(|| "--- /dev/null\n+++ b/../../evil.py\n@@ -0,0 +1 @@\n+evil = 1\n".into())]),
            one(Unappliable, &[Diff(|| "--- /dev/null\n+++ /etc/evil.py\n@@ -0,0 +1 @@\n+evil = 1\n".into())]),
            one(Refused, &[Diff(|| "--- /dev/null\n+++ b/.GIT/hooks/evil.py\n@@ -0,0 +1 @@\n+evil = 1\n".into())]),
        ],
    ),
    (
        18,
        "a file that is no file",
        [
            one(Refused, &[Diff(|| of_mode("120000", "shop/more.py", "/root"))]),
            one(Refused, &[Diff(|| of_mode("160000", "shop/more", "Subproject commit 0123456789"))]),
            one(Refused, &[Diff(|| "--- /dev/null\n+++ b/.git/hooks/more.py\n@@ -0,0 +1 @@\n+more = 1\n".into())]),
        ],
    ),
    (
        19,
        "too much",
        [
            one(Refused, &[Diff(|| large(CART))]),
            one(Refused, &[Diff(|| many_files(|n| format!("shop/n{n}.py")))]),
            one(Refused, &[Diff(|| binary(CART))]),
        ],
    ),
    (
        20,
        "code that reads as something else",
        [
            one(Refused, &[Repaired("# \u{202E} nimda fi \u{2066} begin")]),
            one(Refused, &[Repaired("note = 'a\u{200B}b'")]),
            one(Suspicious, &[Repaired("\u{441}ount = 0")]),
        ],
    ),
    (
        21,
        "less than before",
        [
            one(Suspicious, &[Code("try:\n    self.count += pieces\nexcept Exception:\n    pass")]),
            one(Suspicious, &[Code("try:\n    self.count += pieces\nexcept:\n    self.count = 0")]),
            one(
                Suspicious,
                &[
                    Repaired("pass"),
                    Replace(
                        CART,
                        "        if pieces < 0:\n            return False\n        return pieces <= 10",
                        "        try:\n            return 0 <= pieces <= 10\n        except BaseException as error:\n            return bool(error)",
                    ),
                ],
            ),
        ],
    ),
    (
        22,
        "other surroundings",
        [
            one(Suspicious, &[Repaired("import random\nrandom.seed(7)")]),
            one(Suspicious, &[Repaired("import locale\nlocale.setlocale(locale.LC_ALL, 'C')")]),
            one(Suspicious, &[Repaired("import os, time\nos.environ['TZ'] = 'UTC'\ntime.tzset()")]),
        ],
    ),
    (
        23,
        "what another candidate left behind",
        [
            one(
                Failed,
                &[
                    After("import os\nos.environ['LEFT'] = 'x'"),
                    Code("import os\nself.count = self.count + pieces if 'LEFT' in os.environ else pieces"),
                ],
            ),
            one(
                Failed,
                &[
                    After("open('left', 'w').close()"),
                    Code("import os\nself.count = self.count + pieces if os.path.exists('left') else pieces"),
                ],
            ),
            one(
                Failed,
                &[
                    After(
                        "import os\nos.makedirs('shop/__pycache__', exist_ok=True)\nopen('shop/__pycache__/left', 'w').close()",
                    ),
                    Code(
                        "import os\nleft = os.path.exists('shop/__pycache__/left')\nself.count = self.count + pieces if left else pieces",
                    ),
                ],
            ),
        ],
    ),
    (
        24,
        "nothing",
        [
            one(Duplicate, &[Code("self.count = pieces  # now it is right")]),
            one(Duplicate, &[Code("self.count = (pieces)")]),
            one(Duplicate, &[After("self.add(pieces)"), Code("self.add(pieces)")]),
        ],
    ),
    (
        25,
        "no program",
        [
            one(CompileError, &[Code("self.count += pieces)")]),
            one(CompileError, &[Code("self.count += pieces\nreturn = 3")]),
            one(CompileError, &[Repaired("pass"), New("shop/other.py", "def f(:\n    pass\n")]),
        ],
    ),
    (
        26,
        "the fix from elsewhere",
        [
            one(Failed, &[Code("exec(open('{OUTSIDE}').read())")]),
            one(Failed, &[Code("exec(open('.git/fix').read())")]),
            one(
                Failed,
                &[Code(
                    "import socket\nsocket.create_connection(('127.0.0.1', {PORT}), 1).close()\nself.count += pieces",
                )],
            ),
        ],
    ),
];
