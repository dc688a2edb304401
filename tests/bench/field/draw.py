#!/usr/bin/env python3
"""Lays libraries out as they are at present, with one bug drawn into each, from clones that are there already.

    draw.py CLONES OUT [ID…]

CLONES is as for prepare.py. OUT/ID gets `buggy` (one line changed, committed), `inverse.patch` (what takes the change
back: it must be plausible) and `comment.patch` (which repairs nothing: it must be refused). `drawn.tsv` beside this file
says which line is changed and what came of it without any flag: `failing` tests by the project's own command, how many
of them were `found`, and the `verdict` on the inverse. It holds facts alone, and nothing is fetched or built here.
"""

import csv
import shutil
import sys
from difflib import unified_diff
from pathlib import Path

from prepare import COMMENT, added, clone_of, commit_all, unpack


def draw(clones, out, row):
    folder = out / row["id"]
    shutil.rmtree(folder, ignore_errors=True)
    unpack(clone_of(clones, row["repository"]), row["commit"], ["."], folder / "buggy")
    product = folder / "buggy" / row["product"]
    before = product.read_bytes().decode(errors="surrogateescape").splitlines(keepends=True)
    at, was = int(row["line"]) - 1, row["was"]
    if was not in before[at]:
        raise SystemExit(f"draw: {row['id']}: `{was}` is not in line {at + 1} of {row['product']}")
    after = [*before]
    after[at] = before[at].replace(was, row["becomes"], 1)
    product.write_bytes("".join(after).encode(errors="surrogateescape"))
    commit_all(folder / "buggy")
    inverse = "".join(unified_diff(after, before, f"a/{row['product']}", f"b/{row['product']}"))
    comment = added(folder / "buggy", row["product"], COMMENT[row["language"]], row["language"])
    for name, patch in (("inverse", inverse), ("comment", comment)):
        (folder / f"{name}.patch").write_bytes(patch.encode(errors="surrogateescape"))


def main(words):
    clones, out, wanted = Path(words[0]), Path(words[1]), words[2:]
    with open(Path(__file__).parent / "drawn.tsv", encoding="utf-8") as opened:
        rows = list(csv.DictReader(opened, delimiter="\t"))
    for row in rows:
        if not wanted or row["id"] in wanted:
            draw(clones, out, row)
            print(row["id"])


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    main(sys.argv[1:])
