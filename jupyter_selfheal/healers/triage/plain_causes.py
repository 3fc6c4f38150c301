"""What a plain mistake comes of, where the message alone does not tell it: a key, an index, a file's mode, a text that is no number."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RuleContext
from jupyter_selfheal.healers.triage.causes_of_calls import CAUSES_OF_CALLS
from jupyter_selfheal.healers.triage.causes_of_classes import CAUSES_OF_CLASSES

Cause = tuple[str, str]
"""The cause, and what may be done about it, in sentences."""

MOST_KEYS = 8
"""How many keys of a dictionary are listed."""


def explain_plainly(context: RuleContext) -> Cause | None:
    """What the first explanation says that knows the message and finds something; None where it says all that there is."""
    told = f"{context.failure.ename}: {context.failure.evalue}"
    known = ((explain, found) for message, explain in _EXPLANATIONS if (found := message.search(told)) is not None)
    return next((cause for explain, found in known if (cause := explain(context, found)) is not None), None)


def _explain_key(context: RuleContext, told: re.Match[str]) -> Cause | None:
    for owner, _ in _list_read(context):
        keys = context.keys(owner)
        if keys is None or keys.type not in ("dict", "defaultdict", "Counter", "OrderedDict"):
            continue
        shown = ", ".join(f"`{key!r}`" for key in keys.keys[:MOST_KEYS]) + ", …" * (len(keys.keys) > MOST_KEYS)
        are = "only key is" if len(keys.keys) == 1 else "keys are"
        what = f"Its {are} {shown}." if keys.keys else "It is empty."
        return f"`{owner}` has no key `{told[1]}`. {what}", "Ask for a key that is there, or store this one first."
    return None


def _explain_index(context: RuleContext, told: re.Match[str]) -> Cause | None:
    for owner, index in _list_read(context):
        size, asked = context.number(f"len({owner})"), context.number(index)
        if size is None or asked is None or -size <= asked < size:
            continue
        last = f"the last one is `{owner}[{int(size) - 1}]`" if size else "none can be asked for"
        return (
            f"`{owner}` has {int(size)} item{'s' * (size != 1)}, and item {int(asked)} is asked for.",
            f"Counting begins at 0: {last}.",
        )
    return None


def _explain_text_index(context: RuleContext, told: re.Match[str]) -> Cause | None:
    for owner, index in _list_read(context):
        if isinstance(index, ast.Constant) and isinstance(index.value, str):
            return (
                f"`{owner}` is a {told[1]}: its items are counted from 0, and `{context.text(index)}` is no number.",
                f"Take an item first, as in `{owner}[0]`, or go through them.",
            )
    return None


def _explain_mode(context: RuleContext, told: re.Match[str]) -> Cause | None:
    name = _find_file(context)
    if not name:
        return None
    if told[1] == "writable":
        return f"`{name}` is open for reading.", 'Open it with mode "a" to add to it, or "w" to write it anew.'
    return f"`{name}` is open for writing.", 'Open it with mode "r" to read what it holds.'


def _explain_closed_file(context: RuleContext, told: re.Match[str]) -> Cause | None:
    name = _find_file(context)
    for block in context.walk(ast.With):
        given = [item.optional_vars.id for item in block.items if isinstance(item.optional_vars, ast.Name)]
        if name in given and context.line > (block.end_lineno or block.lineno):
            return (
                f"`{name}` is closed where its `with` block ends, in line {block.end_lineno}.",
                "Use it within the block, or keep what is read under a name.",
            )
    return None


def _explain_ragged(context: RuleContext, told: re.Match[str]) -> Cause | None:
    """The shapes of what is to become one array, and how often the rarer ones come."""
    for call in context.list_calls_at_failure():
        x = context.text(call.args[0]) if call.args else ""
        shape = "getattr(_, 'shape', None) or (len(_) if hasattr(_, '__len__') else ())"
        keys = context.keys(f"__import__('collections').Counter(str({shape}) for _ in {x})", calls=True) if x else None
        if keys is None or not 1 < len(keys.keys) <= MOST_KEYS:
            continue
        shown = ", ".join(f"`{k}`" for k in keys.keys)
        first = context.number(f"next(n for n, _ in enumerate({x}) if str({shape}) != {keys.keys[0]!r})")
        where = f" Item {int(first)} is the first that is not as item 0." if first is not None else ""
        return f"`{x}` holds items of different shapes: {shown}.{where}", "Bring them to one shape where they are made."
    return None


def _explain_bounds(context: RuleContext, told: re.Match[str]) -> Cause | None:
    """``index 16 is out of bounds for axis 0 with size 16``: of what, and how it was counted."""
    for owner, index in _list_read(context):
        text, last = context.text(index), int(told[3]) - 1
        if told[2] != "0" or context.number(index) != int(told[1]):
            continue
        counted = f" (`{text}`)" if not isinstance(index, ast.Constant) else ""
        return (
            f"`{owner}` has {told[3]} item{'s' * (told[3] != '1')}, and item {told[1]}{counted} is asked for.",
            f"Counting begins at 0: the last one is {last}. Look how far `{text}` counts."
            if counted and last >= 0
            else f"Counting begins at 0: the last one is {last}.",
        )
    return None


def _explain_text_column(context: RuleContext, told: re.Match[str]) -> Cause | None:
    """``model.fit(x, y)`` of texts: which of the arguments holds them, and how many different ones."""
    for call in context.list_calls_at_failure():
        for given in (*call.args, *(k.value for k in call.keywords)):
            x = context.operand(given)
            texts = f"[_ for _ in __import__('numpy').ravel({x})[:500].tolist() if isinstance(_, str)]"
            if not context.is_true(f"hasattr({x}, 'ndim') and len(set({texts})) > 1"):
                continue
            keys = context.keys(f"dict.fromkeys({texts})", calls=True)
            if keys is None or any(re.search(r"\d", str(k)) for k in keys.keys[:1]):
                continue
            shown = ", ".join(f"`{k}`" for k in keys.keys[:4]) + ", …" * (len(keys.keys) > 4)
            return (
                f"`{context.text(given)}` holds texts ({shown}), and `{context.text(call.func)}` takes numbers.",
                "Encode them as numbers, or leave them out.",
            )
    return None


def _explain_literal(context: RuleContext, told: re.Match[str]) -> Cause | None:
    if (column := _explain_text_column(context, told)) is not None and not told[1]:
        return column
    kind = "whole number" if told[1] else "number"
    return f"The text `{told[2] or told[3]}` is no {kind}.", "Look where it comes from."


def _explain_range(context: RuleContext, told: re.Match[str]) -> Cause | None:
    for call in context.list_calls_at_failure():
        if isinstance(call.func, ast.Name) and call.func.id == "range":
            return "`range` counts in whole numbers, and one of these is none.", "`np.arange` counts in fractions, too."
    return None


def _explain_unfitted(context: RuleContext, told: re.Match[str]) -> Cause | None:
    for call in context.list_calls_at_failure():
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        if isinstance(owner, ast.Name):
            return f"`{owner.id}` isn't fitted yet.", f"Call `{owner.id}.fit(…)` above."
    return None


def _explain_check(context: RuleContext, told: re.Match[str]) -> Cause | None:
    """``assert total == 0.3``, whose sides are 0.30000000000000004 and 0.3; of other values, what they are."""
    match context.failing_statement:
        case ast.Assert(test=ast.Compare(left=left, ops=[ast.Eq()], comparators=[right])):
            pass
        case _:
            return None
    calls = [n for side in (left, right) for n in ast.walk(side) if isinstance(n, ast.Call)]
    if any(ast.unparse(c.func) != "len" for c in calls):
        return None
    one, two = (context.text(side) for side in (left, right))
    numbers = context.number(one), context.number(two)
    if None not in numbers and numbers[0] != numbers[1] and math.isclose(numbers[0] or 0, numbers[1] or 0):
        return (
            f"`{one}` is {numbers[0]!r}, and `{two}` is {numbers[1]!r}: fractions are rounded where they are stored.",
            f"Compare with `math.isclose({one}, {two})`.",
        )
    if None not in numbers and not isinstance(left, ast.Constant):
        return f"`{one}` is {numbers[0]:g}, and `{two}` was expected.", "Look which of them is right."
    return None


def _explain_assigned(context: RuleContext, told: re.Match[str]) -> Cause | None:
    """``plt.title("Mass")`` below `plt.title = "Length"` of a cell above, after which the module has lost its function."""
    for call in context.list_calls_at_failure():
        if not isinstance(call.func, ast.Attribute) or not context.describe_all([call.func.value])[0].is_module:
            continue
        text = context.text(call.func)
        for cell in reversed(context.notebook.list_code_before(context.failure.cell_id)):
            targets = [t for n in src.walk(cell.source) if isinstance(n, ast.Assign) for t in n.targets]
            if text in map(ast.unparse, targets):
                place = context.notebook.name_cell(cell.id)
                return (
                    f"`{text} = …` in {place} put a value in the place of the function `{text}`.",
                    f"Call `{text}(…)` there, and restart the kernel.",
                )
    return None


def explain_local_name(context: RuleContext, name: str) -> Cause | None:
    """``mean`` below ``def summarise(…)`` that binds ``mean``: the name of a function's own, and whether it is given back."""
    for cell in context.notebook.cells:
        for node in src.walk(cell.source) if cell.kind == "code" and name in cell.source else ():
            if not isinstance(node, ast.FunctionDef) or name not in src.collect_names(node.body).binds:
                continue
            within = list(ast.walk(node))
            if any(isinstance(n, ast.Global) and name in n.names for n in within):
                continue
            given = any(
                isinstance(n, ast.Return) and isinstance(n.value, ast.Name) and n.value.id == name for n in within
            )
            is_called_by_name = isinstance(src.read(cell.source).parents.get(node), ast.Module)
            return (
                f"`{name}` exists only while the function `{node.name}` of {context.notebook.name_cell(cell.id)} runs.",
                f"Keep what it returns: `{name} = {node.name}(…)`."
                if given and is_called_by_name
                else f"Keep what `{node.name}` returns under a name."
                if given
                else f"Let `{node.name}` return it, and keep that under a name.",
            )
    return None


def _explain_gaps(context: RuleContext, told: re.Match[str]) -> Cause | None:
    """``fit(X, y)`` with NaN: which argument holds them, and how many."""
    for call in context.list_calls_at_failure():
        for given in (*call.args, *(k.value for k in call.keywords)):
            x = context.operand(given)
            gaps = context.number(
                f"int(__import__('pandas').isna({x}).to_numpy().sum() if hasattr({x}, 'to_numpy') else __import__('pandas').isna({x}).sum())"
            )
            if gaps:
                return (
                    f"`{context.text(given)}` holds {int(gaps)} missing value{'s' * (gaps != 1)}, and `{context.text(call.func)}` takes none.",
                    "Decide what becomes of them: leave their rows out, or fill them (`SimpleImputer`, fitted on the training data).",
                )
    return None


def _explain_features(context: RuleContext, told: re.Match[str]) -> Cause | None:
    return (
        f"The {told[2]} was fitted on {told[3]} columns, and gets {told[1]} here.",
        "Give it the columns that it was fitted on, in that order, or fit it on these.",
    )


def _explain_numbers_for_classes(context: RuleContext, told: re.Match[str]) -> Cause | None:
    return (
        "What is to be predicted are numbers on a scale, and this is for classes.",
        "Use a regressor, and a measure such as `r2_score` or `mean_absolute_error`; or make classes of the numbers first (`pd.cut`).",
    )


def _explain_zone(context: RuleContext, told: re.Match[str]) -> Cause | None:
    return (
        f"The times of `{told[3]}` have a time zone in one table only.",
        "Say which zone the others are in (`.dt.tz_localize(…)`); nothing here tells it.",
    )


def _explain_position(context: RuleContext, told: re.Match[str]) -> Cause | None:
    for read in context.list_failing_nodes(ast.Subscript):
        table = (
            read.value.value if isinstance(read.value, ast.Attribute) and read.value.attr in ("iloc", "iat") else None
        )
        owner = context.read_plain_chain(table) if table is not None else ""
        size = context.number(f"len({owner})") if owner else None
        if size is not None:
            last = (
                f"the last one is `{owner}.iloc[{int(size) - 1}]`, or `{owner}.iloc[-1]`"
                if size
                else "none can be asked for"
            )
            return f"`{owner}` has {int(size)} row{'s' * (size != 1)}.", f"Counting begins at 0: {last}."
    return None


def _explain_zero(context: RuleContext, told: re.Match[str]) -> Cause | None:
    """What is divided by, where that is more than a number that stands there."""
    for node in context.list_failing_nodes(ast.BinOp):
        if isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mod) and context.number(node.right) == 0:
            text = context.text(node.right)
            if not isinstance(node.right, ast.Constant):
                return f"`{text}` is 0 here.", f"Decide what is to come out where `{text}` is 0: nothing here says it."
    return None


def _explain_empty(context: RuleContext, told: re.Match[str]) -> Cause | None:
    for call in context.list_calls_at_failure():
        given = call.args[0] if call.args else None
        if isinstance(given, ast.Name) and context.number(f"len({given.id})") == 0:
            return (
                f"`{given.id}` is empty.",
                f"Look why nothing is in `{given.id}`: what it is chosen by may not fit the data.",
            )
    return None


def _explain_group_key(context: RuleContext, told: re.Match[str]) -> Cause | None:
    for call in context.list_calls_at_failure():
        if not isinstance(call.func, ast.Attribute) or call.func.attr != "get_group":
            continue
        keys = context.keys(f"{context.text(call.func.value)}.groups", calls=True)
        if keys is not None and keys.keys:
            shown = ", ".join(f"`{k!r}`" for k in keys.keys[:MOST_KEYS]) + ", …" * (len(keys.keys) > MOST_KEYS)
            return (
                f"There is no group `{told[1]}`. The groups are {shown}.",
                "Ask for a group that is there, or look at the data.",
            )
    return None


def _explain_row_of_database(context: RuleContext, told: re.Match[str]) -> Cause | None:
    what = {"UNIQUE": "is there already, and may come only once", "NOT NULL": "is missing in a row, and may not be"}[
        told[1]
    ]
    return (
        f"`{told[2]}` {what}: the table itself asks for that.",
        "Correct the rows, or decide which of them is meant. The rule of the table was kept.",
    )


def _explain_repeated_keys(context: RuleContext, told: re.Match[str]) -> Cause | None:
    return (
        f"A key of the {told[1]} table comes in several rows, and `validate` says that it may not.",
        "Look at these rows (`duplicated(keep=False)`): which of them is meant, nothing here says.",
    )


def _explain_folder(context: RuleContext, told: re.Match[str]) -> Cause | None:
    return f"The folder {told[1]} is not there.", "Make it, or save into another one."


def _explain_solver(context: RuleContext, told: re.Match[str]) -> Cause | None:
    if told[1].casefold() != "anneal":
        return None
    return (
        f"SciPy's `minimize` has no method `{told[1]}` since SciPy 0.16.",
        "`scipy.optimize.dual_annealing` searches like that within bounds, `basinhopping` without: which is meant, and where, only you know.",
    )


def _list_read(context: RuleContext) -> Iterator[tuple[str, ast.expr]]:
    """What an item is taken of where it failed, by a plain name, and the index."""
    for read in context.list_failing_nodes(ast.Subscript):
        owner = context.read_plain_chain(read.value)
        if owner:
            yield owner, read.slice


def _find_file(context: RuleContext) -> str:
    """The name of the file whose method failed; empty where it has none."""
    for call in context.list_calls_at_failure():
        if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
            return call.func.value.id
    return ""


_EXPLANATIONS: tuple[tuple[re.Pattern[str], Callable[[RuleContext, re.Match[str]], Cause | None]], ...] = tuple(
    (re.compile(message), explain)
    for message, explain in (
        (r"^KeyError: (.+)$", lambda context, told: _explain_group_key(context, told) or _explain_key(context, told)),
        (r"^ZeroDivisionError: ", _explain_zero),
        (
            r"^ValueError: (?:(?:max|min)\(\) (?:iterable argument|arg) is (?:empty|an empty sequence)|zero-size array)|requires at least one data point|^StatisticsError: no m\w+ for empty data",
            _explain_empty,
        ),
        (r"^IntegrityError: (UNIQUE|NOT NULL) constraint failed: (.+)$", _explain_row_of_database),
        (r"^MergeError: Merge keys are not unique in (left|right) dataset", _explain_repeated_keys),
        (r"^OSError: Cannot save file into a non-existent directory: '(.+)'", _explain_folder),
        (r"^IndexError: (?:list|string|tuple) index out of range", _explain_index),
        (r"^IndexError: index (-?\d+) is out of bounds for axis (\d+) with size (\d+)", _explain_bounds),
        (r"^IndexError: single positional indexer is out-of-bounds", _explain_position),
        (r"^ValueError: Input \w+ contains NaN", _explain_gaps),
        (r"^ValueError: X has (\d+) features, but (\w+) is expecting (\d+) features", _explain_features),
        (r"^ValueError: (?:Unknown label type: continuous\b|continuous is not supported)", _explain_numbers_for_classes),
        (r"trying to merge on (datetime64\[\w+\] and datetime64\[\w+, [^\]]+\]|datetime64\[\w+, [^\]]+\] and datetime64\[\w+\]) columns for key ('?)(\w+)\2", _explain_zone),
        (r"inhomogeneous shape", _explain_ragged),
        (r"^TypeError: (list|tuple) indices must be integers or slices, not str", _explain_text_index),
        (r"^UnsupportedOperation: not (writable|readable)", _explain_mode),
        (r"^ValueError: Unknown solver (\w+)", _explain_solver),
        (r"^ValueError: I/O operation on closed file", _explain_closed_file),
        (r"^ValueError: (?:(invalid literal for int\(\) with base 10): '(.*)'$|could not convert string to float: '(.*)'$)", _explain_literal),
        (r"^TypeError: 'float' object cannot be interpreted as an integer", _explain_range),
        (r"^NotFittedError: ", _explain_unfitted),
        (r"^AssertionError", _explain_check),
        (r"^TypeError: '\w+' object is not callable", _explain_assigned),
        *CAUSES_OF_CLASSES,
        *CAUSES_OF_CALLS,
    )
)  # fmt: skip
