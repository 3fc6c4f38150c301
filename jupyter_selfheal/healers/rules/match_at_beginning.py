"""NON104: a pattern that is looked for at the beginning only."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Patch


class MatchAtBeginning(Rule):
    """Look for a pattern anywhere in the text.

    **Failure** `AttributeError: 'NoneType' object has no attribute 'group'` after `re.match(pattern, text)` or `pattern.match(text)`, where the
    pattern does occur in the text, only not at its beginning; `'list' object has no attribute 'group'` at `re.findall(pattern, text).group()`.

    **Fix** `re.search(pattern, text)`, `pattern.search(text)`.

    **Fix safety** Unsafe: a text that does not begin so may be the exception that the code should deal with.
    """

    code = "NON104"
    name = "match at the beginning only"
    enames = frozenset({"AttributeError", "TypeError"})
    why = "The pattern occurs in the text, but a text that does not begin with it may be an exception."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if "'list' object has no attribute 'group" in context.failure.evalue:
            yield from self._search_once(context)
        if not context.is_about_none:
            return
        for cell_id, source, call in _list_matches(context):
            callee, given = call.func, ", ".join(src.extract_text(source, a) for a in call.args)
            assert isinstance(callee, ast.Attribute)
            owner = src.extract_text(source, callee.value)
            if not context.is_true(f"{owner}.match({given}) is None and {owner}.search({given})"):
                continue
            end = src.find_span(source, callee)[1]
            yield self.patch(
                context.replace(cell_id, [(end - len("match"), end, "search")]),
                f"Use `{owner}.search`",
                f"`{owner}.match` looks at the beginning of the text only; the pattern comes up later in it.",
                prior=0.75,
            )
            return

    def _search_once(self, context: RuleContext) -> Iterator[Patch]:
        """``re.findall(pattern, text).group(1)``: a list of texts, where one match is asked for its groups."""
        for node in context.list_failing_nodes(ast.Attribute):
            made = (context.cell_id, context.source, node.value)
            if isinstance(node.value, ast.Name):
                name, home = node.value.id, context.find_last_assignment(node.value.id)
                reads = [n for n in context.walk_notebook() if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)]  # fmt: skip
                asked = [n for n in context.walk_notebook() if isinstance(n, ast.Attribute) and n.attr.startswith("group") and isinstance(n.value, ast.Name) and n.value.id == name]  # fmt: skip
                if home is None or len(asked) < len(reads):
                    return
                made = (home.cell_id, home.source, home.node.value)
            cell_id, source, call = made
            if isinstance(call, ast.Call) and read_last_name(call.func) == "findall":
                end = src.find_span(source, call.func)[1]
                yield self.patch(
                    context.replace(cell_id, [(end - len("findall"), end, "search")]),
                    "Use `search`, which gives a match",
                    "`findall` gives a list of texts, and only a match has groups.",
                    why="The first match may be meant, or all of them, one by one.",
                    prior=0.75,
                )
            return


def _list_matches(context: RuleContext) -> Iterator[tuple[str, str, ast.Call]]:
    """Calls of ``match`` of ``re`` or of a pattern at the failure, and those that gave the names their value that are None there."""
    for call in context.list_calls_at_failure():
        for node in ast.walk(call):
            if _is_match(node, context):
                yield context.cell_id, context.source, node
    for name in context.list_names_of_none():
        made = context.find_last_assignment(name)
        if made is not None and _is_match(made.node.value, context):
            yield made.cell_id, made.source, made.node.value


def _is_match(node: ast.AST, context: RuleContext) -> TypeGuard[ast.Call]:
    if not (
        isinstance(node, ast.Call) and read_last_name(node.func) == "match" and isinstance(node.func, ast.Attribute)
    ):
        return False
    owner = node.func.value
    if isinstance(owner, ast.Name) and owner.id in ("re", "regex"):
        return len(node.args) >= 2
    thing = context.describe(owner) if len(node.args) == 1 and context.read_plain_chain(owner) else None
    return thing is not None and thing.type == "Pattern"
