"""Runs tests under pytest or unittest once and tells what became of each over a private channel, then ends at once.

The request comes on descriptor 4, where it can be read only once, then a key for each test that begins; records go to
descriptor 3. Both descriptors are moved away before anything of the project is loaded. All runners are asked and tell
the same. Request lines:

    nonce TEXT            marks every record of this run
    secret TEXT           proves results, and is told to nobody
    deadline MILLIS       for a test without its own
    between MILLIS        for what lies between two tests
    total MILLIS          no test begins when this time since the first one is over
    class MODULE          a module that may hold tests
    only MODULE$CLASS#NAME   run these only (none: all)
    skip MODULE$CLASS#NAME   has its result already
    limit MILLIS ID       own deadline of a test
    must ID               of no use here: a process runs to its end
    file MODULE PATH      where a module lies
    product PATH          a module that is product code, and holds tests in its text
    path FOLDER           goes on the search path
    imported MODULE       a submodule that some test module imports, or a name in one
    source FOLDER         product code, whose lines are told when `lines` is there
    lines                 tell what each test executes
    measured PATH         of these files (none: all)
    watch FIRST LAST FILE   tell the values in the functions of these lines instead
    draw NAME FILE        call this function with inputs near those of the tests instead
    first ID              this test comes before those that are not named so
    constant JSON         a value that the function decides by
    expression PATH       a value that is told beside the variables: names with dots and numbers
    discover yes          run nothing: tell which tests there are
    plain yes             hide from the project that tests run
    settings other        lines end in another way
"""

import sys

sys.path.pop(0)

# All that is needed later is loaded now: nothing of the project can stand in for it.
import builtins, contextlib, doctest, faulthandler, hashlib, importlib.machinery, importlib.util, json, linecache, operator, os, re, threading, time, traceback, types  # noqa: E401
import unittest, unittest.case, unittest.loader, unittest.mock, unittest.runner, unittest.suite  # noqa: E401

CUT = 97
TAMPERED = 98
UNUSABLE = 99
MESSAGE = 8_000
AROUND = 12
COMPARED = 100_000
FRAMES = 80
CAUSES = 5
TICK = 0.02
STARVED = 5
SHARED = 1


class Request:
    """What is to be done."""

    def __init__(self, text):
        self.nonce, self.secret, self.deadline, self.total = "", "", 10_000, float("inf")
        self.between = 30_000
        self.lines, self.discover, self.plain, self.resettled = False, False, False, False
        self.classes, self.only, self.skip, self.limits = [], set(), set(), {}
        self.first = set()
        self.files, self.products, self.paths, self.sources = {}, set(), [], []
        self.watches, self.expressions, self.measured = [], [], []
        self.draws, self.constants, self.absent, self.around = [], [], set(), set()
        self.imported = []
        for line in text.split("\n"):
            word, _, value = line.partition(" ")
            if word == "nonce":
                self.nonce = value
            elif word == "secret":
                self.secret = value
            elif word == "deadline":
                self.deadline = int(value)
            elif word == "between":
                self.between = int(value)
            elif word == "total":
                self.total = int(value)
            elif word == "class":
                self.classes.append(value)
            elif word in ("only", "skip", "first", "absent", "around"):
                getattr(self, word).add(value)
            elif word == "limit":
                millis, _, name = value.partition(" ")
                self.limits[name] = int(millis)
            elif word == "file":
                module, _, path = value.partition(" ")
                self.files[module] = path
            elif word == "product":
                self.products.add(value)
            elif word == "path":
                self.paths.append(value)
            elif word == "imported":
                self.imported.append(value)
            elif word == "source":
                self.sources.append(value)
            elif word == "watch":
                first, last, path = value.split(" ", 2)
                self.watches.append((path, int(first), int(last)))
            elif word == "draw":
                name, path = value.split(" ", 1)
                self.draws.append((path, name))
            elif word == "constant":
                self.constants.append(value)
            elif word == "expression":
                self.expressions.append(value)
            elif word == "measured":
                self.measured.append(value)
            elif word == "lines":
                self.lines = True
            elif word == "discover":
                self.discover = True
            elif word == "plain":
                self.plain = True
            elif word == "settings":
                self.resettled = True

    def wants(self, class_name, method):
        name = f"{class_name}#{method}"
        if name in self.skip:
            return False
        bare = f"{class_name}#{method.split('[')[0]}"
        parts = class_name.split("$")
        # A module stands for its classes, and a class for those nested in it.
        outer = {"$".join(parts[:n]) for n in range(1, len(parts) + 1)}
        return not self.only or name in self.only or bare in self.only or not outer.isdisjoint(self.only)

    def wanted(self):
        """Modules that hold a wanted test; all of them when there is no choice."""
        wanted = {name.split("#")[0].split("$")[0] for name in self.only}
        chosen = [name for name in self.classes if not wanted or name in wanted]
        return [name for name in chosen if name in self.files and f"{name}#" not in self.skip]

    def arguments(self):
        """Files of these modules."""
        return [self.files[name] for name in self.wanted()]


def read_whole(descriptor, size):
    """So many bytes."""
    data = b""
    while len(data) < size:
        more = os.read(descriptor, size - len(data))
        if not more:
            os._exit(UNUSABLE)
        data += more
    return data.decode()


class Records:
    """Writes one JSON line a fact; every line carries the nonce of the run. The project may read and write the channel,
    too: that a test passed is proved by a secret that is never written, and by the key that whoever asked hands out when
    the test begins. Each key changes the secret."""

    def __init__(self, channel, keys, request):
        self.finished, lock, owner = 0, threading.RLock(), os.getpid()
        # Taken before the project could offer others, and kept where no name leads to them.
        read, send, pid, sha256, dumps = read_whole, os.write, os.getpid, hashlib.sha256, json.dumps
        secret, running, nonce = request.secret, {}, request.nonce

        def proof(*lines):
            return sha256("\n".join([secret, *lines]).encode()).hexdigest()

        def write(kind, **rest):
            data = (dumps({"nonce": nonce, "kind": kind, **rest}) + "\n").encode()
            with lock:
                while data and pid() == owner:
                    data = data[send(channel, data) :]

        def start(name):
            nonlocal secret
            with lock:
                write("start", **{"class": name[0], "method": name[1]})
                if pid() == owner:
                    running[name] = read(keys, 65)[:64]
                    secret = proof(running[name])

        def end(name, status, millis, failure):
            with lock:
                self.finished += 1
                key = running.pop(name, None)
                more = {"proof": proof(key, "passed")} if status == "passed" and key else {}
                write("end", status=status, millis=millis, failure=failure, **more, **{"class": name[0], "method": name[1]})

        def over(why):
            with lock:
                write("over", count=self.finished, why=why, proof=proof("over", str(self.finished), why))

        self._write, self.start, self._end, self.over = write, start, end, over

    def lines(self, name, files):
        self._write("lines", files=files, **{"class": name[0], "method": name[1]})

    def end(self, name, status, millis, failure=None):
        self._end(name, status, millis, failure)

    def test(self, name):
        self._write("test", count=1, **{"class": name[0], "method": name[1]})
