"""TYP260: a set's operator beside a list."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch

_ITEMS = "list|tuple|range|generator|map|filter|dict_values|deque"
MESSAGE = re.compile(
    rf"for ([-&|^])=?: '(?:(?:set|frozenset|dict_keys)' and '({_ITEMS})|({_ITEMS})' and '(?:set|frozenset|dict_keys))'"
)
OPERATORS = {"-": ast.Sub, "&": ast.BitAnd, "|": ast.BitOr, "^": ast.BitXor}


class SetAndItems(Rule):
    """Make a set of what stands beside one.

    **Failure** `TypeError: unsupported operand type(s) for -: 'set' and 'list'` at `set(names) - absent`; the same of `&`, `|`, `^`, and of a tuple or a generator.

    **Fix** `set(names) - set(absent)`.

    **Fix safety** Safe: the operators of a set take sets, and its methods of the same meaning (`difference`) take these very items. Unsafe for `list - set`,
    whose order and repeated items may be meant to stay, and for `list & set` where an item stands in the list twice. Silent for texts and dictionaries, of which one member or the keys may be meant.
    """

    code = "TYP260"
    name = "set beside a list"
    enames = frozenset({"TypeError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "The set's method of the same meaning takes these very items."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = MESSAGE.search(context.failure.evalue)
        if match is None:
            return
        nodes: list[ast.BinOp | ast.AugAssign] = [
            *context.list_failing_nodes(ast.BinOp),
            *context.list_failing_nodes(ast.AugAssign),
        ]
        for node in nodes:
            if not isinstance(node.op, OPERATORS[match[1]]):
                continue
            is_left = match[3] is not None
            if isinstance(node, ast.AugAssign):
                if is_left:
                    continue
                items = node.value
            else:
                items = node.left if is_left else node.right
            text = context.text(items)
            inner = text[1:-1] if isinstance(items, ast.GeneratorExp) and text.startswith("(") else text
            is_plain = context.read_plain_chain(items) is not None
            repeats = is_plain and not context.is_true(f"len(set({text})) == len({text})")
            keeps_order = is_left and (match[1] == "-" or (match[1] == "&" and repeats))
            yield self.patch(
                context.replace_here((*context.span(items), f"set({inner})")),
                f"Use `set({inner})`",
                f"`{match[1]}` of a set takes another set, not a `{match[2] or match[3]}`.",
                applicability=Applicability.UNSAFE if keeps_order else Applicability.SAFE,
                why="The order, and what stands there twice, may be meant to stay." if keeps_order else self.why,
                prior=0.6 if keeps_order else 0.92,
            )
            return
