"""SKL105: a solver for two classes, fitted with several."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch, Replace

MESSAGE = re.compile(r"The '(\w+)' solver does not support multiclass classification")
CLASSIFIERS = frozenset({"LogisticRegression", "LogisticRegressionCV"})
WRAPPER = "sklearn.multiclass.OneVsRestClassifier"
INSIDE = frozenset({"C_", "Cs_", "scores_", "n_iter_", "get_params", "set_params", "sparsify", "densify"})  # fmt: skip
"""What the wrapper does not have, or has of itself."""

SEARCHES = frozenset({"GridSearchCV", "RandomizedSearchCV", "validation_curve", "Pipeline", "make_pipeline"})
"""What sets an estimator's parameters by their names."""


class OneVsRest(Rule):
    """Fit one classifier for each class, as the solver did by itself.

    **Failure** `ValueError: The 'liblinear' solver does not support multiclass classification (n_classes >= 3)`, since
    scikit-learn 1.8. Before, the solver fitted one classifier for each class against the rest.

    **Fix** `OneVsRestClassifier(LogisticRegression(solver="liblinear"))`, as the message says, where the estimator is made.

    **Fix safety** Safe: it is what the solver did. What reads `coef_` fails below, and is mended there (API103). Unsafe where the notebook reads `C_` or sets parameters by name, which are
    then those of the classifiers inside; not where it does so of another class's object.
    """

    code = "SKL105"
    name = "solver for two classes only"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "One classifier for each class is what the solver fitted until scikit-learn 1.8; the message says how to keep it."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = MESSAGE.search(context.failure.evalue)
        solver = match[1] if match else ""
        for view in context.look_upwards():
            made = [
                c for c in list_calls(view.tree) if read_last_name(c.func) in CLASSIFIERS and _name_solver(c) == solver
            ]
            edits = wrap_classifiers(view, [c for c in made if not is_wrapped(view, c)])
            if edits:
                safe = not looks_inside(view)
                yield self.patch(
                    edits,
                    "Use `OneVsRestClassifier(…)`",
                    f"Since scikit-learn 1.8, the solver {solver!r} only takes two classes.",
                    applicability=Applicability.SAFE if safe else Applicability.UNSAFE,
                    why=self.why if safe else "The notebook looks into the estimator, which is then one level deeper.",
                    prior=0.88,
                )
                return


def wrap_classifiers(context: RuleContext, made: list[ast.Call], argument: str = "") -> tuple[Replace, ...]:
    """One classifier for each class around each of the calls, maybe with one argument more; empty where none is to be wrapped."""
    known = context.reference(WRAPPER) if made else None
    if known is None:
        return ()
    splices: list[Splice] = []
    for call in made:
        start, end = context.span(call)
        inside = [(end - 1, end - 1, argument)] if argument else []
        opened = f"{known[0]}({context.source[start]}"  # not before it: where the cell begins the import goes in too
        splices += [(start, start + 1, opened), *inside, (end, end, ")")]
    return context.replace(context.cell_id, [*splices, *context.add_imports([known[1]])])


def is_wrapped(context: RuleContext, classifier: ast.Call) -> bool:
    """True for what already stands in ``OneVsRestClassifier(…)``."""
    outer = (c for c in list_calls(context.tree) if read_last_name(c.func) == "OneVsRestClassifier")
    return any(given is classifier for c in outer for given in (*c.args, *(k.value for k in c.keywords)))


def list_calls(tree: ast.AST) -> list[ast.Call]:
    """Every call of a tree."""
    return [n for n in ast.walk(tree) if isinstance(n, ast.Call)]


def _name_solver(call: ast.Call) -> str:
    value = next((k.value for k in call.keywords if k.arg == "solver"), None)
    return str(value.value) if isinstance(value, ast.Constant) else ""


def looks_inside(context: RuleContext) -> bool:
    """True where some cell reads what the estimator itself has, or hands it to what sets its parameters."""
    trees = [src.parse(context.source_of(c.id)) for c in context.notebook.cells if c.kind == "code"]
    nodes = [n for tree in trees if tree is not None for n in ast.walk(tree)]
    others = _list_others(nodes)
    return any(
        (isinstance(n, ast.Attribute) and n.attr in INSIDE and _may_hold(n.value, others))
        or (
            isinstance(n, ast.Call)
            and read_last_name(n.func) in SEARCHES
            and any(_may_hold(g, others) for g in _list_searched(n))
        )
        for n in nodes
    )


def _list_searched(call: ast.Call) -> list[ast.expr]:
    """What a search or a pipeline is given to fit."""
    named = [k.value for k in call.keywords if k.arg in ("estimator", "steps", None)]
    return named or (call.args if read_last_name(call.func) == "make_pipeline" else call.args[:1])


def _list_others(nodes: list[ast.AST]) -> frozenset[str]:
    """The names that only ever hold a literal, or an object of a class into which no such classifier was put."""
    given: dict[str, list[ast.expr]] = {}
    bound = [n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    bound += [n.arg for n in nodes if isinstance(n, ast.arg)]
    for node in nodes:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            given.setdefault(node.targets[0].id, []).append(node.value)
    plain = {name: values for name, values in given.items() if len(values) == bound.count(name)}
    found: frozenset[str] = frozenset()
    for _ in range(2):
        found = frozenset(n for n, values in plain.items() if not any(_may_hold(v, found) for v in values))
    return found


def _may_hold(node: ast.expr, others: frozenset[str]) -> bool:
    """Whether a value may be, or may contain, a classifier that is to be wrapped."""
    if isinstance(node, ast.Name):
        return node.id not in others
    if isinstance(node, ast.Call):
        name = read_last_name(node.func)
        is_made = name[:1].isupper() and name not in CLASSIFIERS
        return not is_made or any(_may_hold(g, others) for g in (*node.args, *(k.value for k in node.keywords)))
    if isinstance(node, ast.List | ast.Tuple):
        return any(_may_hold(item, others) for item in node.elts)
    return not isinstance(node, ast.Constant)
