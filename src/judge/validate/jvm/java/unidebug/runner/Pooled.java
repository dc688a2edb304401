package unidebug.runner;

import com.sun.source.util.JavacTask;
import com.sun.tools.javac.api.JavacTaskPool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.tools.DiagnosticListener;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;

/**
 * Keeps what the compiler read of libraries from one compilation to the next. There is one pool for each set of files:
 * what a candidate made of a file must not be seen by a candidate that leaves that file alone.
 */
final class Pooled implements Tasks {
    private static final int SETS = 8;

    private final Map<String, JavacTaskPool> pools = new LinkedHashMap<String, JavacTaskPool>(SETS, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, JavacTaskPool> eldest) {
            return size() > SETS;
        }
    };

    @Override
    public JavaFileManager platform(JavaFileManager below, List<String> options) {
        return Release.before(below, options);
    }

    @Override
    public boolean isKept(String files) {
        return pools.containsKey(files);
    }

    @Override
    public void forget(String files) {
        pools.remove(files);
    }

    @Override
    public void compile(
            String files,
            JavaFileManager manager,
            DiagnosticListener<JavaFileObject> complaints,
            List<String> options,
            List<JavaFileObject> sources) {
        JavacTaskPool pool = pools.computeIfAbsent(files, each -> new JavacTaskPool(1));
        pool.getTask(null, manager, complaints, options, null, sources, task -> generate(task));
    }

    private static Void generate(JavacTask task) {
        try {
            task.generate();
            return null;
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }
}
