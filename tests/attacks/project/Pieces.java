package shop;

public final class Pieces {
    private final int count;

    public Pieces(int count) {
        this.count = count;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Pieces && count == ((Pieces) other).count;
    }

    @Override
    public int hashCode() {
        return count;
    }
}
