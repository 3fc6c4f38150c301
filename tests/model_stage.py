"""Whole heals by a language model alone: the real SDK over a socket, against a server that does what its script says."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from jupyter_selfheal import engine
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.healers.memory.healer import MemoryHealer
from jupyter_selfheal.journal.redact import Redactor
from jupyter_selfheal.loop import driver
from jupyter_selfheal.model import Case, Cell, Decision, Failure, Notebook
from jupyter_selfheal.ports import HealDependencies, Journal, Provider, Starts
from jupyter_selfheal.providers.anthropic import AnthropicProvider
from jupyter_selfheal.providers.openai_compatible import OpenAICompatibleProvider
from jupyter_selfheal.providers.prices import Prices
from jupyter_selfheal.providers.retry import Retry
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from jupyter_selfheal.testing.fake_model_server import FakeModelServer
from jupyter_selfheal.testing.scripted import ListJournal, NoFacts, ScriptedApprover, ScriptedDiagnoser

SOURCES = ("prices = {'apple': 3, 'pear': 4}", "total = prices['aple'] + prices['pear']\ntotal")
FIX = "total = prices['apple'] + prices['pear']\ntotal"
WRONG = "total = prices.get('aple', 0) + prices['pear']\ntotal"


def case_of(*below: str, **more: Any) -> Case:
    """A misspelt key, which the second cell fails on."""
    cells = tuple(Cell(f"id{n}", s) for n, s in enumerate((*SOURCES, *below)))
    failure = Failure("id1", SOURCES[1], ename="KeyError", evalue="'aple'", line=1, statement=0)
    return Case(failure, Notebook(cells), **more)


def hypothesis(source: str, title: str = "Fix it", cell: str = "cell-2") -> dict[str, Any]:
    edits = [{"cell": cell, "action": "replace", "source": source}]
    return {"title": title, "cause": "the key is misspelt", "risk": "another key was meant", "edits": edits}


def reply(*hypotheses: dict[str, Any], confidence: int = 95) -> str:
    diagnosis = {"cause": "a misspelt key", "cell": "cell-2", "class": "code", "confidence": confidence}
    return json.dumps({"diagnosis": diagnosis, "hypotheses": list(hypotheses)})


GOOD = reply(hypothesis(FIX, "Spell the key right"), hypothesis("total = sum(prices.values())\ntotal", "Sum all"))


def text_of(received: Any) -> str:
    """Everything that a request says (of OpenAI's form too)."""
    said = [message["content"] for message in received.body["messages"]]
    return "\n".join(text if isinstance(text, str) else "\n".join(part["text"] for part in text) for text in said)


def heal(
    case: Case,
    lines: Sequence[Any],
    decisions: Sequence[Decision] = (),
    url: str = "",
    remember: Path | None = None,
    retry: Retry | None = None,
    more: dict[str, Any] | None = None,
    make: Callable[[str, Retry], Provider] | None = None,
    **config: Any,
) -> tuple[Any, ...]:
    """A whole heal with a model and nothing else: (outcome, approver, journal, requests).

    One hypothesis a call is enough, unless ``hypotheses`` says otherwise. ``more`` changes the parts.
    """
    approver, journal = ScriptedApprover(decisions), ListJournal()
    made = settings(**config)
    with FakeModelServer(lines) as server:
        waits = retry or Retry(sleep=lambda seconds: None)
        provider = (make or claude)(url or server.url, waits)
        memory = (MemoryHealer(remember),) if remember else ()
        parts = parts_of(case, provider, made, approver, journal)
        parts = replace(parts, healers=(*memory, *parts.healers), learners=tuple(h.learn for h in memory))
        return driver.heal(case, replace(parts, **(more or {}))), approver, journal, server.requests


def claude(url: str, retry: Retry) -> Provider:
    return AnthropicProvider(key="k", base_url=url, retry=retry)


def compatible(url: str, retry: Retry) -> Provider:
    """The same models behind a chat completions API."""
    return OpenAICompatibleProvider(base_url=f"{url}/v1", prices=Prices("anthropic"), retry=retry)


def settings(**config: Any) -> HealConfig:
    return HealConfig(healers=("language_model",), consent=True, **{"hypotheses": 1, **config})


def parts_of(
    case: Case, provider: Provider, config: HealConfig, approver: ScriptedApprover, journal: Journal
) -> HealDependencies:
    above, redactor = [c.source for c in case.notebook.list_code_before(case.failure.cell_id)], Redactor()
    return HealDependencies(
        starts=Starts(before=(FakeKernel(above),)),
        facts=NoFacts(),
        healers=engine.build_healers(config, provider, redactor),
        diagnoser=ScriptedDiagnoser(),
        scorer=engine.build_judged_scorer(config, provider, redactor),
        approver=approver,
        journal=journal,
        config=config,
        fallback_scorer=engine.build_free_scorer(config),
        critic=engine.build_critic(config, provider, redactor),
    )
