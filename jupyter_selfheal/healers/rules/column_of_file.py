"""KEY124: a column that a reader of files is told of, and that the file has under a near name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.near_key import list_meant_keys
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"Usecols do not match columns|Missing column provided to 'parse_dates'|^Index .+ invalid$|^'.+' is not in list$"
)
NAMING = frozenset({"usecols", "parse_dates", "index_col"})
READING = frozenset({"sep", "delimiter", "header", "skiprows", "encoding", "comment"})
"""Options that say where the names of the columns stand."""


class ColumnOfFile(Rule):
    """Name a column to a reader as the file does.

    **Failure** `ValueError: Usecols do not match columns, columns expected but not found: ['ages']`, `Missing column provided to 'parse_dates': 'Date'`,
    `Index Day invalid`, where the file's header has a near name.

    **Fix** `usecols=["name", "age"]`, `parse_dates=["date"]`.

    **Fix safety** Safe where one name of the header only is so near by a slip, or in another case. Unsafe where it is a plural, or two are near; silent where none is.
    """

    code = "KEY124"
    name = "misspelt column of a file"
    enames = frozenset({"ValueError"})
    message = MESSAGE
    why = "The column is near, but another may be meant."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            if not read_last_name(call.func).startswith("read_") or not call.args:
                continue
            kept = [context.text(k) for k in call.keywords if k.arg in READING]
            header = f"{context.text(call.func)}({', '.join([context.text(call.args[0]), *kept, 'nrows=0'])})"
            keys = context.keys(header, calls=True)
            if keys is None:
                return
            named = [n for k in call.keywords if k.arg in NAMING for n in ast.walk(k.value)]
            for node in named:
                if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or node.value in keys.columns:
                    continue
                quote = context.text(node)[-1]
                for word, slip in list_meant_keys(node.value, keys):
                    if any(isinstance(n, ast.Constant) and n.value == word for n in named):
                        continue  # both are asked for
                    yield self.patch(
                        context.replace_here((*context.span(node), f"{quote}{word}{quote}")),
                        f"Change `{node.value!r}` to `{word!r}`",
                        f"The file has no column {node.value!r}. Did you mean {word!r}?",
                        applicability=Applicability.SAFE if slip else Applicability.UNSAFE,
                        why="It is the only column that is near, by a slip." if slip else self.why,
                        prior=0.88 if slip else 0.6,
                    )
                return
            return
