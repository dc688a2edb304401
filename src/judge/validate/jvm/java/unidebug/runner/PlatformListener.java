package unidebug.runner;

import org.junit.platform.engine.EngineExecutionListener;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.reporting.ReportEntry;

/** Tells what an engine does as records of tests, and ends it when no further test shall begin. */
final class PlatformListener implements EngineExecutionListener {
    private final Clock clock;
    private final Records records;
    /** Whether the engine leaves out what it has not begun, when its listener throws. */
    private final boolean canStop;

    PlatformListener(Clock clock, Records records, boolean canStop) {
        this.clock = clock;
        this.records = records;
        this.canStop = canStop;
    }

    @Override
    public void dynamicTestRegistered(TestDescriptor descriptor) {
        // It is told when it starts.
    }

    @Override
    public void executionSkipped(TestDescriptor descriptor, String reason) {
        PlatformNames names = PlatformNames.of(descriptor);
        if (descriptor.getChildren().isEmpty()) {
            records.skipped(names.className, names.method, reason);
        }
        for (TestDescriptor child : descriptor.getChildren()) {
            executionSkipped(child, reason);
        }
    }

    @Override
    public void executionStarted(TestDescriptor descriptor) {
        if (canStop && clock.stopped()) {
            throw new Stopped();
        }
        PlatformNames names = PlatformNames.of(descriptor);
        if (descriptor.isTest()) {
            clock.started(names.className, names.method);
        } else {
            clock.entering(names.className);
        }
    }

    @Override
    public void executionFinished(TestDescriptor descriptor, TestExecutionResult result) {
        PlatformNames names = PlatformNames.of(descriptor);
        Throwable why = result.getThrowable().orElse(null);
        if (why instanceof Stopped) {
            return;
        }
        switch (result.getStatus()) {
            case SUCCESSFUL:
                if (descriptor.isTest()) {
                    clock.passed(names.className, names.method);
                }
                break;
            case ABORTED:
                aborted(descriptor, names, why);
                break;
            default:
                Throwable told = why != null ? why : new AssertionError("failed without an exception");
                clock.failed(names.className, names.method, told);
        }
    }

    private void aborted(TestDescriptor descriptor, PlatformNames names, Throwable why) {
        if (descriptor.isTest()) {
            clock.skipped(names.className, names.method, why);
            return;
        }
        executionSkipped(descriptor, why == null ? "" : String.valueOf(why.getMessage()));
    }

    @Override
    public void reportingEntryPublished(TestDescriptor descriptor, ReportEntry entry) {
        // What tests publish is output, not a result.
    }

    /** Ends what an engine still has to do: engines take no other word for it before platform 6. */
    private static final class Stopped extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Stopped() {
            super("no further test begins", null, false, false);
        }
    }
}
