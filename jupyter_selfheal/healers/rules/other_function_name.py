"""NAM105: a function that goes by one name where it is defined, and by another where it is called."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import rename_name
from jupyter_selfheal.healers.rules.context.nodes import Function, find_function, list_arguments
from jupyter_selfheal.healers.rules.context.skeletons import is_skeleton
from jupyter_selfheal.healers.rules.context.spelling import find_nearest
from jupyter_selfheal.healers.rules.recursion_limit import CHOICES
from jupyter_selfheal.model import Applicability, Patch

ALIKE = 3
"""Letters that an old name and a new one begin with alike: `fact` and `factorial`."""


class OtherFunctionName(Rule):
    """Call a function by the name that it has, or name it as it is called.

    **Failure** `NameError` for a name that is called and that no cell binds: inside a function, with its own number of arguments and one
    of them smaller (`def fact(n): … n * factorial(n - 1)`); or in a cell, where one function alone is called by nobody.

    **Fix** The function calls itself by its own name. A function that nobody calls gets the name under which it is called.

    **Fix safety** Safe where a function calls itself and the two names begin alike: it is an old name. Unsafe otherwise: another
    function may be missing. Silent where the number of arguments does not fit, and where several functions are called by nobody.
    """

    code = "NAM105"
    name = "function under another name"
    enames = frozenset({"NameError"})
    applicability = Applicability.UNSAFE
    why = "The numbers of arguments agree and nothing else has this name, but another function may be missing."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        name = context.missing_name
        if not name or context.is_bound_anywhere(name) or is_skeleton(context.failure.source):
            return
        calls = [n for n in context.list_nodes_on_line(ast.Call) if isinstance(n.func, ast.Name) and n.func.id == name]
        if not calls:
            return
        function = find_function(context.source, context.line)
        if function is not None:
            yield from self._call_itself(context, function, name)
        elif not any(_is_near(name, known) for known in context.known_names):
            yield from self._name_as_called(context, name)

    def _call_itself(self, context: RuleContext, function: Function, name: str) -> Iterator[Patch]:
        own = [n for n in ast.walk(function) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
        calls = [n for n in own if isinstance(n.func, ast.Name) and n.func.id == name]
        arguments = {a.arg for a in list_arguments(function)}
        if any(isinstance(n.func, ast.Name) and n.func.id == function.name for n in own) or not all(
            _takes_arguments(call, function) and any(_is_smaller(a, arguments) for a in call.args) for call in calls
        ):
            return
        if not any(isinstance(n, CHOICES) for n in ast.walk(function)):
            return
        sure = _begins_alike(name, function.name)
        yield self.patch(
            context.replace(context.cell_id, rename_name(context.source, name, function.name)),
            f"Call `{function.name}` by its own name",
            f"`{name}` isn't defined: `{function.name}` seems to call itself by an old name.",
            applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
            why="It passes its own arguments, made smaller, to a name that begins as its own." if sure else self.why,
            prior=0.8 if sure else 0.55,
        )

    def _name_as_called(self, context: RuleContext, name: str) -> Iterator[Patch]:
        calls = [n for n in src.walk(context.source) if isinstance(n, ast.Call)]
        calls = [n for n in calls if isinstance(n.func, ast.Name) and n.func.id == name]
        idle = [(cell, node) for cell, node in _list_definitions(context) if not _is_named(context, node.name, node)]
        if len(idle) != 1 or not all(_takes_arguments(call, idle[0][1]) for call in calls):
            return
        cell_id, node = idle[0]
        source = context.source_of(cell_id)
        start = src.find_span(source, node)[0]
        place = re.compile(rf"\bdef\s+({re.escape(node.name)})\b").search(source, start)
        if place is None or node.decorator_list:
            return
        splices = [(*place.span(1), name), *rename_name(source, node.name, name)]
        yield self.patch(
            context.replace(cell_id, splices),
            f"Name the function `{name}`, as it is called",
            f"`{name}` isn't defined, and nobody calls `{node.name}`.",
            prior=0.55,
        )


def _takes_arguments(call: ast.Call, function: Function) -> bool:
    """True where a call gives a function as many arguments as it takes, all by position."""
    a = function.args
    most = len(a.posonlyargs) + len(a.args)
    plain = not call.keywords and not a.vararg and not a.kwonlyargs
    return plain and most > 0 and most - len(a.defaults) <= len(call.args) <= most


def _is_smaller(node: ast.expr, names: Iterable[str]) -> bool:
    """True for `n - 1`, `n // 2`, `xs[1:]`, `node.left`: a part of a parameter."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.FloorDiv | ast.Mod):
        node = node.left
    elif isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    else:
        return False
    return isinstance(node, ast.Name) and node.id in names


def _begins_alike(one: str, two: str) -> bool:
    one, two = one.lower(), two.lower()
    return one[:ALIKE] == two[:ALIKE] and min(len(one), len(two)) >= ALIKE


def _is_near(name: str, known: str) -> bool:
    """True where a known name would be near enough for NAM101."""
    return bool(find_nearest(name, [known]))


def _list_definitions(context: RuleContext) -> Iterator[tuple[str, Function]]:
    """The functions that the failing cell and those above define at their top level."""
    for cell_id in context.list_cells_upwards():
        for node in context.tree_of(cell_id).body:
            if isinstance(node, Function):
                yield cell_id, node


def _is_named(context: RuleContext, name: str, definition: Function) -> bool:
    """True where any cell reads a name outside of its own definition."""
    inside = {id(n) for n in ast.walk(definition)}
    return any(
        isinstance(n, ast.Name) and n.id == name and id(n) not in inside
        for c in context.notebook.cells
        if c.kind == "code"
        for n in ast.walk(context.tree_of(c.id))
    )
