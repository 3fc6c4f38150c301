"""TYP216: texts of numbers that are summed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.decimal_commas import GROUPS, POINTS
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch

STATISTICS = frozenset(
    {"mean", "fmean", "median", "stdev", "pstdev", "variance", "pvariance", "harmonic_mean", "geometric_mean"}
)


MIXED = "Numbers and texts stand side by side, and the data may be what is to be put right."
WHOLE = "The texts hold whole numbers, which may be meant as decimal ones: the result is then written in another form."


class SumOfTexts(Rule):
    """Read the numbers from the texts that are summed.

    **Failure** `TypeError: unsupported operand type(s) for +: 'int' and 'str'` at `sum(codes)` or `sum(row['score'] for row in rows)`, where every
    item is a text that holds a number, as `re.findall`, `split` and `csv` give them; `can't convert type 'str' to numerator/denominator` at
    `statistics.mean(codes)` and the like.

    **Fix** `sum(map(int, codes))`, `sum(float(row['score']) for row in rows)`, `statistics.mean(map(int, codes))`; of lists of numbers `sum(marks, [])`, which joins them, and `sum(map(sum, marks))`. Offered where numbers stand beside texts of them, also to sort by them: `key=lambda pair: int(pair[1])`.

    **Fix safety** Safe: a sum and a mean are ones of numbers, and every item holds one. Unsafe for the `statistics` of whole numbers: read as
    `float`, they would print `4.0` for `4`; for lists, which may be joined or added up; and for `1.200` beside `950`, where points may part thousands.
    """

    code = "TYP216"
    name = "sum of texts"
    enames = frozenset({"TypeError"})
    message = re.compile(
        r"unsupported operand type\(s\) for \+: '(?:int|float)' and '(?:str|list)'|can't convert type 'str' to numerator/denominator|"
        r"unsupported operand type\(s\) for /: 'str' and 'int'|must be real number, not str|"
        r"not supported between instances of '(?:str|int|float)' and '(?:str|int|float)'|not compatible with add\.reduce"
    )
    applicability = Applicability.SAFE
    why = "A sum or a mean is one of numbers, and every item is a text that holds one."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if "not supported" in context.failure.evalue:
            yield from self._order_numbers(context)
            return
        for call in context.list_calls_at_failure():
            if len(call.args) != 1 or not _is_reckoned(context, call):
                continue
            given = call.args[0]
            if "'list'" in context.failure.evalue:
                yield from self._sum_lists(context, call, given)
                return
            kind = find_number_kind(context, context.text(given))
            mixed = "" if kind else _find_mixed_kind(context, context.text(given))
            if not kind and not mixed:
                return
            kind, form = kind or mixed, MIXED if mixed else ""
            form = form or (WHOLE if kind == "int" and read_last_name(call.func) in STATISTICS else "")
            form = form or (GROUPS if kind == "float" and _may_be_groups(context, context.text(given)) else "")
            change: Splice
            if isinstance(given, ast.GeneratorExp | ast.ListComp):
                change = (*context.span(given.elt), f"{kind}({context.text(given.elt)})")
            else:
                items = f"map({kind}, {context.text(given)})"
                change = (*context.span(given), f"list({items})" if "reduce" in context.failure.evalue else items)
            yield self.patch(
                context.replace_here(change),
                f"Convert the texts to numbers with `{kind}`",
                f"{'Some of what' if mixed else 'What'} it is given are texts that hold numbers.",
                applicability=Applicability.UNSAFE if form else Applicability.SAFE,
                why=form or self.why,
                prior=0.93,
            )
            return

    def _order_numbers(self, context: RuleContext) -> Iterator[Patch]:
        """``sorted(scores.items(), key=lambda pair: pair[1])`` of numbers, some of which are texts."""
        for call in context.list_calls_at_failure():
            name, keys = read_last_name(call.func), [k.value for k in call.keywords if k.arg == "key"]
            of_method = isinstance(call.func, ast.Attribute) and name == "sort"
            if not of_method and not (name in ("sorted", "min", "max") and len(call.args) == 1):
                continue
            items = context.text(
                call.func.value if isinstance(call.func, ast.Attribute) and of_method else call.args[0]
            )
            match keys:
                case []:
                    kind = _find_mixed_kind(context, items)
                    end = context.span(call)[1] - 1
                    change: Splice = (end, end, f"{'' if of_method else ', '}key={kind}")
                case [ast.Lambda(ast.arguments(args=[ast.arg(item)]), body)]:
                    kind = _find_mixed_kind(context, f"[{context.text(body)} for {item} in {items}]")
                    change = (*context.span(body), f"{kind}({context.text(body)})")
                case [ast.Attribute() as key]:
                    kind = _find_mixed_kind(context, f"[{context.text(key)}(_) for _ in {items}]")
                    change = (*context.span(key), f"lambda k: {kind}({context.text(key)}(k))")
                case _:
                    return
            if not kind:
                return
            yield self.patch(
                context.replace_here(change),
                f"Compare them as numbers, by `{change[2].removeprefix(', ')}`",
                "Some of what is compared are texts that hold numbers.",
                applicability=Applicability.UNSAFE,
                why=MIXED,
                prior=0.85,
            )
            return

    def _sum_lists(self, context: RuleContext, call: ast.Call, given: ast.expr) -> Iterator[Patch]:
        """``sum(marks)`` of lists: all their items in one list, or the sum of all."""
        text = context.text(given)
        if not context.is_true(f"all(isinstance(i, list) for i in {text})"):
            return
        summed = f"map(sum, {text})" if isinstance(given, ast.Name | ast.Attribute | ast.Subscript | ast.Call) else ""
        numbers = context.is_true(f"all(isinstance(n, (int, float)) for i in {text} for n in i)")
        start, end = context.span(given)
        joined = f"({text}, [])" if end == context.span(call)[1] else f"{text}, []"  # `sum(marks[n] for n in ns)`
        for new, title in ((joined, "Join the lists"), (summed if numbers else "", "Add up the lists' sums")):
            if new:
                yield self.patch(
                    context.replace_here((start, end, new)),
                    title,
                    f"`{context.text(call)}` begins with 0, to which no list can be added.",
                    applicability=Applicability.UNSAFE,
                    why="All items in one list may be meant, or their sum.",
                    prior=0.7,
                )


def _may_be_groups(context: RuleContext, items: str) -> bool:
    """True for ``1.200`` beside ``950``: points may part thousands."""
    return context.is_true(
        f"(lambda items: all(__import__('re').fullmatch({POINTS!r}, i) for i in items) and len({{'.' in i for i in items}}) == 2)([*{items}])"
    )


def _find_mixed_kind(context: RuleContext, items: str) -> str:
    """``int`` or ``float``, as which every item can be read, where numbers stand beside texts of them; else empty."""
    number = "type(i) in (int, float) or isinstance(i, str) and __import__('re').fullmatch({0!r}, i.strip())"
    for kind, form in (("int", r"[-+]?\d+"), ("float", r"[-+]?(\d+\.?\d*|\.\d+)")):
        whole = "not isinstance(i, float) and " if kind == "int" else ""
        tests = f"all({whole}({number.format(form)}) for i in items) and len({{type(i) is str for i in items}}) == 2"
        if context.is_true(f"(lambda items: {tests})([*{items}])"):
            return kind
    return ""


def _is_reckoned(context: RuleContext, call: ast.Call) -> bool:
    """True for `sum`, and for the functions of `statistics` that give a number of numbers."""
    if isinstance(call.func, ast.Name) and call.func.id == "sum":
        return True
    if "add.reduce" in context.failure.evalue:
        return read_last_name(call.func) in ("mean", "sum", "average")
    if read_last_name(call.func) not in STATISTICS:
        return False
    return (context.describe_all([call.func])[0].path or "").startswith("statistics.")


def find_number_kind(context: RuleContext, items: str) -> str:
    """``int`` or ``float``, as which every item can be read; empty where one cannot, or they are gone when they were gone through."""
    whole = f"(lambda items: bool(items) and all(isinstance(i, str) and i.strip().lstrip('+-').isdigit() for i in items))([*{items}])"
    if context.is_true(whole):
        return "int"
    number = r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?"
    decimal = f"(lambda items: bool(items) and all(isinstance(i, str) and __import__('re').fullmatch({number!r}, i.strip()) for i in items))([*{items}])"
    return "float" if context.is_true(decimal) else ""
