"""A comparison of a patched function whose other form passes every check as well: ``x < xs[0]`` for ``x <= xs[0]``.

Which is meant no check tells, and mostly either does. It matters where the function, as it is patched, gives a number for the value on the
boundary that lies outside of what it gives for one less and for one more, and the other form gives one between: 0, 2, 1 for 0, 1, 2. Or
where every check gives the place of a number among others, and only the other form does so for that on the boundary.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from types import CodeType
from typing import Any

from jupyter_selfheal.inside.search.called_functions import write_call
from jupyter_selfheal.inside.search.candidates import Maker
from jupyter_selfheal.inside.search.compare_behaviour import collect_behaviours
from jupyter_selfheal.inside.search.generate_inputs import generate_inputs
from jupyter_selfheal.inside.search.input_domain import conform_inputs, infer_domain, list_properties
from jupyter_selfheal.inside.search.oracle_strength import read_number
from jupyter_selfheal.inside.search.run_candidate import Runner

STEPS, EACH = 400_000, 25_000
"""Steps for comparing what the forms give, and for the checks of each."""
INPUTS = 40
"""Inputs of which each number is moved by one."""
FEWEST = 2
"""Checked calls that must give the place of what they are given, for that to be what the function is for."""
MOST = 8
"""Comparisons that are looked at."""
_OTHER: dict[type[ast.cmpop], ast.cmpop] = {ast.Lt: ast.LtE(), ast.LtE: ast.Lt(), ast.Gt: ast.GtE(), ast.GtE: ast.Gt()}

Arguments = tuple[Any, ...]


def describe_open_boundary(
    runner: Runner,
    maker: Maker,
    texts: Mapping[int, str],
    codes: dict[int, CodeType],
    function: str,
    calls: Sequence[Arguments],
    checked: Sequence[Arguments],
) -> str:
    """The doubt about a patch that is odd on a boundary which no check decides; empty where there is none. ``calls`` are those of the
    ``function`` that were seen, ``checked`` those that the checks made."""
    passing = [
        (old, new, changed)
        for old, new, changed in _list_other_forms(maker, texts, codes)
        if runner.run(changed, EACH, 1).plausible
    ]
    triples = list(_list_triples(calls, checked)) if passing else []
    given = [arguments for triple in triples for arguments in triple]
    variants = [codes, *(changed for _, _, changed in passing)]
    own, *others = collect_behaviours(runner, variants, function, [*given, *checked], STEPS * len(variants))
    places = [
        is_place
        for g, now in zip(checked, own[len(given) :], strict=False)
        if (is_place := _is_place(g, now)) is not None
    ]
    gives_places = len(places) >= FEWEST and all(places)
    for (old, new, _), shown in zip(passing, others, strict=True):
        for at in range(1, min(len(own), len(shown), len(given)) - 1, 3):
            less, mine, more, other = map(read_number, (*own[at - 1 : at + 2], shown[at]))
            if mine is None or other is None or mine == other:
                continue
            is_jump = (
                less is not None and more is not None and _is_between(less, other, more) > _is_between(less, mine, more)
            )
            if is_jump or (gives_places and _is_place(given[at], own[at]) is False and _is_place(given[at], shown[at])):
                call = write_call(function, given[at])
                return f"`{call}` gives {own[at]} with it, and {shown[at]} with `{new}` for `{old}`, which passes the same checks"
    return ""


def _is_between(less: float, value: float, more: float) -> bool:
    return min(less, more) <= value <= max(less, more)


def _is_place(arguments: Arguments, shown: str) -> bool | None:
    """Whether what is given is the place of one argument, a number, in another one; None where it is not in it."""
    for whole in arguments:
        for item in arguments:
            if type(item) is int and isinstance(whole, list | tuple) and item in whole:
                place = read_number(shown)
                return place is not None and 0 <= place < len(whole) and bool(whole[int(place)] == item)
    return None


def _list_other_forms(
    maker: Maker, texts: Mapping[int, str], codes: dict[int, CodeType]
) -> Iterator[tuple[str, str, dict[int, CodeType]]]:
    """The program with each comparison in its other form: that as it is, the other one, and the code."""
    left = MOST
    for unit, text in texts.items():
        tree = ast.parse(text)
        for node in ast.walk(tree):
            if not isinstance(node, ast.Compare) or len(node.ops) != 1 or type(node.ops[0]) not in _OTHER or not left:
                continue
            old, operator = ast.unparse(node), node.ops[0]
            node.ops = [_OTHER[type(operator)]]
            code = maker.compile_text(unit, ast.unparse(tree))
            new, node.ops = ast.unparse(node), [operator]
            left -= 1
            if code is not None:
                yield old, new, {**codes, unit: code}


def _list_triples(calls: Sequence[Arguments], checked: Sequence[Arguments]) -> Iterator[tuple[Arguments, ...]]:
    """Usual calls, each with those in which a number is one less, and one more."""
    domain = infer_domain(checked)
    usual = [g for g in conform_inputs(generate_inputs(calls), checked) if domain <= list_properties(g)]
    for arguments in usual[:INPUTS]:
        for n, value in enumerate(arguments):
            if type(value) is int:
                yield tuple((*arguments[:n], value + step, *arguments[n + 1 :]) for step in (-1, 0, 1))
