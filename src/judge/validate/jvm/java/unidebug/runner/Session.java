package unidebug.runner;

import java.util.List;

/** All wanted classes, one after the other. */
final class Session {
    private final Request request;
    private final Records records;
    private final Clock clock;
    private final List<Adapter> adapters;

    Session(Request request, Records records, Clock clock, List<Adapter> adapters) {
        this.request = request;
        this.records = records;
        this.clock = clock;
        this.adapters = adapters;
    }

    /** Why the session ended: {@code done}, or {@code stopped} at the first test that must pass and did not, or when time is up. */
    String why() {
        return clock.stopped() ? "stopped" : "done";
    }

    void run(ClassLoader loader) {
        Thread.currentThread().setContextClassLoader(loader);
        for (String name : request.classes) {
            if (!clock.stopped() && request.wantsClass(name)) {
                one(name, loader);
            }
        }
    }

    private void one(String name, ClassLoader loader) {
        clock.entering(name);
        try {
            Class<?> type = Class.forName(name, false, loader);
            for (Adapter adapter : adapters) {
                if (!adapter.takes(type)) {
                    continue;
                }
                if (request.discover) {
                    adapter.discover(type, records);
                } else {
                    adapter.run(type, request, clock, records);
                }
            }
        } catch (ThreadDeath death) {
            throw death;
        } catch (Throwable broken) {
            // Loading, discovery or set-up failed: no test of this class runs, and the class says why.
            if (request.discover) {
                records.test(name, "", -1);
            } else {
                clock.failed(name, "", broken);
            }
        }
    }
}
