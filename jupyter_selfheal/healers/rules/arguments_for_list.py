"""CAL128: several arguments for one list."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.nodes import read_last_name, read_literal
from jupyter_selfheal.inside.tree_names import read_called_name
from jupyter_selfheal.model import Applicability, Patch

_ONE = re.compile(
    r"(\w+)\(\) takes (?:[12] positional arguments?|exactly one argument) (?:but \d+ were given|\(\d+ given\))"
)
_STARRED = re.compile(
    r"(\w+)(?:\(\) takes| expected) (?:at most |exactly )?(?:one|\d+)(?: positional)? arguments?(?: but \d+ were given| \(\d+ given\)|, got \d+)|"
    r"'(?:int|float|bool)' object is not iterable|^reduce\(\) arg 2 must support iteration"
)
"""What is said where the items of a collection are given in its place."""
_TAKE_ONE = frozenset({"sum", "len", "sorted", "list", "tuple", "set", "frozenset", "any", "all", "reversed"})
"""Functions of Python that take one collection."""
_OF_COLUMNS = frozenset({"groupby", "sort_values", "drop_duplicates", "duplicated", "set_index"})
"""Methods of a table that take one column, or several in a list."""
_WORDS = frozenset({"first", "last", "index", "columns", "drop", "append", "ascending", "descending", "sort"})
"""What is said to these methods besides columns: ``drop_duplicates("name", "first")`` keeps the first of equal rows."""
_OF_LISTS = frozenset({"len", "sum", "max", "min", "sorted", "enumerate", "set", "list", "mean", "array"})
"""Functions of a collection: what they are given is one."""


class ArgumentsForList(Rule):
    """Give the items in one list to a function that takes one.

    **Failure** `TypeError: mean() takes 1 positional argument but 3 were given` at `mean(3, 4, 5)`, where `def mean(marks):` takes its length;
    `list.append() takes exactly one argument (2 given)` at `marks.append(3, 4)`.

    **Fix** `mean([3, 4, 5])`; `" ".join([first, last])`; `marks.extend([3, 4])`, `queue.insert(0, "a")` where the list holds no numbers; `model.predict([[10.0, 3]])`; `sum(marks)` for `sum(*marks)`, `sum([3, 4])` for `sum(3, 4)`, and so of `reduce`; `orders.groupby(["shop", "drink"])`.

    **Fix safety** Safe for names that are all columns of the table (unsafe for `"first"` or `"last"`, which may say what is kept), for as many numbers as an estimator was fitted on, and for a star before the one argument of a function that takes a collection, of single values. Unsafe otherwise: an argument may be too many. Silent where the function does not use its parameter as a collection, and where it is given one.
    """

    code = "CAL128"
    name = "several arguments for one list"
    enames = frozenset({"TypeError", "ValueError"})
    message = re.compile(
        rf"{_STARRED.pattern}|positional arguments? but|^level name \w+ is not the name|^No axis named"
    )
    applicability = Applicability.UNSAFE
    why = "One of the arguments may be too many."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        told = _ONE.search(context.failure.evalue)
        yield from self._take_off_star(context)
        yield from self._list_columns(context)
        yield from self._list_numbers(context)
        for call in context.list_calls_at_failure():
            if told is None or read_last_name(call.func) != told[1] or call.keywords or len(call.args) < 2:
                continue
            if any(isinstance(a, ast.Starred | ast.List | ast.ListComp | ast.Dict) for a in call.args):
                return
            start, end = context.span(call.args[0])[0], context.span(call.args[-1])[1]
            items = f"[{context.source[start:end]}]"
            if isinstance(call.func, ast.Attribute) and _takes_row(context, call):
                yield self.patch(
                    context.replace_here((start, end, f"[{items}]")),
                    "Put the values into one row of a table",
                    f"`{context.text(call.func)}` takes a table, one row a sample.",
                    applicability=Applicability.SAFE,
                    why="There are as many numbers as the estimator was fitted on.",
                    prior=0.93,
                )
                return
            if isinstance(call.func, ast.Attribute):
                live = context.describe_all([call.func.value], calls=True)[0]
                if call.func.attr == "join" and all(v.type == "str" for v in context.describe_all(call.args)):
                    yield self.patch(
                        context.replace_here((start, end, items)),
                        "Put the texts into one list",
                        "`join` takes one collection of texts.",
                        prior=0.9,
                    )
                if call.func.attr != "append" or live.type not in ("list", "deque"):
                    return
                at = context.find_attribute_span(call.func)[0]
                if live.type == "list" and _names_place(context, call):
                    new, title = (
                        (at, end, f"insert({context.source[start:end]}"),
                        "Use `insert`, which takes the place first",
                    )
                else:
                    new, title = (at, end, f"extend({items}"), "Use `extend`, which adds several items"
            elif _takes_list(context, told[1]):
                new, title = (start, end, items), "Put the arguments into one list"
            else:
                return
            cause = f"`{context.text(call.func)}` takes one argument."
            yield self.patch(context.replace_here(new), title, cause, prior=0.8)
            return

    def _list_columns(self, context: RuleContext) -> Iterator[Patch]:
        """``orders.groupby("shop", "drink")``: columns of the table, of which the method takes a list."""
        for call in context.list_calls_at_failure():
            if not isinstance(call.func, ast.Attribute) or call.func.attr not in _OF_COLUMNS or len(call.args) < 2:
                continue
            names = [read_literal(a)[1] for a in call.args]
            table = context.table(call.func.value)
            if table is None or len(set(map(str, names))) < len(names) or not all(n in table.columns for n in names):
                return
            start, end = context.span(call.args[0])[0], context.span(call.args[-1])[1]
            word = next((n for n in names[1:] if n in _WORDS), None)
            yield self.patch(
                context.replace_here((start, end, f"[{context.source[start:end]}]")),
                "Give the columns in one list",
                f"`{call.func.attr}` takes several columns in a list.",
                applicability=Applicability.UNSAFE if word else Applicability.SAFE,
                why=f"`{word}` may be how it is done, not the column of this name."
                if word
                else "All of them are columns of this table, and the method takes nothing else that these could be.",
                prior=0.6 if word else 0.95,
            )
            return

    def _list_numbers(self, context: RuleContext) -> Iterator[Patch]:
        """``sum(3, 4, 5)``, ``reduce(add, 3, 4, 5)``: numbers, of which the function takes a list."""
        for call in context.list_calls_at_failure():
            name = read_last_name(call.func)
            numbers = call.args[name == "reduce" :]
            if name not in ("sum", "reduce") or len(numbers) < 2 or call.keywords:
                continue
            is_own = name == "reduce" or (isinstance(call.func, ast.Name) and not context.is_bound_anywhere("sum"))
            if is_own and all(v.type in ("int", "float") for v in context.describe_all(numbers)):
                start, end = context.span(numbers[0])[0], context.span(numbers[-1])[1]
                yield self.patch(
                    context.replace_here((start, end, f"[{context.source[start:end]}]")),
                    "Put the numbers into one list",
                    f"`{name}` takes one collection.",
                    applicability=Applicability.SAFE,
                    why=f"All of them are numbers, and of these `{name}` takes a list.",
                    prior=0.93,
                )
                return

    def _take_off_star(self, context: RuleContext) -> Iterator[Patch]:
        """``sum(marks)`` for ``sum(*marks)``."""
        calls = [c for c in context.list_calls_at_failure() if len(c.args) == 1 and isinstance(c.args[0], ast.Starred)]
        if len(calls) != 1 or calls[0].keywords or not isinstance(calls[0].func, ast.Name):
            return
        name, start = calls[0].func.id, context.span(calls[0].args[0])[0]
        of_python = name in _TAKE_ONE and not context.is_bound_anywhere(name)
        starred = calls[0].args[0]
        given = context.text(starred.value) if isinstance(starred, ast.Starred) else ""
        nested = not context.is_true(f"not any(isinstance(i, (list, tuple, set, dict)) for i in {given})")
        if of_python or _takes_list(context, name):
            yield self.patch(
                context.replace_here((start, start + 1, "")),
                "Give the collection itself, without `*`",
                f"`{name}` takes one collection; `*` gives it the items one by one.",
                applicability=Applicability.UNSAFE if nested else Applicability.SAFE,
                why="What its items hold may be meant."
                if nested
                else "The function takes one collection, and this is the only thing that it is given.",
                prior=0.7 if nested else 0.93,
            )


def _names_place(context: RuleContext, call: ast.Call) -> bool:
    """``queue.append(0, "a")``: a place in the list, and an item, where the list holds no numbers."""
    owner = context.read_plain_chain(call.func.value) if isinstance(call.func, ast.Attribute) else None
    place = read_literal(call.args[0])[1]
    if owner is None or len(call.args) != 2 or type(place) is not int:
        return False
    return context.is_true(f"0 <= {place} <= len({owner}) and not any(isinstance(_, (int, float)) for _ in {owner})")


def _takes_row(context: RuleContext, call: ast.Call) -> bool:
    """``model.predict(10.0, 3)`` of an estimator that was fitted on so many columns."""
    assert isinstance(call.func, ast.Attribute)
    if not re.fullmatch(r"predict\w*|transform|decision_function", call.func.attr):
        return False
    owner = context.read_plain_chain(call.func.value)
    are_numbers = all(type(read_literal(a)[1]) in (int, float) for a in call.args)
    return owner is not None and are_numbers and context.number(f"{owner}.n_features_in_") == len(call.args)


def _takes_list(context: RuleContext, name: str) -> bool:
    """Whether a function of the notebook has one parameter, and uses it as a collection."""
    for view in context.look_upwards():
        for function in view.walk(ast.FunctionDef):
            arguments = function.args
            if function.name != name or len(arguments.args) != 1 or arguments.vararg or arguments.kwonlyargs:
                continue
            parameter = arguments.args[0].arg
            return any(_uses_as_collection(n, parameter) for n in ast.walk(function))
    return False


def _uses_as_collection(node: ast.AST, name: str) -> bool:
    used = (
        [node.iter] if isinstance(node, ast.For | ast.comprehension)
        else [node.value] if isinstance(node, ast.Subscript)
        else node.args[:1] if isinstance(node, ast.Call) and read_called_name(node) in _OF_LISTS
        else []
    )  # fmt: skip
    return any(isinstance(n, ast.Name) and n.id == name for n in used)
