#!/usr/bin/env python3
"""Lays bugs of public libraries out as folders, from clones that are there already.

    prepare.py CLONES OUT [ID…]

CLONES holds a clone or mirror of each repository, as OWNER-NAME or NAME. OUT/ID gets `buggy` (the code
before the repair, committed, with the tests of the repair, uncommitted, as a developer has it who wrote them first),
`dev.patch` (what the developers changed in the product), and two patches that repair nothing: `comment.patch` and
`helper.patch`, an unused function. `bugs.tsv` beside this file says which bugs; it holds facts alone, and nothing is
fetched or built here. `UNIDEBUG_FIELD=OUT cargo bench --bench field` measures them.
"""

import csv
import io
import shutil
import subprocess
import sys
import tarfile
from difflib import unified_diff
from pathlib import Path

COMMENT = {"java": "// This changes nothing.\n", "python": "# This changes nothing.\n"}
HELPER = {"java": "    static int nothing() { return 0; }\n", "python": "\n\ndef _nothing():\n    return 0\n"}


def git(clone, *words, given=None):
    return subprocess.run(["git", "-C", clone, *words], check=True, input=given, stdout=subprocess.PIPE).stdout


def clone_of(clones, repository):
    owner, name = repository.split("/")
    for folder in (f"{owner}-{name}", name):
        if (clones / folder / ".git").exists() or (clones / folder / "HEAD").exists():
            return clones / folder
    raise SystemExit(f"prepare: no clone of {repository} below {clones}\nhint: git clone it to {clones}/{owner}-{name}")


def commit_all(folder):
    git(folder, "init", "--quiet")
    git(folder, "add", "--all", "--force")
    author = ["-c", "user.name=field", "-c", "user.email=field@localhost", "-c", "commit.gpgsign=false"]
    git(folder, *author, "commit", "--quiet", "--no-verify", "--message", "before the repair")


def absent(clone, commit):
    """Files whose content the clone lacks: mirrors leave large ones out."""
    listed = [line.split(b"\t", 1) for line in git(clone, "ls-tree", "-r", "-z", commit).split(b"\0") if line]
    files = [(entry.split()[2], path.decode()) for entry, path in listed if entry.split()[1] == b"blob"]
    known = git(clone, "cat-file", "--batch-check", given=b"\n".join(blob for blob, _ in files) + b"\n")
    return [path for (_, path), line in zip(files, known.splitlines()) if line.endswith(b" missing")]


def unpack(clone, commit, paths, into):
    lacking = absent(clone, commit)
    for path in lacking:
        print(f"prepare: without {path}, which {clone} lacks", file=sys.stderr)
    left_out = [f":(exclude,literal){path}" for path in lacking]
    with tarfile.open(fileobj=io.BytesIO(git(clone, "archive", commit, "--", *paths, *left_out))) as archive:
        archive.extractall(into, filter="data")


def added(tree, path, text, language):
    """A diff that adds `text` as the last member of a Java file's last class, or below a file in Python."""
    before = (tree / path).read_bytes().decode(errors="surrogateescape").splitlines(keepends=True)
    closing = [number for number, line in enumerate(before) if line.rstrip() == "}"]
    end = closing[-1] if language == "java" and closing else len(before)
    ending = "\r\n" if before[0].endswith("\r\n") else "\n"
    after = before[:end] + [line + ending for line in text.splitlines()] + before[end:]
    lines = unified_diff(before, after, f"a/{path}", f"b/{path}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def prepare(clones, out, bug):
    clone, fix = clone_of(clones, bug["repository"]), bug["fix"]
    product, tests = bug["product"].split(","), bug["tests"].split(",")
    folder = out / bug["id"]
    shutil.rmtree(folder, ignore_errors=True)
    unpack(clone, f"{fix}^", ["."], folder / "buggy")
    commit_all(folder / "buggy")
    unpack(clone, fix, tests, folder / "buggy")
    (folder / "dev.patch").write_bytes(git(clone, "diff", f"{fix}^", fix, "--", *product))
    for name, texts in (("comment", COMMENT), ("helper", HELPER)):
        diff = added(folder / "buggy", product[0], texts[bug["language"]], bug["language"])
        (folder / f"{name}.patch").write_bytes(diff.encode(errors="surrogateescape"))


def main(clones, out, *wanted):
    with open(Path(__file__).with_name("bugs.tsv"), newline="") as table:
        bugs = list(csv.DictReader(table, delimiter="\t"))
    unknown = set(wanted) - {bug["id"] for bug in bugs}
    if unknown:
        raise SystemExit(f"prepare: bugs.tsv has no {', '.join(sorted(unknown))}")
    for bug in bugs:
        if not wanted or bug["id"] in wanted:
            prepare(Path(clones).resolve(), Path(out).resolve(), bug)
            print(bug["id"])


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
