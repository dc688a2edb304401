package unidebug.runner;

/** One generation of JUnit. */
interface Adapter {
    /** Whether this class holds tests of this generation. */
    boolean takes(Class<?> type);

    /** Runs the wanted tests of the class and reports each to the clock. */
    void run(Class<?> type, Request request, Clock clock, Records records) throws Exception;
}
