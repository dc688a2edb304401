import java.io.PrintStream;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/** Runs test classes and leaves the two files of `defects4j test`: arguments are the version, a folder, the classes. */
public class Official {
    public static void main(String[] args) throws Exception {
        boolean namesInvocations = args[0].startsWith("2.");
        try (PrintStream failing = new PrintStream(args[1] + "/failing_tests");
                PrintStream all = new PrintStream(args[1] + "/all_tests")) {
            JUnitCore core = new JUnitCore();
            core.addListener(new RunListener() {
                @Override
                public void testStarted(Description test) {
                    all.println(test.getMethodName() + "(" + test.getClassName() + ")");
                }

                @Override
                public void testFailure(Failure failure) {
                    Description test = failure.getDescription();
                    String method = test.getMethodName();
                    if (method != null && !namesInvocations) {
                        method = method.replaceFirst("\\[.*", "");
                    }
                    failing.println("--- " + test.getClassName() + (method == null ? "" : "::" + method));
                    failing.print(failure.getTrace());
                }
            });
            for (int i = 2; i < args.length; i++) {
                core.run(Class.forName(args[i]));
            }
        }
    }
}
