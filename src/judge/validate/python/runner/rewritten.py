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
    # Taken before the project could offer others.
    sha256, load, rename, join, stat = hashlib.sha256, marshal.loads, _imp._fix_co_filename, os.path.join, os.stat

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
            name = sha256(file.read()).hexdigest()
        code = codes and codes.get(name) or kept(name)
        if code is None:
            code = first(fn, config)[1]
        else:
            # The same text lies elsewhere in each copy.
            rename(code, os.fspath(fn))
        if codes is not None:
            codes[name] = code
        return stat(fn), code

    rewrite._rewrite_test = look
