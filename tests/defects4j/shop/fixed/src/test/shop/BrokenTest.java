package shop;

import static org.junit.Assert.fail;

import org.junit.Test;

/** Fails on both sides; the benchmark does not count it. */
public class BrokenTest {
    @Test
    public void neverPassed() {
        fail("broken since 1999");
    }
}
