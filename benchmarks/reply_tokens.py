"""What replies cost where one hypothesis is asked for first, against three at once: the hand-written recorded set, healed in both ways.

    python benchmarks/reply_tokens.py

Every case of `tests/recorded/cases.toml` has a right reply, a mediocre and a cheating one, all WRITTEN BY HAND: no model made any, so no figure here is a model's. Each case is
healed with its three replies given in one answer, as a provider that is asked for three at once would, and one after the other: the first alone, and the other two only where
it failed its trial and the product asks again. *Right first* puts the right reply first, *right second* the mediocre one, *right last* both others. Tokens are the answers' characters over four,
in both ways alike; the diagnosis is written with each answer. Writes benchmarks/rows/scripts/reply-tokens.jsonl for `make figures`.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from benchmarks.measurements import FOLDER, Script, format_script  # noqa: E402
from jupyter_selfheal import engine  # noqa: E402
from jupyter_selfheal.config import HealConfig  # noqa: E402
from jupyter_selfheal.surfaces.notebook.approve import PolicyApprover  # noqa: E402
from tests.model_stage import heal  # noqa: E402
from tests.unit.healers.test_recorded_models import CASES, JUDGE, build_case, find_verdict  # noqa: E402

ORDERS = {
    "right first": ("strong", "mediocre", "cheating"),
    "right second": ("mediocre", "strong", "cheating"),
    "right last": ("mediocre", "cheating", "strong"),
}
WAYS = {"one first": (1, 2), "three at once": (3,)}
"""How many hypotheses each answer holds."""


@dataclass
class Sum:
    """What the cases of one row came to."""

    verdicts: Counter[str] = field(default_factory=Counter)
    requests: list[float] = field(default_factory=list)
    tokens: list[float] = field(default_factory=list)


def write_answer(raw: dict[str, Any], models: tuple[str, ...]) -> dict[str, Any]:
    """One answer with the replies of these, as a provider would send it."""
    diagnosis = {"cause": "by hand", "class": "code", "confidence": 95, "cell": f"cell-{raw['failing']}"}
    texts = {"title": "By hand", "cause": "by hand", "risk": "none"}
    edits = [[{"cell": f"cell-{n}", "action": "replace", "source": s}] for n, s in (raw[model] for model in models)]
    return {"diagnosis": diagnosis, "hypotheses": [{**texts, "edits": one} for one in edits]}


def write_recording(folder: Path, raw: dict[str, Any], order: tuple[str, ...], way: tuple[int, ...]) -> None:
    """The answers, one for each request, and a judge who likes everything."""
    answers, at = [], 0
    for count in way:
        text = write_answer(raw, order[at : at + count])
        at += count
        cost = {"usd": 0.001, "input_tokens": 1200, "output_tokens": len(json.dumps(text)) // 4, "calls": 1}
        answers.append({"text": text, "cost": cost})
    for purpose, replies in (("fix", answers), ("judge", [{"text": JUDGE, "cost": {"calls": 1}}])):
        made = {"version": 1, "written_by": "hand", "answers": {"purpose": purpose, "contains": []}, "replies": replies}
        (folder / f"{purpose}.json").write_text(json.dumps(made))


def heal_case(raw: dict[str, Any], order: tuple[str, ...], way: tuple[int, ...], row: Sum) -> None:
    """Heal one case by the whole path, and add what it took."""
    with tempfile.TemporaryDirectory() as place:
        write_recording(Path(place), raw, order, way)
        case = build_case(raw)
        provider = engine.build_provider(HealConfig(replay=place))
        more = {"approver": PolicyApprover("all", 7.0)}
        outcome, *_ = heal(case, [], make=lambda url, retry: provider, more=more, hypotheses=3)
    spent = outcome.spent_by["language_model"]
    row.verdicts[find_verdict(raw, outcome, case)] += 1
    row.requests.append(spent.calls)
    row.tokens.append(spent.output_tokens)


def main() -> None:
    """Heal all in both ways, write the rows and print their tables."""
    cases = [raw for raw in CASES if raw["strong"] != "stop"]
    script = Script(
        "Tokens of replies: one hypothesis first, or three at once",
        f"{len(cases)} recorded cases whose three replies are written by hand, so this says what asking costs and nothing of a model. Tokens are characters over four.",
        "python benchmarks/reply_tokens.py",
    )
    for name, order in ORDERS.items():
        totals = dict[str, float]()
        for way, counts in WAYS.items():
            row = Sum()
            for raw in cases:
                with contextlib.redirect_stdout(io.StringIO()):  # the cells of the cases are run, and some print
                    heal_case(raw, order, counts, row)
            label, totals[way] = f"{name}, {way}", sum(row.tokens)
            script.add(
                "order of the replies",
                label,
                "healed right or rightly offered",
                row.verdicts["right"] + row.verdicts["offered"],
            )
            script.add("order of the replies", label, "healed wrong", row.verdicts["wrong"])
            script.add("order of the replies", label, "requests", sum(row.requests))
            script.add("order of the replies", label, "reply tokens", sum(row.tokens))
            script.add("order of the replies", label, "reply tokens a case, median", row.tokens)
        ratio = totals["one first"] / totals["three at once"]
        script.add("one first, as a multiple of three at once", name, "reply tokens", ratio, digits=2)
    print(format_script(script.write(FOLDER / "reply-tokens.jsonl")))


if __name__ == "__main__":
    main()
