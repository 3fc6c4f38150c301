"""A service that is down keeps cells from being healed: exit code 2, a last line that says what to do, and --resume goes on."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from jupyter_selfheal.testing.fake_model_server import Fails, FakeModelServer, Received, Says
from tests.batches import cell
from tests.command import heal, place, write

__all__ = ["place"]

pytestmark = pytest.mark.kernel


def repair(received: Received) -> Says:
    """The right source for whichever cell is asked about."""
    number = next(n for n in (2, 3, 4) if f"# The failing cell, cell-{n}" in json.dumps(received.body))
    fixed = {"cell": f"cell-{number}", "source": f"c{number} = prices['pear'] + 1\nc{number}"}
    return Says(json.dumps({"hypotheses": [{"title": "Spell it", "edits": [fixed]}]}))


def test_after_two_outages_no_cell_is_sent_before_a_probe_is_answered(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = {"selfheal": {"expect": "5"}}
    broken = [cell(f"c{n} = prices['quince'] + 1\nc{n}", metadata=expected) for n in (2, 3, 4)]
    given = write(place / "n.ipynb", "prices = {'pear': 4}", *broken)
    words = ["--healers", "language_model", "--budget", "1", "-o", "out.ipynb"]
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not-a-key")
    with FakeModelServer([Fails(401, "authentication_error")] * 3 + [repair] * 3) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        first = heal(given, *words, online=True, ends=2)
        asked = ["quince" in json.dumps(r.body) for r in server.requests]
        assert asked == [True, True, False], "the third cell is not sent, only a probe"
        table = " ".join(first.stdout.partition("how it went")[0].split())
        last = table[table.index("cells 2, 3, 4 could not be tried to the end") :]
        assert "anthropic: the key is not accepted" in last
        assert "no cell is sent before a probe is answered" in last
        run = re.search(r"--resume (\w+)$", last)
        assert run is not None
        again = heal(given, *words, "--resume", run[1], online=True, ends=0)
        assert "3 healed" in again.stdout
        assert len(server.requests) == 6
