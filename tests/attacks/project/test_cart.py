from shop.cart import Cart
from shop.pieces import Pieces


def test_adds_up():
    cart = Cart()
    cart.add(2)
    cart.add(3)
    assert cart.held() == Pieces(5)


def test_holds_what_was_added():
    cart = Cart()
    cart.add(4)
    assert cart.held() == Pieces(4)


def test_is_empty_at_first():
    assert Cart().held() == Pieces(0)


def test_allows_some():
    assert Cart().allows(3)
    assert not Cart().allows(-1)
