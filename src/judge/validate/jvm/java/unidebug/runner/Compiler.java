package unidebug.runner;

import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * A compiler that stays warm. It never loads what it compiles. Arguments: charset, a file with one compiler option a line,
 * and the folder that annotation processors are told the sources lie in: some read settings there. Requests come on descriptor 4, answers go to descriptor 3:
 * <pre>
 * request: int files, each: text path, int length, bytes
 * answer:  boolean ok, int complaints, each: text path, int line, text message; int classes, each: text name, int length, bytes
 * text:    int length, UTF-8
 * </pre>
 */
public final class Compiler {
    private final JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
    private final Tasks tasks;
    private final Charset charset;
    private final Path root;
    private final List<String> options;
    private final Memory manager;

    private Compiler(Charset charset, Path root, List<String> options) {
        this.charset = charset;
        this.root = root;
        this.options = new ArrayList<>(options);
        this.tasks = Tasks.best(javac, options);
        JavaFileManager files = javac.getStandardFileManager(null, Locale.ROOT, charset);
        this.manager = new Memory(tasks.platform(files, this.options));
    }

    public static void main(String[] args) throws Exception {
        List<String> options = Files.readAllLines(Paths.get(args[1]), StandardCharsets.UTF_8);
        Compiler compiler = new Compiler(Charset.forName(args[0]), Paths.get(args[2]), options);
        try (DataInputStream in = new DataInputStream(new FileInputStream("/proc/self/fd/4"));
                DataOutputStream out = new DataOutputStream(new BufferedOutputStream(new FileOutputStream("/proc/self/fd/3"), 1 << 16))) {
            while (true) {
                compiler.answer(compiler.read(in), out);
                out.flush();
            }
        } catch (EOFException over) {
            // Whoever asked is gone.
        }
    }

    private List<JavaFileObject> read(DataInputStream in) throws IOException {
        int count = in.readInt();
        List<JavaFileObject> sources = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String path = Wire.readText(in);
            sources.add(new Source(root, path, new String(Wire.readBytes(in), charset)));
        }
        return sources;
    }

    private void answer(List<JavaFileObject> sources, DataOutputStream out) throws IOException {
        StringBuilder files = new StringBuilder();
        for (JavaFileObject source : sources) {
            files.append(((Source) source).path).append('\n');
        }
        boolean kept = tasks.isKept(files.toString());
        // A compiler that fails itself is no complaint about the sources: this process ends, and a cold one decides.
        DiagnosticCollector<JavaFileObject> complaints = compile(files.toString(), sources);
        if (kept && hasErrors(complaints)) {
            // What an earlier candidate left behind must not be the reason.
            tasks.forget(files.toString());
            complaints = compile(files.toString(), sources);
        }
        boolean ok = !hasErrors(complaints);
        List<Diagnostic<? extends JavaFileObject>> errors = new ArrayList<>();
        for (Diagnostic<? extends JavaFileObject> each : complaints.getDiagnostics()) {
            if (each.getKind() == Diagnostic.Kind.ERROR && errors.size() < 20) {
                errors.add(each);
            }
        }
        out.writeBoolean(ok);
        out.writeInt(errors.size());
        for (Diagnostic<? extends JavaFileObject> error : errors) {
            JavaFileObject source = error.getSource();
            Wire.writeText(out, source instanceof Source ? ((Source) source).path : "");
            out.writeInt((int) Math.max(0, error.getLineNumber()));
            Wire.writeText(out, error.getMessage(Locale.ENGLISH));
        }
        Map<String, Made> made = ok ? manager.made : new HashMap<>();
        out.writeInt(made.size());
        for (Map.Entry<String, Made> each : made.entrySet()) {
            Wire.writeText(out, each.getKey());
            byte[] bytes = each.getValue().bytes.toByteArray();
            out.writeInt(bytes.length);
            out.write(bytes);
        }
    }

    private DiagnosticCollector<JavaFileObject> compile(String files, List<JavaFileObject> sources) {
        DiagnosticCollector<JavaFileObject> complaints = new DiagnosticCollector<>();
        manager.made.clear();
        tasks.compile(files, manager, complaints, options, sources);
        return complaints;
    }

    private static boolean hasErrors(DiagnosticCollector<JavaFileObject> complaints) {
        for (Diagnostic<?> each : complaints.getDiagnostics()) {
            if (each.getKind() == Diagnostic.Kind.ERROR) {
                return true;
            }
        }
        return false;
    }

    /** A source given by its text. */
    private static final class Source extends SimpleJavaFileObject {
        final String path;
        private final String text;

        Source(Path root, String path, String text) {
            super(root.resolve(path).toUri(), Kind.SOURCE);
            this.path = path;
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    /** A class that was made. */
    private static final class Made extends SimpleJavaFileObject {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        Made(String name) {
            super(URI.create("made:///" + name.replace('.', '/') + ".class"), Kind.CLASS);
        }

        @Override
        public OutputStream openOutputStream() {
            bytes.reset();
            return bytes;
        }

        /** What an annotation processor made, others may use. */
        @Override
        public InputStream openInputStream() {
            return new ByteArrayInputStream(bytes.toByteArray());
        }
    }

    /**
     * Remembers what folders and jars hold, which never changes, and keeps made classes in memory. Annotation processors that
     * make anything else end this process: a cold compiler does their work.
     */
    private static final class Memory extends ForwardingJavaFileManager<JavaFileManager> {
        final Map<String, Made> made = new LinkedHashMap<>();
        private final Map<String, Iterable<JavaFileObject>> listed = new HashMap<>();
        private final Map<Location, ClassLoader> loaders = new HashMap<>();

        Memory(JavaFileManager below) {
            super(below);
        }

        @Override
        public Iterable<JavaFileObject> list(Location location, String folder, Set<JavaFileObject.Kind> kinds, boolean deep)
                throws IOException {
            String key = location.getName() + "|" + folder + "|" + kinds + "|" + deep;
            Iterable<JavaFileObject> known = listed.get(key);
            if (known == null) {
                List<JavaFileObject> all = new ArrayList<>();
                for (JavaFileObject each : super.list(location, folder, kinds, deep)) {
                    all.add(each);
                }
                known = all;
                listed.put(key, known);
            }
            return known;
        }

        @Override
        public JavaFileObject getJavaFileForOutput(Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
            if (kind != JavaFileObject.Kind.CLASS) {
                throw new UnsupportedOperationException("making " + name);
            }
            Made file = new Made(name);
            made.put(name, file);
            return file;
        }

        @Override
        public FileObject getFileForOutput(Location location, String folder, String name, FileObject sibling) {
            throw new UnsupportedOperationException("making " + name);
        }

        /** Processors are loaded once: the compiler closes a loader it can close, and has a new one load them all again. */
        @Override
        public ClassLoader getClassLoader(Location location) {
            return loaders.computeIfAbsent(location, each -> {
                ClassLoader closeable = super.getClassLoader(each);
                return closeable == null ? null : new ClassLoader(closeable) { };
            });
        }

        @Override
        public boolean isSameFile(FileObject a, FileObject b) {
            return a == b || a.toUri().equals(b.toUri());
        }
    }
}
