# One run, from what is asked to its end.


def unharmed(guard, records, at_last=False):
    """Ends the process where a test changed what decides about results."""
    broken = guard.looked(at_last)
    if broken:
        print(f"{broken} was changed while a test ran", file=sys.__stderr__, flush=True)
        records.over("tampered")
        os._exit(TAMPERED)


def keep_out(descriptors):
    """Keeps the project from opening the memory of this process and its private channels by a path, whatever the path.

    Python tells of a path and not of the folder it is relative to (`dir_fd`): what is opened in that way is not seen.
    Before Python 3.8 nothing is."""
    if not hasattr(sys, "addaudithook"):
        return
    # How threads are is asked all the time (`Meter`). Asking the system holds objects that tests may count.
    of_a_thread = re.compile(r"/proc/self/task/\d+/stat").fullmatch
    stat, channels = os.stat, {(each.st_dev, each.st_ino) for each in map(os.fstat, descriptors)}
    processes = stat("/proc/self/stat").st_dev

    def look(event, args):
        if event != "open" or type(args[0]) is str and of_a_thread(args[0]):
            return
        try:
            found = stat(args[0])
        except (OSError, TypeError, ValueError):
            return
        # Of the files about a process, its memory alone is its owner's to read and write.
        memory = found.st_dev == processes and found.st_mode & 0o777 == 0o600
        if memory or (found.st_dev, found.st_ino) in channels:
            raise PermissionError(13, "the test process is closed", args[0])

    sys.addaudithook(look)


def lies_in(module, root):
    """Whether the file of a module lies below a folder."""
    return os.path.realpath(module.__file__).startswith(os.path.realpath(root) + os.sep)


def load_submodules(names, root):
    """Loads submodules of libraries that are loaded: where all tests run together, another test module has imported them."""
    for name in names:
        parent = sys.modules.get(name.rpartition(".")[0])
        if name in sys.modules or not hasattr(parent, "__path__"):
            continue
        if getattr(parent, "__file__", None) and not lies_in(parent, root):
            with contextlib.suppress(Exception):
                importlib.import_module(name)


def run(work):
    """Does the work, which says whether it came to its end, and ends the process."""
    request = Request(read_whole(4, int(read_whole(4, 10))))
    channel, keys = os.dup(3), os.dup(4)
    os.close(3)
    os.close(4)
    root = os.getcwd()
    places, records = Places(root), Records(channel, keys, request)
    request.secret = ""
    keep_out((channel, keys))
    if request.draws:
        executed = Drawn(request, places)
    else:
        executed = Observed(request, places) if request.watches else Executed(request, places)
    measures = request.lines or bool(request.watches or request.draws)
    clock, guard = Clock(request, records, places, executed), Guard(measures)
    name = "Thread-1" if request.plain else "unidebug clock"
    threading.Thread(target=clock.watch, name=name, daemon=True).start()
    sys.path[0:0] = [root, *request.paths]
    # What tests start imports the project as well, as where it is installed. Not set from outside: a patch could then
    # bring a `sitecustomize.py` that this process would load first.
    before = filter(None, [os.environ.get("PYTHONPATH")])
    os.environ["PYTHONPATH"] = os.pathsep.join([*(request.paths or [root]), *before])
    if request.resettled:
        os.linesep = "\r\n"
    if measures:
        executed.leave_out_wording()
    executed.begin()
    ended = False
    try:
        ended = work(request, records, places, clock, executed, guard)
    finally:
        sys.settrace(None)
        clock.stop()
        if ended:
            records.over("stopped" if clock.is_over else "done")
        sys.stdout.flush()
        os._exit(0 if ended else UNUSABLE)
