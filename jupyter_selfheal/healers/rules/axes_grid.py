"""MPL101: a grid of axes that is indexed by another number of indices than it has dimensions."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.inside.tree_names import list_names
from jupyter_selfheal.model import Applicability, Patch

ABOUT = re.compile(r"'numpy.ndarray' object has no attribute|too many indices for array: array is 1-dimensional|"
                   r"index (?P<index>\d+) is out of bounds for axis 0 with size|"
                   r"'(Axes|AxesSubplot)' object is not subscriptable")  # fmt: skip


class AxesGrid(Rule):
    """Make the array of axes as the notebook indexes it.

    **Failure** `AttributeError: 'numpy.ndarray' object has no attribute 'plot'` at `axes[0].plot(…)`, where `plt.subplots(2, 2)` gave a
    table of axes (`IndexError: index 2 is out of bounds for axis 0` at `axes[2]`), or at `ax.set_title(…)`, where it gave a row; `IndexError: too many indices for array` at `axes[0, 1]`, where `plt.subplots(1, 2)` gave a row; `'Axes' object is
    not subscriptable`.

    **Fix** `axes = axes.flatten()` below the call; `squeeze=False` in it; `ax[0].set_title(…)`; `ax.plot(…)` for `ax[0].plot(…)` where there is one and other lines use it so; `for ax in axes.flat:`.

    **Fix safety** Safe where a loop takes each row of a table for axes. Safe: every use of the array in the notebook's cells takes one index, or every use takes two. Unsafe where it takes none: another of
    the axes may be meant.
    """

    code = "MPL101"
    name = "grid of axes"
    stage = Stage.LIBRARY
    enames = frozenset({"AttributeError", "IndexError", "TypeError"})
    message = ABOUT
    applicability = Applicability.SAFE
    why = "Every use of the array takes the same number of indices."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_nodes_at_failure(ast.Subscript):
            if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
                made = _find_subplots(context, node.value.id)
                if made is not None:
                    yield from self._reshape_axes(context, node.value.id, *made)
                    return
        for call in context.list_calls_at_failure():
            if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
                flat = list(self._go_through_all(context, call.func.value.id))
                if flat:
                    yield from flat
                    return
                yield from self._take_first(context, call.func.value)
                return

    def _go_through_all(self, context: RuleContext, name: str) -> Iterator[Patch]:
        """``for ax in axes:``, also with ``enumerate`` or ``zip``, where the table gives a row of axes at a time."""
        thing = context.describe(name)
        if thing is None or thing.type != "ndarray" or thing.ndim != 1:
            return
        for loop in context.walk(ast.For):
            if name not in list_names(loop.target):
                continue
            given = loop.iter.args if isinstance(loop.iter, ast.Call) else [loop.iter]
            for table in given:
                if not isinstance(table, ast.Name) or _find_subplots(context, table.id) is None:
                    continue
                info = context.describe(table)
                if info is not None and info.ndim == 2:
                    new = f"{table.id}.flat"
                    cause = f"`{table.id}` holds rows of axes."
                    yield self.patch(
                        context.replace_here((*context.span(table), new)), f"Go through `{new}`", cause, prior=0.9
                    )
                    return

    def _take_first(self, context: RuleContext, array: ast.Name) -> Iterator[Patch]:
        """``ax.set_title("left")`` of several axes."""
        thing = context.describe(array)
        if thing is None or thing.type != "ndarray" or _find_subplots(context, array.id) is None:
            return
        if thing.ndim not in (1, 2):
            return
        first, end = "[0]" if thing.ndim == 1 else "[0, 0]", context.span(array)[1]
        yield self.patch(
            context.replace_here((end, end, first)),
            f"Use `{array.id}{first}`, the first of the axes",
            f"`{array.id}` is an array of {thing.size} axes, not one.",
            applicability=Applicability.UNSAFE,
            why="Another of the axes may be meant.",
            prior=0.7,
        )

    def _reshape_axes(
        self, context: RuleContext, name: str, cell_id: str, statement: ast.Assign, call: ast.Call
    ) -> Iterator[Patch]:
        source = context.source_of(cell_id)
        uses = _list_subscripts(context, name)
        if "not subscriptable" in context.failure.evalue and _is_one(call) and _is_used_plainly(context, name):
            the_one = list(self._use_the_one(context, name))
            yield from the_one
            if the_one:
                return
        two = {isinstance(n.slice, ast.Tuple) and len(n.slice.elts) == 2 for n in uses}
        if two == {True} and not any(k.arg == "squeeze" for k in call.keywords):
            end = src.find_span(source, call)[1] - 1
            comma = "" if source[:end].rstrip().endswith(("(", ",")) else ", "
            edits = context.replace(cell_id, [(end, end, f"{comma}squeeze=False")])
            yield self.patch(edits, "Add `squeeze=False`", f"The code indexes `{name}` by row and column.", prior=0.88)
        elif two == {False} and "not subscriptable" in context.failure.evalue and not call.keywords:
            start, end = src.find_span(source, statement)
            indent = source[src.find_offset(source, statement.lineno, 0) : start]
            last = src.find_span(source, call)[1] - 1
            comma = "" if source[:last].rstrip().endswith(("(", ",")) else ", "
            edits = context.replace(
                cell_id, [(last, last, f"{comma}squeeze=False"), (end, end, f"\n{indent}{name} = {name}.flatten()")]
            )
            plain = _is_used_plainly(context, name)
            yield self.patch(
                edits,
                "Make an array of the one axes",
                f"The code indexes `{name}` by a number.",
                applicability=Applicability.UNSAFE if plain else Applicability.SAFE,
                why="Other lines use it without an index." if plain else self.why,
                prior=0.6 if plain else 0.85,
            )
        elif two == {False} and self._wants_flat(context, name) and not _is_unpacked(context, name):
            start, end = src.find_span(source, statement)
            indent = source[src.find_offset(source, statement.lineno, 0) : start]
            edits = context.replace(cell_id, [(end, end, f"\n{indent}{name} = {name}.flatten()")])
            yield self.patch(edits, f"Flatten `{name}`", f"The code indexes `{name}` by a single number.", prior=0.88)

    def _use_the_one(self, context: RuleContext, name: str) -> Iterator[Patch]:
        """``ax.plot(x)`` for ``ax[0].plot(x)`` of the one axes, which other lines use without an index."""
        view = context.view_cell(context.failure.cell_id)
        indexed = [n for n in view.walk(ast.Subscript) if isinstance(n.value, ast.Name) and n.value.id == name]
        if all(view.text(n.slice).strip("()").replace(" ", "") in ("0", "0,0") for n in indexed):
            yield self.patch(
                view.replace_here(*((*view.span(n), name) for n in indexed)),
                f"Use `{name}` itself",
                f"`{name}` is one pair of axes, and no array of them.",
                why="There is one, and other lines use it without an index.",
                prior=0.9,
            )

    def _wants_flat(self, context: RuleContext, name: str) -> bool:
        """True where a row of axes was taken for one of them, or the number of a plot for that of a row."""
        found = ABOUT.search(context.failure.evalue)
        if found is None or found["index"] is None:
            return "'numpy.ndarray'" in context.failure.evalue
        return context.is_true(f"{name}.ndim == 2 and {found['index']} < {name}.size")


def _find_subplots(context: RuleContext, name: str) -> tuple[str, ast.Assign, ast.Call] | None:
    """The last ``…, name = plt.subplots(…)`` above the failure or in its cell."""
    for cell_id in context.list_cells_upwards():
        for node in src.walk(context.source_of(cell_id)):
            if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
                continue
            callee = node.value.func
            last = read_last_name(callee)
            target = node.targets[0]
            names = [getattr(e, "id", "") for e in target.elts] if isinstance(target, ast.Tuple) else []
            if last == "subplots" and names[1:] == [name]:
                return cell_id, node, node.value
    return None


def _list_subscripts(context: RuleContext, name: str) -> list[ast.Subscript]:
    cells = [context.failure.cell_id, *(c.id for c in context.notebook.list_code_after(context.failure.cell_id))]
    nodes = []
    for cell_id in cells:
        source = context.source_of(cell_id)
        if cell_id != context.failure.cell_id and name in src.find_names(source).binds:
            break
        nodes += [
            n
            for n in src.walk(source)
            if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name) and n.value.id == name
        ]
    return nodes


def _is_one(call: ast.Call) -> bool:
    """Whether the call says in literals that one pair of axes is made: ``subplots()``, ``subplots(1, 1)``."""
    counts = [*call.args[:2], *(k.value for k in call.keywords if k.arg in ("nrows", "ncols"))]
    return all(isinstance(c, ast.Constant) and c.value == 1 for c in counts)


def _is_used_plainly(context: RuleContext, name: str) -> bool:
    """Whether a method of the axes is called on the name somewhere: ``ax.set_title("…")``."""
    return any(
        isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id == name and n.attr != "flat"
        for n in context.walk_notebook()
    )


def _is_unpacked(context: RuleContext, name: str) -> bool:
    """True where a loop or an assignment goes over the rows: ``for row in axes``."""
    return any(
        isinstance(n, ast.For) and isinstance(n.iter, ast.Name) and n.iter.id == name
        for n in ast.walk(context.failing_tree)
    )
