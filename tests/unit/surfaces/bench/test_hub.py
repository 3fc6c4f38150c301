"""``--from-hub`` with a stand-in for the library ``datasets``: the Hub itself is not reached by a test."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import pytest

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.bench import run
from jupyter_selfheal.surfaces.bench.hub import HUB, download_records
from jupyter_selfheal.surfaces.bench.records import read_records
from jupyter_selfheal.surfaces.bench.sets import SETS

SAMPLES = Path(run.__file__).parent / "samples"
STAND_IN = """
import json, logging, pathlib
def load_dataset(name, configuration, split):
    if {fails}:
        logging.getLogger("huggingface_hub.utils").warning("Retrying in 8s [Retry 5/5].")
        raise RuntimeError("Couldn't reach\\nthe Hub")
    assert (name, configuration, split) == {wanted}
    return map(json.loads, pathlib.Path({records!r}).read_text(encoding="utf-8").splitlines())
"""


def put_library(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, fails: bool = False) -> None:
    """A module ``datasets`` whose records are those of a shipped sample."""
    wanted = HUB[name]
    text = STAND_IN.format(
        fails=fails, wanted=(wanted.name, wanted.configuration, wanted.split), records=str(SAMPLES / SETS[name].sample)
    )
    (folder / "datasets.py").write_text(text)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "datasets", raising=False)


@pytest.mark.parametrize("name", ["humaneval", "mbpp"])
def test_the_records_are_kept_as_a_file_that_is_a_path_from_then_on(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_library(name, tmp_path, monkeypatch)
    kept = tmp_path / "kept.jsonl"
    download_records(name, kept)
    assert read_records(kept) == read_records(SAMPLES / SETS[name].sample)
    with pytest.raises(UsageError, match="is there already: leave out --from-hub"):
        download_records(name, kept)


def refuse(*words: object) -> str:
    """The one line with which the command refuses."""
    with pytest.raises(UsageError) as caught:
        run.command(argparse.Namespace(arguments=[str(word) for word in words]))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_hub_that_cannot_be_reached_gets_one_line_and_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    put_library("mbpp", tmp_path, monkeypatch, fails=True)
    said = refuse("mbpp", tmp_path / "mbpp.jsonl", "--from-hub")
    assert "cannot be had from the Hub (Couldn't reach the Hub): give a local file as PATH" in said
    assert not caplog.records, "the library's own lines stand above ours"
    assert not (tmp_path / "mbpp.jsonl").exists()


def test_without_the_library_or_with_another_set_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    assert "pip install datasets, or give a local file" in refuse("mbpp", "--from-hub")
    assert "--from-hub knows humaneval, humanevalfix, mbpp, not quixbugs" in refuse("quixbugs", "--from-hub")


def test_the_library_itself_takes_a_folder_laid_out_as_on_the_hub(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where `datasets` is installed (it is no part of an extra); the network is not reached."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    monkeypatch.delitem(sys.modules, "datasets", raising=False)  # a stand-in of the tests above
    pytest.importorskip("datasets")
    wanted = HUB["mbpp"]
    folder = tmp_path / wanted.name
    folder.mkdir(parents=True)
    (folder / "all.jsonl").write_bytes((SAMPLES / SETS["mbpp"].sample).read_bytes())
    files = f"  data_files:\n  - split: {wanted.split}\n    path: all.jsonl\n"
    (folder / "README.md").write_text(f"---\nconfigs:\n- config_name: {wanted.configuration}\n{files}---\n")
    monkeypatch.chdir(tmp_path)
    download_records("mbpp", tmp_path / "kept.jsonl")
    assert read_records(tmp_path / "kept.jsonl") == read_records(SAMPLES / SETS["mbpp"].sample)
