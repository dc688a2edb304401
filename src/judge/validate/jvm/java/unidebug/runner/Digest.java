package unidebug.runner;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A number for all that a value holds, for those that are too long to be told whole. No method of the project runs. */
final class Digest {
    private static final int MOST = 5_000;
    private static final int DEEP = 40;
    private final Map<Object, Integer> known = new IdentityHashMap<>();

    private Digest() {}

    /** The value as text, with its number where the text leaves something out. */
    static String text(String name, Object value) {
        String text = Values.named(name, value);
        boolean whole = text.indexOf('…') < 0 && !text.contains(" in all");
        return whole ? text : text + " #" + Long.toHexString(new Digest().of(value, 0));
    }

    private long of(Object value, int deep) {
        if (value == null || deep > DEEP || known.size() > MOST) {
            return 1;
        }
        Class<?> type = value.getClass();
        if (value instanceof CharSequence && type.getName().startsWith("java.lang.")) {
            return mixed(2, value.toString().hashCode());
        }
        if (value instanceof Enum) {
            return mixed(3, ((Enum<?>) value).name().hashCode());
        }
        boolean isSimple = value instanceof Number || value instanceof Boolean || value instanceof Character;
        if (Values.isPlain(value) || isSimple && type.getName().startsWith("java.lang.")) {
            return mixed(4, value.toString().hashCode());
        }
        Integer before = known.putIfAbsent(value, known.size());
        if (before != null) {
            return mixed(5, before);
        }
        if (type.isArray()) {
            long all = 6;
            for (int i = 0; i < Array.getLength(value); i++) {
                all = mixed(all, of(Array.get(value, i), deep + 1));
            }
            return all;
        }
        if (type.getName().startsWith("java.")) {
            return ofLibrary(value, type, deep);
        }
        return object(value, type, deep);
    }

    private long ofLibrary(Object value, Class<?> type, int deep) {
        if (value instanceof Collection && !type.getName().contains("$Sub")) {
            long all = 7;
            for (Object item : (Collection<?>) value) {
                long one = of(item, deep + 1);
                // What is hashed may have another order in each run.
                all = value instanceof Set ? all + mixed(8, one) : mixed(all, one);
            }
            return all;
        }
        if (value instanceof Map) {
            long all = 9;
            for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
                all += mixed(of(entry.getKey(), deep + 1), of(entry.getValue(), deep + 1));
            }
            return all;
        }
        String stream = Streams.text(value);
        return mixed(type.getName().hashCode(), stream == null ? 0 : stream.hashCode());
    }

    private long object(Object value, Class<?> type, int deep) {
        long all = type.isSynthetic() || type.getName().contains("$$Lambda") ? 10 : type.getName().hashCode();
        List<Field> fields = Copies.fields(type);
        for (Field field : fields == null ? new java.util.ArrayList<Field>() : fields) {
            if (field.isSynthetic() || Modifier.isTransient(field.getModifiers())) {
                continue;
            }
            try {
                all += mixed(field.getName().hashCode(), of(field.get(value), deep + 1));
            } catch (IllegalAccessException closed) {
                // It counts for nothing in all versions alike.
                continue;
            }
        }
        return all;
    }

    private static long mixed(long one, long other) {
        long mixed = (one ^ Long.rotateLeft(other, 29)) * 0x9e3779b97f4a7c15L + other;
        return mixed ^ mixed >>> 31;
    }
}
