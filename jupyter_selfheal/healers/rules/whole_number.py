"""NPA103: a number that must be whole."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import find_function, read_last_name
from jupyter_selfheal.healers.rules.context.replay import change_and_replay
from jupyter_selfheal.healers.rules.context.value_types import find_type, is_whole, read_number_in
from jupyter_selfheal.healers.rules.context.written_before import ran_unseen
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"indices must be integers or slices, not (?:numpy\.)?float|slice indices must be integers|can't multiply sequence by non-int of type '(?:numpy\.)?float|"
    r"'(?:numpy\.)?float(?:64|32)?' object cannot be interpreted as an integer|only integers, slices|expected an? (?:integer|int)\b|expected a sequence of integers|Cannot cast (?:scalar|array data) from dtype\('float(?:64|32)'\)(?: to dtype\('u?int|(?! to))|non-integer key|with these indexers .* of type float|"
    r"Number of (?:samples|rows|columns).*must be|(?:must|should) be (?:an? )?(?:positive )?(?:integers?|int)\b|cannot be interpreted as an (?:integer|index)|integer argument expected, got float|"
    r"must be a str among \{[^}]*\} or an int\b"
)


PARAMETER = re.compile(
    r"The '(\w+)' parameter of (\w+) must be (?:a str among \{[^}]*\} or )?an int\b.* Got (?:(?=-?\d+\.0)|'(?=-?\d+'))(-?\d+)(?:\.0|') instead",
    re.S,
)
"""What scikit-learn says of a whole number that is written as a float; it was given where the estimator was made."""
SHARE = "Only slices are cut there, and a share of the rows ends before a whole one."
CUT = "NumPy cut the fraction of an index off until 1.12, and the cell ran under such a release (https://numpy.org/doc/stable/release/1.12.0-notes.html)."


class WholeNumber(Rule):
    """Make a whole number of a float where only a whole number is taken.

    **Failure** `TypeError: list indices must be integers or slices, not float`, `'float' object cannot be interpreted as an
    integer`.

    **Fix** `//` for a division of integers, `int(…)` around another float that is a whole number (`1e3`), around a share of a count (`split = len(rows) * 0.8`) and around an index in which floats are
    divided. Where a name holds the number, its assignment in the cell is changed. What scikit-learn refuses in `fit` (`max_depth=5.0`) is
    changed where the estimator is made, also in a cell above. An array of whole numbers that are stored as floats is made one of integers
    (`np.bincount(throws.astype(int))`); nothing is proposed where one has a fraction.

    **Fix safety** Safe where the value is whole, halves something, or is an index, and the live operands of the division are integers:
    in Python 2 `/` gave the whole number. Safe for an array's index whose fraction NumPy cut off, where a run is stored from before Python 3.7, and no value that tells. Unsafe where a count has a fraction, which may be meant to be rounded up, where a median is reckoned that never asks for two items in the middle, where one is cut off, and
    where a list is multiplied, whose items may be meant; nothing is proposed for `2.5`, and for a text that holds a number.
    """

    code = "NPA103"
    name = "whole number wanted"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError", "IndexError", "ValueError", "InvalidParameterError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "The operands are integers, whose division gave a whole number in Python 2, or the value is whole."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if refused := PARAMETER.search(context.failure.evalue):
            yield from self._mend_estimator(context, *refused.groups())
            return
        if "array data" in context.failure.evalue:
            yield from self._mend_array(context)
            return
        for node, targets in _list_candidates(context):
            found = [(target, changes) for target in targets if (changes := _make_whole(context, target))]
            if not found:
                halves = [patch for target in targets if (patch := self._mend_above(context, target)) is not None]
                if halves:
                    yield halves[0]
                    return
                continue
            found = found if isinstance(node, ast.Subscript) else found[:1]
            was_cut = isinstance(node, ast.Subscript) and _was_cut_off(context)
            sure = was_cut or all(_is_sure(context, node, target, changes) for target, changes in found)
            yield self.patch(
                context.replace_here(*dict.fromkeys(splice for _, changes in found for splice in changes)),
                f"Make a whole number of `{context.text(found[0][0])}`",
                "A float is given where only a whole number is taken.",
                applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                why=CUT
                if was_cut
                else SHARE
                if any(_is_share_of(context, target) for target, _ in found)
                else self.why
                if sure
                else "A fraction is cut off; the count may be meant to be rounded up.",
                prior=0.86 if sure else 0.5,
            )
            return

    def _mend_array(self, context: RuleContext) -> Iterator[Patch]:
        """``np.bincount(throws.astype(int))``: an array of floats that are whole numbers, counted or taken as places."""
        for call in context.list_calls_at_failure():
            given = [*call.args, *(k.value for k in call.keywords)]
            lives = context.describe_all(given, calls=True)
            arrays = [
                context.operand(a)
                for a, live in zip(given, lives, strict=True)
                if live.is_a("numpy.ndarray", "pandas.Series") and live.dtype.startswith("float")
            ]
            if len(arrays) == 1 and context.is_true(f"(({arrays[0]}) % 1 == 0).all()"):
                node = next(a for a in given if context.operand(a) == arrays[0])
                yield self.patch(
                    context.replace_here((*context.span(node), f"{arrays[0]}.astype(int)")),
                    f"Make whole numbers of `{context.text(node)}`",
                    f"`{context.text(call.func)}` takes whole numbers only, and these are stored as floats.",
                    why="Each of them is a whole number.",
                    prior=0.93,
                )
                return

    def _mend_above(self, context: RuleContext, target: ast.expr) -> Patch | None:
        """``middle = len(xs) // 2`` in a cell above, of an index that whole numbers were divided for."""
        home = context.find_last_assignment(target.id) if isinstance(target, ast.Name) else None
        value = home.node.value if home is not None else None
        if home is None or home.cell_id == context.cell_id or not _is_index(context, target):
            return None
        if not isinstance(value, ast.BinOp):
            return None
        view = context.view_cell(home.cell_id)
        is_share = _is_share(view, value) and _is_bound(context, target)
        sides = view.describe_all([value.left, value.right], calls=True) if isinstance(value.op, ast.Div) else ()
        live = context.describe_all([target])[0]
        is_division = bool(sides) and all(s.is_a("builtins.int", "numpy.integer") for s in sides)
        if not live.is_a("builtins.float", "numpy.floating") or not (is_share or is_division):
            return None
        splice = (*view.span(value), f"int({view.text(value)})") if is_share else _propose_floor_division(view, value)
        name = context.text(target)
        nodes = list(context.walk_notebook())
        indices = {id(n) for s in nodes if isinstance(s, ast.Subscript) for n in _list_positions(s.slice)}
        others = [n for n in nodes if getattr(n, "id", "") == name and isinstance(getattr(n, "ctx", None), ast.Load)]
        is_read = any(id(n) not in indices for n in others)
        return self.patch(
            change_and_replay(context, {view.cell_id: [splice]}),
            f"Make a whole number of `{context.text(target)}`",
            f"`{context.text(target)}` is an index, and a {'share' if is_share else 'division'} gives a float.",
            applicability=Applicability.UNSAFE if is_read else Applicability.SAFE,
            why="Other lines read it, and may want the fraction." if is_read else SHARE if is_share else self.why,
            prior=0.6 if is_read else 0.86,
        )

    def _mend_estimator(self, context: RuleContext, parameter: str, kind: str, number: str) -> Iterator[Patch]:
        """Where the nearest estimator of this kind is made, at the failing cell or above."""
        for view in context.look_upwards():
            calls = [c for c in view.walk(ast.Call) if read_last_name(c.func) == kind]
            given = [k.value for c in calls for k in c.keywords if k.arg == parameter]
            written = [
                g
                for g in given
                if re.fullmatch(rf"{number}\.0*|\d+[eE]\+?\d+", view.text(g)) and float(view.text(g)) == float(number)
            ]
            quoted = [g for g in given if isinstance(g, ast.Constant) and g.value == number]
            if quoted:
                yield self.patch(
                    view.replace(view.cell_id, [(*view.span(g), number) for g in quoted]),
                    f"Change `{parameter}={view.text(quoted[0])}` to `{parameter}={number}`",
                    f"`{kind}` takes a whole number for `{parameter}`, and it is written as a text.",
                    why="It is the same number.",
                    prior=0.93,
                )
            if written:
                yield self.patch(
                    view.replace(view.cell_id, [(*view.span(g), number) for g in written]),
                    f"Change `{parameter}={view.text(written[0])}` to `{parameter}={number}`",
                    f"`{kind}` takes a whole number for `{parameter}`, and it is written as a float.",
                    why="It is the same number.",
                    prior=0.93,
                )
            if calls:
                return


def _list_candidates(context: RuleContext) -> Iterator[tuple[ast.expr, list[ast.expr]]]:
    """The instructions of the failing line, the failing one first, each with what must be whole there: indices and slice bounds,
    arguments, factors of a sequence. What stands beside the failing instruction may be right as it is."""
    for node in context.list_nodes_at_failure(ast.Subscript, ast.Call, ast.BinOp)[:12]:
        if isinstance(node, ast.Subscript):
            keys = node.slice.elts if isinstance(node.slice, ast.Tuple | ast.List) else [node.slice]
            bounds = [[k.lower, k.upper, k.step] if isinstance(k, ast.Slice) else [k] for k in keys]
            yield node, [b for several in bounds for b in several if b is not None]
        elif isinstance(node, ast.Call):
            given = [*node.args, *(k.value for k in node.keywords)]
            yield node, [e for g in given for e in (g.elts if isinstance(g, ast.Tuple | ast.List) else [g])]
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            sides = [node.left, node.right]
            if not any(read_number_in(context, side) for side in sides):  # text: it is to be read
                yield node, sides


def _was_cut_off(context: RuleContext) -> bool:
    """Whether NumPy took the index when the notebook was saved, as it did until 1.12, which came before Python 3.7."""
    is_of_array = context.failure.evalue.startswith("only integers, slices")
    is_old = ran_unseen(context, "3.7")
    return is_of_array and is_old and not _is_of_median(context, None)


def _is_sure(context: RuleContext, node: ast.expr, target: ast.expr, changes: list[Splice]) -> bool:
    """Whether nothing is cut off that may be meant."""
    index = _is_index(context, target)
    function = find_function(context.source, context.line)
    given = {a.arg for a in function.args.args} if function is not None else set[str]()
    if isinstance(node, ast.BinOp) and isinstance(target, ast.Name) and target.id in given:
        return False  # the arguments may stand in each other's place
    if index and _is_of_median(context, function):
        return False
    if not index and isinstance(node, ast.BinOp) and _is_repeated(context, node, target):
        return False
    is_cut = any(text.startswith("int(") for _, _, text in changes)
    return is_whole(context, target) or (index and (not is_cut or _is_share_of(context, target)))


def _is_of_median(context: RuleContext, function: ast.FunctionDef | ast.AsyncFunctionDef | None) -> bool:
    """Whether a median is reckoned in a function that never asks whether there are two items in the middle."""
    source = context.text(function) if function is not None else context.source
    return "median" in source.lower() and re.search(r"%\s*2", source) is None


def _is_index(context: RuleContext, target: ast.expr) -> bool:
    """True for what stands in square brackets."""
    start, end = context.span(target)
    slices = (context.span(n.slice) for n in context.walk(ast.Subscript))
    return any(first <= start and end <= last for first, last in slices)


def _is_repeated(context: RuleContext, product: ast.BinOp, target: ast.expr) -> bool:
    """True where a list is multiplied, each of whose items may be meant to be; words are repeated."""
    other = product.right if target is product.left else product.left if target is product.right else None
    return other is not None and isinstance(product.op, ast.Mult) and find_type(context, other) != "str"


def _make_whole(context: RuleContext, node: ast.expr, named: ast.expr | None = None) -> list[Splice]:
    """The splices that make a whole number of an expression, or of what the name ``named`` was given."""
    live, number = context.describe_all([node], calls=True)[0], context.number(node)
    if not live.is_a("builtins.float", "numpy.floating") or number is None:
        return []
    match node:
        case ast.BinOp(op=ast.FloorDiv(), right=ast.Constant(value=float(half)) as divisor) if half.is_integer():
            if find_type(context, node.left) == "int":
                return [(*context.span(divisor), str(int(half)))]
    divisions = [n for n in ast.walk(node) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div)]
    operands = context.describe_all([o for d in divisions for o in (d.left, d.right)], calls=True)
    if divisions and all(o.is_a("builtins.int", "numpy.integer") for o in operands):
        return [_propose_floor_division(context, d) for d in divisions]
    if isinstance(node, ast.Name):
        splices = [
            n for n in context.walk(ast.Assign) if any(isinstance(t, ast.Name) and t.id == node.id for t in n.targets)
        ]
        if len(splices) == 1 and not isinstance(splices[0].value, ast.Name):
            return _make_whole(context, splices[0].value, node)
    place = named or node
    is_share = _is_share(context, node) and (not _is_index(context, place) or _is_bound(context, place))
    if number != int(number) and not (divisions and _is_index(context, node)) and not is_share:
        return []
    is_written = re.fullmatch(r"\d+\.0*", context.text(node)) is not None  # `1e6` is read more easily than its digits
    return [(*context.span(node), str(int(number)) if is_written else f"int({context.text(node)})")]


def _is_share(context: RuleContext, node: ast.expr) -> bool:
    """``len(prices) * 0.8``: a written share of how many there are."""
    match node:
        case ast.BinOp(count, ast.Mult(), ast.Constant(float(share))) | ast.BinOp(
            ast.Constant(float(share)), ast.Mult(), count
        ):
            return 0 < share < 1 and re.search(r"^len\(|\.shape\[0\]$|\.size$|^n\w*$", context.text(count)) is not None
    return False


def _is_share_of(context: RuleContext, target: ast.expr) -> bool:
    """Whether a bound of a slice is such a share, or a name for one."""
    name = target.id if isinstance(target, ast.Name) else ""
    values = [a.value for a in context.walk(ast.Assign) if any(getattr(t, "id", "") == name for t in a.targets)]
    return _is_bound(context, target) and any(_is_share(context, v) for v in values or [target])


def _is_bound(context: RuleContext, target: ast.expr) -> bool:
    return any(target in (s.lower, s.upper) for s in context.walk(ast.Slice))


def _propose_floor_division(context: RuleContext, node: ast.BinOp) -> Splice:
    """``/`` → ``//`` between the operands."""
    start, end = context.span(node.left)[1], context.span(node.right)[0]
    at = start + context.source[start:end].index("/")
    return at, at + 1, "//"


def _list_positions(index: ast.expr) -> Iterator[ast.expr]:
    """What an index is reckoned from; not what a condition compares (``df[df.n > middle]``)."""
    match index:
        case ast.Slice(lower=lower, upper=upper, step=step):
            parts = [p for p in (lower, upper, step) if p is not None]
        case ast.Tuple(elts=parts):
            pass
        case ast.BinOp(left=left, right=right):
            parts = [left, right]
        case ast.UnaryOp(operand=operand):
            parts = [operand]
        case _:
            parts = []
    yield index
    for part in parts:
        yield from _list_positions(part)
