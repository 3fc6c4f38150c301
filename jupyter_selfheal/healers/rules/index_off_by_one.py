"""IDX101: an index one beyond the end."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.model import Applicability, Patch


class IndexOffByOne(Rule):
    """Stop one item earlier.

    **Failure** `IndexError: list index out of range` where the index is a loop's variable that runs one too far:
    `range(len(x) + 1)`, `range(1, len(x) + 1)`, `while i <= len(x)`, `x[i + 1]` under `range(len(x))` or, where neighbours are exchanged, `range(n - i)`; and `x[len(x)]`.

    **Fix** The bound is corrected (`range(len(x))`, `i < len(x)`, `range(len(x) - 1)`); `x[len(x)]` becomes `x[-1]`, the last item.
    Where `x[i + 1]` is all that the loop reads of `x`, `x[i]` is offered too.

    **Fix safety** Safe where the bound is the length of the very sequence that is indexed, so that the last pass can only fail,
    and where `x[i + 1]` is read beside `x[i]`: the pairs of neighbours are one fewer. Unsafe there where words say that the items close a ring, where something is gathered that the last pair does not end (runs of equal items), and where `x[i]` is taken by itself. Unsafe where the index may be what is wrong: of
    `x[i + 1]` alone, where `x[i - 1]` is read too, and where the loop counts from one. Unsafe for `x[len(x)] = v`, which may be
    meant to append.
    """

    code = "IDX101"
    name = "index one beyond the end"
    enames = frozenset({"IndexError", "KeyError"})
    applicability = Applicability.SAFE
    why = "The bound is the length of the sequence that is indexed: its last pass can only fail."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if context.failure.ename == "KeyError" and not context.failure.evalue.strip().lstrip("-").isdigit():
            return
        for failing in context.list_failing_nodes(ast.Subscript):
            if not isinstance(failing, ast.Subscript):
                continue
            owner = context.read_plain_chain(failing.value)
            if not owner:
                continue
            found = list(_list_corrections(context.source, failing, owner))
            found = found or [
                c
                for twin, name in _list_twins(context, failing, owner)
                for c in _list_corrections(context.source, twin, name)
            ]
            for changes, title, doubt in found:
                yield self.patch(
                    context.replace(context.cell_id, changes),
                    title,
                    f"The index goes one past the end of `{owner}`.",
                    applicability=Applicability.UNSAFE if doubt else Applicability.SAFE,
                    why=doubt or self.why,
                    prior=0.6 if doubt else 0.85,
                )
            yield from self._end_at_last_item(context, failing, owner)
            yield from self._use_last_item(context, context.cell_id, context.source, failing, owner)

    def _end_at_last_item(self, context: RuleContext, node: ast.Subscript, owner: str) -> Iterator[Patch]:
        """``low, high = 0, len(xs)`` of a search by halves that goes on ``while low <= high``, with ``high = middle - 1``."""
        loop = next((n for n in _list_loops(context.source, node) if isinstance(n, ast.While)), None)
        if loop is None or not isinstance(node.slice, ast.Name):
            return
        test = _read_text(context.source, loop.test).split("<=")
        given = [n for s in loop.body for n in ast.walk(s) if isinstance(n, ast.Assign)]
        ends = {_read_text(context.source, n).replace(" ", "") for n in given}
        if (
            len(test) != 2
            or not {f"{test[0].strip()}={node.slice.id}+1", f"{test[1].strip()}={node.slice.id}-1"} <= ends
        ):
            return
        for high in (n for n in context.walk(ast.Call) if _read_text(context.source, n) == f"len({owner})"):
            at = next((n for n in context.walk(ast.Assign) if _is_begun(n, test[1].strip(), high)), None)
            if at is not None and at.lineno < loop.lineno:
                end = context.span(high)[1]
                yield self.patch(
                    context.replace_here((end, end, " - 1")),
                    f"Begin with the last index, `len({owner}) - 1`",
                    f"The index goes one past the end of `{owner}`.",
                    why="The search looks at its upper end, too, and goes on below what it looked at.",
                    prior=0.9,
                )

    def _use_last_item(
        self, context: RuleContext, cell_id: str, source: str, node: ast.Subscript, owner: str
    ) -> Iterator[Patch]:
        """``x[3]`` of three items: the count was taken for the last index. Of a pair, either item may be meant."""
        index = node.slice
        if not (isinstance(index, ast.Constant) and type(index.value) is int and index.value > 0):
            return
        keys = context.keys(owner)
        if keys is None or keys.length != index.value or keys.keys or keys.index:
            return
        span = src.find_span(source, index)
        chosen = [(index.value - 1, "last", 0.55)] + ([(0, "first", 0.3)] if index.value == PAIR else [])
        for place, word, prior in chosen:
            yield self.patch(
                context.replace(cell_id, [(*span, str(place))]),
                f"Use the {word} item, `{owner}[{place}]`",
                f"`{owner}` has {index.value} item{'s' * (index.value > 1)}, and counting starts at 0.",
                applicability=Applicability.UNSAFE,
                why="The last item is probably meant.",
                prior=prior,
            )


def _list_twins(context: RuleContext, node: ast.Subscript, owner: str) -> Iterator[tuple[ast.Subscript, str]]:
    """What has as many items, and is indexed alike on the line: ``values[i]`` beside ``errors[i]`` in ``range(len(values) + 1)``."""
    index = context.text(node.slice)
    for other in context.list_nodes_on_line(ast.Subscript):
        name = context.read_plain_chain(other.value)
        if (
            name
            and name != owner
            and context.text(other.slice) == index
            and context.is_true(f"len({name}) == len({owner})")
        ):
            yield other, name


def _is_begun(node: ast.Assign, name: str, value: ast.Call) -> bool:
    """True for ``name = value`` and ``other, name = 0, value``."""
    target = node.targets[0]
    if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
        pairs = zip(target.elts, node.value.elts, strict=False)
        return any(isinstance(t, ast.Name) and t.id == name and v is value for t, v in pairs)
    return isinstance(target, ast.Name) and target.id == name and node.value is value


PAIR = 2
"""Items of which either may be meant: each has a meaning of its own."""
COUNTS = "The loop counts from one: either its bound or the index may be wrong."
INDEX_ALONE = "Either the loop's bound or the index may be wrong: they give different results."
STORED = "An item may be meant to be appended."
CLOSED = "The last item may be meant to be followed by the first one."
LEFT = "What is gathered up to the last item would be lost, or the last item itself."
RING = re.compile(
    r"(?i)(?<![a-z])(?:polygon|corner|vert(?:ex|ices)|perimeter|area|ring|circ(?:le|ular)|cycl(?:e|ic)|closed|round ?trip|tour)s?(?![a-z])"
)
"""Words for items of which the last one is followed by the first."""

Correction = tuple[list[Splice], str, str]
"""Splices, a title, and why another change may be meant (empty: none can)."""


def _list_corrections(source: str, node: ast.Subscript, owner: str) -> Iterator[Correction]:
    length = f"len({owner})"
    index = node.slice
    if _read_text(source, index) == length:
        doubt = STORED if isinstance(node.ctx, ast.Store) else ""
        yield [(*src.find_span(source, index), "-1")], f"Take the last item, `{owner}[-1]`", doubt
        return
    name, shift = _read_index_variable(index)
    if not name:
        return
    for loop in _list_loops(source, node):
        if isinstance(loop, ast.While):
            yield from _mend_while_bound(source, loop, name, length, shift)
        elif (
            _name_target(loop) == name
            and isinstance(loop.iter, ast.Call)
            and _read_text(source, loop.iter.func) == "range"
        ):
            yield from _mend_range_bound(source, loop, node, shift, owner)


def _mend_range_bound(
    source: str, loop: ast.For | ast.comprehension, node: ast.Subscript, shift: int, owner: str
) -> Iterator[Correction]:
    call = loop.iter
    if not isinstance(call, ast.Call) or not call.args:
        return
    stop = call.args[1] if len(call.args) > 1 else call.args[0]
    counts_from_one = len(call.args) > 1 and _read_text(source, call.args[0]) == "1"
    shortened = shift == 1 and _is_shortened(source, stop, node, owner)
    base, beyond = (_read_text(source, stop), 0) if shortened else _split_bound(source, stop, owner)
    if not base or beyond + shift <= 0:
        return
    bound = base if not shift else f"{base} - {shift}"
    reads_pairs = bool(shift) and _read_offsets(source, node, owner) == {0, shift}
    doubt = COUNTS if counts_from_one else INDEX_ALONE if shift and not reads_pairs else ""
    if not doubt and shift and isinstance(loop, ast.For):
        doubt = _find_part_of_last(source, loop, node, owner)
    yield [(*src.find_span(source, stop), bound)], f"Let the loop end at `{bound}`", doubt
    first = (*src.find_span(source, call.args[0]), "0")
    if counts_from_one and shift == 0:
        yield [first, (*src.find_span(source, stop), base)], f"Count the items of `{owner}` from 0", doubt
    elif doubt and not beyond:
        name, _ = _read_index_variable(node.slice)
        yield [(*src.find_span(source, node.slice), name)], f"Read `{owner}[{name}]`", doubt


def _split_bound(source: str, stop: ast.expr, owner: str) -> tuple[str, int]:
    """The length of the sequence in a loop's bound, as it is written there, and how much is added; an empty text where it is another bound."""
    text = _read_text(source, stop).replace(" ", "")
    for length in _list_lengths(source, owner):
        beyond = {length: 0, f"{length}+1": 1, f"1+{length}": 1, f"{length}+2": 2}.get(text)
        if beyond is not None:
            return length, beyond
    return "", 0


def _list_lengths(source: str, owner: str) -> list[str]:
    """``len(xs)``, and a name that the cell gives no other value."""
    length = f"len({owner})"
    stored = [n.id for n in src.walk(source) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    given = [
        n.targets[0].id
        for n in src.walk(source)
        if isinstance(n, ast.Assign)
        and len(n.targets) == 1
        and isinstance(n.targets[0], ast.Name)
        and _read_text(source, n.value) == length
    ]
    return [length, *(name for name in given if stored.count(name) == 1)]


def _is_shortened(source: str, stop: ast.expr, node: ast.Subscript, owner: str) -> bool:
    """True for ``n - i`` in a loop over rounds ``i`` from 0 on, in which neighbours are exchanged: what is behind it is sorted."""
    match stop:
        case ast.BinOp(left=left, op=ast.Sub(), right=ast.Name(id=passed)):
            rounds = [n for n in _list_loops(source, node) if _name_target(n) == passed and isinstance(n, ast.For)]
        case _:
            return False
    calls = [n.iter for n in rounds if isinstance(n.iter, ast.Call) and _read_text(source, n.iter.func) == "range"]
    from_zero = any(len(c.args) == 1 or _read_text(source, c.args[0]) == "0" for c in calls if c.args)
    name, _ = _read_index_variable(node.slice)
    pair = {f"{owner}[{name}]", f"{owner}[{name}+1]"}
    exchanged = any(
        isinstance(n, ast.Assign)
        and isinstance(n.targets[0], ast.Tuple)
        and {_read_text(source, t).replace(" ", "") for t in n.targets[0].elts} == pair
        for loop in rounds
        for n in ast.walk(loop)
    )
    return from_zero and exchanged and _read_text(source, left) in _list_lengths(source, owner)


def _read_offsets(source: str, node: ast.Subscript, owner: str) -> set[int]:
    """How far from the loop's variable the items stand that are read near the failing one: 0 and 1 of ``x[i + 1] - x[i]``."""
    name, _ = _read_index_variable(node.slice)
    loops = [n for n in _list_loops(source, node) if _name_target(n) == name]
    around = loops[-1] if loops and isinstance(loops[-1], ast.For) else None
    holders = [n for n in src.walk(source) if isinstance(n, ast.stmt) and _contains_node(source, n, node)]
    statements = around.body if around is not None else holders[-1:]
    offsets: set[int] = set()
    for item in (n for s in statements for n in ast.walk(s) if isinstance(n, ast.Subscript)):
        if _read_text(source, item.value) != owner:
            continue
        variable, shift = _read_index_variable(item.slice)
        if variable == name:
            offsets.add(shift)
        elif any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(item.slice)):
            offsets.add(-1)
    return offsets


def _find_part_of_last(source: str, loop: ast.For, node: ast.Subscript, owner: str) -> str:
    """Why the last item may have a part of its own in a loop over pairs of neighbours; empty where it has none."""
    text = source.replace("_", " ")
    if RING.search(text):
        return CLOSED
    name, _ = _read_index_variable(node.slice)
    inside = [n for statement in loop.body for n in ast.walk(statement)]
    grown = {ast.unparse(n.target) for n in inside if isinstance(n, ast.AugAssign)}
    grown |= {
        ast.unparse(n.func.value)
        for n in inside
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr == "append"
    }
    begun = {ast.unparse(t) for n in inside if isinstance(n, ast.Assign) for t in n.targets}
    if grown & begun:
        return LEFT  # a run begins anew in the loop, and nothing ends the last one
    for branch in (n for n in inside if isinstance(n, ast.If)):
        differs = any(
            isinstance(op, ast.NotEq) for n in ast.walk(branch.test) if isinstance(n, ast.Compare) for op in n.ops
        )
        for statement in branch.body if differs else branch.orelse:
            reads = {
                _read_index_variable(n.slice)
                for n in ast.walk(statement)
                if isinstance(n, ast.Subscript) and _read_text(source, n.value) == owner
            }
            if (name, 0) in reads and (name, 1) not in reads:
                return LEFT
    return ""


def _contains_node(source: str, outer: ast.AST, inner: ast.AST) -> bool:
    (start, end), (first, last) = src.find_span(source, outer), src.find_span(source, inner)
    return start <= first and last <= end


def _mend_while_bound(source: str, loop: ast.While, name: str, length: str, shift: int) -> Iterator[Correction]:
    for test in ast.walk(loop.test):
        if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.LtE):
            continue
        if _read_text(source, test.left) == name and _read_text(source, test.comparators[0]) == length:
            start, end = src.find_span(source, test.left)[1], src.find_span(source, test.comparators[0])[0]
            doubt = INDEX_ALONE if shift else "" if _begins_at_zero(source, loop, name) else COUNTS
            yield [(start, end, source[start:end].replace("<=", "<"))], f"Loop while `{name} < {length}`", doubt


def _begins_at_zero(source: str, loop: ast.While, name: str) -> bool:
    """True where the last value that the name is given above the loop is 0."""
    values = [
        n.value
        for n in src.walk(source)
        if isinstance(n, ast.Assign)
        and n.lineno < loop.lineno
        and any(isinstance(t, ast.Name) and t.id == name for t in n.targets)
    ]
    last = max(values, key=lambda n: n.lineno, default=None)
    return isinstance(last, ast.Constant) and last.value == 0


def _read_index_variable(index: ast.expr) -> tuple[str, int]:
    """(name, shift) of ``i``, ``i + 1``, ``i + 2``."""
    if isinstance(index, ast.Name):
        return index.id, 0
    match index:
        case ast.BinOp(left=ast.Name(id=name), op=ast.Add(), right=ast.Constant(value=int(shift))):
            return name, shift
    return "", 0


def _list_loops(source: str, node: ast.AST) -> Iterator[ast.For | ast.While | ast.comprehension]:
    """Loops and comprehensions around a node, outermost first."""
    where = src.find_span(source, node)
    for outer in src.walk(source):
        if isinstance(outer, ast.For | ast.While):
            start, end = src.find_span(source, outer)
            if start <= where[0] and where[1] <= end:
                yield outer
        elif isinstance(outer, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
            start, end = src.find_span(source, outer)
            if start <= where[0] and where[1] <= end:
                yield from outer.generators


def _name_target(loop: ast.For | ast.comprehension | ast.While) -> str:
    return loop.target.id if not isinstance(loop, ast.While) and isinstance(loop.target, ast.Name) else ""


def _read_text(source: str, node: ast.AST) -> str:
    return src.extract_text(source, node)
