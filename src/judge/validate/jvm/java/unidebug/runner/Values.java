package unidebug.runner;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Tells values by what they hold: short, without addresses, and without a method of the subject but for the messages of its
 * exceptions. Of objects the fields are read.
 */
final class Values {
    private static final int VALUE = 160;
    private static final int TEXT = 80;
    private static final int ITEMS = 6;
    private static final int DEEP = 2;
    private static final Pattern SECRET =
            Pattern.compile("passw|secret|api_?key|private_?key|credential", Pattern.CASE_INSENSITIVE);
    /** Collections of the JDK that are read by their own iterators alone. */
    private static final Set<String> COLLECTIONS = new HashSet<>(Arrays.asList(
            "java.util.ArrayList", "java.util.LinkedList", "java.util.Arrays$ArrayList", "java.util.ArrayDeque",
            "java.util.HashSet", "java.util.LinkedHashSet", "java.util.TreeSet", "java.util.Stack", "java.util.Vector",
            "java.util.HashMap", "java.util.LinkedHashMap", "java.util.TreeMap", "java.util.Hashtable", "java.util.EnumMap",
            "java.util.IdentityHashMap", "java.util.concurrent.ConcurrentHashMap", "java.util.PriorityQueue",
            "java.util.concurrent.CopyOnWriteArrayList", "java.util.RegularEnumSet"));
    /** Types and packages of the JDK whose text is their value. */
    private static final String[] PLAIN = {
        "java.math.", "java.time.", "java.util.concurrent.atomic.AtomicInteger",
        "java.util.concurrent.atomic.AtomicLong", "java.util.concurrent.atomic.AtomicBoolean", "java.util.Locale", "java.util.UUID",
        "java.util.BitSet", "java.util.Currency", "java.util.regex.Pattern", "java.net.UR", "java.io.File", "sun.nio.fs.UnixPath",
        "java.util.OptionalInt", "java.util.OptionalLong", "java.util.OptionalDouble"
    };

    private Values() {}

    /** A value under its name: what the name says to be a secret is not told. */
    static String named(String name, Object value) {
        boolean secret = (value instanceof CharSequence || value instanceof char[]) && SECRET.matcher(name).find();
        return secret ? "(masked)" : text(value);
    }

    static String text(Object value) {
        try {
            return cut(of(value, 0, new ArrayList<>()), VALUE);
        } catch (Exception | LinkageError | StackOverflowError broken) {
            // A value that cannot be told is no reason to end a test.
            return "(" + broken.getClass().getSimpleName() + ")";
        }
    }

    /** Whether a value is of a type of the JDK that never changes, and whose text is all of it. */
    static boolean isPlain(Object value) {
        String name = value.getClass().getName();
        for (String plain : PLAIN) {
            if (name.startsWith(plain)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a type is a collection or map of the JDK that can be read. */
    static boolean isKnown(Class<?> type) {
        return COLLECTIONS.contains(type.getName());
    }

    private static String cut(String text, int most) {
        return text.length() <= most ? text : text.substring(0, most - 1) + "…";
    }

    private static String of(Object value, int deep, List<Object> around) {
        if (value == null) {
            return "null";
        }
        Class<?> type = value.getClass();
        String name = type.getName();
        if (value instanceof String) {
            return quoted((String) value);
        }
        if (value instanceof StringBuilder || value instanceof StringBuffer) {
            return quoted(value.toString());
        }
        if (value instanceof Character) {
            return "'" + value + "'";
        }
        if (value instanceof Class) {
            return ((Class<?>) value).getSimpleName() + ".class";
        }
        if (value instanceof Enum) {
            return ((Enum<?>) value).name();
        }
        if (name.startsWith("java.lang.") && (value instanceof Number || value instanceof Boolean)) {
            return value.toString();
        }
        if (type == java.util.Date.class) {
            return ((java.util.Date) value).toInstant().toString();
        }
        if (isPlain(value)) {
            String text = value.toString();
            return text.length() <= TEXT ? text : text.substring(0, TEXT) + "… (" + text.length() + " long)";
        }
        for (Object outer : around) {
            if (outer == value) {
                return "(cycle)";
            }
        }
        around.add(value);
        try {
            return whole(value, type, deep, around);
        } finally {
            around.remove(around.size() - 1);
        }
    }

    private static String quoted(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (char c : text.substring(0, Math.min(TEXT, text.length())).toCharArray()) {
            int at = "\n\r\t\b\f\"\\".indexOf(c);
            if (at >= 0) {
                out.append('\\').append("nrtbf\"\\".charAt(at));
            } else if (c < ' ' || c == 127) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return text.length() <= TEXT ? out.append('"').toString() : out.append("\"… (" + text.length() + " long)").toString();
    }

    private static String whole(Object value, Class<?> type, int deep, List<Object> around) {
        String name = type.getName();
        if (type.isArray()) {
            int size = Array.getLength(value);
            List<String> items = new ArrayList<>();
            for (int i = 0; i < Math.min(size, ITEMS) && deep < DEEP; i++) {
                items.add(of(Array.get(value, i), deep + 1, around));
            }
            return joined(items, size, "[", "]");
        }
        boolean known = COLLECTIONS.contains(name) || name.startsWith("java.util.ImmutableCollections")
                || name.startsWith("java.util.Collections$Empty") || name.startsWith("java.util.Collections$Singleton");
        if (known && value instanceof Collection) {
            return collection((Collection<?>) value, name, deep, around);
        }
        if (known && value instanceof Map) {
            return map((Map<?, ?>) value, name, deep, around);
        }
        if (value instanceof Optional) {
            return "Optional(" + of(((Optional<?>) value).orElse(null), deep + 1, around) + ")";
        }
        if (value instanceof Throwable) {
            return type.getSimpleName() + "(" + quoted(Records.messageOf((Throwable) value)) + ")";
        }
        String stream = Streams.text(value);
        if (stream != null) {
            return type.getSimpleName() + "(" + quoted(stream) + ")";
        }
        if (type.isSynthetic() || name.contains("$$Lambda")) {
            return "(lambda)";
        }
        return object(value, type, deep, around);
    }

    private static String collection(Collection<?> value, String name, int deep, List<Object> around) {
        // The order of what is hashed may go by addresses, which differ from run to run.
        boolean hashed = name.endsWith("HashSet") && !name.contains("Linked") || name.contains("ImmutableCollections$Set");
        List<String> items = new ArrayList<>();
        for (Object item : value) {
            if (items.size() >= (hashed ? 40 : ITEMS) || deep >= DEEP) {
                break;
            }
            items.add(of(item, deep + 1, around));
        }
        if (hashed) {
            Collections.sort(items);
        }
        return joined(items.subList(0, Math.min(ITEMS, items.size())), value.size(), "[", "]");
    }

    private static String map(Map<?, ?> value, String name, int deep, List<Object> around) {
        List<String> items = new ArrayList<>();
        boolean sorts = !name.contains("Linked") && !name.contains("Tree");
        for (Map.Entry<?, ?> entry : value.entrySet()) {
            if (items.size() >= (sorts ? 40 : ITEMS) || deep >= DEEP) {
                break;
            }
            String held = entry.getKey() instanceof String && entry.getValue() instanceof String
                    ? named((String) entry.getKey(), entry.getValue())
                    : of(entry.getValue(), deep + 1, around);
            items.add(of(entry.getKey(), deep + 1, around) + "=" + held);
        }
        if (sorts) {
            Collections.sort(items);
        }
        return joined(items.subList(0, Math.min(ITEMS, items.size())), value.size(), "{", "}");
    }

    private static String joined(List<String> items, int size, String left, String right) {
        String more = size <= items.size() ? "" : (items.isEmpty() ? "" : ", ") + "… " + size + " in all";
        return left + String.join(", ", items) + more + right;
    }

    private static String object(Object value, Class<?> type, int deep, List<Object> around) {
        List<String> fields = new ArrayList<>();
        int count = 0;
        for (Class<?> each = type; each != null && !each.getName().startsWith("java."); each = each.getSuperclass()) {
            for (Field field : each.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers()) || field.isSynthetic()) {
                    continue;
                }
                count++;
                Object held = deep < DEEP && fields.size() < ITEMS ? read(field, value) : MISSING;
                if (held != MISSING) {
                    boolean secret = held instanceof String && SECRET.matcher(field.getName()).find();
                    fields.add(field.getName() + "=" + (secret ? "(masked)" : of(held, deep + 1, around)));
                }
            }
        }
        String name = type.getSimpleName().isEmpty() ? type.getName() : type.getSimpleName();
        return name + joined(fields, count, "(", ")");
    }

    private static final Object MISSING = new Object();

    private static Object read(Field field, Object of) {
        try {
            field.setAccessible(true);
            return field.get(of);
        } catch (IllegalAccessException | RuntimeException closed) {
            return MISSING;
        }
    }

    /** What a name or number leads to from a value; {@code null} twice over when there is nothing. */
    static Object[] step(Object from, String step) {
        if (from == null) {
            return null;
        }
        boolean number = !step.isEmpty() && step.chars().allMatch(c -> c >= '0' && c <= '9') && step.length() < 9;
        if (number && from.getClass().isArray()) {
            int at = Integer.parseInt(step);
            return at < Array.getLength(from) ? new Object[] {Array.get(from, at)} : null;
        }
        if (number && from instanceof List && COLLECTIONS.contains(from.getClass().getName())) {
            int at = Integer.parseInt(step);
            return at < ((List<?>) from).size() ? new Object[] {((List<?>) from).get(at)} : null;
        }
        if (step.equals("length") && from.getClass().isArray()) {
            return new Object[] {Array.getLength(from)};
        }
        for (Class<?> each = from.getClass(); each != null; each = each.getSuperclass()) {
            for (Field field : each.getDeclaredFields()) {
                if (field.getName().equals(step)) {
                    Object held = read(field, from);
                    return held == MISSING ? null : new Object[] {held};
                }
            }
        }
        return null;
    }
}
