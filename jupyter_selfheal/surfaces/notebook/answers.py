"""``--answers FILE``: the values that a person gave to the questions of an earlier run, as expectations of the cells.

The file is TOML or JSON, a table of question id → value::

    "stock.ipynb#c2:mean([-1])" = -1

An answer to a ``choice`` is one of the texts that were offered: it decides which fix is applied, where the fixes are found again.
An answer that cannot be used is one line of the notebook's notes; the others hold.
"""

from __future__ import annotations

import json
import keyword
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.model import JSON, Cell
from jupyter_selfheal.surfaces.notebook.heal_lines import merge_oracles
from jupyter_selfheal.surfaces.notebook.open_questions import CHOICE, PRINTED, build_expectation
from jupyter_selfheal.surfaces.notebook.read import Document


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """One answer of the file: the id as it stands there, its parts, and the value as text (empty: it cannot be one)."""

    id: str
    path: str
    cell_id: str
    what: str
    value: str


def read_answers(path: Path) -> tuple[GivenAnswer, ...]:
    """The answers of a file. Raises :class:`UsageError` in one line where the file is no table of them."""
    return tuple(_build_answer(name, value) for name, value in _flatten_table(_read_table(path)))


def _read_table(path: Path) -> Mapping[str, JSON]:
    import tomllib

    try:
        text = path.read_text(encoding="utf-8")
        table = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except OSError as error:
        raise UsageError(f"--answers {path}: cannot be read ({error.strerror})") from error
    except ValueError as error:  # of either form, and of bytes that are no UTF-8
        form = "JSON" if path.suffix == ".json" else 'TOML, with a line `"id" = value` for each'
        raise UsageError(f"--answers {path}: not valid {form} ({error})") from error
    if not isinstance(table, dict):
        raise UsageError(f"--answers {path}: a table of question ids and values is wanted")
    return table


def _flatten_table(table: Mapping[str, JSON]) -> list[tuple[str, JSON]]:
    """The pairs of the file, those below a heading ``[answers]`` included."""
    inner = table.get("answers")
    rest = [(k, v) for k, v in table.items() if not (k == "answers" and isinstance(inner, dict))]
    return [*rest, *(inner.items() if isinstance(inner, dict) else ())]


def _build_answer(name: str, value: JSON) -> GivenAnswer:
    path, _, rest = name.rpartition("#")
    cell_id, _, what = rest.partition(":")
    is_value = isinstance(value, str | int | float | list)
    return GivenAnswer(
        name,
        path,
        cell_id,
        what,
        _read_text(what, value) if isinstance(value, str) else repr(value) if is_value else "",
    )


def _read_text(what: str, text: str) -> str:
    """A text as the value that it stands for: a plain word is that text, no variable's name; where it is printed it stays as it is."""
    is_word = text.isidentifier() and not keyword.iskeyword(text) and not what.startswith((PRINTED, CHOICE))
    return repr(text) if is_word else text


def list_choices(document: Document, answers: Sequence[GivenAnswer]) -> dict[str, str]:
    """For each cell the answer that says which of the offered fixes is meant."""
    return {a.cell_id: a.value for a in answers if a.what == CHOICE and a.path == str(document.path)}


def list_strangers(answers: Sequence[GivenAnswer], paths: Sequence[Path]) -> list[str]:
    """One line for each answer whose id names no notebook of this run."""
    known = {str(p) for p in paths}
    return [
        f"--answers: {a.id!r} names no notebook that is healed here; it is left out"
        for a in answers
        if a.path not in known
    ]


def apply_answers(document: Document, answers: Sequence[GivenAnswer]) -> Document:
    """The document whose cells are expected to do what the answers say, with a note for each answer that cannot be used."""
    notes: list[str] = []
    cells = {cell.id: cell for cell in document.notebook.cells}
    for answer in (a for a in answers if a.path == str(document.path)):
        cell = cells.get(answer.cell_id)
        if cell is None or cell.kind != "code":
            notes.append(f"--answers: {answer.id!r} names no code cell of the notebook; it is left out")
        elif answer.what == CHOICE and answer.value:
            continue
        elif (expecting := _add_expectation(cell, answer)) is None:
            notes.append(f"--answers: {answer.value!r} cannot be read as the value of {answer.id!r}; it is left out")
        else:
            cells[cell.id] = expecting
    notebook = replace(document.notebook, cells=tuple(cells[c.id] for c in document.notebook.cells))
    return replace(document, notebook=notebook, notes=(*document.notes, *notes))


def _add_expectation(cell: Cell, answer: GivenAnswer) -> Cell | None:
    oracle = build_expectation(answer.what, answer.value) if answer.what and answer.value else None
    if oracle is None:
        return None
    return replace(cell, oracle=merge_oracles(cell.oracle, oracle))
