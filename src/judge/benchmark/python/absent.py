# Options of plugins that a project's settings name and nobody installed here.


def absent(pytest):
    """A plugin that takes options of plugins that are not installed and change nothing of how a single test ends: those of
    coverage, of runs in several processes, again, in another order or with a limit of time, and of measurements. Without it
    pytest refuses to begin."""

    VALUES = {"--cov-report", "--cov-config", "--cov-context", "--cov-fail-under", "-n", "--numprocesses", "--maxprocesses"}
    VALUES |= {"--dist", "--max-worker-restart", "--reruns", "--reruns-delay", "--randomly-seed", "--timeout", "--timeout-method"}
    FLAGS = {"--cov-append", "--cov-branch", "--cov-reset", "--no-cov", "--no-cov-on-fail", "--randomly-dont-reorganize"}
    FLAGS |= {"--benchmark-" + name for name in ("autosave", "disable", "disable-gc", "enable", "quiet", "skip", "verbose")}

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
            # That other tests do not run is no detail of measuring.
            measuring = {word for word in words if word.startswith("--benchmark-")} - {"--benchmark-only"}
            for name in (measuring | words & {"--cov"}) - FLAGS:
                add(name, action="append", nargs="?", const="", dest="absent")

    return Absent()
