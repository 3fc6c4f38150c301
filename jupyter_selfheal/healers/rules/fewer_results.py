"""API218: a function that gives another number of results than are taken."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"not enough values to unpack \(expected (\d), got (\d)\)|^too many values to unpack")
FIRST_GONE = {"cv2.findContours": "https://docs.opencv.org/4.x/d4/d73/tutorial_py_contours_begin.html"}
"""Functions that gave three results, the first of which is gone, and where that is said."""


RESULTS = {
    "linregress": ("slope", "intercept", "rvalue", "pvalue", "stderr"), "chi2_contingency": ("chi2 statistic", "pvalue", "dof", "expected"),
    "roc_curve": ("fpr", "tpr", "thresholds"), "precision_recall_curve": ("precision", "recall", "thresholds"),
    "hist": ("n counts", "bins edges", "patches"), "svd": ("u", "s", "vh"), "lstsq": ("x solution", "residuals", "rank", "s"),
    "adfuller": ("adf statistic", "pvalue", "usedlag", "nobs", "critical", "icbest"),
}  # fmt: skip
"""What functions of the libraries give, in order, by the names that their manuals use."""

WHOLE = {
    "curve_fit": (
        re.compile(r"(?i)p?_?opt|p|pars?|params?|parameters|coefs?|coeffs?|coefficients|best|best_\w+"),
        ("popt", "pcov"),
    ),
    "find_peaks": (
        re.compile(r"(?i)p|peaks?\d?|\w*_?(?:peaks?|idx|ind|indices)|peaks?_\w+|maxima|minima"),
        ("peaks", "properties"),
    ),
}
"""Functions whose first result alone is taken for all that they give, how that is named then, and what their manual calls the results."""

PARTS = (
    (re.compile(r"(?i)p|p_?vals?|p_?values?|sig(?:nificance)?"), "pvalue"),
    (re.compile(r"(?i)t|f|r|u|w|z|rho|tau|stat|(?:t|f|r|u|w|z|test)_?stat(?:istic)?s?|statistic|corr(?:elation)?(?:_coef\w*)?|pearson|spearman"), "statistic"),
)  # fmt: skip
"""How the parts of a test's result are called in notebooks, and in SciPy."""
OF_INTEGRAL = re.compile(r"scipy\.integrate\.(?:\w+\.)?(?:quad|dblquad|tplquad)")
"""Functions that give a number, and how far it may be off."""

STAYS = re.compile(r"cont|cnt|hier", re.I)
"""Names of the results that are left: where one of them comes first, the order was another one."""


class FewerResults(Rule):
    """Take as many results as the function gives.

    **Failure** `ValueError: not enough values to unpack (expected 3, got 2)` at `_, contours, hierarchy = cv2.findContours(…)`, which gave the picture
    too in OpenCV 3; `too many values to unpack (expected 2)` at `slope, intercept = linregress(x, y)`, which gives five, and at
    `X_train, X_test, y_train = train_test_split(X, y)`; `TypeError: unsupported format string passed to numpy.ndarray.__format__` at `popt[0]` below `popt = curve_fit(…)`.

    **Fix** The first name goes: `contours, hierarchy = cv2.findContours(…)`. What is not taken goes into `_`: `slope, intercept, *_ = linregress(x, y)`; of a split `y_test`
    is taken too, whose name the others say. `popt, pcov = curve_fit(…)`, `peaks, properties = find_peaks(…)` above `t[peaks]`. `p = ttest_ind(a, b)` and `area = quad(f, 0, 1)`, of which a number is wanted, become `p = ttest_ind(a, b).pvalue` and `area = quad(f, 0, 1)[0]`.

    **Fix safety** Safe: the first results are what is taken, in the manual's order; silent where a name is that of a result that comes later (`r, p = linregress(x, y)`). Of OpenCV the other two results are what they were, in the same order. Unsafe where a name at the end is left out that nothing reads (`m, b, r = np.polyfit(x, y, 1)`). Silent where the name that goes is read anywhere, or is the name of
    one of the results that are left.
    """

    code = "API218"
    name = "number of results"
    stage = Stage.CHANGELOG
    enames = frozenset({"ValueError", "TypeError", "AttributeError", "IndexError"})
    message = re.compile(
        rf"{MESSAGE.pattern}|unsupported format string passed to numpy\.ndarray|broadcast|__round__|inhomogeneous|^only .*arrays|positional argument|Result\b|'tuple'|tuple\.__|can't multiply sequence|not all arguments converted"
    )
    applicability = Applicability.SAFE
    why = "The function's own manual shows the two results that are left."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if not MESSAGE.search(context.failure.evalue):
            yield from self._take_apart(context)
            return
        for node in context.list_nodes_on_line(ast.Assign)[::-1]:
            if context.failure.evalue.startswith("too many"):
                yield from self._leave_others(context, node)
                continue
            match node:
                case ast.Assign(
                    targets=[ast.Tuple(elts=[ast.Name() as gone, second, _])],
                    value=ast.Call(func=ast.Attribute(value=module) as called),
                ) if not STAYS.search(gone.id):
                    live = context.describe_all([module])[0]
                    path = f"{live.name}.{called.attr}" if live.is_module else ""
                    if path not in FIRST_GONE:
                        yield from self._leave_unread(context, node)
                        return
                    if _is_read(context, gone.id):
                        return
                    yield self.patch(
                        context.replace_here((context.span(gone)[0], context.span(second)[0], "")),
                        f"Leave out `{gone.id}`",
                        f"`{path}` gives two results, not three.",
                        why=self.cite(FIRST_GONE[path]),
                        prior=0.95,
                    )
                    return
            yield from self._leave_unread(context, node)

    def _leave_unread(self, context: RuleContext, node: ast.Assign) -> Iterator[Patch]:
        """``m, b, r = np.polyfit(x, y, 1)``, of which `r` is never read: a name too many."""
        told, target, call = MESSAGE.search(context.failure.evalue), node.targets[0], node.value
        if told is None or not isinstance(target, ast.Tuple) or not isinstance(call, ast.Call):
            return
        names, got = [n.id for n in target.elts if isinstance(n, ast.Name)], int(told[2])
        called = context.describe_all([call.func])[0].path
        if not called or called.startswith("__main__") or not 2 <= got < len(names) == int(told[1]):
            return
        is_taken = any(_is_read(context, n) for n in names[:got]) and not any(_is_read(context, n) for n in names[got:])
        if len(names) < len(target.elts) or not is_taken:
            return
        start, end = context.span(target.elts[got - 1])[1], context.span(target.elts[-1])[1]
        yield self.patch(
            context.replace_here((start, end, "")),
            f"Leave out {', '.join(f'`{n}`' for n in names[got:])}",
            f"`{context.text(call.func)}` gave {got} results, and nothing reads what is left out.",
            applicability=Applicability.UNSAFE,
            why="Which of the results each name is for is not said.",
            prior=0.7,
        )

    def _take_apart(self, context: RuleContext) -> Iterator[Patch]:
        """``popt = curve_fit(…)`` above `popt[0]`: the name is of the first result, and holds both."""
        statement = context.failing_statement
        read = [n.id for n in ast.walk(statement) if isinstance(n, ast.Name)] if statement is not None else []
        for name in dict.fromkeys(read):
            made = context.find_last_assignment(name)
            call = made.node.value if made is not None else None
            if made is None or not isinstance(call, ast.Call) or len(made.node.targets) != 1:
                continue
            if part := _find_part(context, name, call):
                home = context.view_cell(made.cell_id)
                end = home.span(call)[1]
                is_open = part == ".statistic" and "instances of" in context.failure.evalue
                yield self.patch(
                    home.replace_here((end, end, part)),
                    f"Take `{home.text(call)}{part}`",
                    f"`{home.text(call.func)}` gives several results, and `{name}` holds all of them.",
                    applicability=Applicability.UNSAFE if is_open else Applicability.SAFE,
                    why="It is compared, and the p-value may be meant."
                    if is_open
                    else "The name is that of one of them, and what is done with it is done with a number.",
                    prior=0.7 if is_open else 0.94,
                )
                return
            known = WHOLE.get(read_last_name(call.func))
            if known is None or not known[0].fullmatch(name):
                continue
            sources = [context.source_of(c.id) for c in context.notebook.cells if c.kind == "code"]
            if any(re.search(rf"\b{name}\[0\]\[|\b(?:diag|sqrt)\({name}\[1\]|= {name}$", s, re.M) for s in sources):
                return  # it is known to hold both
            second = known[1][1] if known[1][1] not in context.known_names else "_"
            view = next((v for v in context.look_upwards() if v.cell_id == made.cell_id), None)
            called = context.describe_all([ast.unparse(call.func)])[0].path
            if (
                view is None
                or not called.startswith("scipy.")
                or not context.is_true(f"type({name}) is tuple and len({name}) == {len(known[1])}")
            ):
                return
            end = view.span(made.node.targets[0])[1]
            yield self.patch(
                view.replace_here((end, end, f", {second}")),
                f"Take both results: `{name}, {second} = …`",
                f"`{read_last_name(call.func)}` gives {len(known[1])} results, and `{name}` holds both.",
                why="The name is that of the first result, and what is done with it is done with numbers.",
                prior=0.94,
            )
            return

    def _leave_others(self, context: RuleContext, node: ast.Assign) -> Iterator[Patch]:
        """``slope, intercept, *_ = linregress(x, y)``."""
        target, call = node.targets[0], node.value
        if not isinstance(target, ast.Tuple) or not isinstance(call, ast.Call):
            return
        called, names = read_last_name(call.func), [n.id for n in target.elts if isinstance(n, ast.Name)]
        results = RESULTS.get(called, ())
        if called == "train_test_split" and len(names) == len(target.elts) and (fourth := _name_fourth(names)):
            end = context.span(target.elts[-1])[1]
            cause = "`train_test_split` of two arrays gives four: each of them in two parts."
            why = "The other names say what the fourth is called."
            yield self.patch(
                context.replace_here((end, end, f", {fourth}")), f"Take `{fourth}` too", cause, why=why, prior=0.93
            )
            return
        own = context.describe_all([call.func])[0].path.startswith("__main__")
        if not 0 < len(names) == len(target.elts) < len(results) or own or not _come_first(names, results):
            return
        end = context.span(target.elts[-1])[1]
        yield self.patch(
            context.replace_here((end, end, ", *_")),
            f"Leave the other results in `_`: `{', '.join(names)}, *_`",
            f"`{called}` gives {len(results)} results: {', '.join(r.split()[0] for r in results)}.",
            why="The names are those of the first results, in the order of the function's own manual, or of none.",
            prior=0.93,
        )


def _find_part(context: RuleContext, name: str, call: ast.Call) -> str:
    """``.pvalue`` for ``p = stats.ttest_ind(a, b)``, ``[0]`` for ``area = quad(f, 0, 1)``; empty where all may be meant, as where a part is read somewhere."""
    sources = [context.source_of(c.id) for c in context.notebook.cells if c.kind == "code"]
    if any(re.search(rf"\b{name}(?:\[|\.\w)|= *{name}$", source, re.M) for source in sources):
        return ""
    path = context.describe_all([ast.unparse(call.func)])[0].path
    if OF_INTEGRAL.fullmatch(path):
        return "" if re.search(r"(?i)err|tol|acc|unc", name) else "[0]"
    part = next((part for names, part in PARTS if names.fullmatch(name)), "")
    if part == "statistic" and any(
        re.search(rf"\b{name} *<=? *(?:0?\.(?:0\d+|10?)\b|alpha|sig|level)", s) for s in sources
    ):
        return ""  # a level of significance: whatever it is called, its `pvalue` is looked at
    return (
        f".{part}" if part and path.startswith("scipy.stats") and context.is_true(f"hasattr({name}, {part!r})") else ""
    )


def _name_fourth(names: list[str]) -> str:
    """``y_test`` beside `X_train, X_test, y_train`; empty where the names do not say it."""
    if len(names) != 3:
        return ""
    same = next((n for n, (a, b) in enumerate(zip(*names[:2], strict=False)) if a != b), 0)
    first, second = names[0][same:], names[1][same:]
    return names[2].removesuffix(first) + second if first and second and names[2].endswith(first) else ""


def _come_first(names: list[str], results: tuple[str, ...]) -> bool:
    """Whether no name is that of a result at another place."""
    for place, name in enumerate(names):
        small = name.casefold().replace("_", "")
        meant = [n for n, r in enumerate(results) if any(w.startswith(small) or small.startswith(w) for w in r.split())]
        if meant and place not in meant:
            return False
    return True


def _is_read(context: RuleContext, name: str) -> bool:
    """Whether any line reads the name, also within a function that binds it."""
    nodes = context.walk_notebook()
    return any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load) for n in nodes)
