package unidebug.runner;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Classes of one candidate: its own, then the untouched ones, then libraries. Everything goes away with it. */
final class Loader extends ClassLoader {
    static {
        registerAsParallelCapable();
    }

    private final Classes untouched;
    private final Map<String, byte[]> candidate;
    private final Map<Path, ProtectionDomain> domains = new HashMap<>();

    Loader(Classes untouched, Map<String, byte[]> candidate, ClassLoader libraries) {
        super(libraries);
        this.untouched = untouched;
        this.candidate = candidate;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        byte[] bytes = bytesOf(name);
        if (bytes == null) {
            return super.loadClass(name, resolve);
        }
        if (bytes.length == 0) {
            // The candidate's sources do not make this class any more.
            throw new ClassNotFoundException(name);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded == null) {
                loaded = defineClass(name, bytes, 0, bytes.length, domainOf(untouched.origin(name)));
            }
            return loaded;
        }
    }

    private byte[] bytesOf(String name) {
        byte[] own = candidate.get(name);
        return own != null ? own : untouched.get(name);
    }

    private ProtectionDomain domainOf(Path folder) {
        synchronized (domains) {
            return domains.computeIfAbsent(folder, each -> {
                CodeSource source = new CodeSource(urlOf(each.toFile()), (Certificate[]) null);
                return new ProtectionDomain(source, null, this, null);
            });
        }
    }

    private static URL urlOf(File file) {
        try {
            return file.toURI().toURL();
        } catch (MalformedURLException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @Override
    public URL getResource(String name) {
        URL own = findResource(name);
        return own != null ? own : super.getResource(name);
    }

    /** Each once, in the order of a class path: what lies beside the classes lies in a copy on the parent's class path, too. */
    @Override
    public Enumeration<URL> getResources(String name) throws IOException {
        List<URL> found = Collections.list(findResources(name));
        for (URL of : Collections.list(getParent().getResources(name))) {
            if (!isCopy(of)) {
                found.add(of);
            }
        }
        return Collections.enumeration(found);
    }

    private boolean isCopy(URL of) {
        for (Path folder : untouched.copied) {
            if (of.toString().startsWith(urlOf(folder.toFile()).toString())) {
                return true;
            }
        }
        return false;
    }

    @Override
    protected URL findResource(String name) {
        for (Path folder : untouched.folders) {
            Path file = folder.resolve(name).normalize();
            if (file.startsWith(folder) && Files.exists(file)) {
                return urlOf(file.toFile());
            }
        }
        return null;
    }

    @Override
    protected Enumeration<URL> findResources(String name) {
        List<URL> found = new ArrayList<>();
        for (Path folder : untouched.folders) {
            Path file = folder.resolve(name).normalize();
            if (file.startsWith(folder) && Files.exists(file)) {
                found.add(urlOf(file.toFile()));
            }
        }
        return Collections.enumeration(found);
    }
}
