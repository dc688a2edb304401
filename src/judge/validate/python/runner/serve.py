# A process that has loaded what tests load, and hands each request to a child of itself.

import functools
import gc
import random
import signal


def rehearse(words, codes):
    """Collects these files in a child, and takes the code of test modules from it. Returns the names of the modules of
    libraries that it loads, in that order."""
    mine, theirs = os.pipe()
    child = os.fork()
    if not child:
        os.close(mine)
        out = os.open(os.devnull, os.O_WRONLY)
        os.dup2(out, 1)
        os.dup2(out, 2)
        root = os.getcwd()
        sys.path[0:0] = [root]
        with contextlib.suppress(BaseException):
            pytest.main([*options(), "--collect-only", "-q", "--rootdir", root, *words])
        names = [name for name, module in list(sys.modules.items()) if is_library(name, module, root) or name == HYPOTHESIS]
        with open(theirs, "wb") as file:
            marshal.dump((names, codes), file)
        os._exit(0)
    os.close(theirs)
    with open(mine, "rb") as file:
        told = file.read()
    os.waitpid(child, 0)
    names, told = marshal.loads(told)
    codes.update(told)
    return names


def is_library(name, module, root):
    """Whether a module is no part of the project, and none that pytest wants to load by itself."""
    spec = getattr(module, "__spec__", None)
    if not getattr(module, "__file__", None) or spec is None or spec.name != name or lies_in(module, root):
        return False
    return name.split(".")[0] not in of_plugins()


@functools.lru_cache(maxsize=None)
def of_plugins():
    """Packages whose assertions pytest writes anew, which it can do before they are loaded alone."""
    from importlib import metadata

    found = set()
    for package in metadata.distributions():
        if any(entry.group == "pytest11" for entry in package.entry_points):
            found |= {str(file).split("/")[0].split(".")[0] for file in package.files or []}
    return found


# The library that draws inputs for tests.
HYPOTHESIS = "hypothesis"
# How a process is asked to serve in which a library started threads before.
CAREFULLY = "serve-carefully"
# By these, libraries for numbers that start threads as they are loaded start none.
SINGLE = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "NUMEXPR_NUM_THREADS")


def load(names):
    """Loads libraries so that they start no threads where that can be asked of them; tests see nothing of the asking."""
    asked = [name for name in SINGLE if name not in os.environ]
    os.environ.update((name, "1") for name in asked)
    for name in names:
        with contextlib.suppress(BaseException):
            importlib.import_module(name)
    for name in asked:
        os.environ.pop(name, None)


def has_threads():
    return threading.active_count() > 1 or len(os.listdir("/proc/self/task")) > 1


def quiet(names):
    """Leaves out modules of packages that start threads as they are loaded, whatever they are asked."""
    known, loud = set(), set()
    for name in names:
        package = name.partition(".")[0]
        if package not in known | loud:
            known.add(package)
            loud |= loud_with(package)
            if package not in loud:
                load([package])
    return [name for name in names if name.partition(".")[0] not in loud]


def loud_with(package):
    """The packages that come with one that starts threads; none where it starts none. It is loaded in a child."""
    mine, theirs = os.pipe()
    child = os.fork()
    if not child:
        before = set(sys.modules)
        load([package])
        if has_threads():
            os.write(theirs, "\n".join({name.partition(".")[0] for name in set(sys.modules) - before}).encode())
        os._exit(0)
    os.close(theirs)
    with open(mine, "rb") as file:
        told = file.read().decode()
    os.waitpid(child, 0)
    return set(told.split())


def get_ready(hypothesis):
    """Makes the table of all characters, which takes longer than most tests. pytest is not to complain that the library, a
    plugin of its own, was loaded before."""
    hypothesis.__doc__ = f"{hypothesis.__doc__}PYTEST_DONT_REWRITE"
    hypothesis.strategies.text().validate()


def turn(folder, link="/run/project"):
    """The place where the user has the project leads through this link to the copy under test."""
    if os.path.islink(link):
        os.symlink(folder, link + ".next")
        os.replace(link + ".next", link)


def serve(kept, *words):
    """Answers until nobody asks any more: `R`, the length of a folder in ten digits and the folder, then a request."""
    codes = {}
    keep_rewritten(kept, codes)
    names = rehearse(words, codes)
    load(quiet(names) if sys.argv[1] == CAREFULLY else names)
    if HYPOTHESIS in sys.modules:
        with contextlib.suppress(BaseException):
            get_ready(sys.modules[HYPOTHESIS])
    # A child has none of its parent's threads.
    if has_threads():
        # Python tells how it was started since version 3.10.
        if sys.argv[1] == CAREFULLY or not hasattr(sys, "orig_argv"):
            os._exit(UNUSABLE)
        begin_again = [CAREFULLY if word == "serve" else word for word in sys.orig_argv]
        os.execv(sys.executable, begin_again)
    # What is here stays for ever: a collection of garbage in a child need not look at it.
    getattr(gc, "freeze", gc.collect)()
    while os.read(4, 1) == b"R":
        folder = read_whole(4, int(read_whole(4, 10)))
        turn(folder)
        child = os.fork()
        if not child:
            os.setsid()
            os.chdir(folder)
            os.environ["PWD"] = folder
            random.seed()
            run(under_pytest)
        status = os.waitpid(child, 0)[1]
        with contextlib.suppress(OSError):
            os.killpg(child, signal.SIGKILL)
        code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)
        os.write(3, (json.dumps({"ended": code}) + "\n").encode())
    os._exit(0)


if sys.argv[1] in ("serve", CAREFULLY):
    serve(*sys.argv[2:])
else:
    keep_rewritten(sys.argv[2])
    run(under_pytest)
