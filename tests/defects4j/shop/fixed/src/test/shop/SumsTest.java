package shop;

import static org.junit.Assert.assertEquals;

import java.util.Arrays;
import java.util.Collection;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

@RunWith(Parameterized.class)
public class SumsTest {
    private final int price;

    public SumsTest(int price) {
        this.price = price;
    }

    @Parameterized.Parameters(name = "price: {0}")
    public static Collection<Object[]> prices() {
        return Arrays.asList(new Object[] {1}, new Object[] {7});
    }

    @Test
    public void doubles() {
        assertEquals(2 * price, new Cart(price, price).total());
    }
}
