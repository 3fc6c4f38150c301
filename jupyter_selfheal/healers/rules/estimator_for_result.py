"""SKL129: a fitted estimator given in place of what it found."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.inside.parsing import parse_expression
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"The '(\w+)' parameter of (\w+) must be an array-like.* Got (\w+)\(", re.S)


class EstimatorForResult(Rule):
    """Give what a fitted estimator found, where the estimator itself was given.

    **Failure** `InvalidParameterError: The 'labels' parameter of silhouette_score must be an array-like. Got KMeans(…) instead.`

    **Fix** `silhouette_score(X, kmeans.labels_)`.

    **Fix safety** Safe: the estimator is fitted and has an attribute of the parameter's very name, with the underscore of what is learned, an item for each row
    of the other array, and was fitted to that array, or finds the same of it again. Unsafe where neither is seen; silent where it has no such attribute.
    """

    code = "SKL129"
    name = "estimator given for its result"
    stage = Stage.LIBRARY
    enames = frozenset({"InvalidParameterError", "TypeError", "ValueError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "The estimator holds what the function asks for, by that name."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        told = MESSAGE.search(context.failure.evalue)
        for call in context.list_calls_at_failure() if told is not None else ():
            for given in (*call.args, *(k.value for k in call.keywords)):
                text, others = context.text(given), [context.text(a) for a in call.args if a is not given]
                held = f"{text}.{told[1]}_" if told is not None else ""
                if not isinstance(given, ast.Name | ast.Attribute) or not others:
                    continue
                if context.is_true(f"hasattr({text}, 'get_params') and len({held}) == len({others[0]})"):
                    is_of_these = _is_fitted_to(context, text, others[0]) or context.is_true(
                        f"({text}.predict({others[0]}) == {held}).all()"
                    )
                    yield self.patch(
                        context.replace_here((*context.span(given), held)),
                        f"Give `{held}`",
                        f"`{text}` is the estimator, and the function takes what it found.",
                        applicability=Applicability.SAFE if is_of_these else Applicability.UNSAFE,
                        why=self.why if is_of_these else f"`{text}` may have found it of other rows.",
                        prior=0.93 if is_of_these else 0.6,
                    )
                    return


def _is_fitted_to(context: RuleContext, estimator: str, rows: str) -> bool:
    """Whether all fits of an estimator that the notebook writes are to these rows: ``km.fit(X)``, ``km = KMeans().fit(X)``."""
    fitted = []
    for node in context.walk_notebook():
        match node:
            case ast.Assign([target], ast.Call(ast.Attribute(_, "fit"), [given, *_])):
                fitted += [ast.unparse(given)] * (ast.unparse(target) == estimator)
            case ast.Call(ast.Attribute(of, "fit" | "fit_predict" | "fit_transform"), [given, *_]):
                fitted += [ast.unparse(given)] * (ast.unparse(of) == estimator)
    return bool(fitted) and set(fitted) == {ast.unparse(parse_expression(rows))}
