package shop;

import static org.junit.Assert.*;

import org.junit.Test;

public class CartTest {
    @Test
    public void addsUp() {
        Cart cart = new Cart();
        cart.add(2);
        cart.add(3);
        assertEquals(new Pieces(5), cart.pieces());
    }

    @Test
    public void holdsWhatWasAdded() {
        Cart cart = new Cart();
        cart.add(4);
        assertEquals(new Pieces(4), cart.pieces());
    }

    @Test
    public void isEmptyAtFirst() {
        assertEquals(new Pieces(0), new Cart().pieces());
    }

    @Test
    public void allowsSome() {
        assertTrue(new Cart().allows(3));
    }
}
