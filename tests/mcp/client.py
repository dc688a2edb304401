"""A host, by the official SDK: does a list of steps on one server and prints what came back, one JSON object a step.

usage: client.py STEPS SERVER...     SERVER is an address, or a command and its arguments.

STEPS is JSON: {"mode": "auto" or "legacy", "roots": [folder, ...] or null, "steps": [...]}. A step is
{"list": true}, {"call": tool, "args": {...}}, {"cancel": tool, "args": {...}}, {"resources": true} or {"read": uri}.
"""

import json
import os
import pathlib
import sys
import time

import anyio
import mcp_types as types
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters


def descendants():
    """Command lines of all processes below this one, but those of the server itself."""
    parents, names = {}, {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text()
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        pid = int(folder.name)
        state, parent = stat.rpartition(")")[2].split()[:2]
        if state != "Z":
            parents[pid], names[pid] = int(parent), b" ".join(words[:3]).decode()
    found = []
    for pid in parents:
        above = pid
        while above in parents and above != os.getpid():
            above = parents[above]
        if above == os.getpid() and pid != os.getpid() and not names[pid].startswith(sys.argv[2] + " mcp"):
            found.append(names[pid])
    return sorted(found)


def told(result):
    return {"error": bool(result.is_error), "result": result.structured_content}


async def call(client, tool, args):
    messages = []

    async def progress(so_far, total, message):
        messages.append(message)

    result = await client.call_tool(tool, args, progress_callback=progress)
    return {**told(result), "progress": messages}


async def cancel(client, tool, args):
    """Begins a call, and cancels it once it is trying patches in processes of its own."""
    trying = anyio.Event()
    before = descendants()

    async def progress(so_far, total, message):
        if "fixer" in (message or ""):
            trying.set()

    async def begin(scope):
        with scope:
            await client.call_tool(tool, args, progress_callback=progress)

    scope = anyio.CancelScope()
    async with anyio.create_task_group() as group:
        group.start_soon(begin, scope)
        with anyio.fail_after(120):
            await trying.wait()
            while len(descendants()) <= len(before):
                await anyio.sleep(0.02)
        during = descendants()
        scope.cancel()
    end = time.monotonic() + 30
    while descendants() != before and time.monotonic() < end:
        await anyio.sleep(0.05)
    return {"during": len(during), "before": before, "after": descendants()}


async def step(client, wanted):
    if "call" in wanted:
        return await call(client, wanted["call"], wanted.get("args", {}))
    if "cancel" in wanted:
        return await cancel(client, wanted["cancel"], wanted.get("args", {}))
    if "resources" in wanted:
        return {"resources": [str(found.uri) for found in (await client.list_resources()).resources]}
    if "read" in wanted:
        return {"text": (await client.read_resource(wanted["read"])).contents[0].text}
    return {"tools": [tool.name for tool in (await client.list_tools()).tools]}


async def main():
    plan, server = json.loads(sys.argv[1]), sys.argv[2:]
    granted = plan.get("roots")

    async def roots(context):
        return types.ListRootsResult(roots=[types.Root(uri=pathlib.Path(root).as_uri()) for root in granted])

    if not server[0].startswith("http"):
        server = StdioServerParameters(command=server[0], args=server[1:], env=dict(os.environ))
    else:
        server = server[0]
    listing = {} if granted is None else {"list_roots_callback": roots}
    async with Client(server, mode=plan["mode"], **listing) as client:
        for wanted in plan["steps"]:
            try:
                done = await step(client, wanted)
            except Exception as error:  # what the protocol refuses is a result, too
                done = {"refused": str(error)}
            print(json.dumps(done), flush=True)


anyio.run(main)
