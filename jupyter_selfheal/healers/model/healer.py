"""The last and only paid healer: a language model gives one hypothesis, and several others only where that one failed its trial."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import ProviderError
from jupyter_selfheal.healers.model import context
from jupyter_selfheal.healers.model.history import format_task
from jupyter_selfheal.healers.model.reply import SCHEMA, SURE, Malformed, Reading, parse_reply
from jupyter_selfheal.healers.model.reply_length import foresee_reply
from jupyter_selfheal.model import JSON, Attempt, Case, Cost, Reason
from jupyter_selfheal.ports import (
    Answer,
    Facts,
    HealerSetup,
    ModelReply,
    ModelRequest,
    Provider,
    Redacts,
    Starts,
    build_call_record,
)

Prompts = Callable[[str], tuple[str, str]]
"""Name of a prompt → (version, text)."""

REPAIR_MARGIN = 1.5
"""How many times the tokens of a malformed reply its repair may have: the same words in their form."""

_STOPS = {"truncated": Reason.TRUNCATED, "context": Reason.TRUNCATED, "refused": Reason.REFUSED}

_WORDS = {
    "truncated": "the reply was cut at {tokens} tokens: raise max_tokens (`--max-tokens`, or c.SelfHeal.max_tokens)",
    "context": "the request is longer than the model can read: use a model with a larger context",
    "refused": "the model refused to answer",
}


class LanguageModelHealer:
    """Asks a model. Nothing is sent under ``config.offline``; secrets are replaced before anything is.

    ``prompts`` reads a prompt by its name; ``progress`` is told each piece of a reply as it comes, and may raise to cancel.
    """

    name = "language_model"
    paid = True

    def __init__(
        self,
        provider: Provider,
        config: HealConfig,
        redactor: Redacts,
        prompts: Prompts,
        progress: Callable[[str], Any] | None = None,
    ) -> None:
        self._provider = provider
        self._config = config
        self._redactor = redactor
        self._prompts = prompts
        self._progress = progress
        self._was_cut = False
        self._unusable: tuple[str, ...] = ()

    @classmethod
    def build(cls, setup: HealerSetup) -> LanguageModelHealer | None:
        """Asks the configured provider, where there is one."""
        if setup.provider is None:
            return None
        return cls(setup.provider, setup.config, setup.redactor, setup.prompts)

    def worst_case(self, case: Case, history: Sequence[Attempt]) -> Cost:
        """See :class:`~jupyter_selfheal.ports.Healer`: the request as long as it can be. A repair request is made only where
        it fits into what the first call left of this."""
        if self._config.offline:
            return Cost()
        return self._provider.worst_case(self.build_request(case, history, context.build_longest_variables(case)))

    def propose(self, case: Case, starts: Starts, facts: Facts, history: Sequence[Attempt]) -> Answer:
        """See :class:`~jupyter_selfheal.ports.Healer`. A reply that cannot be read is no crash and no uncounted cost: the
        answer has no patches, says so, and records what came. The next request tells what was wrong with it: an equal one would get an equal reply."""
        if self._config.offline:
            return Answer(note="offline: no model was asked")
        was_cut, answer = self._was_cut, self._ask(case, facts, history)
        is_longer = self._was_cut and not was_cut
        if not (answer.patches or is_longer) and answer.note not in (*self._unusable, ""):
            self._unusable = (*self._unusable, answer.note)
        return answer

    def _ask(self, case: Case, facts: Facts, history: Sequence[Attempt]) -> Answer:
        worst = self.worst_case(case, history)
        request = self._build_request_within(worst, case, facts, history)
        reply = self._provider.complete(request, self._progress)
        calls = [self._build_record(request, reply)]
        if reply.stop == "truncated" and request.max_tokens < self._config.max_tokens:
            self._was_cut = True
            note = f"the reply was cut at {request.max_tokens} tokens: the next one may have {self._config.max_tokens}"
            return _build_answer(calls, reply.cost, note)
        if reply.stop in _STOPS:
            note = _WORDS[reply.stop].format(tokens=request.max_tokens)
            return _build_answer(calls, reply.cost, note, stop=_STOPS[reply.stop].value)
        try:
            reading = parse_reply(reply.text, case, self._redactor.restore)
        except Malformed as problem:
            return self._ask_for_repair(case, reply, calls, worst, str(problem))
        return _answer_from_reading(reading, calls, reply.cost)

    def _build_request_within(self, worst: Cost, case: Case, facts: Facts, history: Sequence[Attempt]) -> ModelRequest:
        """The request with the live variables, the last of them left out where the text of one takes more tokens than were foreseen."""
        lines = context.ask_variables(case, facts, self._config.send_values).split("\n")
        while True:
            request = self.build_request(case, history, "\n".join(lines))
            if not lines or self._provider.worst_case(request).input_tokens <= worst.input_tokens:
                return request
            lines.pop()

    def preview(self, case: Case, facts: Facts, history: Sequence[Attempt]) -> JSON:
        """The record of the call that :meth:`propose` would make: its request word for word, and no reply."""
        request = self._build_request_within(self.worst_case(case, history), case, facts, history)
        return {"calls": [self._build_record(request, ModelReply("", "not sent", Cost()))]}

    def build_request(self, case: Case, history: Sequence[Attempt], variables: str) -> ModelRequest:
        """The request exactly as it is sent: with as much of the other cells as the budget of a heal allows for one call."""
        longest = context.build_longest_variables(case)
        for cells_chars in (context.CELLS_CHARS, context.CELLS_CHARS // 2, context.CELLS_CHARS // 4, 0):
            at_most = self._provider.worst_case(self._build_model_request(case, history, longest, cells_chars))
            if at_most.usd <= self._config.budget_usd:
                break
        return self._build_model_request(case, history, variables, cells_chars)

    def _build_model_request(
        self, case: Case, history: Sequence[Attempt], variables: str, cells_chars: int
    ) -> ModelRequest:
        _, system = self._prompts("fix")
        was_asked = _was_asked_before(history) or bool(self._unusable)
        count, values = self._config.hypotheses if was_asked else 1, self._config.send_values
        texts = (
            context.describe_case(case, variables, cells_chars, values),
            format_task(case, history, count, values, self._unusable),
        )
        return ModelRequest(
            system=system,
            messages=tuple(("user", self._redactor.redact(text)) for text in texts),
            model=self._config.model,
            max_tokens=self._limit_reply(case, count, history),
            schema=SCHEMA,
            effort=self._config.effort,
            temperature=self._config.temperature,
        )

    def _limit_reply(self, case: Case, hypotheses: int, history: Sequence[Attempt]) -> int:
        """Tokens of a reply: what is foreseen; all that are allowed once a reply was cut, or where the model thinks for as long as it
        likes."""
        most = self._config.max_tokens
        if self._was_cut or self._config.effort:
            return most
        cells = (case.failure.source, *(c.source for c in context.pick_other_cells(case)))
        return min(most, foresee_reply(cells, hypotheses, history, self.name))

    def _ask_for_repair(self, case: Case, reply: ModelReply, calls: list[JSON], worst: Cost, problem: str) -> Answer:
        """One request to put a malformed reply right, if there is money left of what was set aside for this call."""
        note = f"malformed reply: {problem}"
        request = self._build_repair_request(reply, problem)
        if not _can_afford(reply.cost + self._provider.worst_case(request), worst):
            return _build_answer(calls, reply.cost, note)
        try:
            again = self._provider.complete(request, self._progress)
        except ProviderError as error:
            return _build_answer(
                calls, reply.cost + (error.cost or Cost()), f"{note}; {error}", Reason.INFRASTRUCTURE.value
            )
        cost = reply.cost + again.cost
        calls.append(self._build_record(request, again))
        try:
            return _answer_from_reading(parse_reply(again.text, case, self._redactor.restore), calls, cost)
        except Malformed as still:
            return _build_answer(calls, cost, f"malformed reply, also when asked again: {still}")

    def _build_repair_request(self, reply: ModelReply, problem: str) -> ModelRequest:
        _, system = self._prompts("repair")
        text = f"The problem: {problem}\n\nThe text:\n{self._redactor.restore(reply.text)}"
        return ModelRequest(
            system=system,
            messages=(("user", self._redactor.redact(text)),),
            model=self._config.model,
            max_tokens=min(self._config.max_tokens, max(500, round(REPAIR_MARGIN * reply.cost.output_tokens))),
            schema=SCHEMA,
            purpose="repair",
        )

    def _build_record(self, request: ModelRequest, reply: ModelReply) -> JSON:
        prompt = self._prompts(request.purpose)[0]
        return build_call_record(request, reply, provider=self._provider.name, prompt=prompt, redactor=self._redactor)


def _build_answer(calls: list[JSON], cost: Cost, note: str, stop: str = "") -> Answer:
    return Answer(cost=cost, note=note, exhausted=False, stop=stop, record={"calls": calls})


def _answer_from_reading(reading: Reading, calls: list[JSON], cost: Cost) -> Answer:
    """What a reply says, with what is odd about it."""
    diagnosis, notes, patches = reading.diagnosis, list(reading.notes), reading.patches
    if not _is_sure(reading):
        patches = ()
        notes.append(f"the model is {diagnosis.confidence} % sure that code is at fault: nothing is rewritten")
    elif not patches:
        notes.append("the model gave no hypothesis that can be tried")
    return replace(_build_answer(calls, cost, "; ".join(notes)), patches=patches, diagnosis=(diagnosis,))


def _is_sure(reading: Reading) -> bool:
    return reading.diagnosis.confidence >= SURE


def _was_asked_before(history: Sequence[Attempt]) -> bool:
    return any(LanguageModelHealer.name in attempt.patch.healer.split("+") for attempt in history)


def _can_afford(cost: Cost, worst: Cost) -> bool:
    if cost.unknown or worst.unknown:
        return cost.input_tokens + cost.output_tokens <= worst.input_tokens + worst.output_tokens
    return cost.usd <= worst.usd
