package unidebug.runner;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.junit.After;
import org.junit.AfterClass;
import org.junit.Before;
import org.junit.BeforeClass;
import org.junit.Ignore;
import org.junit.Test;
import org.junit.runner.Description;
import org.junit.runner.RunWith;

/**
 * Runs simple tests of JUnit 3 and 4 by itself, in a thread of their own: nothing of a test framework stands on the stack
 * above what they test. Classes with rules, runners or suites of their own are left to JUnit.
 */
final class Bare {
    private final Class<?> type;
    private final Description all;
    private final Request request;
    private final Clock clock;
    private final Records records;

    Bare(Class<?> type, Description all, Request request, Clock clock, Records records) {
        this.type = type;
        this.all = all;
        this.request = request;
        this.clock = clock;
        this.records = records;
    }

    static boolean takes(Class<?> type) {
        if (type.getAnnotation(RunWith.class) != null || type.getAnnotation(Ignore.class) != null) {
            return false;
        }
        boolean old = junit.framework.TestCase.class.isAssignableFrom(type);
        for (Class<?> each = type; each != Object.class && each != junit.framework.TestCase.class; each = each.getSuperclass()) {
            for (Method method : each.getDeclaredMethods()) {
                String name = method.getName();
                boolean own = name.equals("suite") || name.equals("run") || name.equals("runBare") || name.equals("runTest");
                if (old && own || isRule(method)) {
                    return false;
                }
            }
            for (java.lang.reflect.Field field : each.getDeclaredFields()) {
                if (isRule(field)) {
                    return false;
                }
            }
        }
        return constructor(type) != null && !Modifier.isAbstract(type.getModifiers());
    }

    private static boolean isRule(AnnotatedElement element) {
        // Older libraries do not have them.
        for (Annotation annotation : element.getAnnotations()) {
            String name = annotation.annotationType().getName();
            if (name.equals("org.junit.Rule") || name.equals("org.junit.ClassRule")) {
                return true;
            }
        }
        return false;
    }

    /** The one that JUnit takes: without parameters, or, as of old, with the name of the test. */
    private static Constructor<?> constructor(Class<?> type) {
        if (!Modifier.isPublic(type.getModifiers())) {
            return null;
        }
        boolean old = junit.framework.TestCase.class.isAssignableFrom(type);
        Constructor<?> found = null;
        for (Constructor<?> each : type.getConstructors()) {
            Class<?>[] wanted = each.getParameterTypes();
            if (wanted.length == 0 || old && found == null && wanted.length == 1 && wanted[0] == String.class) {
                found = each;
            }
        }
        return found;
    }

    private static Object made(Class<?> type, String name) throws ReflectiveOperationException {
        Constructor<?> constructor = constructor(type);
        return constructor.getParameterTypes().length == 0 ? constructor.newInstance() : constructor.newInstance(name);
    }

    private static boolean isAssumption(Throwable why) {
        for (Class<?> each = why.getClass(); each != null; each = each.getSuperclass()) {
            if (each.getName().equals("org.junit.internal.AssumptionViolatedException")) {
                return true;
            }
        }
        return false;
    }

    void run() {
        Thread thread = new Thread(null, this::tests, Request.threadName());
        thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
        thread.start();
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException woken) {
                // The subject may interrupt every thread it finds; this one goes on.
            }
        }
    }

    private void tests() {
        List<Description> wanted = new ArrayList<>();
        for (Description test : all.getChildren()) {
            if (test.isTest() && request.wants(JUnit4.classOf(test, type), JUnit4.methodOf(test, type))) {
                wanted.add(test);
            }
        }
        if (wanted.isEmpty()) {
            return;
        }
        try {
            invoke(null, annotated(BeforeClass.class, true));
            for (Description test : wanted) {
                if (!clock.stopped()) {
                    one(test);
                }
            }
        } catch (ThreadDeath death) {
            throw death;
        } catch (Throwable broken) {
            clock.failed(type.getName(), "", broken);
        } finally {
            try {
                invoke(null, annotated(AfterClass.class, false));
            } catch (Throwable broken) {
                clock.failed(type.getName(), "", broken);
            }
        }
    }

    private void one(Description test) throws ReflectiveOperationException {
        String className = JUnit4.classOf(test, type);
        String name = JUnit4.methodOf(test, type);
        Method method = type.getMethod(name);
        if (method.isAnnotationPresent(Ignore.class)) {
            records.skipped(className, name, method.getAnnotation(Ignore.class).value());
            return;
        }
        clock.started(className, name);
        Throwable why = failure(method);
        if (why == null) {
            clock.passed(className, name);
        } else if (isAssumption(why)) {
            clock.skipped(className, name, why);
        } else {
            clock.failed(className, name, why);
        }
    }

    /** Why a test does not pass; null when it does. */
    private Throwable failure(Method method) {
        Throwable why = null;
        Object test = null;
        try {
            test = made(type, method.getName());
            if (test instanceof junit.framework.TestCase) {
                ((junit.framework.TestCase) test).setName(method.getName());
            }
            invoke(test, before());
            why = body(test, method);
        } catch (Throwable broken) {
            why = cause(broken);
        }
        if (test != null) {
            try {
                invoke(test, after());
            } catch (Throwable broken) {
                why = why == null ? cause(broken) : why;
            }
        }
        return why;
    }

    private static Throwable body(Object test, Method method) {
        Test annotation = method.getAnnotation(Test.class);
        Class<? extends Throwable> expected = annotation == null ? Test.None.class : annotation.expected();
        try {
            method.setAccessible(true);
            method.invoke(test);
        } catch (InvocationTargetException thrown) {
            Throwable why = thrown.getCause();
            return expected != Test.None.class && expected.isInstance(why) ? null : why;
        } catch (IllegalAccessException impossible) {
            return impossible;
        }
        return expected == Test.None.class ? null : new AssertionError("no " + expected.getName() + " was thrown");
    }

    private static Throwable cause(Throwable broken) {
        return broken instanceof InvocationTargetException && broken.getCause() != null ? broken.getCause() : broken;
    }

    private List<Method> before() {
        return isOld() ? named("setUp") : annotated(Before.class, true);
    }

    private List<Method> after() {
        return isOld() ? named("tearDown") : annotated(After.class, false);
    }

    private boolean isOld() {
        return junit.framework.TestCase.class.isAssignableFrom(type);
    }

    /** The nearest method of that name, which calls those above it. */
    private List<Method> named(String name) {
        for (Class<?> each = type; each != Object.class; each = each.getSuperclass()) {
            try {
                return Collections.singletonList(each.getDeclaredMethod(name));
            } catch (NoSuchMethodException above) {
                // It is inherited.
            }
        }
        return Collections.emptyList();
    }

    /** Methods with an annotation, those of super-classes first or last. */
    private List<Method> annotated(Class<? extends Annotation> annotation, boolean upperFirst) {
        List<Method> found = new ArrayList<>();
        if (isOld()) {
            return found;
        }
        for (Method method : type.getMethods()) {
            if (method.isAnnotationPresent(annotation)) {
                found.add(method);
            }
        }
        Comparator<Method> byDepth = Comparator.comparingInt(method -> depth(method.getDeclaringClass()));
        Comparator<Method> byName = Comparator.comparing(Method::getName);
        found.sort((upperFirst ? byDepth : byDepth.reversed()).thenComparing(byName));
        return found;
    }

    private static int depth(Class<?> type) {
        int depth = 0;
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            depth++;
        }
        return depth;
    }

    private static void invoke(Object test, List<Method> methods) throws Throwable {
        for (Method method : methods) {
            method.setAccessible(true);
            try {
                method.invoke(test);
            } catch (InvocationTargetException thrown) {
                throw cause(thrown);
            }
        }
    }
}
