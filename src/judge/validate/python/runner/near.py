# Inputs near one that a test gave: values at the edges, one more and one less, shorter and longer.

import copy
import itertools
import math
import random
import re

NEAR_EACH = 18
# A text or list longer than this is not doubled.
LONG = 40
PAIRS = 24


class Near:
    """Draws inputs near an observed one. The same input and the same constants always give the same ones: what several
    versions of a function do with them can be compared."""

    def __init__(self, constants):
        self.numbers, self.texts = [], []
        for text in constants:
            try:
                value = json.loads(text)
            except ValueError:
                continue
            if isinstance(value, str):
                self.texts.append(value)
            elif type(value) in (int, float):
                self.numbers.append(value)

    def of(self, value):
        """Values near one, without itself; nothing where it is not known how to draw."""
        kind = type(value)
        found = []
        if kind is bool:
            found = [not value]
        elif kind is int:
            edges = [edge for number in self.numbers if type(number) is int for edge in (number - 1, number, number + 1)]
            found = [value - 1, value + 1, 0, -1, 1, -value, 2 * value, value + 7, *edges]
        elif kind is float:
            edges = [edge for number in self.numbers for edge in (float(number), number - 0.5, number + 0.5)]
            found = [value - 0.5, value + 0.5, 0.0, -value, 2 * value, value + 7.0, *edges]
            found = [near for near in found if math.isfinite(near)]
        elif kind is str:
            found = ["", value[:-1], value[1:], value + value[-1:], value[::-1], value + " ", value.swapcase(), value + "a", value + "1", value[:1]]
            found += [*self.of_numbers(value), *self.of_parts(value), value + "\u00e9", *self.texts, *self.without_quarters(value)]
        elif kind is bytes:
            half = len(value) // 2
            found = [b"", value[:-1], value[1:], value + value[-1:], value[::-1], value.swapcase(), value + b"a", value + b"1"]
            # Bytes that are no text in ASCII, no text in UTF-8, and a letter in both of UTF-8 and Latin-1.
            found += [value[:half] + odd + value[half:] for odd in (b"\x81", b"\xfc", b"\xc3\xa9")]
        elif kind in STREAMS and not value.closed:
            left = value.getvalue()[value.tell() :]
            found = [kind(near) for near in self.of(left)] if left else []
        elif kind in (list, tuple):
            found = list(self.of_items(value, kind))
        elif kind is dict:
            found = list(self.of_dict(value))
        elif kind in (set, frozenset):
            items = sorted(value, key=repr)
            found = [kind(), kind(items[1:]), kind(items[:-1])]
        return self.without(value, found)[:NEAR_EACH]

    @staticmethod
    def of_numbers(value):
        """A text with its last number one larger, and with a sign before it."""
        number = re.search(r"\d+(?=\D*$)", value)
        if number and len(number.group()) <= LONG:
            before, after = value[: number.start()], value[number.end() :]
            yield f"{before}{int(number.group()) + 1}{after}"
            yield f"{before}-{number.group()}{after}"

    @staticmethod
    def of_parts(value):
        """A text of parts, say a path or a version, with its last part twice, and without it."""
        last = re.search(r"[^\w\s]\w+$", value)
        if last:
            yield value + last.group()
            yield value[: last.start()]

    @staticmethod
    def without_quarters(value):
        """A text of some length without each of its quarters, the last first: tests end with what they are about."""
        quarter = len(value) // 4
        if quarter:
            for at in (3, 2, 1, 0):
                yield value[: at * quarter] + value[(at + 1) * quarter :]

    def of_items(self, value, kind):
        yield kind()
        yield value[:-1]
        yield value[1:]
        yield value + value[-1:]
        if 1 < len(value) <= LONG:
            yield value + value
        yield value[::-1]
        for at in sorted({0, len(value) // 2, len(value) - 1}):
            if 0 <= at < len(value):
                for near in self.of(value[at])[:4]:
                    yield kind([*value[:at], near, *value[at + 1 :]])

    def of_dict(self, value):
        yield {}
        for key in list(value)[:3]:
            yield {other: held for other, held in value.items() if other != key}
            for near in self.of(value[key])[:3]:
                yield {**value, key: near}

    @staticmethod
    def without(value, found):
        def text_of(value):
            try:
                return repr(value)
            except Exception:  # an object that is not set up yet cannot tell of itself
                return f"{type(value).__name__} {id(value)}"

        kept, known = [], {text_of(value)}
        for near in found:
            text = text_of(near)
            if text not in known:
                known.add(text)
                kept.append(near)
        return kept

    def inputs(self, values, absent=()):
        """Changes of a list of values, each as pairs of a place and its new value: one place first, then two at once. In
        the places that are `absent` there may be none."""
        each = [self.of(value) for value in values]
        for at in absent:
            if values[at] is not None:
                each[at].insert(0, None)
        # Each place in turn, so that a cut leaves something of all.
        for row in itertools.zip_longest(*([(at, near) for near in found] for at, found in enumerate(each))):
            yield from ([change] for change in row if change is not None)
        places = [at for at, found in enumerate(each) if found]
        if len(places) < 2:
            return
        chance = random.Random(len(values))
        for _ in range(PAIRS):
            one, other = chance.sample(places, 2)
            yield [(one, chance.choice(each[one])), (other, chance.choice(each[other]))]
