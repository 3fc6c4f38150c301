"""TYP207: a text that holds a number, where a function or an operation takes a number."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.nodes import find_function, list_arguments, read_last_name
from jupyter_selfheal.healers.rules.context.value_types import DAY, find_type, read_number_in
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"type str doesn't define __round__ method|bad operand type for (?:abs\(\)|unary [-+]): 'str'|must be real number, not str|"
    r"'str' object cannot be interpreted as an integer|can't multiply sequence by non-int of type '(?:numpy\.)?float\d*'|"
    r"(?P<both>can't multiply sequence by non-int of type 'str'|unsupported operand type\(s\) for (?:-|//?|\*\* or pow\(\)): 'str' and 'str')|"
    r"(?P<setting>\w+) must be numeric or None, not a string|^window must be an integer|(?P<window>^passed window -?\d+ is not compatible)|^ufunc '\w+' not supported for the input types|"
    r"unsupported type for timedelta \w+ component: str|(?P<inside>'[<>]=?' not supported between instances of '(?:str' and 'int|int' and 'str)'|^ufunc '\w+' did not contain a loop with signature matching types .*StrDType)|"
    r"(?P<column>Invalid comparison between dtype=(?:u?int|float)\d+ and str)|(?P<named>\w+) must be [^;]*\bor a number, not (?P<given>-?\d[\d.]*)|(?P<subplot>Bbox\.from_bounds\(\))"
)
WHOLE = re.compile(r"interpreted as an integer")
COUNTING = frozenset(
    {"most_common", "head", "tail", "nlargest", "nsmallest", "sample", "rolling", "shift", "diff", "rotate", "zfill"}
)
"""Methods whose first argument is a number of items."""
PLAIN = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?", re.ASCII)
"""Numbers that can be written in Python as they are in a text; `007` and `nan` cannot."""

NO_AMOUNT = rf"{DAY}|0\d.*"
CLOCK = r"(?:1?\d|2[0-3])\.[0-5]\d"
TIMES = frozenset({"arrival", "begin", "close", "closing", "departure", "end", "finish", "from", "hour", "open", "opening", "start", "stop", "time", "to", "until"})  # fmt: skip
PARTS_OF_PATH = frozenset({"base", "dir", "directory", "file", "folder", "month", "name", "path", "root", "year"})
"""Words in names of what may be no number, though it can be read as one."""
RELEASES = frozenset({"release", "releases", "ver", "version", "versions"})


class NumberAsText(Rule):
    """Read the number from a text where a number is taken.

    **Failure** `TypeError: type str doesn't define __round__ method` at `round(price, 2)`, `'str' object cannot be interpreted as an integer`
    at `range(n)`, `'>=' not supported between instances of 'str' and 'int'` inside `counts.most_common("2")` or `np.fft.fft(wave, n="8")`, as inside `np.std(a, ddof="1")`, `bad operand type for abs(): 'str'`, `can't multiply sequence by non-int of type 'float'` at `price * 1.2`, `unsupported operand type(s) for -: 'str' and 'str'` at `row["end"] - row["start"]`, `alpha must be numeric or None, not a string` (in `scatter_kws={"alpha": "0.5"}` too), `window must be an integer 0 or greater` or `passed window 3 is not compatible with a datetimelike index` at `rolling(window="3")`, `table["n"] > "3"`, Matplotlib's `rotation="45"` and `add_subplot("211")`, where the text
    holds a number.

    **Fix** `float(price)` or `int(n)` at the place, as the text and the function demand; `float(price)` for a function's parameter in a product,
    as other calls may give it a fraction.

    **Fix safety** Safe: only a number makes sense there, and the text holds one. Silent where it holds none, where a whole number is needed
    and it has a fraction, and, of two texts, for days as `20240301` and codes or times as `007` and `08.30`. Unsafe for two texts whose names tell of times of day (`9.45`), or of a path that is divided, and for a difference of what may be releases (`3.10`, `3.9`) or sets of digits (`12345`, `24`).
    """

    code = "TYP207"
    name = "number as text"
    enames = frozenset({"TypeError", "ValueError", "UFuncTypeError", "_UFuncNoLoopError", "UFuncNoLoopError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "The text holds a number, and only a number makes sense here."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = MESSAGE.search(context.failure.evalue)
        if match and match["inside"] and context.list_failing_nodes(ast.Compare):
            return  # the comparison stands here: which side is meant otherwise is another question
        if match and match["column"]:
            yield from self._compare_column(context)
            return
        everywhere = _list_settings(context, match["setting"]) if match and match["setting"] else []
        for node in context.list_failing_nodes(ast.Call, ast.BinOp, ast.UnaryOp):
            places = everywhere or [n for n in _list_numbers(context, node, match) if find_type(context, n) == "str"]
            functions = [read_number_in(context, n) for n in places]
            if not places or not all(functions):
                continue
            if match and match["both"] and any(_is_no_amount(context, n) for n in places):
                return
            waits = (
                isinstance(node, ast.Call) and read_last_name(node.func) == "sleep"
            )  # says that it wants an integer, and takes both
            if WHOLE.search(context.failure.evalue) and "float" in functions and not waits:
                return
            if isinstance(node, ast.BinOp):
                functions = [
                    "float" if _is_parameter(context, n) else f for n, f in zip(places, functions, strict=True)
                ]
            changes = [(*context.span(n), _write_number(context, n, f)) for n, f in zip(places, functions, strict=True)]
            text = context.text(places[0])
            doubt = _describe_doubt(context, node, places) if match and match["both"] else ""
            if match and match["window"]:
                doubt = "Of rows with dates, a span without its unit (`3D`) may be meant."
            if match and match["both"] and "int" in functions:  # other rows of a file may have fractions
                splices = [(*context.span(n), _write_number(context, n, "float")) for n in places]
                yield self.patch(
                    context.replace(context.cell_id, splices),
                    f"Convert `{text}` to a number",
                    f"`{text}` is text, not a number.",
                    applicability=Applicability.UNSAFE,
                    why="Other rows may have fractions, or may be meant to have none.",
                )
            yield self.patch(
                context.replace(context.cell_id, changes),
                f"Convert `{text}` to a number",
                f"`{text}` is text, not a number.",
                applicability=Applicability.UNSAFE if doubt else Applicability.SAFE,
                why=doubt or self.why,
                prior=0.6 if doubt else 0.9,
            )
            return

    def _compare_column(self, context: RuleContext) -> Iterator[Patch]:
        """``table["n"] > "3"``, of a column of numbers."""
        for node in context.list_failing_nodes(ast.Compare):
            sides = [node.left, *node.comparators]
            places = [s for s in sides if isinstance(s, ast.Constant) and PLAIN.fullmatch(str(s.value))]
            if len(sides) == 2 and len(places) == 1 and isinstance(places[0].value, str):
                yield self.patch(
                    context.replace_here((*context.span(places[0]), places[0].value)),
                    f"Compare with the number `{places[0].value}`",
                    f"`{context.text(places[0])}` is text, and the column holds numbers.",
                    prior=0.92,
                )
                return


def _is_parameter(context: RuleContext, node: ast.expr) -> bool:
    """True where a function is given it, by other calls too: `int` would cut off what they give."""
    function = find_function(context.source, context.line)
    return function is not None and isinstance(node, ast.Name) and node.id in {a.arg for a in list_arguments(function)}


def _write_number(context: RuleContext, node: ast.expr, function: str) -> str:
    """The number that a written text holds; of any other text what reads it."""
    written = node.value.strip() if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
    return written if PLAIN.fullmatch(written) else f"{function}({context.text(node)})"


def _is_no_amount(context: RuleContext, node: ast.expr) -> bool:
    """Whether a text is a day, as `20240301`, of which another one is not subtracted as a number, or a code or a time, as `007` and `08.30`."""
    return context.is_true(f"__import__('re').fullmatch({NO_AMOUNT!r}, {context.text(node)})")


def _describe_doubt(context: RuleContext, node: ast.AST, places: list[ast.expr]) -> str:
    """Why two texts may be no numbers, though both can be read as such: times with a point between hours and minutes, parts of a path."""
    words = {w for n in places for w in re.findall(r"[a-z]+", context.text(n).lower())}
    is_clock = all(context.is_true(f"__import__('re').fullmatch({CLOCK!r}, {context.text(n)})") for n in places)
    if is_clock and words & TIMES:
        return "The texts may be times of day, with a point between hours and minutes."
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and words & PARTS_OF_PATH:
        return "The texts may be parts of a path."
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
        left, right = (context.text(n) for n in places)
        decimals = [f"str({t}).partition('.')[2]" for t in (left, right)]
        is_padded = f"len({decimals[0]}) != len({decimals[1]}) and '0' in ({decimals[0]}[-1:], {decimals[1]}[-1:])"
        if words & RELEASES or context.is_true(is_padded):
            return "The texts may be releases, of which 3.10 comes behind 3.9."
        rising = " and ".join(f"list({t}) == sorted(set({t}))" for t in (left, right))
        if context.is_true(f"len({left}) > 2 and set({right}) <= set({left}) and {rising}"):
            return "The texts may be sets of digits, of which some are to be left out."
    return ""


def _is_text(node: ast.expr, text: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == text


def _list_settings(context: RuleContext, name: str) -> list[ast.expr]:
    """The texts that hold a number and that the cell gives by that name to calls, or in a dictionary to a keyword of theirs (`scatter_kws={'alpha': '0.5'}`)."""
    given = [k for call in context.walk(ast.Call) for k in call.keywords]
    values = [k.value for k in given if k.arg == name]
    for table in (k.value for k in given if isinstance(k.value, ast.Dict)):
        values += [v for k, v in zip(table.keys, table.values, strict=True) if k is not None and _is_text(k, name)]
    return [
        v
        for v in values
        if isinstance(v, ast.Constant) and PLAIN.fullmatch(str(v.value).strip()) and isinstance(v.value, str)
    ]


def _list_only_text(context: RuleContext, call: ast.Call) -> list[ast.expr]:
    """The one text that NumPy or SciPy, which know no labels, are given: ``np.fft.fft(wave, n="8")``."""
    given = [*call.args, *(k.value for k in call.keywords)]
    texts = [n for n in given if find_type(context, n) == "str"]
    written: list[ast.expr] = [n for n in texts if isinstance(n, ast.Constant) and PLAIN.fullmatch(str(n.value))]
    is_numeric = len(texts) == 1 and context.describe_all([call.func])[0].path.startswith(("numpy.", "scipy."))
    return written if is_numeric else []


def _list_numbers(context: RuleContext, node: ast.AST, match: re.Match[str] | None) -> list[ast.expr]:
    """What must be a number of a call, a product or a sign; of a call the one argument where the message names it."""
    if isinstance(node, ast.UnaryOp):
        return [node.operand]
    if isinstance(node, ast.BinOp):
        ops = (ast.Mult, ast.Sub, ast.Div, ast.FloorDiv, ast.Pow) if match and match["both"] else ast.Mult
        return [node.left, node.right] if isinstance(node.op, ops) else []
    if not isinstance(node, ast.Call):
        return []
    if match and match["inside"]:  # of a method that counts: `counts.most_common("2")`
        if read_last_name(node.func) in COUNTING and isinstance(node.func, ast.Attribute):
            return node.args[:1]
        return _list_only_text(context, node)
    if match and match["window"]:  # `rolling("3")` of what has dates as its index
        return [k.value for k in node.keywords if k.arg == "window"] or node.args[:1]
    if match and match["named"]:
        named = [k.value for k in node.keywords if k.arg == match["named"]]
        return named or [k.value for k in node.keywords if _is_text(k.value, match["given"])]  # pandas' `rot`
    if match and match["subplot"]:
        return node.args if read_last_name(node.func) in ("subplot", "add_subplot") else []
    return [*node.args, *(k.value for k in node.keywords)]
