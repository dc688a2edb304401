"""Rewrites the assertions of test modules as pytest does, and keeps their code in a folder by their texts. Nothing of the
project runs.

Arguments: the folder, then the files. What cannot be read is left to pytest, which tells of it."""

import contextlib
import hashlib
import marshal
import os
import pathlib
import sys
import warnings

from _pytest.assertion import rewrite


class Settings:
    """Those that the code of a module depends on, as they are in most projects."""

    @staticmethod
    def getini(_):
        return False


def keep(folder, path):
    name = os.path.join(folder, hashlib.sha256(path.read_bytes()).hexdigest())
    code = rewrite._rewrite_test(path, Settings())[1]
    # Another process may do the same now.
    part = f"{name}.{os.getpid()}"
    with open(part, "wb") as file:
        file.write(marshal.dumps(code))
    os.replace(part, name)


warnings.simplefilter("ignore")
for word in sys.argv[2:]:
    with contextlib.suppress(Exception):
        keep(sys.argv[1], pathlib.Path(word))
