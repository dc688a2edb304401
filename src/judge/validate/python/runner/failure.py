# What is told of places and failures.


class Places:
    """Names of files: relative to the project, and as modules."""

    def __init__(self, root):
        self.root = root
        self.known = {}

    def relative(self, path):
        if path not in self.known:
            inside = os.path.relpath(os.path.realpath(os.path.join(self.root, path)), self.root)
            self.known[path] = None if inside.startswith("..") or inside.startswith("<") else inside
        return self.known[path]

    def module(self, path):
        inside = self.relative(str(path)) or os.path.basename(str(path))
        parts = inside[:-3].split("/") if inside.endswith(".py") else inside.split("/")
        if len(parts) > 1 and parts[-1] == "__init__":
            parts.pop()
        return ".".join(parts)

    def node(self, node):
        """The module of a collected node, with the classes around it."""
        classes = [each.name for each in node.listchain() if isinstance(each, pytest.Class)]
        return "$".join([self.module(node.path), *classes])


def plain(text):
    """Text that any reader takes: half characters are told by number."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def is_of_program(error):
    """Whether it is a program that is not there, and not a file."""
    if not isinstance(error, FileNotFoundError):
        return False
    steps = [frame.f_code.co_name for frame, _ in traceback.walk_tb(error.__traceback__)]
    return steps[-1:] == ["_execute_child"]


def message_of(error):
    try:
        # This one of pytest shows its arguments.
        text = missing_fixture(error) or str(error)
        if is_of_program(error):
            text += " (the program to start)"
    except BaseException as broken:  # the project's errors are its own code
        text = f"(its message cannot be had: {type(broken).__name__})"
    return plain(text if len(text) <= MESSAGE else text[:MESSAGE] + "...")


def difference_of(left, right):
    """Where two texts in bytes part, with some of what stands around: pytest tells a single byte."""
    most = min(len(left), len(right))
    if most > COMPARED:
        return []
    first = next((at for at in range(most) if left[at] != right[at]), most)
    last = next((at for at in range(most - first) if left[-1 - at] != right[-1 - at]), most - first)
    own, other = (text[max(first - AROUND, 0) : len(text) - last + AROUND] for text in (left, right))
    return [f"they part in {own!r} and {other!r}"] if max(len(own), len(other)) <= 4 * AROUND else []


def missing_fixture(error):
    if kind_of(error) != "FixtureLookupError":
        return None
    return error.msg or f"fixture '{error.argname}' not found"


def kind_of(error):
    kind = type(error)
    own = kind.__module__ in ("builtins", "__main__") or kind.__module__.startswith("_pytest")
    return plain(kind.__name__ if own else f"{kind.__module__}.{kind.__qualname__}")


def frames_of(steps, places):
    """Frames of the project, innermost first."""
    found = []
    for frame, line in steps:
        inside = places.relative(frame.f_code.co_filename)
        if inside and inside.endswith(".py"):
            found.append([places.module(inside), frame.f_code.co_name, os.path.basename(inside), line or 0])
    found.reverse()
    return found if len(found) <= FRAMES else found[: FRAMES - 10] + found[-10:]


def unread_of(error, places):
    """The place that Python could not read, as a frame: nothing of the file ran."""
    inside = isinstance(error, SyntaxError) and error.filename and places.relative(error.filename)
    if not inside or not inside.endswith(".py"):
        return []
    return [[places.module(inside), "", os.path.basename(inside), error.lineno or 0]]


def example_of(error, places):
    """Which example of a text or docstring failed: its place and its source, as it stands there."""
    test, example = error.test, error.example
    source = "".join(f"{'...' if nth else '>>>'} {line}\n" for nth, line in enumerate(example.source.splitlines()))
    where = places.relative(test.filename) if test.filename else None
    line = (test.lineno or 0) + (example.lineno or 0) + 1
    return plain(f"{where or test.name}:{line}:\n{source}")


def told_of_example(error, places, depth, seen):
    """An example that fails says what it did, not what pytest made of it."""
    if isinstance(error, doctest.UnexpectedException):
        raised = error.exc_info[1]
        told = failure_of(raised, places, depth, (*seen, id(error)))
        return {**told, "message": f"{told['message']}\n{example_of(error, places)}"}
    shown = f"{example_of(error, places)}Expected:\n{error.example.want}Got:\n{error.got}"
    return {"kind": kind_of(error), "message": plain(shown[:MESSAGE]), "frames": []}


def failure_of(error, places, depth=0, seen=()):
    several = getattr(error, "failures", None)
    if type(error).__name__ == "MultipleDoctestFailures" and several:
        error = several[0]
    if isinstance(error, (doctest.UnexpectedException, doctest.DocTestFailure)) and id(error) not in seen:
        return told_of_example(error, places, depth, seen)
    told = {"kind": kind_of(error), "message": message_of(error)}
    told["frames"] = unread_of(error, places) + frames_of(traceback.walk_tb(error.__traceback__), places)
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None and depth < CAUSES and id(cause) not in seen:
        told["cause"] = failure_of(cause, places, depth + 1, (*seen, id(error)))
    return told
