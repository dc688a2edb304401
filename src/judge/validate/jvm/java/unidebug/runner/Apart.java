package unidebug.runner;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;

/** Loads the collector with its own libraries first: the subject may have other versions of them. */
final class Apart extends URLClassLoader {
    private static final String[] OWN = {
        "org.jacoco.core.",
        "org.objectweb.asm.",
        "unidebug.runner.Spectrum",
        "unidebug.runner.Hosts",
        "unidebug.runner.ProbeLines",
        "unidebug.runner.Weaver",
        "unidebug.runner.DrawnWeaver",
    };

    /** Libraries are paths, joined by the path separator. */
    Apart(String libraries) throws MalformedURLException {
        super(places(libraries), Apart.class.getClassLoader());
    }

    private static URL[] places(String libraries) throws MalformedURLException {
        List<URL> places = new ArrayList<>();
        for (String library : libraries.split(File.pathSeparator)) {
            places.add(new File(library).toURI().toURL());
        }
        places.add(Apart.class.getProtectionDomain().getCodeSource().getLocation());
        return places.toArray(new URL[0]);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        for (String own : OWN) {
            if (name.startsWith(own)) {
                synchronized (getClassLoadingLock(name)) {
                    Class<?> known = findLoadedClass(name);
                    return known != null ? known : findClass(name);
                }
            }
        }
        return super.loadClass(name, resolve);
    }
}
