"""`multi_class="ovr"` becomes a wrapper of the estimator: safe only where nothing in the notebook, or in a library that it uses, may look into the estimator."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from jupyter_selfheal.healers.rules.context.knowledge import load_knowledge
from jupyter_selfheal.model import Applicability
from jupyter_selfheal.testing.rule_conformance import Bench
from tests.unit.healers.safety import propose

MODEL = "from sklearn.linear_model import LogisticRegression\nmodel = LogisticRegression(multi_class='ovr')"
BELOW = {
    "recursive elimination": "from sklearn.feature_selection import RFE\nRFE(model, n_features_to_select=2).fit(x, y)",
    "its cross-validated form": "from sklearn import feature_selection as fs\nfs.RFECV(model).fit(x, y)",
    "a selection by weights": "from sklearn.feature_selection import SelectFromModel\nSelectFromModel(model).fit(x, y)",
    "explanations": "import shap\nshap.LinearExplainer(model, x)",
    "explanations behind another import": "import numpy as np, shap as explain\nexplain.Explainer(model)",
    "weights as a table": "from eli5 import show_weights\nshow_weights(model)",
    "a plot of weights": "    from yellowbrick.model_selection import FeatureImportances\n    FeatureImportances(model).fit(x, y)",
    "a permutation": "from sklearn import inspection\ninspection.permutation_importance(model, x, y)",
    "a function of the project": "from helpers import report\nreport(model)",
    "a function beside the notebook": "from .helpers import report\nreport(model)",
    "a script that runs in the notebook": "%run report.py",
    "rows that have a weight, which the wrapper does not take": "model.fit(x, y, sample_weight=w)",
    "a boosted one, which weighs rows": "from sklearn.ensemble import AdaBoostClassifier\nAdaBoostClassifier(model).fit(x, y)",
    "a file for another program": "with open('m', 'wb') as file:\n    import json, pickle\n    pickle.dump(model, file)",
}  # fmt: skip
USUAL = """import numpy as np, pandas as pd
import matplotlib.pyplot as plt
from sklearn.model_selection import cross_val_score
cross_val_score(model, x, y).mean()
model.fit(x, y).predict(x)"""


@pytest.mark.parametrize("below", BELOW.values(), ids=BELOW)
def test_what_may_be_looked_into_is_told(below: str) -> None:
    change = load_knowledge().keyword("LogisticRegression", ["sklearn"], "multi_class")
    assert change is not None
    (wrapped,) = (case for case in change.cases if case.wrap)
    assert re.search(wrapped.unsafe_where, below)
    assert not re.search(wrapped.unsafe_where, USUAL)


@pytest.mark.parametrize(
    ("below", "wanted"),
    [(BELOW["recursive elimination"], Applicability.UNSAFE), (USUAL, Applicability.SAFE)],
)
def test_only_what_fits_and_predicts_is_safe(below: str, wanted: Applicability, tmp_path: Path) -> None:
    ((trust, healed),) = propose(Bench(tmp_path), "API201", MODEL, f"# not run\n{below}")
    assert trust is wanted
    assert "OneVsRestClassifier(LogisticRegression())" in healed
