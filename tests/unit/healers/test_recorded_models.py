"""A strong, a mediocre and a cheating model on twenty cases, replayed: replies WRITTEN BY HAND, which stand for no model's.

The whole path is real but for the model: requests, replay, trials, evidence, a naive judge (7.5 for everything), ``--approve all``.
"""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from jupyter_selfheal import engine
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.model import Case, Cell, Failure, Notebook, Oracle, Outcome, Output, Patch
from jupyter_selfheal.source import list_statements
from jupyter_selfheal.surfaces.notebook.approve import PolicyApprover
from tests.model_stage import heal

RECORDED = Path(__file__).parents[2] / "recorded"
CASES: list[dict[str, Any]] = tomllib.loads((RECORDED / "cases.toml").read_text())["case"]
KNOWLEDGE: list[dict[str, Any]] = tomllib.loads((RECORDED / "knowledge.toml").read_text())["case"]
TAILORED: list[dict[str, Any]] = tomllib.loads((RECORDED / "tailored.toml").read_text())["case"]
FRESH: list[dict[str, Any]] = tomllib.loads((RECORDED / "fresh.toml").read_text())["case"]
ONE_VALUE: list[dict[str, Any]] = tomllib.loads((RECORDED / "one_value.toml").read_text())["case"]

JUDGE = {"score_a": 7.5, "score_b": 7.5, "better": "equal", "feedback_a": "it runs", "feedback_b": "it runs"}


def build_case(raw: dict[str, Any]) -> Case:
    """The case, with the failure that its cell really has."""
    at, space = raw["failing"] - 1, dict[str, Any]()
    for source in raw["cells"][:at]:
        exec(source, space)
    error = run_to_failure(raw["cells"][at], space)
    line = error.__traceback__.tb_next.tb_lineno if error.__traceback__ and error.__traceback__.tb_next else 1
    outputs = {at: read_stored(raw), at + 1: read_below(raw)}
    cells = tuple(Cell(f"c{n}", s, outputs=outputs.get(n, ())) for n, s in enumerate(raw["cells"]))
    statement = next((s.index for s in list_statements(raw["cells"][at]) if s.first <= line <= s.last), 0)
    failure = Failure(
        f"c{at}", raw["cells"][at], ename=type(error).__name__, evalue=str(error), line=line, statement=statement
    )
    return Case(failure, Notebook(cells), Oracle(expect=raw["expect"]) if "expect" in raw else Oracle())


def read_stored(raw: dict[str, Any]) -> tuple[Output, ...]:
    """What is stored for the failing cell: printed, or its value."""
    if "stored_result" in raw:
        return (Output("execute_result", data={"text/plain": raw["stored_result"]}),)
    return (Output("stream", text=raw["stored"]),) if "stored" in raw else ()


def read_below(raw: dict[str, Any]) -> tuple[Output, ...]:
    return (Output("stream", text=raw["stored_below"]),) if "stored_below" in raw else ()


def run_to_failure(source: str, space: dict[str, Any]) -> Exception:
    try:
        exec(source, space)
    except Exception as error:
        return error
    raise AssertionError("the cell must fail")


def write_recording(folder: Path, raw: dict[str, Any], model: str) -> None:
    """The replies to one case, in the form of a recording."""
    said = raw[model]
    diagnosis = {"cause": "by hand", "class": "stop" if said == "stop" else "code", "confidence": 95}
    edits = [] if said == "stop" else [{"cell": f"cell-{said[0]}", "action": "replace", "source": said[1]}]
    entries = [{"title": "By hand", "cause": "by hand", "risk": "none", "edits": edits}] if edits else []
    text = {"diagnosis": {**diagnosis, "cell": f"cell-{raw['failing']}"}, "hypotheses": entries}
    cost = {"usd": 0.004, "input_tokens": 1200, "output_tokens": len(json.dumps(text)) // 4, "calls": 1}
    for purpose, reply in (("fix", text), ("judge", JUDGE)):
        made = {"version": 1, "written_by": "hand", "answers": {"purpose": purpose, "contains": []}}
        (folder / f"{purpose}.json").write_text(json.dumps({**made, "replies": [{"text": reply, "cost": cost}]}))


def replay(folder: Path, raw: dict[str, Any], model: str) -> tuple[Outcome, Case]:
    write_recording(folder, raw, model)
    case = build_case(raw)
    provider = engine.build_provider(HealConfig(replay=str(folder)))
    outcome, *_ = heal(case, [], make=lambda url, retry: provider, more={"approver": PolicyApprover("all", 7.0)})
    return outcome, case


def find_verdict(raw: dict[str, Any], outcome: Outcome, case: Case) -> str:
    """right, wrong, offered (right, and one value is too little to apply it by itself) or left alone, by what the notebook does with the patch."""
    if not outcome.applied:
        if raw["strong"] == "stop" or raw.get("unknown"):
            return "right"
        first = next((c for p in outcome.proposal for c in p.candidates), None)
        return "offered" if first is not None and is_right(raw, first.patch, case) else "left alone"
    return "right" if is_right(raw, outcome.applied[0].patch, case) else "wrong"


def is_right(raw: dict[str, Any], patch: Patch, case: Case) -> bool:
    space: dict[str, Any] = {}
    try:
        for cell in case.notebook.cells:
            exec(patch.source_of(cell.id, cell.source), space)
        return bool(eval(raw["truth"], space))
    except Exception:
        return False


MODELS = ["strong", pytest.param("mediocre", marks=pytest.mark.slow), "cheating"]


@pytest.mark.parametrize(
    ("model", "least_right"), [("strong", 19), pytest.param("mediocre", 0, marks=pytest.mark.slow), ("cheating", 0)]
)
def test_the_strong_model_is_right_and_nothing_wrong_of_the_others_is_applied(
    model: str, least_right: int, tmp_path: Path
) -> None:
    seen: Counter[str] = Counter()
    wrong: list[str] = []
    tokens = dollars = rounds = 0.0
    asked = 0
    for n, raw in enumerate(CASES):
        folder = tmp_path / str(n)
        folder.mkdir()
        outcome, case = replay(folder, raw, model)
        verdict = find_verdict(raw, outcome, case)
        seen[verdict] += 1
        wrong += [raw["name"]] if verdict == "wrong" or (outcome.applied and model == "cheating") else []
        tokens += outcome.cost.output_tokens
        dollars += outcome.cost.usd
        rounds += outcome.cost.calls
        asked += outcome.spent_by["language_model"].calls
        if model == "strong":
            assert verdict == "right" or (verdict == "offered" and "stored" in raw), (
                raw["name"],
                outcome.reason,
                outcome.detail,
                [a.verdict for a in outcome.attempts],
            )
    print(f"{model} (written by hand): {dict(seen)}, {tokens:.0f} output tokens, ${dollars:.3f}, {rounds:.0f} calls")
    assert wrong == []
    assert seen["right"] + seen["offered"] >= least_right
    assert asked == len(CASES) or model != "strong", "its first hypothesis is right: nobody pays for a second"
    assert len(CASES) == 20


def test_nothing_that_writes_the_answer_down_in_parts_is_applied(tmp_path: Path) -> None:
    cases = [raw for raw in CASES if "partly" in raw]
    for n, raw in enumerate(cases):
        (tmp_path / str(n)).mkdir()
        outcome, _ = replay(tmp_path / str(n), raw, "partly")
        assert not outcome.applied, raw["name"]
        assert outcome.attempts, raw["name"]
    assert len(cases) == 5


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.slow
def test_one_stored_value_alone_applies_no_patch_of_a_model(model: str, tmp_path: Path) -> None:
    """A naive judge likes all of it; of a strong model what is right is offered, for one call each."""
    applied, offered, asked = list[str](), list[str](), 0
    for n, raw in enumerate(ONE_VALUE):
        (tmp_path / str(n)).mkdir()
        outcome, case = replay(tmp_path / str(n), raw, model)
        asked += outcome.spent_by["language_model"].calls
        verdict = find_verdict(raw, outcome, case)
        applied += [f"{raw['name']}: {verdict}"] if outcome.applied else []
        offered += [raw["name"]] if verdict == "offered" else []
    print(f"{model} (written by hand): {len(applied)} applied {applied}, {len(offered)} offered, {asked} calls")
    assert not applied or model == "strong", applied
    assert not any(line.endswith("wrong") for line in applied)
    assert model != "strong" or len(offered) + len(applied) == asked == len(ONE_VALUE)
    assert len(ONE_VALUE) == 17


@pytest.mark.parametrize("model", MODELS)
def test_what_needs_knowledge_is_right_or_offered_and_nothing_wrong_is_applied(model: str, tmp_path: Path) -> None:
    seen = dict[str, list[str]]()
    for n, raw in enumerate(KNOWLEDGE):
        (tmp_path / str(n)).mkdir()
        outcome, case = replay(tmp_path / str(n), raw, model)
        seen.setdefault(find_verdict(raw, outcome, case), []).append(raw["name"])
        assert model == "strong" or not outcome.applied, raw["name"]
        assert model != "strong" or not any(a.verdict.tampering for a in outcome.attempts if a.verdict), raw["name"]
        why = [
            (a.rejection, a.verdict, a.trial and (a.trial.ending, [s.status for s in a.trial.steps]))
            for a in outcome.attempts
        ]
        assert model != "strong" or find_verdict(raw, outcome, case) in ("right", "offered"), (
            raw["name"],
            outcome.reason,
            outcome.detail,
            why,
        )
    print(f"{model} (written by hand): {seen}")
    if model == "strong":
        assert sorted(name for kind in ("right", "offered") for name in seen[kind]) == sorted(
            r["name"] for r in KNOWLEDGE
        )
        assert len(seen["right"]) >= 8


@pytest.mark.parametrize("model", [pytest.param("strong", marks=pytest.mark.slow), "cheating"])
def test_what_was_made_to_meet_every_assert_is_not_applied_though_it_follows_its_inputs(
    model: str, tmp_path: Path
) -> None:
    applied = []
    for n, raw in enumerate(TAILORED + FRESH):
        (tmp_path / str(n)).mkdir()
        outcome, case = replay(tmp_path / str(n), raw, model)
        assert model == "strong" or not outcome.applied, raw["name"]
        applied += [raw["name"]] if outcome.applied and find_verdict(raw, outcome, case) == "right" else []
    assert model != "strong" or applied == [raw["name"] for raw in TAILORED + FRESH if raw["strong"] != "stop"]


def test_a_tailored_reply_meets_every_assert_and_is_wrong() -> None:
    for raw in TAILORED + FRESH:
        for model, is_meant in (("strong", True), ("cheating", False)):
            space: dict[str, Any] = {}
            if raw[model] == "stop":
                continue
            at, source = raw[model]
            for cell in [source if n == at - 1 else text for n, text in enumerate(raw["cells"])]:
                exec(cell, space)
            assert bool(eval(raw["truth"], space)) is is_meant, (raw["name"], model)


def test_a_case_is_a_fair_one() -> None:
    """What the mediocre model writes is wrong, and what the strong one writes is right, by running it."""
    for raw in (*CASES, *ONE_VALUE, *KNOWLEDGE):
        case = build_case(raw)
        for model in ("strong", "mediocre", "cheating"):
            if raw[model] == "stop":
                continue
            at, source = raw[model]
            cells = [source if n == at - 1 else c.source for n, c in enumerate(case.notebook.cells)]
            space: dict[str, Any] = {}
            try:
                for cell in cells:
                    exec(cell, space)
                holds = bool(eval(raw["truth"], space))
            except Exception:
                holds = False
            assert holds or model != "strong", raw["name"]
            assert not holds or model != "mediocre", raw["name"]
