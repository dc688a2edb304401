package unidebug.runner;

import com.sun.tools.javac.platform.PlatformDescription;
import com.sun.tools.javac.platform.PlatformUtils;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;

/**
 * What a {@code --release} lets sources see of the JDK. The compiler opens it anew for every compilation, which costs
 * more than compiling a file; here it stays open.
 */
final class Release extends ForwardingJavaFileManager<JavaFileManager> {
    private static final String OPTION = "--release";

    private final JavaFileManager platform;

    private Release(JavaFileManager below, JavaFileManager platform) {
        super(below);
        this.platform = platform;
    }

    /** Puts a release that the options name in front of the files below, and levels without a platform in its place. */
    static JavaFileManager before(JavaFileManager below, List<String> options) {
        int at = options.indexOf(OPTION);
        PlatformDescription named = at < 0 ? null : PlatformUtils.lookupPlatformDescription(options.get(at + 1));
        if (named == null) {
            return below;
        }
        options.subList(at, at + 2).clear();
        options.addAll(at, Arrays.asList("-source", named.getSourceVersion(), "-target", named.getTargetVersion()));
        return new Release(below, named.getFileManager());
    }

    private JavaFileManager of(Location location) {
        return platform.hasLocation(location) ? platform : fileManager;
    }

    @Override
    public Iterable<JavaFileObject> list(Location location, String folder, Set<JavaFileObject.Kind> kinds, boolean deep)
            throws IOException {
        return of(location).list(location, folder, kinds, deep);
    }

    @Override
    public String inferBinaryName(Location location, JavaFileObject file) {
        return of(location).inferBinaryName(location, file);
    }

    @Override
    public boolean hasLocation(Location location) {
        return of(location).hasLocation(location);
    }

    @Override
    public JavaFileObject getJavaFileForInput(Location location, String name, JavaFileObject.Kind kind) throws IOException {
        return of(location).getJavaFileForInput(location, name, kind);
    }

    @Override
    public Location getLocationForModule(Location location, String module) throws IOException {
        return of(location).getLocationForModule(location, module);
    }

    @Override
    public Location getLocationForModule(Location location, JavaFileObject file) throws IOException {
        return of(location).getLocationForModule(location, file);
    }

    @Override
    public String inferModuleName(Location location) throws IOException {
        return of(location).inferModuleName(location);
    }

    @Override
    public Iterable<Set<Location>> listLocationsForModules(Location location) throws IOException {
        return of(location).listLocationsForModules(location);
    }

    @Override
    public boolean contains(Location location, FileObject file) throws IOException {
        return of(location).contains(location, file);
    }
}
