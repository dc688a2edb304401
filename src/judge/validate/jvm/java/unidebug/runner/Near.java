package unidebug.runner;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * Draws inputs near an observed one: one more and one less, shorter and longer, and the edges that the code decides by. The
 * same input and the same constants always give the same ones: what several versions do with them can be compared.
 */
final class Near {
    private static final int EACH = 15;
    private static final int PAIRS = 16;
    /** Turns of an argument for one of a field. */
    private static final int TURNS = 3;
    private final List<Double> numbers = new ArrayList<>();
    /** The texts among the constants. */
    final List<String> texts = new ArrayList<>();

    /** Constants are `n` with a number or `t` with the text's UTF-8 bytes in hexadecimal digits, joined by commas. */
    Near(String constants) {
        for (String each : constants.split(",")) {
            if (each.startsWith("n")) {
                numbers.add(Double.valueOf(each.substring(1)));
            } else if (each.startsWith("t")) {
                byte[] bytes = new byte[each.length() / 2];
                for (int i = 0; i < bytes.length; i++) {
                    bytes[i] = (byte) Integer.parseInt(each.substring(2 * i + 1, 2 * i + 3), 16);
                }
                texts.add(new String(bytes, java.nio.charset.StandardCharsets.UTF_8));
            }
        }
    }

    /** One value in the place of another. */
    static final class Change {
        final int at;
        final Object value;

        Change(int at, Object value) {
            this.at = at;
            this.value = value;
        }
    }

    /**
     * Changes of some values: of one place first, each place in turn, then of two at once. The first values are arguments,
     * which take several turns for each that a field takes: an object may have many fields. In the places that are absent
     * there may be null.
     */
    List<List<Change>> inputs(List<Object> values, int arguments, List<Integer> absent) {
        List<List<Object>> each = new ArrayList<>();
        int longest = 0;
        for (int at = 0; at < values.size(); at++) {
            each.add(of(values.get(at), values));
            if (absent.contains(at) && values.get(at) != null) {
                each.get(at).add(0, null);
            }
            longest = Math.max(longest, each.get(at).size());
        }
        List<List<Change>> found = new ArrayList<>();
        for (int row = 0; row < longest; row++) {
            for (int at = 0; at < each.size(); at++) {
                int turns = at < arguments ? TURNS : 1;
                for (int i = row * turns; i < (row + 1) * turns && i < each.get(at).size(); i++) {
                    found.add(Collections.singletonList(new Change(at, each.get(at).get(i))));
                }
            }
        }
        List<Integer> places = new ArrayList<>();
        for (int at = 0; at < each.size(); at++) {
            if (!each.get(at).isEmpty()) {
                places.add(at);
            }
        }
        Random chance = new Random(values.size());
        for (int i = 0; i < PAIRS && places.size() > 1; i++) {
            Collections.shuffle(places, chance);
            List<Change> both = new ArrayList<>();
            for (int at : places.subList(0, 2)) {
                both.add(new Change(at, each.get(at).get(chance.nextInt(each.get(at).size()))));
            }
            found.add(both);
        }
        return found;
    }

    /** Values near one, without itself; nothing where it is not known how to draw. */
    private List<Object> of(Object value, List<Object> others) {
        List<Object> found = new ArrayList<>();
        if (value instanceof Boolean) {
            found.add(!(Boolean) value);
        } else if (value instanceof Enum) {
            Collections.addAll(found, ((Enum<?>) value).getDeclaringClass().getEnumConstants());
        } else if (value instanceof Character) {
            ofCharacter((Character) value, found);
        } else if (value instanceof Double || value instanceof Float) {
            ofFraction((Number) value, found);
        } else if (value instanceof Number && value.getClass().getName().startsWith("java.lang.")) {
            ofNumber((Number) value, others, found);
        } else if (value instanceof String) {
            ofText((String) value, others, found);
        } else if (value != null && Streams.isRead(value) && Streams.text(value) != null) {
            List<Object> texts = new ArrayList<>();
            ofText(Streams.text(value), others, texts);
            texts.forEach(text -> found.add(Streams.like(value, (String) text)));
        } else if (value != null && value.getClass().isArray()) {
            ofArray(value, found);
        } else if (value != null && Values.isKnown(value.getClass())) {
            ofItems(value, found);
        }
        return without(value, found);
    }

    private static List<Object> without(Object value, List<Object> found) {
        List<Object> kept = new ArrayList<>();
        List<String> known = new ArrayList<>();
        known.add(Digest.text("", value));
        for (Object near : found) {
            String text = Digest.text("", near);
            if (kept.size() < EACH && !known.contains(text)) {
                known.add(text);
                kept.add(near);
            }
        }
        return kept;
    }

    private void ofCharacter(char value, List<Object> found) {
        Collections.addAll(found, (char) (value + 1), (char) (value - 1));
        found.add(Character.isUpperCase(value) ? Character.toLowerCase(value) : Character.toUpperCase(value));
        for (String text : texts) {
            if (text.length() == 1) {
                found.add(text.charAt(0));
            }
        }
        Collections.addAll(found, 'a', 'Z', '0', ' ');
    }

    private void ofFraction(Number value, List<Object> found) {
        double one = value.doubleValue();
        List<Double> near = new ArrayList<>();
        Collections.addAll(near, one - 0.5, one + 0.5, 0.0, -one, 2 * one, one + 7);
        for (double number : numbers) {
            Collections.addAll(near, number, number - 0.5, number + 0.5);
        }
        for (double each : near) {
            if (!Double.isInfinite(each) && !Double.isNaN(each)) {
                found.add(value instanceof Float ? (Object) (float) each : (Object) each);
            }
        }
    }

    private void ofNumber(Number value, List<Object> others, List<Object> found) {
        long one = value.longValue();
        List<Long> near = new ArrayList<>();
        Collections.addAll(near, one - 1, one + 1, 0L, -1L, 1L, -one);
        for (Object other : others) {
            // Numbers are often compared with each other, and with lengths.
            boolean isOther = other instanceof Number && other.getClass() == value.getClass() && !other.equals(value);
            long edge = isOther ? ((Number) other).longValue() : other instanceof String ? ((String) other).length() : one;
            if (edge != one && near.size() < EACH - 4) {
                Collections.addAll(near, edge, edge - 1, edge + 1);
            }
        }
        for (double number : numbers) {
            if (number == Math.rint(number)) {
                Collections.addAll(near, (long) number, (long) number - 1, (long) number + 1);
            }
        }
        Collections.addAll(near, 2 * one, one + 7);
        for (long each : near) {
            if (value instanceof Long) {
                found.add(each);
            } else if (value instanceof Integer && each == (int) each) {
                found.add((int) each);
            } else if (value instanceof Short && each == (short) each) {
                found.add((short) each);
            } else if (value instanceof Byte && each == (byte) each) {
                found.add((byte) each);
            }
        }
    }

    private void ofText(String value, List<Object> others, List<Object> found) {
        int size = value.length();
        // Letters that a format gives a meaning to are looked for in texts.
        for (Object other : others) {
            if (other instanceof Character) {
                found.add(value.substring(0, size / 2) + other + value.substring(size / 2));
            }
        }
        String last = size == 0 ? "" : value.substring(size - 1);
        Collections.addAll(found, "", size == 0 ? "a" : value.substring(0, size - 1), size == 0 ? "1" : value.substring(1), value + last);
        for (int i = 0; i < Math.min(3, texts.size()); i++) {
            Collections.addAll(found, value + texts.get(i), value.substring(0, size / 2) + texts.get(i) + value.substring(size / 2));
        }
        ofNumbers(value, found);
        ofParts(value, found);
        String swapped = value.equals(value.toUpperCase(java.util.Locale.ROOT)) ? value.toLowerCase(java.util.Locale.ROOT) : value.toUpperCase(java.util.Locale.ROOT);
        Collections.addAll(found, new StringBuilder(value).reverse().toString(), value + " ", swapped, value + "a", value + "1", value.substring(0, Math.min(1, size)));
        found.addAll(texts);
    }

    /** A text with its last number one larger, and with a sign before it. */
    private static void ofNumbers(String value, List<Object> found) {
        java.util.regex.Matcher number = java.util.regex.Pattern.compile("[0-9]{1,40}(?=[^0-9]*$)").matcher(value);
        if (number.find()) {
            String before = value.substring(0, number.start());
            String after = value.substring(number.end());
            Collections.addAll(found, before + new java.math.BigInteger(number.group()).add(java.math.BigInteger.ONE) + after, before + "-" + number.group() + after);
        }
    }

    /** A text of parts, say a path or a version, with its last part twice, and without it. */
    private static void ofParts(String value, List<Object> found) {
        java.util.regex.Matcher last = java.util.regex.Pattern.compile("[^\\w\\s]\\w+$").matcher(value);
        if (last.find()) {
            Collections.addAll(found, value + last.group(), value.substring(0, last.start()));
        }
    }

    private void ofArray(Object value, List<Object> found) {
        int size = Array.getLength(value);
        found.add(part(value, 0, 0, 0));
        if (size > 0) {
            Collections.addAll(found, part(value, 0, size - 1, size - 1), part(value, 1, size - 1, size - 1), part(value, 0, size, size + 1));
            Array.set(found.get(3), size, Array.get(value, size - 1));
        }
        for (int at : new int[] {0, size / 2, size - 1}) {
            List<Object> near = at >= 0 && at < size ? of(Array.get(value, at), Collections.emptyList()) : new ArrayList<>();
            for (Object each : near.subList(0, Math.min(3, near.size()))) {
                Object changed = part(value, 0, size, size);
                Array.set(changed, at, each);
                found.add(changed);
            }
        }
    }

    private static Object part(Object value, int from, int count, int size) {
        Object made = Array.newInstance(value.getClass().getComponentType(), size);
        System.arraycopy(value, from, made, 0, count);
        return made;
    }

    /** Collections without items, without one of them, and with one more or another. */
    private void ofItems(Object value, List<Object> found) {
        if (value instanceof Map) {
            List<Object> keys = new ArrayList<>(((Map<?, ?>) value).keySet());
            edited(value, found, (made, map) -> map.clear());
            for (Object key : keys.subList(0, Math.min(3, keys.size()))) {
                edited(value, found, (made, map) -> map.remove(key));
                for (Object near : firsts(((Map<?, ?>) value).get(key))) {
                    edited(value, found, (made, map) -> map.put(key, near));
                }
            }
            return;
        }
        List<Object> items = new ArrayList<>((Collection<?>) value);
        int size = items.size();
        edited(value, found, (made, map) -> made.clear());
        if (size == 0) {
            return;
        }
        Object last = items.get(size - 1);
        edited(value, found, (made, map) -> made.remove(last));
        edited(value, found, (made, map) -> made.remove(items.get(0)));
        edited(value, found, (made, map) -> made.add(last));
        for (Object near : firsts(last)) {
            edited(value, found, (made, map) -> made.add(near));
        }
        for (int at : new int[] {0, size / 2, size - 1}) {
            for (Object near : value instanceof List ? firsts(items.get(at)) : new ArrayList<>()) {
                edited(value, found, (made, map) -> ((List<Object>) made).set(at, near));
            }
        }
    }

    private List<Object> firsts(Object value) {
        List<Object> near = of(value, Collections.emptyList());
        return near.subList(0, Math.min(3, near.size()));
    }

    /** What is done to a copy of a collection or map. */
    private interface Edit {
        void of(Collection<Object> items, Map<Object, Object> map);
    }

    @SuppressWarnings("unchecked")
    private static void edited(Object value, List<Object> found, Edit edit) {
        try {
            Object made = Copies.of(new Object[] {value})[0];
            Set<Object> none = Collections.emptySet();
            edit.of(made instanceof Map ? none : (Collection<Object>) made, made instanceof Map ? (Map<Object, Object>) made : Collections.emptyMap());
            found.add(made);
        } catch (Copies.NoCopy | RuntimeException refused) {
            // Some collections cannot be changed, or not in this way.
            return;
        }
    }
}
