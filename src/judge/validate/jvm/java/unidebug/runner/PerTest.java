package unidebug.runner;

import java.net.MalformedURLException;
import java.util.List;

/** What a single test executed, what its values were, or what comes of inputs near its own. */
public interface PerTest {
    /** Forgets what ran so far. */
    void clear();

    /**
     * For each source file {@code package/File.java} and the numbers of executed lines, or the names of classes; {@code
     * asked-for} and a host that a connection was made to. Forgets them.
     */
    List<String> executed();

    /** Whether further tests would tell nothing. */
    default boolean isOver() {
        return false;
    }

    /** The collector that was asked for, or none. */
    static PerTest orNone() {
        if (System.getProperty("unidebug.observe") != null) {
            return new Seen();
        }
        if (System.getProperty("unidebug.draw") != null) {
            return new Drawn();
        }
        if (System.getProperty("unidebug.spectrum") == null) {
            return null;
        }
        try {
            ClassLoader apart = new Apart(System.getProperty("unidebug.spectrum.libraries"));
            return (PerTest) Class.forName("unidebug.runner.Spectrum", true, apart).getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException | MalformedURLException | LinkageError missing) {
            throw new IllegalStateException("no agent to take execution data from", missing);
        }
    }
}
