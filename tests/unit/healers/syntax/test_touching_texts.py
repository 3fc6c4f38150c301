"""Texts that touch in one line parse as one text: beside another slip the comma between them is missing too."""

from __future__ import annotations

import pytest

from jupyter_selfheal.healers.syntax import parser
from jupyter_selfheal.healers.syntax.best_first import find_readings
from jupyter_selfheal.healers.syntax.touching_values import list_completions

MEANT = {
    'for side in ["X" "O"]\n    print(side)\n': 'for side in ["X", "O"]:\n    print(side)\n',
    'if words\n    print("bad:" " and ".join(words))\n': 'if words:\n    print("bad:", " and ".join(words))\n',
    'print("a" "b" "c"\n': 'print("a", "b", "c")\n',
}


@pytest.mark.parametrize("broken", MEANT)
def test_a_comma_between_texts_is_mended_beside_another_slip(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser, "COMPILES", 300)
    readings = find_readings(broken, frozenset({"words"}))
    assert MEANT[broken] in [r.source for r in readings[:3]]


@pytest.mark.parametrize(
    "whole",
    ['x = "a" "b"\n', 'x = ("a" "b")\n', 'print("a"\n      "b")\n', 'return ("a" "b")\n', 'd = {"a": 1}["a"]\n'],
)
def test_a_text_in_two_parts_stays_where_no_comma_can_be_meant(whole: str) -> None:
    assert list_completions(whole, frozenset()) == []
