"""Mutation operators over statements: one missing, too many, in the wrong place, or of the wrong kind."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from jupyter_selfheal.inside.search.mutations.senseless_code import ends_in_first_round
from jupyter_selfheal.inside.search.scope import NUMBER, Change, Kind, Scope
from jupyter_selfheal.inside.search.text_methods import CHANGED_TEXTS
from jupyter_selfheal.inside.tree_names import list_names

_IN_PLACE = frozenset({"sort", "append", "reverse", "extend", "update", "add", "insert", "remove", "clear", "shuffle"})
EMPTY_BRANCH = 0.4
"""What remains of the weight of taking out all that a branch does: somebody wrote it to do something there."""
_LOOPS = ast.For | ast.While | ast.AsyncFor
_COMPUTED = (
    ast.Call | ast.Compare | ast.BinOp | ast.BoolOp | ast.IfExp | ast.Name | ast.Subscript | ast.JoinedStr
    | ast.List | ast.Tuple | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp | ast.GeneratorExp
)  # fmt: skip
"""What stands on a line of its own and comes to a value that nothing takes."""


def propose_other_kinds(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``while`` for ``if``, ``return`` for ``yield``, ``continue`` for ``break``, ``else``-less ``elif``, ``x =+ y``."""
    line = getattr(node, "lineno", 0)
    if isinstance(node, ast.If | ast.While):
        word = "elif" if s.text.startswith("elif", s.start_of(node)) else "if" if isinstance(node, ast.If) else "while"
        for new, prior in {"if": (("while", 0.3),), "while": (("if", 0.2),), "elif": (("if", 0.35),)}[word]:
            yield Change(
                ((s.start_of(node), s.start_of(node) + len(word), new),), prior, line, f"`{word}` should be `{new}`"
            )
        if word == "if":
            before = s.find_previous_statement(node)
            if isinstance(before, ast.If) and not before.orelse:
                yield Change(((s.start_of(node), s.start_of(node) + 2, "elif"),), 0.35, line, "`if` should be `elif`")
    elif isinstance(node, ast.Break | ast.Continue):
        old, new = ("break", "continue") if isinstance(node, ast.Break) else ("continue", "break")
        yield Change(((s.start_of(node), s.end_of(node), new),), 0.55, line, f"`{old}` should be `{new}`")
        for text in ("pass", "return"):
            yield Change(((s.start_of(node), s.end_of(node), text),), 0.15, line, f"`{old}` should be `{text}`")
    elif (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Yield | ast.YieldFrom)
        and node.value.value is not None
    ):
        value = s.text_of(node.value.value)
        other = f"yield {value}" if isinstance(node.value, ast.YieldFrom) else f"yield from {value}"
        yield Change(
            ((s.start_of(node), s.end_of(node), other),), 0.6, line, f"`{s.text_of(node)}` should be `{other}`"
        )
        yield Change(((s.start_of(node), s.end_of(node), f"return {value}"),), 0.15, line, "`yield` should be `return`")
    elif isinstance(node, ast.Assign) and len(node.targets) == 1:
        yield from _propose_assignments(s, node)
    elif isinstance(node, ast.Return) and node.value is not None and s.is_in_loop(node):
        yield Change(((s.start_of(node), s.start_of(node) + 6, "yield"),), 0.15, line, "`return` should be `yield`")
    elif isinstance(node, ast.Expr) and isinstance(node.value, _COMPUTED):
        yield from _propose_use_of_value(s, node)


def _propose_assignments(s: Scope, node: ast.Assign) -> Iterator[Change]:
    target, value, line = s.text_of(node.targets[0]), node.value, node.lineno
    start, end = s.end_of(node.targets[0]), s.start_of(value)
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.UAdd | ast.USub | ast.Invert):
        sign = s.text[end]
        if sign in "+-":
            whole = (s.start_of(node), s.end_of(node), f"{target} {sign}= {s.text_of(value.operand)}")
            is_number = isinstance(value.operand, ast.Constant)  # nobody writes `+1` for a number
            is_beside = s.text[end - 1] == "=" or (
                sign == "+" and is_number
            )  # who writes `n = -1` with its spaces means it
            prior, words = 0.95 if is_beside else 0.4, f"`={sign}` should be `{sign}=`"
            yield Change((whole,), prior, line, words, "senseless" if is_beside else "guess")
    for op, prior in (("+=", 0.4), ("-=", 0.2), ("*=", 0.2), ("|=", 0.08), ("//=", 0.06), ("/=", 0.06)):
        if s.may_be(value, NUMBER) or op == "+=":
            yield Change(((start, end, f" {op} "),), prior, line, f"`=` should be `{op}`")
    method = value.func.attr if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) else ""
    if method in _IN_PLACE and isinstance(node.targets[0], ast.Name):
        yield Change(((s.start_of(node), s.end_of(node), s.text_of(value)),), 0.6, line, f"`.{method}()` returns None")
    if isinstance(value, ast.Name) and isinstance(node.targets[0], ast.Name):
        yield Change(
            ((s.start_of(node), s.end_of(node), f"{value.id} = {target}"),),
            0.3,
            line,
            "the assignment is the wrong way round",
        )
    if isinstance(node.targets[0], ast.Tuple) and isinstance(value, ast.Tuple) and len(value.elts) == 2:
        first, second = node.targets[0].elts[:2]
        edits = (s.replace_node(first, s.text_of(second)), s.replace_node(second, s.text_of(first)))
        yield Change(edits, 0.3, line, "the targets are exchanged")


def _is_returned(s: Scope, node: ast.AST, name: str) -> bool:
    """Whether the function around a statement returns a variable."""
    function = s.find_function(node)
    returned = (n.value for n in ast.walk(function) if isinstance(n, ast.Return)) if function is not None else ()
    given = (part for v in returned for part in (v.elts if isinstance(v, ast.Tuple) else [v]))
    return any(isinstance(v, ast.Name) and v.id == name for v in given)


def _propose_use_of_value(s: Scope, node: ast.Expr) -> Iterator[Change]:
    """``x.replace(…)`` whose result is dropped; a value that should be returned, an ``==`` that should assign."""
    text, value, line = " ".join(s.text_of(node).split()), node.value, node.lineno
    inside = isinstance(s.find_function(node), ast.FunctionDef | ast.AsyncFunctionDef)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and isinstance(value.func.value, ast.Name):
        edit = (s.start_of(node), s.start_of(node), f"{value.func.value.id} = ")
        is_senseless = value.func.attr in CHANGED_TEXTS and _is_returned(s, node, value.func.value.id)
        words, prior = f"the result of `{text}` is dropped", 0.8 if is_senseless else 0.35
        yield Change((edit,), prior, line, words, "senseless" if is_senseless else "guess")
    if (
        isinstance(value, ast.Call)
        and s.text_of(value.func) == "sorted"
        and isinstance(value.args[0] if value.args else None, ast.Name)
    ):
        edit = (s.start_of(node), s.start_of(node), f"{s.text_of(value.args[0])} = ")
        yield Change((edit,), 0.6, line, f"the result of `{text}` is dropped")
    if isinstance(value, ast.Compare) and isinstance(value.ops[0], ast.Eq):
        new = f"{s.text_of(value.left)} = {s.text_of(value.comparators[0])}"
        yield Change(((s.start_of(node), s.end_of(node), new),), 0.9, line, "`==` should be `=`", "senseless")
    if isinstance(value, ast.BinOp) and isinstance(value.left, ast.Name | ast.Attribute | ast.Subscript):
        sign = s.text[s.end_of(value.left) : s.start_of(value.right)].strip(" ()")
        new = f"{s.text_of(value.left)} {sign}= {s.text_of(value.right)}"
        edit = (s.start_of(node), s.end_of(node), new)
        yield Change((edit,), 0.8, line, f"the result of `{text}` is dropped", "senseless")
    if inside:
        yield Change(((s.start_of(node), s.start_of(node), "return "),), 0.5, line, f"`{text}` is not returned")
    for name in s.values:
        yield Change(
            ((s.start_of(node), s.start_of(node), f"{name} = "),), 0.06, line, f"the result of `{text}` is dropped"
        )


def propose_removals(s: Scope, node: ast.AST) -> Iterator[Change]:
    """A statement too many inside a block, a condition around statements too many, an ``else`` too many."""
    if not isinstance(node, ast.stmt) or isinstance(s.parents.get(node), ast.Module) or s.read_indent(node) is None:
        return
    if isinstance(
        node,
        ast.FunctionDef
        | ast.AsyncFunctionDef
        | ast.ClassDef
        | ast.Pass
        | ast.Global
        | ast.Nonlocal
        | ast.Try
        | ast.Raise,
    ):
        return
    if s.text.startswith("elif", s.start_of(node)):
        return
    yield _remove_statement(s, node)
    if isinstance(node, ast.If | ast.While | ast.For) and not node.orelse and s.read_indent(node.body[0]) is not None:
        yield _remove_condition(s, node)
    if (
        isinstance(node, ast.If)
        and node.orelse
        and not s.is_elif(node, node.orelse)
        and s.read_indent(node.orelse[0]) is not None
    ):
        yield from _change_branches(s, node)


def _remove_statement(s: Scope, node: ast.stmt) -> Change:
    start, end, _ = s.find_line_span(node)
    is_alone = any(len(block) == 1 and block[0] is node for block in s.list_blocks())
    prior = 0.15 if isinstance(node, ast.Return) else 0.14 if hasattr(node, "body") else 0.3
    prior *= EMPTY_BRANCH if is_alone and isinstance(s.parents.get(node), ast.If) else 1
    nothing = f"{s.read_indent(node)}pass\n" if is_alone else ""
    return Change(((start, end, nothing),), prior, node.lineno, _say_too_many(s, node))


def _remove_condition(s: Scope, node: ast.If | ast.While | ast.For) -> Change:
    """What stands in the block, without what stands around it."""
    start, end, _ = s.find_line_span(node)
    inner = s.text[s.find_line_span(node.body[0])[0] : end]
    shifted = _shift_text(inner, str(s.read_indent(node.body[0])), str(s.read_indent(node)))
    return Change(((start, end, shifted),), 0.2, node.lineno, _say_too_many(s, node))


def _change_branches(s: Scope, node: ast.If) -> Iterator[Change]:
    """Without the word ``else``, and with the two branches in each other's place."""
    end = s.find_line_span(node)[1]
    head = s.find_line_span(node.body[-1])[1]
    other_start = s.find_line_span(node.orelse[0])[0]
    other = s.text[other_start:end]
    inner = _shift_text(other, str(s.read_indent(node.orelse[0])), str(s.read_indent(node)))
    yield Change(((head, end, inner),), 0.2, node.lineno, "`else` is too many")
    if s.read_indent(node.body[0]) is not None:
        body_start = s.find_line_span(node.body[0])[0]
        swap = (body_start, head, _end_line(other)), (other_start, end, s.text[body_start:head])
        yield Change(swap, 0.3, node.lineno, "the branches are exchanged")


def _say_too_many(s: Scope, node: ast.stmt) -> str:
    return f"`{s.text_of(node).splitlines()[0]}` is too many"


def _end_line(text: str) -> str:
    return text if text.endswith("\n") else text + "\n"


def _shift_text(text: str, old: str, new: str) -> str:
    lines = text.splitlines(keepends=True)
    return "".join(new + line[len(old) :] if line.startswith(old) else line for line in lines)


def propose_moves(s: Scope, node: ast.AST) -> Iterator[Change]:
    """The last statement of a block after it, the statement after a block into it, two neighbours exchanged."""
    for name in ("body", "orelse"):
        body = getattr(node, name, None)
        if not isinstance(body, list) or not body or isinstance(node, ast.Module):
            continue
        for first, second in itertools.pairwise(body):
            yield from _propose_swaps(s, first, second)
        for n, inner in enumerate(body):
            if isinstance(inner, _LOOPS) and not inner.orelse:
                yield from _propose_longer_loop(s, inner, body[n + 1 :])
    if (
        not isinstance(node, ast.If | _LOOPS | ast.With)
        or s.read_indent(node) is None
        or not isinstance(node.body[-1], ast.stmt)
    ):
        return
    outer = str(s.read_indent(node))
    for body in (node.body, getattr(node, "orelse", [])):
        if len(body) < 2 or s.read_indent(body[-1]) is None:
            continue
        last = body[-1]
        start, end, _ = s.find_line_span(last)
        text = _end_line(_shift_text(s.text[start:end], str(s.read_indent(last)), outer))
        whole = s.find_line_span(node)[1]
        words = f"`{s.text_of(last).splitlines()[0]}` belongs after the block"
        if whole == end:
            is_senseless = ends_in_first_round(s, node)
            prior = 0.9 if is_senseless else 0.6 if isinstance(last, ast.Return) else 0.35
            kind: Kind = "senseless" if is_senseless else "guess"
            # of the two lines the more suspicious counts: it may not run where the block is not entered
            for line in (last.lineno, node.lineno):
                yield Change(((start, end, text),), prior, line, words, kind)
        else:
            yield Change(((start, end, ""), (whole, whole, text)), 0.25, last.lineno, words)
        first = body[0]
        at = s.find_line_span(node)[0]
        if s.read_indent(first) is not None:
            lo, hi, _ = s.find_line_span(first)
            text = _shift_text(s.text[lo:hi], str(s.read_indent(first)), outer)
            yield Change(
                ((at, at, text), (lo, hi, "")),
                0.25,
                first.lineno,
                f"`{s.text_of(first).splitlines()[0]}` belongs before the block",
            )


def _propose_longer_loop(s: Scope, loop: ast.For | ast.AsyncFor | ast.While, after: list[ast.stmt]) -> Iterator[Change]:
    """All statements below a loop, up to the last ``return``, belong into it: they stand too far to the left.

    Where they alone change what a ``while`` reads, the fault is the loop's: it never comes to them.
    """
    moved = after[:-1] if after and isinstance(after[-1], ast.Return) else after
    inner = s.read_indent(loop.body[-1])
    if not moved or inner is None or any(s.read_indent(n) is None for n in moved):
        return
    condition = list_names(loop.test) if isinstance(loop, ast.While) else set()
    is_needed = condition & _list_changed(moved) - _list_changed(loop.body)
    if len(moved) < 2 and not is_needed:
        return  # one statement: see the exchange of two neighbours
    start, end = s.find_line_span(moved[0])[0], s.find_line_span(moved[-1])[1]
    text = _shift_text(s.text[start:end], str(s.read_indent(moved[0])), inner)
    words = f"`{s.text_of(moved[0]).splitlines()[0]}`{' and what is below belong' if moved[1:] else ' belongs'} into the loop"
    prior, line = (0.8, loop.lineno) if is_needed else (0.3, moved[0].lineno)
    yield Change(((start, end, text),), prior, line, words)


def _list_changed(statements: list[ast.stmt]) -> set[str]:
    """Names that are bound there, or whose methods are called."""
    nodes = [n for statement in statements for n in ast.walk(statement)]
    bound = {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    calls = [n.func.value for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
    return bound | {n.id for n in calls if isinstance(n, ast.Name)}


def _propose_swaps(s: Scope, first: ast.stmt, second: ast.stmt) -> Iterator[Change]:
    if s.read_indent(first) is None or s.read_indent(second) is None or s.text.startswith("elif", s.start_of(second)):
        return
    a, b = s.find_line_span(first), s.find_line_span(second)
    texts = s.text[a[0] : a[1]], s.text[b[0] : b[1]]
    words = f"`{s.text_of(first).splitlines()[0]}` and `{s.text_of(second).splitlines()[0]}` are in the wrong order"
    if not s.is_doc(getattr(first, "value", first)):
        yield Change(((a[0], a[1], _end_line(texts[1])), (b[0], b[1], texts[0])), 0.3, first.lineno, words)
    if isinstance(first, ast.If | _LOOPS) and s.read_indent((first.orelse or first.body)[-1]) is not None:
        inner = str(s.read_indent((first.orelse or first.body)[-1]))
        text = _shift_text(texts[1], str(s.read_indent(second)), inner)
        prior = 0.15 if isinstance(second, ast.Return) else 0.35
        yield Change(
            ((b[0], b[1], text),),
            prior,
            second.lineno,
            f"`{s.text_of(second).splitlines()[0]}` belongs into the block above",
        )
        if first.orelse and s.read_indent(first.body[-1]) is not None:
            at = s.find_line_span(first.body[-1])[1]
            yield Change(
                (
                    (
                        at,
                        at,
                        _end_line(
                            _shift_text(texts[1], str(s.read_indent(second)), str(s.read_indent(first.body[-1])))
                        ),
                    ),
                    (b[0], b[1], ""),
                ),
                0.15,
                second.lineno,
                f"`{s.text_of(second).splitlines()[0]}` belongs into the branch above",
            )


OPERATORS = (propose_other_kinds, propose_removals, propose_moves)
