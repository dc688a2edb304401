package unidebug.runner;

import java.lang.reflect.Constructor;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.util.Optional;

/** Makes what newer versions of the platform want in an execution request, without naming their classes. */
final class Platform {
    private Platform() {}

    /** What a parameter of this type wants. */
    static Object make(Class<?> type) throws ReflectiveOperationException {
        switch (type.getSimpleName()) {
            case "NamespacedHierarchicalStore":
                return store(type);
            case "CancellationToken":
                return type.getMethod("disabled").invoke(null);
            default:
                return outputDirectory(type);
        }
    }

    /** A provider or creator of output directories: below the folder for temporary files. */
    private static Object outputDirectory(Class<?> type) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
            switch (method.getName()) {
                case "getRootDirectory":
                case "createOutputDirectory":
                    return Files.createTempDirectory("unidebug-output");
                case "toString":
                    return "output below the temporary folder";
                case "hashCode":
                    return System.identityHashCode(proxy);
                case "equals":
                    return proxy == args[0];
                default:
                    return method.getReturnType() == Optional.class ? Optional.empty() : null;
            }
        });
    }

    /** A hierarchical store: one for the session and one for the request above the engine's own. */
    private static Object store(Class<?> type) throws ReflectiveOperationException {
        for (Constructor<?> constructor : type.getConstructors()) {
            if (constructor.getParameterCount() == 1) {
                Object session = constructor.newInstance((Object) null);
                return constructor.newInstance(session);
            }
        }
        throw new NoSuchMethodException("a constructor of " + type.getName());
    }
}
