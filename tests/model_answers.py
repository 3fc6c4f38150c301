"""A misspelt key, replies about it, and the healer that reads them; nothing is tried here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.healers.model.healer import LanguageModelHealer
from jupyter_selfheal.journal.redact import Redactor
from jupyter_selfheal.model import (
    Attempt,
    Case,
    Cell,
    Failure,
    Frame,
    Notebook,
)
from jupyter_selfheal.ports import Answer, Starts
from jupyter_selfheal.providers.prices import Prices
from jupyter_selfheal.providers.prompts import read_prompt
from jupyter_selfheal.providers.scripted import ScriptedProvider
from jupyter_selfheal.testing.scripted import NoFacts

SOURCES = ("prices = {'apple': 3, 'pear': 4}", "unrelated = 1", "total = prices['aple'] + prices['pear']\ntotal")


def case_of(sources: Sequence[str] = SOURCES, failing: int = -1, **more: Any) -> Case:
    cells = tuple(Cell(f"id{n}", s) for n, s in enumerate(sources))
    cell = cells[failing]
    failure = Failure(
        cell.id,
        cell.source,
        ename="KeyError",
        evalue="'aple'",
        line=1,
        statement=0,
        frames=(Frame("<cell>", 1, "<module>", "total = prices['aple'] + prices['pear']", cell.id),),
    )
    return Case(failure, Notebook(cells, folder="/home/ann/shop"), **more)


def hypothesis(source: str, title: str = "Fix it", cell: str = "cell-3", action: str = "replace") -> dict[str, Any]:
    return {
        "title": title,
        "cause": "the key is misspelt",
        "risk": "another key was meant",
        "edits": [{"cell": cell, "action": action, "source": source}],
    }


def reply(*hypotheses: dict[str, Any], confidence: Any = 95, kind: str = "code", cell: str = "cell-3") -> str:
    diagnosis = {"cause": "a misspelt key", "cell": cell, "class": kind, "confidence": confidence}
    return json.dumps({"diagnosis": diagnosis, "hypotheses": list(hypotheses)})


FIX = "total = prices['apple'] + prices['pear']\ntotal"
GOOD = reply(
    hypothesis(FIX, "Spell the key right"),
    hypothesis("total = sum(prices.values())\ntotal", "Sum all prices"),
    hypothesis("total = prices.get('aple', 0) + prices['pear']\ntotal", "Take 0 where it is missing"),
)


def healer_of(*lines: Any, **config: Any) -> tuple[LanguageModelHealer, ScriptedProvider]:
    provider = ScriptedProvider(lines, prices=Prices("anthropic"))
    return LanguageModelHealer(provider, HealConfig(**config), Redactor(), read_prompt), provider


def ask(healer: LanguageModelHealer, case: Case, history: Sequence[Attempt] = (), facts: Any = None) -> Answer:
    return healer.propose(case, Starts(), facts or NoFacts(), history)
