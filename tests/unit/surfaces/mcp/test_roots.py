"""Only notebooks within the named folders, every link followed."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.mcp.roots import Roots


@pytest.fixture
def roots(tmp_path: Path) -> Roots:
    inside = tmp_path / "in"
    (inside / "deep").mkdir(parents=True)
    (tmp_path / "inside-too").mkdir()
    for file in (
        inside / "a.ipynb",
        inside / "deep" / "b.ipynb",
        inside / "notes.txt",
        tmp_path / "inside-too" / "c.ipynb",
    ):
        file.write_text("{}")
    (inside / "linked.ipynb").symlink_to(tmp_path / "inside-too" / "c.ipynb")
    (inside / "round.ipynb").symlink_to(inside / "round.ipynb")
    (inside / "own.ipynb").symlink_to(inside / "a.ipynb")
    return Roots.from_options((inside,), tmp_path)


@pytest.mark.parametrize(
    ("path", "name"), [("a.ipynb", "a"), ("deep/b.ipynb", "b"), ("deep/../a.ipynb", "a"), ("own.ipynb", "a")]
)
def test_a_notebook_within_is_found(path: str, name: str, roots: Roots) -> None:
    assert roots.resolve_notebook(path).stem == name
    assert roots.resolve_notebook(str(roots.folders[0] / path)).stem == name


@pytest.mark.parametrize("path", ["../inside-too/c.ipynb", "linked.ipynb", "/etc/passwd", "..", "~/x.ipynb"])
def test_what_is_not_within_is_refused(path: str, roots: Roots) -> None:
    with pytest.raises(UsageError):
        roots.resolve_notebook(path)


@pytest.mark.parametrize("path", ["", "\0", "notes.txt", "deep", "round.ipynb", "x" * 5_000])
def test_what_is_no_notebook_is_refused(path: str, roots: Roots) -> None:
    with pytest.raises(UsageError):
        roots.resolve_notebook(path)


def test_a_missing_notebook_names_those_that_there_are(roots: Roots) -> None:
    with pytest.raises(UsageError, match=r"there is a\.ipynb"):
        roots.resolve_notebook("a2.ipynb".replace("2", "-old"))


@pytest.mark.parametrize("wide", [Path("/"), Path.home()])
def test_the_whole_disk_and_the_home_folder_are_opened_only_by_name(wide: Path) -> None:
    with pytest.raises(UsageError, match="--root"):
        Roots.from_options((), wide)
    assert Roots.from_options((wide,), wide).folders == (wide.resolve(),)


def test_a_folder_that_is_named_like_a_notebook_is_said_to_be_one(tmp_path: Path) -> None:
    (tmp_path / "dir.ipynb").mkdir()
    with pytest.raises(UsageError, match=r"dir.ipynb: is a folder, and no file within [^;]*$"):
        Roots((tmp_path,)).resolve_notebook("dir.ipynb")
