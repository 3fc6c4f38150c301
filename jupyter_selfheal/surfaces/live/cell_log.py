"""What this session has run: the cells behind execution numbers and code file names.

The front end tells cell ids; where it does not, a cell is known by its source.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from jupyter_selfheal import magic_options

if TYPE_CHECKING:
    from jupyter_selfheal.model import Cell, Notebook, Output

MAX_CELLS = 2_000
"""Cells remembered; older ones go first."""


def read_code_files(shell: Any) -> Mapping[str, int]:
    """The execution that each code file of a shell is of, by the file's name."""
    files: Mapping[str, int] = getattr(shell.compile, "_filename_map", {})
    return files


class CellLog:
    """The cells run in this kernel, and (where the front end tells) the notebook around them."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.path = ""
        self._by_id: dict[str, tuple[str, int]] = {}
        """Source and execution number."""
        self._by_run: dict[int, str] = {}
        self._unfinished: set[str] = set()
        """Cells whose last run failed: what they define further down is not there."""
        self._raw: dict[str, str] = {}
        """What ran, as it stood in the notebook; ``_page`` is the same of what the front end tells."""
        self._page: dict[str, str] = {}
        self._context: tuple[Cell, ...] = ()
        self._stored: dict[str, tuple[Output, ...]] = {}
        """Outputs that a cell had before this session ran it: what it shows now may be the failure itself."""

    @staticmethod
    def identify(cell_id: str | None, source: str) -> str:
        """The front end's id, or one made of the source."""
        if cell_id:
            return cell_id
        import hashlib

        return "cell-" + hashlib.sha256(source.encode("utf-8", "replace")).hexdigest()[:10]

    def record_run(self, cell_id: str, raw: str, run: int, *, failed: bool = False) -> None:
        """A cell was run as execution ``run``; ``raw`` is its text as it stands in the notebook."""
        (self._unfinished.add if failed else self._unfinished.discard)(cell_id)
        source, self._raw[cell_id] = magic_options.to_body(raw), raw
        self._by_id.pop(cell_id, None)
        self._by_id[cell_id] = (source, run)
        self._by_run[run] = cell_id
        while len(self._by_id) > MAX_CELLS:
            self._raw.pop(old := next(iter(self._by_id)), None)
            del self._by_id[old]

    def find_written_source(self, cell: Cell) -> str:
        """The cell as it stands in the notebook: with its ``%%heal`` line, and blank lines on top, if it has any."""
        sources = (self._raw.get(cell.id, ""), self._page.get(cell.id, ""))
        return next((raw for raw in sources if raw and magic_options.to_body(raw) == cell.source), cell.source)

    def find_cell_of_run(self, run: int) -> str | None:
        """Id of the cell that was execution ``run``."""
        return self._by_run.get(run)

    def find_cell_with_source(self, source: str) -> str | None:
        """Id of the one cell of the front end's notebook with this source; None where there is none, or several."""
        matches = [cell.id for cell in self._context if cell.source.strip() == source.strip()]
        return matches[0] if len(matches) == 1 else None

    def list_cells_below(self) -> tuple[Cell, ...]:
        """The code cells of the front end's notebook below the one that ran last, in order; commands of ours are left out."""
        order = [cell.id for cell in self._context]
        last = next((name for name in reversed(self._by_id) if name in order), None)
        below = self._context[order.index(last) + 1 :] if last is not None else self._context
        return tuple(c for c in below if c.kind == "code" and c.source.strip() and not magic_options.is_ours(c.source))

    @property
    def is_told(self) -> bool:
        """Whether a front end has told the notebook."""
        return bool(self._context)

    def is_in_page(self, cell_id: str) -> bool:
        """Whether the front end's notebook has such a cell."""
        return cell_id in self._page

    def is_as_told(self, cell: Cell) -> bool:
        """Whether the front end's notebook has the cell with that source."""
        return any(told.id == cell.id and told.source == cell.source for told in self._context)

    def list_tags(self, cell_id: str) -> tuple[str, ...]:
        """Its tags in the front end's notebook."""
        return next((cell.tags for cell in self._context if cell.id == cell_id), ())

    def find_source(self, cell_id: str) -> str | None:
        """The source it last ran with."""
        source, _ = self._by_id.get(cell_id, (None, 0))
        return source

    def learn(self, cells: tuple[Cell, ...], path: str = "") -> None:
        """The notebook as the front end has it: order, ids, sources, stored outputs."""
        self._page = {cell.id: cell.source for cell in cells}
        self._context = cells = tuple(replace(cell, source=magic_options.to_body(cell.source)) for cell in cells)
        self.path = path or self.path
        for cell in cells:
            if cell.id not in self._by_id:
                # A stored error is the last run's, or that of a kernel which is gone, not what the cell is meant to show: who
                # means it tags the cell `raises-exception`.
                failed = any(o.output_type == "error" for o in cell.outputs)
                self._stored.setdefault(cell.id, () if failed else cell.outputs)

    def build_notebook(self, failing: str, source: str, run: int) -> Notebook:
        """The cells around a failure: the front end's notebook if it told one, else the history in order of running."""
        from jupyter_selfheal.model import Cell, Notebook

        if any(cell.id == failing for cell in self._context):
            cells = tuple(self._merge_cell(cell, failing, source) for cell in self._context)
        else:
            known = (
                Cell(name, text, runs=0 if name in self._unfinished else number, unfinished=name in self._unfinished)
                for name, (text, number) in self._by_id.items()
                if name != failing
            )
            cells = (*known, Cell(failing, source, runs=run))
        return Notebook(cells, path=self.path, folder=self.folder, shows_runs=True)

    def build_present(self) -> Notebook:
        """The front end's notebook as far as it told one, else the cells that ran, in order of running; no cell is failing."""
        from jupyter_selfheal.model import Cell, Notebook

        if self._context:
            cells = tuple(self._merge_cell(cell, "", "") for cell in self._context)
        else:
            cells = tuple(
                Cell(name, text, runs=0 if name in self._unfinished else number, unfinished=name in self._unfinished)
                for name, (text, number) in self._by_id.items()
            )
        return Notebook(cells, path=self.path, folder=self.folder, shows_runs=True)

    def is_unfinished(self, cell_id: str) -> bool:
        """Whether the cell's last run failed."""
        return cell_id in self._unfinished

    def build_history(self) -> Notebook:
        """The cells as they ran, in that order, each below the text that stands above it in the front end's notebook."""
        from jupyter_selfheal.model import Cell, Notebook

        texts = {
            cell.id: above
            for above, cell in zip(self._context, self._context[1:], strict=False)
            if above.kind == "markdown"
        }
        cells: list[Cell] = []
        for name, (source, number) in sorted(self._by_id.items(), key=lambda item: item[1][1]):
            failed = name in self._unfinished
            cells += [texts[name]] if name in texts else []
            cells.append(Cell(name, source, runs=0 if failed else number, unfinished=failed))
        return Notebook(tuple(cells), path=self.path, folder=self.folder, shows_runs=True)

    def list_cells_to_failure(self, run: int = 0) -> tuple[Cell, ...]:
        """The cells as they ran, up to the last that failed, without others that did: what a clean kernel is to run for the same failure.

        ``run``: up to that execution's cell; none where that does not fail."""
        cells, wanted = self.build_history().cells, self._by_run.get(run, "")
        if run and wanted not in self._unfinished:
            return ()
        last = max((n for n, c in enumerate(cells) if c.unfinished and wanted in ("", c.id)), default=-1)
        return (
            tuple(c for n, c in enumerate(cells[: last + 1]) if n == last or not c.unfinished) if last >= 0 else cells
        )

    def _merge_cell(self, cell: Cell, failing: str, source: str) -> Cell:
        from jupyter_selfheal import source as src

        ran, number = self._by_id.get(cell.id, ("", 0))
        ended = number and cell.id not in self._unfinished
        runs = number if ended and src.canonicalise(ran) == src.canonicalise(cell.source) else 0
        outputs = self._stored.get(cell.id, ())
        source = source if cell.id == failing else cell.source
        return replace(cell, runs=runs, outputs=outputs, source=source, unfinished=cell.id in self._unfinished)
