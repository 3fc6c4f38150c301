"""Every rule satisfies the suite that third parties' rules are held to; its fixtures are in tests/golden/CODE/."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from jupyter_selfheal.healers.rules._rule import Rule
from jupyter_selfheal.healers.rules.healer import load_rules
from jupyter_selfheal.testing.rule_conformance import check_rule

GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.mark.parametrize("rule", load_rules(), ids=lambda r: r.code)
def test_the_rule_conforms(rule: Rule, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [m for m in sys.modules if m.partition(".")[0] == "wsgiref"]:  # IMP103's fixture imports it anew
        monkeypatch.delitem(sys.modules, name)
    try:
        check_rule(rule, GOLDEN / rule.code)
    finally:
        sys.modules.pop("sklearn.datasets.samples_generator", None)  # the old name that IMP107's patch gives
