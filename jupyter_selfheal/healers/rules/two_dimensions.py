"""SKL101: one-dimensional data where an estimator takes a table."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import ObjectInfo, Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch
from jupyter_selfheal.source.binding import find_root_name

MESSAGE = re.compile(r"Expected (?:a )?2(?:D array|-dimensional).*, got (?:a )?(1D|scalar|1-dimensional)|Expected 2D input, got input with shape|"
                     r"Expected a 2-dimensional container", re.S)  # fmt: skip
TARGET = re.compile(r"(?:^|[\W_])(?:[yY](?:[_\d]\w*|train|test|tr|te)?|targets?|labels?|response)\W*$")
DATA = re.compile(r"(?:^|[\W_])(?:[xX](?:[_\d]\w*|train|test|tr|te)?|features|data)\W*$")
"""What a target, and what data, are called: `y_train`, `df["y"]`, `X`."""
METHODS = frozenset({
    "fit", "predict", "fit_transform", "transform", "fit_predict", "score", "predict_proba", "decision_function", "inverse_transform",
    "partial_fit", "predict_log_proba", "kneighbors", "score_samples", "train_test_split",
})  # fmt: skip


class TwoDimensions(Rule):
    """Give an estimator its data as a table.

    **Failure** `ValueError: Expected 2D array, got 1D array instead`.

    **Fix** `df["x"]` becomes `df[["x"]]`; an array becomes `x.reshape(-1, 1)`, or `[x]` where it has as many values as
    the fitted estimator has features and so is one sample; a number becomes `[[x]]`.

    **Fix safety** Safe where the shape leaves one reading: the estimator was fitted with one feature, or is not fitted yet
    and its target has as many values; two arguments are exchanged where their names say so, too (`fit(y, X)`). Unsafe otherwise, where the first is a column and the second a table,
    and where the first has a target's name and the second has none (`fit(prices.target, rooms)`), or the notebook fits them the other way round, too, or predicts by the target: they may be exchanged.
    """

    code = "SKL101"
    name = "one-dimensional data"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "The numbers of samples and features leave one way to read the values."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure()[:4]:
            if not isinstance(call.func, ast.Attribute) or call.func.attr not in METHODS:
                continue
            given = call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "X"), None)
            if given is None:
                continue
            features = context.number(f"{context.text(call.func.value)}.n_features_in_")
            length = context.number(f"len({context.text(given)})")
            one_sample = features is not None and features > 1 and features == length
            if not one_sample and features not in (None, 1) and call.func.attr.startswith("predict"):
                return
            text, sure = _write_table(context, given, context.describe_all([given], calls=True)[0], one_sample)
            sure = sure and (one_sample or features in (None, 1) or call.func.attr.startswith("fit"))
            if len(call.args) > 1 and context.is_true(
                f"({context.text(call.args[1])}).ndim == 2 and ({context.text(call.args[1])}).shape[1] > 1"
            ):
                yield self._swap_arguments(context, call)
                sure = False
            elif len(call.args) > 1 and (told := _tell_exchange(context, call)):
                yield self._swap_arguments(context, call, is_named=told > 1)
                sure = False
            elif len(call.args) > 1 and (turned := _write_exchanged(context, call)):
                is_named = DATA.search(context.text(call.args[1])) is not None and not _is_fitted_turned(context, call)
                yield self._swap_arguments(context, call, turned, is_named=is_named)
                sure = False
            elif len(call.args) > 1 and _is_column_before_table(context, call):
                if _is_given_turned(context, call):
                    yield self._swap_arguments(context, call)
                sure = False
            yield self.patch(
                context.replace(context.cell_id, [(*context.span(given), text)]),
                f"Change `{context.text(given)}` to `{text}`",
                "The estimator takes a table, one row a sample.",
                applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                why=self.why if sure else "The values may be one sample or one feature.",
                prior=0.88,
            )
            return

    def _swap_arguments(
        self, context: RuleContext, call: ast.Call, table: str = "", *, is_named: bool = False
    ) -> Patch:
        """The data first, as a table, then the target: where the second is a table and the first is none, or their names say so."""
        one, two = call.args[:2]
        table = table or context.text(two)
        return self.patch(
            context.replace_here((*context.span(one), table), (*context.span(two), context.text(one))),
            f"Give `{table}` first",
            "The estimator takes the data first, then the target.",
            applicability=Applicability.SAFE if is_named else Applicability.UNSAFE,
            why="Their names say which is which, and so do their shapes."
            if is_named
            else "The target may have several columns.",
            prior=0.9,
        )


def _is_column_before_table(context: RuleContext, call: ast.Call) -> bool:
    """True for `fit(sales["units"], sales[["price"]])`: a target is a column, and data are a table, unless the names say otherwise."""
    one, two = (context.text(a) for a in call.args[:2])
    told = DATA.search(one) is not None or TARGET.search(two) is not None
    return not told and context.is_true(f"({two}).ndim == 2 and ({one}).ndim == 1")


def _is_given_turned(context: RuleContext, call: ast.Call) -> bool:
    """True where another call is given the same two the other way round: `line.score(sales[["price"]], sales["units"])`."""
    turned = [ast.unparse(a) for a in call.args[1::-1]]
    calls = (n for n in context.walk_notebook() if isinstance(n, ast.Call))
    return any([ast.unparse(a) for a in n.args[:2]] == turned for n in calls)


def _tell_exchange(context: RuleContext, call: ast.Call) -> int:
    """How many of the two arguments have the other one's name, `y` before `X`, where the second is a table of one column; 0 where a shape speaks against it."""
    one, two = (context.text(a) for a in call.args[:2])
    if not context.is_true(f"({two}).ndim == 2 and ({one}).ndim == 1 and len({one}) == len({two})"):
        return 0
    return bool(TARGET.search(one)) + bool(DATA.search(two))


def _write_exchanged(context: RuleContext, call: ast.Call) -> str:
    """The second argument as a table, where the first alone has a target's name and both are columns of one length: `fit(y, ages)`; else empty."""
    one, two = (context.text(a) for a in call.args[:2])
    if TARGET.search(one) is None or TARGET.search(two) is not None:
        return ""
    if not context.is_true(f"len({one}) == len({two}) and getattr({two}, 'ndim', 1) == 1"):
        return ""
    text, sure = _write_table(
        context, call.args[1], context.describe_all([call.args[1]], calls=True)[0], one_sample=False
    )
    return text if sure else ""


def _is_fitted_turned(context: RuleContext, call: ast.Call) -> bool:
    """True where another call has the same target for its target, or predicts by it: of two models one may be of the other direction."""
    target = find_root_name(call.args[0])
    return any(
        (
            attr == "fit"
            and len(n.args) > 1
            and find_root_name(n.args[1]) == target
            and find_root_name(n.args[0]) != target
        )
        or (attr == "predict" and bool(n.args) and find_root_name(n.args[0]) == target)
        for n in context.walk_notebook()
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and (attr := n.func.attr)
    )


def _write_table(context: RuleContext, given: ast.expr, live: ObjectInfo, one_sample: bool) -> tuple[str, bool]:
    text = context.text(given)
    if live.is_a("builtins.int", "builtins.float", "numpy.number"):
        return f"[[{text}]]", True
    if one_sample:
        return f"[{text}]", True
    if live.is_a("pandas.Series"):
        if (
            isinstance(given, ast.Subscript)
            and isinstance(given.slice, ast.Constant)
            and isinstance(given.slice.value, str)
        ):
            return f"{context.text(given.value)}[[{context.text(given.slice)}]]", True
        return f"{context.operand(given)}.to_frame()", True
    if live.is_a("numpy.ndarray"):
        return f"{context.operand(given)}.reshape(-1, 1)", True
    if isinstance(given, ast.List) and not any(isinstance(e, ast.Starred) for e in given.elts):
        return f"[{', '.join(f'[{context.text(e)}]' for e in given.elts)}]", live.ndim in (-1, 1)
    return f"[[value] for value in {text}]", live.ndim in (-1, 1)
