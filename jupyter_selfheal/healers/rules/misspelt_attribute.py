"""ATT101: an attribute or method that is misspelt."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import ObjectInfo, Rule, RuleContext
from jupyter_selfheal.healers.rules.context.aggregates import AGGREGATING
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.knowledge import load_knowledge
from jupyter_selfheal.healers.rules.context.misspelt_definitions import (
    correct_definition,
    is_stored_under,
    patch_definition,
)
from jupyter_selfheal.healers.rules.context.nodes import list_attributes_named, read_last_name
from jupyter_selfheal.healers.rules.context.renamings import find_missed_renaming
from jupyter_selfheal.healers.rules.context.spelling import (
    edit_distance,
    find_nearest,
    is_british,
    is_plain_slip,
    is_plural,
    normalize,
)
from jupyter_selfheal.model import Applicability, Patch

FUNCTIONS = ["all", "any", "count", "cumcount", "cummax", "cummin", "cumprod", "cumsum", "diff", "ffill", "bfill", "first", "idxmax", "idxmin", "last", "max", "mean", "median", "min", "nunique", "pct_change", "prod", "quantile", "rank", "sem", "shift", "size", "skew", "std", "sum", "unique", "var"]  # fmt: skip
"""What such a call is given by name: https://pandas.pydata.org/docs/user_guide/groupby.html#built-in-aggregation-methods."""
_INVALID = re.compile(r"'(\w+)' is not a valid function for '|object has no attribute '(\w+)'")

COLLECTION_METHODS = frozenset(n for kind in (list, dict, set) for n in dir(kind) if not n.startswith("_"))
COLLECTION_FUNCTIONS = frozenset(
    {"len", "sum", "max", "min", "sorted", "list", "tuple", "set", "enumerate", "zip", "any", "all", "mean", "fmean", "median", "join"}
)  # fmt: skip
"""Functions that take several things in one argument."""

MEMBERS = 6
"""Functions with one beginning of which two may be asked about; of more, the beginning says too little."""

CHANGING = frozenset({"add", "append", "clear", "discard", "extend", "insert", "remove", "reverse", "sort", "update"})
"""Methods of Python's own collections that change them and give nothing."""

LEAST = 6
"""Letters that two names must begin with alike."""
TABULAR = frozenset({"pandas", "numpy"})
"""Libraries in which a method of several words that is missing in the singular, and there in the plural, can be nothing else."""


class MisspeltAttribute(Rule):
    """Use the attribute that the live object has.

    **Failure** `AttributeError`, where `dir()` of the very object that failed holds a name that differs in case, an
    underscore or a slip of the keys.

    **Fix** The attribute is spelt as the object has it, wherever the cell misspells it on the same expression. Where the object's
    class is the notebook's own and it is the definition that is the odd one out (`self.balence` in `__init__`, `balance` everywhere
    else), the definition is corrected.

    **Fix safety** Safe where it is one slip in five letters (or case and punctuation only) and only one attribute is so
    near, also of what a text names for groups (`agg("maen")`); a method stays a method, of a table or an array also where one of several words is its plural, and of a column's texts as another form of the verb (`.str.contain`). A shorter name of a module (`plt.polt`) is safe where the notebook uses what is near elsewhere. So is a plural in the place of a singular (or the reverse) of a module of Python's own, and of an
    attribute of the notebook's own class that holds several things, where several are wanted, and of a span of time (`.day`). A method that gives nothing (`sort`) is only offered where its value is used. Functions of a module that go on from the name (`stats.ttest`) are offered, where they take as many arguments. Unsafe otherwise: what looks like a slip may be a method of another type or release.
    """

    code = "ATT101"
    name = "misspelt attribute"
    enames = frozenset({"AttributeError"})
    applicability = Applicability.UNSAFE
    why = "The attribute is near, but the one written may belong to another type or release."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if patch := self._respell_function(context):
            yield patch
            return
        wrong, owner = context.state.attribute, context.state.owner
        if not wrong or owner is None or _is_no_slip(context, owner, wrong):
            return
        node = next((n for n in context.list_failing_nodes(ast.Attribute) if n.attr == wrong), None)
        if node is None:
            return
        if owner.is_a("pandas.DataFrame") and find_missed_renaming(context, wrong) is not None:
            return  # PDA203: `sales_q1` is no slip of `SalesQ1`, which was to be renamed
        inside = owner.module == "__main__" and isinstance(node.value, ast.Name) and node.value.id == "self"
        own_name = f"_{wrong}" if inside else ""
        known = [a for a in owner.attributes if not a.startswith("_") or wrong.startswith("_") or a == own_name]
        family = _list_family(context, owner, node, known)
        near = family or find_nearest(wrong, known) or _find_beginning(wrong, known)
        if len(near) > 2:
            used = _list_used(context, owner, node)
            near = tuple(a for a in near if a in used)
        is_only_one = len(near) == 1 and not family
        for word in near if len(near) <= 2 else ():
            if _can_be_used_so(context, node, word):
                yield from self._respell(
                    context, owner, node, word, is_only_one and _is_sure(context, owner, node, word)
                )

    def _respell(
        self, context: RuleContext, owner: ObjectInfo, node: ast.Attribute, word: str, sure: bool
    ) -> Iterator[Patch]:
        """The attribute spelt as the object has it, or, before it, its definition as the notebook uses it."""
        wrong = node.attr
        if _is_nothing_used(context, owner, node, word):
            sure = False
            call = src.read(context.source).parents[node]
            if word == "sort" and isinstance(call, ast.Call):
                given = ", ".join(context.text(n) for n in (node.value, *call.args, *call.keywords))
                yield self.patch(
                    context.replace_here((*context.span(call), f"sorted({given})")),
                    f"Use `sorted({given})`",
                    f"{_name_kind(owner)} has no `{wrong}`, and its `sort` gives nothing.",
                    why="The value is used; `sort` changes the list itself, and may be what is meant.",
                    prior=0.5,
                )
        definition = correct_definition(context, wrong, word, "attribute") if sure and _is_own(owner) else ()
        if definition:
            cause = f"{_name_kind(owner)} has no `{wrong}`: it is defined as `{word}`."
            yield patch_definition(self, definition, f".{word}", f".{wrong}", cause)
            sure = False
        yield self.patch(
            context.replace(context.cell_id, _respell_attribute(context, node, word)),
            f"Change `.{wrong}` to `.{word}`",
            f"{_name_kind(owner)} has no `{wrong}`. Did you mean `{word}`?",
            applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
            why="The object itself has one attribute that differs by a slip." if sure else self.why,
            prior=0.75 if sure else 0.45,
        )

    def _respell_function(self, context: RuleContext) -> Patch | None:
        """``groups.agg({"price": "maen"})``: pandas looks for a method of that name."""
        found = _INVALID.search(context.failure.evalue)
        wrong = (found[1] or found[2]) if found else ""
        near = find_nearest(wrong, FUNCTIONS) if found else ()
        texts = (
            [n for call in context.list_calls_at_failure() for n in _list_named_functions(call, wrong)] if near else []
        )
        if not texts or len(near) != 1 or context.is_own_function(wrong):
            return None
        sure = is_plain_slip(wrong, near[0]) and len(wrong) >= 4
        return self.patch(
            context.replace_here(*dict.fromkeys((*context.span(n), repr(near[0])) for n in texts)),
            f"Change `{wrong!r}` to `{near[0]!r}`",
            f"No function of pandas is called `{wrong}`. Did you mean `{near[0]}`?",
            applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
            why="One function differs by a slip." if sure else self.why,
            prior=0.85 if sure else 0.5,
        )


def _is_no_slip(context: RuleContext, owner: ObjectInfo, wrong: str) -> bool:
    """Whether the object says that it has the attribute, or a library had it, or has it elsewhere."""
    if owner.is_none or wrong in owner.attributes:
        return True  # an attribute that the object says it has (`.str` of numbers) is not misspelt
    if not owner.is_module and load_knowledge().method(owner.mro, wrong) is not None:
        return True  # `tshift` is no slip of `shift`: the library had it
    if owner.is_module and f"{owner.path or owner.name}.{wrong}" in load_knowledge().names:
        return True  # nor is `binom_test` one of `binomtest`, which gives something else
    # MPL113: `set_xlabel` is no slip of `set_label`
    return owner.is_a("matplotlib.Figure") and context.exists(f"matplotlib.axes.Axes.{wrong}")


def _is_own(owner: ObjectInfo) -> bool:
    """Whether an object's class is the notebook's own."""
    return owner.module == "__main__" and not owner.is_module


def _is_sure(context: RuleContext, owner: ObjectInfo, node: ast.Attribute, word: str) -> bool:
    """Whether the one attribute that is near is a slip away, is stored under the other name, or is its plural where several are wanted."""
    wrong = node.attr
    # a letter is missing, too much or in the wrong place; another one in its place may make another word
    same_letters = len(wrong) != len(word) or sorted(wrong) == sorted(word)
    is_near = len(wrong) >= 3 and same_letters and edit_distance(wrong, word) == 1
    if is_near and word in _list_used(context, owner, node):
        return True
    if _is_slip(wrong, word, owner) or (_is_own(owner) and is_stored_under(context, wrong, word)):
        return True
    return is_plural(wrong, word) and (
        _is_of_library(owner)
        or (owner.module == "builtins" and not owner.is_module and context.is_called(node))
        or _is_part_of_time(owner, wrong, word)
        or (_is_own(owner) and _is_used_as_collection(context, node, word))
        or (owner.module.split(".")[0] in TABULAR and "_" in wrong and context.is_called(node))
        or (owner.type == "StringMethods" and context.is_called(node))
    )


def _list_named_functions(call: ast.Call, wrong: str) -> list[ast.Constant]:
    """Where a call that aggregates is given this text as a function: not the keys of a dictionary, and not the column of a pair."""
    if read_last_name(call.func) not in AGGREGATING | {"pivot_table", "crosstab"}:
        return []
    given = {id(k) for n in ast.walk(call) if isinstance(n, ast.Dict) for k in n.keys}
    given |= {id(n.elts[0]) for n in ast.walk(call) if isinstance(n, ast.Tuple) and n.elts}
    texts = [n for k in [*call.args, *call.keywords] for n in ast.walk(k) if isinstance(n, ast.Constant)]
    return [n for n in texts if n.value == wrong and id(n) not in given]


def _find_beginning(wrong: str, known: list[str]) -> tuple[str, ...]:
    """``predict_proba`` for ``predict_probabilities``: the longest name that it goes on from, or that goes on from it."""
    alike = [a for a in known if (wrong.startswith(a) or a.startswith(wrong)) and min(len(a), len(wrong)) >= LEAST]
    best = max(alike, key=len, default="")
    is_near = min(len(best), len(wrong)) >= 0.6 * max(len(best), len(wrong))
    return (best,) if is_near and sum(len(a) == len(best) for a in alike) == 1 else ()


def _is_slip(wrong: str, right: str, owner: ObjectInfo) -> bool:
    if normalize(wrong) == normalize(right) or is_british(wrong, right):
        return True
    own = not owner.is_module and (owner.module == "__main__" or owner.module.split(".")[0] in sys.stdlib_module_names)
    return is_plain_slip(wrong, right) and (
        own or (min(len(wrong), len(right)) >= 5 and edit_distance(wrong, right) == 1)
    )


def _list_family(context: RuleContext, owner: ObjectInfo, node: ast.Attribute, known: list[str]) -> tuple[str, ...]:
    """``ttest_ind`` and ``ttest_rel`` for ``stats.ttest(a, b)``: the functions of a module that go on from the name, and take so many arguments."""
    text = context.read_plain_chain(node.value)
    call = src.read(context.source).parents.get(node)
    if not owner.is_module or text is None or not isinstance(call, ast.Call) or call.func is not node or call.keywords:
        return ()
    names = [a for a in known if a.startswith(f"{node.attr}_")]
    if not 2 <= len(names) <= MEMBERS or any(isinstance(a, ast.Starred) for a in call.args):
        return ()
    fitting = []
    for name in names:
        signature = context.signature(f"{text}.{name}")
        wanted = [p for p in signature.parameters if not p.has_default and "VAR" not in p.kind] if signature else []
        if len(wanted) == len(call.args) and not any(word in p.name for p in wanted for word in ("mean", "std")):
            fitting.append(name)
    return tuple(fitting[:2])


def _list_used(context: RuleContext, owner: ObjectInfo, node: ast.Attribute) -> frozenset[str]:
    """What the notebook uses of the same module: of `plt` it draws with `plot`; none where it is none."""
    if not owner.is_module or not isinstance(node.value, ast.Name):
        return frozenset()
    used = (n for n in context.walk_notebook() if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name))
    return frozenset(n.attr for n in used if n.value.id == node.value.id)  # type: ignore[attr-defined]


def _is_part_of_time(owner: ObjectInfo, wrong: str, right: str) -> bool:
    """``(end - start).day``: a span has ``days``, and nothing else of that name; ``seconds`` are not all of its seconds."""
    is_span = not owner.is_module and owner.type == "timedelta" and owner.module == "datetime"
    return is_span and right == f"{wrong}s" and sum(wrong in a for a in owner.attributes) == 1


def _is_of_library(owner: ObjectInfo) -> bool:
    """True for a module of Python's own: what it has is known to all."""
    return owner.is_module and owner.name.split(".")[0] in sys.stdlib_module_names


def _is_used_as_collection(context: RuleContext, node: ast.Attribute, word: str) -> bool:
    """True where the attribute that is there holds several things, and the place wants several; and nothing else has the name."""
    owner = context.read_plain_chain(node.value)
    thing = context.describe(f"{owner}.{word}") if owner else None
    if thing is None or thing.length < 0 or thing.type in ("str", "bytes"):
        return False
    nodes = context.walk_notebook()
    if any(isinstance(n, ast.Attribute) and n.attr == node.attr and isinstance(n.ctx, ast.Store) for n in nodes):
        return False
    parent = src.read(context.source).parents.get(node)
    if isinstance(parent, ast.Attribute):
        return parent.attr in thing.attributes or parent.attr in COLLECTION_METHODS
    if isinstance(parent, ast.Call) and node in parent.args:
        return read_last_name(parent.func) in COLLECTION_FUNCTIONS
    if isinstance(parent, ast.Compare):
        return node in parent.comparators and any(isinstance(o, ast.In | ast.NotIn) for o in parent.ops)
    return (isinstance(parent, ast.Subscript) and parent.value is node) or (
        isinstance(parent, ast.For | ast.comprehension) and parent.iter is node
    )


def _can_be_used_so(context: RuleContext, node: ast.Attribute, word: str) -> bool:
    """A called attribute must be callable, where that can be seen; and `_ready`, a method, is no value of the name `ready`."""
    owner = context.read_plain_chain(node.value)
    is_called = context.is_called(node)
    if word in ("reverse", "sort") and isinstance(node.value, ast.Call):
        return False  # `t["a"].tolist().sorted()`: it would give nothing, and change what nobody has
    is_column = (
        owner is not None
        and not is_called
        and context.describe_all([node.value])[0].is_a("pandas.Series", "pandas.DataFrame")
    )
    if owner is None or not (is_called or is_column or word == f"_{node.attr}"):
        return True
    thing = context.describe(f"{owner}.{word}")
    if not is_called:
        return thing is None or thing.type != "method"
    return thing is None or thing.is_callable


def _is_nothing_used(context: RuleContext, owner: ObjectInfo, node: ast.Attribute, word: str) -> bool:
    """``print(xs.srot())``: ``xs.sort()`` gives nothing, and the cell wants something; ``sorted(xs)`` may be meant."""
    is_changing = word in CHANGING and owner.module in ("builtins", "collections") and not owner.is_module
    parents = src.read(context.source).parents
    return is_changing and context.is_called(node) and not isinstance(parents.get(parents[node]), ast.Expr)


def _respell_attribute(context: RuleContext, node: ast.Attribute, word: str) -> list[Splice]:
    owner = context.text(node.value)
    alike = [n for n in list_attributes_named(context.tree, node.attr) if context.text(n.value) == owner]
    return [(*context.find_attribute_span(n), word) for n in alike]


def _name_kind(owner: ObjectInfo) -> str:
    if owner.is_module:
        return f"Module `{owner.name}`"
    if owner.is_class:
        return f"The class `{owner.name}`"
    return f"{'An' if owner.type[:1] in 'AEIOUaeiou' else 'A'} `{owner.type}`"
