"""Notebooks as plain text: the form that examples of rules, variants and the shipped examples share."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_selfheal.testing.text_notebook import TextCell, parse_file, parse_notebook


def test_a_cell_is_followed_by_what_it_becomes() -> None:
    notebook = parse_notebook('# %%\na = 1\n\n# %% {"tags": ["not-run"]}\nb\n# %% [becomes]\na\n\n')
    assert notebook.cells == (TextCell(1, "a = 1"), TextCell(2, "b", settings={"tags": ["not-run"]}))
    assert notebook.healed == (TextCell(1, "a = 1"), TextCell(2, "a"))


def test_new_cells_and_another_order_are_in_the_healed_notebook_only() -> None:
    notebook = parse_notebook("# %%\na\n# %%\nb\n# %%\nc\n# %% [order 1 3 2]\n")
    assert [c.source for c in notebook.healed] == ["a", "c", "b"]
    notebook = parse_notebook("# %% [new]\nimport a\n# %%\na.b\n")
    assert [c.source for c in notebook.cells] == ["a.b"]
    assert [c.source for c in notebook.healed] == ["import a", "a.b"]


def test_a_source_keeps_the_line_break_at_its_end_where_it_says_so() -> None:
    assert parse_notebook('# %% {"end": "\\n"}\na\n# %% [becomes] {"end": "\\n"}\nb\n').healed[0].source == "b\n"


def test_files_before_the_first_title_are_beside_every_notebook(tmp_path: Path) -> None:
    path = tmp_path / "MY101.txt"
    path.write_text(
        "# %% [file a/b.txt latin-1]\nZürich\n\n=== one\n# %%\n1\n=== two\n# %% [file c]\n# %%\n2\n", "utf-8"
    )
    one, two = parse_file(path)
    assert one.files == {"a/b.txt": b"Z\xfcrich\n"}
    assert two.files == {"a/b.txt": b"Z\xfcrich\n", "c": b""}
    two.write_files(tmp_path)
    assert (tmp_path / "a/b.txt").read_bytes() == b"Z\xfcrich\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# %%\n1\n", "no line begins with ==="),
        ("# %%\n1\n=== a\n", "a cell before the first title"),
        ("=== a\n# %%\n=== a\n# %%\n", "two notebooks have the title 'a'"),
        ("=== a\nx\n# %%\n", "text before the first block"),
        ("=== a\n# %% [become]\n", r"a block of no known kind: # %% \[become\]"),
        ("=== a\n# %% [becomes]\n", "does not follow the cell"),
        ("=== a\n# %%\n1\n# %% [becomes]\n2\n# %% [becomes]\n3\n", "does not follow the cell"),
        ("=== a\n# %%\n1\n# %% [order 2]\n", "does not name every cell once"),
        ("=== a\n# %%\n1\n# %% {tags}\n", "Expecting property name"),
    ],
)
def test_what_has_not_the_form_is_refused_with_the_files_name(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "MY101.txt").write_text(text)
    with pytest.raises(ValueError, match=rf"MY101\.txt: .*{message}"):
        parse_file(tmp_path / "MY101.txt")
