"""API202: arguments given by position that a function takes by keyword only now."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import ObjectInfo, Rule, RuleContext, Signature, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.knowledge import Positional, load_knowledge
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch

TOO_MANY = re.compile(
    r"takes (?:from \d+ to )?\d+ positional arguments? but \d+ (?:positional arguments? \(and .*\) )?(?:were|was) given|"
    r"too many positional arguments|takes (?:no|exactly \d+|at most \d+) (?:positional )?arguments?|got multiple values for argument|should not be called with positional arguments|"
    r"unhashable type: 'dict'|cannot be assigned with wide-form data"
)
COLUMNS = ("pandas.Series", "pandas.Index", "numpy.ndarray", "builtins.list", "builtins.tuple")
"""What stands for the values of one axis; a table by position is the data of a plot."""


_SINGLE = re.compile(r"True|False|-?\d[\d.e-]*|'.*'|\".*\"")
"""A default that is a truth value, a number or a text."""

SURE = 3
"""So many arguments in a row keep their order from release to release; of more, one may have been taken out.

Of a function of the notebook only one: nothing says that it ever took several by position in the order of their names."""


LATER = frozenset({"groups", "out", "where"})
"""Parameters that came late, and stand before older ones in today's signatures."""

OTHER_ORDER = "The order may be another one since: arguments were added, or taken out."
NO_NUMBERS = "The values by that order are no numbers, and another of the columns has numbers."

MOST_ALIKE = 20
"""Calls of a method of the same name that are asked for what they call."""


class PositionalArguments(Rule):
    """Give arguments by keyword where a function no longer takes them by position.

    **Failure** `TypeError: scatterplot() takes from 0 to 1 positional arguments but 2 were given`, `too many positional
    arguments`, seaborn's `ValueError: The following variable cannot be assigned with wide-form data: `hue`` at
    `sns.countplot(df["city"], hue=df["sex"])`, and `got multiple values for argument 'data'` where the order of the parameters has changed.

    **Fix** The arguments get their names: in the order in which the function took them when the call was written, where a
    changelog says that it changed (`data/*.toml`), else from the live signature, whose keyword-only parameters stand in
    their old order. All calls of the function in the cell are mended at once.

    **Fix safety** Safe: the signature of the installed function has these names, and the call gives no other argument of
    the same name. Never where the function is the user's own.
    """

    code = "API202"
    name = "argument by position that must be by keyword"
    stage = Stage.CHANGELOG
    enames = frozenset({"TypeError", "ValueError"})
    message = TOO_MANY
    applicability = Applicability.SAFE
    why = (
        "The names are those of the installed function's own signature, in the order in which it took them by position."
    )

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        calls = [
            c for c in context.list_calls_at_failure() if c.args and not any(isinstance(a, ast.Starred) for a in c.args)
        ]
        for call in calls[:4]:
            live = context.describe_all([call.func], calls=True)[0]
            if not live.path or live.path.split(".")[0] == "builtins":
                continue
            if "unhashable" in context.failure.evalue and _find_order(call, live) is None:
                continue
            is_wide = "wide-form" in context.failure.evalue
            if is_wide and not context.describe_all([call.args[0]], calls=True)[0].is_a(*COLUMNS):
                continue
            names = _name_arguments(context, call, live)
            if not names:
                yield from self._unpack_attributes(context, call)
                continue
            splices = _write_names(context, call, names)
            for other, is_known in _list_alike(context, call, live):
                more = _name_arguments(context, other, live) if is_known else names
                splices += _write_names(context, other, more) if more else []
            most = 1 if live.path.startswith("__main__.") else SURE
            kept = sum(map(bool, names)) <= most and not LATER & set(names)
            sure = _find_order(call, live) is not None or kept
            turned = _has_numbers_elsewhere(context, call, names)
            shown = ", ".join(f"{n}=" for n in names if n)
            yield self.patch(
                context.replace(context.cell_id, splices),
                f"Pass {shown} by keyword",
                f"`{context.text(call.func)}` only takes these arguments by keyword.",
                applicability=Applicability.SAFE if sure and not turned else Applicability.UNSAFE,
                why=NO_NUMBERS if turned else self.why if sure else OTHER_ORDER,
                prior=0.9 if sure and not turned else 0.6,
            )
            return

    def _unpack_attributes(self, context: RuleContext, call: ast.Call) -> Iterator[Patch]:
        """``G.add_edge(1, 2, {"w": 3})``: attributes of networkx 1 by position are keywords now."""
        last = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        extra = {"add_node": 1, "add_edge": 2, "add_edges_from": 1, "add_nodes_from": 1}.get(last, 99)
        if len(call.args) != extra + 1 or not context.describe_all([call.args[-1]], calls=True)[0].is_a(
            "builtins.dict"
        ):
            return
        start = context.span(call.args[-1])[0]
        yield self.patch(
            context.replace(context.cell_id, [(start, start, "**")]),
            "Pass the attributes by keyword",
            f"Since networkx 2.0, `{last}` only takes attributes by keyword.",
            prior=0.88,
        )


def _list_alike(context: RuleContext, call: ast.Call, live: ObjectInfo) -> list[tuple[ast.Call, bool]]:
    """Other calls of the cell that fail in the same way: of the same text, or of a method that is the same one, on whatever. One in the failing statement
    of which nothing is known (False) may be called on what this one gives: ``df.drop("a", 1).drop("b", 1)``."""
    name = read_last_name(call.func)
    others = [
        c
        for c in context.walk(ast.Call)
        if c is not call
        and read_last_name(c.func) == name
        and isinstance(c.func, type(call.func))
        and not (len(c.args) == 1 and isinstance(c.args[0], ast.List | ast.Dict))  # data, not x
    ]
    same = [(c, True) for c in others if context.text(c.func) == context.text(call.func)]
    texts = {context.text(c.func) for c, _ in same}
    rest = [c for c in others if context.text(c.func) not in texts and isinstance(c.func, ast.Attribute)][:MOST_ALIKE]
    paths = [info.path for info in context.describe_all([c.func for c in rest], calls=True)] if rest else []
    failing = {id(n) for n in ast.walk(_find_own_statement(context, call))} if rest else set()
    for other, path in zip(rest, paths, strict=True):
        alike = not path and id(other) in failing and len(other.args) == len(call.args) and not other.keywords
        if path == live.path or alike:
            same.append((other, not alike))
    return same


def _find_own_statement(context: RuleContext, node: ast.AST) -> ast.AST:
    """The innermost statement that holds a node."""
    parents = src.read(context.source).parents
    while not isinstance(node, ast.stmt) and node in parents:
        node = parents[node]
    return node


def _name_arguments(context: RuleContext, call: ast.Call, live: ObjectInfo) -> list[str]:
    """A name for each positional argument ("" where it may stay as it is); empty where nothing is to be done."""
    if not call.args or any(isinstance(a, ast.Starred) for a in call.args):
        return []
    signature = context.signature(call.func, calls=True) or Signature()
    accepted = set(signature.names())
    takes_any = bool(signature.names("VAR_KEYWORD"))
    known = _find_order(call, live)
    given = {k.arg for k in call.keywords}
    if "data" in accepted and 2 <= len(call.args) <= 4 and "data" not in given:
        tables = [n for n, a in enumerate(call.args) if n and _is_table(context, a)]
        axes: list[str] = [a for a in ("x", "y", "hue") if a in accepted and a not in given]
        if (
            len(tables) == 1 and _names_column(context, *call.args[: tables[0] + 1]) and len(axes) >= len(call.args) - 1
        ):  # a column's name, then the table
            axes.insert(tables[0], "data")
            return axes[: len(call.args)]
    free = signature.names("POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD")
    if known is not None:
        if known.order[0] != "data" and free[:1] == ["data"] and _is_table(context, call.args[0]):
            behind = list(known.order[: len(call.args) - 1])  # the table was written where it is taken now
            return ["", *behind] if len(behind) == len(call.args) - 1 and not given & set(behind) else []
        names = list(known.order[: len(call.args)])
        fits = len(names) == len(call.args) and not given & set(names) and (set(names) <= accepted or takes_any)
        return _only_moved(names, free) if fits else []
    only = signature.names("KEYWORD_ONLY")
    if live.path.startswith("__main__."):
        only = [
            p.name for p in signature.parameters if p.name in only and not p.has_default
        ]  # what may be left out is seldom meant
    if signature.names("VAR_POSITIONAL"):
        return []
    extra = len(call.args) - len(free)
    if not 0 < extra <= len(only) or given & set(only[:extra]) or _are_data(context, call, only[:extra], signature):
        return []
    return ["" for _ in free] + only[:extra]


def _has_numbers_elsewhere(context: RuleContext, call: ast.Call, names: list[str]) -> bool:
    """Whether the values of ``sales.pivot("amount", "day", "shop")`` are no numbers by the order, and another of its columns has some."""
    columns = {n: context.text(a) for n, a in zip(names, call.args, strict=True) if n}
    if set(columns) != {"index", "columns", "values"} or not isinstance(call.func, ast.Attribute):
        return False
    table = context.operand(call.args[0] if names[0] == "" else call.func.value)
    numbers = {n: f"__import__('pandas').api.types.is_numeric_dtype({table}[{c}])" for n, c in columns.items()}
    return context.is_true(f"not {numbers['values']} and ({numbers['index']} or {numbers['columns']})")


def _are_data(context: RuleContext, call: ast.Call, names: list[str], signature: Signature) -> bool:
    """Whether one of the arguments is a table or an array where the default is a single value: ``LinearRegression(X, y)`` is no ``fit_intercept=X``."""
    defaults = {p.name: p.default for p in signature.parameters if p.has_default}
    given = context.describe_all(call.args[-len(names) :], calls=True)
    return any(
        live.is_a("pandas.DataFrame", *COLUMNS) and _SINGLE.fullmatch(defaults.get(name, "")) is not None
        for name, live in zip(names, given, strict=True)
    )


def _names_column(context: RuleContext, *given: ast.expr) -> bool:
    """Whether what stands before a table are names of its columns."""
    table = context.operand(given[-1])
    return all(context.is_true(f"{context.operand(name)} in {table}.columns") for name in given[:-1])


def _is_table(context: RuleContext, node: ast.expr) -> bool:
    return context.describe_all([node], calls=True)[0].is_a("pandas.DataFrame")


def _only_moved(names: list[str], free: list[str]) -> list[str]:
    """Names for the arguments from the first on that is not where the function takes it by position now."""
    same = 0
    while same < min(len(names), len(free)) and names[same] == free[same]:
        same += 1
    return ["" for _ in names[:same]] + names[same:] if same < len(names) else []


def _find_order(call: ast.Call, live: ObjectInfo) -> Positional | None:
    last = read_last_name(call.func)
    package = live.path.split(".")[0]
    return next((p for p in load_knowledge().positional if last in p.calls and package in p.libraries), None)


def _write_names(context: RuleContext, call: ast.Call, names: list[str]) -> list[Splice]:
    splices = []
    for argument, name in zip(call.args, names, strict=True):
        if name:
            start = context.span(argument)[0]
            splices.append((start, start, f"{name}="))
    return splices
