"""CAL126: the values of a dictionary given as the key by which its keys are ordered."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch

ORDERING = frozenset({"max", "min", "sorted", "nlargest", "nsmallest"})


class ValuesAsKey(Rule):
    """Order a dictionary's keys by what it holds for each.

    **Failure** `TypeError: 'dict_values' object is not callable` at `max(scores, key=scores.values())`, also `key=scores`,
    `key=scores.items()`, `key=scores.values` and the misspelt `key=scores.value`.

    **Fix** `max(scores, key=scores.get)`.

    **Fix safety** Safe: the keys of that very dictionary are ordered, and by its values, which are numbers, is all that can be meant. Unsafe for values of
    other kinds (lists, texts of digits), and for `key=scores.items()`, which may mean the pairs. Silent where other things are ordered, and where a loop takes pairs.
    """

    code = "CAL126"
    name = "values as a key"
    enames = frozenset({"TypeError", "AttributeError"})
    message = re.compile(
        r"'(?:dict|dict_values|dict_items|Counter|defaultdict|OrderedDict)' object is not callable"
        r"|(?:values|items)\(\) takes no arguments \(1 given\)|'\w+' object has no attribute '(?:value|item)'"
    )
    applicability = Applicability.SAFE
    why = "The keys of that very dictionary are ordered."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_nodes_on_line(ast.Call):
            key = next((k.value for k in call.keywords if k.arg == "key"), None)
            if read_last_name(call.func) not in ORDERING or key is None or not call.args:
                continue
            table = context.text(_find_table(key))
            given = context.text(call.args[-1]).removesuffix(".keys()")
            if given != table or _is_taken_apart(context, call) or not context.is_true(f"isinstance({table}, dict)"):
                return
            sure = _are_numbers(context, table) and ".item" not in context.text(key)
            yield self.patch(
                context.replace_here((*context.span(key), f"{table}.get")),
                f"Order by `{table}.get`",
                f"A key is a function of one item, and `{table}.get` gives what `{table}` holds for it.",
                applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                why=self.why if sure else "By a part of what it holds may be meant, or the pairs.",
                prior=0.95,
            )
            return


def _are_numbers(context: RuleContext, table: str) -> bool:
    """Whether what a dictionary holds can be ordered in one way only: of lists the sum may be meant, and of texts the numbers in them."""
    return context.is_true(f"all(hasattr(held, '__index__') or isinstance(held, float) for held in {table}.values())")


def _is_taken_apart(context: RuleContext, call: ast.Call) -> bool:
    """``for name, score in sorted(scores, …)``: then the pairs are meant, and not the keys."""
    loops = [(n.iter, n.target) for n in context.walk(ast.For)]
    loops += [(n.iter, n.target) for n in context.walk(ast.comprehension)]
    return any(gone is call and isinstance(target, ast.Tuple | ast.List) for gone, target in loops)


def _find_table(key: ast.expr) -> ast.expr:
    """``scores`` of ``scores.values()``, ``scores.items``, the misspelt ``scores.value`` and ``scores``."""
    match key:
        case ast.Call(func=ast.Attribute(value=table, attr="values" | "items" | "value" | "item")):
            return table
        case ast.Attribute(value=table, attr="values" | "items" | "value" | "item"):
            return table
    return key
