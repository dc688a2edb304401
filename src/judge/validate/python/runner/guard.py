# Whether what decides about results is whole.


class Guard:
    """Sees whether what decides about results is still what it was before the project was loaded."""

    PACKAGES = ("pytest", "_pytest", "pluggy", "unittest")
    # What a plugin puts in the place of something while the tests of a class run, and takes away again: whose it is, what
    # makes it, and its name.
    STAND_INS = {("_pytest.unittest.TestCaseFunction", "runtest"): ("pytest_django.plugin", "_django_setup_unittest", "non_debugging_runtest")}

    def __init__(self, measuring):
        self.spaces, self.modules, self.manager, self.tracing = [], {}, None, None
        self.functions, self.codes = [], []
        self.loaded, self.stand_ins = [], {}
        self.measuring = measuring
        # A test may hold the clock.
        self.now, self.next = time.monotonic, 0.0

    def begin(self):
        mine = [module for name, module in sys.modules.items() if name.split(".")[0] in self.PACKAGES]
        for module in [*mine, builtins, sys.modules[__name__]]:
            self.note(module.__name__, vars(module))
        self.modules = {module.__name__: module for module in [*mine, builtins]}
        self.loaded = [vars(module) for module in list(sys.modules.values()) if hasattr(module, "__dict__")]
        for place, (module, maker, name) in self.STAND_INS.items():
            code = self.inner(getattr(sys.modules.get(module), maker, None), name)
            if code:
                self.stand_ins[place] = (vars(sys.modules[module]), code)

    @staticmethod
    def inner(maker, name):
        """The code of a function that another makes, which may be a fixture."""
        while maker is not None and not isinstance(maker, types.FunctionType):
            maker = getattr(maker, "_fixture_function", None)
        # Older versions of pytest have a function around a fixture.
        maker = getattr(getattr(maker, "__pytest_wrapped__", None), "obj", maker)
        constants = maker.__code__.co_consts if maker else ()
        return next((each for each in constants if isinstance(each, types.CodeType) and each.co_name == name), None)

    def stands_in(self, name, key, now, kind=type, function=types.FunctionType):
        space, code = self.stand_ins.get((name, key), (None, None))
        return kind(now) is function and now.__code__ is code and now.__globals__ is space

    def note(self, name, space):
        kept = {}
        for key, value in list(space.items()):
            if callable(value) or isinstance(value, (property, classmethod, staticmethod)):
                kept[key] = value
            if isinstance(value, types.FunctionType):
                self.functions.append(value)
                self.codes.append(value.__code__)
            if isinstance(value, type) and value.__module__ == name and value.__module__ != "builtins":
                self.note(f"{name}.{key}", vars(value))
        self.spaces.append((name, space, kept))

    def configured(self):
        """Plugins are set up: what they changed in doing so stays, as pytest-mock does with the assertions of mocks.

        A plugin was loaded before the project was. What the project brings is none of theirs."""
        for _, space, kept in self.spaces:
            for key, value in kept.items():
                now = space.get(key)
                if now is not value and isinstance(now, types.FunctionType) and self.is_of_plugin(now):
                    kept[key] = now

    def is_of_plugin(self, function):
        return any(function.__globals__ is space for space in self.loaded)

    def collected(self, manager):
        """From here on no plugin comes or goes, and nobody looks on."""
        self.manager, self.plugins = manager, self.registered(manager)
        self.tracing = (sys.gettrace(), sys.getprofile())

    @staticmethod
    def registered(manager):
        return [id(plugin) for plugin in manager.get_plugins()] if manager else []

    def looked(self, at_last):
        """What is broken. A look takes a millisecond or two, more than many a test: so it is taken at the end, and as
        often before that looks take a tenth of the time."""
        begun = self.now()
        if begun < self.next and not at_last:
            return None
        broken = self.broken()
        now = self.now()
        self.next = now + 9 * (now - begun)
        return broken

    def broken(self, all=all, map=map, same=operator.is_, code=operator.attrgetter("__code__")):
        # Thousands of names after each test: the loops run inside of `all`. The project may have replaced what builtins
        # and modules hold, so this uses what they held before.
        for name, space, kept in self.spaces:
            if not all(map(same, map(space.get, kept), kept.values())):
                for key, value in kept.items():
                    if space.get(key) is not value and not self.stands_in(name, key, space.get(key)):
                        return f"{name}.{key}"
        if not all(map(same, map(code, self.functions), self.codes)):
            return "the code of a function that decides about results"
        for name, module in self.modules.items():
            if sys.modules.get(name) is not module:
                return name
        if self.manager and set(self.registered(self.manager)) != set(self.plugins):
            return "the plugins of pytest"
        # A recursion without end switches our own tracing off.
        if not self.measuring and self.tracing and self.tracing != (sys.gettrace(), sys.getprofile()):
            return "the trace function"
        return None
