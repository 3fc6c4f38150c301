"""Several changes in one reading of a cell that did not parse, each of which brings more of the expected output: where no reading passes, nor one with
a single change.

Each state is a source; what is tried of it is all that readings are changed by and all single changes of the search. What prints the same is one
state, the cheapest. The output says how near a state comes: its letters, its words and its lines. All that is found so is a guess, and no value
is written down that the reading has not: only what is reckoned with, counted to or asked for may be another number.
"""

from __future__ import annotations

import ast
import difflib
import heapq
import itertools
import math
import re
import warnings
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from jupyter_selfheal.inside.positions import splice
from jupyter_selfheal.inside.search.confined_forks import run_in_fork
from jupyter_selfheal.inside.search.cpu_time import read_cpu_time
from jupyter_selfheal.inside.search.explore_reading import CHANGE, DATUM, Explorer, Node
from jupyter_selfheal.inside.search.left_out_signs import list_touching_texts
from jupyter_selfheal.inside.search.meant_changes import describe_guess, writes_datum
from jupyter_selfheal.inside.search.printed_likeness import has_same_numbers, measure_likeness
from jupyter_selfheal.inside.search.program import read_program
from jupyter_selfheal.inside.search.propose_mutations import rank_changes
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.search.run_result import OK, TIME
from jupyter_selfheal.inside.search.scope import Scope
from jupyter_selfheal.inside.search.source_text import drop_idle_parentheses
from jupyter_selfheal.inside.search.try_readings import STUCK
from jupyter_selfheal.inside.search.value_changes import list_value_changes
from jupyter_selfheal.inside.self_comparisons import adds_self_comparison, read_self_comparisons

WAIT = 60.0
"""Seconds on the clock."""
STEPS = 20_000
"""Steps of one run at least, where none came to its end."""
BEAM, DEPTH = 5, 4
"""States that are gone on from, and changes on top of each other."""
VALUES, MUTANTS, FIRST_MUTANTS = 40, 120, 300
"""Changes of either kind that are tried of one state, and single changes of those that it begins with."""
GAIN = 0.01
"""How much nearer each change must come to the output."""
LETTERS, WORDS = 0.3, 0.4
"""What the letters and the words count of how near an output comes; the lines that are as expected count the rest."""
FAILED, FURTHER = 0.2, 0.15
"""What an error counts, and how much of that it is worth to come to the last line before it."""
COSTLY = 0.03
"""How much nearer a state must come to be worth what it costs more than another one."""
SURE, MENDED = 0.7, 0.7
"""How likely a change of what is read and printed must be to be what the error asks for, where the run comes further with it, and what it costs
less then: who mends one error after the other guesses nothing."""
ENOUGH = 3
SHOWS = frozenset({"print", "str", "repr", "format", "int", "float"})
"""Functions that give what they are given, or show it."""
_WORD = re.compile(r"\w+|[^\w\s]")


def measure_closeness(printed: str, expected: str) -> float:
    """How near an output comes to what is expected, 0 to 1: by its letters, its words and its lines."""
    lines = [[line.rstrip() for line in text[:4000].strip().split("\n")] for text in (printed, expected)]
    words = [_WORD.findall(text[:2000]) for text in (printed, expected)]
    same_words, same_lines = (
        difflib.SequenceMatcher(None, one, other, autojunk=False).ratio() for one, other in (words, lines)
    )
    letters = measure_likeness(printed, expected)
    return LETTERS * letters + WORDS * same_words + (1 - LETTERS - WORDS) * same_lines


def list_literals(source: str) -> set[str]:
    """The numbers and texts of a source, and the parts of a text that is written in several."""
    values = {repr(n.value) for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Constant)}
    return values | {repr(text) for text in list_touching_texts(source)}


def writes_answer(source: str, given: Collection[str]) -> bool:
    """Whether a source writes a value down that is not ``given``: ``print(12)``, ``n = 7``, ``[9]``, a text with letters or digits. A number that
    something else is reckoned, compared or called with is none, nor one that a sum begins with."""
    tree = ast.parse(source)
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in parents:
        if not isinstance(node, ast.Constant) or repr(node.value) in given or node.value is None:
            continue
        value, parent = node.value, parents[node]
        if isinstance(value, str):
            if any(map(str.isalnum, value)):
                return True
            continue
        while isinstance(parent, ast.UnaryOp):
            parent = parents[parent]
        if isinstance(parent, ast.BinOp):
            told = all(isinstance(side, ast.Constant) for side in (parent.left, parent.right))
        elif isinstance(parent, ast.Call):
            told = isinstance(parent.func, ast.Name) and parent.func.id in SHOWS
        elif isinstance(parent, ast.Assign):
            told = value not in (0, 1)
        else:
            told = not isinstance(parent, ast.Compare | ast.Subscript | ast.Slice | ast.AugAssign)
        if told:
            return True
    return False


class Deepener:
    """Goes on from some readings, best first. ``given`` are the values that the readings hold: no other one is written down."""

    def __init__(self, explorer: Explorer, given: Collection[str]) -> None:
        self.explorer, self.given = explorer, given
        self.outputs: dict[tuple[str, str, int, tuple[str, int] | None], float] = {}
        self.found: list[Node] = []
        self.begun: list[tuple[str, ...]] = []
        self.reads = False

    def run(self, starts: list[Node]) -> list[Node]:
        """The sources that pass, the cheapest first."""
        self.begun = [node.words for node in starts]
        self.reads = any("input" in node.source for node in starts)
        states = [state for node in starts if (state := self._try(node, -1.0)) is not None]
        for depth in range(DEPTH):
            states = heapq.nlargest(BEAM, states, key=lambda s: s[0] - COSTLY * s[1].cost)
            following: list[tuple[float, Node]] = []
            for closeness, node in states:
                for child in self._list_children(node, FIRST_MUTANTS if depth == 0 else MUTANTS):
                    if self.explorer.is_over or len(self.found) >= ENOUGH:
                        return self._sort_found()
                    if (state := self._try(child, closeness, node.lost)) is not None:
                        following.append(state)
            if self.found:
                break
            states = following
        return self._sort_found()

    def _sort_found(self) -> list[Node]:
        """The cheapest one of each reading first: two that change the same reading are nearly one."""
        groups: dict[tuple[str, ...], int] = {}
        ranked: list[tuple[int, float, int]] = []
        for n, node in sorted(enumerate(self.found), key=lambda pair: pair[1].cost):
            own = max((words for words in self.begun if node.words[: len(words)] == words), key=len, default=())
            groups[own] = groups.get(own, -1) + 1
            ranked.append((groups[own], node.cost, n))
        return [self.found[n] for _, _, n in sorted(ranked)]

    def _try(self, node: Node, least: float, before: tuple[str, int] | None = None) -> tuple[float, Node] | None:
        """How near a source comes, where that is nearer than ``least`` and nothing as cheap prints the same; one that finds the name which was not
        found ``before`` comes nearer, whatever fails next."""
        explorer = self.explorer
        if node.source in explorer.met or (self.reads and "input" not in node.source):
            return None  # what does not read what it is given says the same whatever that is
        explorer.met.add(node.source)
        passes, status, printed = explorer.run(node.source)
        if passes:
            if not writes_answer(node.source, self.given):
                self.found.append(node)
            return None
        raised = explorer.runner.raised_at if status not in (OK, TIME) else 0
        lost = explorer.runner.lost
        key = (printed, status, raised, lost)
        if self.outputs.get(key, math.inf) <= node.cost:
            return None
        closeness = measure_closeness(printed, explorer.expected)
        if status != OK:
            closeness -= FAILED - FURTHER * raised / (node.source.count("\n") + 1)
        closer = 0.0 if before is not None and lost != before else GAIN
        if closeness < least + closer or writes_answer(node.source, self.given):
            return None
        self.outputs[key] = node.cost
        if status == OK and has_same_numbers(printed, explorer.expected) and (done := explorer.align_texts(node)):
            self.found.append(done)
            return None
        return closeness, replace(node, failed=status not in (OK, TIME), lost=lost)

    def _list_children(self, node: Node, most: int) -> Iterator[Node]:
        source, explorer = node.source, self.explorer
        changes = [(c.prior, c) for c in list_value_changes(source, explorer.expected, explorer.known, node.lost)]
        mutants = rank_changes(Scope(source), {})
        kept = set(explorer.list_run_changes(source, [c for _, c in (*changes, *mutants)]))
        given, likely = read_self_comparisons(source), {c for _, c in changes}
        chosen = [
            *itertools.islice((p for p in changes if p[1] in kept), VALUES),
            *itertools.islice((p for p in mutants if p[1] in kept), most),
        ]
        for weight, change in sorted(chosen, key=lambda p: -p[0]):
            new = splice(source, drop_idle_parentheses(source, change.edits))
            if new in explorer.met or adds_self_comparison(new, given):
                continue
            cost = node.cost + CHANGE - math.log(max(weight, 0.01)) * 0.3 + DATUM * writes_datum(source, change)
            cost -= MENDED * (node.failed and change in likely and weight >= SURE)
            words, kinds = (*node.words, change.words), (*node.kinds, change.kind)
            yield Node(new, cost, words, kinds=kinds, rival=node.rival or describe_guess(change.words))


def probe(shell: Any, last: Any, argument: Mapping[str, Any]) -> dict[str, Any]:
    """Sources that pass, made of the ``starts`` of ``argument`` in so many CPU seconds (``cpu``)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        began, most = read_cpu_time(), float(argument["cpu"])
        program = read_program(argument["program"])
        explorer = Explorer(Runner(program, shell.user_ns), argument["unit"], frozenset(argument["known"]))
        explorer.steps = max(int(argument["steps"]), STEPS)
        starts = [
            Node(r["text"], float(r["cost"]), tuple(r["words"]), rival=r.get("rival", "")) for r in argument["starts"]
        ]

        given = set[str]().union(*map(list_literals, argument["given"]))

        def work() -> dict[str, Any]:
            explorer.ends_at = read_cpu_time() + most
            found = Deepener(explorer, given).run(starts)
            said = [{"text": n.source, "cost": n.cost, "words": list(n.words), "rival": n.rival} for n in found]
            return {"passing": said, "tried": explorer.tried}

        reply = run_in_fork(work, WAIT, cpu=most + STUCK)
        reply = reply if isinstance(reply, dict) else {"passing": [], "tried": 0}
        return {**reply, "cpu": read_cpu_time() - began}
