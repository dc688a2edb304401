package unidebug.runner;

import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
/**
 * What changed methods do with the inputs that tests give them, and with inputs near those. {@code DrawnWeaver} puts the
 * calls into the classes. While a test runs, the arguments of outermost calls are copied; once it is over the methods are
 * called with them, and with arguments near them, each twice: what differs then is left out. One JSON array a call: file,
 * method, whether the input is the test's own, input, result.
 */
public final class Drawn implements PerTest {
    /** Calls of a test that are looked at, and those of them that are kept. */
    private static final int LOOKS = 300;
    private static final int CALLS = 24;
    /** Of these, from each end, inputs near them are drawn. */
    private static final int ENDS = 3;
    private static final int DRAWN = 40;
    private static final int OF_TEST = 120;
    private static final int ALL_OWN = 600;
    private static final int ALL_DRAWN = 600;
    private static final int STEPS = 100_000;
    /** Characters of an exception's message. */
    private static final int MESSAGE = 120;
    /** Milliseconds for a test's inputs, and for all. */
    private static final long TEST_TIME = 1_500;
    private static final long ALL_TIME = 8_000;

    private static final List<Site> SITES = new ArrayList<>();
    private static final Set<String> NAMES = new HashSet<>();
    private static final List<Noted> CALLED = new ArrayList<>();
    private static int looks;
    private static Thread thread;
    /** The thread that calls with drawn inputs; no other counts steps. */
    private static volatile Thread drawing;
    private static volatile boolean over;
    private static int steps;

    private final List<String> absent = Arrays.asList(System.getProperty("unidebug.draw.absent", "").split(","));
    private final List<String> around = new Near(System.getProperty("unidebug.draw.around", "")).texts;
    private final Near near = new Near(System.getProperty("unidebug.draw.constants", ""));
    private final Map<String, String> known = new HashMap<>();
    private int ownLeft = ALL_OWN;
    private int drawnLeft = ALL_DRAWN;
    private long timeLeft = ALL_TIME;

    Drawn() {}

    /** A method that is called. */
    public static final class Site {
        final String file;
        final String function;
        final String method;
        final String descriptor;
        final String[] names;

        public Site(String file, String function, String method, String descriptor, List<String> names) {
            this.file = file;
            this.function = function;
            this.method = method;
            this.descriptor = descriptor;
            this.names = names.toArray(new String[0]);
        }
    }

    /** A call of a test. */
    private static final class Noted {
        final Site site;
        final Class<?> owner;
        final Object[] values;
        final String input;
        final String key;

        Noted(Site site, Class<?> owner, Object[] values) {
            this.site = site;
            this.owner = owner;
            this.values = values;
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < values.length; i++) {
                text.append(i == 0 ? "" : ", ").append(site.names[i]).append('=').append(Digest.text(site.names[i], values[i]));
            }
            this.input = text.toString();
            this.key = site.function + "(" + input;
        }
    }

    /** A call takes too many steps. */
    private static final class NoEnd extends Error {
        private static final long serialVersionUID = 1L;

        NoEnd() {
            super("no end", null, false, false);
        }
    }

    /** The number of a method. */
    public static synchronized int add(Site site) {
        SITES.add(site);
        NAMES.add(site.method);
        return SITES.size() - 1;
    }

    /** A loop goes round. */
    public static void step() {
        if (Thread.currentThread() == drawing && (++steps > STEPS || over)) {
            throw new NoEnd();
        }
    }

    /** A method begins with these values, its own object first. */
    public static void called(int number, Class<?> owner, Object[] values) {
        if (drawing != null) {
            step();
            return;
        }
        if (looks >= LOOKS || over || thread != null && thread != Thread.currentThread()) {
            return;
        }
        synchronized (Drawn.class) {
            note(SITES.get(number), owner, values);
        }
    }

    private static void note(Site site, Class<?> owner, Object[] values) {
        looks++;
        StackTraceElement[] stack = new Throwable().getStackTrace();
        // Our own two frames and the method's come first.
        for (int i = 3; i < stack.length; i++) {
            if (stack[i].getClassName().equals(owner.getName()) && NAMES.contains(stack[i].getMethodName())) {
                return;
            }
        }
        int looked = looks;
        looks = LOOKS;
        try {
            Noted call = new Noted(site, owner, Copies.of(values));
            thread = Thread.currentThread();
            // The first ones stay; of the others the newest.
            if (CALLED.size() >= CALLS) {
                CALLED.remove(CALLS / 2);
            }
            CALLED.add(call);
        } catch (Copies.NoCopy | RuntimeException | LinkageError refused) {
            // What cannot be copied cannot be given to several versions.
            return;
        } finally {
            looks = looked;
        }
    }

    @Override
    public void clear() {
        synchronized (Drawn.class) {
            CALLED.clear();
            looks = 0;
            thread = null;
        }
    }

    @Override
    public List<String> executed() {
        List<Noted> calls;
        synchronized (Drawn.class) {
            calls = new ArrayList<>(CALLED);
            clear();
        }
        List<String> told = Collections.synchronizedList(new ArrayList<>());
        if (calls.isEmpty() || isOver()) {
            return told;
        }
        Thread worker = new Thread(null, () -> draw(calls, told), Request.threadName());
        worker.setDaemon(true);
        worker.setContextClassLoader(Thread.currentThread().getContextClassLoader());
        long begin = System.nanoTime();
        PrintStream out = System.out;
        PrintStream err = System.err;
        PrintStream silent = new PrintStream(new Silent());
        System.setOut(silent);
        System.setErr(silent);
        drawing = worker;
        worker.start();
        join(worker, TEST_TIME);
        if (worker.isAlive()) {
            // It waits or computes where no step is counted: nothing more is called in this process.
            over = true;
            join(worker, 200);
        }
        drawing = null;
        System.setOut(out);
        System.setErr(err);
        timeLeft -= (System.nanoTime() - begin) / 1_000_000;
        synchronized (told) {
            return new ArrayList<>(told);
        }
    }

    @Override
    public boolean isOver() {
        return over || timeLeft <= 0 || ownLeft <= 0 && drawnLeft <= 0;
    }

    private static void join(Thread worker, long millis) {
        try {
            worker.join(millis);
        } catch (InterruptedException woken) {
            Thread.currentThread().interrupt();
        }
    }

    /** Takes what is printed, and keeps nothing. */
    private static final class Silent extends OutputStream {
        @Override
        public void write(int each) {}

        @Override
        public void write(byte[] bytes, int from, int count) {}
    }

    private void draw(List<Noted> calls, List<String> told) {
        List<Noted> different = new ArrayList<>();
        Set<String> inputs = new HashSet<>();
        for (Noted call : calls) {
            if (inputs.add(call.key)) {
                different.add(call);
                call(call, Origin.TEST, told);
            }
        }
        int left = OF_TEST;
        for (int i = 0; i < different.size(); i++) {
            boolean isEnd = i < ENDS || i >= different.size() - ENDS;
            if (around.isEmpty() ? isEnd : around.contains(different.get(i).key)) {
                left = near(different.get(i), left, told);
            }
        }
    }

    /** Where an input comes from: a test, or drawn near it by another argument, by none, or by another field of an object. */
    private enum Origin {
        TEST,
        ARGUMENTS,
        ABSENT,
        FIELDS
    }

    /** Calls with inputs near one. Of objects the fields are changed. */
    private int near(Noted call, int most, List<String> told) {
        List<Object> held = new ArrayList<>(Arrays.asList(call.values));
        List<Object[]> places = new ArrayList<>();
        for (int at = 0; at < call.values.length; at++) {
            boolean isOwn = call.values[at] != null && !call.values[at].getClass().getName().startsWith("java.");
            List<Field> fields = isOwn && !call.values[at].getClass().isArray() ? Copies.fields(call.values[at].getClass()) : null;
            for (Field field : fields == null ? new ArrayList<Field>() : fields) {
                try {
                    held.add(field.get(call.values[at]));
                    places.add(new Object[] {at, field});
                } catch (IllegalAccessException closed) {
                    continue;
                }
            }
        }
        int left = most;
        int drawn = 0;
        List<Integer> empty = new ArrayList<>();
        for (int at = 0; at < call.values.length; at++) {
            if (absent.contains(call.site.names[at])) {
                empty.add(at);
            }
        }
        for (List<Near.Change> changes : near.inputs(held, call.values.length, empty)) {
            if (drawn++ >= DRAWN || left <= 0) {
                break;
            }
            try {
                Object[] values = Copies.of(call.values);
                Origin origin = Origin.ARGUMENTS;
                for (Near.Change change : changes) {
                    Object value = Copies.of(new Object[] {change.value})[0];
                    if (change.at < values.length) {
                        values[change.at] = value;
                        origin = value == null ? Origin.ABSENT : origin;
                    } else {
                        origin = Origin.FIELDS;
                        Object[] place = places.get(change.at - values.length);
                        ((Field) place[1]).set(values[(Integer) place[0]], value);
                    }
                }
                left -= call(new Noted(call.site, call.owner, values), origin, told);
            } catch (Copies.NoCopy | ReflectiveOperationException | IllegalArgumentException refused) {
                continue;
            }
        }
        return left;
    }

    /** Calls with one input, unless it is known; how many calls that was. */
    private int call(Noted call, Origin origin, List<String> told) {
        boolean own = origin == Origin.TEST;
        if (known.containsKey(call.key)) {
            // What one test gives may have been drawn for another.
            if (own) {
                tell(call, origin, known.get(call.key), told);
            }
            return 0;
        }
        if (over || (own ? ownLeft : drawnLeft) <= 0) {
            return 0;
        }
        if (own) {
            ownLeft--;
        } else {
            drawnLeft--;
        }
        String result = result(call);
        if (over) {
            return 0;
        }
        known.put(call.key, result != null && result.equals(result(call)) ? result : null);
        tell(call, origin, known.get(call.key), told);
        return 1;
    }

    private static void tell(Noted call, Origin origin, String result, List<String> told) {
        if (result == null || over) {
            return;
        }
        StringBuilder out = new StringBuilder("[");
        Records.text(out, call.site.file);
        Records.text(out.append(','), call.site.function);
        Records.text(out.append(",\"").append(origin.name().toLowerCase(java.util.Locale.ROOT)).append("\","), call.input);
        Records.text(out.append(','), result);
        told.add(out.append(']').toString());
    }

    /** What comes of a call, and what it leaves of its values where it changes them; null where that cannot be known. */
    private static String result(Noted call) {
        try {
            Object[] values = Copies.of(call.values);
            StringBuilder text = new StringBuilder(outcome(call, values));
            String[] names = call.site.names;
            for (int i = 0; i < values.length; i++) {
                String after = Digest.text(names[i], values[i]);
                if (!after.equals(Digest.text(names[i], call.values[i]))) {
                    text.append(" and leaves ").append(names[i]).append('=').append(after);
                }
            }
            return text.toString();
        } catch (Copies.NoCopy | ReflectiveOperationException | IllegalArgumentException refused) {
            return null;
        }
    }

    private static String outcome(Noted call, Object[] values) throws ReflectiveOperationException {
        steps = 0;
        try {
            return "returns " + Digest.text("", Held.of(invoked(call, values)));
        } catch (InvocationTargetException thrown) {
            Throwable why = thrown.getCause();
            if (why instanceof NoEnd || why instanceof StackOverflowError) {
                return "no end";
            }
            if (why instanceof OutOfMemoryError) {
                over = true;
            }
            String message = Records.messageOf(why);
            String first = message.substring(0, Math.min(MESSAGE, message.length()));
            return "raises " + why.getClass().getSimpleName() + (message.isEmpty() ? "" : ": " + first);
        }
    }

    private static Object invoked(Noted call, Object[] values) throws ReflectiveOperationException {
        ClassLoader loader = call.owner.getClassLoader();
        Class<?>[] types = java.lang.invoke.MethodType.fromMethodDescriptorString(call.site.descriptor, loader).parameterArray();
        if (call.site.method.equals("<init>")) {
            Constructor<?> constructor = call.owner.getDeclaredConstructor(types);
            constructor.setAccessible(true);
            return constructor.newInstance(values);
        }
        Method method = call.owner.getDeclaredMethod(call.site.method, types);
        method.setAccessible(true);
        boolean isStatic = Modifier.isStatic(method.getModifiers());
        Object result = method.invoke(isStatic ? null : values[0], isStatic ? values : Arrays.copyOfRange(values, 1, values.length));
        return method.getReturnType() == void.class ? None.nothing : result;
    }

    /** What a method without a result gives. */
    private enum None {
        nothing
    }
}
