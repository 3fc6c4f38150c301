"""SYN106: ``=`` where ``==`` or ``:`` is meant."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator
from dataclasses import replace

from jupyter_selfheal.healers.rules.context.code_lines import find_open_bracket, mark_code, replace_line, split_lines
from jupyter_selfheal.healers.rules.context.syntax import Mend, SyntaxRule
from jupyter_selfheal.healers.syntax.fault import Fault, find_fault

ASKED = re.compile(r"expression cannot contain assignment, perhaps you meant")
COUNTED = re.compile(
    r"\b(?:mean|sum|any|all|where|count_nonzero|print|bool|average|nanmean)\(\s*[\w.]+[\w.\[\]()'\", ]*[)\]]\s*$"
)
"""``np.mean(model.predict(X) `` before a ``=``: a call or an item that is compared, and whose result is counted or shown."""

CONDITION = re.compile(r"^\s*(if|elif|while|assert|return|print|not)\b|\bif\b|\band\b|\bor\b|\blambda\b|\bwhile\b")


class Equals(SyntaxRule):
    """Compare with `==`, and give a dictionary's key its `:`.

    **Failure** `invalid syntax. Maybe you meant '==' or ':=' instead of '='?`, `cannot assign to … here`, `':' expected after
    dictionary key`.

    **Fix** `=` becomes `==` in a condition and in an index (`df[df.a = 1]`), also where the result of a call or an item is compared within `mean(…)`, `sum(…)`, `any(…)`, `where(…)` (`np.mean(model.predict(X) = y)`), `:` in a dictionary; `=<`, `=>`, `=!`, `===` become `<=`, `>=`, `!=`, `==`.

    **Fix safety** Safe: an assignment cannot stand in a condition, in an index, nor in a dictionary. Silent for the name of an argument (`area(w=3 h=4)`).
    """

    code = "SYN106"
    name = "= for == or :"
    why = "An assignment cannot stand there, so a comparison (or a key's colon) is meant."

    def mends(self, source: str, fault: Fault) -> Iterator[Mend]:
        if not re.search(
            r"'='|cannot assign|invalid syntax|dictionary key|perhaps you meant|forgot a comma", fault.message
        ):
            return
        lines = split_lines(source)
        line = lines[fault.line - 1] if fault.line <= len(lines) else ""
        code = mark_code(line)
        for wrong, right in (("=<", "<="), ("=>", ">="), ("=!", "!="), ("===", "=="), ("<>", "!="), ("!==", "!=")):
            at = line.find(wrong)
            if at >= 0 and code[at]:
                text = line[:at] + right + line[at + len(wrong) :]
                yield Mend(replace_line(source, fault.line, text), f"Change `{wrong}` to `{right}`", prior=0.95)
        for match in re.finditer(r"(?<![=!<>:+\-*/%&|^@])=(?!=)", line):
            at = match.start()
            if not code[at] or _names_argument(source, fault, line, at):
                continue
            index = _find_index(source, fault, line, at)
            compared = CONDITION.search(line[:at]) or (ASKED.search(fault.message) and COUNTED.search(line[:at]))
            if _selects_rows(line, index, at) if index else compared:
                text = line[:at] + "==" + line[at + 1 :]
                yield Mend(replace_line(source, fault.line, text), "Compare with `==`", prior=0.95)
            if "{" in "".join(lines[: fault.line]) and (text := _write_as_dictionary(line)) != line:
                mend = Mend(replace_line(source, fault.line, text), "Use `:` after a dictionary's key", prior=0.9)
                after = find_fault(mend.source)
                if after is None or after.line > fault.line:
                    yield mend
                    return


def _find_index(source: str, fault: Fault, line: str, at: int) -> int:
    """Where the index begins in which a place of the faulty line stands; 0 where it stands in none."""
    number, opened, closer = find_open_bracket(source, replace(fault, column=at)) or (0, 0, "")
    is_index = closer == "]" and number == fault.line and re.search(r"[\w\])]$", line[:opened])
    return opened if is_index else 0


def _names_argument(source: str, fault: Fault, line: str, at: int) -> bool:
    """``area(w=3 h=4)``: what names an argument compares nothing."""
    number, opened, closer = find_open_bracket(source, replace(fault, column=at)) or (0, 0, "")
    called = re.search(r"([\w\])]+)$", line[:opened]) if closer == ")" and number == fault.line else None
    name = re.split(r"[,(]", line[opened:at])[-1].strip()
    return called is not None and not keyword.iskeyword(called[1]) and name.isidentifier()


def _selects_rows(line: str, index: int, at: int) -> bool:
    """``df[df.a`` before a ``=`` and a value behind it: rows are selected by a column of that very table. An index of a list is another thing, and nothing is equal to None."""
    asked = re.fullmatch(r"(\w+)(?:\.\w+|\[(?:'[^']*'|\"[^\"]*\")\])", line[index + 1 : at].strip())
    is_of_table = (
        asked is not None and re.search(rf"(?<![\w.]){asked[1]}(?:\[[^\[\]]*\]|[\w.()])*$", line[:index]) is not None
    )
    return is_of_table and not re.match(r"\s*(?:None|nan|np\.nan)\b", line[at + 1 :])


def _write_as_dictionary(line: str) -> str:
    """``'a' = 1`` → ``'a': 1`` for every literal key of the line."""
    return re.sub(r"((?:'[^']*'|\"[^\"]*\"|\b\d+))\s*=\s*(?!=)", r"\1: ", line)
