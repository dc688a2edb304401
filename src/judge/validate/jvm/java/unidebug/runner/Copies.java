package unidebug.runner;

import java.io.Closeable;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Copies values as deep as they go, so that what one call does to its arguments reaches no other call. Of the project's
 * objects the fields are copied; no method of theirs runs but what collections ask of their keys.
 */
final class Copies {
    private static final int MOST = 2_000;
    /** What never changes, or what many share on purpose. */
    private static final String[] SHARED = {
        "java.util.regex.Pattern", "java.lang.ThreadLocal", "java.lang.ref.", "java.lang.reflect.", "java.util.Collections$", "java.util.ImmutableCollections",
        "java.util.concurrent.locks.", "sun.nio.cs.", "java.nio.charset.", "java.text.DecimalFormatSymbols", "java.util.Comparators", "java.util.Optional"
    };
    private static final Map<Class<?>, List<Field>> FIELDS = new HashMap<>();

    private final Map<Object, Object> done = new IdentityHashMap<>();

    private Copies() {}

    /** A value holds something that cannot be copied, or too much. */
    static final class NoCopy extends Exception {
        private static final long serialVersionUID = 1L;

        NoCopy(String what) {
            super(what, null, false, false);
        }
    }

    /** Copies of all values; what two of them share, their copies share. */
    static Object[] of(Object[] values) throws NoCopy {
        try {
            return (Object[]) new Copies().copy(values);
        } catch (ReflectiveOperationException | RuntimeException | LinkageError | StackOverflowError broken) {
            throw new NoCopy(broken.toString());
        }
    }

    private Object copy(Object value) throws NoCopy, ReflectiveOperationException {
        if (value == null || isShared(value)) {
            return value;
        }
        Object known = done.get(value);
        if (known != null) {
            return known;
        }
        if (done.size() >= MOST) {
            throw new NoCopy("too much");
        }
        Class<?> type = value.getClass();
        if (type.isArray()) {
            return array(value, type);
        }
        return type.getName().startsWith("java.") ? ofLibrary(value, type) : object(value, type);
    }

    private static boolean isShared(Object value) {
        Class<?> type = value.getClass();
        String name = type.getName();
        boolean changes = value instanceof Cloneable || value instanceof Closeable || name.contains(".atomic.");
        if (value instanceof Enum || value instanceof Class || Values.isPlain(value) && !changes || name.contains("Logger")) {
            return true;
        }
        if (name.startsWith("java.lang.") && (value instanceof String || value instanceof Number || value instanceof Boolean || value instanceof Character)) {
            return true;
        }
        for (String shared : SHARED) {
            if (name.startsWith(shared)) {
                return true;
            }
        }
        Class<?> above = type.getSuperclass();
        return type.isSynthetic() || name.contains("$$Lambda") || above != null && above.getName().equals("java.lang.Record");
    }

    private Object array(Object value, Class<?> type) throws NoCopy, ReflectiveOperationException {
        int size = Array.getLength(value);
        Object made = Array.newInstance(type.getComponentType(), size);
        done.put(value, made);
        if (type.getComponentType().isPrimitive()) {
            System.arraycopy(value, 0, made, 0, size);
            return made;
        }
        for (int i = 0; i < size; i++) {
            Array.set(made, i, copy(Array.get(value, i)));
        }
        return made;
    }

    private Object ofLibrary(Object value, Class<?> type) throws NoCopy, ReflectiveOperationException {
        if (value instanceof StringBuilder) {
            return kept(value, new StringBuilder((StringBuilder) value));
        }
        if (value instanceof StringBuffer) {
            return kept(value, new StringBuffer((StringBuffer) value));
        }
        if (type == Object.class) {
            return kept(value, new Object());
        }
        if (type.getName().equals("java.util.Arrays$ArrayList")) {
            return kept(value, java.util.Arrays.asList((Object[]) copy(((List<?>) value).toArray())));
        }
        if (value instanceof AtomicInteger) {
            return kept(value, new AtomicInteger(((AtomicInteger) value).get()));
        }
        if (value instanceof AtomicLong) {
            return kept(value, new AtomicLong(((AtomicLong) value).get()));
        }
        if (value instanceof AtomicBoolean) {
            return kept(value, new AtomicBoolean(((AtomicBoolean) value).get()));
        }
        if (value instanceof Cloneable && !(value instanceof Collection) && !(value instanceof Map)) {
            return kept(value, type.getMethod("clone").invoke(value));
        }
        String stream = Streams.text(value);
        if (stream != null) {
            return kept(value, Streams.like(value, stream));
        }
        if (!Values.isKnown(type)) {
            throw new NoCopy(type.getName());
        }
        return value instanceof Map ? map((Map<?, ?>) value, type) : collection((Collection<?>) value, type);
    }

    private Object kept(Object value, Object made) {
        done.put(value, made);
        return made;
    }

    @SuppressWarnings("unchecked")
    private Object map(Map<?, ?> value, Class<?> type) throws NoCopy, ReflectiveOperationException {
        Map<Object, Object> made;
        if (value instanceof TreeMap) {
            made = new TreeMap<>((Comparator<Object>) ((TreeMap<?, ?>) value).comparator());
        } else if (type.getName().equals("java.util.EnumMap")) {
            made = (Map<Object, Object>) type.getMethod("clone").invoke(value);
        } else {
            made = (Map<Object, Object>) type.getConstructor().newInstance();
        }
        done.put(value, made);
        for (Map.Entry<?, ?> entry : value.entrySet()) {
            made.put(copy(entry.getKey()), copy(entry.getValue()));
        }
        return made;
    }

    @SuppressWarnings("unchecked")
    private Object collection(Collection<?> value, Class<?> type) throws NoCopy, ReflectiveOperationException {
        if (value instanceof java.util.EnumSet) {
            return kept(value, ((java.util.EnumSet<?>) value).clone());
        }
        Collection<Object> made;
        if (value instanceof TreeSet) {
            made = new TreeSet<>((Comparator<Object>) ((TreeSet<?>) value).comparator());
        } else if (value instanceof PriorityQueue) {
            made = new PriorityQueue<>((Comparator<Object>) ((PriorityQueue<?>) value).comparator());
        } else {
            made = (Collection<Object>) type.getConstructor().newInstance();
        }
        done.put(value, made);
        for (Object item : value) {
            made.add(copy(item));
        }
        return made;
    }

    private Object object(Object value, Class<?> type) throws NoCopy, ReflectiveOperationException {
        String name = type.getName();
        boolean generated = name.contains("$Proxy") || name.contains("Mockito") || name.contains("CGLIB") || name.contains("ByteBuddy");
        if (generated || name.startsWith("jdk.") || name.startsWith("sun.") || name.startsWith("com.sun.")) {
            throw new NoCopy(name);
        }
        List<Field> fields = fields(type);
        if (fields == null) {
            throw new NoCopy(name);
        }
        Object made = Empty.of(type);
        done.put(value, made);
        for (Field field : fields) {
            Object held = field.get(value);
            field.set(made, field.getType().isPrimitive() ? held : copy(held));
        }
        return made;
    }

    /** The fields of a class of the project, its own and inherited; null where some are out of reach. */
    static List<Field> fields(Class<?> type) {
        synchronized (FIELDS) {
            return FIELDS.computeIfAbsent(type, Copies::found);
        }
    }

    private static List<Field> found(Class<?> type) {
        List<Field> found = new ArrayList<>();
        for (Class<?> each = type; each != Object.class && each != null; each = each.getSuperclass()) {
            if (each.getName().startsWith("java.")) {
                // The abstract collections hold only what their views need.
                return each.getName().startsWith("java.util.Abstract") || each == Number.class ? found : null;
            }
            for (Field field : each.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers())) {
                    field.setAccessible(true);
                    found.add(field);
                }
            }
        }
        return found;
    }

    /** Objects without a call of their constructor. */
    private static final class Empty {
        private static final Object UNSAFE = unsafe();
        private static final Method ALLOCATE = allocate();

        private static Object unsafe() {
            try {
                Constructor<?> constructor = Class.forName("sun.misc.Unsafe").getDeclaredConstructor();
                constructor.setAccessible(true);
                return constructor.newInstance();
            } catch (ReflectiveOperationException | RuntimeException closed) {
                return null;
            }
        }

        private static Method allocate() {
            try {
                return Class.forName("sun.misc.Unsafe").getMethod("allocateInstance", Class.class);
            } catch (ReflectiveOperationException | RuntimeException closed) {
                return null;
            }
        }

        static Object of(Class<?> type) throws NoCopy, ReflectiveOperationException {
            if (UNSAFE == null || ALLOCATE == null || Modifier.isAbstract(type.getModifiers())) {
                throw new NoCopy(type.getName());
            }
            return ALLOCATE.invoke(UNSAFE, type);
        }
    }
}
