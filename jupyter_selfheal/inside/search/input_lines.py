"""How what is read lies on its lines, for cells whose output is known: a question for each value where all stand on one line, one line where
each value stands on its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from jupyter_selfheal.inside.positions import Edit
from jupyter_selfheal.inside.search.reading_changes import NUMBERS, is_call
from jupyter_selfheal.inside.search.scope import Change
from jupyter_selfheal.inside.search.source_text import Source
from jupyter_selfheal.inside.tree_blocks import list_blocks

ONE_LINE, OWN_LINES = "the values stand on one line", "each value stands on a line of its own"
LINE = "input().split()"


@dataclass(frozen=True, slots=True)
class _Read:
    """A statement that sets a variable to one line that is read; ``kind`` makes a number of it, and is empty for a text."""

    statement: ast.Assign
    name: str
    kind: str


def list_line_changes(source: Source) -> list[Change]:
    """The other ways in which the values that are read may lie on their lines."""
    return [*_read_at_once(source), *_go_through_line(source), *_go_through_words(source), *_read_apart(source)]


def _read_at_once(source: Source) -> Iterator[Change]:
    """``a = input()`` above ``b = int(input())`` as ``a, b = input().split()`` above ``b = int(b)``; all statements of a run of them, or all
    but the first, which may tell how many follow."""
    for run in _list_runs(source):
        for reads in (run, run[1:]):
            first = source.start_of(reads[0].statement) if len(reads) > 1 else -1
            indent = source.read_indent(reads[0].statement) if len(reads) > 1 else None
            if indent is None:
                continue
            kinds = {r.kind for r in reads}
            one = next(iter(kinds)) if len(kinds) == 1 else ""
            value = f"map({one}, {LINE})" if one else LINE
            lines = [f"{', '.join(r.name for r in reads)} = {value}"]
            lines += [f"{r.name} = {r.kind}({r.name})" for r in reads if r.kind and not one]
            edit = (first, source.end_of(reads[-1].statement), f"\n{indent}".join(lines))
            prior = 0.6 if reads is run else 0.55
            yield Change((edit,), prior, reads[0].statement.lineno, ONE_LINE)


def _list_runs(source: Source) -> Iterator[Sequence[_Read]]:
    """The statements below each other that read a line each, of different variables."""
    for block in (b for node in source.order for b in list_blocks(node)):
        run: list[_Read] = []
        for statement in block:
            read = _find_read(source, statement)
            if read is not None and read.name not in {r.name for r in run}:
                run.append(read)
                continue
            if len(run) > 1:
                yield run
            run = [read] if read is not None else []
        if len(run) > 1:
            yield run


def _find_read(source: Source, statement: ast.stmt) -> _Read | None:
    match statement:
        case ast.Assign([ast.Name(name)], ast.Call(ast.Name("input"), [] | [ast.Constant()])):
            return _Read(statement, name, "")
        case ast.Assign(
            [ast.Name(name)], ast.Call(ast.Name(kind), [ast.Call(ast.Name("input"), [] | [ast.Constant()])])
        ):
            if kind in ("str", *NUMBERS) and source.read_indent(statement) is not None:
                return _Read(statement, name, "" if kind == "str" else kind)
    return None


def _go_through_line(source: Source) -> Iterator[Change]:
    """``for i in range(n): xs.append(int(input()))`` as ``for i in input().split(): xs.append(int(i))``, in a comprehension too."""
    for node in source.order:
        loop: ast.For | ast.comprehension
        if isinstance(node, ast.For):
            loop, inside = node, [n for s in node.body for n in ast.walk(s)]
        elif isinstance(node, ast.ListComp) and len(node.generators) == 1:
            loop, inside = node.generators[0], list(ast.walk(node.elt))
        else:
            continue
        reads = [n for n in inside if is_call(n, "input")]
        if len(reads) != 1 or not is_call(loop.iter, "range") or not isinstance(loop.target, ast.Name):
            continue
        name, line = loop.target.id, LINE
        head: Edit = (source.start_of(loop.iter), source.end_of(loop.iter), LINE)
        if any(isinstance(n, ast.Name) and n.id == name for n in inside):
            name = f"item_{name}"
            counted = f"{loop.target.id}, {name} in zip({source.text_of(loop.iter)}, {line})"
            head = (source.start_of(loop.target), source.end_of(loop.iter), counted)
        read = (source.start_of(reads[0]), source.end_of(reads[0]), name)
        yield Change(tuple(sorted((head, read))), 0.55, loop.iter.lineno, ONE_LINE)


def _go_through_words(source: Source) -> Iterator[Change]:
    """``for w in line`` as ``for w in line.split()``, where ``line`` is what was read: its words are meant, and not its letters."""
    assigned = [n for n in source.order if isinstance(n, ast.Assign)]
    read = {r.name for r in map(partial(_find_read, source), assigned) if r is not None and not r.kind}
    for loop in (n for n in source.order if isinstance(n, ast.For | ast.comprehension)):
        if isinstance(loop.iter, ast.Name) and loop.iter.id in read:
            end = source.end_of(loop.iter)
            words = f"the words of `{loop.iter.id}` are meant, and not its letters"
            yield Change(((end, end, ".split()"),), 0.5, loop.iter.lineno, words)


def _read_apart(source: Source) -> Iterator[Change]:
    """``a, b = map(int, input().split())`` as ``int(input()), int(input())``; a list of as many lines as were told above."""
    counts: list[str] = []
    for node in (n for n in source.order if isinstance(n, ast.Assign)):
        read = _find_read(source, node)
        counts += [read.name] if read is not None and read.kind == "int" else []
        kind = _find_kind(node.value)
        if kind is None:
            continue
        one = f"{kind}(input())" if kind else "input()"
        start, end = source.start_of(node.value), source.end_of(node.value)
        if isinstance(targets := node.targets[0], ast.Tuple):
            edit = (start, end, ", ".join([one] * len(targets.elts)))
            yield Change((edit,), 0.4, node.lineno, OWN_LINES)
        elif counts:
            edit = (start, end, f"[{one} for _ in range({counts[-1]})]")
            yield Change((edit,), 0.4, node.lineno, OWN_LINES)


def _find_kind(value: ast.expr) -> str | None:
    """What makes numbers of the parts of a line that is read: empty for none; None where it is no such line."""
    match value:
        case ast.Call(ast.Attribute(ast.Call(ast.Name("input"), []), "split"), []):
            return ""
        case ast.Call(ast.Name("map"), [ast.Name(kind), inner]) if _find_kind(inner) == "":
            return kind
        case ast.Call(ast.Name("list"), [inner]):
            return _find_kind(inner)
        case ast.ListComp(ast.Call(ast.Name(kind), [ast.Name()]), [ast.comprehension(iter=inner, ifs=[])]):
            return kind if _find_kind(inner) == "" else None
    return None
