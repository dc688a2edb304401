# What tests execute.

import dis
import tempfile

# Numbers of tools that have no use of their own, the first choice first.
TOOLS = (4, 3, 1)
# Where the interpreter names the variables of a program that starts.
VARIABLES = {"subprocess.Popen": 3, "os.exec": 2, "os.posix_spawn": 2}
# What words a failed assertion, and asks the values of the project for their texts.
WORDING = {
    "_pytest.assertion.rewrite": ("_saferepr", "_call_reprcompare", "_format_assertmsg", "_should_repr_global_name"),
    "unittest.case": ("safe_repr", "_common_shorten_repr"),
}


class Tracing:
    """Hears of what the project executes: while it is loaded, and in each phase of a test. Between phases the test
    framework runs, which a trace function slows several times."""

    # Whether a trace function hears of it.
    traces = True
    # Whether what runs now is left out.
    quiet = False

    def leave_out_wording(self):
        """What words a failure runs in failing tests alone, and would look like their cause."""
        for module, names in WORDING.items():
            space = vars(sys.modules[module]) if module in sys.modules else {}
            for name in names:
                if name in space:
                    space[name] = self.unheard(space[name])

    def unheard(self, function):
        def called(*args, **named):
            self.quiet, before = True, self.quiet
            try:
                return function(*args, **named)
            finally:
                self.quiet = before

        return called

    def begin(self):
        self.resume()
        if self.traces:
            threading.settrace(self.entered)

    def resume(self):
        if self.traces:
            sys.settrace(self.entered)

    def pause(self):
        if self.traces:
            sys.settrace(None)

    def tell_loading(self, records, name):
        """A module could not be loaded."""

    def is_over(self):
        """Whether further tests would tell nothing."""
        return False


class ByCode:
    """What is known of code objects. One as a key of a dictionary would be read whole at each look."""

    def __init__(self, ask):
        self.ask, self.known = ask, {}

    def of(self, code):
        found = self.known.get(id(code))
        if found is None:
            # The code is kept, so that no other one gets its number.
            found = self.known[id(code)] = (code, self.ask(code))
        return found[1]


class Started:
    """What programs that tests start execute: each loads a module of ours first, by the variable that it gets from us."""

    def __init__(self, sources):
        self.folder = tempfile.mkdtemp()
        with open(os.path.join(self.folder, "sitecustomize.py"), "w", encoding="utf-8") as file:
            file.write(f"SOURCES, FOLDER = {sources!r}, {self.folder!r}\n{CHILD}")
        self.lead(os.environ)
        if hasattr(sys, "addaudithook"):
            sys.addaudithook(self.heard)

    def lead(self, variables):
        """Has the interpreter of a program that gets these variables load our module."""
        paths = [path for path in [variables.get("PYTHONPATH")] if path]
        if not paths or self.folder not in paths[0]:
            variables["PYTHONPATH"] = os.pathsep.join([self.folder, *paths])

    def heard(self, event, args):
        """A test may make the variables of its program by itself."""
        at = VARIABLES.get(event)
        if at is not None and isinstance(args[at], dict):
            with contextlib.suppress(TypeError):
                self.lead(args[at])

    def take(self):
        """The files that were told of, with their lines; each is told once."""
        for name in os.listdir(self.folder):
            path = os.path.join(self.folder, name)
            if not name.endswith(".lines"):
                continue
            with open(path, encoding="utf-8") as told:
                for line in told:
                    file, *numbers = re.split(r" (?=[\d ]+$)", line.rstrip("\n"), maxsplit=1)
                    yield file, {int(number) for number in " ".join(numbers).split()}
            os.remove(path)


class Executed(Tracing):
    """Lines of product code that each test executes; lines of a module's own statements count for every test that
    executes something in its file.

    From Python 3.12 on the interpreter tells of a line once a test. Before, a trace function hears of each line each time,
    until the test has run all lines of a function."""

    def __init__(self, request, places):
        self.on, self.places = request.lines, places
        self.wanted = {os.path.realpath(os.path.join(places.root, path)) for path in request.measured}
        self.sources = [os.path.realpath(os.path.join(places.root, source)) + "/" for source in request.sources]
        tests = set(request.files.values()) - request.products
        self.tests = {os.path.realpath(os.path.join(places.root, path)) for path in tests}
        self.files, self.loading, self.left = {}, {}, ByCode(self.lines_of)
        self.current = self.loading
        self.monitor = getattr(sys, "monitoring", None) if self.on else None
        self.tool, self.started = None, None
        self.traces = self.on

    def begin(self):
        if self.on:
            self.started = Started(self.sources)
        if self.monitor:
            self.tool = next((each for each in TOOLS if self.monitor.get_tool(each) is None), None)
            if self.tool is not None:
                self.traces = False
                self.listen()
        super().begin()

    def listen(self):
        events = self.monitor.events
        self.monitor.use_tool_id(self.tool, "unidebug")
        self.monitor.register_callback(self.tool, events.PY_START, self.starts)
        self.monitor.register_callback(self.tool, events.LINE, self.reached)
        self.monitor.set_events(self.tool, events.PY_START)

    def test(self):
        self.current, self.left = {}, ByCode(self.lines_of)
        # What still ran when the test before was over is nobody's.
        self.taken()
        if self.tool is not None:
            self.monitor.restart_events()

    def tell_loading(self, records, name):
        """What ran until a module could not be loaded, for there are no tests that could tell of it."""
        if self.on:
            records.lines(name, [" ".join([file, *map(str, sorted(lines))]) for file, lines in self.loading.items()])

    def tell(self, records, name):
        if not self.on or not name[1]:
            return
        for path, lines in self.taken():
            file = self.known(path)
            if file is not None:
                self.current.setdefault(file, set()).update(lines)
        told = []
        for file, lines in list(self.current.items()):
            told.append(" ".join([file, *map(str, sorted(lines | self.loading.get(file, set())))]))
        records.lines(name, told)
        self.current = {}

    def taken(self):
        """What programs told that tests started; a test may have taken their folder away, or written in it."""
        try:
            return list(self.started.take()) if self.started else []
        except (OSError, ValueError):
            return []

    def file(self, path):
        real = os.path.realpath(os.path.join(self.places.root, path))
        # `<frozen os>` lies nowhere.
        product = path[:1] != "<" and real not in self.tests and any((real + "/").startswith(source) for source in self.sources)
        is_told = product and (not self.wanted or real in self.wanted)
        return self.places.relative(path) if is_told else None

    def known(self, path):
        if path not in self.files:
            try:
                self.files[path] = self.file(path)
            except Exception:  # a test may have replaced what this asks
                return None
        return self.files[path]

    def starts(self, code, _):
        if self.known(code.co_filename) is not None:
            self.monitor.set_local_events(self.tool, code, self.monitor.events.LINE)
        return self.monitor.DISABLE

    def reached(self, code, number):
        if self.quiet:
            return None
        self.current.setdefault(self.known(code.co_filename), set()).add(number)
        return self.monitor.DISABLE

    @staticmethod
    def lines_of(code):
        numbers = {number for _, number in dis.findlinestarts(code) if number}
        # No event tells of the line of a definition, unless all of it stands there.
        return numbers - {code.co_firstlineno} or numbers

    def entered(self, frame, event, _):
        code = frame.f_code
        file = self.known(code.co_filename)
        if file is None or self.quiet:
            return None
        left = self.left.of(code)
        if not left:
            return None

        def line(frame, event, _):
            if event == "line" and frame.f_lineno:
                self.current.setdefault(file, set()).add(frame.f_lineno)
                left.discard(frame.f_lineno)
                if not left:
                    frame.f_trace = None
            return line

        return line
