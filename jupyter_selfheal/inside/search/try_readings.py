"""Readings of a cell that did not parse, each run in the live namespace against the oracle; and what else must change in one of them.

A reading that runs and prints something else is rarely the only slip: texts are aligned with the expected output, and small changes
of what is read and printed are combined with that, best first by how much of the expected output came out. Every group of runs is in
a fork of its own, so that one that never comes back costs nothing but itself.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from jupyter_selfheal.inside.positions import Edit, splice
from jupyter_selfheal.inside.search.align_texts import FIRST, Part, find_text_edits, mark_texts
from jupyter_selfheal.inside.search.cpu_time import read_cpu_time
from jupyter_selfheal.inside.search.extra_lines import drop_emptied_texts
from jupyter_selfheal.inside.search.idle_results import list_kept_results, list_used_results
from jupyter_selfheal.inside.search.meant_changes import NEEDED, describe_guess, is_meant, writes_datum
from jupyter_selfheal.inside.search.name_changes import list_sure_names
from jupyter_selfheal.inside.search.printed_likeness import count_equal_branches, has_same_numbers, measure_likeness
from jupyter_selfheal.inside.search.process_pool import run_in_fork
from jupyter_selfheal.inside.search.program import FILE, compile_unit, read_program
from jupyter_selfheal.inside.search.propose_mutations import rank_changes
from jupyter_selfheal.inside.search.repeated_slips import list_choices
from jupyter_selfheal.inside.search.run_candidate import OK, TIME, Runner
from jupyter_selfheal.inside.search.scope import Change, Kind, Scope
from jupyter_selfheal.inside.search.source_text import drop_idle_parentheses
from jupyter_selfheal.inside.search.uneven_texts import find_uneven_cases, find_uneven_texts
from jupyter_selfheal.inside.search.unrun_statements import (
    changes_unrun_lines,
    find_unrun_lines,
    has_unrun_statements,
    trace_lines,
)
from jupyter_selfheal.inside.search.value_changes import list_value_changes
from jupyter_selfheal.inside.self_comparisons import adds_self_comparison, read_self_comparisons

STEPS = 2_000_000
"""Steps of one run: a reading that loops is cut there."""
FIRST_STEPS, LONGER, SPARE = 100_000, 2, 4
"""Steps of the first run of each reading: of 48 that never come to an end the right one is lost behind the others. Readings that are run
on up to ``STEPS`` where none passes, the likeliest first, and how many times the steps of the longest run that came to its end are spared
for what is changed in them."""
LEAST_STEPS = 20_000
"""Steps of what is changed in the readings, at least, where one came to its end: what loops is cut sooner."""
WAIT = 40.0
"""Seconds on the clock for one group of runs."""
EXPLORED = 5
"""Readings in which more is changed, the likeliest first: of 21 programs that were mended so (see ``healers/syntax/parser.py``) 20 were in the first
of them, one in the second."""
MUTATED, MUTATIONS = 2, 150
"""Readings that all single changes are tried on, and how many of them."""
RIVALS = 3
"""Passing sources after which no more of them are tried."""
DATUM = 0.8
"""What it costs more where a change writes another value down: ``n = 4`` as ``n = 5``."""
NEARER = 0.03
"""How much more of the output each change must bring for single changes to be tried on top of it, and not on the reading itself."""
BEAM, DEPTH, WIDTH = 5, 3, 40
"""States that are kept after each change, changes on top of each other, and changes tried of one state."""
DEAR, HALF = 2.0, 0.5
"""What a passing reading costs more than the likeliest one that prints half of what is expected, so that single changes are tried all the same."""
MUCH = 0.2
"""How much of the output changes must have brought for single changes to be tried on top of them, though the reading ran without them."""
FURTHER = 0.15
"""How much of the output it is worth to raise in the last line and not in the first: each slip that is mended brings the run further."""
GAINING, DEEP_BEAM, DEEPEST = 0.05, 2, 5
"""How much of the output each change must have brought for others to be made on top of ``DEPTH`` of them, in how many states, and up to how many."""
COSTLY = 0.05
"""How much of the output a change must bring to be worth what it costs."""
CHANGE, TEXT, LETTER = 1.2, 0.5, 0.05
"""What a further change costs beside a slip of the pen, what aligned texts cost, and each of their letters."""
UNSEEN = "a text that did not come out may have the same slip"
UNRUN = "a part of the cell did not run, and may have a slip of its own"
REWORDED = "what is expected has other words than the cell, and may be meant for another result"
FEW_LINES = "whoever got the text wrong may have got more wrong than so few printed lines show"
TELLING = 4
"""Lines of expected output from which texts that were aligned with it are not doubted: on the 107 development programs of PyDex nine
of thirteen such readings without another doubt were right, and eighteen of twenty-two whose texts were right as they stood."""
KEPT, TRIED = 3, 6
"""Results that nothing comes of, and that are kept in a source that passes; changes that are tried for one of them."""
DOUBTED = 3
"""Of the readings that pass, those that are looked at for parts that did not run: no more are shown."""
EXPLORED_FOR, OVERHEAD = 40_000_000, 16_000
"""Steps after which no further reading is explored, and what each run counts beside its own: who waits for an answer would rather hear
that there is none."""
NET = 8.0
"""CPU seconds after which none is, whatever it counts, and no change of one is tried: what was found came within 1.2."""
STUCK = 3.0
"""CPU seconds beyond what it may take after which a run that does not count its steps (it is in C code) is killed."""
ENOUGH = 6
"""Passing sources after which no more readings are explored."""


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
        self.furthest = Node("", 0.0, ())
        """What the last reading that was explored came to, where nothing passed."""

    def run(self, source: str, *, counted: bool = True) -> tuple[bool, str, str]:
        """Whether all that can be checked holds, how the run ended, and what was printed."""
        self.tried += 1
        self.runner.notes_lines = True
        try:
            code = compile_unit(self.runner.program, self.unit, source, counted=counted)
        except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
            return False, "syntax", ""
        result = self.runner.run({self.unit: code}, self.steps)
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
        if passes:
            return node, node
        if self.aligns and status == OK and has_same_numbers(printed, self.expected):
            aligned = self.align_texts(node)
            if aligned is not None:
                return aligned, node
        return None, replace(node, likeness=likeness, failed=status not in (OK, TIME))

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

    def explore(self, start: Node, with_mutations: bool) -> list[Node]:
        """Sources that pass, made from one reading."""
        passing, front = [], [start]
        given = read_self_comparisons(start.source)
        best = self.furthest = replace(start, likeness=-1.0)
        first = -1.0
        for depth in range(DEEPEST + 1):
            nodes: list[Node] = []
            for node in front:
                if nodes and self.is_over:
                    break
                done, after = self.try_node(node)
                passing += [done] if done else []
                nodes += [after] if after and not done else []
            needed = [n for n in nodes if NEEDED.issuperset(n.kinds)]
            best = max([best, *needed], key=lambda n: n.likeness - NEARER * (len(n.words) - len(start.words)))
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
            front = [c for c in children if not adds_self_comparison(c.source, given)]
        if not passing and with_mutations and not self.is_over:
            if best.words != start.words and self.run(start.source)[1] == OK:
                best = start  # it runs: only one that fails is surely wrong in more than what a single change mends
            gain = self.furthest.likeness - first
            kinds = self.furthest.kinds
            is_nearer = gain >= (NEARER if kinds == ("senseless",) else MUCH)
            more = [self.furthest] if is_nearer and kinds and "words" not in kinds else []
            more = [m for m in more if m.source != best.source]
            children = (child for node in (best, *more) for child in self._list_mutants(node))
            for child in (c for c in children if not adds_self_comparison(c.source, given)):
                done, _ = self.try_node(child)
                passing += [done] if done else []
                if len(passing) >= RIVALS or self.is_over:
                    break
        return passing

    @property
    def is_over(self) -> bool:
        """Whether nothing further is to be tried."""
        return read_cpu_time() >= self.ends_at

    def list_run_changes(self, source: str, changes: Iterable[Change]) -> list[Change]:
        """Those of the changes of which a part has run, or that add a line: the others leave the run as it was."""
        unrun = find_unrun_lines(source, trace_lines(lambda: self.run(source), FILE.format(self.unit)))
        return [
            c
            for c in changes
            if any(new.startswith("\n") or source.count("\n", 0, start) + 1 not in unrun for start, _, new in c.edits)
        ]

    def _list_children(self, node: Node) -> Iterator[Node]:
        changes = list_value_changes(node.source, self.expected, self.known)
        for change in self.list_run_changes(node.source, changes)[:WIDTH]:
            cost = node.cost + CHANGE - math.log(max(change.prior, 0.05)) * 0.3
            meant = is_meant(change, node.failed, partial(self._fails, node.source))
            rival = node.rival if meant else describe_guess(change.words)
            words, kinds = (*node.words, change.words), (*node.kinds, change.kind)
            yield Node(splice(node.source, change.edits), cost, words, kinds=kinds, rival=rival)

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


def probe(shell: Any, last: Any, argument: Mapping[str, Any]) -> dict[str, Any]:
    """Run the readings of ``argument``: those that pass, and the others by how much of what is expected they printed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        began, most = read_cpu_time(), min(argument.get("cpu", NET), NET)
        program = read_program(argument["program"])
        explorer = Explorer(Runner(program, shell.user_ns), argument["unit"], frozenset(argument["known"]))
        nodes = [Node(r["text"], r["cost"], ()) for r in argument["readings"]]
        runs = _run_all(explorer, nodes)
        passing = [_describe_reading(n, node) for n, node in enumerate(nodes) if _is_pass(runs[n])]
        likeness = [float(r[1]) if isinstance(r, list) else -1.0 for r in runs]
        tried, furthest = len(nodes), list[dict[str, Any]]()
        least = min((p["cost"] for p in passing), default=math.inf)
        likelier = [n for n, node in enumerate(nodes) if likeness[n] > -1 and node.cost + CHANGE < least]
        if likelier and explorer.expected:  # what asserts decide is searched as a program is, in the likeliest reading
            is_dear = least > DEAR + min((nodes[n].cost for n in likelier if likeness[n] > HALF), default=math.inf)
            mutated = MUTATED if argument.get("mutates", True) and (not passing or is_dear) else 0
            left = max(most - (read_cpu_time() - began), 0.0)
            more, tried, furthest = _explore_all(explorer, nodes, likeness, likelier, tried, mutated, left)
            passing = sorted([*passing, *more], key=lambda p: float(p["cost"]))
        for found in passing[:DOUBTED]:
            _use_idle_results(explorer, found, frozenset(argument.get("used", ())))
            _bind_names(explorer, found, explorer.known | frozenset(shell.user_ns))
            _even_texts(found, nodes[found["reading"]].source, explorer.expected if explorer.aligns else "")
            text = found["text"]
            if not found["rival"]:
                unproven = run_in_fork(lambda text=text: explorer.find_unproven(argument["given"], text), WAIT)  # type: ignore[misc]
                found["rival"] = "" if unproven in ("", "given") else UNRUN
                found["unrun"] = unproven == "given"
        cut = [n for n, r in enumerate(runs) if not isinstance(r, list) or r[2] == TIME]
        cpu = read_cpu_time() - began
        return {
            "passing": passing, "likeness": likeness, "tried": tried, "furthest": furthest, "endless": cut, "cpu": cpu, "steps": explorer.steps
        }  # fmt: skip


def _use_idle_results(explorer: Explorer, found: dict[str, Any], used: frozenset[str]) -> None:
    """Let a source that passes keep the results that it drops, and print those that it stores and never reads, where it passes with
    them too: they were computed for something."""
    for _ in range(KEPT):
        changes = [*list_kept_results(found["text"]), *list_used_results(found["text"], used)]
        for change in changes[:TRIED]:
            new = splice(found["text"], change.edits)
            if run_in_fork(lambda new=new: explorer.run(new)[0], WAIT) is True:  # type: ignore[misc]
                found["text"], found["words"] = new, [*found["words"], change.words]
                found["rival"] = found["rival"] or f'with and without "{change.words}" the cell prints the same here'
                break
        else:
            return


def _bind_names(explorer: Explorer, found: dict[str, Any], known: frozenset[str]) -> None:
    """Let what did not run read names that there are, and ask what differs: ``Print('none')`` fails whatever is printed elsewhere."""
    for _ in range(KEPT):
        change = next(iter([*list_sure_names(found["text"], known), *list_choices(found["text"], known)]), None)
        new = splice(found["text"], change.edits) if change is not None else ""
        if change is None or run_in_fork(lambda new=new: explorer.run(new)[0], WAIT) is not True:  # type: ignore[misc]
            return
        found["text"], found["words"] = new, [*found["words"], change.words]
        found["rival"] = found["rival"] or UNRUN


def _even_texts(found: dict[str, Any], before: str, expected: str) -> None:
    """Let a text that did not come out end as its sibling does, which did, and begin as it does."""
    ends, begins = "a text ends otherwise than its sibling", "a text is written otherwise than its sibling"
    for words in (ends, begins) if expected else ():
        text = found["text"]
        edits = find_uneven_texts(text, expected) if words is ends else find_uneven_cases(before, text, expected)
        if edits:
            found["text"], found["words"], found["rival"] = splice(text, edits), [*found["words"], words], UNSEEN


def _run_all(explorer: Explorer, nodes: Sequence[Node]) -> list[object]:
    """Run each source (see :data:`FIRST_STEPS`), and leave the explorer the steps that what is made of them may take."""

    def run_for(node: Node, steps: int) -> object:
        explorer.steps = steps
        return run_in_fork(lambda: _run_once(explorer, node), WAIT, cpu=STUCK)

    runs = [run_for(node, FIRST_STEPS) for node in nodes]
    cut = [n for n, reply in enumerate(runs) if not isinstance(reply, list) or reply[2] == TIME]
    cut.sort(key=lambda n: nodes[n].cost)
    longer = [] if any(map(_is_pass, runs)) else cut[:LONGER]
    for n in longer:
        runs[n] = run_for(nodes[n], STEPS)
    spared = SPARE * max([int(r[3]) for r in runs if isinstance(r, list) and r[0]], default=0)
    if spared > FIRST_STEPS:  # what takes a little longer than one that passes may pass as well, and is its rival
        for n in cut:
            if n not in longer:
                runs[n] = run_for(nodes[n], min(spared, STEPS))
    ended = [int(r[3]) for r in runs if isinstance(r, list) and r[2] != TIME]
    explorer.steps = min(
        STEPS, max([min(LEAST_STEPS, FIRST_STEPS) if ended else FIRST_STEPS, *(SPARE * steps for steps in ended)])
    )
    return runs


def _run_once(explorer: Explorer, node: Node) -> list[Any]:
    before = explorer.runner.counter.total
    passes, status, printed = explorer.run(node.source)
    likeness = measure_likeness(printed, explorer.expected) - (status != OK) * 0.3
    return [passes, likeness, status, explorer.runner.counter.total - before]


def _is_pass(reply: object) -> bool:
    return isinstance(reply, list) and bool(reply[0])


def _describe_reading(reading: int, node: Node) -> dict[str, Any]:
    return {"reading": reading, "text": node.source, "cost": node.cost, "words": list(node.words), "rival": node.rival}


def _explore_all(
    explorer: Explorer,
    nodes: list[Node],
    likeness: list[float],
    among: list[int],
    tried: int,
    mutated: int,
    most: float,
) -> tuple[list[dict[str, Any]], int, list[dict[str, Any]]]:
    """Change more in the likeliest of some readings (``among``): those that cost least and printed most of what is expected. Last comes what
    brought most of it out, where nothing passes: the likeliest reading is not right as it stands. It ends after ``most`` CPU seconds."""
    passing: list[dict[str, Any]] = []
    furthest: list[dict[str, Any]] = []
    began, steps = read_cpu_time(), 0
    order = sorted(among, key=lambda n: nodes[n].cost - 1.5 * likeness[n])
    for place, number in enumerate(order[:EXPLORED]):
        if any(p["cost"] < nodes[number].cost for p in passing):
            continue  # what is changed in it costs more still
        before = explorer.runner.counter.total

        left = most - (read_cpu_time() - began)

        def work(number: int = number, place: int = place, before: int = before, left: float = left) -> dict[str, Any]:
            explorer.ends_at = read_cpu_time() + left
            found = explorer.explore(nodes[number], place < mutated)
            used = explorer.runner.counter.total - before + OVERHEAD * explorer.tried
            furthest = {**_describe_reading(number, explorer.furthest), "likeness": explorer.furthest.likeness}
            passing = [_describe_reading(number, n) for n in found]
            return {"passing": passing, "tried": explorer.tried, "steps": used, "furthest": furthest}

        reply = run_in_fork(work, WAIT, cpu=left + STUCK)
        if isinstance(reply, dict):
            passing += reply["passing"]
            furthest.append(reply["furthest"])
            tried += reply["tried"]
            steps += reply["steps"]
        if len(passing) >= ENOUGH or steps > EXPLORED_FOR or read_cpu_time() - began > most:
            break
    furthest.sort(key=lambda f: f["cost"] * COSTLY - f["likeness"])
    return sorted(passing, key=lambda p: p["cost"]), tried, [] if passing else furthest
