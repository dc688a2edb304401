package unidebug.runner;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;

/** Streams in memory: their value is what is left to read, or what was written. Of bytes, each is a letter. */
final class Streams {
    private static final int MOST = 10_000;

    private Streams() {}

    /** The value of such a stream; null for whatever else, and for what is longer. */
    static String text(Object value) {
        Class<?> type = value.getClass();
        try {
            if (type == StringReader.class || type == BufferedReader.class) {
                return left((Reader) value);
            }
            if (type == ByteArrayInputStream.class) {
                return left((ByteArrayInputStream) value);
            }
        } catch (IOException closed) {
            return null;
        }
        String written = null;
        if (type == StringWriter.class) {
            written = value.toString();
        } else if (type == ByteArrayOutputStream.class) {
            written = new String(((ByteArrayOutputStream) value).toByteArray(), StandardCharsets.ISO_8859_1);
        }
        return written == null || written.length() > MOST ? null : written;
    }

    /** What is left of a text: all of it must be there, for reading on may wait for somebody. */
    private static String left(Reader reader) throws IOException {
        StringBuilder text = new StringBuilder();
        reader.mark(MOST + 1);
        int c = 0;
        while (c >= 0 && text.length() < MOST && reader.ready()) {
            c = reader.read();
            if (c >= 0) {
                text.append((char) c);
            }
        }
        reader.reset();
        return c < 0 ? text.toString() : null;
    }

    private static String left(ByteArrayInputStream stream) {
        if (stream.available() > MOST) {
            return null;
        }
        stream.mark(0);
        byte[] bytes = new byte[stream.available()];
        int count = bytes.length == 0 ? 0 : stream.read(bytes, 0, bytes.length);
        stream.reset();
        return new String(bytes, 0, count, StandardCharsets.ISO_8859_1);
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
