"""A service that is down keeps cells from being healed: exit code 2, a last line that says what to do, and --resume goes on."""

from __future__ import annotations

import contextlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from jupyter_selfheal.testing.fake_model_server import Fails, FakeModelServer, Line, Received, Says
from tests.batches import cell
from tests.command import heal, place, write

__all__ = ["place"]

pytestmark = pytest.mark.kernel

BUDGET = 0.024
"""Less than two calls at their worst, and more than two that were made and one at its worst."""


def repair(received: Received) -> Says:
    """The right source for whichever cell is asked about."""
    number = next(n for n in (2, 3, 4) if f"# The failing cell, cell-{n}" in json.dumps(received.body))
    fixed = {"cell": f"cell-{number}", "source": f"c{number} = prices['pear'] + 1\nc{number}"}
    return Says(json.dumps({"hypotheses": [{"title": "Spell it", "edits": [fixed]}]}))


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_model_that_is_named_and_has_no_key_is_an_outage(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = {"selfheal": {"expect": "5"}}
    broken = cell("c2 = prices['quince'] + 1\nc2", metadata=expected)
    given = write(place / "n.ipynb", "prices = {'pear': 4}", broken)
    words = ["--healers", "rules,language_model", "--budget", "1", "-o", "out.ipynb"]
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with FakeModelServer([repair]) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        first = heal(given, *words, online=True, ends=2)
        assert server.requests == []
        assert "no model will be asked: no key: set ANTHROPIC_API_KEY" in first.stderr
        assert len(first.stderr.strip().splitlines()) == 1
        table = " ".join(first.stdout.partition("how it went")[0].split())
        run = re.search(
            r"cell 2 could not be tried to the end: no key: set ANTHROPIC_API_KEY .* --resume (\w+)$", table
        )
        assert run is not None, table
        monkeypatch.setenv("ANTHROPIC_API_KEY", "not-a-key")
        again = heal(given, *words, "--resume", run[1], online=True, ends=0)
        assert "1 healed" in again.stdout
        assert len(server.requests) == 1


def test_a_missing_key_is_no_matter_where_the_free_healers_heal_everything(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = write(place / "n.ipynb", "'a'.uper()")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    done = heal(given, "--healers", "rules,language_model", "-o", "out.ipynb", online=True, ends=0)
    assert "1 healed" in done.stdout
    assert "could not be tried" not in done.stdout


@pytest.mark.slow
def test_notebooks_that_are_healed_at_once_share_the_outage_and_the_pot(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What each of two processes would have as its share pays no call; out of one pot three are healed, and the fourth does not fit."""
    expected = {"selfheal": {"expect": "5"}}
    broken = cell("c2 = prices['quince'] + 1\nc2", metadata=expected)
    given = [write(place / f"{name}.ipynb", "prices = {'pear': 4}", broken) for name in "abcd"]
    words = ["--healers", "language_model", "--budget", str(BUDGET), "--jobs", "2", "--output-dir", "out"]
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not-a-key")
    is_down = True

    def answer(received: Received) -> Line:
        return Fails(401, "authentication_error") if is_down else repair(received)

    with FakeModelServer([answer] * 30) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        first = heal(*given, *words, online=True, ends=2, seconds=300)
        asked = sum("quince" in json.dumps(r.body) for r in server.requests)
        assert 2 <= asked <= 3, "the second and the third may be under way at once; then only a probe is sent"
        assert "4 cells wait for a service that was down" in " ".join(first.stdout.split())
        run = re.search(r"--resume (\w+)", first.stdout)
        assert run is not None
        is_down = False
        again = heal(*given, *words, "--resume", run[1], "--report", "r.json", online=True, ends=1, seconds=300)
    assert "3 cells healed" in again.stdout
    assert "$0.0120 of $0.024 together" in " ".join(again.stdout.split())
    journals = list((place.parent / "data" / "selfheal" / "runs").glob(f"{run[1]}-*.jsonl"))
    assert len(journals) == 4
    drawn = [body for path in journals for body in read_bodies(path) if body["$"] == "Reserved"]
    assert max(body["worst"]["usd"] for body in drawn) > BUDGET / 2
    report = json.loads((place / "r.json").read_text())
    spent = sum(c["cost_usd"] for n in report["notebooks"] for c in n["cells"])
    assert 0 < spent <= BUDGET


def read_bodies(journal: Path) -> list[dict[str, Any]]:
    return [json.loads(line)["body"] for line in journal.read_text().splitlines()[1:]]


@pytest.mark.slow
def test_papermill_says_what_keeps_a_model_from_being_asked_and_takes_the_key_of_a_named_file(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    papermill = pytest.importorskip("papermill")
    broken = cell("c2 = prices['quince'] + 1\nc2", metadata={"selfheal": {"expect": "5"}})
    spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    given = write(place / "n.ipynb", "prices = {'pear': 4}", broken, kernelspec=spec)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)

    def execute(**more: Any) -> dict[str, Any]:
        words = {"healers": "rules,language_model", "consent": True, "offline": False, "approve": "all", **more}
        with contextlib.suppress(papermill.exceptions.PapermillExecutionError):
            papermill.execute_notebook(
                str(given),
                str(place / "out.ipynb"),
                engine_name="selfheal",
                cwd=str(place),
                progress_bar=False,
                **words,
            )
        told: dict[str, Any] = json.loads((place / "out.ipynb").read_text())["metadata"]["papermill"]["selfheal"]
        return told

    with FakeModelServer([repair]) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        told = execute()
        assert "set ANTHROPIC_API_KEY" in told["waiting"][0]
        assert told["notes"][0].startswith("no model will be asked: no key")
        (place / "my.env").write_text("ANTHROPIC_API_KEY=sk-ant-of-the-file\n")
        told = execute(key_file=str(place / "my.env"))
        assert told == {"fixes": ["Spell it"], "summary": "2 code cells: 1 ran, 1 healed"}
        assert len(server.requests) == 1
