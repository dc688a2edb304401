package unidebug.runner;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jacoco.core.data.ExecutionData;
import org.jacoco.core.data.ExecutionDataReader;
import org.jacoco.core.data.ExecutionDataStore;
import org.jacoco.core.data.SessionInfoStore;

/**
 * Takes from JaCoCo's agent, after each test, what it executed, and clears the agent's counters. Folders of classes come
 * from the property {@code unidebug.spectrum}, joined by the path separator. With {@code unidebug.spectrum.classes} names
 * of classes are told and no lines; then what ran before a test, such as its class's own set-up, counts as the test's.
 */
public final class Spectrum implements PerTest {
    private final Object agent;
    private final Method take;
    private final List<Path> folders = new ArrayList<>();
    private final boolean onlyClasses = Boolean.getBoolean("unidebug.spectrum.classes");
    /** What is told of a class by its name. */
    private final Map<String, String> known = new HashMap<>();
    /** The lines behind the probes of a class, by what JaCoCo calls it; nothing for one that is not the subject's. */
    private final Map<Long, Optional<ProbeLines>> lines = new HashMap<>();

    /** Finds the agent. */
    public Spectrum() throws ReflectiveOperationException {
        ClassLoader loader = ClassLoader.getSystemClassLoader();
        agent = Class.forName("org.jacoco.agent.rt.RT", true, loader).getMethod("getAgent").invoke(null);
        take = Class.forName("org.jacoco.agent.rt.IAgent", true, loader).getMethod("getExecutionData", boolean.class);
        for (String folder : System.getProperty("unidebug.spectrum").split(File.pathSeparator)) {
            folders.add(new File(folder).toPath());
        }
        if (!onlyClasses) {
            Hosts.watch();
        }
    }

    @Override
    public void clear() {
        if (onlyClasses) {
            return;
        }
        Hosts.taken();
        try {
            take.invoke(agent, true);
        } catch (ReflectiveOperationException gone) {
            throw new IllegalStateException(gone);
        }
    }

    @Override
    public List<String> executed() {
        try {
            ExecutionDataReader reader = new ExecutionDataReader(new ByteArrayInputStream((byte[]) take.invoke(agent, true)));
            ExecutionDataStore store = new ExecutionDataStore();
            reader.setExecutionDataVisitor(store);
            reader.setSessionInfoVisitor(new SessionInfoStore());
            reader.read();
            List<String> files = new ArrayList<>();
            String host = Hosts.taken();
            if (host != null) {
                files.add("asked-for " + host);
            }
            for (ExecutionData data : store.getContents()) {
                String told = !data.hasHits() ? "" : onlyClasses ? nameOf(data) : linesOf(data);
                if (!told.isEmpty()) {
                    files.add(told);
                }
            }
            return files;
        } catch (ReflectiveOperationException | IOException gone) {
            throw new IllegalStateException(gone);
        }
    }

    /** {@code package/File.java} and its executed lines, or nothing for classes that are not the subject's. */
    private String linesOf(ExecutionData data) throws IOException {
        Optional<ProbeLines> known = lines.get(data.getId());
        if (known == null) {
            Path file = fileOf(data.getName());
            known = file == null ? Optional.empty() : Optional.of(ProbeLines.of(Files.readAllBytes(file)));
            lines.put(data.getId(), known);
        }
        return known.isPresent() ? known.get().told(data.getProbes()) : "";
    }

    /** The class, or nothing when it is not the subject's. */
    private String nameOf(ExecutionData data) {
        return known.computeIfAbsent(data.getName(), name -> fileOf(name) == null ? "" : name.replace('/', '.'));
    }

    private Path fileOf(String name) {
        for (Path folder : folders) {
            Path file = folder.resolve(name + ".class");
            if (Files.isRegularFile(file)) {
                return file;
            }
        }
        return null;
    }
}
