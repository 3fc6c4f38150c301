"""Does what a cell prints hang on the draw? Then the numbers that the notebook stores come back in no run."""

from __future__ import annotations

import ast

from jupyter_selfheal import source as src
from jupyter_selfheal.inside.tree_names import read_called_name
from jupyter_selfheal.model import Case, Patch

_DRAWS = frozenset(
    {"rvs", "rand", "randn", "randint", "random", "random_sample", "choice", "choices", "sample", "shuffle", "permutation",
     "uniform", "normal", "binomial", "poisson", "exponential", "gauss", "randrange", "integers", "standard_normal",
     "multivariate_normal", "beta", "gamma", "make_classification", "make_regression", "make_blobs", "make_moons", "train_test_split"}
)  # fmt: skip
"""Names of functions that draw, in ``random``, NumPy, SciPy, pandas and scikit-learn; ``beta`` and the like count only when called."""

_SEEDS = frozenset({"seed", "manual_seed", "set_seed", "set_random_seed"})
_SEEDING = frozenset({"random_state", "seed"})
_GENERATORS = frozenset({"default_rng", "RandomState", "Random", "SeedSequence"})


def draws_unseeded(case: Case, patch: Patch) -> bool:
    """True where the failing cell, or a cell above that it depends on, draws at random and no cell up to it sets a seed.

    A cell that does not parse is read as the patch makes it.
    """
    above = [cell.source for cell in case.notebook.list_code_before(case.failure.cell_id)]
    own = case.failure.source
    if src.parse(own) is None:
        own = patch.source_of(case.failure.cell_id, own)
    if any(map(sets_seed, (*above, own))):
        return False
    names = src.find_names(own).uses
    return any(map(has_draws, (own, *(above[n] for n in src.find_backward_slice(above, names)))))


def _list_calls(source: str) -> list[ast.Call]:
    return [n for n in src.walk(source) if isinstance(n, ast.Call)]


def has_draws(source: str) -> bool:
    """Whether a source calls a function that draws."""
    return any(read_called_name(call) in _DRAWS for call in _list_calls(source))


def sets_seed(source: str) -> bool:
    """``seed(0)``, ``default_rng(0)``, ``random_state=0``: some draw is repeatable, so that a difference may say something."""
    return any(
        read_called_name(call) in _SEEDS
        or (read_called_name(call) in _GENERATORS and bool(call.args or call.keywords))
        or any(
            k.arg in _SEEDING and not (isinstance(k.value, ast.Constant) and k.value.value is None)
            for k in call.keywords
        )
        for call in _list_calls(source)
    )
