"""What an exception gives a reason for, by the part that a change exchanges: see :mod:`.grounds`."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from jupyter_selfheal.inside.search.changed_parts import Part
from jupyter_selfheal.inside.tree_names import list_read_names, read_called_name, walk

KINDS = frozenset({"TypeError", "AttributeError"})
"""What says that a value is of the wrong kind."""
PLACES = frozenset({"IndexError", "KeyError", "RecursionError", "AxisError", "ZeroDivisionError"})
"""What says that a place is beyond the end, or a count went one too far."""
CALLED = frozenset({"range", "arange", "islice", "enumerate"})
CONVERT = frozenset(
    {"int", "float", "str", "list", "tuple", "dict", "set", "len", "range", "iter", "enumerate", "array", "asarray"}
)
LOSE = frozenset(
    {
        "pop",
        "popleft",
        "min",
        "max",
        "sum",
        "mean",
        "any",
        "all",
        "head",
        "tail",
        "first",
        "last",
        "dropna",
        "nunique",
        "count",
    }
)
"""Methods of which one value comes of many."""
_FIT = frozenset(
    {
        "items",
        "values",
        "keys",
        "strip",
        "rstrip",
        "lstrip",
        "copy",
        "tolist",
        "to_numpy",
        "to_frame",
        "reshape",
        "ravel",
        "flatten",
        "transpose",
        "squeeze",
    }
)
"""Methods that give the same in the form in which something takes it."""
_ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_PRESENCE = (ast.Is, ast.IsNot, ast.In, ast.NotIn)
_NEXT_TO = ({ast.Lt, ast.LtE}, {ast.Gt, ast.GtE})
_ALIKE = 0.75
"""How alike two names, or texts, are of which one is a slip for the other."""


def is_exchange(parts: Sequence[Part]) -> bool:
    """Two things in each other's place: nothing is lost, and nothing is made up."""
    if len(parts) != 2:
        return False
    (a, b), (c, d) = ((ast.dump(p.before), ast.dump(p.after)) for p in parts)
    return a == d and b == c and not isinstance(parts[0].before, ast.operator | ast.cmpop)


def can_be_exchanged(part: Part, error: str) -> bool:
    """Whether the exception is one of what stands in the wrong place: a wrong kind, an index of another axis, sides of a product that do not fit."""
    if error in KINDS:
        return True
    is_index = any(isinstance(p, ast.Subscript) for p in part.parents)
    is_product = any(isinstance(p, ast.BinOp) and isinstance(p.op, ast.MatMult) for p in part.parents)
    return (error in PLACES and is_index) or (error == "ValueError" and is_product)


def is_data(part: Part) -> bool:
    """Whether a part stands in a collection that is written down, and that nothing is looked up by."""
    around = [p for p in part.parents if isinstance(p, ast.List | ast.Tuple | ast.Set | ast.Dict | ast.Subscript)]
    return bool(around) and not isinstance(around[0], ast.Subscript) and isinstance(part.before, ast.Constant)


def is_near_comparison(part: Part, error: str) -> bool:
    """``<`` for ``<=``; whether something is there, asked the other way round, of what was missing."""
    before, after = type(part.before), type(part.after)
    if any({before, after} <= pair for pair in _NEXT_TO):
        return True
    if issubclass(before, _PRESENCE) and issubclass(after, _PRESENCE):
        return error in KINDS or error in ("KeyError", "IndexError", "ValueError")
    if error == "RecursionError":
        return issubclass(after, _ORDERED)
    compared = part.parents[-1]
    sides = [compared.left, *compared.comparators] if isinstance(compared, ast.Compare) else []
    is_empty = any(isinstance(s, ast.Constant) and s.value in (None, 0, "") for s in sides)
    if error == "IndexError" and before in (ast.NotEq, ast.Eq) and issubclass(after, _ORDERED):
        return True
    return is_empty and (error in KINDS or error in ("IndexError", "KeyError", "ZeroDivisionError"))


def is_near_value(part: Part, values: tuple[object, object], error: str) -> bool:
    """A place or count that is one too far; a text that is like what stands there."""
    one, two = values
    if isinstance(one, str) and isinstance(two, str):
        return are_alike(one, two) and not any(map(str.isdigit, one + two))
    if not (type(one) is int and type(two) is int) or abs(one - two) != 1:
        return False
    is_reckoned = error in ("ZeroDivisionError", "ValueError") and isinstance(part.parents[-1], ast.BinOp)
    return (error in PLACES or error == "ValueError") and _is_place(part) and not is_reckoned


def _is_place(part: Part) -> bool:
    """Whether a number is an index, a bound, an axis, or what is reckoned or compared with something that is none."""
    parent = part.parents[-1]
    match parent:
        case ast.Subscript() | ast.Slice() | ast.keyword(arg="axis"):
            return True
        case ast.Call():
            return read_called_name(parent) in CALLED
        case ast.Compare() | ast.BinOp():
            return bool(list_read_names(parent))
        case ast.UnaryOp():
            return _is_place(Part(part.before, part.after, part.parents[:-1]))
    return False


def is_wrapped(part: Part, error: str) -> bool:
    """Whether something is put around what stood there that the exception asks for."""
    before, after = part.before, part.after
    inner = ast.dump(before)
    match after:
        case ast.Call(func=ast.Name(name), args=[given]) if ast.dump(given) == inner:
            return (
                error in KINDS
                and name in CONVERT
                and not is_written_down(before)
                and not isinstance(before, ast.Constant)
            )
        case ast.Call(func=ast.Attribute(value=value, attr=attr)) if ast.dump(value) == inner:
            return _gives_same(attr, part, error)
        case ast.Attribute(value=value, attr=attr) if ast.dump(value) == inner:
            return error in KINDS or (error == "ValueError" and attr in ("T", "values"))
        case ast.Subscript(value=value, slice=place) if ast.dump(value) == inner:
            if isinstance(place, ast.Slice):
                return error == "RuntimeError" and place.lower is None and place.upper is None and place.step is None
            is_size = isinstance(part.parents[-1], ast.Call) and read_called_name(part.parents[-1]) == "len"
            return (error in KINDS or (is_size and error in PLACES)) and not is_written_down(before)
        case ast.List(elts=[given]) if ast.dump(given) == inner:
            return error in ("TypeError", "ValueError")
        case ast.BinOp(left=left, right=ast.Constant(1)) if ast.dump(left) == inner:
            is_step = error == "RecursionError" and isinstance(part.parents[-1], ast.Call)
            return is_step or (error in PLACES and _is_place(part) and not isinstance(part.parents[-1], ast.BinOp))
        case ast.UnaryOp(op=ast.Not(), operand=given) if ast.dump(given) == inner:
            return not isinstance(given, ast.Compare) and (error in KINDS or error in ("IndexError", "KeyError"))
        case ast.Call() if isinstance(before, ast.Name | ast.Attribute) and ast.dump(after.func) == inner:
            return error in KINDS and not after.args and not after.keywords
    return False


def _gives_same(method: str, part: Part, error: str) -> bool:
    """Whether a method gives what it is called on in the form in which something takes it: ``ages.items()`` in a loop of two names."""
    if method in ("items", "values", "keys"):
        loop = part.parents[-1]
        return getattr(loop, "iter", None) is part.before and (error in KINDS or error in ("ValueError", "KeyError"))
    if error in ("ValueError", "RuntimeError"):
        return method in _FIT
    return error in KINDS and method not in LOSE and not method.startswith("is")


def brings_nothing(part: Part, old: str) -> bool:
    """Whether a part keeps all that it was made of, and is made of what the statement has already: ``self.balance`` for ``balance``."""
    before, after = part.before, part.after
    if is_written_down(before):
        return False
    here, words, new = (set(re.findall(r"\w+", text)) for text in (old, ast.unparse(before), ast.unparse(after)))
    pieces = [n for n in walk(after) if isinstance(n, ast.Slice) or read_called_name(n) in LOSE]
    return words <= new <= here and len(pieces) <= sum(
        isinstance(n, ast.Slice) or read_called_name(n) in LOSE for n in walk(before)
    )


def is_written_down(node: ast.AST) -> bool:
    """Whether a node holds data, which are written as literals: ``[3, 5]``, ``np.array([3, 5])``; not where nothing is in it yet."""
    match node:
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items) | ast.Dict(values=items):
            return bool(items)
        case ast.Call(args=[given, *_]):
            return is_written_down(given)
    return False


def is_unwrapped(part: Part, error: str) -> bool:
    """Whether something is taken away around what is left of the wrong kind for it."""
    before, after = part.before, part.after
    inner = ast.dump(after)
    match before:
        case ast.Call(func=ast.Name(name), args=[given]) if ast.dump(given) == inner:
            return error in KINDS and name in CONVERT
        case ast.Call(func=ast.Attribute(value=value)) | ast.Attribute(value=value) if ast.dump(value) == inner:
            return error in KINDS
        case ast.Call(func=func, args=[]) if ast.dump(func) == inner:
            return error in KINDS
        case ast.Subscript(value=value) if ast.dump(value) == inner:
            return error in KINDS or error == "IndexError"
        case ast.List(elts=[given]) if ast.dump(given) == inner:
            return error in ("TypeError", "ValueError")
        case ast.BinOp(left=left, right=ast.Constant(1)) if ast.dump(left) == inner:
            return error in PLACES
        case ast.UnaryOp(op=ast.Not(), operand=given) if ast.dump(given) == inner:
            return not isinstance(given, ast.Compare) and (error in KINDS or error in ("IndexError", "KeyError"))
    return False


def asks_for_entry(part: Part, error: str) -> bool:
    """``counts.get(word, 0)`` for ``counts[word]``."""
    match part.before, part.after:
        case ast.Subscript(value=value), ast.Call(func=ast.Attribute(value=owner, attr="get"), args=[_, *rest]):
            return error == "KeyError" and ast.dump(value) == ast.dump(owner) and all(map(is_plain_default, rest))
    return False


def is_plain_default(node: ast.expr) -> bool:
    """``0``, ``None``, ``""``, ``[]``, a truth value: what stands for nothing."""
    match node:
        case ast.Constant(value=value):
            return value is None or isinstance(value, bool | str) or value == 0
        case ast.List(elts=[]) | ast.Tuple(elts=[]) | ast.Dict(keys=[]):
            return True
    return False


def has_same_items(before: ast.AST, after: ast.AST) -> bool:
    """Whether collections differ in nothing but how often one and the same item stands there: ``p0=[1, 1]`` for ``[1, 1, 1]``. Names to be bound may be more."""
    if isinstance(getattr(before, "ctx", None), ast.Store):
        return True
    one, two = ({ast.dump(e) for e in getattr(node, "elts", ())} for node in (before, after))
    return one == two and len(one) == 1


def share_word(one: str, two: str) -> bool:
    return bool(_split_words(one) & _split_words(two)) or are_alike(one, two)


def _split_words(name: str) -> set[str]:
    return {word for word in name.lower().rstrip("0123456789").split("_") if word}


def are_alike(one: str, two: str) -> bool:
    return SequenceMatcher(None, one.lower(), two.lower()).ratio() >= _ALIKE
