"""Notebooks as text: only the changed lines of changed cells differ, and what is written is read back as it is meant."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_selfheal.errors import NotebookError
from jupyter_selfheal.model import Case, Insert, Patch
from jupyter_selfheal.surfaces.cli import main
from jupyter_selfheal.surfaces.notebook.read import Document, read
from jupyter_selfheal.surfaces.notebook.save import save_healed
from jupyter_selfheal.surfaces.notebook.text_formats import parse_text, splice_cells
from jupyter_selfheal.surfaces.notebook.write import check_target, format_text
from tests.batches import batch
from tests.command import sources, write
from tests.needed import needs
from tests.unit.surfaces.notebook.test_report import upper

pytestmark = needs("jupytext", reason="the extra [text] is not installed")

HEADER = """---
jupytext:
  formats: ipynb,md:myst
  text_representation:
    extension: .md
    format_name: myst   # mine
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

"""
SAMPLES = {
    "myst.md": HEADER + "# Title   \n\nOf x = 'a'.uper() in prose.\n\n```{code-cell} ipython3\n:tags: [hide-input]\n\n"
    "%matplotlib inline\nx = 'a'.uper()  \nx\n```\n\n```python\nno = 'cell'.uper()\n```\n\n+++ {\"a\": 1}\n\n"
    "```{code-cell}\n---\ntags: [b]\n---\nprint(x)\n\n\nprint(2)\n```\n",
    "mystnb.md": "---\nfile_format: mystnb\nkernelspec:\n  name: python3\n---\n\n# Title\n\n```{code-cell} ipython3\nx = 'a'.uper()\nx\n```\n",
    "plain.md": "# Title\r\n\r\n```python tags=[\"a\"]\r\nx = 'a'.uper()\r\nx\r\n```\r\n\r\n<!-- #region -->\r\ntext\r\n<!-- #endregion -->\r\n"
    "```python\r\nx = 'a'.uper()\r\nx\r\n```",
    "percent.py": "# -*- coding: utf-8 -*-\n# ---\n# jupyter:\n#   jupytext:\n#     text_representation:\n#       format_name: percent\n"
    "# ---\n\n# %% [markdown]\n# # Title\n\n# %% tags=[\"a\"]\n# %matplotlib inline\nimport math   \nx = 'a'.uper()\n\n# + not a cell\n# %%\nprint(x)\n",
    "light.py": "\"\"\"A script.\"\"\"\n\nimport math\n\n\ndef shout(word):\n    # loud\n    return word.uper()\n\n\n# Prose\n# of two lines\n\n"
    "# + tags=[\"a\"]\nx = 1\n\ny = 2\n# -\n\nprint(shout('a'))",
}  # fmt: skip


def count_equal(one: list[str], other: list[str]) -> int:
    """Lines from the start that are the same."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def code_of(document: Document) -> list[int]:
    return [n for n, c in enumerate(document.notebook.cells) if c.kind == "code"]


@pytest.mark.parametrize("name", SAMPLES)
def test_without_a_change_every_byte_is_as_it_was(name: str) -> None:
    text = SAMPLES[name]
    assert splice_cells(Path(name), text, parse_text(Path(name), text), {}) == text


@settings(max_examples=12, deadline=None)
@given(data=st.data(), name=st.sampled_from(sorted(SAMPLES)))
def test_a_changed_line_is_all_that_differs(data: st.DataObject, name: str) -> None:
    """Any line of any code cell, replaced, doubled or commented: every other line of the file is as it was, byte by byte."""
    text, path = SAMPLES[name], Path(name)
    raw = parse_text(path, text)
    code = [n for n, cell in enumerate(raw["cells"]) if cell["cell_type"] == "code"]
    number = data.draw(st.sampled_from(code))
    lines = raw["cells"][number]["source"].split("\n")
    full = [n for n, line in enumerate(lines) if line.strip() and not line.startswith("%")]
    at = data.draw(st.sampled_from(full))
    new = data.draw(st.sampled_from([f"{lines[at]}  # é {{'{{'}} `x`", f"{lines[at]}\n{lines[at]}"]))
    changed = "\n".join([*lines[:at], new, *lines[at + 1 :]])
    spliced = splice_cells(path, text, raw, {number: changed})
    assert parse_text(path, spliced)["cells"][number]["source"] == changed
    before, after = text.splitlines(keepends=True), spliced.splitlines(keepends=True)
    same = count_equal(before, after)
    tail = count_equal(before[same:][::-1], after[same:][::-1])
    assert len(before) - same - tail <= 1
    assert len(after) - same - tail <= 1 + new.count("\n")


@pytest.mark.parametrize("name", SAMPLES)
def test_a_slip_is_healed_in_the_text_alone(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(SAMPLES[name].encode())
    document = read(path)
    sources_before = [c.source for c in document.notebook.cells]
    number = next(n for n in code_of(document) if "uper" in sources_before[n])
    wanted = sources_before[number].replace("uper", "upper")
    spliced = splice_cells(path, document.text, document.raw, {number: wanted})
    assert [a for a, b in zip(document.text.splitlines(), spliced.splitlines(), strict=True) if a != b] == [
        line for line in sources_before[number].splitlines() if "uper" in line
    ]


def test_a_batch_heals_text_in_place_and_keeps_its_pair_in_step(tmp_path: Path) -> None:
    """The pair gets the healed code and its new output; what else it holds stays."""
    path = tmp_path / "n.md"
    path.write_text(HEADER + "```{code-cell}\nx = 'a'.uper()\nx\n```\n\nprose\n\n```{code-cell}\n1 + 1\n```\n")
    pair = write(tmp_path / "n.ipynb", "x = 'a'.uper()\nx", {"cell_type": "markdown", "metadata": {}, "source": ["prose"]}, "1 + 1",
                 jupytext={"formats": "ipynb,md:myst"})  # fmt: skip
    before = path.read_text()
    saved = heal(path)
    assert path.read_text() == before.replace("uper", "upper")
    assert sources(pair) == ["x = 'a'.upper()\nx", "prose", "1 + 1"]
    cells = json.loads(pair.read_text())["cells"]
    assert cells[0]["outputs"][0]["data"]["text/plain"] == ["'A'"]
    assert cells[2]["outputs"] == []
    assert f"its pair {pair} was healed with it" in saved


def test_an_ipynb_heals_its_text_pair_and_one_out_of_step_is_left_alone(tmp_path: Path) -> None:
    given = write(tmp_path / "n.ipynb", "x = 'a'.uper()\nx", jupytext={"formats": "ipynb,py:percent,md"})
    script = tmp_path / "n.py"
    script.write_text("# %%\nx = 'a'.uper()\nx\n")
    other = tmp_path / "n.md"
    other.write_text("```python\nsomething = 'else'\n```\n")
    saved = heal(given)
    assert script.read_text() == "# %%\nx = 'a'.upper()\nx\n"
    assert other.read_text() == "```python\nsomething = 'else'\n```\n"
    assert f"its pair {other} is out of step, and was left as it is" in saved


def heal(path: Path) -> tuple[str, ...]:
    document = read(path)
    report, seen = batch(document, upper).run()
    return save_healed(document, report, seen, path, provenance=True).notes


def test_a_fix_that_adds_a_cell_is_not_written_into_text_but_into_a_notebook(tmp_path: Path) -> None:
    def add_cell(case: Case) -> Iterator[Patch]:
        yield Patch((Insert("new", "missing = 1", case.failure.cell_id),), "Define it", why="it is missing")

    path = tmp_path / "n.py"
    path.write_text("# %%\nmissing + 1\n")
    document = read(path)
    report, seen = batch(document, add_cell).run()
    assert report.fixes
    with pytest.raises(NotebookError, match=r"adds or moves a cell.*-o OUT\.ipynb"):
        save_healed(document, report, seen, path)
    assert path.read_text() == "# %%\nmissing + 1\n"
    saved = save_healed(document, report, seen, tmp_path / "out.ipynb")
    assert sources(Path(saved.written)) == ["missing = 1", "missing + 1"]


@pytest.mark.parametrize(
    ("name", "target", "why"),
    [("q.qmd", "q.qmd", "Quarto documents are only read"), ("n.md", "out.py", r"must end in \.md or \.ipynb")],
)
def test_a_place_that_text_cannot_go_to_is_refused_before_anything_runs(
    name: str, target: str, why: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text("---\ntitle: Q\n---\n\n```{python}\n#| label: a\nx = 1\n```\n")
    document = read(path)
    check_target(document, tmp_path / "out.ipynb")
    with pytest.raises(NotebookError, match=why):
        check_target(document, tmp_path / target)


def test_a_quarto_document_is_read(tmp_path: Path) -> None:
    path = tmp_path / "q.qmd"
    path.write_text("---\ntitle: Q\n---\n\n```{python}\n#| label: a\nx = 'a'.uper()\n```\n")
    assert [c.source for c in read(path).notebook.cells if c.kind == "code"] == ["#| label: a\nx = 'a'.uper()"]


def test_a_header_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "n.md"
    path.write_text("---\njupytext: [\nkernelspec: {\n---\n\n```{code-cell}\n1\n```\n")
    with pytest.raises(NotebookError, match="jupytext cannot read it") as caught:
        read(path)
    assert "\n" not in str(caught.value)


def test_without_jupytext_one_line_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "jupytext", None)
    path = tmp_path / "n.md"
    path.write_text("```python\n1\n```\n")
    with pytest.raises(NotebookError, match=r"need jupytext: pip install 'jupyter-selfheal\[text\]'"):
        read(path)


@pytest.mark.parametrize("header", ["---\njupytext:\n  text_representation:\n    format_name: myst\n---\n\n", ""])
def test_a_page_with_code_cells_is_myst_whatever_its_front_matter_says(tmp_path: Path, header: str) -> None:
    page = f'{header}# A page\n\n```{{code-cell}} ipython3\nnames = ["b"]\n```\n\nwords\n'
    cells = parse_text(tmp_path / "page.md", page)["cells"]
    assert [c["cell_type"] for c in cells if isinstance(c, dict)] == ["markdown", "code", "markdown"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("n.py", "# ---\n# jupyter:\n#   kernelspec:\n#     name: python3\n# ---\n\n# %%\nx = 'a'.uper()\n"),
        ("n.md", "---\njupyter:\n  kernelspec:\n    name: python3\n---\n\n```python\nx = 'a'.uper()\n```\n"),
    ],
)
def test_a_header_by_hand_needs_no_name_to_show(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    document = read(path)
    (code,) = [c for c in document.notebook.cells if c.kind == "code"]
    healed = replace(document.notebook, cells=tuple(
        replace(c, source="x = 'a'.upper()") if c is code else c for c in document.notebook.cells
    ))  # fmt: skip
    assert format_text(document, healed) == text.replace("uper", "upper")


def test_cells_that_name_python_in_two_ways_are_read_without_a_word(tmp_path: Path) -> None:
    """As pages of QuantEcon do; jupytext warned of it into the user's terminal, with a path of its own."""
    text = "```{code-cell} ipython3\nx = 1\n```\n\n```{code-cell} python3\nprint(x)\n```\n"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        raw = parse_text(tmp_path / "page.md", text)
    assert [cell["source"] for cell in raw["cells"] if cell["cell_type"] == "code"] == ["x = 1", "print(x)"]


@pytest.mark.parametrize("named", ["n.ipynb", "n.py"])
@pytest.mark.parametrize("how", ["all", "--cell", "edited since"])
def test_what_is_taken_back_in_one_of_a_pair_is_taken_back_in_the_other(
    named: str, how: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if how == "--cell" and named == "n.py":
        return  # text does not tell of its fixes
    given = write(tmp_path / "n.ipynb", "x = 'a'.uper()\nx", jupytext={"formats": "ipynb,py:percent"})
    script = tmp_path / "n.py"
    head = "# ---\n# jupyter:\n#   jupytext:\n#     formats: ipynb,py:percent\n# ---\n\n"
    script.write_text(head + "# %%  as I write it\nx = 'a'.uper()\nx\n")
    before = given.read_bytes(), script.read_bytes()
    heal(tmp_path / named)
    other = script if named == "n.ipynb" else given
    assert sources(given) == ["x = 'a'.upper()\nx"]
    if how == "edited since":
        other.write_text(other.read_text() + "\n")
    assert main(["revert", str(tmp_path / named), *(["--cell", "1"] if how == "--cell" else [])]) == 0
    said = capsys.readouterr().out
    assert f"its pair {other}" in said
    assert sources(given) == ["x = 'a'.uper()\nx"]
    assert script.read_bytes().rstrip() == before[1].rstrip()
    if how == "all":
        assert (given.read_bytes(), script.read_bytes()) == before
        assert said.count("byte by byte") == 2
