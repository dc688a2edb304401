package shop;

public class Cart {
    private int count;

    public void add(int pieces) {
        count = pieces;
    }

    public Pieces pieces() {
        return new Pieces(count);
    }

    public boolean allows(int pieces) {
        if (pieces < 0) {
            return false;
        }
        return pieces <= 10;
    }
}
