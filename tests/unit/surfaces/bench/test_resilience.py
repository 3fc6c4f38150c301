"""Faults on purpose: the cheap ones are made here, and the page says what is made."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_selfheal.surfaces.bench.resilience import command, run_faults, trial_faults
from jupyter_selfheal.surfaces.bench.resilience.faults import Fault, Seen
from jupyter_selfheal.surfaces.bench.resilience.service_faults import SERVICE, list_service_faults
from tests.shown_commands import ROOT

CHEAP = "openai_compatible"
"""The client whose import takes no second."""

REAL = ("a trial deletes the data", "a trial phones home", "a trial leaves processes behind")
"""Of the trials, those that end by themselves."""


def list_page_rows() -> dict[str, list[str]]:
    """The table of the page, by the name of the fault."""
    lines = (ROOT / "docs" / "resilience.md").read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    return {name: rest for name, *rest in rows[1:]}


@pytest.fixture(scope="module")
def faults(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Fault, ...]]:
    with trial_faults.RealState(tmp_path_factory.mktemp("real")) as state:
        yield (
            *list_service_faults(CHEAP),
            *trial_faults.list_trial_faults(state),
            *run_faults.list_run_faults(CHEAP),
        )


def test_the_page_lists_every_fault_and_what_must_come_of_it(faults: tuple[Fault, ...]) -> None:
    page = list_page_rows()
    assert list(page) == [fault.name for fault in faults]
    assert [row[0] for row in page.values()] == [fault.expected for fault in faults]
    assert {tuple(row[2:]) for row in page.values()} == {("nothing", "none")}


@pytest.mark.parametrize("kind", ["money", "model"])
def test_what_money_and_models_do_comes_as_the_page_says(faults: tuple[Fault, ...], kind: str) -> None:
    page = list_page_rows()
    for fault in [f for f in faults if f.kind == kind]:
        seen = command.make_fault(fault)
        assert seen.has_passed, (fault.name, seen)
        assert seen.what == page[fault.name][1].replace("anthropic:", f"{CHEAP}:"), fault.name


def test_services_that_are_down_come_as_they_must(faults: tuple[Fault, ...]) -> None:
    names = {fault.name for fault in SERVICE[:4]} | {"a connection breaks in the middle of a reply"}
    for fault in [f for f in faults if f.name in names]:
        assert (seen := command.make_fault(fault)).has_passed, (fault.name, seen)


@pytest.mark.slow
def test_a_run_that_is_killed_after_any_event_is_gone_on_with(faults: tuple[Fault, ...]) -> None:
    for fault in [f for f in faults if f.kind == "run" and "with its kernels" not in f.name]:
        assert (seen := command.make_fault(fault)).has_passed, (fault.name, seen)


@pytest.mark.kernel
def test_a_patch_that_harms_harms_only_its_trial(faults: tuple[Fault, ...]) -> None:
    for fault in [f for f in faults if f.name in REAL]:
        assert (seen := command.make_fault(fault)).has_passed, (fault.name, seen)


@pytest.mark.parametrize(
    "seen", [Seen("it hung", False), Seen("fine", True, lost=("a file",)), Seen("fine", True, orphans=2)]
)
def test_what_comes_otherwise_is_told_apart(seen: Seen) -> None:
    fault = Fault("a fault", "run", "nothing happens", lambda folder: seen)
    assert not command.make_fault(fault).has_passed
    assert command.format_row(fault, seen).startswith("✗ a fault\n")
    assert "a file" in command.format_row(fault, Seen("", True, lost=("a file",)))


def test_a_row_fits_a_terminal_of_80_columns(faults: tuple[Fault, ...]) -> None:
    for name, (_, seen, *_) in list_page_rows().items():
        fault = next(f for f in faults if f.name == name)
        assert max(map(len, command.format_row(fault, Seen(seen, True), 80).splitlines())) <= 80


def test_the_command_prints_what_it_saw(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert command.command(["--limit", "1", "--only", "model", "--provider", CHEAP, "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["fault"], found["passed"], found["lost"], found["orphans"]) == ("a model repeats itself", True, [], 0)
    assert list(tmp_path.iterdir()) == []
