"""SYN103: a bracket that is missing, left over, or of the wrong kind."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Stage
from jupyter_selfheal.healers.rules.context.code_lines import (
    HASH_IN_FIELD,
    OPENERS,
    PAIRS,
    find_code_end,
    find_open_bracket,
    is_closed,
    mark_code,
    replace_line,
    split_lines,
)
from jupyter_selfheal.healers.rules.context.syntax import Mend, SyntaxRule, count_programs
from jupyter_selfheal.healers.syntax.fault import Fault, find_fault, reads_to

REACH = 30
"""Lines that an open bracket is followed down."""


NUMBERS = frozenset({"int", "float", "len", "sum", "abs", "round", "bool", "ord"})
"""Functions whose result is neither called nor indexed."""

TAKE_NO_LOOP = frozenset(
    {
        "int",
        "float",
        "str",
        "repr",
        "type",
        "bool",
        "len",
        "abs",
        "round",
        "ord",
        "chr",
        "range",
        "bin",
        "hex",
        "isinstance",
        "upper",
        "lower",
        "strip",
    }
)
"""Functions that cannot be given a generator, or say nothing of its items."""

TAKE_LOOPS = frozenset(
    {
        "sum",
        "min",
        "max",
        "any",
        "all",
        "list",
        "set",
        "tuple",
        "sorted",
        "dict",
        "join",
        "frozenset",
        "Counter",
        "extend",
        "array",
    }
)
"""Functions that mostly are given one where a loop stands in their brackets."""

CALLED_WITH_NOTHING = re.compile(
    r"(?:(?<![\w.])input|(?P<owner>[\w\])\"']+)\.(?P<method>lower|upper|strip|split|isdigit|isalpha|keys|values|items|copy|sort))"
    r"(?=[ \t]*\))"
)
"""What is called with nothing in its brackets: ``input)``."""

TAKE_VALUES = frozenset(
    {
        *NUMBERS,
        "print",
        "str",
        "list",
        "set",
        "tuple",
        "sorted",
        "range",
        "input",
        "min",
        "max",
        "append",
        "add",
        "extend",
        "join",
        "write",
    }
)
"""Calls that are given values, and no functions but by name."""

TAKE_FIRST = frozenset({"agg", "apply", "applymap", "callable", "filter", "iter", "map", "pipe", "reduce", "transform"})
"""Calls that are given a function."""

METHODS = frozenset({"get", "lower", "upper", "count", "__getitem__"})
"""Attributes that are methods wherever they are: nobody keeps one of a result without calling it. ``index`` is none of a table's."""

TAKE_FUNCTIONS = {
    "key": frozenset({"max", "min", "sorted", "sort", "nlargest", "nsmallest", "groupby"}),
    "target": frozenset({"Thread", "Process"}),
    "default_factory": frozenset({"field"}),
    "command": frozenset({"Button", "Checkbutton", "Radiobutton", "Scale", "add_command"}),
}
"""Arguments that are a function, and the calls in which they are one."""

BEHIND = re.compile(r"[-+*/%@|&^=!<>.(\[{]|\b(?:if|else|in|is|and|or|not)\b")
"""What may stand behind a whole list as well as between its items."""


class Bracket(SyntaxRule):
    """Close the bracket where it belongs, or take away the one too many.

    **Failure** `'(' was never closed`, `unmatched ')'`, `closing parenthesis ']' does not match opening parenthesis '('`, and
    `invalid syntax` on the line after an open bracket.

    **Fix** Each place is tried where the cell compiles with the bracket: first the end of the line that opens it, then the
    ends of the lines below. One left over at a line's end goes, or is what is left of a call with nothing in its brackets: `word.lower)`. A part
    is taken with square brackets (`names(:5)`).

    **Fix safety** Safe where all places that compile give the same program, or where the bracket opens the statement's own
    call. Unsafe otherwise: `(a + b * c` closes in two ways, also as `print((a + b * c)`, where the bracket would group nothing. That the result of the call is called or indexed at once (`int(input)("n")`) is no way to close it.
    Unsafe too what may be a function that is given, or an attribute: `f(word.lower))`, `print(d.values))`; of a variable that the notebook sets
    to tables only, `values` is no method.
    """

    code = "SYN103"
    name = "unbalanced bracket"
    stage = Stage.LAST
    why = "There is one program only that the brackets can mean."

    def mends(self, source: str, fault: Fault) -> Iterator[Mend]:
        message = fault.message
        if match := re.search(r"'([(\[{])' was never closed", message):
            if any(map(HASH_IN_FIELD.search, split_lines(source)[fault.line - 1 : fault.line])):
                return  # what looks like a comment is a text within an f-string
            yield from _list_closings(source, fault.line, fault.column, PAIRS[match[1]])
        elif match := re.search(r"closing parenthesis '(.)' does not match opening parenthesis '(.)'", message):
            yield from _mend_mismatch(source, fault, match[2])
        elif match := re.search(r"unmatched '(.)'", message):
            yield from _drop_left_over(source, fault)
        elif "invalid syntax" in message or "forgot a comma" in message or "f-string" in message:
            opened = find_open_bracket(source, fault)
            if opened is not None and not is_closed(source, *opened):
                yield from _list_closings(source, *opened)
            elif opened is not None and (taken := _take_part(source, fault, opened)) is not None:
                yield taken


def _take_part(source: str, fault: Fault, opened: tuple[int, int, str]) -> Mend | None:
    """``names[:5]`` for ``names(:5)``: a part is taken in square brackets. What is given by a name with a colon (``f(a: 1)``) is an argument."""
    line, column, _ = opened
    text = split_lines(source)[line - 1]
    match = _PART.match(text, column) if line == fault.line else None
    owner = re.search(r"([^\W\d]\w*|[\])])$", text[:column])
    if match is None or owner is None or hasattr(builtins, owner[1]):
        return None
    mended = replace_line(source, line, f"{text[:column]}[{match[1]}]{text[match.end() :]}")
    return Mend(mended, "Take a part with square brackets", prior=0.9) if find_fault(mended) is None else None


_BOUND = r"\s*(?:-?[\w.+*/-]+(?:\(\w*\))?)?\s*"
_PART = re.compile(
    rf"\(((?:\s*-?\d*\s*:{_BOUND}|[\w.]+\s*:)(?::{_BOUND})?(?:,{_BOUND}(?::{_BOUND})?)*|\s*\d+\s*,\s*:\s*)\)"
)
"""A slice of numbers, or one that is open on one side, within round brackets: nothing else has a colon so."""


def _list_closings(source: str, line: int, column: int, closer: str) -> Iterator[Mend]:
    """The closer at the end of each line from the opener on, then at each place within the opener's line."""
    lines = split_lines(source)
    title = f"Close the bracket with `{closer}`"
    ends, within = [], []
    for number in range(line, min(line + REACH, len(lines)) + 1):
        text = lines[number - 1]
        end = find_code_end(text)
        spots = [end]
        while spots[-1] > 0 and text[spots[-1] - 1] in ":,; ":
            spots.append(spots[-1] - 1)
        if number == line:
            code = mark_code(text)
            within += [
                Mend(replace_line(source, number, text[:at] + closer + text[at:]), title, sure=False, prior=0.5)
                for at in range(len(text) - 1, column, -1)
                if code[at] and at not in spots and text[at - 1] != " " and not _is_far_fetched(text, column, at)
            ]
        for at in spots if text.strip() else ():
            if number > line or at > column:
                ends.append(Mend(replace_line(source, number, text[:at] + closer + text[at:]), title, prior=0.9))
    compiling = [m for m in ends if find_fault(m.source) is None][:4]
    same_line = [m for m in within if find_fault(m.source) is None]
    call = re.match(r"\s*[\w.]+\s*$", lines[line - 1][:column]) is not None or _is_whole_value(lines[line - 1], column)
    if compiling:
        sure = call or count_programs([*compiling[:1], *same_line]) == 1
        sure = sure and not _closes_idly(split_lines(compiling[0].source)[line - 1], column)
        yield Mend(compiling[0].source, title, sure, 0.9 if sure else 0.6)
        yield from (Mend(m.source, title, False, 0.5) for m in compiling[1:])
        yield from same_line[:3]
    elif same_line:
        yield from same_line[:3]
    else:  # further errors remain: the next mends go on from here
        sure = call or not any(reads_to(m.source, line) for m in within)
        for mend in ends[:3]:
            is_sure = sure and not _closes_idly(split_lines(mend.source)[line - 1], column)
            yield Mend(mend.source, title, is_sure, mend.prior if is_sure else 0.6)


def _is_whole_value(text: str, column: int) -> bool:
    """Whether the list or dictionary that opens there is all that one name is set to, on its line: ``xs = [1, 2``. Not where a sign or word
    between its items may stand behind it (``[1] + ys``, ``[1, 2] == xs``, ``[1, 2] if ys else zs``)."""
    code = mark_code(text)
    inside = "".join(c if code[n] else "'" for n, c in enumerate(text[: find_code_end(text)]))[column + 1 :].strip()
    alone = re.fullmatch(r"\s*[\w.]+\s*=\s*", text[:column]) is not None
    return alone and text[column] in "[{" and inside[-1:] not in ("", ",") and not BEHIND.search(inside)


def _closes_idly(text: str, column: int) -> bool:
    """Whether a line has a bracket from there on that groups nothing (``print((a + b * c))``), and would where it closed earlier
    (``print((a + b) * c)``): whoever opened it had something in mind."""
    head = re.sub(r"^\s*(?:el)?if\b", "if", text).strip()
    tree = src.parse(f"{head} pass" if head.endswith(":") else head)
    shift = len(text) - len(text.lstrip()) + text.lstrip().startswith("elif") * 2
    for node in ast.walk(tree) if tree is not None else ():
        if not isinstance(node, ast.BinOp | ast.BoolOp) or not _binds_later(node) or not head.isascii():
            continue
        before = text[: node.col_offset + shift].rstrip()
        behind = text[(node.end_col_offset or 0) + shift :].lstrip()
        grouped = before.endswith("(") and len(before) > column and behind.startswith(")")
        if grouped and _GROUPS.search(before[:-1]) and re.match(r"\)\s*(?:[),\]}:;#]|$)", behind):
            return True
    return False


_GROUPS = re.compile(r"(?:[=(,\[{:]|\b(?:if|elif|while|return|not|in|and|or))\s*$|^\s*$")
"""What stands before a bracket that calls nothing."""


def _binds_later(node: ast.BinOp | ast.BoolOp) -> bool:
    """``a + b * c``, ``a or b and c``: with a bracket around the first two it is another value."""
    if isinstance(node, ast.BoolOp):
        return isinstance(node.op, ast.Or) and any(isinstance(v, ast.BoolOp) for v in node.values[1:])
    product = isinstance(node.right, ast.BinOp) and isinstance(
        node.right.op, ast.Mult | ast.Div | ast.FloorDiv | ast.Mod
    )
    return isinstance(node.op, ast.Add | ast.Sub) and product


def _is_far_fetched(text: str, column: int, at: int) -> bool:
    """Whether nobody closes a call's bracket there: ``sum()[1, 2]`` and ``int(input)("n")``, where the next bracket opens at once, and
    ``max(d, key=d).get``, where a function loses its attribute, or a method is not called. ``get_dummies(data=s).values`` is as good as
    ``get_dummies(data=s.values)``."""
    name = re.search(r"(\w+)\s*$", text[:column])
    inside = text[column + 1 : at].strip()
    if name is None or text[at] not in "([.":
        return False
    if text[at] == ".":
        keyword = re.search(r"(\w+)\s*=\s*\w+$", inside)
        attribute = re.fullmatch(r"\.(\w+)", text[at : find_code_end(text)].strip())
        if keyword is None or attribute is None:
            return False
        return attribute[1] in METHODS or name[1] in TAKE_FUNCTIONS.get(keyword[1], ())
    is_called = text[at] == "(" and name[1].islower() and re.fullmatch(r"[\w.]+", inside) is not None
    return not inside or is_called or name[1] in NUMBERS


def _mend_mismatch(source: str, fault: Fault, opener: str) -> Iterator[Mend]:
    lines = split_lines(source)
    text = lines[fault.line - 1]
    at = fault.column
    wanted = PAIRS[opener]
    inserted = replace_line(source, fault.line, text[:at] + wanted + text[at:])
    replaced = replace_line(source, fault.line, text[:at] + wanted + text[at + 1 :])
    before = _close_before_loop(source, fault, opened := find_open_bracket(source, fault))
    if before is not None:
        yield before
    both = [
        Mend(inserted, f"Add the missing `{wanted}`", before is None, 0.9 if before is None else 0.5),
        Mend(replaced, f"Change `{text[at : at + 1]}` to `{wanted}`", prior=0.9),
    ]
    if opened is not None:
        first = opened[1] + 1 if opened[0] == fault.line else 0
        both += [
            Mend(
                replace_line(source, fault.line, text[:n] + wanted + text[n:]),
                f"Add the missing `{wanted}`",
                False,
                0.6,
            )
            for n in range(at - 1, first, -1)
            if text[n] == ","
        ]
    yield from sorted(both, key=lambda m: find_fault(m.source) is not None)


def _close_before_loop(source: str, fault: Fault, opened: tuple[int, int, str] | None) -> Mend | None:
    """``[int(x) for x in xs]`` for ``[int(x for x in xs]``: the list is made by the loop, and its items by the call. Sure for a function that is given no
    loop, as ``sum`` and ``any`` are, where the brackets hold one loop."""
    lines = split_lines(source)
    text = lines[fault.line - 1]
    if (
        opened is None
        or opened[0] != fault.line
        or opened[2] != ")"
        or text[fault.column : fault.column + 1] not in ("]", "}")
    ):
        return None
    name = re.search(r"(\w+)\s*$", text[: opened[1]])
    code = mark_code(text)
    loops = [
        m.start()
        for m in re.finditer(r"\s+for\s", text)
        if opened[1] < m.start() < fault.column and code[m.start() + 1] and _is_level(text[opened[1] + 1 : m.start()])
    ]
    if name is None or not loops or name[1] in TAKE_LOOPS:
        return None
    at = loops[0]
    mended = replace_line(source, fault.line, f"{text[:at]}){text[at:]}")
    is_sure = name[1] in TAKE_NO_LOOP and find_fault(mended) is None
    return Mend(mended, "Add the missing `)`", is_sure, 0.92 if is_sure else 0.7)


def _is_level(text: str) -> bool:
    """Whether each bracket that opens in a text closes in it."""
    return all(text.count(opener) == text.count(closer) for opener, closer in PAIRS.items())


def _call_with_nothing(source: str, fault: Fault) -> Iterator[Mend]:
    """``word.lower)`` as ``word.lower()``; nothing for what is a function itself (``key=str.lower)``, ``iter(input))``). Not sure for
    ``.values``, which a table has without a call, and within a call that may take functions."""
    text, code = split_lines(source)[fault.line - 1], mark_code(split_lines(source)[fault.line - 1])
    named = list(CALLED_WITH_NOTHING.finditer(text, 0, fault.column + 1))
    if len(named) != 1 or not all(code[named[0].end() - 1 : named[0].end() + 1]):
        return
    place, owner = named[0].end(), named[0]["owner"] or ""
    opened = find_open_bracket(source, Fault("", fault.line, place, fault.line, place))
    above = split_lines(source)[opened[0] - 1][: opened[1]] if opened is not None and opened[2] == ")" else ""
    around = re.search(r"\w+$", above)
    is_named = re.search(r"[(,]\s*\w+\s*=\s*[\w.\])\"']*$", text[: named[0].end()]) is not None
    if owner in vars(builtins) or is_named or (around is not None and around[0] in TAKE_FIRST):
        return
    sure = named[0]["method"] != "values" and not owner[:1].isupper() and (around is None or around[0] in TAKE_VALUES)
    whole = replace_line(source, fault.line, f"{text[:place]}({text[place:]}")
    yield Mend(whole, "Add the missing `(`", sure, 0.95 if sure else 0.6)


def _drop_left_over(source: str, fault: Fault) -> Iterator[Mend]:
    text = split_lines(source)[fault.line - 1]
    at = fault.column
    closer = text[at : at + 1]
    if closer not in OPENERS:
        return
    whole = next(_call_with_nothing(source, fault), None) if closer == ")" else None
    if whole is not None:
        yield whole
    title = f"Take away the `{closer}` that nothing opens"
    atend = at + 1 >= find_code_end(text.rstrip(": ,")) or not text[at + 1 :].strip(" :,)]}")
    # `print(a) + b)`: the one before it may be the one too many
    code, rest = mark_code(text), text[:at] + text[at + 1 :]
    others = {text[:n] + text[n + 1 :] for n in range(at) if code[n] and text[n] == closer} - {rest}
    atend = atend and not any(reads_to(replace_line(source, fault.line, other), fault.line) for other in others)
    atend = atend and whole is None
    yield Mend(replace_line(source, fault.line, text[:at] + text[at + 1 :]), title, atend, 0.9 if atend else 0.5)
    # or the bracket that a call opens was left out: `maxscores)`
    word = re.search(r"(?:[^\W\d]\w*)?$", text[:at])
    first = word.start() if word is not None and closer == ")" else at
    for n in range(first + 2, at):
        called, given = text[first:n], text[n:at]
        if called.islower() and called in vars(builtins) and re.search(rf"\b{given}\b", source):
            yield Mend(replace_line(source, fault.line, f"{text[:n]}({text[n:]}"), "Add the missing `(`", False, 0.8)
    # or it was never opened: at the value's beginning
    start = re.match(r"\s*(?:[\w.\[\], ]+=(?!=)\s*|return\s+|print\s*)?", text)
    if start is not None and start.end() < at and whole is None:
        opened = text[: start.end()] + OPENERS[closer] + text[start.end() :]
        yield Mend(replace_line(source, fault.line, opened), f"Add the missing `{OPENERS[closer]}`", atend, 0.85)
