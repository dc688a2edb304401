package unidebug.runner;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;

/** The agent that lets {@link Weaver} at the classes of the subject. */
public final class Watching {
    private Watching() {}

    public static void premain(String args, Instrumentation instrumentation) throws Exception {
        ClassLoader apart = new Apart(System.getProperty("unidebug.observe.libraries"));
        Class<?> weaver = Class.forName("unidebug.runner.Weaver", true, apart);
        instrumentation.addTransformer((ClassFileTransformer) weaver.getDeclaredConstructor().newInstance());
    }
}
