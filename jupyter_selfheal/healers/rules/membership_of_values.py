"""PDA174: values of a column that are asked for in a list all at once."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch


class MembershipOfValues(Rule):
    """Ask of each value whether it is in a list.

    **Failure** `ValueError: The truth value of a Series is ambiguous` at `homes[homes["town"] in ["Ulm", "Bonn"]]`.

    **Fix** `homes[homes["town"].isin(["Ulm", "Bonn"])]`; `~homes["town"].isin(…)` for `not in`.

    **Fix safety** Safe where it chooses rows of a table by a list, a tuple or a set: `in` asks once, and there as many answers are wanted as there are rows. Unsafe elsewhere; silent in
    the test of an `if`, which needs one answer.
    """

    code = "PDA174"
    name = "values in a list"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError"})
    message = re.compile(r"truth value of a.*ambiguous|[Ll]engths must match")
    applicability = Applicability.UNSAFE
    why = "One answer for all values may be meant."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        tests = [n.test for n in ast.walk(context.tree) if isinstance(n, ast.If | ast.While | ast.Assert | ast.IfExp)]
        keys = {part: n.value for n in context.walk(ast.Subscript) for part in ast.walk(n.slice)}
        for node in context.list_nodes_at_failure(ast.Compare):
            match node:
                case ast.Compare(left, [ast.In() | ast.NotIn() as sign], [whole]):
                    pass
                case _:
                    continue
            if any(node in ast.walk(test) for test in tests):
                return
            if not context.describe_all([left], calls=True)[0].is_a("pandas.Series", "pandas.Index"):
                continue
            if isinstance(left, ast.Attribute) and left.attr == "columns":
                return  # one answer for each column chooses no rows
            if not context.describe_all([whole], calls=True)[0].is_a("list", "tuple", "set", "dict", "pandas.Series", "numpy.ndarray", "pandas.Index"):  # fmt: skip
                continue
            owner = context.describe_all([keys[node]], calls=True)[0] if node in keys else None
            is_plain = context.describe_all([whole], calls=True)[0].is_a("list", "tuple", "set")
            chooses = is_plain and owner is not None and owner.is_a("pandas.DataFrame", "pandas.Series", "_LocIndexer")
            text = f"{'~' if isinstance(sign, ast.NotIn) else ''}{context.operand(left)}.isin({context.text(whole)})"
            yield self.patch(
                context.replace_here((*context.span(node), text)),
                f"Use `{text}`",
                "`in` asks once of the whole column, and not of each of its values.",
                applicability=Applicability.SAFE if chooses else Applicability.UNSAFE,
                why="It chooses rows, of each of which it is to be asked." if chooses else self.why,
                prior=0.93 if chooses else 0.8,
            )
            return
