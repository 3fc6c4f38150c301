"""TYP243: a letter that is reckoned with, where its code is meant."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"unsupported operand type\(s\) for [-+%]=?: '(?:str|int)' and '(?:str|int)'|can only concatenate str \(not \"int\"\)|"
    r"not all arguments converted during string formatting"
)


class CodeOfLetter(Rule):
    """Reckon with the letter's code.

    **Failure** `TypeError: unsupported operand type(s) for -: 'str' and 'int'` at `chr((letter - 97 + shift) % 26 + 97)`.

    **Fix** `chr((ord(letter) - 97 + shift) % 26 + 97)`.

    **Fix safety** Unsafe: the letter may be a digit that stands for a number. Silent outside of `chr(…)`, and for a text of several letters.
    """

    code = "TYP243"
    name = "code of a letter"
    enames = frozenset({"TypeError"})
    message = MESSAGE
    applicability = Applicability.UNSAFE
    why = "What `chr` is given is a letter's code; the letter may stand for a number all the same."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_nodes_on_line(ast.Call):
            if not isinstance(call, ast.Call) or read_last_name(call.func) != "chr" or len(call.args) != 1:
                continue
            sums = [n for n in ast.walk(call.args[0]) if isinstance(n, ast.BinOp)]
            parts = [p for n in sums for p in (n.left, n.right) if isinstance(p, ast.Name | ast.Subscript)]
            texts = dict.fromkeys(context.read_plain_chain(p) or "" for p in parts)
            letters = [t for t in texts if t and context.is_true(f"isinstance({t}, str) and len({t}) == 1")]
            changes = [(*context.span(p), f"ord({context.text(p)})") for p in parts if context.text(p) in letters]
            if changes:
                yield self.patch(
                    context.replace_here(*changes),
                    f"Reckon with `ord({letters[0]})`",
                    f"`{letters[0]}` is a letter, not its code.",
                    prior=0.8,
                )
                return
