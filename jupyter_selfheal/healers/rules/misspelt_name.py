"""NAM101: a name that is misspelt."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import rename_name
from jupyter_selfheal.healers.rules.context.misspelt_definitions import correct_definition, patch_definition
from jupyter_selfheal.healers.rules.context.nodes import find_function, is_name_called, list_arguments
from jupyter_selfheal.healers.rules.context.rule_context import COMMON_BUILTINS
from jupyter_selfheal.healers.rules.context.skeletons import is_skeleton
from jupyter_selfheal.healers.rules.context.spelling import (
    edit_distance,
    find_nearest,
    is_plain_slip,
    is_plural,
    keep_digits,
)
from jupyter_selfheal.healers.rules.context.tables import read_words
from jupyter_selfheal.healers.rules.context.value_types import NUMBERS
from jupyter_selfheal.model import Applicability, Patch

SLIP = "No cell defines the name, and one known name differs from it by a slip."
MODULE = "The module has nearly this name, and all that is read of it."
CALLED = {
    "lenght": "len", "lenth": "len", "legnth": "len", "lengh": "len", "lne": "len", "lem": "len",
    "sun": "sum", "smu": "sum", "summ": "sum", "mxa": "max", "mim": "min", "tpye": "type",
}  # fmt: skip
"""How builtins that take one thing are misspelt, where the slip is too great for so short a name, or makes another word of it."""

UNREAD = "No cell defines the name, and the function has a parameter one letter from it that it never reads."


class MisspeltName(Rule):
    """Use the live name that was meant.

    **Failure** `NameError`, where no cell binds the name, and a live variable, parameter or builtin differs from it in
    case, an underscore or a slip of the keys.

    **Fix** Every use of the misspelt name in the cell becomes the known one. Where the definition is the odd one out (`totl = 0`,
    and `total` everywhere else) it is the definition that is corrected. Silent in exercises that await completion, where two
    known names are equally near, where it is reckoned with in one expression and differs by more than a slip (`weight / height ** 2`), and where the name is compared with a text and the known one is a number, or the other way round.

    **Fix safety** Safe where the two differ in case or punctuation only, or by one slip in a name of four letters or more
    (two in eight) that is no plural and no other number, and is called if and only if it can be; also where the known name is the
    failing function's parameter, one letter away, that nothing in it reads (`birthday` for `birthdays`), and for slips that are known of builtins (`lenght(xs)`; unsafe where that is another word, as `sun(xs)`). `prices[i]` in `for i, price in enumerate(…)` is
    `price`, whatever the plural. Unsafe otherwise.
    """

    code = "NAM101"
    name = "misspelt name"
    enames = frozenset({"NameError"})
    applicability = Applicability.UNSAFE
    why = "The name is near, but may have been meant as another."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        name = context.missing_name
        if not name or _is_made_anywhere(context, name) or is_skeleton(context.failure.source):
            return
        live = context.state
        if not live.is_known:
            return
        cell_id, source, _ = context.location
        known = context.known_names
        called = is_name_called(source, name)
        nearest = find_nearest(name, known) or [k for k in known if len(name) == 1 and k == f"{name}s"]
        builtin = _find_called_builtin(context, name)
        near = [builtin] if builtin else _prefer_swapped(name, [k for k in nearest if known[k] or not called])
        if len(near) > 2 or any(_is_never_equal(context, name, word) for word in near):
            return
        items = _find_items_of_loop(source, name, near[0]) if len(near) == 1 else []
        if items:
            yield self.patch(
                context.replace(cell_id, [(*src.find_span(source, item), near[0]) for item in items]),
                f"Use `{near[0]}`, the item of the loop",
                f"`{name}` isn't defined; `{near[0]}` is the item at that index.",
                applicability=Applicability.SAFE,
                why="The loop counts with the index, and gives the item at it a name.",
                prior=0.9,
            )
            return
        for word in near:
            slip = len(near) == 1 and is_plain_slip(name, word)
            unread = len(near) == 1 and not slip and _is_unread_parameter(context, name, word)
            module = len(near) == 1 and is_plural(name, word) and _is_module_read(context, name, word)
            sure = slip or unread or module or (bool(builtin) and name not in read_words("common_words", "words"))
            if not sure and not is_plural(name, word) and _stands_beside(context, name, word):
                continue  # `weight / height ** 2`: nobody divides the one by itself
            definition = correct_definition(context, name, word) if slip else ()
            if definition:
                cause = f"`{name}` isn't defined: its definition is spelt `{word}`."
                yield patch_definition(self, definition, word, name, cause)
                sure = False
            yield self.patch(
                context.replace(cell_id, rename_name(source, name, word)),
                f"Change `{name}` to `{word}`",
                f"`{name}` isn't defined. Did you mean `{word}`?",
                applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                why=UNREAD if unread else MODULE if module else SLIP if sure else self.why,
                prior=0.8 if sure else 0.5,
            )


def _stands_beside(context: RuleContext, name: str, word: str) -> bool:
    """Whether two names are reckoned with or compared in one expression."""
    both = {name, word}
    return any(
        both <= {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        for node in context.walk(ast.BinOp, ast.Compare)
    )


def _find_called_builtin(context: RuleContext, name: str) -> str:
    """``len`` for ``lenght(xs)``, ``sum`` for ``sun(xs)``: a builtin that is called with one argument, by a name which is no other word for that."""
    calls = [n for n in context.walk(ast.Call) if isinstance(n.func, ast.Name) and n.func.id == name]
    keys = [
        k for c in context.walk(ast.Call) for k in c.keywords if k.arg == "key" and getattr(k.value, "id", "") == name
    ]
    uses = [n for n in context.walk(ast.Name) if n.id == name]
    word = CALLED.get(name.casefold(), "") or ("len" if name == "length" and keys else "")
    if not word or len(calls) + len(keys) != len(uses) or any(len(c.args) != 1 or c.keywords for c in calls):
        return ""
    others = [k for k in find_nearest(name, context.known_names) if k not in COMMON_BUILTINS]
    return "" if others or context.is_bound_anywhere(word) else word


def _find_items_of_loop(source: str, name: str, word: str) -> list[ast.Subscript]:
    """``prices[i]`` in ``for i, price in enumerate(…)``: all uses of the name, where each is the item that the loop calls by its singular."""
    if not is_plural(name, word) or len(name) <= len(word):
        return []
    uses = [n for n in src.walk(source) if isinstance(n, ast.Name) and n.id == name]
    found: list[ast.Subscript] = []
    for loop in (n for n in src.walk(source) if isinstance(n, ast.For | ast.comprehension)):
        match loop:
            case ast.For(ast.Tuple([ast.Name(i), ast.Name(item)]), ast.Call(ast.Name("enumerate"), [_], [])) if (
                item == word
            ):
                counter, inside = i, [n for s in loop.body for n in ast.walk(s)]
            case _:
                continue
        if not any(
            isinstance(n, ast.Name) and n.id in (counter, word) and isinstance(n.ctx, ast.Store) for n in inside
        ):
            found += [n for n in inside if isinstance(n, ast.Subscript) and _is_item(n, name, counter)]
    return found if found and len(found) == len(uses) else []


def _is_item(node: ast.Subscript, name: str, counter: str) -> bool:
    owner, index = node.value, node.slice
    is_read = isinstance(node.ctx, ast.Load) and isinstance(owner, ast.Name) and owner.id == name
    return is_read and isinstance(index, ast.Name) and index.id == counter


def _prefer_swapped(name: str, near: list[str]) -> list[str]:
    """Of a notebook's own name and builtins the own one, where only its letters are swapped: `mian` beside `min` for `main`."""
    own = [k for k in near if k not in COMMON_BUILTINS]
    return own if len(own) == 1 and sorted(own[0]) == sorted(name) else near


def _is_never_equal(context: RuleContext, name: str, word: str) -> bool:
    """True where the name is compared with a text and the known one holds a number, or the other way round: it is not what is meant."""
    for node in context.list_nodes_on_line(ast.Compare):
        sides = [node.left, *node.comparators]
        others = [s for s in sides if not (isinstance(s, ast.Name) and s.id == name)]
        if len(sides) != 2 or len(others) != 1 or not isinstance(node.ops[0], ast.Eq | ast.NotEq):
            continue
        kinds = {thing.type for thing in context.describe_all([others[0], word])}
        if "str" in kinds and kinds & NUMBERS:
            return True
    return False


def _is_module_read(context: RuleContext, name: str, word: str) -> bool:
    """True where a name is only read for attributes, and all of them are those of a module that has nearly its name."""
    nodes = list(context.walk(ast.Name, ast.Attribute))
    read = {
        n.attr for n in nodes if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id == name
    }
    uses = sum(isinstance(n, ast.Name) and n.id == name for n in nodes)
    owned = sum(isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id == name for n in nodes)
    thing = context.describe(word)
    return bool(read) and uses == owned and thing is not None and thing.is_module and read <= set(thing.attributes)


def _is_unread_parameter(context: RuleContext, name: str, word: str) -> bool:
    """True where a name is one letter from a parameter of the failing function that the function never reads."""
    function = find_function(context.source, context.line)
    if function is None or word not in {a.arg for a in list_arguments(function)}:
        return False
    is_read = any(isinstance(n, ast.Name) and n.id == word for n in ast.walk(function))
    return (
        not is_read
        and max(len(name), len(word)) >= 4
        and edit_distance(name, word) == 1
        and keep_digits(name) == keep_digits(word)
    )


def _is_made_anywhere(context: RuleContext, name: str) -> bool:
    """True where a cell gives the name a value of its own; ``total += x`` only adds to one that must be there."""
    if _is_looped_over(context.source, name):
        return True
    if not context.is_bound_anywhere(name):
        return False
    stored = [
        (n, id(n) in {id(a.target) for a in src.walk(source) if isinstance(a, ast.AugAssign)})
        for source in (context.source_of(c.id) for c in context.notebook.cells if c.kind == "code")
        for n in src.walk(source)
        if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)
    ]
    return not stored or not all(is_updated for _, is_updated in stored)


def _is_looped_over(source: str, name: str) -> bool:
    """True where a comprehension binds the name: it is the order of its clauses that is wrong, and no spelling."""
    clauses = [n for n in src.walk(source) if isinstance(n, ast.comprehension)]
    return any(isinstance(n, ast.Name) and n.id == name for c in clauses for n in ast.walk(c.target))
