"""SYN112: blocks as another language marks them, and code in a Markdown fence."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context.code_lines import find_code_end, is_code, read_indent, split_lines
from jupyter_selfheal.healers.rules.context.counted_loops import write_counted_loops
from jupyter_selfheal.healers.rules.context.syntax import Mend, SyntaxRule
from jupyter_selfheal.healers.syntax.fault import Fault, find_fault
from jupyter_selfheal.source.block_ends import BLOCK_END

HEAD = re.compile(
    r"(?:if|elif|else|elseif|for|foreach|while|def|function|func|class|try|except|catch|finally|do)\b(?!\s*[=.])",
    re.IGNORECASE,
)
LONG_TEXT = re.compile(r"\"\"\"|'''")
"""What stands in such a text has marks of its own."""
STEP = "    "


class ForeignBlocks(SyntaxRule):
    """Mark blocks by a colon and their indentation, and take code out of its fence.

    **Failure** `invalid syntax` at `for i in range(5) {`, `if x > 5 then` with an `endif` below, ` ```python `.

    **Fix** A `{` at the end of a head becomes `:`, the `}` and `endif` go; what stands around a fence becomes a comment. A loop
    `for (i = 0; i < n; i++)` becomes `for i in range(n)`, or a `while` where its body changes `i` or `n`.

    **Fix safety** Safe: braces that close all that they open, and a word such as `endif` that nothing binds, say where a block ends as
    plainly as the indentation does. Unsafe where code stands around a fence. Silent where one of these may stand in a text of several lines.
    """

    code = "SYN112"
    name = "blocks of another language"
    why = "The marks of the blocks can be read in one way only."

    def mends(self, source: str, fault: Fault) -> Iterator[Mend]:
        lines = split_lines(source)
        if any(line.lstrip().startswith("```") for line in lines):
            text, outside = _keep_fenced(lines)
            sure = not any(map(is_code, outside))
            if not LONG_TEXT.search("\n".join(outside)):
                yield Mend(text, "Keep what stands in the fence", sure, 0.96 if sure else 0.5)
        if LONG_TEXT.search(source):
            return
        counted, sure = write_counted_loops(lines)
        if (braces := _drop_braces(counted)) is not None:
            title, prior = "Replace the braces by `:` and indentation", 0.96 if sure else 0.5
            yield from (Mend(text, title, sure, prior) for text in braces)
        if (dropped := _drop_ends(lines)) is not None:
            yield Mend(dropped, "Remove the words that end blocks", prior=0.96)


def _keep_fenced(lines: list[str]) -> tuple[str, list[str]]:
    """The lines with those around a fence as comments, and those lines."""
    fences = [n for n, line in enumerate(lines) if line.lstrip().startswith("```")]
    kept, outside = list[str](), list[str]()
    inside = len(fences) == 1 and lines[fences[0]].strip() == "```"  # the last fence of a block that was cut
    for n, line in enumerate(lines):
        if n in fences:
            inside = not inside
        elif inside or not line.strip():
            kept.append(line)
        else:
            kept.append("# " + line)
            outside.append(line)
    return "\n".join(kept), outside


def _drop_braces(lines: list[str]) -> list[str] | None:
    """The lines without the braces of blocks, with their own indentation and with that of the braces; None where they do not match."""
    own: list[str] = []
    by_depth: list[str] = []
    depth = heads = 0
    for line in lines:
        end = find_code_end(line)
        text, comment = line[:end].strip(), line[end:]
        closes = re.match(r"(?:\}\s*;?\s*)+", text)
        if closes:
            depth -= closes[0].count("}")
            text = text[closes.end() :]
            if depth < 0:
                return None
            if not text:
                continue
        step = STEP * depth
        if HEAD.match(text) and text.endswith("{"):
            text, depth, heads = text[:-1].rstrip(" :") + ":", depth + 1, heads + 1
        elif HEAD.match(text) and (one := re.fullmatch(r"(.*\S)\s*\{\s*([^{}]*?)\s*\}", text)):
            text, heads = f"{one[1].rstrip(':')}: {one[2] or 'pass'}", heads + 1
        own.append(read_indent(line) + text + comment)
        by_depth.append(step + text + comment if text else comment)
    if depth or not heads:
        return None
    texts = ["\n".join(own), "\n".join(by_depth)]
    return sorted(dict.fromkeys(texts), key=_find_reach, reverse=True)


def _find_reach(text: str) -> int:
    fault = find_fault(text)
    return fault.line if fault else 1 << 30


def _drop_ends(lines: list[str]) -> str | None:
    """The lines without `endif` and the like, where one stands below a head, beside it, and nothing else holds its name."""
    source, kept, dropped, heads = "\n".join(lines), [], 0, set[str]()
    for line in lines:
        text, indent = line.strip(), read_indent(line)
        if BLOCK_END.fullmatch(text) and indent in heads and not _is_bound(text.split(" ")[0].rstrip(";"), source):
            dropped += 1
            continue
        if HEAD.match(text):
            heads.add(indent)
            line = re.sub(r"\s+(?:then|do)\s*:?\s*$", ":", line, flags=re.IGNORECASE)
        kept.append(line)
    return "\n".join(kept) if dropped else None


def _is_bound(word: str, source: str) -> bool:
    return bool(re.search(rf"\b{word}\b\s*(?:=(?!=)|\(|,|\.)|\bimport\b.*\b{word}\b", source))
