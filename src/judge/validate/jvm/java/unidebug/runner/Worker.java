package unidebug.runner;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TimeZone;

/**
 * Runs tests of one candidate after the other, each in a class loader of its own. Arguments: folders with copies of
 * resources, joined, then folders of the untouched classes. Requests come on descriptor 4: {@code C}, int classes, each
 * text name, int length, bytes: the candidate; {@code R}, text: a {@link Request} to run on it, then a key for each test
 * that begins. Records go to descriptor 3, the last of each run says {@code over}. A process that may be spoilt says so in
 * its last record and ends.
 */
public final class Worker {
    /** As deep as the JVM's own arguments say, so that recursions overflow where they do in a fresh process. */
    private static final long STACK = 0;

    private final Classes untouched;
    private final List<Adapter> adapters = Cold.adapters();
    private Map<String, byte[]> candidate = new HashMap<>();

    private Worker(Classes untouched) {
        this.untouched = untouched;
    }

    public static void main(String[] args) throws Exception {
        Path[] copied = paths(args[0].isEmpty() ? new String[0] : args[0].split(File.pathSeparator));
        Path[] folders = paths(Arrays.copyOfRange(args, 1, args.length));
        Worker worker = new Worker(new Classes(folders, copied));
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(new FileInputStream("/proc/self/fd/4")));
                OutputStream out = new FileOutputStream("/proc/self/fd/3")) {
            while (true) {
                int what = in.read();
                if (what == 'C') {
                    worker.candidate = readClasses(in);
                } else if (what == 'R') {
                    worker.run(Request.parse(Wire.readText(in)), in, out);
                } else {
                    break;
                }
            }
        } catch (EOFException over) {
            // Whoever asked is gone.
        }
        Runtime.getRuntime().halt(0);
    }

    private static Path[] paths(String[] names) {
        Path[] paths = new Path[names.length];
        for (int i = 0; i < names.length; i++) {
            paths[i] = Paths.get(names[i]);
        }
        return paths;
    }

    private static Map<String, byte[]> readClasses(DataInputStream in) throws IOException {
        int count = in.readInt();
        Map<String, byte[]> classes = new HashMap<>();
        for (int i = 0; i < count; i++) {
            String name = Wire.readText(in);
            classes.put(name, Wire.readBytes(in));
        }
        return classes;
    }

    private void run(Request request, DataInputStream in, OutputStream out) throws InterruptedException {
        State before = new State();
        Records records = new Records(out, in, request);
        Clock clock = new Clock(records, request);
        clock.start();
        ClassLoader loader = new Loader(untouched, candidate, Worker.class.getClassLoader());
        Session session = new Session(request, records, clock, adapters);
        Thread thread = new Thread(null, () -> session.run(loader), "main", STACK);
        thread.setContextClassLoader(loader);
        thread.start();
        thread.join();
        clock.stopWatching();
        boolean clean = before.restore();
        records.over(clean ? session.why() : session.why() + " dirty");
        if (!clean) {
            Runtime.getRuntime().halt(Clock.CUT);
        }
    }

    /** What belongs to the whole JVM and a test may have changed. */
    private static final class State {
        private final Properties properties = (Properties) System.getProperties().clone();
        private final Locale locale = Locale.getDefault();
        private final Locale display = Locale.getDefault(Locale.Category.DISPLAY);
        private final Locale format = Locale.getDefault(Locale.Category.FORMAT);
        private final TimeZone zone = TimeZone.getDefault();
        private final PrintStream out = System.out;
        private final PrintStream err = System.err;
        private final InputStream in = System.in;
        private final Thread.UncaughtExceptionHandler handler = Thread.getDefaultUncaughtExceptionHandler();
        private final Set<Thread> threads = new HashSet<>(Thread.getAllStackTraces().keySet());

        /** Puts everything back; false when something runs on that was not there before. */
        boolean restore() throws InterruptedException {
            System.setProperties((Properties) properties.clone());
            Locale.setDefault(locale);
            Locale.setDefault(Locale.Category.DISPLAY, display);
            Locale.setDefault(Locale.Category.FORMAT, format);
            TimeZone.setDefault(zone);
            System.setOut(out);
            System.setErr(err);
            System.setIn(in);
            Thread.setDefaultUncaughtExceptionHandler(handler);
            for (Thread thread : Thread.getAllStackTraces().keySet()) {
                if (!threads.contains(thread) && !isOfTheJvm(thread)) {
                    thread.join(50);
                    if (thread.isAlive()) {
                        return false;
                    }
                }
            }
            return true;
        }

        private static boolean isOfTheJvm(Thread thread) {
            String name = thread.getName();
            ThreadGroup group = thread.getThreadGroup();
            return thread instanceof Clock
                    || group == null
                    || "system".equals(group.getName()) && !"main".equals(name)
                    || name.startsWith("process reaper")
                    || name.startsWith("ForkJoinPool.commonPool");
        }
    }
}
