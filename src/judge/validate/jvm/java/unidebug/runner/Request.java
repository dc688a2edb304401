package unidebug.runner;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * What to run. Plain lines of the form {@code word value}, so that no parser of ours sits between a subject and its
 * tests:
 * <pre>
 * nonce TEXT          marks every record of this run
 * secret TEXT         proves results, and is told to nobody
 * deadline MILLIS     for a test without its own
 * between MILLIS      for what lies between two tests
 * class NAME          a class that may hold tests, in order
 * only CLASS#METHOD   run these only (none: all)
 * skip CLASS#METHOD   already has its result
 * limit MILLIS CLASS#METHOD   own deadline of a test
 * must CLASS#METHOD   end the run when this one does not pass
 * total MILLIS        no test begins when this time since the first one is over
 * discover yes        run nothing: tell which tests there are
 * plain yes           without the test framework on the stack, where a test allows that
 * </pre>
 */
final class Request {
    String nonce = "";
    String secret = "";
    long deadline = 10_000;
    long between = 30_000;
    long total = Long.MAX_VALUE;
    boolean discover;
    boolean plain;
    final List<String> classes = new ArrayList<>();
    final Set<String> only = new HashSet<>();
    final Set<String> skip = new HashSet<>();
    final Set<String> must = new HashSet<>();
    final Map<String, Long> limits = new HashMap<>();

    /** A name for a thread, of the kind that pools give: no patch can know it. */
    static String threadName() {
        ThreadLocalRandom any = ThreadLocalRandom.current();
        return "pool-" + any.nextInt(1, 50) + "-thread-" + any.nextInt(1, 50);
    }

    /** Reads a request with its length in front, and nothing behind it. */
    static Request read(DataInputStream in) throws IOException {
        byte[] length = new byte[10];
        in.readFully(length);
        byte[] text = new byte[Integer.parseInt(new String(length, StandardCharsets.US_ASCII))];
        in.readFully(text);
        return parse(new String(text, StandardCharsets.UTF_8));
    }

    static Request parse(String text) {
        Request request = new Request();
        for (String line : text.split("\n")) {
            int space = line.indexOf(' ');
            if (space > 0) {
                request.take(line.substring(0, space), line.substring(space + 1));
            }
        }
        return request;
    }

    private void take(String word, String value) {
        switch (word) {
            case "nonce":
                nonce = value;
                break;
            case "secret":
                secret = value;
                break;
            case "deadline":
                deadline = Long.parseLong(value);
                break;
            case "between":
                between = Long.parseLong(value);
                break;
            case "total":
                total = Long.parseLong(value);
                break;
            case "class":
                classes.add(value);
                break;
            case "only":
                only.add(value);
                break;
            case "skip":
                skip.add(value);
                break;
            case "must":
                must.add(value);
                break;
            case "discover":
                discover = true;
                break;
            case "plain":
                plain = true;
                break;
            case "limit":
                int space = value.indexOf(' ');
                limits.put(value.substring(space + 1), Long.parseLong(value.substring(0, space)));
                break;
            default:
                throw new IllegalArgumentException("unknown word in a request: " + word);
        }
    }

    /** Whether a test is to run now. A parameterised test may be named with or without its invocation. */
    boolean wants(String className, String method) {
        String id = className + "#" + method;
        if (skip.contains(id)) {
            return false;
        }
        return only.isEmpty() || only.contains(id) || only.contains(className) || only.contains(className + "#" + bare(method));
    }

    /** Whether any invocation of a test template may be wanted; its invocations are not known beforehand. */
    boolean wantsTemplate(String className, String method) {
        String prefix = className + "#" + method + "[";
        boolean selected = wants(className, method);
        for (String id : only) {
            selected |= id.startsWith(prefix);
        }
        return selected && !skip.contains(className + "#" + method);
    }

    /** Whether anything of a class, or of a class nested in it, is to run. */
    boolean wantsClass(String className) {
        if (skip.contains(className + "#")) {
            return false;
        }
        if (only.isEmpty()) {
            return true;
        }
        for (String id : only) {
            if (id.startsWith(className)) {
                return true;
            }
        }
        return false;
    }

    long limitOf(String className, String method) {
        Long own = limits.get(className + "#" + method);
        return own != null ? own : deadline;
    }

    static String bare(String method) {
        for (int i = 0; i < method.length(); i++) {
            if ("[({".indexOf(method.charAt(i)) >= 0) {
                return method.substring(0, i);
            }
        }
        return method;
    }
}
