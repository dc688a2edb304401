#!/usr/bin/env python3
"""Tells how long a first query takes, and how much memory, as a suite grows.

    size.py (maven|pytest) TESTS...

For each number of tests a project is made, ten tests a class, with one wrong line in the middle. It is what was changed last
and is not committed, as with a user who has just broken it. Then `unidebug run` makes the prompts of a model it cannot reach
(`--dry-run`), with nothing kept from before, and once more with what the first run kept. Memory is the most that the program
itself held. UNIDEBUG names the program; Maven takes JUnit 4.13.2 from what is on this machine.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAM = os.environ.get("UNIDEBUG", "unidebug")
EACH = 10
POM = """<project><modelVersion>4.0.0</modelVersion>
<groupId>many</groupId><artifactId>many</artifactId><version>1</version>
<properties><maven.compiler.source>11</maven.compiler.source><maven.compiler.target>11</maven.compiler.target>
<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version>
<scope>test</scope></dependency></dependencies></project>
"""


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def java(folder, n):
    write(folder / f"src/main/java/many/Add{n}.java", f"package many;\n\npublic class Add{n} {{\n    public int add(int to) {{\n        return to + {n};\n    }}\n}}\n")
    tests = "".join(f"    @Test public void add{t}() {{ assertEquals({t + n}, new Add{n}().add({t})); }}\n" for t in range(EACH))
    write(folder / f"src/test/java/many/Add{n}Test.java", f"package many;\n\nimport static org.junit.Assert.*;\nimport org.junit.Test;\n\npublic class Add{n}Test {{\n{tests}}}\n")
    return folder / f"src/main/java/many/Add{n}.java", f"to + {n}", f"to - {n}"


def python(folder, n):
    write(folder / f"many/add{n}.py", f"def add(to):\n    return to + {n}\n")
    tests = "".join(f"\n\ndef test_{t}():\n    assert add({t}) == {t + n}\n" for t in range(EACH))
    write(folder / f"tests/test_add{n}.py", f"from many.add{n} import add\n{tests}")
    return folder / f"many/add{n}.py", f"to + {n}", f"to - {n}"


def project(kind, tests, folder):
    """Makes it, and breaks it last."""
    if kind == "maven":
        write(folder / "pom.xml", POM)
    else:
        write(folder / "many/__init__.py", "")
    make = java if kind == "maven" else python
    places = [make(folder, n) for n in range(1, tests // EACH + 1)]
    git = ["git", "-c", "user.name=size", "-c", "user.email=size@localhost"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "as it was"]):
        subprocess.run([*git, *words], cwd=folder, check=True)
    path, right, wrong = places[len(places) // 2]
    path.write_text(path.read_text().replace(right, wrong))


def first_query(folder, cache):
    """Seconds, and the most MiB that the program itself held."""
    words = [PROGRAM, "run", str(folder), "--dry-run", "--model", "gpt-4o-mini", "--base-url", "http://127.0.0.1:9/v1"]
    begin, most = time.time(), 0
    done = subprocess.Popen(words, env={**os.environ, "UNIDEBUG_CACHE_DIR": cache}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while done.poll() is None:
        lines = Path(f"/proc/{done.pid}/status").read_text().splitlines()
        most = max([most, *(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))])
        time.sleep(0.05)
    if done.returncode:
        sys.exit(f"{' '.join(words)} ended with code {done.returncode}")
    return time.time() - begin, most / 1024


def main():
    kind, *sizes = sys.argv[1:]
    print(f"{'tests':>8} {'first query':>12} {'memory':>9} {'second run':>12} {'memory':>9}")
    for tests in map(int, sizes):
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as cache:
            users = Path(os.environ.get("UNIDEBUG_CACHE_DIR", Path.home() / ".cache/unidebug"))
            for name in ("m2", "jars"):
                if (users / name).is_dir():
                    os.symlink(users / name, Path(cache) / name)
            root = Path(folder) / "many"
            project(kind, tests, root)
            # The test runner is compiled once for a machine.
            runs = [first_query(root, cache) for _ in range(2)]
            print(f"{tests:>8}" + "".join(f" {seconds:>10.1f} s {mib:>5.0f} MiB" for seconds, mib in runs), flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("maven", "pytest"):
        sys.exit(__doc__)
    main()
