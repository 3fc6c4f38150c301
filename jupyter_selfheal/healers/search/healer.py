"""The search as a healer: where something can tell right from wrong, try thousands of small changes inside a trial."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from jupyter_selfheal import source as src
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.healers.search.pieces import Piece
from jupyter_selfheal.healers.search.plan import Plan, build_plan, find_name
from jupyter_selfheal.healers.search.producers import list_computed_names
from jupyter_selfheal.healers.syntax.propose import propose_readings, propose_texts
from jupyter_selfheal.healers.syntax.reading_patches import rate_cost
from jupyter_selfheal.inside import loader
from jupyter_selfheal.inside.search.hypotheses import ENDLESS
from jupyter_selfheal.model import (
    JSON,
    Applicability,
    Attempt,
    Case,
    Cost,
    Edit,
    FailureKind,
    Patch,
    Probe,
    Question,
    Replace,
    RunCells,
    TrialRequest,
)
from jupyter_selfheal.ports import Answer, Facts, HealerSetup, Starts, TrialKernel

log = logging.getLogger(__name__)

PATCHES = 10
WALL, STARTING = 12.0, 60.0
"""Seconds on the clock for each second of the setting, and those in which it starts and ranks, after which a search is cut; it ends
by itself before."""
WITHOUT_EXAMPLES = 0.5
"""The share of the seconds for a second search, where nothing met the asserts and the examples of docstrings together."""
READING_SECONDS = 4.0
"""Seconds (as the setting counts them) for what else is wrong in a cell that did not parse."""
ANOTHER, SLIP = 1.8, 0.2
"""What a change of the search costs where readings are measured, and how much of that its weight takes off (``explore_reading``, where the same
changes are made on top of a reading)."""
WHY = "It makes the checks pass; another change may do so too, and no check sees everything."


@dataclass(slots=True)
class SearchHealer:
    """:class:`~jupyter_selfheal.ports.Healer`. ``jobs`` is the number of processes (0: one a core)."""

    config: HealConfig = field(default_factory=HealConfig)
    jobs: int = 0
    name: ClassVar[str] = "search"
    paid: ClassVar[bool] = False
    rank: ClassVar[int] = 20

    @classmethod
    def build(cls, setup: HealerSetup) -> SearchHealer:
        """A search within the settings' limits."""
        return cls(setup.config)

    def worst_case(self, case: Case, history: Sequence[Attempt]) -> Cost:
        """Nothing: search runs on this machine."""
        return Cost()

    def propose(self, case: Case, starts: Starts, facts: Facts, history: Sequence[Attempt]) -> Answer:
        """Patches under which everything that can be checked holds, the likeliest first; none where nothing can be checked."""
        if not (starts.before or starts.after):
            return Answer(note="no state to search in")
        if case.failure.kind is FailureKind.SYNTAX or _runs_by_its_prompts(case):
            return propose_readings(case, starts, history, lambda plan, most: self._search_reading(starts, plan, most))
        plan = build_plan(case)
        if plan is None or not plan.decides:
            return Answer(
                note="Say what the cell must give (an expectation, a check, an assert), and other changes are tried too."
            )
        tried = {a.patch.id for a in history}
        reply = self._search_candidates(starts.best, plan)
        if (
            reply
            and not reply["patches"]
            and plan.doctests
            and (plan.oracle or any(p.role == "check" for p in plan.pieces))
        ):
            seconds = self.config.search_seconds * WITHOUT_EXAMPLES
            reply = self._search_candidates(starts.best, plan, with_doctests=False, seconds=seconds)
        if not reply:
            return Answer(note="the search did not come back from its trial")
        every = [_build_patch(case, plan, raw, n, bool(reply["replayed"])) for n, raw in enumerate(reply["patches"])]
        every = _mark_behaviours(every, reply["patches"])
        patches = tuple(p for p in every[:PATCHES] if p.id not in tried)
        if all(p.rival for p in patches):
            patches = _merge_offers(propose_texts(case, starts, plan, history, mutates=not every), patches)
        questions = tuple(q for raw in reply["questions"] if (q := _build_question(raw, every[:PATCHES])) is not None)
        record = {k: v for k, v in reply.items() if k not in ("patches", "questions")}
        note = f"{reply['plausible']} of {reply['tried']} variants pass" + (f": {reply['why']}" if reply["why"] else "")
        return Answer(patches, note=note, record=record, questions=questions)

    def _search_reading(self, starts: Starts, plan: Plan, most: float) -> dict[str, JSON] | None:
        """What the search says of a way to read a cell that did not parse, in less time than it has for one that did: ``most`` CPU seconds."""
        seconds = min(self.config.search_seconds, READING_SECONDS)
        reply = self._search_candidates(starts.best, plan, seconds=seconds, most=most)
        return reply if isinstance(reply, dict) else None

    def _search_candidates(
        self,
        kernel: TrialKernel,
        plan: Plan,
        with_doctests: bool = True,
        seconds: float | None = None,
        most: float = 0.0,
    ) -> JSON:
        seconds = self.config.search_seconds if seconds is None else seconds
        argument = plan.to_argument(seconds, self.jobs, with_doctests, most)
        step = Probe(loader.probe_source("search.search"), argument, name="search")
        trial, _ = kernel.run(TrialRequest((step,), patch_id="search", timeout=WALL * seconds + STARTING))
        if trial.probe("search") is None:
            errors = [e.traceback or f"{e.ename}: {e.evalue}" for s in trial.steps for e in s.errors]
            log.warning(
                "the search ended without an answer: %s %s", trial.ending.value, "\n".join(errors) or trial.detail
            )
        return trial.probe("search")


def _runs_by_its_prompts(case: Case) -> bool:
    """True for ``>>> x = 3``: IPython takes the prompts off and runs the cell, which is no Python as it stands."""
    failure = case.failure
    return (
        failure.kind is FailureKind.MISSED and src.parse(failure.source) is None and not src.is_foreign(failure.source)
    )


def _build_patch(case: Case, plan: Plan, raw: Mapping[str, JSON], rank: int, replayed: bool) -> Patch:
    """A patch of the cells that hold the changed statements: each is spliced into its cell as it was written."""
    edits: dict[str, list[tuple[int, int, str]]] = {}
    for number, text in raw["texts"].items():
        piece = plan.pieces[int(number)]
        edits.setdefault(piece.cell_id, []).append((piece.start, piece.end, text))
    replaced: list[Edit] = []
    for cell_id, spliced in edits.items():
        old = case.failure.source if cell_id == case.failure.cell_id else case.notebook.cell(cell_id).source
        replaced.append(Replace(cell_id, old, src.splice(old, spliced)))
    if replayed:
        replaced = _add_readers(case, plan, replaced, {int(n) for n in raw["texts"]})
    piece = plan.pieces[int(raw["unit"])]
    cause = f"{raw['words']} in {_format_place(case, piece, int(raw['line']))}"
    return Patch(
        tuple(replaced), title=cause[:1].upper() + cause[1:], cause=cause, healer="search", applicability=Applicability.UNSAFE,
        why=WHY, prior=0.9 * 0.93**rank, rival=raw["rival"],
    )  # fmt: skip


def _mark_behaviours(patches: Sequence[Patch], replies: Sequence[Mapping[str, JSON]]) -> list[Patch]:
    """The patches, each with the first one that does the same on every input that was compared, and how likely its slip is."""
    first: dict[int, str] = {}
    for patch, raw in zip(patches, replies, strict=True):
        first.setdefault(raw["cluster"], patch.id)
    return [
        replace(patch, behaviour=first[raw["cluster"]], weight=min(1.0, float(raw["weight"])))
        for patch, raw in zip(patches, replies, strict=True)
    ]


def _merge_offers(texts: Sequence[Patch], searched: Sequence[Patch]) -> tuple[Patch, ...]:
    """Both, the likelier first on the scale of slips that the readings are measured by; what each side says of its own order stays. Their
    ``prior`` tells the place, as it does where the search alone offers."""
    if not texts:
        return tuple(searched)
    rated = [(p, p.weight) for p in texts]
    rated += [(p, rate_cost(ANOTHER - SLIP * math.log(max(p.weight, 0.001)))) for p in searched]
    least: dict[bool, float] = {}
    keys: list[float] = []
    for number, (_, likelihood) in enumerate(rated):
        side = number < len(texts)
        least[side] = min(likelihood, least.get(side, 1.0))
        keys.append(least[side])
    order = sorted(range(len(rated)), key=lambda n: (-keys[n], n))
    return tuple(replace(rated[n][0], prior=0.9 * 0.93**place) for place, n in enumerate(order))


def _add_readers(case: Case, plan: Plan, edits: Sequence[Edit], changed: set[int]) -> list[Edit]:
    """The edits in the notebook's order, and the cells run again that call a changed function: a trial makes anew what
    follows from a changed value, not what a changed function once gave."""
    stale = {find_name(p) for n, p in enumerate(plan.pieces) if n in changed and p.role == "define"} - {""}
    stale |= {find_name(p) for p in plan.pieces if p.role == "define" and stale & src.find_names(p.text).uses}
    again: list[Edit] = []
    for cell_id in dict.fromkeys(p.cell_id for p in plan.pieces if p.role == "replay"):
        texts = [p.text for p in plan.pieces if p.role == "replay" and p.cell_id == cell_id]
        if any(stale & src.find_names(text).uses for text in texts):
            stale |= list_computed_names(case.notebook.cell(cell_id))
            again.append(RunCells((cell_id,)))
    return sorted([*edits, *again], key=lambda e: (case.notebook.index(_find_cell_id(e)), isinstance(e, RunCells)))


def _find_cell_id(edit: Edit) -> str:
    return edit.cell_ids[0] if isinstance(edit, RunCells) else edit.cell_id if isinstance(edit, Replace) else ""


def _format_place(case: Case, piece: Piece, line: int) -> str:
    source = case.failure.source if piece.cell_id == case.failure.cell_id else case.notebook.cell(piece.cell_id).source
    number = source.count("\n", 0, piece.start) + max(line, 1)
    tree = src.parse(piece.text)
    name = getattr(tree.body[0], "name", "") if tree and tree.body else ""
    return f"`{name}` (line {number})" if name else f"line {number}"


def _build_question(raw: Mapping[str, JSON], patches: Sequence[Patch]) -> Question | None:
    """The one value to ask for, with the patches that give each answer; to come to no end is what nobody wants of a call."""
    answers: dict[str, tuple[str, ...]] = {}
    for shown, positions in raw["answers"].items():
        if shown in ENDLESS:
            continue
        ids = tuple(dict.fromkeys(patches[n].id for n in positions if n < len(patches)))
        text = f"an error ({shown[1:]})" if shown.startswith("!") else shown
        if ids:
            answers[text] = ids
    if len(answers) < 2:
        return None
    return Question(f"What should `{raw['call']}` return?", answers, subject=raw["call"], kind="value")
