"""Notebooks as text (extra ``[text]``): MyST and jupytext's Markdown, Python scripts in the percent and the light form, Quarto's to read.

jupytext reads them. What it would write is never taken: only the changed lines of changed cells are spliced into the file, and the result
must be read back as exactly the notebook that is meant. Where that cannot be reached, nothing is written.
"""

from __future__ import annotations

import copy
import difflib
import json
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from jupyter_selfheal.errors import NotebookError
from jupyter_selfheal.model import JSON

READ_ONLY = ".qmd"
SUFFIXES = (".md", ".py", READ_ONLY)
"""How the names of text notebooks end."""

_CODE_CELL = re.compile(r"^(`{3,}|~{3,})\{code-cell\}", re.MULTILINE)
"""How a code cell of MyST begins."""


_FRONT_MATTER = re.compile(
    r"\A(#[ ]?)?---[ \t]*\r?\n.*?^(#[ ]?)?---", re.MULTILINE | re.DOTALL
)  # of a script: in comments
_KERNELSPEC = re.compile(r"^([# \t]*kernelspec:[ \t]*\r?\n)(#?[ \t]+)", re.MULTILINE)


def has_code_cells(text: str) -> bool:
    """Whether Markdown has a code cell of MyST."""
    return _CODE_CELL.search(text) is not None


def _describe_error(error: Exception) -> str:
    """What keeps a text from being read, on one line; of a header's YAML the line in it."""
    mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
    if mark is not None and problem:
        return f"jupytext cannot read it: line {mark.line + 1} of its header is no YAML ({' '.join(problem.split())})"
    return f"jupytext cannot read it ({' '.join(str(error).split())[:160]})"


def parse_text(path: Path, text: str) -> dict[str, JSON]:
    """The JSON of a notebook that is written as text, without outputs and ids. Raises :class:`NotebookError` in one line."""
    try:
        import jupytext
    except ImportError as error:
        raise NotebookError(f"{path}: notebooks as text need jupytext: pip install 'jupyter-selfheal[text]'") from error
    form = ".Rmd" if path.suffix == READ_ONLY else path.suffix  # chunks of Quarto are written as those of R Markdown
    if form == ".md" and has_code_cells(text):
        form = "md:myst"  # jupytext goes by the front matter alone, which pages of Jupyter Book need not have
    try:
        completed = _complete_kernelspec(text.removeprefix("\ufeff"))
        with (
            warnings.catch_warnings()
        ):  # what it says of cells named `python3` beside `ipython3` is for who writes by it
            warnings.simplefilter("ignore")
            raw: dict[str, Any] = json.loads(json.dumps(jupytext.reads(completed, fmt=form)))
    except Exception as error:  # of jupytext, of its YAML reader: whatever it is, it is about this file
        raise NotebookError(f"{path}: {_describe_error(error)}") from error
    for cell in raw["cells"]:
        cell.pop("id", None)  # drawn at random each time it is read
    return {**raw, "nbformat_minor": 4}


def _complete_kernelspec(text: str) -> str:
    """The text with a name to show for its kernel: pages of MyST-NB need none, people who write a header by hand leave it out,
    and jupytext reads neither without."""
    head = _FRONT_MATTER.match(text)
    if head is None or "display_name" in head.group():
        return text
    return _KERNELSPEC.sub(r"\1\2display_name: Python\n\2", head.group(), count=1) + text[head.end() :]


def splice_cells(path: Path, text: str, raw: Mapping[str, JSON], changed: Mapping[int, str]) -> str:
    """``text`` with other sources for some cells (by their place among all cells); ``raw`` is what it reads as.

    Raises :class:`NotebookError` where it would not be read back as exactly that.
    """
    wanted: dict[str, Any] = copy.deepcopy(dict(raw))
    for number, source in sorted(changed.items()):
        old = str(wanted["cells"][number]["source"])
        wanted["cells"][number]["source"] = source
        text = _splice_cell(path, text, old, source, wanted, number)
    return text


def _splice_cell(path: Path, text: str, old: str, new: str, wanted: Mapping[str, JSON], number: int) -> str:
    lines = text.splitlines(keepends=True)
    for spliced in _list_splices(lines, old.splitlines(), new.splitlines(), is_script=path.suffix == ".py"):
        if _is_same_notebook(parse_text(path, spliced), wanted):
            return spliced
    raise NotebookError(
        f"{path}: cell {number + 1} of all cannot be changed in the text so that it is read back the same: "
        "take the notebook (-o OUT.ipynb)"
    )


def _list_splices(lines: Sequence[str], old: Sequence[str], new: Sequence[str], *, is_script: bool) -> Iterator[str]:
    """The text with the new lines in every place where the old ones stand; in a script, magics as comments first."""
    newline = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    for start in range(len(lines) - len(old) + 1):
        block = lines[start : start + len(old)]
        if not old or not all(_stands_for(line, o, is_script) for line, o in zip(block, old, strict=True)):
            continue
        for comment in (True, False) if is_script else (False,):
            middle = "".join(_merge_lines(block, old, new, newline, comment=comment))
            if not block[-1].endswith(("\n", "\r")):
                middle = middle.removesuffix(newline)
            yield "".join([*lines[:start], middle, *lines[start + len(old) :]])


def _stands_for(line: str, source: str, is_script: bool) -> bool:
    """Whether a line of the file is a line of a cell; in a script magics stand behind a comment sign."""
    text = line.rstrip("\r\n")
    return text == source or (is_script and text.startswith("#") and text.lstrip("# ") == source.lstrip("# "))


def _merge_lines(
    block: Sequence[str], old: Sequence[str], new: Sequence[str], newline: str, *, comment: bool
) -> Iterator[str]:
    """The lines of a changed cell: those that are as they were, byte by byte as they stand."""
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            for line in block[i1:i2]:
                yield line if line.endswith(("\n", "\r")) else line + newline
        else:
            newline = "\r\n" if any(line.endswith("\r\n") for line in block[i1:i2]) else newline
            for line in new[j1:j2]:
                yield ("# " if comment and line.startswith(("%", "!")) else "") + line + newline


def _is_same_notebook(raw: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return bool(raw["cells"] == wanted["cells"] and raw["metadata"] == wanted["metadata"])
