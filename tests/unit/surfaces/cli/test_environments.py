"""``--python`` and ``--requirements``: what is asked for, and what makes no sense."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.cli.environments import describe_environment, plan_environments
from jupyter_selfheal.surfaces.cli.parser import build_parser


def plan(*words: str) -> list[tuple[str, Path | None]]:
    return plan_environments(build_parser().parse_args(["heal", "n.ipynb", *words]))


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("old.txt", "new.txt"):
        Path(name).touch()


def test_each_is_one_environment_and_one_of_either_serves_all() -> None:
    old, new = Path("old.txt"), Path("new.txt")
    both = ["--requirements", "old.txt", "--requirements", "new.txt"]
    assert plan() == []
    assert plan("--python", "3.12") == [("3.12", None)]
    assert plan(*both) == [("", old), ("", new)]
    assert plan(*both, "--python", "3.12") == [("3.12", old), ("3.12", new)]
    assert plan(*both, "--python", "3.11", "--python", "3.13") == [("3.11", old), ("3.13", new)]
    assert plan("--python", "3.11", "--python", "3.13", "--requirements", "new.txt") == [("3.11", new), ("3.13", new)]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--requirements", "gone.txt"], r"--requirements gone\.txt: no such file"),
        (["--requirements", "old.txt", "--kernel", "python3"], "--kernel cannot be combined with --python or"),
        (["--python", ".", "--requirements", "old.txt"], r"--python \. is an environment as it is, and takes no --requ"),
        (["--python", "3.12", "--project", "."], "--project cannot be combined with --python or"),
        (["--python", "3.12", "--cluster", "local:2"], "--cluster cannot be combined with --python or"),
        (["--python", "1", "--python", "2", "--python", "3", "--requirements", "old.txt", "--requirements", "new.txt"],
         "--requirements is given 2 times, the other 3 times: once, or as often"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_one_line(words: list[str], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        plan(*words)


def test_an_environment_is_called_as_a_person_would() -> None:
    assert describe_environment("", Path("ci/old.txt")) == "old.txt"
    assert describe_environment("3.11", None) == "Python 3.11"
    assert describe_environment("3.11", Path("old.txt")) == "old.txt on Python 3.11"
    assert describe_environment("/usr/bin/python3", None) == "/usr/bin/python3"
