# The run without pytest: modules are loaded and tests are run as `python -m unittest` does it.


class Cases(unittest.TestResult):
    """Tells what became of each test."""

    def __init__(self, request, records, places, clock, executed, guard, modules):
        super().__init__()
        self.request, self.records, self.places = request, records, places
        self.clock, self.executed, self.guard = clock, executed, guard
        self.modules, self.status, self.why = modules, None, None
        self.brought = {}

    def bring(self, tests, module):
        """A module may bring tests of no class of its own: doctests and functions, which have names of their own."""
        of_library = [test for test in tests if type(test).__module__.partition(".")[0] in ("doctest", "unittest")]
        # The tests are kept, so that no other one gets the place of one that is not wanted.
        self.brought.update((id(test), (module, test)) for test in of_library)

    def name(self, test):
        case = type(test)
        if id(test) in self.brought:
            return self.brought[id(test)][0], plain(test.id())
        parts = case.__qualname__.split(".")
        return "$".join([self.modules.get(case.__module__, case.__module__), *parts]), plain(test._testMethodName)

    def startTest(self, test):
        super().startTest(test)
        name = self.name(test)
        self.status, self.why = None, None
        self.executed.test()
        self.records.start(name)
        self.clock.now(name)
        self.executed.resume()

    def stopTest(self, test):
        self.executed.pause()
        super().stopTest(test)
        name = self.name(test)
        with self.clock.lock:
            millis = self.clock.millis()
            self.clock.now((name[0], ""))
        unharmed(self.guard, self.records)
        self.executed.tell(self.records, name)
        unsaid = {"kind": "incomplete", "message": "it did not run from its set-up to its end", "frames": []}
        self.records.end(name, self.status or "failed", millis, self.why if self.status else unsaid)
        if self.clock.tested():
            self.stop()

    def end(self, status, why=None):
        # The first complaint is the reason; later ones come from tear-down.
        if self.status != "failed":
            self.status, self.why = status, why

    def addSuccess(self, test):
        self.end(self.status or "passed")

    def addSkip(self, test, reason):
        why = {"kind": "", "message": plain(str(reason))[:MESSAGE], "frames": []}
        if isinstance(test, unittest.TestCase):
            self.end("skipped", why)
        else:
            self.whole(test, "skipped", why)

    def addExpectedFailure(self, test, err):
        self.end("skipped", failure_of(err[1], self.places))

    def addUnexpectedSuccess(self, test):
        self.end("failed", {"kind": "", "message": "it passed, and was expected to fail", "frames": []})

    def addFailure(self, test, err):
        self.addError(test, err)

    def addError(self, test, err):
        failure = failure_of(err[1], self.places)
        if isinstance(test, unittest.TestCase):
            self.end("failed", failure)
        else:
            self.whole(test, "failed", failure)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.end("failed", failure_of(err[1], self.places))

    def whole(self, holder, status, why):
        """What befell a class or module as a whole: `setUpClass (package.module.Class)`."""
        said = holder.id().partition("(")[2].rstrip(")")
        known = [name for name in self.modules if said == name or said.startswith(name + ".")]
        module = max(known, key=len, default=said)
        classes = [part for part in said[len(module) :].split(".") if part]
        self.records.end(("$".join([self.modules.get(module, module), *classes]), ""), status, 0, why)


def import_name(path):
    """The name a test file is imported by, and the folder that goes on the search path: the first around it that is no
    package."""
    parts = path[:-3].split("/")
    at = len(parts) - 1
    while at > 0 and os.path.isfile(os.path.join(*parts[:at], "__init__.py")):
        at -= 1
    return ".".join(parts[at:]), os.path.join(os.getcwd(), *parts[:at])


def load(path):
    name, folder = import_name(path)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    known = getattr(sys.modules.get(name), "__file__", None)
    if known and os.path.realpath(known) != os.path.realpath(path):
        # Files of one name in folders that are no packages.
        del sys.modules[name]
        sys.path.remove(folder)
        sys.path.insert(0, folder)
    try:
        return importlib.import_module(name)
    except ImportError as error:
        # Tests in a folder that is a package only by its place in the project.
        if "relative import" not in str(error):
            raise
        return importlib.import_module(path[:-3].replace("/", "."))


def each(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from each(test)
        else:
            yield test


def under_unittest(request, records, places, clock, executed, guard):
    """Whether all modules were loaded or complained of, and their tests ran."""
    guard.begin()
    sys.argv = ["python -m unittest"]
    loader, modules, suites = unittest.TestLoader(), {}, []
    result = Cases(request, records, places, clock, executed, guard, modules)
    for path in request.arguments():
        own = places.module(path)
        clock.now((own, ""))
        try:
            module = load(path)
            modules[module.__name__] = own
            tests = list(each(loader.loadTestsFromModule(module)))
            result.bring(tests, own)
        except unittest.SkipTest as skipped:
            records.end((own, ""), "skipped", clock.millis(), failure_of(skipped, places))
        except BaseException as error:  # the project's modules are its own code
            records.end((own, ""), "failed", clock.millis(), failure_of(error, places))
        else:
            suites.append(unittest.TestSuite([test for test in tests if request.wants(*result.name(test))]))
    if request.discover:
        for test in each(suites):
            records.test(result.name(test))
        return True
    load_submodules(request.imported, places.root)
    guard.collected(None)
    unittest.TestSuite(suites).run(result)
    unharmed(guard, records, at_last=True)
    return True


run(under_unittest)
