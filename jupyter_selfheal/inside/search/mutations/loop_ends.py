"""Mutation operators for where a loop ends: at the last whole window or item, and what is done once no turn has broken it off."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.search.scope import FUNCTIONS, Change, Scope
from jupyter_selfheal.inside.tree_names import is_name

PAIRS = 0.88
"""How likely an inner loop over the same places is to begin behind the outer one: likelier than that either ends one place too far."""


def propose_windows(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``range(len(xs) - k + 1)`` for ``range(len(xs))`` in whose loop ``xs[i:i + k]`` is read: the last window is a whole one."""
    if not isinstance(node, ast.For | ast.ListComp | ast.GeneratorExp):
        return
    loop = node if isinstance(node, ast.For) else node.generators[0]
    match loop:
        case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=[*_, stop], keywords=[])):
            pass
        case ast.comprehension(
            target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=[*_, stop], keywords=[])
        ):
            pass
        case _:
            return
    for size in dict.fromkeys(_list_window_sizes(s, node, name)):
        end = s.text_of(stop)
        if size in end:
            continue
        short = f"{end} - {size}" if size.isidentifier() or size.isdigit() else f"{end} - ({size})"
        for new, prior in ((f"{short} + 1", 0.9), (short, 0.4)):
            edit = (s.start_of(stop), s.end_of(stop), new)
            yield Change((edit,), prior, stop.lineno, f"`{end}` goes past the last whole window, not `{new}`")


def _list_window_sizes(s: Scope, node: ast.AST, name: str) -> Iterator[str]:
    """``k`` of each ``xs[i:i + k]`` and ``xs[i:k + i]``."""
    for part in ast.walk(node):
        match part:
            case ast.Slice(lower=ast.Name(id=low), upper=ast.BinOp(left=left, op=ast.Add(), right=right)) if (
                low == name
            ):
                for one, other in ((left, right), (right, left)):
                    if isinstance(one, ast.Name) and one.id == name:
                        yield s.text_of(other)


def propose_pairs(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``for j in range(i + 1, len(xs))`` for ``range(len(xs))`` or ``range(i, len(xs))`` in a loop of ``i`` over the same: each pair once, and
    nothing with itself."""
    loops: list[ast.For | ast.comprehension] = []
    if isinstance(node, ast.For):
        above = (n for n in s.walk_upwards(node) if isinstance(n, ast.For | FUNCTIONS))
        loops = [n for n in (next(above, None), node) if isinstance(n, ast.For)]
    elif isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp):
        loops = [*node.generators[:2]]
    match [(loop.target, loop.iter) for loop in loops]:
        case [
            (ast.Name(name), ast.Call(ast.Name("range"), [*_, end], [])),
            (ast.Name(), ast.Call(ast.Name("range"), [stop] | [ast.Constant(0) | ast.Name(), stop], []) as inner),
        ] if s.text_of(end).startswith(s.text_of(stop)) and _begins_at(inner, name):
            new = f"range({name} + 1, {s.text_of(stop)})"
            twice = (
                "each item with itself" if len(inner.args) == 2 and is_name(inner.args[0], name) else "each pair twice"
            )
            words = f"`{s.text_of(inner)}` gives {twice}: `{new}`"
            yield Change((s.replace_node(inner, new),), PAIRS, inner.lineno, words)


def _begins_at(inner: ast.Call, name: str) -> bool:
    """Whether a ``range`` begins at 0, or at the place that the loop around it is at."""
    return len(inner.args) == 1 or isinstance(inner.args[0], ast.Constant) or is_name(inner.args[0], name)


def propose_past_end(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``range(len(xs))`` for ``range(len(xs) + 1)`` in whose loop ``xs[i]`` is read: the last round has no item."""
    match node:
        case ast.For(
            target=ast.Name(id=name),
            iter=ast.Call(
                func=ast.Name(id="range"),
                args=[*_, ast.BinOp(ast.Call(ast.Name("len"), [of]) as size, ast.Add(), ast.Constant(int())) as stop],
            ),
        ):
            read = f"{s.text_of(of)}[{name}]"
            if any(isinstance(n, ast.Subscript) and s.text_of(n) == read for n in ast.walk(node)):
                edit = (s.end_of(size), s.end_of(stop), "")
                yield Change((edit,), 0.95, stop.lineno, f"`{s.text_of(stop)}` goes past the last `{read}`")


def propose_else_of_loop(s: Scope, node: ast.AST) -> Iterator[Change]:
    """What stands below ``if …: break`` in a loop is done once, in the loop's ``else``: where no turn has broken it off."""
    if not isinstance(node, ast.For | ast.While) or node.orelse or len(node.body) < 2:
        return
    at = next((n for n, stmt in enumerate(node.body) if _breaks_off(stmt)), len(node.body))
    moved = node.body[at + 1 :]
    outer = s.read_indent(node)
    inner = [s.read_indent(stmt) for stmt in moved]
    if not moved or outer is None or None in inner or any(_steers_loop(stmt) for stmt in moved):
        return
    start = s.find_line_span(moved[0])[0]
    yield Change(
        ((start, start, f"{outer}else:\n"),),
        0.55 if len(moved) == 1 else 0.3,
        moved[0].lineno,
        "it is done in each turn, not once where no turn has broken the loop off",
    )


def _breaks_off(stmt: ast.stmt) -> bool:
    """``if …: break``, also behind other statements."""
    return isinstance(stmt, ast.If) and isinstance(stmt.body[-1], ast.Break) and not stmt.orelse


def _steers_loop(stmt: ast.stmt) -> bool:
    """Whether a statement breaks a loop off, goes on with it or steps it, and so belongs to the turn."""
    return any(isinstance(n, ast.Break | ast.Continue) for n in ast.walk(stmt)) or (
        isinstance(stmt, ast.AugAssign) and isinstance(stmt.target, ast.Name)
    )


def propose_counted_step(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``i += count`` for ``i += 1`` below an inner loop that counts ``count``: the next round begins behind what was counted."""
    loop = s.parents.get(node)
    match node:
        case ast.AugAssign(ast.Name(index), ast.Add(), ast.Constant(1) as step) if isinstance(loop, ast.While):
            above = [n for n in loop.body if isinstance(n, ast.For | ast.While) and n.lineno < node.lineno]
        case _:
            return
    counts = (n for inner in above for n in ast.walk(inner) if isinstance(n, ast.AugAssign))
    for name in dict.fromkeys(n.target.id for n in counts if isinstance(n.target, ast.Name)):
        if name != index:
            words = f"`{index}` should move by what was counted, `{name}`, and not by 1"
            yield Change((s.replace_node(step, name),), 0.6, node.lineno, words)


def propose_first_of_inner(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``for k in range(2, n)`` for ``range(n)`` above ``for d in range(2, k)``: before that there is nothing to go through."""
    match node:
        case ast.For(ast.Name(name), ast.Call(ast.Name("range"), [stop], []) as whole):
            pass
        case _:
            return
    for inner in ast.walk(node):
        match inner:
            case ast.For(iter=ast.Call(ast.Name("range"), [ast.Constant(int(first)), end], [])) if first > 1:
                if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(end)):
                    new = f"range({first}, {s.text_of(stop)})"
                    words = f"`{s.text_of(whole)}` should be `{new}`, as the loop within it begins with {first}"
                    yield Change((s.replace_node(whole, new),), 0.5, node.lineno, words)


OPERATORS = (
    propose_windows, propose_pairs, propose_past_end, propose_else_of_loop, propose_counted_step, propose_first_of_inner,
)  # fmt: skip
