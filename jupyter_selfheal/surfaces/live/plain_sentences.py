"""What failed in one plain sentence, and how to avoid it next time: for who reads a traceback for the first time.

The messages are CPython's own, of 3.11 to 3.14; one that is not known stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from jupyter_selfheal.model import Failure, FailureKind

KINDS = {
    "str": "text", "int": "a whole number", "float": "a number", "list": "a list", "dict": "a dictionary", "tuple": "a tuple",
    "set": "a set", "NoneType": "`None`", "bool": "a truth value", "function": "a function", "method": "a method",
    "bytes": "bytes", "builtin_function_or_method": "a function", "type": "a class", "generator": "a generator",
}  # fmt: skip
"""What people call a value of a type."""

Says = Callable[[re.Match[str]], str]

SENTENCES: tuple[tuple[str, str, Says], ...] = (
    ("NameError", r"name '(\w+)' is not defined", lambda m: f"`{m[1]}` has no value yet: no cell that has run makes it."),
    ("UnboundLocalError", r"variable '(\w+)'", lambda m: f"`{m[1]}` is used in its function before it gets a value there."),
    ("KeyError", r"^['\"]Column not found: (.+?)['\"]$", lambda m: f"There is no column '{shorten_key(m[1])}'."),
    ("KeyError", r"^['\"]\[(.+)\] not in index['\"]$", lambda m: f"There is no column {shorten_key(m[1])}."),
    ("KeyError", r"None of \[(?:Index\()?\[(.+?)\]", lambda m: f"None of these columns is there: {shorten_key(m[1])}."),
    ("KeyError", r"(.+)", lambda m: f"There is no key or column {shorten_key(m[1])}."),
    ("IndexError", r"(\w+) index out of range", lambda m: f"The {m[1]} has fewer items than the position that was asked for."),
    ("IndexError", r"index (-?\d+) is out of bounds for axis (\d+) with size (\d+)",
     lambda m: f"Position {m[1]} was asked for, and there are {m[3]} (axis {m[2]}): the last one is {int(m[3]) - 1}."),
    ("AttributeError", r"'(\w+)' object has no attribute '(\w+)'", lambda m: f"{name_kind(m[1], first=True)} has no `.{m[2]}`."),
    ("AttributeError", r"module '([\w.]+)' has no attribute '(\w+)'", lambda m: f"The module `{m[1]}` has nothing named `{m[2]}`."),
    ("ModuleNotFoundError", r"No module named '([\w.]+)'", lambda m: f"The module `{m[1]}` is not installed where this kernel runs."),
    ("ImportError", r"cannot import name '(\w+)' from '([\w.]+)'", lambda m: f"The module `{m[2]}` has nothing named `{m[1]}`."),
    ("FileNotFoundError", r"'(.+)'", lambda m: f"There is no file `{m[1]}` where the notebook looks for it."),
    ("ZeroDivisionError", r"", lambda _: "A number was divided by zero."),
    ("TypeError", r"can only concatenate str \(not \"(\w+)\"\) to str", lambda m: f"You can't add text and {name_kind(m[1])}."),
    ("TypeError", r"can't multiply sequence by non-int", lambda _: "A text or a list cannot be multiplied by such a value: it is no number."),
    ("TypeError", r"unsupported operand type\(s\) for (\S+?):? '(\w+)' and '(\w+)'",
     lambda m: f"`{m[1].rstrip(':')}` does not work between {name_kind(m[2])} and {name_kind(m[3])}."),
    ("TypeError", r"'(\S+)' not supported between instances of '(\w+)' and '(\w+)'",
     lambda m: f"`{m[1]}` cannot compare {name_kind(m[2])} with {name_kind(m[3])}."),
    ("TypeError", r"'(\w+)' object is not subscriptable", lambda m: f"{name_kind(m[1], first=True)} has no items to take with `[…]`."),
    ("TypeError", r"'(\w+)' object is not callable", lambda m: f"{name_kind(m[1], first=True)} is no function: it can't be called with `(…)`."),
    ("TypeError", r"object of type '(\w+)' has no len", lambda m: f"{name_kind(m[1], first=True)} has no length."),
    ("TypeError", r"argument of type '(\w+)' is not (?:a container or )?iterable", lambda m: f"`in` can't look into {name_kind(m[1])}."),
    ("TypeError", r"object (\w+) can't be used in 'await'|'(\w+)' object can't be awaited",
     lambda m: f"There is nothing to wait for: `await` was given {name_kind(m[1] or m[2])}."),
    ("TypeError", r"'(\w+)' object does not support the (?:asynchronous )?context manager", lambda m: f"`with` does not work with {name_kind(m[1])}."),
    ("TypeError", r"unhashable type: '(list|dict|set)'", lambda m: f"{name_kind(m[1], first=True)} can change, and so is no key and no member of a set."),
    ("TypeError", r"'(\w+)' object is not iterable", lambda m: f"A loop can't go over {name_kind(m[1])}."),
    ("TypeError", r"'(\w+)' object does not support item assignment", lambda m: f"The items of {name_kind(m[1])} cannot be changed."),
    ("TypeError", r"(\w+)\(\) missing (\d+) required positional argument", lambda m: f"`{m[1]}` was called without {m[2]} of the values it needs."),
    ("TypeError", r"(\w+)\(\) takes .* positional argument", lambda m: f"`{m[1]}` was given more values than it takes."),
    ("(?:Type|Attribute)Error", r"([\w.]+)\(\) got an unexpected keyword argument '(\w+)'", lambda m: f"`{m[1]}` has no option named `{m[2]}`."),
    ("TypeError", r"'(\w+)' is an invalid keyword argument for ([\w.]+)\(\)", lambda m: f"`{m[2]}` has no option named `{m[1]}`."),
    ("ValueError", r"could not convert string to float: (.+)", lambda m: f"The text {m[1]} cannot be read as a number."),
    ("ValueError", r"invalid literal for int\(\) with base \d+: (.+)", lambda m: f"The text {m[1]} cannot be read as a whole number."),
    ("ValueError", r"math domain error|^expected a (?:non|posit)|^expected a number in range from",
     lambda _: "A function of `math` was given a number for which it has no value."),
    ("ValueError", r"day (?:is out of range for|\d+ must be in range)|^(?:month|hour|minute|second) must be in ",
     lambda _: "There is no such date or time."),
    ("ValueError", r"too many values to unpack", lambda _: "There are more values on the right than names on the left."),
    ("ValueError", r"not enough values to unpack", lambda _: "There are fewer values on the right than names on the left."),
    ("ValueError", r"(?:min|max)\w*\(\) .*(?:empty)", lambda _: "The smallest or largest of nothing was asked for: it is empty."),
    ("ValueError", r"Expected 2D array, got 1D array", lambda _: "A table (rows and columns) was expected, and a plain row of values was given."),
    ("ValueError", r"operands could not be broadcast|shapes .*not aligned|mismatch in its core dimension",
     lambda _: "The shapes of two arrays do not fit together."),
    ("AssertionError", r"", lambda _: "A check (`assert`) did not hold."),
    ("RecursionError", r"", lambda _: "A function called itself until Python stopped it: nothing ends the recursion."),
    ("MemoryError", r"", lambda _: "Out of memory: the cell asked for more than there is."),
    ("KeyboardInterrupt", r"", lambda _: "You stopped the cell while it ran: if it never ends, look at what should end its loop."),
    ("StopIteration", r"", lambda _: "The next value was asked for, and there was none left."),
    ("UnicodeDecodeError", r"'([\w-]+)' codec", lambda m: f"The file is not written in the encoding {m[1]}."),
    ("RuntimeError", r"(dictionary|[Ss]et) changed size during iteration", lambda m: f"The {m[1].lower()} was changed while a loop went over it."),
)  # fmt: skip
"""(type of error, pattern of its message, the sentence)."""

AVOIDING = {
    "NameError": "After a restart run the cells from the top; Tab completes names that exist.",
    "UnboundLocalError": "Give a name its value before any `if` or loop that may skip it, or pass it as an argument.",
    "KeyError": "Look at the keys or columns once before you use them: `list(d)`, `df.columns`.",
    "IndexError": "Loop over the items themselves (`for item in items`) rather than over positions.",
    "AttributeError": "Tab after the dot lists what an object has; `type(x)` says what it is.",
    "ModuleNotFoundError": "List what a notebook needs in its first cell: `%pip install …`.",
    "ImportError": "Write down the versions that the notebook was made with.",
    "FileNotFoundError": "Build paths from one folder that is named at the top, and look at it with `os.listdir`.",
    "ZeroDivisionError": "Decide what is right for nothing (no rows, no time) before you divide.",
    "TypeError": "Convert values where they come in (`int(…)`, `float(…)`, `astype`), not where they are used.",
    "ValueError": "Check what comes in (`.dtypes`, `.shape`, `len`) in the cell that reads it.",
    "AssertionError": "Look at the values that the check compares in a cell of their own.",
    "RecursionError": "Write the case that ends the recursion first, and make each call smaller.",
    "MemoryError": "Work in parts: fewer columns, smaller types, `chunksize=`.",
    "StopIteration": "Use a `for` loop, or `next(it, default)`.",
    "UnicodeDecodeError": "Name the encoding when you open a file: `encoding=\"utf-8\"`.",
    "RuntimeError": "Loop over a copy (`list(d)`) of what the loop changes.",
    "SyntaxError": "Run small pieces: the editor colours what it understands.",
    "IndentationError": "Indent by four blanks everywhere; the editor's Tab key does it.",
}  # fmt: skip
"""By type of error: one habit that prevents most of its kind."""

AVOIDING_BY_RULE = {
    "API": AVOIDING["ImportError"],
    "IMP": "Put all imports into the first cell.",
    "STA103": "Define what a cell uses above the line that uses it.",
    "CAL110": "Write `await` before each call of a function that was made with `async def`.",
    "TYP102": 'Write texts with values in them as `f"… {value} …"`: that takes any value.',
    "STA105": "Keep what you read more than once in a list.",
}
"""By rule, or its first letters: what would have helped where the type of error says little."""


def describe_failure(failure: Failure) -> str:
    """What failed, in a sentence; empty for a cell that ran to its end."""
    if failure.kind is FailureKind.MISSED:
        return ""
    message = failure.evalue.strip()
    if failure.kind is FailureKind.SYNTAX:
        said = message.split(" (")[0].rstrip(".")
        said += "" if said.endswith("?") else "."
        return (
            f"Python cannot read line {failure.line}: {said}"
            if failure.line
            else f"Python cannot read the cell: {said}"
        )
    for ename, pattern, say in SENTENCES:
        match = re.search(pattern, message) if re.fullmatch(ename, failure.ename) else None
        if match is not None:
            return say(match)
    return f"The cell stopped with {failure.headline.rstrip('.:')}."


def advise_habit(failure: Failure, rule: str = "") -> str:
    """How to avoid the like next time, where a fix is known by its ``rule``; empty where there is no general advice."""
    if habit := AVOIDING_BY_RULE.get(rule) or AVOIDING_BY_RULE.get(rule[:3]):
        return habit
    if "unexpected keyword argument" in failure.evalue:
        return "Shift+Tab inside the brackets of a call shows what it takes."
    return AVOIDING.get(failure.ename, "")


def name_kind(kind: str, *, first: bool = False) -> str:
    """``a whole number`` for ``int``; ``first``: as a sentence begins."""
    name = KINDS.get(kind, f"an `{kind}`" if kind[:1].lower() in tuple("aeiou") else f"a `{kind}`")
    return name[0].upper() + name[1:] if first else name


def shorten_key(key: str) -> str:
    """A key as the message has it, without what pandas writes around it."""
    return key if len(key) <= 80 else key[:79] + "…"
