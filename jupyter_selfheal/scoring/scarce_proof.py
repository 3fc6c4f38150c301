"""Is what speaks for a model's or an agent's patch too little? Many programs give one right value.

Such patches are written to give what is known. Where that is one stored value, or an assert that names no value (``assert total > 0``),
`xs[1] - xs[0]` in place of the largest gap is as good as the right one (docs/adr/0036). Calls of earlier cells that stay as they were, further
values, doctests and the user's own word are another reading of the same code, and each of them is enough.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from jupyter_selfheal import source as src
from jupyter_selfheal.inside.tree_names import list_names, read_called_name
from jupyter_selfheal.model import Case, Patch
from jupyter_selfheal.registry import is_strangers
from jupyter_selfheal.scoring.asserted_tables import list_wanted, map_given
from jupyter_selfheal.scoring.asserts import (
    collect_patched_names,
    find_asserts_below,
    list_asserts_run,
    list_patched_cells,
)
from jupyter_selfheal.scoring.evidence import Evidence
from jupyter_selfheal.scoring.free_choices import EACH, count_choices, count_named_values
from jupyter_selfheal.scoring.lost_parts import count_lost_parts, find_left_out
from jupyter_selfheal.scoring.measures import is_measure
from jupyter_selfheal.scoring.output_text import find_words, is_number, split_tokens
from jupyter_selfheal.source import BUILTINS

SCARCE = "Hardly more than one value speaks for it, and many programs give that one: look at the change, or say what another input must give."

FEW = 2
"""Values that are no more than one reading: the same number is often printed twice, or with what follows from it."""

_GATHERS = frozenset({"sum", "min", "max", "mean", "std", "all", "any", "nunique"})
"""What one value is made of many by."""

_TRUTHS, TRUTHS = frozenset({"True", "False", "None"}), 4
"""Words of which so many say as much as one value: anything gives one of the two."""


def explain_scarcity(case: Case, patch: Patch, seen: Evidence) -> str:
    """Why what speaks for a patch that somebody wrote to give what is known is too little; empty where it is enough."""
    if not is_strangers(patch.healer) or seen.user:
        return ""
    if left_out := find_left_out(case, patch):
        return f"It leaves out `{left_out}`, which failed, with nothing in its place: look at the change, or say what another input must give."
    choices, values = count_choices(case, patch), _count_all(case, patch, seen)
    lost = count_lost_parts(case, patch)
    if (choices or lost) and values < EACH * (choices + lost + 1):
        return _explain_choices(choices, lost, values)
    return SCARCE if _is_one_value(case, patch, seen) else ""


def _explain_choices(choices: int, lost: int, values: int) -> str:
    own = "1 condition or number of its own" if choices == 1 else f"{choices} conditions or numbers of its own"
    parts = "1 part of the code that it replaces" if lost == 1 else f"{lost} parts of the code that it replaces"
    does = [*([f"decides by {own}"] if choices else []), *([f"does without {parts}"] if lost else [])]
    speak = "1 value speaks" if values == 1 else f"{values} values speak"
    return f"It {' and '.join(does)}, and {speak} for it, too few to tell a choice that is right from one that was made to fit: look at the change, or say what another input must give."


def _count_all(case: Case, patch: Patch, seen: Evidence) -> int:
    """Every value that speaks for it, wherever it is said."""
    calls, asserts = seen.calls, list_asserts_held(case, patch, seen)
    parts = [node for node in asserts if any(map(_asks_of_part, ast.walk(node)))]
    given, rows = _list_given(case, patch, seen)
    named = count_named_values((node for node in asserts if node not in parts), given, rows) + bool(parts)
    held = seen.doctests.held + sum(f.held for f in seen.findings) + (0 if calls.differed else calls.agreed)
    return held + named + _count_values(case, patch, seen)


def _list_given(case: Case, patch: Patch, seen: Evidence) -> tuple[dict[str, Any], list[Any]]:
    """What stands under a name, and what the rows of tables say, where asserts with them held; both as they are with and without the patch."""
    cells = [c for c in case.notebook.cells if c.kind == "code"]
    was, now = (
        map_given(texts) for texts in ([c.source for c in cells], [patch.source_of(c.id, c.source) for c in cells])
    )
    given = {name: value for name, value in now.items() if name in was and repr(was[name]) == repr(value)}
    texts = [c.code for c in find_asserts_below(case, patch)] if seen.deciding.held + seen.others.held else []
    texts += [after for _, _, after in list_patched_cells(case, patch)] if seen.own_asserts else []
    texts += [case.notebook.cell(b.cell_id).source for b in seen.below if b.ran and b.asserts]
    return given, [value for text in dict.fromkeys(texts) for value in list_wanted(text, given)]


def _is_one_value(case: Case, patch: Patch, seen: Evidence) -> bool:
    """Whether hardly more than one value speaks for it."""
    calls = seen.calls
    if seen.doctests.held or calls.mended or (calls.agreed and not calls.differed):
        return False
    if sum(f.held for f in seen.findings) or any(map(_names_value, list_asserts_held(case, patch, seen))):
        return False
    return _count_values(case, patch, seen) + bool(_count_asserts(seen)) <= FEW


def _count_asserts(seen: Evidence) -> int:
    return seen.own_asserts + max(seen.deciding.held + seen.others.held, sum(b.asserts for b in seen.below if b.ran))


def list_asserts_held(case: Case, patch: Patch, seen: Evidence) -> list[ast.AST]:
    """The asserts that were asked, where they held."""
    sources = [c.code for c in find_asserts_below(case, patch)] if seen.deciding.held + seen.others.held else []
    nodes: list[ast.AST] = [node for text in sources for node in src.walk(text)]
    above = [c.source for c in case.notebook.list_code_before(case.failure.cell_id)]
    if seen.own_asserts:
        nodes += [n for _, _, after in list_patched_cells(case, patch) for n in list_asserts_run(after, above)]
    for below in seen.below:
        if below.ran and below.asserts:
            nodes += list_asserts_run(case.notebook.cell(below.cell_id).source, above)
    reached = _collect_reached(case, patch)
    return [node for node in nodes if not list_names(node).isdisjoint(reached)]


def _collect_reached(case: Case, patch: Patch) -> set[str]:
    """What the patched cells make, and what the cells below make of that: an assert of anything else holds whatever the patch is."""
    own = collect_patched_names(case, patch)
    reached = set(own.binds | own.changes)
    for cell in (
        *case.notebook.list_code_before(case.failure.cell_id),
        *case.notebook.list_code_after(case.failure.cell_id),
    ):
        for statement in src.list_statements(patch.source_of(cell.id, cell.source)):
            names = src.collect_names([statement.node])
            reached |= names.binds | names.changes if names.uses & reached else frozenset()
    return reached


def _names_value(node: ast.AST) -> bool:
    """Whether an assert says which value is to come out: ``== 9``, ``abs(x - 9) < 1e-6``, ``assert_allclose(x, 9)``."""
    asked = [n for n in ast.walk(node) if isinstance(n, ast.Compare | ast.Call)]
    return any(_equals_something(n) for n in asked)


def _equals_something(node: ast.Compare | ast.Call) -> bool:
    if isinstance(node, ast.Compare):
        equal = any(isinstance(op, ast.Eq | ast.Is) for op in node.ops)
        return (equal and not (_asks_form(node.left) or _is_part(node.left) or _says_of_itself(node))) or _is_near(node)
    name = read_called_name(node)
    return len(node.args) > 1 and is_measure(name) and not _asks_form(node.args[0])


def _asks_form(node: ast.expr) -> bool:
    """``len(x)``, ``type(x)``, ``x.shape``, ``x.sum()``: of what kind or size a result is, or what it comes to, and not which."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        gathers = node.func.id in _GATHERS & BUILTINS and len(node.args) == 1
        return node.func.id in ("len", "type") or (gathers and isinstance(node.args[0], ast.Name | ast.Attribute))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in _GATHERS and not node.args
    return isinstance(node, ast.Attribute) and node.attr in ("shape", "dtype", "size", "ndim", "columns")


def _is_part(node: ast.expr) -> bool:
    """``proteins[0]``, ``counts["a"]``: one of several results, and seldom the one that failed."""
    if not isinstance(node, ast.Subscript) or not _is_literal(node.slice):
        return False
    whole = node.value
    while isinstance(whole, ast.Subscript | ast.Attribute):
        whole = whole.value
    return isinstance(whole, ast.Name)


def _says_of_itself(node: ast.Compare) -> bool:
    """``sorted(names) == names``: a property that many values have."""
    sides = (node.left, *node.comparators)
    plain = {side.id for side in sides if isinstance(side, ast.Name)}
    inner = [n for side in sides if not isinstance(side, ast.Name) for n in ast.walk(side)]
    called = {n.func.id for n in inner if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    return called <= BUILTINS and any(isinstance(n, ast.Name) and n.id in plain for n in inner)


def _asks_of_part(node: ast.AST) -> bool:
    equal = isinstance(node, ast.Compare) and any(isinstance(op, ast.Eq) for op in node.ops)
    return equal and (_is_part(node.left) or _asks_form(node.left))  # type: ignore[attr-defined]


def _is_literal(node: ast.expr) -> bool:
    return isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant)


def _is_near(node: ast.Compare) -> bool:
    """``abs(x - 9) < 0.01``."""
    calls = (n for n in ast.walk(node.left) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name))
    return any(n.func.id == "abs" and any(isinstance(a, ast.BinOp) for a in n.args) for n in calls)  # type: ignore[attr-defined]


def _count_values(case: Case, patch: Patch, seen: Evidence) -> int:
    """Different values of stored outputs that come again and stand in no code: what is written down comes out of anything."""
    cells = (*case.notebook.list_code_before(case.failure.cell_id),)
    code = [
        *(patch.source_of(c.id, c.source) for c in cells),
        *(after for _, _, after in list_patched_cells(case, patch)),
    ]
    written = find_words("\n".join(code))
    own = _list_values(seen.output.stored, find_words(case.failure.source), written) if seen.output.same else []
    values, truths = {*own}, _count_truths(seen.output.stored) if seen.output.same else 0
    for below in (b for b in seen.below if b.ran and b.output.same):
        given = find_words(case.notebook.cell(below.cell_id).source)
        values |= {*_list_values(below.output.stored, given, {*written, *given})}
    computed = seen.output.computed - truths if seen.output.same else 0
    return max(len(values), computed) + truths // TRUTHS


def _count_truths(text: str) -> int:
    return sum(token in _TRUTHS for token in split_tokens(text))


def _list_values(stored: str, given: Iterable[str], written: Iterable[str]) -> list[float | str]:
    """The numbers that do not stand in the cell, and the words that stand in no cell, and are no part of one that does."""
    near, anywhere, values = set(given), {*written, *_TRUTHS}, list[float | str]()
    for token in split_tokens(stored):
        if is_number(token):
            with suppress(ValueError):
                values += [float(token)] if token not in near else []
        elif token.isidentifier() and not any(token in word for word in anywhere):
            values.append(token)
    return values
