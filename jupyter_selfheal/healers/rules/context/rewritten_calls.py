"""A call written anew: one of its keyword arguments as a changelog's case says."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.knowledge import Case, Keyword
from jupyter_selfheal.healers.rules.context.nodes import read_last_name, read_literal
from jupyter_selfheal.healers.rules.context.rule_context import RuleContext
from jupyter_selfheal.healers.rules.context.targets import is_fitted_to_two_classes
from jupyter_selfheal.inside.tree_names import is_name

_OF_GROUPS = frozenset({"sum", "mean", "count", "min", "max", "median", "std", "var", "prod", "first", "last", "size", "any", "all", "nunique"})  # fmt: skip
"""What is asked of groups or windows that gives a number for each."""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """One call's splices, and the case of the change that they follow."""

    splices: tuple[Splice, ...]
    imports: tuple[str, ...]
    case: Case
    shown: str
    start: int


def rewrite_call(context: RuleContext, call: ast.Call, name: str, change: Keyword) -> Rewritten | None:
    """The call as the first case says that fits what was given; None where none does."""
    keyword = next(k for k in call.keywords if k.arg == name)
    is_literal, value = read_literal(keyword.value)
    case = next(
        (
            c
            for c in change.cases
            if (not c.values or (is_literal and _is_among(value, c.values)))
            and _has_what_is_needed(context, call, keyword, c)
        ),
        None,
    )
    if case is None:
        return None
    value_text = context.text(keyword.value)
    imports: list[str] = []
    argument = case.argument
    if argument:
        argument = _fill_references(context, argument, imports).replace("{value}", value_text).replace("{name}", name)
        if not argument:
            return None
    splices = _place_argument(context, call, keyword, argument)
    if splices is None:
        return None
    if case.after:
        ends = [context.span(asked)[1] for asked in _list_calls_on(context, call)]
        splices += [(end, end, case.after) for end in ends]
    shown = argument or f"Remove `{name}={value_text}`"
    if case.callee:
        renamed = _build_callee_splice(context, call, case.callee, imports)
        if renamed is None:
            return None
        splices.append(renamed)
        shown = f"{case.callee.rsplit('.', 1)[-1]}(…)"
    if case.wrap:
        start, end = context.span(call)
        inner = src.splice(context.source, splices)
        inner = inner[start : end + len(inner) - len(context.source)]
        wrap = _fill_references(context, case.wrap, imports)
        text = _wrap_call(context, call, keyword, case, wrap, inner, value, value_text) if wrap else None
        if text is None:
            return None
        behind = [s for s in splices if case.after and s[0] >= end]
        splices, shown = [(start, end, text), *behind], text
    return Rewritten(tuple(splices), tuple(i for i in imports if i), case, shown, splices[0][0])


def _place_argument(context: RuleContext, call: ast.Call, keyword: ast.keyword, argument: str) -> list[Splice] | None:
    """The new argument in the old one's place; where the call has one of that name, an item joins its list, and anything else was said already."""
    target, _, value = argument.partition("=")
    given = next((k.value for k in call.keywords if k.arg == target and k is not keyword), None)
    if given is None or not argument:
        return [build_argument_splice(context, call, keyword, argument)]
    if not value.startswith("["):
        return [build_argument_splice(context, call, keyword, "")]
    if not isinstance(given, ast.List) or not given.elts:
        return None
    end = context.span(given.elts[-1])[1]
    return sorted([build_argument_splice(context, call, keyword, ""), (end, end, f", {value[1:-1]}")])


def _has_what_is_needed(context: RuleContext, call: ast.Call, keyword: ast.keyword, case: Case) -> bool:
    """True where the call has what a case needs besides the keyword."""
    written = {text for k in call.keywords if k.arg for text in (k.arg, f"{k.arg}={context.text(k.value)}")}
    if case.after and not _list_calls_on(context, call):
        return False
    if case.numeric and not _has_only_numbers(context, call):
        return False
    if case.two_classes and not is_fitted_to_two_classes(context, call):
        return False
    return (not case.needs or case.needs in written) and ("{item}" not in case.wrap or _only_item(keyword) is not None)


def _has_only_numbers(context: RuleContext, call: ast.Call) -> bool:
    """True for a method of a table whose columns are all numbers, so that it can be transposed and back, where what it gives is reduced by name."""
    if any(read_last_name(asked.func) not in _OF_GROUPS for asked in _list_calls_on(context, call)):
        return False
    table = context.read_plain_chain(call.func.value) if isinstance(call.func, ast.Attribute) else None
    return bool(table) and context.is_true(f"set(d.kind for d in {table}.dtypes) <= set('iufb')")


def _list_calls_on(context: RuleContext, call: ast.Call) -> list[ast.Call]:
    """``s.resample("ME").mean()`` for the call of ``resample`` in it; where a name gets what it gives, and nothing else is done with that,
    the calls on the name."""
    methods = [n for n in context.walk(ast.Call) if isinstance(n.func, ast.Attribute)]
    if chained := [n for n in methods if isinstance(n.func, ast.Attribute) and n.func.value is call]:
        return chained
    bound = next((n.targets for n in context.walk(ast.Assign) if n.value is call), [])
    if len(bound) != 1 or not isinstance(bound[0], ast.Name):
        return []
    name = bound[0].id
    asked = [n for n in methods if isinstance(n.func, ast.Attribute) and is_name(n.func.value, name)]
    is_used_otherwise = sum(is_name(n, name) for n in context.walk(ast.Name)) > len(asked) + 1
    is_above = any(context.span(n)[0] < context.span(call)[1] for n in asked)
    return [] if is_used_otherwise or is_above or context.is_read_below(name) else asked


def _only_item(keyword: ast.keyword) -> ast.expr | None:
    """``x`` of ``key=[x]``."""
    value = keyword.value
    items = value.elts if isinstance(value, ast.List | ast.Tuple) else []
    return items[0] if len(items) == 1 and not isinstance(items[0], ast.Starred) else None


def _is_among(value: object, values: tuple[object, ...]) -> bool:
    return any(type(v) is type(value) and v == value for v in values)


def _fill_references(context: RuleContext, text: str, imports: list[str]) -> str:
    """The text with each ``{@a.b}`` written as it can be here; empty where one leads nowhere."""
    for path in re.findall(r"\{@([\w.]+)\}", text):
        known = context.reference(path)
        if known is None:
            return ""
        imports.append(known[1])
        text = text.replace("{@" + path + "}", known[0])
    return text


def _wrap_call(
    context: RuleContext, call: ast.Call, keyword: ast.keyword, case: Case, wrap: str, inner: str, value: object, value_text: str,
) -> str | None:  # fmt: skip
    receiver = context.operand(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    if ("{self}" in wrap or "{column}" in wrap) and not receiver:
        return None
    rest = [context.text(a) for a in call.args]
    rest += [
        f"{k.arg}={context.text(k.value)}" if k.arg else f"**{context.text(k.value)}"
        for k in call.keywords
        if k is not keyword
    ]
    others = [text for text in rest if text != case.needs]
    item = _only_item(keyword)
    for hole, text in (
        ("{item}", context.text(item) if item else ""), ("{call}", inner), ("{self}", receiver), ("{column}", receiver.removesuffix(".cat")), ("{callee}", read_last_name(call.func)), ("{value!}", str(value)),
        ("{value}", value_text), ("{rest}", ", ".join(rest)), ("{others}", ", ".join(others)),
    ):  # fmt: skip
        wrap = wrap.replace(hole, text)
    return wrap


def build_argument_splice(context: RuleContext, call: ast.Call, argument: ast.keyword | ast.expr, text: str) -> Splice:
    """Put text in place of an argument; with nothing to put, its comma goes too."""
    start, end = context.span(argument)
    if text:
        return start, end, text
    arguments = sorted([*(context.span(a) for a in call.args), *(context.span(k) for k in call.keywords)])
    at = arguments.index((start, end))
    if at:
        return arguments[at - 1][1], end, ""
    if at + 1 < len(arguments):
        return start, arguments[at + 1][0], ""
    tail = re.match(r"\s*,", context.source[end:])
    return start, end + (tail.end() if tail else 0), ""


def _build_callee_splice(context: RuleContext, call: ast.Call, callee: str, imports: list[str]) -> Splice | None:
    if "." in callee:
        known = context.reference(callee)
        if known is None:
            return None
        imports.append(known[1])
        return (*context.span(call.func), known[0])
    if isinstance(call.func, ast.Attribute):
        return (*context.find_attribute_span(call.func), callee)
    return (*context.span(call.func), callee)
