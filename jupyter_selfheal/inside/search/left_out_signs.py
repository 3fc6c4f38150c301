"""What a beginner leaves out without a cell that does not parse, for cells whose output is known: the comma between two texts of a list, the ``f``
before a text with places for values, the small letters of what is looked for among small letters, the brackets of a sum that is divided, the place of
an item in a list that is gone through."""

from __future__ import annotations

import ast
import io
import itertools
import re
import tokenize
from collections.abc import Iterator

from jupyter_selfheal.inside.positions import Edit
from jupyter_selfheal.inside.search.reading_changes import is_call
from jupyter_selfheal.inside.search.scope import Change
from jupyter_selfheal.inside.search.source_text import Source
from jupyter_selfheal.inside.tree_names import list_names, walk

_OPENED = re.compile(r"(?<!\{)\{([^{}]*)(\}?)")


def list_left_out_signs(source: Source) -> list[Change]:
    """Signs, brackets and words put in where they may have been left out."""
    return [
        *_part_items(source),
        *_format_texts(source),
        *_lower_reads(source),
        *_bracket_sums(source),
        *_take_items(source),
    ]


def _part_items(source: Source) -> Iterator[Change]:
    """``["apple", "banana" "cherry"]`` as three items: all such places at once."""
    places = [end for end, _, is_last in _list_parts(source) if not is_last]
    if places:
        edits = tuple((at, at, ",") for at in sorted(places))
        line = source.text.count("\n", 0, edits[0][0]) + 1
        yield Change(edits, 0.8, line, "two texts touch: `,` is missing between them")


def list_touching_texts(text: str) -> list[str]:
    """The texts of a source that touch others in a list, a tuple or a set."""
    return [value for _, value, _ in _list_parts(Source(text))]


def _list_parts(source: Source) -> Iterator[tuple[int, str, bool]]:
    """These texts: where each ends, its value, and whether none touches it from behind."""
    for node in source.order:
        items = node.elts if isinstance(node, ast.List | ast.Tuple | ast.Set) and len(node.elts) > 1 else ()
        for item in items:
            if isinstance(item, ast.Constant) and isinstance(item.value, str):
                start = source.start_of(item)
                parts = _split_texts(source.text[start : source.end_of(item)])
                for number, (end, value) in enumerate(parts if len(parts) > 1 else ()):
                    yield start + end, value, number == len(parts) - 1


def _split_texts(text: str) -> list[tuple[int, str]]:
    """Where each of the texts that make up one ends, and its value."""
    whole = f"({text}\n)"  # in brackets its lines are one
    lines = list(itertools.accumulate((len(t) for t in whole.splitlines(keepends=True)), initial=0))
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(whole).readline))[1:]
    except (tokenize.TokenError, SyntaxError):
        return []
    idle = (tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT, tokenize.ENDMARKER)
    texts = [t for t in tokens if t.type not in idle and t.string != ")"]
    if any(t.type != tokenize.STRING for t in texts):
        return []
    return [(lines[t.end[0] - 1] + t.end[1] - 1, str(ast.literal_eval(t.string))) for t in texts]


def _format_texts(source: Source) -> Iterator[Change]:
    """``print("Cost: {price * 2:.2f")`` with its ``f``, and with the brace that closes the place: each text, and all at once."""
    there = list_names(source.tree) | {n.arg for n in source.order if isinstance(n, ast.arg)}
    every: list[Edit] = []
    line = 0
    for node in source.order:
        for text in node.args if is_call(node, "print", "input") and isinstance(node, ast.Call) else ():
            if not isinstance(text, ast.Constant) or not isinstance(text.value, str):
                continue
            start, written = source.start_of(text), source.text_of(text)
            if written[:1] not in "'\"" or written[1:-1] != text.value:
                continue
            slots = list(_OPENED.finditer(written))
            if not slots or not all(_is_value(m[1].rstrip("'\""), there) for m in slots):
                continue
            edits: list[Edit] = [(start, start, "f")]
            edits += [(at := start + m.start() + 1 + len(m[1].rstrip("'\"")), at, "}") for m in slots if not m[2]]
            yield Change(tuple(edits), 0.9, text.lineno, "the `f` before the text is missing")
            every += edits
            line = line or text.lineno
    if len({start for start, _, new in every if new == "f"}) > 1:
        yield Change(tuple(sorted(every)), 0.92, line, "the `f` before the texts is missing")


def _is_value(slot: str, there: set[str]) -> bool:
    """Whether a place for a value holds one that is made of names that there are, with or without a format behind it."""
    try:
        tree = ast.parse(f'f"{{{slot}}}"' if '"' not in slot else "", mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    names = {n.id for n in walk(tree) if isinstance(n, ast.Name)}
    return bool(names & there) and all(name in there for name in names)


def _lower_reads(source: Source) -> Iterator[Change]:
    """``input()`` as ``input().lower()``, where all that texts of the cell are compared with are small letters."""
    compared: list[str] = []
    for question in source.order:
        for value in ast.walk(question) if isinstance(question, ast.Compare) else ():
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                compared.append(value.value)
    letters = "".join(compared)
    if not letters.islower() or source.text.count("lower()") or source.text.count("casefold()"):
        return
    for node in source.order:
        if is_call(node, "input") and not _is_converted(source, node):
            end = source.end_of(node)
            yield Change(((end, end, ".lower()"),), 0.6, 1, "what is read is looked for among small letters")


def _is_converted(source: Source, node: ast.AST) -> bool:
    return isinstance(source.parents[node], ast.Attribute) or is_call(source.parents[node], "int", "float", "eval")


def _bracket_sums(source: Source) -> Iterator[Change]:
    """``a + b + c / 3`` as ``(a + b + c) / 3``: the last part alone is divided by a number."""
    for node in source.order:
        match node:
            case ast.BinOp(
                ast.BinOp() | ast.Name(), ast.Add(), ast.BinOp(last, ast.Div() | ast.FloorDiv(), _) as divided
            ):
                pass
            case _:
                continue
        if source.text[source.start_of(divided)] == "(" or isinstance(source.parents[node], ast.BinOp):
            continue
        start, end = source.start_of(node), source.end_of(last)
        edits = ((start, start, "("), (end, end, ")"))
        yield Change(edits, 0.7, node.lineno, "the sum is divided, and not its last part")


def _take_items(source: Source) -> Iterator[Change]:
    """``for i in range(len(names)): print(i, names)`` as ``print(i, names[i])``: the item is meant, and not the list."""
    for loop in source.order:
        match loop:
            case ast.For(
                ast.Name(place), ast.Call(ast.Name("range"), [*_, ast.Call(ast.Name("len"), [ast.Name(name)])])
            ):
                pass
            case _:
                continue
        edits: list[Edit] = []
        for node in ast.walk(ast.Module(loop.body, [])):
            around = source.parents.get(node)
            is_value = isinstance(around, ast.BinOp | ast.FormattedValue | ast.Compare) or is_call(
                around or loop, "print", "str", "int", "float"
            )
            if isinstance(node, ast.Name) and node.id == name and is_value:
                end = source.end_of(node)
                edits.append((end, end, f"[{place}]"))
        if edits:
            yield Change(tuple(sorted(edits)), 0.7, loop.lineno, f"an item of `{name}` is meant, and not the whole")
