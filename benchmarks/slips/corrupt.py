"""One to four slips, as real beginners make them, put into a program that runs. Seeded: the same number gives the same slips."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from benchmarks.slips.change_source import TEXT, Slip, can_parse, change_code, change_everywhere, change_text, find_code

SLIPS: list[tuple[str, float, Slip]] = []
"""Name, how often it is made beside the others, and what makes it (None where the program has no place for it)."""


def _slip(name: str, weight: float = 1.0) -> Callable[[Slip], Slip]:
    def add(function: Slip) -> Slip:
        SLIPS.append((name, weight, function))
        return function

    return add


def _of(name: str, weight: float, pattern: str, new: str, every: bool = False) -> None:
    if every:
        SLIPS.append((name, weight, lambda s, r: change_everywhere(s, pattern, new)))
    else:
        SLIPS.append((name, weight, lambda s, r: change_code(s, r, pattern, new)))


HEAD = r"^([ \t]*(?:if|elif|else|for|while|def|class|try|except)\b[^\n]*)"
_of("colon left out", 3, HEAD + r":$", r"\1")
_of("every colon left out", 0.7, HEAD + r":$", r"\1", every=True)
_of("colon as semicolon", 0.8, HEAD + r":$", r"\1;")
_of("colon as full stop", 0.3, HEAD + r":$", r"\1.")
_of("colon before the end", 0.4, r"^([ \t]*(?:if|elif|while)) ([^\n]*):$", r"\1: \2")
_of("else with a condition", 0.8, r"^([ \t]*)elif\b", r"\1else")
_of("else if", 1.2, r"\belif\b", "else if")
_of("every else if", 0.7, r"\belif\b", "else if", every=True)
_of("elseif", 0.5, r"\belif\b", "elseif")
_of("elsif", 0.2, r"\belif\b", "elsif")
_of("closing bracket left out", 2.5, r"\)", "")
_of("closing bracket at the end left out", 1.5, r"\)$", "")
_of("closing bracket too many", 1.2, r"\)", "))")
_of("opening bracket left out", 1.2, r"(?<=\w)\(", "")
_of("opening bracket and gap", 0.5, r"(?<=\w)\(", " ")
_of("opening bracket too many", 0.7, r"(?<=\w)\(", "((")
_of("bracket of another kind", 0.7, r"\)", "]")
_of("curly bracket", 0.4, r"\)", "}")
_of("square left out", 0.8, r"\]", "")
_of("square opening left out", 0.4, r"\[", "")
_of("print without brackets", 1.8, r"\bprint\(([^\n]*)\)$", r"print \1")
_of("every print without brackets", 1.2, r"\bprint\(([^\n]*)\)$", r"print \1", every=True)
_of("print without opening bracket", 0.4, r"\bprint\(", "print ")
_of("print with other brackets", 0.3, r"\bprint\(([^\n]*)\)$", r"print[\1}")
_of("input without brackets", 0.5, r"\bint\(input\(\)\)", "int input()")
_of("input reads nothing right", 0.4, r"\bint\(input\(\)\)", "int(input()")
_of("range without brackets", 0.5, r"\brange\(([^()\n]*)\)", r"range \1")
_of("comma left out", 2.5, r",(?= ?)", "")
_of("comma as full stop", 0.6, r",( ?)", r".\1")
_of("comma twice", 0.5, r",", ",,")
_of("comma and sign", 0.4, r", ?", " +, ")
_of("comma as semicolon", 0.3, r",( ?)", r";\1")
_of("comma behind an opening bracket", 0.3, r"(?<=\w)\((?=[\w'\"])", "(, ")
_of("plus left out", 0.8, r" ?\+(?!=) ?", " ")
_of("sign twice", 0.4, r"(?<=\w)( ?)\*(?=[ \w(])", r"\1* *")
_of("sign exchanged", 0.3, r"(?<=\w)( ?)/(?=[ \w(])", r"\1/:")
_of("product without sign", 0.7, r"\b(\d+) ?\* ?([a-z])", r"\1\2")
_of("product before bracket", 0.4, r"(\d+) ?\* ?\(", r"\1 (")
_of("assigned in a condition", 1.5, r"(?<=[\w\])])( ?)==( ?)", r"\1=\2")
_of("greater or equal turned", 0.8, r">=", "=>")
_of("less or equal turned", 0.6, r"<=", "=<")
_of("sign apart", 0.6, r"(<|>|!|=)=", r"\1 =")
_of("unequal of old", 0.4, r"!=", "<>")
_of("unequal of mathematics", 0.3, r"!=", "≠")
_of("three equals", 0.3, r"==", "===")
_of("and of C", 0.6, r"\band\b", "&&")
_of("or of C", 0.5, r"\bor\b", "||")
_of("count of C", 0.6, r"\b(\w+) \+= 1$", r"\1++")
_of("count of C with semicolon", 0.3, r"\b(\w+) \+= 1$", r"\1++;")
_of("sign of assignment turned", 0.5, r"(\w) ([-+*])= ", r"\1 \2 = ")
_of("walrus of Pascal", 0.3, r"^([ \t]*\w+) = ", r"\1 := ")
_of("arrow of pseudo code", 0.2, r"^([ \t]*\w+) = ", r"\1 <- ")
_of("type before a name", 0.6, r"^([ \t]*)(\w+) = int\(", r"\1int \2 = int(")
_of("word of JavaScript", 0.3, r"^([ \t]*)(\w+) = ", r"\1let \2 = ")
_of("declaration", 0.3, r"^(\w+) = int\(", r"int \1\n\1 = int(")
_of("then", 0.4, r"^([ \t]*(?:if|elif)\b[^\n]*):$", r"\1 then:")
_of("then without colon", 0.3, r"^([ \t]*(?:if|elif)\b[^\n]*):$", r"\1 then")
_of("do", 0.2, r"^([ \t]*(?:for|while)\b[^\n]*):$", r"\1 do")
_of("function of JavaScript", 0.3, r"^([ \t]*)def\b", r"\1function")
_of("brackets of a definition left out", 0.4, r"^([ \t]*def \w+)\(([^\n]*)\):$", r"\1 \2:")
_of("loop without in", 0.7, r"^([ \t]*for \w+) in ", r"\1 ")
_of("loop with of", 0.3, r"^([ \t]*for \w+) in ", r"\1 of ")
_of("loop with equals", 0.5, r"^([ \t]*for \w+) in ", r"\1 = ")
_of("loop without for", 0.4, r"^([ \t]*)for (\w+ in)", r"\1\2")
_of("for each", 0.2, r"^([ \t]*)for (\w+ in)", r"\1for each \2")
_of("loop of C", 0.3, r"^([ \t]*)for (\w+) in range\((\w+)\):$", r"\1for (\2=0; \2<\3; \2++):")
_of("loop of C with int", 0.3, r"^([ \t]*)for (\w+) in range\((\w+)\):$", r"\1for (int \2 = 0; \2 < \3; \2++)")
_of("loop to", 0.3, r"^([ \t]*)for (\w+) in range\((\w+), ([^()]*)\):$", r"\1for \2 = \3 to \4:")
_of("if without its word", 0.4, r"^([ \t]*)if\b ?", r"\1")
SLIPS.append(
    (
        "keyword in capitals",
        0.8,
        lambda s, r: change_code(s, r, r"^([ \t]*)(if|else|while|for|def|elif)\b", lambda m: m[1] + m[2].capitalize()),
    )
)
SLIPS.append((
    "keyword misspelt", 1.0, lambda s, r: change_code(s, r, r"\b(elif|else|while|for|def|return|class|import|except|print(?=\())\b", lambda m: _misspell(m[0], r)),
))  # fmt: skip
_of("keyword runs into its value", 0.4, r"\b(if|elif|while|return|for|in) (?=[a-z])", r"\1")
_of("not of C", 0.3, r"\bnot (\w)", r"!\1")
_of("comment of C", 0.7, r"$(?=\n)", "  // here we go on")
_of("comment line of C", 0.5, r"^([ \t]*)(?=\w)", r"\1// the next step\n\1")
_of("comment block of C", 0.4, r"^([ \t]*)(?=\w)", r"\1/* the next step */\n\1")
_of("prose line", 0.6, r"^(?=\w+ = )", "this part reads the values\n")
_of("prose heading", 0.3, r"\A", "Write a program that does what the task says.\n")
_of("prompts", 0.4, r"^(?=[^\n])", ">>> ", every=True)
SLIPS.append(
    ("numbered lines", 0.3, lambda s, r: "".join(f"{n}. {line}\n" for n, line in enumerate(s.splitlines(), 1)))
)
SLIPS.append(("curly quotes", 0.8, lambda s, r: _curl_quotes(s, r)))
_of("semicolons", 0.3, r"(?<=[^:\n])$(?=\n)", ";", every=True)
SLIPS.append(("name that begins with a digit", 0.6, lambda s, r: _rename(s, r, lambda n: "1" + n)))
SLIPS.append(
    ("name of two words", 0.6, lambda s, r: _rename(s, r, lambda n: n.replace("_", " ") if "_" in n else "my " + n))
)
SLIPS.append(("name with a hyphen", 0.3, lambda s, r: _rename(s, r, lambda n: "the-" + n)))
_of("unit behind a number", 0.3, r"^(\w+ = \d+)$", r"\1kg")
_of("percent sign", 0.2, r"^(\w+ = \d+)$", r"\1%")
SLIPS.append(
    (
        "stray sign",
        0.6,
        lambda s, r: change_code(
            s, r, r"(?<=\S)$(?=\n)", r.choice([",", ".", "\\\\", "`", "'", '"', ")", "+", "-", ":", "}", "]"])
        ),
    )
)
_of("stray word at the end", 0.2, r"\Z", "end\n")
SLIPS.append(("text's closing quote left out", 2.0, lambda s, r: change_text(s, r, lambda t: t[:-1])))
SLIPS.append(("text's opening quote left out", 1.2, lambda s, r: change_text(s, r, lambda t: t[1:])))
SLIPS.append(
    (
        "both quotes left out",
        0.8,
        lambda s, r: change_text(s, r, lambda t: t.strip("f'\"") if re.search(r"\w", t) else t),
    )
)
SLIPS.append(("mixed quotes", 0.7, lambda s, r: change_text(s, r, lambda t: t[:-1] + ("'" if t[-1] == '"' else '"'))))
_of("text and value without comma", 1.0, r"(?<=['\"]), (?=\w)", " ")
_of("value and text without comma", 1.0, r"(?<=[\w)]), (?=['\"])", "")
_of("sign into the text's end", 0.5, r"(?<=[\w ?!:])(['\"])(, |\))", r"\2\1")
_of("two lines on one", 0.8, r"(?<=[\w)'\"])\n(?=\w)", " ")
_of("two lines run together", 0.4, r"(?<=\))\n(?=[a-z])", "")
SLIPS.append(
    (
        "line broken in a text",
        0.5,
        lambda s, r: change_text(s, r, lambda t: t.replace(" ", "\n", 1) if " " in t[1:-1].strip() else t),
    )
)
_of("line broken at a sign", 0.4, r"(?<=[\w)\]]) ?(\+(?!=)|\band\b|\bor\b|==) ?", r" \1\n")
_of("line indented too far", 1.2, r"^([ \t]*)(?=\w)", r"\1  ")
_of("line indented once more", 0.8, r"^([ \t]*)(?=\w)", r"\1    ")
_of("line indented less", 1.2, r"^([ \t]*) (?=\w)", r"\1")
_of("line not indented", 1.2, r"^[ \t]+(?=\w)", "")
SLIPS.append(("body not indented", 1.2, lambda s, r: _flatten_body(s, r)))
_of("all indentation lost", 0.4, r"^[ \t]+", "", every=True)
_of("else indented", 0.8, r"^([ \t]*)(?=(?:else|elif)\b)", r"\1    ")
_of("else indented a little", 0.6, r"^([ \t]*)(?=(?:else|elif)\b)", r"\1 ")
_of("tab for blanks", 0.7, r"^    ", "\t")
SLIPS.append(("body braces", 0.3, lambda s, r: _brace_body(s, r)))
_of("formatted text without bracket", 0.3, r"\.format\(", ".format ")
SLIPS.append(
    (
        "placeholder bracket left out",
        0.4,
        lambda s, r: change_text(s, r, lambda t: t.replace("}", "", 1) if t.startswith("f") else t),
    )
)
_of("self left out of dot", 0.3, r"\bself\.", "self ")
_of("dot doubled", 0.2, r"(?<=\w)\.(?=\w)", "..")
_of("constructor's line", 0.2, r"def __init__\(", "def __init__ (self ")
_of("assignment turned", 0.3, r"^([ \t]*)(\w+) = (\d+)$", r"\1\3 = \2")
_of("in as is in", 0.2, r" in (?=\w+:)", " is in ")
_of("is equal to", 0.2, r"(?<=\w) ?== ?", " is equal to ")
_of("between", 0.2, r"(\w+) (>=?) (\w+) and \1 (<=?) (\w+)", r"\1 \2 \3 and \4 \5")
_of("comparison chained over or", 0.2, r"(?<=\w) ?<= ?", " < or = ")


_of("comma behind the last argument's bracket", 0.3, r"(?<=\w)\)$", "),)")
_of("comma between call and bracket", 0.3, r"(?<=\w)\((?=\w)", ",(")
SLIPS.append(("space in a name", 0.4, lambda s, r: change_code(s, r, r"\b([a-z]{2,})([A-Z][a-z]+)\b", r"\1 \2")))
_of("equals left out", 0.7, r"^([ \t]*\w+) ?= ?(?=\w)", r"\1 ")
_of("equals twice", 0.2, r"^([ \t]*\w+) ?= ?(?=\w)", r"\1 = = ")
_of("sum's equals before its sign", 0.4, r"(\w ?)\+=", r"\1=+ =")
_of("comparison twice", 0.3, r"(?<=\w) ?(<|>) ?(?=\w)", r" \1\1= ")
_of("compared with nothing", 0.3, r"\b(and|or) (\w+) ?(<|>|==) ?", r"\1 \3 ")
_of("condition in brackets not closed", 0.8, r"^([ \t]*(?:if|elif|while)) ?\((.*)\):$", r"\1(\2:")
_of("condition opened and not closed", 0.4, r"^([ \t]*(?:if|elif|while)) ([^(\n][^\n]*):$", r"\1 (\2:")
_of("colon inside the bracket", 0.4, r"^([ \t]*(?:if|elif|while|for)\b[^\n]*)\):$", r"\1:)")
_of("else with colon before", 0.2, r"^([ \t]*)else:$", r"\1:else")
_of("else without its colon and line", 0.3, r"^([ \t]*)else:\n[ \t]+", r"\1else ")
_of("end behind the text", 0.5, r"(['\"]), ?end ?= ?", r"\1 end=")
_of("end without quotes", 0.4, r"\bend ?= ?(['\"])[^'\"\n]*\1", "end=")
_of("end in words of its own", 0.2, r", ?end ?= ?", "; end=")
_of("formats apart", 0.4, r"(['\"]) ?% ?(?=[\w(])", r"\1 ")
SLIPS.append(
    (
        "field opened twice",
        0.2,
        lambda s, r: change_text(s, r, lambda t: t.replace("{", "{{", 1) if t[0] == "f" else t),
    )
)
_of("list with round end", 0.4, r"\[([^\[\]\n()]+)\]", r"[\1)")
_of("list with round beginning", 0.3, r"\[([^\[\]\n()]+)\]", r"(\1]")
_of("comma in a list left out", 0.6, r"(?<=['\"\d\])]), ?(?=['\"\d\[(])", " ")
_of("colon in a dictionary", 0.4, r"(?<=['\"])( ?): ?", "=")
_of("colon in a dictionary left out", 0.3, r"(?<=['\"])( ?): ?", " ")
_of("index opened twice", 0.3, r"(?<=\w)\[(?=\w)", "[[")
_of("index in other brackets", 0.3, r"(?<=\w)\[(\w+)\]", r"[\1)")
_of("dot left out", 0.5, r"(?<=[\w)\]])\.(?=[a-z])", " ")
_of("dot as comma", 0.3, r"(?<=[\w)\]])\.(?=[a-z])", ",")
_of("def misplaced", 0.3, r"^([ \t]*)def (\w+)\(", r"\1\2 def(")
_of("def left out", 0.4, r"^([ \t]*)def (?=\w+\()", r"\1")
_of("define", 0.3, r"^([ \t]*)def (?=\w+\()", r"\1define ")
_of("self without its comma", 0.3, r"\(self, ?", "(self ")
_of("parameter with its type before", 0.3, r"^([ \t]*def \w+\()(?=[a-z])", r"\1int ")
_of("return left to the brackets", 0.2, r"^([ \t]*)return ", r"\1return: ")
_of("return with equals", 0.3, r"^([ \t]*)return ", r"\1return = ")
_of("loop's colon before its end", 0.3, r"^([ \t]*for \w+ in range)\(", r"\1:(")
_of("range with in twice", 0.2, r"^([ \t]*for \w+) in ", r"\1 in in ")
_of("range with dots", 0.2, r"\brange\((\w+), ?(\w+)\)", r"range(\1..\2)")
_of("range without its comma", 0.4, r"\brange\((\w+), ?(?=\w)", r"range(\1 ")
_of("line said twice, once broken", 0.3, r"^([ \t]*)(\w+) ?= ?(?=\w)", r"\1\2 =\n\1\2 = ")
SLIPS.append(
    ("backtick quotes", 0.2, lambda s, r: change_text(s, r, lambda t: "`" + t[1:-1] + "`" if t[0] in "'\"" else t))
)
SLIPS.append(
    ("acute accent for a quote", 0.2, lambda s, r: change_text(s, r, lambda t: t[:-1] + "´" if t[0] in "'\"" else t))
)
SLIPS.append(
    (
        "quote inside the text",
        0.3,
        lambda s, r: change_text(s, r, lambda t: t[0] + t[1:-1].replace(" ", " " + t[0], 1) + t[-1]),
    )
)
SLIPS.append(
    (
        "key left on a letter",
        0.3,
        lambda s, r: change_code(s, r, r"(?<=\S)$(?=\n)", r.choice([" q", "1", "]", "=", " if", "[", "("])),
    )
)
_of("task's words pasted", 0.3, r"\A", "Input: the values, one in each line\nOutput: as shown below\n")
_of("print on the line of its condition", 0.4, r":\n[ \t]+print\(", " print(")


def _misspell(word: str, rng: random.Random) -> str:
    n = rng.randrange(len(word) - 1)
    kind = rng.randrange(3)
    return (
        word[:n] + word[n + 1] + word[n] + word[n + 2 :]
        if kind == 0
        else word[:n] + word[n + 1 :]
        if kind == 1
        else word[:n] + word[n] + word[n:]
    )


def _curl_quotes(source: str, rng: random.Random) -> str | None:
    every = rng.random() < 0.5
    return TEXT.sub(lambda m: _curl(m[0]), source) if every else change_text(source, rng, _curl)


def _curl(text: str) -> str:
    opened, closed = ("“", "”") if text[-1] == '"' else ("‘", "’")
    start = text.index(text[-1])
    return text[:start] + opened + text[start + 1 : -1] + closed


def _rename(source: str, rng: random.Random, make: Callable[[str], str]) -> str | None:
    names = sorted({m[1] for m in re.finditer(r"^[ \t]*([a-z_]\w+) = ", source, re.MULTILINE)})
    if not names:
        return None
    name = rng.choice(names)
    for m in reversed(find_code(source, rf"(?<![\w.]){name}\b")):
        source = source[: m.start()] + make(name) + source[m.end() :]
    return source


def _list_bodies(source: str) -> list[tuple[int, int]]:
    lines = source.split("\n")
    found = []
    for n, line in enumerate(lines[:-1]):
        if line.endswith(":"):
            own, end = len(line) - len(line.lstrip()), n + 1
            while end < len(lines) and lines[end].strip() and len(lines[end]) - len(lines[end].lstrip()) > own:
                end += 1
            found.append((n, end))
    return found


def _flatten_body(source: str, rng: random.Random) -> str | None:
    bodies = _list_bodies(source)
    if not bodies:
        return None
    start, end = rng.choice(bodies)
    lines = source.split("\n")
    own = len(lines[start]) - len(lines[start].lstrip())
    deep = len(lines[start + 1]) - len(lines[start + 1].lstrip()) - own
    return "\n".join([*lines[: start + 1], *(line[deep:] for line in lines[start + 1 : end]), *lines[end:]])


def _brace_body(source: str, rng: random.Random) -> str | None:
    bodies = _list_bodies(source)
    if not bodies:
        return None
    start, end = rng.choice(bodies)
    lines = source.split("\n")
    own = lines[start][: len(lines[start]) - len(lines[start].lstrip())]
    head = lines[start][:-1] + " {"
    return "\n".join([*lines[:start], head, *lines[start + 1 : end], own + "}", *lines[end:]])


def corrupt_program(source: str, seed: str) -> tuple[str, tuple[str, ...]]:
    """The program with one to four slips, and their names. It does not parse, and would not without any one of them alone being mended."""
    rng = random.Random(seed)
    wanted = rng.choices((1, 2, 3, 4), (45, 30, 15, 10))[0]
    current, names = source, []
    for _ in range(200):
        if len(names) == wanted:
            break
        name, _, slip = rng.choices(SLIPS, [w for _, w, _ in SLIPS])[0]
        new = slip(current, rng)
        alone = slip(source, random.Random(seed + name)) if new else None
        if not new or new == current or not alone or can_parse(new) or can_parse(alone):
            continue
        current, names = new, [*names, name]
    return current, tuple(names)
