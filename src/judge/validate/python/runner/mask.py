# What the project sees of the process it runs in.


# Fixtures of pytest by which tests look at what is printed, logged or warned of.
LOOKING = re.compile(r"\b(cap(sys|fd|tee|log)\w*|recwarn)\b")


def looks_at_output(path):
    """Whether a file of tests, or a `conftest.py` that holds for it, names such a fixture."""
    names = [path]
    folder, top = os.path.dirname(os.path.abspath(path)), os.getcwd()
    while True:
        names.append(os.path.join(folder, "conftest.py"))
        if folder == top or folder == os.path.dirname(folder):
            break
        folder = os.path.dirname(folder)
    for name in names:
        try:
            with open(name, encoding="utf-8", errors="replace") as file:
                text = file.read()
        except OSError:
            continue
        if LOOKING.search(text):
            return True
    return False


class Mask:
    """While code of the project runs, hides the modules of pytest and what else tells of it, where that is asked for.
    Imports of them still find them."""

    HIDDEN = ("pytest", "_pytest", "pluggy", "iniconfig", "xdist", "execnet")
    KEPT = ("__spec__", "__loader__", "__package__")

    def __init__(self, request):
        self.on, self.depth, self.hidden, self.touched = request.plain, 0, {}, {}
        self.captures = self.on and any(looks_at_output(path) for path in request.files.values())
        if self.on:
            import _pytest.runner

            _pytest.runner._update_current_test_var = lambda *_: None
            sys.argv = ["app"]
            sys.orig_argv[:] = ["python3", "-m", "app"]
            sys.dont_write_bytecode = False
            for name in ("PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED"):
                os.environ.pop(name, None)

    def is_telling(self, name):
        return name.split(".")[0] in self.HIDDEN or name.startswith("pytest_")

    def __enter__(self):
        self.depth += 1
        if self.on and self.depth == 1:
            self.hidden = {name: module for name, module in sys.modules.items() if self.is_telling(name)}
            for name in self.hidden:
                del sys.modules[name]
            self.main, sys.modules["__main__"] = sys.modules["__main__"], types.ModuleType("__main__")
            self.variables = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("PYTEST")}
            sys.meta_path.insert(0, self)
            self.streams = self.own_streams()
            self.room = sys.getrecursionlimit()
            sys.setrecursionlimit(self.room + self.frames())

    def __exit__(self, *_):
        self.depth -= 1
        if self.on and self.depth == 0:
            sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not self]
            if sys.getrecursionlimit() == self.room + self.more:
                sys.setrecursionlimit(self.room)
            self.put_back()
            sys.modules.update(self.hidden)
            sys.modules["__main__"] = self.main
            os.environ.update(self.variables)
            for module, kept in self.touched.values():
                vars(module).update(kept)
            self.touched = {}

    def own_streams(self):
        """What pytest put in the place of the interpreter's streams and handlers, unless the tests ask for it."""
        kept = {}
        if not self.captures:
            for name in ("stdin", "stdout", "stderr"):
                kept[name] = getattr(sys, name)
                setattr(sys, name, getattr(sys, f"__{name}__"))
            root = sys.modules["logging"].getLogger() if "logging" in sys.modules else None
            self.root, self.handlers = root, list(root.handlers) if root else []
            if root:
                root.handlers[:] = [each for each in self.handlers if not type(each).__module__.startswith("_pytest")]
        return kept

    def put_back(self):
        for name, stream in self.streams.items():
            # A test's own stream stays.
            if getattr(sys, name) is getattr(sys, f"__{name}__"):
                setattr(sys, name, stream)
        if self.streams and self.root:
            gone = [each for each in self.handlers if type(each).__module__.startswith("_pytest")]
            self.root.handlers += [each for each in gone if each not in self.root.handlers]

    def frames(self):
        """How many frames stand above the project's."""
        self.more, frame = 0, sys._getframe()
        while frame:
            self.more, frame = self.more + 1, frame.f_back
        return self.more

    def find_spec(self, name, _path=None, _target=None):
        module = self.hidden.get(name)
        if module is None:
            return None
        kept = {key: value for key, value in vars(module).items() if key in self.KEPT}
        self.touched.setdefault(name, (module, kept))
        return importlib.machinery.ModuleSpec(name, self, is_package=hasattr(module, "__path__"))

    def create_module(self, spec):
        return self.hidden[spec.name]

    def exec_module(self, module):
        pass
