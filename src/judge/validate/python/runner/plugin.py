# The plugin of pytest, and the run.

import fnmatch
import functools
import tempfile
import unittest.async_case
import pluggy
import pytest
import _pytest.config
import _pytest.outcomes
import _pytest.terminal


class Folders:
    """What each folder holds. Without this pytest reads a folder anew for every file that it is asked for in it."""

    def __init__(self):
        self.known = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_make_collect_report(self, collector):
        return self.known.get(collector)

    def keep(self, collector, report):
        # Older versions of pytest have no collectors of folders, and do not read one twice.
        if isinstance(collector, getattr(pytest, "Directory", ())) and report.outcome == "passed":
            self.known[collector] = report


def is_named(session, isinitpath, path, **options):
    """Whether pytest is to take a file for a module with tests because it is named. One that is run for the examples of
    its docstrings alone is none: the project's own command, which names folders, does not rewrite its assertions."""
    patterns = session.config.getini("python_files")
    is_module = any(fnmatch.fnmatch(str(path), "*/" + pattern) for pattern in patterns)
    return (is_module or not str(path).endswith(".py")) and isinitpath(path, **options)


class Plugin:
    """Tells pytest which tests to run and tells us what became of them."""

    def __init__(self, request, records, places, clock, executed, guard, mask):
        self.request, self.records, self.places, self.mask = request, records, places, mask
        self.clock, self.executed, self.guard = clock, executed, guard
        self.phases, self.reports, self.folders = [], [], Folders()
        self.began, self.broken = False, None

    def name(self, item):
        return self.places.node(item), plain(item.name)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_load_initial_conftests(self):
        # By now pytest has made its own changes to itself, and no code of the project was loaded yet.
        self.guard.begin()
        outcome = yield
        if outcome.excinfo:
            self.broken = outcome.excinfo[1]

    def pytest_internalerror(self, excinfo):
        self.broken = self.broken or excinfo.value

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self, session):
        self.guard.configured()
        if getattr(session.config.option, "doctestmodules", False):
            session.isinitpath = functools.partial(is_named, session, session.isinitpath)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_make_collect_report(self, collector):
        shown = isinstance(collector, (pytest.Module, pytest.Class))
        if shown:
            self.began = True
            self.clock.now((self.places.node(collector), ""))
        with self.mask if shown else contextlib.nullcontext():
            outcome = yield
        report = outcome.get_result()
        self.folders.keep(collector, report)
        if not shown or report.outcome == "passed":
            return
        name, call = (self.places.node(collector), ""), getattr(report, "call", None)
        error = call.excinfo.value if call and call.excinfo else None
        failure = failure_of(error, self.places) if error else {"kind": "", "message": plain(str(report.longrepr)), "frames": []}
        behind = error and (error.__cause__ or error.__context__)
        if isinstance(error, pytest.Collector.CollectError) and behind is not None:
            # What pytest says of an import holds the whole trace as text; the error behind it says the same in short.
            failure = failure_of(behind, self.places)
        if report.outcome == "failed":
            self.executed.tell_loading(self.records, name)
        self.records.end(name, "skipped" if report.outcome == "skipped" else "failed", self.clock.millis(), failure)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        items[:] = [item for item in items if self.request.wants(*self.name(item))]
        if self.request.first:
            items.sort(key=lambda item: "#".join(self.name(item)) not in self.request.first)

    def pytest_collection_finish(self, session):
        self.executed.pause()
        load_submodules(self.request.imported, self.places.root)
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
        unharmed(self.guard, self.records)
        self.executed.tell(self.records, name)
        status, failure = self.result()
        self.records.end(name, status, millis, failure)
        if self.clock.tested():
            item.session.shouldstop = "the time for all tests is over"

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_setup(self, item):
        yield from self.phase()

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_call(self, item):
        yield from self.phase()

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_teardown(self, item):
        yield from self.phase()

    def phase(self):
        with self.mask:
            self.executed.resume()
            yield
            self.executed.pause()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_assertrepr_compare(self, op, left, right):
        outcome = yield
        told = next((lines for lines in outcome.get_result() if lines), None)
        # A plugin of the project may give something else than a list.
        if isinstance(told, list) and op == "==" and type(left) is type(right) is bytes:
            told[1:1] = difference_of(left, right)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        raised = call.excinfo.value if call.excinfo else None
        outcome = yield
        # Tests of unittest hold their errors back until now.
        shown = raised if raised is not None else call.excinfo.value if call.excinfo else None
        self.phases.append((call.when, raised, shown, outcome.get_result()))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report):
        self.reports.append(report)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtestloop(self, session):
        self.began = False
        if self.request.discover:
            for item in session.items:
                self.records.test(self.name(item))
        yield
        if not self.request.discover:
            unharmed(self.guard, self.records, at_last=True)

    def result(self):
        """Passed is only what ran through all three phases without an error, and was expected to."""
        skipped = None
        for when, raised, shown, report in self.phases:
            expected = hasattr(report, "wasxfail")
            if report.outcome == "failed" or report.outcome == "passed" and raised is not None:
                return "failed", self.failure(shown, report)
            if report.outcome == "skipped" or expected:
                skipped = skipped or self.failure(shown, report)
        for report in self.reports:
            if report.outcome == "failed":
                return "failed", self.failure(None, report)
        if skipped:
            return "skipped", skipped
        # Each subtest reports a call of its own, beside that of the test.
        passed = [when for when, _, _, report in self.phases if report.outcome == "passed"]
        if passed[:1] != ["setup"] or passed[-1:] != ["teardown"] or set(passed[1:-1]) != {"call"}:
            return "failed", {"kind": "incomplete", "message": "it did not run from its set-up to its end", "frames": []}
        return "passed", None

    def stopped(self):
        """What stopped pytest before any test began, and where a `conftest.py` cannot be loaded, its folder."""
        if isinstance(self.broken, _pytest.config.ConftestImportFailure):
            return self.broken.__cause__ or self.broken, os.path.join(os.path.dirname(str(self.broken.path)), "")
        return (self.broken, None) if self.began else (None, None)

    def failure(self, error, report):
        if error is not None:
            return failure_of(error, self.places)
        why = getattr(report, "wasxfail", None) or report.longreprtext or report.outcome
        return {"kind": "", "message": plain(str(why))[:MESSAGE], "frames": []}


def options():
    """What keeps pytest and the plugins that are installed from doing more than run tests once, here and in order."""
    # Tests and settings may ask for the cache (`--ff`); it is a new one, so that it chooses and orders nothing.
    chosen = ["-o", "cache_dir=" + tempfile.mkdtemp(), "-p", "no:faulthandler", "--tb=no", "--maxfail=0"]
    chosen += ["--continue-on-collection-errors"]
    # Nobody reads what stands around the tests, and plugins load large libraries to have a word in it.
    reporter = _pytest.terminal.TerminalReporter
    chosen += [word for word in ("--no-header", "--no-summary") if hasattr(reporter, word[2:].replace("-", "_"))]
    installed = importlib.util.find_spec
    for module, words in [
        ("xdist", ["-n0"]),
        ("pytest_cov", ["--no-cov"]),
        ("pytest_rerunfailures", ["--reruns=0"]),
        ("pytest_randomly", ["-p", "no:randomly"]),
    ]:
        chosen += words if installed(module) else []
    return chosen


def under_pytest(request, records, places, clock, executed, guard):
    """Whether pytest ran to its end."""
    sys.argv = ["pytest"]
    plugin = Plugin(request, records, places, clock, executed, guard, Mask(request))
    files = request.arguments()
    if not files and request.files:
        return True
    collect = ["--collect-only", "-q"] if request.discover else []
    status = pytest.main([*options(), *collect, "--rootdir", places.root, *files], plugins=[plugin, plugin.folders, absent(pytest)])
    usual = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED)
    return clock.is_over or status in usual or told_of_stop(plugin, request, records, places)


def told_of_stop(plugin, request, records, places):
    """Where something stopped pytest before any test began: whether the modules were told of as what cannot be run. Where it
    may be the fault of some of several modules, whoever asked is told to ask for fewer."""
    error, folder = plugin.stopped()
    if error is None:
        return False
    wanted = request.wanted()
    files = [os.path.join(places.root, request.files[name]) for name in wanted]
    if len(wanted) == 1 or folder and all(file.startswith(folder) for file in files):
        for name in wanted:
            records.end((name, ""), "failed", 0, failure_of(error, places))
        return True
    records.over("apart")
    sys.stdout.flush()
    os._exit(CUT)
