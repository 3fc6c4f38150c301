"""What else must change in one reading of a cell: texts aligned with the expected output, values and names, then single changes, best first."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from jupyter_selfheal.inside.positions import Edit, splice
from jupyter_selfheal.inside.search.align_texts import FIRST, Part, find_text_edits, mark_texts
from jupyter_selfheal.inside.search.cpu_time import read_cpu_time
from jupyter_selfheal.inside.search.endless_loops import has_fixed_loop
from jupyter_selfheal.inside.search.extra_lines import drop_emptied_texts
from jupyter_selfheal.inside.search.meant_changes import NEEDED, describe_guess, is_meant, writes_datum
from jupyter_selfheal.inside.search.printed_likeness import count_equal_branches, has_same_numbers, measure_likeness
from jupyter_selfheal.inside.search.program import FILE, compile_unit
from jupyter_selfheal.inside.search.propose_mutations import rank_changes
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.search.run_result import OK, TIME
from jupyter_selfheal.inside.search.scope import Change, Kind, Scope
from jupyter_selfheal.inside.search.source_text import drop_idle_parentheses
from jupyter_selfheal.inside.search.unrun_statements import (
    changes_unrun_lines,
    find_unrun_lines,
    has_unrun_statements,
    trace_lines,
)
from jupyter_selfheal.inside.search.value_changes import list_value_changes
from jupyter_selfheal.inside.self_comparisons import adds_self_comparison, read_self_comparisons

STEPS, ENDLESS_STEPS = 2_000_000, 4_000
"""Steps of one run: a reading that loops is cut there. And those of one with a loop that changes nothing of what it asks for: in 100,000 of them numbers
come to be so long that each run takes a tenth of a second."""
MUTATIONS = 150
"""Single changes that are tried on a reading."""
RIVALS = 3
"""Passing sources after which no more of them are tried."""
DATUM = 0.8
"""What it costs more where a change writes another value down: ``n = 4`` as ``n = 5``."""
NEARER = 0.03
"""How much more of the output each change must bring for single changes to be tried on top of it, and not on the reading itself."""
BEAM, DEPTH, WIDTH = 5, 3, 40
"""States that are kept after each change, changes on top of each other, and changes tried of one state."""
MUCH = 0.2
"""How much of the output changes must have brought for single changes to be tried on top of them, though the reading ran without them."""
FURTHER = 0.15
"""How much of the output it is worth to raise in the last line and not in the first: each slip that is mended brings the run further."""
GAINING, DEEP_BEAM, DEEPEST = 0.05, 2, 5
"""How much of the output each change must have brought for others to be made on top of ``DEPTH`` of them, in how many states, and up to how many."""
CHANGE, TEXT, LETTER = 1.2, 0.5, 0.05
"""What a further change costs beside a slip of the pen, what aligned texts cost, and each of their letters."""
UNSEEN = "a text that did not come out may have the same slip"
REWORDED = "what is expected has other words than the cell, and may be meant for another result"
FEW_LINES = "whoever got the text wrong may have got more wrong than so few printed lines show"
TELLING = 4
"""Lines of expected output from which texts that were aligned with it are not doubted: on the 107 development programs of PyDex nine
of thirteen such readings without another doubt were right, and eighteen of twenty-two whose texts were right as they stood."""


@dataclass(frozen=True, slots=True)
class Node:
    """A source, what its changes cost, and what they say."""

    source: str
    cost: float
    words: tuple[str, ...]
    likeness: float = 0.0
    kinds: tuple[Kind, ...] = ()
    """Of the changes that made it of a reading."""
    failed: bool = False
    """Whether it raises an error."""
    lost: tuple[str, int] | None = None
    """The name that was not found when it ran, and the line that reads it."""
    rival: str = ""
    """What may be meant as well: something was changed for no other reason than that the output is right with it."""


class Explorer:
    """Runs sources in place of one unit of a program."""

    def __init__(self, runner: Runner, unit: int, known: frozenset[str]) -> None:
        self.runner, self.unit, self.known = runner, unit, known
        self.expected = runner.program.stdout
        self.aligns = bool(self.expected) and not re.fullmatch(r"(?s)/.+/", self.expected)
        if self.aligns:
            runner.bound_output()
        self.tried, self.steps = 0, STEPS
        self.ends_at = math.inf
        """What :func:`read_cpu_time` says when nothing further is to be tried."""
        self.met: set[str] = set()
        self.called: tuple[Callable[[str], Sequence[str]], ...] = ()
        self.best = self.furthest = Node("", 0.0, ())
        """What the last reading that was explored came to, where nothing passed: by changes that it mostly fails without, and by any."""

    def run(self, source: str, *, counted: bool = True) -> tuple[bool, str, str]:
        """Whether all that can be checked holds, how the run ended, and what was printed."""
        self.tried += 1
        self.runner.notes_lines = True
        try:
            program = self.runner.program
            code = compile_unit(program, self.unit, source, counted=counted, is_asked=bool(program.expect))
        except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
            return False, "syntax", ""
        steps = min(self.steps, ENDLESS_STEPS) if "while" in source and has_fixed_loop(source) else self.steps
        result = self.runner.run({self.unit: code}, steps)
        return result.plausible, result.status, self.runner.output_text

    def find_unproven(self, given: str, source: str) -> Literal["", "given", "changed"]:
        """What of a source does not run: nothing (empty), what is as it was ``"given"``, or what was ``"changed"`` and may be read otherwise, too."""
        # the counter's call shares its line with a function's first statement, which would seem to have run
        lines = trace_lines(lambda: self.run(source, counted=False), FILE.format(self.unit))
        if not has_unrun_statements(source, lines):
            return ""
        return "changed" if changes_unrun_lines(given, source, lines) else "given"

    def try_node(self, node: Node) -> tuple[Node | None, Node | None]:
        """(the source that passes, with its texts aligned where that is needed; the node with what it came to)."""
        if node.source in self.met:
            return None, None
        self.met.add(node.source)
        passes, status, printed = self.run(node.source)
        reach = FURTHER * self.runner.raised_at / (node.source.count("\n") + 1)
        likeness = measure_likeness(printed, self.expected) - (status != OK) * 0.3 + reach
        lost = self.runner.lost
        if passes:
            return node, node
        if self.aligns and status == OK and has_same_numbers(printed, self.expected):
            aligned = self.align_texts(node)
            if aligned is not None:
                return aligned, node
        return None, replace(node, likeness=likeness, failed=status not in (OK, TIME), lost=lost)

    def align_texts(self, node: Node) -> Node | None:
        """The source with other texts, with which it passes; None where that is not all that is wrong."""
        marked = mark_texts(node.source)
        if marked is None:
            return None
        _, status, printed = self.run(marked.source)
        edits = find_text_edits(marked.parts, printed, self.expected) if status == OK else None
        if edits is None:
            return None
        source = drop_emptied_texts(node.source, splice(node.source, edits.edits))
        if count_equal_branches(source) > count_equal_branches(node.source):
            return None  # the other answer came out: what decides is wrong, and not its text
        passes, _, _ = self.run(source)
        cost = node.cost + TEXT + LETTER * edits.size
        words = (*node.words, "a text differs from the expected output")
        rival = node.rival or (REWORDED if edits.reworded else "")
        rival = rival or (UNSEEN if _has_unseen_texts(marked.parts, printed, edits.edits) else "")
        rival = rival or (FEW_LINES if len(self.expected.strip().split("\n")) < TELLING else "")
        return replace(node, source=source, cost=cost, words=words, rival=rival) if passes else None

    def explore(
        self, start: Node, with_mutations: bool, follow: Callable[[Explorer, Node], Sequence[Node]] = lambda *_: ()
    ) -> list[Node]:
        """Sources that pass, made from one reading; where there are none, from what ``follow`` makes of it, which runs to its end."""
        given = read_self_comparisons(start.source)
        self.note_calls(start.source)
        self.best = self.furthest = replace(start, likeness=-1.0)
        first, passing = self._climb([start], start, given)
        if not passing and not self.is_over and (running := follow(self, start)):
            self.met.difference_update(node.source for node in running)
            _, passing = self._climb(running, start, given)
        if not passing and with_mutations and not self.is_over:
            best = self.best
            if best.words != start.words and self.run(start.source)[1] == OK:
                best = start  # it runs: only one that fails is surely wrong in more than what a single change mends
            gain = self.furthest.likeness - first
            kinds = self.furthest.kinds
            is_nearer = gain >= (NEARER if kinds == ("senseless",) else MUCH)
            more = [self.furthest] if is_nearer and kinds and "words" not in kinds else []
            more = [m for m in more if m.source != best.source]
            children = (child for node in (best, *more) for child in self._list_mutants(node))
            for child in (c for c in children if self._is_new(c, given)):
                done, _ = self.try_node(child)
                passing += [done] if done else []
                if len(passing) >= RIVALS or self.is_over:
                    break
        return passing

    def _climb(self, front: Sequence[Node], start: Node, given: Counter[str]) -> tuple[float, list[Node]]:
        """How much of the output the first source printed, and the sources that pass of those in front and what is made of the nearest of them."""
        first, passing = -1.0, list[Node]()
        for depth in range(DEEPEST + 1):
            nodes: list[Node] = []
            for node in front:
                if nodes and self.is_over:
                    break
                done, after = self.try_node(node)
                passing += [done] if done else []
                nodes += [after] if after and not done else []
            needed = [n for n in nodes if NEEDED.issuperset(n.kinds)]
            self.best = max([self.best, *needed], key=lambda n: n.likeness - NEARER * (len(n.words) - len(start.words)))
            self.furthest = max(
                [self.furthest, *nodes], key=lambda n: n.likeness - NEARER * (len(n.words) - len(start.words))
            )
            if passing or depth == DEEPEST or self.is_over:
                break
            first = nodes[0].likeness if depth == 0 and nodes else first
            nodes = [n for n in nodes if n.likeness >= first + GAINING * depth] if depth >= DEPTH else nodes
            nodes.sort(key=lambda n: -n.likeness + 0.1 * n.cost)
            beam = BEAM if depth < DEPTH else DEEP_BEAM
            children = (child for node in nodes[:beam] for child in self._list_children(node))
            front = [c for c in children if self._is_new(c, given)]
        return first, passing

    @property
    def is_over(self) -> bool:
        """Whether nothing further is to be tried."""
        return read_cpu_time() >= self.ends_at

    def _is_new(self, child: Node, given: Counter[str]) -> bool:
        """Whether a source was not tried yet, asks for no value whether it is itself but for those ``given``, and calls what was called."""
        is_new = child.source not in self.met and not adds_self_comparison(child.source, given)
        return is_new and self.keeps_calls(child.source)

    def note_calls(self, source: str) -> None:
        """Let no change take the last call of a function of the cell away: it was written for something."""
        names = re.findall(r"^def (\w+)\(", source, re.MULTILINE)
        finds = [re.compile(rf"\b{name}\b").findall for name in names]
        self.called = tuple(find for find in finds if len(find(source)) > 1)

    def keeps_calls(self, source: str) -> bool:
        """Whether a source names each of these functions beside its head."""
        return all(len(find(source)) > 1 for find in self.called)

    def list_run_changes(self, source: str, changes: Iterable[Change]) -> list[Change]:
        """Those of the changes of which a part has run, or that add a line: the others leave the run as it was."""
        unrun = find_unrun_lines(source, trace_lines(lambda: self.run(source), FILE.format(self.unit)))
        return [
            c
            for c in changes
            if any(new.startswith("\n") or source.count("\n", 0, start) + 1 not in unrun for start, _, new in c.edits)
        ]

    def _list_children(self, node: Node) -> Iterator[Node]:
        changes = list_value_changes(node.source, self.expected, self.known, node.lost)
        for change in self.list_run_changes(node.source, changes)[:WIDTH]:
            yield self.change_node(node, change)

    def change_node(self, node: Node, change: Change) -> Node:
        """A source with a change, and what speaks against that."""
        cost = node.cost + CHANGE - math.log(max(change.prior, 0.05)) * 0.3
        meant = is_meant(change, node.failed, partial(self._fails, node.source))
        rival = node.rival if meant else describe_guess(change.words)
        words, kinds = (*node.words, change.words), (*node.kinds, change.kind)
        return Node(splice(node.source, change.edits), cost, words, kinds=kinds, rival=rival)

    def _fails(self, source: str, edits: Sequence[Edit]) -> bool:
        return self.run(splice(source, edits))[1] not in (OK, TIME)

    def _list_mutants(self, node: Node) -> Iterator[Node]:
        weights = {change: weight for weight, change in rank_changes(Scope(node.source), {})}
        for change in self.list_run_changes(node.source, weights)[:MUTATIONS]:
            weight = weights[change]
            cost = node.cost + CHANGE + 0.6 - math.log(max(weight, 0.001)) * 0.2
            cost += DATUM * writes_datum(node.source, change)
            edits = drop_idle_parentheses(node.source, change.edits)
            words = (*node.words, change.words)
            yield Node(splice(node.source, edits), cost, words, rival=describe_guess(change.words))


def _has_unseen_texts(parts: Sequence[Part], printed: str, edits: Sequence[Edit]) -> bool:
    """True where a text with letters did not come out, and is left as it was while another was changed."""
    seen, changed = {ord(c) - FIRST for c in printed}, {start for start, _, _ in edits}
    return any(
        n not in seen and p.start not in changed and not p.keyword and any(map(str.isalpha, p.value))
        for n, p in enumerate(parts)
    )
