package unidebug.maven;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.model.Plugin;
import org.apache.maven.model.PluginExecution;
import org.apache.maven.project.MavenProject;

/**
 * Leaves goals out of the life cycle that refused to run, so that all others, generators of sources among them, run; and
 * raises language levels that the compiler no longer knows.
 */
final class Adjust {
    private static final List<String> LEVELS =
            Arrays.asList("source", "target", "release", "testSource", "testTarget", "testRelease");

    private Adjust() {}

    static void adjust(MavenSession session) {
        Properties told = session.getUserProperties();
        List<String> refusing = Arrays.asList(told.getProperty("unidebug.without", "").split(","));
        int oldest = Integer.parseInt(told.getProperty("unidebug.oldest", "0"));
        for (MavenProject project : session.getProjects()) {
            for (Plugin plugin : project.getBuildPlugins()) {
                leaveOut(plugin, refusing);
            }
            if (oldest > 0) {
                raise(project, oldest);
            }
        }
    }

    private static void leaveOut(Plugin plugin, List<String> refusing) {
        for (PluginExecution execution : plugin.getExecutions()) {
            List<String> kept = new ArrayList<>(execution.getGoals());
            kept.removeIf(goal -> refusing.contains(plugin.getKey() + ":" + goal + "@" + execution.getId()));
            execution.setGoals(kept);
        }
    }

    private static void raise(MavenProject project, int oldest) {
        // Without a word of the project, an old compiler plug-in has an old level of its own.
        for (String name : Arrays.asList("maven.compiler.source", "maven.compiler.target")) {
            String level = project.getProperties().getProperty(name);
            if (level == null || isOlder(level, oldest)) {
                project.getProperties().setProperty(name, String.valueOf(oldest));
            }
        }
        for (Plugin plugin : project.getBuildPlugins()) {
            if (plugin.getArtifactId().equals("maven-compiler-plugin")) {
                raise(plugin.getConfiguration(), oldest);
                for (PluginExecution execution : plugin.getExecutions()) {
                    raise(execution.getConfiguration(), oldest);
                }
            }
        }
    }

    /** Raises the levels in a configuration, whose class differs between versions of Maven. */
    private static void raise(Object configuration, int oldest) {
        if (configuration == null) {
            return;
        }
        try {
            for (Object child : (Object[]) configuration.getClass().getMethod("getChildren").invoke(configuration)) {
                String name = (String) child.getClass().getMethod("getName").invoke(child);
                String level = (String) child.getClass().getMethod("getValue").invoke(child);
                if (LEVELS.contains(name) && level != null && isOlder(level, oldest)) {
                    child.getClass().getMethod("setValue", String.class).invoke(child, String.valueOf(oldest));
                }
            }
        } catch (ReflectiveOperationException | ClassCastException e) {
            System.err.println("[WARNING] the language level cannot be raised: " + e);
        }
    }

    private static boolean isOlder(String level, int oldest) {
        String number = level.trim().startsWith("1.") ? level.trim().substring(2) : level.trim();
        try {
            return Integer.parseInt(number) < oldest;
        } catch (NumberFormatException e) {
            return false;
        }
    }
}
