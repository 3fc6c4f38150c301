"""Does a patched function raise an error in a line that no check comes to, for a call like the checked ones?

What the caller does wrong mostly shows in lines that run for every call. An error in a branch that has never run is a second fault of the
program far more often: ``merged[-2]`` where spans overlap, ``ord('A') - …`` for a capital letter.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from types import CodeType
from typing import Any

from jupyter_selfheal.inside.search.compare_behaviour import LATE, TIMEOUT, Input, collect_behaviours
from jupyter_selfheal.inside.search.generate_inputs import generate_inputs
from jupyter_selfheal.inside.search.input_domain import conform_inputs, is_related, list_properties
from jupyter_selfheal.inside.search.run_candidate import Runner

STEPS = 400_000
"""Steps that all calls may take."""
_MEANT = (ast.Raise, ast.Assert)
Place = tuple[int, int]


def describe_unseen_error(
    runner: Runner,
    texts: Mapping[int, str],
    codes: Mapping[int, CodeType],
    function: str,
    calls: Sequence[tuple[Any, ...]],
    checked: Sequence[tuple[Any, ...]],
    ran: Mapping[int, Collection[int]],
) -> str:
    """The doubt about a patched program, of these ``texts``, in which a call like the ``checked`` ones raises where none of these lines ``ran``;
    empty where none does."""
    alike = _list_inputs(calls, checked) if checked and ran else []
    places: list[Place | None] = []
    (shown,) = collect_behaviours(
        runner, [dict(codes)], function, alike, STEPS, lambda error: places.append(_find_place(error))
    )
    raised = iter(places)
    meant = {unit: _list_meant_lines(text) for unit, text in texts.items()}
    for given, said in zip(alike, shown, strict=False):
        if said[:1] != "!" or said in (TIMEOUT, LATE):
            continue
        place = next(raised, None)
        if place and place[0] in meant and place[1] not in meant[place[0]] and place[1] not in ran.get(place[0], ()):
            line = texts[place[0]].splitlines()[place[1] - 1].strip()
            return f"`{Input(function, given).text}` raises {said[1:]} in `{line}`, which no check runs"
    return ""


def _list_inputs(calls: Sequence[tuple[Any, ...]], checked: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Generated calls that have what the checked ones share; they may be larger."""
    held = frozenset.intersection(*map(list_properties, checked))
    kinds = {tuple(map(type, arguments)) for arguments in checked}
    texts = set(map(repr, checked))
    made = conform_inputs(generate_inputs([*checked, *calls]), checked)
    return [
        g
        for g in made
        if tuple(map(type, g)) in kinds
        and held <= list_properties(g)
        and is_related(g, checked)
        and repr(g) not in texts
    ]


def _find_place(error: BaseException) -> Place | None:
    """Unit and line of the program where an error came up."""
    found, trace = None, error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if name.startswith("<selfheal:"):
            found = int(name[len("<selfheal:") : -1]), trace.tb_lineno
        trace = trace.tb_next
    return found


def _list_meant_lines(text: str) -> set[int]:
    """The lines of statements that are there to raise."""
    nodes = (n for n in ast.walk(ast.parse(text)) if isinstance(n, _MEANT))
    return {line for n in nodes for line in range(n.lineno, (n.end_lineno or n.lineno) + 1)}
