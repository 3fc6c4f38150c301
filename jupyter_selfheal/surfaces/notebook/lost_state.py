"""What an unhealed cell did not leave behind, or left as it was."""

from __future__ import annotations

import ast
import contextlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from jupyter_selfheal import source as src
from jupyter_selfheal.inside.asides import RUN
from jupyter_selfheal.inside.tree_names import read_called_name
from jupyter_selfheal.model import (
    Cell,
    Failure,
    FailureKind,
)
from jupyter_selfheal.source.binding import find_changed_members
from jupyter_selfheal.source.rerun import DEFINITIONS, walk_changed_names


@dataclass(frozen=True, slots=True)
class LostState:
    """What an unhealed cell did not leave behind: global names, keys it would have set in what exists (each with the name of that), estimators it would
    have fitted, and (``changed``) what it may have changed in place, ``assigned`` of it by an assignment or a seed, which changes a
    module too, and ``mutated`` of it by what evidently changes it. ``handed`` pairs each function or method that it calls by name
    with what that was given, or is called on: it may change that where the notebook itself defines it. ``filled`` are containers of
    which it would have set items whose keys are reckoned only when it runs. ``whole_modules``: it would have imported all names of a module.
    ``extensions``: it would have loaded IPython extensions; nobody knows what either brings."""

    number: int
    names: frozenset[str]
    keys: frozenset[tuple[str, str]] = frozenset()
    unfitted: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()
    assigned: frozenset[str] = frozenset()
    mutated: frozenset[str] = frozenset()
    handed: frozenset[tuple[str, str]] = frozenset()
    filled: frozenset[str] = frozenset()
    whole_modules: frozenset[str] = frozenset()
    extensions: frozenset[str] = frozenset()


def find_lost_state(number: int, cell: Cell, failure: Failure) -> LostState:
    """What is missing because this cell failed: what the failing statement and those after it would have bound.

    Statements before the failing one did run; where it is not known, or a syntax error, none did. What a process did that
    was killed is lost with it.
    """
    first = 0 if failure.kind in (FailureKind.TIMED_OUT, FailureKind.DIED) else max(failure.statement, 0)
    rest = [s.node for s in src.list_statements(cell.source) if s.index >= first]
    scripts = _find_names_of_script(cell, failure)
    extensions = frozenset(_LOAD.findall(cell.source))
    if not rest:
        return LostState(number, src.find_assigned_in_text(cell.source) | scripts, extensions=extensions)
    used = src.collect_names(rest)
    return LostState(
        number,
        used.binds | scripts,
        frozenset(_find_assigned_keys(rest)),
        frozenset(_find_fitted_names(rest)),
        used.changes,
        frozenset(src.find_assigned_roots(rest)),
        frozenset(find_mutated_names(rest)),
        frozenset(_find_handed_names(rest)),
        frozenset(_find_filled_names(rest)),
        frozenset(_find_whole_modules(rest)),
        extensions,
    )


_LOAD = re.compile(r"(?m)^[ \t]*%(?:re)?load_ext[ \t]+([\w.]+)")


def _find_whole_modules(body: Iterable[ast.stmt]) -> Iterator[str]:
    """``pandas.tools.rplot`` of ``from pandas.tools.rplot import *``."""
    for node in (n for statement in body for n in ast.walk(statement)):
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            yield node.module or "."


def _find_names_of_script(cell: Cell, failure: Failure) -> frozenset[str]:
    """What the script of a `%run` binds, where that raised: none of it is there in the notebook."""
    for frame in failure.frames if RUN.search(cell.source) else ():
        if not frame.cell_id and Path(frame.file).name in cell.source:
            with contextlib.suppress(OSError, UnicodeError):
                return src.find_names(Path(frame.file).read_text(encoding="utf-8")).binds
    return frozenset()


def _find_assigned_keys(body: Iterable[ast.stmt]) -> Iterator[tuple[str, str]]:
    """Keys and attributes that are set, and the new names of columns (``df.columns = ["a", "b"]``, ``df = df.rename(columns={"A": "a"})``), each
    with the name of what gets them: in a function or class, its own."""
    for statement in body:
        definition = statement.name if isinstance(statement, DEFINITIONS) else ""
        for node in ast.walk(statement):
            keys: list[object] = []
            owners: Iterable[str] = [definition or src.find_root_name(node)]
            match node:
                case ast.Subscript(ctx=ast.Store(), slice=ast.Constant(value=key)):
                    keys = [str(key)]
                case ast.Attribute(ctx=ast.Store(), attr=attribute):
                    keys = [attribute]
                case ast.Assign(
                    targets=[ast.Attribute(attr="columns") as owner],
                    value=ast.List(elts=elements) | ast.Tuple(elts=elements),
                ):
                    keys = [e.value for e in elements if isinstance(e, ast.Constant)]
                    owners = [definition or src.find_root_name(owner)]
                case ast.Call(func=ast.Attribute(attr="rename"), keywords=keywords):
                    given = {k.arg: k.value for k in keywords}
                    renamed = given.get("columns")
                    if isinstance(renamed, ast.Dict):
                        keys = [v.value for v in renamed.values if isinstance(v, ast.Constant)]
                    if "inplace" not in given:
                        owners = src.collect_names([statement]).binds
            yield from ((owner, key) for key in keys for owner in owners if isinstance(key, str))


def _find_filled_names(body: Iterable[ast.stmt]) -> Iterable[str]:
    """Names of what gets items under keys that are reckoned: ``prices[town] = 3``, ``rows.append(x)``, ``rows[town].append(x)``."""
    for node in (n for statement in body if not isinstance(statement, DEFINITIONS) for n in ast.walk(statement)):
        match node:
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store(), slice=key) if not isinstance(
                key, ast.Constant
            ):
                yield name
            case ast.Call(
                func=ast.Attribute(
                    value=ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name)),
                    attr="append" | "extend" | "update" | "setdefault",
                )
            ):
                yield name


def _find_fitted_names(body: Iterable[ast.stmt]) -> Iterable[str]:
    """Names whose ``fit`` (or ``partial_fit``, ``fit_transform``) the statements call."""
    for node in (n for statement in body for n in ast.walk(statement)):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and re.match(r"(partial_)?fit(_|$)", node.func.attr)
        ):
            yield node.func.value.id


def find_mutated_names(body: Iterable[ast.stmt]) -> Iterator[str]:
    """Names of what statements evidently change in place, functions' bodies left out: ``xs.append(1)``, ``df.drop(…, inplace=True)``."""
    for statement in body:
        if not isinstance(statement, DEFINITIONS):
            yield from walk_changed_names(statement)
            for loop in (n for n in ast.walk(statement) if isinstance(n, ast.For | ast.AsyncFor)):
                yield from find_changed_members(loop)


def _find_handed_names(body: Iterable[ast.stmt]) -> Iterator[tuple[str, str]]:
    """Of each call of a function by name: the function with every name that stands alone as its argument; of a method also what it is called on."""
    for node in (n for statement in body for n in ast.walk(statement)):
        if isinstance(node, ast.Call) and (function := read_called_name(node)):
            given = (*node.args, *(k.value for k in node.keywords))
            owner = src.find_root_name(node.func.value) if isinstance(node.func, ast.Attribute) else ""
            names = (owner, *(value.id for value in given if isinstance(value, ast.Name)))
            yield from ((function, name) for name in names if name)
