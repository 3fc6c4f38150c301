"""The search itself: states of a source, the likeliest edits first, until enough ways to make it parse are known.

A state costs what its edits cost. One that does not parse yet needs at least one edit more, and more is added where the parser now
stops earlier than before: the order is that of A*, with the number of slips left as the estimate. The work is counted in compiled
sources and in their characters, not in seconds, so that the same cell is read the same way on any machine.
"""

from __future__ import annotations

import ast
import heapq
import itertools
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context.syntax import Fault, find_fault
from jupyter_selfheal.healers.syntax import line_edits, token_edits, wrapping
from jupyter_selfheal.healers.syntax.site import Site, Slip, find_site
from jupyter_selfheal.healers.syntax.slips import find_cost
from jupyter_selfheal.healers.syntax.tokens import TEXT, find_position, split_tokens

COMPILES = 20_000
CHARACTERS = 12_000_000
"""What is compiled at most: sources, and their characters together."""
READINGS = 48
"""Ways to make a cell parse that are kept."""
MARGIN = 2.6
"""How much more than the cheapest reading another one may cost."""
DEEPEST = 9
"""Edits of one reading."""
LONGEST = 20_000
"""Characters of a cell that is searched."""
_IPYTHON = re.compile(r"^\s*(?:%|!|\?)|\?\s*$|=\s*[%!]", re.MULTILINE)

PROPOSERS: tuple[Callable[[Site], Iterator[Slip]], ...] = (
    line_edits.strip_prompts,
    line_edits.comment_prose,
    line_edits.drop_lines,
    line_edits.mend_bodies,
    line_edits.indent_lines,
    line_edits.move_branches,
    token_edits.join_tokens,
    token_edits.insert_tokens,
    wrapping.fill_gaps,
    wrapping.replace_foreign_signs,
    token_edits.replace_tokens,
    token_edits.rename_numbers,
    token_edits.delete_tokens,
    token_edits.swap_tokens,
    wrapping.empty_calls,
    wrapping.move_conditions,
    wrapping.move_brackets,
    wrapping.wrap_calls,
    wrapping.quote_words,
    wrapping.mend_quotes,
)


@dataclass(frozen=True, slots=True)
class Reading:
    """A source that parses, what its edits cost, and what they say was wrong."""

    source: str
    cost: float
    words: tuple[str, ...]
    guessed: bool = False
    """It has a value that was missing, and that nobody knows."""


@dataclass(frozen=True, slots=True)
class _State:
    source: str
    fault: Fault
    cost: float
    words: tuple[str, ...]
    seen: frozenset[tuple[str, int]]
    guessed: bool = False


class Parser:
    """Compiles sources, within a limit."""

    def __init__(self, source: str) -> None:
        self.compiles = self.characters = 0
        self.masks = _IPYTHON.search(source) is not None

    @property
    def has_work_left(self) -> bool:
        """Whether it may compile more."""
        return self.compiles < COMPILES and self.characters < CHARACTERS

    def find_fault(self, source: str) -> Fault | None:
        """The first fault of a source; None where it parses."""
        self.compiles += 1
        self.characters += len(source) + 200
        if self.masks:
            return find_fault(source)
        try:
            compile(source, "<cell>", "exec", _FLAGS, dont_inherit=True)
        except SyntaxError as error:
            # a line of `;` alone would be taken for IPython's by the mask, where the cell has nothing of IPython's
            return find_fault(source) or Fault(
                error.msg or "", error.lineno or 1, max((error.offset or 1) - 1, 0), error.lineno or 1, 0
            )
        except (ValueError, RecursionError, MemoryError, OverflowError):
            return Fault("it cannot be read", 1, 0, 1, 0)
        return find_fault(source)  # `break` outside of a loop and the like are found later than by parsing


_FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST


def find_readings(source: str, known: frozenset[str] = frozenset()) -> tuple[Reading, ...]:
    """Ways to make a source parse, the likeliest first; ``known`` are the names that the notebook has. Empty where it parses."""
    fault = find_fault(source) if len(source) <= LONGEST and not src.is_foreign(source) else None
    if fault is None:
        return ()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        readings = list(_search_readings(source, fault, known))
    return tuple(sorted(readings, key=lambda r: r.cost))


def _search_readings(source: str, fault: Fault, known: frozenset[str]) -> Iterator[Reading]:
    parser, order = Parser(source), itertools.count()
    heap = [(0.0, next(order), _State(source, fault, 0.0, (), frozenset()))]
    met, count, most = {source}, 0, float("inf")
    programs: set[str] = set()
    base = count_doubts(source, known)
    while heap and parser.has_work_left and count < READINGS:
        priority, _, state = heapq.heappop(heap)
        if priority > most + MARGIN:
            return
        for slip in _list_slips(state, known):
            if _is_undone(slip, state):
                continue
            again = find_cost("again") if slip.words in state.words else 1.0
            cost = state.cost + slip.cost * again
            new = slip.apply(state.source)
            if cost > most + MARGIN or new in met or not parser.has_work_left:
                continue
            met.add(new)
            after = parser.find_fault(new)
            if after is None:
                cost += max(0.0, count_doubts(new, known) - base)
                reading = Reading(new, cost, (*state.words, slip.words), state.guessed or slip.guessed)
                program = src.canonicalise(new)
                if program not in programs:
                    programs.add(program)
                    most = min(most, reading.cost)
                    count += 1
                    yield reading
            elif len(state.words) + 1 < DEEPEST:
                ahead = _estimate_rest(state, new, after)
                if ahead is not None:
                    seen = state.seen | {(state.fault.message, len(state.source) - _find_at(state.source, state.fault))}
                    child = _State(new, after, cost, (*state.words, slip.words), seen, state.guessed or slip.guessed)
                    heapq.heappush(heap, (cost + ahead, next(order), child))


def _is_undone(slip: Slip, state: _State) -> bool:
    """True where an earlier edit put in what this one takes out, or the reverse: together they are no slip."""
    missing, surplus = " is missing", " is too much"
    if slip.words.endswith(missing):
        return slip.words.removesuffix(missing) + surplus in state.words
    return slip.words.endswith(surplus) and slip.words.removesuffix(surplus) + missing in state.words


def _list_slips(state: _State, known: frozenset[str]) -> list[Slip]:
    site = find_site(state.source, state.fault, known)
    slips = [slip for propose in PROPOSERS for slip in propose(site)]
    return sorted(slips, key=lambda s: s.cost)


def _find_at(source: str, fault: Fault) -> int:
    return find_position(source, fault.line, fault.column)


def _estimate_rest(state: _State, new: str, after: Fault) -> float | None:
    """What is still to come at the least; None where nothing was gained."""
    before_left = len(state.source) - _find_at(state.source, state.fault)
    left = len(new) - _find_at(new, after)
    closed = "unterminated" in state.fault.message and "never closed" in after.message
    if (
        left < before_left or closed
    ):  # a bracket that is never closed is named where it opens, though all was read to the end
        return find_cost("further_fault")
    if (after.message, left) in state.seen or (after.message == state.fault.message and left == before_left):
        return None
    return find_cost("further_fault") + find_cost("no_progress")


def count_doubts(source: str, known: frozenset[str]) -> float:
    """What speaks against a reading: CPython's own warnings, names that nothing binds, statements that do nothing."""
    masked = src.mask(source)
    doubts = 0.0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            compile(masked, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return 0.0
    doubts += find_cost("doubt.warning") * len(caught)
    tree = ast.parse("") if (parsed := src.parse(source)) is None else parsed
    doubts += find_cost("doubt.unknown_name") * len(_list_unknown_names(tree, known))
    doubts += find_cost("doubt.no_effect") * sum(_has_no_effect(n, source) for n in ast.walk(tree))
    doubts += find_cost("doubt.touching_texts") * _count_touching_texts(source)
    return doubts


def _count_touching_texts(source: str) -> int:
    """Texts that begin where another one ends: ``'is same as''.C'``. A quote was put in the wrong place."""
    texts = [t for t in split_tokens(source) if t.kind == TEXT]
    return sum(a.end == b.start for a, b in itertools.pairwise(texts))


def _list_unknown_names(tree: ast.Module, known: frozenset[str]) -> set[str]:
    bound = set(known) | token_edits.BUILTINS
    read: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (read if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            bound.add(node.name)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.ExceptHandler) and node.name:
            bound.add(node.name)
    return read - bound


def _has_no_effect(node: ast.AST, source: str) -> bool:
    if isinstance(node, ast.AnnAssign) and node.value is None:
        return not isinstance(node.annotation, ast.Name | ast.Attribute | ast.Subscript | ast.BinOp)
    if not isinstance(node, ast.Expr):
        return False
    value = node.value
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        return not (ast.get_source_segment(source, value) or "").endswith(('"""', "'''"))
    return not isinstance(value, ast.Call | ast.Await | ast.Yield | ast.YieldFrom) and not (
        isinstance(value, ast.Constant) and value.value is ...
    )
