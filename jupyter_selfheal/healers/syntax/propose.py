"""Readings of a cell as patches: where an oracle speaks, those that meet it; elsewhere the likeliest, with their rivals."""

from __future__ import annotations

import logging
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.search.pieces import Piece
from jupyter_selfheal.healers.search.plan import Plan, build_plan
from jupyter_selfheal.healers.syntax.reading_patches import (
    NEAR,
    OFFERED,
    PATCHES,
    WHY,
    build_passing,
    build_patch,
    list_used_below,
    offer_readings,
    put_unlike_first,
)
from jupyter_selfheal.healers.syntax.readings import Reading
from jupyter_selfheal.healers.syntax.several_faults import list_readings
from jupyter_selfheal.healers.syntax.token_edits import BUILTINS
from jupyter_selfheal.healers.syntax.tokens import NAME, NUMBER, split_tokens
from jupyter_selfheal.inside import loader
from jupyter_selfheal.model import JSON, Attempt, Case, FailureKind, Patch, Probe, Replace, TrialRequest
from jupyter_selfheal.ports import Answer, Starts

log = logging.getLogger(__name__)

LIKE, CHANGE = 0.3, 2.0
"""How much of the output a reading must give (0 to 1) to be searched for what else is wrong, and what such a change costs."""
NEARLY = 0.5
"""How much of the output must have come out with what was changed in a reading for it to be searched on top of that."""
SEARCHED = 2
"""Readings that are searched for what else is wrong."""
LOST = 0.3
"""What it costs of a source that passes that a name, number or text of the cell is no longer in it."""
WORK, LEAST = 10.0, 1.0
"""CPU seconds for all that is done for one cell that does not parse: the readings are found (1 to 3, up to 5 where several places are broken), run and changed (mostly 1 to 2), and
searched for what else is wrong, where so much is left at least. On an idle machine a cell without a fix is so told within eleven seconds."""
DEEPER, LAST, DEEPENED = 5.0, 0.5, 4
"""CPU seconds for several changes in a reading, what is left for showing what was found, and the readings (and what came furthest of them) that
are begun with."""
DEEPER_AGAIN = 2.0
"""Those for a cell that a rule has made parse in the round before: of six programs without a fix in that round none had one in the next."""
WAIT = 300.0
"""Seconds on the clock for all runs of the readings."""
WHY_TEXTS = "The cell prints what is expected with it."
RUNS = "the cell runs as it is, and what it prints may be wrong for another reason"
SEVERAL = "more than what failed was changed for no other reason than that the output is right with it"
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
TOLD_BY_NOTHING = "One way to read the cell runs; nothing here says whether another one is meant."


Search = Callable[[Plan, float], dict[str, JSON] | None]
"""What the search over single changes says of a plan, in so many CPU seconds at most; None where it does not come back."""


def propose_readings(case: Case, starts: Starts, history: Sequence[Attempt], search: Search | None = None) -> Answer:
    """Patches that make a cell parse; none where one runs already and nothing says what the cell must give, which tells no reading from another.

    Where no reading meets the oracle, ``search`` looks for what else is wrong in the likeliest one.
    """
    source = case.failure.source
    run = next((a.patch for a in history if a.verdict is not None and a.verdict.is_shown_to_run), None)
    if run is not None:
        plan = _plan_reading(case, run.source_of(case.failure.cell_id, source))
        if plan is None or not plan.decides:
            return Answer(note=TOLD_BY_NOTHING, exhausted=True)
    known = _list_known_names(case)
    began = time.thread_time()
    readings = list_readings(source, known)
    left = WORK - (time.thread_time() - began)
    if not readings:
        return Answer(note="no small change makes the cell parse", exhausted=True)
    plan = _plan_reading(case, readings[0].source)
    if plan is None or not plan.decides or src.mask(source) != source or not (starts.before or starts.after):
        return Answer(
            offer_readings(case, readings, history), note=f"{len(readings)} ways to read the cell", exhausted=True
        )
    reply = _run_readings(case, starts, plan, readings, known, most=left)
    if not reply:
        return Answer(
            offer_readings(case, readings, history),
            note="the readings did not come back from their trial",
            exhausted=True,
        )
    kept = sorted(reply["passing"], key=lambda p: p["cost"] + LOST * _count_lost(source, p["text"]))
    passing = build_passing(case, readings, put_unlike_first(kept))
    tried = {a.patch.id for a in history}
    patches = [p for p in passing if p.id not in tried]
    if not passing:
        order = sorted(range(len(readings)), key=lambda n: readings[n].cost - 1.5 * reply["likeness"][n])
        likely = _put_furthest(readings, reply, _list_likely(readings, order, reply["likeness"]))
        likely += [r for r in _find_raising(readings, reply["raised"]) if r not in likely]
        left -= reply["cpu"]
        searched, took = _search_likely(case, likely, search, left, _find_sure(readings)) if search else ([], 0.0)
        searched = searched or _deepen_readings(case, starts, readings, reply, order, known, left - took)
        patches = [p for p in searched if p.id not in tried]
        endless = set(reply["endless"])
        ended = [n for n in order if n not in endless]
        patches += offer_readings(case, [readings[n] for n in ended or order[:1]], history)
    note = f"{len(readings)} ways to read the cell, {reply['tried']} sources run, {len(reply['passing'])} pass"
    return Answer(tuple(patches), note=note, exhausted=True)


def _list_likely(readings: Sequence[Reading], order: Sequence[int], likeness: Sequence[float]) -> list[Reading]:
    """The readings to be searched for what else is wrong: the likeliest one, and the next one that prints as much of what is expected."""
    likely = [n for n in order if likeness[n] >= LIKE and not readings[n].guessed]
    return [readings[n] for n in likely[:SEARCHED] if likeness[n] >= likeness[likely[0]]]


def _find_raising(readings: Sequence[Reading], raised: Sequence[int]) -> list[Reading]:
    """The cheapest reading, where it raises an error: it printed too little to be among the likely ones, and where it fails is told better than
    by any output."""
    cheapest = min(range(len(readings)), key=lambda n: readings[n].cost)
    return [readings[cheapest]] if cheapest in raised and not readings[cheapest].guessed else []


def _put_furthest(readings: Sequence[Reading], reply: dict[str, JSON], likely: Sequence[Reading]) -> list[Reading]:
    """The readings to be searched, the first of them with what brought most of the output out of all that was changed in one: of several slips
    of meaning the search has only one left to find."""
    furthest = next(iter(reply.get("furthest", ())), None)
    if furthest is None or furthest["likeness"] < NEARLY or not furthest["words"]:
        return list(likely)
    reading = readings[furthest["reading"]]
    words = (*reading.words, *furthest["words"])
    further = Reading(furthest["text"], float(furthest["cost"]), words, reading.guessed)
    return [further, *likely][:SEARCHED] if not reading.guessed else list(likely)


def _search_likely(
    case: Case, readings: Sequence[Reading], search: Search, most: float, sure: Reading | None = None
) -> tuple[list[Patch], float]:
    """Changes of the first of the readings that has any with which it meets the oracle, found in so many CPU seconds; and what they took. ``sure``
    is the one that the cell itself leaves no doubt of."""
    left = most
    for reading in readings:
        plan = _plan_reading(case, reading.source)
        if left < LEAST:
            break
        if plan is None or not plan.decides:
            continue
        reply = search(plan, left)
        left -= float(reply.get("cpu", left)) if reply else left
        if reply and (patches := _build_changed(case, reading, plan, reply, is_sure=reading is sure)):
            return patches, most - left
    return [], most - left


def _deepen_readings(
    case: Case,
    starts: Starts,
    readings: Sequence[Reading],
    reply: dict[str, JSON],
    order: Sequence[int],
    known: frozenset[str],
    left: float,
) -> list[Patch]:
    """Several changes of the likeliest readings and of what came furthest, with which they print what is expected: they are offered."""
    plan = _plan_reading(case, readings[0].source)
    left = min(left - LAST, DEEPER)
    if plan is None or left < LEAST or not plan.oracle.stdout:
        return []
    sound = [n for n in order if reply["likeness"][n] > -1 and not readings[n].guessed][:DEEPENED]
    begun = [{"text": readings[n].source, "cost": readings[n].cost, "words": list(readings[n].words)} for n in sound]
    for raw in reply.get("furthest", ())[:DEEPENED]:
        reading = readings[raw["reading"]]
        if raw["words"] and not reading.guessed:
            words = [*reading.words, *raw["words"]]
            begun.append({"text": raw["text"], "cost": raw["cost"], "words": words, "rival": SEVERAL})
    if not begun:
        return []
    argument = _build_argument(case, plan, readings, known, left)
    argument |= {"starts": begun, "steps": reply["steps"], "given": [readings[n].source for n in sound]}
    found = _ask(starts, "search.deepen_readings", argument, "readings")
    patches: list[Patch] = []
    cost = 0.0  # what comes first is shown first
    for raw in (found["passing"] if found else ())[:OFFERED]:
        cost = max(cost + 0.01, float(raw["cost"]))
        patches.append(build_patch(case, raw["text"], raw["words"], cost, WHY, raw["rival"] or SEVERAL))
    return patches


def _find_sure(readings: Sequence[Reading]) -> Reading | None:
    """The cheapest reading, of one slip, where each that is nearly as cheap has that slip and others besides."""
    first = readings[0]
    near = [r for r in readings[1:] if r.cost <= first.cost + NEAR]
    is_sure = len(first.words) == 1 and not first.guessed and all({*first.words} < {*r.words} for r in near)
    return first if is_sure else None


def _build_changed(
    case: Case, reading: Reading, plan: Plan, reply: dict[str, JSON], *, is_sure: bool = False
) -> list[Patch]:
    """Changes of a reading that make it meet the oracle: they are offered, since nothing tells that both were slips. Where the reading is sure and
    asserts ask for more, a change is what it would be of a cell that parses: the search's own doubt is what speaks against it."""
    patches: dict[str, Patch] = {}
    for rank, raw in enumerate(reply["patches"]):
        pieces = [(plan.pieces[int(n)], text) for n, text in raw["texts"].items()]
        if any(p.cell_id != case.failure.cell_id for p, _ in pieces):
            continue
        source = src.splice(reading.source, [(p.start, p.end, text) for p, text in pieces])
        words = (*reading.words, raw["words"])
        rival = f'without "{raw["words"]}" the cell parses too, and gives something else'
        if is_sure and raw["edits"] == 1 and raw["passed"] > 1 and not plan.oracle.stdout:
            rival = raw["rival"]
        patch = build_patch(case, source, words, reading.cost + CHANGE + 0.2 * rank, WHY, rival)
        patches.setdefault(patch.id, patch)
    return list(patches.values())[:OFFERED]


def propose_texts(
    case: Case, starts: Starts, plan: Plan, history: Sequence[Attempt], *, mutates: bool = False
) -> tuple[Patch, ...]:
    """Changes of what a cell prints, where it is expected to print something else: texts, separators, formats; and, where it fails, of what it
    reads and calls beside them.

    ``mutates``: with another change beside them, where no single one of these helped. They are offered, and never applied by themselves: another text may have been printed for a reason of its own.
    """
    source = case.failure.source
    kind = case.failure.kind
    if kind not in (FailureKind.MISSED, FailureKind.RAISED) or not plan.oracle.stdout or src.mask(source) != source:
        return ()
    reading, runs = Reading(source, 0.0, ()), kind is FailureKind.MISSED
    known = _list_known_names(case)
    reply = _run_readings(case, starts, plan, (reading,), known, mutates=mutates)
    tried = {a.patch.id for a in history}
    readers = _list_readers(case, history)
    if mutates and reply and not reply["passing"] and "search" not in readers:
        most = DEEPER_AGAIN if readers else DEEPER
        deeper = _deepen_readings(case, starts, (reading,), reply, (0,), known, most + LAST)
        return tuple(p for p in deeper if p.id not in tried)
    patches = [
        build_patch(case, raw["text"], raw["words"], float(raw["cost"]), WHY_TEXTS, RUNS if runs else SEVERAL)
        for raw in (reply["passing"] if reply else ())[:PATCHES]
        if raw["text"] != source
    ]
    return tuple(p for p in patches if p.id not in tried)


def _list_readers(case: Case, history: Sequence[Attempt]) -> set[str]:
    """The healers by which a cell that did not parse became what it is: where this one did, several changes were tried in it then, and none met what
    is expected; where a rule did, they were tried in the likeliest of the ways to read it."""
    edits = ((a.patch.healer, e) for a in history for e in a.patch.edits if isinstance(e, Replace))
    return {healer for healer, e in edits if e.source == case.failure.source and src.parse(e.old) is None}


def _list_known_names(case: Case) -> frozenset[str]:
    """What the cells above bind."""
    names = [src.find_names(c.source) for c in case.notebook.list_code_before(case.failure.cell_id)]
    return frozenset[str]().union(*(n.binds | n.imports for n in names))


def _plan_reading(case: Case, source: str) -> Plan | None:
    failure = replace(case.failure, source=source, kind=FailureKind.MISSED, ename="ExpectationMissed")
    notebook = case.notebook
    if notebook.index(failure.cell_id) >= 0:
        notebook = notebook.with_source(failure.cell_id, source)
    return build_plan(replace(case, failure=failure, notebook=notebook))


def _run_readings(
    case: Case,
    starts: Starts,
    plan: Plan,
    readings: Sequence[Reading],
    known: frozenset[str],
    *,
    mutates: bool = True,
    most: float = WORK,
) -> dict[str, JSON] | None:
    """The probe's reply: the cell is one unit of the program, between what comes before and behind it.

    ``mutates``: where nothing else helps, single changes are tried as the search tries them; not where the search did. ``most`` are the CPU
    seconds that it may take.
    """
    argument = _build_argument(case, plan, readings, known, most)
    argument |= {
        "mutates": mutates, "used": sorted(list_used_below(case)), "given": case.failure.source,
        "readings": [{"text": r.source, "cost": r.cost} for r in readings],
    }  # fmt: skip
    return _ask(starts, "search.try_readings", argument, "readings")


def _build_argument(
    case: Case, plan: Plan, readings: Sequence[Reading], known: frozenset[str], most: float
) -> dict[str, JSON]:
    """The program in which the readings stand in the cell's place, as the one unit that is changed."""
    own = [n for n, p in enumerate(plan.pieces) if p.cell_id == case.failure.cell_id]
    first = own[0]
    before = [p for p in plan.pieces[:first] if p.cell_id != case.failure.cell_id]
    behind = [p for p in plan.pieces[first:] if p.cell_id != case.failure.cell_id]
    cell = Piece(case.failure.cell_id, 0, len(readings[0].source), readings[0].source, "cell", True)
    names = [src.find_names(r.source) for r in readings]
    written = {
        t.text for r in readings for t in split_tokens(r.source)
    }  # a builtin that the notebook has made its own, too: a change may call it
    copied = sorted(set(plan.copied).union((written | BUILTINS) & known, *(n.uses | n.changes for n in names)))
    whole = replace(plan, pieces=(*before, cell, *behind), copied=tuple(copied))
    return {"program": whole.to_argument(0.0, 1), "unit": len(before), "known": sorted(known), "cpu": most}


def _ask(starts: Starts, module: str, argument: dict[str, JSON], name: str) -> dict[str, JSON] | None:
    """What a probe says in the state before the cell; None where it does not come back."""
    step = Probe(loader.probe_source(module), argument, name=name)
    trial, _ = starts.best.run(TrialRequest((step,), patch_id=name, timeout=WAIT))
    reply = trial.probe(name)
    if reply is None:
        errors = [e.traceback or f"{e.ename}: {e.evalue}" for s in trial.steps for e in s.errors]
        log.warning("%s ended without an answer: %s %s", name, trial.ending.value, "\n".join(errors) or trial.detail)
    return reply if isinstance(reply, dict) else None


def _count_lost(old: str, new: str) -> int:
    """Names and numbers that a source has no more; ``50,000`` is one number, which is still there as ``50000``."""
    old = _THOUSANDS.sub("", old)
    before, after = (Counter(t.text for t in split_tokens(s) if t.kind in (NAME, NUMBER)) for s in (old, new))
    return (before - after).total()
