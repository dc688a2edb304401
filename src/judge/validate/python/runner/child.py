"""Tells what a program that a test started executes: a file with the lines of each file of the project, when it ends.

An interpreter loads this module by its name, before the program. `SOURCES` are the folders of the project, `FOLDER` is
where this file lies."""

import atexit
import os
import sys
import threading

RAN = {}
FILES = {}


def lines_of(code):
    """The lines that ran of the file of some code; `None` where it is not the project's."""
    path = code.co_filename
    if path not in FILES:
        real = os.path.realpath(path)
        is_ours = path[:1] != "<" and any((real + "/").startswith(source) for source in SOURCES)
        FILES[path] = RAN.setdefault(real, set()) if is_ours else None
    return FILES[path]


def entered(frame, event, _):
    lines = lines_of(frame.f_code)
    if lines is None:
        return None

    def line(frame, event, _):
        if event == "line" and frame.f_lineno:
            lines.add(frame.f_lineno)
        return line

    return line


def listen(monitor):
    """From Python 3.12 on the interpreter tells of a line once."""
    events = monitor.events
    tool = next((each for each in (4, 3, 1) if monitor.get_tool(each) is None), None)
    if tool is None:
        return False

    def started(code, _):
        if lines_of(code) is not None:
            monitor.set_local_events(tool, code, events.LINE)
        return monitor.DISABLE

    def reached(code, number):
        lines_of(code).add(number)
        return monitor.DISABLE

    monitor.use_tool_id(tool, "unidebug")
    monitor.register_callback(tool, events.PY_START, started)
    monitor.register_callback(tool, events.LINE, reached)
    monitor.set_events(tool, events.PY_START)
    return True


def tell():
    told = [" ".join([file, *map(str, sorted(lines))]) for file, lines in list(RAN.items()) if lines]
    if not told:
        return
    name = os.path.join(FOLDER, str(os.getpid()))
    try:
        with open(name, "w", encoding="utf-8") as out:
            out.write("\n".join(told))
        os.rename(name, name + ".lines")
    except OSError:
        # The test is over, or wants nothing to be written: it must not see a complaint of ours.
        pass


def give_way():
    """Loads the module of this name that the program would have without us."""
    sys.path[:] = [each for each in sys.path if each != FOLDER]
    del sys.modules["sitecustomize"]
    try:
        import sitecustomize  # noqa: F401
    except ImportError:
        sys.modules.pop("sitecustomize", None)


give_way()
atexit.register(tell)
if not (hasattr(sys, "monitoring") and listen(sys.monitoring)):
    threading.settrace(entered)
    sys.settrace(entered)
