package unidebug.runner;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

/**
 * How long the running test had its chance. On a machine that is busy with other things, or that stops this process,
 * the wall clock goes on while the test stands still; a test that is quick must not be cut for that. So:
 * <ul>
 * <li>while some thread wants a processor, the processor time of this process counts,
 * <li>while all of them wait or sleep, the time that passes counts: nobody keeps them from going on,
 * <li>a look that comes late by itself counts as one that came in time: this process did not run either.
 * </ul>
 * Read from {@code /proc}; where that cannot be read, passing time counts. Used by one thread.
 */
final class Meter {
    /** Longest step between two looks that is believed, in nanoseconds. */
    private static final long STEP = 100_000_000;
    /** The kernel tells processor time in hundredths of a second. */
    private static final long TICK = 10_000_000;
    private static final long UNKNOWN = -1;
    private static final Path OWN = Paths.get("/proc/self/stat");
    private static final File TASKS = new File("/proc/self/task");

    private final String self = self();
    private long last;
    private long lastUsed;
    private long waited;
    private long wanted;
    private long used;

    /** A test begins. */
    void begin() {
        last = System.nanoTime();
        lastUsed = processorTime();
        waited = 0;
        wanted = 0;
        used = 0;
    }

    /** Looks at what happened since the last look. */
    void look() {
        long now = System.nanoTime();
        long usedNow = processorTime();
        long more = Math.max(0, usedNow - lastUsed);
        long step = Math.min(now - last, Math.max(STEP, more));
        if (usedNow == UNKNOWN || !wantsProcessor()) {
            waited += step;
        } else {
            wanted += step;
            used += more;
        }
        last = now;
        lastUsed = usedNow;
    }

    /** Milliseconds that count. Several busy threads count no more than one. */
    long counted() {
        return (waited + Math.min(wanted, used)) / 1_000_000;
    }

    /** Milliseconds this process was there, whether or not it got a processor. */
    long present() {
        return (waited + wanted) / 1_000_000;
    }

    private static long processorTime() {
        String[] stat = stat(OWN);
        try {
            return stat == null ? UNKNOWN : (Long.parseLong(stat[11]) + Long.parseLong(stat[12])) * TICK;
        } catch (NumberFormatException strange) {
            return UNKNOWN;
        }
    }

    /** Whether any thread but this one runs, waits for a processor, or for the disk. */
    private boolean wantsProcessor() {
        String[] tasks = TASKS.list();
        if (tasks == null) {
            return false;
        }
        for (String task : tasks) {
            String[] stat = task.equals(self) ? null : stat(TASKS.toPath().resolve(task).resolve("stat"));
            if (stat != null && (stat[0].equals("R") || stat[0].equals("D"))) {
                return true;
            }
        }
        return false;
    }

    /** The fields after the name, which may hold anything: state, then numbers. */
    private static String[] stat(Path file) {
        try {
            String text = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
            String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ");
            return fields.length > 12 ? fields : null;
        } catch (IOException | RuntimeException gone) {
            // A thread that ended, or a subject that forbids reading.
            return null;
        }
    }

    /** The kernel's number of this thread. */
    private static String self() {
        try {
            return Files.readSymbolicLink(Paths.get("/proc/thread-self")).getFileName().toString();
        } catch (IOException | RuntimeException unknown) {
            return "";
        }
    }
}
