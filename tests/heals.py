"""Small words for tests of whole heals: what happened, scripted models, requests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from jupyter_selfheal.model import (
    Applicability,
    Cost,
    Run,
    TrialRequest,
)
from jupyter_selfheal.ports import Answer, HealDependencies
from jupyter_selfheal.testing.scripted import (
    ScriptedHealer,
)
from tests.stages import Stage

MakeStage = Callable[..., Stage]
UNSAFE = Applicability.UNSAFE


def events(parts: HealDependencies, kind: type | None = None) -> list[object]:
    found = list(parts.journal.events())
    return found if kind is None else [e for e in found if isinstance(e, kind)]


def names(parts: HealDependencies) -> list[str]:
    return [type(e).__name__ for e in events(parts)]


def model(*answers: Answer | Exception, worst: float = 0.01) -> ScriptedHealer:
    return ScriptedHealer(answers, name="language_model", paid=True, worst=Cost(usd=worst, calls=1))


def costly(answer_: Answer, usd: float = 0.004) -> Answer:
    return Answer(answer_.patches, answer_.diagnosis, Cost(usd=usd, calls=1), exhausted=False)


def request_of(code: str):  # type: ignore[no-untyped-def]
    return TrialRequest((Run(code, "c1"),))


def with_(parts: HealDependencies, **changes: object) -> HealDependencies:
    return replace(parts, **changes)  # type: ignore[arg-type]
