package unidebug.runner;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Knows which test runs, and by a {@link Meter} for how long. A test over its deadline cannot be stopped inside a JVM,
 * so the JVM ends: its record says {@code timed_out}, and whoever started this process goes on with the rest in a new
 * one.
 */
final class Clock extends Thread {
    /** Exit code: a test was cut. */
    static final int CUT = 97;
    private static final long TICK = 20;
    /** Times its limit that a test gets in which it wants a processor and has none. */
    private static final long STARVED = 5;
    /** Milliseconds below which a limit of a test's own says nothing about the machine. */
    private static final long STARVING = 1000;

    private final Records records;
    private final Request request;
    private String className = "";
    private String method = "";
    /** When the first test began; zero before that. What comes before it, such as loading a framework, is no test's time. */
    private long begun;
    private long since = System.nanoTime();
    /** Counts what begins, so that the watching thread sees when something else runs. */
    private long turn;
    /** Milliseconds of what runs now that count, as of the last look. */
    private long counted;
    private Thread worker = Thread.currentThread();
    private boolean off;
    private boolean stopped;
    private final PerTest perTest = PerTest.orNone();
    private final Set<Thread> before = new HashSet<>(Thread.getAllStackTraces().keySet());

    Clock(Records records, Request request) {
        super("unidebug clock");
        this.records = records;
        this.request = request;
        setDaemon(true);
        setPriority(MAX_PRIORITY);
    }

    synchronized void started(String className, String method) {
        now(className, method);
        begun = begun == 0 ? since : begun;
        this.worker = Thread.currentThread();
        records.started(className, method);
        if (perTest != null) {
            perTest.clear();
        }
    }

    synchronized void passed(String className, String method) {
        end(className, method, "passed", null);
    }

    synchronized void failed(String className, String method, Throwable why) {
        end(className, method, "failed", why);
    }

    synchronized void skipped(String className, String method, Throwable why) {
        end(className, method, "skipped", why);
    }

    private void end(String className, String method, String status, Throwable why) {
        long millis = elapsed();
        tellExecuted(className, method);
        boolean starved = status.equals("failed") && millis >= STARVING && 2 * counted < millis && isOwnLimit(why);
        records.finished(className, method, starved ? "timed_out" : status, millis, why);
        now(this.className, "");
        stopped |= !status.equals("passed") && request.must.contains(className + "#" + method);
        stopped |= begun != 0 && (System.nanoTime() - begun) / 1_000_000 >= request.total;
        stopped |= perTest != null && perTest.isOver();
        if (why != null && status.equals("failed") && leftRunaway()) {
            leave("runaway");
        }
    }

    /**
     * Whether a test gave up on a thread that still computes: JUnit's own time limits leave such threads behind, and
     * each takes a processor from the tests that follow.
     */
    private boolean leftRunaway() {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            boolean suspect = thread.getName().equals("Time-limited test") || thread.getName().startsWith("junit-timeout-thread");
            if (suspect && !before.contains(thread) && !ends(thread)) {
                return true;
            }
        }
        return false;
    }

    /** A thread that was interrupted gets a moment to notice. */
    private static boolean ends(Thread thread) {
        try {
            thread.join(100);
        } catch (InterruptedException woken) {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive() || thread.getState() != State.RUNNABLE;
    }

    private void leave(String why) {
        records.over(why);
        Coverage.dump();
        Runtime.getRuntime().halt(CUT);
    }

    private void tellExecuted(String className, String method) {
        if (perTest != null) {
            records.executed(className, method, perTest.executed());
        }
    }

    /** A class whose tests are about to be set up. */
    synchronized void entering(String className) {
        now(className, "");
    }

    private void now(String className, String method) {
        this.className = className;
        this.method = method;
        this.since = System.nanoTime();
        this.turn++;
        this.counted = 0;
    }

    /** Whether a test ended at a limit of its own, which goes by the wall clock. */
    private static boolean isOwnLimit(Throwable why) {
        String name = why.getClass().getName();
        return name.contains("TimedOut") || name.contains("Timeout") || Records.messageOf(why).contains("timed out after");
    }

    /** Whether a test that must pass did not: nothing further matters. */
    synchronized boolean stopped() {
        return stopped;
    }

    /** Nothing is measured any more. */
    synchronized void stopWatching() {
        off = true;
    }

    private long elapsed() {
        return (System.nanoTime() - since) / 1_000_000;
    }

    @Override
    public void run() {
        Meter meter = new Meter();
        long watched = -1;
        while (!isOff()) {
            try {
                Thread.sleep(TICK);
            } catch (InterruptedException woken) {
                // The subject may interrupt every thread it finds; this one goes on.
            }
            long turn = turn();
            if (turn == watched) {
                meter.look();
                judge(turn, meter.counted(), meter.present());
            } else {
                meter.begin();
                watched = turn;
            }
        }
    }

    private synchronized boolean isOff() {
        return off;
    }

    private synchronized long turn() {
        return turn;
    }

    private synchronized void judge(long turn, long counted, long present) {
        if (turn == this.turn) {
            this.counted = counted;
        }
        long limit = method.isEmpty() ? request.between : request.limitOf(className, method);
        if (off || turn != this.turn || counted <= limit && present <= STARVED * limit) {
            return;
        }
        String got = counted > limit ? "" : ", of which it had a processor for " + counted + " ms";
        Throwable where = new Cut("cut after " + (counted > limit ? limit : present) + " ms" + got);
        where.setStackTrace(busiest());
        tellExecuted(className, method);
        records.finished(className, method, "cut", elapsed(), where);
        leave("cut");
    }

    /** Where the test hangs: its own thread, or, when that only waits for another, the one that runs. */
    private StackTraceElement[] busiest() {
        StackTraceElement[] own = worker.getStackTrace();
        for (Map.Entry<Thread, StackTraceElement[]> entry : Thread.getAllStackTraces().entrySet()) {
            Thread thread = entry.getKey();
            boolean ours = thread == this || thread == worker;
            boolean waits = worker.getState() != State.RUNNABLE;
            if (!ours && waits && thread.getState() == State.RUNNABLE && "Time-limited test".equals(thread.getName())) {
                return entry.getValue();
            }
        }
        return own;
    }

    /** Stands for a test that was cut. */
    static final class Cut extends Error {
        private static final long serialVersionUID = 1L;

        Cut(String message) {
            super(message, null, false, true);
        }
    }
}
