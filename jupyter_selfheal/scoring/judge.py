"""A language model as the judge, asked only where nothing that ran decides.

It sees two versions at a time and does not know who made them: patches are compared with one another in a ring, a single
one with the original. Each pair is shown twice with the order swapped, since a judge's word depends on the order (REPAIR:
agreement with people falls from 81 % to 71 %): where the two disagree, the confidence falls. A reply that cannot be read
counts as 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from jupyter_selfheal import source as src
from jupyter_selfheal.errors import ProviderError
from jupyter_selfheal.model import BASELINE, JSON, Attempt, Case, Cost, FailureKind, Patch, Role, Trial
from jupyter_selfheal.numbers import read_number
from jupyter_selfheal.ports import ModelReply
from jupyter_selfheal.scoring import output_text
from jupyter_selfheal.scoring.asserts import find_source_before
from jupyter_selfheal.scoring.at_once import run_at_once
from jupyter_selfheal.scoring.expected import list_all_outputs
from jupyter_selfheal.scoring.model_caller import ModelCaller, parse_first_object
from jupyter_selfheal.scoring.read_evidence import read_evidence
from jupyter_selfheal.scoring.verdict import Opinion

AT_MOST = 3
"""Patches of one round that are judged; the others keep the score that they have without a judge."""

SOURCE_CHARS, OUTPUT_CHARS, CONTEXT_CHARS = 4_000, 1_500, 8_000
"""Characters of what is shown."""

UNREADABLE = 3.0
"""What a reply counts that cannot be read."""

LEAST_SURE = 10
"""Percent: a judge's confidence is never less, nor more than what is left of 100 without it."""

SCHEMA: dict[str, JSON] = {
    "type": "object",
    "properties": {
        "feedback_a": {"type": "string"},
        "feedback_b": {"type": "string"},
        "score_a": {"type": "number"},
        "score_b": {"type": "number"},
        "better": {"type": "string", "enum": ["A", "B", "equal"]},
    },
    "required": ["feedback_a", "feedback_b", "score_a", "score_b", "better"],
    "additionalProperties": False,
}

Version = tuple[Patch, Trial]
_T = TypeVar("_T")

Asked = tuple[ModelReply, JSON] | BaseException
"""What came of one question: the reply with its record, or what it raised."""


@dataclass(frozen=True, slots=True)
class _Word:
    """One reply about one version: its score, what was said, and whether it was the better of the two (0 equal)."""

    score: float
    feedback: str
    better: int
    is_read: bool = True


class ModelJudge(ModelCaller):
    """Asks ``config.judge_model`` in pairs, all of them at once."""

    prompt = "judge"
    schema = SCHEMA

    def worst_case(self, case: Case, patches: int) -> Cost:
        """The most that judging so many patches can cost: every text as long as it can be."""
        if self._config.offline or patches < 1:
            return Cost()
        single = self._price_longest(CONTEXT_CHARS + 2 * (SOURCE_CHARS + OUTPUT_CHARS + 500))
        return sum([single] * (2 * len(_pair_versions(range(min(patches, AT_MOST)), -1))), Cost())

    def ask_opinions(
        self, case: Case, baseline: Trial, tried: Sequence[Version], history: Sequence[Attempt]
    ) -> tuple[Mapping[str, Opinion], Cost, JSON]:
        """An opinion on the first :data:`AT_MOST` patches, and what they cost. Raises :class:`ProviderError` with the cost of
        all the questions."""
        if self._config.offline:
            return {}, Cost(), None
        chosen = list(tried[:AT_MOST])
        pairs = [
            pair for one, other in _pair_versions(chosen, (BASELINE, baseline)) for pair in ((one, other), (other, one))
        ]
        answers = run_at_once([partial(self._ask, self._format_question(case, *pair)) for pair in pairs])
        spent = _collect_cost(answers)
        words: dict[str, list[_Word]] = {patch.id: [] for patch, _ in chosen}
        calls: list[JSON] = []
        for pair, (reply, record) in zip(pairs, _require_all(answers, spent), strict=True):
            calls.append(record)
            for (patch, _), word in zip(pair, _parse_words(reply), strict=True):
                words.get(patch.id, []).append(word)
        opinions = {patch_id: _build_opinion(replies) for patch_id, replies in words.items() if replies}
        return opinions, spent, {"calls": calls}

    def _format_question(self, case: Case, first: Version, second: Version) -> str:
        values = self._config.send_values
        parts = (_format_version("A", case, *first, values), _format_version("B", case, *second, values))
        return "\n\n".join((format_context(case), *parts))


def _collect_cost(answers: Sequence[Asked]) -> Cost:
    """What all the questions cost, those that failed included."""
    replies = (answer[0].cost for answer in answers if isinstance(answer, tuple))
    failures = (answer.cost or Cost() for answer in answers if isinstance(answer, ProviderError))
    return sum((*replies, *failures), Cost())


def _require_all(answers: Sequence[Asked], spent: Cost) -> list[tuple[ModelReply, JSON]]:
    """The replies. Raises what the first failed question raised, with the cost of all."""
    for answer in answers:
        if isinstance(answer, ProviderError):
            raise ProviderError(
                str(answer), kind=answer.kind, status=answer.status, request_id=answer.request_id, cost=spent
            ) from answer
        if isinstance(answer, BaseException):
            raise answer
    return [answer for answer in answers if isinstance(answer, tuple)]


def _pair_versions(tried: Sequence[_T], original: _T) -> list[tuple[_T, _T]]:
    """A ring of the patches; a single one with the original."""
    if len(tried) == 1:
        return [(tried[0], original)]
    if len(tried) == 2:
        return [(tried[0], tried[1])]
    return [(tried[n], tried[(n + 1) % len(tried)]) for n in range(len(tried))]


def _build_opinion(words: Sequence[_Word]) -> Opinion:
    """The mean score; the confidence falls where the replies disagree on which is better, and with the spread of scores. Where one
    could not be read there is as little as there can be."""
    scores = [word.score for word in words]
    swapped = [word.better for word in words]
    agree = all(a * b >= 0 and a == b for a, b in zip(swapped[::2], swapped[1::2], strict=False))
    sure = (90 if agree else 50) if all(word.is_read for word in words) else LEAST_SURE
    confidence = sure - 5 * (max(scores) - min(scores))
    worst = min(words, key=lambda word: word.score)
    return Opinion(round(sum(scores) / len(scores), 2), worst.feedback, max(LEAST_SURE, min(90, round(confidence))))


def _parse_words(reply: ModelReply) -> tuple[_Word, _Word]:
    """What a reply says of the first and of the second version."""
    raw = parse_first_object(reply.text) if reply.stop == "end" else None
    try:
        if raw is None:
            raise ValueError("no object")
        scores = [score for n in ("score_a", "score_b") if (score := read_number(raw[n], 0, 10)) is not None]
        if len(scores) < 2:
            raise ValueError("a score is no number from 0 to 10")
        feedback = [" ".join(str(raw[name]).split())[:400] for name in ("feedback_a", "feedback_b")]
        better = {"A": 1, "B": -1}.get(str(raw["better"]), 0)
    except (KeyError, TypeError, ValueError):
        unread = _Word(UNREADABLE, "the judge's reply could not be read", 0, is_read=False)
        return unread, unread
    return _Word(scores[0], feedback[0], better), _Word(scores[1], feedback[1], -better)


# --- what the judge sees --------------------------------------------------------------------------------------------


def format_context(case: Case) -> str:
    """What the cell is for: what the user said, and the cells it depends on."""
    needed = list_needed_cells(case)
    parts = [f"The cell failed with {case.failure.headline}."]
    if case.oracle.spec:
        parts.append(f"What it is for: {case.oracle.spec}")
    if case.hints:
        parts.append("The user says: " + "; ".join(case.hints))
    if needed:
        parts.append("Cells it depends on:\n" + "\n\n".join(f"```python\n{source}\n```" for source in needed))
    return "\n\n".join(parts)[:CONTEXT_CHARS]


def list_needed_cells(case: Case) -> list[str]:
    """The sources of the cells above that the failing cell depends on."""
    above = case.notebook.list_code_before(case.failure.cell_id)
    names = src.find_names(case.failure.source)
    return [above[n].source for n in src.find_backward_slice([c.source for c in above], names.uses | names.changes)]


def _format_version(letter: str, case: Case, patch: Patch, trial: Trial, values: bool) -> str:
    """One version: the cells that differ, as they are in it, and what running it did."""
    ids = dict.fromkeys((case.failure.cell_id, *patch.cells_touched))
    sources = "\n\n".join(f"```python\n{patch.source_of(i, find_source_before(case, i))}\n```" for i in ids)[
        :SOURCE_CHARS
    ]
    return f"# Version {letter}\n{sources}\n\nWhat it did: {describe_run(case, patch, trial, values)[:OUTPUT_CHARS]}"


def describe_run(case: Case, patch: Patch, trial: Trial, values: bool) -> str:
    """What running the cell did, in words; what it showed only where values may be sent."""
    cell = trial.step(Role.CELL)
    if cell is None or not cell.ok:
        error = cell.errors[0] if cell is not None and cell.errors else None
        return f"it failed with {error.ename}: {error.evalue[:200]}" if error else "it did not come to its end"
    known = _describe_checks(case, patch, trial)
    return "; ".join((_describe_output(case, patch, trial, values), *known))


def _describe_checks(case: Case, patch: Patch, trial: Trial) -> Iterator[str]:
    """What is known of a run by yes and no, without a value."""
    seen = read_evidence(case, patch, trial)
    if patch == BASELINE and case.failure.kind is FailureKind.MISSED:
        yield "it missed what is expected of it"
    elif seen.user:
        yield f"what was asked of it is met: {'yes' if all(part.met for part in seen.user) else 'no'}"
    if seen.output.can_decide:
        yield f"the same output as is stored: {'no' if seen.output.differs else 'yes'}"
    for below in seen.below:
        if not below.ran:
            number = case.notebook.index(below.cell_id) + 1
            yield f"cell-{number} below fails after it with {below.error.partition(':')[0] or 'an error'}"


def _describe_output(case: Case, patch: Patch, trial: Trial, values: bool) -> str:
    outputs = list_all_outputs(case, trial, patch)
    text = output_text.join_texts(outputs).strip()
    if not outputs:
        return "it ran and showed nothing"
    if not values:
        kinds = sorted({kind for o in outputs for kind in (o.data or {o.output_type: ""})})
        return f"it ran and showed {', '.join(kinds)} ({len(text.splitlines())} lines; values are not shown)"
    return f"it ran and showed:\n{text}" if text else "it ran and showed a picture"
