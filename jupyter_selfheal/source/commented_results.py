"""Results that comments tell: ``print(median([3, 1, 2]))  # 2``, ``f(4)  # -> 16``, ``# expected: [1, 2]``.

Course notebooks and tutorials say in this way what a call gives. A comment is words, so only what leaves no doubt is read: a call of a function by its name
with plain values, and a literal behind it on the same line.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from jupyter_selfheal.inside.parsing import parse_expression
from jupyter_selfheal.model import Cell
from jupyter_selfheal.source.binding import collect_names
from jupyter_selfheal.source.source import read

_TOLD = re.compile(
    r"#+\s*(?:(?:[=-]+>|→|➞|==|(?:the\s+)?(?:expected|correct|output|result|prints?|returns?|gives|shows|(?:this\s+)?(?:should|must|will)\s+(?:be|print|return|give|show|output))"
    r"(?:\s+(?:output|result|value))?)(?:\s*(?::|is|=)(?!=))?)\s*(?P<value>\S.*)$",
    re.IGNORECASE,
)
"""A comment that says that what follows is the result."""


_COUNTED = re.compile(r"[(\[]?(\d+)[.)\]]?")
"""What may number a line, or name a note: ``1``, ``1.``, ``(1)``, ``[1]``."""
_FLOAT = re.compile(r"-?\d+\.(\d+)")


@dataclass(frozen=True, slots=True)
class CommentedResult:
    """What a comment says that a call gives. ``line`` is counted from 1; ``call`` and ``want`` are the texts of expressions. ``told``: words or an arrow
    say that it is the result. ``printed``: it is what ``print`` shows, so that a number and its digits are one."""

    line: int
    function: str
    call: str
    want: str
    told: bool = True
    printed: bool = False

    @property
    def expression(self) -> str:
        """The call; where the comment has a float, rounded to as many decimals."""
        decimals = _FLOAT.fullmatch(self.want)
        return f"round({self.call}, {len(decimals[1])})" if decimals else self.call

    @property
    def example(self) -> str:
        """The call as an example that doctest runs."""
        return f"print({self.expression})" if self.printed else self.expression

    @property
    def result_text(self) -> str:
        """What that example shows."""
        value = ast.literal_eval(self.want)
        return value if self.printed and isinstance(value, str) else self.want

    @property
    def check(self) -> str:
        """The assert that holds where the call gives what the comment says."""
        is_number = self.printed and re.fullmatch(r"-?\d+", self.want)
        return (
            f"assert {self.expression} in ({self.want}, '{self.want}')"
            if is_number
            else f"assert {self.expression} == {self.want}"
        )


def list_commented_results(cell: Cell, above: Iterable[str] = ()) -> Sequence[CommentedResult]:
    """The results that comments of a cell tell of its calls, in order; ``above`` are the sources of the cells before it.

    Functions of the notebook alone are asked, and only those that keep and change nothing outside of themselves: they are called again when the cell has
    run. What the stored output of a cell that ran contradicts is left out: that comment has grown old. So are numbers that only count.
    """
    source = read(cell.source)
    if "#" not in cell.source or source.tree is None:
        return ()
    comments, variables = _find_comments(source.masked_text), _find_variables(source.tree)
    found = [result for node in source.tree.body for result in _read_statement(node, comments, variables)]
    if not found:
        return ()
    functions, lines = _find_pure_functions(source.tree, above), _list_printed_lines(cell)
    found = [r for r in found if r.function in functions and (not lines or _strip_quotes(r.want) in lines)]
    bare = [r.want for r in found if not r.told and _COUNTED.fullmatch(r.want)]
    counts = _only_count(bare)
    return tuple(r for r in found if r.told or not (counts and _COUNTED.fullmatch(r.want)))


def add_checks(cell: Cell, above: Iterable[str], *, told_alone: bool) -> Cell:
    """The cell, held to what its comments tell, where nothing else is expected of it. ``told_alone``: to those with words or an arrow before the result."""
    results = () if cell.oracle or cell.oracle.spec else list_commented_results(cell, above)
    checks = tuple(r.check for r in results if r.told or not told_alone)
    return replace(cell, oracle=replace(cell.oracle, checks=checks)) if checks else cell


def _find_pure_functions(tree: ast.Module, above: Iterable[str]) -> set[str]:
    """The functions that the cell or one above it defines, once in the cell, and that neither they nor what they call keep or change anything outside."""
    functions: dict[str, ast.FunctionDef] = {}
    others: set[str] = set()
    imported = set(collect_names(tree.body).imports)
    for text in above:
        tree_above = read(text).tree
        body = tree_above.body if tree_above else []
        own = {node.name: node for node in body if isinstance(node, ast.FunctionDef)}
        others = (others | read(text).names.binds) - own.keys()
        imported |= read(text).names.imports
        functions.update(own)
    bound = Counter(name for statement in tree.body for name in collect_names([statement]).binds)
    own = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    defined = functions | own
    others |= {name for name, times in bound.items() if times > 1 or name not in own}
    pure = {name for name, node in defined.items() if not _keeps_something(node)} - others
    unsure = (defined.keys() | others) - imported
    while impure := {name for name in pure if _list_called(defined[name]) & unsure - pure}:
        pure -= impure
    return pure


def _keeps_something(node: ast.FunctionDef) -> bool:
    defaults = [*node.args.defaults, *(d for d in node.args.kw_defaults if d)]
    if (
        any(not isinstance(default, ast.Constant | ast.UnaryOp | ast.Tuple) for default in defaults)
        or node.decorator_list
    ):
        return True
    names, given = collect_names(node.body), {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
    changes = names.changes - names.binds - given
    return bool(changes) or any(isinstance(n, ast.Global | ast.Nonlocal) for n in ast.walk(node))


def _list_called(node: ast.AST) -> set[str]:
    return {n.func.id for n in ast.walk(node) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}


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
        yield CommentedResult(node.lineno, call.func.id, plain, want, bool(_TOLD.match(comment)), call is not value)


def _read_value(comment: str) -> str:
    """The literal that a comment is, or says to be the result; empty where there is none, or one that nobody means: ``...``, a tuple without brackets,
    rounded numbers in a collection."""
    told = _TOLD.match(comment)
    text = (told["value"] if told else comment.lstrip("#")).strip()
    try:
        node = parse_expression(text)
        value = ast.literal_eval(node)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return ""
    is_rounded = not isinstance(value, float) and any(len(decimals) > 1 for decimals in _FLOAT.findall(text))
    is_tuple = isinstance(node, ast.Tuple) and not text.startswith("(")
    holds_dots = any(isinstance(n, ast.Constant) and n.value is ... for n in ast.walk(node))
    return "" if is_rounded or is_tuple or holds_dots or "\n" in str(value) else text


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


def _only_count(wants: Sequence[str]) -> bool:
    """Whether whole numbers that no word calls a result may be numbers of lines, of steps or of notes: one alone, and a row of equal steps."""
    numbers = [int(match[1]) for want in wants if (match := _COUNTED.fullmatch(want))]
    if len(numbers) < 2:
        return bool(numbers) and not wants[0].startswith("[")
    steps = {after - before for before, after in pairwise(numbers)}
    return len(steps) == 1 and (len(numbers) > 2 or steps <= {1, -1})
