# Options of plugins that a project's settings name and nobody installed here.


def absent(pytest):
    """A plugin that takes options of plugins that are not installed and change nothing of how a single test ends: those of
    coverage, of runs in several processes, again, in another order or with a limit of time. Without it pytest refuses to
    begin."""

    VALUES = {"--cov-report", "--cov-config", "--cov-context", "--cov-fail-under", "-n", "--numprocesses", "--maxprocesses"}
    VALUES |= {"--dist", "--max-worker-restart", "--reruns", "--reruns-delay", "--randomly-seed", "--timeout", "--timeout-method"}
    FLAGS = {"--cov-append", "--cov-branch", "--cov-reset", "--no-cov", "--no-cov-on-fail", "--randomly-dont-reorganize"}

    class Absent:
        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_load_initial_conftests(self, parser, args):
            yield
            # Plugins and the project's `conftest.py` have registered theirs by now.
            _, unknown = parser.parse_known_and_unknown_args(args)
            words = {word.partition("=")[0] for word in unknown}
            words |= {"-n" for word in unknown if word.startswith("-n")}
            # The public `addoption` takes no short name such as `-n`.
            add = parser.getgroup("absent", "options of plugins that are not installed")._addoption
            for name in words & VALUES:
                add(name, action="append", dest="absent")
            for name in words & FLAGS:
                add(name, action="store_true", dest="absent_" + name.strip("-").replace("-", "_"))
            if "--cov" in words:
                add("--cov", action="append", nargs="?", const="", dest="absent")

    return Absent()
