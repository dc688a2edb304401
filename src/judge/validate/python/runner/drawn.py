# What functions do with the inputs that tests give them, and with inputs near those.

import gc

CALLS = 6
DRAWN = 60
ALL_DRAWN = 400
LINES = 20_000
# Seconds that drawn inputs may take, those of all tests together.
DRAWING = 6
TOLD_ITEMS = 40
# Inputs longer than this take more steps than are counted, however right the code is.
LARGE = 5_000


class Whole(Values):
    """Tells values at greater length, by which those are told apart that are cut alike."""

    VALUE, ITEMS, DEEP = 20_000, 60, 5


class NoEnd(BaseException):
    """A call takes too many steps."""


class Drawn(Tracing):
    """Takes the place of `Executed` where inputs are drawn. While a test runs, the arguments of outermost calls of the
    named functions are copied; once it is over the functions are called with them, and with arguments near them. One JSON
    array a call: file, function, whether the input is a test's own, input, result."""

    def __init__(self, request, places):
        self.places, self.values, self.whole, self.near = places, Values(), Whole(), Near(request.constants)
        self.wanted, self.files = {}, {}
        for file, name in request.draws:
            real = os.path.realpath(os.path.join(places.root, file))
            self.wanted.setdefault(real, {})[name] = file
        self.codes, self.functions, self.known = ByCode(self.name_of), {}, {}
        self.left, self.drawing = ALL_DRAWN, DRAWING
        # A test may hold the clock.
        self.now = time.monotonic
        self.forget()

    def forget(self):
        self.calls, self.inside, self.thread = [], None, None

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
        for code, function, values in calls:
            if not any(type(value) in (str, bytes, list, tuple) and len(value) > LARGE for value in values):
                self.draw(code, function, values, told)
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
        if self.codes.of(code) is None or self.inside is not None or len(self.calls) >= CALLS:
            return None
        self.thread = self.thread or threading.get_ident()
        if self.thread != threading.get_ident():
            return None
        self.inside = frame
        self.note(code, frame)
        return self.over

    def over(self, frame, event, _):
        if event == "return" and frame is self.inside:
            # A generator that waits is not over, and nobody can know whether it goes on.
            self.inside = None
        return self.over

    def note(self, code, frame):
        function = self.function(code)
        simple = not code.co_flags & (0x80 | 0x100 | 0x200)  # no coroutine, no asynchronous generator
        count = code.co_argcount + code.co_kwonlyargcount
        count += bool(code.co_flags & 4) + bool(code.co_flags & 8)
        sys.settrace(None)
        try:
            values = copy.deepcopy([frame.f_locals[name] for name in code.co_varnames[:count]])
            if function is not None and simple:
                self.calls.append((code, function, values))
        except Exception:  # what cannot be copied cannot be given to several versions
            pass
        finally:
            sys.settrace(self.entered)

    def function(self, code):
        """A function of this code. Looking through all objects takes long: one that needs nothing around it is kept."""
        if code not in self.functions:
            found = next((each for each in gc.get_referrers(code) if type(each) is types.FunctionType), None)
            if found is None or found.__closure__:
                return found
            self.functions[code] = found
        return self.functions[code]

    def draw(self, code, function, values, told):
        """Calls the function with the values, and with values near them. Of objects the fields are changed."""
        begin = self.now()
        try:
            # A call may change what it is given: an object that it sets up, a list that it sorts.
            own = copy.deepcopy(values)
        except Exception:
            own = values
        self.call(code, function, own, "test", told)
        count = len(values)
        of_object = []
        for at, value in enumerate(values):
            if not isinstance(value, (type, types.ModuleType)):
                of_object += [(at, name, held) for name, held in self.values.fields(value).items()]
        held = [*values, *(held for _, _, held in of_object)]
        for change in itertools.islice(self.near.inputs(held), DRAWN):
            if self.left <= 0 or self.now() - begin > self.drawing:
                break
            try:
                changed = copy.deepcopy(values)
            except Exception:
                break
            origin = "arguments"
            for at, value in copy.deepcopy(change):
                if at < count:
                    changed[at] = value
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

    def call(self, code, function, values, origin, told):
        file, name = self.codes.of(code)
        names = code.co_varnames[: len(values)]
        given = ", ".join(f"{key}={self.shown(key, value)}" for key, value in zip(names, values))
        key = (file, name, given)
        if key in self.known:
            # What one test gives may have been drawn for another.
            if origin == "test":
                told.append(json.dumps([file, name, origin, given, self.known[key]]))
            return
        if self.left <= 0:
            return
        self.left -= 1
        before = [self.text(value) for value in values]
        result = self.result(code, function, values)
        after = [self.text(value) for value in values]
        left = [f"{key}={text}" for key, old, text in zip(names, before, after) if old != text]
        self.known[key] = " and leaves ".join([result, *left])
        told.append(json.dumps([file, name, origin, given, self.known[key]]))

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
                if isinstance(result, types.GeneratorType):
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
