package unidebug.maven;

import java.util.ArrayList;
import java.util.List;
import org.apache.maven.AbstractMavenLifecycleParticipant;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.model.Plugin;
import org.apache.maven.model.PluginExecution;
import org.apache.maven.project.MavenProject;

/** Leaves goals out of the life cycle that refused to run, so that all others, generators of sources among them, run. */
public final class LeaveOut extends AbstractMavenLifecycleParticipant {
    @Override
    public void afterProjectsRead(MavenSession session) {
        List<String> refusing = List.of(session.getUserProperties().getProperty("unidebug.without", "").split(","));
        for (MavenProject project : session.getProjects()) {
            for (Plugin plugin : project.getBuildPlugins()) {
                for (PluginExecution execution : plugin.getExecutions()) {
                    List<String> kept = new ArrayList<>(execution.getGoals());
                    kept.removeIf(goal -> refusing.contains(plugin.getKey() + ":" + goal + "@" + execution.getId()));
                    execution.setGoals(kept);
                }
            }
        }
    }
}
