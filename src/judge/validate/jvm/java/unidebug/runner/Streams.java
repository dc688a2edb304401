package unidebug.runner;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringReader;
import java.io.StringWriter;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;

/**
 * Streams in memory: their value is what is left to read, or what was written. Of bytes, each is a letter. What is left is
 * looked up in their fields: to read it, or to mark a place, would change what a test meets.
 */
final class Streams {
    private static final int MOST = 10_000;

    private Streams() {}

    /** The value of such a stream; null for whatever else, for what is longer, and where fields are out of reach. */
    static String text(Object value) {
        try {
            String text = whole(value);
            return text == null || text.length() > MOST ? null : text;
        } catch (ReflectiveOperationException | RuntimeException other) {
            // Another JDK may keep it elsewhere.
            return null;
        }
    }

    private static String whole(Object value) throws ReflectiveOperationException {
        Class<?> type = value.getClass();
        if (type == StringWriter.class) {
            return value.toString();
        }
        if (type == ByteArrayOutputStream.class) {
            return letters(((ByteArrayOutputStream) value).toByteArray());
        }
        if (type == ByteArrayInputStream.class) {
            int at = (int) field(value, "pos");
            return letters((byte[]) field(value, "buf")).substring(at, (int) field(value, "count"));
        }
        if (type == StringReader.class) {
            return ((String) field(value, "str")).substring((int) field(value, "next"));
        }
        if (type == BufferedReader.class) {
            String beneath = whole(field(value, "in"));
            int at = (int) field(value, "nextChar");
            return beneath == null ? null : new String((char[]) field(value, "cb"), at, (int) field(value, "nChars") - at) + beneath;
        }
        return null;
    }

    private static Object field(Object of, String name) throws ReflectiveOperationException {
        Field field = of.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(of);
    }

    private static String letters(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** Whether something is read from a stream. */
    static boolean isRead(Object value) {
        return value instanceof Reader || value instanceof InputStream;
    }

    /** A stream of the same kind with another value. */
    static Object like(Object value, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        if (value instanceof ByteArrayInputStream) {
            return new ByteArrayInputStream(bytes);
        }
        if (value instanceof ByteArrayOutputStream) {
            ByteArrayOutputStream made = new ByteArrayOutputStream();
            made.write(bytes, 0, bytes.length);
            return made;
        }
        if (value instanceof StringWriter) {
            StringWriter made = new StringWriter();
            made.write(text);
            return made;
        }
        return value instanceof BufferedReader ? new BufferedReader(new StringReader(text)) : new StringReader(text);
    }
}
