package unidebug.runner;

import java.io.DataInputStream;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs tests once in this process and ends. The {@link Request} comes on descriptor 4, where it can be read only once, and
 * then a key for each test that begins. Records go to descriptor 3.
 */
public final class Cold {
    private Cold() {}

    public static void main(String[] args) throws Exception {
        try (DataInputStream in = new DataInputStream(new FileInputStream("/proc/self/fd/4"));
                OutputStream channel = new FileOutputStream("/proc/self/fd/3")) {
            Request request = Request.read(in);
            Records records = new Records(channel, in, request);
            if (request.plain) {
                // Users call from threads of any name.
                Thread.currentThread().setName(Request.threadName());
            }
            Clock clock = new Clock(records, request);
            clock.start();
            Session session = new Session(request, records, clock, adapters());
            session.run(Cold.class.getClassLoader());
            clock.stopWatching();
            Coverage.dump();
            records.over(session.why());
            Runtime.getRuntime().halt(0);
        }
    }

    /** The generations this runner was compiled for, which are those the subject's class path has. */
    static List<Adapter> adapters() {
        List<Adapter> found = new ArrayList<>();
        for (String name : new String[] {"unidebug.runner.JUnit4", "unidebug.runner.JUnit5"}) {
            try {
                found.add((Adapter) Class.forName(name).getDeclaredConstructor().newInstance());
            } catch (ReflectiveOperationException | LinkageError missing) {
                // The subject does not use it.
            }
        }
        return found;
    }
}
