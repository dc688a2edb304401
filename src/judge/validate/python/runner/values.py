# Values as text: short, without running code of the project, and without addresses.

import collections
import datetime
import decimal
import enum
import fractions
import io
import pathlib
import uuid

VALUE = 160
TEXT = 80
ITEMS = 6
DEEP = 2
WIDE = 400
# In memory: their value is what they hold, and how much of it was read.
STREAMS = (io.StringIO, io.BytesIO)


class Values:
    """Tells values by what they hold. Only methods of built-in types are called, so nothing of the project runs."""

    VALUE, ITEMS, DEEP = VALUE, ITEMS, DEEP
    ASIDE = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType, type)
    PLAIN = (datetime.datetime, datetime.date, datetime.time, datetime.timedelta, decimal.Decimal, fractions.Fraction)
    PLAIN += (uuid.UUID, pathlib.PurePosixPath, pathlib.PosixPath, complex, range, slice, type(None), type(...))
    PLAIN += (type(NotImplemented), type(re.compile("")))
    # What takes no room even deep inside of others.
    SHORT = (int, bool, float, type(None))

    def text(self, value):
        try:
            return self.cut(self.of(value, 0, ()), self.VALUE)
        except BaseException as broken:  # a value that cannot be told is no reason to end a test
            return f"({type(broken).__name__})"

    @staticmethod
    def cut(text, most):
        text = plain(text)
        return text if len(text) <= most else text[: most - 1] + "\u2026"

    @staticmethod
    def name(kind):
        return type.__dict__["__name__"].__get__(kind)

    def of(self, value, deep, around):
        kind = type(value)
        if kind in self.PLAIN:
            return self.cut(repr(value), TEXT)
        if kind in (bool, float):
            return repr(value)
        if issubclass(kind, enum.Enum):
            return f"{self.name(kind)}.{object.__getattribute__(value, '_name_')}"
        if issubclass(kind, int):
            bits = int.bit_length(value)
            return self.of_kind(kind, int, int.__repr__(value) if bits <= WIDE else f"(an int of {bits} bits)")
        if issubclass(kind, float):
            return self.of_kind(kind, float, float.__repr__(value))
        if issubclass(kind, (str, bytes, bytearray)):
            return self.of_text(value, kind)
        if issubclass(kind, self.ASIDE):
            return self.of_code(value, kind)
        if id(value) in around:
            return "(cycle)"
        return self.of_whole(value, kind, deep, (*around, id(value)))

    def of_kind(self, kind, base, text):
        return text if kind is base else f"{self.name(kind)}({text})"

    def of_text(self, value, kind):
        base = str if issubclass(kind, str) else bytes if issubclass(kind, bytes) else bytearray
        size = base.__len__(value)
        start = base.__getitem__(value, slice(0, TEXT))
        text = base.__repr__(start)
        return self.of_kind(kind, base, text if size <= TEXT else f"{text}\u2026 ({size} long)")

    def of_code(self, value, kind):
        if issubclass(kind, type):
            return f"<class {self.name(value)}>"
        if kind in (types.FunctionType, types.BuiltinFunctionType, types.MethodType):
            return f"<function {value.__name__}>"
        return f"<{self.name(kind)}>"

    def of_whole(self, value, kind, deep, around):
        for base, left, right in ((list, "[", "]"), (tuple, "(", ")"), (collections.deque, "deque[", "]")):
            if issubclass(kind, base):
                items = list(self.first(base.__iter__(value)))
                return self.of_kind(kind, base, self.joined(items, base.__len__(value), deep, around, left, right))
        for base in (set, frozenset):
            if issubclass(kind, base):
                # The order of a set is that of hashes, which differ from run to run.
                items = sorted(self.of(item, deep + 1, around) for item in self.first(base.__iter__(value), 40))
                more = ["\u2026"] if base.__len__(value) > self.ITEMS else []
                return self.of_kind(kind, base, "{" + ", ".join(items[: self.ITEMS] + more) + "}")
        if issubclass(kind, dict):
            pairs = list(self.first(iter(dict.items(value))))
            return self.of_kind(kind, dict, self.paired(pairs, dict.__len__(value), deep, around, "{", "}", ": ", True))
        if issubclass(kind, BaseException):
            return f"{self.name(kind)}({self.of(BaseException.__getattribute__(value, 'args'), deep + 1, around)})"
        if kind in STREAMS:
            return f"{self.name(kind)}({self.of(kind.getvalue(value), deep + 1, around)}, at {kind.tell(value)})"
        pairs = list(self.fields(value).items())
        return self.name(kind) + self.paired(pairs[: self.ITEMS], len(pairs), deep, around, "(", ")", "=", False)

    def first(self, items, most=None):
        for _, item in zip(range(most or self.ITEMS), items):
            yield item

    def joined(self, items, size, deep, around, left, right):
        if deep >= self.DEEP and not all(type(item) in self.SHORT for item in items):
            return f"{left}\u2026{size}{right}"
        texts = [self.of(item, deep + 1, around) for item in items]
        return left + ", ".join(texts + ([f"\u2026 {size} in all"] if size > len(items) else [])) + right

    def paired(self, pairs, size, deep, around, left, right, between, whole):
        if deep >= self.DEEP and pairs:
            return f"{left}\u2026{right}"
        name = (lambda key: self.of(key, deep + 1, around)) if whole else str
        texts = [f"{name(key)}{between}{self.masked(key, self.of(held, deep + 1, around))}" for key, held in pairs]
        return left + ", ".join(texts + ([f"\u2026 {size} in all"] if size > len(pairs) else [])) + right

    SECRET = re.compile("passw|secret|api_?key|private_?key|credential", re.IGNORECASE)

    def masked(self, name, text):
        """Text under a name that says it is a secret is not told."""
        is_text = text[:1] in "'\"b"
        return "(masked)" if is_text and isinstance(name, str) and self.SECRET.search(name) else text

    def fields(self, value):
        """What an object holds itself; no property runs."""
        try:
            held = dict(object.__getattribute__(value, "__dict__"))
        except AttributeError:
            held = {}
        for name, slot in self.slots(type(value)):
            if name not in held:
                try:
                    held[name] = slot.__get__(value)
                except AttributeError:
                    pass
        return held

    # By number, for a type may bring a way of its own to compare; each is kept, so that no other one gets its number.
    KNOWN = {}

    def slots(self, kind):
        if id(kind) not in self.KNOWN:
            bases = [type.__dict__["__dict__"].__get__(base) for base in type.__dict__["__mro__"].__get__(kind)]
            each = [item for base in bases for item in base.items()]
            slots = [(name, slot) for name, slot in each if type(slot) is types.MemberDescriptorType]
            self.KNOWN[id(kind)] = (kind, slots)
        return self.KNOWN[id(kind)][1]
