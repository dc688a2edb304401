"""Reads changed files as the interpreter would, without running them, and says what is wrong with them.

Arguments: for each file its name, where its new text lies, and where its old text lies: `-` when it is
new, `+` when the folder at the top of its path is new, too. The argument `serve` alone: such arguments come on descriptor
4 as JSON lists, each with its length in ten digits in front. One JSON object and a line end go to descriptor 3 for each: errors and warnings with file and line, whether the new texts are the old programs, and what they refer to
that the old ones did not: `d:a.b` a name, resolved by the imports; `i:a.b` one that was imported; `a:b` an attribute; `s:a.b` an attribute of a module
that is set; `t:text` a text that the code holds; `m:name` a new module that has the name of one of others.
"""

import ast
import importlib.machinery
import json
import os
import sys
import warnings


def read(path):
    with open(path, "rb") as file:
        return file.read()


def tree(source, name):
    return ast.dump(ast.parse(source, name))


def is_same(source, before, name):
    """Whether two texts are one program; what cannot be read is none."""
    try:
        return tree(before, name) == tree(source, name)
    except SyntaxError:
        return False


class Names(ast.NodeVisitor):
    """What a program refers to, as the parser reads it: aliases resolved, letters normalised."""

    def __init__(self, tree):
        self.found, self.known, self.modules = set(), {}, set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for each in node.names:
                    self.found.add("d:" + each.name)
                    self.known[each.asname or each.name.split(".")[0]] = each.name if each.asname else each.name.split(".")[0]
                    self.modules.add(each.asname or each.name.split(".")[0])
            elif isinstance(node, ast.ImportFrom) and not node.level:
                for each in node.names:
                    self.found |= {f"d:{node.module}.{each.name}", f"i:{node.module}.{each.name}"}
                    self.known[each.asname or each.name] = f"{node.module}.{each.name}"
        self.visit(tree)

    def chain(self, node):
        """`a.b.c` with what `a` was imported as, and `a`; nothing for other expressions."""
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None, None
        return ".".join([self.known.get(node.id, node.id), *reversed(parts)]), node.id

    def set(self, target):
        while isinstance(target, ast.Subscript):
            target = target.value
        if isinstance(target, ast.Attribute):
            name, first = self.chain(target)
            if first in self.modules:
                self.found.add("s:" + name)

    def visit_Name(self, node):
        self.found.add("d:" + self.known.get(node.id, node.id))

    def visit_Attribute(self, node):
        self.found.add("a:" + node.attr)
        name, first = self.chain(node)
        if name:
            self.found.add("d:" + name)
        if first in self.known:
            self.found.add("i:" + name)
        self.generic_visit(node)

    def visit_Call(self, node):
        if isinstance(node.func, ast.Name) and node.func.id in ("setattr", "delattr") and node.args:
            name, first = self.chain(node.args[0])
            if first in self.modules:
                self.found.add(f"s:{name}.*")
        self.generic_visit(node)

    def visit_Assign(self, node):
        for target in node.targets:
            self.set(target)
        self.generic_visit(node)

    def visit_AugAssign(self, node):
        self.set(node.target)
        self.generic_visit(node)

    def visit_AnnAssign(self, node):
        self.set(node.target)
        self.generic_visit(node)

    def visit_Delete(self, node):
        for target in node.targets:
            self.set(target)
        self.generic_visit(node)


def texts(code):
    """Texts that the compiler put together."""
    for each in code.co_consts:
        if isinstance(each, str):
            yield "t:" + each[:200]
        elif isinstance(each, (tuple, frozenset)):
            yield from ("t:" + inner[:200] for inner in each if isinstance(inner, str))
        elif hasattr(each, "co_consts"):
            yield from texts(each)


def names(source, name):
    try:
        tree = ast.parse(source, name)
        return Names(tree).found | set(texts(compile(tree, name, "exec", dont_inherit=True, optimize=2)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()


def stood_for(name, new):
    """The module of others that a new file or folder of this name would stand in front of."""
    top = name.split("/")[0].removesuffix(".py")
    root = new[: -len(name)]
    outside = [folder for folder in sys.path if folder and not folder.startswith(root.rstrip("/"))]
    if top in sys.stdlib_module_names or top in sys.builtin_module_names:
        return top
    found = importlib.machinery.PathFinder.find_spec(top, outside)
    return top if found and found.origin else None


def main(words):
    told = {"errors": [], "warnings": [], "same": True, "news": []}
    for name, new, old in zip(words[0::3], words[1::3], words[2::3]):
        source = read(new)
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            try:
                compile(source, name, "exec", dont_inherit=True)
                before = b"" if old in ("-", "+") else read(old)
                told["same"] &= old not in ("-", "+") and is_same(source, before, name)
                told["news"] += sorted(names(source, name) - names(before, name))
                taken = stood_for(name, new) if old == "+" else None
                told["news"] += ["m:" + taken] if taken else []
            except SyntaxError as error:
                line, what = error.lineno or 0, f"{type(error).__name__}: {error.msg}"
                told["errors"].append({"file": name, "line": line, "message": what})
            except (ValueError, RecursionError, MemoryError) as error:
                told["errors"].append({"file": name, "line": 0, "message": f"{type(error).__name__}: {error}"})
        for each in heard:
            told["warnings"].append({"file": name, "line": each.lineno, "message": f"{each.category.__name__}: {each.message}"})
    data = json.dumps(told).encode("utf-8", "backslashreplace") + b"\n"
    while data:
        data = data[os.write(3, data) :]


def serve():
    with open(4, "rb") as requests:
        while True:
            size = requests.read(10)
            if len(size) < 10:
                return
            main(json.loads(requests.read(int(size))))


if sys.argv[1:] == ["serve"]:
    serve()
else:
    main(sys.argv[1:])
