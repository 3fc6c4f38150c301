"""MPL107: a list of an axes' artists that is assigned or emptied."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch

LISTS = frozenset({"lines", "patches", "texts", "collections", "images", "artists", "tables"})
MESSAGE = re.compile(r"has no setter|can't set attribute|'ArtistList' object (?:has no attribute|doesn't support)")


class ArtistsAssigned(Rule):
    """Take artists off their axes one by one.

    **Failure** `AttributeError: property 'lines' of 'Axes' object has no setter` at `ax.lines = []`; `'ArtistList' object has no attribute 'clear'`;
    `'ArtistList' object doesn't support item deletion` at `del ax.lines[0]`.

    **Fix** `for artist in list(ax.lines): artist.remove()`, and `ax.lines[0].remove()`.

    **Fix safety** Safe: since matplotlib 3.7 the lists are views, and this is what the release notes name. Silent where something else is assigned than an empty list.
    """

    code = "MPL107"
    name = "artists of axes assigned"
    stage = Stage.LIBRARY
    enames = frozenset({"AttributeError", "TypeError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "The release notes name `Artist.remove()` (https://matplotlib.org/stable/api/prev_api_changes/api_changes_3.5.0.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_nodes_on_line(ast.stmt):
            text = _write_removal(context, node)
            if not text:
                continue
            start, end = context.span(node)
            line = context.source[context.source.rfind("\n", 0, start) + 1 :].partition("\n")[0]
            if "\n" in text and line.partition("#")[0].strip() != context.source[start:end]:
                return  # what stands beside it would be in the loop
            text = text.replace("\n", "\n" + " " * node.col_offset)
            edits = context.replace_here((start, end, text))
            if edits:
                cause = "Since matplotlib 3.7, what axes show is taken off by the artist's own `remove`."
                yield self.patch(edits, "Call `remove` of the artists", cause, prior=0.93)
            return


def _write_removal(context: RuleContext, node: ast.stmt) -> str:
    """The statement anew, for ``ax.lines = []``, ``ax.lines.clear()``, ``del ax.lines[0]`` or ``del ax.lines[:]``; else empty."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target: ast.expr = node.targets[0]
        is_whole = isinstance(node.value, ast.List) and not node.value.elts
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        target, is_whole = node.value.func.value, node.value.func.attr == "clear"
    elif isinstance(node, ast.Delete) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Subscript):
        target, is_whole = node.targets[0].value, isinstance(node.targets[0].slice, ast.Slice)
        if not is_whole:
            return f"{context.text(node.targets[0])}.remove()" if _is_list_of_axes(context, target) else ""
        target, all_of_them = node.targets[0].value, context.text(node.targets[0])
        return _write_loop(context, all_of_them) if _is_list_of_axes(context, target) else ""
    else:
        return ""
    return _write_loop(context, context.text(target)) if is_whole and _is_list_of_axes(context, target) else ""


def _write_loop(context: RuleContext, artists: str) -> str:
    taken = {
        n for c in context.notebook.cells if c.kind == "code" for n in src.find_names(context.source_of(c.id)).binds
    }
    name = next(n for n in ("artist", "artist_", "one_artist", "artist_shown") if n not in taken or n == "artist_shown")
    return f"for {name} in list({artists}):\n    {name}.remove()"


def _is_list_of_axes(context: RuleContext, node: ast.expr) -> bool:
    if not isinstance(node, ast.Attribute) or node.attr not in LISTS:
        return False
    owner = context.describe_all([node.value])[0]
    return any("Axes" in path and path.startswith(("matplotlib.", "mpl_toolkits.")) for path in owner.mro)
