"""CAL106: what to sort by, given by position."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import find_keyword, read_last_name
from jupyter_selfheal.healers.rules.lambda_parameters import list_bound_inside
from jupyter_selfheal.inside.tree_names import is_name, list_names
from jupyter_selfheal.model import Applicability, Patch


class SortKey(Rule):
    """Name what a list is sorted by.

    **Failure** `TypeError: sorted expected 1 argument, got 2` at `sorted(words, len)`, `sort() takes no positional arguments` at
    `words.sort(len)`, `<lambda>() missing 1 required positional argument: 'v'` at `sorted(d.items(), key=lambda k, v: v)`,
    `'str' object is not callable` at `sorted(students, key="grade")`, `'tuple' object is not callable` at `sorted(pairs, key=pairs[1])`,
    `name 'x' is not defined` at `sorted(pairs, key=x[1])`; `sort() got an unexpected keyword argument 'reverse'` at `array.sort(reverse=True)`.

    **Fix** `sorted(words, key=len)`, `key=lambda item: item[1]`, `key=lambda item: item["grade"]`, where the items have that key, or
    `item.grade`, where they have that attribute; `key=lambda x: x[1]`; `array[::-1].sort()`; a function of two arguments, as Python 2 took it, becomes `key=cmp_to_key(…)`; `True` and `False`
    become `reverse=True`.

    **Fix safety** Safe: a function of one argument can only be the key, and one of two arguments only a comparison; a key is given one
    item, whose parts are those that the `lambda` names. Unsafe for a dictionary but in `map`: its keys alone may be meant, or its pairs.
    """

    code = "CAL106"
    name = "sort key by position"
    enames = frozenset({"TypeError", "NameError"})
    message = re.compile(
        r"sorted expected 1 argument, got 2|sort\(\) takes no positional arguments|<lambda>\(\) missing \d+ required positional|"
        r"'(?:str|int|float|tuple|list|dict|bool)' object is not callable|^name '(?P<unbound>\w+)' is not defined|"
        r"^sort\(\) got an unexpected keyword argument 'reverse'"
    )
    applicability = Applicability.SAFE
    why = "A function of one argument can only be the key, and one of two only a comparison."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if "<lambda>" in context.failure.evalue:
            yield from self._take_item_apart(context)
            return
        if "'reverse'" in context.failure.evalue:
            yield from self._sort_backwards(context)
            return
        if told := re.match(r"name '(\w+)'", context.failure.evalue):
            yield from self._begin_lambda(context, told[1])
            return
        if "not callable" in context.failure.evalue:
            yield from self._look_up_in_item(context)
            return
        for call in context.list_calls_at_failure():
            name = read_last_name(call.func)
            at = {"sorted": 1, "sort": 0}.get(name, -1)
            if at < 0 or len(call.args) != at + 1 or any(k.arg == "key" for k in call.keywords):
                continue
            given = call.args[at]
            changes = _write_keyword(context, given)
            if changes:
                text = _name_keyword(changes)
                yield self.patch(
                    context.replace_here(*changes),
                    f"Pass `{text}` by name",
                    f"`{name}` takes what it sorts by as `key` only.",
                    prior=0.9,
                )
            return

    def _look_up_in_item(self, context: RuleContext) -> Iterator[Patch]:
        """``key="grade"``: the name or place of what every item has, as pandas and JavaScript's libraries take it."""
        for call in context.list_calls_at_failure():
            key = find_keyword(call, "key")
            items = _find_items(context, call)
            if key is None or items is None:
                continue
            match key.value:
                case ast.Constant() as place:
                    pass
                case ast.Subscript(whole, ast.Constant() as place) if context.text(whole) == items:
                    pass
                case _:
                    continue
            look_up = _write_look_up(context, items, place)
            if look_up:
                yield self.patch(
                    context.replace_here((*context.span(key.value), f"lambda item: item{look_up}")),
                    f"Sort by `item{look_up}`",
                    f"`key` takes a function, which says what of an item is compared; `{context.text(key.value)}` is none.",
                    prior=0.9,
                )
                return

    def _sort_backwards(self, context: RuleContext) -> Iterator[Patch]:
        """``v.sort(reverse=True)`` of an array, whose ``sort`` knows no other way round than that of the array."""
        for call in context.list_calls_at_failure():
            match call:
                case ast.Call(ast.Attribute(array, "sort"), [], [ast.keyword("reverse", ast.Constant(True))]):
                    pass
                case _:
                    continue
            if (
                context.describe_all([array])[0].is_a("numpy.ndarray")
                and context.number(f"{context.text(array)}.ndim") == 1
            ):
                new = f"{context.text(array)}[::-1].sort()"
                cause = (
                    "The `sort` of an array has no `reverse`; an array that is looked at backwards is sorted backwards."
                )
                yield self.patch(context.replace_here((*context.span(call), new)), f"Use `{new}`", cause, prior=0.93)
            return

    def _begin_lambda(self, context: RuleContext, item: str) -> Iterator[Patch]:
        """``key=x[1]``: what is compared of an item, without the word that makes a function of it."""
        for call in context.list_nodes_on_line(ast.Call):
            key = find_keyword(call, "key")
            if key is None or read_last_name(call.func) not in KEYED | {"sort"} or isinstance(key.value, ast.Name):
                continue
            if item in list_names(key.value) and sum(is_name(n, item) for n in context.walk_notebook()) == sum(
                is_name(n, item) for n in ast.walk(key.value)
            ):
                text = f"lambda {item}: {context.text(key.value)}"
                cause = f"`key` takes a function, which says what of an item is compared; `{item}` is no name of the notebook."
                yield self.patch(
                    context.replace_here((*context.span(key.value), text)), f"Use `key={text}`", cause, prior=0.9
                )
                return

    def _take_item_apart(self, context: RuleContext) -> Iterator[Patch]:
        """A ``lambda`` of several names, which is called with one item."""
        for call in context.list_calls_at_failure():
            name = read_last_name(call.func)
            key = find_keyword(call, "key")
            given = (
                key.value
                if key is not None and name in KEYED
                else call.args[0]
                if name in MAPPED and call.args
                else None
            )
            if not isinstance(given, ast.Lambda) or (name in MAPPED and len(call.args) != 2):
                continue
            arguments = given.args
            names = [a.arg for a in arguments.args]
            if len(names) < 2 or arguments.defaults or arguments.vararg or arguments.kwonlyargs or arguments.kwarg:
                return
            used = list_names(given.body)
            if list_bound_inside(given) & set(names):
                return
            item = next(n for n in ("item", "pair", "row", "entry_of_all") if n not in used)
            start, end = context.span(given.body)
            parts = [
                (*context.span(n), f"{item}[{names.index(n.id)}]")
                for n in ast.walk(given.body)
                if isinstance(n, ast.Name) and n.id in names
            ]
            body = src.splice(context.source[start:end], [(a - start, b - start, t) for a, b, t in parts])
            collection = _find_collection(call, given)
            is_table = collection is not None and _is_dictionary(context, collection)
            if not is_table and collection is not None and _has_other_items(context, collection, len(names)):
                return
            end_of_table = context.span(collection)[1] if is_table and collection is not None else -1
            pairs = [(end_of_table, end_of_table, ".items()")] if is_table and len(names) == 2 else []
            if is_table and not pairs:
                return
            yield self.patch(
                context.replace_here(*pairs, (*context.span(given), f"lambda {item}: {body}")),
                "Take the parts of the item by their positions",
                f"`{name}` gives the function one item, not its parts.",
                applicability=Applicability.UNSAFE if pairs and name != "map" else Applicability.SAFE,
                why="The result holds pairs; the keys alone may be meant." if pairs and name != "map" else self.why,
                prior=0.7 if pairs and name != "map" else 0.9,
            )
            return


KEYED = frozenset({"sorted", "sort", "max", "min", "nlargest", "nsmallest", "groupby"})
"""Functions whose ``key`` is given one item."""
MAPPED = frozenset({"map", "filter"})
"""Functions that give one item of one collection to a function."""


def _find_collection(call: ast.Call, given: ast.Lambda) -> ast.expr | None:
    """What a call with a function of its items goes through."""
    if read_last_name(call.func) == "sort" and isinstance(call.func, ast.Attribute):
        return call.func.value
    return next((a for a in call.args if a is not given), None)


def _is_dictionary(context: RuleContext, node: ast.expr) -> bool:
    chain = context.read_plain_chain(node)
    described = context.describe(chain) if chain else None
    return isinstance(node, ast.Dict) or (described is not None and described.type == "dict")


def _has_other_items(context: RuleContext, node: ast.expr, count: int) -> bool:
    """True where the first item is known, and does not have so many parts."""
    chain = context.read_plain_chain(node)
    first = context.describe(f"{chain}[0]") if chain else None
    return first is not None and not (first.type in ("tuple", "list") and first.length >= count)


def _find_items(context: RuleContext, call: ast.Call) -> str | None:
    """The plain chain of what a call with ``key=`` goes through."""
    name = read_last_name(call.func)
    if name == "sort" and isinstance(call.func, ast.Attribute):
        return context.read_plain_chain(call.func.value)
    return context.read_plain_chain(call.args[0]) if name in KEYED and call.args else None


def _write_look_up(context: RuleContext, items: str, key: ast.Constant) -> str:
    """How the first item's part of that name or place is read; empty where it has none."""
    first = context.describe(f"{items}[0]")
    if first is None or isinstance(key.value, bool):
        return ""
    if isinstance(key.value, int):
        sequence = first.type in ("tuple", "list") and 0 <= key.value < first.length
        return f"[{key.value}]" if sequence else ""
    keys = context.keys(f"{items}[0]") if first.type == "dict" else None
    if keys is not None and key.value in keys.keys:
        return f"[{context.text(key)}]"
    return f".{key.value}" if first.type != "dict" and key.value in first.attributes else ""


def _name_keyword(changes: list[Splice]) -> str:
    """The keyword that the splices write."""
    return changes[-1][2].split("=")[0] + "="


def _write_keyword(context: RuleContext, given: ast.expr) -> list[Splice]:
    start, end = context.span(given)
    text = context.text(given)
    if isinstance(given, ast.Constant):
        return [(start, end, f"reverse={text}")] if isinstance(given.value, bool) else []
    if isinstance(given, ast.Lambda):
        count = len(given.args.args)
    else:
        signature = context.signature(given) if context.read_plain_chain(given) else None
        thing = context.describe(given) if context.read_plain_chain(given) else None
        if thing is None or not thing.is_callable:
            return []
        needed = (
            [p for p in signature.parameters if not p.has_default and "VAR" not in p.kind] if signature else [given]
        )
        count = len(needed) or 1
    if count == 1:
        return [(start, end, f"key={text}")]
    if count == 2:
        return [*context.add_imports(["from functools import cmp_to_key"]), (start, end, f"key=cmp_to_key({text})")]
    return []
