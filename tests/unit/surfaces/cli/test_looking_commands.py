"""The commands that only look: ``doctor``, ``trace`` without a run, ``log`` of a notebook that was not healed."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import jupyter_selfheal
from jupyter_selfheal.journal.jsonl import JsonlJournal
from jupyter_selfheal.loop.events import Broke
from jupyter_selfheal.surfaces.cli import doctor, main
from tests.batches import notebook
from tests.unit.surfaces.test_card import Screen


def test_doctor_names_the_folder_that_jupyterlab_has_our_extension_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    folder = tmp_path / "labextensions" / "jupyter-selfheal"
    folder.mkdir(parents=True)
    assert doctor._find_labextension() != str(folder), "an empty folder is none"
    (folder / "package.json").write_text("{}")
    assert doctor._find_labextension() == str(folder)


def test_doctor_says_how_to_get_what_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    findings = {
        "selfheal": "0.1.0", "python": "3.12", "executable": "python", "system": "Linux", "packages": {"ipython": "9.0"},
        "extras": {"mcp": doctor.NOT_INSTALLED, "jupytext": doctor.NOT_INSTALLED, "papermill": "2.6"}, "JupyterLab extension": "",
        "forking": "possible", "sandbox": {}, "reachable without a network": "nothing", "kernelspecs": {},
        "journal": {"folder": "/data", "writable": False}, "keys": {}, "plugins": [],
    }  # fmt: skip
    said = "\n".join(doctor._format_findings(findings))
    assert "mcp not installed (pip install 'jupyter-selfheal[mcp]')" in said
    assert "jupytext not installed (pip install 'jupyter-selfheal[text]')" in said
    assert "papermill 2.6\n" in said
    assert "JupyterLab extension: not found" in said
    assert "kernelspecs: none: install ipykernel" in said
    assert "/data (not writable)" in said


def test_the_list_of_runs_is_data_where_data_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    assert main(["trace", "--json"]) == 0
    assert capsys.readouterr().out == ""
    for run in ("abc123", "def456"):
        JsonlJournal.create(run, notebook="n.ipynb").close()
    assert main(["trace", "--json"]) == 0
    runs = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {run["run"] for run in runs} == {"abc123", "def456"}
    assert [(run["ended"], run["tried"], run["cost_usd"], run["notebook"]) for run in runs] == [
        ("unfinished", 0, 0.0, "n.ipynb")
    ] * 2
    assert all(Path(run["journal"]).is_file() for run in runs)


def test_the_list_of_runs_is_cut_to_a_terminal_and_whole_in_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "60")
    assert main(["trace"]) == 0
    assert capsys.readouterr().out == "Nothing has been healed yet.\n"
    name = f"{'long-' * 20}name.ipynb"
    JsonlJournal.create("abc123", notebook=name).close()
    assert main(["trace"]) == 0
    assert name in capsys.readouterr().out
    screen = Screen()
    monkeypatch.setattr(sys, "stdout", screen)
    assert main(["trace"]) == 0
    heading, failure, row, failed = lines = screen.getvalue().splitlines()
    assert heading.startswith("run ")
    assert failure.strip() == "failure"
    assert row.startswith("abc123 ")
    assert failed.startswith("    [long-")
    assert failed.endswith("…")
    assert max(map(len, lines)) <= 60


def test_a_rules_page_and_a_timeline_fit_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "60")
    with JsonlJournal.create("abc123", notebook="a.ipynb") as journal:
        journal.append(
            Broke("infrastructure", "the folder of the notebook is on a disk that has gone away in the meantime")
        )
    for words in (["rules", "KEY101"], ["rules", "REV101"], ["trace", "abc123"]):
        screen = Screen()
        monkeypatch.setattr(sys, "stdout", screen)
        assert main(words) == 0
        assert screen.getvalue().count("\n") > 3
        assert max(map(len, screen.getvalue().splitlines())) <= 60


def test_the_log_of_a_notebook_without_a_fix_says_that_there_is_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "given.ipynb"
    path.write_text(json.dumps(notebook("x = 1")))
    assert main(["log", str(path)]) == 0
    assert capsys.readouterr().out == f"{path}: its metadata tells of no fix\n"
    assert main(["log", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_a_terminal_without_utf8_is_told_all_and_json_stays_json(monkeypatch: pytest.MonkeyPatch) -> None:
    told = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(told, encoding="ascii"))
    with pytest.raises(SystemExit, match="0"):
        main(["heal", "--help"])
    sys.stdout.flush()
    assert rb"The score (0\u201310)" in told.getvalue()
    begin = len(told.getvalue())
    print(json.dumps("é – 😀 \ud83d", ensure_ascii=False), flush=True)
    assert json.loads(told.getvalue()[begin:]) == "é – 😀 \ud83d"


@pytest.mark.parametrize(
    "words",
    [["trace", "no-such-run-of-mine"], ["log", "no/such/folder/of/notebooks/n.ipynb"], ["heal", "--such-an-option"], ["memory", "show", "77"]],
    ids=" ".join,
)  # fmt: skip
def test_an_error_fits_the_terminal_and_is_one_line_in_a_file(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "60")
    screen, file = Screen(), io.StringIO()
    for out in (screen, file):
        monkeypatch.setattr(sys, "stderr", out)
        assert main(words) == 2
    said = screen.getvalue().splitlines()
    assert len(said) > 1
    assert all(len(line) <= 60 or " " not in line.strip() for line in said), said
    assert len(file.getvalue().splitlines()) == 1
    assert file.getvalue().split() == screen.getvalue().split()


def test_windows_is_refused_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.platform", "win32")
    assert main(["doctor"]) == 2
    jupyter_selfheal.load_ipython_extension(SimpleNamespace())  # type: ignore[arg-type]
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.splitlines() == [
        "jupyter selfheal: Windows is not supported: run Jupyter and this in WSL 2",
        "Self-heal: Windows is not supported: run Jupyter and this in WSL 2.",
    ]
