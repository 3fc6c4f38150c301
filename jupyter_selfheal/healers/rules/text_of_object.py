"""TYP227: a special method that gives something else than Python asks it for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.inside.tree_names import is_name
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"(__str__|__repr__) returned non-string \(type (\w+)\)")
MADE = {"__iter__": "iter", "__len__": "len", "__bool__": "bool"}
"""Special methods by what makes their result of a collection."""
OTHERS = re.compile(
    r"(?P<iter>iter\(\) returned non-iterator of type '(?:list|tuple|set|dict|str|range|deque|dict_\w+)'$)|"
    r"(?P<len>^'(?:list|tuple|set|dict|str|deque)' object cannot be interpreted as an integer$)|(?P<bool>^__bool__ should return bool, returned (?!str))"
)
NUMBERS = frozenset({"int", "float", "bool", "complex", "Decimal", "Fraction"})
"""What has one form as a text."""
SUMS = frozenset({"__add__", "__sub__", "__neg__"})
OPERATORS = SUMS | {"__mul__", "__rmul__", "__radd__", "__truediv__"}
"""Operators that give one of their kind; of what is one number, a quotient is often a bare one."""
NO_OBJECT = re.compile(
    r"^'(?:tuple|list|int|float)' object has no attribute '(\w+)'$|^unsupported operand type\(s\) for \S+ '(?:tuple|int|float)' and '\w+'$"
)


class TextOfObject(Rule):
    """Make what Python asks for of what a special method returns.

    **Failure** `TypeError: __str__ returned non-string (type int)` at `print(box)`; `iter() returned non-iterator of type 'list'`, `'list' object cannot be interpreted as an integer` at `len(shelf)`; `'tuple' object has no attribute 'x'` at `(v + w).x`.

    **Fix** `return str(self.width)` where the method returns a number, `return f"…"` where it prints the text; `return iter(self.songs)`, `return len(self.books)`; `return Vector(self.x + other.x, self.y + other.y)` where `__add__` returns just what the class is made of.

    **Fix safety** Safe for a number, which has one form as a text, for a text that is printed at the end of the method, for a collection, and for an operator whose parts are made of the attributes that the constructor's parameters are called. Unsafe for a tuple or a list as a text, which may be meant to be written otherwise. Silent where
    several classes of the notebook return such a thing.
    """

    code = "TYP227"
    name = "result of a special method"
    enames = frozenset({"TypeError", "AttributeError"})
    message = re.compile(f"{MESSAGE.pattern}|{OTHERS.pattern}|{NO_OBJECT.pattern}")
    applicability = Applicability.SAFE
    why = "The method must return a text, and a number has one form as a text."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        told = MESSAGE.search(context.failure.evalue)
        if NO_OBJECT.search(context.failure.evalue):
            yield from self._make_object(context)
        elif told is None:
            yield from self._make_of_collection(context)
        elif told[2] == "NoneType":
            yield from self._return_printed(context, told[1])
        else:
            yield from self._make_text(context, told[1], told[2])

    def _make_text(self, context: RuleContext, method: str, kind: str) -> Iterator[Patch]:
        made = [(c, s, v) for c, s, m in _list_methods(context, method) for v in _list_returned(m) if not _is_text(v)]
        if len(made) != 1:
            return
        cell_id, source, value = made[0]
        start, end = src.find_span(source, value)
        text = source[start:end]
        is_bare = isinstance(value, ast.Tuple) and not text.startswith("(")
        is_number = kind in NUMBERS
        yield self.patch(
            context.replace(cell_id, [(start, end, f"str(({text}))" if is_bare else f"str({text})")]),
            f"Return the text of `{text}` from `{method}`",
            f"`{method}` returns {kind}, and must return a text.",
            applicability=Applicability.SAFE if is_number else Applicability.UNSAFE,
            why=self.why if is_number else "It may be meant to be written in another form.",
            prior=0.9 if is_number else 0.6,
        )

    def _return_printed(self, context: RuleContext, method: str) -> Iterator[Patch]:
        """``def __str__(self): print(f"…")``: the text is printed where it is to be returned."""
        empty = [(c, s, m) for c, s, m in _list_methods(context, method) if not _list_returned(m)]
        shown = [
            c for _, _, m in empty for c in ast.walk(m) if isinstance(c, ast.Call) and read_last_name(c.func) == "print"
        ]
        last = empty[0][2].body[-1] if len(empty) == 1 else None
        match last:
            case ast.Expr(ast.Call(ast.Name("print"), [given], [])) if len(shown) == 1:
                new = "{0}" if _is_text(given) else "str({0})"
            case ast.Expr(given) if (
                not shown and _is_text(given) and (len(empty[0][2].body) > 1 or not isinstance(given, ast.Constant))
            ):
                new = "{0}"
            case _:
                return
        cell_id, source, _ = empty[0]
        text = source[slice(*src.find_span(source, given))]
        yield self.patch(
            context.replace(cell_id, [(*src.find_span(source, last), f"return {new.format(text)}")]),
            f"Return the text from `{method}`",
            f"`{method}` {'prints its text' if shown else 'makes a text'} and returns nothing; Python shows what it returns.",
            why="This is the only text that the method makes, at its end.",
            prior=0.93,
        )

    def _make_of_collection(self, context: RuleContext) -> Iterator[Patch]:
        """``return self.songs`` in `__iter__`, `__len__` or `__bool__`."""
        told = OTHERS.search(context.failure.evalue)
        for method, maker in MADE.items():
            if told is None or told.lastgroup != maker:
                continue
            methods = [(c, s, m) for c, s, m in _list_methods(context, method) if not _yields(m)]
            made = [
                (c, s, v)
                for c, s, m in methods
                for v in _list_returned(m)
                if isinstance(v, ast.Attribute | ast.List | ast.Name)
            ]
            made = [
                (c, s, v) for c, s, v in made if not isinstance(v, ast.Name) or v.id not in ("self", "True", "False")
            ]
            if len(made) != 1:
                return
            cell_id, source, value = made[0]
            start, end = src.find_span(source, value)
            new, is_text = f"{maker}({source[start:end]})", "'str'" in context.failure.evalue
            yield self.patch(
                context.replace(cell_id, [(start, end, new)]),
                f"Return `{new}` from `{method}`",
                f"`{method}` returns the collection itself, where Python asks for its {NAMED[maker]}.",
                applicability=Applicability.UNSAFE if is_text else Applicability.SAFE,
                why="Its words may be meant, and not its letters."
                if is_text
                else f"Of this collection Python asks its {NAMED[maker]} here.",
                prior=0.93,
            )

    def _make_object(self, context: RuleContext) -> Iterator[Patch]:
        """``return (self.x + other.x, self.y + other.y)`` in an operator of a class that is made of ``x`` and ``y``."""
        told = NO_OBJECT.search(context.failure.evalue)
        found: list[tuple[str, str, str, ast.expr, list[str]]] = []
        for cell_id in context.list_cells_upwards():
            source = context.source_of(cell_id)
            for owner in (n for n in src.walk(source) if isinstance(n, ast.ClassDef)):
                names = _list_parameters(owner)
                methods = [m for m in owner.body if isinstance(m, ast.FunctionDef) and m.name in OPERATORS]
                for method in methods if names else []:
                    returned = _list_returned(method)
                    is_sum = len(names) > 1 or method.name in SUMS
                    if len(returned) == 1 and is_sum and _is_made_of(returned[0], names):
                        found.append((cell_id, source, owner.name, returned[0], names))
        attribute = told[1] if told is not None else ""
        if not found or len({name for _, _, name, _, _ in found}) != 1 or (attribute and attribute not in found[0][4]):
            return
        cell_id, made = found[0][0], found[0][2]
        changes: list[Splice] = []
        for _, source, _, value, _ in [f for f in found if f[0] == cell_id]:
            start, end = src.find_span(source, value)
            text = source[start:end]
            inside = text[1:-1].rstrip(", ") if isinstance(value, ast.Tuple | ast.List) and text[0] in "([" else text
            changes.append((start, end, f"{made}({inside})"))
        yield self.patch(
            context.replace(cell_id, changes),
            f"Return a `{made}` from its operators",
            f"The sum of two `{made}` is no `{made}`: the operator returns its bare parts.",
            applicability=Applicability.SAFE if attribute else Applicability.UNSAFE,
            why="What is read of the result is what the class is made of, in the order of its parameters."
            if attribute
            else "The bare value may be meant.",
            prior=0.93,
        )


NAMED = {"iter": "iterator", "len": "length", "bool": "truth"}


def _list_methods(context: RuleContext, name: str) -> list[tuple[str, str, ast.FunctionDef]]:
    """The methods of that name in the notebook, with their cells and sources."""
    return [
        (cell_id, context.source_of(cell_id), node)
        for cell_id in context.list_cells_upwards()
        for node in src.walk(context.source_of(cell_id))
        if isinstance(node, ast.FunctionDef) and node.name == name
    ]


def _list_returned(method: ast.FunctionDef) -> list[ast.expr]:
    return [r.value for r in ast.walk(method) if isinstance(r, ast.Return) and r.value is not None]


def _yields(method: ast.FunctionDef) -> bool:
    return any(isinstance(n, ast.Yield | ast.YieldFrom) for n in ast.walk(method))


def _list_parameters(owner: ast.ClassDef) -> list[str]:
    """The parameters of a class's constructor, or the fields of a dataclass."""
    for method in owner.body:
        if isinstance(method, ast.FunctionDef) and method.name == "__init__":
            return [a.arg for a in method.args.args[1:]] if not method.args.vararg else []
    is_data = any(read_last_name(d.func if isinstance(d, ast.Call) else d) == "dataclass" for d in owner.decorator_list)
    fields = [n.target.id for n in owner.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)]
    return fields if is_data else []


def _is_made_of(value: ast.expr, names: list[str]) -> bool:
    """Whether the parts are one for each name, and each reads ``self`` by just this name."""
    parts = value.elts if isinstance(value, ast.Tuple | ast.List) else [value]
    read = [{n.attr for n in ast.walk(p) if isinstance(n, ast.Attribute) and is_name(n.value, "self")} for p in parts]
    return read == [{name} for name in names] and not any(isinstance(p, ast.Call | ast.Compare) for p in parts)


def _is_text(value: ast.expr) -> bool:
    """True for what is a text as it is written, or is made one."""
    match value:
        case ast.JoinedStr() | ast.Constant(value=str()):
            return True
        case ast.Call(func=ast.Name(id="str" | "repr" | "format")):
            return True
        case ast.Call(func=ast.Attribute(attr="format" | "join" | "strip" | "upper" | "lower" | "title")):
            return True
        case ast.BinOp(op=ast.Add() | ast.Mod()):
            return _is_text(value.left) or _is_text(value.right)
    return False
