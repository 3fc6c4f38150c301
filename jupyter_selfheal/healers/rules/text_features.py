"""SKL114: columns of text given to an estimator."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.parts_of_split import find_split
from jupyter_selfheal.inside.tree_names import holds_call
from jupyter_selfheal.model import Patch

MESSAGE = re.compile(r"could not convert string to float: ")
KINDS = 12
"""Values of a column that are kinds of something; more are names or sentences."""

_VALUES = "__import__('numpy').ravel({0}).tolist()"
TEXTS = (
    f"{{0}}.dtype.kind in 'OUT' and 1 < len(set({_VALUES})) <= {KINDS} and all(isinstance(_, str) for _ in {_VALUES})"
    f" and not any(_.isdigit() for _ in {_VALUES})"
)
"""What holds of an array whose texts are kinds of something."""

ASKING = frozenset({"predict", "predict_proba", "score", "decision_function"})
"""Methods that ask a fitted model about a table."""


class TextFeatures(Rule):
    """Make columns of zeros and ones of a table's kinds before an estimator is fitted.

    **Failure** `ValueError: could not convert string to float: 'male'` at `model.fit(X, y)`.

    **Fix** `X = pd.get_dummies(df[["sex", "age"]])` where `X` is made, also above a `train_test_split`; the same with `drop_first=True`. Where the table is written in the call (`model.fit(df[["sex", "age"]], y)`), it is encoded
    there, and wherever the notebook gives the same table to a model.

    A column as an array becomes `OrdinalEncoder().fit_transform(x)`; labels that a scaler was given are encoded by a `LabelEncoder` in its place.

    **Fix safety** Unsafe: another encoding may be meant, or the column be left out. Silent where a column of text holds more than twelve different
    values, or numbers, where nothing says how the table was made, and where a model is asked about another table.
    """

    code = "SKL114"
    name = "columns of text for an estimator"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError"})
    message = MESSAGE
    why = "Another encoding may be meant, or the column be left out."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if (patch := self._encode_arrays(context)) is not None:
            yield patch
            return
        dummies = context.reference("pandas.get_dummies")
        if dummies is None or dummies.import_line:
            return
        for call in context.list_calls_at_failure():
            if not read_last_name(call.func).startswith("fit") or not call.args:
                continue
            if isinstance(call.args[0], ast.Subscript):
                yield from self._encode_written(context, context.text(call.args[0]), dummies.text)
                return
            if not isinstance(call.args[0], ast.Name):
                continue
            table = _find_whole_table(context, call.args[0].id)
            home = context.find_last_assignment(table)
            if home is None or not _has_kinds(context, table):
                continue
            start, end = context.view_cell(home.cell_id).span(home.node.value)
            for n, more in enumerate(("", ", drop_first=True")):
                yield self.patch(
                    context.replace(home.cell_id, [(start, start, f"{dummies.text}("), (end, end, f"{more})")]),
                    f"Encode the kinds of `{table}`: `{dummies.text}(…{more})`",
                    f"`{table}` has columns of text, and the estimator takes numbers.",
                    prior=0.6 - n / 20,
                )
            return

    def _encode_arrays(self, context: RuleContext) -> Patch | None:
        """A column of texts as an array, or labels that are given to a scaler: the kinds become numbers."""
        for call in context.list_calls_at_failure():
            if not isinstance(call.func, ast.Attribute) or call.func.attr not in ("fit", "fit_transform", "transform"):
                continue
            owner, is_scaler = context.text(call.func.value), call.func.attr != "fit"
            found = [
                a
                for n, a in enumerate(call.args)
                if not (n and _names_classes(context, call.func.value))
                and not holds_call(a)
                and context.is_true(
                    f"not hasattr({context.operand(a)}, 'columns') and " + TEXTS.format(context.operand(a))
                )
            ]
            if not found:
                continue
            flat = is_scaler and context.is_true(f"{context.operand(found[0])}.ndim == 1")
            known = context.reference(f"sklearn.preprocessing.{'LabelEncoder' if flat else 'OrdinalEncoder'}")
            if known is None or not (flat or not is_scaler):
                continue
            splices: list[Splice] = [*context.add_imports([known.import_line])]
            if flat:  # what is fitted to the labels is asked about the others, too
                at = context.span(next(s for s in context.walk(ast.stmt) if call in ast.walk(s)))[0]
                before = "".join(text for start, _, text in splices if start == at)
                splices = [s for s in splices if s[0] != at] + [(at, at, f"{before}encoder = {known.text}()\n")]
                for other in context.walk(ast.Call):
                    if isinstance(other.func, ast.Attribute) and context.text(other.func.value) == owner and other.args:
                        x = context.operand(other.args[0])
                        if context.is_true(f"{x}.ndim == 1 and {TEXTS.format(x)}"):
                            splices.append((*context.span(other.func.value), "encoder"))
            else:
                ends = [(context.span(a), f"{known.text}().fit_transform({context.text(a)})") for a in found]
                splices += [(*span, new) for span, new in ends]
            text = context.text(found[0])
            return self.patch(
                context.replace_here(*splices),
                f"Encode the kinds of `{text}`: `{known.text}`",
                f"`{text}` holds texts, and `{context.text(call.func)}` takes numbers.",
                prior=0.6,
            )
        return None

    def _encode_written(self, context: RuleContext, table: str, dummies: str) -> Iterator[Patch]:
        """Encode a table that is written in the call, wherever the notebook gives it to a model."""
        if not _has_kinds(context, table):
            return
        places: dict[str, list[tuple[int, int]]] = {}
        after = [c.id for c in context.notebook.list_code_after(context.failure.cell_id)]
        for cell_id in (context.failure.cell_id, *after):
            view = context.view_cell(cell_id)
            for call in view.walk(ast.Call):
                name = read_last_name(call.func)
                if not (name in ASKING or name.startswith("fit")) or not call.args:
                    continue
                if view.text(call.args[0]) == table:
                    places.setdefault(cell_id, []).append(view.span(call.args[0]))
                elif name in ASKING:
                    return  # encoded by itself another table has other columns
        for n, more in enumerate(("", ", drop_first=True")):
            edits = [
                edit
                for cell_id, spans in places.items()
                for edit in context.replace(
                    cell_id, [s for a, b in spans for s in ((a, a, f"{dummies}("), (b, b, f"{more})"))]
                )
            ]
            yield self.patch(
                edits,
                f"Encode the kinds of `{table}`: `{dummies}(…{more})`",
                f"`{table}` has columns of text, and the estimator takes numbers.",
                prior=0.6 - n / 20,
            )


def _names_classes(context: RuleContext, estimator: ast.expr) -> bool:
    """Whether it is a classifier, whose labels may be texts."""
    return context.describe_all([estimator], calls=True)[0].is_a("sklearn.base.ClassifierMixin")


def _find_whole_table(context: RuleContext, name: str) -> str:
    """The table that a part of a split is of; of anything else itself."""
    split = find_split(context)
    return split.data.get("all", name) if split is not None and name in split.data.values() else name


def _has_kinds(context: RuleContext, table: str) -> bool:
    """True for a table with columns of text that hold a few kinds, none of which is a number."""
    if not context.is_true(f"hasattr({table}, 'select_dtypes') and len({table}.columns) > 0"):
        return False
    texts = f"{table}.select_dtypes(exclude=['number', 'bool', 'datetime'])"
    few = f"{texts}.nunique().max() <= {KINDS} < {KINDS} + len({texts}.columns)"
    numbers = f"any(str(v).replace('.', '', 1).isdigit() for c in {texts}.columns for v in {table}[c].dropna().unique()[:{KINDS}])"
    return context.is_true(f"({few}) and not ({numbers})")
