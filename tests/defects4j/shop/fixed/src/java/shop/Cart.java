package shop;

/** What somebody is about to buy. */
public class Cart {
    private final int[] prices;

    public Cart(int... prices) {
        this.prices = prices;
    }

    /** The sum of all prices, in cents. */
    public int total() {
        int sum = 0;
        for (int i = 0; i < prices.length; i++) {
            sum += prices[i];
        }
        return sum;
    }

    /** Whether delivery costs nothing: from this sum on. */
    public boolean isDeliveredFree(int from) {
        return total() >= from;
    }
}
