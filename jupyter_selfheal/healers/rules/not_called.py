"""ATT103: a method that was named and not called, or subscripted for called."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Signature
from jupyter_selfheal.healers.rules.context.generators import is_asked_for_next, is_stepped_again
from jupyter_selfheal.healers.rules.context.hidden_columns import list_meant_columns, write_column
from jupyter_selfheal.healers.rules.context.nodes import find_function
from jupyter_selfheal.healers.rules.context.replay import change_and_replay
from jupyter_selfheal.healers.rules.context.rule_context import Assignment
from jupyter_selfheal.healers.rules.context.uncalled import are_methods, find_filling, list_put, takes_nothing
from jupyter_selfheal.model import Applicability, Patch, Replace

ABOUT = re.compile(
    r"type (?:builtin_function_or_method|method|function) doesn't define |'(?:numpy\.)?(method|function|builtin_function_or_method|type|method-wrapper|ABCMeta|_ArrayFunctionDispatcher)'"
)

INDEX = re.compile(r"indices must be integers or slices, not (?:method|function|builtin_function_or_method)|^only integers, slices")  # fmt: skip
"""What is said of an index that is a method: of a list, and of an array."""
HIDING = re.compile(r"'(?:int|tuple|RangeIndex|Index|Flags)' object has no attribute")
"""What is said of an attribute that every table has: `size`, `shape`, `index`, `flags`."""
INSTANCE = re.compile(r"[Uu]se an instance of (?:a|the) [\w ]+class instead")
IN_PLACE = frozenset({"sort", "reverse", "append", "extend", "insert", "remove", "clear", "update", "add", "discard", "fill", "resize", "shuffle"})  # fmt: skip
"""Methods that change what they are called on, and give nothing that could be meant."""
REDUCING = frozenset({"count", "describe", "max", "mean", "median", "min", "nunique", "size", "std", "sum", "value_counts", "var"})  # fmt: skip
"""Methods of tables and columns that want no argument, and give something which has items."""


KEEPING = frozenset({"dropna", "reset_index", "copy", "sort_index", "head", "tail", "abs", "cumsum"})
"""Methods that want no argument, and give a table with the same columns; `drop_duplicates` is given some of them."""


class NotCalled(Rule):
    """Call the method.

    **Failure** `TypeError: 'method' object is not subscriptable`, `unsupported operand type(s) for +: 'method' and 'int'`,
    `AttributeError: 'function' object has no attribute 'sum'`, `'>' not supported between instances of 'method' and 'method'` from
    `max(pupils, key=lambda p: p.average)`: a function stands where its result is meant.

    **Fix** `df.describe.loc[…]` becomes `df.describe().loc[…]`; `prices.describe["mean"]` becomes `prices.describe()["mean"]`;
    `print[x]` and `df.groupby['a']`, where the function wants an
    argument, become `print(x)` and `df.groupby('a')`; what fills a column (`age.fillna(age.mean)`) is called where it stands; `i = a.argmax`, before `a[i]`, becomes `i = a.argmax()`.

    **Fix safety** Safe where the function can be called without arguments, or wants one and was given one in square brackets. Where a table has a column of that name
    (`sales.rank > 3`), or in the plural (`trips.min` beside `mins`), the column is offered, and the call too; what every table has and hides a column (`tips.size.hist()`) becomes the column safely, where that alone has what is asked for. Silent for a method that gives nothing (`values.sort[0]`).
    Unsafe for the places `0` and `-1` (`counts.most_common[0]`), and for a method of what a call gives (`Counter(words).most_common[3]`): it cannot be asked what it takes.
    """

    code = "ATT103"
    name = "method not called"
    enames = frozenset({"TypeError", "AttributeError", "IndexError", "InvalidParameterError"})
    applicability = Applicability.SAFE
    why = "A function has no items, attributes or arithmetic of its own; its result was meant."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if INSTANCE.search(context.failure.evalue):
            given = [a for c in context.list_calls_at_failure() for a in (*c.args, *(k.value for k in c.keywords))]
            kinds = context.describe_all(given)
            classes = [a for a, kind in zip(given, kinds, strict=True) if kind.is_class]
            if len(classes) == 1:
                text, end = context.text(classes[0]), context.span(classes[0])[1]
                edits = context.replace_here((end, end, "()"))
                yield self.patch(
                    edits, f"Call `{text}()`", f"An instance of `{text}` is wanted, not the class.", prior=0.9
                )
            return
        if patch := self._call_views(context):
            yield patch
            return
        if "unsupported format string" in context.failure.evalue:
            yield from self._call_formatted(context)
            return
        if "<bound method " in context.failure.evalue:
            yield from self._call_argument(context)
            return
        if INDEX.search(context.failure.evalue):
            for indexed in context.list_failing_nodes(ast.Subscript):
                yield from self._propose_call(context, indexed, indexed.slice)
            return
        if HIDING.match(context.failure.evalue):
            yield from self._read_hidden_column(context)
            return
        if "real number, not 'method'" in context.failure.evalue:
            yield from self._call_argument(context)
            return
        if not ABOUT.search(context.failure.evalue) or "not callable" in context.failure.evalue:
            return
        plain = (ast.Subscript, ast.Attribute, ast.BinOp, ast.Call, ast.For, ast.Compare)
        for failing in context.list_failing_nodes(*plain, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp):
            for node in _list_operands(failing):
                yield from self._propose_call(context, failing, node)
            yield from self._call_for_each(context, failing)
            yield from self._call_where_collected(context, failing)
            yield from self._call_argument(context)
            return

    def _call_formatted(self, context: RuleContext) -> Iterator[Patch]:
        """``f"{prices.sum:.2f}"``, ``"{:.2f}".format(prices.sum)``: a method that wants nothing, written as a number."""
        given = [n.value for n in context.list_nodes_on_line(ast.FormattedValue) if n.format_spec is not None]
        given += [a for c in context.list_calls_at_failure() for a in (*c.args, *(k.value for k in c.keywords))]
        nodes = [n for n in given if isinstance(n, ast.Attribute) and context.read_plain_chain(n)]
        kinds = context.describe_all(nodes)
        found = [n for n, k in zip(nodes, kinds, strict=True) if k.type in ("method", "builtin_function_or_method")]
        free = [n for n in found if takes_nothing(context.signature(context.text(n)))]
        if free and len(free) == len(found):
            names = " and ".join(f"`{context.text(n)}()`" for n in free)
            edits = context.replace_here(*((context.span(n)[1], context.span(n)[1], "()") for n in free))
            yield self.patch(edits, f"Call {names}", "A method was given, not its result.", prior=0.9)

    def _call_argument(self, context: RuleContext) -> Iterator[Patch]:
        """A method among the arguments of the failing call, which the message shows: ``ages.fillna(ages.mean)``."""
        calls = context.list_calls_at_failure()
        given = [a for c in calls for a in (*c.args, *(k.value for k in c.keywords)) if isinstance(a, ast.Attribute)]
        methods = [a for a, kind in zip(given, context.describe_all(given), strict=True) if kind.type == "method"]
        shown = [
            m for m in methods if f".{m.attr} of" in context.failure.evalue or "'method'" in context.failure.evalue
        ]
        if not methods and (found := find_filling(context)):
            view, node = found
            end = view.span(node)[1]
            yield self.patch(
                change_and_replay(context, {view.cell_id: [(end, end, "()")]}),
                f"Call `{view.text(node)}()`",
                f"`{view.text(node)}` is a method, and was put where a value is missing.",
                prior=0.93,
            )
            return
        if len(shown) == len(methods) == 1:
            end, asked = context.span(methods[0])[1], methods[0].attr.startswith("predict")
            data = _find_data(context, methods[0]) if asked else ""
            if asked and not data:
                return
            yield self.patch(
                context.replace_here((end, end, f"({data})")),
                f"Call `{context.text(methods[0])}({data})`",
                "A method was given, not its result.",
                applicability=Applicability.UNSAFE if data else Applicability.SAFE,
                why="Predictions of other data may be meant." if data else self.why,
                prior=0.9,
            )

    def _call_views(self, context: RuleContext) -> Patch | None:
        """``plt.bar(visits.keys, visits.values)``: what a dictionary holds, given to a library by its methods."""
        for call in context.list_calls_at_failure():
            given = [a for a in call.args if isinstance(a, ast.Attribute) and a.attr in ("keys", "values", "items")]
            owners = context.describe_all([call.func, *(a.value for a in given)]) if given else ()
            if given and not owners[0].path.startswith("__main__") and all(o.is_a("builtins.dict") for o in owners[1:]):
                ends = [context.span(a)[1] for a in given]
                names = " and ".join(f"`{context.text(a)}()`" for a in given)
                edits = context.replace_here(*((end, end, "()") for end in ends))
                return self.patch(edits, f"Call {names}", "A method was given, not its result.", prior=0.9)
        return None

    def _call_for_each(self, context: RuleContext, call: ast.AST) -> Iterator[Patch]:
        """``max(pupils, key=lambda p: p.average)``, ``sum(p.average for p in pupils)``: a method of the notebook's own class."""
        if not isinstance(call, ast.Call) or "method" not in context.failure.evalue:
            return
        keys = [k.value.body for k in call.keywords if k.arg == "key" and isinstance(k.value, ast.Lambda)]
        made = [a.elt for a in call.args if isinstance(a, ast.GeneratorExp | ast.ListComp)]
        for node in (n for n in (*keys, *made) if isinstance(n, ast.Attribute)):
            if _is_own_method(context, node.attr):
                text, end = context.text(node), context.span(node)[1]
                edits = context.replace_here((end, end, "()"))
                yield self.patch(
                    edits, f"Call `{text}()`", f"`{text}` is a method: call it to get its result.", prior=0.85
                )

    def _call_where_collected(self, context: RuleContext, call: ast.AST) -> Iterator[Patch]:
        """``means.append(df[c].mean)`` above ``max(means)``: the only place that puts something into the list."""
        items = call.args[0] if isinstance(call, ast.Call) and len(call.args) == 1 else None
        if not isinstance(items, ast.Name) or not are_methods(context, items.id):
            return
        for view in context.look_upwards():
            put = list_put(view.tree, items.id)
            if not put:
                continue
            node = put[0]
            if len(put) == 1 and isinstance(node, ast.Attribute):
                text, end = view.text(node), view.span(node)[1]
                edits = view.replace_here((end, end, "()"))
                about = f"`{text}` is a method, and `{items.id}` collects what it gives."
                yield self.patch(edits, f"Call `{text}()`", about, prior=0.85)
            return

    def _propose_call(self, context: RuleContext, outer: ast.AST, node: ast.expr) -> Iterator[Patch]:
        text = context.read_plain_chain(node)
        if text is None and isinstance(outer, ast.Subscript):
            yield from self._call_with_key(context, outer)
            return
        of_result = text is None and isinstance(node, ast.Attribute)
        if of_result:  # `df.groupby("team")["points"].mean.plot()`
            text = context.text(node)
        thing = context.describe(text, calls=of_result) if text and isinstance(node, ast.Attribute | ast.Name) else None
        if text is None or thing is None or not thing.is_callable or context.is_called(node) or thing.is_module:
            return
        if thing.is_class and not isinstance(outer, ast.Subscript):
            return
        columns = list_meant_columns(context, node) if isinstance(node, ast.Attribute) else ()
        if columns and isinstance(node, ast.Attribute):
            yield self._name_column(context, node, columns[0])
            if node.attr in columns or isinstance(outer, ast.Subscript):
                return
        if isinstance(node, ast.Attribute) and node.attr in IN_PLACE and not context.is_statement(outer):
            return
        signature = context.signature(text, calls=of_result)
        is_free, steps = takes_nothing(signature), is_asked_for_next(outer)
        made = _find_uncalled(context, node.id, steps=steps) if isinstance(node, ast.Name) and is_free else None
        if made is not None:  # `b = a.copy`: a call at each use would be another copy
            method, end = src.extract_text(made.source, made.node.value), src.find_span(made.source, made.node.value)[1]
            yield self._call(context.replace(made.cell_id, [(end, end, "()")]), method)
        elif isinstance(outer, ast.Subscript) and outer.value is node and _takes_argument(signature):
            yield from self._call_subscripted(context, outer, text, signature)
        elif is_free and not (steps and is_stepped_again(context, text)):
            end = context.span(node)[1]
            doubt = "The table has a column that is called nearly so." if columns else ""
            yield self._call(context.replace_here((end, end, "()")), text, doubt=doubt)

    def _call_subscripted(
        self, context: RuleContext, outer: ast.Subscript, text: str, signature: Signature | None
    ) -> Iterator[Patch]:
        """``df.groupby["a"]``, whose argument stands in square brackets; ``prices.describe["mean"]``, of whose result an item is meant."""
        is_free, end = takes_nothing(signature), context.span(outer.value)[1]
        method = outer.value.attr if is_free and isinstance(outer.value, ast.Attribute) else ""
        called = context.replace_here((end, end, "()"))
        if isinstance(outer.slice, ast.Slice):
            if method in REDUCING | {"tolist", "unique"}:
                yield self._call(called, text)
        elif method and _is_first_or_last(outer.slice):
            yield self._take_item(context, outer, text)
        elif method == "drop_duplicates":  # it takes a column, too
            new = f"{text}()[{context.text(outer.slice)}]"
            yield self._offer_call(context, outer, new, "Rows may be meant to be told by this column alone.")
        elif _is_switch(signature, outer.slice) or (is_free and _is_item_of_summary(outer.value, outer.slice)):
            yield self._call(called, text)
        else:
            change = (*context.span(outer), f"{text}({context.text(outer.slice)})")
            yield self._call(context.replace_here(change), text, f"Call `{text}(…)` with parentheses")

    def _call(self, edits: tuple[Replace, ...], function: str, title: str = "", doubt: str = "") -> Patch:
        return self.patch(
            edits,
            title or f"Call `{function}()`",
            f"`{function}` is a function: call it to get its result.",
            applicability=Applicability.UNSAFE if doubt else Applicability.SAFE,
            why=doubt or self.why,
            prior=0.7 if doubt else 0.8,
        )

    def _take_item(self, context: RuleContext, outer: ast.Subscript, text: str) -> Patch:
        """``counts.most_common[0]``: the first of what comes, as nobody asks for none; of a sum it may be the axis."""
        key = context.text(outer.slice)
        new = f"{text}({key})" if text.rpartition(".")[2] in REDUCING else f"{text}()[{key}]"
        return self._offer_call(context, outer, new, "It may be an argument, or the place of an item of what comes.")

    def _offer_call(self, context: RuleContext, outer: ast.Subscript, new: str, why: str) -> Patch:
        return self.patch(
            context.replace_here((*context.span(outer), new)),
            f"Call `{new}`",
            f"`{context.text(outer.value)}` is a function: call it to get its result.",
            applicability=Applicability.UNSAFE,
            why=why,
            prior=0.7,
        )

    def _name_column(self, context: RuleContext, node: ast.Attribute, name: str) -> Patch:
        column = write_column(context, node, name)
        return self.patch(
            context.replace_here((*context.span(node), column)),
            f"Use `{column}`",
            f"The table has a column `{name}`, and `{node.attr}` is one of its methods.",
            applicability=Applicability.UNSAFE,
            why="What the method gives may be meant.",
            prior=0.8,
        )

    def _read_hidden_column(self, context: RuleContext) -> Iterator[Patch]:
        """``tips["size"].hist()`` for ``tips.size.hist()``: an attribute that every table has hides the column, which has what is asked for."""
        for node in context.list_failing_nodes(ast.Attribute):
            inner = node.value
            if isinstance(inner, ast.Attribute) and inner.attr in list_meant_columns(context, inner):
                column = write_column(context, inner, inner.attr)
                if context.is_true(f"hasattr({column}, {node.attr!r})"):
                    yield self.patch(
                        context.replace_here((*context.span(inner), column)),
                        f"Use `{column}`",
                        f"Every table has `{inner.attr}`, which hides the column of that name.",
                        why=f"The column has `{node.attr}`, and what hides it has not.",
                        prior=0.95,
                    )
                    return

    def _call_with_key(self, context: RuleContext, outer: ast.Subscript) -> Iterator[Patch]:
        """``Counter(text).most_common[3]``: the method of what a call gives, which is not called to ask it."""
        is_method = "method" in context.failure.evalue and isinstance(outer.value, ast.Attribute)
        others = [n for n in context.list_failing_nodes(ast.Subscript) if n is not outer]
        if not is_method or others or isinstance(outer.slice, ast.Slice | ast.Tuple):
            return
        text, key = context.text(outer.value), context.text(outer.slice)
        is_reduced = isinstance(outer.value, ast.Attribute) and outer.value.attr in REDUCING | KEEPING
        new = f"{text}()[{key}]" if is_reduced and isinstance(outer.slice, ast.Constant) else f"{text}({key})"
        yield self._offer_call(context, outer, new, "An item of what the method gives may be meant.")


def _find_data(context: RuleContext, method: ast.Attribute) -> str:
    """The data whose labels stand beside ``model.predict``: what was fitted to them, or `X_test` of `y_test`; empty where that cannot be told."""
    beside = [a for c in context.list_calls_at_failure() if method in c.args for a in c.args if a is not method]
    labels = context.text(beside[0]) if len(beside) == 1 else ""
    for node in context.walk_notebook():
        match node:
            case ast.Call(ast.Attribute(attr="fit"), [ast.Name(data), ast.Name(fitted)]) if fitted == labels:
                return data
    name = f"X{labels[1:]}"
    return name if labels.startswith("y_") and name in context.known_names else ""


def _find_uncalled(context: RuleContext, name: str, *, steps: bool = False) -> Assignment | None:
    """``b = a.copy``, that gave a name its value: the function's only such line, maybe below in its loop, else one above; for `next` ``g = count`` too."""
    function = find_function(context.source, context.line)
    scope = function if function is not None else context.tree  # there, it may stand in a `with`
    nodes = [n for n in ast.walk(scope) if isinstance(n, ast.Assign)]
    given = [n for n in nodes if any(isinstance(t, ast.Name) and t.id == name for t in n.targets)]
    kinds = (ast.Attribute, ast.Name) if steps else (ast.Attribute,)
    uncalled = [n for n in given if isinstance(n.value, kinds)]
    if len(uncalled) == 1:
        return Assignment(context.cell_id, context.source, uncalled[0])
    made = context.find_last_assignment(name) if not given else None
    return made if made is not None and isinstance(made.node.value, kinds) else None


def _is_own_method(context: RuleContext, name: str) -> bool:
    """True where the notebook's classes have the name as a method that takes nothing but the object."""
    nodes = context.walk_notebook()
    members = [m for n in nodes if isinstance(n, ast.ClassDef) for m in n.body]
    methods = [m for m in members if isinstance(m, ast.FunctionDef) and m.name == name]
    return bool(methods) and all(
        len(m.args.args) - len(m.args.defaults) == 1 and not m.args.kwonlyargs and not m.decorator_list for m in methods
    )


def _takes_argument(signature: Signature | None) -> bool:
    """True where the function takes an argument (or does not say)."""
    return signature is None or any(p.kind != "KEYWORD_ONLY" for p in signature.parameters)


def _is_switch(signature: Signature | None, key: ast.expr) -> bool:
    """True where the function's first argument turns something on or off, and the key in square brackets is no such value."""
    first = next((p for p in signature.parameters if p.name != "self"), None) if signature is not None else None
    is_bool = isinstance(key, ast.Constant) and isinstance(key.value, bool)
    return first is not None and first.default in ("True", "False") and not is_bool


def _is_first_or_last(key: ast.expr) -> bool:
    """``0`` and `-1`: places of items, of which no function gives so many."""
    is_negative = isinstance(key, ast.UnaryOp) and isinstance(key.op, ast.USub)
    return is_negative or (isinstance(key, ast.Constant) and type(key.value) is int and key.value == 0)


def _is_item_of_summary(method: ast.expr, key: ast.expr) -> bool:
    """``prices.describe["mean"]``: a name that no such method takes, and that what it gives may have. A table's counts are of a column that is named,
    and have whole rows as their names: `t.value_counts()["A"]` is another thing."""
    is_text = isinstance(key, ast.Constant) and isinstance(key.value, str)
    return is_text and isinstance(method, ast.Attribute) and method.attr in REDUCING.union(KEEPING) - {"value_counts"}


def _list_operands(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Subscript | ast.Attribute):
        return [node.value]
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.For):
        return [node.iter]
    if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        return [loop.iter for loop in node.generators]
    return list(node.args) if isinstance(node, ast.Call) else []
