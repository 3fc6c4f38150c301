"""Small changes of what is read and printed, for cells whose output is known: a number that was read as a text, a result that is not
rounded, a name that nothing binds."""

from __future__ import annotations

import ast
import builtins
import itertools
import re
from collections.abc import Iterator

from jupyter_selfheal.inside.positions import LineTable
from jupyter_selfheal.inside.search.beginner_changes import list_beginner_changes
from jupyter_selfheal.inside.search.case_twins import list_case_twins
from jupyter_selfheal.inside.search.exchanged_forms import list_exchanged_forms
from jupyter_selfheal.inside.search.extra_lines import list_extra_lines
from jupyter_selfheal.inside.search.idle_results import list_kept_results
from jupyter_selfheal.inside.search.input_lines import list_line_changes
from jupyter_selfheal.inside.search.kept_originals import list_kept_originals
from jupyter_selfheal.inside.search.left_out_parts import list_left_out
from jupyter_selfheal.inside.search.left_out_signs import list_left_out_signs
from jupyter_selfheal.inside.search.level_changes import list_level_changes
from jupyter_selfheal.inside.search.lost_values import list_lost_values
from jupyter_selfheal.inside.search.method_changes import list_method_changes
from jupyter_selfheal.inside.search.missing_lines import list_missing_lines
from jupyter_selfheal.inside.search.name_changes import list_name_changes
from jupyter_selfheal.inside.search.reading_changes import NUMBERS, find_span, is_call, list_reading_changes
from jupyter_selfheal.inside.search.repeated_slips import list_repeated_slips
from jupyter_selfheal.inside.search.scope import Change
from jupyter_selfheal.inside.search.self_changes import list_self_changes
from jupyter_selfheal.inside.search.source_text import Source
from jupyter_selfheal.inside.search.unbegun_bests import list_unbegun_bests
from jupyter_selfheal.inside.search.unbound_reads import list_lost_reads, list_renamed_targets
from jupyter_selfheal.inside.search.uncalled_functions import list_missing_calls
from jupyter_selfheal.inside.search.unpacking_changes import list_unpacking_changes
from jupyter_selfheal.inside.tree_names import keep_nodes, list_defined_names, walk

_NUMBER = re.compile(r"\d+")
_MARK = re.compile(r"([-*+>•#.]{1,3}) +\w")
_HEAD, _TAIL = re.compile(r"([^\W\d][^\d]{0,40}?) -?\d"), re.compile(r"\d\S* ([^\W\d][^\d]{0,40})$")
"""The words of an expected line before its first number, and behind its last one."""


def list_value_changes(
    source: str, expected: str, known: frozenset[str], lost: tuple[str, int] | None = None
) -> list[Change]:
    """The changes of a source, likely ones first. ``known`` are names that exist apart from it, ``lost`` is one that a run did not find, and its line."""
    whole = Source(source)
    tree, table = keep_nodes(whole.tree), whole.lines
    changes = [*list_reading_changes(tree, source, table, expected), *_change_printed(tree, source, table, expected)]
    changes += [*list_name_changes(tree, table, known), *list_renamed_targets(tree, table, known)]
    changes += [*_quote_unknown(tree, table, expected, known), *_divide_exactly(tree, source, table)]
    changes += [*_quote_letters(tree, table, known), *_round_to(tree, source, table)]
    changes += [*_print_also(tree, table), *_format_text(tree, source, table), *_store_read(tree, source, table, known)]
    changes += _fill_percents(tree, source, table)
    changes += _format_slots(tree, source, table, expected)
    changes += [*_call_method(tree, source, table, known), *list_missing_lines(whole, expected, known)]
    changes += [*list_extra_lines(source, expected), *list_kept_results(source)]
    changes += [
        *list_missing_calls(tree, source),
        *list_kept_originals(tree, table),
        *list_exchanged_forms(tree, table),
    ]
    changes += list_beginner_changes(tree, source, table, expected, known)
    changes += [
        *_print_words(tree, table, expected),
        *_read_digits(tree, table),
        *_unquote_numbers(tree, source, table),
    ]
    changes += [*list_method_changes(tree, source, table, known), *list_unpacking_changes(tree, source, table)]
    changes += [*list_repeated_slips(whole, known), *list_lost_values(whole, expected, known)]
    changes += [*list_line_changes(whole), *list_left_out(whole, expected, known), *list_left_out_signs(whole)]
    changes += list_unbegun_bests(whole, known)
    changes += [*list_self_changes(whole), *list_level_changes(whole), *list_case_twins(source, known)]
    known_edits = {c.edits for c in changes}
    changes += (c for c in list_lost_reads(tree, table, lost) if c.edits not in known_edits) if lost else ()
    return sorted(changes, key=lambda c: -c.prior)


def _print_words(tree: ast.AST, table: LineTable, expected: str) -> Iterator[Change]:
    """``print('is', c)`` where ``is 100.0 degrees`` is expected, ``print(total)`` where ``Sum: 7`` is: words before or behind the values of
    a line are not printed."""
    said = " ".join(n.value for n in walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)).split()
    lines = [line.strip() for line in expected.strip().splitlines()]
    if not lines:  # the asserts below decide, and nothing is expected to be printed
        return
    matches = [(_HEAD.match(line) or _MARK.match(line), _TAIL.search(line)) for line in lines]
    heads, tails = (
        dict.fromkeys(m[1] for m in found if m and not set(m[1].split()) & set(said))
        for found in zip(*matches, strict=True)
    )
    for call in walk(tree):
        if not is_call(call, "print") or not isinstance(call, ast.Call) or not call.args or call.keywords:
            continue
        first, last = call.args[0], call.args[-1]
        for node, words, where in ((first, heads, "before the first"), (last, tails, "behind the last")):
            if isinstance(node, ast.Constant | ast.JoinedStr | ast.Starred):
                continue
            start, end = find_span(node, table)
            for text in words:
                edit = (start, start, f"{text!r}, ") if words is heads else (end, end, f", {text!r}")
                yield Change((edit,), 0.4, call.lineno, f"the words {where} value are missing", "words")


def _unquote_numbers(tree: ast.AST, source: str, table: LineTable) -> Iterator[Change]:
    """``total += "10"``, ``x > "5"``, ``range("5")``: a text of digits where there is reckoned, counted, or told which is larger; all of them at once."""
    texts: list[ast.expr] = []
    for node in walk(tree):
        sides: list[ast.expr] = []
        if isinstance(node, ast.AugAssign):
            sides = [node.value]
        elif isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Mod):
            sides = [node.left, node.right]
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Lt | ast.Gt | ast.LtE | ast.GtE):
            sides = [node.left, *node.comparators]
        elif isinstance(node, ast.Call) and is_call(node, "range"):
            texts += [
                a
                for a in node.args
                if isinstance(a, ast.Constant) and _NUMBER.fullmatch(str(a.value)) and isinstance(a.value, str)
            ]
        quoted = [
            s
            for s in sides
            if isinstance(s, ast.JoinedStr) or (isinstance(s, ast.Constant) and isinstance(s.value, str))
        ]
        if len(quoted) == 1 and re.fullmatch(r"([\"'])-?\d+(?:\.\d+)?\1", source[slice(*find_span(quoted[0], table))]):
            texts += quoted
    if texts:
        spans = [find_span(t, table) for t in texts]
        edits = tuple(sorted((start, end, source[start + 1 : end - 1]) for start, end in spans))
        words = f"`{source[slice(*spans[0])]}` is a number"
        yield Change(edits, 0.6, texts[0].lineno, words, "failing")


def _read_digits(tree: ast.AST, table: LineTable) -> Iterator[Change]:
    """``1`` for ``l``, ``0`` for ``O``: a variable that looks like a digit is never read, and the digit is."""
    names = [n for n in walk(tree) if isinstance(n, ast.Name)]
    read = {n.id for n in names if isinstance(n.ctx, ast.Load)}
    bound = {n.id for n in names if isinstance(n.ctx, ast.Store)}
    signed = {id(n.operand) for n in walk(tree) if isinstance(n, ast.UnaryOp)}
    for name, digit in (("l", 1), ("I", 1), ("O", 0), ("o", 0)):
        if name not in bound or name in read:
            continue
        digits = [
            n
            for n in walk(tree)
            if isinstance(n, ast.Constant) and type(n.value) is int and n.value == digit and id(n) not in signed
        ]
        if digits:
            edits = tuple((*find_span(n, table), name) for n in digits)
            yield Change(edits, 0.8, digits[0].lineno, f"`{digit}` is `{name}`", kind="name")


def _change_printed(tree: ast.AST, source: str, table: LineTable, expected: str) -> Iterator[Change]:
    """Values that are printed: as a whole number, as a text, rounded to the digits that are expected."""
    digits = sorted({len(m) for m in re.findall(r"\d\.(\d+)", expected)}, reverse=True)[:2]
    for value in _list_printed(tree):
        start, end = find_span(value, table)
        text = source[start:end]
        forms = [(f"round({text}, {n})", 0.5, "the result is not rounded") for n in digits]
        forms += [(f"int({text})", 0.4, "a whole number is meant"), (f"float({text})", 0.3, "a number is meant")]
        forms += [(f"str({text})", 0.2, "a text is meant")]
        if isinstance(value, ast.Name) and "[" not in expected:
            forms += [
                (f"{gap!r}.join(map(str, {text}))", 0.3, "the items are meant, and not the list")
                for gap in (", ", " ", ",", "\n")
                if gap in expected
            ]
        for new, prior, words in forms:
            if not is_call(value, new.partition("(")[0]):
                yield Change(((start, end, new),), prior, value.lineno, words)
    braced = [
        v
        for v in _list_printed(tree)
        if isinstance(v, ast.Set) and len(v.elts) == 1 and isinstance(v.elts[0], ast.Name)
    ]
    if braced:
        spans = [find_span(v, table) for v in braced]
        edits = tuple((start, end, source[start + 1 : end - 1]) for start, end in dict.fromkeys(spans))
        yield Change(edits, 0.5, braced[0].lineno, "the braces are too much")
    for node in walk(tree):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.NotEq | ast.In):
            yield from _fold_case(node, table)


def _list_printed(tree: ast.AST) -> Iterator[ast.expr]:
    for node in walk(tree):
        values: list[ast.expr] = []
        if is_call(node, "print"):
            assert isinstance(node, ast.Call)
            values = list(node.args)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
            values = list(node.args)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp | ast.Subscript | ast.Call):
            values = [node.value]
        for value in values:
            if isinstance(value, ast.Constant | ast.JoinedStr | ast.Starred | ast.GeneratorExp):
                continue
            if is_call(value, *NUMBERS, "input") and any(is_call(n, "input") for n in ast.walk(value)):
                continue  # how it is read is what is changed
            yield value


def _fold_case(node: ast.Compare, table: LineTable) -> Iterator[Change]:
    """``s == s[::-1]`` without regard to upper and lower case."""
    edits = []
    for side in (node.left, node.comparators[0]):
        if not isinstance(side, ast.Name | ast.Subscript | ast.Call):
            return
        _, end = find_span(side, table)
        edits.append((end, end, ".lower()"))
    yield Change(tuple(edits), 0.2, node.lineno, "upper and lower case are told apart")


def _quote_unknown(tree: ast.AST, table: LineTable, expected: str, known: frozenset[str]) -> Iterator[Change]:
    """``print(Sum, total)``: a word that nothing binds is printed, and is expected as it stands."""
    bound = list_defined_names(tree)
    for value in _list_printed(tree):
        if isinstance(value, ast.Name) and value.id not in bound | known | set(dir(builtins)):
            start, end = find_span(value, table)
            if re.search(rf"\b{value.id}\b", expected):
                yield Change(((start, end, f'"{value.id}"'),), 0.7, value.lineno, f"`{value.id}` is a text")


def _quote_letters(tree: ast.AST, table: LineTable, known: frozenset[str]) -> Iterator[Change]:
    """``if ch in [a, e, i]``, ``if op == add``: words that nothing binds, in a list or compared, are texts; all of them at once."""
    bound = list_defined_names(tree) | known | set(dir(builtins))
    words: list[ast.Name] = []
    for node in walk(tree):
        if isinstance(node, ast.List | ast.Tuple | ast.Set) and len(node.elts) > 1:
            items: list[ast.expr] = node.elts
        elif isinstance(node, ast.Dict):
            items = [key for key in node.keys if key is not None]
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.NotEq | ast.In | ast.NotIn):
            items = [node.comparators[0]]
        else:
            continue
        words += [item for item in items if isinstance(item, ast.Name) and item.id not in bound]
    if words:
        edits = tuple(sorted((*find_span(n, table), f'"{n.id}"') for n in words))
        yield Change(edits, 0.75, words[0].lineno, f"`{words[0].id}` is a text")


def _round_to(tree: ast.AST, source: str, table: LineTable) -> Iterator[Change]:
    """``print(round(x), 2)`` as ``print(round(x, 2))``: how many digits are meant stands behind the bracket."""
    for node in walk(tree):
        values = node.elts if isinstance(node, ast.Tuple) else node.args if isinstance(node, ast.Call) else ()
        for call, digits in itertools.pairwise(values):
            alone = is_call(call, "round") and isinstance(call, ast.Call) and len(call.args) == 1 and not call.keywords
            if alone and isinstance(digits, ast.Constant) and digits.value in range(1, 7):
                end, start = find_span(call, table)[1], find_span(digits, table)
                gap = source[end : start[0]]
                if gap.strip() == ",":
                    edit = (end - 1, start[1], f"{gap}{source[slice(*start)]})")
                    yield Change((edit,), 0.85, call.lineno, "the bracket of `round` closes too early")


def _divide_exactly(tree: ast.AST, source: str, table: LineTable) -> Iterator[Change]:
    """``5 // 9`` where the rest counts."""
    for node in walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv):
            start, end = find_span(node.left, table)[1], find_span(node.right, table)[0]
            at = source.find("//", start, end)
            if at >= 0:
                yield Change(((at, at + 2, "/"),), 0.35, node.lineno, "`//` drops what is behind the point")


def _print_also(tree: ast.AST, table: LineTable) -> Iterator[Change]:
    """``print('Bye')`` below ``print('Hi', name)``: a value that another ``print`` has behind its text."""
    calls = [n for n in walk(tree) if isinstance(n, ast.Call) and is_call(n, "print") and n.args]
    named = [n.args[1].id for n in calls if len(n.args) == 2 and isinstance(n.args[1], ast.Name)]
    for call in calls:
        if len(call.args) == 1 and isinstance(call.args[0], ast.Constant) and isinstance(call.args[0].value, str):
            at = find_span(call.args[0], table)[1]
            for name in dict.fromkeys(named):
                yield Change(((at, at, f", {name}"),), 0.4, call.lineno, f"`{name}` is not printed")


def _format_text(tree: ast.AST, source: str, table: LineTable) -> Iterator[Change]:
    """``print('{} is {}', format(a, b))``: a comma for the point before ``format``."""
    for call in walk(tree):
        for text, value in itertools.pairwise(call.args) if isinstance(call, ast.Call) else ():
            if isinstance(text, ast.Constant) and "{" in str(text.value) and is_call(value, "format"):
                start, end = find_span(text, table)[1], find_span(value, table)[0]
                if source[start:end].strip() == ",":
                    yield Change(((start, end, "."),), 0.8, value.lineno, "`,` stands for `.` before `format`")


_SLOT = re.compile(r"(?<!%)%[-+0-9.]*[dfsgi]")


def _fill_percents(tree: ast.AST, source: str, table: LineTable) -> Iterator[Change]:
    """``print("%.2f", x)`` as ``print("%.2f" % x)``: a comma for the sign, where there are as many values as slots."""
    for call in walk(tree):
        match call:
            case ast.Call(ast.Name("print"), [ast.Constant(str() as text) as first, *values], []):
                pass
            case _:
                continue
        if values and len(_SLOT.findall(text)) == len(values):
            end, start, last = (
                find_span(first, table)[1],
                find_span(values[0], table)[0],
                find_span(values[-1], table)[1],
            )
            given = source[start:last]
            is_plain = len(values) == 1 and isinstance(values[0], ast.Name | ast.Call | ast.Constant | ast.Subscript)
            edit = (end, last, f" % {given if is_plain else f'({given})'}")
            yield Change((edit,), 0.85, call.lineno, "`,` stands for `%` behind a text with places for values")


def _store_read(tree: ast.AST, source: str, table: LineTable, known: frozenset[str]) -> Iterator[Change]:
    """``print(float(input()))`` where a name below is bound by nothing: what was read is what it holds."""
    bound = list_defined_names(tree)
    read = [n for n in walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    for statement in walk(tree):
        if not isinstance(statement, ast.Expr) or not any(is_call(n, "input") for n in ast.walk(statement)):
            continue
        value = statement.value
        if isinstance(value, ast.Call) and is_call(value, "print") and len(value.args) == 1:
            value = value.args[0]
        start, end = find_span(statement.value, table)
        first, last = find_span(value, table)
        for name in dict.fromkeys(n.id for n in read if n.lineno > statement.lineno):
            if name not in bound | known and name not in dir(builtins):
                new = f"{name} = {source[first:last]}"
                yield Change(((start, end, new),), 0.7, statement.lineno, f"`{name}` is what is read", kind="name")


def _call_method(tree: ast.AST, source: str, table: LineTable, known: frozenset[str]) -> Iterator[Change]:
    """``(v, find('not'))`` where nothing is called ``find``: a comma for the point, wherever it is made; ``'is'.total``: the reverse."""
    bound = list_defined_names(tree)
    edits: list[tuple[int, int, str]] = []
    line = 0
    for node in walk(tree):
        values = node.elts if isinstance(node, ast.Tuple) else node.args if isinstance(node, ast.Call) else ()
        for owner, call in itertools.pairwise(values):
            if not isinstance(owner, ast.Name | ast.Call | ast.Subscript) or not isinstance(call, ast.Call):
                continue
            if not isinstance(call.func, ast.Name):
                continue
            if call.func.id in bound | known or call.func.id in dir(builtins):
                continue
            start, end = find_span(owner, table)[1], find_span(call, table)[0]
            if source[start:end].strip() == ",":
                edits.append((start, end, "."))
                line = line or call.lineno
    if edits:
        yield Change(tuple(sorted(edits)), 0.8, line, "`,` stands for `.` before a method")
    for node in walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Constant) and node.attr in bound:
            start, end = find_span(node.value, table)[1], find_span(node, table)[1]
            edit = (start, end, f", {node.attr}")
            yield Change((edit,), 0.8, node.lineno, f"`.` stands for `,` before `{node.attr}`")


_BARE_SLOT = re.compile(r"(?<!\{)\{([^{}:!=]+)\}(?!\})")


def _list_literals(tree: ast.AST, source: str, table: LineTable) -> Iterator[tuple[ast.expr, int, str]]:
    """The texts that are printed: (node, where it begins, as it is written)."""
    for call in walk(tree):
        for node in call.args if isinstance(call, ast.Call) and is_call(call, "print") else ():
            if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
                start, end = find_span(node, table)
                yield node, start, source[start:end]


def _format_slots(tree: ast.AST, source: str, table: LineTable, expected: str) -> Iterator[Change]:
    """``{price}`` in an f-string as ``{price:.2f}``: one slot, or all of them."""
    for digits in sorted({len(m) for m in re.findall(r"\d\.(\d+)", expected)}):
        for node, start, text in _list_literals(tree, source, table):
            if not isinstance(node, ast.JoinedStr):
                continue
            ends = [start + m.end() - 1 for m in _BARE_SLOT.finditer(text)]
            for at in ends:
                edit = (at, at, f":.{digits}f")
                yield Change((edit,), 0.6, node.lineno, "the number of digits is not said")
