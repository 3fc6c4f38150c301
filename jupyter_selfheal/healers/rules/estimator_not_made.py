"""SKL111: a method of an estimator called on the class."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch

CLASS = re.compile(r"got estimator class instead \((\w+)\)|'<class '[\w.]+\.(\w+)'>' \(type")
METHODS = frozenset({"fit", "fit_transform", "fit_predict"})


class EstimatorNotMade(Rule):
    """Make the estimator before its method is called.

    **Failure** `TypeError: TransformerMixin.fit_transform() missing 1 required positional argument: 'X'` at
    `StandardScaler.fit_transform(X)`, `AttributeError: 'list' object has no attribute '_validate_params'` at `LinearRegression.fit(X, y)`;
    `TypeError: Expected an estimator instance (LinearRegression()), got estimator class instead` at `cross_val_score(LinearRegression, X, y)`.

    **Fix** `StandardScaler().fit_transform(X)`, `cross_val_score(LinearRegression(), X, y)`; `("scale", StandardScaler())` among the steps of a pipeline.

    **Fix safety** Safe: the method is called on a class of scikit-learn that needs no argument, and its result is used at once. Silent for a list of named classes that a loop goes through,
    for a statement of its own (`StandardScaler.fit(X)`), whose object would be lost, and for methods that need a fitted one.
    """

    code = "SKL111"
    name = "estimator that was not made"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError", "AttributeError"})
    message = re.compile(
        r"missing \d+ required positional arguments?: |object has no attribute '_\w+'|got estimator class instead"
    )
    applicability = Applicability.SAFE
    why = "The method is called on the class, which can be made without arguments."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if "got estimator class instead" in context.failure.evalue:
            yield from self._make_argument(context)
            return
        for call in context.list_calls_at_failure()[:4]:
            func = call.func
            if not isinstance(func, ast.Attribute) or func.attr not in METHODS or context.is_statement(call):
                continue
            made = context.describe(func.value)
            if made is None or not made.is_class or not made.path.startswith("sklearn."):
                continue
            if not _needs_nothing(context, func.value):
                continue
            end = context.span(func.value)[1]
            yield self.patch(
                context.replace_here((end, end, "()")),
                f"Make `{context.text(func.value)}()` first",
                f"`{context.text(func.value)}` is a class: `{func.attr}` is called on an object of it.",
                prior=0.95,
            )
            return

    def _make_argument(self, context: RuleContext) -> Iterator[Patch]:
        """``cross_val_score(LinearRegression, X, y)``, whose message names the object that is wanted."""
        for call in context.list_calls_at_failure()[:4]:
            for given in (*call.args, *(k.value for k in call.keywords)):
                made = context.describe(given) if isinstance(given, ast.Name | ast.Attribute) else None
                if made is None or not made.is_class or not made.path.startswith("sklearn."):
                    continue
                if not _needs_nothing(context, given):
                    return
                end = context.span(given)[1]
                yield self.patch(
                    context.replace_here((end, end, "()")),
                    f"Make `{context.text(given)}()` first",
                    f"`{context.text(given)}` is a class: an object of it is wanted.",
                    prior=0.95,
                )
                return
        yield from self._make_step(context)

    def _make_step(self, context: RuleContext) -> Iterator[Patch]:
        """``("scale", StandardScaler)`` among the steps of a pipeline or of a column transformer, also in a cell above."""
        named = CLASS.search(context.failure.evalue)
        for view in context.look_upwards() if named is not None else ():
            named_steps = [
                d
                for d in view.walk(ast.Tuple)
                if d.elts
                and isinstance(d.elts[0], ast.Constant)
                and isinstance(d.elts[0].value, str)
                and _is_given_whole(view, d)
            ]
            calls = [c for c in view.walk(ast.Call) if read_last_name(c.func) not in ("isinstance", "issubclass")]
            steps = [
                step
                for step in (*(a for c in calls for a in c.args), *(e for d in named_steps for e in d.elts))
                if isinstance(step, ast.Name | ast.Attribute) and named is not None and read_last_name(step) == named[1]
            ]
            if not steps:
                continue
            if all(_needs_nothing(view, step) for step in steps):
                text = view.text(steps[0])
                yield self.patch(
                    view.replace(view.cell_id, [(end, end, "()") for end in (view.span(s)[1] for s in steps)]),
                    f"Make `{text}()` where it is given",
                    f"`{text}` is a class: an object of it is wanted.",
                    prior=0.95,
                )
            return


def _is_given_whole(view: RuleContext, step: ast.Tuple) -> bool:
    """Whether a named step stands in a list that nothing but calls are given: the classes of one that is gone through may be called there."""
    parents = src.read(view.source).parents
    node: ast.AST | None = parents.get(step)
    while isinstance(node, ast.List | ast.Tuple | ast.keyword):
        node = parents.get(node)
    if not isinstance(node, ast.Assign):
        return isinstance(node, ast.Call)
    names = {t.id for t in node.targets if isinstance(t, ast.Name)}
    nodes = list(view.walk_notebook())
    given = {id(a) for c in nodes if isinstance(c, ast.Call) for a in (*c.args, *(k.value for k in c.keywords))}
    reads = [n for n in nodes if isinstance(n, ast.Name) and n.id in names and isinstance(n.ctx, ast.Load)]
    return bool(names) and all(id(n) in given for n in reads)


def _needs_nothing(context: RuleContext, made: ast.expr) -> bool:
    """Whether a class can be called without arguments."""
    signature = context.signature(made)
    return signature is not None and signature.needs_nothing
