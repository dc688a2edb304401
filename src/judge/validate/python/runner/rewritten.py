# Test modules whose assertions pytest rewrote.

import _imp
import marshal


def keep_rewritten(folder, codes=None):
    """Has pytest take test modules as it rewrote them before, by their texts, from a folder, and where one process serves
    many runs from there: that work takes longer than many a suite.

    Where verdicts come from, nothing is kept in the process: the project could put tests of its own in."""
    from _pytest.assertion import rewrite

    first = getattr(rewrite, "_rewrite_test", None)
    if first is None or first.__code__.co_varnames[:2] != ("fn", "config"):
        return
    # By what it tells a changed file: by its text since pytest 9.2, by its time before.
    by_text, by_time = (name in first.__code__.co_names for name in ("source_hash", "stat"))
    if by_text == by_time:
        return
    # Taken before the project could offer others.
    sha256, load, rename, join = hashlib.sha256, marshal.loads, _imp._fix_co_filename, os.path.join
    stat, source_hash = os.stat, importlib.util.source_hash

    def kept(name):
        try:
            with open(join(folder, name), "rb") as file:
                return load(file.read())
        except (OSError, EOFError, ValueError, TypeError):
            return None

    def look(fn, config):
        # Code that tells of assertions that pass is another.
        if config.getini("enable_assertion_pass_hook"):
            return first(fn, config)
        with open(fn, "rb") as file:
            text = file.read()
        name = sha256(text).hexdigest()
        code = codes and codes.get(name) or kept(name)
        if code is None:
            code = first(fn, config)[1]
        else:
            # The same text lies elsewhere in each copy.
            rename(code, os.fspath(fn))
        if codes is not None:
            codes[name] = code
        return source_hash(text) if by_text else stat(fn), code

    rewrite._rewrite_test = look
