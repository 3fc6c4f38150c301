"""What parses by accident, and is no program: two values that touch (``[1, 2] [3, 4]``, ``(a + b)(a - b)``, ``["X" "O"]``), a word that runs into a value (``returnTrue``).

Where another slip was mended in a cell, the parser says nothing of these: they are mended on top of the reading, which is doubted as it is.
"""

from __future__ import annotations

import ast
import builtins
import itertools
import keyword
from collections.abc import Iterator
from dataclasses import dataclass

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.syntax.slips import find_cost
from jupyter_selfheal.healers.syntax.tokens import COMMENT, NAME, SIGN, TEXT, split_tokens
from jupyter_selfheal.inside.positions import LineTable
from jupyter_selfheal.inside.search.reading_changes import find_span

DEEPEST = 6
"""Such slips in one reading."""
_RECKONED = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)


@dataclass(frozen=True, slots=True)
class Completion:
    """A reading with a sign more, what that costs, and what was wrong."""

    source: str
    cost: float
    words: tuple[str, ...]


def list_completions(source: str, known: frozenset[str]) -> list[Completion]:
    """The reading with what is missing at all such places; none where it has none of them."""
    found, front = [], [Completion(source, 0.0, ())]
    for _ in range(DEEPEST):
        deeper = []
        for state in front:
            more = list(_mend_first(state, known))
            deeper += more
            found += [state] if not more and state.words and src.parse(state.source) is not None else []
        front = deeper[:DEEPEST]
        if not front:
            break
    return found


def _mend_first(state: Completion, known: frozenset[str]) -> Iterator[Completion]:
    tree = src.parse(state.source) if src.mask(state.source) == state.source else None
    if tree is None:
        return
    if new := _part_texts(state.source):
        yield Completion(new, state.cost + 0.6 * find_cost("insert.comma"), (*state.words, "`,` is missing"))
        return
    table = LineTable(state.source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and (new := _close_print_later(node.value, state.source, table)):
            words = "the bracket of `print` closes too early"
            yield Completion(new, state.cost + 0.6 * find_cost("move.bracket"), (*state.words, words))
            return
        if (at := _find_compared(node, tree, state.source, table)) >= 0:
            new = f"{state.source[:at]}={state.source[at + 2 :]}"
            yield Completion(
                new, state.cost + find_cost("replace.assign_compare"), (*state.words, "`==` stands for `=`")
            )
            return
        signs = _list_missing_signs(node, state.source)
        if signs and isinstance(node, ast.Call | ast.Subscript):
            first = node.func if isinstance(node, ast.Call) else node.value
            end = _find_end(state.source, first, table)
            for n, (sign, kind) in enumerate(signs):
                new = state.source[:end] + sign + state.source[end:]
                words = f"`{sign.strip()}` is missing"
                yield Completion(new, state.cost + (0.6 + 0.1 * n) * find_cost(kind), (*state.words, words))
            return
        if isinstance(node, ast.Name) and (at := _find_glued_return(node, tree, known, table)) >= 0:
            new = f"{state.source[:at]} {state.source[at:]}"
            yield Completion(
                new, state.cost + find_cost("replace.foreign"), (*state.words, "`return` runs into its value")
            )
            return


def _part_texts(source: str) -> str:
    """The source with a comma between the first two texts that touch in one line, as arguments or items: ``print("a:" ", ".join(b))``. A long
    text is broken over lines. Empty where there are none, and where it would not parse."""
    openers: list[bool] = []
    tokens = [t for t in split_tokens(source) if t.kind != COMMENT]
    for before, token in itertools.pairwise((None, *tokens)):
        assert token is not None
        if token.kind == SIGN and token.text in "([{":
            is_call = before is not None and (
                before.text in (")", "]") or (before.kind == NAME and not keyword.iskeyword(before.text))
            )
            openers.append(is_call or token.text != "(")
        elif token.kind == SIGN and token.text in ")]}" and openers:
            openers.pop()
        elif token.kind == TEXT and before is not None and before.kind == TEXT and openers and openers[-1]:
            mended = f"{source[: before.end]}, {source[token.start :]}"
            return mended if src.parse(mended) is not None else ""
    return ""


def _find_compared(node: ast.AST, tree: ast.Module, source: str, table: LineTable) -> int:
    """Where ``==`` stands in ``digit == n % 10``, a statement that does nothing; -1 for anything else. The last one of a cell shows its value."""
    if not isinstance(node, ast.Expr) or not isinstance(compared := node.value, ast.Compare) or node is tree.body[-1]:
        return -1
    if len(compared.ops) != 1 or not isinstance(compared.ops[0], ast.Eq):
        return -1
    if not isinstance(compared.left, ast.Name | ast.Subscript | ast.Attribute):
        return -1
    return source.find("==", find_span(compared.left, table)[1])


def _close_print_later(value: ast.expr, source: str, table: LineTable) -> str:
    """``print(str(n)) + " apples"`` and ``print(n), "apples"`` with all of it in the brackets; empty for anything else."""
    first = value
    while isinstance(first, ast.BinOp):
        first = first.left
    if isinstance(value, ast.Tuple) and value.elts:
        first = value.elts[0]
    shown = isinstance(first, ast.Call) and isinstance(first.func, ast.Name) and first.func.id == "print"
    if first is value or not shown or not isinstance(first, ast.Call) or first.keywords or not first.args:
        return ""
    if isinstance(value, ast.Tuple) and any(isinstance(e, ast.Call) for e in value.elts[1:]):
        return ""  # `print(a), print(b)` does what it says
    closed, (_, end) = find_span(first, table)[1], find_span(value, table)
    mended = f"{source[: closed - 1]}{source[closed:end]}){source[end:]}"
    return mended if src.parse(mended) is not None else ""


def _list_missing_signs(node: ast.AST, source: str) -> list[tuple[str, str]]:
    """The signs that may be missing between two values of which the first one can be neither called nor has such items."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.List | ast.Tuple | ast.Dict | ast.Set):
        return [(",", "insert.comma")] if isinstance(node.slice, ast.Tuple) or _breaks_line(node, source) else []
    if not isinstance(node, ast.Call):
        return []
    called = node.func
    if isinstance(called, ast.Tuple | ast.List | ast.Dict | ast.Set | ast.ListComp):
        return [(",", "insert.comma")]
    if isinstance(called, ast.Constant) and type(called.value) in (int, float):
        return [("*", "insert.times")] if len(node.args) == 1 and not node.keywords else []
    if isinstance(called, ast.Constant) and isinstance(called.value, str):
        return [(",", "insert.comma"), (" +", "insert.plus"), (" %", "insert.plus")]
    reckons = isinstance(called, ast.BinOp) and isinstance(called.op, _RECKONED)
    return [("*", "insert.times")] if reckons and len(node.args) == 1 and not node.keywords else []


def _breaks_line(node: ast.Subscript, source: str) -> bool:
    """Whether the second list begins on a line of its own: a row of a table."""
    lines = source.splitlines()
    end = node.value.end_lineno or 0
    tail = lines[end - 1].encode()[node.value.end_col_offset or 0 :] if 0 < end <= len(lines) else b"["
    return not tail.strip()


def _find_end(source: str, node: ast.expr, table: LineTable) -> int:
    """Where a value ends, with the brackets around it."""
    end = table.offset(node.end_lineno or 1, node.end_col_offset or 0)
    if isinstance(node, ast.BinOp):
        while source[end : end + 1].isspace() or source[end : end + 1] == ")":
            end += 1
        end = len(source[:end].rstrip())
    return end


def _find_glued_return(node: ast.Name, tree: ast.Module, known: frozenset[str], table: LineTable) -> int:
    """Where ``return`` ends in ``returnTrue`` at the beginning of a statement; -1 where that is a name of its own."""
    rest = node.id.removeprefix("return")
    if rest in ("", node.id) or node.id in known or not isinstance(node.ctx, ast.Load):
        return -1
    names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    names |= {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    names |= {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    if node.id in names or not (rest.isdigit() or rest in names | known | vars(builtins).keys()):
        return -1
    inside = (
        s for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) for s in ast.walk(f) if isinstance(s, ast.Expr)
    )
    begins = any((s.lineno, s.col_offset) == (node.lineno, node.col_offset) for s in inside)
    return table.offset(node.lineno, node.col_offset) + len("return") if begins else -1
