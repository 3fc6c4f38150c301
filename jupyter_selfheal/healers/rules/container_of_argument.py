"""SKL117: an argument of an estimator in another container than it takes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch

REFUSED = re.compile(
    r"The '(?P<name>\w+)' parameter of (?P<kind>\w+) must be (?:[^.]*?, )?an instance of '(?P<wanted>list|tuple)'(?: or None)?\. "
    r"Got (?P<got>frozenset\(|[{\[(])"
)
UNORDERED = frozenset({"stop_words"})
"""Parameters of which scikit-learn makes a set itself, so that the order of a set's members doesn't matter."""
TAKEN_APART = {
    "stop_words": "scikit-learn makes the same frozen set of a list as of a set.",
    "ngram_range": "scikit-learn takes the two numbers apart, of a tuple as of a list.",
}
"""Parameters of which it is known what becomes of them; texts are counted by nothing else that has them."""


class ContainerOfArgument(Rule):
    """Give an estimator its argument in the container that it takes.

    **Failure** `InvalidParameterError: The 'stop_words' parameter of TfidfVectorizer must be a str among {'english'}, an instance of 'list' or None.
    Got {'a', 'the'} instead.`, `The 'ngram_range' parameter of CountVectorizer must be an instance of 'tuple'. Got [1, 2] instead.`

    **Fix** `stop_words=list(words)`, `ngram_range=(1, 2)`, where the estimator is made, also in a cell above.

    **Fix safety** Safe for `stop_words`, of which scikit-learn makes a frozen set whatever it is given, and for `ngram_range`, of which it takes two numbers apart, where nothing in the
    notebook reads the argument back (`counter.stop_words`, `get_params`). Unsafe for any other, although a list and a tuple hold the same values in the same order: what else reads it was not looked at. Silent for a set that another parameter gets, whose order would be chance, for a dictionary, and
    where the estimator is made in more than one place.
    """

    code = "SKL117"
    name = "container of an estimator's argument"
    stage = Stage.LIBRARY
    enames = frozenset({"InvalidParameterError", "ValueError"})
    message = REFUSED
    why = "It holds the same values; whether anything else reads the argument was not looked at."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        refused = REFUSED.search(context.failure.evalue)
        if refused is None or not _keeps_meaning(refused, context.failure.evalue):
            return
        name, kind, wanted = refused["name"], refused["kind"], refused["wanted"]
        for view in context.look_upwards():
            calls = [c for c in view.walk(ast.Call) if read_last_name(c.func) == kind]
            given = [k.value for c in calls for k in c.keywords if k.arg == name]
            if len(calls) == 1 and len(given) == 1:
                new = _convert_container(view, given[0], wanted)
                is_known = name in TAKEN_APART and not _is_read_back(context, name)
                yield self.patch(
                    view.replace(view.cell_id, [(*view.span(given[0]), new)]),
                    f"Use `{name}={new}`",
                    f"`{kind}` takes a {wanted} for `{name}`.",
                    applicability=Applicability.SAFE if is_known else Applicability.UNSAFE,
                    why=TAKEN_APART[name] if is_known else "",
                    prior=0.92,
                )
            if calls:
                return


def _keeps_meaning(refused: re.Match[str], evalue: str) -> bool:
    """Whether the wanted container holds the same: the order of a set is chance, and a dictionary would lose its values."""
    if refused["got"] in ("[", "("):
        return True
    is_dictionary = refused["got"] == "{" and re.match(r"(?:'[^']*'|\"[^\"]*\"|[\w.]+): |\}", evalue[refused.end() :])
    return refused["name"] in UNORDERED and not is_dictionary


def _is_read_back(context: RuleContext, name: str) -> bool:
    """Whether anything asks the estimator for the argument again."""
    asked = re.compile(rf"\.{name}\b|[gs]et_params|getattr|vars\(|__dict__|['\"](?:\w+__)?{name}['\"]")
    return any(asked.search(context.source_of(c.id)) for c in context.notebook.cells if c.kind == "code")


def _convert_container(view: RuleContext, given: ast.expr, wanted: str) -> str:
    """The argument in the other container: a display of values gets other brackets, anything else a call around it."""
    text = view.text(given)
    if wanted == "tuple" and isinstance(given, ast.List) and len(given.elts) > 1:
        return f"({text[1:-1]})"
    if wanted == "list" and isinstance(given, ast.Set):
        return f"[{text[1:-1]}]"
    return f"{wanted}({text})"
