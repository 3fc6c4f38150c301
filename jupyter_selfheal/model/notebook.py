"""The notebook that a failure sits in, as far as healing needs it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from jupyter_selfheal.errors import PatchError

if TYPE_CHECKING:
    from jupyter_selfheal.model.patch import Edit, Patch

JSON: TypeAlias = Any
"""A value that ``json`` can write: None, bool, int, float, str, list of JSON, dict of str to JSON."""


_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True, slots=True)
class Output:
    """One output of a cell, with nbformat 4's fields (https://nbformat.readthedocs.io/en/latest/format_description.html).

    ``output_type`` is ``stream`` (uses ``name``, ``text``), ``display_data`` or ``execute_result`` (``data``,
    ``metadata``), or ``error`` (``ename``, ``evalue``, ``traceback``).
    """

    output_type: str
    name: str = ""
    text: str = ""
    data: Mapping[str, JSON] = field(default_factory=dict)
    metadata: Mapping[str, JSON] = field(default_factory=dict)
    ename: str = ""
    evalue: str = ""
    traceback: tuple[str, ...] = ()

    @property
    def error_name(self) -> str:
        """The class of an error; JupyterLite stores ``<class 'NameError'>``."""
        return self.ename.removeprefix("<class '").removesuffix("'>").rpartition(".")[2]

    @property
    def error_message(self) -> str:
        """What an error says; Google Colab stored ``ignored`` in its place, and then the end of the traceback tells."""
        if self.evalue != "ignored" or not self.traceback:
            return self.evalue
        return _COLOURS.sub("", self.traceback[-1]).partition(f"{self.error_name}: ")[2]

    def to_nbformat(self, execution_count: int | None = None) -> dict[str, JSON]:
        """The dictionary that an .ipynb holds for this output."""
        if self.output_type == "stream":
            return {"output_type": "stream", "name": self.name or "stdout", "text": self.text}
        if self.output_type == "error":
            return {
                "output_type": "error",
                "ename": self.ename,
                "evalue": self.evalue,
                "traceback": list(self.traceback),
            }
        raw: dict[str, JSON] = {
            "output_type": self.output_type,
            "data": dict(self.data),
            "metadata": dict(self.metadata),
        }
        if self.output_type == "execute_result":
            raw["execution_count"] = execution_count
        return raw

    @classmethod
    def from_nbformat(cls, raw: Mapping[str, JSON]) -> Output:
        """Read one output of an .ipynb or the content of an IOPub message; multi-line lists are joined."""
        text = raw.get("text", "")
        data = {
            k: "".join(v) if isinstance(v, list) and all(isinstance(s, str) for s in v) else v
            for k, v in dict(raw.get("data") or {}).items()
        }
        return cls(
            output_type=str(raw.get("output_type", "stream")),
            name=str(raw.get("name", "")),
            text="".join(text) if isinstance(text, list) else str(text),
            data=data,
            metadata=dict(raw.get("metadata") or {}),
            ename=str(raw.get("ename", "")),
            evalue=str(raw.get("evalue", "")),
            traceback=tuple(str(line) for line in raw.get("traceback") or ()),
        )


@dataclass(frozen=True, slots=True)
class Oracle:
    """What the user said the cell must do; empty fields say nothing.

    ``expect``: a Python expression that the cell's last value must equal. ``stdout``: text that the cell must print
    (``/…/`` is a regular expression). ``checks``: statements that must run without raising after the cell. ``spec``: what
    the cell is for, in words; only a language model can use it. ``as_stored``: what is stored as its output must come again.
    """

    expect: str = ""
    stdout: str = ""
    checks: tuple[str, ...] = ()
    spec: str = ""
    as_stored: bool = False

    def __bool__(self) -> bool:
        """True where something can be checked without a judge."""
        return bool(self.expect or self.stdout or self.checks or self.as_stored)


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a notebook.

    ``id`` is nbformat's cell id (or one made up by the reader, stable within the run). ``runs`` is the execution number
    in the *running* kernel, 0 where it did not run there. ``outputs`` are the outputs stored in the notebook.
    ``skip`` and ``expensive`` come from the cell's ``selfheal`` metadata. ``unfinished``: its last run in the kernel failed,
    so that ``runs`` is 0, and what it did before that is there. ``stale``: it depends on what an unhealed cell never made or
    changed, so that its stored outputs say nothing about a run of it now. ``failed``: a batch ran it, and it failed and was not
    healed: it is not run again for another cell's sake, but where what it holds is made anew; ``failed_with`` says how. ``warned``: classes of what it was warned of when it ran in a batch.
    ``given``: its source as it was given, where a patch changed it since; empty elsewhere.
    ``count``: the execution number that is stored in the notebook with its outputs. ``begun`` and ``ended``: when that run was, in seconds, where
    the notebook says so; 0 where it does not.
    """

    id: str
    source: str
    kind: str = "code"
    tags: tuple[str, ...] = ()
    runs: int = 0
    outputs: tuple[Output, ...] = ()
    oracle: Oracle = Oracle()
    skip: bool = False
    expensive: bool = False
    unfinished: bool = False
    stale: bool = False
    failed: bool = False
    failed_with: str = ""
    warned: tuple[str, ...] = ()
    given: str = ""
    count: int | None = None
    begun: float = 0.0
    ended: float = 0.0

    @property
    def first_line(self) -> str:
        """Its first line that is not empty, without backticks; of one of more than 40 characters the first 39, and that it goes on."""
        line = next(filter(None, (line.strip() for line in self.source.splitlines())), "").replace("`", "'")
        return line if len(line) <= 40 else f"{line[:39]}…"


@dataclass(frozen=True, slots=True)
class Agreement:
    """How many cells that ran well were compared with what is stored for them, and how many of them still give that.

    Only cells that print the same whenever they are run, and that compute what they print. Nothing compared: nothing is known.
    """

    compared: int = 0
    agreed: int = 0


@dataclass(frozen=True, slots=True)
class Notebook:
    """The cells around a failure, in order. Live sessions without a notebook have the history's cells here.

    ``path`` is empty where it is unknown; ``folder`` is the kernel's working directory. ``agreement``: how far its healthy cells
    still give what is stored, as far as that is known. ``shows_runs``: it is open in a front end, which shows the number of its last
    run beside each cell, and no other number. ``python`` is the release that it was last saved under, as its metadata say.
    """

    cells: tuple[Cell, ...] = ()
    path: str = ""
    folder: str = ""
    agreement: Agreement = Agreement()
    shows_runs: bool = False
    python: str = ""

    def index(self, cell_id: str) -> int:
        """Position of the cell, or -1."""
        return next((n for n, cell in enumerate(self.cells) if cell.id == cell_id), -1)

    def cell(self, cell_id: str) -> Cell:
        """The cell of that id; raises ``KeyError`` where there is none."""
        at = self.index(cell_id)
        if at < 0:
            raise KeyError(cell_id)
        return self.cells[at]

    def name_cell(self, cell_id: str) -> str:
        """``cell 3``: its number among the code cells that are not empty; its id where it has none. A file of the project is named itself.

        In a front end ``cell [7]``, by the number that stands beside it, else by its first line.
        """
        if cell_id.endswith(".py"):
            return cell_id
        if self.shows_runs and self.index(cell_id) >= 0:
            cell = self.cell(cell_id)
            return f"cell [{cell.runs}]" if cell.runs else f"cell `{cell.first_line}`"
        code = [c.id for c in self.cells if c.kind == "code" and c.source.strip()]
        return f"cell {code.index(cell_id) + 1}" if cell_id in code else f"cell {cell_id}"

    def list_code_before(self, cell_id: str) -> tuple[Cell, ...]:
        """The code cells above it, in order (all code cells where it is unknown)."""
        at = self.index(cell_id)
        return tuple(c for c in (self.cells if at < 0 else self.cells[:at]) if c.kind == "code")

    def list_code_after(self, cell_id: str) -> tuple[Cell, ...]:
        """The code cells below it, in order."""
        at = self.index(cell_id)
        return () if at < 0 else tuple(c for c in self.cells[at + 1 :] if c.kind == "code")

    def with_source(self, cell_id: str, source: str) -> Notebook:
        """The same notebook with one cell's source replaced."""
        cells = (replace(c, source=source, given=c.given or c.source) if c.id == cell_id else c for c in self.cells)
        return replace(self, cells=tuple(cells))

    def apply(self, patch: Patch) -> Notebook:
        """The notebook after a patch's edits, each made on what those before it left. Running cells and installing change no source.

        Raises :class:`PatchError` where the patch does not fit: it names a cell that is not there, replaces a source that the cell
        no longer holds, or adds a cell whose id there is already.
        """
        notebook = self
        for edit in patch.edits:
            notebook = notebook._apply_edit(edit)
        return notebook

    def _apply_edit(self, edit: Edit) -> Notebook:
        from jupyter_selfheal.model.patch import Insert, Move, Replace  # which stands on this module

        if isinstance(edit, Replace):
            if self.cells[self._find_index(edit.cell_id)].source != edit.old:
                raise PatchError(f"cell {edit.cell_id} no longer holds what the patch replaces")
            return self.with_source(edit.cell_id, edit.source)
        if isinstance(edit, Insert):
            if self.index(edit.cell_id) >= 0:
                raise PatchError(f"the patch adds a cell {edit.cell_id}, which the notebook has already")
            return self._insert_cell(Cell(edit.cell_id, edit.source), edit.before)
        if isinstance(edit, Move):
            moved = self.cells[self._find_index(edit.cell_id)]
            rest = replace(self, cells=tuple(c for c in self.cells if c is not moved))
            return rest._insert_cell(moved, edit.before)
        return self

    def _insert_cell(self, cell: Cell, before: str) -> Notebook:
        at = self._find_index(before)
        return replace(self, cells=(*self.cells[:at], cell, *self.cells[at:]))

    def _find_index(self, cell_id: str) -> int:
        at = self.index(cell_id)
        if at < 0:
            raise PatchError(f"the patch names a cell {cell_id} that the notebook does not have")
        return at
