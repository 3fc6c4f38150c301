"""SKL102: arguments of an estimator that contradict one another."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice, append_argument
from jupyter_selfheal.healers.rules.context.nodes import is_truth, read_last_name
from jupyter_selfheal.healers.rules.context.rewritten_calls import build_argument_splice
from jupyter_selfheal.healers.rules.context.written_before import find_older_use, ran_once
from jupyter_selfheal.healers.rules.one_vs_rest import is_wrapped, looks_inside, wrap_classifiers
from jupyter_selfheal.model import Applicability, Patch

SOLVER = re.compile(r"Solver (\w+) supports only .*got (\w+) penalty|Solver (\w+) supports only dual=False")
NO_SHUFFLE_RAISES = "0.24"
"""The release since which this is an error (https://scikit-learn.org/stable/whats_new/v0.24.html)."""
NAMED = re.compile(r"Only '(?P<new>\w+)' (?P<keyword>\w+) supports .*, got (?P=keyword)=(?P<old>\w+)")
QDA = (
    "https://scikit-learn.org/stable/modules/generated/sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis.html"
)
RANK = re.compile(r"covariance matrix of class \S+ is not full rank")
SHUFFLE = re.compile(r"Setting a random_state has no effect since shuffle is False")


class EstimatorArguments(Rule):
    """Complete or take out an argument that contradicts another one of the same estimator.

    **Failure** `ValueError: Solver lbfgs supports only 'l2' or None penalties, got l1 penalty.`, `Setting a random_state has no
    effect since shuffle is False.`, `LinAlgError: The covariance matrix of class 0 is not full rank.`

    **Fix** `solver="liblinear"`, the default before scikit-learn 0.22, where `penalty="l1"` was written for it, or a variable that is "l1" at times; `random_state`
    is taken out where nothing is shuffled, or `shuffle=True` added; `QuadraticDiscriminantAnalysis(tol=0)`.

    **Fix safety** Safe for the solver, which is the one that the code ran with, for `tol`, which "does not affect the predictions" by its manual and
    says from where on to warn of collinear columns (since 1.8 to raise), and for `random_state` beside `shuffle=False`, where it never had an
    effect. So it is where `shuffle` is not given and the notebook uses what scikit-learn removed before it raised here (0.24): what it gave, it
    gave without shuffling; and where the failing cell has a stored run without an error. Unsafe in any other notebook: `shuffle=True` may be what is meant, and is offered too.
    """

    code = "SKL102"
    name = "contradicting arguments of an estimator"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError", "InvalidParameterError", "LinAlgError"})
    message = re.compile(f"{SOLVER.pattern}|{SHUFFLE.pattern}|{RANK.pattern}|{NAMED.pattern}")
    applicability = Applicability.SAFE
    why = (
        "liblinear was the default solver when this was written (https://scikit-learn.org/stable/whats_new/v0.22.html)."
    )

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if (named := NAMED.search(context.failure.evalue)) is not None:
            yield from self._take_named(context, named["keyword"], named["old"], named["new"])
            return
        if RANK.search(context.failure.evalue):
            yield from self._warn_of_no_rank(context)
            return
        shuffles = SHUFFLE.search(context.failure.evalue) is not None
        for view in context.look_upwards():
            calls = list(view.walk(ast.Call))
            splices = [s for c in calls for s in (_drop_random_state(view, c) if shuffles else _add_solver(view, c))]
            if splices:
                made = [c for c in calls if _add_solver(view, c) and not is_wrapped(view, c)]
                if not shuffles and made and _is_of_several_classes(context):
                    yield from self._fit_each_class(view, made)
                    return
                is_said = shuffles and not any(_add_shuffle(view, c) for c in calls)
                older = find_older_use(context, "sklearn", NO_SHUFFLE_RAISES) if shuffles else ""
                ran = shuffles and ran_once(context)
                unsafe = shuffles and not is_said and not older and not ran
                yield self.patch(
                    view.replace(view.cell_id, splices),
                    "Remove `random_state`" if shuffles else "Add `solver='liblinear'`",
                    "`random_state` has no effect without shuffling." if shuffles
                    else "The default solver doesn't support this penalty.",
                    removes="`random_state`, which has no effect without shuffling" if shuffles else "",
                    why=f"The notebook ran with `{older}`, so before scikit-learn {NO_SHUFFLE_RAISES}, where it had no effect." if older
                    else f"The cell has run as it stands, so before scikit-learn {NO_SHUFFLE_RAISES}, where it had no effect." if ran and not is_said
                    else "Without shuffling `random_state` never had an effect." if shuffles else self.why,
                    applicability=Applicability.UNSAFE if unsafe else Applicability.SAFE, prior=0.7 if unsafe else 0.88,
                )  # fmt: skip
                if unsafe:
                    yield self.patch(
                        view.replace(view.cell_id, [s for c in calls for s in _add_shuffle(view, c)]),
                        "Add `shuffle=True`", "`random_state` has no effect without shuffling.",
                        applicability=Applicability.UNSAFE, why="The seed says that shuffling may be meant.", prior=0.6,
                    )  # fmt: skip
                return

    def _take_named(self, context: RuleContext, keyword: str, old: str, new: str) -> Iterator[Patch]:
        """``Only 'saga' solver supports elasticnet penalty, got solver=liblinear``: what the message names, where the estimator is made."""
        for view in context.look_upwards():
            given = [k.value for c in view.walk(ast.Call) for k in c.keywords if k.arg == keyword]
            found = [g for g in given if isinstance(g, ast.Constant) and g.value == old]
            if found:
                yield self.patch(
                    view.replace_here(*((*view.span(g), f"{view.text(g)[-1]}{new}{view.text(g)[-1]}") for g in found)),
                    f"Use `{keyword}={new!r}`",
                    f"Only {new!r} takes the other argument.",
                    applicability=Applicability.UNSAFE,
                    why="The other argument may be meant to be another.",
                    prior=0.65,
                )
                return

    def _warn_of_no_rank(self, context: RuleContext) -> Iterator[Patch]:
        for view in context.look_upwards():
            calls = [c for c in view.walk(ast.Call) if read_last_name(c.func) == "QuadraticDiscriminantAnalysis"]
            free = [c for c in calls if not any(k.arg in (None, "tol", "reg_param", "solver") for k in c.keywords)]
            if calls:
                yield self.patch(
                    view.replace(view.cell_id, [append_argument(view.source, c, "tol=0") for c in free]),
                    "Add `tol=0`",
                    "Columns of the table hang on one another; scikit-learn warned of that, and fitted the model all the same.",
                    why=f"`tol` does not affect the predictions: it says where collinear columns are complained of ({QDA}).",
                    prior=0.85,
                )
                return

    def _fit_each_class(self, view: RuleContext, made: list[ast.Call]) -> Iterator[Patch]:
        """With three classes or more, liblinear fitted one classifier for each; since scikit-learn 1.8 that must be said."""
        edits = wrap_classifiers(view, made, ', solver="liblinear"')
        safe = not looks_inside(view)
        if edits:
            yield self.patch(
                edits,
                "Add `solver='liblinear'` in `OneVsRestClassifier(…)`",
                "The default solver doesn't support this penalty, and `liblinear` only takes two classes since scikit-learn 1.8.",
                applicability=Applicability.SAFE if safe else Applicability.UNSAFE,
                why="It is the solver that this was written for, which fitted one classifier for each class." if safe
                else "The notebook looks into the estimator, which is then one level deeper.",
                prior=0.88,
            )  # fmt: skip


def _is_of_several_classes(context: RuleContext) -> bool:
    """True where one column of three values or more is given to the failing call: its target."""
    given = [
        a
        for c in context.list_calls_at_failure()
        for a in [*c.args[1:3], *(k.value for k in c.keywords if k.arg == "y")]
    ]
    chains = [text for a in given if (text := context.read_plain_chain(a))]
    test = "getattr({0}, 'ndim', 0) == 1 and __import__('numpy').unique({0}).size > 2 and str({0}.dtype)[0] != 'f'"
    return any(context.is_true(test.format(chain)) for chain in chains)


def _drop_random_state(context: RuleContext, call: ast.Call) -> list[Splice]:
    name = context.text(call.func).rsplit(".", 1)[-1]
    given = {k.arg: k for k in call.keywords}
    if not name.endswith("KFold") or "random_state" not in given or not _never_shuffles(given.get("shuffle")):
        return []
    return [build_argument_splice(context, call, given["random_state"], "")]


def _add_shuffle(context: RuleContext, call: ast.Call) -> list[Splice]:
    end = context.span(call)[1] - 1
    is_said = any(k.arg == "shuffle" for k in call.keywords)
    return [(end, end, ", shuffle=True")] if not is_said and _drop_random_state(context, call) else []


def _never_shuffles(given: ast.keyword | None) -> bool:
    """True where `shuffle` is left out, or is said to be off."""
    return given is None or is_truth(given.value, False)


def _may_be_l1(context: RuleContext, penalty: ast.expr) -> bool:
    """Whether a penalty is "l1", or a variable that is at times: of a loop over ["l1", "l2"] the others went to the same default solver."""
    if isinstance(penalty, ast.Constant):
        return penalty.value == "l1"
    if isinstance(penalty, ast.Name):
        loops: list[ast.For | ast.comprehension] = [*context.walk(ast.For), *context.walk(ast.comprehension)]
        targets = (t for n in loops for t in ast.walk(n.target))
        if any(isinstance(t, ast.Name) and t.id == penalty.id for t in targets):
            return True
    return not context.is_true(f"({context.text(penalty)}) != 'l1'")


def _add_solver(context: RuleContext, call: ast.Call) -> list[Splice]:
    name = context.text(call.func).rsplit(".", 1)[-1]
    given = {k.arg: k.value for k in call.keywords}
    penalty = given.get("penalty")
    if name not in ("LogisticRegression", "LogisticRegressionCV") or "solver" in given:
        return []
    if penalty is None or not _may_be_l1(context, penalty):
        return []
    end = context.span(call)[1] - 1
    return [(end, end, ', solver="liblinear"')]
