package unidebug.runner;

import java.lang.reflect.Method;
import java.util.List;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;

/** Class and method of a descriptor as a test id has them. */
final class PlatformNames {
    final String className;
    final String method;

    private PlatformNames(String className, String method) {
        this.className = className;
        this.method = method;
    }

    /**
     * The names of a test. One whose class is declared elsewhere (a nested class of a base class, a member of a suite)
     * is told of the class that runs it: several may run it, and only they can be asked to.
     */
    static PlatformNames of(TestDescriptor descriptor) {
        PlatformNames own = declared(descriptor);
        String top = own.className;
        for (TestDescriptor each = descriptor; each != null; each = each.getParent().orElse(null)) {
            if (each.getSource().orElse(null) instanceof ClassSource) {
                top = ((ClassSource) each.getSource().get()).getClassName();
            }
        }
        if (own.className.equals(top) || own.className.startsWith(top + "$")) {
            return own;
        }
        String simple = own.className.replaceAll(".*[.$]", "");
        return new PlatformNames(top, own.method.isEmpty() ? "" : simple + "." + own.method);
    }

    private static PlatformNames declared(TestDescriptor descriptor) {
        String suffix = "";
        for (TestDescriptor each = descriptor; each != null; each = each.getParent().orElse(null)) {
            TestSource source = each.getSource().orElse(null);
            UniqueId.Segment last = last(each.getUniqueId());
            if (source instanceof MethodSource && !isInvocation(last)) {
                MethodSource method = (MethodSource) source;
                String name = method.getMethodName() + overload(method) + classInvocations(each) + suffix;
                return new PlatformNames(method.getClassName(), name);
            }
            if (isInvocation(last) && !(source instanceof ClassSource)) {
                suffix = number(last) + suffix;
            } else if (source instanceof ClassSource) {
                boolean self = each == descriptor;
                return new PlatformNames(((ClassSource) source).getClassName(), self ? "" : descriptor.getDisplayName());
            }
        }
        return new PlatformNames(descriptor.getUniqueId().toString(), "");
    }

    /** Which invocations of the classes around it a test belongs to, where these run several times. */
    private static String classInvocations(TestDescriptor test) {
        String found = "";
        for (UniqueId.Segment segment : test.getUniqueId().getSegments()) {
            if (segment.getType().equals("class-template-invocation")) {
                found += number(segment);
            }
        }
        return found;
    }

    /** Whether a class around a test runs several times, which is not known before it runs. */
    static boolean isInTemplate(TestDescriptor test) {
        boolean open = false;
        for (UniqueId.Segment segment : test.getUniqueId().getSegments()) {
            open |= segment.getType().endsWith("class-template");
        }
        return open && classInvocations(test).isEmpty();
    }

    private static String number(UniqueId.Segment invocation) {
        return "[" + invocation.getValue().replaceAll("[^0-9]", "") + "]";
    }

    private static boolean isInvocation(UniqueId.Segment segment) {
        return segment.getType().endsWith("-invocation") || segment.getType().startsWith("dynamic-")
                || segment.getType().equals("invoc");
    }

    private static UniqueId.Segment last(UniqueId id) {
        List<UniqueId.Segment> segments = id.getSegments();
        return segments.get(segments.size() - 1);
    }

    /** Parameter types, only where the class has several methods of that name. */
    private static String overload(MethodSource source) {
        try {
            ClassLoader loader = PlatformNames.class.getClassLoader();
            Class<?> type = Class.forName(source.getClassName(), false, contextOr(loader));
            int same = 0;
            for (Method method : type.getDeclaredMethods()) {
                if (!method.isSynthetic() && method.getName().equals(source.getMethodName()) && JUnit5.anyOfPlatform(method.getAnnotations())) {
                    same++;
                }
            }
            return same > 1 ? "(" + source.getMethodParameterTypes().replace(" ", "") + ")" : "";
        } catch (ClassNotFoundException | LinkageError unknown) {
            return "";
        }
    }

    private static ClassLoader contextOr(ClassLoader fallback) {
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        return context != null ? context : fallback;
    }
}
