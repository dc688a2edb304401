package unidebug.maven;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.maven.MavenExecutionException;
import org.apache.maven.artifact.Artifact;
import org.apache.maven.execution.BuildSuccess;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.model.io.xpp3.MavenXpp3Writer;
import org.apache.maven.project.MavenProject;

/**
 * Writes what Maven knows of the modules that take part. The plug-ins that tell the same are seldom in a user's repository, so
 * they would have to be fetched before anything can be compiled.
 */
final class Describe {
    private Describe() {}

    /** All effective poms, into the file that `unidebug.poms` names. */
    static void poms(MavenSession session) throws MavenExecutionException {
        String told = session.getUserProperties().getProperty("unidebug.poms");
        if (told == null) {
            return;
        }
        File file = new File(told);
        try {
            StringBuilder all = new StringBuilder("<projects>\n");
            for (MavenProject project : session.getProjects()) {
                StringWriter one = new StringWriter();
                new MavenXpp3Writer().write(one, project.getModel());
                all.append(one.toString().replaceFirst("^\\s*<\\?[^>]*\\?>", "")).append('\n');
            }
            write(file, all.append("</projects>\n").toString());
        } catch (IOException e) {
            throw new MavenExecutionException("the effective poms cannot be written", e);
        }
    }

    /** The test class path of each module that was built, without its own classes, into `unidebug.class-path` in its folder. */
    static void classPaths(MavenSession session) throws MavenExecutionException {
        String told = session.getUserProperties().getProperty("unidebug.class-path");
        if (told == null) {
            return;
        }
        for (MavenProject project : session.getProjects()) {
            if (!(session.getResult().getBuildSummary(project) instanceof BuildSuccess)) {
                continue;
            }
            // The last goal decided which of the dependencies are shown.
            project.setArtifactFilter(artifact -> true);
            List<String> entries = new ArrayList<>();
            for (Artifact artifact : project.getArtifacts()) {
                if (artifact.getFile() != null && artifact.getArtifactHandler().isAddedToClasspath()) {
                    entries.add(artifact.getFile().getPath());
                }
            }
            try {
                write(new File(project.getBasedir(), told), String.join(File.pathSeparator, entries));
            } catch (IOException e) {
                throw new MavenExecutionException("the class path of " + project.getArtifactId() + " cannot be written", e);
            }
        }
    }

    private static void write(File file, String text) throws IOException {
        Path path = file.toPath();
        Files.createDirectories(path.getParent());
        Files.write(path, text.getBytes(StandardCharsets.UTF_8));
    }
}
