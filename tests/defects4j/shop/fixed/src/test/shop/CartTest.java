package shop;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class CartTest {
    @Test
    public void sumsUp() {
        assertEquals(60, new Cart(10, 20, 30).total());
        assertEquals(0, new Cart().total());
    }

    @Test
    public void deliversFreeFromTheSumOn() {
        assertTrue(new Cart(40, 10).isDeliveredFree(50));
    }

    @Test
    public void deliversMoreFree() {
        assertTrue(new Cart(40, 30).isDeliveredFree(50));
    }

    @Test
    public void doesNotDeliverLessFree() {
        assertFalse(new Cart(40).isDeliveredFree(50));
    }
}
