"""TYP109: a Python literal that is read as JSON."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, questions
from jupyter_selfheal.healers.rules.context.edits import add_import
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch


class PythonLiteral(Rule):
    """Read a text that Python wrote as Python wrote it.

    **Failure** `JSONDecodeError: Expecting property name enclosed in double quotes`, where the text is what `str` makes of a
    dictionary or a list: `{'a': 1, 'b': None}`.

    **Fix** `json.loads(text)` becomes `ast.literal_eval(text)`.

    **Fix safety** Safe: the live text is no JSON, and it is a literal of Python; nothing in it is run. Unsafe where it has none of Python's own signs (`'`, `None`, `True`),
    as `{"a": 1,}`: it is JSON with a fault.
    """

    code = "TYP109"
    name = "Python literal read as JSON"
    enames = frozenset({"JSONDecodeError"})
    applicability = Applicability.SAFE
    why = "The live text is no JSON, and it is a literal of Python."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            name = read_last_name(call.func)
            if name != "loads" or len(call.args) != 1 or call.keywords:
                continue
            if context.ask(questions.NAME_LITERAL, expression=context.text(call.args[0])) not in (
                "dict",
                "list",
                "tuple",
            ):
                return
            own = context.is_true(
                f"any(sign in ({context.text(call.args[0])}) for sign in (\"'\", 'None', 'True', 'False', '('))"
            )
            changes = [(*context.span(call.func), "ast.literal_eval")]
            if not any(isinstance(n, ast.Import) and "ast" in ast.unparse(n).split() for n in ast.walk(context.tree)):
                changes.append(add_import(context.source, "import ast"))
            yield self.patch(
                context.replace(context.cell_id, changes),
                "Use `ast.literal_eval`",
                "The text is Python (single quotes, None, True), not JSON."
                if own
                else "The text is no JSON, but it reads as Python.",
                applicability=Applicability.SAFE if own else Applicability.UNSAFE,
                why=self.why if own else "It is JSON with a fault, which may be mended where it comes from.",
                prior=0.88,
            )
            return
