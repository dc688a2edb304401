#!/usr/bin/env python3
"""Long tests in parts, so that `make test` ends within ten minutes on two cores.

    parts.py skip N      prints the options that leave out all but N parts; which ones goes by the number of commits
    parts.py write FILE  writes the table anew, from what the test program printed as JSON with `--report-time`

`UNIDEBUG_PART=n` names the first part, as it does for long tables. A test that is not in the table always runs.
"""
import collections
import json
import os
import pathlib
import subprocess
import sys

TABLE = pathlib.Path(__file__).with_name("parts.tsv")
PARTS = 7
# Seconds of a long test.
LONG = 5
# Seconds that another test of the same module in a part weighs: each part has some of each module.
KIN = 20


def skip(parts):
    """The long tests that are left for another commit, as options."""
    rows = [line.split("\t") for line in TABLE.read_text().splitlines()[1:]]
    first = int(os.environ.get("UNIDEBUG_PART") or commits())
    chosen = {(first + nth) % PARTS for nth in range(parts)}
    left = [name for part, _, name in rows if int(part) not in chosen]
    print(f"{len(left)} of {len(rows)} long tests are left for other commits: PARTS={PARTS} runs all", file=sys.stderr)
    print(*(["--exact"] if left else []), *(f"--skip={name}" for name in left))


def commits():
    done = subprocess.run(["git", "rev-list", "--count", "HEAD"], cwd=TABLE.parent, capture_output=True, text=True)
    return done.stdout.strip() or 0


def write(file):
    """Deals the long tests out, the longest first, each to the part that has the least."""
    events = map(json.loads, filter(lambda line: line.startswith("{"), open(file)))
    took = {event["name"]: event["exec_time"] for event in events if "exec_time" in event and "name" in event}
    rows, loads = [], [collections.Counter() for _ in range(PARTS)]
    for name, seconds in sorted(took.items(), key=lambda test: -test[1]):
        module = name.split("::")[0]
        if seconds < LONG or module == "architecture":
            continue
        least = min(range(PARTS), key=lambda part: sum(loads[part].values()) + KIN * (module in loads[part]))
        loads[least][module] += seconds
        rows.append((name, least, round(seconds)))
    lines = [f"{part}\t{seconds}\t{name}" for name, part, seconds in sorted(rows)]
    TABLE.write_text("\n".join(["part\tseconds\ttest", *lines]) + "\n")
    print("seconds of each part:", *(round(sum(load.values())) for load in loads))


if __name__ == "__main__":
    if sys.argv[1] == "skip":
        skip(int(sys.argv[2]))
    else:
        write(sys.argv[2])
