"""Faults that ride along with slips of the pen: the program still parses with them, and fails or prints something else."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from benchmarks.slips.change_source import Slip, can_parse, change_code, change_text

RIDERS: list[tuple[str, float, Slip]] = []
"""What comes beside slips of the pen: the program parses with it, and fails or prints something else."""


def _ride(name: str, weight: float, pattern: str, new: str | Callable[[re.Match[str]], str]) -> None:
    RIDERS.append((name, weight, lambda s, r: change_code(s, r, pattern, new)))


_ride("text read as a number left out", 2, r"\b(?:int|float)\((input\([^()]*\))\)", r"\1")
_ride("whole number read", 1, r"\bfloat\(input", "int(input")
_ride("builtin in capitals", 1.5, r"\b(print|input|int|len|range|str)(?=\()", lambda m: m[1].capitalize())
_ride("constant in small letters", 1, r"\b(True|False|None)\b", lambda m: m[1].lower())
_ride("text conversion left out", 1, r"\bstr\((\w+)\)", r"\1")
_ride("quotient cut or not", 1, r"(?<=[\w)\]]) ?//? ?(?=[\w(])", lambda m: "/" if "//" in m[0] else "//")
_ride("end of the line left out", 1, r", ?end ?= ?(?:'[^'\n]*'|\"[^\"\n]*\")", "")
_ride("range one short", 1.5, r"\brange\(([^()\n]*?) ?\+ ?1\)", r"range(\1)")
_ride("range from nought", 0.7, r"\brange\(1, ?", "range(")
_ride("turned comparison", 0.7, r"(?<=[\w)]) ?(<=?|>=?) ?(?=\w)", lambda m: m[0].translate(str.maketrans("<>", "><")))
_ride("another sign", 0.7, r"(?<=\w) ?([-+*]) ?(?=\w)", lambda m: m[0].translate(str.maketrans("-+*", "+-+")))
_ride(
    "name misspelt once", 2, r"(?<=[(=+ ,])([a-z]{4,})(?=[),+ ])", lambda m: m[1][:-1] if m[1] not in _WORDS else m[1]
)
_ride("length of Java", 0.5, r"\blen\((\w+)\)", r"\1.length")
_ride("method of JavaScript", 0.5, r"\.append\(", ".push(")
_ride("method without brackets", 0.4, r"\.(lower|upper|strip|split|sort|pop)\(\)", r".\1")
_ride("method as a function", 0.5, r"\b(\w+)\.(upper|lower|split|isupper|islower)\(\)", r"\2(\1)")
_ride("call without its brackets", 0.4, r"\b(\w+\.(?:area|perimeter|speak))\(\)", r"\1")
_ride("self left out", 0.7, r"\(self(?:, ?)?", "(")
_ride("own attribute without self", 0.7, r"\bself\.(?=\w+\b(?! ?=[^=]))", "")
_ride("line left unindented", 0.7, r"^    (\w+ ?[-+*]?= ?[^\n]*|return[^\n]*)$", r"\1")
_ride("count set and not added", 0.7, r"(?<=\w)( ?)\+=", r"\1=")
RIDERS.append(("letters of a text", 2.0, lambda s, r: change_text(s, r, lambda t: _reword(t, r))))
_WORDS = frozenset(
    {"else", "elif", "while", "return", "break", "class", "self", "print", "input", "range", "True", "False", "None"}
)


def _reword(text: str, rng: random.Random) -> str:
    """A text with another blank, colon, capital or letter."""
    inside = text[text.index(text[-1]) + 1 : -1]
    if len(re.findall(r"[A-Za-z]", inside)) < 3:
        return text
    n = rng.randrange(len(inside) - 1)
    forms = [
        inside.lower(),
        inside.capitalize(),
        inside + " ",
        inside.rstrip(" :.,"),
        inside + ":",
        inside[:n] + inside[n + 1 :],
    ]
    new = rng.choice([f for f in forms if f != inside])
    return text.replace(inside, new) if "{" not in inside else text


def add_riders(source: str, seed: str, shows: Callable[[str, str], bool] = str.__ne__) -> tuple[str, tuple[str, ...]]:
    """The program with none to two faults that leave it parsing, and their names; ``shows`` says whether a run tells a source from the one
    before."""
    rng = random.Random("riders" + seed)
    current, names = source, []
    for _ in range(rng.choices((0, 1, 2), (40, 42, 18))[0]):
        for _ in range(8):
            name, _, slip = rng.choices(RIDERS, [w for _, w, _ in RIDERS])[0]
            new = slip(current, rng)
            if new and new != current and can_parse(new) and _shows_alone(source, current, new, shows):
                current, names = new, [*names, name]
                break
    return current, tuple(names)


def _shows_alone(source: str, current: str, new: str, shows: Callable[[str, str], bool]) -> bool:
    """Whether a further fault would show in the program that has no other one: what a run does not tell cannot be mended by it."""
    if current == source:
        return shows(source, new)
    before, after = current.split("\n"), new.split("\n")
    lines = source.split("\n")
    if not len(before) == len(after) == len(lines):
        return False
    changed = [n for n, (one, two) in enumerate(zip(before, after, strict=True)) if one != two]
    alone = [after[n] if n in changed else line for n, line in enumerate(lines)]
    return shows(source, "\n".join(alone))
