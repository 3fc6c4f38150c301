"""PDA201: a file whose numbers have decimal commas, read as texts."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import append_argument
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.replay import change_and_replay
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"unsupported operand type\(s\) for (?!\+).*'str'|not supported between instances of .*'str'|can't multiply sequence|no numeric data to plot|"
    r"Cannot perform reduction '\w+' with string dtype|[Cc]ould not convert (?:string to float: '-?\d+,\d+'|.* to numeric)|doesn't define __round__"
)
NUMBER = r"\s*[-+]?\d+(?:,\d+)?\s*"
DECIMAL = r"\s*[-+]?\d+,(?:\d\d?|\d{4,})\s*"


class DecimalCommasRead(Rule):
    """Read a file with the comma before its decimals.

    **Failure** `TypeError: unsupported operand type(s) for -: 'str' and 'str'`, `Cannot perform reduction 'mean' with string dtype`, where a table was read by
    `pd.read_csv(name, sep=";")` and a column of it holds texts as `3,5`.

    **Fix** `decimal=","` in the call that reads the file; the cells run again.

    **Fix safety** Safe: the columns are apart by semicolons or tabs, each column of texts with a comma between digits holds nothing but such numbers, and one of its commas
    has another number of digits behind it than three. Silent elsewhere, and where another column was read with points before its decimals.
    """

    code = "PDA201"
    name = "decimal commas of a file"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError", "ValueError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "The columns are apart by another sign, and commas stand before decimals alone."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for cell_id in context.list_cells_upwards():
            source = context.source_of(cell_id)
            for statement in (s.node for s in src.list_statements(source)):
                match statement:
                    case ast.Assign([ast.Name(name)], ast.Call() as call) if _is_read_by_signs(call):
                        pass
                    case _:
                        continue
                if not _holds_decimals(context, name):
                    continue
                edits = change_and_replay(context, {cell_id: [append_argument(source, call, 'decimal=","')]})
                if edits:
                    yield self.patch(
                        edits,
                        'Read decimal commas: `decimal=","`',
                        f"The numbers of `{name}` have commas before their decimals, and were read as texts.",
                        prior=0.95,
                    )
                return


def _is_read_by_signs(call: ast.Call) -> bool:
    given = {k.arg: getattr(k.value, "value", None) for k in call.keywords}
    sign = given.get("sep", given.get("delimiter"))
    return (
        read_last_name(call.func) in ("read_csv", "read_table")
        and sign in (";", "\t")
        and not {"decimal", "thousands", None} & given.keys()
    )


def _holds_decimals(context: RuleContext, table: str) -> bool:
    """Whether a column of texts holds numbers with decimal commas, and none holds other texts with a comma between digits."""
    texts = "_.dropna().astype(str).str"
    numbers = f"{texts}.fullmatch({NUMBER!r}).all()"
    if context.is_true(f"({table}.select_dtypes('floating').fillna(0) % 1 != 0).any(axis=None)"):
        return False  # its points stand before decimals, too: these would become texts
    return context.is_true(
        f"(lambda told: len(told) > 0 and all({numbers} and {texts}.fullmatch({DECIMAL!r}).any() for _ in told))"
        f"([_ for name, _ in {table}.select_dtypes(exclude='number').items() if {texts}.contains(r'\\d,\\d').any()])"
    )
