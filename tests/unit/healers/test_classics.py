"""Twenty beginners' broken scripts, given without an expected output: what the rules say first is right, or nothing can be seen.

``benchmarks/classics.py`` heals them with the real parts, and with the expected output.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from jupyter_selfheal.model import Cell, Run, TrialRequest
from jupyter_selfheal.testing.failing import Broken, find_first_failure
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from jupyter_selfheal.testing.text_notebook import TextNotebook, parse_file

SCRIPTS = parse_file(Path(__file__).parents[2] / "data" / "classics.txt")
SILENT = ("off by one", "wrong operator", "mutable default", "integer division", "wrong order of arguments")
"""Scripts that run, and print something wrong: only an expected output tells."""


def _fail(script: TextNotebook) -> Broken | None:
    """The script as a notebook that says nothing of what is expected."""
    notebook = script.to_notebook()
    cells = tuple(Cell(c.id, c.source, tags=c.tags) for c in notebook.cells)
    return find_first_failure(replace(notebook, cells=cells))


@pytest.mark.parametrize("script", [s for s in SCRIPTS if s.title not in SILENT], ids=lambda s: s.title)
def test_the_first_patch_of_the_rules_makes_the_script_right(script: TextNotebook) -> None:
    broken = _fail(script)
    assert broken is not None
    patches = broken.propose_patches()
    assert patches, broken.case.failure.headline
    healed = broken.apply_patch(patches[0])
    steps = tuple(Run(text) for text in (*(c.source for c in healed.cells), *script.checks))
    trial, _ = FakeKernel().run(TrialRequest(steps, timeout=5.0))
    assert trial.ran, patches[0].title
    printed = "".join(o.text for o in trial.steps[0].outputs if o.output_type == "stream")
    assert printed.strip() == script.cells[0].settings["stdout"]


@pytest.mark.parametrize("script", [s for s in SCRIPTS if s.title in SILENT], ids=lambda s: s.title)
def test_a_script_that_only_prints_something_wrong_runs(script: TextNotebook) -> None:
    assert _fail(script) is None
