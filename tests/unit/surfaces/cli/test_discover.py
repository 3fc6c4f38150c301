"""Which notebooks folders and patterns stand for."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.cli import main
from jupyter_selfheal.surfaces.cli.discover import find_notebooks
from jupyter_selfheal.surfaces.cli.parser import build_parser
from jupyter_selfheal.surfaces.cli.targets import plan_jobs

TEMPORARY = Path(tempfile.gettempdir()).resolve()

NAMES = [
    "a.ipynb",
    "a.healed.ipynb",
    "other.healed.ipynb",
    "notes.md",
    ".hidden.ipynb",
    ".ipynb_checkpoints/a-checkpoint.ipynb",
    "node_modules/x/x.ipynb",
    "env/pyvenv.cfg",
    "env/share/x.ipynb",
    "lessons/2.ipynb",
    "lessons/10.ipynb",
    "lessons/deep/z.ipynb",
    "build/out.ipynb",
    "drafts/keep.ipynb",
    "drafts/not.ipynb",
]


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A repository of notebooks with all that belongs to nobody's lessons."""
    top = tmp_path / "course"
    for name in NAMES:
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text("{}")
    (top / ".git").mkdir()
    (top / ".gitignore").write_text("# made\nbuild/\n/drafts/*.ipynb\n")
    (top / "drafts" / ".gitignore").write_text("!keep.ipynb\n")
    return top


def found(*named: Path, **more: list[str]) -> list[str]:
    return [place.path.as_posix() for place in find_notebooks(named, **more).places]


def test_a_folder_is_searched_as_git_and_people_see_it(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(course)
    assert found(Path(".")) == [
        "a.ipynb", "other.healed.ipynb", "drafts/keep.ipynb", "lessons/10.ipynb", "lessons/2.ipynb", "lessons/deep/z.ipynb",
    ]  # fmt: skip


def test_an_ignore_file_above_the_folder_counts_and_one_above_the_repository_does_not(course: Path) -> None:
    (course.parent / ".gitignore").write_text("*.ipynb\n")
    assert found(course / "drafts") == [(course / "drafts" / "keep.ipynb").as_posix()]


def test_without_a_repository_nothing_above_the_folder_counts(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("*.ipynb\n")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.ipynb").write_text("{}")
    assert len(found(tmp_path / "in")) == 1


def test_what_is_named_is_taken_though_git_ignores_it(course: Path) -> None:
    out = course / "build" / "out.ipynb"
    assert found(out) == found(course / "build") == [out.as_posix()]


def test_patterns_choose_and_leave_out(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(course)
    assert found(Path("."), include=["lessons/"], exclude=["deep"]) == ["lessons/10.ipynb", "lessons/2.ipynb"]
    assert found(Path("lessons/**/*.ipynb")) == ["lessons/10.ipynb", "lessons/2.ipynb", "lessons/deep/z.ipynb"]
    assert found(Path("*/keep.ipynb")) == ["drafts/keep.ipynb"]
    Path("odd[1].ipynb").write_text("{}")
    assert found(Path("odd[1].ipynb")) == ["odd[1].ipynb"]


def test_a_notebook_in_two_places_is_taken_once(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(course)
    Path("link.ipynb").symlink_to("a.ipynb")
    Path("round").symlink_to(".")
    assert found(Path("a.ipynb"), Path("./a.ipynb"), Path("lessons/../a.ipynb"), Path("link.ipynb")) == ["a.ipynb"]
    assert len(found(Path("."))) == 6


def test_links_in_a_circle_hide_no_other_notebook(course: Path) -> None:
    (course / "circle.ipynb").symlink_to("circle.ipynb")
    names = [place.path.name for place in find_notebooks([course]).places]
    assert names.count("circle.ipynb") == 1
    assert len(names) > 1


def test_a_folder_without_notebooks_is_one_line(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (course / "empty").mkdir()
    assert main(["heal", str(course / "empty")]) == 2
    assert main(["heal", str(course), "--include", "nothing*"]) == 2
    assert main(["heal", str(course / "none*.ipynb")]) == 2
    said = capsys.readouterr().err.splitlines()
    assert [line.rpartition(": ")[2] for line in said] == [
        *["a folder without a notebook that is to be looked at"] * 2,
        "no such file",
    ]
    with pytest.raises(UsageError, match="object stores are not read: copy the folder"):
        find_notebooks([Path("s3://bucket/course")])
    with pytest.raises(UsageError, match="the whole disk"):
        find_notebooks([Path("/")])


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="no users")
def test_a_folder_that_cannot_be_read_is_a_report_and_the_others_are_found(course: Path) -> None:
    closed = course / "lessons" / "deep"
    closed.chmod(0)
    before = os.geteuid()
    above = (p for p in course.parents if p != TEMPORARY and p.is_relative_to(TEMPORARY))
    for folder in (*above, course, course / "lessons"):
        folder.chmod(0o755)
    if before == 0:
        os.seteuid(65534)
    try:
        discovery = find_notebooks([course / "lessons"])
    finally:
        os.seteuid(before)
        closed.chmod(0o755)
    assert [place.path.name for place in discovery.places] == ["10.ipynb", "2.ipynb"]
    assert [path for path, _ in discovery.problems] == [closed]


def test_where_the_healed_form_of_each_goes(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def targets(*words: str) -> list[str]:
        jobs, _ = plan_jobs(build_parser().parse_args(list(words)))
        return [str(job.target) for job in jobs]

    monkeypatch.chdir(course)
    assert targets("heal", "lessons") == [
        "lessons/10.healed.ipynb", "lessons/2.healed.ipynb", "lessons/deep/z.healed.ipynb",
    ]  # fmt: skip
    assert targets("heal", "lessons", "--output-dir", "out") == ["out/10.ipynb", "out/2.ipynb", "out/deep/z.ipynb"]
    assert targets("heal", "lessons", "--in-place") == found(Path("lessons"))
    assert targets("check", "lessons") == ["None"] * 3
    jobs, _ = plan_jobs(build_parser().parse_args(["heal", "lessons", "a.ipynb"]))
    assert [job.copy_healthy for job in jobs] == [False, False, False, True]


def test_copies_in_the_output_folder_are_not_healed_again(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(course)
    Path("lessons/out").mkdir()
    Path("lessons/out/2.ipynb").write_text("{}")
    jobs, _ = plan_jobs(build_parser().parse_args(["heal", "lessons", "--output-dir", "lessons/out"]))
    assert [job.path.name for job in jobs] == ["10.ipynb", "2.ipynb", "z.ipynb"]
