"""What a language model is told of a failure: as little as heals it, and no values unless the user allows them."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.model.surroundings import (
    format_files,
    format_stored_outputs,
    format_texts,
    leave_out_comprehensions,
    list_readers,
    shorten_recursion,
)
from jupyter_selfheal.inside.loader import probe_source
from jupyter_selfheal.model import MADE_UP_PLACE, Case, Cell, Failure, FailureKind
from jupyter_selfheal.ports import Facts

CELL_CHARS = 4_000
"""Characters of one cell that are sent."""

CELLS_CHARS = 16_000
"""Characters of all the other cells that are sent."""

VARIABLES = 25
LOCALS = 10
NAME_CHARS, LINE_CHARS = 80, 240
"""Live variables that are summed up (and local ones of the function that failed), and the characters of each."""

STORED_CHARS = 2_000
"""Characters of a stored output that are sent, where the cell must put it out again."""

FAILING = "failing-cell"


@dataclass(frozen=True, slots=True)
class Labels:
    """Short names of cells for a model (``cell-3``: the third of the notebook), and back."""

    case: Case

    def label_cell(self, cell_id: str) -> str:
        """The label of a cell."""
        at = self.case.notebook.index(cell_id)
        return FAILING if at < 0 else f"cell-{at + 1}"

    def find_cell_id(self, label: str) -> str | None:
        """The id of a label (or of an id given as such); None where no cell of this notebook has it."""
        match = re.fullmatch(r"(?:the\s+)?(?:cell|in)?[-_ #]*\[?([1-9]\d*)\]?:?", label.strip().strip("`'\"").lower())
        cells = self.case.notebook.cells
        if match and 1 <= int(match[1]) <= len(cells):
            return cells[int(match[1]) - 1].id
        if label.strip().lower().replace(" ", "-") == FAILING or label == self.case.failure.cell_id:
            return self.case.failure.cell_id
        return label if self.case.notebook.index(label) >= 0 else None

    def find_source(self, cell_id: str) -> str:
        """A cell's source as it ran."""
        if cell_id == self.case.failure.cell_id:
            return self.case.failure.source
        return self.case.notebook.cell(cell_id).source


def describe_case(case: Case, variables: str, cells_chars: int = CELLS_CHARS, values: bool = False) -> str:
    """The case, the same for every call of a heal (so that a provider can cache it), with so many characters of other cells; with
    what is stored for them where ``values`` may be sent."""
    labels, failure = Labels(case), case.failure
    others = pick_other_cells(case, cells_chars)
    parts = [
        f"# The failure\n`{labels.label_cell(failure.cell_id)}` {_describe_failure(failure)}.\n\n{format_trace(case)}".rstrip(),
        f"# The failing cell, {labels.label_cell(failure.cell_id)}\n{_fence_code(failure.source)}",
        *(f"# {labels.label_cell(cell.id)}\n{_fence_code(cell.source)}" for cell in others),
        f"# Live variables\n{variables}" if variables else "",
        _format_packages(case, [failure.source, *(c.source for c in others)]),
        _format_oracle(case),
        _format_stored(case, others) if values else "",
        format_texts(case, labels.label_cell),
        format_files(case),
    ]
    return "\n\n".join(part for part in parts if part)


def _describe_failure(failure: Failure) -> str:
    if failure.kind is FailureKind.MISSED:
        missed = (
            f": {failure.headline}" if failure.headline else ""
        )  # nothing is known of it before the cell has run again
        return f"runs, but not to what is expected{missed}"
    if failure.kind is FailureKind.TIMED_OUT:
        return "does not come to an end"
    if failure.kind is FailureKind.DIED:
        return "ends the kernel's process"
    return f"fails with {failure.headline}"


def format_trace(case: Case) -> str:
    """The traceback trimmed to the user's frames, the last library frame and the message; home and project folder shortened."""
    labels, lines = Labels(case), []
    frames = leave_out_comprehensions(case.failure.frames)
    for frame in shorten_recursion(frames):
        if isinstance(frame, int):
            lines.append(f"  … {frame} more frames like these")
        elif (
            frame.cell_id
            or frame is frames[-1]
            or (case.notebook.folder and frame.file.startswith(case.notebook.folder))
        ):
            where = labels.label_cell(frame.cell_id) if frame.cell_id else _GENERATED.sub("a cell", frame.file)
            lines.append(f"  {where}, line {frame.line}, in {frame.function}\n    {frame.text.strip()}".rstrip())
    if not frames and case.failure.line:
        lines.append(f"  {labels.label_cell(case.failure.cell_id)}, line {case.failure.line}")
    if case.failure.ename:
        lines.append(f"{case.failure.ename}: {case.failure.evalue}"[:1_500])
    return shorten_paths("\n".join(lines), case.notebook.folder)


_GENERATED = re.compile(r"^(?:.*[\\/]ipykernel_\d+[\\/].*|<.*>)$")
"""Names of files that a kernel makes up for its cells."""


def _format_stored(case: Case, others: Sequence[Cell]) -> str:
    """What is stored for the failing cell and for those below it that are sent; where the oracle holds it, not twice."""
    labels, at = Labels(case), case.notebook.index(case.failure.cell_id)
    below = [c for c in others if case.notebook.index(c.id) > at >= 0]
    failing = [case.notebook.cells[at]] if at >= 0 and not case.oracle.as_stored else []
    return format_stored_outputs([(labels.label_cell(c.id), c) for c in (*failing, *below)])


def shorten_paths(text: str, folder: str = "") -> str:
    """Absolute paths without what they say of the machine: the project's folder as ``.``, the home as ``~``."""
    for path, name in ((folder, "."), (os.path.expanduser("~"), "~")):
        if len(path) > 1:
            text = text.replace(path, name)
    text = MADE_UP_PLACE.sub(r"(line \1)", text)
    return re.sub(r"/\S*?/(?=(?:site|dist)-packages/)", "…/", text)


def pick_other_cells(case: Case, cells_chars: int = CELLS_CHARS) -> list[Cell]:
    """The cells that the failing one depends on by names, those in its traceback, and the nearest below that read what it
    makes, first those that assert something of it; the nearest first where not all fit, in the notebook's order."""
    above, names = case.notebook.list_code_before(case.failure.cell_id), src.find_names(case.failure.source)
    picked = {above[n].id for n in src.find_backward_slice([c.source for c in above], names.uses | names.changes)}
    picked |= {frame.cell_id for frame in case.failure.frames}
    binds = (
        names.binds
        | names.changes
        | frozenset().union(*(src.find_names(c.source).binds for c in above if c.id in picked))
    )
    cells = [cell for cell in above if cell.id in picked]
    cells += list_readers(case, binds)
    left, kept = cells_chars, []
    at = case.notebook.index(case.failure.cell_id)
    for cell in sorted(cells, key=lambda c: abs(case.notebook.index(c.id) - at)):
        left -= min(len(cell.source), CELL_CHARS)
        if left >= 0:
            kept.append(cell)
    return [cell for cell in case.notebook.cells if cell in kept]


def _fence_code(source: str) -> str:
    cut = source if len(source) <= CELL_CHARS else source[:CELL_CHARS] + "\n# … (cut)"
    return f"```python\n{cut}\n```"


def list_live_names(case: Case) -> list[str]:
    """The variables that the failing cell touches, those of the failing statement first."""
    statements = src.list_statements(case.failure.source)
    at = case.failure.statement
    near = src.collect_names([statements[at].node]).uses if 0 <= at < len(statements) else frozenset()
    touched = src.find_names(case.failure.source)
    return [*sorted(near), *sorted((touched.uses | touched.changes) - near)][:VARIABLES]


def find_looked_up_names(case: Case) -> frozenset[str]:
    """The variables that a failing statement (of the cell, or of a function in its traceback) looks something up in by a key."""
    labels, failure = Labels(case), case.failure
    known = {cell.id for cell in case.notebook.cells} | {failure.cell_id}
    places = [(frame.cell_id, frame.line) for frame in failure.frames if frame.cell_id in known]
    looked_up: set[str] = set()
    for cell_id, line in {*places, (failure.cell_id, failure.line)}:
        for node in _find_expressions_on_line(labels.find_source(cell_id), line):
            holder = node.value if isinstance(node, ast.Subscript) else None
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _LOOKUPS:
                holder = node.func.value
            if isinstance(holder, ast.Name):
                looked_up.add(holder.id)
    return frozenset(looked_up)


_LOOKUPS = frozenset({"get", "pop", "setdefault", "__getitem__"})


def _find_expressions_on_line(source: str, line: int) -> list[ast.AST]:
    """The nodes of a cell that begin or go on in a line."""
    tree = src.parse(source)
    nodes = ast.walk(tree) if tree is not None else ()
    return [n for n in nodes if isinstance(n, ast.expr) and n.lineno <= line <= (n.end_lineno or n.lineno)]


def ask_variables(case: Case, facts: Facts, values: bool) -> str:
    """One line for each live variable that the cell touches; empty where no state can be asked."""
    names = list_live_names(case)
    question = {"names": names, "values": values, "keyed": sorted(find_looked_up_names(case))}
    answer = facts.ask(probe_source("probes.variables"), question) if names else None
    if not isinstance(answer, dict):
        return ""
    order = [*(n for n in names if n in answer), *(n for n in answer if n not in names)]
    own = [name for name in order if not name.endswith("..0")]  # not a comprehension's own iterator
    order = own[: len(names) + _count_locals(case)]
    lines = [f"{name[:NAME_CHARS]}: {str(answer[name])[:LINE_CHARS]}" for name in order]
    return shorten_paths("\n".join(lines), case.notebook.folder)


def build_longest_variables(case: Case) -> str:
    """As long a text as :func:`ask_variables` can give: the worst case is priced before the state is asked."""
    lines = [f"{name}: {'x' * LINE_CHARS}" for name in list_live_names(case)]
    return "\n".join([*lines, *(["x" * (NAME_CHARS + LINE_CHARS)] * _count_locals(case) if lines else [])])


def _count_locals(case: Case) -> int:
    """Local variables that may be told: none where the cell raised by itself."""
    return LOCALS if any(frame.function != "<module>" for frame in case.failure.frames) else 0


def _format_packages(case: Case, sources: Iterable[str]) -> str:
    imported = set(re.findall(r"(?m)^\s*(?:import|from)\s+(\w+)", "\n".join(sources))) | {"python", "Python"}
    aliases = {
        "sklearn": "scikit-learn",
        "skimage": "scikit-image",
        "PIL": "pillow",
        "cv2": "opencv-python",
        "yaml": "PyYAML",
    }
    imported |= {aliases[name] for name in imported if name in aliases}
    known = [f"{name} {version}" for name, version in sorted(case.packages.items()) if name in imported]
    return "# Installed\n" + ", ".join(known) if known else ""


def _format_oracle(case: Case) -> str:
    oracle, lines = case.oracle, []
    if oracle.expect:
        lines.append(f"The cell's last value must equal `{oracle.expect}`.")
    if oracle.stdout:
        lines.append(f"It must print:\n{oracle.stdout}")
    if oracle.as_stored and case.notebook.index(case.failure.cell_id) >= 0:
        outputs = case.notebook.cell(case.failure.cell_id).outputs
        stored = "\n".join(o.text or str(o.data.get("text/plain", "")) for o in outputs).strip()
        lines.append(f"It must put out what the notebook stores for it:\n{stored[:STORED_CHARS]}")
    lines += [f"After it this must hold: `{check}`" for check in oracle.checks]
    if oracle.spec:
        lines.append(f"What it is for: {oracle.spec}")
    return "# What the cell must do\n" + "\n".join(lines) if lines else ""
