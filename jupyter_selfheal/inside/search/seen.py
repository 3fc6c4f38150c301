"""Inputs from elsewhere than the failing call, and whether a candidate keeps what earlier calls gave.

From ``[]`` nothing grows but ``[]``. What earlier cells called a function with, what its type hints say, and small values of
the kind it was given tell candidates apart that the failing call does not.
"""

from __future__ import annotations

import ast
import contextlib
import itertools
from collections.abc import Mapping, Sequence
from types import CodeType
from typing import Any

from jupyter_selfheal.inside.probes import seen_calls
from jupyter_selfheal.inside.probes.record_calls import record_in_fork
from jupyter_selfheal.inside.search.called_functions import Method, list_functions
from jupyter_selfheal.inside.search.candidates import Candidate
from jupyter_selfheal.inside.search.confined_forks import run_in_fork
from jupyter_selfheal.inside.search.count_steps import OutOfTime
from jupyter_selfheal.inside.search.plain_data import copy_plain_data
from jupyter_selfheal.inside.search.printed_output import Muted
from jupyter_selfheal.inside.search.program import CELL, DEFINE
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.search.run_result import Enough

SECONDS = 1.5
"""CPU seconds for the cells that called the functions, all together."""
STEPS, EACH = 6_000_000, 400_000
"""Steps for making their calls again under every candidate, and for one of them."""
WAIT = 30.0
"""Seconds on the clock for that."""
CONTRADICTING = 0.02
"""What is left of the weight of a candidate that changes what an earlier call gave."""
CHANGING = 0.6
"""The same where the failure is a wrong value: the right change may well change others."""
UNMET = 0.1
"""What is left of the weight of a candidate with which a cell above does not print what is stored for it, where it does with another
candidate and did not before."""
HINTED = 8
"""Inputs by type hints, at most."""

Calls = dict[str, list[tuple[Any, ...]]]

_SMALL: dict[str, tuple[Any, ...]] = {
    "int": (2, 0, -1),
    "float": (1.5, 0.0, -2.0),
    "str": ("ab", "", "a b"),
    "bool": (True, False),
    "list": ([3, 1, 2], [], [2]),
    "tuple": ((3, 1, 2), (), (2,)),
    "set": ({1, 2}, set()),
    "dict": ({"a": 1, "b": 2}, {}),
    "bytes": (b"ab", b""),
}
"""Small values by the name of their type; the first of each is the plainest."""
_LISTS = {"list", "List", "Sequence", "Iterable", "Collection"}
_GROWN: tuple[tuple[Any, tuple[Any, ...]], ...] = (([], ([2, 4], [3])), ("", ("ab",)), ((), ((2, 4),)))
"""What is tried beside an empty argument."""


def record(space: dict[str, Any], callers: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    """The calls that cells make of the notebook's own functions, as :mod:`..probes.record_calls` describes them.

    Of a cell that prints something else than is stored for it only the arguments count, not what was given.
    """
    described = record_in_fork(space, list(callers), SECONDS) if callers else {"calls": []}
    return [{**c, "gave": "" if c["cell"] in described["doubted"] else c["gave"]} for c in described["calls"]]


def add_inputs(calls: Calls, seen: Sequence[Mapping[str, Any]], runner: Runner) -> Calls:
    """The arguments that were traced, then those of earlier cells, then those that other cells have in their text, then those of
    type hints, then small ones beside empty ones."""
    more = {name: list(arguments) for name, arguments in calls.items()}
    for call in seen:
        if "." not in call["name"] and (arguments := _read_plain(call["given"], runner.ns)) is not None:
            more.setdefault(call["name"], []).append(arguments)
    for name, given in runner.program.written:
        if isinstance(runner.ns.get(name), type):
            continue  # what making an object gives tells nothing apart: its methods do
        more.setdefault(name, []).append(ast.literal_eval(given))
    hints = {
        n: h for u in runner.program.units if u.role in (DEFINE, CELL) for n, h in list_hinted_inputs(u.text).items()
    }
    for name in more:
        more[name] += hints.get(name, [])
        more[name] += [grown for arguments in more[name][:5] for grown in _fill_empty(arguments)]
        more[name] = list({repr(arguments): arguments for arguments in more[name]}.values())
    return more


def _read_plain(given: str, space: dict[str, Any]) -> tuple[Any, ...] | None:
    try:
        arguments, named = seen_calls.unpack(seen_calls.from_text(given), space)
        return None if named else tuple(copy_plain_data(a) for a in arguments)
    except Exception:  # no plain data, or the call of a closure
        return None


def list_hinted_inputs(text: str) -> dict[str, list[tuple[Any, ...]]]:
    """Arguments for the functions of a text, and the methods of its classes that are made of nothing, of which every parameter without a
    default has a plain type hint."""
    inputs: dict[str, list[tuple[Any, ...]]] = {}
    defined = list(list_functions(text))
    stateful = {owner for owner, node in defined if node.name == "__init__"}
    for owner, node in defined:
        if isinstance(node, ast.FunctionDef) and not node.args.kwonlyargs and owner not in stateful:
            given = [*node.args.posonlyargs, *node.args.args][1 if owner else 0 :]
            needed = given[: len(given) - len(node.args.defaults)] or given[:1]
            values = [_list_small_values(a.annotation) for a in needed]
            if values and all(values):
                called = Method(owner, node.name, 0).call_name if owner else node.name
                inputs[called] = list(itertools.islice(itertools.product(*values), HINTED))
    return inputs


def _list_small_values(hint: ast.expr | None) -> tuple[Any, ...]:
    """Small values of a type that is written as ``int``, ``list[str]``, ``Sequence[float]``; none for any other."""
    if isinstance(hint, ast.Name):
        return _SMALL.get("list" if hint.id in _LISTS else hint.id, ())
    if isinstance(hint, ast.Subscript) and isinstance(hint.value, ast.Name) and hint.value.id in _LISTS:
        items = _list_small_values(hint.slice)
        return (list(items), [], list(items[:1])) if items else ()
    return ()


def _fill_empty(arguments: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """The arguments with something in place of each empty one."""
    grown = []
    for at, value in enumerate(arguments):
        for empty, fuller in _GROWN:
            if type(value) is type(empty) and value == empty:
                grown += [(*arguments[:at], more, *arguments[at + 1 :]) for more in fuller]
    return grown


def set_back_contradicting(candidates: Sequence[Candidate], runner: Runner, seen: Sequence[Mapping[str, Any]]) -> None:
    """Candidates that change what earlier calls gave come behind others, and last where nothing says that those results were wrong."""
    changed = find_contradicting(runner, [c.codes for c in candidates], seen)
    for candidate, is_changing in zip(candidates, changed, strict=True):
        candidate.weight *= (CONTRADICTING if runner.program.crashed else CHANGING) if is_changing else 1.0


def set_back_unmet(candidates: Sequence[Candidate], runner: Runner) -> None:
    """A stored output that the program as it is misses, and some candidates meet, speaks for these."""
    callers = [(code, stored) for code, stored in runner.program.callers if stored.strip()]
    if not callers or len(candidates) < 2:
        return
    variants: list[Mapping[int, CodeType]] = [*(c.codes for c in candidates), {}]
    reply = run_in_fork(lambda: _list_met(runner, variants, callers), WAIT)
    if not isinstance(reply, list):
        return
    *met, before = ({int(n) for n in numbers} for numbers in reply)
    gained = set().union(*met) - before
    for candidate, numbers in zip(candidates, met, strict=True):
        candidate.weight *= UNMET if gained - numbers else 1.0


def _list_met(
    runner: Runner, variants: Sequence[Mapping[int, CodeType]], callers: Sequence[tuple[str, str]]
) -> list[list[int]]:
    """For each variant the callers, by number, that print with it what is stored."""
    end = runner.counter.total + STEPS
    met: list[list[int]] = []
    for codes in variants:
        met.append([])
        for number, (code, stored) in enumerate(callers):
            out = Muted(keep=True)
            with contextlib.suppress(Exception, SystemExit, OutOfTime, Enough), runner.preserve_state():
                with contextlib.redirect_stdout(out), contextlib.redirect_stderr(Muted()), runner.count(EACH):
                    _define_functions(runner, codes)
                    exec(compile(code, "<selfheal above>", "exec", dont_inherit=True), runner.ns)
                if runner.counter.total < end and "".join(out.parts).split() == stored.split():
                    met[-1].append(number)
    return met


def _define_functions(runner: Runner, codes: Mapping[int, CodeType]) -> None:
    for n, unit in enumerate(runner.program.units):
        if unit.role == DEFINE:
            exec(codes.get(n, runner.codes[n]), runner.ns)


def find_contradicting(
    runner: Runner, variants: Sequence[Mapping[int, CodeType]], seen: Sequence[Mapping[str, Any]]
) -> list[bool]:
    """Which variants change what an earlier call gave; none where that could not be found out."""
    compared = [c for c in seen if c["gave"]]
    if not compared or not variants:
        return [False] * len(variants)
    changed = run_in_fork(lambda: _find_contradicting(runner, variants, compared), WAIT)
    return changed if isinstance(changed, list) else [False] * len(variants)


def _find_contradicting(
    runner: Runner, variants: Sequence[Mapping[int, CodeType]], seen: Sequence[Mapping[str, Any]]
) -> list[bool]:
    changed: list[bool] = []
    end = runner.counter.total + STEPS
    for codes in variants:
        changed.append(False)
        with contextlib.suppress(Exception, OutOfTime, Enough), runner.preserve_state():
            with runner.count(EACH):
                _define_functions(runner, codes)
            changed[-1] = any(runner.counter.total < end and _changes_arguments(runner, call) for call in seen)
    return changed


def _changes_arguments(runner: Runner, call: Mapping[str, Any]) -> bool:
    space = runner.ns
    with runner.count(EACH):
        now = seen_calls.call(space, call["name"], seen_calls.from_text(call["given"]))
    if now.kind not in (seen_calls.VALUE, seen_calls.ERROR):
        return False
    return bool(seen_calls.unpack_outcome(seen_calls.from_text(call["gave"]), space).find_change(now))
