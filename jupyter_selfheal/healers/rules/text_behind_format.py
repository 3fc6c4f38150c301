"""TYP242: text that stands in the braces of a format: behind a field's code, or as JSON does."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.replay import change_and_replay
from jupyter_selfheal.model import Applicability, Patch

SPECIFIER = re.compile(r"Invalid format specifier '(?P<spec>[^'{}]+)' for object of type '(?:float|int)'")
SPEC = re.compile(r"(?:.?[<>=^])?[+\- ]?#?0?\d*[,_]?(?:\.\d+)?[bcdeEfFgGnoxX%](?=[ /€$£°(])")
"""A whole specification (https://docs.python.org/3/library/string.html#format-specification-mini-language), and what none goes on with."""

DOUBT = "What stands behind the format may be reckoned with: a share in percent, or a variable."

NO_FIELD = re.compile(r"^\"'|^'(?![^\W\d]\w*'$)|unexpected '\{' in field name")
"""What is said of braces that hold no name: a key with quotes, blanks or ends of lines."""
FIELD = re.compile(r"\{([^\W\d]\w*|\d*)(?:\.\w+|\[\w+\])*(?:![rsa])?(?::[^{}\s\"']*)?\}")


class TextBehindFormat(Rule):
    """End the field behind its format.

    **Failure** `ValueError: Invalid format specifier '.2f m' for object of type 'float'` at `f"{height:.2f m}"`. `KeyError: '"user"'` at `'{"user": "{}"}'.format(name)`.

    **Fix** `f"{height:.2f} m"`; `'{{"user": "{}"}}'.format(name)`, also in the cell above that has the text.

    **Fix safety** Safe: up to there it is a whole format of numbers, and none goes on behind its letter. Unsafe for `{share:.1f %}`, where
    `{share:.1%}` may be meant, which is offered too, and where a variable stands in the text (`{total:.2f / n}`). Silent where the same stands in the
    cell twice. Braces are doubled where those that stay are just the fields that the call gives a value, and silently left where some are doubled, where
    a name has no value, or where the text is used otherwise.
    """

    code = "TYP242"
    name = "text behind a format"
    enames = frozenset({"ValueError", "KeyError"})
    message = re.compile(f"{SPECIFIER.pattern}|{NO_FIELD.pattern}")
    applicability = Applicability.SAFE
    why = "A format ends with its letter: what stands behind it is text."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if NO_FIELD.search(context.failure.evalue):
            yield from self._double_braces(context)
            return
        told = SPECIFIER.search(context.failure.evalue)
        whole = SPEC.match(told["spec"]) if told is not None else None
        if told is None or whole is None:
            return
        for node in context.list_nodes_on_line(ast.JoinedStr, ast.Call):
            start, end = context.span(node)
            field = f":{told['spec']}}}"
            if context.source[start:end].count(field) != 1:
                continue
            at = start + context.source[start:end].index(field)
            split = at + 1 + whole.end()
            rest = told["spec"][whole.end() :]
            percent = rest.strip() == "%" and whole[0][-1] in "fF"
            doubtful = percent or any(context.is_bound_anywhere(word) for word in re.findall(r"[^\W\d]\w*", rest))
            yield self.patch(
                context.replace_here((split, at + len(field), f"}}{rest}")),
                f"End the field behind `{whole[0]}`",
                f"`{rest.strip()}` is text, not a part of the format.",
                applicability=Applicability.UNSAFE if doubtful else Applicability.SAFE,
                why=DOUBT if doubtful else self.why,
                prior=0.8 if doubtful else 0.95,
            )
            if percent:
                yield self.patch(
                    context.replace_here((split - 1, at + len(field), "%}")),
                    f"Format it by `{whole[0][:-1]}%`",
                    "`%` as a format shows a share as so many of a hundred.",
                    applicability=Applicability.UNSAFE,
                    why=DOUBT,
                    prior=0.75,
                )
            return

    def _double_braces(self, context: RuleContext) -> Iterator[Patch]:
        """``'{"user": "{}"}'.format(name)``: braces of JSON, of CSS or of code beside fields."""
        for call in context.list_calls_at_failure():
            if not isinstance(call.func, ast.Attribute) or call.func.attr != "format":
                continue
            text, cell_id, source = call.func.value, context.cell_id, context.source
            if isinstance(text, ast.Name):
                made = context.find_last_assignment(text.id)
                named = [n for n in context.walk_notebook() if isinstance(n, ast.Name) and n.id == text.id]
                asked = [n for n in context.walk_notebook() if isinstance(n, ast.Attribute) and n.attr == "format"]
                formatted = sum(isinstance(n.value, ast.Name) and n.value.id == text.id for n in asked)
                if made is None or sum(isinstance(n.ctx, ast.Load) for n in named) != formatted:
                    return
                text, cell_id, source = made.node.value, made.cell_id, made.source
            if not isinstance(text, ast.Constant) or not isinstance(text.value, str):
                return
            start, end = src.find_span(source, text)
            new, wanted = (_double_around_fields(t, call) for t in (source[start:end], text.value))
            if not wanted or src.parse(new) is None or ast.literal_eval(new) != wanted:
                return
            yield self.patch(
                change_and_replay(context, {cell_id: [(start, end, new)]}),
                "Double the braces that are no fields",
                "`format` takes all that stands in single braces for a field; `{{` is a brace.",
                why="What stays in single braces are the fields that the call gives a value.",
                prior=0.95,
            )
            return


def _double_around_fields(text: str, call: ast.Call) -> str:
    """A text with all braces doubled but those of fields; empty where fields and what is given do not fit."""
    given = {k.arg or "" for k in call.keywords}
    if "{{" in text or "" in given or any(isinstance(a, ast.Starred) for a in call.args):
        return ""
    fields = [f for f in FIELD.finditer(text) if f[1] or call.args]
    numbered = {f[1] for f in fields if f[1].isdigit()}
    if {f[1] for f in fields if f[1]} - numbered != given or any(int(n) >= len(call.args) for n in numbered):
        return ""
    if not numbered and sum(not f[1] for f in fields) != len(call.args):
        return ""
    parts, at = [], 0
    for field in fields:
        parts += [text[at : field.start()].replace("{", "{{").replace("}", "}}"), field[0]]
        at = field.end()
    new = "".join([*parts, text[at:].replace("{", "{{").replace("}", "}}")])
    slips = "|".join([r"\d+", *filter(None, given)])
    return "" if re.search(rf"\{{\{{(?:{slips})?[\[.!:]", new) else new  # `{0[total price]}` lacks a key
