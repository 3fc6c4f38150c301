"""Every candidate of a statement, likely ones first."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping

from jupyter_selfheal.inside.search import described_intent
from jupyter_selfheal.inside.search.mutations import (
    accumulators,
    agreed_numbers,
    beginners,
    branches_beside,
    chained_tests,
    commented_code,
    compared_records,
    conditions,
    constants,
    containers,
    empty_bodies,
    exchanged_parts,
    exchanges,
    expressions,
    forgotten_links,
    forgotten_updates,
    gathered_results,
    guards,
    idle_statements,
    inverted_results,
    items_and_places,
    kept_within,
    leap_years,
    left_as_it_is,
    loop_ends,
    mirrored,
    missing_code,
    missing_loops,
    moved_statements,
    names,
    never_begun,
    numbers_in_texts,
    operators,
    ordering_keys,
    outside_values,
    overwritten,
    own_functions,
    parts_beside,
    parts_of_amounts,
    parts_of_values,
    rebuilt_collections,
    rest_of_loop,
    same_parts,
    senseless_code,
    shapes_of_results,
    statements,
    textbook,
    unbound_names,
    unset_attributes,
    variations,
    whole_statements,
)
from jupyter_selfheal.inside.search.scope import Change, Scope
from jupyter_selfheal.inside.tree_names import walk

OPERATORS = (
    operators.propose_comparisons,
    operators.propose_arithmetic,
    operators.propose_logic,
    constants.propose_constants,
    names.propose_variables,
    names.propose_everywhere,
    names.propose_attributes,
    names.propose_calls,
    names.propose_keys,
    *expressions.OPERATORS,
    *containers.OPERATORS,
    *conditions.OPERATORS,
    *statements.OPERATORS,
    *missing_code.OPERATORS,
    *variations.OPERATORS,
    *exchanges.OPERATORS,
    *mirrored.OPERATORS,
    *whole_statements.OPERATORS,
    *beginners.OPERATORS,
    *textbook.OPERATORS,
    *overwritten.OPERATORS,
    *own_functions.OPERATORS,
    *unbound_names.OPERATORS,
    *empty_bodies.OPERATORS,
    *missing_loops.OPERATORS,
    *loop_ends.OPERATORS,
    *parts_beside.OPERATORS,
    *commented_code.OPERATORS,
    *moved_statements.OPERATORS,
    *inverted_results.OPERATORS,
    *rebuilt_collections.OPERATORS,
    *exchanged_parts.OPERATORS,
    *ordering_keys.OPERATORS,
    *forgotten_updates.OPERATORS,
    *items_and_places.OPERATORS,
    *chained_tests.OPERATORS,
    *guards.OPERATORS,
    *leap_years.OPERATORS,
    *parts_of_amounts.OPERATORS,
    *gathered_results.OPERATORS,
    *compared_records.OPERATORS,
    *branches_beside.OPERATORS,
    *kept_within.OPERATORS,
    *never_begun.OPERATORS,
    *shapes_of_results.OPERATORS,
    *forgotten_links.OPERATORS,
    *rest_of_loop.OPERATORS,
    *same_parts.OPERATORS,
    *agreed_numbers.OPERATORS,
    *idle_statements.OPERATORS,
    *senseless_code.OPERATORS,
    *accumulators.OPERATORS,
    *parts_of_values.OPERATORS,
    *outside_values.OPERATORS,
    *numbers_in_texts.OPERATORS,
    *left_as_it_is.OPERATORS,
    *unset_attributes.OPERATORS,
)
NEVER_REACHED = 0.03
"""The weight of a line that no failing check runs."""
IN_COMPARISON = 0.3
"""The weight of a change in ``__eq__`` and its like: what compares is as much the check as what is checked."""
READS_FORGOTTEN = 1.8
"""How much likelier a change is that reads a name which is bound and never read: somebody meant to."""
_TAKE_OUT = frozenset({"pop", "popleft", "popitem"})
"""Methods that give an item and take it out of what they are called on."""
_WORD = re.compile(r"\w+")
_COMPARISONS = frozenset({"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__bool__"})


def find_unread_names(tree: ast.AST) -> set[str]:
    """Names that a function binds (arguments too) and never reads."""
    bound: set[str] = set()
    read: set[str] = set()
    for node in walk(tree):
        if isinstance(node, ast.Name):
            (read if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            read.add(node.target.id)
    return bound - read - {"self", "_"}


def list_changes(s: Scope, near: Collection[int] | None = None) -> Iterator[Change]:
    """All single changes of a statement, in the order of its nodes; of those nodes that are on lines ``near`` something, if so."""
    for node in s.order if near is None else _list_near(s, near):
        if node in s.frozen:
            continue
        is_changed = is_changed_in_place(s, node)
        for propose in OPERATORS:
            changes = propose(s, node)
            yield from (c for c in changes if not _makes_copy(s, node, c)) if is_changed else changes


def _list_near(s: Scope, lines: Collection[int]) -> list[ast.AST]:
    """The nodes of which a part is on these lines; of a compound statement its head counts."""
    near: set[ast.AST] = set()
    for node in s.order:
        first = getattr(node, "lineno", 0)
        body = getattr(node, "body", None) if isinstance(node, ast.stmt) else None
        last = max(first, body[0].lineno - 1) if body else getattr(node, "end_lineno", first)
        is_near = any(first <= line <= last for line in lines) if first else s.parents.get(node) in near
        if is_near:
            near.add(node)
    return [node for node in s.order if node in near]


def is_changed_in_place(s: Scope, node: ast.AST) -> bool:
    """``xs`` in ``xs.append(1)`` as a statement, where what the method gives is dropped, and a copy of ``xs`` would be too; and in
    ``x = xs.pop()``, which takes an item out of what nobody reads again if that is a copy; and in ``xs[0] = 1``."""
    attribute = s.parents.get(node)
    if isinstance(attribute, ast.Subscript) and attribute.value is node:
        return not isinstance(attribute.ctx, ast.Load)
    call = s.parents.get(attribute) if isinstance(attribute, ast.Attribute) else None
    if not isinstance(attribute, ast.Attribute) or not isinstance(call, ast.Call) or call.func is not attribute:
        return False
    return attribute.attr in _TAKE_OUT or isinstance(s.parents.get(call), ast.Expr)


def _makes_copy(s: Scope, node: ast.AST, change: Change) -> bool:
    """``sorted(xs)``, ``xs.copy()`` and ``xs[1:]`` in place of ``xs``, but not ``xs[0]`` or ``ys``."""
    if len(change.edits) != 1 or change.edits[0][:2] != (s.start_of(node), s.end_of(node)):
        return False
    new = change.edits[0][2]
    return ":" in new or "()" in new or "(" in new.strip("()")


def weigh_line(suspicion: Mapping[int, float], line: int) -> float:
    """How suspicious a change of a line is (0–1).

    A change is where its edit is, which for an insertion is the line below it: the larger suspiciousness of it and the line
    above counts.
    """
    return max(suspicion.get(line, 0.0), suspicion.get(line - 1, 0.0) * 0.8, NEVER_REACHED)


def rank_changes(
    s: Scope, suspicion: Mapping[int, float], near: Collection[int] | None = None
) -> list[tuple[float, Change]]:
    """Changes with their weights, prior × suspiciousness of the line (0–1, by line of the statement), best first.

    Ties keep the order of the source. Of the same edit by two operators the likelier is kept.
    """
    best: dict[object, tuple[float, Change]] = {}
    forgotten = find_unread_names(s.tree)
    comparing = _find_comparing_lines(s.tree)
    lines: dict[int, float] = {}
    for change in list_changes(s, near):
        key = _make_key(change)
        prior = change.prior * described_intent.weigh_change(s, change)
        if forgotten and _reads_one(change, forgotten):
            prior *= READS_FORGOTTEN
        if change.line in comparing:
            prior *= IN_COMPARISON
        if prior != change.prior:
            change = change._replace(prior=min(1.0, prior))
        line = lines.get(change.line)
        if line is None:
            line = lines[change.line] = weigh_line(suspicion, change.line)
        weight = change.prior * line
        known = best.get(key)
        if known is None or known[0] < weight:
            best[key] = (weight, change)
    ranked = list(best.values())
    ranked += senseless_code.unite_senseless(ranked)
    ranked.sort(key=lambda pair: -pair[0])
    return ranked


def _reads_one(change: Change, names: Collection[str]) -> bool:
    """Whether one of these names is among the words of what a change writes."""
    return any(
        name in new and name in _WORD.findall(new)  # most texts do not even hold its letters
        for _, _, new in change.edits
        for name in names
    )


def _find_comparing_lines(tree: ast.AST) -> set[int]:
    """Lines of the methods by which objects of a class that does more than compare are compared."""
    lines: set[int] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.ClassDef):
            continue
        methods = [n for n in node.body if isinstance(n, ast.FunctionDef)]
        comparing = [n for n in methods if n.name in _COMPARISONS]
        if any(n not in comparing and n.name != "__init__" for n in methods):
            lines.update(*(range(n.lineno, (n.end_lineno or n.lineno) + 1) for n in comparing))
    return lines


def _make_key(change: Change) -> object:
    """The same for two changes that make the same edit, parentheses apart."""
    if len(change.edits) == 1:
        start, end, new = change.edits[0]
        return start, end, new.strip("()")
    return tuple(sorted((start, end, new.strip("()")) for start, end, new in change.edits))
