"""A number of pieces."""


class Pieces:
    """Equal when the numbers are."""

    def __init__(self, count):
        self.count = count

    def __eq__(self, other):
        return isinstance(other, Pieces) and self.count == other.count
