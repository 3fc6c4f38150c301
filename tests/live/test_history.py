"""State rules where no notebook is told: what the session itself has run is the notebook."""

from __future__ import annotations

import pytest

from tests.live.conftest import LiveKernel

pytestmark = pytest.mark.kernel

PROVEN = "fix ready, tested"


def test_name_whose_cell_failed_before_it_was_made_is_made_by_running_that_cell(loaded: LiveKernel) -> None:
    loaded.run("%heal off")
    assert loaded.run("doubled = base * 2", "a", allow_stdin=True)["ename"] == "NameError"
    loaded.run("base = 4", "b")
    loaded.run("%heal on")
    assert loaded.run("print('it is', doubled)", "c", allow_stdin=True)["ename"] == "NameError"
    card = loaded.card(PROVEN)
    assert "run first: cell `doubled = base * 2`" in card
    assert "`doubled` is defined in a cell above that was not run" in card
    reply = loaded.run("%heal approve")
    assert reply["status"] == "ok"
    assert "it is 8" in reply["text"]
    assert loaded.value("doubled") == "8"


def test_deleted_name_is_made_by_running_its_cell(loaded: LiveKernel) -> None:
    loaded.run("rates = {'a': 2}", "a")
    loaded.run("del rates", "b")
    loaded.run("print('it is', rates['a'])", "c", allow_stdin=True)
    card = loaded.card(PROVEN)
    assert "run first: cell [2]: rates = {'a': 2}" in card
    assert "`rates` was deleted in cell [3], but this cell uses it." in card
    reply = loaded.run("%heal approve")
    assert "it is 2" in reply["text"]
    assert loaded.value("rates") == "{'a': 2}"
    loaded.run("print('it is', rates['a'])", "c")
    number = loaded.value("get_ipython().execution_count - 1")
    assert f"  1  cell [{number}]: print('it is'" in loaded.run("%heal history")["text"], "as it is named now"
