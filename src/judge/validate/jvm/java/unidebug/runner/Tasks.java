package unidebug.runner;

import java.util.List;
import javax.tools.DiagnosticListener;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;

/** Compilations that may share what was read before. */
interface Tasks {
    /** The files below, with what the options say of the JDK in front where that can be kept open; it leaves the options. */
    JavaFileManager platform(JavaFileManager below, List<String> options);

    /** Whether an earlier compilation of these files left something behind. */
    boolean isKept(String files);

    /** Begins anew for these files. */
    void forget(String files);

    /** Compiles; errors are told to the listener. */
    void compile(
            String files,
            JavaFileManager manager,
            DiagnosticListener<JavaFileObject> complaints,
            List<String> options,
            List<JavaFileObject> sources);

    /**
     * The compiler's own pool where this JDK has one and lets us use it, else nothing is shared: what annotation processors
     * made of one candidate must not be seen by the next.
     */
    static Tasks best(javax.tools.JavaCompiler javac, List<String> options) {
        if (!options.contains("-proc:none")) {
            return new Fresh(javac);
        }
        try {
            return (Tasks) Class.forName("unidebug.runner.Pooled").getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException | LinkageError none) {
            return new Fresh(javac);
        }
    }

    /** Every compilation reads everything. */
    final class Fresh implements Tasks {
        private final javax.tools.JavaCompiler javac;

        Fresh(javax.tools.JavaCompiler javac) {
            this.javac = javac;
        }

        @Override
        public JavaFileManager platform(JavaFileManager below, List<String> options) {
            return below;
        }

        @Override
        public boolean isKept(String files) {
            return false;
        }

        @Override
        public void forget(String files) {
            // Nothing is kept.
        }

        @Override
        public void compile(
                String files,
                JavaFileManager manager,
                DiagnosticListener<JavaFileObject> complaints,
                List<String> options,
                List<JavaFileObject> sources) {
            javac.getTask(null, manager, complaints, options, null, sources).call();
        }
    }
}
