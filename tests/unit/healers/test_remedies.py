"""What the messages of libraries say is to be done, as the one reader for all rules reads it."""

from __future__ import annotations

import pytest

from jupyter_selfheal.healers.rules.context.remedies import (
    Argument,
    Options,
    find_excluded,
    find_options,
    list_conditions,
)

CONDITIONS = {
    "Out of bag estimation only available if bootstrap=True": [Argument("bootstrap", "True")],
    "Solver liblinear supports only dual=False, got dual=True": [Argument("dual", "False")],
    "The fit_inverse_transform parameter was not set to True when instantiating": [Argument("fit_inverse_transform", "True")],
    "estimator must be None when specifying units": [Argument("estimator", "None")],
    "`brack` must be None if `optimizer` is given": [Argument("brack", "None")],
    "`rng` must be unspecified. Use the `MonteCarloMethod` `rng` argument": [Argument("rng", "")],
    "consider setting `floating_mean` to True": [Argument("floating_mean", "True")],
    "predict_proba is not available when probability=False": [Argument("probability", "True")],
    "sample weights are not supported with `warm_start=True`": [Argument("warm_start", "False")],
    # nothing is to be set
    "axis must be None, an integer or a tuple of integers": [],
    "header must be an integer": [],
    "x and y must have the same length": [],
    "'sample_weight' is of no use": [],
}  # fmt: skip


@pytest.mark.parametrize("message", CONDITIONS)
def test_what_an_argument_must_be(message: str) -> None:
    assert list_conditions(message) == CONDITIONS[message]


@pytest.mark.parametrize(
    ("message", "pair"),
    [
        ("Either colors or cmap must be None", ("colors", "cmap")),
        ("Exactly one of n_clusters and distance_threshold has to be set, and the other …", ("n_clusters", "distance_threshold")),
        ("Cannot use `row` and `col_wrap` together.", ("row", "col_wrap")),
        ("'bins' and 'binwidth' cannot be used together", ("bins", "binwidth")),
        ("Either a number or a text must be given", None),
        ("Cannot use the file and the folder together", None),
        ("x and y cannot be broadcast together", None),
    ],
)  # fmt: skip
def test_two_that_exclude_one_another(message: str, pair: tuple[str, str] | None) -> None:
    assert find_excluded(message) == pair


@pytest.mark.parametrize(
    ("message", "options"),
    [
        ("`alternative` must be 'less', 'greater', or 'two-sided'", Options("alternative", ("less", "greater", "two-sided"))),
        ("multi_class must be in ('ovo', 'ovr')", Options("multi_class", ("ovo", "ovr"))),
        ("return_type must be {'axes', 'dict', 'both'}", Options("return_type", ("axes", "dict", "both"))),
        ("order must be one of 'C', 'F' (got 'R')", Options("order", ("C", "F"))),
        ("mode must be 'r' but not 'w'", None),
        ("the index must be unique", None),
    ],
)  # fmt: skip
def test_the_texts_that_an_argument_takes(message: str, options: Options | None) -> None:
    assert find_options(message) == options
