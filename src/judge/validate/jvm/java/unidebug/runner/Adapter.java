package unidebug.runner;

/** One generation of JUnit. */
interface Adapter {
    /** Whether this class holds tests of this generation. */
    boolean takes(Class<?> type);

    /** Tells which tests the class holds, and runs none. */
    void discover(Class<?> type, Records records) throws Exception;

    /** Runs the wanted tests of the class and reports each to the clock. */
    void run(Class<?> type, Request request, Clock clock, Records records) throws Exception;
}
