"""What a case gives the search: the statements it may change, those it runs, and what tells right from wrong.

Never changed: asserts, the oracle, test functions, imports, the literal arguments of a call that only asks what a function
gives (``median([3, 1, 2])`` under ``expect``): those are the question; and in cells above, data as it is written down.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.search.made_names import list_made, list_made_for_checks
from jupyter_selfheal.healers.search.oracles import (
    find_oracle,
    list_doctests,
    list_test_functions,
    list_told_results,
    read_stored_oracle,
)
from jupyter_selfheal.healers.search.pieces import Piece
from jupyter_selfheal.healers.search.producers import find_producers, is_code, list_computed_names
from jupyter_selfheal.healers.search.reading import has_assert, list_written_calls
from jupyter_selfheal.healers.search.unasked import leave_unasked
from jupyter_selfheal.inside.search.mutations.own_collection import find_class_reads
from jupyter_selfheal.inside.search.mutations.own_functions import read_parameters
from jupyter_selfheal.model import JSON, Case, Cell, FailureKind, Oracle
from jupyter_selfheal.source.asserted_results import collect_asserted_results, is_contradicted
from jupyter_selfheal.source.callers import calls_any, choose_callers
from jupyter_selfheal.source.rerun import DEFINITIONS, awaits, map_modules

BELOW = 30
"""Statements of the cells below that are run as checks, at most."""
ELSEWHERE = frozenset(
    {"ModuleNotFoundError", "ImportError", "FileNotFoundError", "PermissionError", "ConnectionError", "URLError", "KeyboardInterrupt",
     "MemoryError", "SystemExit", "NotImplementedError", "EOFError", "StdinNotImplementedError"}
)  # fmt: skip
"""Exceptions whose cause is not how the code computes."""

NEARBY = 12
"""Variables of the cells above, the nearest cell's first, that a top-level statement may have meant instead."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A program for the runtime. ``pieces`` are its units, in order."""

    pieces: tuple[Piece, ...]
    oracle: Oracle
    doctests: tuple[tuple[str, str], ...] = ()
    copied: tuple[str, ...] = ()
    replayed: tuple[str, ...] = ()
    """Names that the statements of cells above compute when they are run again, and other statements read."""
    absent: tuple[str, ...] = ()
    """Names that were not there yet when the first of those ran."""
    hints: dict[str, JSON] = field(default_factory=dict)
    callers: tuple[tuple[str, str], ...] = ()
    """Cells above that called functions which may be changed: the source, and what is stored as printed by it."""
    crashed: bool = False
    """The failure is an exception, and no wrong value."""
    written: tuple[tuple[str, str], ...] = ()
    """Calls of them that stand in the notebook with plain values: the function, and the text of a tuple of its arguments."""
    error: str = ""
    """The name of the exception, where the failure is one."""
    stored: bool = False
    """Outputs of the failing cell, or of cells below that read what it makes, are stored."""

    @property
    def decides(self) -> bool:
        """True where something can tell a right candidate from a wrong one, and something may be changed."""
        asked = bool(self.oracle) or bool(self.doctests) or any(p.role == "check" for p in self.pieces)
        return asked and any(p.mutable for p in self.pieces)

    def to_argument(self, seconds: float, jobs: int, with_doctests: bool = True, most: float = 0.0) -> JSON:
        """What the runtime's probe is given; ``most`` are CPU seconds after which it ends (0: as ``seconds`` says)."""
        units = [
            {"text": p.text, "role": p.role, "mutable": p.mutable, "cell": p.cell_id, "start": p.start, "tests": p.tests, "query": p.query}
            for p in self.pieces
        ]  # fmt: skip
        return {
            "units": units, "expect": self.oracle.expect, "stdout": self.oracle.stdout, "checks": list(self.oracle.checks),
            "doctests": [{"source": s, "want": w} for s, w in self.doctests] if with_doctests else [],
            "copied": list(self.copied), "replayed": list(self.replayed), "absent": list(self.absent), "seconds": seconds, "jobs": jobs, "hints": self.hints,
            "callers": list(self.callers), "crashed": self.crashed, "written": list(self.written), "most": most,
            "error": self.error, "stored": self.stored,
        }  # fmt: skip


def build_plan(case: Case) -> Plan | None:
    """The program of a case, or None where search has nothing to work on (foreign code, a cause in the environment)."""
    failure = case.failure
    if (
        failure.kind in (FailureKind.SYNTAX, FailureKind.DIED)
        or failure.ename in ELSEWHERE
        or src.is_foreign(failure.source)
    ):
        return None
    own = src.list_statements(failure.source)
    if not own or awaits(s.node for s in own):
        return None
    tests = list_test_functions(case)
    below = tuple(_list_below(case, tests))
    wanted = set().union(
        *(src.collect_names([s.node]).uses for s in own), *(src.find_names(p.text).uses for p in below)
    )
    oracle = find_oracle(case)
    for text in (oracle.expect, *oracle.checks):
        wanted |= src.find_names(text).uses
    again = find_producers(case, wanted)
    replayed = frozenset[str]().union(*(list_computed_names(c) for c in again))
    definitions = tuple(
        _collect_definitions(case, wanted.union(*(src.find_names(c.source).uses for c in again)), tests)
    )
    known = {find_name(p) for p in definitions} | {s.node.name for s in own if isinstance(s.node, DEFINITIONS)}
    pieces = (
        *definitions,
        *_list_replayed(case, again, known),
        *_list_own(case, known - tests, tests, replayed),
        *below,
    )
    if not oracle and failure.ename == "AssertionError":
        above = case.notebook.list_code_before(failure.cell_id)
        pieces = leave_unasked(
            pieces, src.find_names(failure.source).imports.union(*(src.find_names(c.source).imports for c in above))
        )
    if not oracle and not any(p.role == "check" for p in pieces):
        oracle = read_stored_oracle(case)
    is_crash = failure.kind is FailureKind.RAISED and failure.ename != "AssertionError"
    copied = tuple(sorted({*_list_copied(pieces), *_list_own_builtins(case, pieces)}))
    return Plan(
        pieces, oracle, tuple(_list_examples(case, pieces)), copied, tuple(sorted(replayed & wanted.union(*_list_uses(pieces)))),
        _list_absent(case, again, copied), _collect_hints(case, pieces), tuple(_list_callers(case, pieces)),
        is_crash, tuple(list_written_calls(case, _list_changeable(pieces))), failure.ename if is_crash else "", _has_stored(case),
    )  # fmt: skip


def _has_stored(case: Case) -> bool:
    """Whether an output of the failing cell, or of a cell below that reads what it makes, is stored."""
    made = src.find_names(case.failure.source).binds
    at = case.notebook.index(case.failure.cell_id)
    own = [case.notebook.cells[at]] if at >= 0 else []
    below = (c for c in case.notebook.list_code_after(case.failure.cell_id) if src.find_names(c.source).uses & made)
    return any(o.name == "stdout" or "text/plain" in o.data for c in (*own, *below) for o in c.outputs)


def _collect_definitions(case: Case, wanted: set[str], tests: set[str]) -> Iterator[Piece]:
    """The functions and classes of the cells above that the failing cell comes to, in order."""
    latest: dict[str, Piece] = {}
    for cell in case.notebook.list_code_before(case.failure.cell_id):
        for piece, node in _cut_pieces(cell.id, cell.source):
            names = src.collect_names([node])
            if isinstance(node, DEFINITIONS):
                is_test = node.name in tests
                latest.pop(node.name, None)  # the order is that of the last definitions
                latest[node.name] = Piece(
                    cell.id,
                    piece.start,
                    piece.end,
                    piece.text,
                    "define",
                    not is_test and not _is_test_class(node) and _is_plain(cell, piece),
                    is_test,
                )
            else:
                for name in names.binds:
                    latest.pop(name, None)
    reached: set[str] = set()
    pending = set(wanted)
    while pending:
        name = pending.pop()
        if name in latest and name not in reached:
            reached.add(name)
            pending |= src.find_names(latest[name].text).uses
    yield from (piece for name, piece in latest.items() if name in reached)


def _list_examples(case: Case, pieces: Sequence[Piece]) -> Iterator[tuple[str, str]]:
    """The examples of docstrings, but for those that an assert contradicts, and what comments tell."""
    sources = (case.failure.source, *(c.source for c in case.notebook.cells if c.kind == "code"))
    asserted = collect_asserted_results(sources)
    examples = list_doctests(p.text for p in pieces if p.mutable)
    yield from (e for e in examples if not is_contradicted(*e, asserted))
    yield from list_told_results(case, _list_changeable(pieces))


def _list_changeable(pieces: Iterable[Piece]) -> set[str]:
    return {find_name(p) for p in pieces if p.mutable and p.role == "define"}


def _list_callers(case: Case, pieces: Iterable[Piece]) -> Iterator[tuple[str, str]]:
    """The cells above that call a definition which may be changed, and can be run again."""
    names = _list_changeable(pieces)
    for cell in choose_callers(case.notebook.list_code_before(case.failure.cell_id)) if names else ():
        if calls_any(cell, names):
            yield cell.source, "".join(o.text for o in cell.outputs if o.name == "stdout")


def _is_plain(cell: Cell, piece: Piece) -> bool:
    return piece.text == src.mask(cell.source)[piece.start : piece.end] or "%" not in piece.text


def _cut_pieces(cell_id: str, source: str) -> Iterator[tuple[Piece, ast.stmt]]:
    """The statements of a cell with their places in it (a magic line is none)."""
    plain, masked = source.splitlines(), src.mask(source).splitlines()
    for s in src.list_statements(source):
        start = (
            src.find_offset(source, s.first, 0)
            if getattr(s.node, "decorator_list", None)
            else src.find_offset(source, s.node.lineno, s.node.col_offset)
        )
        end = src.find_offset(source, s.node.end_lineno or s.last, s.node.end_col_offset or 0)
        text = source[start:end]
        first, last = s.first - 1, s.last
        if masked[first:last] == plain[first:last]:
            yield Piece(cell_id, start, end, text, ""), s.node


def _list_uses(pieces: Iterable[Piece]) -> Iterator[frozenset[str]]:
    return (src.find_names(p.text).uses for p in pieces)


def _list_absent(case: Case, again: tuple[Cell, ...], copied: tuple[str, ...]) -> tuple[str, ...]:
    """What the first cell that is run again could not read yet, though the state has it: a change that reads it works
    once and never again."""
    above = case.notebook.list_code_before(case.failure.cell_id)
    later = above[above.index(again[0]) :] if again else ()
    return tuple(sorted(set().union(*(src.find_names(c.source).binds for c in later)) - set(copied)))


def _list_replayed(case: Case, cells: Iterable[Cell], known: set[str]) -> Iterator[Piece]:
    """The statements of the cells that are run again, but for definitions and imports, which the state has."""
    modules = map_modules(case.notebook.list_code_before(case.failure.cell_id))
    for cell in cells:
        for piece, node in _cut_pieces(cell.id, cell.source):
            if not isinstance(node, DEFINITIONS | ast.Import | ast.ImportFrom):
                query = bool(src.collect_names([node]).uses & known)
                yield Piece(cell.id, piece.start, piece.end, piece.text, "replay", is_code(node, modules), query=query)


def _list_own(case: Case, known: set[str], tests: set[str], replayed: frozenset[str]) -> Iterator[Piece]:
    """The failing cell's own statements: its checks apart from what may be changed."""
    pieces = list(_cut_pieces(case.failure.cell_id, case.failure.source))
    made = list_made_for_checks([node for _, node in pieces], known)
    for piece, node in pieces:
        role, mutable, query, is_test = "cell", True, False, False
        called = {n.func.id for n in ast.walk(node) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
        if isinstance(node, DEFINITIONS):
            is_test = node.name in tests
            mutable = not (is_test or _is_test_class(node))
        elif has_assert(node) or (isinstance(node, ast.Expr) and called & tests):
            role, mutable = "check", False
        elif isinstance(node, ast.Import | ast.ImportFrom):
            mutable = False
        else:
            uses = src.collect_names([node]).uses
            query = bool(called & known or uses & made or (isinstance(node, ast.Expr) and uses & replayed))
        yield Piece(piece.cell_id, piece.start, piece.end, piece.text, role, mutable, is_test, query)


def _is_test_class(node: ast.AST) -> bool:
    """``class TestArea(unittest.TestCase)``, which says what is right."""
    return isinstance(node, ast.ClassDef) and any(ast.unparse(base).endswith("TestCase") for base in node.bases)


def _list_below(case: Case, tests: set[str]) -> Iterator[Piece]:
    """Asserts of the cells below that need nothing but what is there after the failing cell, and their test functions."""
    there = set(src.BUILTINS).union(
        *(src.find_names(c.source).binds for c in case.notebook.list_code_before(case.failure.cell_id))
    )
    made = src.find_names(case.failure.source)
    there |= made.binds
    related = _list_related(case)
    count, rebound = 0, set[str]()
    for cell in case.notebook.list_code_after(case.failure.cell_id):
        if cell.skip or cell.expensive or src.is_foreign(cell.source) or "raises-exception" in cell.tags:
            continue
        for piece, node in _cut_pieces(cell.id, cell.source):
            names = src.collect_names([node])
            is_test = isinstance(node, ast.FunctionDef) and node.name in tests
            asks = (isinstance(node, ast.Assert | ast.For) and has_assert(node)) or (
                isinstance(node, ast.Expr) and (has_assert(node) or bool(names.uses & tests))
            )
            if (
                (is_test or (asks and names.uses & related))
                and names.uses <= there
                and not names.uses & rebound
                and count < BELOW
            ):
                count += 1
                yield Piece("", piece.start, piece.end, piece.text, "define" if is_test else "check", False, is_test)
                there |= names.binds
            else:
                rebound |= names.binds | names.changes


def _list_related(case: Case) -> set[str]:
    """Names of the failing cell, and what the cells above make them of: an assert of nothing but others holds, or fails, whatever is mended here."""
    above = [c.source for c in case.notebook.list_code_before(case.failure.cell_id)]
    made = src.find_names(case.failure.source)
    twice = [*above, *above]  # a function may call one that is defined below it
    needed = [src.find_names(twice[n]) for n in src.find_backward_slice(twice, made.binds | made.uses | made.changes)]
    outside = src.BUILTINS.union(*(src.find_names(text).imports for text in above))
    return set(made.changes).union(*(names.binds | names.uses for names in (made, *needed))) - outside


def find_name(piece: Piece) -> str:
    """The name of the function or class that a piece defines; empty where it is neither."""
    tree = src.parse(piece.text)
    return getattr(tree.body[0], "name", "") if tree and tree.body else ""


def _list_copied(pieces: Iterable[Piece]) -> tuple[str, ...]:
    """Names of the state that the program reads: what they hold may be changed in place."""
    bound: set[str] = set()
    read: set[str] = set()
    for piece in pieces:
        names = src.find_names(piece.text)
        read |= (names.uses | names.changes) - bound
        if piece.role != "define":
            bound |= names.binds
        else:
            bound.add(find_name(piece))
    return tuple(sorted(read))


def _list_own_builtins(case: Case, pieces: Iterable[Piece]) -> set[str]:
    """Builtins that the program reads and of which a cell above has made its own: an ``input`` that hands out lines has none left for the second
    candidate where it is not copied."""
    above = case.notebook.list_code_before(case.failure.cell_id)
    own = set[str]().union(*(src.find_names(c.source).binds for c in above)) & set(dir(builtins))
    trees = [tree for p in pieces if own and (tree := src.parse(p.text))]
    return {n.id for tree in trees for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id in own}


def _list_own_attributes(case: Case) -> set[str]:
    """What the classes of the cells above give their instances: ``self.price = price``, and the fields of a data class."""
    above = (tree for c in case.notebook.list_code_before(case.failure.cell_id) if (tree := src.parse(c.source)))
    classes = [node for tree in above for node in tree.body if isinstance(node, ast.ClassDef)]
    nodes = [n for c in classes for n in ast.walk(c)]
    given = {n.attr for n in nodes if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)}
    return given | {
        t.target.id for c in classes for t in c.body if isinstance(t, ast.AnnAssign) and isinstance(t.target, ast.Name)
    }


def _collect_hints(case: Case, pieces: tuple[Piece, ...]) -> dict[str, JSON]:
    """Names, attributes and functions of the notebook that a repair may need."""
    attributes: set[str] = set()
    for piece in pieces:
        tree = src.parse(piece.text)
        for node in ast.walk(tree) if tree else ():
            if isinstance(node, ast.Attribute):
                attributes.add(node.attr)
    fields = _list_own_attributes(case) - attributes if case.failure.ename == "AttributeError" else set()
    defined = [find_name(p) for p in pieces if p.role in ("define", "cell") and not p.tests]
    names = {n for p in pieces if p.mutable for n in src.find_names(p.text).uses} - set(defined)
    above: dict[str, None] = {}
    beside: set[str] = set()
    modules: set[str] = set()
    functions: set[str] = set()
    for cell in reversed(case.notebook.list_code_before(case.failure.cell_id)):
        tree = src.parse(cell.source)
        modules |= src.find_names(cell.source).imports
        functions |= {
            n.name for n in (tree.body if tree else ()) if isinstance(n, ast.FunctionDef) and not has_assert(n)
        }
        for node in tree.body if tree else ():
            if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
                bound = src.collect_names([node]).binds
                above |= dict.fromkeys(sorted(bound))
                beside |= bound if bound & names else frozenset()
    of_classes, extended = find_class_reads(
        tree for cell in case.notebook.cells if cell.kind == "code" and (tree := src.parse(cell.source))
    )
    return {
        "attributes": sorted(attributes | fields),
        "beside": sorted(beside),
        "callables": sorted({*filter(None, defined), *functions}),
        "extended": sorted(extended),
        "fields": sorted(fields),
        "made": list_made(case),
        "modules": sorted(modules),
        "names": sorted(names),
        "nearby": [n for n in above if n not in defined][:NEARBY],
        "of_classes": sorted(of_classes),
        "signatures": _list_signatures(case),
    }


def _list_signatures(case: Case) -> list[list[JSON]]:
    """The name and the parameters of each function that the failing cell and those above define, of tests apart."""
    signatures: dict[str, list[str]] = {}
    sources = [*(cell.source for cell in case.notebook.list_code_before(case.failure.cell_id)), case.failure.source]
    for statement in (s for source in sources for s in src.list_statements(source)):
        parameters = read_parameters(statement.node)
        if isinstance(statement.node, ast.FunctionDef) and parameters is not None and not has_assert(statement.node):
            signatures[statement.node.name] = parameters
    return [[name, list(parameters)] for name, parameters in sorted(signatures.items())]
