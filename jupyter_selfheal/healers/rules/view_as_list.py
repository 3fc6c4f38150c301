"""TYP101: a view or an iterator where Python 2 had a list."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import read_dotted_name, read_last_name, read_plain_chain
from jupyter_selfheal.model import Applicability, Edit, Patch, Replace

VIEWS = ("dict_keys", "dict_values", "dict_items", "KeysView", "ValuesView", "ItemsView", "map", "filter", "zip", "range", "generator", "odict_keys", "set",
         "enumerate", "reversed", "list_reverseiterator", "callable_iterator", "reader", "odict_values", "odict_items", "dict_keyiterator",
         "NodeView", "NodeDataView", "EdgeView", "EdgeDataView", "OutEdgeView", "OutEdgeDataView", "DegreeView")  # fmt: skip
FINITE = ("chain", "combinations", "combinations_with_replacement", "permutations", "product", "islice", "accumulate",
          "zip_longest", "starmap", "_grouper", "takewhile", "dropwhile", "compress", "filterfalse", "pairwise")  # fmt: skip
"""Iterators of itertools that end where what they are given ends."""
ABOUT = re.compile(rf"['\"]?\b({'|'.join(VIEWS)}|itertools\.(?:{'|'.join(FINITE)}))['\"]?[ )]")
OPERATION = re.compile(
    r"not subscriptable|has no len\(\)|does not support|unsupported operand|can only concatenate|has no attribute|"
    r"must be a sequence|not a sequence|not supported between|cannot be interpreted|not JSON serializable"
)
CALLS = {"map", "filter", "zip", "range", "enumerate", "reversed", "set"}
METHODS = {"keys", "values", "items"}
IN_PLACE = {"sort", "reverse"}
"""Methods of a list that give nothing."""


class ViewAsList(Rule):
    """Make a list of a view or an iterator that is used as one.

    **Failure** `TypeError: 'dict_keys' object is not subscriptable`, `object of type 'map' has no len()`,
    `unsupported operand type(s) for +: 'range' and 'list'`, `'zip' object has no attribute 'sort'`,
    `object of type 'itertools.combinations' has no len()`; a graph's nodes, edges and neighbours, which were lists before networkx 2.

    **Fix** `list(…)` around the expression itself, or around what the name was assigned from; a frequency distribution of NLTK, whose keys, counts
    and pairs were sorted by count, is asked for its `most_common()`.

    **Fix safety** Safe: Python 2 (and networkx 1) gave the list, and a list of the same items does what a list is used for. Unsafe for sets, which
    have no order, and for a place among nodes that are numbers themselves.
    """

    code = "TYP101"
    name = "view or iterator used as a list"
    enames = frozenset({"TypeError", "AttributeError", "KeyError"})
    applicability = Applicability.SAFE
    why = "A list of the same items in the same order has the operation that is used."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        yield from self._take_by_position(context)
        if re.match(r"'(?!int|float|bool|NoneType|function)\w+' object is not an iterator", context.failure.evalue):
            for call in context.list_failing_nodes(ast.Call):
                if isinstance(call, ast.Call) and read_last_name(call.func) == "next" and call.args:
                    new = f"iter({context.text(call.args[0])})"
                    asked = context.replace_here((*context.span(call.args[0]), new))
                    cause = f"`next` takes an iterator, and `{context.text(call.args[0])}` is none."
                    yield self.patch(
                        asked, f"Use `next({new})`", cause, applicability=Applicability.UNSAFE,
                        why="Each call gives the first item; where one after the other is meant, the iterator is made once.", prior=0.7,
                    )  # fmt: skip
                    return
        if context.failure.evalue == "sequence index must be integer, not 'slice'":
            yield from self._slice_deque(context)
            return
        if not ABOUT.search(context.failure.evalue) or not OPERATION.search(context.failure.evalue):
            return
        for failing in context.list_failing_nodes(ast.Subscript, ast.Call, ast.BinOp, ast.Attribute, ast.Compare):
            for node in _list_operands(failing):
                edits, what = self._make_list(context, context.cell_id, context.source, node)
                if edits:
                    whole = (
                        "dictionary"
                        if any("dict(" in e.source and "dict(" not in e.old for e in edits if isinstance(e, Replace))
                        else "list"
                    )
                    is_set = re.search(r"\bset\b", context.failure.evalue) is not None
                    yield self.patch(
                        edits,
                        f"Turn `{what}` into a {whole}",
                        f"`{what}` is {_name_type(context.failure.evalue)}, not a list.",
                        applicability=Applicability.UNSAFE if is_set else Applicability.SAFE,
                        why="A set has no order." if is_set else self.why,
                        prior=0.5 if is_set else 0.88,
                    )
            return

    def _slice_deque(self, context: RuleContext) -> Iterator[Patch]:
        """``queue[:3]`` of a `deque`, which has items and no slices."""
        for node in context.list_failing_nodes(ast.Subscript):
            if not isinstance(node.ctx, ast.Load):
                return  # what is written to or deleted would be the list's
            if not isinstance(node.slice, ast.Slice) or context.describe_all([node.value])[0].type != "deque":
                continue
            text = context.text(node.value)
            yield self.patch(
                context.replace_here((*context.span(node.value), f"list({text})")),
                f"Take a slice of `list({text})`",
                "A `deque` has no slices.",
                prior=0.93,
            )
            return

    def _take_by_position(self, context: RuleContext) -> Iterator[Patch]:
        """``graph.nodes()[0]``, where no node has that name: the list of networkx 1 is meant."""
        is_pair = context.failure.evalue.startswith("cannot unpack non-iterable int")  # an edge's key is its two nodes
        for node in context.list_failing_nodes(ast.Subscript) if is_pair or context.failure.ename == "KeyError" else ():
            match node:
                case ast.Subscript(
                    value=ast.Call(func=ast.Attribute(value=graph, attr="nodes" | "edges"), args=[]) as call
                ):
                    view = "EdgeView" if is_pair else "NodeView"
                    is_view = context.describe_all([call], calls=True)[0].type in (view, f"Out{view}")
                    if is_view and isinstance(node.slice, ast.Constant) and type(node.slice.value) is int:
                        text = f"list({context.text(call)})"
                        edits = context.replace_here((*context.span(call), text))
                        sure = is_pair or context.is_true(f"not any(isinstance(n, int) for n in {context.text(graph)})")
                        yield self.patch(
                            edits,
                            f"Use `{text}`",
                            "A graph's nodes and edges are no lists since networkx 2.",
                            applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                            why=self.why if sure else "The nodes are numbers, and one of them may be meant.",
                        )
                    return

    def _make_list(
        self, context: RuleContext, cell_id: str, source: str, node: ast.expr
    ) -> tuple[tuple[Edit, ...], str]:
        if context.attribute in IN_PLACE and not isinstance(node, ast.Name):
            return (), ""  # `d.keys().sort()`: nobody could read the list that it put in order
        start, end = src.find_span(source, node)
        wanted = dict if _name_whole(context, node) == "dict" else list
        is_of_lists = "has no attribute" not in context.failure.evalue or hasattr(wanted, context.attribute)
        if is_of_lists and (_gives_view(node) or _makes_generator(context, node)):
            text = _write_by_count(context, node, source) or f"{_name_whole(context, node)}({source[start:end]})"
            if isinstance(node, ast.GeneratorExp) and re.search(r"[\w\])]\s*$", source[:start]):
                text = f"(list{source[start:end]})"  # its brackets are those of the call
            return context.replace(cell_id, [(start, end, text)]), source[start:end]
        if isinstance(node, ast.Call) and is_of_lists and context.describe_all([node], calls=True)[0].type in VIEWS:
            return context.replace(
                cell_id, [(start, end, f"{_name_whole(context, node)}({source[start:end]})")]
            ), source[start:end]
        name = read_plain_chain(node, source)
        thing = context.describe(name) if name else None
        if name is None or thing is None or thing.type not in VIEWS + FINITE:
            return (), ""
        made = context.find_last_assignment(name) if isinstance(node, ast.Name) else None
        if made is not None and (_gives_view(made[2].value) or isinstance(made[2].value, ast.Call)):
            home, text, assignment = made
            at = src.find_span(text, assignment.value)
            value = text[at[0] : at[1]]
            inner = value[1:-1] if isinstance(assignment.value, ast.GeneratorExp) else value
            whole = _write_by_count(context, assignment.value, text)
            changes: list[Splice] = [(*at, whole or f"{_name_whole(context, assignment.value)}({inner})")]
            return context.replace(home, changes), name
        if "item assignment" in context.failure.evalue:
            return (), ""  # what is changed in place would be a copy that nothing holds
        return context.replace(cell_id, [(start, end, f"list({name})")]), name


BY_COUNT = {
    "keys": "[k for k, _ in {}.most_common()]",
    "values": "[n for _, n in {}.most_common()]",
    "items": "{}.most_common()",
}
"""What NLTK 2 gave for the keys, counts and pairs of a `FreqDist`: the most frequent first, which a list of NLTK 3's view is not."""


def _write_by_count(context: RuleContext, node: ast.expr, source: str) -> str:
    """The list of a frequency distribution's keys, counts or pairs in the order that it had; empty for anything else."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr=method), args=[], keywords=[]) if method in BY_COUNT:
            name = read_plain_chain(owner, source)
            live = context.describe_all([name])[0] if name else context.describe_all([owner], calls=True)[0]
            return BY_COUNT[method].format(src.extract_text(source, owner)) if live.is_a("nltk.FreqDist") else ""
    return ""


def _name_whole(context: RuleContext, node: ast.expr) -> str:
    """``dict`` for what networkx 1 gave as a dictionary of all nodes, and gives as pairs now; else ``list``."""
    name = read_last_name(node.func) if isinstance(node, ast.Call) else ""
    if not isinstance(node, ast.Call) or not (name.startswith("all_pairs_") or name == "shortest_path_length"):
        return "list"
    live = context.describe_all([read_dotted_name(node.func) or "None"])[0]  # it may stand in another cell
    return "dict" if any(path.startswith("networkx.") for path in (live.path, *live.mro)) else "list"


def _makes_generator(context: RuleContext, node: ast.expr) -> bool:
    """True for the call of a function of the notebook that yields."""
    name = context.read_plain_chain(node.func) if isinstance(node, ast.Call) else None
    wanted = "'generator'" in context.failure.evalue and "has no attribute" not in context.failure.evalue
    return name is not None and wanted and context.is_true(f"{name}.__code__.co_flags & 32")


def _gives_view(node: ast.expr) -> bool:
    if isinstance(node, ast.GeneratorExp):
        return True
    if not isinstance(node, ast.Call):
        return False
    if read_dotted_name(node.func) in {name for tool in FINITE for name in (tool, f"itertools.{tool}")}:
        return True
    if isinstance(node.func, ast.Name):
        return node.func.id in CALLS
    return isinstance(node.func, ast.Attribute) and node.func.attr in METHODS and not node.args


def _list_operands(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Subscript | ast.Attribute):
        return [node.value]
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    return list(node.args) if isinstance(node, ast.Call) else []


def _name_type(message: str) -> str:
    match = ABOUT.search(message)
    return f"a `{match[1]}`" if match else "an iterator"
