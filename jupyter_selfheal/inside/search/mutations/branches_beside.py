"""Mutation operators for branches that stand beside each other: one that none reaches, as one above it takes all that it is for; one that begins
anew what the others add to; two that do the same; one that is left out."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations

from jupyter_selfheal.inside.positions import Edit
from jupyter_selfheal.inside.search.scope import Change, Scope

_LEAVES = ast.Return | ast.Continue | ast.Break | ast.Raise
_GREATER, _LESS = (ast.Gt, ast.GtE), (ast.Lt, ast.LtE)


def propose_narrower_first(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``if n % 15 == 0: …`` before ``elif n % 3 == 0: …``: as it stands, what 15 divides never comes to its own branch."""
    if not isinstance(node, ast.If) or _is_elif(s, node):
        return
    branches = _list_chain(s, node) if node.orelse else _list_run(s, node)
    if any(s.read_indent(b.body[0]) is None for b in branches):
        return
    for first, last in combinations(range(len(branches)), 2):
        wide, narrow = branches[first].test, branches[last].test
        if not _is_within(narrow, wide):
            continue
        moved = [branches[last], *branches[first:last]]
        edits: list[Edit] = []
        for slot, given in zip(branches[first : last + 1], moved, strict=True):
            edits.append((s.start_of(slot.test), s.end_of(slot.test), s.text_of(given.test)))
            edits.append((s.start_of(slot.body[0]), s.end_of(slot.body[-1]), _read_body(s, given)))
        words = f"`{s.text_of(narrow)}` is never come to: `{s.text_of(wide)}` above it takes all of them"
        yield Change(tuple(edits), 0.9, wide.lineno, words)


def _is_elif(s: Scope, node: ast.If) -> bool:
    parent = s.parents.get(node)
    return isinstance(parent, ast.If) and parent.orelse[:1] == [node] and s.is_elif(parent, parent.orelse)


def _list_chain(s: Scope, node: ast.If) -> list[ast.If]:
    """A question and those that are asked with ``elif`` behind it."""
    chain = [node]
    while len(chain[-1].orelse) == 1 and s.is_elif(chain[-1], chain[-1].orelse):
        below = chain[-1].orelse[0]
        assert isinstance(below, ast.If)
        chain.append(below)
    return chain


def _list_run(s: Scope, node: ast.If) -> list[ast.If]:
    """Questions one below the other of which each leaves the block."""
    parent = s.parents.get(node)
    blocks = [getattr(parent, part, None) for part in ("body", "orelse", "finalbody")]
    block: list[ast.stmt] = next((b for b in blocks if isinstance(b, list) and node in b), [node])
    at = block.index(node)
    if at and _leaves_block(block[at - 1]):
        return []  # it is one of the run above it
    run: list[ast.If] = []
    for statement in block[at:]:
        if not isinstance(statement, ast.If) or not _leaves_block(statement):
            break
        run.append(statement)
    return run


def _leaves_block(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If) and not statement.orelse and isinstance(statement.body[-1], _LEAVES)


def _read_body(s: Scope, branch: ast.If) -> str:
    return s.text[s.start_of(branch.body[0]) : s.end_of(branch.body[-1])]


def _is_within(narrow: ast.expr, wide: ast.expr) -> bool:
    """Whether all that meets one question meets the other one too, and not the other way round."""
    match narrow, wide:
        case ast.BoolOp(ast.And(), values), _ if any(ast.dump(v) == ast.dump(wide) for v in values):
            return True
        case (
            ast.Compare(ast.BinOp(one, ast.Mod(), ast.Constant(int(many))), [ast.Eq()], [ast.Constant(0)]),
            ast.Compare(ast.BinOp(other, ast.Mod(), ast.Constant(int(few))), [ast.Eq()], [ast.Constant(0)]),
        ) if ast.dump(one) == ast.dump(other):
            return 0 < few < many and many % few == 0
        case (
            ast.Compare(one, [op], [ast.Constant(int() | float() as near)]),
            ast.Compare(other, [same], [ast.Constant(int() | float() as far)]),
        ) if ast.dump(one) == ast.dump(other) and type(op) is type(same):
            return (isinstance(op, _GREATER) and near > far) or (isinstance(op, _LESS) and near < far)
    return False


def propose_added_beside(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``s += x`` for ``s = x`` in a branch within a loop, where the branch beside it adds to ``s``: what was gathered is lost."""
    match node:
        case ast.Assign([ast.Name(name)], value) if s.is_in_loop(node):
            branch = s.parents.get(node)
        case _:
            return
    if not isinstance(branch, ast.If) or any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(value)):
        return
    head = branch
    while _is_elif(s, head):
        above = s.parents.get(head)
        assert isinstance(above, ast.If)
        head = above
    chain = _list_chain(s, head)
    beside = [n for b in chain for n in (*b.body, *b.orelse) if isinstance(n, ast.AugAssign)]
    if any(isinstance(n.op, ast.Add) and s.text_of(n.target) == name for n in beside):
        edit = (s.end_of(node.targets[0]), s.start_of(value), " += ")
        prior = 0.85 if head is not branch else 0.5  # the first branch is often the one that begins
        yield Change((edit,), prior, node.lineno, f"`{name}` is added to, as in the branch beside it")


def propose_unlike_branches(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``groups[key].append(x)`` for ``groups[key] = [x]`` below ``if key in groups:``, and ``counts[key] += 1`` for ``counts[key] = 1``: what
    is there already is not begun anew."""
    match node:
        case ast.If(ast.Compare(key, [ast.In() | ast.NotIn() as op], [table]), [_], [_]):
            known = node.body[0] if isinstance(op, ast.In) else node.orelse[0]
            new = node.orelse[0] if isinstance(op, ast.In) else node.body[0]
        case _:
            return
    match known:
        case ast.Assign([ast.Subscript(own, place) as target], value) if s.text_of(own) == s.text_of(
            table
        ) and s.text_of(place) == s.text_of(key):
            pass
        case _:
            return
    if s.text_of(target) in s.text_of(value):
        return
    if isinstance(value, ast.List) and len(value.elts) == 1 and not isinstance(value.elts[0], ast.Starred):
        text = f"{s.text_of(target)}.append({s.text_of(value.elts[0])})"
    else:
        text = f"{s.text_of(target)} += {s.text_of(value)}"
    prior = 0.9 if ast.dump(known) == ast.dump(new) else 0.5
    words = f"`{s.text_of(target)}` is there already, and is begun anew"
    yield Change(((s.start_of(known), s.end_of(known), text),), prior, known.lineno, words)


def propose_kept_beside(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``counts[k] += 1`` beside ``totals[k] += v``, where the other branch begins both, ``totals[k] = v`` and ``counts[k] = 1``; and
    ``counts[k] = 1`` where only ``totals[k]`` begins."""
    if not isinstance(node, ast.If) or not node.orelse or s.is_elif(node, node.orelse):
        return
    for begins, adds in ((node.body, node.orelse), (node.orelse, node.body)):
        begun = {s.text_of(n.targets[0]): n.value for n in begins if isinstance(n, ast.Assign)}
        added = {
            s.text_of(n.target): n.value for n in adds if isinstance(n, ast.AugAssign) and isinstance(n.op, ast.Add)
        }
        if not begun.keys() & added.keys():
            continue
        names = {n for n in (*begun, *added) if "[" in n}  # what has a key is there once it was begun
        for name, value in begun.items():
            if name in names - added.keys() and not _names_one(s, adds, name):
                yield from _add_line(s, adds, f"{name} += {s.text_of(value)}", "is missing beside what the branch adds")
        for name, value in added.items():
            if name in names - begun.keys() and not _names_one(s, begins, name):
                yield from _add_line(
                    s, begins, f"{name} = {s.text_of(value)}", "is missing beside what the branch begins"
                )


def _names_one(s: Scope, block: list[ast.stmt], name: str) -> bool:
    """Whether a block has something to do with what is called so."""
    return any(name.split("[")[0] == getattr(n, "id", "") for stmt in block for n in ast.walk(stmt))


def _add_line(s: Scope, block: list[ast.stmt], text: str, words: str) -> Iterator[Change]:
    indent, end = s.read_indent(block[-1]), s.find_line_span(block[-1])[1]
    if indent is not None and not isinstance(block[-1], _LEAVES):
        pad = "" if s.text[:end].endswith("\n") else "\n"
        yield Change(((end, end, f"{pad}{indent}{text}\n"),), 0.8, block[-1].lineno, f"`{text}` {words}")


_OPPOSITES = (
    "yes no",
    "true false",
    "even odd",
    "valid invalid",
    "possible impossible",
    "pass fail",
    "win lose",
    "correct incorrect",
)
_OPPOSITE = {a: b for pair in _OPPOSITES for a, b in (pair.split(), pair.split()[::-1])}
"""What a text says, and what is said elsewhere."""


def propose_opposite(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``else: print("No")`` behind ``if …: print("Yes")``, which says nothing where the question is not met."""
    if not isinstance(node, ast.If) or node.orelse or len(node.body) != 1 or s.is_in_loop(node):
        return
    says = node.body[0]
    texts = [n for n in ast.walk(says) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    old = str(texts[0].value) if len(texts) == 1 else ""
    opposite = _OPPOSITE.get(old.lower(), "")
    if not opposite or not isinstance(says, ast.Expr | ast.Return | ast.Assign) or s.read_indent(says) is None:
        return
    head: ast.AST = node
    while isinstance(head, ast.If) and _is_elif(s, head):
        head = s.parents[head]
    new = opposite.upper() if old.isupper() else opposite.title() if old.istitle() else opposite
    inner, outer = s.read_indent(says) or "", s.read_indent(head) or ""
    start, end = s.start_of(texts[0]) + 1, s.end_of(texts[0]) - 1
    if s.text[start:end] != old or says.end_lineno == node.lineno:
        return
    text = f"{s.text[s.start_of(says) : start]}{new}{s.text[end : s.end_of(says)]}"
    at = s.find_line_span(says)[1]
    pad = "" if s.text[:at].endswith("\n") else "\n"
    yield Change(((at, at, f"{pad}{outer}else:\n{inner}{text}\n"),), 0.6, node.lineno, f"`else: {text}` is left out")


def propose_name_in_chain(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``rounded`` for ``score`` in each question of ``if score >= 90: … elif score >= 80: …``: what is asked of is one thing, and another was meant."""
    if not isinstance(node, ast.If) or not node.orelse or _is_elif(s, node):
        return
    asked = [
        [n for n in ast.walk(b.test) if isinstance(n, ast.Name) and n.id in s.values] for b in _list_chain(s, node)
    ]
    if len(asked) < 2:
        return
    for name in dict.fromkeys(n.id for n in asked[0]):
        places = [n for test in asked for n in test if n.id == name]
        if not all(any(n.id == name for n in test) for test in asked):
            continue
        made = {
            t.id
            for n in s.order
            if isinstance(n, ast.Assign) and _reads(n.value, name)
            for t in n.targets
            if isinstance(t, ast.Name)
        }
        kinds = s.hints.kinds.get(name, frozenset())
        for other in s.values:
            if other != name and s.name_may_be(other, kinds):
                edits = tuple(s.replace_node(n, other) for n in places)
                prior = 0.9 if other in made else 0.3
                words = f"`{name}` should be `{other}` in all of these questions"
                yield from (Change(edits, prior, line, words) for line in dict.fromkeys(n.lineno for n in places))


_SIGNS = {"+": "add plus sum", "-": "subtract minus sub", "*": "multiply times mul", "/": "divide div", "//": "floor", "%": "mod modulo", "**": "power pow ^"}  # fmt: skip
"""Operators, and what a program calls them."""


def propose_empty_branch(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``return a - b`` for ``pass`` below ``elif sign == "-":``, where the branches beside it give ``a + b`` and ``a * b``."""
    if not isinstance(node, ast.If) or not node.orelse or _is_elif(s, node):
        return
    chain = _list_chain(s, node)
    filled = [found for b in chain if (found := _find_operation(b)) is not None]
    used = {s.text[s.end_of(f.left) : s.start_of(f.right)].strip(" ()") for _, f in filled}
    for branch in chain:
        if not (len(branch.body) == 1 and isinstance(branch.body[0], ast.Pass)):
            continue
        told = {str(n.value).lower() for n in ast.walk(branch.test) if isinstance(n, ast.Constant)}
        for statement, operation in filled[:1]:
            for sign in (o for o in _SIGNS if o not in used):
                parts = (
                    (s.start_of(statement), s.end_of(operation.left)),
                    (s.start_of(operation.right), s.end_of(statement)),
                )
                before, after = (s.text[start:end] for start, end in parts)
                prior = 0.9 if told & {sign, *_SIGNS[sign].split()} else 0.3
                hole, text = branch.body[0], f"{before} {sign} {after}"
                words = f"`{text}` is missing: the branches beside it give something"
                yield Change(((s.start_of(hole), s.end_of(hole), text),), prior, hole.lineno, words)


def _find_operation(branch: ast.If) -> tuple[ast.stmt, ast.BinOp] | None:
    """The one statement of a branch with what it reckons: ``return a + b`` or ``out = a + b``."""
    match branch.body:
        case [ast.Return(ast.BinOp(ast.Name(), _, ast.Name()) as operation) as statement]:
            return statement, operation
        case [ast.Assign([ast.Name()], ast.BinOp(ast.Name(), _, ast.Name()) as operation) as statement]:
            return statement, operation
    return None


def propose_begun_anew(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``else: run = 1`` behind ``if value == last: run += 1`` in a loop: what counts a run never begins anew."""
    if not isinstance(node, ast.If) or node.orelse or not s.is_in_loop(node) or len(node.body) != 1:
        return
    counting, outer, inner = node.body[0], s.read_indent(node), s.read_indent(node.body[0])
    if not isinstance(counting, ast.AugAssign) or outer is None or inner is None:
        return
    if not isinstance(counting.op, ast.Add) or not isinstance(counting.value, ast.Constant):
        return
    name, end = s.text_of(counting.target), s.find_line_span(counting)[1]
    pad = "" if s.text[:end].endswith("\n") else "\n"
    for value in ("1", "0"):
        text = f"{pad}{outer}else:\n{inner}{name} = {value}\n"
        yield Change(
            ((end, end, text),), 0.45, node.lineno, f"`else: {name} = {value}` is missing: it never begins anew"
        )


def _reads(value: ast.AST, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(value))


OPERATORS = (
    propose_narrower_first,
    propose_added_beside,
    propose_unlike_branches,
    propose_kept_beside,
    propose_opposite,
    propose_name_in_chain,
    propose_empty_branch,
    propose_begun_anew,
)
