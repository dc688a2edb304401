# What a test does in the functions that are watched: calls, lines with the values that changed, results, exceptions.

FIRST = 200
KEPT = 2_800
STEPS = 20_000
WHOLE = 500


class Told:
    """What a frame told last: texts by name, the objects behind them by number, and the line that runs."""

    def __init__(self):
        self.texts, self.numbers, self.line = {}, {}, None


class Observed(Tracing):
    """Takes the place of `Executed` where values are wanted: one JSON array an event, the first and the newest of each
    test; now and then all values are told anew, because of what is left out between them. It ends after a number of steps, so that the same test always tells the same, even one that never ends."""

    def __init__(self, request, places):
        self.places, self.values = places, Values()
        self.paths = [self.steps_of(text) for text in request.expressions]
        self.watched = {}
        for file, first, last in request.watches:
            real = os.path.realpath(os.path.join(places.root, file))
            self.watched.setdefault(real, (file, []))[1].append((first, last))
        self.codes, self.known = ByCode(self.file_of), {}
        self.names = ByCode(self.names_by_line)
        self.forget()

    def begin(self):
        """What is loaded is not watched."""
        threading.settrace(self.entered)

    def forget(self):
        self.first, self.newest = [], collections.deque(maxlen=KEPT)
        self.steps, self.thread, self.depth = 0, None, 0
        # What each frame told last. The code is the key beside: frames are used again.
        self.told = {}

    def test(self):
        self.forget()

    def tell(self, records, name):
        if name[1]:
            records.lines(name, [*self.first, *self.newest])
        self.forget()

    @staticmethod
    def steps_of(text):
        return [part for part in re.split(r"\.|\[|\]", text) if part]

    def entered(self, frame, event, _):
        code = frame.f_code
        if self.quiet or self.codes.of(code) is None or self.steps >= STEPS:
            return None
        if self.thread not in (None, threading.get_ident()):
            return None
        self.thread = threading.get_ident()
        self.called(frame)
        return self.inside

    def file_of(self, code):
        if code.co_filename not in self.known:
            self.known[code.co_filename] = self.watched.get(os.path.realpath(os.path.join(self.places.root, code.co_filename)))
        found = self.known[code.co_filename]
        if found is None or code.co_name == "<module>":
            return None
        numbers = [number for _, _, number in code.co_lines() if number] if hasattr(code, "co_lines") else []
        last = max([code.co_firstlineno, *numbers])
        file, spans = found
        return file if any(first <= last and code.co_firstlineno <= end for first, end in spans) else None

    def event(self, kind, frame, *rest):
        self.steps += 1
        kept = self.first if self.steps <= FIRST else self.newest
        kept.append(json.dumps([kind, self.depth, self.codes.of(frame.f_code), frame.f_lineno or 0, *rest]))
        if self.steps % WHOLE == 0:
            self.told = {open: Told() for open in self.told}

    def called(self, frame):
        # A generator that goes on was called before.
        self.depth += 1
        told = self.told[frame] = Told()
        code = frame.f_code
        count = code.co_argcount + code.co_kwonlyargcount
        count += bool(code.co_flags & 4) + bool(code.co_flags & 8)
        args = [[name, self.shown(name, frame.f_locals[name])] for name in code.co_varnames[:count] if name in frame.f_locals]
        self.event("c", frame, code.co_name, args)
        told.texts.update(args)
        told.line = frame.f_lineno

    def shown(self, name, value):
        return self.values.masked(name, self.values.text(value))

    def inside(self, frame, event, arg):
        if self.steps >= STEPS:
            return None
        if event == "line":
            self.event("l", frame, frame.f_code.co_name, self.changed(frame))
        elif event == "exception":
            kind, error, _ = arg
            if kind not in (StopIteration, GeneratorExit, StopAsyncIteration):
                args = BaseException.__getattribute__(error, "args") if isinstance(error, BaseException) else error
                message = args[0] if isinstance(args, tuple) and len(args) == 1 else args
                self.event("x", frame, frame.f_code.co_name, self.values.name(kind), self.values.text(message))
        elif event == "return":
            self.event("r", frame, frame.f_code.co_name, self.changed(frame, True), self.values.text(arg))
            self.told.pop(frame, None)
            self.depth = max(0, self.depth - 1)
        return self.inside

    def changed(self, frame, at_last=False):
        told, changed = self.told.setdefault(frame, Told()), []
        for name, text in self.held(frame, told, at_last):
            if told.texts.get(name) != text:
                told.texts[name] = text
                changed.append([name, text])
        told.line = frame.f_lineno
        return changed

    @staticmethod
    def names_by_line(code):
        names, line = {}, None
        for each in dis.get_instructions(code):
            line = each.positions.lineno if hasattr(each, "positions") else each.starts_line or line
            if isinstance(each.argval, (str, tuple)) and ("FAST" in each.opname or "DEREF" in each.opname):
                names.setdefault(line, set()).update([each.argval] if isinstance(each.argval, str) else each.argval)
        return names

    def held(self, frame, told, at_last):
        """The names whose values may be others than those told: what another object is bound to, and what the line that
        ended speaks of. What changed by another name is told when the function ends."""
        names, spoken = frame.f_locals, self.names.of(frame.f_code).get(told.line, ())
        due = [name for name, value in names.items() if at_last or name in spoken or told.numbers.get(name) != id(value)]
        for name in due:
            told.numbers[name] = id(names[name])
            if not isinstance(names[name], types.ModuleType) and not name.startswith("__"):
                yield name, self.shown(name, names[name])
        # Of the object itself what the function uses.
        for own in ("self", "cls"):
            if own in due and not isinstance(names[own], type):
                fields = self.values.fields(names[own])
                for name in frame.f_code.co_names:
                    if name in fields:
                        yield f"{own}.{name}", self.shown(name, fields[name])
        for path in self.paths:
            if len(path) > 1 and path[0] in names:
                found, value = self.follow(names[path[0]], path[1:])
                if found:
                    yield ".".join(path), self.shown(path[-1], value)

    def follow(self, value, steps):
        """A value by the names and numbers that lead to it; nothing of the project runs."""
        for step in steps:
            kind, key = type(value), step.strip("'\"")
            try:
                if kind in (list, tuple):
                    value = value[int(key)]
                elif kind is dict:
                    value = value[key] if key in value else value[int(key)]
                else:
                    value = self.values.fields(value)[key]
            except (KeyError, IndexError, ValueError, TypeError):
                return False, None
        return True, value
