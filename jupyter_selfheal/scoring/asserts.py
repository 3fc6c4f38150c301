"""Asserts of a notebook: those of a cell, and those in the cells below that can be asked right after it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from jupyter_selfheal import source as src
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.inside.tree_names import read_called_name
from jupyter_selfheal.model import Case, Cell, Patch, Role, Run, Step, Trial
from jupyter_selfheal.scoring.edited_asserts import count_unedited
from jupyter_selfheal.scoring.evidence import Count, Evidence
from jupyter_selfheal.scoring.size_alone import asks_size_alone
from jupyter_selfheal.source import BUILTINS, Names

TESTS = ("test", "check", "verify")
"""How the names of functions begin that ask something of others."""

ASSERT_SECONDS = 5.0
"""Seconds that one assert of a cell below may take."""

AT_MOST = 20
"""Asserts below that are asked in one trial."""
_READERS = re.compile(
    r"^_?(?:open|read\w*|load\w*|\w*exists|is_?file|is_?dir|listdir|scandir|iterdir|r?glob|stat|getsize|\w*fromtxt|fromfile|query|execute)$"
)
"""How functions are named that look at files, and at what a database holds."""

_COMMENT = re.compile(r"\s+#.*")


@dataclass(frozen=True, slots=True)
class AssertBelow:
    """An assert (or a loop of nothing but asserts) in a cell below.

    ``decides`` is True where it reads nothing of the notebook's own making but what the patched cells bind: only then does its
    failure say that the patch is wrong.
    """

    cell_id: str
    code: str
    decides: bool


@lru_cache(maxsize=4096)
def list_names(source: str) -> Names:
    """:func:`jupyter_selfheal.source.names`, once for each source: every patch of a heal asks for the same cells."""
    return src.find_names(source)


def is_assert(node: ast.AST) -> bool:
    """``assert …``, or a call of a function named so (``np.testing.assert_allclose``, ``self.assertEqual``)."""
    if isinstance(node, ast.Assert):
        return True
    if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        return False
    called = node.value.func
    name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
    return name.startswith("assert")


def list_asserts(source: str) -> tuple[ast.stmt, ...]:
    """Every assert of a cell, those inside functions included."""
    tree = src.parse(source)
    return () if tree is None else tuple(n for n in ast.walk(tree) if isinstance(n, ast.stmt) and is_assert(n))


def count_asserts_run(source: str, above: Iterable[str] = ()) -> int:
    """How many asserts run when the cell runs: its own, and those of test functions that it calls.

    A test function is one named like a test (``test_…``, ``check…``), of this cell or of those ``above``. Other asserts inside
    functions and classes say what a program relies on, not what it should give.
    """
    return len(list_asserts_run(source, above))


def list_asserts_run(source: str, above: Iterable[str] = ()) -> list[ast.stmt]:
    """The asserts that :func:`count_asserts_run` counts."""
    tree = src.parse(source)
    if tree is None:
        return []
    executed = list(_walk_executed(tree))
    called = {n.func.id for n in executed if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    tests = {
        node.name: [n for n in ast.walk(node) if isinstance(n, ast.stmt) and is_assert(n)]
        for text in (*above, source)
        for node in getattr(src.parse(text), "body", ())
        if isinstance(node, ast.FunctionDef) and node.name.startswith(TESTS)
    }
    own = [n for n in executed if isinstance(n, ast.stmt) and is_assert(n)]
    return own + [n for name in sorted(called & tests.keys()) for n in tests[name]]


def _walk_executed(tree: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(tree):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            yield child
            yield from _walk_executed(child)


def find_asserts_below(case: Case, patch: Patch) -> tuple[AssertBelow, ...]:
    """The asserts below that depend on what the patched cells bind and on nothing that is not there yet."""
    own = collect_patched_names(case, patch)
    there = own.binds | own.changes | list_names_above(case)
    made_elsewhere = there - own.binds - own.changes - list_imports_above(case) - own.imports
    stored = {key for _, _, after in list_patched_cells(case, patch) for key in _list_stored_keys(after)}
    asserts: list[AssertBelow] = []
    rebound: set[str] = set()
    may_have_written = False
    for cell in case.notebook.list_code_after(case.failure.cell_id):
        is_foreign = src.is_foreign(cell.source)
        is_asked = not (cell.skip or cell.expensive or is_foreign or "raises-exception" in cell.tags)
        may_have_written |= is_foreign
        for statement in src.list_statements(cell.source):
            names = src.collect_names([statement.node])
            if (
                is_asked
                and _holds_only_asserts(statement.node)
                and not (may_have_written and _may_use_files(statement.node))
                and _depends_on_own(names, own)
                and names.uses <= there
                and not names.uses & rebound
            ):
                decides = not names.uses & made_elsewhere and not _reads_other_keys(statement.node, own, stored)
                asserts.append(AssertBelow(cell.id, src.extract_text(cell.source, statement.node), decides))
            else:  # asserts that are asked are asked in order, so that what `stack.pop()` or `Shop().add()` in one does is there for the next
                rebound |= names.binds | names.changes | names.deletes
                may_have_written |= _may_write(statement.node)
    return tuple(asserts[:AT_MOST])


def _may_use_files(node: ast.stmt) -> bool:
    """Whether what a statement says may hang on a file: it calls something that is named like a reader."""
    return any(_READERS.search(read_called_name(n)) for n in ast.walk(node))


def _may_write(node: ast.stmt) -> bool:
    """Whether a statement may write a file: a command or magic (its line is `pass` here), or a call of anything that is not known to write none."""
    called = (read_called_name(n) for n in ast.walk(node) if isinstance(n, ast.Call))
    return isinstance(node, ast.Pass) or any(name == "open" or name not in BUILTINS for name in called)


def _holds_only_asserts(node: ast.stmt) -> bool:
    if isinstance(node, ast.For):
        return bool(node.body) and not node.orelse and all(map(_holds_only_asserts, node.body))
    return is_assert(node)


def _list_stored_keys(source: str) -> Iterator[str]:
    """``when`` of ``survey["when"] = …``."""
    for node in src.walk(source):
        match node:
            case ast.Subscript(slice=ast.Constant(str(key)), ctx=ast.Store()):
                yield key


def _reads_other_keys(node: ast.AST, own: Names, stored: set[str]) -> bool:
    """True for ``assert survey["score"].notna().all()`` below a cell that only stores `survey["when"]`: it fails whatever is mended there."""
    changed = own.changes - own.binds
    read = [n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id in own.changes | own.binds]
    taken = [
        n.value
        for n in ast.walk(node)
        if isinstance(n, ast.Subscript) and isinstance(n.slice, ast.Constant) and n.slice.value not in stored
    ]
    return bool(stored) and all(n.id in changed and n in taken for n in read)


def _depends_on_own(names: Names, own: Names) -> bool:
    return bool(names.uses & (own.binds | own.changes))


def list_patched_cells(case: Case, patch: Patch) -> tuple[tuple[str, str, str], ...]:
    """(cell id, source before, source after) of the failing cell and of every cell that the patch changes."""
    ids = dict.fromkeys((case.failure.cell_id, *patch.cells_touched))
    return tuple((i, before := find_source_before(case, i), patch.source_of(i, before)) for i in ids)


def find_source_before(case: Case, cell_id: str) -> str:
    """A cell's source as it ran, empty where the patch makes the cell."""
    if cell_id == case.failure.cell_id:
        return case.failure.source
    return case.notebook.cell(cell_id).source if case.notebook.index(cell_id) >= 0 else ""


def collect_patched_names(case: Case, patch: Patch) -> Names:
    """The global names of all patched cells, as they are after the patch."""
    all_names = [list_names(after) for _, _, after in list_patched_cells(case, patch)]
    return Names(
        frozenset().union(*(n.binds for n in all_names)),
        frozenset().union(*(n.uses for n in all_names)),
        frozenset().union(*(n.changes for n in all_names)),
        frozenset().union(*(n.deletes for n in all_names)),
        frozenset().union(*(n.imports for n in all_names)),
    )


def list_names_above(case: Case) -> frozenset[str]:
    """Every name that the cells above bind, and the builtins."""
    return BUILTINS.union(*(list_names(c.source).binds for c in _list_cells_above(case)))


def list_imports_above(case: Case) -> frozenset[str]:
    """The imported ones of them, and the builtins."""
    return BUILTINS.union(*(list_names(c.source).imports for c in _list_cells_above(case)))


def _list_cells_above(case: Case) -> tuple[Cell, ...]:
    return case.notebook.list_code_before(case.failure.cell_id)


def _read_asserts_below(case: Case, patch: Patch, trial: Trial) -> tuple[Count, Count]:
    """Those that decide, and the others. An assert that fails of anything but an AssertionError says nothing."""
    asked = find_asserts_below(case, patch)
    results = [s for s in trial.steps if s.role == Role.CHECK.value and s.cell_id]
    held: dict[bool, list[bool]] = {True: [], False: []}
    whys = {True: "", False: ""}
    for check, step in zip(asked, results, strict=False):
        failed = bool(step.errors) and step.errors[0].ename == "AssertionError"
        if step.cell_id != check.cell_id or not (step.ok or failed):
            continue
        if step.ok and all(asks_size_alone(case, patch, s.node) for s in src.list_statements(check.code)):
            continue
        held[check.decides].append(step.ok)
        if failed and not whys[check.decides]:
            whys[check.decides] = f"`{check.code.strip()[:120]}` {step.errors[0].evalue.strip()[:120]}".rstrip()
    return _build_count(held[True], whys[True]), _build_count(held[False], whys[False])


def _build_count(held: list[bool], why: str) -> Count:
    return Count(len(held), sum(held), why)


class OwnAsserts:
    """The oracle of asserts in the patched cells that the patch leaves as they were: a cell that ran has met them. Of a cell that did not parse
    these are the ones that stand in it letter by letter."""

    def list_steps(self, case: Case, patch: Patch, config: HealConfig) -> tuple[Step, ...]:
        return ()

    def add_evidence(self, evidence: Evidence, case: Case, patch: Patch, trial: Trial) -> Evidence:
        cells = case.notebook.list_code_before(case.failure.cell_id)
        above, then = [c.source for c in cells], [patch.source_of(c.id, c.source) for c in cells]
        patched = list_patched_cells(case, patch)
        asked = [node for _, before, _ in patched for node in list_asserts_run(before, above)]
        left = [node for _, _, after in patched for node in list_asserts_run(after, then)]
        written = [node for _, before, after in patched for node in _list_asserts_written(before, after)]
        return replace(evidence, own_asserts=count_unedited([*asked, *written], left).total())


def _list_asserts_written(before: str, after: str) -> list[ast.stmt]:
    """The asserts of a healed cell that stand in lines of the text that did not parse."""
    if src.parse(before) is not None:
        return []
    lines = _list_bare_lines(before)
    return [n for n in list_asserts_run(after) if lines.issuperset(_list_bare_lines(src.extract_text(after, n)))]


def _list_bare_lines(text: str) -> set[str]:
    """Lines without their indentation and the comments behind them."""
    return {_COMMENT.sub("", line).strip() for line in text.splitlines()}


class AssertsBelow:
    """The oracle of asserts in the cells below that can be asked right after the cell."""

    def list_steps(self, case: Case, patch: Patch, config: HealConfig) -> Iterator[Step]:
        for check in find_asserts_below(case, patch):
            yield Run(check.code, check.cell_id, Role.CHECK, go_on=True, timeout=ASSERT_SECONDS)

    def add_evidence(self, evidence: Evidence, case: Case, patch: Patch, trial: Trial) -> Evidence:
        deciding, others = _read_asserts_below(case, patch, trial)
        return replace(evidence, deciding=deciding, others=others)
