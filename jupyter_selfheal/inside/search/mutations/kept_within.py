"""Mutation operators for places and amounts that leave their range: a turn by more than there are items, letters behind the last one, how far a
place is from where it began, a divisor up to the root; what stands for a whole word, and a first letter of what is empty."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.positions import Edit
from jupyter_selfheal.inside.search.mutations.textbook import propose_way_back
from jupyter_selfheal.inside.search.scope import TEXT, Change, Scope

_BEGINS = {"ord('a')": 26, "ord('A')": 26, "97": 26, "65": 26, "ord('0')": 10, "48": 10}
"""From where letters and digits are counted, and how many there are."""


def propose_turned_within(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``k %= len(xs)`` above ``xs[-k:] + xs[:-k]``, which turns a list by ``k`` places: after all of them it is as it was."""
    match node:
        case ast.BinOp(
            ast.Subscript(ast.Name(name), ast.Slice(ast.expr() as low, None, None)),
            ast.Add(),
            ast.Subscript(ast.Name(other), ast.Slice(None, ast.expr() as high, None)),
        ) if name == other and s.text_of(low) == s.text_of(high):
            names = [n.id for n in ast.walk(low) if isinstance(n, ast.Name) and n.id not in ("len", name)]
        case _:
            return
    statement = next((p for p in (node, *s.walk_upwards(node)) if isinstance(p, ast.stmt)), None)
    yield from _turn_other_way(s, node)
    if len(names) != 1 or statement is None or "%" in s.text_of(low) or s.read_indent(statement) is None:
        return
    turns, start, indent = names[0], s.find_line_span(statement)[0], s.read_indent(statement)
    function = s.find_function(node)
    if any(isinstance(n, ast.Mod) for n in ast.walk(function)):
        return
    for text, prior in ((f"{turns} %= len({name})", 0.8), (f"{turns} = {turns} % len({name}) if {name} else 0", 0.7)):
        words = f"`{turns}` may be more than there are items: `{text}` is missing"
        yield Change(((start, start, f"{indent}{text}\n"),), prior, node.lineno, words)


def _turn_other_way(s: Scope, node: ast.BinOp) -> Iterator[Change]:
    """``xs[-k:] + xs[:-k]`` for ``xs[k:] + xs[:k]``, and back."""
    match node:
        case ast.BinOp(
            ast.Subscript(_, ast.Slice(ast.Name(turns) as low)), _, ast.Subscript(_, ast.Slice(_, ast.Name() as high))
        ):
            new = f"-{turns}"
        case ast.BinOp(
            ast.Subscript(_, ast.Slice(ast.UnaryOp(ast.USub(), ast.Name(new)) as low)),
            _,
            ast.Subscript(_, ast.Slice(_, ast.UnaryOp() as high)),
        ):
            pass
        case _:
            return
    edits = tuple((s.start_of(n), s.end_of(n), new) for n in (low, high))
    yield Change(edits, 0.6, node.lineno, f"`{s.text_of(node)}` turns the other way")


def propose_alphabet_again(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``chr((ord(c) - 97 + k) % 26 + 97)`` for ``chr(ord(c) - 97 + k + 97)``: after the last letter comes the first again."""
    match node:
        case ast.Call(ast.Name("chr"), [ast.BinOp(left, ast.Add(), begins) as moved], []):
            first, size = s.text_of(begins), _count_from(s, begins)
        case _:
            return
    taken = [s.text_of(n.right) for n in ast.walk(left) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Sub)]
    if size and first in taken and not any(isinstance(n, ast.Mod) for n in ast.walk(left)):
        words = f"`{s.text_of(node)}` leaves what it counts from `{first}`: after the last comes the first"
        text = f"{s.parenthesize(left)} % {size} + {first}"
        yield Change((s.replace_node(moved, text),), 0.85, node.lineno, words)


def propose_wrap_in_place(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``chr((ord(c) - 97 + k) % 26 + 97)`` where the remainder is taken of something else (``(ord(c) - 97 + k) + 97 % 26``, ``ord(c) - 97 + k % 26 +
    97``), and where 97 only comes back (``(ord(c) + k) % 26 + 97``)."""
    match node:
        case ast.Call(ast.Name("chr"), [ast.BinOp(left, ast.Add(), right) as moved], []):
            pass
        case _:
            return
    match left, right:
        case _, ast.BinOp(begins, ast.Mod(), ast.Constant(size)):
            whole = s.parenthesize(left) if _is_taken(s, left, begins) else ""
        case ast.BinOp(counted, ast.Mod(), ast.Constant(size)), begins:
            whole = "" if _is_taken(s, counted, begins) else _take_away(s, counted, s.text_of(begins))
        case _, begins:
            size, whole = _count_from(s, begins), ""
            wrapped = [n for n in ast.walk(left) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mod)]
            if len(wrapped) == 1 and s.text_of(wrapped[0].right) == str(size) and _is_taken(s, left, begins):
                whole = (
                    f"({_put(s, left, wrapped[0], s.text_of(wrapped[0].left))})"
                    if not _find_ords(wrapped[0].left)
                    else ""
                )
    if whole and size and size == _count_from(s, begins):
        first = s.text_of(begins)
        words = f"`{s.text_of(node)}` wraps something else than how far a letter is from `{first}`"
        text = f"{whole} % {size} + {first}"
        yield Change(((s.start_of(moved), s.end_of(moved), text),), 0.85, node.lineno, words)


def _is_taken(s: Scope, counted: ast.AST, begins: ast.expr) -> bool:
    """Whether what a letter is counted from is taken away in it."""
    signs = (n for n in ast.walk(counted) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Sub))
    return any(s.text_of(n.right) == s.text_of(begins) for n in signs)


def _take_away(s: Scope, counted: ast.expr, first: str) -> str:
    """``(ord(c) - first + k)`` for ``ord(c) + k``."""
    found = _find_ords(counted)
    parent = s.parents.get(found[0]) if len(found) == 1 else None
    if not isinstance(parent, ast.BinOp) or not isinstance(parent.op, ast.Add | ast.Sub):
        return ""
    is_behind_minus = isinstance(parent.op, ast.Sub) and parent.right is found[0]
    if is_behind_minus or any(isinstance(n, ast.Mod) for n in ast.walk(counted)):
        return ""
    return f"({_put(s, counted, found[0], f'{s.text_of(found[0])} - {first}')})"


def _find_ords(part: ast.AST) -> list[ast.expr]:
    """The calls of ``ord`` in a part that are given a name, or an item."""
    calls = (
        n for n in ast.walk(part) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "ord"
    )
    return [c for c in calls if len(c.args) == 1 and not isinstance(c.args[0], ast.Constant)]


def _put(s: Scope, whole: ast.expr, part: ast.expr, text: str) -> str:
    """The text of an expression with another one in the place of a part."""
    return f"{s.text[s.start_of(whole) : s.start_of(part)]}{text}{s.text[s.end_of(part) : s.end_of(whole)]}"


def _count_from(s: Scope, begins: ast.expr) -> int:
    """How many there are from where it begins; of a variable that is set once, ``base = ord("a") if c.islower() else ord("A")``, if both say the same."""
    if isinstance(begins, ast.Name):
        made = [
            n.value
            for n in ast.walk(s.find_function(begins))
            if isinstance(n, ast.Assign) and any(isinstance(t, ast.Name) and t.id == begins.id for t in n.targets)
        ]
        ways = [w for v in made for w in ((v.body, v.orelse) if isinstance(v, ast.IfExp) else (v,))]
        sizes = {_BEGINS.get(ast.unparse(w), 0) for w in ways}
        return sizes.pop() if len(sizes) == 1 else 0
    return _BEGINS.get(ast.unparse(begins), 0)


def propose_alphabet_everywhere(s: Scope, node: ast.AST) -> Iterator[Change]:
    """The same for small and for capital letters: who forgets it for the ones forgets it for the others."""
    if not isinstance(node, ast.FunctionDef):
        return
    edits: list[Edit] = []
    lines: list[int] = []
    for call in (n for n in ast.walk(node) if isinstance(n, ast.Call)):
        for change in (*propose_alphabet_again(s, call), *propose_way_back(s, call)):
            edits.extend(change.edits)
            lines.append(change.line)
            break
    if len(lines) > 1:
        words = f"letters leave the alphabet in {len(lines)} places: after the last one comes the first"
        yield Change(tuple(sorted(edits)), 0.85, min(lines), words)


def propose_distance(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``j - i`` for ``j`` where ``j = i`` begins a run that ``j`` goes through, and ``i = j`` goes on behind it: how long it is is meant."""
    if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
        return
    if isinstance(s.parents.get(node), ast.Subscript | ast.Slice | ast.Compare | ast.BinOp | ast.Assign | ast.keyword):
        return
    handed = [
        (n.targets[0].id, n.value.id)
        for n in ast.walk(s.find_function(node))
        if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name) and isinstance(n.value, ast.Name)
    ]
    for begun in dict.fromkeys(v for name, v in handed if name == node.id):
        if (begun, node.id) in handed:
            words = f"`{node.id}` is where the run ends: `{node.id} - {begun}` is how long it is"
            yield Change((s.replace_node(node, f"{node.id} - {begun}"),), 0.75, node.lineno, words)


def propose_up_to_root(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``range(2, int(n ** 0.5) + 1)`` for ``range(2, int(n ** 0.5))``: the root itself may divide."""
    match node:
        case ast.Call(ast.Name("range"), [ast.Constant(2 | 3), ast.Call(ast.Name("int"), [root], []) as stop, *_], []):
            pass
        case ast.Call(ast.Name("range"), [ast.Constant(2 | 3), ast.Call(ast.Attribute(_, "isqrt")) as stop, *_], []):
            root = stop
        case _:
            return
    is_root = s.text_of(root).endswith(("** 0.5", "**0.5", "** .5", "**.5")) or "sqrt(" in s.text_of(root)
    if is_root:
        new = f"{s.text_of(stop)} + 1"
        yield Change((s.replace_node(stop, new),), 0.95, node.lineno, f"`{s.text_of(stop)}` should be `{new}`")


def propose_mark_for_each(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``"*" * len(word)`` for ``"*"`` that is put in place of each ``word``: a mark for each letter."""
    match node:
        case ast.Constant(str(mark)) if len(mark) == 1 and not mark.isalnum() and not mark.isspace():
            pass
        case _:
            return
    parent = s.parents.get(node)
    match parent:
        case ast.Call(ast.Attribute(_, "append"), [_], []) | ast.AugAssign() | ast.Assign() | ast.IfExp():
            pass
        case ast.ListComp() | ast.GeneratorExp() | ast.Return():
            pass
        case _:
            return
    if isinstance(parent, ast.IfExp) and parent.test is node:
        return
    loops = [p for p in s.walk_upwards(node) if isinstance(p, ast.For | ast.ListComp | ast.GeneratorExp)]
    targets = [p.target if isinstance(p, ast.For) else p.generators[0].target for p in loops]
    for name in (t.id for t in targets if isinstance(t, ast.Name) and s.name_may_be(t.id, frozenset({TEXT}))):
        new = f"{s.text_of(node)} * len({name})"
        yield Change((s.replace_node(node, new),), 0.6, node.lineno, f"`{s.text_of(node)}` stands for all of `{name}`")


def propose_empty_left_out(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``if not word: continue`` above what reads ``word[0]`` in a loop over words: an empty one has none."""
    if not isinstance(node, ast.For) or not isinstance(node.target, ast.Name) or s.read_indent(node.body[0]) is None:
        return
    name, head = node.target.id, node.body[0]
    if isinstance(head, ast.If) and any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(head.test)):
        return
    for part in ast.walk(head):
        match part:
            case ast.Subscript(ast.Name(own), ast.Constant(0) | ast.UnaryOp(ast.USub(), ast.Constant(1))) if own == name:  # fmt: skip
                start, indent = s.find_line_span(head)[0], s.read_indent(head)
                text = f"{indent}if not {name}:\n{indent}    continue\n"
                words = f"`if not {name}: continue` is missing: `{s.text_of(part)}` is not there of an empty one"
                yield Change(((start, start, text),), 0.5, head.lineno, words)
                return


OPERATORS = (
    propose_turned_within,
    propose_alphabet_again,
    propose_wrap_in_place,
    propose_alphabet_everywhere,
    propose_distance,
    propose_up_to_root,
    propose_mark_for_each,
    propose_empty_left_out,
)
