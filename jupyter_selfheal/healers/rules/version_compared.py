"""TYP203: a release's number compared with a text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import ObjectInfo, Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"not supported between instances of '(?:Version' and '(?:str|tuple|list)|str' and 'Version)'")
VERSIONS = ("packaging.Version",)
RELEASE = re.compile(r"v?\d+(\.\d+)*((a|b|rc|\.?dev|\.?post)\d*)?")


class VersionCompared(Rule):
    """Compare a release's number with a release's number.

    **Failure** `TypeError: '<' not supported between instances of 'Version' and 'str'` at `Version(x.__version__) < "0.18"`.
    `distutils.version.LooseVersion`, which took texts, went with Python 3.12.

    **Fix** The text becomes a version, too: `Version(x.__version__) < Version("0.18")`, in every such comparison of the cell.

    **Fix safety** Safe: the text is a release's number, and a comparison of versions can mean nothing else.
    """

    code = "TYP203"
    name = "version compared with a text"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "The text is a release's number, and is compared with one."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        pairs = [p for n in context.walk(ast.Compare) if len(n.ops) == 1
                 for p in ((n.left, n.comparators[0]), (n.comparators[0], n.left)) if _is_release(p[1])]  # fmt: skip
        lives = context.describe_all([version for version, _ in pairs], calls=True)
        splices = [
            splice
            for (version, text), live in zip(pairs, lives, strict=True)
            for splice in _wrap_text(context, version, text, live)
        ]
        if splices:
            yield self.patch(
                context.replace(context.cell_id, splices),
                f"Use `{splices[0][2]}`",
                "A version is compared with a text.",
                prior=0.9,
            )


def _is_release(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and RELEASE.fullmatch(node.value) is not None


def _wrap_text(context: RuleContext, version: ast.expr, text: ast.expr, live: ObjectInfo) -> list[Splice]:
    """The text in a call of what made the version: by its own name where that is written there, else by its type."""
    if not live.is_a(*VERSIONS):
        return []
    made = context.text(version.func) if isinstance(version, ast.Call) and _is_class(context, version.func) else ""
    maker = made or f"type({context.text(version)})"
    start, end = context.span(text)
    return [(start, end, f"{maker}({context.text(text)})")]


def _is_class(context: RuleContext, callee: ast.expr) -> bool:
    return context.describe_all([callee])[0].is_class
