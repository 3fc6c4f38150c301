"""Lines that a cell lacks and that its other lines are the pattern of: one that is expected and not printed, and one that sets a name which is read and
set nowhere (``sine = sin(a)`` above ``cosine = cos(a)``)."""

from __future__ import annotations

import ast
import builtins
import itertools
import re
from collections.abc import Iterator

from jupyter_selfheal.inside.positions import Edit
from jupyter_selfheal.inside.search.reading_changes import is_call
from jupyter_selfheal.inside.search.scope import Change
from jupyter_selfheal.inside.search.source_text import Source
from jupyter_selfheal.inside.tree_names import list_defined_names, list_names, list_read_names

VALUES, LABELS, SET = 3, 4, 6
"""Values of either kind that are tried for a line that is not printed, how many words its value may be, and lines that are tried to set a name."""
UNPRINTED, UNSET = "a line that is expected is not printed", "`{}` is set nowhere, and a line like `{}` is missing"
_NUMBERED = re.compile(r"(.*?[^\W\d])(\d+)")


def list_missing_lines(source: Source, expected: str, known: frozenset[str]) -> list[Change]:
    """These changes. ``known`` are names that exist apart from the source."""
    return [*_print_lines(source, expected), *_set_names(source, known)]


def _print_lines(source: Source, expected: str) -> Iterator[Change]:
    """A line that is expected and that no text of the cell begins: what another ``print`` shows, a result that nothing reads, or what a function gives
    that nobody calls, behind that line's own words. Never a value: the line must hold one that the cell has."""
    texts = [n.value for n in source.order if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    prints = [n for n in source.order if isinstance(n, ast.Expr) and is_call(n.value, "print")]
    lines = list(dict.fromkeys(expected.strip().splitlines()))
    values = [*_list_names_to_print(source), *_list_calls_to_print(source)] if lines else []
    for number, line in enumerate(lines if values else ()):
        words = line.split(" ")
        head = re.match(r"[^\W\d_]+", line)
        label = " ".join(words[:-1])
        if head is None or len(words) < 2 or any(label in t for t in texts):
            continue
        if any(head[0] in t for t in texts) and len(prints) >= len(lines):
            continue
        place, indent, line_number = _find_place(source, prints, lines[number + 1 :])
        for n, value in itertools.product(range(len(words) - 1, max(len(words) - 1 - LABELS, 0), -1), values):
            text = " ".join(words[:n])
            if not re.search(r"\d", text):
                new = f"{indent}print({text!r}, {value})"
                yield Change((_insert(source, place, new),), 0.3, line_number, UNPRINTED)


def _list_names_to_print(source: Source) -> list[str]:
    read = list_read_names(source.tree)
    stored = [n.id for n in source.order if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    shown = [a.id for n in source.order if is_call(n, "print") for a in n.args if isinstance(a, ast.Name)]  # type: ignore[attr-defined]
    return list(dict.fromkeys([*(n for n in reversed(stored) if n not in read), *(n for n in shown if n in stored)]))[
        :VALUES
    ]


def _list_calls_to_print(source: Source) -> list[str]:
    """What is printed of a function or method of the cell, of another one that nothing calls."""
    own = [n.name for n in source.order if isinstance(n, ast.FunctionDef) and not n.name.startswith("__")]
    named = {n.attr for n in source.order if isinstance(n, ast.Attribute)} | list_read_names(source.tree)
    idle = [name for name in own if name not in named]
    calls = [a for n in source.order if is_call(n, "print") for a in n.args if isinstance(a, ast.Call)]  # type: ignore[attr-defined]
    return list(dict.fromkeys(new for call in calls for new in _rename_called(source, call, own, idle)))[:VALUES]


def _rename_called(source: Source, call: ast.Call, own: list[str], idle: list[str]) -> Iterator[str]:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    end = source.end_of(call.func)
    for other in idle if name in own else ():
        yield f"{source.text[source.start_of(call) : end - len(name)]}{other}{source.text[end : source.end_of(call)]}"


def _find_place(source: Source, prints: list[ast.Expr], behind: list[str]) -> tuple[int, str, int]:
    """Where a line is printed: above the statement that prints one of those ``behind`` it, else at the end; with the indentation there, and its line."""
    for line, node in itertools.product(behind, prints):
        said = [n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
        indent = source.read_indent(node)
        if indent is not None and any(text.strip() and line.startswith(text.strip()) for text in said):
            return source.find_line_span(node)[0], indent, node.lineno
    return len(source.text.rstrip()), "", source.text.count("\n") + 1


def _insert(source: Source, at: int, line: str) -> Edit:
    ends = at == len(source.text.rstrip())
    return at, at, f"\n{line}" if ends else f"{line}\n"


def _set_names(source: Source, known: frozenset[str]) -> Iterator[Change]:
    """A name that is read and set nowhere, set as its sibling is: with what was imported, or written, and never used in place of what the sibling
    uses; where both names are numbered, with the names of its own number."""
    read, defined = list_read_names(source.tree), list_defined_names(source.tree)
    there = defined | known | set(dir(builtins))
    idle = [n for n in _list_bound(source) if n not in read]
    siblings = [n for n in source.order if isinstance(n, ast.Assign) and _is_plain(n)]
    for name in sorted(read - there):
        reader = next((n for n in source.order if isinstance(n, ast.stmt) and name in _list_head_names(n)), None)
        indent = source.read_indent(reader) if reader is not None else None
        if reader is None or indent is None:
            continue
        place = source.find_line_span(reader)[0]
        found = (text for s in siblings for text in _write_like(source, s, name, idle, there))
        for text in itertools.islice(dict.fromkeys(found), SET):
            words = UNSET.format(name, text)
            yield Change((_insert(source, place, f"{indent}{text}"),), 0.7, reader.lineno, words)


def _list_bound(source: Source) -> list[str]:
    """What is imported, and the functions of the cell."""
    names: list[str] = []
    for node in source.order:
        if isinstance(node, ast.Import | ast.ImportFrom):
            names += [alias.asname or alias.name for alias in node.names]
        elif isinstance(node, ast.FunctionDef):
            names.append(node.name)
    return [n for n in names if n.isidentifier()]


def _is_plain(node: ast.Assign) -> bool:
    return len(node.targets) == 1 and isinstance(node.targets[0], ast.Name) and node.lineno == node.end_lineno


def _list_head_names(node: ast.stmt) -> set[str]:
    """The names that a statement reads, without its blocks."""
    inner = {id(n) for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt) for n in ast.walk(child)}
    return {
        n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and id(n) not in inner
    }


def _write_like(source: Source, sibling: ast.Assign, name: str, idle: list[str], there: set[str]) -> Iterator[str]:
    """The line that sets the name as a sibling is set."""
    target, value = sibling.targets[0], source.text_of(sibling.value)
    assert isinstance(target, ast.Name)
    used = sorted(list_names(sibling.value))
    mine, other = _NUMBERED.fullmatch(name), _NUMBERED.fullmatch(target.id)
    if mine and other and mine[1] == other[1]:
        twins = {n: m[1] + mine[2] for n in used if (m := _NUMBERED.fullmatch(n)) and m[2] == other[2]}
        if set(twins.values()) <= there and (twins or "input" in used):
            yield f"{name} = {_rename(value, twins)}"
        return
    callees = [n.func.id for n in ast.walk(sibling.value) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
    for called, new in itertools.product(dict.fromkeys(callees), idle):
        if not hasattr(builtins, called) and name not in used:
            yield f"{name} = {_rename(value, {called: new})}"


def _rename(text: str, names: dict[str, str]) -> str:
    return re.sub(r"[^\W\d]\w*", lambda m: names.get(m[0], m[0]), text)
