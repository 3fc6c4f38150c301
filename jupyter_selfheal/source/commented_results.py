"""Results that comments tell: ``print(median([3, 1, 2]))  # 2``, ``f(4)  # -> 16``, ``# expected: [1, 2]``.

Course notebooks and tutorials say in this way what a call gives. A comment is words, so only what leaves no doubt is read: a call of a function by its name
with plain values, and a literal behind it on the same line.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from jupyter_selfheal.inside.parsing import parse_expression
from jupyter_selfheal.model import Cell
from jupyter_selfheal.source.source import read

_TOLD = re.compile(
    r"#+\s*(?:(?:[=-]+>|→|➞|==|(?:the\s+)?(?:expected|correct|output|result|prints?|returns?|gives|shows|(?:this\s+)?(?:should|must|will)\s+(?:be|print|return|give|show|output))"
    r"(?:\s+(?:output|result|value))?)(?:\s*(?::|is|=)(?!=))?)\s*(?P<value>\S.*)$",
    re.IGNORECASE,
)
"""A comment that says that what follows is the result."""


@dataclass(frozen=True, slots=True)
class CommentedResult:
    """What a comment says that a call gives. ``line`` is counted from 1; ``call`` and ``want`` are the texts of expressions."""

    line: int
    function: str
    call: str
    want: str

    @property
    def example(self) -> str:
        """The call as an example that doctest runs; a float is asked for with as many decimals as the comment has."""
        decimals = len(self.want.partition(".")[2]) if re.fullmatch(r"-?\d+\.\d+", self.want) else 0
        return f"round({self.call}, {decimals})" if decimals else self.call

    @property
    def check(self) -> str:
        """The assert that holds where the call gives what the comment says."""
        return f"assert {self.example} == {self.want}"


def list_commented_results(cell: Cell) -> Sequence[CommentedResult]:
    """The results that comments of a cell tell of its calls, in order; none where the comments only number the lines, or the cell cannot be parsed.

    What the stored output of a cell that ran contradicts is left out: that comment has grown old.
    """
    source = read(cell.source)
    if "#" not in cell.source or source.tree is None:
        return ()
    comments, variables = _find_comments(source.masked), _find_variables(source.tree)
    found = [result for node in source.tree.body for result in _read_statement(node, comments, variables)]
    told = any(_TOLD.match(comments[result.line]) for result in found)
    if not told and _are_numbers_of_lines([result.want for result in found]):
        return ()
    lines = _list_printed_lines(cell)
    return tuple(result for result in found if not lines or _strip_quotes(result.want) in lines)


def add_checks(cell: Cell) -> Cell:
    """The cell, held to what its comments tell, where nothing else is expected of it."""
    results = () if cell.oracle or cell.oracle.spec else list_commented_results(cell)
    return replace(cell, oracle=replace(cell.oracle, checks=tuple(r.check for r in results))) if results else cell


def _list_printed_lines(cell: Cell) -> set[str]:
    """The lines that a cell put out when it ran; none where its last run that is stored failed."""
    if any(output.output_type == "error" for output in cell.outputs):
        return set()
    texts = [output.text or str(output.data.get("text/plain", "")) for output in cell.outputs]
    return {_strip_quotes(line) for text in texts for line in text.splitlines()}


def _strip_quotes(text: str) -> str:
    return text.strip().strip("\"'")


def _find_comments(text: str) -> dict[int, str]:
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return {}
    return {token.start[0]: token.string for token in tokens if token.type == tokenize.COMMENT}


def _find_variables(tree: ast.Module) -> dict[str, tuple[str, int]]:
    """(its text, the line that first reads it) of each variable that a statement of the cell binds to a literal, and nothing else binds."""
    uses: dict[str, list[ast.Name]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            uses.setdefault(node.id, []).append(node)
    found = {}
    for statement in tree.body:
        target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
        if (
            isinstance(statement, ast.Assign)
            and isinstance(target, ast.Name)
            and (text := _write_literal(statement.value))
        ):
            reads = [n.lineno for n in uses[target.id] if isinstance(n.ctx, ast.Load)]
            if len(uses[target.id]) == len(reads) + 1 and reads and min(reads) > statement.lineno:
                found[target.id] = text, min(reads)
    return found


def _write_literal(node: ast.expr) -> str:
    try:
        return repr(ast.literal_eval(node))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return ""


def _read_statement(
    node: ast.stmt, comments: dict[int, str], variables: dict[str, tuple[str, int]]
) -> Iterator[CommentedResult]:
    value = node.value if isinstance(node, ast.Expr) else None
    comment = comments.get(node.end_lineno or 0)
    if not (isinstance(value, ast.Call) and comment) or node.lineno != node.end_lineno:
        return
    printed = isinstance(value.func, ast.Name) and value.func.id == "print"
    call = value.args[0] if printed and len(value.args) == 1 and not value.keywords else value
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)) or call.func.id == "print":
        return
    want, plain = _read_value(comment), _write_plain_call(call, variables)
    if want and plain:
        yield CommentedResult(node.lineno, call.func.id, plain, want)


def _read_value(comment: str) -> str:
    """The literal that a comment is, or says to be the result; empty where there is none."""
    told = _TOLD.match(comment)
    text = (told["value"] if told else comment.lstrip("#")).strip()
    try:
        ast.literal_eval(parse_expression(text))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return ""
    return text


def _write_plain_call(call: ast.Call, variables: dict[str, tuple[str, int]]) -> str:
    """The call with literals alone: a variable that nothing has read before is written out, as nothing can have changed it; empty for any other call."""
    arguments = []
    for name, value in [*(("", a) for a in call.args), *((k.arg, k.value) for k in call.keywords)]:
        text, first_read = (
            variables.get(value.id, ("", 0)) if isinstance(value, ast.Name) else (_write_literal(value), 0)
        )
        if name is None or not text or (first_read and first_read != call.lineno):
            return ""
        arguments.append(f"{name}={text}" if name else text)
    return f"{ast.unparse(call.func)}({', '.join(arguments)})"


def _are_numbers_of_lines(wants: Sequence[str]) -> bool:
    """Whether the comments are whole numbers that count up from 0 or 1, as the numbers of lines or of steps do."""
    if len(wants) < 2 or not all(want.isdecimal() for want in wants):
        return False
    return wants[0] in ("0", "1") and all(int(after) == int(before) + 1 for before, after in pairwise(wants))
