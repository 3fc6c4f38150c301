"""A failure whose message holds another one: that one is told, and mended."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from jupyter_selfheal.healers.rules.context.held_failure import view_held_failure
from jupyter_selfheal.model import Case, Failure
from jupyter_selfheal.testing.fixtures import build_notebook
from jupyter_selfheal.testing.rule_conformance import Bench

RULE = "-" * 80
LIBRARY = '  File "/lib/sklearn/model_selection/_validation.py", line 8, in _fit_and_score\n    estimator.fit(X, y)\n'
OWN = '  File "/tmp/ipykernel_3/17.py", line 2, in transform\n    return X + gap\n    ~~^~~\n'


def tell(*blocks: tuple[int, str, str], fits: int = 6) -> Failure:
    parts = [
        f"{RULE}\n{n} fits failed with the following error:\nTraceback (most recent call last):\n{frames}{raised}\n"
        for n, frames, raised in blocks
    ]
    text = f"\nAll the {fits} fits failed.\nIt is very likely that your model is misconfigured.\n\n" + "\n".join(parts)
    return Failure("", "search.fit(X, y)", ename="ValueError", evalue=text, line=1)


def test_the_failure_that_came_up_most_often_is_told() -> None:
    held = tell((2, LIBRARY, "TypeError: another"), (4, LIBRARY + OWN, "sklearn.x.Refused: no gap\nand more")).held
    assert held is not None
    assert (held.ename, held.evalue) == ("Refused", "no gap\nand more")
    assert [f.line for f in held.frames] == [8, 2]
    assert tell((6, LIBRARY, "TypeError: no gap")).headline == "All the 6 fits failed: TypeError: no gap"
    assert tell((6, LIBRARY, "MemoryError")).headline == "All the 6 fits failed: MemoryError"


@pytest.mark.parametrize(
    "failure",
    [
        Failure("", "f()", ename="ValueError", evalue="All the 6 fits failed."),
        replace(tell((6, LIBRARY, "TypeError: no gap")), ename="FitFailedWarning"),
        replace(
            tell((6, LIBRARY, "TypeError: no gap")), evalue=f"4 fits failed out of a total of 6.\n{RULE}\n{LIBRARY}"
        ),
        tell((6, "", "TypeError: no gap")),
    ],
    ids=["nothing more", "another exception", "not all", "no traceback"],
)
def test_what_holds_no_failure_is_told_as_it_is(failure: Failure) -> None:
    assert failure.held is None
    assert view_held_failure(Case(failure)) is None
    assert "no gap" not in failure.headline


@pytest.mark.parametrize(
    ("cells", "found"),
    [
        (["def transform(X):\n    return X + gap", "search.fit(X, y)"], [0]),
        (["def transform(X):\n    return X - gap", "search.fit(X, y)"], []),
        (["def transform(X):\n    return X + gap"] * 2 + ["search.fit(X, y)"], []),
    ],
    ids=["the line", "another line", "two such lines"],
)
def test_a_frame_is_found_in_the_one_cell_that_has_its_line(cells: list[str], found: list[int]) -> None:
    notebook = build_notebook(cells)
    failure = replace(tell((6, LIBRARY + OWN, "TypeError: no gap")), cell_id=notebook.cells[-1].id)
    case = view_held_failure(Case(failure, notebook))
    assert case is not None
    assert [f.cell_id for f in case.failure.frames if f.cell_id] == [notebook.cells[n].id for n in found]


STEP = "from sklearn.base import BaseEstimator, TransformerMixin\nimport numpy as np\n\nclass Scaled(TransformerMixin, BaseEstimator):\n"
STEP += "    def fit(self, X, y=None):\n        return self\n    def transform(self, X):\n        return np.asarray(X, dtype=np.float)"
FIT = "from sklearn.model_selection import cross_val_score\nfrom sklearn.pipeline import make_pipeline\nfrom sklearn.tree import DecisionTreeClassifier\n"
FIT += "cross_val_score(make_pipeline(Scaled(), DecisionTreeClassifier()), [[1], [2], [3], [4]], [0, 1, 0, 1], cv=2)"


@pytest.mark.slow
def test_a_slip_in_a_step_of_a_pipeline_is_mended_where_it_is(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    broken = Bench(tmp_path).fail(STEP, FIT)
    assert broken.case.failure.headline.startswith(
        "All the 2 fits failed: AttributeError: module 'numpy' has no attribute 'float'"
    )
    after = broken.apply_patch(broken.propose_patches()[0])
    assert [c.source for c in after.cells] == [STEP.replace("np.float", "float"), FIT]
