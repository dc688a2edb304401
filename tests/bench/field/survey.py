#!/usr/bin/env python3
"""Draws a bug into a library as it is, and tells how unidebug does on it.

    survey.py FOLDER (pytest|maven|gradle) SEED [PATTERN]

FOLDER is a clone whose own command passes, more or less. One line of the product is changed by chance (by SEED, in files
whose path holds PATTERN) until the project's own command names tests that fail by it. Then `unidebug judge` is asked about
the change taken back, and `unidebug run` without a model looks for a repair. The change is committed in FOLDER.survey
beside FOLDER; logs stand there, and one line for drawn.tsv is printed. UNIDEBUG names the program.
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as xml
from pathlib import Path

PROGRAM = os.environ.get("UNIDEBUG", "unidebug")
CHANGES = {
    "java": [(" > ", " >= "), (" < ", " <= "), (" >= ", " > "), (" <= ", " < "), (" == ", " != "), (" != ", " == "),
             (" && ", " || "), (" || ", " && "), (" + 1", ""), (" - 1", ""), ("return true", "return false"),
             ("return false", "return true"), ("if (!", "if ("), ("++", "--")],
    "python": [(" > ", " >= "), (" < ", " <= "), (" >= ", " > "), (" <= ", " < "), (" == ", " != "), (" != ", " == "),
               (" and ", " or "), (" or ", " and "), (" + 1", ""), (" - 1", ""), ("return True", "return False"),
               ("return False", "return True"), ("if not ", "if "), (" is not None", " is None"), (" in ", " not in ")],
}
TESTS = re.compile(r"(^|/)(tests?|testing|javatests|examples?|docs?|benchmarks?|perf\w*|build|target)(/|$)|test_|_test\b|Test\w*\.java|setup\.py|conftest")
TRIES = 12
#: A library passes if no more tests than these, and no more than half, fail without a change.
MOST_BEFORE = 40


def sh(words, folder, seconds=900, log=None):
    done = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds, text=True, errors="replace")
    if log:
        Path(log).write_text(done.stdout)
    return done


def own_words(kind, folder):
    if kind == "maven":
        return ["mvn", "-q", "-B", "test", "-Dmaven.test.failure.ignore=true"] + os.environ.get("MAVEN_WORDS", "").split()
    if kind == "gradle":
        gradle = ["./gradlew"] if (folder / "gradlew").exists() and not shutil.which("gradle") else ["gradle"]
        return [*gradle, "test", "--continue", "--offline"]
    return [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--continue-on-collection-errors", "--junitxml=survey.xml"]


def own(kind, folder):
    """The tests that fail by the project's own command, how many ran, and how long it took."""
    for old in [*folder.rglob("TEST-*.xml"), *folder.glob("survey.xml")]:
        old.unlink()
    begin = time.time()
    # As if it was installed.
    os.environ["PYTHONPATH"] = str(folder / "src" if (folder / "src").is_dir() else folder)
    sh(own_words(kind, folder), folder, log=folder.parent / "own.log")
    del os.environ["PYTHONPATH"]
    failing, ran = set(), 0
    for report in [*folder.rglob("TEST-*.xml"), *folder.glob("survey.xml")]:
        for case in xml.parse(report).getroot().iter("testcase"):
            ran += 1
            if case.find("failure") is not None or case.find("error") is not None:
                failing.add(f"{case.get('classname')}#{case.get('name')}")
    return failing, ran, time.time() - begin


def candidates(folder, language, pattern, rng):
    end = ".java" if language == "java" else ".py"
    files = sh(["git", "ls-files"], folder).stdout.split("\n")
    found = []
    for name in files:
        if not name.endswith(end) or TESTS.search(name) or pattern not in name:
            continue
        quoted = False
        for nth, line in enumerate((folder / name).read_text(errors="surrogateescape").splitlines(), 1):
            bare = line.strip()
            quoted ^= line.count('"""') % 2 == 1
            if quoted or bare.startswith(("*", "//", "/*", "#", "import ", "from ", "@", "assert", ">>>")):
                continue
            # A text and the head of a loop hold the same words.
            is_code = lambda at: line[:at].count('"') % 2 == 0 and line[:at].count("'") % 2 == 0
            fits = lambda was: line.count(was) == 1 and is_code(line.index(was)) and not (was == " in " and (" for " in f" {bare}" or " not in " in line))
            found += [(name, nth, was, becomes) for was, becomes in CHANGES[language] if fits(was)]
    rng.shuffle(found)
    return found


def change(folder, name, nth, was, becomes):
    file = folder / name
    lines = file.read_text(errors="surrogateescape").splitlines(keepends=True)
    lines[nth - 1] = lines[nth - 1].replace(was, becomes, 1)
    file.write_text("".join(lines), errors="surrogateescape")


def drawn(kind, folder, language, pattern, rng):
    before, ran, seconds = own(kind, folder)
    print(f"own command: {ran} tests, {len(before)} fail before, {seconds:.1f} s", flush=True)
    if not ran or len(before) > MOST_BEFORE or 2 * len(before) > ran:
        raise SystemExit("survey: the project's own command does not pass here; see own.log")
    for name, nth, was, becomes in candidates(folder, language, pattern, rng)[:TRIES]:
        sh(["git", "checkout", "-q", "."], folder)
        change(folder, name, nth, was, becomes)
        failing, again, _ = own(kind, folder)
        new = failing - before
        print(f"  {name}:{nth} `{was}` -> `{becomes}`: {again} ran, {len(new)} new fail", flush=True)
        if new and again >= ran * 0.8:
            return (name, nth, was, becomes), new, seconds
    raise SystemExit("survey: no change fails a test")


def main(folder, kind, seed, pattern=""):
    source, language = Path(folder).resolve(), "python" if kind == "pytest" else "java"
    place = source.parent / f"{source.name}.survey"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    work, tree = place / "own", place / "tree"
    for to in (work, tree):
        sh(["git", "clone", "-q", str(source), str(to)], place)
    (name, nth, was, becomes), failing, seconds = drawn(kind, work, language, pattern, random.Random(int(seed)))
    change(tree, name, nth, was, becomes)
    sh(["git", "-c", "user.name=s", "-c", "user.email=s@s", "commit", "-qam", "a change"], tree)
    inverse = sh(["git", "diff", "HEAD", "HEAD~1"], tree).stdout
    (place / "inverse.patch").write_text(inverse)
    begin = time.time()
    judged = sh([PROGRAM, "judge", str(tree), "--patch", str(place / "inverse.patch"), "--json"], place, 1800, place / "judge.log")
    judging = time.time() - begin
    try:
        # Reasons in the text above may hold braces, too.
        answer = json.loads(next(line for line in judged.stdout.splitlines() if line.startswith('{"schema"')))
    except (ValueError, StopIteration):
        answer = {"triggering": [], "patches": [{"outcome": "error", "detail": judged.stdout[-300:]}]}
    patch = answer["patches"][0]
    print(f"own: {len(failing)} failing; found {len(answer['triggering'])}; inverse {patch['outcome']} ({judging:.0f} s, own suite {seconds:.0f} s): {patch['detail']}")
    begin = time.time()
    sh([PROGRAM, "run", str(tree)], place, 1800, place / "run.log")
    print((place / "run.log").read_text()[-2500:])
    print(f"run: {time.time() - begin:.0f} s")
    commit = sh(["git", "rev-parse", "HEAD"], source).stdout.strip()
    print("\t".join([source.name, "?", commit, name, str(nth), was, becomes, kind, language, str(len(failing)), str(len(answer["triggering"])), patch["outcome"], ""]))
    for test in sorted(failing)[:60]:
        (place / "failing.txt").open("a").write(test + "\n")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
