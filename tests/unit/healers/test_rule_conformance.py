"""Every rule satisfies the suite that third parties' rules are held to; its examples are in tests/golden/CODE.txt."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from jupyter_selfheal.healers.rules.context import Rule
from jupyter_selfheal.healers.rules.healer import load_rules
from jupyter_selfheal.testing.rule_conformance import check_example, check_examples, check_form, parse_file
from jupyter_selfheal.testing.text_notebook import TextNotebook

GOLDEN = Path(__file__).parents[2] / "golden"
RULES = {rule.code: rule for rule in load_rules()}
EXAMPLES = {path.stem: parse_file(path) for path in sorted(GOLDEN.glob("*.txt"))}


def test_every_rule_has_examples_and_every_example_has_a_rule() -> None:
    assert EXAMPLES.keys() == RULES.keys(), "a rule has its examples in tests/golden/CODE.txt"


@pytest.mark.parametrize("code", RULES)
def test_the_rule_is_well_formed(code: str) -> None:
    check_form(RULES[code])
    check_examples(RULES[code], EXAMPLES.get(code, ()))


@pytest.mark.parametrize(
    ("rule", "example"),
    [
        pytest.param(RULES[code], example, id=f"{code}-{example.title}")
        for code in RULES
        for example in EXAMPLES.get(code, ())
    ],
)
def test_the_example_holds(rule: Rule, example: TextNotebook, monkeypatch: pytest.MonkeyPatch) -> None:
    if rule.code == "IMP103":
        for name in [m for m in sys.modules if m.startswith("wsgiref")]:  # an example imports it anew
            monkeypatch.delitem(sys.modules, name)
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")  # else it would draw into what an example before it left
    try:
        check_example(rule, example)
    finally:
        sys.modules.pop("sklearn.datasets.samples_generator", None)  # the old name that IMP107's patch gives
        if hasattr(sys.modules.get("sqlalchemy"), "Session"):
            del sys.modules["sqlalchemy"]  # what stands for it in SQL104's examples
