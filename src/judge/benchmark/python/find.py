"""Says which interpreter this is and which pytest it has, and names the test modules that pytest or unittest would look at.

Arguments: nothing; or `modules` (pytest's) or `cases` (those of `python -m unittest`), where the project's own modules are
imported from (joined by colons, "" for the working directory alone) and the folders to look in (none: those that the
project names). One JSON object goes to descriptor 3.
"""

import sys

sys.path.pop(0)

import fnmatch
import importlib.util
import json
import os
import platform
import re
import tempfile

told = {"version": platform.python_version(), "prefix": sys.prefix, "base": sys.base_prefix, "pytest": None, "broken": None, "installed": [], "files": [], "status": 0}


class Files:
    """Notes every test module instead of loading it."""

    def __init__(self, pytest, own):
        self.pytest, self.own, self.patterns, self.by_product = pytest, own, [], False

    def pytest_load_initial_conftests(self):
        outcome = yield
        if outcome.excinfo and outcome.excinfo[1].__cause__:
            self.by_product = fails_in_product(outcome.excinfo[1].__cause__, self.own)

    def pytest_configure(self, config):
        self.patterns = config.getini("python_files")

    def pytest_make_collect_report(self, collector):
        # Before pytest 8 a package is a module too, and what it holds is still to be found.
        if isinstance(collector, self.pytest.Module) and not isinstance(collector, self.pytest.Package):
            told["files"].append(os.path.relpath(str(collector.path)))
            report = self.pytest.CollectReport(collector.nodeid, "passed", None, [])
            return report
        return None

    def pytest_collectreport(self, report):
        """A folder whose `conftest.py` cannot be loaded holds modules all the same."""
        if not report.failed or not os.path.isdir(report.nodeid):
            return
        for folder, folders, files in os.walk(report.nodeid):
            folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in SKIPPED)
            modules = [name for name in sorted(files) if any(fnmatch.fnmatch(name, each) for each in self.patterns)]
            told["files"] += [os.path.join(folder, name) for name in modules]


def fails_in_product(error, own):
    """Whether a line of the product is among those that raise it; the project's modules lie in these folders."""
    at, files = error.__traceback__, [getattr(error, "filename", None) or ""]
    while at:
        files.append(at.tb_frame.f_code.co_filename)
        at = at.tb_next
    inside = [os.path.relpath(file) for file in files if file.startswith(os.getcwd() + os.sep)]
    product = [file for file in inside if os.path.basename(file) != "conftest.py" and not NO_PRODUCT & set(file.split(os.sep))]
    if isinstance(error, ModuleNotFoundError):
        name = (error.name or "").partition(".")[0]
        return any(os.path.exists(os.path.join(folder, name + end)) for folder in own for end in ("", ".py"))
    return bool(product)


# Files in which a project says how its tests are discovered.
SETTINGS = ["tox.ini", "noxfile.py", "pyproject.toml", "setup.cfg", "Makefile", "makefile"]
WORKFLOWS = ".github/workflows"
TEST_FOLDERS = ("tests", "test", "testing")
NO_PRODUCT = {"site-packages", "dist-packages", *TEST_FOLDERS}
SKIPPED = ("node_modules", "site-packages", "build", "dist")


def discovery():
    """Start folder and pattern of the project's own call of `unittest discover`, where it has one."""
    files = [*SETTINGS]
    if os.path.isdir(WORKFLOWS):
        files += [os.path.join(WORKFLOWS, name) for name in sorted(os.listdir(WORKFLOWS))]
    for file in files:
        try:
            with open(file, encoding="utf-8", errors="replace") as opened:
                called = re.search(r"""unittest["', ]+discover([^\n\])&|;]*)""", opened.read(1 << 20))
        except OSError:
            continue
        if called:
            return arguments(called.group(1))
    return None, None


def arguments(text):
    start = pattern = None
    # Of a shell line as well as of a list of words.
    words = re.findall(r"""[^\s"',]+""", text)
    while words:
        word = words.pop(0)
        name, given, value = word.partition("=")
        if name in ("-s", "--start-directory", "-p", "--pattern", "-t", "--top-level-directory"):
            value = value if given else words.pop(0) if words else ""
            if name in ("-s", "--start-directory"):
                start = value
            elif name in ("-p", "--pattern"):
                pattern = value
        elif not word.startswith("-") and start is None:
            start = word
    inside = start and not os.path.isabs(start) and ".." not in start.split("/") and os.path.isdir(start)
    return (start if inside else None), pattern


def cases(folder, pattern):
    """Test modules as unittest finds them: in a folder and the packages below it."""
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if os.path.isfile(path) and name.endswith(".py") and fnmatch.fnmatch(name, pattern):
            told["files"].append(os.path.relpath(path))
        elif os.path.isfile(os.path.join(path, "__init__.py")):
            cases(path, pattern)


def test_folders(folder):
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        hidden = name.startswith(".") or name in SKIPPED or os.path.exists(os.path.join(path, "pyvenv.cfg"))
        if os.path.isdir(path) and not os.path.islink(path) and not hidden:
            if name in TEST_FOLDERS:
                yield path
            else:
                yield from test_folders(path)


def find_cases(folders):
    start, pattern = discovery()
    for folder in folders or [start or "."]:
        cases(folder, pattern or "test*.py")
    if not told["files"] and not folders:
        # Started at the top it finds nothing, so the project's people start it in their folders of tests.
        for folder in test_folders("."):
            cases(folder, pattern or "test*.py")


def installed():
    """Names of all that was installed, with the versions of packages."""
    folders = [folder for folder in sys.path if os.path.basename(folder) in ("site-packages", "dist-packages")]
    return sorted({name for folder in folders if os.path.isdir(folder) for name in os.listdir(folder)} - {"__pycache__"})


def main(words):
    told["installed"] = installed()
    if words[:1] == ["cases"]:
        find_cases(words[2:])
        return
    try:
        import pytest
    except ImportError as error:
        if importlib.util.find_spec("pytest"):
            told["broken"] = str(error)
        return
    told["pytest"] = pytest.__version__
    if words[:1] == ["modules"]:
        folders = words[2:]
        # As when they run: a `conftest.py` imports what it helps to test.
        own = [os.getcwd(), *filter(None, words[1].split(":"))]
        sys.path[0:0] = own
        Files.pytest_make_collect_report = pytest.hookimpl(tryfirst=True)(Files.pytest_make_collect_report)
        Files.pytest_load_initial_conftests = pytest.hookimpl(hookwrapper=True)(Files.pytest_load_initial_conftests)
        # The project's settings may ask for the cache (`--ff`).
        cache = "cache_dir=" + tempfile.mkdtemp()
        quiet = ["--collect-only", "-q", "-o", cache, "--rootdir", os.getcwd(), *folders]
        # A report on coverage is a file in the project, which cannot be written here.
        quiet += ["--no-cov"] if importlib.util.find_spec("pytest_cov") else []
        told["status"] = 3
        files = Files(pytest, own)
        told["status"] = int(pytest.main(quiet, plugins=[files, absent(pytest)]))
        if files.by_product:
            # What a `conftest.py` cannot be loaded for is told of when its tests run: it is their failure.
            pytest.main([*quiet, "--noconftest"], plugins=[Files(pytest, own), absent(pytest)])
        if not told["files"] and not folders and told["status"] == pytest.ExitCode.NO_TESTS_COLLECTED:
            # Of other names than pytest looks for (`test.py`); it runs them where they are named.
            find_cases([])


def begin():
    try:
        main(sys.argv[1:])
    finally:
        sys.stdout.flush()
        os.write(3, json.dumps(told).encode())
        os._exit(0)
