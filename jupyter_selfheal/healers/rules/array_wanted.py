"""NPA101: something that must be an array of another kind, or a copy of it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.replay import change_and_replay
from jupyter_selfheal.inside.tree_names import holds_call
from jupyter_selfheal.model import Applicability, Cell, Patch

MATRIX = re.compile(r"np\.matrix is not supported")
RAGGED = re.compile(r"inhomogeneous shape")
NO_COPY = re.compile(r"Unable to avoid copy while creating an array")
LISTED = re.compile(r"requires a Series, Index, .*np\.ndarray.* got (?:list|tuple)")
MAKERS = ("array", "asarray", "asanyarray")


class ArrayWanted(Rule):
    """Give a function the kind of array that it takes now.

    **Failure** `TypeError: np.matrix is not supported` (scikit-learn), `ValueError: … inhomogeneous shape`, `ValueError: Unable to
    avoid copy while creating an array as requested`, `TypeError: unique requires a Series, Index, … or NumpyExtensionArray got list` (pandas 3).

    **Fix** `np.asarray(m)` around the matrix or the list (of objects, where it has texts); `dtype=object` for an array of lists of different lengths; `.convert("RGB")` where pictures of several modes are opened; `np.asarray(x)` in
    place of `np.array(x, copy=False)`.

    **Fix safety** Safe: each is what the library did before by itself, and what its message or its migration guide names. Unsafe for rows of numbers that stand in
    the call, of which one may be missing, and for pictures. Silent for rows of numbers of which most have one length, unless a stored output shows an array of lists.
    """

    code = "NPA101"
    name = "another kind of array wanted"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError", "ValueError"})
    message = re.compile(f"{MATRIX.pattern}|{RAGGED.pattern}|{NO_COPY.pattern}|{LISTED.pattern}")
    applicability = Applicability.SAFE
    why = "It is what the library did by itself before, and what its migration guide names."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        message = context.failure.evalue
        if RAGGED.search(message):
            yield from self._read_alike(context)
        for call in context.list_calls_at_failure()[:4]:
            if MATRIX.search(message):
                patch = self._convert_matrix(context, call)
            elif LISTED.search(message):
                patch = self._convert_list(context, call)
            elif RAGGED.search(message):
                patch = self._add_object_dtype(context, call)
            else:
                patch = self._avoid_copy(context, call)
            if patch is not None:
                yield patch
                return

    def _convert_matrix(self, context: RuleContext, call: ast.Call) -> Patch | None:
        lives = context.describe_all(call.args, calls=True)
        known = context.reference("numpy.asarray")
        matrices = [a for a, live in zip(call.args, lives, strict=True) if live.is_a("numpy.matrix")]
        if not matrices or known is None:
            return None
        splices = [(*context.span(a), f"{known[0]}({context.text(a)})") for a in matrices]
        return self.patch(
            context.replace(context.cell_id, [*splices, *context.add_imports([known[1]])]),
            f"Change `{context.text(matrices[0])}` to `{splices[0][2]}`",
            "scikit-learn no longer accepts a matrix.",
            prior=0.9,
        )

    def _convert_list(self, context: RuleContext, call: ast.Call) -> Patch | None:
        """``pd.unique(names)``: texts were made an array of objects, numbers one of theirs; items that have parts are left."""
        known = context.reference("numpy.asarray")
        given = call.args[0] if call.args else None
        if read_last_name(call.func) not in ("unique", "factorize") or given is None or known is None:
            return None
        text = context.operand(given)
        if holds_call(given) or not context.is_true(f"all(isinstance(_, (str, int, float)) for _ in {text})"):
            return None
        kind = ", dtype=object" if context.is_true(f"any(isinstance(_, str) for _ in {text})") else ""
        new = f"{known[0]}({text}{kind})"
        return self.patch(
            context.replace(context.cell_id, [(*context.span(given), new), *context.add_imports([known[1]])]),
            f"Change `{text}` to `{new}`",
            "Since pandas 3.0 a list is not made an array by itself.",
            prior=0.9,
        )

    def _add_object_dtype(self, context: RuleContext, call: ast.Call) -> Patch | None:
        if (
            read_last_name(call.func) not in MAKERS
            or any(k.arg == "dtype" for k in call.keywords)
            or len(call.args) != 1
        ):
            return None
        if context.is_true(f"any(hasattr(_, 'shape') for _ in {context.text(call.args[0])})"):
            return None  # arrays of other shapes are meant to be of one
        end = context.span(call)[1] - 1
        is_written = _is_written_out(call.args[0])
        if _lacks_numbers(context, context.text(call.args[0])):
            if not _OF_LISTS.search("".join(t for c in context.notebook.cells for t in _list_shown(c))):
                return None  # what is reckoned with lists in place of rows is no result
            is_written = True
        return self.patch(
            context.replace(context.cell_id, [(end, end, ", dtype=object")]),
            "Add `dtype=object`",
            "The rows have different lengths, so they only fit an array of objects.",
            applicability=Applicability.UNSAFE if is_written else Applicability.SAFE,
            why="A number may be missing in a row." if is_written else self.why,
            prior=0.6 if is_written else 0.85,
        )

    def _read_alike(self, context: RuleContext) -> Iterator[Patch]:
        """``Image.open(path)`` of pictures of which some have a fourth channel, or one only."""
        depth = "{getattr(_, 'shape', ())[2:] for _ in %s}"
        given = [context.text(c.args[0]) for c in context.list_calls_at_failure() if c.args]
        if not any(
            context.is_true(f"len({depth % x}) > 1 and {depth % x} <= {{(), (1,), (2,), (3,), (4,)}}") for x in given
        ):
            return
        for view in context.look_upwards():
            opened = [c for c in view.walk(ast.Call) if view.text(c.func) in ("Image.open", "PIL.Image.open")]
            if not opened or ".convert(" in view.source:
                continue
            ends = [view.span(c)[1] for c in opened]
            yield self.patch(
                change_and_replay(context, {view.cell_id: [(end, end, '.convert("RGB")') for end in ends]}),
                'Read all pictures alike: `.convert("RGB")`',
                "Some of the pictures have another number of channels than the others.",
                applicability=Applicability.UNSAFE,
                why="Pictures that are not like the others may be meant to be left out.",
                prior=0.7,
            )
            return

    def _avoid_copy(self, context: RuleContext, call: ast.Call) -> Patch | None:
        keyword = next((k for k in call.keywords if k.arg == "copy"), None)
        known = context.reference("numpy.asarray")
        if read_last_name(call.func) != "array" or keyword is None or known is None or not call.args:
            return None
        rest = [context.text(a) for a in call.args]
        rest += [
            f"{k.arg}={context.text(k.value)}"
            for k in call.keywords
            if k is not keyword and k.arg in ("dtype", "order")
        ]
        text = f"{known[0]}({', '.join(rest)})"
        return self.patch(
            context.replace(context.cell_id, [(*context.span(call), text)]),
            f"Change `{context.text(call)}` to `{text}`",
            "Since NumPy 2.0, `copy=False` fails where a copy is needed.",
            prior=0.9,
        )


_OF_LISTS = re.compile(r"\blist\(\[|dtype=object")
"""How an array of lists is shown."""


def _list_shown(cell: Cell) -> Iterator[str]:
    """The texts of what is stored of a cell's results."""
    yield from (f"{o.text}{o.data.get('text/plain', '')}" for o in cell.outputs if o.output_type != "error")


def _lacks_numbers(context: RuleContext, rows: str) -> bool:
    """Whether rows hold nothing but numbers, and most of them are of one length: what the others lack is missing."""
    lengths = f"[len(_) for _ in {rows}]"
    return context.is_true(
        f"all(isinstance(n, (int, float)) for _ in {rows} for n in _) and any({lengths}.count(n) * 2 > len({lengths}) for n in {lengths})"
    )


def _is_written_out(rows: ast.expr) -> bool:
    """``[[1, 2, 3], [4, 5]]``: rows of numbers that stand in the call."""
    lists = rows.elts if isinstance(rows, ast.List | ast.Tuple) else []
    return bool(lists) and all(
        isinstance(row, ast.List | ast.Tuple) and all(isinstance(n, ast.Constant | ast.UnaryOp) for n in row.elts)
        for row in lists
    )
