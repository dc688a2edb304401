package unidebug.runner;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Writes one JSON line a fact to the private channel; every line carries the nonce of the run. The subject may read and
 * write the channel, too: that a test passed is proved by a secret that is never written, and by the key that whoever asked
 * hands out when the test begins. Each key changes the secret.
 */
final class Records {
    private static final int MESSAGE_CHARS = 8_000;
    private static final int FRAMES = 80;
    private static final int CAUSES = 5;

    private final OutputStream out;
    private final DataInputStream keys;
    private final String nonce;
    private final Map<String, Integer> told = new HashMap<>();
    /** The keys of tests that run. */
    private final Map<String, String> open = new HashMap<>();
    /** Taken before the subject could offer one of its own. */
    private final MessageDigest digest;
    private String secret;
    private int finished;

    Records(OutputStream out, DataInputStream keys, Request request) {
        this.out = out;
        this.keys = keys;
        this.nonce = request.nonce;
        this.secret = request.secret;
        try {
            this.digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    synchronized void started(String className, String method) {
        write("start", className, method, "");
        byte[] line = new byte[65];
        try {
            keys.readFully(line);
        } catch (IOException gone) {
            Runtime.getRuntime().halt(98);
        }
        String key = new String(line, 0, 64, StandardCharsets.US_ASCII);
        secret = hash(secret, key);
        open.put(className + "#" + method, key);
    }

    /** SHA-256 of lines, in hexadecimal digits. */
    private String hash(String... lines) {
        byte[] bytes = digest.digest(String.join("\n", lines).getBytes(StandardCharsets.UTF_8));
        StringBuilder text = new StringBuilder();
        for (byte each : bytes) {
            text.append(Character.forDigit(each >> 4 & 15, 16)).append(Character.forDigit(each & 15, 16));
        }
        return text.toString();
    }

    synchronized void finished(String className, String method, String status, long millis, Throwable why) {
        StringBuilder rest = new StringBuilder(",\"status\":\"").append(status).append("\",\"millis\":").append(millis);
        if (why != null) {
            rest.append(",\"failure\":");
            failure(rest, why, 0, Collections.newSetFromMap(new IdentityHashMap<>()));
        }
        finished++;
        String id = className + "#" + method;
        if (status.equals("passed")) {
            if (!open.containsKey(id)) {
                // Some runners tell only that a test ended.
                started(className, method);
            }
            rest.append(",\"proof\":\"").append(hash(secret, open.get(id), "passed")).append('"');
        }
        open.remove(id);
        write("end", className, method, rest.toString());
    }

    synchronized void skipped(String className, String method, String reason) {
        StringBuilder rest = new StringBuilder(",\"status\":\"skipped\",\"millis\":0,\"failure\":{\"kind\":\"\",\"message\":");
        text(rest, reason);
        rest.append(",\"frames\":[]}");
        finished++;
        open.remove(className + "#" + method);
        write("end", className, method, rest.toString());
    }

    /** What the test executed that ends next. Tests repeat each other: what was told before is told by its number. */
    synchronized void executed(String className, String method, List<String> files) {
        StringBuilder rest = new StringBuilder(",\"files\":[");
        for (int i = 0; i < files.size(); i++) {
            rest.append(i == 0 ? "" : ",");
            Integer before = told.putIfAbsent(files.get(i), told.size());
            if (before == null) {
                text(rest, files.get(i), Integer.MAX_VALUE);
            } else {
                rest.append(before);
            }
        }
        write("lines", className, method, rest.append(']').toString());
    }

    /**
     * A test that there is. Of a test that runs several times, once for each of its arguments, the count says how often;
     * it is -1 where only a run can tell.
     */
    synchronized void test(String className, String method, int count) {
        write("test", className, method, ",\"count\":" + count);
    }

    /** The last record: how many tests ended, and why this process stops. */
    synchronized void over(String why) {
        StringBuilder line = new StringBuilder("{\"nonce\":");
        text(line, nonce);
        line.append(",\"kind\":\"over\",\"count\":").append(finished).append(",\"why\":");
        text(line, why);
        line.append(",\"proof\":\"").append(hash(secret, "over", Integer.toString(finished), why)).append("\"}\n");
        send(line);
    }

    private void write(String kind, String className, String method, String rest) {
        StringBuilder line = new StringBuilder("{\"nonce\":");
        text(line, nonce);
        line.append(",\"kind\":\"").append(kind).append("\",\"class\":");
        text(line, className);
        line.append(",\"method\":");
        text(line, method);
        line.append(rest).append("}\n");
        send(line);
    }

    private void send(StringBuilder line) {
        try {
            out.write(line.toString().getBytes(StandardCharsets.UTF_8));
            out.flush();
        } catch (IOException gone) {
            // Nobody reads any more: nothing that could still be told would arrive.
            Runtime.getRuntime().halt(98);
        }
    }

    private static void failure(StringBuilder out, Throwable why, int depth, Set<Throwable> seen) {
        seen.add(why);
        out.append("{\"kind\":");
        text(out, why.getClass().getName());
        out.append(",\"message\":");
        text(out, messageOf(why));
        out.append(",\"frames\":[");
        StackTraceElement[] frames = framesOf(why);
        for (int i = 0; i < Math.min(frames.length, FRAMES); i++) {
            frame(out.append(i == 0 ? "" : ","), frames[i]);
        }
        out.append(']');
        Throwable cause = causeOf(why);
        if (cause != null && depth < CAUSES && !seen.contains(cause)) {
            out.append(",\"cause\":");
            failure(out, cause, depth + 1, seen);
        }
        out.append('}');
    }

    private static void frame(StringBuilder out, StackTraceElement frame) {
        out.append('[');
        text(out, frame.getClassName());
        out.append(',');
        text(out, frame.getMethodName());
        out.append(',');
        text(out, frame.getFileName() == null ? "" : frame.getFileName());
        out.append(',').append(frame.getLineNumber()).append(']');
    }

    // The subject's exceptions are its own code, and may throw themselves.
    static String messageOf(Throwable why) {
        try {
            String message = why.getMessage();
            return message == null ? "" : message;
        } catch (Throwable broken) {
            return "(its message cannot be read: " + broken.getClass().getName() + ")";
        }
    }

    private static StackTraceElement[] framesOf(Throwable why) {
        try {
            return why.getStackTrace();
        } catch (Throwable broken) {
            return new StackTraceElement[0];
        }
    }

    private static Throwable causeOf(Throwable why) {
        try {
            return why.getCause();
        } catch (Throwable broken) {
            return null;
        }
    }

    static void text(StringBuilder out, String text) {
        text(out, text, MESSAGE_CHARS);
    }

    private static void text(StringBuilder out, String text, int limit) {
        out.append('"');
        int end = Math.min(text.length(), limit);
        for (int i = 0; i < end; i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (Character.isHighSurrogate(c) && i + 1 < end && Character.isLowSurrogate(text.charAt(i + 1))) {
                out.append(escape(c)).append(escape(text.charAt(++i)));
            } else if (Character.isSurrogate(c)) {
                // Half a character is no JSON: it is told by its number, as the source would write it.
                out.append('\\').append(escape(c));
            } else if (c < ' ' || c > '~') {
                out.append(escape(c));
            } else {
                out.append(c);
            }
        }
        out.append(end < text.length() ? "...\"" : "\"");
    }

    private static String escape(char c) {
        return String.format("\\u%04x", (int) c);
    }
}
