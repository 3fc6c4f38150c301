"""API218: a function that gives one result fewer than it did."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"not enough values to unpack \(expected 3, got 2\)")
FIRST_GONE = {"cv2.findContours": "https://docs.opencv.org/4.x/d4/d73/tutorial_py_contours_begin.html"}
"""Functions that gave three results, the first of which is gone, and where that is said."""


STAYS = re.compile(r"cont|cnt|hier", re.I)
"""Names of the results that are left: where one of them comes first, the order was another one."""


class FewerResults(Rule):
    """Take the results that the function gives now.

    **Failure** `ValueError: not enough values to unpack (expected 3, got 2)` at `_, contours, hierarchy = cv2.findContours(…)`, which gave the picture
    too in OpenCV 3.

    **Fix** The first name goes: `contours, hierarchy = cv2.findContours(…)`.

    **Fix safety** Safe: the other two results are what they were, in the same order. Silent where the name that goes is read anywhere, or is the name of
    one of the results that are left.
    """

    code = "API218"
    name = "function that gives one result fewer"
    stage = Stage.CHANGELOG
    enames = frozenset({"ValueError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "The function's own manual shows the two results that are left."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_nodes_on_line(ast.Assign)[::-1]:
            match node:
                case ast.Assign(
                    targets=[ast.Tuple(elts=[ast.Name() as gone, second, _])],
                    value=ast.Call(func=ast.Attribute(value=module) as called),
                ) if not STAYS.search(gone.id):
                    live = context.describe_all([module])[0]
                    path = f"{live.name}.{called.attr}" if live.is_module else ""
                    if path not in FIRST_GONE or _is_read(context, gone.id):
                        return
                    yield self.patch(
                        context.replace_here((context.span(gone)[0], context.span(second)[0], "")),
                        f"Leave out `{gone.id}`",
                        f"`{path}` gives two results, not three.",
                        why=self.cite(FIRST_GONE[path]),
                        prior=0.95,
                    )
                    return


def _is_read(context: RuleContext, name: str) -> bool:
    """Whether any line reads the name, also within a function that binds it."""
    nodes = context.walk_notebook()
    return any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load) for n in nodes)
