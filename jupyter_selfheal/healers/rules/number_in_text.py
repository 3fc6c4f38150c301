"""TYP104: a text that holds a number in another form."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.decimal_commas import CURRENCY, has_other_currency
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"invalid literal for int\(\) with base 10: '(.*)'|could not convert string to float: '(.*)'", re.DOTALL
)
DECIMAL = re.compile(r"(?:^|[\s;])-?(?:0,\d+|\d+,(?:\d{1,2}|\d{4,}))(?=$|[\s;])")
"""A number with a comma before its decimals: groups have three digits, and the first of them is not 0."""

ONE_GROUP = re.compile(r"\s*[-+]?[1-9]\d{0,2},\d{3}\s*")
"""A number that may be thousands or have three decimals."""
SHOWN = re.compile(r"(?<![\d,.])\d{1,3}(?:,\d{3}){2,}(?![\d,])|(?<![\d,.])\d{1,3}(?:,\d{3})+\.\d")
DIGITS_BEHIND_POINT = re.compile(r"\d\.\d*[1-9]")
MEASURED = re.compile(r"([+-]?\d+(?:\.\d+)?)(\s?[a-zA-Zµ°]+)")
"""A number and its unit: ``30s``, ``2.5 kg``."""
NUMBER = re.compile(r"[+-]?\d+\.\d+")
PART = r"\d{1,3}|\d{1,3}(?:,\d{3}){2,}|[\d,]+\.\d+"


class NumberInText(Rule):
    """Read a number from a text that writes it with a point, a thousands separator, a unit or a per cent sign.

    **Failure** `ValueError: invalid literal for int() with base 10: '46.0'`, `could not convert string to float: '1,234.50'`.

    **Fix** `int(float(text))`, or `float(text)` where digits would be lost; `text.replace(",", "")`; the sign of money goes; `"12%"` is read without its sign, `"30s"` without its unit; `int(text, 16)`.

    **Fix safety** Safe for `46.0` (a whole number) and `1,234` (groups of three digits). Unsafe where digits are lost
    (`int("4.7")` becomes 4; or of another text of the list), for `1,5`, which may be a decimal comma, for `1,250` where the notebook writes such a one (`0,975`) or, for `float`, where nothing shows that commas part thousands, for per cent, for units and for letters that are digits (but for `0x1f`). Silent for texts that hold no number, and for money where the notebook has that of two countries.
    """

    code = "TYP104"
    name = "number in another form"
    enames = frozenset({"ValueError"})
    applicability = Applicability.SAFE
    why = "The text holds exactly this number."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = MESSAGE.search(context.failure.evalue)
        if not match:
            return
        text = (match[1] if match[1] is not None else match[2]).strip()
        if has_other_currency(context, text):
            return
        for failing in context.list_failing_nodes(ast.Call):
            call = failing
            if not (
                isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in ("int", "float")
            ):
                continue
            if len(call.args) != 1 or call.keywords:
                return
            doubtful = "," in text and _has_decimal_commas(context)
            is_open = ONE_GROUP.fullmatch(text) is not None and not _shows_groups(context)
            loses = call.func.id == "int" and (
                _is_beside_digits(context, text) or _goes_through_digits(context, call.args[0])
            )
            if call.func.id == "int" and (base := _find_base(context, text, call.args[0])):
                yield self.patch(
                    context.replace_here((*context.span(call.args[0]), f"{context.text(call.args[0])}, {base}")),
                    f"Read it to the base of {base}",
                    f"{text!r} has digits that are letters.",
                    applicability=Applicability.SAFE
                    if text[:1] == "0" and text[1:2].isalpha()
                    else Applicability.UNSAFE,
                    why=self.why if text[:1] == "0" else "The letters may be no digits.",
                    prior=0.85,
                )
                return
            readings = list(_list_readings(text, call.func.id, context.operand(call.args[0]), loses=loses))
            for n, (wrapped, what, plain) in enumerate(readings):
                sure = plain and not doubtful and not (is_open and call.func.id == "float")
                yield self.patch(
                    context.replace(context.cell_id, [(*context.span(failing), wrapped)]),
                    f"Read {what}",
                    f"`{call.func.id}` can't read {text!r} as a number.",
                    applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                    why=self.why if sure else "The text can be read in another way, or digits are lost.",
                    prior=0.88 if sure else 0.5 - 0.05 * n,
                )
            return


def _find_base(context: RuleContext, text: str, read: ast.expr) -> int:
    """16 for `0x1f`, 2 for `0b101`; 16 too for `1f` among texts that all have such digits alone, and end otherwise; else 0."""
    if re.fullmatch(r"0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+", text):
        return {"x": 16, "b": 2, "o": 8}[text[1].lower()]
    if not re.fullmatch(r"(?=.*\d)[0-9a-fA-F]{2,}", text):
        return 0
    loops: list[ast.For | ast.comprehension] = [*context.list_nodes_on_line(ast.For)]
    loops += [g for n in context.list_nodes_on_line(ast.ListComp) for g in n.generators]
    name = context.text(read)
    for loop in loops:
        if context.text(loop.target) == name and isinstance(loop.iter, ast.Name):
            items = f"[str(_) for _ in {loop.iter.id}]"
            alike = f"all(__import__('re').fullmatch('[0-9a-fA-F]+', _) for _ in {items})"
            ends = f"len({{_[-1] for _ in {items}}}) > 1"
            return 16 if all(context.are_true([alike, ends])) else 0
    return 0


def _has_decimal_commas(context: RuleContext) -> bool:
    """Whether a text of the notebook, or of what the failing line goes through, can only be a number with a comma before its decimals."""
    parts = "item.strip().partition(',')"
    asked = f"item.count(',') == 1 and (len({parts}[2]) != 3 or {parts}[0] in ('0', '-0'))"
    return _is_any_text(context, DECIMAL, asked)


def _shows_groups(context: RuleContext) -> bool:
    """Whether a text of the notebook, or of what the failing line goes through, shows that commas part thousands: ``1,234,567``, ``1,234.5``, ``950``."""
    return _is_any_text(context, SHOWN, f"__import__('re').fullmatch({PART!r}, item.strip())")


def _is_beside_digits(context: RuleContext, text: str) -> bool:
    """Whether a statement of the notebook writes the text down with one that has digits behind its point."""
    for cell in (c for c in context.notebook.cells if c.kind == "code"):
        for stmt in context.tree_of(cell.id).body:
            texts = [n.value for n in ast.walk(stmt) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
            words = {word for t in texts for word in re.split(r"[\s,;|]+", t)}
            if text in words and any(NUMBER.fullmatch(w) and DIGITS_BEHIND_POINT.search(w) for w in words):
                return True
    return False


def _goes_through_digits(context: RuleContext, read: ast.expr) -> bool:
    """Whether what is read has digits behind its point in another round of a loop around it."""
    calls = [n.func for n in ast.walk(read) if isinstance(n, ast.Call)]
    if not all(isinstance(f, ast.Attribute) and hasattr(str, f.attr) for f in calls):
        return False  # a call that may change something
    loops = [
        *context.list_nodes_on_line(ast.For),
        *context.list_nodes_on_line(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
    ]
    rounds = [r for loop in loops for r in getattr(loop, "generators", [loop])]
    asked = f"__import__('re').search({DIGITS_BEHIND_POINT.pattern!r}, {context.text(read)})"
    return any(
        context.is_true(f"any({asked} for {context.text(loop.target)} in {context.text(loop.iter)})")
        for loop in rounds
        if isinstance(loop.iter, ast.Name)
    )


def _is_any_text(context: RuleContext, written: re.Pattern[str], asked: str) -> bool:
    """Whether a text that the notebook writes down has a form, or ``asked`` holds of a text (``item``) of what the failing line goes through."""
    texts = [n.value for n in context.walk_notebook() if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    if any(written.search(text) for text in texts):
        return True
    loops = [n.iter for n in context.list_nodes_on_line(ast.For)]
    loops += [
        g.iter for n in context.list_nodes_on_line(ast.ListComp, ast.GeneratorExp) for g in getattr(n, "generators", [])
    ]
    question = f"isinstance(item, str) and ({asked})"
    return any(
        context.is_true(f"any({question} for item in {context.text(i)})") for i in loops if isinstance(i, ast.Name)
    )


def _list_readings(text: str, function: str, expression: str, *, loses: bool) -> Iterator[tuple[str, str, bool]]:
    """(new call, what it reads, sure?); ``loses`` says that whole numbers of the texts beside it lose digits."""
    bare, cleaned = text, expression
    if any(c in bare for c in CURRENCY):
        sign = next(c for c in CURRENCY if c in bare)
        bare, cleaned = bare.replace(sign, "").strip(), f'{cleaned}.replace("{sign}", "")'
    if re.fullmatch(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?", bare):
        bare, cleaned = bare.replace(",", ""), f'{cleaned}.replace(",", "")'
    elif re.fullmatch(r"[+-]?\d{1,3}( \d{3})+(\.\d*)?", bare):
        bare, cleaned = bare.replace(" ", ""), f'{cleaned}.replace(" ", "")'
    elif re.fullmatch(r"[+-]?\d+,\d+", bare):
        yield f'{function}({cleaned}.replace(",", "."))' if function == "float" else f'int(float({cleaned}.replace(",", ".")))', "a decimal comma", False  # fmt: skip
        return
    elif bare.endswith("%"):
        yield f'{function}({cleaned}.rstrip("%"))', "the number of per cent", False
        return
    elif (
        measured := MEASURED.fullmatch(bare)
    ) and ".removesuffix(" not in expression:  # of several units none is that of the number
        number, unit = measured.groups()
        if function == "float" or number.lstrip("+-").isdigit():
            yield f'{function}({cleaned}.removesuffix("{unit}"))', f"the number of `{unit.strip()}`", False
        return
    try:
        number = float(bare)
    except ValueError:
        return
    if function == "int" and not re.fullmatch(r"[+-]?\d+", bare):
        sure = not loses and abs(number) < 1e15 and number == int(number)
        if not sure:
            yield f"float({cleaned})", "a number with its decimals", False
        yield f"int(float({cleaned}))", "a number with a decimal point", sure
    elif cleaned != expression:
        yield f"{function}({cleaned})", "a number with separators", True
