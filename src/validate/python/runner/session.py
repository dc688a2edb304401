# One run, from what is asked to its end.


def unharmed(guard, records):
    """Ends the process where a test changed what decides about results."""
    broken = guard.broken()
    if broken:
        print(f"{broken} was changed while a test ran", file=sys.__stderr__, flush=True)
        records.over("tampered")
        os._exit(TAMPERED)


def run(work):
    """Does the work, which says whether it came to its end, and ends the process."""
    with os.fdopen(4, "rb") as asked:
        request = Request(asked.read().decode())
    channel = os.dup(3)
    os.close(3)
    root = os.getcwd()
    places, records = Places(root), Records(channel, request.nonce)
    executed = Executed(request, places)
    clock, guard = Clock(request, records, places, executed), Guard(request.lines)
    name = "Thread-1" if request.plain else "unidebug clock"
    threading.Thread(target=clock.watch, name=name, daemon=True).start()
    sys.path[0:0] = [root, *request.paths]
    executed.begin()
    ended = False
    try:
        ended = work(request, records, places, clock, executed, guard)
    finally:
        sys.settrace(None)
        clock.stop()
        if ended:
            records.over("done")
        sys.stdout.flush()
        os._exit(0 if ended else UNUSABLE)
