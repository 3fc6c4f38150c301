"""UNP102: a value that is unpacked into another number of names than it has parts."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch

TOO_FEW = re.compile(r"not enough values to unpack \(expected (\d+), got (\d+)\)")
TOO_MANY = re.compile(r"too many values to unpack \(expected (\d+)")
SEPARATORS = (",", ";", "\t", "|", ":", "=", "-", "/", "_", " ")
"""What a text may be split at, likelier ones first."""


class PartsAndNames(Rule):
    """Unpack as many parts as there are.

    **Failure** `ValueError: not enough values to unpack (expected 3, got 2)` at `first, middle, last = name.split()`, or `too many values to
    unpack (expected 2)` at `key, value = line.split("=")`.

    **Fix** A separator that gives as many parts as there are names (`line.split(";")`, also for `a, b = line`); a name that is never read is left out, or one more
    `_` takes what nobody asks for; `line.split("=", 1)` leaves the rest together.

    Also `tn, fp, fn, tp = confusion_matrix(y, predicted)` and `fig, (a, b, c, d) = plt.subplots(2, 2)`, of which the parts stand in rows:
    `confusion_matrix(y, predicted).ravel()`, `fig, ((a, b), (c, d)) = plt.subplots(2, 2)`.

    `x_train, x_test, y_train, y_train, y_test = train_test_split(x, y)`: of a name that stands twice side by side one is left out.

    **Fix safety** Safe there, and where an array of two dimensions has exactly as many values as there are names. Else unsafe: which part is meant by which name is not known, and other lines may have other parts.
    """

    code = "UNP102"
    name = "parts and names"
    enames = frozenset({"ValueError"})
    message = re.compile(f"{TOO_FEW.pattern}|{TOO_MANY.pattern}")
    applicability = Applicability.UNSAFE
    why = "Which part is meant by which name is not known."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_nodes_on_line(ast.Assign)[::-1]:
            target = node.targets[0]
            if len(node.targets) != 1 or not isinstance(target, ast.Tuple | ast.List):
                continue
            if any(isinstance(t, ast.Starred) for t in target.elts):
                return
            twice = next(self._leave_out_second(context, target), None)
            if twice is not None:
                yield twice
                return
            rows = next(self._take_apart_rows(context, node.value, target), None)
            if rows is not None:
                yield rows
                return
            if context.read_plain_chain(node.value) and context.is_true(f"type({context.text(node.value)}) is str"):
                yield from self._split_text(context, node.value, len(target.elts))
                return  # no name is meant for a separator
            yield from self._split_elsewhere(context, node.value, len(target.elts))
            count = context.number(f"len({context.text(node.value)})") if _is_repeatable(context, node.value) else None
            if count is not None:
                yield from self._fit_names(context, node, target, int(count))
            return

    def _leave_out_second(self, context: RuleContext, target: ast.Tuple | ast.List) -> Iterator[Patch]:
        """A name that stands twice side by side, where there is one part less than names."""
        found, names = TOO_FEW.search(context.failure.evalue), list(map(context.text, target.elts))
        twice = [n for n in range(1, len(names)) if names[n] == names[n - 1] and names[n].strip("_")]
        if len(twice) == 1 and found and int(found[2]) == int(found[1]) - 1 and int(found[1]) == len(names):
            at = twice[0]
            yield self.patch(
                context.replace_here((context.span(target.elts[at - 1])[1], context.span(target.elts[at])[1], "")),
                f"Leave out the second `{names[at]}`",
                f"`{names[at]}` stands there twice, and there is one part less than names.",
                applicability=Applicability.SAFE,
                why="The first of the two is overwritten at once.",
                prior=0.94,
            )

    def _take_apart_rows(self, context: RuleContext, value: ast.expr, target: ast.Tuple | ast.List) -> Iterator[Patch]:
        """As many names as an array of two dimensions has values."""
        info = context.describe_all([value], calls=True)[0]
        names = target.elts[-1]
        edit: Splice | None = None
        if info.is_a("numpy.ndarray"):
            if info.ndim == 2 and info.size == len(target.elts) != 1:
                edit = (*context.span(value), f"{context.operand(value)}.ravel()")
        elif isinstance(names, ast.Tuple | ast.List) and isinstance(value, ast.Call) and len(target.elts) == 2:
            axes = f"({context.text(value)})[1]"
            width = context.number(f"{axes}.shape[1] if {axes}.ndim == 2 and {axes}.size == {len(names.elts)} else 0")
            if read_last_name(value.func) == "subplots" and width and all(isinstance(n, ast.Name) for n in names.elts):
                texts = [context.text(n) for n in names.elts]
                rows = (f"({', '.join(texts[n : n + int(width)])})" for n in range(0, len(texts), int(width)))
                edit = (*context.span(names), f"({', '.join(rows)})")
        if edit is not None:
            yield self.patch(
                context.replace_here(edit),
                f"Use `{edit[2]}`",
                "The values stand in rows, and there is one for each name.",
                applicability=Applicability.SAFE,
                why="There are exactly as many values as names.",
                prior=0.93,
            )

    def _split_text(self, context: RuleContext, value: ast.expr, wanted: int) -> Iterator[Patch]:
        """``a, b = row.split(",")`` for ``a, b = row``, where the text has as many parts as there are names."""
        owner = context.text(value)
        for separator in SEPARATORS:
            if context.number(f"{owner}.count({separator!r})") != wanted - 1:
                continue
            new = f"{owner}.split()" if separator == " " else f'{owner}.split("{separator}")'.replace("\t", "\\t")
            yield self.patch(
                context.replace_here((*context.span(value), new)),
                f"Use `{new}`",
                f"`{owner}` is a text, whose parts are its letters; between `{separator}` there are {wanted}.",
                prior=0.8,
            )
            return

    def _split_elsewhere(self, context: RuleContext, value: ast.expr, wanted: int) -> Iterator[Patch]:
        """Another separator, or the same one fewer times."""
        if not _is_split(value) or not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
            return
        owner = context.text(value.func.value)
        if context.read_plain_chain(value.func.value) is None and not isinstance(value.func.value, ast.Constant):
            return
        used = value.args[0].value if value.args and isinstance(value.args[0], ast.Constant) else None
        inside = (context.span(value.func)[1] + 1, context.span(value)[1] - 1)
        if context.number(f"len({context.text(value)})") == 1:
            fitting = [s for s in SEPARATORS if s != used and context.number(f"{owner}.count({s!r})") == wanted - 1]
            for separator in fitting[:1]:
                text = '"\\t"' if separator == "\t" else f'"{separator}"'
                yield self.patch(
                    context.replace_here((*inside, text)),
                    f"Split at `{separator}`" if separator.strip() else "Split at the blank",
                    f"`{owner}` has {wanted} parts between `{separator}`.",
                    prior=0.8,
                )
        elif TOO_MANY.search(context.failure.evalue) and len(value.args) < 2 and not value.keywords:
            separator_text = context.text(value.args[0]) if value.args else ""
            given = f"{separator_text}, {wanted - 1}" if separator_text else f"maxsplit={wanted - 1}"
            yield self.patch(
                context.replace_here((*inside, given)),
                f"Split {wanted - 1} time{'s' * (wanted > 2)} at most",
                f"`{owner}` has more than {wanted} parts.",
                prior=0.6,
            )

    def _fit_names(
        self, context: RuleContext, node: ast.Assign, target: ast.Tuple | ast.List, count: int
    ) -> Iterator[Patch]:
        """Names that nobody reads are left out; parts that nobody asks for go to ``_``."""
        names = target.elts
        if count < len(names):
            unread = [t for t in names if isinstance(t, ast.Name) and not _is_read(context, t.id)]
            if len(unread) == len(names) - count and count > 1:
                kept = [t for t in names if t not in unread]
                edit: Splice = (
                    context.span(names[0])[0],
                    context.span(names[-1])[1],
                    ", ".join(map(context.text, kept)),
                )
                yield self.patch(
                    context.replace_here(edit),
                    f"Leave out {', '.join(f'`{context.text(t)}`' for t in unread)}",
                    f"There are {count} parts, and {', '.join(f'`{context.text(t)}`' for t in unread)} is never read.",
                    prior=0.65,
                )
        elif count == len(names) + 1:
            for place, prior in ((len(names), 0.5), *((n, 0.4) for n in range(1, len(names))), (0, 0.35)):
                texts = [context.text(t) for t in names]
                texts.insert(place, "_")
                yield self.patch(
                    context.replace_here((context.span(names[0])[0], context.span(names[-1])[1], ", ".join(texts))),
                    f"Let `_` take part {place + 1} of {count}",
                    f"There are {count} parts, one more than names.",
                    prior=prior,
                )


def _is_split(value: ast.expr) -> bool:
    return (
        isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in ("split", "rsplit")
    )


def _is_repeatable(context: RuleContext, value: ast.expr) -> bool:
    """True for what can be had again without running anything of the notebook: a plain chain, or a text that is split."""
    if _is_split(value):
        assert isinstance(value, ast.Call)
        assert isinstance(value.func, ast.Attribute)
        value = value.func.value
        return isinstance(value, ast.Constant) or context.read_plain_chain(value) is not None
    return context.read_plain_chain(value) is not None


def _is_read(context: RuleContext, name: str) -> bool:
    """True where any cell reads the name."""
    trees = (context.tree_of(c.id) for c in context.notebook.cells if c.kind == "code")
    return any(
        isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
        for tree in trees
        for n in ast.walk(tree)
    )
