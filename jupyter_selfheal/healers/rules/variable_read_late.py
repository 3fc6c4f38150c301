"""ASR108: functions made in a loop that all read the loop's last value."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RAISED_OR_MISSED, Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch

_Function = ast.Lambda | ast.FunctionDef


class VariableReadLate(Rule):
    """Give each function of a loop the value of its own turn.

    **Failure** `AssertionError`, or another result than the expected one, where functions are made in a loop and kept, and read the loop's variable when they are called:
    `[lambda x: x * i for i in range(3)]`.

    **Fix** `[lambda x, i=i: x * i for i in range(3)]`.

    **Fix safety** Safe where the functions are kept in a list or dictionary: all of them would read one value, the last, which nobody means. Silent where a function is used within
    its turn only, where it has the variable as a parameter, and where it takes named arguments of any name.
    """

    code = "ASR108"
    name = "variable read late"
    enames = frozenset({"AssertionError"})
    kinds = RAISED_OR_MISSED
    applicability = Applicability.SAFE
    why = "A function looks a variable up when it is called, and the loop has ended by then."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for cell_id in context.list_needed_upwards():
            source = context.source_of(cell_id)
            for function, names in _list_kept(src.walk(source)):
                given = ", ".join(f"{name}={name}" for name in names)
                yield self.patch(
                    context.replace(cell_id, [_add_parameters(source, function, given)]),
                    f"Keep the value of each turn: `{given}`",
                    f"The functions read `{names[0]}` when they are called, after the loop.",
                    prior=0.92,
                )


def _list_kept(nodes: tuple[ast.AST, ...]) -> Iterator[tuple[_Function, list[str]]]:
    """Functions that outlive their turn of a loop, with the loop's variables that they read."""
    for node in nodes:
        if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp):
            targets: list[ast.AST] = [generator.target for generator in node.generators]
            kept = _list_functions(node.value if isinstance(node, ast.DictComp) else node.elt)
        elif isinstance(node, ast.For):
            targets, kept = [node.target], _list_kept_by_statements(node)
        else:
            continue
        bound = [n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)]
        for function in kept:
            if names := _list_read(function, bound):
                yield function, names


def _list_functions(value: ast.expr) -> list[_Function]:
    """``lambda: i``, and within a tuple or list; a lambda that is an argument may be used at once."""
    if isinstance(value, ast.Tuple | ast.List):
        return [f for item in value.elts for f in _list_functions(item)]
    return [value] if isinstance(value, ast.Lambda) else []


def _list_kept_by_statements(loop: ast.For) -> list[_Function]:
    """What ``fs.append(lambda: i)``, ``fs[i] = lambda: i`` and ``def f(): …`` with ``fs.append(f)`` keep."""
    found: list[_Function] = []
    named = {n.name: n for n in loop.body if isinstance(n, ast.FunctionDef)}
    for statement in loop.body:
        match statement:
            case ast.Expr(ast.Call(func=ast.Attribute(attr="append"), args=[value], keywords=[])):
                pass
            case ast.Assign(targets=[ast.Subscript()], value=value):
                pass
            case _:
                continue
        found += _list_functions(value)
        if isinstance(value, ast.Name) and value.id in named:
            found.append(named[value.id])
    return found


def _list_read(function: _Function, bound: list[str]) -> list[str]:
    """The loop's variables that the function reads and does not bind itself, in the loop's order; none where it has ``**`` arguments."""
    if function.args.kwarg is not None:
        return []
    own = {n.arg for n in ast.walk(function.args) if isinstance(n, ast.arg)}
    body = [function.body] if isinstance(function, ast.Lambda) else function.body
    names = [n for part in body for n in ast.walk(part) if isinstance(n, ast.Name)]
    stored = {n.id for n in names if not isinstance(n.ctx, ast.Load)}
    read = {n.id for n in names} - stored - own
    return [name for name in dict.fromkeys(bound) if name in read]


def _add_parameters(source: str, function: _Function, given: str) -> tuple[int, int, str]:
    """The edit that puts ``i=i`` behind the parameters."""
    arguments = function.args
    parts = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *arguments.defaults]
    parts += [part for part in (arguments.vararg, *arguments.kw_defaults) if part is not None]
    if parts:
        at = max(src.find_span(source, part)[1] for part in parts)
        return at, at, f", {given}"
    start = src.find_span(source, function)[0]
    if isinstance(function, ast.Lambda):
        at = start + len("lambda")
        return at, at, f" {given}"
    at = source.index("(", start + len("def")) + 1
    return at, at, given
