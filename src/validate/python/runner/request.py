"""Runs tests under pytest or unittest once and tells what became of each over a private channel, then ends at once.

The request comes on descriptor 4, where it can be read only once; records go to descriptor 3, which is moved away before
anything of the project is loaded. What is asked and told is the same as for every other runner. Request lines:

    nonce TEXT            marks every record of this run
    deadline MILLIS       for a test without its own
    class MODULE          a module that may hold tests
    only MODULE$CLASS#NAME   run these only (none: all)
    skip MODULE$CLASS#NAME   has its result already
    limit MILLIS ID       own deadline of a test
    must ID               of no use here: a process runs to its end
    file MODULE PATH      where a module lies
    path FOLDER           goes on the search path
    source FOLDER         product code, whose lines are told when `lines` is there
    lines                 tell what each test executes
    discover yes          run nothing: tell which tests there are
    plain yes             hide from the project that tests run
"""

import sys

sys.path.pop(0)

# All that is needed later is loaded now: nothing of the project can stand in for it.
import builtins, contextlib, doctest, faulthandler, importlib.machinery, importlib.util, json, linecache, os, threading, time, traceback, types  # noqa: E401
import unittest, unittest.case, unittest.loader, unittest.mock, unittest.runner, unittest.suite  # noqa: E401

CUT = 97
TAMPERED = 98
UNUSABLE = 99
MESSAGE = 8_000
FRAMES = 80
CAUSES = 5
TICK = 0.02
BETWEEN = 30_000
STARVED = 5


class Request:
    """What is to be done."""

    def __init__(self, text):
        self.nonce, self.deadline, self.lines, self.discover, self.plain = "", 10_000, False, False, False
        self.classes, self.only, self.skip, self.limits = [], set(), set(), {}
        self.files, self.paths, self.sources = {}, [], []
        for line in text.split("\n"):
            word, _, value = line.partition(" ")
            if word == "nonce":
                self.nonce = value
            elif word == "deadline":
                self.deadline = int(value)
            elif word == "class":
                self.classes.append(value)
            elif word in ("only", "skip"):
                getattr(self, word).add(value)
            elif word == "limit":
                millis, _, name = value.partition(" ")
                self.limits[name] = int(millis)
            elif word == "file":
                module, _, path = value.partition(" ")
                self.files[module] = path
            elif word == "path":
                self.paths.append(value)
            elif word == "source":
                self.sources.append(value)
            elif word == "lines":
                self.lines = True
            elif word == "discover":
                self.discover = True
            elif word == "plain":
                self.plain = True

    def wants(self, class_name, method):
        name = f"{class_name}#{method}"
        if name in self.skip:
            return False
        bare = f"{class_name}#{method.split('[')[0]}"
        return not self.only or name in self.only or class_name in self.only or bare in self.only

    def arguments(self):
        """Files of the modules that hold a wanted test; all of them when there is no choice."""
        wanted = {name.split("#")[0].split("$")[0] for name in self.only}
        chosen = [name for name in self.classes if not wanted or name in wanted]
        return [self.files[name] for name in chosen if name in self.files and f"{name}#" not in self.skip]


class Records:
    """Writes one JSON line a fact; every line carries the nonce of the run."""

    def __init__(self, channel, nonce):
        self.finished, lock, owner = 0, threading.Lock(), os.getpid()

        def write(kind, **rest):
            line = json.dumps({"nonce": nonce, "kind": kind, **rest}) + "\n"
            with lock:
                data = line.encode()
                while data and os.getpid() == owner:
                    data = data[os.write(channel, data):]

        self._write = write

    def start(self, name):
        self._write("start", **{"class": name[0], "method": name[1]})

    def lines(self, name, files):
        self._write("lines", files=files, **{"class": name[0], "method": name[1]})

    def end(self, name, status, millis, failure=None):
        self.finished += 1
        self._write("end", status=status, millis=millis, failure=failure, **{"class": name[0], "method": name[1]})

    def test(self, name):
        self._write("test", count=1, **{"class": name[0], "method": name[1]})

    def over(self, why):
        self._write("over", count=self.finished, why=why)
