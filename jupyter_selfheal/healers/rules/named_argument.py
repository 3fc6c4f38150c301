"""API204: an argument that the message itself says to pass."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Signature, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice, append_argument
from jupyter_selfheal.healers.rules.context.remedies import ARGUMENT, find_excluded, find_options, list_conditions
from jupyter_selfheal.healers.rules.context.rewritten_calls import build_argument_splice
from jupyter_selfheal.model import Applicability, Failure, Patch

NO_DAY = re.compile(
    r"day is out of range for month|day \d+ must be in range|(?P<month>month must be in 1\.\.12)|hour must be in 0\.\.23|minute must be in 0\.\.59"
)
"""What is said of a date or a time that does not exist; one without such a month may have its day there (``2021-13-05``). The second is of Python 3.14."""
HIDING = re.compile(r"error|ignore|skip|allow|raise|warn|coerce|verify|strict|valid|check|safe|force|drop")
"""Words of arguments and values that only make a failure go away."""
MOST_OPTIONS = 3
"""Of more texts none is likely enough to be offered."""


class NamedArgument(Rule):
    """Give the argument that the message asks for.

    **Failure** `ValueError: Mixed timezones detected. Pass utc=True in to_datetime or …`, and any other message that names an argument
    with its value: `Out of bag estimation only available if bootstrap=True`, `estimator must be None when specifying units`, `Exactly one of
    n_clusters and distance_threshold has to be set`, `multi_class must be in ('ovo', 'ovr')`.

    **Fix** The failing call, or the one that made the object whose method fails, gets the argument, if the installed function takes it and the call
    does not give it. Where the message says what an argument must be for what else is asked, it becomes that; of two that exclude one another, either goes; of
    several texts for an argument that is not given, each is offered.

    **Fix safety** Unsafe: the message knows what would run, not what was meant; the outputs decide. Never an argument that would only
    hide a failure (`errors="ignore"`, `allow_pickle=True`).
    """

    code = "API204"
    name = "argument that the message names"
    stage = Stage.LAST
    enames = frozenset(
        {"ValueError", "TypeError", "NotImplementedError", "RuntimeError", "AttributeError", "NotFittedError"}
    )
    applicability = Applicability.UNSAFE
    why = "The library's own message asks for it."

    def matches(self, failure: Failure) -> bool:
        text = failure.evalue
        return super().matches(failure) and bool(
            ARGUMENT.search(text) or list_conditions(text) or find_excluded(text) or find_options(text)
        )

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        no_day = NO_DAY.search(context.failure.evalue)
        if no_day and not no_day["month"]:  # whatever the format, no month has that day
            return
        calls = context.list_calls_at_failure()[:3]
        for view, call in [*((context, c) for c in calls), *_list_constructors(context, calls)]:
            target = _Target(view, call)
            changes = [] if target.is_open else list(_list_changes(target, context.failure.evalue))
            for change in changes:
                yield self.patch(
                    view.replace(view.cell_id, [change.splice]),
                    change.title,
                    f"`{view.text(call.func)}` asks for it: {context.failure.headline}",
                    removes=change.removes,
                    prior=0.6 if len(changes) == 1 else 0.5,
                )
            if changes:
                return


@dataclass(frozen=True, slots=True)
class _Change:
    splice: Splice
    title: str
    removes: str = ""


class _Target:
    """A call whose arguments may be changed: what it gives, and what the installed function takes beside that."""

    def __init__(self, view: RuleContext, call: ast.Call) -> None:
        self.view, self.call = view, call
        self.given = {k.arg: k for k in call.keywords if k.arg}
        self.is_open = len(self.given) < len(call.keywords) or any(isinstance(a, ast.Starred) for a in call.args)
        parameters = (view.signature(call.func, calls=True) or Signature()).parameters
        named = [p for p in parameters if p.kind in ("POSITIONAL_OR_KEYWORD", "KEYWORD_ONLY")][len(call.args) :]
        self.free = {p.name: p.default if p.has_default else None for p in named if p.name not in self.given}

    def add(self, name: str, value: str) -> _Change:
        return _Change(append_argument(self.view.source, self.call, f"{name}={value}"), f"Pass `{name}={value}`")

    def change(self, name: str, value: str) -> _Change:
        keyword = self.given[name]
        lost = self.view.text(keyword)
        if value:
            start, end = self.view.span(keyword.value)
            return _Change((start, end, value), f"Change `{lost}` to `{name}={value}`", f"`{lost}`")
        return _Change(build_argument_splice(self.view, self.call, keyword, ""), f"Leave out `{lost}`", f"`{lost}`")


def _list_changes(target: _Target, message: str) -> Iterator[_Change]:
    """What the message asks of a call, as far as the installed function knows of it."""
    asked = {m["name"]: m["value"] for m in ARGUMENT.finditer(message)}
    added = [target.add(n, v) for n, v in asked.items() if n in target.free and not _hides_errors(n, v)]
    if added:
        yield from added
        return
    for wanted in list_conditions(message):
        if _hides_errors(wanted.name, wanted.value):
            continue
        keyword = target.given.get(wanted.name)
        if keyword is None and wanted.value and target.free.get(wanted.name, wanted.value) != wanted.value:
            yield target.add(wanted.name, wanted.value)
        elif keyword is not None and not _is_written(keyword.value, wanted.value):
            yield target.change(wanted.name, wanted.value)
    pair = find_excluded(message)
    for name, other in (pair, pair[::-1]) if pair else ():
        if name in target.given and other in target.given:
            yield target.change(name, "" if _default_of(target, name) == "None" else "None")
        elif name in target.given and target.free.get(other, "None") not in ("None", None):
            yield target.add(other, "None")
    options = find_options(message)
    default = target.free.get(options.name) if options else None
    if options and default and default != "None" and default.strip("'\"") not in options.texts[:MOST_OPTIONS]:
        yield from (target.add(options.name, repr(t)) for t in options.texts if len(options.texts) <= MOST_OPTIONS)


def _is_written(node: ast.expr, value: str) -> bool:
    return isinstance(node, ast.Constant) and bool(value) and node.value == ast.literal_eval(value)


def _default_of(target: _Target, name: str) -> str:
    signature = target.view.signature(target.call.func, calls=True) or Signature()
    return next((p.default for p in signature.parameters if p.name == name and p.has_default), "None")


def _hides_errors(name: str, value: str) -> bool:
    return HIDING.search(name) is not None or HIDING.search(value.lower()) is not None


def _list_constructors(context: RuleContext, calls: list[ast.Call]) -> Iterator[tuple[RuleContext, ast.Call]]:
    """The calls that made the objects whose methods were called, also through methods that give them back (``Model(…).fit(x)``)."""
    for receiver in (c.func.value for c in calls if isinstance(c.func, ast.Attribute)):
        while isinstance(receiver, ast.Call):
            yield context, receiver
            receiver = receiver.func.value if isinstance(receiver.func, ast.Attribute) else receiver.func
        made = context.find_last_assignment(receiver.id) if isinstance(receiver, ast.Name) else None
        if made is not None and isinstance(made.node.value, ast.Call):
            yield context.view_cell(made.cell_id), made.node.value
