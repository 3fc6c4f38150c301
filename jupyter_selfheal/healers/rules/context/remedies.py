"""What a message says is to be done: one reader for every rule that goes by the words of the library itself.

It reads, and decides nothing: whether the line has what the message speaks of, and whether the installed library takes what it names, is the
rule's to ask, and what comes of it the trial's and the outputs' to tell.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

SUCCESSOR = re.compile(
    r"\b(?P<verb>[Rr]enamed (?:to|as)|[Mm]oved (?:to|into)|[Rr]eplaced? (?:it )?(?:by|with)|(?:[Ii]n|by) favou?r of|[Ss]uperseded by|"
    r"[Ii]nstead,? (?:please )?(?:use|call)|[Uu]se|[Cc]all|[Dd]id you mean:?(?: to use)?)\s+(?:the (?:new )?)?(?:function |method |class |argument |keyword |parameter )?"
    r"[`'\"]{0,3}(?P<new>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)(?P<shape>\([^)]*\)|=\S*)?[`'\"]{0,3}(?P<rest>[^.;\n]{0,20})"
)
"""What messages say: "Use `cumprod` instead", "renamed to 'max_iter'", "in favor of statsmodels.tsa.arima.model.ARIMA"."""
SAME = re.compile(r"(?i)renamed|moved")
"""Words by which a library says that the new name is the same thing."""
SAID = re.compile(r"(?i)instead|rather|replace")
"""Words that must follow where a message only says "use": what comes after "use" may be advice of another kind."""

QUOTED_PATH = re.compile(
    r"(?:[Uu]se|instead use|renamed to|moved to|replaced (?:by|with)|in favou?r of|[Pp]lease use|[Tt]ry)\s+"
    r"(?:the\s+)?(?:new\s+)?[`'\"]{1,2}(?P<path>[A-Za-z_][\w.]*)(?:\([^`'\"]*\))?[`'\"]{1,2}"
)
"""What is said of a name of a module that is gone: "Use `np.float64` instead"."""

NEW_KEYWORD = re.compile(
    r"[Dd]id you mean:? ['\"`]?(\w+)['\"`]?\??|[Uu]se ['\"`](\w+)['\"`] instead|renamed to ['\"`](\w+)['\"`]"
)
"""What is said of a keyword that is not taken."""
LIKE = re.compile(r"[Dd]id you mean")
"""Python's words (since 3.13) for the parameter that is most like what was given: no more is known."""

TEXT = re.compile(
    r"(?<!not )(?<!n't )(?<!never )(?:[Pp]ass(?: in)?|[Uu]se|[Ss]pecify|[Gg]ive|[Ss]et it to|[Cc]hange it to|[Rr]enamed to|[Rr]eplaced (?:by|with))(?:\s+e\.g\.)?\s+(?P<quote>[\"'`])(?P<new>[^\"'`\n\\]{1,60})(?P=quote)"
    r"(?=[^.]{0,20}\b(?:instead|rather)|\.|$)"
)
"""A text to give in the place of another one: "Please use 'ME' instead"."""
QUOTED = re.compile(r"[\"'`]([^\"'`\n]{1,60})[\"'`]")
OPTION = re.compile(r"['\"]([\w. +-]{1,40})['\"]")

_VALUE = r"(?P<value>True|False|None|\d+|'\w+'|\"\w+\")"
ARGUMENT = re.compile(
    r"\b(?:[Pp]ass(?:ing)?|[Ss]et(?:ting)?|[Ss]pecify(?:ing)?|[Uu]s(?:e|ing)|[Aa]dd|[Tt]ry|[Gg]ive|[Pp]rovide)\b[^.;=]{0,60}?"
    r"[`'\"]{0,2}\b(?P<name>[a-z_]\w*) ?= ?" + _VALUE
)
"""What messages say: "Pass utc=True in to_datetime", "specify ``engine='python'``"."""
_CONDITIONS = tuple(
    re.compile(pattern + _VALUE)
    for pattern in (
        r"\b(?:only|requires?|needs?|available|allowed|possible|supported|valid|works?)\b[^.;=]{0,40}?[`'\"]{0,2}\b(?P<name>[a-z_]\w*) ?={1,2} ?",
        r"\b[Ss]et(?:ting)? (?:the )?(?:parameter |argument )?[`'\"]{0,2}(?P<name>[a-z_]\w*)[`'\"]{0,2} to [`'\"]?",
        r"[`'\"]{0,2}(?P<name>[a-z_]\w*)[`'\"]{0,2}(?: parameter| argument)? was not set to ",
        r"[`'\"]{0,2}\b(?P<name>[a-z_]\w*)[`'\"]{0,2} (?:must|should|has to|needs to) be (?=\w+ (?:when|if|for|in)\b)",
    )
)
"""What an argument must be for what was asked: "only available if bootstrap=True", "estimator must be None when specifying units"."""
_REFUSED = re.compile(
    r"(?:\bnot (?:be )?|\bun|\bin|\bno )(?:available|supported|allowed|possible|implemented|effect)[^.;=]{0,40}?(?:when|if|with|for|since) [`'\"]{0,2}"
    r"(?P<name>[a-z_]\w*)[`'\"]{0,2}(?: ?={1,2} ?| is )(?P<value>True|False)\b"
)
"""What an argument must not be: "not available when probability=False"."""
UNSPECIFIED = re.compile(r"[`'\"]{0,2}\b([a-z_]\w*)[`'\"]{0,2} must be (?:unspecified|left out|omitted)")
_TOGETHER = tuple(
    re.compile(pattern)
    for pattern in (
        r"[Ee]ither [`'\"]?(\w+)[`'\"]? or [`'\"]?(\w+)[`'\"]? must be None",
        r"[Ee]xactly one of [`'\"]?(\w+)[`'\"]?(?:,)? (?:and|or) [`'\"]?(\w+)[`'\"]? (?:has to|must|should|can)",
        r"[Oo]nly one of [`'\"]?(\w+)[`'\"]? (?:and|or) [`'\"]?(\w+)[`'\"]? (?:may|can|should|must)",
        r"[Cc]an(?:not| not|'t) (?:use|pass|specify|set|give|provide)(?: both)? (?:of )?[`'\"](\w+)[`'\"] (?:and|with|together with) [`'\"](\w+)[`'\"]",
        r"[`'\"](\w+)[`'\"] and [`'\"](\w+)[`'\"] (?:cannot|can not|can't|may not|are mutually)",
    )
)
"""Two arguments that exclude one another."""
_LISTED = re.compile(
    r"[`'\"]{0,2}\b(?P<name>[a-z_]\w*)[`'\"]{0,2}(?: parameter(?: of \w+)?| argument| keyword)? (?:must|should|has to|can only|may only) be"
    r"(?: one of| either| in| among| any of| a str among)?:?\s*(?=[\[({]?\s*['\"])(?P<list>[^.;\n]*)"
)


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument that a message names, with its value as Python writes it (empty: to be left out)."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Options:
    """A parameter that a message names, and the texts that it takes."""

    name: str
    texts: tuple[str, ...]


def list_conditions(message: str) -> list[Argument]:
    """What arguments must be for what was asked, whatever they are now."""
    refused = [(m.span(), Argument(m["name"], str(m["value"] == "False"))) for m in _REFUSED.finditer(message)]
    found = [argument for _, argument in refused]
    for match in (m for pattern in _CONDITIONS for m in pattern.finditer(message)):
        if not any(start < match.end() and match.start() < end for (start, end), _ in refused):
            found.append(Argument(match["name"], match["value"]))
    found += [Argument(name, "") for name in UNSPECIFIED.findall(message)]
    return list(dict.fromkeys(found))


def find_excluded(message: str) -> tuple[str, str] | None:
    """Two arguments of which only one may be given."""
    match = next((m for pattern in _TOGETHER if (m := pattern.search(message))), None)
    return (match[1], match[2]) if match else None


def find_options(message: str) -> Options | None:
    """The parameter that the message says takes one of several texts."""
    match = _LISTED.search(message)
    texts = OPTION.findall(re.split(r"\b[Gg]ot\b|\bbut\b|\bnot\b", match["list"])[0]) if match else []
    return Options(match["name"], tuple(dict.fromkeys(texts))) if match and len(texts) > 1 else None
