package unidebug.runner;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.security.CodeSource;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.Ignore;
import org.junit.Test;
import org.junit.runner.Description;
import org.junit.runner.Request;
import org.junit.runner.RunWith;
import org.junit.runner.Runner;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.manipulation.Filterable;
import org.junit.runner.manipulation.NoTestsRemainException;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;
import org.junit.runner.notification.RunNotifier;
import org.junit.runner.notification.StoppedByUserException;

/** JUnit 3 style and JUnit 4 tests, through JUnit 4. */
final class JUnit4 implements Adapter {
    @Override
    public boolean takes(Class<?> type) {
        if (junit.framework.TestCase.class.isAssignableFrom(type)) {
            return !Modifier.isAbstract(type.getModifiers());
        }
        RunWith runWith = type.getAnnotation(RunWith.class);
        if (runWith != null) {
            // The members of a plain suite run by themselves; through the suite they would run twice.
            return runWith.value() != org.junit.runners.Suite.class && !Modifier.isAbstract(type.getModifiers());
        }
        return !Modifier.isAbstract(type.getModifiers()) && declaresTests(type);
    }

    private static boolean declaresTests(Class<?> type) {
        for (Method method : type.getMethods()) {
            if (method.isAnnotationPresent(Test.class)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void run(Class<?> type, unidebug.runner.Request request, Clock clock, Records records) {
        Runner runner = Request.aClass(type).getRunner();
        if (request.plain && Bare.takes(type)) {
            new Bare(type, runner.getDescription(), request, clock, records).run();
            return;
        }
        Listener listener = new Listener(type, clock, records);
        try {
            if (runner instanceof Filterable) {
                ((Filterable) runner).filter(new Wanted(type, request));
            }
        } catch (NoTestsRemainException nothing) {
            return;
        }
        RunNotifier notifier = new RunNotifier();
        listener.notifier = notifier;
        notifier.addListener(listener);
        try {
            runner.run(notifier);
        } catch (StoppedByUserException stopped) {
            // Asked for by the listener.
        }
    }

    @Override
    public void discover(Class<?> type, Records records) {
        discover(Request.aClass(type).getRunner().getDescription(), type, records);
    }

    private static void discover(Description description, Class<?> type, Records records) {
        if (description.isTest()) {
            String method = methodOf(description, type);
            records.test(classOf(description, type), method, method.isEmpty() ? -1 : 1);
        }
        for (Description child : description.getChildren()) {
            discover(child, type, records);
        }
    }

    /** The class that a test is told of: its own, or the class that runs, when its own comes from a library. */
    static String classOf(Description description, Class<?> type) {
        String name = description.getClassName();
        boolean unnamed = name == null || name.isEmpty() || "null".equals(name);
        return unnamed || isForeign(description, type) ? type.getName() : name;
    }

    /** The method that a test is told of. Nobody could ask for one in a library's class, so its class stands before it. */
    static String methodOf(Description description, Class<?> type) {
        String name = description.getMethodName();
        // A runner that cannot be made for a class tells so by a test of this name: no test of the class runs.
        if (name == null || "initializationError".equals(name)) {
            return "";
        }
        return isForeign(description, type) ? description.getTestClass().getSimpleName() + "." + name : name;
    }

    private static boolean isForeign(Description description, Class<?> type) {
        Class<?> own = description.getTestClass();
        return own != null && !Objects.equals(place(own), place(type));
    }

    /** Where a class comes from: its loader and its folder or jar. */
    private static List<Object> place(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        return Arrays.asList(type.getClassLoader(), source == null ? null : source.getLocation());
    }

    private static final class Wanted extends Filter {
        private final Class<?> type;
        private final unidebug.runner.Request request;

        Wanted(Class<?> type, unidebug.runner.Request request) {
            this.type = type;
            this.request = request;
        }

        @Override
        public boolean shouldRun(Description description) {
            if (description.isTest()) {
                return request.wants(classOf(description, type), methodOf(description, type));
            }
            for (Description child : description.getChildren()) {
                if (shouldRun(child)) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public String describe() {
            return "wanted tests";
        }
    }

    private static final class Listener extends RunListener {
        private final Class<?> type;
        private final Clock clock;
        private final Records records;
        private final Set<Description> ended = new HashSet<>();
        private Failure failure;
        private boolean assumption;
        private RunNotifier notifier;

        Listener(Class<?> type, Clock clock, Records records) {
            this.type = type;
            this.clock = clock;
            this.records = records;
        }

        @Override
        public void testStarted(Description description) {
            failure = null;
            assumption = false;
            clock.started(classOf(description, type), methodOf(description, type));
        }

        @Override
        public void testFailure(Failure failure) {
            Description description = failure.getDescription();
            if (description.isTest() && !methodOf(description, type).isEmpty()) {
                if (this.failure == null) {
                    this.failure = failure;
                }
                return;
            }
            // Set-up of a whole class: no test of it ran, and the class itself is told as failed.
            clock.failed(classOf(description, type), "", failure.getException());
        }

        @Override
        public void testAssumptionFailure(Failure failure) {
            Description description = failure.getDescription();
            if (description.isTest()) {
                assumption = true;
                if (this.failure == null) {
                    this.failure = failure;
                }
                return;
            }
            for (Description child : description.getChildren()) {
                records.skipped(classOf(child, type), methodOf(child, type), String.valueOf(failure.getMessage()));
            }
        }

        @Override
        public void testIgnored(Description description) {
            if (description.isTest()) {
                Ignore ignore = description.getAnnotation(Ignore.class);
                records.skipped(classOf(description, type), methodOf(description, type), ignore == null ? "" : ignore.value());
                return;
            }
            if (description.getChildren().isEmpty()) {
                records.skipped(classOf(description, type), "", "ignored");
            }
            for (Description child : description.getChildren()) {
                testIgnored(child);
            }
        }

        @Override
        public void testFinished(Description description) {
            if (!ended.add(description) && description.getMethodName() == null) {
                return;
            }
            String className = classOf(description, type);
            String method = methodOf(description, type);
            if (failure == null) {
                clock.passed(className, method);
            } else if (assumption) {
                clock.skipped(className, method, failure.getException());
            } else {
                clock.failed(className, method, failure.getException());
            }
            if (clock.stopped()) {
                notifier.pleaseStop();
            }
        }
    }
}
