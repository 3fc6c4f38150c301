"""Whose a project is: git's remote and its own metadata say so; a credit for data, prose and a folder's name do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_selfheal.healers.rules.context.own_repository import names_repository
from jupyter_selfheal.model import Applicability
from jupyter_selfheal.testing.rule_conformance import Bench

REMOTE = '[core]\n\tbare = false\n[remote "origin"]\n\turl = {}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n'
BADGE = "[![CI](https://github.com/me/bees/actions/workflows/ci.yml/badge.svg)](https://github.com/me/bees/actions)"
FORK = REMOTE.format("https://github.com/you/bees") + '[remote "upstream"]\n\turl = https://github.com/me/bees.git\n'


@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        ({".git/config": REMOTE.format("git@github.com:me/bees.git")}, True),
        ({".git/config": REMOTE.format("https://who:secret@github.com/Me/Bees")}, True),
        ({"pyproject.toml": '[project.urls]\nSource = "https://github.com/me/bees/"'}, True),
        ({"pyproject.toml": '[tool.poetry]\nrepository = "https://gitlab.com/me/bees"'}, True),
        ({"CITATION.cff": 'title: Bees\nrepository-code: "https://github.com/me/bees"\n'}, True),
        ({"README.md": f"# Bees\n\n{BADGE}\n"}, True),
        ({"README.rst": "Bees\n====\n.. image:: https://travis-ci.org/me/bees.svg?branch=main\n"}, True),
        ({"README.md": "Data: from https://github.com/me/bees, cleaned by us."}, False),
        ({"README.md": f"We cleaned the hives of {BADGE}."}, False),
        ({"README.md": "word\n" * 40 + BADGE}, False),
        ({"README.md": BADGE + BADGE.replace("me/bees", "you/hives")}, False),
        ({"README.md": BADGE, ".git/config": REMOTE.format("https://github.com/you/bees")}, False),
        ({".git/config": FORK}, False),
        ({".git/config": '[submodule "bees"]\n\turl = https://github.com/me/bees\n'}, False),
        ({"pyproject.toml": '[project.urls]\nData = "https://github.com/me/bees"'}, False),
        ({"CITATION.cff": "references:\n  - type: data\n    repository-code: https://github.com/me/bees\n"}, False),
        ({"README.md": "The hives are ours."}, None),
        ({"README.md": "From https://github.com/me/bees-2024"}, None),
    ],
)
def test_only_the_remote_and_metadata_are_certain(files: dict[str, str], wanted: bool | None, tmp_path: Path) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert names_repository(tmp_path, "me/bees") is wanted


def test_a_folder_of_the_name_is_not_certain(tmp_path: Path) -> None:
    (tmp_path / "bees").mkdir()
    assert names_repository(tmp_path / "bees", "me/bees") is False


LIBRARY = """exec(compile('''
from urllib.error import URLError
def read_csv(path):
    if "://" in path: raise URLError("Network is unreachable")
    return open(path).read()
def urlretrieve(address, file):
    if "file://" not in address: raise URLError("Network is unreachable")
''', "a_library.py", "exec"))"""
TABLE = 'read_csv("https://raw.githubusercontent.com/me/bees/master/hives/queens.csv")'
LOAD = 'urlretrieve("https://raw.githubusercontent.com/me/bees/master/hives/queens.csv", "queens.csv")'


@pytest.mark.parametrize(("code", "cell"), [("FIL108", TABLE), ("FIL112", LOAD)])
@pytest.mark.parametrize(
    ("readme", "wanted"),
    [
        ("Data: from https://github.com/me/bees, cleaned by us.", Applicability.UNSAFE),
        (BADGE, Applicability.SAFE),
    ],
)
def test_the_cleaned_file_of_a_credited_repository_is_only_offered(
    code: str, cell: str, readme: str, wanted: Applicability, tmp_path: Path
) -> None:
    bench = Bench(tmp_path)
    bench.write_file("README.md", readme)
    bench.write_file("hives/queens.csv", "age\n1\n")
    assert [p.applicability for p in bench.propose_patches(code, LIBRARY, cell)] == [wanted]
