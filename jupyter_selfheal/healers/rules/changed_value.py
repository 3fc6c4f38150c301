"""API203: a value that an argument no longer accepts."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from difflib import get_close_matches

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.knowledge import Value, is_from, load_knowledge
from jupyter_selfheal.healers.rules.context.nodes import read_last_name, read_literal
from jupyter_selfheal.healers.rules.context.remedies import OPTION, find_options
from jupyter_selfheal.healers.rules.context.rewritten_calls import build_argument_splice
from jupyter_selfheal.healers.rules.context.spelling import find_meant
from jupyter_selfheal.healers.rules.context.written_before import ran_unseen
from jupyter_selfheal.model import Applicability, Patch

GOT = re.compile(
    r"[Gg]ot ['\"]?([\w.+-]+)['\"]? instead|^['\"]([\w. +-]+)['\"] is not|[Gg]iven ['\"]?([\w.+-]+)['\"]?|got ['\"]([\w. +-]+)['\"]"
)
PARAMETER = re.compile(
    r"['\"`](\w+)['\"`] parameter of (\w+)|supported values|must be (?:one of|a str among|in|['\"{\[(])|has to be either|valid (?:options|values|choices)|Unknown|unknown|not a valid|allowed|[Ee]xpected one of|Choose from|not (?:supported|understood|recognized|found)|Passing a bool|invalid error value|'X' and 'missing_values' types|matched multiple keys|must be a float or list of percentiles|must be a format string|must be a color|valid color value|No such option|No such keys|invalid mode: |Input X contains NaN|Invalid window name|Valid trend inputs|^Unsupported value \w+ for "
)

TAKEN = "The cell ran under a release that took any other value for this one."
BY_POSITION = ("loss", "criterion", "kind", "regression", "window")
"""Parameters whose old values mean nothing else, so that they are known by position too."""


class ChangedValue(Rule):
    """Give a value that the argument accepts now.

    **Failure** `InvalidParameterError: The 'loss' parameter of GradientBoostingClassifier must be a str among {'exponential',
    'log_loss'}. Got 'deviance' instead.`, `OSError: 'seaborn' is not a valid package style`, and other messages that list
    what is allowed.

    **Fix** The value is replaced by what the changelogs (`data/*.toml`) say it is called now, where the call stands: for an
    estimator that is the call of its constructor, maybe in another cell. A value that is in no changelog is replaced by the
    nearest of those that the message lists. `CalibratedClassifierCV(model, cv="prefit")` becomes `CalibratedClassifierCV(FrozenEstimator(model))`, as scikit-learn's
    own notes of 1.6 say.

    **Fix safety** Safe where the changelog names the successor, where the cell ran while the library took any value for this one (`origin=0`) and stores no value that tells, or where one alone of the listed values is near by a slip; unsafe where likeness
    chose it.
    Silent where `ensemble=` is given, which `"prefit"` passed over.
    """

    code = "API203"
    name = "value that is no longer accepted"
    stage = Stage.CHANGELOG
    enames = frozenset(
        {"ValueError", "TypeError", "InvalidParameterError", "OSError", "KeyError", "OptionError", "AttributeError"}
    )
    message = PARAMETER
    applicability = Applicability.SAFE
    why = "The library's changelog says what this value is called now."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = re.search(r"['\"`](\w+)['\"`] parameter of (\w+)", context.failure.evalue)
        if match is not None and (match[1], match[2]) == ("cv", "CalibratedClassifierCV"):
            yield from self._freeze_estimator(context)
            return
        if match is not None:
            yield from self._mend_constructor(context, match[1], match[2])
            return
        if "missing_values" in context.failure.evalue or "Input X contains NaN" in context.failure.evalue:
            for kind in ("SimpleImputer", "Imputer"):
                yield from self._mend_constructor(context, "missing_values", kind)
            return
        for call in context.list_calls_at_failure()[:4]:
            yield from self._use_changelog(context, call)
        yield from self._use_message(context)

    def _use_changelog(self, context: RuleContext, call: ast.Call) -> Iterator[Patch]:
        live = context.describe_all([call.func], calls=True)[0]
        last = read_last_name(call.func)
        paths = [p for p in (live.path, *live.mro) if p]
        for change in load_knowledge().values:
            if not (last in change.calls or "*" in change.calls) or not is_from(paths, change.libraries):
                continue
            splices = [s for c in _list_same_calls(context, call) for s in _replace_values(context, c, change)]
            if splices:
                yield self._build_patch(context, splices, change)
                return

    def _mend_constructor(self, context: RuleContext, keyword: str, kind: str) -> Iterator[Patch]:
        """The estimator's constructor, in the failing cell or in one above."""
        changes = [v for v in load_knowledge().values if kind in v.calls and v.keyword in ("", keyword)]
        options = OPTION.findall(context.failure.evalue.split(" must be ", 1)[-1].split("Got ")[0])
        for view in context.look_upwards():
            calls = [c for c in view.walk(ast.Call) if read_last_name(c.func) == kind]
            for change in changes:
                splices = [s for c in calls for s in _replace_values(view, c, change)]
                if splices and not _is_refused(splices, options):
                    yield self._build_patch(view, splices, change)
                    return
            for call in calls:
                for given in call.keywords:
                    if (
                        given.arg == keyword
                        and isinstance(given.value, ast.Constant)
                        and isinstance(given.value.value, str)
                    ):
                        yield from self._use_nearest(view, given.value, options)
                        return

    def _freeze_estimator(self, context: RuleContext) -> Iterator[Patch]:
        """The calibrators of the nearest cell that makes some of a model that is fitted already."""
        for view in context.look_upwards():
            known = view.reference("sklearn.frozen.FrozenEstimator")
            calls = [c for c in view.walk(ast.Call) if read_last_name(c.func) == "CalibratedClassifierCV"]
            splices = [s for c in calls for s in _freeze_argument(view, c, known[0] if known else "")]
            if known and splices:
                yield self.patch(
                    view.replace(view.cell_id, [*splices, *view.add_imports([known[1]])]),
                    f"Calibrate `{splices[0][2]}`",
                    "`cv='prefit'` is no longer accepted (scikit-learn 1.8).",
                    why=self.cite("https://scikit-learn.org/stable/whats_new/v1.6.html"),
                    prior=0.92,
                )
                return

    def _build_patch(self, context: RuleContext, splices: list[Splice], change: Value) -> Patch:
        start, end, text = splices[0]
        was_taken = bool(change.ran_before) and ran_unseen(context, change.ran_before)
        unsafe = "" if was_taken else change.unsafe
        return self.patch(
            context.replace(context.cell_id, dict.fromkeys(splices)),
            f"Change `{context.source[start:end]}` to `{text}`",
            f"`{context.source[start:end]}` is "
            + (
                "not accepted."
                if change.unsafe
                else f"no longer accepted ({change.libraries[0].partition('.')[0]} {change.version})."
            ),
            applicability=Applicability.UNSAFE if unsafe else Applicability.SAFE,
            why=unsafe or (TAKEN if was_taken else self.cite(change.source)),
            prior=0.9,
        )

    def _use_message(self, context: RuleContext) -> Iterator[Patch]:
        """The nearest of the options that the message lists, for the text of the call that the message names."""
        message = context.failure.evalue
        bad = {g for m in GOT.finditer(message) for g in m.groups() if g}
        if not bad:
            yield from self._use_unquoted_options(context, message)
            return
        for call in context.list_calls_at_failure()[:2]:
            for node in [*call.args, *(k.value for k in call.keywords)]:
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in bad:
                    if is_renamed(call, node.value):
                        return
                    yield from self._use_nearest(context, node, [o for o in OPTION.findall(message) if o != node.value])
                    return

    def _use_unquoted_options(self, context: RuleContext, message: str) -> Iterator[Patch]:
        """``style must be one of white, dark, ticks``: which of the call's texts is meant is a matter of likeness."""
        if (named := find_options(message)) is not None:
            for call in context.list_calls_at_failure()[:2]:
                for given in (k.value for k in call.keywords if k.arg == named.name):
                    is_text = isinstance(given, ast.Constant) and isinstance(given.value, str)
                    if isinstance(given, ast.Constant) and is_text and given.value not in named.texts:
                        yield from self._use_nearest(context, given, list(named.texts))
            return
        match = re.search(r"must be (?:one of|in) ((?:\w+, )+(?:or )?\w+)", message)
        options = re.findall(r"\w+", match[1]) if match else []
        for call in context.list_calls_at_failure()[:2]:
            for node in [*call.args, *(k.value for k in call.keywords)]:
                text = node.value if isinstance(node, ast.Constant) else None
                if isinstance(node, ast.Constant) and isinstance(text, str) and text not in options:
                    yield from self._use_nearest(context, node, options)

    def _use_nearest(self, context: RuleContext, node: ast.Constant, options: list[str]) -> Iterator[Patch]:
        value = str(node.value)
        exact = [o for o in options if o.lower() == value.lower()]
        meant = find_meant(value, options) if len(options) > 1 else ""
        stem = re.sub(r"\W", "_", value.lower()).removesuffix("_score")  # `f1_score` is the function, "f1" the scorer
        within = [o for o in options if len(stem) > 1 and f"_{stem}_" in f"_{o}_"]
        likely = sorted(within, key=len)[:1] or get_close_matches(value, options, n=2, cutoff=0.7)
        for rank, option in enumerate([meant] if meant else (exact or likely)[:2]):
            start, end = context.span(node)
            yield self.patch(
                context.replace(context.cell_id, [(start, end, _quote_alike(context, node, option))]),
                f"Change {value!r} to {option!r}",
                f"{value!r} is not among what the library accepts here.",
                applicability=Applicability.SAFE if meant else Applicability.UNSAFE,
                why=f"It is the {'only' if meant else 'nearest'} of the values that the message lists{' that is near by a slip' if meant else ''}.",
                prior=0.9 if meant else (0.7 if exact else 0.6) - 0.1 * rank,
            )


def _freeze_argument(context: RuleContext, call: ast.Call, frozen: str) -> list[Splice]:
    """Splices that freeze the model which a calibrator is given, in place of ``cv="prefit"``; none for any other calibrator."""
    given = {k.arg: k for k in call.keywords}
    cv = given.get("cv")
    model = call.args[0] if len(call.args) == 1 else given["estimator"].value if "estimator" in given else None
    if cv is None or model is None or {None, "ensemble"} & set(given) or read_literal(cv.value) != (True, "prefit"):
        return []
    start, end = context.span(model)
    return [(start, end, f"{frozen}({context.text(model)})"), build_argument_splice(context, call, cv, "")]


def _is_refused(splices: list[Splice], options: list[str]) -> bool:
    """True where a changelog's successor is a text that this release does not list either: it went later, or is another estimator's."""
    return bool(options) and any(t[:1] in "'\"" and t[1:-1] not in options for _, _, t in splices)


def _list_same_calls(context: RuleContext, call: ast.Call) -> list[ast.Call]:
    text = context.text(call.func)
    return [c for c in context.walk(ast.Call) if context.text(c.func) == text]


def _replace_values(context: RuleContext, call: ast.Call, change: Value) -> list[Splice]:
    """Splices for the arguments of one call (and the items of lists in them) whose literal value is an old one."""
    splices: list[Splice] = []
    for keyword, argument in [("", a) for a in call.args] + [(k.arg or "", k.value) for k in call.keywords]:
        if change.keyword and keyword and keyword != change.keyword:
            continue
        if change.keyword and not keyword and change.keyword not in BY_POSITION:
            continue
        is_whole = bool(change.becomes or change.ran_before)
        items = argument.elts if isinstance(argument, ast.List | ast.Tuple) and not is_whole else [argument]
        for node in items:
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str | int | None):
                continue
            if (new := change.new.get(str(node.value))) is None:
                continue
            plain = not isinstance(new, str) or new in ("None", "1.0", "float('nan')")
            text = str(new) if plain else _quote_alike(context, node, new)
            start, end = context.span(node)
            if change.becomes:
                start, text = context.source.rfind(keyword, 0, start), f"{change.becomes}={text}"
            splices.append((start, end, text))
    return splices


def _quote_alike(context: RuleContext, node: ast.Constant, new: str) -> str:
    """The new text in the quotes of the old one."""
    mark = context.text(node)[:1]
    return f"{mark}{new}{mark}" if mark in "'\"" else repr(new)


def is_renamed(call: ast.Call, value: str) -> bool:
    """Whether a changelog says what the value is called now: it was right once, so that what is near to it is not what was meant."""
    return any(
        value in change.new and {read_last_name(call.func), "*"} & set(change.calls)
        for change in load_knowledge().values
    )
