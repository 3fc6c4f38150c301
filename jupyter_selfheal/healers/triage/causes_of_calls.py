"""What a call comes to grief of, where its message speaks in the library's terms: shapes, arguments, ends of data, steps that lead nowhere."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from functools import partial

from jupyter_selfheal.healers.rules.context import RuleContext
from jupyter_selfheal.inside.tree_names import is_call_of, read_called_name

Cause = tuple[str, str]
Explain = Callable[[RuleContext, re.Match[str]], Cause | None]


def _fill(cause: str, advice: str, context: RuleContext, told: re.Match[str]) -> Cause:
    """Sentences with what the message tells in its groups."""
    groups = [group or "" for group in told.groups()]
    return cause.format(*groups), advice.format(*groups)


def _explain_end(context: RuleContext, told: re.Match[str]) -> Cause | None:
    for call in context.list_calls_at_failure():
        if is_call_of(call, "next") and call.args:
            given = context.text(call.args[0])
            return (
                f"`{given}` has nothing left to give.",
                f"Make it anew, go through it with `for`, or say what comes at its end: `next({given}, None)`.",
            )
    return None


def _explain_recursion(context: RuleContext, told: re.Match[str]) -> Cause | None:
    """The function that calls itself, where it is the notebook's own."""
    called = {read_called_name(call) for call in context.list_calls_at_failure()}
    for node in context.walk_notebook():
        if isinstance(node, ast.FunctionDef) and any(is_call_of(n, node.name) for n in ast.walk(node)):
            if called and node.name not in called:
                continue
            return (
                f"`{node.name}` calls itself without an end: for some value none of its conditions stops it.",
                "Look which values it comes to, and add the case in which it ends.",
            )
    return None


def _explain_missing_arguments(context: RuleContext, told: re.Match[str]) -> Cause | None:
    """``bmi(70)``, and ``solve_ivp(decay, …)``, which calls ``decay`` itself."""
    name = told[1].removesuffix(".__init__").rpartition(".")[2]
    names = " and ".join(f"`{n}`" for n in re.findall(r"'(\w+)'", told[2]))
    calls = context.list_calls_at_failure()
    if any(read_called_name(call) == name for call in calls):
        return (
            f"`{name}` needs {names} as well, and is called without.",
            f"Say what {names} is to be: nothing here tells.",
        )
    for call in calls:
        if any(isinstance(a, ast.Name) and a.id == name for a in call.args):
            return (
                f"`{context.text(call.func)}` calls `{name}` itself, and gives it nothing for {names}.",
                f"Say what {names} is to be, by `args=` where `{context.text(call.func)}` has it, or by a `lambda`.",
            )
    return None


def _explain_domain(context: RuleContext, told: re.Match[str]) -> Cause | None:
    for call in context.list_calls_at_failure():
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        if isinstance(owner, ast.Name) and owner.id == "math" and call.args:
            text = context.text(call.args[0])
            value = context.number(call.args[0])
            is_shown = value is not None and not isinstance(call.args[0], ast.Constant)
            shown = f" (it is {value:g} here)" if is_shown else ""
            return (
                f"`{context.text(call.func)}` has no value for `{text}`{shown}.",
                "Decide what is to come out there: nothing here says it.",
            )
    return None


def _explain_not_square(context: RuleContext, told: re.Match[str]) -> Cause | None:
    return _explain_matrix(
        context,
        "is not square",
        "Only a square matrix has an inverse; `np.linalg.pinv` and `np.linalg.lstsq` take any.",
    )


def _explain_singular(context: RuleContext, told: re.Match[str]) -> Cause | None:
    return _explain_matrix(
        context,
        "is singular: some of its rows can be made of the others",
        "Look how it is made; `np.linalg.lstsq` gives the nearest solution where there is no single one.",
    )


def _explain_matrix(context: RuleContext, what: str, advice: str) -> Cause | None:
    for call in context.list_calls_at_failure():
        if call.args and read_called_name(call) in ("inv", "solve", "det", "eig", "cholesky"):
            return f"`{context.text(call.args[0])}` {what}.", advice
    return None


def _explain_removed(context: RuleContext, told: re.Match[str]) -> Cause | None:
    for call in context.list_calls_at_failure():
        if isinstance(call.func, ast.Attribute) and call.func.attr == "remove" and call.args:
            owner, item = context.text(call.func.value), context.text(call.args[0])
            return (
                f"`{owner}` does not hold `{item}`.",
                f"Correct what is to be removed, or ask first: `if {item} in {owner}`.",
            )
    return None


def _explain_nothing(context: RuleContext, told: re.Match[str]) -> Cause | None:
    for call in context.list_calls_at_failure():
        if isinstance(call.func, ast.Name) and call.func.id == told[1] and call.args:
            advice = f"Say what is to come out then, by `default=`, or look why `{context.text(call.args[0])}` gives nothing."
            return f"`{told[1]}` is given nothing to choose from.", advice
    return None


def _explain_row(context: RuleContext, told: re.Match[str]) -> Cause | None:
    for read in context.list_failing_nodes(ast.Subscript):
        is_by_label = isinstance(read.value, ast.Attribute) and read.value.attr in ("loc", "at")
        if is_by_label and isinstance(read.slice, ast.Constant | ast.Name):
            owner = context.text(read.value).rpartition(".")[0]
            return f"`{owner}` has no label `{told[1]}`.", f"Ask for one that is there: `{owner}.index` shows them."
    return None


_SENTENCES = (
    (
        r"^ValueError: matmul: .*\(size (\d+) is different from (\d+)\)",
        "The sides of the product do not fit: rows of {1} numbers meet columns of {0}.",
        "Look at their `shape`: one may have to be turned (`.T`), or has a value too many.",
    ),
    (
        r"^ValueError: shapes .+ not aligned: (\d+) \(dim \d+\) != (\d+) \(dim \d+\)",
        "The sides of the product do not fit: rows of {0} numbers meet columns of {1}.",
        "Look at their `shape`: one may have to be turned (`.T`), or has a value too many.",
    ),
    (
        r"^ValueError: A value \((\S+)\) in x_new is (above|below) the interpolation range's (?:maximum|minimum) value \((\S+)\)",
        "A value is asked for at {0}, and the data end at {2}.",
        '`fill_value="extrapolate"` goes on beyond them; whether that says something, only you know.',
    ),
    (
        r"^ValueError: f\(a\) and f\(b\) must have different signs",
        "The function has the same sign at both ends, so that no root need lie between them.",
        "Choose ends between which its sign changes: a drawing of it shows where.",
    ),
    (
        r"^RuntimeError: Failed to converge after (\d+) iterations, value is (\S+?)\.?$",
        "After {0} steps it has not come to a solution: there may be none near where it starts.",
        "Look whether there is one (a drawing shows it), and start nearer to it.",
    ),
    (
        r"mismatch between the input and output shape of the 'func' argument .*Shape should be \((\d+),\) but it is \((\d+),\)",
        "The function gives {1} values for {0} unknowns.",
        "There must be as many equations as unknowns: let it return one value for each.",
    ),
    (
        r"^IndexError: single positional indexer is out-of-bounds",
        "A row or column is asked for by a number that the table does not reach.",
        "Counting begins at 0: `len(…)` says how many rows there are.",
    ),
    (
        r"^IndexError: pop from (?:an )?empty (list|deque|set)",
        "There is nothing left in the {0} that an item could be taken out of.",
        "Ask first whether it is empty, as in `while items:`.",
    ),
    (
        r"^ValueError: fp and xp are not of the same length",
        "`np.interp` is given places and values that are not equally many.",
        "Look where they are made: each place needs its value.",
    ),
    (
        r"^ValueError: Length mismatch: Expected axis has (\d+) elements, new values have (\d+) elements",
        "There are {0} labels to be set, and {1} are given.",
        "Give one for each, or change single ones with `rename`.",
    ),
    (
        r"^ValueError: all the input array dimensions except .* along dimension (\d+), the array at index \d+ has size (\d+) and .* has size (\d+)",
        "The arrays have {1} and {2} along axis {0}: only along the axis by which they are joined they may differ.",
        "Join them along the other axis (`axis=`), or look which of them has the wrong shape.",
    ),
    (
        r"^ValueError: cannot reshape array of size (\d+) into shape \(([\d, ]+)\)",
        "There are {0} values, which do not fill the shape ({1}).",
        "Look which of the two is wrong; `-1` for one of the sizes lets it be worked out.",
    ),
    (
        r"^ValueError: Cannot have number of splits n_splits=(\d+) greater than the number of samples: n_samples=(\d+)",
        "{0} parts are asked for, and there are {1} rows.",
        "Ask for fewer parts, or give it more data.",
    ),
    (
        r"^ValueError: n_splits=(\d+) cannot be greater than the number of members in each class",
        "{0} parts are asked for, and no class has so many rows.",
        "Ask for fewer parts, or give it more data.",
    ),
    (
        r"^ValueError: 'labels' must be of length 'x', not (\d+)",
        "There are {0} labels, which are not as many as the parts.",
        "Give one label for each part.",
    ),
    (
        r"^ValueError: The number of FixedLocator locations \((\d+)\).* number of labels \((\d+)\)",
        "{0} places are given on the axis, and {1} labels for them.",
        "Give one label for each place.",
    ),
    (
        r"^ValueError: '([xy]err)' \(shape: \((\d+),\)\) must be a scalar.* matches '[xy]' \(shape: \((\d+),\)\)",
        "`{0}` has {1} values, and there are {2} points.",
        "Give one for each point, or one number for all of them.",
    ),
    (
        r"^ValueError: Sample larger than population",
        "More items are asked for than there are, and each is drawn once at most.",
        "Ask for fewer; `random.choices(…, k=…)` draws an item several times.",
    ),
    (
        r"^StatisticsError: (?:stdev|variance) requires at least two data points",
        "What varies takes two values at least, and there are fewer.",
        "Look why there are no more, or decide what is to come out then.",
    ),
    (
        r"^(?:ValueError|DateParseError): (?:day is out of range for month|month must be in 1\.\.12)",
        "There is no such day in the calendar.",
        'Look at the date; of a column `pd.to_datetime(…, errors="coerce")` marks those that are none as missing.',
    ),
    (
        r"^ValueError: too many values to unpack \(expected (\d+)",
        "More values come than the {0} names that are to take them.",
        "Look what comes, and give each value a name, or take the rest by `*rest`.",
    ),
    (
        r"^ValueError: not enough values to unpack \(expected (\d+), got (\d+)\)",
        "Fewer values come ({1}) than there are names that are to take them ({0}).",
        "Look what comes: one may have another form than the others.",
    ),
    (
        r"^TypeError: ord\(\) expected a character, but string of length (\d+) found",
        "`ord` takes one character, and is given a text of {0}.",
        "Go through the text character by character.",
    ),
    (
        r"^TypeError: ([\w.]+)\(\) takes (\d+) positional arguments? but (\d+) (?:was|were) given",
        "`{0}` takes {1} arguments, and is given {2}.",
        "Look what it is given: in a method the object itself counts as one.",
    ),
)

CAUSES_OF_CALLS: tuple[tuple[str, Explain], ...] = (
    (r"^StopIteration\b", _explain_end),
    (r"^RecursionError: ", _explain_recursion),
    (r"^TypeError: ([\w.]+)\(\) missing \d+ required (?:positional|keyword-only) arguments?: (.+)$", _explain_missing_arguments),
    (r"^ValueError: (?:math domain error|expected a (?:nonnegative|positive) input)", _explain_domain),
    (r"^LinAlgError: Last 2 dimensions of the array must be square", _explain_not_square),
    (r"^LinAlgError: Singular matrix", _explain_singular),
    (r"^ValueError: list\.remove\(x\): x not in list", _explain_removed),
    (r"^ValueError: (max|min)\(\) (?:iterable argument|arg) is (?:empty|an empty sequence)", _explain_nothing),
    (r"^KeyError: (.+)$", _explain_row),
    *((message, partial(_fill, cause, advice)) for message, cause, advice in _SENTENCES),
)  # fmt: skip
