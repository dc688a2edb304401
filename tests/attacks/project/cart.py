"""A cart in a shop."""

from shop.pieces import Pieces


class Cart:
    """Counts what is put into it."""

    def __init__(self):
        self.count = 0

    def add(self, pieces):
        """Puts pieces into the cart, beside those that are there."""
        self.count = pieces

    def held(self):
        """What the cart holds."""
        return Pieces(self.count)

    def allows(self, pieces):
        """Whether so many pieces may be bought at once."""
        if pieces < 0:
            return False
        return pieces <= 10
