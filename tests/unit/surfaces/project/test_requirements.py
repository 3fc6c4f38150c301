"""The smallest edit of requirements: one of them is another one, every other byte is as it was, and nothing is guessed."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_selfheal.surfaces.project.requirements import Bound, edit_requirements, tighten

BOUND = Bound("pandas", "2.0", 3)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("pandas", "pandas<2.0"),
        ("Pandas[excel] >= 1.5", "Pandas[excel]>=1.5,<2.0"),
        ("pandas==2.1.4", "pandas<2.0"),
        ("pandas>=1.3,<3", "pandas>=1.3,<2.0"),
        ("pandas!=1.4.0; python_version<'3.13'", "pandas!=1.4.0,<2.0; python_version<'3.13'"),
        ("pandas>=2", None),
        ("pandas~=2.1", None),
        ("pandas<2", None),
        ("pandas==1.5.3", None),
        ("pandas<1.5", None),
        ("pandas @ https://example.org/pandas.whl", None),
    ],
)
def test_a_requirement_is_tightened_or_left_alone(given: str, wanted: str | None) -> None:
    assert tighten(given, BOUND) == wanted


FILES = {
    "requirements.txt": ("# ours\r\nnumpy>=1.20\r\npandas>=1.5  # tables\r\n", "pandas>=1.5 ", "pandas>=1.5,<2.0 "),
    "environment.yml": (
        "name: x\ndependencies:\n  - python=3.11\n  - numpy=1.26\n  - pandas=2.1\n  - pip:\n      - rich\n",
        "pandas=2.1",
        "pandas<2.0",
    ),
    "pyproject.toml": (
        '[project]\nname = "pandas"\ndependencies = [\n  "numpy>=1.20",\n  "pandas",  # tables\n]\n',
        '"pandas",',
        '"pandas<2.0",',
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_only_that_requirement_differs(name: str, tmp_path: Path) -> None:
    text, old, new = FILES[name]
    (tmp_path / name).write_bytes(text.encode())
    folder = tmp_path / "lessons"
    folder.mkdir()
    edit = edit_requirements(folder, tmp_path, BOUND)
    assert edit is not None
    assert edit.fix.raw.decode() == text.replace(old, new)
    assert new.strip('", ') in edit.requirements
    assert any(r.startswith("numpy") for r in edit.requirements)
    assert not any(r.startswith("python") for r in edit.requirements)
    assert edit_requirements(folder, tmp_path, Bound("scipy", "1.14", 1)) is None, "it does not name that"


def test_conda_versions_are_written_for_pip(tmp_path: Path) -> None:
    (tmp_path / "environment.yml").write_text(FILES["environment.yml"][0])
    edit = edit_requirements(tmp_path, tmp_path, BOUND)
    assert edit is not None
    assert edit.requirements == ("numpy==1.26.*", "pandas<2.0", "rich")


@pytest.mark.parametrize("text", ["-r base.txt\npandas\n", "pandas\npandas>=1\n", "pandas>=2\n"])
def test_what_is_not_understood_is_left_alone(text: str, tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text(text)
    assert edit_requirements(tmp_path, tmp_path, BOUND) is None
