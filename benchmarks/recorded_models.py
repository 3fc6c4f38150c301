"""What comes of a strong, a mediocre and a cheating model: the hand-written recorded sets, healed by the whole path.

    python benchmarks/recorded_models.py

Every case of `tests/recorded` has its replies WRITTEN BY HAND: no model made any, so no figure here is a model's. Requests, replay, trials and evidence are the real ones; the judge gives 7.5
to everything, and every fix of 7 is applied (`--approve all`). *Right* is what makes the notebook do what its case means, by running it; where a case is meant to be left to its reader, nothing
applied. Tokens of replies are characters over four; dollars are those written into the recording (0.004 a reply, the judge's too). Writes benchmarks/rows/scripts/recorded-models.jsonl for
`make figures`.
"""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from benchmarks.measurements import FOLDER, Script, format_script  # noqa: E402
from tests.unit.healers.test_recorded_models import (  # noqa: E402
    CASES,
    FRESH,
    KNOWLEDGE,
    ONE_VALUE,
    TAILORED,
    find_verdict,
    replay,
)

SETS = {
    "twenty cases": CASES,
    "knowledge": KNOWLEDGE,
    "one value": ONE_VALUE,
    "several values": TAILORED + FRESH,
}
MODELS = ("strong", "mediocre", "cheating")


COLUMNS = {
    "right": "right",
    "offered": "right, only offered",
    "left alone": "nothing applied",
    "wrong": "wrong applied",
    "requests": "requests for fixes",
    "judge": "requests to the judge",
    "tokens": "reply tokens",
}


def heal_set(cases: list[dict[str, Any]], model: str) -> tuple[Counter[str], float]:
    """Heal every case with the replies of this model; what came of it, and dollars."""
    seen, dollars = Counter[str](), 0.0
    for raw in cases:
        with tempfile.TemporaryDirectory() as place, contextlib.redirect_stdout(io.StringIO()):  # some cells print
            outcome, case = replay(Path(place), raw, model)
        spent = outcome.spent_by["language_model"]
        seen[find_verdict(raw, outcome, case)] += 1
        seen["requests"] += spent.calls
        seen["judge"] += outcome.cost.calls - spent.calls
        seen["tokens"] += spent.output_tokens
        dollars += outcome.cost.usd
    return seen, dollars


def main() -> None:
    """Heal all of them, write the rows and print the table."""
    script = Script(
        "Recorded models: strong, mediocre and cheating replies",
        "Replies written by hand, which stand for no model's. A judge that gives 7.5 to everything; every fix of 7 is applied. Dollars are those of the recording.",
        "python benchmarks/recorded_models.py",
    )
    for name, cases in SETS.items():
        for model in MODELS:
            told = [raw for raw in cases if model in raw]
            if not told:
                continue
            seen, dollars = heal_set(told, model)
            row = f"{name}, {model}"
            script.add("set, model", row, "cases", len(told))
            for key, column in COLUMNS.items():
                script.add("set, model", row, column, seen[key])
            script.add("set, model", row, "dollars", dollars, digits=3)
    print(format_script(script.write(FOLDER / "recorded-models.jsonl")))


if __name__ == "__main__":
    main()
