package unidebug.runner;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import org.junit.platform.engine.ConfigurationParameters;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.EngineDiscoveryRequest;
import org.junit.platform.engine.EngineExecutionListener;
import org.junit.platform.engine.ExecutionRequest;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestEngine;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.reporting.ReportEntry;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.engine.support.hierarchical.HierarchicalTestEngine;

/**
 * Tests of the JUnit platform, by asking its engines directly: the launcher is often missing on a test class path,
 * because build tools add their own.
 */
final class JUnit5 implements Adapter {
    private static final String VINTAGE = "junit-vintage";
    private static final String TESTNG = "testng";
    private static final List<String> KNOWN = Arrays.asList("junit-jupiter", "jqwik", "junit-platform-suite", TESTNG);

    private final List<TestEngine> engines = new ArrayList<>();

    JUnit5() {
        for (TestEngine engine : ServiceLoader.load(TestEngine.class, JUnit5.class.getClassLoader())) {
            // Tests of JUnit 4 have an adapter of their own, and must not run twice.
            if (!VINTAGE.equals(engine.getId())) {
                engines.add(engine);
            }
        }
    }

    /** Whether there is an engine whose tests have no annotation that we know: then it is asked. */
    private boolean hasForeignEngine() {
        for (TestEngine engine : engines) {
            if (!KNOWN.contains(engine.getId())) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean takes(Class<?> type) {
        for (Class<?> each = type; each != null && each != Object.class; each = each.getSuperclass()) {
            if (mentionsPlatform(each)) {
                return true;
            }
        }
        return hasForeignEngine() && !Modifier.isAbstract(type.getModifiers());
    }

    /** A cheap look, so that classes without any such test are never handed to an engine. */
    private static boolean mentionsPlatform(Class<?> type) {
        if (anyOfPlatform(type.getAnnotations())) {
            return true;
        }
        for (Method method : type.getDeclaredMethods()) {
            if (anyOfPlatform(method.getAnnotations())) {
                return true;
            }
        }
        for (Class<?> parent : type.getInterfaces()) {
            if (mentionsPlatform(parent)) {
                return true;
            }
        }
        for (Class<?> nested : type.getDeclaredClasses()) {
            if (anyOfPlatform(nested.getAnnotations())) {
                return true;
            }
        }
        return false;
    }

    static boolean anyOfPlatform(Annotation[] annotations) {
        for (Annotation annotation : annotations) {
            String name = annotation.annotationType().getName();
            if (!name.startsWith("org.junit.") && !name.startsWith("java.")) {
                // A test annotation may be composed of others.
                for (Annotation meta : annotation.annotationType().getAnnotations()) {
                    if (isOfPlatform(meta.annotationType().getName())) {
                        return true;
                    }
                }
            }
            if (isOfPlatform(name)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isOfPlatform(String name) {
        return name.startsWith("org.junit.jupiter.") || name.startsWith("org.junit.platform.")
                || name.startsWith("net.jqwik.") || name.startsWith("org.testng.");
    }

    @Override
    public void discover(Class<?> type, Records records) throws Exception {
        for (TestEngine engine : engines) {
            UniqueId id = UniqueId.forEngine(engine.getId());
            TestDescriptor root = engine.discover(oneClass(type, Parameters.AS_GIVEN), id);
            boolean templates = false;
            for (TestDescriptor each : root.getDescendants()) {
                boolean leaf = each.getChildren().isEmpty();
                templates |= leaf && isTemplate(each);
                if (each.isTest() && !isTemplate(each)) {
                    PlatformNames names = PlatformNames.of(each);
                    records.test(names.className, names.method, 1);
                }
            }
            if (templates) {
                discoverInvocations(engine, type, records);
            }
        }
    }

    /** Runs the templates of a class without the bodies of its tests, in order to count their invocations. */
    private static void discoverInvocations(TestEngine engine, Class<?> type, Records records) throws Exception {
        // TestNG has no place for the extension: its tests would run.
        boolean skips = !TESTNG.equals(engine.getId()) && skipBodies(true);
        try {
            ConfigurationParameters parameters = skips ? Parameters.WITH_EXTENSIONS : Parameters.AS_GIVEN;
            TestDescriptor root = engine.discover(oneClass(type, parameters), UniqueId.forEngine(engine.getId()));
            List<TestDescriptor> templates = new ArrayList<>();
            for (TestDescriptor each : new ArrayList<>(root.getDescendants())) {
                boolean leaf = each.getChildren().isEmpty();
                if (leaf && isTemplate(each)) {
                    templates.add(each);
                } else if (leaf && each.isTest()) {
                    each.removeFromHierarchy();
                }
            }
            Counting counting = new Counting();
            if (skips) {
                engine.execute(execution(root, counting, parameters));
            }
            for (TestDescriptor template : templates) {
                PlatformNames names = PlatformNames.of(template);
                int count = counting.broken || !skips ? -1 : counting.of(names);
                records.test(names.className, names.method, count);
            }
        } finally {
            skipBodies(false);
        }
    }

    /** Whether the invocations of a method are known when it runs: its own, or those of a class around it. */
    private static boolean isTemplate(TestDescriptor leaf) {
        boolean isMethod = leaf.getSource().orElse(null) instanceof MethodSource;
        return isMethod && (!leaf.isTest() || PlatformNames.isInTemplate(leaf));
    }

    /** Whether this version of Jupiter can leave the bodies of tests out. */
    private static boolean skipBodies(boolean on) {
        try {
            Class.forName("unidebug.runner.Bodiless").getDeclaredField("on").setBoolean(null, on);
            return true;
        } catch (ReflectiveOperationException | LinkageError old) {
            return false;
        }
    }

    @Override
    public void run(Class<?> type, Request request, Clock clock, Records records) throws Exception {
        for (TestEngine engine : engines) {
            UniqueId id = UniqueId.forEngine(engine.getId());
            TestDescriptor root = engine.discover(oneClass(type, Parameters.AS_GIVEN), id);
            removeUnwanted(root, request);
            root.accept(TestDescriptor::prune);
            if (!root.getChildren().isEmpty()) {
                PlatformListener listener = new PlatformListener(clock, records, engine instanceof HierarchicalTestEngine);
                engine.execute(execution(root, listener, Parameters.AS_GIVEN));
            }
        }
    }

    private static void removeUnwanted(TestDescriptor node, Request request) {
        for (TestDescriptor child : new ArrayList<>(node.getChildren())) {
            removeUnwanted(child, request);
            Optional<TestSource> source = child.getSource();
            boolean isMethod = source.isPresent() && source.get() instanceof MethodSource;
            if (isMethod && child.getChildren().isEmpty()) {
                PlatformNames names = PlatformNames.of(child);
                boolean wanted = isTemplate(child)
                        ? request.wantsTemplate(names.className, names.method)
                        : request.wants(names.className, names.method);
                if (!wanted) {
                    child.removeFromHierarchy();
                }
            }
        }
    }

    /** From platform 1.13 on, a request needs more with each release, made by classes that older ones lack. */
    private static ExecutionRequest execution(
            TestDescriptor root, EngineExecutionListener listener, ConfigurationParameters parameters) throws Exception {
        for (Method method : ExecutionRequest.class.getMethods()) {
            if (method.getName().equals("create") && method.getParameterCount() > 3) {
                List<Object> values = new ArrayList<>(Arrays.asList(root, listener, parameters));
                for (Class<?> type : Arrays.asList(method.getParameterTypes()).subList(3, method.getParameterCount())) {
                    values.add(Platform.make(type));
                }
                return (ExecutionRequest) method.invoke(null, values.toArray());
            }
        }
        return ExecutionRequest.class
                .getConstructor(TestDescriptor.class, EngineExecutionListener.class, ConfigurationParameters.class)
                .newInstance(root, listener, parameters);
    }

    /** Counts the invocations of templates. */
    private static final class Counting implements EngineExecutionListener {
        private final Map<String, Integer> counts = new HashMap<>();
        private boolean broken;

        int of(PlatformNames template) {
            return counts.getOrDefault(template.className + "#" + template.method, 0);
        }

        @Override
        public void executionStarted(TestDescriptor descriptor) {
            if (descriptor.isTest()) {
                PlatformNames names = PlatformNames.of(descriptor);
                counts.merge(names.className + "#" + withoutInvocation(names.method), 1, Integer::sum);
            }
        }

        /** {@code sums(int)[3][1]} is the template {@code sums(int)}. */
        private static String withoutInvocation(String method) {
            int end = method.indexOf('[');
            int types = method.indexOf('(');
            if (types >= 0 && types < end) {
                end = method.indexOf('[', method.lastIndexOf(')'));
            }
            return end < 0 ? method : method.substring(0, end);
        }

        @Override
        public void executionFinished(TestDescriptor descriptor, TestExecutionResult result) {
            broken |= result.getStatus() == TestExecutionResult.Status.FAILED;
        }

        @Override
        public void dynamicTestRegistered(TestDescriptor descriptor) {
            // It is counted when it starts.
        }

        @Override
        public void executionSkipped(TestDescriptor descriptor, String reason) {
            // Its invocations do not run, and are not counted.
        }

        @Override
        public void reportingEntryPublished(TestDescriptor descriptor, ReportEntry entry) {
            // What tests publish is output, not a result.
        }
    }

    /** What engines may ask for: system properties. */
    private enum Parameters implements ConfigurationParameters {
        AS_GIVEN,
        /** Lets Jupiter find the extension that leaves bodies out. */
        WITH_EXTENSIONS;

        @Override
        public Optional<String> get(String key) {
            if (this == WITH_EXTENSIONS && "junit.jupiter.extensions.autodetection.enabled".equals(key)) {
                return Optional.of("true");
            }
            return Optional.ofNullable(System.getProperty(key));
        }

        @Override
        public Optional<Boolean> getBoolean(String key) {
            return get(key).map(Boolean::parseBoolean);
        }

        // Asked for before platform 6.1; not marked as an override, because newer ones do not have it.
        public int size() {
            return 0;
        }

        // Asked for since platform 1.9; not marked as an override, because older ones do not have it.
        public java.util.Set<String> keySet() {
            return Collections.emptySet();
        }
    }

    /**
     * A request for the tests of one class. What else a request must answer differs by version, so it is a proxy: newer
     * platforms refuse the default answers of methods that older ones do not have.
     */
    private static EngineDiscoveryRequest oneClass(Class<?> type, ConfigurationParameters parameters) {
        DiscoverySelector selector = DiscoverySelectors.selectClass(type);
        return (EngineDiscoveryRequest) Proxy.newProxyInstance(
                EngineDiscoveryRequest.class.getClassLoader(),
                new Class<?>[] {EngineDiscoveryRequest.class},
                (proxy, method, args) -> answer(selector, parameters, method, args));
    }

    private static Object answer(
            DiscoverySelector selector, ConfigurationParameters parameters, Method method, Object[] args)
            throws ReflectiveOperationException {
        switch (method.getName()) {
            case "getSelectorsByType":
                return ((Class<?>) args[0]).isInstance(selector) ? Collections.singletonList(selector) : Collections.emptyList();
            case "getFiltersByType":
                return Collections.emptyList();
            case "getConfigurationParameters":
                return parameters;
            case "getDiscoveryListener":
                return method.getReturnType().getField("NOOP").get(null);
            case "getOutputDirectoryProvider":
            case "getOutputDirectoryCreator":
                return Platform.make(method.getReturnType());
            case "toString":
                return "the tests of one class";
            case "hashCode":
                return System.identityHashCode(selector);
            default:
                return null;
        }
    }
}
