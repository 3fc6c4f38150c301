"""Every failing one-line use of a removed API in ``tests/data/deprecated_api_probes.txt`` that has a successor is mended.

The file was made on one set of versions; a probe that runs on the installed ones is passed over. A probe counts as mended
where the first patch of the rules makes its cell run, or, where running is no test (see ``MENDED_AS``), says what is listed.
"""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pytest

from jupyter_selfheal.model import Replace
from jupyter_selfheal.testing.rule_conformance import build_notebook, find_first_failure, gets_past
from tests.needed import needs

pytestmark = needs("pandas", "sklearn", "seaborn")

PROBES = Path(__file__).parents[3] / "data" / "deprecated_api_probes.txt"

SETUP = """import io
import numpy as np, pandas as pd
import matplotlib
matplotlib.use('Agg')
import matplotlib.pyplot as plt, seaborn as sns
plt.close('all')"""

CUT = {
    "OneHotEncoder(sparse": "OneHotEncoder(sparse=False)",
    "OneHotEncoder(catego": "OneHotEncoder(categorical_features=[0])",
    "LinearRegression(n": "LinearRegression(normalize=True)",
    "mean_squared_error([1": "mean_squared_error([1], [2], squared=False)",
    "c=CountV": "c = CountVectorizer().fit(['one two']); c.get_feature_names()",
    "GradientBoos": "GradientBoostingClassifier(loss='deviance').fit([[1], [2]], [0, 1])",
    "RandomForestClas": "RandomForestClassifier(max_features='auto').fit([[1], [2]], [0, 1])",
    "AdaBoostClassifier(b": "AdaBoostClassifier(base_estimator=None)",
    "LogisticRegressi": "LogisticRegression(penalty='l1').fit([[1], [2]], [0, 1])",
    "SGDClassifier(loss='l": "SGDClassifier(loss='log').fit([[1], [2]], [0, 1])",
    "confusion_matrix([1],[1": "confusion_matrix([1], [1], [0, 1])",
    "interp2d([0,1],[0,1],[[0,1],[": "interp2d([0, 1], [0, 1], [[0, 1], [1, 2]])",
}
"""The file cuts long probes; how the last statement of those goes on."""

NO_SUCCESSOR = {
    "pd.concat([pd.DataFrame({'a':[1]})],join_axes=[])": "no axis was never one: it had to be one index",
    "pd.Panel": "pandas has no three-dimensional table any more (xarray is another library)",
    "pd.DataFrame({'a':[1]}).loc[[5]]": "a label that is not there is a mistake in the data, not in the code",
    "from sklearn.utils.testing import assert_true": "an assertion function of nose that was never replaced",
}
"""Probes that cannot be mended, and why."""

MENDED_AS = {
    "np.find_common_type([],[])": "np.result_type(*[], *[])",
    "np.loads(b'')": "from pickle import loads",
    "pd.DataFrame({'a':[1]}).first('3D')": ".loc[:",
    "from sklearn.datasets import load_boston; load_boston()": "fetch_openml('boston', version=1)",
    "import urllib; urllib.urlopen('x')": "urllib.request.urlopen('x')",
    "{}.keys()[0]": "list({}.keys())[0]",
    "open('/dev/null').next()": "next(open('/dev/null'))",
    "[1,2][4/2]": "[1,2][4//2]",
}
"""Probes whose own arguments fail behind the removed name (an empty list, no network): what their patch must write."""


def probes() -> list[str]:
    """The failing probes, as cells' sources on one line."""
    found = []
    for line in PROBES.read_text(encoding="utf-8").splitlines():
        if not line.startswith("  "):
            continue
        code = line.strip().partition(" => ")[0]
        if executed := re.match(r'exec\("(.*)', code):
            code = executed[1].removesuffix('")')
            if not executed[1].endswith('")'):
                start, end = next((code[: -len(k)], v) for k, v in CUT.items() if code.endswith(k))
                code = start + end
        if imported := re.match(r"__import__\('([\w.]+)'\)$", code):
            code = f"import {imported[1]}"
        found.append(code.replace("__import__('io')", "io"))
    return found


def test_the_file_holds_149_failing_probes_and_every_exception_is_one_of_them() -> None:
    assert len(probes()) == 149
    assert set(NO_SUCCESSOR) | set(MENDED_AS) <= set(probes())


@pytest.mark.parametrize("code", [p for p in probes() if p not in NO_SUCCESSOR])
def test_a_probe_with_a_successor_is_mended(code: str) -> None:
    cell = "\n".join(part.strip() for part in code.split(";"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        broken = find_first_failure(build_notebook([SETUP, cell]))
        if broken is None:
            pytest.skip("runs on the installed versions")
        patches = broken.propose_patches()
        assert patches, broken.case.failure.headline
        if code in MENDED_AS:
            assert any(MENDED_AS[code] in e.source for e in patches[0].edits if isinstance(e, Replace)), patches[0]
        else:
            assert gets_past(broken.apply_patch(patches[0]), "c2"), patches[0]


@pytest.mark.parametrize("code", NO_SUCCESSOR)
def test_a_probe_without_a_successor_gets_no_safe_patch_that_runs(code: str) -> None:
    broken = find_first_failure(build_notebook([SETUP, code]))
    assert broken is not None
    sure = [
        p for p in broken.propose_patches() if p.applicability.name == "SAFE" and gets_past(broken.apply_patch(p), "c2")
    ]
    assert not sure, sure
