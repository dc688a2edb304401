#!/usr/bin/env python3
"""A stand-in for `kubectl create -f -` and the cluster behind it: runs the indexes of an Indexed Job as processes.

It keeps to the Job's own words: parallelism, tries per index, and the rules for pods that fail. KILLS is a list of
what goes wrong, `INDEX:evict` (SIGTERM, and the condition that a disruption has) or `INDEX:kill` (SIGKILL), each once
a journal below the folder WATCH says that a model was asked since the pod began. What happened is printed, a line a pod.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

assert sys.argv[1:] == ["create", "-f", "-"], sys.argv
spec = json.load(sys.stdin)["spec"]
assert spec["completionMode"] == "Indexed" and spec["template"]["spec"]["restartPolicy"] == "Never"
container = spec["template"]["spec"]["containers"][0]
kills = [kill.split(":") for kill in os.environ.get("KILLS", "").split()]
lock, room = threading.Lock(), threading.Semaphore(spec["parallelism"])
failed = []


def asked():
    """How often a model was asked so far."""
    while True:
        try:
            journals = pathlib.Path(os.environ["WATCH"]).rglob("run.journal")
            return sum(journal.read_bytes().count(b'"kind":"sent"') for journal in journals)
        except FileNotFoundError:
            # Work folders go while they are looked at.
            pass


def pod(index, kill):
    """One pod: its exit code, and whether it was disrupted."""
    variables = {variable["name"]: variable["value"] for variable in container.get("env", [])}
    variables["JOB_COMPLETION_INDEX"] = str(index)
    child = subprocess.Popen(container["command"], env={**os.environ, **variables})
    before = asked()
    if kill is not None:
        while child.poll() is None and asked() == before:
            time.sleep(0.02)
        child.send_signal(signal.SIGTERM if kill == "evict" else signal.SIGKILL)
    code = child.wait()
    return (128 - code if code < 0 else code), kill == "evict"


def action(code, disrupted):
    """What the first rule that fits says; without one a failure counts."""
    for rule in spec["podFailurePolicy"]["rules"]:
        conditions = [condition["type"] for condition in rule.get("onPodConditions", [])]
        if disrupted and "DisruptionTarget" in conditions:
            return rule["action"]
        codes = rule.get("onExitCodes")
        if codes and codes["containerName"] == container["name"] and code in codes["values"]:
            return rule["action"]
    return "Count"


def index_of(index):
    own, tries = [kill for at, kill in kills if int(at) == index], 0
    with room:
        while True:
            code, disrupted = pod(index, own.pop(0) if own else None)
            what = "done" if code == 0 else action(code, disrupted)
            with lock:
                print(f"index {index}: code {code}, {what}", flush=True)
            if code == 0:
                return
            tries += what == "Count"
            if what == "FailIndex" or tries > spec["backoffLimitPerIndex"]:
                failed.append(index)
                return


threads = [threading.Thread(target=index_of, args=[index]) for index in range(spec["completions"])]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
sys.exit(1 if failed else 0)
