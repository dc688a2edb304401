package unidebug.runner;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;

/** The agent that lets {@link Weaver} or {@link DrawnWeaver} at the classes of the subject. */
public final class Watching {
    private Watching() {}

    public static void premain(String args, Instrumentation instrumentation) throws Exception {
        ClassLoader apart = new Apart(System.getProperty("unidebug.agent.libraries"));
        String name = System.getProperty("unidebug.draw") == null ? "Weaver" : "DrawnWeaver";
        Class<?> weaver = Class.forName("unidebug.runner." + name, true, apart);
        instrumentation.addTransformer((ClassFileTransformer) weaver.getDeclaredConstructor().newInstance());
    }
}
