"""Readings of a cell that did not parse, each run in the live namespace against the oracle; and what else must change in one of them.

A reading that runs and prints something else is rarely the only slip: texts are aligned with the expected output, and small changes
of what is read and printed are combined with that, best first by how much of the expected output came out. Every group of runs is in
a fork of its own, and what is left of it in another one, so that a run that never comes back costs nothing but itself.
"""

from __future__ import annotations

import ast
import math
import time
import types
import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from jupyter_selfheal.inside.positions import LineTable, splice
from jupyter_selfheal.inside.search.beginner_changes import list_missing_imports
from jupyter_selfheal.inside.search.case_twins import list_case_twins
from jupyter_selfheal.inside.search.confined_forks import run_each_in_fork, run_in_fork
from jupyter_selfheal.inside.search.cpu_time import read_cpu_time
from jupyter_selfheal.inside.search.digits_as_texts import list_number_reads
from jupyter_selfheal.inside.search.explore_reading import CHANGE, STEPS, UNSEEN, Explorer, Node
from jupyter_selfheal.inside.search.follow_errors import follow_errors
from jupyter_selfheal.inside.search.idle_results import list_kept_results, list_used_results
from jupyter_selfheal.inside.search.meant_changes import describe_guess
from jupyter_selfheal.inside.search.method_changes import list_uncalled_questions
from jupyter_selfheal.inside.search.name_changes import list_sure_names
from jupyter_selfheal.inside.search.number_forms import FORMS, Form, mend_form
from jupyter_selfheal.inside.search.printed_likeness import measure_likeness
from jupyter_selfheal.inside.search.program import read_program
from jupyter_selfheal.inside.search.repeated_slips import list_choices
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.search.run_result import OK, TIME
from jupyter_selfheal.inside.search.uneven_texts import find_cases_of_cell, find_uneven_cases, find_uneven_texts
from jupyter_selfheal.inside.search.varied_input import observe, record_lines, vary_lines
from jupyter_selfheal.inside.tree_names import list_defined_names

FIRST_STEPS, LONGER, SPARE = 100_000, 2, 4
"""Steps of the first run of each reading: of 48 that never come to an end the right one is lost behind the others. Readings that are run
on up to ``STEPS`` where none passes, the likeliest first, and how many times the steps of the longest run that came to its end are spared
for what is changed in them."""
MUTATED = 2
"""Readings that all single changes are tried on."""
LEAST_STEPS = 20_000
"""Steps of what is changed in the readings, at least, where one came to its end: what loops is cut sooner."""
WAIT = 40.0
"""Seconds on the clock for one group of runs."""
EXPLORED = 5
"""Readings in which more is changed, the likeliest first: of 21 programs that were mended so (see ``healers/syntax/parser.py``) 20 were in the first
of them, one in the second."""
DEAR, HALF = 2.0, 0.5
"""What a passing reading costs more than the likeliest one that prints half of what is expected, so that single changes are tried all the same."""
COSTLY = 0.05
"""How much of the output a change must bring to be worth what it costs."""
HELD, RAISED = 0.3, 0.2
"""How much likelier a reading is with which all asserts would hold, and how much less one with which all raise: ``ret(total)`` for ``return total``."""
HARMLESS = frozenset(
    {"__future__", "bisect", "calendar", "collections", "copy", "datetime", "decimal", "fractions", "functools", "heapq", "itertools", "math",
     "operator", "re", "statistics", "string", "time", "typing"}
)  # fmt: skip
"""Modules with nothing in them that a cell would change by using them."""
FAR_REACHING = frozenset({"__import__", "compile", "delattr", "exec", "globals", "open", "setattr", "vars"})
"""Builtins that reach what no copy of a cell's names brings back."""
UNRUN = "a part of the cell did not run, and may have a slip of its own"
REWORDED = "what is expected has other words than the cell, and may be meant for another result"
FEW_LINES = "whoever got the text wrong may have got more wrong than so few printed lines show"
TELLING = 4
"""Lines of expected output from which texts that were aligned with it are not doubted: on the 107 development programs of PyDex nine
of thirteen such readings without another doubt were right, and eighteen of twenty-two whose texts were right as they stood."""
LETTERS_COMPARED = 1.0
"""What it costs more to compare what is read by its letters, where it may be numbers."""
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
FIRST, FIRST_LEAST = 0.5, 0.5
"""The share of the CPU seconds in which all readings are run, and the least of them: of 30 that make ever longer numbers without end each takes half a second until it is cut."""
COMPARED, FAILS, UNMOVED = 8, 0.6, 0.8
"""Passing sources that are run for other inputs too, what it costs one that fails for all of them, and one that prints the same for all of them
where another one does not: it has lost what it reads."""
LOOKED = 5.0
"""Seconds on the clock for that: ``time.sleep(int(input()))`` takes ten times as long for one of them."""


def probe(shell: Any, last: Any, argument: Mapping[str, Any]) -> dict[str, Any]:
    """Run the readings of ``argument``: those that pass, and the others by how much of what is expected they printed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        began, most = read_cpu_time(), min(argument.get("cpu", NET), NET)
        program = read_program(argument["program"])
        explorer = Explorer(Runner(program, shell.user_ns), argument["unit"], frozenset(argument["known"]))
        nodes = [Node(r["text"], r["cost"], ()) for r in argument["readings"]]
        runs = _run_all(explorer, nodes, max(most * FIRST, FIRST_LEAST))
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
            _read_numbers(explorer, found)
            _write_as_given(explorer, found, argument["given"])
            _even_texts(found, nodes[found["reading"]].source, explorer.expected if explorer.aligns else "")
            text = found["text"]
            if not found["rival"]:
                unproven = run_in_fork(lambda text=text: explorer.find_unproven(argument["given"], text), WAIT)  # type: ignore[misc]
                found["rival"] = "" if unproven in ("", "given") else UNRUN
                found["unrun"] = unproven == "given"
        if explorer.aligns and any("input" in found["text"] for found in passing):
            passing = _look_further(explorer, passing)
        cut = [n for n, r in enumerate(runs) if not isinstance(r, list) or r[2] == TIME]
        raised = [n for n, r in enumerate(runs) if isinstance(r, list) and r[2] not in (OK, TIME)]
        cpu = read_cpu_time() - began
        return {
            "passing": passing, "likeness": likeness, "tried": tried, "furthest": furthest, "endless": cut, "raised": raised, "cpu": cpu,
            "steps": explorer.steps,
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
    """Let what did not run read names that there are, and ask what differs: ``Print('none')`` fails whatever is printed elsewhere, and so does `pi` without `math`. So are names that
    differ in upper and lower case alone one, and questions called, where the output is right with that too."""
    for _ in range(KEPT):
        text = found["text"]
        tree = ast.parse(text)
        changes = [*list_missing_imports(tree, LineTable(text), known | list_defined_names(tree))]
        changes += [*list_sure_names(text, known), *list_choices(text, known), *list_case_twins(text, known)]
        changes += list_uncalled_questions(text)
        change = next(iter(changes), None)
        new = splice(text, change.edits) if change is not None else ""
        if change is None or run_in_fork(lambda new=new: explorer.run(new)[0], WAIT) is not True:  # type: ignore[misc]
            return
        found["text"], found["words"] = new, [*found["words"], change.words]
        found["rival"] = found["rival"] or UNRUN


def _read_numbers(explorer: Explorer, found: dict[str, Any]) -> None:
    """Let what is read be a number where its digits are compared by size as letters, and the output is right with numbers too; where it is
    not, the source is one that is less likely meant."""
    changes = list_number_reads(found["text"])
    for change in changes:
        new = splice(found["text"], change.edits)
        if run_in_fork(lambda new=new: explorer.run(new)[0], WAIT) is True:  # type: ignore[misc]
            found["text"], found["words"] = new, [*found["words"], change.words]
            found["rival"] = found["rival"] or describe_guess(change.words)
            return
    found["cost"] += LETTERS_COMPARED * bool(changes)


def _write_as_given(explorer: Explorer, found: dict[str, Any], given: str) -> None:
    """Let a text that was made of the cell's words be written as they are, where the output is right with that too."""
    edits = find_cases_of_cell(given, found["text"])
    new = splice(found["text"], edits)
    if edits and run_in_fork(lambda: explorer.run(new)[0], WAIT) is True:
        found["text"], found["words"] = new, [*found["words"], "a text is written as in the cell"]


def _even_texts(found: dict[str, Any], before: str, expected: str) -> None:
    """Let a text that did not come out end as its sibling does, which did, and begin as it does."""
    ends, begins = "a text ends otherwise than its sibling", "a text is written otherwise than its sibling"
    for words in (ends, begins) if expected else ():
        text = found["text"]
        edits = find_uneven_texts(text, expected) if words is ends else find_uneven_cases(before, text, expected)
        if edits:
            found["text"], found["words"], found["rival"] = splice(text, edits), [*found["words"], words], UNSEEN


def _look_further(explorer: Explorer, passing: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The sources that pass, each with what it does for other inputs (``behaviour``), and behind the likeliest one what mends the form of its
    numbers there."""

    def work() -> list[dict[str, Any]]:
        inputs = vary_lines(record_lines(explorer, passing[0]["text"]), explorer.expected)
        if not inputs:
            return passing
        seen = [observe(explorer, found["text"], inputs) for found in passing[:COMPARED]]
        for found, runs in zip(passing, seen, strict=False):
            found["behaviour"] = seen.index(runs)
            found["cost"] += FAILS * sum(status not in (OK, TIME) for status, _ in runs) / len(runs)
            found["cost"] += UNMOVED * (_is_unmoved(runs) and not all(map(_is_unmoved, seen)))
        first, *others = sorted(passing[:DOUBTED], key=lambda p: float(p["cost"]))
        return [first, *_mend_forms(explorer, first, inputs), *others, *passing[DOUBTED:]]

    reply = run_in_fork(work, LOOKED, cpu=STUCK)
    return reply if isinstance(reply, list) else passing


def _is_unmoved(runs: Sequence[tuple[str, str]]) -> bool:
    """Whether a source prints the same for several other inputs."""
    return len(runs) > 2 and len({*runs}) == 1


def _mend_forms(explorer: Explorer, found: dict[str, Any], inputs: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
    """A source that passes with numbers in another form, where one comes out for another input as nobody writes it."""
    text, words = found["text"], list[str]()
    runs = observe(explorer, text, inputs)
    for form in FORMS:
        if form.count(explorer.expected):
            continue
        at = next((n for n, (status, printed) in enumerate(runs) if status == OK and form.count(printed)), None)
        if at is None:
            continue

        def count(source: str, form: Form = form, at: int = at) -> float:
            status, printed = observe(explorer, source, inputs[at : at + 1])[0]
            return form.count(printed) if status == OK else math.inf

        edits, told = mend_form(text, explorer.expected, form, count)
        new = splice(text, edits)
        if edits and explorer.run(new)[0]:
            text, words = new, [*words, *told]
    if not words:
        return []
    rival = f'with and without "{words[0]}" the cell prints the same here'
    found["rival"] = found["rival"] or rival
    return [
        {
            **found,
            "text": text,
            "cost": found["cost"] + CHANGE,
            "words": [*found["words"], *words],
            "rival": rival,
            "behaviour": None,
            "form": True,
        }
    ]


def _run_all(explorer: Explorer, nodes: Sequence[Node], most: float) -> list[object]:
    """Run each source (see :data:`FIRST_STEPS`), the likeliest first and none after ``most`` CPU seconds, and leave the explorer the steps that what
    is made of them may take."""

    is_shared = leaves_nothing([node.source for node in nodes], explorer.runner.ns)
    began = list[float]()

    def run_once(node: Node) -> list[Any] | None:
        began.append(time.process_time())  # a fork's own clock, which begins with it
        return _run_once(explorer, node) if began[-1] - began[0] <= most else None

    def run_for(chosen: Sequence[Node], steps: int) -> list[object]:
        explorer.steps = steps
        works = [partial(run_once, node) for node in chosen]
        if is_shared:
            return run_each_in_fork(works, WAIT, cpu=STUCK)
        ends_at = read_cpu_time() + most
        return [run_in_fork(w, WAIT, cpu=STUCK) if read_cpu_time() <= ends_at else None for w in works]

    runs = run_for(nodes, FIRST_STEPS)
    cut = [n for n, reply in enumerate(runs) if not isinstance(reply, list) or reply[2] == TIME]
    cut.sort(key=lambda n: nodes[n].cost)
    longer = [] if any(map(_is_pass, runs)) else cut[:LONGER]
    for n, run in zip(longer, run_for([nodes[n] for n in longer], STEPS), strict=True):
        runs[n] = run
    spared = SPARE * max([int(r[3]) for r in runs if isinstance(r, list) and r[0]], default=0)
    if spared > FIRST_STEPS:  # what takes a little longer than one that passes may pass as well, and is its rival
        others = [n for n in cut if n not in longer]
        for n, run in zip(others, run_for([nodes[n] for n in others], min(spared, STEPS)), strict=True):
            runs[n] = run
    ended = [int(r[3]) for r in runs if isinstance(r, list) and r[2] != TIME]
    explorer.steps = min(
        STEPS, max([min(LEAST_STEPS, FIRST_STEPS) if ended else FIRST_STEPS, *(SPARE * steps for steps in ended)])
    )
    return runs


def leaves_nothing(sources: Sequence[str], ns: Mapping[str, Any]) -> bool:
    """Whether what each source changes is put back with the names that it uses, so that the next one may run in the same process: it calls neither
    the notebook's functions, which may change others, nor modules that hold something (``os.chdir``)."""
    try:
        trees = [ast.parse(source) for source in sources]
    except SyntaxError:  # a line of IPython's own
        return False
    for node in (n for tree in trees for n in ast.walk(tree)):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = [node.module or "."]
        else:
            value = ns.get(node.id) if isinstance(node, ast.Name) else None
            if isinstance(value, types.FunctionType | type) or getattr(node, "id", "") in FAR_REACHING:
                return False
            modules = [value.__name__] if isinstance(value, types.ModuleType) else []
        if not HARMLESS.issuperset(name.partition(".")[0] for name in modules):
            return False
    return True


def _run_once(explorer: Explorer, node: Node) -> list[Any]:
    before = explorer.runner.counter.total
    passes, status, printed = explorer.run(node.source)
    likeness = measure_likeness(printed, explorer.expected) - (status != OK) * 0.3
    if not explorer.expected:
        likeness += _rate_checks(explorer)
    return [passes, likeness, status, explorer.runner.counter.total - before]


def _rate_checks(explorer: Explorer) -> float:
    """What asserts say of a reading that none meets whole: those that hold speak for it, and those that raise against it."""
    runner = explorer.runner
    return (HELD * runner.passed - RAISED * runner.raised) / max(runner.passed + runner.failed, 1)


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
            found = explorer.explore(nodes[number], place < mutated, follow_errors)
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
