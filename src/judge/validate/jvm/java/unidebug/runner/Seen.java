package unidebug.runner;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a test does in the methods that are watched: calls, lines with the values that changed, results, exceptions that are
 * caught. {@code Weaver} puts the calls into the classes. One JSON array an event, the first and the newest of each test; now
 * and then all values are told anew, because of what is left out between them. It ends after a number of steps, so that the
 * same test always tells the same, even one that never ends.
 */
public final class Seen implements PerTest {
    private static final int FIRST = 200;
    private static final int KEPT = 3_000;
    private static final int STEPS = 20_000;
    private static final int WHOLE = 500;

    private static final List<Site> SITES = new ArrayList<>();
    private static final List<String> FIRST_EVENTS = new ArrayList<>();
    private static final ArrayDeque<String> EVENTS = new ArrayDeque<>();
    private static final List<Frame> FRAMES = new ArrayList<>();
    private static final List<String[]> PATHS = paths();
    /** Of arguments nothing is followed. */
    private static final List<String[]> NO_PATHS = new ArrayList<>();
    private static int steps;
    private static Thread thread;
    /** Whether a value is being read: what the subject does meanwhile is not its test's. */
    private static boolean busy;

    Seen() {}

    /** A place in a method, with the names of the values that are told there. */
    public static final class Site {
        final String file;
        final String method;
        final int line;
        final String[] names;

        public Site(String file, String method, int line, List<String> names) {
            this.file = file;
            this.method = method;
            this.line = line;
            this.names = names.toArray(new String[0]);
        }
    }

    /** A call of a watched method that is not over. */
    private static final class Frame {
        final int depth;
        final String method;
        final Map<String, String> told = new HashMap<>();

        Frame(int depth, String method) {
            this.depth = depth;
            this.method = method;
        }
    }

    /** The number of a place. */
    public static synchronized int add(Site site) {
        SITES.add(site);
        return SITES.size() - 1;
    }

    private static List<String[]> paths() {
        List<String[]> paths = new ArrayList<>();
        for (String path : System.getProperty("unidebug.observe.names", "").split("\\|")) {
            String[] steps = path.replace("]", "").split("[.\\[]");
            if (steps.length > 1) {
                paths.add(steps);
            }
        }
        return paths;
    }

    @Override
    public void clear() {
        synchronized (Seen.class) {
            FIRST_EVENTS.clear();
            EVENTS.clear();
            FRAMES.clear();
            steps = 0;
            thread = null;
        }
    }

    @Override
    public List<String> executed() {
        synchronized (Seen.class) {
            List<String> events = new ArrayList<>(FIRST_EVENTS);
            events.addAll(EVENTS);
            clear();
            return events;
        }
    }

    /** A method begins with these arguments. */
    public static void entered(int site, Object[] values) {
        tell('c', site, values, null, null);
    }

    /** A line begins. */
    public static void line(int site, Object[] values) {
        tell('l', site, values, null, null);
    }

    /** A method returns. */
    public static void returned(int site, Object[] values, Object result) {
        tell('r', site, values, result, null);
    }

    /** A method returns nothing. */
    public static void ended(int site, Object[] values) {
        tell('r', site, values, null, "void");
    }

    /** An exception is caught here, or thrown by a statement. */
    public static void caught(int site, Throwable error) {
        tell('h', site, null, error, null);
    }

    /** A statement throws. */
    public static void thrown(int site, Throwable error) {
        tell('x', site, null, error, null);
    }

    private static synchronized void tell(char kind, int number, Object[] values, Object result, String text) {
        Thread now = Thread.currentThread();
        if (busy || steps >= STEPS || thread != null && thread != now) {
            return;
        }
        busy = true;
        try {
            thread = now;
            steps++;
            Site site = SITES.get(number);
            Frame frame = frame(kind, site, new Throwable().getStackTrace().length);
            StringBuilder out = new StringBuilder("[\"").append(kind).append("\",").append(FRAMES.size()).append(',');
            Records.text(out, site.file);
            Records.text(out.append(',').append(site.line).append(','), site.method);
            if (values != null) {
                changed(out.append(','), site, frame, values, kind == 'c' ? NO_PATHS : PATHS);
            } else {
                Records.text(out.append(','), result.getClass().getSimpleName());
                Records.text(out.append(','), Records.messageOf((Throwable) result));
            }
            if (kind == 'r') {
                Records.text(out.append(','), text != null ? text : Values.text(result));
                FRAMES.remove(frame);
            }
            keep(out.append(']').toString());
        } finally {
            busy = false;
        }
    }

    private static void keep(String event) {
        if (steps <= FIRST) {
            FIRST_EVENTS.add(event);
            return;
        }
        if (EVENTS.size() >= KEPT - FIRST) {
            EVENTS.removeFirst();
        }
        EVENTS.add(event);
        if (steps % WHOLE == 0) {
            FRAMES.forEach(frame -> frame.told.clear());
        }
    }

    /** The call that tells: those above it on the stack are over, by an exception if nothing was told of it. */
    private static Frame frame(char kind, Site site, int depth) {
        while (!FRAMES.isEmpty() && FRAMES.get(FRAMES.size() - 1).depth > depth) {
            FRAMES.remove(FRAMES.size() - 1);
        }
        Frame last = FRAMES.isEmpty() ? null : FRAMES.get(FRAMES.size() - 1);
        boolean same = last != null && last.depth == depth;
        if (same && kind != 'c' && last.method.equals(site.method)) {
            return last;
        }
        if (same) {
            FRAMES.remove(last);
        }
        Frame frame = new Frame(depth, site.method);
        FRAMES.add(frame);
        return frame;
    }

    private static void changed(StringBuilder out, Site site, Frame frame, Object[] values, List<String[]> paths) {
        out.append('[');
        boolean first = true;
        Map<String, Object> held = new HashMap<>();
        for (int i = 0; i < values.length; i++) {
            held.put(site.names[i], values[i]);
            first = value(out, frame, site.names[i], Values.named(site.names[i], values[i]), first);
        }
        for (String[] path : paths) {
            Object[] at = held.containsKey(path[0]) ? new Object[] {held.get(path[0])} : null;
            for (int i = 1; i < path.length && at != null; i++) {
                at = Values.step(at[0], path[i]);
            }
            if (at != null) {
                first = value(out, frame, String.join(".", path), Values.named(path[path.length - 1], at[0]), first);
            }
        }
        out.append(']');
    }

    private static boolean value(StringBuilder out, Frame frame, String name, String text, boolean first) {
        if (text.equals(frame.told.put(name, text))) {
            return first;
        }
        Records.text(out.append(first ? "[" : ",["), name);
        Records.text(out.append(','), text);
        out.append(']');
        return false;
    }
}
