"""Slips that whoever makes one of them makes everywhere: for cells whose output is known they are mended in all their places at once, as a
search that changes one place after the other comes to its end before the last of them."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from jupyter_selfheal.inside.positions import Edit
from jupyter_selfheal.inside.search.reading_changes import NUMBERS, is_call
from jupyter_selfheal.inside.search.scope import Change
from jupyter_selfheal.inside.search.source_text import Source
from jupyter_selfheal.inside.tree_names import list_defined_names

_VALUES = (ast.BinOp, ast.Compare, ast.BoolOp, ast.Name, ast.UnaryOp, ast.Subscript, ast.List, ast.JoinedStr)
"""What makes a value and does nothing else."""
_NUMERIC = (ast.Sub, ast.Div, ast.FloorDiv, ast.Pow, ast.Mod)


def list_repeated_slips(source: Source, known: frozenset[str]) -> list[Change]:
    """These changes. ``known`` are names that exist apart from the source."""
    there = list_defined_names(source.tree) | known | set(dir(builtins))
    return [
        *_convert_all_reads(source),
        *_raise_to_power(source),
        *_spell_out_choices(source, there),
        *_give_back_values(source),
        *_divide_whole(source),
        *_fold_names(source, there),
        *_part_texts(source),
        *_close_formats(source),
        *_count_on(source),
        *_go_through_ranges(source),
    ]


def list_choices(text: str, known: frozenset[str]) -> list[Change]:
    """``m == 4 or 6`` alone of these: it holds whatever ``m`` is, also where the code did not run."""
    source = Source(text)
    return list(_spell_out_choices(source, list_defined_names(source.tree) | known | set(dir(builtins))))


def _convert_all_reads(source: Source) -> Iterator[Change]:
    """``a = input()`` and ``b = input()`` of a cell that reckons with both: all that are not evidently texts, and those that are evidently
    numbers. Where it divides, or has a number with a point, a number with a point may be typed in as well."""
    wrapped = {id(a) for n in source.order if isinstance(n, ast.Call) and is_call(n, *NUMBERS) for a in n.args}
    reads = [
        (n.targets[0].id, n.value)
        for n in source.order
        if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name) and is_call(n.value, "input")
        if id(n.value) not in wrapped
    ]
    if not reads:
        return
    texts, numbers = list_texts(source), list_numbers(source)
    divides = any(
        isinstance(n, ast.Div) or (isinstance(n, ast.Constant) and isinstance(n.value, float)) for n in source.order
    )
    kinds = (("float", 0.93), ("int", 0.9)) if divides else (("int", 0.93), ("float", 0.9))
    groups = dict.fromkeys(
        tuple(id(v) for name, v in reads if name in chosen and name not in texts)
        for chosen in ({name for name, _ in reads}, numbers)
    )
    for group in groups:
        calls = [v for _, v in reads if id(v) in group]
        for kind, prior in kinds if len(calls) > 1 else ():
            edits: list[Edit] = []
            for call in calls:
                start, end = source.start_of(call), source.end_of(call)
                edits.append((start, end, f"{kind}({source.text[start:end]})"))
            words = f"what is read is no {'whole ' if kind == 'int' else ''}number yet"
            yield Change(tuple(sorted(edits)), prior, calls[0].lineno, words, "whole" if kind == "int" else "failing")


def list_texts(source: Source) -> set[str]:
    """Variables that are evidently texts: a method of theirs is called, they are gone through, compared with a text."""
    found: set[str] = set()
    for node in source.order:
        values: list[ast.expr] = []
        if isinstance(node, ast.Attribute | ast.Subscript):
            values = [node.value]
        elif isinstance(node, ast.For):
            values = [node.iter]
        elif isinstance(node, ast.Compare) and any(_is_text(v) for v in (node.left, *node.comparators)):
            values = [node.left, *node.comparators]
        elif (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Add)
            and (_is_text(node.left) or _is_text(node.right))
        ):
            values = [node.left, node.right]
        elif is_call(node, "len") and isinstance(node, ast.Call):
            values = node.args
        found.update(v.id for v in values if isinstance(v, ast.Name))
    return found


def list_numbers(source: Source) -> set[str]:
    """Variables that are reckoned with, compared by size, or that a range is made of."""
    found: set[str] = set()
    for node in source.order:
        values: list[ast.expr] = []
        if isinstance(node, ast.BinOp) and isinstance(node.op, _NUMERIC) and not _is_text(node.left):
            values = [node.left, node.right]
        elif isinstance(node, ast.Compare) and any(
            isinstance(o, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for o in node.ops
        ):
            values = [node.left, *node.comparators]
        elif isinstance(node, ast.BinOp | ast.Compare):
            parts = [node.left, node.right] if isinstance(node, ast.BinOp) else [node.left, *node.comparators]
            values = parts if any(isinstance(p, ast.Constant) and not _is_text(p) for p in parts) else []
        elif isinstance(node, ast.AugAssign):
            values = [node.target, node.value]
        elif is_call(node, "range") and isinstance(node, ast.Call):
            values = node.args
        found.update(v.id for v in values if isinstance(v, ast.Name))
    return found


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _find_sign(source: Source, left: ast.expr, right: ast.expr, sign: str) -> int:
    """Where a sign stands between two operands; -1 where it does not."""
    return source.text.find(sign, source.end_of(left), source.start_of(right))


def _raise_to_power(source: Source) -> Iterator[Change]:
    """``a ^ 2 + b ^ 2`` as ``a ** 2 + b ** 2``: whoever writes the roof writes it everywhere."""
    nodes = [n for n in source.order if isinstance(n, ast.BinOp) and isinstance(n.op, ast.BitXor)]
    places = sorted({_find_sign(source, n.left, n.right, "^") for n in nodes})
    if places and places[0] >= 0:
        edits = tuple((at, at + 1, "**") for at in places)
        yield Change(edits, 0.9, nodes[0].lineno, "`^` stands for `**`")


def _spell_out_choices(source: Source, there: set[str]) -> Iterator[Change]:
    """``m == 4 or 6`` as ``m == 4 or m == 6``, in all places at once; names there that nothing binds are texts."""
    edits: list[Edit] = []
    line = 0
    for node in (n for n in source.order if isinstance(n, ast.BoolOp)):
        asked = node.values[0]
        if (
            not isinstance(asked, ast.Compare)
            or len(asked.ops) != 1
            or not isinstance(asked.ops[0], ast.Eq | ast.NotEq)
        ):
            continue
        rest = node.values[1:]
        if not all(isinstance(v, ast.Constant) or (isinstance(v, ast.Name) and v.id not in there) for v in rest):
            continue
        line = line or node.lineno
        sign = "==" if isinstance(asked.ops[0], ast.Eq) else "!="
        left = source.text[source.start_of(asked.left) : source.end_of(asked.left)]
        for value in (asked.comparators[0], *rest):
            start, end = source.start_of(value), source.end_of(value)
            is_unknown = isinstance(value, ast.Name) and value.id not in there
            text = f'"{source.text[start:end]}"' if is_unknown else source.text[start:end]
            edits.append((start, end, text if value is asked.comparators[0] else f"{left} {sign} {text}"))
    if edits:
        yield Change(tuple(sorted(edits)), 0.9, line, "each value is to be compared")


def _give_back_values(source: Source) -> Iterator[Change]:
    """``3.14 * r ** 2`` in a function, which drops it, as ``return 3.14 * r ** 2``; a function that prints what its caller would use."""
    edits: list[Edit] = []
    printed: list[Edit] = []
    line = 0
    for function in (n for n in source.order if isinstance(n, ast.FunctionDef)):
        returns = any(isinstance(n, ast.Return) and n.value is not None for n in ast.walk(function))
        for statement in (n for n in ast.walk(function) if isinstance(n, ast.Expr)):
            start, value = source.start_of(statement), statement.value
            if isinstance(value, _VALUES):
                edits.append((start, start, "return "))
                line = line or statement.lineno
            elif not returns and isinstance(value, ast.Call) and is_call(value, "print") and len(value.args) == 1:
                text = source.text[source.start_of(value.args[0]) : source.end_of(value.args[0])]
                printed.append((start, source.end_of(statement), f"return {text}"))
                line = line or statement.lineno
    if edits:
        yield Change(tuple(sorted(edits)), 0.9, line, "what a function works out is not returned")
    if printed:
        yield Change(tuple(sorted(printed)), 0.6, line, "what a function works out is printed, and not returned")


def _divide_whole(source: Source) -> Iterator[Change]:
    """``n /= 10``, ``h = s / 3600`` as ``//=`` and ``//``, in all statements that set a variable; so in all places that are asked for
    (``xs[n / 2]``, ``range(n / 2)``)."""
    set_to: list[int] = []
    places: list[int] = []
    for node in source.order:
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Div):
            set_to.append(_find_sign(source, node.target, node.value, "/="))
        if isinstance(node, ast.Assign | ast.AugAssign):
            set_to += _list_quotients(source, node.value)
        elif isinstance(node, ast.Subscript):
            places += _list_quotients(source, node.slice)
        elif isinstance(node, ast.Call) and is_call(node, "range"):
            places += (at for given in node.args for at in _list_quotients(source, given))
    for found, prior in ((set_to, 0.6), (places, 0.9)):
        if ats := sorted({at for at in found if at >= 0}):
            edits = tuple((at, at + 1, "//") for at in ats)
            yield Change(edits, prior, source.text.count("\n", 0, ats[0]) + 1, "a quotient is to be whole")


def _list_quotients(source: Source, value: ast.expr) -> list[int]:
    """Where the signs of the quotients within a value stand."""
    quotients = (n for n in ast.walk(value) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div))
    return [_find_sign(source, n.left, n.right, "/") for n in quotients]


def _fold_names(source: Source, there: set[str]) -> Iterator[Change]:
    """``Total`` and ``isEven`` where ``total`` and ``is_even`` are bound: all names that differ by upper and lower case or ``_`` alone."""
    own = list_defined_names(source.tree)
    meant: dict[str, list[str]] = {}
    for name in own:
        meant.setdefault(_fold_case(name), []).append(name)
    edits: list[Edit] = []
    said: list[str] = []
    line = 0
    for node in source.order:
        if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load) or node.id in there:
            continue
        others = meant.get(_fold_case(node.id), [])
        if len(others) == 1:
            edits.append((source.start_of(node), source.end_of(node), others[0]))
            said.append(f"`{node.id}` is `{others[0]}`")
            line = line or node.lineno
    if edits:
        yield Change(tuple(sorted(edits)), 0.95, line, "; ".join(dict.fromkeys(said)), "name")


def _fold_case(name: str) -> str:
    return name.replace("_", "").lower()


def _part_texts(source: Source) -> Iterator[Change]:
    """``print("Sum: " + a + b)`` of numbers as ``print("Sum: ", a + b)``, in all lines that print."""
    edits: list[Edit] = []
    line = 0
    for call in source.order:
        for node in call.args if isinstance(call, ast.Call) and is_call(call, "print") else ():
            while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
                before = node.left.right if isinstance(node.left, ast.BinOp) else node.left
                at = _find_sign(source, before, node.right, "+")
                if isinstance(node.op, ast.Add) and at >= 0 and (_is_text(before) or _is_text(node.right)):
                    start = at - 1 if source.text[at - 1] == " " else at
                    edits.append((start, at + 1, ","))
                    line = line or call.lineno if isinstance(call, ast.Call) else line
                node = node.left
    if edits:
        yield Change(tuple(sorted(edits)), 0.85, line, "a number is added to a text", "failing")


def _close_formats(source: Source) -> Iterator[Change]:
    """``print("%d of %d" % a, b)`` as ``% (a, b)``, ``"%.2f" % total / 3`` as ``% (total / 3)``."""
    for node in source.order:
        if isinstance(node, ast.Call) and is_call(node, "print") and len(node.args) > 1:
            first = node.args[0]
            if (
                isinstance(first, ast.BinOp)
                and _counts_slots(first) == len(node.args)
                and not isinstance(first.right, ast.Tuple)
            ):
                start, end = source.start_of(first.right), source.end_of(node.args[-1])
                edits = ((start, start, "("), (end, end, ")"))
                yield Change(edits, 0.9, node.lineno, "the values of a format stand outside of its brackets")
        if isinstance(node, ast.BinOp) and isinstance(node.left, ast.BinOp) and _counts_slots(node.left) == 1:
            start, end = source.start_of(node.left.right), source.end_of(node.right)
            edits = ((start, start, "("), (end, end, ")"))
            yield Change(edits, 0.9, node.lineno, "the value of a format stands outside of its brackets")


def _counts_slots(node: ast.BinOp) -> int:
    """How many values the text of ``text % value`` asks for; 0 where it is none."""
    is_format = (
        isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
    )
    return str(node.left.value).replace("%%", "").count("%") if is_format and isinstance(node.left, ast.Constant) else 0


def _count_on(source: Source) -> Iterator[Change]:
    """``count =+ 1`` and ``count + 1`` by itself as ``count += 1``."""
    edits: list[Edit] = []
    line = 0
    for node in source.order:
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.value, ast.UnaryOp)
            and isinstance(node.targets[0], ast.Name)
        ):
            start, end = source.end_of(node.targets[0]), source.start_of(node.value) + 1
            sign = source.text[end - 1 : end]
            if source.text[start:end].strip() == f"={sign}" and sign in "+-":
                edits.append((start, end, f" {sign}="))
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.BinOp) and isinstance(node.value.left, ast.Name):
            start, end = source.end_of(node.value.left), source.start_of(node.value.right)
            sign = source.text[start:end].strip()
            if sign in ("+", "-", "*", "//"):
                edits.append((start, end, f" {sign}= "))
        line = line or (node.lineno if edits and isinstance(node, ast.stmt) else 0)
    if edits:
        yield Change(tuple(sorted(edits)), 0.85, max(line, 1), "a variable is to count on", "senseless")


def _go_through_ranges(source: Source) -> Iterator[Change]:
    """``for i in n`` as ``for i in range(n)`` where ``n`` is a number or was read."""
    values: dict[str, list[ast.expr]] = {}
    for node in source.order:
        if isinstance(node, ast.Assign) and isinstance(target := node.targets[0], ast.Name):
            values.setdefault(target.id, []).append(node.value)
    counted = {
        name for name, given in values.items()
        if all(is_call(v, "int", "input", "len") or (isinstance(v, ast.Constant) and type(v.value) is int) for v in given)
    }  # fmt: skip
    loops = [
        n for n in source.order if isinstance(n, ast.For) and isinstance(n.iter, ast.Name) and n.iter.id in counted
    ]
    names = [n.iter for n in loops if isinstance(n.iter, ast.Name)]
    read = [v for i in names for v in values[i.id] if is_call(v, "input")]
    converted = [(source.start_of(v), source.end_of(v), f"int({source.text_of(v)})") for v in dict.fromkeys(read)]
    for whole in ("range({})", "range(1, {} + 1)") if loops else ():
        edits = [(source.start_of(i), source.end_of(i), whole.format(i.id)) for i in names]
        prior = 0.85 if whole == "range({})" else 0.5
        yield Change(tuple(sorted([*edits, *converted])), prior, loops[0].lineno, "a number is gone through")
