def control_again(test):
    import datetime, functools, inspect, os, sys, time, unittest

    seconds = 100 * 365 * 86400
    names = ("time", "monotonic", "perf_counter", "process_time", "thread_time")
    real = time.monotonic

    def shifted(read, more):
        return lambda *given: read(*given) + more

    class Seen(type):
        def __instancecheck__(cls, value):
            return isinstance(value, cls.__mro__[1])

        def __subclasscheck__(cls, other):
            return issubclass(other, cls.__mro__[1])

    class Date(datetime.date, metaclass=Seen):
        today = staticmethod(shifted(datetime.date.today, datetime.timedelta(seconds=seconds)))

    class Datetime(datetime.datetime, metaclass=Seen):
        now = staticmethod(shifted(datetime.datetime.now, datetime.timedelta(seconds=seconds)))
        today = staticmethod(shifted(datetime.datetime.today, datetime.timedelta(seconds=seconds)))
        utcnow = staticmethod(shifted(datetime.datetime.utcnow, datetime.timedelta(seconds=seconds)))

    def own(module):
        file = getattr(module, "__file__", None) or ""
        return file.startswith(os.getcwd() + os.sep) and "site-packages" not in file

    def jump():
        others = {getattr(time, name): shifted(getattr(time, name), seconds) for name in names}
        others.update({getattr(time, name + "_ns"): shifted(getattr(time, name + "_ns"), seconds * 10**9) for name in names})
        others[os.times] = lambda now=os.times: os.times_result([each + seconds for each in now()])
        others.update({datetime.date: Date, datetime.datetime: Datetime})
        kept = []
        for module in [time, os, datetime, *filter(own, list(sys.modules.values()))]:
            for name, value in list(vars(module).items()):
                try:
                    other = others.get(value)
                except TypeError:
                    continue
                if other is not None:
                    kept.append((module, name, value))
                    setattr(module, name, other)
        return kept

    # A run of a method has an instance of its own, made ready as the framework does it.
    def call(owner, name, given):
        method = getattr(owner, name, None)
        if method is not None:
            takes = inspect.signature(method).parameters
            method(*([given] if takes else []))

    def run(all, named):
        if not (OF_A_CLASS and all):
            return test(*all, **named)
        kind = type(all[0])
        case = issubclass(kind, unittest.TestCase)
        own = kind(all[0]._testMethodName) if case else kind()
        if not case:
            vars(own).update(before)
        call(own, "setUp" if case else "setup_method", test)
        try:
            test(own, *all[1:], **named)
        finally:
            call(own, "tearDown" if case else "teardown_method", test)
            if case:
                own.doCleanups()

    before = {}

    @functools.wraps(test)
    def again(*all, **named):
        before.update(vars(all[0]) if OF_A_CLASS and all else {})
        passed, failed, nth, kept, since, runs = 0, 0, 0, [], real(), []
        try:
            while nth < MOST_TIMES and failed < 3 and (nth < 1 or real() - since < MOST_MILLIS / 1000):
                nth += 1
                if CLOCK_JUMPS and nth == 5:
                    kept = jump()
                try:
                    run(all, named)
                except (KeyboardInterrupt, SystemExit):
                    raise
                # What pytest throws to fail or to skip is no Exception.
                except BaseException:
                    if passed < 3:
                        raise
                    failed += 1
                    runs.append(nth)
                else:
                    passed, failed = passed + 1, 0
        finally:
            for module, name, value in kept:
                setattr(module, name, value)
        if failed >= 3:
            raise AssertionError("a control: it passed at first")
        if len(runs) >= 3:
            raise AssertionError("a control: it fails in some runs: " + " ".join(map(str, runs[:3])))

    return again

