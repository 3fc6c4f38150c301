"""Runs the rules' examples when the site is built: ``python docs/run_examples.py KEPT CODE…``.

For each example that a rule's page shows, what its failing cell raises and what it gives once it is healed. A result is kept under a hash
of the examples and of the libraries that they ran with, so that an output on a page is what these libraries gave.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.metadata import distributions
from pathlib import Path
from typing import TypedDict

from jupyter_selfheal.model import Cell, Run, TrialRequest
from jupyter_selfheal.testing.failing import SECONDS, find_first_failure
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from jupyter_selfheal.testing.fixtures import NOT_RUN
from jupyter_selfheal.testing.rule_conformance import is_near_miss
from jupyter_selfheal.testing.text_notebook import TextNotebook, parse_file

ROOT = Path(__file__).parents[1]
GOLDEN = ROOT / "tests" / "golden"
KEPT = ROOT / "docs" / "_build" / "examples"
LIBRARIES = (
    "numpy",
    "pandas",
    "matplotlib.pyplot",
    "scipy.stats",
    "sklearn.linear_model",
    "sklearn.ensemble",
    "seaborn",
    "statsmodels.api",
)
SHOWN = 3
"""Examples of a rule that its page shows."""
LINES = 12
"""Of an output that a page shows; the rest is left out, and said to be."""


class Ran(TypedDict):
    """What running one example showed: the ``failure`` as it was given, what the cell gives once it is healed."""

    failure: str
    output: str


def run_examples(codes: Sequence[str], kept: Path = KEPT) -> Mapping[str, Mapping[str, Ran]]:
    """Code of the rule → title of the example → what came of it. What is not kept is run now, in a process of its own."""
    places = find_places(codes, kept)
    if missing := [code for code, place in places.items() if not place.exists()]:
        subprocess.run([sys.executable, "-W", "ignore", __file__, str(kept), *missing], check=True, capture_output=True)
    return {code: json.loads(place.read_text(encoding="utf-8")) for code, place in places.items()}


def find_places(codes: Sequence[str], kept: Path) -> Mapping[str, Path]:
    """The file that keeps each rule's results, named for what they depend on: the examples, Python, and what is installed with its releases."""
    same = hashlib.sha256(sys.version.encode() + Path(__file__).read_bytes())
    same.update(json.dumps(sorted(f"{d.metadata['Name']} {d.version}" for d in distributions())).encode())
    places = {}
    for code in codes:
        digest = same.copy()
        digest.update((GOLDEN / f"{code}.txt").read_bytes())
        places[code] = kept / f"{code}-{digest.hexdigest()[:24]}.json"
    return places


def run_example(example: TextNotebook) -> Ran | None:
    """Run it as it is and as it becomes; None where it does not fail."""
    with tempfile.TemporaryDirectory() as folder:
        example.write_files(Path(folder))
        broken = find_first_failure(example.to_notebook(folder))
        if broken is None:
            return None
        failure = broken.case.failure
        output = "" if example.installs else run_healed(example, failure.cell_id, folder)
        said = (
            re.sub(r"<fake cell \d+>, ", "", failure.headline) or "It does not end: it was stopped at the time limit."
        )
        return {"failure": hide_folder(said, folder), "output": output}


def is_shown(example: TextNotebook) -> bool:
    """True where a page shows it: it is healed, by a cell that becomes another or is run."""
    given = {c.number: c for c in example.cells}
    return not is_near_miss(example) and any(given.get(c.number, c) != c for c in example.healed)


def run_healed(example: TextNotebook, cell_id: str, folder: str) -> str:
    """What the cell that failed gives in the healed notebook, as text."""
    cells = [Cell(f"c{c.number}", c.source, c.kind, c.tags) for c in example.healed]
    steps = [Run(c.source, c.id) for c in cells if c.kind == "code" and NOT_RUN not in c.tags]
    with contextlib.chdir(folder):
        trial, _ = FakeKernel().run(TrialRequest(tuple(steps), timeout=SECONDS))
    ran = [result for step, result in zip(steps, trial.steps, strict=True) if step.cell_id == cell_id]
    text = "".join(o.text or str(o.data.get("text/plain", "")) for result in ran for o in result.outputs)
    lines = hide_folder(text, folder).rstrip().splitlines()
    return "\n".join([*lines[:LINES], *(["…"] if len(lines) > LINES else [])])


def hide_folder(text: str, folder: str) -> str:
    """A text without the folder that the example ran in, and without addresses in memory, so that it is the same each time."""
    return re.sub(r" at 0x[0-9a-f]+", "", text.replace(folder + "/", "").replace(folder, "."))


def main(kept: Path, codes: Sequence[str]) -> None:
    """Run the examples of rules, and write what came of them."""
    kept.mkdir(parents=True, exist_ok=True)
    for name in LIBRARIES:  # before the first example: within one each line of an import is traced, for its time limit
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    for code, place in find_places(codes, kept).items():
        shown = [example for example in parse_file(GOLDEN / f"{code}.txt") if is_shown(example)][:SHOWN]
        found = {example.title: ran for example in shown if (ran := run_example(example))}
        part = place.with_suffix(".part")
        part.write_text(json.dumps(found), encoding="utf-8")
        part.replace(place)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
