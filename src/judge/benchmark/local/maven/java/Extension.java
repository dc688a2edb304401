package unidebug.maven;

import org.apache.maven.AbstractMavenLifecycleParticipant;
import org.apache.maven.MavenExecutionException;
import org.apache.maven.execution.MavenSession;

/** What Maven calls of ours: before it builds, and after. */
public final class Extension extends AbstractMavenLifecycleParticipant {
    @Override
    public void afterProjectsRead(MavenSession session) throws MavenExecutionException {
        Adjust.adjust(session);
        Describe.poms(session);
    }

    @Override
    public void afterSessionEnd(MavenSession session) throws MavenExecutionException {
        Describe.classPaths(session);
    }
}
