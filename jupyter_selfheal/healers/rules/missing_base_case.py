"""LOP102: a function that calls itself without ever coming to an end."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.nodes import Function, find_class, find_function, list_arguments
from jupyter_selfheal.healers.rules.recursion_limit import CHOICES
from jupyter_selfheal.model import Applicability, Patch

NEUTRAL = {ast.Mult: ("<= 1", "1"), ast.Add: ("<= 0", "0")}
"""Where a product and a sum over n, n - 1, … end, and with which result."""


class MissingBaseCase(Rule):
    """Give a recursion the case in which it ends.

    **Failure** `RecursionError: maximum recursion depth exceeded`, where a function of the notebook returns a product or a sum of
    its number and of itself for the number less one, and has no condition at all: `return n * factorial(n - 1)`.

    **Fix** The function begins with `if n <= 1: return 1` for a product, `if n <= 0: return 0` for a sum. A function that asks about its number (or list), and hands it on as it came, calls itself with `n - 1` (`xs[1:]`).

    A property, or its setter, that reads or sets itself uses the attribute `_name` that the class has.

    **Fix safety** Safe for a property. Else unsafe: that a case is missing is certain, where it begins is what such functions usually have. Silent for any
    other recursion, and else where the function has a condition: that one may be wrong instead.
    """

    code = "LOP102"
    name = "recursion without an end"
    enames = frozenset({"RecursionError"})
    applicability = Applicability.UNSAFE
    why = "The function calls itself in every case, so one is missing; this is where products and sums usually end."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        source = context.source
        function = find_function(source, context.line)
        if function is not None and function.decorator_list:
            yield from self._use_own_attribute(context, function)
        if function is not None and any(isinstance(n, CHOICES) for n in ast.walk(function)):
            yield from self._come_nearer(context, function)
            return
        if function is None:
            return
        case = _find_case(function)
        if case is None:
            return
        first = function.body[1 if ast.get_docstring(function) is not None and len(function.body) > 1 else 0]
        start = src.find_span(source, first)[0]
        indent = source[source.rfind("\n", 0, start) + 1 : start]
        condition, result = case
        text = f"if {condition}:\n{indent}    return {result}\n{indent}"
        yield self.patch(
            context.replace(context.cell_id, [(start, start, text)]) if not indent.strip() else (),
            f"End the recursion with `if {condition}: return {result}`",
            f"`{function.name}` calls itself in every case, so it never ends.",
            prior=0.6,
        )

    def _come_nearer(self, context: RuleContext, function: Function) -> Iterator[Patch]:
        """``n * factorial(n)`` below `if n == 0`: what the function asks about is handed on as it came."""
        names = [a.arg for a in list_arguments(function)]
        own = [n for n in ast.walk(function) if isinstance(n, ast.Call) and _calls_name(n, function.name)]
        if len(own) != 1 or len(names) != 1 or ast.unparse(own[0]) != f"{function.name}({names[0]})":
            return
        name, given = names[0], own[0].args[0]
        texts = {ast.unparse(n) for n in ast.walk(function) if isinstance(n, ast.Compare | ast.UnaryOp | ast.Subscript)}
        is_counted = bool(texts & {f"{name} {sign} {n}" for sign in ("==", "<=", "<") for n in range(3)})
        is_list = f"{name}[0]" in texts and bool(texts & {f"not {name}", f"len({name}) == 0", f"{name} == []"})
        if is_counted or is_list:
            new = f"{name}[1:]" if is_list else f"{name} - 1"
            yield self.patch(
                context.replace_here((*context.span(given), new)),
                f"Call `{function.name}({new})`",
                f"`{function.name}` hands on `{name}` as it came, so it never ends.",
                why="That it must come nearer to its end is certain; by how much is what such functions usually have.",
                prior=0.6,
            )

    def _use_own_attribute(self, context: RuleContext, function: Function) -> Iterator[Patch]:
        """``@property def b(self): return self.b``, and a setter that sets itself, where the class has ``_b``."""
        name, owner = function.name, find_class(context.source, context.line)
        marks = {d.id if isinstance(d, ast.Name) else getattr(d, "attr", "") for d in function.decorator_list}
        if owner is None or not marks & {"property", "setter"} or not function.args.args:
            return
        held = {n.attr for n in ast.walk(owner) if isinstance(n, ast.Attribute)}
        own = [n for n in ast.walk(function) if isinstance(n, ast.Attribute) and n.attr == name]
        own = [n for n in own if isinstance(n.value, ast.Name) and n.value.id == function.args.args[0].arg]
        if f"_{name}" in held and own:
            yield self.patch(
                context.replace_here(*((*context.find_attribute_span(n), f"_{name}") for n in own)),
                f"Use `_{name}` in the property itself",
                f"`{name}` is the property, which so calls itself.",
                applicability=Applicability.SAFE,
                why="The class keeps the value under this name.",
                prior=0.93,
            )


def _find_case(function: Function) -> tuple[str, str] | None:
    """(condition, result) of the case that is missing; None where the function is no product or sum over one number."""
    arguments = list_arguments(function)
    last = function.body[-1]
    if not isinstance(last, ast.Return) or not isinstance(last.value, ast.BinOp) or not arguments:
        return None
    own = [n for n in ast.walk(function) if isinstance(n, ast.Call) and _calls_name(n, function.name)]
    kind = NEUTRAL.get(type(last.value.op))
    if kind is None or len(own) != 1 or own[0] not in (last.value.left, last.value.right):
        return None
    position, name = _find_falling(own[0], [a.arg for a in arguments])
    if not name or (position != 0 and len(own[0].args) != len(arguments)):
        return None
    return f"{name} {kind[0]}", kind[1]


def _calls_name(call: ast.Call, name: str) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id == name


def _find_falling(call: ast.Call, names: list[str]) -> tuple[int, str]:
    """The one argument that is its parameter less one, and its place; the others are handed on as they are."""
    falling = [
        (n, name)
        for n, (given, name) in enumerate(zip(call.args, names, strict=False))
        if ast.unparse(given) == f"{name} - 1"
    ]
    others = [a for n, a in enumerate(call.args) if (n, names[n : n + 1]) not in [(i, [w]) for i, w in falling]]
    plain = all(isinstance(a, ast.Name | ast.Constant) for a in others)
    return falling[0] if len(falling) == 1 and plain and not call.keywords else (0, "")
