"""Runs tests under pytest once and tells what became of each over a private channel, then ends at once.

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
"""

import sys

sys.path.pop(0)

# All that is needed later is loaded now: nothing of the project can stand in for it.
import builtins, doctest, faulthandler, importlib.util, json, linecache, os, threading, time, traceback, types  # noqa: E401
import unittest, unittest.async_case, unittest.case, unittest.loader, unittest.mock, unittest.runner, unittest.suite  # noqa: E401
import pluggy
import pytest
import _pytest.outcomes

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
        self.nonce, self.deadline, self.lines = "", 10_000, False
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

    def over(self, why):
        self._write("over", count=self.finished, why=why)


class Places:
    """Names of files: relative to the project, and as modules."""

    def __init__(self, root):
        self.root = root
        self.known = {}

    def relative(self, path):
        if path not in self.known:
            inside = os.path.relpath(os.path.realpath(os.path.join(self.root, path)), self.root)
            self.known[path] = None if inside.startswith("..") or inside.startswith("<") else inside
        return self.known[path]

    def module(self, path):
        inside = self.relative(str(path)) or os.path.basename(str(path))
        parts = inside[:-3].split("/") if inside.endswith(".py") else inside.split("/")
        if len(parts) > 1 and parts[-1] == "__init__":
            parts.pop()
        return ".".join(parts)

    def node(self, node):
        """The module of a collected node, with the classes around it."""
        classes = [each.name for each in node.listchain() if isinstance(each, pytest.Class)]
        return "$".join([self.module(node.path), *classes])


def plain(text):
    """Text that any reader takes: half characters are told by number."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def message_of(error):
    try:
        text = str(error)
    except BaseException as broken:  # the project's errors are its own code
        text = f"(its message cannot be had: {type(broken).__name__})"
    return plain(text if len(text) <= MESSAGE else text[:MESSAGE] + "...")


def kind_of(error):
    kind = type(error)
    own = kind.__module__ in ("builtins", "__main__") or kind.__module__.startswith("_pytest")
    return plain(kind.__name__ if own else f"{kind.__module__}.{kind.__qualname__}")


def frames_of(steps, places):
    """Frames of the project, innermost first."""
    found = []
    for frame, line in steps:
        inside = places.relative(frame.f_code.co_filename)
        if inside and inside.endswith(".py"):
            found.append([places.module(inside), frame.f_code.co_name, os.path.basename(inside), line or 0])
    found.reverse()
    return found if len(found) <= FRAMES else found[: FRAMES - 10] + found[-10:]


def failure_of(error, places, depth=0, seen=()):
    told = {"kind": kind_of(error), "message": message_of(error)}
    told["frames"] = frames_of(traceback.walk_tb(error.__traceback__), places)
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None and depth < CAUSES and id(cause) not in seen:
        told["cause"] = failure_of(cause, places, depth + 1, (*seen, id(error)))
    return told


class Meter:
    """How long the running test had its chance: while a thread wants a processor, processor time counts; while all wait,
    the time that passes. Read from /proc; where that cannot be read, passing time counts."""

    STEP = 0.1

    def __init__(self):
        self.begin()

    def begin(self):
        self.last, self.last_used = time.monotonic(), time.process_time()
        self.waited = self.wanted = self.used = 0.0

    def look(self):
        now, used = time.monotonic(), time.process_time()
        more = max(0.0, used - self.last_used)
        # A look that comes late by itself counts as one that came in time.
        step = min(now - self.last, max(self.STEP, more))
        if self.wants_processor():
            self.wanted += step
            self.used += more
        else:
            self.waited += step
        self.last, self.last_used = now, used

    def counted(self):
        return 1000 * (self.waited + min(self.wanted, self.used))

    def present(self):
        return 1000 * (self.waited + self.wanted)

    @staticmethod
    def wants_processor():
        own = str(threading.get_native_id())
        try:
            for task in os.listdir("/proc/self/task"):
                if task != own:
                    with open(f"/proc/self/task/{task}/stat", "rb") as stat:
                        if stat.read().rpartition(b") ")[2][:1] in b"RD":
                            return True
        except OSError:
            pass
        return False


class Clock:
    """Knows which test runs and for how long, and ends the process when that is too long: a test that hangs cannot be
    stopped inside its process."""

    def __init__(self, request, records, places, executed):
        self.request, self.records, self.places, self.executed = request, records, places, executed
        self.lock, self.main = threading.RLock(), threading.get_ident()
        self.turn, self.off = 0, False
        self.now(("", ""))

    def now(self, name):
        with self.lock:
            self.name, self.since = name, time.monotonic()
            self.turn += 1
            limit = self.limit() / 1000
        # A test that never lets another thread run is ended from outside of the interpreter.
        faulthandler.dump_traceback_later(STARVED * limit + 10, exit=True)

    def limit(self):
        class_name, method = self.name
        return self.request.limits.get(f"{class_name}#{method}", self.request.deadline) if method else BETWEEN

    def millis(self):
        return int(1000 * (time.monotonic() - self.since))

    def stop(self):
        with self.lock:
            self.off = True
        faulthandler.cancel_dump_traceback_later()

    def watch(self):
        meter, watched = Meter(), -1
        while not self.off:
            time.sleep(TICK)
            if self.turn != watched:
                meter.begin()
                watched = self.turn
                continue
            meter.look()
            with self.lock:
                if self.turn == watched and not self.off:
                    self.judge(meter.counted(), meter.present())

    def judge(self, counted, present):
        limit = self.limit()
        if counted <= limit and present <= STARVED * limit:
            return
        got = "" if counted > limit else f", of which it had a processor for {int(counted)} ms"
        steps = list(traceback.walk_stack(sys._current_frames().get(self.main)))
        frames = frames_of(reversed(steps), self.places)
        after = int(limit if counted > limit else present)
        self.executed.tell(self.records, self.name)
        self.records.end(
            self.name, "timed_out", self.millis(), {"kind": "timeout", "message": f"cut after {after} ms{got}", "frames": frames}
        )
        self.records.over("cut")
        os._exit(CUT)


class Executed:
    """Lines of product code that each test executes, by a trace function; lines of a module's own statements count for
    every test that executes something in its file."""

    def __init__(self, request, places):
        self.on, self.places = request.lines, places
        self.sources = [os.path.realpath(os.path.join(places.root, source)) + "/" for source in request.sources]
        self.tests = {os.path.realpath(os.path.join(places.root, path)) for path in request.files.values()}
        self.files, self.loading, self.current = {}, {}, {}
        self.current = self.loading

    def begin(self):
        if self.on:
            sys.settrace(self.entered)
            threading.settrace(self.entered)

    def test(self):
        self.current = {}
        self.begin()

    def tell(self, records, name):
        if not self.on or not name[1]:
            return
        told = []
        for file, lines in list(self.current.items()):
            told.append(" ".join([file, *map(str, sorted(lines | self.loading.get(file, set())))]))
        records.lines(name, told)
        self.current = {}

    def file(self, path):
        real = os.path.realpath(os.path.join(self.places.root, path))
        product = real not in self.tests and any((real + "/").startswith(source) for source in self.sources)
        return self.places.relative(path) if product else None

    def entered(self, frame, event, _):
        path = frame.f_code.co_filename
        if path not in self.files:
            self.files[path] = self.file(path)
        file = self.files[path]
        if file is None:
            return None

        def line(frame, event, _):
            if event == "line" and frame.f_lineno:
                self.current.setdefault(file, set()).add(frame.f_lineno)
            return line

        return line


class Guard:
    """Sees whether what decides about results is still what it was before the project was loaded."""

    PACKAGES = ("pytest", "_pytest", "pluggy", "unittest")

    def __init__(self, measuring):
        self.spaces, self.codes, self.modules, self.manager, self.tracing = [], [], {}, None, None
        self.measuring = measuring

    def begin(self):
        mine = [module for name, module in sys.modules.items() if name.split(".")[0] in self.PACKAGES]
        for module in [*mine, builtins, sys.modules[__name__]]:
            self.note(module.__name__, vars(module))
        self.modules = {module.__name__: module for module in [*mine, builtins]}

    def note(self, name, space):
        kept = {}
        for key, value in list(space.items()):
            if callable(value) or isinstance(value, (property, classmethod, staticmethod)):
                kept[key] = value
            if isinstance(value, types.FunctionType):
                self.codes.append((f"{name}.{key}", value, value.__code__))
            if isinstance(value, type) and value.__module__ == name and value.__module__ != "builtins":
                self.note(f"{name}.{key}", vars(value))
        self.spaces.append((name, space, kept))

    def collected(self, manager):
        """From here on no plugin comes or goes, and nobody looks on."""
        self.manager, self.plugins = manager, self.registered(manager)
        self.tracing = (sys.gettrace(), sys.getprofile())

    @staticmethod
    def registered(manager):
        return [id(plugin) for plugin in manager.get_plugins()]

    def broken(self):
        for name, space, kept in self.spaces:
            for key, value in kept.items():
                if space.get(key) is not value:
                    return f"{name}.{key}"
        for name, function, code in self.codes:
            if function.__code__ is not code:
                return name
        for name, module in self.modules.items():
            if sys.modules.get(name) is not module:
                return name
        if self.manager and set(self.registered(self.manager)) != set(self.plugins):
            return "the plugins of pytest"
        # A recursion without end switches our own tracing off.
        if not self.measuring and self.tracing and self.tracing != (sys.gettrace(), sys.getprofile()):
            return "the trace function"
        return None


class Plugin:
    """Tells pytest which tests to run and tells us what became of them."""

    def __init__(self, request, records, places, clock, executed, guard):
        self.request, self.records, self.places = request, records, places
        self.clock, self.executed, self.guard = clock, executed, guard
        self.phases, self.reports = [], []

    def name(self, item):
        return self.places.node(item), plain(item.name)

    def pytest_load_initial_conftests(self):
        # By now pytest has made its own changes to itself, and no code of the project was loaded yet.
        self.guard.begin()

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_make_collect_report(self, collector):
        shown = isinstance(collector, (pytest.Module, pytest.Class))
        if shown:
            self.clock.now((self.places.node(collector), ""))
        outcome = yield
        report = outcome.get_result()
        if not shown or report.outcome == "passed":
            return
        name, call = (self.places.node(collector), ""), getattr(report, "call", None)
        error = call.excinfo.value if call and call.excinfo else None
        failure = failure_of(error, self.places) if error else {"kind": "", "message": plain(str(report.longrepr)), "frames": []}
        if isinstance(error, pytest.Collector.CollectError) and error.__cause__ is None and error.__context__ is not None:
            # What pytest says of an import holds the whole trace as text; the error behind it says the same in short.
            failure = failure_of(error.__context__, self.places)
        self.records.end(name, "skipped" if report.outcome == "skipped" else "failed", self.clock.millis(), failure)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        items[:] = [item for item in items if self.request.wants(*self.name(item))]

    def pytest_collection_finish(self, session):
        self.guard.collected(session.config.pluginmanager)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        name = self.name(item)
        self.phases, self.reports = [], []
        self.executed.test()
        self.records.start(name)
        self.clock.now(name)
        yield
        with self.clock.lock:
            millis = self.clock.millis()
            self.clock.now((name[0], ""))
        self.unharmed()
        self.executed.tell(self.records, name)
        status, failure = self.result()
        self.records.end(name, status, millis, failure)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        raised = call.excinfo.value if call.excinfo else None
        outcome = yield
        self.phases.append((call.when, raised, outcome.get_result()))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report):
        self.reports.append(report)

    def result(self):
        """Passed is only what ran through all three phases without an error, and was expected to."""
        skipped = None
        for when, raised, report in self.phases:
            expected = hasattr(report, "wasxfail")
            if report.outcome == "failed" or report.outcome == "passed" and raised is not None:
                return "failed", self.failure(raised, report)
            if report.outcome == "skipped" or expected:
                skipped = skipped or self.failure(raised, report)
        for report in self.reports:
            if report.outcome == "failed":
                return "failed", self.failure(None, report)
        if skipped:
            return "skipped", skipped
        if [when for when, _, report in self.phases if report.outcome == "passed"] != ["setup", "call", "teardown"]:
            return "failed", {"kind": "incomplete", "message": "it did not run from its set-up to its end", "frames": []}
        return "passed", None

    def failure(self, raised, report):
        if raised is not None:
            return failure_of(raised, self.places)
        why = getattr(report, "wasxfail", None) or report.longreprtext or report.outcome
        return {"kind": "", "message": plain(str(why))[:MESSAGE], "frames": []}

    def unharmed(self):
        broken = self.guard.broken()
        if broken:
            print(f"{broken} was changed while a test ran", file=sys.__stderr__, flush=True)
            self.records.over("tampered")
            os._exit(TAMPERED)


def options():
    """What keeps pytest and the plugins that are installed from doing more than run tests once, here and in order."""
    chosen = ["-p", "no:cacheprovider", "-p", "no:faulthandler", "--tb=no", "--maxfail=0", "--continue-on-collection-errors"]
    installed = importlib.util.find_spec
    for module, words in [
        ("xdist", ["-n0"]),
        ("pytest_cov", ["--no-cov"]),
        ("pytest_rerunfailures", ["--reruns=0"]),
        ("pytest_randomly", ["-p", "no:randomly"]),
    ]:
        chosen += words if installed(module) else []
    return chosen


def main():
    with os.fdopen(4, "rb") as asked:
        request = Request(asked.read().decode())
    channel = os.dup(3)
    os.close(3)
    root = os.getcwd()
    places, records = Places(root), Records(channel, request.nonce)
    executed = Executed(request, places)
    clock, guard = Clock(request, records, places, executed), Guard(request.lines)
    threading.Thread(target=clock.watch, name="unidebug clock", daemon=True).start()
    sys.path[0:0] = [root, *request.paths]
    sys.argv = ["pytest"]
    plugin = Plugin(request, records, places, clock, executed, guard)
    executed.begin()
    status = UNUSABLE
    try:
        files = request.arguments()
        if files or not request.files:
            status = pytest.main([*options(), "--rootdir", root, *files], plugins=[plugin])
        else:
            status = pytest.ExitCode.NO_TESTS_COLLECTED
    finally:
        sys.settrace(None)
        clock.stop()
        ended = status in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED)
        if ended:
            records.over("done")
        sys.stdout.flush()
        os._exit(0 if ended else UNUSABLE)


main()
