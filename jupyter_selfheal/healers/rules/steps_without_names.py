"""SKL125: the steps of a pipeline without their names, or in another order."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch


class StepsWithoutNames(Rule):
    """Make a pipeline of steps without names by `make_pipeline`.

    **Failure** `TypeError: Pipeline.__init__() takes 2 positional arguments but 3 were given` at `Pipeline(StandardScaler(), LogisticRegression())`,
    `TypeError: cannot unpack non-iterable StandardScaler object`, and `object is not iterable`, at `Pipeline([StandardScaler(), LogisticRegression()])`;
    `Last step of Pipeline should implement fit` at `make_pipeline([StandardScaler(), LogisticRegression()])`; `All estimators should implement fit and
    transform` at `make_column_transformer((["age"], StandardScaler()))`.

    **Fix** `make_pipeline(StandardScaler(), LogisticRegression())`, with its import; `make_column_transformer((StandardScaler(), ["age"]))`.

    **Fix safety** Safe: `make_pipeline` is scikit-learn's own short form of `Pipeline`, which names the steps itself
    (https://scikit-learn.org/stable/modules/generated/sklearn.pipeline.make_pipeline.html). Silent where a step has a name (a pair), where a step is no
    estimator (of a pair, the second; the columns came first until scikit-learn 0.22), and where any cell reads steps by names (`named_steps`, `clf__C`).
    """

    code = "SKL125"
    name = "steps of a pipeline without names"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError"})
    message = re.compile(
        r"Pipeline.__init__\(\) takes|cannot unpack non-iterable \w+ object|object is not iterable|object is not subscriptable|"
        r"^Last step of Pipeline should implement fit|All estimators should implement fit and transform"
    )
    applicability = Applicability.SAFE
    why = "`make_pipeline` is scikit-learn's own form for steps without names."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if context.failure.evalue.startswith("All estimators"):
            yield from self._put_transformers_first(context)
            return
        made = [n for n in context.walk(ast.Call) if isinstance(n, ast.Call) and read_last_name(n.func) == "Pipeline"]
        known = context.reference("sklearn.pipeline.make_pipeline")
        listed = [n for n in context.walk(ast.Call) if read_last_name(n.func) == "make_pipeline" and n.args]
        if not made and len(listed) == 1 and isinstance(listed[0].args[0], ast.List) and len(listed[0].args) == 1:
            start, end = context.span(listed[0].args[0])
            cause = "`make_pipeline` takes its steps one by one, not in a list."
            edits = context.replace_here((start, start + 1, ""), (end - 1, end, ""))
            yield self.patch(edits, "Give the steps one by one", cause, why="A list is no step.", prior=0.93)
            return
        call = made[0] if len(made) == 1 else None
        if call is None or known is None or any(k.arg not in ("memory", "verbose") for k in call.keywords):
            return
        first = call.args[0] if call.args else None
        steps = first.elts if isinstance(first, ast.List | ast.Tuple) and len(call.args) == 1 else call.args
        if len(steps) < 2 or not all(_is_estimator(context, step) for step in steps) or _are_steps_named(context):
            return
        arguments = ", ".join(context.text(n) for n in (*steps, *call.keywords))
        imports = context.add_imports([known.import_line] if known.import_line else [])
        yield self.patch(
            context.replace_here((*context.span(call), f"{known.text}({arguments})"), *imports),
            "Use `make_pipeline`",
            "`Pipeline` takes a list of pairs, each a name and a step; these have no names.",
            prior=0.93,
        )

    def _put_transformers_first(self, context: RuleContext) -> Iterator[Patch]:
        for view in context.look_upwards():
            calls = [c for c in view.walk(ast.Call) if read_last_name(c.func) == "make_column_transformer"]
            pairs = [a for c in calls for a in c.args if isinstance(a, ast.Tuple) and len(a.elts) == 2]
            old = [p for p in pairs if not _is_estimator(view, p.elts[0]) and _is_estimator(view, p.elts[1])]
            if not calls:
                continue
            if old and len(old) == len(pairs):
                texts = [(p, f"({view.text(p.elts[1])}, {view.text(p.elts[0])})") for p in old]
                yield self.patch(
                    view.replace(view.cell_id, [(*view.span(p), text) for p, text in texts]),
                    f"Write `{texts[0][1]}`",
                    "Since scikit-learn 0.22 the transformer comes first, and then its columns.",
                    why="The order was changed (https://scikit-learn.org/stable/whats_new/v0.22.html), and the second of each pair is the transformer.",
                    prior=0.93,
                )
            return


def _is_estimator(context: RuleContext, node: ast.expr) -> bool:
    """True for what is made of a class of scikit-learn, here or above."""
    thing = (
        context.describe(node.func)
        if isinstance(node, ast.Call)
        else context.describe(node)
        if isinstance(node, ast.Name)
        else None
    )
    if thing is None:
        return False
    return thing.is_a("sklearn.base.BaseEstimator") or (thing.is_class and thing.path.startswith("sklearn."))


def _are_steps_named(context: RuleContext) -> bool:
    """True where a cell reads a step by a name, which the one who wrote it expects."""
    for node in context.walk_notebook():
        if isinstance(node, ast.Attribute) and node.attr in ("named_steps", "steps"):
            return True
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and re.fullmatch(r"[a-z]\w*__\w+", node.value)
        ):
            return True
        if isinstance(node, ast.keyword) and node.arg and re.fullmatch(r"[a-z]\w*?__\w+", node.arg):
            return True
    return False
