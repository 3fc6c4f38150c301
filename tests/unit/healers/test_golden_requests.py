"""The requests as they are sent, held against files: a change of a prompt is seen, and raises its version.

``SELFHEAL_UPDATE_GOLDEN=1 pytest`` writes them anew.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.healers.model.healer import LanguageModelHealer
from jupyter_selfheal.journal.redact import Redactor
from jupyter_selfheal.model import (
    BASELINE,
    Attempt,
    Case,
    Cell,
    Ending,
    ErrorInfo,
    Failure,
    Frame,
    Isolation,
    Notebook,
    Oracle,
    Patch,
    Replace,
    Start,
    StepResult,
    Trial,
    Verdict,
)
from jupyter_selfheal.ports import ModelRequest
from jupyter_selfheal.providers.prompts import read_prompt
from jupyter_selfheal.providers.scripted import ScriptedProvider
from jupyter_selfheal.scoring.critic import ModelCritic
from jupyter_selfheal.scoring.judge import ModelJudge

FOLDER = Path(__file__).parents[2] / "golden" / "requests"

FUNCTION = "def mean(values):\n    return sum(values) / len(value)"
CELL = "key = 'sk-abcdefghijklmnop1234'\naverage = mean([1, 2, 3])\naverage"
FAILURE = Failure(
    "b",
    CELL,
    ename="NameError",
    evalue="name 'value' is not defined",
    line=2,
    statement=1,
    frames=(
        Frame("<cell 2>", 2, "<module>", "average = mean([1, 2, 3])", "b"),
        Frame("<cell 1>", 2, "mean", "return sum(values) / len(value)", "a"),
    ),
)
CASE = Case(
    FAILURE,
    Notebook((Cell("a", FUNCTION), Cell("x", "unrelated = 1"), Cell("b", CELL))),
    Oracle(expect="2.0", spec="the mean"),
    hints=("it worked yesterday",),
    packages={"python": "3.11.7"},
)
PATCH = Patch((Replace("b", CELL, CELL.replace("mean(", "max(")),), "Use max", healer="language_model")
ISOLATED = (Ending.FINISHED, Start.BEFORE_CELL, Isolation("fake"))
FAILED = Trial(
    "", (StepResult("error", errors=(ErrorInfo("NameError", "name 'value' is not defined", 2),)),), *ISOLATED
)
RAN = Trial(PATCH.id, (StepResult("ok"),), *ISOLATED)


def fix(history: tuple[Attempt, ...] = ()) -> ModelRequest:
    healer = LanguageModelHealer(ScriptedProvider([]), HealConfig(), Redactor(), read_prompt)
    return healer.build_request(CASE, history, "mean: function mean(values)")


def judge() -> ModelRequest:
    provider = ScriptedProvider(["{}", "{}"])
    ModelJudge(provider, HealConfig(), Redactor(), read_prompt).ask_opinions(CASE, FAILED, [(PATCH, RAN)], ())
    assert BASELINE.is_empty
    return min(provider.requests, key=lambda r: r.messages[0][1].index("max("))  # both orders are asked at once


def critic() -> ModelRequest:
    provider = ScriptedProvider(["{}"])
    other = Patch((Replace("a", FUNCTION, FUNCTION.replace("len(value)", "len(values)")),), "Write values")
    ModelCritic(provider, HealConfig(), Redactor(), read_prompt).ask_risks(
        CASE, [(other, ()), (PATCH, ("deletion", "network"))]
    )
    return provider.requests[0]


def again() -> ModelRequest:
    verdict = Verdict(PATCH.id, 2.0, False, reasons=("expected 2.0, got 3",), feedback="expected 2.0, got 3")
    return fix((Attempt(PATCH, RAN, verdict, rejection="no max, please"),))


@pytest.mark.parametrize(("name", "make"), [("fix", fix), ("again", again), ("judge", judge), ("critic", critic)])
def test_requests_are_as_written_down(name: str, make: object) -> None:
    request: ModelRequest = make()  # type: ignore[operator]
    text = f"[{read_prompt(request.purpose)[0]}, {request.model}, at most {request.max_tokens} tokens]\n\n{request.system}\n"
    text += "".join(f"\n--- {role} ---\n{said}\n" for role, said in request.messages)
    text += f"\n--- schema ---\n{json.dumps(request.schema, indent=1)}\n"
    path = FOLDER / f"{name}.txt"
    if os.environ.get("SELFHEAL_UPDATE_GOLDEN"):
        path.write_text(text)
    assert text == path.read_text()
    assert "sk-abcdefghijklmnop1234" not in text
    assert "unrelated" not in text


@pytest.mark.parametrize("name", ["fix", "repair", "judge", "critic"])
def test_every_prompt_is_short_and_has_a_version(name: str) -> None:
    version, text = read_prompt(name)
    assert version.startswith(f"{name}-")
    assert 0 < len(text.split()) < 400
    with pytest.raises(FileNotFoundError):
        read_prompt("no such prompt")
