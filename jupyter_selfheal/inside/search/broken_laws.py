"""Whether a patch breaks what holds of every checked call (its laws), or gives nothing, for a call like these that no check makes."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Mapping, Sequence
from types import CodeType
from typing import Any

from jupyter_selfheal.inside.search.called_functions import find_function
from jupyter_selfheal.inside.search.compare_behaviour import CHANGES, LATE, Input, collect_behaviours
from jupyter_selfheal.inside.search.empty_inputs import list_empty_inputs
from jupyter_selfheal.inside.search.generate_inputs import generate_inputs
from jupyter_selfheal.inside.search.input_domain import conform_inputs, is_related, list_near
from jupyter_selfheal.inside.search.laws import FEWEST, Arguments, list_laws
from jupyter_selfheal.inside.search.run_candidate import Runner

STEPS = 1_500_000
"""Steps that all calls may take."""


def describe_broken_law(
    runner: Runner,
    codes: Mapping[int, CodeType],
    function: str,
    calls: Sequence[Arguments],
    checked: Sequence[Arguments],
) -> str:
    """The doubt about a patch with which a call like the ``checked`` ones breaks what holds of each of these; empty where none does.

    ``calls`` are those of the ``function`` that were seen. Made up are only inputs that have all that the checked ones share, and are no larger.
    """
    if len(checked) < FEWEST:
        return ""
    nothing = _list_nothing(checked)
    alike = [*list_alike(calls, checked), *nothing]
    (shown,) = collect_behaviours(runner, [dict(codes)], function, [*checked, *alike], STEPS)
    results = [read_result(text) for text in shown]
    told = [(given, result) for given, (is_known, result) in zip(checked, results, strict=False) if is_known]
    if len(told) < len(checked):
        return ""
    laws = list_laws(told)
    others = [
        (given, result)
        for given, (is_known, result) in zip(alike, results[len(checked) :], strict=False)
        if is_known and (given not in nothing or type(result) is int)
    ]
    for given, result in sorted(others, key=lambda pair: len(repr(pair[0]))):
        broken = next((law.words for law in laws if law.holds(given, result) is False), "")
        if broken:
            return f"`{Input(function, given).text}` gives {result!r} with it, which {broken}, as no checked call does"
    return ""


def _list_nothing(checked: Sequence[Arguments]) -> list[Arguments]:
    """The empty collection or text, where functions of one such argument are never checked with it: a number that they give for it is a length,
    a count or a sum of nothing."""
    given = [arguments[0] for arguments in checked if len(arguments) == 1]
    is_filled = len(given) == len(checked) and all(isinstance(g, list | tuple | str) and len(g) for g in given)
    return [(type(given[0])(),)] if is_filled and len(set(map(type, given))) == 1 else []


def describe_unfinished(
    runner: Runner,
    codes: Mapping[int, CodeType],
    function: str,
    text: str,
    calls: Sequence[Arguments],
    checked: Sequence[Arguments],
) -> str:
    """The doubt about a patch with which a call like the ``checked`` ones, or one of nothing, comes to the end of its function behind a loop
    that gives something in its first round (in its ``text``), where each check expects something."""
    if not checked or not _ends_in_round(text, function):
        return ""
    given = [
        *checked,
        *(i.arguments for i in list_empty_inputs({function: checked}, [function])),
        *list_alike(calls, checked),
    ]
    (shown,) = collect_behaviours(runner, [dict(codes)], function, given, STEPS)
    if "None" in shown[: len(checked)]:
        return ""
    unfinished = next((g for g, said in zip(given, shown, strict=False) if said == "None"), None)
    return (
        f"`{Input(function, unfinished).text}` gives nothing with it, and each check expects something"
        if unfinished
        else ""
    )


def _ends_in_round(text: str, function: str) -> bool:
    """Whether a function ends with a loop whose first round gives something whatever it finds: what was meant to stand behind it."""
    node = find_function(text, function)
    if node is None or not isinstance(loop := node.body[-1], ast.For | ast.While):
        return False
    last = loop.body[-1]
    return isinstance(last, ast.Return) and last.value is not None and ast.unparse(last.value) != "None"


def list_alike(calls: Sequence[Arguments], checked: Sequence[Arguments]) -> list[Arguments]:
    """Generated calls that have all that the checked ones share, by themselves and of one argument to another."""
    given = conform_inputs(generate_inputs([*checked, *calls]), checked)
    texts = set(map(repr, checked))
    held = frozenset.intersection(*(frozenset(list_relations(arguments)) for arguments in checked))
    near = zip(given, list_near(given, checked), strict=True)
    return [
        g
        for g, is_near in near
        if is_near and repr(g) not in texts and is_related(g, checked) and held <= frozenset(list_relations(g))
    ]


def list_relations(arguments: Arguments) -> Iterator[tuple[int, int, str]]:
    """How the sizes of arguments stand to each other: a number is no greater than a length or another number, or not below it."""
    sizes = [len(a) if isinstance(a, list | tuple | str | dict | set) else a for a in arguments]
    for (n, size), (m, other) in itertools.combinations(enumerate(sizes), 2):
        if isinstance(size, int | float) and isinstance(other, int | float):
            if size <= other:
                yield n, m, "<="
            if size >= other:
                yield n, m, ">="
            if size < other:
                yield n, m, "<"
            if size > other:
                yield n, m, ">"


def read_result(shown: str) -> tuple[bool, Any]:
    """Whether a shown result can be read as a literal, and its value."""
    if shown.startswith("!") or shown == LATE:
        return False, None
    try:
        return True, ast.literal_eval(shown.removesuffix(CHANGES))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False, None
