"""MPL112: the figure and the axes of `subplots` taken in the wrong order."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.replay import change_and_replay
from jupyter_selfheal.healers.rules.context.rule_context import Assignment
from jupyter_selfheal.model import Applicability, Patch


class FigureAndAxes(Rule):
    """Take the figure first.

    **Failure** `AttributeError: 'Figure' object has no attribute 'plot'` at `ax.plot(…)`, after `ax, fig = plt.subplots()`.

    `'tuple' object has no attribute 'plot'`, after `ax = plt.subplots()`.

    **Fix** `fig, ax = plt.subplots()` in that cell; `plt.subplots` for `plt.subplot` where two things are taken of it.

    **Fix safety** Safe: the name of the axes holds a figure, the other one does not, and `subplots` gives the figure first; `subplot` gives one thing, and is silent for `subplot(111)`: `subplots(111)` would be 111 rows.
    Of both as one tuple (also `ax[0].plot` after `ax = plt.subplots(1, 2)`) the one is meant that alone has what is asked of it; silent where the notebook uses the tuple as one.
    """

    code = "MPL112"
    name = "figure and axes exchanged"
    stage = Stage.LIBRARY
    enames = frozenset({"AttributeError", "TypeError"})
    message = re.compile(r"'tuple' object has no attribute|'Figure' object has no attribute|'Axes' object has no attribute '(?:savefig|tight_layout|suptitle|colorbar|subplots_adjust)'|cannot unpack non-iterable Axes|^Axes\.set\(\) got an unexpected keyword argument '(?:figsize|sharex|sharey|nrows|ncols)'")  # fmt: skip
    applicability = Applicability.SAFE
    why = "`subplots` gives the figure first."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if context.failure.evalue.startswith("'tuple'"):
            yield from self._take_apart(context)
            return
        if "Figure" not in context.failure.evalue and "no attribute" not in context.failure.evalue:
            yield from self._make_both(context)
            return
        for node in context.list_nodes_at_failure(ast.Attribute):
            if isinstance(node.value, ast.Subscript):
                yield from self._take_grid(context, node)
                return
            if not isinstance(node.value, ast.Name):
                continue
            for view in context.look_upwards():
                for made in view.walk(ast.Assign):
                    match made:
                        case ast.Assign(
                            targets=[ast.Tuple(elts=[ast.Name() as first, ast.Name() as second]) as pair],
                            value=ast.Call() as call,
                        ):
                            pass
                        case _:
                            continue
                    if read_last_name(call.func) != "subplots" or node.value.id not in (first.id, second.id):
                        continue
                    is_turned = f"type({first.id}).__name__ == 'Figure' and type({second.id}).__name__ != 'Figure'"
                    if (
                        not re.search(r"(?i)ax", first.id)
                        or re.search(r"(?i)ax", second.id)
                        or not context.is_true(is_turned)
                    ):
                        return
                    new = f"{second.id}, {first.id}"
                    yield self.patch(
                        view.replace(view.cell_id, [(*view.span(pair), new)]),
                        f"Take the figure first: `{new}`",
                        f"`subplots` gives the figure first: `{first.id}` is the figure.",
                        prior=0.95,
                    )
                    return

    def _take_apart(self, context: RuleContext) -> Iterator[Patch]:
        """``ax = plt.subplots()``, on which is drawn."""
        for node in context.list_failing_nodes(ast.Attribute):
            if not isinstance(node.value, ast.Name):
                continue
            name, attribute = node.value.id, node.attr
            made = context.find_last_assignment(name)
            if made is None or not isinstance(made.node.value, ast.Call):
                return
            used = list(context.walk_notebook())
            read = sum(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load) for n in used)
            asked = sum(isinstance(n, ast.Attribute) and getattr(n.value, "id", "") == name for n in used)
            has = [context.is_true(f"len({name}) == 2 and hasattr({name}[{n}], {attribute!r})") for n in (0, 1)]
            is_pair = context.is_true(f"type({name}[0]).__name__ == 'Figure'")
            if read_last_name(made.node.value.func) != "subplots" or read != asked or not is_pair or has[0] == has[1]:
                return
            yield self._name_both(context, made, f"{_find_free_name(context)}, {name}" if has[1] else f"{name}, _")
            return

    def _take_grid(self, context: RuleContext, node: ast.Attribute) -> Iterator[Patch]:
        """``ax = plt.subplots(1, 2)``, on whose ``ax[0]`` is drawn: it is the figure, and the axes come behind it."""
        name = node.value.value if isinstance(node.value, ast.Subscript) else None
        made = context.find_last_assignment(name.id) if isinstance(name, ast.Name) else None
        if (
            not isinstance(name, ast.Name)
            or made is None
            or read_last_name(getattr(made.node.value, "func", made.node)) != "subplots"
        ):
            return
        used = list(context.walk_notebook())
        read = sum(isinstance(n, ast.Name) and n.id == name.id and isinstance(n.ctx, ast.Load) for n in used)
        asked = sum(isinstance(n, ast.Subscript) and getattr(n.value, "id", "") == name.id for n in used)
        is_grid = (
            f"type({name.id}[0]).__name__ == 'Figure' and all(hasattr(a, {node.attr!r}) for a in {name.id}[1].flat)"
        )
        if read == asked and context.is_true(f"isinstance({name.id}, tuple) and {is_grid}"):
            yield self._name_both(context, made, f"{_find_free_name(context)}, {name.id}")

    def _name_both(self, context: RuleContext, made: Assignment, new: str) -> Patch:
        (name,) = (t.id for t in made.node.targets[:1] if isinstance(t, ast.Name))
        change = (*src.find_span(made.source, made.node.targets[0]), new)
        return self.patch(
            change_and_replay(context, {made.cell_id: [change]}),
            f"Take the figure and the axes: `{new}`",
            f"`subplots` gives the figure and its axes: `{name}` is a tuple of both.",
            why="Only one of the two has what is asked of it.",
            prior=0.95,
        )

    def _make_both(self, context: RuleContext) -> Iterator[Patch]:
        """``fig, ax = plt.subplot(figsize=(6, 3))``: one letter makes the figure and the axes."""
        for node in context.list_nodes_on_line(ast.Assign):
            match node:
                case ast.Assign(
                    targets=[ast.Tuple(elts=[ast.Name(), _])],
                    value=ast.Call(func=ast.Attribute(attr="subplot") as called, args=[]),
                ):
                    end = context.span(called)[1]
                    yield self.patch(
                        context.replace_here((end, end, "s")),
                        f"Use `{context.text(called)}s`",
                        "`subplot` gives axes alone; `subplots` gives the figure and its axes.",
                        why="Two things are taken, and `subplots` gives these two.",
                        prior=0.95,
                    )
                    return


def _find_free_name(context: RuleContext) -> str:
    """What the figure may be called."""
    return next((n for n in ("fig", "figure") if n not in context.known_names), "_")
