"""TYP228: a list of numbers where one number is taken, without NumPy at hand."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"unsupported operand type\(s\) for (?:-|/|//|\*\*|\*\* or pow\(\)|%): '(?:list|tuple|int|float)' and '(?:list|tuple|int|float)'|"
    r"can't multiply sequence by non-int of type '(?:float|list|tuple)'|must be real number, not list|real number, not 'list'|"
    r"type list doesn't define __round__ method|bad operand type for (?:abs\(\)|unary [-+]): 'list'"
)
GROUPS = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+")
MOST = 2
"""Lists that one expression may go through side by side."""


class ItemByItem(Rule):
    """Reckon with each number of a list.

    **Failure** `TypeError: unsupported operand type(s) for /: 'list' and 'float'` at `prices / 1.2`, `must be real number, not list` at
    `math.sqrt(values)`, `type list doesn't define __round__ method` at `round(prices, 2)`, where the notebook has no NumPy.

    **Fix** `[price / 1.2 for price in prices]`; `[weight / height for weight, height in zip(weights, heights)]` of two lists of one length. `population = 1,250,000` becomes `1_250_000`.

    **Fix safety** Safe for the commas of a number. Unsafe otherwise: one item of the list, its sum or its length may have been meant. Silent on lists of anything but numbers, of different
    lengths, and on `+` and whole multiples, which lists have.
    """

    code = "TYP228"
    name = "list for a number"
    enames = frozenset({"TypeError"})
    message = MESSAGE
    why = "One item of the list, its sum or its length may have been meant."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        yield from self._join_digits(context)
        for node in context.list_failing_nodes(ast.BinOp, ast.UnaryOp, ast.Call):
            whole = _find_whole(context, node)
            names = _list_number_lists(context, whole, node)
            if not names or (isinstance(node, ast.BinOp) and _has_numpy(context)):
                continue
            items = name_items(context, names)
            inner = [n for n in ast.walk(whole) if isinstance(n, ast.Name) and n.id in items]
            start, end = context.span(whole)
            text = src.splice(context.source, [(*context.span(n), items[n.id]) for n in inner])
            text = text[start : end + sum(len(items[n.id]) - len(n.id) for n in inner)]
            through = names[0] if len(names) == 1 else f"zip({', '.join(names)})"
            new = f"[{text} for {', '.join(items.values())} in {through}]"
            yield self.patch(
                context.replace_here((start, end, new)),
                f"Use `{new}`",
                f"`{names[0]}` is a list, not a number.",
                prior=0.6,
            )
            return

    def _join_digits(self, context: RuleContext) -> Iterator[Patch]:
        """``population = 1,250,000``: a number with commas, which is a tuple of its groups."""
        nodes = [n for node in context.list_failing_nodes(ast.BinOp) for n in ast.walk(node)]
        for name in dict.fromkeys(n.id for n in nodes if isinstance(n, ast.Name)):
            made = context.find_last_assignment(name)
            value = made.node.value if made is not None else None
            if made is None or not isinstance(value, ast.Tuple):
                continue
            start, end = src.find_span(made.source, value)
            if GROUPS.fullmatch(made.source[start:end]):
                number = made.source[start:end].replace(",", "_")
                yield self.patch(
                    context.replace(made.cell_id, [(start, end, number)]),
                    f"Write `{number}`",
                    f"A number is written without commas: `{name}` is a tuple of {len(value.elts)} numbers.",
                    applicability=Applicability.SAFE,
                    why="Groups of three digits are one number, and it is reckoned with as one.",
                    prior=0.95,
                )
                return


def _has_numpy(context: RuleContext) -> bool:
    """True where an array would do it, which is another rule's (NPA112)."""
    known = context.reference("numpy.array")
    return known is not None and not known.import_line


def _find_whole(context: RuleContext, node: ast.expr) -> ast.expr:
    """The outermost sum, product or power that the failing operation is a part of; a call is whole by itself."""
    parents = src.read(context.source).parents
    while isinstance(node, ast.BinOp | ast.UnaryOp) and isinstance(parents.get(node), ast.BinOp | ast.UnaryOp):
        node = parents[node]  # type: ignore[assignment]
    return node


def _list_number_lists(context: RuleContext, whole: ast.expr, failing: ast.expr) -> list[str]:
    """Names of the lists of numbers that are read; none where they are more than two, of other things, or of different lengths."""
    given = whole.args[:1] if isinstance(whole, ast.Call) else [whole]
    nodes = [n for part in given for n in ast.walk(part)]
    if any(isinstance(n, ast.Call | ast.Lambda | ast.Subscript) for n in nodes):
        return []
    names = list(dict.fromkeys(n.id for n in nodes if isinstance(n, ast.Name)))
    lists = [n for n in names if context.is_true(f"isinstance({n}, (list, tuple))")]
    numbers = " and ".join(
        f"{{type(_) for _ in {n}}} <= {{int, float}} and len({n}) == len({lists[0]}) > 1" for n in lists
    )
    if not 1 <= len(lists) <= MOST or not context.is_true(numbers):
        return []
    return lists if any(isinstance(n, ast.Name) and n.id in lists for n in ast.walk(failing)) else []


def name_items(context: RuleContext, names: list[str]) -> dict[str, str]:
    """A name for an item of each list: its singular, where nothing has that name."""
    items: dict[str, str] = {}
    for name in names:
        short = name[:-1] if name.endswith("s") and len(name) > 1 else ""
        free = (
            short
            and short.isidentifier()
            and short not in context.known_names
            and short not in src.find_names(context.source).binds
        )
        items[name] = short if free else f"{name}_item"
    return items
