from __future__ import annotations

import pytest

from jupyter_selfheal.model import BASELINE, Patch, Replace
from jupyter_selfheal.scoring.randomness import draws_unseeded
from jupyter_selfheal.scoring.read_evidence import read_evidence
from tests.scoring_cases import case_of, patch_of, try_patch


@pytest.mark.parametrize(
    "sources",
    [
        ["import numpy as np", "print(np.random.rand(3))"],
        ["from scipy import stats", "data = stats.bernoulli(.1).rvs(size=9)", "print(data.mean())"],
        ["import random", "xs = random.sample(range(9), 3)", "print(sum(xs))"],
        ["import numpy as np", "rng = np.random.default_rng()", "print(rng.normal())"],
        ["df = df.sample(frac=1, random_state=None)", "print(df)"],
    ],
)
def test_draws_that_the_cell_depends_on_make_its_numbers_new_in_every_run(sources: list[str]) -> None:
    assert draws_unseeded(case_of(sources, failing=len(sources) - 1), BASELINE)


@pytest.mark.parametrize(
    "sources",
    [
        ["import numpy as np", "np.random.seed(0)", "print(np.random.rand(3))"],
        ["import numpy as np", "rng = np.random.default_rng(1)", "print(rng.normal())"],
        ["df = df.sample(frac=1, random_state=7)", "print(df)"],
        ["import random", "noise = random.random()", "total = 3", "print(total)"],
        ["print(sum([1, 2]))"],
    ],
)
def test_seeded_draws_and_draws_that_the_cell_does_not_read_leave_its_numbers_as_they_are(sources: list[str]) -> None:
    assert not draws_unseeded(case_of(sources, failing=len(sources) - 1), BASELINE)


def test_a_cell_that_does_not_parse_is_read_as_the_patch_makes_it() -> None:
    case = case_of(["d = stats.norm.rvs(size=9)", "print mean(d)"], failing=1)
    mended = Replace("c1", "print mean(d)", "print(mean(d))")
    assert draws_unseeded(case, Patch((mended,), title="print is a function"))


def test_what_a_model_gives_is_drawn_in_a_cell_that_did_not_parse_too() -> None:
    model = "class Model:\n    def fit(self):\n        return self\n    predict = int"
    case = case_of([model, "m = Model().fit()", "p = m.predict()", "print p"], failing=3)
    patch = patch_of(case, "print(p)")
    assert read_evidence(case, patch, try_patch(case, patch)).drawn
    plain = case_of(["p = [1]", "print p"], failing=1)
    patch = patch_of(plain, "print(p)")
    assert not read_evidence(plain, patch, try_patch(plain, patch)).drawn
