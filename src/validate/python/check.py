"""Reads changed files as the interpreter would, without running them, and says what is wrong with them.

Arguments: for each file its name, where its new text lies, and where its old text lies or `-`. One JSON object goes to
descriptor 3: errors and warnings with file and line, and whether the new texts are the old programs.
"""

import ast
import json
import os
import sys
import warnings


def read(path):
    with open(path, "rb") as file:
        return file.read()


def tree(source, name):
    return ast.dump(ast.parse(source, name))


def main(words):
    told = {"errors": [], "warnings": [], "same": True}
    for name, new, old in zip(words[0::3], words[1::3], words[2::3]):
        source = read(new)
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            try:
                compile(source, name, "exec", dont_inherit=True)
                told["same"] &= old != "-" and tree(source, name) == tree(read(old), name)
            except SyntaxError as error:
                line, what = error.lineno or 0, f"{type(error).__name__}: {error.msg}"
                told["errors"].append({"file": name, "line": line, "message": what})
            except (ValueError, RecursionError, MemoryError) as error:
                told["errors"].append({"file": name, "line": 0, "message": f"{type(error).__name__}: {error}"})
        for each in heard:
            told["warnings"].append({"file": name, "line": each.lineno, "message": f"{each.category.__name__}: {each.message}"})
    os.write(3, json.dumps(told).encode("utf-8", "backslashreplace"))


main(sys.argv[1:])
