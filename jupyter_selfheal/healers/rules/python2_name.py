"""NAM102: a builtin of Python 2, or a constant of another language."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice, add_import, rename_name
from jupyter_selfheal.model import Applicability, Patch

RENAMED = {
    "xrange": "range",
    "raw_input": "input",
    "unicode": "str",
    "unichr": "chr",
    "long": "int",
    "basestring": "str",
    "StandardError": "Exception",
    "buffer": "memoryview",
    "izip": "zip",
    "imap": "map",
    "ifilter": "filter",
    # constants as JSON, JavaScript, R, SQL and hasty fingers write them
    "true": "True",
    "false": "False",
    "TRUE": "True",
    "FALSE": "False",
    "none": "None",
    "null": "None",
    "NULL": "None",
    "nil": "None",
    "undefined": "None",
}
JSON_WORDS = ("true", "false", "null")
IMPORTED = {"reduce": "functools", "reload": "importlib", "intern": "sys"}


class Python2Name(Rule):
    """Write a Python 2 builtin, or another language's constant, as Python 3 has it.

    **Failure** `NameError` for `xrange`, `raw_input`, `unicode`, `long`, `reduce`, `execfile`, `file`, `cmp`, … or for `true`,
    `null`, `nil` and the like, bound by no cell.

    **Fix** The name of Python 3 in every use in the cell; `reduce` is imported from `functools`, `execfile(f)` becomes
    `exec(open(f).read())`, `cmp(a, b)` becomes `(a > b) - (a < b)`.

    **Fix safety** Safe: these are the successors that Python 3's own porting guide names (docs.python.org/3/whatsnew/3.0).
    """

    code = "NAM102"
    name = "Python 2 builtin or foreign constant"
    enames = frozenset({"NameError"})
    applicability = Applicability.SAFE
    why = "Python 3 has it under this name, with the same meaning."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        name = context.missing_name
        if not name or context.is_bound_anywhere(name) or name in context.state.names:
            return
        cell_id, source, _ = context.location
        changes, text = self._changes(source, name)
        if changes:
            yield self.patch(
                context.replace(cell_id, changes),
                f"Write {text} for `{name}`",
                f"`{name}` is not a name of Python 3.",
                prior=0.95,
            )

    def _changes(self, source: str, name: str) -> tuple[list[Splice], str]:
        if name in RENAMED:
            # a pasted JSON literal holds several of them
            words = JSON_WORDS if name in JSON_WORDS else (name,)
            changes = [c for word in words for c in rename_name(source, word, RENAMED[word])]
            return changes, f"`{RENAMED[name]}`"
        if name in IMPORTED:
            line = f"from {IMPORTED[name]} import {name}"
            return [add_import(source, line)], f"`{line}`"
        return _calls(source, name)


def _calls(source: str, name: str) -> tuple[list[Splice], str]:
    """Rewritten calls of ``execfile``, ``file``, ``cmp`` and ``apply``."""
    tree = src.parse(source)
    found: list[Splice] = []
    for node in ast.walk(tree) if tree else ():
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name):
            continue
        arguments = [src.text_of(source, a) for a in node.args]
        if name == "file":
            found.append((*src.span(source, node.func), "open"))
        elif name == "execfile" and len(arguments) == 1:
            found.append((*src.span(source, node), f"exec(open({arguments[0]}).read())"))
        elif name == "cmp" and len(arguments) == 2:
            a, b = arguments
            found.append((*src.span(source, node), f"(({a} > {b}) - ({a} < {b}))"))
        elif name == "apply" and len(arguments) == 2:
            found.append((*src.span(source, node), f"{arguments[0]}(*{arguments[1]})"))
    said = {
        "file": "`open`",
        "execfile": "`exec(open(...).read())`",
        "cmp": "`(a > b) - (a < b)`",
        "apply": "`f(*args)`",
    }
    return found, said.get(name, "")
