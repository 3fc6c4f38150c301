"""Run a cell again on changed inputs, and say which parts of its result follow them.

Sent as the source of a probe, after the cell of a trial: each run is in a fork of its own, which leaves the trial as it is. An answer
that is written into the code stays what it is, whatever the cell is given.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import math
import re
import types
from collections.abc import Callable, Iterator
from typing import Any

from jupyter_selfheal.inside.search.confined_forks import HAS_FORKS, run_in_fork
from jupyter_selfheal.inside.search.cpu_time import read_cpu_time
from jupyter_selfheal.inside.search.limit_time import limit_cpu_time
from jupyter_selfheal.inside.search.printed_output import Muted
from jupyter_selfheal.inside.tree_names import list_bound_names

SECONDS = 0.4
"""CPU seconds that one run of the cell may take; a slower cell is not run again."""
WAIT = 2.0
"""Seconds on the clock after which a run is given up."""
RUNS, OF_ONE, ALL_SECONDS = 24, 5, 4.0
"""Changed inputs that are tried, those of one input, and CPU seconds after which no further one is."""
ITEMS, LEAVES, DEPTH = 2_000, 200, 4
"""Items of a collection that are changed one by one, parts of a result that are compared, and how deep both go."""
TEXT = 200
GONE = object()
"""In place of a part that is no longer there: fewer items came in."""

Leaves = dict[str, Any]


def probe(shell: Any, last: Any, argument: Any) -> dict[str, Any] | None:
    """Vary what the cell ``argument["code"]`` reads (``argument["names"]``, and what the notebook's functions that it calls read), and
    those of its own literals that are in ``argument["literals"]`` (as ``repr`` gives them).

    ``ran`` is how many changed runs came to their end, ``inputs`` names what was changed in them, ``leaves`` are the parts of the result
    with whether they ever changed. None where the cell cannot be run again.
    """
    space, code = shell.user_ns, argument["code"]
    before = _observe_change(space, code, lambda: None) if HAS_FORKS else None
    if not before:
        return None
    moved: set[str] = set()
    ran, inputs, began = 0, dict[str, None](), read_cpu_time()
    for label, text, change in _list_variations(space, code, argument["names"], set(argument["literals"])):
        after = _observe_change(space, text, change)
        if after is None:
            continue
        ran += 1
        inputs[label] = None
        moved |= {path for path, value in before.items() if _is_other(value, after.get(path, GONE))}
        if ran >= RUNS or read_cpu_time() - began > ALL_SECONDS:
            break
    return {
        "ran": ran,
        "inputs": list(inputs),
        "leaves": [[value, path in moved] for path, value in before.items() if value is not None],
    }


def _is_other(value: Any, now: Any) -> bool:
    """Whether a part became another one: None in its place is what a table of answers gives for a question that it does not know."""
    return now is not None and now != value


def _observe_change(space: dict[str, Any], code: str, change: Callable[[], None]) -> Leaves | None:
    """The parts of what the cell gives once ``change`` was made; None where it fails, or takes too long."""
    found = run_in_fork(lambda: _run_changed(space, code, change), WAIT)
    return found if isinstance(found, dict) else None


def _run_changed(space: dict[str, Any], code: str, change: Callable[[], None]) -> Leaves:
    change()
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    out, value = Muted(keep=True), None
    with limit_cpu_time(SECONDS), contextlib.redirect_stdout(out), contextlib.redirect_stderr(Muted()):
        exec(compile(tree, "<cell>", "exec"), space)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), space)
    bound = list_bound_names(tree)
    leaves: Leaves = {}
    _collect_leaves(value, "value", leaves)
    for name in sorted(bound & space.keys()):
        _collect_leaves(space[name], name, leaves)
    for n, line in enumerate("".join(out.parts).splitlines()[:LEAVES]):
        with contextlib.suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            _collect_leaves(ast.literal_eval(line), f"line {n}", leaves)
    for n, token in enumerate(re.findall(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?", "".join(out.parts))):
        _collect_leaves(float(token), f"printed {n}", leaves)
    return leaves


def _collect_leaves(value: Any, path: str, leaves: Leaves, depth: int = DEPTH) -> None:
    """The numbers and texts that a value is made of, by where they stand in it, and where None stands."""
    if len(leaves) >= LEAVES or isinstance(value, bool):
        return
    if value is None:
        leaves[path] = None
    elif isinstance(value, int | float):
        if (isinstance(value, int) and value.bit_length() < 64) or math.isfinite(value):
            leaves[path] = value
    elif isinstance(value, str):
        leaves[path] = value[:TEXT]
    elif isinstance(value, dict) and depth:
        for key, item in list(value.items())[:LEAVES]:
            _collect_leaves(item, f"{path}[{key!r}]", leaves, depth - 1)
    elif isinstance(value, list | tuple) and depth:
        for n, item in enumerate(value[:LEAVES]):
            _collect_leaves(item, f"{path}[{n}]", leaves, depth - 1)
    elif callable(getattr(value, "tolist", None)) and getattr(value, "size", ITEMS) < ITEMS:
        _collect_leaves(value.tolist(), path, leaves, depth)
    elif callable(getattr(value, "to_numpy", None)) and getattr(value, "size", ITEMS) < ITEMS:
        _collect_leaves(value.to_numpy().tolist(), path, leaves, depth)


def _list_variations(
    space: dict[str, Any], code: str, names: list[str], literals: set[str]
) -> Iterator[tuple[str, str, Callable[[], None]]]:
    """(what is changed, the code, what to do before it runs), of each input a few."""
    for name in _list_inputs(space, names):
        for n in range(OF_ONE):
            yield name, code, _Change(space, name, n)
    tree = ast.parse(code)
    for at, node in enumerate(ast.walk(tree)):
        if isinstance(node, ast.Constant) and repr(node.value) in literals:
            for changed in _vary_value(node.value, OF_ONE):
                other = copy.deepcopy(tree)
                target = next(n for k, n in enumerate(ast.walk(other)) if k == at)
                target.value = changed  # type: ignore[attr-defined]
                with contextlib.suppress(ValueError, TypeError):
                    yield repr(node.value)[:TEXT], ast.unparse(ast.fix_missing_locations(other)), lambda: None


class _Change:
    """Puts the n-th variation of a variable in its place; raises where there is none, so that the run does not count."""

    def __init__(self, space: dict[str, Any], name: str, n: int) -> None:
        self.space, self.name, self.n = space, name, n

    def __call__(self) -> None:
        changed = list(_vary_value(self.space[self.name], self.n + 1))
        self.space[self.name] = changed[self.n]


def _list_inputs(space: dict[str, Any], names: list[str]) -> list[str]:
    """The data that these names stand for, and that the notebook's functions among them read."""
    inputs, seen, left = list[str](), set[str](), list(names)
    while left:
        name = left.pop(0)
        if name in seen or name not in space or name.startswith("_"):
            continue
        seen.add(name)
        value = space[name]
        if isinstance(value, types.FunctionType) and value.__globals__ is space:
            left += _list_global_names(value.__code__)
        elif not isinstance(value, types.ModuleType | type) and not callable(value):
            inputs.append(name)
    return inputs


def _list_global_names(code: types.CodeType) -> list[str]:
    inner = [n for c in code.co_consts if isinstance(c, types.CodeType) for n in _list_global_names(c)]
    return [*code.co_names, *inner]


def _vary_value(value: Any, most: int, depth: int = DEPTH) -> Iterator[Any]:
    """Other values of the same kind, ``most`` of them at most; the first changes all of it."""
    for n, changed in enumerate(_list_changed(value, depth)):
        if n >= most:
            return
        yield changed


def _list_changed(value: Any, depth: int) -> Iterator[Any]:
    if isinstance(value, bool) or value is None or not depth:
        return
    if isinstance(value, int | float):
        yield from (value + 1, value * 2 + 3)
    elif isinstance(value, str):
        digits = re.sub(r"\d", lambda m: str(int(m[0]) % 9 + 1), value)
        yield digits if digits != value else value + "x"
    elif isinstance(value, list | tuple) and len(value) <= ITEMS:
        yield from (
            type(value)(items) for items in _vary_items(list(value), depth)
        )  # a named tuple raises: no input then
    elif isinstance(value, dict) and len(value) <= ITEMS:
        yield from (dict(zip(value, items, strict=False)) for items in _vary_items(list(value.values()), depth))
    elif hasattr(value, "dtype") or hasattr(value, "dtypes"):
        with contextlib.suppress(Exception):
            yield value + 1
        for part in (slice(None, -1), slice(1, None), slice(None, 1)) if getattr(value, "size", 0) > 1 else ():
            with contextlib.suppress(Exception):
                yield value[part]


def _vary_items(items: list[Any], depth: int) -> Iterator[list[Any]]:
    """All items changed, the last left out, then the first, the last and the one in the middle changed by itself."""
    every = [next(_vary_value(item, 1, depth - 1), item) for item in items]
    if any(a is not b for a, b in zip(every, items, strict=True)):
        yield every
    if len(items) > 1:
        yield items[:-1]
    for at in dict.fromkeys((0, len(items) - 1, len(items) // 2)) if items else ():
        if every[at] is not items[at]:
            yield [*items[:at], every[at], *items[at + 1 :]]
