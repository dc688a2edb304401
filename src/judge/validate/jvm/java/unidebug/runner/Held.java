package unidebug.runner;

import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.BaseStream;

/**
 * What a result gives that tells nothing of itself: an iterator or a stream, whose items are not made yet, and a view of the
 * JDK, which has them from elsewhere. To ask for them runs code of the project.
 */
final class Held {
    /** There may be items without end. */
    private static final int ITEMS = 40;

    private Held() {}

    /** The items, or the result itself. What they throw is thrown as if the method had. */
    static Object of(Object result) throws InvocationTargetException {
        try {
            if (result instanceof BaseStream) {
                return firsts(((BaseStream<?, ?>) result).iterator());
            }
            if (result instanceof Iterator) {
                return firsts((Iterator<?>) result);
            }
            boolean isOfLibrary = result != null && result.getClass().getName().startsWith("java.util.");
            if (!isOfLibrary || Values.isKnown(result.getClass())) {
                return result;
            }
            if (result instanceof Collection) {
                return firsts(((Collection<?>) result).iterator());
            }
            return result instanceof Map ? new HashMap<>((Map<?, ?>) result) : result;
        } catch (RuntimeException | Error thrown) {
            throw new InvocationTargetException(thrown);
        }
    }

    private static List<Object> firsts(Iterator<?> items) {
        List<Object> found = new ArrayList<>();
        while (found.size() < ITEMS && items.hasNext()) {
            found.add(items.next());
        }
        return found;
    }
}
