"""Which average of several classes a notebook got that ran before it had to be said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from jupyter_selfheal.healers.rules.healer import load_rules
from jupyter_selfheal.model import Applicability, Output
from jupyter_selfheal.testing.rule_conformance import Bench
from tests.needed import needs

pytestmark = needs("sklearn")

SHOWN = (Output("stream", name="stdout", text="0.83\n"),)
ERROR = (Output("error", ename="ValueError", evalue="Target is multiclass"),)


@pytest.mark.parametrize(
    ("python", "above", "outputs", "is_safe"),
    [
        ("2.7.8", "pass", SHOWN, True),
        ("3.5.1", "from sklearn.lda import LDA", SHOWN, False),  # that was there until 0.19
        ("3.5.1", "pass", SHOWN, False),  # may be of two classes, and of any release
        ("2.7.8", "pass", ERROR, False),
        ("2.7.8", "pass", (), False),
    ],
)
def test_the_average_of_old_is_safe_where_the_cell_ran_with_it(
    tmp_path: Path, python: str, above: str, outputs: tuple[Output, ...], is_safe: bool
) -> None:
    score = "print(precision_score([0, 1, 2, 2], [0, 2, 2, 2]))"
    broken = Bench(tmp_path).fail("from sklearn.metrics import precision_score", "pass", score)
    *first, _, failing = broken.case.notebook.cells
    cells = (
        *first,
        replace(broken.case.notebook.cells[-2], given=above),
        replace(failing, outputs=outputs, count=None),
    )
    old = replace(broken, case=replace(broken.case, notebook=replace(broken.case.notebook, cells=cells, python=python)))
    weighted, *others = old.propose_patches(*(r for r in load_rules() if r.code == "SKL113"))
    assert (weighted.applicability is Applicability.SAFE) is is_safe
    assert 'average="weighted"' in weighted.title
    assert all(p.applicability is Applicability.UNSAFE for p in others)
