"""SKL103: cross-validation objects built from data, as they were before scikit-learn 0.18."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import is_truth
from jupyter_selfheal.healers.rules.context.templates import bind
from jupyter_selfheal.model import Applicability, Patch

OLD = {
    "KFold": ("n n_folds shuffle random_state", "range({n})"),
    "StratifiedKFold": ("y n_folds shuffle random_state", "[[0]] * len({y}), {y}"),
    "LeaveOneOut": ("n", "range({n})"),
    "LeavePOut": ("n p", "range({n})"),
    "ShuffleSplit": ("n n_iter test_size train_size random_state", "range({n})"),
    "StratifiedShuffleSplit": ("y n_iter test_size train_size random_state", "[[0]] * len({y}), {y}"),
}
"""Old parameters of each class, and what `split` is given now."""


class OldFolds(Rule):
    """Build folds from their number and split the data where they are used.

    **Failure** `TypeError: KFold.__init__() got an unexpected keyword argument 'n_folds'`, `'KFold' object is not iterable`, where
    the object is built from the number of samples: `KFold(len(X), n_folds=5)`.

    **Fix** `KFold(n_splits=5)` (without a `random_state` that nothing is shuffled by), and `for train, test in folds.split(range(len(X)))` in the cells that loop over it.

    **Fix safety** Safe: the first argument was the number of samples or the labels, which `split` takes now, and the folds are the
    same (https://scikit-learn.org/stable/whats_new/v0.18.html).
    """

    code = "SKL103"
    name = "folds built from data"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError", "ValueError"})
    applicability = Applicability.SAFE
    why = "The first argument was the number of samples or the labels, which `split` takes now."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        text = context.failure.evalue
        if not any(
            word in text
            for word in ("Fold", "Split", "LeaveOneOut", "LeavePOut", "n_folds", "n_splits", "n_iter", "shuffle")
        ):
            return
        for call in (n for n in context.walk(ast.Call)):
            name = context.text(call.func).rsplit(".", 1)[-1]
            if name not in OLD or context.describe_all([call.func])[0].path.split(".")[0] not in ("", "sklearn"):
                continue
            if not call.lineno <= context.line <= (call.end_lineno or 0):
                continue
            old, given = OLD[name]
            bound = bind(context, call, tuple(old.split()))
            data = old.split()[0]
            written = {k.arg for k in call.keywords}
            if (
                data not in bound.named
                or bound.rest
                or not (len(call.args) > 1 or written & {"n_folds", "n_iter", data} or name == "LeaveOneOut")
                or any(isinstance(a, ast.Constant) and isinstance(a.value, bool) for a in call.args[1:2])
            ):
                continue
            rest = {k: v for k, v in bound.named.items() if k != data}
            shuffles = rest.get("shuffle")
            if name.endswith("KFold") and (shuffles is None or is_truth(shuffles, False)):
                rest.pop("random_state", None)  # it had no effect, and is refused now
            names = {"n_folds": "n_splits", "n_iter": "n_splits"}
            text = f"{context.text(call.func)}({', '.join(f'{names.get(k, k)}={context.text(v)}' for k, v in rest.items())})"
            splits = given.replace("{" + data + "}", context.text(bound.named[data]))
            splices = [(*context.span(call), text), *_mend_loops(context, call, splits)]
            used = src.find_names(splits).uses
            is_moved = len(splices) > 1 and any(
                n.id in used and isinstance(n.ctx, ast.Store) and n.lineno > call.lineno for n in context.walk(ast.Name)
            )
            below = (
                []
                if is_moved
                else [e for i, loops in _mend_loops_below(context, call, splits) for e in context.replace(i, loops)]
            )
            yield self.patch(
                (*context.replace(context.cell_id, splices), *below),
                f"Use `{text}`, and split where it is used",
                f"`{name}` no longer takes the data when it is created.",
                applicability=Applicability.UNSAFE if is_moved else None,
                why="What it was created with has another value where it is split." if is_moved else self.why,
                prior=0.93,
            )
            return


def _list_names(context: RuleContext, call: ast.Call) -> set[str]:
    return {t.id for n in context.walk(ast.Assign) if n.value is call for t in n.targets if isinstance(t, ast.Name)}


def _mend_loops(context: RuleContext, call: ast.Call, splits: str) -> list[Splice]:
    """``.split(…)`` behind the object in the loops of the cell."""
    return _list_splits(context.source, context.tree, _list_names(context, call), call, splits)


def _mend_loops_below(context: RuleContext, call: ast.Call, splits: str) -> Iterator[tuple[str, list[Splice]]]:
    """The same of the cells below, down to one that gives the name another value, or what the object was created with."""
    names = _list_names(context, call)
    used = src.find_names(splits).uses
    for cell in context.notebook.list_code_after(context.cell_id):
        source = context.source_of(cell.id)
        if (names | used) & src.find_names(source).binds:
            return
        if splices := _list_splits(source, src.parse(source) or ast.Module([], []), names, call, splits):
            yield cell.id, splices


def _list_splits(source: str, tree: ast.AST, names: set[str], call: ast.Call, splits: str) -> list[Splice]:
    splices: list[Splice] = []
    for node in ast.walk(tree):
        over = node.iter if isinstance(node, ast.For | ast.comprehension) else None
        if isinstance(over, ast.Call) and isinstance(over.func, ast.Name) and over.func.id == "enumerate" and over.args:
            over = over.args[0]
        if over is call or (isinstance(over, ast.Name) and over.id in names):
            end = src.find_span(source, over)[1]
            splices.append((end, end, f".split({splits})"))
    return splices
