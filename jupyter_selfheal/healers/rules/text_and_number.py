"""TYP102: a text and a number in one sum."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.given_arguments import (
    find_given_argument,
    find_given_text,
    is_asked_as_text,
    is_given_as,
    is_kept_as_given,
)
from jupyter_selfheal.healers.rules.context.sums_of_texts import (
    find_chain,
    list_factors,
    list_operands,
    list_sides,
    wrap_alike,
    wrap_operands,
)
from jupyter_selfheal.healers.rules.context.value_types import NUMBERS, find_type, read_number_in
from jupyter_selfheal.model import Applicability, Patch

ABOUT = re.compile(
    r"can only concatenate str \(not \"(\w+(?:\.\w+)?)\"\) to str|unsupported operand type\(s\) for \S+ '(\w+)' and '(\w+)'|"
    r"must be str, not (\w+)|not supported between instances of '(\w+)' and '(\w+)'"
)

HOLLOW = frozenset(
    {
        "NoneType",
        "builtin_function_or_method",
        "method",
        "function",
        "type",
        "module",
        "generator",
        "map",
        "filter",
        "zip",
        "bytes",
        "coroutine",
        "PosixPath",
        "WindowsPath",
    }
)
"""What is a fault in itself when it meets a text, or has a sharper rule: its own name or form would be printed."""
DATES, SPANS = frozenset({"datetime", "date", "Timestamp"}), frozenset({"timedelta", "Timedelta"})
"""What a span of time is added to, and such spans."""
FORMATTED = "What is added may belong to what is formatted."
COUNTED_FROM = re.compile(
    r"[A-Za-z]|\d{1,4}([-/.])\d{1,2}\1\d{1,4}(?:[ T].*)?|\d{1,2}:\d\d(?::\d\d)?|\w*[A-Za-z]\d+|"
    r"(?i:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|"
    r"(?i:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|(?:nov|dec)(?:ember)?)"
)
"""A letter, a date, a time of day, a name with a number behind it, a day of the week or a month."""
AMOUNT = re.compile(r"[\d.,\s%$€£+-]*\d[\d.,\s%$€£+-]*")
"""A text that holds an amount, in one notation or another: what is added to it may be meant as a number."""


class TextAndNumber(Rule):
    """Turn the number into text where texts are joined, the text into a number where it is reckoned with.

    **Failure** `TypeError: can only concatenate str (not "int") to str`, `unsupported operand type(s) for +: 'int' and 'str'`,
    `'<' not supported between instances of 'str' and 'int'`.

    **Fix** `"Sum: " + total` becomes `"Sum: " + str(total)` (all numbers of the chain at once). Where the text holds a number
    (a value typed in or read) and the operation is one of numbers, `int(…)` or `float(…)` as the text demands, at the operation.
    `len(word) > longest` of two words becomes `len(word) > len(longest)` (offered).

    **Fix safety** Safe where one side is a literal text or is seen to hold no number: joining is the only thing it can mean. Unsafe
    where a text that holds a number or an amount, is empty, or cannot be seen meets a number, for `"1" + 1` may mean either; and
    where two numbers follow each other: `"Next: " + age + 1` may mean 421 or 43, and both are offered; a date and the span after it are added first. Silent on what is a fault in itself: None, a function that was not called.
    """

    code = "TYP102"
    name = "text and number in one expression"
    enames = frozenset({"TypeError"})
    applicability = Applicability.SAFE
    why = "A text that is no number can only be joined with texts."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if not ABOUT.search(context.failure.evalue) or "str" not in context.failure.evalue:
            return
        if any(_is_column(context, n) for n in context.list_failing_nodes(ast.BinOp, ast.Compare, ast.AugAssign)):
            yield from self._join_columns(context)
            return
        if HOLLOW & {t for patches in ABOUT.findall(context.failure.evalue) for t in patches}:
            return
        yield from self._compare_lengths(context)
        for failing in context.list_failing_nodes(ast.BinOp, ast.Compare, ast.AugAssign):
            patches = list(self._propose_for(context, failing))
            if patches:
                yield from patches
                return

    def _join_columns(self, context: RuleContext) -> Iterator[Patch]:
        """``df["a"] + df["b"].astype(str)``: the columns of whole numbers in a sum of texts."""
        for node in context.list_failing_nodes(ast.BinOp):
            top = find_chain(context, node)
            if not isinstance(top, ast.BinOp) or not isinstance(node.op, ast.Add):
                continue
            operands = list_operands(top)
            kinds = context.describe_all(operands, calls=True)
            whole = [
                o
                for o, k in zip(operands, kinds, strict=True)
                if k.is_a("pandas.Series", "pandas.Index") and k.dtype.lower().startswith(("int", "uint"))
            ]
            texts = [
                o
                for o, k in zip(operands, kinds, strict=True)
                if k.type == "str" or (k.is_a("pandas.Series") and _holds_words(context, o, k.dtype))
            ]
            if not whole or len(whole) + len(texts) != len(operands):
                return
            yield self.patch(
                context.replace_here(*((*context.span(o), f"{context.operand(o)}.astype(str)") for o in whole)),
                "Convert the numbers to texts with `.astype(str)`",
                "You can't add text and a number.",
                prior=0.9,
            )
            return

    def _compare_lengths(self, context: RuleContext) -> Iterator[Patch]:
        """``len(word) > longest`` of two words: the other one's length is meant."""
        for node in context.list_failing_nodes(ast.Compare):
            match [node.left, *node.comparators]:
                case [ast.Call(ast.Name("len")), other] | [other, ast.Call(ast.Name("len"))] if (
                    find_type(context, other) == "str"
                ):
                    if read_number_in(context, other):
                        return
                    new = f"len({context.text(other)})"
                    yield self.patch(
                        context.replace_here((*context.span(other), new)),
                        f"Compare with `{new}`",
                        f"A length is a number, and `{context.text(other)}` is a text.",
                        applicability=Applicability.UNSAFE,
                        why="The texts themselves may be compared.",
                        prior=0.85,
                    )
                    return

    def _propose_for(self, context: RuleContext, node: ast.AST) -> Iterator[Patch]:
        sides = list_sides(node)
        if len(sides) != 2:
            return
        kinds = [find_type(context, s) for s in sides]
        numeric = [read_number_in(context, s) for s in sides]
        adds = isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Add)
        texts = [n for n in (0, 1) if kinds[n] == "str"]
        others = [n for n in (0, 1) if kinds[n] != "str"]
        if adds and (len(texts) == 1 or (not texts and "str" in context.failure.evalue)):
            label = [n for n in texts if not numeric[n]]
            if texts and not label:
                return (yield from self._as_numbers(context, node, texts[0], numeric, 0.6))
            yield from self._as_text(context, node, [sides[n] for n in texts])
        elif not adds and len(texts) == 1 and others and numeric[texts[0]]:
            yield from self._as_numbers(context, node, texts[0], numeric, 0.85)

    def _as_text(self, context: RuleContext, node: ast.AST, texts: list[ast.expr]) -> Iterator[Patch]:
        moved = _find_moved_date(context, node)
        if moved and (summed := _sum_numbers(context, node, moved)):
            yield self.patch(
                context.replace(context.cell_id, summed),
                "Add the span to the date, then convert it to text",
                "You can't add text and a date.",
                why="A span of time is added to a date; one after the other they say nothing.",
                prior=0.9,
            )
            return
        formatted = _find_formatted(node)
        if formatted is not None and find_type(context, formatted) in NUMBERS and find_chain(context, node) is node:
            start, end = context.span(formatted)[0], context.span(node)[1]
            yield self.patch(
                context.replace_here((start, start, "("), (end, end, ")")),
                f"Add before it is formatted: `({context.source[start:end]})`",
                "`%` comes before `+`, so that the number was to be added to the text.",
                why="What is formatted is a number, and so is what is added.",
                prior=0.9,
            )
            return
        changes = [*wrap_operands(context, node), *wrap_alike(context, node)]
        run = _find_numbers_in_a_row(context, node)
        doubt = FORMATTED if formatted is not None else _explain_doubt(context, texts, run)
        chain = find_chain(context, node)
        if isinstance(chain, ast.BinOp) and any(_is_column(context, n) for n in ast.walk(chain)):
            doubt = "`str` of a column is the column as it is shown."
        cause = "You can't add text and a number."
        summed = _sum_numbers(context, node, run) if run else None
        if summed:
            yield self.patch(
                context.replace(context.cell_id, summed),
                "Add the numbers, then convert the sum to text",
                cause,
                applicability=Applicability.UNSAFE,
                why=doubt,
                prior=0.6,
            )
        yield self.patch(
            context.replace(context.cell_id, changes),
            "Convert the number to text with `str(…)`",
            cause,
            applicability=Applicability.UNSAFE if doubt else Applicability.SAFE,
            why=doubt or self.why,
            prior=0.55 if run else 0.88,
        )

    def _as_numbers(
        self, context: RuleContext, node: ast.AST, which: int, numeric: list[str], prior: float
    ) -> Iterator[Patch]:
        side, function = list_sides(node)[which], numeric[which]
        name = side.id if isinstance(side, ast.Name) else ""
        home = context.find_last_assignment(name) if name else None
        cause = f"`{context.text(side)}` is text, not a number."
        operation = not (isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Add))
        kind = Applicability.SAFE if operation else Applicability.UNSAFE
        why = "The text holds a number, and the operation is one of numbers." if operation else (
            "Both joining and adding make sense here."
        )  # fmt: skip
        if home is not None and isinstance(home[2].value, ast.Call) and _is_input(home[2].value):
            at = src.find_span(home[1], home[2].value)
            text = f"{function}({home[1][at[0] : at[1]]})"
            yield self.patch(
                context.replace(home[0], [(*at, text)]), f"Convert `{name}` to a number", cause,
                applicability=kind, why=why, prior=prior,
            )  # fmt: skip
            return
        given = find_given_argument(context, name) if name else None
        written_elsewhere = find_given_text(context, name) if given is None else None
        if given is not None and is_asked_as_text(given.function, name):
            given = None
        written = given.value if given is not None else None
        if given is not None and is_given_as(written, context, name):
            at = src.find_span(context.source_of(given.cell_id), written)
            number = _write_plainly(written, function)
            yield self.patch(
                context.replace(given.cell_id, [(*at, number)]), f"Give `{given.function.name}` the number {number}",
                cause, applicability=kind, why=why, prior=prior,
            )  # fmt: skip
            return
        if given is not None and isinstance(written, ast.Name) and is_kept_as_given(given.function, name):
            number = f"{function}({written.id})"
            at = src.find_span(context.source_of(given.cell_id), written)
            yield self.patch(
                context.replace(given.cell_id, [(*at, number)]), f"Give `{given.function.name}` a number: `{number}`",
                cause, applicability=kind, why=why, prior=prior,
            )  # fmt: skip
            return
        if given is not None and sum(isinstance(n, ast.Name) and n.id == name for n in ast.walk(given.function)) > 1:
            kind, why = Applicability.UNSAFE, "The function reads it elsewhere, too, and may be given the wrong thing."
        if written_elsewhere is not None:
            number = _write_plainly(written_elsewhere, function)
            yield self.patch(
                context.replace(context.failure.cell_id, [(*src.find_span(context.failure.source, written_elsewhere), number)]),
                f"Give the number {number}", cause, applicability=kind, why=why, prior=prior,
            )  # fmt: skip
            return
        number = _write_plainly(side, function) or f"{function}({context.text(side)})"
        yield self.patch(
            context.replace(context.cell_id, [(*context.span(side), number)]),
            f"Convert `{context.text(side)}` to a number",
            cause,
            applicability=kind,
            why=why,
            prior=prior,
        )


def _write_plainly(node: ast.expr, function: str) -> str:
    """The number in a text that is written down, without ``007``; empty for anything else."""
    written = str(node.value).strip() if isinstance(node, ast.Constant) else ""
    return str(int(written)) if written and function == "int" else written


def _find_formatted(node: ast.AST) -> ast.expr | None:
    """What is formatted in ``"%d items" % n + 1``."""
    match node:
        case ast.BinOp(left=ast.BinOp(op=ast.Mod(), right=formatted), op=ast.Add()):
            return formatted
    return None


def _is_column(context: RuleContext, node: ast.AST) -> bool:
    return any(i.ndim > 0 for i in context.describe_all(list_sides(node), calls=True))


def _holds_words(context: RuleContext, node: ast.expr, dtype: str) -> bool:
    """True for a column of texts of which none is a number: they can only be joined."""
    is_text = dtype in ("object", "str", "string")
    return is_text and context.is_true(
        f"not ({context.text(node)}).astype(str).str.fullmatch(r'[-+.,\\d\\s%$€£]*').any()"
    )


def _explain_doubt(context: RuleContext, texts: list[ast.expr], run: list[ast.expr]) -> str:
    """Why joining may not be what is meant; empty where nothing else can be."""
    if run:
        return "Two numbers follow each other: their sum may be meant, or both of them one after the other."
    if any(_is_amount(context, side) for side in texts):
        return "The text is an amount, so that a sum may be meant."
    if any(_is_counted_from(context, side) for side in texts):
        return "The text is a date, a letter or the like, so that the next one may be meant."
    if not any(_is_label(context, side) for side in texts):
        return "The text is not known to hold no number, so that a sum may be meant."
    return ""


def _is_label(context: RuleContext, node: ast.expr) -> bool:
    """True for a text that is seen to be no number: a literal, a sum with one, or a variable that holds some words."""
    if isinstance(node, ast.JoinedStr):
        return True
    if isinstance(node, ast.BinOp):
        return any(_is_label(context, side) for side in (node.left, node.right))
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and bool(node.value) and not read_number_in(context, node)
    name = context.read_plain_chain(node)
    thing = context.describe(name) if name else None
    return thing is not None and thing.type == "str" and bool(thing.text.strip()) and not read_number_in(context, node)


def _is_amount(context: RuleContext, node: ast.expr) -> bool:
    """True for a variable whose text is an amount, as ``45%`` or ``3.53.5``."""
    thing = (
        context.describe(name)
        if (name := context.read_plain_chain(node)) and not isinstance(node, ast.Constant)
        else None
    )
    return thing is not None and AMOUNT.fullmatch(thing.text) is not None


def _is_counted_from(context: RuleContext, node: ast.expr) -> bool:
    """True for a variable that holds a date, a time of day, a letter or the like, from which people count on."""
    name = None if isinstance(node, ast.Constant) else context.read_plain_chain(node)
    thing = context.describe(name) if name else None
    return thing is not None and COUNTED_FROM.fullmatch(thing.text.strip()) is not None


def _find_numbers_in_a_row(context: RuleContext, node: ast.AST) -> list[ast.expr]:
    """The first operands of the chain that stand side by side and are numbers, or variables whose text is one; none where fewer
    than two do."""
    top = find_chain(context, node)
    run: list[ast.expr] = []
    for operand in list_operands(top) if isinstance(top, ast.BinOp) else []:
        if _counts_something(context, operand):
            run.append(operand)
        elif len(run) > 1:
            break
        else:
            run = []
    return run if len(run) > 1 else []


def _find_moved_date(context: RuleContext, node: ast.AST) -> list[ast.expr]:
    """A date of the chain and the spans of time that follow it; none where it stands alone."""
    top = find_chain(context, node)
    operands = list_operands(top) if isinstance(top, ast.BinOp) else []
    kinds = [thing.type for thing in context.describe_all(operands, calls=True)]
    for n, kind in enumerate(kinds):
        if kind in DATES:
            spans = next((m for m in range(n + 1, len(kinds)) if kinds[m] not in SPANS), len(kinds))
            return operands[n:spans] if spans - n > 1 else []
    return []


def _counts_something(context: RuleContext, operand: ast.expr) -> bool:
    if isinstance(operand, ast.Constant | ast.JoinedStr):
        return isinstance(operand, ast.Constant) and isinstance(operand.value, int | float)
    if len(factors := list_factors(operand)) > 1:  # `price * 2` of a text that holds a number
        return any(read_number_in(context, factor) for factor in factors)
    return find_type(context, operand) in NUMBERS or bool(read_number_in(context, operand))


def _sum_numbers(context: RuleContext, node: ast.AST, run: list[ast.expr]) -> list[Splice] | None:
    """``str(int(age) + 1)`` for the numbers in a row, and ``str()`` around the chain's others; None where brackets stand between."""
    start, end = context.span(run[0])[0], context.span(run[-1])[1]
    inside = [
        (*context.span(operand), f"{function}({context.text(operand)})")
        for operand in (part for o in run for part in list_factors(o))
        if find_type(context, operand) not in NUMBERS and (function := read_number_in(context, operand))
    ]
    text = src.splice(context.source[start:end], [(a - start, b - start, t) for a, b, t in inside])
    if not src.can_compile(f"({text}\n)"):
        return None
    others = [s for s in wrap_operands(context, node) if s[1] <= start or end <= s[0]]
    return [*others, (start, end, f"str({text})")]


def _is_input(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id == "input"
