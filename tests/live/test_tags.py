"""A cell that is meant to raise says so with a tag, which JupyterLab sends along with every execute request."""

from __future__ import annotations

import pytest

from tests.live.conftest import LiveKernel

pytestmark = pytest.mark.kernel

PROVEN = "fix ready, tested"
TYPO = "items = [1, 2]\nitems.appendd(3)"


def test_cell_tagged_raises_exception_gets_no_card(loaded: LiveKernel) -> None:
    tagged = loaded.run(TYPO, metadata={"cellId": "a", "tags": ["raises-exception"]}, allow_stdin=True)
    assert tagged["ename"] == "AttributeError"
    assert loaded.displays == {}
    # the same failure in a cell that is not tagged is healed: it was the tag
    loaded.run(TYPO, metadata={"cellId": "b", "tags": ["plot"]}, allow_stdin=True)
    assert "+items.append(3)" in loaded.card(PROVEN)
    assert len(loaded.displays) == 1


def test_tag_that_only_the_notebook_told_of_counts_too(loaded: LiveKernel) -> None:
    """VS Code, say, sends no tags with the request; our extension tells them with the notebook."""
    cell = {"id": "a", "source": TYPO, "kind": "code", "tags": ["raises-exception"], "outputs": []}
    loaded.tell({"action": "context", "cells": [cell], "path": "told.ipynb"})
    assert loaded.run(TYPO, "a", allow_stdin=True)["status"] == "error"
    assert loaded.displays == {}
    loaded.run(TYPO, "b", allow_stdin=True)
    assert "+items.append(3)" in loaded.card(PROVEN)


def test_heal_on_top_of_a_tagged_cell_leaves_it_alone(loaded: LiveKernel) -> None:
    reply = loaded.run(f"%%heal\n{TYPO}", metadata={"cellId": "a", "tags": ["raises-exception"]}, allow_stdin=True)
    assert reply["status"] == "error"
    assert loaded.displays == {}
