# What functions do with the inputs that tests give them, and with inputs near those.

import gc
import struct

# Calls of a test that are made again: the first ones stay, of the others the newest. A failing test ends with the call
# that it is about.
CALLS, FIRST = 24, 12
# Of these, from each end, inputs near them are drawn.
ENDS = 3
# Calls of a test that are looked at: each is copied.
LOOKS = 40
DRAWN = 60
ALL_DRAWN = 400
ALL_OWN = 400
LINES = 20_000
# Seconds that drawn inputs may take, those of all tests together.
DRAWING = 6
TOLD_ITEMS = 40
# Inputs longer than this take more steps than are counted, however right the code is.
LARGE = 5_000
# Results that hold nothing until somebody asks for their items.
LAZY = (types.GeneratorType, filter, map, zip, enumerate, reversed)
LAZY += tuple(kind for kind in vars(itertools).values() if isinstance(kind, type) and hasattr(kind, "__next__"))


class Whole(Values):
    """Tells values at greater length, by which those are told apart that are cut alike."""

    VALUE, ITEMS, DEEP = 20_000, 60, 5


class NoEnd(BaseException):
    """A call takes too many steps."""


class Shared(dict):
    """What a copy of values shares with them, by identity: objects that modules of the project hold by a name and that hold
    nothing, or are of a kind that does not change, and what hangs on those of their own type. Code asks for such objects by
    `is`, and a copy would be none of them. What holds something is copied: a call may change it."""

    DEEP = 4
    UNCHANGED = (tuple, frozenset, str, bytes, int, float)
    # Bytes of an object with room for fields and weak references, and for nothing else.
    EMPTY = object.__basicsize__ + 2 * struct.calcsize("P")

    def __init__(self, places, fields):
        super().__init__()
        self.fields = fields
        for module in list(sys.modules.values()):
            file = getattr(module, "__file__", None)
            if file and os.path.realpath(file).startswith(places.root + os.sep):
                for value in list(vars(module).values()):
                    self.hold(value, self.DEEP)

    def hold(self, value, deep):
        kind = type(value)
        # What is built in is copied as it is.
        is_plain = kind.__module__ == "builtins" and kind is not object
        if not deep or id(value) in self or is_plain:
            return
        if not issubclass(kind, self.UNCHANGED) and (kind.__basicsize__ > self.EMPTY or self.fields(value)):
            return
        self[id(value)] = value
        for held in list((getattr(value, "__dict__", None) or {}).values()):
            if type(held) is kind:
                self.hold(held, deep - 1)


class Memo(dict):
    """The memory of one copy: what it copied, and what is shared."""

    def __init__(self, shared):
        super().__init__()
        self.shared = shared

    def get(self, key, default=None):
        return self[key] if key in self else self.shared.get(key, default)


class Drawn(Tracing):
    """Takes the place of `Executed` where inputs are drawn. While a test runs, the arguments of outermost calls of the
    named functions are copied; once it is over the functions are called with them, and with arguments near them. One JSON
    array a call: file, function, whether the input is a test's own, input, result."""

    def __init__(self, request, places):
        self.places, self.values, self.whole, self.near = places, Values(), Whole(), Near(request.constants)
        self.absent, self.around = request.absent, request.around
        self.wanted, self.files = {}, {}
        for file, name in request.draws:
            real = os.path.realpath(os.path.join(places.root, file))
            self.wanted.setdefault(real, {})[name] = file
        self.codes, self.functions, self.known = ByCode(self.name_of), {}, {}
        self.shared = None
        self.left, self.own_left, self.drawing = ALL_DRAWN, ALL_OWN, DRAWING
        # A test may hold the clock.
        self.now = time.monotonic
        self.forget()

    def forget(self):
        self.calls, self.looks, self.thread = [], 0, None
        self.inside, self.noted, self.raised = None, None, None

    def begin(self):
        # Calls of other threads come in no order.
        self.resume()

    def test(self):
        self.forget()
        self.traces = not self.is_over()

    def is_over(self):
        return self.left <= 0 or self.drawing <= 0

    def tell(self, records, name):
        calls = self.calls
        self.forget()
        if not name[1] or not calls:
            return
        told = []
        for at, (code, function, values, result) in enumerate(calls):
            if not any(type(value) in (str, bytes, list, tuple) and len(value) > LARGE for value in values):
                is_end = at < ENDS or at >= len(calls) - ENDS
                self.draw(code, function, values, result, told, is_end or bool(self.around))
        records.lines(name, told)

    def name_of(self, code):
        """File and name of a named function's code; `None` of any other."""
        if code.co_filename not in self.files:
            self.files[code.co_filename] = os.path.realpath(os.path.join(self.places.root, code.co_filename))
        names = self.wanted.get(self.files[code.co_filename], {})
        name = getattr(code, "co_qualname", code.co_name)
        short = {each.split(".")[-1]: each for each in names}
        name = name if name in names else short.get(code.co_name) if name == code.co_name else None
        return (names[name], name) if name in names else None

    def entered(self, frame, event, _):
        code = frame.f_code
        if self.codes.of(code) is None or self.inside is not None or self.looks >= LOOKS:
            return None
        self.thread = self.thread or threading.get_ident()
        if self.thread != threading.get_ident():
            return None
        self.inside, self.raised = frame, None
        self.noted = self.note(code, frame)
        return self.over

    def over(self, frame, event, value):
        if event == "exception":
            self.raised = value[0]
        elif event == "line":
            self.raised = None
        elif event == "return" and frame is self.inside:
            # A generator that waits is not over, and nobody can know whether it goes on.
            self.inside = None
            is_lazy = frame.f_code.co_flags & 0x20 or isinstance(value, LAZY)
            if self.noted is not None and not is_lazy:
                sys.settrace(None)
                self.noted[3] = f"returns {self.text(value)}" if self.raised is None else f"raises {self.values.name(self.raised)}"
                sys.settrace(self.entered)
        return self.over

    def note(self, code, frame):
        self.looks += 1
        function = self.function(code)
        simple = not code.co_flags & (0x80 | 0x100 | 0x200)  # no coroutine, no asynchronous generator
        count = code.co_argcount + code.co_kwonlyargcount
        count += bool(code.co_flags & 4) + bool(code.co_flags & 8)
        sys.settrace(None)
        try:
            values = self.copied([frame.f_locals[name] for name in code.co_varnames[:count]])
            is_wanted = not self.around or f"{self.codes.of(code)[1]}({self.given(code, values)}" in self.around
            if function is not None and simple and is_wanted:
                if len(self.calls) == CALLS:
                    del self.calls[FIRST]
                self.calls.append([code, function, values, None])
                return self.calls[-1]
        except Exception:  # what cannot be copied cannot be given to several versions
            pass
        finally:
            sys.settrace(self.entered)
        return None

    def copied(self, values):
        """Copies, all the way down but for what code knows by its identity."""
        if self.shared is None:
            self.shared = Shared(self.places, self.values.fields)
        return copy.deepcopy(values, Memo(self.shared))

    def function(self, code):
        """A function of this code. Looking through all objects takes long: one that needs nothing around it is kept."""
        if code not in self.functions:
            found = next((each for each in gc.get_referrers(code) if type(each) is types.FunctionType), None)
            if found is None or found.__closure__:
                return found
            self.functions[code] = found
        return self.functions[code]

    def draw(self, code, function, values, result, told, is_near):
        """Calls the function with the values, and where that is wanted with values near them. Of objects the fields are
        changed. Where the call with copies does not end as the test's own did, it hangs on more than its values, and says
        nothing."""
        begin = self.now()
        try:
            # A call may change what it is given: an object that it sets up, a list that it sorts.
            own = self.copied(values)
        except Exception:
            own = values
        if not self.call(code, function, own, "test", told, result) or not is_near:
            self.drawing -= self.now() - begin
            return
        count = len(values)
        of_object = []
        for at, value in enumerate(values):
            if not isinstance(value, (type, types.ModuleType)) and id(value) not in self.shared:
                of_object += [(at, name, held) for name, held in self.values.fields(value).items()]
        held = [*values, *(held for _, _, held in of_object)]
        absent = [at for at, name in enumerate(code.co_varnames[:count]) if name in self.absent]
        for change in itertools.islice(self.near.inputs(held, absent), DRAWN):
            if self.left <= 0 or self.now() - begin > self.drawing:
                break
            try:
                changed = self.copied(values)
            except Exception:
                break
            origin = "arguments"
            for at, value in self.copied(change):
                if at < count:
                    changed[at] = value
                    origin = "absent" if value is None and at in absent else origin
                else:
                    origin = "fields"
                    owner, name, _ = of_object[at - count]
                    self.set(changed[owner], name, value)
            self.call(code, function, changed, origin, told)
        self.drawing -= self.now() - begin

    @staticmethod
    def set(owner, name, value):
        """Sets a field of an object, in its dictionary or in its slot; what cannot be set stays."""
        fields = getattr(owner, "__dict__", None)
        if type(fields) is dict and name in fields:
            fields[name] = value
        else:
            with contextlib.suppress(AttributeError, TypeError):
                object.__setattr__(owner, name, value)

    def call(self, code, function, values, origin, told, wanted=None):
        """Calls the function, and whether that came to what is wanted."""
        file, name = self.codes.of(code)
        names, given = code.co_varnames[: len(values)], self.given(code, values)
        key = (file, name, given)
        if key in self.known:
            # What one test gives may have been drawn for another.
            if origin == "test":
                told.append(json.dumps([file, name, origin, given, self.known[key]]))
            return True
        is_own = origin == "test"
        if (self.own_left if is_own else self.left) <= 0:
            return True
        self.own_left -= is_own
        self.left -= not is_own
        before = [self.text(value) for value in values]
        result = self.result(code, function, values)
        if wanted is not None and result != wanted:
            return False
        after = [self.text(value) for value in values]
        left = [f"{key}={text}" for key, old, text in zip(names, before, after) if old != text]
        self.known[key] = " and leaves ".join([result, *left])
        told.append(json.dumps([file, name, origin, given, self.known[key]]))
        return True

    def given(self, code, values):
        return ", ".join(f"{key}={self.shown(key, value)}" for key, value in zip(code.co_varnames, values))

    def text(self, value):
        """A value in short; what is cut has a number of the whole behind it."""
        text = self.values.text(value)
        if "\u2026" not in text:
            return text
        whole = hashlib.sha256(self.whole.text(value).encode(errors="replace")).hexdigest()
        return f"{text} #{whole[:4]}"

    def shown(self, name, value):
        return self.values.masked(name, self.text(value))

    def result(self, code, function, values):
        flags, plain = code.co_flags, code.co_argcount
        only = code.co_kwonlyargcount
        args = values[:plain]
        kwargs = dict(zip(code.co_varnames[plain : plain + only], values[plain : plain + only]))
        rest = values[plain + only :]
        if flags & 4:
            args = [*args, *rest.pop(0)]
        if flags & 8:
            kwargs.update(rest.pop(0))
        steps = 0

        def count(frame, event, _):
            nonlocal steps
            steps += 1
            if steps > LINES:
                raise NoEnd
            return count

        silent = open(os.devnull, "w")
        sys.settrace(count)
        try:
            with contextlib.redirect_stdout(silent), contextlib.redirect_stderr(silent):
                result = function(*args, **kwargs)
                if isinstance(result, LAZY):
                    result = list(itertools.islice(result, TOLD_ITEMS))
        except NoEnd:
            return "no end"
        except Exception as error:
            return f"raises {self.values.name(type(error))}"
        except BaseException as error:
            return f"ends by {self.values.name(type(error))}"
        finally:
            sys.settrace(None)
            silent.close()
        return f"returns {self.text(result)}"
