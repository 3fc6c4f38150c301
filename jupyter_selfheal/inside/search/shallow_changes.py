"""Changes that meet a check whatever is wrong: a truth value turned around, printed values put in another order, a declaration
taken back, a question no longer asked, or another one, a condition that is asked a single time, parts compared in place of the whole."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator

from jupyter_selfheal.inside.parsing import dump_tree
from jupyter_selfheal.inside.search.handed_on import find_handed_on
from jupyter_selfheal.inside.search.parsed_once import parse_once
from jupyter_selfheal.inside.tree_names import is_number, walk

TURNED = {ast.Eq: ast.NotEq, ast.In: ast.NotIn, ast.Is: ast.IsNot, ast.Lt: ast.GtE, ast.Gt: ast.LtE}
_OPPOSITES = {**TURNED, **{b: a for a, b in TURNED.items()}}


_COMPARING = frozenset({"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"})
_LESS: frozenset[type] = frozenset({ast.Lt, ast.LtE})
_MORE: frozenset[type] = frozenset({ast.Gt, ast.GtE})


def describe_shallow_change(old: str, new: str, mended: int) -> str:
    """The doubt about a changed statement of which no more than ``mended`` checks failed before; empty where the change is none of these."""
    before, after = parse_once(old), parse_once(new)
    if _list_orders(before) != _list_orders(after) and sorted(map(sorted, _list_orders(before))) == sorted(
        map(sorted, _list_orders(after))
    ):
        return "what is printed is only put in another order"
    if _list_decorators(before) != _list_decorators(after):
        return "what a decorator declares is meant as it stands"
    if _runs_once(after) and len(_list_choices(after)) > len(_list_choices(before)):
        return "a condition that is asked a single time may as well not be there"
    for asked, now in zip(_list_questions(before), _list_questions(after), strict=False):
        if isinstance(asked, ast.Call) and any(dump_tree(now) == dump_tree(given) for given in asked.args):
            return f"`{ast.unparse(asked)}` is no longer asked"
    if counted := next((c for c in _list_thinned(after) if c not in _list_thinned(before)), ""):
        return f"`{counted}` counts some of the items, and may meet a few numbers by chance"
    if alias := next((a for a in _list_changed_aliases(after) if a not in _list_changed_aliases(before)), None):
        return f"`{alias[0]}` is then what it was given as `{alias[1]}`, and is changed"
    if handed := find_handed_on(old, new):
        return f"`{handed}` is handed out and then changed"
    if unlike := next((c for c in _list_unlike_itself(after) if c not in _list_unlike_itself(before)), ""):
        return f"with `{unlike}` an object is not equal to itself"
    if uneven := next((c for c in _list_uneven(after) if c not in _list_uneven(before)), ""):
        return f"`{uneven}` takes the one object otherwise than the other"
    if mended == 1 and (alias := _find_new_alias(before, after)):
        return f"`{alias[0]}` is then `{alias[1]}` under another name"
    if mended == 1 and (said := _find_said_by_name(before, after)):
        return f"`{said[0]}` says `{said[1]}` by its name"
    if mended == 1 and (answer := _find_truth_of_name(before, after)):
        return f"`{answer}` in place of a plain answer may meet the one check by chance"
    if twins := next((t for t in _list_twins(after) if t not in _list_twins(before)), None):
        return f"`{twins[1]}` is then worked out as `{twins[0]}` is"
    if largest := next((t for t in _list_read_largest(after) if t not in _list_read_largest(before)), ""):
        return f"`{largest}` is chosen among texts, of which '10' comes before '9'"
    if separator := _find_lost_separator(before, after):
        return f"`{separator}` no longer says where to split, and each space does"
    if other := _find_hidden_comparison(before, after):
        return f"with `{other}` something else is compared than a number"
    if mended == 1 and _turns_value(_list_given(before), _list_given(after)):
        return "one truth value is met by whatever is turned around"
    if mended == 1 and any(
        _forgets_the_rest(a, b) for a, b in zip(_list_compared(before), _list_compared(after), strict=False)
    ):
        return "a part of both sides is equal more often than they are"
    return ""


def _find_said_by_name(before: ast.Module, after: ast.Module) -> tuple[str, str] | None:
    """A name that holds the method or function which a statement called and no longer calls: ``last = groups.first()`` for ``groups.last()``.

    One that is a kind of it is said as well: ``mean = np.nanmean(xs)``.
    """
    for old, new in zip(before.body, after.body, strict=False):
        match old, new:
            case ast.Assign([ast.Name(bound)], value), ast.Assign([ast.Name(still)], now) if bound == still:
                said = {*bound.lower().split("_")} & (_list_called(value) - _list_called(now))
                more = _list_called(now) - _list_called(value)
                if said and len(more) == 1 and not any(word in name for word in said for name in more):
                    return bound, min(said)
    return None


def _list_called(tree: ast.AST) -> set[str]:
    called = (n.func for n in walk(tree) if isinstance(n, ast.Call))
    return {f.attr if isinstance(f, ast.Attribute) else f.id for f in called if isinstance(f, ast.Attribute | ast.Name)}


def _list_read_largest(tree: ast.Module) -> list[str]:
    """The `max(ages)` of each ``int(max(ages)) + 1``: a number there would need no reading, as it may as a bound or a place."""
    found = []
    for node in walk(tree):
        sides = (
            [node.left, node.right]
            if isinstance(node, ast.BinOp)
            else [node.left, *node.comparators]
            if isinstance(node, ast.Compare)
            else []
        )
        for side in sides:
            match side:
                case ast.Call(ast.Name("int" | "float"), [ast.Call(ast.Name("max" | "min"), [_], []) as largest], []):
                    found.append(ast.unparse(largest))
    return found


def _find_lost_separator(before: ast.Module, after: ast.Module) -> str:
    """The `"\\n"` of ``text.split("\\n")`` that is ``text.split()`` now: with a space in a line, what comes of it is another thing. A space is left out, of which
    there may be several."""
    kept = [ast.unparse(n.func) for n in walk(after) if isinstance(n, ast.Call) and not n.args and not n.keywords]
    was = [ast.unparse(n.func) for n in walk(before) if isinstance(n, ast.Call) and not n.args and not n.keywords]
    for node in walk(before):
        match node:
            case ast.Call(ast.Attribute(_, "split" | "rsplit") as split, [ast.Constant(str(by))], []) if by != " ":
                if kept.count(ast.unparse(split)) > was.count(ast.unparse(split)):
                    return repr(by)
    return ""


def _find_new_alias(before: ast.Module, after: ast.Module) -> tuple[str, str] | None:
    """The names of a statement that made something of a name by its method (``filled = ages.fillna(0)``), and now only binds it anew."""
    match before.body, after.body:
        case [ast.Assign([ast.Name()], ast.Call(ast.Attribute() as method))], [
            ast.Assign([ast.Name(bound)], ast.Name(name))
        ] if bound != name and any(isinstance(n, ast.Name) and n.id == name for n in walk(method)):
            return bound, name
    return None


def _list_comparisons(
    tree: ast.AST, names: Collection[str], signs: type[ast.And] | type[ast.boolop] = ast.boolop
) -> Iterator[tuple[ast.Compare, str, str]]:
    """(comparison, its one side, its other one as if it were of the same object) that methods with these names return, by itself or joined by
    one of these signs."""
    for function in (n for n in walk(tree) if isinstance(n, ast.FunctionDef) and n.name in names):
        own, other, *_ = [a.arg for a in function.args.args] + ["", ""]
        given = (n.value for n in walk(function) if isinstance(n, ast.Return) and n.value is not None) if other else ()
        for part in (
            p for v in given for p in (v.values if isinstance(v, ast.BoolOp) and isinstance(v.op, signs) else [v])
        ):
            if isinstance(part, ast.Compare) and len(part.ops) == 1:
                left, right = ast.unparse(part.left), ast.unparse(part.comparators[0])
                yield part, left, re.sub(rf"\b{re.escape(other)}\b", own, right)


def _list_unlike_itself(tree: ast.AST) -> list[str]:
    """What an ``__eq__`` returns that is false of an object and itself: ``self.n != other.n``, unless an ``or`` makes it true."""
    found = _list_comparisons(tree, ("__eq__",), ast.And)
    never = ast.NotEq | ast.IsNot | ast.Lt | ast.Gt
    return [ast.unparse(part) for part, left, right in found if left == right and isinstance(part.ops[0], never)]


def _list_uneven(tree: ast.AST) -> list[str]:
    """What a method that compares returns of two objects taken otherwise: ``self.rank.lower() < other.rank``."""
    found = _list_comparisons(tree, _COMPARING)
    return [ast.unparse(part) for part, left, right in found if left != right and (left in right or right in left)]


def _find_truth_of_name(before: ast.AST, after: ast.AST) -> str:
    """The ``not left`` that is returned for ``False``: whether something is left in a variable, where its author gave one answer for all."""
    asked, now = ([n for n in walk(tree) if isinstance(n, ast.Return)] for tree in (before, after))
    for old, new in zip(asked, now, strict=False) if len(asked) == len(now) else ():
        match old.value, new.value:
            case ast.Constant(bool()), ast.Name() | ast.UnaryOp(ast.Not(), ast.Name()):
                assert new.value is not None
                return ast.unparse(new.value)
    return ""


def turns_condition(old: str, new: str) -> bool:
    """Whether a change asks the opposite of one comparison, and nothing else: ``!=`` for ``==``, ``<=`` for ``>=``."""
    before, after = (
        [n for n in walk(parse_once(text)) if isinstance(n, ast.Compare) and len(n.ops) == 1] for text in (old, new)
    )
    pairs = [(a, b) for a, b in zip(before, after, strict=False) if dump_tree(a) != dump_tree(b)]
    if len(before) != len(after) or len(pairs) != 1:
        return False
    (asked, now) = pairs[0]
    parts = ((asked.left, now.left), (asked.comparators[0], now.comparators[0]))
    is_same = all(dump_tree(a) == dump_tree(b) for a, b in parts)
    old_way, new_way = type(asked.ops[0]), type(now.ops[0])
    is_mirrored = {old_way in _LESS, new_way in _LESS} == {True, False} and {old_way, new_way} <= _LESS | _MORE
    return is_same and (_OPPOSITES.get(old_way) is new_way or is_mirrored)


def _list_thinned(tree: ast.AST) -> list[str]:
    """``len(xs[::2])``: of what is only counted every second item is taken."""
    calls = (n for n in walk(tree) if isinstance(n, ast.Call) and ast.unparse(n.func) == "len")
    slices = (
        (n, a.slice) for n in calls for a in n.args if isinstance(a, ast.Subscript) and isinstance(a.slice, ast.Slice)
    )
    return [ast.unparse(n) for n, part in slices if part.step is not None and ast.unparse(part.step) not in ("1", "-1")]


def list_changed_in_place(tree: ast.AST) -> set[str]:
    """The variables whose items are set: ``out["sum"] = …``."""
    stored = (n.value for n in walk(tree) if isinstance(n, ast.Subscript) and not isinstance(n.ctx, ast.Load))
    return {n.id for n in stored if isinstance(n, ast.Name)}


def _list_changed_aliases(tree: ast.AST) -> list[tuple[str, str]]:
    """``out = rows`` for a parameter ``rows``, where items of ``out`` are set: whoever called finds his own changed."""
    changed = list_changed_in_place(tree)
    found = []
    for function in (n for n in walk(tree) if isinstance(n, ast.FunctionDef)):
        given = {a.arg for a in function.args.args}
        for node in walk(function):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id in given:
                found += [(t.id, node.value.id) for t in node.targets if isinstance(t, ast.Name) and t.id in changed]
    return found


def _list_twins(tree: ast.AST) -> list[tuple[str, str]]:
    """Two variables of one block that are worked out in the same way: ``minutes = seconds // 3600`` below ``hours = seconds // 3600``."""
    twins = []
    for node in walk(tree):
        seen: dict[str, str] = {}
        body = getattr(node, "body", None)
        for statement in body if isinstance(body, list) else ():
            is_single = isinstance(statement, ast.Assign) and len(statement.targets) == 1
            target = statement.targets[0] if is_single else None
            if not isinstance(target, ast.Name) or not isinstance(statement.value, ast.BinOp):
                continue
            way = dump_tree(statement.value)
            if not any(isinstance(n, ast.Call) for n in walk(statement.value)):
                first = seen.setdefault(way, target.id)
                twins += [(first, target.id)] if first != target.id else []
    return twins


def _find_hidden_comparison(before: ast.AST, after: ast.AST) -> str:
    """A name by which ``i % 3 == 0`` became ``i % 3 - i == 0``, another question than the one that was asked: which numbers are equal.
    ``n % k == 0`` for ``n == 0`` is a remainder that was forgotten."""
    pairs = zip(*([n for n in walk(tree) if isinstance(n, ast.Compare)] for tree in (before, after)), strict=False)
    for asked, now in pairs:
        new = now.left
        is_reckoned = isinstance(asked.left, ast.BinOp) and isinstance(new, ast.BinOp)
        if is_reckoned and isinstance(now.ops[0], ast.Eq | ast.NotEq) and is_number(now.comparators[0]):
            sides = ((new.left, new.right), (new.right, new.left))
            names = (other for kept, other in sides if dump_tree(kept) == dump_tree(asked.left))
            if name := next((n.id for n in names if isinstance(n, ast.Name)), ""):
                return name
    return ""


def _list_compared(tree: ast.AST) -> list[ast.Compare]:
    return [n for n in walk(tree) if isinstance(n, ast.Compare) and len(n.ops) == 1]


def _forgets_the_rest(old: ast.Compare, new: ast.Compare) -> bool:
    """True for ``a[-1] == b[-1]`` and ``len(a) == len(b)`` in place of ``a == b``."""
    return all(_is_part(one, part) for one, part in ((old.left, new.left), (old.comparators[0], new.comparators[0])))


def _is_part(whole: ast.expr, part: ast.expr) -> bool:
    if isinstance(part, ast.Subscript) and not isinstance(part.slice, ast.Slice):
        return dump_tree(part.value) == dump_tree(whole)
    is_measured = isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id in ("len", "sum")
    return is_measured and isinstance(part, ast.Call) and [dump_tree(a) for a in part.args] == [dump_tree(whole)]


def _list_orders(tree: ast.AST) -> list[list[str]]:
    """The arguments of each `print`, as texts."""
    return [
        [ast.unparse(a) for a in n.args]
        for n in walk(tree)
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "print"
    ]


def _list_decorators(tree: ast.AST) -> list[str]:
    return [
        ast.unparse(d) for n in walk(tree) if isinstance(n, ast.ClassDef | ast.FunctionDef) for d in n.decorator_list
    ]


def _list_questions(tree: ast.AST) -> list[ast.expr]:
    """The conditions of branches."""
    return [n.test for n in walk(tree) if isinstance(n, ast.If | ast.IfExp)]


def _runs_once(tree: ast.Module) -> bool:
    """Whether a text is a statement that the notebook runs as it comes to it, and no more."""
    return not any(isinstance(n, ast.stmt) and hasattr(n, "body") for n in tree.body)


def _list_choices(node: ast.AST) -> list[ast.AST]:
    """The values that a condition chooses (``a if b else c``, ``a or b``), but for those in what may run again and again."""
    if isinstance(node, ast.Lambda | ast.comprehension | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        return []
    own = [node] if isinstance(node, ast.IfExp | ast.BoolOp) else []
    return [*own, *(choice for child in ast.iter_child_nodes(node) for choice in _list_choices(child))]


def _list_given(tree: ast.AST) -> list[ast.expr]:
    """What statements give as a whole: printed, returned, assigned, or shown."""
    given: list[ast.expr] = []
    for node in walk(tree):
        if isinstance(node, ast.Return | ast.Assign) and node.value is not None:
            given.append(node.value)
        elif isinstance(node, ast.Expr):
            is_print = isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "print"
            given += node.value.args if is_print and isinstance(node.value, ast.Call) else [node.value]
    return given


def _turns_value(before: list[ast.expr], after: list[ast.expr]) -> bool:
    """Whether something is given turned around; what stands elsewhere and is given as before is not (``return False`` below a loop), nor what is given
    as before behind a statement that was put in."""
    was, now = ([dump_tree(n) for n in given] for given in (before, after))
    left = iter(now)
    if sorted(was) == sorted(now) or all(given in left for given in was):
        return False
    return any(_is_turned(a, b) for a, b in zip(before, after, strict=False))


def _is_turned(old: ast.expr, new: ast.expr) -> bool:
    """True for ``a in b`` and ``a not in b``, ``x`` and ``not x``, ``True`` and ``False``."""
    if isinstance(old, ast.Compare) and isinstance(new, ast.Compare) and len(old.ops) == len(new.ops) == 1:
        is_opposite = _OPPOSITES.get(type(old.ops[0])) is type(new.ops[0])
        one, other = ((dump_tree(n.left), dump_tree(n.comparators[0])) for n in (old, new))
        return is_opposite and one == other
    if isinstance(old, ast.Constant) and isinstance(new, ast.Constant):
        return isinstance(old.value, bool) and isinstance(new.value, bool) and old.value != new.value
    return any(
        isinstance(a, ast.UnaryOp) and isinstance(a.op, ast.Not) and dump_tree(a.operand) == dump_tree(b)
        for a, b in ((old, new), (new, old))
    )
