"""Explain and teach in a real kernel: the sentences come with the card, and in a lesson the fix comes on asking."""

from __future__ import annotations

import pytest

from tests.live.conftest import LiveKernel

pytestmark = pytest.mark.kernel


def test_in_a_lesson_the_explanation_comes_first_and_the_fix_when_it_is_asked_for(loaded: LiveKernel) -> None:
    loaded.run("%config SelfHeal.teach = True")
    loaded.run("prices = {'apple': 1.2, 'pear': 0.8}", "a")
    loaded.run("wanted = 'apple'\nprices['aple']", "b", allow_stdin=True)
    lesson = loaded.card("fix ready, tested")
    assert "There is no key or column 'aple'." in lesson
    assert "`prices` is a dictionary with the keys 'apple', 'pear', since cell [" in lesson
    assert "Hint: look at line 2" in lesson
    assert "prices['apple']" not in lesson
    assert "prices['apple']" not in loaded.run("%heal why")["text"]
    assert "look at the fix first" in str(loaded.run("%heal approve"))
    assert "+prices['apple']" in loaded.run("%heal show")["text"]
    why = loaded.run("%heal why")["text"]
    assert "The fix: " in why
    assert "Next time: " in why
    assert "jupyter selfheal rules KEY101" in why
    assert loaded.run("%heal approve")["status"] == "ok"


def test_without_a_fix_the_card_explains(loaded: LiveKernel) -> None:
    loaded.run("import numpy as np\nA, B = np.zeros((3, 4)), np.zeros((3, 2))", "a")
    loaded.run("%%heal --healers memory\nA @ B", "b", allow_stdin=True)
    loaded.wait_for(lambda: any("try `A.T @ B`" in text for text in loaded.displays.values()), "the explanation")
    assert "`A` is 3×4, `B` is 3×2; try `A.T @ B`" in loaded.run("%heal why")["text"]
