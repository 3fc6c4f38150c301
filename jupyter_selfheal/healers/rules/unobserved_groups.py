"""PDA163: groups of a category that no row has, which pandas 3 leaves out."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import RAISED_OR_MISSED, Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice, append_argument
from jupyter_selfheal.healers.rules.context.nodes import read_last_name, read_plain_chain
from jupyter_selfheal.healers.rules.context.replay import mend_above
from jupyter_selfheal.healers.rules.context.text_questions import RELEASE
from jupyter_selfheal.healers.rules.context.written_before import find_older_use
from jupyter_selfheal.model import Applicability, Patch

UNSEEN = (
    "getattr(({0}), 'dtype', None) is not None and ({0}).dtype.name == 'category' and "
    "bool((set(({0}).cat.categories) - set(({0}).dropna())){1})"
)
"""Whether a column has categories that no row has; {1}: what is asked of them."""
LENGTHS = re.compile(r"length|shape|must (?:be|have) the same|broadcast", re.IGNORECASE)

COUNTED = frozenset({"sum", "count", "size", "nunique"})
"""What is 0 for no row."""


class UnobservedGroups(Rule):
    """Group by every category, also by those that no row has.

    **Failure** `KeyError: 'mid'` at `df.groupby("band")["y"].sum()["mid"]`, or an assert or a length that is not as expected, where `band` is categorical and
    no row is `mid`. Since pandas 3.0 such groups are left out.

    **Fix** `df.groupby("band", observed=False)`, in every such call that the failing cell's values come from. The cells that made them run again.

    **Fix safety** Safe: it was the default until pandas 3.0, and the column has categories that no row has (of a `KeyError`, the very one that is missing).
    Of a `KeyError` unsafe where the groups are not summed or counted, unless the notebook uses what was gone before pandas 3.0: a mean of no row is missing, and nothing would say so any more.
    Silent where every category has rows, where the call says what it wants, and for columns of another type.
    """

    code = "PDA163"
    name = "groups that no row is in"
    stage = Stage.LIBRARY
    enames = frozenset({"KeyError", "ValueError", "AssertionError", "IndexError"})
    kinds = RAISED_OR_MISSED
    applicability = Applicability.SAFE
    why = "Until pandas 3.0 this was the default (https://pandas.pydata.org/docs/whatsnew/v3.0.0.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        failure = context.failure
        if failure.ename == "ValueError" and not LENGTHS.search(failure.evalue):
            return
        asked = f" & {{{failure.evalue}}}" if failure.ename == "KeyError" and _is_literal(failure.evalue) else ""
        if failure.ename == "KeyError" and not asked:
            return

        def find(source: str, statement: ast.stmt) -> Iterator[tuple[Splice, str]]:
            for call in (n for n in ast.walk(statement) if isinstance(n, ast.Call)):
                column = next((c for c in _list_keys(source, call) if context.is_true(UNSEEN.format(c, asked))), "")
                if column:
                    yield append_argument(source, call, "observed=False"), column

        edits, shown = mend_above(context, find)
        if edits and (context.number(RELEASE) or 0) >= 3:
            cause = f"Since pandas 3.0, categories of `{shown}` that no row has make no group."
            hides = bool(asked) and not _are_counted(context) and not find_older_use(context, "pandas", "3.0")
            yield self.patch(
                edits,
                "Add `observed=False` to `groupby`",
                cause,
                applicability=Applicability.UNSAFE if hides else Applicability.SAFE,
                why="What is made of no row is missing, and nothing would say so." if hides else self.why,
                prior=0.6 if hides else 0.9,
            )


def _are_counted(context: RuleContext) -> bool:
    """Whether all that the notebook makes of groups is 0 where no row is in one."""
    above = {id(n.value): n for n in context.walk_notebook() if isinstance(n, ast.Attribute | ast.Subscript)}
    used = set[str]()
    for call in context.walk_notebook():
        if isinstance(call, ast.Call) and read_last_name(call.func) == "groupby":
            asked = above.get(id(call))
            if isinstance(asked, ast.Subscript):  # columns of the groups
                asked = above.get(id(asked))
            used.add(asked.attr if isinstance(asked, ast.Attribute) else "")
    return bool(used) and used <= COUNTED


def _list_keys(source: str, call: ast.Call) -> Iterator[str]:
    """The columns that a table is grouped by, as plain chains; none where the call says whether it wants what is not there."""
    if read_last_name(call.func) != "groupby" or not isinstance(call.func, ast.Attribute):
        return
    if any(k.arg in ("observed", None) for k in call.keywords):
        return
    by = call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "by"), None)
    table = read_plain_chain(call.func.value, source)
    for key in by.elts if isinstance(by, ast.List) else [by]:
        if isinstance(key, ast.Constant) and isinstance(key.value, str) and table:
            yield f"{table}[{key.value!r}]"
        elif key is not None and (column := read_plain_chain(key, source)):
            yield column


def _is_literal(text: str) -> bool:
    """Whether a message is nothing but a key: a text or a number."""
    try:
        return isinstance(ast.literal_eval(text), str | int | float)
    except (ValueError, SyntaxError):
        return False
