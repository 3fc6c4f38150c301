"""API209: a text that is near to one of those that are taken."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.changed_value import is_renamed
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.remedies import find_options
from jupyter_selfheal.healers.rules.context.spelling import find_meant, find_nearest, is_plain_slip, normalize
from jupyter_selfheal.model import Applicability, Patch

PALETTES = ("deep", "muted", "pastel", "bright", "dark", "colorblind", "husl", "hls", "tab10", "Set1", "Set2", "Set3", "viridis", "rocket", "mako", "flare", "crest")  # fmt: skip
COLOURS = re.findall(
    r"[\w:]+",
    """aqua aquamarine beige black blue blueviolet brown burlywood cadetblue chocolate coral cornflowerblue crimson cyan darkblue darkcyan darkgray
darkgreen darkgrey darkmagenta darkorange darkred darkviolet deeppink deepskyblue dimgray dodgerblue firebrick forestgreen fuchsia gold goldenrod gray green grey
hotpink indianred indigo ivory khaki lavender lightblue lightcoral lightgray lightgreen lightgrey lightpink lightseagreen lightskyblue lightyellow lime limegreen
magenta maroon mediumseagreen midnightblue navy olive orange orangered orchid pink plum purple red royalblue salmon seagreen sienna silver skyblue slateblue slategray
springgreen steelblue tan teal thistle tomato turquoise violet wheat white yellow yellowgreen
tab:blue tab:orange tab:green tab:red tab:purple tab:brown tab:pink tab:gray tab:olive tab:cyan""",
)
KNOWN = (
    (
        re.compile(
            r"valid value for (?:\w*color|facecolors|edgecolors|c\b)|Invalid RGBA argument|^Invalid color \w\w|not a valid color value|"
            r"'(?:c|color)' (?:argument|kwarg) must be a (?:valid )?color"
        ),
        COLOURS,
    ),
    (re.compile(r"No axis named \w+ for object type"), ("columns", "index")),
    (re.compile(r"is not a valid palette name"), PALETTES),
    (
        re.compile(r"^data type '\w+' not understood"),
        ("int", "float", "str", "bool", "category", "datetime64[ns]", "string"),
    ),
)
SHORT = {"col": "columns", "cols": "columns", "row": "index", "line": "index", "lines": "index"}
"""Short words for an axis of a table, and other words for it."""
DTYPES = {
    "integer": "int",
    "text": "str",
    "datetime": "datetime64[ns]",
    "date": "datetime64[ns]",
}
"""Words for the type of a column that mean no other one: what is `numeric` or `decimal` may be whole, or exact."""
LETTERS, COLOUR_ASKED = (
    frozenset("BGRCMYKW"),
    re.compile(
        r"valid value for \w*color|'c' argument must be a color|'color' kwarg must be a color|argument must be a valid color|valid color value|Invalid color [A-Z]$|Invalid RGBA argument: '[A-Z]'"
    ),
)
"""Letters that stood for colours like small ones until Matplotlib 3.3 (API changes of 3.1 and 3.3), and how it asks for a colour."""
UNNAMED = re.compile(r"'color' (?:argument|kwarg) must be a (?:valid )?color")
"""What is said of a colour that is not named."""
LISTED = re.compile(r"(?i)valid|must be|one of|supported|expected|choose|allowed|option|understood|unknown|recogni")
WORD = re.compile(r"['\"`]([A-Za-z_][\w-]*(?: [\w-]+)*)['\"`]")


class NearValue(Rule):
    """Give the text that is meant, of those that the message lists.

    **Failure** `ValueError: scatterplot is not a valid plot kind. Valid plot kinds: ('line', 'scatter', …)`, `No axis named column for object
    type DataFrame`, `'mutd' is not a valid palette name`.

    **Fix** `kind="scatter"`, `axis="columns"`, `palette="muted"`, `astype("int")` for `astype("integer")`, `color="r"` for `color="R"`; `line="45"` for `line=45` and `method="Nelder-Mead"` for `nelder_mead`, where the function's documentation lists the text.
    Also where the message only repeats the text (`KeyError: 'averge'`), and the documentation lists what the keyword takes.

    **Fix safety** Safe where one of them alone is near by a slip, or is the beginning of what was given, or begins with it (four letters at
    least), for words that mean one type of a column alone (`text`, `date`), and for a `full` join, which is an outer one. Silent otherwise, and where a number in the text would be lost (`float23` is not `float`).
    """

    code = "API209"
    name = "text that is nearly taken"
    enames = frozenset({"ValueError", "KeyError", "TypeError", "InvalidParameterError", "NotImplementedError"})
    applicability = Applicability.SAFE
    why = "One of the texts that are taken is near to it, and no other is."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        evalue, named = context.failure.evalue, find_options(context.failure.evalue)
        known = next((words for about, words in KNOWN if about.search(evalue)), ())
        if not known and not named and not LISTED.search(evalue) and not COLOUR_ASKED.search(evalue):
            yield from self._look_up(context)
            return
        for call in context.list_calls_at_failure():
            if quoted := _quote_number(context, call):
                yield self.patch(
                    context.replace_here(quoted),
                    f"Write it as a text: `{quoted[2]}`",
                    f"`{context.text(call.func)}` takes the text {quoted[2]}, and a number was given.",
                    why="The function's own documentation lists it as a text.",
                    prior=0.93,
                )
                return
            if letters := _list_letters(call, evalue):
                yield self.patch(
                    context.replace_here(*((*context.span(n), context.text(n).lower()) for n in letters)),
                    "Write the letters of colours small",
                    "Matplotlib takes a colour's letter only as a small one since 3.3.",
                    prior=0.9,
                )
                return
            for given, asked in _list_texts(call):
                if asked not in evalue and not any(
                    k.value is given
                    and (k.arg == named.name if named else bool(UNNAMED.search(evalue)) and k.arg in ("c", "color"))
                    for k in call.keywords
                ):
                    continue
                words = (
                    list(named.texts)
                    if named and asked not in evalue
                    else [w for w in dict.fromkeys((*known, *WORD.findall(evalue))) if w != asked]
                )
                if "Merge type" in evalue:
                    words = re.findall(r"\w+", evalue.partition("Merge type:")[2])
                meant = find_meant(asked, words) if known or len(words) > 1 else ""
                if not words and not meant and len(asked) > 3:
                    meant = _find_documented(context, call, asked)
                if "not understood" in evalue:
                    meant = DTYPES.get(asked.lower(), "" if re.search(r"\d", asked) else meant)
                if "No axis named" in evalue:
                    meant = SHORT.get(asked.lower(), meant)
                if "Merge type" in evalue and asked in ("full", "full_outer"):
                    meant = "outer"
                if meant and not is_renamed(call, asked):
                    yield self._change(context, given, asked, meant, f"{asked!r} is not taken; {meant!r} is.")
                    return

    def _look_up(self, context: RuleContext) -> Iterator[Patch]:
        """A message that only repeats the text (`KeyError: 'averge'`, `method=liner`): what the documentation lists for this keyword is taken."""
        for call in context.list_calls_at_failure():
            for keyword in call.keywords:
                given = keyword.value
                if not isinstance(given, ast.Constant) or not isinstance(given.value, str) or len(given.value) < 4:
                    continue
                alone = context.failure.evalue == repr(given.value)
                if not alone and not re.search(
                    rf"\b{keyword.arg}={re.escape(given.value)}(?!\w)", context.failure.evalue
                ):
                    continue
                known = context.signature(call.func, calls=True)
                told = find_paragraph(known.documentation, keyword.arg or "") if known is not None else ""
                if alone:
                    told = " ".join(re.findall(r"\{[^{}]*\}", told.partition("\n")[0]))
                listed = set(WORD.findall(told))
                near = [w for w in find_nearest(given.value, listed) if is_plain_slip(given.value, w)]
                if given.value not in listed and len(near) == 1:
                    cause = f"`{keyword.arg}` does not take {given.value!r}; its documentation lists {near[0]!r}."
                    yield self._change(context, given, given.value, near[0], cause)
                    return

    def _change(self, context: RuleContext, given: ast.expr, asked: str, meant: str, cause: str) -> Patch:
        """The text that was meant in the place of the one that was given, between the same quotes."""
        mark = context.text(given)[-1]
        edit = context.replace_here((*context.span(given), f"{mark}{meant}{mark}"))
        return self.patch(edit, f"Change {asked!r} to {meant!r}", cause, prior=0.9)


def _list_texts(call: ast.Call) -> Iterator[tuple[ast.expr, str]]:
    """The texts that a call gives, also in a list, with where they stand."""
    for given in (*call.args, *(k.value for k in call.keywords)):
        for node in given.elts if isinstance(given, ast.List | ast.Tuple) else [given]:
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node, node.value


def _find_documented(context: RuleContext, call: ast.Call, given: str) -> str:
    """``Nelder-Mead`` for `nelder_mead`: the text that the function's documentation has in quotes, but for case and punctuation, or a slip."""
    known = context.signature(call.func, calls=True)
    listed = re.findall(r"['\"`]([A-Za-z][\w -]*)['\"`]", known.documentation) if known is not None else []
    alike = {w for w in listed if normalize(w) == normalize(given) and w != given}
    near = [w for w in find_nearest(given, [] if alike else listed) if is_plain_slip(given, w)]
    return alike.pop() if len(alike) == 1 else near[0] if len(near) == 1 else ""


def find_paragraph(documentation: str, parameter: str) -> str:
    """What a function's documentation says of one parameter: elsewhere in it, a text in quotes may be anything (``'params'`` of a search's results)."""
    name = rf"[ \t]*(?:\w+(?:,| or)[ ])*{parameter}\b(?:(?:,| or) \w+)*"
    told = re.search(
        rf"^(?P<margin>[ \t]*)(?={name} ?:){name} ?:.*(?:\n(?:[ \t]*$|(?P=margin)[ \t]+\S.*))*", documentation, re.M
    )
    return told[0] if told is not None else ""


def _quote_number(context: RuleContext, call: ast.Call) -> Splice | None:
    """``line=45`` as `"45"`, where the message names the number and the function's documentation lists the text."""
    for given in (*call.args, *(k.value for k in call.keywords)):
        if isinstance(given, ast.Constant) and type(given.value) is int:
            asked = re.search(rf"(?<![\w.]){given.value}(?![\w.])", context.failure.evalue)
            known = context.signature(call.func, calls=True) if asked else None
            if known is not None and re.search(rf"['\"`]{given.value}['\"`]", known.documentation):
                return (*context.span(given), f'"{given.value}"')
    return None


def _list_letters(call: ast.Call, evalue: str) -> list[ast.Constant]:
    """Where a capital letter is refused as a colour: all such letters of the argument that holds it, one text or a list of texts."""
    if not COLOUR_ASKED.search(evalue):
        return []
    named = [k.value for k in call.keywords if k.arg == "c" or "color" in (k.arg or "")]
    for given in named or call.args:
        items = given.elts if isinstance(given, ast.List | ast.Tuple) else [given]
        letters = [n for n in items if isinstance(n, ast.Constant) and isinstance(n.value, str) and n.value in LETTERS]
        names_none = "sequence of color" in evalue
        if names_none or any(re.search(rf"(?<![\w']){n.value!s}$|'{n.value!s}'", evalue) for n in letters):
            return letters
    return []
