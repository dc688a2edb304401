"""Prints every attribute that Python's own types and the modules named as arguments have, one a line."""

import builtins
import importlib
import io
import sys
import types

found = set()


def take(thing):
    try:
        found.update(dir(thing))
    except Exception:
        pass


for space in (builtins, types, io):
    for value in list(vars(space).values()):
        if isinstance(value, type):
            take(value)
for value in (len, sys.stdout, iter([]), iter({}), (None for _ in ()), take):
    take(value)
for name in sys.argv[1:]:
    try:
        module = importlib.import_module(name)
    except BaseException:
        continue
    take(module)
    for value in list(vars(module).values()):
        if isinstance(value, type):
            take(value)
print("\n".join(sorted(found)))
