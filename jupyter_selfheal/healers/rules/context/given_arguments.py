"""What a function that failed was given for one of its parameters, where it was called."""

from __future__ import annotations

import ast
from typing import NamedTuple, TypeGuard

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context.nodes import Function, find_function, list_arguments, read_last_name
from jupyter_selfheal.healers.rules.context.rule_context import RuleContext


class GivenArgument(NamedTuple):
    """A parameter of the function that failed, and what stands for it in the call; ``value`` is None where no single call is seen."""

    function: Function
    cell_id: str
    value: ast.expr | None


def find_given_argument(context: RuleContext, name: str) -> GivenArgument | None:
    """What the failing function was given for a parameter; None where the name is none of it."""
    function = find_function(context.source, context.line)
    if function is None or name not in {a.arg for a in list_arguments(function)}:
        return None
    frames = [f for f in context.failure.frames if f.cell_id]
    if len(frames) < 2:
        return GivenArgument(function, "", None)
    caller = frames[-2]
    calls = [
        n
        for n in src.walk(context.source_of(caller.cell_id))
        if isinstance(n, ast.Call)
        and n.lineno <= caller.line <= (n.end_lineno or n.lineno)
        and read_last_name(n.func) == function.name
    ]
    value = _find_value(function, calls[0], name) if len(calls) == 1 else None
    return GivenArgument(function, caller.cell_id, value)


def _find_value(function: Function, call: ast.Call, name: str) -> ast.expr | None:
    named = next((k.value for k in call.keywords if k.arg == name), None)
    if named is not None or any(isinstance(a, ast.Starred) for a in call.args):
        return named
    places = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    if places[:1] == ["self"] and isinstance(call.func, ast.Attribute):
        del places[0]
    place = places.index(name) if name in places else len(call.args)
    return call.args[place] if place < len(call.args) else None


def is_asked_as_text(function: Function, name: str) -> bool:
    """``rates.get(zone)``, ``zone == "1"``, ``rates[zone]``: a number would be another key than the text, and equal to none."""
    for node in ast.walk(function):
        match node:
            case ast.Compare(left, _, others):
                is_text = any(isinstance(n, ast.Constant) and isinstance(n.value, str) for n in ast.walk(node))
                asked: list[ast.expr] = [left, *others] if is_text else []
            case ast.Subscript(slice=key):
                asked = [key]
            case ast.Call(ast.Attribute(attr="get" | "index" | "count" | "pop"), [key, *_]):
                asked = [key]
            case _:
                continue
        if any(isinstance(a, ast.Name) and a.id == name for a in asked):
            return True
    return False


def is_kept_as_given(function: Function, name: str) -> bool:
    """Whether a function, which is no method, gives its parameter no other value: it is a text as it is given."""
    is_method = any(a.arg in ("self", "cls") for a in function.args.args[:1])
    names = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == name]
    return not is_method and not function.decorator_list and all(isinstance(n.ctx, ast.Load) for n in names)


def is_given_as(value: ast.expr | None, context: RuleContext, name: str) -> TypeGuard[ast.Constant]:
    """Whether the parameter still holds the text that the call writes down: it may be bound anew, or another argument stand there."""
    return (
        isinstance(value, ast.Constant)
        and isinstance(value.value, str)
        and context.is_true(f"{name} == {value.value!r}")
    )


def find_given_text(context: RuleContext, name: str) -> ast.Constant | None:
    """The only text of the failing cell that a variable of a function in another cell holds as it is written: the function worked before it was given that."""
    thing = context.describe(name) if name and context.cell_id != context.failure.cell_id else None
    if thing is None or thing.type != "str":
        return None
    same = [n for n in src.walk(context.failure.source) if isinstance(n, ast.Constant) and n.value == thing.text]
    return same[0] if len(same) == 1 else None
