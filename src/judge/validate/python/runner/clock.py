# How long tests may take.


class Meter:
    """How long the running test had its chance: while a thread wants a processor, processor time counts; while all wait,
    the time that passes. Read from /proc; where that cannot be read, passing time counts."""

    STEP = 0.1
    #: A test may put others in their place.
    stat, listdir, open, read, close = os.stat, os.listdir, os.open, os.read, os.close

    def __init__(self):
        self.own, self.number, self.others = str(threading.get_native_id()), None, []
        self.begin()
        # Before a test runs that could see what that makes.
        self.wants_processor()

    def begin(self):
        self.last, self.last_used = time.monotonic(), time.process_time()
        self.waited = self.wanted = self.used = 0.0

    def look(self):
        now, used = time.monotonic(), time.process_time()
        more = max(0.0, used - self.last_used)
        # A look that comes late by itself counts as one that came in time.
        step = min(now - self.last, max(self.STEP, more))
        if self.wants_processor():
            self.wanted += step
            self.used += more
        else:
            self.waited += step
        self.last, self.last_used = now, used

    def counted(self):
        return 1000 * (self.waited + min(self.wanted, self.used))

    def present(self):
        return 1000 * (self.waited + self.wanted)

    def wants_processor(self):
        """Whether another thread does. Tests that count the objects of the process see what is made here: where no thread
        began or ended, nothing that the collector of garbage knows lives while the system is asked."""
        try:
            if self.stat("/proc/self/task").st_nlink != self.number:
                self.find_threads()
            at = 0
            while at < len(self.others):
                if self.is_wanting(self.others[at]):
                    return True
                at += 1
        except OSError:
            # One of them ended, and others may have begun.
            self.number = None
        return False

    def find_threads(self):
        self.number = self.stat("/proc/self/task").st_nlink
        tasks = self.listdir("/proc/self/task")
        self.others = [f"/proc/self/task/{task}/stat" for task in tasks if task != self.own]

    def is_wanting(self, path):
        file = self.open(path, os.O_RDONLY)
        try:
            return self.read(file, 4096).rpartition(b") ")[2][:1] in (b"R", b"D")
        finally:
            self.close(file)


class Clock:
    """Knows which test runs and for how long, and ends the process when that is too long: a test that hangs cannot be
    stopped inside its process."""

    def __init__(self, request, records, places, executed):
        self.request, self.records, self.places, self.executed = request, records, places, executed
        self.lock, self.main = threading.RLock(), threading.get_ident()
        self.turn, self.off, self.is_over = 0, False, False
        # A test may hold the clock.
        self.monotonic, self.begun = time.monotonic, None
        self.armed = 0.0
        self.now(("", ""))

    def now(self, name):
        with self.lock:
            self.name, self.since = name, time.monotonic()
            self.turn += 1
            if name[1] and self.begun is None:
                self.begun = self.monotonic()
            if self.starves() > self.armed:
                self.arm()

    def starves(self):
        return self.since + STARVED * self.limit() / 1000 + 10

    def arm(self):
        """A test that never lets another thread run is ended from outside of the interpreter. That starts a thread, which
        quick tests share."""
        self.armed = self.starves() + SHARED
        # Not where `sys.stderr` writes: a test may have put something in its place that is no file.
        faulthandler.dump_traceback_later(max(self.armed - time.monotonic(), SHARED), exit=True, file=2)

    def limit(self):
        class_name, method = self.name
        return self.request.limits.get(f"{class_name}#{method}", self.request.deadline) if method else self.request.between

    def tested(self):
        """A test ended: whether none begins any more, since time is up or others would tell nothing."""
        is_late = 1000 * (self.monotonic() - self.begun) >= self.request.total
        self.is_over = is_late or self.executed.is_over()
        return self.is_over

    def millis(self):
        return int(1000 * (time.monotonic() - self.since))

    def stop(self):
        with self.lock:
            self.off = True
        faulthandler.cancel_dump_traceback_later()

    def watch(self):
        meter, watched = Meter(), -1
        while not self.off:
            time.sleep(TICK)
            if self.turn != watched:
                meter.begin()
                with self.lock:
                    watched = self.turn
                    # Others before this test had more time.
                    if not self.off and self.starves() + SHARED < self.armed:
                        self.arm()
                continue
            meter.look()
            with self.lock:
                if self.turn == watched and not self.off:
                    self.judge(meter.counted(), meter.present())

    def judge(self, counted, present):
        limit = self.limit()
        if counted <= limit and present <= STARVED * limit:
            return
        got = "" if counted > limit else f", of which it had a processor for {int(counted)} ms"
        steps = list(traceback.walk_stack(sys._current_frames().get(self.main)))
        frames = frames_of(reversed(steps), self.places)
        after = int(limit if counted > limit else present)
        self.executed.tell(self.records, self.name)
        self.records.end(
            self.name, "cut", self.millis(), {"kind": "timeout", "message": f"cut after {after} ms{got}", "frames": frames}
        )
        self.records.over("cut")
        os._exit(CUT)
