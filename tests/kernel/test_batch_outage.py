"""A service that is down keeps a cell from being healed: exit code 2, a line that says what to do, and --resume goes on."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from jupyter_selfheal.testing.fake_model_server import Fails, FakeModelServer, Says
from tests.batches import cell
from tests.command import heal, place, write

__all__ = ["place"]

pytestmark = pytest.mark.kernel


def test_an_outage_is_exit_code_2_and_a_resumed_run_goes_on(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fixed = {"cell": "cell-2", "source": "total = prices['pear'] + 1\ntotal"}
    said = Says(json.dumps({"hypotheses": [{"title": "Spell it", "edits": [fixed]}]}))
    broken = cell("total = prices['quince'] + 1\ntotal", metadata={"selfheal": {"expect": "5"}})
    given = write(place / "n.ipynb", "prices = {'pear': 4}", broken)
    words = ["--healers", "language_model", "--budget", "1", "-o", "out.ipynb"]
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not-a-key")
    with FakeModelServer([Fails(401, "authentication_error"), said]) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        first = heal(given, *words, online=True, ends=2)
        table = " ".join(first.stdout.split())
        assert "cell 2 could not be tried to the end: anthropic: the key is not accepted" in table
        run = re.search(r"--resume (\w+)", table)
        assert run is not None
        again = heal(given, *words, "--resume", run[1], online=True, ends=0)
        assert "1 healed" in again.stdout
        assert len(server.requests) == 2
